"""Post-processors: what is done to the results of a row before anything is counted.

A post-processor takes the list of results and returns a list of results. Two ship with the package, and have a word in
`post_process:` of a suite; any function of a suite's own will do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, RowProblem, problem
from evaluators.model.registry import suggestion
from evaluators.model.rows import MISSING, FieldStatus, Outcome
from evaluators.model.settings import Settings, bad, build, read_each, spell, under, word_or_map
from evaluators.scoring.fields.presence import AbsentValues, BothAbsent
from evaluators.scoring.values.equality import json_equal

Processor: TypeAlias = Callable[[list[Outcome]], list[Outcome]]
Nulls: TypeAlias = Literal["value", "absent"]

NULL_ALONE: Final = (None,)
_COMPARED: Final = frozenset((FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.ERROR))


class NullHandling(Struct, frozen=True):
    """The values that `reclassify_nulls` counts as absent, in struct-extract-eval's words."""

    absent_values: Sequence[Any] = NULL_ALONE
    both_absent_skip: bool = True
    """A field that is absent on both sides is skipped; False: it is a match."""


def post_process(results: Sequence[Outcome], processors: Iterable[Processor]) -> tuple[Outcome, ...]:
    """The results after every post-processor, in turn.

    Raises Problems (config) for one that returns something else than a list of results, and RowProblem for a score that
    is no number from 0 to 1.
    """
    current = list(results)
    for processor in processors:
        returned: object = processor(list(current))
        if not isinstance(returned, list) or not all(isinstance(outcome, Outcome) for outcome in returned):
            name = _name(processor)
            raise problem(
                "post-process-result",
                f'the post-processor "{name}" returned {_type_text(returned)}; it must return a list of results',
                hint="end it with `return results`",
            )
        current = returned
        _check_scores(processor, current)
    return tuple(current)


def _check_scores(processor: Processor, results: Iterable[Outcome]) -> None:
    """Raises RowProblem for a result whose score is no number from 0 to 1."""
    for result in results:
        score: object = result.score
        if score is not None and (not isinstance(score, int | float) or not 0 <= score <= 1):
            what = f'the post-processor "{_name(processor)}" gave "{result.path}" the score {score}'
            raise RowProblem(Issue("bad-score", Blame.BUG, f"{what}; a score is a number from 0 to 1"))


def _name(processor: Processor) -> str:
    """The name of a post-processor, for messages."""
    return str(getattr(processor, "__name__", type(processor).__name__))


def null_processors(nulls: Nulls = "value", absent_values: Sequence[Any] | None = None) -> tuple[Processor, ...]:
    """The post-processor that `nulls:` and `absent_values:` of a suite ask for, or none. Listed values are absent whatever `nulls` is,
    and null is beside them where `nulls` says so."""
    values = (*(absent_values or ()), *(NULL_ALONE if nulls == "absent" else ()))
    return (partial(reclassify_nulls, absent_values=values),) if values else ()


def reclassify_nulls(
    results: Sequence[Outcome],
    absent_values: Sequence[Any] | NullHandling = NULL_ALONE,
    both_absent: BothAbsent = "skip",
    demanded: Collection[str] = (),
    required: Collection[str] = (),
) -> list[Outcome]:
    """The results, with some values taken for absent: null, and whatever else is listed.

    What counts is the value as it was compared. Absent on the expected side only: a hallucination; in the output only:
    an omission; on both sides: skipped, or a match. A result of a container that was looked into stays, unless it is absent on both
    sides. An expected value that its comparator cannot read is no fault when it counts as absent. Of the fields in `demanded` the
    output's value alone decides; one in `required` that both sides lack is an omission.
    """
    if isinstance(absent_values, NullHandling):
        both_absent = "skip" if absent_values.both_absent_skip else "match"
        absent_values = absent_values.absent_values
    return [
        _reclassify_demanded(result, absent_values)
        if result.field in demanded
        else _reclassify(result, absent_values, both_absent, result.place in required)
        for result in results
    ]


def propagate_batch_errors(results: Sequence[Outcome]) -> list[Outcome]:
    """The results, where a question that a batch comparator did not answer makes its others in the row not judged, too."""
    unanswered = {
        result.details.get("metric")
        for result in results
        if result.status is FieldStatus.NOT_JUDGED and result.details.get("batch")
    }
    return [_as_not_judged(result) if _is_answered_by(result, unanswered) else result for result in results]


def is_shipped(processor: Processor) -> bool:
    """Whether a post-processor comes with the package, so that it says the same of the same results."""
    return _bare_function(processor) in (reclassify_nulls, propagate_batch_errors)


def absent_values_of(processors: Iterable[Processor]) -> AbsentValues:
    """The values that some post-processors count as absent. Both sides match where one of them says so."""
    distinct: list[Any] = []
    both: BothAbsent = "skip"
    for processor in processors:
        if _bare_function(processor) is reclassify_nulls:
            options = processor.keywords if isinstance(processor, partial) else {}
            absent = options.get("absent_values", NULL_ALONE)
            if isinstance(absent, NullHandling):
                both = both if absent.both_absent_skip else "match"
                absent = absent.absent_values
            distinct += [value for value in absent if not any(json_equal(value, known) for known in distinct)]
            both = "match" if options.get("both_absent") == "match" else both
    return AbsentValues(tuple(distinct), both)


def with_field_options(
    processors: Sequence[Processor], demanded: Collection[str] = (), required: Collection[str] = ()
) -> tuple[Processor, ...]:
    """The post-processors, with other options in each `reclassify_nulls`: what any of them counts as absent, the `demanded` fields, which
    the output's value alone decides, and the `required` ones."""
    absent = absent_values_of(processors)
    reclassify = partial(
        reclassify_nulls, absent_values=absent.values, both_absent=absent.both, demanded=demanded, required=required
    )
    return tuple(reclassify if _bare_function(processor) is reclassify_nulls else processor for processor in processors)


