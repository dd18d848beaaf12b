r"""The text of JSONPath, read by the grammar of jsonpath-ng.

A plain path (keys, indexes, `[*]`) becomes steps. All else becomes a *query*: the same path in one normal form, every name quoted,
which the library reads again where it looks into documents.

Strategy: before the library reads a text, every name gets brackets and quotes, because it reads bare names in ASCII only and knows
no escapes such as `\n`. What it reads beyond RFC 9535 (sums, sorting, patterns, words without quotes) is refused token by token.
What is wrong with a text that is refused is looked up in a table, at the token where the library stopped.

Beyond the RFC: hyphens in `.user-name`. Short of it: functions (`length()`), brackets that mix kinds of selectors, and `!(…)`
around anything but a path.

Source: RFC 9535, sections 2.2 to 2.5 and appendix A.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from threading import Lock
from typing import Any, Final, TypeAlias

from evaluators.model.rows import JSON
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.path_text import ANY, BadPath, Step, quote_char, read_quoted, refuse_outer_spaces

MAX_SEGMENTS: Final = 200

_NAME: Final = r"(?:[A-Za-z_]|[^\x00-\x7f\s])(?:[A-Za-z0-9_-]|[^\x00-\x7f\s])*"
_PART: Final = late_pattern(
    rf"(?P<dots>\.\.?)(?P<name>{_NAME}|\*)|[\"']|(?P<power>-?[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]{{1,3}}(?![\w.]))|[^.\"'0-9-]+|.",
    re.DOTALL,
)
"""A name after its dots, the beginning of quotes, a number with an exponent, and a stretch of anything else."""
_PLAIN: Final = late_pattern(rf"\$(?:\.{_NAME}|\[(?:\*|0|[1-9][0-9]{{0,8}})\])*")
"""A path of names, indexes and `[*]`, which needs no grammar: the library takes longer to import than a small run to score."""
_PLAIN_STEP: Final = late_pattern(rf"\.({_NAME})|\[(\*|[0-9]+)\]")
_COLUMN_TOLD: Final = late_pattern(r"col (\d+)")
_ODD_ZERO: Final = late_pattern(r"-?0[0-9]")

Selector: TypeAlias = Any
"""A node of the library's tree that selects in a value: names, indexes, a slice, `*` or a filter."""


def read_jsonpath(text: str) -> tuple[tuple[Step, ...], str | None]:
    """The steps of a plain path, or no steps and the normal form of a query. Raises BadPath, also for what jsonpath-ng cannot read."""
    refuse_outer_spaces(text)
    if _PLAIN.fullmatch(text):
        found = _PLAIN_STEP.findall(text)
        return tuple([name or (ANY if index == "*" else int(index)) for name, index in found]), None
    return _read_by_library(text)


def _read_by_library(text: str) -> tuple[tuple[Step, ...], str | None]:
    """(steps, query) of a path, read by the grammar of jsonpath-ng: the steps and None of one made of keys, indexes and `[*]`; no steps and
    the normal form of any other. Raises BadPath for one that cannot be read, is too long, or is nested too deep."""
    _, selectors = _split_path(_parse_query(text))
    steps = tuple(step for below, selector in selectors if not below and (step := _step_of(selector)) is not None)
    if len(steps) == len(selectors):
        return steps, None
    if len(selectors) > MAX_SEGMENTS:
        raise BadPath(f"a query with more than {MAX_SEGMENTS} parts", 0)
    try:
        return (), f"${_normal_form(selectors)}"
    except RecursionError:
        raise BadPath("filters nested too deep", text.index("?")) from None
    except _OddComparison as refused:
        raise BadPath(refused.args[0], text.index("?"), refused.args[1]) from None


@lru_cache(maxsize=1024)
def selectors_of(query: str) -> tuple[tuple[bool, Selector], ...]:
    """The selectors of a query, each with whether it selects in everything below as well: `..`."""
    return tuple(_split_path(_parse_query(query))[1])


# The library's grammar


