"""Comparing two runs row by row, and the variants of one run with each other.

Rows are paired by id. Nothing is compared unless both runs asked the same question: the same rows, with the same expected
answers, scored by evaluators that mean the same. What differs is said.

Evaluators are tested on their scores, fields on being right. The p-values of all evaluators are corrected together, and
those of all fields (Holm).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from evaluators.issues import Blame, Issue
from evaluators.runs.comparison import (
    ChangedRow,
    Comparison,
    Difference,
    Finding,
    GuardResult,
    RankedVariant,
    Ranking,
)
from evaluators.runs.figures import rows_text
from evaluators.runs.guard_config import CompareConfig
from evaluators.runs.guards import judge_guards
from evaluators.runs.intervals import (
    Moments,
    bootstrap,
    detectable_pairs,
    moments_of_clusters,
    moments_of_values,
    paired_rates,
)
from evaluators.runs.result import Interval
from evaluators.runs.sides import Said, Side, SideRows
from evaluators.runs.significance import LEAST_CHANGED, LEVEL, holm, sign_flips
from evaluators.runs.statistics import wilson
from evaluators.runs.verdict import Facts, causes, exit_code

_SHOWN: Final = 5  # ids, settings and the like that a sentence names


class _Pairs(NamedTuple):
    """The places of the rows that both sides have."""

    base: SideRows
    new: SideRows
    places: list[tuple[int, int]]
    base_only: list[str]
    new_only: list[str]
    other_question: list[int]
    """Places in the new run of rows whose cells beside the output differ."""
    repeated: int


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
    named = [variant for variant in new.rows if variant in base.rows]
    pairs = {variant: _paired(base.rows[variant], new.rows[variant]) for variant in named}
    reasons = [*_other_variants(base, new), *_other_meaning(base, new), *_partial(base, new)]
    for variant, found in pairs.items():
        reasons += [_of_variant(text, variant) for text in _other_rows(found)]
    empty = Comparison(
        base.label, new.label, new.name, sum(len(one.places) for one in pairs.values()), 0, 0, 0,
        cluster=new.cluster, data={"base": base.data_fingerprint, "new": new.data_fingerprint},
        notes=tuple(_notes(base, new, pairs.values())),
    )  # fmt: skip
    if (reasons and not common) or not empty.rows:
        facts = Facts(incomparable=(*reasons, *(() if empty.rows else ("no row is in both runs",))))
        return replace(empty, incomparable=facts.incomparable, exit_code=exit_code(facts), causes=causes(facts))
    if common:
        pairs = {variant: _of_one_question(found) for variant, found in pairs.items()}
        empty = replace(
            empty, rows=sum(len(one.places) for one in pairs.values()),
            notes=(*empty.notes, *(f"set aside: {reason}" for reason in reasons)),
        )  # fmt: skip
    alike = [name for name in new.fields if name in base.fields and base.meaning.get(name) == new.meaning.get(name)]
    evaluators: list[Difference] = []
    fields: list[Difference] = []
    for variant, found in pairs.items():
        for name in alike:
            one, of_fields = _differences(_rows_of(found, name), name, base.fields[name], new.fields[name], variant)
            evaluators.append(one)
            fields += of_fields
    found_evaluators, found_fields = _judged(evaluators), _judged(fields)
    changed = [one for variant, each in pairs.items() for one in _changed(each, alike, base, new, variant)]
    broken = sum(bool(row.broken) for row in changed)
    guards = judge_guards(config, targets or {}, (*found_evaluators, *found_fields), broken)
    facts = _facts(found_evaluators, guards)
    return replace(
        empty,
        fixed=len(changed) - broken,
        broken=broken,
        unchanged=empty.rows - len(changed),
        evaluators=found_evaluators,
        fields=found_fields,
        changed=tuple(changed),
        guards=guards,
        exit_code=exit_code(facts),
        causes=causes(facts),
    )


def _facts(evaluators: Sequence[Difference], judged: Sequence[GuardResult]) -> Facts:
    named = {one: f"{one.rule}{f' of {one.target}' if one.target else ''}" for one in judged}
    issues = [
        Issue("undecided", Blame.TESTSET, f"the guard {named[one]} is undecided: {one.message}")
        for one in judged
        if one.verdict == "undecided"
    ]
    if not any(one.pairs for one in evaluators):
        issues.append(Issue("nothing-compared", Blame.TESTSET, "nothing was compared: no row was scored in both runs"))
    failed = tuple(f"{named[one]}: {one.message}" for one in judged if one.verdict == "failed")
    return Facts(issues=tuple(issues), regressions=failed)


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


def _other_rows(pairs: _Pairs) -> Iterator[str]:
    for said, ids in (("base", pairs.base_only), ("new run", pairs.new_only)):
        if ids:
            yield f"{rows_text(len(ids))} {'is' if len(ids) == 1 else 'are'} in the {said} only: {_listed(ids)}"
    if pairs.other_question:
        ids = [f"{pairs.new.ids[place]} (row {pairs.new.numbers[place]})" for place in pairs.other_question]
        have = "has" if len(ids) == 1 else "have"
        yield f"{rows_text(len(ids))} {have} another expected answer, or another cell that is looked at: {_listed(ids)}"


def _notes(base: Side, new: Side, pairs: Iterable[_Pairs]) -> Iterator[str]:
    if base.version != new.version:
        yield f"the base was scored by evaluators {base.version}, the new run by {new.version}"
    repeated = sum(one.repeated for one in pairs)
    if repeated:
        shares = "shares its" if repeated == 1 else "share their"
        yield f"{rows_text(repeated)} {shares} id with an earlier one; such rows are paired in their order"
    if any("" in each.given for side in (base, new) for each in side.rows.values()):
        yield "a run does not say what its rows ask, so it is not checked that both ask the same"


def _of_variant(text: str, variant: str | None) -> str:
    return text if variant is None else f'variant "{variant}": {text}'


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _names(names: Sequence[str]) -> str:
    return _listed([f'"{name}"' for name in names]) if names else "none"


def _paired(base: SideRows, new: SideRows) -> _Pairs:
    waiting = {key: place for place, key in enumerate(_keys(base))}
    places: list[tuple[int, int]] = []
    new_only: list[str] = []
    other: list[int] = []
    keys = _keys(new)
    for place, key in enumerate(keys):
        partner = waiting.pop(key, None)
        if partner is None:
            new_only.append(new.ids[place])
            continue
        places.append((partner, place))
        was, now = base.given[partner], new.given[place]
        if was and now and was != now:
            other.append(place)
    return _Pairs(base, new, places, [key[0] for key in waiting], new_only, other, sum(again > 0 for _, again in keys))


def _keys(rows: SideRows) -> list[tuple[str, int]]:
    """The id of each row, and how many rows of that id were before it."""
    seen: dict[str, int] = defaultdict(int)
    found = []
    for one in rows.ids:
        found.append((one, seen[one]))
        seen[one] += 1
    return found


def _of_one_question(pairs: _Pairs) -> _Pairs:
    other = set(pairs.other_question)
    return pairs._replace(places=[(was, now) for was, now in pairs.places if now not in other])


@dataclass(slots=True)
class _Values:
    """What the pairs of one evaluator or field came to."""

    pairs: dict[tuple[Fraction, Fraction], int]
    """(base, new) → how many pairs."""
    fixed: int = 0
    broken: int = 0
    unpaired: int = 0
    clusters: dict[str, tuple[int, Fraction]] | None = None
    """By cluster: its pairs, and the sum of their differences."""


_Met: TypeAlias = Mapping[tuple[Said, Said], int]
"""(what the base said, what the new run says) → how many rows."""


class _Rows(NamedTuple):
    """The pairs of one evaluator, and the same by cluster where rows come in clusters."""

    met: _Met
    clusters: Mapping[str, _Met] | None


def _rows_of(pairs: _Pairs, name: str) -> _Rows:
    was, now, names = pairs.base.said[name], pairs.new.said[name], pairs.new.clusters
    both = [(was[before], now[after]) for before, after in pairs.places]
    if not names:
        return _Rows(Counter(both), None)
    clusters: dict[str, Counter[tuple[Said, Said]]] = defaultdict(Counter)
    for (_, after), each in zip(pairs.places, both, strict=True):
        clusters[names[after]][each] += 1
    return _Rows(Counter(both), clusters)


def _differences(
    rows: _Rows, name: str, before: Sequence[str], after: Sequence[str], variant: str | None
) -> tuple[Difference, list[Difference]]:
    """The difference of an evaluator, and those of the fields that both runs list."""
    fields = [
        _difference(name, path, _values(rows, partial(_right, before.index(path)), partial(_right, place)), variant)
        for place, path in enumerate(after)
        if path in before
    ]
    return _difference(name, None, _values(rows, _score, _score), variant), fields


_Value: TypeAlias = Callable[[Said], tuple[Fraction, bool] | None]
"""What a verdict is worth, and whether it is right; None where it was not measured."""


def _score(said: Said) -> tuple[Fraction, bool] | None:
    return (_exact(said.score), bool(said.passed)) if said.score is not None and said.scored else None


def _right(place: int, said: Said) -> tuple[Fraction, bool] | None:
    right = said.right(place)
    return None if right is None else (Fraction(right), right)


def _values(rows: _Rows, old: _Value, fresh: _Value) -> _Values:
    values = _Values({})
    for (one, other), count in rows.met.items():
        was, now = old(one), fresh(other)
        if was is None or now is None:
            values.unpaired += count if was is not now else 0
            continue
        key = was[0], now[0]
        values.pairs[key] = values.pairs.get(key, 0) + count
        values.fixed += count if now[1] and not was[1] else 0
        values.broken += count if was[1] and not now[1] else 0
    if rows.clusters is not None:
        values.clusters = {cluster: _of_cluster(met, old, fresh) for cluster, met in rows.clusters.items()}
    return values


def _of_cluster(met: _Met, old: _Value, fresh: _Value) -> tuple[int, Fraction]:
    rows, total = 0, Fraction(0)
    for (one, other), count in met.items():
        was, now = old(one), fresh(other)
        if was is not None and now is not None:
            rows += count
            total += (now[0] - was[0]) * count
    return rows, total


def _difference(name: str, path: str | None, values: _Values, variant: str | None) -> Difference:
    pairs = sum(values.pairs.values())
    if not pairs:
        return Difference(
            name, path, 0, None, None, None, None, None, None, "not measured", 0, 0, values.unpaired, None, variant
        )
    base = sum((was * count for (was, _), count in values.pairs.items()), Fraction(0)) / pairs
    new = sum((now * count for (_, now), count in values.pairs.items()), Fraction(0)) / pairs
    differences: dict[Fraction, int] = {}
    for (was, now), count in values.pairs.items():
        differences[now - was] = differences.get(now - was, 0) + count
    if values.clusters is not None:
        moments = moments_of_clusters(values.clusters.values())
        tested: Mapping[Fraction, int] = Counter(total for rows, total in values.clusters.values() if rows)
    else:
        moments, tested = moments_of_values(differences), differences
    changed = sum(count for difference, count in tested.items() if difference)
    return Difference(
        name, path, pairs, float(base), float(new), float(new - base), _interval(values, moments),
        sign_flips(tested), None, "the same" if differences.keys() == {0} else "no clear difference",
        values.fixed, values.broken, values.unpaired, detectable_pairs(moments) if changed >= LEAST_CHANGED else None, variant,
    )  # fmt: skip


def _interval(values: _Values, moments: Moments | None) -> Interval | None:
    """Newcombe's for pairs of right and wrong; the bootstrap's for scores, and for clusters."""
    right_or_wrong = all(value in (0, 1) for pair in values.pairs for value in pair)
    if values.clusters is None and right_or_wrong:
        counts = {pair: values.pairs.get((Fraction(pair[0]), Fraction(pair[1])), 0) for pair in _FOUR}
        return paired_rates(*(counts[pair] for pair in _FOUR))
    return bootstrap(moments, -1.0, 1.0)


_FOUR: Final = ((1, 1), (1, 0), (0, 1), (0, 0))


def _judged(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """The differences with their corrected p-values and what they mean."""
    known = [one.p for one in differences if one.p is not None]
    corrected = iter(holm(known))
    return tuple(_found(one, next(corrected)) if one.p is not None else one for one in differences)


def _found(one: Difference, corrected: float) -> Difference:
    finding: Finding = one.finding
    if corrected < LEVEL and one.difference:
        finding = "better" if one.difference > 0 else "worse"
    return replace(one, p_corrected=corrected, finding=finding)


@cache
def _exact(score: float) -> Fraction:
    """The fraction that a stored score was rounded from, where it is a small one; else the score as it is."""
    near = Fraction(score).limit_denominator(10_000)
    return near if float(near) == score else Fraction(score)


def _changed(pairs: _Pairs, names: Sequence[str], base: Side, new: Side, variant: str | None) -> Iterator[ChangedRow]:
    columns = [(name, pairs.base.said[name], pairs.new.said[name]) for name in names]
    for before, after in pairs.places:
        broken: list[str] = []
        fixed: list[str] = []
        fields: list[str] = []
        for name, was, now in columns:
            one, other = was[before], now[after]
            if one is other or not (one.scored and other.scored) or bool(one.passed) == bool(other.passed):
                continue
            (broken if one.passed else fixed).append(name)
            fields.extend(_field_changes(name, one, other, base.fields[name], new.fields[name]))
        if broken or fixed:
            yield ChangedRow(
                pairs.new.ids[after], pairs.new.numbers[after], tuple(broken), tuple(fixed), tuple(fields), variant
            )


def _field_changes(name: str, was: Said, now: Said, before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    old = dict(zip(before, was.statuses, strict=False))
    for path, status in zip(after, now.statuses, strict=False):
        if path in old and old[path] != status:
            yield f"{name}.{path}: {old[path]} → {status}"


def variant_side(run: Side, variant: str) -> Side:
    """One variant of a run as a run of its own."""
    return replace(run, label=variant, rows={None: run.rows[variant]})


def rank_variants(run: Side, variants: Sequence[str]) -> tuple[Ranking, ...]:
    """The variants in order, by each evaluator, over the rows that all of them scored.

    Every two are tested against each other; the p-values of one evaluator are corrected together (Holm).
    """
    return tuple(
        ranking
        for name in run.fields
        if (ranking := _ranked(name, [(one, run.rows[one]) for one in variants])) is not None
    )


def _ranked(name: str, variants: Sequence[tuple[str, SideRows]]) -> Ranking | None:
    columns = [dict(zip(_keys(rows), rows.said.get(name, ()), strict=True)) for _, rows in variants]
    clusters = dict(zip(_keys(variants[0][1]), variants[0][1].clusters, strict=False))
    shared = [key for key in columns[0] if all(key in column and column[key].scored for column in columns)]
    if not shared:
        return None
    two = list(combinations(range(len(variants)), 2))
    tested = [
        _tested([(columns[one][key], columns[other][key], clusters.get(key)) for key in shared]) for one, other in two
    ]
    corrected = holm([p for p, _ in tested])
    ahead: dict[int, set[int]] = {place: set() for place in range(len(variants))}
    alike: dict[int, set[int]] = {place: set() for place in range(len(variants))}
    for (one, other), (_, difference), p in zip(two, tested, corrected, strict=True):
        if p < LEVEL and difference:
            better, worse = (other, one) if difference > 0 else (one, other)
            ahead[worse].add(better)
        else:
            alike[one].add(other)
            alike[other].add(one)
    found = []
    for place, (variant, _) in enumerate(variants):
        said = [columns[place][key] for key in shared]
        scores = Counter(_exact(one.score or 0.0) for one in said)
        mean = sum((score * count for score, count in scores.items()), Fraction(0)) / len(said)
        found.append(
            RankedVariant(
                variant, 1 + len(ahead[place]), float(mean), _mean_interval(scores, said, [clusters.get(k) for k in shared]),
                sum(bool(one.passed) for one in said), tuple(variants[other][0] for other in sorted(alike[place])),
            )
        )  # fmt: skip
    ordered = sorted(found, key=lambda one: (one.rank, -one.mean))
    return Ranking(name, len(shared), tuple(ordered))


def _tested(pairs: Sequence[tuple[Said, Said, str | None]]) -> tuple[float, Fraction]:
    """The p-value of two variants, and the sum of their differences."""
    units: dict[object, Fraction] = {}
    for number, (one, other, cluster) in enumerate(pairs):
        key: object = number if cluster is None else cluster
        units[key] = units.get(key, Fraction(0)) + _exact(other.score or 0.0) - _exact(one.score or 0.0)
    counts = Counter(units.values())
    return sign_flips(counts), sum((value * count for value, count in counts.items()), Fraction(0))


def _mean_interval(
    scores: Mapping[Fraction, int], said: Sequence[Said], clusters: Sequence[str | None]
) -> Interval | None:
    if any(cluster is not None for cluster in clusters):
        sums: dict[str | None, tuple[int, Fraction]] = {}
        for one, cluster in zip(said, clusters, strict=True):
            rows, total = sums.get(cluster, (0, Fraction(0)))
            sums[cluster] = rows + 1, total + _exact(one.score or 0.0)
        return bootstrap(moments_of_clusters(sums.values()))
    if set(scores) <= {Fraction(0), Fraction(1)}:
        return wilson(scores.get(Fraction(1), 0), len(said))
    return bootstrap(moments_of_values(scores))
