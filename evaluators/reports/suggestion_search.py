"""Suggestions for a run: what one change of the suite would turn from wrong to right, and what happened to whole documents.

Strategy: only what was recorded is looked at, once, when the rows are scored. The same record gives the same suggestions.

- Fields: the first mismatches of each field, those fields first that have most, are compared again with one thing changed.
- Texts: the cells of the first rows. An output that is the expected answer to the letter is right already; every other one is tried with
  each change.
- Documents: in each row, the fields that are missing are held against those that are extra, and the wrong values of a list against each
  other. Nothing is paired that is not equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec.structs import replace

from evaluators.builtin._evaluator import Evaluator
from evaluators.builtin._texts import TextChange
from evaluators.fields.closed import ClosedTree
from evaluators.fields.metrics import places
from evaluators.model import MISSING, FieldStatus, Outcome
from evaluators.reports.comparison_changes import Compared, Mismatch, changes
from evaluators.reports.mistakes import field_of, steps_of
from evaluators.reports.suggestions import Suggestion
from evaluators.run.reader import Run
from evaluators.run.record_lines import OutcomeLine
from evaluators.run.result import RunResult
from evaluators.suite.graph import EvaluatorLine
from evaluators.values.equality import same
from evaluators.values.json_text import to_text
from evaluators.values.path_text import Step
from evaluators.values.paths import ANY, display
from evaluators.values.quoting import key_text

if TYPE_CHECKING:
    from evaluators.fields.schema_scoring import SchemaScoring

MOST_MISMATCHES: Final = 1_000
"""Of each field."""
MOST_BRIEFLY: Final = 40
"""The same, and the rows of texts, for what a run ends with."""
MOST_FIELDS: Final = 40
MOST_TOGETHER: Final = 6_000
"""Mismatches of all fields that are looked at; where there are more, each field gets its share."""
_MOST_LINES: Final = 200_000
MOST_CELLS: Final = 2_000
"""Rows whose texts are looked at."""
LONGEST: Final = 2_000
"""Characters of a text that is looked at."""
MOST_OF_DOCUMENTS: Final = 5_000
"""Recorded results that are looked at for what happened to documents."""
_SHOWN_ROWS: Final = 5
_Values: TypeAlias = dict[tuple[Step, ...], Any]
_Seen: TypeAlias = tuple[str, str, str]
"""The field, what it says in words, and the line to write."""


def suggestions_for(lines: Sequence[EvaluatorLine], record: Run, *, wanted: int | None = None) -> list[Suggestion]:
    """The suggestions for a run: the changes by field, the fields with most to win first.

    Where so many are `wanted`, they are the first of all that the first wrong values give: what turns fewer is not searched.
    """
    found: list[Suggestion] = []
    if lines:
        for variant in record.facts.variants:
            most = None if variant.every_outcome else record.facts.most
            wrong = _all_mismatches(record.result, variant.variant)
            outcomes = record.outcomes(variant.variant)
            for misses, could_turn in _of_variant(lines, variant.variant, outcomes, most, wrong, wanted is not None):
                if _is_enough(found, could_turn, wanted):
                    break
                found += misses
        for misses, could_turn in text_suggestions(lines, record, MOST_CELLS if wanted is None else MOST_BRIEFLY):
            if not _is_enough(found, could_turn, wanted):
                found += misses
        found += document_suggestions(lines, record)
    return sorted(found, key=lambda one: -one.turned)[:wanted]


def _is_enough(found: Sequence[Suggestion], could_turn: int, wanted: int | None) -> bool:
    """Whether no change that turns so many values at most would be among the wanted ones: of equal ones the first is shown."""
    return wanted is not None and sum(one.turned >= could_turn for one in found) >= wanted


def _of_variant(
    lines: Sequence[EvaluatorLine],
    variant: str | None,
    outcomes: Iterator[OutcomeLine],
    most_rows: int | None,
    wrong: Mapping[tuple[str, str], int],
    brief: bool,
) -> Iterator[tuple[Iterator[Suggestion], int]]:
    """The changes to each field, the field with most wrong values first, and how many of these one may turn. They are searched when
    they are taken."""
    fields = {line.name: compared_fields(line.settings) for line in lines}
    listed = {line.name for line in lines if line.settings.scored_fields().lines is not None}
    by_row = {line.name: frozenset(line.settings.scored_fields().of_rows) for line in lines}
    recorded, rows, ended = _recorded(outcomes, fields, by_row)
    most = sorted(recorded.items(), key=lambda item: -len(item[1]))[:MOST_FIELDS]
    share = MOST_BRIEFLY if brief else _share([len(mismatches) for _, mismatches in most])
    for (evaluator, field), found in most:
        key = field if field in by_row[evaluator] else ""
        mismatches, whole = found[:share], wrong.get((evaluator, field))
        first = len(found) > share or ended
        if most_rows is not None:
            kept_all = rows[evaluator, key] < most_rows if whole is None else whole <= len(mismatches)
            first = first or not kept_all
        about = Suggestion(evaluator, variant, field, "", "", 0, len(mismatches), first, (), 0, whole=whole)
        yield _of_field(fields[evaluator][field], mismatches, about, evaluator in listed), len(mismatches)


def _of_field(
    compared: Compared, mismatches: Sequence[Mismatch], about: Suggestion, listed: bool
) -> Iterator[Suggestion]:
    for change in changes(compared, mismatches):
        rows = list(dict.fromkeys(mismatches[place].row for place in change.fixed))
        yield replace(
            about, switch=change.switch, write=change.write if listed else "", turned=len(change.fixed),
            rows=tuple(rows[:_SHOWN_ROWS]), in_rows=len(rows), says=change.says,
        )  # fmt: skip


def _all_mismatches(result: RunResult, variant: str | None) -> dict[tuple[str, str], int]:
    """How many values of each field are wrong in the whole run, by evaluator and field. A field with several values of a row is counted by
    rows, unless a schema says what its items are."""
    return {
        (stats.name, field.path): field.counts.mismatch
        for stats in result.evaluators
        if stats.variant == variant
        for field in stats.fields
    }


def _share(counts: Sequence[int]) -> int:
    """How many mismatches of each field are looked at: all, or as many hundreds as together are few enough."""
    if sum(counts) <= MOST_TOGETHER:
        return MOST_MISMATCHES
    return max(100, MOST_TOGETHER // len(counts) // 100 * 100)


def compared_fields(settings: Evaluator) -> dict[str, Compared]:
    """How an evaluator compares each of its fields; empty for one that has no list of fields."""
    scored = settings.scored_fields()
    found = scored.tree
    if isinstance(found, ClosedTree):
        return {
            line.name: Compared(line.comparator, found.chain(line), each=not line.path.definite)
            for line in found.scored
            if line.comparator is not None and line.together is None
        }
    if not scored.by_schema:
        return {}
    from evaluators.fields.schema_scoring import SchemaScoring  # few suites score by a schema

    return _of_schema(found, scored.lines is None) if isinstance(found, SchemaScoring) else {}


def _of_schema(scoring: SchemaScoring, named: bool) -> dict[str, Compared]:
    found: dict[str, Compared] = {}
    ordered: set[tuple[Any, ...]] = set()
    for node in places(scoring.root):
        if node.kind == "array" and not node.unit and node.align.how == "ordered":
            ordered.add(node.path)
        if node.unit and len(node.metrics) == 1:
            item = bool(node.path) and node.path[-1] is ANY and node.path[:-1] in ordered
            one = Compared(node.metrics[0].comparator, node.transforms, item, whole=not item, by_schema=named)
            found.setdefault(node.name, one)
    return found


def _recorded(
    outcomes: Iterator[OutcomeLine], fields: Mapping[str, Mapping[str, Compared]], by_row: Mapping[str, frozenset[str]]
) -> tuple[dict[tuple[str, str], list[Mismatch]], Counter[tuple[str, str]], bool]:
    """The mismatches by evaluator and field; how many rows were recorded under what they are counted by, a field or, where none is, all
    of an evaluator; and whether there are more than were read."""
    found: dict[tuple[str, str], list[Mismatch]] = {}
    rows: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], int] = {}
    count = 0
    for line in islice(outcomes, _MOST_LINES):
        count += 1
        if not isinstance(line, Outcome) or line.status is FieldStatus.MATCH:
            continue
        evaluator, row = line.evaluator, line.row
        name = line.path if line.field is None else line.field
        key = evaluator, name if name in by_row.get(evaluator, ()) else ""
        if last.get(key) != row:
            last[key] = row
            rows[key] += 1
        if line.status is not FieldStatus.MISMATCH or line.expected is MISSING or line.actual is MISSING:
            continue
        known = fields.get(evaluator, {})
        field, place = (line.path, "") if line.path in known else (field_of(line.path), _list_of(line.path))
        if field not in known:
            continue
        mismatches = found.setdefault((evaluator, field), [])
        if len(mismatches) <= MOST_MISMATCHES:
            mismatches.append(Mismatch(row, line.expected, line.actual, place))
    return found, rows, count >= _MOST_LINES


@lru_cache(maxsize=4096)
def _list_of(path: str) -> str:
    """The list that a recorded place is an item of; empty where it is none."""
    steps = steps_of(path)
    return display(steps[:-1]) if steps and isinstance(steps[-1], int) else ""


def text_suggestions(
    lines: Sequence[EvaluatorLine], record: Run, most: int = MOST_CELLS
) -> Iterator[tuple[Iterator[Suggestion], int]]:
    """The changes to evaluators that compare two texts, for each variant, the one that turns most first. The first `most` rows are looked
    at. With how many texts one may turn; they are searched when they are taken."""
    changing = [
        (line, changes)
        for line in lines
        if not line.when
        and not line.needs
        and not line.settings.column("output").at
        and (changes := line.settings.text_changes())
    ]
    for kept in record.facts.variants if changing else ():
        rows = [(one.row, one.cells) for one in islice(record.cells(kept.variant), most)]
        for line, changes in changing:
            output, expected = record.compared_columns(line.name)
            differing = [
                (row, wanted, given)
                for row, cells in rows
                if isinstance(wanted := cells.get(expected), str) and isinstance(given := cells.get(output), str)
                and wanted.strip() and wanted != given and max(len(wanted), len(given)) <= LONGEST
            ]  # fmt: skip
            first = not record.has_every_cell or kept.rows > most
            whole = sum(
                one.failed for one in record.result.evaluators if (one.name, one.variant) == (line.name, kept.variant)
            )
            yield _of_texts(line, kept.variant, expected, changes, differing, whole if first else None), len(differing)


def _written_line(line: EvaluatorLine, change: TextChange, expected: str) -> str:
    """The line to write. It keeps the name, which gates and other evaluators may use."""
    written = change.write.replace("EXPECTED", expected)
    named = line.name != line.settings.type
    return f"- {written.replace('{', f'{{name: {key_text(line.name)}, ', 1)}" if named else f"- {written}"


def _of_texts(
    line: EvaluatorLine,
    variant: str | None,
    expected: str,
    changes: Sequence[TextChange],
    pairs: Sequence[tuple[int, str, str]],
    whole: int | None,
) -> Iterator[Suggestion]:
    """`whole` is how many are wrong in all, where there may be more than `pairs`."""
    already: set[int] = set()
    best: dict[tuple[int, ...], Suggestion] = {}
    for change in changes:
        fixed = tuple(row for row, wanted, given in pairs if change.matches(wanted, given))
        if not fixed or fixed in best or (change.says and set(fixed) <= already):
            continue
        already |= set(fixed)
        best[fixed] = Suggestion(
            line.name, variant, "the output", change.switch, _written_line(line, change, expected), len(fixed), len(pairs),
            whole is not None, fixed[:_SHOWN_ROWS], len(fixed), change.says, line=True, whole=whole,
        )  # fmt: skip
    yield from sorted(best.values(), key=lambda one: -one.turned)


def document_suggestions(lines: Sequence[EvaluatorLine], record: Run) -> Iterator[Suggestion]:
    """What happened to the documents of each evaluator with a schema, for each variant."""
    names = {line.name for line in lines if line.settings.type == "schema_match"}
    for kept in record.facts.variants if names else ():
        found: dict[tuple[str, _Seen], Counter[int]] = {}
        outcomes = islice(record.outcomes(kept.variant), MOST_OF_DOCUMENTS)
        first = not kept.every_outcome or kept.outcomes > MOST_OF_DOCUMENTS
        wanted = (line for line in outcomes if isinstance(line, Outcome) and line.evaluator in names)
        for (evaluator, row), results in groupby(wanted, key=lambda line: (line.evaluator, line.row)):
            for seen, times in _seen_in(list(results)):
                found.setdefault((evaluator, seen), Counter())[row] += times
        for (evaluator, (field, said, write)), rows in found.items():
            turned = sum(rows.values())
            shown = tuple(islice(rows, _SHOWN_ROWS))
            yield Suggestion(
                evaluator, kept.variant, field, said, write, turned, turned, first, shown, len(rows), named=True
            )


def _seen_in(results: Sequence[Outcome]) -> Iterator[tuple[_Seen, int]]:
    missing = _values(results, FieldStatus.OMISSION, "expected")
    extra = _values(results, FieldStatus.HALLUCINATION, "actual")
    if (key := _wrapping_key(missing, extra)) is not None:
        yield ("$", f'the output has everything under one more key, "{key}"', ""), len(extra)
        return
    for steps, value in missing.items():
        if value is None:
            text = "null is expected, and the output leaves the key out; null may say that nothing is there"
            yield (_field_at(steps), text, "nulls: absent"), 1
    for steps, value in missing.items():
        others = [
            other
            for other, given in extra.items()
            if other[:-1] == steps[:-1] and value is not None and same(value, given)
        ]
        if steps and len(others) == 1 and not isinstance(others[0][-1], int):
            yield (_field_at(steps), f'the output has the same value under another key, "{others[0][-1]}"', ""), 1
    yield from _reordered(results)


def _values(results: Iterable[Outcome], status: FieldStatus, side: Literal["expected", "actual"]) -> _Values:
    found = ((steps_of(one.path), getattr(one, side)) for one in results if one.status is status)
    return {steps: value for steps, value in found if value is not MISSING}


def _wrapping_key(missing: _Values, extra: _Values) -> Step | None:
    """The one key under which an output has what was expected; None where there is none."""
    first = {steps[0] for steps in extra if steps}
    if len(first) != 1 or len(missing) < 2:
        return None
    (key,) = first
    inside: Any = {steps[1:]: value for steps, value in extra.items()}
    whole = inside.get(())
    if isinstance(whole, dict):  # an extra object is one result
        inside = {steps: _at(whole, steps) for steps in missing}
    found = sum(steps in inside and same(value, inside[steps]) for steps, value in missing.items())
    return key if 2 * found >= len(missing) else None


def _at(document: Any, steps: Iterable[Step]) -> Any:
    for step in steps:
        if isinstance(document, dict) and isinstance(step, str):
            document = document.get(step)
        elif isinstance(document, list) and isinstance(step, int) and step < len(document):
            document = document[step]
        else:
            return None
    return document


def _reordered(results: Iterable[Outcome]) -> Iterator[tuple[_Seen, int]]:
    """Lists of objects whose wrong values are each expected at another item."""
    lists: dict[tuple[Step, ...], dict[tuple[Step, ...], list[tuple[str, str]]]] = {}
    for one in results:
        steps = steps_of(one.path) if one.status is FieldStatus.MISMATCH else ()
        at = next((place for place in reversed(range(len(steps))) if isinstance(steps[place], int)), None)
        if at is not None and at + 1 < len(steps) and one.expected is not MISSING and one.actual is not MISSING:
            fields = lists.setdefault(steps[:at], {})
            fields.setdefault(steps[at + 1 :], []).append((to_text(one.expected), to_text(one.actual)))
    for steps, fields in lists.items():
        wrong = [(Counter(pair[0] for pair in pairs), Counter(pair[1] for pair in pairs)) for pairs in fields.values()]
        if all(expected == actual for expected, actual in wrong):
            text = "the items are those that are expected, in another order"
            yield (_field_at(steps), text, "align: hungarian"), sum(map(len, fields.values()))


def _field_at(steps: Sequence[Step]) -> str:
    return display(tuple(ANY if isinstance(step, int) else step for step in steps)) if steps else "$"
