"""Which column is what, and why."""

from __future__ import annotations

import pytest

from evaluators.guide.init_questions import InitQuestion
from evaluators.guide.roles import choose_roles

COLUMNS = {
    "ticket": ["T1", "T2", "T3"],
    "reply": ['{"a": 1}', 'Here: {"a": 2}', '{"a": 3}'],
    "wanted": ['{"a": 1}', '{"a": 2}', '{"a": 4}'],
    "language": ["en", "en", "de"],
}


def refuse(question: InitQuestion) -> str:
    raise AssertionError(question)


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        (["id", "output", "expected"], {"id": "id", "output": "output", "expected": "expected"}),
        (["Question", "Response", "Gold"], {"input": "Question", "output": "Response", "expected": "Gold"}),
        (["output"], {"output": "output"}),
        (["model_answer", "correct_answer"], {"output": "model_answer", "expected": "correct_answer"}),
        (["predictedJson", "trueJson"], {"output": "predictedJson", "expected": "trueJson"}),
        (["text", "place"], {}),
    ],
)
def test_names_decide_where_they_can(header: list[str], columns: dict[str, str]) -> None:
    assert choose_roles(header, {name: [name, name] for name in header}, {}, (), refuse).columns == columns


def test_cells_that_are_alike_decide_where_one_name_says_nothing() -> None:
    found = choose_roles(list(COLUMNS), COLUMNS, {}, (), refuse)
    assert found.columns == {"id": "ticket", "output": "reply", "expected": "wanted"}
    assert found.why == {
        "id": "different in every row",
        "output": 'its cells are like those of "wanted"',
        "expected": 'its cells are like those of "reply"',
    }


def test_columns_that_could_be_either_are_one_question() -> None:
    asked: list[InitQuestion] = []

    def second(question: InitQuestion) -> str:
        asked.append(question)
        return question.answers[1]

    columns = {"eins": COLUMNS["reply"], "zwei": COLUMNS["wanted"]}
    found = choose_roles(list(columns), columns, {}, (), second)
    assert [(one.text, one.answers) for one in asked] == [("Which column is the model's output?", ("eins", "zwei"))]
    assert found.columns == {"output": "zwei", "expected": "eins"}


def test_several_usual_names_are_a_question() -> None:
    asked: list[str] = []

    def first(question: InitQuestion) -> str:
        asked.append(question.text)
        return question.answers[0]

    columns = {name: ["a", "b"] for name in ("output", "prediction", "expected")}
    assert choose_roles(list(columns), columns, {}, (), first).columns == {"output": "output", "expected": "expected"}
    assert asked == ["Which column is the model's output?"]


def test_what_is_said_is_not_asked() -> None:
    found = choose_roles(list(COLUMNS), COLUMNS, {"output": "wanted"}, (), lambda question: question.answers[0])
    assert (found.columns["output"], found.why["output"]) == ("wanted", "as you said")


def test_outputs_that_stand_elsewhere_have_no_column() -> None:
    found = choose_roles(["id", "output", "expected"], {}, {}, ["output"], refuse)
    assert found.columns == {"id": "id", "expected": "expected"}
