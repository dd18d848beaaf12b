"""What the exit codes of the program mean: the one table that pages and the help of commands read. It loads nothing, as help does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class ExitWord(NamedTuple):
    """What people read of an exit code."""

    headline: str
    """How a run ended, in a few words."""
    meaning: str
    compared: str = ""
    """What it means for a comparison of runs, where that is something else."""
    compared_headline: str = ""


EXIT_WORDS: Final[Mapping[int, ExitWord]] = {
    0: ExitWord("finished", "no gate failed", "no regression check failed"),
    1: ExitWord("FAILED", "a gate failed", "a regression check failed"),
    2: ExitWord("the settings are wrong", "the suite or the command has a mistake"),
    3: ExitWord(
        "not everything could be measured", "something could not be measured",
        "something could not be compared", "not everything could be compared",
    ),
    4: ExitWord("the runs cannot be compared", "the runs cannot be compared"),
    70: ExitWord("a fault in the program left rows without a score", "a fault in the program"),
    130: ExitWord("interrupted", "interrupted"),
}  # fmt: skip
"""By the exit codes of a run."""


def exit_codes_text(*, compared: bool = False) -> str:
    """What the exit codes of a run, or of a comparison of runs, mean: `The exit code is 0 (no gate failed), 1 (a gate failed), …`."""
    said = [f"{code} ({(compared and word.compared) or word.meaning})" for code, word in EXIT_WORDS.items()]
    return f"The exit code is {', '.join(said[:-1])} or {said[-1]}."
