"""Which addresses a suite may name: any, those of the command line alone, or those that begin like one of some.

`EVALUATORS_ADDRESSES` says it: unset is any; `named` are those of the command line; else it is a list of beginnings with commas
between them, such as `https://models.example.com/v1,s3://cities`. A beginning ends where a step of the address ends.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

from evaluators.issues import Issue, problem
from evaluators.values.addresses import shown_address

ADDRESSES: Final = "EVALUATORS_ADDRESSES"
"""The variable that says which addresses may be opened."""
NAMED: Final = "named"
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PASSED_OVER: Final = "".join(map(chr, range(33)))
"""What clients pass over before an address."""
_OF_THIS_MACHINE: Final = ("file://", "sqlite://")


def refused_addresses(addresses: Iterable[str], asked: Iterable[object] = (), hint: str | None = None) -> list[Issue]:
    """Those of some addresses that a suite may not name, each as a config issue. `asked` are those of the command line.

    Raises Problems (config) where the variable holds something else than it may.
    """
    allowed = allowed_beginnings()
    if allowed is None:
        return []
    own = set(map(str, asked))
    found = [one for one in addresses if one not in own and not any(_begins(one, each) for each in allowed)]
    return [_refused(one, allowed, hint) for one in dict.fromkeys(found)]


def allowed_beginnings() -> tuple[str, ...] | None:
    """What addresses of a suite may begin with; None where they may be any."""
    said = os.environ.get(ADDRESSES)
    if said is None:
        return None
    beginnings = tuple(one.strip() for one in said.split(","))
    if beginnings == (NAMED,):
        return ()
    if not all(_SCHEME.match(one) for one in beginnings):
        message = f'{ADDRESSES} must be "{NAMED}", or addresses with commas between them; found "{said}"'
        hint = f"{NAMED} allows those of the command line; without the variable, a suite may name any"
        raise problem("bad-addresses", message, hint=hint)
    return beginnings


def addresses_in(settings: Any) -> Iterator[str]:
    """Every address in some settings, however deep. Files of this machine have none."""
    if isinstance(settings, str):
        address = settings.lstrip(_PASSED_OVER)
        if _SCHEME.match(address) and not address.lower().startswith(_OF_THIS_MACHINE):
            yield address
    elif isinstance(settings, Mapping):
        for one in settings.values():
            yield from addresses_in(one)
    elif isinstance(settings, list | tuple | set | frozenset):
        for one in settings:
            yield from addresses_in(one)


def _refused(address: str, allowed: tuple[str, ...], hint: str | None) -> Issue:
    if allowed:
        message, hint = f"the suite names an address that {ADDRESSES} does not allow", f"allowed: {', '.join(allowed)}"
    else:
        message = f"the suite names an address, and {ADDRESSES} allows only those of the command line"
    (issue,) = problem("suite-address", message, where=shown_address(address), hint=hint).issues
    return issue


def _begins(address: str, beginning: str) -> bool:
    """Whether an address is that one, or further along its path. The server and the way to it are the same, and no step leads up."""
    scheme, _, rest = address.partition("://")
    wanted, _, start = beginning.partition("://")
    server, _, path = rest.partition("/")
    host, _, way = start.partition("/")
    if (scheme.lower(), server.lower()) != (wanted.lower(), host.lower()) or "\\" in unquote(rest):
        return False
    if ".." in re.split(r"[/?#]", unquote(unquote(path))):
        return False
    way = way.rstrip("/")
    return not way or path == way or path.startswith(tuple(f"{way}{mark}" for mark in "/?#"))
