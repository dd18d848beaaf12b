"""A suite, ready to be asked: about one row, about a test set, or about itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from msgspec.structs import replace

from evaluators.api.sections import READERS
from evaluators.issues import Problems, problem
from evaluators.run.job import ShippedSuite
from evaluators.run.loaded import LoadedSuite
from evaluators.suite import source as suite_source
from evaluators.suite.config import read_config
from evaluators.tracking.tracking_section import tracking_of
from evaluators.values.small_files import reading_once

if TYPE_CHECKING:
    from evaluators.api.run_object import Run
    from evaluators.api.run_request import RunOptions
    from evaluators.compare.compare_section import CompareConfig
    from evaluators.tracking.tracker import NamedTracker


Rows: TypeAlias = Any
"""Rows as a program has them: a DataFrame, a list of dicts, an Arrow table, the name of a file, or the settings of a test set."""


class Suite(LoadedSuite, frozen=True):
    """A suite that has been read and checked. `load` makes one."""

    @property
    def tracking(self) -> tuple[NamedTracker, ...]:
        """Where finished runs are sent."""
        return tracking_of(self.config)

    @property
    def compare(self) -> CompareConfig:
        """How runs are compared."""
        from evaluators.compare.compare_section import CompareConfig  # few suites are compared

        found: CompareConfig = self.config.sections.get("compare") or CompareConfig()
        return found

    def run(self, test_set: Rows | None = None, **options: Unpack[RunOptions]) -> Run:
        """Score a whole test set.

        `test_set` is a file, the settings of a test set, or rows: a DataFrame, a list of dicts, an Arrow table. Without it, the suite's
        own test set is read. The options are those of the command, by the names of `evaluators.api.run_request.RunRequest`; nothing is
        written unless `results` names a folder. Raises Problems when nothing can be run: bad settings, no such file, an
        unclear column; TypeError for an option that there is not.
        """
        from evaluators.api.execute import run_of
        from evaluators.api.requests import request_of

        return run_of(self, request_of(test_set, options))

    async def run_async(self, test_set: Rows | None = None, **options: Unpack[RunOptions]) -> Run:
        """`run`, for use inside a running event loop."""
        from asyncio import to_thread

        return await to_thread(lambda: self.run(test_set, **options))


def load(suite: str | Path | Mapping[str, Any], *, environment: Mapping[str, str] | None = None) -> Suite:
    """The suite in a file, or in plain data. `environment` is what `${NAME}` stands for, instead of the process's own.

    Raises Problems with everything that is wrong with it, each with file, line and column.
    """
    if isinstance(suite, Mapping):
        given = deepcopy(dict(suite))
        return _read_once(lambda: suite_source.from_data(given, environment=environment), environment, given)
    return _read_once(lambda: _read(Path(suite), environment), environment)


def again(shipped: ShippedSuite) -> Suite:
    """The suite that a worker was sent."""
    found = _read_once(shipped.source, shipped.environment, shipped.data, shipped.files)
    return replace(found, inferred_schemas=shipped.inferred_schemas)


def _read_once(
    source: Callable[[], suite_source.SuiteSource],
    environment: Mapping[str, str] | None,
    given: Mapping[str, Any] | None = None,
    known: Mapping[str, bytes] | None = None,
) -> Suite:
    """The suite with every file that it names; those that are known are not read again."""
    files = dict(known or {})
    with reading_once(files):
        config = read_config(source(), READERS)
    return Suite(config, environment, given, files=files)


def _read(path: Path, environment: Mapping[str, str] | None) -> suite_source.SuiteSource:
    try:
        return suite_source.load(path, environment)
    except Problems as error:
        from evaluators.testsets.opening import named_as_rows

        if not (named_as_rows(path) and path.is_file()):
            raise
        said, word = "a suite is expected here, a YAML file, and this file holds rows", _as_word(path)
        hint = f"`evaluators init {word}` writes a first suite for it"
        if _holds_assertions(path):
            hint = (
                f"__expected is of promptfoo; make a suite of it: evaluators convert {word} -o suite.yaml --rows rows.csv"
            )
        raise problem("rows-for-suite", said, where=str(path), hint=hint) from error


def _holds_assertions(path: Path) -> bool:
    from evaluators.suite.foreign_hints import TABLE_OF_PROMPTFOO  # a suite without this mistake has no use for it

    with path.open("rb") as file:
        return re.match(TABLE_OF_PROMPTFOO, file.readline(64 * 1024).decode("utf-8", "replace")) is not None


def _as_word(path: Path) -> str:
    """The path as a command line takes it."""
    return f'"{path}"' if " " in str(path) else str(path)


def loads(
    text: str, name: str = "suite.yaml", folder: Path | None = None, *, environment: Mapping[str, str] | None = None
) -> Suite:
    """The suite in a text. `folder` is where its relative paths start. Raises Problems as `load` does."""
    return _read_once(lambda: suite_source.loads(text, name, folder, environment), environment)
