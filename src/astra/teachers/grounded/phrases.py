"""English for operations over tables."""

from __future__ import annotations

import random
from collections.abc import Sequence

from astra.model import Answer, Column, Table
from astra.teachers.grounded.operations import Aggregate, Count, Lookup, Relational

_ASKED = ("What is {0}?", "Please find {0}.", "Tell me {0}.", "I would like to know {0}.")
_LISTED = ("What are {0}?", "Please find {0}.", "Tell me {0}.", "I need {0}.")
_CALCULATED = {
    "sum": ("What do {0} and {1} add up to{2}?", "What is the sum of {0} and {1}{2}?"),
    "difference": ("By how much do {0} and {1} differ{2}?", "What is the difference between {0} and {1}{2}?"),
    "ratio": (
        "How many times as large as {1} is {0}, rounded to two decimals?",
        "What is the ratio of {0} to {1}, rounded to two decimals?",
    ),
}


def named(table: Table, column: Column, value: Answer) -> str:
    """A row by one of its names: by its key if that is a plain name, else by what kind of name it is."""
    if column.name == table.key == "name":
        return str(value)
    return f"the {table.noun} whose {column.label} is {value}"


def result(table: Table, operation: Relational, start: str) -> str:
    """What an operation gives, as a noun phrase; `start` is the phrase for the value that goes in."""
    if isinstance(operation, Lookup):
        if operation.column == table.key and operation.key_column != table.key:
            return start  # "the country whose code is PE" is itself the key's phrase
        return f"the {table.column(operation.column).label} of {start}"
    group_column = table.column(operation.group_column)
    group = f"in {start}" if group_column.refers_to else f"whose {group_column.label} is {start}"
    if isinstance(operation, Count):
        return f"the number of listed {table.plural} {group}"
    label = table.column(operation.column).label
    if not isinstance(operation, Aggregate):
        return f"the listed {table.noun} with the {operation.function} {label} {group}"
    if operation.function == "total":
        return f"the total {label} of the listed {table.plural} {group}"
    return f"the {operation.function} {label} among the listed {table.plural} {group}"


def calculation(function: str, first: str, second: str) -> str:
    return {
        "sum": f"the sum of {first} and {second}",
        "difference": f"the difference between {first} and {second}",
        "ratio": f"the ratio of {first} to {second}, rounded to two decimals",
    }[function]


def asked(phrase: str) -> str:
    """A sub-question."""
    return f"What is {phrase}?"


def main(rng: random.Random, phrase: str, unit: str | None) -> str:
    """The main question of one chain."""
    return _capital(rng.choice(_ASKED).format(phrase + (f", in {unit}" if unit else "")))


def main_list(rng: random.Random, phrases: Sequence[str]) -> str:
    """The main question of several parts that need not know of each other."""
    return _capital(rng.choice(_LISTED).format(", ".join(phrases[:-1]) + " and " + phrases[-1]))


def main_calculation(rng: random.Random, function: str, first: str, second: str, unit: str | None) -> str:
    """The main question that puts two chains together."""
    return _capital(rng.choice(_CALCULATED[function]).format(first, second, f", in {unit}" if unit else ""))


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
