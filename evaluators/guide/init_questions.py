"""What the data alone does not settle: a question with possible answers, the likeliest first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from evaluators.value_class import dataclass, field


@dataclass(frozen=True, slots=True)
class InitQuestion:
    """A question, its answers with a word on each, and how to say the answer without being asked."""

    text: str
    answers: tuple[str, ...]
    """The likeliest first."""
    hints: tuple[str, ...] = ()
    """A few words about each answer, in the same order; none where the answers speak for themselves."""
    otherwise: str = ""
    """How to choose another answer: an option, or a line to change."""


Ask: TypeAlias = Callable[[InitQuestion], str]
"""Gives one of the answers."""


@dataclass
class Likeliest:
    """Answers every question with its likeliest answer, and notes what was taken and what else it could be."""

    said: list[str] = field(default_factory=list)

    def __call__(self, question: InitQuestion) -> str:
        answer = question.answers[0]
        others = ", ".join(f'"{other}"' for other in question.answers[1:])
        how = f" ({question.otherwise} for that)" if question.otherwise else ""
        self.said.append(f'{question.text} "{answer}" was taken; it could be {others}{how}')
        return answer
