"""Descriptions as found, made plain: no markup, no page text, no odd spacing, and nothing added."""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from html.parser import HTMLParser

from astra.model.words import identifier_words, singular, singular_words

_MARKUP = re.compile(r"</(?:p|b|i|a|em|strong|code|li|ul|ol|div|span|h\d|note)>|<br ?/?>", re.IGNORECASE)
_BLOCKS = frozenset({"p", "br", "div", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "pre", "note", "important"})
_SPACES = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060\ufeff]")

# What registry pages put around, or in place of, a tool's description.
_PAGE_TEXT = (
    re.compile(r"\bDeploy Server\b(?:.*\bTry in Playground\b|.*?@\S+/\S+|.*$)", re.DOTALL),
    re.compile(r"\bTry in Playground\b"),
    re.compile(r"Access and manage servers by signing in\.?"),
    re.compile(r"^no description(?: available| provided| found)?[.:]?$", re.IGNORECASE),
    re.compile(r"^description(?: is)? not (?:available|provided|found)[.:]?$", re.IGNORECASE),
    re.compile(r"^(?:n/?a|none|null|undefined|todo|tbd|unknown|[-.…]+)$", re.IGNORECASE),
)
_SENTENCE_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)[.!?](?=\s)|[。！？]|\n\n")
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]{{1,2}}|[^\W_{_CJK}]+")
_EMPTY_WORDS = {
    "a",
    "an",
    "the",
    "of",
    "to",
    "for",
    "in",
    "on",
    "by",
    "with",
    "from",
    "and",
    "or",
    "this",
    "that",
    "tool",
}


class _Plain(HTMLParser):
    """Collects the text of a page; block tags part it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.parts.append("\n" if tag != "li" else "\n- ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


@lru_cache(maxsize=16384)
def plain(html: str) -> str:
    """HTML as one paragraph of plain text."""
    if "<" not in html:
        return " ".join(unescape(html).split())
    parser = _Plain()
    parser.feed(html)
    parser.close()
    return " ".join("".join(parser.parts).split())


@lru_cache(maxsize=16384)
def clean(text: str, *, limit: int) -> str:
    """The text without markup, page text and odd spacing, at most `limit` characters, cut at a sentence's end.

    Cleaning what is clean changes nothing. Empty if nothing but page text stood there.
    """
    while True:
        cleaned = first_sentences(_clean_once(text), limit)
        if cleaned == text:
            return text
        text = cleaned


def _clean_once(text: str) -> str:
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if _MARKUP.search(text):
        text = plain(text)
    for pattern in _PAGE_TEXT:
        text = pattern.sub(" ", text.strip())
    text = "\n".join(_SPACES.sub(" ", line).strip() for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", text).strip()


def first_sentences(text: str, limit: int) -> str:
    """As many whole sentences as fit in `limit` characters; if not even one does, the words that fit."""
    if len(text) <= limit:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, limit + 1) if match.end() <= limit]
    if ends:
        return text[: ends[-1]].rstrip()
    head = text[: limit - 1]
    return (head[: head.rfind(" ")] if " " in head[limit // 2 :] else head).rstrip() + "…"


def says_enough(description: str, name: str) -> bool:
    """True if a reader learns from the description what the tool does.

    That is two words that the name does not have, or three words with one such, or four that say something.
    """
    words = [word.lower() for word in _WORD.findall(description)]
    telling = [word for word in words if word not in _EMPTY_WORDS]
    known = {*singular_words(name), *identifier_words(name)}
    new = sum(word not in known and singular(word) not in known for word in telling)
    return new > 1 or (new == 1 and len(words) > 2) or len(telling) > 3
