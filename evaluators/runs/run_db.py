"""`run.db`: all that a run keeps of its rows, in one SQLite file that is written split by split, in their order.

A split is one transaction, so that a run that was ended has its first splits and nothing else; whoever goes on takes the next one. Row
numbers and codes are those of the run from the start. Figures are counted from it at the end, and readers ask it.

Without a file, columns stay in memory as they come, and nothing is kept that figures are not counted from. The same happens where
the file takes nothing at all; `RunDb.refused` then says why.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems, encodable
from evaluators.model.rows import Result
from evaluators.runs.columns import CHUNK_ROWS, Cells, MemoryColumns
from evaluators.runs.label_pairs import NO_LABELS, LabelPair, too_many
from evaluators.runs.record_lines import CodedVerdict, code_text
from evaluators.runs.recorder import Recording
from evaluators.runs.run_json import damaged
from evaluators.runs.run_tables import (
    RUN_DB,
    check_file,
    check_pages,
    check_tables,
    connection,
    create_tables,
    described,
    make_table,
    rows_name,
    rows_table,
)
from evaluators.runs.split_result import SplitResult, opened, sealed
from evaluators.runs.split_rows import KeptOutcome, Layout, Part
from evaluators.runs.store import unwritten
from evaluators.scoring.values.json_text import compact, parse
from evaluators.scoring.values.sqlite_file import closed_on_error

__all__ = ["RUN_DB", "RunDb", "RunRows", "damage_named"]

_WATCHED: Final = msgspec.json.Decoder(tuple[tuple[int, int, int, int], ...]).decode
_QUERY_COLUMNS: Final = 500
"""Columns that one query looks at: SQLite gives 2,000 back."""
_VERDICT: Final = msgspec.json.Decoder(CodedVerdict).decode


class RunDb:
    """The rows of a run, in a file or in memory. `rows` gives those of a variant."""

    def __init__(self, path: Path | None = None, readonly: bool = False) -> None:
        """Opens the file, which has tables afterwards; memory without one.

        Raises Problems: (config) for a file that no run of this version has written, (environment) where the system does not take it.
        """
        self.path = path
        self.refused: Issue | None = None
        """Why the rows are in memory, where the file was meant to have them."""
        self.memory: dict[int, MemoryColumns] | None = {} if path is None else None
        """The columns of each variant, where they are in memory."""
        if path is not None and (readonly or (os.path.lexists(path) and path.stat().st_size)):
            self.connection = _opened(path, readonly)
        else:
            self.connection = self._made()

    def _made(self) -> sqlite3.Connection:
        """A new database with the tables of a run; in memory where the file takes none."""
        if self.path is not None and self.memory is None:
            try:
                db = connection(self.path)
                with closed_on_error(db):
                    create_tables(db)
            except sqlite3.Error as error:
                self.refused, self.memory = self.refusal(error), {}
            else:
                return db
        db = connection(None)
        create_tables(db)
        return db

    def give_up(self, error: sqlite3.OperationalError) -> None:
        """Goes on in memory, with nothing in it, where the file has no split yet. Raises Problems (environment) where it has."""
        if self.memory is not None or self._has_splits():
            raise Problems([self.refusal(error)]) from error
        self.connection.close()
        self.refused, self.memory = self.refusal(error), {}
        self.connection = self._made()

    def refusal(self, error: sqlite3.Error) -> Issue:
        """The issue (environment) of an error of SQLite, under the name of the run's folder."""
        name, folder = getattr(error, "sqlite_errorname", ""), self.path.parent if self.path is not None else Path()
        number = next((number for word, number in _SYSTEM.items() if name.startswith(word)), None)
        said = _refused_by(folder) if number is None else OSError(number, os.strerror(number))
        return unwritten(said or OSError(str(error)), str(folder), "the run folder")

    def about(self) -> dict[str, str]:
        """What two attempts at the run must have in common."""
        with damage_named(self.path):
            found = self.connection.execute("select name, value from about").fetchall()
            if not all(isinstance(cell, str) for row in found for cell in row):
                raise ValueError("text is expected in the table about")
        return dict(found)

    def note(self, about: Mapping[str, str]) -> None:
        """Writes what another attempt must have in common with this one, all of it or nothing; what is there already is not written.

        Raises Problems (environment) where the file does not take it and has splits.
        """
        lines = _encodable(about.items())
        if dict(lines).items() <= self.about().items():
            return
        try:
            with _transaction(self):
                self.connection.executemany("insert or replace into about values (?, ?)", lines)
        except sqlite3.OperationalError as error:
            self.give_up(error)

    def splits(self) -> int:
        """How many splits are finished."""
        found: int = self.connection.execute("select count(*) from splits where finished").fetchone()[0]
        return found

    def _has_splits(self) -> bool:
        try:
            return self.splits() > 0
        except sqlite3.Error:
            return True

    def expected(self) -> int | None:
        """How many splits there will be, of the variants that have begun; None before the first has."""
        found = [value for name, value in self.about().items() if name.startswith(_EXPECTED)]
        known = [int(value) for value in found if len(value) <= _SPLIT_DIGITS and value.isascii() and value.isdecimal()]
        return sum(known) if known else None

    def check_rows(self, layout: Layout, variants: int, begun: bool = False) -> None:
        """Raises Problems (config) where the file has other tables of rows, or SQLite finds it damaged. A run that has only `begun` may
        lack those of some variants."""
        if self.path is not None and self.memory is None:
            with damage_named(self.path):
                check_tables(self.connection, self.path, layout, variants, begun)
                check_pages(self.connection, self.path)

    def rows(self, variant: int, layout: Layout) -> RunRows:
        """The rows of a variant."""
        return RunRows(self, variant, layout)

    def close(self) -> None:
        """Closes the file: it can be renamed then, on every system."""
        self.connection.close()


