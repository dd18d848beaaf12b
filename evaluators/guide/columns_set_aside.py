"""Columns that are neither output nor expected answer: verdicts, names of models, explanations, ids of something else, and numbers about
the call.

Some are called so and are answers all the same, as their cells show.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from evaluators.guide.column_cells import (
    columns_named_by_labels,
    comparable_text,
    holds_decisions,
    holds_names,
    holds_numbers,
    holds_times,
    holds_truths,
    holds_verdicts,
    nonempty_cells,
    surely_alike,
)
from evaluators.guide.column_names import (
    NOUN,
    ColumnPair,
    called_explanation,
    called_id,
    called_id_of_another,
    called_metric,
    called_of_people,
    called_settled,
    called_time,
    called_verdict,
    may_be_measure,
    may_name_model,
    names_answerer,
    names_model,
    names_role_alone,
    role_weight,
    without_digits,
    words_of,
)
from evaluators.runs.number_cells import READINGS, units_of
from evaluators.testsets.columns import is_usual

VERDICTS: Final = "verdicts"
OPTIONS: Final = "options to choose from"
MODELS: Final = "names of models"
_OF_PEOPLE: Final = "names of people, or their labels,"
_PROBABILITIES: Final = (
    "probabilities of labels, of which the most probable one in a column of its own would be an output,"
)
_TRUTHS: Final = frozenset(["true", "false"])
_OF_PRODIGY: Final = frozenset(["_input_hash", "_task_hash"])
"""Columns that Prodigy writes."""


def is_measure(name: str, cells: Sequence[Any]) -> bool:
    """Whether the column is called like a measure, and holds numbers and empty cells alone."""
    if not may_be_measure(name):
        return False
    given = [cell for cell in cells if cell is not None and cell != ""]
    texts = [cell.strip() for cell in given if isinstance(cell, str)]
    numbers = sum(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in given)
    all_read = any(all(units_of(text, mark) is not None for text in texts) for mark in READINGS)
    return bool(given) and len(texts) + numbers == len(given) and all_read


def columns_set_aside(
    names: Sequence[str], settled: Sequence[str], cells: Mapping[str, Sequence[Any]], pairs: Sequence[ColumnPair]
) -> tuple[dict[str, str], list[str]]:
    """(contents, doubtful): the columns that are neither output nor expected answer, each with what it holds, and those of them that might
    be one after all, as their values are those of a column of answers. `settled` are columns whose role is known.
    """
    paired = {
        name for pair in pairs for name in (pair.output, pair.expected) if pair.marked or _are_both_truths(pair, cells)
    }
    among = [*names, *settled]
    contents = {
        name: what
        for name in names
        if name not in paired and (what := _kind_of_no_answer(name, cells.get(name, ()), among)) is not None
    }
    contents |= dict.fromkeys(columns_named_by_labels({name: cells.get(name, ()) for name in names}), _PROBABILITIES)
    if any(map(called_settled, names)):
        contents |= {name: _OF_PEOPLE for name in names if called_of_people(name) and not called_settled(name)}
    domains = [
        {*map(comparable_text, nonempty_cells(cells.get(name, ())))}
        for name in among
        if name in settled
        or (name not in contents and max(role_weight(name, "output", names), role_weight(name, "expected", names)) > 0)
    ]
    shared = [
        name
        for name, what in contents.items()
        if what in (VERDICTS, MODELS, _OF_PEOPLE)
        and not any(map(called_settled, names))
        and not called_metric(name, among)
        and _drawn_from_one({*map(comparable_text, nonempty_cells(cells.get(name, ())))}, domains)
    ]
    shared += _answers_called_models(contents, among, cells)
    models = [name for name in shared if contents[name] in (MODELS, _OF_PEOPLE)]
    doubtful = [name for name in shared if name not in models]
    return {name: what for name, what in contents.items() if name not in models}, doubtful


def _answers_called_models(
    contents: Mapping[str, str], among: Sequence[str], cells: Mapping[str, Sequence[Any]]
) -> list[str]:
    """The columns that are called like names of models or people, and that are short answers all the same: in half of the rows they are the
    same as a column called like an answer, or like one for the other side, as `human` and `llm` are. `run_1` is one if `run_2` is.

    `contents` says what the columns hold that are no answers, `among` are the names of all. Where none is called like an answer, any will
    do. Where another column is called like an output, or like labels that people agreed on, there are none.
    """
    rest = [name for name in among if name not in contents]
    if any(role_weight(name, "output") >= NOUN for name in rest) or any(map(called_settled, among)):
        return []
    models = [name for name, what in contents.items() if what in (MODELS, _OF_PEOPLE)]
    sides = {name: "output" if role_weight(name, "output") >= NOUN else "expected" for name in models if _says_side(name)}
    beside = [*filter(_says_side, rest)] or rest
    answers = [
        name
        for name in models
        if not any(map(names_model, map(str, nonempty_cells(cells.get(name, ())))))
        and any(
            surely_alike(cells.get(name, ()), cells.get(other, ()))
            for other in [*beside, *(other for other in sides if name in sides and sides[other] != sides[name])]
        )
    ]
    return [name for name in models if without_digits(name) in {*map(without_digits, answers)}]


def _says_side(name: str) -> bool:
    """Whether a name speaks for outputs or for expected answers."""
    return max(role_weight(name, "output"), role_weight(name, "expected")) >= NOUN


def answers_called_ids(names: Sequence[str], output: str | None, cells: Mapping[str, Sequence[Any]]) -> list[str]:
    """The columns that are called like ids and are short answers all the same, as the key of an exam is: in half of the rows they are the
    same as the column `output`, or, where that is None, as one that is called like outputs. Numbers stay ids."""
    outputs = [output] if output is not None else [name for name in names if role_weight(name, "output") >= NOUN]
    return [
        name
        for name in names
        if called_id(name) and not is_usual(name, "id") and name not in outputs and not holds_numbers(cells.get(name, ()))
        if any(surely_alike(cells.get(name, ()), cells.get(other, ())) for other in outputs)
    ]


def _drawn_from_one(values: set[str], domains: Sequence[set[str]]) -> bool:
    """Whether all values are in one of the domains, the sets of values of other columns. A domain that has some value of a column of true
    and false, or that holds nothing but yes or no, counts as having both."""
    return any(
        values and values <= domain | _TRUTHS and (values & domain or {"yes", "no"} >= domain > set())
        for domain in domains
    )


def _are_both_truths(pair: ColumnPair, cells: Mapping[str, Sequence[Any]]) -> bool:
    """Whether both columns of a pair hold true and false, as `is_spam` and `predicted_is_spam` do, and neither is called a verdict."""
    names = (pair.output, pair.expected)
    return all(holds_truths(cells.get(name, ())) and not called_verdict(name) for name in names)


def _kind_of_no_answer(name: str, cells: Sequence[Any], among: Collection[str]) -> str | None:
    """The kind of a column that holds no answers, such as "ids"; None where it may hold answers. `among` are the names beside."""
    if not _OF_PRODIGY.isdisjoint(among) and holds_decisions(cells):
        return VERDICTS
    usual = is_usual(name, "output") or is_usual(name, "expected")
    if usual:
        return None
    if called_explanation(name):
        return "explanations"
    if called_id_of_another(name):
        return "ids"
    if called_verdict(name, among) and holds_verdicts(cells):
        return VERDICTS
    if holds_truths(cells) and not (names_role_alone(name, "output") and words_of(name)):
        return VERDICTS
    if (
        may_name_model(name)
        and holds_names(cells)
        and (not names_answerer(name) or all(map(names_model, map(str, nonempty_cells(cells)))))
    ):
        return _OF_PEOPLE if called_of_people(name) else MODELS
    return "times" if called_time(name) or holds_times(cells) else None
