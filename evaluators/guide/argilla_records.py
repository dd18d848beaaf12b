"""Records of Argilla: what people answered to each question stands in `responses`, and what a model suggested in `suggestions`.

`{"responses": {"label": [{"value": "pos"}]}, "suggestions": {"label": {"value": "neg"}}}`; versions before 2 have lists there, and a table
has columns `label.responses` and `label.suggestion`. "Responses" are answers of people here, and elsewhere those of a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import join
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.guide.json_in_cells import container_in
from evaluators.model.issues import problem
from evaluators.model.rows import MISSING
from evaluators.runs.metrics import rows_text
from evaluators.scoring.needs import Role
from evaluators.scoring.values.path_text import Step, display
from evaluators.scoring.values.paths import Path

_RESPONSES, _SUGGESTIONS = "responses", "suggestions"
_TABLES: Final = ((".responses", ".suggestion", (0,)), ("", "-suggestion", (0, "value")))
"""How the columns of a table end, of responses and of suggestions, and where in the first the answer of one person stands."""
_SHOWN: Final = 3


class ArgillaQuestion(Struct, frozen=True):
    """A question of Argilla, by the paths of its answers."""

    name: str
    expected: tuple[Step, ...]
    """Where the answer of the first person stands."""
    output: tuple[Step, ...] | None
    """Where the suggestion of the model stands; None where there is none."""
    several: int
    """The rows in which several people answered."""
    differ: int
    """Those of them in which one answered something else than the first."""
    unsubmitted: int = 0
    """The rows in which the first response is a draft, or was discarded."""


def argilla_questions(cells: Mapping[str, Sequence[Any]]) -> list[ArgillaQuestion]:
    """The questions that people answered in records of Argilla; none for other rows. `cells` are given by column."""
    responses = [container_in(cell) for cell in cells.get(_RESPONSES, ())]
    suggestions = [container_in(cell) for cell in cells.get(_SUGGESTIONS, ())]
    made: dict[str, ArgillaQuestion] = {}
    for name in dict.fromkeys(name for value in responses for name in _question_names(value)):
        as_lists = any(isinstance(value, list) for value in responses)
        answer: tuple[Step, ...] = (0, "values", name, "value") if as_lists else (name, 0, "value")
        people = [[*_answers(value, name)] for value in responses]
        output = _suggestion_steps(suggestions, name)
        path = None if output is None else (_SUGGESTIONS, *output)
        unsubmitted = sum(_is_unsubmitted(value, name) for value in responses)
        made[name] = replace(_question(name, (_RESPONSES, *answer), path, people), unsubmitted=unsubmitted)
    return [*made.values()] or _questions_of_table(cells)


def paths_of_argilla(questions: Sequence[ArgillaQuestion], where: str) -> tuple[dict[Role, str], list[str]]:
    """The paths of the expected answers and of the outputs in records of Argilla, and notes on what is not compared. Raises Problems where
    no model suggested anything, and for several questions, of which somebody has to choose."""
    compared = [question for question in questions if question.output is not None]
    if not compared:
        message = (
            "the records of Argilla have responses, which people gave, and no suggestion of a model to compare with them"
        )
        hint = f"export the records with their suggestions, or: evaluators init {where} --outputs-from FILE"
        raise problem("no-predictions", message, where=where, hint=hint)
    paths: list[dict[Role, str]] = [
        {"output": _path_text(question.output or ()), "expected": _path_text(question.expected)} for question in compared
    ]
    if len(compared) > 1:
        options = []
        for path_of in paths[:_SHOWN]:
            columns = [word for role, path in path_of.items() for word in ("--columns", f"{role}={path}")]
            options.append(join(["evaluators", "init", where, *columns]))
        names = ", ".join(f'"{question.name}"' for question in compared)
        message = f"the records of Argilla answer {len(compared)} questions: {names}, and a suite is made for one"
        raise problem("several-questions", message, where=where, hint=f"say which one: {', or '.join(options)}")
    (question,) = compared
    notes = []
    if question.several:
        message = f"{rows_text(question.several)} with responses of several people: the first alone is compared, and in "
        notes.append(f"{message}{question.differ:,} of them another says something else")
    if question.unsubmitted:
        notes.append(
            f"to review: {rows_text(question.unsubmitted)} whose first response is a draft or was discarded, and is compared all the "
            "same; export submitted responses alone"
        )
    return paths[0], notes


def _path_text(steps: tuple[Step, ...]) -> str:
    """The text of a path as suites write it; a column alone is its plain name, even with dots in it."""
    return display(steps) if len(steps) > 1 else str(steps[0])


def columns_of_argilla(questions: Sequence[ArgillaQuestion]) -> list[str]:
    """The columns that hold the responses and the suggestions of the questions, each once."""
    return [
        *dict.fromkeys(str(path[0]) for question in questions for path in (question.expected, question.output) if path)
    ]


def _question_names(responses: Any) -> list[str]:
    """The names of the questions that responses answer: `{"label": [{"value": …}]}`, or `[{"values": {"label": {"value": …}}}]`."""
    if isinstance(responses, dict):
        return [name for name, people in responses.items() if isinstance(people, list) and any(map(_has_value, people))]
    people = responses if isinstance(responses, list) else []
    return [name for values in map(_values, people) for name, answer in values.items() if _has_value(answer)]


def _answers(responses: Any, name: str) -> list[Any]:
    """The values that people answered to the question of that name, one for each who did; none where nobody did."""
    if isinstance(responses, dict):
        people = responses.get(name)
        return [answer["value"] for answer in people if _has_value(answer)] if isinstance(people, list) else []
    people = responses if isinstance(responses, list) else []
    return [values[name]["value"] for values in map(_values, people) if _has_value(values.get(name))]


def _values(response: Any) -> Mapping[str, Any]:
    """The answers in the response of one person, by question."""
    values = response.get("values") if isinstance(response, dict) else None
    return values if isinstance(values, dict) else {}


def _has_value(answer: Any) -> bool:
    return isinstance(answer, dict) and "value" in answer


def _is_unsubmitted(responses: Any, name: str) -> bool:
    """Whether the first response to a question is a draft, or was discarded."""
    people = responses.get(name) if isinstance(responses, dict) else responses
    first = people[0] if isinstance(people, list) and people else None
    return isinstance(first, dict) and first.get("status") not in (None, "submitted")


def _suggestion_steps(suggestions: Sequence[Any], name: str) -> tuple[Step, ...] | None:
    """The steps to the suggestion for a question inside the column; None where there is none, and where its place differs by row."""
    keyed: tuple[Step, ...] = (name, "value")
    if any(Path(keyed).get(value) is not MISSING for value in suggestions if isinstance(value, dict)):
        return keyed
    places = {
        place
        for value in suggestions
        if isinstance(value, list)
        for place, one in enumerate(value)
        if isinstance(one, dict) and one.get("question_name") == name
    }
    return (places.pop(), "value") if len(places) == 1 else None


def _questions_of_table(cells: Mapping[str, Sequence[Any]]) -> list[ArgillaQuestion]:
    """The questions of an exported table, which has two columns for each: the question's name with an ending of responses, and one of
    suggestions."""
    made = []
    for ending, suggested, inside in _TABLES:
        for column in cells:
            name = column.removesuffix(suggested)
            people = [container_in(cell) for cell in cells.get(f"{name}{ending}", ())]
            if name == column or not any(isinstance(value, list) for value in people):
                continue
            answers = [value if isinstance(value, list) else [] for value in people]
            if len(inside) > 1:  # each answer is an object with the key `value`
                answers = [[answer["value"] for answer in row if _has_value(answer)] for row in answers]
            if any(answers):
                made.append(_question(name, (f"{name}{ending}", *inside), (column,), answers))
    return made


def _question(
    name: str, expected: tuple[Step, ...], output: tuple[Step, ...] | None, people: Sequence[Sequence[Any]]
) -> ArgillaQuestion:
    """The question with how many rows several people answered; `people` are their answers by row."""
    several = [answers for answers in people if len(answers) > 1]
    differ = sum(any(answer != answers[0] for answer in answers) for answers in several)
    return ArgillaQuestion(name, expected, output, len(several), differ)
