"""Which one change of a field's comparison would turn its mismatches into matches."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.rows import FieldStatus
from evaluators.model.settings import build
from evaluators.reports.comparator_suggestions import FieldRule, Mismatch, changes
from evaluators.scoring.comparators._comparator import COMPARATORS, Comparator
from evaluators.scoring.fields.rules import compile_rule
from evaluators.scoring.values.transforms import parse_transform
from evaluators.suites.source import loads


def comparator(word: str, **options: Any) -> Comparator:
    return build(COMPARATORS.find(word), options)


def found(pairs: list[tuple[Any, Any]], word: str = "exact", **options: Any) -> list[tuple[str, tuple[int, ...]]]:
    mismatches = [Mismatch(row, expected, actual) for row, (expected, actual) in enumerate(pairs, 2)]
    return [(one.switch, one.fixed) for one in changes(FieldRule(comparator(word, **options)), mismatches)]


@pytest.mark.parametrize(
    ("expected", "actual", "switch"),
    [
        ("Paris", "PARIS", "case: ignore"),
        ("Malaga", "Málaga", "accents: ignore"),
        ("New York", " New  York", "whitespace: collapse"),
        ("DE 811 907", "DE811907", "whitespace: ignore"),
        (True, "true", 'boolean: {words: {"true": ["true", "yes"], "false": ["false", "no"]}}'),
        ("No", False, 'boolean: {words: {"true": ["true", "yes"], "false": ["false", "no"]}}'),
        ("8.00", 8.0, "numeric: {parse: true}"),
        (8.0, "8.00", "numeric: {parse: true}"),
        ("Acme Inc", "Acme, Inc.", "punctuation: ignore"),
        ("caf\u00e9", "cafe\u0301", "unicode: nfc"),
        (10.0, 10.004, "numeric: {tolerance: {abs: 0.01}}"),
        (1000, 1005, "numeric: {tolerance: {rel: 0.01}}"),
        (30, "30", "numeric: {parse: true}"),
        (1200.5, "$1,200.50", 'numeric: {parse: {thousands: ",", currency: true}}'),
        ("2024-03-09", "09/03/2024", "date: {formats: [iso, DD/MM/YYYY]}"),
        ("2024-03-09", "2024-03-09T10:00:00Z", "date"),
        ("https://example.org", "http://www.example.org/", "url"),
        (["a", "b"], ["b", "a"], "align: any_order"),
        ("Málaga", "MALAGA", "normalized"),
    ],
)
def test_the_one_thing_that_differs_is_found(expected: Any, actual: Any, switch: str) -> None:
    assert found([(expected, actual)])[0] == (switch, (0,))


@pytest.mark.parametrize(
    ("expected", "actual"), [("Rome", "Oslo"), (1, 2), (True, 1), (None, "x"), ("", "a"), ([1], [2])]
)
def test_values_that_are_far_apart_get_no_advice(expected: Any, actual: Any) -> None:
    assert found([(expected, actual)]) == []


def test_a_switch_that_is_on_is_not_offered_again() -> None:
    assert found([("Acme Inc", "ACME, Inc")], "normalized") == [("punctuation: ignore", (0,))]
    switches = [switch for switch, _ in found([("Acme Inc", "Acme, Ltd")], "normalized", punctuation="ignore")]
    assert not any(switch.startswith(("punctuation", "case")) for switch in switches)


def test_the_other_switches_of_a_comparator_stay_as_they_are() -> None:
    (one,) = changes(FieldRule(comparator("normalized", accents="keep")), [Mismatch(2, "Acme Inc", "ACME, Inc")])
    assert one.write == "normalized: {punctuation: ignore, accents: keep}"


def test_a_greater_tolerance_keeps_how_numbers_are_read() -> None:
    pairs = [("1,200.50", "1200.55")]
    options = {"tolerance": {"abs": 0.01}, "parse": {"thousands": ","}}
    mismatches = [Mismatch(2, *pairs[0])]
    (one,) = changes(FieldRule(comparator("numeric", **options)), mismatches)
    assert (one.switch, one.write) == (
        "tolerance: {abs: 0.1}",
        'numeric: {tolerance: {abs: 0.1}, parse: {thousands: ","}}',
    )


@pytest.mark.parametrize(
    ("parse", "switch"),
    [
        (True, "parse: {currency: true}"),
        ({"thousands": ","}, 'parse: {thousands: ",", currency: true}'),
        ({"thousands": ".", "decimal": ","}, None),
        ({"percent": True}, "parse: {percent: true, currency: true}"),
    ],
)
def test_a_currency_is_set_aside_also_where_it_is_said_how_numbers_are_read(parse: Any, switch: str | None) -> None:
    mismatches = [Mismatch(2, "12.5", "€ 12.5")]
    offered = {one.switch: one.says for one in changes(FieldRule(comparator("numeric", parse=parse)), mismatches)}
    assert offered == ({switch: "which currency it is does not count then"} if switch else {})


def test_marks_between_thousands_and_percent_are_offered_beside_what_is_read_already() -> None:
    found_ = changes(FieldRule(comparator("numeric", parse={"currency": True})), [Mismatch(2, "€ 1200", "€ 1,200")])
    assert [(one.switch, one.says) for one in found_] == [('parse: {currency: true, thousands: ","}', "")]
    found_ = changes(FieldRule(comparator("numeric", parse={"currency": True})), [Mismatch(2, "0.12", "12 %")])
    assert [one.switch for one in found_] == ["parse: {currency: true, percent: true}"]
    assert found_[0].says == "with %, a number is a hundredth of what is written"


def test_a_format_is_added_to_those_of_a_date() -> None:
    switch = "formats: [YYYY-MM-DD, DD.MM.YYYY]"
    assert found([("2024-03-09", "09.03.2024")], "date", formats=["YYYY-MM-DD"]) == [(switch, (0,))]


def test_the_mildest_step_that_forgives_as_much_is_offered() -> None:
    assert found([(1.0, 1.0005), (2.0, 2.0001)])[0][0] == "numeric: {tolerance: {abs: 0.001}}"


def test_the_change_that_turns_most_comes_first() -> None:
    assert found([("a", "A"), ("b", "B"), ("c d", "c  d")])[:2] == [("normalized", (0, 1, 2)), ("case: ignore", (0, 1))]


def test_a_change_that_cannot_read_an_expected_value_is_not_offered() -> None:
    assert all("parse" not in switch for switch, _ in found([(30, "30"), ("unknown", "n/a")]))


def test_items_of_a_list_in_another_order_are_seen_together() -> None:
    mismatches = [Mismatch(2, "a", "b", "tags"), Mismatch(2, "b", "a", "tags"), Mismatch(3, "a", "c", "tags")]
    assert [(one.switch, one.fixed) for one in changes(FieldRule(comparator("exact"), ordered=True), mismatches)] == [
        ("align: any_order", (0, 1))
    ]


def test_lists_of_values_are_compared_place_by_place() -> None:
    compared = FieldRule(comparator("numeric"), each=True)
    assert [one.switch for one in changes(compared, [Mismatch(2, [1.0, 2], [1.001, 2])])] == ["tolerance: {abs: 0.001}"]


LIMITS = {"tolerance": {"abs": 0.5, "rel": 0.1}}
BOTH = {"abs": 5, "rel": 0.05}


def offers(compared: FieldRule, pairs: list[tuple[Any, Any]]) -> list[tuple[str, str, tuple[int, ...]]]:
    mismatches = [Mismatch(row, expected, actual) for row, (expected, actual) in enumerate(pairs, 2)]
    return [(one.switch, one.says, one.fixed) for one in changes(compared, mismatches)]


def test_a_greater_tolerance_shows_the_worst_pair_that_would_pass() -> None:
    pairs: list[tuple[Any, Any]] = [(1000, 1002), (3692.81, 3697.27), (20, 20.1), (5, 9)]
    assert offers(FieldRule(comparator("numeric")), pairs) == [
        ("tolerance: {rel: 0.01}", "at worst 3697.27 for 3692.81, row 3", (0, 1, 2)),
        ("tolerance: {abs: 0.1}", "at worst 20.1 for 20, row 4", (2,)),
    ]


def test_the_worst_pair_is_that_of_the_numbers_that_texts_and_lists_hold() -> None:
    reads = comparator("numeric", parse={"currency": True}, tolerance={"abs": 0.01})
    assert offers(FieldRule(reads), [("$5", "5.02"), ("$7", "€ 7.09")]) == [
        ("tolerance: {abs: 0.1}", 'at worst "€ 7.09" for "$7", row 3', (0, 1))
    ]
    ((_, says, _),) = offers(FieldRule(comparator("numeric"), each=True), [([1, 200], [1.001, 200.0])])
    assert says == "at worst 1.001 for 1, row 2"
    rounded = (parse_transform({"round_digits": {"digits": 1}}),)
    assert offers(FieldRule(comparator("numeric"), rounded), [(1.04, 1.06), (2, 2.16)])[0] == (
        "tolerance: {abs: 0.1}",
        "at worst 1.06 for 1.04, row 2",
        (0,),
    )


def test_a_way_of_reading_shows_the_worst_pair_where_numbers_differ() -> None:
    reads = comparator("numeric", tolerance={"abs": 0.5})
    assert ("parse: true", 'at worst "12.5" for 12, row 3', (0, 1)) in offers(
        FieldRule(reads), [(12, "12"), (12, "12.5")]
    )
    ((switch, says, _),) = offers(FieldRule(comparator("numeric", tolerance=BOTH)), [(200, "200")])
    assert (switch, says) == ("parse: true", "abs and rel must both hold")
    either = FieldRule(comparator("numeric", tolerance={**BOTH, "either": True}))
    ((_, says, _),) = offers(either, [(200, "209")])
    assert says == 'abs or rel is enough; at worst "209" for 200, row 2'


def test_where_both_limits_must_hold_it_is_offered_that_one_is_enough() -> None:
    both = comparator("numeric", tolerance=BOTH)
    switch = "tolerance: {abs: 5.0, rel: 0.05, either: true}"
    worst = "at worst 209 for 200, row 2"
    today = "abs and rel must both hold today"
    pairs: list[tuple[Any, Any]] = [(200, 209), (10, 12), (10, 16)]
    assert offers(FieldRule(both), pairs) == [(switch, f"{today}; {worst}", (0, 1))]
    by_schema = "as a comparator of the suite, which the schema names"
    assert offers(FieldRule(both, by_schema=True), pairs) == [(switch, f"{today}; {by_schema}; {worst}", (0, 1))]
    assert offers(FieldRule(comparator("numeric", tolerance={**BOTH, "either": True})), [(10, 16)]) == []


VALUES = st.one_of(
    st.text(alphabet="aA é.,1/-", max_size=8),
    st.floats(-9, 9).map(lambda number: round(number, 3)),
    st.sampled_from(["2024-03-04", "04/03/2024", "1,200.50", "€ 5", "www.a.io", "http://a.io/"]),
)


@given(
    st.lists(st.tuples(VALUES, VALUES), max_size=6),
    st.sampled_from([*((word, {}) for word in ("exact", "normalized", "fuzzy", "numeric", "url")), ("numeric", LIMITS)]),
)
def test_every_change_does_what_it_claims_when_a_suite_says_it(
    pairs: list[tuple[Any, Any]], named: tuple[str, dict[str, Any]]
) -> None:
    own = comparator(named[0], **named[1])
    today = compile_rule(own)
    pairs = [pair for pair in pairs if today(*pair) is not FieldStatus.MATCH]
    mismatches = [Mismatch(row, expected, actual) for row, (expected, actual) in enumerate(pairs)]
    for change in changes(FieldRule(own), mismatches):
        written = loads(f"field: {{{change.write}}}" if ": " in change.write else f"field: {change.write}").data["field"]
        name, options = next(iter(written.items())) if isinstance(written, dict) else (written, {})
        rule = compile_rule(comparator(name, **options))
        fixed = [place for place, pair in enumerate(pairs) if rule(*pair) is FieldStatus.MATCH]
        assert list(change.fixed) == fixed
