"""Every figure of a run, counted once: from the columns of its rows, whoever keeps them, beside the sums that no column has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from evaluators.runs import confidence, ids, labels, measures, slices, tally
from evaluators.runs.clusters import ClusterCounter, ClusterSums, EmptyCounter
from evaluators.runs.columns import Columns, GroupCounter, count_groups
from evaluators.runs.confidence import ClusterConfidence, Confidences
from evaluators.runs.confidence_steps import label_of
from evaluators.runs.document_sums import EmptySums
from evaluators.runs.exact_sums import plus
from evaluators.runs.groups import OTHER_VALUES
from evaluators.runs.job import Job, watched_fields
from evaluators.runs.labels import LabelPairs
from evaluators.runs.measures import ClusterNumbers
from evaluators.runs.metric_table import Measure
from evaluators.runs.repeats import AttemptCounter, Groups
from evaluators.runs.slices import SliceKey
from evaluators.runs.split_result import SplitResult
from evaluators.runs.tally import Tally
from evaluators.scoring.plan.graph import EvaluatorLine


class SliceFigures(NamedTuple):
    """The figures of the rows of a slice."""

    tallies: list[Tally]
    """By evaluator."""
    empties: list[EmptySums]
    """By evaluator; none where no value was looked at."""
    measures: list[Measure]
    """By measure."""


class Figures(NamedTuple):
    """The figures of one variant."""

    tallies: list[Tally]
    """By evaluator."""
    clusters: list[ClusterSums] | None
    """By evaluator; None where each row is a unit of its own."""
    slices: Mapping[SliceKey, SliceFigures]
    """By column and value, in order."""
    measures: list[Measure]
    labels: list[LabelPairs | None]
    """By evaluator; None for one without labels."""
    repeats: list[Groups]
    """By evaluator; none where rows are on their own."""
    confidence: list[dict[str, Confidences]]
    """By evaluator and field."""
    repeated_ids: dict[str, list[int]]
    """The rows of each id that is missing, or stands in several rows."""


NO_FIGURES: Final = Figures([], None, {}, [], [], [], [], {})


class Measured(NamedTuple):
    """The sums and the figures of one variant."""

    sums: SplitResult
    figures: Figures


def figures_of(
    columns: Columns, job: Job, lines: Sequence[EvaluatorLine], sums: SplitResult, begun: bool = True
) -> Figures:
    """Counts the figures of a variant from its columns and `sums`, the sums of its splits. `begun` is False for a run without any
    split, which has no measures."""
    verdicts, layout = columns.verdicts(), columns.layout
    numbers = (
        [measures.measure_sums(columns, place, measure) for place, measure in enumerate(job.measures)] if begun else []
    )
    confidences: list[dict[str, Confidences]] = [{} for _ in lines]
    for place, (evaluator, name) in enumerate(layout.steps if sums.rows else ()):
        unusable = sums.evaluators[evaluator].unusable.get(name, ())
        label = label_of(lines[evaluator], name, watched_fields(job, lines[evaluator]))
        confidences[evaluator][name] = confidence.confidence_counts(columns, place, verdicts[evaluator], label, unusable)
    clusters, groups = (
        _count_clusters(columns, job, lines, sums, numbers, confidences) if layout.clustered else (None, [])
    )
    return Figures(
        tallies=tally.row_tallies(columns, lines, verdicts, job.watches),
        clusters=clusters,
        slices=dict(sorted(_slice_figures(columns, job, lines, sums, numbers))),
        measures=numbers,
        labels=[
            labels.label_pairs_of(columns, place, place in layout.listed, sums_of.unlisted)
            if place in layout.labelled
            else None
            for place, sums_of in enumerate(sums.evaluators)
        ],
        repeats=groups,
        confidence=confidences,
        repeated_ids=ids.rows_of_repeated_ids(columns),
    )


def _count_clusters(
    columns: Columns,
    job: Job,
    lines: Sequence[EvaluatorLine],
    sums: SplitResult,
    numbers: Sequence[Measure],
    confidences: Sequence[Mapping[str, Confidences]],
) -> tuple[list[ClusterSums], list[Groups]]:
    """Counts the clusters, and returns their sums for each evaluator, and the groups of attempts for each, which are none where rows are
    no repeats. Adds the clusters of each measure to `numbers`, and those of each confidence to `confidences`."""
    verdicts, layout = columns.verdicts(), columns.layout
    clusters = [ClusterCounter(place, known, job.watches.get(lines[place].name)) for place, known in enumerate(verdicts)]
    empties = {place: EmptyCounter(place, columns.patterns(place)) for place in layout.empties}
    counters: list[GroupCounter] = [*clusters, *empties.values()]
    counters += [ClusterNumbers(place, counter) for place, counter in enumerate(numbers)]
    for place, (evaluator, name) in enumerate(layout.steps if sums.rows else ()):
        label = label_of(lines[evaluator], name, watched_fields(job, lines[evaluator]))
        counters.append(ClusterConfidence(place, evaluator, verdicts[evaluator], label, confidences[evaluator][name]))
    attempts = [
        AttemptCounter(place, line, verdicts[place], sums.evaluators[place].wrong_fields)
        for place, line in enumerate(lines if job.repeats else ())
    ]
    count_groups(columns, [*counters, *attempts])
    for place, counter in empties.items():
        clusters[place].sums.empties = counter.clusters
    return [counter.sums for counter in clusters], [counter.groups for counter in attempts]


def _slice_figures(
    columns: Columns, job: Job, lines: Sequence[EvaluatorLine], sums: SplitResult, of_all: Sequence[Measure]
) -> Iterator[tuple[SliceKey, SliceFigures]]:
    """Yields the figures of each slice, with its (column, value). Values beyond those that are counted one by one are together under
    `OTHER_VALUES`. `of_all` are the measures over all rows, whose decimal marks count."""
    verdicts = columns.verdicts()
    for place, name in enumerate(columns.layout.slices):
        tallies = slices.slice_tallies(columns, place, lines, verdicts, job.watches)
        numbers = [
            dict(measures.slice_measures(columns, measure, place, measure_of.mark))
            for measure, measure_of in enumerate(of_all)
        ]
        empties: dict[str, list[EmptySums]] = {}
        for value, changes in sums.slice_empties.get(name, {}).items():  # splits know values beyond the first ones, too
            plus(empties, {value if value in tallies else OTHER_VALUES: changes})
        for value, of_value in tallies.items():
            yield (name, value), SliceFigures(of_value, empties.get(value, []), [each[value] for each in numbers])
