"""What we say of a recorded evaluation, worked out a second time from the policy: slow, and apart from the scorer.

While it works, it notes every place where our policy and the other system's part ways. Those *partings* are what the
divergences of `divergences.yaml` are written in. It reads schemas that are already annotated, and nothing that is wrong.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any, Final

from evaluators.fields.named_comparators import choose
from evaluators.model import MISSING
from evaluators.values.assignment import assign_gains
from evaluators.values.transforms import NotTaken, TransformError, parse_transform
from tests.conformance.cases import Answer, Case
from tests.conformance.values import equal, kind
from tests.conformance.x_eval_cases import means, read
from tests.conformance.x_eval_custom import TRANSFORMS, batch_rule, compound_rule, judge_rule, pair_rule, with_compounds
from tests.conformance.x_eval_refused import refused
from tests.conformance.x_eval_resolved import ANYTHING, branches_of, described, further, looked_into, resolved
from tests.conformance.x_eval_schemas import unusable

KINDS: Final = {"object": dict, "array": list}
MOST_PAIRS: Final = 2500
"""Above so many pairs of items the other system pairs in order."""
STOPS: Final = "stops"
"""What the other system says of two values that end its run."""
BATCHES: Final = ("batch", "semantic")


@dataclass
class Result:
    """One result. `status` is None until a batch has answered; `fault` is an error that nobody scores."""

    path: str
    status: str | None
    expected: Any
    actual: Any
    score: float = 0.0
    unit: bool = False
    compared: tuple[Any, Any] = (MISSING, MISSING)
    batch: str = ""
    """The batch whose answer it waits for, or waited for."""
    comparator: str = ""
    """The name of the batch comparator whose result it is, asked or not."""
    unreadable: bool = False
    """Its expected value cannot be read, which is the fault."""

    def told(self) -> list[Any]:
        sides = [None if side is MISSING else side for side in (self.expected, self.actual)]
        return [self.path, "error" if self.status == "fault" else self.status, self.score, *sides]


@dataclass
class Row:
    """One row: its results, and the partings met."""

    register: Mapping[str, Mapping[str, Any]]
    partings: set[str] = field(default_factory=set)
    outside: int = 0
    """How many expected places the schema does not know."""

    def score(self, schema: Any, expected: Any, actual: Any, processors: Sequence[Any]) -> dict[str, Any]:
        results = list(self.place(schema, expected, actual, ""))
        self.ask(results)
        for processor in processors:
            results = self.processed(results, processor)
        figures = self.figures(results)
        return {"results": sorted((one.told() for one in results), key=repr), "figures": figures}

    def figures(self, results: Sequence[Result]) -> list[float | None]:
        """Precision, recall and F1, by the counts of statuses."""
        if any(result.status == "fault" for result in results):
            return [None] * 3
        if any(result.status in ("match", "mismatch") and result.score not in (0, 1) for result in results):
            self.partings.add("partial credit")
        names = [result.status for result in results]
        match, omission, hallucination = (names.count(name) for name in ("match", "omission", "hallucination"))
        mismatch = names.count("mismatch") + names.count("error")
        shares = [
            (match, match + mismatch + hallucination),
            (match, match + mismatch + omission),
            (2 * match, 2 * match + 2 * mismatch + hallucination + omission),
        ]
        if not all(whole for _, whole in shares):
            self.partings.add("undefined figure")
        nothing = 0.0 if mismatch or omission or hallucination else None
        return [float(Fraction(part, whole)) if whole else nothing for part, whole in shares]

    # The walk

    def place(self, schema: Any, expected: Any, actual: Any, path: str, deep: bool = False) -> Iterator[Result]:
        """Every result at a place and below it. `deep`: below something that one side lacks."""
        if schema.get("x-eval-skip"):
            if expected is MISSING and actual is MISSING:
                self.partings.add("skipped and absent")
                return
            if not path or path.endswith("]") or deep:
                self.partings.add("skipped items")
            yield Result(path, "skipped", expected, actual)
            return
        if expected is MISSING and actual is MISSING:
            return
        if schema is ANYTHING:
            self.partings.add("true for a schema")
        found = looked_into(schema)
        compare = schema.get("x-eval-compare")
        if compare is None and (several := branches_of(schema)):
            yield from self.fitting(several, expected, actual, path, deep)
        elif found is None or (compare is not None and not _compound(schema)):
            if found and MISSING in (expected, actual):
                self.partings.add("compared as a whole")
            yield self.unit(schema, expected, actual, path)
        else:
            yield from self.container(found, schema, expected, actual, path, deep)

    def fitting(self, several: list[dict[str, Any]], expected: Any, actual: Any, path: str, deep: bool) -> list[Result]:
        """The results of the branch that fits best: the kind of the value, what it leaves out, F1, and what is wrong."""
        value = actual if expected is MISSING or expected is None else expected
        wanted = {"object": "object", "list": "array"}.get(kind(value))
        alike = [one for one in several if looked_into(one) == wanted or branches_of(one)] or several
        if isinstance(expected, dict):
            lacking = [self.lacking(one, expected) for one in alike]
            alike = [one for one, lacks in zip(alike, lacking, strict=True) if lacks == min(lacking)]

        def fit(branch: dict[str, Any]) -> tuple[int, Fraction, int]:
            row = Row(self.register)
            results = row.weighed(row.place(branch, expected, actual, path, deep))
            wrong = sum(one.status not in ("match", "skipped") for one in results)
            return -row.outside, Fraction(row.figures(results)[2] or 0), -wrong

        return list(self.place(max(alike, key=fit), expected, actual, path, deep))

    def lacking(self, schema: Mapping[str, Any], expected: Mapping[str, Any]) -> int:
        """How many keys of an object a branch does not know."""
        if schema.get("x-eval-skip") or (schema.get("x-eval-compare") is not None and not _compound(schema)):
            return 0
        if several := branches_of(schema):
            return min(self.lacking(one, expected) for one in several)
        if looked_into(schema) != "object" or further(schema):
            return 0
        return len(expected.keys() - schema.get("properties", {}).keys() - set(self.compounded(schema)))

    def container(self, found: str, schema: Any, expected: Any, actual: Any, path: str, deep: bool) -> Iterator[Result]:
        ours, theirs = content(found, expected), content(found, actual)
        if ours == theirs == "full":
            yield from self.inside(found, schema, expected, actual, path, deep)
            return
        if ours == "full":
            yield from self.inside(found, schema, expected, MISSING, path, True)
            if theirs == "other":
                self.partings.add("another kind")
            if theirs == "other" and actual not in ({}, []):
                yield Result(path, "hallucination", expected, actual)
            return
        if theirs == "full" and (ours != "other" or expected in ({}, [])):
            if ours == "other":
                self.partings.add("another kind")
            yield from self.inside(found, schema, MISSING, actual, path, True)
            return
        if not path and ours == theirs == "empty" and found == "object":
            return
        status = self.own_status(ours, theirs, expected, actual)
        if status == "leaves":
            yield from self.extra(actual, path)
        else:
            yield Result(path, status, expected, actual, float(status == "match"))

    def own_status(self, ours: str, theirs: str, expected: Any, actual: Any) -> str:
        """What becomes of a container that is not looked into."""
        if ours == "empty" and theirs == "empty":
            return "match"
        if ours in ("missing", "null", "empty") and theirs in ("missing", "null", "empty"):
            self.partings.add("nothing inside")
        if "other" in (ours, theirs):
            self.partings.add("another kind")
        if ours == theirs == "null":
            return "match"
        nothing = ours in ("missing", "null")
        if (nothing or expected in ({}, [])) and theirs == "other" and isinstance(actual, (dict, list)) and actual:
            return "leaves"
        if nothing and theirs != "missing" and ours != theirs:
            return "hallucination"
        if theirs in ("missing", "null"):
            return "omission"
        return "match" if ours == "other" and equal(expected, actual) else "mismatch"

    def inside(self, found: str, schema: Any, expected: Any, actual: Any, path: str, deep: bool) -> Iterator[Result]:
        if found == "array":
            yield from self.items(schema, expected, actual, path, deep)
            return
        ours = expected if isinstance(expected, dict) else {}
        theirs = actual if isinstance(actual, dict) else {}
        declared = schema.get("properties", {})
        taken = self.compounded(schema)
        if taken:
            yield from self.compound(schema, taken, ours, theirs, path)
        for key, inner in declared.items():
            if "." in key:
                self.partings.add("key with dots")
            if key not in taken:
                yield from self.place(inner, ours.get(key, MISSING), theirs.get(key, MISSING), _join(path, key), deep)
        others = further(schema)
        for key in sorted((ours.keys() | theirs.keys()) - declared.keys() - set(taken)):
            if others is not None:
                self.partings.add("further keys")
                yield from self.place(others, ours.get(key, MISSING), theirs.get(key, MISSING), _join(path, key), deep)
                continue
            if key in ours:
                self.outside += 1
                if key in theirs:
                    self.partings.add("outside the schema")
                continue
            if deep or (isinstance(theirs[key], (dict, list)) and theirs[key]):
                self.partings.add("extra leaves")
            yield from self.extra(theirs[key], _join(path, key))

    def extra(self, value: Any, path: str) -> Iterator[Result]:
        """What the schema does not know and only the output has: a hallucination per leaf."""
        if isinstance(value, dict) and value:
            for key in sorted(value):
                yield from self.extra(value[key], _join(path, key))
        elif isinstance(value, list) and value:
            for inner in value:
                yield from self.extra(inner, f"{path}[+]")
        else:
            yield Result(path, "hallucination", MISSING, value, unit=True)

    # Items

    def items(self, schema: Any, expected: Any, actual: Any, path: str, deep: bool) -> Iterator[Result]:
        item = schema["items"]
        ours = expected if isinstance(expected, list) else []
        theirs = actual if isinstance(actual, list) else []
        pairs = self.pairs(schema, ours, theirs)
        for row, value in enumerate(ours):
            partner = theirs[pairs[row]] if row in pairs else MISSING
            yield from self.place(item, value, partner, f"{path}[{row}]", deep or partner is MISSING)
        for column, value in enumerate(theirs):
            if column not in pairs.values():
                known = without_unscored(item, value, ours)
                if not equal(known, value):
                    self.partings.add("outside the schema")
                if known is not MISSING:
                    yield from self.place(item, MISSING, known, f"{path}[+]", True)

    def pairs(self, schema: Any, ours: list[Any], theirs: list[Any]) -> dict[int, int]:
        align = schema.get("x-eval-align") or {}
        how = "ordered" if align.get("ordered") or "match_by" not in align else align["match_by"]
        if how == "key_field":
            return self.by_key(align["key"], ours, theirs)
        if how == "ordered" or equal(ours, theirs):
            return dict(zip(range(len(ours)), range(len(theirs)), strict=False))
        least = 1 if how == "any_order" else Fraction(str(align.get("threshold") or 0))
        pairs = [[self.gain(schema["items"], one, other) for other in theirs] for one in ours]
        table = [[f1 for f1, _ in line] for line in pairs]
        ranks = _ranks(schema["items"], [[right for _, right in line] for line in pairs])
        whole = lcm(*(f1.denominator for line in table for f1 in line))
        most = min(len(ours), len(theirs)) + 1
        below = most * max((rank for line in ranks for rank in line), default=0) + 1

        def number(f1: Fraction, rank: int) -> int:
            """Complete pairs, then F1, then the fields that match, in their order."""
            if not f1 or f1 < least:
                return 0
            return ((f1 == 1) * most * whole + int(f1 * whole)) * below + rank

        numbers = [
            [number(f1, rank) for f1, rank in zip(line, ranked, strict=True)]
            for line, ranked in zip(table, ranks, strict=True)
        ]
        found = dict(assign_gains(numbers))
        if len(ours) * len(theirs) > MOST_PAIRS:
            self.partings.add("many pairs")
        elif not all(other == found for other in _by_f1_alone([[int(f1 * whole) for f1 in line] for line in table])):
            self.partings.add("best pairs")
        return found

    def by_key(self, key: Any, ours: list[Any], theirs: list[Any]) -> dict[int, int]:
        waiting: list[tuple[Any, int]] = [(_key_of(item, key), column) for column, item in enumerate(theirs)]
        keys = [_key_of(item, key) for item in ours]
        if any(
            one is MISSING or kind(one) not in ("text", "number") for one in (*keys, *(found for found, _ in waiting))
        ):
            self.partings.add("items without a key")
        if any(_repeated(found) for found in (keys, [found for found, _ in waiting])):
            self.partings.add("repeated key")
        pairs = {}
        for row, wanted in enumerate(keys):
            for found, column in waiting:
                if (found is MISSING) is (wanted is MISSING) and (wanted is MISSING or equal(found, wanted)):
                    if not isinstance(ours[row], dict) or isinstance(key, list) or key not in ours[row]:
                        self.partings.add("items without a key")
                    pairs[row] = column
                    waiting.remove((found, column))
                    break
        return pairs

    def gain(self, schema: Any, expected: Any, actual: Any) -> tuple[Fraction, Counter[str]]:
        """F1 of a pair of items, and where how many results match."""
        row = Row(self.register)
        results = row.weighed(row.place(schema, expected, actual, "[0]"))
        f1 = row.figures(results)[2]
        asked = {"no batch while pairing"}
        self.partings |= (row.partings & asked) | ({"best pairs"} if row.partings - asked else set())
        exact = Fraction(0) if f1 is None else Fraction(f1).limit_denominator(100_000)
        if f1 is None and equal(expected, actual):
            exact = Fraction(1)
        return exact, Counter(re.sub(r"\[[^]]*]", "[]", one.path) for one in results if one.status == "match")

    def weighed(self, found: Iterator[Result]) -> list[Result]:
        """Results that are only weighed: no batch is asked, and texts that are nearly the same count as equal."""
        results = list(found)
        for result in results:
            if result.batch:
                self.partings.add("no batch while pairing")
                result.status = "match" if _flat(result.expected) == _flat(result.actual) else "mismatch"
            if result.status == "fault":
                result.status = "mismatch"
        return results

    # Units

    def unit(self, schema: Any, expected: Any, actual: Any, path: str) -> Result:
        if expected is MISSING or actual is MISSING:
            status = "hallucination" if expected is MISSING else "omission"
            if status == "omission" and self.unreadable(schema.get("x-eval-transform") or (), expected):
                self.partings.add("a transform fails")
                status = "fault"
            sides = self.sides(schema, expected, actual)
            return Result(path, status, expected, actual, unit=True, compared=sides, unreadable=status == "fault")
        entry = schema["x-eval-compare"]
        return self.compared(entry, schema.get("x-eval-transform") or (), expected, actual, path)

    def sides(self, schema: Any, *sides: Any) -> tuple[Any, Any]:
        """Both sides after their transforms; a side that is not there stays so."""
        transforms = schema.get("x-eval-transform") or ()
        left, right = (side if side is MISSING else self.settled(transforms, side) for side in sides)
        return left, right

    def compared(self, entry: Any, transforms: Sequence[Any], expected: Any, actual: Any, path: str) -> Result:
        """Two values that are both there: equality, the transforms, the comparator."""
        result = Result(path, "match", expected, actual, 1.0, True, (expected, actual))
        name, options = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
        options = options or {}
        if self.register.get(name, {}).get("kind") in BATCHES:
            result.comparator = name
        theirs = _their_answer(name, options, transforms, expected, actual, self.register)
        if _same(expected, actual) and not self.unreadable(transforms, expected):
            ours: bool | None = True
            result.compared = (self.settled(transforms, expected), self.settled(transforms, actual))
        else:
            ours = self.asked(name, options, transforms, result)
        if theirs == STOPS:
            self.partings.add("equal values match" if _same(expected, actual) else "numbers are exact")
        elif theirs is not None and theirs is not ours:
            self.partings.add(_why(name, expected, actual, theirs is True))
        return result

    def settled(self, transforms: Sequence[Any], value: Any) -> Any:
        """A value as it stands after its transforms; unchanged where one fails."""
        changed = value
        for one in transforms:
            try:
                changed = self.transformed(one, changed)
            except TransformError:
                return value
        return changed

    def unreadable(self, transforms: Sequence[Any], expected: Any) -> bool:
        """Whether an expected value cannot be converted; one of a kind that a transform does not take stays as it is."""
        for one in transforms:
            try:
                expected = self.transformed(one, expected)
            except NotTaken:
                continue
            except TransformError:
                return True
        return False

    def asked(self, name: str, options: Mapping[str, Any], transforms: Sequence[Any], result: Result) -> bool | None:
        left, right = result.expected, result.actual
        result.score, result.compared = 0.0, (self.settled(transforms, left), self.settled(transforms, right))
        if self.unreadable(transforms, left):
            self.partings.add("a transform fails")
            result.status, result.unreadable = "fault", True
            return None
        for side in ("actual", "expected"):
            for one in transforms:
                try:
                    if side == "actual":
                        right = self.transformed(one, right)
                    else:
                        left = self.transformed(one, left)
                except TransformError:
                    self.partings.add("a transform fails")
                    if side == "actual":
                        result.status = "error"
                        return None
        result.compared = (left, right)
        if equal(left, right):
            result.status, result.score = "match", 1.0
            return True
        registered = self.register.get(name)
        if result.comparator:
            result.status, result.batch = None, json.dumps([name, options], sort_keys=True)
            return None
        found = _answer_of(name, options, left, right, registered)
        if not 0 <= found <= 1:
            self.partings.add("a comparator fails")
            result.status = "fault"
            return None
        result.status, result.score = ("match" if found == 1 else "mismatch"), float(found)
        return found == 1

    def transformed(self, one: Any, value: Any) -> Any:
        name, options = (one, {}) if isinstance(one, str) else next(iter(one.items()))
        registered = self.register.get(name)
        if registered is not None and registered["kind"] == "transform":
            return TRANSFORMS[registered["rule"]](value, options)
        return parse_transform(one).apply(value)

    def ask(self, results: Sequence[Result]) -> None:
        """Every batch gets all its questions at once, and answers each or none."""
        for batch in dict.fromkeys(result.batch for result in results if result.status is None):
            waiting = [result for result in results if result.batch == batch]
            if any(one.batch not in ("", batch) and one.comparator == waiting[0].comparator for one in results):
                self.partings.add("a batch by its options")
            name, options = json.loads(batch)
            entry = self.register[name]
            rule = judge_rule(entry["judge"]) if entry["kind"] == "semantic" else batch_rule(entry)
            questions: Any = [_Question(*result.compared) for result in waiting]
            try:
                answers = rule(questions, options)
            except (ValueError, TypeError, KeyError):
                answers = None
            if not isinstance(answers, (list, tuple)) or len(answers) != len(waiting):
                answers = [None] * len(waiting)
            for result, found in zip(waiting, answers, strict=True):
                good = isinstance(found, (bool, int, float)) and 0 <= found <= 1
                if not good:
                    self.partings.add("a comparator fails")
                result.status = ("match" if found == 1 else "mismatch") if good else "fault"
                result.score = float(found) if good else 0.0

    # Compounds

    def compounded(self, schema: Any) -> Sequence[str]:
        found = schema.get("x-eval-compare")
        fields: Sequence[str] = found["compound"]["fields"] if _compound(schema) else ()
        return fields

    def compound(
        self, schema: Any, fields: Sequence[str], ours: Mapping[str, Any], theirs: Mapping[str, Any], path: str
    ) -> Iterator[Result]:
        self.partings.add("compound")
        left, right = ({key: side[key] for key in fields if key in side} for side in (ours, theirs))
        if left and self.unreadable_parts(schema, left):
            self.partings.add("a transform fails")
            yield Result(path, "fault", left, right or MISSING, unit=True, unreadable=True)
            return
        if not left or not right:
            if left or right:
                yield Result(path, "omission" if left else "hallucination", left or MISSING, right or MISSING, unit=True)
            return
        result = Result(path, "match", left, right, 1.0, True, (left, right))
        if not equal(left, right):
            entry = self.register[schema["x-eval-compare"]["compound"]["compare"]]
            result.score, result.status = 0.0, "error"  # should the output not be changed
            try:
                changed = self.changed(schema, left, strict=False), self.changed(schema, right)
                result.compared, result.status = changed, "fault"
                found = 1.0 if equal(*changed) else compound_rule(entry)(*changed, {})
                result.status, result.score = ("match" if found == 1 else "mismatch"), float(found)
            except (TransformError, ValueError):
                pass
        yield result

    def unreadable_parts(self, schema: Any, left: Mapping[str, Any]) -> bool:
        """Whether a key of the expected side, or all of them together, cannot be converted."""
        declared = schema["properties"]
        each = (self.unreadable(declared[key].get("x-eval-transform") or (), value) for key, value in left.items())
        whole = schema.get("x-eval-transform") or ()
        return any(each) or self.unreadable(whole, self.changed({**schema, "x-eval-transform": ()}, left, strict=False))

    def changed(self, schema: Any, side: Mapping[str, Any], strict: bool = True) -> Any:
        """The keys of a compound, each after its transforms, and then those of the whole; where `strict`, one may fail."""
        value: Any = {}
        for key, inner in side.items():
            value[key] = self.after(schema["properties"][key].get("x-eval-transform") or (), inner, strict)
        return self.after(schema.get("x-eval-transform") or (), value, strict)

    def after(self, transforms: Sequence[Any], value: Any, strict: bool) -> Any:
        for one in transforms:
            try:
                value = self.transformed(one, value)
            except TransformError:
                if strict:
                    raise
        return value

    # Afterwards

    def processed(self, results: list[Result], processor: Any) -> list[Result]:
        ((name, options),) = processor.items()
        if name == "drop_paths":
            return [result for result in results if result.path not in options]
        if name == "propagate_batch_errors":
            broken = {result.comparator for result in results if result.comparator and result.status == "fault"}
            if broken:
                self.partings.add("a comparator fails")
            for result in results:
                if result.comparator in broken and result.status in ("match", "mismatch", "skipped"):
                    result.status, result.score = "fault", 0.0
            return results
        for result in results:
            self.reclassified(result, options)
        return results

    def reclassified(self, result: Result, options: Mapping[str, Any]) -> None:
        values = options.get("absent_values", [None])
        unreadable = result.status == "fault" and result.unreadable
        compared = result.status in ("match", "mismatch", "error") or unreadable
        if not result.unit:
            if compared and None in values:
                self.partings.add("absent containers")
            return
        if not compared and result.status not in ("omission", "hallucination"):
            return
        known = any(side is not MISSING for side in result.compared)
        sides = result.compared if known else (result.expected, result.actual)
        ours, theirs = (side is MISSING or any(equal(side, value) for value in values) for side in sides)
        if any(equal(side, value) and type(side) is not type(value) for side in sides for value in values):
            self.partings.add("1 is 1.0")
        if unreadable and not ours:
            return
        if ours and theirs:
            if not compared:
                self.partings.add("null or not there")
            skip = options.get("both_absent_skip", True)
            result.status, result.score = ("skipped", 0.0) if skip else ("match", 1.0)
        elif compared and (ours or theirs):
            result.status, result.score = "hallucination" if ours else "omission", 0.0


@dataclass(frozen=True)
class _Question:
    expected: Any
    actual: Any


def without_unscored(schema: Mapping[str, Any], value: Any, others: Sequence[Any]) -> Any:
    """An item without a partner, without the keys that the schema lacks and an expected item has; MISSING when none is left."""
    found = looked_into(schema)
    as_one = schema.get("x-eval-skip") or ("x-eval-compare" in schema and not _compound(schema))
    if as_one or not value or found != kind(value).replace("list", "array"):
        return value
    if found == "array":
        inner = [each for other in others if isinstance(other, list) for each in other]
        left = [without_unscored(schema["items"], each, inner) for each in value]
        return [each for each in left if each is not MISSING] or MISSING
    declared = schema.get("properties", {})
    kept = {}
    for key, each in value.items():
        inner = [other[key] for other in others if isinstance(other, dict) and key in other]
        if key in declared:
            each = without_unscored(declared[key], each, inner)
        elif inner and not further(schema):
            continue
        if each is not MISSING:
            kept[key] = each
    return kept or MISSING


def content(found: str, value: Any) -> str:
    """What one side has where a container is declared."""
    if value is MISSING or value is None:
        return "missing" if value is MISSING else "null"
    if not isinstance(value, KINDS[found]):
        return "other"
    return "full" if value else "empty"


def _compound(schema: Mapping[str, Any]) -> bool:
    entry = schema.get("x-eval-compare")
    return isinstance(entry, dict) and "compound" in entry


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _flat(value: Any) -> Any:
    return " ".join(value.casefold().split()) if isinstance(value, str) else value


def _by_f1_alone(table: list[list[int]]) -> Iterator[dict[int, int]]:
    """The best pairs by F1 and nothing else: the earliest of equally good ones, and the latest."""
    yield dict(assign_gains(table))
    last = len(table[0]) - 1 if table else 0
    yield {row: last - column for row, column in assign_gains([line[::-1] for line in table])}


def _ranks(schema: Any, found: list[list[Counter[str]]]) -> list[list[int]]:
    """What decides among equals: the matches of the first field, then those of the next one."""
    each = [right for line in found for right in line]
    paths = sorted({path for right in each for path in right})
    order = list(dict.fromkeys(_order(schema, "[]", paths)))
    places = {path: max((one for one in order if path.startswith(one)), key=len) for path in paths}
    base = 1 + max((sum(right.values()) for right in each), default=0) * len(each)

    def rank(right: Counter[str]) -> int:
        number = 0
        for place in order:
            number = number * base + sum(many for path, many in right.items() if places[path] == place)
        return number

    return [[rank(right) for right in line] for line in found]


def _order(schema: Any, path: str, met: Sequence[str]) -> Iterator[str]:
    """The places that were met, as the schema lists them. A choice is one place."""
    if any(one.startswith(path) for one in met):
        yield path
        if not branches_of(schema):
            for key, inner in schema.get("properties", {}).items():
                yield from _order(inner, _join(path, key), met)
            if isinstance(schema.get("items"), dict):
                yield from _order(schema["items"], f"{path}[]", met)


def _key_of(item: Any, key: Any) -> Any:
    """The key of an item: a literal name first, else a path with dots. MISSING when there is none to use."""
    if isinstance(key, list):
        parts = [_key_of(item, one) for one in key]
        return MISSING if all(part is MISSING for part in parts) else [str(part) for part in parts]
    found, key = item, str(key)
    for step in [key] if isinstance(item, dict) and key in item else key.split("."):
        found = found.get(step, MISSING) if isinstance(found, dict) else MISSING
    return found


def _repeated(keys: Sequence[Any]) -> bool:
    there = [key for key in keys if key is not MISSING]
    return any(equal(key, other) for at, key in enumerate(there) for other in there[:at])


# Comparators


def _answer_of(name: str, options: Mapping[str, Any], left: Any, right: Any, registered: Any) -> float:
    """What a comparator says of two values that differ; -1 when it fails."""
    if registered is not None:
        try:
            return float(pair_rule(registered["rule"])(left, right, options))
        except ValueError:
            return -1.0
    if name == "numeric":
        return float(near(options.get("tolerance") or {}, left, right))
    if name in ("oneof", "one_of"):
        return float(any(equal(right, value) for value in options["values"]))
    if name == "exact":
        return 0.0
    comparator = choose({name: dict(options)}, {}).comparator  # a comparator of ours that the other system lacks
    assert comparator is not None
    return float(comparator.compile()(left, right) is True)


def near(tolerance: Mapping[str, Any], expected: Any, actual: Any) -> bool:
    """Two numbers are close enough, in the decimals that people write."""
    if kind(expected) != "number" or kind(actual) != "number":
        return False
    if any(value != value or value in (float("inf"), float("-inf")) for value in (expected, actual)):
        return False
    left, right = (Fraction(repr(value)) for value in (expected, actual))
    limits = [Fraction(repr(tolerance["abs"]))] if tolerance.get("abs") is not None else []
    if tolerance.get("rel") is not None and (left or not limits):
        limits.append(Fraction(repr(tolerance["rel"])) * abs(left))
    return bool(limits) and abs(right - left) <= min(limits)


def _their_answer(
    name: str, options: Mapping[str, Any], transforms: Sequence[Any], expected: Any, actual: Any, register: Any
) -> bool | str | None:
    """What the other system says of two values; None where that is not known, or `STOPS`."""
    equal_at_first = _same(expected, actual)
    try:
        expected, actual = (_their_value(transforms, side, register) for side in (expected, actual))
    except (TransformError, ValueError, TypeError, OverflowError):
        return STOPS if equal_at_first else None
    if name in register:
        if not _same(expected, actual):
            return None
        match register[name]["kind"]:
            case "comparator":
                return _answer_of(name, options, expected, actual, register[name]) == 1
            case "batch":
                return _always_right(register[name], options, expected, actual)
        return type(expected) is type(actual)
    if name == "exact":
        return type(expected) is type(actual) and bool(expected == actual)
    if name in ("oneof", "one_of"):
        return any(actual is value or actual == value for value in options["values"])
    if name == "numeric":
        return _their_number(options.get("tolerance") or {}, expected, actual)
    return None


def _always_right(entry: Any, options: Mapping[str, Any], expected: Any, actual: Any) -> bool:
    """A batch, which theirs asks about equal values too, finds them right wherever they stand among its questions."""
    questions: Any = [_Question(expected, actual)] * 2
    try:
        return bool(batch_rule(entry)(questions, options)[:2] == [1, 1])
    except (ValueError, TypeError, KeyError):
        return False


def _their_value(transforms: Sequence[Any], value: Any, register: Any) -> Any:
    """A value as the other system transforms it: what becomes text is written as Python writes it."""
    for one in transforms:
        name, options = (one, {}) if isinstance(one, str) else next(iter(one.items()))
        if name in register:
            value = TRANSFORMS[register[name]["rule"]](value, options)
        elif name == "type_convert" and options.get("to") == "str":
            value = None if value is None else str(value)
        else:
            value = parse_transform(one).apply(value)
    return value


def _same(expected: Any, actual: Any) -> bool:
    return expected is actual or equal(expected, actual)


def _their_number(tolerance: Mapping[str, Any], expected: Any, actual: Any) -> bool | str:
    if expected is None or actual is None:
        return expected is actual
    try:
        left, right = float(expected), float(actual)
    except (ValueError, TypeError):
        return False
    except OverflowError:
        return STOPS
    if left != left or right != right:
        return left != left and right != right
    if not tolerance:
        return left == right
    gap = abs(left - right)
    over = tolerance.get("rel") is not None and gap / (abs(left) or 1.0) > tolerance["rel"]
    return not over and not (tolerance.get("abs") is not None and gap > tolerance["abs"])


def _why(name: str, expected: Any, actual: Any, theirs: bool) -> str:
    """Which of our rules makes us part ways about two values."""
    if name in ("oneof", "one_of"):
        return "the expected value is right"
    if isinstance(expected, (bool, list, dict)) and isinstance(actual, str):
        return "text of other values"
    if name == "exact":
        return "true is no number" if theirs else "1 is 1.0"
    if _same(expected, actual):
        return "1 is 1.0" if type(expected) is not type(actual) else "equal values match"
    if isinstance(expected, bool) or isinstance(actual, bool):
        return "true is no number"
    if isinstance(expected, str) or isinstance(actual, str):
        return "text is no number"
    return "numbers are exact"


# The functions


@cache
def _run(line: str) -> tuple[Answer, frozenset[str]]:
    case = read(json.loads(line))
    given = case.settings
    if refused(case) or given["post_process"] == "returns_none":
        return Answer(blame="config"), frozenset()
    entries = given.get("register") or ()
    schema = with_compounds(described(resolved(given["schema"])), entries)
    register = {entry["name"]: entry for entry in entries}
    partings: set[str] = set()
    rows = []
    for expected, actual in zip(given["gold"], given["extracted"], strict=True):
        row = Row(register)
        rows.append(row.score(schema, expected, actual, given["post_process"] or ()))
        partings |= row.partings
    if not rows:
        partings.add("undefined figure")
    return Answer(value={"rows": rows, "means": means(rows)}), frozenset(partings)


def evaluated(case: Case) -> Answer:
    """Our answer to an evaluation."""
    return _run(json.dumps(case.line))[0]


def partings(case: Case) -> frozenset[str]:
    """Where the two systems part ways in an evaluation."""
    return _run(json.dumps(case.line))[1]


def grid(case: Case) -> Answer:
    """Our scores of every pair of values."""
    values, params = case.settings["values"], case.settings.get("params") or {}
    if unusable(case.settings["comparator"], params):
        return Answer(blame="config")
    return Answer(value=[[_score(case, params, one, other) for other in values] for one in values])


def _score(case: Case, params: Mapping[str, Any], expected: Any, actual: Any) -> float:
    return Row({}).compared({case.settings["comparator"]: params}, (), expected, actual, "").score


def pair(case: Case) -> Answer:
    """Our score of two values."""
    given = case.settings
    params = given.get("params") or {}
    if unusable(given["comparator"], params):
        return Answer(blame="config")
    return Answer(value=_score(case, params, given["gold"], given["extracted"]))


TYPES: Final[Mapping[str, Callable[[Case], Answer]]] = {"evaluate": evaluated, "compare": pair, "compare_grid": grid}
