"""One walk through the documents of a chunk, place by place: what differs makes a finding, and everything else matches.

    walk = Walk(count)
    walk.go(root, of_rows(expected, outputs))

Every place of the tree meets one frame: the pairs of values that stand there in all the rows. Where a place is compared as one
value its frame becomes a *column*: each pair has one result for each metric, a match unless there is a *finding* for it. What
is looked into has results of its own only in the rows that the table below names. So results are counted by the lengths of
columns, less their findings; and a finding knows its frame, which gives its path and both values to whoever wants them.

The policy. A side at a place is missing, null or a value. A *unit* is every leaf, and every container that a comparator compares
as one value. Missing in the output: one omission. Missing on the expected side: one hallucination. Both there, null included:
equality, then transforms, then the comparator. Any other container is looked into. What counts is its leaves; null, {} and []
are one leaf each.

| expected | output | result |
|---|---|---|
| contents | contents | key by key, item by item |
| contents | nothing, null or empty | an omission per leaf |
| contents | another kind | an omission per leaf, and one hallucination at the container |
| nothing, null or empty | contents | a hallucination per leaf |
| nothing or null | empty or another kind | one hallucination (of a container of another kind: one per leaf) |
| nothing | null | one hallucination |
| empty | empty | one match; nothing where both are whole documents, unless a key is required |
| null | null | one match |
| null or empty | nothing | one omission |
| empty | null | one omission |
| empty | another kind | one mismatch |
| another kind | nothing or null | one omission |
| another kind | anything else | one match when equal, else one mismatch |

A key that the schema lacks: where the expected side has it, it is not scored and is named once; where only the output has
it, it is a hallucination per leaf. In an item of the output without a partner, the expected side is all expected items of its
list. A skipped place is one skipped result where either side has something. Absent on both sides is nothing, unless the place is
required: then it is an omission. A *compound* compares some keys of an object as one unit, at the object's own place.

Listed fields go the same way with another policy (see `policy`): containers are looked through, and have no results.

A *choice* is scored by its best-fitting branch, among those of the kind that the expected value has: the one that lacks
the fewest of the expected keys, then one that can read more of the expected values, then one that measures something, then the
one with the best F1, then the one with the least that is wrong, then the first. Pairs of items are weighed by the same walk,
over the pairs of all lists of the chunk; nobody who costs is asked there, unless the suite wants it (`ask: leftover`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from evaluators.comparators._comparator import Comparator, Question
from evaluators.fields.branches import Best, Fit, distinct, fitting_branches, knows
from evaluators.fields.frame import Frame, ItemFrames, extra_items, in_order, values_of
from evaluators.fields.gains import Worth, judged
from evaluators.fields.held_against import against, has_key
from evaluators.fields.instance_paths import InstancePath, Unpaired, spelled
from evaluators.fields.marks import leaves_of_node
from evaluators.fields.pair import AT_ONCE, Paired, Pairing, paired_by_key, paired_together, pairing
from evaluators.fields.reached import reached
from evaluators.fields.rules import (
    Explained,
    Judged,
    Rule,
    explained_answer,
    explained_problem,
    prepare_rule,
)
from evaluators.fields.tree import FieldNode, SchemaPath
from evaluators.fields.unit_rules import UnitRules, alone, compound_of, first_keys, item_key, of_unit, status_of, unit_of
from evaluators.fields.walk_findings import (
    AFTER,
    ERROR,
    FAULT,
    HALLUCINATION,
    MATCH,
    MEASURED,
    MISMATCH,
    OMISSION,
    Counts,
    FieldColumn,
    Finding,
    More,
    Outside,
    WalkedLists,
    order_of,
    place_of,
    position_in,
)
from evaluators.fields.weighed import Weighed, add_up, field_numbers, ranked
from evaluators.issues import Blame, RowProblem
from evaluators.judges.asking import ask_later, waiting
from evaluators.limits import still_time
from evaluators.model import MISSING, FieldStatus, Missing
from evaluators.values.equality import same
from evaluators.values.paths import ANY

ABSENT: Final = frozenset((Missing,))
_TEXTS: Final = frozenset((str, type(None), Missing))
_DECIDED: Final = frozenset((MATCH, MISMATCH, ERROR, FAULT))
Content: TypeAlias = Literal["missing", "null", "empty", "full", "other"]


class Pending(NamedTuple):
    """A finding that waits for answers of whoever costs."""

    finding: Finding
    answers: list[Judged | Explained | Question]
    """What each metric says, or is to be asked."""
    statuses: bytearray | None
    """Where its status is written down while pairs are weighed."""


class Places:
    """Places that the schema lacks, by path: each is one node."""

    def __init__(self) -> None:
        self.known: dict[SchemaPath, FieldNode] = {}

    def at(self, path: SchemaPath) -> FieldNode:
        found = self.known.get(path)
        if found is None:
            found = self.known[path] = FieldNode(path)
        return found


class Visit(NamedTuple):
    """A place of the tree, and the pairs that stand there."""

    node: FieldNode
    frame: Frame
    inside: bool
    """In items of a list."""
    trail: tuple[int | None, ...]
    """For each step to the place, how many of its like come before it; None where the step itself says it."""
    siblings: tuple[FieldNode, ...] = ()
    """The branches of the choices that the node is a branch of."""


class Walk:
    """What becomes of the documents of a chunk."""

    def __init__(
        self,
        count: int,
        places: Places | None = None,
        *,
        weighing: bool = False,
        asking: bool = False,
        above: Walk | None = None,
        left_out: Mapping[int, Collection[int]] = MappingProxyType({}),
    ) -> None:
        self.count = count
        """How many rows there are."""
        self.weighing = weighing
        """Pairs are only weighed: nobody who costs is asked, unless `asking`."""
        self.asking = asking
        self.left_out = left_out
        """By the number of a listed field, the rows in which it is not looked at."""
        self.columns: list[FieldColumn] = []
        self.findings: list[Finding] = []
        """The results of columns that are no plain match."""
        self.single: list[tuple[Finding, bool]] = []
        """The results that stand in no column, and whether they stand in items of a list."""
        self.skipped: list[tuple[FieldNode, Frame]] = []
        self.outside: list[Outside] = []
        self.lists: list[WalkedLists] = []
        self.trails: dict[int, tuple[int | None, ...]] = {}
        self.places: Places = above.places if above is not None else Places() if places is None else places
        self.chosen: dict[Hashable, Best] = {} if above is None else above.chosen
        """Which branch fits two values best."""
        self.paired: dict[Hashable, tuple[Paired, Any, Any]] = {} if above is None else above.paired
        """How two lists are paired whose items are in no order: lists inside of items are met again and again."""
        self.known: list[tuple[int, Counts, Fit]] = []
        """While pairs are weighed: what choices come to whose best branch is known."""
        self._by_row: dict[int, list[Finding]] | None = None
        self._waiting: list[Visit] = []
        self.broken: Counter[int] = Counter()
        """While pairs are weighed: how many answers of each are no answer."""
        self._pending: list[Pending] = []
        self._asked: list[tuple[list[tuple[list[Any], int]], Callable[[], Sequence[Any]]]] = []
        """Where answers belong, and what gives them."""

    def go(self, root: FieldNode, frames: Iterable[Frame], trail: tuple[int | None, ...] = ()) -> Walk:
        """Goes through some frames, and asks what has to be asked. What is on a list is pending, until it is settled."""
        for frame in frames:
            self._later([Visit(root, frame, False, trail)])
            self._all(0)
        self._ask()
        if self.weighing or not waiting():
            self.settle()
        return self

    def settle(self) -> None:
        """Takes the answers to what was asked."""
        pending, self._pending = self._pending, []
        asked, self._asked = self._asked, []
        taken = alone if self.weighing else explained_answer
        for places, given in asked:
            for (answers, number), one in zip(places, given(), strict=True):
                answers[number] = taken(one)
        for each in pending:
            self._settle(*each)

    def found_in(self, row: int) -> Sequence[Finding]:
        """The results of one row that are no plain match. To be asked when everything was walked, and is settled."""
        if self._by_row is None:
            found = [one for one, _ in self.single]
            found += self.findings
            for node, frame, _, status, _ in self.columns:
                if status is not MATCH:
                    found += [Finding(row, status, node, frame, at) for at, row in enumerate(frame.rows)]
            self._by_row = {}
            for each in found:
                self._by_row.setdefault(each.row, []).append(each)
        return self._by_row.get(row, ())

    def _all(self, base: int) -> None:
        """Sees what waits beyond so many visits, and all below. It waits on a list, not on the stack: documents may be deep."""
        while len(self._waiting) > base:
            visit = self._waiting.pop()
            if visit.frame.rows:
                self._open(visit)

    def _later(self, visits: Sequence[Visit]) -> None:
        self._waiting += reversed(visits)

    def _open(self, visit: Visit) -> None:
        node, frame = visit.node, visit.frame
        self.trails[id(node)] = visit.trail
        there = frame.there()
        if there is not frame and node.required and not node.skip:
            self._absent(visit)
        if not there.rows:
            return
        if node.skip:
            self.skipped.append((node, there))
        elif node.unit:
            self._unit(node, there if not self.left_out else self._looked_at(node, there), visit.inside)
        elif node.kind == "choice":
            self._choice(visit._replace(frame=there))
        elif node.policy.containers == "looked through":
            look = self._each_item if node.kind == "array" else self._look_through
            look(visit._replace(frame=there))
        else:
            self._container(visit._replace(frame=there))

    def _looked_at(self, node: FieldNode, frame: Frame) -> Frame:
        """The pairs of a place in the rows in which its field is not left out."""
        left_out = () if node.line is None else self.left_out.get(node.line.number, ())
        return frame.part([at for at, row in enumerate(frame.rows) if row not in left_out]) if left_out else frame

    def _absent(self, visit: Visit) -> None:
        """A required place that neither side has.

        A required container stands for the required places below it, and for itself where there are none.
        """
        node, frame, inside = visit.node, visit.frame, visit.inside
        pairs = enumerate(zip(frame.e, frame.o, strict=True))
        lost = frame.part([at for at, (a, b) in pairs if a is MISSING and b is MISSING])
        if node.unit:
            self.columns.append(FieldColumn(node, lost, inside, OMISSION))
            return
        below = node.below
        required = [(key, child) for key, child in below.keys.items() if child.required and node.kind != "choice"]
        lists = below.items is not None and below.items.required and node.kind != "choice"
        if not required and not lists:
            for at in range(len(lost.rows)):
                self._own(node, OMISSION, lost, at, inside)
            return
        order = {key: place for place, key in enumerate(below.keys)}
        self._later(
            [Visit(child, lost.children([key])[key], inside, (*visit.trail, order[key])) for key, child in required]
        )
        if lists and below.items is not None:
            every = Frame(lost.e, lost.o, lost.rows, lost, None, ANY)
            self._later([Visit(below.items, every, True, (*visit.trail, None))])

    def _own(
        self, node: FieldNode, status: FieldStatus, frame: Frame, at: int, inside: bool, more: More | None = None
    ) -> None:
        self.single.append((Finding(frame.rows[at], status, node, frame, at, more), inside))

    # One value

    def _unit(self, node: FieldNode, frame: Frame, inside: bool) -> None:
        """Values that are compared as one: presence first, then each of the metrics, where the two differ."""
        how = node.once(unit_of)
        unread = self._unreadable(node, how, frame) if how.unread else {}
        if not unread and (frame.others == ABSENT or (frame.kinds == ABSENT and (self.weighing or not how.alone))):
            status = OMISSION if frame.others == ABSENT else HALLUCINATION
            self.columns.append(FieldColumn(node, frame, inside, status))
            return
        statuses = bytearray((MATCH,)) * len(frame.e) if self.weighing else None
        self.columns.append(FieldColumn(node, frame, inside, MATCH, statuses))
        for at, problems in unread.items():
            if problems:
                self._compare(node, how, frame, at, statuses, problems)
        positions = range(len(frame.e)) if how.each else frame.differing()
        self._one_by_one(
            node, how, frame, statuses, [at for at in positions if at not in unread] if unread else positions
        )

    def _one_by_one(
        self, node: FieldNode, how: UnitRules, frame: Frame, statuses: bytearray | None, positions: Iterable[int]
    ) -> None:
        """The pairs of values that may be no match. One metric that costs nothing is asked at once."""
        e, o, rows, add = frame.e, frame.o, frame.rows, self.findings.append
        alone = how.alone and not self.weighing
        asked = how.costs and (not self.weighing or self.asking)
        quick = how.rules[0] if len(how.rules) == 1 and not asked else None
        for at in positions:
            a, b = e[at], o[at]
            status = MISMATCH
            if b is MISSING:
                status = OMISSION
            elif a is MISSING and not alone:
                status = HALLUCINATION
            elif quick is None:
                self._compare(node, how, frame, at, statuses)
                continue
            elif not how.exact:
                answer = self._answer(quick, a, b)
                if answer is not MISMATCH:
                    if answer is not MATCH:
                        self._settle(Finding(rows[at], FAULT, node, frame, at), [answer], statuses)
                    continue
            if statuses is None:
                add(Finding(rows[at], status, node, frame, at))
            else:
                statuses[at] = status

    def _unreadable(self, node: FieldNode, how: UnitRules, frame: Frame) -> dict[int, list[RowProblem | None] | None]:
        """The positions that are not compared, since some metric cannot read an expected value: that of the place itself, with what is
        wrong for each metric, or another one in the row of a listed field."""
        found: dict[int, list[RowProblem | None] | None] = {}
        if frame.kinds <= _TEXTS:
            distinct = {*frame.e} - {MISSING}
            if not any(ask(value) for ask in how.readers if ask is not None for value in distinct):
                return found
        listed = node.policy.one_result == "line"
        for at, value in enumerate(frame.e):
            if value is MISSING or (listed and self.weighing and frame.o[at] is MISSING):
                continue
            issues = [None if ask is None else ask(value) for ask in how.readers]
            if any(issue is not None for issue in issues):
                found[at] = [None if one is None else RowProblem(one) for one in issues]
        if found and listed and not self.weighing:
            rows = {frame.rows[at] for at in found}
            found |= dict.fromkeys(at for row in rows for at in frame.positions(row) if at not in found)
        return found

    def _compare(
        self,
        node: FieldNode,
        how: UnitRules,
        frame: Frame,
        at: int,
        statuses: bytearray | None,
        problems: Sequence[RowProblem | None] | None = None,
    ) -> None:
        """Asks each metric about two values, and settles the result; where a metric costs, its question is pending.

        `problems` has for each metric why it cannot read the expected value. Of a value that only one side has, the metrics
        are not asked, unless they look at the output alone (`how.alone`).
        """
        a, b, row = frame.e[at], frame.o[at], frame.rows[at]
        one_sided = OMISSION if b is MISSING else HALLUCINATION if a is MISSING and not how.alone else None
        together = None if node.line is None else node.line.together
        answers: list[Judged | Explained | Question] = []
        for number, rule in enumerate(how.rules):
            problem = None if problems is None else problems[number]
            metric = node.metrics[number]
            if problem is not None:
                answers.append(explained_problem(problem))
            elif one_sided is not None:
                answers.append(one_sided)
            elif metric.comparator.costs and (not self.weighing or (self.asking and metric.comparator.batch != "row")):
                ready = prepare_rule(metric.comparator, node.transforms, a, b, together)
                if isinstance(ready, Explained):
                    answers.append(ready)
                else:
                    answers.append(Question(self._spelled(node, frame, at), *ready, a, b))
            else:
                answers.append(self._answer(rule, a, b))
        finding = Finding(row, FAULT, node, frame, at)
        if any(isinstance(one, Question) for one in answers):
            self._pending.append(Pending(finding, answers, statuses))
        else:
            self._settle(finding, answers, statuses)

    def _spelled(self, node: FieldNode, frame: Frame, at: int) -> str:
        """The path of a question."""
        if self.weighing and node.line is not None:
            return node.line.name
        return spelled(place_of(node, frame, at))

    def _answer(self, rule: Rule, a: Any, b: Any) -> Judged | Explained:
        try:
            return rule(a, b)
        except RowProblem as error:
            if self.weighing and error.issue.blame is Blame.ENVIRONMENT:  # how items pair must not depend on the machine
                raise
            return explained_problem(error)

    def _settle(self, finding: Finding, answers: Sequence[Any], statuses: bytearray | None) -> None:
        """A finding, unless all metrics say that it is a plain match."""
        each = [status_of(one) for one in answers]
        plain = all(one.__class__ is FieldStatus for one in answers)
        status = each[0] if len(each) == 1 else of_unit(each)
        if statuses is not None:
            statuses[finding.at] = status if status in _DECIDED else MISMATCH
            self.broken[finding.row] += sum(isinstance(one, Explained) and one.problem is not None for one in answers)
            return
        if plain and len(set(each)) == 1:
            if status is not MATCH:
                self.findings.append(finding._replace(status=status))
            return
        self.findings.append(finding._replace(status=status, more=More(tuple(answers))))

    def _ask(self) -> None:
        """Asks what is pending: row by row, and of each row one question list for each comparator, in document order.

        What is asked to weigh a pair is asked question by question.
        """
        by_row: dict[int, list[Pending]] = {}
        for each in self._pending:
            by_row.setdefault(each.finding.row, []).append(each)
        for row in sorted(by_row):
            asked: dict[Hashable, tuple[Comparator, list[tuple[list[Any], int]]]] = {}
            for finding, answers, _ in sorted(by_row[row], key=lambda each: self.order(each.finding)):
                for number, one in enumerate(answers):
                    if isinstance(one, Question):
                        comparator = finding.node.metrics[number].comparator
                        asked.setdefault(comparator.identity, (comparator, []))[1].append((answers, number))
            first = by_row[row][0].finding
            row_asked = first.frame.row_of(first.at)
            for comparator, places in asked.values():
                for together in [[place] for place in places] if self.weighing else [places]:
                    questions = [answers[number] for answers, number in together]
                    self._asked.append((together, ask_later(comparator, questions, row_asked)))

    def order(self, finding: Finding, location: InstancePath | None = None) -> tuple[tuple[float, str], ...]:
        """What results are sorted by, to stand in the order of the documents as the schema lists them. `location` is where it
        stands, for who knows it."""
        node, more = finding.node, finding.more
        if node.line is not None:
            return ((node.line.number, ""), *order_of((), finding.frame.items_above(finding.at)))
        below = more is not None and bool(more.below)
        above = more.above if more is not None and more.above is not None else node
        place = order_of(self.trails[id(above)], finding.location if location is None else location)
        if below or node.unit:
            return place
        return (*place, (AFTER, ""))

    # Containers

    def _look_through(self, visit: Visit) -> None:
        """Values without results of their own: what the paths below them lead to, whatever they are."""
        node, frame, inside, trail, _ = visit
        if len(frame.rows) > 1:
            frame.children(node.once(first_keys))
        lists = []
        for path, child in node.below.reached:
            there = reached(frame, path).there()
            if there.rows and child.unit:
                self._unit(child, there if not self.left_out else self._looked_at(child, there), inside)
            elif there.rows:
                lists.append(Visit(child, there, inside, trail))
        self._later(lists)

    def _each_item(self, visit: Visit) -> None:
        """The items of lists as they are paired, and the values of objects by key."""
        node, frame, inside, trail, _ = visit
        below = node.below
        if below.whole is not None:
            pairs = list(enumerate(zip(frame.e, frame.o, strict=True)))
            lists = {at for at, (a, b) in pairs if a.__class__ is b.__class__ is list and (a or b)}
            self._later([Visit(below.whole, frame.part([at for at, _ in pairs if at not in lists]), inside, trail)])
            frame = frame.part(sorted(lists))
        if below.items is None:
            return
        items = [values_of(frame.of_kind(dict))] if dict in frame.kinds or dict in frame.others else []
        if list in frame.kinds or list in frame.others:
            found = self._items(node, below.items, frame.of_kind(list))
            items = [found.pairs, found.surplus, *items]
        self._later([Visit(below.items, each, True, trail) for each in items])

    def _container(self, visit: Visit) -> None:
        """Objects, or lists, that are looked into: what stands below them, or their own results."""
        kind = dict if visit.node.kind == "object" else list
        full, odd = visit.frame.full(kind)
        if full.rows:
            self._inside(visit._replace(frame=full), full, [None] * len(full.rows))
        if odd:
            self._unlike(visit, kind, odd)

    def _unlike(self, visit: Visit, kind: type, places: Sequence[int]) -> None:
        """Pairs of which a side has no contents of the kind."""
        node, frame, inside = visit.node, visit.frame, visit.inside
        lost: dict[int, FieldStatus | None] = {}
        extra: dict[int, FieldStatus | None] = {}
        own: dict[int, FieldStatus | None] = {}
        bare: list[int] = []
        top = not frame.where(places[0])
        for at in places:
            a, b = frame.e[at], frame.o[at]
            ours, theirs = content(kind, a), content(kind, b)
            if ours == "null" and theirs == "full":
                bare.append(at)
            elif ours == "full":
                lost[at] = HALLUCINATION if theirs == "other" else None
                if theirs == "other":
                    self._own(node, HALLUCINATION, frame, at, inside)
            elif (theirs == "full" and ours != "other") or (ours == theirs == "empty" and kind is dict and top):
                extra[at] = None
            elif theirs == "other" and ours in ("missing", "null") and isinstance(b, dict | list) and b:
                own[at] = HALLUCINATION
                self._extra(node, frame, at, b, (), False, inside)
            else:
                own[at] = status = own_status(ours, theirs, a, b)
                self._own(node, status, frame, at, inside)
        if own and kind is list:
            lists = frame.part(list(own))
            self.lists.append(WalkedLists(node, lists, lists, None, list(own.values()), inside))
        if lost:
            whole = frame.part(list(lost))
            part = frame.part(list(lost), list(whole.e), [kind()] * len(lost))
            self._inside(visit._replace(frame=part), whole, list(lost.values()))
        if extra:
            whole = frame.part(list(extra))
            part = frame.part(list(extra), [kind()] * len(extra), list(whole.o))
            self._inside(visit._replace(frame=part), whole, list(extra.values()))
        if bare:
            self._bare(visit, kind, bare)

    def _bare(self, visit: Visit, kind: type, at: list[int]) -> None:
        """Contents of the output where the expected side has null: an extra of the place itself, where none of them counts."""
        frame = visit.frame
        whole = frame.part(at)
        part, own = frame.part(at, [kind()] * len(at), list(whole.o)), list[FieldStatus | None]([None] * len(at))
        begin, base = (len(self.columns), len(self.single), len(self.known)), len(self._waiting)
        self._inside(visit._replace(frame=part), whole, own)
        self._all(base)
        columns = self.columns[begin[0] :]
        if any(column.frame.rows is part.rows for column in columns):
            return
        single = [(each.frame, each.at) for each, _ in self.single[begin[1] :] if each.status in MEASURED]
        met = [(column.frame, place) for column in columns for place in range(len(column.frame.rows))]
        measured = {place for one, one_at in (*single, *met) for place in (position_in(part, one, one_at),)}
        rows = {row for row, counts, _ in self.known[begin[2] :] if sum(counts)}
        for place, row in enumerate(part.rows):
            if place not in measured and row not in rows:
                own[place] = HALLUCINATION
                self._own(visit.node, HALLUCINATION, whole, place, visit.inside)

    def _inside(self, visit: Visit, whole: Frame, own: list[FieldStatus | None]) -> None:
        """What stands below; `whole` has the values themselves where a side has no contents of the kind, `own` results of the places."""
        if visit.node.kind == "object":
            self._object(visit)
        else:
            self._list(visit, whole, own)

    def _object(self, visit: Visit) -> None:
        """The declared keys, compounds, then keys that are not declared."""
        node, frame, inside, trail, siblings = visit
        below = node.below
        taken: tuple[str, ...] = ()
        if node.compound is not None:
            taken = node.compound.fields
            self._compound(visit, taken)
        children = frame.children(below.keys)
        self._later([
            Visit(child, children[key], inside, (*trail, place))
            for place, (key, child) in enumerate(below.keys.items()) if key not in taken
        ])  # fmt: skip
        declared = len(below.keys)
        if (
            not taken
            and not frame.lacking
            and sum(map(len, frame.e)) == sum(map(len, frame.o)) == declared * len(frame.rows)
        ):
            return
        known = frozenset(below.keys).union(taken)
        pairs = enumerate(zip(frame.e, frame.o, strict=True))
        odd = [at for at, (a, b) in pairs if not (known.issuperset(a) and known.issuperset(b))]
        if not odd:
            return
        unknown = [(at, key) for at in odd for key in sorted((frame.e[at].keys() | frame.o[at].keys()) - known)]
        if below.others is not None:
            e, o = frame.e, frame.o
            strung = Frame(
                [e[at].get(key, MISSING) for at, key in unknown], [o[at].get(key, MISSING) for at, key in unknown],
                [frame.rows[at] for at, _ in unknown], frame, [at for at, _ in unknown], [key for _, key in unknown],
            )  # fmt: skip
            self._later([Visit(below.others, strung, inside, (*trail, None))])
            return
        for at, key in unknown:
            if key in frame.e[at] or has_key(against(frame, at), key):
                self.outside.append(Outside(frame.rows[at], node, frame, at, key))
            else:
                self._extra(node, frame, at, frame.o[at][key], (key,), knows(siblings, key), inside)

    def _compound(self, visit: Visit, names: Sequence[str]) -> None:
        node, frame = visit.node, visit.frame
        one = node.once(compound_of)
        e, o = (
            [{key: side[key] for key in names if key in side} or MISSING for side in sides]
            for sides in (frame.e, frame.o)
        )
        self.trails[id(one)] = visit.trail
        there = Frame(e, o, frame.rows, frame).there()
        if there.rows:
            self._unit(one, there, visit.inside)

    def _extra(
        self, node: FieldNode, frame: Frame, at: int, value: Any, below: tuple[Any, ...], elsewhere: bool, inside: bool
    ) -> None:
        """Every leaf of what only the output has, and the schema lacks."""
        waiting: list[tuple[tuple[Any, ...], Any]] = [(below, value)]
        while waiting:
            steps, value = waiting.pop()
            if isinstance(value, dict) and value:
                waiting += [((*steps, key), value[key]) for key in value]
            elif isinstance(value, list) and value:
                waiting += [((*steps, Unpaired(index)), inner) for index, inner in enumerate(value)]
            else:
                path = tuple(ANY if step.__class__ is Unpaired else step for step in steps)
                place = self.places.at((*node.path, *path))
                self._own(place, HALLUCINATION, frame, at, inside, More((), steps, value, elsewhere, node))

    # Lists

    def _list(self, visit: Visit, whole: Frame, own: list[FieldStatus | None]) -> None:
        """The items as they are paired, then those that only the output has."""
        node, frame, inside, trail, _ = visit
        item = node.below.items
        if item is None:
            self.lists.append(WalkedLists(node, frame, whole, None, own, inside))
            self._undeclared_items(visit, own)
            return
        items = self._items(node, item, frame)
        self.lists.append(WalkedLists(node, frame, whole, items, own, inside))
        below = (*trail, None)
        self._later([Visit(item, items.pairs, True, below), Visit(item, items.surplus, True, below)])

    def _undeclared_items(self, visit: Visit, own: list[FieldStatus | None]) -> None:
        """Items of lists whose items the schema does not know: not scored where the expected side has some."""
        node, frame = visit.node, visit.frame
        for at, (ours, theirs) in enumerate(zip(frame.e, frame.o, strict=True)):
            if ours or any(isinstance(one, list) and one for one in against(frame, at)):
                self.outside.append(Outside(frame.rows[at], node, frame, at, ANY))
                continue
            own[at] = HALLUCINATION if theirs else own[at]
            for column, value in enumerate(theirs):
                self._extra(node, frame, at, value, (Unpaired(column),), False, visit.inside)

    def _items(self, node: FieldNode, item: FieldNode, frame: Frame) -> ItemFrames:
        """The items of all lists of a frame as they are paired. Equal documents, and most lists, are paired in list order."""
        align = node.align
        asks = align.ask is not None and not self.weighing
        key: Hashable = (align, id(item), asks) if align.free else align
        found: ItemFrames | None = frame.kept.get(key)
        if found is None:
            alike = frame.o is frame.e and node.policy.equal_documents == "match"
            if align.how == "ordered" or alike:
                found = in_order(frame)
            elif align.how == "key_field":
                found = aligned(frame, paired_by_key(align, frame.e, frame.o))
            else:
                found = aligned(frame, self._paired(node, item, frame, asks))
            frame.kept[key] = found
        return found

    def _paired(self, node: FieldNode, item: FieldNode, frame: Frame, asks: bool) -> dict[int, Paired]:
        """Which items of lists that differ go together. Pairs that have to be weighed are weighed for all lists at once."""
        found: dict[int, Paired] = {}
        running: dict[int, Pairing] = {}
        leaves, key = item.once(leaves_of_node), item.once(item_key)
        keys: dict[int, Hashable] = {}
        for at in frame.differing():
            ours, theirs = frame.e[at], frame.o[at]
            if not ours or not theirs:
                continue
            keys[at] = (id(node.origin or node), id(ours), id(theirs), frame.row_of(at) if asks else None)
            if keys[at] in self.paired:
                found[at] = self.paired[keys[at]][0]
            else:
                running[at] = pairing(node.align, ours, theirs, node.pairing_cost, leaves, key, asks)
        by_field = node.policy.ties == "fields" and node.align.how == "hungarian"

        def weigh(pairs: Sequence[tuple[int, int, int]], asking: bool) -> list[Worth]:
            if by_field and not asking:
                return ranked(frame, pairs, self._weighed(item, frame, pairs, asking))
            return self.worths(item, frame, pairs, asking)

        found |= paired_together(running, weigh)
        self.paired |= {keys[at]: (one, frame.e[at], frame.o[at]) for at, one in found.items()}
        return found

    def worths(
        self, item: FieldNode, lists: Frame, pairs: Sequence[tuple[int, int, int]], asking: bool = False
    ) -> list[Worth]:
        """What pairing two items is worth: (position of their lists, expected index, index in the output) of each pair.

        A pair in which nothing is measured is complete when the items are equal; else they have nothing in common. What could not
        be compared is wrong here: a pair is not complete because of it.
        """
        return [worth for worth, _ in self._weighed(item, lists, pairs, asking)]

    def _weighed(
        self, item: FieldNode, lists: Frame, pairs: Sequence[tuple[int, int, int]], asking: bool
    ) -> list[tuple[Worth, tuple[int, ...]]]:
        """The worth of pairs of items, and how many results of each place match."""
        found: list[tuple[Worth, tuple[int, ...]]] = []
        for start in range(0, len(pairs), AT_ONCE):
            still_time()
            part = pairs[start : start + AT_ONCE]
            e, o = [lists.e[at][row] for at, row, _ in part], [lists.o[at][column] for at, _, column in part]
            frame = Frame(e, o, range(len(part)), lists, [at for at, _, _ in part], [row for _, row, _ in part])
            walk = Walk(len(part), weighing=True, asking=asking, above=self).go(item, [frame], (None,))
            counted = walk.counted(item)
            found += [(one.worth or judged(same(a, b)), one.hits) for a, b, one in zip(e, o, counted, strict=True)]
            frame.drop()
        return found

    def counted(self, item: FieldNode) -> list[Weighed]:
        """What each row comes to while pairs are weighed."""
        single, known = (finding for finding, _ in self.single), ((row, counts) for row, counts, _ in self.known)
        return add_up(self.count, self.columns, single, known, item.once(field_numbers))

    # Choices

    def _choice(self, visit: Visit) -> None:
        """Every pair goes to the branch that fits it best."""
        node, frame = visit.node, visit.frame
        branches = distinct(node.below.branches)
        if not branches:
            return
        siblings = (*visit.siblings, *node.below.branches)
        places: dict[int, list[int]] = {}
        open_: dict[int, list[int]] = {}
        keys: list[Hashable] = []
        for at, (a, b) in enumerate(zip(frame.e, frame.o, strict=True)):
            asks = frame.row_of(at) if self.asking else None
            keys.append((id(node.origin or node), id(a), id(b), asks, id(against(frame, at))))
            if keys[at] not in self.chosen:
                fits = fitting_branches(branches, a, b)
                if len(fits) > 1:
                    open_[at] = fits
                else:
                    places.setdefault(fits[0], []).append(at)
        if open_:
            self._fit(visit, branches, keys, open_)
        for at, key in enumerate(keys):
            if key in self.chosen:
                best = self.chosen[key]
                if self.weighing:
                    self.known.append((frame.rows[at], best.counts, best.fit))
                else:
                    places.setdefault(best.number, []).append(at)
        for number, chosen in sorted(places.items()):
            self._later([Visit(branches[number], frame.part(sorted(chosen)), visit.inside, visit.trail, siblings)])

    def _fit(
        self, visit: Visit, branches: Sequence[FieldNode], keys: Sequence[Hashable], fitting: Mapping[int, Sequence[int]]
    ) -> None:
        """Finds the best branch of some pairs."""
        frame = visit.frame
        best: dict[int, Best] = {}
        for number, branch in enumerate(branches):
            here = [at for at, fits in fitting.items() if number in fits]
            if not here:
                continue
            part = Frame([frame.e[at] for at in here], [frame.o[at] for at in here], range(len(here)), frame, here)
            walk = Walk(len(here), weighing=True, asking=self.asking, above=self).go(branch, [part], visit.trail)
            part.drop()
            for at, counts, fit in zip(here, *walk.fits(branch), strict=True):
                if at not in best or fit > best[at].fit:
                    best[at] = Best(number, counts, fit, (frame.e[at], frame.o[at], against(frame, at)))
        self.chosen |= {keys[at]: found for at, found in best.items()}

    def fits(self, branch: FieldNode) -> tuple[list[Counts], list[Fit]]:
        """What each row comes to, and how well the place fits."""
        outside, unreadable = [0] * self.count, [self.broken[row] for row in range(self.count)]
        for each in self.outside:
            outside[each.row] += 1
        for row, _, fit in self.known:
            outside[row] -= fit.outside
            unreadable[row] -= fit.unreadable
        counted = [one.counts for one in self.counted(branch)]
        return counted, [Fit.of(*each) for each in zip(counted, outside, unreadable, strict=True)]


def content(kind: type, value: Any) -> Content:
    """What one side has where a container is declared. `other` is anything else than null and the declared kind."""
    if value is MISSING:
        return "missing"
    if value is None:
        return "null"
    if value.__class__ is not kind:
        return "other"
    return "full" if value else "empty"


def aligned(frame: Frame, paired: Mapping[int, Paired]) -> ItemFrames:
    """The items of lists, some of which are paired otherwise than in list order."""
    if not paired:
        return in_order(frame)
    owners: list[int] = []
    steps: list[int] = []
    partners: list[int | None] = []
    ours: list[Any] = []
    theirs: list[Any] = []
    extra: list[tuple[int, int]] = []
    for at, (one, other) in enumerate(zip(frame.e, frame.o, strict=True)):
        size, given = len(one), len(other)
        if at in paired:
            partner = dict(paired[at].pairs)
            columns = [partner.get(row) for row in range(size)]
            partners += columns
            theirs += [MISSING if column is None else other[column] for column in columns]
            extra += [(at, column) for column in paired[at].extra]
        else:
            partners += range(min(size, given))
            theirs += other[:size]
            if given < size:
                partners += [None] * (size - given)
                theirs += [MISSING] * (size - given)
            extra += [(at, column) for column in range(size, given)]
        owners += [at] * size
        steps += range(size)
        ours += one
    rows = frame.rows
    pairs = Frame(ours, theirs, [rows[at] for at in owners], frame, owners, steps)
    crowded = frozenset(at for at, one in paired.items() if one.keys.crowded)
    return ItemFrames(pairs, partners, extra_items(frame, frame.o, extra), crowded)


def own_status(ours: Content, theirs: Content, expected: Any, output: Any) -> FieldStatus:
    """The result of a container itself, where neither side is looked into."""
    if ours == "missing" or (ours == "null" and theirs in ("empty", "other")):
        return HALLUCINATION
    if ours == theirs and ours in ("null", "empty"):
        return MATCH
    if theirs in ("missing", "null"):
        return OMISSION
    return MATCH if same(expected, output) else MISMATCH
