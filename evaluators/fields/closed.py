"""A closed list of fields, and one field of it in three movements: its pairs of values, what each pair is, what the field is.

*Values* are frames of pairs, of one row or of many: one pair a row at a definite path, several under `[*]`, of a query, or
of lists that are aligned. *Judged* says of the pairs of a frame what is no plain match: by presence, else by the field's rule.
*Settled* makes one status of several. Whoever wants reasons asks `explained` in place of `judged`, about the same pairs; what is
missing, how answers combine and what an absent field is have their one home here.

`closed_rows` asks all fields about the rows of a chunk, and keeps what was found on the way; `closed_explain` words what
someone wants to see of it; `closed_score` makes the row's score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import lcm
from typing import Any, Final, Literal

from evaluators.comparators._comparator import Comparator, Question, in_field
from evaluators.fields.align import Align
from evaluators.fields.frame import Frame
from evaluators.fields.items import (
    LONE,
    NOTHING,
    RIGHT,
    WRONG,
    Leaf,
    ListNode,
    Matching,
    asked_slowly,
    first_keys,
    items,
    leaf_frames,
    list_trees,
    own_list,
    reached,
    values,
)
from evaluators.fields.lines import FieldLine
from evaluators.fields.marks import ValueKey, value_key
from evaluators.fields.readable import reader_of_expected
from evaluators.fields.rules import (
    Explained,
    Judged,
    Partial,
    Ready,
    Rule,
    answering_rule,
    asks_equality,
    compile_together,
    explain_rule,
    explained_problem,
    near_enough,
    prepare_rule,
    together_ready,
)
from evaluators.fields.unit_rules import alone
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.judges.asking import ask_later
from evaluators.model import MISSING, Missing, Status
from evaluators.value_class import NamedTuple, dataclass
from evaluators.values.paths import ANY, display
from evaluators.values.transforms import Transform

BothMissing = Literal["not_measured", "match"]
IN_ORDER: Final = Align()
TEXTS: Final = frozenset((str, type(None)))
WHY: Final = {Status.OMISSION: "missing in the output", Status.HALLUCINATION: "only the output has it"}
"""Why a pair of which one side is missing is what it is."""


@dataclass(frozen=True)
class ClosedTree:
    """The fields of one evaluator. `lines` are all that was written, `scored` those that have a score."""

    lines: tuple[FieldLine, ...]
    transforms: tuple[Transform, ...] = ()
    both_missing: BothMissing = "not_measured"

    @cached_property
    def scored(self) -> tuple[FieldLine, ...]:
        """The lines that have a status: those with a comparator, and the skipped ones."""
        return tuple(line for line in self.lines if line.comparator is not None or line.skip)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The canonical spelling of each scored line."""
        return tuple(line.name for line in self.scored)

    @cached_property
    def lists(self) -> tuple[ListNode, ...]:
        """The lists that lines with `[*]` look into. A leaf is known by the number of its line in `scored`."""
        aligned = [line for line in self.lines if line.comparator is None and not line.skip]
        return tuple(list_trees([*self.scored, *aligned]))

    @cached_property
    def fields(self) -> tuple[ListedField, ...]:
        """The scored lines, ready to be asked."""
        return tuple(ListedField(line, number, self) for number, line in enumerate(self.scored))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of documents that lines begin with: they are read together."""
        return first_keys(line.path for line in self.scored if not line.skip)

    @cached_property
    def readable(self) -> bool:
        """Whether every comparator can read any expected value."""
        return all(one.ask is None for one in self.fields)

    @cached_property
    def costs(self) -> bool:
        """Whether some line has a comparator that costs."""
        return any(one.costs for one in self.fields)

    @cached_property
    def pairs_by_asking(self) -> bool:
        """Whether items that are left over are paired by whoever costs."""
        aligned = (line.align for line in self.lines if line.align is not None)
        return self.costs and any(align.ask is not None for align in aligned)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Whole weights in the same proportions as the written ones."""
        unit = lcm(*(line.weight.denominator for line in self.scored)) if self.scored else 1
        return tuple(int(line.weight * unit) for line in self.scored)

    @cached_property
    def required(self) -> tuple[int, ...]:
        """The numbers of the required lines."""
        return tuple(number for number, line in enumerate(self.scored) if line.required)

    def chain(self, line: FieldLine) -> tuple[Transform, ...]:
        """The transforms of a line: those of every field, then its own."""
        both = (*self.transforms, *line.transforms)
        return line.together.transforms(both) if line.together is not None else both

    @cached_property
    def matching(self) -> Matching:
        """Whether two values match, line by line: what alignment counts."""
        keys: list[ValueKey | None] = [
            None if line.comparator is None or line.together is not None else value_key(line.comparator, self.chain(line))
            for line in self.scored
        ]
        asking = [one.asked_hits for one in self.fields] if self.pairs_by_asking else []
        return Matching([one.hits for one in self.fields], asking, keys)


