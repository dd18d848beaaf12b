"""The contract of a comparator: its options, and how it compares two values.

Both values are present when a comparator is asked; presence is the field core's business. Null is a value like any
other. A two-sided comparator is reflexive: the core compares for equality first, and asks only about what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from evaluators.model import Outcome
from evaluators.registry import Socket
from evaluators.settings_model import Settings

Compare: TypeAlias = Callable[[Any, Any], bool | Outcome]
"""Takes (expected, actual). May raise RowProblem when the expected value itself is unusable."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One worked example of a comparator: shown on its page and run by the tests."""

    title: str
    expected: object
    actual: object
    match: bool
    options: Mapping[str, object] | None = None


class Comparator(Settings):
    """A comparator: the thing that a line of `fields:` names. Subclasses are immutable options."""

    reads: ClassVar[Literal["both", "output"]] = "both"
    """`output`: a one-sided check, which the expected value does not change."""
    examples: ClassVar[tuple[Pair, ...]] = ()

    def compile(self) -> Compare:
        """The fast comparison: True, False, or an Outcome where there is partial credit."""
        raise NotImplementedError

    def explain(self, expected: Any, actual: Any) -> Outcome:
        """The same answer with a reason in plain words. The default knows no reason."""
        found = self.compile()(expected, actual)
        return found if isinstance(found, Outcome) else Outcome(1.0 if found else 0.0, found)


COMPARATORS: Socket[Comparator] = Socket("evaluators.comparators", Comparator, "comparator")
