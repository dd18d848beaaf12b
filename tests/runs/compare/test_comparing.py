"""Comparing: what must hold for any two runs, and what is said when two runs are not of one question."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

import evaluators
from evaluators.model.rows import FIELD_STATUSES, FieldStatus, Result
from evaluators.reports.comparison_page import comparison_page
from evaluators.reports.text import page_text
from evaluators.runs.compare.compare_section import CompareConfig, RegressionCheck
from evaluators.runs.compare.comparing import compare_sides, variant_side
from evaluators.runs.compare.comparison import RunComparison, comparison_json
from evaluators.runs.compare.pairs import Side, SideRows
from evaluators.runs.compare.variant_ranking import rank_variants
from evaluators.runs.metrics import difference_interval_text
from tests.runs.compare.sides import made_rows, made_side, said

FIELDS = ("total", "date")
PLAIN = st.builds(lambda right: said("scored", float(right), right), st.booleans())
LISTED = st.builds(
    lambda one, other: said("scored", ((one == "match") + (other == "match")) / 2, one == other == "match", (one, other)),
    *[st.sampled_from(["match", "mismatch", "omission", "hallucination"])] * 2,
) | st.sampled_from([said("invalid", None, None, ("not_measured",) * 2), said("skipped", None, None)])
COLUMNS = st.lists(st.tuples(PLAIN, LISTED), min_size=1, max_size=25)
TWO = COLUMNS.flatmap(
    lambda one: st.tuples(st.just(one), st.lists(st.tuples(PLAIN, LISTED), min_size=len(one), max_size=len(one)))
)
LISTED_RIGHT = said("scored", 1.0, True, ("match", "match"))
LISTED_WRONG = said("scored", 0.5, False, ("match", "mismatch"))
RIGHT, WRONG = said("scored", 1.0, True), said("scored", 0.0, False)


def rows_of(columns: list[tuple[Result, Result]], clusters: bool = False) -> SideRows:
    count = range(len(columns))
    return made_rows(
        numbers=[place + 2 for place in count],
        ids=[f"D-{place}" for place in count],
        given=[f"{place:08x}" for place in count],
        clusters=["ab"[place % 2] for place in count] if clusters else [],
        said={"parses": [one for one, _ in columns], "header": [other for _, other in columns]},
    )


def in_clusters(rows: SideRows, names: list[str]) -> SideRows:
    lines = [replace(line, cluster=name) for line, name in zip(rows.lines, names, strict=True)]
    return replace(rows, lines=lines)


def side(label: str, rows: SideRows | Mapping[str, SideRows]) -> Side:
    meaning = {"": {"parse": "1"}, "parses": {"type": "2"}, "header": {"type": "3", "fields → total": "4"}}
    return made_side(label, rows, {"parses": (), "header": FIELDS}, meaning)


def plain(base: str, new: str, config: CompareConfig = CompareConfig(), **targets: str | None) -> RunComparison:
    """Two runs of one evaluator: `+` is right, `-` is wrong."""
    one, other = (
        side(name, rows_of([(RIGHT if mark == "+" else WRONG, RIGHT) for mark in text]))
        for name, text in (("base", base), ("new", new))
    )
    return compare_sides(one, other, config, {name: (name, None) for name in targets})


@given(COLUMNS, st.booleans())
def test_a_run_against_itself_finds_nothing(columns: list[tuple[Result, Result]], clusters: bool) -> None:
    one = side("one", rows_of(columns, clusters))
    found = compare_sides(one, one, CompareConfig(fail_on=("significant_drop", "broken_rows")))
    assert (found.fixed, found.broken, found.changed, found.exit_code) == (0, 0, (), 0)
    assert found.unchanged == found.rows == len(columns)
    for each in (*found.evaluators, *found.fields):
        assert each.verdict in ("the same", "not measured")
        assert each.difference in (0.0, None)
        assert each.p_value in (1.0, None)


PARTIAL = st.integers(0, 6).map(lambda part: said("scored", part / 6, part == 6))
MANY = st.lists(st.tuples(PLAIN | PARTIAL, PLAIN | PARTIAL), min_size=1, max_size=40)


@given(MANY, st.integers(1, 3), st.integers(1, 12))
def test_an_interval_never_contradicts_its_p_value(pairs: list[tuple[Result, Result]], times: int, clusters: int) -> None:
    """Law 15: the interval of a difference holds 0 just when the p-value is not below 0.05."""
    pairs = pairs * times
    one, other = (
        rows_of([(pair[place], LISTED_RIGHT if pair[place].passed else LISTED_WRONG) for pair in pairs])
        for place in (0, 1)
    )
    names = [f"c{place % clusters}" for place in range(len(pairs))]
    for first, second in ((one, other), (in_clusters(one, names), in_clusters(other, names))):
        found = compare_sides(side("a", first), side("b", second))
        for difference in (*found.evaluators, *found.fields):
            assert difference.ci is not None
            assert difference.p_value_corrected is not None
            assert (difference.ci.low <= 0 <= difference.ci.high) == (difference.p_value_corrected >= 0.05)
            assert difference.ci.low <= (difference.difference or 0.0) <= difference.ci.high


@given(TWO, st.booleans())
def test_swapping_the_runs_mirrors_every_sign(
    columns: tuple[list[tuple[Result, Result]], list[tuple[Result, Result]]], clusters: bool
) -> None:
    one, other = (side(name, rows_of(each, clusters)) for name, each in zip("ab", columns, strict=True))
    there, back = compare_sides(one, other), compare_sides(other, one)
    mirrored = {"better": "worse", "worse": "better"}
    for forth, again in zip((*there.evaluators, *there.fields), (*back.evaluators, *back.fields), strict=True):
        assert (forth.fixed, forth.broken, forth.p_value, forth.base) == (
            again.broken,
            again.fixed,
            again.p_value,
            again.new,
        )
        assert again.verdict == mirrored.get(forth.verdict, forth.verdict)
        if forth.difference is not None and again.difference is not None:
            assert forth.difference == -again.difference
        if forth.ci is not None and again.ci is not None and forth.difference is not None:
            assert (forth.ci.low, forth.ci.high) == pytest.approx((-again.ci.high, -again.ci.low))
            assert forth.ci.low <= forth.difference <= forth.ci.high
    assert {row.id: (row.broken, row.fixed) for row in there.changed} == {
        row.id: (row.fixed, row.broken) for row in back.changed
    }


@given(TWO)
def test_the_order_of_rows_does_not_matter(
    columns: tuple[list[tuple[Result, Result]], list[tuple[Result, Result]]],
) -> None:
    base, new = rows_of(columns[0]), rows_of(columns[1])
    turned = SideRows(base.lines[::-1], base.verdicts)
    assert comparison_json(compare_sides(side("b", turned), side("n", new))) == comparison_json(
        compare_sides(side("b", base), side("n", new))
    )


def test_a_drop_that_chance_does_not_explain_fails() -> None:
    found = plain("+" * 30, "+" * 20 + "-" * 10)
    assert found.evaluators[0].verdict == "worse"
    assert found.exit_code == 1
    assert found.causes == ("significant_drop: clearly worse: parses by 0.3333",)


def test_a_drop_that_could_be_chance_does_not_fail_but_broken_rows_may() -> None:
    assert plain("+" * 30, "+" * 28 + "--").exit_code == 0
    strict = CompareConfig(fail_on=("broken_rows",))
    assert plain("+" * 30, "+" * 28 + "--", strict).exit_code == 1
    assert plain("+" * 30, "+" * 28 + "--", CompareConfig(max_broken_rows=2)).exit_code == 0


def test_a_guard_is_about_one_evaluator() -> None:
    config = CompareConfig(fail_on=(), regression_checks={"parses": RegressionCheck(max_drop=0.05, max_broken_rows=2)})
    found = plain("+" * 30, "+" * 28 + "--", config, parses=None)
    assert [(one.rule, one.verdict) for one in found.regression_checks] == [
        ("max_drop", "failed"),
        ("max_broken_rows", "passed"),
    ]
    assert found.causes == ("max_drop of parses: lower by 0.0667; the most is 0.05",)


EVERY_FIELD = {"fields.*": ("", ""), "header.*": ("header", ""), "parses.*": ("parses", "")}


@pytest.mark.parametrize("written", ["fields.*", "header.*"])
def test_every_field_is_held_to_a_drop_that_chance_does_not_explain(written: str) -> None:
    base, new = (
        rows_of([(RIGHT, LISTED_RIGHT)] * 30),
        rows_of([(RIGHT, LISTED_RIGHT)] * 20 + [(RIGHT, LISTED_WRONG)] * 10),
    )
    config = CompareConfig(fail_on=(), regression_checks={written: RegressionCheck(max_drop=0.02)})
    found, of_two = (
        compare_sides(side("base", base), side("new", new), config, EVERY_FIELD),
        f"corrected for 2 fields{' of header' if written == 'header.*' else ''}; the most is 0.02",
    )
    assert [(one.target, one.verdict, one.message) for one in found.regression_checks] == [
        ("header.total", "passed", f"not lower: 30 rows, 95 % CI [-0.1135, +0.1135], p 1.0000 {of_two}"),
        ("header.date", "failed", f"lower by 0.3333: 30 rows, 95 % CI [-0.5315, -0.1523], p 0.0039 {of_two}"),
    ]
    few = rows_of([(RIGHT, LISTED_RIGHT)] * 27 + [(RIGHT, LISTED_WRONG)] * 3)
    luck = compare_sides(side("base", base), side("new", few), config, EVERY_FIELD).regression_checks[1]
    assert (luck.verdict, luck.message.partition(":")[0]) == ("passed", "lower by 0.1000, which may be chance")


def test_a_check_of_every_field_writes_interval_and_p_value_as_the_table_does() -> None:
    base = rows_of([(RIGHT, LISTED_RIGHT)] * 30)
    config = CompareConfig(fail_on=(), regression_checks={"fields.*": RegressionCheck(max_drop=0.02)})
    worst = compare_sides(side("base", base), side("new", rows_of([(RIGHT, LISTED_WRONG)] * 30)), config, EVERY_FIELD)
    assert "p <0.0001 corrected" in worst.regression_checks[1].message
    few = rows_of([(RIGHT, LISTED_WRONG)] * 5 + [(RIGHT, LISTED_RIGHT)] * 25)
    found = compare_sides(side("base", base), side("new", few), config, EVERY_FIELD)
    assert ", 0], p 0.1250 corrected" in found.regression_checks[1].message
    assert difference_interval_text(found.fields[1].ci) in found.regression_checks[1].message


def test_every_field_of_nothing_that_was_measured_is_undecided() -> None:
    config = CompareConfig(fail_on=(), regression_checks={"fields.*": RegressionCheck(max_drop=0.0)})
    one = side("one", rows_of([(RIGHT, said("skipped", None, None))] * 4))
    found = compare_sides(one, one, config, EVERY_FIELD)
    assert (found.regression_checks[-1].verdict, found.exit_code) == ("undecided", 3)
    assert "regression_check of fields.* is undecided: it is in no row of both runs" in found.causes
    base = side("base", rows_of([(RIGHT, LISTED_RIGHT)] * 4))
    assert compare_sides(base, one, config, EVERY_FIELD).exit_code == 3


@given(TWO, st.sampled_from([0.0, 0.1, 0.4]))
def test_every_field_fails_just_where_it_is_clearly_worse_by_more(
    columns: tuple[list[tuple[Result, Result]], list[tuple[Result, Result]]], most: float
) -> None:
    base, new = (side(name, rows_of(each * 3)) for name, each in zip("bn", columns, strict=True))
    config = CompareConfig(fail_on=(), regression_checks={"fields.*": RegressionCheck(max_drop=most)})
    found = compare_sides(base, new, config, EVERY_FIELD)
    worse = [one for one in found.fields if one.verdict == "worse" and (one.invented or -(one.difference or 0.0) > most)]
    failed = [one.target for one in found.regression_checks if one.verdict == "failed"]
    if not any(one.lost_passed for one in found.fields):  # a lost row that passed counts as wrong in checks alone
        assert failed == [f"{one.evaluator}.{one.field}" for one in worse]


def test_a_guard_on_a_field_that_was_never_measured_is_undecided() -> None:
    blank = [(RIGHT, said("skipped", None, None))] * 4
    one = side("one", rows_of(blank))
    config = CompareConfig(regression_checks={"header.total": RegressionCheck(max_drop=0.1)})
    found = compare_sides(one, one, config, {"header.total": ("header", "total")})
    assert (found.regression_checks[-1].verdict, found.exit_code) == ("undecided", 3)


def test_runs_of_which_no_row_was_scored_are_no_comparison() -> None:
    blank = [(said("invalid", None, None), said("invalid", None, None))] * 4
    one = side("one", rows_of(blank))
    assert compare_sides(one, one).causes == ("nothing was compared: no row was scored in both runs",)


def test_what_makes_runs_incomparable_is_said_exactly() -> None:
    base, new = side("base", rows_of([(RIGHT, RIGHT)] * 4)), rows_of([(RIGHT, RIGHT)] * 5)
    new.lines[1].checksum = "other"
    new.lines[3].id = "X"
    meaning = {"": {"parse": "9"}, "header": {"type": "3", "fields → total": "5"}, "extra": {}}
    changed = made_side("new", new, {"header": FIELDS, "extra": ()}, meaning, complete=False)
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
    new.lines[1].checksum = "other"
    found = compare_sides(base, side("new", new), common=True)
    assert (found.rows, found.evaluators[0].pairs, found.broken) == (4, 3, 3)
    assert (found.gained, found.one_sided, found.exit_code) == (1, 1, 0)
    assert found.notes == (
        "set aside: 1 row has another expected answer, or another cell that is looked at: D-1 (row 3)",
        "1 row is in the new run only: D-4",
    )


def test_rows_that_the_new_run_does_not_have_are_lost() -> None:
    base, new = side("base", rows_of([(RIGHT, RIGHT)] * 4)), side("new", rows_of([(RIGHT, RIGHT)] * 3))
    assert compare_sides(base, new).exit_code == 4
    found = compare_sides(base, new, common=True)
    assert (found.rows, found.unchanged, found.lost, found.exit_code) == (4, 3, 1, 3)
    (row,) = found.changed
    assert (row.id, row.number, row.change, row.lost) == ("D-3", 5, "lost", ("parses", "header"))
    assert row.reasons == {"parses": "absent", "header": "absent"}


def test_rows_that_share_an_id_are_paired_in_their_order() -> None:
    base, new = rows_of([(RIGHT, RIGHT), (WRONG, RIGHT)]), rows_of([(RIGHT, RIGHT), (RIGHT, RIGHT)])
    for line in (*base.lines, *new.lines):
        line.id = "D"
    found = compare_sides(side("base", base), side("new", new))
    assert (found.fixed, found.broken) == (1, 0)
    assert found.notes == ("1 row shares its id with an earlier one; such rows are paired in their order",)


def test_no_common_row_is_no_comparison() -> None:
    base, new = rows_of([(RIGHT, RIGHT)]), rows_of([(RIGHT, RIGHT)])
    new.lines[0].id = "other"
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


UNSCORED = {
    "skipped": said("skipped", None, None),
    "invalid": said("invalid", None, None, (), "the cell is empty"),
    "unjudged": said("unjudged", None, None),
    "bug": said("bug", None, None),
}


@pytest.mark.parametrize("status", UNSCORED)
def test_a_row_that_the_base_scored_and_the_new_run_did_not_is_lost(status: str) -> None:
    base = side("base", rows_of([(RIGHT, RIGHT)] * 9 + [(WRONG, RIGHT)]))
    new = side("new", rows_of([(RIGHT, RIGHT)] * 8 + [(UNSCORED[status], RIGHT)] * 2))
    found = compare_sides(base, new)
    parses = found.evaluators[0]
    assert (found.unchanged, found.lost, found.broken) == (8, 2, 0)
    assert (parses.pairs, parses.lost, parses.lost_passed, parses.unpaired, parses.base) == (8, 2, 1, 2, 1.0)
    assert [(row.id, row.lost, row.lost_passed) for row in found.changed] == [
        ("D-8", ("parses",), ("parses",)), ("D-9", ("parses",), ()),
    ]  # fmt: skip
    why = "invalid: the cell is empty" if status == "invalid" else status
    assert found.changed[0].reasons == {"parses": why}
    assert found.exit_code == 3
    assert found.causes == (
        f"2 rows are lost, scored in the base and not in the new run ({status} 2): D-8, D-9",
    )  # fmt: skip


def test_a_lost_row_that_passed_in_the_base_is_broken_for_guards() -> None:
    base = side("base", rows_of([(RIGHT, RIGHT)] * 10 + [(WRONG, RIGHT)] * 10))
    new = side("new", rows_of([(RIGHT, RIGHT)] * 8 + [(UNSCORED["invalid"], RIGHT)] * 4 + [(WRONG, RIGHT)] * 8))
    guard = RegressionCheck(max_drop=0.05, max_broken_rows=1)
    config = CompareConfig(fail_on=("broken_rows",), regression_checks={"parses": guard})
    found = compare_sides(base, new, config, {"parses": ("parses", None)})
    assert found.exit_code == 1
    assert [(one.rule, one.verdict, one.message) for one in found.regression_checks] == [
        ("broken_rows", "failed", "2 rows broken, 2 of them lost; the most is 0"),
        ("max_drop", "failed", "lower by 0.1111 (2 lost rows count 0); the most is 0.05"),
        ("max_broken_rows", "failed", "2 rows broken, 2 of them lost; the most is 1"),
    ]
    assert found.evaluators[0].difference == 0.0


def test_many_lost_rows_are_a_clear_drop() -> None:
    base, new = ("+" * 30), [(RIGHT, RIGHT)] * 20 + [(UNSCORED["unjudged"], RIGHT)] * 10
    found = compare_sides(side("base", rows_of([(RIGHT, RIGHT) for _ in base])), side("new", rows_of(new)))
    assert (found.exit_code, found.evaluators[0].verdict) == (1, "the same")
    assert found.causes[0] == "significant_drop: clearly worse: parses by 0.3333 (10 lost rows count 0)"


def test_a_row_that_the_new_run_scores_for_the_first_time_is_gained_and_harms_nothing() -> None:
    base = side("base", rows_of([(RIGHT, RIGHT)] * 5 + [(UNSCORED["unjudged"], RIGHT)]))
    found = compare_sides(base, side("new", rows_of([(RIGHT, RIGHT)] * 5 + [(WRONG, RIGHT)])))
    assert (found.unchanged, found.gained, found.exit_code) == (5, 1, 0)
    assert (found.evaluators[0].gained, found.evaluators[0].new) == (1, 1.0)
    assert (found.changed[0].gained, found.changed[0].reasons) == (("parses",), {"parses": "unjudged"})


EMPTY = said("not_measured", None, None, ("not_measured", "not_measured"))
INVENTED = said("scored", 0.0, False, ("hallucination", "not_measured"))
BOTH = said("scored", 1.0, True, ("match", "match"))


def test_a_row_in_which_nothing_is_there_any_more_is_settled_and_shows_in_the_figures() -> None:
    base = side("base", rows_of([(RIGHT, BOTH)] * 8 + [(RIGHT, INVENTED)] * 2))
    found = compare_sides(base, side("new", rows_of([(RIGHT, BOTH)] * 8 + [(RIGHT, EMPTY)] * 2)))
    header, total = found.evaluators[1], found.fields[0]
    assert (found.settled, found.lost, found.exit_code) == (2, 0, 0)
    assert (header.settled, header.base, header.new, header.difference) == (2, 0.8, 1.0, pytest.approx(0.2))
    assert (total.settled, total.base, total.new, total.p_value) == (2, 0.8, 1.0, 0.5)


def test_an_invention_where_nothing_was_is_broken_for_every_guard() -> None:
    base = side("base", rows_of([(RIGHT, BOTH)] * 8 + [(RIGHT, EMPTY)] * 2))
    new = side("new", rows_of([(RIGHT, BOTH)] * 8 + [(RIGHT, INVENTED), (RIGHT, EMPTY)]))
    guards = {name: RegressionCheck(max_broken_rows=0) for name in ("header", "header.total")}
    config = CompareConfig(fail_on=("broken_rows",), regression_checks=guards)
    found = compare_sides(base, new, config, {"header": ("header", None), "header.total": ("header", "total")})
    assert (found.broken, found.gained, found.exit_code) == (1, 0, 1)
    assert [one.verdict for one in found.regression_checks] == ["failed"] * 3
    assert [(one.broken, one.gained, one.settled) for one in (found.evaluators[1], found.fields[0])] == [(1, 0, 0)] * 2
    assert [row.change for row in found.changed] == ["broken"]
    assert found.changed[0].fields == ("header.total: not_measured → hallucination",)


def test_a_guard_sees_inventions_also_where_the_base_measured_nothing_at_all() -> None:
    base, new = side("base", rows_of([(RIGHT, EMPTY)] * 3)), side("new", rows_of([(RIGHT, INVENTED)] * 3))
    guard = RegressionCheck(max_broken_rows=2, max_drop=0.1)
    found = compare_sides(
        base, new, CompareConfig(fail_on=(), regression_checks={"header": guard}), {"header": ("header", None)}
    )
    assert [(one.rule, one.verdict) for one in found.regression_checks] == [
        ("max_drop", "failed"), ("max_broken_rows", "failed"),
    ]  # fmt: skip
    assert found.exit_code == 1


@pytest.mark.parametrize("rows", [1, 9])
def test_a_field_that_only_the_outputs_of_the_new_run_have_is_worse_and_not_undecided(rows: int) -> None:
    base = side("base", rows_of([(RIGHT, EMPTY)] * 9))
    new = side("new", rows_of([(RIGHT, INVENTED)] * rows + [(RIGHT, EMPTY)] * (9 - rows)))
    config = CompareConfig(fail_on=(), regression_checks={"fields.*": RegressionCheck(max_drop=0.1)})
    found = compare_sides(base, new, config, EVERY_FIELD)
    said_ = f"invented in {rows} row{'s' if rows > 1 else ''}: the base has nothing there, and nothing is expected; the most is 0.1"
    assert [(one.target, one.verdict, one.message) for one in found.regression_checks] == [
        ("header.total", "failed", said_)
    ]
    assert [one.verdict for one in found.fields] == ["worse", "not measured"]
    assert found.exit_code == 1


def test_a_field_that_only_the_outputs_of_the_base_have_is_not_lower() -> None:
    base = side("base", rows_of([(RIGHT, INVENTED)] * 2 + [(RIGHT, EMPTY)] * 7))
    new = side("new", rows_of([(RIGHT, EMPTY)] * 9))
    config = CompareConfig(fail_on=(), regression_checks={"fields.*": RegressionCheck(max_drop=0.1, max_broken_rows=0)})
    found = compare_sides(base, new, config, EVERY_FIELD)
    said_ = "not lower: in 2 rows the new run has nothing there any more, and nothing is expected"
    assert [(one.target, one.verdict, one.message) for one in found.regression_checks] == [
        ("header.total", "passed", said_)
    ]
    assert found.exit_code == 0


def test_a_field_that_only_one_run_names_is_new_or_lost() -> None:
    def named(label: str, *fields: str) -> Side:
        whole = said("scored", 1.0, True, ["match"] * len(fields))
        return made_side(label, rows_of([(RIGHT, whole)] * 3), {"parses": (), "header": fields})

    config = CompareConfig(fail_on=(), regression_checks={"fields.*": RegressionCheck(max_drop=0.1)})
    grown = compare_sides(named("base", "total"), named("new", "total", "date"), config, EVERY_FIELD)
    shrunk = compare_sides(named("base", "total", "date"), named("new", "total"), config, EVERY_FIELD)
    for found, verdict, message, whose in (
        (grown, "passed", "new: the base has no such field", "new run"),
        (shrunk, "undecided", "lost: only the base has this field", "base"),
    ):
        one = found.regression_checks[-1]
        assert (one.target, one.verdict, one.message) == ("header.date", verdict, message)
        assert f'only the {whose} has the field "date" of the evaluator "header"' in found.notes
    assert (grown.exit_code, shrunk.exit_code) == (0, 3)


def test_fields_that_only_one_run_names_come_in_the_order_of_the_evaluators() -> None:
    names = [f"evaluator_{letter}" for letter in "hbgcfdea"]
    known, grown = said("scored", 1.0, True, ["match"]), said("scored", 1.0, True, ["match"] * 2)

    def named(label: str, verdict: Result, *fields: str) -> Side:
        rows = made_rows(range(3), ["D-0", "D-1", "D-2"], ["0"] * 3, said={name: [verdict] * 3 for name in names})
        return made_side(label, rows, dict.fromkeys(names, fields))

    config = CompareConfig(fail_on=(), regression_checks={"fields.*": RegressionCheck(max_drop=0.1)})
    found = compare_sides(named("base", known, "total"), named("new", grown, "total", "date"), config, EVERY_FIELD)
    assert [one.target for one in found.regression_checks if one.rule == "regression_check"] == [
        f"{name}.date" for name in names
    ]


def twins(base: str, new: str, other: tuple[str, str]) -> RunComparison:
    """Three evaluators: two that say the same, `+` and `-`, and another one."""
    known = {"+": RIGHT, "-": WRONG}
    sides = []
    for label, own, others in (("base", base, other[0]), ("new", new, other[1])):
        told = {"a": [known[one] for one in own], "b": [known[one] for one in own], "c": [known[one] for one in others]}
        rows = made_rows(range(len(own)), [f"D-{at}" for at in range(len(own))], ["0"] * len(own), said=told)
        sides.append(made_side(label, rows, {"a": (), "b": (), "c": ()}))
    return compare_sides(*sides)


def test_what_says_the_same_in_every_row_is_one_test() -> None:
    found = twins("+" * 8, "-" * 6 + "++", ("+" * 8, "++" + "-" * 6))
    assert [one.same_as for one in found.evaluators] == [None, "a", None]  # as many rows of c, but others
    assert [one.p_value for one in found.evaluators] == pytest.approx([0.03125] * 3)
    assert [one.p_value_corrected for one in found.evaluators] == pytest.approx([0.0625] * 3)
    assert "one test, since they say the same in every row: b and a" in page_text(comparison_page(found))
    alone = twins("+" * 8, "-" * 6 + "++", ("+" * 8, "+" * 8))
    assert [one.p_value_corrected for one in alone.evaluators] == pytest.approx([0.0625, 0.0625, 1.0])


def test_a_check_of_the_fields_of_one_evaluator_has_a_family_of_its_own() -> None:
    right, wrong = said("scored", 1.0, True, ["match"]), said("scored", 0.0, False, ["mismatch"])
    fields = {"one": ("x",), "two": ("x",)}
    was = made_rows(range(8), "abcdefgh", ["0"] * 8, said={"one": [right] * 8, "two": [right] * 8})
    now = made_rows(range(8), "abcdefgh", ["0"] * 8, said={"one": [wrong] * 6 + [right] * 2, "two": [right] * 8})
    sides = made_side("base", was, fields), made_side("new", now, fields)
    for written, target, verdict in (("fields.*", ("", ""), "passed"), ("one.*", ("one", ""), "failed")):
        config = CompareConfig(fail_on=(), regression_checks={written: RegressionCheck(max_drop=0.1)})
        check = compare_sides(*sides, config, {written: target}).regression_checks[0]
        assert (check.target, check.verdict) == ("one.x", verdict)


@pytest.mark.parametrize("status", UNSCORED)
def test_a_row_that_was_unknown_and_in_which_nothing_is_there_is_not_gained(status: str) -> None:
    base = side("base", rows_of([(RIGHT, BOTH)] * 8 + [(RIGHT, UNSCORED[status])] * 2))
    found = compare_sides(base, side("new", rows_of([(RIGHT, BOTH)] * 8 + [(RIGHT, EMPTY)] * 2)))
    header = found.evaluators[1]
    assert (found.unchanged, found.gained, found.exit_code) == (10, 0, 0)
    assert (header.pairs, header.gained, header.base, header.new) == (8, 0, 1.0, 1.0)
    assert [one.gained for one in found.fields] == [0, 0]


def test_a_field_that_a_condition_sets_aside_is_lost_and_not_settled() -> None:
    aside = said("not_measured", None, None, ("skipped", "not_measured"))
    base = side("base", rows_of([(RIGHT, BOTH)] * 4))
    found = compare_sides(base, side("new", rows_of([(RIGHT, BOTH)] * 3 + [(RIGHT, aside)])))
    assert (found.lost, found.fields[0].lost, found.exit_code) == (1, 1, 3)


def test_fields_are_compared_also_when_no_row_of_the_new_run_has_any() -> None:
    base, new = side("base", rows_of([(RIGHT, BOTH)] * 4)), rows_of([(RIGHT, UNSCORED["invalid"])] * 4)
    config = CompareConfig(fail_on=(), regression_checks={"header.total": RegressionCheck(max_broken_rows=3)})
    blank = replace(side("new", new), fields={"parses": (), "header": ()})
    found = compare_sides(base, blank, config, {"header.total": ("header", "total")})
    assert (found.regression_checks[0].verdict, found.regression_checks[0].message) == (
        "failed", "4 rows broken, 4 of them lost; the most is 3",
    )  # fmt: skip


FAILURES = [
    (WRONG, said("scored", 0.0, False, ("mismatch", "mismatch"))),
    (WRONG, said("unreadable", 0.0, False, ("omission", "omission"))),
    (RIGHT, said("blocked", 0.0, False, ("omission", "omission"))),
    *[(one, one) for one in UNSCORED.values()],
    (RIGHT, said("unjudged", None, None, ("match", "error"))),
]
ANY = LISTED | st.sampled_from([EMPTY, INVENTED, *UNSCORED.values(), FAILURES[-1][1]])
ALL_KINDS = st.lists(st.tuples(st.tuples(PLAIN, ANY), st.tuples(PLAIN, ANY)), min_size=1, max_size=25)


def compared(pairs: list[tuple[tuple[Result, Result], tuple[Result, Result]]], clusters: bool = False) -> RunComparison:
    base, new = (side(name, rows_of([pair[place] for pair in pairs], clusters)) for place, name in enumerate("bn"))
    guards = {"header": RegressionCheck(max_drop=0.1), "header.total": RegressionCheck(max_drop=0.1, max_broken_rows=2)}
    config = CompareConfig(fail_on=("significant_drop", "broken_rows"), max_broken_rows=3, regression_checks=guards)
    return compare_sides(base, new, config, {"header": ("header", None), "header.total": ("header", "total")})


@given(ALL_KINDS, st.booleans())
def test_every_row_is_exactly_one_thing(
    pairs: list[tuple[tuple[Result, Result], tuple[Result, Result]]], clusters: bool
) -> None:
    found = compared(pairs, clusters)
    kinds = {
        "fixed": found.fixed, "broken": found.broken, "lost": found.lost, "gained": found.gained, "settled": found.settled,
    }  # fmt: skip
    assert sum(kinds.values()) + found.unchanged + found.never_measured == found.rows == len(pairs)
    listed = [row.change for row in found.changed]
    assert {kind: listed.count(kind) for kind in kinds} == kinds  # type: ignore[arg-type]  # the words are changes
    for one in (*found.evaluators, *found.fields):
        assert one.unpaired == one.lost + one.gained + one.settled
        assert one.pairs + one.unpaired <= len(pairs)
        assert one.lost_passed <= one.lost
    for row in found.changed:
        assert set(row.reasons) == {*row.lost, *row.gained}


SEVERITY = (0, 3, 1, 4)
MEASURED_ROWS = st.lists(
    st.tuples(st.tuples(PLAIN, LISTED), st.tuples(PLAIN, LISTED)), min_size=1, max_size=25
)  # fmt: skip


@given(MEASURED_ROWS, st.data(), st.sampled_from(FAILURES), st.booleans())
def test_a_failure_in_place_of_a_right_row_never_makes_a_comparison_look_better(
    pairs: list[tuple[tuple[Result, Result], tuple[Result, Result]]],
    data: st.DataObject,
    failure: tuple[Result, Result],
    clusters: bool,
) -> None:
    place = data.draw(st.integers(0, len(pairs) - 1))
    pairs[place] = (pairs[place][0], (RIGHT, BOTH))
    worse = list(pairs)
    worse[place] = (pairs[place][0], failure)
    before, after = compared(pairs, clusters), compared(worse, clusters)
    assert SEVERITY.index(after.exit_code) >= SEVERITY.index(before.exit_code)
    assert after.broken + after.lost >= before.broken + before.lost
    assert after.fixed <= before.fixed
    for one, other in zip((*before.evaluators, *before.fields), (*after.evaluators, *after.fields), strict=True):
        assert other.broken + other.lost >= one.broken + one.lost
        assert other.fixed <= one.fixed


@given(MEASURED_ROWS, st.data())
def test_leaving_out_a_right_row_never_makes_a_comparison_look_better(
    pairs: list[tuple[tuple[Result, Result], tuple[Result, Result]]], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(pairs) - 1))
    pairs[place] = (pairs[place][0], (RIGHT, BOTH))
    base, new = (rows_of([pair[side_] for pair in pairs]) for side_ in (0, 1))
    left = [number for number in range(len(pairs)) if number != place]
    without = SideRows([new.lines[one] for one in left], new.verdicts)
    whole = compare_sides(side("b", base), side("n", new))
    assert compare_sides(side("b", base), side("n", without)).exit_code == 4
    if left:
        found = compare_sides(side("b", base), side("n", without), common=True)
        assert SEVERITY.index(found.exit_code) >= SEVERITY.index(whole.exit_code)
        assert found.broken + found.lost >= whole.broken + whole.lost
        assert found.rows == whole.rows


def test_a_clear_gain_of_one_figure_does_not_make_the_drop_of_another_clearer() -> None:
    """With 6 of 30 fields worse (p = 0.0312), two tests explain it by chance, whatever the other one found."""
    no_total, no_date = (said("scored", 0.5, False, one) for one in (("mismatch", "match"), ("match", "mismatch")))
    base = [(RIGHT, no_date)] * 15 + [(RIGHT, BOTH)] * 15
    new = [(RIGHT, BOTH)] * 24 + [(RIGHT, no_total)] * 6
    found = compare_sides(side("base", rows_of(base)), side("new", rows_of(new)))
    assert [(one.field, one.verdict, one.p_value_corrected) for one in found.fields] == [
        ("total", "no clear difference", pytest.approx(0.0625)), ("date", "better", pytest.approx(2 * 2 * 0.5**15)),
    ]  # fmt: skip


MANY = st.integers(0, 4).flatmap(
    lambda whole: st.integers(0, whole).map(
        lambda right: said("scored", float(right == whole), right == whole, (_TOGETHER[right == whole, whole > 0], "match"),
                           None, (0, right, whole) if whole > 1 else ())
    )
)  # fmt: skip
_TOGETHER = {(True, True): "match", (False, True): "mismatch", (True, False): "not_measured"}


_NOTHING, _WRONG, _RIGHT = (said("scored", share, share == 1, (word, "match"))
                             for share, word in ((1.0, "not_measured"), (0.0, "mismatch"), (1.0, "match")))  # fmt: skip


@example([(_NOTHING, _WRONG), (_RIGHT, _NOTHING)], False)
@example([(_NOTHING, _WRONG), (_RIGHT, _NOTHING)], True)
@given(st.lists(st.tuples(MANY, MANY), min_size=1, max_size=12), st.booleans())
def test_figures_of_a_field_count_its_values_and_mirror_when_the_runs_are_swapped(
    pairs: list[tuple[Result, Result]], clusters: bool
) -> None:
    one, other = (
        side(name, rows_of([(RIGHT, pair[place]) for pair in pairs], clusters)) for place, name in enumerate("bn")
    )
    there, back = compare_sides(one, other).fields[0], compare_sides(other, one).fields[0]
    for figure, place in ((there.base, 0), (there.new, 1)):
        counted = [pair[place].values[1:3] or (int(status is FieldStatus.MATCH), int(status is not FieldStatus.NOT_MEASURED))
                   for pair in pairs for status in (FIELD_STATUSES[pair[place].statuses[0]],)]  # fmt: skip
        right, whole = (sum(column) for column in zip(*counted, strict=True))
        assert figure == (right / whole if whole else None)
    assert (there.base, there.new, there.p_value) == (back.new, back.base, back.p_value)
    if there.difference is not None and there.ci is not None and back.ci is not None:
        assert there.ci.low <= there.difference <= there.ci.high
        assert (there.ci.low, there.ci.high) == pytest.approx((-back.ci.high, -back.ci.low))


def test_a_test_of_values_exchanges_rows() -> None:
    """Two of four values right in each of eight rows, and all of them after: p is that of eight rows, not of sixteen values."""
    half, whole = (said("scored", share, share == 1, (word, "match"), None, (0, int(4 * share), 4))
                   for share, word in ((0.5, "mismatch"), (1.0, "match")))  # fmt: skip
    base, new = (side(name, rows_of([(RIGHT, one)] * 8)) for name, one in (("b", half), ("n", whole)))
    total = compare_sides(base, new).fields[0]
    assert (total.base, total.new, total.fixed, total.pairs, total.unit) == (0.5, 1.0, 8, 8, "values")
    assert total.p_value == pytest.approx(2 / 2**8)


def test_variants_of_which_each_lacks_what_the_other_has_are_not_ranked() -> None:
    gap = UNSCORED["skipped"]
    rows = {"a": rows_of([(RIGHT, BOTH), (gap, BOTH)] * 5), "b": rows_of([(gap, BOTH), (RIGHT, BOTH)] * 5)}
    parses = rank_variants(side("run", rows), tuple(rows))[0]
    assert (parses.rows, parses.variants) == (0, ())
    assert [(one.variant, one.lacking, one.others) for one in parses.unranked] == [("a", 5, 5), ("b", 5, 5)]


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
    assert plain("+" * 12, "-" * 5 + "+" * 7).evaluators[0].minimum_detectable_effect is None
    assert plain("+" * 12, "-" * 6 + "+" * 6).evaluators[0].minimum_detectable_effect is not None


def test_a_row_without_an_id_is_named_by_its_number() -> None:
    base, new = (
        made_side(label, made_rows([1, 2, 3], ids, [given, "b", "c"]), {})
        for label, ids, given in (("base", ["", "x", ""], "a"), ("new", ["", "x", "y"], "other"))
    )
    found = compare_sides(base, new)
    assert found.incomparable[:3] == (
        "1 row is in the base only: row 3",
        "1 row is in the new run only: y",
        "1 row has another expected answer, or another cell that is looked at: row 1",
    )


def test_a_row_that_is_wrong_in_both_runs_with_another_value_is_listed(tmp_path: Path) -> None:
    """Three rows that are wrong before and after: with another value, with the same one, and missing in both."""
    runs = []
    for name, outputs in (("base", [{"a": 2}, {"a": 2}, {}]), ("new", [{"a": 3}, {"a": 2.0}, {}])):
        rows = [{"id": str(at), "output": output, "expected": {"a": 1}} for at, output in enumerate(outputs)]
        suite = evaluators.load({"evaluators": [{"json_multi_field_match": {"name": "form", "fields": ["a"]}}]})
        runs.append(suite.run(rows, results=tmp_path, name=name).folder)
    found = evaluators.compare(*runs)
    assert [(one.id, one.change, one.fields) for one in found.changed] == [
        ("0", "unchanged", ("form.a: mismatch → mismatch",))
    ]
    assert (found.unchanged, found.broken, found.fixed) == (3, 0, 0)
    assert "\n  a: wrong as before, with another value" in page_text(comparison_page(found))


def test_so_is_one_that_an_evaluator_without_fields_finds_wrong_again(tmp_path: Path) -> None:
    """Four rows that fail before and after, with another text, the same one, another number of zeros, and no output; one passes."""
    runs = []
    for name, outputs in (
        ("base", ["Rome", "Bern", "1.0", None, "Paris"]),
        ("new", ["Oslo", "Bern", "1.00", None, "Paris"]),
    ):
        rows = [{"id": str(at), "output": output, "expected": "Paris"} for at, output in enumerate(outputs)]
        suite = evaluators.load({"evaluators": ["exact_match", {"regex_match": {"pattern": "x"}}]})
        runs.append(suite.run(rows, results=tmp_path, name=name).folder)
    found = evaluators.compare(*runs)
    wrong_again = ("exact_match: mismatch → mismatch",)
    assert [(one.id, one.change, one.fields) for one in found.changed] == [
        ("0", "unchanged", wrong_again), ("2", "unchanged", wrong_again),
    ]  # fmt: skip
    assert (found.unchanged, found.broken, found.fixed) == (5, 0, 0)
    page = page_text(comparison_page(found))
    assert "5 unchanged (2 with changed values)" in page
    assert "exact_match: wrong as before, with another value" in page


def test_of_rows_whose_cells_a_run_did_not_keep_it_is_not_known(tmp_path: Path) -> None:
    runs = []
    for name, output in (("base", "Rome"), ("new", "Oslo")):
        suite = evaluators.load({"evaluators": ["exact_match"], "results": {"documents": "none"}})
        runs.append(suite.run([{"id": "1", "output": output, "expected": "Paris"}], results=tmp_path, name=name).folder)
    assert evaluators.compare(*runs).changed == ()
