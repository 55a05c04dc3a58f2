"""A match is typed and whole: numbers as numbers, dates as dates, text at token boundaries."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astra.model import holds, mentions
from astra.model.matching import numbers, reveals


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ({"fee": 70}, 70),
        ({"fee": "70"}, 70),
        ({"fee": 70.0}, "70"),
        ({"note": "the fee is 70 EUR."}, 70),
        ({"population": "1,284,500"}, 1284500),
        ([{"deep": [{"er": "Lima"}]}], "lima"),
        ({"text": "the capital,  Lima, lies"}, "Lima"),
        ({"day": "2026-03-14"}, "2026-03-14"),
        ({"note": "due on 2026-03-14."}, "2026-03-14"),
        ({"open": True}, True),
        ({"open": "true"}, True),
        ({"城市": "首都是北京市"}, "北京"),
        ({"code": "BK-20417"}, "BK-20417"),
        ({"rate": 0}, 0),
        ("plain text with Rosario in it", "Rosario"),
        ({"at": "2026-03-14T09:30:00Z"}, "2026-03-14"),
        ({"city": "в Москва, на"}, "Москва"),
    ],
)
def test_the_answer_is_held(output: Any, answer: Any) -> None:
    assert holds(output, answer)


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ({"year": 2021}, 1),
        ({"year": "2021"}, "1"),
        ({"text": "in 2021"}, 1),
        ({"text": "Limassol"}, "Lima"),
        ({"code": "BK-20417"}, 20417),
        ({"day": "2026-03-14"}, 14),
        ({"open": True}, 1),
        ({"open": 1}, True),
        ({"Lima": "a key is no value"}, "Lima"),
        ({"phone": "0044"}, 44),
        ({"version": "1.2.3"}, 1.2),
        ({"time": "12:30"}, 30),
        ({"value": None}, "None"),
        ({"value": 0.1}, 0),
        ({}, ""),
        ({"value": ""}, "x"),
        ({"population": 12345678901}, 12345678902),
        ({"value": 10**400}, 7),
        ({"value": 10**400}, 0.5),
        ({"value": "1e400"}, "1e500"),
        ({"id": 9007199254740993}, 9007199254740992),
        ({"city": "Новомосковск"}, "москов"),
        ({"word": "caféx"}, "café"),
    ],
)
def test_the_answer_is_not_held(output: Any, answer: Any) -> None:
    assert not holds(output, answer)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("16 - 3 - 4 and 1,200.5", [16, 3, 4, 1200.5]),
        ("minus -7, a ratio of 3:2, 5/8 of it", [-7]),
        ("$12.", [12]),
        ("(25%)", [25]),
        ("room B12, 2nd floor, 3x", []),
        ("on 2026-03-14 at noon", []),
        ("1.5e3 metres", [1500]),
    ],
)
def test_numbers_stand_alone(text: str, found: list[float]) -> None:
    assert numbers(text) == found


@given(st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9, allow_nan=False).map(lambda x: round(x, 6)))
def test_a_number_is_found_in_what_holds_it(number: float) -> None:
    assert holds({"value": number}, number)
    assert holds(json.loads(json.dumps([str(number)])), number)


@given(st.text(), st.text(min_size=1))
def test_matching_never_fails_and_text_is_found_in_itself(text: str, answer: str) -> None:
    mentions(text, answer)
    if answer.strip():
        assert holds({"value": answer}, answer)


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ("210m", 210),
        ({"B\u201122": 1}, "B-22"),
        ("Ｂ-２２", "B-22"),
        ("B-\u200b22", "B-22"),
        ({"x": {"Lima": None}}, "Lima"),
    ],
)
def test_a_leak_is_seen_in_other_spellings(output: Any, answer: Any) -> None:
    assert reveals(output, answer)


@pytest.mark.parametrize(
    ("output", "answer"), [("2nd floor", 2), ("in 2021", 202), ("Limassol", "Lima"), ("1,2101", 210)]
)
def test_what_only_looks_alike_is_no_leak(output: Any, answer: Any) -> None:
    assert not reveals(output, answer)
