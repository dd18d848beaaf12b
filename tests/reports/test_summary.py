"""The summary is a short page, and never leaves out what must be said."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.api.execute import finish
from evaluators.api.loading import load
from evaluators.api.written_run import Finished
from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import Outcome
from evaluators.reports.display import visible, width, wrap
from evaluators.reports.headline import Options
from evaluators.reports.mistakes import Mistake
from evaluators.reports.parts import WIDEST
from evaluators.reports.run_page import hardest_rows, run_page
from evaluators.reports.sections.verdict import verdict_lines
from evaluators.reports.suggestions import Suggestion
from evaluators.reports.summary import summary
from evaluators.reports.text import page_text
from evaluators.runs.metrics import score_text
from evaluators.runs.reader import Run
from evaluators.runs.result import ConfusionMatrix, GateResult, LabelCell, LabelMetrics, NumericColumnStats, RunResult
from tests.gallery import GALLERY
from tests.kit import write_rows
from tests.reports.conftest import evaluator, field, run

GALLERIES = sorted(GALLERY.glob("*/suite.yaml"))
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
COUNTS = st.integers(0, 40)
MOST_LINES_OF_PARTS = 75
"""All the parts at once, of names as long as drawn here."""
MOST_LINES = 66
"""The summary of a suite with up to three evaluators."""


def text_of(result: RunResult, options: Options = Options()) -> str:
    return page_text(summary(result, options))


def plain(text: str) -> str:
    """Without the breaks of lines and their indentation: whatever is on the page is found however it is broken."""
    return "".join(text.split())


def told(text: str, page: str) -> bool:
    return plain(visible(text)) in plain(page)


def check_what_must_be_said(result: RunResult, options: Options = Options()) -> None:
    page = text_of(result, options)
    for gate in result.gates:
        if gate.verdict in ("failed", "undecided"):
            assert told(gate.message, page)
            assert told(f"n {gate.n:,}", page)
            assert told(gate.target, page)
    for stats in result.evaluators:
        assert told(f"{stats.passed:,} of {stats.scored:,}", page)
        assert score_text(stats.mean) in page
        for count, word in (
            (stats.skipped, "skipped"), (stats.invalid, "invalid"), (stats.unjudged, "unjudged"), (stats.bugs, "bug"),
            (stats.not_measured, "not measured"), (stats.unreadable, "unreadable"), (stats.blocked, "blocked"),
        ):  # fmt: skip
            assert not count or told(f"{count:,} {word}", page)
    for issue in result.warnings:
        assert told(issue.message, page)
    for cause in result.causes:
        assert told(cause.removeprefix("gate ").partition(": ")[2] or cause, page)
    assert max(width(line) for line in page.splitlines()) <= WIDEST


@st.composite
def results(draw: st.DrawFn) -> RunResult:
    evaluators = [
        evaluator(
            draw(NAMES), "exact_match", draw(COUNTS), draw(COUNTS), {1: 0}, skipped=draw(COUNTS), invalid=draw(COUNTS),
            unjudged=draw(COUNTS), not_measured=draw(COUNTS), bugs=draw(st.integers(0, 1)),
            fields=[
                field(draw(NAMES), match=draw(COUNTS), mismatch=draw(COUNTS), omission=draw(COUNTS))
                for _ in range(draw(st.integers(0, 4)))
            ],
        )
        for _ in range(draw(st.integers(1, 3)))
    ]  # fmt: skip
    gates = draw(
        st.lists(
            st.builds(
                GateResult, NAMES, st.just("mean"), st.just(0.5), COUNTS, st.just("fail below 0.9"),
                st.sampled_from(["passed", "warned", "failed", "undecided"]), NAMES,
            ),
            max_size=8,
        )
    )  # fmt: skip
    warnings = draw(st.lists(st.builds(Issue, st.just("unseen"), st.just(Blame.TESTSET), NAMES), max_size=3))
    labels = draw(st.lists(NAMES, unique=True, max_size=10))
    figures = tuple(LabelMetrics(one, 3, 3, 2, 0.5, 0.5, 0.5) for one in labels)
    cells = tuple(LabelCell(one, labels[0], 2, ((2, "a"),)) for one in labels)
    measures = draw(
        st.lists(
            st.builds(NumericColumnStats, NAMES, NAMES, *map(st.just, (9, 9, 0, 0, 0.5, None, 0.5, 0.5, 4.5, 0.1, 0.9))),
            max_size=5,
        )
    )
    return replace(
        run(draw(NAMES), evaluators, warnings=warnings, notes=draw(st.lists(NAMES, max_size=3))),
        gates=tuple(gates),
        measures=tuple(measures),
        confusion_matrices=(ConfusionMatrix("labels", 9, figures, (), cells, tuple(labels)),) if labels else (),
    )


MISTAKES = st.lists(
    st.builds(Mistake, NAMES, NAMES, st.none(), NAMES, st.integers(1, 10**6), st.just((2, 3, 4)), st.integers(3, 99)),
    max_size=8,
).map(tuple)
SUGGESTIONS = st.lists(
    st.builds(
        Suggestion, NAMES, st.none(), NAMES, NAMES, NAMES, st.integers(1, 9), st.just(9), st.just(False), st.just((2,)),
        st.just(1), NAMES,
    ),
    max_size=3,
).map(tuple)  # fmt: skip


@given(results(), MISTAKES, SUGGESTIONS)
def test_the_summary_is_short_and_says_what_must_be_said(
    result: RunResult, mistakes: tuple[Mistake, ...], suggestions: tuple[Suggestion, ...]
) -> None:
    options = Options(mistakes=mistakes, suggestions=suggestions)
    check_what_must_be_said(result, options)
    bare = replace(
        result,
        gates=tuple(gate for gate in result.gates if gate.verdict in ("failed", "undecided")),
        evaluators=tuple(replace(stats, fields=()) for stats in result.evaluators),
        notes=(), measures=(), confusion_matrices=(),
    )  # fmt: skip
    lines, least = (len(text_of(*each).splitlines()) for each in ((result, options), (bare, Options())))
    assert lines <= least + MOST_LINES_OF_PARTS


@pytest.mark.parametrize("suite", GALLERIES, ids=lambda path: path.parent.name)
def test_the_summary_of_a_gallery_fits(suite: Path, tmp_path: Path) -> None:
    finished = finish(load(suite), results=tmp_path / "runs", name="x")
    page = ((finished.folder or tmp_path) / "summary.txt").read_text(encoding="utf-8")
    record = Run(tmp_path / "runs" / "x")
    assert page == text_of(record.result, finished.options)
    check_what_must_be_said(finished.result, finished.options)
    if len(finished.result.evaluators) <= 3:
        assert len(page.splitlines()) <= MOST_LINES


def test_a_run_with_every_part_fits_on_a_screen_and_names_what_it_leaves_out(tmp_path: Path) -> None:
    draw = Random(4)
    rows = []
    for question in range(20):
        wanted = {"order": f"A-{1000 + question}", "city": "Oslo", "total": question, "reason": "late"}
        label = draw.choice(["billing", "delivery", "returns"])
        for _ in range(3):
            given = {
                **wanted,
                "order": draw.choice([wanted["order"], f"{1000 + question}"]),
                "total": draw.choice([1, question]),
            }
            rows.append({
                "question": f"mail {question}", "output": draw.choice([json.dumps(given)] * 9 + ["I cannot."]),
                "expected": json.dumps(wanted) if len(rows) != 7 else "{", "label": label,
                "given": draw.choice([label, label, "billing"]), "supplier": draw.choice(["Acme", "Nord"]),
                "sure": draw.random(), "cost": draw.random(), "seconds": draw.random(),
            })  # fmt: skip
    write_rows(tmp_path / "rows.jsonl", rows)
    questions = [
        {"prompt": "llm_judge", "instructions": "Polite?", "payload": {"shown": {"output": one}}}
        for one in ("billing", "returns")  # none of "delivery"
    ]
    write_rows(
        tmp_path / "answers.jsonl", [{"question": one, "answer": {"score": 0, "reason": "curt"}} for one in questions]
    )
    suite = {
        "test_set": "rows.jsonl", "judge": {"recorded": {"file": "answers.jsonl"}}, "repeats": "row.question",
        "confidence": "row.sure", "slices": ["row.supplier"], "measures": {"cost": "row.cost", "seconds": "row.seconds"},
        "evaluators": [
            {"json_multi_field_match": {"name": "mail", "fields": ["order", "city", "total", "reason"]}},
            {"correctness": {"name": "label", "output": "given", "expected": "label"}},
            {"llm_judge": {"name": "polite", "output": "given", "rubric": "Polite?"}},
        ],
        "gates": {
            "mail": {"fail_below": 0.99}, "mail.order": {"fail_below": 0.9}, "label": {"fail_below": 0.1},
            "polite": {"fail_below": 0.3}, "cost": {"metric": "mean", "fail_above": 2},
        },
    }  # fmt: skip
    (tmp_path / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    done = finish(load(tmp_path / "suite.yaml"), results=tmp_path / "runs", name="x")
    page = text_of(done.result, replace(done.options, run="runs/x", files=("runs/x: the run folder",)))
    check_what_must_be_said(done.result, done.options)
    for line in (
        "lowest slice: supplier = ", "mail: 19 groups of 3 outputs", "confidence (mail, label, polite)", "cost: mean ",
        "judge recorded, prompt llm_judge", "passed  label, cost", "FAILED  polite",
    ):  # fmt: skip
        assert told(line, page)
    assert told(
        "Every table, with confusion matrix, 6 slices, pass@k, calibration, judges: evaluators report runs/x -v", page
    )
    assert len(page.splitlines()) <= MOST_LINES


def finished(folder: Path, rows: list[str], suite: dict[str, Any]) -> Finished:
    (folder / "rows.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return finish(load(suite), str(folder / "rows.csv"), results=folder / "runs", name="x")


FIELDS = {"evaluators": [{"json_multi_field_match": {"name": "fields", "fields": {"day": "exact", "sum": "numeric"}}}]}


def test_mistakes_are_grouped_by_what_went_wrong(tmp_path: Path) -> None:
    rows = ["output,expected"]
    rows += [
        f'"{{""day"": ""0{n}/07/2026"", ""sum"": 1}}","{{""day"": ""2026-07-0{n}"", ""sum"": 1}}"' for n in (1, 2, 3)
    ]
    rows += ['"{""day"": ""2026-07-04"", ""sum"": ""1 EUR""}","{""day"": ""2026-07-04"", ""sum"": 1}"'] * 2
    rows += ['"{""day"": ","{""day"": ""2026-07-04"", ""sum"": 1}"']
    rows += ['"{""day"": ""2026-07-04""}","{""day"": ""2026-07-04"", ""sum"": 7}"']
    done = finished(tmp_path, rows, FIELDS)
    found = [(one.count, one.field, one.said, one.rows) for one in done.options.mistakes]
    assert found == [
        (3, "day", 'such as "01/07/2026" for "2026-07-01"', (2, 3, 4)),
        (2, "sum", '"1 EUR" is text, not a number; parse: true reads numbers in text', (5, 6)),
        (1, "", "the output is not usable JSON: the text ends inside the value at character 8", (7,)),
        (1, "sum", "missing: 7", (8,)),
    ]
    page = text_of(done.result, done.options)
    assert "3 of 4  day    " in page
    assert "1 unreadable, scored 0" in page


def test_a_wrong_value_of_several_right_answers_is_said_in_the_words_of_its_comparator(tmp_path: Path) -> None:
    listed = {"json_multi_field_match": {"name": "f", "fields": {"city": {"one_of": {"answers": "expected"}}}}}
    given = ["Bergen", "oslo", 3, ["Oslo", "Kristiania"]]
    quoted = [json.dumps({"city": one}).replace('"', '""') for one in given]
    done = finished(
        tmp_path, ["output,expected", *(f'"{one}","{quoted[3]}"' for one in quoted[:4])], {"evaluators": [listed]}
    )
    answers = 'is not one of the right answers ("Oslo", "Kristiania")'
    assert [(one.count, one.said, one.listed) for one in done.options.mistakes] == [
        (3, f'for example, "Bergen" {answers}', f'"Bergen" {answers}; "oslo" {answers}; 3 {answers}'),
        (1, f'["Oslo", "Kristiania"] {answers}', ""),
    ]


NUMBERS = {"numeric": {"parse": {"thousands": ",", "currency": True}}}


@pytest.mark.parametrize(
    ("comparator", "pairs", "said", "listed"),
    [
        (
            NUMBERS,
            [(1, "1"), (10, "1,000")],
            '"1,000" for 10, off by 990; allowed: 0',
            '"1,000" differs from 10 by 990; allowed: 0',
        ),
        (
            NUMBERS,
            [(3768.5, "3,768.8"), (10, "1,000")],
            'such as "3,768.8" for 3768.5, off by 0.3; allowed: 0',
            '"3,768.8" differs from 3768.5 by 0.3; allowed: 0; "1,000" differs from 10 by 990; allowed: 0',
        ),
        (
            NUMBERS,
            [("€60.33", 60.43)],
            '60.43 for "€60.33", off by 0.1; allowed: 0',
            '60.43 differs from "€60.33" by 0.1; allowed: 0',
        ),
        ("normalized", [("Grète", "Gret")], '"gret" differs from "grete", once normalised', ""),
        ("exact", [("Rome", "ROME")], '"ROME" for "Rome"; only the case differs', '"ROME" differs from "Rome"; only the case differs'),
        ("exact", [(2, "2")], '"2" is text; 2 is a number', ""),
        ("boolean", [(True, "no")], '"no" is no word for true or false', ""),
    ],
)  # fmt: skip
def test_a_mistake_is_said_in_the_words_of_the_comparator_that_decided(
    tmp_path: Path, comparator: Any, pairs: list[tuple[Any, Any]], said: str, listed: str
) -> None:
    rows = tmp_path / "rows.jsonl"
    lines = [json.dumps({"expected": {"m": expected}, "output": {"m": output}}) for expected, output in pairs]
    rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
    suite = load({"evaluators": [{"json_multi_field_match": {"name": "f", "fields": {"m": comparator}}}]})
    done = finish(suite, str(rows), results=tmp_path / "runs", name="x")
    (one,) = done.options.mistakes
    assert (one.said, one.listed) == (said, listed)
    reasons = [line.reason for line in Run(tmp_path / "runs" / "x").outcomes() if isinstance(line, Outcome)]
    assert any((one.listed or one.said).startswith(str(reason)) for reason in reasons)


@pytest.mark.parametrize(
    ("extra", "said", "listed"),
    [
        (["2", "2"], 'extra: "2"', ""),
        (["2", "7", "9"], 'extra, such as "2"', 'extra: "2", "7", "9"'),
        (["9", "2", "7", "9", "1"], 'extra, such as "9"', 'extra: "9", "2", "7", …'),
    ],
)
def test_a_group_whose_values_differ_says_such_as_and_lists_three(
    tmp_path: Path, extra: list[str], said: str, listed: str
) -> None:
    rows = tmp_path / "rows.jsonl"
    write_rows(rows, [{"expected": ["x"], "output": [one, "x"]} for one in extra])
    suite = load({"evaluators": [{"schema_match": {"fields": {"$": {"align": "any_order"}, "[*]": "exact"}}}]})
    done = finish(suite, str(rows), results=tmp_path / "runs", name="x")
    assert [(one.count, one.said, one.listed) for one in done.options.mistakes] == [(len(extra), said, listed)]
    listing = page_text(run_page(done.result, done.options))
    assert f": {listed or said}\n" in listing


def test_a_row_that_passes_is_no_mistake(tmp_path: Path) -> None:
    done = finished(
        tmp_path, ["output,expected", "Paris,Paris", "Rome now,Rome"], {"evaluators": [{"similarity": {"pass_at": 0.5}}]}
    )
    assert done.result.evaluators[0].passed == 2
    assert done.options.mistakes == ()


def test_a_long_run_says_how_far_it_looked(tmp_path: Path) -> None:
    rows = ["output,expected", *[f"a{n},b{n}" for n in range(1_200)]]
    done = finished(tmp_path, rows, {"evaluators": ["exact_match"]})
    assert done.options.mistakes_until is not None
    assert f"most frequent mistakes up to row {done.options.mistakes_until:,}" in text_of(done.result, done.options)


def test_what_a_suggestion_says_stands_beside_it(runs: dict[str, RunResult]) -> None:
    says = "which currency it is does not count then; at worst 2 for 1, row 3"
    rate = Suggestion("header", None, "net", "parse: true", "numeric: {parse: true}", 1, 2, False, (3,), 1, says)
    page = text_of(runs["compared"], Options(suggestions=(rate,)))
    assert told(f"1 of 2  net: {{numeric: {{parse: true}}}}  ({says})", page)


def test_problems_are_told_with_how_many_more_there_are(runs: dict[str, RunResult]) -> None:
    page = text_of(runs["unmeasured"])
    first = {issue.code: issue for issue in reversed(runs["unmeasured"].issues)}
    assert all(told(issue.message, page) for issue in first.values())
    assert "and 40 more like this" in page
    assert "41 invalid; 1 unjudged:" in page


def test_a_summary_uses_the_width_that_it_is_given(runs: dict[str, RunResult]) -> None:
    page = summary(runs["unmeasured"])
    narrow, wide = (page_text(page, columns) for columns in (40, 200))
    assert max(map(width, wide.splitlines())) > WIDEST > 40 >= max(map(width, narrow.splitlines()[4:6]))
    assert page_text(page) == page_text(page, WIDEST)


WRONG = Mistake("f", "n", None, 'such as "A-1" for "1"', 3, (2, 3, 4), mostly=' like "A-1" for "1"')


@pytest.mark.parametrize(
    ("fields", "mistakes", "sentence"),
    [
        ([field("n", match=5, mismatch=4), field("m", match=9)], (WRONG,),
         '14 of 18 values right; 5 of 9 rows passed; worst: n (5 of 9 right), mostly like "A-1" for "1"'),
        ([field("n", match=5, mismatch=3, hallucination=4), field("m", match=9)], (WRONG,),
         "14 of 21 values right; 5 of 9 rows passed; worst: n (5 of 12 right)"),
        ([field("n", match=9), field("m", match=9)], (), "18 of 18 values right; 5 of 9 rows passed"),
        ([], (), "5 of 9 rows passed"),
    ],
    ids=["most wrong values are alike", "they are not", "nothing is wrong", "no fields"],
)  # fmt: skip
def test_it_begins_with_what_the_run_came_to(fields: list[Any], mistakes: tuple[Mistake, ...], sentence: str) -> None:
    one = evaluator("f", "json_multi_field_match", 5, 4, {1: 0}, fields=fields)
    (line,) = verdict_lines(run("x", [one]), Options(mistakes=mistakes))
    assert line == sentence


@pytest.mark.parametrize(
    ("evaluator", "pairs", "sentence"),
    [
        ({"contains": {"name": "f", "substring": "yes"}}, [("no", "x")] * 3 + [("yes", "x")],
         '1 of 4 rows passed; 3 failed, mostly: the output does not contain "yes"'),
        ({"json_multi_field_match": {"name": "f", "fields": {"n": "exact"}}},
         [('{"n": "OSLO"}', '{"n": "Oslo"}'), ('{"n": "ROM"}', '{"n": "Rom"}'), ('{"n": "x"}', '{"n": "x"}')],
         '1 of 3 rows passed; 2 failed, mostly like "OSLO" for "Oslo"; only the case differs'),
        ({"json_multi_field_match": {"name": "f", "fields": {"n": "exact", "m": "exact"}}},
         [('{"m": 1}', '{"n": 9, "m": 1}')] * 2, "2 of 4 values right; 0 of 2 rows passed; worst: n (0 of 2 right), mostly missing (9)"),
        ({"json_multi_field_match": {"name": "f", "fields": {"n": "exact", "m": "exact"}}},
         [('{"m": 1}', f'{{"n": {n}, "m": 1}}') for n in (7, 8)],
         "2 of 4 values right; 0 of 2 rows passed; worst: n (0 of 2 right), mostly missing, such as 7"),
        ({"exact_match": {"name": "f"}}, [("a", "a")] * 4 + [("a", "b"), ("a", "b"), ("b", "b")],
         '5 of 7 rows passed; worst: b (1 of 3 rows right), mostly "a"'),
    ],
    ids=["no field", "one field", "one value", "several values", "labels"],
)  # fmt: skip
def test_it_says_what_most_mistakes_have_in_common(
    tmp_path: Path, evaluator: Any, pairs: list[tuple[str, str]], sentence: str
) -> None:
    write_rows(tmp_path / "rows.jsonl", [{"output": output, "expected": expected} for output, expected in pairs])
    done = finish(load({"evaluators": [evaluator]}), str(tmp_path / "rows.jsonl"), results=tmp_path / "runs", name="x")
    assert list(verdict_lines(done.result, done.options)) == [sentence]


def test_the_reason_of_the_worst_field_is_not_cut() -> None:
    reason = " ".join(f"word{place}" for place in range(40))
    stats = evaluator(
        "f", "json_multi_field_match", 5, 4, {1: 0}, fields=[field("n", match=5, mismatch=4), field("m", match=9)]
    )
    mistakes = (Mistake("f", "n", None, reason, 4, (2, 3, 4, 5), mostly=f": {reason}"),)
    (line,) = verdict_lines(run("x", [stats]), Options(mistakes=mistakes))
    assert line.endswith(f"worst: n (5 of 9 right), mostly: {reason}")


def test_a_mistake_of_rows_says_of_how_many_that_fail_and_one_of_a_variant_is_called_as_its_field() -> None:
    stats = evaluator("f", "exact_match", 5, 4, {1: 0}, variant="gpt")
    mistakes = (Mistake("f", "", "gpt", "the pattern was not found", 3, (2, 3, 4)),)
    text = page_text(summary(run("x", [stats], variants=("gpt",)), Options(mistakes=mistakes)))
    assert re.search(r"3 of 4 +f \(gpt\) +the pattern was not found", text)


def test_of_several_evaluators_the_one_that_compares_most_values_is_spoken_of() -> None:
    many = evaluator(
        "many", "json_multi_field_match", 5, 4, {1: 0}, invalid=1, fields=[field("a", match=9), field("b", match=8)]
    )
    few = evaluator("few", "json_multi_field_match", 5, 4, {1: 0}, fields=[field("a", match=9)])
    assert list(verdict_lines(run("x", [few, many]))) == [
        "many: 17 of 17 values right; 5 of 9 rows passed; 1 row invalid"
    ]


def test_a_mistake_names_the_change_that_would_forgive_it(tmp_path: Path) -> None:
    pairs = (("OSLO", "Oslo"), ("ROM", "Rom"), ("x", "y"))
    rows = [f'"{{""n"": ""{output}""}}","{{""n"": ""{expected}""}}"' for output, expected in pairs]
    suite = {"evaluators": [{"json_multi_field_match": {"name": "f", "fields": {"n": "exact"}}}]}
    done = finished(tmp_path, ["output,expected", *rows], suite)
    lines = text_of(done.result, done.options).splitlines()
    (at,) = (at for at, line in enumerate(lines) if "OSLO" in line and " n  " in line)
    assert lines[at].startswith("2 of 3  n  ")
    assert lines[at + 1].strip() == "forgiven by case: ignore"


LABELS = ("billing", "cancellation", "general question", "technical issue", "shipping")


@pytest.mark.parametrize(
    ("labels", "lines"),
    [
        (LABELS, ["expected          billing", "cancellation            1             0 "]),
        ([f"{one} of the shop" for one in LABELS], ["- label: cancellati… the shop → billing of the shop in 1 row; macro F1 0.7"]),
    ],
    ids=["folded heads", "one line where there is no room"],
)  # fmt: skip
def test_labels_are_whole_or_said_in_a_line(tmp_path: Path, labels: list[str], lines: list[str]) -> None:
    pairs = [(one, one) for one in labels if one != labels[1]] + [(labels[0], labels[1]), (labels[0], labels[0])]
    write_rows(tmp_path / "rows.jsonl", [{"output": output, "expected": expected} for output, expected in pairs])
    suite = load({"evaluators": [{"exact_match": {"name": "label", "labels": list(labels)}}]})
    done = finish(suite, str(tmp_path / "rows.jsonl"), results=tmp_path / "runs", name="x")
    page = text_of(done.result, done.options)
    assert [told(line, page) for line in lines] == [True] * len(lines)
    assert ("with confusion matrix" in page) is (len(lines) == 1)


def test_a_failed_gate_stands_before_the_figures_and_once(runs: dict[str, RunResult]) -> None:
    page = text_of(runs["failed"])
    assert page.index("FAILED  header./totals/gross") < page.index("mean score")
    assert page.count("accuracy 0.9731 is below 0.99") == 1


def test_what_was_asked_for_is_on_the_page(runs: dict[str, RunResult]) -> None:
    assert "There are none." in text_of(runs["passed"], Options(asked=(hardest_rows(1, []),)))
    assert "its 95 % CI: where the mean score" in text_of(runs["passed"], Options(explain=True))


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("", 10, [""]),
        ("a b", 10, ["a b"]),
        ("aaaa bbbb cccc", 10, ["aaaa bbbb", "  cccc"]),
        ("aaaaaaaaaaaaa b", 6, ["aaaaaa", "  aaaa", "  aaa", "  b"]),
        ("日本語日本語", 6, ["日本語", "  日本", "  語"]),
    ],
)
def test_a_text_is_broken_and_never_cut(text: str, columns: int, lines: list[str]) -> None:
    assert wrap(text, columns, "  ") == lines


@pytest.mark.parametrize(
    ("columns", "heads"),
    [
        (60, ["most frequent mistakes", "times where rows", "1 of 1 totals.gross 4"]),
        (80, ["times where most frequent mistakes rows"]),
        (100, ["times where most frequent mistakes rows"]),
        (120, ["times where most frequent mistakes rows"]),
    ],
)
def test_the_head_of_mistakes_that_stand_below_their_rows_is_above_the_others(columns: int, heads: list[str]) -> None:
    said = "line_items[0].quantity: 51 differs from 15 by 36; allowed: 0, and the unit is another"
    mistakes = tuple(Mistake("header", name, None, said, 1, (4,)) for name in ("totals.gross", "line_items[*].quantity"))
    fields = (field("totals.gross", mismatch=1), field("line_items[*].quantity", mismatch=1))
    stats = evaluator("header", "schema_match", 0, 1, {2: 0}, fields=fields)
    page = page_text(summary(run("bills", (stats,)), Options(mistakes=mistakes)), columns)
    lines = [" ".join(line.split()) for line in page.splitlines()]
    first = lines.index(heads[0])
    assert lines[first : first + len(heads)] == heads
