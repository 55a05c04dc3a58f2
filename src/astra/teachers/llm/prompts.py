"""Prompts: one file a question and language, package data that a user's own folder can override."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any, Literal

from pydantic import BaseModel

from astra.errors import BadInput, Rejected
from astra.model.base import JsonObject
from astra.model.canonical import canonical_json
from astra.teachers.questions import Question, answer_type

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


class Prompts:
    """Renders a question as chat messages: the template with the answer's schema, then the question as JSON.

    What is the same for all questions of a kind comes first, so that servers can reuse its prefix.

    Args:
        folder: templates of the user's own, `<question>.md` or `<language>/<question>.md`; they come first.

    Raises:
        BadInput: there is no such folder, or a template in it names no `$schema`.
    """

    def __init__(self, language: Language = "en", folder: Path | None = None) -> None:
        if folder is not None and not folder.is_dir():
            raise BadInput(f"{folder}: there is no such folder of prompts")
        self._language = language
        self._folder = folder
        self._systems: dict[type[Question[Any]], str] = {}

    def messages(self, question: Question[Any]) -> tuple[JsonObject, ...]:
        """Raises: Rejected: `no-answer`: no template is there for such a question."""
        kind = type(question)
        if kind not in self._systems:
            self._systems[kind] = self._system(kind)
        asked = question.model_dump(mode="json", exclude_defaults=True, exclude=kind.unread)
        return (
            {"role": "system", "content": self._systems[kind]},
            {"role": "user", "content": canonical_json(asked)},
        )

    def _system(self, kind: type[Question[Any]]) -> str:
        text, where = self._text(template_name(kind))
        if "$schema" not in text:
            raise BadInput(f"{where}: the template must say $schema where the answer's schema is to stand")
        schema = canonical_json(plain_schema(answer_type(kind)))
        return Template(text).safe_substitute(schema=schema).strip()

    def _text(self, name: str) -> tuple[str, str]:
        own = [self._folder / self._language / f"{name}.md", self._folder / f"{name}.md"] if self._folder else []
        for path in own:
            if path.is_file():
                try:
                    return path.read_text(encoding="utf-8"), str(path)
                except (OSError, UnicodeDecodeError) as error:
                    raise BadInput(f"{path}: can't be read as UTF-8 text ({error})") from error
        packaged = resources.files("astra.teachers") / "prompts" / self._language / f"{name}.md"
        if not packaged.is_file():
            raise Rejected("no-answer", f"there is no prompt for a question {name}")
        return packaged.read_text(encoding="utf-8"), name


def template_name(kind: type[Question[Any]]) -> str:
    """`WriteTask` -> "write_task"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


def plain_schema(answer: type[BaseModel]) -> JsonObject:
    """The answer's JSON Schema without what only names things again."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(part) for key, part in value.items() if key != "title" or not isinstance(part, str)}
        return [plain(part) for part in value] if isinstance(value, list) else value

    schema: JsonObject = plain(answer.model_json_schema())
    return schema
