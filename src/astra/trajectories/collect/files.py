"""A user's files of tool documents and of servers to start."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from astra.engine.files import read_lines
from astra.errors import BadInput, Rejected
from astra.model import Rejection, ServerDocument, ServerLaunch, canonical_json, content_id
from astra.trajectories.collect.json_values import as_json

_FORMS = "a server a line ({name, tools: [...]}), a tools/list answer, or tool documents"


def read_server_documents(path: Path) -> Iterator[ServerDocument | Rejection]:
    """Servers of a JSON or JSONL file (`.gz` too); what is no server or tool document comes as a rejection.

    Bare tool documents are grouped as one server named after the file. Ids are unique: a server that is there twice,
    word for word, is rejected as `duplicate-server`; one that shares only its name gets a number.

    Raises:
        BadInput: no such file, not UTF-8 text, or nothing in it.
    """
    seen: set[str] = set()
    taken: set[str] = set()
    bare: list[Any] = []
    empty = True
    for place, value in _values(path):
        empty = False
        if isinstance(value, Rejection):
            yield value
        elif (tools := _tools_of(value)) is None:
            if isinstance(value, dict) and "name" in value:
                bare.append(value)
            else:
                yield _rejection(place, "not-a-server", f"{place} is neither a server nor a tool document.", value)
        elif (digest := content_id("server", value)) in seen:
            yield _rejection(place, "duplicate-server", f"{place} repeats an earlier server word for word.", value)
        else:
            seen.add(digest)
            yield _server(value, tools, path, taken)
    if empty:
        raise BadInput(f"{path}: nothing in it; expected {_FORMS}")
    if bare:
        yield _server({"name": _stem(path)}, bare, path, taken)


def read_launches(path: Path) -> dict[str, ServerLaunch]:
    """The servers that an `mcpServers` file says how to start, by name.

    Raises:
        BadInput: no such file, no JSON, no `mcpServers`, or an entry without a command.
    """
    text = "".join(line for _, line in read_lines(path))
    try:
        content = json.loads(text)
    except ValueError as error:
        raise BadInput(f"{path}: no JSON ({error})") from None
    entries = content.get("mcpServers") if isinstance(content, dict) else None
    if not isinstance(entries, dict) or not entries:
        raise BadInput(f'{path}: expected {{"mcpServers": {{"<name>": {{"command": ..., "args": [...]}}}}}}')
    launches: dict[str, ServerLaunch] = {}
    for name, entry in entries.items():
        known = {k: v for k, v in entry.items() if k in ServerLaunch.model_fields} if isinstance(entry, dict) else {}
        if not isinstance(known.get("command"), str) or not known["command"]:
            raise BadInput(f"{path}: mcpServers.{name}.command: there is no program to start")
        try:
            launches[name] = ServerLaunch.model_validate(known)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise BadInput(f"{path}: mcpServers.{name}.{where}: {first['msg']}") from None
    return launches


def _values(path: Path) -> Iterator[tuple[str, Any]]:
    """Each value of the file with its place in words; a whole JSON document's list is taken apart."""
    lines = list(read_lines(path))
    whole = _parsed("".join(line for _, line in lines))
    if whole is not None and not (len(lines) == 1 and isinstance(whole, dict)):
        listed = whole if isinstance(whole, list) else [whole]
        places = [f"{path.name}, entry {position}" for position in range(1, len(listed) + 1)]
    else:
        listed = [_parsed(line) for _, line in lines]
        places = [f"{path.name}, line {number}" for number, _ in lines]
    for place, value in zip(places, listed, strict=True):
        if value is None:
            yield place, _rejection(place, "not-json", f"{place} is no JSON.", None)
            continue
        try:
            yield place, as_json(value)
        except Rejected as why:
            yield place, _rejection(place, why.reason, f"{place}: {why.sentence}", None)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _tools_of(value: Any) -> list[Any] | None:
    """The tool documents of a server, a `tools/list` answer or a list of tools; None if it is none of these."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("result"), dict):  # JSON-RPC
        value = value["result"]
    return value["tools"] if isinstance(value.get("tools"), list) else None


def _server(value: Any, tools: list[Any], path: Path, taken: set[str]) -> ServerDocument:
    fields = value if isinstance(value, dict) else {}
    name = _text(fields.get("name")) or _stem(path)
    identity, count = name, 1
    while identity in taken:
        count += 1
        identity = f"{name} ({count})"
    taken.add(identity)
    crawled = fields.get("document_source") == "crawled"
    return ServerDocument(
        id=identity,
        name=name,
        description=_text(fields.get("description")),
        domain=_text(fields.get("domain")) or "general",
        origin="registry" if crawled else "file",
        documents=tuple(tools),
    )


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _stem(path: Path) -> str:
    return path.name.split(".")[0] or path.name


def _rejection(place: str, reason: str, sentence: str, value: Any) -> Rejection:
    detail = None if value is None else canonical_json(value)[:500]
    return Rejection(stage="documents", item=place, reason=reason, sentence=sentence, detail=detail)
