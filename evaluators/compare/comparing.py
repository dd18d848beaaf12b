"""Comparing two runs row by row, and the variants of one run with each other.

Rows are paired by id. Nothing is compared unless both runs asked the same question: the same rows, with the same expected
answers, scored by evaluators that mean the same. What differs is said.

Evaluators are tested on their scores, fields on being right. The p-values of all evaluators are corrected together, and
those of all fields (Holm).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, TypeAlias

from evaluators.compare.changed_rows import changed_rows
from evaluators.compare.comparison import (
    ChangedRow,
    Comparison,
    Difference,
    Finding,
    GuardResult,
    RankedVariant,
    Ranking,
    UnrankedVariant,
)
from evaluators.compare.guard_config import CompareConfig
from evaluators.compare.guards import judge_guards
from evaluators.compare.measure_differences import measure_differences
from evaluators.compare.paired_rows import Pairs, paired, row_keys
from evaluators.compare.row_changes import (
    Change,
    RowMeasure,
    State,
    States,
    change_of,
    field_states,
    score_state,
    score_states,
)
from evaluators.compare.sides import RowVerdict, Side, SideRows
from evaluators.compare.significance import LEAST_CHANGED, holm, sign_flips
from evaluators.issues import Blame, Issue
from evaluators.run.figures import rows_text
from evaluators.run.intervals import (
    Moments,
    detectable_pairs,
    difference_interval,
    mean_interval,
    moments_of_clusters,
    moments_of_values,
    pairs_interval,
    share_interval,
)
from evaluators.run.result import Interval
from evaluators.run.statistics import LEVEL, wilson
from evaluators.run.verdict import Facts, causes, exit_code
from evaluators.value_class import NamedTuple, dataclass, replace
from evaluators.value_class import field as dataclass_field

_SHOWN: Final = 5  # ids, settings and the like that a sentence names


def compare_sides(
    base: Side,
    new: Side,
    config: CompareConfig = CompareConfig(),
    targets: Mapping[str, tuple[str, str | None]] | None = None,
    *,
    common: bool = False,
) -> Comparison:
    """The comparison of a new run with a base.

    `targets` gives the evaluator and the field of each guard of `config`. With `common`, runs that differ in their rows or
    evaluators are compared in what they have in common, and the differences are notes.
    """
    notes = tuple(_of_one_unit(base, new))
    base, new = (side if not notes else _by_rows(side) for side in (base, new))
    named = [variant for variant in new.rows if variant in base.rows]
    pairs = {variant: paired(base.rows[variant], new.rows[variant]) for variant in named}
    alone = [_of_variant(text, variant) for variant, found in pairs.items() for text in _rows_of_one_run(found)]
    reasons = (*_other_variants(base, new), *_other_meaning(base, new), *_partial(base, new))
    asked = [_of_variant(text, variant) for variant, found in pairs.items() for text in _other_questions(found)]
    empty = Comparison(
        base.label, new.label, new.name, sum(len(one.both) for one in pairs.values()), 0, 0, 0,
        cluster=new.cluster, data={"base": base.data_fingerprint, "new": new.data_fingerprint},
        notes=(*_notes(base, new, pairs.values()), *notes),
    )  # fmt: skip
    if ((reasons or alone or asked) and not common) or not empty.rows:
        return _incomparable(empty, (*reasons, *alone, *asked, *(() if empty.rows else ("no row is in both runs",))))
    if common:
        pairs = {variant: found.of_one_question() for variant, found in pairs.items()}
        empty = replace(empty, notes=(*empty.notes, *(f"set aside: {reason}" for reason in (*reasons, *asked)), *alone))
    return _compared(empty, pairs, base, new, config, targets or {})


def _incomparable(empty: Comparison, reasons: tuple[str, ...]) -> Comparison:
    facts = Facts(incomparable=reasons)
    return replace(empty, incomparable=reasons, exit_code=exit_code(facts), causes=causes(facts))


def _compared(
    empty: Comparison,
    pairs: Mapping[str | None, Pairs],
    base: Side,
    new: Side,
    config: CompareConfig,
    targets: Mapping[str, tuple[str, str | None]],
) -> Comparison:
    """The comparison of rows that are paired, by evaluators that mean the same on both sides."""
    alike = [name for name in new.fields if name in base.fields and base.meaning.get(name) == new.meaning.get(name)]
    shown = _judged_all(pairs, alike, base, new, lost_is_broken=False)
    held = _judged_all(pairs, alike, base, new, lost_is_broken=True) if any(one.lost_passed for one in shown) else shown
    rows: list[ChangedRow] = []
    changes: Counter[Change] = Counter()
    for variant, found in pairs.items():
        of_variant, counts = changed_rows(found, alike, base, new, variant)
        rows += of_variant
        changes += counts
    broken = sum(bool(row.broken or row.lost_passed) for row in rows)
    lost = sum(bool(row.lost_passed and not row.broken) for row in rows)
    guards = judge_guards(config, targets, held, broken, lost)
    facts = _facts(shown, guards, [row for row in rows if row.lost])
    return replace(
        empty,
        rows=changes.total(),
        fixed=changes["fixed"],
        broken=changes["broken"],
        unchanged=changes["unchanged"],
        lost=changes["lost"],
        gained=changes["gained"],
        settled=changes["settled"],
        never_measured=changes["never measured"],
        one_sided=sum(len(one.base_only) + len(one.new_only) for one in pairs.values()),
        evaluators=tuple(one for one in shown if one.field is None),
        fields=tuple(one for one in shown if one.field is not None),
        measures=tuple(measure_differences(base.measures, new.measures)),
        changed=tuple(rows),
        guards=guards,
        exit_code=exit_code(facts),
        causes=causes(facts),
    )


def _judged_all(
    pairs: Mapping[str | None, Pairs], names: Sequence[str], base: Side, new: Side, lost_is_broken: bool
) -> tuple[Difference, ...]:
    """The differences of all evaluators, then those of all fields."""
    evaluators: list[Difference] = []
    fields: list[Difference] = []
    for variant, found in pairs.items():
        for name in names:
            before, after = base.fields[name] or new.fields[name], new.fields[name] or base.fields[name]
            one, of_fields = _differences(_rows_of(found, name), name, before, after, variant, lost_is_broken)
            evaluators.append(one)
            fields += of_fields
    return (*_judged(evaluators), *_judged(fields))


def _facts(differences: Sequence[Difference], judged: Sequence[GuardResult], lost: Sequence[ChangedRow]) -> Facts:
    named = {one: f"{one.rule}{f' of {one.target}' if one.target else ''}" for one in judged}
    issues = [
        Issue("undecided", Blame.TESTSET, f"the guard {named[one]} is undecided: {one.message}")
        for one in judged
        if one.verdict == "undecided"
    ]
    if lost:
        issues.append(Issue("lost-rows", Blame.TESTSET, _lost_text(lost)))
    if not any(one.pairs for one in differences):
        issues.append(Issue("nothing-compared", Blame.TESTSET, "nothing was compared: no row was scored in both runs"))
    failed = tuple(f"{named[one]}: {one.message}" for one in judged if one.verdict == "failed")
    return Facts(issues=tuple(issues), regressions=failed)


def _lost_text(rows: Sequence[ChangedRow]) -> str:
    """How many rows are lost, why, and which."""
    why = Counter(
        word for row in rows for word in dict.fromkeys(row.reasons[name].partition(":")[0] for name in row.lost)
    )
    spoken = ", ".join(f"{word} {count:,}" for word, count in sorted(why.items()))
    are = "row is" if len(rows) == 1 else "rows are"
    named = _listed([row.id or f"row {row.number}" for row in rows])
    return f"{len(rows):,} {are} lost, scored in the base and not in the new run ({spoken}): {named}"


def _other_variants(base: Side, new: Side) -> Iterator[str]:
    if base.variants != new.variants and set(base.rows) != set(new.rows):
        yield f"the variants differ: {_names(base.variants)} in the base, {_names(new.variants)} in the new run"


def _partial(base: Side, new: Side) -> Iterator[str]:
    for said, side in (("base", base), ("new run", new)):
        if not side.complete:
            yield f"the {said} was interrupted before its last row"


def _other_meaning(base: Side, new: Side) -> Iterator[str]:
    for said, one, other in (("base", base, new), ("new run", new, base)):
        alone = [name for name in one.fields if name not in other.fields]
        if alone:
            yield f"only the {said} has the evaluator{'s' if len(alone) > 1 else ''} {_names(alone)}"
    for name in ("", *(name for name in new.fields if name in base.fields)):
        was, now = base.meaning.get(name, {}), new.meaning.get(name, {})
        settings = [key for key in dict.fromkeys([*was, *now]) if was.get(key) != now.get(key)]
        if settings:
            owner = f'the evaluator "{name}" has other settings' if name else "the test set is read otherwise"
            yield f"{owner}: {_listed(settings)}"


def _rows_of_one_run(pairs: Pairs) -> Iterator[str]:
    for said, rows, places in (("base", pairs.base, pairs.base_only), ("new run", pairs.new, pairs.new_only)):
        if places:
            ids = [rows.ids[place] for place in places]
            yield f"{rows_text(len(ids))} {'is' if len(ids) == 1 else 'are'} in the {said} only: {_listed(ids)}"


def _other_questions(pairs: Pairs) -> Iterator[str]:
    if pairs.other_question:
        ids = [f"{pairs.new.ids[place]} (row {pairs.new.numbers[place]})" for place in pairs.other_question]
        have = "has" if len(ids) == 1 else "have"
        yield f"{rows_text(len(ids))} {have} another expected answer, or another cell that is looked at: {_listed(ids)}"


def _notes(base: Side, new: Side, pairs: Iterable[Pairs]) -> Iterator[str]:
    if base.version != new.version:
        yield f"the base was scored by evaluators {base.version}, the new run by {new.version}"
    repeated = sum(one.repeated for one in pairs)
    if repeated:
        shares = "shares its" if repeated == 1 else "share their"
        yield f"{rows_text(repeated)} {shares} id with an earlier one; such rows are paired in their order"
    if any("" in each.given for side in (base, new) for each in side.rows.values()):
        yield "a run does not say what its rows ask, so it is not checked that both ask the same"


def _of_one_unit(base: Side, new: Side) -> Iterator[str]:
    """A note where one of the runs does not say how many values of a field a row has."""
    silent = [said for said, side in (("base", base), ("new run", new)) if not side.row_values]
    if silent and any("[*]" in path for side in (base, new) for paths in side.fields.values() for path in paths):
        yield (
            f"the {' and the '.join(silent)} {'was' if len(silent) == 1 else 'were'} written by an earlier version, so fields"
            " below lists are compared by rows: one is right in a row where all of its values are; score again to compare values"
        )


def _by_rows(side: Side) -> Side:
    """The same run without how many values of a field a row has."""
    return replace(
        side,
        rows={
            variant: replace(
                rows, said={name: [one._replace(values=()) for one in column] for name, column in rows.said.items()}
            )
            for variant, rows in side.rows.items()
        },
    )


def _of_variant(text: str, variant: str | None) -> str:
    return text if variant is None else f'variant "{variant}": {text}'


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _names(names: Sequence[str]) -> str:
    return _listed([f'"{name}"' for name in names]) if names else "none"


Units: TypeAlias = tuple[Fraction, int, Fraction, int]
"""(earned, whole) in the base, and the same in the new run: of one row, or of the rows of one cluster together."""


@dataclass(slots=True)
class _Values:
    """What the rows of one evaluator or field came to."""

    rows: Counter[Units] = dataclass_field(default_factory=Counter)
    """How often each was met, over the rows that count in the figures."""
    changes: Counter[Change] = dataclass_field(default_factory=Counter)
    lost_passed: int = 0
    clusters: dict[str, Units] | None = None

    @property
    def pairs(self) -> int:
        """The rows that both runs measured."""
        return self.changes["fixed"] + self.changes["broken"] + self.changes["unchanged"]

    @property
    def units(self) -> Counter[Units]:
        """What is independent of each other: rows, or the clusters of rows."""
        return self.rows if self.clusters is None else Counter(self.clusters.values())


_Met: TypeAlias = Mapping[tuple[RowVerdict, RowVerdict], int]
"""(what the base said, what the new run says) → how many rows."""


class _EvaluatorRows(NamedTuple):
    """The rows of one evaluator, and the same by cluster where rows come in clusters."""

    met: _Met
    clusters: Mapping[str, _Met] | None


def _rows_of(pairs: Pairs, name: str) -> _EvaluatorRows:
    both, names = list(pairs.verdicts(name)), pairs.clusters()
    if not names:
        return _EvaluatorRows(Counter(both), None)
    clusters: dict[str, Counter[tuple[RowVerdict, RowVerdict]]] = defaultdict(Counter)
    for cluster, each in zip(names, both, strict=True):
        clusters[cluster][each] += 1
    return _EvaluatorRows(Counter(both), clusters)


def _differences(
    rows: _EvaluatorRows,
    name: str,
    before: Sequence[str],
    after: Sequence[str],
    variant: str | None,
    lost_is_broken: bool,
) -> tuple[Difference, list[Difference]]:
    """The difference of an evaluator, and those of the fields that both runs list."""
    fields = [
        _difference(name, path, _values(rows, field_states(before.index(path), place), lost_is_broken), variant)
        for place, path in enumerate(after)
        if path in before
    ]
    return _difference(name, None, _values(rows, score_states, lost_is_broken), variant), fields


def _values(rows: _EvaluatorRows, states: States, lost_is_broken: bool) -> _Values:
    """What the rows came to. With `lost_is_broken`, a lost row that passed in the base counts as one that is wrong now."""
    values = _Values()
    for said, count in rows.met.items():
        change, units, lost_passed = _of_row(states(*said), lost_is_broken)
        values.changes[change] += count
        values.lost_passed += count if lost_passed else 0
        if units is not None:
            values.rows[units] += count
    if rows.clusters is not None:
        values.clusters = {
            cluster: units
            for cluster, met in rows.clusters.items()
            if (units := _of_cluster(met, states, lost_is_broken)) != _NO_UNITS
        }
    return values


def _of_row(states: tuple[State, State], lost_is_broken: bool) -> tuple[Change, Units | None, bool]:
    """What became of a row, what it adds to the figures, and whether it was lost after it had passed."""
    was, now = states
    change = change_of(was, now)
    lost_passed = change == "lost" and was is not None and was.right
    if lost_passed and lost_is_broken and was is not None:
        return "broken", (was.earned, was.whole, Fraction(0), was.whole), True
    if was is None or now is None or change == "never measured":
        return change, None, lost_passed
    return change, (was.earned, was.whole, now.earned, now.whole), False


def _of_cluster(met: _Met, states: States, lost_is_broken: bool) -> Units:
    one, two, three, four = _NO_UNITS
    for said, count in met.items():
        _, units, _ = _of_row(states(*said), lost_is_broken)
        if units is not None:
            one, two = one + units[0] * count, two + units[1] * count
            three, four = three + units[2] * count, four + units[3] * count
    return one, two, three, four


_NO_UNITS: Final[Units] = (Fraction(0), 0, Fraction(0), 0)


def _difference(name: str, path: str | None, values: _Values, variant: str | None) -> Difference:
    changes = values.changes
    one, two, three, four = _sum(values.rows)
    base, new = (Fraction(one, two) if two else None), (Fraction(three, four) if four else None)
    found = Difference(
        name, path, values.pairs, _float(base), _float(new), None, None, None, None, "not measured", changes["fixed"],
        changes["broken"], changes["lost"] + changes["gained"] + changes["settled"], None, variant, changes["lost"],
        values.lost_passed, changes["gained"], changes["settled"],
        "values" if any(of_was > 1 or of_now > 1 for _, of_was, _, of_now in values.rows) else "rows",
    )  # fmt: skip
    if base is None or new is None or not values.pairs:
        return found
    tested = _tested_differences(values.units)
    moments = moments_of_values(_deviations(values.units))
    changed = sum(count for difference, count in tested.items() if difference)
    p, difference = sign_flips(tested), float(new - base)
    return replace(
        found,
        difference=difference,
        interval=difference_interval(_interval(values, moments), p, difference),
        p=p,
        finding="no clear difference" if changed else "the same",
        detectable=detectable_pairs(moments) if changed >= LEAST_CHANGED else None,
    )


def _float(figure: Fraction | None) -> float | None:
    return None if figure is None else float(figure)


def _sum(units: Mapping[Units, int]) -> Units:
    one, two, three, four = _NO_UNITS
    for (was, of_was, now, of_now), count in units.items():
        one, two, three, four = one + was * count, two + of_was * count, three + now * count, four + of_now * count
    return one, two, three, four


def _tested_differences(units: Mapping[Units, int]) -> Counter[Fraction]:
    """What changes its sign when a unit's two runs are exchanged, as a test by sign flips needs it.

    Where both runs measured as much, it is the difference of what they earned. Where one measured more, what it measured
    more is held against the figure of both runs together, which an exchange leaves as it is. The sum has the sign of the
    difference of the figures.
    """
    one, two, three, four = _sum(units)
    together = (one + three) / (two + four) if two + four else Fraction(0)
    found: Counter[Fraction] = Counter()
    for (was, of_was, now, of_now), count in units.items():
        found[now - was - together * (of_now - of_was)] += count
    return found


def _deviations(units: Mapping[Units, int]) -> Counter[Fraction]:
    """What each unit adds to the difference of the figures; the mean of all is the difference.

    Source: Cochran 1977, "Sampling Techniques", 3rd edition, section 6.3 (the linearized ratio estimator), for the
    difference of two ratios over the same units.
    """
    one, two, three, four = _sum(units)
    base, new, count = one / two, three / four, sum(units.values())
    found: Counter[Fraction] = Counter()
    for (was, of_was, now, of_now), times in units.items():
        if of_was == of_now == 1 and two == four == count:
            found[now - was] += times
        else:
            found[new - base + (now - new * of_now) * count / four - (was - base * of_was) * count / two] += times
    return found


def _interval(values: _Values, moments: Moments | None) -> Interval | None:
    """That of pairs of right and wrong, or that of a mean: of scores, of several values in a row, and of clusters."""
    if values.clusters is None and all(of_was == of_now == 1 for _, of_was, _, of_now in values.rows):
        counts = {pair: values.rows[Fraction(pair[0]), 1, Fraction(pair[1]), 1] for pair in _FOUR}
        if sum(counts.values()) == values.rows.total():
            return pairs_interval(*(counts[pair] for pair in _FOUR))
    return mean_interval(moments, -1.0, 1.0)


_FOUR: Final = ((1, 1), (1, 0), (0, 1), (0, 0))


def _judged(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """The differences with their corrected p-values and what they mean.

    Gains and drops are corrected apart, so that a clear gain of one figure never makes the drop of another look clearer.
    """
    gains, drops = (_corrected(differences, sign) for sign in (1, -1))
    return tuple(
        one if one.p is None else _found(one, drop if (one.difference or 0.0) < 0 else gain)
        for one, gain, drop in zip(differences, gains, drops, strict=True)
    )


def _corrected(differences: Sequence[Difference], sign: int) -> list[float]:
    """The p-values after Holm's correction, of those whose difference has that sign; the others count as 1."""
    known = [one.p if one.p is not None and (one.difference or 0.0) * sign > 0 else 1.0 for one in differences]
    tested = [p for p, one in zip(known, differences, strict=True) if one.p is not None]
    corrected = iter(holm(tested))
    return [1.0 if one.p is None else next(corrected) for one in differences]


