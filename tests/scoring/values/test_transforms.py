"""Transforms: what each of them changes, what it refuses, and how the table is read."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.issues import Blame, Problems, RowProblem
from evaluators.model.settings import BadSettings
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.transforms import (
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
    "split": {"at": ","},
    "value_of": {"key": "value"},
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
        *(
            ({"round_digits": {"digits": 2}}, value, becomes)
            for value, becomes in [
                (2.675, 2.68),
                (8.575, 8.58),
                (10.075, 10.08),
                (2.665, 2.66),
                (1.015, 1.02),
                (5.015, 5.02),
                (0.125, 0.12),
                (0.135, 0.14),
                (1.025, 1.02),
                (0.285, 0.28),
                (-2.675, -2.68),
                (-0.0, 0.0),
                (0.001, 0.0),
                (1e-320, 0.0),
            ]
        ),
        ({"round_digits": {"digits": 400}}, 1.7e308, 1.7e308),
        ({"round_digits": {"digits": 300}}, 1.25e-300, 1e-300),
        ({"round_digits": {"digits": -400}}, 1.7e308, 0.0),
        ({"round_digits": {"digits": -22}}, 2.5e22, 2e22),
        ({"type_convert": {"to": "int"}}, 1e23, 10**23),
        ({"type_convert": {"to": "int"}}, -0.9, 0),
        ({"type_convert": {"to": "str"}}, 123.0, "123"),
        ({"type_convert": {"to": "str"}}, 1e16, "10000000000000000"),
        ({"type_convert": {"to": "str"}}, 1e23, "100000000000000000000000"),
        ({"type_convert": {"to": "str"}}, 1e-7, "0.0000001"),
        ({"type_convert": {"to": "str"}}, -0.0, "0"),
        ({"type_convert": {"to": "str"}}, -12.5, "-12.5"),
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
        ({"split": {"at": ","}}, "a, b", ["a", "b"]),
        ({"split": {"at": ","}}, " a ,, b,", ["a", "b"]),
        ({"split": {"at": ", "}}, "a, b,c", ["a", "b,c"]),
        ({"split": {"at": "\n"}}, "a b\r\nc\n", ["a b", "c"]),
        ({"split": {"at": " "}}, " a  b ", ["a", "b"]),
        ({"split": {"at": ","}}, "a", ["a"]),
        ({"split": {"at": ","}}, "", []),
        ({"split": {"at": ","}}, " , ", []),
        ({"split": {"at": ","}}, ["a, b"], ["a, b"]),
        ({"split": {"at": ","}}, 5, 5),
        ("json", '{"a": [1, null]}', {"a": [1, None]}),
        ("json", " [1] ", [1]),
        ("json", '"a"', "a"),
        ("json", "1.0", 1.0),
        ("json", {"a": "[1]"}, {"a": "[1]"}),
        ("json", 5, 5),
        ("unwrap", [{"a": 1}], {"a": 1}),
        ("unwrap", [["a"]], "a"),
        ("unwrap", ["a", "b"], ["a", "b"]),
        ("unwrap", [], []),
        ("unwrap", {"a": [1]}, {"a": [1]}),
        ({"value_of": {"key": "value"}}, {"value": "a", "confidence": 0.9}, "a"),
        ({"value_of": {"key": "value"}}, {"value": {"value": 1}}, {"value": 1}),
        ({"value_of": {"key": "value"}}, {"text": "a"}, {"text": "a"}),
        ({"value_of": {"key": "value"}}, ["value"], ["value"]),
        ({"value_of": {"key": "value"}}, "a", "a"),
    ],
)
def test_each_transform(data: object, value: object, becomes: object) -> None:
    found = apply(data, value)
    assert found == becomes
    assert type(found) is type(becomes)


@given(st.integers(-(10**9), 10**9), st.integers(-2, 6), st.integers(0, 6))
def test_numbers_are_rounded_as_they_are_written(number: int, digits: int, decimals: int) -> None:
    value, exact = number / 10**decimals, Fraction(number, 10**decimals)
    assert apply({"round_digits": {"digits": digits}}, value) == float(round(exact, digits))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_as_text_reads_back_as_that_number(number: float) -> None:
    text = apply({"type_convert": {"to": "str"}}, number)
    assert float(text) == number
    assert set(text) <= set("-.0123456789")
    assert apply({"type_convert": {"to": "str"}}, int(number)) == text or not number.is_integer() or abs(number) >= 1e16


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
        ({"type_convert": {"to": "int"}}, "NaN", 'type_convert cannot make a whole number of "NaN"'),
        ({"type_convert": {"to": "str"}}, {}, "type_convert cannot make text of {}"),
        ({"type_convert": {"to": "bool"}}, "T", 'type_convert cannot make true or false of "T"'),
        ({"type_convert": {"to": "bool"}}, 2, "type_convert cannot make true or false of 2"),
        ({"type_convert": {"to": "bool"}}, 1.0, "type_convert cannot make true or false of 1.0"),
        ("json", "", 'json cannot read "": '),
        ("json", "{'a': 1}", """json cannot read "{'a': 1}": """),
        ("json", '{"a": 1} and more', 'json cannot read "{\\"a\\": 1} and more": '),
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


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(JSON_VALUES)
def test_what_json_reads_is_the_value_and_stays(value: Any) -> None:
    found = apply("json", to_text(value))
    assert json_equal(found, value)
    assert isinstance(value, str) or json_equal(apply("json", found), found)


@given(JSON_VALUES, st.integers(0, 3))
def test_a_value_is_unwrapped_once_and_for_all(value: Any, lists: int) -> None:
    wrapped = value
    for _ in range(lists):
        wrapped = [wrapped]
    found = apply("unwrap", wrapped)
    assert json_equal(found, apply("unwrap", value))
    assert json_equal(apply("unwrap", found), found)


@given(st.lists(st.text("ab c.", min_size=1).map(str.strip).filter(bool)), st.sampled_from([",", ";", " | "]))
def test_a_joined_list_is_split_into_its_items_and_stays(items: list[str], mark: str) -> None:
    split = {"split": {"at": mark}}
    assert apply(split, mark.join(items)) == items
    assert apply(split, apply(split, mark.join(items))) == items


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
        ("split", 'split needs "at", which stands between the items'),
        ({"split": {"at": ""}}, '"at" must not be empty'),
        ({"split": {"at": 5}}, '"at" must be text; found the number 5'),
        ({"split": ","}, 'the options of "split" must be a map; found the text ","'),
        ({"json": {"x": 1}}, 'unknown setting "x" for transform "json"'),
        ({"strip": {}, "lowercase": {}}, "a transform is a word or a map with one key"),
        (3, "expected the name of a transform"),
    ],
)
def test_bad_parameters_are_refused_before_the_first_row(data: object, message: str) -> None:
    with pytest.raises(BadSettings) as caught:
        parse_transform(data)
    assert any(detail.message.startswith(message) for detail in caught.value.details), caught.value.details


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ("split", 'split: {at: ","}'),
        ({"split": ";"}, 'split: {at: ";"}'),
        ({"split": {"separator": " | "}}, 'split: {at: " | "}'),
        ({"type_convert": "int"}, "type_convert: {to: int}"),
        ({"round_digits": 2}, "round_digits: {digits: 2}"),
    ],
)
def test_a_hint_is_the_line_to_write(data: object, line: str) -> None:
    with pytest.raises(BadSettings) as caught:
        parse_transform(data)
    assert [detail.hint for detail in caught.value.details] == [f"write {line}"]
    parse_transform(yaml.safe_load(line))


def test_a_pattern_that_runs_out_of_time_is_nobodys_score() -> None:
    slow = parse_transform({"regex_replace": {"pattern": "(a|aa)+$", "with": "", "timeout_seconds": 0.001}})
    with pytest.raises(RowProblem) as caught:
        slow.apply("a" * 60 + "b")
    assert caught.value.issue.code == "regex-timeout"
    assert caught.value.issue.blame is Blame.ENVIRONMENT


def test_the_pattern_library_is_imported_only_for_patterns() -> None:
    program = (
        "import sys; from evaluators.scoring.values import transforms as t; t.parse_transform('strip');"
        "assert not {'regex', 'unidecode'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
