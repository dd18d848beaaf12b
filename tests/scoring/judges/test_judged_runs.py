"""Runs whose fields a judge answers, from the command line to the run folder, against a server with real sockets."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result

import evaluators
from evaluators.reports.rows import row_views
from evaluators.reports.tracking.attachments import environment_of, flat_params, note_of, row_table
from evaluators.runs.reader import Run
from evaluators.scoring.judges.session import AskingProgress
from tests.kit import cli, exported, lines_of, read_yaml, write_rows
from tests.reports.html.test_page import parts
from tests.scoring.judges.chat_server import ChatServer, Reply, verdicts

pytest.importorskip("openai")

CANARY = "sk-canary-7f3a91d2"
ROWS = [("car", "coupe"), ("boat", "ship"), ("Car", "car"), ("car", "coupe"), ("dog", "cat")]


def suite_of(server: ChatServer, folder: Path, fields: dict[str, Any] | None = None, **judge: Any) -> Path:
    """A suite with one judged field, and its rows beside it."""
    lines = [{"id": str(n), "expected": {"a": one}, "output": {"a": two}} for n, (one, two) in enumerate(ROWS)]
    write_rows(folder / "rows.jsonl", lines)
    data = {
        "judge": {"openai_compatible": {"base_url": server.url, "model": "m", **judge}},
        "test_set": {"file": "rows.jsonl"},
        "evaluators": [{"json_multi_field_match": {"name": "header", "fields": fields or {"a": "semantic"}}}],
        "results": {"folder": str(folder / "runs"), "name": "one"},
    }
    file = folder / "suite.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    return file


def run(suite: Path, *options: str) -> Result:
    return cli("run", str(suite), *options)


def test_a_run_says_first_where_questions_go_and_asks_equal_ones_once(server: ChatServer, tmp_path: Path) -> None:
    found = run(suite_of(server, tmp_path))
    assert found.exit_code == 0, found.output
    assert f"Questions go to {server.url}, model m." in found.stderr
    assert "At most 3 questions in 3 requests, about" in found.stderr
    assert (
        "Judge: 3 requests; 3 questions, of which 0 were known from before and 0 have no answer; 360 tokens."
        in found.stderr
    )
    assert len(server.requests) == 3  # five rows: one is equal but for case, and one comes twice
    environment = json.loads((tmp_path / "runs" / "one" / "environment.json").read_text())
    assert environment["asked"] | {"seconds": 0} == {
        "questions": 3, "failed": 0, "cached": 0, "requests": 3, "retries": 0, "tokens_in": 300, "tokens_out": 60,
        "repeated": 0, "agreed": 0, "seconds": 0,
    }  # fmt: skip


def test_nothing_is_sent_where_nobody_is_named(server: ChatServer, tmp_path: Path) -> None:
    found = run(suite_of(server, tmp_path, {"a": "exact"}))
    assert (found.exit_code, found.stderr, server.requests) == (0, "", [])
    assert not (tmp_path / "runs" / "one" / "answers.jsonl").exists()


def test_a_second_run_asks_nothing_and_says_the_same(server: ChatServer, tmp_path: Path) -> None:
    suite = suite_of(server, tmp_path)
    run(suite)
    again = run(suite, "--name", "two")
    assert "At most 0 questions in 0 requests" in again.stderr
    assert "3 more are answered from before" in again.stderr
    assert len(server.requests) == 3
    for word in ("rows", "outcomes", "answers", "codes"):
        assert exported(tmp_path / "runs/one", word) == exported(tmp_path / "runs/two", word)


def test_a_dry_run_counts_and_sends_nothing(server: ChatServer, tmp_path: Path) -> None:
    found = run(suite_of(server, tmp_path), "--dry-run")
    assert found.exit_code == 0
    assert "At most 3 questions in 3 requests, about" in found.stdout
    assert server.requests == []
    assert not (tmp_path / "runs").exists()
    assert "Nothing would be sent anywhere." in run(suite_of(server, tmp_path, {"a": "exact"}), "--dry-run").stdout


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "3"])
def test_equal_questions_of_the_whole_test_set_are_asked_once(server: ChatServer, tmp_path: Path, workers: str) -> None:
    """Without a cache, too: the chunks and the workers of a run share what they were told."""
    suite = suite_of(server, tmp_path, cache=False)
    pad = "x" * 600
    rows = [{"id": str(n), "expected": {"a": "car"}, "output": {"a": f"coupe {n % 7}"}, "pad": pad} for n in range(5000)]
    write_rows(tmp_path / "rows.jsonl", rows)
    found = run(suite, "--workers", workers, "--formats", "")
    assert found.exit_code == 0, found.output
    assert len(server.questions) == 7
    environment = json.loads((tmp_path / "runs" / "one" / "environment.json").read_text())
    assert environment["asked"]["questions"] > 7  # it is more than one chunk
    assert environment["asked"]["questions"] - environment["asked"]["cached"] == 7


def test_a_judge_that_fails_is_the_environment_s_fault(server: ChatServer, tmp_path: Path) -> None:
    server.respond = lambda request, number: Reply(status=500, content="out of memory")
    found = run(suite_of(server, tmp_path, retries=0))
    assert found.exit_code == 3
    assert "the environment left rows without a score: header 4 of 5" in found.stdout
    assert 'the endpoint answered 500: "out of memory"' in " ".join(found.stdout.split())
    record = json.loads((tmp_path / "runs" / "one" / "run.json").read_text())
    assert (record["evaluators"][0]["unjudged"], record["evaluators"][0]["scored"]) == (4, 1)
    server.respond = lambda request, number: Reply(verdicts(request))
    assert run(suite_of(server, tmp_path), "--name", "two").exit_code == 0


def test_a_model_or_an_endpoint_that_refuses_costs_its_own_questions_alone(server: ChatServer, tmp_path: Path) -> None:
    server.respond = lambda request, number: (
        Reply(status=404, content="no such model") if request["model"] == "gone" else Reply(verdicts(request))
    )
    suite = suite_of(server, tmp_path, concurrency=1, cache=False)
    data = read_yaml(suite)
    another = {"openai_compatible": {"base_url": server.url + "/", "model": "gone", "cache": False, "concurrency": 1}}
    fields = {"json_multi_field_match": {"name": "header", "fields": {"a": "semantic"}}}
    data["evaluators"] = [
        {"llm_judge": {"name": "own", "rubric": "Polite?", "judge": another}},
        {"json_multi_field_match": {"name": "other", "fields": {"a": {"semantic": {"model": "gone"}}}}},
        fields,
    ]
    suite.write_text(yaml.safe_dump(data))
    run(suite)
    found = json.loads((tmp_path / "runs" / "one" / "run.json").read_text())["evaluators"]
    assert {one["name"]: one["unjudged"] for one in found} == {"own": 5, "other": 4, "header": 0}
    asked = [request["model"] for request in server.requests]
    assert asked.count("gone") == 2  # each judge finds out once, and then asks it no more


def test_a_budget_that_ran_out_goes_on_in_the_next_run(server: ChatServer, tmp_path: Path) -> None:
    suite = suite_of(server, tmp_path, budget={"max_questions": 2}, concurrency=1)
    first = run(suite)
    assert first.exit_code == 3
    assert "the budget of the judge is spent" in first.stdout
    assert run(suite, "--name", "two").exit_code == 0
    assert len(server.requests) == 3


def test_each_judge_of_a_panel_has_its_own_budget(server: ChatServer, tmp_path: Path) -> None:
    server.respond = lambda request, number: Reply(verdicts(request, lambda one: {**one, "reason": "so", "score": 1.0}))
    suite = suite_of(server, tmp_path, cache=False)
    data = read_yaml(suite)
    another = {"base_url": server.url, "model": "b", "cache": False, "budget": {"max_questions": 4}}
    panel = [{}, {"judge": {"openai_compatible": another}}]
    data["evaluators"] = [{"llm_judge": {"name": "own", "rubric": "Polite?", "panel": panel}}]
    suite.write_text(yaml.safe_dump(data))
    found = run(suite)
    assert found.exit_code == 0, found.output
    assert sorted(request["model"] for request in server.requests) == ["b"] * 4 + ["m"] * 4  # four different outputs


def test_a_run_that_is_stopped_keeps_what_it_paid_for(server: ChatServer, tmp_path: Path) -> None:
    suite = suite_of(server, tmp_path, concurrency=1)
    result = evaluators.load(suite).run(stopped=lambda: len(server.requests) >= 2)
    assert result.exit_code == 130
    paid = len(server.requests)
    assert (paid < 3, result.complete) == (True, False)
    assert evaluators.load(suite).run().exit_code == 0
    assert len(server.requests) == 3


@pytest.mark.parametrize("held", ["in the environment", "in a file"])
@pytest.mark.parametrize("behaviour", ["well", "repeats the key", "refuses with the key"])
def test_the_key_is_nowhere(
    server: ChatServer, tmp_path: Path, behaviour: str, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in a run folder, a report, the cache, a tracker's files, or what trackers are given of rows and settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JUDGE_KEY", raising=False)
    keys = tmp_path / "keys.env"
    if held == "in a file":
        keys.write_text(f"JUDGE_KEY={CANARY}\n", encoding="utf-8")
        named: dict[str, Any] = {"api_key_env": "JUDGE_KEY", "env_file": "keys.env"}
    else:
        monkeypatch.setenv("JUDGE_KEY", CANARY)
        named = {"api_key_env": "JUDGE_KEY"}

    def respond(request: dict[str, Any], number: int) -> Reply:
        if behaviour == "refuses with the key":
            return Reply(status=401, content=f"no such key: {CANARY}")
        said = verdicts(request)
        return Reply(said.replace("by the first letter", f"seen {CANARY}") if behaviour == "repeats the key" else said)

    server.respond = respond
    page = tmp_path / "page.html"
    suite = suite_of(server, tmp_path, **named)
    found = run(suite, "-o", str(page), "--formats", "csv,html,markdown,json,junit", "--track", "files")
    assert {one["authorization"] for one in server.headers} == {f"Bearer {CANARY}"}
    files = [file for file in tmp_path.rglob("*") if file.is_file() and file != keys]
    names = {file.name for file in files}
    assert {"page.html", "run.db", "summary.txt", "judge-answers.sqlite", "metrics.json", "params.yaml"} <= names
    assert "keys.env" not in names
    for file in files:
        assert CANARY.encode() not in file.read_bytes(), file
    assert CANARY not in json.dumps(parts(page.read_text(encoding="utf-8")), ensure_ascii=False)  # it is packed there
    record = Run(tmp_path / "runs" / "one")
    given = [
        row_table(record), flat_params(record), environment_of(record), note_of(record, 100_000),
        *row_views(record), *record.answers(),
    ]  # fmt: skip
    assert CANARY not in repr(given)
    assert CANARY not in found.stdout + found.stderr


def test_reports_say_who_was_asked_and_what_is_missing(server: ChatServer, tmp_path: Path) -> None:
    """Model, prompt version, spread of scores, calls, known, failed and tokens, and the rows that lack a score for it."""
    suite = suite_of(server, tmp_path, budget={"max_questions": 2}, concurrency=1)
    data = read_yaml(suite)
    schema = {"type": "object", "properties": {"a": {"type": "string", "evaluation_config": "string_semantic"}}}
    data["evaluators"] = [{"schema_match": {"name": "header", "schema": schema}}]
    suite.write_text(yaml.safe_dump(data))
    found = run(suite, "--formats", "report", "-o", str(tmp_path / "page.html"), "-o", str(tmp_path / "page.txt"))
    assert found.exit_code == 3, found.output
    folder = tmp_path / "runs" / "one"
    totals = json.loads((folder / "report.json").read_text())["totals"]
    (judge,) = totals["judges"]
    assert (judge["judge"], judge["model"], judge["prompt"]) == ("openai_compatible", "m", "string_semantic 1")
    assert (judge["questions"], judge["unanswered"], sum(judge["scores"])) == (3, 1, 2)
    assert totals["asked"] | {"tokens_in": 0, "tokens_out": 0} == {
        "questions": 3, "failed": 1, "cached": 0, "requests": 2, "retries": 0, "tokens_in": 0, "tokens_out": 0,
        "repeated": 0, "agreed": 0,
    }  # fmt: skip
    wanted = (
        "openai_compatible, model m, prompt string_semantic 1: 3 questions, 1 without an answer; scores:",
        "2 requests; 3 questions, of which 0 were known from before and 1 have no answer; 240 tokens.",
        "header: 1 of 5 rows without a score, since an answer is missing",
    )
    sections = parts((tmp_path / "page.html").read_text(encoding="utf-8"))["head"]["sections"]
    (listed,) = [block["items"] for one in sections if one["title"] == "Judges" for block in one["blocks"]]
    texts = {
        "page.txt": (tmp_path / "page.txt").read_text(),
        "page.html": " ".join(item["text"] for item in listed),
    }
    for file, text in texts.items():
        for said in wanted:
            assert said in " ".join(text.split()), file


def test_reasons_are_cut_where_the_suite_says_so(server: ChatServer, tmp_path: Path) -> None:
    suite = suite_of(server, tmp_path)
    data = read_yaml(suite)
    data["results"]["reasoning_length"] = 6
    suite.write_text(yaml.safe_dump(data))
    run(suite)
    for word in ("answers", "outcomes"):
        text = exported(tmp_path / "runs" / "one", word)
        assert ("by th…" in text, "by the" in text) == (True, False), word


def test_the_model_and_the_prompts_are_part_of_what_the_suite_means(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = suite_of(server, tmp_path, model=None)
    found = set()
    for model in ("one", "two", "one"):
        monkeypatch.setenv("DEFAULT_LLM_MODEL", model)
        found.add(evaluators.load(suite).fingerprint)
    assert len(found) == 2
    judge = evaluators.load(suite).judge
    assert judge is not None
    assert set(judge.meaning()["prompts"]) >= {"semantic", "string_semantic", "string_llm"}


def test_a_text_without_a_metric_asks_whether_it_means_the_same(server: ChatServer, tmp_path: Path) -> None:
    suite = suite_of(server, tmp_path)
    data = read_yaml(suite)
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema["properties"]["b"] = {"type": "string", "evaluation_config": "string_exact"}  # type: ignore[index]  # a dict
    data["evaluators"] = [{"schema_match": {"name": "header", "schema": schema}}]
    suite.write_text(yaml.safe_dump(data))
    found = run(suite)
    assert found.exit_code in (0, 3), found.output
    answers = lines_of(tmp_path / "runs" / "one", "answers")
    assert {line["question"]["prompt"] for line in answers} == {"string_semantic"}


def test_the_progress_line_says_how_far_the_asking_is() -> None:
    from evaluators.cli._progress import ProgressLine, asking_text

    assert asking_text(AskingProgress()) == ""
    assert asking_text(AskingProgress(sent=1200, cached=3, failed=2)) == "  judge: 1,200 asked, 3 cached, 2 failed"
    line = ProgressLine(io.StringIO())
    line.show_asking(AskingProgress(sent=1))
    assert line._asking == "  judge: 1 asked, 0 cached, 0 failed"
