"""Listed fields: the lines of a suite become a tree of places for the walk, and what a line is by its values.

Each line is a leaf that a path of its own leads to, whatever stands on the way; `[*]` makes a list of what is looked into, and the
lines under one list share its items. A line that says how a list is aligned, and has no `[*]`, compares the items of its own value where
both sides have a list. A query is a list of its hits.

The score of a row from what became of its listed fields, how a row is counted that has none, and the results of fields with reasons.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.scoring.comparators._comparator import in_field
from evaluators.scoring.fields.instance_paths import spelled
from evaluators.scoring.fields.key_spelling import KeySpelling, TreeKeys, keys_in
from evaluators.scoring.fields.lines import FieldLine
from evaluators.scoring.fields.outcomes import reason_code, together
from evaluators.scoring.fields.places import Place
from evaluators.scoring.fields.presence import NONE_ABSENT
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.reshaping import Reshapings, of_whole, reshapings_of
from evaluators.scoring.fields.results import NOT_JUDGED, FieldResult, shown_location
from evaluators.scoring.fields.rules import Explained, Judged, Partial, explained_problem, status_of
from evaluators.scoring.fields.tree import LISTED, ORDERED, Below, FieldNode, ListedField, Metric, SchemaPath
from evaluators.scoring.fields.wording import OURS, compared, explain_metric
from evaluators.scoring.values.paths import ANY, Path
from evaluators.scoring.values.transforms import Transform, chain

BothMissing = Literal["not_measured", "match"]
Reached: TypeAlias = list[tuple[Path, FieldNode]]
"""What is looked for in a document, or in an item of a list."""
WHOLE_ITEM: Final = Path(())


class ClosedTree(Struct, frozen=True, dict=True):
    """The fields of one evaluator. `lines` are all that was written, `scored` those that have a score."""

    lines: tuple[FieldLine, ...]
    transforms: tuple[Transform, ...] = ()
    both_missing: BothMissing = "not_measured"
    keys: KeySpelling | None = None
    """Which spellings of an output's keys stand for those of the fields; None where each has to be spelt alike."""

    @cached_property
    def known_keys(self) -> TreeKeys:
        """The keys that the fields name."""
        return keys_in(path for line in self.lines for path in line.known_paths())

    @cached_property
    def reshapings(self) -> Reshapings:
        """What is done to documents before their fields are looked for."""
        return reshapings_of(self.lines, self.transforms)

    @cached_property
    def scored(self) -> tuple[FieldLine, ...]:
        """The lines that have a status: those with a comparator, and the skipped ones."""
        return tuple(line for line in self.lines if line.comparator is not None or line.skip)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The canonical spelling of each scored line."""
        return tuple(line.name for line in self.scored)

    @cached_property
    def root(self) -> FieldNode:
        """The tree of the lines that are compared."""
        aligned = {line.path.steps: line.align for line in self.lines if line.align is not None}
        top: Reached = []
        known: dict[SchemaPath, Reached] = {}
        for number, line in enumerate(self.scored):
            if line.skip:
                continue
            steps, start, here = line.path.steps, 0, top
            while line.path.query is None and ANY in steps[start:]:
                cut = steps.index(ANY, start)
                array = steps[:cut]
                if array not in known:
                    known[array] = []
                    here.append((line.path.part(start, cut), _list(array, aligned.get(array, ORDERED), known[array])))
                here, start = known[array], cut + 1
            path = line.path if line.path.query is not None else line.path.part(start)
            here.append((path, self._place(line, number)))
        return _object((), top)

    @cached_property
    def place(self) -> Place:
        """The root as a walk reads it."""
        return Place(self.root, NONE_ABSENT)

    @cached_property
    def absent_statuses(self) -> bytes:
        """What each field is that neither side has, or that is skipped."""
        return bytes([(FieldStatus.SKIPPED if line.skip else self.absent(line)[0]).number for line in self.scored])

    @cached_property
    def in_every_row(self) -> tuple[tuple[int, str], ...]:
        """The fields, by number, of which each row has one value, or none."""
        every = enumerate(self.scored)
        return tuple((number, line.name) for number, line in every if line.path.definite and not line.skip)

    def _place(self, line: FieldLine, number: int) -> FieldNode:
        """The place of one line."""
        if line.comparator is None:
            raise TypeError("a line without a comparator is no place")
        query = line.path.query is not None
        metric = Metric(line.word, line.comparator, line.rule, fallback_for=line.fallback_for)
        field = ListedField(number, line.name, line.together)
        leaf = FieldNode(line.path.steps, metrics=(metric,), transforms=self.chain(line), policy=LISTED, line=field)
        if line.align is None and not query:
            return leaf
        whole = None if query else replace(leaf, line=replace(field, each=True))
        return replace(_list(leaf.path, line.align or ORDERED, [(WHOLE_ITEM, leaf)], whole), line=field)

    @cached_property
    def costly(self) -> tuple[int, ...]:
        """The numbers of the lines whose comparator costs."""
        every = enumerate(self.scored)
        return tuple(number for number, line in every if line.comparator is not None and line.comparator.costs)

    @cached_property
    def answer_columns(self) -> tuple[str, ...]:
        """The columns in which comparators read right answers."""
        named = (line.comparator.answers_column for line in self.scored if line.comparator is not None)
        return tuple(dict.fromkeys(filter(None, named)))

    @cached_property
    def pairs_by_asking(self) -> bool:
        """Whether items that are left over are paired by whoever costs."""
        aligned = (line.align for line in self.lines if line.align is not None)
        return bool(self.costly) and any(align.ask is not None for align in aligned)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Whole weights in the same proportions as the written ones."""
        unit = lcm(*(line.weight.denominator for line in self.scored)) if self.scored else 1
        return tuple(int(line.weight * unit) for line in self.scored)

    @cached_property
    def remembered(self) -> dict[Hashable, Any]:
        """What checks remember of rows that were scored by it: see `ListedCheck`."""
        return {}

    @cached_property
    def required(self) -> tuple[int, ...]:
        """The numbers of the required lines."""
        return tuple(number for number, line in enumerate(self.scored) if line.required)

    def chain(self, line: FieldLine) -> tuple[Transform, ...]:
        """The transforms of a line: those of every field, then its own, without those that are done to documents first."""
        both = of_whole(line, self.transforms)[1]
        return line.together.transforms(both) if line.together is not None else both

    def absent(self, line: FieldLine) -> tuple[FieldStatus, str]:
        """The status of a field that neither side has, and why (law 6)."""
        if line.required:
            return FieldStatus.OMISSION, "required, and absent on both sides"
        if line.path.definite and line.comparator is not None and line.comparator.reads == "output":
            return FieldStatus.OMISSION, "missing in the output"
        return FieldStatus.MATCH if self.both_missing == "match" else FieldStatus.NOT_MEASURED, "absent on both sides"


