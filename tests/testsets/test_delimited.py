"""CSV and TSV: rows are what the standard library's parser says, however the file is cut."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluators import load
from evaluators.model.issues import Blame, CellError, Issue, Problems
from evaluators.model.rows import MISSING
from evaluators.testsets import delimited, delimited_rows, row_texts
from evaluators.testsets.byte_source import ByteSource, seeming_utf16
from evaluators.testsets.reader import READERS
from tests.testsets.kit import numbered, open_reader

open_csv = partial(open_reader, format="csv")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rows.csv"


@pytest.fixture(scope="module")
def shared_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("csv") / "rows.csv"


def codes(cells: list[object]) -> set[str]:
    return {cell.issue.code for cell in cells if isinstance(cell, CellError)}


def attempt(
    call: Callable[[], list[tuple[int, list[object]]]],
) -> tuple[list[tuple[int, list[object]]] | None, tuple[Issue, ...]]:
    try:
        return call(), ()
    except Problems as problems:
        return None, problems.issues


@contextmanager
def small_pieces(split: int, cut: int) -> Iterator[None]:
    with (
        patch.object(delimited, "SPLIT_BYTES", split),
        patch.object(delimited_rows, "CHUNK_BYTES", cut),
        patch.object(row_texts, "CUT_BYTES", cut),
    ):
        yield


def test_cells_stay_text(file: Path) -> None:
    table = open_csv(file, "id,output\n007,true\nNA,1.0\n,null\n")
    assert numbered(table) == [(2, ["007", "true"]), (3, ["NA", "1.0"]), (4, ["", "null"])]


def test_a_line_break_inside_quotes_belongs_to_the_cell_and_does_not_count_as_a_row(file: Path) -> None:
    table = open_csv(file, 'id,output\r\n1,"a\r\nb\n"\r\n2,c\r\n')
    assert numbered(table) == [(2, ["1", "a\r\nb\n"]), (3, ["2", "c"])]


def test_blank_lines_are_no_rows_but_keep_their_number(file: Path) -> None:
    table = open_csv(file, "\nid,output\n\n1,a\n\n\n2,b\n\n")
    assert numbered(table) == [(4, ["1", "a"]), (7, ["2", "b"])]


def test_a_byte_order_mark_is_not_part_of_the_first_column(file: Path) -> None:
    table = open_csv(file, b"\xef\xbb\xbfid,output\n1,\xc3\xa9\n")
    assert table.header == ("id", "output")
    assert numbered(table) == [(2, ["1", "é"])]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "shift_jis", "utf-32"])
def test_another_encoding_is_named(file: Path, encoding: str) -> None:
    text = 'id,output\n1,"cafe ""x"""\n2,b\n'
    assert numbered(open_reader(file, text.encode(encoding), "csv", encoding)) == [
        (2, ["1", 'cafe "x"']),
        (3, ["2", "b"]),
    ]


def test_bytes_that_are_not_text_make_one_row_invalid(file: Path) -> None:
    table = open_csv(file, b"id,output\n1,a\n2,\xff\n3,c\n")
    (_, first), (number, second), (_, third) = numbered(table)
    assert (first, third) == (["1", "a"], ["3", "c"])
    assert number == 3
    assert codes(second) == {"undecodable-text"}


def test_utf16_without_its_name_is_recognised(file: Path) -> None:
    with pytest.raises(Problems) as caught:
        open_csv(file, "id,output\n1,a\n".encode("utf-16"))
    assert caught.value.issues[0].hint == "`encoding: utf-16` under test_set, or --encoding utf-16, reads it"


def test_an_unknown_encoding_is_a_config_problem(file: Path) -> None:
    with pytest.raises(Problems, match='unknown encoding "klingon"') as caught:
        open_reader(file, "id\n1\n", "csv", "klingon")
    assert caught.value.issues[0].blame is Blame.CONFIG


@pytest.mark.parametrize(
    ("text", "message", "cells"),
    [
        ("id,output\n1\n2,b\n", "this row has 1 cell, the header has 2", ("1", "")),
        ("id,output\n1,a,x\n2,b\n", "this row has 3 cells, the header has 2", ("1", "a,x")),
    ],
)
def test_a_ragged_row_keeps_its_place_and_its_cells_and_says_what_is_wrong(
    file: Path, text: str, message: str, cells: tuple[str, str]
) -> None:
    table = open_csv(file, text)
    (chunk,) = [chunk for chunk in table.read(table.splits()[0], ["id", "output"]) if chunk.count]
    ((position, issue),) = chunk.faults
    assert (position, issue.message, issue.blame) == (0, message, Blame.TESTSET)
    assert chunk.columns["id"] == [CellError(issue, cells[0]), "2"]
    assert chunk.columns["output"] == [CellError(issue, cells[1]), "b"]


TORN = 'id,output\n1,"a ""quoted"" b"\n2,"b\n3,c\n4,"d"\n5,"e"\n'


