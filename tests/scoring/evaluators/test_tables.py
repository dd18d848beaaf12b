"""Every table of this folder, and every example of every evaluator type, gives its score.

A table is a YAML file named after its evaluator type. Each entry is one row: `it` says what it shows, `settings` are the
evaluator's, `output`, `expected`, `input` and `columns` are the cells, and then comes what must be found:

- `score`, `passed`; `reason`, a part of the explanation; `details`, some of them; `fields`, a status by path;
- or `problem`, a part of the message when the row cannot be measured, with `blame`;
- or `refused`, a part of the message when the settings cannot be used.

A type that asks a judge gets its answers from answers.jsonl.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluators.model.issues import Problems
from evaluators.model.rows import MISSING, Result
from evaluators.model.settings import BadSettings, build
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator, Example
from evaluators.scoring.judges.judge import read_judge
from tests.kit import read_yaml

HERE = Path(__file__).parent
KEYS = {
    "it", "settings", "output", "expected", "input", "columns",
    "score", "passed", "reason", "details", "fields", "problem", "blame", "refused",
}  # fmt: skip


def entries() -> list[Any]:
    found = []
    for path in sorted(HERE.glob("*.yaml")):
        for entry in read_yaml(path):
            found.append(pytest.param(path.stem, entry, id=f"{path.stem}: {entry['it']}"))
    return found


def examples() -> list[Any]:
    return [
        pytest.param(name, example, id=f"{name}: {example.title}")
        for name in BUILTIN.names()
        for example in BUILTIN.find(name).examples
    ]


def evaluator_of(name: str, settings: dict[str, Any] | None) -> Evaluator:
    plug = BUILTIN.find(name)
    context: dict[str, Any] = {"folder": HERE}
    if "judge" in plug.model_fields:
        context["judge"] = read_judge({"recorded": {"file": "answers.jsonl"}}, HERE)
    return build(plug, settings or {}, context, f'evaluator "{name}"')


def scored(evaluator: Evaluator, row: dict[str, Any]) -> Result:
    cells = {role: row.get(role, MISSING) for role in ("output", "expected", "input")}
    return evaluator.score(**cells, **row.get("columns", {}))


@pytest.mark.parametrize(("name", "entry"), entries())
def test_a_table_entry_gives_what_it_says(name: str, entry: dict[str, Any]) -> None:
    assert entry.keys() <= KEYS, "an unknown key in the table"
    if "refused" in entry:
        with pytest.raises(BadSettings) as refused:
            evaluator_of(name, entry.get("settings"))
        assert entry["refused"] in str(refused.value)
        return
    evaluator = evaluator_of(name, entry.get("settings"))
    if "problem" in entry:
        with pytest.raises(Problems) as problems:
            scored(evaluator, entry)
        issue = problems.value.issues[0]
        assert entry["problem"] in str(issue)
        assert issue.blame == entry.get("blame", "testset")
        return
    score = scored(evaluator, entry)
    _same_number(score.score, entry["score"])
    assert score.passed is entry.get("passed", score.passed)
    assert str(entry.get("reason", "")) in (score.reason or "")
    details = entry.get("details", {})
    assert {key: score.details.get(key) for key in details} == details
    if "fields" in entry:
        assert {field.path: field.status.word for field in score.fields} == entry["fields"]


@pytest.mark.parametrize(("name", "example"), examples())
def test_an_example_gives_its_score(name: str, example: Example) -> None:
    evaluator = evaluator_of(name, dict(example.settings or {}))
    score = evaluator.score(example.output, example.expected, example.input)
    _same_number(score.score, example.score)
    assert score.passed is (score.passed if example.passed is None else example.passed)


def _same_number(found: float | None, wanted: float | None) -> None:
    assert (found is None) == (wanted is None)
    assert found is None or found == pytest.approx(wanted, abs=1e-12)


def test_a_schema_file_that_is_not_there_has_a_near_one() -> None:
    with pytest.raises(BadSettings) as caught:
        build(BUILTIN.find("json_schema_valid"), {"schema": "schemas/persn.json"}, {"folder": Path(__file__).parent})
    assert caught.value.details[0].hint == 'did you mean "schemas/person.json"?'
