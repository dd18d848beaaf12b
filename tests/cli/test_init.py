"""The command `init`: a first suite for data, which runs as it is."""

from __future__ import annotations

import csv
import io
import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators import load
from evaluators.cli.init import ask_on_terminal
from evaluators.guide.first_suite import draft_suite
from evaluators.scoring.fields.inference.proposals import DefaultAnswers
from tests.gallery import GALLERY
from tests.kit import cli, write_rows

ROWS = [
    {
        "shop": "Corner Bakery",
        "date": "03/02/2024",
        "total": 7.5,
        "lines": [{"sku": "A1", "n": 1}, {"sku": "B2", "n": 2}],
    },
    {"shop": "Green Market", "date": "25/03/2024", "total": 23.15, "lines": [{"sku": "B2", "n": 1}]},
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "rows.csv", ROWS)
    return tmp_path


def write(path: Path, documents: list[Any], header: tuple[str, ...] = ("id", "output", "expected")) -> None:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    for number, document in enumerate(documents):
        cell = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
        writer.writerow([f"R{number}", cell, cell])
    path.write_text(text.getvalue(), encoding="utf-8")


def test_the_suite_says_what_was_found_and_why() -> None:
    found = cli("init", "rows.csv")
    assert (found.exit_code, found.stdout) == (
        0,
        (
            "wrote suite.schema.json: what editors offer in suites\n"
            "wrote rows.yaml: a suite for rows.csv, from its 2 rows\n"
            'id: column "id" (a usual name for it)\n'
            'output: column "output" (a usual name for it)\n'
            'expected: column "expected" (a usual name for it)\n'
            "the expected answers are JSON objects in 2 of 2 rows\n"
            "\n"
            "Next: look through rows.yaml, then: evaluators run rows.yaml\n"
            "or look at it: evaluators studio rows.yaml\n"
        ),
    )
    assert Path("rows.yaml").read_text(encoding="utf-8").split("    fields:\n")[1].split("\n\n")[0] == (
        "      # short text: case, accents and spacing do not count; right in 2 of 2, 2 to the letter\n"
        "      shop: normalized\n"
        "      # all 2 values parse as dates written as DD/MM/YYYY; right in 2 of 2, 2 to the letter\n"
        "      date: {date: {formats: [DD/MM/YYYY]}}\n"
        "      # 2 of 2 are numbers with up to two decimals: every digit counts; right in 2 of 2, 2 to the letter\n"
        "      total: numeric\n"
        '      # a list, 2 items at most; "sku" is another in every item of a row, and pairs them; all of it right in 2 of 2 rows,\n'
        "      # 2 to the letter and in this order\n"
        "      lines: {align: {key_field: {key: sku}}}\n"
        '      # codes or numbers in text, such as "A1": every character counts; right in 3 of 3\n'
        "      lines[*].sku: exact\n"
        "      # 3 of 3 are whole numbers; right in 3 of 3, 3 to the letter\n"
        "      lines[*].n: numeric"
    )
    assert cli("run", "rows.yaml", "--no-results", "-q").exit_code == 0


def test_a_dose_of_another_size_does_not_pass(folder: Path) -> None:
    rows = [f'R{n},"{{""dose"": {wrong}}}","{{""dose"": 0.0{n}}}"' for n, wrong in ((1, 0.02), (2, 0.02), (3, 0.03))]
    Path("doses.csv").write_text("\n".join(["id,output,expected", *rows]), encoding="utf-8")
    assert cli("init", "doses.csv").exit_code == 0
    assert "dose: numeric\n" in Path("doses.yaml").read_text(encoding="utf-8")
    result = load("doses.yaml").run()
    assert result["fields"].passed == 2


def test_outputs_that_round_to_their_answers_are_a_suggestion_of_the_first_run(folder: Path) -> None:
    rows = [f'R{n},"{{""size"": {n}.2{n}4}}","{{""size"": {n}.2{n}}}"' for n in range(1, 6)]
    Path("sizes.csv").write_text("\n".join(["id,output,expected", *rows]), encoding="utf-8")
    assert cli("init", "sizes.csv").exit_code == 0
    assert "size: numeric" in Path("sizes.yaml").read_text(encoding="utf-8")
    assert "tolerance" in cli("run", "sizes.yaml").stdout


