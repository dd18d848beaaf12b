"""Exports of Label Studio: tasks of which each has lists of annotations and of predictions, and each of these a list of results.

`{"annotations": [{"result": [{"from_name": "label", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["PER"]}}]}]}`: what a
person said is in `value`; the rest is bookkeeping, which two sides rarely share, or always.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from evaluators.guide.column_cells import filled
from evaluators.guide.column_names import words_of
from evaluators.guide.json_in_cells import container_in
from evaluators.model.issues import problem
from evaluators.scoring.fields.inference.suggested_lines import SuggestedLine
from evaluators.scoring.needs import Role
from evaluators.scoring.values.path_text import ANY, Step, display

_SIDES: Final[Mapping[str, Role]] = {"annotations": "expected", "predictions": "output"}
_MARKS: Final = frozenset(["from_name", "to_name", "type", "value"])
_SINGLE: Final[Mapping[str, tuple[Step, ...]]] = {
    "choices": ("choices", 0), "textarea": ("text", 0), "rating": ("rating",), "number": ("number",),
}  # fmt: skip
"""Where results of a type hold one value."""


def task_columns(cells: Mapping[str, Sequence[Any]], where: str) -> dict[Role, str]:
    """The paths of what people and a model said in tasks of Label Studio; empty for other rows. Raises Problems where no task has a
    prediction."""
    columns = {role: name for name in cells for word, role in _SIDES.items() if words_of(name) == [word]}
    if len(columns) < len(_SIDES):
        return {}
    results = {role: [*_results(cells[name])] for role, name in columns.items()}
    if not any(map(_are_results, results["expected"])):
        return {}
    if not any(map(_are_results, results["output"])):
        message = "the tasks of Label Studio have annotations, and none has a prediction to compare with them"
        hint = f"export the tasks with their predictions as JSON, or: evaluators init {where} --outputs-from FILE"
        raise problem("no-predictions", message, where=where, hint=hint)
    every = [result for side in results.values() for result in side]
    types = {str(one["type"]) for result in every for one in result}
    within = _SINGLE.get(next(iter(types)), ()) if len(types) == 1 and all(len(result) < 2 for result in every) else ()
    several = any(len(one["value"].get(step, ())) > 1 for step in within[:-1] for result in every for one in result)
    inner = (0, "value", *within) if within and not several else ()
    return {role: display((name, 0, "result", *inner)) for role, name in columns.items()}


def without_marks(lines: Sequence[SuggestedLine], documents: Sequence[Any]) -> list[SuggestedLine]:
    """The lines of fields, of results of Label Studio those alone that stand in `value`; others as they are."""
    if not any(map(_are_results, documents)):
        return [*lines]
    return [line for line in lines if line.steps[:1] != (ANY,) or line.steps[1:2] in (("value",), ("id",))]


def marks_of(documents: Sequence[Any]) -> list[SuggestedLine]:
    """The lines that leave out what results of Label Studio have beside `value`; none for other documents."""
    if not any(map(_are_results, documents)):
        return []
    keys = dict.fromkeys(key for document in documents for one in document for key in one if key not in ("value", "id"))
    return [SuggestedLine((ANY, key), "skip", "bookkeeping of Label Studio") for key in keys]


def _are_results(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and {*one} >= _MARKS for one in value)


def _results(cells: Sequence[Any]) -> Iterator[list[Any]]:
    """The results of the first annotation or prediction in each cell that has one."""
    for cell in filled(cells):
        first = next(iter(container_in(cell) or ()), None)
        if isinstance(first, dict) and isinstance(first.get("result"), list):
            yield [one for one in first["result"] if isinstance(one, dict) and {*one} >= _MARKS]
