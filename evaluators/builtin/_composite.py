"""What the composites share: how the verdicts of their parts become one.

A part that is skipped or not measured in the row is left out, and the weights are renormalised. A blocked or failed part
counts what it scored. A part without a score for another reason leaves the composite without one, for the same cause,
unless the composite is already decided. When every part is left out, so is the composite.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator

from evaluators.evaluator import Check, Evaluator, Needs, Part
from evaluators.model import Score, Standing, Verdict

LEFT_OUT = (Standing.SKIPPED, Standing.NOT_MEASURED)
UNSCORED = (Standing.INVALID, Standing.UNJUDGED, Standing.BUG)
SKIPPED = Verdict(Standing.SKIPPED, None, 0, 0)

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Composite(Evaluator):
    """An evaluator whose parts are other evaluators of the suite."""

    of: dict[str, Weight] | list[str] = Field(min_length=1)
    """The parts: a list of names, or a map from each name to its weight where the type takes weights."""

    takes_weights: ClassVar[bool] = False

    @field_validator("of")
    @classmethod
    def _sensible_weights(cls, value: dict[str, float] | list[str]) -> dict[str, float] | list[str]:
        if isinstance(value, dict) and not cls.takes_weights:
            raise ValueError(f"its parts have no weights\nhint: write of: [{', '.join(value)}]")
        if isinstance(value, dict) and not sum(value.values()):
            raise ValueError("every weight is 0, so nothing would count")
        if len(set(value)) != len(value):
            raise ValueError("a part is named twice")
        return value

    def part_names(self) -> tuple[str, ...]:
        """The names of the parts, in order."""
        return tuple(self.of)

    def needs(self) -> Needs:
        return tuple(Part(name) for name in self.part_names())

    def weights(self) -> tuple[Fraction, ...]:
        """One weight per part."""
        if isinstance(self.of, dict):
            return tuple(Fraction(str(weight)) for weight in self.of.values())
        return tuple(Fraction(1) for _ in self.of)

    def combine(self, parts: list[tuple[Verdict, Fraction]]) -> Fraction:
        """The value of the parts that are there, with their weights."""
        raise NotImplementedError

    def decided(self, parts: Sequence[Verdict]) -> Fraction | None:
        """The value when some part settles it, whatever the others would have been."""
        return None

    def explain(self, *values: Any) -> Score:
        verdict = self.compile()(*values)
        spoken = ", ".join(f"{name} {_said(part)}" for name, part in zip(self.part_names(), values, strict=True))
        return Score(
            verdict.value,
            verdict.passed,
            reason=spoken,
            details={name: part.value for name, part in zip(self.part_names(), values, strict=True)},
            ratio=(verdict.num, verdict.den) if verdict.den else None,
            standing=verdict.standing,
            issue=verdict.issue,
        )

    def compile(self) -> Check:
        weights, pass_at = self.weights(), self.pass_at
        known: dict[tuple[Verdict, ...], Verdict] = {}

        def check(*parts: Verdict) -> Verdict:
            found = known.get(parts)
            if found is None:
                found = self._settle(parts, weights, pass_at)
                if len(known) < 10_000:
                    known[parts] = found
            return found

        return check

    def _settle(self, parts: Sequence[Verdict], weights: Sequence[Fraction], pass_at: float) -> Verdict:
        value = self.decided(parts)
        if value is None:
            unscored = next((part for part in parts if part.standing in UNSCORED), None)
            if unscored is not None:
                return Verdict(unscored.standing, None, 0, 0, issue=unscored.issue)
            there = [pair for pair in zip(parts, weights, strict=True) if pair[0].standing not in LEFT_OUT]
            if not sum(weight for _, weight in there):
                return SKIPPED
            value = self.combine(there)
        passed = value.numerator / value.denominator >= pass_at
        return Verdict(Standing.SCORED, passed, value.numerator, value.denominator)


def value_of(part: Verdict) -> Fraction:
    """The exact score of a part."""
    return Fraction(part.num, part.den)


def _said(part: Verdict) -> str:
    return part.standing.word if part.value is None else f"{part.value:.4g}"
