"""What a run found: the document that every report, gate and file is made from.

Built once, when the last split is stored. Metrics are exact sums rounded once; None means undefined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.exit_words import EXIT_WORDS
from evaluators.model.issues import Issue
from evaluators.model.rows import Count, Share
from evaluators.scoring.judges.answer_lines import AskedTotals, JudgedBy
from evaluators.scoring.judges.judge import COST_IN, JUDGE_COST

EXIT_CODES: Final = tuple(EXIT_WORDS)
_BY_VARIANT: Final = ("evaluators", "slices", "gates", "measures", "confusion_matrices", "repeats", "confidence")


class Interval(Struct, frozen=True):
    """A 95 % CI."""

    low: float
    high: float


class Counts(Struct, frozen=True):
    """How often each status was met: over rows for a listed field, over leaves for an open tree."""

    match: Count = 0
    mismatch: Count = 0
    omission: Count = 0
    hallucination: Count = 0
    error: Count = 0
    skipped: Count = 0
    not_measured: Count = 0
    not_judged: Count = 0

    @property
    def n(self) -> int:
        """Everything that is in a denominator."""
        return self.match + self.mismatch + self.omission + self.hallucination + self.error

    @property
    def expected(self) -> int:
        """Everything for which a value was expected."""
        return self.match + self.mismatch + self.omission


class ArrayStats(Struct, frozen=True):
    """The items of one array over the run. A pair of items that does not match is one missing and one extra item."""

    matched: Count
    missing: Count
    extra: Count
    paired: Count
    precision: Share | None
    recall: Share | None
    f1: Share | None
    results: Count = 0
    """How often the totals were over the list as a whole: once a row, unless it stands in another list."""
    results_passed: Count = 0
    """How often it was right as a whole."""


class ExtraItems(Struct, frozen=True):
    """Items of lists that only the output has, over the run."""

    items: Count
    rows: Count
    """The rows in which there are any."""
    values: Count | None
    """The values in them, where the evaluator counts values."""
    penalized: bool
    """They lower the score of their row, or for a schema its totals."""


class MetricStats(Struct, frozen=True):
    """A further metric of an evaluator: its mean over the rows in which it is defined, None when there is none."""

    name: str
    mean: float | None
    n: Count


class KeyStats(Struct, frozen=True):
    """Items of a list that is paired by a key, on one side, that have no key, or that have the key of an earlier item.

    Or those of a list that was too long to compare each with each (`too_long`); the key is then the alignment. Or keys of outputs of
    which `keys` cannot say what they stand for (`unclear_key`); the key is then what they could stand for, and the path is empty.
    Or a list without items (`no_items`), for which rules lack something or hold over nothing; the key is then their names.
    """

    path: str
    key: str
    side: Literal["expected", "output"]
    what: Literal["without_key", "duplicate_key", "too_long", "unclear_key", "no_items"]
    items: Count
    rows: Count
    """Rows with at least one such item."""
    first_rows: tuple[int, ...]
    """The numbers of the first of them."""


class MetricCI(Struct, frozen=True):
    """How sure a metric is that a gate names: `micro_precision` of a run (`field` is None), or `accuracy` of a field."""

    field: str | None
    metric: str
    n: Count
    """The rows on which the metric is defined."""
    ci: Interval | None


class FieldStats(Struct, frozen=True):
    """One field of one evaluator over the run. Ratios are over all values, None when undefined."""

    path: str
    counts: Counts
    accuracy: Share | None
    precision: Share | None
    recall: Share | None
    f1: Share | None
    optional: bool = False
    """It may be absent from every row, or is skipped."""
    mean_score: Share | None = None
    """The mean of the field's scores with their partial credit, where the evaluator gives any."""
    array: ArrayStats | None = None
    """The items, where the field is an array that a schema aligns."""
    invented_rate: Share | None = None
    """Of the values that are expected to be empty (absent, null, "", [] or {}, or called absent), the share that the output has."""
    left_empty_rate: Share | None = None
    """Of the other values, the share that is empty in the output, or whose output cannot be read."""
    expected_empty: Count = 0
    """The values that are expected to be empty."""
    expected_filled: Count = 0
    """The other values."""

    @property
    def score(self) -> Share | None:
        """The mean of the field's scores: its accuracy, where the evaluator gives no partial credit."""
        return self.accuracy if self.mean_score is None else self.mean_score


