"""The metrics of evaluators and their fields, of labels, measures, repeats and confidences, each declared once.

`result.py` has the attribute in which a metric is kept, and this table the rest: its word, what it means, what it is computed from, how it
is written and where it stands. From here it reaches `run.json`, pages, CSV files, JUnit, Python and trackers; a metric more is an
attribute there and an entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec import Struct, field

from evaluators.model.result_table import Kind
from evaluators.model.rows import RowStatus
from evaluators.model.words import FIELD_WORDS, ROW_WORDS, VERDICT_WORDS
from evaluators.runs.attempt_groups import (
    Chance,
    FlipCounts,
    GroupsOfK,
    all_pass,
    disagreement,
    interval_over_groups,
    mean_over_groups,
    one_passes,
)
from evaluators.runs.confidence_scores import Steps, auroc, brier
from evaluators.runs.intervals import RatioSums, confusion, mean_of, share, wilson
from evaluators.runs.metrics import UNDEFINED, mean_interval_text, quantity_interval_text, quantity_text, score_text
from evaluators.runs.number_cells import UNIT
from evaluators.runs.result import Counts, Interval
from evaluators.scoring.values.confusion import Confusion, Ratio

if TYPE_CHECKING:  # who reads a run counts no rows
    from evaluators.runs.tally import Tally

Number: TypeAlias = int | float
Place: TypeAlias = Literal["always", "if any", "all fields", "elsewhere"]
"""In which tables of a page a metric is a column: in every one; where it says something; where all fields are listed with all their
metrics; in none, since a section of its own shows it."""


class Sums(Struct, frozen=True):
    """The sums that the metrics of an evaluator, or of one of its fields, are computed from."""

    counts: Counts
    free: int = 0
    """How many of the values that only the output has do not count against the accuracy of a field."""
    credit: Mapping[int, int] | None = None
    """Of a field with partial credit: denominator → sum of numerators, over what is no match."""
    empties: Mapping[str, RatioSums] = {}
    """How often values are invented, and left empty."""
    tally: Tally = None  # type: ignore[assignment]  # a field has none, and none of its metrics asks
    """The rows of an evaluator."""


class Numbers(Struct, frozen=True):
    """Some numbers, in units. Without any, all but the sums are None."""

    count: int = 0
    powers: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Sums of the numbers, and of their powers 2, 3 and 4."""
    least: int | None = None
    greatest: int | None = None
    middle: tuple[int, int] | None = None
    """The number in the middle, twice, or the two there."""
    p95: int | None = None
    """The least number that at least 95 % of them do not exceed."""


class Measure(Struct, frozen=True):
    """The cells of one measure."""

    mark: str
    """The mark before decimals that they are read with."""
    cells: int = 0
    missing: int = 0
    numbers: Numbers = Numbers()
    unread: tuple[tuple[int, str], ...] = ()
    """The first rows whose cell is no number, each with its cell."""
    clusters: RatioSums = field(default_factory=RatioSums)
    """The sums of the numbers of each cluster, of how many numbers they are, where rows have clusters."""


class Metric(Struct, frozen=True):
    """A metric, and all that any page, file or program says of it."""

    name: str
    """Its key in `run.json`, its attribute in Python and its column in a table."""
    word: str
    """What pages call it."""
    meaning: str
    """Empty where the word says it."""
    made: Callable[[Any], Number | Fraction | None] | None = None
    """Computes it: from `Sums`, of a label from its `Confusion`, of a measure from its `Measure`, of repeats from `GroupsOfK` or
    `FlipCounts`, of a confidence from its `Steps`. None where its attribute is made beside the table, or is part of another."""
    read: Callable[[Any], Number | None] | None = None
    """Reads it, where it is no attribute of the statistics."""
    kind: Kind = "score"
    place: Place = "if any"
    over: str = ""
    """The metric that says of how many values it is a share."""
    sent: str | None = ""
    """What trackers call it, where not by its name; None where they are not sent it."""
    digits: int = 4
    """How many digits pages show of a number of any size."""
    compared: bool = False
    """Of a measure or a label: a comparison of runs lists it."""
    brief: str = ""
    """What a line of several metrics calls it, where not by its word."""
    ci: str = ""
    """The attribute that holds its interval; empty where it has none."""
    bounds: Callable[[Any], Interval | None] | None = None
    """Computes the interval; None where that is made beside the table."""

    def value(self, stats: Any) -> Number | None:
        """The metric of an evaluator or a field; None where it is undefined."""
        number: Number | None = getattr(stats, self.name) if self.read is None else self.read(stats)
        return number

    def text(self, stats: Any) -> str:
        """The metric as pages write it."""
        value = self.value(stats)
        if self.kind == "score":
            return score_text(value)
        if self.kind == "value":
            return quantity_text(value, self.digits)
        return UNDEFINED if value is None else f"{value:,}"

    def interval(self, stats: Any) -> Interval | None:
        """The interval of the metric; None where it has none."""
        interval: Interval | None = getattr(stats, self.ci) if self.ci else None
        return interval

    def interval_text(self, stats: Any) -> str:
        """The interval as pages write it."""
        interval = self.interval(stats)
        return mean_interval_text(interval) if self.kind == "score" else quantity_interval_text(interval)


