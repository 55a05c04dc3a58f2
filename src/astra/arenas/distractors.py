"""Tools that are in an arena's sight and of no use in it: executable ones, taken from other arenas."""

from __future__ import annotations

from collections.abc import Sequence

from astra.errors import Rejected
from astra.model import Arena, ToolCode, seeded


def add_distractors(arena: Arena, pool: Sequence[Arena], *, count: int, seed: int) -> Arena:
    """The arena with `count` further tools from other arenas, of other domains as far as there are any.

    A tool that takes numbers alone is a calculator: it could answer here as well as there, and is never taken. That
    none of the others answers is for the certificate to show.

    Args:
        pool: arenas to take from; `arena` may be among them.

    Raises:
        Rejected: the other arenas have too few tools of other names.
    """
    rng = seeded(seed, "distractors", arena.id)
    taken = {entry.tool.name for entry in arena.tools}
    near: dict[str, ToolCode] = {}
    far: dict[str, ToolCode] = {}
    for other in pool:
        for entry in other.tools:
            if other.id != arena.id and entry.tool.name not in taken and not _calculates(entry):
                (near if other.domain == arena.domain else far).setdefault(entry.tool.name, entry)
    chosen = rng.sample(sorted(far), min(count, len(far)))
    close = sorted(set(near) - set(far))
    chosen += rng.sample(close, min(count - len(chosen), len(close)))
    if len(chosen) < count:
        raise Rejected(
            "too-few-distractors", f"other arenas offer {len(chosen)} tools of other names; {count} are wanted"
        )
    return arena.model_copy(update={"distractors": tuple((near | far)[name] for name in chosen)})


def _calculates(entry: ToolCode) -> bool:
    kinds = {schema.get("type") for schema in entry.tool.properties.values()}
    return kinds <= {"number", "integer"}
