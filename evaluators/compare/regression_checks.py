"""Regression checks: what a run is held to when it is compared with another, so that continuous integration can stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from evaluators.compare.compare_section import EVERY, CompareConfig, RegressionCheck
from evaluators.compare.comparison import Difference, RegressionCheckResult
from evaluators.compare.wording import sentence
from evaluators.run.metrics import difference_interval_text, p_value_text, with_variant
from evaluators.run.wording import Finding


def judge_regression_checks(
    config: CompareConfig,
    targets: Mapping[str, tuple[str, str | None]],
    differences: Sequence[Difference],
    broken: int,
    lost: int,
) -> tuple[RegressionCheckResult, ...]:
    """One result per rule, then one per limit of each regression check and variant.

    `targets` gives the evaluator and the field of each regression check by the text that names it. In `differences`, and in `broken`,
    which counts rows, a lost row that passed in the base is one that is wrong now; `lost` says how many of those there are.
    """
    found: list[RegressionCheckResult] = []
    if "significant_drop" in config.rules:
        found.append(_significant_drop(differences))
    if "broken_rows" in config.rules:
        most = config.max_broken_rows or 0
        verdict: Literal["passed", "failed"] = "failed" if broken > most else "passed"
        found.append(RegressionCheckResult("broken_rows", None, verdict, sentence(*_broken_rows(broken, lost, most))))
    for written, check in config.regression_checks.items():
        name, field = targets[written]
        held = [one for one in differences if name in (EVERY, one.evaluator) and _is_field(one, field)]
        tested = sum(one.p_value is not None and one.field is not None for one in differences)
        for one in held:
            found.extend(_limits(written, check, one) if field != EVERY else _limits(_name(one), check, one, tested))
        if not held:
            found.append(RegressionCheckResult("regression_check", written, "undecided", sentence(Finding("no-row"))))
    return tuple(found)


def _is_field(one: Difference, field: str | None) -> bool:
    """It is of that field; of every field, those that one of the runs measured."""
    if field != EVERY:
        return one.field == field
    return one.field is not None and (one.base, one.new, one.broken) != (None, None, 0)


def _significant_drop(differences: Iterable[Difference]) -> RegressionCheckResult:
    worse = [one for one in differences if one.verdict == "worse"]
    if not worse:
        return RegressionCheckResult("significant_drop", None, "passed", sentence(Finding("nothing-worse")))
    drops = [
        sentence(Finding("worse-by", {"name": label(one), "drop": -(one.difference or 0.0)}), *_lost(one))
        for one in worse
    ]
    return RegressionCheckResult("significant_drop", None, "failed", sentence(Finding("worse", {"drops": drops})))


def _limits(
    written: str, check: RegressionCheck, one: Difference, tested: int | None = None
) -> Iterable[RegressionCheckResult]:
    """What one evaluator or field is held to. One of many fields, of which so many were `tested`, has dropped only where
    the p-value says so that is corrected for them (Holm, see `significance.holm`): of many, some drop by chance."""
    too_many = check.max_broken_rows is not None and one.broken > check.max_broken_rows
    if one.difference is None and not too_many:
        none = sentence(Finding("no-measured-row"))
        yield RegressionCheckResult("regression_check", written, "undecided", none, one.variant)
        return
    if check.max_drop is not None and one.difference is not None:
        drop = -one.difference
        clear = tested is None or one.verdict == "worse"
        verdict: Literal["passed", "failed"] = "failed" if drop > check.max_drop and clear else "passed"
        lower = Finding("lower" if drop > 0 else "not-lower", {"drop": drop})
        said = [] if tested is None else [_test(one, tested)]
        said = [Finding("chance"), *said] if drop > check.max_drop and not clear else said
        found = sentence(lower, *_lost(one), *said, Finding("most-drop", {"most": check.max_drop}))
        yield RegressionCheckResult("max_drop", written, verdict, found, one.variant)
    if check.max_broken_rows is not None:
        verdict = "failed" if too_many else "passed"
        broken = _broken_rows(one.broken, one.lost_passed, check.max_broken_rows)
        yield RegressionCheckResult("max_broken_rows", written, verdict, sentence(*broken), one.variant)


def _test(one: Difference, tested: int) -> Finding:
    """How a field was tested, of so many."""
    interval, p = difference_interval_text(one.ci), p_value_text(one.p_value_corrected)
    return Finding("tested", {"pairs": one.pairs, "interval": interval, "p": p, "tested": tested})


def _broken_rows(broken: int, lost: int, most: int) -> tuple[Finding, Finding]:
    found = Finding("broken-lost" if lost else "broken", {"broken": broken, "lost": lost})
    return found, Finding("most-rows", {"most": most})


def _lost(one: Difference) -> tuple[Finding, ...]:
    """The lost rows that count as wrong."""
    return (Finding("lost-count-0", {"lost": one.lost_passed}),) if one.lost_passed else ()


def label(one: Difference) -> str:
    """The evaluator, its field and its variant, for people."""
    return with_variant(_name(one), one.variant)


def _name(one: Difference) -> str:
    return one.evaluator if one.field is None else f"{one.evaluator}.{one.field}"