def _parse_query(text: str) -> Any:
    """The tree that jsonpath-ng makes of a path. Its names are put in quotes first, and its tokens checked one by one, as the library takes
    more than RFC 9535 has. Raises BadPath for a path that either refuses."""
    from jsonpath_ng.exceptions import JsonPathLexerError, JsonPathParserError
    from jsonpath_ng.ext.parser import ExtendedJsonPathLexer

    quoted, places = _quoted_names(text)
    at = 0

    def tokens() -> Iterator[Any]:
        """Yields the tokens of the query, and keeps the place of each in `at`, for messages. Raises BadPath where one cannot follow the one
        before it."""
        nonlocal at
        before = ""
        for token in ExtendedJsonPathLexer().tokenize(quoted):
            at = places[token.lexpos]
            if not _may_follow(before, token) or (token.type in ("NUMBER", "FLOAT") and _ODD_ZERO.match(text, at)):
                raise _refusal(text, at)
            begins, before = before in _BEGIN, token.type
            if begins and token.type in _LITERALS:  # jsonpath-ng takes a literal on the left side only as a name
                token.type, token.value = "ID", _literal_text(None if token.type == "NULL" else token.value)
            yield token
        at = len(text)

    try:
        with _one_at_a_time:
            return _parser().parse_token_stream(tokens())
    except BadPath:
        raise
    except JsonPathParserError:
        raise _refusal(text, at) from None
    except JsonPathLexerError as refused:
        column = _COLUMN_TOLD.search(str(refused))
        raise _refusal(text, places[int(column[1])] if column else text.rindex("`")) from None
    except Exception as failure:  # whatever becomes of the library, the path is what it could not read
        raise BadPath(
            f"jsonpath-ng cannot read this path: {failure}", at, "use keys, indexes, slices and simple filters"
        ) from None


_one_at_a_time: Final = Lock()
"""A parser of the library has a state: threads take turns."""


@lru_cache(maxsize=1)
def _parser() -> Any:
    """The parser of jsonpath-ng. Cached, because making it takes longer than reading a path."""
    from jsonpath_ng.ext.parser import ExtendedJsonPathParser

    return ExtendedJsonPathParser()


def _quoted_names(text: str) -> tuple[str, list[int]]:
    """The path with each name in brackets and quotes, and for each of its characters the position that it comes from."""
    parts: list[str] = []
    places: list[int] = []
    at = 0
    while match := _PART.match(text, at):
        start, at = at, match.end()
        part = match[0]
        if name := match["name"]:
            part = f"{'..' if match['dots'] == '..' else ''}[{name if name == '*' else _in_library_quotes(name)}]"
        elif part in ("'", '"'):
            key, at = read_quoted(text, start)
            part = _in_library_quotes(key)
        elif power := match["power"]:
            part = _without_exponent(power)
        else:
            parts.append(re.sub(r"[\r\n]", " ", part))
            places.extend(range(start, at))
            continue
        parts.append(part)
        places.extend([start] * len(part))
    return "".join(parts), [*places, len(text)]


_BEGIN: Final = ("?", "(", "AND", "OR")
_ALLOWED: Final[dict[str, tuple[str, ...]]] = {
    "$": ("", *_BEGIN, "!", "FILTER_OP"),
    "@": (*_BEGIN, "!", "FILTER_OP"),
    "[": ("$", "@", "]", "DOUBLEDOT"),
    "DOUBLEDOT": ("$", "@", "]"),
    "*": ("[",),
    "ID": ("[", ",", *_BEGIN, "FILTER_OP"),
    "NUMBER": ("[", ",", ":", *_BEGIN, "FILTER_OP"),
    "FLOAT": (*_BEGIN, "FILTER_OP"),
    "BOOL": (*_BEGIN, "FILTER_OP"),
    "NULL": (*_BEGIN, "FILTER_OP"),
    "(": (*_BEGIN, "!"),
    "!": _BEGIN,
}
"""What each token of RFC 9535 may follow, where the library would take it elsewhere, too."""
_LITERALS: Final = ("ID", "NUMBER", "FLOAT", "BOOL", "NULL")
_ANYWHERE: Final = ("]", ")", ",", ":", "?", "FILTER_OP", "AND", "OR")
"""Tokens that the library takes only where the RFC does."""


def _may_follow(before: str, token: Any) -> bool:
    """Whether a token is one of RFC 9535, and may follow the one before it."""
    if token.type == "FILTER_OP":
        return token.value not in ("=", "=~")
    if token.type == "ID" and not getattr(token, "quoted", False):
        return False
    return token.type in _ANYWHERE or before in _ALLOWED.get(token.type, ())


