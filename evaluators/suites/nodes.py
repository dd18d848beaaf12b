"""The tree of a suite: every value knows the document, the line and the column it was written at.

A tree is read from YAML, or made from Python data; trees are merged by `extends`. Plain data and places are both read
off the merged tree, so a value from an extended file is placed in that file.

What a bare word of YAML means.

The words are those of YAML 1.2's core schema, with one exception: a number is written in decimal and without leading
zeros, because `0123`, `0x1F` and `0o14` are far more often codes than numbers. They stay text, like dates, times, `yes`
and `NO`. Numbers are finite, as in JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct, field

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.settings import BadSettings, Detail, Loc, bad
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.suites.excerpt import in_yaml_quotes, lines_of, with_caret

Scalar: TypeAlias = "None | bool | int | float | str"

_WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_MAY_BE_NUMBER: Final = frozenset("+-.0123456789")
_INTEGER: Final = late_pattern(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT: Final = late_pattern(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = late_pattern(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST_NUMBER: Final = 1000
_CORE: Final = "tag:yaml.org,2002:"


def parse_plain(word: str) -> Scalar:
    """The value of an unquoted word. Raises BadSettings for a number that is not finite."""
    if word[:1] in _MAY_BE_NUMBER:
        return _number(word) if word else None
    return _WORDS.get(word, word)


def check_quotes(word: str) -> None:
    """Raises BadSettings for an unquoted word in curly quotes, which YAML takes for letters of the word."""
    match = _CURLY.fullmatch(word)
    if match:
        hint = f"write {in_yaml_quotes(match[1] or match[2])}; with the curly quotes as part of the text, write {in_yaml_quotes(word)}"
        raise bad("curly quotes are letters to YAML; a text goes in straight quotes", hint=hint)


_CURLY: Final = late_pattern("[“”„]([^“”„]+)[“”]|[‘’‚]([^‘’‚]+)[‘’]")


def parse_tagged(tag: str, word: str) -> Scalar:
    """The value of a word with a YAML tag such as `!!str`. Raises BadSettings when the two do not go together."""
    if tag in ("!", _CORE + "str"):
        return word
    value = parse_plain(word)
    wanted = _TAGGED.get(tag)
    if wanted is None:
        raise bad(f"the tag {spelled_tag(tag)} is not allowed here", hint="a suite is plain data; leave the tag out")
    if wanted is float and type(value) is int:
        return float(value)
    if type(value) is wanted:
        return value
    raise bad(f'"{word}" does not go with the tag {spelled_tag(tag)}', hint="leave the tag out")


def spelled_tag(tag: str) -> str:
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
    """A word of YAML as a number; the word itself where it is none. Raises BadSettings for numbers that are too long or not finite."""
    if _FLOAT.fullmatch(word):
        if len(word) > _LONGEST_NUMBER:
            raise bad(f"a number of {len(word)} characters is too long", hint="put it in quotes if it is a code")
        return int(word) if _INTEGER.fullmatch(word) else _read_finite(word)
    if _NOT_FINITE.fullmatch(word):
        raise _not_finite(word)
    return word


def _read_finite(word: str) -> float:
    """The number that a word writes, as a float. Raises BadSettings for one that is too large."""
    value = float(word)
    if value in (float("inf"), float("-inf")):
        raise _not_finite(word)
    return value


def _not_finite(word: str) -> Exception:
    """The exception to raise for a word that YAML reads as infinite, or as no number."""
    return bad(f"{word} is not a number that a suite can use: numbers must be finite", hint=f'as text it is "{word}"')


Value: TypeAlias = "Scalar | list[YamlNode] | dict[str, MapEntry]"

SECTIONS: Final = (
    "version", "name", "description", "extends", "test_set", "comparators", "evaluators", "slices", "measures", "statistics",
    "repeats", "confidence", "gates",
    "compare", "results", "tracking", "judge", "limits", "engine",
)  # fmt: skip
"""The settings at the top of a suite."""


class SuiteInput(Struct):
    """One file, text or Python value that a suite is made of.

    `locs` is None for a text. For a Python value a node's line is an index into `locs`, and its place is spelled.
    """

    name: str
    text: str = ""
    folder: Path | None = None
    locs: list[Loc] | None = None
    quotable: bool = True
    """Its lines may be shown. A file that is not called like a suite may hold what nobody should see."""
    file: Path | None = None
    """The file itself, for one that another suite extends."""
    written: Path | None = None
    """Where that file would be if `${NAME}` in the `extends` that led to it were the names of folders and files."""
    _lines: list[str] = field(default_factory=list)

    def line(self, number: int) -> str:
        """A line of the text, counted from 0; empty beyond the end."""
        if not self._lines:
            self._lines = lines_of(self.text)
        return self._lines[number] if 0 <= number < len(self._lines) else ""


class Spot(Struct, frozen=True):
    """A place in a document: line and column from 0."""

    document: SuiteInput
    line: int
    column: int

    @property
    def at(self) -> tuple[int, int]:
        """Line and column."""
        return self.line, self.column

    @property
    def place(self) -> str:
        """The place as messages print it: `suite.yaml:7:5`, or `evaluators[0].fields` in a Python value."""
        document = self.document
        if document.locs is None:
            return f"{document.name}:{self.line + 1}:{self.column + 1}"
        return place_text(document.locs[self.line]) or document.name

    @property
    def excerpt(self) -> str | None:
        """The line with a caret; None for a Python value, for an empty line and for a text that is not shown."""
        quotable = self.document.locs is None and self.document.quotable
        line = self.document.line(self.line) if quotable else ""
        return with_caret(line, self.column) if line.strip() else None

    def issue(self, code: str, message: str, hint: str | None = None) -> Issue:
        """A config issue at this spot."""
        return Issue(code, Blame.CONFIG, message, self.place, hint, self.excerpt)


class YamlNode(Struct, frozen=True):
    """A value of the tree and the spot where it starts."""

    value: Value
    spot: Spot


class MapEntry(Struct, frozen=True):
    """A value of a map and the spot of its key."""

    key: Spot
    node: YamlNode


class Findings(Struct):
    """Problems with their spots, to be listed in the order a reader would meet them."""

    found: list[tuple[Spot, Issue]] = field(default_factory=list)

    def add(self, spot: Spot, code: str, message: str, hint: str | None = None) -> None:
        """Note one problem."""
        self.found.append((spot, spot.issue(code, message, hint)))

    def note(self, spot: Spot, error: BadSettings) -> None:
        """Note everything that is wrong with the value at a spot."""
        for detail in error.details:
            self.add(spot, detail.code, detail.message, detail.hint)

    def raise_any(self) -> None:
        """Raises Problems where there are some: documents in the order they were met, then by line; each is in it once."""
        if self.found:
            documents = list(dict.fromkeys(id(spot.document) for spot, _ in self.found))
            ordered = sorted(self.found, key=lambda item: (documents.index(id(item[0].document)), *item[0].at))
            raise Problems(dict.fromkeys(issue for _, issue in ordered))


def refusal(code: str, message: str, hint: str | None = None) -> BadSettings:
    """The exception to raise for a value that cannot be used; whoever catches it adds the place."""
    return BadSettings([Detail((), message, hint, code=code)])


def place_text(loc: Sequence[str | int]) -> str:
    """A place inside Python data as people write it: `evaluators[0].fields["vendor.name"]`."""
    text = ""
    for part in loc:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier():
            text += f".{part}" if text else part
        else:
            text += f'["{part}"]'
    return text


def find(root: YamlNode, loc: Sequence[str | int], key: bool = False) -> Spot:
    """The spot of the value at the place `loc`, or with `key` that of its key.

    A part of the path that is not there ends the search: the answer is then the key of the nearest parent that is there,
    because what is missing from a map is missed at the map's own name.
    """
    node, name = root, root.spot
    for part in loc:
        value = node.value
        if isinstance(value, dict) and str(part) in value:
            entry = value[str(part)]
            name, node = entry.key, entry.node
        elif isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value):
            node = value[part]
            name = node.spot
        else:
            return name
    return name if key else node.spot
