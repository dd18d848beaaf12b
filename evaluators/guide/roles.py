"""Which column is the id, the input, the output and the expected answer, and why; and which hold numbers about the call.

Strategy: words in the names decide, those of an output first. Where the names of two columns say nothing, cells are
compared, since an answer looks like the answer that was wanted; which of the two is which is then a question that nobody
guesses.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

from evaluators.fields.inference.proposals import Ask, InitQuestion
from evaluators.needs import ROLES, Role
from evaluators.run.measures import READINGS, units_of
from evaluators.testsets.columns import is_usual
from evaluators.values.json_choice import find
from evaluators.values.json_text import NotJSON

_WORDS: Final[Mapping[Role, frozenset[str]]] = {
    "output": frozenset(
        ["pred", "preds", "predicted", "prediction", "predictions", "model", "actual", "generated", "extracted", "llm", "got",
         "bot", "chatbot", "ai", "assistant", "modell", "vorhersage"]
    ),
    "expected": frozenset(
        ["expected", "gold", "golden", "truth", "correct", "reference", "target", "ideal", "right", "true", "wanted",
         "solution", "human", "annotated", "annotation", "annotator", "richtig", "erwartet"]
    ),
    "input": frozenset(
        ["input", "question", "prompt", "query", "message", "text", "email", "instruction", "conversation", "transcript",
         "context", "passage", "article", "frage"]
    ),
    "id": frozenset(["id", "no", "nr", "number", "nummer", "key", "code", "uuid"]),
}  # fmt: skip
_GIVEN: Final = frozenset(
    ["output", "outputs", "response", "responses", "completion", "completions", "reply", "replies", "ausgabe"]
)
"""What a model gives. A word of expected answers beside it says more: an ideal response is no output."""
_ANSWER: Final = frozenset(["answer", "answers", "antwort"])
_EITHER: Final = frozenset(["label", "labels"]) | _ANSWER
"""What a model gave, or what it should have given. An answer beside which there is nothing else is an output."""
_WHICH_MODEL: Final = frozenset(["model", "llm", "ai", "bot", "name", "version", "id", "provider"])
"""Names made of these alone may say which model it was."""
_OF_A_MODEL: Final = frozenset(["name", "version", "id", "provider"])
_NO_ANSWER: Final = frozenset(["is", "confidence", "probability", "prob", "logprob"])
"""Words about an answer, which is then none."""
_MEASURES: Final = frozenset(
    ["cost", "costs", "usd", "eur", "token", "tokens", "latency", "duration", "seconds", "millis", "ms"]
)
_NO_MEASURE: Final = frozenset(["pred", "predicted", "prediction", "extracted"]) | _WORDS["expected"]
_USUAL, _WORD, _NOUN, _WEAK, _WEAKER = 7.0, 5.0, 4.5, 2.0, 1.0
_ALIKE, _SHARED = 3.0, 1.0
_ALIKE_ENOUGH: Final = 0.3
_ALIKE_AS_INPUT: Final = 0.6
"""How alike cells must be to those of another column, where the name says that the column is an input."""
_NEARLY: Final = 1.0
_MOST_COLUMNS: Final = 40
_MOST_ROWS: Final = 40
_LONGEST_ID: Final = 60
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a new word begins in `AILabel` and in `trueLabel`."""
_NO_ID: Final = re.compile(r"[\s{\[]")


class ChosenColumns(Struct):
    """The column of each role, and why it is that one."""

    columns: dict[Role, str] = field(default_factory=dict)
    why: dict[Role, str] = field(default_factory=dict)
    measures: list[str] = field(default_factory=list)
    """Columns of numbers about the call, such as its cost."""

    def take(self, role: Role, column: str, why: str) -> None:
        """Settle a role."""
        self.columns[role] = column
        self.why[role] = why


