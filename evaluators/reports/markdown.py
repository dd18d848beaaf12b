"""A page as Markdown, with pipe tables.

A page of our own words, such as a reference page, has its back-ticks as they stand. In any other page the text is the user's, and Markdown
shows it as it stands: no markup, no link, no mention.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from evaluators.reports.display import visible
from evaluators.reports.document import Block, Item, Listing, Page, PageTable, Paragraph
from evaluators.scoring.values.late_pattern import late_pattern

Write: TypeAlias = Callable[[str], str]
"""How a text is escaped."""
_SPECIAL: Final = late_pattern(r"[\\`*\[\]<>|~#$]|(?<![^\W_])_|_(?![^\W_])")
_OPENING: Final = late_pattern(r"^(\s*)([-+=]|\d+(?=[.)](?:\s|$)))")
_TICKS: Final = late_pattern("`+")
_CODE: Final = late_pattern(r"`([^`]+)`")
_OWN_CODE: Final = late_pattern(r"(`+[^`]+`+)")
_OWN_SPECIAL: Final = late_pattern(r"[*_<>\[\]]")
_LINK: Final = late_pattern(r"(?i)\b(https?|ftp|mailto|www)([:.])")
_MENTION: Final = late_pattern(r"@(?=\w)")


def page_markdown(page: Page, own_words: bool = False) -> str:
    """The page as Markdown, ending in a line feed. `own_words` says that all of its text is the package's own."""
    title, text, cell = (_escape_own, _escape_own, _own_cell) if own_words else (escape, with_code, escape)
    blocks = [f"# {title(page.title)}"]
    for section in page.sections:
        blocks += [f"## {title(section.title)}"] if section.title is not None else []
        blocks += (_block(block, text, cell) for block in section.blocks)
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """The text so that Markdown shows it as it stands: no markup, no link, no mention, one line."""
    plain = _SPECIAL.sub(r"\\\g<0>", visible(text).replace("&", "&amp;"))
    plain = _MENTION.sub("&#64;", _LINK.sub(r"\1&#8203;\2", plain))
    return _OPENING.sub(_escaped_opening, plain)


def with_code(text: str) -> str:
    """A sentence so that Markdown shows it as it stands, with what is between two back-ticks as code: there nothing is markup."""
    parts = _CODE.split(visible(text))
    if len(parts) == 1 or any("`" in part for part in parts[::2]):
        return escape(text)
    return "".join(f"`{part}`" if index % 2 else escape(part) if part else "" for index, part in enumerate(parts))


def _escaped_opening(match: re.Match[str]) -> str:
    """The text in place of a match of `_OPENING`: a mark that would begin a list or a heading, escaped."""
    space, mark = match.groups()
    return f"{space}{mark}\\" if mark.isdigit() else f"{space}\\{mark}"


def _escape_own(text: str) -> str:
    """A text of our own with its marks escaped, those in back-ticks aside."""
    parts = _OWN_CODE.split(visible(text))
    return "".join(part if index % 2 else _OWN_SPECIAL.sub(r"\\\g<0>", part) for index, part in enumerate(parts))


def _own_cell(text: str) -> str:
    """A text of our own as the cell of a table."""
    return _escape_own(text).replace("|", "\\|")


def _block(block: Block, text: Write, cell: Write) -> str:
    """A block as Markdown; `text` and `cell` write words of a paragraph and of a table's cell."""
    match block:
        case Paragraph(words):
            return text(words)
        case Listing(items):
            between = "\n\n" if any(item.quote for item in items) else "\n"
            return between.join(_item(item, text) for item in items)
        case PageTable():
            return _table(block, cell)


def _item(item: Item, text: Write) -> str:
    """A line of a list with its details below it; with quoted lines, a paragraph, a block of code, and the details."""
    details = [*map(text, item.details)]
    if not item.quote:
        return "\\\n  ".join([f"- {text(item.text)}", *details])
    code = "\n".join(_fence(item.quote, "text" if item.text else "yaml"))
    return "\n\n".join(filter(None, (f"**{text(item.text)}**" if item.text else "", code, "\\\n".join(details))))


def _fence(lines: tuple[str, ...], language: str) -> list[str]:
    """Lines as a block of code, in a fence that none of them ends."""
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall("\n".join(lines))), default=0))
    return [f"{fence}{language}", *map(visible, lines), fence]


def _table(table: PageTable, cell: Write) -> str:
    """A pipe table, its numeric columns aligned to the right."""

    def row(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    heads = row(cell(column.head) for column in table.columns)
    marks = row("---:" if column.number else "---" for column in table.columns)
    return "\n".join([heads, marks, *(row(map(cell, cells)) for cells in table.rows)])
