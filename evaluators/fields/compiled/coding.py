"""Codes for events: those that a node is known to have when it is compiled, and those that turn up."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from evaluators.fields.compiled.walker import Codes, NotCompiled
from evaluators.fields.counts import MEASURED
from evaluators.fields.events import Credit, Event
from evaluators.fields.gains import Worth
from evaluators.fields.path_details import OVERFLOW
from evaluators.fields.rules import Judged, Partial
from evaluators.fields.tree import FieldNode
from evaluators.issues import RowProblem
from evaluators.model import Status
from evaluators.values.confusion import Confusion
from evaluators.values.paths import ANY, Path

EXTRA_CAP: Final = 20_000
"""Places outside the schema that are counted apart."""
ONE_SIDED: Final = (Status.OMISSION, Status.HALLUCINATION)


class Coding:
    """The numbering of events. `scale` makes every weight of the schema a whole number."""

    def __init__(self, scale: int, surplus_counts: bool = False) -> None:
        self.scale = scale
        self.surplus_counts = surplus_counts
        """Items that only the output has lower the score of a list in the totals."""
        self.events: list[Event] = [Event("", Status.NOT_MEASURED)]
        self.problem: RowProblem | None = None
        """The first thing in the row that broke a comparison and that the output is not to blame for."""
        self.matches: set[int] = set()
        """The codes of matches."""
        self.unmeasured_items = 0
        """The items of the array at hand in which nothing was measured so far."""
        self._found: dict[Event, int] = {}
        self._outside: dict[tuple[Any, ...], int] = {}
        self.invented_codes: set[int] = set()
        """The codes of what the schema lacks and only the output has."""
        self.unscored_codes: set[int] = set()
        """The codes of what the schema lacks and the expected side has."""

    def add(self, event: Event) -> int:
        """A new code."""
        self.events.append(event)
        number = len(self.events) - 1
        if event.status is Status.MATCH and event.items is None:
            self.matches.add(number)
        good = event.status in (Status.MATCH, Status.SKIPPED) or event.items is not None or event.outside
        return number if good else -number

    def of(self, event: Event) -> int:
        """The code of an event that was not foreseen when the tree was compiled."""
        code = self._found.get(event)
        if code is None:
            code = self._found[event] = self.add(event)
        return code

    def static(self, node: FieldNode, status: Status, inside: bool) -> int:
        """The code of a status that says the same of every metric of a node."""
        num = 1 if status is Status.MATCH else 0
        weights = [self.weight(node.weight * metric.weight) for metric in node.metrics] or [self.weight(node.weight)]
        credits = tuple(Credit(weight, num, 1, bool(num)) for weight in weights)
        entry = not inside and (node.kind != "array" or node.unit)
        return self.add(Event(node.name, status, credits if status in MEASURED else (), entry))

    def judged(self, node: FieldNode, found: Sequence[Judged], inside: bool) -> int:
        """The code of a unit whose metrics do not all say the same, or give partial credit."""
        credits: list[Credit] = []
        statuses = set()
        for metric, judged in zip(node.metrics, found, strict=True):
            weight = self.weight(node.weight * metric.weight)
            status = judged.status if isinstance(judged, Partial) else judged
            passed = status is Status.MATCH
            share = Fraction(judged.num, judged.den) if isinstance(judged, Partial) else Fraction(int(passed))
            credits.append(Credit(weight, share.numerator, share.denominator, passed))
            statuses.add(status)
        status = next((each for each in (Status.ERROR, Status.MISMATCH) if each in statuses), Status.MATCH)
        return self.of(Event(node.name, status, tuple(credits), not inside))

    def outside(self, path: tuple[Any, ...], status: Status) -> int:
        """The code of a place that the schema lacks."""
        code = self._outside.get((status, *path))
        if code is None:
            room = len(self._outside) < EXTRA_CAP
            unscored = status is Status.NOT_MEASURED
            credits = () if unscored else (Credit(self.scale, 0, 1, False),)
            code = self.of(Event(Path(path).canonical if room else OVERFLOW, status, credits, outside=unscored))
            (self.unscored_codes if unscored else self.invented_codes).add(code)
            if room:
                self._outside[(status, *path)] = code
        return code

    def invented(self, path: tuple[Any, ...], value: Any, out: Codes) -> None:
        """Every leaf of a value outside the schema is a hallucination."""
        if value.__class__ is dict and value:
            for key, inner in value.items():
                self.invented((*path, key), inner, out)
        elif value.__class__ is list and value:
            for inner in value:
                self.invented((*path, ANY), inner, out)
        else:
            out.append(self.outside(path, Status.HALLUCINATION))

    def weight(self, weight: Fraction) -> int:
        """A weight as a whole number. Raises Rare for one that the scale was not made for."""
        scaled = weight * self.scale
        if scaled.denominator != 1:
            raise NotCompiled
        return scaled.numerator

    def measured(self, out: Codes, start: int) -> bool:
        """Whether anything was measured since then."""
        if len(out) > start and out[start] in self.matches:
            return True
        return any(self.events[abs(code)].status in MEASURED for code in out[start:])

    def whole_match(self, out: Codes, start: int) -> bool:
        """Whether a pair of items matches as a whole. One in which nothing was measured does not, and is counted apart."""
        codes = out[start:]
        if codes and (min(codes) < 0 or codes[0] in self.matches or not self.matches.isdisjoint(codes)):
            return min(codes) > 0
        self.unmeasured_items += 1
        return False

    def worth(self, codes: Sequence[int]) -> Worth | None:
        """What a pair of items with these results is worth; None where nothing was measured."""
        right = wrong = one_sided = 0
        for code in codes:
            if code > 0:
                right += code in self.matches
            elif self.events[-code].status in ONE_SIDED:
                one_sided += 1
            else:
                wrong += 1
        whole = Confusion(right, wrong, one_sided).of_both
        return Worth(right, whole) if whole else None
