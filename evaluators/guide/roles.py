"""Which column is the id, the input, the output and the expected answer, and why; and which hold numbers about the call.

Strategy: columns that are neither output nor expected answer are set aside first: verdicts, names of models, explanations, ids
of something else. Every pair of the others is weighed: what their names say, and, which outweighs that, how much the cells of one
are drawn from the values of the other. Where the best pair is not far ahead, or rests on a guess, somebody is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.guide.answer_options import AnswerOptions, answer_options
from evaluators.guide.column_cells import (
    columns_named_by_labels,
    comparable_text,
    could_be_ids,
    holds_containers,
    holds_decisions,
    holds_names,
    holds_numbers,
    holds_times,
    holds_truths,
    holds_verdicts,
    likeness,
    nonempty_cells,
    share_equal,
    share_of_same_digits,
    shown_cells,
    surely_alike,
)
from evaluators.guide.column_names import (
    ANSWER,
    MEASURES,
    NOUN,
    USUAL,
    WEAK,
    ColumnPair,
    called_explanation,
    called_id,
    called_id_of_another,
    called_metric,
    called_of_people,
    called_settled,
    called_time,
    called_verdict,
    columns_side_by_side,
    is_input,
    may_be_measure,
    may_name_model,
    names_answerer,
    names_model,
    names_other_side,
    names_role_alone,
    pairs_by_name,
    role_weight,
    without_digits,
    words_of,
)
from evaluators.runs.number_cells import READINGS, units_of
from evaluators.scoring.fields.inference.proposals import NONE_OF_THEM, Ask, InitQuestion
from evaluators.scoring.needs import ROLES, Role
from evaluators.testsets.columns import columns_text, is_usual

_CELLS: Final = 8.0
"""What cells count that are drawn from the same values: more than a usual name."""
_DRAWN: Final = 0.5
"""How alike columns are whose cells are drawn from the same values. Which of two is the better model says nothing of its role."""
_BOTH_SAY, _ONE_SAYS = 2.0, 1.5
"""What it counts that two names differ in the word alone that says which side each is."""
_NEARLY: Final = 1.5
_ALIKE_ENOUGH: Final = 0.3
_SOMEWHAT_ALIKE: Final = 0.1
_MOST_COLUMNS: Final = 40
_MOST_ANSWERS: Final = 9
_SEVERAL: Final = 2


class ChosenColumns(Struct):
    """The column of each role, and why it is that one."""

    columns: dict[Role, str] = field(default_factory=dict)
    why: dict[Role, str] = field(default_factory=dict)
    measures: list[str] = field(default_factory=list)
    """Columns of numbers about the call, such as its cost."""
    pairs: list[ColumnPair] = field(default_factory=list)
    """Outputs with their expected answers, where there are several of both; no column then has these two roles."""
    models: list[str] = field(default_factory=list)
    """Outputs of several models side by side; no column then is the output."""
    set_aside: dict[str, str] = field(default_factory=dict)
    """Columns that are neither output nor expected answer, and what each holds."""
    verdicts: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Columns that may hold expected answers, where none is taken."""
    labels: dict[Role, str] = field(default_factory=dict)
    """The columns of outputs and expected answers with several labels in a cell; they have no role in `columns` then."""
    mark: str = ""
    """What stands between these labels."""
    notes: list[str] = field(default_factory=list)
    """What the columns hold that is not compared."""

    def take(self, role: Role, column: str, why: str) -> None:
        """Sets the column of a role, and the reason why it is that one."""
        self.columns[role] = column
        self.why[role] = why

    @property
    def has_output(self) -> bool:
        """Whether some column holds outputs."""
        return "output" in self.columns or bool(self.pairs or self.models)


class _RolePair(Struct, frozen=True):
    """An output with its expected answer, or alone, and what speaks for it."""

    weight: float
    output: str | None
    expected: str | None
    sure: bool
    """Names or cells say it plainly; what else is only likely is asked."""

    def of(self, role: Role) -> str | None:
        """The column that plays the output or the expected answer; None where no column does."""
        return self.output if role == "output" else self.expected


