"""Whole documents, key by key: open trees, whose fields are the leaves that the documents happen to have.

A leaf is a scalar or an empty container; its place is a tuple of keys and indexes, so {"a.b": 1} is not {"a": {"b": 1}}.
Both documents are walked at once. The walk counts per row, and tallies by path with `[*]` for every index, in a tree of
counters that grows with the paths it meets, up to a cap. Paths of single leaves are made only when someone looks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from evaluators.model import MISSING, FieldResult, Missing, Score, Standing, Status, Verdict
from evaluators.values.paths import ANY, Path, display

Location: TypeAlias = tuple[str | int, ...]
LeafRule: TypeAlias = Callable[[Any, Any], bool]

PATH_CAP: Final = 2_000
OVERFLOW: Final = "(other paths)"


@dataclass(frozen=True)
class OpenTree:
    """What counts in a walk. `depth` 1 compares top-level values whole."""

    same: LeafRule
    penalize_extra: bool = False
    fold_keys: bool = False
    depth: int | None = None
    skip: tuple[Path, ...] = ()
    types_only: bool = False
    """Values count as equal when they are of one JSON type."""
    rule: str = "exact"


class Counter:
    """The tallies of one path, and the counters of the paths below it."""

    __slots__ = ("hallucination", "keys", "match", "mismatch", "name", "omission", "skip")

    def __init__(self, name: tuple[Any, ...], skip: bool = False) -> None:
        self.name = name
        self.skip = skip
        self.keys: dict[Any, Counter] = {}
        self.match = self.mismatch = self.omission = self.hallucination = 0

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """(match, mismatch, omission, hallucination)."""
        return self.match, self.mismatch, self.omission, self.hallucination


@dataclass
class PathTally:
    """The counters of one evaluator, by path. Paths beyond the cap share one counter, which says so by its name."""

    tree: OpenTree
    cap: int = PATH_CAP
    root: Counter = field(init=False)
    overflow: Counter = field(init=False)
    made: int = 0

    def __post_init__(self) -> None:
        self.overflow = Counter((OVERFLOW,))
        self.root = Counter((), skip=self._skips(()))

    def below(self, counter: Counter, key: Any) -> Counter:
        """The counter of a key, made at its first use. `ANY` stands for every index."""
        found = counter.keys.get(key)
        if found is not None:
            return found
        name = (*counter.name, key)
        skip = self._skips(name)
        if not skip and (self.made >= self.cap or counter is self.overflow):
            return self.overflow
        self.made += 1
        found = counter.keys[key] = Counter(name, skip)
        return found

    def counts(self) -> dict[str, tuple[int, int, int, int]]:
        """The tallies by display path, in the order of the paths."""
        found = {_spelled(counter.name): counter.counts for counter in _all(self.root) if any(counter.counts)}
        if any(self.overflow.counts):
            found[OVERFLOW] = self.overflow.counts
        return dict(sorted(found.items()))

    def _skips(self, name: tuple[Any, ...]) -> bool:
        return any(path.steps == name for path in self.tree.skip)


class OpenCheck:
    """The fast check of an open tree: (expected, output) → verdict. An unreadable output is MISSING."""

    def __init__(self, tree: OpenTree, pass_at: float) -> None:
        self.tree = tree
        self.pass_at = pass_at
        self.tally = PathTally(tree)
        self._known: dict[tuple[int, int, int, int], Verdict] = {}

    def __call__(self, expected: Any, output: Any) -> Verdict:
        counts = self.count(expected, output)
        found = self._known.get(counts)
        if found is None:
            found = verdict_of_counts(counts, self.tree.penalize_extra, self.pass_at)
            if len(self._known) < 10_000:
                self._known[counts] = found
        return found

    def count(self, expected: Any, output: Any) -> tuple[int, int, int, int]:
        """The row's (match, mismatch, omission, hallucination), tallied by path as well."""
        root = self.tally.root
        if root.skip:
            return 0, 0, 0, 0
        if self.tree.depth == 1:
            return self._top(root, expected, output)
        if output is expected:
            return self._all_match(root, expected), 0, 0, 0
        if output is MISSING:
            return 0, 0, self._leaves(root, expected, "omission"), 0
        totals = [0, 0, 0, 0]
        self._walk(root, expected, output, totals)
        return totals[0], totals[1], totals[2], totals[3]

    def _top(self, root: Counter, expected: Any, output: Any) -> tuple[int, int, int, int]:
        match = mismatch = omission = hallucination = 0
        keys, below, same = root.keys, self.tally.below, self.tree.same
        there: dict[str, Any] = output if output.__class__ is dict else {}
        for key, value in expected.items():
            counter = keys.get(key) or below(root, key)
            if counter.skip:
                continue
            if there is expected:
                counter.match += 1
                match += 1
            elif key not in there:
                counter.omission += 1
                omission += 1
            elif (actual := there[key]) is value or same(value, actual):
                counter.match += 1
                match += 1
            else:
                counter.mismatch += 1
                mismatch += 1
        if len(there) + omission > len(expected):
            for key in there:
                if key not in expected and not (counter := keys.get(key) or below(root, key)).skip:
                    counter.hallucination += 1
                    hallucination += 1
        return match, mismatch, omission, hallucination

    def _all_match(self, counter: Counter, value: Any) -> int:
        """Every leaf of a document that equals its counterpart."""
        kind = value.__class__
        if kind is dict and value:
            total, keys = 0, counter.keys
            for key, inner in value.items():
                found = keys.get(key) or self.tally.below(counter, key)
                if found.skip:
                    continue
                kind = inner.__class__
                if kind is dict or kind is list:
                    total += self._all_match(found, inner)
                else:
                    found.match += 1
                    total += 1
            return total
        if kind is list and value:
            found = counter.keys.get(ANY) or self.tally.below(counter, ANY)
            return 0 if found.skip else sum([self._all_match(found, inner) for inner in value])
        counter.match += 1
        return 1

    def _walk(self, counter: Counter, expected: Any, output: Any, totals: list[int]) -> None:
        """Two values at the same place, both there."""
        kind, other = expected.__class__, output.__class__
        if kind is dict and expected and other is dict and output:
            self._walk_keys(counter, expected, output, totals)
        elif kind is list and expected and other is list and output:
            found = counter.keys.get(ANY) or self.tally.below(counter, ANY)
            if found.skip:
                return
            for ours, theirs in zip(expected, output, strict=False):
                self._walk(found, ours, theirs, totals)
            if len(expected) > len(output):
                for ours in expected[len(output) :]:
                    totals[2] += self._leaves(found, ours, "omission")
            elif len(output) > len(expected):
                for theirs in output[len(expected) :]:
                    totals[3] += self._leaves(found, theirs, "hallucination")
        elif _is_leaf(expected):
            if _is_leaf(output) and self.tree.same(expected, output):
                counter.match += 1
                totals[0] += 1
                return
            counter.mismatch += 1
            totals[1] += 1
            if not _is_leaf(output):
                totals[3] += self._leaves(counter, output, "hallucination")
        else:
            totals[2] += self._leaves(counter, expected, "omission")
            totals[3] += self._leaves(counter, output, "hallucination")

    def _walk_keys(self, counter: Counter, expected: dict[str, Any], output: dict[str, Any], totals: list[int]) -> None:
        keys, below, same, walk = counter.keys, self.tally.below, self.tree.same, self._walk
        met, text_must_equal = 0, not self.tree.types_only
        names = folded_names(expected, output) if self.tree.fold_keys else None
        for key, value in expected.items():
            actual = output.get(key if names is None else names.get(key, key), MISSING)
            if actual is not MISSING:
                met += 1
            found = keys.get(key) or below(counter, key)
            if found.skip:
                continue
            if actual is MISSING:
                totals[2] += self._leaves(found, value, "omission")
                continue
            kind = value.__class__
            if kind is str and actual.__class__ is str and text_must_equal:
                if value == actual:
                    found.match += 1
                    totals[0] += 1
                else:
                    found.mismatch += 1
                    totals[1] += 1
            elif kind is dict or kind is list or actual.__class__ is dict or actual.__class__ is list:
                walk(found, value, actual, totals)
            elif same(value, actual):
                found.match += 1
                totals[0] += 1
            else:
                found.mismatch += 1
                totals[1] += 1
        if met < len(output):
            taken = set(expected) if names is None else {names.get(key, key) for key in expected}
            for key, actual in output.items():
                if key not in taken:
                    found = keys.get(key) or below(counter, key)
                    if not found.skip:
                        totals[3] += self._leaves(found, actual, "hallucination")

    def _leaves(self, counter: Counter, value: Any, tally: str) -> int:
        """Counts every leaf of a value that stands on one side only."""
        if counter.skip:
            return 0
        if value.__class__ is dict and value:
            return sum([self._leaves(self.tally.below(counter, key), inner, tally) for key, inner in value.items()])
        if value.__class__ is list and value:
            return sum([self._leaves(self.tally.below(counter, ANY), inner, tally) for inner in value])
        setattr(counter, tally, getattr(counter, tally) + 1)
        return 1


