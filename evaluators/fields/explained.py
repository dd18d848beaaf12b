"""What a walk found in one of its rows, in document order, each result with its reason. Nothing is walked or compared again:
a comparator is asked only to put into words what it decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from evaluators.comparators._answers import in_field
from evaluators.fields.instance_paths import spelled
from evaluators.fields.pair import Paired, keys_of
from evaluators.fields.post_process import Processor, post_process
from evaluators.fields.rules import Explained, explain_rule
from evaluators.fields.scored import Scored
from evaluators.fields.settle import WRONG, judged_arrays, settle_arrays, settle_unit
from evaluators.fields.units import ShownField, ShownList
from evaluators.fields.walk import Walk
from evaluators.fields.walk_findings import MATCH, SKIPPED, Finding, order_of
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.model import MISSING, FieldResult, Status
from evaluators.values.paths import Path


def scored(walk: Walk, row: int, post_processors: Sequence[Processor] = ()) -> Scored:
    """What one row of a walk comes to.

    `post_processors` change the list of results before anything is counted; Problems (config) is raised for one that
    returns something else than a list of results.
    """
    units = [(unit, answer) for finding in results_of(walk, row) for unit, answer in units_of(finding)]
    answers = [_answered(unit, answer) for unit, answer in units]
    results = [settle_unit(unit, answer) for (unit, _), answer in zip(units, answers, strict=True)]
    fields = post_process(results, post_processors)
    arrays = (*settle_arrays(lists_of(walk, row), fields), *judged_arrays((unit for unit, _ in units), fields))
    problems = [
        in_field(answer.problem, spelled(unit.location))
        for (unit, _), answer in zip(units, answers, strict=True)
        if answer is not None and answer.problem is not None
    ]
    return Scored(fields, arrays, outside_of(walk, row), _problem(fields, problems))


def wrong_results(walk: Walk, row: int, wanted: Callable[[str], bool]) -> list[FieldResult]:
    """The results of one row of a walk that are wrong, of the places whose names are `wanted`, before any post-processor."""
    found = [each for each in walk.found_in(row) if each.status in WRONG and wanted(each.node.name)]
    for column in walk.columns:
        if column.status in WRONG and wanted(column.node.name):
            found += column.findings(row)
    if len(found) > 1:
        found.sort(key=walk.order)
    results = [settle_unit(unit, _answered(unit, known)) for finding in found for unit, known in units_of(finding)]
    return [result for result in results if result.status in WRONG]


def results_of(walk: Walk, row: int) -> list[Finding]:
    """Every result of a row, matches too, in document order."""
    found = list(walk.found_in(row))
    known = {(id(each.node), id(each.frame), each.at) for each in found}
    for column in walk.columns:
        found += [each for each in column.findings(row) if (id(each.node), id(each.frame), each.at) not in known]
    for node, frame in walk.skipped:
        found += [Finding(row, SKIPPED, node, frame, at) for at in frame.positions(row)]
    return sorted(found, key=walk.order)


def units_of(finding: Finding) -> Iterable[tuple[ShownField, Explained | None]]:
    """What a finding says: one unit for each metric of its place, with the answer where there is one already."""
    node, frame, more, at = finding.node, finding.frame, finding.more, finding.at
    location, status = frame.where(at), finding.status
    if more is not None and more.above is not None:
        location = (*location, *more.below)
        yield ShownField(location, node.path, MISSING, more.value, status, outside=True, elsewhere=more.elsewhere), None
        return
    e, o = frame.e[at], frame.o[at]
    if not node.unit or node.skip:
        yield ShownField(location, node.path, e, o, status, place_weight=node.weight), None
        return
    there = Status.OMISSION if o is MISSING else Status.HALLUCINATION if e is MISSING else None
    for number, metric in enumerate(node.metrics):
        answer = more.answers[number] if more is not None and more.answers else None
        known = answer if isinstance(answer, Explained) else None
        ask = node.readers[number]
        yield ShownField(location, node.path, e, o, there, metric, node.transforms, node.weight, ask=ask), known


def _answered(unit: ShownField, known: Explained | None) -> Explained | None:
    """What the metric says of both values, with a reason."""
    if known is not None and (known.reason is not None or known.problem is not None):
        return known
    if unit.status is not None or unit.metric is None:
        return known
    if unit.metric.comparator.costs:
        return known if known is not None else Explained(MATCH, "equal")
    return explain_rule(unit.metric.comparator, unit.transforms, unit.expected, unit.actual)


def lists_of(walk: Walk, row: int) -> list[ShownList]:
    """The lists of a row, outer ones before inner ones."""
    found = []
    for each in walk.lists:
        for at in each.frame.positions(row):
            location, paired = each.frame.where(at), None
            if each.items is not None:
                keys = keys_of(each.node.align, each.frame.e[at], each.frame.o[at])
                paired = Paired(each.items.pairs_of(at), [], [], keys._replace(crowded=at in each.items.crowded))
            listed = ShownList(location, each.node, each.whole.e[at], each.whole.o[at], paired)
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
        if each.status is Status.FAULT:
            faults.setdefault(each.row, []).append(each)
    found = {}
    for row, findings in faults.items():
        first = min(findings, key=walk.order)
        answers = first.more.answers if first.more is not None else ()
        problem = next(one.problem for one in answers if isinstance(one, Explained) and one.problem is not None)
        found[row] = in_field(problem, spelled(first.frame.where(first.at)))
    return found


def _problem(fields: Sequence[FieldResult], problems: Sequence[RowProblem]) -> RowProblem | None:
    """The problem of the first result that has one; post-processors may have settled those of other results."""
    broken = next((result for result in fields if result.status is Status.FAULT), None)
    if broken is None:
        return None
    its_own = (problem for problem in problems if problem.issue.message.endswith(str(broken.reason)))
    found = next(its_own, problems[0] if problems else None)
    if found is not None:
        return found
    message = f'field "{broken.path}": {broken.reason or "it could not be measured"}'
    return RowProblem(Issue("not-measured", Blame.BUG, message))


def too_deep() -> RowProblem:
    """What is said of a row whose documents are nested too deeply."""
    message = "the documents hold choices or aligned lists that are nested too deeply to be scored"
    return RowProblem(Issue("nested-too-deeply", Blame.ENVIRONMENT, message, hint="align the outer lists as ordered"))
