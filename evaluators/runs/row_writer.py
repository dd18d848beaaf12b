"""The rows of a variant into `run.db`, split by split in their order: with the numbers and the codes of the run from the start.

A split is one transaction, whole or not there at all.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from evaluators.model.issues import Blame, Issue, Problems, encodable
from evaluators.model.rows import Result
from evaluators.runs.columns import Cells
from evaluators.runs.label_pairs import NO_LABELS, LabelPair, too_many_for_labels
from evaluators.runs.record_lines import code_text
from evaluators.runs.recorder import Recording
from evaluators.runs.run_db import EXPECTED, damage_as_problem, encodable_rows
from evaluators.runs.run_json import damaged_run
from evaluators.runs.run_rows import RunRows
from evaluators.runs.run_tables import column_descriptions, make_table, rows_table
from evaluators.runs.split_result import Part, SplitResult, pack, unpack
from evaluators.runs.split_rows import KeptOutcome
from evaluators.scoring.values.json_text import compact, parse

_QUERY_COLUMNS: Final = 500
"""Columns that one query looks at: SQLite gives 2,000 back."""


class RowWriter:
    """Writes the rows of one variant, split by split after `begin`. `rows` are those that are there."""

    def __init__(self, rows: RunRows) -> None:
        """Nothing is read or written before `begin`."""
        self._file, self.rows, self._variant, self._table = rows.file, rows, rows.variant, rows.table
        self.splits, self.next_row, self._first = 0, 0, 0
        self._codes: dict[int, dict[str, int]] = {}
        self._pairs: dict[int, dict[LabelPair, int] | None] = {}
        """By evaluator, the codes of label pairs; None from where on it has no labels."""
        self._patterns: dict[int, dict[str, int]] = {}
        self._taken: Counter[tuple[int, str]] = Counter()
        """By evaluator and field, the rows of which the first outcomes are kept."""
        self._where = str(rows.path)

    def begin(self, first: int) -> SplitResult | None:
        """Makes the table of rows where it is not there, reads what is stored, and returns the summed sums of the stored splits; None
        without any.

        `first` is the number of the first row. Raises Problems as `add` does, and (config) for splits that no run leaves.
        """
        try:
            self._make_table()
        except sqlite3.OperationalError as error:
            self._file.give_up(error)
            self._make_table()
        with damage_as_problem(self._file.path):
            return self._load_stored_splits(first)

    def _load_stored_splits(self, first: int) -> SplitResult | None:
        """Reads what the file has of this variant, checks it, and sets the known codes, the counts of kept outcomes, and the next split and
        row by it. Returns the summed sums of its splits; None without any."""
        self.rows.written = self.rows.stored_verdicts()
        self._codes = self._stored_codes("verdicts", "verdict || watched", range(len(self.rows.layout.evaluators)))
        pairs = self._stored_codes("pairs", "expected, output", self.rows.layout.labelled)
        self._pairs = {place: None if self._has_given_up_labels(place) else known for place, known in pairs.items()}
        self._patterns = self._stored_codes("patterns", "pattern", self.rows.layout.empties)
        first_ones = "and kept = 1 group by evaluator, field"
        for evaluator, name, rows in self.rows.select("evaluator, field, count(distinct row)", "outcomes", first_ones):
            self._taken[evaluator, name] = rows
        self.splits, self._first, self.next_row, total = 0, first, first, None
        for split, at, span, sums in self.rows.select("split, first, span, sums", "splits", "order by split"):
            group_sums = self._unpack_sums(sums)
            if (split, at) != (self.splits, self.next_row) or span < 0:
                raise damaged_run(f"its split {split} does not follow the one before it", self._where)
            self.splits, self.next_row = split + 1, at + span
            if total is None:
                total = group_sums
            else:
                total.join(group_sums)
        if self.rows.memory is None:
            self._check_rows(total.rows if total is not None else 0)
        return total

    def _stored_codes(self, table: str, key: str, evaluators: Iterable[int]) -> dict[int, dict[Any, int]]:
        """By evaluator, the code of each text, or pair of texts, in a table. Raises Problems (config) where codes do not count from 0."""
        codes: dict[int, dict[Any, int]] = {evaluator: {} for evaluator in evaluators}
        for evaluator, code, *texts in self.rows.select(f"evaluator, code, {key}", table, "order by evaluator, code"):
            if evaluator not in codes or code != len(known := codes[evaluator]):
                raise damaged_run(f"a line of {table} has the code {code} of evaluator {evaluator}", self._where)
            known[tuple(texts) if len(texts) > 1 else texts[0]] = code
        return codes

    def _check_rows(self, rows: int) -> None:
        """Raises Problems (config) for rows that the splits do not have, and for codes that stand for nothing."""
        db, counts = self._file.connection, [*map(len, self._codes.values())]
        pairs = {place: len(known) for place, known in self._pairs.items() if known is not None}
        patterns = {place: len(known) for place, known in self._patterns.items()}
        (count,) = db.execute(f"select count(*) from {self._table}").fetchone()
        if count != rows:
            raise damaged_run(f"its splits have {rows:,} rows; found {count:,}", self._where)
        bounds = {"row": (self._first, self.next_row), **self.rows.layout.bounds(counts, pairs, patterns)}
        names = list(bounds)
        for at in range(0, len(names) if rows else 0, _QUERY_COLUMNS):
            some = names[at : at + _QUERY_COLUMNS]
            query = ", ".join(f"min({column}), max({column})" for column in some)
            ends = db.execute(f"select {query} from {self._table}").fetchone()
            for name, least, most in zip(some, ends[::2], ends[1::2], strict=True):
                low, high = bounds[name]
                if not low <= least <= most < high:
                    what = f"{low:,} to {high - 1:,} can be; found {least:,} to {most:,}"
                    raise damaged_run(f"in the column {name} of {self._table}, {what}", self._where)

    def expect(self, splits: int) -> None:
        """Notes how many splits there will be, for lists of unfinished runs."""
        self._file.note({f"{EXPECTED}{self._table}": str(splits)})

    def _make_table(self) -> None:
        """Makes the table of the rows, and removes the rows of an unfinished split: it is scored again."""
        db = self._file.connection
        with self._file.transaction():
            db.executemany(
                "insert or ignore into columns values (?, ?, ?, ?)", encodable_rows(column_descriptions(self.rows.layout))
            )
            if self._file.memory is None:
                make_table(db, self._table, rows_table(self.rows.layout))
            unfinished = self.rows.select(
                "min(split), min(first)", "splits", "and not finished having count(*)"
            ).fetchall()
            for split, at in unfinished:
                db.execute(f"delete from {self._table} where row >= ?", (at,))
                db.execute("delete from answers where variant = ? and split >= ?", (self._variant, split))
                for table in ("outcomes", "cells"):
                    db.execute(f"delete from {table} where variant = ? and row >= ?", (self._variant, at))
                db.execute("delete from splits where variant = ? and not finished", (self._variant,))

    def _unpack_sums(self, text: bytes) -> SplitResult:
        """The sums of a stored split. Raises Problems (config) where they are damaged."""
        try:
            return unpack(text, SplitResult)
        except (ValueError, RecursionError) as error:
            raise damaged_run(f"the sums of a split cannot be read: {error}", self._where) from None

    def add(self, part: Part, recording: Recording, rows_before: int) -> None:
        """Stores the next split, as a whole or not at all. `rows_before` is how many rows the splits before it have. Where the system does
        not take the first split, this and the further ones stay in memory.

        Raises Problems (environment) where another process has stored it, or the system does not take it though it took others.
        """
        try:
            self._write_split(part, recording, rows_before)
        except sqlite3.OperationalError as error:
            self._file.give_up(error)
            self.begin(self._first)
            self._write_split(part, recording, rows_before)

    def _write_split(self, part: Part, recording: Recording, rows_before: int) -> None:
        """Writes the split in one transaction, and moves on to the next split and row. Its rows go into the database, with the lines for
        people, or without either into memory, where the run is kept there. `rows_before` is how many rows the splits before it have.
        Raises Problems (environment) where another process has stored it."""
        sums, first = part.sums, self.next_row
        db = self._file.connection
        with self._file.transaction():
            text = pack(sums) if self.rows.memory is None else b""  # only a run that is not in memory is resumed
            split = self._variant, sums.index, first, sums.span, sums.finished, text
            try:
                db.execute("insert into splits values (?, ?, ?, ?, ?, ?)", split)
            except sqlite3.IntegrityError:  # it is there
                message, hint = "another process goes on with this run", "wait for its end, or stop that process"
                raise Problems([Issue("run-going", Blame.ENVIRONMENT, message, hint=hint)]) from None
            columns = self._numbered_columns(part, first)
            if self.rows.memory is not None:
                self.rows.memory.add(columns)
            else:
                self._insert_rows(zip(*(columns.get(name, ()) for name in self.rows.layout.names), strict=True))
                self._add_lines(part, recording, rows_before, first)
        self.splits, self.next_row = sums.index + 1, first + sums.span

    def _insert_rows(self, rows: Iterable[Sequence[Any]]) -> None:
        """Inserts rows into the table of this variant."""
        marks = ", ".join("?" * len(self.rows.layout.names))
        self._file.connection.executemany(f"insert into {self._table} values ({marks})", rows)

    def _add_lines(self, part: Part, recording: Recording, rows_before: int, first: int) -> None:
        """Writes the outcomes, cells and answers of a split, and deletes those that only a small run keeps once the run is a large one.
        `rows_before` is how many rows the splits before it have, and `first` the number of its own first row."""
        db, kept = self._file.connection, part.rows
        was_small, rows = rows_before <= recording.small, rows_before + part.sums.rows
        small = rows <= recording.small
        outcomes = self._kept_outcomes(kept.outcomes, first, recording, small)
        db.executemany("insert into outcomes values (?, ?, ?, ?, ?, ?)", outcomes)
        if was_small and not small and recording.most is not None:
            db.execute("delete from outcomes where variant = ? and kept = 0", (self._variant,))
        if recording.keeps_cells(rows):
            cells = ((self._variant, first + offset, line.decode()) for offset, line in kept.cells)
            db.executemany("insert into cells values (?, ?, ?)", cells)
        elif was_small:
            db.execute("delete from cells where variant = ?", (self._variant,))
        split = part.sums.index
        answers = ((self._variant, split, _numbered_answer(line, first)) for line in kept.answers)
        db.executemany("insert into answers values (?, ?, ?)", answers)

    def _numbered_columns(self, part: Part, first: int) -> dict[str, Cells]:
        """The columns of a split, with the row numbers and the codes of the run in place of the split's own. `first` is the number of its
        first row. Verdicts, label pairs and patterns that are new are written."""
        columns: dict[str, Cells] = {**part.rows.columns}
        columns["row"] = [first + offset for offset in columns.get("row", ())]
        for place, verdicts in enumerate(part.rows.verdicts):
            name = f"code{place}"
            columns[name] = _as_run_codes(columns.get(name, ()), self._add_verdicts(place, verdicts))
        for place in self.rows.layout.labelled:
            name, numbers = f"pair{place}", self._add_pairs(place, part)
            none = [NO_LABELS] * len(columns["row"])
            columns[name] = none if numbers is None else _as_run_codes(columns.get(name, ()), numbers)
        for place in self.rows.layout.empties:
            name, numbers = f"empty{place}", self._add_patterns(place, part.rows.patterns.get(place, []))
            columns[name] = _as_run_codes(columns.get(name, ()), numbers)
        return columns

    def _add_verdicts(self, evaluator: int, verdicts: Sequence[Result]) -> list[int]:
        """Writes the verdicts of a split that are new, which get the next codes, and returns the codes of the run for all of them."""
        known, codes, new = self._codes[evaluator], [], []
        for verdict in verdicts:
            text = code_text(verdict).decode()
            watched = msgspec.json.encode(verdict.watched).decode() if verdict.watched else ""
            if (code := known.get(text + watched)) is None:
                code = known[text + watched] = len(known)
                new.append((self._variant, evaluator, code, text, watched))
                if self.rows.written is not None:
                    self.rows.written[evaluator].append(verdict)
            codes.append(code)
        self._file.connection.executemany("insert into verdicts values (?, ?, ?, ?, ?)", new)
        return codes

    def _has_given_up_labels(self, evaluator: int) -> bool:
        """Whether an evaluator has no labels from some stored split on: the last row that is stored says so."""
        if self.rows.memory is not None:
            return False
        last = f"select 1 from {self._table} where row = (select max(row) from {self._table}) and pair{evaluator} = {NO_LABELS}"
        return self._file.connection.execute(last).fetchone() is not None

    def _add_pairs(self, evaluator: int, part: Part) -> list[int] | None:
        """Writes the label pairs of a split that are new, which get the next codes, and returns the codes of the run for all of them. None
        where the split gave up its labels or the run has too many: a finished split then deletes all pairs of the evaluator for good."""
        known, codes, new = self._pairs[evaluator], [], []
        if known is None:
            return None
        for pair in ((encodable(expected), encodable(output)) for expected, output in part.rows.pairs.get(evaluator, ())):
            if (code := known.get(pair)) is None:
                code = known[pair] = len(known)
                new.append((self._variant, evaluator, code, *pair))
            codes.append(code)
        expected = len({expected for expected, _ in known}) if new else 0
        listed = evaluator in self.rows.layout.listed
        given_up = NO_LABELS in part.rows.columns.get(f"pair{evaluator}", ())
        if given_up or (not listed and too_many_for_labels(expected, len(known))):
            if part.sums.finished:  # one that was stopped is scored again
                self._pairs[evaluator] = None
                where = "variant = ? and evaluator = ?"
                self._file.connection.execute(f"delete from pairs where {where}", (self._variant, evaluator))
            return None
        self._file.connection.executemany("insert into pairs values (?, ?, ?, ?, ?)", new)
        return codes

    def _add_patterns(self, evaluator: int, patterns: Sequence[str]) -> list[int]:
        """Writes the patterns of empty values of a split that are new, which get the next codes, and returns the codes of the run for all
        of them."""
        known, codes, new = self._patterns[evaluator], [], []
        for pattern in map(encodable, patterns):
            if (code := known.get(pattern)) is None:
                code = known[pattern] = len(known)
                new.append((self._variant, evaluator, code, pattern))
            codes.append(code)
        self._file.connection.executemany("insert into patterns values (?, ?, ?, ?)", new)
        return codes

    def _kept_outcomes(
        self, outcomes: Sequence[KeptOutcome], first: int, recording: Recording, small: bool
    ) -> Iterator[tuple[int, int, int, str, int, str]]:
        """Yields the lines of the table of outcomes to keep: in a run that is not small, those of the first rows of each field, which are
        counted. `first` is the number of the split's first row. What the numbers in `kept` say is told in `KeptOutcome`."""
        last: dict[tuple[int, str], int] = {}
        most, taken = recording.most, self._taken
        for offset, evaluator, name, kept, line in outcomes:
            if kept == 1:
                if last.get(key := (evaluator, name)) != offset:
                    last[key] = offset
                    taken[key] += 1
                if most is not None and taken[key] > most:
                    kept = 0
            if small or most is None or kept:
                yield self._variant, first + offset, evaluator, name if kept == 1 else "", kept, line.decode()


def _as_run_codes(codes: Cells, numbers: Sequence[int]) -> Cells:
    """The codes of a split as those of the run; `numbers` has the run's code for each code of the split. Codes below 0, which
    stand for no verdict or pair, stay."""
    if numbers == list(range(len(numbers))):
        return codes
    return [numbers[code] if code >= 0 else code for code in codes]


def _numbered_answer(line: bytes, first: int) -> str:
    """A line of answers, in which the offsets of rows are replaced by their numbers, which count from `first`."""
    answer: Any = parse(line)
    answer["places"] = [[first + row, evaluator, path] for row, evaluator, path in answer["places"]]
    return compact(answer).decode()