def verdict_of_counts(counts: tuple[int, int, int, int], penalize_extra: bool, pass_at: float) -> Verdict:
    """The verdict: matches over the expected leaves, and over the extra ones too where they are penalized."""
    match, mismatch, omission, hallucination = counts
    whole = match + mismatch + omission + (hallucination if penalize_extra else 0)
    if not whole:
        return Verdict(Standing.NOT_MEASURED, None, 0, 0, counts=counts)
    return Verdict(Standing.SCORED, match / whole >= pass_at, match, whole, counts=counts)


def explain_open(tree: OpenTree, expected: Any, output: Any | Missing) -> Score:
    """The same score from one result per leaf: gathered, compared and settled one after the other."""
    results = [_compare(tree, *leaf) for leaf in gather(tree, expected, output)]
    counted = [result for result in results if result.status is not Status.SKIPPED]
    whole = [result for result in counted if tree.penalize_extra or result.status is not Status.HALLUCINATION]
    match = sum(result.status is Status.MATCH for result in whole)
    share = Score.share(match, len(whole))
    reason = _sentence(match, len(whole), counted) if whole else "there was no leaf to compare"
    return Score(share.value, None, tuple(results), reason, {}, share.ratio, share.standing)


def gather(tree: OpenTree, expected: Any, output: Any) -> list[tuple[Location, Any, Any]]:
    """Every leaf place of the two documents with its values: the expected document's order, then what only the output has."""
    names = expected.keys() if isinstance(expected, dict) else ()
    if tree.depth == 1:
        there = output if isinstance(output, dict) else {}
        found: list[tuple[Location, Any, Any]] = [((key,), expected[key], there.get(key, MISSING)) for key in names]
        found += [((key,), MISSING, value) for key, value in there.items() if key not in names]
    else:
        if tree.fold_keys:
            output = renamed(expected, output)
        ours = dict(leaves(expected))
        theirs = dict(leaves(output)) if output is not MISSING else {}
        found = [(place, value, theirs.get(place, _beneath(output, place))) for place, value in ours.items()]
        found += [(place, MISSING, value) for place, value in theirs.items() if place not in ours]
    return [leaf for leaf in found if not _skipped(tree, leaf[0])]


