"""Units and skipped places, compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from evaluators.comparators._answers import in_field
from evaluators.fields.compiled.coding import Coding
from evaluators.fields.compiled.walker import Codes, CompiledUnit, Walker
from evaluators.fields.readable import Ask
from evaluators.fields.rules import Rule, answering_rule, guarded
from evaluators.fields.tree import FieldNode
from evaluators.issues import RowProblem
from evaluators.model import MISSING, Status


def compile_unit(coding: Coding, node: FieldNode, inside: bool) -> CompiledUnit:
    """A node that is compared as one value."""
    statuses = (Status.MATCH, Status.MISMATCH, Status.OMISSION, Status.HALLUCINATION, Status.ERROR, Status.FAULT)
    code = {status: coding.static(node, status, inside) for status in statuses}
    asks = [ask for ask in node.readers if ask is not None]
    rules = [
        guarded(answering_rule(metric.comparator, node.transforms), ask)
        for metric, ask in zip(node.metrics, node.readers, strict=True)
    ]
    always = bool(asks) or any(metric.comparator.reads == "output" for metric in node.metrics)
    judge = (_one_rule if len(rules) == 1 else _several_rules)(coding, node, rules, code, inside)
    return CompiledUnit(
        code[Status.MATCH],
        code[Status.OMISSION],
        code[Status.HALLUCINATION],
        judge,
        always,
        _lost(coding, node, asks, code),
    )


def _lost(coding: Coding, node: FieldNode, asks: Sequence[Ask], code: dict[Status, int]) -> Callable[[Any], int] | None:
    """The code of a value that the output lacks: a fault where a metric cannot read it."""
    if not asks:
        return None

    def lost(expected: Any) -> int:
        issue = next((found for ask in asks if (found := ask(expected)) is not None), None)
        if issue is None:
            return code[Status.OMISSION]
        coding.problem = coding.problem or in_field(RowProblem(issue), node.name)
        return code[Status.FAULT]

    return lost


def _one_rule(
    coding: Coding, node: FieldNode, rules: Sequence[Rule], code: dict[Status, int], inside: bool
) -> Callable[[Any, Any], int]:
    (rule,) = rules
    fault = code[Status.FAULT]

    def judge(expected: Any, output: Any) -> int:
        try:
            found = rule(expected, output)
        except RowProblem as problem:
            coding.problem = coding.problem or in_field(problem, node.name)
            return fault
        return code[found] if found.__class__ is Status else coding.judged(node, [found], inside)

    return judge


def _several_rules(
    coding: Coding, node: FieldNode, rules: Sequence[Rule], code: dict[Status, int], inside: bool
) -> Callable[[Any, Any], int]:
    def judge(expected: Any, output: Any) -> int:
        try:
            found = [rule(expected, output) for rule in rules]
        except RowProblem as problem:
            coding.problem = coding.problem or in_field(problem, node.name)
            return code[Status.FAULT]
        return coding.judged(node, found, inside)

    return judge


def unit_walker(unit: CompiledUnit) -> Walker:
    """A unit that stands where containers might."""
    match, omission, hallucination, judge, always, code_of_lost = unit

    def lost(value: Any, out: Codes) -> None:
        out.append(omission if code_of_lost is None else code_of_lost(value))

    def both(expected: Any, output: Any, out: Codes) -> None:
        if expected is MISSING:
            if output is not MISSING:
                out.append(hallucination)
        elif output is MISSING:
            lost(expected, out)
        else:
            out.append(judge(expected, output))

    def equal(value: Any, out: Codes) -> None:
        out.append(judge(value, value) if always else match)

    return Walker(both, lost, lambda value, out: out.append(hallucination), equal)


def skipped_walker(coding: Coding, node: FieldNode, inside: bool) -> Walker:
    """A place that is left out, with everything below it."""
    code = coding.static(node, Status.SKIPPED, inside)

    def one(value: Any, out: Codes) -> None:
        out.append(code)

    def both(expected: Any, output: Any, out: Codes) -> None:
        if expected is not MISSING or output is not MISSING:
            out.append(code)

    return Walker(both, one, one, one)
