"""What a YAML parser cannot read, said to people.

A parser says what it expected; a person wants to know what they wrote. Each complaint is found from the kind of trouble
and from the text around it, never from the parser's own wording alone, so that both parsers of PyYAML lead to the same
answer. `_KINDS` says what is asked for each kind of trouble, in order; where nothing has to be looked at, it says what is
said. A corrected line is offered only when the parser can read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec import Struct

from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.fields.named_comparators import NEIGHBOURS
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.quoting import flow_text
from evaluators.suites.excerpt import in_yaml_quotes, lines_of, quote_words
from evaluators.suites.nodes import SuiteInput
from evaluators.suites.python_data import TOO_DEEP

Mark: TypeAlias = tuple[int, int]

QUOTE_PATH = "a path with brackets goes in quotes, or on a line of its own"
BAD_CHARACTER = "an escape in this text does not stand for a character"
BACKSLASH = "in single quotes a backslash is just a backslash"
MOST_KEY: Final = 1_024
"""Characters of a key on one line, its quotes and escapes included: a rule of YAML."""
_GLUED = late_pattern(r"(\s*(?:-\s+)*)([\w.-]+):([^\s:/].*)")
_KEY_AND_VALUE = late_pattern(r"\s*(?:-\s+)*[^\s#][^:#]*:\s+[^\s#]")
_FILE_BESIDE = late_pattern(r"""test_set:\s+["']?([^\s"'#{\[&*!|>][^"'#]*?)["']?\s*(?:\s#.*)?""")
_KEY_BESIDE_KEY = late_pattern(
    r"(?P<before>\s*(?:-\s+)*)(?P<key>[^\s:\[{#][^:#]*):\s+(?P<word>\w+):(?:\s+(?P<rest>[^\s#](?:[^#]|(?<!\s)#)*?))?\s*(?:\s#.*)?"
)
_NESTED: Final = frozenset(
    (*COMPARATORS.shipped_names(), *NEIGHBOURS, "fail_below", "warn_below", "fail_above", "warn_above")
)
"""Settings that may be the only one below a key."""
_OPENING = late_pattern(
    r"""(?m)(?:^|(?<=\s))\#.*$  # a comment
    | ^(?P<indent>\ *)[^\n#]*(?:[:-]\ +)[|>][-+0-9]*[ \t]*$ (?:\n(?:(?P=indent)\ +.*|[ \t]*$))*  # a text of several lines
    | (?:^\ *(?:-\ +)*|[:,]\ +|[\[{]\ *)(?P<mark>["'])""",
    re.VERBOSE,
)
_QUOTED_TEXT = late_pattern(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""", re.DOTALL)
_BEGINS_LINE = late_pattern(r"\s*(?:-\s+)*")
_KEY_ENDS = late_pattern(r":(?=\s|$)")
_VALUE_ENDS = late_pattern(r",(?=\s+[\w\"' .-]+:\s)")
_REST_ENDS = late_pattern(r"[\s\]}]*$")
_BARE_ITEM = late_pattern(r"(\s*(?:-\s+)*-\s+)([\w.-]+)\s*")
_BARE_WORD = late_pattern(r"(\s*(?:-\s+)*)([\w.-]+)\s*")
_GLUED_DASH = late_pattern(r"(\s*)-([^\s-].*)")
_BRACKET_VALUE = late_pattern(r"(\s*(?:-\s+)*(?:[^\s\[\]{}:]+:\s+)?)([\[{].*)")
_CLOSING = {"[": "]", "{": "}"}
_SPECIAL = {
    "*": "a star starts a reference in YAML",
    "@": "a word cannot start with @ in YAML",
    "`": "a word cannot start with a backtick in YAML",
    "%": "a word cannot start with % in YAML",
    "|": "a word cannot start with | inside brackets",
    ">": "a word cannot start with > inside brackets",
}


class ParserError(Struct, frozen=True):
    """The error of the parser: while doing what, which problem, and where (line and column from 0)."""

    context: str
    problem: str
    start: Mark | None
    at: Mark
    bracket: Mark | None = None
    """The innermost bracket that was still open."""

    @property
    def begin(self) -> Mark:
        """The place where the unreadable part begins, as far as the parser knows: else the place where it stopped."""
        return self.start or self.at


class YamlProblem(Struct, frozen=True):
    """A problem of a YAML document in words for people, with its place."""

    code: str
    at: Mark
    message: str
    hint: str | None = None


class YamlErrorExplainer:
    """Explains the parser's errors of one document. `can_read` says whether the parser can read a text; `data_of` gives its data, None
    where it cannot be read."""

    def __init__(self, document: SuiteInput, can_read: Callable[[str], bool], data_of: Callable[[str], object]) -> None:
        self.line = document.line
        self.text = document.text
        self.can_read = can_read
        self.data_of = data_of

    def explain(self, trouble: ParserError) -> YamlProblem:
        """The problem in words, for the parser's error. `_KINDS` is asked in order, and the first answer counts."""
        opening = unclosed_quote(self.text)
        if opening is not None and opening < trouble.at:
            return self._unclosed_quote(opening)
        text = f"{trouble.context} {trouble.problem}"
        problems = (explain(self, trouble) for kind, explain in _KINDS if kind in text)
        return next(filter(None, problems))

    def unknown_alias(self, at: Mark, name: str) -> YamlProblem:
        """The problem of `*name` where no `&name` stands before it."""
        message = (
            f'YAML reads *{name} as a reference to "&{name}", which is not defined above; text with a star goes in quotes'
        )
        return self.needs_quotes_problem(at, message, "unknown-alias")

    def text_at_top(self, number: int, text: str) -> YamlProblem | None:
        """The problem of a document that is one text; None for any other."""
        word = _BARE_WORD.fullmatch(self.line(number))
        return self.missing_space(number) or (self._missing_colon(number, word) if word and word[2] != text else None)

    def character(self, at: Mark) -> str:
        """The character at a place; empty at the end of a line."""
        return self.line(at[0])[at[1] : at[1] + 1]

    def needs_quotes_problem(self, at: Mark, message: str, code: str = "needs-quotes") -> YamlProblem:
        """The problem of a word at a place that must be in quotes, with the line to write as its hint."""
        return YamlProblem(
            code, at, message, self._write_hint(quote_words(self.line(at[0]), at[1])) or "put the text in quotes"
        )

    def _write_hint(self, corrected: str | None, instead_of: int | None = None) -> str | None:
        """The hint `write: …` with a corrected line. None where the parser cannot read the line, or it is the same as line
        `instead_of`."""
        if corrected is None or (instead_of is not None and corrected == self.line(instead_of)):
            return None
        text = corrected.strip()
        return f"write: {text}" if self.can_read(text) else None

    def long_key(self, trouble: ParserError) -> YamlProblem | None:
        """The problem of a key that is longer than YAML reads; None for any other."""
        number, column = trouble.at
        line = self.line(number)
        start = _key_start(line, column) if line[column : column + 1] == ":" else column
        length = column - start
        if length <= MOST_KEY:
            return None
        message = f"this key has {length:,} characters; YAML reads at most {MOST_KEY:,} as a key"
        return YamlProblem("bad-key", (number, start), message)

    def tab(self, trouble: ParserError) -> YamlProblem | None:
        """The problem of a line that is indented with a tab; None for any other."""
        for number in (trouble.at[0], trouble.at[0] - 1):
            line = self.line(number)
            indent = line[: len(line) - len(line.lstrip())]
            if "\t" in indent and line.strip():
                message = "the line starts with a tab; YAML indents with spaces"
                hint = "put two spaces for each tab; most editors can do it for the whole file"
                return YamlProblem("tab", (number, indent.index("\t")), message, hint)
        return None

    def star(self, trouble: ParserError) -> YamlProblem | None:
        """The problem of a path that begins with a star and is not in quotes; None for any other."""
        at = trouble.begin
        if self.character(at) != "*":
            return None
        if at[1] and self.line(at[0])[at[1] - 1] == "[":
            return self.needs_quotes_problem(at, QUOTE_PATH, "brackets-need-quotes")
        corrected = quote_words(self.line(at[0]), at[1])
        hint = corrected and self._write_hint(
            re.sub(r'"\*(?=[.\[][^"]*":)', '"[*]', corrected)
        )  # a key is a path: each item
        message = f"{_SPECIAL['*']}, so a path that begins with one goes in quotes"
        return YamlProblem("needs-quotes", at, message, hint or "put the text in quotes")

    def special(self, trouble: ParserError) -> YamlProblem | None:
        """The problem of a word that begins with a character that YAML keeps for itself; None for any other."""
        character = self.character(trouble.at)
        if character == "\t":
            return YamlProblem("tab", trouble.at, "there is a tab where YAML wants spaces", "put a space in its place")
        if character not in _SPECIAL:
            return None
        return self.needs_quotes_problem(trouble.at, f"{_SPECIAL[character]}; put it in quotes")

    def colon(self, trouble: ParserError) -> YamlProblem:
        """The problem of a colon inside a value that needs quotes or braces; for any other colon, that of the line above: a missing space,
        a wrong indentation or a missing colon there, or else something unknown."""
        number, column = trouble.at
        line = self.line(number)
        if ": " in line[:column].lstrip() and not line.lstrip().startswith(("{", "[", '"', "'")):
            if nested := self._key_beside_key(number):
                return nested
            message = "there is a colon inside this value; a value with a colon and a space goes in quotes"
            return self.needs_quotes_problem(trouble.at, message, "colon-in-value")
        above = self._line_above(number)
        hint = "a quote, a bracket or a colon may be missing on the line above"
        stray = YamlProblem("bad-yaml", trouble.at, "a colon is not allowed here", hint)
        return self.missing_space(above) or self._deep_line(number, above) or stray

    def _line_above(self, number: int) -> int:
        """The number of the nearest line above that is not blank; -1 when there is none."""
        return next((above for above in range(number - 1, -1, -1) if self.line(above).strip()), -1)

    def _deep_line(self, number: int, above: int) -> YamlProblem | None:
        """The problem of line `number`, which is indented deeper than the line `above` allows: that one needs a colon, or has a value
        already. None where the line above is of another kind."""
        line, previous = self.line(number), self.line(above)
        if item := _BARE_ITEM.fullmatch(previous):
            message = f'the settings of "{item[2]}" are below it, so it needs a colon'
            hint = f"write: {item[1].lstrip()}{item[2]}:"
            return YamlProblem("missing-colon", (above, len(previous.rstrip())), message, hint)
        if match := _FILE_BESIDE.fullmatch(previous):  # a file, and below it settings of the test set
            return self._settings_of_test_set(above, match[1])
        if _KEY_AND_VALUE.match(previous):
            message = "this line is indented deeper than the line above it, which already has a value"
            at = number, len(line) - len(line.lstrip())
            return YamlProblem("bad-indentation", at, message, "start both lines in the same column")
        word = _BARE_WORD.fullmatch(previous)
        return self._missing_colon(above, word) if word else None

    def _settings_of_test_set(self, number: int, file: str) -> YamlProblem:
        """The problem of settings in the lines below line `number`, a `test_set:` that has its `file` beside it."""
        message = '"test_set" has its file beside it, and settings below it; they go together in one map'
        lines = self._lines_below(number)
        data = self.data_of("\n".join(lines))
        hint = "write test_set: {file: …}, with the settings beside the file"
        if isinstance(data, dict) and "file" not in data:
            hint = f"write, in place of these {len(lines) + 1} lines: test_set: {flow_text({'file': file, **data})}"
        return YamlProblem("bad-indentation", (number, 0), message, hint)

    def _lines_below(self, number: int) -> list[str]:
        """The lines that follow a line and are indented deeper, up to a blank one, without the indentation that they share."""
        own, first = self.line(number), self.line(number + 1)
        indent, lines = len(first) - len(first.lstrip()), list[str]()
        if indent <= len(own) - len(own.lstrip()):
            return lines
        while (line := self.line(number + 1 + len(lines)))[:indent].isspace() and line.strip():
            lines.append(line[indent:])
        return lines

    def _key_beside_key(self, number: int) -> YamlProblem | None:
        """The problem of `date: date: {…}`, where a setting stands on the line of its key without braces; None for any other line."""
        match = _KEY_BESIDE_KEY.fullmatch(self.line(number))
        if match is None or match["word"] not in _NESTED or (match["before"] == "" and match["key"] == "name"):
            return None
        head, word, rest = f"{match['before']}{match['key']}", match["word"], match["rest"] or ""
        where = "write: "
        if not rest:
            lines = self._lines_below(number)
            data = self.data_of("\n".join(lines))
            rest = "" if data is None else flow_text(data)
            where = f"write, in place of these {len(lines) + 1} lines: "
        line = f"{head}: {{{word}: {rest}}}".strip()
        if not rest or not self.can_read(line):
            return None
        message = f'"{word}:" stands on the line of "{match["key"]}:"; what belongs to a key goes in braces, or on a line below it'
        return YamlProblem("colon-in-value", (number, match.start("word")), message, f"{where}{line}")

    def no_colon(self, trouble: ParserError) -> YamlProblem:
        """The problem of a line that is neither a key nor a list item."""
        number = trouble.begin[0]
        if glued := self.missing_space(number):
            return glued
        if word := _BARE_WORD.fullmatch(self.line(number)):
            return self._missing_colon(number, word)
        message = 'this line is neither "key: value" nor a list item that starts with "- "'
        return YamlProblem("missing-colon", trouble.begin, message, "a key is followed by a colon and a space")

    def _missing_colon(self, number: int, word: re.Match[str]) -> YamlProblem:
        """The problem of a line that holds one word, which reads like a key. `word` is the match of `_BARE_WORD`."""
        message = f'looks like a colon is missing after "{word[2]}"'
        return YamlProblem("missing-colon", (number, word.end(2)), message, f"write: {word[1].lstrip()}{word[2]}:")

    def missing_space(self, number: int) -> YamlProblem | None:
        """The problem of `name:text`, with no space after the colon; None for any other."""
        match = _GLUED.fullmatch(self.line(number))
        if not match:
            return None
        message = f'a space is missing after the colon of "{match[2]}"'
        hint = self._write_hint(f"{match[1]}{match[2]}: {match[3]}")
        return YamlProblem("missing-space", (number, match.end(2) + 1), message, hint)

    def open_quote(self, trouble: ParserError) -> YamlProblem | None:
        """The problem of a quote with which the unreadable part begins; None for any other."""
        return self._unclosed_quote(trouble.begin) if self.character(trouble.begin) in ("'", '"') else None

    def _unclosed_quote(self, at: Mark) -> YamlProblem:
        """The problem of the quote at a place, with the line that closes it: behind the key, before the next value, or at the end
        of the line."""
        mark, line = self.character(at), self.line(at[0])
        ends = [_KEY_ENDS.search(line, at[1])] if _BEGINS_LINE.fullmatch(line[: at[1]]) else []
        ends += [_VALUE_ENDS.search(line, at[1]), _REST_ENDS.search(line, at[1])]
        lines = (f"{line[: end.start()]}{mark}{line[end.start() :]}" for end in ends if end is not None)
        hint = next(filter(None, map(self._write_hint, lines)), f"end the text with another {mark}")
        return YamlProblem("open-quote", at, f"this {mark} is not closed", hint)

    def escape(self, trouble: ParserError) -> YamlProblem:
        """The problem of a backslash in double quotes that begins no escape."""
        number, column = trouble.at
        line = self.line(number)
        column -= line[column : column + 1] != "\\"
        message = (
            f"{line[column : column + 2]} means nothing inside double quotes; a backslash is itself in single quotes"
        )
        first, start = trouble.begin
        corrected = None
        if first == number and (end := line.find('"', column)) > 0:
            inner = line[start + 1 : end].replace("'", "''")
            corrected = f"{line[:start]}'{inner}'{line[end + 1 :]}"
        return YamlProblem("bad-escape", (number, max(column, 0)), message, self._write_hint(corrected))

    def flow(self, trouble: ParserError) -> YamlProblem | None:
        """The problem of a list in [] or a map in {}: not closed, with a word that needs quotes, with a colon in a value, or without a
        comma. None where the trouble began in neither."""
        if trouble.start is None or (opening := self.character(trouble.start)) not in _CLOSING:
            return None
        number = trouble.start[0]
        if trouble.at[0] != number:
            return self._unclosed_bracket(trouble.start)
        bracket = self.character(trouble.at) in ("[", "]", "{", "}")
        if bracket and (hint := self._write_hint(quote_words(self.line(number)), number)):
            return YamlProblem("brackets-need-quotes", trouble.at, QUOTE_PATH, hint)
        if self.character(trouble.at) == ":":
            line, column = self.line(number), trouble.at[1]
            start, end = _inside_brackets(line, column)
            text = line[start:end].strip()
            nested = self._write_hint(f"{line[:start]}{{{text}}}{line[end:]}")
            if line[start:column] in _NESTED and nested:
                message = f'"{line[start:column]}:" stands beside a key; what belongs to a key goes in braces of its own'
                return YamlProblem("colon-in-value", (number, start), message, nested)
            message = "there is a colon inside this value; a value with a colon and a space goes in quotes"
            return YamlProblem("colon-in-value", trouble.at, message, f'write "{text}"')
        message = f"a comma or {_CLOSING[opening]} was expected here, to go on with the {opening} before it"
        return YamlProblem("bad-list" if opening == "[" else "bad-map", trouble.at, message)

    def _unclosed_bracket(self, at: Mark) -> YamlProblem:
        """The problem of the bracket at a place, which is not closed."""
        opening = self.line(at[0])[at[1]]
        message = f"this {opening} is never closed, or something inside it is not separated by a comma"
        hint = f"close it with {_CLOSING[opening]}, with a comma between the items"
        return YamlProblem("open-bracket", at, message, hint)

    def block(self, trouble: ParserError) -> YamlProblem:
        """The problem of a line that does not belong to the map or the list above it."""
        at = trouble.at
        line = self.line(at[0])
        before, character = line[: at[1]].rstrip(), self.character(at)
        if character in ("]", "}"):
            return YamlProblem("bad-yaml", at, f"this {character} closes nothing", "take it away, or open it before")
        if before.endswith(("'", '"')):
            return self._after_quote(at, before[-1])
        if before.endswith(("]", "}")):
            return self._after_bracket(at)
        if glued := _GLUED_DASH.fullmatch(line):
            hint = self._write_hint(f"{glued[1]}- {glued[2]}")
            return YamlProblem("missing-space", at, "a space is missing after the dash", hint)
        if before.strip():
            message = "this does not go with the text before it on the line"
            return YamlProblem("bad-yaml", at, message, "a colon, a comma or quotes may be missing")
        if "block collection" in trouble.context:
            message = 'the lines above are a list, whose items start with "- "; this line does not belong to it'
            return YamlProblem("bad-indentation", at, message, 'indent it below its item, or start it with "- "')
        if character == "-":
            message = "there is a list item where a key was expected"
            hint = "put the list below a key that has nothing after its colon"
            return self._missing_dash(trouble) or YamlProblem("bad-indentation", at, message, hint)
        if at[1] == 0:
            return self.start(trouble)
        above = self._line_above(at[0])
        if beside := _FILE_BESIDE.fullmatch(self.line(above)):
            return self._settings_of_test_set(above, beside[1])
        message = "this line does not start in the same column as the lines it belongs to"
        return YamlProblem("bad-indentation", at, message, "indent it like its neighbours; YAML reads columns")

    def _missing_dash(self, trouble: ParserError) -> YamlProblem | None:
        """The problem of a list whose first item has no dash, so that it reads as a map; None where a dash is not what is missing."""
        start = trouble.start
        if start is None or start[1] != trouble.at[1]:
            return None
        if not self.line(self._line_above(start[0])).rstrip().endswith(":"):
            return None
        message = "a dash is missing before this line: the lines below it are items of a list"
        return YamlProblem("missing-dash", start, message, f"write: - {self.line(start[0]).strip()}")

    def _after_bracket(self, at: Mark) -> YamlProblem:
        """The problem of text behind a closing bracket, with the line in quotes as a hint."""
        corrected = None
        if value := _BRACKET_VALUE.match(self.line(at[0])):
            word, colon, rest = value[2].partition(": ")
            corrected = f"{value[1]}{in_yaml_quotes(word.strip())}{colon}{rest}"
        message = "text goes on after the closing bracket; a path or text that begins with a bracket goes in quotes"
        return YamlProblem("needs-quotes", at, message, self._write_hint(corrected, at[0]))

    def _after_quote(self, at: Mark, mark: str) -> YamlProblem:
        """The problem of text behind a closing quote, with the whole value in quotes as a hint."""
        line = self.line(at[0])
        start = line.find(mark)
        text = line[start:].rstrip()
        corrected = line[:start] + in_yaml_quotes(text[1:-1] if text.endswith(mark) else text)
        message = "text goes on after the closing quote; the whole value goes in quotes, or none of it"
        return YamlProblem("after-quote", at, message, self._write_hint(corrected, at[0]))

    def start(self, trouble: ParserError) -> YamlProblem:
        """The problem of a line at the top that belongs to no key."""
        if self.line(trouble.at[0]).lstrip().startswith(":"):
            return YamlProblem("bad-key", trouble.at, "a key is missing before this colon")
        message = "this line does not belong to the lines above it"
        return YamlProblem("bad-indentation", trouble.at, message, "start the top-level keys in the first column")

    def block_text(self, trouble: ParserError) -> YamlProblem | None:
        """The problem of text behind the `|` or `>` with which a text of several lines begins; None for any other."""
        mark = self.character(trouble.begin)
        if mark not in ("|", ">"):
            return None
        message = f"{mark} starts a text of several lines, so nothing follows it on its line"
        return self.needs_quotes_problem(trouble.begin, message)

    def no_content(self, trouble: ParserError) -> YamlProblem | None:
        """The problem of a place where a value should be; None for any other."""
        character = self.character(trouble.at)
        if not character and trouble.bracket:
            return self._unclosed_bracket(trouble.bracket)
        if not character or character not in "]},:-?":
            return None
        return self.needs_quotes_problem(trouble.at, f"a value was expected here, and {character} cannot begin one")


def unclosed_quote(text: str) -> Mark | None:
    """(line, column) of a quote that opens and is closed by what looks like the next opening one; None where every quote seems to be in
    order, and where the last is not closed at all."""
    position = 0
    while (match := _OPENING.search(text, position)) is not None:
        position = match.end()
        if match["mark"] is None:
            continue
        quoted_text = _QUOTED_TEXT.match(text, position - 1)
        if quoted_text is None:
            return None
        position = quoted_text.end()
        inside = quoted_text[0][1:-1]
        glued = text[position : position + 1] not in ("", *" \t\r\n,]}:")
        if glued and ("\n" in inside or inside[-1:] in (" ", "{", "[", ",")):
            before = lines_of(text[: match.end() - 1])
            return len(before) - 1, len(before[-1])
    return None


def _inside_brackets(line: str, colon: int) -> tuple[int, int]:
    """(begin, end): the columns of the value inside brackets that the colon in column `colon` is a part of."""
    before = re.search(r"[^\s,{\[:][^,{\[:]*\Z", line[:colon])
    depth, end = 0, colon
    while end < len(line) and (depth or line[end] not in ",]}"):
        depth += (line[end] in "[{") - (line[end] in "]}")
        end += 1
    return before.start() if before else colon, end


def _key_start(line: str, end: int) -> int:
    """The column where the key begins that ends before the column `end`."""
    mark = line[end - 1 : end]
    if mark not in ("'", '"') or not mark:
        return max(line.rfind(bracket, 0, end) for bracket in ("{", ",", "[")) + 1
    start = line.rfind(mark, 0, end - 1)
    while start > 0 and line[start - 1] == "\\":
        start = line.rfind(mark, 0, start)
    return max(start, 0)


Explain: TypeAlias = Callable[[YamlErrorExplainer, ParserError], YamlProblem | None]


def _problem_at(code: str, message: str, hint: str | None) -> Explain:
    """A function that makes a problem with these words, at the place where the parser stopped."""
    return lambda _, trouble: YamlProblem(code, trouble.at, message, hint)


def _quotes_needed_at(message: str, code: str = "needs-quotes") -> Explain:
    """A function that says, with `message`, that the word where the unreadable part begins must be in quotes."""
    return lambda explainer, trouble: explainer.needs_quotes_problem(trouble.begin, message, code)


def _bad_escape_at(_: YamlErrorExplainer, trouble: ParserError) -> YamlProblem:
    """The problem of an escape in double quotes that stands for no character."""
    return YamlProblem("bad-escape", trouble.begin, BAD_CHARACTER, BACKSLASH)


_BESIDE_KEY: Final = "put each item on a line of its own below the key, or the text in quotes"
_KINDS: Final[tuple[tuple[str, Explain], ...]] = (
    ("nesting depth", _problem_at("too-deep", TOO_DEEP, None)),
    ("", YamlErrorExplainer.tab),
    ("", YamlErrorExplainer.long_key),
    ("alias", YamlErrorExplainer.star),
    ("cannot start any token", YamlErrorExplainer.special),
    ("mapping values are not allowed", YamlErrorExplainer.colon),
    ("could not find expected ':'", YamlErrorExplainer.no_colon),
    ("unexpected end of stream", YamlErrorExplainer.open_quote),
    ("unknown escape", YamlErrorExplainer.escape),
    ("Unicode character", _bad_escape_at),
    ("hex", _bad_escape_at),
    (
        "unexpected ':'",
        _problem_at("missing-space", "inside brackets a colon is followed by a space", "or put the text in quotes"),
    ),
    (
        "mapping keys are not allowed",
        _problem_at("needs-quotes", "a question mark and a space mean something else in YAML", "put the text in quotes"),
    ),
    ("directive", _quotes_needed_at(_SPECIAL["%"] + "; put it in quotes")),
    ("flow ", YamlErrorExplainer.flow),
    ("block mapping", YamlErrorExplainer.block),
    ("block collection", YamlErrorExplainer.block),
    ("<document start>", YamlErrorExplainer.start),
    ("tag", _quotes_needed_at("a word that starts with ! is a tag in YAML, and tags are not allowed here", "bad-tag")),
    ("anchor", _quotes_needed_at("a word that starts with & names a value in YAML; as text it goes in quotes")),
    (
        "sequence entries are not allowed",
        _problem_at("bad-list", "a list does not start on the line of its key", _BESIDE_KEY),
    ),
    ("block scalar", YamlErrorExplainer.block_text),
    ("node content", YamlErrorExplainer.no_content),
    ("", _problem_at("bad-yaml", "YAML cannot read the text from here on", "put it in quotes if it is text")),
)
