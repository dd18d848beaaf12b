"""What `evaluators convert deepeval` makes of a file scores as the real deepeval does when it runs that file's metrics."""

from __future__ import annotations

import csv
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import load
from tests.kit import cli

HEAD = """
from typing import Dict, List, Literal, Optional
from deepeval.metrics import ExactMatchMetric, JsonCorrectnessMetric, PatternMatchMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase
from pydantic import BaseModel, RootModel

class Silent(DeepEvalBaseLLM):
    def load_model(self, *args, **kwargs): return None
    def generate(self, *args, **kwargs): raise RuntimeError("no model is asked")
    async def a_generate(self, *args, **kwargs): raise RuntimeError("no model is asked")
    def get_model_name(self, *args, **kwargs): return "silent"

class Tag(BaseModel):
    kind: Literal["a", "b"]

class Person(BaseModel):
    name: str
    age: Optional[int] = None
    tags: List[Tag]
    more: Dict[str, float] = {}

class People(RootModel[List[Person]]):
    pass

QUIET = False
"""
PERSON = '{"name": "Ann", "tags": [{"kind": "a"}], "more": {"x": 1.5}}'
METRICS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "exact": ("ExactMatchMetric()", [("Bonjour le monde", "Bonjour le monde"), ("Bonjour", "Bonjour le monde"), ("a", "A")]),
    "pattern": ("PatternMatchMetric(pattern=' [a-z]+@[a-z]+[.]com ')", [
        ("ann@example.com", ""), ("  ann@example.com\n", ""), ("to ann@example.com", ""), ("Ann@example.com", ""),
    ]),
    "either": ("PatternMatchMetric(r'yes|no', ignore_case=True, threshold=1.0)", [("YES", ""), ("yesno", ""), ("nope", "")]),
    "flags": ("PatternMatchMetric(pattern='(?i)a.b')", [("AxB", ""), ("a\nb", "")]),
    "person": ("JsonCorrectnessMetric(expected_schema=Person, model=Silent(), include_reason=QUIET)", [
        (PERSON, ""), (PERSON.replace('"a"', '"c"'), ""), (PERSON.replace('"name"', '"nome"'), ""), (f"Here: {PERSON}", ""),
        (PERSON.replace("1.5", '[]'), ""), (PERSON.replace('"tags"', '"age": null, "tags"'), ""), ("[]", ""),
    ]),
    "people": ("JsonCorrectnessMetric(expected_schema=People, model=Silent(), include_reason=QUIET)", [
        (f"[{PERSON}]", ""), (PERSON, ""), ("[]", ""),
    ]),
}  # fmt: skip
"""Metrics as a file makes them, each with outputs and expected answers."""


def text_of_file() -> str:
    parts = [HEAD]
    for name, (made, cases) in METRICS.items():
        parts.append(f"{name} = {made}")
        for number, (output, expected) in enumerate(cases):
            case = f"{name}_{number}"
            parts.append(
                f'{case} = LLMTestCase(input="q", name="{case}", actual_output={output!r}, expected_output={expected!r})'
            )
            parts.append(f"{name}.measure({case})")
    return "\n".join(parts) + "\n"


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, float]:
    """The score of every case, as deepeval gives it while it runs the file."""
    monkeypatch.chdir(tmp_path)
    from deepeval.metrics import ExactMatchMetric, JsonCorrectnessMetric, PatternMatchMetric

    scores: dict[str, float] = {}
    for kind in (ExactMatchMetric, JsonCorrectnessMetric, PatternMatchMetric):
        measure = kind.measure

        def kept(self: Any, case: Any, *args: Any, measure: Any = measure, **settings: Any) -> float:
            scores[case.name] = measure(self, case, *args, _show_indicator=False, **settings)
            return scores[case.name]

        monkeypatch.setattr(kind, "measure", kept)
    Path("app.py").write_text(text_of_file(), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import_module("app")
    sys.modules.pop("app")
    return scores


def test_every_case_scores_as_in_deepeval(theirs: dict[str, float]) -> None:
    made = cli("convert", "deepeval", "app.py", "-o", "suite.yaml", "--rows", "rows.csv")
    assert made.exit_code == 0, made.output
    suite = load("suite.yaml")
    head, *lines = csv.reader(Path("rows.csv").read_text(encoding="utf-8").splitlines(keepends=True))
    found: dict[str, float | None] = {}
    for line in lines:
        with open("row.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([head, line])
        (scored,) = [stats for stats in suite.run("row.csv").evaluators if stats.scored]
        found[line[0]] = scored.mean
        assert line[0].startswith(scored.name)
    assert len(theirs) == sum(len(cases) for _, cases in METRICS.values())
    assert found == theirs
