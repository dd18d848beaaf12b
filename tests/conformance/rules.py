"""The divergences: `divergences.yaml` read, and the predicates it is written in.

A rule holds for a case when its system and its evaluator are the case's and every predicate of `when` holds. A predicate
is a word, or a one-key map with what it asks for. Predicates speak of settings, kinds of values, and what is in a cell;
none knows the id of a case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any, Final

from tests.conformance import (
    extract_bench_predicates,
    extract_bench_worked_out,
    judged_fields,
    judged_predicates,
    suite_predicates,
    suite_worked_out,
    x_eval_schemas,
    x_eval_worked_out,
)
from tests.conformance.cases import HERE, Answer, Case
from tests.conformance.x_eval_differences import reasons_of
from tests.kit import read_yaml


@dataclass(frozen=True)
class Rule:
    """One divergence: where it holds, why, and what we give instead."""

    id: str
    system: str
    evaluators: tuple[str, ...]
    when: tuple[Any, ...]
    reason: str
    ours: Any
    examples: tuple[str, ...]

    def holds(self, case: Case, ours: Answer) -> bool:
        """The case falls under this rule."""
        if case.system != self.system or (self.evaluators and case.evaluator not in self.evaluators):
            return False
        return all(_holds(predicate, case, ours) for predicate in self.when)

    def instead(self, case: Case) -> Answer | None:
        """What we give for a case that falls under this rule; None for one that is not worked out."""
        if isinstance(self.ours, dict):
            return Answer(**self.ours)
        if self.ours == AS_TOLD:
            return told(case) if (told := TOLD.get(case.system)) else None
        if self.ours == WORKED_OUT:
            return worked_out(case)
        return ANSWERS[self.ours]


def worked_out(case: Case) -> Answer | None:
    """Our answer to a case by the inputs alone; None for a case that is left out there."""
    if case.system == "struct_extract_eval":
        return x_eval_worked_out.worked_out(case)
    if case.system == "extract_bench":
        return extract_bench_worked_out.worked_out(case)
    return suite_worked_out.worked_out(case)


WORKED_OUT: Final = "worked out"
"""We give what can be said by the inputs alone, without asking an evaluator."""
AS_TOLD: Final = "what the reply says"
"""We give what the model that was asked says."""
TOLD: Final[Mapping[str, Callable[[Case], Answer]]] = {
    "extract_bench_llm": judged_fields.told,
    "orbiter_judge": lambda case: Answer(judged_predicates.judge_score(case)),
}
ANSWERS: Final[Mapping[str, Answer]] = {
    "config problem": Answer(blame="config"),
    "test set problem": Answer(blame="testset"),
    "unreadable": Answer(0.0, False, "output"),
    "not measured": Answer(),
}


@cache
def rules() -> tuple[Rule, ...]:
    """The divergences, in the order in which they are asked."""
    read = read_yaml(HERE / "divergences.yaml")
    return tuple(_rule(system, entry) for system, entries in read.items() for entry in entries)


def _rule(system: str, entry: dict[str, Any]) -> Rule:
    unknown = entry.keys() - {"id", "evaluator", "when", "reason", "ours", "examples"}
    assert not unknown, f"unknown keys in a divergence: {unknown}"
    named = entry.get("evaluator", [])
    return Rule(
        entry["id"],
        system,
        (named,) if isinstance(named, str) else tuple(named),
        tuple(entry.get("when", ())),
        " ".join(entry["reason"].split()),
        entry["ours"],
        tuple(entry.get("examples", ())),
    )


MODULES: Final = (suite_predicates, extract_bench_predicates, judged_fields, judged_predicates, x_eval_schemas)
"""The predicates are their functions, by name."""
SUBJECTS: Final[Mapping[str, Callable[[Case], Iterable[Any]]]] = {
    "case": lambda case: [case],
    "spot": extract_bench_predicates.spots,
    "schema": x_eval_schemas.schemas,
    "align": x_eval_schemas.alignments,
}
"""What a predicate is about, by the name of its first parameter. It holds for a case when it holds for one of these."""


def _holds(predicate: Any, case: Case, ours: Answer) -> bool:
    if predicate == "both_refuse":
        return case.recorded.blame == ours.blame == "config"
    name, *asked = [predicate] if isinstance(predicate, str) else next(iter(predicate.items()))
    if name == "any_of":
        return any(_holds(one, case, ours) for one in asked[0])
    if name == "not":
        return not _holds(asked[0], case, ours)
    if name == "results_differ":
        return asked[0] in reasons_of(case, ours)
    holds, about = _predicate(name)
    return any(holds(one, *asked) for one in about(case))


@cache
def _predicate(name: str) -> tuple[Callable[..., bool], Callable[[Case], Iterable[Any]]]:
    """The predicate of a name, and what of a case it is about."""
    holds = next(vars(module)[name] for module in MODULES if name in vars(module))
    return holds, SUBJECTS[next(iter(signature(holds).parameters))]
