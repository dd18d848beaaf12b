"""Text that is compared loosely: which differences to set aside, and a fast function that does it.

Strategy: a `Normalization` is compiled once into one function from text to text. The steps always come in the same
order: composition of letters, accents, case, transliteration, punctuation, spaces. ASCII text takes a shorter way.
Two texts are compared as they are first, and normalised only when they differ. Keys are never normalised.

No step takes longer per character for hostile text than for any other. A letter may be followed by any number of combining
marks, and the standard library sorts each such run by insertion: 40,000 marks take seconds. So long runs are put into their
canonical order first, which changes nothing about the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Any, Final, Literal, TypeAlias
from unicodedata import category, combining, normalize

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.limits import row_clock
from evaluators.model.rows import MISSING
from evaluators.model.settings import Settings
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.late_pattern import late_pattern

Normalize: TypeAlias = Callable[[str], str]
Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
SHORT: Final = 1_000
"""Up to so many characters, a text cannot take long; no limit for two texts is lower."""
_LAST: Final = 0x1FFFF
"""There are no combining marks beyond this character but in planes without any."""


class Normalization(Settings):
    """Which differences between two texts do not count. Without a setting, every difference counts."""

    unicode: Literal["none", "nfc", "nfkc"] = "none"
    """`nfc`: a letter and its accent count as one, however they are stored. `nfkc`: also full-width letters, ligatures
    and superscripts count as plain ones (10² becomes 102)."""
    case: Literal["keep", "lower", "ignore"] = "keep"
    """`ignore`: upper and lower case are the same, in every script (ß is ss). `lower`: only lower-cases (ß is not ss)."""
    accents: Literal["keep", "ignore", "transliterate"] = "keep"
    """`ignore`: é is e. `transliterate`: also ø is o, and other scripts are spelt in Latin letters. Not for text that
    holds numbers or codes (10² becomes 102)."""
    whitespace: Literal["keep", "trim", "collapse", "ignore"] = "keep"
    """`trim`: spaces and line breaks at both ends do not count. `collapse`: also any run of them counts as one space.
    `ignore`: none of them counts, also between letters and digits."""
    punctuation: Literal["keep", "ignore"] = "keep"
    """`ignore`: marks such as . , ; : ! ? ( ) - ' do not count; signs such as + = $ do. Text made only of marks
    stays."""


class AccentsAndCase(Normalization):
    """Which differences between two texts do not count. A switch that you leave out keeps the value shown here."""

    case: Literal["keep", "lower", "ignore"] = "ignore"
    accents: Literal["keep", "ignore", "transliterate"] = "ignore"


ACCENTS_AND_CASE: Final = AccentsAndCase.model_construct()
"""Accents and case do not count; everything else does."""


def normalizer(settings: Normalization) -> Normalize:
    """A function that normalizes a text: it sets aside what the switches of `settings` say. Other settings of a subclass do not matter.

    Where nothing is set aside, the function gives the text back.
    """
    return _normalizer(settings.unicode, settings.case, settings.accents, settings.whitespace, settings.punctuation)


@cache
def _normalizer(unicode: str, case: str, accents: str, whitespace: str, punctuation: str) -> Normalize:
    """The function that normalizes a text by these settings, as `Normalization` describes them. ASCII text takes only the steps that can
    change it.

    Folding the case can take a composed letter apart, so letters are composed again after it.
    """
    compose: Normalize | None = {"none": None, "nfc": _nfc, "nfkc": _nfkc}[unicode]
    fold: Normalize | None = {"keep": None, "lower": str.lower, "ignore": str.casefold}[case]
    letters = compose
    if accents != "keep":
        letters = _strip_compatible if unicode == "nfkc" else strip_accents
    to_latin = (transliterate, fold) if accents == "transliterate" else ()
    marks = without_punctuation if punctuation == "ignore" else None
    spaces: Normalize | None = {
        "keep": None, "trim": str.strip, "collapse": collapse_whitespace, "ignore": without_whitespace,
    }[whitespace]  # fmt: skip
    steps = [step for step in (letters, fold, compose if fold else None, *to_latin, marks, spaces) if step]
    full, short = _chain(steps), _chain([step for step in steps if step not in _BEYOND_ASCII])
    return lambda text: short(text) if text.isascii() else full(text)


def same_text_deep(normalize_text: Normalize) -> Callable[[Any, Any], bool]:
    """A function that compares two JSON values; texts, at any depth, are equal where their normal forms are.

    Keys are never normalised, list order counts, and every other value must be equal.
    """

    def compare(a: Any, b: Any) -> bool:
        """Whether two values are equal once their texts are normalized."""
        kind, other = a.__class__, b.__class__
        if kind is not other:
            return json_equal(a, b)
        if kind is str:
            return a == b or normalize_text(a) == normalize_text(b)
        if kind is not dict and kind is not list:
            return json_equal(a, b)
        return json_equal(a, b) or _same_containers(a, b, normalize_text)

    return compare


def _same_containers(a: Any, b: Any, normalize_text: Normalize) -> bool:
    """Whether two lists, or two objects, are equal once their texts are normalized."""
    containers = [(a, b)]
    for left, right in containers:
        if len(left) != len(right):
            return False
        by_key = left.__class__ is dict
        pairs = [(x, right.get(key, MISSING)) for key, x in left.items()] if by_key else zip(left, right, strict=True)
        for x, y in pairs:
            if x is y:
                continue
            kind = x.__class__
            if kind is not y.__class__:
                if not json_equal(x, y):
                    return False
            elif kind is dict or kind is list:
                containers.append((x, y))
            elif x != y and (kind is not str or normalize_text(x) != normalize_text(y)):
                return False
    return True


def strip_accents(text: str) -> str:
    """The text without combining marks: é is e, and so is e followed by a combining accent. ø and ł stay."""
    return text if text.isascii() else _BEYOND_ASCII_RUN.sub(_strip_run, text)


def _strip_run(run: re.Match[str]) -> str:
    """The letters of a run beyond ASCII, without accents. Those of short runs, which come again and again, are cached."""
    letters = run[0]
    return _strip_letters(letters) if len(letters) <= _FEW_LETTERS else _without_marks("NFD", "NFC", letters)


@lru_cache(maxsize=1 << 12)
def _strip_letters(letters: str) -> str:
    """A few letters without accents. Cached, as most texts have the same ones."""
    return _without_marks("NFD", "NFC", letters)


def without_punctuation(text: str) -> str:
    """The text without punctuation marks, in any script. Text made of marks alone stays."""
    if text.isascii():
        return text.translate(_ASCII_PUNCTUATION) or text
    return "".join([letter for letter in text if category(letter)[0] != "P"]) or text


def collapse_whitespace(text: str) -> str:
    """The text with every run of spaces and line breaks as one space, and none at the ends."""
    return " ".join(text.split())


def without_whitespace(text: str) -> str:
    """The text without spaces and line breaks."""
    return "".join(text.split())


def transliterate(text: str) -> str:
    """The text spelt in Latin letters where a spelling is known; other characters stay.

    Spaces that the spelling adds at the ends are trimmed. Text whose spelling would be empty stays.
    """
    if text.isascii():
        return text
    spelt = "".join(_spell(part) for part in _SURROGATES.split(text))
    if not text[0].isspace():
        spelt = spelt.lstrip()
    if not text[-1].isspace():
        spelt = spelt.rstrip()
    return spelt or text


def _spell(part: str) -> str:
    """A part of a text that is not ASCII, spelt in Latin letters; halves of surrogate pairs stay."""
    if _SURROGATES.match(part):
        return part
    from unidecode import unidecode_expect_nonascii

    return str(unidecode_expect_nonascii(part, errors="preserve"))


def _without_marks(apart: Literal["NFD", "NFKD"], together: Literal["NFC", "NFKC"], text: str) -> str:
    """A text without accents. `apart` and `together` are the forms of Unicode that part letters from marks and join them."""
    left = _LATIN_MARKS.sub("", normal_form(apart, text))
    if left.isascii():
        return left
    return normal_form(together, _BEYOND_LATIN.sub(_without_other_marks, left))


def _without_other_marks(run: re.Match[str]) -> str:
    """The characters of a run without the combining marks among them, in any script."""
    return "".join([letter for letter in run[0] if category(letter) != "Mn"])


_FEW_LETTERS: Final = 4
"""Letters beyond ASCII beside each other in most words of languages that are written in Latin letters; what they become is kept."""
_BEYOND_ASCII_RUN: Final = late_pattern("[^\x00-\x7f][^\x00-\x7f]*")  # what is combined with a letter of ASCII is a mark
_BEYOND_LATIN: Final = late_pattern("[^\x00-\u02ff]+")  # no character before is a mark
_BEYOND_LATIN_RUN: Final = late_pattern("[^\x00-\u02ff]{64}")  # only such a run may be one of 64 combining marks
_LATIN_MARKS: Final = late_pattern("[\u0300-\u036f]+")  # all of category Mn, and all that most text ever needs
_SURROGATES: Final = late_pattern("([\ud800-\udfff]+)")
_ASCII_PUNCTUATION: Final = str.maketrans(
    "", "", "".join(mark for mark in map(chr, range(0x80)) if category(mark)[0] == "P")
)


def _chain(steps: Sequence[Normalize]) -> Normalize:
    """One function that applies the steps in their order."""
    if not steps:
        return lambda text: text
    first, *others = steps
    if not others:
        return first
    rest = _chain(others)
    return lambda text: rest(first(text))


# Texts that may take long


def normal_form(form: Form, text: str) -> str:
    """The text in a normal form: what `unicodedata.normalize` gives."""
    may_be_slow = len(text) > SHORT and _BEYOND_LATIN_RUN.search(text) is not None
    return normalize(form, order_marks(form, text) if may_be_slow else text)


def order_marks(form: Form, text: str) -> str:
    """The text with each long run of combining marks in canonical order, which Python's own `normalize` takes very long for."""
    apart = _split_marks(form)
    return _long_runs(form)(
        lambda run: "".join(sorted("".join([apart.get(mark, mark) for mark in run[0]]), key=combining)), text
    )


