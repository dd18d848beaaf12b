"""Calls of functions with alternatives and optional arguments, decided as a benchmark decides them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluators import load

ONE_OF = {"one_of": {"answers": "expected", "absent": ""}}
LINES = {"$": {"align": "any_order"}, "[*][*]": {"transforms": ["json"]}, "[*][*][*]": ONE_OF}
SUITE = {"evaluators": [
    {"schema_match": {"name": "schema", "fields": LINES}}, {"json_multi_field_match": {"name": "listed", "fields": LINES}}
]}  # fmt: skip
VALUES = st.sampled_from(["x", "y", 1, True])
ANSWERS = st.lists(VALUES, min_size=1, max_size=2).flatmap(lambda some: st.sampled_from([some, [*some, ""]]))
NAMES, KEYS = st.sampled_from(["f", "g"]), st.sampled_from(["a", "b"])
EXPECTED = st.dictionaries(NAMES, st.dictionaries(KEYS, ANSWERS, min_size=1, max_size=2), min_size=1, max_size=1)
CALLS = st.dictionaries(NAMES, st.dictionaries(KEYS, VALUES, max_size=2), min_size=1, max_size=1)


def right(call: dict[str, Any], expected: dict[str, Any]) -> bool:
    """The rule of the benchmark: the function, no argument that is not expected, and each one that is: one of its answers, or left out
    where an empty text is among them."""
    ((name, given_arguments),), ((wanted, arguments),) = call.items(), expected.items()
    listed = all(
        any(type(value) is type(one) and value == one for one in arguments.get(key, ()))
        for key, value in given_arguments.items()
    )
    return (
        name == wanted and listed and all(key in given_arguments or "" in answers for key, answers in arguments.items())
    )


@given(CALLS, EXPECTED, st.booleans())
def test_one_call_is_decided_as_the_benchmark_decides_it(call: Any, expected: Any, as_text: bool) -> None:
    ((name, arguments),) = call.items()
    output = [{name: json.dumps(arguments)}] if as_text else [call]
    found = load(SUITE).evaluate({"output": output, "expected": [expected]})
    assert found["schema"].passed is right(call, expected)
    assert found["listed"].passed is right(call, expected)


@given(st.lists(CALLS, max_size=3), st.lists(EXPECTED, min_size=1, max_size=3))
def test_a_chunk_of_rows_is_decided_as_each_row_alone(calls: list[Any], expected: list[Any]) -> None:
    for line in load(SUITE).lines:
        rows = [(expected, calls), (expected[:1], calls[:1]), (expected, [])]
        together: Any = line.settings.compile()
        assert together.verdicts(*zip(*rows, strict=True)) == [line.settings.compile()(*row) for row in rows]
