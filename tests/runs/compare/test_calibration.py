"""A judge beside people: agreement, kappa, halves, and answers of another run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import evaluators
from evaluators.model.issues import Problems
from evaluators.reports.calibration_page import calibration_page
from evaluators.reports.text import page_text
from evaluators.runs.compare.calibration import (
    JudgeConfusion,
    MarkedRow,
    calibration_of,
    kappa,
    rate_difference_interval,
    read_mark,
)
from evaluators.runs.intervals import Z_95
from evaluators.scoring.judges.judge import JUDGES, Judge, JudgeAnswer, JudgeQuestion
from tests.kit import cli, write_rows


def value_of(shares: Sequence[float]) -> float:
    a, b, c, d = shares
    chance = (a + b) * (a + c) + (c + d) * (b + d)
    return (a + d - chance) / (1 - chance)


@pytest.mark.parametrize("counts", [(20, 5, 10, 15), (45, 15, 25, 15), (90, 3, 2, 5), (10, 0, 1, 30)])
def test_kappa_and_its_interval_are_those_of_the_delta_method(counts: tuple[int, int, int, int]) -> None:
    found, interval = kappa(JudgeConfusion(*counts).cells)
    shares, n, step = [each / sum(counts) for each in counts], sum(counts), 1e-6
    gradient = []
    for place in range(4):
        up, down = list(shares), list(shares)
        up[place] += step
        down[place] -= step
        gradient.append((_free(up) - _free(down)) / (2 * step))
    mean = sum(g * p for g, p in zip(gradient, shares, strict=True))
    error = sqrt((sum(g * g * p for g, p in zip(gradient, shares, strict=True)) - mean**2) / n)
    assert found == pytest.approx(value_of(shares))
    assert interval is not None
    assert interval.low == pytest.approx(found - Z_95 * error, abs=1e-4)
    assert interval.high == pytest.approx(min(1.0, found + Z_95 * error), abs=1e-4)


def _free(shares: Sequence[float]) -> float:
    """Kappa of shares that need not sum to 1."""
    whole = sum(shares)
    return value_of([each / whole for each in shares])


def test_the_example_of_every_textbook() -> None:
    assert kappa(JudgeConfusion(20, 5, 10, 15).cells)[0] == pytest.approx(0.4)


def _by_hand(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Kappa of pairs of choices, from its definition."""
    names, n = {name for pair in pairs for name in pair}, len(pairs)
    agreed = Fraction(sum(one == other for one, other in pairs), n)
    chance = sum(Fraction(sum(a == x for a, _ in pairs) * sum(b == x for _, b in pairs), n * n) for x in names)
    return None if chance == 1 else float((agreed - chance) / (1 - chance))


_CHOICES = st.sampled_from(["excellent", "fair", "poor", "none"])


@given(st.lists(st.tuples(_CHOICES, _CHOICES), min_size=1, max_size=40))
def test_kappa_of_several_choices_is_its_definition_and_treats_both_sides_alike(pairs: list[tuple[str, str]]) -> None:
    found, interval = kappa(Counter(pairs))
    wanted = _by_hand(pairs)
    assert found == (None if wanted is None else pytest.approx(wanted, abs=1e-9))
    assert kappa(Counter((other, one) for one, other in pairs))[0] == pytest.approx(found, abs=1e-9)
    assert (interval is None) is (found is None)
    assert interval is None or found is None or interval.low - 1e-9 <= found <= interval.high + 1e-9


def test_kappa_says_nothing_where_there_is_one_verdict() -> None:
    assert kappa(JudgeConfusion(both_pass=12).cells) == (None, None)
    assert kappa(JudgeConfusion().cells) == (None, None)


def test_rates_apart_are_newcombes_example() -> None:
    found = rate_difference_interval(
        (48, 80), (56, 70)
    )  # Newcombe 1998, table II, (a) the other way round: 56/70 against 48/80
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(0.0524, abs=5e-5), pytest.approx(0.3339, abs=5e-5))
    assert rate_difference_interval((0, 0), (1, 2)) is None


