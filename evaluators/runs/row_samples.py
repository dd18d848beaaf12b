"""Some rows that stand for all: what a metric is worked out from that compares rows with each other, once all are scored.

Rows are chosen by a hash of a seed and of what they hold, the lowest ones. So which rows they are depends on neither workers nor the
order of rows, and the samples of parts of the rows come to the sample of all: a part has every row that the whole would choose from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from hashlib import blake2b
from typing import Any, Final

from msgspec import field
from msgspec.structs import replace

from evaluators.model.rows import Result, RowStatus
from evaluators.runs.exact_sums import Sum
from evaluators.runs.result import EvaluatorStats, MetricStats
from evaluators.scoring.evaluators._evaluator import Sampled

MOST_ROWS: Final = 200
"""Rows of a sample; a smaller test set has all its rows in it."""
LEAST_ROWS: Final = 21
"""Rows that are kept however long they are."""
MOST_CHARS: Final = 4_000_000
"""Characters of a sample of more rows."""


class RowSample(Sum):
    """The rows that were chosen for one evaluator, by their hashes: what is kept of each, as text."""

    rows: dict[str, str] = field(default_factory=dict)

    def limit(self) -> None:
        """Keeps the first `MOST_ROWS` rows by their hashes, and no more than `MOST_CHARS` characters of them, but at least `LEAST_ROWS`."""
        samples, size = dict[str, str](), 0
        for key in sorted(self.rows)[:MOST_ROWS]:
            size += len(self.rows[key])
            if size > MOST_CHARS and len(samples) >= LEAST_ROWS:
                break
            samples[key] = self.rows[key]
        self.rows = samples


class RowSampling:
    """Chooses the rows of a split for one evaluator."""

    def __init__(self, sampled: Sampled) -> None:
        self._sampled, self._sample = sampled, RowSample()
        self._last = ""
        """The highest hash of a full sample: rows beyond it are not chosen."""

    def add(self, verdicts: Sequence[Result], columns: Sequence[Sequence[Any]]) -> None:
        """Adds the scored rows whose hashes are low enough to the sample. `columns` has the cells of each need of the evaluator. At twice
        `MOST_ROWS`, the sample is cut to its lowest hashes, and higher ones are passed over from then on."""
        for verdict, values in zip(verdicts, zip(*columns, strict=True), strict=True):
            if verdict.status is not RowStatus.SCORED:
                continue
            key = _hash(f"{self._sampled.seed}:{self._sampled.key(*values)}")
            if self._last and key > self._last:
                continue
            if (sample := self._sampled.keep(*values)) is not None:
                self._sample.rows[key + _hash(sample)] = sample  # a row that is there twice counts once
                if len(self._sample.rows) >= 2 * MOST_ROWS:
                    self._sample.limit()
                    self._last = max(self._sample.rows)

    def sample(self) -> RowSample:
        """Cuts the rows chosen so far to MOST_ROWS, and gives them."""
        self._sample.limit()
        return self._sample


def with_sampled(stats: EvaluatorStats, sampled: Sampled | None, sample: RowSample | None) -> EvaluatorStats:
    """The statistics with the metric that compares the rows of a sample, worked out; as they are where there is no such metric."""
    if sampled is None or sample is None:
        return stats
    shares = [Fraction(*share) for share in sampled.measure([sample.rows[key] for key in sorted(sample.rows)])]
    mean = float(sum(shares) / len(shares)) if shares else None
    own = MetricStats(sampled.metric, mean, len(shares))
    return replace(stats, metrics=tuple(own if each.name == own.name else each for each in stats.metrics))


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
