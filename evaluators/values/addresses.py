"""Addresses of servers as they are shown: without who may go in."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

_WHO: Final = r"(?<=://)[^\s/?#\"'<>]*@"
"""The user and the password in an address."""


def without_password(address: str) -> str:
    """An address without the user and the password that it may hold."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else address


def without_passwords(text: str) -> str:
    """A text whose addresses are without the users and the passwords that they may hold."""
    return re.sub(_WHO, "", text)
