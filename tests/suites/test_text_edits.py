"""A change of a suite's text changes what was asked for and nothing else; no comment is ever lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from evaluators.model.issues import Problems
from evaluators.suites.text_edits import data_of, with_value, without
from tests.kit import problem_of, quick_first

CONFIGS = Path(__file__).parents[2] / "configs"
SUITES = sorted(CONFIGS.glob("**/*.yaml"))
FIELDS = """\
# what it is for
evaluators:
  - type: json_multi_field_match   # one of two
    fields:
      number: exact   # to the letter
      # amounts
      total: {compare: numeric, weight: 2}

      vendor:
        compare: fuzzy  # names
        required: true
  # the other
  - contains_json
"""
FIELDS_OF = ("evaluators", 0, "fields")
VALUES = [
    "exact",
    None,
    True,
    0.5,
    "a b: #c",
    {"numeric": {"tolerance": {"abs": 0.1}}},
    [1, "x"],
    "NO",
    "0123",
    {},
    'é\n"q"',
]


@pytest.mark.parametrize(
    ("loc", "value", "was", "becomes"),
    [
        ((*FIELDS_OF, "number"), "numeric", "number: exact   # to", "number: numeric   # to"),
        ((*FIELDS_OF, "total", "weight"), 0.5, "weight: 2}", "weight: 0.5}"),
        ((*FIELDS_OF, "total", "required"), True, "weight: 2}", "weight: 2, required: true}"),
        ((*FIELDS_OF, "vendor", "weight"), 3, "required: true\n", "required: true\n        weight: 3\n"),
        ((*FIELDS_OF, "items[*].qty"), "numeric", "true\n", 'true\n      items[*].qty: numeric\n'),
        ((*FIELDS_OF, "no"), "NO", "true\n", 'true\n      "no": "NO"\n'),
        (("gates", "total"), {"fail_below": 1}, "- contains_json\n", "- contains_json\ngates:\n  total: {fail_below: 1}\n"),
        (("evaluators", 2), {"type": "length", "max": 5}, "- contains_json\n", "- contains_json\n  - type: length\n    max: 5\n"),
        (
            (*FIELDS_OF, "vendor"), "fuzzy",
            "      vendor:\n        compare: fuzzy  # names\n        required: true\n",
            "      # names\n      vendor: fuzzy\n",
        ),
    ],
)  # fmt: skip
def test_only_what_is_set_changes(loc: Any, value: Any, was: str, becomes: str) -> None:
    assert FIELDS.count(was) == 1
    assert with_value(FIELDS, loc, value) == FIELDS.replace(was, becomes)


@pytest.mark.parametrize(
    ("loc", "was", "becomes"),
    [
        ((*FIELDS_OF, "number"), "      number: exact   # to the letter\n", "      # to the letter\n"),
        ((*FIELDS_OF, "total", "compare"), "{compare: numeric, weight: 2}", "{weight: 2}"),
        ((*FIELDS_OF, "total", "weight"), "{compare: numeric, weight: 2}", "{compare: numeric}"),
        (("evaluators", 1), "  - contains_json\n", ""),
        (
            ("evaluators", 0, "type"),
            "  - type: json_multi_field_match   # one of two\n    fields",
            "  # one of two\n  - fields",
        ),
    ],
)
def test_what_is_taken_away_leaves_itscomments_in(loc: Any, was: str, becomes: str) -> None:
    assert FIELDS.count(was) == 1
    assert without(FIELDS, loc) == FIELDS.replace(was, becomes)


def test_a_map_goes_with_its_last_entry() -> None:
    assert without("a: 1\ngates:\n  one:\n    fail_below: 1\n", ("gates", "one", "fail_below")) == "a: 1\n"


def test_line_ends_and_the_mark_of_the_encoding_stay() -> None:
    assert with_value("\ufeffa: 1\r\nb: 2\r\n", ("c",), 3) == "\ufeffa: 1\r\nb: 2\r\nc: 3\r\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_part_of_a_suite_stands_apart_where_the_others_do(end: str) -> None:
    text = "name: x\n\nevaluators:\n  - a  # one\n".replace("\n", end)
    assert with_value(text, ("gates", "a", "fail_below"), 1) == f"{text}{end}gates:{end}  a: {{fail_below: 1}}{end}"
    assert with_value(text, ("evaluators", 1), "b") == f"{text}  - b{end}"


def test_a_text_with_nothing_in_it_gets_its_first_line() -> None:
    assert with_value("# mine", ("name",), "x") == "# mine\nname: x\n"


def test_a_value_that_others_share_is_left_alone() -> None:
    found = problem_of(lambda: with_value("a: &one {x: 1}\nb: *one\n", ("b", "x"), 2))
    assert (found.code, found.hint) == ("not-editable", "change it in the text")


def test_what_another_reader_takes_for_something_else_is_quoted() -> None:
    changed = with_value("a: 1\n", ("b",), ["NO", "12:30", "0x1F", "1e3", "~", "2024-01-01"])
    assert yaml.safe_load(changed)["b"] == data_of(changed)["b"] == ["NO", "12:30", "0x1F", "1e3", "~", "2024-01-01"]


@pytest.mark.parametrize("seed", quick_first(range(4)))
def test_a_thousand_random_changes_mean_what_they_say_and_keep_every_comment(seed: int) -> None:
    random, text, done = Random(seed), "", 0
    while done < 250:
        if not text or done % 50 == 0:
            text = random.choice(SUITES).read_text(encoding="utf-8")
        changed, wanted = _random_change(random, text)
        if changed is None:
            continue
        assert data_of(changed) == wanted
        assert not comments_in(text) - comments_in(changed)
        text, done = changed, done + 1


def _random_change(random: Random, text: str) -> tuple[str | None, Any]:
    """A changed text, and the data that it should have; None where the change was refused."""
    data = data_of(text)
    loc, value = random.choice([one for one in _places(data) if one[0]])
    new = random.choice(VALUES)
    at: Any = data
    for step in loc[:-1]:
        at = at[step]
    try:
        if random.random() < 0.2 and len(at) > 1:
            del at[loc[-1]]
            return without(text, loc), data
        if isinstance(value, list):
            value.append(new)
            return with_value(text, (*loc, len(value) - 1), new), data
        at[loc[-1]] = new
        return with_value(text, loc, new), data
    except Problems:
        return None, None


def _places(data: Any, loc: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield loc, data
    steps = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in steps:
        yield from _places(value, (*loc, step))


def comments_in(text: str) -> Counter[str]:
    """The comments of a text, by the tokens of the library: what is between them and starts with #."""
    found: Counter[str] = Counter()
    at = 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        start = token.start_mark.index
        if isinstance(token, yaml.ScalarToken) or start > at:
            between = text[at:start]
            found.update(match[0].rstrip() for match in re.finditer(r"#[^\n]*", between))
        at = max(at, token.end_mark.index)
    found.update(match[0].rstrip() for match in re.finditer(r"#[^\n]*", text[at:]))
    return found
