"""Columns inside objects: where a column of objects is no document that another is compared with, what stands at paths in it.

`{"choices": [{"message": {"content": "Oslo"}}]}` beside a column with `Oslo` holds an output at `choices[0].message.content`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.guide.answer_options import called_options
from evaluators.guide.chosen_columns import ChosenColumns
from evaluators.guide.column_cells import (
    comparable_text,
    could_be_ids,
    holds_containers,
    likeness,
    nonempty_cells,
    share_equal,
)
from evaluators.guide.column_names import NOUN, WEAK, called_id, is_input, role_weight
from evaluators.guide.field_columns import field_columns, output_keys
from evaluators.model.rows import MISSING
from evaluators.scoring.fields.inference.proposals import InitQuestion
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.path_text import ANY, Step, display
from evaluators.scoring.values.paths import Path
from evaluators.testsets.columns import is_usual
from evaluators.testsets.composed import value_at

_DOCUMENTS: Final = 0.3
"""How alike columns of objects are that are compared with one another."""
_ANSWERS: Final = 0.3
"""How many cells at a path are those of another column, where it answers the same question."""
_ROWS: Final = 40
_MOST_PATHS: Final = 30
_DEEPEST: Final = 6
_TEXTS: Final = frozenset(["text", "value", "name", "title", "alias"])
"""What the only text of an answer is called."""
_REPLIES: Final[tuple[tuple[Step, ...], ...]] = (
    ("choices", 0, "message", "content"), ("choices", 0, "text"), ("message", "content"), ("content", 0, "text"),
    ("candidates", 0, "content", "parts", 0, "text"), ("output", 0, "content", 0, "text"), ("output_text",),
)  # fmt: skip
"""Where the replies of programming interfaces hold what the model said."""


class InnerColumns(Struct, frozen=True):
    """Columns of which some stand at paths inside others, by the names that say most of them."""

    cells: Mapping[str, Sequence[Any]]
    paths: Mapping[str, str]
    """The path of each of these names."""

    def question_in_paths(self, question: InitQuestion) -> InitQuestion:
        """A question about these columns, with the path of each column that is inside another in place of its name."""
        answers = tuple(self.paths.get(name, name) for name in question.answers)
        options = tuple(tuple(map(self._option_in_paths, option)) for option in question.options)
        return replace(question, answers=answers, options=options)

    def _option_in_paths(self, option: str) -> str:
        """An option `role=NAME` of the command line, with the path of the column in place of its name."""
        role, _, name = option.partition("=")
        return f"{role}={self.paths.get(name, name)}"

    def name_of_path(self, path: str) -> str:
        """The name of the column at a path; the path itself where no column is there."""
        return next((name for name, written in self.paths.items() if written == path), path)

    def columns_in_paths(self, chosen: ChosenColumns) -> ChosenColumns:
        """The chosen columns as a suite writes them, with paths in place of the names of columns that are inside others."""
        columns = {role: self.paths.get(name, name) for role, name in chosen.columns.items()}
        inside = {role: column for role, column in columns.items() if column != chosen.columns[role]}
        why = {**chosen.why, **dict.fromkeys(inside, "inside objects")}
        left, models, verdicts = (
            [self.paths.get(name, name) for name in names] for names in (chosen.left, chosen.models, chosen.verdicts)
        )
        return replace(chosen, columns=columns, why=why, left=left, models=models, verdicts=verdicts)


def inner_columns(cells: Mapping[str, Sequence[Any]], settled: Collection[str]) -> InnerColumns | None:
    """The columns, where outputs or expected answers are inside columns of objects: these columns are replaced by what is in them. None
    where there are no such columns.

    `settled` are columns whose role is known, which stay whole.
    """
    objects = {name: column[:_ROWS] for name, column in cells.items() if name not in settled and holds_containers(column)}
    alone = [name for name in objects if not _is_document(name, objects, cells)]
    inner_paths = {name: _usual_paths(objects[name]) for name in alone}
    others = {name: [column[:_ROWS]] for name, column in cells.items() if name not in objects}
    others |= {name: [_values_at(objects[name], steps) for steps in paths] for name, paths in inner_paths.items()}
    opened = {
        name: [steps for steps in paths if _holds_answers(name, objects[name], steps, others)]
        or _paths_of_both_sides(name, objects[name], paths)
        or _inputs_of_task(name, objects[name], paths, others)
        for name, paths in inner_paths.items()
    }
    closed = [name for name in cells if not opened.get(name)]
    paths: dict[str, tuple[str, tuple[Step, ...]]] = {}
    for name, answers in opened.items():
        if answers:
            rest = [steps for steps in inner_paths[name] if steps not in answers]
            answers += [steps for steps in rest if is_input(str(steps[-1])) or (is_input(name) and len(rest) == 1)]
        for steps in answers:
            paths[_column_name(name, steps, [*closed, *paths], answers)] = (name, steps)
    if not paths:
        return None
    whole = {name: cells[name] for name in closed}
    inside = {called: _values_at(cells[name], steps) for called, (name, steps) in paths.items()}
    return InnerColumns({**whole, **inside}, {called: display((name, *steps)) for called, (name, steps) in paths.items()})


def _is_document(name: str, objects: Mapping[str, Sequence[Any]], cells: Mapping[str, Sequence[Any]]) -> bool:
    """Whether a column of objects holds documents that are compared as a whole: another column holds such documents, too, or several
    columns have the names of its keys. Two columns of outputs, by their names, are not compared with one another."""
    is_output = role_weight(name, "output") >= NOUN
    others = (other for other in objects if other != name and not (is_output and role_weight(other, "output") >= NOUN))
    if any(likeness(objects[name], objects[other]) >= _DOCUMENTS for other in others):
        return True
    taken = [other for other in cells if called_id(other)]
    return len(field_columns(output_keys(objects[name]), [other for other in cells if other not in objects], taken)) > 1


def _holds_answers(
    name: str, column: Sequence[Any], steps: tuple[Step, ...], others: Mapping[str, Sequence[Sequence[Any]]]
) -> bool:
    """Whether the values at a path of a column are replies of a model, or are like those of another column, which answers the same.
    `others` are the cells of the other columns, of several paths inside one each."""
    if _is_reply(steps) or (not any(steps) and role_weight(name, "output") >= NOUN):
        return True  # the only item of a list
    if any(called_options(str(step)) for step in (name, *steps)):
        return False
    values = _values_at(column, steps)
    says_output = any(role_weight(str(step), "output") > WEAK for step in (name, *steps))
    if not says_output and _is_source(name, values, others):
        return False
    return any(
        share_equal(values, cells) >= _ANSWERS
        for other, several in others.items()
        if other != name
        for cells in several
        if not (called_id(other) and could_be_ids(cells, named=True))
    )


def _paths_of_both_sides(name: str, column: Sequence[Any], paths: Sequence[tuple[Step, ...]]) -> list[tuple[Step, ...]]:
    """The paths of outputs and expected answers that stand in one column, as keys of a record do: an expected answer, by its name, with
    what is called an output or has the same values; none where nothing says both sides."""
    keys = {steps: str(steps[-1]) for steps in paths if not is_input(str(steps[-1]))}
    among = [*keys.values()]
    wanted = [
        steps for steps, key in keys.items() if role_weight(key, "expected", among) >= NOUN or is_usual(key, "expected")
    ]
    given = [
        steps
        for steps, key in keys.items()
        if steps not in wanted
        and not role_weight(key, "expected", among)
        and (
            role_weight(key, "output", among) >= NOUN
            or any(share_equal(_values_at(column, steps), _values_at(column, other)) >= _ANSWERS for other in wanted)
        )
    ]
    return [*given, *wanted] if given and wanted else []


def texts_in_items(name: str, answers: Sequence[Any], outputs: Sequence[Any]) -> str | None:
    """The path of the texts in lists of objects, one of which an output should be, as `answers[*].text` of SQuAD; None for other cells,
    and where each list has one.

    Of several keys with texts it is the one whose texts outputs have. Where there is one alone, its name or that of the column says that
    it is an answer.
    """
    lists = [value for cell in nonempty_cells(answers)[:_ROWS] if isinstance(value := _parsed_cell(cell), list)]
    items = [item for value in lists for item in value]
    if len(items) <= len(lists) or not all(isinstance(item, dict) for item in items):
        return None
    keys = [key for key in items[0] if all(isinstance(item.get(key), str) for item in items)]
    alike = {key: share_equal(_values_at(answers, (ANY, key)), outputs) for key in keys}
    best = max(alike, key=alike.__getitem__, default="")
    is_answer = len(keys) == 1 and (_says_role(best) or best in _TEXTS)
    return display((name, ANY, best)) if is_answer or alike.get(best, 0.0) >= _ANSWERS else None


def holds_reply(cells: Sequence[Any]) -> bool:
    """Whether most cells are replies of a programming interface, which hold what the model said at a usual path."""
    return any(map(_is_reply, _usual_paths(cells[:_ROWS])))


def reply_paths(cells: Mapping[str, Sequence[Any]]) -> list[str]:
    """The paths of the columns at which the replies of a programming interface hold what the model said."""
    paths = ((name, steps) for name, column in cells.items() for steps in _usual_paths(column[:_ROWS]))
    return [display((name, *steps)) for name, steps in paths if _is_reply(steps)]


def _inputs_of_task(
    name: str, column: Sequence[Any], paths: Sequence[tuple[Step, ...]], others: Mapping[str, Sequence[Sequence[Any]]]
) -> list[tuple[Step, ...]]:
    """The paths of inputs in a column that holds the task of each row, with the source of its expected answer; none in other columns."""
    if not any(_is_source(name, _values_at(column, steps), others) for steps in paths):
        return []
    return [steps for steps in paths if is_input(str(steps[-1]))]


def _is_source(name: str, values: Sequence[Any], others: Mapping[str, Sequence[Sequence[Any]]]) -> bool:
    """Whether the expected answers of another column were taken from what stands at a path: all of them are there, as in `doc.answer` of
    a task."""
    texts = [*map(comparable_text, values)]
    return len(texts) > 1 and any(
        texts == [*map(comparable_text, cells)]
        for other, several in others.items()
        if other != name and role_weight(other, "expected") >= NOUN
        for cells in several
    )


def _column_name(name: str, steps: tuple[Step, ...], taken: Collection[str], beside: Sequence[tuple[Step, ...]]) -> str:
    """The name by which the values at a path are known: the last key, or the column where nothing else is taken from it, or else the path.
    It is none of the names in `taken`; `beside` are all paths that are taken from the column.

    That something is a model's reply says that it is an output.
    """
    last = str(steps[-1])
    if last not in taken and _says_more(last, name) and not _is_reply(steps):
        return last
    unnamed = [other for other in beside if not _says_more(str(other[-1]), name) or _is_reply(other)]
    plain = name if _says_something(name) or not _is_reply(steps) else f"{name} output"
    return plain if len(unnamed) == 1 and plain not in taken else display((name, *steps))


def _says_something(key: str) -> bool:
    """Whether a key says that it holds inputs, outputs or expected answers."""
    return is_input(key) or _says_role(key)


def _says_more(key: str, column: str) -> bool:
    """Whether a key says more than the column that it is in: the text in `answers` is an answer, and that in `row` an input."""
    return _says_role(key) or (is_input(key) and not _says_role(column))


def _says_role(key: str) -> bool:
    """Whether a key speaks for outputs or expected answers."""
    return max(role_weight(key, "output"), role_weight(key, "expected")) > 0


def _is_reply(steps: tuple[Step, ...]) -> bool:
    """Whether a path ends where replies of programming interfaces hold what the model said."""
    return any(steps[-len(reply) :] == reply for reply in _REPLIES)


def _usual_paths(column: Sequence[Any]) -> list[tuple[Step, ...]]:
    """The paths of single values, and of lists of texts, that most cells have."""
    containers = [value for cell in nonempty_cells(column) if isinstance(value := _parsed_cell(cell), dict | list)]
    counts: dict[tuple[Step, ...], int] = {}
    for value in containers:
        for steps in _value_paths(value, ()):
            counts[steps] = counts.get(steps, 0) + 1
    lists = {steps for steps in counts if any(_has_several(Path(steps).get(value)) for value in containers)}
    usual = [steps for steps, count in counts.items() if 2 * count > len(containers)]
    single = [steps for steps in usual if steps[-1] != 0 or steps[:-1] not in lists]
    return [steps for steps in single if steps in lists or not _are_texts(Path(steps).get(containers[0]))][:_MOST_PATHS]


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _has_several(value: Any) -> bool:
    return _are_texts(value) and len(value) > 1


def _value_paths(value: Any, above: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """The paths of the texts, numbers and lists of texts in a value. A list is entered only where it has one item; the value itself has
    no path."""
    if isinstance(value, dict) and len(above) < _DEEPEST:
        for key, inner in value.items():
            yield from _value_paths(inner, (*above, key))
        return
    if isinstance(value, list) and len(value) == 1 and len(above) < _DEEPEST:
        yield from _value_paths(value[0], (*above, 0))
    if above and (isinstance(value, str | int | float) or _are_texts(value)):
        yield above


def _parsed_cell(cell: Any) -> Any:
    """The value that a text holds as JSON and nothing else; the cell itself where it is no text or no JSON."""
    try:
        return parse(cell) if isinstance(cell, str) else cell
    except NotJSON:
        return cell


def _values_at(column: Sequence[Any], steps: tuple[Step, ...]) -> list[Any]:
    """The value at a path in each cell of a column; an empty text where there is none."""
    path = Path(steps)
    return ["" if (value := value_at(cell, path)) is MISSING or value is None else value for cell in column]
