"""Exports of Label Studio: tasks of which each has lists of annotations and of predictions, and each of these a list of results.

`{"annotations": [{"result": [{"from_name": "label", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["PER"]}}]}]}`: what a
person said is in `value`; the rest is bookkeeping, which two sides rarely share, or always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from evaluators.guide.column_names import words_of
from evaluators.guide.json_in_cells import container_in
from evaluators.model.issues import problem
from evaluators.runs.metrics import rows_text
from evaluators.scoring.fields.inference.suggested_lines import SuggestedLine
from evaluators.scoring.needs import Role
from evaluators.scoring.values.pairing import lookup_key
from evaluators.scoring.values.path_text import ANY, Step, display

_SIDES: Final[Mapping[str, Role]] = {"annotations": "expected", "predictions": "output"}
_MARKS: Final = frozenset(["from_name", "to_name", "type", "value"])
_STEPS_TO_VALUE: Final[Mapping[str, tuple[Step, ...]]] = {
    "choices": ("choices", 0), "textarea": ("text", 0), "rating": ("rating",), "number": ("number",),
}  # fmt: skip
"""Where results of a type hold one value."""


class _Entry(Struct, frozen=True):
    """One annotation or prediction of a task."""

    results: list[Any] | None
    """None where there is no list of them."""
    cancelled: bool

    @property
    def is_comparable(self) -> bool:
        """Whether it can be compared: it has results, or an empty list of them, and nobody cancelled it."""
        return self.results is not None and not self.cancelled


class _Side(Struct, frozen=True):
    """The annotations of all tasks, which people made, or the predictions, which a model made."""

    column: str
    tasks: Sequence[Sequence[_Entry]]
    place: int
    """Which annotation or prediction of a task is compared: the first that counts, in most tasks."""

    @property
    def compared_results(self) -> list[list[Any]]:
        """The results that are compared, of the tasks that have some there; an empty list where nothing was marked."""
        return [entry.results for entry in self.compared_entries if entry.results is not None and not entry.cancelled]

    @property
    def compared_entries(self) -> list[_Entry]:
        """The annotations or predictions at the place that is compared, whether they count or not."""
        return [entries[self.place] for entries in self.tasks if len(entries) > self.place]


def sides_of_tasks(cells: Mapping[str, Sequence[Any]]) -> dict[Role, str]:
    """The columns of annotations (`expected`) and of predictions (`output`) in tasks of Label Studio; empty for other rows."""
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

    The paths lead to single values where each annotation that is not empty has one, all of one control, and else to the lists of results.
    """
    sides = {role: _side(name, cells[name]) for role, name in columns.items()}
    if not any(map(_are_results, sides["output"].compared_results)):
        message = "the tasks of Label Studio have annotations, and none has a prediction to compare with them"
        hint = f"export the tasks with their predictions as JSON, or: evaluators init {where} --outputs-from FILE"
        raise problem("no-predictions", message, where=where, hint=hint)
    answers, outputs = (
        [results for results in sides[role].compared_results if results] for role in ("expected", "output")
    )
    types = {str(result.get("type")) for results in answers for result in results if isinstance(result, dict)}
    every = (*answers, *outputs)
    controls = {str(result.get("from_name")) for results in every for result in results if isinstance(result, dict)}
    within = _STEPS_TO_VALUE.get(next(iter(types)), ()) if len(types) == len(controls) == 1 else ()
    inner = (0, "value", *within) if within and all(_is_single(results, within) for results in every) else ()
    paths = {role: display((side.column, side.place, "result", *inner)) for role, side in sides.items()}
    notes = [
        note
        for side in sides.values()
        for note in (*_notes_on_further(side), *_notes_on_cancelled(side), *_notes_on_unread(side))
    ]
    notes += [] if inner else _notes_on_controls(answers, outputs)
    return paths, [*notes, *(_notes_on_empty(sides["expected"]) if inner else _notes_on_relations(sides["expected"]))]


