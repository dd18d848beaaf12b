"""What gates ask of a run beyond the usual sums: metrics that are ratios of two sums, such as precision, row by row.

The fields of a row are right or wrong together, so an interval of such a metric needs to know what each row added. Sums of
that are made for the metrics that a gate names, and for no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from evaluators.model.rows import FieldStatus, Result, RowStatus
from evaluators.scoring.values.confusion import Confusion, Ratio

if TYPE_CHECKING:
    from evaluators.runs.gates import Gate
    from evaluators.scoring.plan.graph import EvaluatorLine

Watched: TypeAlias = tuple[str | None, Ratio]
"""(the canonical path of a field, or None for all fields together; the metric)."""
_RATIOS: Final[Mapping[str, Ratio]] = {
    "accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "f1",
    "micro_precision": "precision", "micro_recall": "recall", "micro_f1": "f1",
}  # fmt: skip
_Counts: TypeAlias = tuple[int, int, int, int]


class Watch(Struct, frozen=True):
    """The metrics of one evaluator that gates name."""

    targets: tuple[Watched, ...]
    fields: tuple[str, ...] = ()
    """The closed list of the evaluator's fields; empty where documents decide what fields there are."""
    extra_counts: bool = True
    """Leaves that only the output has count against the accuracy of their path."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The fields of which a verdict must say what became of them, since its statuses do not."""
        return () if self.fields else tuple(dict.fromkeys(path for path, _ in self.targets if path is not None))

    def parts(self, verdict: Result) -> Iterator[tuple[Watched, int, int]]:
        """The parts that a row adds to each metric that it has: (target, part, whole).

        A row in which something went wrong has a metric, also where there is nothing to divide by: a precision of 0 where
        the output gave nothing. It adds nothing to the sums.
        """
        places = {path: place for place, path in enumerate(self.fields or self.paths)}
        for target in self.targets:
            path, metric = target
            counts = self._row_counts(verdict) if path is None else self._field_counts(verdict, places.get(path))
            if counts is None:
                continue
            match, mismatch, omission, hallucination = counts
            extra = hallucination if self.extra_counts or metric != "accuracy" else 0
            if match or mismatch or omission or extra:
                yield target, *Confusion(match, mismatch, omission, extra).sums(metric)

    def _row_counts(self, verdict: Result) -> _Counts | None:
        """The counts of all fields of a row together; None for a row that has none."""
        if self.fields:
            return _count_statuses(verdict.statuses)
        return verdict.counts if verdict.status.scored or verdict.status is RowStatus.NOT_MEASURED else None

    def _field_counts(self, verdict: Result, place: int | None) -> _Counts | None:
        """The counts of one field in a row. With a closed list of fields, `place` is its index in it, and a field that is not listed has
        zeros. Without one, `place` is its index in `paths`, and a row whose verdict has no counts for these gives None."""
        if not self.fields:
            return verdict.watched[place] if verdict.watched and place is not None else None
        return _count_statuses(() if place is None else verdict.statuses[place : place + 1])


def key_of(target: tuple[str | None, str]) -> str:
    """A metric as the key of its sums: `recall`, or `recall:items[*].sku` of a field."""
    path, metric = target
    return metric if path is None else f"{metric}:{path}"


def target_of(key: str) -> tuple[str | None, str]:
    """The path of the field and the metric of a key."""
    metric, of_field, path = key.partition(":")
    return path if of_field else None, metric


def _count_statuses(statuses: Sequence[int]) -> _Counts:
    """How many statuses are right, wrong (errors among them), missing and extra, in this order; others are not counted."""
    counts = [0] * len(FieldStatus)
    for status in statuses:
        counts[status] += 1
    return (
        counts[FieldStatus.MATCH],
        counts[FieldStatus.MISMATCH] + counts[FieldStatus.ERROR],
        counts[FieldStatus.OMISSION],
        counts[FieldStatus.HALLUCINATION],
    )


def watches(gates: Iterable[Gate], lines: Iterable[EvaluatorLine]) -> dict[str, Watch]:
    """The metrics that gates name and that need to know what each row added to them, by evaluator."""
    settings = {line.name: line.settings for line in lines}
    labelled = {name for name, evaluator in settings.items() if evaluator.label_rule() is not None}
    watched: dict[str, dict[Watched, None]] = {}
    for gate in gates:
        path = gate.target.field
        ratio = "accuracy" if path is not None and gate.metric == "mean_score" else gate.metric
        if ratio in _RATIOS and not gate.is_on_labels_of(labelled):
            watched.setdefault(gate.target.evaluator, {})[path, _RATIOS[ratio]] = None
    return {
        name: Watch(
            tuple(targets), tuple(settings[name].scored_fields().names),
            settings[name].scored_fields().extra_keys_count,
        )
        for name, targets in watched.items()
        if name in settings
    }  # fmt: skip
