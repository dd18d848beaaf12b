"""How often intervals hold the truth and tests cry wolf: the tables of docs/contributing/interval-tables.md, by seeded simulation.

`python -m tests.tools.pages.statistics` writes all tables, which takes about an hour; with names of tables, those alone. Everything
is the code that a run uses. What can be added up without chance (Wilson's interval, McNemar's test) is.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, TypeAlias, TypeVar

from evaluators.runs.compare.significance import mcnemar, sign_flips
from evaluators.runs.intervals import (
    LEVEL,
    RatioSums,
    difference_interval,
    mean_interval,
    moments_of_clusters,
    moments_of_powers,
    pairs_interval,
    share_interval,
    wilson,
)
from evaluators.runs.result import Interval

PAGE: Final = Path(__file__).parents[3] / "docs" / "contributing" / "interval-tables.md"
TRIALS: Final = 4_000
RATIO_TRIALS: Final = 2_000
STEPS: Final = 1_000_000
"""Scores are whole numbers of millionths: as good as continuous, and their sums are exact."""
UNITS: Final = (10, 30, 100, 300, 1_000)

Count = TypeVar("Count", int, float)
Draw: TypeAlias = Callable[[Random], float]


class Table(NamedTuple):
    """One table of the page: its head, the labels of its lines, and what fills a line."""

    head: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    line: Callable[[tuple[str, ...]], list[str]]


class Share(NamedTuple):
    """What a unit may come to, and how it is drawn."""

    draw: Draw
    mean: float


CHANGES: Final = {
    "better or worse, any size": Share(lambda random: random.uniform(-1, 1), 0.0),
    "better or worse by 0.5": Share(lambda random: random.choice((-0.5, 0.5)), 0.0),
    "4 of 5 better, by 0.5": Share(lambda random: 0.5 if random.random() < 0.8 else -0.5, 0.3),
    "better only, any size": Share(lambda random: random.random(), 0.5),
    "better only, by 1": Share(lambda random: 1.0, 1.0),
    "worse only, seldom by much": Share(lambda random: -random.betavariate(1, 6), -1 / 7),
}
"""What a pair that changes comes to."""
RIGHT: Final = {"half of them right": 0.5, "9 of 10 right": 0.9}
"""How many of the unchanged pairs are right in both runs."""


def percent(part: float, whole: float) -> str:
    """`95.1 %`."""
    return f"{100 * part / whole:.1f} %"


def unit_sums(values: Iterable[int]) -> dict[int, tuple[int, int, int, int]]:
    """The power sums of scores in millionths."""
    one = two = three = four = 0
    for value in values:
        if value:
            square = value * value
            one, two, three, four = one + value, two + square, three + square * value, four + square * square
    return {STEPS: (one, two, three, four)}


def holds(found: Interval | None, truth: float) -> bool:
    """Whether an interval holds a value."""
    return found is not None and found.low - 1e-12 <= truth <= found.high + 1e-12


def changed_values(random: Random, kind: Share, unchanged: float, count: int) -> list[int]:
    """So many differences in millionths, of which a share is 0."""
    return [0 if random.random() < unchanged else round(kind.draw(random) * STEPS) for _ in range(count)]


# --- shares and means


def wilson_line(label: tuple[str, ...]) -> list[str]:
    """Exact: the binomial probabilities of all counts whose interval holds the rate."""
    rate = float(label[0])
    return [percent(_held(rate, count), 1) for count in UNITS]


def _held(rate: float, count: int) -> float:
    return sum(
        comb(count, hits) * rate**hits * (1 - rate) ** (count - hits)
        for hits in range(count + 1)
        if holds(wilson(hits, count), rate)
    )


SCORES: Final = {
    "all sizes alike": Share(lambda random: random.random(), 0.5),
    "0, 0.25, 0.5, 0.75, 1; mostly high": Share(
        lambda random: random.choices((0, 0.25, 0.5, 0.75, 1), (8, 7, 15, 25, 45))[0], 0.73
    ),
    "6 of 10 perfect, the others any size": Share(lambda random: 1 if random.random() < 0.6 else random.random(), 0.8),
    "9 of 10 perfect, the others any size": Share(lambda random: 1 if random.random() < 0.9 else random.random(), 0.95),
    "98 of 100 perfect, the others any size": Share(
        lambda random: 1 if random.random() < 0.98 else random.random(), 0.99
    ),
    "near 0.9, seldom far below": Share(lambda random: 0.95 - 0.95 * random.betavariate(1, 18), 0.9),
    "near 0 or near 1": Share(lambda random: random.betavariate(0.3, 0.1), 0.75),
}


def mean_line(label: tuple[str, ...]) -> list[str]:
    """Means of scores."""
    kind = SCORES[label[0]]
    return [percent(_means_held(kind, count, Random(f"{label} {count}")), TRIALS) for count in UNITS]


def _means_held(kind: Share, count: int, random: Random) -> int:
    held = 0
    for _ in range(TRIALS):
        sums = unit_sums(round(kind.draw(random) * STEPS) for _ in range(count))
        held += holds(share_interval(moments_of_powers(count, sums)), kind.mean)
    return held


# --- differences


def difference_line(label: tuple[str, ...]) -> list[str]:
    """Means of paired differences, some of them 0, made to agree with their p-values."""
    unchanged, kind = int(label[0].split()[0]) / 100, CHANGES[label[1]]
    return [percent(_differences_held(kind, unchanged, count, Random(f"{label} {count}")), TRIALS) for count in UNITS]


def _differences_held(kind: Share, unchanged: float, count: int, random: Random) -> int:
    truth, held = kind.mean * (1 - unchanged), 0
    for _ in range(TRIALS):
        values = changed_values(random, kind, unchanged, count)
        found = mean_interval(moments_of_powers(count, unit_sums(values)), -1.0, 1.0)
        mean = sum(values) / count / STEPS
        if _undecided(found, mean, truth):
            p = sign_flips({Fraction(value, STEPS): times for value, times in Counter(values).items()})
            found = difference_interval(found, p, mean)
        held += holds(found, truth)
    return held


def _undecided(found: Interval | None, mean: float, truth: float) -> bool:
    """Whether the p-value could change if the interval holds the truth: only ends near 0 are ever moved."""
    if found is None or mean == 0:
        return False
    if truth == 0:
        return abs(mean) > 0.35 * (found.high - found.low)  # nearer to the middle, no test finds a difference
    return not holds(found, truth) or (mean > 0) != (truth > 0)


def pairs_line(label: tuple[str, ...]) -> list[str]:
    """Pairs of right and wrong."""
    unchanged, right, better = int(label[0].split()[0]) / 100, RIGHT[label[1]], float(label[2])
    cells = (unchanged * right, (1 - unchanged) * (1 - better), (1 - unchanged) * better, unchanged * (1 - right))
    truth = (1 - unchanged) * (2 * better - 1)
    found = []
    for count in UNITS:
        random, held = Random(f"{label} {count}"), 0
        for _ in range(TRIALS):
            counts = Counter(random.choices(range(4), cells, k=count))
            held += holds(_of_pairs(counts[0], counts[1], counts[2], counts[3]), truth)
        found.append(percent(held, TRIALS))
    return found


@cache
def _of_pairs(both: int, broken: int, fixed: int, neither: int) -> Interval | None:
    found = pairs_interval(both, broken, fixed, neither)
    return difference_interval(found, mcnemar(broken, fixed), (fixed - broken) / (both + broken + fixed + neither))


# --- groups and ratios

CLUSTERS: Final = {
    "7 of 10 groups good, the others mixed": ((0.7, 0.98), (0.3, 0.5)),
    "groups all right or all wrong, 9 of 10 right": ((0.9, 1.0), (0.1, 0.0)),
    "every row on its own, 0.8": ((1.0, 0.8),),
}
"""For each part of the clusters, the chance of a row to be right."""


def cluster_line(label: tuple[str, ...]) -> list[str]:
    """Pass rates over groups of 1 to 9 rows."""
    parts = CLUSTERS[label[0]]
    truth = sum(part * rate for part, rate in parts)
    found = []
    for count in UNITS:
        random, held = Random(f"{label} {count}"), 0
        for _ in range(TRIALS):
            rates = random.choices([rate for _, rate in parts], [part for part, _ in parts], k=count)
            clusters = []
            for rate in rates:
                rows = random.randint(1, 9)
                clusters.append((rows, Fraction(sum(random.random() < rate for _ in range(rows)))))
            held += holds(share_interval(moments_of_clusters(clusters)), truth)
        found.append(percent(held, TRIALS))
    return found


def cluster_difference_line(label: tuple[str, ...]) -> list[str]:
    """Differences over groups of 1 to 9 rows that change together or not at all."""
    unchanged, kind = int(label[0].split()[0]) / 100, CHANGES[label[1]]
    truth = kind.mean * (1 - unchanged)
    found = []
    for count in UNITS:
        random, held = Random(f"{label} {count}"), 0
        for _ in range(TRIALS):
            sizes = [random.randint(1, 9) for _ in range(count)]
            values = changed_values(random, kind, unchanged, count)
            totals = [Fraction(value * size, STEPS) for value, size in zip(values, sizes, strict=True)]
            one = mean_interval(moments_of_clusters(zip(sizes, totals, strict=True)), -1.0, 1.0)
            mean = float(sum(totals) / sum(sizes))
            if _undecided(one, mean, truth):
                one = difference_interval(one, sign_flips(Counter(totals)), mean)
            held += holds(one, truth)
        found.append(percent(held, TRIALS))
    return found


class Rows(NamedTuple):
    """A test set of documents: parts of the rows, each with the chance of a leaf to be right, and to be left out."""

    parts: tuple[tuple[float, float, float], ...]
    together: int = 1
    """Rows of one cluster, all of one part."""


DOCUMENTS: Final = {
    "8 of 10 rows perfect, 1 mixed, 1 lost": Rows(((0.8, 1.0, 0.0), (0.1, 0.7, 0.1), (0.1, 0.0, 1.0))),
    "98 of 100 rows perfect, the others lost": Rows(((0.98, 1.0, 0.0), (0.02, 0.0, 1.0))),
    "every leaf on its own, 0.95": Rows(((1.0, 0.95, 0.03),)),
    "groups of 5 rows: 8 of 10 perfect, 1 mixed, 1 lost": Rows(((0.8, 1.0, 0.0), (0.1, 0.7, 0.1), (0.1, 0.0, 1.0)), 5),
}


def ratio_line(label: tuple[str, ...]) -> list[str]:
    """How often the lower end of a pooled figure is below the truth: rows have 1 to 30 leaves."""
    rows, figure = DOCUMENTS[label[0]], label[1]
    right = sum(part * match for part, match, _ in rows.parts)
    missing = sum(part * lost for part, _, lost in rows.parts)
    part_of_all, whole_of_all = _ratio(figure, right, 1 - right - missing, missing)
    truth = part_of_all / whole_of_all
    found = []
    for count in UNITS:
        random, below, pooled = Random(f"{label} {count}"), 0, 0
        for _ in range(RATIO_TRIALS):
            sums = RatioSums()
            for part, whole in _documents(rows, figure, count, random):
                sums.add(part, whole)
            one = share_interval(sums.moments())
            scale = 2 if figure == "F1" else 1
            all_at_once = wilson(sums.power_sum(1, 0) // scale, sums.power_sum(0, 1) // scale)
            below += one is not None and one.low <= truth
            pooled += all_at_once is not None and all_at_once.low <= truth
        found.append(f"{percent(below, RATIO_TRIALS)} ({percent(pooled, RATIO_TRIALS)})")
    return found


def _documents(rows: Rows, figure: str, count: int, random: Random) -> Iterator[tuple[int, int]]:
    weights = [part for part, _, _ in rows.parts]
    for _, match, lost in random.choices(rows.parts, weights, k=count):
        leaves = sum(random.randint(1, 30) for _ in range(rows.together))
        right = _binomial(random, leaves, match)
        missing = _binomial(random, leaves - right, lost / (1 - match)) if match < 1 else 0
        yield _ratio(figure, right, leaves - right - missing, missing)


def _binomial(random: Random, count: int, chance: float) -> int:
    if chance in (0.0, 1.0):
        return count if chance else 0
    return sum(random.random() < chance for _ in range(count))


def _ratio(figure: str, right: Count, wrong: Count, missing: Count) -> tuple[Count, Count]:
    if figure == "precision":
        return right, right + wrong
    if figure == "recall":
        return right, right + wrong + missing
    return 2 * right, 2 * right + 2 * wrong + missing


# --- tests

SPREADS: Final = ("0.000001", "0.001", "0.002", "1")
CONTINUOUS: Final = (30, 100, 1_000)
DISCRETE: Final = {
    "0.5 and 1": (Fraction(1, 2), Fraction(1)),
    "sevenths and thirteenths": tuple(Fraction(n, d) for d in (7, 13) for n in range(1, d)),
    "quarters, 9 of 10 pairs unchanged": (*[Fraction(0)] * 36, *(Fraction(n, 4) for n in range(1, 5))),
}


def continuous_line(label: tuple[str, ...]) -> list[str]:
    """How often two runs that are equally good are told apart, at 5 %: normal differences of a spread."""
    spread = float(label[0])
    return [
        percent(_called(lambda random: Fraction(random.gauss(0, spread)), count, Random(f"{label} {count}")), TRIALS)
        for count in CONTINUOUS
    ]


def discrete_line(label: tuple[str, ...]) -> list[str]:
    """The same for differences of few sizes."""
    sizes = DISCRETE[label[0]]
    return [
        percent(
            _called(lambda random: random.choice(sizes) * random.choice((-1, 1)), count, Random(f"{label} {count}")),
            TRIALS,
        )
        for count in CONTINUOUS
    ]


def _called(draw: Callable[[Random], Fraction], count: int, random: Random) -> int:
    return sum(sign_flips(Counter(draw(random) for _ in range(count))) < LEVEL for _ in range(TRIALS))


def mcnemar_line(label: tuple[str, ...]) -> list[str]:
    """Exact: the probability of all outcomes that the test calls a difference when both directions are as likely."""
    changed = int(label[0].replace(",", ""))
    return [percent(sum(comb(changed, b) for b in range(changed + 1) if mcnemar(b, changed - b) < LEVEL), 2**changed)]


_COUNTS: Final = tuple(f"{count:,}" for count in UNITS)
_UNCHANGED: Final = ("60 %", "90 %", "98 %")
TABLES: Final = {
    "wilson": Table(("true rate", *_COUNTS), tuple((rate,) for rate in ("0.5", "0.8", "0.9", "0.95", "0.98", "0.99")), wilson_line),
    "mean": Table(("scores", *_COUNTS), tuple((name,) for name in SCORES), mean_line),
    "difference": Table(
        ("unchanged", "changed pairs are", *_COUNTS),
        tuple((share, name) for share in _UNCHANGED for name in CHANGES),
        difference_line,
    ),
    "pairs": Table(
        ("unchanged", "of those", "fixed among changed", *_COUNTS),
        tuple((share, right, better) for share in _UNCHANGED for right in RIGHT for better in ("0.5", "0.8", "1.0")),
        pairs_line,
    ),
    "clusters": Table(("groups", *_COUNTS), tuple((name,) for name in CLUSTERS), cluster_line),
    "cluster_differences": Table(
        ("groups unchanged", "changed groups are", *_COUNTS),
        tuple((share, name) for share in _UNCHANGED for name in list(CHANGES)[:3]),
        cluster_difference_line,
    ),
    "ratios": Table(
        ("documents", "figure", *_COUNTS),
        tuple((name, figure) for name in DOCUMENTS for figure in ("precision", "recall", "F1")),
        ratio_line,
    ),
    "sign_flips": Table(("spread", *(f"{count:,}" for count in CONTINUOUS)), tuple((spread,) for spread in SPREADS), continuous_line),
    "sign_flips_discrete": Table(
        ("sizes", *(f"{count:,}" for count in CONTINUOUS)), tuple((name,) for name in DISCRETE), discrete_line
    ),
    "mcnemar": Table(
        ("changed rows", "called a difference"), tuple((f"{n:,}",) for n in (6, 10, 20, 50, 100, 500, 1_000)), mcnemar_line
    ),
}  # fmt: skip


def table_lines(name: str) -> Iterator[str]:
    """The lines of a table in Markdown."""
    table = TABLES[name]
    yield f"| {' | '.join(table.head)} |"
    yield f"| {' | '.join('---' for _ in table.head)} |"
    for label in table.labels:
        yield f"| {' | '.join([*label, *table.line(label)])} |"


TEMPLATE: Final = """\
<!-- Written by `python -m tests.tools.pages.statistics`. Changes made here are lost. -->

