"""The presets that come with the program are made of known comparators."""

from __future__ import annotations

import pytest

from evaluators.model.settings import word_or_map
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.suites import extends
from evaluators.suites.source import load, loads


def test_there_are_presets() -> None:
    assert {"extraction", "strict"} <= set(extends.preset_names())


@pytest.mark.parametrize("name", extends.preset_names())
def test_every_comparator_of_a_preset_is_valid(name: str) -> None:
    found = load(extends.PRESETS / f"{name}.yaml").data["comparators"]
    for definition in found.values():
        comparator, options = word_or_map(definition, "comparator")
        COMPARATORS.find(comparator).model_validate(options)


def test_country_codes_stay_text() -> None:
    groups = loads("extends: preset:extraction").data["comparators"]["country"]["one_of"]["groups"]
    assert all(isinstance(word, str) for group in groups for word in group)
    assert any("NO" in group for group in groups)


def test_a_preset_is_named_in_places() -> None:
    found = loads("extends: preset:strict\nname: mine\n")
    assert found.place(("comparators", "money")).startswith("preset:strict:")
    assert found.place(("comparators", "country")).startswith("preset:extraction:")
    assert found.data["comparators"]["money"] == "numeric"


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("DE 811 907 980", "DE811907980"),
        ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
        ("+49 (30) 901-820", "+4930901820"),
        ("4111 1111 1111 1111", "4111-1111-1111-1111"),
    ],
)
def test_a_code_in_groups_is_the_same_code(expected: str, actual: str) -> None:
    found = loads("extends: preset:extraction").data["comparators"]
    word, options = word_or_map(found["grouped_code"], "comparator")
    assert COMPARATORS.find(word).model_validate(options).compare(expected, actual)
    assert not COMPARATORS.find(word).model_validate(options).compare(expected, f"{actual}1")


def test_spaces_inside_of_an_id_code_count() -> None:
    word, options = word_or_map(loads("extends: preset:extraction").data["comparators"]["id_code"], "comparator")
    compare = COMPARATORS.find(word).model_validate(options).compare
    assert (compare("DE-811", "de811"), compare("DE 811", "DE811")) == (True, False)