@cache
def _split_marks(form: Form) -> dict[str, str]:
    """For each mark that stands for several marks, those marks: with `NFC` by meaning, with `NFKC` also by look."""
    by: Form = "NFKD" if "K" in form else "NFD"
    parts = {}
    for code in range(0x300, _LAST):
        if not 0xD800 <= code < 0xE000:
            mark = chr(code)
            spelt = normalize(by, mark)
            if spelt != mark and all(map(combining, spelt)):
                parts[mark] = spelt
    return parts


@cache
def _long_runs(form: Form) -> Callable[[Callable[[re.Match[str]], str], str], str]:
    """A function `sub(replace, text)` that replaces each run of 64 combining marks and more, which take Python long to put in order."""
    marks = [chr(code) for code in range(0x300, _LAST) if combining(chr(code))]
    return re.compile(f"[{''.join([*marks, *_split_marks(form)])}]{{64,}}").sub


_nfc: Final = partial(normal_form, "NFC")
_nfkc: Final = partial(normal_form, "NFKC")
_strip_compatible: Final = partial(_without_marks, "NFKD", "NFKC")
_BEYOND_ASCII: Final[tuple[Normalize, ...]] = (_nfc, _nfkc, strip_accents, _strip_compatible, transliterate)
"""What leaves ASCII text as it is."""


def refuse_long(text: str, other: str) -> None:
    """Raises RowProblem where two texts are too long to count the letters that differ, or the time of the row has run out.

    Counting takes as many steps as the two lengths multiplied, and cannot be stopped: two texts of 100,000 characters each take
    some tenths of a second. Beyond the limit nothing is counted, and shortened texts are never compared.
    """
    if len(text) * len(other) <= SHORT * SHORT:
        return
    clock = row_clock()
    if len(text) * len(other) > clock.limits.text_length**2:  # a longer one may be compared with a shorter one
        message = f"texts of {len(text):,} and {len(other):,} characters are too long to count the letters that differ"
        longest = f"two texts of {clock.limits.text_length:,} characters are the longest"
        hint = f"{longest}: compare long texts with normalized or exact, or write limits: {{text_length: NUMBER}}"
        raise RowProblem(Issue("text-too-long", Blame.ENVIRONMENT, message, hint=hint))
    clock.still_time()
