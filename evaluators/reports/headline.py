"""A run in one line, and what a reader of its pages asks for: all that a quiet run needs of the reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from evaluators.model.exit_words import EXIT_WORDS
from evaluators.reports.display import visible
from evaluators.runs.metrics import rows_text
from evaluators.runs.result import RunResult

if TYPE_CHECKING:
    from evaluators.reports.document import Section
    from evaluators.reports.mistakes import Mistake
    from evaluators.reports.suggestions import Suggestion
    from evaluators.scoring.evaluators._texts import LabelRule


class Options(Struct, frozen=True):
    """The options of a report."""

    lowest_fields: int = 10
    """How many of the fields with the lowest accuracy are listed."""
    files: tuple[str, ...] = ()
    """Where the results are, one line each."""
    left_out: tuple[str, ...] = ()
    """Files that were not written, one line each with the command that writes it; RUN stands for the run folder."""
    run: str = "RUN"
    """The run folder as these lines name it; empty where nothing of the run is kept."""
    extra: tuple[Section, ...] = ()
    """Sections that the page with every table has beside the usual ones, such as `hardest_rows`."""
    asked: tuple[Section, ...] = ()
    """Those of them that were asked for: the summary has them, too."""
    mistakes: tuple[Mistake, ...] = ()
    """What went wrong, the most frequent first."""
    mistakes_until: int | None = None
    """The last row that was looked at for them, where that is not the last of the run."""
    suggestions: tuple[Suggestion, ...] = ()
    """Changes to the suite, each with the values that it would make right."""
    search: tuple[str, ...] = ()
    """The command that searches for such changes, where the run did not."""
    explain: bool = False
    """Say what the words of the summary mean."""
    gate_places: Mapping[str, str] = field(default_factory=dict)
    """Where the suite sets the gates on each target."""
    label_rules: Mapping[str, LabelRule] = field(default_factory=dict)
    """How evaluators read labels, by name: a page that has rows leads from a cell of a label table to its rows."""
    variant: str | None = None
    """The variant that the file is about, where each has its own."""
    evaluator: str = ""
    """The evaluator that the file is about, where each has its own."""
    table: str = ""
    """The table that the file holds, where each has its own."""


def one_line(result: RunResult) -> str:
    """The run in one line: its name and how it ended, with every cause."""
    causes = f" ({'; '.join(result.causes)})" if result.causes else ""
    return visible(f"{result.name}: {headline(result)}{causes}")


def headline(result: RunResult) -> str:
    """How the run ended, in a few words."""
    if not result.complete:
        finished = max((stats.rows for stats in result.evaluators), default=result.rows)
        return f"interrupted after {rows_text(finished)}; the metrics are those of the finished rows only"
    if result.exit_code == 0 and result.gates:
        warned = any(gate.verdict == "warned" for gate in result.gates)
        return "passed, with warnings" if warned else "passed"
    return EXIT_WORDS[result.exit_code].headline