def compute_metrics(
    metrics: Iterable[Metric], sums: Sums | Confusion | Measure | GroupsOfK | FlipCounts | Steps
) -> dict[str, Any]:
    """The values of the metrics, and the intervals of those that have one, computed from `sums`: keyword arguments for a record of
    statistics, by the names of its attributes. A Fraction becomes a float."""
    record: dict[str, Any] = {}
    for metric in metrics:
        if metric.made is not None:
            value = metric.made(sums)
            record[metric.name] = float(value) if isinstance(value, Fraction) else value
        if metric.bounds is not None:
            record[metric.ci] = metric.bounds(sums)
    return record


def _exact_ratio(ratio: Ratio, sums: Sums) -> float | None:
    """A ratio of an evaluator or a field, such as precision, from its counts."""
    return confusion(sums.counts).as_float(ratio)


def _row_count(status: RowStatus, sums: Sums) -> int:
    """How many rows have a status."""
    return sums.tally.row_statuses[status]


def _mean_score(sums: Sums) -> float | None:
    """The mean over what was measured: a match is 1, everything else 0 but for its partial credit."""
    if sums.credit is None:
        return None
    match = sums.counts.match
    return mean_of({**sums.credit, 1: match + sums.credit.get(1, 0)}, sums.counts.n)


def _empty_rate(rate: str, sums: Sums) -> float | None:
    """A rate of empty values: those that were invented, or left empty, of those that could be. None where there are none."""
    return share(sums.empties[rate].power_sum(1, 0), sums.empties[rate].power_sum(0, 1)) if rate in sums.empties else None


def _empty_rate_n(rate: str, sums: Sums) -> int:
    """How many values a rate of empty values is over."""
    return sums.empties[rate].power_sum(0, 1) if rate in sums.empties else 0


def _status_metric(name: str, place: Place, word: str = "", meaning: str = "") -> Metric:
    """The metric that counts how often a field ended in the status `name`; `word` and `meaning` are for people, in place of the
    usual ones."""
    word, meaning = (word, meaning) if word else (FIELD_WORDS[name].plain, FIELD_WORDS[name].meaning)
    return Metric(name, word, meaning, None, lambda stats: getattr(stats.counts, name), "count", place)


def _item_metric(name: str, meaning: str, kind: Kind) -> Metric:
    """A metric of the items of a list; it stands in the table of lists."""
    attribute = name.removeprefix("items_")

    def read_item(stats: Any) -> Number | None:
        return None if stats.array is None else getattr(stats.array, attribute)

    return Metric(name, name.replace("_", " "), meaning, None, read_item, kind, "elsewhere", sent=None)


def _rows_metric(status: RowStatus, place: Place, name: str = "", scored: bool = False) -> Metric:
    """The metric that counts the rows with a status. `place` says which tables have it; `name` is its name where that is not the word of
    the status. Of statuses that are `scored`, trackers get it by that name, of others as `rows/NAME`."""
    words, name = ROW_WORDS[status.word], name or status.word
    made = partial(_row_count, status)
    sent = name if scored else f"rows/{name}"
    return Metric(name, name.replace("_", " "), words.meaning, made, None, "count", place, sent=sent)


