"""A run folder, read: what every report, page, export, comparison and piece of advice is made from.

Nothing here scores. Rows come one after the other with their verdicts, and with the outcomes and the cells that were kept. `run.db` is
opened for each question and closed after it, so that a folder that was read can be moved. What it holds is checked as it is read
(`record_checks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.model.issues import Problems
from evaluators.model.rows import Result
from evaluators.runs.record_checks import (
    LinesByRow,
    checked_rows,
    read_cells,
    read_outcomes,
    read_verdict,
    result_and_facts,
    run_file_bytes,
    stored_rows,
)
from evaluators.runs.record_facts import RecordedVariant, RecordFacts
from evaluators.runs.record_lines import CellsLine, OutcomeLine, Recorded, RowLine, records_by_evaluator
from evaluators.runs.result import RunResult
from evaluators.runs.run_db import RUN_DB, RunDb, damage_as_problem
from evaluators.runs.run_json import damaged_run, read_environment, run_body
from evaluators.runs.run_rows import RunRows
from evaluators.runs.store import ENVIRONMENT_JSON, RUN_JSON
from evaluators.scoring.judges.answer_lines import AnswerLine, read_answer
from evaluators.scoring.values.files import note_listing
from evaluators.scoring.values.quoting import quote

_FEW_LINES: Final = 10_000
"""Outcomes that are kept once they were read."""


CellsAgain: TypeAlias = Callable[[str | None, int | None], Iterator[CellsLine]]
"""The cells of a variant from the test set, in the order of rows, or those around the row of a number."""
Matches: TypeAlias = Callable[[str | None, int | None], Iterator[OutcomeLine]]
"""All that evaluators with a schema find in whole documents of a variant, in the order of rows, or in those of the row of a number."""


class RecordedRow(Struct):
    """One row."""

    number: int
    id: str
    given: str
    """A checksum of what the row gives, the outputs apart."""
    cluster: str | None
    slices: Sequence[str]
    verdicts: Sequence[Result]
    """In the order of the evaluators."""
    cells: Mapping[str, Any] | None = None
    """Its cells by column; None where they were not kept."""
    recorded: Mapping[str, Recorded] = field(default_factory=dict)
    """What was recorded, by evaluator."""

    @property
    def name(self) -> str:
        """The name of the row: its id, or its number where it has none."""
        return self.id or str(self.number)


class Run:
    """A run: its metrics, and its rows and their record, which are read when they are requested.

    `Run(place)` reads a run folder; of what is read, the types are checked, and what is damaged is named with its line.
    """

    place: Path
    """The folder that holds its files."""
    result: RunResult
    """All metrics, gates and problems, as data."""

    def __init__(self, place: str | Path) -> None:
        """Reads the run in a run folder, or of the `run.json` in one.

        Raises Problems (config) when there is none, or it is damaged or of another version.
        """
        place = Path(place)
        file = place / RUN_JSON if place.is_dir() else place
        result, facts = result_and_facts(run_body(run_file_bytes(file, place), str(file)), str(file))
        beside = file.with_name(ENVIRONMENT_JSON)
        if file.name == RUN_JSON and beside.exists():
            result = replace(result, environment=read_environment(run_file_bytes(beside, place), str(beside)))
        self._set_fields(file.parent, result, facts)
        note_listing(self._named_files)

    def _named_files(self) -> Iterable[str]:
        """The files that the run is made of or names, which nothing may be written over."""
        from evaluators.runs.named_files import named_by_run  # asked where something is about to be written over

        return named_by_run(self)

    @classmethod
    def of(cls, path: Path, result: RunResult, facts: RecordFacts | Problems) -> Self:
        """A run that was just scored, in the folder `path`. `facts` is the record of its rows, or the reason why they were not
        recorded."""
        run = cls.__new__(cls)
        run._set_fields(path, result, facts)
        run._checked = True  # this process has just written them
        return run

    def _set_fields(self, path: Path, result: RunResult, facts: RecordFacts | Problems) -> None:
        """Sets all fields for a run of whose rows nothing has been read yet."""
        self.place, self.result, self._facts = path, result, facts
        self._checked = False
        """Whether the tables of `run.db` were found to be those of the run, and whole."""
        self.read_cells_again: CellsAgain | None = None
        """Reads cells once more; None where the test set is not the one that was scored."""
        self.matches: Matches | None = None
        """Finds what matches in whole documents; None where that was not asked for, or cannot be had."""
        self._verdicts: dict[str | None, list[list[Result]]] = {}
        """The verdicts of variants, once they were asked for."""
        self._read: dict[str | None, tuple[OutcomeLine, ...]] = {}
        """The outcomes of small variants: reports, advice and rows.csv read them one after the other."""

    def but(
        self,
        *,
        result: RunResult | None = None,
        place: Path | None = None,
        read_cells_again: CellsAgain | None = None,
        matches: Matches | None = None,
    ) -> Self:
        """A copy of the run with another result, in another folder, with cells that are read from the test set again, or with what
        matches. What is None stays as this run has it."""
        run = copy(self)
        run.result, run.place = result or self.result, place or self.place
        run.read_cells_again, run.matches = read_cells_again or self.read_cells_again, matches or self.matches
        return run

    @property
    def facts(self) -> RecordFacts:
        """The record of the rows in `run.json`: how they are stored, their evaluators, variants and slices.

        Raises Problems (config) for a run whose rows were not recorded.
        """
        if isinstance(self._facts, Problems):
            raise self._facts
        return self._facts

    @contextmanager
    def _open_rows(self, variant: str | None) -> Iterator[RunRows]:
        """Opens the stored rows of a variant for the `with` block and closes their file after it. The tables of `run.db` are
        checked the first time.

        Raises Problems (config) where the file is not there, was written by another version, or is damaged.
        """
        file, layout = self.place / RUN_DB, self.facts.layout
        with damage_as_problem(file), closing(RunDb(file, readonly=True)) as db:
            if not self._checked:
                db.check_rows(layout, len(self.each_variant))
                self._checked = True
            yield RunRows(db, self.each_variant.index(variant), layout)

    def compared_columns(self, evaluator: str) -> tuple[str, str]:
        """The columns of the outputs and of the expected texts that an evaluator compares.

        Raises Problems (config) for a damaged record.
        """
        columns = [
            reading.column
            for recorded in self.facts.evaluators
            if recorded.name == evaluator
            for reading in recorded.readings[:2]
        ]
        if len(columns) < 2:
            text = f"it does not say which two columns {quote(evaluator)} compares"
            raise damaged_run(text, str(self.place / RUN_JSON))
        return columns[0], columns[1]

    @property
    def each_variant(self) -> tuple[str | None, ...]:
        """The variants; None alone where there are none."""
        return tuple(variant.variant for variant in self.facts.variants)

    @property
    def has_every_cell(self) -> bool:
        """Whether the cells of all rows can be read, from the run folder or from the test set again."""
        return self.read_cells_again is not None or all(variant.every_cell for variant in self.facts.variants)

    @property
    def lists_everything(self) -> bool:
        """Whether all outcomes can be listed, those of values that match among them."""
        return all(
            variant.every_outcome and (variant.matches or self.matches is not None) for variant in self.facts.variants
        )

    def each_row(
        self, variant: str | None = None, *, explained: bool = True, only: int | None = None
    ) -> Iterator[RecordedRow]:
        """The rows of a variant, in order, each with its verdicts; with `only` the row of that number alone. Where `explained`
        is False, outcomes and cells are not read.

        Raises Problems (config) for a file that is damaged or not there.
        """
        verdicts, names = self.verdicts(variant), [evaluator.name for evaluator in self.facts.evaluators]
        outcomes = LinesByRow(self._place_of("outcomes"), self.outcomes(variant, only) if explained else ())
        cells = LinesByRow(self._place_of("cells"), self._cells_of(variant, only) if explained else ())
        matches = self.matches(variant, only) if explained and self.matches is not None else ()
        whole = LinesByRow(self._place_of("outcomes"), matches)
        for line in self.row_lines(variant, verdicts, only):
            results = [known[code] for known, code in zip(verdicts, line.codes, strict=True)]
            row = RecordedRow(line.row, line.id, line.checksum or "", line.cluster, line.slices, results)
            row.recorded = records_by_evaluator(outcomes.lines_of(row.number))
            if with_matches := records_by_evaluator(whole.lines_of(row.number)):
                records = {**row.recorded, **with_matches}
                row.recorded = {name: records[name] for name in names if name in records}
            for cell in cells.lines_of(row.number):
                row.cells = cell.cells
            yield row
        outcomes.end()
        if self.read_cells_again is None:  # a run that was stopped has fewer rows than its test set
            cells.end()

    def row_lines(
        self, variant: str | None, verdicts: Sequence[Sequence[Result]], only: int | None = None
    ) -> Iterator[RowLine]:
        """The lines of a variant's rows, in order, or the one of the row `only`. `verdicts` are those of the variant, by
        evaluator: a row has a code, which is an index, into each.

        Raises Problems (config) for a file that is damaged or not there, and for codes without a verdict.
        """
        count, where = 0, self._place_of("rows")
        with self._open_rows(variant) as rows:
            for line in checked_rows(stored_rows(rows, where, only), verdicts, len(self.facts.slices), lambda _: where):
                count += 1
                yield line
        if only is None and count != (wanted := self._facts_of(variant).rows):
            raise damaged_run(f"the run has {wanted:,} rows; found {count:,}", where)

    def split_of(self, variant: str | None, row: int, splits: int) -> tuple[int, int] | None:
        """The split that holds the row with number `row`, as its index among the splits of the test set, and the number of its first
        row. None where the run had another number of splits than `splits`, or none holds the row."""
        with self._open_rows(variant) as rows:
            return rows.split_of(row, splits)

    def verdicts(self, variant: str | None = None) -> list[list[Result]]:
        """For each evaluator, its distinct verdicts; the codes of rows are indexes into these lists, which are those of the run.

        Raises Problems (config) for a damaged table.
        """
        if variant not in self._verdicts:
            self._verdicts[variant] = self._stored_verdicts(variant)
        return self._verdicts[variant]

    def _stored_verdicts(self, variant: str | None) -> list[list[Result]]:
        """The verdicts of a variant as `run.db` has them: a list for each evaluator, in the order of codes. Raises Problems (config) where
        they are damaged."""
        verdicts: list[dict[str, Result]] = [{} for _ in self.facts.evaluators]
        where, codes = self._place_of("verdicts"), [0] * len(verdicts)
        with self._open_rows(variant) as rows:
            for evaluator, code, text in rows.verdict_texts():
                if evaluator not in range(len(verdicts)):
                    raise damaged_run(f"the run has no evaluator {evaluator}", where)
                if code != codes[evaluator]:
                    raise damaged_run(f'"code" should be {codes[evaluator]}; found {code}', where)
                codes[evaluator] += 1
                if text not in verdicts[evaluator]:
                    verdicts[evaluator][text] = read_verdict(text, self.facts.evaluators[evaluator], where)
        return [list(known.values()) for known in verdicts]

    def outcomes(self, variant: str | None = None, only: int | None = None) -> Iterator[OutcomeLine]:
        """The outcomes of a variant, in the order of rows, or those of the row `only`. Those of small variants are kept once
        they were read. Raises Problems (config) for a damaged file."""
        if only is not None or self._facts_of(variant).outcomes > _FEW_LINES:
            return self._read_outcomes(variant, only)
        if variant not in self._read:
            self._read[variant] = tuple(self._read_outcomes(variant))
        return iter(self._read[variant])

    def _read_outcomes(self, variant: str | None, only: int | None = None) -> Iterator[OutcomeLine]:
        """The outcomes of a variant, read from `run.db` in the order of rows, or those of the row `only`."""
        names = {evaluator.name for evaluator in self.facts.evaluators}
        return read_outcomes(self.lines("outcomes", variant, only), names, self._places_of_lines("outcomes", only))

    def cells(self, variant: str | None = None, only: int | None = None) -> Iterator[CellsLine]:
        """The cells of a variant by row, in their order; nothing where there are none. Cells that the folder lacks come from
        the test set, if that is as it was: asked for the row `only`, it may give rows around it, too.

        Raises Problems (config) for a damaged file.
        """
        facts = self._facts_of(variant)
        if not facts.every_cell and self.read_cells_again is not None:
            return self.read_cells_again(variant, only)
        return self.kept_cells(variant, only)

    def kept_cells(self, variant: str | None = None, only: int | None = None) -> Iterator[CellsLine]:
        """The cells of a variant that the folder keeps, in the order of rows, or those of the row `only`. Raises Problems (config) for a
        damaged file."""
        facts = self._facts_of(variant)
        if not (facts.every_cell or facts.cells):
            return iter(())
        return read_cells(self.lines("cells", variant, only), self._places_of_lines("cells", only))

    def _cells_of(self, variant: str | None, only: int | None) -> Iterator[CellsLine]:
        """The cells of a variant, or those of the row `only` without the neighbours with which they come from the test set."""
        return (line for line in self.cells(variant, only) if only in (None, line.row))

    def lines(
        self, table: Literal["outcomes", "cells", "answers"], variant: str | None = None, only: int | None = None
    ) -> Iterator[str]:
        """The texts of the lines of a table, in the order of rows, or those of the row `only`. Raises Problems (config) where a
        line is no text, or where there are fewer or more lines than the run wrote."""
        count, facts = 0, self._facts_of(variant)
        with self._open_rows(variant) as rows:
            for line in rows.lines(table, only):
                if line.__class__ is not str:
                    raise damaged_run("text is expected", self._place_of(table, count + 1))
                count += 1
                yield line
        wanted = {"outcomes": facts.outcomes, "cells": facts.cells}.get(table, count)
        if only is None and count != wanted:
            raise damaged_run(f"the run wrote {wanted:,} lines; found {count:,}", self._place_of(table))

    def answers(self, variant: str | None = None) -> Iterator[AnswerLine]:
        """The recorded questions to judges and other paid comparators with their answers, in order.

        Raises Problems (config) for a damaged file.
        """
        names = {evaluator.name for evaluator in self.facts.evaluators}
        with self._open_rows(variant) as rows:
            for number, text in enumerate(rows.lines("answers"), 1):
                line = read_answer(text.encode(), where := self._place_of("answers", number))
                for row, evaluator, _ in line.places:
                    if not rows.has_row(row):
                        raise damaged_run(f"the run has no row {row}", where)
                    if evaluator not in names:
                        raise damaged_run(f"the run has no evaluator {quote(evaluator)}", where)
                yield line

    def _place_of(self, table: str, number: int | None = None) -> str:
        """The place of a table of `run.db`, or of its line with that number, as messages name it."""
        line = "" if number is None else f"line {number} of "
        return f"{self.place / RUN_DB}, {line}{table}"

    def _places_of_lines(self, table: str, only: int | None) -> Callable[[int], str]:
        """A function from the number of a line to its place. Lines of one row `only` are not counted from the first of the table, so their
        place is the table."""
        return lambda number: self._place_of(table, number if only is None else None)

    def _facts_of(self, variant: str | None) -> RecordedVariant:
        """The facts about the recorded rows of a variant."""
        return next(facts for facts in self.facts.variants if facts.variant == variant)