def _found(one: Difference, corrected: float) -> Difference:
    finding: Finding = one.finding
    if corrected < LEVEL and one.difference:
        finding = "better" if one.difference > 0 else "worse"
    interval = difference_interval(one.interval, corrected, one.difference or 0.0)  # what is shown beside it is corrected
    return replace(one, p_corrected=corrected, finding=finding, interval=interval)


def variant_side(run: Side, variant: str) -> Side:
    """One variant of a run as a run of its own."""
    measures = tuple(replace(one, variant=None) for one in run.measures if one.variant == variant)
    return replace(run, label=variant, rows={None: run.rows[variant]}, measures=measures)


MOST_LACKING: Final = Fraction(1, 20)
"""A variant that lacks a larger share of the rows that others have is not ranked with them."""


def rank_variants(run: Side, variants: Sequence[str]) -> tuple[Ranking, ...]:
    """The variants in order, by each evaluator, over the rows that all the ranked ones have.

    A variant *has* a row that it scored, an unreadable or blocked output among them, which count 0; and one in which
    nothing is there to score. One that lacks more than MOST_LACKING of the rows that others have is not ranked. Every two
    are tested against each other; the p-values of one evaluator are corrected together (Holm).
    """
    return tuple(
        ranking
        for name in run.fields
        if (ranking := _ranked(name, [(one, run.rows[one]) for one in variants])) is not None
    )


