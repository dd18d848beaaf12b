"""Where a suite says what a run finds fault with (a field, the key of an alignment, a column), and its texts as a run folder keeps them:
its own, those it extends, and its schemas, as they are written.

Passwords and signatures in addresses are left out, and values of `${NAME}` are not filled in. Files keep their places relative to each
other, so that the copy loads as the suite did; folders above all of them are not told.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from evaluators.model.issues import Issue
from evaluators.model.settings import Loc
from evaluators.scoring.needs import ROLES
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.addresses import without_proofs
from evaluators.scoring.values.file_names import place_in_copy
from evaluators.scoring.values.paths import ANY, parse
from evaluators.suites.nodes import SuiteInput
from evaluators.testsets.test_set_checks import absent_places
from evaluators.testsets.test_set_config import AllBut, Joined, TestSetConfig

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite


KEY: Final = ("key_field", "key")
"""The steps from how a list is paired to its key."""
_NAMES_A_COLUMN: Final = (*ROLES, "correct_answer_key")
_PRESET: Final = "preset:"
_HALF: Final = re.compile("[\ud800-\udfff]")
"""What stands in a name for a byte that is not UTF-8."""


def line_places(suite: LoadedSuite | None) -> dict[str, str]:
    """The place of each evaluator in the suite's text, by its name; an empty text for a suite given as data. Empty without a suite."""
    return {} if suite is None else {line.name: suite.config.source.place(line.loc, key=True) for line in suite.lines}


def field_places(suite: LoadedSuite | None) -> dict[tuple[str, str], str]:
    """The place of each listed field, by evaluator and canonical path, whatever spelling the suite uses."""
    if suite is None:
        return {}
    source = suite.config.source
    return {
        (line.name, name): source.place(loc, key=True)
        for line in suite.lines
        for name, loc in _field_locs(suite, line).items()
    }


def align_place(suite: LoadedSuite | None, line: EvaluatorLine, field: str, *steps: str) -> str | None:
    """The place in the suite that says how the list `field` is paired: in its line, or in a schema; with `steps`, the place of a setting
    below that. None without a suite."""
    if suite is None:
        return None
    loc = _field_locs(suite, line).get(field)
    if loc is None:
        return suite.config.source.place(_schema_loc(suite, line, field) or line.loc)
    return suite.config.source.place((*loc, "align", *steps))


def place_column_issue(issue: Issue, column: str, suite: LoadedSuite) -> Issue:
    """A problem with a column of a file, placed where the suite names the column; as it is where the suite does not name it."""
    loc = next(_column_locs(suite, column), None)
    return _at_place(issue, column, suite, loc) if loc else issue


def place_role_issue(issue: Issue, suite: LoadedSuite, elsewhere: Collection[str]) -> Issue:
    """A problem with the column of a role or a field, placed where the test set names that column. Any other problem comes back
    as it is, and so does one with a column that is named `elsewhere`, such as on the command line."""
    if issue.code == "no-such-column":
        for loc, column in _columns_of_test_set(suite.test_set):
            if column not in elsewhere and issue.message.startswith(f'there is no column "{column}";'):
                return _at_place(issue, column, suite, ("test_set", *loc))
    return issue


def _columns_of_test_set(config: TestSetConfig) -> Iterator[tuple[Loc, str]]:
    """Every column that the settings of a test set name, with where they do."""
    for role, column in config.columns.named().items():
        yield ("columns", role), column
    places: list[tuple[Loc, object]] = [(("expected",), config.expected), (("output",), config.output)]
    outputs = config.outputs if isinstance(config.outputs, dict) else {}
    places += [(("outputs", name), place) for name, place in outputs.items()]
    for loc, place in places:
        if not isinstance(place, Joined):
            continue
        yield from (((*loc, name), column) for name in ("key", "column") if (column := getattr(place, name)) is not None)
        fields = place.columns or {}
        if isinstance(fields, AllBut):
            yield from (((*loc, "columns", "all_but", index), column) for index, column in enumerate(fields.all_but))
        else:
            yield from (((*loc, "columns", field), column) for field, column in fields.items())


def place_file_issue(issue: Issue, suite: LoadedSuite) -> Issue:
    """A file or folder that is not there, placed where the suite's test set names it; any other problem as it is."""
    if issue.code == "no-such-file":
        for loc, absent in absent_places(suite.test_set, suite.test_set_folder):
            if absent.message.endswith(f'"{issue.where}"'):
                return _at_place(issue, "", suite, loc_in_test_set(suite, loc))
    return issue


def loc_in_test_set(suite: LoadedSuite, loc: Loc) -> Loc:
    """The place of a test set's setting in the suite: a test set that is one file has none below it."""
    return ("test_set",) if isinstance(suite.config.source.data.get("test_set"), str) else ("test_set", *loc)


def _at_place(issue: Issue, column: str, suite: LoadedSuite, loc: Loc) -> Issue:
    """The issue, placed at `loc` of the suite, with the place that it had before put into its message."""
    source, key = suite.config.source, loc[-1] == f"row.{column}"
    message = f"{issue.where}: {issue.message}"
    return replace(issue, where=source.place(loc, key=key), message=message, excerpt=source.excerpt(loc, key=key))


def _field_locs(suite: LoadedSuite, line: EvaluatorLine) -> dict[str, Loc]:
    """The place of each field of an evaluator in the suite, by canonical path. An evaluator without a tree of fields has the places
    of those that are settings themselves."""
    settings, scored = suite.settings_of(line), line.settings.scored_fields()
    if scored.tree is None:
        return {name: (*line.loc, name) for name in scored.names if name in settings}
    fields = settings.get("fields")
    spelled: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(fields, Mapping):
        spelled = ((key, key) for key in fields)
    elif isinstance(fields, list):
        spelled = iter(enumerate(fields))
    return {parse(str(path)).canonical: (*line.loc, "fields", step) for step, path in spelled}