# Steps and normal form


_MIRRORED: Final = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_SEVERAL: Final = "a comparison with a path that can lead to several values"


class _OddComparison(Exception):
    """A comparison that RFC 9535 does not have: what is wrong with it, and the hint."""


def _split_path(node: Any) -> tuple[Any, list[tuple[bool, Selector]]]:
    """The root (`$` or `@`) of a path of jsonpath-ng, and its selectors, each with whether it selects in everything below as well."""
    from jsonpath_ng.jsonpath import Child, Descendants

    selectors: list[tuple[bool, Selector]] = []
    while isinstance(node, Child | Descendants):
        selectors.append((isinstance(node, Descendants), node.right))
        node = node.left
    return node, selectors[::-1]


def _step_of(selector: Selector) -> Step | None:
    """The step that a selector is; None for one that only a query can follow."""
    from jsonpath_ng.jsonpath import Fields, Index, Wildcard

    if isinstance(selector, Wildcard):
        return ANY
    several = selector.fields if isinstance(selector, Fields) else selector.indices if isinstance(selector, Index) else ()
    return several[0] if len(several) == 1 else None


def _normal_form(selectors: list[tuple[bool, Selector]]) -> str:
    """The selectors of a path as RFC 9535 writes them, in brackets. One spelling stands for all that mean the same."""
    return "".join(f"{'..' * below}[{_selector_text(selector)}]" for below, selector in selectors)


def _selector_text(selector: Selector) -> str:
    """A selector of jsonpath-ng as RFC 9535 writes it inside brackets."""
    from jsonpath_ng.ext.filter import Filter
    from jsonpath_ng.jsonpath import Fields, Wildcard

    if isinstance(selector, Filter):
        return f"?{_conditions_text(' && ', selector.expressions)}"
    if isinstance(selector, Fields):
        return ",".join(map(_in_library_quotes, selector.fields))
    return "*" if isinstance(selector, Wildcard) else str(selector)[1:-1]


def _conditions_text(joint: str, conditions: list[Any]) -> str:
    """Conditions joined by an operator, in parentheses where there are several."""
    written = joint.join(map(_condition_text, conditions))
    return written if len(conditions) == 1 else f"({written})"


def _condition_text(condition: Any) -> str:
    """A condition of a filter as RFC 9535 writes it. Raises _OddComparison for one that it does not have."""
    from jsonpath_ng.ext.filter import And, Or
    from jsonpath_ng.jsonpath import Fields, JSONPath

    if isinstance(condition, And | Or):
        return _conditions_text(f" {condition.op} ", condition.operands)
    target, operator, value = condition.target, condition.op, condition.value
    if isinstance(target, Fields):  # a literal: a path begins with "$" or "@"
        if not isinstance(value, JSONPath):
            raise _OddComparison("a filter without a path in it", "one side is a path such as @.name")
        return f"{_operand_text(value)} {_MIRRORED[operator]} {target.fields[0]}"
    if operator in (None, "!"):
        return f"{operator or ''}{_operand_text(target)}"
    if any(below or not isinstance(_step_of(selector), str | int) for below, selector in _split_path(target)[1]):
        raise _OddComparison(_SEVERAL, "use keys and indexes only")
    return f"{_operand_text(target)} {operator} {_operand_text(value) if isinstance(value, JSONPath) else _literal_text(value)}"


def _operand_text(path: Any) -> str:
    """A path inside a filter as RFC 9535 writes it."""
    from jsonpath_ng.jsonpath import Root

    begin, selectors = _split_path(path)
    return ("$" if isinstance(begin, Root) else "@") + _normal_form(selectors)


def _literal_text(value: JSON) -> str:
    """A fixed value inside a filter as jsonpath-ng takes it."""
    if isinstance(value, str):
        return _in_library_quotes(value)
    return _without_exponent(repr(value)) if isinstance(value, float) else json.dumps(value)


def _without_exponent(number: str) -> str:
    """A number with a fraction and without an exponent, as jsonpath-ng reads no exponents."""
    digits = format(Decimal(number), "f")
    return digits if "." in digits else f"{digits}.0"


