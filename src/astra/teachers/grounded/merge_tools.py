"""Two tools that differ in their data alone, made one (paper section 3.4)."""

from __future__ import annotations

from typing import Any

from astra.errors import Rejected
from astra.teachers.grounded.code import split_data, with_data
from astra.teachers.questions import MergeTools, ToolDraft


def merge_tools(question: MergeTools) -> ToolDraft:
    """The base with the addition's data put into its own, and the addition's gold arguments.

    Raises:
        Rejected: `not-homogeneous` if they differ in more than data, `conflicting-rows` if their data disagree.
    """
    base, addition = question.base, question.addition
    if base.tool != addition.tool:
        raise Rejected("not-homogeneous", f"{base.tool.name} and {addition.tool.name} have different documents")
    code, data = split_data(base.code)
    other_code, other_data = split_data(addition.code)
    if code != other_code or type(data) is not type(other_data):
        raise Rejected("not-homogeneous", f"{base.tool.name} and {addition.tool.name} have different code")
    merged = base.code if data is None else with_data(base.code, _united(data, other_data))
    return ToolDraft(tool=base.tool, code=merged, arguments=addition.arguments)


def _united(data: Any, other: Any) -> Any:
    """Both tables in one: rows by key, or rows of whole groups."""
    if isinstance(data, dict):
        for key, value in other.items():
            if data.get(key, value) != value:
                raise Rejected("conflicting-rows", f"two rows for {key!r}")
        return {**data, **other}
    if not (_are_rows(data) and _are_rows(other)):
        raise Rejected("not-homogeneous", "their data are neither rows by key nor rows of groups")
    groups = {row[0] for row in data}
    return [*data, *(row for row in other if row[0] not in groups)]


def _are_rows(data: Any) -> bool:
    """Whether this is a list of lists, each with the name of its group first."""
    return isinstance(data, list) and all(isinstance(row, list) and row and isinstance(row[0], str) for row in data)