# How often intervals hold the truth

[Statistics](../background/statistics.md) makes promises about intervals and tests. Here they are counted: test sets
of which the truth is known are made up by the thousand, and the code that a run uses looks at them. The head of a
table is the number of rows. `python -m tests.tools.pages.statistics` writes the tables anew, which takes about an hour; it
always draws the same numbers.

## A rate: Wilson's interval

These shares are exact: every possible outcome is counted with its probability. With few rows there are few possible
outcomes, so the share moves in steps.

<!-- table: wilson -->

Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference", JASA 22; without
continuity correction, as method 3 of Newcombe 1998, "Two-sided confidence intervals for the single proportion",
Statistics in Medicine 17.

## A mean

Student's interval is too short on the side of a long tail, the bootstrap's on the other side when few rows differ
from the rest; each end is the farther one of the two. Where few rows differ, the degrees of freedom are those that
the kurtosis leaves.

<!-- table: mean -->

Source: Student 1908, "The probable error of a mean", Biometrika 6; DiCiccio and Efron 1992, "More accurate confidence
intervals in exponential families", Biometrika 79; degrees of freedom as in Satterthwaite 1946, "An approximate
distribution of estimates of variance components", Biometrics Bulletin 2, with one taken off.

## A difference of means

The interval of a mean, over the differences of all pairs. An end that the test does not bear out is moved to 0, or to
just beyond it.

