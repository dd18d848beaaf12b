"""Two runs of which one has metrics alone, in a `run.json` without its `run.db`: the metrics of both, without pairs of rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import hypot

from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue
from evaluators.runs.compare.compare_section import CompareConfig
from evaluators.runs.compare.comparison import (
    Difference,
    LabelDifference,
    NumericColumnDifference,
    RunComparison,
)
from evaluators.runs.compare.pairs import Side
from evaluators.runs.compare.regression_checks import judge_regression_checks
from evaluators.runs.compare.wording import sentence
from evaluators.runs.exit_code import Facts, causes, exit_code
from evaluators.runs.gate_targets import EVERY
from evaluators.runs.metric_table import LABEL_METRICS, MEASURE_METRICS
from evaluators.runs.result import ConfusionMatrix, EvaluatorStats, Interval, NumericColumnStats
from evaluators.runs.wording import Finding


def compare_metrics(
    empty: RunComparison,
    base: Side,
    new: Side,
    evaluators: Sequence[str],
    config: CompareConfig,
    targets: Mapping[str, tuple[str, str | None]],
) -> RunComparison:
    """The comparison `empty`, filled in with the metrics of some evaluators, each over all rows of its run. `targets` gives the evaluator
    and the field of each regression check of `config`.

    Only limits on a drop can be checked. Every other rule is about rows or pairs of them: the result says that it is incomparable in it.
    """
    alone = [side for side, side_run in (("the base", base), ("the new run", new)) if not side_run.has_rows]
    sides, count = " and ".join(alone), len(alone)
    by_row = list(_rules_of_rows(config, targets))
    drops = {
        name: check
        for name, check in config.regression_checks.items()
        if check.max_drop is not None and targets[name][1] != EVERY
    }
    held = config.model_copy(
        update={
            "fail_on": (),
            "max_broken_rows": None,
            "regression_checks": {
                name: check.model_copy(update={"max_broken_rows": None}) for name, check in drops.items()
            },
        }
    )
    differences = list(_differences(base, new, evaluators))
    checks = judge_regression_checks(held, targets, differences, 0, 0, (base.fields, new.fields))
    issues = [Issue("undecided", Blame.TESTSET, check.message) for check in checks if check.verdict == "undecided"]
    failed = tuple(f"{check.rule} of {check.target}: {check.message}" for check in checks if check.verdict == "failed")
    notes = [Finding("metrics-alone", {"sides": sides, "count": count})]
    if any(getattr(base.result, name) != getattr(new.result, name) for name in ("data_fingerprint", "rows")):
        notes.append(Finding("other-data", {"base": base.result.rows, "new": new.result.rows}))
    needed = Finding("rows-needed", {"rules": by_row, "many": len(by_row), "sides": sides, "count": count})
    against = (sentence(needed),) if by_row else ()
    facts = Facts(issues=tuple(issues), regressions=failed, incomparable=against)
    return replace(
        empty,
        unpaired=True,
        notes=(*empty.notes, *map(sentence, notes)),
        evaluators=tuple(difference for difference in differences if difference.field is None),
        fields=tuple(difference for difference in differences if difference.field is not None),
        measures=tuple(measure_differences(base.result.whole_measures, new.result.whole_measures)),
        labels=tuple(label_differences(base.result.confusion_matrices, new.result.confusion_matrices, evaluators)),
        regression_checks=checks,
        incomparable=against,
        exit_code=exit_code(facts),
        causes=causes(facts),
    )


def _rules_of_rows(config: CompareConfig, targets: Mapping[str, tuple[str, str | None]]) -> Iterator[str]:
    """The rules that look at rows: all but the limit on the drop of one evaluator or one field."""
    yield from config.rules
    for name, check in config.regression_checks.items():
        if check.max_broken_rows is not None:
            yield f"max_broken_rows of {name}"
        if check.max_drop is not None and targets[name][1] == EVERY:
            yield f"max_drop of {name}"


def _differences(base: Side, new: Side, evaluators: Sequence[str]) -> Iterator[Difference]:
    """Yields the differences of the mean of each evaluator and the score of each field that both runs list, by variant, in the order of the
    new run."""
    before = {(evaluator.name, evaluator.variant): evaluator for evaluator in base.result.evaluators}
    for now in new.result.evaluators:
        was = before.get((now.name, now.variant))
        if was is None or now.name not in evaluators:
            continue
        yield _difference(now, None, (was.mean, now.mean), _interval(was, now))
        scores = {field.path: field.score for field in was.fields}
        for field in now.fields:
            if field.path in scores:
                yield _difference(now, field.path, (scores[field.path], field.score), None)


def _difference(
    stats: EvaluatorStats, field: str | None, sides: tuple[float | None, float | None], ci: Interval | None
) -> Difference:
    """The difference of an evaluator, or of its field, without a test or pairs of rows. `sides` are its values in the base and in the new
    run: it is not measured where one of them is None."""
    was, now = sides
    change = None if was is None or now is None else now - was
    return Difference(
        stats.name, field, pairs=0, base=was, new=now, difference=change, ci=ci, p_value=None, p_value_corrected=None,
        verdict="not tested" if change is not None else "not measured", fixed=0, broken=0, unpaired=0,
        minimum_detectable_effect=None, variant=stats.variant,
    )  # fmt: skip


def _interval(was: EvaluatorStats, now: EvaluatorStats) -> Interval | None:
    """The interval of the difference of two means of other rows, from the interval of each.

    Source: Zou and Donner 2008, "Construction of confidence limits about effect measures", Statistics in Medicine 27.
    """
    if was.mean is None or now.mean is None or was.mean_ci is None or now.mean_ci is None:
        return None
    change = now.mean - was.mean
    down = hypot(now.mean - now.mean_ci.low, was.mean_ci.high - was.mean)
    up = hypot(now.mean_ci.high - now.mean, was.mean - was.mean_ci.low)
    return Interval(change - down, change + up)


def label_differences(
    base: Sequence[ConfusionMatrix], new: Sequence[ConfusionMatrix], evaluators: Collection[str]
) -> Iterator[LabelDifference]:
    """Yields the differences of the metrics of each label that both runs have, then of the averages, of those evaluators, in the order of
    the new run."""
    before = {(table.evaluator, table.variant): table for table in base}
    for table in new:
        was = before.get((table.evaluator, table.variant))
        if was is None or table.evaluator not in evaluators:
            continue
        for average, old, now in ((False, was.labels, table.labels), (True, was.averages, table.averages)):
            known = {metrics.label: metrics for metrics in old}
            for metrics in now:
                for name in [metric.name for metric in LABEL_METRICS if metric.compared and metrics.label in known]:
                    both = _both_and_difference(known[metrics.label], metrics, name)
                    yield LabelDifference(
                        table.evaluator, metrics.label, average, name, *both, metrics.support, table.variant
                    )


def measure_differences(
    base: Sequence[NumericColumnStats], new: Sequence[NumericColumnStats]
) -> Iterator[NumericColumnDifference]:
    """Yields the differences of the metrics of each measure that both runs have, in the order of the new one."""
    before = {(measure.name, measure.variant): measure for measure in base}
    for measure in new:
        if (was := before.get((measure.name, measure.variant))) is not None:
            for metric in (each.name for each in MEASURE_METRICS if each.compared):
                yield NumericColumnDifference(
                    measure.name, metric, *_both_and_difference(was, measure, metric), measure.variant
                )


def _both_and_difference(was: object, now: object, metric: str) -> tuple[float | None, float | None, float | None]:
    """The metric in the base and in the new run, and the difference; that is None where one of them is."""
    old, new = getattr(was, metric), getattr(now, metric)
    return old, new, None if old is None or new is None else new - old