def _in_library_quotes(key: str) -> str:
    """A text in single quotes, as jsonpath-ng takes it."""
    escaped = key.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


# What is wrong with a path


_OPERATORS: Final = {"and": "&&", "or": "||", "not": "!", "eq": "==", "ne": "!=", "&": "&&", "|": "||", "=": "=="}
_COMPARED: Final = r"(?:[=!<>]=|[<>])"
_FILTER: Final = r"\?(?:[^\[\]]|\[[^\[\]]*\])*"
_ONE_KIND: Final = "brackets with several parts can only list keys, or only indexes"
_NO_OPERATOR: Final = '"{word}" is not an operator'
_FUNCTIONS: Final = 'functions such as "{word}()" are not available in filters'
_EXAMPLE: Final = "a filter looks like [?@.name == 'x']"

_SLIPS: Final[tuple[tuple[str, str, str, str | None], ...]] = (
    # names
    (
        r"^\$",
        r"(?P<word>[^.\[]+)",
        'after "$" comes a dot or a bracket',
        'write $.{rest}, or ["${word}"] for a key that begins with "$"',
    ),
    (r"\.(?P<open>\.)", r"\Z", "the path ends with a dot", "leave the last dot out"),
    (r"", r"\.\Z", "the path ends with a dot", "leave the last dot out"),
    (r"\.", r"\.", "nothing between two dots", "one dot goes one level down, two go to any depth"),
    (r"", r"\.(?P<tail>\[.*)", "a dot before a bracket", "leave the dot out: {before}{tail}"),
    (r"", r"\.(?P<word>0|[1-9]\d{0,14})(?P<tail>\Z|[.\[].*)", "a number after a dot", "write {before}[{word}]{tail}"),
    (r"", r"\.(?P<word>['\"][^.\[]*)(?P<tail>.*)", "quotes only work inside brackets", "write {before}[{word}]{tail}"),
    (r"\.\.", r"(?P<word>[^.\[]+)(?P<tail>.*)", "{char} cannot begin a name", "quote the key: {before}[{key}]{tail}"),
    (r"", r"\.(?P<word>[^.\[]+)(?P<tail>.*)", "{char} cannot begin a name", "quote the key: {before}[{key}]{tail}"),
    # filters
    (r"!\s*[@$][^()&|!]*", _COMPARED, '"!" before a comparison', "write != for not equal, or turn the comparison round"),
    (r"!\s*\([^)]*", _COMPARED, '"!(…)" around a comparison', "turn the comparison round instead"),
    (r"!\s*\([^)]*", r"&&|\|\|", '"!(…)" around several conditions', 'write "!" before each, and "||" for "&&"'),
    (r"!\s*\(?\s*", r"!", '"!" twice', "leave both out"),
    (_FILTER + r"[0-9]", r"[eE][+-]?[0-9]", "a number too large to compare", "write the number in full"),
    (_FILTER, r"=~", "patterns are not part of JSONPath", "compare with == or !="),
    (_FILTER + r"(?P<word>[=!<>]=)", r"=", '"{word}=" is not an operator', 'write "{word}"'),
    (_FILTER, r"(?P<word>(?:and|or|not|eq|ne)\b|&(?!&)|\|(?!\|)|=(?!=))", _NO_OPERATOR, 'write "{operator}"'),
    (_FILTER, r"(?P<word>\w+)\s*\(", _FUNCTIONS, "compare with ==, != or <"),
    (_FILTER + r"(?P<word>\b\w+)", r"\(", _FUNCTIONS, "compare with ==, != or <"),
    (_FILTER, r"-?0[0-9]", "a number with a leading zero", "leave the zero out"),
    (
        _FILTER,
        r"(?P<word>[^\W\d][\w-]*)",
        '"{word}" is neither a path nor a value',
        "write @.{word} for a key, '{word}' for a text",
    ),
    (rf"{_COMPARED}\s*[@$][^()&|]*", r"\.?\*|\.\.|[?:,]|\[\s*[*?:]", _SEVERAL, "use keys and indexes only"),
    (rf"{_FILTER}\([^()]*", r"\]", '"]" where ")" should be', 'close the parenthesis with ")"'),
    (rf"{_FILTER}(?<=[=<>&|?!(])\s*", r"\Z", "the filter ends too soon", _EXAMPLE),
    (rf"{_FILTER}(?P<open>\()[^()]*", r"\Z", '"(" without a ")" after it', 'close the parenthesis with ")"'),
    (_FILTER, r",", _ONE_KIND, "list them as two paths"),
    (_FILTER, r".", "{char} cannot stand here in a filter", _EXAMPLE),
    # brackets
    (r"[\[,]\s*", r"\]", "empty brackets", "write [*] for every item, [0] for the first"),
    (r"\[\s*", r",", "nothing before a comma", None),
    (r"\[\s*", r"\(", "JSONPath has no computed keys", "write [-1] for the last item, [?…] for a filter"),
    (r"\[\s*", r"(?P<word>@[^\]]*)", 'a filter begins with "?"', "write [?{word}]"),
    (r"\[\s*", r"-(?![0-9])", '"-" without a number', "write [-1] for the last item"),
    (
        r"[\[,:]\s*",
        r"-?(?P<zeros>0+)(?P<digits>[0-9]+)",
        "an index with a leading zero",
        'write [{digits}], or ["{zeros}{digits}"] for a key',
    ),
    (r"[\[,]\s*", r"(?P<word>[^\W\d][^\],]*)", "a key in brackets needs quotes", "write [{key}]"),
    (r"\[[^\[\]]*[,:*]\s*|\[[^\[\]]*", r"[,:?*'\"0-9-]", _ONE_KIND, "list them as two paths"),
    (r"(?P<open>\[)[^\]]*", r"\Z", '"[" without a "]" after it', 'close the bracket with "]"'),
    (r"\[[^\[\]]*", r".", '{char} where "]" should be', None),
    # between names and brackets
    (r"", r"\]", '"]" without a "[" before it', None),
    (r"", r"[|&+]", "two paths cannot be joined", "list them as two paths"),
    (r"", r"~", '"~" is not part of JSONPath', "a path leads to a value, never to the name of a key"),
    (
        r"^(?P<head>.*)\.(?P<begin>[^.\[\]]*\S)(?P<open>\s+)",
        r"(?P<word>[^.\[]*)(?P<tail>.*)",
        "a space in the path",
        "quote the key: {head}[{key}]{tail}",
    ),
    (r"(?P<open>\s+)", r".", "a space in the path", "quote the key, as in ['first name']"),
    (
        r"^(?P<head>.*)\.(?P<begin>[^.\[\]]*)",
        r"(?P<word>[^.\[]*)(?P<tail>.*)",
        "{char} cannot be part of a name",
        "quote the key: {head}[{key}]{tail}",
    ),
    (r"", r"", "{char} cannot stand here", "a path looks like $.items[0].name"),
)
"""What people write by mistake: what stands before the place where the library stops, what stands there, the message and the hint."""


