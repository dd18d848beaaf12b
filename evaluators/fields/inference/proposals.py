"""How the values of one field are best compared, with the evidence in words.

Strategy: the most particular reading that holds for every value is taken. A comparator that cannot read an expected value
would leave its row without a score, so a reading that fails for one value is never proposed; it is said instead how many it
would have held for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from shlex import quote as in_shell
from statistics import median
from typing import Any, Final, TypeAlias

from msgspec import Struct, field

from evaluators.issues import problem
from evaluators.values.dates import USUAL_FORMATS as USUAL
from evaluators.values.dates import also_read_by, formats_of, read_date
from evaluators.values.numbers import are_codes, currency_of, parses_of, readings
from evaluators.values.quoting import flow, quote


class InitQuestion(Struct, frozen=True):
    """A question, its answers with a word on each, and how to say the answer without being asked."""

    text: str
    answers: tuple[str, ...]
    """The likeliest first."""
    hints: tuple[str, ...] = ()
    """A few words about each answer, in the same order; none where the answers speak for themselves."""
    otherwise: str = ""
    """How to choose another answer: an option, or a line to change."""
    role: str = ""
    """The role of the column that is asked for, where nobody may guess it."""


Ask: TypeAlias = Callable[[InitQuestion], str]
"""Gives one of the answers."""


class DefaultAnswers(Struct):
    """Answers every question: somebody is asked, where there is somebody. Otherwise with its likeliest answer, and notes what was taken
    and what else it could be.

    Raises Problems for a question that nobody may guess, with the command that answers it.
    """

    said: list[str] = field(default_factory=list)
    asks: Ask | None = None
    """Somebody who answers."""
    command: str = "evaluators init DATA"
    """The command as it was given."""

    def __call__(self, question: InitQuestion) -> str:
        if self.asks is not None:
            return self.asks(question)
        answer = question.answers[0]
        if question.role:
            names = " and ".join(f'"{name}"' for name in question.answers)
            message = f"{names} could each be the {_NOUNS[question.role]}, and nothing says which of them is"
            lines = [f"{self.command} --columns {in_shell(f'{question.role}={name}')}" for name in question.answers[:2]]
            raise problem("undecided-column", message, hint=", or ".join(lines))
        others = ", ".join(f'"{other}"' for other in question.answers[1:])
        how = f" ({question.otherwise} for that)" if question.otherwise else ""
        self.said.append(f'{question.text} "{answer}" was taken; it could be {others}{how}')
        return answer


_NOUNS: Final = {"output": "model's output", "expected": "expected answer"}


_FEW: Final = 12
_SHOWN: Final = 6
_EACH: Final = 3
_LONG_WORDS: Final = 8
_LONG_LETTERS: Final = 80
_URL: Final = re.compile(r"(?:https?://|www\.)\S+\.\S+", re.IGNORECASE)
_LABEL: Final = re.compile(r"\S{0,40}")
_VERSION: Final = re.compile(r"(?:^|[\W_])(?:version|versions|release|revision|build)$", re.IGNORECASE)
_CODE: Final = re.compile(r"(?=.*[0-9])\S+")


class Proposal(Struct, frozen=True):
    """A comparator as it is written, and why."""

    compare: Any
    """A word, or a one-key map."""
    why: str
    several: bool = False
    """The values are of several kinds."""


def propose(values: Sequence[Any], path: str, ask: Ask) -> Proposal:
    """How to compare the values of the field at that path. `values` are single values; nulls are left out."""
    if not values:
        return Proposal("exact", "null wherever it stands")
    if all(isinstance(value, bool) for value in values):
        return Proposal("exact", f"{_all(values)} true or false")
    if all(_is_number(value) for value in values):
        return _of_numbers(values)
    if all(isinstance(value, str) for value in values):
        return _of_texts(list(values), path, ask)
    kinds = {"true or false" if isinstance(v, bool) else "number" if _is_number(v) else "text" for v in values}
    return Proposal("exact", f"several kinds of values: {', '.join(sorted(kinds))}", several=True)


def _of_numbers(values: Sequence[Any]) -> Proposal:
    text = f"{len(values):,} of {len(values):,} are"
    places = max(map(_decimals, values))
    if not places:
        return Proposal("numeric", f"{text} whole numbers")
    count = "one decimal" if places == 1 else f"{_NUMERALS.get(places, places)} decimals"
    return Proposal("numeric", f"{text} numbers with up to {count}: every digit counts")


_NUMERALS: Final = {2: "two", 3: "three", 4: "four"}


def _decimals(number: Any) -> int:
    """How many decimal places a number has as it is written."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _of_texts(texts: list[str], path: str, ask: Ask) -> Proposal:
    distinct = list(dict.fromkeys(texts))
    return (
        _of_dates(texts, distinct, path, ask)
        or _of_written_numbers(texts, distinct, path, ask)
        or _of_addresses(texts)
        or _of_words(texts, distinct)
    )


