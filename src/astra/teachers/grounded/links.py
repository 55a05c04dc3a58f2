"""Who can feed whom: which tool's result holds what another tool's parameter needs.

Candidates are looked up by concept, never pair by pair, so that a server of 700 tools takes a second or two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from astra.llm.embed import Embedder
from astra.model import Edge, Evidence, JsonObject, Tool, ToolServer
from astra.model.graph import EvidenceKind
from astra.teachers.grounded.actions import action
from astra.teachers.grounded.concepts import (
    About,
    Concept,
    Field,
    concept,
    head,
    names_owner,
    output_fields,
    read_server,
    value_type,
)
from astra.teachers.questions import ToolLinks

_SOURCES_PER_PARAMETER = 6
_EDGES_PER_SOURCE = 24
_LEAST_WEIGHT = 0.12
_OPTIONAL = 0.35  # what a parameter that may be left out counts, against 1 for a required one
_ECHO = 0.3  # what a field counts that only repeats an argument of its own call
_EMBEDDING = 0.2  # weight of a cosine of 1: enough to break ties, too little to carry an edge
_ROLES = {"source", "target", "before", "after", "base", "old", "parent", "existing", "current", "from", "to", "input"}
_EXISTING = {"source", "parent", "base", "existing", "from", "old"}  # roles of what is there before the call


@dataclass(frozen=True)
class _Need:
    """A parameter that another tool's result may fill."""

    tool: str
    parameter: str
    concept: Concept
    type: str
    enum: bool
    factor: float
    vague: bool  # the name says nothing: the concept is from the tool's description
    text: str


@dataclass(frozen=True)
class _Candidate:
    source: str
    need: _Need
    evidence: Evidence
    text: str  # of the field or, without one, of the source


def link_tools(server: ToolServer, embedder: Embedder | None = None) -> ToolLinks:
    """Edges of one server, strongest evidence first. The embedder only adds to what names and types have found."""
    about = read_server(server)
    needs = [need for tool in server.tools for need in _needs(tool, about[tool.name])]
    candidates = _best_sources([*_from_outputs(server, about, needs), *_from_verbs(server, about, needs)])
    if embedder is not None:
        candidates += list(_seconded(candidates, embedder))
    return ToolLinks(edges=_edges(about, candidates))


def _needs(tool: Tool, about: About) -> Iterator[_Need]:
    for name, schema in tool.properties.items():
        kind = value_type(schema)
        required = name in tool.required
        if kind == "array" and isinstance(schema.get("items"), dict):
            kind = value_type(schema["items"])
        if kind not in ("string", "integer", "number", "any"):
            continue
        found = concept(name, about.entity)
        vague = found is None and required and name.lower() in ("target", "ref", "reference", "id", "identifier")
        if about.kind == "create" and found is not None and _is_yet_to_be_made(head(found), about):
            continue
        factor = 1.0 if required else _OPTIONAL
        text = f"{' '.join(found or ())} {schema.get('description', '')}".strip()
        for one in [(noun,) for noun in about.mentions[1:]] if vague else [found] if found else []:
            yield _Need(tool.name, name, one, kind, "enum" in schema, factor, vague, text)


def _is_yet_to_be_made(subject: Concept, about: About) -> bool:
    return subject[-1:] == about.entity[-1:] and not set(subject) & _EXISTING


def _from_outputs(server: ToolServer, about: dict[str, About], needs: list[_Need]) -> Iterator[_Candidate]:
    """Evidence from documents that say what a tool returns."""
    index: dict[str, list[tuple[Tool, Field]]] = defaultdict(list)
    for tool in server.tools:
        shallow_first = sorted(output_fields(tool, about[tool.name]), key=lambda field: _depth(field.path))
        seen: set[Concept] = set()
        for field in shallow_first:
            if field.concept not in seen:
                seen.add(field.concept)
                index["/".join(field.concept[-2:])].append((tool, field))
                if len(field.concept) > 1:
                    index["/" + field.concept[-1]].append((tool, field))
    for need in needs:
        if need.vague or need.enum:
            continue
        keys = ["/".join(need.concept[-2:])]
        if len(need.concept) == 1:
            keys.append("/" + need.concept[0])
        elif head(need.concept) == need.concept:
            keys.append(need.concept[-1])
        for key in keys:
            for source, field in index[key]:
                weight = _output_weight(about[source.name], source, field, need)
                if weight > 0 and source.name != need.tool:
                    why = f"{source.name} returns {field.path}, which is what {need.parameter} of {need.tool} asks for."
                    text = f"{' '.join(field.concept)} {field.description}"
                    yield _candidate("typed-output", source.name, need, field.path, weight, why, text)


def _output_weight(about: About, source: Tool, field: Field, need: _Need) -> float:
    likeness = _likeness(field.concept, need.concept)
    if likeness == 0 or field.enum or not _compatible(field.type, need.type):
        return 0.0
    subject = head(field.concept)
    own = bool(subject) and subject[-1:] == about.entity[-1:]
    if about.kind == "delete" or (names_owner(field.concept) and not own):
        return 0.0
    weight = likeness * (1.0 if own else 0.6) / (1 + 0.15 * _depth(field.path))
    if _takes(source, about, field.concept) and not (own and about.kind in ("create", "list")):
        weight *= _ECHO
    return weight * need.factor


def _likeness(offered: Concept, needed: Concept) -> float:
    """1 for the same thing; less where one name is more exact than the other; 0 for different things."""
    if offered == needed:
        return 1.0
    shorter, longer = sorted((offered, needed), key=len)
    if longer[-len(shorter) :] != shorter:
        return 0.0
    return 0.7 if set(longer[: -len(shorter)]) <= _ROLES else 0.2


def _takes(tool: Tool, about: About, wanted: Concept) -> bool:
    return any(concept(name, about.entity) == wanted for name in tool.properties)


