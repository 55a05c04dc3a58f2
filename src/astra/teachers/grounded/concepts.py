"""What a name stands for: so that `TableNames[]`, `Table.Name` and `table_name` are seen to be the same thing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from astra.model import JsonObject, Tool, ToolServer
from astra.model.words import identifier_words, singular, singular_words
from astra.teachers.grounded.actions import Kind, action

Concept = tuple[str, ...]
"""Singular words, most specific last but for the sort of identifier: ("table",), ("pull", "request", "id")."""

_SYNONYMS = {
    "repo": "repository",
    "org": "organization",
    "organisation": "organization",
    "env": "environment",
    "db": "database",
    "dir": "directory",
    "revision": "commit",
    "sha": "commit",
    "identifier": "id",
    "uuid": "id",
    "guid": "id",
}
_SORTS = {"id", "arn", "key", "slug", "number", "url", "uri"}
_WRAPPERS = set(
    "list set summary detail description info information metadata result item data object response output entry "
    "record content element page row collection value body payload".split()
)
# Names that say nothing of what they hold, or hold what no other tool should be given.
_GENERIC = set(
    "id name arn key type status state description tag label token marker cursor limit offset page count total size "
    "message text content body query comment note title prompt data value result output input format filter sort order "
    "version time date timestamp created updated region enabled option config setting metadata attribute property "
    "mode kind category level reason error success code default language summary detail item list "
    "resource object entity source target reference ref field parameter argument number amount index unit".split()
)
_MECHANICS = set(
    "token marker cursor exclusive new dry page max min limit offset tag timestamp idempotency pagination "
    "request password secret "
    "count total size timeout version created updated modified".split()
)
_OWNERS = {("owner", "id"), ("account", "id"), ("aws", "account", "id"), ("owner",), ("account",), ("user", "id")}
_PREPOSITION = re.compile(
    r"\b(?:of|for|between|in|on|by|from|with|to|that|which|given|using|based|within|about|via|at|into)\b"
)
_COMPLEMENT = {"from", "for", "with", "by", "to", "in", "of", "using", "on"}
_FIRST_SENTENCE = re.compile(r"[.\n;:(]")


@dataclass(frozen=True)
class About:
    """What a tool does to what, from its name and, where that says nothing, its description."""

    kind: Kind
    entity: Concept
    yields: Concept  # further nouns that it lists or makes, as its description says
    mentions: Concept  # all words of the description's first sentence, singular


@dataclass(frozen=True)
class Field:
    """One value in a tool's result."""

    path: str
    concept: Concept
    type: str
    enum: bool
    description: str


def read_server(server: ToolServer) -> dict[str, About]:
    """What each tool is about, by name. A first word that most tools share names the server, not a thing."""
    firsts = Counter((identifier_words(tool.called) or ("",))[0] for tool in server.tools)
    first, count = firsts.most_common(1)[0]
    prefix = first if len(server.tools) > 2 and count > 0.6 * len(server.tools) else None
    if prefix is not None and action(prefix).verb is not None:
        prefix = None  # "get" in front of most tools is a verb all the same
    return {tool.name: _about(tool, prefix) for tool in server.tools}


def _about(tool: Tool, prefix: str | None) -> About:
    named = action(tool.called)
    words = [word for word in named.entity.split() if word != prefix]
    cut = next((place for place, word in enumerate(words) if place and word in _COMPLEMENT), len(words))
    sentence = _FIRST_SENTENCE.split(tool.description, maxsplit=1)[0]
    told = [_canonical(word) for word in singular_words(sentence)]
    kind = named.kind
    verb = action(f"{told[0]}_x").kind if told else "other"
    if kind == "other" or named.verb == "log":
        kind = verb
    shown = _PREPOSITION.split(re.sub(r"^(\w+) for\b", r"\1", sentence.lower()), maxsplit=1)[0]
    if kind == "read" and (_is_plural(tool.called) or _is_plural(shown)):
        kind = "list"  # get_issues lists; so does what "shows the commit logs"
    yields = tuple(_canonical(word) for word in singular_words(shown)[1:])
    entity = tuple(_canonical(word) for word in words[:cut] if word != "v" and not word.isdigit())
    return About(kind, entity, yields, tuple(told))


def _is_plural(text: str) -> bool:
    words = identifier_words(text)
    return bool(words) and singular(words[-1]) != words[-1] and singular(words[-1]) not in _WRAPPERS


def _canonical(word: str) -> str:
    return _SYNONYMS.get(word, word)


@lru_cache(maxsize=65536)
def concept(name: str, entity: Concept) -> Concept | None:
    """What a parameter or field of this name holds; None if the name is too general to tell.

    Args:
        entity: what a bare `id` or `name` would be of.
    """
    words = [_canonical(word) for word in singular_words(name)]
    while len(words) > 1 and words[-1] in ("list", "set"):
        words.pop()
    if not words or set(words) & _MECHANICS:
        return None
    last = words[-1]
    if last == "name" or last in _SORTS:
        head = tuple(words[:-1]) or entity
        if not head or head in (("resource",), ("item",), ("object",)):
            return None
        return head if last == "name" else (*head, last)
    if len(words) == 1 and last in _GENERIC:
        return None
    return None if last in ("status", "state", "type", "description", "time", "date", "at") else tuple(words)


def head(found: Concept) -> Concept:
    """What the concept identifies, without the sort of identifier."""
    return found[:-1] if found[-1] in _SORTS and len(found) > 1 else found


def names_owner(found: Concept) -> bool:
    """True of what every record carries: whose it is."""
    return found in _OWNERS


def output_fields(tool: Tool, about: About) -> list[Field]:
    """Values that the tool's document says it returns; empty where it says nothing that carries meaning."""
    if tool.output is None:
        return []
    return list(_fields(tool.output, "", (), about.entity, 0))[:400]


def _fields(
    schema: JsonObject, path: str, name: Concept | tuple[str, ...], owner: Concept, depth: int
) -> Iterator[Field]:
    kind = value_type(schema)
    if depth > 6:
        return
    if kind == "object":
        for key, part in schema.get("properties", {}).items():
            inner = f"{path}.{key}" if path else key
            yield from _fields(part, inner, (key,), _container(name, owner), depth + 1)
    elif kind == "array" and isinstance(schema.get("items"), dict):
        yield from _fields(schema["items"], f"{path}[]", name, owner, depth)
    elif name and (found := concept(name[0], owner)) is not None:
        yield Field(path, found, kind, "enum" in schema, schema.get("description", ""))


def _container(name: Concept, owner: Concept) -> Concept:
    """What the fields of this object are of: its name without wrapping words, else what holds it."""
    words = [_canonical(word) for word in singular_words(name[0])] if name else []
    while words and words[-1] in _WRAPPERS:
        words.pop()
    return tuple(words) or owner


def value_type(schema: JsonObject) -> str:
    """The one JSON type of a schema; "any" if it has none or several."""
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = [one for one in kind if one != "null"]
        kind = kinds[0] if len(kinds) == 1 else None
    if kind is None and isinstance(schema.get("anyOf"), list):
        arms = [value_type(arm) for arm in schema["anyOf"] if arm != {"type": "null"}]
        kind = arms[0] if len(set(arms)) == 1 else None
    if kind is None and "properties" in schema:
        kind = "object"
    return kind if isinstance(kind, str) else "any"
