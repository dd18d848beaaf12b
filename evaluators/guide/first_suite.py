"""What the command `init` makes: reads the first rows, asks what the data does not settle, and writes a suite."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, islice, takewhile
from pathlib import Path
from shlex import join, quote
from typing import Any, Final

from msgspec import Struct

from evaluators.guide.annotated_tasks import paths_of_tasks, sides_of_tasks
from evaluators.guide.argilla_records import argilla_questions, columns_of_argilla, paths_of_argilla
from evaluators.guide.column_cells import begin_with_verdicts, filled, holds_containers, holds_shares
from evaluators.guide.column_names import called_metric, called_verdict, may_be_measure, weight, without_digits, words_of
from evaluators.guide.conversations import paths_of_conversations
from evaluators.guide.draft import evaluators_for, slices_for
from evaluators.guide.expected_answers import first_cells
from evaluators.guide.field_columns import field_columns, holds_objects, output_keys
from evaluators.guide.function_calls import paths_of_calls
from evaluators.guide.inner_columns import holds_reply, inner_columns, reply_paths, texts_in_items
from evaluators.guide.json_in_cells import object_in
from evaluators.guide.label_lists import FIELD, evaluators_of_labels, mark_between_labels
from evaluators.guide.pair_evaluators import evaluators_of_pairs
from evaluators.guide.places import json_documents, sheet_with_roles, sheets_by_side
from evaluators.guide.roles import MODELS, ChosenColumns, choose_roles, is_measure
from evaluators.guide.row_names import names_in_both
from evaluators.guide.suite_text import SuggestedEvaluators, comment, literal, suite_text
from evaluators.guide.wrapped_outputs import document_path
from evaluators.model.issues import Blame, Issue, Problems, encodable, problem
from evaluators.model.settings import build
from evaluators.reports.display import visible
from evaluators.runs.metrics import count_text, rows_text
from evaluators.scoring.fields.inference.proposals import NONE_OF_THEM, Ask, DefaultAnswers, InitQuestion
from evaluators.scoring.needs import ROLES, Role
from evaluators.scoring.values.addresses import has_wildcards, shown_address, without_proofs
from evaluators.scoring.values.file_names import as_file_name
from evaluators.scoring.values.json_text import compact, parse_file
from evaluators.scoring.values.path_text import display
from evaluators.scoring.values.quoting import first_texts
from evaluators.testsets.byte_source import STANDARD_INPUT, locate, whole_of
from evaluators.testsets.byte_store import scheme_of
from evaluators.testsets.columns import Columns, is_usual, no_such_column, not_told_apart, usual_columns
from evaluators.testsets.composed import with_paths
from evaluators.testsets.delimited import encoding_note, seeming_encoding
from evaluators.testsets.derived import columns_read, first_table, knows
from evaluators.testsets.documents import documents_at, holds_documents, holds_rows, open_file, text_of, variants_at
from evaluators.testsets.json_tables import lists_inside
from evaluators.testsets.memory_rows import keyed_rows
from evaluators.testsets.naming_key import called_id
from evaluators.testsets.opening import FILE_ENDINGS, TABLES, open_test_set
from evaluators.testsets.reader import Reader, Table
from evaluators.testsets.table_head import NO_HEADER
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig

MOST_ROWS: Final = 20_000
_MOST_CHARS: Final = 2_000_000
"""Characters of the cells that are looked at: of large documents fewer rows than `MOST_ROWS`."""
_LEAST_ROWS: Final = 200
_FIRST_ROWS: Final = 200
_MOST_MODELS: Final = 20
_LISTS: Final = (".json", ".jsonl", ".ndjson")
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
    """A first suite for data. Raises Problems when the data cannot be read, or when no output is found.

    `settings` say how a file of rows is read: its `delimiter`, its `encoding`, its `sheet`, its `header_row`.
    """
    if STANDARD_INPUT in (data, output, expected):
        raise problem("no-file", "a suite names its data, so standard input cannot be it", hint="save it as a file first")
    place = data or expected
    if place is None:
        raise problem("no-test-set", "there is no data to look at", hint="evaluators init rows.csv")
    place = shown_address(place) if scheme_of(place) else os.path.normpath(place)
    if any(_without_password(place) != place for place in (data, expected, output) if place and scheme_of(place)):
        ask.said.append(f"the address lets people in, so the suite names the variable {ADDRESS_VARIABLE} in its place")
    ask.command = _command(data, {"output": output, "expected": expected, "suite": target, **settings}, columns)
    ask.place = place
    places = json_documents(data, expected, output)
    data, expected, output = places.data, places.expected, places.output
    ask.said += places.said
    models = _models_in_files(data or expected, output)
    if models:
        ask.said.append(f"outputs of {count_text(len(models), 'model')} are in files of their own: {_listed([*models])}")
        output = next(iter(models.values()))
    if data is None and _name_their_columns(expected, output):
        data, expected = expected, None
    file = target or f"{_stem(place)}.yaml"
    config: dict[str, Any] = {
        name: given for name, given in (("file", data), ("expected", expected), ("output", output)) if given
    }
    chosen, reading = ChosenColumns(), dict(settings)
    if data is not None:
        alone = not holds_documents(data, Path())
        seeming = seeming_encoding(locate(data, Path())) if alone and "encoding" not in reading else None
        if seeming is not None:
            reading["encoding"] = seeming
            ask.said.append(encoding_note(place, seeming))
        settled = {role: columns[role] for role in ROLES if role in columns}
        if alone and "sheet" not in reading:
            sides = {} if "output" in config or "expected" in config else _sheets_of_both_sides(data)
            if sides:
                reading["sheet"] = sides["expected"]
                config["output"] = {"file": data, "sheet": sides["output"]}
                ask.said.append(
                    f'sheet "{sides["expected"]}" has the expected answers, and "{sides["output"]}" the outputs'
                )
            else:
                reading |= _sheet(data, config, settled, ask, reading)
        chosen = _roles(data, config, settled, ask, reading)
    if not chosen.pairs and not chosen.models:
        config |= (
            _fields_in_columns(config, chosen, reading, ask)
            or _column_of_outputs(config, ask)
            or _labels_in_columns(config, chosen, reading, ask)
        )
        config |= _keys(config, chosen, reading)
    test_set, cells, there = _opened(config, reading, chosen)
    inside = _answer_inside(test_set.columns, chosen, cells)
    if inside is not None:
        chosen.take("expected", inside, "inside objects")
        test_set, cells, there = _opened(config, reading, chosen)
    count = _looked_at(cells, there)
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
    found = _places_from_suite(config, file)
    if models:
        found |= _with_models(found.pop("output"), models, file)
    if chosen.models:
        found["outputs"] = {as_file_name(name): {"column": name} for name in chosen.models}
    head = [
        *comment(f"A first suite for {place}, made from what is in {rows}."),
        f"# Run it:  evaluators run {quote(file)}",
    ]
    text = suite_text("\n".join(head), _stem(place), {**found, **reading}, chosen, made, slices_for(cells, taken))
    paired = _pairing(test_set) if data is None else _without_partner(test_set)
    notes = [
        *ask.said,
        *chosen.notes,
        *paired,
        *made.notes,
        *_of_columns(chosen, made, cells, file),
        *_other_references(chosen, cells),
    ]
    return DraftedSuite(file, text, _words(place, rows, chosen, made.said, notes, file), chosen, tuple(notes))


def _models_in_files(data: str | None, output: str | None) -> dict[str, str]:
    """The files with outputs in a folder, or of a pattern, by the names of the models; empty where each is a document of a row of `data`,
    called like something in its first rows."""
    if data is None or output is None or not holds_documents(output, Path()) or not holds_rows(output, Path()):
        return {}
    models = variants_at(output, Path())
    table = None if holds_documents(data, Path()) else _rows_at({"file": data}, "file", {})
    cells = first_cells(table, _nameable(table.header), MOST_ROWS)[0] if table is not None else {}
    texts = {str(cell) for column in cells.values() for cell in column if isinstance(cell, str | int)}
    return models if table is not None and texts.isdisjoint(models) else {}


def _with_models(first: Any, models: Mapping[str, str], suite_file: str) -> dict[str, Any]:
    """The setting `outputs` with the file of each model, whose columns are those of the `first`."""
    column = {key: value for key, value in first.items() if key != "file"} if isinstance(first, Mapping) else None
    places = {name: {"file": place, **column} if column else place for name, place in models.items()}
    return {
        "outputs": {name: _places_from_suite({"output": place}, suite_file)["output"] for name, place in places.items()}
    }


def _opened(
    config: Mapping[str, Any], reading: Mapping[str, str | int], chosen: ChosenColumns
) -> tuple[TestSet, dict[str, list[Any]], int]:
    """The test set with its columns, its first cells by column, and how many rows those are."""
    read = {**chosen.columns, "output": chosen.models[0]} if chosen.models else chosen.columns
    test_set = open_test_set(build(TestSetConfig, {**config, **reading, "columns": read}, noun="test_set"), Path())
    played = (test_set.columns.id, test_set.columns.output, test_set.columns.expected)
    names = dict.fromkeys([*_nameable(test_set.own_header), *filter(None, played)])
    return test_set, *first_cells(test_set, list(names), MOST_ROWS + 1)


def _answer_inside(roles: Columns, chosen: ChosenColumns, cells: Mapping[str, Sequence[Any]]) -> str | None:
    """The path in the column of expected objects at which the document stands whose keys outputs have, or the answers to plain outputs of
    another file; None where there is none."""
    wanted, output = chosen.columns.get("expected"), roles.output
    if wanted is None or output is None or chosen.why["expected"] == "as you said":
        return None
    answers, outputs = cells[wanted][:_FIRST_ROWS], cells[output][:_FIRST_ROWS]
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


def _looked_at(cells: Mapping[str, Sequence[Any]], count: int) -> int:
    """How many of the first rows a suite is made from."""
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
        return first_cells(documents, _nameable(documents.own_header), most)[0]
    table = open_file(data, Path(), None, (reading or build(TestSetConfig, {"file": data}, noun="test_set")).reads)
    return first_cells(table, _nameable(table.header), most)[0]


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
    return evaluators_for(cells[roles.output or ""], wanted, chosen.columns, ask, names)


def _names_in_documents(config: Mapping[str, Any], roles: Columns, cells: Mapping[str, Sequence[Any]]) -> Sequence[Any]:
    """The names of the rows, where both sides are files of documents that hold them; none where folders or a file of rows name them."""
    sides = [config.get(role) for role in _SIDES]
    places = [side.get("file") if isinstance(side, Mapping) else side for side in sides]
    if "file" in config or any(place is None or holds_documents(place, Path()) for place in places):
        return ()
    return cells.get(roles.id or "", ())


def _of_columns(
    chosen: ChosenColumns, made: SuggestedEvaluators, cells: Mapping[str, Sequence[Any]], file: str
) -> list[str]:
    """Notes on columns that play no role, and on outputs of several models: in several columns, or in rows that a column tells apart."""
    notes: list[str] = []
    if chosen.left:
        notes.append(
            f"no column is taken for the expected answer, so nothing is compared; left are {_listed(chosen.left)}: "
            "`--columns expected=NAME` takes one"
        )
    elif not made.said:
        notes.append(
            "there are no expected answers, so nothing is compared: a column of them, or --expected FILE, brings them"
        )
    verdicts = [
        name
        for name in chosen.verdicts
        if called_verdict(name) and not called_metric(name) and not holds_shares(cells.get(name, ()))
    ]
    notes += _of_models_in_rows(chosen, cells)
    if chosen.models:
        notes.append(f"outputs of {len(chosen.models)} models stand side by side: {_listed(chosen.models)}")
    if verdicts and not chosen.models and (chosen.pairs or "expected" in chosen.columns):
        column = verdicts[0]
        own = [pair.stem for pair in chosen.pairs if {*words_of(pair.stem)} <= {*words_of(column)}]
        name, run = own[0] if own else made.gated[-1], as_file_name(Path(file).stem)
        notes.append(
            f"{_listed(verdicts)}: verdicts, which are no answers. To compare with them: "
            f"evaluators run {quote(file)} --name {quote(run)}, then "
            f"evaluators calibrate {quote(f'runs/{run}')} --human {quote(column)} --evaluator {quote(name)}"
        )
    return notes


def _of_models_in_rows(chosen: ChosenColumns, cells: Mapping[str, Sequence[Any]]) -> list[str]:
    """The note on a column whose names of models part the rows, so that the figures are those of all models together."""
    for name, what in chosen.set_aside.items():
        models = {*map(str, filled(cells.get(name, ())))}
        if what == MODELS and 1 < len(models) <= _MOST_MODELS and 2 * len(models) <= len(cells[name]):
            slices = literal({"slices": [f"row.{name}"]})[1:-1]
            return [
                f'"{name}" names {len(models)} models, and the figures are those of all together; `{slices}` gives each its own'
            ]
    return []


def _other_references(chosen: ChosenColumns, names: Iterable[str]) -> list[str]:
    """Notes on columns that have the name of the expected answers with another number: `ref1` beside `ref2`."""
    wanted = chosen.columns.get("expected")
    if wanted is None or not any(map(str.isdigit, wanted)):
        return []
    alike = [name for name in names if name != wanted and without_digits(name) == without_digits(wanted)]
    if not alike:
        return []
    more = f"exact_match: {literal({'name': 'other', 'expected': alike[0]})}"
    message = (
        f'{_listed(alike)} may hold right answers, too, and "{wanted}" alone is compared; to count the better: `{more}`, and '
        "`max_of` with the names of both"
    )
    return [message]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _fields_in_columns(
    config: Mapping[str, Any], chosen: ChosenColumns, reading: Mapping[str, str | int], ask: DefaultAnswers
) -> dict[str, Any]:
    """The places of expected answers, and of outputs, that have a column for each field; empty where there are none.

    A column of expected answers that was chosen by its name gives way, and so does an input that is a field.
    """
    rows, gold, outputs = (_rows_at(config, name, reading) for name in ("file", "expected", "output"))
    if rows is None and not any(table is not None and table.source.suffix in TABLES for table in (gold, outputs)):
        return {}  # lists of documents are paired as they are
    out, answers = outputs or (None if "output" in config else rows), gold or (None if "expected" in config else rows)
    documents = _first_documents(config) if out is None and answers is not None else []
    if answers is None or (out is None and not documents):
        return {}
    column = (
        None
        if out is None
        else chosen.columns.get("output")
        if out is rows
        else next(iter(usual_columns(out.header, "output")), None)
    )
    if column is None and out is not None and out is rows:
        return {}
    keys = output_keys(documents)
    if column is not None and out is not None:
        keys = output_keys(first_cells(out, [column], _FIRST_ROWS)[0][column])
    elif out is not None:
        keys = [name for name in out.header if not is_usual(name, "id") and not called_id(name)]
    if answers is rows and (wanted := chosen.columns.get("expected")) is not None:
        by_user = chosen.why["expected"] == "as you said"
        if by_user or holds_objects(first_cells(rows, [wanted], _FIRST_ROWS)[0][wanted]):
            return {}
    elif answers is gold and usual_columns(gold.header, "expected"):
        return {}
    taken = [chosen.columns[role] for role in ("id", "output") if role in chosen.columns and answers is rows]
    columns = field_columns(keys, answers.header, [*taken, *usual_columns(answers.header, "id")])
    if not columns:
        return {}
    chosen.left = []
    for role in ("expected", "input"):
        if answers is rows and (role == "expected" or chosen.columns.get(role) in columns.values()):
            chosen.columns.pop(role, None)
    ask.said.append(
        f"the expected answers have a column for each field, called like the keys of the outputs: {', '.join(columns.values())}"
    )
    places: dict[str, Any] = {
        "expected": {**({} if answers is rows else {"file": config["expected"]}), "columns": columns}
    }
    if column is None and out is not None:
        places["output"] = {**_place_in(config, "output"), "columns": {key: key for key in columns}}
    return places


def _first_documents(config: Mapping[str, Any]) -> list[Any]:
    """The texts of the first documents with outputs; none where the outputs are no documents."""
    place = config.get("output")
    if not isinstance(place, str) or not holds_documents(place, Path()):
        return []
    return [text_of(source) for source in documents_at(place, Path())["expected"][:_FIRST_ROWS]]


def _name_their_columns(expected: str | None, output: str | None) -> bool:
    """Whether two files hold rows whose columns say which are expected answers and which outputs, and no documents."""
    places = {"expected": expected, "output": output}
    if any(place is None or not place.lower().endswith((*_LISTS, *TABLES)) for place in places.values()):
        return False
    gold, outputs = (_rows_at(places, role, {}) for role in ("expected", "output"))
    if gold is None or outputs is None:
        return False
    if gold.source.suffix in TABLES:
        return bool(usual_columns(gold.header, "expected")) and not usual_columns(outputs.header, "output")
    named = any(is_usual(name, "expected") for name in gold.header) and (
        any(is_usual(name, "output") for name in outputs.header) or len(_answers_alone(outputs, gold)) == 1
    )
    return named and names_in_both(gold, outputs, next(iter(usual_columns(gold.header, "id")), None)) is not None


def _answers_alone(outputs: Reader, gold: Reader) -> list[str]:
    """The columns that a file of outputs alone has, without ids, numbers about the call and expected answers."""
    return [
        name
        for name in outputs.header
        if name not in gold.header
        and not (called_id(name) or may_be_measure(name) or is_usual(name, "id") or is_usual(name, "expected"))
    ]


def _keys(config: Mapping[str, Any], chosen: ChosenColumns, reading: Mapping[str, str | int]) -> dict[str, Any]:
    """The places in other files with the column that names their rows, where the columns with usual names do not. The id of the rows is
    chosen, where nobody said which it is."""
    rows = _rows_at(config, "file", reading)
    changed: dict[str, Any] = {}
    id, said = chosen.columns.get("id"), chosen.why.get("id") == "as you said"
    for role in _SIDES:
        other = _rows_at(config, role, {})
        if (
            rows is None
            or other is None
            or (other.source.suffix == ".json" and keyed_rows(other.source, role) is not None)
        ):
            continue
        names = names_in_both(rows, other, id)
        if names is None or (said and names[0] != id):
            continue
        id, key = names
        if id != chosen.columns.get("id"):
            chosen.take("id", id, "it names the rows of both files")
        usual = usual_columns(other.header, "id")
        if [key] != usual and (usual or (key.startswith("{") and key != id)):
            changed[role] = {**_place_in(config, role), "key": key}
    return changed


def _column_of_outputs(config: Mapping[str, Any], ask: DefaultAnswers) -> dict[str, Any]:
    """The place of outputs in another file: where replies of a programming interface hold what the model said, or, where no column has a
    usual name, the only one that may hold them; else nothing."""
    given = _rows_at(config, "output", {}) if "file" in config else None
    if given is None:
        return {}
    header = _nameable(given.header)
    if len(header) == 1:
        message = f'it has one column, "{header[0]}", and nothing that says to which row a line of it belongs'
        hint = f"paste it into {config['file']} as a column called output, or give it a column of ids beside the outputs"
        raise problem("no-ids", message, where=given.source.name, hint=hint)
    cells, _ = first_cells(given, header, _FIRST_ROWS)
    column = next(iter(reply_paths(cells)), None)
    if column is None and not usual_columns(header, "output"):
        asked, chosen = _unasked(header, cells, {}, ["expected"])
        left = [
            name for name in header if not called_id(name) and not is_usual(name, "id") and name not in chosen.measures
        ]
        column = left[0] if len(left) == 1 else None if asked else chosen.columns.get("output")
    if column is None:
        return {}
    place = _place_in(config, "output")
    ask.said.append(f'the outputs are in column "{column}" of {place["file"]}')
    return {"output": {**place, "column": column}}


def _labels_in_columns(
    config: Mapping[str, Any], chosen: ChosenColumns, reading: Mapping[str, str | int], ask: DefaultAnswers
) -> dict[str, Any]:
    """The places of the labels, where cells of both columns hold several with a mark between them; else nothing."""
    rows = _rows_at(config, "file", reading)
    columns = {role: chosen.columns[role] for role in _SIDES if role in chosen.columns}
    if rows is None or len(columns) < len(_SIDES) or not {*columns.values()} <= {*rows.header}:
        return {}
    cells, _ = first_cells(rows, [*columns.values()], MOST_ROWS)
    mark = mark_between_labels(*(cells[columns[role]] for role in _SIDES))
    if mark is None:
        return {}
    ask.said.append(f'labels are in columns "{columns["expected"]}" and "{columns["output"]}", several in a cell')
    chosen.labels, chosen.mark = columns, mark
    empty = len(cells[columns["expected"]]) - len(filled(cells[columns["expected"]]))
    if empty:
        ask.said.append(
            f"{rows_text(empty)} without an expected label: no label is then the right answer (`empty_expected: value`)"
        )
    chosen.columns = {role: column for role, column in chosen.columns.items() if role not in columns}
    places: dict[str, Any] = {role: {"columns": {FIELD: name}} for role, name in columns.items()}
    return {**places, "empty_expected": "value"} if empty else places


_SIDES: Final[tuple[Role, Role]] = ("expected", "output")


def _place_in(config: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A place that is named, as a map with its file."""
    place = config[name]
    return dict(place) if isinstance(place, Mapping) else {"file": place}


