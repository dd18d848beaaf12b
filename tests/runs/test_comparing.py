"""Comparing: what must hold for any two runs, and what is said when two runs are not of one question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.issues import Problems
from evaluators.runs.baseline import baseline_text, read_baseline, write_baseline
from evaluators.runs.comparing import compare_sides, rank_variants, variant_side
from evaluators.runs.comparison import Comparison
from evaluators.runs.comparison_json import comparison_json
from evaluators.runs.guard_config import CompareConfig, GuardConfig
from evaluators.runs.sides import Said, Side, SideRows

FIELDS = ("total", "date")
PLAIN = st.builds(lambda right: Said("scored", float(right), right), st.booleans())
LISTED = st.builds(
    lambda one, other: Said("scored", ((one == "match") + (other == "match")) / 2, one == other == "match", (one, other)),
    *[st.sampled_from(["match", "mismatch", "omission", "hallucination"])] * 2,
) | st.sampled_from([Said("invalid", None, None, ("not measured",) * 2), Said("skipped", None, None)])
COLUMNS = st.lists(st.tuples(PLAIN, LISTED), min_size=1, max_size=25)
TWO = COLUMNS.flatmap(
    lambda one: st.tuples(st.just(one), st.lists(st.tuples(PLAIN, LISTED), min_size=len(one), max_size=len(one)))
)
RIGHT, WRONG = Said("scored", 1.0, True), Said("scored", 0.0, False)


def rows_of(columns: list[tuple[Said, Said]], clusters: bool = False) -> SideRows:
    count = range(len(columns))
    return SideRows(
        numbers=[place + 2 for place in count],
        ids=[f"D-{place}" for place in count],
        given=[f"{place:08x}" for place in count],
        clusters=["ab"[place % 2] for place in count] if clusters else [],
        said={"parses": [one for one, _ in columns], "header": [other for _, other in columns]},
    )


def side(label: str, rows: SideRows | Mapping[str, SideRows]) -> Side:
    by_variant: dict[str | None, SideRows] = {None: rows} if isinstance(rows, SideRows) else dict(rows.items())
    meaning = {"": {"parse": "1"}, "parses": {"type": "2"}, "header": {"type": "3", "fields → total": "4"}}
    fields = {"parses": (), "header": FIELDS}
    return Side(label, "invoices", "0.1.0", "rows.csv", "sha256:0", True, meaning, fields, None, by_variant)


def plain(base: str, new: str, config: CompareConfig = CompareConfig(), **targets: str | None) -> Comparison:
    """Two runs of one evaluator: `+` is right, `-` is wrong."""
    one, other = (
        side(name, rows_of([(RIGHT if mark == "+" else WRONG, RIGHT) for mark in text]))
        for name, text in (("base", base), ("new", new))
    )
    return compare_sides(one, other, config, {name: (name, None) for name in targets})


@settings(max_examples=50, deadline=None)
@given(COLUMNS, st.booleans())
def test_a_run_against_itself_finds_nothing(columns: list[tuple[Said, Said]], clusters: bool) -> None:
    one = side("one", rows_of(columns, clusters))
    found = compare_sides(one, one, CompareConfig(fail_on=("significant_drop", "broken_rows")))
    assert (found.fixed, found.broken, found.changed, found.exit_code) == (0, 0, (), 0)
    assert found.unchanged == found.rows == len(columns)
    for each in (*found.evaluators, *found.fields):
        assert each.finding in ("the same", "not measured")
        assert each.difference in (0.0, None)
        assert each.p in (1.0, None)


@settings(max_examples=50, deadline=None)
@given(TWO, st.booleans())
def test_swapping_the_runs_mirrors_every_sign(
    columns: tuple[list[tuple[Said, Said]], list[tuple[Said, Said]]], clusters: bool
) -> None:
    one, other = (side(name, rows_of(each, clusters)) for name, each in zip("ab", columns, strict=True))
    there, back = compare_sides(one, other), compare_sides(other, one)
    mirrored = {"better": "worse", "worse": "better"}
    for forth, again in zip((*there.evaluators, *there.fields), (*back.evaluators, *back.fields), strict=True):
        assert (forth.fixed, forth.broken, forth.p, forth.base) == (again.broken, again.fixed, again.p, again.new)
        assert again.finding == mirrored.get(forth.finding, forth.finding)
        if forth.difference is not None and again.difference is not None:
            assert forth.difference == -again.difference
        if forth.interval is not None and again.interval is not None and forth.difference is not None:
            assert (forth.interval.low, forth.interval.high) == pytest.approx((-again.interval.high, -again.interval.low))
            assert forth.interval.low <= forth.difference <= forth.interval.high
    assert {row.id: (row.broken, row.fixed) for row in there.changed} == {
        row.id: (row.fixed, row.broken) for row in back.changed
    }


@settings(max_examples=30, deadline=None)
@given(TWO)
def test_the_order_of_rows_does_not_matter(columns: tuple[list[tuple[Said, Said]], list[tuple[Said, Said]]]) -> None:
    base, new = rows_of(columns[0]), rows_of(columns[1])
    turned = SideRows(
        base.numbers[::-1], base.ids[::-1], base.given[::-1], [], {name: said[::-1] for name, said in base.said.items()}
    )
    assert comparison_json(compare_sides(side("b", turned), side("n", new))) == comparison_json(
        compare_sides(side("b", base), side("n", new))
    )


@settings(max_examples=30, deadline=None)
@given(COLUMNS, st.booleans())
def test_a_baseline_holds_all_that_a_comparison_needs(columns: list[tuple[Said, Said]], clusters: bool) -> None:
    one = side("runs/one", rows_of(columns, clusters))
    text = baseline_text(one)
    assert text == baseline_text(replace(one, label="elsewhere"))

    with TemporaryDirectory() as folder:
        file = Path(folder) / "main.json"
        write_baseline(file, one)
        assert replace(read_baseline(file), label=one.label) == one


def test_rows_that_changed_are_counted_and_named() -> None:
    found = plain("++--+", "+-+-+")
    assert (found.fixed, found.broken, found.unchanged) == (1, 1, 3)
    assert [(row.id, row.number, row.broken, row.fixed) for row in found.changed] == [
        ("D-1", 3, ("parses",), ()), ("D-2", 4, (), ("parses",)),
    ]  # fmt: skip


def test_a_drop_that_chance_does_not_explain_fails() -> None:
    found = plain("+" * 30, "+" * 20 + "-" * 10)
    assert found.evaluators[0].finding == "worse"
    assert found.exit_code == 1
    assert found.causes == ("significant_drop: clearly worse: parses by 0.3333",)


def test_a_drop_that_could_be_chance_does_not_fail_but_broken_rows_may() -> None:
    assert plain("+" * 30, "+" * 28 + "--").exit_code == 0
    strict = CompareConfig(fail_on=("broken_rows",))
    assert plain("+" * 30, "+" * 28 + "--", strict).exit_code == 1
    assert plain("+" * 30, "+" * 28 + "--", CompareConfig(max_broken_rows=2)).exit_code == 0


def test_a_guard_is_about_one_evaluator() -> None:
    config = CompareConfig(fail_on=(), guards={"parses": GuardConfig(max_drop=0.05, max_broken_rows=2)})
    found = plain("+" * 30, "+" * 28 + "--", config, parses=None)
    assert [(one.rule, one.verdict) for one in found.guards] == [("max_drop", "failed"), ("max_broken_rows", "passed")]
    assert found.causes == ("max_drop of parses: lower by 0.0667; the most is 0.05",)


def test_a_guard_on_a_field_that_was_never_measured_is_undecided() -> None:
    blank = [(RIGHT, Said("skipped", None, None))] * 4
    one = side("one", rows_of(blank))
    config = CompareConfig(guards={"header.total": GuardConfig(max_drop=0.1)})
    found = compare_sides(one, one, config, {"header.total": ("header", "total")})
    assert (found.guards[-1].verdict, found.exit_code) == ("undecided", 3)


def test_runs_of_which_no_row_was_scored_are_no_comparison() -> None:
    blank = [(Said("invalid", None, None), Said("invalid", None, None))] * 4
    one = side("one", rows_of(blank))
    assert compare_sides(one, one).causes == ("nothing was compared: no row was scored in both runs",)


def test_what_makes_runs_incomparable_is_said_exactly() -> None:
    base, new = side("base", rows_of([(RIGHT, RIGHT)] * 4)), rows_of([(RIGHT, RIGHT)] * 5)
    new.given[1] = "other"
    new.ids[3] = "X"
    changed = replace(
        side("new", new), complete=False, fields={"header": FIELDS, "extra": ()},
        meaning={"": {"parse": "9"}, "header": {"type": "3", "fields → total": "5"}, "extra": {}},
    )  # fmt: skip
    found = compare_sides(base, changed)
    assert found.exit_code == 4
    assert found.evaluators == ()
    assert found.incomparable == (
        'only the base has the evaluator "parses"',
        'only the new run has the evaluator "extra"',
        "the test set is read otherwise: parse",
        'the evaluator "header" has other settings: fields → total',
        "the new run was interrupted before its last row",
        "1 row is in the base only: D-3",
        "2 rows are in the new run only: X, D-4",
        "1 row has another expected answer, or another cell that is looked at: D-1 (row 3)",
    )


def test_what_different_runs_have_in_common_is_compared_when_asked_for() -> None:
    base, new = side("base", rows_of([(RIGHT, RIGHT)] * 4)), rows_of([(WRONG, RIGHT)] * 5)
    new.given[1] = "other"
    found = compare_sides(base, side("new", new), common=True)
    assert (found.rows, found.evaluators[0].pairs, found.broken) == (3, 3, 3)
    assert all(note.startswith("set aside: ") for note in found.notes)


def test_rows_that_share_an_id_are_paired_in_their_order() -> None:
    base, new = rows_of([(RIGHT, RIGHT), (WRONG, RIGHT)]), rows_of([(RIGHT, RIGHT), (RIGHT, RIGHT)])
    base.ids = new.ids = ["D", "D"]
    found = compare_sides(side("base", base), side("new", new))
    assert (found.fixed, found.broken) == (1, 0)
    assert found.notes == ("1 row shares its id with an earlier one; such rows are paired in their order",)


def test_no_common_row_is_no_comparison() -> None:
    base, new = rows_of([(RIGHT, RIGHT)]), rows_of([(RIGHT, RIGHT)])
    new.ids = ["other"]
    assert compare_sides(side("base", base), side("new", new), common=True).exit_code == 4


def test_variants_are_ranked_and_those_that_chance_explains_share_a_rank() -> None:
    marks = {"best": "+" * 30, "close": "+" * 29 + "-", "poor": "+" * 15 + "-" * 15}
    rows = {name: rows_of([(RIGHT if one == "+" else WRONG, RIGHT) for one in text]) for name, text in marks.items()}
    parses = rank_variants(side("run", rows), tuple(marks))[0]
    assert [(one.variant, one.rank, one.passed, one.alike) for one in parses.variants] == [
        ("best", 1, 30, ("close",)), ("close", 1, 29, ("best",)), ("poor", 3, 15, ()),
    ]  # fmt: skip


def test_a_variant_is_a_run_of_its_own() -> None:
    rows = {"a": rows_of([(RIGHT, RIGHT)] * 3), "b": rows_of([(WRONG, RIGHT)] * 3)}
    run = side("run", rows)
    found = compare_sides(variant_side(run, "a"), variant_side(run, "b"))
    assert (found.base, found.new, found.broken) == ("a", "b", 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a baseline"),
        ("[1]", "not a baseline, and not a run folder"),
        ('{"kind": "evaluators baseline", "format": 2}', "written in format 2"),
        ('{"kind": "evaluators baseline", "format": 1}', "not a baseline"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "main.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(Problems, match=said):
        read_baseline(file)


def test_runs_with_variants_are_compared_variant_by_variant() -> None:
    base = {"a": rows_of([(RIGHT, RIGHT)] * 3), "b": rows_of([(RIGHT, RIGHT)] * 3)}
    new = {"a": rows_of([(RIGHT, RIGHT)] * 3), "b": rows_of([(WRONG, RIGHT)] * 3)}
    found = compare_sides(side("base", base), side("new", new))
    assert [(one.variant, one.evaluator, one.broken) for one in found.evaluators] == [
        ("a", "parses", 0), ("a", "header", 0), ("b", "parses", 3), ("b", "header", 0),
    ]  # fmt: skip
    assert (found.rows, found.broken, {row.variant for row in found.changed}) == (6, 3, {"b"})
    other = compare_sides(side("base", base), side("new", {"a": new["a"], "c": new["b"]}))
    assert other.incomparable == ('the variants differ: "a", "b" in the base, "a", "c" in the new run',)


def test_variants_without_rows_have_no_rank() -> None:
    assert rank_variants(side("run", {"a": SideRows(), "b": SideRows()}), ("a", "b")) == ()


def test_what_could_be_detected_is_unknown_while_no_test_could_tell_the_changes_from_chance() -> None:
    assert plain("+" * 12, "-" * 5 + "+" * 7).evaluators[0].detectable is None
    assert plain("+" * 12, "-" * 6 + "+" * 6).evaluators[0].detectable is not None