def _refusal(text: str, at: int) -> BadPath:
    """The error for a path that is wrong at the place `at`, with the message and hint of the first row of `_SLIPS` whose two patterns fit
    the text before and behind it."""
    before, rest = text[:at], text[at:]
    for left, right, message, hint in _SLIPS:
        rest_match = re.match(right, rest, re.DOTALL)
        if rest_match and (before_match := re.search(rf"(?:{left})\Z", before, re.DOTALL)):
            groups = before_match.groupdict("") | rest_match.groupdict("")
            word = groups.get("word", "")
            groups |= {
                "before": before,
                "rest": rest,
                "char": quote_char(rest[1:2] if rest.startswith(".") else rest[:1]),
                "key": _in_library_quotes(groups.get("begin", "") + groups.get("open", "") + word),
                "operator": _OPERATORS.get(word, ""),
            }
            return BadPath(
                message.format_map(groups), _culprit(before_match, rest_match, at), hint and hint.format_map(groups)
            )
    raise AssertionError("the last rows of the table fit everywhere")


def _culprit(before_match: re.Match[str], rest_match: re.Match[str], at: int) -> int:
    """The position of the wrong bracket, space or word; else the place where the library stopped."""
    if "open" not in before_match.re.groupindex and "word" in rest_match.re.groupindex:
        return at + rest_match.start("word")
    return next((before_match.start(name) for name in ("open", "word") if name in before_match.re.groupindex), at)
