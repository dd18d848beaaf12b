"""GitHub Actions: annotations, which the pages of a run and of a pull request show beside the code, and a step summary.

`--format github` prints the annotations, and adds the page in Markdown to the file that `GITHUB_STEP_SUMMARY` names. An
annotation that has a place in a file says so, and GitHub shows it there. GitHub keeps ten errors and ten warnings of a
step, so how it ended comes first, then what is weightiest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from evaluators.model.issues import Blame, Issue
from evaluators.reports.comparison_page import comparison_line
from evaluators.reports.display import visible
from evaluators.reports.headline import Options, one_line
from evaluators.runs.compare.comparison import RunComparison
from evaluators.runs.result import RunResult
from evaluators.runs.wording import gate_label

_IN_FILE: Final = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?")
_MOST_LOST: Final = 5
"""Lost rows that have an annotation of their own; all are in the page."""
Level: TypeAlias = Literal["error", "warning", "notice"]
_LEVELS: Final[Mapping[str, Level]] = {"failed": "error", "undecided": "error", "warned": "warning"}


class Annotation(Struct, frozen=True):
    """One line for GitHub: how much it matters, what it is called, and where it belongs."""

    level: Level
    title: str
    message: str
    where: str | None = None

    def __str__(self) -> str:
        """The workflow command; a place that is no line of a file stands before the message."""
        match = _IN_FILE.fullmatch(self.where) if self.where else None
        place = {"file": match["file"], "line": match["line"], "col": match["column"]} if match else {}
        message = self.message if match or not self.where else f"{self.where}: {self.message}"
        properties = {**{key: value for key, value in place.items() if value}, "title": self.title}
        written = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
        return f"::{self.level} {written}::{_escape_data(message)}"


def run_annotations(result: RunResult, options: Options) -> str:
    """One annotation for the run, and one for each gate that did not pass and each problem."""
    return _annotation_lines(
        [
            _ending_annotation(result.exit_code, one_line(result)),
            *_gate_annotations(result, options.gate_places),
            *_problem_annotations(result),
        ]
    )


def comparison_annotations(comparison: RunComparison) -> str:
    """One annotation for the comparison, and one for each regression check that did not pass, lost row, or reason against comparing."""
    return _annotation_lines(
        [_ending_annotation(comparison.exit_code, comparison_line(comparison)), *_check_annotations(comparison)]
    )


def problem_annotations(issues: Iterable[Issue]) -> str:
    """One error annotation for each problem that kept a command from doing its work, in the order given, at its place in its file."""
    return _annotation_lines(Annotation("error", issue.code, _message_with_hint(issue), issue.where) for issue in issues)


def _gate_annotations(result: RunResult, places: Mapping[str, str]) -> Iterable[Annotation]:
    """An annotation for each gate that failed, is undecided or warned, at the place of its target in the suite where that is known."""
    for verdict, level in _LEVELS.items():
        for gate in result.gates:
            if gate.verdict == verdict:
                text = f"{verdict}: {gate.message} ({gate.limit})"
                yield Annotation(level, f"gate {gate_label(gate)}", text, places.get(gate.target))


def _problem_annotations(result: RunResult) -> Iterable[Annotation]:
    """An annotation for each issue of a run and each warning, at its place: an error where suite or program is to blame."""
    for issue in (*result.issues, *result.warnings):
        level: Level = "error" if issue.blame in (Blame.CONFIG, Blame.BUG) else "warning"
        yield Annotation(level, issue.code, _message_with_hint(issue), issue.where)


def _message_with_hint(issue: Issue) -> str:
    return f"{issue.message} (hint: {issue.hint})" if issue.hint else issue.message


def _ending_annotation(exit_code: int, line: str) -> Annotation:
    """The annotation of how a command ended, with the line that says it: an error unless the exit code is 0."""
    return Annotation("notice" if exit_code == 0 else "error", "evaluators", line)


def _check_annotations(comparison: RunComparison) -> Iterable[Annotation]:
    """An annotation for each reason against comparing, each regression check that did not pass, and the first lost rows."""
    for reason in comparison.incomparable:
        yield Annotation("error", "not comparable", reason)
    for check in comparison.regression_checks:
        if check.verdict != "passed":
            about = f"regression check {check.rule}{f' of {check.target}' if check.target else ''}"
            yield Annotation("error", about, f"{check.verdict}: {check.message}")
    for row in [row for row in comparison.changed if row.lost][:_MOST_LOST]:
        why = ", ".join(f"{name} ({row.reasons[name]})" for name in row.lost)
        variant = f", variant {row.variant}" if row.variant else ""
        yield Annotation("warning", "lost row", f"row {row.number} ({row.id}){variant}: {why}")


def _annotation_lines(annotations: Iterable[Annotation]) -> str:
    return "".join(f"{annotation}\n" for annotation in annotations)


def _escape_data(text: str) -> str:
    """A message as a workflow command takes it."""
    return visible(text).replace("%", "%25")


def _escape_property(text: str) -> str:
    """The value of a property, such as `title`, as a workflow command takes it."""
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
