"""The change of a row from the base to the new run, for each evaluator and field, and the list of changed rows.

A row is *measured*, or there is *nothing* to measure because nothing is there on either side, or it is *unknown*: skipped,
unusable, unjudged, absent. From measured to unknown a row is lost; it is never called unchanged. Where nothing was to measure and
the new run is wrong, as with an extra value, the row is broken: the base was right to say nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from evaluators.model.issues import CellError
from evaluators.model.rows import FIELD_STATUSES, MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.runs.compare.comparison import CHANGES, Change, ChangedRow
from evaluators.runs.compare.pairs import Pairs, RowResult, Side, SideRows
from evaluators.runs.kept_documents import document_of
from evaluators.runs.reader import Run
from evaluators.runs.record_facts import CellReading, RecordedEvaluator
from evaluators.runs.record_lines import RowLine
from evaluators.scoring.fields.outcomes import MEASURED
from evaluators.scoring.values.equality import json_equal

MOST_OUTCOMES: Final = 100_000
"""Recorded results of each run that are looked at for other values."""
_QUIET = ("unchanged", "never measured")
_WRONG: Final = frozenset((FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION))


class RowMeasure(NamedTuple):
    """The measure of one row in a run: `earned` of `whole`, and whether that is right. A `whole` of 0 is nothing to measure."""

    earned: Fraction
    whole: int
    right: bool


NOTHING: Final = RowMeasure(Fraction(0), 0, False)
State: TypeAlias = RowMeasure | None
"""None is unknown."""
States: TypeAlias = Callable[[RowResult, RowResult], tuple[State, State]]
"""What the base and the new run measured in one row."""


def change_of(was: State, now: State) -> Change:
    """The change of a row from the state that it had in the base, `was`, to the one that it has `now`. A state is None where the row was
    not measured, and has a `whole` of 0 where nothing was there to measure: a row that is first measured now is `gained`, but `broken`
    where the base had nothing to measure and the new run is wrong."""
    if was is None or not was.whole:
        if now is None or not now.whole:
            return "never measured"
        return "gained" if was is None or now.right else "broken"
    if now is None:
        return "lost"
    if not now.whole:
        return "settled"
    if was.right == now.right:
        return "unchanged"
    return "fixed" if now.right else "broken"


def field_change(was: FieldStatus | None, now: FieldStatus | None) -> Change:
    """The change of one value from its status in the base, `was`, to the one that it has `now`; a status is None where that run does not
    have the value."""
    was_wrong, is_wrong = (status in _WRONG or status is FieldStatus.ERROR for status in (was, now))
    if is_wrong and not was_wrong:
        return "broken"
    if now is FieldStatus.MATCH or (was is FieldStatus.HALLUCINATION and now in (None, FieldStatus.NOT_MEASURED)):
        return "fixed" if was_wrong else "unchanged"
    return "lost" if was is FieldStatus.MATCH else "unchanged"


def weightiest_change(changes: Iterable[Change]) -> Change:
    """The change of a row that several evaluators score: of their changes, the one that comes first in `CHANGES`."""
    return min(changes, key=CHANGES.index, default="never measured")


def score_states(was: RowResult, now: RowResult) -> tuple[State, State]:
    """The states of a row's score in both runs, from its results in them. A run that skipped a field which the other one measured has no
    score of the row, rather than nothing to measure."""
    return _unless_set_aside(score_state(was), was, now), _unless_set_aside(score_state(now), now, was)


def score_state(result: RowResult) -> State:
    """The state of a row's score in one run; None where it has no score, `NOTHING` where nothing was there to measure."""
    if result is None:
        return None
    if result.status.scored and result.den:
        return RowMeasure(Fraction(result.num, result.den), 1, bool(result.passed))
    return NOTHING if result.status is RowStatus.NOT_MEASURED else None


def _unless_set_aside(state: State, result: RowResult, other: RowResult) -> State:
    """The state; but None, as without a score, in place of NOTHING where this run skipped a field that the other run measured."""
    if state is not NOTHING or result is None or other is None:
        return state
    both = zip(_field_statuses(result), _field_statuses(other), strict=False)
    return None if any(ours is FieldStatus.SKIPPED and theirs in MEASURED for ours, theirs in both) else NOTHING


def _field_statuses(result: Result) -> list[FieldStatus]:
    """The statuses of the fields of a row, in the order of the evaluator's fields."""
    return [FIELD_STATUSES[number] for number in result.statuses]


