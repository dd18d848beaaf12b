"""What the composites share: how the verdicts of their parts become one.

A part that is skipped or not measured in the row is left out, and the weights are renormalised. A blocked or failed part
counts what it scored. A part without a score for another reason leaves the composite without one, for the same cause,
unless the composite is already decided. When every part is left out, so is the composite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field, field_validator

from evaluators.model.rows import Result, RowStatus
from evaluators.model.settings import BadSettings, Detail, bad, filled_texts, spell
from evaluators.scoring.evaluators._evaluator import Evaluator, Needs, Part, Reason

LEFT_OUT = (RowStatus.SKIPPED, RowStatus.NOT_MEASURED)
_WEIGHTS: Final = "0 leaves an evaluator out of the mean; 2 counts it twice as much as 1"
_MOST_COMBINED: Final = 10_000
SKIPPED = Result(RowStatus.SKIPPED, None, 0, 0)

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Composite(Evaluator):
    """An evaluator whose parts are other evaluators of the suite."""

    of: dict[str, Weight] | list[str] = Field(min_length=1)
    """The parts: a list of names, or a map from each name to its weight where the type takes weights."""

    takes_weights: ClassVar[bool] = False

    @field_validator("of", mode="before")
    @classmethod
    def _read_parts(cls, value: object) -> object:
        """The parts, a map or a list, under the names by which the suite refers to evaluators. Raises BadSettings for any other value."""
        if isinstance(value, Mapping):
            _check_weights(value, cls.takes_weights)
        elif isinstance(value, (list, tuple)):
            _check_names(value)
        else:
            hint = f"write of: [{value}]" if isinstance(value, str) else None
            raise bad(f'"of" must be a list of evaluator names; found {spell(value)}', hint=hint)
        if not value:
            raise bad('"of" must name at least one evaluator')
        named = filled_texts().name
        return {named(name): value[name] for name in value} if isinstance(value, Mapping) else list(map(named, value))

    @field_validator("at", "output_at")
    @classmethod
    def _refuse_path(cls, value: str | None) -> str | None:
        """The value of `at` or `output_at`, which must be None. Raises BadSettings for a path."""
        if value is not None:
            raise bad("a composite reads no document", hint="write it below the evaluators that it is made of")
        return value

    def needs(self) -> Needs:
        """The verdicts of the parts, each by its name and its place in `of`."""
        keys: Iterable[str | int] = self.of if isinstance(self.of, dict) else range(len(self.of))
        return tuple(Part(name, key) for name, key in zip(self.of, keys, strict=True))

    @cached_property
    def weights(self) -> tuple[Fraction, ...]:
        """One weight per part."""
        if isinstance(self.of, dict):
            return tuple(Fraction(str(weight)) for weight in self.of.values())
        return tuple(Fraction(1) for _ in self.of)

    def combine(self, parts: list[tuple[Result, Fraction]]) -> Fraction:
        """The value of parts that have a score, each with its weight. Every composite implements it."""
        raise NotImplementedError  # the contract: each composite has a formula of its own

    def early_value(self, parts: Sequence[Result]) -> Fraction | None:
        """The score where one part decides it alone, whatever the others are, even where some have no score; None where none does."""
        return None

    def measure(self, *parts: Result) -> Result:
        """The result of the parts' results. It is kept, as few combinations of them are different."""
        result = self._known_results.get(parts)
        if result is None:
            result = self._result_of(parts)
            if len(self._known_results) < _MOST_COMBINED:
                self._known_results[parts] = result
        return result

    def reason(self, *parts: Result) -> Reason:
        """A sentence with the score of each part, and the scores by name."""
        by_name = dict(zip(self.of, parts, strict=True))
        return Reason(
            ", ".join(f"{name} {_score_text(part)}" for name, part in by_name.items()),
            {name: part.score for name, part in by_name.items()},
        )

    @cached_property
    def _known_results(self) -> dict[tuple[Result, ...], Result]:
        """The results that `measure` keeps, by those of the parts: up to `_MOST_COMBINED`."""
        return {}

    def _result_of(self, parts: Sequence[Result]) -> Result:
        """The result of the parts: the value that one of them decides alone; else no score where a part has none; else the combined
        value of the parts that are not left out."""
        value = self.early_value(parts)
        if value is None:
            unscored = next((part for part in parts if part.status.kept_out), None)
            if unscored is not None:
                return Result(unscored.status, None, 0, 0, issue=unscored.issue)
            there = [pair for pair in zip(parts, self.weights, strict=True) if pair[0].status not in LEFT_OUT]
            if not sum(weight for _, weight in there):
                return SKIPPED
            value = self.combine(there)
        passed = value.numerator / value.denominator >= self.pass_at
        return Result(RowStatus.SCORED, passed, value.numerator, value.denominator)


def _check_weights(weights: Mapping[Any, object], allowed: bool) -> None:
    """Raises BadSettings for weights that are not `allowed`, and for those that are no number from 0 on, or all 0."""
    if not allowed:
        raise bad("its parts have no weights", hint=f"write of: [{', '.join(map(str, weights))}]")
    details = [
        Detail((name,), f'the weight of "{name}" must be a number, 0 or more; found {spell(weight)}', _WEIGHTS)
        for name, weight in weights.items()
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < inf
    ]
    if details:
        raise BadSettings(details)
    if weights and not any(weights.values()):
        raise bad("every weight is 0, so nothing would count")


def _check_names(names: Sequence[object]) -> None:
    """Raises BadSettings for parts that are no text, or are named twice."""
    details = [
        Detail((index,), f"a part is the name of an evaluator; found {spell(name)}")
        if not isinstance(name, str)
        else Detail((index,), f'"{name}" is named twice')
        for index, name in enumerate(names)
        if not isinstance(name, str) or name in names[:index]
    ]
    if details:
        raise BadSettings(details)


def value_of(part: Result) -> Fraction:
    """The exact score of a part."""
    return Fraction(part.num, part.den)


def _score_text(part: Result) -> str:
    """The score of a part, or why it has none, in a word."""
    return part.status.plain if part.score is None else f"{part.score:.4g}"
