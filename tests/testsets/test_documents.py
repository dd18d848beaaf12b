"""Folders, patterns and lists of documents as test sets; columns with the text of a file; columns as variants."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import loads
from evaluators.model.issues import CellError, Problems
from evaluators.model.rows import MISSING
from evaluators.model.settings import BadSettings, build
from evaluators.testsets.documents import documents_at, plain_name
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig
from tests.data.extract_bench import unpack
from tests.kit import write_files
from tests.testsets.kit import open_set


def rows(test_set: TestSet, *columns: str) -> dict[str, list[Any]]:
    """Cells by row id; the code of the problem in place of a cell that has one."""
    found: dict[str, list[Any]] = {}
    for split in test_set.splits():
        for chunk in test_set.read(split, columns):
            for index, name in enumerate(chunk.ids or ()):
                cells = (chunk.columns[column][index] for column in columns)
                found[name] = [cell.issue.code if isinstance(cell, CellError) else cell for cell in cells]
    return found


def names(folder: Path, place: str) -> list[str]:
    return list(documents_at(place, folder)["id"])


def problem_of(folder: Path, **config: Any) -> str:
    with pytest.raises(Problems) as caught:
        open_set(folder, config)
    return str(caught.value)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("acme.json", "acme"),
        ("acme.gold.json", "acme"),
        ("acme.Expected.json", "acme"),
        ("gpt-4.1.json", "gpt-4.1"),
        ("acme.json.gz", "acme"),
        ("acme", "acme"),
        (".gold.json", ".gold"),
        ("gold.json", "gold"),
    ],
)
def test_a_document_is_called_by_its_file_without_the_ending(file: str, name: str) -> None:
    assert plain_name(file) == name


def test_documents_in_nested_folders_are_paired_by_their_paths(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold/a/x.json": "1", "gold/b/x.json": "2", "out/a/x.txt": "one", "out/b/x.txt": "two"})
    found = rows(open_set(tmp_path, {"expected": "gold", "output": "out"}), "expected", "output", "folder", "file")
    assert found == {"a/x": ["1", "one", "a", "x"], "b/x": ["2", "two", "b", "x"]}


def test_hidden_files_and_folders_are_no_documents(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold/a.json": "1", "gold/.DS_Store": "", "gold/.git/b.json": "2"})
    assert names(tmp_path, "gold") == ["a"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("data/**/gold/*.json", ["deep/er/y", "fin/x"]),
        ("data/*/gold/*.json", ["fin/x"]),
        ("data/fin/*/x.gold.json", ["gold"]),
        ("data/**/x.*", ["fin/gold/x"]),
        ("data/*/gold/x.gold.json", ["fin"]),
        ("data/fin/gold/?.gold.json", ["x"]),
    ],
)
def test_a_document_of_a_pattern_is_called_by_what_the_wildcards_stand_for(
    tmp_path: Path, pattern: str, found: list[str]
) -> None:
    write_files(tmp_path, {"data/fin/gold/x.gold.json": "1", "data/deep/er/gold/y.json": "2", "data/readme.md": ""})
    assert names(tmp_path, pattern) == found


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tmp_path: Path) -> None:
    write_files(tmp_path, {"[a] x.json": "1", "out.json": "1"})
    assert rows(open_set(tmp_path, {"expected": "[a] x.json", "output": "out.json"}), "expected") == {"[a] x": ["1"]}


def test_a_pattern_without_documents_is_a_problem(tmp_path: Path) -> None:
    write_files(tmp_path, {"out/a.json": "1"})
    assert problem_of(tmp_path, expected="gold/*.json", output="out").startswith("gold/*.json: no file fits this pattern")


def test_compressed_documents_are_unpacked(tmp_path: Path) -> None:
    write_files(tmp_path, {"out/a.json": "1", "gold/b.json": "2", "out/b.json": "2"})
    (tmp_path / "gold" / "a.json.gz").write_bytes(gzip.compress(b"1"))
    assert rows(open_set(tmp_path, {"expected": "gold", "output": "out"}), "expected")["a"] == ["1"]


def test_documents_without_a_partner_are_named_with_the_nearest_one(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold/acme.json": "1", "gold/b.json": "2", "out/acme_1.json": "1", "out/b.json": "2"})
    test_set = open_set(tmp_path, {"expected": "gold", "output": "out"})
    assert [str(issue) for issue in test_set.issues] == [
        'gold/: 1 document that is not in out/: "acme" (file gold/acme.json)\n  hint: near: "acme_1" for "acme"'
    ]
    assert [str(warning) for warning in test_set.warnings] == [
        'out/: 1 document that is not in gold/: "acme_1" (file out/acme_1.json)\n  hint: near: "acme" for "acme_1"'
    ]
    assert rows(test_set, "output") == {"acme": ["no-output-for-row"], "b": ["2"]}


def test_a_missing_output_that_counts_0_is_still_named(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold/a.json": "1", "gold/b.json": "2", "out/b.json": "2"})
    test_set = open_set(tmp_path, {"expected": "gold", "output": "out", "no_output": "fail"})
    assert (test_set.issues, [one.code for one in test_set.warnings]) == ((), ["no-output-for-row"])
    assert rows(test_set, "output")["a"] == [MISSING]


def test_pairing_by_name_sets_folders_aside(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold/a/x.json": "1", "out/x.json": "2"})
    (issue,) = open_set(tmp_path, {"expected": "gold", "output": "out"}).issues
    assert issue.hint == 'near: "x" for "a/x"; `pair_by: name` sets folders aside'
    found = rows(open_set(tmp_path, {"expected": "gold", "output": "out", "pair_by": "name"}), "output", "folder")
    assert found == {"x": ["2", "a"]}


def test_two_lists_of_documents_are_paired_by_an_id_that_both_have(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"gold.json": '[{"id": 1, "x": 1}, {"id": 2, "x": 2}]', "out.jsonl": '{"id": 2, "x": 0}\n{"id": 1}\n'}
    )
    test_set = open_set(tmp_path, {"expected": "gold.json", "output": "out.jsonl"})
    assert rows(test_set, "expected", "output") == {
        "1": [{"id": 1, "x": 1}, {"id": 1}], "2": [{"id": 2, "x": 2}, {"id": 2, "x": 0}],
    }  # fmt: skip
    assert 'gold.json and out.jsonl are lists of documents, paired by the key "id"' in test_set.notes


def test_a_note_names_the_key_that_outputs_are_found_by(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold.jsonl": '{"doc": "A"}\n{"doc": "B"}\n', "out.jsonl": '{"doc": "B"}\n{"doc": "A"}\n'})
    test_set = open_set(tmp_path, {"expected": "gold.jsonl", "output": "out.jsonl"})
    assert list(test_set.notes[:2]) == [
        'gold.jsonl and out.jsonl are lists of documents, paired by the key "doc"',
        'output comes from out.jsonl, by "doc"',
    ]


@pytest.mark.parametrize(
    ("given", "pair_by"),
    [('[{"x": 1}, {"x": 2}]', None), ('[{"id": 1}, {"id": 1}]', None), ('[{"id": 2}, {"id": 1}]', "position")],
)
def test_other_lists_of_documents_are_paired_by_their_places(tmp_path: Path, given: str, pair_by: str | None) -> None:
    write_files(tmp_path, {"gold.json": '[{"id": 1}, {"id": 2}, {"id": 3}]', "out.json": given})
    test_set = open_set(tmp_path, {"expected": "gold.json", "output": "out.json", "pair_by": pair_by})
    assert "gold.json and out.json are lists of documents, paired by their places in the list" in test_set.notes
    assert rows(test_set, "expected", "output")["3"] == [{"id": 3}, "no-output-for-row"]
    assert [str(one) for one in test_set.issues] == [
        'gold.json: 1 place in the list that is not in out.json: "3" (row 3)'
    ]


def test_a_named_key_pairs_lists_and_must_be_there(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold.json": '[{"doc": "a"}]', "out.json": '[{"doc": "a", "x": 1}]'})
    test_set = open_set(tmp_path, {"expected": "gold.json", "output": "out.json", "columns": {"id": "doc"}})
    assert rows(test_set, "output") == {"a": [{"doc": "a", "x": 1}]}
    said = problem_of(tmp_path, expected="gold.json", output="out.json", columns={"id": "dok"})
    assert 'no document of the list has the key "dok"' in said


def test_two_files_are_one_document_each_when_one_of_them_is_no_list(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold.json": "[1]", "out.txt": "prose", "out.json": "[1]"})
    assert rows(open_set(tmp_path, {"expected": "gold.json", "output": "out.txt"}), "output") == {"gold": ["prose"]}
    assert rows(open_set(tmp_path, {"expected": "gold.json", "output": "out.json", "pair_by": "path"}), "output") == {
        "gold": ["[1]"]
    }


def test_a_line_that_is_not_json_is_a_fault_of_its_document(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold.jsonl": '{"a": 1}\nsorry\n', "out.jsonl": '{"a": 1}\n{"a": 2}\n'})
    assert rows(open_set(tmp_path, {"expected": "gold.jsonl", "output": "out.jsonl"}), "expected")["2"] == [
        "unreadable-row"
    ]


@pytest.mark.parametrize(
    ("expected", "text"),
    [("gold.csv", "id,expected\na,1\n"), ("gold.jsonl", '{"id": "a", "expected": "1"}\n')],
)
def test_two_files_of_rows_are_joined_by_id(tmp_path: Path, expected: str, text: str) -> None:
    write_files(tmp_path, {expected: text, "out.jsonl": '{"id": "a", "output": "2"}\n'})
    assert rows(open_set(tmp_path, {"expected": expected, "output": "out.jsonl"}), "expected", "output") == {
        "a": ["1", "2"]
    }


def test_columns_of_the_rows_are_variants_without_file_and_key(tmp_path: Path) -> None:
    write_files(tmp_path, {"rows.csv": "expected,small,large\n1,1,2\n2,2,2\n"})
    places = {"tiny": {"column": "small"}, "big": {"column": "large"}}
    test_set = open_set(tmp_path, {"file": "rows.csv", "outputs": places})
    cells = {}
    for name in test_set.variants:
        one = test_set.variant(name)
        cells[name] = [list(chunk.columns["output"]) for chunk in one.read(one.splits()[0], ["output"])]
    assert cells == {"tiny": [["1", "2"]], "big": [["2", "2"]]}
    assert len(test_set.files) == 1


def test_a_variant_whose_column_is_not_there_is_named(tmp_path: Path) -> None:
    write_files(tmp_path, {"rows.csv": "expected,small\n1,1\n"})
    said = problem_of(tmp_path, file="rows.csv", outputs={"a": {"column": "smal"}, "b": {"column": "large"}})
    assert 'there is no column "smal"' in said
    assert 'did you mean "small"?' in said
    assert 'there is no column "large"' in said


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"file": "a.csv", "output": {"column": "x"}}, "write `columns: {output: x}`"),
        ({"file": "a.csv", "expected": {"column": "x"}}, "write `columns: {expected: x}`"),
        ({"file": "a.csv", "outputs": {"a": {}}}, 'a "file" or a "column" must be named'),
        ({"file": "a.csv", "outputs": {"a": {"column": "x", "key": "id"}}}, 'belong to another "file"'),
        ({"expected": "a", "output": "b", "pair_by": "hash"}, "must be one of"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(config: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSettings) as caught:
        build(TestSetConfig, config)
    assert any(message in f"{one.message} {one.hint}" for one in caught.value.details)


def test_a_file_of_the_rows_folder_becomes_a_column(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "data/fin/gold/a.json": "1", "data/fin/fin-schema.json": "F", "out/fin/a.json": "1",
            "data/hr/gold/b.json": "2", "data/hr/hr-schema.json": "H", "out/hr/b.json": "2",
        },
    )  # fmt: skip
    attach = {"schema": "data/{folder}/*-schema.json"}
    test_set = open_set(tmp_path, {"expected": "data/**/gold/*.json", "output": "out", "attach": attach})
    assert rows(test_set, "schema", "output") == {"fin/a": ["F", "1"], "hr/b": ["H", "2"]}
    assert test_set.header == ("id", "folder", "file", "expected", "schema", "output")
    assert "data/hr/hr-schema.json" in [source.name for source in test_set.files]
    assert rows(pickle.loads(pickle.dumps(test_set)), "schema") == {"fin/a": ["F"], "hr/b": ["H"]}


def test_a_file_may_be_named_by_any_column(tmp_path: Path) -> None:
    table = "id,kind,output,expected\na,invoice,1,1\nb,order,1,1\nc,,1,1\nd,../x,1,1\ne,[x],1,1\nf,in*,1,1\n"
    write_files(tmp_path, {"rows.csv": table, "schemas/invoice.json": "I", "schemas/[x].json": "X", "x.json": ""})
    found = rows(open_set(tmp_path, {"file": "rows.csv", "attach": {"schema": "schemas/{kind}.json"}}), "schema")
    assert [cell for (cell,) in found.values()] == ["I", "no-such-file", "no-such-file", "leads-out", "X", "no-such-file"]


def test_several_files_that_fit_are_a_fault_not_a_choice(tmp_path: Path) -> None:
    write_files(tmp_path, {"rows.csv": "id,output,expected\na,1,1\n", "a-schema.json": "", "b-schema.json": ""})
    test_set = open_set(tmp_path, {"file": "rows.csv", "attach": {"schema": "*-schema.json"}})
    assert rows(test_set, "schema") == {"a": ["several-files"]}


@pytest.mark.parametrize(
    ("attach", "message"),
    [
        ({"schema": "{flder}.json"}, 'there is no column "flder"'),
        ({"output": "x.json"}, 'there is a column "output" already'),
    ],
)
def test_an_attached_file_needs_columns_that_are_there_and_a_new_name(
    tmp_path: Path, attach: dict[str, str], message: str
) -> None:
    write_files(tmp_path, {"rows.csv": "id,folder,output,expected\na,x,1,1\n"})
    assert message in problem_of(tmp_path, file="rows.csv", attach=attach)


@pytest.mark.slow
@pytest.mark.parametrize("folder_of_expected", ["pdf+gold", "gold"])
def test_each_row_of_the_extract_bench_data_has_the_schema_of_its_folder(tmp_path: Path, folder_of_expected: str) -> None:
    unpack(tmp_path, "dataset", "outputs/identity", "outputs/drop_items")
    if folder_of_expected != "pdf+gold":
        for one in (tmp_path / "dataset").glob("*/*/pdf+gold"):
            one.rename(one.with_name(folder_of_expected))
    text = (
        "test_set:\n"
        f"  expected: dataset/**/{folder_of_expected}/*.json\n"
        "  outputs: outputs/*\n"
        "  attach:\n"
        "    schema: dataset/{folder}/*-schema.json\n"
        "evaluators:\n"
        "  - json_schema_valid: {schema: {column: schema}}\n"
        "slices: [row.folder]\n"
    )
    result = loads(text, folder=tmp_path).run()
    assert (result.exit_code, result.n_rows, result.variants) == (0, 35, ("drop_items", "identity"))
    identity = next(one for one in result.evaluators if one.variant == "identity")
    # the schema of the résumés is wrapped in a key of its own, so as a JSON Schema it says nothing
    assert (identity.scored, identity.passed) == (35, 23)
    assert {one.slice[1] for one in result.slices if one.slice} == {
        "academic/research", "finance/10kq", "finance/credit_agreement", "hiring/resume", "sport/swimming",
    }  # fmt: skip


def test_files_of_several_kinds_for_one_document_are_told_with_the_pattern_that_takes_one_kind(tmp_path: Path) -> None:
    answers = {"out/a.json": "1", "out/b.json": "2", "out/b.pdf": "%PDF", "out/c/d.json": "3"}
    write_files(tmp_path, {**answers, "gold/a.json": "1", "gold/b.json": "2", "gold/b.txt": "2", "gold/c/d.json": "3"})
    assert [str(issue) for issue in open_set(tmp_path, {"expected": "gold", "output": "out"}).issues] == [
        (
            'gold/: 1 document that occurs more than once: "b" (file gold/b.json and file gold/b.txt)\n'
            "  hint: name one kind of file: expected: gold/**/*.json"
        ),
        (
            'out/: 1 document that occurs more than once: "b" (file out/b.json and file out/b.pdf)\n'
            "  hint: name one kind of file: output: out/**/*.json"
        ),
    ]
    assert open_set(tmp_path, {"expected": "gold/**/*.json", "output": "out/**/*.json"}).issues == ()


def test_one_name_in_two_folders_gets_no_pattern(tmp_path: Path) -> None:
    write_files(tmp_path, {"gold/a.json": "1", "out/one/a.json": "1", "out/two/a.json": "1"})
    (issue,) = open_set(tmp_path, {"expected": "gold", "output": "out", "pair_by": "name"}).issues
    assert "more than once" in issue.message
    assert issue.hint is None
