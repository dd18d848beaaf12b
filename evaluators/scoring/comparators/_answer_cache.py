"""Answers of functions that a user wrote, of comparators that cost, and of judges, cached while rows are at hand.

A function may cost money, and may answer otherwise the next time. Its score, its reason, and everything that is recorded of
a row must come from one answer. So answers are cached for a chunk of rows (or for as long as a caller wants), by what was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, field

from evaluators.scoring.values.json_text import compact

Value = TypeVar("Value")


class CallKey(NamedTuple):
    """The key of a call: the function and its arguments."""

    purpose: str
    """`compare`, `reason`, `readable`, `transform` or `row`."""
    function: Hashable
    """The identity of the comparator, the transform or the scoring."""
    first: Hashable
    second: Hashable = None
    """The values that it was called with, as `value_key` gives them."""


class AskerAnswers(Struct):
    """The answers of one comparator that costs, or of one judge, by the keys of its questions."""

    answers: dict[Hashable, Any] = field(default_factory=dict)
    failed_requests: dict[tuple[Hashable, ...], dict[Hashable, Any]] = field(default_factory=dict)
    """The problem of each question of a request that failed as a whole, by the keys of the request."""
    pairs: dict[Hashable, Any] = field(default_factory=dict)
    """What a comparator that asks a judge makes of a pair of values: its comparison, or the question for the judge."""


class _Call(Struct, frozen=True):
    """A finished call: the value that the function returned, or the error that it raised."""

    value: Any
    error: Exception | None
    owner: object
    """Lives as long as the call: the key may be its address in memory."""


class AnswerCache:
    """The answers that are cached while rows are at hand."""

    def __init__(self) -> None:
        self._calls: dict[CallKey, _Call] = {}
        self._askers: dict[Hashable, AskerAnswers] = {}

    def result_of(self, key: CallKey, function: Callable[[], Value], owner: object) -> Value:
        """The value of `function`, which is called the first time that a key is asked for; then the value is cached. An exception that
        it raises is cached, too, and raised again.

        `owner` is kept alive with it.
        """
        call = self._calls.get(key)
        if call is None:
            try:
                call = _Call(function(), None, owner)
            except Exception as error:  # raised again for whoever asks the same
                call = _Call(None, error, owner)
            self._calls[key] = call
        if call.error is not None:
            raise call.error
        value: Value = call.value
        return value

    def answers_of(self, identity: Hashable) -> AskerAnswers:
        """The answers of one comparator or judge, by its `identity`; an empty record is added the first time."""
        return self._askers.setdefault(identity, AskerAnswers())


# ambient: `compare`, which a user may write, takes two values and nothing else; a comparator that asks it is compiled once for all rows
_current: ContextVar[AnswerCache | None] = ContextVar("answer_cache", default=None)


@contextmanager
def cache_in_force() -> Iterator[None]:
    """Within the `with` block, answers are cached, see `current_cache`. A block inside another one shares its cache."""
    if _current.get() is not None:
        yield
        return
    token = _current.set(AnswerCache())
    try:
        yield
    finally:
        _current.reset(token)


def current_cache() -> AnswerCache | None:
    """The cache of the `cache_in_force` block that is running; None outside of one."""
    return _current.get()


def cached_result(key: CallKey, function: Callable[[], Value], owner: object = None) -> Value:
    """The value of `function`; within `cache_in_force` it is called once for each key.

    `owner` is kept alive as long as the answer: needed where the key is its address in memory.
    """
    cache = _current.get()
    return function() if cache is None else cache.result_of(key, function, owner)


def value_key(value: Any) -> Hashable:
    """A key that only equal JSON values share: those of 1, 1.0 and true differ."""
    try:
        return compact(value)
    except (TypeError, ValueError, RecursionError):  # no JSON: what a transform made of it
        return type(value), repr(value)
