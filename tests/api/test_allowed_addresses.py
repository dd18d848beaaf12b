"""`EVALUATORS_ADDRESSES`: which addresses a suite may name, whatever it names them for."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result

from evaluators.api.loading import loads
from evaluators.model.issues import Problems
from evaluators.scoring.values.addresses import forbidden_addresses
from tests.kit import cli

ROWS = 'id,output,expected\n1,"{""a"":""x""}","{""a"":""y""}"\n'
JUDGED = "evaluators: [{json_multi_field_match: {fields: {a: semantic}}}]\n"
PLAIN = "evaluators: [exact_match]\n"
SUITES = {
    "judge": f"{JUDGED}judge: {{openai_compatible: {{base_url: 'http://other:1/v1', model: m, api_key_env: OTHER_KEY}}}}\n",
    "litellm": f"{JUDGED}judge: {{litellm: {{base_url: 'http://other:1/v1', model: m, api_key_env: OTHER_KEY}}}}\n",
    "mlflow rows": f"{PLAIN}test_set: {{mlflow: {{uri: 'http://other:1', traces: x}}}}\n",
    "phoenix rows": f"{PLAIN}test_set: {{phoenix: {{endpoint: 'http://other:1', dataset: x}}}}\n",
    "mlflow": f"{PLAIN}tracking: [{{mlflow: {{uri: 'http://other:1/'}}}}]\n",
    "phoenix": f"{PLAIN}tracking: [{{phoenix: {{endpoint: ' http://other:1'}}}}]\n",
    "otel": f"{PLAIN}tracking: [{{otel: {{endpoint: 'http://other:1'}}}}]\n",
    "dask": f"{PLAIN}engine: {{dask: {{address: 'tcp://other:1'}}}}\n",
    "ray": f"{PLAIN}engine: {{ray: {{address: 'other:1'}}}}\n",
    "results": f"{PLAIN}results: {{folder: 's3://other/runs'}}\n",
    "rows": f"{PLAIN}test_set: 's3://other/rows.csv'\n",
    "joined": f"{PLAIN}test_set: {{file: rows.csv, expected: {{file: 'https://other:1/x.csv'}}}}\n",
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OTHER_KEY", "the key of somebody")
    Path("rows.csv").write_text(ROWS, encoding="utf-8")


def run_of(suite: str, *words: str) -> Result:
    rows = () if "test_set" in suite else ("rows.csv",)
    Path("suite.yaml").write_text(suite, encoding="utf-8")
    return cli("run", "suite.yaml", *rows, *words)


@pytest.mark.parametrize("allowed", ["named", "http://ours:1, s3://ours"])
@pytest.mark.parametrize("what", SUITES)
def test_no_address_of_a_suite_is_opened_that_is_not_allowed(
    what: str, allowed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALUATORS_ADDRESSES", allowed)
    done = run_of(SUITES[what])
    assert done.exit_code == 2, done.output
    said = "allows only those of the command line" if allowed == "named" else "does not allow"
    assert f"EVALUATORS_ADDRESSES {said}" in done.stderr
    assert "allowed: http://ours:1, s3://ours" in done.stderr or allowed == "named"


def test_a_judge_without_an_address_of_its_own_is_not_allowed_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALUATORS_ADDRESSES", "named")
    done = run_of(f"{JUDGED}judge: {{litellm: {{model: other/m, api_key_env: OTHER_KEY}}}}\n")
    assert (done.exit_code, "the provider that litellm finds" in done.stderr) == (2, True)


def test_a_judge_is_asked_by_no_other_way_in(monkeypatch: pytest.MonkeyPatch) -> None:
    suite = loads(SUITES["judge"])
    monkeypatch.setenv("EVALUATORS_ADDRESSES", "named")
    result = suite.evaluate({"output": '{"a": "x"}', "expected": '{"a": "y"}'})["json_multi_field_match"]
    assert "EVALUATORS_ADDRESSES" in result.issue.message


@pytest.mark.parametrize("value", ["NAMED", "none", "", "named,", "example.com", "named,https://a", "https://a,,"])
def test_another_value_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALUATORS_ADDRESSES", value)
    for words in (["run", "suite.yaml", "rows.csv"], ["check", "suite.yaml"]):
        Path("suite.yaml").write_text(PLAIN, encoding="utf-8")
        done = cli(*words)
        assert done.exit_code == 2, done.output
        assert f'addresses with commas between them; found "{value}"' in done.stderr


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("https://a.com/v1/chat", True), ("https://A.com/v1", True), ("HTTPS://a.com/v1?x=1", True), ("s3://b/rows/x.csv", True),
        ("https://a.com", False), ("https://a.com/v10", False), ("https://a.com.evil.org/v1", False), ("http://a.com/v1", False),
        ("https://a.com@evil.org/v1", False), ("https://a.com:8443/v1", False), ("https://a.com/v1/../admin", False),
        ("https://a.com/v1/%2e%2e/admin", False), ("https://a.com/v1/..\\admin", False), ("s3://b/rows2/x.csv", False),
        ("s3://bb/rows/x.csv", False),
    ],
)  # fmt: skip
def test_an_address_begins_like_an_allowed_one_step_by_step(
    address: str, allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALUATORS_ADDRESSES", "https://a.com/v1, s3://b/rows/")
    assert (forbidden_addresses([address]) == []) is allowed


def test_without_the_variable_a_suite_may_name_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVALUATORS_ADDRESSES", raising=False)
    assert forbidden_addresses(["http://anywhere"]) == []
    monkeypatch.setenv("EVALUATORS_ADDRESSES", "any")
    with pytest.raises(Problems):
        forbidden_addresses(["http://anywhere"])
