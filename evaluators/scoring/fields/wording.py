"""The results of a row in words: an outcome for each metric of each result, with its reason and its values.

What is put into words was decided by the walk before. A comparator may read the two values once more to say why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.rows import MISSING, FieldStatus, Outcome
from evaluators.scoring.comparators._comparator import with_field_name
from evaluators.scoring.fields.instance_paths import spell_location
from evaluators.scoring.fields.item_keys import key_notes
from evaluators.scoring.fields.outcomes import (
    MEASURED,
    WRONG,
    PairedList,
    Scored,
    joint_status,
    judged_list_outcomes,
    list_outcomes,
    reason_code,
)
from evaluators.scoring.fields.pairing import CROWDED
from evaluators.scoring.fields.places import ShownMetric
from evaluators.scoring.fields.presence import AbsentValues
from evaluators.scoring.fields.results import IS_WRONG, NOT_JUDGED, SKIPPED, STATUS, FieldResult, RowResults
from evaluators.scoring.fields.rules import EQUAL, Explained, Partial, explain_rule
from evaluators.scoring.judges.judged_comparator import ListTotals
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.transforms import TransformError

if TYPE_CHECKING:
    from evaluators.scoring.fields.post_process import Processor

OURS: Final = frozenset(
    ("code", "metric", "outside", "ratio", "batch", "stands_for", "compared_expected", "compared_actual", "unreadable")
)
"""The names in `details` that scoring reads. A comparator cannot set them."""


_SCORES: Final = {FieldStatus.MATCH: 1.0, **dict.fromkeys(MEASURED - {FieldStatus.MATCH}, 0.0)}
"""The score of a measured result; the others have none."""


def row_outcomes(results: RowResults, post_processors: Sequence[Processor], absent: AbsentValues) -> Scored:
    """The results of one row in words: an outcome of each field and each list, and what keeps the row from being
    scored.

    `post_processors` change the outcomes before anything is counted; Problems (config) is raised for one that returns
    something else than a list of outcomes. `absent` are the values that count as absent.
    """
    outcomes: list[Outcome] = []
    problems: list[RowProblem] = []
    judged: dict[tuple[str, object], tuple[Fraction, ListTotals]] = {}
    for field in results.fields:
        for result, problem, shown in outcomes_of(field):
            outcomes.append(result)
            if problem is not None:
                problems.append(with_field_name(problem, result.path))
            if shown is not None and shown.totals is not None:
                judged[result.path, shown.metric.name] = shown.weight, shown.totals
    fields = tuple(outcomes)
    if post_processors:
        from evaluators.scoring.fields.post_process import post_process  # few suites have any

        fields = post_process(outcomes, post_processors)
    arrays = list_outcomes(paired_lists(results, absent), fields)
    if judged:
        arrays += judged_list_outcomes(judged, fields)
    outside = dict.fromkeys(Path((*node.path, step)).canonical for node, step in results.outside)
    return Scored(fields, arrays, tuple(outside), _first_problem(fields, problems))


def wrong_results(results: RowResults, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
    """The wrong outcomes of one row in its `wanted` places, before any post-processor. `listed` are the places that may be wanted by name;
    "" among the wanted ones stands for all others."""
    wrong = [each for each in results.fields if IS_WRONG[each.status]]
    wrong = [each for each in wrong if (each.at.node.name if each.at.node.name in listed else "") in wanted]
    return [result for result_at in wrong for result, _, _ in outcomes_of(result_at) if result.status in WRONG]


def outcomes_of(result: FieldResult) -> Iterable[tuple[Outcome, RowProblem | None, ShownMetric | None]]:
    """Yields (outcome, problem, metric) for each metric of a result: the result in words; the problem that kept it from being measured, if
    any; and what all results of the metric share, None where no metric was asked."""
    node, status, path, e, o = (
        result.at.node,
        STATUS[result.status],
        spell_location(result.location),
        result.expected,
        result.output,
    )
    if result.known_to is not None:  # a value of the output that the schema lacks
        reason = reason_of(status, MISSING, o, result.known_to)
        code = {"code": reason_code(status, MISSING, o), "outside": True}
        yield Outcome(path, status, 0.0, 1.0, node.name, reason, None, MISSING, o, code), None, None
        return
    if not node.unit or node.skip:  # an object or a list as a whole, or a skipped place
        rule = "skip" if result.status == SKIPPED else None
        reason = reason_of(status, e, o) or difference_text(e, o)
        yield Outcome(
            path, status, _SCORES.get(status), float(node.weight), node.name, reason, rule, e, o, {"code": reason_code(status, e, o)}
        ), None, None  # fmt: skip
        return
    for number, shown in enumerate(result.at.shown_metrics):
        explained = explain_metric(result, number)
        judged = explained.judged
        status = explained.status
        details: dict[str, object] = {name: detail for name, detail in explained.details.items() if name not in OURS}
        details["code"] = reason_code(status, e, o)
        if status is FieldStatus.NOT_JUDGED and shown.ask is not None and e is not MISSING and shown.ask(e) is not None:
            details["unreadable"] = True
        score = _SCORES.get(status)
        if shown.totals is not None:
            status = _status_by_items(status, details)
        if isinstance(judged, Partial):
            score, details["ratio"] = judged.num / judged.den, (judged.num, judged.den)
        details |= shown.details
        if shown.transform is not None:
            details |= transformed_values(shown.transform, e, o)
        yield Outcome(
            path, status, score, float(shown.weight), node.name, explained.reason or reason_of(status, e, o), shown.metric.rule,
            e, o, details,
        ), explained.problem, shown  # fmt: skip


def _status_by_items(status: FieldStatus, details: Mapping[str, object]) -> FieldStatus:
    """The status of a list that a judge compares as a whole: a match only when all items match, even if the metric passes with fewer."""
    if status not in (FieldStatus.MATCH, FieldStatus.MISMATCH):
        return status
    kinds = {"missed": FieldStatus.OMISSION, "spurious": FieldStatus.HALLUCINATION}
    nulls = {"extracted_null": FieldStatus.OMISSION, "gold_null": FieldStatus.HALLUCINATION}
    kinds_found = [kind for name, kind in kinds.items() if details.get(name)]
    return joint_status(kinds_found) if kinds_found else nulls.get(str(details["code"]), status)


def explain_metric(result: FieldResult, number: int) -> Explained:
    """The answer that the metric at position `number` gives to the two values of a result, with a reason. It is asked again only where its
    answer was not kept."""
    node, how, expected, output = result.at.node, result.at.how, result.expected, result.output
    comparator = node.metrics[number].comparator
    known = result.answers[number] if result.answers else None
    if isinstance(known, Explained) and (known.reason is not None or known.problem is not None):  # it says why already
        return known
    one_sided = FieldStatus.OMISSION if output is MISSING else FieldStatus.HALLUCINATION if expected is MISSING else None
    if one_sided is not None and not (one_sided is FieldStatus.HALLUCINATION and how is not None and how.alone):
        expected = (
            None if node.needed_in_output and not node.required else expected
        )  # then the reason speaks of the output alone
        return known if isinstance(known, Explained) else Explained(one_sided, reason_of(one_sided, expected, output))
    if known is None and how is not None and not how.each and json_equal(expected, output):
        return EQUAL
    if comparator.costs:  # it is not asked again for a reason
        return known if isinstance(known, Explained) else EQUAL
    together = None if node.line is None else node.line.together
    return explain_rule(comparator, node.transforms, expected, output, together)


def paired_lists(results: RowResults, absent: AbsentValues) -> list[PairedList]:
    """The lists of a row as their items were paired, outer ones before inner ones. Each has notes on items without a key or with the same
    one, and on being too long to compare every pair; indexes are those of the whole lists, also where only the first of equal items
    count."""
    lists = []
    for each in results.lists:
        node, e, o, pairs = each.at.node, each.expected, each.output, list(each.pairs)
        items, others = ([*value] if isinstance(value, list) else [] for value in (e, o))
        notes = key_notes(node.align, items, others, absent.if_any) if node.align.how == "key_field" else []
        notes += [CROWDED] if each.crowded else []
        if each.unique is not None:
            ours, theirs = each.unique
            pairs = [(ours[row], theirs[column]) for row, column in pairs]
        lists.append(PairedList(each.location, node, e, o, pairs, tuple(notes), bool(absent.values) and absent.has(e)))
    return lists


def row_problem(results: RowResults) -> RowProblem | None:
    """Why a row has no score: the first result that something else than the output kept from being measured."""
    for field in results.fields:
        if field.status == NOT_JUDGED and (problem := result_problem(field)) is not None:
            return with_field_name(problem, spell_location(field.location))
    return None


def result_problem(fault: FieldResult) -> RowProblem | None:
    """The problem of one result that could not be measured; None of any other."""
    return next(
        (answer.problem for answer in fault.answers if isinstance(answer, Explained) and answer.problem is not None), None
    )


def _first_problem(fields: Sequence[Outcome], problems: Sequence[RowProblem]) -> RowProblem | None:
    """The problem of the first outcome that could not be judged; None where all could. Post-processors may have settled
    outcomes that had one."""
    broken = next((result for result in fields if result.status is FieldStatus.NOT_JUDGED), None)
    if broken is None:
        return None
    its_own = (problem for problem in problems if problem.issue.message.endswith(str(broken.reason)))
    problem = next(its_own, problems[0] if problems else None)
    if problem is not None:
        return problem
    message = f'field "{broken.path}": {broken.reason or "it could not be measured"}'
    return RowProblem(Issue("not-measured", Blame.BUG, message))


def too_deep_problem() -> RowProblem:
    """The problem of a row whose documents are nested too deeply."""
    message = "the documents hold choices or aligned lists that are nested too deeply to be scored"
    return RowProblem(Issue("nested-too-deeply", Blame.ENVIRONMENT, message, hint="align the outer lists as ordered"))


def transformed_values(apply: Callable[[Any], Any] | None, expected: Any, actual: Any) -> dict[str, object]:
    """The expected and the actual value after `apply`, the transforms, by their names in the details; a value that they
    do not change has none."""
    changed: dict[str, object] = {}
    if apply is None:
        return changed
    for name, value in (("compared_expected", expected), ("compared_actual", actual)):
        if value is MISSING:
            continue
        try:
            made = apply(value)
        except (TransformError, RowProblem):  # the result itself says what went wrong
            continue
        if not json_equal(value, made):
            changed[name] = made
    return changed


def reason_of(
    status: FieldStatus, expected: Any, actual: Any, schema: Literal["knows it", "outside", "elsewhere"] = "knows it"
) -> str | None:
    """Why a result has the status that its presence gave it; None for two values that differ. `schema`: whether it knows the place, or
    only in another branch."""
    if status is FieldStatus.SKIPPED:
        return "skipped"
    if expected is MISSING and actual is MISSING:
        return "required, and absent on both sides"
    if status is FieldStatus.OMISSION:
        return "missing in the output" if actual is MISSING else "null in the output"
    if status is FieldStatus.HALLUCINATION and expected is MISSING:
        return _ONLY_THE_OUTPUT[schema]
    if status is FieldStatus.MATCH:
        return "null on both sides" if actual is None else "equal"
    return None


_ONLY_THE_OUTPUT: Final = {
    "knows it": "only the output has it",
    "outside": "only the output has it, and the schema does not know it",
    "elsewhere": "only the output has it, and it belongs to another branch of the schema",
}

WEIGHTLESS: Final = "no field that counts was measured: the others have weight 0"
"""Why a row is not measured that has fields to compare."""


def right_count_text(match: int, whole: int, results: Iterable[Outcome], noun: Literal["field", "value"]) -> str:
    """How many of some fields or values are right, and the first that is not: `2 of 3 fields right; first difference: …`."""
    wrong = next((result for result in results if result.status in WRONG), None)
    if match == whole:
        return f"the only {noun} is right" if whole == 1 else f"all {whole} {noun}s are right"
    text = f"{match} of {whole} {noun}s right"
    return text if wrong is None else f"{text}; first difference: {wrong.path or 'the whole document'}, {wrong.reason}"
