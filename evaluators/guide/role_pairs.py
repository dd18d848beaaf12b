"""Which two columns are the output and the expected answer: every pair is weighed by names and cells, and somebody is asked where the
best is not far ahead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.guide.chosen_columns import ChosenColumns
from evaluators.guide.column_cells import (
    holds_containers,
    likeness,
    nonempty_cells,
    share_equal,
    shown_cells,
    surely_alike,
)
from evaluators.guide.column_names import (
    ANSWER,
    NOUN,
    USUAL,
    WEAK,
    ColumnPair,
    names_other_side,
    names_role_alone,
    role_weight,
    words_of,
)
from evaluators.scoring.fields.inference.proposals import NONE_OF_THEM, Ask, InitQuestion
from evaluators.scoring.needs import Role
from evaluators.testsets.columns import is_usual

_CELLS: Final = 8.0
"""What cells count that are drawn from the same values: more than a usual name."""
_DRAWN: Final = 0.5
"""How alike columns are whose cells are drawn from the same values. Which of two is the better model says nothing of its role."""
_BOTH_SAY, _ONE_SAYS = 2.0, 1.5
"""What it counts that two names differ in the word alone that says which side each is."""
_NEARLY: Final = 1.5
ALIKE_ENOUGH: Final = 0.3
_SOMEWHAT_ALIKE: Final = 0.1
MOST_ANSWERS: Final = 9
_ASKED: Final[tuple[tuple[Role, str], ...]] = (("expected", "the expected answer"), ("output", "the model's output"))


class RolePair(Struct, frozen=True):
    """An output with its expected answer, or alone, and what speaks for it."""

    weight: float
    output: str | None
    expected: str | None
    sure: bool
    """Names or cells say it plainly; what else is only likely is asked."""

    def of(self, role: Role) -> str | None:
        """The column that plays the output or the expected answer; None where no column does."""
        return self.output if role == "output" else self.expected


class CandidateColumns(Struct, frozen=True):
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


def choose_pair(among: CandidateColumns, chosen: ChosenColumns, ask: Ask) -> None:
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


def _rivals(best: RolePair, role: Role, among: CandidateColumns) -> list[RolePair]:
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
        RolePair(0.0, output, expected, sure=False)
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


def _candidate_pairs(among: CandidateColumns, chosen: ChosenColumns) -> Iterable[RolePair]:
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


def _output_alone(output: str | None, output_weight: float, among: CandidateColumns) -> RolePair | None:
    """A column as an output without an expected answer; None for one whose name does not speak for that. A name such as "answer", which may
    be either side, is not `sure`."""
    if output is None or output in among.doubtful or output in among.inputs:
        return None
    words = {*words_of(output)}
    if output_weight > WEAK:
        return RolePair(output_weight, output, None, sure=names_role_alone(output, "output"))
    return RolePair(output_weight, output, None, sure=False) if output_weight and words & ANSWER else None


def _role_pair(
    output: str | None, output_weight: float, expected: str | None, expected_weight: float, among: CandidateColumns
) -> RolePair | None:
    """Two columns as output and expected answer; None where nothing speaks for that. The weights are how much their names do."""
    both = [among.of(name) for name in (output, expected)]
    cells_known = all(map(nonempty_cells, both))
    alike = likeness(*both) if cells_known else 0.0
    by_name = among.pairs.get((output or "", expected or ""))
    names_say = bool(output_weight and expected_weight) or by_name is not None
    certain = cells_known and surely_alike(*both)
    if not names_say and alike < ALIKE_ENOUGH:
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
    return RolePair(total, output, expected, sure)


def _question(
    noun: str,
    role: Role,
    names: Sequence[str],
    chosen: ChosenColumns,
    pairs: Mapping[str, RolePair],
    among: CandidateColumns,
) -> InitQuestion:
    """The question which column is `noun`: first the likely columns, `names`, each with the options of the command line that say so, and
    then the others; each with three of its cells."""
    other: Role = "expected" if role == "output" else "output"
    options = []
    for name in names:
        beside = pairs[name].of(other) if other not in chosen.columns and not chosen.models else None
        options.append((f"{role}={name}", *([f"{other}={beside}"] if beside is not None else [])))
    left = [name for name in among.names if name not in (*names, *chosen.columns.values(), *chosen.models)]
    answers = (*names, *sorted(left, key=lambda name: name in among.inputs))[:MOST_ANSWERS]
    shown = tuple(shown_cells(among.of(name)) for name in answers)
    text, how = f"Which column is {noun}?", f"--columns {role}=NAME"
    return InitQuestion(text, answers, shown, otherwise=how, role=role, options=tuple(options))


def _reason_for_role(column: str, role: Role, pair: RolePair, among: CandidateColumns) -> str:
    """Why a column has a role, for people: its usual name, cells like the ones in the other column of the pair, or else its name."""
    if is_usual(column, role):
        return "a usual name for it"
    other = pair.of("expected" if role == "output" else "output")
    by_cells = other is not None and likeness(among.of(column), among.of(other)) >= ALIKE_ENOUGH
    return (
        f'its cells are like those of "{other}"' if by_cells and role_weight(column, role) <= WEAK else "its name says so"
    )