@pytest.mark.parametrize("document", ['{""a"": 1}', '{""a"": {""b"": [{""c"": 1}]}}'], ids=["flat", "nested"])
def test_an_invented_key_costs_in_flat_and_nested_data(folder: Path, document: str) -> None:
    extra = document.replace("{", '{""made_up"": 5, ', 1)
    rows = [f'R{n},"{extra if n == 1 else document}","{document}"' for n in range(1, 4)]
    Path("keys.csv").write_text("\n".join(["id,output,expected", *rows]), encoding="utf-8")
    assert cli("init", "keys.csv").exit_code == 0
    stats = load("keys.yaml").run()["fields"]
    assert (stats.scored, stats.passed) == (3, 2)


def test_nothing_is_overwritten_unless_that_is_asked_for() -> None:
    Path("rows.yaml").write_text("mine", encoding="utf-8")
    refused = cli("init", "rows.csv")
    assert (refused.exit_code, Path("rows.yaml").read_text(encoding="utf-8")) == (2, "mine")
    assert "--force replaces it" in refused.stderr
    assert cli("init", "rows.csv", "--force").exit_code == 0


def test_data_without_an_output_is_refused_with_what_to_say(folder: Path) -> None:
    write(folder / "rows.csv", ["Rome", "Oslo"], ("id", "text", "expected"))
    Path("rows.csv").write_text("id,expected\n1,Rome\n2,Oslo\n", encoding="utf-8")
    refused = cli("init", "rows.csv")
    assert refused.exit_code == 2
    assert "no column looks like the model's output" in refused.stderr
    assert not Path("rows.yaml").exists()


def test_no_data_standard_input_and_unknown_columns_are_refused() -> None:
    assert cli("init").exit_code == 2
    assert cli("init", "-").exit_code == 2
    assert 'there is no column "out"' in cli("init", "rows.csv", "--columns", "output=out").stderr


def test_what_the_data_does_not_settle_is_said(folder: Path) -> None:
    write(folder / "rows.csv", [{"due": "03/04/2024"}, {"due": "05/06/2024"}], ("id", "output", "expected"))
    found = cli("init", "rows.csv")
    assert (
        'note: due holds dates such as "03/04/2024". How are they written? "DD/MM/YYYY" was taken; it could be "MM/DD/YYYY" '
        "(change `formats` in the suite for that)\n"
    ) in found.stdout


def table(header: str, *rows: str, name: str = "rows.csv") -> None:
    Path(name).write_text("\n".join([header, *rows, ""]), encoding="utf-8")


def test_what_nobody_may_guess_is_refused_with_the_line_to_type() -> None:
    table("eins,my answer", "Rom,Rom", "Oslo,oslo", "Bari,Turin")
    table("my label;answer", "Rom;Rom", "Oslo;oslo", "Bari;Turin", name="semi.csv")
    refused = cli("init", "rows.csv", "--force")
    assert refused.exit_code == 2
    assert '"eins" and "my answer" could each be the expected answer' in refused.stderr
    assert "hint: evaluators init rows.csv --columns expected=eins --columns 'output=my answer', or " in refused.stderr
    assert "evaluators init rows.csv --columns 'expected=my answer' --columns output=eins" in refused.stderr
    assert not Path("rows.yaml").exists()
    said = cli("init", "rows.csv", "--columns", "expected=my answer")
    assert 'output: column "eins"' in said.stdout
    other = cli("init", "semi.csv", "--delimiter", ";", "-o", "made here.yaml").stderr
    assert "evaluators init semi.csv --suite 'made here.yaml' --delimiter ';' --columns 'expected=my label'" in other


def test_outputs_of_several_models_are_variants() -> None:
    table("gpt4_response,claude_response,ideal response", "a b,a c,a b", "c d,c d,c d")
    assert "outputs of 2 models stand side by side" in cli("init", "rows.csv").stdout
    assert "gpt4_response: {column: gpt4_response}" in Path("rows.yaml").read_text(encoding="utf-8")
    assert cli("run", "rows.yaml").exit_code == 0


