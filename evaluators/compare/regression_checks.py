"""Regression checks: what a run is held to when it is compared with another, so that continuous integration can stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from evaluators.compare.compare_section import CompareConfig, RegressionCheck
from evaluators.compare.comparison import Difference, RegressionCheckResult
from evaluators.compare.wording import sentence
from evaluators.run.wording import Finding


def judge_regression_checks(
    config: CompareConfig,
    targets: Mapping[str, tuple[str, str | None]],
    differences: Sequence[Difference],
    broken: int,
    lost: int = 0,
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
        concerned = [one for one in differences if (one.evaluator, one.field) == targets[written]]
        for one in concerned:
            found.extend(_limits(written, check, one))
        if not concerned:
            found.append(RegressionCheckResult("regression_check", written, "undecided", sentence(Finding("no-row"))))
    return tuple(found)


def _significant_drop(differences: Iterable[Difference]) -> RegressionCheckResult:
    worse = [one for one in differences if one.verdict == "worse"]
    if not worse:
        return RegressionCheckResult("significant_drop", None, "passed", sentence(Finding("nothing-worse")))
    drops = [
        sentence(Finding("worse-by", {"name": label(one), "drop": -(one.difference or 0.0)}), *_lost(one))
        for one in worse
    ]
    return RegressionCheckResult("significant_drop", None, "failed", sentence(Finding("worse", {"drops": drops})))


def _limits(written: str, check: RegressionCheck, one: Difference) -> Iterable[RegressionCheckResult]:
    too_many = check.max_broken_rows is not None and one.broken > check.max_broken_rows
    if one.difference is None and not too_many:
        yield RegressionCheckResult(
            "regression_check", written, "undecided", sentence(Finding("no-measured-row")), one.variant
        )
        return
    if check.max_drop is not None and one.difference is not None:
        drop = -one.difference
        verdict: Literal["passed", "failed"] = "failed" if drop > check.max_drop else "passed"
        lower = Finding("lower" if drop > 0 else "not-lower", {"drop": drop})
        found = sentence(lower, *_lost(one), Finding("most-drop", {"most": check.max_drop}))
        yield RegressionCheckResult("max_drop", written, verdict, found, one.variant)
    if check.max_broken_rows is not None:
        verdict = "failed" if too_many else "passed"
        broken = _broken_rows(one.broken, one.lost_passed, check.max_broken_rows)
        yield RegressionCheckResult("max_broken_rows", written, verdict, sentence(*broken), one.variant)


def _broken_rows(broken: int, lost: int, most: int) -> tuple[Finding, Finding]:
    found = Finding("broken-lost" if lost else "broken", {"broken": broken, "lost": lost})
    return found, Finding("most-rows", {"most": most})


def _lost(one: Difference) -> tuple[Finding, ...]:
    """The lost rows that count as wrong."""
    return (Finding("lost-count-0", {"lost": one.lost_passed}),) if one.lost_passed else ()


def label(one: Difference) -> str:
    """The evaluator, its field and its variant, for people."""
    name = one.evaluator if one.field is None else f"{one.evaluator}.{one.field}"
    return f"{name} ({one.variant})" if one.variant else name
