"""Evaluators as the public pages write them in Python: orbiter's positional settings, Agenta's `predict_keys`."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import evaluators
from evaluators import Comparison, FieldStatus, Outcome, Problems, RowStatus
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN
from tests.kit import problem_of

NEW_EVALUATOR = '''
from typing import Literal
from evaluators import Evaluator, Text

class Shouting(Evaluator):
    """Pass when the output is in capitals."""

    type: Literal["shouting_for_this_test"] = "shouting_for_this_test"
    marks: int = 0
    """How many exclamation marks there must be."""

    def needs(self):
        return (Text(self.column("output")),)

    def measure(self, output):
        return output.isupper() and output.count("!") >= self.marks
'''


@pytest.fixture(autouse=True)
def _plugs_of_one_test(monkeypatch: pytest.MonkeyPatch) -> None:
    for socket in (BUILTIN, COMPARATORS):
        monkeypatch.setattr(socket, "_registered", dict(socket._registered))


@pytest.mark.parametrize(("name", "value", "setting"), [
    ("FormatValid", "json", "format"),  # orbiter, FormatValidationScorer, Example
    ("JsonSchemaValid", {"type": "object"}, "json_schema"),  # orbiter, SchemaValidationScorer, Example
    ("Completeness", ("introduction", "results"), "sections"),  # orbiter, OutputCompletenessScorer, Constructor
    ("Correctness", "Hello World", "answer"),
    ("Length", 10, "min"),
    ("RegexMatch", "^a", "pattern"),
    ("Contains", "a", "substring"),
    ("FieldMatch", "city", "field"),
    ("Similarity", "characters", "method"),
])  # fmt: skip
def test_the_first_setting_may_stand_without_its_name(name: str, value: Any, setting: str) -> None:
    kind: Any = getattr(evaluators, name)
    assert kind(value) == kind(**{setting: value})
    assert getattr(kind(value), setting) == value


def test_a_list_of_paths_and_a_schema_may_stand_without_their_names() -> None:
    row = {"output": {"a": 1, "b": 2}, "expected": {"a": 1, "b": 3}}
    multi: Any = evaluators.JsonMultiFieldMatch  # type: ignore[attr-defined]  # found by its name
    assert multi(["a", "b"]).score(**row).score == 0.5
    schema: Any = evaluators.SchemaMatch  # type: ignore[attr-defined]  # found by its name
    by_schema = schema({"type": "object", "properties": {"a": {"type": "integer"}}})
    assert by_schema.score(output={"a": 1}, expected={"a": 1}).score == 1.0


def test_orbiters_examples_of_format_validation() -> None:
    """orbiter, FormatValidationScorer, Example."""
    kind: Any = evaluators.FormatValid  # type: ignore[attr-defined]  # found by its name
    assert kind("json").score('{"key": "value"}').score == 1.0
    assert kind("json").score("not json").score == 0.0
    assert kind("xml").score("<root><item>text</item></root>").score == 1.0
    assert kind("markdown").score("# Hello\n\nSome **bold** text").score == 1.0


@pytest.mark.parametrize(("settings", "where", "said"), [
    ({"format": "jsn"}, "FormatValid.format", "\"format\" must be one of 'json', 'xml', 'yaml', 'markdown' or 'csv'"),
    ({"frmt": "json"}, "FormatValid.frmt", 'unknown setting "frmt"'),
    ({"pass_at": 80}, "FormatValid.pass_at", '"pass_at" must be at most 1.0; found the number 80'),
])  # fmt: skip
def test_wrong_settings_are_problems(settings: dict[str, Any], where: str, said: str) -> None:
    """orbiter, FormatValidationScorer, Raises: fmt is not one of the supported formats."""
    kind: Any = evaluators.FormatValid  # type: ignore[attr-defined]  # found by its name
    issue = problem_of(lambda: kind(**settings))
    assert issue.where == where
    assert issue.blame is evaluators.Blame.CONFIG
    assert issue.message.startswith(said)


def test_everything_that_is_wrong_is_said_at_once_and_two_unnamed_settings_are_too_many() -> None:
    kind: Any = evaluators.FormatValid  # type: ignore[attr-defined]  # found by its name
    with pytest.raises(Problems) as raised:
        kind("jsn", pass_at=2)
    assert {issue.where for issue in raised.value.issues} == {"FormatValid.format", "FormatValid.pass_at"}
    with pytest.raises(Problems, match='only "format" may be given without its name'):
        kind("json", "format_json")


def test_agentas_words_for_a_diff_work_in_the_class() -> None:
    """Agenta, JSON Diff Match, Configuration: predict_keys, only considers keys present in the ground truth."""
    kind: Any = evaluators.JsonDiffMatch  # type: ignore[attr-defined]  # found by its name
    assert kind(predict_keys=True).extra_fields == "ignore"
    diff = kind(predict_keys=False, threshold=0.5)
    assert (diff.extra_fields, diff.pass_at) == ("penalize", 0.5)
    assert diff.score(output={"name": "John", "age": 30}, expected={"name": "John"}).score == 0.5
    with pytest.raises(Problems, match='"predict_keys" must be true or false'):
        kind(predict_keys="false")
    with pytest.raises(Problems, match="are the same setting"):
        kind(predict_keys=True, extra_fields="ignore")


def test_settings_made_in_python_are_values_like_any_other() -> None:
    kind: Any = evaluators.FormatValid  # type: ignore[attr-defined]  # found by its name
    made = kind("xml", pass_at=0.5)
    assert (
        pickle.loads(pickle.dumps(made)) == deepcopy(made) == made == kind.model_validate({"fmt": "xml", "pass_at": 0.5})
    )


def test_a_status_is_its_word() -> None:
    """struct-extract-eval, statuses after scoring: match, mismatch, omission, hallucination, skipped."""
    result = Outcome("a", FieldStatus.OMISSION)
    assert result.status == "omission"
    assert result.status != "match"
    assert not result.status != "omission"  # noqa: SIM202  # the other operator
    assert result.status in ("mismatch", "omission")
    assert [status for status in FieldStatus if status == "error"] == [FieldStatus.ERROR, FieldStatus.NOT_JUDGED]
    one, other = FieldStatus.MATCH, FieldStatus.MISMATCH
    assert (one == other, one in {one}, one in {"match"}, one in {"mismatch"}) == (False, True, True, False)
    assert {FieldStatus.MATCH: "a"}[FieldStatus.MATCH] == "a"
    assert json.dumps({"status": one, "row": RowStatus.SCORED}) == '{"status": "match", "row": "scored"}'
    assert pickle.loads(pickle.dumps(FieldStatus.NOT_JUDGED)) is FieldStatus.NOT_JUDGED


def test_the_status_of_a_row_is_its_word() -> None:
    result = evaluators.ExactMatch().score("a", "a")
    assert (result.status == "scored", result.status != "scored", result.status != "skipped") == (True, False, True)
    assert (str(result.status), result.status is RowStatus.SCORED) == ("scored", True)
    assert {RowStatus.SCORED: "a"}[result.status] == "a"


@pytest.mark.parametrize(("score", "passed"), [(1.0, True), (1, True), (0.99, False), (0.0, False)])
def test_an_outcome_passes_at_one(score: float, passed: bool) -> None:
    """extract-bench, custom metrics: MetricResult(score=1.0, …); struct-extract-eval: ComparatorResult(score=…)."""
    assert Comparison(score=score).passed is passed
    assert Comparison(score, passed=True).passed is True


def test_a_comparator_may_answer_with_a_score_alone() -> None:
    evaluators.register(
        "scores_alone_for_this_test", lambda gold, extracted, params: Comparison(score=float(extracted == "b"))
    )
    kind: Any = evaluators.SchemaMatch  # type: ignore[attr-defined]  # found by its name
    found = kind(fields={"x": "scores_alone_for_this_test", "y": "scores_alone_for_this_test"}).score(
        expected={"x": "a", "y": "a"}, output={"x": "b", "y": "c"}
    )
    assert [one.status for one in found.fields] == ["match", "mismatch"]


def test_an_evaluator_type_is_loaded_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "shouting.py"
    file.write_text(NEW_EVALUATOR, encoding="utf-8")
    assert evaluators.register_file(file) == "shouting_for_this_test"
    suite = evaluators.load({"evaluators": [{"shouting_for_this_test": {"marks": 1}}]})
    assert suite.evaluate({"output": "HELLO!"})["shouting_for_this_test"].score == 1.0
    with pytest.raises(Problems, match="already registered"):
        evaluators.register_file(file)
    file.write_text(NEW_EVALUATOR.replace("isupper", "islower"), encoding="utf-8")
    evaluators.register_file(str(file), overwrite=True)
    again = evaluators.load({"evaluators": ["shouting_for_this_test"]})
    assert again.evaluate({"output": "hello"})["shouting_for_this_test"].score == 1.0


def test_the_files_that_are_written_to_start_from_are_loaded(tmp_path: Path) -> None:
    from evaluators.guide.templates import files_of

    for kind, name in (("evaluator", "digits_for_this_test"), ("comparator", "starts_for_this_test")):
        for path, text in files_of(kind, name, str(tmp_path)).items():
            Path(path).write_text(text, encoding="utf-8")
        assert evaluators.register_file(tmp_path / f"{name}.py") == name
    assert evaluators.load({"evaluators": ["digits_for_this_test"]}).lines[0].type == "digits_for_this_test"
    evaluators.load({"evaluators": [{"schema_match": {"fields": {"a": {"starts_for_this_test": {"length": 1}}}}}]})


@pytest.mark.parametrize(("text", "said"), [
    (None, "there is no such file"),
    ("1 / 0", "the file cannot be run: ZeroDivisionError"),
    ("x = 1", "one subclass of Evaluator or of Comparator; it has none"),
])  # fmt: skip
def test_a_file_that_cannot_be_loaded_is_named(text: str | None, said: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(Problems, match=said) as raised:
        evaluators.register_file(file)
    assert raised.value.issues[0].where == str(file)