_PRECISION: Final = "Of all values that the outputs gave, the share that is right: right / (right + wrong + extra)."
_RECALL: Final = "Of all values that were expected, the share that is right: right / (right + wrong + missing)."
_F1: Final = "Precision and recall in one number, their harmonic mean: 2 × precision × recall / (precision + recall)."
_EMPTIES: Final = (
    Metric(
        "invented_rate", "invented rate", "Of the rows where nothing is expected, the share in which the output has something.",
        partial(_empty_rate, "invented_rate"), place="elsewhere", over="expected_empty",
    ),
    Metric(
        "expected_empty", "expected empty", "The values that are expected to be empty.",
        partial(_empty_rate_n, "invented_rate"), None, "count", "elsewhere",
    ),
    Metric(
        "left_empty_rate", "left empty rate",
        "Of the rows where something is expected, the share in which the output has nothing, or cannot be read.",
        partial(_empty_rate, "left_empty_rate"), place="elsewhere", over="expected_filled",
    ),
    Metric(
        "expected_filled", "expected filled", "The values that are expected to be there.",
        partial(_empty_rate_n, "left_empty_rate"), None, "count", "elsewhere",
    ),
)  # fmt: skip

FIELD_METRICS: Final = (
    _status_metric("n", "always", "n", "how often it was measured"),
    *(_status_metric(name, "always") for name in ("match", "mismatch", "omission", "hallucination")),
    _status_metric("error", "if any"),
    _status_metric("skipped", "all fields"),
    _status_metric("not_measured", "all fields"),
    _status_metric("not_judged", "if any"),
    Metric(
        "accuracy", "accuracy", "The share of a field's values that are right.",
        lambda sums: share(sums.counts.match, sums.counts.n - sums.free), place="always",
    ),
    Metric("precision", "precision", _PRECISION, partial(_exact_ratio, "precision"), place="all fields"),
    Metric("recall", "recall", _RECALL, partial(_exact_ratio, "recall"), place="all fields"),
    Metric("f1", "F1", _F1, partial(_exact_ratio, "f1"), place="all fields"),
    Metric(
        "mean_score", "mean score", "Of a schema's field its mean score, partial credit counted.", _mean_score, place="elsewhere"
    ),
    _item_metric("items_matched", "items that are right", "count"),
    _item_metric("items_missing", "expected items without a partner that is right", "count"),
    _item_metric("items_extra", "items of the output without a partner that is right", "count"),
    _item_metric("items_precision", "of the items of the output, the share that is right", "score"),
    _item_metric("items_recall", "of the expected items, the share that is right", "score"),
    _item_metric("items_f1", "both of these in one number", "score"),
    *_EMPTIES,
)  # fmt: skip
"""The metrics of a field, in the order of tables for programs."""

EVALUATOR_METRICS: Final = (
    Metric("rows", "rows", "all rows", lambda sums: sums.tally.rows, None, "count", "elsewhere", sent="rows/total"),
    Metric(
        "scored", ROW_WORDS["scored"].plain, ROW_WORDS["scored"].meaning, lambda sums: sums.tally.scored, None, "count",
        "elsewhere", sent="rows/scored",
    ),
    Metric("mean", "mean score", "The mean score of the rows that were scored.",
           lambda sums: mean_of(sums.tally.sums, sums.tally.scored), place="elsewhere", sent=None, ci="mean_ci"),
    Metric("pass_rate", "pass rate", "The share of the scored rows that pass.",
           lambda sums: share(sums.tally.passed, sums.tally.scored), place="elsewhere", sent=None, ci="pass_rate_ci"),
    Metric("passed", VERDICT_WORDS[True].plain, VERDICT_WORDS[True].meaning, lambda sums: sums.tally.passed, None, "count", "always"),
    Metric(
        "failed", VERDICT_WORDS[False].plain, VERDICT_WORDS[False].meaning,
        lambda sums: sums.tally.scored - sums.tally.passed, None, "count", "always",
    ),
    _rows_metric(RowStatus.SKIPPED, "if any"),
    _rows_metric(RowStatus.NOT_MEASURED, "if any"),
    _rows_metric(RowStatus.INVALID, "if any"),
    _rows_metric(RowStatus.UNJUDGED, "if any"),
    _rows_metric(RowStatus.BUG, "if any", "bugs"),
    _rows_metric(RowStatus.UNREADABLE, "elsewhere", scored=True),
    _rows_metric(RowStatus.BLOCKED, "elsewhere", scored=True),
    Metric("empty_expected", "empty expected", "scored rows with an empty expected answer, which measures nothing",
           lambda sums: sums.tally.empty_expected, None, "count", "elsewhere"),
    Metric("outputs_without_values", "outputs without values", "scored rows whose output held nothing to count",
           lambda sums: sums.tally.gave_nothing, None, "count", "elsewhere"),
    Metric("rows_without_fields", "rows without fields", "rows without a score of which no field was measured either",
           lambda sums: sums.tally.unread, None, "count", "elsewhere"),
    Metric("micro_precision", "micro precision", _PRECISION, partial(_exact_ratio, "precision"), place="elsewhere"),
    Metric("micro_recall", "micro recall", _RECALL, partial(_exact_ratio, "recall"), place="elsewhere"),
    Metric("micro_f1", "micro F1", _F1, partial(_exact_ratio, "f1"), place="elsewhere"),
    *_EMPTIES,
    Metric("minimum_detectable_effect", "MDE",
           "The smallest difference of means that two runs of so many rows would notice four times out of five.",
           place="elsewhere", sent=None),
    Metric("fields_not_listed", "fields not listed", "fields that are counted and not listed", kind="count", place="elsewhere"),
)  # fmt: skip
"""The metrics of an evaluator over the run, one slice of it, or one variant."""


