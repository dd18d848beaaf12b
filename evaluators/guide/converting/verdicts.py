"""The verdicts that another system gave its rows, beside those of the suite that was made from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from evaluators.api.loading import loads
from evaluators.api.suite import Suite
from evaluators.guide.converting.converted_text import OVERALL, cell_text, converted_text
from evaluators.guide.converting.converter import Conversion, MappingStatus
from evaluators.runs.metrics import rows_text

_SHOWN: Final = 5
_IS_OVERALL: Final = re.compile(rf"{OVERALL}(_\d+)?")


def verdict_lines(conversion: Conversion, suite_file: str | None) -> list[str]:
    """How often the suite agrees with the verdicts that the rows had, and where it does not; none where there were no verdicts."""
    if not conversion.verdicts or not conversion.evaluators:
        return []
    rowless = replace(conversion, test_set={key: value for key, value in conversion.test_set.items() if key == "columns"})
    suite = loads(converted_text(rowless, suite_file), "the suite", Path(suite_file or "").parent)
    ours = {row["id"]: _failed_evaluators(suite, row) for row in conversion.rows if row["id"] in conversion.verdicts}
    compared = {id_: failing for id_, failing in ours.items() if failing is not None}
    other = {id_: failing for id_, failing in compared.items() if conversion.verdicts[id_] == bool(failing)}
    if not compared:
        return []
    lines = [f"verdicts: {len(compared) - len(other):,} of {rows_text(len(compared))} have the one that they had there"]
    for id_, failing in list(other.items())[:_SHOWN]:
        here = f"passed there; here it fails {', '.join(failing)}" if failing else "failed there, and passes here"
        lines.append(f"  id {id_}: {here}")
    if len(other) > _SHOWN:
        lines.append(f"  and {len(other) - _SHOWN:,} more")
    if other and (
        conversion.judged_evaluators or any(finding.status is MappingStatus.NONE for finding in conversion.findings)
    ):
        lines.append("  what has no counterpart, or asks a judge, is no part of the verdicts here")
    return lines


def _failed_evaluators(suite: Suite, row: Mapping[str, Any]) -> list[str] | None:
    """The names of the evaluators that a row fails; empty where it passes, and None where nothing is measured. An overall evaluator decides
    alone whether the row passes."""
    results = suite.evaluate({name: cell_text(cell) for name, cell in row.items()}).results
    measured = {name: result.passed for name, result in results.items() if result.passed is not None}
    if not measured:
        return None
    overall = [passed for name, passed in measured.items() if _IS_OVERALL.fullmatch(name)]
    failing = [name for name, passed in measured.items() if not passed and not _IS_OVERALL.fullmatch(name)]
    if overall:
        return [] if all(overall) else failing or [OVERALL]
    return failing
