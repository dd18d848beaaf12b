"""What a comparison of two runs found: the document that its reports and files are made from.

Metrics are those of the rows that neither run lost. A difference is always that of the new run less that of the base, so a
positive one is a gain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias, get_args

from msgspec import Struct

from evaluators.model.result_table import Kind, ResultTable
from evaluators.runs.metrics import score_text, signed_text, with_variant
from evaluators.runs.result import Interval
from evaluators.runs.run_json import json_data, stable_json
from evaluators.scoring.values.paths import path_for_people

Change: TypeAlias = Literal["broken", "lost", "fixed", "gained", "settled", "unchanged", "never measured"]
CHANGES: Final[tuple[Change, ...]] = get_args(Change)
"""The weightiest first: a row that several evaluators look at is what the first of these says."""
Finding: TypeAlias = Literal["better", "worse", "no clear difference", "the same", "not measured", "not tested"]
Unit: TypeAlias = Literal["rows", "values"]
FORMAT: Final = 1
"""The version of `comparison.json`. A key may be added within a version; a meaning never changes."""
_CLEAR: Final = ("better", "worse")
_ANSWERS: Final[Mapping[Finding, str]] = {
    "better": "the new run is clearly better", "worse": "the new run is clearly worse",
    "no clear difference": "overall no clear difference", "the same": "the same score in every row",
    "not measured": "not measured in both runs", "not tested": "metrics alone, without a test",
}  # fmt: skip
_SHOWN: Final = 8
_COLUMNS: Final[Mapping[str, Kind]] = {
    "evaluator": "text", "field": "text", "variant": "text", "pairs": "count", "base": "score", "new": "score",
    "difference": "score", "ci_low": "score", "ci_high": "score", "p_value": "score",
    "p_value_corrected": "score", "verdict": "text", "fixed": "count",
    "broken": "count", "lost": "count", "gained": "count",
}  # fmt: skip


class Difference(Struct, frozen=True):
    """One evaluator, or one of its fields, in two runs.

    `base` and `new` are the metrics of each run over the rows that neither lost: the mean score, or for a field what is
    right of what was measured. A row in which a run had nothing to measure is not in that run's metric, as in its own
    report. `fixed` and `broken` count the pairs that passed (were right) in one run only; a row that is wrong now, and in which
    the base had nothing to measure, is broken, too.
    """

    evaluator: str
    field: str | None
    pairs: int
    """The rows that are fixed, broken or unchanged."""
    base: float | None
    new: float | None
    difference: float | None
    ci: Interval | None
    p_value: float | None
    """How often chance alone would make a difference as large."""
    p_value_corrected: float | None
    """The p-value, corrected for the number of evaluators, or of fields, that were tested: two that say the same are one test."""
    verdict: Finding
    fixed: int
    broken: int
    unpaired: int
    """Rows that only one of the runs measured: lost, gained and settled."""
    minimum_detectable_effect: float | None
    """The smallest true difference that so many pairs would show four times out of five; None with fewer than six changes."""
    variant: str | None = None
    lost: int = 0
    """Rows that the base measured and the new run did not, though something was there to measure."""
    lost_passed: int = 0
    """Of these, the ones that passed (were right) in the base."""
    gained: int = 0
    """Rows that the new run measured and the base did not, broken ones aside."""
    settled: int = 0
    """Rows that the base measured, and in which nothing is there any more, neither expected nor in the output."""
    unit: Unit = "rows"
    """What `base` and `new` count: rows, or the values of a field of which a row may have several."""
    noise: float | None = None
    """The share of pairs that would be fixed or broken if nothing had changed: of two outputs of one question in one run, one passes
    and the other does not. The mean of both runs; None where the suite has no `repeats`."""
    changed_groups: int | None = None
    """The groups of rows that belong together whose scores do not come to what they came to before; None where rows are on their own."""
    same_as: str | None = None
    """The first evaluator or field of the same kind that says the same in every row, as in `header.total`: both are one test."""
    invented: bool = False
    """Only the outputs of the new run have something here, and nothing is expected: it is worse, though the base has no metric."""

    @property
    def name(self) -> str:
        """The evaluator and its field, as regression checks name it."""
        return self.evaluator if self.field is None else f"{self.evaluator}.{self.field}"

    @property
    def test(self) -> tuple[str | None, str]:
        """The key of the test: differences that are one test have the same."""
        return self.variant, self.same_as or self.name


class NumericColumnDifference(Struct, frozen=True):
    """One metric of a measure in two runs, each over all rows of its run. It is not tested."""

    measure: str
    metric: str
    base: float | None
    new: float | None
    difference: float | None
    variant: str | None = None


class LabelDifference(Struct, frozen=True):
    """One metric of a label, or of an average over labels, in two runs, each over all rows of its run. It is not tested."""

    evaluator: str
    label: str
    """The label; of an average: macro, micro or weighted."""
    average: bool
    metric: str
    base: float | None
    new: float | None
    difference: float | None
    support: int
    """The rows of the new run that expect the label."""
    variant: str | None = None


class ChangedRow(Struct, frozen=True):
    """A row of which some verdict changed, or that one of the runs did not measure."""

    id: str
    number: int
    """The row's number in the new run; in the base where only that has the row."""
    broken: tuple[str, ...]
    """The evaluators that passed in the base and fail now."""
    fixed: tuple[str, ...]
    fields: tuple[str, ...]
    """The changes of the fields of those evaluators, and of those whose verdict stays, such as
    `header.total: match → mismatch`; `header.total: mismatch → mismatch` where it is wrong with another value."""
    variant: str | None = None
    change: Change = "unchanged"
    """The first of `CHANGES` among those of its evaluators. An unchanged row is listed where a field of it changed."""
    lost: tuple[str, ...] = ()
    """The evaluators that scored the row in the base and do not now."""
    lost_passed: tuple[str, ...] = ()
    """Of these, the ones that the row passed in the base."""
    gained: tuple[str, ...] = ()
    """The evaluators that score the row now and did not in the base."""
    settled: tuple[str, ...] = ()
    """The evaluators that scored the row in the base and have nothing to measure now."""
    reasons: Mapping[str, str] = {}
    """Why an evaluator that lost or gained the row did not score it in the other run: `invalid: the cell is empty`. Of one that is
    broken, what is wrong in the new run: `total is wrong (expected 3, found 4)`."""


