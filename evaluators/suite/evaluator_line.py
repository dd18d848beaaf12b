"""One evaluator of a suite, as its line says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.builtin._evaluator import Evaluator
from evaluators.conditions import Condition
from evaluators.settings import Loc
from evaluators.values.json_choice import Pick

Unmet: TypeAlias = Literal["fail", "skip"]
Parse: TypeAlias = Literal["lenient", "strict"]


class EvaluatorLine(Struct, frozen=True):
    """One evaluator of a suite: its settings, and when and on what it runs."""

    name: str
    settings: Evaluator
    loc: Loc = ()
    needs: tuple[str, ...] = ()
    when: tuple[Condition, ...] = ()
    unmet: Unmet = "fail"
    parse: Parse | None = None
    """None: what the test set says."""
    pick: Pick | None = None
    """Which of several documents in an output counts. None: what the test set says."""

    def with_schema(self, inferred: Mapping[str, Any] | None) -> EvaluatorLine:
        """The line with the schema that its evaluator inferred from the test set, if it has one."""
        learning = self.settings.learning() if inferred is not None else None
        return replace(self, settings=learning.apply(inferred)) if learning is not None and inferred is not None else self

    @property
    def type(self) -> str:
        """The evaluator type."""
        return self.settings.type
