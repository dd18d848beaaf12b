"""Which column is the id, the input, the output and the expected answer, and why; and which hold numbers about the call.

Strategy: columns that are neither output nor expected answer are set aside first: verdicts, names of models, explanations, ids
of something else. Every pair of the others is weighed: what their names say, and, which outweighs that, how much the cells of one
are drawn from the values of the other. Where the best pair is not far ahead, or rests on a guess, somebody is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from evaluators.guide.answer_options import AnswerOptions, answer_options
from evaluators.guide.chosen_columns import ChosenColumns
from evaluators.guide.column_cells import (
    could_be_ids,
    holds_numbers,
    holds_truths,
    likeness,
    share_of_same_digits,
    shown_cells,
)
from evaluators.guide.column_names import (
    ANSWER,
    MEASURES,
    NOUN,
    ColumnPair,
    called_explanation,
    called_id,
    called_verdict,
    columns_side_by_side,
    is_input,
    pairs_by_name,
    role_weight,
    words_of,
)
from evaluators.guide.columns_set_aside import OPTIONS, VERDICTS, answers_called_ids, columns_set_aside, is_measure
from evaluators.guide.role_pairs import ALIKE_ENOUGH, MOST_ANSWERS, CandidateColumns, choose_pair
from evaluators.scoring.fields.inference.proposals import NONE_OF_THEM, Ask, InitQuestion
from evaluators.scoring.needs import ROLES, Role
from evaluators.testsets.columns import columns_text, is_usual

_MOST_COLUMNS: Final = 40
_SEVERAL: Final = 2


def choose_roles(
    header: Sequence[str],
    cells: Mapping[str, Sequence[Any]],
    given: Mapping[Role, str],
    elsewhere: Collection[Role],
    ask: Ask,
) -> ChosenColumns:
    """The column of each role, as far as there is one. `given` are settled; `elsewhere` are roles that no column plays.

    `cells` are those of the first rows. Where columns are pairs, or hold the outputs of several models, these are named instead.
    """
    chosen = ChosenColumns()
    for role, column in given.items():
        chosen.take(role, column, "as you said")
    settled = [*given.values()]
    chosen.measures = [name for name in header if name not in settled and is_measure(name, cells.get(name, ()))]
    left = [name for name in header if name not in settled and name not in chosen.measures]
    pairs = pairs_by_name([name for name in header if name not in chosen.measures])
    options = answer_options({name: cells.get(name, ()) for name in left})
    chosen.set_aside, doubtful = columns_set_aside(left, settled, cells, pairs)
    keys = [*options.keys, *answers_called_ids(left, given.get("output"), cells)]
    chosen.set_aside = {name: what for name, what in chosen.set_aside.items() if name not in keys}
    chosen.set_aside |= dict.fromkeys(options.columns, OPTIONS)
    chosen.verdicts = [name for name, what in chosen.set_aside.items() if what == VERDICTS and name not in doubtful]
    _choose_id([name for name in header if name not in keys], cells, chosen, ask)
    taken = {*chosen.columns.values(), *chosen.measures}
    barred = {name for name in chosen.set_aside if name not in doubtful}
    inputs = [name for name in header if name not in taken and is_input(name)]
    free = [name for name in header if name not in taken | barred and name not in inputs][:_MOST_COLUMNS]
    if "expected" not in (*given, *elsewhere):
        wanted = _ask_for_texts_of_options(options, header, cells, given, ask)
        if wanted == NONE_OF_THEM:
            return choose_roles(header, cells, given, {*elsewhere, "expected"}, ask)
        if wanted is not None:
            return choose_roles(header, cells, {**given, "expected": wanted}, elsewhere, ask)
    open_ = not {"output", "expected"} & {*given, *elsewhere}
    if open_:
        chosen.pairs = _pairs_side_by_side(pairs, free, cells)
    if not chosen.pairs:
        by_name = {(pair.output, pair.expected): pair for pair in pairs}
        if "output" not in given and "output" not in elsewhere:
            chosen.models = _models_side_by_side(free, cells, given)
        if chosen.models:
            free = [name for name in free if name not in chosen.models]
        worded = [name for name in inputs if not is_usual(name, "input") and not chosen.models]
        among = [name for name in header if name in free or name in worded][:_MOST_COLUMNS]
        choose_pair(CandidateColumns(among, cells, elsewhere, by_name, doubtful, worded, keys), chosen, ask)
    inputs = [name for name in inputs if name not in chosen.columns.values()]
    if "input" not in chosen.columns and inputs:
        usual = [name for name in inputs if is_usual(name, "input")]
        chosen.take("input", [*usual, *inputs][0], "a usual name for it" if usual else "its name says so")
    if not chosen.has_output and "output" not in elsewhere:
        output = ask(_question_for_output(header, cells, chosen))
        if output != NONE_OF_THEM:
            return choose_roles(header, cells, {**given, "output": output}, elsewhere, ask)
    if chosen.has_output and not chosen.pairs and "expected" not in (*chosen.columns, *elsewhere):
        others = {*chosen.columns.values(), *chosen.measures, *chosen.models, *barred}
        chosen.left = [name for name in header if name not in others]
        if "output" not in given and _says_nothing_alone(cells.get(chosen.columns.get("output", ""), ())):
            expected = ask(_question_for_expected(header, cells, chosen))
            if expected != NONE_OF_THEM:
                return choose_roles(header, cells, {**given, "expected": expected}, elsewhere, ask)
    chosen.columns = {role: chosen.columns[role] for role in ROLES if role in chosen.columns}
    return chosen


def _ask_for_texts_of_options(
    options: AnswerOptions,
    header: Sequence[str],
    cells: Mapping[str, Sequence[Any]],
    given: Mapping[Role, str],
    ask: Ask,
) -> str | None:
    """The answer to the question which column has the expected answers, where those there are have letters or numbers of options, and
    outputs have texts of them: no suite turns one into the other. None where that is not so, and nobody is asked."""
    outputs = [
        name for name in options.texts if given.get("output", name) == name and role_weight(name, "output") >= NOUN
    ]
    if not options.keys or not outputs or not {*options.keys} <= {*options.lettered}:
        return None
    names = " and ".join(f'"{name}"' for name in options.keys)
    return ask(
        InitQuestion(
            "Which column is the expected answer?",
            tuple(options.keys),
            tuple(shown_cells(cells.get(name, ())) for name in options.keys),
            role="expected",
            seen=f'letters or numbers of options are in {names}, and their texts in "{outputs[0]}", so no output is ever right; what is '
            f"needed is a column with the text of the right option; {columns_text(header)}",
        )
    )


def _question_for_output(
    header: Sequence[str], cells: Mapping[str, Sequence[Any]], chosen: ChosenColumns
) -> InitQuestion:
    """The question which column is the output, where nothing points to one. Its `seen` says what the columns hold instead."""
    left = [name for name in header if name not in (*chosen.columns.values(), *chosen.measures, *chosen.set_aside)]
    answers = (left or [name for name in header if name not in chosen.columns.values()] or [*header])[:MOST_ANSWERS]
    aside: dict[str, list[str]] = {}
    for name, what in chosen.set_aside.items():
        aside.setdefault(what, []).append(f'"{name}"')
    wanted = [
        f'"{name}"' for name in header if role_weight(name, "expected", header) >= NOUN and name not in chosen.set_aside
    ]
    if wanted:
        aside["right answers, by the name,"] = wanted
    why = "".join(f"; {what} are in {' and '.join(names)}" for what, names in aside.items())
    return InitQuestion(
        "Which column is the model's output?",
        tuple(answers),
        tuple(shown_cells(cells.get(name, ())) for name in answers),
        role="output",
        seen=f"no column looks like the model's output; {columns_text(header)}{why}",
    )


def _says_nothing_alone(outputs: Sequence[Any]) -> bool:
    """Whether outputs are numbers, or true and false: without an expected answer there is nothing to ask of them."""
    return holds_numbers(outputs) or holds_truths(outputs)


def _question_for_expected(
    header: Sequence[str], cells: Mapping[str, Sequence[Any]], chosen: ChosenColumns
) -> InitQuestion:
    """The question which column is the expected answer, where nothing points to one."""
    output = chosen.columns["output"]
    answers = (chosen.left or [name for name in header if name != output])[:MOST_ANSWERS]
    return InitQuestion(
        "Which column is the expected answer?",
        tuple(answers),
        tuple(shown_cells(cells.get(name, ())) for name in answers),
        role="expected",
        seen=f'no column looks like the expected answer, and those of "{output}" say nothing without it; {columns_text(header)}',
    )


def _choose_id(header: Sequence[str], cells: Mapping[str, Sequence[Any]], chosen: ChosenColumns, ask: Ask) -> None:
    """Adds the column of the id to `chosen`: one with a usual name, which is asked for where several have one, else one that is called
    like an id, or stands first, and differs in every row. There may be none."""
    if "id" in chosen.columns:
        return
    free = [name for name in header if name not in chosen.columns.values() and not {*words_of(name)} & MEASURES]
    usual = [name for name in free if is_usual(name, "id") or name.strip() == "#"]
    if len(usual) > 1:
        column = ask(InitQuestion("Which column is the id of a row?", tuple(usual), otherwise="--columns id=NAME"))
        chosen.take("id", column, "one of several usual names for it")
    elif usual:
        chosen.take("id", usual[0], "a usual name for it")
    else:
        first = [name for name in header[:1] if name not in chosen.set_aside]
        named = [name for name in free if called_id(name) or (name in first and _stands_alone(name, cells))]
        unlike = [
            name for name in named if could_be_ids(cells.get(name, ()), named=called_id(name)) and not is_input(name)
        ]
        unlike = [name for name in unlike if not role_weight(name, "output") and not role_weight(name, "expected")]
        if unlike:
            chosen.take("id", unlike[0], "different in every row")


def _pairs_side_by_side(
    pairs: Sequence[ColumnPair], free: Sequence[str], cells: Mapping[str, Sequence[Any]]
) -> list[ColumnPair]:
    """The pairs of columns, where there are several outputs with their expected answers side by side: their names both say their side, or
    their cells are alike. Empty where fewer than two are left, and where columns have the usual names of both roles."""
    usual = [
        role for role in ("output", "expected") for name in free if is_usual(name, role) and {*words_of(name)} - ANSWER
    ]
    if len({*usual}) > 1:
        return []
    likely = [
        pair
        for pair in pairs
        if {pair.output, pair.expected} <= {*free}
        and (pair.marked or _are_alike(cells.get(pair.output, ()), cells.get(pair.expected, ())))
    ]
    answers = [pair for pair in likely if not called_explanation(pair.output) and not called_verdict(pair.output)]
    return answers if len(answers) >= _SEVERAL else []


def _are_alike(outputs: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Whether two columns are alike enough to be a pair: they hold the same values, or the same digits in another notation."""
    return max(likeness(outputs, expected), share_of_same_digits(outputs, expected)) >= ALIKE_ENOUGH


def _models_side_by_side(
    free: Sequence[str], cells: Mapping[str, Sequence[Any]], settled: Mapping[Role, str]
) -> list[str]:
    """The columns with outputs of several models; empty where another column is called like an output."""
    pairs = columns_side_by_side(free)
    others = [name for name in free if name not in pairs and role_weight(name, "output", free) >= NOUN]
    wanted = [name for name in free if role_weight(name, "expected", free) >= NOUN and name not in pairs]
    answers = cells.get(settled.get("expected") or next(iter(wanted), ""), ())
    numbers = not holds_numbers(answers) and any(holds_numbers(cells.get(name, ())) for name in pairs)
    return [] if others or numbers else pairs


def _stands_alone(column: str, cells: Mapping[str, Sequence[Any]]) -> bool:
    """Whether the cells of no other column are like those of this one."""
    others = [name for name in list(cells)[:_MOST_COLUMNS] if name != column]
    return all(likeness(cells.get(column, ()), cells[other]) < ALIKE_ENOUGH for other in others)
