"""What evaluators that compare an output with an expected text share: the columns, what is forgiven, labels, suggestions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Struct
from pydantic import AliasChoices, BeforeValidator, Field

from evaluators.model.settings import Name, bad, spell
from evaluators.scoring.values.json_text import BLANKS, BOM

ExpectedColumn: TypeAlias = Annotated[Name | None, Field(validation_alias=AliasChoices("expected", "correct_answer_key"))]
"""The column with the expected answer; None for the test set's own."""

MOST_LISTED: Final = 200
"""Labels that a suite may list."""
_WRITE_LABELS: Final = "write labels: [refund, billing]"


# What is forgiven

Forgiven: TypeAlias = Literal["case", "spaces", "final_punctuation", "underscores"]
"""Upper and lower case; how many spaces or line breaks there are; punctuation at the end; `_` and `-` for a space."""

_AT_THE_END: Final = ".,;:!?\u2026\u3002" + BLANKS.removeprefix(BOM)
FORGIVING: Final[Mapping[Forgiven, Callable[[str], str]]] = {
    "case": str.casefold,
    "spaces": lambda text: " ".join(text.split()),
    "final_punctuation": lambda text: text.rstrip(_AT_THE_END),
    "underscores": lambda text: " ".join(text.replace("_", " ").replace("-", " ").split()),
}


def forgiving_reader(forgiven: Iterable[Forgiven]) -> Callable[[str], str]:
    """A function that gives a text without the differences in `forgiven`: texts that differ in nothing else become equal."""
    steps = [FORGIVING[name] for name in FORGIVING if name in set(forgiven)]

    def read(text: str) -> str:
        """The text after each step that sets a difference aside."""
        for step in steps:
            text = step(text)
        return text

    return read


# Labels: expected answers that are a few words which come again


class LabelRule(Struct, frozen=True):
    """The rule by which an evaluator's rows are counted by label."""

    labels: tuple[str, ...] | None
    """The labels that the suite lists; None where they are found out."""
    read: Callable[[str], str] = str
    """What a text is as a label: two texts that the evaluator takes for the same are the same label."""
    other: bool = False
    """Expected answers that are none of the listed labels are meant."""


def _read_labels(value: object) -> object:
    """The labels of a setting: texts that are all different, `off`, or None. Refuses any other value."""
    if value is None:
        return None
    if value == "off" or value is False:
        return "off"
    if not isinstance(value, (list, tuple)):
        raise bad(f'"labels" must be a list of texts, or off; found {spell(value)}', hint=_WRITE_LABELS)
    if not value:
        raise bad('"labels": the list is empty', hint=_WRITE_LABELS)
    for item in value:
        if not isinstance(item, str) or not item.strip():
            raise bad(f'"labels": every label must be text; found {spell(item)}', hint=_WRITE_LABELS)
    if len(set(value)) != len(value):
        raise bad('"labels": a label is there twice', hint="leave one of them out")
    if len(value) > MOST_LISTED:
        raise bad(f'"labels" has {len(value):,} labels, and there may be {MOST_LISTED}')
    return tuple(value)


Labels: TypeAlias = Annotated[
    tuple[str, ...] | Literal["off"] | None,
    BeforeValidator(_read_labels, json_schema_input_type=list[str] | Literal["off", False] | None),
]
"""The labels, in the order in which tables show them; `off`; or None, where they are found out."""


def label_rule(labels: Any, read: Callable[[str], str] = str, other: bool = False) -> LabelRule | None:
    """The rule by the setting `labels`; None where it is `off`. `read` is what a text is as a label; for `other` see `LabelRule`."""
    if labels == "off":
        return None
    return LabelRule(None if labels is None else tuple(dict.fromkeys(map(read, labels))), read, other)


# Suggestions


class TextChange(Struct, frozen=True):
    """One change to an evaluator, for its suggestions."""

    switch: str
    """What changes: `forgive: [case]`."""
    type: str
    settings: Mapping[str, Any]
    """What to write: EXPECTED stands for the column of the expected texts."""
    says: str = ""
    """What else becomes of outputs."""


EXPECTED: Final = "EXPECTED"


def text_changes(forgiven: Sequence[Forgiven], settings: Mapping[str, Any]) -> list[TextChange]:
    """The further differences that `exact_match` could forgive: each alone, then all, then text around the answer. `settings` are its
    other settings, as the suite writes them."""
    changes = [_forgiving_change([*forgiven, name], settings) for name in FORGIVING if name not in forgiven]
    if len(changes) > 1:
        changes.append(_forgiving_change([*FORGIVING], settings))
    output = {"output": settings["output"]} if "output" in settings else {}
    around = TextChange(
        "contains", "contains", {**output, "substring": {"column": EXPECTED}, "case_sensitive": False, "whole_words": True},
        "the answer is inside more text; an output that also names another answer would pass",
    )  # fmt: skip
    return [*changes, around]


def _forgiving_change(forgiven: Sequence[Forgiven], settings: Mapping[str, Any]) -> TextChange:
    """The change that writes `forgive:` with these differences into `exact_match`, beside its other settings."""
    names = [name for name in FORGIVING if name in forgiven]
    return TextChange(f"forgive: [{', '.join(names)}]", "exact_match", {**settings, "forgive": names})
