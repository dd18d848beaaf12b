"""A closed list of fields: the fast scorer, which gives what `closed` gives.

Cheapest first. Equal documents are one object, and then presence alone decides. Fields that share a parent are read with
one call per side, and compared inline where Python's `==` on plain values settles it. Where a key is missing, the same
parents are asked once more, key by key. Everything else goes through one function per field. The statuses of a row are
bytes, and the verdict of each combination is made once.

Expected values that a comparator cannot read are looked for first, one look-up a field and row, in suites that have such
comparators only; a row that has one goes field by field.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Any, TypeAlias

from evaluators.comparators._answers import in_field
from evaluators.fields.closed import (
    ClosedTree,
    absent_status,
    combined,
    explain_fields,
    hits,
    holds,
    required_missing,
    standing_of,
    unreadable_expected,
    weighted_mean,
)
from evaluators.fields.items import ListNode, Place, pair_values, places
from evaluators.fields.lines import Align, FieldLine
from evaluators.fields.readable import Ask
from evaluators.fields.rules import Judged, Partial, Rule
from evaluators.issues import RowProblem
from evaluators.model import MISSING, Standing, Status, Verdict
from evaluators.value_class import dataclass
from evaluators.values.paths import ANY

Reader: TypeAlias = Callable[[Any], tuple[Any, ...]]
RowCheck: TypeAlias = Callable[..., Verdict]
FieldCheck: TypeAlias = Callable[[Any, Any], Judged]
PlacesOf: TypeAlias = Callable[[Any, Any], dict[int, list[Place]]]

_MEMO = 50_000  # combinations of statuses remembered for one evaluator; more are settled anew each time
_ABSENT = (KeyError, TypeError, IndexError)


@dataclass(frozen=True, slots=True)
class Group:
    """Fields whose last keys stand in the same parent: read with one call."""

    numbers: tuple[int, ...]
    parent: tuple[str | int, ...]
    keys: tuple[Any, ...]
    literals: tuple[tuple[int, frozenset[str]], ...]
    """Literal keys with dots that would win, by the depth of the object they would stand in."""


def compile_fields(tree: ClosedTree, pass_at: float, columns: Sequence[str] = ()) -> RowCheck:
    """The check of a row: (expected, output, *cells of `columns`) → verdict. An unreadable output is MISSING."""
    if tree.costs:
        return _asked_together(tree, tuple(columns), _settle_parts(tree, pass_at))
    groups, alone = _groups(tree)
    shared = {id(node): _shared_places(tree, node) for node in tree.lists}
    checks = {number: _field_check(tree, number, shared) for number in range(len(tree.scored))}
    conditional = any(line.when for line in tree.scored)
    verdict_of = _verdicts(tree, pass_at)
    settle = _settle_parts(tree, pass_at)
    grouped = tuple(number for group in groups for number in group.numbers)
    order = (*grouped, *alone)
    asks = tuple((place, ask) for place, number in enumerate(grouped) if (ask := tree.readers[number]) is not None)
    back = tuple(order.index(number) for number in range(len(order)))
    read = _joined([_reader(group) for group in groups])
    rules = tuple(_present_check(tree, number) for number in grouped)
    loosely = tuple(_loose_group(tree, group, checks) for group in groups)
    alone_checks = tuple(checks[number] for number in alone)
    known: dict[bytes, Verdict] = {}
    all_match = bytes([Status.MATCH]) * len(order)
    perfect = verdict_of(all_match)

    def statuses(expected: Any, output: Any) -> list[Any]:
        codes: list[Any]
        try:
            ours = read(expected)
            if asks:
                check_readable(asks, ours)
            codes = [
                1
                if a == b
                and ((kind := a.__class__) is str or (kind is b.__class__ and kind is not dict and kind is not list))
                else check(a, b)
                for a, b, check in zip(ours, read(output), rules, strict=True)
            ]
        except _ABSENT:
            codes = [code for group in loosely for code in group(expected, output)]
        if alone_checks:
            codes += [check(expected, output) for check in alone_checks]
        return codes

    def check(expected: Any, output: Any) -> Verdict:
        if output is expected and not alone_checks:
            try:
                ours = read(expected)
                if asks:
                    check_readable(asks, ours)
                return perfect
            except _ABSENT:
                pass
            except RowProblem:
                return _one_by_one(tree, checks, expected, output, settle)
        try:
            codes = statuses(expected, output)
        except RowProblem:
            return _one_by_one(tree, checks, expected, output, settle)
        try:
            key = bytes(codes)
        except TypeError:  # partial credit is no byte
            return settle([codes[place] for place in back], None)
        found = known.get(key)
        if found is None:
            found = perfect if key == all_match else verdict_of(bytes(key[place] for place in back))
            if len(known) < _MEMO:
                known[key] = found
        return found

    if not conditional:
        return check
    return _conditional(tree, checks, tuple(columns), settle)


def check_readable(asks: Sequence[tuple[int, Ask]], values: Sequence[Any]) -> None:
    """Raises RowProblem for the first value, by its place, that cannot be read."""
    for place, ask in asks:
        issue = ask(values[place])
        if issue is not None:
            raise RowProblem(issue)


def _asked_together(tree: ClosedTree, columns: tuple[str, ...], settle: Callable[..., Verdict]) -> RowCheck:
    """The check of fields some of which are asked about all at once: what `closed` says, without its reasons."""

    def check(expected: Any, output: Any, *cells: Any) -> Verdict:
        found = explain_fields(tree, expected, output, dict(zip(columns, cells, strict=True)))
        problem = next((one.problem for one in found if one.problem is not None), None)
        return settle([Partial(one.result.status, *one.share.as_integer_ratio()) for one in found], problem)

    return check


def _conditional(
    tree: ClosedTree, checks: dict[int, FieldCheck], columns: tuple[str, ...], settle: Callable[..., Verdict]
) -> RowCheck:
    def check(expected: Any, output: Any, *cells: Any) -> Verdict:
        row = dict(zip(columns, cells, strict=True))
        excluded = {
            number for number, line in enumerate(tree.scored) if line.when and not holds(line.when, expected, output, row)
        }
        return _one_by_one(tree, checks, expected, output, settle, excluded)

    return check


def _one_by_one(
    tree: ClosedTree,
    checks: dict[int, FieldCheck],
    expected: Any,
    output: Any,
    settle: Callable[..., Verdict],
    excluded: frozenset[int] | set[int] = frozenset(),
) -> Verdict:
    """Each field on its own, so that a problem with one leaves the others their statuses."""
    codes: list[Judged] = []
    problem: RowProblem | None = None
    for number in range(len(tree.scored)):
        try:
            codes.append(Status.SKIPPED if number in excluded else checks[number](expected, output))
        except RowProblem as error:
            problem = problem or in_field(error, tree.names[number])
            codes.append(Status.FAULT)
    return settle(codes, problem)


def _settle_parts(tree: ClosedTree, pass_at: float) -> Callable[[Sequence[Judged], RowProblem | None], Verdict]:
    """The verdict from the fields' answers, partial credit and problems included."""

    def settle(codes: Sequence[Judged], problem: RowProblem | None) -> Verdict:
        statuses = [code.status if isinstance(code, Partial) else code for code in codes]
        if problem is not None:
            return Verdict(standing_of(problem), None, 0, 0, bytes(statuses), issue=problem.issue)
        shares = [
            Fraction(code.num, code.den) if isinstance(code, Partial) else Fraction(code == Status.MATCH)
            for code in codes
        ]
        return _verdict(tree, pass_at, bytes(statuses), shares)

    return settle


