"""How the values of one field are best compared, with the evidence in words.

Strategy: the most particular reading that holds for every value is taken, or for nine in ten of them: the others have no score
until somebody has looked at them, and are named. Digits that are rather a name, such as a version, are compared to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from shlex import quote as in_shell
from statistics import median
from typing import Any, Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.model.issues import Problems, problem
from evaluators.scoring.values.amounts import currency_in
from evaluators.scoring.values.dates import PROPOSED_FORMATS, formats_of, read_date, rival_format
from evaluators.scoring.values.numbers import USUAL_PARSES, are_names_of_digits, numbers_of, parses_of, two_parses_of
from evaluators.scoring.values.quoting import first_texts, flow_text, quote


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
    seen: str = ""
    """What is said where nobody is asked, and no answer is likely."""
    options: tuple[tuple[str, ...], ...] = ()
    """What `--columns` says for each of the likely answers to such a question, which come first: `expected=gold`, and what goes with it."""


NONE_OF_THEM: Final = "(none of them)"
"""The last answer on a terminal to a question for a column: no column plays the role."""

Ask: TypeAlias = Callable[[InitQuestion], str]
"""Gives one of the answers."""


class DefaultAnswers(Struct):
    """Answers every question: by asking the user, where there is one; otherwise with its likeliest answer, and a note on what was
    taken and what else it could be.

    Raises Problems for a question that nobody may guess, with the command that answers it.
    """

    said: list[str] = field(default_factory=list)
    asks: Ask | None = None
    """Somebody who answers."""
    command: str = "evaluators init DATA"
    """The command as it was given."""
    place: str = ""
    """The data, as messages name it."""

    def __call__(self, question: InitQuestion) -> str:
        """The answer to a question. Where nobody is asked, a note is added to `said`, and Problems is raised for a question of a role."""
        if self.asks is not None:
            return self.asks(question)
        if question.role:
            raise _undecided_question(question, self.command, self.place)
        answer = question.answers[0]
        others = ", ".join(f'"{other}"' for other in question.answers[1:])
        how = f" ({question.otherwise} for that)" if question.otherwise else ""
        self.said.append(f'{question.text} "{answer}" was taken; it could be {others}{how}')
        return answer


def _undecided_question(question: InitQuestion, command: str, place: str) -> Problems:
    """The problem of a question that must not be guessed, with sample cells of the column and the commands that settle
    it."""
    if not question.options:
        file = (
            "--outputs-from FILE for a file of outputs"
            if question.role == "output"
            else "--expected FILE for a file of answers"
        )
        hint = f"say which one: {command} --columns {question.role}=NAME, or {file}"
        return problem(f"no-{question.role}-column", question.seen, where=place, hint=hint)
    likely = question.answers[: len(question.options)]
    names, several = " and ".join(f'"{name}"' for name in likely), len(likely) > 1
    cells = "; ".join(f'"{name}" has {shown}' for name, shown in zip(likely, question.hints, strict=False))
    each, which = ("could each", "which of them is") if several else ("could", "that it is")
    message = f"{names} {each} be the {_NOUNS[question.role]}, and nothing says {which}: {cells}"
    lines = [
        " ".join([command, *(f"--columns {in_shell(option)}" for option in options)]) for options in question.options
    ]
    if question.role == "output" and not several:
        lines.append("--outputs-from FILE for a file of outputs")
    return problem("undecided-column", message, hint=", or ".join(lines[:_MOST_LINES]))


_NOUNS: Final = {"output": "model's output", "expected": "expected answer"}
_MOST_LINES: Final = 4


_FEW: Final = 12
_SHOWN: Final = 6
_EACH: Final = 3
_LONG_WORDS: Final = 8
_LONG_LETTERS: Final = 80
_URL: Final = re.compile(r"(?:https?://|www\.)\S+\.\S+", re.IGNORECASE)
_LABEL: Final = re.compile(r"\S{0,40}")
_VERSION: Final = re.compile(r"(?:^|[\W_])(?:ver|version|versions|release|revision|build)$", re.IGNORECASE)
_NAME_OF_DIGITS: Final = re.compile(
    r"(?:^|[\W_])(?:phone|telephone|tel|mobile|fax|isbn|issn|ean|gtin|zip|zipcode|postcode|postal_code|plz|account|iban|vat|sku|serial)"
    r"(?:_?(?:no|nr|number|id|code))?$",
    re.IGNORECASE,
)
_MOST_ODD: Final = 0.1
"""Of the values, how many may be other than the rest without taking the type from them."""
_CODE: Final = re.compile(r"(?=.*[0-9])\S+")


class Proposal(Struct, frozen=True):
    """A comparator as it is written, and why."""

    compare: Any
    """A word, or a one-key map."""
    why: str
    several: bool = False
    """The values are of several kinds, or some are other than the rest: a person should look at them."""
    name: bool = False
    """Digits that name something: nothing about them may be forgiven."""


def propose(values: Sequence[Any], path: str, ask: Ask) -> Proposal:
    """The comparator to propose for the field at a path, with the reason. `values` are single values; nulls are left out. `ask` is
    asked where their notation is not clear."""
    if not values:
        return Proposal("exact", "null wherever it stands")
    if all(isinstance(value, bool) for value in values):
        return Proposal("exact", f"{_all_are(values)} true or false")
    if all(_is_number(value) for value in values):
        return _number_proposal(values)
    if all(isinstance(value, str) for value in values):
        return _text_proposal(list(values), path, ask)
    numbers, odd = [v for v in values if _is_number(v)], [v for v in values if not _is_number(v)]
    if len(odd) <= _MOST_ODD * len(values):
        return _with_exceptions(_number_proposal(numbers), len(numbers), odd)
    kinds = {"true or false" if isinstance(v, bool) else "number" if _is_number(v) else "text" for v in values}
    return Proposal("exact", f"several kinds of values: {', '.join(sorted(kinds))}", several=True)


def _number_proposal(values: Sequence[Any]) -> Proposal:
    """Proposes `numeric` for values that are all numbers. The reason tells whole numbers from decimals, and how many digits they have."""
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
    """Whether a value is a number, and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text_proposal(texts: list[str], path: str, ask: Ask) -> Proposal:
    """The proposal for values that are all texts: the first of the kinds below that fits them, and words where no other does."""
    distinct = list(dict.fromkeys(texts))
    return (
        _date_proposal(texts, distinct, path, ask)
        or _name_proposal(texts, distinct, path)
        or _written_number_proposal(texts, distinct, path, ask)
        or _address_proposal(texts)
        or _majority_proposal(texts, path, ask)
        or _word_proposal(texts, distinct)
    )


