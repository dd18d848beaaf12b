"""What a studio says of rows is what a run says of them; what a change turned; and judges that nobody was allowed to ask."""

from __future__ import annotations

import base64
import csv
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pytest

import evaluators
from evaluators.reports.rows import row_views
from evaluators.runs.record_lines import LETTERS
from evaluators.testsets import delimited
from evaluators.testsets.reader import READERS, Chunk, Reader, Split
from evaluators.testsets.row_texts import row_starts
from tests.kit import write_files, write_rows
from tests.scoring.judges.chat_server import Reply, chat_server, verdicts
from tests.studio.serving import Page, serving

ROWS = [
    ("Paris", "Paris", 1, 1), ("paris", "Paris", 2, 2), ("Rome", "Rom", 3, 4), ("OSLO", "Oslo", 5, 5), ("Bern", "Bern", "6", 6),
]  # fmt: skip
SUITE = """\
test_set: rows.csv
evaluators:
  - type: json_multi_field_match
    name: header
    fields:
      city: exact
      count: exact
  - json_diff_match: {name: whole}
gates:
  header: {fail_below: 0.9}
"""
IGNORING_CASE = SUITE.replace("city: exact", "city: {normalized: {case: ignore}}")


@pytest.fixture
def page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    with (folder / "rows.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "output", "expected"])
        for number, (city, wanted, count, right) in enumerate(ROWS):
            writer.writerow(
                [f"r{number}", json.dumps({"city": city, "count": count}), json.dumps({"city": wanted, "count": right})]
            )
    write_files(folder, {"suite.yaml": SUITE})
    monkeypatch.chdir(folder)
    with serving(folder) as found:
        yield found


def scored(page: Page, text: str = SUITE, **more: Any) -> Any:
    return page.done("score", {"text": text, "path": "suite.yaml", "tab": "one", **more})


def by_column(found: Any, row: dict[str, Any]) -> dict[tuple[str, str], str]:
    names = [(one["evaluator"], one.get("field", "")) for one in found["columns"]]
    return dict(zip(names, row["statuses"], strict=True))


def test_the_table_says_what_a_run_says(page: Page) -> None:
    found = scored(page)
    run = evaluators.load("suite.yaml").run(evidence="all")
    views = list(row_views(run))
    assert [(row["row"], row["id"]) for row in found["table"]] == [(view.number, view.id) for view in views]
    for row, view in zip(found["table"], views, strict=True):
        shown = by_column(found, row)
        for result, score in zip(view.evaluators, row["scores"], strict=True):
            assert shown[result.evaluator, ""] == ("P" if result.passed else "F")
            assert score == result.score
            for one in result.fields:
                assert LETTERS.index(shown[result.evaluator, one.place]) == list(type(one.status)).index(one.status)
    assert [one["mean"] for one in found["figures"]] == [one.mean for one in run.evaluators]
    assert [(one["target"], one["status"]) for one in found["gates"]] == [(one.target, one.verdict) for one in run.gates]
    rules = {(one["evaluator"], one.get("field")): (one.get("rule"), one["right"], one["of"]) for one in found["columns"]}
    assert rules["header", "city"] == ("exact", 2, 5)
    assert (found["said"], found["whole"], found["command"]) == (
        "of all 5 rows", True, "evaluators run suite.yaml --limit 50 --no-results",
    )  # fmt: skip


def test_of_a_part_there_are_no_gates_and_no_intervals(page: Page) -> None:
    found = scored(page, rows=3)
    assert (found["rows"], found["whole"], found["said"], found["gates"]) == (3, False, "of the first 3 rows", [])
    assert {(one["low"], one["high"]) for one in found["figures"]} == {(None, None)}


def test_what_a_change_turned_is_told_by_row(page: Page) -> None:
    first = scored(page)
    second = scored(page, IGNORING_CASE, before=first["id"])
    city = next(one for one in second["turned"] if one["field"] == "city" and one["evaluator"] == "header")
    assert (city["right"], city["wrong"], city["became_right"], city["became_wrong"], city["other"]) == (
        [3, 5],
        [],
        2,
        0,
        0,
    )
    back = scored(page, before=second["id"])
    assert next(one for one in back["turned"] if one["field"] == "city")["wrong"] == [3, 5]
    shown = page.done("rows", {"score": back["id"], "only": "turned"})
    assert [row["row"] for row in shown["table"]] == [3, 5]
    assert scored(page, before=back["id"])["turned"] == []


def test_rows_with_something_wrong_are_found_by_field(page: Page) -> None:
    found = scored(page)
    wrong = page.done("rows", {"score": found["id"], "only": "wrong", "evaluator": "header", "field": "count"})
    assert (wrong["of"], [row["id"] for row in wrong["table"]]) == (2, ["r2", "r4"])
    rest = page.done("rows", {"score": found["id"], "first": 3, "count": 1})
    assert (rest["of"], [row["id"] for row in rest["table"]]) == (5, ["r3"])
    assert page.ask("rows", {"score": "none"})[1]["code"] == "no-score"


def test_one_row_is_as_a_report_has_it(page: Page) -> None:
    found = scored(page)
    row = page.done("row", {"score": found["id"], "row": 3})
    lines = {name: zlib.decompress(base64.b64decode(text)).decode() for name, text in row["lines"].items()}
    (line,) = lines["rows-0"].splitlines()
    (cells,) = lines["cells-0"].splitlines()
    assert (json.loads(line)["id"], json.loads(cells)["cells"]["expected"]) == ("r1", '{"city": "Paris", "count": 2}')
    assert row["head"]["rows"]["pieces"] == [[0]]
    outcomes = [json.loads(one) for one in lines["outcomes-0"].splitlines()]
    assert {one["row"] for one in outcomes} == {3}
    assert {one.get("path"): one.get("status") for one in outcomes if one["evaluator"] == "header"}["city"] == "mismatch"


def test_a_suggestion_turns_what_it_says_once_it_is_applied(page: Page) -> None:
    found = scored(page)
    advised = page.done("advice", {"score": found["id"]})["lines"]
    applied = [one for one in advised if one["edit"] is not None]
    assert applied
    for one in applied:
        text = page.done("edit", {"text": SUITE, "path": "suite.yaml", "edit": one["edit"]})["text"]
        turned = scored(page, text, before=found["id"])["turned"]
        own = next(each for each in turned if (each["evaluator"], each["field"]) == (one["evaluator"], one["field"]))
        assert (own["became_right"], own["became_wrong"]) == (one["turned"], 0), one["said"]


def test_rows_of_another_file_can_be_scored(page: Page, folder: Path) -> None:
    write_files(folder, {"one.csv": 'output,expected\n"{""city"": 1}","{""city"": 1}"\n'})
    found = scored(page, data="one.csv")
    assert (found["rows"], found["command"]) == (1, "evaluators run suite.yaml one.csv --limit 50 --no-results")


@pytest.mark.parametrize(
    ("test_set", "code"),
    [
        ("", "no-rows-here"),
        ("test_set: https://example.com/rows.csv\n", "rows-elsewhere"),
        ("test_set: {sql: 'select 1', connection: {sqlite: rows.db}}\n", "rows-elsewhere"),
        ("test_set: none.csv\n", "no-such-file"),
    ],
)
def test_rows_that_are_elsewhere_are_not_fetched_at_every_key(page: Page, test_set: str, code: str) -> None:
    text = SUITE.replace("test_set: rows.csv\n", test_set)
    status, answer = page.ask("score", {"text": text, "path": "suite.yaml", "tab": "one"})
    assert (status, answer["code"]) == (422, code)


def test_a_text_with_problems_has_them_with_their_lines_and_no_form(page: Page) -> None:
    text = SUITE.replace("city: exact", "city: exakt")
    read = page.done("read", {"text": text, "path": "suite.yaml"})
    assert read["form"] is None
    (problem,) = read["problems"]
    assert (problem["line"], problem["column"], "exakt" in problem["message"], "exact" in problem["hint"]) == (
        6,
        13,
        True,
        True,
    )
    assert page.ask("score", {"text": text, "path": "suite.yaml", "tab": "one"})[0] == 422


def judged_suite(address: str) -> str:
    judge = {"openai_compatible": {"base_url": address, "model": "m", "cache": False}}
    fields = {"json_multi_field_match": {"name": "judged", "fields": {"city": "semantic"}}}
    checks = ["contains_json", fields]
    return json.dumps({"test_set": "rows.csv", "judge": judge, "evaluators": checks})


@pytest.mark.parametrize(("turn", "first_status", "later_status"), [(2, 409, 200), (1, 409, 200), (0, 200, 409)])
def test_of_requests_under_way_the_one_with_the_highest_turn_wins(
    page: Page, turn: int, first_status: int, later_status: int
) -> None:
    """Whatever arrives first: a page sends them at once, and they overtake one another."""
    pytest.importorskip("openai")
    statuses = []
    with chat_server() as server:
        score = {"text": judged_suite(server.url), "path": "suite.yaml", "tab": "one"}

        def respond(request: dict[str, Any], number: int) -> Reply:
            if not statuses:  # the first request is under way, as its judge is asked
                statuses.append(page.ask("score", {**score, "turn": turn})[0])
            return Reply(verdicts(request))

        server.respond = respond
        assert page.ask("score", {**score, "turn": 1, "ask": True})[0] == first_status
    assert statuses == [later_status]


def test_a_judge_is_asked_once_somebody_has_said_so_and_its_answers_are_known_afterwards(
    page: Page,
) -> None:
    pytest.importorskip("openai")
    with chat_server() as server:
        server.respond = lambda request, number: Reply(verdicts(request))
        text = judged_suite(server.url)
        found = scored(page, text)
        assert not server.requests
        assert [(one["evaluator"], one["scored"]) for one in found["figures"]] == [("contains_json", 5), ("judged", 4)]
        assert any("At most 1 question" in line for line in found["asks"]["said"])
        asked = scored(page, text, ask=True)
        assert [one["scored"] for one in asked["figures"]] == [5, 5]
        sent = len(server.requests)
        assert sent
        again = scored(page, text)
        assert [one["scored"] for one in again["figures"]] == [5, 5]
        assert [one["asks"]["open"] for one in (found, asked, again)] == [True, False, False]
        assert len(server.requests) == sent
        page.done("save", {"path": "judged.yaml", "text": text, "base": ""})
        status, answer = page.ask("run", {"path": "judged.yaml"})
        assert (status, answer["code"], "At most 1 question" in answer["message"]) == (422, "asks", True)
        assert len(server.requests) == sent


def test_as_many_rows_as_there_are_is_all_of_them(page: Page) -> None:
    part, all_, more = (scored(page, rows=rows) for rows in (4, 5, 6))
    assert [(one["whole"], one["said"]) for one in (part, all_, more)] == [
        (False, "of the first 4 rows"), (True, "of all 5 rows"), (True, "of all 5 rows"),
    ]  # fmt: skip
    assert (part["gates"], [one["target"] for one in all_["gates"]]) == ([], ["header"])


def test_as_many_rows_of_each_variant_as_there_are_is_all_of_them(page: Page, folder: Path) -> None:
    lines = ["id,one,two,expected", *(f"{number},a,b,a" for number in range(3))]
    write_files(folder, {"both.csv": "\n".join(lines) + "\n"})
    text = "test_set: {file: both.csv, outputs: {one: {column: one}, two: {column: two}}}\nevaluators: [exact_match]\n"
    assert [scored(page, text, rows=rows)["whole"] for rows in (2, 3, 4)] == [False, True, True]


def test_what_another_page_scores_takes_nothing_away(page: Page) -> None:
    first = scored(page, tab="idle")
    for _ in range(10):
        last = scored(page, tab="busy")
    assert page.ask("row", {"score": first["id"], "row": 2})[0] == 200
    assert page.ask("row", {"score": last["id"], "row": 2})[0] == 200
    for _ in range(10):
        scored(page, tab="idle")
    assert page.ask("row", {"score": first["id"], "row": 2})[1]["code"] == "no-score"


def test_another_suite_is_no_change_of_the_one_before_it(page: Page) -> None:
    before = scored(page)
    assert scored(page, IGNORING_CASE, before=before["id"])["turned"]
    assert scored(page, IGNORING_CASE, before=before["id"], path="other.yaml")["turned"] == []


def test_a_file_that_is_not_there_is_named_with_its_line(page: Page) -> None:
    status, answer = page.ask(
        "score", {"text": SUITE.replace("rows.csv", "rose.csv"), "path": "suite.yaml", "tab": "one"}
    )
    (found,) = answer["problems"]
    assert (status, found["where"]) == (422, "suite.yaml:1:11")
    assert found["message"] == 'there is no such file: "rose.csv"'
    assert "rows.csv" in found["hint"]


@pytest.mark.parametrize("evaluator", ["exact_match", "exact_match:", "{exact_match: {name: same}}"])
def test_a_suggestion_is_applied_to_an_evaluator_that_is_a_word(page: Page, folder: Path, evaluator: str) -> None:
    write_files(folder, {"words.csv": "id,output,expected\n" + "".join(f"{n},Yes,yes\n" for n in range(8))})
    text = f"test_set: words.csv\nevaluators:\n  - {evaluator}\n"
    (line,) = page.done("advice", {"score": scored(page, text)["id"]})["lines"]
    found = page.done("edit", {"text": text, "path": "suite.yaml", "edit": line["edit"]})
    assert [one["right"] for one in scored(page, found["text"])["columns"]] == [8]


def test_any_of_many_rows_is_shown_with_its_cells(page: Page, folder: Path) -> None:
    lines = "".join(f"r{n},{'x' if n % 3 else 'y'},x\n" for n in range(12_000))
    write_files(folder, {"many.csv": f"id,output,expected\n{lines}"})
    found = scored(page, "test_set: many.csv\nevaluators: [exact_match]\n", rows=None)
    for number in (2, 6_000, 12_001):
        shown = page.done("row", {"score": found["id"], "row": number})["lines"]
        row, cells = (json.loads(zlib.decompress(base64.b64decode(shown[name]))) for name in ("rows-0", "cells-0"))
        assert (row["row"], row["id"], cells["row"], cells["cells"]["id"]) == (
            number,
            row["id"],
            number,
            f"r{number - 2}",
        )
    (folder / "many.csv").write_text("id,output,expected\na,b,c\n")
    assert "cells-0" not in page.done("row", {"score": found["id"], "row": 6_000})["lines"]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_late_row_costs_the_rows_of_its_split_and_nothing_else(
    kind: str, page: Page, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither all rows are read again, nor what is recorded of others; of verdicts, one comes to the page."""
    count, text = 12_000, "x" * 1_000
    lines = [{"id": f"r{n}", "output": f"{text}{n % 3}", "expected": f"{text}0"} for n in range(count)]
    if kind == "csv":
        write_files(folder, {"many.csv": "\n".join(map(",".join, [[*lines[0]], *(one.values() for one in lines)]))})
    else:
        write_rows(folder / "many.jsonl", lines)
    first = 2 if kind == "csv" else 1
    found = scored(page, f"test_set: many.{kind}\nevaluators: [exact_match, length]\n", rows=None)
    read: list[int] = []
    reader = READERS.find(kind)
    reads = reader.read

    def counted(self: Reader, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        for chunk in reads(self, split, columns):
            read.append(chunk.count)
            yield chunk

    monkeypatch.setattr(reader, "read", counted)
    shown = page.done("row", {"score": found["id"], "row": first + count - 1})["lines"]
    row, cells = (json.loads(zlib.decompress(base64.b64decode(shown[name]))) for name in ("rows-0", "cells-0"))
    assert (row["row"], row["id"], cells["cells"]["id"]) == (first + count - 1, f"r{count - 1}", f"r{count - 1}")
    codes = zlib.decompress(base64.b64decode(shown["codes-0"])).splitlines()
    assert [json.loads(line)["code"] for line in codes] == row["codes"] == [0, 0]
    assert 0 < sum(read) < count / 2


def test_a_large_table_is_searched_for_its_pieces_once(page: Page, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is opened and scored: the page shows its first rows before, and more of them after."""
    lines = "".join(f"r{n},{'x' * 1_000},x\n" for n in range(5_000))
    text = "test_set: large.csv\nevaluators: [exact_match]\n"
    write_files(folder, {"large.csv": f"id,output,expected\n{lines}", "large.yaml": text})
    searched: list[BinaryIO] = []
    monkeypatch.setattr(delimited, "row_starts", lambda stream: row_starts(searched.append(stream) or stream))
    assert len(page.done("open", {"path": "large.yaml"})["data"]["rows"]) == 20
    for rows in (50, 200):
        assert scored(page, text, path="large.yaml", rows=rows)["rows"] == rows
    assert len(searched) == 1
