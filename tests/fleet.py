"""Two small tables of our own that refer to each other: harbours and their ships."""

from __future__ import annotations

from astra.model import Column, Table, seeded

_HARBOURS = ("Northhaven", "Saltmouth", "Grey Point", "Lindesund", "Port Amber", "Westerley", "Oakum", "Tarn Bay")
_COASTS = (
    "north coast",
    "north coast",
    "north coast",
    "west coast",
    "west coast",
    "west coast",
    "south coast",
    "east coast",
)
_FIRST = ("Silver", "Quiet", "Merry", "Old", "Swift", "Stormy", "Golden", "Lucky")
_LAST = ("Heron", "Lantern", "Compass", "Tide", "Anchor")


def fleet() -> tuple[Table, Table]:
    rng = seeded("fleet")
    harbours = Table(
        name="harbours",
        noun="harbour",
        plural="harbours",
        domain="shipping",
        source="test",
        key="name",
        columns=(
            Column(name="name", label="name", type="text"),
            Column(name="code", label="signal code", type="text"),
            Column(name="coast", label="coast", type="text"),
            Column(name="depth", label="depth", type="number", unit="metres"),
            Column(name="flagship", label="flagship", type="text", refers_to="ships"),
        ),
        rows=tuple(
            {
                "name": name,
                "code": f"H{place}{name[:2].upper()}",
                "coast": _COASTS[place],
                "depth": round(rng.uniform(5, 30), 1),
                "flagship": f"{_FIRST[place]} {_LAST[place % 5]}",
            }
            for place, name in enumerate(_HARBOURS)
        ),
    )
    ships = Table(
        name="ships",
        noun="ship",
        plural="ships",
        domain="shipping",
        source="test",
        key="name",
        columns=(
            Column(name="name", label="name", type="text"),
            Column(name="call_sign", label="call sign", type="text"),
            Column(name="harbour", label="home harbour", type="text", refers_to="harbours"),
            Column(name="length", label="length", type="integer", unit="metres"),
            Column(name="crew", label="crew size", type="integer"),
        ),
        rows=tuple(
            {
                "name": f"{first} {last}",
                "call_sign": f"{first[:1]}{last[:1]}{one}{two}X",
                "harbour": _HARBOURS[(one * 5 + two) % len(_HARBOURS)],
                "length": rng.randint(400, 3000),
                "crew": rng.randint(5, 320),
            }
            for one, first in enumerate(_FIRST)
            for two, last in enumerate(_LAST)
        ),
    )
    return harbours, ships
