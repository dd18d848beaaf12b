"""What is on the page beside the lines of the run folder: sections as other formats have them, words, and the order of fields.

Evaluators, fields and slices, which the script draws in its own way, are taken from `run.json`, as that is described.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

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
from evaluators.runs.result import ConfidenceBin, RunResult
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
        "name": one.word, "letter": letter, "word": FIELD_WORDS[one.word].plain, "sign": FIELD_WORDS[one.word].sign,
        "tone": FIELD_WORDS[one.word].tone, "wrong": one in WRONG,
    }
    for one, letter in zip(FIELD_STATUSES, LETTERS, strict=True)
]  # fmt: skip
_ROWS: Final = {name: {"word": one.plain, "sentence": one.sentence} for name, one in ROW_WORDS.items()}
WORDS: Final[Encoded] = {"statuses": _STATUSES, "rows": _ROWS}


def page_payload(document: Page, headline: str = "") -> Encoded:
    """A neutral page. A headline that ends its title stands below it, with its tone."""
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
    """The page of a run. Without rows it has the metrics alone."""
    page = run_page(result, options)
    page = replace(page, sections=tuple(one for one in page.sections if one.id not in _NOT_ON_PAGE))
    payload = page_payload(page, page.title.removeprefix(f"{result.name}: "))
    tables = {label_id(place): place for place in range(len(result.confusion_matrices))}
    plots = {confidence_id(place): one for place, one in enumerate(result.confidence)}
    for section in payload["sections"]:
        if section["id"] in tables:
            section["labels"] = tables[section["id"]]
        if section["id"] in plots:
            section["bins"] = [_bin(one) for one in plots[section["id"]].bins]
    fields = [
        (place, number, stats, field)
        for place, stats in enumerate(result.evaluators)
        for number, field in enumerate(stats.fields)
    ]
    weakest = sorted(fields, key=lambda found: (found[3].counts.n == 0, weakness(*found[2:])))  # the unmeasured come last
    not_listed = sum(stats.fields_not_listed for stats in result.evaluators)
    return {
        **payload,
        "words": WORDS,
        "verdict": list(verdict_lines(result, options)),
        "run": _run(result, facts),
        "mistakes": [_mistake(result, options, one) for one in options.mistakes[:MOST_MISTAKES]],
        "metrics": [
            [one.name, one.word, one.meaning]
            for one in EVALUATOR_METRICS
            if one.kind == "score" and one.name not in _DRAWN
        ],
        "legend": _legend(result),
        "weakest": [[place, field] for place, field, *_ in weakest[:MOST_FIELDS]],
        "moreFields": max(0, len(weakest) - MOST_FIELDS) + not_listed,
        "moreSlices": max(0, len(result.slices) - MOST_SLICES),
        "rows": rows.index if rows is not None else None,
    }


def _mistake(result: RunResult, options: Options, one: Mistake) -> Encoded:
    """A mistake for the page: where it is, how often, in which rows, and what would forgive it."""
    return {
        "evaluator": one.evaluator,
        "variant": one.variant,
        "field": one.field,
        "said": one.said,
        "count": mistake_count(result, options, one),
        "rows": one.rows,
        "forgiven": forgiven_by(options, one),
    }


def _bin(one: ConfidenceBin) -> Encoded:
    ci = None if one.ci is None else [one.ci.low, one.ci.high]
    return {"low": one.low, "high": one.high, "right": one.accuracy, "ci": ci, "said": bin_line(one)}


def _run(result: RunResult, facts: RecordFacts | None) -> Encoded:
    """The keys of `run.json` that the page reads."""
    body = run_document(result, facts)
    record = body.get("record") or {"evaluators": [], "slices": []}
    return {
        "variants": body["variants"],
        "evaluators": body["evaluators"],
        "slices": [{**one, "fields": []} for one in body["slices"][:MOST_SLICES]],
        "confusion_matrices": body.get("confusion_matrices", []),
        "record": {key: record[key] for key in ("evaluators", "slices")},
    }


def _sections(sections: Iterable[Section]) -> Iterator[Encoded]:
    """Sections with their blocks, each with an id that no other has."""
    taken: set[str] = set()
    for section in sections:
        name = section.id or re.sub("[^a-z0-9]+", "-", (section.title or "").lower())
        free = (name if index == 1 else f"{name}-{index}" for index in range(1, len(taken) + 2))
        taken.add(id_ := next(one for one in free if one not in taken))
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
    said = {"text": item.text, "details": list(item.details), "quote": list(item.quote), "tone": item.tone}
    return {**said, "link": item.link} if item.link.startswith(("http://", "https://")) else said


def _legend(result: RunResult) -> list[Encoded]:
    """What stands below the table of evaluators in the other formats: remarks, and what the words mean."""
    blocks = [block for section in evaluator_section(result) for block in section.blocks]
    return [_item(item) for block in blocks if isinstance(block, Listing) for item in block.items]
