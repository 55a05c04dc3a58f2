"""Where a model is to be reached, and what it costs."""

from __future__ import annotations

import os
from typing import Literal

from pydantic import Field

from astra.model.base import JsonObject, Noun

StructuredMode = Literal["json_schema", "json_object", "text"]
ToolMode = Literal["native", "text"]
NO_KEY = "none"
"""Sent where no key is set: servers on one's own machine ask for none."""


class Price(Noun):
    """Money per million tokens, in whatever currency the user counts."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1_000_000


class Endpoint(Noun):
    """An OpenAI-compatible endpoint and the model to ask there. The key stays in the environment."""

    base_url: str | None = None  # None: OPENAI_BASE_URL, else OpenAI's own
    model: str | None = None  # None: OPENAI_MODEL
    key_env: str = "OPENAI_API_KEY"  # name of the environment variable that holds the key
    temperature: float | None = Field(default=None, ge=0)  # None: the server's own
    max_tokens: int = Field(default=4096, ge=1)  # of one answer
    seconds: float = Field(default=120.0, gt=0)  # time-out of one request
    tries: int = Field(default=6, ge=1)  # of a request whose failure may pass
    concurrency: int = Field(default=64, ge=1)  # requests in flight
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)  # prompt and answer, estimated before, counted after
    stream: bool = False  # answers in pieces, so that a slow one is not taken for a dead one
    structured: Literal["auto"] | StructuredMode = "auto"  # how answers are held to a schema; auto: as preflight finds
    tools: Literal["auto"] | ToolMode = "auto"  # whether tool calls are the server's or read from the text
    price: Price | None = None  # None: that of the settings' price table, else free
    extra: JsonObject = Field(default_factory=dict)  # further fields of the request's body

    @property
    def url(self) -> str:
        return self.base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"

    @property
    def model_name(self) -> str:
        return self.model or os.environ.get("OPENAI_MODEL") or ""

    @property
    def key(self) -> str:
        return os.environ.get(self.key_env) or NO_KEY
