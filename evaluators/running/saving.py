"""An evaluation as a run folder, with the files that a run has."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from evaluators import __version__
from evaluators.engines.engine import ENGINES
from evaluators.issues import Issue, Problems
from evaluators.reports.html.rows import Material
from evaluators.reports.schema_sections import failed_section
from evaluators.reports.summary import Options
from evaluators.running.evaluate import ROWS, job_of
from evaluators.running.evaluation import ROLES, Evaluation
from evaluators.running.files import folder_files
from evaluators.running.outcomes import write_outcomes
from evaluators.runs.result import RunResult
from evaluators.runs.runner import measure, store_parts
from evaluators.runs.store import RunFolder
from evaluators.runs.verdict import Facts, causes, exit_code

FORMATS = ("csv", "markdown", "report", "fields")


def save(evaluation: Evaluation, place: Path, force: bool) -> Path:
    """Write the folder. Raises Problems (config) when the place is taken and `force` is not asked for."""
    place = place.absolute()
    part = evaluation.part(place.name)
    result = _result(evaluation, place.name)
    with _created(place, force) as folder:
        _store(evaluation, folder.working)
        options = Options(extra=failed_section([part]))
        folder_files(folder, result, FORMATS, options, evaluation.plan(), [evaluation.scored()], _no_material)
        write_outcomes(folder, result, FORMATS, [part])
        return folder.finish(result)


_HINTS: Final = {
    "run-exists": "another folder, or force=True, which replaces the old run",
    "not-a-run-folder": "take another folder",
}


def _created(place: Path, force: bool) -> RunFolder:
    """The folder. What is said of one that is taken is for a program, not for the command line."""
    try:
        return RunFolder.create(place.parent, place.name, force)
    except Problems as error:
        raise Problems(_in_python(issue) for issue in error.issues) from error


def _in_python(issue: Issue) -> Issue:
    message = issue.message.replace("--force", "force=True")
    return replace(issue, message=message, hint=_HINTS.get(issue.code, issue.hint))


def _store(evaluation: Evaluation, working: Path) -> None:
    parts = working / "parts"
    parts.mkdir()
    job = job_of(evaluation.line, evaluation.table, parts)
    measured = measure(job, [evaluation.line], ENGINES.find("in_process")(1), ROWS)
    store_parts(job, measured, working / "rows.jsonl", working / "evidence.jsonl")
    parts.rmdir()


def _result(evaluation: Evaluation, name: str) -> RunResult:
    facts = Facts((evaluation.stats,))
    rows: Any = evaluation.table.table
    settings = evaluation.line.settings.model_dump_json(fallback=repr)
    return RunResult(
        name=name,
        suite_fingerprint=f"sha256:{hashlib.sha256(settings.encode('utf-8', 'backslashreplace')).hexdigest()}",
        data_fingerprint=rows.fingerprint(),
        version=__version__,
        test_set=ROWS,
        rows=evaluation.stats.rows,
        columns=dict(ROLES),
        evaluators=(evaluation.stats,),
        issues=evaluation.issues,
        issue_counts=evaluation.issue_counts,
        exit_code=exit_code(facts),
        causes=causes(facts),
    )


def _no_material() -> Material:
    raise NotImplementedError("no format of an evaluation shows whole rows")
