"""What was asked once and is not asked again: answers of functions that a user wrote, kept while rows are at hand.

A function may cost money, and may answer otherwise the next time. Its score, its reason, and everything that is recorded of
a row must come from one answer. So answers are kept for a chunk of rows (or for as long as a caller keeps them), by what was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

from evaluators.values.json_text import compact

Found = TypeVar("Found")
Kept: TypeAlias = MutableMapping[Hashable, Any]

_kept: ContextVar[Kept | None] = ContextVar("kept", default=None)


@contextmanager
def keeping(answers: Kept | None = None) -> Iterator[None]:
    """Answers are kept inside; in `answers`, or until the end. Inside another one, the outer one keeps them."""
    if _kept.get() is not None:
        yield
        return
    token = _kept.set({} if answers is None else answers)
    try:
        yield
    finally:
        _kept.reset(token)


def kept_now() -> Kept | None:
    """Where answers are kept at present; None where they are not."""
    return _kept.get()


def once(key: Hashable, ask: Callable[[], Found], about: object = None) -> Found:
    """What `ask` gives, asked once for each key while answers are kept. An exception is an answer, too.

    `about` lives as long as the answer: what a key by identity speaks of.
    """
    kept = _kept.get()
    if kept is None:
        return ask()
    if key not in kept:
        try:
            kept[key] = ask(), None, about
        except Exception as raised:  # raised again for whoever asks the same
            kept[key] = None, raised, about
    found, error, _ = kept[key]
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
