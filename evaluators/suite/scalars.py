"""What a bare word of YAML means.

The words are those of YAML 1.2's core schema, with one exception: a number is written in decimal and without leading
zeros, because `0123`, `0x1F` and `0o14` are far more often codes than numbers. They stay text, like dates, times, `yes`
and `NO`. Numbers are finite, as in JSON.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from evaluators.settings import bad
from evaluators.suite.yaml_quoting import quoted

Scalar: TypeAlias = "None | bool | int | float | str"

_WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_MAY_BE_NUMBER: Final = frozenset("+-.0123456789")
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST_NUMBER: Final = 1000
_CORE: Final = "tag:yaml.org,2002:"


def of_word(word: str) -> Scalar:
    """The value of an unquoted word. Raises BadSettings for a number that is not finite."""
    if word[:1] in _MAY_BE_NUMBER:
        return _number(word) if word else None
    return _WORDS.get(word, word)


def check_quotes(word: str) -> None:
    """Raises BadSettings for an unquoted word in curly quotes, which YAML takes for letters of the word."""
    found = _CURLY.fullmatch(word)
    if found:
        hint = f"write {quoted(found[1] or found[2])}; with the curly quotes as part of the text, write {quoted(word)}"
        raise bad("curly quotes are letters to YAML; a text goes in straight quotes", hint=hint)


_CURLY: Final = re.compile("[“”„]([^“”„]+)[“”]|[‘’‚]([^‘’‚]+)[‘’]")


def of_tagged(tag: str, word: str) -> Scalar:
    """The value of a word with a YAML tag such as `!!str`. Raises BadSettings when the two do not go together."""
    if tag in ("!", _CORE + "str"):
        return word
    value = of_word(word)
    wanted = _TAGGED.get(tag)
    if wanted is None:
        raise bad(f"the tag {spelled(tag)} is not allowed here", hint="a suite is plain data; leave the tag out")
    if wanted is float and type(value) is int:
        return float(value)
    if type(value) is wanted:
        return value
    raise bad(f'"{word}" does not go with the tag {spelled(tag)}', hint="leave the tag out")


def spelled(tag: str) -> str:
    """A tag as its author writes it."""
    return f"!!{tag.removeprefix(_CORE)}" if tag.startswith(_CORE) else tag


_TAGGED: Final[dict[str, type]] = {
    _CORE + "null": type(None),
    _CORE + "bool": bool,
    _CORE + "int": int,
    _CORE + "float": float,
}
COLLECTION_TAGS: Final = {"map": ("!", _CORE + "map"), "list": ("!", _CORE + "seq")}


def _number(word: str) -> Scalar:
    if _FLOAT.fullmatch(word):
        if len(word) > _LONGEST_NUMBER:
            raise bad(f"a number of {len(word)} characters is too long", hint="put it in quotes if it is a code")
        return int(word) if _INTEGER.fullmatch(word) else _finite(word)
    if _NOT_FINITE.fullmatch(word):
        raise _not_finite(word)
    return word


def _finite(word: str) -> float:
    value = float(word)
    if value in (float("inf"), float("-inf")):
        raise _not_finite(word)
    return value


def _not_finite(word: str) -> Exception:
    return bad(f"{word} is not a number that a suite can use: numbers must be finite", hint=f'as text it is "{word}"')
