"""Gates: limits on the figures of a run.

A gate is read before row 1 (its settings, then its target against the evaluators and the fields that are known) and
judged once, when the run's figures are exact. A gate without enough measured rows is undecided, never passed.

Nor is one whose figure speaks of too few of the rows (`coverage`). Then it fails only where it would fail whatever the
rows that were kept out came to; that is known for means over rows, whose every row weighs the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Final, Literal, Self, TypeAlias, get_args

from pydantic import Field, field_validator, model_validator

from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.registry import suggestion
from evaluators.run.figures import beside_limit, beside_quantity, counted, limit_text, rows_text
from evaluators.run.reach import USUAL, Reach, best_mean, reach, unseen_by_precision, worst_mean
from evaluators.run.result import EvaluatorStats, FieldStats, GateResult, LabelTable, MeasureStats
from evaluators.run.watch import Watch, Watched
from evaluators.settings import Name, Settings
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.value_class import NamedTuple, dataclass
from evaluators.values.confusion import Ratio
from evaluators.values.path_text import BadPath
from evaluators.values.paths import parse

Figure: TypeAlias = Literal[
    "mean", "pass_rate", "accuracy", "precision", "recall", "f1",
    "mean_precision", "mean_recall", "mean_f1", "mean_score", "overall_score", "field_score", "overall_pass_rate",
    "macro_precision", "macro_recall", "macro_f1", "micro_precision", "micro_recall", "micro_f1", "weighted_precision",
    "weighted_recall", "weighted_f1",
]  # fmt: skip
_OF_ROWS: Final = ("mean", "pass_rate")
"""Figures over rows: the mean score, and the share of the scored rows that pass. A field has neither."""
_OF_FIELDS: Final = ("accuracy",)
"""Figures over the values of one field: the share of them that are right."""
_AVERAGES: Final = get_args(Figure)[-9:]
"""Averages over labels."""
_ROW_FIGURES: Final = get_args(Figure)[6:-9]
"""Figures that every row has one of: an evaluator says which of them it makes."""
_WITH_BOUND: Final = ("mean", "pass_rate", "accuracy", "precision", "recall", "f1")
_POOLED: Final = ("precision", "recall", "f1")
"""Figures over all values of all rows in one heap, of which a row has any number."""
Limit: TypeAlias = Annotated[float, Field(strict=True, ge=0.0, le=1.0)]
Coverage: TypeAlias = Annotated[float, Field(strict=True, gt=0.0, le=1.0)] | Literal["any"]
Judged: TypeAlias = Literal["passed", "warned", "failed", "undecided"]

_LIMITS = ("fail_below", "warn_below", "fail_above", "warn_above")
MeasureFigure: TypeAlias = Literal["mean", "median", "p95", "sum", "least", "greatest"]
Quantity: TypeAlias = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class AnyGateConfig(Settings):
    """One gate, as the suite writes it, whatever it is about."""

    figure: Figure | MeasureFigure | None = None
    """What is compared with the limits: the mean score, the accuracy of a field, or the mean of a measure, unless another
    figure is named."""
    fail_below: Quantity | None = None
    """The run fails when the figure is less than this."""
    warn_below: Quantity | None = None
    """The run warns when the figure is less than this."""
    fail_above: Quantity | None = None
    """The run fails when the figure is more than this."""
    warn_above: Quantity | None = None
    """The run warns when the figure is more than this."""
    using: Literal["estimate", "lower_bound"] = "estimate"
    """What is compared: the figure itself, or the lower end of its 95 % interval, which few rows hold down."""
    min_rows: Annotated[int, Field(strict=True, ge=1)] = 1
    """With fewer rows that have the figure the gate is undecided. Items of a list are not rows."""
    coverage: Coverage = USUAL
    """The share of the rows that must have been measured. The gate is undecided when the data or the environment kept more
    from it, and when pooled precision does not see more, because their outputs gave nothing. `any` asks for no share."""
    label: Name | None = None
    """The one label that the gate is about, for an evaluator that counts labels: its `f1`, `precision` or `recall`."""
    variant: Name | None = None
    """The one variant that the gate is about; all of them without it."""
    slice: Mapping[str, str] | None = None
    """The one slice that the gate is about: `{supplier: ACME}`."""
    each_slice: Name | None = None
    """The column of which every value is held to the limits on its own."""

    @field_validator("slice", mode="before", json_schema_input_type=Mapping[str, str | int | float | bool] | None)
    @classmethod
    def _slice_values_as_text(cls, value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        return {key: _as_text(cell) for key, cell in value.items()}

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if all(getattr(self, name) is None for name in _LIMITS):
            raise ValueError(f"a gate needs a limit: one of {', '.join(_LIMITS)}")
        if self.label is not None and self.figure not in (None, *_POOLED):
            raise ValueError(f"a label has the figures {', '.join(_POOLED)}; found {self.figure}")
        by_label = self.label is not None or self.figure in _AVERAGES
        if by_label and (self.slice is not None or self.each_slice is not None):
            raise ValueError("labels are counted over the whole run, not by slice")
        if by_label and self.using == "lower_bound":
            raise ValueError("the figures of labels have no lower bound")
        if self.slice is not None and self.each_slice is not None:
            raise ValueError("a gate has slice or each_slice, not both")
        if self.slice is not None and len(self.slice) != 1:
            raise ValueError("slice is one column and its value, such as {supplier: ACME}")
        if self.using == "lower_bound":
            if self.figure is not None and self.figure not in _WITH_BOUND:
                raise ValueError(f"using: lower_bound is for the figures {', '.join(_WITH_BOUND)}; found {self.figure}")
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


class GateConfig(AnyGateConfig):
    """One gate on the figures of an evaluator, or of one of its fields."""

    figure: Figure | None = None
    """What is compared with the limits: the mean score, or the accuracy of a field, unless another figure is named."""
    fail_below: Limit | None = None
    """The run fails when the figure is less than this."""
    warn_below: Limit | None = None
    """The run warns when the figure is less than this."""
    fail_above: Limit | None = None
    """The run fails when the figure is more than this."""
    warn_above: Limit | None = None
    """The run warns when the figure is more than this."""


class MeasureGateConfig(AnyGateConfig):
    """One gate on the numbers of a measure, which may be of any size."""

    figure: MeasureFigure | None = None
    """What is compared with the limits: the mean, unless another figure is named."""
    label: None = None
    using: Literal["estimate"] = "estimate"


class Target(NamedTuple):
    """What a gate is about: an evaluator or a measure, or a field of an evaluator by canonical path."""

    evaluator: str
    field: str | None


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate, its target resolved. `written` is the target as the suite spells it, `where` its place there."""

    written: str
    target: Target
    config: AnyGateConfig
    where: str | None = None

    @property
    def of_measure(self) -> bool:
        """It is about the numbers of a measure, not about scores."""
        return isinstance(self.config, MeasureGateConfig)

    @property
    def of_labels(self) -> bool:
        """It is about one label, or about an average over labels."""
        return self.config.label is not None or self.config.figure in _AVERAGES

    @property
    def figure(self) -> Figure | MeasureFigure:
        """What is compared with the limits."""
        if self.config.label is not None:
            return self.config.figure or "f1"
        return self.config.figure or ("mean" if self.target.field is None else "accuracy")


