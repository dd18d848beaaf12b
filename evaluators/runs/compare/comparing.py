"""Comparing two runs row by row, and the variants of one run with each other.

Rows are paired by id. Nothing is compared unless both runs asked the same question: the same rows, with the same expected
answers, scored by evaluators that mean the same. What differs is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, Final

from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue
from evaluators.runs.compare.changes import changed_rows
from evaluators.runs.compare.compare_section import CompareConfig
from evaluators.runs.compare.comparison import (
    CHANGES,
    Change,
    ChangedRow,
    Difference,
    RegressionCheckResult,
    RunComparison,
)
from evaluators.runs.compare.paired_differences import all_differences
from evaluators.runs.compare.pairs import Pairs, Side, pair_rows
from evaluators.runs.compare.regression_checks import judge_regression_checks
from evaluators.runs.compare.unpaired import compare_metrics, label_differences, measure_differences
from evaluators.runs.compare.wording import sentence
from evaluators.runs.exit_code import Facts, causes, exit_code
from evaluators.runs.reader import Run
from evaluators.runs.result import RepeatStats, RunResult
from evaluators.runs.wording import Finding
from evaluators.testsets.naming_key import naming_keys


def compare_sides(
    base: Side,
    new: Side,
    config: CompareConfig = CompareConfig(),
    targets: Mapping[str, tuple[str, str | None]] | None = None,
    *,
    common: bool = False,
    across_settings: bool = False,
) -> RunComparison:
    """The comparison of a new run with a base.

    `targets` gives the evaluator and the field of each regression check of `config`. With `common`, runs that differ in their rows or
    evaluators are compared in what they have in common, and the differences are notes. With `across_settings`, evaluators whose
    settings differ are compared too, with a note.
    """
    named = [variant for variant in new.rows if variant in base.rows]
    pairs = {variant: pair_rows(base.rows[variant], new.rows[variant]) for variant in named}
    differing = other_corrections(base.result, new.result)
    with_rows = base.has_rows and new.has_rows
    corrected = list(rows_of_other_corrections(pairs, differing))
    if differing and not with_rows:
        corrected = [Finding("corrections-in-metrics", {"count": len(differing), "ids": sorted(differing)})]
    pairs = {variant: of_variant.apart_from(differing) for variant, of_variant in pairs.items()}
    one_sided = list(rows_of_one_run(pairs)) if with_rows else []
    questions = list(other_questions(pairs)) if with_rows else []
    against = list(reasons_against(base, new))
    changed = [finding for finding in against if across_settings and finding.code == "other-settings"]
    reasons = [finding for finding in against if finding not in changed]
    pairing = list(pairing_remarks(base, new, pairs)) if one_sided or questions else []
    empty = RunComparison(
        base.label, new.label, new.result.name, sum(len(paired_rows.both) for paired_rows in pairs.values()), 0, 0, 0,
        cluster=new.result.cluster, data={"base": base.result.data_fingerprint, "new": new.result.data_fingerprint},
        notes=tuple(map(sentence, (*corrected, *changed, *remarks(base, new, pairs.values() if with_rows else ())))),
    )  # fmt: skip
    aside = [Finding("set-aside", {"reason": reason}) for reason in (*reasons, *questions)]
    if not with_rows and (common or not reasons):  # a run has metrics alone, and these are compared
        empty = replace(empty, notes=(*empty.notes, *map(sentence, aside)))
        both = [name for name in new.fields if name in base.fields]
        return compare_metrics(
            empty, base, new, _common_evaluators(both, base, new, across_settings), config, targets or {}
        )
    if ((reasons or one_sided or questions) and not common) or not empty.rows:  # incomparable, with every reason
        rowless = [Finding("no-common-row")] if with_rows and not empty.rows else []
        facts = Facts(incomparable=tuple(map(sentence, (*reasons, *one_sided, *questions, *pairing, *rowless))))
        return replace(empty, incomparable=facts.incomparable, exit_code=exit_code(facts), causes=causes(facts))
    if common:
        pairs = {variant: of_variant.of_one_question() for variant, of_variant in pairs.items()}
        empty = replace(empty, notes=(*empty.notes, *map(sentence, (*aside, *one_sided, *pairing))))
    return _compare_pairs(empty, pairs, base, new, config, targets or {}, across_settings)


def _compare_pairs(
    empty: RunComparison,
    pairs: Mapping[str | None, Pairs],
    base: Side,
    new: Side,
    config: CompareConfig,
    targets: Mapping[str, tuple[str, str | None]],
    across_settings: bool,
) -> RunComparison:
    """Compares the paired rows, by the evaluators that mean the same on both sides, or by all that both have where
    `across_settings`. `empty` is the comparison to fill in, `targets` what the regression checks of `config` are about."""
    both = [name for name in new.fields if name in base.fields]
    alike = _common_evaluators(both, base, new, across_settings)
    shown = all_differences(pairs, alike, base, new, lost_is_broken=False)
    shown = tuple(_with_noise(difference, base, new) for difference in shown)
    held = (
        all_differences(pairs, alike, base, new, lost_is_broken=True)
        if any(difference.lost_passed for difference in shown)
        else shown
    )
    rows: list[ChangedRow] = []
    changes: Counter[Change] = Counter()
    for variant, of_variant in pairs.items():
        rows_of_variant, counts = changed_rows(of_variant, alike, base, new, variant)
        rows += rows_of_variant
        changes += counts
    broken = sum(bool(row.broken or row.lost_passed) for row in rows)
    lost = sum(bool(row.lost_passed and not row.broken) for row in rows)
    regression_checks = judge_regression_checks(config, targets, held, broken, lost, (base.fields, new.fields))
    facts = _exit_facts(shown, regression_checks, [row for row in rows if row.lost])
    return replace(
        empty,
        rows=changes.total(),
        **{change.replace(" ", "_"): changes[change] for change in CHANGES},
        one_sided=sum(len(paired_rows.base_only) + len(paired_rows.new_only) for paired_rows in pairs.values()),
        evaluators=tuple(difference for difference in shown if difference.field is None),
        fields=tuple(difference for difference in shown if difference.field is not None),
        measures=tuple(measure_differences(base.result.whole_measures, new.result.whole_measures)),
        labels=tuple(label_differences(base.result.confusion_matrices, new.result.confusion_matrices, alike)),
        changed=tuple(rows),
        regression_checks=regression_checks,
        exit_code=exit_code(facts),
        causes=causes(facts),
    )


def _common_evaluators(evaluators: Sequence[str], base: Side, new: Side, across_settings: bool) -> list[str]:
    """The evaluators that have the same settings in both runs; all of them `across_settings`."""
    was, now = base.result.meaning, new.result.meaning
    return [name for name in evaluators if across_settings or was.get(name) == now.get(name)]


def _exit_facts(
    differences: Sequence[Difference], judged: Sequence[RegressionCheckResult], lost: Sequence[ChangedRow]
) -> Facts:
    """The facts that decide the exit code of the comparison: undecided and failed regression checks, lost rows, and that nothing
    could be compared."""
    issues = [Issue("undecided", Blame.TESTSET, text) for text in _check_sentences(judged, "undecided")]
    if lost:
        issues.append(Issue("lost-rows", Blame.TESTSET, sentence(_lost_rows_finding(lost))))
    if all(difference.difference is None for difference in differences):
        issues.append(Issue("nothing-compared", Blame.TESTSET, sentence(Finding("nothing-compared"))))
    return Facts(issues=tuple(issues), regressions=tuple(_check_sentences(judged, "failed")))


def _check_sentences(judged: Sequence[RegressionCheckResult], verdict: str) -> Iterator[str]:
    """A sentence for each regression check with that verdict."""
    for check in judged:
        if check.verdict == verdict:
            name = Finding("check-of" if check.target else "check", {"rule": check.rule, "target": check.target})
            yield sentence(Finding(f"check-{verdict}", {"check": name, "message": check.message}))


def _lost_rows_finding(rows: Sequence[ChangedRow]) -> Finding:
    """How many rows are lost, why, and which."""
    why = Counter(
        word for row in rows for word in dict.fromkeys(row.reasons[name].partition(":")[0] for name in row.lost)
    )
    ids = [row.id or f"row {row.number}" for row in rows]
    return Finding("lost", {"count": len(rows), "why": sorted(why.items()), "ids": ids})


def variant_side(run: Side, variant: str) -> Side:
    """One variant of a run as a run of its own."""
    return replace(
        run, label=variant, variant=variant, result=run.result.of_variant(variant), rows={None: run.rows[variant]}
    )


def _with_noise(difference: Difference, base: Side, new: Side) -> Difference:
    """The difference of an evaluator with the share of pairs that the model's own noise changes, where both runs know it."""
    noises = [
        _noise_of_rows(stats)
        for side in (base, new)
        for stats in side.result.repeats
        if difference.field is None and (stats.evaluator, stats.variant) == (difference.evaluator, difference.variant)
    ]
    known = [noise for noise in noises if noise is not None]
    return replace(difference, noise=sum(known) / 2) if len(known) == 2 else difference


