"""The roles of the columns of one file of rows, as `init` reads it: exports of tools, columns inside objects, the sheet with the outputs.

Who has no question to ask chooses with `roles_without_asking`, which tells what would have been asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evaluators.guide.annotated_tasks import paths_of_tasks, sides_of_tasks
from evaluators.guide.argilla_records import argilla_questions, columns_of_argilla, paths_of_argilla
from evaluators.guide.chosen_columns import ChosenColumns
from evaluators.guide.column_cells import begin_with_verdicts, holds_containers
from evaluators.guide.column_names import role_weight
from evaluators.guide.conversations import has_conversations, paths_of_conversations
from evaluators.guide.expected_answers import FIRST_ROWS, first_cells
from evaluators.guide.function_calls import paths_of_calls
from evaluators.guide.init_notes import quoted_names
from evaluators.guide.inner_columns import holds_reply, inner_columns
from evaluators.guide.places import sheet_with_roles
from evaluators.guide.roles import choose_roles
from evaluators.model.issues import Problems, encodable, problem
from evaluators.model.settings import build
from evaluators.scoring.fields.inference.proposals import NONE_OF_THEM, Ask, DefaultAnswers, InitQuestion
from evaluators.scoring.needs import ROLES, Role
from evaluators.scoring.values.json_text import parse_file
from evaluators.scoring.values.quoting import first_texts
from evaluators.testsets.byte_source import locate, whole_of
from evaluators.testsets.columns import no_such_column, single_column_issue
from evaluators.testsets.composed import with_paths
from evaluators.testsets.derived import knows
from evaluators.testsets.documents import open_file
from evaluators.testsets.json_tables import lists_inside
from evaluators.testsets.reader import Reader, Table
from evaluators.testsets.table_head import NO_HEADER
from evaluators.testsets.test_set_config import TestSetConfig

_LAST_MESSAGE: Final = "the last message of a conversation"


def sheet_setting(
    data: str,
    config: Mapping[str, str],
    columns: Mapping[Role, str],
    ask: DefaultAnswers,
    reading: Mapping[str, str | int],
) -> dict[str, str]:
    """The setting that names the sheet with the outputs, where it is not the first; else none. A note on the other sheets is added to
    `ask.said`."""

    def has_output(sheet: str) -> bool:
        """Whether a sheet may be the one with the outputs: it has a column for them, or a question could be answered with one, or the
        settings say where they are. Nobody is asked."""
        asked: list[InitQuestion] = []
        try:
            chosen = roles_of_file(data, config, columns, _ask_nobody(asked), {**reading, "sheet": sheet})
        except Problems:
            return False
        return chosen.has_output or "output" in config or any(question.options for question in asked)

    sheet, note = sheet_with_roles(locate(data, Path()), has_output)
    ask.said += [note] if note else []
    return {"sheet": sheet} if sheet is not None else {}


def roles_of_file(
    data: str,
    config: Mapping[str, str],
    columns: Mapping[Role, str],
    ask: Ask,
    reading: Mapping[str, str | int],
) -> ChosenColumns:
    """The roles of the columns of a file of rows. `config` has the places of other roles, `columns` are those that the user named,
    `reading` says how the file is read. Raises Problems for a file without a header, for columns that are not there, and for rows that hold
    no output."""
    named = build(TestSetConfig, {"file": data, **reading}, noun="test_set")
    opened = open_file(data, Path(), None, named.with_reading_settings)
    headless = [doubt for doubt in opened.doubts if doubt.code == NO_HEADER]
    if headless and not columns:
        raise Problems(headless)
    elsewhere: set[Role] = {role for role in ROLES if role in config}
    table = with_paths(opened, columns.values(), data)
    unknown = {role: name for role, name in columns.items() if name not in table.header and not knows(table, name)}
    if unknown:
        raise Problems(no_such_column(name, opened.header, data) for name in unknown.values())
    glued = single_column_issue(opened.header, data)
    if glued is not None:
        raise Problems([glued])
    header = nameable(table.header)
    cells, _ = first_cells(table, header, FIRST_ROWS)
    settled = {"output", "expected"} & {*columns, *elsewhere}
    annotated = None if settled else _paths_in_export(table, cells, data, columns, elsewhere)
    if settled == {"output"} and "output" in elsewhere:
        last = paths_of_conversations(cells, data, outputs_elsewhere=True)
        annotated = (last, [], _LAST_MESSAGE) if last else None
    if annotated is not None:
        paths, notes, what = annotated
        chosen = choose_roles(header, cells, {**columns, **paths}, elsewhere, ask)
        chosen.why |= dict.fromkeys(paths, what)
        chosen.notes += notes
        return chosen
    asked, chosen = roles_without_asking(header, cells, columns, elsewhere)
    if not chosen.has_output and "expected" not in chosen.columns and opened.source.suffix == ".json":
        _refuse_outer_rows(opened)
    judged = [name for name in (chosen.columns.get("output"),) if name is not None and begin_with_verdicts(cells[name])]
    if not chosen.columns.get("output"):
        judged = [name for name in header if begin_with_verdicts(cells[name])]
    if judged and not columns:
        message = f"the outputs begin with verdicts such as [PASS], as in a table of promptfoo: {quoted_names(judged)}"
        hint = "write its results as JSON (promptfoo eval -o results.json), then: evaluators init results.json --list results.results"
        raise problem("verdicts-in-outputs", message, where=data, hint=hint)
    pair = [cells.get(chosen.columns.get(role, ""), ()) for role in ("output", "expected")]
    doubtful = asked or chosen.left or holds_containers(pair[0]) != holds_containers(pair[1]) or holds_reply(pair[0])
    inner = inner_columns(cells, columns.values()) if doubtful else None
    if inner is None:
        return choose_roles(header, cells, columns, elsewhere, ask)
    asked, _ = roles_without_asking(list(inner.cells), inner.cells, columns, elsewhere)
    if any(not question.options for question in asked[:1]):
        return choose_roles(header, cells, columns, elsewhere, ask)

    def ask_in_paths(question: InitQuestion) -> str:
        """The name of the column that the answer to a question names; whoever answers sees and names paths."""
        return inner.name_of_path(ask(inner.question_in_paths(question) if question.role else question))

    return inner.columns_in_paths(choose_roles(list(inner.cells), inner.cells, columns, elsewhere, ask_in_paths))


def _plain_columns_are_sides(
    cells: Mapping[str, Sequence[Any]], columns: Mapping[Role, str], elsewhere: Collection[Role]
) -> bool:
    """Whether columns without objects and lists are surely the outputs and their expected answers: then a column of conversations is what
    the model was asked, and no answer."""
    plain = {name: column for name, column in cells.items() if not holds_containers(column)}
    asked, chosen = roles_without_asking([*plain], plain, columns, elsewhere)
    both = {"output", "expected"} <= chosen.columns.keys() or ("expected" in chosen.columns and bool(chosen.models))
    return not asked and (both or bool(chosen.pairs))


def _paths_in_export(
    table: Table,
    cells: Mapping[str, Sequence[Any]],
    data: str,
    columns: Mapping[Role, str],
    elsewhere: Collection[Role],
) -> tuple[dict[Role, str], list[str], str] | None:
    """(paths, notes, what the rows are), where outputs and expected answers are inside columns that a tool for annotations exports, or are
    calls of functions or the ends of conversations; None for other rows.

    `cells` are the first ones of each column of the table. Calls and conversations are no answers where plain columns are surely both
    sides. Raises Problems where no model said anything.
    """
    sides = sides_of_tasks(cells)
    if sides:
        return *paths_of_tasks(sides, first_cells(table, [*sides.values()], None)[0], data), "tasks of Label Studio"
    questions = argilla_questions(cells)
    if questions:
        questions = argilla_questions(first_cells(table, columns_of_argilla(questions), None)[0])
        return *paths_of_argilla(questions, data), "records of Argilla"
    paths, notes = paths_of_calls(cells)
    if not paths and not has_conversations(cells.values()):
        return None
    if _plain_columns_are_sides(cells, columns, elsewhere):
        return None
    if paths:
        return paths, notes, "calls of functions"
    last = paths_of_conversations(cells, data)
    return (last, [], _LAST_MESSAGE) if last else None


def _refuse_outer_rows(opened: Reader) -> None:
    """Raises Problems for a JSON file whose rows hold lists with the expected answers or outputs, as the paragraphs of SQuAD do."""
    for path, items in lists_inside(parse_file(whole_of(opened.source))):
        if any(max(role_weight(key, "expected"), role_weight(key, "output")) > 0 for key in items[0]):
            names, keys = quoted_names(opened.header), first_texts([*items[0]], 3)
            message = f"the columns {names} play no role, and lists with {keys} are inside the rows"
            raise problem(
                "rows-inside", message, where=opened.source.name, hint=f"say which list has the rows: --list '{path}'"
            )


def roles_without_asking(
    header: Sequence[str], cells: Mapping[str, Sequence[Any]], columns: Mapping[Role, str], elsewhere: Collection[Role]
) -> tuple[list[InitQuestion], ChosenColumns]:
    """The questions about columns that would be asked, and the columns chosen without answers."""
    asked: list[InitQuestion] = []
    return asked, choose_roles(header, cells, columns, elsewhere, _ask_nobody(asked))


def _ask_nobody(asked: list[InitQuestion]) -> Ask:
    """A function that answers questions itself: one for a column, which it adds to `asked`, with none of the columns, any other with the
    first of its answers."""

    def answer(question: InitQuestion) -> str:
        """The answer to a question, which is kept in `asked` where it is for a column."""
        if question.role:
            asked.append(question)
            return NONE_OF_THEM
        return question.answers[0]

    return answer


def nameable(header: Sequence[str]) -> list[str]:
    """The columns that a suite can name: an empty name names nothing, and half a surrogate pair is in no file."""
    return [name for name in header if name and encodable(name) == name]
