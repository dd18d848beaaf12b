"""Every command that reads rows takes the same options for it, knows the same names of columns, and guesses the same encoding."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from evaluators.cli import command
from tests.kit import cli

SUITE = "evaluators:\n  - json_multi_field_match: {fields: [stadt]}\n"
CELL = '"{""stadt"": ""Łódź""}"'
ODD = f"said~right~n\n{CELL}~{CELL}~1\n".encode("cp1250")
"""A file of which nothing is guessed right: its encoding, its delimiter and its columns have to be said."""
READ = ["--encoding", "cp1250", "--delimiter", "~", "--columns", "expected=right"]
BOTH = [*READ, "--columns", "output=said"]


@pytest.mark.parametrize(
    "words",
    [
        ["run", "suite.yaml", "odd.csv", "--no-results", *BOTH],
        ["check", "suite.yaml", "odd.csv", *BOTH],
        ["check", "suite.yaml", "odd.csv", *READ, "--columns", "id=n", "--outputs-from", "odd.json"],
        ["try", "suite.yaml", "odd.csv", *BOTH],
        ["init", "odd.csv", *BOTH],
        ["infer-schema", "odd.csv", *READ],
        ["check-expected", "odd.csv", "--schema", "schema.json", *READ],
        ["convert", "galtea", "odd.csv", "-o", "odd.yaml", *BOTH],
        ["calibrate", "runs/first", "marks.csv", "--human", "good?", "--encoding", "cp1250", "--delimiter", "~",
         "--columns", "id=n"],
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_a_command_reads_a_file_as_it_is_told(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd.csv").write_bytes(ODD)
    Path("odd.json").write_text('[{"id": "1", "output": {"stadt": "Łódź"}}]', encoding="utf-8")
    Path("suite.yaml").write_text(SUITE, encoding="utf-8")
    Path("schema.json").write_text('{"type": "object", "properties": {"stadt": {"type": "string"}}}', encoding="utf-8")
    Path("marks.csv").write_bytes("n~good?~Łódź\n1~yes~x\n".encode("cp1250"))
    first = ["run", "suite.yaml", "odd.csv", "--name", "first", *BOTH, "--columns", "id=n"]
    assert cli(*first).exit_code == 0
    done = cli(*words)
    assert done.exit_code == 0, done.output
    if words[0] in ("init", "convert"):
        assert cli("run", "odd.yaml", "--no-results").exit_code == 0


@pytest.mark.parametrize(("encoding", "called"), [("cp1252", "cp1252"), ("utf-16", "utf-16")])
def test_a_run_and_a_first_suite_take_a_file_for_the_same_encoding(
    encoding: str, called: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_bytes("output,expected\nMálaga,Málaga\n".encode(encoding))
    Path("suite.yaml").write_text("evaluators: [exact_match]\n", encoding="utf-8")
    said = f"rows.csv is not UTF-8; it is read as {called}. Look whether its letters are right"
    ran = cli("run", "suite.yaml", "rows.csv", "--no-results")
    begun = cli("init", "rows.csv")
    assert (ran.exit_code, begun.exit_code) == (0, 0), ran.output
    assert said in " ".join(ran.output.split())
    assert said in begun.output


def test_one_damaged_row_does_not_make_a_file_one_of_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_bytes("output,expected\nMálaga,Málaga\n".encode() + b"M\xe1laga,x\n")
    Path("suite.yaml").write_text("evaluators: [exact_match]\n", encoding="utf-8")
    done = cli("run", "suite.yaml", "rows.csv", "--no-results")
    assert done.exit_code == 3
    assert "rows.csv row 3: this row holds bytes that are not text in the file's encoding" in done.output


READING = {"--columns", "--delimiter", "--encoding", "--sheet", "--header-row"}
PLACES = {"--expected"}
NO_ROWS = {"advice", "compare", "explain", "list", "new", "report", "runs", "schema", "serve", "studio", "track", "view"}
"""Commands that read a run folder or a suite, and no file with rows."""
ONE_SIDE = {"infer-schema", "check-expected", "calibrate"}
"""Commands that read rows and no outputs beside them."""


def test_every_command_that_reads_rows_has_the_same_options_for_it() -> None:
    assert isinstance(command, click.Group)
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        options = {word for parameter in found.params for word in parameter.opts}
        if name in NO_ROWS:
            assert not options & READING, name
        else:
            wanted = READING if name in ONE_SIDE else READING | PLACES
            assert wanted <= options, (name, wanted - options)


def test_marks_of_people_stand_in_a_file_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("suite.yaml").write_text("evaluators: [exact_match]\n", encoding="utf-8")
    Path("rows.csv").write_text("id,output,expected\n1,a,a\n2,a,b\n3,c,c\n", encoding="utf-8")
    assert cli("run", "suite.yaml", "rows.csv", "--name", "first").exit_code == 0

    def calibrated(marks: str, *words: str) -> tuple[int, str]:
        Path("marks.csv").write_text(marks, encoding="utf-8")
        done = cli("calibrate", "runs/first", "marks.csv", "--human", "good", *words)
        return done.exit_code, done.output

    assert calibrated("id,good\n3,yes\n2,yes\n1,no\n")[0] == 0
    assert "3 rows have a verdict of exact_match and a mark" in calibrated("id,good\n3,yes\n2,yes\n1,no\n")[1]
    assert calibrated("id,good\n9,yes\n")[0] == 3
    assert 'the id "1" is there twice' in calibrated("id,good\n1,yes\n1,no\n")[1]
    code, said = calibrated("id,fine\n1,yes\n")
    assert (code, 'there is no column "good"' in said) == (2, True)
    alone = cli("calibrate", "runs/first", "--human", "good", "--encoding", "cp1252")
    assert (alone.exit_code, "none is named" in alone.output) == (2, True)
