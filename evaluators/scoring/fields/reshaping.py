"""Values that become lists or objects before fields are looked for in them: a text that is split or read as JSON, a list of one that
is unwrapped.

A line of `fields:` that says how a list is paired, or that has other lines below it, is looked into. Of its transforms those up to the
last one that reshapes a value are of the whole value: documents are changed by them, on copies, before anything is compared. Those after
it are of its items.

An expected value that cannot be changed makes the row invalid. A value of the output that cannot stays as it is, and the row says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import is_
from typing import Any, Final, NamedTuple

from msgspec import Struct

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING
from evaluators.scoring.comparators._comparator import with_field_name
from evaluators.scoring.fields.lines import FieldLine
from evaluators.scoring.fields.rules import transform_expected
from evaluators.scoring.values.paths import ANY, Levels, Path, joined_keys, key_of
from evaluators.scoring.values.transforms import Apply, Transform, TransformError, chain_of_expected


class Reshaping(Struct, frozen=True, dict=True):
    """The transforms of whole values at one place."""

    path: Path
    transforms: tuple[Transform, ...]

    @cached_property
    def levels(self) -> Levels:
        """For each step of the path, the keys with dots that may stand for it and some steps after it, each with the step that follows
        these."""
        return joined_keys(self.path.steps, self.path.joins)

    @cached_property
    def apply(self) -> Apply:
        """The transforms as one function from a value to the changed one."""
        return chain_of_expected(self.transforms) or (lambda value: value)

    def reshape_expected(self, value: Any) -> Any:
        """An expected value after the transforms. Raises RowProblem, which names the place, where it cannot be changed."""
        try:
            return transform_expected(self.apply, value)
        except RowProblem as error:
            raise with_field_name(error, self.path.canonical or "$") from error


class Reshaped(NamedTuple):
    """The documents of some rows, reshaped, with sentences about values that stay as they are, by row."""

    expected: Sequence[Any]
    outputs: Sequence[Any]
    notes: Sequence[tuple[str, ...]]


class Reshapings(Struct, frozen=True):
    """The transforms of whole values in documents, outer places before those inside of them."""

    each: tuple[Reshaping, ...] = ()

    @property
    def at_the_top(self) -> bool:
        """Whether a document is changed as a whole: then it may be of another kind than the one it is compared as."""
        return any(not reshaping.path.steps for reshaping in self.each)

    @property
    def converts(self) -> bool:
        """Whether some transform may fail on an expected value."""
        return any(transform.converts for reshaping in self.each for transform in reshaping.transforms)

    def of_expected(self, document: Any) -> Any:
        """An expected document, changed. Raises RowProblem for a value that cannot be."""
        for reshaping in self.each:
            document = _reshape_below(document, reshaping, 0, reshaping.reshape_expected)
        return document

    def of_output(self, document: Any) -> tuple[Any, tuple[str, ...]]:
        """A document of an output, changed, and sentences about values that cannot be."""
        notes: list[str] = []
        for reshaping in self.each:

            def change(value: Any, reshaping: Reshaping = reshaping) -> Any:
                """The value after the transforms; the value itself, with a note, where they cannot change it."""
                try:
                    return reshaping.apply(value)
                except TransformError as error:
                    notes.append(f"{reshaping.path.canonical or '$'} of the output stays as it is: {error}")
                    return value

            document = _reshape_below(document, reshaping, 0, change)
        return document, tuple(dict.fromkeys(notes))

    def of_rows(self, expected: Sequence[Any], outputs: Sequence[Any]) -> Reshaped:
        """The documents of some rows, changed; one that is the same object on both sides stays so. Raises RowProblem."""
        changed = [self.of_expected(document) for document in expected]
        others = [
            (mine, ()) if document is other else self.of_output(other)
            for document, other, mine in zip(expected, outputs, changed, strict=True)
        ]
        return Reshaped(changed, [document for document, _ in others], [note for _, note in others])


UNCHANGED: Final = Reshapings()


def reshapings_of(lines: Iterable[FieldLine], common: Sequence[Transform] = ()) -> Reshapings:
    """The transforms of whole values that lines of `fields:` have. `common` are those of all fields."""
    reshapings = [Reshaping(line.path, whole) for line in lines if (whole := split_at_reshaping(line, common)[0])]
    return Reshapings(tuple(sorted(reshapings, key=lambda one: len(one.path.steps))))


def split_at_reshaping(
    line: FieldLine, common: Sequence[Transform] = ()
) -> tuple[tuple[Transform, ...], tuple[Transform, ...]]:
    """The transforms of a line up to the last that reshapes the whole value, and the rest, which change what is compared. All are the rest
    where the value is not looked into."""
    every = (*common, *line.transforms)
    looked_into = not line.skip and line.path.query is None and (line.align is not None or line.comparator is None)
    last = max((at for at, each in enumerate(every, start=1) if each.reshapes), default=0) if looked_into else 0
    return every[:last], every[last:]


def _reshape_below(value: Any, reshaping: Reshaping, at: int, change: Apply) -> Any:
    """A document in which `change` was done to the values at the path of a reshaping, from the step number `at` of the
    path on; the very same document where that changes nothing. In an object, a key with dots that stands for several steps goes before
    the plain key; `[*]` leads to each item of a list, or each value of an object."""
    steps = reshaping.path.steps
    if at == len(steps):
        return value if value is MISSING else change(value)
    if steps[at] is ANY and value.__class__ is list:
        made = [_reshape_below(item, reshaping, at + 1, change) for item in value]
        return value if all(map(is_, made, value)) else made
    if steps[at] is ANY and value.__class__ is dict:
        changed = {key: _reshape_below(inner, reshaping, at + 1, change) for key, inner in value.items()}
        return value if all(map(is_, changed.values(), value.values())) else changed
    if value.__class__ is dict:
        keys = ((key, after) for key, after in (*reshaping.levels[at], (key_of(steps[at]), at + 1)) if key in value)
        key, after = next(keys, (None, 0))
        inner = MISSING if key is None else _reshape_below(value[key], reshaping, after, change)
        return value if key is None or inner is value[key] else {**value, key: inner}
    index = steps[at]
    if value.__class__ is list and isinstance(index, int) and -len(value) <= index < len(value):
        inner = _reshape_below(value[index], reshaping, at + 1, change)
        return (
            value
            if inner is value[index]
            else [inner if place == index % len(value) else item for place, item in enumerate(value)]
        )
    return value
