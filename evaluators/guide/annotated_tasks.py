"""Exports of Label Studio: tasks of which each has lists of annotations and of predictions, and each of these a list of results.

`{"annotations": [{"result": [{"from_name": "label", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["PER"]}}]}]}`: what a
person said is in `value`; the rest is bookkeeping, which two sides rarely share, or always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from evaluators.guide.column_names import words_of
from evaluators.guide.json_in_cells import container_in
from evaluators.model.issues import problem
from evaluators.runs.metrics import rows_text
from evaluators.scoring.fields.inference.suggested_lines import SuggestedLine
from evaluators.scoring.needs import Role
from evaluators.scoring.values.path_text import ANY, Step, display

_SIDES: Final[Mapping[str, Role]] = {"annotations": "expected", "predictions": "output"}
_MARKS: Final = frozenset(["from_name", "to_name", "type", "value"])
_SINGLE: Final[Mapping[str, tuple[Step, ...]]] = {
    "choices": ("choices", 0), "textarea": ("text", 0), "rating": ("rating",), "number": ("number",),
}  # fmt: skip
"""Where results of a type hold one value."""


class _Entry(Struct, frozen=True):
    """One annotation or prediction of a task."""

    results: list[Any]
    cancelled: bool


class _Side(Struct, frozen=True):
    """What people said of all tasks, or a model did."""

    column: str
    tasks: Sequence[Sequence[_Entry]]
    place: int
    """Which annotation or prediction of a task is compared: the first that is not cancelled, in most tasks."""

    @property
    def compared(self) -> list[list[Any]]:
        """The results that are compared, of the tasks that have some there."""
        entries = [entries[self.place] for entries in self.tasks if len(entries) > self.place]
        return [entry.results for entry in entries if not entry.cancelled]


def sides_of_tasks(cells: Mapping[str, Sequence[Any]]) -> dict[Role, str]:
    """The columns of what people and a model said in tasks of Label Studio; empty for other rows."""
    columns = {role: name for name in cells for word, role in _SIDES.items() if words_of(name) == [word]}
    if len(columns) < len(_SIDES):
        return {}
    answers = [entry.results for cell in cells[columns["expected"]] for entry in _entries(cell)]
    return columns if any(map(_are_results, answers)) else {}


def paths_of_tasks(
    columns: Mapping[Role, str], cells: Mapping[str, Sequence[Any]], where: str
) -> tuple[dict[Role, str], list[str]]:
    """The paths of what is compared in tasks of Label Studio, and notes on what is not; `cells` are those of all tasks. Raises Problems
    where no task has a prediction.

    The paths lead to single values where each annotation has one, and else to the lists of results.
    """
    sides = {role: _side(name, cells[name]) for role, name in columns.items()}
    if not any(map(_are_results, sides["output"].compared)):
        message = "the tasks of Label Studio have annotations, and none has a prediction to compare with them"
        hint = f"export the tasks with their predictions as JSON, or: evaluators init {where} --outputs-from FILE"
        raise problem("no-predictions", message, where=where, hint=hint)
    answers, outputs = sides["expected"].compared, [results for results in sides["output"].compared if results]
    types = {str(result.get("type")) for results in answers for result in results if isinstance(result, dict)}
    within = _SINGLE.get(next(iter(types)), ()) if len(types) == 1 else ()
    inner = (0, "value", *within) if within and all(_is_single(one, within) for one in (*answers, *outputs)) else ()
    paths = {role: display((side.column, side.place, "result", *inner)) for role, side in sides.items()}
    return paths, [note for side in sides.values() for note in (*_of_further(side), *_of_cancelled(side))]


def _side(column: str, cells: Sequence[Any]) -> _Side:
    tasks = [_entries(cell) for cell in cells]
    valid = [next((place for place, one in enumerate(entries) if not one.cancelled), None) for entries in tasks]
    counts = Counter(place for place in valid if place is not None)
    return _Side(column, tasks, max(sorted(counts), key=counts.__getitem__, default=0))


def _entries(cell: Any) -> list[_Entry]:
    """The annotations or predictions in a cell; one without a list of results counts as cancelled."""
    entries = container_in(cell)
    made: list[_Entry] = []
    for one in entries if isinstance(entries, list) else ():
        results = one.get("result") if isinstance(one, dict) else None
        cancelled = not isinstance(results, list) or one.get("was_cancelled") is True
        made.append(_Entry(results if isinstance(results, list) else [], cancelled))
    return made


def _is_single(results: Sequence[Any], within: Sequence[Step]) -> bool:
    """Whether results are one, with one value at that place below its `value`."""
    value = results[0].get("value") if len(results) == 1 and isinstance(results[0], dict) else None
    inner = value.get(within[0]) if isinstance(value, dict) else None
    if len(within) > 1:
        return isinstance(inner, list) and len(inner) == 1
    return inner is not None and not isinstance(inner, dict | list)


def _of_further(side: _Side) -> list[str]:
    """The note on tasks with further annotations or predictions, which are not compared."""
    several = [valid for entries in side.tasks if len(valid := [one for one in entries if not one.cancelled]) > 1]
    if not several:
        return []
    differ = sum(any(_said(one) != _said(entries[0]) for one in entries) for entries in several)
    message = (
        f"{rows_text(len(several))} with further {side.column}: {side.column}[{side.place}] alone is compared, and in {differ:,} of them "
        "another says something else"
    )
    return [message]


def _said(entry: _Entry) -> list[Any]:
    """What an annotation says, without its bookkeeping."""
    return [(one.get("from_name"), one.get("value")) if isinstance(one, dict) else one for one in entry.results]


def _of_cancelled(side: _Side) -> list[str]:
    """The note on tasks with cancelled annotations."""
    cancelled = sum(any(one.cancelled for one in entries) for entries in side.tasks)
    if not cancelled:
        return []
    there = sum(entries[side.place].cancelled for entries in side.tasks if len(entries) > side.place)
    out = f", which is a cancelled one in {there:,}: take these out" if there else ""
    return [f"{rows_text(cancelled)} with cancelled {side.column}; compared is {side.column}[{side.place}]{out}"]


def without_marks(lines: Sequence[SuggestedLine], documents: Sequence[Any]) -> list[SuggestedLine]:
    """The lines of fields, of results of Label Studio those alone that stand in `value`; others as they are."""
    if not any(map(_are_results, documents)):
        return [*lines]
    return [line for line in lines if line.steps[:1] != (ANY,) or line.steps[1:2] in (("value",), ("id",))]


def marks_of(documents: Sequence[Any]) -> list[SuggestedLine]:
    """The lines that leave out what results of Label Studio have beside `value`; none for other documents."""
    if not any(map(_are_results, documents)):
        return []
    results = [one for document in documents if _are_results(document) for one in document]
    keys = dict.fromkeys(key for one in results for key in one if key not in ("value", "id"))
    return [SuggestedLine((ANY, key), "skip", "bookkeeping of Label Studio") for key in keys]


def _are_results(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and {*one} >= _MARKS for one in value)
