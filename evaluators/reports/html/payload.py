"""What is on the page, as plain data: the sections of a neutral page as they are, and those that the script draws.

The wording is that of the other formats: their sections are taken over, and only evaluators, fields and slices, which the
script draws in its own way, are replaced by their figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evaluators.reports.document import Block, Item, Listing, Page, PageTable, Paragraph, Section
from evaluators.reports.headline import Options
from evaluators.reports.html.packed_rows import Encoded, EvaluatorFacts, PackedRows
from evaluators.reports.run_page import run_page
from evaluators.reports.run_tables import label_title
from evaluators.reports.tables import evaluator_section, of_part
from evaluators.run.figures import interval_text, percent_text, score_text
from evaluators.run.intervals import wilson
from evaluators.run.result import ConfusionMatrix, Counts, EvaluatorStats, FieldStats, RunResult

MOST_FIELDS: Final = 2_000
"""Fields in the heat-map, the weakest ones; all of them are in run.json."""
MOST_SLICES: Final = 2_000

_DRAWN: Final = {"Evaluators": "evaluators", "Fields with the lowest accuracy": "fields", "Slices": "slices"}
_COUNTED: Final = (
    "scored", "passed", "failed", "blocked", "unreadable", "skipped", "not_measured", "invalid", "unjudged", "bugs",
)  # fmt: skip


def page_payload(document: Page, headline: str = "") -> Encoded:
    """A neutral page. A headline that ends its title stands below it, with its tone."""
    return {
        "title": document.title.removesuffix(f": {headline}") if headline else document.title,
        "headline": headline,
        "tone": document.tone,
        "sections": [_section(one) for one in document.sections],
    }


def run_payload(
    result: RunResult, options: Options, facts: Sequence[EvaluatorFacts] = (), rows: PackedRows | None = None
) -> Encoded:
    """The page of a run. Without rows it has the figures alone."""
    page = run_page(result, options)
    return {
        "title": result.name,
        "headline": page.title.removeprefix(f"{result.name}: "),
        "tone": page.tone,
        "sections": _with_label_tables([_drawn(section) for section in page.sections], result),
        "evaluators": [_evaluator(stats, _fact(facts, stats.name)) for stats in result.evaluators],
        "names": [one.name for one in facts] or list(dict.fromkeys(stats.name for stats in result.evaluators)),
        "texts": [place for place, one in enumerate(facts) if one.compares_texts],
        "labels": [_label_table(table) for table in result.confusion_matrices],
        "listed": [list(one.fields) for one in facts],
        "places": [one.where for one in facts],
        "fieldPlaces": [dict(one.field_places) for one in facts],
        "rules": _rules(rows, len(facts)) if rows is not None else [],
        "fields": _fields(result.evaluators),
        "slices": [_slice(stats) for stats in result.slices[:MOST_SLICES]],
        "moreSlices": max(0, len(result.slices) - MOST_SLICES),
        "variants": list(result.variants),
        "legend": _legend(result),
        "rows": rows.columns if rows is not None else None,
    }


def _drawn(section: Section) -> Encoded:
    drawn = _DRAWN.get(section.title or "")
    return {"draw": drawn, "title": section.title} if drawn else _section(section)


def _with_label_tables(sections: list[Encoded], result: RunResult) -> list[Encoded]:
    """The sections, those about labels with the place of their table: the script leads from its cells to rows."""
    places = {label_title(table): place for place, table in enumerate(result.confusion_matrices)}
    return [{**one, "labels": places[one["title"]]} if one["title"] in places else one for one in sections]


def _label_table(table: ConfusionMatrix) -> Encoded:
    return {
        "evaluator": table.evaluator,
        "variant": table.variant,
        "labels": [one.label for one in table.labels],
        "columns": list(table.columns),
        "cells": [[cell.expected, cell.output, cell.count] for cell in table.cells],
    }


def _section(section: Section) -> Encoded:
    return {"title": section.title, "blocks": [_block(block) for block in section.blocks]}


def _block(block: Block) -> Encoded:
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


def _fact(facts: Sequence[EvaluatorFacts], name: str) -> EvaluatorFacts | None:
    return next((one for one in facts if one.name == name), None)


def _evaluator(stats: EvaluatorStats, fact: EvaluatorFacts | None) -> Encoded:
    return {
        "name": stats.name,
        "variant": stats.variant,
        "type": stats.type,
        "where": fact.where if fact else "",
        "mean": stats.mean,
        "mean_text": of_part(stats, score_text(stats.mean)),
        "mean_ci": [stats.mean_ci.low, stats.mean_ci.high] if stats.mean_ci else None,
        "pass_rate": of_part(stats, percent_text(stats.pass_rate)),
        "pass_rate_ci": interval_text(stats.pass_rate_ci) if stats.pass_rate_ci else "",
        "rows": stats.rows,
        "counts": {name: getattr(stats, name) for name in _COUNTED},
        "metrics": _ratios(stats),
        "minimum_detectable_effect": score_text(stats.minimum_detectable_effect)
        if stats.minimum_detectable_effect is not None
        else "",
    }


def _ratios(stats: EvaluatorStats) -> list[list[str]]:
    named = (
        ("micro precision", stats.micro_precision),
        ("micro recall", stats.micro_recall),
        ("micro F1", stats.micro_f1),
    )
    return [[name, score_text(figure)] for name, figure in named if figure is not None]


def _legend(result: RunResult) -> list[Encoded]:
    """What stands below the table of evaluators in the other formats: remarks, and what the words mean."""
    blocks = [block for section in evaluator_section(result) for block in section.blocks]
    return [_item(item) for block in blocks if isinstance(block, Listing) for item in block.items]


def _fields(evaluators: Sequence[EvaluatorStats]) -> Encoded:
    """Every field, the weakest first; those that no row measured come last."""
    found = [(stats, field) for stats in evaluators for field in stats.fields]
    found.sort(key=_weakness)
    more = max(0, len(found) - MOST_FIELDS) + sum(stats.fields_not_listed for stats in evaluators)
    return {"rows": [_field(stats, field) for stats, field in found[:MOST_FIELDS]], "more": more}


def _weakness(pair: tuple[EvaluatorStats, FieldStats]) -> tuple[bool, float, float, str, str, str]:
    """The upper end of the interval first: wrong once in one row may be chance."""
    stats, field = pair
    counts = field.counts
    likely = wilson(counts.match, counts.n)
    return (
        likely is None, likely.high if likely else 1.0, field.accuracy or 0.0, stats.name, stats.variant or "", field.path,
    )  # fmt: skip


def _field(stats: EvaluatorStats, field: FieldStats) -> Encoded:
    return {
        "evaluator": stats.name,
        "variant": stats.variant,
        "path": field.path,
        "accuracy": field.accuracy,
        "accuracy_text": score_text(field.accuracy),
        "counts": _counts(field.counts),
        "metrics": [
            [name, score_text(figure)]
            for name, figure in (
                ("precision", field.precision), ("recall", field.recall), ("F1", field.f1),
            )
            if figure is not None
        ],
    }  # fmt: skip


def _counts(counts: Counts) -> list[int]:
    """By the number of the status: not measured, match, mismatch, omission, hallucination, skipped, error, fault."""
    return [
        counts.not_measured, counts.match, counts.mismatch, counts.omission, counts.hallucination, counts.skipped,
        counts.error, counts.not_judged,
    ]  # fmt: skip


def _slice(stats: EvaluatorStats) -> Encoded:
    column, value = stats.slice or ("", "")
    return {
        "column": column.removeprefix("row."),
        "value": value,
        "evaluator": stats.name,
        "variant": stats.variant,
        "mean": stats.mean,
        "mean_text": of_part(stats, score_text(stats.mean)),
        "pass_rate": of_part(stats, percent_text(stats.pass_rate)),
        "pass_rate_ci": interval_text(stats.pass_rate_ci) if stats.pass_rate_ci else "",
        "scored": stats.scored,
        "rows": stats.rows,
    }


def _rules(rows: PackedRows, evaluators: int) -> list[dict[str, str]]:
    found: list[dict[str, str]] = [{} for _ in range(evaluators)]
    for (evaluator, path), rule in rows.rules.items():
        found[evaluator][path] = rule
    return found
