"""How far a judge can be trusted: its verdicts beside those of people, from the record of a run.

Each row that has both a verdict and a mark counts once. Sources: Cohen 1960, "A coefficient of agreement for nominal scales",
Educational and Psychological Measurement 20, for kappa; Fleiss, Cohen and Everitt 1969, "Large sample standard errors of
kappa and weighted kappa", Psychological Bulletin 72, for its standard error; Newcombe 1998, "Interval estimation for the
difference between independent proportions", Statistics in Medicine 17, method 10, for the difference of two halves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import isfinite, sqrt
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import problem
from evaluators.model.rows import FIELD_STATUSES, FieldStatus, Result
from evaluators.runs.intervals import Z_95, mean_interval, moments_of_values, wilson
from evaluators.runs.label_pairs import FirstRow, LabelPair
from evaluators.runs.labels import PairCount, confusion_matrix
from evaluators.runs.reader import RecordedRow, Run
from evaluators.runs.result import ConfusionMatrix, Interval
from evaluators.scoring.fields.outcomes import MEASURED
from evaluators.scoring.judges.answer_lines import AnswerLine
from evaluators.scoring.judges.repeats import verdict_in
from evaluators.scoring.values.quoting import quote

PASSES: Final = frozenset({"1", "true", "yes", "y", "pass", "passed", "good", "right", "correct", "ok", "match"})
FAILS: Final = frozenset({"0", "false", "no", "n", "fail", "failed", "bad", "wrong", "incorrect", "mismatch"})
MOST_SHOWN: Final = 10


class MarkedRow(Struct, frozen=True):
    """One row that a judge and a person have looked at."""

    number: int
    id: str
    judge: bool
    person: bool
    length: int
    """How many characters the output has."""
    score: Fraction | None = None
    mark: Fraction | None = None
    """The person's mark from 0 to 1, where it is a number or a choice, and not another word."""
    choices: tuple[str, str] | None = None
    """The choice of the person, and that of the judge, where both made one."""


class JudgeConfusion(Struct, frozen=True):
    """How often which verdicts met."""

    both_pass: int = 0
    too_kind: int = 0
    """The judge lets a row pass that people do not."""
    too_strict: int = 0
    """People let a row pass that the judge does not."""
    both_fail: int = 0

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.both_pass + self.too_kind + self.too_strict + self.both_fail

    @property
    def agreements(self) -> int:
        """The number of rows to which judge and people give one verdict."""
        return self.both_pass + self.both_fail

    @property
    def agreement(self) -> float | None:
        """The share of rows to which judge and people give one verdict; None without rows."""
        return self.agreements / self.rows if self.rows else None

    @property
    def cells(self) -> dict[tuple[str, str], int]:
        """How often each pair of verdicts was met, by (verdict of people, verdict of the judge)."""
        passed, failed = "pass", "fail"
        return {
            (passed, passed): self.both_pass, (failed, passed): self.too_kind,
            (passed, failed): self.too_strict, (failed, failed): self.both_fail,
        }  # fmt: skip

    @staticmethod
    def of(rows: Iterable[MarkedRow]) -> JudgeConfusion:
        """Counts the pairs of verdicts of some rows."""
        pair_counts = Counter((row.judge, row.person) for row in rows)
        return JudgeConfusion(
            pair_counts[True, True], pair_counts[True, False], pair_counts[False, True], pair_counts[False, False]
        )


class Halves(Struct, frozen=True):
    """The rows in two halves, and what changes from one to the other."""

    first: JudgeConfusion
    second: JudgeConfusion
    difference: Interval | None
    """The interval of the second agreement minus the first; None where a half has no rows."""


class ChangedAnswers(Struct, frozen=True):
    """Two sets of answers to the same questions."""

    questions: int
    """Those that both answered."""
    changed: int
    """Those of them with another verdict."""
    examples: tuple[str, ...] = ()


