"""Regression checks: what a run is held to when it is compared with another, so that continuous integration can stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from evaluators.runs.compare.compare_section import CompareConfig, RegressionCheck
from evaluators.runs.compare.comparison import Difference, RegressionCheckResult, tests_in
from evaluators.runs.compare.paired_differences import judged
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
    fields: tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]] = ({}, {}),
) -> tuple[RegressionCheckResult, ...]:
    """One result per rule, then one per limit of each regression check and variant.

    `targets` gives the evaluator and the field of each regression check by the text that names it. In `differences`, and in `broken`,
    which counts rows, a lost row that passed in the base is one that is wrong now; `lost` says how many of those there are. `fields` are
    those of each evaluator in the base and in the new run: one that only one of them has is new, or lost.
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
        one_sided = list(_one_sided(name, field, *fields))
        if field == EVERY:
            held = list(judged(held))  # the fields that this check is about are its family
        family = Family(tests_in(held), None if name == EVERY else name)
        for one in held:
            found.extend(_limits(written, check, one) if field != EVERY else _limits(one.name, check, one, family))
        found += one_sided
        if not held and not one_sided:
            found.append(RegressionCheckResult("regression_check", written, "undecided", sentence(Finding("no-row"))))
    return tuple(found)


class Family(NamedTuple):
    """The fields that are tested together."""

    tests: int
    evaluator: str | None
    """Whose fields they are; None for those of all evaluators."""


def _one_sided(
    name: str, field: str | None, base: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]]
) -> Iterable[RegressionCheckResult]:
    """The fields that only one of the runs has. A new one has nothing that it could have dropped from."""
    for evaluator in base.keys() & new.keys() if field is not None else ():
        if name not in (EVERY, evaluator):
            continue
        for path in dict.fromkeys([*new[evaluator], *base[evaluator]]):
            if field not in (EVERY, path) or (path in new[evaluator] and path in base[evaluator]):
                continue
            target = f"{evaluator}.{path}"
            if path in new[evaluator]:
                yield RegressionCheckResult("regression_check", target, "passed", sentence(Finding("new-field")))
            else:
                yield RegressionCheckResult("regression_check", target, "undecided", sentence(Finding("lost-field")))


def _is_field(one: Difference, field: str | None) -> bool:
    """It is of that field; of every field, those that one of the runs measured."""
    if field != EVERY:
        return one.field == field
    return one.field is not None and (one.base, one.new, one.broken) != (None, None, 0)


def _significant_drop(differences: Iterable[Difference]) -> RegressionCheckResult:
    """The check that fails where a difference is clearly worse, and names each. Mistakes where nothing was expected before (`invented`)
    are left out: they are no matter of chance."""
    worse = [one for one in differences if one.verdict == "worse" and not one.invented]  # that is no matter of chance
    if not worse:
        return RegressionCheckResult("significant_drop", None, "passed", sentence(Finding("nothing-worse")))
    drops = [
        sentence(Finding("worse-by", {"name": label(one), "drop": -(one.difference or 0.0)}), *_lost(one))
        for one in worse
    ]
    return RegressionCheckResult("significant_drop", None, "failed", sentence(Finding("worse", {"drops": drops})))


def _limits(
    written: str, check: RegressionCheck, one: Difference, family: Family | None = None
) -> Iterable[RegressionCheckResult]:
    """What one evaluator or field is held to. One of a `family` of fields has dropped only where the p-value says so that is corrected
    for them (Holm, see `significance.holm`): of many, some drop by chance. What only the outputs of the new run have, and nobody expects,
    is worse than nothing."""
    too_many = check.max_broken_rows is not None and one.broken > check.max_broken_rows
    if one.invented and check.max_drop is not None:
        invented = sentence(Finding("invented", {"broken": one.broken}), Finding("most-drop", {"most": check.max_drop}))
        yield RegressionCheckResult("max_drop", written, "failed", invented, one.variant)
    elif one.base == 0 and one.new is None and one.settled and not one.lost:
        settled = sentence(Finding("settled", {"settled": one.settled}))
        yield RegressionCheckResult("regression_check", written, "passed", settled, one.variant)
        return
    elif one.difference is None and not too_many:
        none = sentence(Finding("no-measured-row"))
        yield RegressionCheckResult("regression_check", written, "undecided", none, one.variant)
        return
    if check.max_drop is not None and one.difference is not None:
        drop = -one.difference
        clear = family is None or one.verdict == "worse"
        verdict: Literal["passed", "failed"] = "failed" if drop > check.max_drop and clear else "passed"
        lower = Finding("lower" if drop > 0 else "not-lower", {"drop": drop})
        tests = [] if family is None else [_test(one, family)]
        tests = [Finding("chance"), *tests] if drop > check.max_drop and not clear else tests
        found = sentence(lower, *_lost(one), *tests, Finding("most-drop", {"most": check.max_drop}))
        yield RegressionCheckResult("max_drop", written, verdict, found, one.variant)
    if check.max_broken_rows is not None:
        verdict = "failed" if too_many else "passed"
        broken = _broken_rows(one.broken, one.lost_passed, check.max_broken_rows)
        yield RegressionCheckResult("max_broken_rows", written, verdict, sentence(*broken), one.variant)


def _test(one: Difference, family: Family) -> Finding:
    """How a field was tested, of how many."""
    interval, p = difference_interval_text(one.ci), p_value_text(one.p_value_corrected)
    whose = "" if family.evaluator is None else f" of {family.evaluator}"
    return Finding("tested", {"pairs": one.pairs, "interval": interval, "p": p, "tested": family.tests, "whose": whose})


def _broken_rows(broken: int, lost: int, most: int) -> tuple[Finding, Finding]:
    found = Finding("broken-lost" if lost else "broken", {"broken": broken, "lost": lost})
    return found, Finding("most-rows", {"most": most})


def _lost(one: Difference) -> tuple[Finding, ...]:
    """The lost rows that count as wrong."""
    return (Finding("lost-count-0", {"lost": one.lost_passed}),) if one.lost_passed else ()


def label(one: Difference) -> str:
    """The evaluator, its field and its variant, for people."""
    return with_variant(one.name, one.variant)
