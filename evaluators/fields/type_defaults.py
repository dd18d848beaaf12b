"""The comparator that a JSON type gets when a schema names none.

What a program chooses holds where it was chosen: in its thread, task or `with` block. Another thread, or a library that
is called, does not see it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType, TracebackType
from typing import Any, Final

from evaluators.fields.metrics import resolve_metric
from evaluators.fields.named_comparators import NeedsJudge
from evaluators.fields.schema_types import DEFAULTED
from evaluators.issues import problem
from evaluators.registry import suggestion
from evaluators.settings import BadSettings, bad, spell, word_or_map

BUILT_IN: Final[Mapping[str, Any]] = MappingProxyType(
    {"string": "exact", "number": "numeric", "integer": "numeric", "boolean": "exact"}
)
OTHERWISE: Final = "exact"
"""What every other type gets."""

_chosen: ContextVar[Mapping[str, Any]] = ContextVar("type_defaults", default=BUILT_IN)


class TypeDefault:
    """A default that was just set. As a `with` block it ends with the block."""

    def __init__(self, before: Mapping[str, Any]) -> None:
        self._before = before

    def __enter__(self) -> TypeDefault:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _chosen.set(self._before)


def type_defaults() -> Mapping[str, Any]:
    """The comparator of each JSON type that has one of its own, as it is written."""
    return _chosen.get()


def set_type_default(json_type: str, comparator: object) -> TypeDefault:
    """Let fields of a JSON type be compared with a comparator, a word or a one-key map, when they name none.

    The type `multi` is that of fields which may have several types. The default holds in this thread or task until
    `reset_type_defaults`, or for one `with` block. Raises Problems (config) for a type that is not known, and for options
    that the comparator does not take. A comparator may be registered later, or need a judge: whether it is there is known
    when a schema is read.
    """
    if not isinstance(json_type, str) or not json_type:
        raise problem("bad-type-default", f"a JSON type is text, such as string; found {spell(json_type)}")
    if json_type not in DEFAULTED:
        hint = suggestion(json_type, DEFAULTED) or f"known: {', '.join(DEFAULTED)}"
        raise problem("bad-type-default", f'"{json_type}" is not a JSON type', hint=hint)
    try:
        read_entry(comparator, "comparator")
        resolve_metric(comparator, {}, json_type)
    except BadSettings as error:
        detail = next(
            (one for one in error.details if one.code != "unknown-name" and not isinstance(one, NeedsJudge)), None
        )
        if detail is not None:
            raise problem("bad-type-default", detail.message, hint=detail.hint) from error
    before = _chosen.get()
    _chosen.set(MappingProxyType({**before, json_type: comparator}))
    return TypeDefault(before)


def reset_type_defaults() -> None:
    """Back to the defaults that the package comes with."""
    _chosen.set(BUILT_IN)


def read_entry(entry: object, noun: str) -> tuple[str, dict[str, Any]]:
    """The name and the options of a word or a one-key map. Raises BadSettings."""
    name, options = word_or_map(entry, noun)
    if not name:
        raise bad(f"the name of a {noun} is empty")
    return name, options
