"""The runs in a folder of results, as a page and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evaluators.reports.document import Block, Page, PageTable, Paragraph, Section, Tone, heads
from evaluators.runs.metrics import score_text
from evaluators.runs.run_listing import ListedRun

_TONES: Final[dict[str, Tone]] = {"finished": "plain", "going": "good", "unreadable": "bad"}


def runs_page(results: Path, runs: Sequence[ListedRun]) -> Page:
    """The page with a table of these runs of the folder `results`, and with the commands that go on with unfinished ones or remove them."""
    title = f"The runs in {results}"
    if not runs:
        return Page(title, (Section(None, (Paragraph("There are none."),)),))
    table = PageTable(
        heads("run", "state", "#rows", "#mean score", "suite", "test set", "started"),
        tuple(
            (
                run.name, state_words(run), "" if run.rows is None else f"{run.rows:,}", _score(run), run.suite or "",
                run.test_set or "", (run.started or "").replace("T", " ")[:19],
            )
            for run in runs
        ),
        tuple(_TONES.get(run.state, "warning") for run in runs),
    )  # fmt: skip
    blocks: list[Block] = [table]
    unfinished = any(run.state == "unfinished" for run in runs)
    if unfinished or any(run.state == "stopped" for run in runs):
        which = "an unfinished run" if unfinished else "a run that was stopped"
        blocks.append(Paragraph(f"`evaluators run SUITE --name NAME --resume` goes on with {which}.", "note"))
    if any(run.state in ("unfinished", "left behind") for run in runs):
        blocks.append(Paragraph(f"`evaluators runs {results} --clean` removes what is not finished.", "note"))
    return Page(title, (Section(None, tuple(blocks)),))


def _score(run: ListedRun) -> str:
    """The name of the first evaluator of a run and its mean score; empty where that is not known."""
    return "" if run.evaluator is None else f"{run.evaluator} {score_text(run.score)}"


def state_words(run: ListedRun) -> str:
    """The state of a run, in words."""
    if run.state == "going":
        return f"going{_splits_text(run)}"
    if run.state == "unfinished":
        return f"unfinished{_splits_text(run)}"
    words = {
        "stopped": "stopped before its last row",
        "left behind": "left behind, does not say what it holds",
    }
    return words.get(run.state, run.state)


def _splits_text(run: ListedRun) -> str:
    """How many parts of a run are scored; empty where that is not known."""
    if run.splits is None:
        return ""
    finished, splits = run.splits
    return f": {finished:,} parts are scored" if splits is None else f": {finished:,} of {splits:,} parts are scored"


def runs_json(runs: Sequence[ListedRun]) -> str:
    """The runs as one JSON list, an object each."""
    records = [
        {
            "name": run.name, "place": str(run.place), "state": run.state, "started": run.started, "suite": run.suite,
            "test_set": run.test_set, "rows": run.rows, "exit_code": run.exit_code,
            "evaluator": run.evaluator, "mean": run.score,
            "parts": None if run.splits is None else {"finished": run.splits[0], "all": run.splits[1]},
        }
        for run in runs
    ]  # fmt: skip
    return json.dumps(records, ensure_ascii=False, indent=2) + "\n"
