"""A page that knows nothing of its format: a title and sections of paragraphs, tables and lists.

Reports say what is on the page; formats say how it is written. Text in a page is the user's as it stands: each format
escapes what would harm it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from evaluators.reports.display import visible, width
from evaluators.runs.metrics import UNDEFINED

Tone: TypeAlias = Literal["plain", "good", "note", "warning", "bad"]
"""How much a line matters. Words always carry the meaning too; a tone only colours them."""
NOTHING: Final = ("", "0", UNDEFINED)
"""Cells that say nothing."""


class Paragraph(Struct, frozen=True):
    """One or more sentences."""

    text: str
    tone: Tone = "plain"
    indent: str = ""
    """What its further lines begin with, where it is wrapped."""
    whole_words: bool = False
    """A word that is wider than a line, such as the name of a file, has a line of its own and is not broken."""


class Item(Struct, frozen=True):
    """One line of a list, with what belongs to it below: lines quoted as they stand, then lines of text."""

    text: str
    details: tuple[str, ...] = ()
    quote: tuple[str, ...] = ()
    tone: Tone = "plain"
    link: str = ""
    """An address that a page for a browser lets its reader follow. It is never text of a row."""


class Listing(Struct, frozen=True):
    """A list of items."""

    items: tuple[Item, ...]


class Head(Struct, frozen=True):
    """The head of a table's column. Numbers are set on the right."""

    head: str
    number: bool = False
    caption: bool = False
    """It says what the whole table is about: it stands above the other heads where the texts of its column stand below their rows."""


def heads(*names: str) -> tuple[Head, ...]:
    """The heads of a table by their names; a name that begins with `#` heads a column of numbers."""
    return tuple(Head(name.removeprefix("#"), name.startswith("#")) for name in names)


class PageTable(Struct, frozen=True):
    """Rows of cells, as many as there are columns. `tones` has one tone per row, or none at all."""

    columns: tuple[Head, ...]
    rows: tuple[tuple[str, ...], ...]
    tones: tuple[Tone, ...] = ()


class Column(Struct, frozen=True):
    """A column of a table: its head, and what its cell says of an item."""

    head: str
    cell: Callable[[Any], str]
    number: bool = True
    optional: bool = False
    """It is left out where it says 0 or nothing of every item."""
    caption: bool = False
    """As of a `Head`."""


def text_column(head: str, cell: Callable[[Any], str] | None = None, optional: bool = False) -> Column:
    """A column of text: by default, the attribute called like the head."""
    return Column(head, cell or (lambda item: getattr(item, head) or ""), number=False, optional=optional)


def count_columns(*names: str, optional: bool = False) -> tuple[Column, ...]:
    """Columns of counts, each of the attribute called like it."""
    return tuple(Column(name.replace("_", " "), partial(_count, name), optional=optional) for name in names)


def _count(name: str, item: Any) -> str:
    return f"{getattr(item, name):,}"


def table_of(items: Iterable[Any], columns: Sequence[Column], tone: Callable[[Any], Tone] | None = None) -> PageTable:
    """The table of some items, without the optional columns that say 0 or nothing of all of them. `tone` gives the tone of an item's row;
    without it rows have none."""
    items = list(items)
    cells = [(column, [column.cell(item) for item in items]) for column in columns]
    shown = [
        (column, texts) for column, texts in cells if not column.optional or any(cell not in NOTHING for cell in texts)
    ]
    return PageTable(
        tuple(Head(column.head, column.number, column.caption) for column, _ in shown),
        tuple(zip(*(texts for _, texts in shown), strict=True)),
        tuple(map(tone, items)) if tone else (),
    )


Block: TypeAlias = Paragraph | Listing | PageTable


class Section(Struct, frozen=True):
    """Blocks under a heading; the first section of a page may have none."""

    title: str | None
    blocks: tuple[Block, ...]
    in_summary: tuple[Section, ...] | None = None
    """What the file summary.txt has in its place: the words and lines of extract-bench's report."""
    id: str = ""
    """What formats know it by, where one shows it in a way of its own; its title is for people."""


class Page(Struct, frozen=True):
    """A page."""

    title: str
    sections: tuple[Section, ...]
    tone: Tone = "plain"
    columns: int | None = None
    """How wide it is where nobody asks for another width; the lines of a section then stand close."""


def list_section(title: str, items: Iterable[Item], id: str = "") -> tuple[Section, ...]:
    """A section with a list; nothing without items."""
    items = tuple(items)
    return (Section(title, (Listing(items),), id=id),) if items else ()


def table_width(table: PageTable) -> int:
    """How many columns the table takes as plain text, its heads folded at their spaces."""
    heads = (max(column.head.split(" "), key=width) for column in table.columns)
    widths = [max(width(visible(cell)) for cell in column) for column in zip(heads, *table.rows, strict=True)]
    return sum(widths) + 2 * (len(widths) - 1)
