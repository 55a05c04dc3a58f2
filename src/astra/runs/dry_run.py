"""What a run would ask of its models, and about what that would cost: worked out without asking."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from astra.engine import Ledger, Reporter
from astra.errors import BadInput
from astra.llm.chat import estimated
from astra.llm.endpoint import Endpoint, Price
from astra.llm.models import Role
from astra.model import Message, Noun, Task, Tool
from astra.rollout.policies.base import Policy
from astra.rollout.policies.plan import PlanPolicy
from astra.runs.cast import grounded_cast
from astra.runs.config import RunConfig
from astra.runs.road_one import make_trajectories
from astra.runs.run import LEDGER, Run, create
from astra.runs.sources import sources
from astra.teachers.llm import Prompts
from astra.teachers.questions import (
    AnswerJudgement,
    CallJudgement,
    CallJudgements,
    CallSummary,
    ChainRequest,
    ChainVerdict,
    CompareIntent,
    DescribeChain,
    JudgeAnswer,
    JudgeCalls,
    JudgeChain,
    JudgeQuery,
    JudgeRound,
    JudgeService,
    QueryJudgement,
    Question,
    RoundJudgement,
    SameIntent,
    ScoreTask,
    Service,
    SpeakAsUser,
    SummarizeCalls,
    TaskMarks,
    Teacher,
    UserTurn,
)

A = TypeVar("A", bound=BaseModel)

_WHY = "A reason of one or two sentences, about as long as a model would give here."
_MADE_UP = "A request of a few sentences, about as long as a user would write it, with a value or two in it."

# What judges are taken to say, so that nothing falls out on the way: the estimate is an upper bound.
_AGREEABLE: dict[type[Question[Any]], Callable[[Any], BaseModel]] = {
    JudgeChain: lambda _: ChainVerdict(why=_WHY, dependency=True, coherence=True),
    DescribeChain: lambda _: ChainRequest(request=_MADE_UP),
    JudgeService: lambda _: Service(why=_WHY, serves=True),
    CompareIntent: lambda _: SameIntent(why=_WHY, same=True),
    ScoreTask: lambda _: TaskMarks(
        why=_WHY,
        question_quality=5,
        scenario_realism=5,
        tool_use_necessity=5,
        difficulty=5,
        selection_uniqueness=5,
    ),
    SummarizeCalls: lambda question: CallSummary(summary=str(question.history)[:2000]),
    SpeakAsUser: lambda _: UserTurn(reply=None),
    JudgeQuery: lambda _: QueryJudgement(why=_WHY, understanding=1, planning=1),
    JudgeRound: lambda _: RoundJudgement(why=_WHY, understanding=1, planning=1),
    JudgeCalls: lambda question: CallJudgements(
        calls=tuple(
            CallJudgement(call_id=call.id, necessary=True, why="needed")
            for message in question.messages
            for call in message.tool_calls
        )
    ),
    JudgeAnswer: lambda _: AnswerJudgement(why=_WHY, correctness=1, summary=1),
}


class Asked(Noun):
    """Questions of one kind to one role."""

    role: str
    question: str
    count: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None  # None: the model has no price
    example: str  # the first one, as the model would see it


class Estimate(Noun):
    """What a run would ask. Tokens are estimated at four bytes each."""

    asked: tuple[Asked, ...]


async def dry_run(config: RunConfig, reporter: Reporter) -> Estimate:
    """Go road 1 with the grounded teacher in the models' place, and count what they would have been asked.

    Raises:
        BadInput: no model is named, or an input can't be used.
    """
    endpoints = config.endpoints()
    if not endpoints:
        raise BadInput("no model is named, so nothing would be asked: use --model")
    counts = _Counts(config, endpoints)
    base = grounded_cast()

    def mind(role: Role) -> Teacher | None:
        return _Counted(counts, role, base.grounded, config) if role in endpoints else None

    def policy(task: Task, sample: int) -> Policy:
        return _CountedPolicy(counts, task)

    cast_ = replace(
        base,
        teacher=mind("teacher") or base.grounded,
        judge=mind("judge"),
        user=mind("user"),
        policy=policy if "policy" in endpoints and config.rollouts.policy != "oracle" else base.policy,
    )
    given = sources(config)
    with tempfile.TemporaryDirectory(prefix="astra-dry-") as name:
        folder = Path(name) / "run"
        create(folder, config)
        with Ledger(folder / LEDGER) as ledger:
            run = Run.of(folder, config, ledger, reporter, base.spending)
            await make_trajectories(run, cast_, given)
    return counts.estimate()


class _Counts:
    def __init__(self, config: RunConfig, endpoints: dict[Role, Endpoint]) -> None:
        self._prices: dict[str, Price | None] = {
            role: endpoint.price or config.prices.get(endpoint.model_name) for role, endpoint in endpoints.items()
        }
        self._asked: dict[tuple[str, str], Asked] = {}

    def add(self, role: str, question: str, prompt: Sequence[Any], completion: str) -> None:
        known = self._asked.get((role, question))
        if known is None:
            example = "\n\n".join(str(message.get("content", message)) for message in prompt)
            known = Asked(
                role=role,
                question=question,
                count=0,
                prompt_tokens=0,
                completion_tokens=0,
                cost=None,
                example=example,
            )
        self._asked[role, question] = known.model_copy(
            update={
                "count": known.count + 1,
                "prompt_tokens": known.prompt_tokens + estimated(*prompt),
                "completion_tokens": known.completion_tokens + estimated(completion),
            }
        )

    def estimate(self) -> Estimate:
        def priced(one: Asked) -> Asked:
            price = self._prices.get(one.role)
            cost = price.cost(one.prompt_tokens, one.completion_tokens) if price is not None else None
            return one.model_copy(update={"cost": cost})

        return Estimate(asked=tuple(priced(one) for one in self._asked.values()))


class _Counted:
    """Answers as the grounded teacher does, or agreeably, and counts what a model would have read and written."""

    def __init__(self, counts: _Counts, role: Role, grounded: Teacher, config: RunConfig) -> None:
        self.name = grounded.name
        self._counts = counts
        self._role = role
        self._grounded = grounded
        self._prompts = Prompts(
            config.prompts.language, Path(config.prompts.folder) if config.prompts.folder is not None else None
        )

    async def answer(self, question: Question[A]) -> A:
        agreeable = _AGREEABLE.get(type(question))
        answer = cast("A", agreeable(question)) if agreeable is not None else await self._grounded.answer(question)
        prompt = self._prompts.messages(question)
        self._counts.add(self._role, type(question).__name__, prompt, answer.model_dump_json())
        return answer


class _CountedPolicy:
    """Follows the plan and counts what a model would have read and written."""

    name = "oracle"

    def __init__(self, counts: _Counts, task: Task) -> None:
        self._counts = counts
        self._plan = PlanPolicy(task)

    async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        message = await self._plan.act(messages, tools)
        prompt = [*(one.to_openai() for one in messages), *(tool.document() for tool in tools)]
        self._counts.add("policy", "turn", prompt, message.model_dump_json())
        return message