def _sheets_of_both_sides(data: str) -> dict[Role, str]:
    """The sheets of a workbook with the expected answers and with the outputs, as their names say, where neither has both and something
    names the rows of the two; else empty."""
    sides = sheets_by_side(locate(data, Path()))
    tables = {role: _rows_at({role: {"file": data, "sheet": sheet}}, role, {}) for role, sheet in sides.items()}
    gold, outputs = tables.get("expected"), tables.get("output")
    if gold is None or outputs is None:
        return {}
    if any(all(usual_columns(table.header, role) for role in _SIDES) for table in (gold, outputs)):
        return {}
    return sides if names_in_both(gold, outputs, next(iter(usual_columns(gold.header, "id")), None)) is not None else {}


def _rows_at(config: Mapping[str, Any], name: str, reading: Mapping[str, str | int]) -> Reader | None:
    """The rows of a file that is named; None where none is, and for documents."""
    place = config.get(name)
    settings = {"sheet": place["sheet"]} if isinstance(place, Mapping) and "sheet" in place else {}
    place = place.get("file") if isinstance(place, Mapping) else place
    if place is None or (name != "file" and holds_documents(place, Path())):
        return None
    named = build(TestSetConfig, {"file": place, **(reading if name == "file" else settings)}, noun="test_set")
    try:
        return open_file(place, Path(), None, named.reads)
    except Problems:
        return None  # whoever opens the test set says why


