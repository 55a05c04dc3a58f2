"""What an episode calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from jsonschema import Draft202012Validator

from astra.model import Failure, JsonObject, Observation, Tool, ToolCall
from astra.model.schemas import SchemaValidator


class Environment(Protocol):
    """Answers tool calls in one episode."""

    name: str  # "arena:<id>", "emulator:<server>", "mcp:<server>"

    @property
    def tools(self) -> Sequence[Tool]: ...

    async def call(self, call: ToolCall) -> Observation:
        """What comes back; a tool's failure is an observation.

        Raises:
            InfrastructureFailed: the environment itself gave way.
        """
        ...


class CallDesk:
    """Receives raw calls for a set of tools: what is no proper call is answered here, as a server would."""

    def __init__(self, source: str, tools: Sequence[Tool]) -> None:
        self.source = source
        self._tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self._validators: dict[str, Draft202012Validator] = {}

    def receive(self, call: ToolCall) -> tuple[Tool, JsonObject] | Observation:
        """The tool and its arguments, or the refusal for the policy to read."""
        tool = self._tools.get(call.name)
        if tool is None:
            return self.refuse(call, Failure.UNKNOWN_TOOL, f"Unknown tool: {call.name}")
        try:
            arguments = json.loads(call.arguments)
        except (ValueError, RecursionError) as error:
            return self.refuse(call, Failure.MALFORMED, f"The arguments are not valid JSON: {error}")
        if not isinstance(arguments, dict):
            return self.refuse(call, Failure.MALFORMED, "The arguments must be a JSON object")
        if complaint := self._complaint(tool, arguments):
            return self.refuse(call, Failure.BAD_ARGUMENTS, f"Invalid arguments for {tool.name}: {complaint}")
        return tool, arguments

    def refuse(self, call: ToolCall, failure: Failure, message: str) -> Observation:
        content = json.dumps({"error": message}, ensure_ascii=False)
        return Observation(call_id=call.id, tool=call.name, content=content, failure=failure, source=self.source)

    def deliver(self, call: ToolCall, result: Any) -> Observation:
        content = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        return Observation(call_id=call.id, tool=call.name, content=content, result=result, source=self.source)

    def _complaint(self, tool: Tool, arguments: JsonObject) -> str | None:
        validator = self._validators.get(tool.name)
        if validator is None:
            validator = self._validators[tool.name] = SchemaValidator(tool.parameters)
        if unknown := [name for name in arguments if tool.properties and name not in tool.properties]:
            return f"unexpected argument {unknown[0]!r}"
        error = next(validator.iter_errors(arguments), None)
        if error is None:
            return None
        where = "/".join(str(part) for part in error.absolute_path)
        return f"{where}: {error.message}" if where else str(error.message)
