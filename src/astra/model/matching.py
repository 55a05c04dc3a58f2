"""Typed, whole match of an answer: numbers as numbers, dates as dates, text at token boundaries.

A bare substring is never a match: 1 is not in 2021, "Lima" is not in "Limassol".
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from datetime import date, datetime
from functools import lru_cache
from typing import Any

import regex

from astra.model.base import Answer

# A number stands alone: no letter, digit, hyphen-joined word, dot or slash touches it.
_NUMBER = re.compile(
    r"(?<![\w.,/:])(?<!\w[-–])[-−]?(?:[1-9]\d{0,2}(?:,\d{3})+|0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w/:]|[-–.,]\w)"
)
_NUMERIC = re.compile(r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)?")
_DATE = re.compile(r"(?<![\w-])\d{4}-\d{2}-\d{2}(?!\d|-\w)(?![A-SU-Za-z_])")

# Scripts that put no space between words: there a text has no token boundaries to ask for.
_NO_SPACES = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_TELLING_DIGITS = 3  # a shorter number glued to letters says nothing: "2nd", "A4"
_LONGEST_NUMBER = 300  # digits
_HUGE = 10.0**300

Typed = bool | int | float | date | str


def typed(value: Answer | date) -> Typed:
    """The value as what it is: text that spells a number, a date or a truth value becomes one."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if abs(value) < _HUGE else math.nan
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    return _typed_text(value)


@lru_cache(maxsize=65536)
def _typed_text(value: str) -> Typed:
    text = value.strip()
    if len(text) <= 5 and text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    if text[-1:].isdigit() and _NUMERIC.fullmatch(text):
        # A leading zero marks an identifier (a phone code, a postcode), not a quantity.
        digits = text.lstrip("-+−")
        if not (len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()):
            return _as_number(text)
    if _DATE.fullmatch(text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            return _folded(text)
    return _folded(text)


def same(left: Typed, right: Typed) -> bool:
    """Equal as typed values: whole numbers exactly, others to a relative 1e-9."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        whole = left == left // 1 and right == right // 1
        return left == right if whole else math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)
    return type(left) is type(right) and left == right


def leaves(value: Any) -> Iterator[bool | int | float | str]:
    """Every scalar in a JSON value, keys left out, None left out."""
    if isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, bool | int | float | str):
        yield value


def offered(schema: Any) -> Iterator[bool | int | float | str]:
    """Values that a schema offers by itself: enums, constants, defaults; and truth values, which need no offer."""
    yield from (True, False)
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in ("enum", "const", "default"):
                yield from leaves([value])
            elif isinstance(value, dict | list):
                for part in value if isinstance(value, list) else [value]:
                    yield from offered(part)


def holds(output: Any, answer: Answer) -> bool:
    """Whether some leaf of a tool's output is the answer, or text that states it."""
    wanted = typed(answer)
    return any(
        same(typed(leaf), wanted) or (isinstance(leaf, str) and _states(leaf, wanted)) for leaf in leaves(output)
    )


def reveals(output: Any, answer: Answer) -> bool:
    """Whether an output shows the answer to someone who looks for it: stricter than `holds`, for finding leaks.

    Names of entries count too, and so do other spellings: full-width letters, odd hyphens, hidden characters, and a
    number of three digits or more that is glued to letters, as in "210m".
    """
    shown = [*leaves(output), *_keys(output)]
    if holds(shown, answer):
        return True
    wanted = _plain(str(answer))
    if not wanted:
        return False
    texts = [_plain(text) for text in shown if isinstance(text, str)]
    if isinstance(typed(answer), int | float):
        if len(wanted.strip("-").replace(".", "")) < _TELLING_DIGITS:
            return False
        glued = re.compile(rf"(?<![\d.,]){re.escape(wanted)}(?![\d]|[.,]\d)")
        return any(wanted in plain and glued.search(plain) for plain in (text.replace(",", "") for text in texts))
    return any(_states(text, wanted) for text in texts)


@lru_cache(maxsize=65536)
def _plain(text: str) -> str:
    """One spelling for what looks the same."""
    shown = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    return _folded(re.sub(r"[\u2010-\u2015\u2212_]", "-", shown))


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from _keys(part)


def mentions(text: str, answer: Answer) -> bool:
    """Whether a text states the answer."""
    return _states(text, typed(answer))


def _states(text: str, wanted: Typed) -> bool:
    if not isinstance(wanted, bool) and isinstance(wanted, int | float):
        return any(same(number, wanted) for number in numbers(text))
    if isinstance(wanted, date):
        return any(same(typed(found), wanted) for found in _DATE.findall(text))
    needle = str(wanted).casefold() if isinstance(wanted, bool) else wanted
    if not needle:
        return False
    folded = _folded(text)
    if needle not in folded:
        return False
    before = r"(?<!\w)" if _starts_a_word(needle[0]) else ""
    after = r"(?!\w)" if _starts_a_word(needle[-1]) else ""
    return re.search(before + re.escape(needle) + after, folded) is not None


def _starts_a_word(char: str) -> bool:
    """Whether a character has a word's edge beside it: a letter or digit of a script with spaces."""
    return char.isalnum() and (char.isascii() or _NO_SPACES.match(char) is None)


def numbers(text: str) -> list[int | float]:
    """The numbers that stand alone in a text; dates and parts of identifiers are none."""
    without_dates = _DATE.sub(" ", text)
    return [_as_number(found) for found in _NUMBER.findall(without_dates)]


def _as_number(text: str) -> int | float:
    """A whole number exactly; what no float holds is no number at all, so that it equals nothing."""
    plain = text.replace(",", "").replace("−", "-")
    if re.fullmatch(r"[-+]?\d+", plain):
        return int(plain) if len(plain) <= _LONGEST_NUMBER else math.nan
    number = float(plain)
    return number if math.isfinite(number) else math.nan


@lru_cache(maxsize=65536)
def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
