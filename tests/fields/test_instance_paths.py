"""How the places of results are spelled."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.fields.frame import Unpaired, places_above, spelled


@pytest.mark.parametrize(
    ("location", "text"),
    [
        ((), "$"),
        (("items", 0, "name"), "items[0].name"),
        (("items", Unpaired(2), "name"), "items[+2].name"),
        ((0, Unpaired(0)), "[0][+0]"),
        (("a.b", "odd key", "c"), '["a.b"]["odd key"].c'),
    ],
)
def test_a_place_is_spelled(location: tuple[Any, ...], text: str) -> None:
    assert spelled(location) == text


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("$", ["$"]),
        ("a", ["$", "a"]),
        ("rows[0].b", ["$", "rows", "rows[0]", "rows[0].b"]),
        ("[+1][2]", ["$", "[+1]", "[+1][2]"]),
        ('["a.b[0]"].c', ["$", '["a.b[0]"]', '["a.b[0]"].c']),
        (r'x["say \"[0].\""]', ["$", "x", r'x["say \"[0].\""]']),
    ],
)
def test_the_places_that_a_path_leads_through(path: str, places: list[str]) -> None:
    assert list(places_above(path)) == places


def test_a_key_with_quotes_is_spelled_so_that_it_is_one_place() -> None:
    path = spelled(("x", 'say "[0]."'))
    assert list(places_above(path)) == ["$", "x", path]