def _label_ratio(name: Ratio, word: str, meaning: str) -> Metric:
    """A metric of one label: the ratio `name` of its counts."""
    return Metric(name, word, meaning, lambda counts: counts.as_fraction(name), place="always", compared=True)


LABEL_METRICS: Final = (
    Metric("support", "support", "The rows that expect the label.", lambda counts: counts.right + counts.missing, None, "count", "always"),
    Metric(
        "predicted", "predicted", "The rows whose output is the label.", lambda counts: counts.right + counts.extra, None, "count",
        "always", sent=None,
    ),
    Metric("right", "right", "The rows in which both are.", lambda counts: counts.right, None, "count", "always", sent=None),
    _label_ratio("precision", "precision", "Of the rows whose output is the label, the share that expects it: right / predicted."),
    _label_ratio("recall", "recall", "Of the rows that expect the label, the share whose output is it: right / support."),
    _label_ratio("f1", "F1", _F1),
)  # fmt: skip
"""The metrics of a label, or of an average over labels. Those that are shares are averaged."""


def _from_units(read: Callable[[Numbers], int | None]) -> Callable[[Measure], float | None]:
    """A function that gives a number of a measure; `read` takes it, in units, from the counted numbers."""

    def number_of_units(measure: Measure) -> float | None:
        units = read(measure.numbers)
        return None if units is None else float(Fraction(units, UNIT))

    return number_of_units


def _mean_of_measure(measure: Measure) -> float | None:
    """The mean of the numbers of a measure; None without numbers."""
    count = measure.numbers.count
    return float(Fraction(measure.numbers.powers[0], UNIT * count)) if count else None


def _median_of_measure(measure: Measure) -> float | None:
    """The median of the numbers of a measure: the mean of the middle two. None without numbers."""
    middle = measure.numbers.middle
    return None if middle is None else float(Fraction(sum(middle), 2 * UNIT))


MEASURE_METRICS: Final = (
    Metric("mean", "mean", "", _mean_of_measure, None, "value", "always", compared=True, ci="mean_ci"),
    Metric("median", "median", "", _median_of_measure, None, "value", "always", compared=True),
    Metric(
        "p95", "p95", "at least 95 % of the numbers are no greater than this", _from_units(lambda numbers: numbers.p95), None, "value",
        "always", compared=True,
    ),
    Metric("min", "min", "", _from_units(lambda numbers: numbers.least), None, "value", "all fields"),
    Metric("max", "max", "", _from_units(lambda numbers: numbers.greatest), None, "value", "all fields"),
    Metric(
        "sum", "sum", "", _from_units(lambda numbers: numbers.powers[0] if numbers.count else None), None, "value",
        "all fields", digits=7, compared=True,
    ),
    Metric("rows", "rows", "The cells.", lambda stats: stats.cells, None, "count", "elsewhere"),
    Metric("n", "n", "The cells that hold a number.", lambda stats: stats.numbers.count, None, "count", "elsewhere"),
    Metric("missing", "missing", "The empty cells.", lambda stats: stats.missing, None, "count", "if any"),
    Metric(
        "unreadable", "unreadable", "The cells that hold something else.",
        lambda stats: stats.cells - stats.missing - stats.numbers.count, None, "count", "if any",
    ),
)  # fmt: skip
"""The metrics of a measure, in the order of the table of measures."""


def _over_groups(name: str, word: str, brief: str, meaning: str, chance: Chance) -> Metric:
    """A metric that is the mean of a chance over the groups from which k outputs can be drawn, with its interval."""
    made, bounds = partial(mean_over_groups, chance), partial(interval_over_groups, chance)
    return Metric(name, word, meaning, made, place="always", brief=brief, ci=f"{name}_ci", bounds=bounds)


