"""What a model wrote while it thought, set aside before JSON is looked for.

Reasoning stands between tags: `<think>…</think>`. A closing tag without an opening one ends a reasoning that began with
the text, because some prompts open it themselves; an opening tag that is never closed begins one that goes on to the
end. A tag inside a JSON document is a text like any other.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

Span = tuple[int, int]

TAGS: Final = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad")
"""The names that are known, written `<name>` in capital or small letters; beside them stand [THINK] and ◁think▷."""

_tags: Final = re.compile(
    rf"<(?P<close>/)?(?P<name>(?i:{'|'.join(TAGS)}))(?:\s[^<>]*+)?>"
    r"|\[(?P<close2>/)?THINK\]"
    r"|◁(?P<close3>/)?think▷"
).finditer


class Tag(Struct, frozen=True):
    """One tag, and the characters that it covers."""

    name: str
    closes: bool
    start: int
    end: int


def tags_in(text: str) -> list[Tag]:
    """Every tag of a reasoning, from left to right."""
    if "<" not in text and "THINK]" not in text and "think▷" not in text:
        return []
    return [
        Tag((found["name"] or "think").lower(), any(found.group("close", "close2", "close3")), *found.span())
        for found in _tags(text)
    ]


def outside(tags: Sequence[Tag], documents: Iterable[Span]) -> list[Tag]:
    """The tags that do not stand inside one of the documents. Both are in the order of the text."""
    found, spans = [], iter(documents)
    start, end = next(spans, _NONE)
    for tag in tags:
        while end <= tag.start:
            start, end = next(spans, _NONE)
        if tag.start < start:
            found.append(tag)
    return found


def reasoning_in(tags: Sequence[Tag], length: int) -> list[Span]:
    """The stretches of a text that are reasoning, tags included, in order. `length` is that of the text."""
    found: list[Span] = []
    closings = _next_closings(tags)
    at = 0
    while at < len(tags):
        tag = tags[at]
        if tag.closes:
            found = [(0, tag.end)]
            at += 1
            continue
        closing = closings[at]
        if closing is None:
            return [*found, (tag.start, length)]
        found.append((tag.start, tags[closing].end))
        at = closing + 1
    return found


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with these stretches turned into spaces, so that places stay what they were."""
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*parts, text[at:]])


def _next_closings(tags: Sequence[Tag]) -> list[int | None]:
    """For each tag, the closing one that ends it: the next of its name, else the next of any name."""
    by_name: dict[str, int] = {}
    following: int | None = None
    found: list[int | None] = []
    for at in range(len(tags) - 1, -1, -1):
        tag = tags[at]
        found.append(by_name.get(tag.name, following))
        if tag.closes:
            by_name[tag.name] = following = at
    return found[::-1]


_NONE: Final = (sys.maxsize, sys.maxsize)
