"""A page as text, with aligned tables: for a file, and line by line for a terminal, which colours them.

With so many columns, paragraphs are wrapped at words. A table that is too wide folds its heads and texts, to at most three lines; a text
that would need more stands below its row. What still does not fit goes on in a further table, which begins again with the columns that
say what a row is about. Numbers are never broken, and nothing is cut. Without columns a line is as long as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final, Literal, NamedTuple

from evaluators.reports.display import pad, visible, width, wrap
from evaluators.reports.document import Block, Head, Item, Listing, Page, PageTable, Paragraph, Tone

WIDTH: Final = 100
"""Columns of a page that is read on a terminal."""
_GAP: Final = 2
_LINES: Final = 3
"""Lines that a cell is folded to."""
_NARROWEST_TEXT: Final = 20
"""Columns that a text keeps at least, when it has as many."""
_FIXED: Final = "\u00a0"
"""A space at which no head is folded."""


class Line(NamedTuple):
    """A line of a page, and what colours it."""

    text: str
    tone: Tone = "plain"
    part: Literal["title", "heading", "head", "text"] = "text"


def page_text(page: Page, columns: int | None = None, apart: bool = False) -> str:
    """The page as text in lines of at most that many columns, ending in a line feed; quoted lines stay as long as they are. `apart` sets
    the blocks of a section apart."""
    lines: list[str] = []
    for line in page_lines(page, columns, apart):
        lines.append(line.text)
        if line.part in ("title", "heading"):
            lines.append(("=" if line.part == "title" else "-") * width(line.text))
    return "\n".join(lines) + "\n"


def page_lines(page: Page, columns: int | None = None, apart: bool = False) -> Iterator[Line]:
    """The lines of the page, without those that underline its titles, at most `columns` wide; without a number, as wide as the page says.
    With `apart`, an empty line stands between the blocks of a section."""
    columns = columns or page.columns
    yield Line(visible(page.title).rstrip(), page.tone, "title")
    for section in page.sections:
        yield Line("")
        if section.title is not None:
            yield Line(visible(section.title).rstrip(), "plain", "heading")
        for number, block in enumerate(section.blocks):
            if number and apart:
                yield Line("")
            yield from (line._replace(text=line.text.rstrip()) for line in _block(block, columns))


def _block(block: Block, columns: int | None) -> Iterator[Line]:
    """A block as lines; `columns` is the width to wrap at, and None for no limit."""
    match block:
        case Paragraph(text, tone, indent, whole_words):
            yield from (Line(line, tone) for line in _wrap(text, columns, "", indent, whole_words))
        case Listing(items):
            for item in items:
                yield from _item(item, columns)
        case PageTable():
            yield from _table(block, columns)


def _item(item: Item, columns: int | None) -> Iterator[Line]:
    """An item as lines: its text behind a dash, what it quotes, and its details."""
    if item.text:
        yield from (Line(line, item.tone) for line in _wrap(item.text, columns, "- ", "  "))
    yield from (Line(f"    {visible(line)}") for line in item.quote)
    for detail in item.details:
        yield from map(Line, _wrap(detail, columns, "  ", "    "))


def _wrap(text: str, columns: int | None, first: str, rest: str, whole_words: bool = True) -> list[str]:
    """A text in lines of at most `columns`: the first begins with `first`, the others with `rest`. Without a limit it is one line."""
    whole = first + visible(text)
    return [whole] if columns is None else wrap(whole, columns, rest, whole_words)


class _Column(NamedTuple):
    """A column of a table as it is shown."""

    head: str
    number: bool
    cells: tuple[str, ...]
    natural: int
    """The width of its widest cell."""
    least: int
    """The width that keeps it readable: of a number, that of the number, of a text, what folds it to so many lines."""
    caption: bool


def _table(table: PageTable, columns: int | None) -> Iterator[Line]:
    """A table as lines; where it is too wide, it is split into several grids one below the other. Without a limit it is one grid."""
    if not table.columns:
        return
    shown = [_column(head, [row[place] for row in table.rows]) for place, head in enumerate(table.columns)]
    if columns is not None and shown[0].natural <= columns // 3:
        # names stay whole, so that they can be looked for and copied
        shown[0] = shown[0]._replace(least=shown[0].natural)
    grids, below = ([shown], []) if columns is None else _fit_columns(shown, columns)
    for grid in grids:
        if grid is not grids[0]:
            yield Line("")
        widths = [column.natural for column in grid] if columns is None else _column_widths(grid, columns)
        under = below if grid is grids[-1] else []
        yield from _grid_lines(grid, widths, under, table.tones, columns)


def _column(head: Head, cells: Sequence[str]) -> _Column:
    """A column with its full width and the least one: a text may fold to about `_LINES` lines, a head at its spaces, a number never."""
    shown, name = tuple(map(visible, cells)), visible(head.head).replace(" %", f"{_FIXED}%")
    widest = max(map(width, shown), default=0)
    folded = widest if head.number else min(widest, max(_NARROWEST_TEXT, widest // _LINES + _NARROWEST_TEXT // 4))
    least = max(folded, *map(width, name.split(" ")))
    return _Column(name, head.number, shown, max(widest, width(name)), least, head.caption)


def _total_width(widths: Iterable[int]) -> int:
    """How many columns of a terminal a table takes whose columns have these widths."""
    return sum(wide + _GAP for wide in widths) - _GAP


def _fit_columns(columns_of_table: list[_Column], columns: int) -> tuple[list[list[_Column]], list[_Column]]:
    """The columns of each grid that a table is shown in, and those whose texts stand below their row.

    `keys` say what a row is about, and begin each grid: the first column, and with it a second one of short texts.
    """
    keys, rest, below = columns_of_table[:1], columns_of_table[1:], list[_Column]()
    if len(rest) > 1 and not rest[0].number and rest[0].natural <= 2 * _NARROWEST_TEXT:
        keys, rest = columns_of_table[:2], columns_of_table[2:]
    while _total_width(column.least for column in (*keys, *rest)) > columns:
        texts = [column for column in rest if not column.number and column.least >= _NARROWEST_TEXT]
        if not texts:
            break
        widest = max(texts, key=lambda column: column.natural)  # the widest text goes below, until the others fit
        rest.remove(widest)
        below.append(widest)
    # where a grid has no room for both keys and the widest column, the second key is a column like any other
    if rest and _total_width([*(column.least for column in keys), max(column.least for column in rest)]) > columns:
        keys, rest = keys[:1], [*keys[1:], *rest]
    # a key of text that is still too wide is wrapped
    room = columns - (_GAP + max(column.least for column in rest) if rest else 0)
    if not keys[0].number and len(keys) == 1 and keys[0].least > room:
        keys = [keys[0]._replace(least=max(_NARROWEST_TEXT, room))]
    grids = [keys]
    for column in rest:
        if _total_width(each.least for each in (*grids[-1], column)) > columns and grids[-1] is not keys:
            grids.append(keys)
        grids[-1] = [*grids[-1], column]
    return grids, [column for column in columns_of_table if column in below]


def _column_widths(grid: Sequence[_Column], columns: int) -> list[int]:
    """The width of each column of a grid that may take `columns` of a terminal: each begins at its least width, and the rest of the room
    goes, one by one, to the column that lacks most."""
    widths = [column.least for column in grid]
    for _ in range(columns - _total_width(widths)):
        lacking = [column.natural - wide for column, wide in zip(grid, widths, strict=True)]
        if max(lacking) <= 0:
            break
        widths[lacking.index(max(lacking))] += 1
    return widths


def _grid_lines(
    grid: Sequence[_Column], widths: Sequence[int], below: Sequence[_Column], tones: Sequence[Tone], columns: int | None
) -> Iterator[Line]:
    """The lines of a grid: its heads, which end on one line, and its rows, which begin on one. The texts of the columns `below` stand below
    their row."""
    if len(below) == 1 and below[0].caption:
        yield Line(below[0].head, "plain", "head")
    heads = [wrap(column.head, wide) for column, wide in zip(grid, widths, strict=True)]
    most = max(map(len, heads))
    for line in _row_lines([[""] * (most - len(each)) + each for each in heads], widths, grid):
        yield Line(line.replace(_FIXED, " "), "plain", "head")
    if len(below) == 1 and not below[0].caption:
        yield Line(f"    {below[0].head}", "plain", "head")
    for row in range(len(grid[0].cells)):
        tone = tones[row] if tones else "plain"
        if any(column.cells[row] for column in grid):
            cells = [
                wrap(column.cells[row], wide, "" if place else "  ")
                for place, (column, wide) in enumerate(zip(grid, widths, strict=True))
            ]
            yield from (Line(line, tone) for line in _row_lines(cells, widths, grid))
        for column in below:
            if column.cells[row]:
                text = column.cells[row] if len(below) == 1 else f"{column.head}: {column.cells[row]}"
                yield from (Line(line, tone) for line in _wrap(text, columns, "    ", "    ", whole_words=False))


def _row_lines(cells: Sequence[Sequence[str]], widths: Sequence[int], grid: Sequence[_Column]) -> Iterator[str]:
    """The lines of a row whose cells have been wrapped to lines: the first line of each cell, then the second of each, and so on."""
    for lines in zip_longest(*cells, fillvalue=""):
        yield (" " * _GAP).join(
            pad(line, wide, column.number) for line, wide, column in zip(lines, widths, grid, strict=True)
        )
