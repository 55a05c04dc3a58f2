"""Imports point down the list of rooms, never up."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "astra"
FLOORS = (
    ("cli",),
    ("runs",),
    ("viewer", "exports"),
    ("training", "evaluation"),
    ("trajectories", "arenas"),
    ("rollout",),
    ("engine",),
    ("teachers",),
    ("llm",),
    ("sandbox",),
    ("model",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def imported(path: Path) -> set[str]:
    """Rooms of astra that a file imports, in functions too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
    return {name.split(".")[1] for name in names if name.startswith("astra.") and name != "astra.errors"}


def test_every_room_is_on_a_floor() -> None:
    assert {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()} <= set(FLOOR)


def test_imports_point_down() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {room}"
        for floor in FLOOR
        for path in (SOURCE / floor).rglob("*.py")
        for room in imported(path)
        if room != floor and FLOOR[room] <= FLOOR[floor]
    ]
    assert wrong == []