class FieldExample(Struct, frozen=True):
    """A row of a field that changed much, with its values in both runs."""

    evaluator: str
    field: str
    row: int
    """The number of the row in the new run."""
    id: str
    path: str
    """The place of the value: that of the item, in a list."""
    values: str
    """What the base gave, what the new run gives, and what is expected: `"12/07" → "2026-07-12" (expected "2026-07-12")`."""
    variant: str | None = None


class RegressionCheckResult(Struct, frozen=True):
    """One rule that the new run is held to."""

    rule: str
    """As settings spell it: significant_drop, broken_rows, max_drop, max_broken_rows."""
    target: str | None
    verdict: Literal["passed", "failed", "undecided"]
    message: str
    variant: str | None = None


class RankedVariant(Struct, frozen=True):
    """One variant among others, by one evaluator."""

    variant: str
    rank: int
    """1 + the number of variants that are clearly better."""
    mean: float
    ci: Interval | None
    passed: int
    alike: tuple[str, ...]
    """The variants that it cannot be told apart from."""


class UnrankedVariant(Struct, frozen=True):
    """A variant that lacks too many of the rows that others have to be put in order with them."""

    variant: str
    lacking: int
    others: int
    """The rows that the others have."""


class Ranking(Struct, frozen=True):
    """The variants of one run, by one evaluator, over the rows that all the ranked ones have."""

    evaluator: str
    rows: int
    variants: tuple[RankedVariant, ...]
    unranked: tuple[UnrankedVariant, ...] = ()