def test_each_pair_of_columns_gets_an_evaluator() -> None:
    table(
        "image,vendor_pred,vendor_true,vendor_ok,total_pred,total_true",
        "a.png,Acme,Acme,True,10,10",
        "b.png,F,B,False,3,3",
    )
    said = cli("init", "rows.csv").stdout
    assert 'vendor: column "vendor_pred" is compared with column "vendor_true"' in said
    assert '"vendor_ok": verdicts, which are no answers' in said
    scores = cli("run", "rows.yaml").stdout
    assert "vendor         0.5000" in scores
    assert "total          1.0000" in scores


def test_on_a_terminal_an_output_that_nothing_points_to_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    table("text,place,expected", "Rome,x,1", "Oslo,y,2")
    monkeypatch.setattr(click, "prompt", lambda *_, **__: 1)
    assert (
        "    output: place"
        in draft_suite("rows.csv", None, None, {}, None, DefaultAnswers(asks=ask_on_terminal), {}).text
    )


def test_numbers_about_the_call_are_measures() -> None:
    table("output,expected,cost_usd,latency.ms,tokens", "a,a,0.01,5,12", "b,b,,6,13", "a,b,0.02,7,14")
    assert 'measures: column "cost_usd", column "latency.ms", column "tokens"' in cli("init", "rows.csv").stdout
    result = load("rows.yaml").run()
    assert [(one.name, one.column, one.rows - one.missing) for one in result.measures] == [
        ("cost_usd", "cost_usd", 2), ("latency_ms", "latency.ms", 3), ("tokens", "tokens", 3)
    ]  # fmt: skip


def test_a_column_with_one_cell_that_is_no_number_is_no_measure() -> None:
    table("output,expected,tokens", *["a,a,5"] * 300, "a,a,none")
    assert "measures" not in cli("init", "rows.csv").stdout
    assert cli("run", "rows.yaml", "--no-results", "-q").exit_code == 0


NULLS = [(f"A{n}", None if n % 3 else f"A{n}", "fixed") for n in range(9)]


def nulls(name: str = "rows.csv") -> None:
    """Rows whose order number is made up where there is none, with a field that is null everywhere."""
    rows = [
        ({"order": given, "kind": kind, "gone": None}, {"order": wanted, "kind": kind, "gone": None})
        for given, wanted, kind in NULLS
    ]
    with Path(name).open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("output", "expected"), *([json.dumps(one) for one in row] for row in rows)])


def test_fields_that_are_null_in_some_answers_make_null_absent_with_the_evidence() -> None:
    nulls()
    said = cli("init", "rows.csv").stdout
    assert (
        'note: "order" is null in 6 of 9 expected answers. What does null say? "nulls: absent" was taken; it could be '
        '"nulls: value" (change `nulls` in the suite for that)\n'
    ) in said
    text = Path("rows.yaml").read_text(encoding="utf-8")
    assert "\n    nulls: absent\n" in text
    assert '"order" is null in 6 of 9 expected answers' in " ".join(text.replace("#", "").split())
    result = load("rows.yaml").run()
    assert (result.exit_code, result["fields"].counts.hallucination) == (0, 6)
    assert not [issue for issue in result.warnings if "null" in issue.message]


def test_on_a_terminal_it_is_asked_what_null_says(monkeypatch: pytest.MonkeyPatch) -> None:
    nulls()
    monkeypatch.setattr(click, "prompt", lambda *_, **__: 2)
    text = draft_suite("rows.csv", None, None, {}, None, DefaultAnswers(asks=ask_on_terminal), {}).text
    assert "\n    nulls: value\n" in text


