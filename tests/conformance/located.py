"""Paths a second time, short and slow: which paths a suite may name, and what they find.

Written apart from the package's own paths, so that the two can be held against each other. A path is read into segments,
each a function from one value to the values below it, with their places; None stands for a path that a suite must not name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tests.conformance.values import equal

Hit: TypeAlias = "tuple[tuple[str | int, ...], Any]"
Condition: TypeAlias = Callable[[Any], bool]
Segment: TypeAlias = Callable[[Any], "list[Hit]"]


@dataclass(frozen=True)
class Read:
    """A path that a suite may name. `several` says that it can find more than one value."""

    segments: tuple[Segment, ...]
    several: bool = False
    items: bool = False
    dotted: tuple[str, ...] = ()
    """The keys of a path that is nothing but names and dots: a key with dots in it may stand for several."""


NAME: Final = r"(?:[A-Za-z_]|[^\x00-\x7f\s])(?:[\w-]|[^\x00-\x7f\s])*"
QUOTED: Final = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
DOTTED: Final = re.compile(r"[^\s.\[\]*\\\"'](?:[^.\[\]*\\\"']*[^\s.\[\]*\\\"'])?")
BRACKET: Final = re.compile(rf"\[\s*(?:(?P<index>-?(?:0|[1-9]\d*))|(?P<quoted>{QUOTED})|(?P<every>\*))\s*\]", re.ASCII)
PLAIN: Final = re.compile(rf"\.(?P<name>{NAME})|\.(?P<wild>\*)|(?P<bracket>\[[^\]]*\])")
SLICE: Final = re.compile(r"\[\s*(-?\d+)?\s*:\s*(-?\d+)?\s*(?::\s*(-?\d+)?\s*)?\]", re.ASCII)
UNION: Final = re.compile(rf"\[\s*((?:-?\d+|{QUOTED})(?:\s*,\s*(?:-?\d+|{QUOTED}))+)\s*\]")
FILTER: Final = re.compile(rf"\[\?((?:[^\[\]'\"]|{QUOTED}|\[(?:\d+|{QUOTED})\])+)\]")
CLAIM: Final = re.compile(rf"@((?:\.{NAME}|\[(?:\d+|{QUOTED})\])*)\s*(?:(==|!=|<=|>=|<|>)\s*(.+))?")
LITERAL: Final = re.compile(rf"true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|{QUOTED}")


def read_path(path: object) -> Read | None:
    """The path in any of its three notations."""
    if isinstance(path, int) and not isinstance(path, bool):
        path = str(path)
    if not isinstance(path, str) or path != path.strip():
        return None
    if not path:
        return Read(())
    if path.startswith("$"):
        return _jsonpath(path[1:])
    return _pointer(path) if path.startswith("/") else _dots(path)


def find(path: Read, document: Any) -> dict[tuple[str | int, ...], Any]:
    """What the path finds, by place; nothing when it finds nothing."""
    if path.dotted:
        place = _dotted_place(document, path.dotted)
        return {} if place is None else {place: _at(document, place)}
    hits: list[Hit] = [((), document)]
    for segment in path.segments:
        hits = [((*place, *below), inner) for place, value in hits for below, inner in segment(value)]
    return dict(sorted(hits, key=lambda hit: [(isinstance(step, str), step) for step in hit[0]]))


def find_both(path: Read, expected: Any, output: Any) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """What the path finds on both sides: a dotted key is looked up on the expected side, and the output follows."""
    if path.dotted and (place := _dotted_place(expected, path.dotted)) is not None:
        there = _at(output, place)
        return {place: _at(expected, place)}, {} if there is _NOWHERE else {place: there}
    return find(path, expected), find(path, output)


_NOWHERE: Final = object()


def _at(document: Any, place: tuple[str | int, ...]) -> Any:
    for step in place:
        found = _step(step)(document)
        if not found:
            return _NOWHERE
        document = found[0][1]
    return document


def _step(step: str | int) -> Segment:
    """A key, or an index, which also stands for the key with those digits."""

    def take(value: Any) -> list[Hit]:
        if isinstance(value, dict) and str(step) in value:
            return [((str(step),), value[str(step)])]
        if isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            return [((step % len(value),), value[step])]
        return []

    return take


def _key(key: str) -> Segment:
    return lambda value: [((key,), value[key])] if isinstance(value, dict) and key in value else []


def _every(value: Any) -> list[Hit]:
    if isinstance(value, dict):
        return [((key,), inner) for key, inner in value.items()]
    return [((index,), inner) for index, inner in enumerate(value)] if isinstance(value, list) else []


def _index_or_key(text: str) -> str | int:
    return int(text) if re.fullmatch(r"0|[1-9][0-9]{0,14}", text) else text


def _dots(path: str) -> Read | None:
    parts = path.split(".")
    if all(map(DOTTED.fullmatch, parts)):
        return Read(tuple(_step(_index_or_key(part)) for part in parts), dotted=tuple(parts))
    segments: list[Segment] = []
    several, rest, first = False, path, True
    while rest:
        if bracket := BRACKET.match(rest):
            segments.append(_bracketed(bracket))
            several = several or bool(bracket["every"])
        elif name := re.match(r"[^.\[\]*\\\"'\s]+", rest if first else rest.removeprefix(".")):
            if not first and not rest.startswith("."):
                return None
            segments.append(_step(_index_or_key(name[0])))
            rest = rest if first else rest[1:]
            bracket = name
        else:
            return None
        rest, first = rest[bracket.end() :], False
    return Read(tuple(segments), several, several)


def _bracketed(bracket: re.Match[str]) -> Segment:
    if bracket["every"]:
        return _every
    return _step(int(bracket["index"])) if bracket["index"] else _key(_unquoted(bracket["quoted"]))


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _pointer(path: str) -> Read | None:
    if re.search("~(?![01])", path):
        return None
    tokens = [token.replace("~1", "/").replace("~0", "~") for token in path[1:].split("/")]
    return Read(tuple(_step(_index_or_key(token)) for token in tokens))


def _jsonpath(rest: str) -> Read | None:
    segments: list[Segment] = []
    several = items = False
    while rest:
        rest = rest.lstrip(" \t\r\n")
        if rest.startswith(".."):
            several = True
            segments.append(lambda value: list(walk(value)))
            rest = rest[2:] if rest[2:3] == "[" else rest[1:]
            continue
        match = SLICE.match(rest) or UNION.match(rest) or FILTER.match(rest)
        if match:
            selector = _selector(match)
            if selector is None:
                return None
            segments.append(selector)
            several = True
        elif (match := BRACKET.match(rest)) is not None:
            segments.append(_bracketed(match))
            items = items or bool(match["every"])
        elif (match := PLAIN.match(rest)) is not None and not match["bracket"]:
            segments.append(_every if match["wild"] else _key(match["name"]))
            items = items or bool(match["wild"])
        else:
            return None
        rest = rest[match.end() :]
    return Read(tuple(segments), several or items, items and not several)


def _selector(match: re.Match[str]) -> Segment | None:
    if match.re is SLICE:
        start, stop, step = (int(part) if part else None for part in match.groups())
        return lambda value: _every(value)[slice(start, stop, step)] if isinstance(value, list) else []
    if match.re is UNION:
        parts = re.findall(rf"-?\d+|{QUOTED}", match[1])
        steps = [_key(_unquoted(part)) if part[0] in "'\"" else _step(int(part)) for part in parts]
        return lambda value: [hit for step in steps for hit in step(value)]
    holds = _condition(match[1])
    return None if holds is None else lambda value: [(place, inner) for place, inner in _every(value) if holds(inner)]


def _condition(text: str) -> Condition | None:
    """The condition of a filter; None when it is not made of claims about `@`."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")") and ")" not in text[1:-1]:
        return _condition(text[1:-1])
    for word, together in (("||", any), ("&&", all)):
        if word in text:
            return _together([_condition(part) for part in text.split(word)], together)
    if text.startswith("!"):
        inner = _condition(text[1:])
        return None if inner is None else lambda value: not inner(value)
    claim = CLAIM.fullmatch(text)
    return _claim(claim[1], claim[2], claim[3]) if claim else None


