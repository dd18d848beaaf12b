"""extract-bench: its recorded cases, and what our tree of nodes says of them.

A case's score is the field score; the overall score and the pass rate stand among the fields, beside one score for every
place that is reported, by extract-bench's own spelling. Where a place has several metrics, each has an entry. Text whose
metric asks a language model is compared exactly here: no recorded case asks one about values that are there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from evaluators.model.rows import MISSING
from evaluators.model.settings import BadSettings
from evaluators.scoring.fields.evaluation_config import read_evaluation_config
from evaluators.scoring.fields.instance_paths import places_above
from evaluators.scoring.fields.outcomes import MEASURED, Scored
from evaluators.scoring.values.paths import ANY, parse
from tests.conformance.cases import Answer, Case
from tests.scoring.fields.alone import score_document
from tests.scoring.fields.figures import figures_by_name

SYSTEM: Final = "extract_bench"
EVALUATOR: Final = "evaluation_config"
WITHOUT_JUDGE: Final = {"string_semantic": "exact", "string_llm": "exact", "array_llm": "hungarian"}
OVERALL: Final = "overall_score"
PASS_RATE: Final = "pass_rate"


def read_case(line: dict[str, Any]) -> Case:
    """One line of its recorded cases."""
    cells = {"input": MISSING, "output": line["predicted"], "expected": line["gold"]}
    return Case(line["case"], SYSTEM, EVALUATOR, {"schema": line["schema"]}, cells, _recorded(line), line)


def _recorded(line: Mapping[str, Any]) -> Answer:
    if "error" in line:
        message = str(line["error"]["message"])
        return Answer(blame=_blame(message), why=f"{line['error']['type']}: {message}")
    told = line["expected"]
    rows = [
        (path, metric, result["score"])
        for path, metrics in told["results"].items()
        if "anyOf[" not in path
        for metric, result in metrics.items()
    ]
    scores = told["readme_scores"]
    figures = {OVERALL: scores["overall_score_item_weighted"], PASS_RATE: told["report"]["pass_rate"]}
    return Answer(scores["field_score"], fields={**_by_place(rows), **figures})


def _blame(message: str) -> str:
    """Whose move an error is: its messages name the side that they are about."""
    if re.search(r"\bExtracted instance\b", message):
        return "output"
    return "testset" if re.search(r"\bGold instance\b", message) else "config"


def answer(case: Case) -> Answer:
    """Our answer: the schema read, then one row scored."""
    try:
        root = read_evaluation_config(case.settings["schema"], {"fallback": WITHOUT_JUDGE})
    except BadSettings as error:
        return Answer(blame="config", why=str(error))
    scored = score_document(root, case.expected, case.output)
    if scored.problem is not None:
        return Answer(blame=scored.problem.issue.blame.value, why=str(scored.problem))
    found = {name: _value(figure) for name, figure in figures_by_name(scored).items()}
    totals = {OVERALL: found["overall_score"], PASS_RATE: found["overall_pass_rate"]}
    return Answer(found["field_score"], fields={**_by_place(_rows(scored)), **totals})


def _rows(scored: Scored) -> Iterable[tuple[str, str, float | None]]:
    """Every entry with its place: outermost arrays, and what is measured outside of them."""
    arrays = {array.path: array for array in scored.arrays}
    for array in scored.arrays:
        if not any(place in arrays and place != array.path for place in places_above(array.path)):
            yield _place(array.path), "array", float(array.score)
    for result in scored.fields:
        inside = any(place in arrays for place in places_above(result.path))
        if result.status in MEASURED and not inside and not result.details.get("outside"):
            yield _place(result.path), str(result.details.get("metric", "")), result.score


def _place(path: str) -> str:
    """A path as extract-bench spells the places of a schema: `$.properties.rows.items`."""
    return "$" + "".join(".items" if step is ANY else f".properties.{step}" for step in parse(path).steps)


def _by_place(rows: Iterable[tuple[str, str, float | None]]) -> dict[str, float | None]:
    rows = list(rows)
    metrics = Counter(path for path, _, _ in rows)
    return {path if metrics[path] == 1 else f"{path} {metric}": score for path, metric, score in rows}


def _value(figure: Any) -> float | None:
    return None if figure is None else float(figure)
