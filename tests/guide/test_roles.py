"""Which column is what, and why."""

from __future__ import annotations

import pytest

from evaluators.guide.roles import choose_roles
from evaluators.scoring.fields.inference.proposals import NONE_OF_THEM, InitQuestion

COLUMNS = {
    "ticket": ["T1", "T2", "T3"],
    "seen": ['{"a": 1}', 'Here: {"a": 2}', '{"a": 3}'],
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
        (["Golden answer", "Bot answer"], {"output": "Bot answer", "expected": "Golden answer"}),
        (["human label", "AI label"], {"output": "AI label", "expected": "human label"}),
        (["HumanLabel", "LLMLabel"], {"output": "LLMLabel", "expected": "HumanLabel"}),
        (["y_true", "y_pred"], {"output": "y_pred", "expected": "y_true"}),
        (["text", "label", "pred"], {"input": "text", "output": "pred", "expected": "label"}),
        (["question", "answer", "bot_reply"], {"input": "question", "output": "bot_reply", "expected": "answer"}),
        (["ideal response", "generated response"], {"output": "generated response", "expected": "ideal response"}),
        (["AI response", "Correct AI response"], {"output": "AI response", "expected": "Correct AI response"}),
        (["expected model output", "model output"], {"output": "model output", "expected": "expected model output"}),
        (["target", "model"], {"output": "model", "expected": "target"}),
        (["Customer message", "Golden", "Bot"], {"input": "Customer message", "output": "Bot", "expected": "Golden"}),
        (["User question", "truth", "llm"], {"input": "User question", "output": "llm", "expected": "truth"}),
        (["query", "email", "output"], {"input": "query", "output": "output"}),
        (["email", "output"], {"input": "email", "output": "output"}),
        (["#", "output", "expected"], {"id": "#", "output": "output", "expected": "expected"}),
        (["output", "gold", "is_correct"], {"output": "output", "expected": "gold"}),
        (["model", "Bot answer", "Golden answer"], {"output": "Bot answer", "expected": "Golden answer"}),
        (["Golden answer", "Bot answer", "Target language"], {"output": "Bot answer", "expected": "Golden answer"}),
        (["answer", "gold"], {"output": "answer", "expected": "gold"}),
    ],
)
def test_names_decide_where_they_can(header: list[str], columns: dict[str, str]) -> None:
    cells = {name: [f"{name} here", f"{name} there"] for name in header}
    assert choose_roles(header, cells, {}, (), refuse).columns == columns


@pytest.mark.parametrize("header", [["text", "place"], ["text", "label"], ["question", "answer"]])
def test_where_no_column_surely_holds_outputs_that_is_a_question(header: list[str]) -> None:
    asked: list[InitQuestion] = []

    def nothing(question: InitQuestion) -> str:
        asked.append(question)
        return NONE_OF_THEM

    cells = {name: [f"{name} here", f"{name} there"] for name in header}
    assert choose_roles(header, cells, {}, (), nothing).columns == {"input": header[0]}
    assert (asked[-1].role, asked[-1].answers) == ("output", (header[1],))


def test_cells_that_are_alike_decide_where_one_name_says_nothing() -> None:
    found = choose_roles(list(COLUMNS), COLUMNS, {}, (), refuse)
    assert found.columns == {"id": "ticket", "output": "seen", "expected": "wanted"}
    assert found.why == {
        "id": "different in every row",
        "output": 'its cells are like those of "wanted"',
        "expected": "its name says so",
    }


@pytest.mark.parametrize("names", [("eins", "zwei"), ("label", "answer"), ("answer", "label")])
def test_columns_that_could_be_either_are_one_question_and_the_left_is_offered_as_expected(
    names: tuple[str, str],
) -> None:
    asked: list[InitQuestion] = []

    def second(question: InitQuestion) -> str:
        asked.append(question)
        return question.answers[1]

    columns = dict(zip(names, (COLUMNS["seen"], COLUMNS["wanted"]), strict=True))
    found = choose_roles(list(columns), columns, {}, (), second)
    assert [(one.text, one.answers, one.role) for one in asked] == [
        ("Which column is the expected answer?", names, "expected")
    ]
    assert found.columns == {"output": names[0], "expected": names[1]}


def test_a_column_that_is_named_like_an_input_is_the_expected_answer_where_its_cells_say_so() -> None:
    mails = ["a@b.io", "c@d.io", "e@f.io"]
    columns: dict[str, list[str]] = {
        "page": ["x y", "y z", "z x"],
        "email": mails,
        "extracted_email": [*mails[:2], "e@g.io"],
    }
    assert choose_roles(list(columns), columns, {}, (), refuse).columns == {
        "output": "extracted_email", "expected": "email"
    }  # fmt: skip


def test_an_email_in_the_first_column_is_no_id() -> None:
    columns = {"email": ["a@b.io", "c@d.io"], "expected": ["one", "two"], "bot": ["one", "two"]}
    found = choose_roles(list(columns), columns, {}, (), refuse).columns
    assert found == {"input": "email", "output": "bot", "expected": "expected"}


def test_columns_of_numbers_about_the_call_are_measures() -> None:
    columns: dict[str, list[object]] = {
        "latency": ["0.5", "1.25"], "model_cost_usd": ["$0.01", ""], "output_tokens": [12, 1300], "tokens": ["1,200", "x"],
        "output": ["a", "b"], "expected": ["a", "b"], "cost": ["", ""], "predicted_cost": ["3", "4"],
    }  # fmt: skip
    found = choose_roles(list(columns), columns, {}, (), refuse)
    assert found.measures == ["latency", "model_cost_usd", "output_tokens"]
    assert found.columns == {"output": "output", "expected": "expected"}


def test_several_usual_names_are_a_question() -> None:
    asked: list[str] = []

    def first(question: InitQuestion) -> str:
        asked.append(question.text)
        return question.answers[0]

    columns = {name: ["a", "b"] for name in ("output", "prediction", "expected")}  # how alike cells are decides nothing
    columns["output"] = ["a", "c"]
    assert choose_roles(list(columns), columns, {}, (), first).columns == {"output": "output", "expected": "expected"}
    assert asked == ["Which column is the model's output?"]


def test_what_is_said_is_not_asked() -> None:
    found = choose_roles(list(COLUMNS), COLUMNS, {"output": "wanted"}, (), lambda question: question.answers[0])
    assert (found.columns["output"], found.why["output"]) == ("wanted", "as you said")


def test_outputs_that_stand_elsewhere_have_no_column() -> None:
    found = choose_roles(["id", "output", "expected"], {}, {}, ["output"], refuse)
    assert found.columns == {"id": "id", "expected": "expected"}
