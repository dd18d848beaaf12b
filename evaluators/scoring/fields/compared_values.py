"""What is compared as one value, place by place: presence first, then the metrics, of whom those that cost are asked together.

    values = ComparedValues(weighing=False, asking=False)
    values.add(node, frame, inside=False)    # for each place
    values.ask(order)
    values.settle()
    values.columns, values.findings

A column has one result for each pair of its frame: a match, where no finding says otherwise. What waits for an answer is
pending, and is a finding once it is settled.

What stands in place of what: one table.

A side at a place is missing, null or a value. A *unit* is every leaf, and every container that a comparator compares
as one value. Missing in the output: one omission. Missing on the expected side: one hallucination. Both there, null included:
equality, then transforms, then the comparator. Any other container is looked into. What counts is its leaves; null, {} and []
are one leaf each.

| expected | output | result |
|---|---|---|
| contents | contents | key by key, item by item |
| contents | nothing, null or an empty container | an omission per leaf |
| contents | anything else | an omission per leaf, and one hallucination at the container |
| nothing, null or an empty container | contents, of any kind | a hallucination per leaf |
| nothing or null | an empty container or a leaf | one hallucination |
| nothing | null | one hallucination |
| empty | empty | one match; nothing where both are whole documents, unless a key is required |
| null | null | one match |
| null or an empty container | nothing | one omission |
| an empty container | null | one omission |
| an empty container | an empty one of another kind, or a leaf | one mismatch |
| a leaf, or contents of another kind | nothing or null | one omission |
| a leaf, or contents of another kind | anything else | one match when equal, else one mismatch |

Contents are those of the kind that is declared, unless it says otherwise.

A key that the schema lacks: where the expected side has it, it is not scored and is named once; where only the output has
it, it is a hallucination per leaf. In an item of the output without a partner, the expected side is all expected items of its
list. A skipped place is one skipped result where either side has something. Absent on both sides is nothing, unless the place is
required: then it is an omission. A *compound* compares some keys of an object as one unit, at the object's own place.

What an evaluator takes for absent (see `absent_values`) is as good as missing. On both sides it is one result, a match until
`reclassify_nulls` has said what it is.

Listed fields look through containers, which have no results there: what differs between families is in `policy`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from evaluators.model.issues import Blame, RowProblem
from evaluators.model.rows import MISSING, FieldStatus, Missing
from evaluators.scoring.comparators._comparator import Comparator, Question
from evaluators.scoring.fields.frame import Frame, spelled
from evaluators.scoring.fields.rules import (
    Explained,
    Judged,
    Rule,
    explained_answer,
    explained_problem,
    prepare_rule,
    status_of,
)
from evaluators.scoring.fields.scored import of_unit
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.fields.unit_rules import UnitRules, alone, unit_of
from evaluators.scoring.fields.walk_findings import (
    ERROR,
    HALLUCINATION,
    MATCH,
    MISMATCH,
    NOT_JUDGED,
    OMISSION,
    FieldColumn,
    Finding,
    More,
    place_of,
)
from evaluators.scoring.judges.asking import ask_later

_ABSENT: Final = frozenset((Missing,))
_TEXTS: Final = frozenset((str, type(None), Missing))
_DECIDED: Final = frozenset((MATCH, MISMATCH, ERROR, NOT_JUDGED))


class Pending(NamedTuple):
    """A finding that waits for answers of whoever costs."""

    finding: Finding
    answers: list[Judged | Explained | Question]
    """What each metric says, or is to be asked."""
    statuses: bytearray | None
    """Where its status is written down while pairs are weighed."""


class ComparedValues:
    """The columns of a walk, and the results in them that are no plain match."""

    def __init__(self, weighing: bool, asking: bool) -> None:
        self.weighing = weighing
        """Pairs are only weighed: nobody who costs is asked, unless `asking`."""
        self.asking = asking
        self.columns: list[FieldColumn] = []
        self.findings: list[Finding] = []
        self.broken: Counter[int] = Counter()
        """While pairs are weighed: how many answers of each are no answer."""
        self._pending: list[Pending] = []
        self._asked: list[tuple[list[tuple[list[Any], int]], Callable[[], Sequence[Any]]]] = []
        """Where answers belong, and what gives them."""

    def add(self, node: FieldNode, frame: Frame, inside: bool) -> None:
        """Values that are compared as one: presence first, then each of the metrics, where the two differ."""
        how = node.once(unit_of)
        unread = self._unreadable(node, how, frame) if how.unread else {}
        if not unread and (frame.others == _ABSENT or (frame.kinds == _ABSENT and (self.weighing or not how.alone))):
            status = OMISSION if frame.others == _ABSENT else HALLUCINATION
            self.columns.append(FieldColumn(node, frame, inside, status))
            return
        statuses = bytearray((MATCH,)) * len(frame.e) if self.weighing else None
        self.columns.append(FieldColumn(node, frame, inside, MATCH, statuses))
        for at, problems in unread.items():
            if problems:
                self._compare(node, how, frame, at, statuses, problems)
        positions = range(len(frame.e)) if how.each else frame.differing()
        self._one_by_one(
            node, how, frame, statuses, [at for at in positions if at not in unread] if unread else positions
        )

    def ask(self, order: Callable[[Finding], Any]) -> None:
        """Asks what is pending: row by row, and of each row one question list for each comparator, sorted by `order`.

        What is asked to weigh a pair is asked question by question, and of a comparator that wants a row at once, pair by pair.
        """
        by_row: dict[int, list[Pending]] = {}
        for each in self._pending:
            by_row.setdefault(each.finding.row, []).append(each)
        for row in sorted(by_row):
            asked: dict[Hashable, tuple[Comparator, list[tuple[list[Any], int]]]] = {}
            for finding, answers, _ in sorted(by_row[row], key=lambda each: order(each.finding)):
                for number, one in enumerate(answers):
                    if isinstance(one, Question):
                        comparator = finding.node.metrics[number].comparator
                        asked.setdefault(comparator.identity, (comparator, []))[1].append((answers, number))
            first = by_row[row][0].finding
            row_asked = first.frame.row_of(first.at)
            for comparator, places in asked.values():
                one_by_one = self.weighing and comparator.batch != "row"
                for together in [[place] for place in places] if one_by_one else [places]:
                    questions = [answers[number] for answers, number in together]
                    self._asked.append((together, ask_later(comparator, questions, row_asked)))

    def settle(self) -> None:
        """Takes the answers to what was asked."""
        pending, self._pending = self._pending, []
        asked, self._asked = self._asked, []
        taken = alone if self.weighing else explained_answer
        for places, given in asked:
            for (answers, number), one in zip(places, given(), strict=True):
                answers[number] = taken(one)
        for each in pending:
            self._settle(*each)

    def _one_by_one(
        self, node: FieldNode, how: UnitRules, frame: Frame, statuses: bytearray | None, positions: Iterable[int]
    ) -> None:
        """The pairs of values that may be no match. One metric that costs nothing is asked at once."""
        e, o, rows, add = frame.e, frame.o, frame.rows, self.findings.append
        alone = how.alone and not self.weighing
        asked = how.costs and (not self.weighing or self.asking)
        quick = how.rules[0] if len(how.rules) == 1 and not asked else None
        for at in positions:
            a, b = e[at], o[at]
            status = MISMATCH
            if b is MISSING:
                status = OMISSION
            elif a is MISSING and not alone:
                status = HALLUCINATION
            elif quick is None:
                self._compare(node, how, frame, at, statuses)
                continue
            elif not how.exact:
                answer = self._answer(quick, a, b)
                if answer is not MISMATCH:
                    if answer is not MATCH:
                        self._settle(Finding(rows[at], NOT_JUDGED, node, frame, at), [answer], statuses)
                    continue
            if statuses is None:
                add(Finding(rows[at], status, node, frame, at))
            else:
                statuses[at] = status.number

    def _unreadable(self, node: FieldNode, how: UnitRules, frame: Frame) -> dict[int, list[RowProblem | None] | None]:
        """The positions that are not compared, since some metric cannot read an expected value: that of the place itself, with what is
        wrong for each metric, or another one in the row of a listed field."""
        found: dict[int, list[RowProblem | None] | None] = {}
        if frame.kinds <= _TEXTS:
            distinct = {*frame.e} - {MISSING}
            if not any(ask(value) for ask in how.readers if ask is not None for value in distinct):
                return found
        listed = node.policy.one_result == "line"
        for at, value in enumerate(frame.e):
            if value is MISSING or (listed and self.weighing and frame.o[at] is MISSING):
                continue
            issues = [None if ask is None else ask(value) for ask in how.readers]
            if any(issue is not None for issue in issues):
                found[at] = [None if one is None else RowProblem(one) for one in issues]
        if found and listed and not self.weighing:
            rows = {frame.rows[at] for at in found}
            found |= dict.fromkeys(at for row in rows for at in frame.positions(row) if at not in found)
        return found

    def _compare(
        self,
        node: FieldNode,
        how: UnitRules,
        frame: Frame,
        at: int,
        statuses: bytearray | None,
        problems: Sequence[RowProblem | None] | None = None,
    ) -> None:
        """Asks each metric about two values, and settles the result; where a metric costs, its question is pending.

        `problems` has for each metric why it cannot read the expected value. Of a value that only one side has, the metrics
        are not asked, unless they look at the output alone (`how.alone`).
        """
        a, b, row = frame.e[at], frame.o[at], frame.rows[at]
        one_sided = OMISSION if b is MISSING else HALLUCINATION if a is MISSING and not how.alone else None
        together = None if node.line is None else node.line.together
        answers: list[Judged | Explained | Question] = []
        for number, rule in enumerate(how.rules):
            problem = None if problems is None else problems[number]
            metric = node.metrics[number]
            if problem is not None:
                answers.append(explained_problem(problem))
            elif one_sided is not None:
                answers.append(one_sided)
            elif metric.comparator.costs and (not self.weighing or self.asking):
                ready = prepare_rule(metric.comparator, node.transforms, a, b, together)
                if isinstance(ready, Explained):
                    answers.append(ready)
                else:
                    answers.append(Question(self._spelled(node, frame, at), *ready, a, b))
            else:
                answers.append(self._answer(rule, a, b))
        finding = Finding(row, NOT_JUDGED, node, frame, at)
        if any(isinstance(one, Question) for one in answers):
            self._pending.append(Pending(finding, answers, statuses))
        else:
            self._settle(finding, answers, statuses)

    def _spelled(self, node: FieldNode, frame: Frame, at: int) -> str:
        """The path of a question."""
        if self.weighing and node.line is not None:
            return node.line.name
        return spelled(place_of(node, frame, at))

    def _answer(self, rule: Rule, a: Any, b: Any) -> Judged | Explained:
        try:
            return rule(a, b)
        except RowProblem as error:
            if self.weighing and error.issue.blame is Blame.ENVIRONMENT:  # how items pair must not depend on the machine
                raise
            return explained_problem(error)

    def _settle(self, finding: Finding, answers: Sequence[Any], statuses: bytearray | None) -> None:
        """A finding, unless all metrics say that it is a plain match."""
        each = [status_of(one) for one in answers]
        plain = all(one.__class__ is FieldStatus for one in answers)
        status = each[0] if len(each) == 1 else of_unit(each)
        if statuses is not None:
            statuses[finding.at] = (status if status in _DECIDED else MISMATCH).number
            self.broken[finding.row] += sum(isinstance(one, Explained) and one.problem is not None for one in answers)
            return
        if plain and len(set(each)) == 1:
            if status is not MATCH:
                self.findings.append(finding._replace(status=status))
            return
        self.findings.append(finding._replace(status=status, more=More(tuple(answers))))


Content: TypeAlias = Literal["missing", "null", "empty", "bare", "leaf", "full", "other"]
"""What one side has where a container is declared: `empty` and `full` are of the declared kind, `bare` and `other` an empty container and
a full one of the other kind."""


class InPlace(NamedTuple):
    """What becomes of a pair of which a side has no contents of the declared kind."""

    counts: Literal["lost", "extra", "extra or one", "leaves", "one", "compared"]
    """The contents of the expected side; those of the output, or one result where nothing in them counts; every leaf of the output,
    for its contents are not declared; the place as one result; both sides as one value."""
    own: FieldStatus | None = None
    """The result of the place itself."""


_OMISSION: Final = InPlace("one", FieldStatus.OMISSION)
_ONE_EXTRA: Final = InPlace("one", FieldStatus.HALLUCINATION)
_MATCH: Final = InPlace("one", FieldStatus.MATCH)
_MISMATCH: Final = InPlace("one", FieldStatus.MISMATCH)
_LEAVES: Final = InPlace("leaves", FieldStatus.HALLUCINATION)
_EXTRA: Final = InPlace("extra")
_COMPARED: Final = InPlace("compared")
_LOST: Final = InPlace("lost")
_LOST_ONE_EXTRA: Final = InPlace("lost", FieldStatus.HALLUCINATION)

_OUTPUT: Final[tuple[Content, ...]] = ("missing", "null", "empty", "bare", "leaf", "full", "other")
_TABLE: Final[Mapping[Content, tuple[InPlace, ...]]] = {
    "missing": (_MATCH, _ONE_EXTRA, _ONE_EXTRA, _ONE_EXTRA, _ONE_EXTRA, _EXTRA, _LEAVES),
    "null": (_OMISSION, _MATCH, _ONE_EXTRA, _ONE_EXTRA, _ONE_EXTRA, InPlace("extra or one"), _LEAVES),
    "empty": (_OMISSION, _OMISSION, _MATCH, _MISMATCH, _MISMATCH, _EXTRA, _LEAVES),
    "bare": (_OMISSION, _OMISSION, _MISMATCH, _MATCH, _MISMATCH, _EXTRA, _LEAVES),
    "leaf": (_OMISSION, _OMISSION, _COMPARED, _COMPARED, _COMPARED, _COMPARED, _COMPARED),
    "full": (_LOST, _LOST, _LOST, _LOST, _LOST_ONE_EXTRA, _LOST, _LOST_ONE_EXTRA),
    "other": (_OMISSION, _OMISSION, _COMPARED, _COMPARED, _COMPARED, _COMPARED, _COMPARED),
}
IN_PLACE: Final = {
    (ours, theirs): found
    for ours, row in _TABLE.items()
    for theirs, found in zip(_OUTPUT, row, strict=True)
    if (ours, theirs) != ("full", "full")
}
"""What becomes of a pair, by what its sides have."""


def content(kind: type, value: Any) -> Content:
    """What one side has where a container of a kind is declared."""
    if value is MISSING:
        return "missing"
    if value is None:
        return "null"
    if value.__class__ is kind:
        return "full" if value else "empty"
    if isinstance(value, dict | list):
        return "other" if value else "bare"
    return "leaf"
