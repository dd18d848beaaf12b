"""Markdown with pipe tables: `-o FILE.md` for a pull request or a CI page, and `fields.md` in the run folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from evaluators.reports.display import visible
from evaluators.reports.document import Block, Item, Listing, Page, PageTable, Paragraph, Section
from evaluators.reports.format import PageFormat
from evaluators.reports.headline import Options
from evaluators.reports.outcome_format import OpenFile, OutcomesFormat
from evaluators.reports.outcome_table import MOST_OUTCOMES, with_outcomes
from evaluators.reports.record_parts import ReportPart
from evaluators.reports.run_page import fields_page
from evaluators.run.result import RunResult

_SPECIAL: Final = re.compile(r"[\\`*\[\]<>|~#$]|(?<![^\W_])_|_(?![^\W_])")
_OPENING: Final = re.compile(r"^(\s*)([-+=]|\d+(?=[.)](?:\s|$)))")
_FENCE: Final = re.compile("`+")
_CODE: Final = re.compile(r"`([^`]+)`")
_LINK: Final = re.compile(r"(?i)\b(https?|ftp|mailto|www)([:.])")
_MENTION: Final = re.compile(r"@(?=\w)")


class MarkdownFormat(PageFormat, OutcomesFormat):
    """Markdown."""

    words = ("markdown", "md")
    suffixes = (".md", ".markdown")

    def page(self, document: Page) -> str:
        """The page as Markdown."""
        blocks = [f"# {escaped(document.title)}"]
        for section in document.sections:
            blocks.extend(_section(section))
        return "\n\n".join(blocks) + "\n"

    def folder_files(self, result: RunResult, options: Options) -> Mapping[str, str]:
        """`fields.md`, with every field."""
        return {"fields.md": self.page(fields_page(result))}

    def folder_outcomes(self, result: RunResult, parts: Sequence[ReportPart], open_file: OpenFile) -> None:
        """`fields.md` once more, with every outcome below the fields, where there are few."""
        if sum(part.outcomes for part in parts) <= MOST_OUTCOMES:
            with open_file("fields.md") as stream:
                stream.write(self.page(with_outcomes(fields_page(result), parts)))


def escaped(text: str) -> str:
    """The text so that Markdown shows it as it stands: no markup, no link, no mention, one line."""
    plain = _SPECIAL.sub(r"\\\g<0>", visible(text).replace("&", "&amp;"))
    plain = _MENTION.sub("&#64;", _LINK.sub(r"\1&#8203;\2", plain))
    return _OPENING.sub(_escaped_opening, plain)


def with_code(text: str) -> str:
    """A sentence so that Markdown shows it as it stands, with what is between two back-ticks as code: there nothing is markup."""
    parts = _CODE.split(visible(text))
    if len(parts) == 1 or any("`" in part for part in parts[::2]):
        return escaped(text)
    return "".join(f"`{part}`" if place % 2 else escaped(part) if part else "" for place, part in enumerate(parts))


def _escaped_opening(found: re.Match[str]) -> str:
    space, mark = found.groups()
    return f"{space}{mark}\\" if mark.isdigit() else f"{space}\\{mark}"


def _section(section: Section) -> Iterable[str]:
    if section.title is not None:
        yield f"## {escaped(section.title)}"
    yield from (_block(block) for block in section.blocks)


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return with_code(text)
        case Listing(items):
            return "\n".join(_item(item) for item in items)
        case PageTable():
            return _table(block)


def _item(item: Item) -> str:
    lines = [f"- {with_code(item.text)}"]
    if item.quote:
        fence = "`" * max(3, 1 + max(map(len, _FENCE.findall("\n".join(item.quote))), default=0))
        lines.extend(f"  {line}".rstrip() for line in (fence, *map(visible, item.quote), fence))
    lines.extend(f"  {with_code(line)}" for line in item.details)
    return ("\n" if item.quote else "\\\n").join(lines)


def _table(table: PageTable) -> str:
    heads = tuple(column.head for column in table.columns)
    marks = ("---:" if column.number else "---" for column in table.columns)
    rows = [_row(map(escaped, heads)), _row(marks), *(_row(map(escaped, row)) for row in table.rows)]
    return "\n".join(rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
