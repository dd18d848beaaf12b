"""What a split gives back, as one text: it comes back as it was, and what is damaged or of another shape is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from zlib import compress

import pytest
from msgspec import Struct

from evaluators.api.loading import load
from evaluators.integrations.batch.batch_blob import Batch, BatchRows, batch_of, blob_of
from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import Result, RowStatus
from evaluators.runs import split_result
from evaluators.runs.document_sums import EmptySums
from evaluators.runs.exact_sums import plus
from evaluators.runs.groups import MOST_SLICES, OTHER_VALUES
from evaluators.runs.intervals import RatioSums
from evaluators.runs.split_result import EvaluatorSums, Part, SplitResult, pack, unpack
from evaluators.runs.split_rows import Layout, SplitRows
from evaluators.scoring.fields.key_counts import KeyCounts, KeyFault

LINES = load({"evaluators": [{"json_multi_field_match": {"fields": ["a", "b"]}}]}).lines
LAYOUT = Layout(("it",), ("kind",), ("cost",), ((0, ""),), labelled=(0,))


def result(text: str = "é") -> SplitResult:
    """Numbers beyond 64 bits, maps by numbers, and a text that may be half a character."""
    one = EvaluatorSums(keys=keys_of(text), unlisted={text: (0,)}, unusable={"": ((1, text),)})
    one.empties.ratios[f"invented_rate:{text}"] = RatioSums(1, [2**200] * 14, 1)
    one.documents.paths = {text: [1, 2, 3, 4]}
    found = SplitResult(3, rows=2, span=4, evaluators=[one])
    found.issues = [(2, Issue("odd", Blame.TESTSET, text, "column x"))]
    found.first_rows.read = [{"a": [1, 2.5, None, text]}]
    return found


def keys_of(text: str) -> KeyCounts:
    counts = KeyCounts(looked_for={("l", "k")})
    counts.add(2, {KeyFault("l", text, "expected", "without_key"): 3})
    return counts


def part(text: str = "é") -> Part:
    """Two rows with everything that columns hold."""
    columns: dict[str, list[Any]] = {
        "row": [0, 2], "id": [None, text], "given": [1, 2**32 - 1], "slice0": [text, ""], "measure0": ["1", text],
        "step0": [-2, 100_000], "pair0": [-2, 0], "code0": [0, 1],
    }  # fmt: skip
    verdicts = [[Result(RowStatus.SCORED, False, 1, 2, bytes([1, 2]), watched=((1, 0, 0, 0),)), Result(RowStatus.BUG)]]
    return Part(SplitRows(columns, verdicts, {0: [("=a", "(missing)")]}), result(text))


@pytest.mark.parametrize("text", ["é", "", "\0", "\ud83d", 'a "b"\n'])
def test_a_part_comes_back_as_it_was(text: str) -> None:
    assert unpack(pack(result(text)), SplitResult) == result(text)
    batch = Batch(BatchRows("1.0 plan", [(2, 3)], 2**127), part(text))
    again = batch_of(blob_of(batch))
    assert again == batch
    if text != "\ud83d":  # columns hold no half of a pair
        again.part.check(LAYOUT, LINES)


@pytest.mark.parametrize(
    "body",
    [
        [], {"index": -1}, {"unknown": 1}, {"rows": 1.5}, {"evaluators": [{"unknown": 1}]}, {"evaluators": [{"keys": 7}]},
        {"evaluators": [{"empties": {"ratios": {"a": {"sums": [1]}}}}]},
        {"evaluators": [{"documents": {"paths": {"a": [1, 2, 3]}}}]},
    ],
)  # fmt: skip
def test_what_is_of_other_types_is_refused(body: Any) -> None:
    data = json.dumps(body).encode()
    with pytest.raises(ValueError, match=r"."):
        unpack(compress(data), SplitResult)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:-1], "cut off"), (lambda text: text + b"x", "cut off"), (lambda text: b"x" + text, "damaged"),
        (lambda text: text[:-1] + bytes([text[-1] ^ 1]), "damaged"), (lambda text: b"", "cut off"),
    ],
)  # fmt: skip
def test_sums_that_are_damaged_are_refused(change: Callable[[bytes], bytes], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        unpack(change(pack(result("a"))), SplitResult)


def test_sums_that_grow_beyond_all_measure_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_result, "MOST_BYTES", 1_000)
    with pytest.raises(ValueError, match="too large"):
        unpack(compress(b" " * 100_000), SplitResult)


@pytest.mark.parametrize(
    "columns",
    [
        {"code0": [0, 2]}, {"code0": [-1, 0]}, {"code0": [0]}, {"code0": ["0", "1"]}, {"code0": [0, None]}, {"code0": [True, 0]},
        {"pair0": [1, 0]}, {"pair0": [-3, 0]}, {"step0": [-3, 0]}, {"step0": [0, 100_001]}, {"row": [0, 4]}, {"row": [-1, 0]},
        {"given": [0, 2**32]}, {"slice0": [1, 2]}, {"slice0": ["", None]}, {"slice0": ["", "\ud83d"]},
        {"measure0": [0, 0]}, {"id": [1, 2]}, {"more": ["", ""]},
    ],
)  # fmt: skip
def test_rows_that_no_split_leaves_are_refused(columns: Mapping[str, list[Any]]) -> None:
    found = part()
    found.rows.columns.update(columns)
    with pytest.raises(ValueError, match=r"of another shape|of another type|stand for nothing"):
        found.check(LAYOUT, LINES)


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": 1, "span": 1}, {"finished": False}, {"evaluators": []}, {"span": 1}, {"trouble": Issue("x", Blame.BUG, "x")},
    ],
)  # fmt: skip
def test_sums_of_other_rows_are_refused(changes: Mapping[str, Any]) -> None:
    found = part()
    for name, value in changes.items():
        setattr(found.sums, name, value)
    with pytest.raises(ValueError, match=r"of another shape|of other|not whole|stand for nothing"):
        found.check(LAYOUT, LINES)


def test_verdicts_of_other_fields_are_refused() -> None:
    found = part()
    found.rows.verdicts[0][0] = Result(RowStatus.SCORED, False, 1, 2, bytes([1, 2, 3]))
    with pytest.raises(ValueError, match="of other fields"):
        found.check(LAYOUT, LINES)


def test_documents_that_are_not_there_are_refused() -> None:
    found = part()
    found.sums.first_rows.documents = {"it": [0, 1]}
    with pytest.raises(ValueError, match="documents that are not there"):
        found.check(LAYOUT, LINES)


def test_sums_of_slices_keep_the_first_values_whatever_comes_first() -> None:
    def sums(names: range) -> SplitResult:
        def one() -> EmptySums:
            return EmptySums({"left_empty_rate": RatioSums(1, [1] * 14, 1)})

        return SplitResult(slice_empties={"kind": {f"{name:05}": [one()] for name in names}})

    whole = sums(range(1_500))
    whole.limit()
    for order in ((range(700), range(700, 1_500)), (range(700, 1_500), range(700))):
        found, other = map(sums, order)
        found.join(other)
        assert found.slice_empties == whole.slice_empties
    assert len(whole.slice_empties["kind"]) == MOST_SLICES + 1
    assert whole.slice_empties["kind"][OTHER_VALUES][0].ratios["left_empty_rate"].units == 500


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
        ("the same", "the same", "the same"),
        (Both(1, (3,)), Both(2, (2,)), Both(3, (2, 3))),
    ],
)
def test_one_rule_adds_whatever_sums_are_made_of(mine: Any, theirs: Any, both: Any) -> None:
    assert plus(mine, theirs) == both