def _name_proposal(texts: list[str], distinct: list[str], path: str) -> Proposal | None:
    """The proposal for digits that name something, by the field's name or by how they are written; None for other
    texts."""
    if not all(map(_DIGITS_AND_MARKS.fullmatch, distinct)):
        return None
    example = quote(distinct[0], 30)
    if _VERSION.search(path):
        return Proposal("exact", f"versions, such as {example}: 1.10 is not 1.1, so every character counts", name=True)
    if _NAME_OF_DIGITS.search(path) or are_names_of_digits(distinct):
        return Proposal("exact", f"codes or numbers in text, such as {example}: every character counts", name=True)
    return None


_DIGITS_AND_MARKS: Final = re.compile(r"(?=.*[0-9])[0-9 .,'+()-]*[eE]?[0-9 .,'+()-]+")


def _majority_proposal(texts: list[str], path: str, ask: Ask) -> Proposal | None:
    """The proposal for texts of which nearly all are dates, or nearly all are numbers, whose reason names those that are not; None for any
    others."""
    distinct = list(dict.fromkeys(texts))
    days = {text for text in distinct if any(read_date(text, spelled) is not None for spelled in PROPOSED_FORMATS)}
    read = [
        {
            text
            for text, number in zip(distinct, numbers_of(distinct, parse), strict=True)
            if number is not None and _DIGIT.search(text)
        }
        for parse in USUAL_PARSES
    ]
    for readable, propose_for_most in ((days, _date_proposal), (max(read, key=len), _written_number_proposal)):
        most = [text for text in texts if text in readable]
        odd = [text for text in texts if text not in readable]
        if not most or len(odd) > _MOST_ODD * len(texts):
            continue
        kept = list(dict.fromkeys(most))
        if propose_for_most is _written_number_proposal and are_names_of_digits(kept):
            continue
        rule = propose_for_most(most, kept, path, ask)
        if rule is not None:
            return _with_exceptions(rule, len(most), odd)
    return None