def _pairing(test_set: TestSet) -> list[str]:
    """How documents were paired with their outputs, and why that may be wrong."""
    doubts = [f"{warning.message}; {warning.hint}" if warning.hint else warning.message for warning in test_set.warnings]
    return [*first_table(test_set.table).notes, *doubts]


def _without_partner(test_set: TestSet) -> list[str]:
    """The notes on rows that were paired with a file by their ids without the endings of files, and on rows without an output there."""
    endings = [f"to review: {warning.message}" for warning in test_set.warnings if warning.code == FILE_ENDINGS]
    alone = [issue for issue in test_set.issues if issue.code == "no-output-for-row"]
    return [*endings, *(f"{issue.message}{f'; {issue.hint}' if issue.hint else ''}" for issue in alone)]


def _command(data: str | None, options: Mapping[str, str | int | None], columns: Mapping[str, str]) -> str:
    """The line that runs `evaluators init` with these options, to which messages add what is missing."""
    arguments = [(name.replace("_", "-"), str(value)) for name, value in options.items() if value is not None]
    roles = [("columns", f"{role}={column}") for role, column in columns.items()]
    words = [*([data] if data else []), *(word for name, value in (*arguments, *roles) for word in (f"--{name}", value))]
    return join(["evaluators", "init", *words])


