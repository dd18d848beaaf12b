"""The comparator `string_url`: two web addresses are the same once how they are written is set aside."""

from __future__ import annotations

from typing import Any

from evaluators.comparators._comparator import Comparator, Compare, Pair
from evaluators.comparators._web_addresses import AddressReading
from evaluators.model import Outcome


class StringUrl(Comparator):
    """The two web addresses are the same once http or https, `www.`, slashes at the end and case are set aside.

    Upper and lower case are the same in the whole address. What follows `?` and `#` counts. Values that are not text must
    be equal. It is a word of evaluation_config schemas; `url` has settings, and there the case of a path counts.
    """

    examples = (
        Pair("the scheme", "https://github.com/user", "github.com/user", True),
        Pair("www and the last slash", "https://www.example.com/page/", "http://example.com/page", True),
        Pair("case", "https://example.com/Page", "HTTPS://EXAMPLE.COM/page", True),
        Pair("another path", "https://example.com/a", "https://example.com/b", False),
        Pair("the query counts", "https://example.com/?id=1", "https://example.com/?id=2", False),
        Pair("what follows # counts", "https://example.com/#a", "https://example.com/#b", False),
    )

    def compile(self) -> Compare:
        return _READING.comparison()

    def explain(self, expected: Any, actual: Any) -> Outcome:
        return _READING.explain(expected, actual)


_READING = AddressReading(fragment="keep", case="ignore")