def _bare_function(processor: Processor) -> object:
    """The function of a post-processor, without the options that were given to it."""
    return processor.func if isinstance(processor, partial) else processor


def _reclassify(result: Outcome, absent_values: Sequence[Any], both_absent: BothAbsent, required: bool) -> Outcome:
    """A result in which the listed values count as absent; the same result where that changes nothing. `required`:
    absent on both sides is an omission."""
    unreadable = result.status is FieldStatus.NOT_JUDGED and bool(result.details.get("unreadable"))
    compared = result.status in _COMPARED or unreadable
    if not compared and result.status not in (FieldStatus.OMISSION, FieldStatus.HALLUCINATION):
        return result
    expected = _is_absent(_compared_value(result, "compared_expected", result.expected), absent_values)
    actual = _is_absent(_compared_value(result, "compared_actual", result.actual), absent_values)
    if unreadable and not expected:
        return result
    if expected and actual:
        if result.expected is MISSING and result.actual is MISSING:
            return result
        if required:
            return _with_status(result, FieldStatus.OMISSION, 0.0, "required, and absent on both sides", "gold_missing")
        if both_absent == "match":
            return _with_status(result, FieldStatus.MATCH, 1.0, "absent on both sides", "match")
        return _with_status(result, FieldStatus.SKIPPED, None, "absent on both sides", "both_absent")
    looked_into = "metric" not in result.details and not result.details.get("outside")
    if not compared or looked_into:  # it has the right status already, or its inner values have results of their own
        return result
    if expected:
        return _with_status(result, FieldStatus.HALLUCINATION, 0.0, "the expected value counts as absent", "gold_null")
    if actual:
        return _with_status(result, FieldStatus.OMISSION, 0.0, "the output's value counts as absent", "extracted_null")
    return result


def _reclassify_demanded(result: Outcome, absent_values: Sequence[Any]) -> Outcome:
    """A result that the output's value alone decides: an omission where that value counts as absent."""
    if result.status not in _COMPARED or not _is_absent(
        _compared_value(result, "compared_actual", result.actual), absent_values
    ):
        return result
    return _with_status(result, FieldStatus.OMISSION, 0.0, "the output's value counts as absent", "extracted_null")


def _compared_value(result: Outcome, name: str, raw: object) -> object:
    """A side's value as it was compared, after its transforms: in the details under `name`, where these changed it."""
    return result.details.get(name, raw)


def _is_absent(value: object, absent_values: Sequence[Any]) -> bool:
    """Whether a value is missing, or equals one of those that count as absent."""
    return value is MISSING or any(json_equal(value, absent) for absent in absent_values)


def _with_status(result: Outcome, status: FieldStatus, score: float | None, reason: str, code: str) -> Outcome:
    """A result with another status, score, reason and reason code, and without partial credit."""
    details = {key: value for key, value in result.details.items() if key != "ratio"}
    return replace(result, status=status, score=score, reason=reason, details={**details, "code": code})


def _is_answered_by(result: Outcome, metrics: set[object]) -> bool:
    """Whether a result has an answer of a batch comparator, which is one of these `metrics`."""
    return (
        bool(result.details.get("batch"))
        and result.details.get("metric") in metrics
        and result.status in (FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.SKIPPED)
    )


def _as_not_judged(result: Outcome) -> Outcome:
    """A result as one that was not judged, since another question of its batch was not answered."""
    return _with_status(result, FieldStatus.NOT_JUDGED, None, "another question of the same batch was left open", "error")


def _type_text(returned: object) -> str:
    """What a post-processor returned in place of a list of results, for messages."""
    return "a list with something else in it" if isinstance(returned, list) else type(returned).__name__


class ReclassifyNulls(Settings):
    """The options of `reclassify_nulls`."""

    absent_values: tuple[Any, ...] = (None,)
    """The values that say that nothing is there."""
    both_absent: Literal["skip", "match"] = "skip"
    """What a field is that is absent on both sides."""


WORDS: Final[Mapping[str, tuple[type[Settings], Processor]]] = {
    "reclassify_nulls": (ReclassifyNulls, reclassify_nulls),
    "propagate_batch_errors": (Settings, propagate_batch_errors),
}


def read_post_process(data: object) -> tuple[Processor, ...]:
    """The post-processors that a list of words, one-key maps and functions names, in the order in which they are applied. Raises
    BadSettings with everything wrong."""
    if callable(data) or isinstance(data, str):
        data = [data]
    if not isinstance(data, (list, tuple)):
        raise bad(f"post_process must be a list; found {spell(data)}", hint="write post_process: [reclassify_nulls]")
    return read_each(enumerate(data), _read_processor)


def _read_processor(index: int, item: Any) -> Processor:
    """A post-processor from its name, from its name with options, or from a function, which is taken as it is. Raises BadSettings."""
    if callable(item):
        known: Processor = item
        return known
    name, options = word_or_map(item, "post-processor")
    loc = (name,) if isinstance(item, Mapping) else ()
    if name not in WORDS:
        hint = suggestion(name, WORDS) or f"known: {', '.join(WORDS)}"
        raise bad(f'unknown post-processor "{name}"', *loc, hint=hint, key=bool(loc))
    model, function = WORDS[name]
    with under(*loc):
        settings = build(model, options, noun=f'post-processor "{name}"')
    return partial(function, **settings.model_dump())
