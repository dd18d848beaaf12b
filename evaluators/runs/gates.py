"""Gates: limits on the metrics of a run, as a suite writes them.

Whether a gate names what the suite has is `gate_targets`; what it comes to when the run's metrics are exact is
`gate_verdicts`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Annotated, Final, Literal, NamedTuple, Self, TypeAlias, get_args

from msgspec import Struct
from pydantic import Field, StrictBool, StrictFloat, StrictInt, field_validator, model_validator

from evaluators.model.settings import Name, Settings
from evaluators.runs.metrics import USUAL, limit_text
from evaluators.scoring.fields.empty_values import EMPTY_RATES
from evaluators.scoring.values.cell_words import fits, spell_boolean
from evaluators.scoring.values.json_text import to_text

ScoreMetric: TypeAlias = Literal[
    "invented_rate", "left_empty_rate",
    "mean", "mean_score", "pass_rate", "accuracy", "precision", "recall", "f1", "mean_precision", "mean_recall", "mean_f1",
    "mean_field_score", "overall_score", "field_score", "overall_pass_rate", "pass_at_k", "pass_all_k",
    "brier", "ece", "auroc", "accepted", "not_given_rate", "chance_rate",
    "micro_precision", "micro_recall", "micro_f1",
    "macro_precision", "macro_recall", "macro_f1", "weighted_precision", "weighted_recall", "weighted_f1",
]  # fmt: skip
OF_ROWS: Final = ("mean", "pass_rate")
"""Metrics over rows: the mean score, and the share of the scored rows that pass. A field has neither."""
REPEATED: Final = ("pass_at_k", "pass_all_k")
"""Metrics over groups of rows that are outputs of one question: at least one of k passes, or all do."""
OF_CONFIDENCE: Final = ("brier", "ece", "auroc", "accepted")
"""Metrics of how far a confidence can be trusted."""
OF_FIELDS: Final = ("accuracy",)
"""Metrics over the values of one field: the share of them that are right."""
AVERAGES: Final = get_args(ScoreMetric)[-6:]
"""Averages over labels, which only labels have."""
MICRO: Final = get_args(ScoreMetric)[-9:-6]
"""Metrics over all values of all rows, of which a row has any number; or over all labels."""
POOLED: Final = ("precision", "recall", "f1")
"""The same of one field, or of one label."""
_WITH_BOUND: Final = ("mean", "mean_score", "pass_rate", "accuracy", *POOLED, *MICRO, *REPEATED, *EMPTY_RATES)
Limit: TypeAlias = Annotated[float, Field(strict=True, ge=0.0, le=1.0)]
CoverageAsked: TypeAlias = Annotated[float, Field(strict=True, gt=0.0, le=1.0)] | Literal["any"]

_LIMITS = ("fail_below", "warn_below", "fail_above", "warn_above")
ColumnMetric: TypeAlias = Literal["mean", "median", "p95", "sum", "min", "max"]
_KNOWN: Final = frozenset((*get_args(ScoreMetric), *get_args(ColumnMetric)))
Quantity: TypeAlias = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class AnyGateConfig(Settings):
    """One gate, as the suite writes it, whatever it is about."""

    metric: ScoreMetric | ColumnMetric | None = None
    """What is compared with the limits: the mean score, the accuracy of a field, or the mean of a measure, unless another
    metric is named."""
    fail_below: Quantity | None = None
    """The run fails when the metric is less than this."""
    warn_below: Quantity | None = None
    """The run warns when the metric is less than this."""
    fail_above: Quantity | None = None
    """The run fails when the metric is more than this."""
    warn_above: Quantity | None = None
    """The run warns when the metric is more than this."""
    using: Literal["estimate", "lower_bound"] = "estimate"
    """What is compared: the metric itself, or the lower end of its 95 % CI, which few rows hold down."""
    min_rows: Annotated[int, Field(strict=True, ge=1)] = 1
    """With fewer rows that have the metric the gate is undecided. Items of a list are not rows."""
    coverage: CoverageAsked = USUAL
    """The share of the rows that must have been measured. The gate is undecided when the data or the environment kept more
    from it, and when pooled precision does not see more, because their outputs gave nothing. `any` asks for no share."""
    label: Name | None = None
    """The one label that the gate is about, for an evaluator that counts labels: its `f1`, `precision` or `recall`."""
    k: Annotated[int, Field(strict=True, ge=1)] | None = None
    """How many outputs of one question `pass_at_k` and `pass_all_k` are about, in a suite with `repeats`."""
    variant: Name | None = None
    """The one variant that the gate is about; all of them without it."""
    slice: Mapping[str, str | StrictBool | StrictInt | StrictFloat] | None = None
    """The one slice that the gate is about: `{supplier: ACME}`. A number is every slice that reads as it: 2 is `2` and `2.0`."""
    each_slice: Name | None = None
    """The column of which every value is held to the limits on its own."""

    @field_validator("metric", mode="before", json_schema_input_type=ScoreMetric | ColumnMetric | None)
    @classmethod
    def _metric_by_name(cls, value: object) -> object:
        """The name of a metric for one that is written as pages show it, `micro F1`; any other value as it is."""
        if not isinstance(value, str):
            return value
        word = "_".join(value.lower().split())
        return word if word in _KNOWN else value

    @model_validator(mode="after")
    def _check_consistent(self) -> Self:
        """Returns the gate as it is. Raises ValueError where it has no limit, where settings do not go together, or where limits
        contradict each other."""
        if all(getattr(self, name) is None for name in _LIMITS):
            raise ValueError(f"a gate needs a limit: one of {', '.join(_LIMITS)}")
        if self.label is not None and self.metric not in (None, *POOLED):
            raise ValueError(f"a label has the metrics {', '.join(POOLED)}; found {self.metric}")
        repeated = self.metric in REPEATED
        if repeated is not (self.k is not None):
            message = f"{self.metric} needs k" if repeated else "k goes with metric: pass_at_k or pass_all_k"
            written = self.metric if repeated else "pass_at_k"
            raise ValueError(f"{message}: write {{metric: {written}, k: 3}} for three outputs of one question")
        if repeated and self.slice_column is not None:
            raise ValueError("groups of repeats are counted over the whole run, not by slice")
        if self.metric in OF_CONFIDENCE and self.slice_column is not None:
            raise ValueError("confidences are counted over the whole run, not by slice")
        by_label = self.label is not None or self.metric in AVERAGES
        if by_label and (self.slice is not None or self.each_slice is not None):
            raise ValueError("labels are counted over the whole run, not by slice")
        if by_label and self.using == "lower_bound":
            raise ValueError("the metrics of labels have no lower bound")
        if self.slice is not None and self.each_slice is not None:
            raise ValueError("a gate has slice or each_slice, not both")
        if self.slice is not None and len(self.slice) != 1:
            raise ValueError("slice is one column and its value, such as {supplier: ACME}")
        if self.using == "lower_bound":
            if self.metric is not None and self.metric not in _WITH_BOUND:
                raise ValueError(f"using: lower_bound is for the metrics {', '.join(_WITH_BOUND)}; found {self.metric}")
            if self.fail_above is not None or self.warn_above is not None:
                raise ValueError("using: lower_bound goes with fail_below and warn_below")
        for lower, upper in (
            ("fail_below", "warn_below"),
            ("warn_above", "fail_above"),
            ("fail_below", "fail_above"),
            ("warn_below", "warn_above"),
        ):
            low, high = getattr(self, lower), getattr(self, upper)
            if low is not None and high is not None and low > high:
                raise ValueError(f"{lower} ({limit_text(low)}) must not be more than {upper} ({limit_text(high)})")
        return self

    @property
    def limit(self) -> str:
        """The limits in words: `fail below 0.99, warn below 0.995`."""
        written = ((name, getattr(self, name)) for name in _LIMITS)
        return ", ".join(f"{name.replace('_', ' ')} {limit_text(at)}" for name, at in written if at is not None)

    def is_about_slice(self, value: str) -> bool:
        """Whether the gate is about the slice of a value of its column."""
        return self.slice is None or any(
            fits(spell_boolean(wanted) if isinstance(wanted, str) else wanted, value) for wanted in self.slice.values()
        )

    @property
    def slice_words(self) -> dict[str, str]:
        """The one slice that the gate is about, as {column: value} in text; empty where it names none."""
        return {
            column: value if isinstance(value, str) else to_text(value) for column, value in (self.slice or {}).items()
        }

    @property
    def slice_column(self) -> str | None:
        """The column of the slices that the gate is about, without `row.`; None where it is about the whole run."""
        if self.each_slice is not None:
            return bare_column(self.each_slice)
        return next((bare_column(column) for column in self.slice), None) if self.slice is not None else None


class GateConfig(AnyGateConfig):
    """One gate on the metrics of an evaluator, or of one of its fields."""

    metric: ScoreMetric | None = None
    """What is compared with the limits: the mean score, or the accuracy of a field, unless another metric is named."""
    fail_below: Limit | None = None
    """The run fails when the metric is less than this."""
    warn_below: Limit | None = None
    """The run warns when the metric is less than this."""
    fail_above: Limit | None = None
    """The run fails when the metric is more than this."""
    warn_above: Limit | None = None
    """The run warns when the metric is more than this."""


class NumericColumnGateConfig(AnyGateConfig):
    """One gate on the numbers of a measure, which may be of any size."""

    metric: ColumnMetric | None = None
    """What is compared with the limits: the mean, unless another metric is named."""
    label: None = None
    using: Literal["estimate"] = "estimate"


_OF_EVALUATOR: Final[Mapping[str, ScoreMetric]] = {
    "mean_score": "mean", "precision": "micro_precision", "recall": "micro_recall", "f1": "micro_f1",
}  # fmt: skip
"""What a metric without a field means."""


class Target(NamedTuple):
    """What a gate is about: an evaluator or a measure, or a field of an evaluator by canonical path."""

    evaluator: str
    field: str | None


class Gate(Struct, frozen=True):
    """One gate, its target resolved. `written` is the target as the suite spells it, or would, and `where` its place there."""

    written: str
    target: Target
    config: AnyGateConfig
    where: str | None = None
    of_every: str | None = None
    """What the suite says for it and for the gates on all other fields: `header.*`, or `fields.*`."""

    @property
    def key(self) -> str:
        """The target as it stands in the suite."""
        return self.of_every or self.written

    @property
    def is_on_measure(self) -> bool:
        """Whether the gate is about the numbers of a measure, not about scores."""
        return isinstance(self.config, NumericColumnGateConfig)

    @property
    def is_on_labels(self) -> bool:
        """Whether the gate is about one label, or about an average that only labels have."""
        return self.config.label is not None or self.config.metric in AVERAGES

    def is_on_labels_of(self, evaluators: Container[str]) -> bool:
        """Whether the gate is about labels: about one, about an average that only labels have, or about a pooled metric of one of these
        `evaluators`, which count labels."""
        return self.is_on_labels or (self.config.metric in MICRO and self.target.evaluator in evaluators)

    @property
    def shown_metric(self) -> str:
        """The metric as results spell it: `pass_at_3`."""
        return self.metric if self.config.k is None else f"{self.metric.removesuffix('k')}{self.config.k}"

    @property
    def metric(self) -> ScoreMetric | ColumnMetric:
        """The metric that is compared with the limits."""
        if self.config.label is not None:
            return self.config.metric or "f1"
        metric = self.config.metric
        if self.target.field is not None:
            return metric or "accuracy"
        return "mean" if metric is None else _OF_EVALUATOR.get(metric, metric)


def written_gates(gates: Iterable[Gate]) -> list[Gate]:
    """The gates as a suite writes them: of those that one target stands for, such as `header.*`, the first."""
    by_name: dict[tuple[str, int], Gate] = {}
    for gate in gates:
        by_name.setdefault((gate.key, id(gate.config)), gate)
    return list(by_name.values())


def bare_column(column: str) -> str:
    """The column's name without `row.`."""
    return column.removeprefix("row.")
