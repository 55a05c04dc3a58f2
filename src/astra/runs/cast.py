"""Who answers in a run: teacher, judge, policy and user, by language model where one is named."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from astra.errors import BadInput
from astra.llm.embed import WordLlamaEmbedder
from astra.llm.models import Models, Role
from astra.llm.spending import Spending
from astra.model import Task
from astra.rollout.policies.base import Policy
from astra.rollout.policies.chat import ChatPolicy
from astra.rollout.policies.plan import PlanPolicy
from astra.runs.config import RunConfig
from astra.teachers.grounded.teacher import GroundedTeacher
from astra.teachers.llm import LLMTeacher, Prompts
from astra.teachers.questions import Teacher
from astra.trajectories.chains import BY_MODEL, Check

CACHE = "answers.sqlite"
GROUNDED_CONCURRENCY = 16  # items in work where no endpoint is waited for


@dataclass(frozen=True)
class Cast:
    """One run's teachers and policies.

    Args:
        judge, user: None where no model is named for them.
        policy: for a task and the number of a sample.
        concurrency: items in work at once, of a stage that asks.
    """

    grounded: Teacher
    teacher: Teacher
    judge: Teacher | None
    user: Teacher | None
    policy: Callable[[Task, int], Policy]
    policy_name: str
    spending: Spending
    concurrency: int = GROUNDED_CONCURRENCY

    @property
    def has_model(self) -> bool:
        """Whether the teacher is a language model."""
        return self.teacher is not self.grounded

    def checks(self, wanted: tuple[Check, ...] | None) -> tuple[Check, ...]:
        """The checks of a chain that are to be made; None: those that can be made.

        Raises:
            BadInput: one is wanted that needs a language model, and there is none.
        """
        if wanted is None:
            return ("rule", "vote", "back-translation") if self.has_model else ("rule",)
        if not self.has_model and (beyond := sorted(BY_MODEL.intersection(wanted))):
            raise BadInput(f"chains.checks: {beyond[0]!r} needs a language model: name one with --model")
        return wanted

    @property
    def proposes(self) -> bool:
        """Whether chains are proposed at all, where the settings leave it open."""
        return self.has_model


def grounded_cast() -> Cast:
    """No language model anywhere."""
    grounded = GroundedTeacher(WordLlamaEmbedder())
    return Cast(grounded, grounded, None, None, _oracle, "oracle", Spending())


def _oracle(task: Task, sample: int) -> Policy:
    return PlanPolicy(task)


@asynccontextmanager
async def opened_cast(config: RunConfig, folder: Path) -> AsyncIterator[Cast]:
    """The cast that the settings name, every endpoint of it asked one question first.

    Raises:
        BadInput: an endpoint can't do what its role needs.
    """
    endpoints = config.endpoints()
    if config.rollouts.policy == "model" and "policy" not in endpoints:
        raise BadInput("rollouts.policy is 'model', and no model is named for it: use --policy-model or --model")
    if config.rollouts.user_turns and "user" not in endpoints:
        raise BadInput("rollouts.user_turns needs a model for the user: use models.user or --model")
    if not endpoints:
        yield grounded_cast()
        return
    prompts = Prompts(config.prompts.language, Path(config.prompts.folder) if config.prompts.folder else None)
    shared = Path(config.shared_cache) if config.shared_cache else None
    async with Models(endpoints, folder / CACHE, shared=shared, cap=config.cap, prices=config.prices) as models:
        await models.preflight()
        grounded = GroundedTeacher(WordLlamaEmbedder())

        def mind(role: Role, temperature: float | None = None) -> Teacher | None:
            if role not in models:
                return None
            mode = models.capabilities(role).structured
            return LLMTeacher(models.model(role), prompts, mode=mode, temperature=temperature)

        def chat(task: Task, sample: int) -> Policy:
            mode = models.capabilities("policy").tools
            return ChatPolicy(models.model("policy"), mode=mode, temperature=config.rollouts.temperature, sample=sample)

        by_model = "policy" in models and config.rollouts.policy != "oracle"
        yield Cast(
            grounded=grounded,
            teacher=mind("teacher") or grounded,
            judge=mind("judge", config.judge.temperature),
            user=mind("user"),
            policy=chat if by_model else _oracle,
            policy_name=models.model("policy").name if by_model else "oracle",
            spending=models.spending,
            concurrency=2 * max(endpoint.concurrency for endpoint in endpoints.values()),
        )
