"""The values of changed rows in both runs: what is expected, what the base gave, and what the new run gives.

A value is the one that was recorded; of a field that is right and of which nothing was recorded, what stands in the document that the
run kept. Fields whose status or value changed are listed; of an evaluator without fields whose verdict changed, its two texts or documents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple

from evaluators.model.issues import CellError
from evaluators.model.rows import FIELD_STATUSES, MISSING, FieldStatus, Outcome, Result
from evaluators.model.words import plain_word
from evaluators.reports.mistakes import field_of
from evaluators.reports.rows import field_views, results_of
from evaluators.runs.compare.changes import field_change
from evaluators.runs.compare.comparison import ChangedRow, Difference, FieldExample, RunComparison
from evaluators.runs.compare.pairs import RowPair, Side, pair_rows
from evaluators.runs.kept_documents import document_of
from evaluators.runs.reader import RecordedRow
from evaluators.runs.record_facts import RecordedEvaluator
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_text import compact
from evaluators.scoring.values.paths import BadPath, parse
from evaluators.scoring.values.quoting import quote

MOST_EXAMPLES: Final = 3
"""Fields of which a comparison names a row."""
_MOST_CHARS: Final = 20_000
"""Characters of a value."""
_FEW_ROWS: Final = 4
"""Fewer rows than these are looked up; for others the whole run is read."""


class RowValues(NamedTuple):
    """A changed row with its fields, each with its `evaluator`, its `path`, its `field`, its `change`, its status in both runs as `was` and
    `now`, and the values `expected`, `base` and `new`, which have no key where they are not known."""

    row: ChangedRow
    base: str | None
    """The name of the row in the addresses of that run's page; None where the run lacks it."""
    new: str | None
    fields: list[dict[str, Any]]


def changed_values(base: Side, new: Side, rows: Sequence[ChangedRow], evaluators: Collection[str]) -> Iterator[RowValues]:
    """The values of changed rows in both runs, by the evaluators of these names. `rows` are in the order of their comparison, and come back
    variant by variant."""
    for variant in dict.fromkeys(row.variant for row in rows):
        pairs = list(_paired_rows(base, new, [row for row in rows if row.variant == variant], variant))
        was = _Recorded(base, variant, {before for _, before, _ in pairs if before is not None})
        now = _Recorded(new, variant, {after for _, _, after in pairs if after is not None})
        for row, before, after in pairs:
            yield RowValues(
                row, was.key(before), now.key(after), list(_changed_fields(was, before, now, after, evaluators))
            )


def field_examples(comparison: RunComparison, base: Side, new: Side) -> tuple[FieldExample, ...]:
    """An example for each of the fields that changed most: a row with its values, which broke where the field is lower now and was fixed
    where it is higher. Fields without such a row have none. Both sides must have their rows."""
    moved: dict[tuple[str | None, str | None], Difference] = {}
    for difference in comparison.most_changed:
        if difference.same_as is None:
            moved.setdefault((difference.variant, difference.field), difference)
    examples = (_example(comparison, difference, base, new) for difference in list(moved.values())[:MOST_EXAMPLES])
    return tuple(example for example in examples if example is not None)


def _example(comparison: RunComparison, difference: Difference, base: Side, new: Side) -> FieldExample | None:
    """A row of a changed field with its values; None where the first row in which the field changed has no values of it."""
    change = "broken" if (difference.difference or 0) < 0 else "fixed"
    right, wrong = FieldStatus.MATCH.word, FieldStatus.MISMATCH.word
    best = f"{difference.name}: {right} → {wrong}" if change == "broken" else f"{difference.name}: {wrong} → {right}"
    rows = [
        row
        for row in comparison.changed
        if row.variant == difference.variant and any(text.startswith(f"{difference.name}: ") for text in row.fields)
    ]
    rows.sort(key=lambda row: best not in row.fields)
    for values in changed_values(base, new, rows[:1], {difference.evaluator}):
        for field in values.fields:
            if (field["field"], field["change"]) == (difference.field, change):
                row, text, path = values.row, _values_text(field), field["path"]
                return FieldExample(
                    difference.evaluator, difference.field or "", row.number, row.id, path, text, difference.variant
                )
    return None


def _values_text(field: dict[str, Any]) -> str:
    """The values of a field's record in both runs, `1 → 2 (expected 1)`; in place of one that is not known, the status of the field."""

    def side(value: str, status: str | None) -> str:
        """The value of a run, which is called `base` or `new`; where it is not known, the status in words."""
        return quote(field[value]) if value in field else "nothing" if status is None else plain_word(status)

    expected = f"expected {quote(field['expected'])}" if "expected" in field else "nothing expected"
    return f"{side('base', field['was'])} → {side('new', field['now'])} ({expected})"


