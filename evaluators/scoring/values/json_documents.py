"""JSON documents in what a model wrote: found, never repaired.

Strategy. The whole text comes first, then Markdown fences, then whatever prose surrounds. Each step hands msgspec slices that
do not overlap, and the reader resumes where it failed: time grows with the length of the text alone.

What a model wrote while it thought, set aside before JSON is looked for.

Reasoning stands between tags: `<think>…</think>`. A closing tag without an opening one ends a reasoning that began with
the text, because some prompts open it themselves; an opening tag that is never closed begins one that goes on to the
end. A tag inside a JSON document is a text like any other.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Final, Literal

from msgspec import Struct

from evaluators.model.limits import limits_here
from evaluators.model.rows import JSON
from evaluators.scoring.values.json_reader import NotJSON, ReadValue, read
from evaluators.scoring.values.json_text import BLANKS, REFUSED, PlaceReader, as_str, decode

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
    """Every tag around a model's reasoning, such as <think>, from left to right."""
    if "<" not in text and "THINK]" not in text and "think▷" not in text:
        return []
    return [
        Tag((tag["name"] or "think").lower(), any(tag.group("close", "close2", "close3")), *tag.span())
        for tag in _tags(text)
    ]


def tags_outside(tags: Sequence[Tag], documents: Iterable[Span]) -> list[Tag]:
    """The tags that do not stand inside one of the documents. Both are in the order of the text."""
    outside, spans = [], iter(documents)
    start, end = next(spans, _PAST_THE_END)
    for tag in tags:
        while end <= tag.start:
            start, end = next(spans, _PAST_THE_END)
        if tag.start < start:
            outside.append(tag)
    return outside


def reasoning_in(tags: Sequence[Tag], length: int) -> list[Span]:
    """The stretches of a text that are reasoning, tags included, in order. `length` is that of the text. Before a closing tag that nothing
    opens, all is reasoning, and after an opening tag that nothing closes, all that follows."""
    spans: list[Span] = []
    closings = _next_closings(tags)
    at = 0
    while at < len(tags):
        tag = tags[at]
        if tag.closes:
            spans = [(0, tag.end)]
            at += 1
            continue
        closing = closings[at]
        if closing is None:
            return [*spans, (tag.start, length)]
        spans.append((tag.start, tags[closing].end))
        at = closing + 1
    return spans


def blank_out(text: str, spans: Iterable[Span]) -> str:
    """The text with spaces in place of the stretches `spans`, so that positions stay what they were."""
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*parts, text[at:]])


def _next_closings(tags: Sequence[Tag]) -> list[int | None]:
    """For each tag, the index of the closing tag that ends it: the next of its name, else the next of any name; None where no closing tag
    follows."""
    by_name: dict[str, int] = {}
    following: int | None = None
    closings: list[int | None] = []
    for at in range(len(tags) - 1, -1, -1):
        tag = tags[at]
        closings.append(by_name.get(tag.name, following))
        if tag.closes:
            by_name[tag.name] = following = at
    return closings[::-1]


_PAST_THE_END: Final = (sys.maxsize, sys.maxsize)


class Found(Struct, frozen=True):
    """A value, how it was found, and the characters it covers: `parse(text[start:end])` gives it again."""

    value: JSON
    how: Literal["whole", "fence", "embedded"]
    start: int
    end: int


class FoundDocuments(Struct, frozen=True):
    """Every JSON document of a text, in order. `text` is what was searched: reasoning is blanks there."""

    text: str
    found: tuple[Found, ...]
    problem: NotJSON | None = None
    """Why the most promising place failed, where nothing was found."""
    reasoning: bool = False
    """Some of the text was reasoning, and set aside."""
    whole: bool = False
    """The one document is all that there is, or all that the only code fence holds: it is not searched further."""


_STARTS: Final = re.compile(r"[\[{]")
_OBJECT_STARTS: Final = re.compile(r"\{")
_skip_blanks: Final = re.compile(f"[{re.escape(BLANKS)}]*+").match
_VALUE_STARTS: Final = tuple('{["-0123456789tfn')
_more_before: Final = re.compile(r"[{\[<◁]").search
_more_after: Final = re.compile(r"[{\[<◁]|```|~~~").search
"""What may begin another document, a reasoning or a fence, before and after the one that was found."""
_place: Final = itemgetter(0)
_NO_PROSE: Final = frozenset((*BLANKS, *_VALUE_STARTS))
_USUAL_FENCE: Final = "```json\n{"

