"""A tree of nodes, compiled: both documents are walked at once and every result becomes a code (see `events`).

A node becomes a *walker* of four functions. `both` takes two values at the same place, `lost` what only the expected side
has, `extra` what only the output has, and `equal` a value that equals its counterpart. They append codes and return
nothing, so that a pair of items is scored the same way when it is only weighed for an alignment. Values that match to the
letter never meet a comparator. What is rare is not here: a tree with a choice, a compound or a comparator that takes all
its pairs at once is scored by `score`, which is the reference for this module too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Final, NamedTuple, TypeAlias

from evaluators.fields.align import UNIT_GAIN, Align, pair_items
from evaluators.fields.counts import MEASURED
from evaluators.fields.events import Credit, Event, Items
from evaluators.fields.rules import MATCH, Judged, Partial, Rule, compile_rule
from evaluators.fields.tree import Below, FieldNode, Metric
from evaluators.issues import RowProblem
from evaluators.model import MISSING, Status
from evaluators.values.equality import same
from evaluators.values.paths import ANY, Path

Codes: TypeAlias = list[int]
Both: TypeAlias = Callable[[Any, Any, Codes], None]
One: TypeAlias = Callable[[Any, Codes], None]

EXTRA_CAP: Final = 20_000
"""Places outside the schema that are counted apart."""
MOST_NODES: Final = 5_000
OVERFLOW: Final = "(other paths)"


class Walker(NamedTuple):
    """How one node is walked."""

    both: Both
    lost: One
    extra: One
    equal: One


class Unit(NamedTuple):
    """A node that is compared as one value, with the code of each status."""

    match: int
    omission: int
    hallucination: int
    differ: Both
    """Compares two values that are not the same to the letter."""
    always: bool
    """Equal values are compared as well: the comparator is one-sided."""


class Compiled:
    """A compiled tree. `walk` gives the codes of a row; `events` what they stand for."""

    def __init__(self, root: FieldNode) -> None:
        self.root = root
        self.events: list[Event] = []
        self.problem: RowProblem | None = None
        """The first thing in the row that broke a comparison and that the output is not to blame for."""
        self._dynamic: dict[Event, int] = {}
        self._extras: dict[tuple[Any, ...], int] = {}
        self._scale = scale_of(root)
        self._walkers: dict[int, tuple[FieldNode, Walker]] = {}
        self._skips: set[int] = set()
        self.forget()

    def forget(self) -> None:
        """Starts the numbering of events afresh; codes given so far mean nothing any more."""
        self.events = [Event("", Status.NOT_MEASURED)]
        self._dynamic, self._extras, self._walkers, self._skips = {}, {}, {}, set()
        self._root = self._walker(self.root, inside=False)

    def walk(self, expected: Any, output: Any) -> Codes:
        """The codes of one row. `problem` is set when a result has none but an error that nobody's output caused."""
        self.problem = None
        codes: Codes = []
        if expected is output and expected is not MISSING:
            self._root.equal(expected, codes)
        else:
            self._root.both(expected, output, codes)
        return codes

    def gain(self, codes: Sequence[int]) -> int | None:
        """What a pair of items with these results gains: its F1 in UNIT_GAIN, rounded half up; None without an F1."""
        events = self.events
        right = wrong = one_sided = 0
        for code in codes:
            if code > 0:
                event = events[code]
                right += event.status is Status.MATCH and event.items is None
            else:
                status = events[-code].status
                if status is Status.OMISSION or status is Status.HALLUCINATION:
                    one_sided += 1
                else:
                    wrong += 1
        whole = 2 * right + 2 * wrong + one_sided
        return (4 * right * UNIT_GAIN + whole) // (2 * whole) if whole else None

    def number(self, event: Event) -> int:
        """The code of an event, in today's numbering."""
        return self._found(event)

    # Codes

    def _code(self, event: Event) -> int:
        self.events.append(event)
        number = len(self.events) - 1
        if event.status is Status.SKIPPED:
            self._skips.add(number)
        good = event.status in (Status.MATCH, Status.SKIPPED) or event.items is not None or event.outside
        return number if good else -number

    def _found(self, event: Event) -> int:
        """The code of an event that was not foreseen when the tree was compiled."""
        code = self._dynamic.get(event)
        if code is None:
            code = self._dynamic[event] = self._code(event)
        return code

    def _outside(self, path: tuple[Any, ...], status: Status) -> int:
        """The code of a place that the schema lacks."""
        code = self._extras.get((status, *path))
        if code is None:
            name = Path(path).canonical if len(self._extras) < EXTRA_CAP else OVERFLOW
            credits = () if status is Status.NOT_MEASURED else (Credit(self._scale, 0, 1, False),)
            code = self._found(Event(name, status, credits, outside=status is Status.NOT_MEASURED))
            if len(self._extras) < EXTRA_CAP:
                self._extras[(status, *path)] = code
        return code

    def _weight(self, weight: Fraction) -> int:
        return int(weight * self._scale)

    def _static(self, node: FieldNode, status: Status, inside: bool) -> int:
        """The code of a status that says the same of every metric of a node."""
        num = 1 if status is Status.MATCH else 0
        weights = [self._weight(node.weight * metric.weight) for metric in node.metrics] or [self._weight(node.weight)]
        credits = tuple(Credit(weight, num, 1, bool(num)) for weight in weights)
        entry = not inside and (node.kind != "array" or node.unit)
        kept = () if status in (Status.SKIPPED, Status.FAULT) else credits
        return self._code(Event(node.name, status, kept, entry))

    # Walkers

    def _walker(self, node: FieldNode, inside: bool) -> Walker:
        known = self._walkers.get(id(node))
        if known is not None:
            return known[1]
        if node.skip:
            walker = self._skipped(node, inside)
        elif node.unit:
            walker = self._unit_walker(self._unit(node, inside))
        elif node.kind == "object":
            walker = self._late(node, lambda below: self._object(node, below, inside))
        else:
            walker = self._late(node, lambda below: self._array(node, below, inside))
        self._walkers[id(node)] = (node, walker)  # the node is kept, so that no other one gets its identity
        return walker

    def _late(self, node: FieldNode, build: Callable[[Below], Walker]) -> Walker:
        """A walker that is built when it is first used: a schema may refer to itself."""
        built: list[Walker] = []

        def get() -> Walker:
            if not built:
                built.append(build(node.below))
            return built[0]

        return Walker(
            lambda e, o, out: get().both(e, o, out),
            lambda e, out: get().lost(e, out),
            lambda o, out: get().extra(o, out),
            lambda e, out: get().equal(e, out),
        )

    def _skipped(self, node: FieldNode, inside: bool) -> Walker:
        code = self._static(node, Status.SKIPPED, inside)

        def one(value: Any, out: Codes) -> None:
            out.append(code)

        def both(expected: Any, output: Any, out: Codes) -> None:
            if expected is not MISSING or output is not MISSING:
                out.append(code)

        return Walker(both, one, one, one)

    def _unit(self, node: FieldNode, inside: bool) -> Unit:
        statuses = (Status.MATCH, Status.MISMATCH, Status.OMISSION, Status.HALLUCINATION, Status.ERROR, Status.FAULT)
        code = {status: self._static(node, status, inside) for status in statuses}
        rules = [compile_rule(metric.comparator, node.transforms) for metric in node.metrics]
        always = any(metric.comparator.reads == "output" for metric in node.metrics)
        differ = (
            self._one_rule(node, node.metrics[0], rules[0], code, inside)
            if len(rules) == 1
            else self._several_rules(node, rules, code, inside)
        )
        return Unit(code[Status.MATCH], code[Status.OMISSION], code[Status.HALLUCINATION], differ, always)

    def _one_rule(self, node: FieldNode, metric: Metric, rule: Rule, code: dict[Status, int], inside: bool) -> Both:
        match, mismatch, error = code[Status.MATCH], code[Status.MISMATCH], code[Status.ERROR]

        def differ(expected: Any, output: Any, out: Codes) -> None:
            try:
                found = rule(expected, output)
            except RowProblem as problem:
                self.problem = self.problem or problem
                out.append(code[Status.FAULT])
                return
            if found is MATCH:
                out.append(match)
            elif found is Status.MISMATCH:
                out.append(mismatch)
            elif found is Status.ERROR:
                out.append(error)
            else:
                out.append(self._found(self._judged(node, [found], inside)))

        return differ

    def _several_rules(self, node: FieldNode, rules: Sequence[Rule], code: dict[Status, int], inside: bool) -> Both:
        def differ(expected: Any, output: Any, out: Codes) -> None:
            try:
                found = [rule(expected, output) for rule in rules]
            except RowProblem as problem:
                self.problem = self.problem or problem
                out.append(code[Status.FAULT])
                return
            out.append(self._found(self._judged(node, found, inside)))

        return differ

    def _judged(self, node: FieldNode, found: Sequence[Judged], inside: bool) -> Event:
        """The event of a unit whose metrics do not all say the same, or give partial credit."""
        credits = []
        statuses = set()
        for metric, judged in zip(node.metrics, found, strict=True):
            weight = self._weight(node.weight * metric.weight)
            if isinstance(judged, Partial):
                share = Fraction(judged.num, judged.den)
                credits.append(Credit(weight, share.numerator, share.denominator, judged.status is MATCH))
                statuses.add(judged.status)
            else:
                credits.append(Credit(weight, int(judged is MATCH), 1, judged is MATCH))
                statuses.add(judged)
        status = next((each for each in (Status.ERROR, Status.MISMATCH) if each in statuses), MATCH)
        return Event(node.name, status, tuple(credits), not inside)

    def _unit_walker(self, unit: Unit) -> Walker:
        match, omission, hallucination, differ, always = unit

        def both(expected: Any, output: Any, out: Codes) -> None:
            if expected is MISSING:
                if output is not MISSING:
                    out.append(hallucination)
            elif output is MISSING:
                out.append(omission)
            else:
                differ(expected, output, out)

        def equal(value: Any, out: Codes) -> None:
            if always:
                differ(value, value, out)
            else:
                out.append(match)

        return Walker(both, lambda value, out: out.append(omission), lambda value, out: out.append(hallucination), equal)

    # Objects

    def _object(self, node: FieldNode, below: Below, inside: bool) -> Walker:
        code = {status: self._static(node, status, inside) for status in Status}
        plain: list[tuple[str, int, int, int, Both]] = []
        inner: list[tuple[str, Walker, bool]] = []
        for key, child in below.keys.items():
            if child.unit and not child.skip:
                unit = self._unit(child, inside)
                if not unit.always:
                    plain.append((key, unit.match, unit.omission, unit.hallucination, unit.differ))
                    continue
            inner.append((key, self._walker(child, inside), child.required))
        required = [(key, child) for key, child in below.keys.items() if child.required and not child.skip]
        missing = {key: self._static(child, Status.OMISSION, inside) for key, child in required}
        declared = frozenset(below.keys)
        rest = self._rest(node, below, inside)
        matches = tuple((key, match) for key, match, *_ in plain)
        shapes: dict[tuple[str, ...], tuple[int, ...]] = {}

        def keys(expected: dict[str, Any], output: dict[str, Any], out: Codes) -> None:
            for key, match, omission, hallucination, differ in plain:
                if key in expected:
                    if key in output:
                        value, actual = expected[key], output[key]
                        kind = value.__class__
                        if value == actual and kind is actual.__class__ and kind is not dict and kind is not list:
                            out.append(match)
                        else:
                            differ(value, actual, out)
                    else:
                        out.append(omission)
                elif key in output:
                    out.append(hallucination)
            for key, walker, _ in inner:
                if key in expected:
                    value = expected[key]
                    if key in output:
                        actual = output[key]
                        if actual is value:
                            walker.equal(value, out)
                        else:
                            walker.both(value, actual, out)
                    else:
                        walker.lost(value, out)
                elif key in output:
                    walker.extra(output[key], out)
            for key, _ in required:
                if key not in expected and key not in output:
                    out.append(missing[key])
            if not (expected.keys() <= declared and output.keys() <= declared):
                rest(expected, output, out)

        def equal(value: Any, out: Codes) -> None:
            if value.__class__ is not dict or not value:
                out.append(code[Status.MATCH])
                return
            names = tuple(value)
            found = shapes.get(names)
            if found is None:
                found = tuple(match for key, match in matches if key in value)
                if len(shapes) < 200:
                    shapes[names] = found
            out += found
            for key, walker, _ in inner:
                if key in value:
                    walker.equal(value[key], out)
            for key, _ in required:
                if key not in value:
                    out.append(missing[key])
            if not value.keys() <= declared:
                rest(value, value, out)

        nothing: dict[str, Any] = {}

        def lost(value: Any, out: Codes) -> None:
            if value.__class__ is dict and value:
                keys(value, nothing, out)
            else:
                out.append(code[Status.OMISSION])

        def extra(value: Any, out: Codes) -> None:
            if value.__class__ is dict and value:
                keys(nothing, value, out)
            elif value.__class__ is list and value:
                self._invented(node.path, value, out)
            else:
                out.append(code[Status.HALLUCINATION])

        def both(expected: Any, output: Any, out: Codes) -> None:
            if expected.__class__ is dict and output.__class__ is dict:
                if expected and output:
                    keys(expected, output, out)
                elif expected:
                    lost(expected, out)
                elif output:
                    extra(output, out)
                else:
                    out.append(code[Status.MATCH])
            else:
                _unlike(expected, output, out, code, dict, lost, extra)

        return Walker(both, lost, extra, equal)

    def _rest(self, node: FieldNode, below: Below, inside: bool) -> Both:
        """What becomes of keys that are not declared."""
        declared = frozenset(below.keys)
        if below.others is not None:
            walker = self._walker(below.others, inside)

            def others(expected: Any, output: Any, out: Codes) -> None:
                for key in sorted({*expected, *output} - declared):
                    walker.both(expected.get(key, MISSING), output.get(key, MISSING), out)

            return others

        def rest(expected: Any, output: Any, out: Codes) -> None:
            for key in expected:
                if key not in declared:
                    out.append(self._outside((*node.path, key), Status.NOT_MEASURED))
            for key in sorted(output.keys() - declared):
                if key not in expected:
                    self._invented((*node.path, key), output[key], out)

        return rest

    def _invented(self, path: tuple[Any, ...], value: Any, out: Codes) -> None:
        """Every leaf of a value outside the schema is a hallucination."""
        if value.__class__ is dict and value:
            for key, inner in value.items():
                self._invented((*path, key), inner, out)
        elif value.__class__ is list and value:
            for inner in value:
                self._invented((*path, ANY), inner, out)
        else:
            out.append(self._outside(path, Status.HALLUCINATION))

    # Arrays

    def _array(self, node: FieldNode, below: Below, inside: bool) -> Walker:
        if below.items is None:
            raise TypeError(f"an array that is looked into has items: {node.name}")
        code = {status: self._static(node, status, inside) for status in Status}
        item = self._walker(below.items, inside=True)
        summed = self._summary(node, inside)
        pair = self._pairing(node.align, item)
        whole, measured = self._whole_match, self._measured

        def items(expected: list[Any], output: list[Any], out: Codes) -> None:
            begin = len(out)
            pairs, scored = pair(expected, output)
            matched = 0
            for place, (row, column) in enumerate(pairs):
                start = len(out)
                if scored is not None:
                    out += scored[place]
                elif expected[row] is output[column]:
                    item.equal(expected[row], out)
                else:
                    item.both(expected[row], output[column], out)
                matched += whole(out, start, expected[row], output[column])
            if len(pairs) < len(expected):
                paired = {row for row, _ in pairs}
                for row, value in enumerate(expected):
                    if row not in paired:
                        item.lost(value, out)
            if len(pairs) < len(output):
                paired = {column for _, column in pairs}
                for column, value in enumerate(output):
                    if column not in paired:
                        item.extra(value, out)
            if measured(out, begin):
                out.append(summed(matched, len(expected) - matched, len(output) - matched, len(pairs)))

        def equal(value: Any, out: Codes) -> None:
            if value.__class__ is not list or not value:
                out.append(code[Status.MATCH])
                out.append(summed(0, 0, 0, 0, right=True))
                return
            matched, begin = 0, len(out)
            for each in value:
                start = len(out)
                item.equal(each, out)
                matched += whole(out, start, each, each)
            if measured(out, begin):
                out.append(summed(matched, len(value) - matched, len(value) - matched, len(value)))

        def lost(value: Any, out: Codes) -> None:
            if value.__class__ is list and value:
                begin = len(out)
                for each in value:
                    item.lost(each, out)
                if measured(out, begin):
                    out.append(summed(0, len(value), 0, 0))
            else:
                out.append(code[Status.OMISSION])
                out.append(summed(0, 0, 0, 0))

        def extra(value: Any, out: Codes) -> None:
            if value.__class__ is list and value:
                begin = len(out)
                for each in value:
                    item.extra(each, out)
                if measured(out, begin):
                    out.append(summed(0, 0, len(value), 0))
                return
            if value.__class__ is dict and value:
                self._invented(node.path, value, out)
            else:
                out.append(code[Status.HALLUCINATION])
            out.append(summed(0, 0, 0, 0))

        def both(expected: Any, output: Any, out: Codes) -> None:
            if expected.__class__ is list and output.__class__ is list and expected and output:
                items(expected, output, out)
            elif expected.__class__ is list and output.__class__ is list and (expected or output):
                lost(expected, out) if expected else extra(output, out)
            elif expected.__class__ is list and expected and output is not None and output is not MISSING:
                for each in expected:
                    item.lost(each, out)
                out.append(code[Status.HALLUCINATION])
                out.append(summed(0, len(expected), 0, 0))
            elif found := _unlike(expected, output, out, code, list, lost, extra):
                out.append(summed(0, 0, 0, 0, right=found == code[Status.MATCH]))

        return Walker(both, lost, extra, equal)

    def _summary(self, node: FieldNode, inside: bool) -> Callable[..., int]:
        """The code of what became of an array as a whole."""
        known: dict[tuple[int, int, int, int, bool], int] = {}
        weight = self._weight(node.weight)

        def summed(matched: int, missed: int, spurious: int, paired: int, right: bool = False) -> int:
            key = (matched, missed, spurious, paired, right)
            found = known.get(key)
            if found is None:
                share = Fraction(matched, matched + missed) if matched + missed else Fraction(int(right))
                credit = Credit(weight, share.numerator, share.denominator, share == 1)
                event = Event(
                    node.name, Status.NOT_MEASURED, () if inside else (credit,), not inside,
                    Items(matched, missed, spurious, paired),
                )  # fmt: skip
                found = known[key] = self._found(event)
            return found

        return summed

    def _measured(self, out: Codes, start: int) -> bool:
        """Whether anything was measured since then."""
        if len(out) > start and not self._skips:
            last = self.events[abs(out[start])]
            if last.status in MEASURED:
                return True
        return any(self.events[abs(code)].status in MEASURED for code in out[start:])

    def _whole_match(self, out: Codes, start: int, expected: Any, output: Any) -> bool:
        """Whether a pair of items matches as a whole: everything that was measured does, and something was."""
        codes = out[start:]
        if codes and min(codes) < 0:
            return False
        if codes and not self._skips and self.events[codes[0]].status is MATCH:
            return True
        return any(self.events[code].status is MATCH for code in codes) or same(expected, output)

    def _pairing(
        self, align: Align, item: Walker
    ) -> Callable[[list[Any], list[Any]], tuple[list[tuple[int, int]], list[Codes] | None]]:
        """Which items go together, with the codes of each pair where weighing them has made these already."""
        if align.how == "ordered":
            return lambda expected, output: ([(n, n) for n in range(min(len(expected), len(output)))], None)

        def pair(expected: list[Any], output: list[Any]) -> tuple[list[tuple[int, int]], list[Codes] | None]:
            scored: dict[tuple[int, int], tuple[Codes, RowProblem | None]] = {}

            def gain(row: int, column: int) -> int:
                codes: Codes = []
                before, self.problem = self.problem, None
                item.both(expected[row], output[column], codes)
                scored[row, column] = codes, self.problem
                self.problem = before
                found = self.gain(codes)
                return UNIT_GAIN * same(expected[row], output[column]) if found is None else found

            pairs = pair_items(align, expected, output, gain).pairs
            if not all(each in scored for each in pairs):
                return pairs, None
            for each in pairs:
                self.problem = self.problem or scored[each][1]
            return pairs, [scored[each][0] for each in pairs]

        return pair