class Calibration(Struct, frozen=True):
    """A judge beside people."""

    confusion: JudgeConfusion
    kappa: float | None
    kappa_interval: Interval | None
    lengths: Halves
    """The rows with the shorter outputs, and those with the longer ones."""
    positions: Halves
    """The first rows of the test set, and the later ones."""
    mean_difference: float | None
    """The judge's score minus the person's mark, where marks are numbers."""
    difference_interval: Interval | None
    difference_rows: int
    """The rows whose mark is a number."""
    disagreements: tuple[MarkedRow, ...]
    unmarked: int
    """Rows with a verdict and without a mark."""
    unjudged: int
    """Rows with a mark and without a verdict."""
    cluster: str | None = None
    """The column whose equal values make groups of rows, in a run that has them; the intervals here count rows."""
    choices: ConfusionMatrix | None = None
    """People's choices, and the judge's beside each; None where there are no choices on both sides."""


def calibrate(
    record: Run,
    target: str,
    column: str,
    pass_at: float,
    scale: tuple[float, float],
    marks: Mapping[str, Any] | None,
    choices: Mapping[str, tuple[bool, Fraction]],
) -> Calibration:
    """The verdicts of one evaluator, or of one of its fields (`evaluator.field`), beside the marks of a column, or beside `marks`,
    which are by id. The column is not read then.

    A cell that is one of the evaluator's `choices` has its score, and passes as it does. Numbers in the column are on `scale`, and pass
    from `pass_at` on, on the scale from 0 to 1. Raises Problems (config) for a target or a column that the run does not have, for a
    mark that cannot be read, and for a run that kept no cells of some rows.
    """
    place, field = _target_indexes(record, target)
    choices = choices if field is None else {}
    spelled = {name.strip().casefold(): name for name in choices} | {name: name for name in choices}
    rows: list[MarkedRow] = []
    unmarked = unjudged = 0
    for variant in record.each_variant:
        for row in record.each_row(variant):
            verdict = row.verdicts[place]
            judge = _judge_verdict(verdict, field)
            cell = marks.get(row.id) if marks is not None else _mark_cell(record, row, column)
            text = str(cell if cell is not None else "").strip()
            chosen = spelled.get(text) or spelled.get(text.casefold())
            where = f'row {row.number}, column "{column}"'
            mark = choices[chosen] if chosen else read_mark(cell, pass_at, scale, where, tuple(choices))
            if mark is None or judge is None:
                unmarked += mark is None and judge is not None
                unjudged += mark is not None and judge is None
                continue
            score = Fraction(verdict.num, verdict.den) if field is None and verdict.den else None
            length = len(str((row.cells or {}).get(record.result.columns.get("output", ""), "")))
            answered = _judge_choice(verdict, tuple(choices))
            both = (chosen, answered) if chosen and answered else None
            rows.append(MarkedRow(row.number, row.id, judge, mark[0], length, score, mark[1], both))
    table = _choice_table(rows, tuple(choices), target)
    return replace(calibration_of(rows, unmarked, unjudged), cluster=record.result.cluster, choices=table)


def _judge_choice(verdict: Result, choices: Sequence[str]) -> str | None:
    """The choice of the judge, or of more than half of a panel; None without such a choice. `verdict.metrics` has the share of
    each of the choices."""
    shares = zip(choices, verdict.metrics, strict=False)
    return next((name for name, (part, whole) in shares if 2 * part > whole), None)


def _choice_table(rows: Iterable[MarkedRow], choices: Sequence[str], target: str) -> ConfusionMatrix | None:
    """The confusion matrix of people's choices (the expected side) and the judge's; None where no row has choices."""
    first_rows: dict[LabelPair, list[FirstRow]] = {}
    for row in rows:
        if row.choices is not None:
            person, judge = (f"={choice}" for choice in row.choices)
            first_rows.setdefault((person, judge), []).append((row.number, row.id))
    pairs = {pair: PairCount(len(every), tuple(every)) for pair, every in first_rows.items()}
    return confusion_matrix(target, choices, pairs, None) if pairs else None