def field_states(before: int, after: int) -> States:
    """A function that gives the states of one field in both runs. `before` and `after` are the indexes of the field in the base
    and in the new run."""
    return lambda was, now: (field_state(was, before), field_state(now, after))


def field_state(result: RowResult, index: int) -> State:
    """The state of the field with that index in one run; None where it was not measured, `NOTHING` where nothing was there to
    measure."""
    if result is None or index >= len(result.statuses):
        return None
    if (right := field_right(result, index)) is not None:
        # of a field with several values in the row, how many are right of how many
        counted = next(((earned, whole) for at, earned, whole in result.several() if at == index), (int(right), 1))
        return RowMeasure(Fraction(counted[0]), counted[1], right)
    judged = result.status.scored or result.status is RowStatus.NOT_MEASURED
    return NOTHING if judged and result.statuses[index] == FieldStatus.NOT_MEASURED.number else None


def field_right(result: Result, index: int) -> bool | None:
    """Whether the field with that index is right; None where it was not measured."""
    status = FIELD_STATUSES[result.statuses[index]]
    if status is FieldStatus.MATCH:
        return True
    return False if status in _WRONG or (status is FieldStatus.ERROR and result.status.scored) else None


def changed_rows(
    pairs: Pairs, evaluators: Sequence[str], base: Side, new: Side, variant: str | None
) -> tuple[list[ChangedRow], Counter[Change]]:
    """The rows of which a verdict, or a value that is wrong, changed or was lost, as comparisons list them; and how many rows there are of
    each kind of change."""
    known: dict[tuple[RowResult, RowResult], Change] = {}
    counts: Counter[Change] = Counter()
    rows: list[ChangedRow] = []
    values = [_wrong_values(side, rows, variant, evaluators) for side, rows in ((base, pairs.base), (new, pairs.new))]
    of_base, of_new = ([rows.results(name) for name in evaluators] for rows in (pairs.base, pairs.new))
    for row in pairs.rows():
        verdicts = [(was(row[0]), now(row[1])) for was, now in zip(of_base, of_new, strict=True)]
        for both in verdicts:
            if both not in known:
                known[both] = change_of(*score_states(*both))
        changes = [known[both] for both in verdicts]
        change = weightiest_change(changes)
        counts[change] += 1
        others = list(_other_wrong_values(*row, *values))
        if change not in _QUIET or others or any(was and now and was.statuses != now.statuses for was, now in verdicts):
            by_evaluator = dict(zip(evaluators, zip(changes, verdicts, strict=True), strict=True))
            listed = _changed_row(row[1] or row[0], change, by_evaluator, base, new, variant, others)
            if change not in _QUIET or listed.fields:
                rows.append(listed)
    return rows, counts


WrongValues: TypeAlias = Mapping[int, Mapping[str, tuple[FieldStatus, object]]]
"""By row, what the output has in the places that are wrong, with how they are wrong: `evaluator.path` for a field, `evaluator` for what
an evaluator without fields compares."""


def _wrong_values(side: Side, rows: SideRows, variant: str | None, evaluators: Sequence[str]) -> WrongValues:
    """The wrong values that a run recorded, each as its status and value, by row number and then by `evaluator.path`, or by `evaluator` for
    the outputs of one without fields. Only the first `MOST_OUTCOMES` outcomes, and the rows whose cells were kept, are looked at; empty
    for a side without rows."""
    statuses: dict[int, dict[str, tuple[FieldStatus, object]]] = {}
    if side.record is None:
        return statuses
    variant = side.variant if variant is None else variant
    with_fields = {name for name in evaluators if side.fields[name]}
    for line in islice(side.record.outcomes(variant), MOST_OUTCOMES):
        if isinstance(line, Outcome) and line.evaluator in evaluators:
            with_fields.add(line.evaluator)
            if line.status in _WRONG and line.actual is not MISSING:
                statuses.setdefault(line.row, {})[f"{line.evaluator}.{line.path}"] = line.status, line.actual
    readings = {
        evaluator.name: reading
        for evaluator in side.record.facts.evaluators
        if evaluator.name in evaluators
        and evaluator.name not in with_fields
        and (reading := _output_reading(evaluator)) is not None
    }
    for row, name, value in _wrong_outputs(side.record, rows, variant, readings):
        statuses.setdefault(row, {})[name] = FieldStatus.MISMATCH, value
    return statuses