def compilable(root: FieldNode) -> bool:
    """Whether a tree has nothing rare in it: see the head of this module."""
    pending = deque([root])
    for _ in range(MOST_NODES):
        if not pending:
            return True
        node = pending.popleft()
        metrics = [metric.comparator for metric in node.metrics]
        if node.kind == "choice" or node.compound is not None or any(each.batch or each.judged for each in metrics):
            return False
        if node.skip or node.unit:
            continue
        below = node.below
        if node.required or (node.kind == "array" and below.items is None):
            return False
        pending += [*below.keys.values(), *(child for child in (below.others, below.items) if child is not None)]
    return True


def _unlike(expected: Any, output: Any, out: Codes, code: dict[Status, int], kind: type, lost: One, extra: One) -> int:
    """Two sides of a container that are not both of the declared kind.

    Returns the code of the container itself; 0 where its leaves have codes instead.
    """
    if output is MISSING:
        if expected is not MISSING:
            lost(expected, out)
        return 0
    if expected is MISSING or (expected is None and output is not None):
        extra(output, out)
        return 0
    if expected.__class__ is kind and expected:
        lost(expected, out)
        if output is not None:
            out.append(code[Status.HALLUCINATION])
        return 0
    if output is None and expected is not None:
        found = code[Status.OMISSION]
    else:
        found = code[Status.MATCH if same(expected, output) else Status.MISMATCH]
    out.append(found)
    return found


def scale_of(root: FieldNode) -> int:
    """What every weight of a tree is multiplied with to be a whole number.

    A schema that refers to itself repeats its weights, so looking at the first of its nodes is enough.
    """
    denominators: set[int] = set()
    pending = deque([root])
    for _ in range(MOST_NODES):
        if not pending:
            break
        node = pending.popleft()
        denominators |= {(node.weight * metric.weight).denominator for metric in node.metrics}
        denominators.add(node.weight.denominator)
        below = node.below
        pending += [*below.keys.values(), *below.branches]
        pending += [child for child in (below.others, below.items) if child is not None]
    return lcm(*denominators)