def _noise_of_rows(stats: RepeatStats) -> float | None:
    """How likely a row becomes another one of pass and fail where its question is asked again: the mean over the rows of groups with
    two attempts or more. A large group weighs more here than in the noise of a run, which is a mean over groups."""
    several = [share for share in stats.shares if share.attempts > 1]
    rows = sum(share.attempts * share.groups for share in several)
    changed = sum(
        Fraction(2 * share.passed * (share.attempts - share.passed) * share.groups, share.attempts - 1)
        for share in several
    )
    return float(changed / rows) if rows else None


def reasons_against(base: Side, new: Side) -> Iterator[Finding]:
    """Yields the reasons why the runs cannot be compared, whatever their rows are; nothing where they can."""
    if base.variants != new.variants and set(base.rows) != set(new.rows):
        yield Finding("other-variants", {"base": base.variants, "new": new.variants})
    for side, own, others in (("base", base.fields, new.fields), ("new run", new.fields, base.fields)):
        alone = [name for name in own if name not in others]
        if alone:
            yield Finding("one-sided-evaluators", {"side": side, "count": len(alone), "evaluators": alone})
    for name in ("", *(name for name in new.fields if name in base.fields)):
        was, now = base.result.meaning.get(name, {}), new.result.meaning.get(name, {})
        settings = [key for key in dict.fromkeys([*was, *now]) if was.get(key) != now.get(key)]
        if settings:
            code = "other-settings"
            if not name:  # the settings of no evaluator: of the judge, and of how the test set is read
                of_judge = all(key.startswith("judge → ") for key in settings)
                code = "other-judge" if of_judge else "other-reading"
            yield Finding(code, {"name": name, "settings": settings})
    for side, result in (("base", base.result), ("new run", new.result)):
        if not result.complete:
            yield Finding("interrupted", {"side": side})


