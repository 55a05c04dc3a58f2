"""A small arena of our own that every check of a certificate passes."""

from __future__ import annotations

from astra.model import Arena, JsonObject, Scenario, SubTask, Tool, ToolCode

FIND_BERTH = """\
def find_berth(ship):
    table = {"Aurora": "B-17", "Kestrel": "B-04", "Meridian": "B-22"}
    if ship not in table:
        return {"error": "no ship of that name"}
    return {"berth": table[ship]}
"""

BERTH_LENGTH = """\
def berth_length(berth):
    table = {"B-17": 140, "B-04": 95, "B-22": 210}
    if berth not in table:
        return {"error": "no berth of that number"}
    return {"length_m": table[berth]}
"""

SPARE = """\
def spare_length(longer, shorter):
    if not isinstance(longer, int) or not isinstance(shorter, int):
        return {"error": "both lengths must be whole numbers"}
    return {"spare_m": longer - shorter}
"""

TIDE = """\
def tide_level(harbour):
    table = {"Northhaven": 3.4}
    if harbour not in table:
        return {"error": "no such harbour"}
    return {"level_m": table[harbour]}
"""


def tool(code: str, description: str, **parameters: str) -> ToolCode:
    name = code.split("(")[0].removeprefix("def ")
    schema: JsonObject = {
        "type": "object",
        "properties": {parameter: {"type": kind} for parameter, kind in parameters.items()},
        "required": list(parameters),
    }
    return ToolCode(tool=Tool(name=name, description=description, parameters=schema), code=code)


def harbour_arena() -> Arena:
    return Arena(
        id="arena-harbour",
        question="How many metres longer is the berth of the Meridian than the berth of the Aurora?",
        answer=70,
        sub_tasks=(
            SubTask(
                id=1,
                question="Which berth has the Meridian?",
                answer="B-22",
                tool="find_berth",
                arguments={"ship": "Meridian"},
            ),
            SubTask(
                id=2,
                question="Which berth has the Aurora?",
                answer="B-17",
                tool="find_berth",
                arguments={"ship": "Aurora"},
            ),
            SubTask(
                id=3,
                question="How long is #1?",
                answer=210,
                depends_on=(1,),
                tool="berth_length",
                arguments={"berth": "B-22"},
            ),
            SubTask(
                id=4,
                question="How long is #2?",
                answer=140,
                depends_on=(2,),
                tool="berth_length",
                arguments={"berth": "B-17"},
            ),
            SubTask(
                id=5,
                question="By how much is #3 longer than #4?",
                answer=70,
                depends_on=(3, 4),
                tool="spare_length",
                arguments={"longer": 210, "shorter": 140},
            ),
        ),
        tools=(
            tool(FIND_BERTH, "Find the berth at which a ship lies.", ship="string"),
            tool(BERTH_LENGTH, "Look up the length of a berth in metres.", berth="string"),
            tool(SPARE, "Subtract one length from another.", longer="integer", shorter="integer"),
        ),
        distractors=(tool(TIDE, "Present tide level of a harbour in metres.", harbour="string"),),
        scenario=Scenario.PARALLEL_MULTI_HOP,
        hops=5,
        domain="shipping",
        source="test",
    )