@pytest.mark.parametrize("cut", [1, 8, 1000])
def test_a_quote_that_a_later_row_closes_makes_its_row_invalid(file: Path, cut: int) -> None:
    with small_pieces(10_000, cut):
        table = open_csv(file, TORN)
        rows = numbered(table)
        assert [number for number, _ in rows] == [2, 3, 4]
        assert (rows[0][1], rows[2][1]) == (["1", 'a "quoted" b'], ["5", "e"])
        (issue,) = {cell.issue for cell in rows[1][1] if isinstance(cell, CellError)}
    assert (issue.code, issue.blame) == ("text-after-quote", Blame.TESTSET)
    assert issue.message == 'column "output": there is text after the quote that closes the cell: d"'
    assert issue.hint.startswith('a quote that belongs to the text is doubled: ""')


@pytest.mark.parametrize("bad", ['"a"b', '"a" ', '"a"b"', '"a""" x', '"a\n""b"c'])
@pytest.mark.parametrize("after", ["", "\n9,z\n"])
def test_text_after_a_closing_quote_is_a_problem_of_its_row_alone(file: Path, bad: str, after: str) -> None:
    rows = numbered(open_csv(file, f"output,id\nx,1\n{bad},2\n\ny,3{after}"))
    assert [codes(cells) for _, cells in rows][:3] == [set(), {"text-after-quote"}, set()]
    assert [number for number, _ in rows][:3] == [2, 3, 5]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_worked_out_and_told(file: Path, delimiter: str) -> None:
    text = '"id"X"the, output; x"X"n"\n1X"{""a"": 1, ""b"": 2}"X3\n2X"a|b"X4\n'.replace("X", delimiter)
    table = open_csv(file, text)
    assert table.header == ("id", "the, output; x", "n")
    assert bool(table.notes) == (delimiter != ",")
    assert numbered(table)[0] == (2, ["1", '{"a": 1, "b": 2}', "3"])


def test_tsv_is_cut_at_tabs_whatever_the_header_holds(file: Path) -> None:
    table = open_reader(file, 'id,x;y\toutput\n1\t"a\tb"\n', "tsv")
    assert table.header == ("id,x;y", "output")
    assert numbered(table) == [(2, ["1", "a\tb"])]
    assert table.notes == ()


def test_columns_of_the_same_name_are_a_problem(file: Path) -> None:
    with pytest.raises(Problems, match=r'"output" \(columns 2 and 3\)'):
        open_csv(file, "id,output,output\n1,a,b\n")


def test_a_column_without_a_name_is_called_by_its_place(file: Path) -> None:
    table = open_csv(file, "id,,output\n1,x,a\n")
    assert table.header == ("id", "column 2", "output")
    assert table.notes == ('rows.csv: columns without a name are called by their place, "column N": 2',)


def test_a_header_alone_has_no_rows(file: Path) -> None:
    assert numbered(open_csv(file, "id,output")) == []


@pytest.mark.parametrize("text", ["", "\n\n", "\r\n"])
def test_a_file_without_a_header_is_a_problem(file: Path, text: str) -> None:
    with pytest.raises(Problems, match="the file is empty"):
        open_csv(file, text)


def test_an_unknown_column_is_missing_in_every_row(file: Path) -> None:
    assert numbered(open_csv(file, "id\n1\n2\n"), ["nope", "id"]) == [(2, [MISSING, "1"]), (3, [MISSING, "2"])]


def test_a_compressed_file_reads_like_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"id,output\n1,a\n"))
    table = READERS.find("csv").open(ByteSource(str(path), path.name, compressed=True))
    assert numbered(table) == [(2, ["1", "a"])]
    assert len(table.splits()) == 1


def test_a_damaged_compressed_file_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"id,output\n1,a\n" * 50)[:-12])
    source = ByteSource(str(path), path.name, compressed=True)
    with pytest.raises(Problems, match="the compressed file is damaged"):
        numbered(READERS.find("csv").open(source))


@pytest.mark.parametrize("last", ['400,"never closed\n', '400,"never closed', '400,"never\n\nclosed\n'])
def test_a_quote_that_the_end_of_a_large_file_leaves_open_costs_its_row_alone(file: Path, last: str) -> None:
    text = "id,output\n" + "".join(f"{number},abc\n" for number in range(400)) + last
    with small_pieces(split=1400, cut=100):
        table = open_csv(file, text)
        assert len(table.splits()) > 1
        *rows, (_, open_quote) = numbered(table)
    assert [cells for _, cells in rows] == [[str(number), "abc"] for number in range(400)]
    assert codes(open_quote) == {"quote-not-closed"}


@pytest.mark.parametrize("size", range(95, 106))
@pytest.mark.parametrize("cut", [10, 50, 100])
def test_the_end_of_a_file_is_no_place_where_a_row_starts(file: Path, size: int, cut: int) -> None:
    text = "id,output\n" + "1,a\n" * 10 + "2," + "b" * (size - 53) + "\n"
    with small_pieces(split=20, cut=cut):
        table = open_csv(file, text)
        assert len(text) == size
        starts = list(row_texts.row_starts(io.BytesIO(text.encode())))
        assert all(0 < start < size for start in starts)
        assert [(split.note, (split.start or 0) < size) for split in table.splits()] == [(None, True)] * len(
            table.splits()
        )
        assert len(numbered(table)) == 11


