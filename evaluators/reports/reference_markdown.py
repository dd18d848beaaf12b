"""A reference page as Markdown. Its words are the package's own, so words in backticks stay what they are: code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from evaluators.reports.display import visible
from evaluators.reports.document import Block, Item, Listing, Page, PageTable, Paragraph, Section

_CODE: Final = re.compile(r"(`+[^`]+`+)")
_MARKS: Final = re.compile(r"[*_<>\[\]]")
_TICKS: Final = re.compile(r"`+")


def page_markdown(document: Page) -> str:
    """The page as Markdown, ending in a line feed."""
    blocks = [f"# {_prose(document.title)}"]
    for section in document.sections:
        blocks.extend(_section(section))
    return "\n\n".join(blocks) + "\n"


def _section(section: Section) -> Iterable[str]:
    if section.title is not None:
        yield f"## {_prose(section.title)}"
    yield from (_block(block) for block in section.blocks)


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return _prose(text)
        case Listing(items):
            return ("\n\n" if any(item.quote for item in items) else "\n").join(_item(item) for item in items)
        case PageTable():
            return _table(block)


def _item(item: Item) -> str:
    """An item with quoted lines is a paragraph with a block of code; one without is a line of a list."""
    if not item.quote:
        return "\n".join([f"- {_prose(item.text)}", *(f"  {_prose(line)}" for line in item.details)])
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall("\n".join(item.quote))), default=0))
    code = "\n".join([f"{fence}text" if item.text else f"{fence}yaml", *map(visible, item.quote), fence])
    head = [f"**{_prose(item.text)}**"] if item.text else []
    details = ["\\\n".join(_prose(line) for line in item.details)] if item.details else []
    return "\n\n".join([*head, code, *details])


def _table(table: PageTable) -> str:
    rows = [
        _row(column.head for column in table.columns),
        _row("---:" if column.number else "---" for column in table.columns),
        *(_row(_prose(cell) for cell in row) for row in table.rows),
    ]
    return "\n".join(rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _prose(text: str) -> str:
    """The text with its marks escaped, those in backticks aside."""
    parts = _CODE.split(visible(text))
    return "".join(part if index % 2 else _MARKS.sub(r"\\\g<0>", part) for index, part in enumerate(parts))
