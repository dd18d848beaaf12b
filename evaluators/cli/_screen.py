"""A page on a terminal: tables that fit its width, and colours for how much a line matters.

Numbers are never broken. A table that is too wide first folds its heads and its texts; what still does not fit goes into
further tables below, each of which begins again with the columns that say what a row is about. Text is the user's as it
stands, never markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from evaluators.reports.display import visible, wrapped
from evaluators.reports.document import (
    Block,
    Head,
    Item,
    Listing,
    Page,
    PageTable,
    Paragraph,
    Section,
    Tone,
    fit_to_width,
)

_STYLES: Final[dict[Tone, str]] = {
    "plain": "",
    "good": "green",
    "note": "dim",
    "warning": "yellow",
    "bad": "bold red",
}
_GAP: Final = 2
_NARROWEST_TEXT: Final = 20
"""Columns of a terminal that a text keeps at least, when it has as many."""


def screen_text(page: Page, console: Console) -> str:
    """The page as this console would show it, escape codes included."""
    with console.capture() as captured:
        console.print(_text(page.title, "bold " + _STYLES[page.tone]), highlight=False)
        for section in page.sections:
            for shown in _section(section, console.width):
                console.print(shown, highlight=False)
    return captured.get()


def _text(text: str, style: str = "") -> Text:
    return Text(visible(text).rstrip(), style.strip(), overflow="fold")


def _section(section: Section, width: int) -> Iterator[RenderableType]:
    yield ""
    if section.title is not None:
        yield _text(section.title, "bold underline")
    for block in section.blocks:
        yield from _block(block, width)


def _block(block: Block, width: int) -> Iterator[RenderableType]:
    match block:
        case Paragraph(text, tone, indent):
            yield from (_text(line, _STYLES[tone]) for line in wrapped(visible(text), width, indent))
        case Listing(items):
            for item in items:
                yield from _item(item)
        case PageTable():
            yield from _tables(fit_to_width(block, width) if block.clip else block, width)


def _item(item: Item) -> Iterator[RenderableType]:
    style = _STYLES[item.tone]
    yield _beside(Text("-", style), _text(item.text, style))
    for line in item.quote:
        yield Text(f"    {visible(line)}".rstrip(), no_wrap=True, overflow="ignore")
    for line in item.details:
        yield _beside(Text(" "), _text(line))


def _beside(mark: Text, text: Text) -> Grid:
    """A text whose further lines start below its first word."""
    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(mark, text)
    return grid


def _tables(table: PageTable, width: int) -> Iterator[RenderableType]:
    """The table, or as many as its columns need, in their order."""
    cells = [[visible(row[index]) for row in table.rows] for index in range(len(table.columns))]
    heads = [visible(column.head) for column in table.columns]
    natural = [max(map(cell_len, [head, *column])) for head, column in zip(heads, cells, strict=True)]
    folded = sum(natural) + _GAP * (len(natural) - 1) > width
    if folded:
        heads = [head.replace(" ", "\n").replace("\n%", " %") for head in heads]
    needed = [_needed(*each) for each in zip(table.columns, heads, cells, strict=True)] if folded else natural
    for number, places in enumerate(_parts(needed, _keys(table.columns, needed, width), width)):
        if number:
            yield ""
        grid = Grid(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
        for place in places:
            is_number = table.columns[place].number
            grid.add_column(
                Text(heads[place]),
                justify="right" if is_number else "left",
                vertical="top",
                no_wrap=is_number,
                overflow="fold",
                min_width=min(needed[place], width),
            )
        for row in range(len(table.rows)):
            style = _STYLES[table.tones[row]] if table.tones else ""
            grid.add_row(*(Text(cells[place][row], overflow="fold") for place in places), style=style)
        yield grid


def _needed(column: Head, head: str, cells: Sequence[str]) -> int:
    """The least width that keeps a column readable."""
    widest_cell = max(map(cell_len, cells), default=0)
    return max(
        widest_cell if column.number else min(widest_cell, _NARROWEST_TEXT),
        *(cell_len(word) for word in head.split("\n")),
    )


def _keys(columns: Sequence[Head], needed: Sequence[int], width: int) -> int:
    """How many columns say what a row is about: one, or two where the second is text as well and leaves room."""
    if len(columns) < 3 or columns[1].number:
        return 1
    return 2 if needed[0] + needed[1] + 2 * _GAP + max(needed[2:]) <= width else 1


def _parts(needed: Sequence[int], keys: int, width: int) -> Iterator[list[int]]:
    """The columns of each table: the keys, and as many others as fit beside them."""
    start = list(range(keys))
    places = [*start]
    for index in range(keys, len(needed)):
        taken = sum(needed[one] + _GAP for one in places) + needed[index]
        if taken > width and len(places) > keys:
            yield places
            places = [*start]
        places.append(index)
    yield places
