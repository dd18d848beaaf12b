"""The steps of a plan that read: each distinct need of the evaluators has a slot, in the order of first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.builtin._evaluator import outer_keys
from evaluators.limits import WorkLimits
from evaluators.needs import Column, EmptyExpected, Expected, Need, Output, Part, Text, Wanted, values_at
from evaluators.plan import cells
from evaluators.plan.cells import Cells
from evaluators.suite.graph import EvaluatorLine, Parse
from evaluators.values.json_choice import LENIENT, Pick, Search, Want

STRICT: Final = Search(lenient=False)


ColumnStep: TypeAlias = Callable[[list[Cells], int], Cells]
"""From the columns that a step reads, and the number of rows, to the column that it fills."""


class Step(Struct, frozen=True):
    """One step: what it does, in words, the slots it reads and the slot it fills."""

    does: str
    reads: tuple[int, ...]
    fills: int
    run: ColumnStep


class Reading(Struct, frozen=True):
    """How outputs are read where an evaluator says nothing else."""

    parse: Parse = "lenient"
    unreadable: str = "fail"
    empty_expected: EmptyExpected = "invalid"
    """What an expected cell without an answer is, where the answer is compared as text or as it stands."""
    pick: Pick = "fitting"
    limits: WorkLimits = WorkLimits()
    """How much a row may cost."""


class Lookup(Struct, frozen=True):
    """How the document of an output cell is chosen: the slot of the cells read as JSON, and the kind that is wanted."""

    whole: int
    want: Wanted
    expected: int | None
    """The slot of the expected document whose kind goes first; None where `prefer` says it."""
    prefer: Want = "any"
    search: Search = LENIENT
    like: str | None = None
    """The column of that expected document."""

    def kinds(self, slots: list[Cells], index: int) -> tuple[Want, Want]:
        """The kind of document that is wanted in a row, and the kind that is preferred where its cell holds several."""
        prefer = self.prefer if self.expected is None else cells.kind_beside(slots[self.expected][index])
        return cells.want_of(self.want) or prefer, prefer


class NeedSteps:
    """Collects the slots of a plan and the steps that fill them. The first slots hold the cells of the columns."""

    def __init__(
        self, columns: Sequence[str], lines: Sequence[EvaluatorLine], roles: Mapping[str, str], reading: Reading
    ) -> None:
        self.roles, self.reading = roles, reading
        self.steps: list[Step] = []
        self.names: list[str] = []
        """What each slot holds, in words."""
        self.searched: dict[str, int] = {}
        """For each column in which JSON is looked for, the slot of the cells that are JSON as a whole."""
        self.slots: dict[object, int] = {}
        for name in columns:
            self._slot(("cell", name), f"cell {name}")
        self.keys = keys_of(lines)
        self.parts: dict[str, tuple[Column, Search]] = {}
        """The columns of which evaluators read a part, by the names that the parts have as columns of their own."""
        self.expected_of_output = self._pairs(lines)
        self.in_parts = self._in_parts(lines)
        self.prefer = self._kinds(lines)

    def _pairs(self, lines: Sequence[EvaluatorLine]) -> dict[str, str]:
        """For each output column, the expected column that its documents are compared with first."""
        pairs: dict[str, str] = {}
        for line in lines:
            for need in self._needs(line):
                if isinstance(need, Output) and need.beside is not None:
                    pairs.setdefault(need.column.spelled(self.roles), need.beside.column.spelled(self.roles))
        return pairs

    def _in_parts(self, lines: Sequence[EvaluatorLine]) -> frozenset[str]:
        """The output columns of which some evaluator wants equal parts to be the same objects."""
        needs = [need for line in lines for need in self._needs(line) if isinstance(need, Output) and need.parts]
        return frozenset(need.column.spelled(self.roles) for need in needs)

    def _kinds(self, lines: Sequence[EvaluatorLine]) -> dict[str, Want]:
        """For each output column of which only objects, or only lists, are wanted anywhere: that kind."""
        wanted: dict[str, set[Want]] = {}
        for need in (need for line in lines for need in self._needs(line)):
            if isinstance(need, Output) and need.want in ("object", "array"):
                wanted.setdefault(need.column.spelled(self.roles), set()).add(need.want)
        return {name: kinds.pop() for name, kinds in wanted.items() if len(kinds) == 1}

    def _slot(self, key: object, name: str) -> int:
        self.slots[key] = len(self.names)
        self.names.append(name)
        return self.slots[key]

    def step(self, key: object, does: str, reads: tuple[int, ...], run: ColumnStep) -> int:
        """The slot that a step fills. The step is added once for each key; `does` says in words what it does."""
        if key not in self.slots:
            self.steps.append(Step(does, reads, self._slot(key, does), run))
        return self.slots[key]

    def _needs(self, line: EvaluatorLine) -> list[Need]:
        return [self._of_parts(need, line) for need in line.settings.needs()]

    def _of_parts(self, need: Need, line: EvaluatorLine) -> Need:
        """The need, read from the parts of cells as if these were columns of their own, where it has `at`."""
        if isinstance(need, Part):
            return need
        if isinstance(need, Column):
            return self._part(need, need, line)
        found = replace(need, column=self._part(need.column, need, line))
        if isinstance(found, Output) and found.beside is not None:
            return replace(found, beside=self._of_parts(found.beside, line))
        return found

    def _part(self, column: Column, need: Need, line: EvaluatorLine) -> Column:
        if column.at is None:
            return column
        search = self._search(need, line)
        how = "" if column.role == "expected" else _how(search) if search.lenient else ", parse: strict"
        name = f"{column.spelled(self.roles)} at {column.at}{how}"
        self.parts[name] = column, search
        return Column(name, literal=True, role=column.role)

    def _cell(self, name: str) -> int:
        """The slot of the cells of a column, or of the parts of cells that stand for one."""
        key = ("cell", name)
        if key in self.slots or name not in self.parts:
            return self.slots[key]
        column, search = self.parts[name]
        whole = column.spelled(self.roles)
        if column.role == "expected":
            documents = self._expected(whole)
        else:
            pair, read, want = self.expected_of_output.get(whole), self._whole(whole, search), column.want_around
            documents = self._of_kind(whole, want, read, search, self.prefer.get(whole, "any"), pair)
        return self.step(key, f"what is in {name}", (documents,), lambda read, _: values_at(read[0], column))

    def need(self, need: Need, line: EvaluatorLine) -> int:
        """The slot that holds a need of an evaluator, with the steps that fill it."""
        need = self._of_parts(need, line)
        if isinstance(need, Part):
            return self.slots[("verdict", need.evaluator)]
        if isinstance(need, Column):
            return self._answer(need) if need.role == "expected" else self._given(need)
        if isinstance(need, Text):
            return self._text(need)
        if isinstance(need, Expected):
            return self._expected(need.column.spelled(self.roles), need.optional)
        return self._output(need, self._search(need, line))[0]

    def lookup(self, need: Need, line: EvaluatorLine) -> Lookup | None:
        """How the output document of a need is chosen from its cell; None for a need that is no output document."""
        need = self._of_parts(need, line)
        return self._output(need, self._search(need, line))[1] if isinstance(need, Output) else None

    def _search(self, need: Need, line: EvaluatorLine) -> Search:
        if (isinstance(need, Output) and not need.lenient) or (line.parse or self.reading.parse) == "strict":
            return STRICT
        return Search(pick=line.pick or self.reading.pick, keys=self.keys)

    def _text(self, need: Text) -> int:
        column, name = need.column, need.column.spelled(self.roles)
        key = ("text", name, column.absent, column.role == "expected", need.filled)
        does = f"text of {name}"
        cell = self._answer(column) if column.role == "expected" else self._cell(name)
        return self.step(key, does, (cell,), lambda read, _: cells.texts(read[0], need))

    def _given(self, column: Column) -> int:
        """The slot of cells as they are. In a column that only this evaluator calls its output, a cell too long is the output's fault."""
        name = column.spelled(self.roles)
        if column.role != "output" or name == self.roles.get("output", "output"):
            return self._cell(name)
        key = ("given", name)
        return self.step(key, f"output in {name}", (self._cell(name),), lambda read, _: cells.given_outputs(read[0]))

    def _answer(self, column: Column) -> int:
        """The slot of expected answers that are no documents. What an empty one means is a setting."""
        name, empty = column.spelled(self.roles), self.reading.empty_expected
        key = ("answer", name)
        return self.step(key, f"answer in {name}", (self._cell(name),), lambda read, _: cells.answers(read[0], empty))

    def _expected(self, name: str, optional: bool = False) -> int:
        if optional:
            column = self.parts[name][0].spelled(self.roles) if name in self.parts else name
            reads = (self._expected(name),) if ("cell", column) in self.slots else ()
            does = f"expected document in {name}, where there is one"
            return self.step(("optional", name), does, reads, cells.documents_if_any)
        key = ("expected", name)
        does = f"expected document in {name}"
        return self.step(key, does, (self._cell(name),), lambda read, _: cells.expected_documents(read[0]))

    def _output(self, need: Output, search: Search) -> tuple[int, Lookup]:
        """The slot of the output documents, and how each is chosen."""
        name = need.column.spelled(self.roles)
        whole = self._whole(name, search)
        pair = self.expected_of_output.get(name)
        beside = need.beside.column.spelled(self.roles) if need.beside else None
        if need.want == "like_expected" and beside is not None:
            return self._like(name, beside, whole, search), Lookup(
                whole, need.want, self._expected(beside), search=search, like=beside
            )
        want = cells.want_of(need.want) or "any"
        prefer = self.prefer.get(name, "any")
        slot = self._of_kind(name, want, whole, search, prefer, pair)
        lookup = Lookup(whole, want, None if pair is None else self._expected(pair), prefer, search, pair)
        return slot if beside in (None, pair) else self._sharing_equal(slot, name, str(beside)), lookup

    def _like(self, name: str, beside: str, whole: int, search: Search) -> int:
        """The slot of output documents, each of the kind (object or list) that its expected document has."""
        key = ("output like", name, beside, search)
        parts = name in self.in_parts
        return self.step(
            key,
            f"output document in {name}, of the kind in {beside}{_how(search)}; the same object where they are equal",
            (whole, self._expected(beside)),
            lambda read, _: cells.outputs_like(read[0], read[1], parts),
        )

    def _of_kind(self, name: str, want: Want, whole: int, search: Search, prefer: Want, pair: str | None) -> int:
        """The slot of output documents of one kind. Those equal to the document in column `pair` are the same object."""
        key = ("output", name, want, search)
        does = f"output document in {name} ({want}{_how(search)})"
        if pair is None:
            return self.step(key, does, (whole,), lambda read, _: cells.outputs_of_kind(read[0], want, prefer))
        parts = name in self.in_parts
        return self.step(
            key,
            f"{does}; the same object where it equals {pair}",
            (whole, self._expected(pair)),
            lambda read, _: cells.outputs_of_kind_beside(read[0], read[1], want, parts),
        )

    def _sharing_equal(self, documents: int, name: str, expected: str) -> int:
        """The slot of output documents where one that equals its expected document is that very object.

        Comparing the two then costs nothing. `documents` is the slot of those in column `name`, `expected` the other column.
        """
        key = ("beside", documents, expected)
        does = f"the same object where {name} equals {expected}"
        reads = documents, self._expected(expected)
        return self.step(key, does, reads, lambda read, _: cells.outputs_beside(read[0], read[1]))

    def _whole(self, name: str, search: Search) -> int:
        """The slot of output cells read as JSON; a text that holds more than JSON waits there for a document to be chosen."""
        key = ("whole", name, search)
        cell, beside = self._cell(name), self.expected_of_output.get(name)
        does = f"JSON in {name}, read whole"
        if beside is None:
            slot = self.step(key, does, (cell,), lambda read, _: cells.whole_outputs(read[0], search))
        else:
            parts = name in self.in_parts
            slot = self.step(
                key,
                f"{does}; parsed once where it is the text of {beside}",
                (cell, self._cell(beside), self._expected(beside)),
                lambda read, _: cells.whole_outputs_beside(read[0], read[1], read[2], search, parts),
            )
        if search.lenient:
            self.searched.setdefault(name, slot)
        return slot


def keys_of(lines: Sequence[EvaluatorLine]) -> frozenset[str]:
    """The keys at the top of documents that the suite names anywhere."""
    return frozenset().union(*(outer_keys(line.settings) for line in lines))


def _how(search: Search) -> str:
    return "" if search.pick == "fitting" else f", pick: {search.pick}"
