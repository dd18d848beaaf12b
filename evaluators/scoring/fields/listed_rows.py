"""Rows that were scored by their listed fields: the status of each field in each row, verdicts, and reasons.

What is wrong with an expected value, or with a comparator, costs its own field its status, and the row its score. The statuses of
a row are bytes, and the verdict of each combination is made once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Issue, RowProblem
from evaluators.model.rows import MISSING, FieldStatus, Outcome, Reason, Result, RowStatus
from evaluators.scoring.comparators._comparator import with_field_name
from evaluators.scoring.fields.empty_values import FILLED, EmptyValues
from evaluators.scoring.fields.events import Changes, empties_of, empty_values_of
from evaluators.scoring.fields.instance_paths import spell_location
from evaluators.scoring.fields.lines import FieldLine
from evaluators.scoring.fields.listed import ListedTree
from evaluators.scoring.fields.outcomes import joint_status, reason_code
from evaluators.scoring.fields.pairing import CROWDED
from evaluators.scoring.fields.results import (
    IS_WRONG,
    MATCH,
    NOT_JUDGED,
    NOT_MEASURED,
    SKIPPED,
    STATUS,
    FieldResult,
    ListResult,
    RowResults,
    Signature,
    shown_location,
    signature_of,
)
from evaluators.scoring.fields.row_checks import ChunkCheck, ScoredRow, ScoredRows
from evaluators.scoring.fields.row_metrics import weighted_mean
from evaluators.scoring.fields.rules import Explained, Judged, Partial, explained_problem, status_of
from evaluators.scoring.fields.walk import Walk
from evaluators.scoring.fields.wording import OURS, WEIGHTLESS, explain_metric, transformed_values
from evaluators.scoring.judges.asking import has_open_questions
from evaluators.scoring.needs import all_hold
from evaluators.scoring.values.transforms import chain

_MEMO: Final = 50_000
"""Combinations of statuses remembered for one evaluator; more are settled anew each time."""
_NONE: Final = frozenset[int]()


class ListedRow(Struct):
    """A row, with the status of each of its fields."""

    results: RowResults
    left_out: frozenset[int]
    """The numbers of fields whose `when` does not hold: they are not compared."""
    statuses: bytes = b""
    """One for each field, once the row is settled."""
    partial: Mapping[int, Partial] = {}
    """By field, partial credit."""
    problem: RowProblem | None = None
    """Why the first field could not be measured, of those that could not."""
    changes: Changes = ()
    """Its empty values (see `empties_of`)."""


class ListedRows(ScoredRows):
    """Rows that listed fields scored. An output that is not there is MISSING."""

    def __init__(
        self,
        tree: ListedTree,
        expected: Sequence[Any],
        outputs: Sequence[Any],
        cells: Sequence[Mapping[str, Any]],
    ) -> None:
        """Compares the documents of each row, reshaped and with known keys where the tree wants this, and puts the results into `rows`.
        Then asks the comparators that cost, and settles their results unless questions stay open. `cells` are those that conditions name,
        and those with right answers, by row."""
        self.tree = tree
        if tree.reshapings.each:
            expected, outputs = self.reshape(tree.reshapings, expected, outputs)
        if tree.keys is not None:
            outputs = self.spell_with_known_keys(tree.keys, tree.known_keys, expected, outputs)
        self._sides, self._cells = (expected, outputs), cells
        self._every: dict[int, RowResults] = {}
        """The results of rows that were walked through again, matches included."""
        conditions = [(number, line.when) for number, line in enumerate(tree.scored_lines) if line.when]
        self.walk = walk = Walk(every=bool(tree.costly_numbers))
        self.rows: list[ListedRow] = []
        root, answers, left_out, add = tree.place, bool(tree.answer_columns), _NONE, self.rows.append
        for row, (e, o, named) in enumerate(zip(expected, outputs, cells, strict=True)):
            if conditions:
                sides = {"expected": e, "output": o}
                left_out = frozenset([number for number, when in conditions if not all_hold(when, sides, named)])
            results = walk.compare_row(root, e, o, row, named if answers else None, left_out)
            add(ListedRow(results, left_out))
        if walk.pending:
            walk.ask()
            if not has_open_questions():
                walk.settle()

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def pairs_by_asking(self) -> bool:
        """Whether answers of comparators that cost decide which items are paired."""
        return self.tree.pairs_by_asking

    def lists(self) -> Iterable[tuple[int, ListResult]]:
        """(position of the row, list) of each list that was looked into."""
        return [(at, list_result) for at, row in enumerate(self.rows) for list_result in row.results.lists]

    def sides_of(self, at: int) -> tuple[Any, Any]:
        """The expected document and the output of the row at position `at`."""
        return self._sides[0][at], self._sides[1][at]

    def empty_values(self, rows: Collection[int], absent: Sequence[Any]) -> EmptyValues:
        """The empty values of some rows, by field. With `absent`, values that count as absent are looked for in every row again, as a match
        says nothing of its value."""
        every = [(row, self.rows[row]) for row in rows]
        if absent:
            changes = [
                (row, self._changes(row_results, signature_of(self._full_results(row), absent)))
                for row, row_results in every
            ]
        elif not all(row_results.changes for _, row_results in every):
            changes = [(row, self._changes(row_results, signature_of(row_results.results))) for row, row_results in every]
        else:
            changes = [(row, row_results.changes) for row, row_results in every]
        return empty_values_of(changes, [name for _, name in self.tree.fields_outside_lists])

    def _changes(self, row: ListedRow, signature: Signature) -> Changes:
        """The empty values of a row. Fields that are left out of it have none."""
        fields, left_out = self.tree.fields_outside_lists, row.left_out
        changes = empties_of(signature, [name for number, name in fields if number not in left_out])
        left_out_names = tuple([name for number, name in fields if number in left_out])
        return [*changes, (FILLED, left_out_names, -1)] if left_out_names else changes

    def settle(self) -> None:
        """Takes the answers of comparators that cost."""
        self.walk.settle()

    def judge(self, row: ListedRow, signature: Signature) -> None:
        """Sets the statuses of the fields of a row, each that of its value or of its values together, the credits of those that are partly
        right, the problem of the first field that has one, and the changes for the counts of empty values. Fields that a condition leaves
        out are skipped."""
        statuses = bytearray(self.tree.absent_statuses)
        has_result = bytearray(len(statuses))
        several: dict[int, list[Judged]] = {}
        problems: dict[int, RowProblem] = {}
        for mark in signature.matched:
            line = mark.place.node.line
            number = -1 if line is None else line.number
            if mark.place.inside or has_result[number]:
                several.setdefault(number, []).append(FieldStatus.MATCH)
            else:
                statuses[number] = MATCH
            has_result[number] = 1
        for field in row.results.fields:
            line = field.at.node.line
            number = -1 if line is None else line.number
            if field.at.inside or field.answers or has_result[number] or field.status == NOT_MEASURED:
                answer = field.answers[0] if field.answers else STATUS[field.status]
                if isinstance(answer, Explained):
                    if answer.problem is not None:
                        problems.setdefault(number, with_field_name(answer.problem, self.tree.names[number]))
                    answer = answer.judged
                several.setdefault(number, []).append(answer)
            else:
                statuses[number] = field.status
            has_result[number] = 1
        partial: dict[int, Partial] = {}
        for number, answers in several.items():
            line_of = self.tree.scored_lines[number]
            judged = answers[0] if len(answers) == 1 else combine_answers(line_of, answers)
            if isinstance(judged, Partial):
                partial[number] = judged
                judged = judged.status
            statuses[number] = self.tree.absent_statuses[number] if judged is FieldStatus.NOT_MEASURED else judged.number
        for number in row.left_out:
            statuses[number] = SKIPPED
        row.statuses, row.partial = bytes(statuses), partial
        row.problem = problems[min(problems)] if problems else None
        row.changes = self._changes(row, signature)

    def outcomes(self, at: int) -> list[Outcome]:
        """The outcome of every field of a row, with values and reasons. `at` is the position of the row."""
        return [self._field_outcome(number, line, at) for number, line in enumerate(self.tree.scored_lines)]

    def _full_results(self, at: int) -> RowResults:
        """The results of a row, those that match too. Where matches were only counted, the row is walked through once more, and the results
        are kept."""
        if self.walk.every:
            return self.rows[at].results
        walked = self._every.get(at)
        if walked is None:
            e, o = self.sides_of(at)
            named = self._cells[at] if self.tree.answer_columns else None
            walked = self._every[at] = Walk(every=True).compare_row(
                self.tree.place, e, o, at, named, self.rows[at].left_out
            )
        return walked

    def _field_outcome(self, number: int, line: FieldLine, at: int, *, wrong: bool = False) -> Outcome:
        """The outcome of the field `number` in one row. `wrong` says that it is known not to match: then its one pair
        of values is among the results of the first walk."""
        if line.skip:
            return left_out_outcome(line, "skipped")
        if number in self.rows[at].left_out:
            return left_out_outcome(line, "its `when` does not hold for this row")
        one_pair = line.align is None and line.path.definite
        every = (self.rows[at].results if wrong and one_pair else self._full_results(at)).fields
        results = [result for result in every if result.at.node.line is not None and result.at.node.line.number == number]
        aligned = line.align is not None and any(result.location for result in results[:1])
        return outcome_of_field(self.tree, line, results, aligned or not line.path.definite)

    def reason(self, at: int, unreadable: Issue | None = None) -> Reason:
        """The reason of one row's result: the outcome of each field, and in words what could not be measured. `unreadable` is why there is
        no output. A row that was not counted is judged first."""
        row = self.rows[at]
        if not row.statuses:  # nobody has counted the row
            self.judge(row, signature_of(row.results))
        fields, problem = tuple(self.outcomes(at)), row.problem
        if unreadable is not None:
            fields = tuple(
                replace(field, status=FieldStatus.NOT_MEASURED, score=None)
                if field.status is FieldStatus.MATCH
                else field
                for field in fields
            )
            return Reason(unreadable.message if problem is None else problem.issue.message, fields=fields)
        crowded = {each.at.node.name for each in row.results.lists if each.crowded}
        problems = [f"{line.name}: {CROWDED}" for line in self.tree.lines if line.name in crowded]
        if problem is not None:
            problems.insert(0, problem.issue.message)
        elif all(field.status in LEFT_OUT for field in fields) and len(fields) == len(row.statuses):
            problems.insert(0, "no field was measured")
        elif not any(
            weight
            for weight, status in zip(self.tree.weights, row.statuses, strict=True)
            if STATUS[status] not in LEFT_OUT
        ) and required_fields_match(self.tree, [STATUS[status] for status in row.statuses]):
            problems.insert(0, WEIGHTLESS)
        return Reason("; ".join(problems) or None, fields=fields)

    def wrong_outcomes(self, at: int, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
        """The wrong outcomes of a row, in the `wanted` fields alone; here all fields are `listed`."""
        row = self.rows[at]
        return [
            self._field_outcome(number, line, at, wrong=True)
            for number, (line, status) in enumerate(zip(self.tree.scored_lines, row.statuses, strict=True))
            if IS_WRONG[status] and line.name in wanted
        ]

    def release(self) -> None:
        """Frees the results of all rows."""
        self.rows, self._every = [], {}


class ListedCheck(ChunkCheck[ListedRows]):
    """Scores rows by their listed fields: (expected, output, *cells of `columns`) → verdict. An unreadable output is MISSING."""

    def __init__(self, tree: ListedTree, pass_at: float, columns: Sequence[str] = ()) -> None:
        """`columns` are those of the cells that a row has beside its documents. What rows came to is remembered by the tree."""
        self._tree, self._pass_at, self._columns = tree, pass_at, columns
        self._known: dict[tuple[Signature, frozenset[int]], tuple[bytes, Changes, Result]] = tree.memory.setdefault(
            ("rows", pass_at), {}
        )
        """By signature and fields left out: the statuses of the fields, the empty values, and the verdict."""
        self._verdicts: dict[bytes, Result] = tree.memory.setdefault(("verdicts", pass_at), {})

    def begin(self, *columns: Sequence[Any]) -> ListedRows:
        """Rows that are compared: `columns` are the expected documents, the outputs, and a column for each one of the check's own."""
        expected, outputs, *cells = columns
        named = [dict(zip(self._columns, each, strict=True)) for each in zip(*cells, strict=True)] or [{}] * len(expected)
        return ListedRows(self._tree, expected, outputs, named)

    def settle_rows(self, rows: ListedRows) -> list[ScoredRow]:
        """The verdict of each row, once all pairs are settled. Releases the rows where that fails."""
        try:
            rows.settle()
            return [ScoredRow(self._verdict(rows, row), rows, at) for at, row in enumerate(rows.rows)]
        except BaseException:
            rows.release()
            raise

    def _verdict(self, rows: ListedRows, row: ListedRow) -> Result:
        """The verdict of a row; that of an earlier row with the same signature, where there was one. Sets in the row what `judge` sets. Up
        to a cap, verdicts without partial credits and problems are remembered for later rows."""
        signature = signature_of(row.results)
        known = self._known.get((signature, row.left_out))
        if known is not None:
            row.statuses, row.changes = known[:2]
            return known[2]
        rows.judge(row, signature)
        if row.partial or row.problem is not None:
            judged = [row.partial.get(number) or STATUS[status] for number, status in enumerate(row.statuses)]
            return verdict_of(self._tree, self._pass_at, judged, row.problem)
        verdict = self._verdicts.get(row.statuses)
        if verdict is None:
            verdict = verdict_of(self._tree, self._pass_at, [STATUS[status] for status in row.statuses])
        if len(self._known) < _MEMO:
            self._verdicts[row.statuses] = verdict
            if not any(field.answers for field in row.results.fields):
                self._known[signature, row.left_out] = row.statuses, row.changes, verdict
        return verdict


