"""The rows of a variant in `run.db`, or in memory, as figures are counted from them and readers ask for them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from evaluators.model.rows import Result
from evaluators.runs.columns import CHUNK_ROWS, Cells, MemoryColumns
from evaluators.runs.record_lines import CodedVerdict
from evaluators.runs.run_db import EXPECTED, RunDb
from evaluators.runs.run_json import damaged_run
from evaluators.runs.run_tables import rows_name
from evaluators.runs.split_rows import Layout
from evaluators.scoring.values.json_text import compact

_WATCHED: Final = msgspec.json.Decoder(tuple[tuple[int, int, int, int], ...]).decode
_VERDICT: Final = msgspec.json.Decoder(CodedVerdict).decode


class RunRows:
    """The rows of one variant of a run, read in their order, of which `RowWriter` writes more."""

    def __init__(self, file: RunDb, variant: int, layout: Layout) -> None:
        """`variant` is the index of the variant, `layout` says which columns its rows have."""
        self.file, self.variant, self.layout = file, variant, layout
        self.table = rows_name(variant)
        self.written: list[list[Result]] | None = None
        """By evaluator, what codes stand for, where they are written here."""
        self._where = str(file.path)

    @property
    def path(self) -> Path | None:
        """The file of the rows; None where they are kept in memory alone."""
        return self.file.path

    @property
    def memory(self) -> MemoryColumns | None:
        """The columns, where they are kept in memory; None where they are in a file."""
        memory = self.file.memory
        if memory is None:
            return None
        if self.variant not in memory:
            memory[self.variant] = MemoryColumns(self.layout)
        return memory[self.variant]

    def read(self, names: Sequence[str], order: str = "row") -> Iterator[Sequence[Cells]]:
        """Yields the cells of the named columns, a chunk of rows at a time, sorted by the column `order` and then by row number."""
        if self.memory is not None:
            yield from self.memory.read(names, order)
            return
        yield from self._query_columns(f"select {', '.join(names)} from {self.table} order by {order}, row")

    def read_row(self, names: Sequence[str], row: int) -> Iterator[Sequence[Cells]]:
        """The named columns of the row numbered `row` alone, which is in a file; nothing where there is no such row."""
        return self._query_columns(f"select {', '.join(names)} from {self.table} where row = ?", row)

    def _query_columns(self, text: str, *values: int) -> Iterator[Sequence[Cells]]:
        """The columns that an SQL query selects, `CHUNK_ROWS` rows at a time. `values` fill in its placeholders."""
        cursor = self.file.connection.execute(text, values)
        while some := cursor.fetchmany(CHUNK_ROWS):
            yield [*zip(*some, strict=True)]

    def split_of(self, row: int, splits: int) -> tuple[int, int] | None:
        """The index of the split that holds the row with number `row`, and the number of its first row. None where no split does, or the
        run had another number of splits than `splits`."""
        if self.file.about().get(f"{EXPECTED}{self.table}") != str(splits):
            return None
        cursor = self.select("split, first", "splits", f"and first <= {row} order by split desc limit 1")
        place: tuple[int, int] | None = cursor.fetchone()
        return place

    def has_ids(self) -> bool:
        """Whether any row has an id: the test set has a column of them."""
        some = self.file.connection.execute(f"select 1 from {self.table} where id is not null limit 1")
        return some.fetchone() is not None

    def verdicts(self) -> list[list[Result]]:
        """A list of verdicts for each evaluator, in which a row's code is the index of its verdict: those that this process has written, or
        else those that are read from the run's file."""
        return self.stored_verdicts() if self.written is None else self.written

    def stored_verdicts(self) -> list[list[Result]]:
        """By evaluator, the verdicts in the file, in the order of codes, with the counts of the fields that gates watch. Raises
        Problems (config) where a code is left out."""
        verdicts: list[list[Result]] = [[] for _ in self.layout.evaluators]
        rows = self.select("evaluator, code, verdict, watched", "verdicts", "order by evaluator, code")
        for evaluator, code, text, watched in rows:
            if not 0 <= evaluator < len(verdicts) or code != len(verdicts[evaluator]):
                raise damaged_run(f"a verdict has the code {code}, which is not the next one", self._where)
            verdict = _VERDICT(text).verdict
            verdicts[evaluator].append(replace(verdict, watched=_WATCHED(watched)) if watched else verdict)
        return verdicts

    def verdict_texts(self) -> Iterator[tuple[int, int, str]]:
        """The evaluator, the code and the text of each verdict, in order."""
        yield from self.select("evaluator, code, verdict", "verdicts", "order by evaluator, code")

    def same_codes(self) -> dict[int, dict[int, int]]:
        """By evaluator, the code under which readers know each code: verdicts that differ only in what gates look at have one
        text and get one code. An evaluator is left out where no gate looks at anything."""
        codes: dict[int, dict[int, int]] = {}
        known: dict[int, dict[str, int]] = {}
        several = "and evaluator in (select evaluator from verdicts where watched <> '') order by evaluator, code"
        for evaluator, code, text in self.select("evaluator, code, verdict", "verdicts", several):
            texts = known.setdefault(evaluator, {})
            codes.setdefault(evaluator, {})[code] = texts.setdefault(text, len(texts))
        return codes

    def pairs(self, evaluator: int) -> list[tuple[str, str]]:
        """The label pairs of an evaluator, by code."""
        return self.select("expected, output", "pairs", f"and evaluator = {evaluator} order by code").fetchall()

    def patterns(self, evaluator: int) -> list[str]:
        """The patterns of empty values of an evaluator, by code."""
        patterns = self.select("pattern", "patterns", f"and evaluator = {evaluator} order by code")
        return [pattern for (pattern,) in patterns]

    def lines(self, table: str, only: int | None = None) -> Iterator[str]:
        """The lines of the table `outcomes`, `cells` or `answers` as JSON, in the order of rows, with the row and the evaluator that each
        is about. With `only`, the lines of that row alone; answers are not kept by row."""
        more = "order by rowid" if only is None else f"and row = {only} order by rowid"
        if table == "outcomes":
            return self._outcome_lines(more)
        line = "line" if table == "answers" else """'{"row":' || row || ',"cells":' || line || '}'"""
        return (line for (line,) in self.select(line, table, more))

    def _outcome_lines(self, more: str) -> Iterator[str]:
        """The lines of outcomes as JSON, with row and evaluator put in front; `more` is the SQL that chooses and sorts them. Raises
        Problems (config) for an evaluator that is not there."""
        names = [compact(name).decode() for name in self.layout.evaluators]
        for row, evaluator, line in self.select("row, evaluator, substr(line, 2)", "outcomes", more):
            if not 0 <= evaluator < len(names):
                raise damaged_run(f"the run has no evaluator {evaluator}", f"{self._where}, outcomes")
            yield f'{{"row":{row},"evaluator":{names[evaluator]},{line}'

    def size(self, table: str) -> int:
        """How many lines a table has."""
        count: int = self.select("count(*)", table).fetchone()[0]
        return count

    def has_row(self, row: int) -> bool:
        """Whether there is a row of that number."""
        cursor = self.file.connection.execute(f"select 1 from {self.table} where row = ?", (row,))
        return cursor.fetchone() is not None

    def select(self, what: str, table: str, more: str = "") -> sqlite3.Cursor:
        """Runs the query `select what from table` over the lines of this variant; `more` is SQL that follows."""
        return self.file.connection.execute(f"select {what} from {table} where variant = {self.variant} {more}")
