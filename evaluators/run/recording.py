"""What a run records: settled before its first row, and said in `run.json` after its last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final, Literal

from evaluators.builtin._evaluator import lists_fields
from evaluators.needs import Expected, Need, Output, column_of
from evaluators.plan.need_steps import Lookup
from evaluators.plan.suite_plan import Compiled
from evaluators.run.places import field_places, line_places
from evaluators.run.preparing import Prepared
from evaluators.run.record_facts import CellReading, RecordedEvaluator, RecordedVariant, RecordFacts
from evaluators.run.recorder import SET_ASIDE, Recording
from evaluators.run.rows import RowsFormat
from evaluators.run.split_result import SplitResult
from evaluators.testsets.test_set import TestSet

FIRST_MISMATCHES: Final = 200
"""Rows with something wrong that are recorded for each field, when a run has more rows than a small one."""


def recording_of(prepared: Prepared, table: TestSet, every_outcome: bool = False, every_row: bool = False) -> Recording:
    """What is recorded of the rows of a table: what the suite says, and what the files that are asked for need.

    These may need every outcome of every row, or the cells of every row, for whoever gets the folder alone.
    """
    evidence, documents = prepared.suite.results.evidence, prepared.suite.results.documents
    most = None if every_outcome or evidence == "all" else FIRST_MISMATCHES if evidence == "first" else evidence
    if every_outcome or every_row or (documents == "auto" and not table.lasting):
        documents = "all"
    return Recording(most, documents, tuple(table.header))


def facts_of(
    prepared: Prepared,
    recording: Recording,
    rows_format: RowsFormat,
    measured: Sequence[tuple[str | None, SplitResult]],
    kept: Sequence[tuple[int, int]],
    lowest_fields: int,
) -> RecordFacts:
    """What a folder says of its rows as a whole. `kept` are how many lines of outcomes and of cells there are.

    Files go by their names: a folder is sent to other people.
    """
    suite, table = prepared.suite, prepared.variants()[0][1]
    lines, fields = line_places(suite), field_places(suite)
    places: dict[str, dict[str, str]] = {line.name: {} for line in suite.lines}
    for (name, path), place in fields.items():
        places[name][path] = PurePath(place).name
    schemas = {key: one for _, each in measured for key, one in each.schemas.items()}
    return RecordFacts(
        rows_format=rows_format,
        evaluators=tuple(
            RecordedEvaluator(
                line.name, line.settings.scored_fields().of_rows, lists_fields(line.settings), line.needs,
                PurePath(lines[line.name]).name, dict(sorted(places[line.name].items())), readings_of(one, prepared.roles),
            )
            for line, one in zip(suite.lines, prepared.plan().evaluators, strict=True)
        ),
        variants=tuple(
            RecordedVariant(
                name, each.rows, recording.keeps_every_outcome(each.rows),
                recording.keeps_cells(each.rows) and not each.recorded.get(SET_ASIDE), *lines,
            )
            for (name, each), lines in zip(measured, kept, strict=True)
        ),
        header=table.own_header,
        delimiter=table.delimiter,
        byte_order_mark=table.byte_order_mark,
        slices=tuple(column.removeprefix("row.") for column in suite.config.slices),
        documents=recording.documents,
        most=recording.most,
        lowest_fields=lowest_fields,
        schemas=dict(sorted(schemas.items())),
    )  # fmt: skip


def readings_of(one: Compiled, roles: Mapping[str, str]) -> tuple[CellReading, ...]:
    """How an evaluator reads its columns."""
    needs = one.line.settings.needs()
    found = (_reading(need, lookup, roles) for need, lookup in zip(needs, one.lookups, strict=True))
    return tuple(one for one in found if one is not None)


def _reading(need: Need, lookup: Lookup | None, roles: Mapping[str, str]) -> CellReading | None:
    if (column := column_of(need)) is None:
        return None
    name, names = column.spelled(roles), (column.role, None if column.literal else column.name)
    side: Literal["expected", "output", "other"] = (
        "output" if "output" in names else "expected" if "expected" in names else "other"
    )
    if isinstance(need, Output) and lookup is not None:
        beside = need.beside.column.spelled(roles) if need.beside is not None else None
        search = lookup.search
        return CellReading(
            name, side, "output", need.want, search.lenient, beside, lookup.like, lookup.prefer, search.pick,
            tuple(sorted(search.keys)),
        )  # fmt: skip
    return CellReading(name, side, "expected" if isinstance(need, Expected) else "text")
