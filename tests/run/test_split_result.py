"""What rows came to, as one text: it comes back as it was, and what is damaged or of another shape is refused."""

from __future__ import annotations

import json
from array import array
from typing import Any, get_args, get_type_hints
from zlib import crc32

import pytest
from msgspec import Struct

from evaluators.api.loading import load
from evaluators.fields.key_counts import KeyCounts, KeyFault
from evaluators.issues import Blame, Issue
from evaluators.run.exact_sums import plus
from evaluators.run.labels import LabelSums, PairCount
from evaluators.run.split_result import GroupSums, SplitResult, opened, sealed
from evaluators.run.tally import Tally
from evaluators.run.working_folder import FORMAT

LINES = load({"evaluators": [{"json_multi_field_match": {"fields": ["a", "b"]}}]}).lines


def of_all(sums: object, **slices: object) -> dict[str, object]:
    """The sums of all rows, and of slices, as the groups of a result."""
    return {"groups": {"": {"": sums}, **slices}}


def result(text: str = "é") -> SplitResult:
    """Numbers beyond 64 bits, arrays, maps by numbers, and a text that may be half a character."""
    found = SplitResult(3, rows=2, span=4, groups={"": {"": GroupSums([Tally.of(2)])}}, attempt="0123abcd")
    found.whole.tallies[0].sums = {2**80: 2**200, 3: -1}
    found.ids.add([0, 2], ["one", text])
    found.issues = [(2, Issue("odd", Blame.TESTSET, text, "column x"))]
    found.keys = [keys_of(text)]
    found.labels = [
        LabelSums({"=a": {"(missing)": PairCount(1, ((2, "one"),))}}, listed=True, unlisted={text: ((0, ""),)})
    ]
    found.first_rows.read = [{"a": [1, 2.5, None, text]}]
    return found


def keys_of(text: str) -> KeyCounts:
    counts = KeyCounts(looked_for={("l", "k")})
    counts.add(2, {KeyFault("l", text, "expected", "without_key"): 3})
    return counts


@pytest.mark.parametrize("text", ["é", "", "\0", "\ud83d", 'a "b"\n'])
def test_a_result_comes_back_as_it_was(text: str) -> None:
    again = opened(sealed(result(text)), SplitResult)
    assert again == result(text)
    assert [one for _, _, one in again.ids.first(2)] == ["one", text]
    again.check(LINES)


@pytest.mark.parametrize(
    "body",
    [
        [], {"index": -1}, {"unknown": 1},
        of_all({"tallies": [{"row_statuses": [1]}]}), of_all({"tallies": [{"sums": {"0": 1}}]}),
        {"ids": {"places": ["I", "AAA"]}}, {"ids": {"places": ["x", ""]}}, {"ids": {"places": 7}}, {"rows": 1.5},
    ],
)  # fmt: skip
def test_what_is_of_other_types_is_refused(body: Any) -> None:
    data = json.dumps(body).encode()
    with pytest.raises(ValueError, match=r"."):
        opened(b"%08x%b" % (crc32(data), data), SplitResult)


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": 9}, {"finished": False}, of_all(GroupSums()), of_all(GroupSums([Tally.of(3)])), {"groups": {}}, {"labels": []},
        of_all(GroupSums([Tally.of(2)]), kind={"x": GroupSums([Tally.of(1)])}), {"trouble": Issue("x", Blame.BUG, "x")},
    ],
)  # fmt: skip
def test_sums_of_other_evaluators_are_refused(changes: dict[str, Any]) -> None:
    found = result()
    for name, value in changes.items():
        setattr(found, name, value)
    with pytest.raises(ValueError, match=r"of another shape|no sums of all rows"):
        found.check(LINES)


def test_documents_that_are_not_there_are_refused() -> None:
    found = result()
    found.first_rows.documents = {"it": [0, 1]}
    with pytest.raises(ValueError, match="documents that are not there"):
        found.check(LINES)


class Both(Struct):
    number: int = 0
    some: tuple[int, ...] = ()


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        (1, 2, 3),
        (0.5, 2.0, 2.5),
        (False, True, True),
        (None, [1], [1]),
        ([1], None, [1]),
        ({"a": {"b": 1}}, {"a": {"b": 2, "c": 3}, "d": 4}, {"a": {"b": 3, "c": 3}, "d": 4}),
        ([1, [2]], [10, [20, 30], 40], [11, [22, 30], 40]),
        ({1, 2}, {2, 3}, {1, 2, 3}),
        ((7, 9), (1, 8, 12, 13), (1, 7, 8, 9, 12)),
        (array("I", [1]), array("I", [2]), array("I", [1, 2])),
        (bytearray(b"a"), bytearray(b"b"), bytearray(b"ab")),
        ("the same", "the same", "the same"),
        (Both(1, (3,)), Both(2, (2,)), Both(3, (2, 3))),
    ],
)
def test_one_rule_adds_whatever_sums_are_made_of(mine: Any, theirs: Any, both: Any) -> None:
    assert plus(mine, theirs) == both


def layout_of(kind: Any, found: dict[str, list[str]]) -> dict[str, list[str]]:
    """The names of the fields of a struct, and of all structs in it."""
    if isinstance(kind, type) and issubclass(kind, Struct) and kind.__name__ not in found:
        found[kind.__name__] = list(kind.__struct_fields__)
        for one in get_type_hints(kind, include_extras=True).values():
            layout_of(one, found)
    for one in get_args(kind):
        layout_of(one, found)
    return found


def test_who_changes_what_splits_leave_raises_its_version() -> None:
    """Else what an earlier version left would be scored again, and nobody would know why."""
    layout = json.dumps(layout_of(SplitResult, {}), sort_keys=True).encode()
    assert (FORMAT, f"{crc32(layout):08x}") == (9, "84d1bf64")
