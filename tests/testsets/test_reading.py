"""Files as programs and people leave them: lines above the header, other encodings and names, and settings that do not fit."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluators.model.issues import CellError, Issue, Problems
from evaluators.model.settings import BadSettings
from evaluators.testsets.columns import DELIMITERS
from evaluators.testsets.reader import rows_of
from evaluators.testsets.test_set import TestSet
from tests.kit import cli, read_yaml, write_rows
from tests.testsets.kit import open_set

CASES: Final = read_yaml(Path(__file__).with_name("reading.yaml"))


def read(test_set: TestSet) -> list[list[Any]]:
    """Number, output and expected answer of every row."""
    columns = test_set.columns
    return [[number, *cells] for number, cells in rows_of(test_set, [columns.output or "", columns.expected or ""])]


def refused(settings: Any, folder: Path) -> Issue:
    """The first problem that keeps a file from being read."""
    with pytest.raises((Problems, BadSettings)) as caught:
        open_set(folder, settings)
    if isinstance(caught.value, Problems):
        return caught.value.issues[0]
    detail = caught.value.details[0]  # type: ignore[attr-defined]  # what else is raised
    return Issue(detail.code, None, detail.message, hint=detail.hint)  # type: ignore[arg-type]  # nobody is asked for the blame


@pytest.mark.parametrize("case", CASES, ids=[case["it"] for case in CASES])
def test_a_file_is_read_or_refused_with_a_way_out(case: dict[str, Any], tmp_path: Path) -> None:
    for name, text in case["files"].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text.encode(case.get("encoding", "utf-8")))
    settings = case["test_set"]
    if "says" in case:
        issue = refused(settings, tmp_path)
        assert case["says"] in issue.message
        assert issue.hint
        if "then" not in case:
            return
        settings = {**(settings if isinstance(settings, Mapping) else {"file": settings}), **case["then"]}
        for name, value in case["then"].items():
            word = f"leave out `{name}`" if value is None else f"`{name}: {value}`"
            assert word in issue.hint
    test_set = open_set(tmp_path, settings)
    test_set = test_set.variant(case["variant"]) if "variant" in case else test_set
    if "faults" in case:
        assert sum(isinstance(cell, CellError) for _, cell, _ in read(test_set)) == case["faults"]
        return
    assert read(test_set) == case["rows"]
    assert case.get("notes", "") in "\n".join(test_set.notes)


# --- drawn tables

LETTERS: Final = "abzäéßЖ日 0159.,;|\t\"'="
CELL: Final = st.text(alphabet=LETTERS, max_size=12)
TITLES: Final = st.lists(st.text(alphabet="abc xyz", min_size=1, max_size=20).filter(str.strip), min_size=1, max_size=3)


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, str, list[tuple[str, str]]]:
    """A table as text, its delimiter and its rows."""
    delimiter = draw(st.sampled_from(sorted(DELIMITERS.values())))
    rows = draw(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=8))
    return written(delimiter, rows), delimiter, rows


def written(delimiter: str, rows: list[tuple[str, str]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "output", "expected"), *((str(index), *row) for index, row in enumerate(rows))])
    return out.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("drawn")


@given(
    table=tables(),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]),
    said=st.booleans(),
)
def test_a_table_reads_back_the_same_whatever_it_is_written_with(
    folder: Path, table: tuple[str, str, list[tuple[str, str]]], encoding: str, said: bool
) -> None:
    text, delimiter, rows = table
    text = f"sep={delimiter}\r\n{text}" if said else text
    (folder / "rows.csv").write_bytes(text.encode(encoding))
    settings: dict[str, Any] = {"file": "rows.csv"}
    if encoding.startswith("utf-16-"):
        issue = refused(settings, folder)
        assert f"`encoding: {encoding}`" in (issue.hint or "")
        settings["encoding"] = encoding
    assert read(open_set(folder, settings)) == [[number, *row] for number, row in enumerate(rows, start=2)]


@given(table=tables(), titles=TITLES, blank=st.integers(0, 2), padded=st.booleans())
def test_lines_above_the_header_are_never_taken_for_it(
    folder: Path, table: tuple[str, str, list[tuple[str, str]]], titles: list[str], blank: int, padded: bool
) -> None:
    text, delimiter, rows = table
    above = [f"{title}{2 * delimiter if padded else ''}" for title in titles]
    (folder / "rows.csv").write_text("\r\n".join([*above, *[""] * blank, text]), encoding="utf-8", newline="")
    issue, header = refused("rows.csv", folder), len(titles) + blank + 1
    assert f"`header_row: {header}`" in (issue.hint or "")
    found = read(open_set(folder, {"file": "rows.csv", "header_row": header}))
    assert found == [[number, *row] for number, row in enumerate(rows, start=header + 1)]


@given(rows=st.lists(st.tuples(st.integers(0, 999).map(str), CELL.filter(str.strip)), min_size=2, max_size=8))
def test_a_table_without_a_header_is_never_read_without_a_word(folder: Path, rows: list[tuple[str, str]]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter="\t", quoting=csv.QUOTE_ALL).writerows(rows)
    (folder / "rows.tsv").write_text(out.getvalue(), encoding="utf-8", newline="")
    assume(rows[0][0] != rows[0][1])
    assert "looks like a row of cells" in refused("rows.tsv", folder).message
    settings = {"file": "rows.tsv", "columns": {"output": rows[0][0], "expected": rows[0][1]}}
    assert any("looks like a row of cells" in note for note in open_set(folder, settings).notes)


# --- on the command line


def test_a_first_suite_says_that_there_is_no_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.tsv").write_text("1\tParis\tOslo\n2\tRome\tRome\n", encoding="utf-8")
    done = cli("init", "rows.tsv")
    assert done.exit_code == 3
    assert "looks like a row of cells" in done.output
    assert not Path("rows.yaml").exists()


def test_a_file_of_the_command_line_is_not_read_as_the_suite_reads_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("March\noutput;expected\na;a\n", encoding="utf-8")
    write_rows(Path("rows.jsonl"), [{"output": "a", "expected": "a"}])
    Path("suite.yaml").write_text(
        "test_set: {file: rows.csv, delimiter: semicolon, header_row: 2}\nevaluators: [exact_match]\n", encoding="utf-8"
    )
    assert cli("run", "suite.yaml", "--no-results").exit_code == 0
    assert cli("run", "suite.yaml", "rows.jsonl", "--no-results").exit_code == 0
    asked = cli("run", "suite.yaml", "rows.jsonl", "--no-results", "--header-row", "2")
    assert (asked.exit_code, "`header_row` is for csv, tsv and xlsx files" in asked.output) == (2, True)
