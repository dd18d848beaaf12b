"""What the exit codes of the program mean: the one table that pages and the help of commands read. It loads nothing, as help does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class ExitWord(NamedTuple):
    """The words for an exit code, as pages and the command line show them."""

    headline: str
    """How a run ended, in a few words."""
    meaning: str
    compared_headline: str = ""
    """How a comparison of runs ended, where that is called otherwise."""


EXIT_WORDS: Final[Mapping[int, ExitWord]] = {
    0: ExitWord("finished", "no gate failed"),
    1: ExitWord("FAILED", "a gate failed"),
    2: ExitWord("the settings are wrong", "the suite or the command has a mistake"),
    3: ExitWord(
        "not everything could be measured", "something could not be measured", "not everything could be compared",
    ),
    4: ExitWord("the runs cannot be compared", "the runs cannot be compared"),
    70: ExitWord("a fault in the program left rows without a score", "a fault in the program"),
    130: ExitWord("interrupted", "interrupted"),
}  # fmt: skip
"""By the exit codes of a run."""

_ANY: Final[Mapping[int, str]] = {
    0: "all is well", 2: "the command has a mistake", 3: "something could not be read or written", 70: "", 130: "",
}  # fmt: skip
"""What the codes of a command mean that is not in the table below. An empty text: what it means for a run."""
_OF_COMMANDS: Final[Mapping[str, Mapping[int, str]]] = {
    "advice": {**_ANY, 0: "the run could be read"},
    "calibrate": {
        **_ANY, 0: "there was something to compare", 2: "the command has a mistake, or a mark cannot be read",
        3: "no row has both a verdict and a mark",
    },
    "check": {**_ANY, 0: "no problem", 2: "a suite or the command has a mistake", 3: "the test set has a problem"},
    "check-expected": {
        **_ANY, 0: "no problem", 2: "the schema or the command has a mistake", 3: "the expected answers have a problem",
    },
    "compare": {
        **dict.fromkeys(EXIT_WORDS, ""), 0: "no regression check failed", 1: "a regression check failed",
        3: "something could not be compared",
    },
    "convert": {
        **_ANY, 0: "a suite was written, also when some of it has no counterpart",
        2: "a file cannot be read, nothing in it has a counterpart, or a file of that name is there already",
    },
    "infer-schema": {**_ANY, 0: "every answer was read", 3: "an answer could not be read"},
    "init": {**_ANY, 0: "a suite was written", 2: "the command has a mistake, or has to name a column"},
    "report": {**_ANY, 0: "the run was written, however it ended"},
    "run": dict.fromkeys(EXIT_WORDS, ""),
    "track": {
        **_ANY, 0: "every tracker took the run", 2: "a tracker is unknown, or needs a package that is not installed",
        3: "a tracker did not take the run", 130: "interrupted: what was sent stays, and the same command sends the rest",
    },
    "try": {**_ANY, 0: "the row was scored, whatever the score", 2: "the suite or the command has a mistake"},
}  # fmt: skip


def exit_meaning(code: int, command: str = "run") -> str:
    """The meaning of a command's exit code, in words."""
    return _OF_COMMANDS[command].get(code) or EXIT_WORDS[code].meaning


def exit_codes_text(command: str) -> str:
    """The sentence on a command's exit codes: `The exit code is 0 (no gate failed), 1 (a gate failed), … or 130 (interrupted).`"""
    texts = [
        f"{code} ({meaning or EXIT_WORDS[code].meaning})" for code, meaning in _OF_COMMANDS.get(command, _ANY).items()
    ]
    return f"The exit code is {', '.join(texts[:-1])} or {texts[-1]}."