class _Columns(Struct, frozen=True):
    """The columns that may be outputs and expected answers, their cells, and what is settled."""

    names: Sequence[str]
    cells: Mapping[str, Sequence[Any]]
    elsewhere: Collection[Role]
    pairs: Mapping[tuple[str, str], ColumnPair]
    doubtful: Collection[str]
    """Columns that are taken only where somebody says so."""
    inputs: Collection[str]
    """Columns that are called like inputs."""
    keys: Collection[str] = ()
    """Columns that say which of several options is right, as the key of an exam does."""

    def of(self, name: str | None) -> Sequence[Any]:
        """The cells of a column; none for None."""
        return self.cells.get(name or "", ())

    def weight(self, name: str | None, role: Role) -> float:
        """How much the name of a column speaks for a role, as `role_weight` counts it; 0 for a doubtful column. A key speaks for expected
        answers."""
        if name in self.keys and role == "expected":
            return max(NOUN, role_weight(name, role, self.names))
        return 0.0 if name in self.doubtful else role_weight(name, role, self.names)

    def says_plainly(self, name: str, role: Role) -> bool:
        """Whether the name of a column says the role and nothing besides, and is not one of inputs."""
        return name not in self.inputs and self.weight(name, role) >= NOUN and names_role_alone(name, role)


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
    chosen.set_aside, doubtful = _columns_set_aside(left, settled, cells, pairs)
    keys = [*options.keys, *_answers_called_ids(left, given.get("output"), cells)]
    chosen.set_aside = {name: what for name, what in chosen.set_aside.items() if name not in keys}
    chosen.set_aside |= dict.fromkeys(options.columns, OPTIONS)
    chosen.verdicts = [name for name, what in chosen.set_aside.items() if what == _VERDICTS and name not in doubtful]
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
        _choose_pair(_Columns(among, cells, elsewhere, by_name, doubtful, worded, keys), chosen, ask)
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
    answers = (left or [name for name in header if name not in chosen.columns.values()] or [*header])[:_MOST_ANSWERS]
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
    answers = (chosen.left or [name for name in header if name != output])[:_MOST_ANSWERS]
    return InitQuestion(
        "Which column is the expected answer?",
        tuple(answers),
        tuple(shown_cells(cells.get(name, ())) for name in answers),
        role="expected",
        seen=f'no column looks like the expected answer, and those of "{output}" say nothing without it; {columns_text(header)}',
    )


def is_measure(name: str, cells: Sequence[Any]) -> bool:
    """Whether the column is called like a measure, and holds numbers and empty cells alone."""
    if not may_be_measure(name):
        return False
    given = [cell for cell in cells if cell is not None and cell != ""]
    texts = [cell.strip() for cell in given if isinstance(cell, str)]
    numbers = sum(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in given)
    all_read = any(all(units_of(text, mark) is not None for text in texts) for mark in READINGS)
    return bool(given) and len(texts) + numbers == len(given) and all_read


_VERDICTS: Final = "verdicts"
OPTIONS: Final = "options to choose from"


