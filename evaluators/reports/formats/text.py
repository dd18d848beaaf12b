"""Plain text with aligned tables: `summary.txt`, `-o FILE.txt` and the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias

from evaluators.reports.display import clipped, padded, visible, width
from evaluators.reports.document import Block, Document, Item, Listing, Paragraph, Section, Table, Tone
from evaluators.reports.format import PageFormat
from evaluators.reports.summary import Options
from evaluators.runs.result import RunResult

WIDEST_CELL: Final = 60

Look: TypeAlias = Tone | Literal["heading"]
Paint: TypeAlias = Callable[[str, Look], str]


class TextFormat(PageFormat):
    """Plain text."""

    words = ("text",)
    suffixes = (".txt",)

    def page(self, document: Document) -> str:
        """The page as aligned plain text."""
        return page_text(document, lambda line, look: line)

    def folder_files(self, result: RunResult, options: Options) -> Mapping[str, str]:
        """`summary.txt`."""
        return {"summary.txt": self.render(result, options)}


def page_text(document: Document, paint: Paint) -> str:
    """The page as aligned text. `paint` colours a line; it must not change its width."""
    title = visible(document.title)
    lines = [paint(title, document.tone), "=" * width(title)]
    for section in document.sections:
        lines.extend(_section(section, paint))
    return "\n".join(lines) + "\n"


def _section(section: Section, paint: Paint) -> Iterable[str]:
    yield ""
    if section.title is not None:
        title = visible(section.title)
        yield paint(title, "heading")
        yield "-" * width(title)
    for block in section.blocks:
        yield from _block(block, paint)


def _block(block: Block, paint: Paint) -> Iterable[str]:
    match block:
        case Paragraph(text, tone):
            yield paint(visible(text).rstrip(), tone)
        case Listing(items):
            for item in items:
                yield from _item(item, paint)
        case Table():
            yield from _table(block, paint)


def _item(item: Item, paint: Paint) -> Iterable[str]:
    yield paint(f"- {visible(item.text)}".rstrip(), item.tone)
    yield from (f"    {visible(line)}".rstrip() for line in item.quote)
    yield from (f"  {visible(line)}".rstrip() for line in item.details)


def _table(table: Table, paint: Paint) -> Iterable[str]:
    heads = tuple(column.head for column in table.columns)
    rows = [tuple(clipped(visible(cell), WIDEST_CELL) for cell in row) for row in (heads, *table.rows)]
    widths = [max(width(cell) for cell in column) for column in zip(*rows, strict=True)]
    looks: list[Look] = ["heading", *(table.tones or ["plain" for _ in table.rows])]
    for row, look in zip(rows, looks, strict=True):
        cells = zip(row, widths, table.columns, strict=True)
        line = "  ".join(padded(cell, columns, column.number) for cell, columns, column in cells)
        yield paint(line.rstrip(), look)
