"""Tasks: requests for chains (so that they can be carried out) and for servers alone (so that all tools get a turn)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import Field

from astra.errors import Rejected
from astra.model import Chain, FromStep, FromTask, Noun, Score, Scores, Task, ToolServer, abstained, content_id, scored
from astra.model.matching import leaves, mentions
from astra.teachers.questions import ScoreTask, TaskDraft, TaskMarks, Teacher, WriteTask
from astra.trajectories.language import in_language, language_of, same_language

_LENGTH = (10, 2000)  # characters of a request
_MARKS = ("question_quality", "scenario_realism", "tool_use_necessity")
_NO_JUDGE = "no rule can tell; a language-model judge can"


class TaskRequest(Noun):
    """A task to be written: for a chain of a server, or for the server alone."""

    id: str
    server: str
    chain: Chain | None = None
    targets: int | None = None  # how many tools it is to need, where there is no chain


class TaskConfig(Noun):
    """How many tasks, how they are varied, and what they must reach."""

    per_chain: int = Field(default=1, ge=0)
    per_server: int = Field(default=2, ge=0)  # without a chain
    per_live_server: int = Field(default=12, ge=0)  # the same, of a server that can be called
    targets: tuple[int, ...] = (1, 2, 3)  # numbers of tools of a task without a chain, in turn
    language: str = "en"  # ISO 639-1
    diversity: int = Field(default=0, ge=0)  # further tasks made of each, by axis (paper section 2.3)
    complexity: int = Field(default=0, ge=0)
    persona: int = Field(default=0, ge=0)
    personas: str | None = None  # file with a persona a line; None: ASTRA's own few
    thresholds: dict[str, float] = Field(  # 0..1, of each score that was given
        default_factory=lambda: dict.fromkeys(_MARKS, 0.75)
    )
    optional_scores: tuple[str, ...] = ()  # of "difficulty", "selection_uniqueness": scored too


def task_requests(servers: Sequence[ToolServer], chains: Sequence[Chain], config: TaskConfig) -> list[TaskRequest]:
    """What is to be written: the stage's items."""
    for_chains = [
        TaskRequest(id=f"{chain.id}/{number}", server=chain.server, chain=chain)
        for chain in chains
        for number in range(1, config.per_chain + 1)
    ]
    for_servers = [
        TaskRequest(id=f"{server.id}/{number}", server=server.id, targets=_targets(server, config, number))
        for server in servers
        for number in range(1, (config.per_live_server if server.launch else config.per_server) + 1)
    ]
    return for_chains + for_servers


def _targets(server: ToolServer, config: TaskConfig, number: int) -> int:
    return min(config.targets[(number - 1) % len(config.targets)], len(server.tools))


async def write(teacher: Teacher, server: ToolServer, request: TaskRequest, config: TaskConfig, *, seed: int) -> Task:
    """The task that the teacher writes.

    Raises:
        Rejected: the teacher has none, or what it wrote can't be carried out (`checked_draft`).
    """
    draft = await teacher.answer(
        WriteTask(
            server=server,
            chain=request.chain,
            targets=request.targets,
            language=config.language,
            seed=f"{seed}/{request.id}",
        )
    )
    checked_draft(draft, server, config.language)
    if request.chain is not None and [call.tool for call in draft.plan] != list(request.chain.tools):
        raise Rejected("other-chain", f"The plan calls other tools than {request.chain.id}.", draft.request)
    return Task(
        id=content_id("task", [request.id, draft.request, seed]),
        server=server.id,
        request=draft.request,
        tools=tuple(call.tool for call in draft.plan),
        plan=draft.plan,
        parallel=draft.parallel,
        origin="chain" if request.chain is not None else "server",
        chain=request.chain.id if request.chain is not None else None,
        language=config.language,
    )


