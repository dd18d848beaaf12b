"""The check of listed fields that every row goes through: statuses alone.

Cheapest first. Fields at definite keys are read together, one call for each parent and side, and compared inline where
Python's `==` on plain values settles it; of one document on both sides presence alone decides. Every other field is asked on
its own. The statuses of a row are bytes, and the verdict of each combination is made once. A row with a problem goes field by
field, so that the others keep their statuses.

Expected values that a comparator cannot read are looked for first, one look-up a field and row, in suites that have such
comparators only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeAlias

from evaluators.comparators._answers import in_field
from evaluators.fields.closed import ClosedTree, ListedField, Sides, by_presence
from evaluators.fields.closed_explain import explain_fields
from evaluators.fields.closed_score import verdict_of
from evaluators.fields.rules import Judged, Rule
from evaluators.issues import RowProblem
from evaluators.model import MISSING, Status, Verdict
from evaluators.values.many_paths import ABSENT, ManyPaths, by_parent, read_together

RowCheck: TypeAlias = Callable[..., Verdict]
Values: TypeAlias = Sequence[Any]

_MEMO: Final = 50_000  # combinations of statuses remembered for one evaluator; more are settled anew each time
_PLAIN: Final = frozenset((str, int, float, bool, type(None)))


def compile_fields(tree: ClosedTree, pass_at: float, columns: Sequence[str] = ()) -> RowCheck:
    """The check of a row: (expected, output, *cells of `columns`) → verdict. An unreadable output is MISSING."""
    if tree.costs:
        return _explaining(tree, pass_at, columns)
    if any(line.when for line in tree.scored):
        return _conditional(tree, pass_at, columns)
    return _StatusCheck(tree, pass_at).verdict


class _StatusCheck:
    """The check of fields that have no condition and ask nobody."""

    def __init__(self, tree: ClosedTree, pass_at: float) -> None:
        together = _read_together(tree.fields)
        self.tree, self.pass_at = tree, pass_at
        self.alone = [one for one in tree.fields if one not in together]
        order = [one.number for one in (*together, *self.alone)]
        self.back = [order.index(number) for number in range(len(order))]
        """Where the status of each field stands among those that `_statuses` gives."""
        self.paths = ManyPaths([one.line.path for one in together])
        self.read = self.paths.read
        self.there: list[Rule] = [one.rule for one in together]
        """What compares two values that are there."""
        self.anyhow: list[Rule] = [by_presence(one.rule, one.two_sided, one.absent) for one in together]
        """The same of values that may be missing."""
        self.asks = [(place, one.ask) for place, one in enumerate(together) if one.ask is not None]
        self.equal = bytes([Status.MATCH]) * len(together)
        self.perfect = verdict_of(tree, pass_at, self.equal) if not self.alone else None
        self.known: dict[bytes, Verdict] = {}

    def verdict(self, expected: Any, output: Any) -> Verdict:
        """The verdict of a row."""
        try:
            codes = self._statuses(expected, output)
        except RowProblem:
            return _one_by_one(self.tree, self.pass_at, expected, output)
        if codes is self.equal and self.perfect is not None:
            return self.perfect
        try:
            key = bytes(codes)
        except TypeError:  # partial credit is no byte
            return verdict_of(self.tree, self.pass_at, [codes[place] for place in self.back])
        found = self.known.get(key)
        if found is None:
            found = verdict_of(self.tree, self.pass_at, [key[place] for place in self.back])
            if len(self.known) < _MEMO:
                self.known[key] = found
        return found

    def _statuses(self, expected: Any, output: Any) -> Sequence[Any]:
        """What became of each field, those that are read together first. Raises RowProblem."""
        ours, theirs, rules = self._values(expected, output)
        for place, ask in self.asks:
            if ours[place] is not MISSING and (issue := ask(ours[place])) is not None:
                raise RowProblem(issue)
        codes = self.equal if ours is theirs else _compared(ours, theirs, rules)
        if not self.alone:
            return codes
        sides = Sides(self.tree, expected, output)
        return [*codes, *[one.status(sides) for one in self.alone]]

    def _values(self, expected: Any, output: Any) -> tuple[Values, Values, Sequence[Rule]]:
        """The values that are read together, and what compares them. The same values twice: of one document."""
        read = self.read
        try:
            ours = read(expected)
            return ours, ours if output is expected else read(output), self.there
        except ABSENT:
            return *self.paths.read_pair(expected, output), self.anyhow


def _compared(ours: Values, theirs: Values, rules: Sequence[Rule]) -> list[Any]:
    """What each pair of values is. What Python's `==` settles is not asked about: 1 is a match."""
    return [
        1 if a == b and ((kind := a.__class__) is str or (kind is b.__class__ and kind in _PLAIN)) else rule(a, b)
        for a, b, rule in zip(ours, theirs, rules, strict=True)
    ]


def _read_together(fields: Sequence[ListedField]) -> list[ListedField]:
    """The fields that can be read with others, those below one parent together."""
    found = [
        one
        for one in fields
        if one.single
        and one.two_sided
        and not one.line.skip
        and one.line.together is None
        and read_together(one.line.path)
    ]
    return [found[number] for group in by_parent([one.line.path for one in found]) for number in group]


def _one_by_one(tree: ClosedTree, pass_at: float, expected: Any, output: Any, excluded: Collection[int] = ()) -> Verdict:
    """Each field on its own, so that a problem with one leaves the others their statuses."""
    sides, problem = Sides(tree, expected, output), None
    found: list[Judged] = []
    for one in tree.fields:
        try:
            found.append(Status.SKIPPED if one.number in excluded else one.status(sides))
        except RowProblem as error:
            problem = problem or in_field(error, one.line.name)
            found.append(Status.FAULT)
    return verdict_of(tree, pass_at, found, problem)


def _conditional(tree: ClosedTree, pass_at: float, columns: Sequence[str]) -> RowCheck:
    """The check of fields some of which are left out of some rows."""

    def check(expected: Any, output: Any, *cells: Any) -> Verdict:
        row = dict(zip(columns, cells, strict=True))
        excluded = {one.number for one in tree.fields if not one.asked_of(expected, output, row)}
        return _one_by_one(tree, pass_at, expected, output, excluded)

    return check


def _explaining(tree: ClosedTree, pass_at: float, columns: Sequence[str]) -> RowCheck:
    """The check of fields some of which are asked about all at once: they are explained."""

    def check(expected: Any, output: Any, *cells: Any) -> Verdict:
        settled = explain_fields(tree, expected, output, dict(zip(columns, cells, strict=True)))
        problem = next((one.problem for one in settled if one.problem is not None), None)
        return verdict_of(tree, pass_at, [one.judged for one in settled], problem)

    return check
