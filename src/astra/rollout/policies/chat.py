"""A chat endpoint as a policy."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from astra.llm.chat import ChatModel, ChatRequest
from astra.llm.endpoint import ToolMode
from astra.model import JsonObject, Message, Tool, ToolCall

_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_BY_TEXT = """\
You can call these tools:
<tools>
{tools}
</tools>
To call one, write, for each call:
<tool_call>{{"name": "<tool>", "arguments": {{...}}}}</tool_call>
The answers come back in <tool_response>. When you are done, answer without a call."""


class ChatPolicy:
    """Asks a model for the next assistant message.

    Args:
        mode: "native": the server knows tool calls; "text": they are written as text and read from it.
        temperature: None: the endpoint's.
        sample: tells apart several tries at one task.
    """

    def __init__(self, model: ChatModel, *, mode: ToolMode, temperature: float | None = None, sample: int = 0) -> None:
        self.name = model.name
        self._model = model
        self._mode = mode
        self._temperature = temperature
        self._sample = sample

    async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        native = self._mode == "native"
        documents = tuple(tool.document() for tool in tools)
        completion = await self._model.complete(
            ChatRequest(
                messages=_shown(messages) if native else _as_text(messages, documents),
                tools=documents if native else (),
                temperature=self._temperature,
                sample=self._sample,
            )
        )
        calls, content = (completion.tool_calls, completion.content) if native else read_calls(completion.content)
        return Message(
            role="assistant", content=content or None, reasoning=completion.reasoning, tool_calls=tuple(calls)
        )


def _shown(messages: Sequence[Message]) -> tuple[JsonObject, ...]:
    """The conversation without what the model thought in earlier turns."""
    return tuple(message.model_copy(update={"reasoning": None}).to_openai() for message in messages)


def _as_text(messages: Sequence[Message], documents: Sequence[JsonObject]) -> tuple[JsonObject, ...]:
    listed = "\n".join(json.dumps(document, ensure_ascii=False) for document in documents)
    shown: list[JsonObject] = []
    for message in messages:
        content = message.content or ""
        if message.role == "system":
            shown.append({"role": "system", "content": f"{content}\n\n{_BY_TEXT.format(tools=listed)}"})
        elif message.role == "tool":
            shown.append({"role": "user", "content": f"<tool_response>{content}</tool_response>"})
        else:
            calls = [f"<tool_call>{_written(call)}</tool_call>" for call in message.tool_calls]
            shown.append(
                {"role": message.role, "content": "\n".join([content, *calls] if content else calls) or content}
            )
    return tuple(shown)


def _written(call: ToolCall) -> str:
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = call.arguments
    return json.dumps({"name": call.name, "arguments": arguments}, ensure_ascii=False)


def read_calls(text: str) -> tuple[list[ToolCall], str]:
    """(calls written in a text, the text without them). What is no JSON is a call all the same: of nothing."""
    calls: list[ToolCall] = []
    for match in _CALL.finditer(text):
        body = match.group(1).strip()
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        name = value.get("name") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(name, str):
            calls.append(ToolCall(id="", name="", arguments=body))
            continue
        arguments = value.get("arguments", {})
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        calls.append(ToolCall(id="", name=name, arguments=written))
    return calls, _CALL.sub("", text).strip()
