"""Comparing from beginning to end: two runs, a run and its suite's baseline, or the variants of one run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from evaluators.api.suite import Suite
from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.model.registry import suggestion
from evaluators.reports.compared_values import field_examples
from evaluators.reports.rows import row_views, why_of
from evaluators.runs.compare.baseline import write_baseline
from evaluators.runs.compare.compare_section import CompareConfig, RegressionCheck, listed_fields, regression_check_target
from evaluators.runs.compare.comparing import compare_sides, variant_side
from evaluators.runs.compare.comparison import Ranking, RunComparison
from evaluators.runs.compare.pairs import Side, side_of, side_of_metrics
from evaluators.runs.compare.variant_ranking import rank_variants
from evaluators.runs.exit_code import Facts, causes, exit_code
from evaluators.runs.reader import Run
from evaluators.runs.run_db import RUN_DB
from evaluators.runs.store import RUN_JSON


def compare(
    base: Run | Side | str | Path,
    new: Run | Side | str | Path,
    *,
    suite: Suite | None = None,
    fail_on: Iterable[str] | None = None,
    max_broken_rows: int | None = None,
    max_drop: Mapping[str, float] | None = None,
    common: bool = False,
    across_settings: bool = False,
) -> RunComparison:
    """The comparison of a run with a base, each a run that `evaluate` gave, a run folder, or a `run.json` alone.

    `suite` brings the rules of its section `compare`; `fail_on`, `max_broken_rows` and `max_drop` (by evaluator or field) take their place.
    With `common`, different runs are compared in the rows and evaluators that both have; with `across_settings`, also evaluators whose
    settings differ. Raises Problems when there is no such run, or a rule names something that there is not. Runs that cannot be compared
    are no exception: the result says why, under `incomparable`.
    """
    before, after = open_side(base), open_side(new)
    config = suite.compare if suite is not None else CompareConfig()
    fields = listed_fields(suite.config.lines) if suite is not None else {}
    targets = {written: regression_check_target(written, fields) for written in config.regression_checks}
    changes: dict[str, object] = {}
    if fail_on is not None:
        changes["fail_on"] = _check_rules(fail_on)
    if fail_on is not None or max_broken_rows is not None:
        changes["max_broken_rows"] = max_broken_rows
    regression_checks = dict(config.regression_checks)
    for written, drop in (max_drop or {}).items():
        targets[written] = regression_check_target(written, after.fields)
        limits = regression_checks.get(written)
        regression_checks[written] = (
            limits.model_copy(update={"max_drop": drop}) if limits else RegressionCheck(max_drop=drop)
        )
    config = config.model_copy(update={**changes, "regression_checks": regression_checks})
    comparison = compare_sides(before, after, config, targets, common=common, across_settings=across_settings)
    comparison = _with_reasons(comparison, after)
    return replace(comparison, examples=field_examples(comparison, before, after))


def _with_reasons(comparison: RunComparison, new: Side) -> RunComparison:
    """The comparison, in which each broken row says what is wrong now, as far as the new run recorded it."""
    if new.record is None:
        return comparison
    broken = {(row.variant, row.number): row.broken for row in comparison.changed if row.broken}
    why: dict[tuple[str | None, int], dict[str, str]] = {}
    for variant in {variant for variant, _ in broken}:
        for row in row_views(new.record, (new.variant if variant is None else variant,)):
            names = broken.get((variant, row.number), ())
            why[variant, row.number] = {
                result.evaluator: why_of(result) for result in row.evaluators if result.evaluator in names
            }
    changed = (
        replace(row, reasons={**row.reasons, **why.get((row.variant, row.number), {})}) for row in comparison.changed
    )
    return replace(comparison, changed=tuple(changed))


def compare_with_baseline(suite: Suite, new: Path, **options: Any) -> RunComparison:
    """The comparison of a run with the baseline of a suite; `options` are as for `compare`. Raises Problems as that does."""
    return compare(baseline_of(suite), new, suite=suite, **options)


def compare_variants(run: Path, names: Sequence[str], *, suite: Suite | None, **options: Any) -> RunComparison:
    """The variants of one run, ranked; two of them are also compared row by row, the first as the base.

    Without names, all variants are compared. `suite` and `options` are as for `compare`, and count for two variants alone; nothing fails
    where `options` names no rule. Raises Problems where the run has fewer than two variants or none of a name, and for one name alone.
    """
    side = open_side(run)
    if len(side.variants) < 2:
        raise problem(
            "no-variants", "this run has no variants to compare", where=str(run), hint="compare two runs: BASE NEW"
        )
    unknown = [name for name in names if name not in side.variants]
    if unknown:
        known = f"variants: {', '.join(side.variants)}"
        raise Problems(
            Issue("unknown-variant", Blame.CONFIG, f'the run has no variant "{name}"', str(run),
                  suggestion(name, side.variants) or known)
            for name in unknown
        )  # fmt: skip
    chosen = tuple(dict.fromkeys(names)) or side.variants
    if len(chosen) < 2:
        raise problem(
            "one-variant", "one variant alone has nothing to be compared with", hint="name two, or none for all"
        )
    rankings = rank_variants(side, chosen)
    if len(chosen) == 2:
        base, new = (variant_side(side, name) for name in chosen)
        return replace(compare(base, new, suite=suite, **{"fail_on": (), **options}), rankings=rankings)
    rows = max((ranking.rows for ranking in rankings), default=0)
    comparison = RunComparison(
        chosen[0], ", ".join(chosen[1:]), side.result.name, rows, 0, 0, 0, rankings=rankings, cluster=side.result.cluster
    )
    facts = Facts(issues=tuple(_not_ranked(rankings)))
    return replace(comparison, exit_code=exit_code(facts), causes=causes(facts))


def _not_ranked(rankings: Iterable[Ranking]) -> Iterator[Issue]:
    """Yields a warning for each variant that a ranking leaves out because it lacks too many of the rows that others have."""
    for ranking in rankings:
        for ranked in ranking.unranked:
            lacks = f"{ranked.lacking:,} of the {ranked.others:,} rows that others have"
            message = f'the variant "{ranked.variant}" is not ranked by {ranking.evaluator}: it lacks {lacks}'
            yield Issue("not-ranked", Blame.TESTSET, message)


def compared_sides(places: Sequence[Path], variants: Sequence[str] | None, suite: Suite | None) -> tuple[Side, Side]:
    """(base, new): the two runs of a comparison, opened. They are at two places; or two variants of the run at one place (`variants`,
    all two of them where it is empty); or the baseline of a suite and the run at one place."""
    *base, new = map(open_side, places)
    if variants is not None:
        first, second = (variant_side(new, name) for name in dict.fromkeys(variants or new.variants))
        return first, second
    if base:
        return base[0], new
    if suite is None:
        raise ValueError("a run alone is compared with nothing")
    return open_side(baseline_of(suite)), new


def baseline_of(suite: Suite) -> Path:
    """The run folder that a suite names as its baseline. Raises Problems (config) when it names none."""
    name = suite.compare.baseline
    if name is None:
        raise problem(
            "no-baseline",
            "the suite names no baseline",
            where=suite.config.source.name,
            hint="add compare: {baseline: baselines/main}, or name a BASE to compare with",
        )
    folder = suite.config.source.folder_of(("compare",)) or suite.folder
    return folder / name


def update_baseline(run: Path, place: Path) -> int:
    """Copies a run folder to the place of the baseline, and returns the number of its rows. Raises Problems when the run is damaged, or
    is not whole: a baseline of a part would hide rows."""
    side = open_side(run)
    if side.record is None:
        message = "there are metrics in it, and no record of the rows, which a baseline is made from"
        raise problem("no-record", message, where=str(run), hint="name the run folder")
    if not side.result.complete:
        raise problem("partial-run", "the run was interrupted, and a baseline is made from whole runs", where=str(run))
    from evaluators.reports.report_files import folder_names  # who compares does without the formats

    write_baseline(place, side.record, folder_names)
    return sum(variant.rows for variant in side.record.facts.variants)


def open_side(run: Run | Side | str | Path) -> Side:
    """A run with its rows in memory, from a program or a folder; from a `run.json` alone only its metrics. Raises Problems when
    there is none."""
    if isinstance(run, Side):
        return run
    if isinstance(run, Run):
        return side_of(run, run.result.name)
    place = Path(run)
    has_rows = place.is_dir() or (place.name == RUN_JSON and os.path.lexists(place.with_name(RUN_DB)))
    if has_rows or not place.exists():  # where nothing is, `Run` says so
        return side_of(Run(place), str(run))
    return side_of_metrics(Run(place), str(run))


def _check_rules(names: Iterable[str]) -> tuple[str, ...]:
    """The names of rules, as they were given. Raises Problems (config) for a name that no rule has."""
    known, targets = ("significant_drop", "broken_rows"), tuple(names)
    for name in targets:
        if name not in known:
            hint = suggestion(name, known) or f"known: {', '.join(known)}"
            raise problem("unknown-rule", f'there is no rule "{name}"', hint=hint)
    return targets