_opening: Final = re.compile(
    r"(([`~])\2\2)\2*+[ \t]*+"  # three or more of one mark
    r"(?:[A-Za-z][\w+.#-]*+(?:[ \t][^\n`~{\[]*+(?=\n))?)?"  # perhaps a word such as json, perhaps the rest of its line
).search


def documents(text: str) -> FoundDocuments:
    """Every JSON document of a text that may hold more, from left to right, never one inside another.

    A text that is JSON as a whole is its only document, whatever stands inside. Otherwise reasoning is set aside by its
    tags, and what is left may be JSON as a whole; else it is searched: a code fence may hold any JSON, prose holds objects
    and lists. A document that is cut off, or that we refuse, does not count. Blanks and a byte order mark around the text
    do not matter.

    Raises NotJSON when the text is empty, too long, or nothing but reasoning, and when it is as a whole a document that
    is cut off or refused.
    """
    text = as_str(text).rstrip(BLANKS)  # positions stay what they were
    if not text:
        raise NotJSON("the text is empty")
    fenced = _usual_fence(text)
    if fenced:
        return FoundDocuments(text, (fenced,), whole=True)
    whole = _whole_document(text)
    if whole is not None:
        return FoundDocuments(text, (whole,), whole=True)
    rest = _without_reasoning(text)
    if rest is text:
        return FoundDocuments(text, *_find_documents(text))
    whole = _whole_document(rest)
    if whole is not None:
        return FoundDocuments(rest, (Found(whole.value, "embedded", whole.start, whole.end),), reasoning=True, whole=True)
    return FoundDocuments(rest, *_find_documents(rest), reasoning=True)


def objects_inside(text: str) -> list[Found]:
    """The objects in prose, whether they stand in lists or not, from left to right."""
    readings = _readings(text, {}, [], _OBJECT_STARTS)
    return [Found(reading.value, "embedded", at, reading.end) for at, reading in readings if reading.refusal is None]


def _whole_document(text: str) -> Found | None:
    """The text, which is not empty and ends without blanks, as one value; None when it is more than that, or something else.

    Raises NotJSON when it is a value that we refuse, or an object or array that is cut off.
    """
    start = len(text) - len(text.lstrip(BLANKS))
    if text[start] not in _VALUE_STARTS:
        return None
    try:
        reading = PlaceReader(text).read(start)
    except NotJSON as problem:
        if problem.truncated and text[start] in "{[":
            raise
        return None
    return Found(reading.usable, "whole", start, len(text)) if reading.end == len(text) else None


def _without_reasoning(text: str) -> str:
    """The text with blanks in place of reasoning; the very same text where there is none. Raises NotJSON where there is nothing else."""
    tags = tags_in(text)
    if tags:
        spans = [(at, reading.end) for at, reading in _readings(text, {}, [])]
        tags = tags_outside(tags, spans)
    if not tags:
        return text
    rest = blank_out(text, reasoning_in(tags, len(text))).rstrip(BLANKS)
    if not rest:
        raise NotJSON("the text is nothing but reasoning")
    return rest


def _decode_document(text: str) -> JSON:
    """The value of a text that is JSON, as deep as documents may be. Raises one of REFUSED."""
    return decode(text, limits_here().depth)


def _usual_fence(text: str) -> Found | None:
    """The object of a text in the form that models mostly answer in: one code fence, perhaps in plain prose. None for all other
    texts.

    It is looked for first, because this is much faster than a search.
    """
    if text[0] in _NO_PROSE:  # it may be JSON as a whole
        return None
    fence = text.find("```")
    start = fence + len(_USUAL_FENCE) - 1
    if fence < 0 or not text.startswith(_USUAL_FENCE, fence) or text.find("~~~", 0, fence) >= 0:
        return None
    end = text.find("```", start)
    content = text[start : len(text) if end < 0 else end].rstrip(BLANKS)
    if (fence and _more_before(text, 0, fence)) or (0 <= end < len(text) - 3 and _more_after(text, end + 3)):
        return None
    try:
        value = _decode_document(content)
    except REFUSED:
        return None
    return Found(value, "fence", start, start + len(content))