def combine_answers(line: FieldLine, answers: Sequence[Judged]) -> Judged:
    """The one answer of a field that compared several pairs of values: a match when every pair matches, else the kind
    of what does not. Where there is partial credit, the field earns the mean of what its pairs earn."""
    measured = [value for value in answers if value is not FieldStatus.NOT_MEASURED]
    status = joint_status(map(status_of, measured))
    if not earns_shares(line, measured):
        return status
    share = sum((Fraction(*credit(value)) for value in measured), Fraction(0)) / len(measured)
    return status if share == (status is FieldStatus.MATCH) else Partial(status, share.numerator, share.denominator)


def earns_shares(line: FieldLine, answers: Sequence[Judged]) -> bool:
    """Whether a field earns the mean of what its pairs of values earn: its comparator gives partial credit, or an
    answer has some."""
    shares = line.comparator is not None and line.comparator.partial_credit
    return bool(answers) and (shares or any(isinstance(answer, Partial) for answer in answers))


def credit(judged: Judged) -> tuple[int, int]:
    """The share of its weight that a field, or a pair of values, earns: its partial credit, or all or nothing."""
    return (judged.num, judged.den) if isinstance(judged, Partial) else (int(judged is FieldStatus.MATCH), 1)


LEFT_OUT: Final = frozenset((FieldStatus.NOT_MEASURED, FieldStatus.SKIPPED))
_RIGHT_ENOUGH: Final = frozenset((FieldStatus.MATCH, FieldStatus.SKIPPED))


