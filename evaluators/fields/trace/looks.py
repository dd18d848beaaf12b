"""How an evaluator looks at a row: what its verdict depends on beside the shape of the documents and where they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from evaluators.fields.readable import Ask
from evaluators.fields.rules import Rule
from evaluators.value_class import dataclass, field
from evaluators.values.paths import Step

Steps: TypeAlias = tuple[Step, ...]
"""A place of a document: keys and indexes."""


@dataclass(frozen=True, slots=True)
class Looks:
    """What the verdict of an evaluator depends on.

    In any case that is: whether the two cells are the same text, whether the output holds a document, which keys the two
    documents have and how long their lists are, and where their values differ. An evaluator for which this is all has no
    rules. One whose verdict depends on more, such as the length of a text, has no looks.
    """

    rules: Mapping[Steps, Rule] = field(default_factory=dict)
    """For a place, the rule that is asked where its two values differ. Equal values match in any case."""
    readable: Mapping[Steps, Ask] = field(default_factory=dict)
    """For a place, what tells expected values that cannot be read: rows that have one go the general way."""
    texts: tuple[Callable[[str], str], ...] = ()
    """What texts are compared after, at any place: whether it makes two that differ the same."""
