"""The difference between two runs of every evaluator and field, over rows that are paired, with its test and interval.

Evaluators are tested on their scores, fields on being right. There are two families, one for each question: which evaluators changed,
and which fields. The p-values of a family are corrected together (Holm). What says the same in every row is one test: an evaluator that
is there twice, or a field that two evaluators compare alike, makes no other p-value greater.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.runs.compare.changes import State, States, change_of, field_states, score_states
from evaluators.runs.compare.comparison import Change, Difference, Finding
from evaluators.runs.compare.pairs import Pairs, RowResult, Side
from evaluators.runs.compare.significance import LEAST_CHANGED, holm, sign_flips
from evaluators.runs.intervals import (
    LEVEL,
    Moments,
    detectable_pairs,
    difference_interval,
    mean_interval,
    moments_of_values,
    pairs_interval,
)
from evaluators.runs.result import Interval

Units: TypeAlias = tuple[Fraction, int, Fraction, int]
"""(earned, whole) in the base, and the same in the new run: of one row, or of the rows of one cluster together."""
NO_UNITS: Final[Units] = (Fraction(0), 0, Fraction(0), 0)


def all_differences(
    pairs: Mapping[str | None, Pairs], names: Sequence[str], base: Side, new: Side, lost_is_broken: bool
) -> tuple[Difference, ...]:
    """The differences of all evaluators `names`, then those of all their fields, each with its test. With `lost_is_broken`, a
    lost row that passed in the base counts as one that is wrong now."""
    evaluators: list[Difference] = []
    fields: list[Difference] = []
    for variant, paired in pairs.items():
        families = _Family(paired), _Family(paired)
        for name in names:
            counts = _count_by_cluster(paired, name)
            before, after = base.fields[name] or new.fields[name], new.fields[name] or base.fields[name]
            values = _count_values(counts, score_states, lost_is_broken)
            evaluators.append(
                families[0].with_same_test(_difference(name, None, values, variant), values, score_states, lost_is_broken)
            )
            for index, path in enumerate(after):
                if path in before:
                    states = field_states(before.index(path), index)
                    values = _count_values(counts, states, lost_is_broken)
                    difference = _difference(name, path, values, variant)
                    fields.append(families[1].with_same_test(difference, values, states, lost_is_broken))
    return (*correct_p_values(evaluators), *correct_p_values(fields))


class _Family:
    """The differences tested for one variant, in which those that are the same in every row are recognised."""

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        self._met: dict[frozenset[tuple[Units, int]], list[tuple[Difference, States]]] = {}

    def with_same_test(self, difference: Difference, values: _Values, states: States, lost_is_broken: bool) -> Difference:
        """The difference as it is; with `same_as` set to an earlier one of the family that says the same in every row, where something
        changed: both are one test. `values` are its counted rows, and `states` reads the two states of a row. Any other tested
        difference is remembered for later ones."""
        if difference.p_value is None or not any(map(_has_changed, values.rows)):
            return difference
        alike = self._met.setdefault(frozenset(values.rows.items()), [])
        if alike:  # as many rows came to the same: perhaps the very same rows
            own = self._row_units(difference, states, lost_is_broken)
            for other, other_states in alike:
                if self._row_units(other, other_states, lost_is_broken) == own:
                    return replace(difference, same_as=other.name)
        alike.append((difference, states))
        return difference

    def _row_units(self, difference: Difference, states: States, lost_is_broken: bool) -> list[Units | None]:
        """The units of each pair of rows, in their order, for one evaluator or field; None for a row that is no part of the metrics."""
        known: dict[tuple[RowResult, RowResult], Units | None] = {}
        units = []
        for both in self._pairs.verdicts(difference.evaluator):
            if both not in known:
                known[both] = _row_change(states(*both), lost_is_broken)[1]
            units.append(known[both])
        return units


class _Values(Struct):
    """The summed values of the rows of one evaluator or field."""

    rows: Counter[Units] = field(default_factory=Counter)
    """How often each was met, over the rows that count in the metrics."""
    changes: Counter[Change] = field(default_factory=Counter)
    lost_passed: int = 0
    clusters: list[Units] | None = None

    @property
    def pairs(self) -> int:
        """The rows that are fixed, broken or unchanged."""
        return self.changes["fixed"] + self.changes["broken"] + self.changes["unchanged"]

    @property
    def units(self) -> Counter[Units]:
        """The independent units: rows, or the clusters of rows."""
        return self.rows if self.clusters is None else Counter(self.clusters)


_Met: TypeAlias = Mapping[tuple[RowResult, RowResult], int]
"""(what the base says of a row, what the new run says of it) → how many such rows there are."""


def _count_by_cluster(pairs: Pairs, name: str) -> dict[str | None, _Met]:
    """How many rows have which two results by one evaluator, for each cluster; of all rows, under None, where rows are on their own."""
    if not any(line.cluster is not None for line in pairs.new.lines[:1]):
        return {None: Counter(pairs.verdicts(name))}
    pair_counts: dict[str | None, Counter[tuple[RowResult, RowResult]]] = defaultdict(Counter)
    for (before, after), each in zip(pairs.rows(), pairs.verdicts(name), strict=True):
        line = after or before
        pair_counts[(line.cluster if line is not None else None) or ""][each] += 1
    return dict(pair_counts)


def _count_values(met: Mapping[str | None, _Met], states: States, lost_is_broken: bool) -> _Values:
    """The rows of one evaluator or field, counted: by what changed, and by what they earn in both runs.

    `met` has the rows by cluster, or all of them under None. `states` reads the two states of a row from what both runs say
    of it. With `lost_is_broken`, a lost row that passed in the base counts as one that is wrong now.
    """
    values = _Values(clusters=None if None in met else [])
    for rows_of_cluster in met.values():
        earned: Counter[Units] = Counter()
        for (before, after), count in rows_of_cluster.items():
            change, units, lost_passed = _row_change(states(before, after), lost_is_broken)
            values.changes[change] += count
            values.lost_passed += count if lost_passed else 0
            if units is not None:
                earned[units] += count
        values.rows.update(earned)
        if values.clusters is not None and (cluster := _total(earned)) != NO_UNITS:
            values.clusters.append(cluster)
    return values


def _row_change(states: tuple[State, State], lost_is_broken: bool) -> tuple[Change, Units | None, bool]:
    """The change of a row; what it earned and out of how much in both runs, None where it does not count in the metrics; and whether it was
    lost after it had passed. With `lost_is_broken`, such a row counts as broken, with nothing earned in the new run."""
    was, now = states
    change = change_of(was, now)
    lost_passed = change == "lost" and was is not None and was.right
    if lost_passed and lost_is_broken and was is not None:
        return "broken", (was.earned, was.whole, Fraction(0), was.whole), True
    if was is None or now is None or change == "never measured":
        return change, None, lost_passed
    return change, (was.earned, was.whole, now.earned, now.whole), False


def _difference(name: str, path: str | None, values: _Values, variant: str | None) -> Difference:
    """The difference of an evaluator, or of a field of it, before p-values are corrected. It has no p-value and no interval where a side
    measured nothing, or no row was measured in both runs."""
    changes = values.changes
    base_sum, base_of, new_sum, new_of = _total(values.rows)
    base, new = (Fraction(base_sum, base_of) if base_of else None), (Fraction(new_sum, new_of) if new_of else None)
    has_several_values = any(of_was > 1 or of_now > 1 for _, of_was, _, of_now in values.rows)
    untested = Difference(
        name, path, pairs=values.pairs, base=_to_float(base), new=_to_float(new), difference=None, ci=None, p_value=None,
        p_value_corrected=None, verdict="not measured", fixed=changes["fixed"], broken=changes["broken"],
        unpaired=changes["lost"] + changes["gained"] + changes["settled"], minimum_detectable_effect=None, variant=variant,
        lost=changes["lost"], lost_passed=values.lost_passed, gained=changes["gained"], settled=changes["settled"],
        unit="values" if has_several_values else "rows", invented=base is None and new == 0 and changes["broken"] > 0,
    )  # fmt: skip
    if untested.invented:
        return replace(untested, verdict="worse")
    if base is None or new is None or not any(of_was and of_now for _, of_was, _, of_now in values.rows):
        return untested
    tested = tested_differences(values.units)
    moments = moments_of_values(_deviations(values.units))
    changed = sum(count for difference, count in tested.items() if difference)
    p, difference = sign_flips(tested), float(new - base)
    return replace(
        untested,
        difference=difference,
        ci=difference_interval(_difference_interval(values, moments), p, difference),
        p_value=p,
        verdict="no clear difference" if any(map(_has_changed, values.rows)) else "the same",
        minimum_detectable_effect=detectable_pairs(moments) if changed >= LEAST_CHANGED else None,
        changed_groups=None if values.clusters is None else sum(map(_has_changed, values.clusters)),
    )


def _has_changed(units: Units) -> bool:
    """Whether a unit earned, or measured, another amount in the new run."""
    was, of_was, now, of_now = units
    return (was, of_was) != (now, of_now)


def _to_float(metric: Fraction | None) -> float | None:
    """A metric as a float; None stays."""
    return None if metric is None else float(metric)


def _total(units: Mapping[Units, int]) -> Units:
    """The units of all rows or clusters added up; the count is how often each occurs."""
    base_sum, base_of, new_sum, new_of = NO_UNITS
    for (was, of_was, now, of_now), count in units.items():
        base_sum, base_of = base_sum + was * count, base_of + of_was * count
        new_sum, new_of = new_sum + now * count, new_of + of_now * count
    return base_sum, base_of, new_sum, new_of


def tested_differences(units: Mapping[Units, int]) -> Counter[Fraction]:
    """The differences that change sign when a unit's two runs are exchanged, as a test by sign flips needs it.

    Where both runs measured as much, it is the difference of what they earned. Where one measured more, what it measured
    more is held against the metric of both runs together, which an exchange leaves as it is. The sum has the sign of the
    difference of the metrics.
    """
    base_sum, base_of, new_sum, new_of = _total(units)
    together = (base_sum + new_sum) / (base_of + new_of) if base_of + new_of else Fraction(0)
    differences: Counter[Fraction] = Counter()
    for (was, of_was, now, of_now), count in units.items():
        differences[now - was - together * (of_now - of_was)] += count
    return differences


def _deviations(units: Mapping[Units, int]) -> Counter[Fraction]:
    """How often each deviation occurs: what a unit adds to the difference of the metrics. The mean of all is the difference.

    Source: Cochran 1977, "Sampling Techniques", 3rd edition, section 6.3 (the linearized ratio estimator), for the
    difference of two ratios over the same units.
    """
    base_sum, base_of, new_sum, new_of = _total(units)
    base, new, count = base_sum / base_of, new_sum / new_of, sum(units.values())
    differences: Counter[Fraction] = Counter()
    for (was, of_was, now, of_now), times in units.items():
        if of_was == of_now == 1 and base_of == new_of == count:  # the long formula comes to the same
            differences[now - was] += times
        else:
            differences[new - base + (now - new * of_now) * count / new_of - (was - base * of_was) * count / base_of] += (
                times
            )
    return differences


def _difference_interval(values: _Values, moments: Moments | None) -> Interval | None:
    """The interval of the difference: that of pairs of right and wrong, or that of a mean (of scores, of several values in a row,
    and of clusters)."""
    if values.clusters is None and all(of_was == of_now == 1 for _, of_was, _, of_now in values.rows):
        counts = {pair: values.rows[Fraction(pair[0]), 1, Fraction(pair[1]), 1] for pair in _RIGHT_OR_WRONG}
        if sum(counts.values()) == values.rows.total():
            return pairs_interval(*(counts[pair] for pair in _RIGHT_OR_WRONG))
    return mean_interval(moments, -1.0, 1.0)


_RIGHT_OR_WRONG: Final = ((1, 1), (1, 0), (0, 1), (0, 0))


def correct_p_values(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """The differences of one family with corrected p-values, and the verdict and interval that follow from these.

    Gains and drops are corrected apart, so that a clear gain of one metric never makes the drop of another look clearer.
    """
    tested = {difference.test: difference for difference in differences if difference.p_value is not None}
    gains, drops = (
        dict(zip(tested, holm([_one_sided_p(difference, sign) for difference in tested.values()]), strict=True))
        for sign in (1, -1)
    )
    return tuple(
        difference
        if difference.p_value is None
        else _with_verdict(
            difference, drops[difference.test] if (difference.difference or 0.0) < 0 else gains[difference.test]
        )
        for difference in differences
    )


def _one_sided_p(difference: Difference, sign: int) -> float:
    """The p-value of a gain (`sign` 1) or of a drop (-1); 1 for a difference of the other sign."""
    return difference.p_value or 0.0 if (difference.difference or 0.0) * sign > 0 else 1.0


def _with_verdict(difference: Difference, corrected: float) -> Difference:
    """The difference with its corrected p-value, and the verdict and the interval that follow from it."""
    finding: Finding = "no clear difference" if difference.verdict in ("better", "worse") else difference.verdict
    if corrected < LEVEL and difference.difference:
        finding = "better" if difference.difference > 0 else "worse"
    # corrected, as the p-value beside which it is shown
    interval = difference_interval(difference.ci, corrected, difference.difference or 0.0)
    return replace(difference, p_value_corrected=corrected, verdict=finding, ci=interval)
