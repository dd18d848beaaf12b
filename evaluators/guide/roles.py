"""Which column is the id, the input, the output and the expected answer, and why.

Strategy: usual names decide where they can. Otherwise every pair of columns is weighed as output and expected answer: by
words in their names, and by how alike their cells are, since an answer looks like the answer that was wanted. Where a
second choice weighs nearly as much as the first, it is a question.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from evaluators.guide.init_questions import Ask, InitQuestion
from evaluators.needs import ROLES, Role
from evaluators.testsets.columns import is_usual
from evaluators.value_class import dataclass, field
from evaluators.values.json_choice import find
from evaluators.values.json_text import NotJSON

_WORDS: Final[Mapping[Role, frozenset[str]]] = {
    "output": frozenset(
        ["output", "outputs", "predicted", "prediction", "response", "model", "actual", "generated", "extracted",
         "completion", "llm", "got"]
    ),
    "expected": frozenset(
        ["expected", "gold", "truth", "correct", "reference", "label", "target", "ideal", "right", "true", "wanted",
         "solution"]
    ),
    "id": frozenset(["id", "no", "nr", "number", "nummer", "key", "code", "uuid"]),
}  # fmt: skip
_EITHER: Final = frozenset({"answer", "answers"})
"""What a model gave, or what it should have given."""
_USUAL, _WORD, _WEAK, _ALIKE = 4.0, 2.0, 1.0, 3.0
_ALIKE_ENOUGH: Final = 0.3
_NEARLY: Final = 1.0
_MOST_COLUMNS: Final = 40
_MOST_ROWS: Final = 40
_LONGEST_ID: Final = 60
_NO_ID: Final = re.compile(r"[\s{\[]")


@dataclass
class ChosenColumns:
    """The column of each role, and why it is that one."""

    columns: dict[Role, str] = field(default_factory=dict)
    why: dict[Role, str] = field(default_factory=dict)

    def take(self, role: Role, column: str, why: str) -> None:
        """Settle a role."""
        self.columns[role] = column
        self.why[role] = why


@dataclass(frozen=True, slots=True)
class _RolePair:
    """An output with its expected answer, or alone, and what speaks for it."""

    weight: float
    output: str | None
    expected: str | None


def choose_roles(
    header: Sequence[str],
    cells: Mapping[str, Sequence[Any]],
    given: Mapping[Role, str],
    elsewhere: Collection[Role],
    ask: Ask,
) -> ChosenColumns:
    """The column of each role, as far as there is one. `given` are settled; `elsewhere` are roles that no column plays.

    `cells` are those of the first rows.
    """
    chosen = ChosenColumns()
    for role, column in given.items():
        chosen.take(role, column, "as you said")
    _choose_id(header, cells, chosen, ask)
    inputs = [name for name in header if is_usual(name, "input") and name not in chosen.columns.values()]
    if "input" not in chosen.columns and len(inputs) == 1:
        chosen.take("input", inputs[0], "a usual name for it")
    taken = {*chosen.columns.values(), *inputs}
    free = [name for name in header if name not in taken][:_MOST_COLUMNS]
    _choose_pair(free, cells, chosen, elsewhere, ask)
    ordered = {role: chosen.columns[role] for role in ROLES if role in chosen.columns}
    return ChosenColumns(ordered, chosen.why)


def _choose_id(header: Sequence[str], cells: Mapping[str, Sequence[Any]], chosen: ChosenColumns, ask: Ask) -> None:
    if "id" in chosen.columns:
        return
    free = [name for name in header if name not in chosen.columns.values()]
    usual = [name for name in free if is_usual(name, "id")]
    if len(usual) > 1:
        chosen.take("id", ask(_question("the id of a row", "id", usual)), "one of several usual names for it")
    elif usual:
        chosen.take("id", usual[0], "a usual name for it")
    else:
        named = [
            name for name in free if _words(name) & _WORDS["id"] or (name == header[0] and _stands_alone(name, cells))
        ]
        unlike = [name for name in named if _all_different(cells.get(name, ())) and not _weight(name, "output")]
        unlike = [name for name in unlike if not _weight(name, "expected") and not is_usual(name, "input")]
        if unlike:
            chosen.take("id", unlike[0], "different in every row")


def _choose_pair(
    free: Sequence[str], cells: Mapping[str, Sequence[Any]], chosen: ChosenColumns, elsewhere: Collection[Role], ask: Ask
) -> None:
    """The output and the expected answer, as far as neither is settled."""
    fixed: dict[Role, str | None] = {role: chosen.columns.get(role) for role, _ in _ASKED}
    pairs = sorted(_pairs(free, cells, fixed, elsewhere), key=lambda pair: -pair.weight)
    for role, said in _ASKED:
        if role in chosen.columns or role in elsewhere or not pairs:
            continue
        best = pairs[0]
        near = [_in_role(pair, role) for pair in pairs if pair.weight > best.weight - _NEARLY]
        answers = [name for name in dict.fromkeys(near) if name is not None]
        column = _in_role(best, role)
        if column is None:
            continue
        if len(answers) > 1:
            column = ask(_question(said, role, answers))
        chosen.take(
            role, column, _why(column, role, next(pair for pair in pairs if _in_role(pair, role) == column), cells)
        )
        fixed[role] = column
        pairs = sorted(_pairs(free, cells, fixed, elsewhere), key=lambda pair: -pair.weight)


_ASKED: Final[tuple[tuple[Role, str], ...]] = (("output", "the model's output"), ("expected", "the expected answer"))


def _in_role(pair: _RolePair, role: Role) -> str | None:
    return pair.output if role == "output" else pair.expected


def _pairs(
    free: Sequence[str],
    cells: Mapping[str, Sequence[Any]],
    fixed: Mapping[Role, str | None],
    elsewhere: Collection[Role],
) -> Iterable[_RolePair]:
    """What the output and the expected answer could be."""
    outputs: Sequence[str | None] = [fixed["output"]] if fixed["output"] or "output" in elsewhere else free
    wanted: Sequence[str | None] = [fixed["expected"]] if fixed["expected"] or "expected" in elsewhere else free
    for output in outputs:
        if output is not None and (fixed["output"] or _weight(output, "output")):
            yield _RolePair(_weight(output, "output"), output, None)
        for expected in wanted:
            if expected == output or (expected is None and output is None):
                continue
            both = output is not None and expected is not None
            alike = _alike(cells.get(output or "", ()), cells.get(expected or "", ())) if both else 0.0
            named = _weight(output, "output") + _weight(expected, "expected")
            if (
                not fixed["expected"]
                and not _weight(expected, "expected")
                and alike < _ALIKE_ENOUGH
                and expected is not None
            ):
                continue
            if not fixed["output"] and not _weight(output, "output") and alike < _ALIKE_ENOUGH and output is not None:
                continue
            yield _RolePair(named + _ALIKE * alike, output, expected)


def _question(said: str, role: Role, answers: Sequence[str]) -> InitQuestion:
    return InitQuestion(f"Which column is {said}?", tuple(answers), otherwise=f"--columns {role}=NAME")


def _why(column: str, role: Role, pair: _RolePair, cells: Mapping[str, Sequence[Any]]) -> str:
    if is_usual(column, role):
        return "a usual name for it"
    other = _in_role(pair, "expected" if role == "output" else "output")
    if other is not None and _alike(cells.get(column, ()), cells.get(other, ())) >= _ALIKE_ENOUGH:
        return f'its cells are like those of "{other}"'
    return "its name says so"


def _weight(column: str | None, role: Role) -> float:
    """How much the name of a column speaks for a role."""
    if column is None:
        return 0.0
    words = _words(column)
    if words <= _EITHER:
        return _WEAK
    if is_usual(column, role):
        return _USUAL
    other: Role = "expected" if role == "output" else "output"
    return _WORD if words & _WORDS[role] and not (is_usual(column, other) or words & _WORDS[other]) else 0.0


def _words(column: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[^\W\d_]+?(?=[A-Z]|[\W\d_]|$)", column)}


def _stands_alone(column: str, cells: Mapping[str, Sequence[Any]]) -> bool:
    """Whether no other column has cells like those of this one."""
    others = [name for name in list(cells)[:_MOST_COLUMNS] if name != column]
    return all(_alike(cells.get(column, ()), cells[other]) < _ALIKE_ENOUGH for other in others)


def _all_different(cells: Sequence[Any]) -> bool:
    """Whether the cells could be ids: short, without spaces or JSON, and each another."""
    texts = [str(cell) for cell in cells if isinstance(cell, str | int) and not isinstance(cell, bool)]
    plain = all(0 < len(text) <= _LONGEST_ID and not _NO_ID.search(text) for text in texts)
    return plain and len(texts) == len(cells) > 1 and len({*texts}) == len(texts)


def _alike(one: Sequence[Any], other: Sequence[Any]) -> float:
    """How alike the cells of two columns are, row by row: 1 where they are equal."""
    shares = [_alike_cells(a, b) for a, b in list(zip(one, other, strict=False))[:_MOST_ROWS]]
    return sum(shares) / len(shares) if shares else 0.0


def _alike_cells(a: Any, b: Any) -> float:
    ours, theirs = _traits(a), _traits(b)
    return len(ours & theirs) / len(ours | theirs) if ours and theirs else 0.0


def _traits(cell: Any) -> set[str]:
    """What makes a cell like another: the keys of an object, the words of a text."""
    value = cell
    if isinstance(cell, str) and ("{" in cell or "[" in cell):
        try:
            value = find(cell, "container").value
        except NotJSON:
            value = cell
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, dict)), value)
    if isinstance(value, dict):
        return {f"key {key}" for key in value}
    return set(re.findall(r"\w+", str(value).casefold())) if isinstance(value, str | int | float | list) else set()
