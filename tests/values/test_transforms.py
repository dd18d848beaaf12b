"""Transforms: what each of them changes, what it refuses, and how the table is read."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.issues import Blame, Problems, RowProblem
from evaluators.settings import BadSettings
from evaluators.values.transforms import (
    TRANSFORMS,
    Transform,
    TransformError,
    add_transform,
    chain,
    parse_transform,
    registered_transforms,
)

PARAMETERS: dict[str, dict[str, object]] = {
    "round_digits": {"digits": 1},
    "type_convert": {"to": "str"},
    "regex_replace": {"pattern": "a+", "with": "b"},
}
EVERY_TRANSFORM = [parse_transform({name: PARAMETERS.get(name, {})}) for name in TRANSFORMS]


def apply(data: object, value: Any) -> Any:
    return parse_transform(data).apply(value)


def test_a_transform_of_ones_own_takes_no_name_that_is_taken() -> None:
    kind, other = TRANSFORMS["strip"], TRANSFORMS["lowercase"]
    add_transform("mine", kind)
    with pytest.raises(Problems, match='transform "mine" is already registered') as taken:
        add_transform("mine", other)
    assert [(one.code, one.hint) for one in taken.value.issues] == [("name-taken", "overwrite=True replaces it")]
    assert registered_transforms()["mine"] is kind
    add_transform("mine", other, overwrite=True)
    assert registered_transforms()["mine"] is other
    with pytest.raises(Problems, match='transform "strip" ships with the package and cannot be replaced') as shipped:
        add_transform("strip", other, overwrite=True)
    assert [one.code for one in shipped.value.issues] == ["shadows-built-in"]


def name_of(transform: Transform) -> str:
    return transform.name


@pytest.mark.parametrize(
    ("data", "value", "becomes"),
    [
        ("lowercase", "ÉA ß", "éa ß"),
        ("lowercase", "", ""),
        ("casefold", "STRAßE", "strasse"),
        ("strip", " x\r\n", "x"),
        ("strip", "\u200bx", "\u200bx"),
        ("normalize_whitespace", "  a \n\u00a0 b ", "a b"),
        ("sort_tokens", "b a B A", "A B a b"),
        ("sort_tokens", "10 9 2", "10 2 9"),
        ("sort_tokens", "", ""),
        ("strip_accents", "Málaga e\u0301 ø", "Malaga e ø"),
        ("remove_punctuation", "U.S.A. - $5", "USA  $5"),
        ({"round_digits": {"digits": 2}}, 3.14159, 3.14),
        ({"round_digits": {"digits": -2}}, 12350, 12400),
        ({"round_digits": {"digits": 2}}, 1e22, 1e22),
        ({"round_digits": {"digits": 0}}, 2.5, 2.0),
        ({"type_convert": {"to": "int"}}, "  7 ", 7),
        ({"type_convert": {"to": "int"}}, 3.9, 3),
        ({"type_convert": {"to": "int"}}, True, 1),
        ({"type_convert": {"to": "float"}}, "1e3", 1000.0),
        ({"type_convert": {"to": "str"}}, 10**20, "100000000000000000000"),
        ({"type_convert": {"to": "str"}}, 1.5, "1.5"),
        ({"type_convert": {"to": "str"}}, True, "true"),
        ({"type_convert": {"to": "bool"}}, " TRUE ", True),
        ({"type_convert": {"to": "bool"}}, "0", False),
        ({"type_convert": {"to": "bool"}}, 1, True),
        ({"regex_replace": {"pattern": r"\D", "with": ""}}, "+34 600", "34600"),
        ({"regex_replace": {"pattern": r"(\d+)/(\d+)", "with": r"\2/\1"}}, "1/2", "2/1"),
    ],
)
def test_each_transform(data: object, value: object, becomes: object) -> None:
    found = apply(data, value)
    assert found == becomes
    assert type(found) is type(becomes)


@pytest.mark.parametrize("transform", EVERY_TRANSFORM, ids=name_of)
def test_null_passes_through(transform: Transform) -> None:
    assert transform.apply(None) is None


@pytest.mark.parametrize(
    ("data", "value", "message"),
    [
        ("lowercase", 5, "lowercase takes text; found 5"),
        ("strip", True, "strip takes text; found true"),
        ("sort_tokens", ["a"], 'sort_tokens takes text; found ["a"]'),
        ({"round_digits": {"digits": 1}}, "1.25", 'round_digits takes a number; found "1.25"'),
        ({"round_digits": {"digits": 1}}, True, "round_digits takes a number; found true"),
        ({"round_digits": {"digits": -308}}, 1.7e308, "round_digits cannot round 1.7e+308 to -308 digits"),
        ({"type_convert": {"to": "int"}}, "3.0", 'type_convert cannot make a whole number of "3.0"'),
        ({"type_convert": {"to": "int"}}, "0x10", 'type_convert cannot make a whole number of "0x10"'),
        ({"type_convert": {"to": "int"}}, [1], "type_convert cannot make a whole number of [1]"),
        ({"type_convert": {"to": "float"}}, "inf", 'type_convert cannot make a number of "inf"'),
        ({"type_convert": {"to": "float"}}, "NaN", 'type_convert cannot make a number of "NaN"'),
        ({"type_convert": {"to": "float"}}, 10**400, "type_convert cannot make a number of 1000"),
        ({"type_convert": {"to": "str"}}, {}, "type_convert cannot make text of {}"),
        ({"type_convert": {"to": "bool"}}, "T", 'type_convert cannot make true or false of "T"'),
        ({"type_convert": {"to": "bool"}}, 2, "type_convert cannot make true or false of 2"),
        ({"type_convert": {"to": "bool"}}, 1.0, "type_convert cannot make true or false of 1.0"),
    ],
)
def test_a_value_that_cannot_be_changed_is_an_error(data: object, value: object, message: str) -> None:
    with pytest.raises(TransformError) as caught:
        apply(data, value)
    assert str(caught.value).startswith(message)


@given(
    st.sampled_from(EVERY_TRANSFORM),
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
)
def test_a_value_is_changed_or_refused_and_nothing_else(transform: Transform, value: object) -> None:
    with suppress(TransformError):
        transform.apply(value)


def test_transforms_run_left_to_right() -> None:
    both = chain([parse_transform("strip"), parse_transform({"regex_replace": {"pattern": " ", "with": "_"}})])
    assert both is not None
    assert both(" a b ") == "a_b"
    assert both(None) is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("lowercas", 'unknown transform "lowercas"'),
        ({"strip": {"x": 1}}, 'unknown setting "x" for transform "strip"'),
        ("round_digits", '"digits" is missing for transform "round_digits"'),
        ({"round_digits": {"digits": True}}, '"digits" must be a whole number; found true'),
        ({"round_digits": {"digits": 1.5}}, '"digits" must be a whole number; found the number 1.5'),
        ({"type_convert": {"to": "date"}}, '"to" must be one of'),
        ({"regex_replace": {"pattern": "a"}}, '"with" is missing'),
        ({"regex_replace": {"pattern": "(a", "with": ""}}, 'malformed pattern "(a": missing ) at character 3'),
        ({"regex_replace": {"pattern": "a", "with": "\\2"}}, 'malformed replacement "\\2"'),
        ({"regex_replace": {"pattern": "a", "with": "", "timeout_seconds": 0}}, '"timeout_seconds" must be more than 0'),
        ({"strip": {}, "lowercase": {}}, "a transform is a word or a map with one key"),
        (3, "expected the name of a transform"),
    ],
)
def test_bad_parameters_are_refused_before_the_first_row(data: object, message: str) -> None:
    with pytest.raises(BadSettings) as caught:
        parse_transform(data)
    assert any(detail.message.startswith(message) for detail in caught.value.details), caught.value.details


def test_a_pattern_that_runs_out_of_time_is_nobodys_score() -> None:
    slow = parse_transform({"regex_replace": {"pattern": "(a|aa)+$", "with": "", "timeout_seconds": 0.001}})
    with pytest.raises(RowProblem) as caught:
        slow.apply("a" * 60 + "b")
    assert caught.value.issue.code == "regex-timeout"
    assert caught.value.issue.blame is Blame.ENVIRONMENT


def test_the_pattern_library_is_imported_only_for_patterns() -> None:
    program = (
        "import sys; from evaluators.values import transforms as t; t.parse_transform('strip');"
        "assert not {'regex', 'unidecode'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
