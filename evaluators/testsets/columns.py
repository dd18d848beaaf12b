"""Which column plays which role."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from evaluators.issues import Blame, Issue, Problems
from evaluators.needs import ROLES, Role
from evaluators.registry import nearest, suggestion
from evaluators.values.quoting import first_ones

USUAL_NAMES: Final[Mapping[Role, tuple[str, ...]]] = {
    "id": ("id", "record_id", "case_id", "row_id"),
    "input": ("input", "inputs", "question", "prompt"),
    "output": (
        "output", "outputs", "model_output", "actual_output", "model_answer", "prediction", "predicted", "response",
        "extracted",
    ),
    "expected": (
        "expected", "expected_output", "correct_answer", "ground_truth", "gold", "reference", "answer",
    ),
}  # fmt: skip
"""What columns are called when nobody says. Case does not matter, nor whether words are joined by a space, a hyphen or `_`."""

FALLBACK_NAMES: Final[Mapping[Role, tuple[str, ...]]] = {
    "id": (), "input": (), "output": ("completion",), "expected": ("label", "target"),
}  # fmt: skip
"""The same, for tables in which no column has one of the names above: a label may be many things."""

_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where a new word begins in `expectedOutput`."""

_WEAKER: Final[Mapping[str, frozenset[str]]] = {"correct_answer": frozenset({"reference", "answer"})}
"""Names that are plain enough to win, and the names beside them that may mean something else."""

_NOUNS: Final[Mapping[Role, str]] = {
    "id": "id", "input": "input", "output": "output", "expected": "expected answer",
}  # fmt: skip
_SHOWN: Final = 20
_MISSPELT: Final = 0.8
"""How alike a name and a usual one are, from which on a slip of the fingers is likely."""
DELIMITERS: Final = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
"""What separates the cells of a text table, by its word."""


def folded(column: str) -> str:
    """The name of a column as usual names are written: `Expected Output` is `expected_output`."""
    return re.sub(r"[\s_-]+", "_", _HUMP.sub("_", column.strip())).lower()


def is_usual(column: str, role: Role) -> bool:
    """Whether the column has a usual name for the role."""
    return folded(column) in USUAL_NAMES[role]


def usual_columns(header: Iterable[str], role: Role) -> list[str]:
    """The columns with a usual name for the role, or else those with a name that will do where there is none."""
    columns = list(header)
    found = [one for one in columns if is_usual(one, role)]
    return found or [one for one in columns if folded(one) in FALLBACK_NAMES[role]]


class Columns(Struct, frozen=True):
    """The column of each role; None where no column plays it."""

    id: str | None = None
    input: str | None = None
    output: str | None = None
    expected: str | None = None

    def of(self, role: Role) -> str | None:
        """The column of a role."""
        column: str | None = getattr(self, role)
        return column

    def sentence(self, name: str) -> str:
        """The choice in words, for a note."""
        parts = [f'{role} is "{column}"' for role in ROLES if (column := self.of(role)) is not None]
        return f"{name}: {', '.join(parts)}" if parts else f"{name}: no column plays a role"


def guess_columns(
    header: Sequence[str],
    configured: Mapping[Role, str],
    *,
    needed: Collection[Role] = (),
    name: str = "the test set",
    knows: Callable[[str], bool] | None = None,
) -> Columns:
    """The column of each role: the configured one, or the one with a usual name.

    A role that nobody needs may have no column. `knows` answers for columns that a header does not show.
    Raises Problems with everything that is unclear, and the key to write.
    """
    found: dict[Role, str] = {}
    issues: list[Issue] = []
    for role in ROLES:
        column = configured.get(role)
        if column is not None:
            if column not in header and not (knows and knows(column)):
                issues.append(no_such_column(column, header, name))
            found[role] = column
    taken = set(found.values())
    for role in ROLES:
        if role in found:
            continue
        candidates = usual_columns((one for one in header if one not in taken), role)
        candidates = _winner(candidates) or candidates
        if len(candidates) == 1:
            found[role] = candidates[0]
        elif candidates and (role in needed or role == "id"):
            issues.append(_unclear(role, candidates, name))
        elif role in needed:
            issues.append(_absent(role, header, name))
    if issues:
        glued = not_told_apart(header, name)
        raise Problems(issues if glued is None else [glued])
    return Columns(**found)


def _winner(candidates: Sequence[str]) -> list[str]:
    """The one candidate that all others give way to; none where nobody wins."""
    spelled = {one: folded(one) for one in candidates}
    return [
        one
        for one, name in spelled.items()
        if name in _WEAKER and all(other == one or spelled[other] in _WEAKER[name] for other in candidates)
    ]


def no_such_column(column: str, header: Sequence[str], name: str) -> Issue:
    """A column is named that is not there."""
    glued = not_told_apart(header, name)
    if glued is not None:
        return glued
    message = f'there is no column "{column}"; {listed(header)}'
    hint = suggestion(column, header) or "write the name of one of them"
    return Issue("no-such-column", Blame.TESTSET, message, name, hint)


def not_told_apart(header: Sequence[str], name: str) -> Issue | None:
    """What is wrong where the only column of a file looks like several; None where it does not."""
    if len(header) != 1:
        return None
    mark = max(("semicolon", "tab", "comma", "bar"), key=lambda word: header[0].count(DELIMITERS[word]))
    if DELIMITERS[mark] not in header[0]:
        return None
    message = f'the first row is one cell, "{header[0]}": the cells seem to be separated by a {mark}'
    hint = f"write `delimiter: {mark}` under test_set, or --delimiter {mark}"
    return Issue("wrong-delimiter", Blame.TESTSET, message, name, hint)


def listed(header: Sequence[str]) -> str:
    """The columns in words."""
    if not header:
        return "the file has no columns"
    return "the columns are " + first_ones([f'"{column}"' for column in header], _SHOWN)


def _unclear(role: Role, candidates: Sequence[str], name: str) -> Issue:
    names = " and ".join(f'"{candidate}"' for candidate in candidates)
    message = f"{len(candidates)} columns could be the {_NOUNS[role]}: {names}"
    return Issue("unclear-column", Blame.CONFIG, message, name, _key(role, candidates[0]))


def _absent(role: Role, header: Sequence[str], name: str) -> Issue:
    message = f"no column is recognised as the {_NOUNS[role]}; {listed(header)}"
    column, usual = misspelt_header(role, header) or ("NAME", None)
    hint = _key(role, column) if usual is None else f'did you mean "{usual}"? rename it, or {_key(role, column)}'
    return Issue("no-such-column", Blame.TESTSET, message, name, hint)


def misspelt_header(role: Role, header: Sequence[str]) -> tuple[str, str] | None:
    """A column whose name is nearly a usual one of the role, and that usual name; None where there is none."""
    usual = {name for names in USUAL_NAMES.values() for name in names}
    for column in header:
        near = None if folded(column) in usual else nearest(folded(column), USUAL_NAMES[role], _MISSPELT)
        if near is not None:
            return column, near
    return None


def _key(role: Role, column: str) -> str:
    option = f"{role}={column}"
    if not column.replace("_", "").replace("-", "").isalnum():
        option = f'"{option}"'  # a space ends a word of a command
    return f"say which one: `columns: {{{role}: {column}}}` under test_set, or --columns {option}"
