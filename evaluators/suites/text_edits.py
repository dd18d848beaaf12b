"""A value of a suite written into its text: everything that is not changed stays to the letter, comments, order and blank lines too.

Strategy: the library says where each value begins and ends, and the new value takes the place of the old one, on one line, as `flow_text`
spells it. A comment inside of what goes away stands above the line afterwards. What comes out is read by the one reader: where it does
not say what was meant, as where an anchor is shared, nothing is changed and that is a problem.

Tried before: the round trip of ruamel.yaml. Of 600 single replacements in the suites of `configs` 48 lost a comment, since it hangs
comments on the value before them; and a file that is indented in another way comes back indented anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any, Final, TypeAlias

from evaluators.model.issues import Problems, problem
from evaluators.model.settings import Loc
from evaluators.scoring.values.quoting import flow_text, key_text
from evaluators.suites.nodes import SuiteInput, place_text
from evaluators.suites.python_data import written_data
from evaluators.suites.source import any_tree, marked_nodes

_COMMENT: Final = re.compile(r"(?:(?<=[ \t])|^)#[^\r\n]*", re.MULTILINE)
_ALIAS: Final = re.compile(r"\s*:\s+\*[^\s,\[\]{}]+")
_BLANK_LINE: Final = re.compile(r"(?:\r\n|\n|\r(?!\n))[ \t]*[\r\n]")
_LINE_END: Final = re.compile(r"\r\n|\r|\n|\Z")
_Node: TypeAlias = Any
"""A node of the library, with `start_mark` and `end_mark`."""


def with_value(text: str, loc: Loc, value: Any) -> str:
    """The text with another value at a place, or with a new one where there was none: at the end of its map or list.

    Raises Problems (config) where the text cannot be read, and where the place cannot be changed alone.
    """
    mark, own = _split_mark(text)
    data = data_of(own)
    wanted = deepcopy(data) if data is not None else {}
    _set_value(wanted, loc, value)
    return mark + _check_change(own, _set_in_text(own, marked_nodes(own), loc, value), loc, wanted)


def without(text: str, loc: Loc) -> str:
    """The text without the value at a place and its key. A map or list that would be empty goes, too. Raises Problems as `with_value`."""
    mark, own = _split_mark(text)
    wanted = data_of(own)
    if not _is_there(wanted, loc):
        raise problem("not-there", f"there is no {place_text(loc)}", hint="read the suite again")
    while len(loc) > 1 and len(_value_at(wanted, loc[:-1])) == 1:
        loc = loc[:-1]
    del _value_at(wanted, loc[:-1])[loc[-1]]
    return mark + _check_change(own, _remove_entry(own, marked_nodes(own), loc), loc, wanted)


def data_of(text: str) -> Any:
    """The plain data of a text, with `${NAME}` as it stands. Raises Problems (config) where it cannot be read."""
    return written_data(any_tree(SuiteInput("suite.yaml", text.removeprefix("\ufeff"))))


def _split_mark(text: str) -> tuple[str, str]:
    """(mark, rest): the byte order mark with which a text begins, or an empty text, and the text without it."""
    own = text.removeprefix("\ufeff")
    return text[: len(text) - len(own)], own


def _check_change(text: str, changed: str, loc: Loc, wanted: Any) -> str:
    """The `changed` text. Raises Problems where its data is not what is `wanted`, as when the value at `loc` is shared by an anchor."""
    try:
        same = json.dumps(data_of(changed) or {}) == json.dumps(wanted)
    except Problems:
        same = False
    if not same:
        raise _not_editable(loc, "it is written in a way that other values share")
    return changed


def _not_editable(loc: Loc, why: str) -> Problems:
    """The problem that the value at a place cannot be changed alone, and `why`."""
    return problem("not-editable", f"{place_text(loc)} cannot be changed alone: {why}", hint="change it in the text")


def _is_there(data: Any, loc: Loc) -> bool:
    """Whether plain data has a value at a place. The whole, which is the empty place, does not count."""
    for step in loc:
        known = range(len(data)) if isinstance(data, list) else data if isinstance(data, dict) else ()
        if step not in known:
            return False
        data = data[step]
    return bool(loc)


def _value_at(data: Any, loc: Sequence[str | int]) -> Any:
    """The value at a place that is there."""
    for step in loc:
        data = data[step]
    return data


def _set_value(data: Any, loc: Loc, value: Any) -> None:
    """Sets a value at a place in plain data, in place; makes maps and lists on the way. Raises Problems where it cannot be set."""
    for step, below in pairwise(loc):
        if isinstance(data, dict) and not isinstance(data.get(step), dict | list):
            data[step] = [] if isinstance(below, int) else {}
        data = data[step]
        if not isinstance(data, dict | list):
            raise _not_editable(loc, f"in its place stands {key_text(str(data))} alone")
    if isinstance(data, list) and not isinstance(loc[-1], int):
        raise _not_editable(loc, "it is a list")
    if isinstance(data, list) and loc[-1] == len(data):
        data.append(value)
    else:
        data[loc[-1]] = value


# Where things stand


def _begin(node: _Node) -> int:
    """The position in the text where a node begins."""
    return int(node.start_mark.index)


def _is_map(node: _Node) -> bool:
    return node is not None and node.id == "mapping"


def _is_list(node: _Node) -> bool:
    return node is not None and node.id == "sequence"


def _entries(node: _Node) -> list[tuple[_Node, _Node]]:
    """(key, value) for each entry of a map; (item, item) for each item of a list."""
    return list(node.value) if _is_map(node) else [(item, item) for item in node.value]


def _index(node: _Node, step: str | int) -> int | None:
    """The place of a step among the entries of a node; None where there is no such entry."""
    if _is_map(node):
        return next((at for at, (key, _) in enumerate(node.value) if key.value == str(step)), None)
    return step if _is_list(node) and isinstance(step, int) and step < len(node.value) else None


def _is_empty(node: _Node) -> bool:
    """Whether a node is the value of a key behind which nothing is written."""
    return bool(node.id == "scalar" and _begin(node) == node.end_mark.index)


def _end(text: str, node: _Node) -> int:
    """The end of the text of a node, without comments and blank lines after it."""
    if node.id == "scalar":
        end = int(node.end_mark.index)
        return len(text[:end].rstrip()) if node.style in ("|", ">") else end
    if node.flow_style or not node.value:
        return int(node.end_mark.index)
    return _entry_end(text, *_entries(node)[-1])


def _entry_end(text: str, key: _Node, value: _Node) -> int:
    """The index behind an entry of a map or a list in the text, without comments behind it. Of an item of a list, `key` and `value` are the
    same node."""
    if key is value:
        return _end(text, value)
    after = _end(text, key)
    if _begin(value) < after:  # an alias, whose node is that of its anchor
        match = _ALIAS.match(text, after)
        return match.end() if match else after
    if _is_empty(value):
        return _colon_at(text, key) + 1 if text[after:].lstrip().startswith(":") else after
    return _end(text, value)


def _colon_at(text: str, key: _Node) -> int:
    """The position of the colon behind a key."""
    return text.index(":", _end(text, key))


def _line_start(text: str, at: int) -> int:
    """The position where the line begins that holds the position `at`."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _line_end(text: str, at: int) -> int:
    """The position of the line break behind the position `at`, or the end of the text."""
    match = _LINE_END.search(text, at)
    return match.start() if match else len(text)