def _columns_set_aside(
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
        if what in (_VERDICTS, MODELS, _OF_PEOPLE)
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


def _answers_called_ids(names: Sequence[str], output: str | None, cells: Mapping[str, Sequence[Any]]) -> list[str]:
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


MODELS: Final = "names of models"
_OF_PEOPLE: Final = "names of people, or their labels,"
_PROBABILITIES: Final = (
    "probabilities of labels, of which the most probable one in a column of its own would be an output,"
)
_TRUTHS: Final = frozenset(["true", "false"])


_OF_PRODIGY: Final = frozenset(["_input_hash", "_task_hash"])
"""Columns that Prodigy writes."""


def _are_both_truths(pair: ColumnPair, cells: Mapping[str, Sequence[Any]]) -> bool:
    """Whether both columns of a pair hold true and false, as `is_spam` and `predicted_is_spam` do, and neither is called a verdict."""
    names = (pair.output, pair.expected)
    return all(holds_truths(cells.get(name, ())) and not called_verdict(name) for name in names)


def _kind_of_no_answer(name: str, cells: Sequence[Any], among: Collection[str]) -> str | None:
    """The kind of a column that holds no answers, such as "ids"; None where it may hold answers. `among` are the names beside."""
    if not _OF_PRODIGY.isdisjoint(among) and holds_decisions(cells):
        return _VERDICTS
    usual = is_usual(name, "output") or is_usual(name, "expected")
    if usual:
        return None
    if called_explanation(name):
        return "explanations"
    if called_id_of_another(name):
        return "ids"
    if called_verdict(name, among) and holds_verdicts(cells):
        return _VERDICTS
    if holds_truths(cells) and not (names_role_alone(name, "output") and words_of(name)):
        return _VERDICTS
    if (
        may_name_model(name)
        and holds_names(cells)
        and (not names_answerer(name) or all(map(names_model, map(str, nonempty_cells(cells)))))
    ):
        return _OF_PEOPLE if called_of_people(name) else MODELS
    return "times" if called_time(name) or holds_times(cells) else None


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
    return max(likeness(outputs, expected), share_of_same_digits(outputs, expected)) >= _ALIKE_ENOUGH


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


_ASKED: Final[tuple[tuple[Role, str], ...]] = (("expected", "the expected answer"), ("output", "the model's output"))


def _choose_pair(among: _Columns, chosen: ChosenColumns, ask: Ask) -> None:
    """Adds the columns of the expected answer and of the output to `chosen`, as far as they are not settled: the best pair of candidates,
    which `ask` decides where it is not sure or not far ahead of others."""
    for role, noun in _ASKED:
        if role in chosen.columns or role in among.elsewhere or (role == "output" and chosen.models):
            continue
        pairs = sorted(_candidate_pairs(among, chosen), key=lambda pair: -pair.weight)
        near = [pair for pair in pairs if pair.weight > pairs[0].weight - _NEARLY]
        near += _rivals(pairs[0], role, among) if pairs else []
        answers = {name: pair for pair in reversed(near) if (name := pair.of(role)) is not None}
        names = [name for name in among.names if name in answers]
        if not names:
            continue
        alone = names[0] if len(names) == 1 else None
        if alone is not None and pairs[0].of(role) == alone and (pairs[0].sure or among.says_plainly(alone, role)):
            chosen.take(role, alone, _reason_for_role(alone, role, pairs[0], among))
        elif alone is None or role != "expected" or chosen.why.get("output") != "as you said":
            column = ask(_question(noun, role, names, chosen, answers, among))
            if column == NONE_OF_THEM:
                among = replace(among, elsewhere={*among.elsewhere, role})
            else:
                chosen.take(role, column, "as you said")


def _rivals(best: _RolePair, role: Role, among: _Columns) -> list[_RolePair]:
    """Pairs with further columns that may play the role, where the column of the best pair has no name that speaks for it: they have such
    a name, or share a word with its name, or some cells with the other side.

    Of several outputs the one with the most right answers is no likelier than the others.
    """
    other = best.expected if role == "output" else best.output
    column = best.of(role)
    if column is None or other is None or among.weight(column, role) or (best.output, best.expected) in among.pairs:
        return []
    sides = [(name, other) if role == "output" else (other, name) for name in among.names if name not in (column, other)]
    return [
        _RolePair(0.0, output, expected, sure=False)
        for output, expected in sides
        for name in [output if role == "output" else expected]
        if not names_other_side(name, role, among.names)
        and not {name} & {*among.doubtful, *among.inputs}
        and (
            among.weight(name, role) >= NOUN
            or {*words_of(name)} & {*words_of(column)}
            or share_equal(among.of(output), among.of(expected)) >= _SOMEWHAT_ALIKE
        )
    ]


def _candidate_pairs(among: _Columns, chosen: ChosenColumns) -> Iterable[_RolePair]:
    """The pairs of columns that may be output and expected answer, and outputs alone; a role that is settled has one candidate."""
    known = {role for role, _ in _ASKED if role in chosen.columns or role in among.elsewhere}
    if chosen.models:
        known.add("output")
    fixed = [chosen.columns.get("output") or next(iter(chosen.models), None)]
    outputs: Sequence[str | None] = fixed if "output" in known else among.names
    wanted: Sequence[str | None] = [chosen.columns.get("expected")] if "expected" in known else among.names
    for output in outputs:
        output_weight = USUAL if "output" in known else among.weight(output, "output")
        if "output" not in known and output is not None and names_other_side(output, "output", among.names):
            continue
        alone = _output_alone(output, output_weight, among) if "expected" not in known and "output" not in known else None
        if alone is not None:
            yield alone
        for expected in wanted:
            expected_weight = USUAL if "expected" in known else among.weight(expected, "expected")
            if expected == output or (
                "expected" not in known and expected is not None and names_other_side(expected, "expected", among.names)
            ):
                continue
            pair = _role_pair(output, output_weight, expected, expected_weight, among)
            if pair is not None:
                yield pair


def _output_alone(output: str | None, output_weight: float, among: _Columns) -> _RolePair | None:
    """A column as an output without an expected answer; None for one whose name does not speak for that. A name such as "answer", which may
    be either side, is not `sure`."""
    if output is None or output in among.doubtful or output in among.inputs:
        return None
    words = {*words_of(output)}
    if output_weight > WEAK:
        return _RolePair(output_weight, output, None, sure=names_role_alone(output, "output"))
    return _RolePair(output_weight, output, None, sure=False) if output_weight and words & ANSWER else None


def _role_pair(
    output: str | None, output_weight: float, expected: str | None, expected_weight: float, among: _Columns
) -> _RolePair | None:
    """Two columns as output and expected answer; None where nothing speaks for that. The weights are how much their names do."""
    both = [among.of(name) for name in (output, expected)]
    cells_known = all(map(nonempty_cells, both))
    alike = likeness(*both) if cells_known else 0.0
    by_name = among.pairs.get((output or "", expected or ""))
    names_say = bool(output_weight and expected_weight) or by_name is not None
    certain = cells_known and surely_alike(*both)
    if not names_say and alike < _ALIKE_ENOUGH:
        return None
    if {output, expected} & {*among.inputs} and by_name is None and not certain:
        return None  # an input, unless both names or both columns of cells say otherwise
    if (
        cells_known
        and expected is not None
        and holds_containers(both[0])
        and not holds_containers(both[1])
        and not alike
        and (expected_weight < NOUN or (expected_weight < USUAL and not names_role_alone(expected, "expected")))
    ):
        return None  # a column for each field, perhaps
    bonus = 0.0 if by_name is None else _BOTH_SAY if by_name.marked else _ONE_SAYS
    total = output_weight + expected_weight + _CELLS * min(alike / _DRAWN, 1.0) + bonus
    doubtful = bool({output, expected} & {*among.doubtful, *among.inputs})
    plainly = (by_name is not None and by_name.marked) or (
        (output is None or names_role_alone(output, "output"))
        and (expected is None or names_role_alone(expected, "expected"))
    )
    somewhat_alike = alike >= _SOMEWHAT_ALIKE
    sure = certain or (output_weight > 0 and expected_weight > 0 and (plainly or somewhat_alike))
    if by_name is not None and not by_name.marked:  # `vendor` and `vendor_gold`: cells that are a little alike are enough
        sure = sure or somewhat_alike or (not cells_known and output is None)
    if doubtful and not (by_name is not None and certain):
        sure = False
    return _RolePair(total, output, expected, sure)


def _question(
    noun: str, role: Role, names: Sequence[str], chosen: ChosenColumns, pairs: Mapping[str, _RolePair], among: _Columns
) -> InitQuestion:
    """The question which column is `noun`: first the likely columns, `names`, each with the options of the command line that say so, and
    then the others; each with three of its cells."""
    other: Role = "expected" if role == "output" else "output"
    options = []
    for name in names:
        beside = pairs[name].of(other) if other not in chosen.columns and not chosen.models else None
        options.append((f"{role}={name}", *([f"{other}={beside}"] if beside is not None else [])))
    left = [name for name in among.names if name not in (*names, *chosen.columns.values(), *chosen.models)]
    answers = (*names, *sorted(left, key=lambda name: name in among.inputs))[:_MOST_ANSWERS]
    shown = tuple(shown_cells(among.of(name)) for name in answers)
    text, how = f"Which column is {noun}?", f"--columns {role}=NAME"
    return InitQuestion(text, answers, shown, otherwise=how, role=role, options=tuple(options))


def _reason_for_role(column: str, role: Role, pair: _RolePair, among: _Columns) -> str:
    """Why a column has a role, for people: its usual name, cells like the ones in the other column of the pair, or else its name."""
    if is_usual(column, role):
        return "a usual name for it"
    other = pair.of("expected" if role == "output" else "output")
    by_cells = other is not None and likeness(among.of(column), among.of(other)) >= _ALIKE_ENOUGH
    return (
        f'its cells are like those of "{other}"' if by_cells and role_weight(column, role) <= WEAK else "its name says so"
    )


def _stands_alone(column: str, cells: Mapping[str, Sequence[Any]]) -> bool:
    """Whether the cells of no other column are like those of this one."""
    others = [name for name in list(cells)[:_MOST_COLUMNS] if name != column]
    return all(likeness(cells.get(column, ()), cells[other]) < _ALIKE_ENOUGH for other in others)