def _side(column: str, cells: Sequence[Any]) -> _Side:
    """The entries of a column by task, and at which place of the lists most tasks have their first comparable one; 0 where none has."""
    tasks = [_entries(cell) for cell in cells]
    valid = [next((place for place, entry in enumerate(entries) if entry.is_comparable), None) for entries in tasks]
    counts = Counter(place for place in valid if place is not None)
    return _Side(column, tasks, max(sorted(counts), key=counts.__getitem__, default=0))


def _entries(cell: Any) -> list[_Entry]:
    """The annotations or predictions in a cell."""
    entries = container_in(cell)
    made: list[_Entry] = []
    for entry in entries if isinstance(entries, list) else ():
        fields = entry if isinstance(entry, dict) else {}
        results = fields.get("result")
        made.append(_Entry(results if isinstance(results, list) else None, fields.get("was_cancelled") is True))
    return made


def _is_single(results: Sequence[Any], within: Sequence[Step]) -> bool:
    """Whether the results are a single one that has a single value at the steps `within` its `value`."""
    value = results[0].get("value") if len(results) == 1 and isinstance(results[0], dict) else None
    inner = value.get(within[0]) if isinstance(value, dict) else None
    if len(within) > 1:
        return isinstance(inner, list) and len(inner) == 1
    return inner is not None and not isinstance(inner, dict | list)


def _notes_on_further(side: _Side) -> list[str]:
    """The note on tasks with further annotations or predictions, which are not compared; none where there are no such tasks."""
    valid = [[entry for entry in entries if entry.is_comparable] for entries in side.tasks]
    several = [entries for entries in valid if len(entries) > 1]
    if not several:
        return []
    differ = sum(any(_marked_values(entry) != _marked_values(entries[0]) for entry in entries) for entries in several)
    message = (
        f"{rows_text(len(several))} with further {side.column}: {side.column}[{side.place}] alone is compared, and in {differ:,} of them "
        "another says something else"
    )
    return [message]


def _marked_values(entry: _Entry) -> Counter[Hashable]:
    """The values that an annotation marks, each with the name of its control, as a key that can be compared; in no order."""
    results = [result if isinstance(result, dict) else {"value": result} for result in entry.results or ()]
    return Counter(lookup_key([result.get("from_name"), result["value"]]) for result in results if "value" in result)


def _notes_on_cancelled(side: _Side) -> list[str]:
    """The notes on tasks with cancelled annotations: that they have some, and how many have a usable one before the compared place."""
    cancelled = sum(any(entry.cancelled for entry in entries) for entries in side.tasks)
    if not cancelled:
        return []
    compared = sum(entry.cancelled for entry in side.compared_entries)
    out = f", which is a cancelled one in {compared:,}: take these out" if compared else ""
    note = f"{rows_text(cancelled)} with cancelled {side.column}; compared is {side.column}[{side.place}]{out}"
    elsewhere = sum(
        len(entries) <= side.place and any(entry.is_comparable for entry in entries) for entries in side.tasks
    )
    if not elsewhere:
        return [note]
    have, are = ("has its own", "is") if elsewhere == 1 else ("have theirs", "are")
    return [note, f"{rows_text(elsewhere)} {have} before {side.column}[{side.place}], and {are} not compared"]


def _notes_on_unread(side: _Side) -> list[str]:
    """The note on tasks in which what is compared holds no list of results."""
    unread = sum(entry.results is None for entry in side.compared_entries)
    return [f"{rows_text(unread)} without a list of results in {side.column}[{side.place}]"] if unread else []


def _notes_on_empty(side: _Side) -> list[str]:
    """The note on tasks whose annotation marks nothing, where single values are compared."""
    empty = sum(not results for results in side.compared_results)
    is_ = "is" if empty == 1 else "are"
    return [f"{rows_text(empty)} with nothing in {side.column}[{side.place}] {is_} skipped"] if empty else []


def _notes_on_relations(side: _Side) -> list[str]:
    """The note on tasks with results that have no value, such as relations between others."""
    relations = sum(
        any(isinstance(result, dict) and "value" not in result for result in results) for results in side.compared_results
    )
    return [f"{rows_text(relations)} with relations between results, which are not compared"] if relations else []


