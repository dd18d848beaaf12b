"""Evaluators that must have seen the test set before they can score: a schema that is inferred from the expected answers.

The column is read once, before the first row is scored. An inferred schema is plain data; it goes along with the suite to
every worker, so that all of them score by the same schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue, Problems
from evaluators.model.rows import JSON
from evaluators.model.settings import BadSettings
from evaluators.scoring.needs import Column, expected_document, values_at
from evaluators.testsets.test_set import TestSet

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

INFERRED_SCHEMA: Final = "schema.{}.json"
"""The file of a run folder with the schema that an evaluator inferred from the test set."""
MOST_DOCUMENTS: Final = 100_000
"""Documents that are looked at."""


def with_inferred_schemas(suite: LoadedSuite, test_set: TestSet, roles: Mapping[str, str]) -> LoadedSuite:
    """The suite with the schemas that its evaluators infer from the test set.

    Raises Problems where no schema can be inferred: the test set is to blame.
    """
    table = next(iter(test_set.variant_sets.values())) if test_set.variants else test_set
    inferred_schemas: dict[str, Mapping[str, Any]] = {}
    issues: list[Issue] = []
    for line in suite.lines:
        inference = line.settings.schema_inference()
        if inference is None:
            continue
        name = inference.column.name_by(roles)
        try:
            inferred_schemas[line.name] = inference.infer(_parts(documents(table, name), inference.column))
        except BadSettings as error:
            where = f'column "{name}" of {test_set.name}'
            issues += [
                Issue(each.code, Blame.TESTSET, f'"{line.name}": {each.message}', where, each.hint)
                for each in error.details
            ]
    if issues:
        raise Problems(issues)
    return replace(suite, inferred_schemas=inferred_schemas)


def _parts(documents: Iterable[JSON], column: Column) -> list[JSON]:
    """The documents, or what stands at the column's path in them, without those in which it cannot be read."""
    parts = values_at(documents, column) if column.at is not None else list(documents)
    return [part for part in parts if part.__class__ is not CellError]


def documents(table: TestSet, column: str) -> Iterator[JSON]:
    """The JSON values of a column, up to MOST_DOCUMENTS; cells that hold none are passed over."""
    count = 0
    for split in table.splits():
        for chunk in table.read(split, [column]):
            for cell in chunk.columns[column]:
                value = expected_document(cell)
                if not isinstance(value, CellError):
                    yield value
                    count += 1
                    if count >= MOST_DOCUMENTS:
                        return


def schema_text(schema: Mapping[str, Any]) -> str:
    """The text of the file with an inferred schema: indented JSON, for people to review."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
