"""Reading names: what a tool does to what, and what a parameter identifies."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from astra.model.words import identifier_words, singular

Kind = Literal["create", "read", "list", "update", "delete", "other"]

_VERBS: dict[Kind, str] = {
    "create": "create add new insert register make allocate provision upload book start open",
    "read": "get describe read fetch show retrieve lookup view head inspect check",
    "list": "list search find query browse scan enumerate discover log",
    "update": "update modify edit set put change rename patch enable disable tag move reorder",
    "delete": "delete remove drop destroy terminate deregister cancel release purge",
    "other": "close stop pause resume reboot associate disassociate attach detach send receive publish invoke run "
    "execute test validate export import copy restore accept reject approve assume calculate convert translate detect",
}
_KIND_OF = {verb: kind for kind, verbs in _VERBS.items() for verb in verbs.split()}
_IDENTIFIERS = "id ids identifier arn arns name names key uuid guid slug number url".split()


class Action(NamedTuple):
    """What a tool does to what, as far as its name tells."""

    kind: Kind
    verb: str | None  # as written, in lower case
    entity: str  # singular words joined by spaces; "" if the name has none


@cache
def action(tool_name: str) -> Action:
    """The verb wherever it stands first among the first three words: a prefix may name the service."""
    parts = identifier_words(tool_name)
    for place, word in enumerate(parts[:3]):
        if (kind := _KIND_OF.get(word)) is not None:
            rest = parts[place + 1 :] or parts[:place]
            return Action(kind, word, " ".join(singular(part) for part in rest))
    return Action("other", None, " ".join(singular(part) for part in parts))


@cache
def identified(parameter: str) -> tuple[str, str] | None:
    """(entity, sort of identifier) of a name such as `bucketName` or `user_id`; None if it identifies nothing.

    A bare `id` or `name` has the entity "".
    """
    parts = identifier_words(parameter)
    if not parts or parts[-1] not in _IDENTIFIERS:
        return None
    return " ".join(singular(part) for part in parts[:-1]), singular(parts[-1])


def label(name: str) -> str:
    """A name as a person would say it: `maxResults` -> "max results"."""
    return " ".join(identifier_words(name)) or name
