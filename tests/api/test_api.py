"""The public API: `import evaluators`, and what can be done with it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest

import evaluators
from evaluators.model.rows import MISSING, RowStatus
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN, Example, Needs
from evaluators.scoring.needs import Part
from tests.kit import write_rows

SUITE = """\
evaluators:
  - exact_match
  - json_multi_field_match:
      name: header
      fields: {a: exact, b: numeric}
"""
DATA: dict[str, Any] = {
    "evaluators": [
        "exact_match",
        {"json_multi_field_match": {"name": "header", "fields": {"a": "exact", "b": "numeric"}}},
    ]
}
ROW = {"output": '{"a": 1, "b": 2}', "expected": '{"a": 1, "b": 3}'}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "rows.jsonl", [{"id": number, **ROW} for number in range(20)])


def test_a_suite_is_loaded_from_a_file_a_text_or_data(tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(SUITE)
    suites = [
        evaluators.load(tmp_path / "suite.yaml"),
        evaluators.load(str(tmp_path / "suite.yaml")),
        evaluators.loads(SUITE),
        evaluators.load(DATA),
    ]
    assert {tuple(line.name for line in suite.lines) for suite in suites} == {("exact_match", "header")}
    assert len({suite.fingerprint for suite in suites}) == 1


def test_everything_that_is_wrong_with_a_suite_is_raised_at_once() -> None:
    with pytest.raises(evaluators.Problems) as caught:
        evaluators.loads("evaluators: [exact_mach, {length: {mx: 3}}]")
    assert [issue.blame for issue in caught.value.issues] == [evaluators.Blame.CONFIG] * len(caught.value.issues)
    assert "exact_match" in str(caught.value)
    assert len(caught.value.issues) >= 2


def test_later_changes_of_the_data_do_not_change_the_suite(rows: Path) -> None:
    data: dict[str, Any] = {"evaluators": [{"length": {"max": 4}}]}
    suite = evaluators.load(data)
    data["evaluators"][0]["length"]["max"] = 10_000
    assert suite.run(rows, workers=2)["length"].mean == suite.run(rows)["length"].mean == 0.0


@pytest.mark.parametrize("row", [ROW, evaluators.Row(ROW, "x", 7)], ids=["dict", "Row"])
def test_one_row_is_explained(row: Any) -> None:
    result = evaluators.loads(SUITE).evaluate(row)
    header = result["header"]
    assert header.score is not None
    assert (header.score, header.passed) == (0.5, False)
    assert [(field.path, field.status.word) for field in header.fields] == [("a", "match"), ("b", "mismatch")]
    assert (result.id, result.number) == (("x", 7) if isinstance(row, evaluators.Row) else ("", 0))
    with pytest.raises(KeyError):
        result["footer"]


@pytest.mark.parametrize(
    "row",
    [
        {"output": "yes", "expected": "yes", "id": 5},
        {"answer": "yes", "truth": "yes", "key": 5},
        {"answer": "yes", "expected": "yes", "key": 5},
        {"answer": "yes", "truth": "yes", "output": "no", "id": 5},
    ],
)
def test_a_row_is_keyed_by_roles_or_by_the_columns_that_the_suite_names(row: dict[str, Any]) -> None:
    columns = {"id": "key", "output": "answer", "expected": "truth"}
    suite = evaluators.load({"evaluators": ["exact_match"], "test_set": {"columns": columns}})
    result = suite.evaluate(row)
    assert result["exact_match"].score is not None
    assert result["exact_match"].score == 1.0
    assert result.id == "5"


def test_a_row_without_what_is_expected_has_no_score_and_says_why() -> None:
    result = evaluators.loads(SUITE).evaluate({"output": "{}"})["header"]
    assert (result.status, result.score) == (RowStatus.INVALID, None)
    assert result.issue.blame is evaluators.Blame.TESTSET


def test_the_row_that_was_given_is_left_alone() -> None:
    suite = evaluators.load({"evaluators": ["exact_match"], "test_set": {"columns": {"output": "answer"}}})
    row = {"output": "a", "expected": "a"}
    suite.evaluate(row)
    assert row == {"output": "a", "expected": "a"}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_test_set_is_run(rows: Path, workers: int) -> None:
    result = evaluators.loads(SUITE).run(rows, workers=workers)
    assert (result.n_rows, result["header"].mean, result["exact_match"].mean) == (20, 0.5, 0.0)
    assert [field.accuracy for field in result["header"].fields] == [1.0, 0.0]
    with pytest.raises(KeyError):
        result["footer"]


def test_nothing_is_written_unless_it_is_asked_for(rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = evaluators.loads(SUITE)
    suite.run(rows)
    assert list(tmp_path.iterdir()) == [rows]
    for number, results in enumerate((tmp_path / "runs", str(tmp_path / "runs"), "runs")):
        suite.run(rows, results=results, name=f"run {number}")
        assert (tmp_path / "runs" / f"run {number}" / "run.json").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_environment_of_its_own_reaches_every_worker(rows: Path, workers: int) -> None:
    text = "evaluators: [{contains: {substring: '${EVALUATORS_TEST_WORD}'}}]"
    found = [
        evaluators.loads(text, environment={"EVALUATORS_TEST_WORD": '"a"'}),
        evaluators.load(
            {"evaluators": [{"contains": {"substring": "${EVALUATORS_TEST_WORD}"}}]},
            environment={"EVALUATORS_TEST_WORD": '"a"'},
        ),
    ]
    assert [suite.run(rows, workers=workers)["contains"].mean for suite in found] == [1.0, 1.0]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_literal_dollar_brace_stays_one_in_every_worker(tmp_path: Path, workers: int) -> None:
    (tmp_path / "rows.csv").write_text('output\n"say ${NAME}"\n')
    suite = evaluators.load({"evaluators": [{"contains": {"substring": "$${NAME}"}}]})
    assert suite.run(tmp_path / "rows.csv", workers=workers)["contains"].mean == 1.0


def test_everything_has_a_form_for_a_running_event_loop(rows: Path) -> None:
    suite = evaluators.loads(SUITE)

    async def together() -> tuple[Any, ...]:
        return await asyncio.gather(
            suite.evaluate_async(ROW),
            suite.run_async(rows),
            evaluators.ExactMatch().score_async(output="a", expected="a"),
        )

    row, run, score = asyncio.run(together())
    assert row["header"].score == run["header"].mean == 0.5
    assert score == evaluators.ExactMatch().score(output="a", expected="a")


def examples() -> list[Any]:
    return [
        pytest.param(name, example, id=f"{name}: {example.title}")
        for name in BUILTIN.shipped_names()
        for example in BUILTIN.find(name).examples
    ]


ANSWERS = Path(__file__).parents[1] / "scoring" / "evaluators" / "answers.jsonl"
"""What types that ask a judge are answered."""


@pytest.mark.parametrize(("name", "example"), examples())
def test_every_evaluator_type_works_on_its_own(name: str, example: Example) -> None:
    plug: Any = getattr(evaluators, BUILTIN.find(name).__name__)
    judged = {"judge": {"recorded": {"file": str(ANSWERS)}}} if "judge" in plug.model_fields else {}
    evaluator = plug(**(example.settings or {}), **judged)
    assert type(evaluator) is BUILTIN.find(name)
    if any(isinstance(need, Part) for need in evaluator.needs()):
        return  # a composite is made of other evaluators
    values = {role: getattr(example, role) for role in ("output", "expected", "input")}
    score = evaluator.score(**{role: value for role, value in values.items() if value is not MISSING})
    assert score.score == (None if example.score is None else pytest.approx(example.score))


def test_an_evaluator_on_its_own_says_what_it_lacks() -> None:
    with pytest.raises(evaluators.Problems):
        evaluators.ExactMatch().score(output="a")


@pytest.fixture
def own_plugs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BUILTIN, "_registered", {})
    monkeypatch.setattr(COMPARATORS, "_registered", {})


def shouting(name: str, **options: Any) -> Any:
    @evaluators.evaluator(name, **options)
    class Shouting(evaluators.Evaluator):
        """Pass when the output is in capital letters."""

        type: Literal["shouting"] = "shouting"
        loudly: bool = False

        def needs(self) -> Needs:
            return (evaluators.Text(self.column("output")),)

        def measure(self, text: str) -> bool:
            return text.isupper() and (not self.loudly or text.endswith("!"))

    return Shouting


def near(name: str, **options: Any) -> Any:
    @evaluators.comparator(name, **options)
    class Near(evaluators.Comparator):
        """Match when two numbers differ by 1 at most."""

        type: Literal["near"] = "near"

        def compare(self, expected: Any, actual: Any) -> Any:
            return abs(expected - actual) <= 1

    return Near


@pytest.mark.usefixtures("own_plugs")
def test_an_evaluator_of_ones_own_is_named_in_suites(rows: Path) -> None:
    assert shouting("shouting")().score(output="HEY").score == 1.0
    suite = evaluators.load({"evaluators": [{"shouting": {"loudly": True}}]})
    found = suite.evaluate({"output": "HEY"})["shouting"]
    assert (found.score, found.passed, found.status) == (0.0, False, "scored")
    assert suite.run(rows)["shouting"].mean == 0.0


@pytest.mark.usefixtures("own_plugs")
def test_a_comparator_of_ones_own_is_named_in_fields() -> None:
    near("near")
    suite = evaluators.load({"evaluators": [{"json_multi_field_match": {"fields": {"a": "exact", "b": "near"}}}]})
    assert suite.evaluate(ROW)["json_multi_field_match"].score == 1.0


@pytest.mark.usefixtures("own_plugs")
@pytest.mark.parametrize(("make", "name"), [(shouting, "exact_match"), (near, "exact")])
def test_what_ships_with_the_package_is_not_replaced(make: Any, name: str) -> None:
    for options in ({}, {"overwrite": True}):
        with pytest.raises(evaluators.Problems, match="ships with the package"):
            make(name, **options)


@pytest.mark.usefixtures("own_plugs")
@pytest.mark.parametrize("make", [shouting, near])
def test_a_name_is_taken_twice_only_on_request(make: Any) -> None:
    make("mine")
    with pytest.raises(evaluators.Problems, match="already registered"):
        make("mine")
    again = make("mine", overwrite=True)
    assert again in (BUILTIN._registered.get("mine"), COMPARATORS._registered.get("mine"))


@pytest.mark.usefixtures("own_plugs")
def test_only_a_class_of_the_right_kind_is_registered() -> None:
    with pytest.raises(evaluators.Problems, match="must subclass Evaluator"):
        evaluators.evaluator("mine")(near("near"))


def test_importing_the_package_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys, evaluators; print(*sys.modules)"],
        capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)}, check=True,
    )  # fmt: skip
    loaded = set(done.stdout.split())
    heavy = {"pydantic", "yaml", "click", "msgspec", "rich", "jsonpath_ng", "deepdiff", "pyarrow", "asyncio"}
    assert "evaluators" in loaded
    assert not loaded & heavy
    assert {name for name in loaded if name.startswith("evaluators.")} == set()


def test_every_public_name_is_there_and_listed() -> None:
    for name in evaluators.__all__:
        assert getattr(evaluators, name) is not None
    assert set(evaluators.__all__) <= set(dir(evaluators))
    assert {"FormatValid", "JsonMultiFieldMatch"} <= set(dir(evaluators))
    assert [name for name in dir(evaluators) if not hasattr(evaluators, name)] == []
    names: dict[str, Any] = {}
    exec("from evaluators import *", names)
    assert set(evaluators.__all__) <= set(names)


@pytest.mark.parametrize("name", ["Nothing", "nothing", "_Columns", "Builtin", "__wrapped__"])
def test_a_name_that_nobody_knows_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(evaluators, name)