def _dash_at(text: str, item: _Node) -> int:
    """The position of the dash before an item of a list."""
    return text.rfind("-", 0, _begin(item))


def _newline_of(text: str) -> str:
    r"""The line break that the text uses; `\n` for a text of one line."""
    match = _LINE_END.search(text)
    return match[0] if match and match[0] else "\n"


def _scalar_spans(node: _Node, seen: set[int]) -> Iterator[tuple[int, int]]:
    """The stretches (begin, end) of the words of a node, in which a # begins no comment. `seen` holds the ids of nodes that are
    done."""
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if node.id == "scalar":
        yield _begin(node), int(node.end_mark.index)
        return
    for key, value in _entries(node):
        yield from _scalar_spans(key, seen)
        yield from _scalar_spans(value, seen)


# Changing the text


def _splice(text: str, root: _Node, begin: int, end: int, new: str) -> str:
    """The text with `new` in place of what stands from `begin` to `end`. Comments in the old part are put above the line."""
    words = [span for span in _scalar_spans(root, set()) if span[1] > begin and span[0] < end]
    comments = [
        match[0]
        for match in _COMMENT.finditer(text, begin, end)
        if not any(low <= match.start() < high for low, high in words)
    ]
    top = _line_start(text, begin)
    margin = text[top : len(text) - len(text[top:].lstrip(" "))]
    above = "".join(f"{margin}{comment.rstrip()}{_newline_of(text)}" for comment in comments)
    return f"{text[:top]}{above}{text[top:begin]}{new}{text[end:]}"


def _set_in_text(text: str, root: _Node, loc: Loc, value: Any) -> str:
    """The text, whose root node is `root`, with a value set at a place; maps and lists that are missing on the way are added."""
    node = root
    for depth, step in enumerate(loc):
        at = _index(node, step)
        if at is None:
            return _add_entry(text, root, node, loc[:depth], step, _data_at(loc[depth + 1 :], value))
        key, inner = _entries(node)[at]
        if depth == len(loc) - 1:
            return _replace_value(text, root, key, inner, flow_text(value))
        if inner.id == "scalar":  # nothing is there yet, or a word
            return _replace_value(text, root, key, inner, flow_text(_data_at(loc[depth + 1 :], value)))
        node = inner
    return text


