"""A user's knowledge: tables (CSV, JSON, JSONL) and solved problems (the form of GSM8K-socratic)."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from astra.engine import read_lines
from astra.errors import BadInput, Rejected
from astra.model import Cell, Column, Rejection, SolvedProblem, SolvedStep, Table
from astra.model.words import singular

_FEWEST_ROWS = 3
_EXPRESSION = re.compile(r"<<([^<>]*)>>")
_EMPTY = ("", "na", "n/a", "null", "none", "nan", "-", "–", "—")
_INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})")  # longer ones are identifiers, not quantities
_NUMBER = re.compile(r"-?((0|[1-9]\d{0,17})(\.\d+)?|\.\d+)([eE][-+]?\d+)?")


def read_table(path: Path) -> Table:
    """A table whose rows are CSV lines under a header, JSON objects in a list, or JSON objects a line.

    Types are inferred; the key is the first column of text whose cells are unique and never empty.

    Raises:
        BadInput: the file can't be read as a table; the message names the line and what is wrong with it.
    """
    names, records = _csv_rows(path) if ".csv" in path.suffixes else _json_rows(path)
    if len(records) < _FEWEST_ROWS:
        raise BadInput(f"{path}: {len(records)} rows are too few to ask about; {_FEWEST_ROWS} are needed")
    types = {name: _type([record.get(name) for record in records]) for name in names}
    rows = tuple({_slug(name): _cell(record.get(name), types[name]) for name in names} for record in records)
    key = next((name for name in map(_slug, names) if _is_key([row[name] for row in rows])), None)
    if key is None:
        raise BadInput(f"{path}: no column of text has a different value in every row, so no row can be named")
    stem = _slug(path.name.split(".")[0])
    if not stem:
        raise BadInput(f"{path}: the file's name is what its rows are called by; give it one with a word in it")
    words = " ".join(stem.split("_"))
    return Table(
        name=stem,
        noun=" ".join([*words.split()[:-1], singular(words.split()[-1])]),
        plural=words,
        domain="general",
        source=path.name,
        key=key,
        columns=tuple(
            Column(name=_slug(name), label=name.replace("_", " ").strip(), type=types[name]) for name in names
        ),
        rows=rows,
    )


def _csv_rows(path: Path) -> tuple[list[str], list[dict[str, Any]]]:
    reader = csv.reader(_all_lines(path))
    try:
        lines = [(reader.line_num, fields) for fields in reader if fields]
    except csv.Error as error:
        raise BadInput(f"{path}, line {reader.line_num}: {error}") from None
    header = [name.strip() for name in lines[0][1]] if lines else []
    _check_names(path, header)
    records = []
    for number, fields in lines[1:]:
        if len(fields) != len(header):
            raise BadInput(f"{path}, line {number}: {len(fields)} fields, but the header names {len(header)}")
        records.append(dict(zip(header, fields, strict=True)))
    return header, records


def _all_lines(path: Path) -> Iterator[str]:
    """Blank lines too: one may stand inside a quoted cell, and all of them count."""
    last = 0
    for number, line in read_lines(path):
        yield from "\n" * (number - last - 1)
        yield line
        last = number


def _json_rows(path: Path) -> tuple[list[str], list[dict[str, Any]]]:
    lines = list(read_lines(path))
    try:
        if lines and lines[0][1].lstrip().startswith("["):
            records = json.loads("".join(line for _, line in lines))
        else:
            records = [json.loads(line) for _, line in lines]
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: neither CSV (by its name) nor JSON: {error}") from None
    for place, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise BadInput(f"{path}, row {place}: expected a JSON object, not {type(record).__name__}")
        if not _is_unicode(json.dumps(record, ensure_ascii=False)):
            raise BadInput(f"{path}, row {place}: holds half a character (a lone surrogate); write it in full")
    names = list(dict.fromkeys(name for record in records for name in record))
    _check_names(path, names)
    return names, records


def _check_names(path: Path, names: Sequence[str]) -> None:
    slugs = [_slug(name) for name in names]
    if not names or "" in slugs:
        raise BadInput(f"{path}: expected a header with a name for every column, found {list(names)}")
    if twice := next((name for name in slugs if slugs.count(name) > 1), None):
        raise BadInput(f"{path}: two columns are named {twice!r}")


def _slug(name: str) -> str:
    text = re.sub(r"\W+", "_", name.strip().lower()).strip("_")
    return f"c_{text}" if text[:1].isdigit() else text


def _text(value: Any) -> str | None:
    """A cell as text; None if it is empty. Lists and objects are no cells."""
    if value is None or isinstance(value, dict | list) or str(value).strip().lower() in _EMPTY:
        return None
    return str(value).strip()


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _type(cells: Sequence[Any]) -> Literal["text", "integer", "number"]:
    texts = [text for cell in cells if (text := _text(cell)) is not None]
    if texts and all(_INTEGER.fullmatch(text) for text in texts):
        return "integer"
    if texts and all(_NUMBER.fullmatch(text) and math.isfinite(float(text)) for text in texts):
        return "number"
    return "text"


def _cell(value: Any, kind: str) -> Cell:
    text = _text(value)
    if text is None or kind == "text":
        return text
    return int(text) if kind == "integer" else float(text)


def _is_key(cells: Sequence[Cell]) -> bool:
    return all(isinstance(cell, str) for cell in cells) and len(set(cells)) == len(cells)


def read_problems(path: Path) -> Iterator[SolvedProblem | Rejection]:
    """A solved problem a line: `question`, and `answer` with `sub-question ** sentence` lines and `#### result` last.

    A line that is none comes as a rejection that names it.

    Raises:
        BadInput: the file can't be read, or there is nothing in it.
    """
    empty = True
    for number, line in read_lines(path):
        empty = False
        item = f"{path.name}:{number}"
        try:
            yield _problem(item, line)
        except Rejected as why:
            yield Rejection(stage="problems", item=item, reason=why.reason, sentence=why.sentence, detail=line[:500])
    if empty:
        raise BadInput(f'{path}: nothing in it; expected {{"question": ..., "answer": ...}} a line')


def packaged_problems() -> list[SolvedProblem | Rejection]:
    """The solved problems that come with ASTRA."""
    with resources.as_file(resources.files("astra.arenas") / "data" / "problems.jsonl") as path:
        return list(read_problems(path))


def _problem(item: str, line: str) -> SolvedProblem:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        raise Rejected("not-json", f"{item} is no JSON") from None
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("question", "answer")):
        raise Rejected("not-a-problem", f"{item} lacks the text of a question or an answer")
    if not _is_unicode(entry["question"] + entry["answer"]):
        raise Rejected("not-a-problem", f"{item} holds half a character (a lone surrogate)")
    steps, mark, result = entry["answer"].rpartition("####")
    if not mark or not result.strip():
        raise Rejected("no-result", f"{item} has no line '#### result'")
    found = []
    for text in steps.strip().splitlines():
        question, mark, sentence = text.partition("**")
        if not mark or not question.strip():
            raise Rejected("no-sub-question", f"{item} has a step without 'sub-question ** sentence': {text[:80]!r}")
        expressions = tuple(expression.strip() for expression in _EXPRESSION.findall(sentence))
        found.append(SolvedStep(question=question.strip(), sentence=sentence.strip(), expressions=expressions))
    if not found:
        raise Rejected("no-steps", f"{item} has a result but no steps")
    return SolvedProblem(id=item, question=entry["question"].strip(), steps=tuple(found), answer=result.strip())
