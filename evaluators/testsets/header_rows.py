"""Tables that are not as they look: names of columns in two rows, as spreadsheets with merged cells have them, and CoNLL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from evaluators.scoring.values.quoting import first_texts, quote
from evaluators.testsets.byte_source import ByteSource, broken

_LABEL: Final = re.compile(r"O|[BIESLU]-\S+")
_NO_TOKEN: Final = ("-DOCSTART-", "#")
_LEAST: Final = 2
_MOST_LINES: Final = 200
_SHOWN: Final = 4
_SHOWN_LETTERS: Final = 40


def refuse_two_rows_of_names(source: ByteSource, row: int, names: Sequence[str], second: Sequence[str]) -> None:
    """Raises Problems where the header, which is the row of that number, says of what its columns are, and the row below says which:
    `vendor,,total,` above `gold,pred,gold,pred`."""
    width = max(len(names), len(second))
    above, below = ([cell.strip() for cell in [*cells, *[""] * (width - len(cells))]] for cells in (names, second))
    groups: list[tuple[str, list[str]]] = []
    for name, cell in zip(above, below, strict=True):
        if groups and cell and name in ("", groups[-1][0]):
            groups[-1][1].append(cell)
        else:
            groups.append((name, [cell]))
    several = [cells for _, cells in groups if len(cells) > 1 and all(cells)]
    if len(several) < _LEAST or any(cells != several[0] for cells in several) or len({*several[0]}) < len(several[0]):
        return
    written = [f"{name} {cell}".strip() for name, cells in groups for cell in cells]
    shown = first_texts([f'"{cell}"' for cell in several[0]], _SHOWN)
    message = (
        f"rows {row} and {row + 1} hold the names of the columns together: {shown} stand below each of several names"
    )
    hint = f"write one row in place of both: {','.join(written)}"
    raise broken(source, "two-header-rows", message, hint)


def refuse_conll(source: ByteSource, text: str) -> None:
    """Raises Problems for a text of CoNLL: a token in each line with its labels behind it, and an empty line after a sentence."""
    lines = [line.split() for line in text.splitlines()[:_MOST_LINES] if line.strip() and not line.startswith(_NO_TOKEN)]
    if len(lines) < _LEAST or not all(len(line) > 1 and _LABEL.fullmatch(line[-1]) for line in lines[:-1]):
        return
    if not any(line[-1] != "O" for line in lines[:-1]):
        return
    shown = quote(" ".join(lines[0]), _SHOWN_LETTERS)
    message = f"this is CoNLL, a token in each line with its label behind it ({shown}), and no table of rows"
    hint = (
        "write a JSON line for each sentence, with the spans of both sides: "
        '{"id": 1, "expected": [[0, 2, "PER"]], "output": [[0, 2, "PER"]]}'
    )
    raise broken(source, "conll", message, hint)
