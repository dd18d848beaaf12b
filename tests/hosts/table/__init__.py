"""One table of rows that every tracker and every harness is given, and what `evaluators run` says of it.

Its rows end in every way there is: right, wrong, lacking, unreadable, invalid, blocked, skipped, unjudged. A host has to show
the same: every row is there, scores and aggregates are ours, and an error is an error.

    ours = figures(tmp_path)                      # runs `evaluators run` on the table, and reads its folder
    assert_same_rows(read_from_the_host, ours)    # {id: {evaluator: Found(score, error)}}
    assert_same_figures({"header": Aggregate(mean_score, pass_rate, scored)}, ours)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

import evaluators
from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.rows import FIELD_STATUSES
from evaluators.reports.tracking.metrics import headline_of, metrics_of
from evaluators.reports.tracking.recorded_suite import overall_scores
from evaluators.runs.reader import Run
from tests.kit import cli

HERE: Final = Path(__file__).parent
SUITE: Final = HERE / "suite.yaml"
ROWS: Final = HERE / "rows.csv"
JUDGE: Final = "asks_a_judge"
EXIT_CODE: Final = 1
"""One of its gates fails, one is undecided, one passes."""


def asks_a_judge(expected: Any, actual: Any, params: Mapping[str, Any]) -> evaluators.Comparison:
    """A comparator of somebody's own that asks a judge. The judge is of two minds, and sometimes not there at all."""
    if "silent" in str(expected):
        raise RowProblem(Issue("judge-silent", Blame.ENVIRONMENT, "the judge gave no answer"))
    return evaluators.Comparison(0.5, False, "the judge is of two minds")


def register() -> None:
    """Makes the comparator of the suite known to this process."""
    evaluators.register(JUDGE, asks_a_judge, overwrite=True)


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one row under one evaluator, as the run folder says."""

    status: str
    """scored, unreadable, blocked, skipped, invalid, unjudged …"""
    score: float | None
    passed: bool | None
    fields: Mapping[str, str] = field(default_factory=dict)
    """The status of each listed field: match, mismatch, omission …"""

    @property
    def error(self) -> bool:
        """The row could not be measured: neither the output nor the suite is to blame."""
        return self.status in ("invalid", "unjudged", "bug")


@dataclass(frozen=True, slots=True)
class Figures:
    """The run of the table."""

    folder: Path
    """The run folder."""
    run: Mapping[str, Any]
    """Its `run.json`."""
    rows: Mapping[str, Mapping[str, Row]]
    """By id, then by evaluator."""
    metrics: Mapping[str, float]
    """The metrics of the run without counts that are 0, by their names."""
    main: Mapping[str, float]
    """Those that trackers send unless all are asked for."""

    @property
    def record(self) -> Run:
        """The run as trackers get it."""
        return Run(self.folder)

    @property
    def evaluators(self) -> tuple[str, ...]:
        """The names of the evaluators."""
        return tuple(each["name"] for each in self.run["evaluators"])


class Found(NamedTuple):
    """What a host says of one row under one evaluator."""

    score: float | None
    error: bool = False
    """The host shows an error for the row."""


class Aggregate(NamedTuple):
    """What a host says of one evaluator over all rows, with our denominators."""

    mean_score: float | None
    pass_rate: float | None = None
    scored: int | None = None


def figures(folder: Path, *words: str, suite: Path = SUITE, name: str = "table") -> Figures:
    """Runs `evaluators run` on the table, with further words of the command line, into a run folder inside `folder`."""
    register()
    ended = cli("run", str(suite), "--results", str(folder / "runs"), "--name", name, "-q", *words)
    assert ended.exit_code == EXIT_CODE, ended.output
    return read_figures(folder / "runs" / name)


def headline(evaluator: str) -> tuple[str, str, str]:
    """The metrics with its mean score, its pass rate, and over how many rows they are."""
    return (f"{evaluator}/mean", f"{evaluator}/pass_rate", f"evaluator/{evaluator}/rows/scored")


def read_figures(folder: Path) -> Figures:
    """What a run folder says; of several models, the rows of the first."""
    record = Run(folder)
    rows: dict[str, dict[str, Row]] = {}
    for row in record.each_row(record.each_variant[0], explained=False):
        rows[row.id] = {
            one.name: Row(
                verdict.status.word, verdict.score, verdict.passed,
                {path: FIELD_STATUSES[code].word for path, code in zip(one.fields, verdict.statuses, strict=False)},
            )
            for one, verdict in zip(record.facts.evaluators, row.verdicts, strict=True)
        }  # fmt: skip
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    main = headline_of(record.result, overall_scores(record))
    return Figures(folder, run, rows, metrics_of(record.result), main)


def assert_same_rows(
    found: Mapping[str, Mapping[str, Found]], ours: Figures, evaluators: Iterable[str] | None = None
) -> None:
    """Every row is there once, with our score under each evaluator; what is an error here is an error there, and else not."""
    names = tuple(ours.evaluators if evaluators is None else evaluators)
    assert sorted(found) == sorted(ours.rows)
    for id, row in ours.rows.items():
        for name in names:
            mine, theirs = row[name], found[id].get(name, Found(None))
            assert theirs.error == mine.error, f"{id}, {name}: {mine} and {theirs}"
            score = None if mine.score is None else pytest.approx(mine.score, rel=1e-9)
            assert theirs.score == score, f"{id}, {name}: {mine} and {theirs}"


def assert_same_figures(found: Mapping[str, Aggregate], ours: Figures) -> None:
    """The aggregates of evaluators are those of our `run.json`. What a host does not say is not compared."""
    mine = {each["name"]: each for each in ours.run["evaluators"]}
    assert found
    for name, theirs in found.items():
        for figure, key in (("mean_score", "mean"), ("pass_rate", "pass_rate"), ("scored", "scored")):
            value = getattr(theirs, figure)
            if figure == "mean_score" or value is not None:
                wanted = mine[name][key]
                assert value == (None if wanted is None else pytest.approx(wanted, rel=1e-9)), f"{name}, {figure}"
