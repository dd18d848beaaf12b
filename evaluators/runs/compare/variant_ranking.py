"""The variants of one run in order, tested against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, TypeAlias

from evaluators.runs.compare.changes import RowMeasure, score_state
from evaluators.runs.compare.comparison import RankedVariant, Ranking, UnrankedVariant
from evaluators.runs.compare.paired_differences import NO_UNITS, Units, tested_differences
from evaluators.runs.compare.pairs import Side, SideRows, row_keys
from evaluators.runs.compare.significance import holm, sign_flips, total_of
from evaluators.runs.intervals import LEVEL, moments_of_clusters, moments_of_values, share_interval, wilson
from evaluators.runs.result import Interval

MOST_LACKING: Final = Fraction(1, 20)
"""A variant that lacks a larger share of the rows that others have is not ranked with them."""


def rank_variants(run: Side, variants: Sequence[str]) -> tuple[Ranking, ...]:
    """The variants in order, by each evaluator, over the rows that all the ranked ones have.

    A variant *has* a row that it scored, an unreadable or blocked output among them, which count 0; and one in which
    nothing is there to score. One that lacks more than MOST_LACKING of the rows that others have is not ranked. Every two
    are tested against each other; the p-values of one evaluator are corrected together (Holm).
    """
    rows = [(variant, run.rows[variant]) for variant in variants]
    return tuple(ranking for name in run.fields if (ranking := _rank_evaluator(name, rows)) is not None)


_Column: TypeAlias = dict[tuple[str, int], RowMeasure]
"""The rows that a variant has, by id."""


def _rank_evaluator(name: str, variants: Sequence[tuple[str, SideRows]]) -> Ranking | None:
    """The variants as one evaluator ranks them, over the rows that all ranked ones have; None where there are no such rows and nobody was
    left out. A rank is 1 plus the number of variants that are clearly better."""
    columns = {variant: _variant_column(rows, name) for variant, rows in variants}
    clusters = {
        key: line.cluster
        for _, rows in variants
        for key, line in zip(row_keys(rows), rows.lines, strict=True)
        if line.cluster is not None
    }
    unranked = [each for variant in columns if (each := _unranked_entry(variant, columns)) is not None]
    aside = {each.variant for each in unranked}
    ranked = {variant: column for variant, column in columns.items() if variant not in aside}
    shared = [
        key
        for key in next(iter(ranked.values()), ())
        if all(key in column for column in ranked.values()) and any(column[key].whole for column in ranked.values())
    ]
    if not shared:
        return Ranking(name, 0, (), tuple(unranked)) if unranked else None
    better = _clearly_better(ranked, shared, clusters)
    entries = []
    for variant, column in ranked.items():
        own = [(key, column[key]) for key in shared if column[key].whole]
        mean = total_of(Counter(state.earned for _, state in own)) / len(own) if own else Fraction(0)
        rank, passed = 1 + sum(worse == variant for _, worse in better), sum(state.right for _, state in own)
        told_apart = {other for pair in better if variant in pair for other in pair} | {variant}
        alike = tuple(other for other in ranked if other not in told_apart)
        entries.append(RankedVariant(variant, rank, float(mean), _mean_interval(own, clusters), passed, alike))
    ordered = sorted(entries, key=lambda entry: (entry.rank, -entry.mean))
    return Ranking(name, len(shared), tuple(ordered), tuple(unranked))


def _clearly_better(
    ranked: Mapping[str, _Column], shared: Sequence[tuple[str, int]], clusters: Mapping[tuple[str, int], str]
) -> set[tuple[str, str]]:
    """The pairs (better variant, worse variant) of all two `ranked` variants that can be told apart over the `shared` rows, at p-values
    corrected for the number of pairs. Rows of one of the `clusters` count as one unit."""
    two = list(combinations(ranked, 2))
    tested = [_test_two(ranked[first], ranked[second], shared, clusters) for first, second in two]
    return {
        (second, first) if difference > 0 else (first, second)
        for (first, second), (_, difference), p in zip(two, tested, holm([p for p, _ in tested]), strict=True)
        if p < LEVEL and difference
    }


def _variant_column(rows: SideRows, name: str) -> _Column:
    """The state of each row that a variant has by the evaluator `name`, by the row's key. A row without a score is left out,
    unless there was nothing in it to measure."""
    if not rows.lines:
        return {}
    results = map(rows.results(name), rows.lines)
    return {
        key: state
        for key, result in zip(row_keys(rows), results, strict=True)
        if (state := score_state(result)) is not None
    }


def _unranked_entry(variant: str, columns: Mapping[str, _Column]) -> UnrankedVariant | None:
    """The entry of a variant that lacks too many rows; None for one that can be ranked."""
    others = {
        key for other, column in columns.items() if other != variant for key, state in column.items() if state.whole
    }
    lacking = len(others - columns[variant].keys())
    return UnrankedVariant(variant, lacking, len(others)) if lacking > MOST_LACKING * len(others) else None


def _test_two(
    base: _Column, new: _Column, keys: Sequence[tuple[str, int]], clusters: Mapping[tuple[str, int], str]
) -> tuple[float, Fraction]:
    """The p-value of the difference of two variants over the rows of `keys`, and a number with the sign of that difference.
    Rows of one of the `clusters` count as one unit."""
    units: dict[object, Units] = {}
    for key in keys:
        was, now = base[key], new[key]
        cluster = clusters.get(key, key)
        base_sum, base_of, new_sum, new_of = units.get(cluster, NO_UNITS)
        units[cluster] = base_sum + was.earned, base_of + was.whole, new_sum + now.earned, new_of + now.whole
    counts = tested_differences(Counter(units.values()))
    return sign_flips(counts), total_of(counts)


def _mean_interval(
    rows: Sequence[tuple[tuple[str, int], RowMeasure]], clusters: Mapping[tuple[str, int], str]
) -> Interval | None:
    """The interval of a variant's mean score over its rows, given as (key, state), with rows of one cluster as one unit."""
    if clusters:
        sums: dict[str | None, tuple[int, Fraction]] = {}
        for key, state in rows:
            count, total = sums.get(clusters.get(key), (0, Fraction(0)))
            sums[clusters.get(key)] = count + 1, total + state.earned
        return share_interval(moments_of_clusters(sums.values()))
    scores = Counter(state.earned for _, state in rows)
    if set(scores) <= {Fraction(0), Fraction(1)}:
        return wilson(scores.get(Fraction(1), 0), len(rows))
    return share_interval(moments_of_values(scores))
