"""Excel workbooks: cells as they were saved, and a place such as `Answers!C7` for each that cannot be read."""

from __future__ import annotations

import datetime
import gzip
import random
import re
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from msgspec.structs import replace

import evaluators
from evaluators.model.issues import Blame, CellError, Problems, extra_hint
from evaluators.model.rows import MISSING
from evaluators.testsets.documents import open_file
from evaluators.testsets.reader import Reader, all_chunks
from evaluators.testsets.workbook import MOST_CHARACTERS, MOST_ROWS, place_of, time_text
from tests.kit import cli

SHEET_PART = "xl/worksheets/sheet1.xml"
MIDNIGHT = datetime.datetime(2026, 3, 1)


def book(place: Path, *rows: Sequence[Any], change: Callable[[Any], object] = lambda sheet: None) -> Path:
    """A workbook with one sheet, "Answers", of these rows; `change` may do what else is wanted."""
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = "Answers"
    for row in rows:
        sheet.append(list(row))
    change(sheet)
    made.save(place)
    return place


def edited(place: Path, change: Callable[[str], str], part: str = SHEET_PART) -> Path:
    """The workbook with the text of one part changed."""
    with zipfile.ZipFile(place) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    before = parts[part].decode()
    parts[part] = change(before).encode()
    assert parts[part].decode() != before
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return place


def opened(place: Path, **settings: Any) -> Reader:
    return open_file(place.name, place.parent, settled=lambda source: replace(source, **settings))


def cells(table: Reader, column: str) -> list[Any]:
    return [cell for chunk in all_chunks(table, [column]) for cell in chunk.columns[column]]


def numbers(table: Reader) -> list[int]:
    return [table.first_number + offset for chunk in all_chunks(table, []) for offset in chunk.offsets]


def said(cell: Any) -> str:
    assert isinstance(cell, CellError)
    assert cell.issue.blame is Blame.TESTSET
    return cell.issue.message


def problem_of(place: Path, **settings: Any) -> tuple[str, str]:
    with pytest.raises(Problems) as caught:
        cells(opened(place, **settings), "a")
    (issue,) = caught.value.issues
    return issue.message, issue.hint or ""


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("007", "007"),
        ("5", "5"),
        (5, 5),
        (-3, -3),
        (5.0, 5),
        (5.25, 5.25),
        (2**60 + 0.0, float(2**60)),
        (True, True),
        ('{"a": [1, 2]}', '{"a": [1, 2]}'),
        ("one\ntwo  ", "one\ntwo  "),
        ("a_x000D_b _x005F_x000D_", "a\rb _x000D_"),
        (MIDNIGHT, "2026-03-01T00:00:00"),
        (MIDNIGHT.date(), "2026-03-01"),
        (MIDNIGHT.replace(hour=14, minute=30), "2026-03-01T14:30:00"),
        (datetime.time(3, 4), "03:04:00"),
        (datetime.timedelta(hours=26, minutes=3), "26:03:00"),
        (None, ""),
    ],
)
def test_a_cell_is_read_as_it_was_saved(tmp_path: Path, written: Any, read: Any) -> None:
    table = opened(book(tmp_path / "rows.xlsx", ["a", "b"], [written, "x"]))
    (found,) = cells(table, "a")
    assert (found, type(found)) == (read, type(read))
    assert cells(table, "nobody knows") == [MISSING]


@pytest.mark.parametrize(
    ("number_format", "read"),
    [
        ("yyyy-mm-dd", "2026-03-01"),
        ("[$-407]d. mmmm yyyy", "2026-03-01"),
        ('dd.mm.yyyy "hours"', "2026-03-01"),
        ("dd.mm.yyyy hh:mm", "2026-03-01T00:00:00"),
    ],
)
def test_a_date_at_midnight_is_a_date_alone_unless_it_is_shown_with_its_time(
    tmp_path: Path, number_format: str, read: str
) -> None:
    def shown(sheet: Any) -> None:
        sheet["A2"].number_format = number_format

    assert cells(opened(book(tmp_path / "rows.xlsx", ["a"], [MIDNIGHT], change=shown)), "a") == [read]
    assert time_text(MIDNIGHT.replace(second=1), number_format) == "2026-03-01T00:00:01"