_Column: TypeAlias = dict[tuple[str, int], RowMeasure]
"""The rows that a variant has, by id."""


def _ranked(name: str, variants: Sequence[tuple[str, SideRows]]) -> Ranking | None:
    columns = {variant: _column(rows, name) for variant, rows in variants}
    clusters = {key: one for _, rows in variants for key, one in zip(row_keys(rows), rows.clusters, strict=False)}
    unranked = [each for variant in columns if (each := _unranked(variant, columns)) is not None]
    aside = {each.variant for each in unranked}
    ranked = {variant: column for variant, column in columns.items() if variant not in aside}
    shared = [
        key
        for key in next(iter(ranked.values()), ())
        if all(key in column for column in ranked.values()) and any(column[key].whole for column in ranked.values())
    ]
    if not shared:
        return Ranking(name, 0, (), tuple(unranked)) if unranked else None
    ahead, alike = _ahead_and_alike(ranked, shared, clusters)
    found = []
    for variant, column in ranked.items():
        own = [(key, column[key]) for key in shared if column[key].whole]
        scores = Counter(one.earned for _, one in own)
        mean = sum((score * count for score, count in scores.items()), Fraction(0)) / len(own) if own else Fraction(0)
        found.append(
            RankedVariant(
                variant, 1 + len(ahead[variant]), float(mean), _mean_interval(own, clusters),
                sum(one.right for _, one in own), tuple(other for other in ranked if other in alike[variant]),
            )
        )  # fmt: skip
    ordered = sorted(found, key=lambda one: (one.rank, -one.mean))
    return Ranking(name, len(shared), tuple(ordered), tuple(unranked))


