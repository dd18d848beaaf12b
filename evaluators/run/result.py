"""What a run found: the document that every report, gate and file is made from.

Built once, when the last split has been merged. Figures are exact sums rounded once; None means undefined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from evaluators.issues import Issue
from evaluators.judges.answer_lines import AskedTotals, JudgedBy
from evaluators.value_class import dataclass, field


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % CI."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each status was met: over rows for a listed field, over leaves for an open tree."""

    match: int = 0
    mismatch: int = 0
    omission: int = 0
    hallucination: int = 0
    error: int = 0
    skipped: int = 0
    not_measured: int = 0
    not_judged: int = 0

    @property
    def n(self) -> int:
        """Everything that is in a denominator."""
        return self.match + self.mismatch + self.omission + self.hallucination + self.error


@dataclass(frozen=True, slots=True)
class ArrayStats:
    """The items of one array over the run. A pair of items that does not match is one missing and one extra item."""

    matched: int
    missing: int
    extra: int
    paired: int
    precision: float | None
    recall: float | None
    f1: float | None
    results: int = 0
    """How often the totals were over the list as a whole: once a row, unless it stands in another list."""
    results_passed: int = 0
    """How often it was right as a whole."""


@dataclass(frozen=True, slots=True)
class ExtraItems:
    """Items of lists that only the output has, over the run."""

    items: int
    rows: int
    """The rows in which there are any."""
    values: int | None
    """The values in them, where the evaluator counts values."""
    penalized: bool
    """They lower the score of their row, or for a schema its totals."""


@dataclass(frozen=True, slots=True)
class MetricStats:
    """A further metric of an evaluator: its mean over the rows in which it is defined, None when there is none."""

    name: str
    mean: float | None
    n: int


@dataclass(frozen=True, slots=True)
class KeyStats:
    """Items of a list that is paired by a key, on one side, that have no key, or that have the key of an earlier item.

    Or those of a list that was too long to compare each with each (`too_long`); the key is then the alignment.
    """

    path: str
    key: str
    side: Literal["expected", "output"]
    what: Literal["without_key", "duplicate_key", "too_long"]
    items: int
    rows: int
    """Rows with at least one such item."""
    first_rows: tuple[int, ...]
    """The numbers of the first of them."""


@dataclass(frozen=True, slots=True)
class MetricCI:
    """How sure a metric is that a gate names: `micro_precision` of a run (`field` is None), or `accuracy` of a field."""

    field: str | None
    metric: str
    n: int
    """The rows on which the metric is defined."""
    ci: Interval | None


@dataclass(frozen=True, slots=True)
class FieldStats:
    """One field of one evaluator over the run. Ratios are over all values, None when undefined."""

    path: str
    counts: Counts
    accuracy: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    optional: bool = False
    """It may be absent from every row, or is skipped."""
    mean_score: float | None = None
    """The mean of the field's scores with their partial credit, where the evaluator gives any."""
    array: ArrayStats | None = None
    """The items, where the field is an array that a schema aligns."""


@dataclass(frozen=True, slots=True)
class EvaluatorStats:
    """One evaluator over the run, one slice of it, or one variant.

    rows = scored + skipped + not_measured + invalid + unjudged + bugs. `unreadable`, `blocked` and `empty_expected` are
    of the scored ones. `pass_rate_ci` is Wilson's, or over clusters that of a mean.
    """

    name: str
    type: str
    rows: int
    scored: int
    passed: int
    failed: int
    skipped: int
    not_measured: int
    invalid: int
    unjudged: int
    bugs: int
    unreadable: int
    blocked: int
    mean: float | None
    pass_rate: float | None
    pass_rate_ci: Interval | None
    fields: tuple[FieldStats, ...] = field(default=(), repr=False)
    counts: Counts | None = None
    micro_precision: float | None = None
    micro_recall: float | None = None
    micro_f1: float | None = None
    fields_not_listed: int = 0
    """Paths of an open tree beyond the cap: counted, not listed."""
    variant: str | None = None
    slice: tuple[str, str] | None = None
    """(column, value) when these are the figures of one slice."""
    empty_expected: int = 0
    outputs_without_values: int = 0
    """Scored rows whose output gave nothing, neither right nor wrong: micro precision does not see them."""
    rows_without_fields: int = 0
    """Rows kept out of which no field was measured either."""
    metrics: tuple[MetricStats, ...] = ()
    """The further metrics of the evaluator, in its own order."""
    fallbacks: Mapping[str, int] = field(default_factory=dict, repr=False)
    """How many fields a fallback of a judge scores, by what stands in for what: `fuzzy in place of semantic`."""
    undeclared: Mapping[str, int] = field(default_factory=dict, repr=False)
    """Places that the expected side has and the schema lacks, each with how often it was met. They are not scored."""
    keys: tuple[KeyStats, ...] = field(default=(), repr=False)
    """What was wrong with the keys that align lists: nothing where every item has a key of its own. Not kept by slice."""

    results: int = 0
    """What the totals of a schema are over: results outside of lists, and each outermost list as a whole, of all rows."""
    results_passed: int = 0
    """Those of them that are right."""
    extra_items: ExtraItems | None = None
    """Items of lists that only the output has; None where there are none, or where the evaluator does not tell."""
    mean_ci: Interval | None = None
    """The interval of the mean: Wilson's where every score is 0 or 1, otherwise that of a mean; None without scores."""
    metric_cis: tuple[MetricCI, ...] = field(default=(), repr=False)
    """Of metrics that are ratios of two sums, those that gates name. Intervals are over rows, or over clusters."""
    minimum_detectable_effect: float | None = None
    """The smallest difference of means that two runs of so many rows would notice four times out of five."""

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


