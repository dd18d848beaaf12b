"""A run into its folder: rows and their codes, outcomes, cells, the suite, and what readers need to know of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import PurePath
from typing import Final, Literal

from msgspec.structs import replace

from evaluators.model.issues import Issue
from evaluators.runs.driver import VariantRun
from evaluators.runs.places import field_places, line_places, suite_texts
from evaluators.runs.preparing import Prepared
from evaluators.runs.reader import Run
from evaluators.runs.record_facts import (
    SUITE_FOLDER,
    CellReading,
    RecordedEvaluator,
    RecordedVariant,
    RecordFacts,
)
from evaluators.runs.recorder import SET_ASIDE, Recording
from evaluators.runs.result import RunResult
from evaluators.runs.run_folder import RunFolder
from evaluators.runs.schema_inference import INFERRED_SCHEMA, schema_text
from evaluators.runs.scored_again import can_score_again
from evaluators.scoring.evaluators._evaluator import lists_fields
from evaluators.scoring.needs import Expected, Need, Output, column_of
from evaluators.scoring.plan.need_steps import Lookup
from evaluators.scoring.plan.suite_plan import Compiled
from evaluators.scoring.values.json_choice import LENIENT
from evaluators.testsets.test_set import TestSet

FIRST_MISMATCHES: Final = 200
"""Rows with something wrong that are recorded for each field, when a run has more rows than a small one."""


def recording_of(
    prepared: Prepared, table: TestSet, every_outcome: bool = False, every_row: bool = False, matches: bool = False
) -> Recording:
    """How much is recorded of the rows of a table: as much as the suite says, and as the files that are asked for need.

    `every_outcome`, `every_row` and `matches` are set where such a file needs every outcome, the cells of every row, or what matches.
    """
    evidence, documents = prepared.suite.results.evidence, prepared.suite.results.documents
    most: int | None = None  # every outcome
    if not every_outcome and evidence != "all":
        most = FIRST_MISMATCHES if evidence == "first" else evidence
    if every_outcome or every_row or (documents == "auto" and not table.lasting):
        documents = "all"
    matches = matches or most is None or documents == "none" or not can_score_again(prepared.suite)
    return Recording(most, documents, tuple(table.header), matches=matches)


def facts_of(prepared: Prepared, variants: Sequence[VariantRun], lowest_fields: int) -> RecordFacts:
    """The record of the rows for `run.json`. Files go by their names alone: a folder is sent to other people. `lowest_fields` is how many
    of the worst fields reports show, and is only stored."""
    suite, table = prepared.suite, prepared.variants()[0][1]
    recording, layout = variants[0].job.recording or Recording(), variants[0].rows.layout
    lines, fields = line_places(suite), field_places(suite)
    places: dict[str, dict[str, str]] = {line.name: {} for line in suite.lines}
    for (name, path), place in fields.items():
        places[name][path] = PurePath(place).name
    schemas = {key: schema for each in variants for key, schema in each.sums.schemas.items()}
    return RecordFacts(
        evaluators=tuple(
            RecordedEvaluator(
                line.name, fields=line.settings.scored_fields().of_rows, by_schema=lists_fields(line.settings), needs=line.needs,
                where=PurePath(lines[line.name]).name, field_places=dict(sorted(places[line.name].items())),
                readings=readings_of(item, prepared.roles),
            )
            for line, item in zip(suite.lines, prepared.plan().evaluators, strict=True)
        ),
        variants=tuple(
            RecordedVariant(
                each.name, each.sums.rows, every_outcome=recording.keeps_every_outcome(each.sums.rows),
                every_cell=recording.keeps_cells(each.sums.rows) and not each.sums.recorded.get(SET_ASIDE),
                outcomes=each.rows.size("outcomes"), cells=each.rows.size("cells"), matches=recording.matches,
            )
            for each in variants
        ),
        header=table.own_header,
        delimiter=table.delimiter,
        decimal=table.decimal if suite.results.decimal == "auto" else suite.results.decimal,
        byte_order_mark=table.byte_order_mark,
        slices=tuple(column.removeprefix("row.") for column in suite.config.slices),
        layout=layout,
        documents=recording.documents,
        most=recording.most,
        lowest_fields=lowest_fields,
        schemas=dict(sorted(schemas.items())),
    )  # fmt: skip


def readings_of(evaluator: Compiled, roles: Mapping[str, str]) -> tuple[CellReading, ...]:
    """How an evaluator reads each of its columns, for the record: as text, as an expected document or as an output document."""
    needs = evaluator.line.settings.needs()
    readers = (_reading(need, lookup, roles) for need, lookup in zip(needs, evaluator.lookups, strict=True))
    return tuple(reader for reader in readers if reader is not None)


def _reading(need: Need, lookup: Lookup | None, roles: Mapping[str, str]) -> CellReading | None:
    """How a reader of the run finds what an evaluator read in a cell: the column, its side, and how a document is looked for in it, as
    `lookup` says, with None for an evaluator that looks for none. None where the need reads no column."""
    if (column := column_of(need)) is None:
        return None
    name, names = column.name_by(roles), (column.role, None if column.literal else column.name)
    side: Literal["expected", "output", "other"] = "expected" if "expected" in names else "other"
    if "output" in names:
        side = "output"
    if column.at is not None and isinstance(need, Expected | Output):
        search, want = lookup.search if lookup is not None else LENIENT, column.want_around
        how: Literal["expected", "output"] = "expected" if isinstance(need, Expected) else "output"
        return CellReading(
            name, side, how, want, search.lenient, pick=search.pick, keys=tuple(sorted(search.keys)), at=column.at
        )
    if isinstance(need, Output) and lookup is not None:
        beside = need.beside.column.name_by(roles) if need.beside is not None else None
        search = lookup.search
        return CellReading(
            name, side, "output", need.want, search.lenient, beside, lookup.like, lookup.prefer, search.pick,
            tuple(sorted(search.keys)),
        )  # fmt: skip
    return CellReading(name, side, "expected" if isinstance(need, Expected) else "text")


def store_record(
    prepared: Prepared,
    folder: RunFolder,
    variants: Sequence[VariantRun],
    result: RunResult,
) -> Run:
    """Writes the record of a run into its folder (schemas that were inferred, the suite and the files that it names) and returns
    the run as readers see it."""
    suite = prepared.suite
    for name, schema in suite.inferred_schemas.items():
        folder.write(INFERRED_SCHEMA.format(name), schema_text(schema))
    main, texts = suite_texts(suite)
    for place, text in texts.items():
        folder.write(f"{SUITE_FOLDER}/{place}", text)
    facts = replace(facts_of(prepared, variants, suite.results.lowest_fields), suite=f"{SUITE_FOLDER}/{main}")
    return Run.of(folder.path, _portable_result(result, _named_folders(prepared)), facts)


def _named_folders(prepared: Prepared) -> list[str]:
    """The folders that absolute paths of the run's files begin with, each with a separator at its end; the longest first."""
    named = [
        prepared.suite.config.source.name,
        *(source.path for source in prepared.test_set.files),
        prepared.test_set.name,
    ]
    folders = {os.path.join(os.path.dirname(name), "") for name in named if os.path.isabs(name)}
    return sorted(folders, key=len, reverse=True)


def _portable_result(result: RunResult, folders: Sequence[str]) -> RunResult:
    """The result without the `folders` in its texts: run folders are sent to other people, who need not know them."""

    def without_folders(text: str) -> str:
        return reduce(lambda shorter, folder: shorter.replace(folder, ""), folders, text)

    def portable_issue(issue: Issue) -> Issue:
        return replace(
            issue,
            message=without_folders(issue.message),
            where=issue.where and without_folders(issue.where),
            hint=issue.hint and without_folders(issue.hint),
        )

    return replace(
        result,
        test_set=without_folders(result.test_set),
        notes=tuple(map(without_folders, result.notes)),
        warnings=tuple(map(portable_issue, result.warnings)),
        issues=tuple(map(portable_issue, result.issues)),
        causes=tuple(map(without_folders, result.causes)),
    )
