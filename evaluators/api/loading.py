"""Reading a suite: from a file, from a text, from plain data, and again where it was sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from evaluators.api.sections import READERS
from evaluators.api.suite import Suite
from evaluators.model.issues import Problems, problem
from evaluators.runs.job import ShippedSuite
from evaluators.scoring.values.files import note_listing, reading_once
from evaluators.suites import source as suite_source
from evaluators.suites.config import read_config
from evaluators.suites.foreign_words import TABLE_OF_PROMPTFOO


def load(suite: str | Path | Mapping[str, Any], *, environment: Mapping[str, str] | None = None) -> Suite:
    """The suite in a file, or in plain data. `environment` is what `${NAME}` stands for, instead of the process's own.

    Raises Problems with everything that is wrong with it, each with file, line and column.
    """
    if isinstance(suite, Mapping):
        document = deepcopy(dict(suite))
        return _read_once(lambda: suite_source.from_data(document, environment=environment), environment, document)
    return _read_once(lambda: _read_source(Path(suite), environment), environment)


def load_shipped(shipped: ShippedSuite) -> Suite:
    """The suite that was sent to this process, read from what was sent with it: no file is opened again."""
    suite = _read_once(shipped.source, shipped.environment, shipped.data, shipped.files)
    return replace(suite, inferred_schemas=shipped.inferred_schemas)


def _read_once(
    source: Callable[[], suite_source.SuiteSource],
    environment: Mapping[str, str] | None,
    data: Mapping[str, Any] | None = None,
    known: Mapping[str, bytes] | None = None,
) -> Suite:
    """The suite that `source` gives, read with the files that it names; they are noted as files that the job reads. The bytes of
    those in `known`, by path, are not read again.

    `environment` (the variables) and `data` (the suite as a program gave it) are kept with the suite, for other processes.
    """
    files = dict(known or {})
    with reading_once(files):
        config = read_config(source(), READERS)
    suite = Suite(config, environment, data, files=files)
    note_listing(suite.named_files)
    return suite


def _read_source(path: Path, environment: Mapping[str, str] | None) -> suite_source.SuiteSource:
    """The source of a suite file. Where it cannot be read and is by its name a file of rows, the Problems (config) say how to make a suite
    for it."""
    try:
        return suite_source.load(path, environment)
    except Problems as error:
        from evaluators.testsets.documents import named_as_rows

        if not (named_as_rows(path) and path.is_file()):
            raise
        message = "a suite is expected here, a YAML file, and this file holds rows"
        word = f'"{path}"' if " " in str(path) else str(path)  # as a command line takes it
        hint = f"`evaluators init {word}` writes a first suite for it"
        with path.open("rb") as file:
            header = file.readline(64 * 1024).decode("utf-8", "replace")
        if re.match(TABLE_OF_PROMPTFOO, header) is not None:
            hint = (
                f"__expected is of promptfoo; make a suite of it: evaluators convert {word} -o suite.yaml --rows rows.csv"
            )
        raise problem("rows-for-suite", message, where=str(path), hint=hint) from error


def loads(
    text: str, name: str = "suite.yaml", folder: Path | None = None, *, environment: Mapping[str, str] | None = None
) -> Suite:
    """The suite in a text. `folder` is where its relative paths start. Raises Problems as `load` does."""
    return _read_once(lambda: suite_source.loads(text, name, folder, environment), environment)
