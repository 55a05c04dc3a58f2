"""The models of a run: one a role, with one cache and one purse."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from astra.llm.cache import AnswerCache
from astra.llm.chat import ChatModel
from astra.llm.endpoint import Endpoint, Price
from astra.llm.preflight import Capabilities, preflight
from astra.llm.spending import Spending, SpendingCap

Role = Literal["teacher", "judge", "policy", "user"]


class Models:
    """Opened endpoints by role.

    Args:
        cache: file of this run's answers; what it holds counts as spent.
        shared: file of answers that several runs share.
        prices: by model, for endpoints that name no price of their own.
    """

    def __init__(
        self,
        endpoints: Mapping[Role, Endpoint],
        cache: Path,
        *,
        shared: Path | None = None,
        cap: SpendingCap | None = None,
        prices: Mapping[str, Price] | None = None,
    ) -> None:
        self.spending = Spending(cap)
        self._cache = AnswerCache(cache)
        self._shared = AnswerCache(shared) if shared is not None else None
        for stage, usage, cost in self._cache.payments():
            self.spending.paid(usage, cost, stage=stage)
        self._models = {
            role: ChatModel(_priced(endpoint, prices or {}), role, self._cache, self.spending, self._shared)
            for role, endpoint in endpoints.items()
        }
        self._capabilities: dict[Role, Capabilities] = {}

    async def __aenter__(self) -> Models:
        return self

    async def __aexit__(self, *exc: object) -> None:
        for model in self._models.values():
            await model.aclose()
        self._cache.close()
        if self._shared is not None:
            self._shared.close()

    async def preflight(self) -> None:
        """Ask every role's endpoint one question.

        Raises:
            BadInput: an endpoint can't do what its role needs.
        """
        self.spending.stage = "preflight"
        for role, model in self._models.items():
            self._capabilities[role] = await preflight(model, "tool calls" if role == "policy" else "answers")

    def __contains__(self, role: Role) -> bool:
        return role in self._models

    def model(self, role: Role) -> ChatModel:
        return self._models[role]

    def capabilities(self, role: Role) -> Capabilities:
        """As `preflight` found them."""
        return self._capabilities[role]


def _priced(endpoint: Endpoint, prices: Mapping[str, Price]) -> Endpoint:
    if endpoint.price is not None or endpoint.model_name not in prices:
        return endpoint
    return endpoint.model_copy(update={"price": prices[endpoint.model_name]})
