"""Merging inside one arena: tools of one kind become one, an insertion at a time (paper section 3.4)."""

from __future__ import annotations

from dataclasses import dataclass

from astra.errors import Rejected
from astra.model import SubQuestion, ToolCode, holds
from astra.sandbox import MontySandbox
from astra.teachers.questions import MergeTools, Teacher, ToolDraft


@dataclass(frozen=True)
class Written:
    """A sub-question with the tool that answers it, by a run."""

    sub: SubQuestion
    draft: ToolDraft


async def merge(teacher: Teacher, sandbox: MontySandbox, written: list[Written]) -> list[Written]:
    """The same sub-questions with fewer tools, their names unique.

    Each draft is inserted into the first tool that takes it, and after each insertion every gold call of that tool is
    run again. Where an insertion fails, the draft stays a tool of its own, under another name if need be.
    """
    groups: list[list[Written]] = []
    for entry in written:
        for place, group in enumerate(groups):
            grown = await _inserted(teacher, sandbox, group, entry)
            if grown is not None:
                groups[place] = grown
                break
        else:
            groups.append([entry])
    renamed = [_named_apart(group, groups[:place]) for place, group in enumerate(groups)]
    return sorted((entry for group in renamed for entry in group), key=lambda entry: entry.sub.id)


async def _inserted(
    teacher: Teacher, sandbox: MontySandbox, group: list[Written], entry: Written
) -> list[Written] | None:
    """The group with one more, all on the merged tool; None if they are not of one kind or a call then fails."""
    try:
        merged = await teacher.answer(MergeTools(base=group[0].draft, addition=entry.draft))
    except Rejected:
        return None
    grown = [
        Written(old.sub, ToolDraft(tool=merged.tool, code=merged.code, arguments=old.draft.arguments)) for old in group
    ]
    grown.append(Written(entry.sub, merged))
    return grown if await answers(sandbox, grown) is None else None


async def answers(sandbox: MontySandbox, written: list[Written]) -> str | None:
    """Runs the gold calls of one tool in a fresh session; None if each gives its answer, else what went wrong."""
    tool, code = written[0].draft.tool, written[0].draft.code
    async with sandbox.session({tool.name: code}) as session:
        for entry in written:
            result = await session.call(tool.name, entry.draft.arguments)
            if not result.ok:
                return f"the call {entry.draft.arguments} fails: {result.error}"
            if not holds(result.value, entry.sub.answer):
                return f"the call {entry.draft.arguments} gives {result.value}, not {entry.sub.answer!r}"
    return None


def _named_apart(group: list[Written], earlier: list[list[Written]]) -> list[Written]:
    """The group, its tool renamed if an earlier one has the name already."""
    tool, code = group[0].draft.tool, group[0].draft.code
    count = sum(other[0].draft.tool.name == tool.name for other in earlier)
    if not count:
        return group
    name = f"{tool.name}_{count + 1}"
    code = code.replace(f"def {tool.name}(", f"def {name}(", 1)
    renamed = ToolCode(tool=tool.model_copy(update={"name": name}), code=code)
    return [
        Written(entry.sub, ToolDraft(tool=renamed.tool, code=renamed.code, arguments=entry.draft.arguments))
        for entry in group
    ]