def _object(path: SchemaPath, reached: Reached) -> FieldNode:
    return FieldNode(path, "object", policy=LISTED, make=lambda: Below(reached=tuple(reached)))


def _list(path: SchemaPath, align: Align, reached: Reached, whole: FieldNode | None = None) -> FieldNode:
    item = _object((*path, ANY), reached)
    return FieldNode(path, "array", align=align, policy=LISTED, make=lambda: Below(items=item, whole=whole))


def combined(line: FieldLine, answers: Sequence[Judged]) -> Judged:
    """The outcome of a field with several pairs of values: a match when every pair matches, else the kind of what does not.

    Where there is partial credit, the field earns the mean of what its pairs earn.
    """
    measured = [one for one in answers if one is not FieldStatus.NOT_MEASURED]
    status = together(map(status_of, measured))
    if not earns_shares(line, measured):
        return status
    share = sum((Fraction(*credit(one)) for one in measured), Fraction(0)) / len(measured)
    return status if share == (status is FieldStatus.MATCH) else Partial(status, share.numerator, share.denominator)


def earns_shares(line: FieldLine, answers: Sequence[Judged]) -> bool:
    """Whether a field earns the mean of what its pairs of values earn."""
    shares = line.comparator is not None and line.comparator.partial_credit
    return bool(answers) and (shares or any(isinstance(one, Partial) for one in answers))


def credit(found: Judged) -> tuple[int, int]:
    """What a field, or a pair of values, earns of its weight: its partial credit, or all or nothing."""
    return (found.num, found.den) if isinstance(found, Partial) else (int(found is FieldStatus.MATCH), 1)


LEFT_OUT: Final = frozenset((FieldStatus.NOT_MEASURED, FieldStatus.SKIPPED))
_RIGHT_ENOUGH: Final = frozenset((FieldStatus.MATCH, FieldStatus.SKIPPED))


