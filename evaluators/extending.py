"""Plugs of your own: decorators that make a class known by its name.

A plug that ships with the package cannot be replaced. To share plugs between programs, give your distribution an entry
point in the group `evaluators.builtin` (evaluator types) or `evaluators.comparators`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from evaluators.comparator import COMPARATORS, Comparator
from evaluators.evaluator import BUILTIN, Evaluator

EvaluatorClass = TypeVar("EvaluatorClass", bound=type[Evaluator])
ComparatorClass = TypeVar("ComparatorClass", bound=type[Comparator])


def evaluator(name: str, *, overwrite: bool = False) -> Callable[[EvaluatorClass], EvaluatorClass]:
    """A decorator that registers an evaluator type under the name that suites use.

    Raises Problems (config) when the name ships with the package, or is taken and `overwrite` is not asked for.
    """

    def register(plug: EvaluatorClass) -> EvaluatorClass:
        BUILTIN.register(name, plug, overwrite=overwrite)
        return plug

    return register


def comparator(name: str, *, overwrite: bool = False) -> Callable[[ComparatorClass], ComparatorClass]:
    """A decorator that registers a comparator under the name that `fields:` use. Raises Problems as `evaluator` does."""

    def register(plug: ComparatorClass) -> ComparatorClass:
        COMPARATORS.register(name, plug, overwrite=overwrite)
        return plug

    return register