def _mark_cell(record: Run, row: RecordedRow, column: str) -> Any:
    """The mark of a row among the cells that the run kept. Raises Problems (config) where it kept none, or has no such column."""
    if row.cells is None:
        hint = "run again with results: {documents: all} in the suite, or name a file with the marks"
        raise problem("no-cells", "the run did not keep the cells of all rows", where=str(record.place), hint=hint)
    if column not in row.cells:
        known = ", ".join(map(str, row.cells))
        raise problem("no-such-column", f'the rows have no column "{column}"', where=str(record.place), hint=known)
    return row.cells[column]


def calibration_of(rows: Sequence[MarkedRow], unmarked: int = 0, unjudged: int = 0) -> Calibration:
    """The agreement of judge and people over marked rows: confusion, kappa, the halves with shorter and longer outputs and with lower and
    higher row numbers, the mean gap between score and mark, and the first rows in which the two differ. `unmarked` and `unjudged`, the
    numbers of rows that lack a mark or a verdict, are only passed on."""
    confusion = JudgeConfusion.of(rows)
    by_length = sorted(rows, key=lambda row: row.length)
    by_place = sorted(rows, key=lambda row: row.number)
    gaps = Counter(row.score - row.mark for row in rows if row.score is not None and row.mark is not None)
    moments = moments_of_values(gaps) if gaps else None
    wrong = tuple(row for row in by_place if row.judge is not row.person)
    return Calibration(
        confusion, *kappa(confusion.cells), _compare_halves(by_length), _compare_halves(by_place),
        float(moments.mean) if moments else None, mean_interval(moments, -1.0, 1.0), gaps.total(), wrong[:MOST_SHOWN], unmarked,
        unjudged,
    )  # fmt: skip


def kappa(cells: Mapping[tuple[str, str], int]) -> tuple[float | None, Interval | None]:
    """Cohen's kappa, the agreement of two raters beyond chance, and its 95 % CI. `cells` says how often each pair of their verdicts occurs.
    (None, None) without rows, and where one verdict is all there is."""
    n = sum(cells.values())
    if not n:
        return None, None
    shares = {verdicts: count / n for verdicts, count in cells.items() if count}
    firsts = defaultdict[str, float](float)  # the share of each verdict of the first rater
    seconds = defaultdict[str, float](float)
    for (first, second), share in shares.items():
        firsts[first] += share
        seconds[second] += share
    agreed = sum(share for (first, second), share in shares.items() if first == second)
    chance = sum(share * seconds[verdict] for verdict, share in firsts.items())
    if chance == 1:
        return None, None
    value = (agreed - chance) / (1 - chance)
    spread = sum(
        share * ((first == second) - (firsts[second] + seconds[first]) * (1 - value)) ** 2
        for (first, second), share in shares.items()
    )
    variance = (spread - (value - chance * (1 - value)) ** 2) / (n * (1 - chance) ** 2)
    reach = Z_95 * sqrt(max(0.0, variance))
    return value, Interval(max(-1.0, value - reach), min(1.0, value + reach))


def rate_difference_interval(first: tuple[int, int], second: tuple[int, int]) -> Interval | None:
    """The 95 % CI of the second rate minus the first, each given as (count, of how many); None where one is of nothing."""
    first_ci, second_ci = wilson(*first), wilson(*second)
    if first_ci is None or second_ci is None:
        return None
    p, q = first[0] / first[1], second[0] / second[1]
    low = q - p - sqrt((q - second_ci.low) ** 2 + (first_ci.high - p) ** 2)
    high = q - p + sqrt((second_ci.high - q) ** 2 + (p - first_ci.low) ** 2)
    return Interval(low, high)