_DIGIT: Final = re.compile(r"[0-9]")


def _with_exceptions(proposal: Proposal, count: int, odd: Sequence[Any]) -> Proposal:
    """The proposal for `count` of the values, whose reason also names the `odd` ones, which it cannot read."""
    shown = first_texts([quote(text, 30) for text in dict.fromkeys(map(str, odd))], _ODD_SHOWN)
    has = "has" if len(odd) == 1 else "have"
    but = f"{len(odd):,} of {count + len(odd):,} cannot be read so and {has} no score: {shown}"
    return replace(proposal, why=f"{proposal.why}; {but}", several=True)


_ODD_SHOWN: Final = 3


def _date_proposal(texts: list[str], distinct: list[str], path: str, ask: Ask) -> Proposal | None:
    """Proposes `date` where all texts are dates in a few formats, None where they are not. Asks where another format would fit them,
    too."""
    formats = formats_of(distinct, PROPOSED_FORMATS)
    if not formats:
        return None
    if other := rival_format(distinct, formats, PROPOSED_FORMATS):
        (first,) = formats
        text = f"{path} holds dates such as {quote(distinct[0])}. How are they written?"
        formats = (ask(InitQuestion(text, (first, other), otherwise="change `formats` in the suite")),)
        note = f"; {other if formats == (first,) else first} would fit them too"
    else:
        note = ""
    spelled = " or ".join("ISO 8601 (2024-05-31)" if format == "iso" else format for format in formats)
    compare = "date" if formats == ("iso",) else {"date": {"formats": list(formats)}}
    return Proposal(compare, f"{_all_parse(texts)} as dates written as {spelled}{note}")


def _written_number_proposal(texts: list[str], distinct: list[str], path: str, ask: Ask) -> Proposal | None:
    """Proposes `numeric` with `parse` where all texts are numbers in one notation, None where no notation fits. Asks where two notations
    read them as different numbers. Amounts in several currencies are proposed as `exact`."""
    formats = parses_of(distinct)
    two_notations = None if formats else two_parses_of(distinct)
    if not formats and two_notations is None:
        return None
    marks = dict(currency for text in distinct if (currency := currency_in(text)) is not None)
    if marks and not frozenset.intersection(*marks.values()):
        shown = ", ".join(list(marks)[:_SHOWN])
        return Proposal(
            "exact", f"amounts in several currencies ({shown}): as a number alone, one would pass for another"
        )
    if two_notations is not None:
        return _two_notation_proposal(texts, distinct, two_notations)
    formats = _likelier_first(formats, distinct)
    chosen, first = formats[0], numbers_of(distinct, formats[0])
    other = next((parse for parse in formats[1:] if numbers_of(distinct, parse) != first), None)
    if other is not None:
        example = next(text for text, a, b in zip(distinct, first, numbers_of(distinct, other), strict=True) if a != b)
        answers = (f"parse: {flow_text(chosen or True)}", f"parse: {flow_text(other)}")
        readings_text = tuple(f"{quote(example)} is {numbers_of([example], parse)[0]}" for parse in (chosen, other))
        text = f"{path} holds numbers in text. How are they written?"
        if ask(InitQuestion(text, answers, readings_text, "change `parse` in the suite")) == answers[1]:
            chosen = other
    return Proposal(
        {"numeric": {"parse": chosen or True}},
        f"{_all_parse(texts)} as numbers written in text, such as {quote(distinct[0], 30)}",
    )