_SYSTEM: Final = {
    "SQLITE_FULL": errno.ENOSPC, "SQLITE_READONLY": errno.EROFS, "SQLITE_CANTOPEN": errno.EACCES, "SQLITE_PERM": errno.EACCES,
}  # fmt: skip
"""What the system had said, by SQLite's own word for it."""


_EXPECTED: Final = "splits of "
"""How the names begin under which it is noted how many splits a table of rows will have."""
_SPLIT_DIGITS: Final = 9
"""How long a number of splits may be."""
_SPLIT_BYTES: Final = 64 * 1024**2
"""More than what a split adds to the file."""


def _refused_by(folder: Path) -> OSError | None:
    """What the system says of a file as large as those of a run in the folder; SQLite does not tell. None where it takes one."""
    from tempfile import TemporaryFile

    try:
        size = sum(entry.stat().st_size for entry in os.scandir(folder) if entry.name.startswith(RUN_DB))
        with TemporaryFile(dir=folder) as file:
            file.truncate(size + _SPLIT_BYTES)
    except OSError as error:
        return error
    return None


def _opened(path: Path, readonly: bool) -> sqlite3.Connection:
    """A connection to a file with the tables of a run. Raises Problems."""
    check_file(path)
    with damage_named(path):
        db = connection(path, readonly)
        with closed_on_error(db):
            check_tables(db, path)
    return db


@contextmanager
def damage_named(path: Path | None) -> Iterator[None]:
    """Raises Problems (config) in place of the errors of who reads a damaged file. What is in memory alone is none: a bug stays one."""
    try:
        yield
    except (
        sqlite3.Error,
        msgspec.MsgspecError,
        LookupError,
        TypeError,
        ValueError,
        ArithmeticError,
        RecursionError,
    ) as error:
        if path is None:
            raise
        raise damaged(f"it cannot be read: {error}", str(path)) from error


