"""Conversations in a column, `[{"role": "user", "content": …}, …]`: where the last answer stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from shlex import join
from typing import Any, Final

from evaluators.guide.column_cells import nonempty_cells
from evaluators.guide.column_names import NOUN, role_weight
from evaluators.guide.json_in_cells import container_in
from evaluators.model.issues import problem
from evaluators.scoring.needs import Role
from evaluators.scoring.values.path_text import display

_ANSWERERS: Final = frozenset(["assistant", "model", "ai"])
_FIRST_ROWS: Final = 200


def paths_of_conversations(
    cells: Mapping[str, Sequence[Any]], where: str, outputs_elsewhere: bool = False
) -> dict[Role, str]:
    """The path to the last answer in the only column of conversations: the output, where another column is called an expected answer and
    none an output; the expected answer, where the outputs are elsewhere and no column is called so. Empty for other columns.

    Raises Problems where the conversations are not equally long, so that no path leads to their ends, and where there are conversations
    alone, whose answers may be right answers or outputs. `cells` are given by column.
    """
    columns = {name: lengths for name, column in cells.items() if (lengths := _message_counts(column))}
    others = [name for name in cells if name not in columns]
    role: Role = "expected" if outputs_elsewhere else "output"
    if len(columns) != 1 or any(role_weight(name, role, cells) >= NOUN for name in others):
        return {}
    ((name, lengths),) = columns.items()
    if len({*lengths}) > 1:
        message = f'the conversations in "{name}" have {min(lengths)} to {max(lengths)} messages, so no path leads to the last one of each'
        raise problem(
            "conversations", message, where=where, hint=f"write the last answer of each into a column called {role}"
        )
    path = display((name, lengths[0] - 1, "content"))
    if outputs_elsewhere or any(role_weight(other, "expected", cells) >= NOUN for other in others):
        return {role: path}
    message = f'the last messages in "{name}" are answers, which may be right answers or outputs, and nothing stands beside them'
    right = join(["evaluators", "init", where, "--columns", f"expected={path}", "--outputs-from", "FILE"])
    output = join(["evaluators", "init", where, "--columns", f"output={path}"])
    raise problem("conversations", message, where=where, hint=f"right answers: {right}; outputs: {output}")


def _message_counts(column: Sequence[Any]) -> list[int]:
    """How many messages each conversation has; empty where some cell is no conversation that ends with an answer in text."""
    counts = []
    for cell in nonempty_cells(column)[:_FIRST_ROWS]:
        value = container_in(cell)
        if not _ends_with_answer(value):
            return []
        counts.append(len(value))
    return counts


def has_conversations(columns: Iterable[Sequence[Any]]) -> bool:
    """Whether a column holds conversations that end with an answer, and nothing else."""
    return any(map(_message_counts, columns))


def _ends_with_answer(value: Any) -> bool:
    """Whether a value is a list of messages of which the last is a text from a model."""
    if not isinstance(value, list) or not value:
        return False
    if not all(isinstance(message, dict) and "role" in message for message in value):
        return False
    return value[-1]["role"] in _ANSWERERS and isinstance(value[-1].get("content"), str)
