"""What can be asked next: operations that start from a row, from a group, or from an earlier answer."""

from __future__ import annotations

from typing import Literal

from astra.model import Answer, Table
from astra.teachers.grounded.facts import Facts, Grouping
from astra.teachers.grounded.operations import Aggregate, Calculation, Count, Lookup, Relational, Top, operand

ENDS: tuple[Literal["highest"], Literal["lowest"]] = ("highest", "lowest")


class Options:
    """The operations that some tables allow."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def after(self, value: Answer, parent: int, before: Relational | Calculation) -> list[Relational]:
        """What can be asked of an answer: of the row that it names, of the group that it is."""
        found: list[Relational] = []
        for table in self._facts.tables.values():
            if value in self._facts.keys[table.name] and self._is_key(before, table):
                found += self.of_row(table, table.key, value, parent)
        for grouping in self._facts.groupings:
            if value in grouping.sizes and self._is_group(before, grouping):
                found += self.of_group(grouping, value, parent)
        return found

    def _is_key(self, before: Relational | Calculation, table: Table) -> bool:
        """Whether the answer of a step is a key of the table by what the columns say, not by chance."""
        if isinstance(before, Top):
            return before.table == table.name
        if not isinstance(before, Lookup):
            return False
        column = self._facts.tables[before.table].column(before.column)
        return column.refers_to == table.name or (before.table == table.name and before.column == table.key)

    def _is_group(self, before: Relational | Calculation, grouping: Grouping) -> bool:
        if isinstance(before, Lookup) and (before.table, before.column) == (grouping.table.name, grouping.column.name):
            return True
        of = grouping.column.refers_to
        return of is not None and self._is_key(before, self._facts.tables[of])

    def of_row(self, table: Table, key_column: str, value: Answer, parent: int | None) -> list[Relational]:
        key = operand("key", value, parent)
        columns = [
            *self._facts.text_columns[table.name],
            *self._facts.number_columns[table.name],
            table.column(table.key),
        ]
        return [
            Lookup(table=table.name, key_column=key_column, column=column.name, key=key)
            for column in columns
            if column.name != key_column and (parent is None or column.name != table.key)
        ]

    def of_group(self, grouping: Grouping, value: Answer, parent: int | None) -> list[Relational]:
        group = operand("group", value, parent)
        table, column = grouping.table.name, grouping.column.name
        found: list[Relational] = [Count(table=table, group_column=column, group=group)]
        for number in self._facts.number_columns[table]:
            for end in ENDS:
                found.append(Top(function=end, table=table, column=number.name, group_column=column, group=group))
            if number.type == "integer":
                found += [
                    Aggregate(function=how, table=table, column=number.name, group_column=column, group=group)
                    for how in ("total", *ENDS)
                ]
        return found

    def leads_on(self, lookup: Relational) -> bool:
        """Whether a lookup gives something that a further step can start from."""
        assert isinstance(lookup, Lookup)
        table = self._facts.tables[lookup.table]
        column = table.column(lookup.column)
        grouping = any(g.table.name == table.name and g.column.name == column.name for g in self._facts.groupings)
        return column.refers_to in self._facts.tables or column.name == table.key or grouping