def rows_of_one_run(pairs: Mapping[str | None, Pairs]) -> Iterator[Finding]:
    """Yields, for each variant and run, the finding that names the rows that only this run has."""
    for variant, of_variant in pairs.items():
        for side, lines in (("base", of_variant.base_only), ("new run", of_variant.new_only)):
            if ids := [line.id or f"row {line.row}" for line in lines]:
                yield Finding("one-sided-rows", {"variant": variant, "count": len(ids), "side": side, "ids": ids})


def pairing_remarks(base: Side, new: Side, pairs: Mapping[str | None, Pairs]) -> Iterator[Finding]:
    """Yields, for each variant whose rows were paired by their places for want of an id, a remark that says so, and names the column that
    would pair them where one is known."""
    for variant, of_variant in pairs.items():
        if of_variant.by_place:
            column = _naming_column(base, new, variant)
            yield Finding("by-place" if column is None else "by-place-column", {"variant": variant, "column": column})


def _naming_column(base: Side, new: Side, variant: str | None) -> str | None:
    """The column that is unlike in every row of both runs and shares values, as far as they kept their cells; the likeliest of several.
    None without any. Outputs name no row."""
    if base.record is None or new.record is None:
        return None
    namings = naming_keys(_first_cells(base, base.record, variant), _first_cells(new, new.record, variant))
    known = [naming for naming in namings if naming.shared]
    input_column = new.result.columns.get("input")
    known.sort(key=lambda naming: (not naming.is_called_id, naming.key != input_column, -naming.shared))
    return known[0].key if known else None


