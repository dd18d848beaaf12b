"""The most frequent mistakes of a run: what went wrong alike, how often, in which rows, and one example.

Strategy: what was recorded is read once, from its beginning. A wrong value goes with those of its field that are wrong in the
same way: missing, extra, text where a number is expected, the same text in another case, the same two shapes (`12/07/2026` for
`2026-07-12`). A row whose output cannot be read is one mistake, not one for each of its fields.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, islice
from typing import Any, Final, TypeAlias

from msgspec import Struct

from evaluators.model import MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.run.reader import Run
from evaluators.run.record_lines import OutcomeLine, RowOutcome
from evaluators.run.recorder import SMALL_RUN
from evaluators.values.json_text import to_text
from evaluators.values.path_text import ANY, Step
from evaluators.values.paths import BadPath, Path, parse

SMALL_LINES, MOST_LINES = 10_000, 2_000
"""Recorded results of a variant that are looked at, of a small run and of any other: a summary is not to take long."""
_SHOWN_ROWS: Final = 3
_ONE_OFF: Final = re.compile(r'"[^"]*"|\d+(?:[.,]\d+)*')
"""What two reasons of one kind may differ in: quoted text, and numbers."""
_UNREADABLE: Final = ("the output is not usable JSON", "the output is Python, not JSON")
_Kind: TypeAlias = tuple[str, ...]
_UNPAIRED: Final = re.compile(r"\[\+(\d+)\]")
"""The step to an item that only the output has."""


class Mistake(Struct, frozen=True):
    """Values or rows that are wrong in one way."""

    evaluator: str
    field: str
    """Empty where it is about the output as a whole."""
    variant: str | None
    said: str
    """What is wrong, with the example that is met most."""
    count: int
    rows: tuple[int, ...]
    """The first of them."""
    in_rows: int


class _Sentence(Struct, frozen=True):
    """A sentence and the values to fill in, which are written down for the few that are shown."""

    sentence: str
    values: tuple[Any, ...] = ()

    def key(self) -> tuple[Hashable, ...]:
        """A key that sentences share when they read alike."""
        return (self.sentence, *map(_key, self.values))

    def __str__(self) -> str:
        return self.sentence.format(*map(_text, self.values)) if self.values else self.sentence


class _Seen(Struct):
    evaluator: str
    field: str
    examples: dict[tuple[Hashable, ...], _Sentence] = {}
    times: dict[tuple[Hashable, ...], int] = {}
    rows: list[int] = []
    """The row of each value, in order."""


def mistakes_of(record: Run) -> tuple[tuple[Mistake, ...], int | None]:
    """The mistakes of every variant, the most frequent first, and the last row that was looked at, where that is not the last of all.

    Evaluators with labels are left out: their confusion matrices say it."""
    labelled = {table.evaluator for table in record.result.confusion_matrices}
    told = [
        (place, one.name)
        for place, one in enumerate(record.facts.evaluators)
        if one.readings and one.name not in labelled
    ]
    found: list[Mistake] = []
    until: int | None = None
    for kept in record.facts.variants:
        seen: dict[_Kind, _Seen] = {}
        last, most = 0, SMALL_LINES if kept.rows <= SMALL_RUN else MOST_LINES
        for number, verdicts, lines in _rows(record, kept.variant, most):
            last = number
            for place, name in told:
                for kind, field, said in _of_row(verdicts[place], lines[name]) if name in lines else ():
                    about = seen.get((name, *kind)) or seen.setdefault((name, *kind), _Seen(name, field))
                    about.examples.setdefault(key := said.key(), said)
                    about.times[key] = about.times.get(key, 0) + 1
                    about.rows.append(number)
        found += _told(seen.values(), kept.variant)
        if not kept.every_outcome or kept.outcomes > most:
            until = last
    return tuple(sorted(found, key=lambda one: -one.count)), until


def _told(seen: Iterable[_Seen], variant: str | None) -> Iterator[Mistake]:
    """The mistakes, each once: two evaluators may see the same values of the same field, or the same unreadable outputs."""
    already: set[tuple[str, str, tuple[int, ...]]] = set()
    for one in seen:
        rows = tuple(dict.fromkeys(one.rows))
        said = str(one.examples[max(one.times, key=one.times.__getitem__)])
        what = one.field or (_general(said) if not said.startswith(_UNREADABLE) else _UNREADABLE[0])
        if (what, "" if not one.field else _general(said), rows) in already:
            continue
        already.add((what, "" if not one.field else _general(said), rows))
        yield Mistake(one.evaluator, one.field, variant, said, len(one.rows), rows[:_SHOWN_ROWS], len(rows))


def _rows(
    record: Run, variant: str | None, most: int
) -> Iterator[tuple[int, Sequence[Result], Mapping[str, Sequence[OutcomeLine]]]]:
    """Each row of which something was recorded: its number, its verdicts, and the lines about it by evaluator."""
    verdicts = record.verdicts(variant)
    rows = record.row_lines(variant, verdicts)
    for number, lines in groupby(islice(record.outcomes(variant), most), key=lambda line: line.row):
        codes = next((row.codes for row in rows if row.row == number), None)
        if codes is not None:
            told: dict[str, list[OutcomeLine]] = {}
            for line in lines:
                told.setdefault(line.evaluator, []).append(line)
            yield number, [known[code] for known, code in zip(verdicts, codes, strict=True)], told


def _of_row(verdict: Result, lines: Sequence[OutcomeLine]) -> Iterator[tuple[_Kind, str, _Sentence]]:
    """The mistakes of a row by one evaluator: kind, field and sentence."""
    if verdict.status not in (RowStatus.SCORED, RowStatus.UNREADABLE) or verdict.num == verdict.den:
        return
    fields = [line for line in lines if isinstance(line, Outcome) and line.status in _WRONG]
    if verdict.status is RowStatus.UNREADABLE or not fields:
        reason = next((line.reason for line in lines if isinstance(line, RowOutcome) and line.reason), None)
        if reason is None or verdict.passed is not False:
            return
        yield ("", _UNREADABLE[0] if reason.startswith(_UNREADABLE) else _general(reason)), "", _Sentence(reason)
        return
    for line in fields:
        field = field_of(line.place) if "[" in line.place else line.place
        kind, said = _in_words(line)
        yield (field, kind), field, said


_WRONG: Final = (FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION, FieldStatus.ERROR)


def _in_words(line: Outcome) -> tuple[str, _Sentence]:
    """The kind of a wrong value, and what is wrong in words."""
    expected, actual, reason = line.expected, line.actual, line.reason or "wrong"
    if "[*]" in line.path:  # several values of one row: the reason names the first that is wrong
        first = reason.partition("; ")[2] or reason
        return _general(first), _Sentence(first)
    if line.status is FieldStatus.OMISSION and (actual is MISSING or expected is not MISSING):
        return "missing", _Sentence("missing") if expected is MISSING else _Sentence("missing: {}", (expected,))
    if line.status is FieldStatus.HALLUCINATION:
        return "extra", _Sentence("extra") if actual is MISSING else _Sentence("extra: {}", (actual,))
    if expected is MISSING or actual is MISSING or line.status is FieldStatus.ERROR:
        return _general(reason), _Sentence(reason)
    several = line.details.get("several_answers") is True and isinstance(expected, list)
    answers = expected if several and expected else [expected]
    given = _class(actual)
    like = [one for one in answers if _class(one) == given]
    if not like:
        wanted = _class(answers[0])
        return f"{given} for {wanted}", _Sentence(f"{{}} for {{}}: {given}, not {wanted}", (actual, expected))
    said = _Sentence("{} for {}", (actual, expected))
    if given != "text":
        return "another value", said
    if any(actual.casefold().split() == one.casefold().split() for one in like):
        return "case or spaces", _Sentence("{} for {}: only case or spaces differ", (actual, expected))
    shapes = _shape(actual[:40]), _shape(like[0][:40])
    return f"{shapes[0]} for {shapes[1]}" if shapes[0] != shapes[1] and "0" in shapes[1] else "another text", said


_CLASSES: Final[Mapping[type, str]] = {
    type(None): "null", bool: "true or false", str: "text", list: "a list", dict: "an object",
}  # fmt: skip
"""What values are called, by their classes; others are numbers."""
_NUMBER: Final = "a number"


def _class(value: Any) -> str:
    return _CLASSES.get(value.__class__, _NUMBER)


@lru_cache(maxsize=4096)
def _shape(text: str) -> str:
    """How a text is written: digits are 0, words are a."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "0", text))


def _key(value: Any) -> Hashable:
    """A key that values share when they are written alike."""
    kind = value.__class__
    if kind is float:
        return repr(value)
    return (kind, value) if kind is int or (kind is str and len(value) < _LONG) else _text(value)


_LONG: Final = 50


def _text(value: Any) -> str:
    found = to_text(value)
    return found if len(found) <= 60 else f"{found[:59]}…"


@lru_cache(maxsize=4096)
def _general(reason: str) -> str:
    return _ONE_OFF.sub("…", reason)


@lru_cache(maxsize=4096)
def steps_of(path: str) -> tuple[Step, ...]:
    """The steps to a recorded place; an item that only the output has counts like any other. A name that is no path is a step."""
    try:
        return parse(_UNPAIRED.sub(r"[\1]", path)).steps if path else ()
    except BadPath:
        return (path,)


@lru_cache(maxsize=4096)
def field_of(path: str) -> str:
    """The field of a recorded place: `items[*].name` for `items[3].name`."""
    return Path(tuple(ANY if isinstance(step, int) else step for step in steps_of(path))).canonical