class _RolePair(Struct, frozen=True):
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
    settled = [*given.values()]
    chosen.measures = [name for name in header if name not in settled and is_measure(name, cells.get(name, ()))]
    _choose_id(header, cells, chosen, ask)
    taken = {*chosen.columns.values(), *chosen.measures}
    inputs = [name for name in header if name not in taken and _is_input(name)]
    free = [name for name in header if name not in taken and name not in inputs][:_MOST_COLUMNS]
    _choose_pair(free, cells, chosen, elsewhere, ask, _ALIKE_ENOUGH)
    worded = [name for name in inputs if not is_usual(name, "input")]
    _choose_pair([*free, *worded][:_MOST_COLUMNS], cells, chosen, elsewhere, ask, _ALIKE_AS_INPUT)
    inputs = [name for name in inputs if name not in chosen.columns.values()]
    if "input" not in chosen.columns and inputs:
        usual = [name for name in inputs if is_usual(name, "input")]
        chosen.take("input", [*usual, *inputs][0], "a usual name for it" if usual else "its name says so")
    ordered = {role: chosen.columns[role] for role in ROLES if role in chosen.columns}
    return ChosenColumns(ordered, chosen.why, chosen.measures)


def is_measure(name: str, cells: Sequence[Any]) -> bool:
    """Whether the column is called like a measure, and holds numbers and empty cells alone."""
    words = _words(name)
    if not words & _MEASURES or words & _NO_MEASURE:
        return False
    given = [cell for cell in cells if cell is not None and cell != ""]
    texts = [cell.strip() for cell in given if isinstance(cell, str)]
    numbers = sum(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in given)
    all_read = any(all(units_of(text, mark) is not None for text in texts) for mark in READINGS)
    return bool(given) and len(texts) + numbers == len(given) and all_read


def _is_input(name: str) -> bool:
    words = _words(name)
    other = words & (_WORDS["output"] | _WORDS["expected"] | _GIVEN | _EITHER)
    return is_usual(name, "input") or bool(words & _WORDS["input"] and not other)


def _choose_id(header: Sequence[str], cells: Mapping[str, Sequence[Any]], chosen: ChosenColumns, ask: Ask) -> None:
    if "id" in chosen.columns:
        return
    free = [name for name in header if name not in chosen.columns.values() and not _words(name) & _MEASURES]
    usual = [name for name in free if is_usual(name, "id") or name.strip() == "#"]
    if len(usual) > 1:
        column = ask(_question("the id of a row", "id", usual, guessed=True))
        chosen.take("id", column, "one of several usual names for it")
    elif usual:
        chosen.take("id", usual[0], "a usual name for it")
    else:
        named = [
            name for name in free if _words(name) & _WORDS["id"] or (name == header[0] and _stands_alone(name, cells))
        ]
        unlike = [name for name in named if _all_different(cells.get(name, ())) and not _is_input(name)]
        unlike = [name for name in unlike if not _weight(name, "output") and not _weight(name, "expected")]
        if unlike:
            chosen.take("id", unlike[0], "different in every row")


def _choose_pair(
    free: Sequence[str],
    cells: Mapping[str, Sequence[Any]],
    chosen: ChosenColumns,
    elsewhere: Collection[Role],
    ask: Ask,
    alike_enough: float,
) -> None:
    """The expected answer and the output, as far as they are not settled."""
    for role, said in _ASKED:
        if role in chosen.columns or role in elsewhere:
            continue
        fixed: dict[Role, str | None] = {one: chosen.columns.get(one) for one, _ in _ASKED}
        pairs = sorted(_pairs(free, cells, fixed, elsewhere, alike_enough), key=lambda pair: -pair.weight)
        column = _in_role(pairs[0], role) if pairs else None
        if column is None:
            continue
        near = {_in_role(pair, role) for pair in pairs if pair.weight > pairs[0].weight - _NEARLY}
        answers = [name for name in free if name in near]
        if len(answers) > 1:
            column = ask(_question(said, role, answers, guessed=False))
        pair = next(pair for pair in pairs if _in_role(pair, role) == column)
        chosen.take(role, column, "as you said" if len(answers) > 1 else _why(column, role, pair, cells))