class RunRows:
    """The rows of one variant: written split by split after `begin`, read in their order."""

    def __init__(self, file: RunDb, variant: int, layout: Layout) -> None:
        self._file, self._variant, self.layout = file, variant, layout
        self._table = rows_name(variant)
        self.splits, self.next_row, self._first = 0, 0, 0
        self._codes: dict[int, dict[str, int]] = {}
        self._verdicts: list[list[Result]] | None = None
        """What codes stand for, where they are written here."""
        self._pairs: dict[int, dict[LabelPair, int] | None] = {}
        """By evaluator, the codes of label pairs; None from where on it has no labels."""
        self._patterns: dict[int, dict[str, int]] = {}
        self._taken: Counter[tuple[int, str]] = Counter()
        """By evaluator and field, the rows of which the first outcomes are kept."""
        self._where = str(file.path)

    @property
    def path(self) -> Path | None:
        """The file."""
        return self._file.path

    @property
    def _memory(self) -> MemoryColumns | None:
        """The columns, where they are in memory."""
        memory = self._file.memory
        return None if memory is None else memory.setdefault(self._variant, MemoryColumns(self.layout))

    def begin(self, first: int) -> SplitResult | None:
        """Makes the table where it is not there, and gives the sums of the splits that are; None without any.

        `first` is the number of the first row. Raises Problems as `add` does, and (config) for splits that no run leaves.
        """
        try:
            self._make()
        except sqlite3.OperationalError as error:
            self._file.give_up(error)
            self._make()
        with damage_named(self._file.path):
            return self._stored_splits(first)

    def _stored_splits(self, first: int) -> SplitResult | None:
        """The sums of the splits that are stored, whose codes and rows are checked; None without any."""
        self._verdicts = self._stored_verdicts()
        self._codes = self._codes_of("verdicts", "verdict || watched", range(len(self.layout.evaluators)))
        pairs = self._codes_of("pairs", "expected, output", self.layout.labelled)
        self._pairs = {place: None if self._without_labels(place) else known for place, known in pairs.items()}
        self._patterns = self._codes_of("patterns", "pattern", self.layout.empties)
        first_ones = "and kept = 1 group by evaluator, field"
        for evaluator, name, rows in self._of("evaluator, field, count(distinct row)", "outcomes", first_ones):
            self._taken[evaluator, name] = rows
        self.splits, self._first, self.next_row, total = 0, first, first, None
        for split, at, span, sums in self._of("split, first, span, sums", "splits", "order by split"):
            one = self._sums(sums)
            if (split, at) != (self.splits, self.next_row) or span < 0:
                raise damaged(f"its split {split} does not follow the one before it", self._where)
            self.splits, self.next_row = split + 1, at + span
            if total is None:
                total = one
            else:
                total.join(one)
        if self._memory is None:
            self._check_rows(total.rows if total is not None else 0)
        return total

    def _codes_of(self, table: str, key: str, evaluators: Iterable[int]) -> dict[int, dict[Any, int]]:
        """By evaluator, the code of each text, or pair of texts, in a table. Raises Problems (config) where codes do not count from 0."""
        found: dict[int, dict[Any, int]] = {evaluator: {} for evaluator in evaluators}
        for evaluator, code, *texts in self._of(f"evaluator, code, {key}", table, "order by evaluator, code"):
            if evaluator not in found or code != len(known := found[evaluator]):
                raise damaged(f"a line of {table} has the code {code} of evaluator {evaluator}", self._where)
            known[tuple(texts) if len(texts) > 1 else texts[0]] = code
        return found

    def _check_rows(self, rows: int) -> None:
        """Raises Problems (config) for rows that the splits do not have, and for codes that stand for nothing."""
        db, counts = self._file.connection, [*map(len, self._codes.values())]
        pairs = {place: len(known) for place, known in self._pairs.items() if known is not None}
        patterns = {place: len(known) for place, known in self._patterns.items()}
        (found,) = db.execute(f"select count(*) from {self._table}").fetchone()
        if found != rows:
            raise damaged(f"its splits have {rows:,} rows; found {found:,}", self._where)
        bounds = {"row": (self._first, self.next_row), **self.layout.bounds(counts, pairs, patterns)}
        names = list(bounds)
        for at in range(0, len(names) if rows else 0, _QUERY_COLUMNS):
            some = names[at : at + _QUERY_COLUMNS]
            ends = iter(
                db.execute(f"select {', '.join(f'min({one}), max({one})' for one in some)} from {self._table}").fetchone()
            )
            for name, least, most in zip(some, ends, ends, strict=True):
                low, high = bounds[name]
                if not low <= least <= most < high:
                    what = f"{low:,} to {high - 1:,} can be; found {least:,} to {most:,}"
                    raise damaged(f"in the column {name} of {self._table}, {what}", self._where)

    def expect(self, splits: int) -> None:
        """Notes how many splits there will be, for whoever lists a run that goes on."""
        self._file.note({f"{_EXPECTED}{self._table}": str(splits)})

    def _make(self) -> None:
        """Makes the table of the rows, and takes away what a split left that was stopped: it is scored again."""
        db = self._file.connection
        with _transaction(self._file):
            db.executemany("insert or ignore into columns values (?, ?, ?, ?)", _encodable(described(self.layout)))
            if self._file.memory is None:
                make_table(db, self._table, rows_table(self.layout))
            unfinished = self._of("min(split), min(first)", "splits", "and not finished having count(*)").fetchall()
            for split, at in unfinished:
                db.execute(f"delete from {self._table} where row >= ?", (at,))
                db.execute("delete from answers where variant = ? and split >= ?", (self._variant, split))
                for table in ("outcomes", "cells"):
                    db.execute(f"delete from {table} where variant = ? and row >= ?", (self._variant, at))
                db.execute("delete from splits where variant = ? and not finished", (self._variant,))

    def _sums(self, text: bytes) -> SplitResult:
        try:
            return opened(text, SplitResult)
        except (ValueError, RecursionError) as error:
            raise damaged(f"the sums of a split cannot be read: {error}", self._where) from None

    def add(self, part: Part, recording: Recording, rows_before: int) -> None:
        """The next split, whole, or nothing of it. `rows_before` are the rows of the splits before it.

        Raises Problems (environment) where another process has it, or the system does not take it and has taken others.
        """
        try:
            self._add(part, recording, rows_before)
        except sqlite3.OperationalError as error:
            self._file.give_up(error)
            self.begin(self._first)
            self._add(part, recording, rows_before)

    def _add(self, part: Part, recording: Recording, rows_before: int) -> None:
        sums, first = part.sums, self.next_row
        db = self._file.connection
        with _transaction(self._file):
            text = sealed(sums) if self._memory is None else b""  # nobody goes on with what is in memory
            split = self._variant, sums.index, first, sums.span, sums.finished, text
            try:
                db.execute("insert into splits values (?, ?, ?, ?, ?, ?)", split)
            except sqlite3.IntegrityError:  # it is there
                message, hint = "another process goes on with this run", "wait for its end, or stop that process"
                raise Problems([Issue("run-going", Blame.ENVIRONMENT, message, hint=hint)]) from None
            columns = self._numbered_columns(part, first)
            if self._memory is not None:
                self._memory.add(columns)
            else:
                self._insert(zip(*(columns.get(name, ()) for name in self.layout.names), strict=True))
                self._add_lines(part, recording, rows_before, first)
        self.splits, self.next_row = sums.index + 1, first + sums.span

    def _insert(self, rows: Iterable[Sequence[Any]]) -> None:
        marks = ", ".join("?" * len(self.layout.names))
        self._file.connection.executemany(f"insert into {self._table} values ({marks})", rows)

    def _add_lines(self, part: Part, recording: Recording, rows_before: int, first: int) -> None:
        """Outcomes, cells and answers of a split; those that a run keeps while it is small go when it no longer is."""
        db, kept = self._file.connection, part.rows
        was_small, rows = rows_before <= recording.small, rows_before + part.sums.rows
        small = rows <= recording.small
        outcomes = self._outcomes(kept.outcomes, first, recording, small)
        db.executemany("insert into outcomes values (?, ?, ?, ?, ?, ?)", outcomes)
        if was_small and not small and recording.most is not None:
            db.execute("delete from outcomes where variant = ? and kept = 0", (self._variant,))
        if recording.keeps_cells(rows):
            cells = ((self._variant, first + offset, line.decode()) for offset, line in kept.cells)
            db.executemany("insert into cells values (?, ?, ?)", cells)
        elif was_small:
            db.execute("delete from cells where variant = ?", (self._variant,))
        split = part.sums.index
        answers = ((self._variant, split, _answer(line, first)) for line in kept.answers)
        db.executemany("insert into answers values (?, ?, ?)", answers)

    def read(self, names: Sequence[str], order: str = "row") -> Iterator[Sequence[Cells]]:
        """The named columns, some rows at a time, in the order of one column and then of rows."""
        if self._memory is not None:
            yield from self._memory.read(names, order)
            return
        yield from self._selected(f"select {', '.join(names)} from {self._table} order by {order}, row")

    def read_row(self, names: Sequence[str], row: int) -> Iterator[Sequence[Cells]]:
        """The named columns of the one row of a number, which are in a file; nothing where there is no such row."""
        return self._selected(f"select {', '.join(names)} from {self._table} where row = ?", row)

    def _selected(self, text: str, *values: int) -> Iterator[Sequence[Cells]]:
        found = self._file.connection.execute(text, values)
        while some := found.fetchmany(CHUNK_ROWS):
            yield [*zip(*some, strict=True)]

    def has_ids(self) -> bool:
        """Whether any row has an id: the test set has a column of them."""
        some = self._file.connection.execute(f"select 1 from {self._table} where id is not null limit 1")
        return some.fetchone() is not None

    def verdicts(self) -> list[list[Result]]:
        """By evaluator, what codes stand for."""
        return self._stored_verdicts() if self._verdicts is None else self._verdicts

    def _stored_verdicts(self) -> list[list[Result]]:
        found: list[list[Result]] = [[] for _ in self.layout.evaluators]
        rows = self._of("evaluator, code, verdict, watched", "verdicts", "order by evaluator, code")
        for evaluator, code, text, watched in rows:
            if not 0 <= evaluator < len(found) or code != len(found[evaluator]):
                raise damaged(f"a verdict has the code {code}, which is not the next one", self._where)
            one = _VERDICT(text).verdict
            found[evaluator].append(replace(one, watched=_WATCHED(watched)) if watched else one)
        return found

    def verdict_texts(self) -> Iterator[tuple[int, int, str]]:
        """The evaluator, the code and the text of each verdict, in order."""
        yield from self._of("evaluator, code, verdict", "verdicts", "order by evaluator, code")

    def codes_told(self) -> dict[int, dict[int, int]]:
        """By evaluator, the code that each code has where verdicts of one text have one; nothing where each has a text of its own."""
        found: dict[int, dict[int, int]] = {}
        known: dict[int, dict[str, int]] = {}
        several = "and evaluator in (select evaluator from verdicts where watched <> '') order by evaluator, code"
        for evaluator, code, text in self._of("evaluator, code, verdict", "verdicts", several):
            texts = known.setdefault(evaluator, {})
            found.setdefault(evaluator, {})[code] = texts.setdefault(text, len(texts))
        return found

    def pairs(self, evaluator: int) -> list[tuple[str, str]]:
        """The label pairs of an evaluator, by code."""
        return self._of("expected, output", "pairs", f"and evaluator = {evaluator} order by code").fetchall()

    def patterns(self, evaluator: int) -> list[str]:
        """The patterns of empty values of an evaluator, by code."""
        found = self._of("pattern", "patterns", f"and evaluator = {evaluator} order by code")
        return [pattern for (pattern,) in found]

    def lines(self, table: str) -> Iterator[str]:
        """The lines of a table: outcomes, cells or answers, in the order of rows, with the row and the evaluator that each is about."""
        if table == "outcomes":
            return self._outcome_lines()
        line = "line" if table == "answers" else """'{"row":' || row || ',"cells":' || line || '}'"""
        return (line for (line,) in self._of(line, table, "order by rowid"))

    def _outcome_lines(self) -> Iterator[str]:
        names = [compact(name).decode() for name in self.layout.evaluators]
        for row, evaluator, line in self._of("row, evaluator, substr(line, 2)", "outcomes", "order by rowid"):
            if not 0 <= evaluator < len(names):
                raise damaged(f"the run has no evaluator {evaluator}", f"{self._where}, outcomes")
            yield f'{{"row":{row},"evaluator":{names[evaluator]},{line}'

    def size(self, table: str) -> int:
        """How many lines a table has."""
        found: int = self._of("count(*)", table).fetchone()[0]
        return found

    def has_row(self, row: int) -> bool:
        """Whether there is a row of that number."""
        found = self._file.connection.execute(f"select 1 from {self._table} where row = ?", (row,))
        return found.fetchone() is not None

    def _of(self, what: str, table: str, more: str = "") -> sqlite3.Cursor:
        """A query over the lines of this variant in one of the tables."""
        return self._file.connection.execute(f"select {what} from {table} where variant = {self._variant} {more}")

    def _numbered_columns(self, part: Part, first: int) -> dict[str, Cells]:
        """The columns of a split, with the row numbers and the codes of the run. Verdicts and pairs that are new are written."""
        columns: dict[str, Cells] = {**part.rows.columns}
        columns["row"] = [first + offset for offset in columns.get("row", ())]
        for place, verdicts in enumerate(part.rows.verdicts):
            name = f"code{place}"
            columns[name] = _recoded(columns.get(name, ()), self._verdict_codes(place, verdicts))
        for place in self.layout.labelled:
            name, numbers = f"pair{place}", self._pair_codes(place, part)
            none = [NO_LABELS] * len(columns["row"])
            columns[name] = none if numbers is None else _recoded(columns.get(name, ()), numbers)
        for place in self.layout.empties:
            name, numbers = f"empty{place}", self._pattern_codes(place, part.rows.patterns.get(place, []))
            columns[name] = _recoded(columns.get(name, ()), numbers)
        return columns

    def _verdict_codes(self, evaluator: int, verdicts: Sequence[Result]) -> list[int]:
        """The codes of the run for the verdicts of a split."""
        known, found, new = self._codes[evaluator], [], []
        for verdict in verdicts:
            text = code_text(verdict).decode()
            watched = msgspec.json.encode(verdict.watched).decode() if verdict.watched else ""
            if (code := known.get(text + watched)) is None:
                code = known[text + watched] = len(known)
                new.append((self._variant, evaluator, code, text, watched))
                if self._verdicts is not None:
                    self._verdicts[evaluator].append(verdict)
            found.append(code)
        self._file.connection.executemany("insert into verdicts values (?, ?, ?, ?, ?)", new)
        return found

    def _without_labels(self, evaluator: int) -> bool:
        """Whether the last split has no labels of an evaluator, as all after such a one."""
        if self._memory is not None:
            return False
        last = f"select 1 from {self._table} where row = (select max(row) from {self._table}) and pair{evaluator} = {NO_LABELS}"
        return self._file.connection.execute(last).fetchone() is not None

    def _pair_codes(self, evaluator: int, part: Part) -> list[int] | None:
        """The codes of the run for the label pairs of a split; None from where on the evaluator has no labels: no pairs are kept then."""
        known, found, new = self._pairs[evaluator], [], []
        if known is None:
            return None
        for pair in ((encodable(expected), encodable(output)) for expected, output in part.rows.pairs.get(evaluator, ())):
            if (code := known.get(pair)) is None:
                code = known[pair] = len(known)
                new.append((self._variant, evaluator, code, *pair))
            found.append(code)
        expected = len({one for one, _ in known}) if new else 0
        listed, given_up = evaluator in self.layout.listed, NO_LABELS in part.rows.columns.get(f"pair{evaluator}", ())
        if given_up or (not listed and too_many(expected, len(known))):
            if part.sums.finished:  # one that was stopped is scored again
                self._pairs[evaluator] = None
                where = "variant = ? and evaluator = ?"
                self._file.connection.execute(f"delete from pairs where {where}", (self._variant, evaluator))
            return None
        self._file.connection.executemany("insert into pairs values (?, ?, ?, ?, ?)", new)
        return found

    def _pattern_codes(self, evaluator: int, patterns: Sequence[str]) -> list[int]:
        """The codes of the run for the patterns of a split."""
        known, found, new = self._patterns[evaluator], [], []
        for pattern in map(encodable, patterns):
            if (code := known.get(pattern)) is None:
                code = known[pattern] = len(known)
                new.append((self._variant, evaluator, code, pattern))
            found.append(code)
        self._file.connection.executemany("insert into patterns values (?, ?, ?, ?)", new)
        return found

    def _outcomes(
        self, outcomes: Sequence[KeptOutcome], first: int, recording: Recording, small: bool
    ) -> Iterator[tuple[int, int, int, str, int, str]]:
        """Outcomes to keep: of a run that is not small, those of the first rows of each field."""
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


@contextmanager
def _transaction(file: RunDb) -> Iterator[None]:
    """All that is written inside, or nothing of it.

    Raises sqlite3.OperationalError where the system does not take it, and Problems (config) for a file that holds what no run writes.
    """
    db = file.connection
    try:
        db.execute("begin immediate")
        yield
        db.execute("commit")
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        if file.memory is not None:
            raise
        raise damaged(f"it cannot be written: {error}", str(file.path)) from error
    finally:
        if db.in_transaction:
            db.execute("rollback")


def _recoded(codes: Cells, numbers: Sequence[int]) -> Cells:
    """Codes of a split as those of the run; what is no code stays."""
    if numbers == list(range(len(numbers))):
        return codes
    return [numbers[code] if code >= 0 else code for code in codes]


def _encodable(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    return [[encodable(cell) for cell in row] for row in rows]


def _answer(line: bytes, first: int) -> str:
    """A line of answers, with the numbers of its rows."""
    said: Any = parse(line)
    said["places"] = [[first + row, evaluator, path] for row, evaluator, path in said["places"]]
    return compact(said).decode()
