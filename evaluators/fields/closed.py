"""Listed fields: the lines of a suite become a tree of places for the walk, and what a line is by its values.

Each line is a leaf that a path of its own leads to, whatever stands on the way; `[*]` makes a list of what is looked into, and the
lines under one list share its items. A line that says how a list is aligned, and has no `[*]`, compares the items of its own value where
both sides have a list. A query is a list of its hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.fields.align import Align
from evaluators.fields.counts import together
from evaluators.fields.lines import FieldLine
from evaluators.fields.policy import LISTED
from evaluators.fields.rules import Judged, Partial
from evaluators.fields.tree import ORDERED, Below, FieldNode, ListedField, Metric, SchemaPath
from evaluators.model import FieldStatus
from evaluators.values.paths import ANY, Path
from evaluators.values.transforms import Transform

BothMissing = Literal["not_measured", "match"]
Reached: TypeAlias = list[tuple[Path, FieldNode]]
"""What is looked for in a document, or in an item of a list."""
WHOLE_ITEM: Final = Path(())


class ClosedTree(Struct, frozen=True, dict=True):
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
    def required(self) -> tuple[int, ...]:
        """The numbers of the required lines."""
        return tuple(number for number, line in enumerate(self.scored) if line.required)

    def chain(self, line: FieldLine) -> tuple[Transform, ...]:
        """The transforms of a line: those of every field, then its own."""
        both = (*self.transforms, *line.transforms)
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
    """What several pairs of values come to: a match when every pair matches, else the kind of what does not.

    Where there is partial credit, the field earns the mean of what its pairs earn.
    """
    measured = [one for one in answers if one is not FieldStatus.NOT_MEASURED]
    status = together(one.status if isinstance(one, Partial) else one for one in measured)
    if not earns_shares(line, measured):
        return status
    share = sum((Fraction(*credit(one)) for one in measured), Fraction(0)) / len(measured)
    return status if share == (status is FieldStatus.MATCH) else Partial(status, share.numerator, share.denominator)


def earns_shares(line: FieldLine, answers: Sequence[Judged]) -> bool:
    """Whether a field earns the mean of what its pairs of values earn."""
    shares = line.comparator is not None and line.comparator.partial_credit
    return bool(answers) and (shares or any(isinstance(one, Partial) for one in answers))


def credit(found: Judged | int) -> tuple[int, int]:
    """What a field, or a pair of values, earns of its weight: its partial credit, or all or nothing."""
    return (found.num, found.den) if isinstance(found, Partial) else (int(found == FieldStatus.MATCH), 1)