class Sides:
    """The documents of some rows. The items of their lists are paired once, for all fields that look into them."""

    __slots__ = ("_leaves", "frame", "tree")

    def __init__(self, tree: ClosedTree, frame: Frame) -> None:
        self.tree, self.frame = tree, frame
        self._leaves: dict[int, dict[int, tuple[Leaf, Frame]]] = {}

    def leaf(self, node: ListNode, number: int) -> tuple[Leaf, Frame]:
        """A leaf below a list, by its number, with the frame of its values."""
        found = self._leaves.get(id(node))
        if found is None:
            leaves = leaf_frames(node, self.frame, self.tree.matching)
            found = self._leaves[id(node)] = {leaf.number: (leaf, frame) for leaf, frame in leaves}
        return found[number]


class FieldPairs(NamedTuple):
    """Pairs of values of a field. `several`: in each row the field is a list of values, however many there are."""

    frame: Frame
    several: bool


class ListedField:
    """One scored line, ready to be asked."""

    def __init__(self, line: FieldLine, number: int, tree: ClosedTree) -> None:
        comparator = line.comparator
        self.line, self.number, self.tree = line, number, tree
        self.chain = tree.chain(line)
        self.costs = comparator is not None and comparator.costs
        self.two_sided = comparator is None or comparator.reads == "both"
        self.pair = line.path.pair_getter()
        self.node = next((node for node in tree.lists if number in node.numbers), None)
        align = line.align or (IN_ORDER if line.path.query is not None else None)
        own = None if align is None else own_list(line, number, align)
        self.leaf = Leaf(number, line.path, own, asked_slowly(line))
        """The field as a leaf of the document, where it is none of items."""
        self.several = not line.path.definite
        """In each row it is a list of values, however many there are."""
        self.absent, self.why_absent = absent(line, tree.both_missing)
        asked = near_enough() if self.costs else comparator
        self.rule = _skipped if asked is None else self._rule(asked)
        """The fast rule, for expected values that can be read. Nobody who costs is asked here."""
        self.equal_match = self.two_sided and line.together is None
        """Values that are equal match."""
        self.exact = asked is not None and line.together is None and asks_equality(asked, self.chain)
        """No others do."""
        self.ask = None if comparator is None else reader_of_expected(comparator, self.chain)

    def stands(self, sides: Sides) -> tuple[Leaf, Frame]:
        """The pairs of values at the path, as they stand there; of a query the lists of its hits."""
        if self.node is not None:
            return sides.leaf(self.node, self.number)
        frame = sides.frame
        if self.line.path.query is None:
            if len(frame.rows) > 1:
                return self.leaf, reached(frame, self.line.path)
            ours, theirs = self.pair(frame.e[0], frame.o[0])  # one row alone is read sooner so
            return self.leaf, Frame((ours,), (theirs,), frame.rows, frame)
        if self.number not in (kept := frame.kept.setdefault(hits, {})):
            ours = [hits(self.line, document) for document in frame.e]
            theirs = ours if frame.o is frame.e else [hits(self.line, document) for document in frame.o]
            kept[self.number] = Frame(ours, theirs, frame.rows, frame)
        return self.leaf, kept[self.number]

    def values(self, sides: Sides) -> list[FieldPairs]:
        """The pairs of values to compare, in the order of the documents. Each row has some in one of the frames at most."""
        leaf, frame = self.stands(sides)
        matching = self.tree.matching
        if leaf.own is not None and self.line.path.query is not None:
            return [FieldPairs(items(leaf.own, frame, matching), True)]
        inside = values(leaf, frame, matching)
        if self.several or inside is frame:
            return [FieldPairs(inside, self.several)]
        steps = inside.steps if isinstance(inside.steps, list) else []
        plain = [at for at, step in enumerate(steps) if step is None]
        aligned = [at for at, step in enumerate(steps) if step is not None]
        return [FieldPairs(inside.part(plain), False), FieldPairs(inside.part(aligned), True)]

    def asked_of(self, expected: Any, output: Any, row: Mapping[str, Any]) -> bool:
        """Whether the conditions of the line hold for a row. `row` holds the cells that they name."""
        documents = {"expected": expected, "output": output}
        return all(
            condition.holds(
                row.get(condition.column, MISSING) if condition.source == "row" else documents[condition.source]
            )
            for condition in self.line.when
        )

    def unreadable(self, sides: Sides) -> dict[int, Issue]:
        """What is wrong with the first expected value of a row that the comparator cannot read, by row: for any output the same."""
        ask, together = self.ask, self.line.together
        if ask is None:
            return {}
        leaf, frame = self.stands(sides)
        if leaf.own is None and frame.kinds <= TEXTS and not any(map(ask, dict.fromkeys(frame.e))):
            return {}
        found: dict[int, Issue] = {}
        for row, value in zip(frame.rows, frame.e, strict=True):
            if value is MISSING or row in found:
                continue
            for one in value if leaf.own is not None and isinstance(value, list) else [value]:
                shown = one if together is None or self.line.path.query is not None else together.picked(one) or MISSING
                issue = None if shown is MISSING else ask(shown)
                if issue is not None:
                    found[row] = issue
                    break
        return found

    def judged(self, frame: Frame) -> Iterable[tuple[int, Judged | RowProblem | None]]:
        """What is no plain match among some pairs of values, by position. A problem is something else than the output's
        fault; None stays open, where the comparator costs."""
        e, o, rule, two_sided, exact = frame.e, frame.o, self.rule, self.two_sided, self.exact
        positions: Iterable[int] = range(len(e))
        if self.equal_match:
            positions = frame.differing()
            if Missing in frame.kinds and Missing in frame.others:
                sides = enumerate(zip(e, o, strict=True))
                yield from [(at, Status.NOT_MEASURED) for at, (a, b) in sides if a is MISSING and b is MISSING]
        for at in positions:
            a, b = e[at], o[at]
            if b is MISSING:
                yield at, Status.NOT_MEASURED if a is MISSING else Status.OMISSION
            elif a is MISSING and two_sided:
                yield at, Status.HALLUCINATION
            elif exact:
                yield at, Status.MISMATCH
            elif self.costs:
                yield at, None
            else:
                try:
                    found: Judged | RowProblem = rule(a, b)
                except RowProblem as error:
                    found = error
                if found is not Status.MATCH:
                    yield at, found

    def explained(self, frame: Frame, at: int, several: bool) -> Explained | Question:
        """What one pair of values is, with its reason; the question that is to be asked, where the comparator costs."""
        expected, actual = frame.e[at], frame.o[at]
        if actual is MISSING or (expected is MISSING and self.two_sided):
            status = Status.OMISSION if actual is MISSING else Status.HALLUCINATION
            return Explained(status, WHY[status])
        found = self._told(expected, actual)
        if isinstance(found, Question) and several:
            return found._replace(path=display(self.location(frame, at)))
        return found

    def location(self, frame: Frame, at: int) -> tuple[str | int, ...]:
        """Where one of several pairs stands: the path with the items that were gone into; of other lists the item alone."""
        gone_into: list[Any] = []
        here: Frame | None = frame
        while here is not None:
            if isinstance(here.steps, list) and here.steps[at] is not None:
                gone_into.append(here.steps[at])
            at = at if here.owners is None else here.owners[at]
            here = here.up
        steps = self.line.path.steps if self.node is not None else ()
        found = [gone_into.pop() if step is ANY else step for step in steps]
        return (*found, *reversed(gone_into))

    def named(self, found: Explained) -> Explained:
        """The same answer; a problem with a function of the suite's own names the field."""
        return found if found.problem is None else explained_problem(in_field(found.problem, self.line.name))

    def settled(self, answers: Sequence[Judged], several: bool) -> Judged:
        """What the field is by what its pairs are: partial credit counts where there is one pair, else all or nothing."""
        if len(answers) == 1 and not several:
            found = answers[0]
        else:
            found = combined(answers)
        return self.absent if found is Status.NOT_MEASURED else found

    def hits(self, frame: Frame, asked: bool = False) -> bytearray:
        """What pairing counts of each pair of values. A comparator that costs is not asked for that, unless `asked`."""
        e, o = frame.e, frame.o
        found = bytearray((RIGHT,)) * len(e)
        if Missing in frame.kinds or Missing in frame.others:
            for at, (a, b) in enumerate(zip(e, o, strict=True)):
                if a is MISSING or b is MISSING:
                    found[at] = NOTHING if a is b else LONE
        if self.ask is not None and not (frame.kinds <= TEXTS and not any(map(self.ask, dict.fromkeys(e)))):
            for at, value in enumerate(e):
                if found[at] == RIGHT and self.ask(value) is not None:
                    found[at] = WRONG
        for at in frame.differing() if self.equal_match else range(len(e)):
            if found[at] == RIGHT and (self.exact or not self._matches(frame, at, asked)):
                found[at] = WRONG
        return found

    def asked_hits(self, frame: Frame) -> bytearray:
        """The same; a comparator that costs is asked, where it may be asked about one pair of its row alone."""
        comparator = self.line.comparator
        return self.hits(frame, asked=comparator is not None and comparator.costs and comparator.batch != "row")

    def _matches(self, frame: Frame, at: int, asked: bool) -> bool:
        if asked:
            return self._asked_status(frame, at) is Status.MATCH
        try:
            judged = self.rule(frame.e[at], frame.o[at])
        except RowProblem as error:
            if error.issue.blame is Blame.ENVIRONMENT:  # how items pair must not depend on the machine
                raise
            return False
        return (judged.status if isinstance(judged, Partial) else judged) is Status.MATCH

    def _asked_status(self, frame: Frame, at: int) -> Status:
        told, comparator = self._told(frame.e[at], frame.o[at]), self.line.comparator
        if isinstance(told, Explained) or comparator is None:
            return told.status if isinstance(told, Explained) else Status.SKIPPED
        (found,) = ask_later(comparator, [told], frame.row_of(at))()
        return alone(found)

    def _told(self, expected: Any, actual: Any) -> Explained | Question:
        """What the comparator says of two values, or the question that it is to be asked."""
        comparator, sides = self.line.comparator, self._sides(expected, actual)
        if comparator is None:
            return Explained(Status.SKIPPED, "skipped")
        if self.costs and isinstance(sides, Ready):
            sides = prepare_rule(comparator, self.chain, *sides)
        if isinstance(sides, Explained):
            return self.named(sides)
        if self.costs:
            return Question(self.line.name, *sides, expected, actual)
        return self.named(explain_rule(comparator, self.chain, *sides))

    def _rule(self, comparator: Comparator) -> Rule:
        rule, together = answering_rule(comparator, self.chain), self.line.together
        return compile_together(together, rule) if together is not None else rule

    def _sides(self, expected: Any, actual: Any) -> Explained | Ready:
        """What the comparator is shown: the two values, or the keys of them that are compared as one."""
        together = self.line.together
        return Ready(expected, actual) if together is None else together_ready(together, expected, actual)


def combined(answers: Iterable[Judged]) -> Status:
    """One status for several pairs: a match when every pair matches, else the kind of what does not."""
    kinds = {one.status if isinstance(one, Partial) else one for one in answers} - {Status.NOT_MEASURED}
    for first in (Status.FAULT, Status.ERROR):
        if first in kinds:
            return first
    wrong = kinds - {Status.MATCH}
    if not wrong:
        return Status.MATCH if kinds else Status.NOT_MEASURED
    return wrong.pop() if len(wrong) == 1 else Status.MISMATCH


def absent(line: FieldLine, both_missing: BothMissing) -> tuple[Status, str]:
    """The status of a field that neither side has, and why (law 6)."""
    if line.required:
        return Status.OMISSION, "required, and absent on both sides"
    return Status.MATCH if both_missing == "match" else Status.NOT_MEASURED, "absent on both sides"


def _skipped(expected: Any, actual: Any) -> Status:
    return Status.SKIPPED


def hits(line: FieldLine, document: Any) -> list[Any]:
    """Everything a query hits; an empty list where it hits nothing."""
    found = line.path.get(document) if document is not MISSING else MISSING
    return found if isinstance(found, list) else []
