"""What is wrong with what a test set holds, and with how its lists were paired: ids, labels that nobody listed, cells of measures that
are no numbers, items that have no key or share one, lists that are too long.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from evaluators.model.issues import Blame, Issue
from evaluators.model.limits import LIST_CELLS
from evaluators.model.registry import suggestion
from evaluators.model.rows import MISSING
from evaluators.reports.coverage import missing_key_message
from evaluators.reports.sections.confidence import confidence_name
from evaluators.runs.label_pairs import is_label
from evaluators.runs.labels import LabelPairs
from evaluators.runs.metrics import count_text, full_name, rows_text, with_variant
from evaluators.runs.number_cells import NumericColumn
from evaluators.runs.places import KEY, align_place, line_places
from evaluators.runs.preparing import Prepared
from evaluators.runs.repeats import Repeats
from evaluators.runs.result import ConfidenceStats, EvaluatorStats, KeyStats, NumericColumnStats, RepeatStats
from evaluators.runs.split_result import SplitResult
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.needs import Output
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.file_names import clip_name
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.quoting import first_texts, flow_text, quote
from evaluators.testsets.columns import naming_text
from evaluators.testsets.reader import all_chunks
from evaluators.testsets.selection import NEARLY_EQUAL
from evaluators.testsets.test_set import TestSet

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

NOT_A_NUMBER: Final = "not-a-number"
NO_JSON: Final = "no-json"
_LOOKED_AT: Final = 20
"""Rows of which a cell is looked at where no output could be read."""
_ALIKE: Final = "such rows are left out; write their cells alike, or list each spelling in `when`"
NO_ITEMS: Final = "no-items"
_WHAT_EMPTY_IS: Final = (
    "a list without items counts as missing; where the suite says `empty: holds`, a rule over its items holds"
)
_SHOWN_IDS: Final = 5
_REPEATED: Final = (
    "every row is scored all the same; several outputs of one question are counted together with `repeats: id`"
)
_SHOWN_LABELS: Final = 10


def id_warnings(ids: Mapping[str, list[int]], name: str, repeats: Repeats | None = None) -> list[Issue]:
    """Warnings about missing and repeated ids, with row numbers, at most one of each. Ids after the first `MOST_IDS` are not looked at.

    `ids` has the numbers of the rows by id, with "" for rows without one; `name` is that of the test set. With `repeats`, questions have
    several outputs, and ids may repeat.
    """
    rows = dict(ids)
    missing = rows.pop("", [])
    repeated = {id_: places for id_, places in rows.items() if len(places) > 1}
    warnings = []
    if missing:
        message = f"{_rows_named(missing)} {'has' if len(missing) == 1 else 'have'} no id"
        warnings.append(Issue("missing-id", Blame.TESTSET, message, name, "an id makes a row easy to find again"))
    if repeated and repeats is None:
        listed = "; ".join(
            f'"{clip_name(id_)}" in {_rows_named(places)}' for id_, places in list(repeated.items())[:_SHOWN_IDS]
        )
        more = f"; and {len(repeated) - _SHOWN_IDS:,} more" if len(repeated) > _SHOWN_IDS else ""
        count = "1 id is" if len(repeated) == 1 else f"{len(repeated):,} ids are"
        message = f"{count} in several rows: {listed}{more}"
        warnings.append(Issue("duplicate-id", Blame.TESTSET, message, name, _REPEATED))
    return warnings


def _rows_named(places: Sequence[int]) -> str:
    """Row numbers in words, such as `rows 2, 5 and 9`; at most `_SHOWN_IDS` of them, and how many more."""
    shown = [f"{place:,}" for place in places[:_SHOWN_IDS]]
    if len(places) > _SHOWN_IDS:
        return f"rows {', '.join(shown)} and {len(places) - _SHOWN_IDS:,} more"
    return f"row {shown[0]}" if len(shown) == 1 else f"rows {', '.join(shown[:-1])} and {shown[-1]}"


def unlisted_labels(
    lines: Sequence[EvaluatorLine],
    pairs: Sequence[LabelPairs | None],
    place: Callable[[int, str], str],
    roles: Mapping[str, str],
) -> Iterator[tuple[Issue, int]]:
    """An issue for each expected answer that is none of the labels that the suite lists, with a number: beside the first issue of an
    evaluator, how many of its rows have such an answer; 0 beside the others.

    `pairs` are what was counted of each evaluator. `place` tells where a cell stands, by the number of its row and its column.
    """
    for line, label_pairs in zip(lines, pairs, strict=False):
        rule = line.settings.label_rule()
        if label_pairs is None or rule is None or rule.labels is None or not label_pairs.unlisted:
            continue
        column = line.settings.column("expected").name_by(roles)
        rows = sum(count.times for (expected, _), count in label_pairs.pairs.items() if not is_label(expected))
        for text, (first, *_) in label_pairs.unlisted.items():
            near = suggestion(text, rule.labels) or f"the labels are {', '.join(rule.labels[:_SHOWN_LABELS])};"
            message = f'"{line.name}": the expected answer {quote(text)} is none of the labels, so labels have no metrics'
            hint = f"{near} `other: true` beside `labels` says that such answers are meant"
            yield Issue("unlisted-label", Blame.TESTSET, message, place(first, column), hint), rows
            rows = 0


def unreadable_cells(
    measures: Sequence[NumericColumnStats], name: str, counts: MutableMapping[str, int]
) -> Iterator[Issue]:
    """An issue for each of the first cells that hold no number, placed in the test set called `name`. Adds the number of all of them to
    `counts`."""
    seen: set[tuple[int, str]] = set()
    for measure in measures:
        if measure.slice is not None or not measure.unreadable:
            continue
        counts[NOT_A_NUMBER] = counts.get(NOT_A_NUMBER, 0) + measure.unreadable
        for row, cell in measure.first_unreadable:
            if (row, measure.column) not in seen:
                seen.add((row, measure.column))
                hint = "write a number and nothing else, such as 0.012; an empty cell counts as missing"
                where = f'{name} row {row}, column "{measure.column}"'
                yield Issue(NOT_A_NUMBER, Blame.TESTSET, f'not a number: "{cell}"', where, hint)


def unreadable_measures(measures: Sequence[NumericColumnStats]) -> Iterator[Issue]:
    """One problem for each measure in which some cell holds no number."""
    for measure in measures:
        if measure.slice is None and measure.unreadable:
            are = "is not a number" if measure.unreadable == 1 else "are not numbers"
            message = (
                f'the measure "{full_name(measure)}": {measure.unreadable:,} of {count_text(measure.rows, "cell")} {are}'
            )
            yield Issue(NOT_A_NUMBER, Blame.TESTSET, message)


def unreadable_outputs(prepared: Prepared, stats: Sequence[EvaluatorStats]) -> Iterator[Issue]:
    """One warning for each evaluator and variant of which no output could be read: perhaps another column holds the outputs."""
    lines = {line.name: line for line in prepared.suite.lines}
    tables = dict(prepared.variants())
    for evaluator_stats in stats:
        table, settings = tables[evaluator_stats.variant], lines[evaluator_stats.name].settings
        reads_json = any(isinstance(need, Output) for need in settings.needs())
        if not evaluator_stats.unreadable or evaluator_stats.unreadable != evaluator_stats.rows or not reads_json:
            continue
        column = settings.column("output").name_by(prepared.roles)
        header = table.own_header
        chunk = next(all_chunks(table, header), None)
        cells = {} if chunk is None else {name: chunk.columns[name][:_LOOKED_AT] for name in header}
        if not cells.get(column) or _hold_json(cells[column]):
            continue
        first = cells[column][0]
        held = "is empty" if first is MISSING or first == "" else f"has {quote(first, 40)}"
        scores = "scores" if evaluator_stats.unreadable == 1 else "score"
        unreadable = f"{rows_text(evaluator_stats.unreadable)} {scores} 0"
        message = f'"{full_name(evaluator_stats)}": no output holds JSON, so {unreadable}; the column "{column}" {held}'
        taken = (column, *(prepared.roles.get(role) for role in ("id", "input", "expected")))
        other = next((name for name in cells if name not in taken and _hold_json(cells[name])), None)
        hint = None if other is None or table.config.output or table.config.outputs else _other_column(table, other)
        yield Issue(NO_JSON, Blame.OUTPUT, message, table.name, hint)


def _hold_json(cells: Sequence[Any]) -> bool:
    """Whether most cells are JSON objects or lists, or texts of some."""
    documents = [cell for cell in cells if isinstance(cell, dict | list) or (isinstance(cell, str) and _is_json(cell))]
    return len(documents) > len(cells) / 2


def _is_json(text: str) -> bool:
    """Whether a text is a JSON object or list; a single number or string in JSON is not."""
    try:
        return isinstance(parse(text), dict | list)
    except NotJSON:
        return False


def _other_column(test_set: TestSet, column: str) -> str:
    """A hint with the line to write to take the outputs from another column."""
    named = {**test_set.config.columns.named(), "output": column}
    file = None if test_set.fetched else test_set.config.bare_file
    return f'the column "{column}" holds JSON: {naming_text("output", named, file)}'


def measure_gaps(measures: Sequence[NumericColumnStats]) -> Iterator[Issue]:
    """An issue for each measure whose column is empty in all rows."""
    for measure in measures:
        if measure.slice is None and measure.rows and measure.missing == measure.rows:
            message, blame = f'the column "{measure.column}" is empty in every row', Blame.TESTSET
            if measure.of_judges:
                message, blame = "a model has no price, or the endpoint does not count tokens", Blame.ENVIRONMENT
            measure_message = f'the measure "{full_name(measure)}" measured nothing: {message}'
            yield Issue("measure-measured-nothing", blame, measure_message)


def repeat_gaps(repeats: Sequence[RepeatStats]) -> Iterator[Issue]:
    """An issue for each evaluator of which no group of rows could be measured, though there are groups."""
    for repeat in repeats:
        if not repeat.groups and (repeat.kept_out or repeat.nameless):
            message = (
                f'"{with_variant(repeat.evaluator, repeat.variant)}": no group of `repeats: {repeat.by}` was measured'
            )
            yield Issue("repeats-measured-nothing", Blame.TESTSET, message)


def confidence_gaps(confidences: Sequence[ConfidenceStats]) -> Iterator[Issue]:
    """An issue for each confidence that no row has, though there are rows that should have it."""
    for confidence in confidences:
        if not confidence.n and confidence.missing + confidence.unusable:
            message = f'"{confidence_name(confidence)}": no row has a confidence from 0 to 1 in {confidence.source}'
            odd = (
                f'row {confidence.first_unusable[0][0]:,} has "{confidence.first_unusable[0][1]}"; '
                if confidence.first_unusable
                else ""
            )
            hint = f"{odd}90 % is written 0.9"
            if not confidence.unusable:
                hint = "the column is empty" if confidence.field is None else "no output has a value at this path"
            yield Issue("confidence-measured-nothing", Blame.TESTSET, message, hint=hint)


def measure_notes(columns: Sequence[NumericColumn], measures: Sequence[NumericColumnStats]) -> list[str]:
    """A note for each measure that is read with a decimal comma although the suite does not say so."""
    auto = {column.name for column in columns if column.decimal == "auto"}
    return [
        f'"{full_name(measure)}": its numbers have a comma before the decimals; `decimal: "."` reads them with a point'
        for measure in measures
        if measure.slice is None and measure.name in auto and measure.decimal == ","
    ]


_BLAMED: Final = {"expected": Blame.TESTSET, "output": Blame.OUTPUT}


def key_warnings(
    evaluators: Sequence[EvaluatorLine],
    stats: Sequence[EvaluatorStats],
    gaps: Collection[Issue],
    suite: LoadedSuite | None = None,
) -> list[Issue]:
    """The warnings about lists whose keys or lengths give trouble: one for each list, side and kind of trouble, in the order of `stats`.

    A key that no item has is among the `gaps` already, and has no further warning. Variants share their expected answers: what is wrong
    with those is said once.
    """
    messages = {issue.message for issue in gaps}
    lines = {line.name: line for line in evaluators}
    issues: list[Issue] = []
    for evaluator_stats in stats:
        for keys in evaluator_stats.keys:
            if missing_key_message(evaluator_stats.name, keys.path, keys.key) not in messages:
                issues.append(_key_warning(suite, lines[evaluator_stats.name], evaluator_stats.variant, keys))
    return list(dict.fromkeys(issues))


def near_warnings(
    evaluators: Sequence[EvaluatorLine],
    variants: Sequence[tuple[SplitResult, Sequence[EvaluatorStats]]],
    suite: LoadedSuite | None = None,
) -> list[Issue]:
    """One warning for each condition that leaves out cells which are nearly what it asks for. Variants share their rows."""
    places, issues = line_places(suite), list[Issue]()
    for each, _ in variants[:1]:
        for line, sums in zip(evaluators, each.evaluators, strict=True):
            cells: dict[int, dict[str, int]] = {}
            for key, times in sorted(sums.keys.nearly.items()):
                number, cell = json.loads(key)
                cells.setdefault(number, {})[cell] = times
            for number, near in cells.items():
                condition, rows = line.cell_conditions[number], sum(near.values())
                wanted = " or ".join(flow_text(value) for value in condition.values)
                listed = first_texts([f"{cell} ({times:,})" for cell, times in near.items() if cell], _SHOWN_LABELS)
                message = (
                    f'"{line.name}": `when` asks for row.{condition.column}: {wanted}, and {rows_text(rows)} '
                    f"{'has' if rows == 1 else 'have'} nearly that: {listed}"
                )
                issues.append(Issue(NEARLY_EQUAL, Blame.TESTSET, message, places.get(line.name), _ALIKE))
    return issues


def null_warnings(
    evaluators: Sequence[EvaluatorLine],
    variants: Sequence[tuple[SplitResult, Sequence[EvaluatorStats]]],
    suite: LoadedSuite | None = None,
) -> list[Issue]:
    """One warning for each evaluator whose outputs have values where null is expected, in some rows of a field and not in all,
    while nobody said what null is: they count as wrong, and not as extra."""
    issues: list[Issue] = []
    places = line_places(suite)
    for each, stats in variants:
        for line, evaluator_stats, sums in zip(evaluators, stats, each.evaluators, strict=True):
            fields = {field.path: field for field in evaluator_stats.fields}
            known = {Path(tuple(json.loads(path))).canonical: times for path, times in sums.keys.made_up.items()}
            some = {
                path: times for path, times in known.items() if path in fields and times < fields[path].counts.expected
            }
            if some:
                most = max(some, key=lambda path: some[path])
                more = "; another field has some, too" if len(some) == 2 else ""
                if len(some) > 2:
                    more = f"; {len(some) - 1:,} other fields have some, too"
                message = (
                    f'"{line.name}": null is expected at "{most}", and {rows_text(some[most])} '
                    f"{'has' if some[most] == 1 else 'have'} a value there, which is counted as wrong and not as extra{more}"
                )
                hint = "write nulls: absent, and it counts as extra; nulls: value where null is an answer of its own"
                issues.append(Issue("nulls-unsaid", Blame.CONFIG, message, places.get(line.name), hint))
    return list(dict.fromkeys(issues))


_AS_SPELT: Final = "such keys count as they are spelt, and the reason of each row names them"


def _key_warning(suite: LoadedSuite | None, line: EvaluatorLine, variant: str | None, keys: KeyStats) -> Issue:
    """The warning about the items of a list whose key or number gave trouble; its code and hint depend on what the trouble is.

    A variant is named only where the outputs are to blame.
    """
    message = f'"{line.name}": {_items_in_words(keys)}, in {rows_text(keys.rows)} ({_rows_in_words(keys)})'
    if keys.what == "unclear_key":
        message = f'variant "{variant}": {message}' if variant is not None else message
        return Issue("unclear-keys", Blame.OUTPUT, message, line_places(suite).get(line.name), _AS_SPELT)
    if keys.what == "no_items":
        message = f'variant "{variant}": {message}' if variant is not None and keys.side == "output" else message
        return Issue(NO_ITEMS, _BLAMED[keys.side], message, line_places(suite).get(line.name), _WHAT_EMPTY_IS)
    if keys.what == "too_long":
        place = align_place(suite, line, keys.path)
        return Issue("items-too-long", Blame.TESTSET, message, place, _raise_the_limit(keys))
    if variant is not None and keys.side == "output":
        message = f'variant "{variant}": {message}'
    where = align_place(suite, line, keys.path, *KEY)
    return Issue(
        f"items-{keys.what.replace('_', '-')}", _BLAMED[keys.side], message, where, _key_hint(keys, _align(line, keys))
    )


def _items_in_words(keys: KeyStats) -> str:
    """What is wrong with the items of a list or its keys, in words, such as `3 expected items of "items" have no key "sku"`. The words
    depend on the kind of trouble, `keys.what`, and on the side that has it."""
    if keys.what == "too_long":
        return f'"{keys.path}" has too many items to compare each with each'
    if keys.what == "unclear_key":
        return f"it is unclear which key of an output stands for {keys.key}"
    if keys.what == "no_items":
        return f'the list "{keys.path}" of {keys.key} has no items'
    has = "has" if keys.items == 1 else "have"
    wrong = f'no key "{keys.key}"' if keys.what == "without_key" else f'the same key "{keys.key}" as an earlier item'
    if keys.side == "expected":
        return f'{count_text(keys.items, "expected item")} of "{keys.path}" {has} {wrong}'
    return f'{count_text(keys.items, "item")} of "{keys.path}" in the outputs {has} {wrong}'


def _raise_the_limit(keys: KeyStats) -> str:
    """The hint for lists that were too long to pair as asked: what was done instead, and how to set another limit."""
    how = keys.key.partition(" ")[0]
    return (
        "equal items were paired first, the others in list order; "
        f"{how}: {{cells: NUMBER}} and limits: {{list_cells: NUMBER}} set another limit than {LIST_CELLS:,}, and a key_field needs none"
    )


def _rows_in_words(keys: KeyStats) -> str:
    """The numbers of the first of the rows, such as `rows 3, 5, …`."""
    listed = ", ".join(map(str, keys.first_rows))
    more = ", …" if keys.rows > len(keys.first_rows) else ""
    return f"row{'' if keys.rows == 1 else 's'} {listed}{more}"


def _align(line: EvaluatorLine, keys: KeyStats) -> Align | None:
    """The alignment of the list that the counts are of; None where the evaluator has no such list with this key."""
    known: Iterator[Align] = (
        align
        for path, align in line.settings.scored_fields().keyed_lists()
        if (path.canonical, align.key) == (keys.path, keys.key)
    )
    return next(known, None)


def _key_hint(keys: KeyStats, align: Align | None) -> str:
    """A hint on items with such keys: how they are scored, where the suite says it, and what to do about them."""
    if keys.what == "duplicate_key":
        return "such items pair in list order; give the key a second part that tells them apart, or use hungarian"
    advice = "name a key that every item has, or use hungarian"
    if align is None:
        return advice
    apart = align.keyless == "apart"
    return f"such items pair with {'nothing' if apart else 'each other in list order'}; {advice}"
