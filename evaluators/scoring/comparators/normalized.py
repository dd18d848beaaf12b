"""The comparator `normalized`: texts are equal once the chosen differences are set aside."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, Literal

from evaluators.model.rows import Comparison
from evaluators.scoring.comparators._comparator import Comparator, Compare, Pair
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.pairing import lookup_key
from evaluators.scoring.values.text import Normalization, Normalize, normalizer, same_text_deep


class Normalized(Normalization, Comparator):
    """The two texts are equal once case, accents and spacing are set aside.

    Each switch says what does not count. A switch that you leave out keeps the value shown here. Punctuation counts
    unless you say otherwise. In lists and objects every text is compared this way; the keys of an object never are, and
    the order of a list counts.
    """

    unicode: Literal["none", "nfc", "nfkc"] = "nfc"
    """`nfc`: a letter and its accent count as one, however they are stored. `nfkc`: also full-width letters, ligatures
    and superscripts count as plain ones (10² becomes 102). `none`: neither."""
    case: Literal["keep", "lower", "ignore"] = "ignore"
    """`ignore`: upper and lower case are the same, in every script (ß is ss). `lower`: only lower-cases (ß is not ss).
    `keep`: case counts."""
    accents: Literal["keep", "ignore", "transliterate"] = "ignore"
    """`ignore`: é is e. `transliterate`: also ø is o, and other scripts are spelt in Latin letters; not for text that
    holds numbers or codes. `keep`: accents count."""
    whitespace: Literal["keep", "trim", "collapse", "ignore"] = "collapse"
    """`collapse`: any run of spaces and line breaks counts as one space, and those at the ends do not count. `trim`: only
    those at the ends do not count. `keep`: every space counts. `ignore`: none counts, as in codes that are written in groups."""

    examples = (
        Pair("case and accents", "Málaga", "MALAGA", True),
        Pair("spacing", "New York", " New  York ", True),
        Pair("punctuation counts", "Acme, Inc.", "Acme Inc", False),
        Pair("unless it is ignored", "Acme, Inc.", "Acme Inc", True, {"punctuation": "ignore"}),
        Pair("spaces in a code", "DE 811 907 980", "DE811907980", True, {"whitespace": "ignore"}),
        Pair("only case", "Málaga", "MALAGA", False, {"accents": "keep"}),
        Pair("texts inside a list", ["Zoë"], ["zoe"], True),
        Pair("keys are not texts", {"É": 1}, {"e": 1}, False),
    )

    def compare(self, expected: Any, actual: Any) -> bool | Comparison:
        return self._compare(expected, actual)

    def key(self) -> Callable[[Any], Hashable]:
        """A function that gives values one key where they are equal once normalized."""
        return _normalized_key(normalizer(self))

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        if comparison.passed:
            return "equal once normalised"
        if isinstance(expected, str) and isinstance(actual, str):
            normalize = normalizer(self)
            return f"{difference_text(normalize(expected), normalize(actual))}, once normalised"
        return difference_text(expected, actual)

    @cached_property
    def _compare(self) -> Compare:
        """A function that compares two values with their texts normalized. Made once: it is called for every row."""
        return same_text_deep(normalizer(self))


def _normalized_key(normalize: Normalize) -> Callable[[Any], Hashable]:
    """A function from a value to a key that two values share exactly when they are equal with their texts normalized, at any depth."""

    def deep(value: Any) -> Any:
        """A value with every text in it normalized."""
        kind = value.__class__
        if kind is str:
            return normalize(value)
        if kind is list:
            return [deep(inner) for inner in value]
        return {key: deep(inner) for key, inner in value.items()} if kind is dict else value

    return lambda value: normalize(value) if value.__class__ is str else lookup_key(deep(value))
