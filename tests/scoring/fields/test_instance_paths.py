"""How the places of results are spelled."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.scoring.fields.instance_paths import Unpaired, spell_location


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
    assert spell_location(location) == text
