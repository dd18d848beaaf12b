"""The recorded cases of extract-bench through `schema_match`, as a suite scores them: fast and explained say the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from evaluators.builtin._evaluator import Evaluator, explain_cells, read
from evaluators.issues import Problems
from evaluators.suite.config import read_config
from evaluators.suite.source import from_data
from tests.conformance.cases import HERE, Case
from tests.conformance.extract_bench import OVERALL, PASS_RATE, SYSTEM, WITHOUT_JUDGE, answer
from tests.conformance.rules import rules
from tests.conformance.systems import read_cases
from tests.laws.structures import without_output

FILES = ("extract_bench", "extract_bench_head")
METRICS = {"field_score": None, "overall_score": OVERALL, "overall_pass_rate": PASS_RATE}


def scored_documents() -> Iterator[Any]:
    """The cases that a test set can hold: both sides are an object or a list."""
    for name in FILES:
        for case in read_cases(HERE / f"{name}.jsonl"):
            if all(isinstance(cell, (dict, list)) for cell in (case.output, case.expected)):
                yield pytest.param(case, id=f"{name}: {case.id}")


def evaluator(case: Case, figure: str) -> Evaluator:
    settings = {"dialect": "evaluation_config", "fallback": WITHOUT_JUDGE, "score": figure, **case.settings}
    return read_config(from_data({"evaluators": [{"type": "schema_match", **settings}]})).lines[0].settings


@pytest.mark.parametrize("case", [*scored_documents()])
@pytest.mark.parametrize("figure", METRICS)
def test_a_suite_gives_the_figures(case: Case, figure: str) -> None:
    ours = answer(case)
    if ours.blame == "config":
        with pytest.raises(Problems):
            evaluator(case, figure)
        return
    name = METRICS[figure]
    wanted = ours.score if name is None else ours.fields[name]
    made = evaluator(case, figure)
    assert explain_cells(made, case.cells).score == wanted
    assert fast(made, case) == wanted


def fast(made: Evaluator, case: Case) -> float | None:
    needs, values = made.needs(), list[object]()
    for need in needs:
        values.append(read(need, case.cells, values, needs))
    if all(isinstance(value, (dict, list)) for value in values):
        return made.compile()(*values).score
    return without_output(made, *values).score


def test_no_divergence_knows_the_name_of_a_case() -> None:
    named = [case.id for name in FILES for case in read_cases(HERE / f"{name}.jsonl")]
    conditions = " ".join(str(rule.when) for rule in rules() if rule.system == SYSTEM)
    assert [name for name in named if f"'{name}'" in conditions] == []