def _output_reading(evaluator: RecordedEvaluator) -> CellReading | None:
    """How an evaluator reads the output that it compares with what is expected; None where it compares nothing."""
    sides = {reading.side: reading for reading in reversed(evaluator.readings)}
    return sides.get("output") if "expected" in sides else None


def _wrong_outputs(
    record: Run, rows: SideRows, variant: str | None, readings: Mapping[str, CellReading]
) -> Iterator[tuple[int, str, object]]:
    """The outputs that evaluators without fields found wrong, as (row, evaluator, output), as far as the folder keeps cells."""
    if not readings:
        return
    results = {name: rows.results(name) for name in readings}
    wrong = {
        line.row: names
        for line in rows.lines
        if (names := [name for name, result in results.items() if _is_wrong_output(result(line))])
    }
    for line in islice(record.kept_cells(variant), MOST_OUTCOMES) if wrong else ():
        for name in wrong.get(line.row, ()):
            output = document_of(readings[name], line.cells)
            if output is not MISSING and not isinstance(output, CellError):
                yield line.row, name, output


def _is_wrong_output(result: RowResult) -> bool:
    """Whether an evaluator scored a row, and found its output wrong."""
    return result is not None and result.status is RowStatus.SCORED and result.passed is False


def _other_wrong_values(
    was: RowLine | None, now: RowLine | None, before: WrongValues, after: WrongValues
) -> Iterator[str]:
    """Yields a text for each place of a row that is wrong in the same way in both runs, with another value: `evaluator.path: mismatch →
    mismatch`. `before` and `after` are the wrong values of the two runs."""
    if was is None or now is None:
        return
    old = before.get(was.row, {})
    for place, (status, value) in after.get(now.row, {}).items():
        known = old.get(place)
        if known is not None and known[0] is status and not json_equal(known[1], value):
            yield f"{place}: {status.word} → {status.word}"


def _changed_row(
    line: RowLine | None,
    change: Change,
    by_evaluator: Mapping[str, tuple[Change, tuple[RowResult, RowResult]]],
    base: Side,
    new: Side,
    variant: str | None,
    others: Sequence[str],
) -> ChangedRow:
    """The row as the comparison lists it, from the change and both results of each evaluator; `others` are further changes of values,
    ready to be shown. A row without a `line` has number 0."""
    names_of = {
        kind: tuple(name for name, (each, _) in by_evaluator.items() if each == kind)
        for kind in ("broken", "fixed", "lost", "gained", "settled")
    }
    fields = [
        text
        for name in by_evaluator
        if by_evaluator[name][0] in ("broken", "fixed", "unchanged")
        for text in _field_changes(name, *by_evaluator[name][1], base.fields[name], new.fields[name])
    ]
    old = {name: was for name, (_, (was, _)) in by_evaluator.items()}
    unscored = {name: by_evaluator[name][1][1] for name in names_of["lost"]} | {
        name: old[name] for name in names_of["gained"]
    }
    return ChangedRow(
        id="" if line is None else line.id,
        number=0 if line is None else line.row,
        broken=names_of["broken"],
        fixed=names_of["fixed"],
        fields=(*fields, *others),
        variant=variant,
        change=change,
        lost=names_of["lost"],
        lost_passed=tuple(name for name in names_of["lost"] if (was := old[name]) is not None and was.passed),
        gained=names_of["gained"],
        settled=names_of["settled"],
        reasons={name: _why_unscored(result) for name, result in unscored.items()},
    )


def _why_unscored(result: RowResult) -> str:
    """The words that say why a run did not score a row: `absent`, or its status and what the issue says."""
    if result is None:
        return "absent"
    standing = "nothing there" if result.status is RowStatus.NOT_MEASURED else result.status.word
    return f"{standing}: {result.issue.message}" if result.issue is not None and result.issue.message else standing


def _field_changes(
    name: str, was: RowResult, now: RowResult, before: Sequence[str], after: Sequence[str]
) -> Iterator[str]:
    """Yields a text such as `evaluator.path: match → mismatch` for each field that both runs have and whose status differs; none where a
    result is None. `before` and `after` are the fields of the two runs."""
    if was is None or now is None:
        return
    old = dict(zip(before, _field_statuses(was), strict=False))
    for path, status in zip(after, _field_statuses(now), strict=False):
        if path in old and old[path] is not status:
            yield f"{name}.{path}: {old[path].word} → {status.word}"
