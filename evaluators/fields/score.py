"""The slow, obvious scorer of a tree of nodes: the reference that faster ones agree with, and what explains a row.

Three movements. *Gather* walks both documents along the tree, pairs the items of arrays and lists the units with their two
sides. *Compare* asks for an answer where both sides are there, one call per batch comparator and row. *Settle* makes the
results, then the post-processors run, and the items of arrays are counted from what they leave.

The policy. A side at a place is missing, null or a value.

A *unit* is every leaf, and every container that a comparator compares as one value. Missing in the output: one omission.
Missing on the expected side: one hallucination. Both there, null included: equality, then transforms, then the comparator.

Any other container is looked into. What counts is its leaves; null, {} and [] are one leaf each.

| expected | output | result |
|---|---|---|
| contents | contents | key by key, item by item |
| contents | nothing, null or empty | an omission per leaf |
| contents | another kind | an omission per leaf, and one hallucination at the container |
| nothing, null or empty | contents | a hallucination per leaf |
| nothing or null | empty or another kind | one hallucination (of a container of another kind: one per leaf) |
| nothing | null | one hallucination |
| empty | empty | one match; nothing where both are whole documents, unless a key is required |
| null | null | one match |
| null or empty | nothing | one omission |
| empty | null | one omission |
| empty | another kind | one mismatch |
| another kind | nothing or null | one omission |
| another kind | anything else | one match when equal, else one mismatch |

A key that the schema lacks: where the expected side has it, it is not scored and is named once; where only the output has
it, it is a hallucination per leaf. In an item of the output without a partner, the expected side is all expected items of its
list. A skipped place is one skipped result where either side has something. Absent on both
sides is nothing, unless the place is required: then it is an omission.

A *choice* is scored by its best-fitting branch, among those of the kind that the expected value has: the one that lacks
the fewest of the expected keys, then one that measures something, then the one with the best F1, then the one with the least
that is wrong, then the first. A *compound* compares some keys of an object as one unit, at the object's own place. A unit
with several metrics has a result for each of them, and counts once in precision, recall and F1.

An expected value that its comparator cannot read is a fault, whatever the output has there. A branch of a choice that
can read more of the expected values fits better than one that has more matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluators.comparators._answers import in_field
from evaluators.fields.gather import gather
from evaluators.fields.instance_paths import spelled
from evaluators.fields.post_process import Processor, post_process
from evaluators.fields.scored import ArrayResult, Scored
from evaluators.fields.searching import PairSearch
from evaluators.fields.settle import WRONG, judged_arrays, settle_arrays, settle_unit
from evaluators.fields.tree import FieldNode
from evaluators.fields.unit_answers import Answers, compare
from evaluators.fields.units import Found, Listed, Outside, Unit
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.model import FieldResult, Status
from evaluators.values.equality import same
from evaluators.values.paths import Path

__all__ = ["ArrayResult", "Scored", "score_document", "wrong_results"]


def score_document(root: FieldNode, expected: Any, output: Any, post_processors: Sequence[Processor] = ()) -> Scored:
    """The documents of one row, scored. A side that is not there is MISSING.

    `post_processors` change the list of results before anything is counted; Problems (config) is raised for one that
    returns something else than a list of results.
    """
    try:
        found = gather(root, expected, output)
    except RecursionError:
        return Scored((), problem=_too_deep())
    units = [each for each in found if isinstance(each, Unit)]
    answers = compare(units)
    results = [settle_unit(unit, answers.get(number)) for number, unit in enumerate(units)]
    fields = post_process(results, post_processors)
    return Scored(
        fields,
        (*settle_arrays((each for each in found if isinstance(each, Listed)), fields), *judged_arrays(units, fields)),
        _outside(found),
        _problem(fields, units, answers),
    )


def ask_document(root: FieldNode, expected: Any, output: Any) -> None:
    """Asks what costs in the documents of one row, and nothing else."""
    try:
        found = gather(root, expected, output)
    except RecursionError:  # scoring the row says so
        return
    compare([each for each in found if isinstance(each, Unit)], costly_only=True)


def wrong_results(root: FieldNode, expected: Any, output: Any, search: PairSearch | None = None) -> list[FieldResult]:
    """The results of one row that are wrong; with a search, at least those that it looks for.

    Nothing is counted and no post-processor runs.
    """
    found = gather(root, expected, output, search)
    units = [each for each in found if isinstance(each, Unit) and _may_be_wrong(each)]
    answers = compare(units)
    results = [settle_unit(unit, answers.get(number)) for number, unit in enumerate(units)]
    return [result for result in results if result.status in WRONG]


def _may_be_wrong(unit: Unit) -> bool:
    if unit.unreadable is not None:
        return True
    if unit.status is not None:
        return unit.status in WRONG
    one_sided = unit.metric is not None and unit.metric.comparator.reads == "output"
    return one_sided or not same(unit.expected, unit.actual)


def _outside(found: Sequence[Found]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(Path(each.path).canonical for each in found if isinstance(each, Outside)))


def _problem(fields: Sequence[FieldResult], units: Sequence[Unit], answers: Answers) -> RowProblem | None:
    """The problem of the first result that has one; post-processors may have settled those of other results."""
    broken = next((result for result in fields if result.status is Status.FAULT), None)
    if broken is None:
        return None
    problems = [
        in_field(problem, spelled(units[number].location))
        for number in sorted(answers)
        if (problem := answers[number].problem) is not None
    ]
    its_own = (problem for problem in problems if problem.issue.message.endswith(str(broken.reason)))
    found = next(its_own, problems[0] if problems else None)
    if found is not None:
        return found
    message = f'field "{broken.path}": {broken.reason or "it could not be measured"}'
    return RowProblem(Issue("not-measured", Blame.BUG, message))


def _too_deep() -> RowProblem:
    message = "the documents hold choices or aligned lists that are nested too deeply to be scored"
    return RowProblem(Issue("nested-too-deeply", Blame.ENVIRONMENT, message, hint="align the outer lists as ordered"))