def _verdicts(tree: ClosedTree, pass_at: float) -> Callable[[bytes], Verdict]:
    return lambda statuses: _verdict(tree, pass_at, statuses, [Fraction(code == Status.MATCH) for code in statuses])


def _verdict(tree: ClosedTree, pass_at: float, statuses: bytes, shares: Sequence[Fraction]) -> Verdict:
    measured = [
        (weight, share)
        for weight, share, code in zip(tree.weights, shares, statuses, strict=True)
        if code not in (Status.NOT_MEASURED, Status.SKIPPED)
    ]
    if not measured:
        return Verdict(Standing.NOT_MEASURED, None, 0, 0, statuses)
    total = weighted_mean(measured)
    passed = not required_missing(tree, statuses) and total.numerator / total.denominator >= pass_at
    return Verdict(Standing.SCORED, passed, total.numerator, total.denominator, statuses)


def _groups(tree: ClosedTree) -> tuple[list[Group], list[int]]:
    """Fields that can be read together, by parent, and the numbers of those that go alone."""
    by_parent: dict[tuple[str | int, ...], list[int]] = {}
    alone = []
    for number, line in enumerate(tree.scored):
        if _groupable(line):
            by_parent.setdefault(tuple(step for step in line.path.steps[:-1] if step is not ANY), []).append(number)
        else:
            alone.append(number)
    groups = []
    for parent, numbers in by_parent.items():
        lasts = [tree.scored[number].path.steps[-1] for number in numbers]
        groups.append(Group(tuple(numbers), parent, tuple(lasts), _literal_keys(tree, numbers)))
    return groups, alone


