"""Units and skipped places, compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from evaluators.answers import in_field
from evaluators.fields.compiled.coding import Coding
from evaluators.fields.compiled.walker import Codes, Unit, Walker
from evaluators.fields.rules import Rule, compile_rule
from evaluators.fields.tree import FieldNode
from evaluators.issues import RowProblem
from evaluators.model import MISSING, Status


def compile_unit(coding: Coding, node: FieldNode, inside: bool) -> Unit:
    """A node that is compared as one value."""
    statuses = (Status.MATCH, Status.MISMATCH, Status.OMISSION, Status.HALLUCINATION, Status.ERROR, Status.FAULT)
    code = {status: coding.static(node, status, inside) for status in statuses}
    rules = [compile_rule(metric.comparator, node.transforms) for metric in node.metrics]
    always = any(metric.comparator.reads == "output" for metric in node.metrics)
    judge = (_one_rule if len(rules) == 1 else _several_rules)(coding, node, rules, code, inside)
    return Unit(code[Status.MATCH], code[Status.OMISSION], code[Status.HALLUCINATION], judge, always)


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


def unit_walker(unit: Unit) -> Walker:
    """A unit that stands where containers might."""
    match, omission, hallucination, judge, always = unit

    def both(expected: Any, output: Any, out: Codes) -> None:
        if expected is MISSING:
            if output is not MISSING:
                out.append(hallucination)
        else:
            out.append(omission if output is MISSING else judge(expected, output))

    def equal(value: Any, out: Codes) -> None:
        out.append(judge(value, value) if always else match)

    return Walker(both, lambda value, out: out.append(omission), lambda value, out: out.append(hallucination), equal)


def skipped_walker(coding: Coding, node: FieldNode, inside: bool) -> Walker:
    """A place that is left out, with everything below it."""
    code = coding.static(node, Status.SKIPPED, inside)

    def one(value: Any, out: Codes) -> None:
        out.append(code)

    def both(expected: Any, output: Any, out: Codes) -> None:
        if expected is not MISSING or output is not MISSING:
            out.append(code)

    return Walker(both, one, one, one)