def _paired_rows(
    base: Side, new: Side, rows: Sequence[ChangedRow], variant: str | None
) -> Iterator[tuple[ChangedRow, int | None, int | None]]:
    """Each changed row with its number in the base and in the new run; None where a run lacks it.

    The rows are in the order of the pairs, so the pairs are gone through once.
    """
    pairs: Iterator[RowPair] = pair_rows(base.rows[variant], new.rows[variant]).rows()
    for row in rows:
        for was, now in pairs:
            line = now or was
            if line is not None and (line.row, line.id) == (row.number, row.id):
                yield row, None if was is None else was.row, None if now is None else now.row
                break


class _Recorded:
    """What one side of a comparison recorded of the rows with some numbers, of a variant. It is read when this is made."""

    def __init__(self, side: Side, variant: str | None, numbers: Collection[int]) -> None:
        self.variant = side.variant if variant is None else variant
        self.evaluators: dict[str, RecordedEvaluator] = {}
        self._rows: dict[int, RecordedRow] = {}
        if (record := side.record) is not None:
            self.evaluators = {evaluator.name: evaluator for evaluator in record.facts.evaluators}
            only = list(numbers) if len(numbers) < _FEW_ROWS else [None]
            rows = (row for number in only for row in record.each_row(self.variant, only=number))
            self._rows = {row.number: row for row in rows if row.number in numbers}

    def key(self, number: int | None) -> str | None:
        """The name of a row in the addresses of its run's page: its number, with the variant where there are several; None without a
        number."""
        return None if number is None else str(number) if self.variant is None else f"{number}:{self.variant}"

    def results(self, number: int | None) -> dict[str, Result]:
        """The result of each evaluator on a row, by its name; empty for a row that was not recorded."""
        row = self._rows.get(number) if number is not None else None
        return (
            {} if row is None else dict(zip(self.evaluators, results_of([*self.evaluators.values()], row), strict=True))
        )

    def document(self, number: int | None, evaluator: str, side: str) -> Any:
        """The document or text that an evaluator compares on one side, `expected` or `output`, in the row of that number; MISSING where the
        run lacks the row, kept none of its cells, or the evaluator reads no such side. A cell that cannot be read comes back as it is."""
        row = self._rows.get(number) if number is not None else None
        if row is None or row.cells is None:
            return MISSING
        for reading in self.evaluators[evaluator].readings if evaluator in self.evaluators else ():
            if reading.side == side and reading.column in row.cells:
                document = document_of(reading, row.cells)
                return row.cells[reading.column] if isinstance(document, CellError) else document
        return MISSING


def _changed_fields(
    was: _Recorded, before: int | None, now: _Recorded, after: int | None, evaluators: Collection[str]
) -> Iterator[dict[str, Any]]:
    """The records of the fields of a row whose status or value differs between the runs, for the evaluators of these names.

    The row has the number `before` in the base (`was`) and `after` in the new run (`now`). An evaluator without fields has at most one
    record, of its output as a whole. A list whose items have records of their own has none.
    """
    old, new = was.results(before), now.results(after)
    for name in (either for either in dict.fromkeys([*new, *old]) if either in evaluators):
        sides = (_Side(was, before, name, old.get(name)), _Side(now, after, name, new.get(name)))
        paths = list(dict.fromkeys(path for side in sides for path in side.outcomes))
        fields_of_items = {field_of(path) for path in paths if field_of(path) != path}
        fields = (_field_change(name, path, *sides) for path in paths if path not in fields_of_items)
        yield from (field for field in fields if field is not None)
        if not paths and any(side.result is not None for side in sides):
            record = _output_change(name, *sides)
            if record is not None:
                yield record


