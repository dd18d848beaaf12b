"""Names of metrics: two different paths never share one, and platforms take them all."""

from __future__ import annotations

import csv
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.reports.csv_cells import quote_cells
from evaluators.reports.names import field_name, fit_name, flat_columns, segment
from evaluators.reports.tracking.metrics import metrics_of
from evaluators.runs.result import Counts, EvaluatorStats, FieldStats, RunResult
from evaluators.scoring.values.path_text import ANY, as_step, display

KEYS = st.one_of(
    st.sampled_from(
        ["each", "item-0", "item--1", "as-path", "as-pointer", "", "_", "-", "_-", "_-_", "a.b", "*", "[*]", "2e_"]
    ),
    st.text(st.sampled_from("ab0_-2e .[]*$/\\\"'é"), max_size=6),
    st.text(max_size=6),
)
STEPS = st.lists(st.one_of(KEYS, st.just(ANY), st.integers(-2, 3)), max_size=4)
PATHS = st.one_of(
    STEPS.map(display), STEPS.map(lambda steps: ".".join(map(str, steps))), KEYS, KEYS.map(lambda key: f"/{key}/each")
)
ALLOWED = re.compile(r"[\w. -]+")


def decoded(part: str) -> str:
    """What a part of a name stands for: each escape is the character of that number."""
    found, at = "", 0
    while at < len(part):
        escape = re.match(r"_-([0-9a-f]+)_", part[at:])
        found += chr(int(escape[1], 16)) if escape else part[at]
        at += escape.end() if escape else 1
    return found


@given(KEYS)
def test_a_part_of_a_name_can_be_read_back(key: str) -> None:
    assert segment(key) == "_-_" if not key else decoded(segment(key)) == key


def path_of(name: str) -> str:
    """The path that a name was made from."""
    parts = name.split(".")
    keys = ["" if part == "_-_" else decoded(part) for part in parts]
    if parts[0] == "as-pointer":
        return "/" + "/".join(keys[1:])
    if parts[0] == "as-path":
        return ".".join(keys[1:])
    index = re.compile(r"item-(-?[0-9]+)")
    return display(
        ANY if part == "each" else int(found[1]) if (found := index.fullmatch(part)) else key
        for part, key in zip(parts, keys, strict=True)
    )


@given(PATHS)
def test_a_name_can_be_read_back_as_its_path(path: str) -> None:
    assert path_of(field_name(path)) == path
    assert ALLOWED.fullmatch(field_name(path))


@given(PATHS, PATHS)
def test_two_paths_never_have_the_same_name(first: str, second: str) -> None:
    assert (field_name(first) == field_name(second)) == (first == second)


@given(PATHS, PATHS, st.integers(30, 60))
def test_a_name_that_is_cut_stays_apart_from_every_other(first: str, second: str, most: int) -> None:
    one, other = (fit_name(f"evaluator/{field_name(path)}/accuracy", most) for path in (first, second))
    assert len(one) <= most
    assert (one == other) == (first == second)


def test_a_name_is_cut_at_the_length_that_a_platform_takes() -> None:
    assert fit_name("x" * 250, 250) == "x" * 250
    assert re.fullmatch("x{228}_-cut-[0-9a-f]{16}", fit_name("x" * 251, 250))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("vendor.name", "vendor.name"),
        ('["Größe in cm"]', "Größe in cm"),
        ("items[*].price", "items.each.price"),
        ("items.price", "items.price"),
        ("items.each.price", "items._-65_ach.price"),
        ('["items[*]"].price', "items_-5b__-2a__-5d_.price"),
        ("items[3].price", "items.item-3.price"),
        ("items[-1]", "items.item--1"),
        ('["net.price"]', "net_-2e_price"),
        ('a[""]', "a._-_"),
        ("net_-x", "net_-5f_-x"),
        ("/totals/gross", "as-pointer.totals.gross"),
        ("$", "as-path._-24_"),
        ("items.3", "as-path.items.3"),
    ],
)
def test_names_read_like_their_paths(path: str, name: str) -> None:
    assert field_name(path) == name


def test_digits_are_an_index_only_where_reports_spell_one() -> None:
    assert as_step("3") == 3
    assert len({field_name(path) for path in ("items.3", "items[3]", 'items["3"]', "/items/3")}) == 4


def result(*fields: str) -> RunResult:
    listed = tuple(FieldStats(path, Counts(match=1), 1.0, None, None, None) for path in fields)
    nothing = dict.fromkeys(
        ["passed", "failed", "skipped", "not_measured", "invalid", "unjudged", "bugs", "unreadable", "blocked"], 0
    )  # fmt: skip
    stats = EvaluatorStats(
        "a/b", "x", 1, 1, **nothing, mean=float("nan"), pass_rate=None, pass_rate_ci=None, fields=listed
    )
    return RunResult("x", "", "", "", "", 1, {}, (stats,))


def test_two_figures_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two metrics are called evaluator/a_-2f_b/field/total/n"):
        metrics_of(result("total", "total"))


def test_what_is_no_number_is_left_out() -> None:
    found = metrics_of(result("total"))
    assert "a_-2f_b/mean" not in found
    assert "a_-2f_b/pass_rate" not in found
    assert "evaluator/a_-2f_b/field/total/precision" not in found
    assert found["evaluator/a_-2f_b/rows/scored"] == 1


@example(["=a", "'=a"], [])
@given(
    st.lists(
        st.one_of(st.sampled_from(["a.score", "'=a", "=a", "why", "=a.score", "why (2)"]), KEYS), unique=True, max_size=5
    ),
    st.lists(st.tuples(st.one_of(st.sampled_from(["a", "a.b", "=a"]), KEYS), st.lists(PATHS, max_size=3)), max_size=4),
)
def test_no_two_columns_of_a_table_have_the_same_name(header: list[str], evaluators: list[tuple[str, list[str]]]) -> None:
    columns = flat_columns(evaluators, ("score",), listing=("aggregate_score",), before=header, after=("why",))
    (read,) = (
        csv.reader([quote_cells(columns)]) if not any("\n" in one or "\r" in one for one in columns) else [[*columns]]
    )
    assert len({*read}) == len(read) == len(columns)


EVALUATORS = st.tuples(KEYS, st.one_of(st.none(), KEYS), st.lists(PATHS, unique=True, max_size=3))


@given(st.lists(EVALUATORS, unique_by=lambda one: one[:2], max_size=4))
def test_no_two_metrics_of_a_run_have_the_same_name(named: list[tuple[str, str | None, list[str]]]) -> None:
    parts = [(name, variant, result(*fields).evaluators[0]) for name, variant, fields in named]
    stats = tuple(replace(one, name=name, variant=variant) for name, variant, one in parts)
    slices = tuple(replace(one, slice=("row.s", value)) for one in stats for value in ("z", "z\x0b"))
    found = metrics_of(replace(result(), evaluators=stats, slices=slices), every=True)
    assert sum(name.endswith("/rows/scored") for name in found) == 3 * len(stats)
