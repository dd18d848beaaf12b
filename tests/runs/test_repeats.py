"""Several outputs of one question: estimators without bias, groups that were not measured, and the same sums for any pieces."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import evaluators
from evaluators.model.issues import Problems
from evaluators.model.rows import Result, RowStatus
from evaluators.reports.comparison_page import comparison_page
from evaluators.reports.document import Page
from evaluators.reports.run_page import run_page
from evaluators.reports.sections.repeats import repeat_sections
from evaluators.reports.text import page_text
from evaluators.runs import repeats as module
from evaluators.runs import wrong_fields
from evaluators.runs.columns import count_groups
from evaluators.runs.exact_sums import plus
from evaluators.runs.intervals import wilson
from evaluators.runs.repeats import AttemptCounter, Groups, Repeats, passes_at, repeat_stats
from evaluators.runs.result import FieldFlips, PassShare, RepeatStats
from evaluators.runs.split_rows import Layout
from evaluators.runs.wrong_fields import WrongFields
from evaluators.testsets import delimited
from tests.runs.given_columns import GivenColumns

Rows = list[tuple[str, str, str]]
LINE = evaluators.load({"evaluators": ["exact_match"]}).lines[0]
RESULTS = [
    Result(RowStatus.SCORED, True, 1, 1),
    Result(RowStatus.SCORED, False, 0, 1),
    Result(RowStatus.UNREADABLE, False, 0, 1),
    Result(RowStatus.INVALID, None, 0, 0),
    Result(RowStatus.BLOCKED, False, 0, 1),
    Result(RowStatus.SKIPPED, None, 0, 0),
]
MET = st.lists(st.tuples(st.text("abcd ", max_size=2), st.integers(0, 5)), max_size=30)


def groups_of(met: list[tuple[str, int]], cuts: Sequence[int] = (), wrong: WrongFields | None = None) -> Groups:
    """The groups of (name, verdict) rows, added in pieces."""
    cells = {"cluster": [name for name, _ in met], "code0": [code for _, code in met]}
    found = AttemptCounter(0, LINE, RESULTS, wrong or WrongFields())
    count_groups(GivenColumns(Layout(("exact_match",), clustered=True), cells, cuts), [found])
    return found.groups


@given(MET, st.booleans())
def test_what_is_kept_of_groups_is_bounded(met: list[tuple[str, int]], of_fields: bool) -> None:
    """Also where groups of documents have wrong fields of their own."""
    wrong = WrongFields({name: {"a": 1} for name, _ in met}) if of_fields else WrongFields()
    whole, counter = groups_of(met, wrong=wrong), AttemptCounter(0, LINE, RESULTS, wrong)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_CONTENTS", 2)
        for name in sorted({name for name, _ in met}):
            counter.add(name, [[code for one, code in met if one == name]])
            assert len(counter._alike) <= 2
        counter.settle()
    assert counter.groups == whole


def run(rows: Rows, **suite: Any) -> evaluators.Run:
    given = [
        {"id": str(at), "question": one, "output": two, "expected": three} for at, (one, two, three) in enumerate(rows)
    ]
    return evaluators.load({"evaluators": ["exact_match"], "repeats": "row.question", **suite}).run(given)


def of(rows: Rows, **suite: Any) -> RepeatStats:
    (found,) = run(rows, **suite).result.repeats
    return found


def attempts(*passes: str) -> Rows:
    """One group for each text of 1 (passes), 0 (fails) and ? (has no expected answer)."""
    return [
        (f"q{at}", "right" if one == "1" else "wrong", "" if one == "?" else "right")
        for at, group in enumerate(passes)
        for one in group
    ]


@given(st.integers(1, 7), st.data())
def test_the_estimators_are_shares_of_all_ways_to_draw_k(size: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, size))
    k = data.draw(st.integers(1, size))
    drawn = list(combinations([True] * passed + [False] * (size - passed), k))
    found = passes_at([PassShare(passed, size, 1)], k)
    assert found.pass_at_k == sum(map(any, drawn)) / len(drawn)
    assert found.pass_all_k == sum(map(all, drawn)) / len(drawn)


@given(st.integers(1, 8), st.data(), st.fractions(0, 1, max_denominator=9))
def test_the_estimators_are_unbiased_to_the_last_digit(size: int, data: st.DataObject, rate: Fraction) -> None:
    k = data.draw(st.integers(1, size))
    likely = [comb(size, passed) * rate**passed * (1 - rate) ** (size - passed) for passed in range(size + 1)]
    ways = comb(size, k)
    at = sum((weight * (1 - Fraction(comb(size - c, k), ways)) for c, weight in enumerate(likely)), Fraction(0))
    every = sum((weight * Fraction(comb(c, k), ways) for c, weight in enumerate(likely)), Fraction(0))
    assert (at, every) == (1 - (1 - rate) ** k, rate**k)
    exact = [passes_at([PassShare(c, size, 1)], k) for c in range(size + 1)]
    assert sum(float(w) * (one.pass_at_k or 0.0) for w, one in zip(likely, exact, strict=True)) == pytest.approx(
        float(at)
    )


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=1, max_size=9))
def test_more_outputs_never_answer_fewer_questions(drawn: list[tuple[int, int]]) -> None:
    shares = [PassShare(min(passed, 5), 5, groups) for passed, groups in drawn]
    found = [passes_at(shares, k) for k in range(1, 6)]
    at, every = [one.pass_at_k or 0.0 for one in found], [one.pass_all_k or 0.0 for one in found]
    assert at == sorted(at)
    assert every == sorted(every, reverse=True)
    assert at[0] == every[0]
    assert all(
        one.pass_at_k_ci and one.pass_at_k_ci.low <= (one.pass_at_k or 0) <= one.pass_at_k_ci.high for one in found
    )


@pytest.mark.parametrize("most", [0, 2, 20_000])
def test_any_cut_in_any_order_comes_to_the_groups_of_paper_and_pencil(most: int) -> None:
    @given(MET, st.lists(st.integers(0, 30), max_size=4), st.randoms(use_true_random=False))
    def same(met: list[tuple[str, int]], cuts: list[int], random: Random) -> None:
        attempts: dict[str, list[Result]] = {}
        for name, code in met:
            attempts.setdefault(name, []).append(RESULTS[code])
        nameless = [one for name, rows in attempts.items() if not name.strip() for one in rows]
        known = {
            name: [one for one in rows if one.status.scored or one.status.kept_out] for name, rows in attempts.items()
        }
        named = [rows for name, rows in known.items() if name.strip() and rows]
        whole = [rows for rows in named if all(one.status.scored for one in rows)]
        random.shuffle(met)
        found = groups_of(met, cuts)
        assert found.nameless == sum(one.status.scored or one.status.kept_out for one in nameless)
        assert found.shares == Counter((sum(one.passed is True for one in rows), len(rows)) for rows in whole)
        assert found.kept_out == Counter(len(rows) for rows in named if rows not in whole)
        listed = sorted(name for names in found.listed.values() for name in names)
        assert listed == sorted(name for name, rows in known.items() if name.strip() and rows in whole)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_CONTENTS", most)
        same()


def test_every_one_of_many_groups_counts_and_the_first_names_are_listed() -> None:
    found = groups_of([(f"q{group:06}", 0 if group % 3 else 1) for group in range(30_000)])
    assert found.shares == {(1, 1): 20_000, (0, 1): 10_000}
    assert [(len(names), names[0]) for names in found.listed.values()] == [(200, "q000000"), (200, "q000001")]


def test_fields_of_documents_flip_where_some_attempts_have_them_wrong() -> None:
    wrong = WrongFields({"q1": {"a": 1}, "q2": {"a": 2, "b": 1}}, {"q2": 1})
    found = groups_of([("q1", 0), ("q1", 1), ("q2", 1), ("q2", 1), ("q2", 2), ("q3", 0), ("q3", 0)], (), wrong)
    assert (found.repeated, found.flips) == (3, {"a": 1, "b": 1})


def test_fields_are_counted_in_the_first_groups_where_more_are_wrong_than_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wrong_fields, "MOST_GROUPS", 2)
    one, other = ({name: {"a": 1} for name in names} for names in (("q4", "q1"), ("q2", "q3")))
    either = [
        plus(WrongFields(deepcopy(first)), WrongFields(deepcopy(then))) for first, then in ((one, other), (other, one))
    ]
    assert [(wrong.of_group.keys(), wrong.last_group) for wrong in either] == [({"q1", "q2"}, "q2")] * 2
    found = groups_of([(f"q{group}", code) for group in range(6) for code in (0, 1)], (), either[0])
    assert found.shares == {(1, 2): 6}
    assert (found.repeated, found.flips, found.last) == (3, {"a": 2}, "q2")
    (said,) = repeat_stats([LINE], [found], Repeats("question"), None)
    assert said.fields == (FieldFlips("a", 2, 3, 2 / 3, wilson(2, 3)),)
    page = page_text(Page("", repeat_sections(replace(run(attempts("10")).result, repeats=(said,)))))
    assert 'Fields were looked at in the groups up to "q2", by name.' in " ".join(page.split())


def test_groups_always_sometimes_and_never_pass() -> None:
    found = of(attempts("111", "101", "100", "000"))
    assert (found.groups, found.always, found.sometimes, found.never) == (4, 1, 2, 1)
    assert [(one.k, one.pass_at_k, one.pass_all_k) for one in found.passes] == [
        (1, 0.5, 0.5), (2, pytest.approx((1 + 1 + 2 / 3) / 4), pytest.approx((1 + 1 / 3) / 4)), (3, 0.75, 0.25),
    ]  # fmt: skip
    assert [(one.group, one.passed, one.attempts) for one in found.listed] == [
        ("q2", 1, 3), ("q1", 2, 3), ("q3", 0, 3), ("q0", 3, 3),
    ]  # fmt: skip
    assert found.noise == pytest.approx((2 / 3 + 2 / 3) / 4)


def test_smaller_groups_are_counted_out_of_the_ks_that_are_asked_for() -> None:
    found = of(attempts("11", "101", "1"), repeats={"by": "row.question", "k": [2, 1, 5]})
    assert [(one.k, one.groups, one.smaller) for one in found.passes] == [(1, 3, 0), (2, 2, 1), (5, 0, 3)]
    assert [one.k for one in of(attempts("11", "101", "1")).passes] == [1]


@given(st.lists(st.text("01?", min_size=1, max_size=5), min_size=1, max_size=6), st.integers(1, 6))
def test_every_group_is_measured_too_small_or_kept_out(groups: list[str], k: int) -> None:
    found = of(attempts(*groups), repeats={"by": "row.question", "k": [k]})
    (at,) = found.passes
    large = [one for one in groups if len(one) >= k]
    assert (at.groups, at.kept_out) == (sum("?" not in one for one in large), sum("?" in one for one in large))
    assert at.groups + at.smaller + at.kept_out == len(groups)


@pytest.mark.parametrize("metric", ["pass_at_k", "pass_all_k"])
def test_a_gate_is_undecided_where_too_many_groups_are_smaller_than_k(metric: str) -> None:
    gate: dict[str, Any] = {"metric": metric, "k": 3, "fail_below": 0.5}
    done = run(attempts("111", "111", "1", "1?", "?"), gates={"exact_match": gate}).result
    (found,) = done.gates
    word = "pass at 3" if metric == "pass_at_k" else "pass all 3"
    assert (found.verdict, found.n) == ("undecided", 2)
    assert found.message == (
        f"{word} 1.0000, on only 2 of 5 groups; the gate asks for 0.95 of them; 3 groups of fewer than 3 are left out"
    )
    for coverage in (0.4, "any"):
        (found,) = run(
            attempts("111", "111", "1", "1?", "?"), gates={"exact_match": {**gate, "coverage": coverage}}
        ).result.gates
        assert (found.verdict, found.message) == ("passed", f"{word} 1.0000; 3 groups of fewer than 3 are left out")
    few = run(attempts("111", "1"), gates={"exact_match": {**gate, "min_rows": 2}}).result.gates[0].message
    assert few == "only 1 group measured, and the gate asks for 2; 1 group of fewer than 3 is left out"


@pytest.mark.parametrize(("small", "verdict", "code"), [(1, "passed", 0), (2, "undecided", 3)])
def test_one_small_group_in_twenty_is_left_out_and_two_are_too_many(small: int, verdict: str, code: int) -> None:
    gate = {"metric": "pass_all_k", "k": 2, "fail_below": 0.9}
    done = run(attempts(*["11"] * (20 - small), *["1"] * small), gates={"exact_match": gate}).result
    assert (done.gates[0].verdict, done.exit_code) == (verdict, code)


def test_a_page_says_how_many_groups_are_too_small() -> None:
    found = run(attempts("111", "1"), repeats={"by": "row.question", "k": [1, 3]}).result
    page = page_text(run_page(found))
    assert re.search(r"\n3 +1\.0000 .* 1 +1\npass@k: .* Groups of fewer than k outputs are left out\.", page)


def test_of_large_groups_some_sizes_are_shown() -> None:
    assert [one.k for one in of(attempts("1" * 12)).passes] == [1, 2, 3, 5, 10, 12]
    assert [one.k for one in of(attempts("1" * 1_001)).passes][-2:] == [500, 1_000]


def test_a_group_with_a_row_that_is_not_measured_has_no_metric() -> None:
    found = of(attempts("11", "1?", "00"))
    assert (found.groups, found.kept_out, found.attempts) == (2, 1, 4)


def test_unreadable_and_blocked_rows_are_attempts_that_failed() -> None:
    right = '{"x": 1}'
    rows = [("a", right, right), ("a", "oops", right), ("b", right, right), ("b", '{"x": 2}', right)]
    suite = ["json_diff_match", {"exact_match": {"needs": ["json_diff_match"]}}]
    diff, exact = run(rows, evaluators=suite).result.repeats
    assert (diff.groups, diff.sometimes, diff.attempts) == (exact.groups, exact.sometimes, exact.attempts) == (2, 2, 4)


def test_rows_without_a_question_belong_to_no_group() -> None:
    found = of([*attempts("11"), ("", "right", "right"), (" ", "wrong", "right")])
    assert (found.groups, found.nameless, found.always) == (1, 2, 1)


def test_nothing_measured_is_exit_code_3() -> None:
    found = run([("", "right", "right"), ("", "right", "right")])
    assert found.result.exit_code == 3
    assert "repeats-measured-nothing" in {issue.code for issue in found.result.issues}


def test_a_field_flips_where_it_is_right_and_wrong_in_one_group() -> None:
    rows = [
        {"id": "a", "output": json.dumps({"x": 1, "y": at, "items": [{"z": at % 2}]}),
         "expected": '{"x": 1, "y": 9, "items": [{"z": 0}]}'}
        for at in range(2)
    ]  # fmt: skip
    rows += [{**row, "id": "b", "output": row["expected"]} for row in rows]
    kinds: list[Any] = [
        "json_diff_match", {"json_multi_field_match": {"fields": ["x", "y", "items[*].z"]}},
        {"schema_match": {"fields": {"x": "exact", "y": "exact", "items[*].z": "exact"}}},
    ]  # fmt: skip
    for kind in kinds:
        (found,) = evaluators.load({"evaluators": [kind], "repeats": "id"}).run(rows).result.repeats
        assert [(one.path, one.flips, one.groups) for one in found.fields] == [("items[*].z", 1, 2)], kind


def test_a_field_that_is_not_asked_for_in_an_output_is_not_right_there() -> None:
    rules = {"why": {"present": "reason", "when": {"output.status": "rejected"}}}
    rejected, reasoned, accepted = (
        '{"status": "rejected"}',
        '{"status": "rejected", "reason": 1}',
        '{"status": "accepted"}',
    )
    outputs = {"a": [rejected, accepted], "b": [rejected, reasoned], "c": [rejected, rejected, accepted]}
    rows = [{"id": name, "output": one} for name, of_name in outputs.items() for one in of_name]
    (found,) = evaluators.load({"evaluators": [{"rules": rules}], "repeats": "id"}).run(rows).result.repeats
    assert [(one.path, one.flips, one.groups) for one in found.fields] == [("why", 1, 2)]


def test_no_field_is_right_in_an_output_that_cannot_be_read() -> None:
    outputs = {"a": ['{"x": 1, "more": 1}', "oops"], "b": ['{"x": 2, "more": 1}', "oops"], "c": ['{"x": 1}', '{"x": 1}']}
    rows = [{"id": name, "output": one, "expected": '{"x": 1}'} for name, of_name in outputs.items() for one in of_name]
    (found,) = evaluators.load({"evaluators": ["json_diff_match"], "repeats": "id"}).run(rows).result.repeats
    assert [(one.path, one.flips, one.groups) for one in found.fields] == [("x", 1, 3)]


def test_intervals_go_by_group() -> None:
    rows = attempts("1" * 10, "0" * 10, "1" * 10, "0" * 10, "1" * 10)
    together = run(rows).result
    clustered = evaluators.load({"evaluators": ["exact_match"], "statistics": {"cluster": "row.question"}}).run(
        [{"id": str(at), "question": q, "output": o, "expected": e} for at, (q, o, e) in enumerate(rows)]
    )
    assert together.cluster == "question"
    assert together.evaluators == clustered.result.evaluators


@pytest.mark.parametrize(
    ("gate", "verdict"),
    [
        ({"metric": "pass_at_k", "k": 2, "fail_below": 0.6}, "passed"),
        ({"metric": "pass_all_k", "k": 2, "fail_below": 0.6}, "failed"),
        ({"metric": "pass_at_k", "k": 2, "fail_below": 0.6, "using": "lower_bound"}, "failed"),
        ({"metric": "pass_at_k", "k": 4, "fail_below": 0.6}, "undecided"),
        ({"metric": "pass_at_k", "k": 2, "fail_below": 0.6, "min_rows": 4}, "undecided"),
    ],
)
def test_gates_on_k_outputs(gate: dict[str, Any], verdict: str) -> None:
    (found,) = run(attempts("110", "111", "000"), gates={"exact_match": gate}).result.gates
    assert (found.verdict, found.metric) == (verdict, gate["metric"].replace("_k", f"_{gate['k']}"))


def test_a_gate_is_undecided_where_too_few_groups_were_measured() -> None:
    gate = {"metric": "pass_at_k", "k": 2, "fail_below": 0.6}
    (found,) = run(attempts("11", "1?", "11"), gates={"exact_match": gate}).result.gates
    assert found.verdict == "undecided"
    assert "2 of 3 groups" in found.message


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ({"repeats": "question"}, "written row.COLUMN"),
        ({"repeats": "output.q"}, "is no column: write row. and the name of a column"),
        ({"repeats": {"by": "row.question", "k": [0]}}, "k"),
        ({"repeats": {"k": [1]}}, "by"),
        ({"repeats": "row.question", "statistics": {"cluster": "row.other"}}, 'clusters rows by "other"'),
        (
            {"gates": {"exact_match": {"metric": "pass_at_k", "fail_below": 0.5}}},
            "needs k: write {metric: pass_at_k, k: 3}",
        ),
        (
            {"gates": {"exact_match": {"metric": "pass_all_k", "fail_below": 0.5}}},
            "needs k: write {metric: pass_all_k, k: 3}",
        ),
        ({"gates": {"exact_match": {"k": 2, "fail_below": 0.5}}}, "k goes with"),
        ({"gates": {"exact_match": {"metric": "pass_at_k", "k": 2, "fail_below": 0.5}}}, "does not say which rows"),
    ],
)
def test_what_a_suite_cannot_say(suite: dict[str, Any], said: str) -> None:
    with pytest.raises(Problems, match=said):
        evaluators.load({"evaluators": ["exact_match"], **suite}).run([{"output": "a", "expected": "a", "question": "q"}])


def test_the_same_column_may_be_named_twice() -> None:
    assert of(attempts("11"), statistics={"cluster": "row.question"}).groups == 1


def test_ids_that_repeat_are_a_warning_that_says_what_to_write() -> None:
    rows = [{"id": "a", "output": "x", "expected": "x"}] * 2
    (warning,) = evaluators.load({"evaluators": ["exact_match"]}).run(rows).result.warnings
    assert warning.code == "duplicate-id"
    assert "repeats: id" in (warning.hint or "")
    assert not evaluators.load({"evaluators": ["exact_match"], "repeats": "id"}).run(rows).result.warnings


def test_ids_may_stand_in_a_column_of_another_name(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("case_id,output,expected\na,x,x\na,y,x\n", encoding="utf-8")
    found = evaluators.load({"evaluators": ["exact_match"], "repeats": "id"}).run(tmp_path / "rows.csv").result
    assert [one.groups for one in found.repeats] == [1]
    assert found.cluster == "case_id"


def test_workers_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "SPLIT_BYTES", 5_000)
    lines = [f"q{at // 7},{'right' if at * at % 11 < 7 else 'wrong'},right" for at in range(2_000)]
    (tmp_path / "rows.csv").write_text("question,output,expected\n" + "\n".join(lines), encoding="utf-8")
    suite = evaluators.load({"evaluators": ["exact_match"], "repeats": "row.question"})
    alone, several = (suite.run(tmp_path / "rows.csv", workers=count).result.repeats for count in (1, 2))
    assert alone == several
    assert alone[0].groups == 286


def of_groups(*passes: str) -> evaluators.Run:
    suite = evaluators.load({"evaluators": ["exact_match"], "repeats": "row.question"})
    return suite.run([
        {"id": str(at), "question": q, "output": o, "expected": e} for at, (q, o, e) in enumerate(attempts(*passes))
    ])  # fmt: skip


def test_two_runs_tell_a_change_from_noise() -> None:
    noisy = evaluators.compare(of_groups(*["10"] * 10), of_groups(*["11", "00"] * 5)).evaluators[0]
    assert (noisy.fixed, noisy.broken, noisy.noise, noisy.verdict) == (5, 5, 0.5, "no clear difference")
    uneven = evaluators.compare(of_groups("10", "1" * 8), of_groups("01", "1" * 8)).evaluators[0]
    assert uneven.noise == 0.2  # two of ten rows, and not half of them
    better = evaluators.compare(of_groups(*["00"] * 10), of_groups(*["11"] * 10)).evaluators[0]
    assert (better.fixed, better.noise, better.verdict) == (20, 0.0, "better")


@pytest.mark.parametrize(
    ("base", "new", "verdict", "changed_groups", "said"),
    [
        ("10", "10", "the same", 0, "Every row scores what it scored before."),
        ("10", "01", "no clear difference", 0, "there is no change beyond that noise."),
        ("10", "00", "no clear difference", 1, "no change can be told from that noise."),
    ],
)
def test_changes_that_cancel_within_groups_are_noise_and_not_the_same(
    base: str, new: str, verdict: str, changed_groups: int, said: str
) -> None:
    found = evaluators.compare(of_groups(base, "11"), of_groups(new, "11"))
    assert (found.evaluators[0].verdict, found.evaluators[0].changed_groups) == (verdict, changed_groups)
    assert said in " ".join(page_text(comparison_page(found)).split())
