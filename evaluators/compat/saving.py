"""An evaluation as a run folder, with the files that a run has."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluators.api.memory_jobs import ROLES, ROWS, job_of
from evaluators.issues import Issue, Problems
from evaluators.judges.asked_once import keeping
from evaluators.model import __version__
from evaluators.plan.suite_plan import compile_plan
from evaluators.reports.headline import Options
from evaluators.reports.record_parts import parts_of
from evaluators.reports.report_files import folder_files
from evaluators.reports.schema_sections import failed_section
from evaluators.run.engines.engine import ENGINES
from evaluators.run.record import RECORD_JSON, RecordedEvaluator, RecordedVariant, RecordFacts, RunRecord, record_json
from evaluators.run.record_files import record_files
from evaluators.run.recording import readings_of
from evaluators.run.result import RunResult
from evaluators.run.runner import measure, store_parts
from evaluators.run.store import RunFolder
from evaluators.run.verdict import Facts, causes, exit_code
from evaluators.value_class import replace

if TYPE_CHECKING:
    from evaluators.compat.evaluation import Evaluation

FORMATS = ("csv", "markdown", "report", "fields")


def save(evaluation: Evaluation, place: Path, force: bool) -> Path:
    """Write the folder, and give its place: the one named, or the next free one behind it, as `place-2`; `force` replaces a run."""
    place = place.absolute()
    with _created(place, force) as folder:
        record = _recorded(evaluation, folder, _result(evaluation, place.name))
        folder_files(folder, record, FORMATS, Options(extra=failed_section(parts_of(record))))
        return folder.finish(record.result)


def _created(place: Path, force: bool) -> RunFolder:
    """The folder. What is said of one that is no run is for a program, not for the command line."""
    try:
        return RunFolder.create(place.parent, place.name, force)
    except Problems as error:
        raise Problems(_in_python(issue) for issue in error.issues) from error


def _in_python(issue: Issue) -> Issue:
    hint = "take another folder" if issue.code == "not-a-run-folder" else issue.hint
    return replace(issue, message=issue.message.replace("--force", "force=True"), hint=hint)


def _recorded(evaluation: Evaluation, folder: RunFolder, result: RunResult) -> RunRecord:
    parts = folder.folder.parts(None)
    line = evaluation.line
    job = job_of(line, evaluation.table, str(parts))
    with keeping(evaluation.answers):
        measured = measure(job, [line], ENGINES.find("in_process")(), ROWS)
    kept = store_parts(job, [line], measured, record_files(folder.working, job.rows))
    (one,) = compile_plan([line], ROLES, job.reading).evaluators
    facts = RecordFacts(
        rows_format=job.rows,
        evaluators=(RecordedEvaluator(
            line.name, line.settings.scored_fields().of_rows, True, readings=readings_of(one, ROLES)
        ),),
        variants=(RecordedVariant(None, measured.rows, True, True, *kept),),
        header=tuple(ROLES),
        documents="all",
        most=None,
        schemas=dict(sorted(measured.schemas.items())),
    )  # fmt: skip
    folder.write(RECORD_JSON, record_json(facts))
    return RunRecord(folder.working, result, facts)


def _result(evaluation: Evaluation, name: str) -> RunResult:
    facts = Facts((evaluation.stats,))
    rows: Any = evaluation.table.table
    settings = repr(
        evaluation.line.settings.model_dump()
    )  # JSON cannot hold what a program may give, such as half a character
    return RunResult(
        name=name,
        suite_fingerprint=f"sha256:{hashlib.sha256(settings.encode('utf-8', 'backslashreplace')).hexdigest()}",
        data_fingerprint=rows.fingerprint(),
        version=__version__,
        test_set=ROWS,
        rows=evaluation.stats.rows,
        columns=dict(ROLES),
        evaluators=(evaluation.stats,),
        issues=tuple(issue for issue in evaluation.issues if issue not in evaluation.warnings),
        warnings=evaluation.warnings,
        issue_counts=evaluation.issue_counts,
        exit_code=exit_code(facts),
        causes=causes(facts),
    )