class EvaluatorStats(Struct, frozen=True):
    """One evaluator over the run, one slice of it, or one variant.

    rows = scored + skipped + not_measured + invalid + unjudged + bugs. `unreadable`, `blocked` and `empty_expected` are
    of the scored ones. `pass_rate_ci` is Wilson's, or over clusters that of a mean.
    """

    name: str
    type: str
    rows: Count
    scored: Count
    passed: Count
    failed: Count
    skipped: Count
    not_measured: Count
    invalid: Count
    unjudged: Count
    bugs: Count
    unreadable: Count
    blocked: Count
    mean: Share | None
    pass_rate: Share | None
    pass_rate_ci: Interval | None
    fields: tuple[FieldStats, ...] = ()
    counts: Counts | None = None
    micro_precision: Share | None = None
    micro_recall: Share | None = None
    micro_f1: Share | None = None
    fields_not_listed: Count = 0
    """Paths of an open tree beyond the cap: counted, not listed."""
    variant: str | None = None
    slice: tuple[str, str] | None = None
    """(column, value) when these are the metrics of one slice."""
    empty_expected: Count = 0
    outputs_without_values: Count = 0
    """Scored rows whose output gave nothing, neither right nor wrong: micro precision does not see them."""
    rows_without_fields: Count = 0
    """Rows kept out of which no field was measured either."""
    metrics: tuple[MetricStats, ...] = ()
    """The further metrics of the evaluator, in its own order."""
    fallbacks: Mapping[str, int] = {}
    """How many fields a fallback of a judge scores, by what stands in for what: `fuzzy in place of semantic`."""
    undeclared: Mapping[str, int] = {}
    """Places that the expected side has and the schema lacks, each with how often it was met. They are not scored."""
    keys: tuple[KeyStats, ...] = ()
    """What was wrong with the keys that align lists: nothing where every item has a key of its own. Not kept by slice."""

    results: Count = 0
    """What the totals of a schema are over: results outside of lists, and each outermost list as a whole, of all rows."""
    results_passed: Count = 0
    """Those of them that are right."""
    extra_items: ExtraItems | None = None
    """Items of lists that only the output has; None where there are none, or where the evaluator does not tell."""
    mean_ci: Interval | None = None
    """The interval of the mean: Wilson's where every score is 0 or 1, otherwise that of a mean; None without scores."""
    metric_cis: tuple[MetricCI, ...] = ()
    """Of metrics that are ratios of two sums: those that gates name, and how often values are invented and left empty. Intervals are over
    rows, or over clusters."""
    minimum_detectable_effect: float | None = None
    """The smallest difference of means that two runs of so many rows would notice four times out of five."""
    invented_rate: Share | None = None
    """Over the values of all fields, as for a field. None where documents decide what fields there are: see `empty_rates`."""
    left_empty_rate: Share | None = None
    expected_empty: Count = 0
    expected_filled: Count = 0

    def __post_init__(self) -> None:
        """Raises ValueError for impossible metrics: a run folder may come from anywhere."""
        parts = self.scored + self.skipped + self.not_measured + self.kept_out
        if parts != self.rows:
            raise ValueError(f"{self.rows:,} rows, and the rows of each kind come to {parts:,}")
        if self.passed + self.failed > self.scored:
            raise ValueError(f"{self.passed:,} passed and {self.failed:,} failed, of {self.scored:,} scored rows")
        for name in ("unreadable", "blocked", "empty_expected", "outputs_without_values"):
            if getattr(self, name) > self.scored:
                raise ValueError(f"{name}: {getattr(self, name):,} of {self.scored:,} scored rows")
        for name in ("pass_rate_ci", "mean_ci"):
            value = getattr(self, name)
            if value is not None and not 0 <= value.low <= value.high <= 1:
                raise ValueError(f"{name}: from {value.low:g} to {value.high:g} is no interval between 0 and 1")

    def __repr__(self) -> str:
        """The metrics of the evaluator, without the long lists of them."""
        aside = ("fields", "fallbacks", "undeclared", "keys", "metric_cis")
        shown = (f"{name}={getattr(self, name)!r}" for name in self.__struct_fields__ if name not in aside)
        return f"EvaluatorStats({', '.join(shown)})"

    @property
    def kept_out(self) -> int:
        """Rows that the data or the environment, or a fault of the program, kept from being measured."""
        return self.invalid + self.unjudged + self.bugs

    def metric_ci(self, field: str | None, metric: str) -> MetricCI | None:
        """How sure a metric is; None where no gate names it."""
        return next((each for each in self.metric_cis if (each.field, each.metric) == (field, metric)), None)

    def metric(self, name: str) -> MetricStats | None:
        """A further metric by name; None where the evaluator has no such metric."""
        return next((each for each in self.metrics if each.name == name), None)