def _of_dates(texts: list[str], distinct: list[str], path: str, ask: Ask) -> Proposal | None:
    formats = formats_of(distinct)
    if not formats:
        return None
    if other := also_read_by(distinct, formats):
        (first,) = formats
        text = f"{path} holds dates such as {quote(distinct[0])}. How are they written?"
        formats = (ask(InitQuestion(text, (first, other), otherwise="change `formats` in the suite")),)
        note = f"; {other if formats == (first,) else first} would fit them too"
    else:
        note = ""
    spelled = " or ".join("ISO 8601 (2024-05-31)" if one == "iso" else one for one in formats)
    compare = "date" if formats == ("iso",) else {"date": {"formats": list(formats)}}
    return Proposal(compare, f"{_all_parse(texts)} as dates written as {spelled}{note}")


def _of_written_numbers(texts: list[str], distinct: list[str], path: str, ask: Ask) -> Proposal | None:
    if are_codes(distinct):
        return None
    found = parses_of(distinct)
    if not found:
        return None
    if _VERSION.search(path):
        return Proposal(
            "exact", f"versions, such as {quote(distinct[0], 30)}: 1.10 is not 1.1, so every character counts"
        )
    marks = list(dict.fromkeys(mark for text in distinct if (mark := currency_of(text))))
    if len(marks) > 1:
        shown = ", ".join(marks[:_SHOWN])
        return Proposal(
            "exact", f"amounts in several currencies ({shown}): as a number alone, one would pass for another"
        )
    chosen, first = found[0], readings(distinct, found[0])
    other = next((one for one in found[1:] if readings(distinct, one) != first), None)
    if other is not None:
        example = next(text for text, a, b in zip(distinct, first, readings(distinct, other), strict=True) if a != b)
        answers = (f"parse: {flow(chosen or True)}", f"parse: {flow(other)}")
        said = tuple(f"{quote(example)} is {readings([example], one)[0]}" for one in (chosen, other))
        text = f"{path} holds numbers in text. How are they written?"
        if ask(InitQuestion(text, answers, said, "change `parse` in the suite")) == answers[1]:
            chosen = other
    return Proposal(
        {"numeric": {"parse": chosen or True}},
        f"{_all_parse(texts)} as numbers written in text, such as {quote(distinct[0], 30)}",
    )


def _of_addresses(texts: list[str]) -> Proposal | None:
    if all(_URL.fullmatch(text) for text in texts):
        return Proposal("url", f"{_all(texts)} web addresses")
    return None


def _of_words(texts: list[str], distinct: list[str]) -> Proposal:
    nearly = _nearly_dates(texts)
    if len(distinct) <= min(_FEW, len(texts) // _EACH) and all(_LABEL.fullmatch(text) for text in distinct):
        shown = ", ".join(quote(text, 40) for text in distinct[:_SHOWN])
        more = ", …" if len(distinct) > _SHOWN else ""
        count = "always the same value" if len(distinct) == 1 else f"{len(distinct)} distinct values"
        return Proposal("exact", f"{count}: {shown}{more}")
    if all(_CODE.fullmatch(text) for text in texts):
        return Proposal("exact", f"codes or numbers in text, such as {quote(distinct[0], 30)}: every character counts")
    words = median(len(text.split()) for text in texts)
    if words >= _LONG_WORDS or median(map(len, texts)) >= _LONG_LETTERS:
        why = f"long free text, about {words:.0f} words: four fifths of the letters must be right"
        return Proposal({"fuzzy": {"at_least": 0.8, "case": "ignore", "whitespace": "collapse"}}, why)
    return Proposal("normalized", f"short text: case, accents and spacing do not count{nearly}")


def _nearly_dates(texts: list[str]) -> str:
    """What keeps the texts from being dates, where nearly all of them are."""
    counts = {spelled: sum(read_date(text, spelled) is not None for text in texts) for spelled in USUAL}
    best = max(USUAL, key=lambda spelled: counts[spelled])
    if 5 * counts[best] < 4 * len(texts):
        return ""
    odd = next(text for text in texts if read_date(text, best) is None)
    return f"; {counts[best]:,} of {len(texts):,} are dates, but not {quote(odd, 30)}"


def _all(values: Sequence[Any]) -> str:
    return f"all {len(values):,} are" if len(values) > 1 else "it is"


def _all_parse(values: Sequence[Any]) -> str:
    return f"all {len(values):,} values parse" if len(values) > 1 else "the only value parses"
