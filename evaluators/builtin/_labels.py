"""Labels: what an evaluator that compares texts says of its expected answers, where they are a few words that come again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator

from evaluators.settings import bad, spell
from evaluators.value_class import NamedTuple

MOST_LISTED: Final = 200


class LabelRule(NamedTuple):
    """How an evaluator's rows are counted by label."""

    labels: tuple[str, ...] | None
    """The labels that the suite lists; None where they are found out."""
    read: Callable[[str], str] = str
    """What a text is as a label: two texts that the evaluator takes for the same are the same label."""
    other: bool = False
    """Expected answers that are none of the listed labels are meant."""


def _read_labels(value: object) -> object:
    if value is None or value == "off" or value is False:
        return "off" if value is not None else None
    if isinstance(value, (list, tuple)):
        wrong = next((item for item in value if not isinstance(item, str) or not item.strip()), None)
        if wrong is not None or not value:
            said = "the list is empty" if not value else f"every label must be text; found {spell(wrong)}"
            raise bad(f'"labels": {said}', hint="write labels: [refund, billing]")
        if len(set(value)) != len(value):
            raise bad('"labels": a label is there twice', hint="leave one of them out")
        if len(value) > MOST_LISTED:
            raise bad(f'"labels" has {len(value):,} labels, and there may be {MOST_LISTED}')
        return tuple(value)
    raise bad(f'"labels" must be a list of texts, or off; found {spell(value)}', hint="write labels: [refund, billing]")


Labels: TypeAlias = Annotated[
    tuple[str, ...] | Literal["off"] | None,
    BeforeValidator(_read_labels, json_schema_input_type=list[str] | Literal["off", False] | None),
]
"""The labels, in the order in which tables show them; `off`; or None, where they are found out."""


def label_rule(labels: Any, read: Callable[[str], str] = str, other: bool = False) -> LabelRule | None:
    """The rule of a setting; None where it is off."""
    if labels == "off":
        return None
    return LabelRule(None if labels is None else tuple(dict.fromkeys(map(read, labels))), read, other)
