"""Cells that a run folder does not keep, read once more from the test set: only where that is still the one that was scored.

Nothing is scored here. The folder says where the rows were, in the one file that names places of a machine. That file may be
somebody else's: only files of this machine are opened, and nothing of them is shown unless their fingerprint is the run's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from evaluators.model.issues import CellError, Problems
from evaluators.model.rows import MISSING
from evaluators.model.settings import BadSettings, filled_texts_of
from evaluators.runs.preparing import Prepared
from evaluators.runs.record_lines import CellsLine
from evaluators.scoring.values.addresses import has_wildcards
from evaluators.testsets.byte_source import STANDARD_INPUT
from evaluators.testsets.byte_store import matching, scheme_of
from evaluators.testsets.opening import open_test_set
from evaluators.testsets.reader import all_chunks
from evaluators.testsets.selection import Selection
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig, read_test_set

if TYPE_CHECKING:
    from evaluators.runs.reader import Run


def rows_place(prepared: Prepared, selection: Selection) -> str:
    """The place where the rows of a run can be read again, as JSON text with settings, folder and selection. Empty where they
    cannot be read again, where the environment filled in a part of the place, and for addresses, which are not opened again and
    may contain a login."""
    test_set, folder = prepared.test_set, prepared.folder
    if not test_set.lasting:
        return ""
    settings = test_set.config.model_dump(mode="json", exclude_unset=True)
    text = json.dumps({"settings": settings, "folder": os.path.abspath(folder), "selection": asdict(selection)})
    return text if "://" not in text and filled_texts_of(test_set.config).as_written(settings) == settings else ""


def with_cells(record: Run) -> Run:
    """The run with the cells of all rows, which are read from its test set again; the run as it is where the folder has them,
    or the test set has changed."""
    environment = record.result.environment
    if record.has_every_cell or environment is None or not environment.test_set:
        return record
    try:
        test_set = _open_noted(json.loads(environment.test_set))
    except (Problems, BadSettings, OSError, ValueError, TypeError, KeyError, AttributeError):
        return record
    return cells_from(record, test_set) if test_set is not None else record


def cells_from(record: Run, test_set: TestSet) -> Run:
    """The run with the cells of `test_set`, where that is the one that was scored and can be read again; else the run as it is."""
    try:
        same = test_set.lasting and test_set.fingerprint() == record.result.data_fingerprint
    except (Problems, OSError):
        same = False
    if not same or set(test_set.variants or (None,)) != set(record.each_variant):
        return record
    return record.but(read_cells_again=partial(_read_cells, test_set, record))


def _open_noted(place: Any) -> TestSet | None:
    """Opens the test set that a run noted: `place` has its settings, folder and selection. None where one of its places is not a file
    or folder of this machine that is still there. Raises KeyError, TypeError and the like where the note has another shape."""
    config: TestSetConfig = read_test_set(place["settings"], {})
    chosen = {**place["selection"], "where": tuple(map(tuple, place["selection"]["where"]))}
    named = [
        config.file,
        config.expected,
        config.output,
        config.outputs,
    ]  # each one place or several by name, as text or with settings
    places = [
        getattr(path, "file", path) for each in named for path in (each.values() if isinstance(each, dict) else [each])
    ]
    texts = [path for path in (*places, *config.attach.values()) if isinstance(path, str)]
    if config.platform is not None or config.sql is not None or STANDARD_INPUT in texts or any(map(scheme_of, texts)):
        return None
    folder = Path(place["folder"])
    if not all(_is_file_or_folder(folder, text) for text in texts):
        return None
    return open_test_set(config, folder, selection=Selection(**chosen))


def _is_file_or_folder(folder: Path, place: str) -> bool:
    """Whether every file that a place names is a file or a folder, or is not there: reading a pipe or a device may never end."""
    files = matching(place.replace("**", "*"), folder) if has_wildcards(place) else [str(folder / place)]
    return all(os.path.isfile(path) or os.path.isdir(path) or not os.path.exists(path) for path in files)


def _read_cells(test_set: TestSet, record: Run, variant: str | None, only: int | None) -> Iterator[CellsLine]:
    """Yields the cells of every row of a variant, as a run keeps them: a cell that is not there is left out, and one that could not be
    read is its text. With the row number `only`, the rows are those of the chunk that holds it, and no more of the test set is read
    than its split up to that chunk."""
    table = (test_set if variant is None else test_set.variant(variant)).table
    splits, first, header = table.splits(), table.first_number, record.facts.header
    place = None if only is None else record.split_of(variant, only, len(splits))
    if place is None:
        chunks = all_chunks(table, header)
    else:
        index_of_split, first = place
        chunks = chain.from_iterable(table.read(split, header) for split in splits[index_of_split : index_of_split + 1])
    for chunk in chunks:
        if only is not None and chunk.offsets:
            if first + chunk.offsets[-1] < only:
                continue
            if first + chunk.offsets[0] > only:
                return
        for index, offset in enumerate(chunk.offsets):
            cells = {name: column[index] for name, column in chunk.columns.items() if column[index] is not MISSING}
            shown = {name: cell.text if isinstance(cell, CellError) else cell for name, cell in cells.items()}
            yield CellsLine(first + offset, shown)
