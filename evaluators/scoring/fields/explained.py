"""What a walk found in one of its rows, in document order, each result with its reason. Nothing is walked or compared again:
a comparator is asked only to put into words what it decided."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from msgspec import Struct

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.rows import MISSING, FieldStatus, Outcome
from evaluators.scoring.comparators._comparator import in_field
from evaluators.scoring.fields.frame import InstancePath, spelled
from evaluators.scoring.fields.pair import CROWDED, notes_on
from evaluators.scoring.fields.post_process import Processor, post_process
from evaluators.scoring.fields.readable import Ask
from evaluators.scoring.fields.rules import EQUAL, Explained, Partial, explain_rule
from evaluators.scoring.fields.scored import MEASURED, Scored, together
from evaluators.scoring.fields.settle import (
    OURS,
    WRONG,
    ShownList,
    compared,
    judged_arrays,
    reason_code,
    reason_of,
    settle_arrays,
)
from evaluators.scoring.fields.tree import FieldNode, Metric
from evaluators.scoring.fields.unit_rules import unit_of
from evaluators.scoring.fields.walk import Walk
from evaluators.scoring.fields.walk_findings import MATCH, SKIPPED, Finding, order_of
from evaluators.scoring.judges.judged_comparator import JudgedComparator, ListTotals
from evaluators.scoring.values.differences import differs
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.transforms import chain


class Shown(Struct, frozen=True):
    """What the results of one metric of a place have in common."""

    metric: Metric
    weight: Fraction
    """The weight of the place, times that of the metric."""
    details: dict[str, object]
    transform: Callable[[Any], Any] | None
    ask: Ask | None
    """What tells expected values that the metric cannot read."""
    totals: ListTotals | None
    """How a list counts of which the metric says which items match."""


def shown_of(node: FieldNode) -> tuple[Shown, ...]:
    """What the results of a place have in common, by metric. Kept with the node."""
    found = []
    for metric, ask in zip(node.metrics, node.readers, strict=True):
        details: dict[str, object] = {"metric": metric.name}
        if metric.comparator.batch:
            details["batch"] = True
        if metric.fallback_for is not None:
            details["stands_for"] = metric.fallback_for
        totals = metric.comparator.list_totals() if isinstance(metric.comparator, JudgedComparator) else None
        weight = node.weight if metric.weight == 1 else node.weight * metric.weight
        found.append(Shown(metric, weight, details, chain(node.transforms), ask, totals))
    return tuple(found)


def scored(walk: Walk, row: int, post_processors: Sequence[Processor] = (), wrong_only: bool = False) -> Scored:
    """The results of one row of a walk: of its fields, its lists and its whole. `wrong_only`: of plain matches only
    where those in items of lists stand, from which lists are counted.

    `post_processors` change the list of results before anything is counted; Problems (config) is raised for one that
    returns something else than a list of results.
    """
    results: list[Outcome] = []
    problems: list[RowProblem] = []
    judged: dict[tuple[str, object], tuple[Fraction, ListTotals]] = {}
    if wrong_only:
        results += _matches_in_lists(walk, row)
    for finding, location in _in_order(walk, walk.found_in(row)) if wrong_only else results_of(walk, row):
        for result, problem, shown in results_in(finding, location):
            results.append(result)
            if problem is not None:
                problems.append(in_field(problem, result.path))
            if shown is not None and shown.totals is not None:
                judged[result.path, shown.metric.name] = shown.weight, shown.totals
    fields = post_process(results, post_processors)
    arrays = (*settle_arrays(lists_of(walk, row), fields), *judged_arrays(judged, fields))
    return Scored(fields, arrays, outside_of(walk, row), _problem(fields, problems))


def _matches_in_lists(walk: Walk, row: int) -> Iterable[Outcome]:
    """The plain matches in items of lists, without anything more than where they stand."""
    known = {(id(each.node), id(each.frame), each.at) for each in walk.found_in(row)}
    for node, frame, inside, status, _ in walk.columns:
        if inside and status is MATCH:
            for at in frame.positions(row):
                if (id(node), id(frame), at) not in known:
                    yield Outcome(spelled(frame.where(at)), MATCH)


def wrong_results(walk: Walk, row: int, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
    """The results of one row of a walk that are wrong, before any post-processor, of the `listed` places that are `wanted`; "" stands
    for all other places."""
    found = [each for each in walk.found_in(row) if each.status in WRONG]
    found = [each for each in found if (each.node.name if each.node.name in listed else "") in wanted]
    results = (result for finding, place in _in_order(walk, found) for result, _, _ in results_in(finding, place))
    return [result for result in results if result.status in WRONG]


def results_of(walk: Walk, row: int) -> list[tuple[Finding, InstancePath]]:
    """Every result of a row, matches too, in document order, and where it stands."""
    found = list(walk.found_in(row))
    known = {(id(each.node), id(each.frame), each.at) for each in found}
    for node, frame, _, status, _ in walk.columns:
        if status is MATCH:
            for at in frame.positions(row):
                if (id(node), id(frame), at) not in known:
                    found.append(Finding(row, MATCH, node, frame, at))
    for node, frame in walk.skipped:
        found += [Finding(row, SKIPPED, node, frame, at) for at in frame.positions(row)]
    return _in_order(walk, found)


def _in_order(walk: Walk, found: Sequence[Finding]) -> list[tuple[Finding, InstancePath]]:
    places = [(each, each.location) for each in found]
    return sorted(places, key=lambda each: walk.order(*each)) if len(places) > 1 else places


def results_in(finding: Finding, location: InstancePath) -> Iterable[tuple[Outcome, RowProblem | None, Shown | None]]:
    """The results of a finding, one for each metric, each with the problem that kept it from being measured."""
    node, at, status, more, path = finding.node, finding.at, finding.status, finding.more, spelled(location)
    if more is not None and more.above is not None:
        reason = reason_of(status, MISSING, more.value, "elsewhere" if more.elsewhere else "outside")
        code = {"code": reason_code(status, MISSING, more.value), "outside": True}
        yield Outcome(path, status, 0.0, 1.0, node.name, reason, None, MISSING, more.value, code), None, None
        return
    e, o = finding.frame.e[at], finding.frame.o[at]
    if not node.unit or node.skip:
        rule = "skip" if status is SKIPPED else None
        reason = reason_of(status, e, o) or differs(e, o)
        yield Outcome(
            path, status, _score(status), float(node.weight), node.name, reason, rule, e, o, {"code": reason_code(status, e, o)}
        ), None, None  # fmt: skip
        return
    for number, shown in enumerate(node.once(shown_of)):
        said = explain_finding(finding, number)
        judged = said.judged
        status = said.status
        details: dict[str, object] = {name: one for name, one in said.details.items() if name not in OURS}
        details["code"] = reason_code(status, e, o)
        if status is FieldStatus.NOT_JUDGED and shown.ask is not None and e is not MISSING and shown.ask(e) is not None:
            details["unreadable"] = True
        score = _score(status)
        if shown.totals is not None:
            status = _of_items(status, details)
        if isinstance(judged, Partial):
            score, details["ratio"] = judged.num / judged.den, (judged.num, judged.den)
        details |= shown.details
        if shown.transform is not None:
            details |= compared(shown.transform, e, o)
        yield Outcome(
            path, status, score, float(shown.weight), node.name, said.reason or reason_of(status, e, o), shown.metric.rule,
            e, o, details,
        ), said.problem, shown  # fmt: skip


def _of_items(status: FieldStatus, details: Mapping[str, object]) -> FieldStatus:
    """The status of a list whose metric says which items match: that of its items together, whatever is enough for a pass."""
    if status not in (FieldStatus.MATCH, FieldStatus.MISMATCH):
        return status
    kinds = {"missed": FieldStatus.OMISSION, "spurious": FieldStatus.HALLUCINATION}
    nulls = {"extracted_null": FieldStatus.OMISSION, "gold_null": FieldStatus.HALLUCINATION}
    found = [kind for name, kind in kinds.items() if details.get(name)]
    return together(found) if found else nulls.get(str(details["code"]), status)


def explain_finding(finding: Finding, number: int) -> Explained:
    """The outcome that one metric gives to the two values of a finding, with a reason."""
    node, more = finding.node, finding.more
    expected, output = finding.frame.e[finding.at], finding.frame.o[finding.at]
    comparator = node.metrics[number].comparator
    known = more.answers[number] if more is not None and more.answers else None
    if isinstance(known, Explained) and (known.reason is not None or known.problem is not None):
        return known
    there = FieldStatus.OMISSION if output is MISSING else FieldStatus.HALLUCINATION if expected is MISSING else None
    if there is not None and not (there is FieldStatus.HALLUCINATION and node.once(unit_of).alone):
        expected = None if node.demanded and not node.required else expected  # then that of the output alone is said
        return known if isinstance(known, Explained) else Explained(there, reason_of(there, expected, output))
    if comparator.costs:
        return known if isinstance(known, Explained) else EQUAL
    together = None if node.line is None else node.line.together
    return explain_rule(comparator, node.transforms, expected, output, together)


def _score(status: FieldStatus) -> float | None:
    return 1.0 if status is FieldStatus.MATCH else 0.0 if status in MEASURED else None


def lists_of(walk: Walk, row: int) -> list[ShownList]:
    """The lists of a row, outer ones before inner ones."""
    found = []
    for each in walk.lists:
        for at in each.frame.positions(row):
            location, e, o = each.frame.where(at), each.whole.e[at], each.whole.o[at]
            pairs, notes = list[tuple[int, int]](), list[str]()
            if each.items is not None:
                notes = notes_on(each.node.align, each.frame.e[at], each.frame.o[at], walk.absent.if_any)
                notes += [CROWDED] if at in each.items.crowded else []
                pairs = each.items.pairs_of(at)
            listed = ShownList(location, each.node, e, o, pairs, tuple(notes), walk.absent.has(e))
            found.append((order_of(walk.trails[id(each.node)], location), listed))
    return [listed for _, listed in sorted(found, key=lambda each: each[0])]


def outside_of(walk: Walk, row: int) -> tuple[str, ...]:
    """The places that the expected side has and the schema lacks, each once."""
    found = sorted(
        (order_of(walk.trails[id(each.node)], (*each.frame.where(each.at), each.step)), (*each.node.path, each.step))
        for each in walk.outside
        if each.row == row
    )
    return tuple(dict.fromkeys(Path(path).canonical for _, path in found))


def problems_of(walk: Walk) -> dict[int, RowProblem]:
    """By row, what kept the first of its results from being measured that has such a problem."""
    faults: dict[int, list[Finding]] = {}
    for each in walk.findings:
        if each.status is FieldStatus.NOT_JUDGED:
            faults.setdefault(each.row, []).append(each)
    found = {}
    for row, findings in faults.items():
        first = min(findings, key=walk.order)
        found[row] = in_field(problem_in(first), spelled(first.frame.where(first.at)))
    return found


def problem_in(fault: Finding) -> RowProblem:
    """What kept a pair of values from being measured."""
    answers = fault.more.answers if fault.more is not None else ()
    return next(one.problem for one in answers if isinstance(one, Explained) and one.problem is not None)


def _problem(fields: Sequence[Outcome], problems: Sequence[RowProblem]) -> RowProblem | None:
    """The problem of the first result that has one; post-processors may have settled those of other results."""
    broken = next((result for result in fields if result.status is FieldStatus.NOT_JUDGED), None)
    if broken is None:
        return None
    its_own = (problem for problem in problems if problem.issue.message.endswith(str(broken.reason)))
    found = next(its_own, problems[0] if problems else None)
    if found is not None:
        return found
    message = f'field "{broken.path}": {broken.reason or "it could not be measured"}'
    return RowProblem(Issue("not-measured", Blame.BUG, message))


def too_deep() -> RowProblem:
    """The problem of a row whose documents are nested too deeply."""
    message = "the documents hold choices or aligned lists that are nested too deeply to be scored"
    return RowProblem(Issue("nested-too-deeply", Blame.ENVIRONMENT, message, hint="align the outer lists as ordered"))