def _find_documents(text: str) -> tuple[tuple[Found, ...], NotJSON | None]:
    """The documents in the fences and in the prose of a text, in order, and None; or no documents, and the error that says why, if any."""
    fences = dict(_fences(text))
    single = None if fences else _read_between_brackets(text)
    if single:
        at, reading = single
        return (Found(reading.value, "embedded", at, reading.end),), None
    mistakes: list[tuple[int, NotJSON]] = []
    readings = list(_readings(text, fences, mistakes))
    if fences.keys() - {at for at, _ in readings}:
        readings = _merge_readings(readings, fences)
    documents = tuple(
        Found(reading.value, "fence" if at in fences else "embedded", at, reading.end)
        for at, reading in readings
        if reading.refusal is None
    )
    if documents:
        return documents, None
    refusal = next((reading.refusal for _, reading in readings if reading.refusal is not None), None)
    return (), refusal or (mistakes[-1][1] if mistakes else None)


def _merge_readings(readings: list[tuple[int, ReadValue]], fences: dict[int, ReadValue]) -> list[tuple[int, ReadValue]]:
    """The values of prose and of fences in order, by where they begin. One that begins inside another is a part of it, and is
    left out."""
    merged: list[tuple[int, ReadValue]] = []
    end = 0
    for at, reading in sorted({**dict(readings), **fences}.items(), key=_place):
        if at >= end:
            merged.append((at, reading))
            end = reading.end
    return merged


def _fences(text: str) -> Iterator[tuple[int, ReadValue]]:
    """Each fence whose content is JSON: where the value starts, and the value. A last fence may lack its end."""
    # two plain searches cost less than the pattern, and most texts have no fence
    pos = min((at for at in (text.find("```"), text.find("~~~")) if at >= 0), default=len(text))
    while opening := _opening(text, pos):
        mark, start = opening[1], _after_blanks(text, opening.end())
        reading, pos = _read_fence(text, start, mark)
        if reading:
            yield start, reading
        pos = _after_fence(text, pos, mark)


def _read_fence(text: str, start: int, mark: str) -> tuple[ReadValue | None, int]:
    """(value, place): the JSON value at `start`, right behind the opening of a fence, and the place from which on its closing `mark` is
    looked for. The value is None where the fence does not hold JSON alone."""
    end = text.find(mark, start)
    content = text[start : len(text) if end < 0 else end].rstrip(BLANKS)
    stop = start + len(content)
    try:
        return ReadValue(_decode_document(content), stop), stop
    except REFUSED:
        pass
    if not content.startswith(_VALUE_STARTS):
        return None, stop
    try:
        reading = read(text, start, limits_here().depth)  # beyond the first mark, which may stand inside quotes
    except NotJSON as problem:
        return None, max(stop, problem.position or 0)
    after = _after_blanks(text, reading.end)
    closed = after == len(text) or text.startswith(mark, after)
    return reading if closed else None, max(stop, reading.end)


def _after_fence(text: str, pos: int, mark: str) -> int:
    """The place where the next fence may open. A mark with a word right behind it does not close a fence, but opens one."""
    closing = text.find(mark, pos)
    if closing < 0:
        return len(text)
    end = closing + len(mark)
    while text.startswith(mark[0], end):
        end += 1
    return closing if text[end : end + 1].isalpha() else end


def _after_blanks(text: str, pos: int) -> int:
    """The position of the next character from `pos` on that is not blank."""
    match = _skip_blanks(text, pos)
    return match.end() if match else pos


def _readings(
    text: str, known: Mapping[int, ReadValue], mistakes: list[tuple[int, NotJSON]], starts: re.Pattern[str] = _STARTS
) -> Iterator[tuple[int, ReadValue]]:
    """Yields (place, reading) for each value in the prose, where it starts and what was read; those that are `known`, by place, are not
    read again. `starts` is the pattern of where a value may start.

    A place that fails is passed over up to where it failed; a value that the text cuts off ends the search. What failed
    is kept in `mistakes`, the most promising last.
    """
    pos, places = 0, PlaceReader(text)
    while start := starts.search(text, pos):
        at = start.start()
        try:
            reading = known.get(at) or places.read(at)
        except NotJSON as problem:
            pos = problem.position or 0
            if problem.truncated or not mistakes or pos - at > mistakes[-1][0]:
                mistakes.append((pos - at, problem.again()))
        else:
            pos = reading.end
            yield at, reading


def _read_between_brackets(text: str) -> tuple[int, ReadValue] | None:
    """The JSON value between the first bracket and the last one, with where it begins; None unless that is a single value. The fast way."""
    start = _STARTS.search(text)
    end = 1 + max(text.rfind("]"), text.rfind("}"))
    if start is None or end <= start.start():
        return None
    try:
        return start.start(), ReadValue(_decode_document(text[start.start() : end]), end)
    except REFUSED:
        return None