@pytest.mark.parametrize(
    ("cell", "scale", "wanted"),
    [
        ("yes", (0.0, 1.0), (True, None)), ("FAIL", (0.0, 1.0), (False, None)), (True, (0.0, 1.0), (True, None)),
        ("1", (0.0, 1.0), (True, Fraction(1))), ("0.4", (0.0, 1.0), (False, Fraction(2, 5))),
        ("3", (1.0, 5.0), (True, Fraction(1, 2))), ("1", (1.0, 5.0), (False, Fraction(0))), ("ok", (1.0, 5.0), (True, None)),
        ("", (0.0, 1.0), None), (None, (0.0, 1.0), None),
    ],
)  # fmt: skip
def test_marks_are_words_or_numbers(cell: object, scale: tuple[float, float], wanted: Any) -> None:
    assert read_mark(cell, 0.5, scale, "row 2") == wanted


@pytest.mark.parametrize(
    ("cell", "scale"), [("maybe", (0.0, 1.0)), ("7", (1.0, 5.0)), ("nan", (0.0, 1.0)), ("-1", (0.0, 1.0))]
)
def test_a_mark_that_cannot_be_read_is_named(cell: str, scale: tuple[float, float]) -> None:
    with pytest.raises(Problems, match=f"this is no mark: {cell}"):
        read_mark(cell, 0.5, scale, "row 2")


def test_a_judge_that_likes_long_outputs_is_seen() -> None:
    rows = [MarkedRow(n, str(n), judge=n >= 50, person=False, length=n, score=None) for n in range(100)]
    found = calibration_of(rows)
    assert (found.lengths.first.too_kind, found.lengths.second.too_kind) == (0, 50)
    assert found.lengths.difference is not None
    assert found.lengths.difference.high < -0.89


@pytest.mark.parametrize(("unjudged", "said"), [(1, "1 mark without a verdict is"), (2, "2 marks without a verdict are")])
def test_marks_without_a_verdict_are_counted(unjudged: int, said: str) -> None:
    found = calibration_of([MarkedRow(n, str(n), judge=n >= 5, person=True, length=n, score=None) for n in range(10)])
    page = calibration_page(replace(found, unjudged=unjudged), "run", "tone", "human", None)
    assert f"{said} left out." in " ".join(page_text(page).split())


class Long(Judge):
    """Lets long outputs pass; the model `other` lets all of them pass."""

    model: str = "long"

    def answer(self, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
        return [JudgeAnswer(float(self.model == "other" or len(one.payload["shown"]["output"]) > 5)) for one in questions]


@pytest.fixture
def run_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(JUDGES._registered, "long", Long)
    rows = [
        {"id": "a", "output": "long enough", "human": "yes"}, {"id": "b", "output": "short", "human": "no"},
        {"id": "c", "output": "long, and wrong", "human": "no"}, {"id": "d", "output": "right", "human": "yes"},
        {"id": "e", "output": "nobody marked it", "human": ""},
    ]  # fmt: skip
    file = tmp_path / "rows.jsonl"
    write_rows(file, rows)

    def run(model: str, **sections: Any) -> Path:
        judged = [{"llm_judge": {"name": "tone", "rubric": "Good?"}}]
        suite = {"judge": {"long": {"model": model}}, "evaluators": judged, **sections}
        evaluators.load(suite).run(file, results=tmp_path / "runs", name=model)
        return tmp_path / "runs" / model

    return run


def test_the_command_compares_a_run_with_its_marks(run_of: Any) -> None:
    said = cli("calibrate", str(run_of("long")), "--human", "human")
    assert said.exit_code == 0, said.output
    words = " ".join(said.output.split())
    assert "4 rows have a verdict of tone and a mark in human." in words
    assert "agreement 0.5000" in words
    assert "Cohen's kappa 0.000" in words
    assert "judge: pass 1 1 judge: fail 1 1" in words
    assert "row 3 (c): the judge says pass, people fail" in words


def test_a_run_with_groups_of_rows_says_that_intervals_count_rows(run_of: Any) -> None:
    said = cli("calibrate", str(run_of("long", repeats="row.human")), "--human", "human")
    assert "Rows of one human belong together. The intervals here count rows, and are too narrow." in " ".join(
        said.output.split()
    )


def test_the_command_says_what_another_run_answered(run_of: Any) -> None:
    said = cli("calibrate", str(run_of("long")), "--human", "human", "--other", str(run_of("other")))
    assert "Of 5 questions that both runs asked, 2 have another verdict in the other run (0.4000)." in " ".join(
        said.output.split()
    )


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--human", "nobody"], 'no column "nobody"'),
        (["--human", "id"], "this is no mark: a"),
        (["--human", "human", "--evaluator", "voice"], 'no evaluator "voice"'),
        (["--human", "human", "--evaluator", "tone.a"], 'no field "a"'),
    ],
)
def test_what_the_run_does_not_have_is_named(run_of: Any, options: list[str], why: str) -> None:
    said = cli("calibrate", str(run_of("long")), *options)
    assert said.exit_code == 2
    assert why in said.output


