"""A page for a terminal: paragraphs wrapped at words, and tables that are too wide turned into lists."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Final

from evaluators.reports.display import padded, visible, width
from evaluators.reports.document import Block, Item, Listing, Page, PageTable, Paragraph, Section

WIDTH: Final = 100


def page_text(document: Page, columns: int = WIDTH) -> str:
    """The page as text in lines of at most that many columns; quoted lines stay as long as they are."""
    title = visible(document.title)
    lines = [title, "=" * width(title)]
    for section in document.sections:
        lines.append("")
        if section.title is not None:
            lines += [visible(section.title), "-" * width(visible(section.title))]
        lines += _section(section, columns)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _section(section: Section, columns: int) -> Iterable[str]:
    for number, block in enumerate(section.blocks):
        if number:
            yield ""
        yield from _block(block, columns)


def _block(block: Block, columns: int) -> Iterable[str]:
    match block:
        case Paragraph(text):
            yield from _wrapped(text, columns)
        case Listing(items):
            for item in items:
                yield from _item(item, columns)
        case PageTable():
            yield from _table(block, columns)


def _item(item: Item, columns: int) -> Iterable[str]:
    if item.text:
        yield from _wrapped(item.text, columns, "- ", "  ")
    yield from (f"    {visible(line)}" for line in item.quote)
    for line in item.details:
        yield from _wrapped(line, columns, "  ", "    ")


def _table(table: PageTable, columns: int) -> Iterable[str]:
    rows = [tuple(visible(cell) for cell in row) for row in table.rows]
    heads = tuple(column.head for column in table.columns)
    widths = [max(width(row[index]) for row in (heads, *rows)) for index in range(len(heads))]
    if sum(widths) + 2 * (len(widths) - 1) > columns:
        yield from _as_list(heads, rows, columns)
        return
    for row in (heads, *rows):
        cells = zip(row, widths, table.columns, strict=True)
        yield "  ".join(padded(cell, wide, column.number) for cell, wide, column in cells)


def _as_list(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], columns: int) -> Iterable[str]:
    """Each row as its first cell, with the others below it: the last one first, without a head, as it says most."""
    for first, *rest in rows:
        yield first
        if rest and rest[-1]:
            yield from _wrapped(rest[-1], columns, "    ", "    ")
        for head, cell in zip(heads[1:-1], rest[:-1], strict=True):
            if cell:
                yield from _wrapped(f"{head}: {cell}", columns, "    ", "      ")


def _wrapped(text: str, columns: int, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(
        visible(text),
        columns,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first]
