"""The commands `list`, `explain` and `schema`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import evaluators.cli
from evaluators.api.loading import loads
from evaluators.model.exit_words import exit_codes_text, exit_meaning
from evaluators.reports.catalog import GROUPS, KINDS, entries, names_of
from evaluators.scoring.fields.reading import ALIGNMENTS
from tests.gallery import GALLERY
from tests.kit import cli


def program(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "evaluators", *words], capture_output=True, encoding="utf-8", check=False
    )


def test_the_help_begins_with_the_commands_of_a_first_run() -> None:
    said = cli("--help").stdout
    first, others = said.partition("A first run:")[2].split("\nCommands:\n")
    assert re.findall(r"^  (\S+)", first, re.M) == ["init", "check", "run", "view"]
    names = re.findall(r"^  ([a-z-]+) ", others, re.M)
    assert names == sorted(set(names) - {"init", "check", "run", "view"})


def test_the_lists_name_everything() -> None:
    text = cli("list").stdout
    for kind in KINDS:
        for entry in entries(kind):
            assert f"  {entry.name} " in text
            assert entry.does in text


def test_a_list_begins_with_where_to_start_and_ends_with_compatibility_names() -> None:
    evaluators, comparators = (cli("list", kind).stdout.splitlines() for kind in ("evaluators", "comparators"))
    for lines in (evaluators, comparators):
        titles = [line for line in lines[1:] if line and not line.startswith(" ")]
        assert titles == [
            "Start here:", "Further ones:", "For schemas and suites that were written elsewhere or long ago:",
        ]  # fmt: skip
        assert lines[1:3] == ["", titles[0]]
    assert [line.split()[0] for line in evaluators[3:9]] == [
        "exact_match", "correctness", "contains", "json_multi_field_match", "schema_match", "llm_judge",
    ]  # fmt: skip
    assert [line.split()[0] for line in comparators[3:8]] == ["exact", "normalized", "numeric", "date", "fuzzy"]
    assert comparators[-1].split()[0] == "string_url"


def test_every_name_stands_once_in_the_lists() -> None:
    found = json.loads(cli("list", "--format", "json").stdout)
    assert {entry["group"] for entry in found} == set(GROUPS)
    for kind in KINDS:
        assert sorted(entry["name"] for entry in found if entry["kind"] == kind) == sorted(names_of(kind))


def test_a_retired_type_is_marked() -> None:
    (line,) = [line for line in cli("list", "evaluators").stdout.splitlines() if line.startswith("  field_match ")]
    assert line.endswith("Kept for old suites: use json_multi_field_match.")


def test_the_lists_for_programs() -> None:
    found = json.loads(cli("list", "--format", "json").stdout)
    assert len(found) == sum(len(entries(kind)) for kind in KINDS)
    retired = [entry for entry in found if entry["instead"]]
    assert [entry["name"] for entry in retired] == ["field_match"]


@pytest.mark.parametrize("name", ["preset:extraction", "extraction"])
def test_a_preset_is_explained(name: str) -> None:
    assert "extends: preset:extraction" in cli("explain", name).stdout


def test_another_systems_word_is_explained_under_todays_name() -> None:
    assert cli("explain", "auto_exact_match").stdout.startswith(
        '"auto_exact_match" is called "exact_match" here.\n\nexact_match\n'
    )


@pytest.mark.slow
def test_an_unknown_name_gets_a_suggestion() -> None:
    found = program("explain", "fuzy")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == 'nothing is called "fuzy"\n  hint: did you mean "fuzzy"?\n1 problem found.\n'


@pytest.mark.parametrize("name", ["align", *ALIGNMENTS])
def test_an_alignment_is_explained(name: str) -> None:
    text = cli("explain", name).stdout
    assert text.startswith(f"{name}\n{'=' * len(name)}\n")
    assert "which items of two lists are compared" in text
    assert all(f"- {how}: " in text for how in ALIGNMENTS if name in ("align", how))
    assert all(how in text for how in ALIGNMENTS)
    assert cli("explain", name, "--format", "markdown").stdout.startswith("# ")
    found = json.loads(cli("explain", name, "--format", "json").stdout)
    assert [one["name"] for one in found] == ([*ALIGNMENTS] if name == "align" else [name])


@pytest.mark.parametrize("how", ALIGNMENTS)
def test_what_the_page_of_an_alignment_shows_can_be_written_in_a_suite(how: str) -> None:
    lines = [line.strip() for line in cli("explain", how).stdout.splitlines() if line.startswith("    ")]
    assert lines
    for line in lines:
        loads(f"evaluators:\n  - json_multi_field_match:\n      fields:\n        {line}\n")


def test_a_name_for_programs_and_for_documentation() -> None:
    (page,) = json.loads(cli("explain", "length", "--format", "json").stdout)
    assert [setting["name"] for setting in page["settings"]] == ["min", "max", "output", "at", "output_at", "pass_at"]
    assert cli("explain", "length", "--format", "markdown").stdout.startswith("# length\n")


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in GALLERY.glob("*/suite.yaml")))
@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
def test_every_worked_example_is_explained(folder: str, format_: str) -> None:
    found = cli("explain", str(GALLERY / folder / "suite.yaml"), "--format", format_)
    assert (found.exit_code, found.stderr) == (0, "")


@pytest.mark.slow
def test_the_schema_is_the_same_every_time(tmp_path: Path) -> None:
    printed = cli("schema").stdout
    assert json.loads(printed)["$schema"] == "http://json-schema.org/draft-07/schema#"
    file = tmp_path / "suite.schema.json"
    written = cli("schema", "--output", str(file))
    assert (written.exit_code, written.stdout) == (0, "")
    assert file.read_text(encoding="utf-8") == printed


def test_the_help_of_run_lists_its_options_in_groups_80_columns_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = cli("run", "--help").stdout.splitlines()
    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == [
        "Which rows:", "How the test set is read:", "What is kept:", "What is printed:", "Judges:", "Workers:", "Trackers:",
        "Other options:",
    ]  # fmt: skip
    other = lines[lines.index("Other options:") :]
    named = [line.split()[0].rstrip(",") for line in other if line.startswith("  -")]
    assert named == ["--watch", "--register", "--traceback", "-h"]
    listed = [line for line in lines if line.startswith("  -")]
    assert len(listed) == len(set(listed)) == 39
    assert all(line[29:31] == "  " and line[31] != " " for line in listed)
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line.startswith("  --output ")]


@pytest.mark.parametrize("name", ["check", "list", "explain", "try", "schema", "new"])
def test_help_texts_are_sentences(name: str) -> None:
    found = cli(name, "--help")
    assert found.exit_code == 0
    listed = next(line for line in cli("--help").stdout.splitlines() if line.strip().startswith(f"{name} "))
    assert listed.strip() != name
    import click

    from evaluators.cli import command as group

    one = group.get_command(click.Context(group), name)
    assert one is not None
    assert (one.help or "").rstrip().endswith((".", "suite.schema.json"))
    for option in one.params:
        if isinstance(option, click.Option):
            assert (option.help or "").rstrip(" ]").endswith((".", "here")), option.name


COMMANDS = sorted(one for one in Path(evaluators.cli.__file__).parent.glob("*.py") if not one.name.startswith("_"))


@pytest.mark.parametrize("file", COMMANDS, ids=lambda file: file.stem)
def test_the_help_of_every_command_has_its_exit_codes_from_the_one_table(file: Path) -> None:
    name = file.stem.rstrip("_").replace("_", "-")
    assert "the exit code is" not in file.read_text(encoding="utf-8").casefold()
    assert exit_codes_text(name) in " ".join(cli(name, "--help").stdout.split())


def test_what_an_exit_code_means_depends_on_the_command() -> None:
    assert exit_codes_text("check").startswith(
        "The exit code is 0 (no problem), 2 (a suite or the command has a mistake), 3 (the test "
    )
    assert exit_codes_text("compare").startswith(
        "The exit code is 0 (no regression check failed), 1 (a regression check failed), "
    )
    assert exit_codes_text("list").endswith("70 (a fault in the program) or 130 (interrupted).")
    assert (exit_meaning(3), exit_meaning(3, "compare")) == (
        "something could not be measured",
        "something could not be compared",
    )