class Chooses(Judge):
    """Chooses by the length of the output."""

    def answer(self, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
        lengths = [len(one.payload["shown"]["output"]) for one in questions]
        names = ["excellent" if length > 15 else "fair" if length > 5 else "poor" for length in lengths]
        return [JudgeAnswer(0.0, details={"choice": name}) for name in names]


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of a judge that makes choices, and the choices of people beside it."""
    monkeypatch.setitem(JUDGES._registered, "chooses", Chooses)
    rows = [
        {"id": "a", "output": "long enough for anybody", "human": "excellent", "yes": "yes"},
        {"id": "b", "output": "short", "human": "Poor ", "yes": "no"},
        {"id": "c", "output": "not so long", "human": "poor", "yes": "no"},
        {"id": "d", "output": "middling", "human": "fair", "yes": "yes"},
        {"id": "e", "output": "nobody marked it", "human": "", "yes": ""},
    ]
    file = tmp_path / "rows.jsonl"
    write_rows(file, rows)
    judged = {"name": "tone", "rubric": "Good?", "choices": {"excellent": 1, "fair": 0.5, "poor": 0}, "pass_at": 0.6}
    evaluators.load({"judge": "chooses", "evaluators": [{"llm_judge": judged}]}).run(
        file, results=tmp_path / "runs", name="run"
    )
    return tmp_path / "runs" / "run"


def test_choices_of_people_stand_beside_those_of_the_judge(chosen: Path) -> None:
    said = cli("calibrate", str(chosen), "--human", "human")
    assert said.exit_code == 0, said.output
    words = " ".join(said.output.split())
    assert "agreement 1.0000" in words  # at 0.6, fair and poor both fail
    assert "the same choice 0.7500 [0.3006, 0.9544] 4" in words
    assert "Cohen's kappa 0.636" in words  # 3/4 agree, 5/16 would by chance
    assert "poor → fair: 1 row; row 3 (c)" in words
    assert "score minus mark 0.125" in words
    assert "above 0 the judge gives more; of 4 rows" in words


def test_a_judge_with_choices_may_be_held_against_yes_and_no(chosen: Path) -> None:
    said = cli("calibrate", str(chosen), "--human", "yes")
    assert said.exit_code == 0, said.output
    assert "the same choice" not in said.output
    assert "agreement 0.7500" in " ".join(said.output.split())


def test_a_mark_that_is_no_choice_is_named_with_the_choices(chosen: Path) -> None:
    said = cli("calibrate", str(chosen), "--human", "output")
    assert said.exit_code == 2
    assert "a mark is excellent, fair, poor, yes or no" in said.output