def _sheet(
    data: str,
    config: Mapping[str, str],
    columns: Mapping[Role, str],
    ask: DefaultAnswers,
    reading: Mapping[str, str | int],
) -> dict[str, str]:
    """The setting that names the sheet with the outputs, where it is not the first."""

    def has_output(sheet: str) -> bool:
        """Whether a sheet may be the one with the outputs: it has a column for them, or a question could be answered with one, or the
        settings say where they are. Nobody is asked."""
        asked: list[InitQuestion] = []

        def note(question: InitQuestion) -> str:
            asked.append(question)
            return NONE_OF_THEM if question.role else question.answers[0]

        try:
            chosen = _roles(data, config, columns, note, {**reading, "sheet": sheet})
        except Problems:
            return False
        return chosen.has_output or "output" in config or any(question.options for question in asked)

    sheet, note = sheet_with_roles(locate(data, Path()), has_output)
    ask.said += [note] if note else []
    return {"sheet": sheet} if sheet is not None else {}


def _roles(
    data: str,
    config: Mapping[str, str],
    columns: Mapping[Role, str],
    ask: Ask,
    reading: Mapping[str, str | int],
) -> ChosenColumns:
    """The roles of the columns of a file of rows."""
    named = build(TestSetConfig, {"file": data, **reading}, noun="test_set")
    opened = open_file(data, Path(), None, named.reads)
    headless = [doubt for doubt in opened.doubts if doubt.code == NO_HEADER]
    if headless and not columns:
        raise Problems(headless)
    elsewhere: set[Role] = {role for role in ROLES if role in config}
    table = with_paths(opened, columns.values(), data)
    unknown = {role: name for role, name in columns.items() if name not in table.header and not knows(table, name)}
    if unknown:
        raise Problems(no_such_column(name, opened.header, data) for name in unknown.values())
    glued = not_told_apart(opened.header, data)
    if glued is not None:
        raise Problems([glued])
    header = _nameable(table.header)
    cells, _ = first_cells(table, header, _FIRST_ROWS)
    settled = {"output", "expected"} & {*columns, *elsewhere}
    annotated = None if settled else _inside_exports(table, cells, data)
    if settled == {"output"} and "output" in elsewhere:
        last = paths_of_conversations(cells, data, outputs_elsewhere=True)
        annotated = (last, [], _LAST_MESSAGE) if last else None
    if annotated is not None:
        paths, notes, what = annotated
        chosen = choose_roles(header, cells, {**columns, **paths}, elsewhere, ask)
        chosen.why |= dict.fromkeys(paths, what)
        chosen.notes += notes
        return chosen
    asked, chosen = _unasked(header, cells, columns, elsewhere)
    if not chosen.has_output and "expected" not in chosen.columns and opened.source.suffix == ".json":
        _refuse_outer_rows(opened)
    judged = [name for name in (chosen.columns.get("output"),) if name is not None and begin_with_verdicts(cells[name])]
    if not chosen.columns.get("output"):
        judged = [name for name in header if begin_with_verdicts(cells[name])]
    if judged and not columns:
        message = f"the outputs begin with verdicts such as [PASS], as in a table of promptfoo: {_listed(judged)}"
        hint = "write its results as JSON (promptfoo eval -o results.json), then: evaluators init results.json --list results.results"
        raise problem("verdicts-in-outputs", message, where=data, hint=hint)
    pair = [cells.get(chosen.columns.get(role, ""), ()) for role in ("output", "expected")]
    doubtful = asked or chosen.left or holds_containers(pair[0]) != holds_containers(pair[1]) or holds_reply(pair[0])
    inner = inner_columns(cells, columns.values()) if doubtful else None
    if inner is None:
        return choose_roles(header, cells, columns, elsewhere, ask)
    asked, _ = _unasked(list(inner.cells), inner.cells, columns, elsewhere)
    if any(not question.options for question in asked[:1]):
        return choose_roles(header, cells, columns, elsewhere, ask)
    return inner.written(
        choose_roles(
            list(inner.cells),
            inner.cells,
            columns,
            elsewhere,
            lambda one: inner.named(ask(inner.asked(one) if one.role else one)),
        )
    )