def _first_cells(side: Side, record: Run, variant: str | None) -> list[dict[str, Any]]:
    """The cells of the first rows of a run or of one variant of it, without those of the output."""
    lines = islice(record.cells(side.variant if variant is None else variant), _MOST_CELLS)
    output = side.result.columns.get("output")
    return [{name: cell for name, cell in line.cells.items() if name != output} for line in lines]


_MOST_CELLS: Final = 2_000


def other_corrections(base: RunResult, new: RunResult) -> set[str]:
    """The ids whose expected answers are corrected in another way, or in one of the runs alone."""
    return {id_ for id_, _, _ in _corrected_values(base) ^ _corrected_values(new)}


def _corrected_values(run: RunResult) -> set[tuple[str, str | None, str]]:
    """The corrections of a run that are not void, as (id of the row, path, new value)."""
    values = run.corrections.values if run.corrections else ()
    return {(value.id, value.path, value.new) for value in values if value.void is None}


def rows_of_other_corrections(pairs: Mapping[str | None, Pairs], differing: Collection[str]) -> Iterator[Finding]:
    """Yields, for each variant, the finding that names the rows that are set aside because their corrections differ."""
    for variant, of_variant in pairs.items():
        if ids := [line.id for line in of_variant.other_question if line.id in differing]:
            yield Finding("other-corrections", {"variant": variant, "count": len(ids), "ids": ids})


def other_questions(pairs: Mapping[str | None, Pairs]) -> Iterator[Finding]:
    """Yields, for each variant, the finding that names the rows that ask something else in the two runs."""
    for variant, of_variant in pairs.items():
        if ids := [f"{line.id} (row {line.row})" if line.id else f"row {line.row}" for line in of_variant.other_question]:
            yield Finding("other-question", {"variant": variant, "count": len(ids), "ids": ids})


def remarks(base: Side, new: Side, pairs: Iterable[Pairs]) -> Iterator[Finding]:
    """Yields remarks for readers on what differs between two runs that can be compared all the same: versions, fields, groups, ids that
    several rows share, and rows without a checksum."""
    if base.result.version != new.result.version:
        yield Finding("other-version", {"base": base.result.version, "new": new.result.version})
    for name in (name for name in new.fields if name in base.fields):
        for side, own, others in (("base", base.fields, new.fields), ("new run", new.fields, base.fields)):
            alone = [path for path in own[name] if path not in others[name]] if others[name] else []
            if alone:
                yield Finding("one-sided-fields", {"side": side, "count": len(alone), "fields": alone, "name": name})
    if base.result.cluster != new.result.cluster:
        yield Finding("other-groups", {"base": base.result.cluster, "new": new.result.cluster})
    if repeated := sum(pair.repeated for pair in pairs):
        yield Finding("repeated", {"count": repeated})
    all_rows = [*base.rows.values(), *new.rows.values()]
    if any(not line.checksum for rows in all_rows for line in rows.lines):
        yield Finding("unchecked")
