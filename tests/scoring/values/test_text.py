"""Loose text: what each switch sets aside, and what it never does."""

from __future__ import annotations

import itertools
import subprocess
import sys
import unicodedata
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evaluators.scoring.values.text import (
    ACCENTS_AND_CASE,
    Normalization,
    normalizer,
    same_text_deep,
    strip_accents,
    transliterate,
)

CHOICES = {name: field.annotation.__args__ for name, field in Normalization.model_fields.items() if field.annotation}
EVERY_SETTING = [
    Normalization.model_validate(dict(zip(CHOICES, chosen, strict=True)))
    for chosen in itertools.product(*CHOICES.values())
]
TEXTS = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("aAéÉe\u0301ßẞŉİıſςΣσΐᾳ\u0345øŁ2²½①ﬁがか北京Ёё\u200b\u00a0 .,!?'-$+\ud800\udfff"),
    ),
    max_size=6,
)


@pytest.mark.parametrize(
    ("choice", "text", "becomes"),
    [
        ({}, " É ", " É "),
        ({"unicode": "nfc"}, "e\u0301", "é"),
        ({"unicode": "nfc"}, "10²", "10²"),
        ({"unicode": "nfkc"}, "10² ﬁ Ａ", "102 fi A"),
        ({"case": "lower"}, "STRAßE", "straße"),
        ({"case": "ignore"}, "STRAßE", "strasse"),
        ({"case": "ignore"}, "ΟΔΟΣ", "οδοσ"),
        ({"accents": "ignore"}, "Málaga Ñ e\u0301", "Malaga N e"),
        ({"accents": "ignore"}, "Łódź ø", "Łodz ø"),
        ({"accents": "ignore"}, "한국 が", "한국 か"),
        ({"accents": "transliterate"}, "Łódź ø", "Lodz o"),
        ({"accents": "transliterate"}, "北京", "Bei Jing"),
        ({"accents": "transliterate"}, " 北京 ", " Bei Jing  "),
        ({"accents": "transliterate", "case": "ignore"}, "Москва", "moskva"),
        ({"accents": "transliterate", "whitespace": "collapse"}, " 北京  大学 ", "Bei Jing Da Xue"),
        ({"whitespace": "trim"}, " a  b\n", "a  b"),
        ({"whitespace": "collapse"}, " a\u00a0 \t b\n", "a b"),
        ({"punctuation": "ignore"}, "Hello, «world»! $5 + 1", "Hello world $5 + 1"),
        ({"punctuation": "ignore"}, "well-known", "wellknown"),
        ({"punctuation": "ignore"}, "?!", "?!"),
        ({"punctuation": "ignore"}, "…", "…"),
        ({"punctuation": "ignore", "whitespace": "collapse"}, "a - b", "a b"),
    ],
)
def test_each_switch(choice: dict[str, str], text: str, becomes: str) -> None:
    assert normalizer(Normalization.model_validate(choice))(text) == becomes


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ({"a": 1, "b": "É", "c": "x"}, {"a": 1, "b": "é", "c": "y"}, False),
        ({"a": None, "b": "É"}, {"a": None, "b": "é"}, True),
        ({"a": "x", "b": "y"}, {"a": "x", "c": "y"}, False),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": 1, "b": "É"}, {"a": 1.0, "b": "é"}, True),
        ({"a": True, "b": "É"}, {"a": 1, "b": "é"}, False),
        ({"a": {"b": ["É", {"c": "x"}]}}, {"a": {"b": ["é", {"c": "X"}]}}, True),
        ({"a": {"b": ["É", {"c": "x"}]}}, {"a": {"b": ["é", {"c": "z"}]}}, False),
        ([None, "É", "x"], [None, "é", "y"], False),
        ([1, "É"], [1.0, "é"], True),
        ([1, "É"], [2.0, "é"], False),
        ([1, "É"], ["1", "é"], False),
        ([1, "É"], [2, "é"], False),
        ([["É"], 1], [["é"], 1], True),
        ([["É"], 1], [["é", "é"], 1], False),
        (["É"], {"É": "É"}, False),
        ("É", "é", True),
    ],
)
def test_texts_inside_documents_are_compared_normalised(a: object, b: object, alike: bool) -> None:
    same = same_text_deep(normalizer(Normalization(case="ignore")))
    assert same(a, b) is same(b, a) is alike


@given(TEXTS, st.sampled_from(EVERY_SETTING))
def test_normalising_twice_changes_nothing(text: str, choice: Normalization) -> None:
    once = normalizer(choice)(text)
    assert normalizer(choice)(once) == once


@given(TEXTS, TEXTS)
def test_accents_and_case_means_marks_off_then_case_folded(a: str, b: str) -> None:
    def plain(text: str) -> str:
        apart = unicodedata.normalize("NFD", text)
        return "".join(letter for letter in apart if unicodedata.category(letter) != "Mn").casefold()

    normalize = normalizer(ACCENTS_AND_CASE)
    assert (normalize(a) == normalize(b)) is (plain(a) == plain(b))


@given(TEXTS, TEXTS)
def test_transliteration_never_parts_what_ignoring_accents_joins(a: str, b: str) -> None:
    strip = normalizer(ACCENTS_AND_CASE)
    spell = normalizer(Normalization(accents="transliterate", case="ignore"))
    assert spell(strip(a)) == spell(a)
    if strip(a) == strip(b):
        assert spell(a) == spell(b)


@given(TEXTS)
def test_nothing_set_aside_changes_nothing(text: str) -> None:
    assert normalizer(Normalization())(text) == text


@pytest.mark.parametrize("text", ["\u0640", "\u0627\u0640", "\U0001f600", "\ue000"])
def test_text_without_a_spelling_stays(text: str) -> None:
    assert transliterate(text).strip()


def test_lone_surrogates_are_kept_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert transliterate("Ł\ud800ø") == "L\ud800o"
        assert strip_accents("é\udfff") == "e\udfff"


def test_a_setting_outside_the_vocabulary_is_refused() -> None:
    with pytest.raises(ValidationError):
        Normalization.model_validate({"case": "fold"})
    with pytest.raises(ValidationError):
        Normalization.model_validate({"kase": "keep"})


def test_unidecode_is_imported_only_to_transliterate() -> None:
    program = (
        "import sys; from evaluators.scoring.values import text as t; t.normalizer(t.ACCENTS_AND_CASE)('Málaga');"
        "assert 'unidecode' not in sys.modules; t.transliterate('ø'); assert 'unidecode' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