_ASKED: Final[tuple[tuple[Role, str], ...]] = (("expected", "the expected answer"), ("output", "the model's output"))


def _in_role(pair: _RolePair, role: Role) -> str | None:
    return pair.output if role == "output" else pair.expected


def _pairs(
    free: Sequence[str],
    cells: Mapping[str, Sequence[Any]],
    fixed: Mapping[Role, str | None],
    elsewhere: Collection[Role],
    alike_enough: float,
) -> Iterable[_RolePair]:
    """Candidates for the output and the expected answer. How alike cells are counts where a name says nothing."""
    known = {role for role, _ in _ASKED if fixed[role] or role in elsewhere}
    outputs: Sequence[str | None] = [fixed["output"]] if "output" in known else free
    wanted: Sequence[str | None] = [fixed["expected"]] if "expected" in known else free
    for output in outputs:
        given = _USUAL if "output" in known else _weight(output, "output", free)
        if "expected" not in known and output is not None and (given > _WEAK or (given and _words(output) & _ANSWER)):
            yield _RolePair(given, output, None)
        for expected in wanted:
            named = _USUAL if "expected" in known else _weight(expected, "expected", free)
            if expected == output:
                continue
            weak = min(given, named) <= _WEAK
            alike = _alike(cells.get(output or "", ()), cells.get(expected or "", ())) if weak else 0.0
            if alike < alike_enough and not (given and named):
                continue
            both = not weak and _words(output or "") & _words(expected or "")
            yield _RolePair(given + named + _ALIKE * alike + (_SHARED if both else 0.0), output, expected)


def _question(said: str, role: Role, answers: Sequence[str], *, guessed: bool) -> InitQuestion:
    text, how = f"Which column is {said}?", f"--columns {role}=NAME"
    return InitQuestion(text, tuple(answers), otherwise=how, role="" if guessed else role)


def _why(column: str, role: Role, pair: _RolePair, cells: Mapping[str, Sequence[Any]]) -> str:
    if is_usual(column, role):
        return "a usual name for it"
    other = _in_role(pair, "expected" if role == "output" else "output")
    alike = other is not None and _alike(cells.get(column, ()), cells.get(other, ())) >= _ALIKE_ENOUGH
    return f'its cells are like those of "{other}"' if alike and _weight(column, role) <= _WEAK else "its name says so"


def _weight(column: str | None, role: Role, among: Collection[str] = ()) -> float:
    """How much the name of a column speaks for a role, beside the names of others."""
    if column is None:
        return 0.0
    words = _words(column)
    other: Role = "expected" if role == "output" else "output"
    if is_usual(column, role) and not words <= _EITHER:
        return _USUAL
    if words & _NO_ANSWER or (is_usual(column, other) and not words <= _EITHER):
        return 0.0
    said = _said(words, among)
    if said is None:
        return _WEAK if words and words <= _EITHER else _WEAKER if words & _EITHER else 0.0
    if said != role or (words <= _WHICH_MODEL and words & _OF_A_MODEL):
        return 0.0
    return _WORD if words & _WORDS[role] and not words <= _WHICH_MODEL else _NOUN


def _said(words: Collection[str], among: Collection[str]) -> Role | None:
    """The role that words name: the output first, unless another column has no other words than these."""
    of_output, of_expected = _WORDS["output"] & {*words}, _WORDS["expected"] & {*words}
    if of_output and of_expected:
        rivals = (_words(name) for name in among)
        others = any(each & (_WORDS["output"] | _GIVEN) and not each & _WORDS["expected"] for each in rivals)
        return "expected" if others or "expected" in words else "output"
    return "expected" if of_expected else "output" if of_output or _GIVEN & {*words} else None


def _words(column: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[^\W\d_]+", _HUMP.sub(" ", column))}


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
