"""One way to write a value down, so that equal values have equal bytes, names and seeds."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spare spaces: the form that is hashed and compared."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def content_id(prefix: str, value: Any) -> str:
    """A short stable name for a value: `prefix-` and 12 hex digits of its content's SHA-256."""
    digest = hashlib.sha256(canonical_json(value).encode()).hexdigest()
    return f"{prefix}-{digest[:12]}"


def seeded(*parts: str | int) -> random.Random:
    """A generator that depends on `parts` alone: run seed first, then what it is drawn for.

    Giving each item its own generator keeps results the same whatever the order or number of workers.
    """
    return random.Random("\x1f".join(str(part) for part in parts))