@pytest.mark.parametrize(
    "header", ["question,bot answer,golden answer", "bot answer,golden answer,x", "question,response,x"]
)
@pytest.mark.parametrize("words", [5, 40])
def test_free_text_gets_a_judge_in_a_comment_that_loads_once_it_is_uncommented(header: str, words: int) -> None:
    table(header, *[f"{'some ' * words}{n},{'more ' * words}{n},{'other ' * words}{n}" for n in range(6)])
    assert cli("init", "rows.csv").exit_code == 0
    text = Path("rows.yaml").read_text(encoding="utf-8")
    assert "llm_judge" not in [line.settings.type for line in load("rows.yaml").lines]
    lines = text.split("\n")
    first = lines.index("  # - llm_judge:")
    for place, line in enumerate(lines):
        if place >= first and line.startswith(("  # - llm", "  #     ", "# judge:", "#   ")):
            lines[place] = line.replace("# ", "", 1)
    lines = [line if not line.startswith("  fields: {") else "" for line in lines]
    end = lines.index("# gates:")
    Path("judged.yaml").write_text("\n".join(lines[:end]), encoding="utf-8")
    judged = load("judged.yaml").lines[-1]
    assert (judged.name, judged.settings.type) == ("judged", "llm_judge")


def test_rows_without_an_answer_are_skipped(folder: Path) -> None:
    Path("rows.csv").write_text('id,output,expected\n1,"{""a"": 1}","{""a"": 1}"\n2,"{}",\n', encoding="utf-8")
    cli("init", "rows.csv")
    assert "when: {row.expected: {present: true}}" in Path("rows.yaml").read_text(encoding="utf-8")
    assert cli("run", "rows.yaml", "--no-results", "-q").exit_code == 0


def test_answers_that_are_no_json_are_said(folder: Path) -> None:
    write(folder / "rows.csv", [*ROWS, *ROWS, *ROWS, "{oops"])
    assert "note: 1 of 7 expected answers hold no JSON object or list" in cli("init", "rows.csv").stdout


def test_folders_of_documents_are_data_too(folder: Path) -> None:
    for name in ("gold", "out"):
        (folder / name).mkdir()
        for number, document in enumerate(ROWS):
            (folder / name / f"{number}.json").write_text(json.dumps(document), encoding="utf-8")
    found = cli("init", "--expected", "gold", "--outputs-from", "out", "-o", "docs.yaml")
    assert found.exit_code == 0, found.stderr
    assert cli("run", "docs.yaml", "--no-results", "-q").exit_code == 0


@pytest.mark.parametrize("name", sorted(path.name for path in GALLERY.iterdir() if (path / "rows.csv").exists()))
def test_data_of_the_gallery_gets_a_suite_that_runs(folder: Path, name: str) -> None:
    shutil.copytree(GALLERY / name, folder / name)
    more = {
        "comparing_models": ("--outputs-from", f"{name}/careful.jsonl"),
        "classification": ("--columns", "expected=label"),
        "judged_replies": ("--columns", "output=answer"),
    }.get(name, ())
    found = cli("init", f"{name}/rows.csv", "-o", "first.yaml", *more)
    assert found.exit_code == 0, found.stderr
    ran = cli("run", "first.yaml", "--no-results", "-q")
    assert ran.exit_code == 0, ran.output


KEYS = st.sampled_from(
    [
        "name",
        "a.b",
        "odd key",
        "1",
        "",
        "é",
        "yes",
        "null",
        "${HOME}",
        "x[*]",
        '"',
        "'",
        "\\",
        "$",
        "#",
        "a: b",
        "*",
        "\u2028",
        "%",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["red", "blue", "2024-01-02", "01/02/2024", "1.234,50", "1,5", "007", "http://a.io", "${X}", "yes", "a b c"]
    ),
    st.dates(date(1990, 1, 1), date(2030, 1, 1)).map(str),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-99, 99), st.floats(-9, 9).map(lambda n: round(n, 3)), TEXTS)
DOCUMENTS = st.dictionaries(
    KEYS,
    st.one_of(
        SCALARS,
        st.lists(SCALARS, max_size=3),
        st.dictionaries(KEYS, SCALARS, max_size=2),
        st.lists(st.dictionaries(KEYS, st.one_of(SCALARS, st.lists(TEXTS, max_size=2)), max_size=3), max_size=3),
    ),
    max_size=4,
)