def leaves(value: Any, place: Location = ()) -> Iterator[tuple[Location, Any]]:
    """The scalars and empty containers of a document, with their places, in document order."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*place, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, (*place, index))
    else:
        yield place, value


def folded_names(expected: dict[str, Any], output: dict[str, Any]) -> dict[str, str]:
    """For each expected key, the output's key that stands for it: exact spellings first, then by case folding.

    Keys that fold alike pair in code-point order and are never merged.
    """
    names = {key: key for key in expected if key in output}
    left: dict[str, list[str]] = {}
    for key in sorted(output):
        if key not in names:
            left.setdefault(key.casefold(), []).append(key)
    for key in sorted(expected):
        if key not in names and (waiting := left.get(key.casefold())):
            names[key] = waiting.pop(0)
    return names


def renamed(expected: Any, output: Any) -> Any:
    """The output with the expected document's spelling of every key that stands for one of its keys."""
    if isinstance(expected, dict) and isinstance(output, dict):
        names = {theirs: ours for ours, theirs in folded_names(expected, output).items()}
        return {names.get(key, key): renamed(expected.get(names.get(key, key)), value) for key, value in output.items()}
    if isinstance(expected, list) and isinstance(output, list):
        rest = [None] * max(0, len(output) - len(expected))
        return [renamed(ours, theirs) for ours, theirs in zip([*expected, *rest], output, strict=False)]
    return output


def _compare(tree: OpenTree, place: Location, expected: Any, actual: Any) -> FieldResult:
    if actual is MISSING:
        status, reason = Status.OMISSION, "missing in the output"
    elif expected is MISSING:
        status, reason = Status.HALLUCINATION, "only the output has it"
    elif (tree.depth == 1 or _is_leaf(actual)) and tree.same(expected, actual):
        status, reason = Status.MATCH, "equal"
    else:
        status, reason = Status.MISMATCH, "the values differ"
    score = 1.0 if status is Status.MATCH else 0.0
    return FieldResult(display(place), status, score, 1.0, expected, actual, reason, tree.rule)


def _beneath(document: Any, place: Location) -> Any:
    """What stands at a leaf's place on the other side when it is no leaf there: a container, or nothing."""
    for step in place:
        if (isinstance(document, dict) and isinstance(step, str) and step in document) or (
            isinstance(document, list) and isinstance(step, int) and step < len(document)
        ):
            document = document[step]
        else:
            return MISSING
    return document


def _skipped(tree: OpenTree, place: Location) -> bool:
    names: tuple[Any, ...] = tuple(ANY if isinstance(step, int) else step for step in place)
    return any(names[: len(path.steps)] == path.steps for path in tree.skip)


def _sentence(match: int, whole: int, results: Sequence[FieldResult]) -> str:
    wrong = [result for result in results if result.status is not Status.MATCH]
    if not wrong:
        return f"all {whole} leaves match"
    return (
        f"{match} of {whole} leaves match; first difference: {wrong[0].path or 'the whole document'}, {wrong[0].reason}"
    )


def _is_leaf(value: Any) -> bool:
    return value.__class__ not in (dict, list) or not value


def _all(counter: Counter) -> Iterator[Counter]:
    yield counter
    for inner in counter.keys.values():
        yield from _all(inner)


def _spelled(name: tuple[Any, ...]) -> str:
    return Path(name).canonical
