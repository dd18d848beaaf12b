"""Plain text with aligned tables: `summary.txt`, `-o FILE.txt`, and what is printed anywhere but on a terminal.

`summary.txt` is the summary that is printed. `-o FILE.txt` has every table, and says of a schema what extract-bench's report says, in
its words and lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from evaluators.reports.display import clipped, padded, visible, width
from evaluators.reports.document import Block, Item, Listing, Page, PageTable, Paragraph, Section
from evaluators.reports.format import PageFormat
from evaluators.reports.headline import Options
from evaluators.reports.summary import summary
from evaluators.run.result import RunResult

WIDEST_CELL: Final = 60


class TextFormat(PageFormat):
    """Plain text."""

    words = ("text",)
    suffixes = (".txt",)

    def page(self, document: Page) -> str:
        """The page as aligned plain text."""
        title = visible(document.title)
        lines = [title, "=" * width(title)]
        for section in document.sections:
            lines.extend(_section(section))
        return "\n".join(lines) + "\n"

    def render(self, result: RunResult, options: Options) -> str:
        """Every table of the run, as they stand in a file."""
        from evaluators.reports.run_page import run_page  # most runs write their summary alone

        document = run_page(result, options)
        sections = [section.in_summary or (section,) for section in document.sections]
        return self.page(replace(document, sections=tuple(one for several in sections for one in several)))

    def folder_files(self, result: RunResult, options: Options) -> Mapping[str, str]:
        """`summary.txt`."""
        return {"summary.txt": self.page(summary(result, options))}


def _section(section: Section) -> Iterable[str]:
    yield ""
    if section.title is not None:
        title = visible(section.title)
        yield title
        yield "-" * width(title)
    for block in section.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterable[str]:
    match block:
        case Paragraph(text):
            yield visible(text).rstrip()
        case Listing(items):
            for item in items:
                yield from _item(item)
        case PageTable():
            yield from _table(block)


def _item(item: Item) -> Iterable[str]:
    yield f"- {visible(item.text)}".rstrip()
    yield from (f"    {visible(line)}".rstrip() for line in item.quote)
    yield from (f"  {visible(line)}".rstrip() for line in item.details)


def _table(table: PageTable) -> Iterable[str]:
    heads = tuple(column.head for column in table.columns)
    rows = [tuple(clipped(visible(cell), WIDEST_CELL) for cell in row) for row in (heads, *table.rows)]
    widths = [max(width(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, table.columns, strict=True)
        yield "  ".join(padded(cell, columns, column.number) for cell, columns, column in cells).rstrip()
