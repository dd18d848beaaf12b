"""A page on a terminal: everything in it can be read at any width, and nothing in it is taken for an instruction."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from rich.cells import cell_len

from evaluators.cli._printing import colour_lines
from evaluators.reports.document import Head, Item, Listing, Page, PageTable, Paragraph, Section
from evaluators.reports.text import page_lines, page_text

COUNTS = tuple(Head(f"so many {word}", number=True) for word in ("right", "wrong", "missing", "extra", "skipped"))
PAGE = Page(
    "prices: FAILED",
    (
        Section(None, (Paragraph("3 rows of [bold]rows.csv[/bold]"),)),
        Section(
            "Fields",
            (
                PageTable(
                    (Head("evaluator"), Head("field"), Head("found"), *COUNTS),
                    (
                        ("header", "[items] price", "mean 0.9", *["1,234,567"] * 5),
                        ("header", "見出し" * 8, ":smile: [red]", *["0"] * 5),
                    ),
                    ("bad", "good"),
                ),
                Listing((Item("a note " * 20, ("why " * 30,), ("  fields: [a, b]", "          ^"), "note"),)),
            ),
        ),
    ),
    "bad",
)
CODES = re.compile(r"\x1b\[[0-9;]*m")


def shown(width: int, page: Page = PAGE) -> str:
    return colour_lines(page_lines(page, width))


def plain(width: int, page: Page = PAGE) -> str:
    return CODES.sub("", shown(width, page))


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(cell_len(line) for line in plain(width).splitlines()) <= width


@pytest.mark.parametrize("width", [40, 60, 80, 100])
@pytest.mark.parametrize("name", ["n" * 300, "見出し" * 90, "some/long/" * 30, "word " * 60 + "end"])
@pytest.mark.parametrize("before", [(), ("header",), ("header", "a field")])
def test_a_long_name_in_any_column_is_folded_without_empty_lines(width: int, name: str, before: tuple[str, ...]) -> None:
    heads = tuple(Head(f"column {number}") for number in range(len(before) + 1))
    table = PageTable((*heads, Head("accuracy", number=True)), ((*before, name, "0.5000"), (*before, name, "0.2500")))
    lines = list(page_lines(Page("long", (Section(None, (table,)),)), width))[2:]
    assert max(cell_len(line.text) for line in lines) <= width
    assert all(line.text.strip() for line in lines)
    assert "".join(line.text for line in lines).replace(" ", "").count(name[-2:]) >= 2


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_numbers_are_never_broken_and_no_column_is_lost(width: int) -> None:
    text = plain(width)
    assert text.count("1,234,567") == 5
    for word in ("right", "wrong", "missing", "extra", "skipped"):
        assert text.count(word) == 1


def test_a_wide_terminal_shows_the_words_of_the_plain_text() -> None:
    written = [word for word in page_text(PAGE).split() if set(word) not in ({"="}, {"-"})]
    assert Counter(word for word in plain(400).split() if word != "-") == Counter(written)


def test_markup_and_emoji_of_the_user_are_text() -> None:
    text = plain(200)
    for written in ("[items] price", "[bold]rows.csv[/bold]", ":smile: [red]", "fields: [a, b]"):
        assert written in text


def test_tones_are_colours() -> None:
    text = shown(200)
    assert "\x1b[31m\x1b[1mprices: FAILED" in text
    assert re.search("\x1b\\[31m\x1b\\[1mheader", text)
    assert re.search("\x1b\\[32mheader", text)


def test_control_characters_of_the_user_do_not_reach_the_terminal() -> None:
    page = Page("a\x1b[2Jb", (Section("c\rd", (Paragraph("e\x07"),)),))
    text = plain(80, page)
    assert "\\x1b[2J" in text
    assert not re.search("[\x00-\x09\x0b-\x1f]", text)


def test_a_page_without_tables_and_an_empty_table_are_shown() -> None:
    assert plain(80, Page("x", ())) == "x\n"
    empty = Page("x", (Section(None, (PageTable((Head("only"),), ()),)),))
    assert plain(80, empty).split() == ["x", "only"]


if sys.platform != "win32":
    import pty
    import struct
    from fcntl import ioctl
    from termios import TIOCSWINSZ

    def on_a_terminal(folder: Path, columns: int, **environment: str) -> str:
        """What `run` writes to a terminal of that width."""
        words = [sys.executable, "-m", "evaluators", "run", "suite.yaml", "--no-results"]
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(folder)
            kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
            os.execve(sys.executable, words, {**kept, "PYTHONPATH": os.pathsep.join(sys.path), **environment})
        ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        written = b""
        try:
            while part := os.read(terminal, 65536):
                written += part
        except OSError:  # Linux says so when the other end is closed
            pass
        os.close(terminal)
        os.waitpid(process, 0)
        return written.decode()

    @pytest.fixture
    def folder(tmp_path: Path) -> Path:
        """A suite and its rows."""
        (tmp_path / "rows.csv").write_text('output,expected\n"{""[items] price"": 1}","{""[items] price"": 1}"\n')
        (tmp_path / "suite.yaml").write_text(
            "test_set: {file: rows.csv}\nevaluators:\n"
            "  - json_multi_field_match: {name: all_of_the_fields_of_the_header, fields: ['[\"[items] price\"]']}\n"
        )
        return tmp_path

    @pytest.mark.slow
    def test_the_command_fits_a_terminal_and_colours_it(folder: Path) -> None:
        text = on_a_terminal(folder, 80, TERM="xterm-256color")
        assert "\x1b[1m\x1b[2msuite: finished" in text  # it has no gates: neither good nor bad
        assert "1.0000" in text
        lines = CODES.sub("", text).replace("\r", "").splitlines()
        assert max(cell_len(line) for line in lines if "\x1b" not in line) <= 80

    @pytest.mark.slow
    @pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"}])
    def test_a_terminal_without_colours_gets_plain_text(folder: Path, environment: dict[str, str]) -> None:
        text = on_a_terminal(folder, 80, **environment)
        assert not CODES.search(text)
        assert "suite: finished\r\n===" in text


def test_a_page_of_the_reference_shows_code_without_its_backticks_and_keeps_its_columns(tmp_path: Path) -> None:
    """What `explain` prints on a terminal, which `script` is for it."""
    pty = pytest.importorskip("pty")
    parts: list[bytes] = []

    def read(descriptor: int) -> bytes:
        parts.append(os.read(descriptor, 65536))
        return parts[-1]

    words = [sys.executable, "-m", "evaluators", "explain", "numeric"]
    assert pty.spawn(["env", "-u", "NO_COLOR", "TERM=xterm", "COLUMNS=100", *words], read) == 0
    shown = b"".join(parts).decode("utf-8").replace("\r\n", "\n")
    assert "a tolerance with \x1b[36mabs\x1b[0m and" in shown
    lines = CODES.sub("", shown).splitlines()
    assert not [line for line in lines if "`" in line]
    starts = [line.index("none") for line in lines if re.fullmatch(r"tolerance(\.\w+)?  .*none", line)]
    assert (len(starts), len(set(starts))) == (3, 1)