REPEAT_METRICS: Final = (
    Metric("groups", "groups", "The groups that were measured.", lambda groups: groups.count, None, "count", "elsewhere"),
    Metric(
        "kept_out", "kept out", "The groups in which a row could not be measured.", lambda groups: groups.kept_out, None, "count",
        "elsewhere",
    ),
    Metric(
        "always", "always pass", "The groups in which every output passes.",
        lambda groups: sum(each.groups for each in groups.shares if each.passed == each.attempts), None, "count", "elsewhere",
    ),
    Metric(
        "sometimes", "sometimes pass", "The groups in which some outputs pass.",
        lambda groups: sum(each.groups for each in groups.shares if 0 < each.passed < each.attempts), None, "count", "elsewhere",
    ),
    Metric(
        "never", "never pass", "The groups in which no output passes.",
        lambda groups: sum(each.groups for each in groups.shares if not each.passed), None, "count", "elsewhere",
    ),
    Metric(
        "noise", "noise", "Of two outputs of one group, one passes and the other does not.", partial(mean_over_groups, disagreement),
        place="always",
    ),
)  # fmt: skip
"""The metrics of several outputs of one question. The counts stand in a sentence, and those that are always shown have their own."""
PASS_METRICS: Final = (
    Metric(
        "groups", "groups", "The groups that the metrics are means of: those with at least k outputs, all measured.",
        lambda groups: groups.count, None, "count", "elsewhere", sent=None,
    ),
    Metric(
        "smaller", "smaller groups", "Groups of fewer than k outputs, which are left out.", lambda groups: groups.smaller, None, "count",
        "elsewhere", sent=None,
    ),
    Metric(
        "kept_out", "kept out", "Groups of at least k outputs in which a row could not be measured.", lambda groups: groups.kept_out,
        None, "count", "elsewhere", sent=None,
    ),
    _over_groups(
        "pass_at_k", "pass@k", "one passes",
        "How likely at least one of k outputs of a question passes: the mean over the groups of `repeats`.",
        one_passes,
    ),
    _over_groups(
        "pass_all_k", "pass^k", "all pass", "How likely all of k outputs of a question pass: the mean over the groups of `repeats`.",
        all_pass,
    ),
)  # fmt: skip
"""The metrics of k outputs of a question."""
FLIP_METRICS: Final = (
    Metric("flips", "flips", "The groups in which it flips.", lambda counts: counts.flips, None, "count", "elsewhere"),
    Metric(
        "groups", "groups", "The groups with at least two outputs in which it is right or wrong.", lambda counts: counts.groups, None,
        "count", "elsewhere",
    ),
    Metric(
        "share", "share", "Of these groups, the share in which it flips: flips / groups.", lambda counts: counts.flips / counts.groups,
        place="always", ci="ci", bounds=lambda counts: wilson(*counts),
    ),
)  # fmt: skip
"""The metrics of a field that is right in one output of a question and wrong in another."""
CONFIDENCE_METRICS: Final = (
    Metric("n", "n", "The rows that have one.", kind="count", place="elsewhere"),
    Metric("missing", "missing", "The rows that have none.", kind="count", place="elsewhere"),
    Metric("unusable", "unusable", "The rows in which it is no number from 0 to 1.", kind="count", place="elsewhere"),
    Metric(
        "brier", "Brier",
        "The mean squared difference of a confidence from 1 where it was right, and from 0 where it was wrong; 0 is best.", brier,
        place="always",
    ),
    Metric(
        "ece", "ECE (ten bins of equal width)",
        "How far confidences are from the share that is right, in ten bins of equal width; 0 is best.", place="always",
    ),
    Metric(
        "auroc", "AUROC", "How likely a right one has more confidence than a wrong one; 0.5 is chance.", auroc, place="always"
    ),
    Metric("threshold", "threshold", "The smallest confidence that may be accepted.", place="elsewhere"),
    Metric(
        "accepted", "accepted",
        "The share of all rows whose confidence is high enough for at most `max_errors` to be wrong, surely.", place="elsewhere",
    ),
)  # fmt: skip
"""The metrics of a confidence; those that are always shown stand in its line."""
METRIC_MEANINGS: Final = {
    metric.name: metric.meaning
    for metric in (*EVALUATOR_METRICS, *FIELD_METRICS, *CONFIDENCE_METRICS, *PASS_METRICS)
    if metric.kind == "score"
}
"""What each metric means that is a share or a mean."""
