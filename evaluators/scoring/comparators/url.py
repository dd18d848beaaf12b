"""The comparator `url`: two web addresses lead to the same place."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from evaluators.model.rows import Comparison
from evaluators.scoring.comparators._comparator import Comparator, Pair
from evaluators.scoring.comparators._web_addresses import AddressReading


class Url(Comparator):
    """The two web addresses lead to the same place.

    These do not count: http or https, or no scheme at all; `www.`; the case of the host; the scheme's usual port (80,
    443); slashes at the end; what follows `#`; and how a character is written (é or %C3%A9). The case of the path counts,
    and so does the query (what follows `?`). Values that are not text must be equal.
    """

    scheme: Literal["ignore", "keep"] = "ignore"
    """`keep`: http and https differ. Other schemes, such as ftp, always count."""
    www: Literal["ignore", "keep"] = "ignore"
    """`keep`: `www.` at the start of the host counts."""
    query: Literal["keep", "any_order", "ignore"] = "keep"
    """What follows `?`. `any_order`: the order of its parts does not count. `ignore`: none of it counts."""
    fragment: Literal["ignore", "keep"] = "ignore"
    """`keep`: what follows `#` counts."""

    examples = (
        Pair("scheme, www and the last slash", "https://www.example.com/", "http://example.com", True),
        Pair("no scheme", "https://example.com/a", "example.com/a", True),
        Pair("the case of the host", "https://Example.COM/a", "https://example.com/a", True),
        Pair("the case of the path counts", "https://example.com/A", "https://example.com/a", False),
        Pair("the query counts", "https://example.com/?id=1", "https://example.com/?id=2", False),
        Pair("unless it is ignored", "https://example.com/?id=1", "https://example.com/", True, {"query": "ignore"}),
        Pair("the usual port", "https://example.com:443/a", "https://example.com/a", True),
        Pair("how a letter is written", "https://example.com/caf%c3%a9", "https://example.com/café", True),
        Pair("keep the scheme", "https://example.com", "http://example.com", False, {"scheme": "keep"}),
    )

    def compare(self, expected: Any, actual: Any) -> bool:
        return self._reading.compare(expected, actual)

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        return self._reading.reason(expected, actual, comparison)

    @cached_property
    def _reading(self) -> AddressReading:
        """The settings, with the functions that compare addresses by them."""
        return AddressReading(self.scheme, self.www, self.query, self.fragment)
