"""Tool documents and the servers they come from."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from astra.model.base import JsonObject, Noun

Origin = Literal["botocore", "mcp", "registry", "file", "arena", "joined"]


class Tool(Noun):
    """One function that a model may call, in OpenAI function style."""

    name: str  # legal for OpenAI: [a-zA-Z0-9_-]{1,64}, unique in its server
    description: str
    parameters: JsonObject  # JSON Schema of an object, self-contained: no $ref
    output: JsonObject | None = None  # JSON Schema of the result, where the document has one
    original_name: str | None = None  # the name to call it by, where `name` had to be repaired
    repairs: tuple[str, ...] = ()  # what the normaliser changed, a phrase each

    @property
    def called(self) -> str:
        """The name that the server itself knows."""
        return self.original_name or self.name

    @property
    def properties(self) -> JsonObject:
        return self.parameters.get("properties", {})  # type: ignore[no-any-return]

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(self.parameters.get("required", ()))

    def document(self) -> JsonObject:
        """The tool as an OpenAI request carries it."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}


class ServerLaunch(Noun):
    """How to start a server that can be called: one entry of an `mcpServers` file.

    Command, arguments and environment may hold keys and paths: they are never written as JSON, so no product and no
    ledger has them. Who starts a server reads them from the file again.
    """

    command: str = Field(default="", exclude=True, repr=False)
    args: tuple[str, ...] = Field(default=(), exclude=True, repr=False)
    env: dict[str, str] = Field(default_factory=dict, exclude=True, repr=False)
    scratch: Literal["empty", "git"] = "empty"  # what the episode's own working folder holds at the start
    stateful: bool = True  # False: one process may serve many episodes
    emulated: tuple[str, ...] = ()  # tools that are never called for real: what they do can't be undone
    values: dict[str, tuple[Any, ...]] = Field(
        default_factory=dict
    )  # "parameter" or "tool.parameter" -> values that work


class ServerDocument(Noun):
    """One origin's tool documents as found, in whatever form, before the normaliser has seen them."""

    id: str  # unique in its run
    name: str
    description: str = ""
    domain: str = "general"
    origin: Origin
    documents: tuple[object, ...]  # raw; anything at all may stand here
    launch: ServerLaunch | None = None


class ToolServer(Noun):
    """Normalised tools of one origin."""

    id: str
    name: str
    description: str = ""
    domain: str = "general"
    origin: Origin
    tools: tuple[Tool, ...]
    launch: ServerLaunch | None = None  # None: known by its documents alone
    parts: tuple[ToolServer, ...] = ()  # of a joined server, whose tools are theirs, in order

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)

    def part_of(self, name: str) -> tuple[ToolServer, Tool]:
        """The part that a tool of a joined server is from, with the tool as that part knows it.

        Raises:
            KeyError: there is no such tool.
        """
        theirs = ((part, tool) for part in self.parts for tool in part.tools)
        for mine, (part, tool) in zip(self.tools, theirs, strict=True):
            if mine.name == name:
                return part, tool
        raise KeyError(name)
