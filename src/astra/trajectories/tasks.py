"""Tasks: requests for chains (so that they can be carried out) and for servers alone (so that all tools get a turn)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from astra.errors import Rejected
from astra.model import Chain, FromTask, Noun, Scores, Task, ToolServer, abstained, content_id, mentions, scored
from astra.model.matching import leaves
from astra.teachers.questions import TaskDraft, Teacher, WriteTask

_LENGTH = (30, 1500)  # characters of a request


class TaskRequest(Noun):
    """A task to be written: for a chain of a server, or for the server alone."""

    id: str
    server: str
    chain: Chain | None = None


class TaskConfig(Noun):
    """How many tasks, and what they must reach."""

    per_chain: int = 1
    per_server: int = 2  # without a chain
    per_live_server: int = 12  # the same, of a server that can be called
    min_score: float = 0.8  # of each score that was given


def task_requests(servers: Sequence[ToolServer], chains: Sequence[Chain], config: TaskConfig) -> list[TaskRequest]:
    """What is to be written: the stage's items."""
    for_chains = [
        TaskRequest(id=f"{chain.id}/{number}", server=chain.server, chain=chain)
        for chain in chains
        for number in range(1, config.per_chain + 1)
    ]
    for_servers = [
        TaskRequest(id=f"{server.id}/{number}", server=server.id)
        for server in servers
        for number in range(1, (config.per_live_server if server.launch else config.per_server) + 1)
    ]
    return for_chains + for_servers


async def write(teacher: Teacher, server: ToolServer, request: TaskRequest, config: TaskConfig, *, seed: int) -> Task:
    """The task that the teacher writes, scored.

    Raises:
        Rejected: the teacher has none, or a score is too low.
    """
    draft = await teacher.answer(WriteTask(server=server, chain=request.chain, seed=f"{seed}/{request.id}"))
    scores = score_draft(draft)
    for name, part in scores.parts.items():
        if part.value is not None and part.value < config.min_score:
            raise Rejected(f"{name.replace('_', '-')}-too-low", part.why, draft.request)
    return Task(
        id=content_id("task", [request.id, draft.request, seed]),
        server=server.id,
        request=draft.request,
        tools=tuple(call.tool for call in draft.plan),
        plan=draft.plan,
        parallel=draft.parallel,
        origin="chain" if request.chain is not None else "server",
        chain=request.chain.id if request.chain is not None else None,
        scores=scores,
    )


def score_draft(draft: TaskDraft) -> Scores:
    """Question quality by rule; scenario realism and the need for tools are for a language-model judge."""
    stated = [
        leaf
        for call in draft.plan
        for source in call.arguments.values()
        if isinstance(source, FromTask)
        for leaf in leaves([source.value])
        if not isinstance(leaf, bool)
    ]
    missing = [leaf for leaf in stated if not mentions(draft.request, leaf) and json.dumps(leaf) not in draft.request]
    low, high = _LENGTH
    if not low <= len(draft.request) <= high:
        quality = scored(0.0, f"the request has {len(draft.request)} characters; {low} to {high} are sound")
    elif missing:
        quality = scored(1 - len(missing) / len(stated), f"the request does not state {missing[0]!r}")
    else:
        quality = scored(1.0, f"states all {len(stated)} values that its calls need")
    no_rule = "no rule can tell; a language-model judge can"
    return Scores(
        parts={
            "question_quality": quality,
            "scenario_realism": abstained(no_rule),
            "tool_use_necessity": abstained(no_rule),
        }
    )
