"""Values from outside, held to what can be written down as JSON and read back."""

from __future__ import annotations

import json
from typing import Any

from astra.errors import Rejected

_DEEPEST = 64  # levels of nesting


def as_json(value: object) -> Any:
    """The value, if it is JSON that can be written as UTF-8; lone surrogates and infinities are replaced.

    Raises:
        Rejected: `not-json`.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except UnicodeEncodeError:
        return as_json(json.loads(text.encode("utf-8", "replace")))
    except ValueError:
        if not _is_nested_within(value, _DEEPEST):  # a circle ends up here
            raise Rejected("not-json", f"The document is nested more than {_DEEPEST} levels deep.") from None
        return as_json(json.loads(json.dumps(value), parse_constant=lambda _: None))
    except (TypeError, RecursionError) as error:
        raise Rejected("not-json", f"The document can't be written as JSON ({error}).") from None
    if not _is_nested_within(value, _DEEPEST):
        raise Rejected("not-json", f"The document is nested more than {_DEEPEST} levels deep.")
    return value


def _is_nested_within(value: object, levels: int) -> bool:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    if levels < 0:
        return False
    return all(_is_nested_within(child, levels - 1) for child in children if isinstance(child, dict | list | tuple))


def read_json(text: str, what: str) -> Any:
    """The value that a text spells; `what` names it in the error.

    Raises:
        Rejected: `not-json`.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Rejected("not-json", f"{what} is text, but no JSON.", text[:500]) from None
    return as_json(value)
