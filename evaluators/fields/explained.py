"""A row with all its results: what a walk found in its documents, in document order, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from evaluators.comparators._cache import caching
from evaluators.comparators._comparator import in_field
from evaluators.fields.frame import Frame, of_rows
from evaluators.fields.instance_paths import spelled
from evaluators.fields.pair import Paired, keys_of
from evaluators.fields.post_process import Processor, post_process
from evaluators.fields.rules import Explained, explain_rule
from evaluators.fields.scored import Scored
from evaluators.fields.settle import WRONG, judged_arrays, settle_arrays, settle_unit
from evaluators.fields.tree import FieldNode
from evaluators.fields.units import ShownField, ShownList
from evaluators.fields.walk import Walk
from evaluators.fields.walk_findings import MATCH, SKIPPED, Finding, order_of
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.model import MISSING, FieldResult, Status
from evaluators.values.equality import same
from evaluators.values.paths import Path


def score_document(
    root: FieldNode, expected: object, output: object, post_processors: Sequence[Processor] = ()
) -> Scored:
    """The documents of one row, scored. A side that is not there is MISSING.

    `post_processors` change the list of results before anything is counted; Problems (config) is raised for one that
    returns something else than a list of results.
    """
    try:
        with caching(), one_row(expected, output) as frames:
            return scored(Walk(1).go(root, frames), post_processors)
    except RecursionError:
        return Scored((), problem=too_deep())


def scored(walk: Walk, post_processors: Sequence[Processor] = ()) -> Scored:
    """What a walk through one row comes to."""
    units = [(unit, answer) for finding in in_document_order(walk) for unit, answer in units_of(finding)]
    answers = [_answered(unit, answer) for unit, answer in units]
    results = [settle_unit(unit, answer) for (unit, _), answer in zip(units, answers, strict=True)]
    fields = post_process(results, post_processors)
    arrays = (*settle_arrays(lists_of(walk), fields), *judged_arrays((unit for unit, _ in units), fields))
    problems = [
        in_field(answer.problem, spelled(unit.location))
        for (unit, _), answer in zip(units, answers, strict=True)
        if answer is not None and answer.problem is not None
    ]
    return Scored(fields, arrays, outside_of(walk), _problem(fields, problems))


def ask_document(root: FieldNode, expected: object, output: object) -> None:
    """Asks what costs in the documents of one row."""
    with suppress(RecursionError), one_row(expected, output) as frames:  # scoring the row says what is too deep
        Walk(1).go(root, frames)


def wrong_results(root: FieldNode, expected: object, output: object) -> list[FieldResult]:
    """The results of one row that are wrong. Nothing is counted and no post-processor runs.

    None where documents are nested too deeply: that is the problem of the row.
    """
    results: list[FieldResult] = []
    with suppress(RecursionError), one_row(expected, output) as frames:
        walk = Walk(1).go(root, frames)
        found = [each for each in in_document_order(walk) if each.status in WRONG]
        units = [(unit, answer) for finding in found for unit, answer in units_of(finding)]
        results = [settle_unit(unit, _answered(unit, answer)) for unit, answer in units]
    return [result for result in results if result.status in WRONG]


@contextmanager
def one_row(expected: object, output: object) -> Iterator[list[Frame]]:
    """The frames of one row, as long as they are looked at."""
    frames = of_rows([expected], [expected if same(expected, output) else output])
    try:
        yield frames
    finally:
        for frame in frames:
            frame.release()


def in_document_order(walk: Walk) -> list[Finding]:
    """Every result of a row, matches too."""
    known = {(id(each.node), id(each.frame), each.at): each for each in walk.findings}
    found = [each for each, _ in walk.single]
    for node, frame, _, status in walk.columns:
        found += [
            known.get((id(node), id(frame), at)) or Finding(row, status, node, frame, at)
            for at, row in enumerate(frame.rows)
        ]
    for node, frame in walk.skipped:
        found += [Finding(row, SKIPPED, node, frame, at) for at, row in enumerate(frame.rows)]
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


def lists_of(walk: Walk) -> list[ShownList]:
    """The lists of a row, outer ones before inner ones."""
    found = []
    for each in walk.lists:
        pairs: list[list[tuple[int, int]]] = [[] for _ in each.frame.rows]
        if each.items is not None:
            for owner, row, column in each.items.pairs_of_lists():
                pairs[owner].append((row, column))
        for at in range(len(each.frame.rows)):
            location, paired = each.frame.where(at), None
            if each.items is not None:
                keys = keys_of(each.node.align, each.frame.e[at], each.frame.o[at])
                paired = Paired(pairs[at], [], [], keys._replace(crowded=at in each.items.crowded))
            listed = ShownList(location, each.node, each.whole.e[at], each.whole.o[at], paired)
            found.append((order_of(walk.trails[id(each.node)], location), listed))
    return [listed for _, listed in sorted(found, key=lambda each: each[0])]


def outside_of(walk: Walk) -> tuple[str, ...]:
    """The places that the expected side has and the schema lacks, each once."""
    found = sorted(
        (order_of(walk.trails[id(each.node)], (*each.frame.where(each.at), each.step)), (*each.node.path, each.step))
        for each in walk.outside
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
