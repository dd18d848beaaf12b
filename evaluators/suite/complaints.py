"""What a YAML parser cannot read, said to people.

A parser says what it expected; a person wants to know what they wrote. Each complaint is found from the kind of trouble
and from the text around it, never from the parser's own wording alone, so that both parsers of PyYAML lead to the same
answer. A corrected line is offered only when the parser can read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from evaluators.suite.nodes import SuiteInput
from evaluators.suite.python_data import TOO_DEEP
from evaluators.suite.yaml_quoting import quoted, requoted

Mark = tuple[int, int]

QUOTE_PATH = "a path with brackets goes in quotes, or on a line of its own"
BAD_CHARACTER = "an escape in this text does not stand for a character"
BACKSLASH = "in single quotes a backslash is just a backslash"
_GLUED = re.compile(r"(\s*(?:-\s+)*)([\w.-]+):([^\s:/].*)")
_KEY_AND_VALUE = re.compile(r"\s*(?:-\s+)*[^\s#][^:#]*:\s+[^\s#]")
_BARE_ITEM = re.compile(r"(\s*(?:-\s+)*-\s+)([\w.-]+)\s*")
_BARE_WORD = re.compile(r"(\s*(?:-\s+)*)([\w.-]+)\s*")
_GLUED_DASH = re.compile(r"(\s*)-([^\s-].*)")
_CLOSING = {"[": "]", "{": "}"}
_SPECIAL = {
    "*": "a star starts a reference in YAML",
    "@": "a word cannot start with @ in YAML",
    "`": "a word cannot start with a backtick in YAML",
    "%": "a word cannot start with % in YAML",
    "|": "a word cannot start with | inside brackets",
    ">": "a word cannot start with > inside brackets",
}


class Trouble(Struct, frozen=True):
    """What the parser said: while doing what, which problem, and where (line and column from 0)."""

    context: str
    problem: str
    start: Mark | None
    at: Mark
    bracket: Mark | None = None
    """The innermost bracket that was still open."""


class Complaint(Struct, frozen=True):
    """The same for people."""

    code: str
    at: Mark
    message: str
    hint: str | None = None


MOST_KEY: Final = 1_024
"""Characters of a key on one line, its quotes and escapes included: a rule of YAML."""


def _key_start(line: str, end: int) -> int:
    """Where the key begins that ends before a column."""
    mark = line[end - 1 : end]
    if mark not in ("'", '"') or not mark:
        return max(line.rfind(bracket, 0, end) for bracket in ("{", ",", "[")) + 1
    start = line.rfind(mark, 0, end - 1)
    while start > 0 and line[start - 1] == "\\":
        start = line.rfind(mark, 0, start)
    return max(start, 0)


class Explainer:
    """Explains the trouble of one document. `reads` says whether the parser can read a text."""

    def __init__(self, document: SuiteInput, reads: Callable[[str], bool]) -> None:
        self.line = document.line
        self.reads = reads

    def explain(self, trouble: Trouble) -> Complaint:
        """The complaint that fits best."""
        for kind, explain in (
            ("nesting depth", self._nesting),
            ("", self._tab),
            ("", self._long_key),
            ("alias", self._star),
            ("cannot start any token", self._special),
            ("mapping values are not allowed", self._colon),
            ("could not find expected ':'", self._no_colon),
            ("unexpected end of stream", self._open_quote),
            ("unknown escape", self._escape),
            ("Unicode character", self._bad_character),
            ("hex", self._bad_character),
            ("unexpected ':'", self._tight_colon),
            ("mapping keys are not allowed", self._question_mark),
            ("directive", self._directive),
            ("flow ", self._flow),
            ("block mapping", self._block),
            ("block collection", self._block),
            ("<document start>", self._start),
            ("tag", self._tag),
            ("anchor", self._anchor),
            ("sequence entries are not allowed", self._item_beside_key),
            ("block scalar", self._block_text),
            ("node content", self._no_content),
        ):
            if kind in f"{trouble.context} {trouble.problem}" and (complaint := explain(trouble)):
                return complaint
        return Complaint(
            "bad-yaml", trouble.at, "YAML cannot read the text from here on", "put it in quotes if it is text"
        )

    def _nesting(self, trouble: Trouble) -> Complaint:
        return Complaint("too-deep", trouble.at, TOO_DEEP)

    def _long_key(self, trouble: Trouble) -> Complaint | None:
        line, column = self.line(trouble.at[0]), trouble.at[1]
        start = _key_start(line, column) if line[column : column + 1] == ":" else column
        length = column - start
        if length <= MOST_KEY:
            return None
        message = f"this key has {length:,} characters; YAML reads at most {MOST_KEY:,} as a key"
        return Complaint("bad-key", (trouble.at[0], start), message)

    def _tab(self, trouble: Trouble) -> Complaint | None:
        for number in (trouble.at[0], trouble.at[0] - 1):
            line = self.line(number)
            indent = line[: len(line) - len(line.lstrip())]
            if "\t" in indent and line.strip():
                at = number, indent.index("\t")
                message = "the line starts with a tab; YAML indents with spaces"
                return Complaint(
                    "tab", at, message, "put two spaces for each tab; most editors can do it for the whole file"
                )
        return None

    def _star(self, trouble: Trouble) -> Complaint | None:
        at = trouble.start or trouble.at
        line = self.line(at[0])
        if line[at[1] : at[1] + 1] != "*":
            return None
        if at[1] and line[at[1] - 1] == "[":
            return self._quote(at, QUOTE_PATH, "brackets-need-quotes")
        return self._quote(at, _SPECIAL["*"] + ", so a path that begins with one goes in quotes", "needs-quotes")

    def unknown_alias(self, at: Mark, name: str) -> Complaint:
        """`*name` without a `&name` before it."""
        message = (
            f'YAML reads *{name} as a reference to "&{name}", which is not defined above; text with a star goes in quotes'
        )
        return self._quote(at, message, "unknown-alias")

    def _special(self, trouble: Trouble) -> Complaint | None:
        character = self.line(trouble.at[0])[trouble.at[1] : trouble.at[1] + 1]
        if character == "\t":
            return Complaint("tab", trouble.at, "there is a tab where YAML wants spaces", "put a space in its place")
        if character not in _SPECIAL:
            return None
        return self._quote(trouble.at, _SPECIAL[character] + "; put it in quotes", "needs-quotes")

    def text_at_top(self, number: int, text: str) -> Complaint | None:
        """What is wrong when the whole document is one text."""
        word = _BARE_WORD.fullmatch(self.line(number))
        return self.glued(number) or (self._missing_colon(number, word) if word and word[2] != text else None)

    def _colon(self, trouble: Trouble) -> Complaint | None:
        number, column = trouble.at
        line = self.line(number)
        if ": " in line[:column].lstrip() and not line.lstrip().startswith(("{", "[", '"', "'")):
            message = "there is a colon inside this value; a value with a colon and a space goes in quotes"
            return self._quote(trouble.at, message, "colon-in-value")
        above = self._above(number)
        hint = "a quote, a bracket or a colon may be missing on the line above"
        stray = Complaint("bad-yaml", trouble.at, "a colon is not allowed here", hint)
        return self.glued(above) or self._too_deep(number, above) or stray

    def _above(self, number: int) -> int:
        """The number of the nearest line above that is not blank; -1 when there is none."""
        return next((above for above in range(number - 1, -1, -1) if self.line(above).strip()), -1)

    def _tight_colon(self, trouble: Trouble) -> Complaint:
        return Complaint(
            "missing-space", trouble.at, "inside brackets a colon is followed by a space", "or put the text in quotes"
        )

    def _question_mark(self, trouble: Trouble) -> Complaint:
        message = "a question mark and a space mean something else in YAML"
        return Complaint("needs-quotes", trouble.at, message, "put the text in quotes")

    def _directive(self, trouble: Trouble) -> Complaint:
        return self._quote(trouble.start or trouble.at, _SPECIAL["%"] + "; put it in quotes", "needs-quotes")

    def _too_deep(self, number: int, above: int) -> Complaint | None:
        line, previous = self.line(number), self.line(above)
        at = number, len(line) - len(line.lstrip())
        if item := _BARE_ITEM.fullmatch(previous):
            message = f'the settings of "{item[2]}" are below it, so it needs a colon'
            return Complaint(
                "missing-colon", (above, len(previous.rstrip())), message, f"write: {item[1].lstrip()}{item[2]}:"
            )
        if _KEY_AND_VALUE.match(previous):
            message = "this line is indented deeper than the line above it, which already has a value"
            return Complaint("bad-indentation", at, message, "start both lines in the same column")
        if word := _BARE_WORD.fullmatch(previous):
            return self._missing_colon(above, word)
        return None

    def _no_colon(self, trouble: Trouble) -> Complaint | None:
        number, column = trouble.start or trouble.at
        if glued := self.glued(number):
            return glued
        if word := _BARE_WORD.fullmatch(self.line(number)):
            return self._missing_colon(number, word)
        message = 'this line is neither "key: value" nor a list item that starts with "- "'
        return Complaint("missing-colon", (number, column), message, "a key is followed by a colon and a space")

    def _missing_colon(self, number: int, word: re.Match[str]) -> Complaint:
        message = f'looks like a colon is missing after "{word[2]}"'
        return Complaint("missing-colon", (number, word.end(2)), message, f"write: {word[1].lstrip()}{word[2]}:")

    def glued(self, number: int) -> Complaint | None:
        """`name:text`, with no space after the colon."""
        found = _GLUED.fullmatch(self.line(number))
        if not found:
            return None
        corrected = f"{found[1]}{found[2]}: {found[3]}"
        message = f'a space is missing after the colon of "{found[2]}"'
        return Complaint("missing-space", (number, found.end(2) + 1), message, self._write(corrected))

    def _open_quote(self, trouble: Trouble) -> Complaint | None:
        number, column = trouble.start or trouble.at
        mark = self.line(number)[column : column + 1]
        if mark not in ("'", '"'):
            return None
        hint = f"end the text with another {mark}"
        return Complaint("open-quote", (number, column), f"this {mark} is never closed", hint)

    def _escape(self, trouble: Trouble) -> Complaint | None:
        number, column = trouble.at
        line = self.line(number)
        column -= line[column : column + 1] != "\\"
        message = (
            f"{line[column : column + 2]} means nothing inside double quotes; a backslash is itself in single quotes"
        )
        start = trouble.start or trouble.at
        corrected = None
        if start[0] == number and (end := line.find('"', column)) > 0:
            inner = line[start[1] + 1 : end]
            corrected = f"{line[: start[1]]}'{inner.replace(chr(39), chr(39) * 2)}'{line[end + 1 :]}"
        return Complaint("bad-escape", (number, max(column, 0)), message, self._write(corrected))

    def _bad_character(self, trouble: Trouble) -> Complaint:
        return Complaint("bad-escape", trouble.start or trouble.at, BAD_CHARACTER, BACKSLASH)

    def _flow(self, trouble: Trouble) -> Complaint | None:
        if trouble.start is None:
            return None
        number, column = trouble.start
        opening = self.line(number)[column : column + 1]
        if opening not in ("[", "{"):
            return None
        if trouble.at[0] != number:
            return self._never_closed(trouble.start)
        closing = _CLOSING[opening]
        found = self.line(number)[trouble.at[1] : trouble.at[1] + 1]
        if found in ("[", "]", "{", "}") and (hint := self._write(requoted(self.line(number)), number)):
            return Complaint("brackets-need-quotes", trouble.at, QUOTE_PATH, hint)
        message = f"a comma or {closing} was expected here, to go on with the {opening} before it"
        return Complaint("bad-list" if opening == "[" else "bad-map", trouble.at, message)

    def _never_closed(self, at: Mark) -> Complaint:
        opening = self.line(at[0])[at[1]]
        message = f"this {opening} is never closed, or something inside it is not separated by a comma"
        return Complaint(
            "open-bracket", at, message, f"close it with {_CLOSING[opening]}, with a comma between the items"
        )

    def _block(self, trouble: Trouble) -> Complaint | None:
        number, column = trouble.at
        line = self.line(number)
        before, found = line[:column].rstrip(), line[column : column + 1]
        if found in ("]", "}"):
            return Complaint("bad-yaml", trouble.at, f"this {found} closes nothing", "take it away, or open it before")
        if before.endswith(("'", '"')):
            return self._after_quote(trouble.at, before[-1])
        if before.endswith(("]", "}")):
            return self._quote_from_bracket(trouble.at)
        if glued := _GLUED_DASH.fullmatch(line):
            message = "a space is missing after the dash"
            return Complaint("missing-space", trouble.at, message, self._write(f"{glued[1]}- {glued[2]}"))
        if before.strip():
            message = "this does not go with the text before it on the line"
            return Complaint("bad-yaml", trouble.at, message, "a colon, a comma or quotes may be missing")
        if "block collection" in trouble.context:
            message = 'the lines above are a list, whose items start with "- "; this line does not belong to it'
            return Complaint("bad-indentation", trouble.at, message, 'indent it below its item, or start it with "- "')
        if found == "-" and (missing := self._missing_dash(trouble)):
            return missing
        if found == "-":
            message = "there is a list item where a key was expected"
            return Complaint(
                "bad-indentation", trouble.at, message, "put the list below a key that has nothing after its colon"
            )
        if column == 0:
            return self._start(trouble)
        message = "this line does not start in the same column as the lines it belongs to"
        return Complaint("bad-indentation", trouble.at, message, "indent it like its neighbours; YAML reads columns")

    def _missing_dash(self, trouble: Trouble) -> Complaint | None:
        """The first item of a list lacks its dash: what follows the key above reads as a map."""
        start = trouble.start
        if start is None or start[1] != trouble.at[1]:
            return None
        if not self.line(self._above(start[0])).rstrip().endswith(":"):
            return None
        message = "a dash is missing before this line: the lines below it are items of a list"
        return Complaint("missing-dash", start, message, f"write: - {self.line(start[0]).strip()}")

    def _quote_from_bracket(self, at: Mark) -> Complaint:
        line = self.line(at[0])
        value = re.match(r"(\s*(?:-\s+)*(?:[^\s\[\]{}:]+:\s+)?)([\[{].*)", line)
        corrected = _with_quoted_tail(value[1], value[2]) if value else None
        message = "text goes on after the closing bracket; a path or text that begins with a bracket goes in quotes"
        return Complaint("needs-quotes", at, message, self._write(corrected, at[0]))

    def _after_quote(self, at: Mark, mark: str) -> Complaint:
        line = self.line(at[0])
        start = line.find(mark)
        text = line[start:].rstrip()
        corrected = line[:start] + quoted(text[1:-1] if text.endswith(mark) else text)
        message = "text goes on after the closing quote; the whole value goes in quotes, or none of it"
        return Complaint("after-quote", at, message, self._write(corrected, at[0]))

    def _start(self, trouble: Trouble) -> Complaint | None:
        if self.line(trouble.at[0]).lstrip().startswith(":"):
            return Complaint("bad-key", trouble.at, "a key is missing before this colon")
        message = "this line does not belong to the lines above it"
        return Complaint("bad-indentation", trouble.at, message, "start the top-level keys in the first column")

    def _tag(self, trouble: Trouble) -> Complaint:
        message = "a word that starts with ! is a tag in YAML, and tags are not allowed here"
        return self._quote(trouble.start or trouble.at, message, "bad-tag")

    def _anchor(self, trouble: Trouble) -> Complaint:
        message = "a word that starts with & names a value in YAML; as text it goes in quotes"
        return self._quote(trouble.start or trouble.at, message, "needs-quotes")

    def _item_beside_key(self, trouble: Trouble) -> Complaint:
        hint = "put each item on a line of its own below the key, or the text in quotes"
        return Complaint("bad-list", trouble.at, "a list does not start on the line of its key", hint)

    def _block_text(self, trouble: Trouble) -> Complaint | None:
        start = trouble.start or trouble.at
        mark = self.line(start[0])[start[1] : start[1] + 1]
        if mark not in ("|", ">"):
            return None
        return self._quote(
            start, f"{mark} starts a text of several lines, so nothing follows it on its line", "needs-quotes"
        )

    def _no_content(self, trouble: Trouble) -> Complaint | None:
        found = self.line(trouble.at[0])[trouble.at[1] : trouble.at[1] + 1]
        if not found and trouble.bracket:
            return self._never_closed(trouble.bracket)
        if found not in ("]", "}", ",", ":", "-", "?"):
            return None
        message = f"a value was expected here, and {found} cannot begin one"
        return self._quote(trouble.at, message, "needs-quotes")

    def _quote(self, at: Mark, message: str, code: str) -> Complaint:
        line = self.line(at[0])
        return Complaint(code, at, message, self._write(requoted(line, at[1])) or "put the text in quotes")

    def _write(self, corrected: str | None, instead_of: int | None = None) -> str | None:
        """`write: …`, when the parser can read the line (and it is another line)."""
        if corrected is None or (instead_of is not None and corrected == self.line(instead_of)):
            return None
        text = corrected.strip()
        return f"write: {text}" if self.reads(text) else None


def _with_quoted_tail(head: str, tail: str) -> str:
    word, colon, rest = tail.partition(": ")
    return f"{head}{quoted(word.strip())}{colon}{rest}"
