"""Questions taken apart: the raw material of arenas."""

from __future__ import annotations

from enum import StrEnum

from astra.model.base import Answer, JsonObject, Noun


class Scenario(StrEnum):
    """The four shapes of a trace (paper section 3.1)."""

    SINGLE_HOP = "single-hop"  # one sub-question
    PARALLEL_SINGLE_HOP = "parallel-single-hop"  # several, none of which needs another
    MULTI_HOP = "multi-hop"  # one after the other
    PARALLEL_MULTI_HOP = "parallel-multi-hop"  # in series, with several side by side at some level


class SubQuestion(Noun):
    """(q_i, a_i, d_i), and how a_i is computed."""

    id: int  # 1..m
    question: str  # may name a parent's answer as #id
    answer: Answer
    depends_on: tuple[int, ...] = ()  # ids, all smaller than `id`
    needs_tool: bool = True
    operation: JsonObject | None = None  # how the answer was computed, for the teacher that writes its tool


class Trace(Noun):
    """A main question with its answer, sub-questions and their dependencies."""

    id: str
    question: str
    answer: Answer
    sub_questions: tuple[SubQuestion, ...]
    domain: str
    source: str  # "tables:<name>" or "problems:<file>:<line>"
    language: str = "en"

    @property
    def hops(self) -> int:
        """m, the number of sub-questions: what the paper's hop count counts."""
        return len(self.sub_questions)

    def levels(self) -> dict[int, int]:
        """Hop level of each sub-question: 1 without dependencies, else one above its highest parent."""
        level: dict[int, int] = {}
        for sub in self.sub_questions:
            level[sub.id] = 1 + max((level[parent] for parent in sub.depends_on), default=0)
        return level

    @property
    def scenario(self) -> Scenario:
        level = list(self.levels().values())
        if len(level) == 1:
            return Scenario.SINGLE_HOP
        if max(level) == 1:
            return Scenario.PARALLEL_SINGLE_HOP
        parallel = any(level.count(height) > 1 for height in level)
        return Scenario.PARALLEL_MULTI_HOP if parallel else Scenario.MULTI_HOP
