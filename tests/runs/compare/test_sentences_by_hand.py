"""What a comparison says of two runs, sentence by sentence."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from evaluators.runs.compare import wording
from evaluators.runs.compare.compare_section import CompareConfig, RegressionCheck
from evaluators.runs.compare.comparing import compare_sides, reasons_against
from evaluators.runs.compare.pairs import Side, SideRows, pair_rows, row_keys
from evaluators.runs.compare.regression_checks import difference_label
from evaluators.runs.wording import Finding
from evaluators.scoring.values.quoting import first_texts
from tests.runs.compare.sides import made_rows, made_side, said

RIGHT, WRONG, BLANK = said("scored", 1.0, True), said("scored", 0.0, False), said("invalid", None, None)
MARKS = {"+": RIGHT, "-": WRONG, "?": BLANK}


def rows_of(**marks: str) -> SideRows:
    """Rows of some evaluators: `+` is right, `-` is wrong, `?` has no score."""
    count = range(len(next(iter(marks.values()))))
    return made_rows(
        [place + 2 for place in count], [f"D-{place}" for place in count], [f"{place:02}" for place in count], [],
        {name: [MARKS[mark] for mark in text] for name, text in marks.items()},
    )  # fmt: skip


def side(label: str, rows: SideRows, **changes: Any) -> Side:
    return made_side(label, rows, dict.fromkeys(rows.verdicts, ()), **{"version": "1.0", **changes})


def test_a_few_names_are_listed_and_the_rest_is_counted() -> None:
    assert first_texts(["a", "b", "c", "d", "e"], 5) == "a, b, c, d, e"
    assert first_texts(["a", "b", "c", "d", "e", "f"], 5) == "a, b, c, d, e and 1 more"
    assert first_texts([str(number) for number in range(2005)], 5) == "0, 1, 2, 3, 4 and 2,000 more"


def test_a_sentence_names_its_variant() -> None:
    facts = {"count": 1, "side": "base", "ids": ["D-1"]}
    sentences = [wording.sentence(Finding("one-sided-rows", {**facts, "variant": variant})) for variant in (None, "b")]
    assert sentences == ["1 row is in the base only: D-1", 'variant "b": 1 row is in the base only: D-1']


def test_other_variants_and_runs_that_ended_early_are_named() -> None:
    rows = rows_of(a="+")
    base, new = (
        side("base", rows, complete=False),
        replace(side("new", rows, complete=False), rows={"x": rows, "y": rows}),
    )
    early = ["the base was interrupted before its last row", "the new run was interrupted before its last row"]
    variants = 'the variants differ: none in the base, "x", "y" in the new run'
    assert [*map(wording.sentence, reasons_against(base, new))] == [variants, *early]
    assert [*map(wording.sentence, reasons_against(new, replace(new, rows={"y": rows, "x": rows})))] == early


def test_versions_and_rows_that_say_nothing_of_their_question_are_notes() -> None:
    silent = rows_of(a="+")
    silent.lines[0].checksum = None
    found = compare_sides(side("base", rows_of(a="+")), side("new", silent, version="2.0"))
    assert found.exit_code == 0
    assert found.notes == (
        "the base was scored by evaluators 1.0, the new run by 2.0",
        "a run does not say what its rows ask, so it is not checked that both ask the same",
    )


def test_runs_that_group_their_rows_otherwise_say_which_groups_count() -> None:
    alone, grouped = side("alone", rows_of(a="+")), side("grouped", rows_of(a="+"), cluster="doc")
    said = 'rows belong together by "doc" in the base, by none in the new run, and intervals go by the new run'
    assert compare_sides(grouped, alone).notes == (said,)
    assert compare_sides(grouped, grouped).notes == ()


def test_several_evaluators_of_one_run_are_named_together() -> None:
    found = compare_sides(side("base", rows_of(a="+", b="+", c="+")), side("new", rows_of(a="+")))
    assert found.incomparable == ('only the base has the evaluators "b", "c"',)
    assert found.data == {"base": "sha256:0", "new": "sha256:0"}


def test_a_clear_drop_names_five_evaluators_and_counts_the_rest() -> None:
    names = "abcdefg"
    base = side("base", rows_of(**dict.fromkeys(names, "+" * 40)))
    new = side("new", rows_of(**dict.fromkeys(names, "+" * 20 + "-" * 20)))
    assert compare_sides(base, new).causes == (
        "significant_drop: clearly worse: a by 0.5000, b by 0.5000, c by 0.5000, d by 0.5000, e by 0.5000 and 2 more",
    )
    few = side("new", rows_of(**{name: "-" * 40 if name < "f" else "+" * 40 for name in names}))
    assert compare_sides(base, few).causes == (
        "significant_drop: clearly worse: a by 1.0000, b by 1.0000, c by 1.0000, d by 1.0000, e by 1.0000",
    )


def test_limits_say_what_was_found_and_what_is_allowed() -> None:
    config = CompareConfig(
        fail_on=("broken_rows",),
        regression_checks={"a": RegressionCheck(max_drop=0.1, max_broken_rows=1), "b": RegressionCheck(max_drop=0.0)},
    )
    base, new = side("base", rows_of(a="+++++-", b="+?++++")), side("new", rows_of(a="+--+++", b="+?++++"))
    found = compare_sides(base, new, config, {"a": ("a", None), "b": ("b", None)})
    assert [(one.rule, one.target, one.verdict, one.message) for one in found.regression_checks] == [
        ("broken_rows", None, "failed", "2 rows broken; the most is 0"),
        ("max_drop", "a", "failed", "lower by 0.1667; the most is 0.1"),
        ("max_broken_rows", "a", "failed", "2 rows broken; the most is 1"),
        ("max_drop", "b", "passed", "not lower; the most is 0"),
    ]
    assert (found.exit_code, found.causes[0]) == (1, "broken_rows: 2 rows broken; the most is 0")


def test_lost_rows_count_as_broken_and_are_named() -> None:
    config = CompareConfig(regression_checks={"a": RegressionCheck(max_drop=0.1, max_broken_rows=0)})
    base, new = side("base", rows_of(a="++++-")), side("new", rows_of(a="+?++?"))
    found = compare_sides(base, new, config, {"a": ("a", None)})
    assert [(one.verdict, one.message) for one in found.regression_checks[1:]] == [
        ("failed", "lower by 0.2500 (1 lost row counts 0); the most is 0.1"),
        ("failed", "1 row broken, 1 of them lost; the most is 0"),
    ]
    assert found.causes[-1] == "2 rows are lost, scored in the base and not in the new run (invalid 2): D-1, D-4"


def test_a_figure_is_called_by_its_evaluator_its_field_and_its_variant() -> None:
    rows = rows_of(a="+")
    (one,) = compare_sides(side("base", rows), side("new", rows)).evaluators
    assert difference_label(one) == "a"
    assert difference_label(replace(one, field="total")) == "a.total"
    assert difference_label(replace(one, field="total", variant="b")) == "a.total (b)"


def test_rows_are_paired_by_id_and_turn() -> None:
    base, new = rows_of(a="+++"), rows_of(a="+++")
    for rows, ids in ((base, "xyx"), (new, "xzx")):
        for line, id_ in zip(rows.lines, ids, strict=True):
            line.id = id_
    assert row_keys(base) == [("x", 0), ("y", 0), ("x", 1)]
    found = pair_rows(base, new)
    assert [(was.row, now.row) for was, now in found.both] == [(2, 2), (4, 4)]
    assert [[line.id for line in lines] for lines in (found.base_only, found.new_only)] == [["y"], ["z"]]
    assert (found.other_question, found.repeated) == ([], 1)
    assert [None if now is None else now.row for _, now in found.rows()] == [2, 4, None, 3]