def changed_answers(ours: Iterable[AnswerLine], theirs: Iterable[AnswerLine]) -> ChangedAnswers:
    """How many questions two runs have in common, and which of them have another verdict."""
    known = {logged.question.key: logged.answer for logged in theirs if logged.answer.error is None}
    both = [logged for logged in ours if logged.answer.error is None and logged.question.key in known]
    changed = [logged for logged in both if verdict_in(logged.answer) != verdict_in(known[logged.question.key])]
    return ChangedAnswers(len(both), len(changed), tuple(_question_line(logged) for logged in changed[:MOST_SHOWN]))


def read_mark(
    cell: object, pass_at: float, scale: tuple[float, float], where: str, choices: Sequence[str] = ()
) -> tuple[bool, Fraction | None] | None:
    """A person's mark in a cell: whether it lets the row pass, and the mark from 0 to 1 where it is a number; None for an empty
    cell. Numbers are on `scale` and pass from `pass_at` on; `where` is the place of the cell. Raises Problems (config) for
    anything else."""
    if isinstance(cell, bool):
        return cell, None
    text = str(cell if cell is not None else "").strip().lower()
    if not text:
        return None
    on_scale = scale != (0.0, 1.0)
    if not on_scale and text in PASSES | FAILS:
        return text in PASSES, Fraction(text in PASSES) if text in ("0", "1") else None
    if on_scale and text in (PASSES | FAILS) - {"0", "1"}:
        return text in PASSES, None
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    low, high = scale
    if not isfinite(number) or not low <= number <= high:
        named = f"{', '.join(choices)}, " if choices else ""
        hint = f"a mark is {named}yes or no, pass or fail, right or wrong, or a number from {low:g} to {high:g}"
        raise problem("bad-mark", f"this is no mark: {cell}", where=where, hint=hint)
    mark = (Fraction(text) - Fraction(str(low))) / (Fraction(str(high)) - Fraction(str(low)))
    return mark >= Fraction(str(pass_at)), mark


def _target_indexes(record: Run, target: str) -> tuple[int, int | None]:
    """The index of an evaluator, and that of its field, for `EVALUATOR` or `EVALUATOR.FIELD`; the second is None for the row as
    a whole. Raises Problems (config) for a name that the run does not have."""
    names = [evaluator.name for evaluator in record.facts.evaluators]
    name, _, path = target.partition(".")
    if name not in names:
        message = f'the run has no evaluator "{name}"'
        raise problem("no-such-evaluator", message, where=str(record.place), hint=", ".join(names))
    index = names.index(name)
    if not path:
        return index, None
    fields = record.facts.evaluators[index].fields
    if path not in fields:
        hint = f"fields: {', '.join(fields)}" if fields else f'"{name}" has no fields of its own for each row'
        raise problem("no-such-field", f'"{name}" has no field "{path}"', where=str(record.place), hint=hint)
    return index, fields.index(path)


def _judge_verdict(verdict: Result, field: int | None) -> bool | None:
    """Whether the row passes, or the field with that index is right; None where it was not scored or measured."""
    if field is None:
        return verdict.passed if verdict.status.scored else None
    status = FIELD_STATUSES[verdict.statuses[field]] if field < len(verdict.statuses) else FieldStatus.NOT_MEASURED
    return status is FieldStatus.MATCH if status in MEASURED else None


def _compare_halves(rows: Sequence[MarkedRow]) -> Halves:
    """The verdicts in the first and the second half of the rows, which the caller has put in order, and how far the agreements
    are apart."""
    middle = len(rows) // 2
    first, second = JudgeConfusion.of(rows[:middle]), JudgeConfusion.of(rows[middle:])
    return Halves(
        first, second, rate_difference_interval((first.agreements, first.rows), (second.agreements, second.rows))
    )


def _question_line(line: AnswerLine) -> str:
    """A question to a judge in one line: the prompt and the values that the judge was shown."""
    body: Mapping[str, Any] = line.question.body()
    shown = body.get("payload", {}).get("shown", {})
    sides = [body[name] for name in ("expected", "actual") if name in body] or shown.values()
    return f"{line.question.prompt}: {' / '.join(map(quote, sides))}"