class _Side:
    """The result of one evaluator on a row in one run, with the outcome of each field by its path in `outcomes`.

    A field that the evaluator lists has one also where only its status is known.
    """

    def __init__(self, recorded: _Recorded, number: int | None, name: str, result: Result | None) -> None:
        """`recorded` has the rows of the run, `number` is that of the row, and None where the run lacks it; `name` is the evaluator.
        Without a `result` there are no outcomes."""
        self.result = result
        self._recorded, self._number, self._name = recorded, number, name
        self.outcomes: dict[str, Outcome] = {}
        if result is None:
            return
        listed = recorded.evaluators[name].fields
        if listed and result.statuses:
            for view in field_views(result, listed):
                own = view.outcomes or (
                    Outcome(str(view.path), FIELD_STATUSES[result.statuses[listed.index(view.path)]]),
                )
                self.outcomes |= {outcome.path: outcome for outcome in own}
        self.outcomes |= {field.path: field for field in result.fields if field.path not in self.outcomes}

    def outcome(self, path: str) -> Outcome | None:
        """The outcome at a path; of an item in a list that has none of its own, that of the field in all items. None where there is
        none."""
        return self.outcomes.get(path) or self.outcomes.get(field_of(path))

    def value(self, path: str, side: str) -> Any:
        """The value at a path on one side, `expected` or `output`: the recorded one, or else what the kept document has there. MISSING
        where it is not known."""
        outcome = self.outcomes.get(path)
        recorded = MISSING if outcome is None else outcome.expected if side == "expected" else outcome.actual
        if recorded is not MISSING or (outcome is not None and outcome.reason):
            return recorded
        document = self._recorded.document(self._number, self._name, side)
        has_item = "[" in path.replace('["', "")  # such as tags[0]; ["a key"] is no item
        if document is MISSING or has_item:  # an item may be paired with one in another place
            return MISSING
        try:
            return parse(path).get(document)
        except BadPath:
            return MISSING

    def whole_value(self, side: str) -> Any:
        """The text or document that is compared on one side."""
        return self._recorded.document(self._number, self._name, side)


def _field_change(name: str, path: str, was: _Side, now: _Side) -> dict[str, Any] | None:
    """The record of the field at `path` of a changed row, as `_change_record` makes it; None where status and value are what they were.
    `name` is the evaluator. A reason is added where the field is not right in the new run."""
    old, new = was.outcome(path), now.outcome(path)
    statuses = [None if outcome is None else outcome.status for outcome in (old, new)]
    before, after = was.value(path, "output"), now.value(path, "output")
    unchanged = MISSING in (before, after) or json_equal(before, after)
    if statuses[0] is statuses[1] and unchanged:
        return None
    expected = next(
        (value for value in (now.value(path, "expected"), was.value(path, "expected")) if value is not MISSING), MISSING
    )
    reasons = {"why": new.reason} if new is not None and new.reason and new.status is not FieldStatus.MATCH else {}
    return {**_change_record(name, path, statuses, expected, before, after), **reasons}


def _output_change(name: str, was: _Side, now: _Side) -> dict[str, Any] | None:
    """The record of both outputs of an evaluator without fields, as `_change_record` makes it.

    None where nothing is known of the outputs, and where the verdict is what it was, unless the outputs are wrong both times and differ.
    """
    before, after = was.whole_value("output"), now.whole_value("output")
    expected = next(
        (value for value in (now.whole_value("expected"), was.whole_value("expected")) if value is not MISSING), MISSING
    )
    statuses = [
        None if side.result is None or side.result.passed is None
        else FieldStatus.MATCH if side.result.passed else FieldStatus.MISMATCH
        for side in (was, now)
    ]  # fmt: skip
    wrong_again = statuses == [FieldStatus.MISMATCH] * 2 and MISSING not in (before, after, expected)
    if (statuses[0] is statuses[1] and not (wrong_again and not json_equal(before, after))) or before is after is MISSING:
        return None
    return _change_record(name, "", statuses, expected, before, after)


def _change_record(
    name: str, path: str, statuses: Sequence[FieldStatus | None], expected: Any, before: Any, after: Any
) -> dict[str, Any]:
    """The record of a field of a changed row, as a dict with the keys that `RowValues` names.

    `name` is the evaluator, and `path` the field, empty for the output as a whole. `statuses` are those in both runs, None where a run has
    none. `expected`, `before` and `after` are values: long ones are cut, and one that is `MISSING` has no key.
    """
    was, now = statuses
    record: dict[str, Any] = {
        "evaluator": name, "path": path, "field": field_of(path), "change": field_change(was, now),
        "was": None if was is None else was.word, "now": None if now is None else now.word,
    }  # fmt: skip
    for key, value in (("expected", expected), ("base", before), ("new", after)):
        if value is not MISSING:
            record[key] = _shorten(value)
    return record


def _shorten(value: Any) -> Any:
    """The value, or the beginning of its JSON where that is long."""
    text = compact(value)
    return value if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS].decode(errors='ignore')}…"
