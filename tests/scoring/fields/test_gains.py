"""Which pairing is the best one, by trying all: complete pairs, then F1, then the fields that match in order, then distance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from evaluators.scoring.comparators._closeness import Tolerance
from evaluators.scoring.comparators.fuzzy import Fuzzy
from evaluators.scoring.comparators.normalized import Normalized
from evaluators.scoring.comparators.numeric import Numeric
from evaluators.scoring.fields.fingerprints import Fingerprint
from evaluators.scoring.fields.pairing import Worth, gains
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.schema_check import SchemaCheck
from evaluators.scoring.fields.schema_scoring import SchemaScoring
from evaluators.scoring.fields.walk import Walk
from tests.scoring.fields.alone import counted_one_by_one, score_document
from tests.scoring.fields.paired import pair_items
from tests.scoring.fields.trees import Planned, array, choice, leaf, metric, obj, tree

Pairs: TypeAlias = list[tuple[int, int]]
Table: TypeAlias = list[list[Worth]]


@st.composite
def worths(draw: st.DrawFn) -> tuple[Table, list[str], list[str]]:
    """The worth of every pair of two short lists, and their items: few different ones, complete pairs among them."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    whole = st.sampled_from(draw(st.sampled_from([(4,), (4, 5, 6), (17, 19, 23, 34)])))
    ranks = st.integers(0, draw(st.sampled_from([0, 0, 3])))

    def worth() -> Worth:
        of = draw(whole)
        matched = draw(st.integers(0, of // 2))
        return Worth(matched, 2 * matched if matched and draw(st.booleans()) else of, draw(ranks))

    table = [[worth() for _ in range(columns)] for _ in range(rows)]
    ours, theirs = ([draw(st.sampled_from("abc")) for _ in range(size)] for size in (rows, columns))
    return [[table[ours.index(one)][theirs.index(other)] for other in theirs] for one in ours], ours, theirs


def every_pairing(table: Table, least: Fraction, row: int = 0, taken: frozenset[int] = frozenset()) -> Iterator[Pairs]:
    """Every way to pair some expected items with some of the output's."""
    if row == len(table):
        yield []
        return
    for column, worth in enumerate(table[row]):
        if worth.matched and f1(worth) >= least and column not in taken:
            for rest in every_pairing(table, least, row + 1, taken | {column}):
                yield [(row, column), *rest]
    yield from every_pairing(table, least, row + 1, taken)


def f1(worth: Worth) -> Fraction:
    return Fraction(2 * worth.matched, worth.whole)


def quality(table: Table, ours: list[Any], theirs: list[Any], pairs: Pairs) -> tuple[Any, ...]:
    """What a pairing is judged by, as plainly as it can be written; less is better."""
    chosen = [table[row][column] for row, column in pairs]
    partner = dict(pairs)
    return (
        -sum(f1(worth) == 1 for worth in chosen),
        -sum(map(f1, chosen)),
        -sum(worth.rank for worth in chosen),
        sum(abs(row - column) for row, column in pairs),
        [partner.get(row, len(theirs)) for row in range(len(ours))],
    )


LEAST = st.sampled_from([None, Fraction(1, 2), Fraction(12, 17), Fraction(1)])


@given(worths(), LEAST)
def test_no_other_pairing_is_better(drawn: tuple[Table, list[str], list[str]], at_least: Fraction | None) -> None:
    table, ours, theirs = drawn
    found = pair_items(Align("hungarian", at_least=at_least), ours, theirs, lambda row, column: table[row][column]).pairs
    if ours == theirs:
        assert found == [(row, row) for row in range(len(ours))]
        return
    wanted = min(every_pairing(table, at_least or Fraction(0)), key=lambda pairs: quality(table, ours, theirs, pairs))
    assert found == wanted


@given(worths(), LEAST, st.randoms(use_true_random=False))
def test_pairs_that_marks_show_to_be_right_are_those_of_the_best_pairing(
    drawn: tuple[Table, list[str], list[str]], at_least: Fraction | None, random: Any
) -> None:
    table, ours, theirs = drawn
    assume(ours != theirs)
    our_marks, their_marks = [*range(len(ours))], [*range(len(ours), len(ours) + len(theirs))]
    for row, line in enumerate(table):
        for column, worth in enumerate(line):
            if f1(worth) == 1 or random.random() < 0.05:
                joined = {our_marks[row], their_marks[column]}
                our_marks = [min(joined) if each in joined else each for each in our_marks]
                their_marks = [min(joined) if each in joined else each for each in their_marks]
    names = [*map(str, our_marks)], [*map(str, their_marks)]
    items = [f"{name} {row}" for row, name in enumerate(names[0])], [f"{name} -{at}" for at, name in enumerate(names[1])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evaluators.scoring.fields.pairing.FEW", 0)
        found = pair_items(
            Align("hungarian", at_least=at_least),
            *items,
            lambda row, column: table[row][column],
            fingerprint_of=lambda item: Fingerprint(item.split()[0], frozenset(), False),
        ).pairs
    assert found == min(every_pairing(table, at_least or Fraction(0)), key=lambda pairs: quality(table, *items, pairs))


@given(worths(), LEAST)
@example(([[Worth(1, 2), Worth(2, 5)], [Worth(2, 5), Worth(0, 5)]], [*"ab"], [*"cd"]), None)
def test_a_complete_pair_whose_items_have_no_other_complete_partner_belongs_to_the_best_pairing(
    drawn: tuple[Table, list[str], list[str]], at_least: Fraction | None
) -> None:
    table, ours, theirs = drawn
    assume(ours != theirs)
    complete = [(row, column) for row, line in enumerate(table) for column, worth in enumerate(line) if f1(worth) == 1]
    rows, columns = Counter(row for row, _ in complete), Counter(column for _, column in complete)
    alone = {(row, column) for row, column in complete if rows[row] == columns[column] == 1}
    found = pair_items(Align("hungarian", at_least=at_least), ours, theirs, lambda row, column: table[row][column]).pairs
    assert alone <= set(found)


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "a": st.sampled_from(["x", "X", "y"]),
    "b": st.sampled_from([0, 1, 1.0, True]),
    "c": st.sampled_from(["color", "colour", "z"]),
    "not listed": st.sampled_from([1, 2]),
}
ITEMS = st.lists(st.fixed_dictionaries({}, optional=VALUES), min_size=1, max_size=4)
CLOSE = metric(Numeric(tolerance=Tolerance(abs=1)), "numeric")
FOLDED = metric(Normalized(), "normalized")
ITEM = obj(
    {"a": leaf(FOLDED), "b": leaf(), "c": leaf(metric(Fuzzy(at_least=0.8), "fuzzy")), "not listed": leaf(skip=True)}
)


def matched_items(how: Align, expected: list[Any], output: list[Any]) -> tuple[int, Pairs]:
    """How many items match as a whole, and the pairs."""
    (found,) = score_document(tree(array(ITEM, how)), expected, output).arrays or (None,)
    return (0, []) if found is None else (found.matched, list(found.pairs))


@given(ITEMS, ITEMS)
def test_no_complete_pair_is_torn_apart_for_others_that_agree_in_part(expected: list[Any], output: list[Any]) -> None:
    best, _ = matched_items(Align("any_order"), expected, output)
    assert matched_items(Align("hungarian"), expected, output)[0] == best
    assert matched_items(Align("hungarian", at_least=Fraction(1, 2)), expected, output)[0] == best


TEXT, NUMBER = obj({"a": leaf(FOLDED), "b": leaf()}), obj({"x": leaf(CLOSE), "y": leaf(CLOSE), "z": leaf(CLOSE)})


def pairs(item: Planned, expected: list[Any], output: list[Any]) -> list[tuple[int, int]]:
    """The pairs of a list; the check counts what the explained row says."""
    root = tree(array(item, "hungarian"))
    scoring = SchemaScoring(root, "f1", 1.0)
    slow, fast = counted_one_by_one(scoring), SchemaCheck(scoring)
    assert slow(expected, output).counts == fast(expected, output).counts
    listed, *_ = Walk().compare_row(scoring.root_place, expected, output).lists
    return list(listed.pairs)


def test_a_complete_pair_stays_though_two_others_gain_more_in_all() -> None:
    expected, output = [{"a": "x", "b": 1}, {"a": "x"}], [{"b": 1}, {"a": "x", "b": 1}]
    assert pairs(TEXT, expected, output) == [(0, 1)]


LONG = obj({key: leaf() for key in "kabcdefghij"})
EITHER = choice(obj({"x": leaf(), "y": leaf()}), obj({"x": leaf(), "z": leaf()}))
RANKED: dict[str, tuple[Planned, dict[str, Any], list[dict[str, Any]]]] = {
    "the key that the schema lists first": (
        obj({"b": leaf(), "a": leaf()}), {"a": 1, "b": 1}, [{"a": 1, "b": 2}, {"a": 2, "b": 1}],
    ),
    "depth first": (
        obj({"o": obj({"z": leaf()}), "a": leaf()}), {"a": 1, "o": {"z": 1}},
        [{"a": 1, "o": {"z": 2}}, {"a": 2, "o": {"z": 1}}],
    ),
    "the items of a list inside": (
        obj({"l": array(leaf()), "a": leaf()}), {"a": 1, "l": [1]}, [{"a": 1, "l": [2]}, {"a": 2, "l": [1]}],
    ),
    "more of the items of a list inside": (
        obj({"l": array(leaf()), "a": leaf(), "b": leaf()}), {"a": 1, "b": 1, "l": [1, 2]},
        [{"a": 1, "b": 2, "l": [1, 3]}, {"a": 2, "b": 2, "l": [1, 2]}],
    ),
    "an empty list on both sides": (
        obj({"l": array(leaf()), "a": leaf()}), {"a": 1, "l": []}, [{"a": 1, "l": 2}, {"a": 2, "l": []}],
    ),
    "a choice is one field": (
        obj({"c": EITHER, "a": leaf(), "b": leaf()}), {"a": 1, "b": 1, "c": {"x": 1, "y": 1}},
        [{"a": 1, "b": 1, "c": {"x": 2, "y": 2}}, {"a": 2, "b": 2, "c": {"x": 1, "y": 1}}],
    ),
    "a choice whose branch is known before it is weighed": (
        obj({"c": EITHER, "a": leaf()}), {"a": 1, "c": {"x": 1, "z": 1}},
        [{"a": 1, "c": {"x": 2, "z": 1}}, {"a": 2, "c": {"x": 1, "z": 1}}],
    ),
    "keys that are not declared come after those that are": (
        obj({"a": leaf()}, others=leaf()), {"a": 1, "A": 1}, [{"a": 2, "A": 1}, {"a": 1, "A": 2}],
    ),
    "the first of many": (
        LONG, dict.fromkeys("kabcdefghij", 1),
        [{**dict.fromkeys("kabcdefghij", 1), "k": 2}, {**dict.fromkeys("kabcdefghij", 1), "j": 2}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", RANKED)
def test_among_equals_the_first_field_decides(case: str) -> None:
    item, expected, output = RANKED[case]
    assert pairs(item, [expected], output) == [(0, 1)]
    assert pairs(item, [expected], output[::-1]) == [(0, 0)]


@pytest.mark.parametrize("size", [2, 3, 4, 9])
def test_a_complete_pair_counts_more_than_as_many_others_as_lists_can_have(size: int) -> None:
    near, complete = Worth(9, 19), Worth(1, 2)
    table = [[complete if row == column == 0 else near for column in range(size)] for row in range(size)]
    found = gains(table, Fraction(0))
    assert int(found[0][0]) > size * int(found[0][1]) > 0


@pytest.mark.parametrize("size", [2, 3, 5])
def test_no_complete_pair_is_torn_for_others_that_are_nearly_right(size: int) -> None:
    """The first items are equal in all that counts; the output's second one is nearly the first, and so is every next one."""
    near = {(row, row + 1) for row in range(size - 1)} | {(size - 1, 0)}

    def weigh(row: int, column: int) -> Worth:
        return Worth(1, 2) if row == column == 0 else Worth(9, 20) if (row, column) in near else Worth(0, 2)

    items = [{"at": row} for row in range(size)]
    found = pair_items(Align("hungarian"), items, [{"to": row} for row in range(size)], weigh)
    assert (0, 0) in found.pairs