def without_bookkeeping(
    lines: Sequence[SuggestedLine], documents: Sequence[Any], outputs: Sequence[Any]
) -> list[SuggestedLine]:
    """The lines of fields without those of bookkeeping, where the documents are results of Label Studio: what is left are fields in `value`
    and keys that tell controls apart. Lines of other documents are returned as they are. `outputs` are the cells beside the documents."""
    if not any(map(_are_results, documents)):
        return [*lines]
    align, compared = _pairing_by_controls(documents, outputs)
    made: list[SuggestedLine] = []
    for line in lines:
        if not line.steps and isinstance(line.compare, dict):
            made.append(SuggestedLine((), {"align": align}, "a list of results of Label Studio"))
        elif line.steps[1:] in [(key,) for key in compared]:
            made.append(SuggestedLine(line.steps, "exact", "which control of Label Studio it belongs to"))
        elif line.steps[:1] != (ANY,) or line.steps[1:2] == ("value",):
            made.append(line)
    return made


def bookkeeping_skips(documents: Sequence[Any], outputs: Sequence[Any]) -> list[SuggestedLine]:
    """The lines that leave out what results of Label Studio have beside `value`, ids included, as each side makes its own; none for other
    documents."""
    if not any(map(_are_results, documents)):
        return []
    _, compared = _pairing_by_controls(documents, outputs)
    keys = dict.fromkeys(key for results in _results_in(documents) for result in results for key in result)
    return [
        SuggestedLine((ANY, key), "skip", "bookkeeping of Label Studio")
        for key in keys
        if key != "value" and key not in compared
    ]


def _pairing_by_controls(documents: Sequence[Any], outputs: Sequence[Any]) -> tuple[Any, list[str]]:
    """(align, keys): the setting `align` by which results of Label Studio are paired, and the keys beside `value` that are compared.

    An answer is right in its own control alone. So controls pair the results where each occurs once in a task, and several are compared
    where not. `outputs` are the cells beside the documents, whose controls count, too.
    """
    tasks = [
        [(str(result["from_name"]), str(result["to_name"])) for result in task if {*result} >= _MARKS]
        for task in _results_in(documents)
    ]
    marks = {mark for task in tasks for mark in task}
    names = {name for name, _ in marks}
    objects = ["to_name"] if len(marks) > len(names) else []
    if all(len({name for name, _ in task}) == len(task) for task in tasks):
        return {"key_field": {"key": "from_name"}}, objects
    several_controls = len(names | _control_names(map(container_in, outputs))) > 1
    return "hungarian", ["from_name", *objects] if several_controls else objects


def _control_names(documents: Iterable[Any]) -> set[str]:
    """The names of the controls in results of Label Studio."""
    every = (result for results in _results_in(documents) for result in results)
    return {str(result["from_name"]) for result in every if "from_name" in result}


def _notes_on_controls(answers: Sequence[Any], outputs: Sequence[Any]) -> list[str]:
    """The note on controls that the model marks with, and that no annotation has, where none of its controls is in an annotation."""
    wanted, given = _control_names(answers), _control_names(outputs)
    if wanted & given or not (wanted and given):
        return []
    theirs, ours = (", ".join(f'"{name}"' for name in sorted(names)) for names in (given, wanted))
    message = f"predictions have the control {theirs}, and annotations {ours}, so no prediction is right"
    return [f"{message}: give a control one name on both sides"]


def _results_in(documents: Iterable[Any]) -> list[list[dict[str, Any]]]:
    """The results of Label Studio, relations included, of each document that has some."""
    return [[item for item in document if isinstance(item, dict)] for document in documents if _are_results(document)]


def _are_results(value: Any) -> bool:
    """Whether a value is a list with results of Label Studio; relations between them, which have no value, may stand among them."""
    return isinstance(value, list) and any(isinstance(item, dict) and {*item} >= _MARKS for item in value)
