"""The most frequent mistakes of a run: what went wrong alike, how often, in which rows, and examples.

Strategy: what was recorded is read once, from its beginning. The words are those of the comparator that decided. A wrong value goes
with those of its field of which the same was said, quoted values and numbers apart, and that have the same two shapes (`12/07/2026`
for `2026-07-12`); all that is missing goes together, and all that is extra. A row whose output cannot be read is one mistake, not
one for each of its fields.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, islice
from typing import Any, Final, TypeAlias

from msgspec import Struct

from evaluators.model.rows import MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.runs.reader import Run
from evaluators.runs.record_lines import OutcomeLine, RowOutcome
from evaluators.runs.recorder import SMALL_RUN
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.path_text import ANY, Step
from evaluators.scoring.values.paths import BadPath, Path, parse
from evaluators.scoring.values.quoting import quote

SMALL_LINES, MOST_LINES = 10_000, 2_000
"""Recorded results of a variant that are looked at, of a small run and of any other: a summary is not to take long."""
_SHOWN_EXAMPLES: Final = 3
_ONE_OFF: Final = late_pattern(r'"[^"]*"|\d+(?:[.,]\d+)*')
"""What two reasons of one kind may differ in: quoted text, and numbers."""
_UNREADABLE: Final = ("the output is not usable JSON", "the output is Python, not JSON")
_Kind: TypeAlias = tuple[str, ...]
_UNPAIRED: Final = late_pattern(r"\[\+(\d+)\]")
"""The step to an item that only the output has."""


class Mistake(Struct, frozen=True):
    """Values or rows that are wrong in one way."""

    evaluator: str
    field: str
    """Empty where it is about the output as a whole."""
    variant: str | None
    said: str
    """What is wrong, briefly; of values that differ, the one that is met most, as an example."""
    count: int
    rows: tuple[int, ...]
    listed: str = ""
    """What is wrong, with up to three different examples, those that are met most; empty where `said` says it all."""
    mostly: str = ""
    """What is wrong as a sentence goes on with it behind the word *mostly*: ` like "1" for 7`, ` without "A-"`, `: it is no number`;
    empty where no such words hold for most."""


class _Reason(Struct, frozen=True):
    """Why a value or a row is wrong: a sentence, or a few words that are none; and a value to write after it, which is written down for
    the few that are shown."""

    text: str
    value: Any = MISSING
    sides: tuple[Any, Any] | None = None
    """The values that it is about, expected and output, where a narrow table may say it shorter."""
    words: bool = False
    """It is no sentence: `without "A-"`, `2 for 3: too little`."""

    def key(self) -> tuple[Hashable, ...]:
        """A key that reasons share when they read alike."""
        return (self.text,) if self.value is MISSING else (self.text, _value_key(self.value))

    def __str__(self) -> str:
        return self.text if self.value is MISSING else f"{self.text}: {_text(self.value)}"

    def brief_text(self, several: bool) -> str:
        """The reason for a narrow table; with `several`, as an example of several: `extra, such as 2`."""
        if self.value is not MISSING:
            return f"{self.text}, such as {_text(self.value)}" if several else str(self)
        text, words = self._shorten(several)
        example = "" if not several or (text != self.text and not words) else "such as " if words else "for example, "
        return f"{example}{text}"

    def mostly_text(self, several: bool) -> str:
        """The reason behind the word *mostly*, with the blank or the colon before it; empty where `several` have no more in common than
        their kind, for the sentence on one of them does not hold for most."""
        if self.value is not MISSING:
            return f" {self.text}, such as {_text(self.value)}" if several else f" {self.text} ({_text(self.value)})"
        text, words = self._shorten(several)
        if words:
            return f" {'like ' if several else ''}{text}"
        if several and text == self.text:
            return ""
        return f" ({text})" if ": " in text else f": {text}"

    def _shorten(self, several: bool) -> tuple[str, bool]:
        """The reason as briefly as it can be said, such as `2 for 3`; and true where that is a few words, false where it is a sentence.

        Of `several` alike it is what stands before the colon, where that names no value; else the whole text.
        """
        if self.sides and (short := _short_difference(self.text, *self.sides)):
            return short, True
        head, colon, _ = self.text.partition(": ")
        alike = several and not self.words and colon and _reason_pattern(head) == head
        return head if alike else self.text, self.words


class _MistakeGroup(Struct):
    """The wrong values of one kind in a field: the rows, and for each way in which the reason reads an example and how often it is
    there."""

    evaluator: str
    field: str
    examples: dict[tuple[Hashable, ...], _Reason] = {}
    times: dict[tuple[Hashable, ...], int] = {}
    rows: list[int] = []
    """The row of each value, in order."""


def mistakes_of(record: Run) -> tuple[tuple[Mistake, ...], int | None]:
    """The mistakes of every variant, the most frequent first, and the last row that was looked at, where that is not the last of all.

    Evaluators with labels are left out: their confusion matrices say it."""
    labelled = {table.evaluator for table in record.result.confusion_matrices}
    recorded_evaluators = [
        (place, evaluator.name)
        for place, evaluator in enumerate(record.facts.evaluators)
        if evaluator.readings and evaluator.name not in labelled
    ]
    mistakes: list[Mistake] = []
    until: int | None = None
    for variant in record.facts.variants:
        groups: dict[_Kind, _MistakeGroup] = {}
        last, most = 0, SMALL_LINES if variant.rows <= SMALL_RUN else MOST_LINES
        for number, verdicts, lines in _rows_with_lines(record, variant.variant, most):
            last = number
            for place, name in recorded_evaluators:
                for kind, field, reason in _mistakes_of_row(verdicts[place], lines[name]) if name in lines else ():
                    group = groups.get((name, *kind)) or groups.setdefault((name, *kind), _MistakeGroup(name, field))
                    group.examples.setdefault(key := reason.key(), reason)
                    group.times[key] = group.times.get(key, 0) + 1
                    group.rows.append(number)
        mistakes += _without_repeats(groups.values(), variant.variant)
        if not variant.every_outcome or variant.outcomes > most:
            until = last
    return tuple(sorted(mistakes, key=lambda mistake: -mistake.count)), until


def _without_repeats(groups: Iterable[_MistakeGroup], variant: str | None) -> Iterator[Mistake]:
    """A mistake for each group, but for those that say the same of the same rows: two evaluators may see the same values of the same field,
    or the same unreadable outputs."""
    already: set[tuple[str, str, tuple[int, ...]]] = set()
    for group in groups:
        rows = tuple(dict.fromkeys(group.rows))
        most = sorted(group.times, key=lambda key: -group.times[key])
        first = group.examples[most[0]]
        sentence = str(first)
        pattern = _reason_pattern(sentence)
        if group.field:
            subject = group.field, pattern, rows
        else:
            subject = _UNREADABLE[0] if sentence.startswith(_UNREADABLE) else pattern, "", rows
        if subject in already:
            continue
        already.add(subject)
        several = len(most) > 1
        brief, listed = first.brief_text(several), _examples_text([group.examples[key] for key in most])
        yield Mistake(
            group.evaluator, group.field, variant, brief, len(group.rows), rows, listed if listed != brief else "",
            first.mostly_text(several),
        )  # fmt: skip


def _examples_text(examples: Sequence[_Reason]) -> str:
    """The first examples, one after the other: `extra: 2, 7, 9, …`."""
    shown, rest = examples[:_SHOWN_EXAMPLES], ["…"] if len(examples) > _SHOWN_EXAMPLES else []
    if all(example.value is not MISSING and example.text == shown[0].text for example in shown):
        return f"{shown[0].text}: {', '.join([*(_text(example.value) for example in shown), *rest])}"
    return "; ".join([*map(str, shown), *rest])


def _rows_with_lines(
    record: Run, variant: str | None, most: int
) -> Iterator[tuple[int, Sequence[Result], Mapping[str, Sequence[OutcomeLine]]]]:
    """Each row of which something was recorded: its number, its verdicts, and the lines about it by evaluator. At most `most` lines of a
    variant are read."""
    verdicts = record.verdicts(variant)
    rows = record.row_lines(variant, verdicts)  # gone through once: both lists are in the order of the rows
    for number, lines in groupby(islice(record.outcomes(variant), most), key=lambda line: line.row):
        codes = next((row.codes for row in rows if row.row == number), None)
        if codes is not None:
            by_evaluator: dict[str, list[OutcomeLine]] = {}
            for line in lines:
                by_evaluator.setdefault(line.evaluator, []).append(line)
            yield number, [known[code] for known, code in zip(verdicts, codes, strict=True)], by_evaluator


def _mistakes_of_row(verdict: Result, lines: Sequence[OutcomeLine]) -> Iterator[tuple[_Kind, str, _Reason]]:
    """The mistakes of a row by one evaluator, each with its kind, its field and its reason; none where the row has a full score.

    Where the output cannot be read, or no field is wrong, it is one mistake without a field.
    """
    if verdict.status not in (RowStatus.SCORED, RowStatus.UNREADABLE) or verdict.num == verdict.den:
        return
    fields = [line for line in lines if isinstance(line, Outcome) and line.status in _WRONG]
    if verdict.status is RowStatus.UNREADABLE or not fields:
        reason = next((line.reason for line in lines if isinstance(line, RowOutcome) and line.reason), None)
        if reason is None or verdict.passed is not False:
            return
        yield ("", _UNREADABLE[0] if reason.startswith(_UNREADABLE) else _reason_pattern(reason)), "", _Reason(reason)
        return
    for line in fields:
        field = field_of(line.place) if "[" in line.place else line.place
        kind, sentence = _kind_and_reason(line)
        yield (field, kind), field, sentence


_WRONG: Final = frozenset((FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION, FieldStatus.ERROR))


def _kind_and_reason(line: Outcome) -> tuple[str, _Reason]:
    """The kind of a wrong value, which values share that are counted as one mistake, and the reason, in the words of the comparator that
    decided."""
    expected, actual, reason = line.expected, line.actual, line.reason or "wrong"
    if "[*]" in line.path:  # several values of one row: the reason names the first that is wrong
        first = reason.partition("; ")[2] or reason
        return _reason_pattern(first), _Reason(first)
    if "missed" in line.details and line.status is not FieldStatus.ERROR:  # a list of which a judge found some items
        return _reason_pattern(reason), _Reason(reason)
    if line.status is FieldStatus.OMISSION and (actual is MISSING or expected is not MISSING):
        return line.status.plain, _Reason(line.status.plain, expected)
    if line.status is FieldStatus.HALLUCINATION:
        return line.status.plain, _Reason(line.status.plain, actual)
    if expected is MISSING or actual is MISSING or line.status is FieldStatus.ERROR:
        return _reason_pattern(reason), _Reason(reason)
    pattern = _reason_pattern(reason)
    if pattern == reason and quote(actual) not in reason:  # a sentence that names no value, such as a judge's
        return "in words", _Reason(f"{_text(actual)} for {_text(expected)}: {reason}", words=True)
    reason_with_sides = _Reason(reason, sides=(expected, actual))
    if isinstance(actual, str) and isinstance(expected, str):
        if affixed := _affix_text(expected, actual):
            return affixed, _Reason(affixed, words=True)
        actual_shape, expected_shape = _shape(actual[:40]), _shape(expected[:40])
        if actual_shape != expected_shape and "0" in expected_shape:
            return f"{pattern} {actual_shape} for {expected_shape}", reason_with_sides
    return pattern, reason_with_sides


_AFFIX: Final = late_pattern(r"(?!.*[^\W\d_]{4})(?=.*[^\w])[^\d\n]{1,6}")
"""What may stand before or behind every value alike: `INV-`, `$`, ` EUR`. Digits and whole words differ from row to row."""


def _affix_text(expected: str, actual: str) -> str:
    """A text such as `without "INV-"`, where the output lacks a few marks before or behind the expected text, or `with "INV-"`,
    where it has more; empty for others."""
    word, long, short = ("without", expected, actual) if len(expected) > len(actual) else ("with", actual, expected)
    if not short.strip():
        return ""
    affix = (
        long.removesuffix(short) if long.endswith(short) else long.removeprefix(short) if long.startswith(short) else ""
    )
    return f"{word} {quote(affix)}" if _AFFIX.fullmatch(affix) else ""


def _short_difference(reason: str, expected: Any, actual: Any) -> str:
    """`2 for 3` in place of `2 differs from 3`, and `2 for 3, off by 1` where it says by how much; empty for another sentence."""
    plain = f"{quote(actual)} differs from {quote(expected)}"
    rest = reason.removeprefix(plain)
    if rest.startswith(" by "):
        rest = f", off{rest}"
    if rest == reason or rest[:1] not in ("", ";", ","):
        return ""
    return f"{quote(actual)} for {quote(expected)}{rest}"


@lru_cache(maxsize=4096)
def _shape(text: str) -> str:
    """The shape of a text: each digit is 0 and each word is a, such as `00 a 0000` for `12 May 2026`."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "0", text))


def _value_key(value: Any) -> Hashable:
    """A key that values share when they are written alike."""
    kind = value.__class__
    if kind is float:
        return repr(value)
    return (kind, value) if kind is int or (kind is str and len(value) < _LONG) else _text(value)


_LONG: Final = 50


def _text(value: Any) -> str:
    """A value as JSON, in at most 60 characters."""
    text = to_text(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


@lru_cache(maxsize=4096)
def _reason_pattern(reason: str) -> str:
    """The reason with `…` for each quoted text and number: mistakes of one kind have the same."""
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
