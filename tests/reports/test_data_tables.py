"""Tables of several outputs of one question and of confidences: what CSV files, data frames and trackers have of a run."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import evaluators
from evaluators.api.finished_run import write_again
from evaluators.model.issues import Problems
from evaluators.reports.data_tables import TABLES
from evaluators.reports.tracking.attachments import attachments
from evaluators.runs.intervals import wilson

SUITE: dict[str, Any] = {
    "evaluators": [
        {"json_multi_field_match": {"name": "m", "fields": {"a": {"compare": "exact", "confidence": "meta.a"}}}},
        {
            "exact_match": {
                "name": "e",
                "output": "said",
                "expected": "conf",
                "labels": ["0.0", "0.25", "0.5"],
                "when": {"row.question": ["=1+1", "q", ""]},
            }
        },
    ],
    "repeats": {"by": "row.question", "k": [1, 2, 3]},
    "confidence": "row.conf",
    "measures": {"conf": "row.conf"},
    "results": {"formats": ["repeats", "confidence", "labels", "measures"]},
}
ATTEMPTS = {"=1+1": "101", "q": "11", "r": "1?0", "": "1"}
ROWS = [
    {
        "id": f"{question}{place}", "question": question, "conf": place / 4, "said": place / 4,
        "output": {"a": 2 - int(one == "1"), "meta": {"a": 0.95}}, "expected": "" if one == "?" else {"a": 1},
    }
    for question, ones in ATTEMPTS.items()
    for place, one in enumerate(ones)
]  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> evaluators.Run:
    return evaluators.load(SUITE).run(ROWS, results=tmp_path_factory.mktemp("runs"), name="tables")


def lines(run: evaluators.Run, name: str, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(line[column] for column in columns) for line in run.table(name)]


def test_every_group_has_a_line_for_each_evaluator_that_counts_it(run: evaluators.Run) -> None:
    found = lines(run, "repeats.groups", "evaluator", "group", "attempts", "passed", "share", "kept_out")
    assert found == [
        ("m", "=1+1", 3, 2, 2 / 3, 0), ("m", "q", 2, 2, 1.0, 0), ("m", "r", 2, 1, None, 1),
        ("e", "=1+1", 3, 3, 1.0, 0), ("e", "q", 2, 2, 1.0, 0),
    ]  # fmt: skip
    for passed, attempts, share, *ends in lines(
        run, "repeats.groups", "passed", "attempts", "share", "ci_low", "ci_high"
    ):
        ci = None if share is None else wilson(passed, attempts)
        assert ends == ([None, None] if ci is None else [ci.low, ci.high])


def test_groups_come_to_what_the_metrics_say(run: evaluators.Run) -> None:
    for stats in run.result.repeats:
        whole = [
            line for line in run.table("repeats.groups") if line["evaluator"] == stats.evaluator and not line["kept_out"]
        ]
        assert (len(whole), sum(line["attempts"] for line in whole)) == (stats.groups, stats.attempts)


@pytest.mark.parametrize(
    ("name", "items"),
    [
        ("repeats.passes", lambda result: [each for one in result.repeats for each in one.passes]),
        ("repeats.flips", lambda result: [each for one in result.repeats for each in one.fields]),
        ("confidence.bins", lambda result: [each for one in result.confidence for each in one.bins]),
        ("confidence.accept", lambda result: [each for one in result.confidence for each in one.accept]),
        ("labels", lambda result: [each for one in result.confusion_matrices for each in (*one.labels, *one.averages)]),
        ("measures", lambda result: result.measures),
    ],
)
def test_the_metrics_are_those_of_run_json(run: evaluators.Run, name: str, items: Any) -> None:
    found = items(run.result)
    assert len(found) == len(run.table(name)) > 0
    for line, one in zip(run.table(name), found, strict=True):
        for column, value in line.items():
            key, _, end = column.rpartition("_")
            if end in ("low", "high") and key:
                interval = getattr(one, key)
                assert value == (None if interval is None else getattr(interval, end))
            elif hasattr(one, column):
                assert value == getattr(one, column)
            else:
                assert column in (
                    "variant",
                    "evaluator",
                    "field",
                    "source",
                    "rows",
                    "chosen",
                    "average",
                    "measure",
                    "slice_column",
                    "slice_value",
                )


def test_a_threshold_that_is_sure_is_marked() -> None:
    rows = [{"output": "a", "expected": "a", "conf": 0.9}] * 200 + [{"output": "b", "expected": "a", "conf": 0.2}] * 9
    found = evaluators.load({"evaluators": ["exact_match"], "confidence": "row.conf"}).run(rows)
    assert [one for one in lines(found, "confidence.accept", "chosen", "threshold", "rows") if one[0]] == [
        (True, 0.9, 209)
    ]


def test_files_have_the_lines_of_the_tables_with_exact_numbers(run: evaluators.Run) -> None:
    assert run.folder is not None
    for name, table in TABLES.items():
        with (Path(run.folder) / f"{name}.csv").open(encoding="utf-8-sig", newline="") as stream:
            head, *cells = csv.reader(stream)
        assert head == [*table.columns]
        assert len(cells) == len(run.table(name))
        for line, expected in zip(cells, run.table(name), strict=True):
            for cell, value in zip(line, expected.values(), strict=True):
                text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
                assert cell == (f"'{text}" if value == "=1+1" else text)  # no formula


def test_a_run_folder_gives_the_same_tables_and_files_later(run: evaluators.Run, tmp_path: Path) -> None:
    assert run.folder is not None
    again = evaluators.Run(run.folder)
    assert all(again.table(name) == run.table(name) for name in TABLES)
    files = write_again(
        Path(run.folder), [tmp_path / f"x.{name}.csv" for name in ("repeats", "confidence", "labels", "measures")]
    )
    assert [file.name for file in files] == [f"x.{name}.csv" for name in TABLES]
    for file in files:
        assert file.read_bytes() == (Path(run.folder) / file.name.removeprefix("x.")).read_bytes()


def test_trackers_keep_the_files_and_data_frames_have_their_types(run: evaluators.Run) -> None:
    with attachments(evaluators.Run(str(run.folder)), None) as files:
        assert {f"run/{name}.csv" for name in TABLES} <= files.keys()
    frame = run.table("repeats.groups").to_pandas()
    assert {name: str(kind) for name, kind in frame.dtypes.items()}["attempts"] == "Int64"


def test_every_group_has_its_line_however_many_there_are() -> None:
    rows = [{"output": "a", "expected": "ab"[at % 2], "question": f"q{at % 400}"} for at in range(1200)]
    found = evaluators.load({"evaluators": ["exact_match"], "repeats": "row.question"}).run(rows)
    (stats,) = found.result.repeats
    told = [*lines(found, "repeats.groups", "group", "attempts", "passed")]
    assert {(one.group, one.attempts, one.passed) for one in stats.listed} <= {*told}
    assert len(told) == len({*told}) == 400


def test_variants_have_lines_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,question,expected,out.x,out.y\n1,q,a,a,b\n2,q,a,a,a\n", encoding="utf-8")
    suite = {
        "evaluators": ["exact_match"],
        "repeats": "row.question",
        "test_set": {"file": str(tmp_path / "rows.csv"), "outputs": {"x": {"column": "out.x"}, "y": {"column": "out.y"}}},
    }
    found = evaluators.load(suite).run()
    assert lines(found, "repeats.groups", "variant", "passed", "attempts") == [("x", 2, 2), ("y", 1, 2)]


@pytest.mark.parametrize(
    ("suite", "word", "said"),
    [({"confidence": "row.conf"}, "repeats", "does not say which rows"), ({"repeats": "row.question"}, "confidence", "names none")],
)  # fmt: skip
def test_tables_of_what_a_suite_does_not_ask_for_are_refused_before_the_first_row(
    tmp_path: Path, suite: dict[str, Any], word: str, said: str
) -> None:
    row = {"output": "a", "expected": "a", "question": "q", "conf": 1}
    for asked in ({"files": [str(tmp_path / f"x.{word}.csv")]}, {"formats": (word,), "results": tmp_path}):
        with pytest.raises(Problems, match=said):
            evaluators.load({"evaluators": ["exact_match"], **suite}).run([row], **asked)


def test_a_run_that_has_none_says_what_to_add(tmp_path: Path) -> None:
    found = evaluators.load({"evaluators": ["exact_match"]}).run(
        [{"output": "a", "expected": "a"}], results=tmp_path, name="r"
    )
    with pytest.raises(Problems, match=r"repeats: row\.COLUMN"):
        write_again(Path(str(found.folder)), [tmp_path / "x.repeats.csv"])
    assert len(found.table("repeats.passes")) == 0


def test_an_unknown_table_is_a_problem_with_a_suggestion(run: evaluators.Run) -> None:
    with pytest.raises(Problems, match=r'did you mean "repeats\.groups"'):
        run.table("repeats.grups")
