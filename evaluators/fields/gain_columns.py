"""Whether each value of one column matches each of another, found column by column instead of pair by pair.

A comparator of equality, or with a `key`, makes one key of each value, so that n + m values are looked at for n × m pairs; one
with `compare_columns` compares the columns itself; any other is asked about every pair of different values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

from evaluators.comparators._comparator import Comparator, Matches
from evaluators.fields.readable import Ask, first_problem
from evaluators.fields.rules import Partial, answering_rule, guarded
from evaluators.issues import Blame, RowProblem
from evaluators.limits import still_time
from evaluators.model import Status
from evaluators.values.arrays import arrays_for
from evaluators.values.equality import same
from evaluators.values.pairing import identity
from evaluators.values.transforms import Transform, TransformError, chain

Keys: TypeAlias = Callable[[Sequence[Any]], "list[Hashable] | None"]
Column: TypeAlias = Callable[[Sequence[Any], Sequence[Any]], "Matches | None"]


def column_of(comparator: Comparator, transforms: Sequence[Transform], ask: Ask | None) -> Column | None:
    """How every value of one column is compared with every value of another.

    None for a comparator that costs or reads one side alone. The answer is None where pairs have to be asked one by one.
    """
    if comparator.costs or comparator.reads == "output":
        return None
    apply, keys = chain(transforms), _keys(comparator, transforms)
    rule = guarded(answering_rule(comparator, tuple(transforms)), ask)

    def by_pair(expected: Sequence[Any], output: Sequence[Any]) -> Matches | None:
        known: dict[tuple[Hashable, Hashable], bool] = {}
        theirs = [(identity(value), value) for value in output]
        found = []
        try:
            for value in expected:
                still_time()
                one, line = identity(value), []
                for other, actual in theirs:
                    hit = known.get((one, other))
                    if hit is None:
                        judged = rule(value, actual)
                        hit = (judged.status if isinstance(judged, Partial) else judged) is Status.MATCH
                        known[one, other] = hit
                    line.append(hit)
                found.append(line)
        except RowProblem as error:
            if error.issue.blame is Blame.ENVIRONMENT:  # how items pair must not depend on the machine
                raise
            return None
        return found

    def column(expected: Sequence[Any], output: Sequence[Any]) -> Matches | None:
        if ask is not None and first_problem(ask, expected) is not None:
            return None
        if keys is not None:
            ours, theirs = keys(expected), keys(output)
            return by_pair(expected, output) if ours is None or theirs is None else _equal_keys(ours, theirs)
        changed, other = expected, output
        if apply is not None:
            try:
                changed, other = [*map(apply, expected)], [*map(apply, output)]
            except (TransformError, RowProblem):
                return by_pair(expected, output)
        found = comparator.compare_columns(changed, other)
        return by_pair(expected, output) if found is None else found

    return column


def _keys(comparator: Comparator, transforms: Sequence[Transform]) -> Keys | None:
    """What makes one key of each value, so that values match exactly when their keys are equal; None without such keys."""
    apply = chain(transforms)
    key = identity if comparator.compile() is same else comparator.key()
    if key is None:
        return None

    def keys(values: Sequence[Any]) -> list[Hashable] | None:
        try:
            return [*map(key, values if apply is None else map(apply, values))]
        except (TransformError, RowProblem, RecursionError):
            return None

    return keys


def _equal_keys(ours: list[Hashable], theirs: list[Hashable]) -> Matches:
    numpy = arrays_for(len(ours), len(theirs))
    if numpy is None:
        return [[one == other for other in theirs] for one in ours]
    numbers: dict[Hashable, int] = {}
    rows, columns = (numpy.array([numbers.setdefault(key, len(numbers)) for key in side]) for side in (ours, theirs))
    return rows[:, None] == columns