_LAST_MESSAGE: Final = "the last message of a conversation"


def _inside_exports(
    table: Table, cells: Mapping[str, Sequence[Any]], data: str
) -> tuple[dict[Role, str], list[str], str] | None:
    """The paths of what people and a model said in the export of a tool for annotations, or of the functions that were called, notes on
    what is not compared, and what the rows are; None for other rows. `cells` are the first ones. Raises Problems where no model said
    anything."""
    sides = sides_of_tasks(cells)
    if sides:
        return *paths_of_tasks(sides, first_cells(table, [*sides.values()], None)[0], data), "tasks of Label Studio"
    questions = argilla_questions(cells)
    if not questions:
        paths, notes = paths_of_calls(cells)
        if paths:
            return paths, notes, "calls of functions"
        last = paths_of_conversations(cells, data)
        return (last, [], _LAST_MESSAGE) if last else None
    questions = argilla_questions(first_cells(table, columns_of_argilla(questions), None)[0])
    return *paths_of_argilla(questions, data), "records of Argilla"


def _refuse_outer_rows(opened: Reader) -> None:
    """Raises Problems for a JSON file whose rows hold lists with the expected answers or outputs, as the paragraphs of SQuAD do."""
    for path, items in lists_inside(parse_file(whole_of(opened.source))):
        if any(max(weight(key, "expected"), weight(key, "output")) > 0 for key in items[0]):
            message = f"the columns {_listed(opened.header)} play no role, and lists with {first_texts([*items[0]], 3)} are inside the rows"
            raise problem(
                "rows-inside", message, where=opened.source.name, hint=f"say which list has the rows: --list '{path}'"
            )