def _ahead_and_alike(
    ranked: Mapping[str, _Column], shared: Sequence[tuple[str, int]], clusters: Mapping[tuple[str, int], str]
) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The variants that are better than each variant, and those that cannot be told from it."""
    two = list(combinations(ranked, 2))
    tested = [_tested(ranked[one], ranked[other], shared, clusters) for one, other in two]
    corrected = holm([p for p, _ in tested])
    ahead: dict[str, set[str]] = {variant: set() for variant in ranked}
    alike: dict[str, set[str]] = {variant: set() for variant in ranked}
    for (one, other), (_, difference), p in zip(two, tested, corrected, strict=True):
        if p < LEVEL and difference:
            better, worse = (other, one) if difference > 0 else (one, other)
            ahead[worse].add(better)
        else:
            alike[one].add(other)
            alike[other].add(one)
    return ahead, alike


def _column(rows: SideRows, name: str) -> _Column:
    said = zip(row_keys(rows), rows.said.get(name, ()), strict=True)
    return {key: state for key, one in said if (state := score_state(one)) is not None}


def _unranked(variant: str, columns: Mapping[str, _Column]) -> UnrankedVariant | None:
    """What is said of a variant that lacks too many rows; None for one that can be ranked."""
    others = {key for other, column in columns.items() if other != variant for key, one in column.items() if one.whole}
    lacking = len(others - columns[variant].keys())
    return UnrankedVariant(variant, lacking, len(others)) if lacking > MOST_LACKING * len(others) else None


def _tested(
    base: _Column, new: _Column, keys: Sequence[tuple[str, int]], clusters: Mapping[tuple[str, int], str]
) -> tuple[float, Fraction]:
    """The p-value of two variants, and a number with the sign of their difference."""
    units: dict[object, Units] = {}
    for key in keys:
        was, now = base[key], new[key]
        one, two, three, four = units.get(cluster := clusters.get(key, key), _NO_UNITS)
        units[cluster] = one + was.earned, two + was.whole, three + now.earned, four + now.whole
    counts = _tested_differences(Counter(units.values()))
    return sign_flips(counts), sum((value * count for value, count in counts.items()), Fraction(0))


def _mean_interval(
    rows: Sequence[tuple[tuple[str, int], RowMeasure]], clusters: Mapping[tuple[str, int], str]
) -> Interval | None:
    """The interval of a variant's mean score."""
    if clusters:
        sums: dict[str | None, tuple[int, Fraction]] = {}
        for key, one in rows:
            count, total = sums.get(clusters.get(key), (0, Fraction(0)))
            sums[clusters.get(key)] = count + 1, total + one.earned
        return share_interval(moments_of_clusters(sums.values()))
    scores = Counter(one.earned for _, one in rows)
    if set(scores) <= {Fraction(0), Fraction(1)}:
        return wilson(scores.get(Fraction(1), 0), len(rows))
    return share_interval(moments_of_values(scores))
