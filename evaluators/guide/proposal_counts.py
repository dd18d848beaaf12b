"""What proposed comparators make of the rows: how many values are right, to the letter too, and how many more with one change.

Every count is that of a run of the evaluator that the suite holds, with the change and without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.api.evaluate import evaluate
from evaluators.guide.json_in_cells import container_in
from evaluators.model.issues import CellError
from evaluators.model.rows import MISSING
from evaluators.runs.metrics import rows_text
from evaluators.scoring.fields.inference.proposals import DefaultAnswers, InitQuestion
from evaluators.scoring.fields.inference.suggested_lines import SeenPlace, SuggestedLine, shape_of
from evaluators.scoring.values.dates import ambiguity, formats_of
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.numbers import numbers_of, parses_of
from evaluators.scoring.values.path_text import ANY, Step
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.quoting import flow_text, key_text, quote

MOST_ROWS: Final = 2_000
_MOST_COMPARISONS: Final = 12_000
_FEWEST_ROWS: Final = 50
_CASE: Final = {"normalized": {"accents": "keep", "whitespace": "keep"}}
_BASE: Final = "proposed"


class Looser(Struct, frozen=True):
    """A looser comparator suggested by the outputs of a field, and what it forgives."""

    compare: Any
    forgives: str


def passed_counts(rows: Sequence[tuple[Any, Any]], lines: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """How many rows of (expected, output) pass, by the name of each evaluator; `lines` are their types and settings."""
    run = evaluate(_test_rows(rows), {"evaluators": [{"name": name, **line} for name, line in lines.items()]})
    return {name: run[name].passed for name in lines}


def none_right_message(pairs: Sequence[tuple[Any, Any]]) -> str:
    """The sentence that no output of these first rows of (expected, output) is right, with the first output as an example, or that they
    have no outputs."""
    answered = [pair for pair in pairs if pair[1] is not MISSING and not isinstance(pair[1], CellError)]
    if not answered:
        return f"the first {rows_text(len(pairs))} have no output that can be read"
    wanted, output = (quote(side, 60) for side in answered[0])
    return (
        f"no output is right in the first {rows_text(len(pairs))}, so outputs may say it in another form: the first expects "
        f"{wanted}, and its output is {output}"
    )


def accepts_looser(ask: DefaultAnswers, place: str, more: int, forgives: str) -> bool:
    """Whether the user at a terminal accepts a looser comparator at `place`, which `forgives` something and makes `more` values right;
    False where questions are not asked, and where it makes none."""
    if ask.asks is None or more < 1:
        return False
    text = f"{place}: {more:,} more would be right if {forgives}. Is that to be forgiven?"
    return ask(InitQuestion(text, ("no", "yes"))) == "yes"


def with_right_counts(
    lines: Sequence[SuggestedLine], rows: Sequence[tuple[Any, Any]], settings: Mapping[str, Any], ask: DefaultAnswers
) -> list[SuggestedLine]:
    """The lines, each with how many values it makes right in its `why`, and in `instead` what would make more right.

    `rows` are pairs of an expected document and an output cell, `settings` those of the evaluator beside `fields`.
    """
    rows, all_rows = rows[:MOST_ROWS], len(rows)
    seen = shape_of_outputs([output for _, output in rows])
    changed: dict[str, tuple[int, Any]] = {}
    looser: dict[int, Sequence[Looser]] = {}
    for number, line in enumerate(lines):
        if is_aligned(line):
            changed[f"strict_{number}"] = number, "exact"
        if line.null or is_aligned(line) or line.compare == "skip":
            continue
        if line.compare != "exact":
            changed[f"strict_{number}"] = number, "exact"
        looser[number] = looser_comparators(line, place_at(seen, line.steps).scalars)
        for place, candidate in enumerate(looser[number]):
            changed[f"loose_{number}_{place}"] = number, candidate.compare
    variants = {name: _variant(lines, number, compare) for name, (number, compare) in changed.items()}
    most = max(
        _FEWEST_ROWS, _MOST_COMPARISONS // (len(lines) + sum(len(variant.fields) for variant in variants.values()))
    )
    counts = _right_counts(lines, variants, rows[:most], settings)
    some = all_rows > min(most, MOST_ROWS)
    return [_with_count(line, number, counts, looser.get(number, ()), some, ask) for number, line in enumerate(lines)]


def with_order_asked(
    lines: Sequence[SuggestedLine], rows: Sequence[tuple[Any, Any]], ask: DefaultAnswers
) -> list[SuggestedLine]:
    """The lines, those of lists in any order with what `ask` answers on whether the order counts. It is asked where some rows of (expected,
    output) have the same items in another order, as only a person knows whether that is wrong."""
    in_any_order = [line for line in lines if line.compare == {"align": "any_order"} and ANY not in line.steps]
    documents = [(container_in(a), container_in(b)) for a, b in rows[:MOST_ROWS]] if in_any_order else []
    return [_with_order_asked(line, documents, ask) if line in in_any_order else line for line in lines]


def _with_order_asked(line: SuggestedLine, documents: Sequence[tuple[Any, Any]], ask: DefaultAnswers) -> SuggestedLine:
    """The line of a list in any order, as `ordered` where `ask` answers that the order counts. `documents` are (expected, output)."""
    path = Path(line.steps)
    sides = [(path.get(expected), path.get(output)) for expected, output in documents]
    moved = sum(a != b and _items_of(a) == _items_of(b) for a, b in sides if isinstance(a, list) and isinstance(b, list))
    if not moved:
        return line
    has = "has" if moved == 1 else "have"
    text = f'{rows_text(moved)} {has} the expected items in another order at "{line.written}". Does their order count?'
    if ask(InitQuestion(text, ("no", "yes"), otherwise="write {align: ordered}")) == "no":
        return line
    return replace(line, compare={"align": "ordered"}, why="a list; its order counts, as was said")


def _items_of(items: Sequence[Any]) -> list[str]:
    """The items of a list as JSON, sorted."""
    return sorted(map(to_text, items))


class _Variant(Struct, frozen=True):
    """The fields of an evaluator in which one line compares otherwise: that line, and those that pair the list in which it stands."""

    number: int
    keys: tuple[str, ...]
    """What leads to the place to which all its fields belong."""
    fields: Mapping[str, Any]


def _variant(lines: Sequence[SuggestedLine], number: int, compare: Any) -> _Variant:
    """The variant in which the line of that number compares otherwise. The other lines of the same list go with it, as they pair its
    items; where the line is itself a list that is paired, the lines below it do not."""
    steps = lines[number].steps
    keys = steps[: steps.index(ANY)] if ANY in steps else steps
    below = _lines_below(lines, number) if is_aligned(lines[number]) else []
    together = {line.path: line.compare for line in lines if line.steps[: len(keys)] == keys and line not in below}
    return _Variant(number, tuple(map(str, keys)), {**together, lines[number].path: compare})


def _right_counts(
    lines: Sequence[SuggestedLine],
    variants: Mapping[str, _Variant],
    rows: Sequence[tuple[Any, Any]],
    settings: Mapping[str, Any],
) -> dict[str, dict[str, tuple[int, int]]]:
    """(right, measured) by evaluator and path: how many values of a field are right and how many were measured, from one run of the
    proposal and of its variants, in each of which one line is compared otherwise.

    A variant reads columns of its own with no more of the documents than its fields. For a paired list, rows count: right where all that
    stands in it matches.
    """
    evaluator = {"type": "schema_match", **settings}
    suite = [{"name": _BASE, **evaluator, "fields": {line.path: line.compare for line in lines}}]
    for name, variant in variants.items():
        suite.append(
            {"name": name, **evaluator, "output": f"{name} out", "expected": f"{name} in", "fields": variant.fields}
        )
    cells = _test_rows(rows)
    for row in cells:
        output = container_in(row.get("output"))
        for name, variant in variants.items():
            row[f"{name} in"] = _cut_to_place(row["expected"], variant.keys)
            row[f"{name} out"] = row.get("output") if output is None else _cut_to_place(output, variant.keys)
    run = evaluate(cells, {"evaluators": suite})
    counts = {
        name: {line.path: (line.counts.match, line.counts.n) for line in run[name].fields} for name in (_BASE, *variants)
    }
    lists = [(name, variant.number) for name, variant in variants.items() if is_aligned(lines[variant.number])]
    outcomes = list(run.rows) if lists else []
    for name, number in lists:
        path, below = lines[number].path, [line.path for line in _lines_below(lines, number) if not is_aligned(line)]
        seen = [({row.get(f"{_BASE}.{path}") for path in below} - _NOT_MEASURED, row) for row in outcomes]
        measured = [(statuses, row) for statuses, row in seen if statuses]
        counts[_BASE][path] = sum(statuses == {"match"} for statuses, _ in measured), len(measured)
        counts[name][path] = sum(row.get(f"{name}.{path}") == "match" for _, row in measured), len(measured)
    return counts


def _cut_to_place(value: Any, keys: Sequence[str]) -> Any:
    """The document cut down to the keys that lead to a place, and the value there."""
    if not keys or not isinstance(value, dict):
        return value
    return {keys[0]: _cut_to_place(value[keys[0]], keys[1:])} if keys[0] in value else {}


_NOT_MEASURED: Final = frozenset([None, "not_measured", "skipped"])


def _lines_below(lines: Sequence[SuggestedLine], number: int) -> list[SuggestedLine]:
    """The lines of the items of the list that a line is about, and of what is in them."""
    steps = (*lines[number].steps, ANY)
    return [line for line in lines if line.steps[: len(steps)] == steps]


def _with_count(
    line: SuggestedLine,
    number: int,
    counts: Mapping[str, Mapping[str, tuple[int, int]]],
    looser: Sequence[Looser],
    some: bool,
    ask: DefaultAnswers,
) -> SuggestedLine:
    """The line with how many values are right in its `why`. What would make most more right is taken over where that was chosen, and is
    else in `instead`. `counts` has (right, measured) by variant and path; `some` says that not all rows were counted."""
    counted = counts[_BASE].get(line.path)
    if counted is None or line.null or line.compare == "skip":
        return line
    right, measured = counted
    of = f"{measured:,} looked at" if some else f"{measured:,}"
    strict = counts.get(f"strict_{number}", {}).get(line.path)
    if is_aligned(line):
        in_order = f", {strict[0]:,} to the letter and in this order" if strict is not None else ""
        return replace(line, why=f"{line.why}; all of it right in {right:,} of {of} rows{in_order}") if measured else line
    letters = f", {strict[0]:,} to the letter" if strict is not None else ""
    why = f"{line.why}; right in {right:,} of {of}{letters}"
    gains = [counts[f"loose_{number}_{place}"][line.path][0] - right for place in range(len(looser))]
    more = max(gains, default=0)
    if more < 1:
        return replace(line, why=why)
    best = looser[gains.index(more)]
    if accepts_looser(ask, line.written, more, best.forgives):
        return replace(line, compare=best.compare, why=f"{why}; {more:,} more since it was chosen that {best.forgives}")
    written = f"{key_text(line.written)}: {flow_text(best.compare)}"
    return replace(line, why=why, instead=(f"{more:,} more would be right if {best.forgives}:", written))


def looser_comparators(line: SuggestedLine, outputs: Sequence[Any]) -> Sequence[Looser]:
    """Looser comparators suggested by the outputs of a field: one that ignores case, or reads another notation. Nothing for digits
    that are a name."""
    texts = list(dict.fromkeys(value for value in outputs if isinstance(value, str)))
    if line.name or not texts:
        return ()
    if line.compare == "exact":
        return (Looser(_CASE, "upper and lower case did not count"),)
    name, options = next(iter(line.compare.items())) if isinstance(line.compare, dict) else (line.compare, {})
    if name == "date":
        formats = tuple(options.get("formats", ("iso",)))
        added = [candidate for candidate in formats_of(_texts_of_dates(texts)) if candidate not in formats]
        if added and not ambiguity([*formats, *added]):
            both = {"date": {"formats": [*formats, *added]}}
            return (Looser(both, f"dates written as {_formats_text(added)} were read too"),)
    if name == "numeric" and options.get("parse", True) is True:
        written = [text for text in texts if parses_of([text])]
        readings_of = {tuple(numbers_of(written, candidate)): candidate for candidate in reversed(parses_of(written))}
        parses = [candidate for candidate in readings_of.values() if candidate or not options][:_MOST_NOTATIONS]
        reason = f"numbers written in {'another notation' if options else 'text'} were read too"
        return [Looser({"numeric": {"parse": candidate or True}}, reason) for candidate in parses]
    return ()


_MOST_NOTATIONS: Final = 4


def _formats_text(formats: Sequence[str]) -> str:
    """The formats of dates in words."""
    return " or ".join("ISO 8601 (2024-05-31)" if format == "iso" else format for format in formats)


def _texts_of_dates(texts: Sequence[str]) -> list[str]:
    return [text for text in texts if formats_of([text])]


def shape_of_outputs(outputs: Sequence[Any]) -> SeenPlace:
    """The shape of the JSON documents in output cells; cells without one are passed over."""
    return shape_of(document for output in outputs if (document := container_in(output)) is not None)


def place_at(place: SeenPlace | None, steps: Sequence[Step]) -> SeenPlace:
    """The shape that was seen at a path from a place on; an empty one where nothing is there."""
    for step in steps:
        if place is not None:
            place = place.items if step == ANY else place.keys.get(str(step))
    return place or SeenPlace()


def is_aligned(line: SuggestedLine) -> bool:
    """Whether a line says how the items of a list are paired."""
    return isinstance(line.compare, dict) and "align" in line.compare


def _test_rows(rows: Sequence[tuple[Any, Any]]) -> list[dict[str, Any]]:
    """Rows as a test set; an output that is not there is left out, and null where no row has one."""
    cells = [
        {"expected": expected}
        if output is MISSING or isinstance(output, CellError)
        else {"output": output, "expected": expected}
        for expected, output in rows
    ]
    return cells if any("output" in row for row in cells) else [{**row, "output": None} for row in cells]
