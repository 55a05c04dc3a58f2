"""One question to an endpoint before any work: is the model there, is the key good, and what can it do?"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import BaseModel

from astra.errors import AstraError, BadInput, Rejected, SpendingCapReached
from astra.llm.chat import ChatModel, ChatRequest
from astra.llm.endpoint import StructuredMode, ToolMode
from astra.llm.structured import ask
from astra.model.base import JsonObject, Noun

_TRIES = 2  # what is wrong is to be said at once
_MODES: tuple[StructuredMode, ...] = ("json_schema", "json_object", "text")
_ECHO: JsonObject = {
    "type": "function",
    "function": {
        "name": "report_ready",
        "description": "Report that you are ready.",
        "parameters": {"type": "object", "properties": {"ready": {"type": "boolean"}}, "required": ["ready"]},
    },
}


class Capabilities(Noun):
    """How to talk to an endpoint."""

    structured: StructuredMode = "text"
    tools: ToolMode = "text"


class _Ready(BaseModel):
    """What a model answers before work begins."""

    ready: bool


async def preflight(model: ChatModel, wants: Literal["answers", "tool calls"]) -> Capabilities:
    """What the endpoint supports, of what its role needs. Only answers of this run count, not those of a shared cache.

    Raises:
        BadInput: it can't be reached, refuses the key, or has no such model; the message says which and what to do.
    """
    endpoint = model.endpoint
    asked = replace(model, endpoint=endpoint.model_copy(update={"tries": min(endpoint.tries, _TRIES)}), shared=None)
    try:
        if wants == "tool calls":
            return Capabilities(tools=await _tool_mode(asked))
        return Capabilities(structured=await _structured_mode(asked))
    except SpendingCapReached:
        raise
    except AstraError as error:
        raise _unusable(model, error) from error
    finally:
        await asked.aclose()


def _unusable(model: ChatModel, error: Exception) -> BadInput:
    return BadInput(
        f"the {model.role}'s endpoint can't be used: {error}. Check its address (--base-url or "
        f"models.{model.role}.base_url), its model, and the key in {model.endpoint.key_env}."
    )


async def _structured_mode(model: ChatModel) -> StructuredMode:
    given = model.endpoint.structured
    prompt = ({"role": "user", "content": 'Answer with this JSON object and nothing else: {"ready": true}'},)
    refusal: Rejected | None = None
    for mode in _MODES if given == "auto" else (given,):
        try:
            await ask(model, prompt, _Ready, mode=mode, repairs=1)
        except Rejected as error:
            refusal = error
            if error.reason == "unusable-answer" and mode == "text":
                return mode  # a weak model: it is there, and what it says will be judged answer by answer
        else:
            return mode
    if given == "auto" and refusal is not None and refusal.reason == "unusable-answer":
        return "text"
    raise refusal or AssertionError("unreachable")


async def _tool_mode(model: ChatModel) -> ToolMode:
    given = model.endpoint.tools
    prompt: tuple[JsonObject, ...] = ({"role": "user", "content": "Call report_ready with ready true."},)
    if given != "text":
        try:
            completion = await model.complete(ChatRequest(messages=prompt, tools=(_ECHO,)))
        except Rejected:
            if given == "native":
                raise
        else:
            if given == "native" or completion.tool_calls:
                return "native"
    await model.complete(ChatRequest(messages=prompt))
    return "text"