def parse_target(text: str, evaluators: Iterable[str], noun: str = "gate", also: Sequence[str] = ()) -> Target:
    """The evaluator before the first dot and the field after it, in any spelling of a path. `noun` is what messages say.
    `also` are names that hints know beside those of evaluators.

    Raises Problems (config) when no evaluator has that name or the path is malformed.
    """
    name, dot, path = text.partition(".")
    known = tuple(evaluators)
    if name not in known:
        raise problem(
            "unknown-evaluator",
            f'the {noun} "{text}" names the evaluator "{name}", and the suite has none of that name',
            hint=suggestion(name, (*known, *also)) or f"evaluators: {', '.join(known)}",
        )
    if dot and not path:
        raise problem("empty-field", f'the {noun} "{text}" ends in a dot', hint=f'"{name}" is the whole evaluator')
    try:
        return Target(name, parse(path).canonical if path else None)
    except BadPath as error:
        raise problem("bad-path", f'the field of the {noun} "{text}" cannot be read: {error}', hint=error.hint) from None


def check_gates(
    gates: Iterable[Gate],
    fields: Mapping[str, Sequence[str] | None],
    slices: Sequence[str] = (),
    variants: Sequence[str] = (),
    figures: Mapping[str, Sequence[str]] = MappingProxyType({}),
    labels: Mapping[str, Sequence[str] | None] = MappingProxyType({}),
) -> list[Issue]:
    """Every gate that names something the suite does not have, as config issues, before row 1.

    `fields` gives each evaluator its closed list of canonical paths, `()` for one that has no fields, and None for an
    open tree, whose fields are known only after the run. `slices` are the columns that the suite slices by. `figures`
    are the further figures that evaluators make.
    """
    columns = tuple(_bare(column) for column in slices)
    return [
        Issue(code, Blame.CONFIG, message, gate.where, hint)
        for gate in gates
        for code, message, hint in (
            *(() if gate.of_measure or gate.of_labels else _figure_gaps(gate, figures.get(gate.target.evaluator, ()))),
            *(() if gate.of_measure or gate.of_labels else _field_gaps(gate, fields[gate.target.evaluator])),
            *(_label_gaps(gate, labels) if gate.of_labels else ()),
            *_slice_gaps(gate, columns),
            *_variant_gaps(gate, variants),
        )
    ]