def _data_at(loc: Loc, value: Any) -> Any:
    """Data in which a value stands at a place, and nothing else."""
    for step in reversed(loc):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _replace_value(text: str, root: _Node, key: _Node, value: _Node, new: str) -> str:
    """The text, whose root node is `root`, with `new` in place of the value of a key; or in place of an item of a list, where `key` and
    `value` are the same node. A value on lines of its own goes, and `new` stands behind the colon."""
    end = _entry_end(text, key, value)
    if key is value:
        return _splice(text, root, _begin(value), end, new)
    colon = _colon_at(text, key)
    same_line = not re.search(r"[\r\n]", text[colon : _begin(value)]) and _begin(value) > colon
    if same_line and not _is_empty(value):
        return _splice(text, root, _begin(value), end, new)
    return _splice(text, root, colon + 1, end, f" {new}")


def _add_entry(text: str, root: _Node, node: _Node, loc: Loc, step: str | int, value: Any) -> str:
    """The text, whose root node is `root`, with a new entry at the end of the map or list `node`, which stands at `loc`; `step` is its key
    or index. A scalar at that place is replaced by a map."""
    if node is None:  # an empty text
        lines = _entry_lines(step, value, 0, _newline_of(text), 1)
        start = f"{text}{_newline_of(text)}" if text and not text.endswith(("\n", "\r")) else text
        return f"{start}{lines}{_newline_of(text)}"
    if node.id == "scalar":
        return _set_in_text(text, root, loc, {str(step): value})
    written = f"{flow_text(str(step))}: {flow_text(value)}" if _is_map(node) else flow_text(value)
    if not node.value:  # empty brackets
        return _splice(text, root, _begin(node) + 1, _begin(node) + 1, written)
    last = _entries(node)[-1]
    end = _entry_end(text, *last)
    if node.flow_style:
        return _splice(text, root, end, end, f", {written}")
    margin = last[0].start_mark.column if _is_map(node) else node.start_mark.column
    if _is_list(node):
        margin = _dash_at(text, last[0]) - _line_start(text, _dash_at(text, last[0]))
    lines = _entry_lines(
        step if _is_map(node) else None, value, margin, _newline_of(text), 2 if _is_list(node) else int(not margin)
    )
    at = _line_end(text, end)
    apart = _newline_of(text) if node is root and _has_blank_line_before_last(text, root) else ""
    return f"{text[:at]}{apart}{_newline_of(text)}{lines}{text[at:]}"


def _has_blank_line_before_last(text: str, root: _Node) -> bool:
    """Whether a blank line stands before the last key of a map: then a new key gets one, too."""
    if not _is_map(root) or len(root.value) < 2:
        return False
    before, last = root.value[-2:]
    return _BLANK_LINE.search(text, _entry_end(text, *before), _begin(last[0])) is not None


def _entry_lines(key: str | int | None, value: Any, margin: int, newline: str, deep: int) -> str:
    """The lines of a new entry of a map or, where `key` is None, of an item of a list, indented by `margin`.

    Maps are written key by key for `deep` levels; what is deeper stands on one line.
    """
    start = " " * margin + ("- " if key is None else f"{key_text(str(key))}:")
    if not (isinstance(value, Mapping) and value and deep):
        return f"{start}{flow_text(value)}" if key is None else f"{start} {flow_text(value)}"
    inner = newline.join(
        _entry_lines(name, inner, margin + 2, newline, deep - 1 if isinstance(inner, Mapping) else 0)
        for name, inner in value.items()
    )
    return f"{start}{inner.lstrip()}" if key is None else f"{start}{newline}{inner}"


def _remove_entry(text: str, root: _Node, loc: Loc) -> str:
    """The text, whose root node is `root`, without the entry at a place, which must be there. In brackets its comma goes, too; else its
    line, unless the dash of a list stands before it on the line."""
    node = root
    for step in loc[:-1]:
        node = _entries(node)[_index(node, step) or 0][1]
    at = _index(node, loc[-1]) or 0
    entries = _entries(node)
    end = _entry_end(text, *entries[at])
    starts = [_begin(key) if _is_map(node) or node.flow_style else _dash_at(text, key) for key, _ in entries]
    if len(entries) == 1:  # the whole suite
        return _splice(text, root, starts[0], end, "")
    if node.flow_style:
        begin = _entry_end(text, *entries[at - 1]) if at else starts[0]
        return _splice(text, root, begin, end if at else starts[1], "")
    top = _line_start(text, starts[at])
    if text[top : starts[at]].strip():  # behind the dash of a list
        return _splice(text, root, starts[at], starts[at + 1], "")
    rest = _LINE_END.search(text, end)
    return _splice(text, root, top, rest.end() if rest else len(text), "")
