"""What the data alone does not settle: a question with possible answers, the likeliest first."""

from __future__ import annotations

from collections.abc import Callable
from shlex import quote
from typing import Final, TypeAlias

from msgspec import Struct, field

from evaluators.issues import problem


class InitQuestion(Struct, frozen=True):
    """A question, its answers with a word on each, and how to say the answer without being asked."""

    text: str
    answers: tuple[str, ...]
    """The likeliest first."""
    hints: tuple[str, ...] = ()
    """A few words about each answer, in the same order; none where the answers speak for themselves."""
    otherwise: str = ""
    """How to choose another answer: an option, or a line to change."""
    role: str = ""
    """The role of the column that is asked for, where nobody may guess it."""


Ask: TypeAlias = Callable[[InitQuestion], str]
"""Gives one of the answers."""


class DefaultAnswers(Struct):
    """Answers every question: somebody is asked, where there is somebody. Otherwise with its likeliest answer, and notes what was taken
    and what else it could be.

    Raises Problems for a question that nobody may guess, with the command that answers it.
    """

    said: list[str] = field(default_factory=list)
    asks: Ask | None = None
    """Somebody who answers."""
    command: str = "evaluators init DATA"
    """The command as it was given."""

    def __call__(self, question: InitQuestion) -> str:
        if self.asks is not None:
            return self.asks(question)
        answer = question.answers[0]
        if question.role:
            names = " and ".join(f'"{name}"' for name in question.answers)
            message = f"{names} could each be the {_NOUNS[question.role]}, and nothing says which of them is"
            lines = [f"{self.command} --columns {quote(f'{question.role}={name}')}" for name in question.answers[:2]]
            raise problem("undecided-column", message, hint=", or ".join(lines))
        others = ", ".join(f'"{other}"' for other in question.answers[1:])
        how = f" ({question.otherwise} for that)" if question.otherwise else ""
        self.said.append(f'{question.text} "{answer}" was taken; it could be {others}{how}')
        return answer


_NOUNS: Final = {"output": "model's output", "expected": "expected answer"}
