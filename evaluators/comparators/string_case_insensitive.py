"""The comparator `string_case_insensitive`: two texts are the same once upper and lower case are."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from evaluators.comparators._column_answers import normalized_identity
from evaluators.comparators._comparator import Comparator, Compare, Pair
from evaluators.model import Outcome
from evaluators.values.equality import same
from evaluators.values.quoting import differs
from evaluators.values.text import Normalization, normalizer, same_text_deep


class StringCaseInsensitive(Comparator):
    """The two texts are the same once upper and lower case are set aside.

    In every script: ß is ss. Spaces and accents count. In lists and objects every text is compared this way. Values that
    are not text must be equal. It is a word of evaluation_config schemas; `normalized` can set aside more.
    """

    examples = (
        Pair("case", "John", "JOHN", True),
        Pair("case in another script", "straße", "STRASSE", True),
        Pair("accents count", "Málaga", "MALAGA", False),
        Pair("spaces count", "John", " john", False),
        Pair("texts in a list", ["EUR"], ["eur"], True),
    )

    def compile(self) -> Compare:
        return same_text_deep(normalizer(_CASE))

    def key(self) -> Callable[[Any], Hashable]:
        return normalized_identity(normalizer(_CASE))

    def explain(self, expected: Any, actual: Any) -> Outcome:
        if self.compile()(expected, actual):
            return Outcome(1.0, True, "equal" if same(expected, actual) else "only the case differs")
        return Outcome(0.0, False, differs(expected, actual))


_CASE = Normalization(case="ignore")
