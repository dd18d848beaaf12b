"""Addresses as they are shown: without who may go in, and without what proves it."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

_WHO: Final = r"(?<=://)[^\s/?#\"'<>]*@"
"""The user and the password in an address."""
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]+")
_PROOF: Final = re.compile(
    r"[?&](sig|signature|token|access_token|key|api_?key|password|secret|x-(amz|goog)-(signature|credential|security-token))=",
    re.IGNORECASE,
)
"""A setting of an address that lets whoever has it in, as signed addresses have."""


def without_password(address: str) -> str:
    """An address without the user and the password that it may hold."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else address


def without_passwords(text: str) -> str:
    """A text whose addresses are without the users and the passwords that they may hold."""
    return re.sub(_WHO, "", text)


def shown_address(address: str) -> str:
    """An address as messages and results name it: without user and password, and of the web without what follows a `?`."""
    scheme, mark, rest = address.partition("://")
    if not mark:
        return address
    server, slash, path = rest.partition("/")
    who, _, host = server.rpartition("@")
    kept = server if ":" not in who and scheme.lower() not in _WEB else host
    if scheme.lower() in _WEB:
        path = re.split(r"[?#]", path, maxsplit=1)[0]
        kept = re.split(r"[?#]", kept, maxsplit=1)[0]
    return f"{scheme}{mark}{kept}{slash}{path}"


def with_shown_addresses(text: str) -> str:
    """A text in which every address is as `shown_address` says it."""
    return _ADDRESS.sub(lambda found: shown_address(found[0]), text)


def without_proofs(text: str) -> str:
    """A text whose addresses hold no passwords, and nothing that lets somebody in; other addresses stay as they are."""

    def kept(found: re.Match[str]) -> str:
        address = found[0]
        return shown_address(address) if names_password(address) or _PROOF.search(address) else address

    return _ADDRESS.sub(kept, text)


def names_password(address: str) -> bool:
    """Whether an address holds a user with a password; of the web also a user alone, which may be a token."""
    scheme, _, rest = address.partition("://")
    who, mark, _ = rest.partition("/")[0].rpartition("@")
    return bool(mark) and (":" in who or scheme.lower() in _WEB)


_WEB: Final = ("http", "https")
