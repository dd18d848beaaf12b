"""The scores of one row by name, the same for every host: those of evaluators, those of their fields, and the overall one.

A host has its own words for a score; each harness puts these scores into them and adds nothing. Names hold no brackets, stars or
other characters that platforms refuse: `header`, `header/field/items.each.price`, `overall`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

from evaluators.api.score_columns import OVERALL, error_of, overall_verdict
from evaluators.fields.counts import MEASURED
from evaluators.model import FIELD_STATUSES, MISSING, FieldStatus, Outcome, Result
from evaluators.reports.rows_csv import field_numbers, why_of
from evaluators.run.streaming import Judged
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.tracking.assessments import label_of, reason_of
from evaluators.tracking.metric_names import field_name, segment

_LONGEST: Final = 1_000
"""Characters of a value that goes along with a score."""


class NamedScore(Struct, frozen=True):
    """One score of one row.

    `score` is in [0, 1], or None where there is none. `status` is a word: for an evaluator and the overall score scored, unreadable,
    blocked, skipped, not measured, invalid, unjudged or bug; for a field match, mismatch, omission, hallucination, skipped, not
    measured or error. `error` says what kept the row from being measured; it is None where the output alone is to blame.
    """

    name: str
    score: float | None
    status: str
    passed: bool | None = None
    label: str = ""
    """One word for people: passed or failed, or the status where neither says it."""
    reason: str | None = None
    error: str | None = None
    evaluator: str | None = None
    """The evaluator's name; None for the overall score."""
    path: str | None = None
    """The field, as results spell it; None for a score that is not about a field."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What else is known, as JSON."""


class RowScores(Struct, frozen=True):
    """Every score of one row: the overall one, then each evaluator's followed by its fields'."""

    id: str
    overall: NamedScore
    evaluators: tuple[NamedScore, ...]
    """Those of evaluators and of their fields, in the order of the suite."""

    @property
    def every(self) -> tuple[NamedScore, ...]:
        """All of them. An evaluator that is itself called overall, and is, stands once."""
        named = any(one.name == self.overall.name for one in self.evaluators)
        return self.evaluators if named else (self.overall, *self.evaluators)

    def of(self, part: str) -> tuple[NamedScore, ...]:
        """The score of an evaluator and of its fields, by the evaluator's name; or the overall score, by the name `overall`."""
        return tuple(one for one in self.evaluators if one.evaluator == part) or (self.overall,)


class RowError(Exception):
    """Raised into a host that takes an exception for an error: the row could not be measured, and the output is not to blame."""


def row_scores(row_id: str, judged: Sequence[Judged], overall: Sequence[str], fields: bool = True) -> RowScores:
    """The scores of a row. `overall` are the evaluators that the overall score is made of; without `fields` those of fields are left
    out."""
    found: list[NamedScore] = []
    for one in judged:
        whole = _whole(one, segment(one.line.name), one.line.name)
        found += [whole, *(_field_scores(one, whole) if fields else ())]
    return RowScores(row_id, _overall([one for one in judged if one.line.name in overall]), tuple(found))


def names_of(lines: Sequence[EvaluatorLine], fields: bool = True) -> tuple[str, ...]:
    """The names of the scores that every row has, whatever stands in it: the fields of open documents are not among them, and
    without `fields` none are.
    """
    every = [OVERALL]
    for line in lines:
        name = segment(line.name)
        paths = line.settings.scored_fields().of_rows if fields else ()
        every += [name, *(f"{name}/field/{field_name(path)}" for path in paths)]
    return tuple(dict.fromkeys(every))


def _overall(parts: Sequence[Judged]) -> NamedScore:
    """The score of the whole row."""
    if len(parts) == 1:
        return _whole(parts[0], OVERALL, None)
    reasons = [f"{one.line.name}: {reason}" for one in parts if (reason := why_of(one.result))]
    result = overall_verdict([one.result for one in parts])
    return _of_row(OVERALL, result, "; ".join(reasons) or "nothing is wrong", None, {"status": result.status.word})


