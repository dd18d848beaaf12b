"""The most frequent mistakes of a run: what went wrong alike, how often, in which rows, and one example.

Strategy: what was recorded is read once, from its beginning. A wrong value goes with those of its field that are wrong in the
same way: missing, extra, text where a number is expected, the same text in another case, the same two shapes (`12/07/2026` for
`2026-07-12`). A row whose output cannot be read is one mistake, not one for each of its fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import Any, Final, TypeAlias

from msgspec import Struct

from evaluators.model import MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.run.record import RunRecord
from evaluators.run.record_lines import OutcomeLine, RowOutcome
from evaluators.values.json_text import to_text
from evaluators.values.path_text import ANY
from evaluators.values.paths import Path, parse

MOST_LINES: Final = 5_000
"""Recorded results of a variant that are looked at, where it has more than are kept in memory."""
FEW_LINES: Final = 10_000
_SHOWN_ROWS: Final = 3
_ONE_OFF: Final = re.compile(r'"[^"]*"|\d+(?:[.,]\d+)*')
"""What two reasons of one kind may differ in: quoted text, and numbers."""
_UNREADABLE: Final = ("the output is not usable JSON", "the output is Python, not JSON")
_Kind: TypeAlias = tuple[str, ...]


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


class _Seen(Struct):
    evaluator: str
    field: str
    said: Counter[str]
    rows: Counter[int]


def mistakes_of(record: RunRecord) -> tuple[tuple[Mistake, ...], int | None]:
    """The mistakes of every variant, the most frequent first, and the last row that was looked at, where that is not the last of all.

    Evaluators with labels are left out: their confusion matrices say it."""
    labelled = {table.evaluator for table in record.result.confusion_matrices}
    told = [one.readings and one.name not in labelled for one in record.facts.evaluators]
    found: list[Mistake] = []
    until: int | None = None
    for kept in record.facts.variants:
        seen: dict[_Kind, _Seen] = {}
        last = 0
        for number, verdicts, lines in _rows(record, kept.variant, None if kept.outcomes <= FEW_LINES else MOST_LINES):
            last = number
            for place, one in enumerate(record.facts.evaluators):
                if told[place]:
                    own = [line for line in lines if line.evaluator == one.name]
                    for kind, field, said in _of_row(verdicts[place], own):
                        about = seen.setdefault((one.name, *kind), _Seen(one.name, field, Counter(), Counter()))
                        about.said[said] += 1
                        about.rows[number] += 1
        found += _told(seen.values(), kept.variant)
        if not kept.every_outcome or kept.outcomes > FEW_LINES:
            until = last
    return tuple(sorted(found, key=lambda one: -one.count)), until


def _told(seen: Any, variant: str | None) -> Iterator[Mistake]:
    """The mistakes, each once: two evaluators may see the same values of the same field, or the same unreadable outputs."""
    already: set[tuple[str, str, tuple[int, ...]]] = set()
    for one in seen:
        rows = tuple(one.rows)
        ((said, _),) = one.said.most_common(1)
        what = one.field or (_general(said) if not said.startswith(_UNREADABLE) else _UNREADABLE[0])
        if (what, "" if not one.field else _general(said), rows) in already:
            continue
        already.add((what, "" if not one.field else _general(said), rows))
        yield Mistake(one.evaluator, one.field, variant, said, sum(one.rows.values()), rows[:_SHOWN_ROWS], len(rows))


def _rows(
    record: RunRecord, variant: str | None, most: int | None
) -> Iterator[tuple[int, Sequence[Result], list[OutcomeLine]]]:
    """Each row of which something was recorded: its number, its verdicts, and the lines about it."""
    verdicts = record.verdicts(variant)
    rows = record.row_lines(variant, verdicts)
    for number, lines in groupby(islice(record.outcomes(variant), most), key=lambda line: line.row):
        codes = next((row.codes for row in rows if row.row == number), None)
        if codes is not None:
            yield number, [known[code] for known, code in zip(verdicts, codes, strict=True)], list(lines)


def _of_row(verdict: Result, lines: Sequence[OutcomeLine]) -> Iterator[tuple[_Kind, str, str]]:
    """What an evaluator found wrong in a row: the kind, the field, and the words."""
    if verdict.status not in (RowStatus.SCORED, RowStatus.UNREADABLE) or verdict.num == verdict.den:
        return
    reason = next((line.reason for line in lines if isinstance(line, RowOutcome) and line.reason), None)
    fields = [line for line in lines if isinstance(line, Outcome) and line.status in _WRONG]
    if verdict.status is RowStatus.UNREADABLE or not fields:
        if reason is None or verdict.passed is not False:
            return
        yield ("", _UNREADABLE[0] if reason.startswith(_UNREADABLE) else _general(reason)), "", reason
        return
    for line in fields:
        field = _field_of(line.place)
        kind, said = _in_words(line)
        yield (field, kind), field, said


_WRONG: Final = (FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION, FieldStatus.ERROR)


def _field_of(path: str) -> str:
    """`items[*].name` for `items[3].name`."""
    if "[" not in path:
        return path
    steps = parse(re.sub(r"\[\+(\d+)\]", r"[\1]", path)).steps
    return Path(tuple(ANY if isinstance(step, int) else step for step in steps)).canonical


def _in_words(line: Outcome) -> tuple[str, str]:
    """The kind of a wrong value, and what is wrong in words."""
    expected, actual, reason = line.expected, line.actual, line.reason or "wrong"
    if "[*]" in line.path:  # several values of one row: the reason names the first that is wrong
        said = reason.partition("; ")[2] or reason
        return _general(said), said
    if line.status == FieldStatus.OMISSION:
        return "missing", "missing" if expected is MISSING else f"missing: {_text(expected)}"
    if line.status == FieldStatus.HALLUCINATION:
        return "extra", "extra" if actual is MISSING else f"extra: {_text(actual)}"
    if expected is MISSING or actual is MISSING or line.status == FieldStatus.ERROR:
        return _general(reason), reason
    given, wanted = _class_of(actual), _class_of(expected)
    said = f"{_text(actual)} for {_text(expected)}"
    if given != wanted:
        return f"{given} for {wanted}", f"{said}: {given}, not {wanted}"
    if given != "text":
        return "another value", said
    if actual.casefold().split() == expected.casefold().split():
        return "case or spaces", f"{said}: only case or spaces differ"
    shapes = _shape(actual), _shape(expected)
    return f"{shapes[0]} for {shapes[1]}" if shapes[0] != shapes[1] and "0" in shapes[1] else "another text", said


def _class_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    for kinds, word in ((str, "text"), (list, "a list"), (dict, "an object")):
        if isinstance(value, kinds):
            return word
    return "a number"


def _shape(text: str) -> str:
    """How a text is written: digits are 0, words are a."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "0", text[:40]))


def _text(value: Any) -> str:
    found = to_text(value)
    return found if len(found) <= 60 else f"{found[:59]}…"


def _general(reason: str) -> str:
    return _ONE_OFF.sub("…", reason)
