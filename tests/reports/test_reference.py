"""Reference pages: made from plugs, complete, and right when they are made."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.api.loading import loads
from evaluators.reports.catalog import KINDS, Kind, entries, kinds_of, page, present_name, settings_in
from evaluators.reports.document import Item, Listing, Page
from evaluators.reports.markdown import page_markdown
from evaluators.reports.reference import first_sentence
from evaluators.reports.settings_in_words import settings_of, takes
from evaluators.reports.text import WIDTH, page_text
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.judges.judged_comparator import any_comparator
from evaluators.scoring.values.text import Normalization

ANSWERS = Path(__file__).parents[1] / "scoring" / "evaluators" / "answers.jsonl"
EVERYTHING: list[tuple[Kind, str]] = [(kind, entry.name) for kind in KINDS for entry in entries(kind)]


def items_of(document: Page, title: str) -> list[Item]:
    return [
        item
        for section in document.sections
        if section.title == title
        for block in section.blocks
        if isinstance(block, Listing)
        for item in block.items
    ]


@pytest.mark.parametrize(("kind", "name"), EVERYTHING)
def test_everything_has_a_page_in_both_forms(kind: Kind, name: str) -> None:
    document = page(kind, name)
    text, markdown = page_text(document, WIDTH), page_markdown(document, own_words=True)
    assert text.startswith(f"{document.title}\n=")
    assert markdown.startswith("# ")
    assert text == page_text(page(kind, name), WIDTH), "the same page every time"
    quoted = {line for section in document.sections for block in section.blocks if isinstance(block, Listing)
              for item in block.items for line in item.quote}  # fmt: skip
    too_long = [line for line in text.splitlines() if len(line) > 100 and line.removeprefix("    ") not in quoted]
    assert not [line for line in too_long if " " in line.strip()], "lines of prose fit a terminal"


@pytest.mark.parametrize(("kind", "name"), EVERYTHING)
def test_everything_says_what_it_does_in_one_sentence(kind: Kind, name: str) -> None:
    entry = next(entry for entry in entries(kind) if entry.name == name)
    assert entry.does.endswith((".", "!"))
    assert "\n" not in entry.does


@pytest.mark.parametrize(("kind", "name"), [pair for pair in EVERYTHING if pair[0] != "presets"])
def test_every_setting_is_described(kind: Kind, name: str) -> None:
    for setting in settings_in(kind, name):
        assert setting.meaning, setting.name
        assert setting.takes, setting.name


@pytest.mark.parametrize("name", [entry.name for entry in entries("evaluators")])
def test_the_line_for_a_suite_loads(name: str) -> None:
    (item,) = items_of(page("evaluators", name), "In a suite")
    parts = "".join(f"  - exact_match: {{name: {part}}}\n" for part in ("first", "second") if part in item.quote[1])
    judge = f"judge: {{recorded: {{file: {ANSWERS}}}}}\n" if "judge" in BUILTIN.find(name).model_fields else ""
    suite = loads(judge + "\n".join(item.quote) + "\n" + parts)
    assert suite.lines[0].type == name


@pytest.mark.slow
@pytest.mark.parametrize("name", [entry.name for entry in entries("comparators")])
def test_the_fields_for_a_suite_load(name: str, tmp_path: Path) -> None:
    (item,) = items_of(page("comparators", name), "In a suite")
    lines = "".join(f"      {line}\n" for line in item.quote)
    (tmp_path / "answers.jsonl").touch()
    judge = "judge: {recorded: {file: answers.jsonl}}\n" if any_comparator(name).judged else ""
    suite = loads(f"{judge}evaluators:\n  - json_multi_field_match:\n{lines}", folder=tmp_path)
    assert suite.lines[0].settings.scored_fields().names


@pytest.mark.slow
@pytest.mark.parametrize("name", [entry.name for entry in entries("transforms")])
def test_a_transform_shows_a_value_before_and_after(name: str) -> None:
    (line,) = items_of(page("transforms", name), "In a suite")
    loads(f"evaluators:\n  - json_multi_field_match: {{fields: [a], {line.quote[0]}}}")
    (example,) = items_of(page("transforms", name), "Examples")
    before, after = (text.partition(":")[2].strip() for text in example.quote)
    assert before != after


def test_results_of_examples_are_computed() -> None:
    items = {item.text: item.details for item in items_of(page("evaluators", "length"), "Examples")}
    assert items["too short"] == ("Score 0, does not pass: 5 characters, 5 too few.",)
    fields = items_of(page("evaluators", "json_multi_field_match"), "Examples")[0].details
    assert fields[0] == "Score 0.5, does not pass."
    assert fields[2] == '`email` wrong: "jane@example.com" differs from "john@example.com"'


def test_settings_say_what_they_take_and_what_holds_without_them() -> None:
    found = {setting.name: setting for setting in settings_in("comparators", "numeric")}
    assert found["tolerance.abs"].takes == "a number, at least 0"
    assert found["parse"].default == "`false`"
    pattern = next(setting for setting in settings_in("evaluators", "regex_match") if setting.name == "pattern")
    assert (pattern.takes, pattern.default) == ("text or `{column: NAME}`", "")
    own = [setting.name for setting in settings_in("evaluators", "length")]
    assert own == ["min", "max", "output", "at", "output_at", "pass_at"], "its own settings come first"


def test_inner_defaults_are_those_of_the_setting_above() -> None:
    found = {setting.name: setting.default for setting in settings_in("evaluators", "json_field_match_normalized")}
    assert found["normalize.case"] == "`ignore`"
    assert {setting.name: setting.default for setting in settings_of(Normalization)}["case"] == "`keep`"


def test_another_spelling_of_a_setting_is_named() -> None:
    found = {setting.name: setting.meaning for setting in settings_in("evaluators", "length")}
    assert found["min"] == "The fewest characters allowed. Also written `min_length`."


def test_a_retired_type_names_its_successor() -> None:
    entry = next(entry for entry in entries("evaluators") if entry.name == "field_match")
    assert entry.retired == "json_multi_field_match"
    assert "Use `json_multi_field_match` in new ones." in page_text(page("evaluators", "field_match"), WIDTH)


def test_the_markdown_keeps_code_and_escapes_the_rest() -> None:
    markdown = page_markdown(page("evaluators", "json_multi_field_match"), own_words=True)
    assert markdown.startswith("# json\\_multi\\_field\\_match\n")
    assert "(`$.vendor.name`)" in markdown
    assert "| `pass_at` | a number from 0 to 1 | `1` |" in markdown


def test_a_fence_inside_an_example_does_not_end_it() -> None:
    markdown = page_markdown(page("evaluators", "contains_json"), own_words=True)
    assert "\n````text\n" in markdown


def test_words_of_other_systems_lead_to_todays_page() -> None:
    assert present_name("auto_exact_match") == "exact_match"
    assert kinds_of("auto_exact_match") == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One. Two.", "One."),
        ("It is 3.5 in all. Two.", "It is 3.5 in all."),
        ("Pass when it is one of these:\n\n- a\n- b", "Pass when it is one of these."),
        ("Over\ntwo lines.", "Over two lines."),
    ],
)
def test_the_first_sentence_of_a_text(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"enum": ["a", "b", "c"]}, "`a`, `b` or `c`"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text"),
        (
            {"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "string"}}]},
            "`true` or `false` or a list of texts",
        ),
        ({"type": "integer", "minimum": 1, "maximum": 3}, "a whole number from 1 to 3"),
        ({"type": "number", "exclusiveMinimum": 0}, "a number, more than 0"),
        ({}, "any value"),
    ],
)
def test_what_a_setting_takes_is_said_in_words(schema: dict[str, object], words: str) -> None:
    assert takes(schema, {}) == words
