"""A run into its folder: rows and their codes, outcomes, cells, the suite, and what readers need to know of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce

from msgspec.structs import replace

from evaluators.issues import Issue, problem
from evaluators.run.job import Job
from evaluators.run.learning import INFERRED_SCHEMA, schema_text
from evaluators.run.preparing import Prepared
from evaluators.run.record import RunRecord
from evaluators.run.record_facts import SUITE_FOLDER
from evaluators.run.record_files import record_files
from evaluators.run.recording import facts_of
from evaluators.run.result import RunResult
from evaluators.run.runner import store_parts
from evaluators.run.split_result import SplitResult
from evaluators.run.store import RunFolder
from evaluators.run.suite_files import suite_texts


def stored(
    prepared: Prepared,
    folder: RunFolder,
    jobs: Sequence[Job],
    measured: Sequence[tuple[str | None, SplitResult]],
    result: RunResult,
    lowest_fields: int,
) -> RunRecord:
    """Puts the record of a run into its folder, and gives it back as readers see it. Parts stay."""
    suite = prepared.suite
    kept = []
    for job, (name, each) in zip(jobs, measured, strict=True):
        with _damage_named(folder, each):
            kept.append(store_parts(job, suite.lines, each, record_files(folder.working, job.rows, name)))
    for name, schema in suite.inferred_schemas.items():
        folder.write(INFERRED_SCHEMA.format(name), schema_text(schema))
    texts = suite_texts(suite)
    for place, text in texts.texts.items():
        folder.write(f"{SUITE_FOLDER}/{place}", text)
    facts = facts_of(prepared, jobs[0].recording, jobs[0].rows, measured, kept, lowest_fields)
    facts = replace(facts, suite=f"{SUITE_FOLDER}/{texts.main}")
    return RunRecord(folder.working, _portable(result, _folders(prepared)), facts)


@contextmanager
def _damage_named(folder: RunFolder, measured: SplitResult) -> Iterator[None]:
    """Raises Problems (config) where parts that were there before are no parts: somebody else may have written them."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        if not measured.taken_over:
            raise
        message = (
            f"the working folder is damaged: what it holds of finished splits cannot be read ({type(error).__name__})"
        )
        hint = "`evaluators runs --clean` removes it; then the run begins anew"
        raise problem("damaged-parts", message, where=str(folder.folder.place), hint=hint) from error


def _folders(prepared: Prepared) -> list[str]:
    """The folders, with a separator behind, of files that were named by absolute paths; the longest first."""
    named = [
        prepared.suite.config.source.name,
        *(source.path for source in prepared.test_set.files),
        prepared.test_set.name,
    ]
    found = {os.path.join(os.path.dirname(name), "") for name in named if os.path.isabs(name)}
    return sorted(found, key=len, reverse=True)


def _portable(result: RunResult, folders: Sequence[str]) -> RunResult:
    """The run as it is kept: a folder is sent to other people, and says nothing of where its files were."""

    def cut(text: str) -> str:
        return reduce(lambda shorter, folder: shorter.replace(folder, ""), folders, text)

    def placed(issue: Issue) -> Issue:
        return replace(
            issue, message=cut(issue.message), where=issue.where and cut(issue.where), hint=issue.hint and cut(issue.hint)
        )

    return replace(
        result,
        test_set=cut(result.test_set),
        notes=tuple(map(cut, result.notes)),
        warnings=tuple(map(placed, result.warnings)),
        issues=tuple(map(placed, result.issues)),
        causes=tuple(map(cut, result.causes)),
    )
