"""Regression checks: what a run is held to when it is compared with another, so that continuous integration can stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from evaluators.compare.comparability import listed
from evaluators.compare.compare_section import CompareConfig, GuardConfig
from evaluators.compare.comparison import Difference, GuardResult
from evaluators.run.figures import rows_text, score_text


def judge_guards(
    config: CompareConfig,
    targets: Mapping[str, tuple[str, str | None]],
    differences: Sequence[Difference],
    broken: int,
    lost: int = 0,
) -> tuple[GuardResult, ...]:
    """One result per rule, then one per limit of each regression check and variant.

    `targets` gives the evaluator and the field of each regression check by the text that names it. In `differences`, and in `broken`,
    which counts rows, a lost row that passed in the base is one that is wrong now; `lost` says how many of those there are.
    """
    found: list[GuardResult] = []
    if "significant_drop" in config.rules:
        found.append(_significant_drop(differences))
    if "broken_rows" in config.rules:
        most = config.max_broken_rows or 0
        said = f"{_broken_text(broken, lost)}; the most is {most:,}"
        found.append(GuardResult("broken_rows", None, "failed" if broken > most else "passed", said))
    for written, guard in config.regression_checks.items():
        concerned = [one for one in differences if (one.evaluator, one.field) == targets[written]]
        for one in concerned:
            found.extend(_limits(written, guard, one))
        if not concerned:
            found.append(GuardResult("regression_check", written, "undecided", "it is in no row of both runs"))
    return tuple(found)


def _significant_drop(differences: Iterable[Difference]) -> GuardResult:
    worse = [one for one in differences if one.verdict == "worse"]
    if not worse:
        return GuardResult("significant_drop", None, "passed", "nothing is clearly worse")
    named = [f"{label(one)} by {score_text(-(one.difference or 0.0))}{_counting(one)}" for one in worse]
    return GuardResult("significant_drop", None, "failed", f"clearly worse: {listed(named)}")


def _limits(written: str, guard: GuardConfig, one: Difference) -> Iterable[GuardResult]:
    too_many = guard.max_broken_rows is not None and one.broken > guard.max_broken_rows
    if one.difference is None and not too_many:
        yield GuardResult("regression_check", written, "undecided", "no row was measured in both runs", one.variant)
        return
    if guard.max_drop is not None and one.difference is not None:
        drop = -one.difference
        said = f"lower by {score_text(drop)}" if drop > 0 else "not lower"
        verdict: Literal["passed", "failed"] = "failed" if drop > guard.max_drop else "passed"
        found = f"{said}{_counting(one)}; the most is {guard.max_drop:g}"
        yield GuardResult("max_drop", written, verdict, found, one.variant)
    if guard.max_broken_rows is not None:
        verdict = "failed" if too_many else "passed"
        said = f"{_broken_text(one.broken, one.lost_passed)}; the most is {guard.max_broken_rows:,}"
        yield GuardResult("max_broken_rows", written, verdict, said, one.variant)


def _broken_text(broken: int, lost: int) -> str:
    return f"{rows_text(broken)} broken" + (f", {lost:,} of them lost" if lost else "")


def _counting(one: Difference) -> str:
    """What is said of lost rows that count as wrong."""
    if not one.lost_passed:
        return ""
    return f" ({one.lost_passed:,} lost {'row counts' if one.lost_passed == 1 else 'rows count'} 0)"


def label(one: Difference) -> str:
    """The evaluator, its field and its variant, for people."""
    name = one.evaluator if one.field is None else f"{one.evaluator}.{one.field}"
    return f"{name} ({one.variant})" if one.variant else name
