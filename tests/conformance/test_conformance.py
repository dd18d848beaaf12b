"""The recorded cases of other systems: each agrees, or falls under a divergence that says why."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.conformance.__main__ import main, paragraph
from tests.conformance.cases import HERE, Answer, mapping
from tests.conformance.rules import ANSWERS, AS_TOLD, WORKED_OUT, rules
from tests.conformance.systems import read_cases
from tests.conformance.verdicts import Finding, Result, differing, digest, judge_folder, judge_unknown

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
        assert isinstance(rule.ours, dict) or rule.ours in (AS_TOLD, WORKED_OUT, *ANSWERS)


def test_nearly_every_answer_that_differs_is_said_by_its_divergence() -> None:
    """What is left are schemas and comparators of extract-bench that are not worked out."""
    listed = [one for one in covered() if one.finding is Finding.LISTED and one.rule is not None]
    open_ = [one.case for one in listed if one.rule is not None and one.rule.instead(one.case) is None]
    assert {case.system for case in open_} == {"extract_bench"}
    assert len(open_) <= 5


def test_every_answer_of_ours_that_is_recorded_is_to_a_case_that_differs() -> None:
    listed = {digest(one.case) for one in covered() if one.finding is Finding.LISTED}
    assert listed == differing().keys()


def test_the_divergences_alone_find_the_reason_of_every_case_that_differs() -> None:
    """As for a case that nobody has seen."""
    for one in covered():
        if one.finding is Finding.LISTED and one.ours is not None:
            alone = judge_unknown(one.case, one.ours)
            assert (alone.finding, alone.rule) == (Finding.LISTED, one.rule), str(one)


def _results_of(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    return (found for row in rows for found in row["results"])


def test_another_answer_to_an_evaluation_that_agrees_is_never_explained() -> None:
    """A result is turned round in each."""
    explained: list[str] = []
    every = 0
    for one in covered():
        if one.case.evaluator != "evaluate" or one.finding is not Finding.AGREES or one.ours is None or one.ours.blame:
            continue
        value = copy.deepcopy(one.ours.value)
        for found in _results_of(value["rows"]):
            right = found[1] == "match"
            found[1:3] = ("mismatch", 0.0) if right else ("match", 1.0)
            every += 1
            wrong = judge_unknown(one.case, replace(one.ours, value=value))
            explained += [one.case.id] * (wrong.finding is Finding.LISTED)
            break
    assert every > 100
    assert explained == []


def test_an_answer_that_is_nobodys_is_never_explained() -> None:
    for one in covered():
        if one.finding is Finding.AGREES and one.ours is not None and one.ours.blame is None:
            assert judge_unknown(one.case, Answer(blame="bug")).finding is Finding.DISAGREES


def test_no_divergence_knows_the_name_of_a_case() -> None:
    named = {one.case.id for one in covered()}
    conditions = " ".join(str(rule.when) for rule in rules())
    assert [name for name in named if f"'{name}'" in conditions] == []


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