def _likelier_first(notations: list[dict[str, Any]], distinct: Sequence[str]) -> list[dict[str, Any]]:
    """Ways to read the texts, with a comma between thousands before a decimal comma where each comma may be one: 1,200 is rather 1200."""
    if notations[0].get("decimal") != "," or not all(map(_COMMA_OF_THOUSANDS.fullmatch, distinct)):
        return notations
    return sorted(notations, key=lambda notation: notation.get("thousands") != ",")


_COMMA_OF_THOUSANDS: Final = re.compile(r"[^0-9]*(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)[^0-9]*")


def _two_notation_proposal(
    texts: Sequence[str], distinct: Sequence[str], notations: tuple[dict[str, Any], dict[str, Any]]
) -> Proposal:
    """The proposal for numbers in text, some in one notation and some in another. Its reason names those that the two
    `notations` read as different numbers."""
    first, second = (numbers_of(distinct, item) for item in notations)
    pairs = list(zip(distinct, first, second, strict=True))
    # for each notation a text that the other one cannot read
    examples = [next(text for text, *read in pairs if read[place] is None) for place in (1, 0)]
    doubtful = [text for text, a, b in pairs if a is not None and b is not None and a != b]
    why = f"{_all_parse(texts)} as numbers in two notations, such as {' and '.join(quote(item, 30) for item in examples)}"
    if doubtful:
        shown = first_texts([quote(item, 30) for item in doubtful], _ODD_SHOWN)
        why += f"; in both, taken as in the first: {shown}"
    listed = [item or True for item in notations]
    return Proposal({"numeric": {"parse": listed}}, why, several=bool(doubtful))


def _address_proposal(texts: list[str]) -> Proposal | None:
    """The proposal `url` for texts that are all web addresses; None for others."""
    if all(_URL.fullmatch(text) for text in texts):
        return Proposal("url", f"{_all_are(texts)} web addresses")
    return None


def _word_proposal(texts: list[str], distinct: list[str]) -> Proposal:
    """The proposal for texts of no other kind: `exact` for a few labels and for codes, `fuzzy` for long text, otherwise `normalized`."""
    nearly = _nearly_dates_note(texts)
    if len(distinct) <= min(_FEW, len(texts) // _EACH) and all(_LABEL.fullmatch(text) for text in distinct):
        shown = ", ".join(quote(text, 40) for text in distinct[:_SHOWN])
        ellipsis = ", …" if len(distinct) > _SHOWN else ""
        count = "always the same value" if len(distinct) == 1 else f"{len(distinct)} distinct values"
        return Proposal("exact", f"{count}: {shown}{ellipsis}")
    if all(_CODE.fullmatch(text) for text in texts):
        return Proposal("exact", f"codes or numbers in text, such as {quote(distinct[0], 30)}: every character counts")
    words = median(len(text.split()) for text in texts)
    if words >= _LONG_WORDS or median(map(len, texts)) >= _LONG_LETTERS:
        why = f"long free text, about {words:.0f} words: four fifths of the letters must be right"
        return Proposal({"fuzzy": {"at_least": 0.8, "case": "ignore", "whitespace": "collapse"}}, why)
    return Proposal("normalized", f"short text: case, accents and spacing do not count{nearly}")


def _nearly_dates_note(texts: list[str]) -> str:
    """A remark that nearly all of the texts are dates, with one that is none; an empty text where they are not."""
    counts = {spelled: sum(read_date(text, spelled) is not None for text in texts) for spelled in PROPOSED_FORMATS}
    best = max(PROPOSED_FORMATS, key=lambda spelled: counts[spelled])
    if 5 * counts[best] < 4 * len(texts):
        return ""
    odd = next(text for text in texts if read_date(text, best) is None)
    return f"; {counts[best]:,} of {len(texts):,} are dates, but not {quote(odd, 30)}"


def _all_are(values: Sequence[Any]) -> str:
    """`all 12 are`, or `it is` for one value."""
    return f"all {len(values):,} are" if len(values) > 1 else "it is"


def _all_parse(values: Sequence[Any]) -> str:
    """`all 12 values parse`, or the same of one value."""
    return f"all {len(values):,} values parse" if len(values) > 1 else "the only value parses"
