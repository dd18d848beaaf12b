"""Reports of a run that has ended: from its folder, and from its suite and test set where these are what they were."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluators.issues import Issue, Problems, problem
from evaluators.needs import ROLES
from evaluators.reports.format import Format, RowsFile, RowsPageFormat, format_for
from evaluators.reports.html.rows import Material
from evaluators.reports.near_misses import near_miss_section
from evaluators.reports.outcome_format import outcomes_file_for
from evaluators.reports.schema_sections import failed_section
from evaluators.reports.summary import Options
from evaluators.running.explained import material_of
from evaluators.running.files import Scored, asked_files
from evaluators.running.outcomes import check_outcomes, parts_of
from evaluators.running.preparing import Prepared, RunRequest, prepare
from evaluators.running.recorded import recorded_material
from evaluators.running.suite import load
from evaluators.runs.given import output_columns
from evaluators.runs.result import Origin, RunResult
from evaluators.runs.store import load_run, write_text
from evaluators.testsets.config import PLACES
from evaluators.testsets.selection import Selection
from evaluators.testsets.source import STANDARD_INPUT


class Gone(Exception):
    """Why the rows of a run cannot be looked at again, in words."""


@dataclass(frozen=True, slots=True)
class Again:
    """A run that has ended."""

    folder: Path
    result: RunResult
    prepared: Prepared | None
    """Its suite and test set; None where they are not what they were."""
    gone: str = ""
    """Why they are not, in a sentence."""

    def write(self, files: Iterable[Path]) -> list[Path]:
        """Write the run as the extension of each file says. Returns what was written.

        Raises Problems (config) for a file of rows when the rows cannot be looked at again.
        """
        wanted, options = list(files), self.options()
        if self.prepared is not None:
            plan, scored = self.prepared.plan(), _scored(self.prepared, self.result)
            if issues := check_outcomes(self.prepared.suite.lines, wanted, ()):
                raise Problems(issues)
            parts = parts_of(self.result, plan, scored)
            return asked_files(wanted, self.result, options, plan, scored, self.material, parts)
        for file in wanted:
            self._write_recorded(file, options)
        return wanted

    def options(self) -> Options:
        """What the suite asks of summaries, and the sections that the run itself had."""
        if self.prepared is None:
            return Options()
        from evaluators.running.near_misses import evidence_files, near_misses  # its pages are made of an `Again`

        suite = self.prepared.suite
        parts = parts_of(self.result, self.prepared.plan(), _scored(self.prepared, self.result))
        advice = near_miss_section(near_misses(suite.lines, evidence_files(self.folder, self.result.variants)))
        return Options(suite.results.lowest_fields, extra=(*(failed_section(parts) if parts else ()), *advice))

    def material(self) -> Material:
        """The rows: with their documents, or as the run recorded them."""
        if self.prepared is None:
            return recorded_material(self.folder, f"{self.gone}. Rows show what the run recorded.")
        prepared = self.prepared
        return material_of(prepared.suite, prepared.plan(), prepared.roles, _scored(prepared, self.result))

    def _write_recorded(self, file: Path, options: Options) -> None:
        kind = format_for(file)
        if outcomes_file_for(file) is not None:
            hint = "run the suite again with -o"
            raise problem("rows-gone", f"{self.gone}, so the fields cannot be listed", where=str(file), hint=hint)
        if isinstance(kind, RowsPageFormat):
            write_text(file, kind.render_rows(self.result, options, self.material()))
        elif isinstance(kind, Format):
            write_text(file, kind.render(self.result, options))
        else:
            raise problem("rows-gone", f"{self.gone}, so the rows cannot be written", where=str(file), hint=_hint(kind))


def again(place: Path) -> Again:
    """The run in a run folder, or in a `run.json`. Raises Problems (config) when there is none."""
    stored = load_run(place)
    result = replace(stored, columns={role: stored.columns[role] for role in ROLES if role in stored.columns})
    folder = place if place.is_dir() else place.parent
    try:
        return Again(folder, result, _prepared(result))
    except Gone as error:
        return Again(folder, result, None, str(error))


def check_files(files: Iterable[Path]) -> None:
    """Raises Problems (config) with every file whose extension no format has, and every folder."""
    issues: list[Issue] = []
    for file in files:
        try:
            format_for(file)
            if file.is_dir():
                raise problem("not-a-file", "this is a folder, and -o names a file", where=str(file))
        except Problems as error:
            issues.extend(error.issues)
    if issues:
        raise Problems(issues)


def _hint(kind: RowsFile) -> str:
    recorded = "rows.jsonl or rows.parquet in the run folder has the results of every row"
    return recorded if kind is RowsFile.JSONL else f"run the suite again with -o; {recorded}"


def _prepared(result: RunResult) -> Prepared:
    """The suite and the test set of a run. Raises Gone when either is not what it was."""
    origin = result.environment.origin if result.environment is not None else None
    if origin is None:
        raise Gone("The run does not say where its suite is")
    if origin.test_set == STANDARD_INPUT:
        raise Gone("The rows came from standard input")
    try:
        suite = load(origin.suite)
    except (Problems, OSError):
        raise Gone("The suite is not there any more, or cannot be read") from None
    if suite.fingerprint != result.suite_fingerprint:
        raise Gone("The suite has changed since the run")
    try:
        prepared = prepare(suite, _request(origin))
        fingerprint = prepared.test_set.fingerprint()
    except (Problems, OSError):
        raise Gone("The test set is not there any more, or cannot be read") from None
    if fingerprint != result.data_fingerprint:
        raise Gone("The test set has changed since the run")
    return prepared


def _request(origin: Origin) -> RunRequest:
    settings = {name: _from(origin.folder, value) if name in PLACES else value for name, value in origin.settings.items()}
    return RunRequest(
        test_set=_from(origin.folder, origin.test_set) if origin.test_set is not None else None,
        test_set_settings=settings,
        selection=Selection(origin.limit, origin.sample, origin.seed, origin.where),
    )


def _from(folder: str, place: Any) -> Any:
    """A place that was relative to that folder, wherever the command is run now."""
    if isinstance(place, Mapping):
        return {**place, "file": _from(folder, place.get("file"))} if "file" in place else place
    return os.path.join(folder, place) if isinstance(place, str) else place


def _scored(prepared: Prepared, result: RunResult) -> list[Scored]:
    outputs, cluster = output_columns(prepared.suite.lines, prepared.roles), prepared.suite.cluster
    rows = {one.variant: one.rows for one in result.evaluators}
    return [Scored(name, table, rows.get(name, result.rows), outputs, cluster) for name, table in prepared.variants()]