class NumericColumnStats(Struct, frozen=True):
    """The numbers of one column over the run, one slice of it, or one variant.

    rows = n + missing + unreadable. Metrics are None where no cell holds a number.
    """

    name: str
    column: str
    rows: Count
    n: Count
    missing: Count
    """Cells that are empty."""
    unreadable: Count
    """Cells that hold something else than a number."""
    mean: float | None
    mean_ci: Interval | None
    """The interval of the mean; None where the numbers show no spread."""
    median: float | None
    p95: float | None
    """The smallest number that at least 95 % of them do not exceed."""
    sum: float | None
    min: float | None
    max: float | None
    decimal: str = "."
    """The mark before the decimals of the cells."""
    first_unreadable: tuple[tuple[int, str], ...] = ()
    """The first rows whose cell is no number, each with its cell. Not kept by slice."""
    variant: str | None = None
    slice: tuple[str, str] | None = None

    @property
    def of_judges(self) -> bool:
        """Whether the measure is the cost of judges, and no column of the test set."""
        return self.name == JUDGE_COST and self.column.startswith(COST_IN)


class LabelCell(Struct, frozen=True):
    """The rows in which one label was expected and the output was one label, or something else in brackets."""

    expected: str
    output: str
    count: Count
    first_rows: tuple[tuple[int, str], ...]
    """(number, id) of the first of them."""


class LabelMetrics(Struct, frozen=True):
    """One label, or an average of all. Metrics are None where nothing was there to count."""

    label: str
    """The label; of an average: macro, micro or weighted."""
    support: Count
    """Rows that expect it."""
    predicted: Count
    """Rows whose output is it."""
    right: Count
    precision: Share | None
    recall: Share | None
    f1: Share | None


class ConfusionMatrix(Struct, frozen=True):
    """Which outputs stood where which labels were expected, for one evaluator over the run or one variant."""

    evaluator: str
    rows: Count
    labels: tuple[LabelMetrics, ...]
    averages: tuple[LabelMetrics, ...]
    cells: tuple[LabelCell, ...]
    """Those with at least one row, by expected label and then by output."""
    columns: tuple[str, ...]
    """What outputs were: every label, then `(no label)`, `(unreadable)`, `(missing)` and `(blocked)` as far as they occur."""
    variant: str | None = None

    def metrics(self, label: str) -> LabelMetrics | None:
        """The metrics of a label; None where there is no such label."""
        return next((metrics for metrics in self.labels if metrics.label == label), None)

    @property
    def withheld(self) -> bool:
        """Rows were counted, and no metric is given: some expected answers are none of the labels."""
        every = (*self.labels, *self.averages)
        return bool(self.cells) and all(metrics.precision is None and metrics.recall is None for metrics in every)

    def average(self, name: str) -> LabelMetrics:
        """An average by its name."""
        return next(metrics for metrics in self.averages if metrics.label == name)


class PassShare(Struct, frozen=True):
    """How many groups have so many attempts, of which so many passed."""

    passed: Count
    attempts: Count
    groups: Count


class PassesAt(Struct, frozen=True):
    """How likely a question is answered with k outputs: by at least one of them, and by all."""

    k: Count
    groups: Count
    """Those with at least k attempts, all of which were measured."""
    smaller: Count
    """Groups with fewer, which are left out."""
    pass_at_k: Share | None
    pass_at_k_ci: Interval | None
    pass_all_k: Share | None
    pass_all_k_ci: Interval | None
    kept_out: Count = 0
    """Groups of at least k rows in which one could not be measured: they count against coverage."""


class GroupAttempts(Struct, frozen=True):
    """The attempts of one group."""

    group: str
    attempts: Count
    passed: Count


class FieldFlips(Struct, frozen=True):
    """A field that is right in one attempt of a group and wrong in another: in how many of the groups with two attempts or more."""

    path: str
    flips: Count
    groups: Count
    share: Share
    ci: Interval | None