_Gap: TypeAlias = tuple[str, str, str | None]


def _figure_gaps(gate: Gate, made: Sequence[str]) -> Iterable[_Gap]:
    name, path = gate.target
    further = ["mean_score"] if path is not None and "mean_score" in made else [] if path is not None else [*made]
    known = [*(_OF_ROWS if path is None else _OF_FIELDS), *_POOLED, *further]
    if gate.figure in known:
        return
    about = f'a field of "{name}"' if path is not None else f'the evaluator "{name}"'
    meant = (
        "accuracy" if path is not None and gate.figure in _OF_ROWS else "pass_rate" if gate.figure in _OF_FIELDS else ""
    )
    yield (
        "no-such-figure",
        f'the gate "{gate.written}" asks for the figure {gate.figure}, and {about} has none',
        f"write figure: {meant}; its figures: {', '.join(known)}" if meant else f"its figures: {', '.join(known)}",
    )


def _field_gaps(gate: Gate, paths: Sequence[str] | None) -> Iterable[_Gap]:
    name, path = gate.target
    if paths is None and path is not None and _slice_column(gate.config) is not None:
        yield (
            "no-fields-in-slices",
            f'the gate "{gate.written}" is about a field in slices, and "{name}" counts its fields over the whole run only',
            f'gate "{name}" itself in each slice, or the field over the whole run',
        )
    if paths is None:
        return
    if not paths and (path is not None or gate.figure in _POOLED):
        wanted = f'a field, "{path}"' if path is not None else gate.figure
        yield (
            "no-fields",
            f'the gate "{gate.written}" asks for {wanted}, and the evaluator "{name}" has no fields',
            f'its figures are mean and pass_rate, with the target "{name}"',
        )
    elif path is not None and path not in paths:
        yield (
            "unknown-field",
            f'the gate "{gate.written}" names the field "{path}", and the evaluator "{name}" has none of that path',
            suggestion(path, paths) or f"fields: {', '.join(paths)}",
        )


