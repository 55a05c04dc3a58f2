"""Augmentation of tasks on three axes: diversity, complexity, persona (paper section 2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from astra.engine.files import read_lines
from astra.errors import BadInput, Rejected
from astra.model import FromTask, Noun, Task, ToolServer, canonical_json, content_id, seeded
from astra.model.matching import leaves
from astra.teachers.questions import AugmentTask, Axis, CompareIntent, TaskDraft, Teacher
from astra.trajectories.tasks import TaskConfig, checked_draft, keeps_language

AXES: tuple[Axis, ...] = ("diversity", "complexity", "persona")


class AugmentRequest(Noun):
    """A task to be put differently: an item of the stage `augment`."""

    id: str  # "<task's id>/<axis>/<number>"
    task: Task
    axis: Axis
    persona: str | None = None


def read_personas(name: str | None) -> tuple[str, ...]:
    """One persona a line, of the user's file or of ASTRA's own.

    Raises:
        BadInput: the file can't be read, or no persona is in it.
    """
    if name is not None:
        personas = tuple(line.strip() for _, line in read_lines(Path(name)))
        if not personas:
            raise BadInput(f"{name}: no persona in it; expected one a line")
        return personas
    text = (resources.files("astra.trajectories") / "personas.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line)


def augment_requests(
    tasks: Sequence[Task], personas: Sequence[str], config: TaskConfig, *, seed: int
) -> list[AugmentRequest]:
    """What is to be augmented: the stage's items; a persona is drawn for each."""
    requests: list[AugmentRequest] = []
    for task in tasks:
        for axis in AXES:
            for number in range(1, getattr(config, axis) + 1):
                name = f"{task.id}/{axis}/{number}"
                persona = seeded(seed, name, "persona").choice(personas) if axis == "persona" else None
                requests.append(AugmentRequest(id=name, task=task, axis=axis, persona=persona))
    return requests


async def augment(
    teacher: Teacher, judge: Teacher | None, server: ToolServer, request: AugmentRequest, *, seed: int
) -> Task:
    """The augmented task: same language, same intent, all logical requirements.

    By rule: the original's calls are all still there, in order, with the values that the original states. With a
    judge, it also says whether the intent is the same.

    Raises:
        Rejected: `unchanged`, `other-language`, `other-intent`, or what `checked_draft` finds.
    """
    task = request.task
    draft = await teacher.answer(
        AugmentTask(
            server=server,
            draft=TaskDraft(request=task.request, plan=task.plan, parallel=task.parallel),
            axis=request.axis,
            language=task.language,
            persona=request.persona,
            seed=f"{seed}/{request.id}",
        )
    )
    if " ".join(draft.request.split()) == " ".join(task.request.split()):
        raise Rejected("unchanged", "The augmented request is the original one.", draft.request)
    checked_draft(draft, server, task.language)
    keeps_language(task.request, draft.request)
    _keeps_plan(task, draft, request.axis)
    if judge is not None:
        verdict = await judge.answer(CompareIntent(original=task.request, augmented=draft.request))
        if not verdict.same:
            raise Rejected("other-intent", verdict.why, draft.request)
    return task.model_copy(
        update={
            "id": content_id("task", [request.id, draft.request, seed]),
            "request": draft.request,
            "plan": draft.plan,
            "tools": tuple(call.tool for call in draft.plan),
            "parallel": draft.parallel,
            "augmentation": (*task.augmentation, request.axis),
        }
    )


def _keeps_plan(task: Task, draft: TaskDraft, axis: Axis) -> None:
    """Raises: Rejected: `other-intent`: a call or a stated value is gone; only more complexity may add calls."""
    kept = iter(draft.plan)
    for call in task.plan:
        if not any(other.tool == call.tool for other in kept):
            raise Rejected("other-intent", f"The augmented plan no longer calls {call.tool}.", draft.request)
    if axis != "complexity" and len(draft.plan) != len(task.plan):
        raise Rejected("other-intent", "The augmented plan has further calls.", draft.request)
    if missing := _stated(task) - _stated(draft):
        raise Rejected("other-intent", f"The augmented plan no longer states {min(missing)}.", draft.request)


def _stated(planned: Task | TaskDraft) -> set[str]:
    """Every value that the plan takes from the request, as JSON."""
    return {
        canonical_json(leaf)
        for call in planned.plan
        for source in call.arguments.values()
        if isinstance(source, FromTask)
        for leaf in leaves([source.value])
    }
