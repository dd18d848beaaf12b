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
FIRST_ROWS: Final = 200
"""The same, for what a run ends with."""
"""Rows that are scored again, the first ones."""
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
    """The rows of one variant of a run, to be scored again."""

    def __init__(self, record: Run, variant: str | None, reading: Reading | None = None, most: int = MOST_ROWS) -> None:
        self._record, self._variant, self._reading, self._most = record, variant, reading, most
        self._cells: list[tuple[int, Mapping[str, Any]]] | None = None
        self._read: list[dict[object, list[Any]]] = []
        """What the evaluators have read of each chunk: documents are the same with and without a change."""
        self._before: dict[str, Sequence[Result] | None] = {}

    def effect(self, line: EvaluatorLine, changed: EvaluatorLine, field: str | None = None) -> Effect | None:
        """What a changed line does, to one of its fields, or to its rows; None where that cannot be told."""
        before = self.before(line)
        if before is None:
            return None
        after = self._scored(changed)
        names = line.settings.scored_fields().of_rows, changed.settings.scored_fields().of_rows
        if after is None or (field is not None and field not in names[0]):
            return None
        old, new = ([place for place, name in enumerate(each) if _within(name, field)] for each in names)
        kept = [names[0][place] for place in old] == [names[1][place] for place in new]
        found = [
            _row_effect(was, now) if field is None else _field_effect(was, now, old, new, kept)
            for was, now in zip(before, after, strict=True)
        ]
        shown = zip(self._known(), found, strict=True)
        rows = tuple(number for (number, _), one in shown if one.turned > 0 or one.set_aside > 0)
        whole = RowEffect(*map(sum, zip(*found, strict=True)))
        return Effect(rows, *whole, self.is_whole)

    def wrong_rows(self, line: EvaluatorLine) -> int:
        """How many of the rows have a score and do not pass."""
        return sum(one.den > 0 and not one.passed for one in self.before(line) or ())

    def wrong_cells(self, line: EvaluatorLine, columns: tuple[str, str]) -> list[Mismatch]:
        """The cells of those rows in the columns of the output and of the expected answer."""
        output, expected = columns
        return [
            Mismatch(number, cells.get(expected, MISSING), cells.get(output, MISSING))
            for (number, cells), one in zip(self._known(), self.before(line) or (), strict=False)
            if one.den > 0 and not one.passed
        ]

    def before(self, line: EvaluatorLine) -> Sequence[Result] | None:
        """The verdicts of an evaluator as it is; None where they do not come out again."""
        if line.name not in self._before:
            found = self._scored(line) if self._known() and not calls_a_program(line) else None
            self._before[line.name] = found if found is not None and self._as_recorded(line.name, found) else None
        return self._before[line.name]

    def counts_every_row(self, line: EvaluatorLine) -> bool:
        """Whether the evaluator as it is gives each of the rows a score, or skips it: the same as the run did."""
        found = self.before(line)
        return found is not None and not any(one.status.kept_out for one in found)

    @property
    def last_row(self) -> int:
        """The number of the last of the rows; 0 where there are none."""
        return self._known()[-1][0] if self._known() else 0

    def _as_recorded(self, name: str, found: Sequence[Result]) -> bool:
        """Whether the rows that were scored again have the verdicts that the run recorded.

        False, too, where the run lacks one of these rows, because it was stopped.
        """
        verdicts = self._record.verdicts(self._variant)
        place = [one.name for one in self._record.facts.evaluators].index(name)
        known = [number for number, _ in self._known()]
        first = takewhile(lambda one: one.row <= known[-1], self._record.row_lines(self._variant, verdicts))
        lines = {one.row: one.codes[place] for one in first}
        if not lines.keys() >= set(known):  # a run that was stopped has fewer rows than its test set
            return False
        return [_recorded_part(verdicts[place][lines[number]]) for number in known] == [
            _recorded_part(one) for one in found
        ]

    def _scored(self, line: EvaluatorLine) -> Sequence[Result] | None:
        """The verdicts of an evaluator on the rows; None for one that cannot be scored alone."""
        if line.needs or line.settings.asking() is not None:
            return None
        try:
            plan = compile_plan([line], self._record.result.columns, self._reading)
        except (Problems, BadSettings, KeyError):  # it is part of others, or has no column here
            return None
        verdicts: list[Result] = []
        for chunk, read in zip(_chunks(self._known()), self._read, strict=True):
            columns = {name: [row.get(name, MISSING) for _, row in chunk] for name in plan.columns}
            verdicts += plan.run(columns, len(chunk), read)[plan.evaluators[0].verdicts]
        return verdicts

    def _known(self) -> list[tuple[int, Mapping[str, Any]]]:
        """The first rows whose cells there are."""
        if self._cells is None:
            self._cells = [(one.row, one.cells) for one in islice(self._record.cells(self._variant), self._most)]
            self._read = [{} for _ in _chunks(self._cells)]
        return self._cells

    @property
    def is_whole(self) -> bool:
        """All rows of the variant are looked at."""
        rows = next(one.rows for one in self._record.facts.variants if one.variant == self._variant)
        return len(self._known()) == rows


