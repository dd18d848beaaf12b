"""A hint typed as it stands: the line, the value or the word that it says, put in its place in a suite."""

from __future__ import annotations

import re

from evaluators.model.issues import Issue

_MEANT = re.compile(r'did you mean "([^"]+)"\?')
_IN_PLACE = re.compile(r"write, in place of these (\d+) lines: (.*)")
_GOES_UNDER = re.compile(r'"(\w+)" goes under "(\w+)": write (.*)')
_WRITE = re.compile(r"(?:.*?[:;] )?write (?P<item>- )?(?P<text>.*)", re.DOTALL)
_OPEN = re.compile(
    r"…|\b(?:NAME|FILE|COLUMN|PATH|ADDRESS|EVALUATOR|VERSION)\b|\bsetting: |\bin the suite\b|\bbeside `|, without forgive$"
)
"""What stands in a hint that is not a finished line: a word to be replaced, or a place elsewhere."""
_END = re.compile(r"; | \(|, (?:or|with|without|which|a|and|in)\b| for \S+(?: %)?$")
_KEY = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'{}\[\],:]+)(?=:(?:\s|$))""")


def typed(text: str, issue: Issue) -> str | None:
    """The suite once the hint of a problem is followed to the letter; None for a hint that is no finished line."""
    place = re.search(r":(\d+):(\d+)$", issue.where or "")
    hint = issue.hint or ""
    if place is None or _OPEN.search(hint):
        return None
    lines, row, column = text.splitlines(), int(place[1]) - 1, int(place[2]) - 1
    if row >= len(lines):
        return None
    line = lines[row]
    indent = line[: len(line) - len(line.lstrip())]
    if hint.startswith("write: "):
        lines[row] = indent + hint.removeprefix("write: ")
    elif found := _IN_PLACE.fullmatch(hint):
        lines[row : row + int(found[1])] = [indent + found[2]]
    elif found := _GOES_UNDER.fullmatch(hint):
        lines = [*(one for one in lines if not one.startswith((f"{found[1]}:", f"{found[2]}:"))), found[3]]
    elif found := _MEANT.fullmatch(hint):
        word = re.compile(r"preset:\S+|[^\s:,{}\[\]]+").match(line, column)
        assert word is not None, (line, column)
        before = "preset:" if word[0].startswith("preset:") else ""
        lines[row] = line[:column] + before + found[1] + line[word.end() :]
    elif found := _WRITE.fullmatch(hint):
        _put(lines, row, column, _until(found["text"], _END))
    else:
        return None
    return "\n".join(lines) + "\n"


def _put(lines: list[str], row: int, column: int, new: str) -> None:
    """Puts an entry, a key or a value in place of the one at a place, in these lines."""
    line = lines[row]
    key, bare = _KEY.match(new), new.strip('"')
    if (there := _KEY.match(line, column)) and key is None and not new.startswith("{"):
        lines[row] = line[:column] + new + line[there.end() :]
    elif key is not None and row and lines[row - 1].strip() == f"{key[0]}:":
        lines[row - 1 : row + 1] = [new]
    elif new.startswith("{") and line[column - 1] == "{":
        lines[row] = line[: column - 1] + new + line[_end_of_entry(line, column - 1) :]
    elif key is None and (start := line.find(bare)) >= 0 and start < column < start + len(bare):
        lines[row] = line[:start] + new + line[start + len(bare) :]
    else:
        before = key and re.search(rf"(?<![\w.]){re.escape(key[0])}:\s+$", line[:column])
        start = before.start() if before else column
        lines[row] = line[:start] + new + line[_end_of_entry(line, column) :]


def _until(text: str, end: re.Pattern[str]) -> str:
    """The text up to the first end that stands outside brackets and quotes."""
    return next((text[: found.start()] for found in end.finditer(text) if _is_outside(text[: found.start()])), text)


def _is_outside(before: str) -> bool:
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", before)
    return bare.count("{") == bare.count("}") and bare.count("[") == bare.count("]") and '"' not in bare


def _end_of_entry(line: str, start: int) -> int:
    """Where the entry ends that begins at a place: before the comma or bracket that ends it, or at the end of its line."""
    for end in range(start, len(line)):
        if line[end] in ",]}" and _is_outside(line[start:end]):
            return end
    return len(line)
