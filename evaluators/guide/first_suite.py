"""What the command `init` makes: reads the first rows, asks what the data does not settle, and writes a suite."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import accumulate, islice, takewhile
from pathlib import Path
from shlex import join, quote
from typing import Any, Final

from msgspec import Struct

from evaluators.guide.chosen_columns import ChosenColumns
from evaluators.guide.column_cells import holds_containers
from evaluators.guide.columns_set_aside import is_measure
from evaluators.guide.draft import evaluators_for, slices_for
from evaluators.guide.expected_answers import FIRST_ROWS, MOST_ROWS, first_cells
from evaluators.guide.init_notes import (
    end_text,
    notes_on_columns,
    notes_on_lines,
    notes_on_other_references,
    notes_on_pairing,
    notes_on_partners,
    quoted_names,
)
from evaluators.guide.inner_columns import inner_columns, texts_in_items
from evaluators.guide.json_in_cells import object_in
from evaluators.guide.label_lists import FIELD, evaluators_of_labels
from evaluators.guide.pair_evaluators import evaluators_of_pairs
from evaluators.guide.places import json_documents
from evaluators.guide.roles_of_file import nameable, roles_of_file, sheet_setting
from evaluators.guide.sides_in_files import (
    SIDES,
    column_of_outputs,
    columns_name_both_sides,
    fields_in_columns,
    keys_of_files,
    labels_in_columns,
    models_in_files,
    models_in_folders,
    sheets_of_both_sides,
)
from evaluators.guide.suite_text import SuggestedEvaluators, comment, suite_text
from evaluators.guide.text_evaluators import end_of_reasoning
from evaluators.guide.wrapped_outputs import document_path
from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.model.settings import build
from evaluators.runs.metrics import count_text, rows_text
from evaluators.scoring.fields.inference.proposals import DefaultAnswers
from evaluators.scoring.needs import ROLES
from evaluators.scoring.values.addresses import has_wildcards, shown_address, without_proofs
from evaluators.scoring.values.file_names import as_file_name
from evaluators.scoring.values.json_text import compact
from evaluators.scoring.values.path_text import display
from evaluators.testsets.byte_source import STANDARD_INPUT, locate
from evaluators.testsets.byte_store import scheme_of
from evaluators.testsets.columns import Columns
from evaluators.testsets.delimited import encoding_note, seeming_encoding
from evaluators.testsets.derived import columns_read
from evaluators.testsets.documents import holds_documents, open_file
from evaluators.testsets.opening import open_test_set
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig

_MOST_CHARS: Final = 2_000_000
"""Characters of the cells that are looked at: of large documents fewer rows than `MOST_ROWS`."""
_LEAST_ROWS: Final = 200
ADDRESS_VARIABLE: Final = "TEST_SET_ADDRESS"
"""What a suite names in place of an address that holds a signature."""


class DraftedSuite(Struct, frozen=True):
    """A suite as text, its place, and notes for its reader."""

    file: str
    text: str
    words: str
    chosen: ChosenColumns
    notes: tuple[str, ...]


def draft_suite(
    data: str | None,
    output: str | None,
    expected: str | None,
    columns: Mapping[str, str],
    target: str | None,
    ask: DefaultAnswers,
    settings: Mapping[str, str | int],
) -> DraftedSuite:
    """A first suite for data; nothing is written. Raises Problems when the data cannot be read, or when no output is found.

    `output` and `expected` are places of the two sides apart from `data`, `columns` the columns that the user named by role, `target` the
    file that the suite goes to. `settings` say how a file of rows is read: its `delimiter`, its `encoding`, its `sheet`, its `header_row`.
    """
    if STANDARD_INPUT in (data, output, expected):
        raise problem("no-file", "a suite names its data, so standard input cannot be it", hint="save it as a file first")
    if expected is not None and expected == output:
        message = f"the expected answers and the outputs are both said to be in {expected}"
        hint = f"to tell them apart by their names: evaluators init {quote(expected)}"
        raise problem("one-place", message, hint=hint)
    place = data or expected
    if place is None:
        raise problem("no-test-set", "there is no data to look at", hint="evaluators init rows.csv")
    place = shown_address(place) if scheme_of(place) else os.path.normpath(place)
    if any(_without_secret(place) != place for place in (data, expected, output) if place and scheme_of(place)):
        ask.said.append(f"the address lets people in, so the suite names the variable {ADDRESS_VARIABLE} in its place")
    ask.command = _init_command(
        data, {"outputs-from": output, "expected": expected, "suite": target, **settings}, columns
    )
    ask.place = place
    places = json_documents(data, expected, output)
    data, expected, output = places.data, places.expected, places.output
    ask.said += places.notes
    folders = {} if data is not None else models_in_folders(expected, output)
    models = folders or models_in_files(data or expected, output)
    if models:
        ask.said.append(
            f"outputs of {count_text(len(models), 'model')} are in {'folders' if folders else 'files'} of their own: "
            f"{quoted_names([*models])}"
        )
        output = next(iter(models.values()))
    if data is None and columns_name_both_sides(expected, output):
        data, expected = expected, None
    file = target or f"{_suite_name(place)}.yaml"
    config, reading, chosen = _places_and_roles(data, expected, output, columns, ask, settings)
    test_set, cells, there = _open_rows(config, reading, chosen)
    inside = _path_of_answer(test_set.columns, chosen, cells)
    if inside is not None:
        chosen.take("expected", inside, "inside objects")
        test_set, cells, there = _open_rows(config, reading, chosen)
    count = _rows_to_use(cells, there)
    more = count < there
    if more:
        cells = {name: column[:count] for name, column in cells.items()}
    if not count:
        message = "there is a header and no rows, and a suite is made from rows"
        raise Problems([Issue("no-rows", Blame.TESTSET, message, place, "add some rows, a handful will do")])
    roles = test_set.columns
    chosen.measures = [name for name in chosen.measures if is_measure(name, cells[name])]
    made = _evaluators(chosen, roles, cells, _names_in_documents(config, roles, cells), ask)
    rows = f"its first {rows_text(count)}" if more else "its only row" if count == 1 else f"its {rows_text(count)}"
    known = (roles.id, roles.input, roles.output, roles.expected)
    compared = [name for pair in chosen.pairs for name in (pair.output, pair.expected)]
    aside = (*chosen.measures, *chosen.models, *compared, *chosen.verdicts)
    taken = [*(name for name in known if name is not None), *aside, *columns_read(test_set.table)]
    places_as_written = _places_from_suite(config, file)
    if models:
        places_as_written |= _with_models(places_as_written.pop("output"), models, file)
    if chosen.models:
        places_as_written["outputs"] = {as_file_name(name): {"column": name} for name in chosen.models}
    head = [
        *comment(f"A first suite for {place}, made from what is in {rows}."),
        f"# Run it:  evaluators run {quote(file)}",
    ]
    written_test_set = {**places_as_written, **reading}
    text = suite_text("\n".join(head), _suite_name(place), written_test_set, chosen, made, slices_for(cells, taken))
    paired = notes_on_pairing(test_set) if data is None else notes_on_partners(test_set)
    paired += (
        notes_on_lines(cells.get(roles.expected or "", ()), cells.get(roles.output or "", ())) if data is None else []
    )
    notes = [
        *ask.said,
        *chosen.notes,
        *paired,
        *made.notes,
        *notes_on_columns(chosen, made, cells, file),
        *notes_on_other_references(chosen, cells),
    ]
    return DraftedSuite(file, text, end_text(place, rows, chosen, made.said, notes, file), chosen, tuple(notes))


def _places_and_roles(
    data: str | None,
    expected: str | None,
    output: str | None,
    columns: Mapping[str, str],
    ask: DefaultAnswers,
    settings: Mapping[str, str | int],
) -> tuple[dict[str, Any], dict[str, str | int], ChosenColumns]:
    """The places of the rows, the expected answers and the outputs as `test_set` has them, how the rows are read, and the roles of their
    columns, which are asked where nothing says them. `columns` and `settings` are what the user said of both."""
    config: dict[str, Any] = {
        name: given for name, given in (("file", data), ("expected", expected), ("output", output)) if given
    }
    chosen, reading = ChosenColumns(), dict(settings)
    if data is None:  # the columns are those of the files of both sides
        own = [role for role in ROLES if role in columns]
        config |= {role: {"file": config[role], "column": columns[role]} for role in own if role in config}
        for role in own:
            if role not in config:
                chosen.take(role, columns[role], "as you said")
    if data is not None:
        alone = not holds_documents(data, Path())
        seeming = seeming_encoding(locate(data, Path())) if alone and "encoding" not in reading else None
        if seeming is not None:
            reading["encoding"] = seeming
            ask.said.append(encoding_note(ask.place, seeming))
        settled = {role: columns[role] for role in ROLES if role in columns}
        if alone and "sheet" not in reading:
            sides = {} if "output" in config or "expected" in config else sheets_of_both_sides(data)
            if sides:
                reading["sheet"] = sides["expected"]
                config["output"] = {"file": data, "sheet": sides["output"]}
                ask.said.append(
                    f'sheet "{sides["expected"]}" has the expected answers, and "{sides["output"]}" the outputs'
                )
            else:
                reading |= sheet_setting(data, config, settled, ask, reading)
        chosen = roles_of_file(data, config, settled, ask, reading)
    if not chosen.pairs and not chosen.models:
        config |= (
            fields_in_columns(config, chosen, reading, ask)
            or column_of_outputs(config, ask)
            or labels_in_columns(config, chosen, reading, ask)
        )
        config |= keys_of_files(config, chosen, reading)
    return config, reading, chosen


def _with_models(first: Any, models: Mapping[str, str], suite_file: str) -> dict[str, Any]:
    """The setting `outputs` with the file of each model, whose columns are those of the `first`."""
    column = {key: value for key, value in first.items() if key != "file"} if isinstance(first, Mapping) else None
    places = {name: {"file": place, **column} if column else place for name, place in models.items()}
    return {
        "outputs": {name: _places_from_suite({"output": place}, suite_file)["output"] for name, place in places.items()}
    }


def _open_rows(
    config: Mapping[str, Any], reading: Mapping[str, str | int], chosen: ChosenColumns
) -> tuple[TestSet, dict[str, list[Any]], int]:
    """Opens the test set that the settings and the chosen columns say: (the test set, its first cells by column, how many rows those
    are)."""
    read = {**chosen.columns, "output": chosen.models[0]} if chosen.models else chosen.columns
    test_set = open_test_set(build(TestSetConfig, {**config, **reading, "columns": read}, noun="test_set"), Path())
    played = (test_set.columns.id, test_set.columns.output, test_set.columns.expected)
    names = dict.fromkeys([*nameable(test_set.own_header), *filter(None, played)])
    return test_set, *first_cells(test_set, list(names), MOST_ROWS + 1)


def _path_of_answer(roles: Columns, chosen: ChosenColumns, cells: Mapping[str, Sequence[Any]]) -> str | None:
    """The path in the column of expected objects at which the document stands whose keys outputs have, or the answers to plain outputs of
    another file; None where there is none."""
    wanted, output = chosen.columns.get("expected"), roles.output
    if wanted is None or output is None or chosen.why["expected"] == "as you said":
        return None
    answers, outputs = cells[wanted][:FIRST_ROWS], cells[output][:FIRST_ROWS]
    steps = document_path(answers, [object_in(cell) for cell in outputs])
    if steps:
        return display((wanted, *steps))
    if not holds_containers(answers) or holds_containers(outputs):
        return None
    texts = texts_in_items(wanted, answers, outputs)
    if texts is not None or "output" in chosen.columns:
        return texts
    inner = inner_columns({wanted: answers, output: outputs}, [output])
    paths = [] if inner is None else [*inner.paths.values()]
    return paths[0] if len(paths) == 1 else None


def _rows_to_use(cells: Mapping[str, Sequence[Any]], count: int) -> int:
    """How many of the first rows a suite is made from: at most `MOST_ROWS`, and fewer where their cells are long."""
    most = min(count, MOST_ROWS)
    sizes = accumulate(
        sum(
            len(cell) if isinstance(cell, str) else len(compact(cell)) if isinstance(cell, dict | list) else 1
            for cell in row
        )
        for row in zip(*cells.values(), strict=True)
    )
    within = sum(1 for _ in takewhile(lambda size: size <= _MOST_CHARS, islice(sizes, most)))
    return max(within, min(most, _LEAST_ROWS))


def first_rows(data: str, most: int, reading: TestSetConfig | None = None) -> Mapping[str, Sequence[Any]]:
    """The first cells of each column of a file with rows, read as some settings say, or of a folder with documents of both sides. Raises
    Problems where it cannot be read."""
    places = json_documents(data, None, None)
    if places.output is not None:
        both = {"expected": places.expected, "output": places.output}
        documents = open_test_set(build(TestSetConfig, both, noun="test_set"), Path())
        return first_cells(documents, nameable(documents.own_header), most)[0]
    table = open_file(
        data, Path(), None, (reading or build(TestSetConfig, {"file": data}, noun="test_set")).with_reading_settings
    )
    return first_cells(table, nameable(table.header), most)[0]


def _evaluators(
    chosen: ChosenColumns,
    roles: Columns,
    cells: Mapping[str, Sequence[Any]],
    names: Sequence[Any],
    ask: DefaultAnswers,
) -> SuggestedEvaluators:
    """The evaluators that fit the columns: for their output and expected answer, or one for each pair. `names` are those of the rows, where
    a key of both documents gives them."""
    if chosen.pairs:
        return evaluators_of_pairs(chosen.pairs, cells, ask)
    wanted = cells.get(roles.expected) if roles.expected is not None else None
    if chosen.labels and wanted is not None:
        sides = [
            [cell.get(FIELD) if isinstance(cell, Mapping) else None for cell in side]
            for side in (wanted, cells[roles.output or ""])
        ]
        return evaluators_of_labels(sides[0], sides[1], chosen.mark)
    # what fits outputs with reasoning fits those of other models
    reasoning = [column for column in chosen.models if end_of_reasoning(cells.get(column, ()))]
    return evaluators_for(cells[(*reasoning, roles.output or "")[0]], wanted, chosen.columns, ask, names)


def _names_in_documents(config: Mapping[str, Any], roles: Columns, cells: Mapping[str, Sequence[Any]]) -> Sequence[Any]:
    """The names of the rows, where both sides are files of documents that hold them; none where folders or a file of rows name them."""
    sides = [config.get(role) for role in SIDES]
    places = [side.get("file") if isinstance(side, Mapping) else side for side in sides]
    if "file" in config or any(place is None or holds_documents(place, Path()) for place in places):
        return ()
    return cells.get(roles.id or "", ())


def _init_command(data: str | None, options: Mapping[str, str | int | None], columns: Mapping[str, str]) -> str:
    """The line that runs `evaluators init` with these options, to which messages add what is missing."""
    arguments = [(name.replace("_", "-"), str(value)) for name, value in options.items() if value is not None]
    roles = [("columns", f"{role}={column}") for role, column in columns.items()]
    words = [*([data] if data else []), *(word for name, value in (*arguments, *roles) for word in (f"--{name}", value))]
    return join(["evaluators", "init", *words])


def _suite_name(path: str) -> str:
    """The name of a suite for that data: `receipts` for `data/receipts.csv.gz`, and for `data/receipts/*.csv`."""
    steps = [step for step in path.split("/") if step.strip(".") and not has_wildcards(step)]
    return Path(steps[-1].removesuffix(".gz")).stem if steps and not steps[-1].endswith(":") else "suite"


def _places_from_suite(config: Mapping[str, Any], suite_file: str) -> dict[str, Any]:
    """The settings that name files, each path rewritten to start in the folder of the suite.

    Web addresses stay; one with a password or a key in it becomes `${VARIABLE}`, so that the suite holds no secret.
    """
    folder = Path(suite_file).parent

    def relative(place: Any) -> Any:
        """A place as seen from the folder of the suite; of a map the place in its `file`."""
        if isinstance(place, Mapping):
            return {**place, "file": relative(place["file"])} if "file" in place else place
        return _without_secret(place) if scheme_of(place) else Path(os.path.relpath(place, folder)).as_posix()

    return {name: relative(value) if name in _PLACES else value for name, value in config.items()}


_PLACES: Final = frozenset(["file", "expected", "output"])
"""The settings of a test set that are places; others, such as `empty_expected`, are words."""


def _without_secret(address: str) -> str:
    """The web address as it is, or `${VARIABLE}` in its place where it has a password or a key in it."""
    return address if without_proofs(address) == address else f"${{{ADDRESS_VARIABLE}}}"