def _label_gaps(gate: Gate, labels: Mapping[str, Sequence[str] | None]) -> Iterable[_Gap]:
    name, label = gate.target.evaluator, gate.config.label
    if name not in labels or gate.target.field is not None:
        yield (
            "no-labels",
            f'the gate "{gate.written}" is about labels, and "{gate.written}" counts none',
            f"evaluators that count labels: {', '.join(labels)}" if labels else "exact_match counts labels",
        )
    elif label is not None and (listed := labels[name]) is not None and label not in listed:
        yield (
            "unknown-label",
            f'the gate "{gate.written}" is about the label "{label}", and "{name}" lists none of that name',
            suggestion(label, listed) or f"labels: {', '.join(listed)}",
        )


def _slice_gaps(gate: Gate, columns: Sequence[str]) -> Iterable[_Gap]:
    column = _slice_column(gate.config)
    if column is not None and column not in columns:
        yield (
            "unknown-slice",
            f'the gate "{gate.written}" is about slices by "{column}", and the suite does not slice by that column',
            suggestion(column, columns) or f"add it to the suite: slices: [row.{column}]",
        )


def _variant_gaps(gate: Gate, variants: Sequence[str]) -> Iterable[_Gap]:
    wanted = gate.config.variant
    if wanted is not None and wanted not in variants:
        known = (
            f"variants: {', '.join(variants)}" if variants else "this test set has one output per row, and no variants"
        )
        yield (
            "unknown-variant",
            f'the gate "{gate.written}" is about the variant "{wanted}", and the test set has none of that name',
            suggestion(wanted, variants) or known,
        )


def judge_gates(
    gates: Iterable[Gate],
    evaluators: Iterable[EvaluatorStats],
    slices: Iterable[EvaluatorStats] = (),
    measures: Iterable[MeasureStats] = (),
    tables: Iterable[LabelTable] = (),
) -> tuple[GateResult, ...]:
    """One result per gate, variant and slice, in the order of the gates and then of the figures."""
    every: tuple[EvaluatorStats | MeasureStats, ...] = (*evaluators, *slices, *measures)
    whole, parts = [one for one in every if one.slice is None], [one for one in every if one.slice is not None]
    by_labels = {(one.evaluator, one.variant): one for one in tables}
    return tuple(
        result for gate in gates for result in _judge(gate, parts if _slice_column(gate.config) else whole, by_labels)
    )


def _judge(
    gate: Gate,
    candidates: Sequence[EvaluatorStats | MeasureStats],
    tables: Mapping[tuple[str, str | None], LabelTable],
) -> Iterable[GateResult]:
    found = [stats for stats in candidates if _concerns(gate, stats)]
    for stats in found:
        if isinstance(stats, MeasureStats):
            yield _judge_measure(gate, stats)
        elif gate.of_labels:
            yield _judge_labels(gate, stats, tables.get((stats.name, stats.variant)))
        else:
            yield _judge_one(gate, stats)
    if not found:
        wanted = gate.config.slice
        one_slice = next(((_bare(column), value) for column, value in wanted.items()), None) if wanted else None
        yield GateResult(
            gate.written, gate.figure, None, 0, gate.config.limit, "undecided",
            _no_such_slice(one_slice, candidates) if one_slice else "no row was measured", gate.config.variant, one_slice,
        )  # fmt: skip


def _no_such_slice(wanted: tuple[str, str], slices: Iterable[EvaluatorStats | MeasureStats]) -> str:
    column, value = wanted
    values = dict.fromkeys(one.slice[1] for one in slices if one.slice and _bare(one.slice[0]) == column)
    if not values or value in values:
        return "no row was measured"
    more = ", …" if len(values) > _MOST_VALUES else ""
    shown = ", ".join(f'"{one}"' for one in list(values)[:_MOST_VALUES])
    return f'no row was measured: the column "{column}" has {shown}{more}'


