"""How identifiers are read: `DescribeDBInstances`, `list_user_ids` and `git-log` as lists of plain words."""

from __future__ import annotations

import re
from functools import lru_cache

_PIECE = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_IRREGULAR = {"indices": "index", "statuses": "status", "aliases": "alias", "people": "person", "children": "child"}
_NO_PLURAL = ("ss", "us", "is", "news", "series", "analytics", "metrics", "sms", "aws", "dns", "kms", "sns", "sqs")


@lru_cache(maxsize=65536)
def identifier_words(identifier: str) -> tuple[str, ...]:
    """Lower-case words of an identifier, in order: `listUserIDs` gives list, user, ids."""
    return tuple(piece.lower() for piece in _PIECE.findall(identifier))


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular of an English noun, near enough for comparing: `policies` gives policy, `status` stays."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if (len(word) < 4 and word != "ids") or word.endswith(_NO_PLURAL) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1]


def singular_words(identifier: str) -> tuple[str, ...]:
    """Words of an identifier, each in the singular."""
    return tuple(singular(word) for word in identifier_words(identifier))
