"""Numbers for what can become of the places of a schema: each number is an event, the same one in every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from evaluators.model.rows import FieldStatus
from evaluators.scoring.fields.events import Credit, Event, Items
from evaluators.scoring.fields.rules import Explained, Judged, Partial, status_of
from evaluators.scoring.fields.scored import MEASURED, list_score
from evaluators.scoring.fields.tree import FieldNode, SchemaPath, nodes
from evaluators.scoring.fields.walk_findings import MATCH, Finding
from evaluators.scoring.values.paths import Path

Signature: TypeAlias = tuple[tuple[tuple[int, int], ...], tuple[int, ...]]
"""The events of a row: groups of plain results, each with how often it is there, then single events. Rows with the same one come to
the same."""


class Coding:
    """The numbering of events. `surplus_counts`: items that only the output has lower the score of a list.

    `inside`, of a result or a list: it stands in items of another list, where it earns nothing of its own.
    """

    def __init__(self, root: FieldNode, surplus_counts: bool) -> None:
        weights = {node.weight for node in nodes(root, once=True)}
        weights |= {node.weight * metric.weight for node in nodes(root, once=True) for metric in node.metrics}
        self.scale = lcm(*{weight.denominator for weight in weights})
        """What makes weights whole numbers."""
        self.surplus_counts = surplus_counts
        self.events: list[Event] = []
        self.groups: list[tuple[int, ...]] = []
        """Matches that rows have together, by number."""
        self._instead: dict[int, int] = {}
        """The match that an event stands in place of."""
        self._known: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self.events)

    def result(self, finding: Finding, inside: bool) -> int:
        """The number of a finding's event.

        One with `more.above` is a key that the schema lacks: it has an event of its own.
        """
        node, status, more = finding.node, finding.status, finding.more
        if more is None:
            return self.column(node, status, inside)
        key = node, status, inside, tuple(map(_judged, more.answers))
        known = self._known.get(key)
        if known is None:
            event = self._result(node, status, inside, more.answers) if more.above is None else self._extra(node)
            known = self._add(key, event)
        return known

    def column(self, node: FieldNode, status: FieldStatus, inside: bool) -> int:
        """The number of the event of a plain result of what is compared as one value."""
        key = node, status, inside
        known = self._known.get(key)
        if known is None:
            known = self._add(key, self._result(node, status, inside, ()))
        return known

    def finding(self, finding: Finding, inside: bool) -> int:
        """The number of a result that stands in place of a plain match."""
        number = self.result(finding, inside)
        key = number, "instead"
        known = self._known.get(key)
        if known is None:
            known = self._add(key, self.events[number])
            self._instead[known] = self.column(finding.node, MATCH, inside)
        return known

    def skipped(self, node: FieldNode) -> int:
        """The number of what is left out."""
        return self._of((node, "skipped"), Event(node.name, FieldStatus.SKIPPED))

    def outside(self, path: SchemaPath) -> int:
        """The number of a place that the expected side has and the schema lacks."""
        return self._of(
            (path, "outside"), Event(Path(path).canonical, FieldStatus.NOT_MEASURED, outside=True, lacking=True)
        )

    def items(self, node: FieldNode, found: Items, alike: bool, inside: bool) -> int:
        """The number of the event of a list as a whole. `alike`: without measured items both sides are the same."""
        key = node, found, alike, inside
        known = self._known.get(key)
        if known is None:
            share = list_score(found.matched, found.missed, found.surplus if self.surplus_counts else 0, alike)
            weight = self._weight(node.weight)
            credits = () if inside else (Credit(weight, share.numerator, share.denominator, share == 1),)
            known = self._add(key, Event(node.name, FieldStatus.NOT_MEASURED, credits, not inside, found))
        return known

    def group(self, numbers: tuple[int, ...]) -> int:
        """The number of some matches that rows have together."""
        key = "group", numbers
        known = self._known.get(key)
        if known is None:
            self.groups.append(numbers)
            known = self._known[key] = len(self.groups) - 1
        return known

    def of(self, signature: Signature) -> list[Event]:
        """The events that a signature stands for."""
        groups, single = signature
        counts = Counter(single)
        counts.subtract(self._instead[number] for number in single if number in self._instead)
        for group, times in groups:
            for number in self.groups[group]:
                counts[number] += times
        return [self.events[number] for number, times in counts.items() for _ in range(times)]

    def _of(self, key: Hashable, event: Event) -> int:
        known = self._known.get(key)
        return self._add(key, event) if known is None else known

    def _add(self, key: Hashable, event: Event) -> int:
        self.events.append(event)
        self._known[key] = len(self.events) - 1
        return self._known[key]

    def _result(self, node: FieldNode, status: FieldStatus, inside: bool, answers: Sequence[Judged | Explained]) -> Event:
        entry = not inside and (node.kind != "array" or node.unit)
        weights = [self._weight(node.weight * metric.weight) for metric in node.metrics] or [self._weight(node.weight)]
        said = [_judged(one) for one in answers] or [status] * len(weights)
        credits = [_credit(weight, one) for weight, one in zip(weights, said, strict=True) if status_of(one) in MEASURED]
        return Event(node.name, status, tuple(credits), entry)

    def _extra(self, node: FieldNode) -> Event:
        credit = Credit(self.scale, 0, 1, False)
        return Event(Path(node.path).canonical, FieldStatus.HALLUCINATION, (credit,), lacking=True)

    def _weight(self, weight: Fraction) -> int | Fraction:
        """A weight, a whole number but at places that a schema which refers to itself leads to late."""
        scaled = weight * self.scale
        return scaled.numerator if scaled.denominator == 1 else scaled


def _judged(answer: Judged | Explained) -> Judged:
    return answer.judged if isinstance(answer, Explained) else answer


def _credit(weight: int | Fraction, found: Judged) -> Credit:
    if isinstance(found, Partial):
        share = Fraction(found.num, found.den)
        return Credit(weight, share.numerator, share.denominator, found.status is MATCH)
    return Credit(weight, int(found is MATCH), 1, found is MATCH)
