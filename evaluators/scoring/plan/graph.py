"""Which evaluator waits for which: edges from `needs:`, and from the parts of composites.

The order of evaluators in the file is free; the graph gives one in which every evaluator comes after what it waits for.

One evaluator of a suite, as its line says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.registry import suggestion
from evaluators.model.settings import Detail, Loc
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator, Part
from evaluators.scoring.needs import Condition
from evaluators.scoring.values.json_choice import Pick

Unmet: TypeAlias = Literal["fail", "skip"]
Parse: TypeAlias = Literal["lenient", "strict"]


class EvaluatorLine(Struct, frozen=True):
    """One evaluator of a suite: its settings, and when and on what it runs."""

    name: str
    settings: Evaluator
    loc: Loc = ()
    needs: tuple[str, ...] = ()
    when: tuple[Condition, ...] = ()
    unmet: Unmet = "fail"
    parse: Parse | None = None
    """None: what the test set says."""
    pick: Pick | None = None
    """Which of several documents in an output counts. None: what the test set says."""

    def with_schema(self, inferred: Mapping[str, Any] | None) -> EvaluatorLine:
        """The line with the schema that its evaluator inferred from the test set, if it has one."""
        if inferred is None or (inference := self.settings.schema_inference()) is None:
            return self
        return replace(self, settings=inference.apply(inferred))

    @property
    def cell_conditions(self) -> tuple[Condition, ...]:
        """The conditions on cells, each once: those of the evaluator, of its fields and of its rules."""
        scored = self.settings.scored_fields()
        of_fields = (condition for line in scored.lines or () for condition in line.when)
        every = (*self.when, *of_fields, *scored.conditions)
        return tuple(dict.fromkeys(condition for condition in every if condition.source == "row" and condition.values))

    @property
    def type(self) -> str:
        """The evaluator type."""
        return self.settings.type


class Edge(Struct, frozen=True):
    """`after` waits for `before`. `loc` is where the suite says so."""

    before: str
    after: str
    loc: Loc


def edges(lines: Sequence[EvaluatorLine]) -> list[Edge]:
    """Every edge between two evaluators, in the order of the file."""
    edges = []
    for line in lines:
        edges += [Edge(name, line.name, (*line.loc, "needs", index)) for index, name in enumerate(line.needs)]
        edges += [
            Edge(need.evaluator, line.name, (*line.loc, "of", need.key))
            for need in line.settings.needs()
            if isinstance(need, Part)
        ]
    return edges


def _awaited_names(lines: Sequence[EvaluatorLine]) -> dict[str, list[str]]:
    """The names of the evaluators that each evaluator waits for, by its name."""
    names: dict[str, list[str]] = {line.name: [] for line in lines}
    for edge in edges(lines):
        names[edge.after].append(edge.before)
    return names


def in_dependency_order(lines: Sequence[EvaluatorLine]) -> list[EvaluatorLine]:
    """The lines in an order in which each comes after those it waits for, otherwise that of the file."""
    by_name, before = {line.name: line for line in lines}, _awaited_names(lines)
    placed: dict[str, EvaluatorLine] = {}

    def place(name: str) -> None:
        """Puts an evaluator behind those that it needs."""
        if name not in placed:
            for other in before[name]:
                place(other)
            placed[name] = by_name[name]

    for line in lines:
        place(line.name)
    return list(placed.values())


def check_edges(lines: Sequence[EvaluatorLine], may_be_called: Callable[[str], bool]) -> list[Detail]:
    """The problems of the graph: names that no evaluator has, and evaluators that wait for each other.

    A name that `may_be_called` allows is not called unknown: it may be that of a line that could not be read.
    """
    names = [line.name for line in lines]
    details = []
    for edge in edges(lines):
        if edge.before not in names and not may_be_called(edge.before):
            hint = _replacement_hint(edge, [name for name in names if name != edge.after])
            message = f'"{edge.after}" needs "{edge.before}", and no evaluator has that name'
            named_by_key = isinstance(edge.loc[-1], str)
            details.append(Detail(edge.loc, message, hint, key=named_by_key, code="unknown-evaluator"))
    return details + [
        Detail(
            next(line.loc for line in lines if line.name == cycle[0]),
            f"evaluators need each other: {' → '.join((*cycle, cycle[0]))}",
            "take one of these needs away",
            key=True,
            code="cycle",
        )
        for cycle in cycles(lines)
    ]


def cycles(lines: Sequence[EvaluatorLine]) -> list[tuple[str, ...]]:
    """Each loop of evaluators that wait for one another, once, starting with the one that comes first in the file."""
    awaited = _awaited_names(lines)
    routes: dict[frozenset[str], tuple[str, ...]] = {}
    done: set[str] = set()

    def follow(name: str, trail: tuple[str, ...]) -> None:
        """Visits the evaluators that one waits for, and notes each circle that this closes."""
        if name in trail:
            loop = trail[trail.index(name) :]
            routes.setdefault(frozenset(loop), loop)
            return
        if name in done:
            return
        for other in awaited.get(name, ()):
            follow(other, (*trail, name))
        done.add(name)

    for line in lines:
        follow(line.name, ())
    return list(routes.values())


def _replacement_hint(edge: Edge, others: Sequence[str]) -> str:
    """A hint with the names that an evaluator could need in place of one that no evaluator has."""
    nearest = suggestion(edge.before, others)
    if nearest is not None:
        return nearest
    if edge.before in BUILTIN.names():
        return f"add it to the evaluators: - {edge.before}"
    return (
        f"it can need {', '.join(others)}" if others else "it is the only evaluator, so there is nothing that it can need"
    )