def weighted_score(tree: ListedTree, answers: Sequence[Judged]) -> tuple[int, int] | None:
    """The weighted mean of the measured fields, as numerator and denominator in lowest terms; None where no field was
    measured that has a weight."""
    shares = zip(tree.weights, answers, strict=True)
    num, den = weighted_mean(
        [(weight, *credit(judged)) for weight, judged in shares if status_of(judged) not in LEFT_OUT]
    )
    common = gcd(num, den)
    return (num // common, den // common) if den else None


def verdict_of(tree: ListedTree, pass_at: float, answers: Sequence[Judged], problem: RowProblem | None = None) -> Result:
    """The verdict of a row from the answers of its fields. With a problem the row has no score.

    A required field that does not match fails the row, whatever it weighs: where no other field counts, with a score of 0.
    """
    each = list(map(status_of, answers))
    statuses = bytes([status.number for status in each])
    if problem is not None:
        return Result(RowStatus.of(problem.issue.blame), None, 0, 0, statuses, issue=problem.issue)
    share = weighted_score(tree, answers)
    if not required_fields_match(tree, each):
        return Result(RowStatus.SCORED, False, *(share or (0, 1)), statuses)
    if share is None:
        return Result(RowStatus.NOT_MEASURED, None, 0, 0, statuses)
    return Result(RowStatus.SCORED, share[0] / share[1] >= pass_at, *share, statuses)


_MATCHED, _NOT_MEASURED = bytes([FieldStatus.MATCH]), bytes([FieldStatus.NOT_MEASURED])


def without_output(verdict: Result) -> Result:
    """The verdict of a row whose output cannot be read: no field matches. `verdict` is its verdict with a missing output."""
    statuses = verdict.statuses.replace(_MATCHED, _NOT_MEASURED)
    if verdict.status.kept_out:
        return replace(verdict, statuses=statuses)
    return Result(RowStatus.UNREADABLE, False, 0, 1, statuses)


def required_fields_match(tree: ListedTree, statuses: Sequence[FieldStatus]) -> bool:
    """Whether every required field matches, of those that were asked about."""
    return all(statuses[number] in _RIGHT_ENOUGH for number in tree.required_numbers)


def left_out_outcome(line: FieldLine, why: str) -> Outcome:
    """The outcome of a field that is not compared in a row; `why` says why."""
    return Outcome(line.name, FieldStatus.SKIPPED, None, float(line.weight), reason=why, comparator=line.rule)


def outcome_of_field(tree: ListedTree, line: FieldLine, results: Sequence[FieldResult], several: bool) -> Outcome:
    """The outcome of one field, from the results of its pairs of values.

    Several pairs are judged together. Where an expected value cannot be read, that alone decides. `several`: the field is a
    list of values, though it may hold only one pair, or none.
    """
    unreadable = [result for result in results if result.status == NOT_JUDGED and _is_unreadable(result)][:1]
    answers = [explain_metric(result, 0) for result in unreadable or results]
    if any(answer.problem is not None for answer in answers):
        answers = [_with_field_name(line, answer) for answer in answers]
    one_pair = answers[0] if len(answers) == 1 and not several else None
    judged = combine_answers(line, [answer.judged for answer in answers]) if one_pair is None else one_pair.judged
    if judged is FieldStatus.NOT_MEASURED:
        judged, why = tree.absent_status(line)
        reason: str | None = why
    else:
        reason = answers[0].reason if one_pair is not None or unreadable else _count_reason(results, answers)
    status = status_of(judged)
    expected, actual = _shown_values(results, several)
    num, den = credit(judged)
    details = {} if one_pair is None else _details(tree, line, one_pair, status, expected, actual)
    if isinstance(judged, Partial):
        details["ratio"] = (num, den)
    unscored = status is FieldStatus.NOT_MEASURED or status is FieldStatus.NOT_JUDGED
    return Outcome(
        line.name, status, None if unscored else num / den, float(line.weight),
        None, reason, line.rule, expected, actual, details,
    )  # fmt: skip


def _is_unreadable(result: FieldResult) -> bool:
    """Whether a result could not be measured because its expected value cannot be read."""
    ask, expected = result.at.node.readers[0], result.expected
    return ask is not None and expected is not MISSING and ask(expected) is not None


def _with_field_name(line: FieldLine, answer: Explained) -> Explained:
    """The same answer, but a problem in it names the field."""
    return answer if answer.problem is None else explained_problem(with_field_name(answer.problem, line.name))


def _shown_values(results: Sequence[FieldResult], several: bool) -> tuple[Any, Any]:
    """The expected and the actual value for people; where `several` pairs were compared, a list for each side, without
    missing values."""
    e, o = [result.expected for result in results], [result.output for result in results]
    if several:
        return [value for value in e if value is not MISSING], [value for value in o if value is not MISSING]
    return (e[0], o[0]) if results else (MISSING, MISSING)


def _details(
    tree: ListedTree, line: FieldLine, answer: Explained, status: FieldStatus, expected: Any, actual: Any
) -> dict[str, object]:
    """The details of a field with one pair of values: the comparator's and, where it does not match, a code and what was compared."""
    details: dict[str, object] = {name: value for name, value in answer.details.items() if name not in OURS}
    if status is not FieldStatus.MATCH and status is not FieldStatus.NOT_MEASURED:
        details["code"] = reason_code(status, expected, actual)
        details |= transformed_values(chain(tree.transforms_of(line)), expected, actual)
    return details


def _count_reason(results: Sequence[FieldResult], answers: Sequence[Explained]) -> str:
    """The reason of a field with several pairs of values: how many are right, and why the first other one is not."""
    failed = [number for number, answer in enumerate(answers) if answer.status is not FieldStatus.MATCH]
    if not failed:
        return "the only one is right" if len(answers) == 1 else f"all {len(answers)} are right"
    first = results[failed[0]]
    location = shown_location(first)
    place_text = f"{spell_location(location)}: " if location else ""
    rest = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
    return f"{len(answers) - len(failed)} of {len(answers)} right; {place_text}{answers[failed[0]].reason}{rest}"