class RepeatStats(Struct, frozen=True):
    """Several outputs of one question, by one evaluator over the run or one variant. Intervals are over groups."""

    evaluator: str
    by: str
    groups: Count
    """Those with a figure: every row of them was measured."""
    kept_out: Count
    """Groups in which a row could not be measured."""
    nameless: Count
    """Rows that no question is named for; each counts as a group that was kept out."""
    attempts: Count
    smallest: Count
    largest: Count
    always: Count
    """Groups in which every attempt passes."""
    sometimes: Count
    never: Count
    passes: tuple[PassesAt, ...]
    shares: tuple[PassShare, ...]
    listed: tuple[GroupAttempts, ...]
    """The first groups: those that sometimes pass, then those that never do, then the others."""
    fields: tuple[FieldFlips, ...]
    """Those that flip, the most frequent first."""
    noise: Share | None
    """How likely it is that of two attempts of one question one passes and the other does not; None without two."""
    kept_out_sizes: tuple[tuple[Count, Count], ...] = ()
    """Of the groups that were kept out: how many rows they have, and how many have so many."""
    variant: str | None = None
    fields_until: str | None = None
    """The last group, by name, in which the fields of documents were looked at; None where all were."""


class ConfidenceBin(Struct, frozen=True):
    """The rows with a confidence from `low` up to but without `high`; 1 is in the last bin."""

    low: float
    high: float
    n: Count
    right: Count
    confidence: Share
    """Their mean confidence."""
    accuracy: Share
    """The share of them that is right."""
    ci: Interval | None


class AcceptAbove(Struct, frozen=True):
    """The effect of accepting rows from a confidence on."""

    threshold: float
    accepted: Count
    share: Share
    """Of all rows, those without a usable confidence included."""
    errors: Count
    """Those of the accepted that are wrong."""
    error_rate: Share | None
    ci: Interval | None


class ConfidenceStats(Struct, frozen=True):
    """The confidence in an evaluator's rows, or in one of its fields, held against what was right.

    rows with a label = n + missing + unusable. Bins have equal width.
    """

    evaluator: str
    field: str | None
    source: str
    n: Count
    right: Count
    missing: Count
    unusable: Count
    """What is no number from 0 to 1."""
    kept_out: Count
    """Rows that could not be measured."""
    brier: Share | None
    ece: Share | None
    auroc: Share | None
    bins: tuple[ConfidenceBin, ...]
    accept: tuple[AcceptAbove, ...]
    max_errors: Share
    threshold: float | None
    """The smallest confidence from which on at most `max_errors` are wrong; None where none is sure."""
    accepted: Share | None
    """The share of all rows that it accepts, 0 without a threshold; None where rows belong together."""
    least_rows: Count
    """How many rows without an error it takes to be sure."""
    clustered: bool = False
    """Rows belong together: intervals are over groups of them, and no threshold is given."""
    variant: str | None = None
    first_unusable: tuple[tuple[Count, str], ...] = ()
    """The first rows whose confidence is no number from 0 to 1, each with what it is."""


class GateResult(Struct, frozen=True):
    """One gate, for one variant and slice."""

    target: str
    metric: str
    value: float | None
    n: Count
    limit: str
    verdict: Literal["passed", "warned", "failed", "undecided"]
    message: str
    variant: str | None = None
    slice: tuple[str, str] | None = None
    label: str | None = None


class CorrectedValue(Struct, frozen=True):
    """A correction of an expected answer. `old` and `new` are JSON, or empty for nothing."""

    id: str
    row: int | None
    """The number of its row; None where there is no such row, or several."""
    path: str | None
    """Where in the expected document; None for the whole cell."""
    old: str
    new: str
    reason: str
    void: str | None = None
    """Why it was not made, as the end of a sentence; None for one that was."""


class Uncorrected(Struct, frozen=True):
    """The scores of an evaluator against the expected answers as they stand in the test set."""

    evaluator: str
    mean: Share | None
    pass_rate: Share | None
    variant: str | None = None


class Corrections(Struct, frozen=True):
    """The corrections of expected answers that a run was scored with, and the scores without them."""

    values: tuple[CorrectedValue, ...]
    without: tuple[Uncorrected, ...] = ()
    """By evaluator and variant; empty where nothing was counted without."""
    why_not: str | None = None
    """Why nothing was counted without the corrections, as the end of a sentence."""

    @property
    def count(self) -> int:
        """How many expected answers were corrected."""
        return sum(value.void is None for value in self.values)

    def without_of(self, stats: EvaluatorStats) -> Uncorrected | None:
        """The scores of an evaluator without the corrections."""
        return next(
            (
                stats_without
                for stats_without in self.without
                if (stats_without.evaluator, stats_without.variant) == (stats.name, stats.variant)
            ),
            None,
        )


