"""Which column plays which role."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.registry import nearest, suggestion
from evaluators.scoring.needs import ROLES, Role
from evaluators.scoring.values.quoting import first_texts, flow_text

Which: TypeAlias = Callable[[Role, Mapping[Role, str]], str]
"""Says what to write to name the column of a role, given the columns of all roles that are or have to be named."""
USUAL_NAMES: Final[Mapping[Role, tuple[str, ...]]] = {
    "id": ("id", "record_id", "case_id", "row_id"),
    "input": ("input", "inputs", "question", "prompt"),
    "output": (
        "output", "outputs", "model_output", "actual_output", "model_answer", "prediction", "predicted", "response",
        "extracted",
    ),
    "expected": (
        "expected", "expected_output", "correct_answer", "ground_truth", "groundtruth", "gold", "reference", "answer",
    ),
}  # fmt: skip
"""What columns are called when nobody says. Case does not matter, nor whether words are joined by a space, a hyphen or `_`."""

FALLBACK_NAMES: Final[Mapping[Role, tuple[str, ...]]] = {
    "id": (), "input": (), "output": ("completion",), "expected": ("label", "target"),
}  # fmt: skip
"""The same, for tables in which no column has one of the names above: a label may be many things."""

_CAMEL_CASE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
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


def folded_name(column: str) -> str:
    """The name of a column as usual names are written: `Expected Output` is `expected_output`."""
    return re.sub(r"[\s_-]+", "_", _CAMEL_CASE.sub("_", column.strip())).lower()


def is_usual(column: str, role: Role) -> bool:
    """Whether the column has a usual name for the role."""
    return folded_name(column) in USUAL_NAMES[role]


def usual_columns(header: Iterable[str], role: Role) -> list[str]:
    """The columns with a usual name for the role, in order; where there are none, those with a name of `FALLBACK_NAMES`."""
    columns = list(header)
    columns_of_role = [column for column in columns if is_usual(column, role)]
    return columns_of_role or [column for column in columns if folded_name(column) in FALLBACK_NAMES[role]]


class Columns(Struct, frozen=True):
    """The column of each role; None where no column plays it."""

    id: str | None = None
    input: str | None = None
    output: str | None = None
    expected: str | None = None

    def of(self, role: Role) -> str | None:
        """The column of a role; None where no column plays it."""
        column: str | None = getattr(self, role)
        return column

    def sentence(self, name: str) -> str:
        """A note on which column plays which role in the table `name`."""
        parts = [f'{role} is "{column}"' for role in ROLES if (column := self.of(role)) is not None]
        return f"{name}: {', '.join(parts)}" if parts else f"{name}: no column plays a role"


def guess_columns(
    header: Sequence[str],
    configured: Mapping[Role, str],
    *,
    needed: Collection[Role] = (),
    name: str = "the test set",
    knows: Callable[[str], bool] | None = None,
    which: Which | None = None,
) -> Columns:
    """The column of each role: the configured one, or the one with a usual name.

    A role that nobody needs may have no column. `knows` answers for columns that a header does not show,
    `which` says what to write to name the column of a role.
    Raises Problems with everything that is unclear, and the key to write.
    """
    roles: dict[Role, str] = {}
    issues: list[Issue] = []
    for role in ROLES:
        column = configured.get(role)
        if column is not None:
            if column not in header and not (knows and knows(column)):
                issues.append(no_such_column(column, header, name))
            roles[role] = column
    taken = set(roles.values())
    unclear: dict[Role, list[str]] = {}
    for role in ROLES:
        if role in roles:
            continue
        candidates = usual_columns((column_ for column_ in header if column_ not in taken), role)
        candidates = _winner(candidates) or candidates
        if len(candidates) == 1:
            roles[role] = candidates[0]
        elif candidates and (role in needed or role == "id"):
            unclear[role] = candidates
        elif role in needed:
            unclear[role] = []
    if unclear:
        issues += _issues_of_unclear_roles(unclear, dict(configured), header, name, which or say_which)
    if issues:
        glued = single_column_issue(header, name)
        raise Problems(issues if glued is None else [glued])
    return Columns(**roles)


def _winner(candidates: Sequence[str]) -> list[str]:
    """The candidate whose name goes before those of all others, as a list of one; an empty list where there is none."""
    spelled = {candidate: folded_name(candidate) for candidate in candidates}
    return [
        word
        for word, name in spelled.items()
        if name in _WEAKER and all(other == word or spelled[other] in _WEAKER[name] for other in candidates)
    ]


def no_such_column(column: str, header: Sequence[str], name: str) -> Issue:
    """The issue of a column that the header lacks."""
    glued = single_column_issue(header, name)
    if glued is not None:
        return glued
    message = f'there is no column "{column}"; {columns_text(header)}'
    hint = suggestion(column, header) or "write the name of one of them"
    return Issue("no-such-column", Blame.TESTSET, message, name, hint)


def single_column_issue(header: Sequence[str], name: str) -> Issue | None:
    """The problem of a file whose only column looks like several, because its name holds what separates cells elsewhere; None for any other
    file. `name` is what messages call it."""
    if len(header) != 1:
        return None
    mark = max(("semicolon", "tab", "comma", "bar"), key=lambda word: header[0].count(DELIMITERS[word]))
    if DELIMITERS[mark] not in header[0]:
        return None
    message = f'the first row is one cell, "{header[0]}": the cells seem to be separated by a {mark}'
    hint = f"write `delimiter: {mark}` under test_set, or --delimiter {mark}"
    return Issue("wrong-delimiter", Blame.TESTSET, message, name, hint)


def columns_text(header: Sequence[str]) -> str:
    """The columns of a header in words, for a message."""
    if not header:
        return "the file has no columns"
    return "the columns are " + first_texts([f'"{column}"' for column in header], _SHOWN)


def _issues_of_unclear_roles(
    roles: Mapping[Role, Sequence[str]], named: Mapping[Role, str], header: Sequence[str], name: str, which: Which
) -> Iterator[Issue]:
    """A problem for each of the `roles`, which have the columns that could play them: several, or none. The hint, which `which` gives,
    names the columns of all of them in one line, those that are `named` already among them."""
    misspelt = {
        role: column for role, several in roles.items() if not several and (column := misspelt_header(role, header))
    }
    written = {role: several[0] if several else misspelt.get(role, ("NAME",))[0] for role, several in roles.items()}
    for role, several in roles.items():
        hint = which(role, {**named, **written})
        if several:
            names = " and ".join(f'"{column}"' for column in several)
            message = f"{len(several)} columns could be the {_NOUNS[role]}: {names}"
            yield Issue("unclear-column", Blame.CONFIG, message, name, hint)
            continue
        if role in misspelt:
            hint = f'did you mean "{misspelt[role][1]}"? rename it, or {hint}'
        message = f"no column is recognised as the {_NOUNS[role]}; {columns_text(header)}"
        yield Issue("no-such-column", Blame.TESTSET, message, name, hint)


def misspelt_header(role: Role, header: Sequence[str]) -> tuple[str, str] | None:
    """A column whose name is nearly a usual one of the role, and that usual name; None where there is none."""
    usual = {name for names in USUAL_NAMES.values() for name in names}
    for column in header:
        near = None if folded_name(column) in usual else nearest(folded_name(column), USUAL_NAMES[role], _MISSPELT)
        if near is not None:
            return column, near
    return None


def say_which(role: Role, named: Mapping[Role, str], file: str | None = None) -> str:
    """A request to name the column of a role in the file of the rows; `named` are those that the suite names. `file` is what `test_set`
    says where it says no more than that."""
    return f"say which one: {naming_text(role, named, file)}"


def say_which_in_python(role: Role, named: Mapping[Role, str], argument: str = "columns") -> str:
    """The request of `say_which` for a program that gives the rows: the keyword argument to write."""
    return f"say which one: {argument}={json.dumps({name: named[name] for name in ROLES if name in named}, ensure_ascii=False)}"


def naming_text(role: Role, named: Mapping[Role, str], file: str | None = None) -> str:
    """The line that names the column of a role in the file of the rows, as `say_which` asks for it."""
    option = f"{role}={named[role]}"
    if not named[role].replace("_", "").replace("-", "").isalnum():
        option = f'"{option}"'  # a space ends a word of a command
    columns = {role: named[role] for role in ROLES if role in named}
    written = f"`columns: {flow_text(columns)}` under test_set"
    if file is not None:
        written = f"write `test_set: {flow_text({'file': file, 'columns': columns})}`"
    return f"{written}, or --columns {option}"
