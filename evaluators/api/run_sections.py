"""The sections that the pages of a run have beside its figures, made from its folder alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from evaluators.builtin._labels import LabelRule
from evaluators.reports.document import Item, Listing, Section
from evaluators.reports.headline import Options
from evaluators.reports.near_miss_section import near_miss_section
from evaluators.reports.record_parts import parts_of
from evaluators.reports.report_files import asked_files, hardest
from evaluators.reports.schema_sections import failed_section
from evaluators.run.record import RunRecord
from evaluators.run.store import LINKS_JSON
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.value_class import replace


def sections_of(record: RunRecord, lines: Sequence[EvaluatorLine], hard: int = 0) -> tuple[Section, ...]:
    """What failed first, the `hard` rows with the lowest scores, and the near misses."""
    from evaluators.reports.near_miss_search import near_misses  # brings schemas along, which few suites have

    parts = parts_of(record)
    return (
        *(failed_section(parts) if parts else ()),
        *([hardest(hard, record)] if hard else []),
        *near_miss_section(near_misses(lines, record)),
    )


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