_MOST_VALUES: Final = 5


def _concerns(gate: Gate, stats: EvaluatorStats | MeasureStats) -> bool:
    config = gate.config
    if (
        gate.of_measure is not isinstance(stats, MeasureStats)
        or stats.name != gate.target.evaluator
        or config.variant not in (None, stats.variant)
    ):
        return False
    column = _slice_column(config)
    if column is None:
        return True
    if stats.slice is None or _bare(stats.slice[0]) != column:
        return False
    return config.slice is None or stats.slice[1] in config.slice.values()


def _judge_one(gate: Gate, stats: EvaluatorStats) -> GateResult:
    config = gate.config
    field = _field_of(gate, stats)
    if gate.target.field is not None and field is None:
        value, measured, verdict, message = None, 0, _UNDECIDED, _unmet_field(gate.target.field, stats)
    else:
        bound = config.using == "lower_bound"
        value = _lower_bound(gate.figure, stats, field) if bound else _figure(gate.figure, stats, field)
        measured = _measured(gate.figure, stats, field)
        words = gate.figure.replace("_", " ")
        verdict, message = _decide(
            config, value, measured, f"lower bound of the {words}" if bound else words, _why_unknown(stats)
        )
        message += _items(measured, field)
        if verdict != _UNDECIDED:
            verdict, message = _covered(gate, stats, field, verdict, message)
    return GateResult(
        gate.written, gate.figure, value, measured, config.limit, verdict, message, stats.variant, stats.slice
    )


_UNDECIDED: Judged = "undecided"


def _judge_labels(gate: Gate, stats: EvaluatorStats, table: LabelTable | None) -> GateResult:
    """The gate on one label, or on an average of all."""
    config, label = gate.config, gate.config.label
    average, _, short = gate.figure.partition("_")
    one = None if table is None else table.average(average) if label is None else table.figures(label)
    value: float | None = None if one is None else getattr(one, gate.figure if label is not None else short)
    if table is None:
        verdict, message = _UNDECIDED, f"no labels were counted; list them in the suite: labels: [{label or '…'}]"
    elif one is None:
        known = [each.label for each in table.labels]
        hint = suggestion(str(label), known) or f"labels: {', '.join(known[:_MOST_VALUES])}"
        verdict, message = _UNDECIDED, f'no row expects the label "{label}"; {hint}'
    else:
        words = gate.figure.replace("_", " ") + (f' of "{label}"' if label is not None else "")
        verdict, message = _decide(config, value, one.expected, words, "")
        if verdict != _UNDECIDED:
            verdict, message = _covered(gate, stats, None, verdict, message)
    measured = one.expected if one is not None else 0
    return GateResult(
        gate.written, gate.figure, value, measured, config.limit, verdict, message, stats.variant, None, label
    )


def _judge_measure(gate: Gate, stats: MeasureStats) -> GateResult:
    config = gate.config
    value: float | None = getattr(stats, gate.figure)
    verdict, message = _decide(config, value, stats.measured, gate.figure, "", beside_quantity)
    found = Reach(stats.measured, stats.missing + stats.unreadable)
    if verdict != _UNDECIDED and config.coverage != "any" and found.short_of(config.coverage):
        asked = limit_text(config.coverage)
        verdict, message = _UNDECIDED, f"{message}, on only {found.of}; the gate asks for {asked} of them"
    return GateResult(
        gate.written, gate.figure, value, stats.measured, config.limit, verdict, message, stats.variant, stats.slice
    )


def _field_of(gate: Gate, stats: EvaluatorStats) -> FieldStats | None:
    return next((field for field in stats.fields if field.path == gate.target.field), None)


def _unmet_field(path: str, stats: EvaluatorStats) -> str:
    known = [field.path for field in stats.fields]
    together = re.sub(r"\[\d+\]", "[*]", path)
    if together != path and together in known:
        return f'write "{together}": the items of a list are counted together, so "{path}" has no figure of its own'
    near = suggestion(path, known)
    said = f'no row has the field "{path}"'
    return f"{said}; {near}" if near else said