def checked_draft(draft: TaskDraft, server: ToolServer, language: str) -> TaskDraft:
    """The draft, if its plan can be carried out as far as documents tell, and its request is in the language.

    Raises:
        Rejected: `no-plan`, `unknown-tool`, `missing-argument`, `unknown-argument`, `broken-plan`, `other-language`.
    """
    if not draft.plan:
        raise Rejected("no-plan", "The task needs no tool at all.", draft.request)
    for place, call in enumerate(draft.plan):
        tool = server.tool(call.tool)
        if tool is None:
            raise Rejected("unknown-tool", f"The plan calls {call.tool!r}, which the server has not.", draft.request)
        if missing := [name for name in tool.required if name not in call.arguments]:
            raise Rejected("missing-argument", f"The plan calls {call.tool} without {missing[0]!r}.", draft.request)
        if tool.properties and (unknown := [name for name in call.arguments if name not in tool.properties]):
            raise Rejected("unknown-argument", f"The plan calls {call.tool} with {unknown[0]!r}.", draft.request)
        for name, source in call.arguments.items():
            if isinstance(source, FromStep) and not 0 <= source.step < place:
                sentence = f"{name!r} of step {place + 1} is to come from step {source.step + 1}."
                raise Rejected("broken-plan", sentence, draft.request)
    if not in_language(draft.request, language):
        found = language_of(draft.request)
        raise Rejected("other-language", f"The request is in {found!r}, not in {language!r}.", draft.request)
    return draft


async def score_task(judge: Teacher | None, server: ToolServer, task: Task, config: TaskConfig) -> Task:
    """The task with its scores: what a rule can tell by rule, the rest by the judge.

    Args:
        judge: None: what no rule can tell abstains.

    Raises:
        Rejected: `<score>-too-low`.
    """
    rule = question_quality(task)
    names = (*_MARKS, *config.optional_scores)
    if judge is None:
        parts = {name: abstained(_NO_JUDGE) for name in names} | {"question_quality": rule}
    else:
        evidence = () if rule.value == 1 else (rule.why,)
        parts = await _marked(
            judge, ScoreTask(server=server, request=task.request, tools=task.tools, evidence=evidence)
        )
        parts = {name: parts[name] for name in names}
        judged = parts["question_quality"]
        if judged.value is None or (rule.value is not None and rule.value < judged.value):
            parts["question_quality"] = rule
    for name, part in parts.items():
        if part.value is not None and part.value < config.thresholds.get(name, 0.0):
            sentence = f"{name.replace('_', ' ')} {part.value:.2f}: {part.why}"
            raise Rejected(f"{name.replace('_', '-')}-too-low", sentence, task.request)
    return task.model_copy(update={"scores": Scores(parts=parts)})


async def _marked(judge: Teacher, question: ScoreTask) -> dict[str, Score]:
    """Marks 1..5 as scores 0..1; a judgement that could not be read is failed, never a number."""
    try:
        marks = await judge.answer(question)
    except Rejected as error:
        failed = Score(status="failed", why=error.sentence)
        return {name: failed for name in TaskMarks.model_fields if name != "why"}
    return {
        name: abstained(marks.why) if mark is None else scored((mark - 1) / 4, marks.why)
        for name, mark in marks.model_dump(exclude={"why"}).items()
    }


def question_quality(task: Task | TaskDraft) -> Score:
    """1 if the request states every value that its calls take from it."""
    stated = [
        leaf
        for call in task.plan
        for source in call.arguments.values()
        if isinstance(source, FromTask)
        for leaf in leaves([source.value])
        if not isinstance(leaf, bool)
    ]
    missing = [leaf for leaf in stated if not mentions(task.request, leaf) and json.dumps(leaf) not in task.request]
    low, high = _LENGTH
    if not low <= len(task.request) <= high:
        return scored(0.0, f"the request has {len(task.request)} characters; {low} to {high} are sound")
    if missing:
        return scored(1 - len(missing) / len(stated), f"the request does not state {missing[0]!r}")
    return scored(1.0, f"states all {len(stated)} values that its calls need")


def keeps_language(original: str, other: str) -> None:
    """Raises: Rejected: `other-language`."""
    if not same_language(original, other):
        raise Rejected("other-language", "The augmented request is in another language than the original.", other)
