"""Regression checks: what a run is held to when it is compared with another, so that continuous integration can stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from evaluators.runs.compare.compare_section import CompareConfig, RegressionCheck
from evaluators.runs.compare.comparison import Difference, RegressionCheckResult, count_tests
from evaluators.runs.compare.paired_differences import correct_p_values
from evaluators.runs.compare.wording import sentence
from evaluators.runs.gate_targets import EVERY
from evaluators.runs.metrics import difference_interval_text, p_value_text, with_variant
from evaluators.runs.wording import Finding


def judge_regression_checks(
    config: CompareConfig,
    targets: Mapping[str, tuple[str, str | None]],
    differences: Sequence[Difference],
    broken: int,
    lost: int,
    fields: tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]],
) -> tuple[RegressionCheckResult, ...]:
    """One result per rule, then one per limit of each regression check and variant.

    `targets` gives the evaluator and the field of each regression check by the text that names it. In `differences`, and in `broken`,
    which counts rows, a lost row that passed in the base is one that is wrong now; `lost` says how many of those there are. `fields` are
    those of each evaluator in the base and in the new run: one that only one of them has is new, or lost.
    """
    results: list[RegressionCheckResult] = []
    if "significant_drop" in config.rules:
        results.append(_significant_drop(differences))
    if "broken_rows" in config.rules:
        most = config.max_broken_rows or 0
        verdict: Literal["passed", "failed"] = "failed" if broken > most else "passed"
        results.append(
            RegressionCheckResult("broken_rows", None, verdict, sentence(*_broken_rows_findings(broken, lost, most)))
        )
    for written, check in config.regression_checks.items():
        name, field = targets[written]
        held = [
            difference
            for difference in differences
            if name in (EVERY, difference.evaluator) and _is_about_field(difference, field)
        ]
        one_sided = list(_one_sided_results(name, field, *fields))
        if field == EVERY:
            held = list(correct_p_values(held))  # the fields that this check is about are its family
        family = Family(count_tests(held), None if name == EVERY else name)
        for difference in held:
            results.extend(
                _limit_results(written, check, difference)
                if field != EVERY
                else _limit_results(difference.name, check, difference, family)
            )
        results += one_sided
        if not held and not one_sided:
            results.append(RegressionCheckResult("regression_check", written, "undecided", sentence(Finding("no-row"))))
    return tuple(results)


class Family(NamedTuple):
    """The fields that are tested together."""

    tests: int
    evaluator: str | None
    """Whose fields they are; None for those of all evaluators."""


def _one_sided_results(
    name: str, field: str | None, base: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]]
) -> Iterable[RegressionCheckResult]:
    """Yields a result for each field that only one of the runs has: a new one passes, as it has nothing that it could have dropped from;
    one that is lost is undecided."""
    if field is None:
        return
    for evaluator in new:
        if evaluator not in base or name not in (EVERY, evaluator):
            continue
        for path in dict.fromkeys([*new[evaluator], *base[evaluator]]):
            if field not in (EVERY, path) or (path in new[evaluator] and path in base[evaluator]):
                continue
            target = f"{evaluator}.{path}"
            if path in new[evaluator]:
                yield RegressionCheckResult("regression_check", target, "passed", sentence(Finding("new-field")))
            else:
                yield RegressionCheckResult("regression_check", target, "undecided", sentence(Finding("lost-field")))


def _is_about_field(difference: Difference, field: str | None) -> bool:
    """Whether a difference is of that field; with "every", of a field that one of the runs measured."""
    if field != EVERY:
        return difference.field == field
    return difference.field is not None and (difference.base, difference.new, difference.broken) != (None, None, 0)


def _significant_drop(differences: Iterable[Difference]) -> RegressionCheckResult:
    """The result of the rule `significant_drop`, which fails where a difference is clearly worse, and names each, and passes otherwise.
    Mistakes where nothing was expected before (`invented`) are left out: they are no matter of chance."""
    worse = [difference for difference in differences if difference.verdict == "worse" and not difference.invented]
    if not worse:
        return RegressionCheckResult("significant_drop", None, "passed", sentence(Finding("nothing-worse")))
    drops = [
        sentence(
            Finding("worse-by", {"name": difference_label(difference), "drop": -(difference.difference or 0.0)}),
            *_lost_finding(difference),
        )
        for difference in worse
    ]
    return RegressionCheckResult("significant_drop", None, "failed", sentence(Finding("worse", {"drops": drops})))


def _limit_results(
    written: str, check: RegressionCheck, difference: Difference, family: Family | None = None
) -> Iterable[RegressionCheckResult]:
    """Yields the result of each limit of a regression check for one evaluator or field. One of a `family` of fields has dropped only where
    the p-value says so that is corrected for them (Holm, see `significance.holm`): of many, some drop by chance. What only the outputs
    of the new run have, and nobody expects, is worse than nothing."""
    too_many = check.max_broken_rows is not None and difference.broken > check.max_broken_rows
    if difference.invented and check.max_drop is not None:  # goes on to the limit of broken rows
        invented = sentence(
            Finding("invented", {"broken": difference.broken}), Finding("most-drop", {"most": check.max_drop})
        )
        yield RegressionCheckResult("max_drop", written, "failed", invented, difference.variant)
    elif difference.base == 0 and difference.new is None and difference.settled and not difference.lost:
        # all mistakes of the base are gone, and the new run has nothing to measure
        settled = sentence(Finding("settled", {"settled": difference.settled}))
        yield RegressionCheckResult("regression_check", written, "passed", settled, difference.variant)
        return
    elif difference.difference is None and not too_many:
        none = sentence(Finding("no-measured-row"))
        yield RegressionCheckResult("regression_check", written, "undecided", none, difference.variant)
        return
    if check.max_drop is not None and difference.difference is not None:
        drop = -difference.difference
        clear = family is None or difference.verdict == "worse"
        verdict: Literal["passed", "failed"] = "failed" if drop > check.max_drop and clear else "passed"
        lower = Finding("lower" if drop > 0 else "not-lower", {"drop": drop})
        tests = [] if family is None else [_test_finding(difference, family)]
        tests = [Finding("chance"), *tests] if drop > check.max_drop and not clear else tests
        message = sentence(lower, *_lost_finding(difference), *tests, Finding("most-drop", {"most": check.max_drop}))
        yield RegressionCheckResult("max_drop", written, verdict, message, difference.variant)
    if check.max_broken_rows is not None:
        verdict = "failed" if too_many else "passed"
        broken = _broken_rows_findings(difference.broken, difference.lost_passed, check.max_broken_rows)
        yield RegressionCheckResult("max_broken_rows", written, verdict, sentence(*broken), difference.variant)


def _test_finding(difference: Difference, family: Family) -> Finding:
    """The finding that says how a field was tested, and among how many."""
    interval, p = difference_interval_text(difference.ci), p_value_text(difference.p_value_corrected)
    whose = "" if family.evaluator is None else f" of {family.evaluator}"
    return Finding(
        "tested", {"pairs": difference.pairs, "interval": interval, "p": p, "tested": family.tests, "whose": whose}
    )


def _broken_rows_findings(broken: int, lost: int, most: int) -> tuple[Finding, Finding]:
    """The finding that says how many rows are broken, `lost` of them lost, and the one that says how many may be."""
    finding = Finding("broken-lost" if lost else "broken", {"broken": broken, "lost": lost})
    return finding, Finding("most-rows", {"most": most})


def _lost_finding(difference: Difference) -> tuple[Finding, ...]:
    """The finding that some lost rows count as wrong, in a tuple; an empty tuple without such rows."""
    return (Finding("lost-count-0", {"lost": difference.lost_passed}),) if difference.lost_passed else ()


def difference_label(difference: Difference) -> str:
    """The evaluator of a difference with its field and its variant, for people."""
    return with_variant(difference.name, difference.variant)
