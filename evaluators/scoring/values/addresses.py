"""Addresses: how they are shown, and which of them a suite may name.

They are shown without who may go in, and without what proves it. `EVALUATORS_ADDRESSES` says which a suite may name: unset is
any; `named` are those of the command line; else it is a list of beginnings with commas between them, such as
`https://models.example.com/v1,s3://cities`. A beginning ends where a step of the address ends.

In a pattern of files `*`, `?` and `[…]` stand for a part of one step, `**` for any number of steps.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import unquote, urlsplit, urlunsplit

from evaluators.model.issues import Blame, Issue, problem
from evaluators.scoring.values.late_pattern import late_pattern

_WEB: Final = ("http", "https")
_WHO: Final = r"(?<=://)[^\s/?#\"'<>]*@"
"""The user and the password in an address."""
_ADDRESS: Final = late_pattern(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]+")
_PROOF: Final = late_pattern(
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
    shown_part = server if ":" not in who and scheme.lower() not in _WEB else host
    if scheme.lower() in _WEB:
        path = re.split(r"[?#]", path, maxsplit=1)[0]
        shown_part = re.split(r"[?#]", shown_part, maxsplit=1)[0]
    return f"{scheme}{mark}{shown_part}{slash}{path}"


def with_shown_addresses(text: str) -> str:
    """A text in which every address is shortened as `shown_address` does it."""
    return _ADDRESS.sub(lambda match: shown_address(match[0]), text)


def without_proofs(text: str) -> str:
    """A text whose addresses hold no passwords, tokens or keys; other addresses stay as they are."""

    def without_proof(match: re.Match[str]) -> str:
        """One address: as messages show it where it holds a password, a token or a key, else as it is."""
        address = match[0]
        return shown_address(address) if has_password(address) or _PROOF.search(address) else address

    return _ADDRESS.sub(without_proof, text)


def has_password(address: str) -> bool:
    """Whether an address holds a user with a password; for a web address, also whether it holds a user alone, which may be a token."""
    scheme, _, rest = address.partition("://")
    who, mark, _ = rest.partition("/")[0].rpartition("@")
    return bool(mark) and (":" in who or scheme.lower() in _WEB)


# Which of them a suite may name

ADDRESSES: Final = "EVALUATORS_ADDRESSES"
"""The variable that says which addresses may be opened."""
NAMED: Final = "named"
_SCHEME: Final = late_pattern(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PASSED_OVER: Final = "".join(map(chr, range(33)))
"""What clients pass over before an address."""
_OF_THIS_MACHINE: Final = ("file://", "sqlite://")


def forbidden_addresses(addresses: Iterable[str], asked: Iterable[object] = (), hint: str | None = None) -> list[Issue]:
    """A config issue, with `hint`, for each of the `addresses` that a suite may not name. Those in `asked`, from the command line,
    are always allowed.

    An environment variable says what is allowed. Raises Problems (config) where it holds something else than it may.
    """
    allowed = allowed_beginnings()
    if allowed is None:
        return []
    own = set(map(str, asked))
    found = [
        address for address in addresses if address not in own and not any(_is_below(address, each) for each in allowed)
    ]
    return [_forbidden_address(address, allowed, hint) for address in dict.fromkeys(found)]


def allowed_beginnings() -> tuple[str, ...] | None:
    """The beginnings that addresses of a suite may have, from an environment variable: None where any address is allowed, and no beginning
    where a suite may name none. Raises Problems (config) for a variable that holds something else."""
    setting = os.environ.get(ADDRESSES)
    if setting is None:
        return None
    beginnings = tuple(beginning.strip() for beginning in setting.split(","))
    if beginnings == (NAMED,):
        return ()
    if not all(_SCHEME.match(beginning) for beginning in beginnings):
        message = f'{ADDRESSES} must be "{NAMED}", or addresses with commas between them; found "{setting}"'
        hint = f"{NAMED} allows those of the command line; without the variable, a suite may name any"
        raise problem("bad-addresses", message, hint=hint)
    return beginnings


def addresses_in(settings: Any) -> Iterator[str]:
    """Each text in some settings, at any depth, that is an address; one of a file or a database of this machine is left out."""
    if isinstance(settings, str):
        address = settings.lstrip(_PASSED_OVER)
        if _SCHEME.match(address) and not address.lower().startswith(_OF_THIS_MACHINE):
            yield address
    elif isinstance(settings, Mapping):
        for setting in settings.values():
            yield from addresses_in(setting)
    elif isinstance(settings, list | tuple | set | frozenset):
        for setting in settings:
            yield from addresses_in(setting)


def _forbidden_address(address: str, allowed: tuple[str, ...], hint: str | None) -> Issue:
    """The issue of an address in a suite that the `allowed` ones do not cover. Where `allowed` is empty, no address of a suite is
    allowed."""
    if allowed:
        message, hint = f"the suite names an address that {ADDRESSES} does not allow", f"allowed: {', '.join(allowed)}"
    else:
        message = f"the suite names an address, and {ADDRESSES} allows only those of the command line"
    return Issue("suite-address", Blame.CONFIG, message, shown_address(address), hint)


def _is_below(address: str, beginning: str) -> bool:
    """Whether an address is `beginning`, or goes on from it: it has the same scheme and server, its path starts with the same steps, and
    none of its steps is `..`."""
    scheme, _, rest = address.partition("://")
    allowed_scheme, _, allowed_rest = beginning.partition("://")
    server, _, path = rest.partition("/")
    allowed_server, _, allowed_path = allowed_rest.partition("/")
    if (scheme.lower(), server.lower()) != (allowed_scheme.lower(), allowed_server.lower()) or "\\" in unquote(rest):
        return False
    if ".." in re.split(r"[/?#]", unquote(unquote(path))):
        return False
    allowed_path = allowed_path.rstrip("/")
    if not allowed_path or path == allowed_path:
        return True
    return path.startswith(tuple(f"{allowed_path}{mark}" for mark in "/?#"))


Kind: TypeAlias = Literal["file", "folder", "stream"]
"""A stream, such as a named pipe, can be read once, and only from its beginning."""

PACKAGES: Final = {
    "s3": "s3fs>=2026", "gs": "gcsfs>=2026", "abfs": "adlfs>=2026", "http": "aiohttp", "https": "aiohttp",
}  # fmt: skip
"""The stores elsewhere, by the word before `://`, and what pip installs for each."""
WILDCARDS: Final = frozenset("*?[")


class StoreFault(OSError):
    """A store did not give or take a file, and trying again will not help, or did not."""


def has_wildcards(text: str) -> bool:
    """Whether a place, or a step of one, holds a wildcard: `*`, `?` or `[`."""
    return not WILDCARDS.isdisjoint(text)


def wildcard_steps(pattern: Sequence[str], path: Sequence[str]) -> list[str] | None:
    """The steps of `path` that the wildcards of `pattern` stand for; None where the two do not fit. Both are split at slashes."""
    if not pattern or not path:
        return [] if not path and all(step == "**" for step in pattern) else None
    step, rest = pattern[0], pattern[1:]
    if step == "**":
        # the fewest steps first
        matches = (
            [*path[:count], *matched]
            for count in range(len(path) + 1)
            if (matched := wildcard_steps(rest, path[count:])) is not None
        )
        return next(matches, None)
    is_fixed = not has_wildcards(step)
    if not (step == path[0] if is_fixed else fnmatchcase(path[0], step)):
        return None
    matched = wildcard_steps(rest, path[1:])
    return matched if matched is None or is_fixed else [path[0], *matched]