<!-- table: difference -->

Source: as for a mean; Lehmann and Romano 2005, "Testing Statistical Hypotheses", section 3.5.

## A difference of right and wrong

Newcombe's interval for paired rates, which is too short where all changes go the same way and the unchanged rows are
half right and half wrong; so each end is the farther one of it and of those of a mean.

<!-- table: pairs -->

Source: Newcombe 1998, "Improved confidence intervals for the difference between binomial proportions based on paired
data", Statistics in Medicine 17, method 10.

## Rows that belong together

The head is the number of groups of rows; each has 1 to 9 rows. First pass rates, then differences of groups whose rows
change together.

<!-- table: clusters -->

<!-- table: cluster_differences -->

Source: Cochran 1977, "Sampling Techniques", 3rd edition, section 6.3 (the linearized ratio estimator).

## Precision, recall and F1: the lower end

How often the lower end lies below the truth, which is what `using: lower_bound` relies on; 97.5 is the aim. In
parentheses is what it would be if every field counted on its own. Documents have 1 to 30 fields; a lost one has no
readable output.

<!-- table: ratios -->

Source: Cochran 1977, section 6.3.

## Is a difference of means chance?

How often two runs that are equally good were called different, by the spread of the differences and the number of
pairs: first for differences of any size, then for those of few sizes.

