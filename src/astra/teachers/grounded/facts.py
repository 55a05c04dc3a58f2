"""What can be asked of a set of tables: which columns name a row, which put rows into groups, which hold numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from astra.errors import Rejected
from astra.model import Answer, Cell, Column, Table
from astra.teachers.grounded.operations import Aggregate, Count, Lookup, Relational

Row = dict[str, Cell]

GROUP_SIZES = range(3, 31)  # rows of a group that a question may be about: all of them stand in its tool
_FEWEST_GROUPS = 4
_FUNCTIONS: dict[str, Callable[[Sequence[int | float]], int | float]] = {"total": sum, "highest": max, "lowest": min}


@dataclass(frozen=True)
class Grouping:
    """Rows of `table` that share a cell of `column`."""

    table: Table
    column: Column
    sizes: dict[Answer, int]  # the groups of a size that can be asked about

    @property
    def of(self) -> str | None:
        """The table whose keys the groups are, if they are any's."""
        return self.column.refers_to


class Facts:
    """An index over tables; make it once for many questions."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = {table.name: table for table in tables}
        self._indices: dict[tuple[str, str], dict[Cell, list[Row]]] = {}

    @cached_property
    def naming_columns(self) -> dict[str, list[Column]]:
        """By table: text columns whose cells are unique and never empty, the key among them."""
        return {name: [c for c in table.columns if _names_rows(table, c)] for name, table in self.tables.items()}

    @cached_property
    def number_columns(self) -> dict[str, list[Column]]:
        return {
            name: [column for column in table.columns if column.type in ("integer", "number")]
            for name, table in self.tables.items()
        }

    @cached_property
    def text_columns(self) -> dict[str, list[Column]]:
        """By table: columns of text that say something about a row, its key left out."""
        return {
            name: [column for column in table.columns if column.type == "text" and column.name != table.key]
            for name, table in self.tables.items()
        }

    @cached_property
    def groupings(self) -> list[Grouping]:
        """Columns of text that put rows into groups of a handy size."""
        found = []
        for table in self.tables.values():
            for column in self.text_columns[table.name]:
                counts = Counter(cell for row in table.rows if (cell := row[column.name]) is not None)
                sizes = {group: count for group, count in sorted(counts.items(), key=str) if count in GROUP_SIZES}
                if len(sizes) >= _FEWEST_GROUPS:
                    found.append(Grouping(table, column, sizes))
        return found

    @cached_property
    def keys(self) -> dict[str, frozenset[Answer]]:
        """By table: the keys of its rows."""
        return {
            name: frozenset(key for row in table.rows if (key := row[table.key]) is not None)
            for name, table in self.tables.items()
        }

    def rows(self, table: str, column: str, value: Answer) -> Sequence[Row]:
        """The rows that hold a value in a column, in the table's order."""
        index = self._indices.get((table, column))
        if index is None:
            index = defaultdict(list)
            for row in self.tables[table].rows:
                index[row[column]].append(row)
            self._indices[table, column] = index
        return index.get(value, ())

    def answer(self, operation: Relational) -> Answer:
        """What an operation gives, from the data.

        Raises:
            Rejected: it gives nothing, or the first place is shared.
        """
        table = self.tables[operation.table]
        if isinstance(operation, Lookup):
            found = [row[operation.column] for row in self.rows(table.name, operation.key_column, operation.key.value)]
            if len(found) != 1 or found[0] is None:
                raise Rejected("no-answer", f"{operation.key.value!r} has no single {operation.column} in {table.name}")
            return found[0]
        rows = self.rows(table.name, operation.group_column, operation.group.value)
        if isinstance(operation, Count):
            return len(rows)
        values = numbers_of(rows, operation.column)
        if not values:
            raise Rejected("no-answer", f"{operation.group.value!r} has no {operation.column} in {table.name}")
        if isinstance(operation, Aggregate):
            return round(_FUNCTIONS[operation.function](values), 6)
        best = _FUNCTIONS[operation.function](values)
        winners = [key for row in rows if row[operation.column] == best and (key := row[table.key]) is not None]
        if len(winners) != 1:
            raise Rejected("tie", f"{len(winners)} {table.plural} share the {operation.function} {operation.column}")
        return winners[0]


def numbers_of(rows: Iterable[Row], column: str) -> list[int | float]:
    """The numbers in a column, empty cells left out."""
    return [cell for row in rows if isinstance(cell := row[column], int | float)]


def _names_rows(table: Table, column: Column) -> bool:
    cells = [row[column.name] for row in table.rows]
    return column.type == "text" and None not in cells and len(set(cells)) == len(cells)
