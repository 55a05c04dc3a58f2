"""Questions of road 1, up to the task: who feeds whom, which chains make sense, what would a user ask?"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from astra.model.base import Noun
from astra.model.graph import Chain, Edge
from astra.model.tasks import PlannedCall
from astra.model.tools import Tool, ToolServer
from astra.teachers.questions.base import Question

Axis = Literal["diversity", "complexity", "persona"]
Mark = int  # 1 (worst) to 5 (best)


class ToolLinks(Noun):
    """Edges between tools of one server."""

    edges: tuple[Edge, ...]


class LinkTools(Question[ToolLinks]):
    """Which tool of this server can feed which, and how do you know?"""

    server: ToolServer


class ProposedChain(Noun):
    """A request with the tools that serve it, in the order of their calls."""

    request: str
    tools: tuple[str, ...]


class ChainProposals(Noun):
    """Joint proposals of tasks and chains."""

    proposals: tuple[ProposedChain, ...]


class ProposeChains(Question[ChainProposals]):
    """Which requests would this server's users make, and which tools, in which order, serve each?"""

    server: ToolServer
    count: int
    language: str
    seed: str


class ChainVerdict(Noun):
    """Whether a chain can be run, and whether it makes sense (paper section 2.2)."""

    why: str
    dependency: bool  # each required argument can come from the request or from an earlier tool's result
    coherence: bool  # one sensible request needs all of these tools, in this order


class JudgeChain(Question[ChainVerdict]):
    """Can this chain be run, and would anyone want it?"""

    tools: tuple[Tool, ...]  # in the order of the calls
    seed: str  # one a vote


class ChainRequest(Noun):
    """A request in plain language."""

    request: str


class DescribeChain(Question[ChainRequest]):
    """Which request would make someone call these tools in this order?"""

    tools: tuple[Tool, ...]
    language: str


class Service(Noun):
    """Whether a request is served."""

    why: str
    serves: bool


class JudgeService(Question[Service]):
    """Do these tools, called in this order, do what the request asks for, each of them needed?"""

    request: str
    tools: tuple[Tool, ...]


class TaskDraft(Noun):
    """A request in plain language with the calls that fulfil it."""

    request: str
    plan: tuple[PlannedCall, ...]
    parallel: bool = False  # the steps need no order


class WriteTask(Question[TaskDraft]):
    """What would a user ask for that needs this chain (or, without one, so many of this server's tools)?"""

    server: ToolServer
    chain: Chain | None
    seed: str
    targets: int | None = None  # without a chain: how many tools; None: one to three
    language: str = "en"


class AugmentTask(Question[TaskDraft]):
    """The same task, put differently (diversity), made harder (complexity), or as this person would put it (persona).

    The language, the intent and all logical requirements stay.
    """

    server: ToolServer
    draft: TaskDraft
    axis: Axis
    language: str
    persona: str | None = None
    seed: str


class SameIntent(Noun):
    """Whether two requests want the same."""

    why: str
    same: bool


class CompareIntent(Question[SameIntent]):
    """Does the second request want all that the first one wants? (It may want more.)"""

    original: str
    augmented: str


class TaskMarks(Noun):
    """Marks of a task, 1 (worst) to 5 (best); None where it can't be told."""

    why: str
    question_quality: Mark | None = Field(None, ge=1, le=5)  # clear, complete, one thing to do
    scenario_realism: Mark | None = Field(None, ge=1, le=5)  # a real person would ask this
    tool_use_necessity: Mark | None = Field(None, ge=1, le=5)  # it can't be answered without calling tools
    difficulty: Mark | None = Field(None, ge=1, le=5)  # 5: hardest
    selection_uniqueness: Mark | None = Field(None, ge=1, le=5)  # 5: only these tools can do it


class ScoreTask(Question[TaskMarks]):
    """How good is this task? `evidence` is what rules found."""

    server: ToolServer
    request: str
    tools: tuple[str, ...]
    evidence: tuple[str, ...] = ()