def test_lengths_of_time() -> None:
    assert time_text(datetime.timedelta(seconds=1.5), "[h]:mm") == "00:00:01.500000"
    assert time_text(-datetime.timedelta(minutes=90), "[h]:mm") == "-01:30:00"


def test_dates_of_the_other_calendar_of_excel(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    made.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    sheet = made.active
    assert sheet is not None
    sheet.append(["a"])
    sheet.append([MIDNIGHT.date()])
    made.save(tmp_path / "rows.xlsx")
    assert cells(opened(tmp_path / "rows.xlsx"), "a") == ["2026-03-01"]


def test_a_formula_without_its_value_is_a_fault_with_its_cell(tmp_path: Path) -> None:
    place = book(tmp_path / "rows.xlsx", ["a", "b"], ["x", None], ["=A2", "y"], ["z", "=A2"], [None, "=B1"])
    table = opened(place)
    first, second, third, fourth = cells(table, "a")
    assert (first, third, fourth) == ("x", "z", "")
    assert said(second) == "the cell Answers!A3 is a formula whose value was not saved"
    assert "save it" in str(second.issue.hint)
    assert [isinstance(cell, CellError) for cell in cells(table, "b")] == [False, False, True, True]


def test_a_formula_is_its_saved_value(tmp_path: Path) -> None:
    rows = (["a", "b", "c"], ["=1+1", '=""', "=A1"])
    place = book(tmp_path / "rows.xlsx", *rows)
    values = {"1+1": "<v>2</v></c>", '""': "<v></v></c>", "A1": "<v>x</v></c>"}

    def calculated(text: str) -> str:
        for formula, value in values.items():
            kind = "" if formula == "1+1" else ' t="str"'
            text = re.sub(
                rf'<c r="(\w+)"><f>{re.escape(formula)}</f><v ?/?>(?:</v>)?</c>',
                rf'<c r="\1"{kind}><f>{formula}</f>{value}',
                text,
            )
        return text

    table = opened(edited(place, calculated))
    assert [cells(table, name) for name in "abc"] == [[2], [""], ["x"]]


def test_cells_without_a_value_to_read_are_faults_with_their_cell(tmp_path: Path) -> None:
    def change(sheet: Any) -> None:
        sheet["A4"].data_type = "s"  # a text that looks like an error
        sheet.merge_cells("B2:B3")
        sheet.merge_cells("C1:D1")

    rows = (["a", "b", "c", None], ["#N/A", "x", 1, 2], ["x" * MOST_CHARACTERS, None, 3, 4], ["#N/A", "y", 5, 6])
    table = opened(book(tmp_path / "rows.xlsx", *rows, change=change))
    assert table.header == ("a", "b", "c")
    first, second, third = cells(table, "a")
    assert said(first) == "the cell Answers!A2 holds the error #N/A"
    assert said(second).startswith("the cell Answers!A3 has 32,767 characters, the most that a cell can have")
    assert third == "#N/A"
    merged = cells(table, "b")
    assert (merged[0], merged[2]) == ("x", "y")
    assert said(merged[1]) == (
        "the cell Answers!B3 is one of the merged cells B2:B3, of which only the first has a value"
    )


def test_empty_rows_are_no_rows_and_keep_their_number(tmp_path: Path) -> None:
    rows = ([], [], ["a", None, "c"], [], [1], ["", None], [2], [None, None, None, "beyond the header"], [3])
    table = opened(book(tmp_path / "rows.xlsx", *rows))
    assert (table.header, cells(table, "a"), numbers(table)) == (("a", "column B", "c"), [1, 2, 3], [5, 7, 9])
    assert table.notes == (
        'rows.xlsx: sheet "Answers", with the header in row 3',
        'rows.xlsx: columns without a name are called by their letter, "column X": B',
    )


def test_a_header_among_the_rows_is_a_fault(tmp_path: Path) -> None:
    rows = (["a", "b"], [1, 2], [], ["Another table"], ["a", "b"], ["a", 3])
    first, title, again, last = cells(opened(book(tmp_path / "rows.xlsx", *rows)), "a")
    assert (first, title, last) == (1, "Another table", "a")
    assert said(again) == "this row has the names of the columns once more, and no values"


def test_many_rows_come_in_chunks(tmp_path: Path) -> None:
    table = opened(book(tmp_path / "rows.xlsx", ["a"], *([number] for number in range(2_500))))
    assert [chunk.count for chunk in all_chunks(table, ["a"])] == [1000, 1000, 500]
    assert cells(table, "a") == [*range(2_500)]
    long = opened(book(tmp_path / "long.xlsx", ["a"], *(["x" * 30_000] for _ in range(28))))
    assert [chunk.count for chunk in all_chunks(long, ["a"])] == [14, 14]


def sheets(place: Path) -> Path:
    made = openpyxl.Workbook()
    for title, state in (("Old", "hidden"), ("Answers", "visible"), ("Answers 2", "visible")):
        sheet = made.create_sheet(title)
        sheet.sheet_state = state
        sheet.append(["a"])
        sheet.append([title])
        sheet.append(["=A1"])
    made.remove(made.worksheets[0])
    made.active = 1
    made.save(place)
    return place


def test_the_first_sheet_that_is_not_hidden_is_read_and_others_are_named(tmp_path: Path) -> None:
    place = sheets(tmp_path / "rows.xlsx")
    table = opened(place)
    assert cells(table, "a")[0] == "Answers"
    assert table.notes == ('rows.xlsx: sheet "Answers", with the header in row 1; not read: "Old" (hidden), "Answers 2"',)
    assert cells(opened(place, sheet="Old"), "a")[0] == "Old"
    assert said(cells(opened(place, sheet="Answers 2"), "a")[1]).startswith("the cell 'Answers 2'!A3 is")
    assert problem_of(place, sheet="answers2") == ('there is no sheet "answers2"', 'did you mean "Answers 2"?')
    assert problem_of(place, sheet="?")[1] == 'the sheets are "Old", "Answers", "Answers 2"'


def test_hidden_rows_are_read_and_that_is_said(tmp_path: Path) -> None:
    def hide(sheet: Any) -> None:
        sheet.row_dimensions[2].hidden = sheet.row_dimensions[3].hidden = True

    table = opened(book(tmp_path / "rows.xlsx", ["a"], [1], [2], change=hide))
    assert (cells(table, "a"), table.notes) == ([1, 2], ("rows.xlsx: 2 hidden rows are read like the others",))


def test_numbers_that_are_shown_with_zeros_in_front_are_said(tmp_path: Path) -> None:
    def zeros(sheet: Any) -> None:
        sheet["A2"].number_format = "00000"

    table = opened(book(tmp_path / "rows.xlsx", ["a"], [123], change=zeros))
    assert cells(table, "a") == [123]
    (note,) = table.notes
    assert note.startswith("rows.xlsx: Answers!A2 is shown as 00123 and holds the number 123, which is read; cells")


@pytest.mark.parametrize(
    ("rows", "settings", "message", "hint"),
    [
        ([["a", "b", "a"]], {}, 'columns have the same name: "a" (Answers!A1 and Answers!C1)', "its own name"),
        (
            [["Report"], ["a", "b"]],
            {},
            "Answers!A1 is alone in its row, and row 2 has several cells",
            "`header_row: 2`",
        ),
        ([["a"], ["b"]], {"header_row": 5}, 'row 5 of the sheet "Answers" is empty', "`header_row: 3`"),
        (
            [["=B1", "a"]],
            {},
            "a column has no name: the cell Answers!A1 is a formula whose value was not saved",
            "save it",
        ),
        ([], {}, 'the sheet "Answers" is empty', ""),
    ],
)
def test_a_header_that_cannot_be_used(
    tmp_path: Path, rows: list[list[Any]], settings: dict[str, Any], message: str, hint: str
) -> None:
    found = problem_of(book(tmp_path / "rows.xlsx", *rows), **settings)
    assert found[0] == message
    assert hint in found[1]


def test_the_header_may_stand_in_a_row_that_is_named(tmp_path: Path) -> None:
    place = book(tmp_path / "rows.xlsx", ["Report"], [], ["a", 2026, MIDNIGHT.date()], [1, 2, 3])
    table = opened(place, header_row=3)
    assert (table.header, numbers(table)) == (("a", "2026", "2026-03-01"), [4])
    assert table.notes == ('rows.xlsx: sheet "Answers", with the header in row 3',)


def test_places() -> None:
    assert [place_of(sheet, 7, 3) for sheet in ("Blatt1", "it's 2")] == ["Blatt1!C7", "'it''s 2'!C7"]


def test_a_workbook_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = book(tmp_path / "rows.xlsx", ["a"])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    message = "Excel files need a package that is not installed"
    assert problem_of(place) == (
        message,
        extra_hint("excel"),
    )


def test_a_compressed_workbook_and_one_without_a_known_name(tmp_path: Path) -> None:
    data = book(tmp_path / "rows.xlsx", ["a"], [1]).read_bytes()
    (tmp_path / "rows.xlsx.gz").write_bytes(gzip.compress(data))
    (tmp_path / "rows").write_bytes(data)
    assert cells(open_file("rows.xlsx.gz", tmp_path), "a") == cells(open_file("rows", tmp_path), "a") == [1]


# hostile files


def test_what_is_no_workbook_is_said(tmp_path: Path) -> None:
    place = tmp_path / "rows.xlsx"
    place.write_text("a,b\n1,2\n")
    message, hint = problem_of(place)
    assert message == "the file is no Excel workbook: File is not a zip file"
    assert "format: csv" in hint
    place.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    assert "old version of Excel (.xls), or one that opens with a password" in problem_of(place)[0]
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("rows.csv", "a\n1\n")
    assert problem_of(place)[0].startswith("the file cannot be read as an Excel workbook")


def test_a_workbook_that_unpacks_without_end_is_refused_by_the_limit(tmp_path: Path) -> None:
    place = book(tmp_path / "rows.xlsx", ["a"], [1])
    with zipfile.ZipFile(place, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("xl/media/much", "w") as part:
        for _ in range(32):
            part.write(bytes(1024 * 1024))
    assert place.stat().st_size < 100_000
    test_set = {"file": str(place), "most_unpacked_gib": 0.01}
    with pytest.raises(Problems) as caught:
        evaluators.load({"test_set": test_set, "evaluators": ["exact_match"]}).run()
    (issue,) = caught.value.issues
    assert (issue.code, issue.blame) == ("too-large", Blame.TESTSET)
    assert issue.message == "the workbook is not read: it unpacks to more than 0.01 GiB"
    assert "most_unpacked_gib" in str(issue.hint)


@pytest.mark.slow
def test_a_sheet_that_says_that_it_is_large_costs_nothing(tmp_path: Path) -> None:
    place = book(tmp_path / "rows.xlsx", ["a"], [1])
    edited(place, lambda text: text.replace('<dimension ref="A1:A2"', '<dimension ref="A1:XFD1048576"'))
    assert (cells(opened(place), "a"), numbers(opened(place))) == ([1], [2])
    edited(place, lambda text: text.replace('<row r="2"', f'<row r="{MOST_ROWS * 1000}"').replace('r="A2"', ""))
    assert problem_of(place)[0] == "the sheet says that it has more than 1,048,576 rows"


def test_a_sheet_of_tags_that_never_end_is_gone_through_once(tmp_path: Path) -> None:
    place = book(tmp_path / "rows.xlsx", ["a"], [1])
    edited(place, lambda text: text.replace("</worksheet>", "<row " * 400_000 + "<mergeCell " * 100_000))
    assert problem_of(place)[0].startswith("the file cannot be read as an Excel workbook")


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    for part in (SHEET_PART, "xl/workbook.xml"):
        place = book(tmp_path / "rows.xlsx", ["a"], [1])
        edited(place, lambda text: re.sub("<(worksheet|workbook) ", rf"{bomb}<\1 ", text, count=1), part)
        assert problem_of(place)[0].startswith("the file cannot be read as an Excel workbook")


def test_damaged_workbooks_are_cells_faults_or_problems(tmp_path: Path) -> None:
    chance, place = random.Random(7), tmp_path / "rows.xlsx"
    book(place, ["a", "b"], *([f"text {number}", number] for number in range(30)))
    whole_file = place.read_bytes()
    ended = {"read": 0, "refused": 0}
    for _ in range(60):
        data = bytearray(whole_file[: chance.choice([len(whole_file), chance.randrange(len(whole_file))])])
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256) if data else 0
        place.write_bytes(data)
        blames = problems_in(place)
        ended["refused" if blames else "read"] += 1
        assert blames <= {Blame.TESTSET}
    assert all(ended.values()), ended


def problems_in(place: Path) -> set[Blame]:
    try:
        cells(opened(place), "a")
    except Problems as problems:
        return {issue.blame for issue in problems.issues}
    return set()


# commands


SUITE = """\
test_set: {test_set}
evaluators:
  - exact_match
  - json_multi_field_match: {{name: fields, fields: [city]}}
"""
ROWS = (
    ["id", "output", "expected", "kind"],
    ["01", '{"city": "Rome"}', '{"city": "Rome"}', 5],
    ["02", '{"city": "Oslo"}', '{"city": "Rome"}', 5.5],
    ["03", None, '{"city": "Rome"}', None],
)


def figures(result: Any) -> list[tuple[Any, ...]]:
    return [(one.name, one.mean, one.scored, one.invalid, one.unreadable) for one in result.evaluators]


def test_a_workbook_scores_like_the_same_rows_as_csv(tmp_path: Path) -> None:
    book(tmp_path / "rows.xlsx", *ROWS)
    lines = (
        ",".join("" if cell is None else f'"{str(cell).replace(chr(34), chr(34) * 2)}"' for cell in row) for row in ROWS
    )
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = [
        figures(evaluators.loads(SUITE.format(test_set=tmp_path / name)).run(**settings))
        for name in ("rows.csv", "rows.xlsx")
        for settings in ({}, {"workers": 2})
    ]
    assert found[0][0] == ("exact_match", pytest.approx(1 / 3), 3, 0, 0)
    assert all(one == found[0] for one in found)


def test_outputs_and_expected_answers_may_stand_in_sheets_of_their_own(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    for title, columns in (("Rows", (0, 3)), ("Model", (0, 1)), ("Truth", (0, 2))):
        sheet = made.create_sheet(title)
        if title == "Truth":
            sheet.append(["by hand"])
        for row in ROWS:
            sheet.append([row[column] for column in columns])
    made.remove(made.worksheets[0])
    made.save(tmp_path / "all.xlsx")
    (tmp_path / "suite.yaml").write_text(
        SUITE.format(
            test_set="{file: all.xlsx, output: {file: all.xlsx, sheet: Model}, "
            "expected: {file: all.xlsx, sheet: Truth, header_row: 2}}"
        ),
        encoding="utf-8",
    )
    assert figures(evaluators.load(tmp_path / "suite.yaml").run())[0][1] == pytest.approx(1 / 3)


@pytest.mark.parametrize("test_set", ["{output: {column: output, sheet: x}, file: rows.xlsx}", "{header_row: 0}"])
def test_settings_that_say_nothing_are_refused(test_set: str) -> None:
    with pytest.raises(Problems) as caught:
        evaluators.loads(SUITE.format(test_set=test_set))
    assert caught.value.issues[0].blame is Blame.CONFIG


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)

    def title(sheet: Any) -> None:
        sheet.insert_rows(1, 2)
        sheet["A1"] = "Answers of March"

    book(tmp_path / "rows.xlsx", *ROWS, ["04", "=B3", '{"city": "Rome"}', 1], change=title)
    return tmp_path


def called(*words: str) -> tuple[int, str]:
    ended = cli(*words)
    return ended.exit_code, ended.output


def test_every_command_reads_a_workbook(place: Path) -> None:
    assert (
        "`header_row: 3` under test_set, or --header-row 3, says that row 3 is the header"
        in called("init", "rows.xlsx")[1]
    )
    code, words = called("init", "rows.xlsx", "--header-row", "3", "--sheet", "Answers")
    assert (code, "output: column" in words) == (0, True), words
    text = (place / "rows.yaml").read_text(encoding="utf-8")
    assert "  sheet: Answers\n  header_row: 3\n" in text
    code, words = called("check", "rows.yaml", "--all")
    assert "looked at all 4 rows" in words, words
    code, words = called("run", "rows.yaml", "--no-results")
    assert code == 3
    told = " ".join(words.split())  # lines are broken at 80 columns
    assert 'rows.xlsx row 7, column "output": the cell Answers!B7 is a formula whose value was not saved' in told
    code, words = called("infer-schema", "rows.xlsx", "--header-row", "3", "--column", "expected")
    assert (code, '"city"' in words) == (0, True), words
    code, words = called("try", "rows.yaml", "--row", "5")
    assert "Oslo" in words
