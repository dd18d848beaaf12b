"""A wrong expected answer: its correction goes into the file that the suite names, and the suite names one where it named none.

The test set itself is never written. What stood there before is what stands there now, or what an earlier correction of the same place
says, so that the newest of them counts.
"""

from __future__ import annotations

from pathlib import Path
from shlex import join
from typing import Any, Final

from evaluators.api.suite import Suite
from evaluators.model.issues import problem
from evaluators.model.rows import MISSING
from evaluators.scoring.values import paths
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_text import NotJSON, parse, to_text
from evaluators.studio.folder import Folder
from evaluators.studio.messages import Correct, Corrected
from evaluators.studio.table import KeptScore, with_every_cell
from evaluators.suites.text_edits import with_value
from evaluators.testsets.corrections import Applied, Correction, append_correction, read_corrections

_NAME: Final = "corrections.jsonl"


def add_correction(folder: Folder, suite: Suite, score: KeptScore, request: Correct) -> Corrected:
    """Adds the requested correction to the file that the suite names for them, and gives the suite's text, in which such a file is named
    where it was not. Raises Problems for rows without ids, and for an answer that is not in the column of expected answers."""
    record = with_every_cell(score)
    columns = record.result.columns
    if "id" not in columns:
        hint = "say which column is the id: test_set: {columns: {id: NAME}}"
        raise problem("no-ids", "a correction is kept by the id of its row, and these rows have none", hint=hint)
    expected = columns.get("expected", "")
    line = next(
        (each for each in score.suite.lines if each.name == request.evaluator and each.settings.at is None),
        None,
    )
    readings = next(
        (evaluator.readings for evaluator in record.facts.evaluators if evaluator.name == request.evaluator), ()
    )
    if line is None or expected not in [reading.column for reading in readings if reading.side == "expected"]:
        raise problem(
            "not-here", f'"{request.evaluator}" compares with something else than the column of expected answers'
        )
    rows = (row for each in record.each_variant for row in record.each_row(each, only=request.row))
    if (row := next(rows, None)) is None or row.cells is None:
        hint = "score the rows again"
        raise problem("not-here", "the row is not there, or its cells are no longer those that were scored", hint=hint)
    text, name = _with_corrections_file(suite)
    file = folder.place(str(suite.test_set_folder / name))
    path = request.place or None
    old = _expected_value(row.cells.get(expected), path)
    known = (
        {correction.place: correction for correction in read_corrections(file.read_bytes(), name)}
        if file.is_file()
        else {}
    )
    new = _read_new_value(request.value, old if path is None else None)
    correction = Correction(row.id, path, old, new, request.reason)
    before = known.get(correction.place)
    if before is not None and json_equal(before.new, old):
        correction = Correction(row.id, path, before.old, new, request.reason)
    append_correction(file, correction.id, correction.path, correction.old, correction.new, correction.reason)
    sentence = Applied(correction, request.row).sentence
    return Corrected(folder.name_of(file), text, sentence, join(["evaluators", "check-expected", request.path]))


def _read_new_value(written: str, cell: Any) -> Any:
    """The value in a text of JSON; MISSING for an empty text. Where the old `cell` is a text, the new value is one, too. Raises
    Problems for what is no JSON."""
    if not written:
        return MISSING
    try:
        new = parse(written)
    except NotJSON as error:
        raise problem("no-value", f"the value is not JSON: {error}") from None
    return to_text(new) if isinstance(cell, str) and not isinstance(new, str) else new


def _with_corrections_file(suite: Suite) -> tuple[str, str]:
    """The suite's text, with a file of `corrections` added where it names none, and that file as the paths of its test set are written."""
    text, config = suite.config.source.text, suite.test_set
    if config.corrections is not None:
        return text, config.corrections
    name = (Path(config.file or "").parent / _NAME).as_posix()
    shown = suite.config.source.shown.get("test_set")
    if isinstance(shown, str):
        return with_value(text, ("test_set",), {"file": shown, "corrections": name}), name
    return with_value(text, ("test_set", "corrections"), name), name


def _expected_value(cell: Any, path: str | None) -> Any:
    """The value at a path of the expected answer now; MISSING for none. Raises Problems for a cell that holds no document."""
    if path is None:
        return cell
    try:
        document = parse(cell) if isinstance(cell, str) else cell
    except NotJSON as error:
        raise problem(
            "no-document", f"the expected answer is not JSON: {error}", hint="correct the whole answer"
        ) from None
    try:
        return paths.parse(path).get(document)
    except paths.BadPath as error:
        raise problem("bad-path", f'"{path}" is no path: {error.message}') from None
