"""What a run folder says of its suite: the text as it is written, and the overall score of each row, which goes by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluators.reports.tracking.metrics import Overall
from evaluators.runs.overall import overall_names, overall_verdict
from evaluators.runs.reader import Run
from evaluators.runs.result import RunResult
from evaluators.scoring.values.files import reading_inside
from evaluators.suites.extends import PRESETS
from evaluators.suites.source import as_written


def written_suite(record: Run) -> dict[str, Any]:
    """The suite of a run as plain data, as it is written; empty where the run folder has none, as when a program made it."""
    if not record.facts.suite:
        return {}
    with reading_inside(record.place, PRESETS):
        return as_written(record.place / record.facts.suite)


def settings_of(written: Any) -> Mapping[str, Any]:
    """The settings of an evaluator with its type, however it is written: a word, a map with one key, or the long form."""
    if isinstance(written, str):
        return {"type": written}
    if "type" not in written and len(written) == 1:
        ((word, options),) = written.items()
        return {"type": word, **(options if isinstance(options, Mapping) else {})}
    return dict(written)


def result_and_overall(record: Run, variant: str | None = None) -> tuple[RunResult, Mapping[str | None, Overall]]:
    """The result of a run and the overall scores of its rows; of one variant, both as a run without variants has them."""
    if variant is None:
        return record.result, overall_scores(record)
    return record.result.of_variant(variant), {None: overall_scores(record, (variant,))[variant]}


def overall_scores(record: Run, variants: Sequence[str | None] | None = None) -> dict[str | None, Overall]:
    """The overall scores of the rows of each variant, added up; those of `variants` alone where some are named."""
    names = [evaluator.name for evaluator in record.facts.evaluators]
    made_of = overall_names(names, set(_composite_parts(record)))
    places = [place for place, name in enumerate(names) if name in made_of]
    overalls: dict[str | None, Overall] = {}
    for variant in record.each_variant if variants is None else variants:
        verdicts, whole = record.verdicts(variant), Overall()
        rows = Counter(tuple(row.codes[place] for place in places) for row in record.row_lines(variant, verdicts))
        for codes, times in rows.items():
            whole.add(overall_verdict([verdicts[place][code] for place, code in zip(places, codes, strict=True)]), times)
        overalls[variant] = whole
    return overalls


def _composite_parts(record: Run) -> Iterator[str]:
    """The names of the evaluators that composite evaluators of the suite are made of; a name may come twice."""
    for written in written_suite(record).get("evaluators", ()):
        yield from settings_of(written).get("of", ())
