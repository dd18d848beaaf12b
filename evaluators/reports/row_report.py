"""One row as a report of its own, with the keys of extract-bench's `report.json`.

Totals (`outcomes`) are over entries: what stands outside of lists, and each outermost list as a whole. Coverage and the
confusion counts are over fields, those of paired items one by one, so that they agree with precision and recall: a wrong
value is both a false positive and a false negative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from statistics import mean, median
from typing import Any, Final

from evaluators.model.issues import CellError
from evaluators.model.rows import MISSING, FieldStatus, Outcome, Result
from evaluators.reports.outcomes import (
    COMPARED,
    array_items,
    entries_of,
    full_path,
    outcomes_of,
)
from evaluators.reports.rows import FieldView
from evaluators.runs.kept_documents import document_of
from evaluators.runs.reader import RecordedRow, Run
from evaluators.runs.record_facts import Declared, short_hash
from evaluators.runs.record_lines import Recorded, json_value
from evaluators.scoring.fields.events import events_of
from evaluators.scoring.fields.named_comparators import JUDGED
from evaluators.scoring.fields.outcomes import ListOutcome, Scored
from evaluators.scoring.fields.row_metrics import METRICS, row_metrics
from evaluators.scoring.fields.wording import OURS
from evaluators.scoring.values.confusion import Confusion

Report = dict[str, Any]
_BOTH: Final = frozenset((FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.ERROR))
_TYPES: Final = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}


def row_report(record: Run, evaluator: str, row: RecordedRow, verdict: Result, scored: Recorded | None) -> Report:
    """The report of one row by one evaluator, whose result is `verdict`; `scored` is what the run recorded of its fields, with the schema.

    Where nothing was recorded, or the schema is not known, it has the problem, the totals of the verdict and no outcomes.
    """
    head = {
        "output_name": record.result.name,
        "row": row.number,
        "id": row.id,
        "timestamp": None,
        "status": verdict.status.word,
    }
    problem = verdict.issue.message if verdict.issue is not None else None
    declared = None if scored is None or scored.schema is None else record.facts.schemas.get(scored.schema)
    if scored is None or declared is None:
        return {**head, "problem": problem, **_totals(verdict), "field_outcomes": []}
    outcomes = list(outcomes_of(scored))
    gold, extracted = (_document(record, evaluator, row, how) for how in ("expected", "output"))
    return {
        **head,
        "problem": problem,
        "schema_hash": declared.hash,
        "gold_hash": short_hash(gold),
        "extracted_hash": short_hash(extracted),
        "schema_stats": declared.stats,
        "gold_stats": _document_stats("gold", gold),
        "extracted_stats": _document_stats("extracted", extracted),
        "coverage": _coverage(scored, declared),
        "outcomes": {**totals_of(entries_of(outcomes), declared), "confusion": _confusion(scored)},
        **_totals(verdict),
        "field_outcomes": list(map(_outcome, outcomes)),
    }


def totals_of(entries: Sequence[Outcome], declared: Declared) -> Report:
    """The totals of some entries, in all and by metric, type and requiredness, then the scores of judges, and the failed entries by reason
    and by the first key of their path. `declared` is the schema, which says of a field its type and whether it is required."""
    passed = sum(entry.passed for entry in entries)
    failed = [entry for entry in entries if not entry.passed]
    types = ((declared.types.get(entry.place, "any"), entry.passed) for entry in entries)
    requirements = (("required" if entry.place in declared.required else "optional", entry.passed) for entry in entries)
    return {
        "total_evaluated": len(entries),
        "total_passed": passed,
        "total_failed": len(failed),
        "pass_rate": passed / len(entries) if entries else None,
        "pass_by_metric": _pass_counts((entry.metric, entry.passed) for entry in entries),
        "pass_by_type": _pass_counts(types),
        "pass_by_required": _pass_counts(requirements),
        "llm_stats": _judge_scores(entries),
        "error_breakdown": {
            "by_reason": _sorted_counts(entry.code for entry in failed),
            "by_path_prefix": _sorted_counts(entry.path.partition(".")[0].partition("[")[0] or "$" for entry in failed),
        },
    }


def _totals(verdict: Result) -> Report:
    """The metrics of a row by the names that the report has for them; None for one that is undefined."""
    metrics = verdict.metrics or ((0, 0),) * len(METRICS)
    named = {name: num / den if den else None for name, (num, den) in zip(METRICS, metrics, strict=True)}
    return {**{name: named[name] for name in ("overall_score", "field_score", "overall_pass_rate")},
            **{name: named[f"mean_{name}"] for name in ("precision", "recall", "f1")},
            "mean_score": named["mean_field_score"]}  # fmt: skip


def _outcome(view: FieldView) -> Report:
    """A field of a row with extract-bench's keys; a list has a breakdown of its items, too."""
    (outcome,) = view.outcomes
    report: Report = {
        "path": full_path(outcome.path),
        "normalized_path": outcome.path,
        "field": outcome.place,
        "metric_id": outcome.metric,
        "score": outcome.score,
        "passed": outcome.passed,
        "status": outcome.status.word,
        "reason": outcome.code,
        "gold_value": outcome.gold_value,
        "extracted_value": outcome.extracted_value,
        "reasoning": outcome.reason or "",
        "in_totals": view.in_totals,
        **_details(outcome),
    }
    if view.array is not None:
        report["array_breakdown"] = _breakdown(view.array)
    return report