<!-- table: sign_flips -->

<!-- table: sign_flips_discrete -->

Source: Fisher 1935, "The Design of Experiments", section 21; Phipson and Smyth 2010, "Permutation p-values should
never be zero", Statistical Applications in Genetics and Molecular Biology 9; for counting in two halves Horowitz and
Sahni 1974, "Computing partitions with applications to the knapsack problem", Journal of the ACM 21.

## Is a difference of right and wrong chance?

McNemar's test in its exact form. These shares are exact.

<!-- table: mcnemar -->

Source: McNemar 1947, "Note on the sampling error of the difference between correlated proportions or percentages",
Psychometrika 12.

## Many tests at once

Holm's correction keeps the chance that any figure is called different in error below 5 %.

Source: Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6.
"""
"""The page, with a mark where each table stands."""


def page(tables: Mapping[str, str]) -> str:
    """The page with these tables, by name."""
    return re.sub(
        r"<!-- table: (\w+) -->", lambda mark: f"{mark[0]}\n\n{tables[mark[1]]}\n\n<!-- end: {mark[1]} -->", TEMPLATE
    )


def tables_of(text: str) -> dict[str, str]:
    """The tables that a page has, by name."""
    return dict(re.findall(r"<!-- table: (\w+) -->\n\n(.*?)\n\n<!-- end: ", text, re.DOTALL))


def main(names: Sequence[str]) -> None:
    """Write the tables of those names, or all of them, to the page."""
    for name in names or TABLES:
        lines = list(table_lines(name))
        PAGE.write_text(page({**tables_of(PAGE.read_text(encoding="utf-8")), name: "\n".join(lines)}), encoding="utf-8")
        print(name, *lines, sep="\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