def _figure(figure: Figure | MeasureFigure, stats: EvaluatorStats, field: FieldStats | None) -> float | None:
    match figure:
        case "accuracy":
            return field.accuracy if field else None
        case "mean":
            return None if field else stats.mean
        case "pass_rate":
            return None if field else stats.pass_rate
        case "precision":
            return (field or stats).precision
        case "recall":
            return (field or stats).recall
        case "f1":
            return (field or stats).f1
        case "mean_score" if field:
            return field.mean_score
        case _:
            found = None if field else stats.figure(figure)
            return found.mean if found else None


def _ratio(figure: Figure | MeasureFigure, field: FieldStats | None) -> Ratio | None:
    """The figure, where it is one sum over all values divided by another; the mean score of a field is over the same."""
    if field is not None and figure == "mean_score":
        return "accuracy"
    return figure if figure in ("accuracy", "precision", "recall", "f1") else None


def _lower_bound(figure: Figure | MeasureFigure, stats: EvaluatorStats, field: FieldStats | None) -> float | None:
    """The lower end of the figure's 95 % interval; None where there is none."""
    ratio = _ratio(figure, field)
    if ratio is None:
        found = stats.mean_interval if figure == "mean" else stats.interval
        return found.low if found else None
    bound = stats.bound(field.path if field else None, ratio)
    if bound is not None and bound.interval is not None:
        return bound.interval.low
    return 0.0 if _figure(figure, stats, field) == 0 else None


def _measured(figure: Figure | MeasureFigure, stats: EvaluatorStats, field: FieldStats | None) -> int:
    """The rows on which the figure is defined."""
    further = None if field else stats.figure(figure)
    if further is not None:
        return further.rows
    ratio = _ratio(figure, field)
    if ratio is None:
        return stats.scored - stats.empty_expected
    bound = stats.bound(field.path if field else None, ratio)
    return bound.rows if bound else 0


def _items(rows: int, field: FieldStats | None) -> str:
    """What is said of a field of which a row may have several values."""
    return (
        f"; {counted(field.counts.measured, 'item')} in {rows_text(rows)}"
        if field and field.counts.measured > rows > 0
        else ""
    )


def _why_unknown(stats: EvaluatorStats) -> str:
    return "slices are not counted by cluster" if stats.slice is not None else "there is nothing to divide by"


def watches(gates: Iterable[Gate], lines: Iterable[EvaluatorLine]) -> dict[str, Watch]:
    """The figures that gates name and that need to know what each row added to them, by evaluator."""
    settings = {line.name: line.settings for line in lines}
    found: dict[str, dict[Watched, None]] = {}
    for gate in gates:
        path = gate.target.field
        ratio = "accuracy" if path is not None and gate.figure == "mean_score" else gate.figure
        if ratio in ("accuracy", "precision", "recall", "f1") and not gate.of_labels:
            found.setdefault(gate.target.evaluator, {})[path, ratio] = None
    return {
        name: Watch(
            tuple(targets), tuple(settings[name].scored_fields().names),
            settings[name].scored_fields().surplus.keys,
        )
        for name, targets in found.items()
        if name in settings
    }  # fmt: skip


