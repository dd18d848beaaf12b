"""The table of codes of a run folder: each distinct verdict of an evaluator once, by the number that rows name it by.

Numbers follow the rows: the first row has code 0 of every evaluator, and a verdict gets the next number in the first row
that has it, whatever the parts in which the rows were scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from evaluators.issues import Blame, Issue
from evaluators.model import Standing, Verdict
from evaluators.testsets.byte_store import write_to
from evaluators.values.json_text import compact, parse

LETTERS: Final = ".=x-+s!?"
"""One letter for each status: not measured, match, mismatch, omission, hallucination, skipped, error, fault."""
_STANDINGS: Final = {standing.word: standing for standing in Standing}


class CodeTable:
    """Verdicts as bytes, numbered in the order in which they are given."""

    def __init__(self, evaluators: int) -> None:
        self._numbers: list[dict[bytes, int]] = [{} for _ in range(evaluators)]

    def number(self, evaluator: int, verdict: bytes) -> int:
        """The code of a verdict."""
        known = self._numbers[evaluator]
        return known.setdefault(verdict, len(known))

    def write(self, names: Sequence[str], target: Path) -> None:
        """The table, one line for each code of each evaluator."""
        with write_to(str(target)) as stream:
            for name, known in zip(names, self._numbers, strict=True):
                head = compact(name)
                stream.writelines(
                    b'{"evaluator":%b,"code":%d,%b\n' % (head, code, text[1:]) for text, code in known.items()
                )


def code_text(verdict: Verdict) -> bytes:
    """A verdict as JSON. What is not said is as in most rows: scored, without counts, figures or an issue."""
    said = b'{"status":"%b"' % _WORDS[verdict.standing]
    if verdict.den:
        said += b',"score":[%d,%d]' % (verdict.num, verdict.den)
    if verdict.passed is not None:
        said += b',"passed":true' if verdict.passed else b',"passed":false'
    if verdict.statuses:
        said += b',"fields":"%b"' % verdict.statuses.translate(_LETTER_OF)
    if verdict.counts is not None:
        said += b',"counts":[%d,%d,%d,%d]' % verdict.counts
    if verdict.figures:
        said += b',"metrics":%b' % compact([list(figure) for figure in verdict.figures])
    if verdict.values:
        said += b',"values":%b' % compact(list(verdict.values))
    if verdict.issue is not None:
        issue = {name: value for name, value in asdict(verdict.issue).items() if value is not None}
        said += b',"issue":%b' % compact(issue)
    return said + b"}"


_WORDS: Final = {standing: word.encode() for word, standing in _STANDINGS.items()}
_LETTER_OF: Final = bytes(map(ord, LETTERS)) + bytes(256 - len(LETTERS))


def verdict_of(line: Mapping[str, Any]) -> Verdict:
    """The verdict that a line of the table stands for. Raises KeyError, TypeError or ValueError for one that is damaged."""
    num, den = line.get("score", (0, 0))
    counts, issue = line.get("counts"), line.get("issue")
    return Verdict(
        _STANDINGS[line["status"]], line.get("passed"), num, den,
        bytes(map(LETTERS.index, line.get("fields", ""))),
        None if counts is None else (counts[0], counts[1], counts[2], counts[3]),
        None if issue is None else Issue(**{**issue, "blame": Blame(issue["blame"])}),
        tuple((one, other) for one, other in line.get("metrics", ())),
        tuple(line.get("values", ())),
    )  # fmt: skip


def _parsed(line: bytes) -> Mapping[str, Any]:
    found = parse(line)
    if not isinstance(found, dict):
        raise ValueError("a line of the table of codes is no object")
    return found


def read_codes(file: Path) -> dict[str, list[Verdict]]:
    """The verdicts of each evaluator by code. Raises OSError, KeyError, TypeError or ValueError."""
    found: dict[str, list[Verdict]] = {}
    with open(file, "rb") as stream:
        for line in map(_parsed, stream):
            found.setdefault(line["evaluator"], []).append(verdict_of(line))
    return found