def _groupable(line: FieldLine) -> bool:
    path = line.path
    return (
        line.comparator is not None
        and line.comparator.reads == "both"
        and line.align is None
        and line.together is None
        and path.query is None
        and bool(path.steps)
        and ANY not in path.steps
        and isinstance(path.steps[-1], str)
        and not any(isinstance(step, int) and step < 0 for step in path.steps)
    )


def _tuple_getter(keys: Sequence[Any]) -> Reader:
    if len(keys) > 1:
        return itemgetter(*keys)
    key = keys[0]
    return lambda parent: (parent[key],)


def _literal_keys(tree: ClosedTree, numbers: Sequence[int]) -> tuple[tuple[int, frozenset[str]], ...]:
    """For dot paths: the joined spellings that would be found first, by the depth where they are looked up."""
    by_depth: dict[int, set[str]] = {}
    for number in numbers:
        path = tree.scored[number].path
        if not path.literal_dots:
            continue
        words = [str(step) for step in path.steps]
        for depth in range(len(words) - 1):
            for end in range(depth + 2, len(words) + 1):
                if not path.joins[end - 1]:
                    break
                by_depth.setdefault(depth, set()).add(".".join(words[depth:end]))
    return tuple((depth, frozenset(keys)) for depth, keys in sorted(by_depth.items()))


def _reader(group: Group) -> Reader:
    """The values of a group in one document. Raises KeyError, TypeError or IndexError where one is not plainly there."""
    read = _tuple_getter(group.keys)
    parent, literals = group.parent, dict(group.literals)
    if not parent:
        return read
    if len(parent) == 1 and len(literals.get(0, ())) == 1:
        (dotted,), step = literals[0], parent[0]

        def guarded(document: Any) -> tuple[Any, ...]:
            if dotted in document:
                raise KeyError(dotted)
            return read(document[step])

        return guarded
    if literals or len(parent) > 2:
        inner = _parent_reader(group)
        return lambda document: read(inner(document))
    first, last = parent[0], parent[-1]
    if len(parent) == 1:
        return lambda document: read(document[first])
    return lambda document: read(document[first][last])


def _parent_reader(group: Group) -> Callable[[Any], Any]:
    """The object in which the keys of a group stand. Raises as `_reader` does, also where a key with dots might win."""
    literals = dict(group.literals)
    steps = [(step, tuple(sorted(literals.get(depth, ())))) for depth, step in enumerate(group.parent)]

    def read(document: Any) -> Any:
        for step, dotted in steps:
            for key in dotted:
                if key in document:
                    raise KeyError(key)
            document = document[step]
        return document

    return read


def _joined(readers: Sequence[Reader]) -> Reader:
    """One reader of all groups."""
    if not readers:
        return lambda document: ()
    if len(readers) == 1:
        return readers[0]
    if len(readers) == 3:  # the usual number, spared one call
        one, two, three = readers
        return lambda document: one(document) + two(document) + three(document)
    *before, last = readers
    first = _joined(before)
    return lambda document: first(document) + last(document)


def _loose_group(tree: ClosedTree, group: Group, checks: dict[int, FieldCheck]) -> Callable[[Any, Any], list[Judged]]:
    """The statuses of a group in which keys may be missing."""
    parent = _parent_reader(group)
    fields = tuple(
        (key, _present_check(tree, number), absent_status(tree, tree.scored[number])[0], tree.readers[number])
        for key, number in zip(group.keys, group.numbers, strict=True)
    )
    anyhow = tuple(checks[number] for number in group.numbers)

    def statuses(expected: Any, output: Any) -> list[Judged]:
        try:
            ours, theirs = parent(expected), parent(output)
        except _ABSENT:
            return [check(expected, output) for check in anyhow]
        if ours.__class__ is not dict or theirs.__class__ is not dict:
            return [check(expected, output) for check in anyhow]
        codes: list[Judged] = []
        for key, check, absent, ask in fields:
            if key in ours:
                if ask is not None:
                    check_readable(((0, ask),), (ours[key],))
                if key not in theirs:
                    codes.append(Status.OMISSION)
                    continue
                a, b = ours[key], theirs[key]
                codes.append(Status.MATCH if a.__class__ is str and a == b else check(a, b))
            else:
                codes.append(Status.HALLUCINATION if key in theirs else absent)
        return codes

    return statuses


