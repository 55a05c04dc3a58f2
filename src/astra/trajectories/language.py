"""Which language a text is in."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import regex

_NO_PROSE = regex.compile(
    r"""https?://\S+
    | "[^"\n]*" | `[^`\n]*` | \{[^{}]*\}
    | [!-~]*[\d_/\\@=<>][!-~]*
    | \b\p{Lu}{2,}\b | \b\p{Ll}+\p{Lu}\w* | \b\p{Lu}\p{Ll}+\p{Lu}\w*""",
    regex.VERBOSE,
)
_LEAST_LETTERS = 20  # fewer tell too little, but for scripts that write a word in one or two characters
_LEAST_IDEOGRAPHS = 4
_CHINESE = ("wuu", "yue")  # one script with "zh": in a short text the detector mixes them up
_MARGIN = 20.0  # difference of log-likelihoods: terse English with names in it stays below 13, other prose is above 25
_IDEOGRAPH = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


def language_of(text: str) -> str | None:
    """ISO 639-1 code of the language that a text is likeliest in; None if too little of it is prose.

    What is no prose (addresses, quoted values, identifiers, numbers) is left out before it is looked at.
    """
    scores = _scores(text)
    return max(scores, key=lambda language: scores[language]) if scores else None


def in_language(text: str, language: str) -> bool:
    """False only if enough of the text is prose, and another language is far likelier."""
    scores = _scores(text)
    return not scores or max(scores.values()) - scores.get(language, -math.inf) < _MARGIN


def same_language(one: str, other: str) -> bool:
    """False only if both texts are long enough to tell, and surely differ."""
    language = language_of(one)
    return language is None or in_language(other, language)


def _scores(text: str) -> dict[str, float]:
    """Log-likelihood by language; none if too little is prose."""
    prose = " ".join(_NO_PROSE.sub(" ", text).split())
    letters = sum(char.isalpha() for char in prose)
    if letters < _LEAST_LETTERS and len(_IDEOGRAPH.findall(prose)) < _LEAST_IDEOGRAPHS:
        return {}
    ranked = {str(language): float(score) for language, score in _model().rank(prose)}
    return {language: score for language, score in ranked.items() if language not in _CHINESE}


@cache
def _model() -> Any:
    import py3langid  # takes a moment: only where it is used

    return py3langid
