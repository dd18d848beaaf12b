"""Web addresses, written in one way.

Strategy: each address becomes a tuple of its parts, written in one way (RFC 3986, section 6.2), and the tuples are
compared. Text that is no web address stays as it is.
"""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias
from urllib.parse import quote as percent_encode
from urllib.parse import urlsplit

import msgspec

from evaluators.model.rows import Comparison
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.quoting import quote

Parts: TypeAlias = tuple[str, ...]


class AddressReading(msgspec.Struct, frozen=True):
    """The settings by which addresses are read: which of their parts do not count."""

    scheme: Literal["ignore", "keep"] = "ignore"
    www: Literal["ignore", "keep"] = "ignore"
    query: Literal["keep", "any_order", "ignore"] = "keep"
    fragment: Literal["ignore", "keep"] = "ignore"
    case: Literal["keep", "ignore"] = "keep"
    """`ignore`: upper and lower case are the same in every part. The case of the host never counts."""

    def compare(self, expected: Any, actual: Any) -> bool:
        """Whether two addresses lead to the same place. Other values must be equal."""
        if expected.__class__ is not str or actual.__class__ is not str:
            return json_equal(expected, actual)
        return bool(expected == actual) or self.parts(expected) == self.parts(actual)

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        """The parts in which two addresses differ, in words."""
        if comparison.passed:
            return "equal" if json_equal(expected, actual) else "the same address"
        if not (isinstance(expected, str) and isinstance(actual, str)):
            return difference_text(expected, actual)
        expected_parts, actual_parts = self.parts(expected), self.parts(actual)
        apart = [
            f"{name} {quote(found)} differs from {quote(wanted)}"
            for name, wanted, found in zip(_NAMES, expected_parts, actual_parts, strict=False)
            if wanted != found
        ]
        return "; ".join(apart) if len(expected_parts) == len(actual_parts) else difference_text(expected, actual)

    def parts(self, text: str) -> Parts:
        """The parts of an address, written in one way. Text that is no web address is its own only part."""
        text = text.strip() if self.case == "keep" else text.strip().casefold()
        try:
            return self._split_parts(text)
        except ValueError:
            return (text,)

    def _split_parts(self, text: str) -> Parts:
        """The parts of an address that are compared: scheme, user, host, port, path, query, fragment; "" for those that are ignored.
        An address of a scheme without a host, such as `mailto:`, is one part."""
        if _OPAQUE.match(text):
            scheme, _, rest = text.partition(":")
            return (f"{scheme.lower()}:{_normalize_escapes(rest)}",)
        split = urlsplit(text if _WITH_HOST.match(text) else f"//{text}")
        scheme, host = split.scheme.lower(), _host(split.hostname or "")
        if self.www == "ignore":
            host = host.removeprefix("www.")
        usual = {"http": (80,), "https": (443,), "": (80, 443)}.get(scheme, ())
        port = "" if split.port is None or split.port in usual else str(split.port)
        if self.scheme == "ignore" and scheme in ("http", "https"):
            scheme = ""
        query = "&".join(sorted(split.query.split("&"))) if self.query == "any_order" else split.query
        return (
            scheme,
            split.netloc.rpartition("@")[0],
            host,
            port,
            _normalize_escapes(split.path).rstrip("/"),
            "" if self.query == "ignore" else _normalize_escapes(query),
            "" if self.fragment == "ignore" else _normalize_escapes(split.fragment),
        )


_NAMES = ("scheme", "user", "host", "port", "path", "query", "fragment")
_OPAQUE = re.compile(r"(?i)[a-z][a-z0-9+.-]*:(?!//|\d)")
_WITH_HOST = re.compile(r"(?i)([a-z][a-z0-9+.-]*:)?//")
_ESCAPE = re.compile("(?i)%([0-9a-f]{2})")
_UNRESERVED = re.compile("[A-Za-z0-9._~-]")


def _host(host: str) -> str:
    """The host in lower case, in ASCII as DNS has it, without a dot at its end. Raises ValueError for one that DNS cannot have."""
    host = host.rstrip(".").lower()
    return host if host.isascii() else host.encode("idna").decode("ascii")


def _normalize_escapes(text: str) -> str:
    """The text of an address in one spelling: plain letters plain, other characters as %XX, and reserved marks as they were."""

    def spell(escape: re.Match[str]) -> str:
        """One escape: the character itself where it needs none, else in capital letters."""
        character = chr(int(escape[1], 16))
        return character if _UNRESERVED.match(character) else escape[0].upper()

    return percent_encode(_ESCAPE.sub(spell, text), safe="%/:?#[]@!$&'()*+,;=~", errors="surrogatepass")
