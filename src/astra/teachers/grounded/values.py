"""Concrete values for schemas, chosen by name and type and held against the schema."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from typing import Any

from astra.model import JsonObject
from astra.model.schemas import SchemaValidator, matches
from astra.model.words import identifier_words
from astra.teachers.grounded.actions import identified

_DEPTH = 4
_SPAN = 50.0  # how far from its lower bound a number is drawn
_LONGEST = 2000  # characters that a value may be asked to have
_ALPHABETS = ("abcdefghijkmnpqrstuvwxyz23456789", "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", "0123456789", "0123456789abcdef")
_LITERAL_START = re.compile(r"\^?\(?([\w:/-]+(?![?*+{|\w:/-]))")
_LENGTHS = (10, 8, 12, 6, 4, 16, 20, 24, 26, 32, 36, 40, 64)

# By the last word of a name that tells; earlier entries win.
_STRINGS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("email", "mail", "recipient"), ("ines.okafor@example.org", "lars.holm@example.org", "mei.tan@example.org")),
    (("url", "uri", "link", "website", "endpoint", "webhook"), ("https://example.org/harbour", "https://example.com/status")),
    (("timezone", "tz"), ("Europe/Lisbon", "Asia/Tokyo", "America/Bogota")),
    (("region", "regions"), ("eu-west-1", "us-east-2", "ap-south-1")),
    (("city", "location", "place", "address", "destination", "origin"), ("Porto", "Bergen", "Cartagena", "Osaka")),
    (("country", "nation"), ("Portugal", "Norway", "Colombia")),
    (("currency",), ("EUR", "NOK", "COP")),
    (("language", "lang", "locale"), ("en", "pt", "nb")),
    (("symbol", "ticker", "coin", "token"), ("ACME", "NORD", "TIDE")),
    (("date", "day", "since", "until", "from", "to", "start", "end"), ("2026-03-14", "2026-04-02", "2026-05-21")),
    (("time",), ("09:30", "14:05", "18:45")),
    (("phone", "telephone"), ("+351210000000", "+4722000000")),
    (("ip",), ("192.0.2.17", "198.51.100.4")),
    (("cidr",), ("192.0.2.0/24", "198.51.100.0/24")),
    (("arn",), ("arn:aws:iam::123456789012:role/harbour-reader",)),
    (("account",), ("123456789012",)),
    (("path", "file", "filename", "directory", "folder", "prefix"), ("reports/berths.csv", "logs/march.txt")),
    (("query", "search", "keyword", "keywords", "term", "q", "question", "topic", "prompt"),
     ("tide tables for small harbours", "night ferry timetable", "sea level records")),
    (("sql",), ("SELECT name FROM berths LIMIT 5",)),
    (("code", "script", "expression", "formula"), ("2 * (3 + 4)", "17 * 6")),
    (("version",), ("1.4.0", "2.0.1")),
    (("title", "subject", "headline"), ("Harbour report for March", "Spring tide notice")),
    (("description", "text", "message", "content", "comment", "body", "note", "notes", "reason", "summary", "data"),
     ("Berth 4 is free from Monday.", "The night ferry leaves from pier 2.", "Depth checked after the storm.")),
    (("user", "username", "owner", "author", "person", "customer"), ("ines.okafor", "lars.holm", "mei.tan")),
    (("color", "colour"), ("teal", "amber")),
    (("status", "state"), ("active", "open")),
    (("type", "kind", "category", "format", "mode"), ("standard", "basic")),
)  # fmt: skip
_NOUNS = ("harbour", "tide", "lantern", "kestrel", "meridian", "aurora", "pier", "beacon")
_SPARE = (
    "harbour-7", "harbour7", "Harbour", "HARBOUR", "h7", "a", "1", "12", "123456789012", "0a1b2c3d4e5f6071",
    "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", "a1b2c3d4e5f60718293a4b5c6d7e8f90", "i-0a1b2c3d4e5f60718", "/harbour",
    "/harbour/", "arn:aws:service:eu-west-1:123456789012:resource/harbour-7", "https://example.org/harbour",
    "s3://harbour-data/reports", "A1B2C3D4E5", "2026-03-14", "2026-03-14T09:30:00Z", "09:30", "1.0", "en-GB",
)  # fmt: skip


def example(name: str, schema: JsonObject, rng: random.Random) -> Any | None:
    """A plausible value for a parameter or field; None if none is found that the schema admits."""
    value = _made(name, schema, rng, 0)
    return value if value is not None and fits(value, schema) else None


def fits(value: Any, schema: JsonObject) -> bool:
    return bool(SchemaValidator(schema).is_valid(value))


def identifier(entity: str, sort: str, rng: random.Random) -> str:
    """An identifier of some record: of the sorts "id", "arn", "name", "url" and the like."""
    slug = "-".join(entity.split()) or "item"
    digits = f"{rng.randrange(16**8):08x}"
    if sort == "arn":
        return f"arn:aws:harbour:eu-west-1:123456789012:{slug}/{digits}"
    if sort == "name":
        return f"{rng.choice(_NOUNS)}-{slug}-{rng.randint(2, 98)}"
    if sort == "url":
        return f"https://example.org/{slug}/{digits}"
    if sort == "number":
        return str(rng.randint(10_000, 99_999))
    return f"{slug}-{digits}"


def _made(name: str, schema: JsonObject, rng: random.Random, depth: int) -> Any | None:
    if "const" in schema:
        return schema["const"]
    for key in ("enum", "examples"):
        if schema.get(key):
            return rng.choice([value for value in schema[key] if value is not None] or [None])
    for key in ("anyOf", "oneOf"):
        for arm in schema.get(key, ()):
            if arm.get("type") != "null" and (value := _made(name, arm, rng, depth)) is not None:
                return value
    kind = schema.get("type", "string" if "properties" not in schema else "object")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in ("integer", "number"):
        return _number(name, schema, rng, whole=kind == "integer")
    if kind == "string":
        return _string(name, schema, rng)
    if depth >= _DEPTH:
        return None
    return _array(name, schema, rng, depth) if kind == "array" else _object(schema, rng, depth)


def _number(name: str, schema: JsonObject, rng: random.Random, *, whole: bool) -> float | None:
    try:
        low, high = _bounds(schema)
        if identifier_words(name)[-1:] in (("lat",), ("latitude",)):
            low, high = max(low, -60.0), min(high, 60.0)
        value = low + min(high - low, _SPAN) * rng.uniform(0.1, 0.9)
        if step := schema.get("multipleOf"):
            value = round(value / step) * step
        return math.ceil(value) if whole else round(value, 2)
    except (OverflowError, ValueError):  # bounds beyond what a float can hold
        return None


def _bounds(schema: JsonObject) -> tuple[float, float]:
    """Lower and upper bound; where one is missing, some way from the other."""
    low = next((float(schema[key]) for key in ("minimum", "exclusiveMinimum") if key in schema), None)
    high = next((float(schema[key]) for key in ("maximum", "exclusiveMaximum") if key in schema), None)
    if low is None:
        low = 0.0 if high is None or high > 0 else high - _SPAN
    return low, low + _SPAN if high is None else high


def _string(name: str, schema: JsonObject, rng: random.Random) -> str | None:
    pattern: str | None = schema.get("pattern")
    low, high = int(schema.get("minLength", 0)), int(schema.get("maxLength", 10**6))
    if low > _LONGEST:
        return None
    for candidate in (
        *_by_format(schema.get("format"), rng),
        *_as_identifier(name, rng),
        *_by_name(name, rng),
        *_coded(pattern, rng),
        *_SPARE,
    ):
        text = candidate if len(candidate) >= low else candidate + "-harbour" * (1 + (low - len(candidate)) // 8)
        if len(text) <= high and (pattern is None or matches(pattern, text)):
            return text
    return None


def _coded(pattern: str | None, rng: random.Random) -> Iterator[str]:
    """Codes of the usual alphabets and lengths, bare and after the letters that the pattern starts with.

    One of them is what most patterns for identifiers ask for: `^fs-[0-9a-f]{8}$`, `[A-Z0-9]{10}`.
    """
    if pattern is None:
        return
    start = _LITERAL_START.match(pattern)
    for alphabet in _ALPHABETS:
        code = "".join(rng.choices(alphabet, k=max(_LENGTHS)))
        for length in _LENGTHS:
            yield code[:length]
            if start is not None:
                yield start.group(1) + code[:length]


def _by_format(name: object, rng: random.Random) -> list[str]:
    day = f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    by_format = {
        "date-time": f"{day}T{rng.randint(0, 23):02d}:{rng.choice((0, 15, 30, 45)):02d}:00Z",
        "date": day,
        "time": "09:30:00Z",
        "email": "ines.okafor@example.org",
        "uri": "https://example.org/harbour",
        "uuid": f"{rng.getrandbits(128):032x}",
        "ipv4": "192.0.2.17",
    }
    if name == "uuid":
        digits = by_format["uuid"]
        return ["-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))]
    return [by_format[name]] if name in by_format else []


def _as_identifier(name: str, rng: random.Random) -> list[str]:
    """`detectorId`, `queue_url`: an identifier of that thing; names are left to `_by_name`."""
    found = identified(name)
    return [identifier(*found, rng)] if found is not None and found[0] and found[1] != "name" else []


def _by_name(name: str, rng: random.Random) -> list[str]:
    parts = identifier_words(name)
    for part in reversed(parts):
        for keys, values in _STRINGS:
            if part in keys:
                return rng.sample(values, len(values))
    return [f"{rng.choice(_NOUNS)}-{rng.randint(2, 98)}", rng.choice(_NOUNS)]


def _array(name: str, schema: JsonObject, rng: random.Random, depth: int) -> list[Any] | None:
    items = schema.get("items")
    count = max(1, min(schema.get("minItems", 1), 5))
    made = [_made(name, items if isinstance(items, dict) else {}, rng, depth + 1) for _ in range(count)]
    return None if any(value is None for value in made) else made


def _object(schema: JsonObject, rng: random.Random, depth: int) -> JsonObject | None:
    properties: JsonObject = schema.get("properties", {})
    if not properties:
        return None  # a map of whatever: nothing says what to put in
    required = schema.get("required", ())
    chosen = list(required) or list(properties)[:2]
    made: JsonObject = {}
    for name in chosen:
        value = _made(name, properties.get(name, {}), rng, depth + 1)
        if value is None:
            if name in required:
                return None
            continue
        made[name] = value
    return made
