"""Which column plays which role."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, get_args

from evaluators.issues import Blame, Issue, Problems
from evaluators.needs import Role
from evaluators.registry import suggestion
from evaluators.value_class import dataclass

ROLES: Final[tuple[Role, ...]] = get_args(Role)

USUAL_NAMES: Final[Mapping[Role, tuple[str, ...]]] = {
    "id": ("id", "record_id", "case_id", "row_id"),
    "input": ("input", "inputs", "question", "prompt"),
    "output": (
        "output", "outputs", "model_output", "actual_output", "prediction", "predicted", "response", "extracted",
        "model output", "actual output",
    ),
    "expected": (
        "expected", "expected_output", "correct_answer", "ground_truth", "gold", "reference", "answer",
        "expected output", "correct answer", "ground truth",
    ),
}  # fmt: skip
"""What columns are called when nobody says; case and surrounding spaces do not matter."""

_WEAKER: Final[Mapping[str, frozenset[str]]] = {"correct_answer": frozenset({"reference", "answer"})}
"""Names that are plain enough to win, and the names beside them that may mean something else."""

_NOUNS: Final[Mapping[Role, str]] = {
    "id": "id", "input": "input", "output": "output", "expected": "expected answer",
}  # fmt: skip
_SHOWN: Final = 20
_SIGNS: Final = {"semicolon": ";", "tab": "\t", "comma": ",", "bar": "|"}


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each role; None where no column plays it."""

    id: str | None = None
    input: str | None = None
    output: str | None = None
    expected: str | None = None

    def of(self, role: Role) -> str | None:
        """The column of a role."""
        return {"id": self.id, "input": self.input, "output": self.output, "expected": self.expected}[role]

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
        candidates = [one for one in header if one.strip().lower() in USUAL_NAMES[role] and one not in taken]
        candidates = _winner(candidates) or candidates
        if len(candidates) == 1:
            found[role] = candidates[0]
        elif candidates and (role in needed or role == "id"):
            issues.append(_unclear(role, candidates, name))
        elif role in needed:
            issues.append(_absent(role, header, name))
    if issues:
        raise Problems(issues)
    return Columns(**found)


def _winner(candidates: Sequence[str]) -> list[str]:
    """The one candidate that all others give way to; none where nobody wins."""
    spelled = {one: one.strip().lower() for one in candidates}
    return [
        one
        for one, name in spelled.items()
        if name in _WEAKER and all(other == one or spelled[other] in _WEAKER[name] for other in candidates)
    ]


def no_such_column(column: str, header: Sequence[str], name: str) -> Issue:
    """A column is named that is not there."""
    meant = suggestion(column, header) or _one_column(header)
    message = f'there is no column "{column}"; {listed(header)}'
    return Issue("no-such-column", Blame.TESTSET, message, name, meant)


def _one_column(header: Sequence[str]) -> str | None:
    """What to try when the header looks like several columns that were not told apart."""
    mark = next((word for word, sign in _SIGNS.items() if len(header) == 1 and sign in header[0]), None)
    return (
        f"the columns look separated by a {mark}: write `delimiter: {mark}` under test_set, or leave it out"
        if mark
        else None
    )


def listed(header: Sequence[str]) -> str:
    """The columns in words."""
    if not header:
        return "the file has no columns"
    more = f" and {len(header) - _SHOWN} more" if len(header) > _SHOWN else ""
    return "the columns are " + ", ".join(f'"{column}"' for column in header[:_SHOWN]) + more


def _unclear(role: Role, candidates: Sequence[str], name: str) -> Issue:
    names = " and ".join(f'"{candidate}"' for candidate in candidates)
    message = f"{len(candidates)} columns could be the {_NOUNS[role]}: {names}"
    return Issue("unclear-column", Blame.CONFIG, message, name, _key(role, candidates[0]))


def _absent(role: Role, header: Sequence[str], name: str) -> Issue:
    message = f"no column is recognised as the {_NOUNS[role]}; {listed(header)}"
    return Issue("no-such-column", Blame.TESTSET, message, name, _key(role, "NAME"))


def _key(role: Role, column: str) -> str:
    return f"say which one: `columns: {{{role}: {column}}}` under test_set, or --columns {role}={column}"
