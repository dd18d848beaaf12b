"""What is empty in the fields of lists is counted as it is told item by item: for all rows together, and by groups of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.evaluators.schema_match import SchemaMatch
from evaluators.scoring.fields.empty_values import EmptyCounts, InRow
from evaluators.scoring.fields.row_checks import empty_values, release_rows

VALUES: st.SearchStrategy[Any] = st.sampled_from([None, "", [], 0, False, "x", "n/a", 3])
ITEMS = st.lists(
    st.fixed_dictionaries({"key": st.just("k")}, optional={"a": VALUES, "b": VALUES}), min_size=1, max_size=4
)
DOCUMENTS = st.fixed_dictionaries({"items": ITEMS}, optional={"c": VALUES, "d": VALUES})
ABSENT = ("n/a",)
Cell = dict[InRow, int]


def told(expected: Iterable[dict[str, Any]], output: Iterable[dict[str, Any]], key: str, always: bool) -> InRow:
    """What a field comes to in pairs of objects; in items it counts where a side has it."""
    found = Counter[str]()
    pairs: list[tuple[dict[str, Any], dict[str, Any]]] = list(zip_longest(expected, output, fillvalue={}))
    for ours, theirs in pairs:
        if always or key in ours or key in theirs:
            wanted, got = (one.get(key) in (None, "", [], *ABSENT) for one in (ours, theirs))
            found.update({"empty": wanted, "invented": wanted and not got})
            found.update({"filled": not wanted, "left_empty": not wanted and got})
    return InRow(*(found[name] for name in InRow._fields))


def recounted(rows: list[tuple[Any, Any]]) -> dict[str, Cell]:
    cells: dict[str, Counter[InRow]] = {name: Counter() for name in ("", "c", "d", "items[*].a", "items[*].b")}
    for ours, theirs in rows:
        row = {key: told([ours], [theirs], key, True) for key in "cd"}
        row |= {f"items[*].{key}": told(ours["items"], theirs["items"], key, False) for key in "ab"}
        row[""] = InRow(*map(sum, zip(*row.values(), strict=True)))
        for name, value in row.items():
            cells[name][value] += 1
    return without_zeros(cells)


@given(st.lists(st.tuples(DOCUMENTS, DOCUMENTS), min_size=1, max_size=6))
def test_values_in_items_and_outside_are_counted_row_by_row(rows: list[tuple[Any, Any]]) -> None:
    one = SchemaMatch.model_validate({"fields": ["c", "d", "items[*].a", "items[*].b"]})
    check: Any = one.compile()
    found = check.score(*zip(*rows, strict=True))
    together, apart = EmptyCounts(), EmptyCounts()
    for values, at_rows in empty_values(found, ABSENT):
        together.take(values)
        apart.take(values, {at: "ab"[row % 2] for at, row in at_rows.items()})
    release_rows(found)
    assert without_zeros(together.by_group()[""]) == recounted(rows)
    for group, fields in apart.by_group().items():
        assert without_zeros(fields) == recounted(rows["ab".index(group) :: 2])


def without_zeros(fields: Mapping[str, Mapping[InRow, int]]) -> dict[str, Cell]:
    found = {
        name: {value: count for value, count in cell.items() if count and any(value)} for name, cell in fields.items()
    }
    return {name: cell for name, cell in found.items() if cell}