@dataclass(frozen=True, slots=True)
class MeasureStats:
    """The numbers of one column over the run, one slice of it, or one variant.

    rows = n + missing + unreadable. Figures are None where no cell holds a number.
    """

    name: str
    column: str
    rows: int
    n: int
    missing: int
    """Cells that are empty."""
    unreadable: int
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
    digits: int | None = None
    """How many significant digits median and p95 have; None where they are exact."""
    first_unreadable: tuple[tuple[int, str], ...] = ()
    """The first rows whose cell is no number, each with its cell. Not kept by slice."""
    variant: str | None = None
    slice: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class LabelCell:
    """The rows in which one label was expected and the output was one label, or something else in brackets."""

    expected: str
    output: str
    count: int
    first_rows: tuple[tuple[int, str], ...]
    """(number, id) of the first of them."""


@dataclass(frozen=True, slots=True)
class LabelFigures:
    """One label, or an average of all. Figures are None where nothing was there to count."""

    label: str
    """The label; of an average: macro, micro or weighted."""
    support: int
    """Rows that expect it."""
    predicted: int
    """Rows whose output is it."""
    right: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """Which outputs stood where which labels were expected, for one evaluator over the run or one variant."""

    evaluator: str
    rows: int
    labels: tuple[LabelFigures, ...]
    averages: tuple[LabelFigures, ...]
    cells: tuple[LabelCell, ...]
    """Those with at least one row, by expected label and then by output."""
    columns: tuple[str, ...]
    """What outputs were: every label, then `(no label)`, `(unreadable)`, `(missing)` and `(blocked)` as far as they occur."""
    variant: str | None = None

    def figures(self, label: str) -> LabelFigures | None:
        """The figures of a label; None where there is no such label."""
        return next((one for one in self.labels if one.label == label), None)

    @property
    def withheld(self) -> bool:
        """Rows were counted, and no figure is given: some expected answers are none of the labels."""
        every = (*self.labels, *self.averages)
        return bool(self.cells) and all(one.precision is None and one.recall is None for one in every)

    def average(self, name: str) -> LabelFigures:
        """An average by its name."""
        return next(one for one in self.averages if one.label == name)


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate, for one variant and slice."""

    target: str
    metric: str
    value: float | None
    n: int
    limit: str
    verdict: Literal["passed", "warned", "failed", "undecided"]
    message: str
    variant: str | None = None
    slice: tuple[str, str] | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Environment:
    """What may differ between two runs of the same bytes; kept in a file of its own."""

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
    test_set: str = ""
    """Where the rows can be read again, as JSON: the settings of the test set, the folder that its places are relative to, and which rows
    were chosen. Empty where they cannot."""
    asked: AskedTotals | None = None
    """What was asked of a judge, a batch or an async function; None where nothing was."""
    scored_again: int = 0
    """How often a split was scored once more, because its worker was lost."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run."""

    name: str
    suite_fingerprint: str
    data_fingerprint: str
    version: str
    test_set: str
    rows: int
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
    issue_counts: Mapping[str, int] = field(default_factory=dict)
    """How many there were of each code."""
    complete: bool = True
    """False when the run was interrupted: the figures are those of the rows that were finished."""
    exit_code: int = 0
    causes: tuple[str, ...] = ()
    """Every cause behind the exit code, in words."""
    environment: Environment | None = None
    variants: tuple[str, ...] = ()
    without_output: Mapping[str, int] = field(default_factory=dict)
    """Rows for which a joined file of outputs has none, by variant; the empty name where there are no variants."""
    meaning: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What each evaluator does, as checksums of its settings by name; the empty name has how the test set is read."""
    cluster: str | None = None
    """The column that says which rows belong together."""
    judges: tuple[JudgedBy, ...] = ()
    """What judges said, by model and prompt; nothing where none was asked."""
    measures: tuple[MeasureStats, ...] = ()
    """The measures of the suite, over the run and then by slice; nothing without measures."""

    confusion_matrices: tuple[ConfusionMatrix, ...] = ()
    """What stood where which label was expected, by variant and evaluator; nothing where no evaluator has labels."""

    folder: str | None = None
    """The run folder that was written. In a `run.json` its name, where nobody asked for that one."""

    written: tuple[str, ...] = ()
    """The further files that were asked for, from the run folder on."""

    @property
    def whole_measures(self) -> tuple[MeasureStats, ...]:
        """The measures over the run, or over its variants: not those of slices."""
        return tuple(one for one in self.measures if one.slice is None)

    def __getitem__(self, evaluator: str) -> EvaluatorStats:
        for stats in self.evaluators:
            if stats.name == evaluator:
                return stats
        raise KeyError(evaluator)