def _depth(path: str) -> int:
    return path.count(".")


def _compatible(offered: str, needed: str) -> bool:
    if "any" in (offered, needed):
        return True
    numbers = {"integer", "number"}
    return offered == needed or (offered in numbers and needed in numbers)


def _from_verbs(server: ToolServer, about: dict[str, About], needs: list[_Need]) -> Iterator[_Candidate]:
    """Evidence from what tools do: listing or making a thing yields what identifies it."""
    by_noun: dict[str, list[Tool]] = defaultdict(list)
    for tool in server.tools:
        told = about[tool.name]
        if told.kind in ("list", "create", "read"):
            for noun in dict.fromkeys((*told.entity[-1:], *(told.yields if told.kind == "list" else ()))):
                by_noun[noun].append(tool)
    for need in needs:
        subject = head(need.concept)
        for source in by_noun[subject[-1]]:
            if source.name == need.tool:
                continue
            told = about[source.name]
            if action(source.called).kind == "create" and (shared := _shared(source, told, need)) is not None:
                yield shared
            if not _says_what_it_returns(source) and (weight := _verb_weight(source, told, need)) > 0:
                verb = {"list": "lists", "create": "makes", "read": "looks up"}[told.kind]
                why = f"{source.name} {verb} {' '.join(subject)}s; {need.parameter} of {need.tool} asks for one."
                yield _candidate("verb-noun", source.name, need, None, weight, why, source.description)


def _verb_weight(source: Tool, about: About, need: _Need) -> float:
    subject = head(need.concept)
    if need.vague and about.kind != "list":
        return 0.0
    if _takes(source, about, need.concept) and about.kind != "create":
        return 0.0
    weight = {"list": 0.8, "create": 0.7, "read": 0.4}[about.kind]
    if subject != about.entity:
        weight *= 0.8 if subject == about.entity[-len(subject) :] else 0.5
    return weight * need.factor * (0.6 if need.vague else 1.0)


def _shared(source: Tool, about: About, need: _Need) -> _Candidate | None:
    """The thing made is named in the request itself: create_branch(branch_name), then checkout(branch_name)."""
    if need.vague or head(need.concept)[-1:] != about.entity[-1:] or not _takes(source, about, need.concept):
        return None
    why = f"{source.name} makes the {' '.join(head(need.concept))} that {need.parameter} of {need.tool} names."
    return _candidate("shared-entity", source.name, need, None, 0.8 * need.factor, why, source.description)


def _says_what_it_returns(tool: Tool) -> bool:
    """False where there is no output schema, or one that only wraps text."""
    if tool.output is None:
        return False
    properties: JsonObject = tool.output.get("properties", {})
    return bool(set(properties) - {"result", "content", "text", "output", "message"})


def _candidate(
    kind: EvidenceKind, source: str, need: _Need, field: str | None, weight: float, why: str, text: str
) -> _Candidate:
    evidence = Evidence(kind=kind, parameter=need.parameter, field=field, weight=round(weight, 4), why=why)
    return _Candidate(source, need, evidence, text)


def _best_sources(candidates: list[_Candidate]) -> list[_Candidate]:
    """For each parameter its few strongest sources, and of each source the strongest evidence."""
    by_parameter: dict[tuple[str, str], dict[str, _Candidate]] = defaultdict(dict)
    for candidate in candidates:
        best = by_parameter[candidate.need.tool, candidate.need.parameter]
        held = best.get(candidate.source)
        if candidate.evidence.weight >= _LEAST_WEIGHT and (
            held is None or candidate.evidence.weight > held.evidence.weight
        ):
            best[candidate.source] = candidate
    kept: list[_Candidate] = []
    for sources in by_parameter.values():
        ranked = sorted(sources.values(), key=lambda one: (-one.evidence.weight, one.source))
        kept.extend(ranked[:_SOURCES_PER_PARAMETER])
    return kept


def _seconded(candidates: list[_Candidate], embedder: Embedder) -> Iterator[_Candidate]:
    """What the embeddings of both sides add to candidates that are there."""
    texts = list(dict.fromkeys(text for one in candidates for text in (one.text, one.need.text)))
    if not texts:
        return
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    for one in candidates:
        cosine = float(vectors[one.text] @ vectors[one.need.text])
        weight = _EMBEDDING * cosine * one.need.factor
        if round(weight, 4) > 0:
            why = f"What {one.source} gives and what {one.need.parameter} asks for read alike (cosine {cosine:.2f})."
            yield _candidate("embedding", one.source, one.need, one.evidence.field, weight, why, one.text)


def _edges(about: dict[str, About], candidates: list[_Candidate]) -> tuple[Edge, ...]:
    place = {name: position for position, name in enumerate(about)}
    by_pair: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    for one in candidates:
        by_pair[one.source, one.need.tool].append(one.evidence)
    by_source: dict[str, list[Edge]] = defaultdict(list)
    for (source, target), evidence in by_pair.items():
        ranked = tuple(sorted(evidence, key=lambda one: (-one.weight, one.parameter or "", one.kind)))
        weight = round(sum(one.weight for one in ranked), 4)
        by_source[source].append(Edge(source=source, target=target, weight=weight, evidence=ranked))

    def rank(edge: Edge) -> tuple[bool, float, int]:
        same_thing = about[edge.source].entity[-1:] == about[edge.target].entity[-1:]
        return (not same_thing, -edge.weight, place[edge.target])

    edges: list[Edge] = []
    for source in sorted(by_source, key=place.__getitem__):
        kept = sorted(by_source[source], key=rank)[:_EDGES_PER_SOURCE]
        edges.extend(sorted(kept, key=lambda edge: (-edge.weight, place[edge.target])))
    return tuple(edges)