def _unasked(
    header: Sequence[str], cells: Mapping[str, Sequence[Any]], columns: Mapping[Role, str], elsewhere: Collection[Role]
) -> tuple[list[InitQuestion], ChosenColumns]:
    """The questions about columns that would be asked, and the columns chosen without answers."""
    asked: list[InitQuestion] = []

    def note(question: InitQuestion) -> str:
        """Keeps a question for a column and answers it with none of the columns; any other question gets its first answer."""
        if question.role:
            asked.append(question)
            return NONE_OF_THEM
        return question.answers[0]

    return asked, choose_roles(header, cells, columns, elsewhere, note)


def _nameable(header: Sequence[str]) -> list[str]:
    """The columns that a suite can name: an empty name names nothing, and half a surrogate pair is in no file."""
    return [name for name in header if name and encodable(name) == name]


def _stem(path: str) -> str:
    """The name of a suite for that data: `receipts` for `data/receipts.csv.gz`, and for `data/receipts/*.csv`."""
    steps = [step for step in path.split("/") if step.strip(".") and not has_wildcards(step)]
    return Path(steps[-1].removesuffix(".gz")).stem if steps and not steps[-1].endswith(":") else "suite"


def _places_from_suite(config: Mapping[str, Any], suite_file: str) -> dict[str, Any]:
    """The settings that name files, each path rewritten to start in the folder of the suite.

    Web addresses stay; one with a password or a key in it becomes `${VARIABLE}`, so that the suite holds no secret.
    """
    folder = Path(suite_file).parent

    def relative(place: Any) -> Any:
        if isinstance(place, Mapping):
            return {**place, "file": relative(place["file"])} if "file" in place else place
        return _without_password(place) if scheme_of(place) else Path(os.path.relpath(place, folder)).as_posix()

    return {name: relative(value) if name in _PLACES else value for name, value in config.items()}


