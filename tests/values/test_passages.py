"""Values that are looked for in a text: whatever is written there is found, and nothing that only looks like a part of it."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.settings import build
from evaluators.values import dates
from evaluators.values.passages import Looking, Source, leaves
from evaluators.values.text import Normalization, normalizer

NORMAL = normalizer(build(Normalization, {"case": "ignore", "accents": "ignore", "whitespace": "collapse"}))
HOW = Looking(NORMAL, 0.9, tuple(dates.MONTHS_IN))
CENTS = st.integers(0, 10**12).map(lambda cents: Decimal(cents) / 100)
GROUPS = [(",", "."), (".", ","), ("'", "."), ("\u2019", ","), ("\u00a0", ","), ("\u202f", "."), ("", "."), ("", ",")]
DAYS = st.dates(datetime.date(1970, 1, 1), datetime.date(2068, 12, 31))
AROUND = st.sampled_from(["", "Total: {}.", "({})", "€{}", "{} EUR", "a\n{}\nb", "due {}; 7 left"])
WITH_NAMES = ["{d} {m} {y}", "{d}. {m} {y}", "{m} {d}, {y}", "{d} de {m} de {y}"]
HOSTILE = [*(one * 25_000 for one in ("11", "1 ", "1.", "1'", " 234", "aa", "a-", "ab ")), "5 May " * 9_000]
SENTENCE = st.text("abc éÅß\n .,", min_size=1, max_size=40)


def source(text: str) -> Source:
    return Source(text, HOW)


@given(CENTS, st.sampled_from(GROUPS), AROUND)
def test_a_number_is_found_in_any_grouping(number: Decimal, marks: tuple[str, str], around: str) -> None:
    whole, _, cents = f"{number:,.2f}".partition(".")
    text = (around or "{}").format(whole.replace(",", marks[0]) + marks[1] + cents)
    found, passage = source(text).passage(float(number))
    assert found
    assert passage is not None
    assert "".join(filter(str.isdigit, text[passage.start : passage.end])) == whole.replace(",", "") + cents


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_number_is_no_part_of_a_longer_one(number: int, other: int) -> None:
    for text in (f"{number}{other}", f"{other}.{number}.5", f"n: {other}{number:03}", f"{number}.{other}1"):
        digits = text.removeprefix("n: ")
        readings = {digits, digits.replace(".", "")}
        assert source(text).has(number) is (
            str(number) in readings or (digits.count(".") > 1 and str(number) in digits.split("."))
        )


@given(
    DAYS,
    st.sampled_from(sorted(dates.MONTHS_IN)),
    st.sampled_from(["{d} {m} {y}", "{d}. {m} {y}", "{m} {d}, {y}", "{d} de {m} de {y}"]),
)
def test_a_day_is_found_with_the_name_of_its_month(day: datetime.date, language: str, spelled: str) -> None:
    text = "dated " + spelled.format(d=day.day, m=dates.MONTHS_IN[language][day.month - 1], y=day.year) + ", 12.50 to pay"
    assert source(text).has(day.isoformat())
    assert not source(text).has((day + datetime.timedelta(days=40)).isoformat())


@given(DAYS, st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d", "%d.%m.%y", "%Y/%m/%d", "%d-%m-%Y"]))
def test_a_day_is_found_in_any_order(day: datetime.date, spelled: str) -> None:
    assert source(f"99.00, due {day:{spelled}} 12").has(day.isoformat())


@given(
    SENTENCE.filter(str.strip), st.sampled_from(["", "before ", "(", "x\n"]), st.sampled_from(["", " after", ")", "\nx"])
)
def test_words_of_a_text_are_found_where_they_stand(words: str, before: str, after: str) -> None:
    text = before + words + after
    if before[-1:].isalnum() or after[:1].isalnum():
        return
    found, passage = source(text.upper()).passage(words)
    assert found
    assert passage is not None
    assert NORMAL(text.upper()[passage.start : passage.end]) == NORMAL(words).strip()


@given(st.text("aAbé\n .,", max_size=30), st.text("aAbé\n ", min_size=1, max_size=4), st.sampled_from(["keep", "ignore"]))
def test_words_are_found_where_the_whole_normalized_text_has_them(text: str, words: str, case: str) -> None:
    normal = normalizer(build(Normalization, {"case": case, "accents": case, "whitespace": "collapse"}))
    whole, wanted = normal(text), normal(words).strip()
    ends = [(at, at + len(wanted)) for at in range(len(whole)) if wanted and whole.startswith(wanted, at)]
    plain = any(
        not any(whole[max(0, cut - 1) : cut + 1].isalnum() and 0 < cut < len(whole) for cut in both) for both in ends
    )
    assert Source(text, Looking(normal, 1.0, ())).has(words) is plain


@given(st.lists(st.text("0123456789., '", max_size=12), max_size=6), st.sampled_from([0, 5, 12, 1.5, 120, 1234, 0.25]))
def test_a_number_is_found_in_lines_where_one_of_them_has_it(lines: list[str], number: float) -> None:
    assert source("\n".join(lines)).has(number) is any(source(line).has(number) for line in lines)


@given(SENTENCE, st.one_of(SENTENCE, st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
def test_a_passage_stands_in_the_text(text: str, value: Any) -> None:
    found, passage = source(text).passage(value)
    assert found is source(text).has(value)
    if passage is not None:
        assert 0 <= passage.start <= passage.end <= len(text)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:6])
def test_a_hostile_text_is_looked_through(text: str) -> None:
    for value in (1, -1, 234, 5000, 11.5, "2024-05-05", "a" * 500, "ab ab", "a-1"):
        source(text).has(value)


def test_the_leaves_of_a_document_stand_in_its_order() -> None:
    document = {"a": [1, {"b": 2, "c": []}], "d": {}, "e": None}
    assert list(leaves(document)) == [(("a", 0), 1), (("a", 1, "b"), 2), (("e",), None)]