def _decide(
    config: AnyGateConfig,
    value: float | None,
    measured: int,
    figure: str,
    unknown: str,
    beside: Callable[[float, float], str] = beside_limit,
) -> tuple[Judged, str]:
    if measured < config.min_rows:
        if measured == 0:
            return "undecided", "no row was measured"
        return "undecided", f"only {rows_text(measured)} measured, and the gate asks for {config.min_rows:,}"
    if value is None:
        if config.using == "lower_bound":
            return "undecided", f"{figure} is unknown: {unknown}"
        return "undecided", f"{figure} is undefined: there is nothing to divide by"
    for name in ("fail_below", "fail_above", "warn_below", "warn_above"):
        limit = getattr(config, name)
        if limit is not None and _misses(value, limit, name.endswith("below")):
            side = name.partition("_")[2]
            verdict: Judged = "failed" if name.startswith("fail") else "warned"
            return verdict, f"{figure} {beside(value, limit)} is {side} {limit_text(limit)}"
    tightest = next(
        limit
        for limit in (config.warn_below, config.fail_below, config.warn_above, config.fail_above)
        if limit is not None
    )
    return "passed", f"{figure} {beside(value, tightest)}"


def _covered(
    gate: Gate, stats: EvaluatorStats, field: FieldStats | None, verdict: Judged, message: str
) -> tuple[Judged, str]:
    """What was decided, unless the figure speaks of too few of the rows."""
    config = gate.config
    unseen = unseen_by_precision(stats) if gate.figure == "precision" else ""
    if config.coverage != "any":
        found = reach(stats, field)
        if found.short_of(config.coverage):
            certain = _fails_whatever(gate, stats, field)
            if verdict == "failed" and certain:
                return verdict, f"{message}, and would be with every row that was kept out {certain}"
            return _UNDECIDED, f"{message}, on only {found.of}; the gate asks for {limit_text(config.coverage)} of them"
        seen = Reach(stats.scored - stats.gave_nothing, stats.gave_nothing)
        if unseen and verdict != "failed" and seen.short_of(config.coverage):
            return _UNDECIDED, f"{message}; {unseen}"
    return verdict, f"{message}; {unseen}" if unseen else message


def _fails_whatever(gate: Gate, stats: EvaluatorStats, field: FieldStats | None) -> str | None:
    """`right` or `wrong`: what rows that were kept out could be at best, where the gate fails all the same.

    None where they could save it, and for figures in which a row has no fixed weight.
    """
    if field is not None or gate.figure in _POOLED:
        return None
    config, further = gate.config, stats.figure(gate.figure)
    mean, rows = (further.mean, further.rows) if further else (_figure(gate.figure, stats, None), stats.scored)
    if mean is None:
        return None
    if config.fail_below is not None and best_mean(mean, rows, stats.kept_out) < config.fail_below:
        return "right"
    if config.fail_above is not None and worst_mean(mean, rows, stats.kept_out) > config.fail_above:
        return "wrong"
    return None


def _misses(value: float, limit: float, below: bool) -> bool:
    return value < limit if below else value > limit


_UNSAID: Final = ("mean", "accuracy")
"""What a gate is about that names no figure."""


def gate_label(gate: GateResult) -> str:
    """The gate's target with what sets it apart, for people: `header.total (recall, supplier = ACME)`."""
    about = [] if gate.figure in _UNSAID else [gate.figure.replace("_", " ")]
    if gate.label is not None:
        about.append(f"label {gate.label}")
    if gate.variant is not None:
        about.append(f"variant {gate.variant}")
    if gate.slice is not None:
        about.append(f"{_bare(gate.slice[0])} = {gate.slice[1]}")
    return f"{gate.target} ({', '.join(about)})" if about else gate.target


def _slice_column(config: AnyGateConfig) -> str | None:
    if config.each_slice is not None:
        return _bare(config.each_slice)
    return next((_bare(column) for column in config.slice), None) if config.slice is not None else None


def _bare(column: str) -> str:
    return column.removeprefix("row.")


def _as_text(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value


def read_gate(written: str, config: GateConfig, evaluators: Iterable[str], where: str | None = None) -> Gate:
    """A gate with its target resolved.

    Raises Problems (config), placed at `where`, when the target cannot be read.
    """
    try:
        return Gate(written, parse_target(written, evaluators), config, where)
    except Problems as error:
        raise Problems([issue.at(where) if where else issue for issue in error.issues]) from None