_PLACES: Final = frozenset(["file", "expected", "output"])
"""The settings of a test set that are places; others, such as `empty_expected`, are words."""


def _without_password(address: str) -> str:
    """The web address; where it has a password or a key, the variable that has it."""
    return address if without_proofs(address) == address else f"${{{ADDRESS_VARIABLE}}}"


def _words(path: str, rows: str, chosen: ChosenColumns, said_so: str, notes: Sequence[str], file: str) -> str:
    """The text printed at the end: the role of each column and why, the notes, and the next commands."""
    lines = [f"wrote {file}: a suite for {path}, from {rows}"]
    lines += [f'{role}: column "{column}" ({chosen.why[role]})' for role, column in chosen.columns.items()]
    lines += [f'{pair.stem}: column "{pair.output}" is compared with column "{pair.expected}"' for pair in chosen.pairs]
    lines += ["measures: " + ", ".join(f'column "{name}"' for name in chosen.measures)] if chosen.measures else []
    lines += [f"the expected answers are {said_so}"] if said_so else []
    lines += [f"note: {note}" for note in notes]
    lines += ["", f"Next: look through {file}, then: evaluators run {quote(file)}"]
    lines += [f"or look at it: evaluators studio {quote(file)}"]
    return "".join(f"{visible(line)}\n" for line in lines)
