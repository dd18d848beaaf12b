"""One evaluator of a suite, as its line says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluators.conditions import Condition
from evaluators.evaluator import Evaluator
from evaluators.settings import Loc

Unmet: TypeAlias = Literal["fail", "skip"]
Parse: TypeAlias = Literal["lenient", "strict"]


@dataclass(frozen=True, slots=True)
class EvaluatorLine:
    """One evaluator of a suite: its settings, and when and on what it runs."""

    name: str
    settings: Evaluator
    loc: Loc = ()
    needs: tuple[str, ...] = ()
    when: tuple[Condition, ...] = ()
    unmet: Unmet = "fail"
    parse: Parse | None = None
    """None: what the test set says."""

    @property
    def type(self) -> str:
        """The evaluator type."""
        return self.settings.type