class Environment(Struct, frozen=True):
    """The facts that may differ between two runs of the same bytes; kept in a file of its own."""

    started: str
    seconds: float
    workers: int
    host: str
    python: str
    command: tuple[str, ...] = ()
    folder: str = ""
    """The working folder of the command."""
    suite: str = ""
    """The suite's file; empty where the suite was not a file."""
    commit: str = ""
    """The commit that the folder of the suite, or else of the command, is at; empty where git does not keep it."""
    test_set: str = ""
    """Where the rows can be read again, as JSON: the settings of the test set, the folder that its places are relative to, and which rows
    were chosen. Empty where they cannot."""
    asked: AskedTotals | None = None
    """What was asked of a judge, a batch or an async function; None where nothing was."""
    scored_again: int = 0
    """How often a split was scored once more, because its worker was lost. What a cluster does again by itself is not counted."""


class RunResult(Struct, frozen=True):
    """One run."""

    name: str
    suite_fingerprint: str
    data_fingerprint: str
    version: str
    test_set: str
    rows: Count
    columns: Mapping[str, str]
    evaluators: tuple[EvaluatorStats, ...]
    slices: tuple[EvaluatorStats, ...] = ()
    gates: tuple[GateResult, ...] = ()
    notes: tuple[str, ...] = ()
    """What was guessed or chosen, one sentence each."""
    warnings: tuple[Issue, ...] = ()
    """Coverage gaps that do not change the exit code."""
    issues: tuple[Issue, ...] = ()
    """What kept something from being measured: the first few of each kind, in row order."""
    issue_counts: Mapping[str, int] = {}
    """How many there were of each code."""
    complete: bool = True
    """False when the run was interrupted: the metrics are those of the rows that were finished."""
    exit_code: int = 0
    causes: tuple[str, ...] = ()
    """Every cause behind the exit code, in words."""
    environment: Environment | None = None
    variants: tuple[str, ...] = ()
    without_output: Mapping[str, int] = {}
    """Rows for which a joined file of outputs has none, by variant; the empty name where there are no variants."""
    meaning: Mapping[str, Mapping[str, str]] = {}
    """What each evaluator does, as checksums of its settings by name; the empty name has how the test set is read."""
    cluster: str | None = None
    """The column that says which rows belong together."""
    judges: tuple[JudgedBy, ...] = ()
    """What judges said, by model and prompt; nothing where none was asked."""
    measures: tuple[NumericColumnStats, ...] = ()
    """The measures of the suite, over the run and then by slice; nothing without measures."""

    confusion_matrices: tuple[ConfusionMatrix, ...] = ()
    """What stood where which label was expected, by variant and evaluator; nothing where no evaluator has labels."""

    repeats: tuple[RepeatStats, ...] = ()
    """What several outputs of one question came to, by variant and evaluator; nothing where rows are on their own."""

    confidence: tuple[ConfidenceStats, ...] = ()
    """How far confidences can be trusted, by variant, evaluator and field; nothing where none is named."""

    corrections: Corrections | None = None
    """The corrected expected answers; None where the test set has no corrections."""

    folder: str | None = None
    """The run folder that was written. In a `run.json` its name, where nobody asked for that one."""

    written: tuple[str, ...] = ()
    """The further files that were asked for, from the run folder on."""

    def __post_init__(self) -> None:
        if self.exit_code not in EXIT_CODES:
            raise ValueError(f"exit_code: {self.exit_code} is none of {', '.join(map(str, EXIT_CODES))}")

    @property
    def whole_measures(self) -> tuple[NumericColumnStats, ...]:
        """The measures over the run, or over its variants: not those of slices."""
        return tuple(measure for measure in self.measures if measure.slice is None)

    def of_variant(self, variant: str) -> RunResult:
        """The metrics of one variant as those of a run that has no others."""
        own = {
            name: tuple(replace(stats, variant=None) for stats in getattr(self, name) if stats.variant == variant)
            for name in _BY_VARIANT
        }
        return replace(self, variants=(), **own)

    def __getitem__(self, evaluator: str) -> EvaluatorStats:
        """The statistics of the first evaluator of that name. Raises KeyError."""
        for stats in self.evaluators:
            if stats.name == evaluator:
                return stats
        raise KeyError(evaluator)