def _chunks(rows: Sequence[tuple[int, Mapping[str, Any]]]) -> Iterator[Sequence[tuple[int, Mapping[str, Any]]]]:
    yield from (rows[start : start + _CHUNK] for start in range(0, len(rows), _CHUNK))


def _within(name: str, field: str | None) -> bool:
    """It is the field, or one of the items of that list."""
    return field is None or name == field or name.startswith(f"{field}[*]") or (field == "$" and name.startswith("[*]"))


def _recorded_part(one: Result) -> tuple[RowStatus, int, int, bytes]:
    """The part of a verdict that a run records: its status, its score as a fraction, and the statuses of its fields."""
    return one.status, one.num, one.den, one.statuses


class RowEffect(NamedTuple):
    """What a change to an evaluator does to one row, in values; `lost` and `gained` are its score."""

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
    """The effect on a row as a whole. Items that pair otherwise may be wrong, too."""
    wrong = _wrong(was)
    if was == now:
        return RowEffect(wrong=wrong)
    turned = int(was.den > 0 and now.passed is True and not was.passed)
    broken = int(was.passed is True and now.den > 0 and not now.passed)
    return RowEffect(turned, broken, wrong - _wrong(now), *_scores(was, now), wrong)


def _field_effect(was: Result, now: Result, old: Sequence[int], new: Sequence[int], alike: bool) -> RowEffect:
    """The effect on a field of a row, which stands at some places `old` and `new` among those of the evaluator.

    `alike`: the same values count before and after; else a list that counted as one value is counted by its items, or the reverse.
    """
    right, measured = _values(was, old)
    wrong = measured - right
    if alike and was == now:
        return RowEffect(wrong=wrong)
    right_now, measured_now = _values(now, new)
    wrong_now = measured_now - right_now
    if alike:
        turned, broken = (max(0, right_now - right), max(0, right - right_now)) if measured else (0, 0)
    else:
        wrong_now = max(0, _wrong(now) - _wrong(was) + wrong)
        turned, broken = int(wrong > 0 and not wrong_now), int(measured > 0 and not wrong and wrong_now > 0)
    return RowEffect(turned, broken, max(0, wrong - wrong_now - turned), *_scores(was, now), wrong)


def _scores(was: Result, now: Result) -> tuple[int, int]:
    """1 where the row loses its score, and 1 where it gets one."""
    return int(was.den > 0 and not now.den), int(now.den > 0 and not was.den)


def _wrong(one: Result) -> int:
    """How many values of a row are wrong, whole lists that have no items to count among them."""
    if one.counts is not None:
        return sum(one.counts) - one.counts[0]
    right, measured = _values(one, range(len(one.statuses)))
    return measured - right


def _values(one: Result, places: Sequence[int]) -> tuple[int, int]:
    """How many values of some fields of a row are right, and how many were measured."""
    several = {place: (right, measured) for place, right, measured in one.several()}
    found = [several.get(place) or _NUMBERS[one.statuses[place]] for place in places if place < len(one.statuses)]
    return sum(right for right, _ in found), sum(measured for _, measured in found)


_NUMBERS: Final = [(int(one is FieldStatus.MATCH), int(one in _MEASURED)) for one in FIELD_STATUSES]


def with_field(line: EvaluatorLine, path: str, **changes: Any) -> EvaluatorLine | None:
    """The line with something else in what it says of one field; None where it has no such field, or that cannot be said."""
    listed: Sequence[FieldLine] = line.settings.scored_fields().lines or ()
    if all(one.name != path for one in listed):
        return None
    fields = tuple(replace(one, **changes) if one.name == path else one for one in listed)
    return with_settings(line, fields=fields)


def with_settings(line: EvaluatorLine, **settings: Any) -> EvaluatorLine | None:
    """The line with other settings of its evaluator; None where they do not go together."""
    try:
        return replace(line, settings=line.settings.with_settings(**settings))
    except BadSettings:
        return None