def _whole(one: Judged, name: str, evaluator: str | None) -> NamedScore:
    """What an evaluator says of the row as a whole."""
    figures = zip(one.line.settings.scored_fields().figures, one.result.figures, strict=False)
    metrics = {name: num / den for name, (num, den) in figures if den}
    about = {"type": one.line.type, "status": one.result.status.word, **({"metrics": metrics} if metrics else {})}
    return _of_row(name, one.result, reason_of(one.result), evaluator, about)


def _of_row(
    name: str, result: Result, reason: str | None, evaluator: str | None, metadata: Mapping[str, Any]
) -> NamedScore:
    return NamedScore(
        name, result.score, result.status.word, result.passed, label_of(result), reason, error_of(result), evaluator,
        metadata=metadata,
    )  # fmt: skip


def _field_scores(one: Judged, whole: NamedScore) -> Iterator[NamedScore]:
    """The scores of the fields that an evaluator lists, in its order; of those that are in the row where it lists none."""
    result, listed, by_path = one.result, one.line.settings.scored_fields().of_rows, _by_field(one.result.fields)
    if listed and len(listed) == len(result.statuses):
        for path, code, number in zip(listed, result.statuses, field_numbers(result), strict=True):
            yield _field(whole, path, FIELD_STATUSES[code], number, by_path.get(path, ()))
    elif listed:
        word = FieldStatus.NOT_JUDGED.word if whole.error else whole.status
        for path in listed:
            yield _named(whole, path, None, word, None, whole.reason, whole.error, {})
    else:
        for path, instances in by_path.items():
            n, right = _measured(instances)
            status = _together([each.status for each in instances])
            yield _field(whole, path, status, right / n if n else None, instances)


def _field(
    whole: NamedScore, path: str, status: FieldStatus, number: float | None, instances: Sequence[Outcome]
) -> NamedScore:
    passed = None if status not in MEASURED else status is FieldStatus.MATCH
    # the first that is not right, or else the first
    shown = min(instances, key=lambda each: each.status is FieldStatus.MATCH, default=None)
    reason = shown.reason if shown is not None else None
    error = (reason or whole.error or "the field could not be checked") if status is FieldStatus.NOT_JUDGED else None
    return _named(whole, path, number, status.word, passed, reason, error, _values(shown, instances))


def _named(
    whole: NamedScore,
    path: str,
    score: float | None,
    status: str,
    passed: bool | None,
    reason: str | None,
    error: str | None,
    metadata: Mapping[str, Any],
) -> NamedScore:
    about = {"path": path, "status": status, **metadata}
    name = f"{whole.name}/field/{field_name(path)}"
    return NamedScore(name, score, status, passed, status, reason, error, whole.evaluator, path, about)


def _measured(instances: Sequence[Outcome]) -> tuple[int, int]:
    """How many instances of a field were measured, and how many of them are right."""
    measured = [each.status for each in instances if each.status in MEASURED]
    return len(measured), measured.count(FieldStatus.MATCH)


def _values(shown: Outcome | None, instances: Sequence[Outcome]) -> dict[str, Any]:
    """The values of a field, where there is one instance of it; how many there are otherwise."""
    if shown is None:
        return {}
    if len(instances) > 1:
        return dict(zip(("n", "right"), _measured(instances), strict=True))
    found: dict[str, Any] = {}
    for name, value in (("expected", shown.expected), ("output", shown.actual)):
        text = value if isinstance(value, str) else repr(value)
        if value is not MISSING:
            found[name] = value if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    partial = shown.score is not None and shown.score not in (0.0, 1.0)
    return {**found, "credit": shown.score} if partial else found


def _by_field(results: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """The results by field: all items of a list are one field."""
    found: dict[str, list[Outcome]] = {}
    for one in results:
        found.setdefault(one.field or one.path, []).append(one)
    return found


def _together(statuses: Sequence[FieldStatus]) -> FieldStatus:
    """One status for several: a fault, else the first that is wrong, else right, else why nothing was measured."""
    if FieldStatus.NOT_JUDGED in statuses:
        return FieldStatus.NOT_JUDGED
    measured = [status for status in statuses if status in MEASURED]
    return next(
        (status for status in measured if status is not FieldStatus.MATCH), measured[0] if measured else statuses[0]
    )
