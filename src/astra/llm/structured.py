"""Answers of a type: asked for by schema, read from whatever comes, and asked for again if they don't fit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from astra.errors import Rejected
from astra.llm.chat import ChatModel, ChatRequest, Completion
from astra.llm.endpoint import StructuredMode
from astra.model.base import JsonObject

A = TypeVar("A", bound=BaseModel)

REPAIRS = 2
"""How often a model is told what was wrong with its answer."""

_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_SHOWN_ERRORS = 5
_KEPT_RAW = 4000  # characters of an unusable answer that its rejection keeps


async def ask(
    model: ChatModel,
    messages: tuple[JsonObject, ...],
    answer: type[A],
    *,
    mode: StructuredMode,
    sample: int = 0,
    temperature: float | None = None,
    repairs: int = REPAIRS,
) -> A:
    """The model's answer as an `answer`.

    Raises:
        Rejected: `unusable-answer`, with the raw text, after `repairs` further tries.
    """
    for left in range(repairs, -1, -1):
        completion = await model.complete(
            ChatRequest(
                messages=messages,
                response_format=response_format(answer, mode),
                sample=sample,
                temperature=temperature,
            )
        )
        try:
            return read_answer(completion, answer)
        except _Unusable as error:
            if not left:
                sentence = f"{model.name} gave no usable {answer.__name__} in {repairs + 1} tries: {error}"
                raise Rejected("unusable-answer", sentence, completion.content[:_KEPT_RAW]) from None
            messages = (
                *messages,
                {"role": "assistant", "content": completion.content or "(nothing)"},
                {"role": "user", "content": f"That can't be used: {error}\nAnswer again, with the JSON object alone."},
            )
    raise AssertionError("unreachable")


def response_format(answer: type[BaseModel], mode: StructuredMode) -> JsonObject | None:
    """The request's field that holds the server to the answer's schema, in the way that the server knows."""
    if mode == "json_schema":
        return {
            "type": "json_schema",
            "json_schema": {"name": answer.__name__, "schema": answer.model_json_schema(), "strict": False},
        }
    return {"type": "json_object"} if mode == "json_object" else None


class _Unusable(Exception):
    """The text holds no such answer; the message is for the model to read."""


def read_answer(completion: Completion, answer: type[A]) -> A:
    """The answer that a completion's text holds.

    Raises:
        _Unusable: there is none in it, or it was cut off: half an answer is none, even if it could be mended.
    """
    if completion.finish == "length":
        raise _Unusable("it was cut off at the limit of tokens; be shorter.")
    wrong = "it holds no JSON object."
    for value in _objects(completion.content):
        try:
            return answer.model_validate(value)
        except ValidationError as error:
            wrong = _listed(error)
    raise _Unusable(wrong)


def _objects(text: str) -> Iterator[Any]:
    """JSON objects in a text, the likeliest first: all of it, a fenced block, what stands between braces, mended."""
    spans = [text.strip(), *(match.group(1) for match in reversed(list(_FENCE.finditer(text)))), *_braced(text)]
    for span in spans:
        try:
            value = json.loads(span)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value
    for span in _braced(text):
        if isinstance(value := _mended(span), dict):
            yield value


def _mended(span: str) -> Any:
    import json_repair

    try:
        return json_repair.loads(span, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None


def _braced(text: str) -> list[str]:
    """Spans from an opening brace to the one that closes it, longest first; one that is never closed is none."""
    spans: list[str] = []
    start = depth = 0
    in_string = False
    skip = False
    for place, char in enumerate(text):
        if skip:
            skip = False
        elif in_string:
            skip = char == "\\"
            in_string = char != '"'
        elif char == '"' and depth:
            in_string = True
        elif char == "{":
            start = place if not depth else start
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if not depth:
                spans.append(text[start : place + 1])
    return sorted(spans, key=len, reverse=True)


def _listed(error: ValidationError) -> str:
    """What is wrong, field by field, for the model to read."""
    lines = [
        f"- {'.'.join(str(part) for part in one['loc']) or 'the object'}: {one['msg']}"
        for one in error.errors(include_url=False)[:_SHOWN_ERRORS]
    ]
    return "\n".join(["it does not fit the schema:", *lines])
