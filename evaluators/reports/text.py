"""A page as plain text, with aligned tables.

With so many columns, paragraphs are wrapped at words, and a table that is too wide becomes a list once its columns to clip have given
way. Without, as in a file, a line is as long as it is, and the cells of tables are cut where they are very long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from evaluators.reports.display import clipped, padded, visible, width, wrapped
from evaluators.reports.document import Block, Item, Listing, Page, PageTable, Paragraph, fit_to_width

WIDTH: Final = 100
"""Columns of a page that is read on a terminal."""
WIDEST_CELL: Final = 60


def page_text(page: Page, columns: int | None = None) -> str:
    """The page as text in lines of at most that many columns, ending in a line feed; quoted lines stay as long as they are."""
    close = columns is None or page.columns is not None
    columns = columns or page.columns
    lines = _heading(page.title, "=")
    for section in page.sections:
        lines += ["", *(_heading(section.title, "-") if section.title is not None else ())]
        for number, block in enumerate(section.blocks):
            lines += [*([""] if number and not close else ()), *_block(block, columns)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _heading(title: str, line: str) -> list[str]:
    shown = visible(title)
    return [shown, line * width(shown)]


def _block(block: Block, columns: int | None) -> Iterable[str]:
    match block:
        case Paragraph(text):
            return wrapped(visible(text), columns, block.indent, block.whole_words) if columns else [visible(text)]
        case Listing(items):
            return [line for item in items for line in _item(item, columns)]
        case PageTable():
            return _table(block, columns)


def _item(item: Item, columns: int | None) -> Iterable[str]:
    if item.text:
        yield from _wrapped(item.text, columns, "- ", "  ")
    yield from (f"    {visible(line)}" for line in item.quote)
    for line in item.details:
        yield from _wrapped(line, columns, "  ", "    ")


def _table(table: PageTable, columns: int | None) -> Iterable[str]:
    if columns is not None and table.clip:
        table = fit_to_width(table, columns)
    heads = tuple(column.head for column in table.columns)
    rows = [tuple(map(visible, row)) for row in (heads, *table.rows)]
    if columns is None:
        rows = [tuple(clipped(cell, WIDEST_CELL) for cell in row) for row in rows]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    if columns is not None and sum(widths) + 2 * (len(widths) - 1) > columns:
        yield from _as_list(rows[0], rows[1:], columns)
        return
    for row in rows:
        cells = zip(row, widths, table.columns, strict=True)
        yield "  ".join(padded(cell, wide, column.number) for cell, wide, column in cells)


def _as_list(heads: Sequence[str], rows: Iterable[Sequence[str]], columns: int) -> Iterable[str]:
    """Each row as its first cell, with the others below it: the last one first, without a head, as it says most."""
    for first, *rest in rows:
        yield first
        if rest and rest[-1]:
            yield from _wrapped(rest[-1], columns, "    ", "    ")
        for head, cell in zip(heads[1:-1], rest[:-1], strict=True):
            if cell:
                yield from _wrapped(f"{head}: {cell}", columns, "    ", "      ")


def _wrapped(text: str, columns: int | None, first: str = "", rest: str = "") -> list[str]:
    found = first + visible(text)
    return [found] if columns is None else wrapped(found, columns, rest, whole_words=True)