def _present_check(tree: ClosedTree, number: int) -> Rule:
    rule = tree.rules[number]
    if rule is None:
        raise TypeError("a field without a rule is not grouped")
    return rule


def _field_check(tree: ClosedTree, number: int, shared: dict[int, PlacesOf]) -> FieldCheck:
    """One field on its own, whatever its path and its alignment."""
    check = _readable_check(tree, number, shared)
    if tree.readers[number] is None:
        return check

    def readable_first(expected: Any, output: Any) -> Judged:
        issue = unreadable_expected(tree, number, expected)
        if issue is not None:
            raise RowProblem(issue)
        return check(expected, output)

    return readable_first


def _readable_check(tree: ClosedTree, number: int, shared: dict[int, PlacesOf]) -> FieldCheck:
    """The check of a field whose expected values can be read."""
    line, rule = tree.scored[number], tree.rules[number]
    if line.skip or rule is None:
        return lambda expected, output: Status.SKIPPED
    if line.path.query is not None or ANY in line.path.steps:
        return _several_check(tree, number, line, rule, shared)
    absent, two_sided = absent_status(tree, line)[0], line.comparator is None or line.comparator.reads == "both"
    pair, align = line.path.pair_getter(), line.align

    def check(expected: Any, output: Any) -> Judged:
        ours, theirs = pair(expected, output)
        if theirs is MISSING:
            return absent if ours is MISSING else Status.OMISSION
        if ours is MISSING and two_sided:
            return Status.HALLUCINATION
        if align is not None and isinstance(ours, list) and isinstance(theirs, list) and (ours or theirs):
            paired = pair_values(align, ours, theirs, lambda one, other: tree.matches(number, one, other))
            return _combined(paired, rule, two_sided)
        found = rule(ours, theirs)
        return absent if found is Status.NOT_MEASURED else found

    return check


def _shared_places(tree: ClosedTree, node: ListNode) -> PlacesOf:
    """The pairs of every leaf below a list, made once for the fields that share it and the row they are asked about."""
    last: list[Any] = [None, None, {}]

    def of_row(expected: Any, output: Any) -> dict[int, list[Place]]:
        if last[0] is not expected or last[1] is not output:
            last[:] = expected, output, places(node, expected, output, tree.matches)
        found: dict[int, list[Place]] = last[2]
        return found

    return of_row


def _several_check(tree: ClosedTree, number: int, line: FieldLine, rule: Rule, shared: dict[int, PlacesOf]) -> FieldCheck:
    absent, two_sided = absent_status(tree, line)[0], line.comparator is None or line.comparator.reads == "both"
    of_row = next((shared[id(node)] for node in tree.lists if number in node.numbers), None)
    align = line.align or Align()

    def matches(one: Any, other: Any) -> bool:
        return tree.matches(number, one, other)

    def gather(expected: Any, output: Any) -> Sequence[Place]:
        if of_row is not None:
            return of_row(expected, output).get(number, ())
        return pair_values(align, hits(line, expected), hits(line, output), matches)

    def check(expected: Any, output: Any) -> Judged:
        found = gather(expected, output)
        if not found:
            return absent
        status = _combined(found, rule, two_sided)
        return absent if status is Status.NOT_MEASURED else status

    return check


def _combined(found: Sequence[Place], rule: Rule, two_sided: bool) -> Status:
    statuses = []
    for place in found:
        if place.actual is MISSING:
            statuses.append(Status.OMISSION)
        elif place.expected is MISSING and two_sided:
            statuses.append(Status.HALLUCINATION)
        else:
            judged = rule(place.expected, place.actual)
            statuses.append(judged.status if isinstance(judged, Partial) else judged)
    return combined(statuses)
