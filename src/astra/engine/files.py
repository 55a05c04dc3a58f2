"""Nouns on disk: a line of JSON each."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO, TypeVar

from pydantic import BaseModel, ValidationError

from astra.errors import BadInput

N = TypeVar("N", bound=BaseModel)


def write_text(path: Path, text: str) -> None:
    """Write a whole file or nothing: a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    with unfinished.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def write_jsonl(path: Path, nouns: Iterable[BaseModel]) -> None:
    """One noun a line."""
    write_text(path, "".join(noun.model_dump_json() + "\n" for noun in nouns))


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines (from 1) that are not blank; `.gz` is unpacked.

    Raises:
        BadInput: no such file, or not readable as UTF-8 text.
    """
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise BadInput(f"{path}: can't be read as UTF-8 text ({error})") from error


def _opened(path: Path) -> TextIO:
    """UTF-8, with or without a byte-order mark."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def read_jsonl(path: Path, noun: type[N]) -> Iterator[N]:
    """Nouns of one kind.

    Raises:
        BadInput: a line is no JSON or no such noun; the message names file, line and field.
    """
    for number, line in read_lines(path):
        try:
            yield noun.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the line"
            raise BadInput(f"{path}, line {number}: not a valid {noun.__name__}: {where}: {first['msg']}") from error


def pretty_json(value: Any) -> str:
    """Indented JSON for people."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
