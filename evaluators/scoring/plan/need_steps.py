"""The steps of a plan that read: each distinct need of the evaluators has a slot, in the order of first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.limits import WorkLimits
from evaluators.scoring.evaluators._evaluator import outer_keys
from evaluators.scoring.needs import Column, EmptyExpected, Expected, Need, Output, Part, Text, Wanted, values_at
from evaluators.scoring.plan import cells
from evaluators.scoring.plan.cells import Cells
from evaluators.scoring.plan.graph import EvaluatorLine, Parse
from evaluators.scoring.values.json_choice import LENIENT, Pick, Search, Want

STRICT: Final = Search(lenient=False)


class Step(Struct, frozen=True):
    """One step: a function from the columns that it reads, with some settings, to the column that it fills."""

    does: str
    """The step in words."""
    run: Callable[..., Cells]
    reads: tuple[int, ...]
    """The slots of the columns. A step that reads none gets one in which every row is missing."""
    settings: Mapping[str, Any]
    """What `run` is called with beside the columns, by the name of the parameter."""
    fills: int
    key: tuple[object, ...] | None = None
    """What it makes of which columns of cells: steps of any two plans that have one key fill the same. None where only this plan has it."""


class Reading(Struct, frozen=True):
    """The settings by which outputs are read where an evaluator has none of its own."""

    parse: Parse = "lenient"
    unreadable: str = "fail"
    empty_expected: EmptyExpected = "invalid"
    """What an expected cell without an answer is, where the answer is compared as text or as it stands."""
    pick: Pick = "fitting"
    limits: WorkLimits = WorkLimits()
    """How much a row may cost."""


class Lookup(Struct, frozen=True):
    """The way in which the document of an output cell is chosen: the slot of the cells read as JSON, and the kind that is wanted."""

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
    """Collects the steps that fill the slots of a plan. The first slots hold the cells of the columns."""

    def __init__(
        self, columns: Sequence[str], lines: Sequence[EvaluatorLine], roles: Mapping[str, str], reading: Reading
    ) -> None:
        """Notes what the needs of all `lines` ask of each output column; no step is made yet. `roles` maps roles to columns,
        and `reading` has the suite's settings for how cells are read."""
        self.columns, self.roles, self.reading = columns, roles, reading
        self.steps: list[Step] = []
        self.searched: dict[str, int] = {}
        """For each column in which JSON is looked for, the slot of the cells that are JSON as a whole."""
        self.verdicts: dict[str, int] = {}
        """For each evaluator that has its steps, the slot of its verdicts."""
        self._keys: list[str | int | tuple[object, ...]] = [*columns]
        """By slot, what it is filled with: the name of a column, or the key of a step; the slot itself where only this plan has it."""
        self._shared: dict[tuple[object, ...], int] = {}
        """The slots of steps that evaluators share, by what the steps do."""
        self.keys = keys_of(lines)
        self.parts: dict[str, tuple[Column, Search]] = {}
        """The columns of which evaluators read a part, by the names that the parts have as columns of their own."""
        self.expected_of_output: dict[str, str] = {}
        """For each output column, the expected column that its documents are compared with first."""
        self.kinds: dict[str, set[Want]] = {}
        """For each output column of which objects or lists are wanted: these kinds."""
        for need in [self._with_part_columns(need, line) for line in lines for need in line.settings.needs()]:
            if isinstance(need, Output):
                name = need.column.name_by(roles)
                if need.beside is not None:
                    self.expected_of_output.setdefault(name, need.beside.column.name_by(roles))
                if need.want in ("object", "array"):
                    self.kinds.setdefault(name, set()).add(need.want)

    def add(self, does: str, run: Callable[..., Cells], reads: tuple[int, ...], **settings: Any) -> int:
        """Adds a step, and gives the slot that it fills. `does` says in words what it does."""
        return self._add(Step(does, run, reads, settings, len(self._keys)))

    def _add(self, step: Step) -> int:
        """Adds a step, and gives the slot that it fills."""
        self.steps.append(step)
        self._keys.append(step.fills if step.key is None else step.key)
        return step.fills

    def share(self, does: str, run: Callable[..., Cells], reads: tuple[int, ...], **settings: Any) -> int:
        """The slot of the step that does the same to the same columns; where there is none, a step is added."""
        sources = [self._keys[slot] for slot in reads]
        key = (run, *sources, *settings.values())
        if key not in self._shared:
            own = any(isinstance(source, int) for source in sources)
            self._shared[key] = self._add(Step(does, run, reads, settings, len(self._keys), None if own else key))
        return self._shared[key]

    def _preferred_kind(self, name: str) -> Want:
        """The kind of document that is preferred in an output column: object or array where only that is wanted anywhere, else any."""
        kinds = self.kinds.get(name, set())
        return next(iter(kinds)) if len(kinds) == 1 else "any"

    def _with_part_columns(self, need: Need, line: EvaluatorLine) -> Need:
        """The need, read from the parts of cells (`at`) as if these were columns of their own; the same need where it has none."""
        if isinstance(need, Part):
            return need
        if isinstance(need, Column):
            return self._part_column(need, need, line)
        replaced = replace(need, column=self._part_column(need.column, need, line))
        if isinstance(replaced, Output) and replaced.beside is not None:
            return replace(replaced, beside=self._with_part_columns(replaced.beside, line))
        return replaced

    def _part_column(self, column: Column, need: Need, line: EvaluatorLine) -> Column:
        """The column of the part of a cell that `at` names, as if it were a column of its own, which is noted in `parts`; the column itself
        without `at`."""
        if column.at is None:
            return column
        search = self._search(need, line)
        how = "" if column.role == "expected" else _reading_words(search) if search.lenient else ", parse: strict"
        name = f"{column.name_by(self.roles)} at {column.at}{how}"
        self.parts[name] = column, search
        return Column(name, literal=True, role=column.role)

    def _slot_of_column(self, name: str) -> int:
        """The slot of the cells of a column. For a part of a cell (`at`) the steps that take it out are added, unless they are there."""
        if name not in self.parts:
            return self.columns.index(name)
        column, search = self.parts[name]
        whole = column.name_by(self.roles)
        if column.role == "expected":
            documents = self._slot_of_expected(whole)
        else:
            documents = self._slot_of_kind(whole, column.want_around, self._slot_of_whole(whole, search), search)
        return self.share(f"what is in {name}", values_at, (documents,), column=column)

    def slot_of_need(self, need: Need, line: EvaluatorLine) -> tuple[int, Lookup | None]:
        """The slot that holds a need of an evaluator, and how an output document is chosen from its cell, None for any other need. Adds the
        steps that are missing."""
        need = self._with_part_columns(need, line)
        if isinstance(need, Part):
            return self.verdicts[need.evaluator], None
        if isinstance(need, Output):
            return self._slot_of_outputs(need, self._search(need, line))
        if isinstance(need, Text):
            return self._slot_of_texts(need), None
        if isinstance(need, Expected):
            name = need.column.name_by(self.roles)
            return self._slot_of_expected_if_any(name) if need.optional else self._slot_of_expected(name), None
        return self._slot_of_answers(need) if need.role == "expected" else self._slot_as_given(need), None

    def _search(self, need: Need, line: EvaluatorLine) -> Search:
        """The way in which JSON is looked for in the cells of a need."""
        if (isinstance(need, Output) and not need.lenient) or (line.parse or self.reading.parse) == "strict":
            return STRICT
        return Search(pick=line.pick or self.reading.pick, keys=self.keys)

    def _slot_of_texts(self, need: Text) -> int:
        """The slot of cells as text."""
        column, name = need.column, need.column.name_by(self.roles)
        cell = self._slot_of_answers(column) if column.role == "expected" else self._slot_of_column(name)
        return self.share(f"text of {name}", cells.texts, (cell,), absent=column.absent, filled=need.filled)

    def _slot_as_given(self, column: Column) -> int:
        """The slot of cells as they are. In a column that only this evaluator calls its output, a cell too long is the output's fault."""
        name = column.name_by(self.roles)
        if column.role != "output" or name == self.roles.get("output", "output"):
            return self._slot_of_column(name)
        return self.share(f"output in {name}", cells.given_outputs, (self._slot_of_column(name),))

    def _slot_of_answers(self, column: Column) -> int:
        """The slot of expected answers that are no documents. A setting says whether an empty one is an answer."""
        name = column.name_by(self.roles)
        return self.share(
            f"answer in {name}", cells.answers, (self._slot_of_column(name),), empty=self.reading.empty_expected
        )

    def _slot_of_expected(self, name: str) -> int:
        """The slot of the expected documents in a column."""
        return self.share(f"expected document in {name}", cells.expected_documents, (self._slot_of_column(name),))

    def _slot_of_expected_if_any(self, name: str) -> int:
        """The slot of the expected documents in a column, MISSING where a row has none or the test set lacks the column."""
        column = self.parts[name][0].name_by(self.roles) if name in self.parts else name
        reads = (self._slot_of_expected(name),) if column in self.columns else ()
        return self.share(f"expected document in {name}, where there is one", cells.documents_if_any, reads)

    def _slot_of_outputs(self, need: Output, search: Search) -> tuple[int, Lookup]:
        """The slot of the output documents that a need names, and how each is chosen from its cell; `search` says how JSON is looked for.
        Adds the steps that are missing. A document that equals the expected one beside it is that very object."""
        name = need.column.name_by(self.roles)
        whole = self._slot_of_whole(name, search)
        pair = self.expected_of_output.get(name)
        beside = need.beside.column.name_by(self.roles) if need.beside else None
        if need.want == "like_expected" and beside is not None:
            expected = self._slot_of_expected(beside)
            slot = self.share(
                f"output document in {name}, of the kind in {beside}{_reading_words(search)}; the same object where they are equal",
                cells.outputs_like, (whole, expected),
            )  # fmt: skip
            return slot, Lookup(whole, need.want, expected, search=search, like=beside)
        want = cells.want_of(need.want) or "any"
        slot = self._slot_of_kind(name, want, whole, search)
        if beside not in (None, pair):  # comparing the two then costs nothing
            does = f"the same object where {name} equals {beside}"
            slot = self.share(does, cells.outputs_beside, (slot, self._slot_of_expected(str(beside))))
        preferred = None if pair is None else self._slot_of_expected(pair)
        return slot, Lookup(whole, want, preferred, self._preferred_kind(name), search, pair)

    def _slot_of_kind(self, name: str, want: Want, whole: int, search: Search) -> int:
        """The slot of output documents of one kind. Those equal to the expected document of their row are the same object."""
        does, pair = f"output document in {name} ({want}{_reading_words(search)})", self.expected_of_output.get(name)
        if pair is None:
            return self.share(does, cells.outputs_of_kind, (whole,), want=want, prefer=self._preferred_kind(name))
        does = f"{does}; the same object where it equals {pair}"
        reads = whole, self._slot_of_expected(pair)
        return self.share(does, cells.outputs_of_kind_beside, reads, want=want)

    def _slot_of_whole(self, name: str, search: Search) -> int:
        """The slot of output cells read as JSON; a text that holds more than JSON is a `SearchedCell` there. Notes the slot in
        `searched`."""
        cell, beside = self._slot_of_column(name), self.expected_of_output.get(name)
        does = f"JSON in {name}, read whole"
        if beside is None:
            slot = self.share(does, cells.whole_outputs, (cell,), search=search)
        else:
            does = f"{does}; parsed once where it is the text of {beside}"
            reads = cell, self._slot_of_column(beside), self._slot_of_expected(beside)
            slot = self.share(does, cells.whole_outputs_beside, reads, search=search)
        if search.lenient:
            self.searched.setdefault(name, slot)
        return slot


def keys_of(lines: Sequence[EvaluatorLine]) -> frozenset[str]:
    """The keys at the top of documents that the suite names anywhere."""
    return frozenset().union(*(outer_keys(line.settings) for line in lines))


def _reading_words(search: Search) -> str:
    """What a step says of how documents are picked, where it is not the usual way."""
    return "" if search.pick == "fitting" else f", pick: {search.pick}"