def test_quotes_in_unquoted_cells_leave_the_rest_in_one_piece(file: Path) -> None:
    rows = [["1", '5" pipe'], *([str(number), f"a\n{number},b"] for number in range(2, 300))]
    text = "id,output\n" + "".join(f'{id},"{cell}"\n' if "\n" in cell else f"{id},{cell}\n" for id, cell in rows)
    with small_pieces(split=1000, cut=100):
        table = open_csv(file, text)
        assert table.splits()[-1].note
        assert [cells for _, cells in numbered(table)] == rows


cells = st.text(alphabet='ab1é"\n\r,; \x00\u2028', max_size=8)
tables = st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), max_size=30))


@given(rows=tables, line_end=st.sampled_from(["\n", "\r\n"]), cut=st.integers(5, 60))
def test_written_rows_come_back_however_the_file_is_cut(
    shared_file: Path, rows: list[list[str]], line_end: str, cut: int
) -> None:
    width = len(rows[0]) if rows else 2
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=line_end, quoting=csv.QUOTE_MINIMAL)
    writer.writerow([f"c{place}" for place in range(width)])
    # the writer leaves some cells with a lone return unquoted, and a reader ends the row there
    rows = [[cell.replace("\r", "\r\n") for cell in row] for row in rows]
    writer.writerows(rows)
    with small_pieces(split=3 * cut, cut=cut):
        table = READERS.find("csv").open(_written(shared_file, out.getvalue().encode(), ","))
        assert [cells for _, cells in numbered(table)] == rows


def _written(path: Path, content: bytes, delimiter: str | None = None) -> ByteSource:
    path.write_bytes(content)
    return ByteSource(str(path), path.name, delimiter=delimiter)


def oracle(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def torn_rows(text: str) -> set[int]:
    """The rows that a strict parser refuses for text after a closing quote, by number."""
    seen: list[str] = []
    found = set()
    lines = (seen.append(line) or line for line in io.StringIO(text, newline=""))
    for number, _ in enumerate(csv.reader(lines), start=1):
        try:
            list(csv.reader(io.StringIO("".join(seen), newline=""), strict=True))
        except csv.Error as error:
            if "expected after" in str(error):
                found.add(number)
        seen.clear()
    return found


@given(body=st.text(alphabet='ab"\n\r, \x00', max_size=120), cut=st.integers(3, 30))
@example(body='x"y,"\n","\n"\na,b\n', cut=3)
@example(body="aaaaaaaaaa\n\x00\n\x00", cut=3)
def test_any_text_reads_the_same_however_it_is_cut_or_says_that_it_cannot(shared_file: Path, body: str, cut: int) -> None:
    text = "id,output\n" + body
    with small_pieces(split=3 * cut, cut=cut):
        found, problems = attempt(lambda: numbered(READERS.find("csv").open(_written(shared_file, text.encode(), ","))))
    if found is None:
        seems_utf16 = seeming_utf16(text.encode()) is not None
        assert [issue.code for issue in problems] == ["undecodable-text" if seems_utf16 else "uneven-quotes"]
        return
    wanted = [(number, row) for number, row in enumerate(oracle(text), start=1) if row and number > 1]
    assert [number for number, _ in found] == [number for number, _ in wanted]
    torn = torn_rows(text)
    for (number, cells), (_, row) in zip(found, wanted, strict=True):
        if codes(cells) == {"quote-not-closed"}:
            assert number == wanted[-1][0]
        elif number in torn:
            assert codes(cells) == {"text-after-quote"}
        else:
            assert cells == row or (codes(cells) == {"ragged-row"} and len(row) != 2)


@given(
    content=st.binary(max_size=200),
    encoding=st.sampled_from(["utf-8", "utf-16", "latin-1", "cp1252"]),
    format=st.sampled_from(["csv", "tsv"]),
)
def test_any_bytes_are_rows_faults_or_problems(shared_file: Path, content: bytes, encoding: str, format: str) -> None:
    _, problems = attempt(lambda: numbered(open_reader(shared_file, content, format, encoding)))
    assert all(issue.blame is Blame.TESTSET for issue in problems)


@pytest.mark.parametrize("beginning", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
def test_a_workbook_is_called_one(file: Path, beginning: bytes) -> None:
    with pytest.raises(Problems, match="looks like an Excel workbook"):
        open_csv(file, beginning + b"\x14\x00, more\n1,2\n")


@pytest.mark.slow
def test_a_compressed_file_that_unpacks_without_end_stops_at_a_stated_size(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "rows.csv.gz", "wb") as stream:
        stream.write(b"id,output,expected\n" + b"1,a,a\n" * 2_000_000)
    test_set = {"file": str(tmp_path / "rows.csv.gz"), "most_unpacked_gib": 0.005}
    with pytest.raises(Problems, match=r"it unpacks to more than 0\.005 GiB") as error:
        load({"evaluators": ["exact_match"], "test_set": test_set}).run()
    assert "most_unpacked_gib" in str(error.value.issues[0].hint)