def mean(tree: ClosedTree, found: Sequence[Judged]) -> tuple[int, int] | None:
    """The weighted mean of the measured fields, exact and in lowest terms; None where none was measured that has a weight."""
    measured = [
        (weight, *credit(one)) for weight, one in zip(tree.weights, found, strict=True) if status_of(one) not in LEFT_OUT
    ]
    whole = sum(weight for weight, _, _ in measured)
    if not whole:
        return None
    unit = lcm(*(den for _, _, den in measured))
    num, den = sum(weight * num * (unit // den) for weight, num, den in measured), whole * unit
    common = gcd(num, den)
    return num // common, den // common


def verdict_of(tree: ClosedTree, pass_at: float, found: Sequence[Judged], problem: RowProblem | None = None) -> Result:
    """The verdict of a row from what became of its fields. With a problem the row has no score.

    A required field that does not match fails the row, whatever it weighs: where no other field counts, with a score of 0.
    """
    each = list(map(status_of, found))
    statuses = bytes([status.number for status in each])
    if problem is not None:
        return Result(RowStatus.of(problem.issue.blame), None, 0, 0, statuses, issue=problem.issue)
    share = mean(tree, found)
    if not required_right(tree, each):
        return Result(RowStatus.SCORED, False, *(share or (0, 1)), statuses)
    if share is None:
        return Result(RowStatus.NOT_MEASURED, None, 0, 0, statuses)
    return Result(RowStatus.SCORED, share[0] / share[1] >= pass_at, *share, statuses)


_MATCHED, _NOT_MEASURED = bytes([FieldStatus.MATCH]), bytes([FieldStatus.NOT_MEASURED])


def without_output(found: Result) -> Result:
    """The verdict of a row whose output cannot be read: no field matches. `found` is its verdict with a missing output."""
    statuses = found.statuses.replace(_MATCHED, _NOT_MEASURED)
    if found.status.kept_out:
        return replace(found, statuses=statuses)
    return Result(RowStatus.UNREADABLE, False, 0, 1, statuses)


def required_right(tree: ClosedTree, statuses: Sequence[FieldStatus]) -> bool:
    """Whether every required field matches that was asked about."""
    return all(statuses[number] in _RIGHT_ENOUGH for number in tree.required)


def left_out(line: FieldLine, why: str) -> Outcome:
    """A field that is left out of a row."""
    return Outcome(line.name, FieldStatus.SKIPPED, None, float(line.weight), reason=why, comparator=line.rule)


def settle_field(tree: ClosedTree, line: FieldLine, found: Sequence[FieldResult], several: bool) -> Outcome:
    """The result of one field, from what became of each of its pairs of values.

    Several pairs are judged together. Where an expected value cannot be read, that alone decides. `several`: the field is a
    list of values, though it may hold only one pair, or none.
    """
    unreadable = [one for one in found if one.status == NOT_JUDGED and _unreadable(one)][:1]
    answers = [explain_metric(one, 0) for one in unreadable or found]
    if any(answer.problem is not None for answer in answers):
        answers = [_named(line, answer) for answer in answers]
    one_pair = answers[0] if len(answers) == 1 and not several else None
    judged = combined(line, [answer.judged for answer in answers]) if one_pair is None else one_pair.judged
    if judged is FieldStatus.NOT_MEASURED:
        judged, why = tree.absent(line)
        reason: str | None = why
    else:
        reason = answers[0].reason if one_pair is not None or unreadable else _counted(found, answers)
    status = status_of(judged)
    expected, actual = _shown(found, several)
    num, den = credit(judged)
    details = {} if one_pair is None else _details(tree, line, one_pair, status, expected, actual)
    if isinstance(judged, Partial):
        details["ratio"] = (num, den)
    unscored = status is FieldStatus.NOT_MEASURED or status is FieldStatus.NOT_JUDGED
    return Outcome(
        line.name, status, None if unscored else num / den, float(line.weight),
        None, reason, line.rule, expected, actual, details,
    )  # fmt: skip


def _unreadable(found: FieldResult) -> bool:
    """Whether it is the expected value that cannot be read."""
    ask, expected = found.at.node.readers[0], found.expected
    return ask is not None and expected is not MISSING and ask(expected) is not None


def _named(line: FieldLine, answer: Explained) -> Explained:
    """The same answer; a problem with a function of the suite's own names the field."""
    return answer if answer.problem is None else explained_problem(in_field(answer.problem, line.name))


def _shown(found: Sequence[FieldResult], several: bool) -> tuple[Any, Any]:
    """The values as people see them: for several pairs a list per side, of what is there."""
    e, o = [one.expected for one in found], [one.output for one in found]
    if several:
        return [value for value in e if value is not MISSING], [value for value in o if value is not MISSING]
    return (e[0], o[0]) if found else (MISSING, MISSING)


def _details(
    tree: ClosedTree, line: FieldLine, answer: Explained, status: FieldStatus, expected: Any, actual: Any
) -> dict[str, object]:
    """The details of a field with one pair of values: the comparator's and, where it does not match, a code and what was compared."""
    details: dict[str, object] = {name: value for name, value in answer.details.items() if name not in OURS}
    if status is not FieldStatus.MATCH and status is not FieldStatus.NOT_MEASURED:
        details["code"] = reason_code(status, expected, actual)
        details |= compared(chain(tree.chain(line)), expected, actual)
    return details


def _counted(found: Sequence[FieldResult], answers: Sequence[Explained]) -> str:
    """How many of several pairs are right. The first that does not match says why."""
    failed = [number for number, answer in enumerate(answers) if answer.status is not FieldStatus.MATCH]
    if not failed:
        return "the only one is right" if len(answers) == 1 else f"all {len(answers)} are right"
    first = found[failed[0]]
    location = shown_location(first)
    where = f"{spelled(location)}: " if location else ""
    rest = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
    return f"{len(answers) - len(failed)} of {len(answers)} right; {where}{answers[failed[0]].reason}{rest}"
