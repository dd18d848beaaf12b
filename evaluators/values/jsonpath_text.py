"""The text of JSONPath, read by the grammar of RFC 9535.

A plain path (keys, indexes, `[*]`) becomes steps. Filters, slices, unions and `..` become a *query*: the same path in
one normal form, every name quoted, every literal on the right, which is the text that the query library gets. So the
library never decides what is JSONPath; it only finds.

Beyond the RFC: hyphens in `.user-name`, and a single `&` for `&&`. Short of it: functions (`length()`), unions that mix
kinds of selectors, and `!(…)` around `<` or `>`.

Source: RFC 9535, sections 2.2 to 2.5 and appendix A.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, TypeAlias

from evaluators.values.path_text import (
    ANY,
    BadPath,
    Step,
    read_index,
    read_quoted,
    refuse_outer_spaces,
    shown,
    skip_blanks,
    unclosed,
)

MAX_SEGMENTS: Final = 200
MAX_DEPTH: Final = 30
_MAX_DIGITS: Final = 300

_NAME: Final = re.compile(r"(?:[A-Za-z_]|[^\x00-\x7f\s])(?:[A-Za-z0-9_-]|[^\x00-\x7f\s])*")
_SLICE: Final = re.compile(r"[ \t\r\n]*(-?[0-9]+)?[ \t\r\n]*:", re.ASCII)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![A-Za-z0-9_.])", re.ASCII)
_OPERATOR: Final = re.compile("==|!=|<=|>=|<|>")
_JOINT: Final = re.compile(r"\|\||&&?")
_SINGLE: Final = re.compile(r"[@$](?:\[(?:-?[0-9]+|'(?:[^'\\]|\\.)*+')\])*+", re.DOTALL)
"""A path in normal form that leads to one place at most."""
_MIRRORED: Final = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_WORDS: Final = {"and": "&&", "or": "||", "not": "!", "eq": "==", "ne": "!="}
_CONSTANTS: Final = ("true", "false", "null")


Segment: TypeAlias = tuple[Step | None, str]
"""A step, or None for what only a query can follow; and its normal form."""


def read_jsonpath(text: str) -> tuple[tuple[Step, ...], str | None]:
    """The steps of a plain path, or no steps and the normal form of a query."""
    refuse_outer_spaces(text)
    segments, at = _read_segments(text, 1, 0)
    if at < len(text):
        raise _stray(text, at)
    steps = tuple(step for step, _ in segments if step is not None)
    if len(steps) == len(segments):
        return steps, None
    if len(segments) > MAX_SEGMENTS:
        raise BadPath(f"a query with more than {MAX_SEGMENTS} parts", 0)
    return (), _normal("$", segments)


def _normal(root: str, segments: list[Segment]) -> str:
    return root + "".join(normal for _, normal in segments)


def _read_segments(text: str, at: int, depth: int) -> tuple[list[Segment], int]:
    """The segments that follow `$` or `@`, and the position after the last."""
    segments: list[Segment] = []
    while True:
        start = skip_blanks(text, at)
        if text.startswith("..", start):
            at = start + 2
            (_, normal), at = _read_bracket(text, at, depth) if text.startswith("[", at) else _read_member(text, at)
            segments.append((None, f"..{normal}"))
        elif text.startswith(".", start):
            segment, at = _read_member(text, start + 1)
            segments.append(segment)
        elif text.startswith("[", start):
            segment, at = _read_bracket(text, start, depth)
            segments.append(segment)
        else:
            return segments, at


def _read_member(text: str, at: int) -> tuple[Segment, int]:
    if text.startswith("*", at):
        return (ANY, "[*]"), at + 1
    name = _NAME.match(text, at)
    if name:
        return (name[0], _key(name[0])), name.end()
    raise _no_name(text, at)


def _no_name(text: str, at: int) -> BadPath:
    before = text[:at].rstrip(".")
    if at >= len(text):
        return BadPath("the path ends with a dot", len(text) - 1, "leave the last dot out")
    if text[at] == "[":
        return BadPath("a dot before a bracket", at - 1, f"leave the dot out: {before}{text[at:]}")
    word = re.split(r"[.\[]", text[at:], maxsplit=1)[0]
    if re.fullmatch("[0-9]{1,15}", word):
        return BadPath("a number after a dot", at, f"write {before}[{int(word)}]{text[at + len(word) :]}")
    if word[:1] in ("'", '"'):
        return BadPath("quotes only work inside brackets", at, f"write {before}[{word}]")
    if text[at] == ".":
        return BadPath("nothing between two dots", at, "one dot goes one level down, two go to any depth")
    return BadPath(f"{shown(text[at])} cannot begin a name", at, f"quote the key: {before}{_key(word)}")


def _stray(text: str, at: int) -> BadPath:
    at = skip_blanks(text, at)
    char = text[at]
    if at == 1:
        word = re.split(r"[.\[]", text, maxsplit=1)[0]
        hint = f'write $.{text[1:]}, or ["{word}"] for a key that begins with "$"'
        return BadPath('after "$" comes a dot or a bracket', at, hint)
    if char == "]":
        return BadPath('"]" without a "[" before it', at)
    if char in "|&+":
        return BadPath("two paths cannot be joined", at, "list them as two paths")
    if char == "~":
        return BadPath('"~" is not part of JSONPath', at, "a path leads to a value, never to the name of a key")
    if text[at - 1].isspace():
        return BadPath("a space in the path", len(text[:at].rstrip()), _whole_key_hint(text, at))
    return BadPath(f"{shown(char)} cannot be part of a name", at, _whole_key_hint(text, at))


def _whole_key_hint(text: str, at: int) -> str:
    dot = text.rfind(".", 0, at)
    if dot < 0 or "]" in text[dot:at]:
        return "quote the key, as in ['first name']"
    word = re.split(r"[.\[]", text[dot + 1 :], maxsplit=1)[0]
    return f"quote the key: {text[:dot]}{_key(word)}"


# Brackets


def _read_bracket(text: str, start: int, depth: int) -> tuple[Segment, int]:
    if depth > MAX_DEPTH:
        raise BadPath(f"brackets nested more than {MAX_DEPTH} deep", start)
    selectors: list[Segment] = []
    places: list[int] = []
    at = start
    while True:
        at = skip_blanks(text, at + 1)
        places.append(at)
        selector, at = _read_selector(text, at, start, depth)
        selectors.append(selector)
        at = skip_blanks(text, at)
        if at >= len(text):
            raise unclosed(start)
        if text[at] == "]":
            break
        if text[at] != ",":
            raise _not_closed(text, at, "]")
    if len(selectors) > 1:
        _check_union([step for step, _ in selectors], places)
    step = selectors[0][0] if len(selectors) == 1 else None
    return (step, f"[{','.join(bare for _, bare in selectors)}]"), at + 1


def _check_union(steps: list[Step | None], places: list[int]) -> None:
    for step, place in zip(steps, places, strict=True):
        if not isinstance(step, str | int):
            raise BadPath("brackets with several parts can only list keys, or only indexes", place)
        if type(step) is not type(steps[0]):
            raise BadPath("keys and indexes in one pair of brackets", place, "list them as two paths")


def _read_selector(text: str, at: int, start: int, depth: int) -> tuple[Segment, int]:
    """One part of a bracket, without the brackets."""
    first = text[at : at + 1]
    if not first:
        raise unclosed(start)
    if first == "*":
        return (ANY, "*"), at + 1
    if first in "\"'":
        key, at = read_quoted(text, at)
        return (key, _quoted(key)), at
    if first == "?":
        condition, at = _read_conditions(text, at + 1, depth + 1, negated=False)
        return (None, f"?{condition}"), at
    if _SLICE.match(text, at):
        return _read_slice(text, at)
    if first in "-0123456789":
        index, at = read_index(text, at)
        return (index, str(index)), at
    raise _odd_selector(text, at)


def _odd_selector(text: str, at: int) -> BadPath:
    first = text[at]
    if first == "]":
        return BadPath("empty brackets", at, "write [*] for every item, [0] for the first")
    if first == ",":
        return BadPath("nothing before a comma", at)
    if first == "(":
        return BadPath("JSONPath has no computed keys", at, "write [-1] for the last item, [?…] for a filter")
    if first == "@":
        return BadPath('a filter begins with "?"', at, f"write [?{text[at:].split(']')[0]}]")
    word = re.split(r"[\],]", text[at:], maxsplit=1)[0]
    return BadPath("a key in brackets needs quotes", at, f"write {_key(word)}")


def _read_slice(text: str, at: int) -> tuple[Segment, int]:
    parts: list[str] = []
    while True:
        at = skip_blanks(text, at)
        number = ""
        if text[at : at + 1] in tuple("-0123456789"):
            index, at = read_index(text, at)
            number = str(index)
        parts.append(number)
        start, at = at, skip_blanks(text, at)
        if len(parts) == 3 or not text.startswith(":", at):
            break
        at += 1
    if len(parts) == 3 and parts[2] == "0":
        raise BadPath("a slice with step 0 selects nothing", start - 1, "leave the step out")
    return (None, ":".join(parts)), at


# Filters


def _read_conditions(text: str, at: int, depth: int, *, negated: bool) -> tuple[str, int]:
    """Conditions joined by `||`, each of conditions joined by `&&`. Under a `!`, the two change places."""
    choices: list[list[str]] = [[]]
    while True:
        condition, at = _read_condition(text, at, depth, negated=negated)
        choices[-1].append(condition)
        at = skip_blanks(text, at)
        joint = _JOINT.match(text, at)
        if joint is None:
            break
        if joint[0] == "||":
            choices.append([])
        at = joint.end()
    if text.startswith("|", at):
        raise BadPath('"|" is not an operator', at, 'write "||" for "or"')
    outer, inner = (" && ", " || ") if negated else (" || ", " && ")
    return _grouped(outer, [_grouped(inner, conditions) for conditions in choices]), at


def _grouped(joint: str, conditions: list[str]) -> str:
    return conditions[0] if len(conditions) == 1 else f"({joint.join(conditions)})"


def _read_condition(text: str, at: int, depth: int, *, negated: bool) -> tuple[str, int]:
    at = skip_blanks(text, at)
    if depth > MAX_DEPTH:
        raise BadPath(f"a filter nested more than {MAX_DEPTH} deep", at)
    if text.startswith("!", at) and not text.startswith("!=", at):
        return _read_negation(text, at, depth, negated=negated)
    if text.startswith("(", at):
        inner, end = _read_conditions(text, at + 1, depth + 1, negated=negated)
        end = skip_blanks(text, end)
        if not text.startswith(")", end):
            raise _filter_end(text, end, at)
        return inner, end + 1
    left, end = _read_operand(text, at, depth)
    operator, after = _read_operator(text, end)
    if operator is None:
        if _is_literal(left):
            raise BadPath("a filter that compares nothing", at, "compare with ==, !=, <, <=, > or >=")
        return ("!" if negated else "") + left, end
    right_at = skip_blanks(text, after)
    right, end = _read_operand(text, right_at, depth)
    return _comparison(left, operator, right, (at, skip_blanks(text, after - len(operator)), right_at), negated), end


def _read_negation(text: str, at: int, depth: int, *, negated: bool) -> tuple[str, int]:
    inner = skip_blanks(text, at + 1)
    if text.startswith(("(", "!"), inner):
        return _read_condition(text, inner, depth + 1, negated=not negated)
    operand, end = _read_operand(text, inner, depth)
    operator, _ = _read_operator(text, end)
    if operator is not None or _is_literal(operand):
        raise BadPath('"!" before a comparison', at, "write != for not equal, or put the comparison in parentheses")
    return ("" if negated else "!") + operand, end


def _read_operator(text: str, at: int) -> tuple[str | None, int]:
    at = skip_blanks(text, at)
    found = _OPERATOR.match(text, at)
    if found:
        if text.startswith("=", found.end()):
            raise BadPath(f'"{found[0]}=" is not an operator', at, f'write "{found[0][:1].replace("=", "==")}"')
        return found[0], found.end()
    if text.startswith("=~", at):
        raise BadPath("patterns are not part of JSONPath", at, "compare with == or !=")
    if text.startswith("=", at):
        raise BadPath('"=" is not an operator', at, 'write "=="')
    return None, at


def _comparison(left: str, operator: str, right: str, places: tuple[int, int, int], negated: bool) -> str:
    left_at, operator_at, right_at = places
    if _is_literal(left) and _is_literal(right):
        raise BadPath("a filter that compares two fixed values", left_at, "one side is a path such as @.name")
    for operand, place in ((left, left_at), (right, right_at)):
        if not _is_literal(operand) and not _SINGLE.fullmatch(operand):
            raise BadPath("a comparison with a path that can lead to several values", place, "use keys and indexes only")
    if negated:
        if operator not in ("==", "!="):
            raise BadPath(f'"!(…)" around "{operator}"', operator_at, "turn the comparison round instead")
        operator = "!=" if operator == "==" else "=="
    return f"{right} {_MIRRORED[operator]} {left}" if _is_literal(left) else f"{left} {operator} {right}"


def _is_literal(operand: str) -> bool:
    return not operand.startswith(("@", "$"))


def _read_operand(text: str, at: int, depth: int) -> tuple[str, int]:
    """One side of a comparison, in normal form."""
    first = text[at : at + 1]
    if first in ("@", "$"):
        segments, end = _read_segments(text, at + 1, depth + 1)
        if len(segments) > MAX_SEGMENTS:
            raise BadPath(f"a path with more than {MAX_SEGMENTS} parts", at)
        return _normal(first, segments), end
    if first in ("'", '"'):
        value, end = read_quoted(text, at)
        return _quoted(value), end
    number = _NUMBER.match(text, at)
    if number:
        return _number(number, at), number.end()
    word = _NAME.match(text, at)
    if word and word[0] in _CONSTANTS and not text.startswith("(", word.end()):
        return word[0], word.end()
    raise _odd_operand(text, at, word[0] if word else "")


def _odd_operand(text: str, at: int, word: str) -> BadPath:
    if at >= len(text):
        return BadPath("the filter ends too soon", len(text) - 1, "a filter looks like [?@.name == 'x']")
    if word and text.startswith("(", at + len(word)):
        return BadPath(f'functions such as "{word}()" are not available in filters', at, "compare with ==, != or <")
    if word in _WORDS:
        return BadPath(f'"{word}" is not an operator', at, f'write "{_WORDS[word]}"')
    if word:
        return BadPath(f'"{word}" is neither a path nor a value', at, f"write @.{word} for a key, '{word}' for a text")
    return BadPath(f"{shown(text[at])} cannot begin a value in a filter", at, "a filter looks like [?@.name == 'x']")


def _number(found: re.Match[str], at: int) -> str:
    if len(found[0]) > _MAX_DIGITS:
        raise BadPath(f"a number with more than {_MAX_DIGITS} digits", at)
    if found[1] is None and found[2] is None:
        return str(int(found[0]))
    value = float(found[0])
    if value in (float("inf"), float("-inf")):
        raise BadPath("a number too large to compare", at)
    # the query library reads no exponents
    digits = format(Decimal(repr(value)), "f")
    return digits if "." in digits else digits + ".0"


def _filter_end(text: str, at: int, start: int) -> BadPath:
    if at >= len(text):
        return BadPath('"(" without a ")" after it', start, 'close the parenthesis with ")"')
    return _not_closed(text, at, ")")


def _not_closed(text: str, at: int, closing: str) -> BadPath:
    word = _NAME.match(text, at)
    if word and word[0] in _WORDS:
        return BadPath(f'"{word[0]}" is not an operator', at, f'write "{_WORDS[word[0]]}"')
    return BadPath(f'{shown(text[at])} where "{closing}" should be', at)


def _quoted(key: str) -> str:
    """A text as the query library takes it."""
    escaped = key.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _key(word: str) -> str:
    return f"[{_quoted(word)}]"
