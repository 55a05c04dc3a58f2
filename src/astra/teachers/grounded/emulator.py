"""A stateful stand-in for a server that is known by its documents alone.

A world is a function of the session's seed and of the calls so far: what was created can be read, listed, changed and
deleted; what was deleted is gone; and any field of any record has the same value each time it is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from astra.model import JsonObject, Tool, seeded
from astra.model.words import identifier_words, singular
from astra.teachers.grounded.actions import Action, action, identified
from astra.teachers.grounded.values import example, fits, identifier
from astra.teachers.questions import AnswerCall, CallAnswer, PastCall

_INITIAL = 2  # records of each entity that are there before the first call
_DEPTH = 5
_MOST_ITEMS = 5  # elements of an array that is no list of records


@dataclass
class _Record:
    """One thing in the world. Fields not written down are worked out from `key`."""

    key: str
    fields: dict[str, Any] = field(default_factory=dict)  # by folded field name
    deleted: bool = False


@dataclass
class _Entity:
    records: list[_Record]


def answer_call(question: AnswerCall) -> CallAnswer:
    """What the tool returns after everything that the session has called before."""
    world = _World(question.seed, question.server.tools)
    for past in question.history:
        if past.failure is None:
            world.apply(past)
    act = action(question.tool.called)
    record = world.addressed(act, question.arguments)
    if record is not None and record.deleted and act.kind != "create":
        wanted = next(iter(world.identifiers(act, question.arguments)))[2]
        return CallAnswer(error=f"ResourceNotFoundException: there is no {act.entity or 'resource'} {wanted!r}")
    world.apply(PastCall(tool=question.tool.called, arguments=question.arguments, result=None))
    if act.kind == "list":
        shown = [one for one in world.entity(act.entity).records if not one.deleted]
    else:
        shown = [world.addressed(act, question.arguments) or world.latest(act.entity)]
    return CallAnswer(result=_Writer(world, act, question.arguments, shown).result(question.tool))


class _World:
    def __init__(self, seed: str, tools: Sequence[Tool]) -> None:
        self.seed = seed
        self._entities: dict[str, _Entity] = {}
        self._forms: dict[tuple[str, str], JsonObject] = {}  # what an identifier must look like to be accepted
        for tool in tools:
            for name, schema in tool.properties.items():
                if (found := identified(name)) is not None and schema.get("type") == "string":
                    self._forms.setdefault((found[0] or action(tool.called).entity, found[1]), schema)

    def entity(self, name: str) -> _Entity:
        if name not in self._entities:
            self._entities[name] = _Entity([_Record(f"{name}/{place}") for place in range(_INITIAL)])
        return self._entities[name]

    def latest(self, name: str) -> _Record:
        """The record that a call addresses when it names none: the last one touched, or a new one."""
        alive = [record for record in self.entity(name).records if not record.deleted]
        if not alive:
            alive = [self._adopted(name, f"{name}/new")]
        return alive[-1]

    def apply(self, call: PastCall) -> None:
        """Let a call have its effect."""
        act = action(call.tool)
        record = self.addressed(act, call.arguments)
        if act.kind == "create" and (record is None or record.deleted):
            record = self._adopted(act.entity, f"{act.entity}/made/{len(self.entity(act.entity).records)}")
        if record is None:
            return
        if act.kind in ("create", "update"):
            record.fields.update({_folded(name): value for name, value in call.arguments.items()})
        elif act.kind == "delete":
            record.deleted = True

    def identifiers(self, act: Action, arguments: JsonObject) -> Iterator[tuple[str, str, Any]]:
        """(entity, sort, value) of the arguments that name a record of the entity acted on."""
        for name, value in arguments.items():
            found = identified(name)
            if found is None and singular(" ".join(identifier_words(name))) == act.entity:
                found = ("", "name")  # `bucket` of delete_bucket
            if (
                found is not None
                and isinstance(value, str | int)
                and (found[0] in ("", act.entity) or act.entity.endswith(found[0]))
            ):
                yield act.entity, found[1], value

    def addressed(self, act: Action, arguments: JsonObject) -> _Record | None:
        """The record that the arguments name; one that no one has heard of is taken to have been there."""
        for entity, sort, value in self.identifiers(act, arguments):
            for record in self.entity(entity).records:
                if self.identity(record, entity, sort) == str(value):
                    return record
            if act.kind != "create":
                record = self._adopted(entity, f"{entity}/given/{value}")
                record.fields[sort] = value
                return record
        return None

    def identity(self, record: _Record, entity: str, sort: str) -> str:
        for name in (_folded(f"{entity} {sort}"), sort, _folded(entity)):
            if name in record.fields:
                return str(record.fields[name])
        rng = seeded(self.seed, record.key, sort)
        form = self._forms.get((entity, sort))
        made = example(f"{entity} {sort}", form, rng) if form is not None and sort != "name" else None
        return str(made) if made is not None else identifier(entity, sort, rng)

    def _adopted(self, entity: str, key: str) -> _Record:
        record = _Record(key)
        self.entity(entity).records.append(record)
        return record


class _Writer:
    """Writes a result of the shape that the tool's document promises."""

    def __init__(self, world: _World, act: Action, arguments: JsonObject, shown: list[_Record]) -> None:
        self._world = world
        self._act = act
        self._arguments = {_folded(name): value for name, value in arguments.items()}
        self._shown = shown

    def result(self, tool: Tool) -> Any:
        if tool.output is not None:
            return self._value("", tool.output, self._shown[0] if self._shown else None, "", 0)
        if self._act.kind == "list":
            plural = "_".join(self._act.entity.split()) or "item"
            return {f"{plural}_list": [self._plain(record) for record in self._shown], "count": len(self._shown)}
        return self._plain(self._shown[0])

    def _plain(self, record: _Record) -> JsonObject:
        """A record where no document says what it looks like."""
        entity = self._act.entity
        name = "_".join(entity.split()) or "item"
        identity = self._world.identity(record, entity, "id")
        shown: JsonObject = {f"{name}_id": identity, "name": self._world.identity(record, entity, "name")}
        known = {**(self._arguments if self._act.kind != "list" else {}), **record.fields}
        shown.update({key: value for key, value in known.items() if key not in shown and not isinstance(value, dict)})
        shown["status"] = "deleted" if record.deleted else "active"
        return shown

    def _value(self, name: str, schema: JsonObject, record: _Record | None, path: str, depth: int) -> Any:
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(kind, list):
            kind = next((one for one in kind if one != "null"), "string")
        if kind == "object" and depth < _DEPTH:
            return {
                key: value
                for key, part in schema.get("properties", {}).items()
                if (value := self._value(key, part, record, f"{path}.{key}", depth + 1)) is not None
            }
        if kind == "array" and depth < _DEPTH:
            return self._array(name, schema, record, path, depth)
        return self._scalar(name, schema, record, path)

    def _array(self, name: str, schema: JsonObject, record: _Record | None, path: str, depth: int) -> list[Any]:
        items = schema.get("items") or {}
        of_this_entity = self._act.kind == "list" and record in self._shown[:1] and "[" not in path
        rows = self._shown if of_this_entity else [record] * max(1, min(int(schema.get("minItems", 1)), _MOST_ITEMS))
        made = [self._value(name, items, row, f"{path}[{place or ''}]", depth + 1) for place, row in enumerate(rows)]
        return [value for value in made if value is not None]

    def _scalar(self, name: str, schema: JsonObject, record: _Record | None, path: str) -> Any:
        folded = _folded(name)
        parts = identifier_words(name)
        if parts and parts[0] in ("next", "continuation", "page") and parts[-1] in ("token", "marker", "cursor"):
            return None  # everything fits on one page
        for known in (record.fields if record is not None else {}, self._arguments):
            if folded in known and fits(known[folded], schema):
                return known[folded]
        key = record.key if record is not None else "none"
        found = identified(name)
        if found is not None and record is not None and schema.get("type", "string") == "string":
            entity, sort = found
            if entity in ("", self._act.entity) or self._act.entity.endswith(entity):
                value = self._world.identity(record, self._act.entity, sort)
                if fits(value, schema):
                    return value
        return example(name, schema, seeded(self._world.seed, key, path))


def _folded(name: str) -> str:
    """`BucketName`, `bucket_name` -> "bucketname"."""
    return "".join(identifier_words(name))
