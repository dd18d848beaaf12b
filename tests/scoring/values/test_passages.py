"""Values that are looked for in a text: whatever is written there is found, and nothing that only looks like a part of it."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.settings import build
from evaluators.scoring.values import dates
from evaluators.scoring.values.passages import Looking, Source, leaves
from evaluators.scoring.values.text import Normalization, normalizer
from evaluators.scoring.values.words_in_text import FEW, FEW_WORDS, Code, WordPlaces, code_of

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
    passage = source(text).place(float(number))
    assert passage is not None
    assert "".join(filter(str.isdigit, text[passage.start : passage.end])) == whole.replace(",", "") + cents


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_number_is_no_part_of_a_longer_one(number: int, other: int) -> None:
    for text in (f"{number}{other}", f"{other}.{number}.555", f"n: {other}{number:03}", f"{number}.{other}1"):
        digits = text.removeprefix("n: ")
        assert source(text).has(number) is (str(number) in {digits, digits.replace(".", "")})


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
    passage = source(text.upper()).place(words)
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
    place, (nearest, _) = source(text).place(value), source(text).nearest_passage(value)
    assert (place is not None) is source(text).has(value)
    for passage in (place, nearest):
        assert passage is None or 0 <= passage.start <= passage.end <= len(text)


TELLING = [
    "5 USD",
    "€7",
    "$7",
    "-8 kr",
    "call 555-0100",
    "192.168.1.1",
    "1.0.0",
    "DE89 3704 0044 05",
    "x@y.com",
    "x@y.com.au",
]
LINE = st.one_of(
    st.text("0123456789., -–", min_size=1, max_size=14),
    st.text("aAbé.@ ", min_size=1, max_size=6),
    st.text("12345678", min_size=8, max_size=10),
    st.sampled_from(TELLING),
    DAYS.map(lambda day: f"{day:%d/%m/%y}"),
    DAYS.map(lambda day: f"{day:%B} {day.day}, {day.year}"),
)
LINES = st.lists(LINE, min_size=1, max_size=8)


@given(LINES, LINES)
def test_many_values_are_found_where_each_of_them_is_found_alone(lines: list[str], wanted: list[str]) -> None:
    text = "\n".join(lines)
    values: list[Any] = [*wanted, *lines, 5, -8, 100, 7, 1.5]
    values += [day.isoformat() for day in (datetime.date(2024, 5, 1), datetime.date(1999, 12, 3))]
    together = source(text)
    for other in range(FEW_WORDS + 1):  # what is looked for beside them, so that they are not the first ones
        for value in (10**6 + other, f"other {other}", f"{1700 + other}-01-09", f"{90000000 + other}"):
            together.has(value)
    assert [together.has(value) for value in values] == [source(text).has(value) for value in values]


@given(
    st.sampled_from(
        [
            "+49 (0)30 1234567",
            "+49 30 1234567",
            "+1 (0) 30/123.45-67",
            "030 1234567",
            "AB 12 34-56 78",
            "a2024-0000-000012",
        ]
    ),
    st.sampled_from(["+49301234567", "+1301234567", "0301234567", "AB12345678", "20240000000012", "301234567"]),
)
def test_a_code_is_found_however_many_are_looked_for(written: str, code: str) -> None:
    text = f"call {written}, or 2024-0000-000012"
    together = WordPlaces(text)
    for other in range(FEW):
        together.of_code(Code(f"{90000000 + other}", "9"))
    wanted = code_of(code)
    assert wanted is not None
    assert together.of_code(wanted) == WordPlaces(text).of_code(wanted)


@given(st.text("ab12é -_", max_size=24), st.text("ab12é", min_size=1, max_size=6))
def test_a_code_with_letters_is_read_at_a_place_as_its_pattern_matches_it(text: str, letters: str) -> None:
    code = Code(letters, letters[0])
    for place in range(len(text) + 1):
        match = code.pattern().match(text, place)
        assert code.span_at(text, place) == (match and match.span())


@given(
    st.text("ab Éß.\n", min_size=1, max_size=20),
    st.integers(40, 200),
    st.sampled_from(["collapse", "keep", "trim", "ignore"]),
)
def test_a_place_in_a_long_text_is_where_its_words_stand(part: str, times: int, spaces: str) -> None:
    normal = normalizer(build(Normalization, {"case": "ignore", "whitespace": spaces}))
    text = part * times + " Needle of GOLD\n" + part * times
    place = Source(text, Looking(normal, 0.9, ())).place("needle of gold")
    assert place is None or normal(text[place.start : place.end]).strip() == normal("needle of gold")
    assert place is not None or part[-1:].isalnum() or part[:1].isalnum() or spaces == "ignore"


@given(
    CENTS,
    st.sampled_from(["EUR", "USD", "GBP", "JPY", "PLN"]),
    st.sampled_from(["EUR", "USD", "GBP", "JPY", "PLN"]),
    st.data(),
)
def test_an_amount_is_found_in_its_own_currency(amount: Decimal, one: str, other: str, data: st.DataObject) -> None:
    signs = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "PLN": "zł"}
    spelled = [f"{amount} {mark}" for mark in (other, signs[other])] + [
        f"{mark} {amount}" for mark in (other, signs[other])
    ]
    text = f"to pay: {data.draw(st.sampled_from(spelled))}."
    assert source(text).has(f"{amount} {one}") is (one == other)
    assert source(text).has(float(amount))


@given(st.lists(st.integers(0, 255), min_size=4, max_size=4))
def test_a_part_of_an_address_of_a_computer_is_no_number(parts: list[int]) -> None:
    text = "host " + ".".join(map(str, parts)) + " answers"
    assert source(text).has(text.split()[1])
    assert not any(source(text).has(part) for part in parts)


@given(st.integers(100, 999), st.integers(0, 999))
def test_a_part_of_a_telephone_number_is_no_number(area: int, line: int) -> None:
    for text in (f"call {area}-0{line:03}", f"+1 {area} 555 {line:04}", f"Tel. {area} {line:04}"):
        assert not any(source(text).has(part) for part in (area, line))


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:6])
def test_a_hostile_text_is_looked_through(text: str) -> None:
    for value in (1, -1, 234, 5000, 11.5, "2024-05-05", "a" * 500, "ab ab", "a-1"):
        source(text).has(value)


SAID: list[tuple[Any, str]] = [
    ("1234.56 USD", "Total: $1,234.56 USD"), ("5 EUR", "EUR 5,-"), ("5000000 USD", "USD 5 million"), (3500000, "£3.5m"),
    ("12000 JPY", "¥12,000"), ("500 INR", "Rs. 500"), ("50 AUD", "AU$50"), ("50 AUD", "$50"), ("1200 DKK", "kr 1.200,00"),
    ("12 PLN", "12,00 zł"), ("CHF 5000", "CHF 5'000.-"), ("(555) 123-4567", "call (555) 123-4567"), ("555-123-4567", "(555) 123-4567"),
    ("5551234567", "Phone: 555.123.4567"), (5, "No. 5"), (5, "the 5th"), (2, "2-3 days"), (3, "2-3 days"), (5, "3–5 days"),
    (-5, "temp -5°C"), (-5, "$-5"), (10, "10:30"), (24, "24/7"), (2024, "2024-05-31"), (42, "order #42, 3 pcs"), (1500, "1.500 Stück"),
    (0.125, "12,5 %"), (100, "100 - 200"), (3.14, "(3.14)"), (7, "room 7-B"), ("€100", "100 euro"), ("100 EUR", "EUR: 100"),
    ("100 EUR", "amount 100.00"), (2004, "since 1999-2004"), (500, "500-1000 USD"), ("x@y.com", "e-mail:x@y.com;"),
    ("Acme Ltd", "ACME LTD."), ("12.", "it is 12 now"), ("(5)", "see (5) here"), ("5-", "grade 5- here"), ("５", "a ５ b"),
    ("https://y.com", "see https://y.com."), ("1.2.3", "version 1.2.3"), (90210, "CA 90210-1234"), (10115, "Musterstr. 12, 10115 Berlin"),
    (150, "Call 2 150.00 300.00"), ("2024-05-31", "Tel. on 31.05.2024"), (300, "Fax: none. 300 pages"), (100, "2 x 100"),
]  # fmt: skip
NOT_SAID: list[tuple[Any, str]] = [
    ("100 USD", "EUR 100 (net)"), ("5 EUR", "5 US dollars"), ("5 EUR", "5 pounds"), ("5 eur", "5 usd"), ("5 EUR", "-5 EUR"),
    ("5 EUR", "15 EUR"),
    ("5 EUR", "5.50 EUR"), (5, "minus 5"), (20, "10.20.30.40"), ("agree", "disagree"), (555, "call 555-0100"), (1234, "(212) 555-1234"),
    (44, "+44 20 7946 0958"), (7946, "+44 20 7946 0958"), (199, "1-800-555-0199"), ("5", "–5 degrees"), ("5 degrees", "–5 degrees"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), SAID)
def test_a_value_that_is_said_is_found(value: Any, text: str) -> None:
    assert source(text).has(value)


@pytest.mark.parametrize(("value", "text"), NOT_SAID)
def test_a_value_that_only_looks_like_what_is_said_is_not_found(value: Any, text: str) -> None:
    assert not source(text).has(value)


def test_the_leaves_of_a_document_stand_in_its_order() -> None:
    document = {"a": [1, {"b": 2, "c": []}], "d": {}, "e": None}
    assert list(leaves(document)) == [(("a", 0), 1), (("a", 1, "b"), 2), (("e",), None)]