@given(
    documents=st.one_of(
        st.lists(DOCUMENTS, min_size=1, max_size=5), st.lists(st.lists(DOCUMENTS, max_size=2), min_size=1, max_size=4)
    )
)
def test_a_suite_for_any_documents_runs_and_passes_what_is_right(folder: Path, documents: list[Any]) -> None:
    rows = ({"id": f"R{number}", "output": one, "expected": one} for number, one in enumerate(documents))
    write_rows(folder / "any.jsonl", rows)
    made = cli("init", "any.jsonl", "--force")
    assert made.exit_code == 0, made.output
    ran = cli("run", "any.yaml", "--no-results", "--format", "json")
    suite = (folder / "any.yaml").read_text(encoding="utf-8")
    assert ran.exit_code == 0, ran.output + suite
    assert all(one["mean"] == 1 for one in json.loads(ran.stdout)["evaluators"] if one["scored"]), suite


@given(texts=st.lists(TEXTS.filter(lambda text: bool(text.strip())), min_size=1, max_size=9))
def test_a_suite_for_any_texts_runs(folder: Path, texts: list[str]) -> None:
    write_rows(folder / "any.jsonl", ({"output": text, "expected": text} for text in texts))
    assert cli("init", "any.jsonl", "--force").exit_code == 0
    ran = cli("run", "any.yaml", "--no-results", "-q")
    assert ran.exit_code == 0, ran.output + (folder / "any.yaml").read_text(encoding="utf-8")


def test_a_file_that_is_not_utf_8_is_read_as_one_of_windows_and_the_suite_says_so(folder: Path) -> None:
    rows = ["output;expected", '{"a": 1};{"a": 1}', '{"a": "é"};{"a": "é"}']
    (folder / "windows.csv").write_bytes("\n".join(rows).encode("cp1252"))
    found = cli("init", "windows.csv")
    assert "windows.csv is not UTF-8; it is read as cp1252" in found.output
    assert "encoding: cp1252" in (folder / "windows.yaml").read_text(encoding="utf-8")
    assert cli("run", "windows.yaml", "--no-results").exit_code == 0


def test_rows_that_cannot_be_read_are_not_taken_for_empty_ones(folder: Path) -> None:
    rows = ["output;expected", '{"a": 1};{"a": 1}', '{"a": "é"};{"a": "é"}']
    (folder / "odd.data").write_bytes("\n".join(rows).encode("cp1252"))
    found = cli("init", "odd.data")
    assert "1 row was not looked at and has no score: this row holds bytes that are not text" in found.output
    assert "present: true" not in (folder / "odd.yaml").read_text(encoding="utf-8")
    assert cli("run", "odd.yaml", "--no-results").exit_code == 3


@pytest.mark.parametrize(
    ("places", "named"),
    [
        (["rows.csv"], True),
        (["one/*.json"], True),
        (["--expected", "one", "--outputs-from", "two"], True),
        (["*.csv"], True),
        (["--expected", ".", "--outputs-from", "one"], False),
        (["*.json"], False),
    ],
)
def test_the_schema_for_editors_is_never_a_row(folder: Path, places: list[str], named: bool) -> None:
    Path("rows.csv").write_text("output,expected\nOslo,oslo\n", encoding="utf-8")
    for folder_name in ("one", "two"):
        Path(folder_name).mkdir()
    for file in ("a.json", "one/a.json", "two/a.json"):
        Path(file).write_text('[{"output": "Oslo", "expected": "Oslo"}]', encoding="utf-8")
    done = cli("init", *places, "-o", "made.yaml")
    assert done.exit_code == 0, done.stderr
    assert ("wrote suite.schema.json: " in done.stdout) is named
    assert Path("suite.schema.json").exists() is named
    first = Path("made.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert (first == "# yaml-language-server: $schema=suite.schema.json") is named


def test_documents_are_paired_by_what_names_them_and_doubts_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, documents in (("g", "AB"), ("p", "BA"), ("q", "YZ")):
        write_rows(tmp_path / f"{name}.jsonl", ({"doc": one, "x": one.lower()} for one in documents))
    named = cli("init", "--expected", "g.jsonl", "--outputs-from", "p.jsonl", "-o", "named.yaml")
    assert 'paired by the key "doc"' in named.output
    doubtful = cli("init", "--expected", "g.jsonl", "--outputs-from", "q.jsonl", "-o", "doubtful.yaml")
    assert 'paired by their places, and "doc", which is unlike in every one, says otherwise' in doubtful.output
