"""The scores of one row by name, the same for every host: those of evaluators, those of their fields, and the overall one.

A host has its own words for a score; each harness puts these scores into them and adds nothing. Names hold no brackets, stars or
other characters that platforms refuse: `header`, `header/field/items.each.price`, `overall`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.rows import MISSING, FieldStatus, Outcome, Result
from evaluators.reports.names import score_name
from evaluators.reports.rows import FieldView, field_view, field_views, whole_view, why_of
from evaluators.runs.overall import OVERALL, overall_verdict
from evaluators.scoring.fields.outcomes import MEASURED
from evaluators.scoring.plan.graph import EvaluatorLine

_LONGEST: Final = 1_000
"""Characters of a value that goes along with a score."""


class RowScores(Struct, frozen=True):
    """Every score of one row: the overall one, then each evaluator's followed by its fields'."""

    id: str
    overall: FieldView
    verdict: Result
    """That of the row as a whole."""
    evaluators: tuple[FieldView, ...]
    """Those of evaluators and of their fields, in the order of the suite."""

    @property
    def every_score(self) -> tuple[FieldView, ...]:
        """The overall score and those of evaluators and fields. An evaluator that is called `overall` is the overall score, and
        stands once."""
        named = any(score.name == self.overall.name for score in self.evaluators)
        return self.evaluators if named else (self.overall, *self.evaluators)

    def of_part(self, part: str) -> tuple[FieldView, ...]:
        """The score of an evaluator, then those of its fields, by the evaluator's name; the overall score, by the name
        `overall`."""
        return tuple(score for score in self.evaluators if score.evaluator == part) or (self.overall,)


class RowError(Exception):
    """Raised into a host that takes an exception for an error: the row could not be measured, and the output is not to blame."""


def row_scores(
    row_id: str,
    lines: Sequence[EvaluatorLine],
    results: Mapping[str, Result],
    overall: Sequence[str],
    fields: bool = True,
) -> RowScores:
    """The scores of a row. `overall` are the evaluators that the overall score is made of; without `fields` those of fields are left
    out."""
    views: list[FieldView] = []
    for line in lines:
        result = results[line.name]
        whole = _row_view(line, result)
        views += [whole, *(map(_with_values, _field_scores(line, result, whole)) if fields else ())]
    parts = [line for line in lines if line.name in overall]
    verdict = overall_verdict([results[line.name] for line in parts])
    return RowScores(row_id, _overall_view(parts, results, verdict), verdict, tuple(views))


def names_of(lines: Sequence[EvaluatorLine], fields: bool = True) -> tuple[str, ...]:
    """The names of the scores that every row has, whatever stands in it: the fields of open documents are not among them, and
    without `fields` none are.
    """
    every = [OVERALL]
    for line in lines:
        paths = line.settings.scored_fields().of_rows if fields else ()
        every += [score_name(line.name), *(score_name(line.name, path) for path in paths)]
    return tuple(dict.fromkeys(every))


def _overall_view(parts: Sequence[EvaluatorLine], results: Mapping[str, Result], verdict: Result) -> FieldView:
    """The score of the whole row: that of the one evaluator among `parts`, or the mean of several, which is `verdict`."""
    if len(parts) == 1:
        return _row_view(parts[0], replace(results[parts[0].name], evaluator=""))
    reasons = [f"{line.name}: {reason}" for line in parts if (reason := why_of(results[line.name]))]
    whole = whole_view(verdict)
    return replace(whole, reason="; ".join(reasons) or "nothing is wrong", metadata={"status": whole.status.word})


def _row_view(line: EvaluatorLine, result: Result) -> FieldView:
    """The score of an evaluator for the row as a whole."""
    pairs = zip(line.settings.scored_fields().metrics, result.metrics, strict=False)
    metrics = {name: num / den for name, (num, den) in pairs if den}
    about = {"type": line.type, "status": result.status.word, **({"metrics": metrics} if metrics else {})}
    return replace(whole_view(result), metadata=about)


def _field_scores(line: EvaluatorLine, result: Result, whole: FieldView) -> Iterator[FieldView]:
    """The scores of the fields that an evaluator lists, in its order; without a list, of the fields in the row. `whole` is the score of the
    evaluator: where the row was not scored field by field, each listed field has its status and no score."""
    listed = line.settings.scored_fields().of_rows
    if listed and len(listed) == len(result.statuses):
        yield from field_views(result, listed, right_ones=True)
    elif listed:
        status = FieldStatus.NOT_JUDGED if whole.error else whole.status
        for path in listed:
            yield replace(whole, path=path, status=status, passed=None, score=None)
    else:
        by_field: dict[str, list[Outcome]] = {}
        for outcome in result.fields:
            by_field.setdefault(outcome.place, []).append(outcome)
        for path, outcomes in by_field.items():
            n, right = _measured_and_right(outcomes)
            status = _combined_status([each.status for each in outcomes])
            yield field_view(result, path, status, right / n if n else None, tuple(outcomes), right_ones=True)


def _measured_and_right(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """How many values of a field were measured, and how many of them are right."""
    measured = [each.status for each in outcomes if each.status in MEASURED]
    return len(measured), measured.count(FieldStatus.MATCH)


def _with_values(view: FieldView) -> FieldView:
    """The score of a field with its status in its metadata, and with its two values where the row has one pair of them, or with how many
    values there are and how many are right. Values are cut at `_LONGEST`; a score of the pair other than 0 and 1 is its `credit`."""
    record: dict[str, Any] = {"path": view.path, "status": view.status.word}
    if len(view.outcomes) > 1:
        n, right = _measured_and_right(view.outcomes)
        return replace(view, metadata={**record, "n": n, "right": right})
    for name, value in (("expected", view.expected), ("output", view.actual)):
        text = value if isinstance(value, str) else repr(value)
        if value is not MISSING:
            record[name] = value if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    credit = view.outcomes[0].score if view.outcomes else None
    return replace(view, metadata=record if credit in (None, 0.0, 1.0) else {**record, "credit": credit})


def _combined_status(statuses: Sequence[FieldStatus]) -> FieldStatus:
    """One status for several: a fault, else the first that is wrong, else right, else why nothing was measured."""
    if FieldStatus.NOT_JUDGED in statuses:
        return FieldStatus.NOT_JUDGED
    measured = [status for status in statuses if status in MEASURED]
    return next(
        (status for status in measured if status is not FieldStatus.MATCH), measured[0] if measured else statuses[0]
    )


def promptfoo_result(view: FieldView) -> dict[str, Any]:
    """A score in promptfoo's words: what could not be measured does not pass, and the reason says so."""
    reason = f"error: {view.error}" if view.error is not None else view.reason or view.label
    passed = view.error is None and view.passed is not False
    score = view.score if view.score is not None else float(passed)
    return {"pass": passed, "score": score, "reason": f"{view.evaluator}: {reason}" if view.evaluator else reason}
