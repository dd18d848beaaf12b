"""The recorded cases of other systems: each agrees, or falls under a divergence that says why."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from evaluators.builtin._evaluator import read
from evaluators.issues import Blame, CellError, RowProblem
from evaluators.model import RowStatus
from tests.conformance.__main__ import main, paragraph
from tests.conformance.cases import HERE, Answer, Case, mapping
from tests.conformance.computed import TYPES, computed
from tests.conformance.ours import evaluator_of
from tests.conformance.rules import ANSWERS, AS_TOLD, rules
from tests.conformance.systems import ANSWERS as ANSWERED_APART
from tests.conformance.systems import read_cases
from tests.conformance.verdicts import Finding, Result, judge_folder, same_answer
from tests.laws.structures import without_output

FILES = sorted(mapping()["files"])


@cache
def judged() -> dict[str, list[Result]]:
    return dict(judge_folder())


def covered() -> list[Result]:
    return [verdict for verdicts in judged().values() for verdict in verdicts if verdict.ours is not None]


@pytest.mark.parametrize("name", FILES)
def test_every_case_agrees_or_is_listed(name: str) -> None:
    verdicts = judged()[name]
    assert verdicts
    assert [str(verdict) for verdict in verdicts if verdict.finding is Finding.DISAGREES] == []


def test_every_divergence_decides_a_case_and_its_examples_are_among_them() -> None:
    decided: dict[int, set[str]] = {}
    for verdict in covered():
        if verdict.rule is not None:
            decided.setdefault(rules().index(verdict.rule), set()).add(verdict.case.id)
    for number, rule in enumerate(rules()):
        assert decided.get(number), f"decides no case: {rule.reason}"
        assert rule.examples, f"has no example: {rule.reason}"
        assert set(rule.examples) <= decided[number], f"does not decide its examples: {rule.reason}"


def test_every_divergence_gives_its_reason_in_a_sentence() -> None:
    for rule in rules():
        assert rule.reason[0].isupper() or rule.reason.startswith("`")
        assert rule.reason.endswith(".")
        assert isinstance(rule.ours, dict) or rule.ours in ("computed", AS_TOLD, *ANSWERS)


def test_what_is_computed_apart_is_what_the_evaluators_say() -> None:
    """Also where a case agrees: so a divergence is not held against a calculation made for it."""
    differ = [str(one) for one in covered() if one.case.evaluator in TYPES and not _as_computed(one)]
    assert differ == []


def _as_computed(verdict: Result) -> bool:
    return verdict.ours is not None and same_answer(verdict.ours, computed(verdict.case))


def test_the_fast_check_says_what_the_explained_score_says() -> None:
    differ = []
    for verdict in covered():
        ours = verdict.ours
        if ours is None or ours.blame == "config" or verdict.case.system in ANSWERED_APART:
            continue
        fast = _fast(verdict.case)
        if (fast.score, fast.passed, fast.blame) != (ours.score, ours.passed, ours.blame):
            differ.append(f"{verdict.case.id}: fast {fast}, explained {ours}")
    assert differ == []


def _fast(case: Case) -> Answer:
    evaluator = evaluator_of(case)
    needs = evaluator.needs()
    values: list[object] = []
    for need in needs:
        values.append(read(need, case.cells, values, needs))
    try:
        verdict = without_output(evaluator, *values) if _unreadable(values) else evaluator.compile()(*values)
    except RowProblem as error:
        return Answer(blame=error.issue.blame.value)
    for value in values:
        if isinstance(value, CellError) and value.issue.blame is not Blame.OUTPUT:
            return Answer(blame=value.issue.blame.value)
    return Answer(verdict.score, verdict.passed, "output" if verdict.status is RowStatus.UNREADABLE else None)


def _unreadable(values: Sequence[object]) -> bool:
    return any(isinstance(value, CellError) for value in values)


def test_every_evaluator_of_a_file_is_mapped_or_says_why_not() -> None:
    for system in mapping()["evaluators"]:
        known = {*mapping()["evaluators"][system], *mapping()["evaluators_not_covered"].get(system, {})}
        files = [name for name in FILES if mapping()["files"][name] == system]
        named = {case.evaluator for name in files for case in read_cases(HERE / f"{name}.jsonl")}
        assert named <= known


def test_the_report_names_what_disagrees() -> None:
    case = next(iter(read_cases(HERE / "galtea.jsonl")))
    lines = paragraph("galtea", [Result(case, Finding.DISAGREES), Result(case, Finding.AGREES)])
    assert lines == ["galtea: 2 cases: 1 agree, 0 listed, 1 disagree, 0 not covered", f"  disagrees: {case.id}"]


def test_a_folder_without_known_files_is_an_error(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 1
    assert "no file of cases" in capsys.readouterr().out
