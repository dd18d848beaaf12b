"""Opening a test set: roles, joins, documents, variants, selections."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluators.model.issues import Blame, CellError, Problems
from evaluators.model.rows import MISSING
from evaluators.model.settings import BadSettings, build
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig
from tests.kit import write_files
from tests.testsets.kit import open_set

ROWS = "id,question,output,expected\na,1?,1,1\nb,2?,2,3\nc,3?,3,3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def rows(test_set: TestSet, *columns: str) -> dict[str, list[Any]]:
    """Cells by row id; by number where there is no id."""
    found: dict[str, list[Any]] = {}
    before = 0
    for split in test_set.splits():
        span = 0
        for chunk in test_set.read(split, columns):
            for index, offset in enumerate(chunk.offsets):
                name = chunk.ids[index] if chunk.ids else str(test_set.number(before, offset))
                found[name] = [chunk.columns[column][index] for column in columns]
            span = chunk.span
        before += span
    return found


def code(cell: object) -> str:
    assert isinstance(cell, CellError)
    return cell.issue.code


def issues_of(folder: Path, config: Any, **choice: Any) -> list[tuple[str, Blame, str | None]]:
    with pytest.raises(Problems) as caught:
        open_set(folder, config, **choice)
    return [(issue.code, issue.blame, issue.hint) for issue in caught.value.issues]


def test_a_text_is_a_file_and_usual_names_play_their_roles(folder: Path) -> None:
    write_files(folder, {"rows.csv": ROWS})
    test_set = open_set(folder, "rows.csv")
    assert test_set.notes == ('rows.csv: id is "id", input is "question", output is "output", expected is "expected"',)
    assert rows(test_set, "output", "expected") == {"a": ["1", "1"], "b": ["2", "3"], "c": ["3", "3"]}
    assert test_set.place(test_set.number(0, 2), "expected") == 'rows.csv row 4, column "expected"'


def test_a_test_set_can_be_pickled(folder: Path) -> None:
    write_files(folder, {"rows.csv": ROWS})
    test_set = open_set(folder, {"file": "rows.csv"}, limit=2)
    again = pickle.loads(pickle.dumps(test_set))
    assert rows(again, "output") == rows(test_set, "output")


def test_usual_names_are_recognised_in_any_case(folder: Path) -> None:
    write_files(folder, {"rows.csv": "ID, Model_Output ,EXPECTED\n1,2,3\n"})
    columns = open_set(folder, "rows.csv").columns
    assert (columns.id, columns.output, columns.expected) == ("ID", " Model_Output ", "EXPECTED")


def test_two_candidates_are_an_error_that_names_the_key(folder: Path) -> None:
    write_files(folder, {"rows.csv": "output,prediction,expected,gold\n1,2,3,4\n"})
    both = "say which one: write `test_set: {file: rows.csv, columns: {output: output, expected: expected}}`, or"
    assert issues_of(folder, "rows.csv") == [
        (
            "unclear-column",
            Blame.CONFIG,
            f"{both} --columns output=output",
        ),
        (
            "unclear-column",
            Blame.CONFIG,
            f"{both} --columns expected=expected",
        ),
    ]
    config = {"file": "rows.csv", "columns": {"output": "prediction", "expected": "gold"}}
    assert rows(open_set(folder, config), "prediction") == {"2": ["2"]}


def test_two_candidates_for_a_role_that_nobody_needs_are_fine(folder: Path) -> None:
    write_files(folder, {"rows.csv": "question,prompt,output,expected\n1,2,3,4\n"})
    assert open_set(folder, "rows.csv").columns.input is None


def test_a_configured_column_that_is_not_there_has_a_suggestion(folder: Path) -> None:
    write_files(folder, {"rows.csv": ROWS})
    config = {"file": "rows.csv", "columns": {"output": "ouput"}}
    assert issues_of(folder, config) == [("no-such-column", Blame.TESTSET, 'did you mean "output"?')]


def test_a_role_that_is_needed_must_have_a_column(folder: Path) -> None:
    write_files(folder, {"rows.csv": "id,text\n1,2\n"})
    with pytest.raises(Problems) as caught:
        open_set(folder, "rows.csv", needed=("output",))
    assert str(caught.value) == (
        'rows.csv: no column is recognised as the output; the columns are "id", "text"\n'
        "  hint: say which one: write `test_set: {file: rows.csv, columns: {output: NAME}}`, or --columns output=NAME"
    )


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"fiel": "rows.csv"}, 'unknown setting "fiel"'),
        ({"file": "rows.csv", "format": "cvs"}, 'unknown format "cvs"'),
        ({"file": "rows.csv", "delimiter": "||"}, "must be one character"),
        ({"file": "a", "output": "x/", "outputs": "y/"}, "cannot be together"),
        ({"file": "a", "output": "x/", "columns": {"output": "o"}}, "the output is named twice"),
        ({"file": "a", "unreadable_output": "ignore"}, "must be one of"),
    ],
)
def test_bad_settings_are_refused(config: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSettings, match=message):
        build(TestSetConfig, config)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('{"id": 1, "output": "x", "expected": "y"}\n{"id": 2}\n', ("id", "output", "expected")),
        ('[{"id": 1, "output": "x", "expected": "y"}]', ("id", "output", "expected")),
        ('{"rows": [{"id": 1,\n "output": "x", "expected": "y"}]}', ("id", "output", "expected")),
        ("id;output;expected\n1;x;y\n", ("id", "output", "expected")),
    ],
)
def test_standard_input_is_recognised_by_its_first_bytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, columns: tuple[str, ...]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    test_set = open_set(folder, "-")
    assert test_set.header == columns
    assert rows(test_set, "output")["1"] == ["x"]
    assert rows(test_set, "expected")["1"] == ["y"]


def test_a_pipe_is_read_like_a_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    writer = threading.Thread(target=lambda: write_files(folder, {"pipe": ROWS}))
    writer.start()
    test_set = open_set(folder, "pipe")
    writer.join()
    assert list(rows(test_set, "output")) == ["a", "b", "c"]


def test_a_small_test_set_loads_no_heavy_library(folder: Path) -> None:
    write_files(folder, {"rows.csv": ROWS, "out.jsonl": '{"id": "a", "output": 1}'})
    program = (
        "import sys; from pathlib import Path\n"
        "from evaluators.testsets.test_set_config import TestSetConfig, Joined\n"
        "from evaluators.testsets.opening import open_test_set\n"
        "config = TestSetConfig(file='rows.csv', output=Joined(file='out.jsonl'))\n"
        "test_set = open_test_set(config, Path())\n"
        "print([list(test_set.read(split, ['output'])) for split in test_set.splits()][0][0].count)\n"
        "print(sorted({'pyarrow', 'numpy', 'pandas', 'polars', 'sqlalchemy', 'sqlite3', 'openpyxl'} & set(sys.modules)))\n"
    )
    found = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True,
                           env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])})  # fmt: skip
    assert found.stdout.split("\n")[:2] == ["3", "[]"]


def test_the_fingerprint_is_that_of_the_bytes(folder: Path) -> None:
    write_files(folder, {"rows.csv": ROWS, "copy.csv": ROWS, "other.csv": ROWS + "d,4?,4,4\n"})
    one, copy, other = (open_set(folder, name).fingerprint() for name in ("rows.csv", "copy.csv", "other.csv"))
    assert one == copy != other
    assert one.startswith("sha256:")


QUESTIONS = "id,expected\na,1\nb,2\nb,3\nc,4\n"
ANSWERS = '{"id": "a", "answer": "A"}\n{"id": "b", "answer": "B"}\n{"id": "x", "answer": "X"}\n'


def test_outputs_in_another_file_are_joined_by_id(folder: Path) -> None:
    write_files(folder, {"rows.csv": QUESTIONS, "out.jsonl": ANSWERS})
    test_set = open_set(folder, {"file": "rows.csv", "output": {"file": "out.jsonl", "key": "id", "column": "answer"}})
    assert test_set.columns.output == "output"
    found = rows(test_set, "expected", "output")
    assert found["a"] == ["1", "A"]
    assert code(found["c"][1]) == "no-output-for-row"
    assert [str(issue) for issue in test_set.issues] == [
        'rows.csv: 1 id that occurs more than once: "b" (row 3 and row 4)',
        'rows.csv: 1 id that is not in out.jsonl: "c" (row 5)',
    ]
    assert [str(warning) for warning in test_set.warnings] == ['out.jsonl: 1 id that is not in rows.csv: "x" (row 3)']


def test_a_row_without_output_may_count_as_failed(folder: Path) -> None:
    write_files(folder, {"rows.csv": QUESTIONS, "out.jsonl": ANSWERS})
    config = {"file": "rows.csv", "no_output": "fail", "output": {"file": "out.jsonl", "column": "answer"}}
    test_set = open_set(folder, config)
    assert rows(test_set, "output")["c"] == [MISSING]
    assert [issue.code for issue in test_set.issues] == ["same-id"]
    assert [warning.code for warning in test_set.warnings] == ["unmatched-id", "no-output-for-row"]


def test_two_outputs_for_one_id_are_a_fault_not_a_choice(folder: Path) -> None:
    write_files(
        folder, {"rows.csv": "id,expected\n7,1\n", "out.jsonl": '{"id": 7, "output": 1}\n{"id": "7", "output": 2}\n'}
    )
    test_set = open_set(folder, {"file": "rows.csv", "output": {"file": "out.jsonl"}})
    assert code(rows(test_set, "output")["7"][0]) == "same-id"


def test_an_unreadable_row_stays_a_fault_when_joined(folder: Path) -> None:
    write_files(folder, {"rows.csv": "id,expected\na\nb,1\n", "out.csv": "id,output\na,1\nb,2\n"})
    test_set = open_set(folder, {"file": "rows.csv", "output": {"file": "out.csv"}})
    assert code(rows(test_set, "output")[""][0]) == "ragged-row"


def test_expected_answers_may_come_from_another_file(folder: Path) -> None:
    write_files(folder, {"out.csv": "id,output\na,1\n", "gold.json": '[{"case_id": "a", "gold": {"x": 1}}]'})
    test_set = open_set(folder, {"file": "out.csv", "expected": {"file": "gold.json"}})
    assert rows(test_set, "output", "expected") == {"a": ["1", {"x": 1}]}


def test_one_expected_document_serves_all_outputs(folder: Path) -> None:
    write_files(folder, {"gold.json": "{}", "out/a.json": "1", "out/b.json": "2"})
    found = rows(open_set(folder, {"expected": "gold.json", "output": "out"}), "expected", "output")
    assert found == {"a": ["{}", "1"], "b": ["{}", "2"]}


def test_rows_may_have_their_outputs_in_documents(folder: Path) -> None:
    write_files(folder, {"rows.csv": "id,expected\na,1\nb,2\n", "out/a.json": "1", "out/b.json": "2"})
    found = rows(open_set(folder, {"file": "rows.csv", "output": "out"}), "expected", "output")
    assert found == {"a": ["1", "1"], "b": ["2", "2"]}


@pytest.mark.parametrize(
    "outputs",
    ["outs", "outs/*", {"gpt-4.1": "outs/gpt-4.1.csv", "tiny": {"file": "outs/tiny.jsonl", "column": "output"}}],
)
def test_variants_are_files_joined_by_id(folder: Path, outputs: object) -> None:
    write_files(
        folder,
        {
            "rows.csv": "id,expected\na,1\nb,2\n",
            "outs/gpt-4.1.csv": "id,output\na,1\nb,2\n",
            "outs/tiny.jsonl": '{"id": "a", "output": "0"}\n',
        },
    )
    test_set = open_set(folder, {"file": "rows.csv", "outputs": outputs})
    assert test_set.variants == ("gpt-4.1", "tiny")
    assert rows(test_set.variant("gpt-4.1"), "output", "expected") == {"a": ["1", "1"], "b": ["2", "2"]}
    assert rows(test_set.variant("tiny"), "output")["a"] == ["0"]
    assert [str(issue) for issue in test_set.issues] == [
        f'variant tiny: rows.csv: 1 id that is not in {"outs/tiny.jsonl"}: "b" (row 3)'
    ]
    assert len(test_set.files) == 3


def test_variants_may_be_folders_of_documents_or_single_documents(folder: Path) -> None:
    write_files(folder, {"gold/a.json": "1", "outs/x/a.json": "2", "outs/y/a.json": "3"})
    test_set = open_set(folder, {"expected": "gold", "outputs": "outs"})
    assert [rows(test_set.variant(name), "expected", "output") for name in test_set.variants] == [
        {"a": ["1", "2"]}, {"a": ["1", "3"]},
    ]  # fmt: skip
    write_files(folder, {"gold.json": "1", "runs/x.json": "2", "runs/y.json": "3"})
    test_set = open_set(folder, {"expected": "gold.json", "outputs": "runs/*.json"})
    assert [rows(test_set.variant(name), "expected", "output") for name in test_set.variants] == [
        {"gold": ["1", "2"]}, {"gold": ["1", "3"]},
    ]  # fmt: skip


def test_a_pattern_that_finds_nothing_is_a_problem(folder: Path) -> None:
    write_files(folder, {"rows.csv": ROWS})
    assert [code for code, _, _ in issues_of(folder, {"file": "rows.csv", "outputs": "nope/*"})] == ["no-outputs"]


MANY = "id,kind,output,expected\n" + "".join(f"{number},{'odd' if number % 2 else 'even'},1,1\n" for number in range(500))


def test_a_limit_keeps_the_first_rows(folder: Path) -> None:
    write_files(folder, {"rows.csv": MANY})
    assert list(rows(open_set(folder, "rows.csv", limit=120), "output")) == [str(number) for number in range(120)]


def test_where_keeps_the_rows_with_that_value_and_their_numbers(folder: Path) -> None:
    write_files(folder, {"rows.csv": MANY})
    test_set = open_set(folder, {"file": "rows.csv", "columns": {"id": "kind"}}, where=(("kind", "odd"),), limit=2)
    (first, *_) = [chunk for chunk in test_set.read(test_set.splits()[0], ["output"]) if chunk.count]
    assert [test_set.number(0, offset) for offset in first.offsets] == [3, 5]
    assert test_set.notes[-2] == "selected: only rows whose kind is odd, at most 2 rows"


def test_where_needs_a_column_that_is_there(folder: Path) -> None:
    write_files(folder, {"rows.csv": MANY})
    assert issues_of(folder, "rows.csv", where=(("kin", "odd"),)) == [
        ("no-such-column", Blame.TESTSET, 'did you mean "kind"?')
    ]


def test_a_sample_is_the_same_every_time_and_a_larger_one_holds_it(folder: Path) -> None:
    write_files(folder, {"rows.csv": MANY})
    small = set(rows(open_set(folder, "rows.csv", sample=20, seed=7), "output"))
    again = set(rows(open_set(folder, "rows.csv", sample=20, seed=7), "output"))
    large = set(rows(open_set(folder, "rows.csv", sample=60, seed=7), "output"))
    other = set(rows(open_set(folder, "rows.csv", sample=20, seed=8), "output"))
    assert len(small) == 20
    assert small == again
    assert small < large
    assert small != other