def _details(result: Outcome) -> Report:
    """The optional parts of an outcome: the values as compared, the rule, a weight other than 1, and further details."""
    compared_parts = {name: result.details[name] for name in COMPARED if name in result.details}
    if result.comparator is not None:
        compared_parts["rule"] = result.comparator
    if result.weight != 1.0:
        compared_parts["weight"] = result.weight
    own = {name: json_value(value) for name, value in result.details.items() if name not in OURS}
    if own:
        compared_parts["details"] = own
    return compared_parts


def _breakdown(array: ListOutcome) -> Report:
    """The items of a list: how many are matched, missing and extra, its metrics, and the items themselves."""
    matched, missed, spurious = array_items(array)
    return {
        "matched": array.matched,
        "missed_gold": array.missing,
        "spurious_pred": array.extra,
        "precision": _float(array.precision),
        "recall": _float(array.recall),
        "f1": _float(array.f1),
        "matched_items": matched,
        "missed_gold_items": missed,
        "spurious_pred_items": spurious,
    }


def _coverage(scored: Scored, declared: Declared) -> Report:
    """How many fields both documents have and which only one has. A field with several metrics counts once."""
    fields: dict[object, Outcome] = {}
    for number, result in enumerate(scored.fields):
        fields.setdefault(result.path if "metric" in result.details else number, result)
    missing = [field for field in fields.values() if field.status is FieldStatus.OMISSION]
    spurious = [field for field in fields.values() if field.status is FieldStatus.HALLUCINATION]
    return {
        "present_in_both": sum(field.status in _BOTH for field in fields.values()),
        "missing_in_extracted": len(missing),
        "spurious_in_extracted": len(spurious),
        "required_missing": sum(field.field in declared.required for field in missing),
        "missing_paths": [field.path for field in missing],
        "spurious_paths": [field.path for field in spurious],
        "outside_schema": list(scored.outside),
    }


def _confusion(scored: Scored) -> Report:
    """A row's counts in the words of a confusion matrix; a wrong value is both a false positive and a false negative."""
    confusion = Confusion(*row_metrics(events_of(scored)).counts)
    return {
        "true_positive": confusion.right,
        "false_positive": confusion.wrong + confusion.extra,
        "false_negative": confusion.wrong + confusion.missing,
        "true_negative": 0,
        "precision": _float(confusion.as_fraction("precision")),
        "recall": _float(confusion.as_fraction("recall")),
        "f1": _float(confusion.as_fraction("f1")),
    }


def _judge_scores(entries: Iterable[Outcome]) -> Report | None:
    """How many scores judges gave to the entries, their mean and median, and how many are in each fifth from 0 to 1; None without any."""
    scores = [
        entry.score
        for entry in entries
        if entry.score is not None and entry.metric in JUDGED and "stands_for" not in entry.details
    ]
    if not scores:
        return None
    buckets = Counter(min(4, int(score * 5)) for score in scores)
    named = {f"{bucket / 5:.1f}-{(bucket + 1) / 5:.1f}": buckets[bucket] for bucket in range(5)}
    return {"call_count": len(scores), "avg": mean(scores), "median": median(scores), "score_buckets": named}


def _document_stats(label: str, document: object) -> Report:
    """Counts of one document: its values, nulls and types, and the lengths of its lists; `array_stats` is None without lists."""
    values = list(_nested_values(document))
    lengths = sorted(len(value) for value in values if isinstance(value, list))
    arrays = {
        "array_field_count": len(lengths),
        "total_items": sum(lengths),
        "min_length": lengths[0],
        "median_length": median(lengths),
        "max_length": lengths[-1],
    } if lengths else None  # fmt: skip
    return {
        "label": label,
        "total_keys": len(values),
        "counts_by_type": _sorted_counts(_TYPES.get(type(value), "null") for value in values),
        "array_stats": arrays,
        "null_count": sum(value is None for value in values),
    }


def _nested_values(document: object) -> Iterator[object]:
    """The value of every key of a document, at every depth, also in lists; in no order that matters."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield from value.values()
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def _pass_counts(entries: Iterable[tuple[str, bool]]) -> Report:
    """How many entries passed and failed under each name, sorted by name."""
    report: Report = {}
    for name, passed in entries:
        counts = report.setdefault(name, {"passed": 0, "failed": 0})
        counts["passed" if passed else "failed"] += 1
    return dict(sorted(report.items()))


def _sorted_counts(words: Iterable[str]) -> Report:
    """How often each word is there, sorted by word."""
    return dict(sorted(Counter(words).items()))


def _float(metric: Fraction | None) -> float | None:
    return None if metric is None else float(metric)


def _document(record: Run, evaluator: str, row: RecordedRow, how: str) -> object:
    """The expected document of a row, or its output; None where there is none."""
    readings = next(recorded.readings for recorded in record.facts.evaluators if recorded.name == evaluator)
    reading = next((each for each in readings if each.how == how), None)
    value = document_of(reading, row.cells) if reading is not None and row.cells is not None else None
    return None if value is MISSING or isinstance(value, CellError) else value
