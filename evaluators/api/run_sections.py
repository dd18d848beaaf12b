"""The sections that the pages of a run have beside its figures, made from its folder alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from evaluators.builtin._texts import LabelRule
from evaluators.reports.document import Item, Listing, Section
from evaluators.reports.headline import Options
from evaluators.reports.near_miss_section import near_miss_section, not_searched
from evaluators.reports.record_parts import parts_of
from evaluators.reports.report_files import asked_files, hardest
from evaluators.reports.schema_sections import failed_section
from evaluators.run.record import RunRecord
from evaluators.run.recorder import SMALL_RUN
from evaluators.run.store import LINKS_JSON
from evaluators.suite.evaluator_line import EvaluatorLine

MOST_SUGGESTED: Final = 3
"""Near misses that a run ends with; reports show more, and `evaluators advice` all."""


def sections_of(
    record: RunRecord, lines: Sequence[EvaluatorLine], hard: int = 0, *, report: bool = True
) -> tuple[Section, ...]:
    """What failed first, the `hard` rows with the lowest scores, and the near misses: those of a `report`, or what a run ends with, which
    is a few of them where it is small, and else the command that searches."""
    parts = parts_of(record)
    return (
        *(failed_section(parts) if parts else ()),
        *([hardest(hard, record)] if hard else []),
        *_near_misses(record, lines, report),
    )


def _near_misses(record: RunRecord, lines: Sequence[EvaluatorLine], report: bool) -> tuple[Section, ...]:
    if not report and any(one.rows > SMALL_RUN for one in record.facts.variants):
        return not_searched(record.result)
    from evaluators.reports.near_miss_search import near_misses  # brings schemas along, which few suites have

    if report:
        return near_miss_section(near_misses(lines, record))
    found = near_misses(lines, record, wanted=MOST_SUGGESTED)
    return near_miss_section(found, more=len(found) == MOST_SUGGESTED)


def label_rules(lines: Sequence[EvaluatorLine]) -> dict[str, LabelRule]:
    """How the evaluators that have labels read them, by name."""
    return {line.name: rule for line in lines if (rule := line.settings.label_rule()) is not None}


def sent_section(folder: Path) -> tuple[Section, ...]:
    """Where the run in a folder was sent, if it was."""
    if not (folder / LINKS_JSON).is_file():
        return ()
    from evaluators.tracking.sending import links_of

    items = (
        Item(f"{link.platform}: {link.url or 'no address'} (run {link.run_id})", link=link.url or "")
        for link in links_of(folder)
    )
    return (Section("Where it was sent", (Listing(tuple(items)),)),)


def pages_again(record: RunRecord, pages: Iterable[Path], options: Options) -> None:
    """Writes the pages of a run once more, now that it was sent."""
    asked_files(pages, record, replace(options, extra=(*options.extra, *sent_section(record.folder))))
