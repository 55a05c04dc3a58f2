"""Descriptions are made plain; nothing is added."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astra.model.words import identifier_words, singular
from astra.trajectories.collect.text import clean, plain, says_enough


@pytest.mark.parametrize(
    ("found", "left"),
    [
        ("Deploy Server @harbour/berths Try in Playground berths", "berths"),
        ("Deploy Server Berths Claim Server harbour-berths Try in Playground", ""),
        ("Deploy Server Berths @harbour/mcp list_berths", "list_berths"),
        ("Access and manage servers by signing in.", ""),
        ("Description not available", ""),
        ("N/A", ""),
        ("<p>Lists the <code>berths</code>.</p><p>Free ones first.</p>", "Lists the berths. Free ones first."),
        ("Finds a <ship> by name.", "Finds a <ship> by name."),
        (
            "\n    Lists berths.\n\n\n\n    Args:\n        harbour:  its   name\n",
            "Lists berths.\n\nArgs:\nharbour: its name",
        ),
        ("查询空闲泊位", "查询空闲泊位"),
    ],
)
def test_page_text_markup_and_spacing_go(found: str, left: str) -> None:
    assert clean(found, limit=200) == left


def test_long_text_is_cut_at_the_end_of_a_sentence() -> None:
    assert (
        clean("One sentence, e.g. this. Another one. " + "x" * 100, limit=60) == "One sentence, e.g. this. Another one."
    )
    assert clean("word " * 50, limit=22) == "word word word word…"


@given(st.text(alphabet=st.sampled_from("ab .&;<>/p\n。Nn") | st.characters()), st.integers(1, 60))
def test_cleaning_twice_changes_nothing(text: str, limit: int) -> None:
    once = clean(text, limit=limit)
    assert len(once) <= limit
    assert clean(once, limit=limit) == once


@pytest.mark.parametrize(
    ("description", "name", "enough"),
    [
        ("Create a route", "create_route", False),
        ("Lists berths.", "listBerths", False),
        ("Switches branches", "git_checkout", True),
        ("List all free berths", "list_berths", True),
        ("Find free berths for a ship between two dates.", "find_free_berths_for_a_ship_between_two_dates", True),
        ("查询空闲泊位", "berths", True),
        ("ok", "berths", False),
    ],
)
def test_a_description_must_say_more_than_the_name(description: str, name: str, enough: bool) -> None:
    assert says_enough(description, name) is enough


def test_html_becomes_one_paragraph() -> None:
    assert plain("<p>A &lt;b&gt; c</p><ul><li>one</li><li>two</li></ul>") == "A <b> c - one - two"


def test_identifiers_are_read_as_words() -> None:
    assert identifier_words("DescribeDBInstances") == ("describe", "db", "instances")
    assert identifier_words("list_userIDs") == ("list", "user", "ids")
    assert [singular(word) for word in ("policies", "statuses", "ids", "boxes", "status", "dns", "bus")] == [
        *("policy", "status", "id", "box", "status", "dns", "bus"),
    ]
