"""What a text evaluator may forgive, one thing at a time, and what its near misses are made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from evaluators.value_class import NamedTuple

Forgiven: TypeAlias = Literal["case", "spaces", "final_punctuation", "underscores"]
"""Upper and lower case; how many spaces or line breaks there are; punctuation at the end; `_` and `-` for a space."""

_END: Final = re.compile(r"[\s.,;:!?\u2026\u3002]+\Z")
_WORD_JOINS: Final = re.compile(r"[\s_-]+")


def _without_end(text: str) -> str:
    return _END.sub("", text)


def _in_words(text: str) -> str:
    return _WORD_JOINS.sub(" ", text).strip()


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


FORGIVING: Final[Mapping[Forgiven, Callable[[str], str]]] = {
    "case": str.casefold,
    "spaces": _in_one_line,
    "final_punctuation": _without_end,
    "underscores": _in_words,
}


def reading(forgiven: Iterable[Forgiven]) -> Callable[[str], str]:
    """What a text is once so much of it is forgiven: two texts that become the same are the same."""
    steps = [FORGIVING[name] for name in FORGIVING if name in set(forgiven)]

    def read(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return read


class TextChange(NamedTuple):
    """One change to an evaluator, for its near misses."""

    switch: str
    """What changes: `forgive: [case]`."""
    write: str
    """The line to write."""
    matches: Callable[[str, str], bool]
    """Whether an expected text and an output would then be the same."""
    says: str = ""
    """What else becomes of outputs."""


def text_changes(forgiven: Sequence[Forgiven]) -> list[TextChange]:
    """What `exact_match` could forgive beside what it forgives already: each thing alone, then all, then text around the answer."""
    found = [_change([*forgiven, name]) for name in FORGIVING if name not in forgiven]
    every = _change([*FORGIVING])
    apart = reading(FORGIVING)

    def stands_in(expected: str, output: str) -> bool:
        wanted = apart(expected)
        return wanted != "" and _stands_apart(wanted, apart(output))

    around = TextChange(
        "contains", "contains: {substring: {column: EXPECTED}, case_sensitive: false}", stands_in,
        "the answer is inside more text; an output that also names another answer would pass",
    )  # fmt: skip
    return [*found, *([every] if len(found) > 1 else []), around]


def _stands_apart(wanted: str, text: str) -> bool:
    """Whether a text stands in another one without a letter or a digit right before or after it."""
    start = text.find(wanted)
    while start >= 0:
        around = text[start - 1 : start] if start else "", text[start + len(wanted) : start + len(wanted) + 1]
        if not any(letter.isalnum() or letter == "_" for letter in around):
            return True
        start = text.find(wanted, start + 1)
    return False


def _change(forgiven: Sequence[Forgiven]) -> TextChange:
    read = reading(forgiven)
    named = ", ".join(name for name in FORGIVING if name in forgiven)
    return TextChange(
        f"forgive: [{named}]",
        f"exact_match: {{forgive: [{named}]}}",
        lambda expected, output: read(expected) == read(output),
    )
