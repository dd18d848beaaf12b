"""Our answers to the evaluations of struct-extract-eval's cases: a second scorer finds the results, and their values are judged here.

Places, pairs of items and what stands in place of what are those of `tests.reference.schemas`. Two values are alike when they are
equal, before or after their transforms, or when their comparator says so: numbers and listed values are worked out in written
decimals, and code of the case's own is called here as its rule says. How the schema itself is read is `x_eval_read`'s matter.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import Any, Final, NamedTuple, TypeAlias

from evaluators.model.issues import Problems
from evaluators.model.rows import MISSING, FieldStatus
from evaluators.scoring.comparators._comparator import Question
from evaluators.scoring.fields.rules import Partial, explain_rule
from evaluators.scoring.fields.xeval import parse_eval_schema
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.transforms import chain_of_expected
from tests.conformance.cases import Answer, Case
from tests.conformance.values import kind
from tests.conformance.x_eval_cases import as_theirs
from tests.conformance.x_eval_custom import batch_rule, compound_rule, judge_rule, pair_rule, registered, with_compounds
from tests.conformance.x_eval_differences import at
from tests.reference.schemas import Absent, Found, compare, compared, settled, spell_location

MATCH, MISMATCH, NOT_JUDGED = FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.NOT_JUDGED
Score: TypeAlias = float | None
"""What a comparator says of two values; None where that is no answer."""


def evaluated(case: Case) -> Answer | None:
    """The results and figures of every row; None for a schema that is refused."""
    given = case.settings
    entries = given["register"] or ()
    steps = given["post_process"] or ()
    if steps == "returns_none":
        return Answer(blame="config")
    try:
        with registered(entries):
            root = parse_eval_schema(with_compounds(given["schema"], entries))
            absent, rows = _absent(steps), []
            for expected, output in zip(given["gold"], given["extracted"], strict=True):
                found = compare(root, expected, output, absent)
                judged = list(_judged(case, found.results, {entry["name"]: entry for entry in entries}))
                rows.append(_row(judged, steps, absent))
    except Problems:
        return None
    means = [_mean([row["figures"][number] for row in rows]) for number in range(3)]
    return Answer(value={"rows": rows, "means": means})


def _absent(steps: Sequence[Mapping[str, Any]]) -> Absent:
    """What any of the post-processors takes for absent. Both sides match where one of them says so."""
    options = [one["reclassify_nulls"] or {} for one in steps if "reclassify_nulls" in one]
    values = [value for one in options for value in one.get("absent_values", (None,))]
    return Absent(tuple(values), all(one.get("both_absent_skip", True) for one in options))


def _row(judged: Sequence[tuple[Found, float]], steps: Sequence[Mapping[str, Any]], absent: Absent) -> dict[str, Any]:
    """The results of a row after its post-processors, and its figures."""
    for step in steps:
        if "reclassify_nulls" in step:
            now = [(found, score, settled(found, absent)) for found, score in judged]
            judged = [
                (found._replace(status=status), score if status is found.status else float(status is MATCH))
                for found, score, status in now
            ]
        if "propagate_batch_errors" in step:
            open_ = {found.metric for found, _ in judged if found.status is NOT_JUDGED and _costs(found)}
            judged = [
                (found._replace(status=NOT_JUDGED), 0.0)
                if found.metric in open_ and found.status in (MATCH, MISMATCH, FieldStatus.SKIPPED)
                else (found, score)
                for found, score in judged
            ]
        if "drop_paths" in step:
            judged = [one for one in judged if as_theirs(spell_location(one[0].location)) not in step["drop_paths"]]
    lines = [
        [
            as_theirs(spell_location(found.location)),
            "error" if found.status is NOT_JUDGED else found.status.word,
            score,
            *(None if side is MISSING else side for side in (found.expected, found.output)),
        ]
        for found, score in judged
    ]
    return {"results": sorted(lines, key=repr), "figures": _figures([found.status for found, _ in judged])}


def _figures(statuses: Sequence[FieldStatus]) -> list[float | None]:
    """Precision, recall and F1: none where nothing was there to score or something was not judged, and 0 where a share has nothing to
    be a share of."""
    count = Counter(statuses)
    right, wrong = count[MATCH], count[MISMATCH] + count[FieldStatus.ERROR]
    extra, lost = count[FieldStatus.HALLUCINATION], count[FieldStatus.OMISSION]
    if count[NOT_JUDGED] or not right + wrong + extra + lost:
        return [None, None, None]
    precision, recall = (right / (right + wrong + others) if right else 0.0 for others in (extra, lost))
    return [precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0]


def _mean(figures: Sequence[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) / len(known) if known else None


# Two values


class Asked(NamedTuple):
    """Two values that differ, transformed, and who is to say whether they match."""

    name: str
    params: Mapping[str, Any]
    expected: Any
    output: Any


def _costs(found: Found) -> bool:
    return found.metric is not None and bool(found.node.metrics) and bool(found.node.metrics[0].comparator.batch)


def _judged(
    case: Case, results: Sequence[Found], entries: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[Found, float]]:
    """Each result, judged anew where both sides are there and differ, with its score."""
    asked = [_asked(case, one) if one.status in (MATCH, MISMATCH) else None for one in results]
    batches = _batches([one for one in asked if one is not None], entries)
    for found, one in zip(results, asked, strict=True):
        if one is None:
            yield found, float(found.status is MATCH)
            continue
        score = _score(one, found, entries, batches)
        if score is None or not 0 <= score <= 1:
            yield found._replace(status=NOT_JUDGED), 0.0
        else:
            yield found._replace(status=MATCH if score == 1 else MISMATCH), score


def _asked(case: Case, found: Found) -> Asked | None:
    """What is to be asked of a result; None for equal values, before or after their transforms, and for a container."""
    expected, output = found.expected, found.output
    if found.metric is None or json_equal(expected, output):
        return None
    change = chain_of_expected(found.node.transforms)
    expected, output = expected if change is None else change(expected), compared(found.node, output)
    if json_equal(expected, output):
        return None
    path = [step if isinstance(step, str) else "[]" for step in found.location]
    named = [_entry(schema.get("x-eval-compare")) for schema in at(case, path)]
    params = {json.dumps(options): options for name, options in named if name in (found.metric, _alias(found.metric))}
    told = next(iter(params.values())) if len(params) == 1 else {}
    return Asked(found.metric if len(params) < 2 else "", told, expected, output)


def _entry(entry: Any) -> tuple[str, Mapping[str, Any]]:
    """The name of a comparator and its options."""
    if isinstance(entry, dict) and len(entry) == 1:
        ((name, options),) = entry.items()
        return str(name), options or {}
    return str(entry), {}


def _alias(name: str) -> str:
    return {"one_of": "oneof"}.get(name, name)


def _score(
    one: Asked, found: Found, entries: Mapping[str, Mapping[str, Any]], batches: Mapping[tuple[str, str], Score]
) -> Score:
    """What the comparator says. One that ships and is not worked out here is asked itself."""
    entry = entries.get(one.name)
    if entry is not None:
        if entry["kind"] in ("batch", "semantic"):
            return batches[_batch(one), _pair(one)]
        rule = compound_rule(entry) if entry["kind"] == "compound" else pair_rule(entry["rule"])
        return _number(_called(rule, one.expected, one.output, one.params))
    if one.name in ("exact", "numeric"):
        return alike(one.expected, one.output, (one.params.get("tolerance") or {}) if one.name == "numeric" else {})
    if one.name in ("oneof", "one_of") and one.params.keys() == {"values"}:
        return float(any(json_equal(one.output, value) for value in one.params["values"]))
    told = explain_rule(found.node.metrics[0].comparator, found.node.transforms, found.expected, found.output).judged
    return told.num / told.den if isinstance(told, Partial) else None if told is NOT_JUDGED else float(told is MATCH)


FAILED: Final = object()


def _called(rule: Callable[..., Any], *given: Any) -> Any:
    try:
        return rule(*given)
    except Exception:  # the case's own code may do anything
        return FAILED


def _number(said: Any) -> Score:
    """True, false or a number is an answer."""
    return float(said) if isinstance(said, bool | int | float) else None


def _batch(one: Asked) -> str:
    """Fields with one name and the same options are asked together."""
    return json.dumps([one.name, one.params])


def _pair(one: Asked) -> str:
    return json.dumps([one.expected, one.output], sort_keys=True)


def _batches(asked: Sequence[Asked], entries: Mapping[str, Mapping[str, Any]]) -> Mapping[tuple[str, str], Score]:
    """What each batch says of the pairs of a row, each asked once. An answer that is not as long as the questions is none."""
    found: dict[tuple[str, str], Score] = {}
    of_batches = [one for one in asked if entries.get(one.name, {}).get("kind") in ("batch", "semantic")]
    for name in dict.fromkeys(map(_batch, of_batches)):
        once = {_pair(one): one for one in of_batches if _batch(one) == name}
        first = next(iter(once.values()))
        entry = entries[first.name]
        rule = judge_rule(entry["judge"]) if entry["kind"] == "semantic" else batch_rule(entry)
        questions = [Question("", one.expected, one.output, one.expected, one.output) for one in once.values()]
        said = _called(rule, questions, first.params)
        fits = isinstance(said, list) and len(said) == len(once)
        found |= {
            (name, pair): _number(each) for pair, each in zip(once, said if fits else [None] * len(once), strict=True)
        }
    return found


def alike(expected: Any, actual: Any, limits: Mapping[str, Any]) -> float:
    """1 for equal values, and for two numbers within all limits: `abs`, and `rel` of an expected number that is not 0."""
    if not limits or not finite(expected) or not finite(actual):
        return float(json_equal(expected, actual))
    distance, limit, share = abs(exact(expected) - exact(actual)), limits.get("abs"), limits.get("rel")
    if expected == 0 or share is None:
        return float(distance <= exact(limit or 0))
    within_share = distance <= exact(share) * abs(exact(expected))
    return float(within_share and (limit is None or distance <= exact(limit)))


def finite(value: Any) -> bool:
    """A number, and none of the endless ones."""
    return kind(value) == "number" and isfinite(value)


def exact(value: Any) -> Decimal:
    """The number with the digits that people write."""
    return Decimal(str(value))