class RunComparison(Struct, frozen=True):
    """Two runs of the same question, or variants of one run."""

    base: str
    new: str
    name: str
    """The name of the suite."""
    rows: int
    """The rows that are compared, each variant counted: fixed + broken + unchanged + lost + gained + settled +
    never_measured. Those that only one run has are among them where --common asked for it."""
    fixed: int
    """Rows of which some verdict became right, none wrong, and none was lost."""
    broken: int
    """Rows of which some verdict became wrong."""
    unchanged: int
    evaluators: tuple[Difference, ...] = ()
    fields: tuple[Difference, ...] = ()
    measures: tuple[NumericColumnDifference, ...] = ()
    """The metrics of the measures that both runs have."""
    labels: tuple[LabelDifference, ...] = ()
    """The metrics of the labels that both runs have, and their averages."""
    changed: tuple[ChangedRow, ...] = ()
    examples: tuple[FieldExample, ...] = ()
    """A row of each of the fields that changed most, as far as the runs recorded its values."""
    regression_checks: tuple[RegressionCheckResult, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    incomparable: tuple[str, ...] = ()
    """Why the runs cannot be compared; nothing is compared then."""
    notes: tuple[str, ...] = ()
    exit_code: int = 0
    causes: tuple[str, ...] = ()
    cluster: str | None = None
    data: Mapping[str, str] = {}
    """The fingerprints of the test sets, under base and new."""
    lost: int = 0
    """Rows of which some evaluator lost its verdict, and none became wrong."""
    gained: int = 0
    """Rows that some evaluator scored in the new run only, and of which nothing became better or worse."""
    settled: int = 0
    """Rows in which nothing is there to measure any more, and nothing else changed."""
    never_measured: int = 0
    """Rows that no evaluator scored in the base or in the new run."""
    one_sided: int = 0
    """Of the rows, those that only one of the runs has."""
    unpaired: bool = False
    """One of the runs has metrics alone: those of all rows of each run are compared, no rows are, and nothing is tested."""

    @property
    def most_changed(self) -> list[Difference]:
        """The fields that are higher or lower than in the base, the one that changed most first."""
        return sorted((field for field in self.fields if field.difference), key=lambda field: -abs(field.difference or 0))

    @property
    def answer(self) -> tuple[str, ...]:
        """Whether the new run is better, worse or the same, by how much, and which field changed most: a sentence for each variant, on the
        evaluator that compares the most fields. Of a ranking alone, the best variant by each evaluator. Empty where the runs cannot be
        compared."""
        if self.incomparable:
            return ()
        if not self.evaluators:
            return tuple(_best_variant(ranking) for ranking in self.rankings)
        fields = Counter(field.evaluator for field in self.fields)
        main = max(self.evaluators, key=lambda difference: fields[difference.evaluator]).evaluator
        return tuple(self._answer(evaluator) for evaluator in self.evaluators if evaluator.evaluator == main)

    def _answer(self, main: Difference) -> str:
        """The sentence on an evaluator: how its mean score changed, which of its fields changed most, the first field that changed clearly
        in the opposite direction, and the other evaluators of the variant that are clearly better or worse. It begins with the
        evaluator's name where there are several."""
        parts = [f"{_ANSWERS[main.verdict]}: mean score {_change_text(main)}"]
        own = [
            difference
            for difference in self.most_changed
            if (difference.evaluator, difference.variant) == (main.evaluator, main.variant)
        ]
        parts += [f"changed most: {_field_change_text(difference)}" for difference in own[:1]]
        parts += [
            _field_change_text(other)
            for other in own[1:]
            if other.verdict in _CLEAR and (other.difference or 0) * (own[0].difference or 0) < 0
        ][:1]
        parts += [
            f"{other.evaluator} is clearly {other.verdict}: {_change_text(other)}"
            for other in self.evaluators
            if other.evaluator != main.evaluator and other.variant == main.variant and other.verdict in _CLEAR
        ]
        text = "; ".join(parts)
        several = len(self.evaluators) > 1
        return f"{with_variant(main.evaluator, main.variant)}: {text}" if several else text[0].upper() + text[1:]

    @property
    def table(self) -> ResultTable:
        """A row for each evaluator, then for each field: `evaluator`, `field`, `variant`, `pairs`, `base`, `new`, `difference`,
        its 95 % CI `ci_low` and `ci_high`, `p_value`, `p_value_corrected` (for the number of tests), `verdict`, `fixed`, `broken`,
        `lost`, `gained`."""
        return ResultTable(_COLUMNS, [
            [
                difference.evaluator, difference.field, difference.variant, difference.pairs,
                difference.base, difference.new, difference.difference,
                difference.ci.low if difference.ci is not None else None,
                difference.ci.high if difference.ci is not None else None,
                difference.p_value, difference.p_value_corrected, difference.verdict,
                difference.fixed, difference.broken, difference.lost, difference.gained,
            ]
            for difference in (*self.evaluators, *self.fields)
        ])  # fmt: skip

    def __repr__(self) -> str:
        why = [f"not compared: {reason}" for reason in self.incomparable[:_SHOWN]]
        return "\n".join([self._head_line, *self.answer, *why, *([] if self.incomparable else [repr(self.table)])])

    def _repr_html_(self) -> str:
        """The HTML for a notebook: the table of differences, or why the runs cannot be compared."""
        from html import escape

        why = "".join(f"<li>{escape(reason)}</li>" for reason in self.incomparable[:_SHOWN])
        answer = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.answer)
        return f"<p><b>{escape(self._head_line)}</b></p>{answer}{f'<ul>{why}</ul>' if why else self.table._repr_html_()}"

    @property
    def _head_line(self) -> str:
        """The line that begins all texts about the comparison: both runs, and how many rows are broken, fixed and unchanged."""
        text = f"{self.rows:,} rows, {self.broken:,} broken, {self.fixed:,} fixed, {self.unchanged:,} unchanged"
        return f"{self.base} → {self.new}: {'not comparable' if self.incomparable else text}"

    def to_pandas(self) -> Any:
        """The differences as a `pandas.DataFrame`, with the columns of `table`."""
        return self.table.to_pandas()

    def to_arrow(self) -> Any:
        """The differences as a `pyarrow.Table`, with the columns of `table`."""
        return self.table.to_arrow()


