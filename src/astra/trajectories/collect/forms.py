"""Every form in which tool documents come, read as one: a `Tool`."""

from __future__ import annotations

import json

from astra.errors import Rejected
from astra.model import JsonObject, Tool
from astra.trajectories.collect.json_values import as_json, read_json
from astra.trajectories.collect.names import legal_name
from astra.trajectories.collect.parameters import clean_output, clean_parameters
from astra.trajectories.collect.text import clean, says_enough

_PARAMETER_KEYS = ("inputSchema", "input_schema", "parameters")  # MCP, Anthropic, OpenAI and registries
_OUTPUT_KEYS = ("outputSchema", "output_schema")
_DESCRIPTION_LIMIT = 1024  # characters, OpenAI's limit


def normalise_tool(document: object) -> Tool:
    """The tool that a document describes.

    Forms: an MCP `tools/list` entry (`inputSchema`), Anthropic's `input_schema`, OpenAI's
    `{"type": "function", "function": {...}}`, Bedrock's `toolSpec`, a bare name, description and `parameters`, a
    registry's list of parameters, and any of them with JSON in a string in place of an object.

    Raises:
        Rejected: `not-json`, `not-a-tool`, `no-name`, `deprecated`, `no-description`, `unclear-description`,
            `parameters-not-object`, `schema-invalid`.
    """
    function = _unwrapped(as_json(document))
    name = function.get("name")
    if not isinstance(name, str) or not name.strip():
        raise Rejected("no-name", "The document has no name to call the tool by.", json.dumps(function)[:500])
    if function.get("deprecated") is True:
        raise Rejected("deprecated", f"{name!r} is marked as deprecated.")
    legal = legal_name(name)
    description = _description(function.get("description"), name, legal)
    raw = next((function[key] for key in _PARAMETER_KEYS if function.get(key) is not None), None)
    parameters, repairs = clean_parameters(raw, name, description)
    output = next((function[key] for key in _OUTPUT_KEYS if function.get(key) is not None), None)
    return Tool(
        name=legal,
        description=description,
        parameters=parameters,
        output=clean_output(output),
        original_name=name if legal != name else None,
        repairs=(*(["name made legal"] if legal != name else []), *repairs),
    )


def _unwrapped(document: object) -> JsonObject:
    if isinstance(document, str):
        document = read_json(document, "The document")
    if isinstance(document, dict):
        for wrapper in ("function", "toolSpec"):
            if isinstance(document.get(wrapper), dict):
                document = document[wrapper]
                break
    if not isinstance(document, dict):
        raise Rejected("not-a-tool", "The document is no JSON object.", json.dumps(document)[:500])
    schema = document.get("inputSchema")
    if isinstance(schema, dict) and set(schema) == {"json"}:  # Bedrock
        return {**document, "inputSchema": schema["json"]}
    return document


def _description(raw: object, name: str, legal: str) -> str:
    text = clean(raw, limit=_DESCRIPTION_LIMIT) if isinstance(raw, str) else ""
    if not text or text in (name, legal):
        raise Rejected("no-description", f"No description of {name!r} is left after cleaning.", str(raw)[:500])
    if not says_enough(text, f"{name} {legal}"):
        raise Rejected("unclear-description", f"The description of {name!r} hardly says more than its name.", text)
    return text
