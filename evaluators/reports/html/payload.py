"""What is on the page beside the lines of the run folder: sections as other formats have them, words, and the order of fields.

Evaluators, fields and slices, which the script draws in its own way, are taken from `run.json`, as that is described.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec.structs import replace

from evaluators.model.rows import FIELD_STATUSES
from evaluators.model.words import FIELD_WORDS, ROW_WORDS
from evaluators.reports.display import visible
from evaluators.reports.document import Block, Item, Listing, Page, PageTable, Paragraph, Section
from evaluators.reports.headline import Options
from evaluators.reports.html.rows import EmbeddedRows, Encoded
from evaluators.reports.mistakes import Mistake
from evaluators.reports.run_page import run_page
from evaluators.reports.sections.confidence import bin_line, confidence_id
from evaluators.reports.sections.evaluators import evaluator_section
from evaluators.reports.sections.fields import MOST_MISTAKES, forgiven_by, mistake_count, weakness
from evaluators.reports.sections.labels import label_id
from evaluators.reports.sections.verdict import VERDICT, verdict_lines
from evaluators.runs.metric_table import EVALUATOR_METRICS
from evaluators.runs.record_facts import RecordFacts
from evaluators.runs.record_lines import LETTERS
from evaluators.runs.result import ConfidenceBin, EvaluatorStats, FieldStats, RunResult
from evaluators.runs.run_json import run_document
from evaluators.scoring.fields.outcomes import WRONG

MOST_FIELDS: Final = 2_000
"""Fields in the heat-map, the weakest ones; all of them are in run.json."""
MOST_SLICES: Final = 2_000

_FOLDED: Final = ("metrics", "empty")
"""Sections that are opened on demand: their figures say again, in other ways, what stands above them."""
_DRAWN: Final = ("mean", "pass_rate", "minimum_detectable_effect")
"""Metrics of evaluators that the page draws, or puts in a sentence; a card lists the others."""
_NOT_ON_PAGE: Final = ("failed", VERDICT)
"""Sections that the table of rows says better, and the sentences that the page shows in large."""

_STATUSES: Final = [
    {
        "name": status.word, "letter": letter, "word": FIELD_WORDS[status.word].plain, "sign": FIELD_WORDS[status.word].sign,
        "tone": FIELD_WORDS[status.word].tone, "wrong": status in WRONG,
    }
    for status, letter in zip(FIELD_STATUSES, LETTERS, strict=True)
]  # fmt: skip
_ROWS: Final = {name: {"word": words.plain, "sentence": words.sentence} for name, words in ROW_WORDS.items()}
WORDS: Final[Encoded] = {"statuses": _STATUSES, "rows": _ROWS}


def page_payload(document: Page, headline: str = "") -> Encoded:
    """A page as data for the script that draws it. Where the title ends with the `headline`, that is taken off, to stand below the
    title."""
    return {
        "title": document.title.removesuffix(f": {headline}") if headline else document.title,
        "headline": headline,
        "tone": document.tone,
        "sections": list(_sections(document.sections)),
        "rows": None,
    }


def run_payload(
    result: RunResult, options: Options, facts: RecordFacts | None = None, rows: EmbeddedRows | None = None
) -> Encoded:
    """The page of a run as data for the script that draws it. `options` has the mistakes and suggestions to show; `facts` are those of the
    record, and `rows` those packed for the page: without `rows` it has the metrics alone. Of fields, slices and mistakes, it
    has the first, and how many more fields and slices there are."""
    page = run_page(result, options)
    page = replace(page, sections=tuple(section for section in page.sections if section.id not in _NOT_ON_PAGE))
    payload = page_payload(page, page.title.removeprefix(f"{result.name}: "))
    tables = {label_id(place): place for place in range(len(result.confusion_matrices))}
    plots = {confidence_id(place): confidence for place, confidence in enumerate(result.confidence)}
    for section in payload["sections"]:
        if section["id"] in tables:
            section["labels"] = tables[section["id"]]
        if section["id"] in plots:
            section["bins"] = [_bin(bin_) for bin_ in plots[section["id"]].bins]
    fields = [
        (place, number, stats, field)
        for place, stats in enumerate(result.evaluators)
        for number, field in enumerate(stats.fields)
    ]

    def unmeasured_last(numbered: tuple[int, int, EvaluatorStats, FieldStats]) -> tuple[bool, Any]:
        _, _, stats, field = numbered
        return field.counts.n == 0, weakness(stats, field)

    weakest = sorted(fields, key=unmeasured_last)
    not_listed = sum(stats.fields_not_listed for stats in result.evaluators)
    return {
        **payload,
        "words": WORDS,
        "verdict": list(verdict_lines(result, options)),
        "run": _run(result, facts),
        "mistakes": [_mistake(result, options, mistake) for mistake in options.mistakes[:MOST_MISTAKES]],
        "metrics": [
            [metric.name, metric.word, metric.meaning]
            for metric in EVALUATOR_METRICS
            if metric.kind == "score" and metric.name not in _DRAWN
        ],
        "legend": _legend(result),
        "weakest": [[place, field] for place, field, *_ in weakest[:MOST_FIELDS]],
        "moreFields": max(0, len(weakest) - MOST_FIELDS) + not_listed,
        "moreSlices": max(0, len(result.slices) - MOST_SLICES),
        "rows": rows.index if rows is not None else None,
    }


def _mistake(result: RunResult, options: Options, mistake: Mistake) -> Encoded:
    """A mistake for the page: where it is, how often, in which rows, and what would forgive it."""
    return {
        "evaluator": mistake.evaluator,
        "variant": mistake.variant,
        "field": mistake.field,
        "said": mistake.said,
        "count": mistake_count(result, options, mistake),
        "rows": mistake.rows,
        "forgiven": forgiven_by(options, mistake),
    }


def _bin(bin_: ConfidenceBin) -> Encoded:
    ci = None if bin_.ci is None else [bin_.ci.low, bin_.ci.high]
    return {"low": bin_.low, "high": bin_.high, "right": bin_.accuracy, "ci": ci, "said": bin_line(bin_)}


def _run(result: RunResult, facts: RecordFacts | None) -> Encoded:
    """The parts of `run.json` that the page reads: variants, evaluators, the first slices without their fields, label tables, and of the
    record the evaluators and slices."""
    body = run_document(result, facts)
    record = body.get("record") or {"evaluators": [], "slices": []}
    return {
        "variants": body["variants"],
        "evaluators": body["evaluators"],
        "slices": [{**slice_, "fields": []} for slice_ in body["slices"][:MOST_SLICES]],
        "confusion_matrices": body.get("confusion_matrices", []),
        "record": {key: record[key] for key in ("evaluators", "slices")},
    }


def _sections(sections: Iterable[Section]) -> Iterator[Encoded]:
    """Sections as data, each with its blocks, and with an id that no other of them has."""
    taken: set[str] = set()
    for section in sections:
        name = section.id or re.sub("[^a-z0-9]+", "-", (section.title or "").lower())
        free = (name if index == 1 else f"{name}-{index}" for index in range(1, len(taken) + 2))
        taken.add(id_ := next(candidate for candidate in free if candidate not in taken))
        title = section.title and visible(section.title)
        blocks = [_block(block) for block in section.blocks]
        yield {"id": id_, "title": title, "blocks": blocks, "folded": section.id in _FOLDED}


def _block(block: Block) -> Encoded:
    """A block of a section as the page's script reads it: a text, items, or a table."""
    match block:
        case Paragraph(text, tone):
            return {"text": text, "tone": tone}
        case Listing(items):
            return {"items": [_item(item) for item in items]}
        case PageTable(columns, rows, tones):
            heads = [[column.head, column.number] for column in columns]
            return {"columns": heads, "rows": [list(row) for row in rows], "tones": list(tones)}


def _item(item: Item) -> Encoded:
    record = {"text": item.text, "details": list(item.details), "quote": list(item.quote), "tone": item.tone}
    return {**record, "link": item.link} if item.link.startswith(("http://", "https://")) else record


def _legend(result: RunResult) -> list[Encoded]:
    """The lines below the table of evaluators in the other formats: remarks, and the meaning of words."""
    blocks = [block for section in evaluator_section(result) for block in section.blocks]
    return [_item(item) for block in blocks if isinstance(block, Listing) for item in block.items]
