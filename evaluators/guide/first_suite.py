"""What the command `init` makes: reads the first rows, asks what the data does not settle, and writes a suite."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import join, quote
from typing import Final

from msgspec import Struct

from evaluators.fields.inference.proposals import DefaultAnswers, InitQuestion
from evaluators.guide.draft import evaluators_for, slices_for
from evaluators.guide.expected_answers import first_cells
from evaluators.guide.roles import ChosenColumns, choose_roles, is_measure
from evaluators.guide.suite_text import comment, suite_text
from evaluators.issues import Blame, Issue, Problems, encodable, problem
from evaluators.needs import ROLES, Role
from evaluators.reports.display import visible
from evaluators.run.metrics import rows_text
from evaluators.settings import build
from evaluators.testsets.byte_source import STANDARD_INPUT, locate
from evaluators.testsets.byte_store import scheme_of
from evaluators.testsets.columns import listed, no_such_column, not_told_apart
from evaluators.testsets.delimited import encoding_note, seeming_encoding
from evaluators.testsets.documents import holds_documents, open_file
from evaluators.testsets.opening import open_test_set
from evaluators.testsets.test_set_config import TestSetConfig
from evaluators.values.addresses import has_wildcards, shown_address, without_proofs

MOST_ROWS: Final = 20_000
_FIRST_ROWS: Final = 200
ADDRESS_VARIABLE: Final = "TEST_SET_ADDRESS"
"""What a suite names in place of an address that holds a signature."""


class DraftedSuite(Struct, frozen=True):
    """A suite as text, where it goes, and what is to be said."""

    file: str
    text: str
    words: str


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
    if any(_in_a_suite(given) != given for given in (data, expected, output) if given and scheme_of(given)):
        ask.said.append(f"the address lets people in, so the suite names the variable {ADDRESS_VARIABLE} in its place")
    ask.command = _command(data, {"output": output, "expected": expected, "suite": target, **settings}, columns)
    file = target or f"{_stem(place)}.yaml"
    config = {name: given for name, given in (("file", data), ("expected", expected), ("output", output)) if given}
    chosen, reading = ChosenColumns(), dict(settings)
    if data is not None:
        alone = not holds_documents(data, Path())
        seeming = seeming_encoding(locate(data, Path())) if alone and "encoding" not in reading else None
        if seeming is not None:
            reading["encoding"] = seeming
            ask.said.append(encoding_note(place, seeming))
        chosen = _roles(data, config, {role: columns[role] for role in ROLES if role in columns}, ask, reading)
    test_set = open_test_set(
        build(TestSetConfig, {**config, **reading, "columns": chosen.columns}, noun="test_set"), Path()
    )
    played = (test_set.columns.id, test_set.columns.output, test_set.columns.expected)
    names = dict.fromkeys([*_nameable(test_set.own_header), *filter(None, played)])
    cells, count = first_cells(test_set, list(names), MOST_ROWS + 1)
    more = count > MOST_ROWS
    if more:
        cells, count = {name: column[:MOST_ROWS] for name, column in cells.items()}, MOST_ROWS
    if not count:
        message = "there is a header and no rows, and a suite is made from rows"
        raise Problems([Issue("no-rows", Blame.TESTSET, message, place, "add some rows, a handful will do")])
    roles = test_set.columns
    if roles.output is None:
        raise _no_output(test_set.own_header, place, ask.command)
    chosen.measures = [name for name in chosen.measures if is_measure(name, cells[name])]
    wanted = cells.get(roles.expected) if roles.expected is not None else None
    made = evaluators_for(cells[roles.output], wanted, chosen.columns, ask)
    rows = f"its first {rows_text(count)}" if more else "its only row" if count == 1 else f"its {rows_text(count)}"
    known = (roles.id, roles.input, roles.output, roles.expected)
    taken = [*(name for name in known if name is not None), *chosen.measures]
    found = _relative(config, file)
    head = [
        *comment(f"A first suite for {place}, made from what is in {rows}."),
        f"# Run it:  evaluators run {quote(file)}",
    ]
    text = suite_text("\n".join(head), _stem(place), {**found, **reading}, chosen, made, slices_for(cells, taken))
    return DraftedSuite(file, text, _words(place, rows, chosen, made.said, [*ask.said, *made.notes], file))


def _command(data: str | None, options: Mapping[str, str | int | None], columns: Mapping[str, str]) -> str:
    """The command as it was given."""
    given = [(name.replace("_", "-"), str(value)) for name, value in options.items() if value is not None]
    roles = [("columns", f"{role}={column}") for role, column in columns.items()]
    words = [*([data] if data else []), *(word for name, value in (*given, *roles) for word in (f"--{name}", value))]
    return join(["evaluators", "init", *words])


def _no_output(header: Sequence[str], path: str, command: str) -> Problems:
    """The problem of data in which no column looks like the output."""
    glued = not_told_apart(header, path)
    if glued is not None:
        return Problems([glued])
    return problem(
        "no-output-column", f"no column looks like the model's output; {listed(header)}", where=path,
        hint=f"say which one: {command} --columns output=NAME, or --output FILE for a file of outputs",
    )  # fmt: skip


def _roles(
    data: str,
    config: Mapping[str, str],
    columns: Mapping[Role, str],
    ask: DefaultAnswers,
    reading: Mapping[str, str | int],
) -> ChosenColumns:
    """The roles of the columns of a file of rows."""
    named = build(TestSetConfig, {"file": data, **reading}, noun="test_set")
    table = open_file(data, Path(), None, named.reads)
    elsewhere: set[Role] = {role for role in ROLES if role in config}
    unknown = {role: name for role, name in columns.items() if name not in table.header and not table.knows(name)}
    if unknown:
        raise Problems(no_such_column(name, table.header, data) for name in unknown.values())
    header = _nameable(table.header)
    cells, _ = first_cells(table, header, _FIRST_ROWS)
    chosen = choose_roles(header, cells, columns, elsewhere, ask)
    left = [name for name in header if name not in (*chosen.columns.values(), *chosen.measures)]
    open_ = "output" not in chosen.columns and "output" not in elsewhere
    if left and ask.asks and open_ and not_told_apart(table.header, data) is None:
        output = ask(InitQuestion("Which column is the model's output?", tuple(left), role="output"))
        return choose_roles(header, cells, {**columns, "output": output}, elsewhere, ask)
    return chosen


def _nameable(header: Sequence[str]) -> list[str]:
    """The columns that a suite can name: an empty name names nothing, and half a surrogate pair is in no file."""
    return [name for name in header if name and encodable(name) == name]


def _stem(path: str) -> str:
    """The name of a suite for that data: `receipts` for `data/receipts.csv.gz`, and for `data/receipts/*.csv`."""
    steps = [step for step in path.split("/") if step.strip(".") and not has_wildcards(step)]
    return Path(steps[-1].removesuffix(".gz")).stem if steps and not steps[-1].endswith(":") else "suite"


def _relative(config: Mapping[str, str], file: str) -> dict[str, str]:
    """The places as the suite names them: from its own folder. An address that lets people in is left to a variable."""
    folder = Path(file).parent
    return {
        name: _in_a_suite(place) if scheme_of(place) else Path(os.path.relpath(place, folder)).as_posix()
        for name, place in config.items()
    }


def _in_a_suite(address: str) -> str:
    return address if without_proofs(address) == address else f"${{{ADDRESS_VARIABLE}}}"


def _words(path: str, rows: str, chosen: ChosenColumns, said: str, notes: Sequence[str], file: str) -> str:
    lines = [f"wrote {file}: a suite for {path}, from {rows}"]
    lines += [f'{role}: column "{column}" ({chosen.why[role]})' for role, column in chosen.columns.items()]
    lines += ["measures: " + ", ".join(f'column "{name}"' for name in chosen.measures)] if chosen.measures else []
    lines += [f"the expected answers are {said}"] if said else []
    lines += [f"note: {note}" for note in notes]
    lines += ["", f"Next: look through {file}, then: evaluators run {quote(file)}"]
    return "".join(f"{visible(line)}\n" for line in lines)
