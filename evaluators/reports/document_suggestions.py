"""Suggestions on whole documents: values that say that nothing is there, keys of another name, one more key around everything, and lists in
another order.

In each row, the fields that are missing are held against those that are extra, and the wrong values of a list against each other. Nothing
is paired that is not equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, Final, Literal, TypeAlias

from evaluators.model.rows import MISSING, FieldStatus, Outcome
from evaluators.reports.changed_evaluator import RowsAgain, with_settings
from evaluators.reports.mistakes import steps_of
from evaluators.reports.suggestions import SHOWN_ROWS, Suggestion
from evaluators.runs.metrics import rows_text
from evaluators.runs.reader import Run
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.path_text import Step
from evaluators.scoring.values.paths import ANY, display
from evaluators.scoring.values.quoting import flow_text

MOST_OF_DOCUMENTS: Final = 5_000
"""Recorded results that are looked at for what happened to documents."""
_Values: TypeAlias = dict[tuple[Step, ...], Any]
_Oddity: TypeAlias = tuple[str, str, str]
"""An oddity of documents: its field, what it is in words, and the line of the suite that allows it, empty where none does."""


def absence_suggestions(
    lines: Sequence[EvaluatorLine],
    record: Run,
    again: Mapping[str | None, RowsAgain],
    others: Sequence[Suggestion] = (),
    wanted: int | None = None,
) -> Iterator[Suggestion]:
    """Suggestions to list values as absent: null, an empty text, list or object, which one side has where the other has nothing.

    `again` has the rows of each variant. Where at least `wanted` of the `others` turn more values than could be set aside of an evaluator,
    nothing is tried for it; without `wanted`, everything is.
    """
    named = {line.name: line for line in lines if "absent_values" in type(line.settings).model_fields}
    for variant in record.facts.variants if named else ():
        met: dict[str, list[Any]] = {}
        met_in = Counter[str]()
        outcomes = islice(record.outcomes(variant.variant), MOST_OF_DOCUMENTS)
        for line in (outcome for outcome in outcomes if isinstance(outcome, Outcome) and outcome.evaluator in named):
            sides = line.expected, line.actual
            if line.status not in _WRONG or not all(map(_is_empty, sides)):
                continue
            met_in[line.evaluator] += 1
            known = met.setdefault(line.evaluator, [])
            known += [
                value for value in sides if value is not MISSING and not any(json_equal(value, other) for other in known)
            ]
        for name, values in met.items():
            more_of_others = sum(suggestion.turned > met_in[name] for suggestion in others)
            if wanted is not None and more_of_others >= wanted and variant.outcomes <= MOST_OF_DOCUMENTS:
                continue
            wrong = _wrong_value_count(record, name, variant.variant)
            yield from _absence_suggestions_of(named[name], variant.variant, values, again[variant.variant], wrong)


def _wrong_value_count(record: Run, evaluator: str, variant: str | None) -> int:
    """How many values of all fields of an evaluator are wrong in a run."""
    return sum(
        field.counts.n - field.counts.match
        for stats in record.result.evaluators
        if (stats.name, stats.variant) == (evaluator, variant)
        for field in stats.fields
    )


def _is_empty(value: Any) -> bool:
    return value is MISSING or value is None or value in ("", [], {})


def _absence_suggestions_of(
    line: EvaluatorLine, variant: str | None, values: Sequence[Any], again: RowsAgain, wrong_in_run: int
) -> Iterator[Suggestion]:
    """The suggestions for one evaluator: to list one more of the `values` as absent, and to list all of them. Of those with an effect on
    the same rows, only the first is given; one that breaks a value is none. `again` has the rows to score again; `wrong_in_run` is how
    many values are wrong in the run, which is stated where all of its rows are scored again."""
    settings: Any = line.settings
    listed = settings.absent_values
    today: list[Any] = []
    for known in settings.scored_fields().absent_values:  # null is there once, whichever setting says so
        today += [known] if not any(json_equal(known, value) for value in today) else []
    more = [value for value in values if not any(json_equal(value, known) for known in today)]
    best: dict[tuple[int, ...], Suggestion] = {}
    for added in [*([value] for value in more), *([more] if len(more) > 1 else [])]:
        absent = [*today, *added]
        nulls = absent == [None] and listed is None  # null alone has a setting of its own
        changed = with_settings(line, **({"nulls": "absent"} if nulls else {"absent_values": tuple(absent)}))
        effect = again.effect(line, changed) if changed is not None else None
        if effect is None or effect.set_aside <= 0 or effect.broken or effect.rows in best:
            continue
        written = "nulls: absent" if nulls else f"absent_values: {flow_text(absent)}"
        lost = f"{rows_text(effect.lost)} would have nothing to compare" if effect.lost else ""
        wrong = wrong_in_run if effect.whole else effect.wrong
        best[effect.rows] = Suggestion(
            line.name, variant, "", written, written, effect.set_aside, wrong, not effect.whole, effect.rows[:SHOWN_ROWS],
            len(effect.rows), "; ".join(filter(None, (_absence_text(absent), lost))), aside=True,
        )  # fmt: skip
    yield from best.values()


def _absence_text(values: Sequence[Any]) -> str:
    """What listing some values as absent means, in words: `nulls and empty lists count as missing`."""
    words = [next((word for known, word in _EMPTY_WORDS if json_equal(known, value)), to_text(value)) for value in values]
    return f"{' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))} count as missing"


_EMPTY_WORDS: Final[tuple[tuple[Any, str], ...]] = (
    (None, "nulls"), ("", "empty texts"), ([], "empty lists"), ({}, "empty objects"),
)  # fmt: skip
_WRONG: Final = frozenset((FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION))


def document_suggestions(
    lines: Sequence[EvaluatorLine], record: Run, again: Mapping[str | None, RowsAgain]
) -> Iterator[Suggestion]:
    """Suggestions on whole documents, such as that all values stand under one more key or another one, for each evaluator of type
    `schema_match` and each variant. At most `MOST_OF_DOCUMENTS` recorded outcomes of a variant are looked at; `again` has its rows, to be
    scored again. The hint about nulls is given only where the rows do not come out as they were recorded."""
    named = {line.name: line for line in lines if line.settings.type == "schema_match"}
    for variant in record.facts.variants if named else ():
        counters: dict[tuple[str, _Oddity], Counter[int]] = {}
        outcomes = islice(record.outcomes(variant.variant), MOST_OF_DOCUMENTS)
        first = not variant.every_outcome or variant.outcomes > MOST_OF_DOCUMENTS
        wanted = (line for line in outcomes if isinstance(line, Outcome) and line.evaluator in named)
        unsaid = {
            name
            for name, line in named.items()
            if _nulls_unsaid(line) and again[variant.variant].verdicts_before(line) is None
        }
        for (evaluator, row), results in groupby(wanted, key=lambda line: (line.evaluator, line.row)):
            for oddity, times in _oddities_in(list(results), nulls=evaluator in unsaid):
                counters.setdefault((evaluator, oddity), Counter())[row] += times
        for (evaluator, (field, sentence, write)), rows in counters.items():
            turned = sum(rows.values())
            shown = tuple(islice(rows, SHOWN_ROWS))
            yield Suggestion(
                evaluator, variant.variant, field, sentence, write, turned, turned, first, shown, len(rows), named=True
            )


def _nulls_unsaid(line: EvaluatorLine) -> bool:
    return None not in line.settings.scored_fields().absent_values


def _oddities_in(results: Sequence[Outcome], *, nulls: bool) -> Iterator[tuple[_Oddity, int]]:
    """The oddities of one row's documents, each with the number of its values. With `nulls`, a key that is null and left out is one, too:
    it is set where `absence_suggestions` cannot look at it."""
    missing = _values(results, FieldStatus.OMISSION, "expected")
    extra = _values(results, FieldStatus.HALLUCINATION, "actual")
    if (key := _wrapping_key(missing, extra)) is not None:
        yield ("$", f'the output has everything under one more key, "{key}"', ""), len(extra)
        return
    for steps, value in missing.items():
        if value is None and nulls:
            text = "null is expected, and the output leaves the key out; null may say that nothing is there"
            yield (_field_at(steps), text, "nulls: absent"), 1
    for steps, value in missing.items():
        others = [
            other
            for other, actual in extra.items()
            if other[:-1] == steps[:-1] and value is not None and json_equal(value, actual)
        ]
        # an item that is paired with nothing may have the number of an extra item, with the same keys
        if steps and steps not in extra and len(others) == 1 and not isinstance(others[0][-1], int):
            yield (_field_at(steps), f'the output has the same value under another key, "{others[0][-1]}"', ""), 1
    yield from _reordered_lists(results)


def _values(results: Iterable[Outcome], status: FieldStatus, side: Literal["expected", "actual"]) -> _Values:
    """The values on one side of the results with this status, by the steps of their paths."""
    placed = ((steps_of(result.path), getattr(result, side)) for result in results if result.status is status)
    return {steps: value for steps, value in placed if value is not MISSING}


def _wrapping_key(missing: _Values, extra: _Values) -> Step | None:
    """The one key under which an output has everything that is extra, where that is at least half of what is missing; else None."""
    first = {steps[0] for steps in extra if steps}
    if len(first) != 1 or len(missing) < 2:
        return None
    (key,) = first
    inside: Any = {steps[1:]: value for steps, value in extra.items()}
    whole = inside.get(())
    if isinstance(whole, dict):  # an extra object is one result
        inside = {steps: _at(whole, steps) for steps in missing}
    moved = sum(steps in inside and json_equal(value, inside[steps]) for steps, value in missing.items())
    return key if 2 * moved >= len(missing) else None


def _at(document: Any, steps: Iterable[Step]) -> Any:
    """The value at a place of a document; None where there is nothing at it."""
    for step in steps:
        if isinstance(document, dict) and isinstance(step, str):
            document = document.get(step)
        elif isinstance(document, list) and isinstance(step, int) and step < len(document):
            document = document[step]
        else:
            return None
    return document


def _reordered_lists(results: Iterable[Outcome]) -> Iterator[tuple[_Oddity, int]]:
    """The lists of objects whose wrong values are those of other items, as oddities with the number of wrong values."""
    lists: dict[tuple[Step, ...], dict[tuple[Step, ...], list[tuple[str, str]]]] = {}
    for result in results:
        steps = steps_of(result.path) if result.status is FieldStatus.MISMATCH else ()
        index_at = next((place for place in reversed(range(len(steps))) if isinstance(steps[place], int)), None)
        if index_at is None or index_at + 1 >= len(steps) or MISSING in (result.expected, result.actual):
            continue
        fields = lists.setdefault(steps[:index_at], {})
        fields.setdefault(steps[index_at + 1 :], []).append((to_text(result.expected), to_text(result.actual)))
    for steps, fields in lists.items():
        wrong = [(Counter(pair[0] for pair in pairs), Counter(pair[1] for pair in pairs)) for pairs in fields.values()]
        if all(expected == actual for expected, actual in wrong):
            text = "the items are those that are expected, in another order"
            yield (_field_at(steps), text, "align: hungarian"), sum(map(len, fields.values()))


def _field_at(steps: Sequence[Step]) -> str:
    """The path of a field, with `[*]` for every index; `$` for the whole document."""
    return display(tuple(ANY if isinstance(step, int) else step for step in steps)) if steps else "$"
