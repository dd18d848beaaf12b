"""Near misses of texts: what an evaluator that compares two texts would have to forgive, and how many rows that turns.

The cells of the first MOST_CELLS rows are looked at. An output that is the expected answer to the letter is right
already; every other one is tried with each change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from evaluators.builtin._texts import TextChange
from evaluators.reports.near_miss_section import NearMiss
from evaluators.run.reader import Run
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.values.flow import key_text

MOST_CELLS: Final = 2_000
LONGEST: Final = 2_000
"""Characters of a text that is looked at."""
_SHOWN_ROWS: Final = 5


class _DifferingTexts(Struct, frozen=True):
    row: int
    expected: str
    output: str


def text_near_misses(
    lines: Sequence[EvaluatorLine], record: Run, most: int = MOST_CELLS
) -> Iterator[tuple[Iterator[NearMiss], int]]:
    """The changes to evaluators that compare two texts, for each variant, the one that turns most first. The first `most` rows are looked
    at. With how many texts one may turn; they are searched when they are taken."""
    changing = [
        (line, changes)
        for line in lines
        if not line.when and not line.needs and (changes := line.settings.text_changes())
    ]
    for kept in record.facts.variants if changing else ():
        rows = [(one.row, one.cells) for one in islice(record.cells(kept.variant), most)]
        for line, changes in changing:
            output, expected = record.compared_columns(line.name)
            differing = [
                _DifferingTexts(row, wanted, given)
                for row, cells in rows
                if isinstance(wanted := cells.get(expected), str) and isinstance(given := cells.get(output), str)
                and wanted.strip() and wanted != given and max(len(wanted), len(given)) <= LONGEST
            ]  # fmt: skip
            first = not record.has_every_cell or kept.rows > most
            whole = sum(
                one.failed for one in record.result.evaluators if (one.name, one.variant) == (line.name, kept.variant)
            )
            yield _of_line(line, kept.variant, expected, changes, differing, whole if first else None), len(differing)


def _line(line: EvaluatorLine, change: TextChange, expected: str) -> str:
    """The line to write. It keeps the name, which gates and other evaluators may use."""
    written = change.write.replace("EXPECTED", expected)
    named = line.name != line.settings.type
    return f"- {written.replace('{', f'{{name: {key_text(line.name)}, ', 1)}" if named else f"- {written}"


def _of_line(
    line: EvaluatorLine,
    variant: str | None,
    expected: str,
    changes: Sequence[TextChange],
    pairs: Sequence[_DifferingTexts],
    whole: int | None,
) -> Iterator[NearMiss]:
    """`whole` is how many are wrong in all, where there may be more than `pairs`."""
    already: set[int] = set()
    best: dict[tuple[int, ...], NearMiss] = {}
    for change in changes:
        fixed = tuple(one.row for one in pairs if change.matches(one.expected, one.output))
        if not fixed or fixed in best or (change.says and set(fixed) <= already):
            continue
        already |= set(fixed)
        best[fixed] = NearMiss(
            line.name, variant, "the output", change.switch, _line(line, change, expected), len(fixed), len(pairs),
            whole is not None, fixed[:_SHOWN_ROWS], len(fixed), change.says, line=True, whole=whole,
        )  # fmt: skip
    yield from sorted(best.values(), key=lambda one: -one.turned)
