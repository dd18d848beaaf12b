"""`run.db`: the file of a run while it is written, where it cannot be, and what it says of itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evaluators.model.issues import Blame, Problems
from evaluators.model.rows import Result, RowStatus
from evaluators.reports.document import Paragraph
from evaluators.reports.runs_page import runs_page
from evaluators.runs import run_tables
from evaluators.runs.label_pairs import NO_LABELS
from evaluators.runs.recorder import Recording
from evaluators.runs.row_writer import RowWriter
from evaluators.runs.run_db import RunDb
from evaluators.runs.run_listing import ListedRun, State, list_runs
from evaluators.runs.run_rows import RunRows
from evaluators.runs.split_result import Part, SplitResult
from evaluators.runs.split_rows import Layout, SplitRows
from tests.kit import problem_of

LAYOUT = Layout(("one", "an other\nevaluator"), ("country",))
NOTHING = Recording(0, "none", small=0)


def part(index: int, rows: int = 5, **more: Any) -> Part:
    columns: dict[str, list[Any]] = {
        "row": list(range(rows)), "id": [f"r{number}" for number in range(rows)], "given": [7] * rows,
        "slice0": ["nl"] * rows, "code0": [0] * rows, "code1": [0] * rows,
    }  # fmt: skip
    verdicts = [[Result(RowStatus.SCORED, True, 1, 1)]] * 2
    return Part(SplitRows({**columns, **more}, verdicts), SplitResult(index, rows=rows, span=rows))


def filled(writer: RowWriter, splits: int) -> RowWriter:
    writer.begin(2)
    for index in range(writer.splits, splits):
        writer.add(part(index), NOTHING, index * 5)
    return writer


def numbers(rows: RunRows) -> list[int]:
    return [row for (column,) in rows.read(["row"]) for row in column]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "runs" / "x").mkdir(parents=True)
    return tmp_path / "runs" / "x" / "run.db"


@pytest.fixture
def db(file: Path) -> Iterator[RunDb]:
    with closing(RunDb(file)) as found:
        yield found


def test_somebody_reads_what_is_written_so_far(file: Path, db: RunDb) -> None:
    writer = RowWriter(RunRows(db, 0, LAYOUT))
    for splits in (1, 2, 3):
        filled(writer, splits)
        with closing(RunDb(file, readonly=True)) as other:
            other.check_rows(LAYOUT, 1)
            assert numbers(RunRows(other, 0, LAYOUT)) == list(range(2, 2 + 5 * splits))
            assert other.splits() == splits


def test_a_reader_writes_nothing(file: Path, db: RunDb) -> None:
    filled(RowWriter(RunRows(db, 0, LAYOUT)), 1)
    with closing(RunDb(file, readonly=True)) as other, pytest.raises(sqlite3.OperationalError, match="readonly"):
        other.connection.execute("delete from rows0")


def test_two_processes_never_store_one_split(file: Path, db: RunDb) -> None:
    writer = filled(RowWriter(RunRows(db, 0, LAYOUT)), 1)
    with closing(RunDb(file)) as other:
        filled(RowWriter(RunRows(other, 0, LAYOUT)), 2)
        with pytest.raises(Problems, match="another process goes on with this run"):
            writer.add(part(1), NOTHING, 5)
    assert numbers(writer.rows) == list(range(2, 12))


def test_a_split_that_was_stopped_is_scored_again(db: RunDb) -> None:
    writer = filled(RowWriter(RunRows(db, 0, LAYOUT)), 2)
    stopped = part(2, rows=3)
    stopped.sums.finished = False
    writer.add(stopped, NOTHING, 10)
    assert numbers(writer.rows) == list(range(2, 15))
    again = RowWriter(RunRows(db, 0, LAYOUT))
    filled(again, 4)
    assert numbers(again.rows) == list(range(2, 22))


@pytest.mark.parametrize("name", ["a b", "50%", "x?mode=rw", "#1", "\u00e9", "a\udcffb"])
def test_a_folder_may_be_called_anything(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with closing(RunDb(tmp_path / name / "run.db")) as db:
        filled(RowWriter(RunRows(db, 0, LAYOUT)), 1)
    with closing(RunDb(tmp_path / name / "run.db", readonly=True)) as db:
        assert db.splits() == 1
    assert [path.name for path in (tmp_path / name).iterdir()] == ["run.db"]


def test_the_columns_say_what_they_hold(db: RunDb) -> None:
    filled(RowWriter(RunRows(db, 0, LAYOUT)), 1)
    said = {name: (holds, subject) for name, holds, subject, _ in db.connection.execute("select * from columns")}
    assert said.keys() == set(LAYOUT.names)
    assert said["slice0"] == ("slice", "country")
    assert said["code1"] == ("code in the table verdicts", "an other\nevaluator")


def test_a_file_that_takes_nothing_is_told_and_the_columns_stay_in_memory(file: Path) -> None:
    columns = Layout(tuple(f"e{number}" for number in range(2_000)))  # more than SQLite takes
    many = {f"code{place}": [0] * 5 for place in range(2_000)} | {"slice0": []}
    with closing(RunDb(file)) as db:
        writer = RowWriter(RunRows(db, 0, columns))
        writer.begin(2)
        given = part(0, **many)
        del given.rows.columns["slice0"]
        given.rows.verdicts = given.rows.verdicts[:1] * 2_000
        writer.add(given, NOTHING, 0)
        assert numbers(writer.rows) == [2, 3, 4, 5, 6]
        assert len(writer.rows.verdicts()) == 2_000
        assert db.refused is not None
        assert (db.refused.blame, db.refused.where) == (Blame.ENVIRONMENT, str(file.parent))
        assert "too many columns on rows0" in db.refused.message


def test_a_file_that_has_splits_and_takes_no_more_keeps_them(file: Path, db: RunDb) -> None:
    writer = filled(RowWriter(RunRows(db, 0, LAYOUT)), 1)
    db.connection.execute("pragma max_page_count = 1")  # never less than there are
    with pytest.raises(Problems, match="the run folder cannot be written: no space left on device"):
        writer.add(part(1, rows=50_000), NOTHING, 5)
    assert numbers(writer.rows) == [2, 3, 4, 5, 6]
    assert db.refused is None
    with closing(RunDb(file, readonly=True)) as other:
        assert other.splits() == 1


def test_what_is_noted_is_there_whole_or_not_at_all(file: Path, db: RunDb) -> None:
    seen = []
    with closing(sqlite3.connect(file)) as other:
        about = "select count(*) from about"
        db.connection.set_trace_callback(lambda _: seen.append(other.execute(about).fetchone()[0]))
        db.note({str(number): "x" for number in range(7)})
        db.connection.set_trace_callback(None)
        assert other.execute(about).fetchone()[0] == 7
    assert len(seen) > 7
    assert {*seen} == {0}


def test_what_is_noted_already_is_not_written(db: RunDb) -> None:
    filled(RowWriter(RunRows(db, 0, LAYOUT)), 1).expect(3)
    db.connection.execute("pragma query_only = on")
    RowWriter(RunRows(db, 0, LAYOUT)).expect(3)
    with pytest.raises(Problems, match="the run folder cannot be written"):
        RowWriter(RunRows(db, 0, LAYOUT)).expect(4)
    assert (db.refused, db.splits(), db.expected_splits()) == (None, 1, 3)


def test_an_older_sqlite_scores_in_memory(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with closing(RunDb(file)) as db:
        assert numbers(filled(RowWriter(RunRows(db, 0, LAYOUT)), 2).rows) == list(range(2, 12))
        assert db.refused is not None
        assert "is older than 3.37, which run.db needs" in db.refused.message


def test_what_was_being_written_when_the_program_ended_is_taken_back(file: Path, tmp_path: Path) -> None:
    """A journal beside the file: a reader takes nothing back, whoever lists or goes on does."""
    with closing(RunDb(file)) as db:
        filled(RowWriter(RunRows(db, 0, LAYOUT)), 2)
        db.connection.execute("pragma cache_size = 1")
        db.connection.execute("begin immediate")
        db.connection.executemany("insert into cells values (0, ?, ?)", ((row, "x" * 500) for row in range(2_000)))
        ended = tmp_path / "ended"
        (ended / "y").mkdir(parents=True)
        for path in file.parent.iterdir():
            (ended / "y" / path.name).write_bytes(path.read_bytes())
        db.connection.execute("rollback")
    assert (ended / "y" / "run.db-journal").stat().st_size > 0
    (run,) = list_runs(ended)
    assert (run.state, run.splits) == ("unfinished", (2, None))
    with closing(RunDb(ended / "y" / "run.db")) as db:
        writer = RowWriter(RunRows(db, 0, LAYOUT))
        assert writer.begin(2) is not None
        assert (numbers(writer.rows), writer.rows.size("cells")) == (list(range(2, 12)), 0)


DAMAGE = {
    "update verdicts set verdict = 'nojson' where code = 0": "malformed",
    "update rows0 set code0 = 77 where row = 3": "in the column code0 of rows0, 0 to 0 can be; found 0 to 77",
    "update rows0 set code1 = -1 where row = 3": "found -1 to 0",
    "update rows0 set given = -1": "in the column given of rows0",
    "insert into pairs values (0, 9, 0, 'a', 'b')": "a line of pairs has the code 0 of evaluator 9",
    "insert into patterns values (0, 0, 0, '[]')": "a line of patterns has the code 0 of evaluator 0",
    "update verdicts set code = 1": "a verdict has the code 1, which is not the next one",
    "insert into rows0 select row + 50, id, given, slice0, code0, code1 from rows0": "its splits have 10 rows; found 20",
    "delete from rows0 where row = 4": "its splits have 10 rows; found 9",
    "update rows0 set row = 500 where row = 4": "in the column row of rows0, 2 to 11 can be; found 2 to 500",
    "update splits set first = 3 where split = 0": "its split 0 does not follow",
    "update splits set sums = x'3030'": "the sums of a split cannot be read",
}
"""What somebody does to the file of a run with two splits, and what is told of it."""


@pytest.mark.parametrize("statement", DAMAGE)
def test_a_damaged_file_is_told_before_a_run_goes_on_with_it(file: Path, db: RunDb, statement: str) -> None:
    filled(RowWriter(RunRows(db, 0, LAYOUT)), 2)
    db.connection.execute(statement)
    with closing(RunDb(file)) as other:
        other.check_rows(LAYOUT, 1, begun=True)
        issue = problem_of(lambda: RowWriter(RunRows(other, 0, LAYOUT)).begin(2))
    assert (issue.code, issue.where) == ("damaged-run", str(file))
    assert DAMAGE[statement] in issue.message


def test_a_run_that_has_begun_may_lack_the_rows_of_a_variant_and_has_no_others(file: Path, db: RunDb) -> None:
    filled(RowWriter(RunRows(db, 0, LAYOUT)), 1)
    db.check_rows(LAYOUT, 2, begun=True)
    with pytest.raises(Problems, match="it has no table rows1"):
        db.check_rows(LAYOUT, 2)
    db.connection.execute("alter table rows0 rename to rows2")
    with pytest.raises(Problems, match="it has a table rows2, which no run makes"):
        db.check_rows(LAYOUT, 2, begun=True)


@pytest.mark.parametrize("value", ["²", "٣", "9" * 5_000, "", "-1", "1e3"])
def test_a_listing_survives_what_is_no_number_of_splits(file: Path, db: RunDb, value: str) -> None:
    filled(RowWriter(RunRows(db, 0, LAYOUT)), 1)
    db.note({"splits of rows0": value})
    (run,) = list_runs(file.parent.parent)
    assert (run.state, run.splits) == ("unfinished", (1, None))


def test_answers_of_a_split_that_was_stopped_go_with_it(db: RunDb) -> None:
    def asked(index: int, finished: bool = True) -> Part:
        found = part(index)
        found.sums.finished = finished
        found.rows.answers += [b'{"places":[[%d,"one","a"]]}' % row for row in range(5)]
        return found

    writer = RowWriter(RunRows(db, 0, LAYOUT))
    writer.begin(2)
    writer.add(asked(0), NOTHING, 0)
    writer.add(asked(1, finished=False), NOTHING, 5)
    again = RowWriter(RunRows(db, 0, LAYOUT))
    again.begin(2)
    assert again.rows.size("answers") == 5
    again.add(asked(1), NOTHING, 5)
    assert [*again.rows.lines("answers")] == [f'{{"places":[[{row},"one","a"]]}}' for row in range(2, 12)]


def test_a_row_that_is_there_is_not_told_as_another_process(db: RunDb) -> None:
    writer = filled(RowWriter(RunRows(db, 0, LAYOUT)), 1)
    db.connection.execute("insert into rows0 values (8, 'x', 7, 'nl', 0, 0)")
    issue = problem_of(lambda: writer.add(part(1), NOTHING, 5))
    assert (issue.code, issue.where, "rows0.row" in issue.message) == ("damaged-run", str(db.path), True)
    assert db.splits() == 1


def test_a_file_that_is_damaged_while_it_is_written_is_told(file: Path) -> None:
    with closing(RunDb(file)) as db:
        writer = filled(RowWriter(RunRows(db, 0, LAYOUT)), 1)
        db.note({"suite": "1"})
        data = bytearray(file.read_bytes())
        data[4096:] = b"\7" * (len(data) - 4096)
        file.write_bytes(data)
        db.connection.execute("pragma cache_size = 0")
        for write in (partial(writer.add, part(1), NOTHING, 5), partial(RowWriter(RunRows(db, 0, LAYOUT)).begin, 2)):
            assert problem_of(write).code == "damaged-run"


def test_what_sqlite_finds_is_told_in_one_line(file: Path) -> None:
    with closing(RunDb(file)) as db:
        filled(RowWriter(RunRows(db, 0, LAYOUT)), 1)
        RowWriter(RunRows(db, 0, LAYOUT)).begin(2)
        db.connection.execute("insert into cells select 0, row, hex(zeroblob(9000)) from rows0")
    data = bytearray(file.read_bytes())
    data[-4096:] = b"\7" * 4096
    file.write_bytes(data)
    with closing(RunDb(file, readonly=True)) as db:
        issue = problem_of(lambda: db.check_rows(LAYOUT, 1))
    assert (issue.code, "\n" in issue.message, "***" in issue.message) == ("damaged-run", False, False)


@pytest.mark.parametrize(
    ("states", "which"),
    [
        (["stopped"], "a run that was stopped"),
        (["finished", "unfinished", "stopped"], "an unfinished run"),
        (["finished"], None),
    ],
)
def test_a_list_of_runs_says_how_to_go_on(states: list[State], which: str | None) -> None:
    page = runs_page(Path("runs"), [ListedRun(f"r{at}", Path("runs"), state) for at, state in enumerate(states)])
    notes = [block.text for block in page.sections[0].blocks if isinstance(block, Paragraph)]
    said = [note for note in notes if "--resume" in note]
    assert said == ([] if which is None else [f"`evaluators run SUITE --name NAME --resume` goes on with {which}."])


def test_each_table_says_what_it_holds() -> None:
    assert all("\n  -- " in columns for columns in run_tables.TABLES.values())


LABELLED = Layout(("one", "other"), ("country",), labelled=(0,))


def labelled(index: int, expected: list[str]) -> Part:
    """A split of rows that expect these texts, each row with one of its own."""
    found = part(index, len(expected), pair0=list(range(len(expected))))
    found.rows.pairs[0] = [(text, text) for text in expected]
    return found


def stored_pairs(db: RunDb) -> int:
    return int(db.connection.execute("select count(*) from pairs").fetchone()[0])


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("path", ["file", None])
def test_free_text_leaves_no_label_pairs(request: pytest.FixtureRequest, path: str | None, again: bool) -> None:
    with closing(RunDb(None if path is None else request.getfixturevalue(path))) as db:
        writer = RowWriter(RunRows(db, 0, LABELLED))
        writer.begin(2)
        for index in range(4):
            if again and path:
                writer = RowWriter(RunRows(db, 0, LABELLED))
                writer.begin(2)
            writer.add(labelled(index, [f"={index} {number}" for number in range(20)]), NOTHING, 20 * index)
            assert stored_pairs(db) == (20 * (index + 1) if index < 2 else 0)
        codes = [code for (column,) in writer.rows.read(["pair0"]) for code in column]
        assert codes == [*range(40), *[NO_LABELS] * 40]


def test_a_split_without_labels_takes_those_of_the_splits_before_away(db: RunDb) -> None:
    writer = RowWriter(RunRows(db, 0, LABELLED))
    writer.begin(2)
    writer.add(labelled(0, ["=a", "=b"]), NOTHING, 0)
    writer.add(part(1, pair0=[NO_LABELS] * 5), NOTHING, 2)
    assert stored_pairs(db) == 0