def _change_text(difference: Difference) -> str:
    """The text of both metrics with their difference, or of one where they are equal."""
    if not difference.difference:
        return score_text(difference.new)
    return f"{score_text(difference.base)} → {score_text(difference.new)} ({signed_text(difference.difference)})"


def _field_change_text(difference: Difference) -> str:
    """The text of a field with both metrics, and whether its difference is clear."""
    verdict = f"{'clearly ' if difference.verdict in _CLEAR else ''}{difference.verdict}"
    tested = "" if difference.verdict == "not tested" else f", {verdict}"
    field = path_for_people(difference.field or "")
    return f"{field} ({score_text(difference.base)} → {score_text(difference.new)}{tested})"


def _best_variant(ranking: Ranking) -> str:
    """The sentence on which variant is best by an evaluator, or which cannot be told apart at the top."""
    best = [ranked for ranked in ranking.variants if ranked.rank == 1]
    names = ", ".join(ranked.variant for ranked in best)
    means = ", ".join(score_text(ranked.mean) for ranked in best)
    if not best:
        return f"{ranking.evaluator}: no variant is ranked"
    if len(best) == 1:
        return f"{ranking.evaluator}: {names} is the best variant: mean score {means}"
    return f"{ranking.evaluator}: of {names}, none is clearly better: mean scores {means}"


def count_tests(differences: Iterable[Difference]) -> int:
    """The number of tests: differences that are the same in every row count once."""
    return len({difference.test for difference in differences if difference.p_value is not None})


def comparison_json(comparison: RunComparison) -> str:
    """The comparison as JSON with sorted keys; the same comparison always gives the same bytes. Some lists are left out where they are
    empty, and some values of a difference where they are None or False."""
    body = {"format": FORMAT, **json_data(comparison)}
    for key in ("measures", "labels", "examples", "unpaired"):
        if not body[key]:
            del body[key]
    for record in (*body["evaluators"], *body["fields"]):
        for key in ("noise", "changed_groups", "same_as", "invented"):
            if record[key] is None or record[key] is False:
                del record[key]
    return stable_json(body)
