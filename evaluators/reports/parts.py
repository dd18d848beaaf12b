"""What sections share: columns of metrics; and for a summary lists and tables of at most so many rows, and how many more there are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from evaluators.reports.document import Block, Column, Paragraph, Section, table_of
from evaluators.runs.intervals import wilson
from evaluators.runs.metric_table import Metric, Place

ALWAYS: Final[tuple[Place, ...]] = ("always",)
"""The metrics that every table of a page has."""


def metric_columns(
    metrics: Iterable[Metric],
    places: Collection[Place],
    of: Callable[[Any], Any] = lambda item: item,
    intervals: bool = False,
) -> tuple[Column, ...]:
    """The columns of the metrics that have one of these places, each followed by its interval where `intervals` are shown.

    `of` finds in an item what has the metrics.
    """

    def columns(metric: Metric) -> Iterator[Column]:
        yield Column(metric.word, lambda item: metric.text(of(item)), optional=metric.place == "if any")
        if intervals and metric.ci:
            yield Column("95 % CI", lambda item: metric.interval_text(of(item)))

    return tuple(column for metric in metrics if metric.place in places for column in columns(metric))


def metric_texts(metrics: Iterable[Metric], stats: Any) -> str:
    """Metrics in a line: `Brier 0.1, AUROC 0.8`."""
    return ", ".join(f"{metric.brief or metric.word} {metric.text(stats)}" for metric in metrics)


WIDEST: Final = 80
"""Columns of a summary in a file."""
MORE: Final = "-v"


class Brief(NamedTuple):
    """What a summary says of a subject that has a section of its own on the page with every table."""

    lines: tuple[str, ...] = ()
    more: str = ""
    """What only that page has, in a few words; empty where the lines say all of it."""


def likely_at_most(right: int, of: int) -> float:
    """The upper end of the 95 % CI of a share, which the worst are sorted by: wrong once in one row may be chance. 1 where nothing was
    counted."""
    likely = wilson(right, of)
    return likely.high if likely is not None else 1.0


def list_part(lines: Iterable[Sequence[Paragraph]], most: int, title: str = "") -> tuple[Section, ...]:
    """A section with the first `most` of some texts, each of one line or more, and how many more there are; empty without texts."""
    texts = list(lines)
    first = [Paragraph(title)] if title else []
    return _part(len(texts), most, [*first, *(line for text in texts[:most] for line in text)])


def table_part(
    items: Iterable[Any],
    most: int,
    columns: Sequence[Column],
    below: Callable[[Any], str] = lambda item: "",
    under: str = "",
) -> tuple[Section, ...]:
    """A section with a table of the first `most` items, and how many more there are; empty without items.

    `below` gives a text to stand below an item, in the column with the head `under`; an empty one has no line.
    """
    items = list(items)
    table = table_of(items[:most], columns)
    rows: list[tuple[str, ...]] = []
    for item, row in zip(items, table.rows, strict=False):
        text = below(item)
        rows += [row, tuple(text if column.head == under else "" for column in table.columns)] if text else [row]
    return _part(len(items), most, [replace(table, rows=tuple(rows))])


def _part(count: int, most: int, blocks: Sequence[Block]) -> tuple[Section, ...]:
    """A section of these blocks, which show at most `most` of `count` things, and a note on how many more there are; empty without any."""
    more = [Paragraph(f"{count - most:,} more: {MORE}", "note")] if count > most else []
    return (Section(None, (*blocks, *more)),) if count and most > 0 else ()
