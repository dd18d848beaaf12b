"""What one change to an evaluator would make of the rows of a run: they are scored again, with and without it, and the two compared.

The cells that the run kept are scored, with nobody asked: an evaluator that asks is left as it is. Where the run itself does not come out
again (a function of the suite answers otherwise, cells are not there), nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Problems
from evaluators.model.rows import FIELD_STATUSES, MISSING, FieldStatus, Result, RowStatus
from evaluators.model.settings import BadSettings
from evaluators.reports.comparator_suggestions import Mismatch
from evaluators.runs.reader import Run
from evaluators.runs.scored_again import calls_a_program
from evaluators.scoring.fields.lines import FieldLine
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.need_steps import Reading
from evaluators.scoring.plan.suite_plan import compile_plan

MOST_ROWS: Final = 2_000
"""Rows that are scored again, the first ones."""
FIRST_ROWS: Final = 200
"""The same, for what a run ends with."""
_CHUNK: Final = 256
_MEASURED: Final = (
    FieldStatus.MATCH,
    FieldStatus.MISMATCH,
    FieldStatus.OMISSION,
    FieldStatus.HALLUCINATION,
    FieldStatus.ERROR,
)


class Effect(Struct, frozen=True):
    """How the rows come out with a change, less how they come out without it."""

    rows: tuple[int, ...]
    """The rows in which something becomes right that was wrong, or that pass and did not."""
    turned: int
    """The values of the field that become right, of those that were measured and wrong; the rows that pass, without a field."""
    broken: int
    """The same the other way round."""
    set_aside: int
    """Wrong values of any field that are not measured any more, less those that are wrong only now."""
    lost: int
    """Rows with a score that have none any more."""
    gained: int
    """Rows without a score that have one."""
    wrong: int
    """The values of the field, or without a field the values of all, that were measured and wrong."""
    whole: bool
    """All rows of the run were looked at."""


class RowsAgain:
    """The first rows of one variant of a run, at most `most`, to be scored again. `reading` says how the run read outputs."""

    def __init__(self, record: Run, variant: str | None, reading: Reading | None = None, most: int = MOST_ROWS) -> None:
        self._record, self._variant, self._reading, self._most = record, variant, reading, most
        self._cells: list[tuple[int, Mapping[str, Any]]] | None = None
        self._read: list[dict[object, list[Any]]] = []
        """What the evaluators have read of each chunk: documents are the same with and without a change."""
        self._before: dict[str, Sequence[Result] | None] = {}

    def effect(self, line: EvaluatorLine, changed: EvaluatorLine, field: str | None = None) -> Effect | None:
        """The effect of using `changed` in place of `line`, on one `field` or, without one, on whole rows. None where it cannot be
        computed: the rows do not come out as recorded, the changed evaluator cannot be scored alone, or there is no such field."""
        before = self.verdicts_before(line)
        if before is None:
            return None
        after = self._verdicts_of(changed)
        names_before, names_after = line.settings.scored_fields().of_rows, changed.settings.scored_fields().of_rows
        if after is None or (field is not None and field not in names_before):
            return None
        old = [place for place, name in enumerate(names_before) if _is_part_of(name, field)]
        new = [place for place, name in enumerate(names_after) if _is_part_of(name, field)]
        same_fields = [names_before[place] for place in old] == [names_after[place] for place in new]
        effects = [
            _row_effect(was, now) if field is None else _field_effect(was, now, old, new, same_fields)
            for was, now in zip(before, after, strict=True)
        ]
        shown = zip(self._rows_with_cells(), effects, strict=True)
        rows = tuple(number for (number, _), effect in shown if effect.turned > 0 or effect.set_aside > 0)
        total = RowEffect(*map(sum, zip(*effects, strict=True)))  # each of its numbers, summed over the rows
        return Effect(rows, *total, self.is_whole)

    def wrong_row_count(self, line: EvaluatorLine) -> int:
        """How many of the rows have a score and do not pass, with the unchanged evaluator."""
        return sum(verdict.den > 0 and not verdict.passed for verdict in self.verdicts_before(line) or ())

    def wrong_cells(self, line: EvaluatorLine, columns: tuple[str, str]) -> list[Mismatch]:
        """The cells of the rows that have a score and do not pass. `columns` are those of the output and of the expected answer."""
        output, expected = columns
        return [
            Mismatch(number, cells.get(expected, MISSING), cells.get(output, MISSING))
            for (number, cells), verdict in zip(self._rows_with_cells(), self.verdicts_before(line) or (), strict=False)
            if verdict.den > 0 and not verdict.passed
        ]

    def verdicts_before(self, line: EvaluatorLine) -> Sequence[Result] | None:
        """The verdicts of the unchanged evaluator on the rows, scored once and kept; None where they cannot be scored, or are not those
        that the run recorded."""
        if line.name not in self._before:
            scored = self._verdicts_of(line) if self._rows_with_cells() and not calls_a_program(line) else None
            if scored is not None and not self._are_as_recorded(line.name, scored):
                scored = None
            self._before[line.name] = scored
        return self._before[line.name]

    def counts_every_row(self, line: EvaluatorLine) -> bool:
        """Whether the unchanged evaluator, scored again, scores or skips each of the rows, as it did in the run."""
        verdicts = self.verdicts_before(line)
        return verdicts is not None and not any(verdict.status.kept_out for verdict in verdicts)

    @property
    def last_row(self) -> int:
        """The number of the last of the rows; 0 where there are none."""
        return self._rows_with_cells()[-1][0] if self._rows_with_cells() else 0

    def _are_as_recorded(self, name: str, scored: Sequence[Result]) -> bool:
        """Whether the verdicts `scored`, which the evaluator `name` gave when the rows were scored again, are those that the run recorded.

        False, too, where the run lacks one of these rows, because it was stopped.
        """
        verdicts = self._record.verdicts(self._variant)
        place = [evaluator.name for evaluator in self._record.facts.evaluators].index(name)
        numbers = [number for number, _ in self._rows_with_cells()]
        first = takewhile(lambda line: line.row <= numbers[-1], self._record.row_lines(self._variant, verdicts))
        codes = {line.row: line.codes[place] for line in first}
        if not codes.keys() >= set(numbers):  # a run that was stopped has fewer rows than its test set
            return False
        recorded = [verdicts[place][codes[number]] for number in numbers]
        return list(map(_recorded_part, recorded)) == list(map(_recorded_part, scored))

    def _verdicts_of(self, line: EvaluatorLine) -> Sequence[Result] | None:
        """Scores the rows with an evaluator and returns its verdicts; None for one that asks a judge or cannot be scored alone."""
        if line.needs or line.settings.asking() is not None:
            return None
        try:
            plan = compile_plan([line], self._record.result.columns, self._reading)
        except (Problems, BadSettings, KeyError):  # it is part of others, or has no column here
            return None
        verdicts: list[Result] = []
        for chunk, read in zip(_chunks(self._rows_with_cells()), self._read, strict=True):
            columns = {name: [row.get(name, MISSING) for _, row in chunk] for name in plan.columns}
            verdicts += plan.run(columns, len(chunk), read)[plan.evaluators[0].verdicts]
        return verdicts

    def _rows_with_cells(self) -> list[tuple[int, Mapping[str, Any]]]:
        """The number and the cells of each of the first rows whose cells the run kept. They are read once and kept."""
        if self._cells is None:
            self._cells = [(row.row, row.cells) for row in islice(self._record.cells(self._variant), self._most)]
            self._read = [{} for _ in _chunks(self._cells)]
        return self._cells

    @property
    def is_whole(self) -> bool:
        """Whether these are all rows of the variant."""
        rows = next(variant.rows for variant in self._record.facts.variants if variant.variant == self._variant)
        return len(self._rows_with_cells()) == rows


def _chunks(rows: Sequence[tuple[int, Mapping[str, Any]]]) -> Iterator[Sequence[tuple[int, Mapping[str, Any]]]]:
    yield from (rows[start : start + _CHUNK] for start in range(0, len(rows), _CHUNK))


def _is_part_of(name: str, field: str | None) -> bool:
    """Whether `name` is the field, or one below its items where the field is a list (`$` is the whole document); without a field, every
    name is."""
    return field is None or name == field or name.startswith(f"{field}[*]") or (field == "$" and name.startswith("[*]"))


def _recorded_part(verdict: Result) -> tuple[RowStatus, int, int, bytes]:
    """The part of a verdict that a run records: its status, its score as a fraction, and the statuses of its fields."""
    return verdict.status, verdict.num, verdict.den, verdict.statuses


class RowEffect(NamedTuple):
    """The effect of a change to an evaluator on one row, in values; `lost` and `gained` are its score."""

    turned: int = 0
    """Wrong values that become right."""
    broken: int = 0
    set_aside: int = 0
    """Wrong values that are not compared any more."""
    lost: int = 0
    gained: int = 0
    wrong: int = 0
    """Values that are wrong before."""


def _row_effect(was: Result, now: Result) -> RowEffect:
    """The effect of a change on one row as a whole, from its verdicts before (`was`) and after (`now`). It may also break: where items pair
    otherwise, others may be wrong."""
    wrong = _wrong_count(was)
    if was == now:
        return RowEffect(wrong=wrong)
    turned = int(was.den > 0 and now.passed is True and not was.passed)
    broken = int(was.passed is True and now.den > 0 and not now.passed)
    return RowEffect(turned, broken, wrong - _wrong_count(now), *_score_changes(was, now), wrong)


def _field_effect(was: Result, now: Result, old: Sequence[int], new: Sequence[int], alike: bool) -> RowEffect:
    """The effect on a field of a row, which stands at some places `old` and `new` among those of the evaluator.

    `alike`: the same values count before and after; else a list that counted as one value is counted by its items, or the reverse.
    """
    right, measured = _value_counts(was, old)
    wrong = measured - right
    if alike and was == now:
        return RowEffect(wrong=wrong)
    right_now, measured_now = _value_counts(now, new)
    wrong_now = measured_now - right_now
    if alike:
        turned, broken = (max(0, right_now - right), max(0, right - right_now)) if measured else (0, 0)
    else:  # numbers of values before and after cannot be compared: the field is all right or wrong
        wrong_now = max(0, _wrong_count(now) - _wrong_count(was) + wrong)
        turned, broken = int(wrong > 0 and not wrong_now), int(measured > 0 and not wrong and wrong_now > 0)
    return RowEffect(turned, broken, max(0, wrong - wrong_now - turned), *_score_changes(was, now), wrong)


def _score_changes(was: Result, now: Result) -> tuple[int, int]:
    """Two numbers of a row, 0 or 1: whether it loses its score, and whether it gets one."""
    return int(was.den > 0 and not now.den), int(now.den > 0 and not was.den)


def _wrong_count(verdict: Result) -> int:
    """How many values of a row are wrong. A list that is one value counts as one."""
    if verdict.counts is not None:
        return sum(verdict.counts) - verdict.counts[0]
    right, measured = _value_counts(verdict, range(len(verdict.statuses)))
    return measured - right


def _value_counts(verdict: Result, places: Sequence[int]) -> tuple[int, int]:
    """How many values of some fields of a row are right, and how many were measured. `places` are those of the fields in the verdict."""
    several = {place: (right, measured) for place, right, measured in verdict.several()}
    counts = [
        several.get(place) or _STATUS_COUNTS[verdict.statuses[place]] for place in places if place < len(verdict.statuses)
    ]
    return sum(right for right, _ in counts), sum(measured for _, measured in counts)


_STATUS_COUNTS: Final = [(int(status is FieldStatus.MATCH), int(status in _MEASURED)) for status in FIELD_STATUSES]
"""By the code of a status: whether the value is right, and whether it was measured, as 0 or 1."""


def with_field(line: EvaluatorLine, path: str, **changes: Any) -> EvaluatorLine | None:
    """The evaluator's line with `changes` to the attributes of one listed field; None where it lists no such field, or where the settings
    would not be valid."""
    listed: Sequence[FieldLine] = line.settings.scored_fields().lines or ()
    if all(field.name != path for field in listed):
        return None
    fields = tuple(replace(field, **changes) if field.name == path else field for field in listed)
    return with_settings(line, fields=fields)


def with_settings(line: EvaluatorLine, **settings: Any) -> EvaluatorLine | None:
    """The evaluator's line with some other settings; None where these would not be valid."""
    try:
        return replace(line, settings=line.settings.with_settings(**settings))
    except BadSettings:
        return None