def _schema_loc(suite: LoadedSuite, line: EvaluatorLine, field: str) -> Loc | None:
    """The place of a list's key in a schema that stands in the suite itself; None where it is in another file."""
    node: Any = suite.settings_of(line)
    steps = [("items",) if step is ANY else ("properties", step) for step in parse(field).steps]
    loc: Loc = (*line.loc, "schema", *(part for step in steps for part in step), "x-eval-align", "key")
    for step in loc[len(line.loc) :]:
        if not isinstance(node, Mapping) or step not in node:
            return None
        node = node[step]
    return loc


def _column_locs(suite: LoadedSuite, column: str) -> Iterator[Loc]:
    """Yields the places where the suite names a column: under its evaluators, then under its comparators, then in other sections."""
    data, written = suite.config.source.data, f"row.{column}"
    for line in suite.lines:
        settings = suite.settings_of(line)
        yield from ((*line.loc, key) for key in _NAMES_A_COLUMN if settings.get(key) == column)
        yield from ((*line.loc, *loc) for loc in _inner_locs(settings, column))
    yield from (("comparators", *loc) for loc in _inner_locs(data.get("comparators"), column))
    slices, measures = data.get("slices"), data.get("measures")
    named: dict[Loc, tuple[Any, str]] = {(section,): (data.get(section), key) for section, key in _COLUMN_OF.items()}
    if isinstance(measures, Mapping):
        named |= {("measures", name): (body, "column") for name, body in measures.items()}
    for loc, (body, key) in named.items():
        if body == written:
            yield loc
        elif isinstance(body, Mapping) and body.get(key) == written:
            yield (*loc, key)
    if isinstance(slices, list) and written in slices:
        yield ("slices", slices.index(written))


_COLUMN_OF: Final = {"slices": "", "statistics": "cluster", "repeats": "by", "confidence": "column"}
"""Sections that name one column, in short or under this key."""


def _inner_locs(value: Any, column: str) -> Iterator[Loc]:
    """The places in a setting that name the column, however deep: `{column: NAME}`, `answers: row.NAME` and `when: {row.NAME:
    …}`."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            named = (key == "column" and inner == column) or (key == "answers" and inner == f"row.{column}")
            if named or key == f"row.{column}":
                yield (key,)
            yield from ((key, *loc) for loc in _inner_locs(inner, column))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from ((index, *loc) for loc in _inner_locs(inner, column))


def suite_texts(suite: LoadedSuite) -> tuple[str, dict[str, str]]:
    """The name of the suite's own file, and the texts of all its files by name, as a run folder keeps them: names are places in that
    folder, and passwords in addresses are left out."""
    source = suite.config.source
    if suite.given is not None:
        text = json.dumps(suite.given, indent=2, ensure_ascii=False, default=str)
        return "suite.yaml", {"suite.yaml": without_proofs(text)}
    files: dict[Path, str] = {}
    for document in source.documents:
        if not document.name.startswith(_PRESET):
            files[_written_path(document)] = document.text
    for file, shown in _schema_files(suite):
        data = suite.files[str(file)] if str(file) in suite.files else file.read_bytes()
        files.setdefault(shown, data.decode("utf-8-sig"))
    main = _absolute(source.folder, source.name)
    base = Path(os.path.commonpath([file.parent for file in files]))
    return _relative(main, base), {_relative(file, base): without_proofs(text) for file, text in files.items()}


def suite_places(suite: LoadedSuite) -> list[Path]:
    """The paths of the files of a suite; empty for a suite that was given as data."""
    if suite.given is not None:
        return []
    written = [document for document in suite.config.source.documents if not document.name.startswith(_PRESET)]
    of_suites = [
        Path(os.path.abspath(document.file)) if document.file else _absolute(document.folder, document.name)
        for document in written
    ]
    return list(dict.fromkeys([*of_suites, *(Path(os.path.abspath(file)) for file, _ in _schema_files(suite))]))


def _written_path(document: SuiteInput) -> Path:
    """The path of a text of the suite, spelled by the name that is written in the suite."""
    if document.written is not None:
        return Path(os.path.abspath(document.written))
    return _absolute(document.folder, document.name)


def _absolute(folder: Path | None, name: str) -> Path:
    """The absolute path of a file of that name in a folder."""
    return Path(os.path.abspath((folder or Path()) / os.path.basename(name)))


def _relative(file: Path, base: Path) -> str:
    """The path of a file from `base` on, with a sign in place of bytes that are not UTF-8."""
    return _HALF.sub("_", file.relative_to(base).as_posix())


def _schema_files(suite: LoadedSuite) -> Iterator[tuple[Path, Path]]:
    """Yields the schemas of evaluators that are files, each as the file that is read and the absolute path that its name has as the suite
    spells it, with variables not filled in: by this path a copy of the suite finds it."""
    source = suite.config.source
    for line in suite.lines:
        name = suite.settings_of(line).get("schema")
        if not isinstance(name, str):
            continue
        document = source.document_of(line.loc)
        file = (document.folder or Path()) / name
        if str(file) in suite.files or file.is_file():
            folder = document.written.parent if document.written is not None else document.folder or Path()
            shown = source.filled.as_written(name)
            stored_place = place_in_copy(folder, name) if Path(name).is_absolute() and shown == name else folder / shown
            yield file, Path(os.path.abspath(stored_place))
