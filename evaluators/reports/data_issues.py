"""What is wrong with what a test set holds: ids, labels that nobody listed, cells of measures that are no numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Final

from evaluators.issues import Blame, Issue
from evaluators.registry import suggestion
from evaluators.run.figures import counted
from evaluators.run.ids import MOST_IDS, NO_ID, Ids
from evaluators.run.labels import LabelSums, is_label
from evaluators.run.measures import MeasuredColumn
from evaluators.run.result import MeasureStats
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.values.file_names import shown
from evaluators.values.quoting import quote

NOT_A_NUMBER: Final = "not-a-number"
_SHOWN_IDS: Final = 5
_SHOWN_LABELS: Final = 10


def id_warnings(ids: Ids, name: str) -> list[Issue]:
    """What is wrong with the ids of a test set, with row numbers. Ids after the first `MOST_IDS` are not looked at."""
    several = {number for number, times in Counter(ids.numbers[:MOST_IDS]).items() if times > 1 or number == NO_ID}
    if not several:
        return []
    rows: dict[str, list[int]] = {}
    for number, place, one in ids.first(MOST_IDS):
        if number in several:
            rows.setdefault(one, []).append(place)
    missing = rows.pop("", [])
    repeated = {one: places for one, places in rows.items() if len(places) > 1}
    found = []
    if missing:
        said = f"{_rows_named(missing)} {'has' if len(missing) == 1 else 'have'} no id"
        found.append(Issue("missing-id", Blame.TESTSET, said, name, "an id makes a row easy to find again"))
    if repeated:
        listed = "; ".join(
            f'"{shown(one)}" in {_rows_named(places)}' for one, places in list(repeated.items())[:_SHOWN_IDS]
        )
        more = f"; and {len(repeated) - _SHOWN_IDS:,} more" if len(repeated) > _SHOWN_IDS else ""
        count = "1 id is" if len(repeated) == 1 else f"{len(repeated):,} ids are"
        said = f"{count} in several rows: {listed}{more}"
        found.append(Issue("duplicate-id", Blame.TESTSET, said, name, "every row is scored all the same"))
    return found


def _rows_named(places: Sequence[int]) -> str:
    shown = [f"{place:,}" for place in places[:_SHOWN_IDS]]
    if len(places) > _SHOWN_IDS:
        return f"rows {', '.join(shown)} and {len(places) - _SHOWN_IDS:,} more"
    return f"row {shown[0]}" if len(shown) == 1 else f"rows {', '.join(shown[:-1])} and {shown[-1]}"


def unlisted_labels(
    lines: Sequence[EvaluatorLine],
    counted: Sequence[LabelSums | None],
    place: Callable[[int, str], str],
    roles: Mapping[str, str],
) -> Iterator[tuple[Issue, int]]:
    """Expected answers that are none of the labels that the suite lists, and for the first of an evaluator how many rows have one.

    `place` is where a cell stands, by the number of its row and its column.
    """
    for line, sums in zip(lines, counted, strict=False):
        rule = line.settings.label_rule()
        if sums is None or rule is None or rule.labels is None or not sums.unlisted:
            continue
        column = line.settings.column("expected").spelled(roles)
        rows = sum(one.times for expected, _, one in sums.counted() if not is_label(expected))
        for text, ((first, _), *_) in sums.unlisted.items():
            near = suggestion(text, rule.labels) or f"the labels are {', '.join(rule.labels[:_SHOWN_LABELS])};"
            message = f'"{line.name}": the expected answer {quote(text)} is none of the labels, so labels have no figures'
            hint = f"{near} `other: true` beside `labels` says that such answers are meant"
            yield Issue("unlisted-label", Blame.TESTSET, message, place(first, column), hint), rows
            rows = 0


def unreadable_cells(measures: Sequence[MeasureStats], name: str, counts: MutableMapping[str, int]) -> Iterator[Issue]:
    """The first cells that hold no number, placed in the test set called `name`; all of them are added to `counts`."""
    seen: set[tuple[int, str]] = set()
    for one in measures:
        if one.slice is not None or not one.unreadable:
            continue
        counts[NOT_A_NUMBER] = counts.get(NOT_A_NUMBER, 0) + one.unreadable
        for row, cell in one.first_unreadable:
            if (row, one.column) not in seen:
                seen.add((row, one.column))
                hint = "write a number and nothing else, such as 0.012; an empty cell counts as missing"
                where = f'{name} row {row}, column "{one.column}"'
                yield Issue(NOT_A_NUMBER, Blame.TESTSET, f'not a number: "{cell}"', where, hint)


def unreadable_measures(measures: Sequence[MeasureStats]) -> Iterator[Issue]:
    """One problem for each measure in which some cell holds no number."""
    for one in measures:
        if one.slice is None and one.unreadable:
            are = "is not a number" if one.unreadable == 1 else "are not numbers"
            message = f'the measure "{_full_name(one)}": {one.unreadable:,} of {counted(one.rows, "cell")} {are}'
            yield Issue(NOT_A_NUMBER, Blame.TESTSET, message)


def measure_gaps(measures: Sequence[MeasureStats]) -> Iterator[Issue]:
    """Every measure whose column is empty in all rows."""
    for one in measures:
        if one.slice is None and one.rows and one.missing == one.rows:
            message = f'the measure "{_full_name(one)}" measured nothing: the column "{one.column}" is empty in every row'
            yield Issue("measure-measured-nothing", Blame.TESTSET, message)


def measure_notes(columns: Sequence[MeasuredColumn], measures: Sequence[MeasureStats]) -> list[str]:
    """Which measures are read with a decimal comma though the suite does not say so."""
    auto = {one.name for one in columns if one.decimal == "auto"}
    return [
        f'"{_full_name(one)}": its numbers have a comma before the decimals; `decimal: "."` reads them with a point'
        for one in measures
        if one.slice is None and one.name in auto and one.decimal == ","
    ]


def _full_name(one: MeasureStats) -> str:
    return f"{one.name} ({one.variant})" if one.variant else one.name