def _together(parts: list[Condition | None], together: Callable[[list[bool]], bool]) -> Condition | None:
    known = [part for part in parts if part is not None]
    return None if len(known) < len(parts) else lambda value: together([part(value) for part in known])


def _claim(inner: str, operator: str | None, literal: str | None) -> Condition | None:
    path = _jsonpath(inner)
    if path is None or (literal is not None and not LITERAL.fullmatch(literal.strip())):
        return None

    def holds(value: Any) -> bool:
        found = list(find(path, value).values())
        if operator is None:
            return bool(found)
        wanted = _literal(str(literal))
        if operator in ("==", "!="):
            return (bool(found) and equal(found[0], wanted)) is (operator == "==")
        return bool(found) and _ordered(found[0], wanted, operator)

    return holds


def _literal(text: str) -> Any:
    text = text.strip()
    if text[0] in "'\"":
        return _unquoted(text)
    return {"true": True, "false": False, "null": None}[text] if text.isalpha() else float(text)


def _ordered(found: Any, wanted: Any, operator: str) -> bool:
    numbers = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in (found, wanted))
    if not numbers and not (isinstance(found, str) and isinstance(wanted, str)):
        return False
    return bool({"<": found < wanted, ">": found > wanted, "<=": found <= wanted, ">=": found >= wanted}[operator])


def _dotted_place(document: Any, parts: tuple[str, ...]) -> tuple[str | int, ...] | None:
    """Where a dotted path leads: at every level the longest key that is there wins."""
    if not parts:
        return ()
    for length in range(len(parts), 0, -1):
        key = ".".join(parts[:length])
        step: str | int = _index_or_key(key) if length == 1 else key
        found = _step(step)(document)
        if found and (rest := _dotted_place(found[0][1], parts[length:])) is not None:
            return (*found[0][0], *rest)
    return None


def walk(value: Any) -> Iterator[Hit]:
    """The value and everything below it, with places."""
    yield (), value
    for above, inner in _every(value):
        for place, found in walk(inner):
            yield (*above, *place), found
