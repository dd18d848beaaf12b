"""Answers of functions that a user wrote, cached while rows are at hand.

A function may cost money, and may answer otherwise the next time. Its score, its reason, and everything that is recorded of
a row must come from one answer. So answers are cached for a chunk of rows (or for as long as a caller wants), by what was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

from evaluators.values.json_text import compact

Found = TypeVar("Found")
Cache: TypeAlias = MutableMapping[Hashable, Any]

_current: ContextVar[Cache | None] = ContextVar("cache", default=None)


@contextmanager
def caching() -> Iterator[None]:
    """Answers are cached inside, as long as it goes. Inside another one, the outer one is used."""
    if _current.get() is not None:
        yield
        return
    token = _current.set({})
    try:
        yield
    finally:
        _current.reset(token)


def current_cache() -> Cache | None:
    """Where answers are cached at present; None where they are not."""
    return _current.get()


def cached(key: Hashable, ask: Callable[[], Found], about: object = None) -> Found:
    """What `ask` gives, asked once for each key while answers are cached. An exception is an answer, too.

    `about` lives as long as the answer: what a key by identity speaks of.
    """
    cache = _current.get()
    if cache is None:
        return ask()
    if key not in cache:
        try:
            cache[key] = ask(), None, about
        except Exception as raised:  # raised again for whoever asks the same
            cache[key] = None, raised, about
    found, error, _ = cache[key]
    if error is not None:
        raise error
    answer: Found = found
    return answer


def value_key(value: Any) -> Hashable:
    """Values that are told apart have different keys: 1, 1.0 and true are three."""
    try:
        return compact(value)
    except (TypeError, ValueError, RecursionError):  # no JSON: what a transform made of it
        return type(value), repr(value)
