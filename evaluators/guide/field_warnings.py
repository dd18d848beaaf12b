"""What does not fit its column or field: evaluators of JSON over labels, `fuzzy` on codes, dates and numbers, `numeric` on noise.

Looked for by `evaluators check` only, in the rows that it looks at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any, Final

from evaluators.api.suite import Suite
from evaluators.fields.lines import FieldLine
from evaluators.fields.schema_scoring import SchemaScoring
from evaluators.guide.expected_answers import first_cells
from evaluators.issues import Blame, CellError, Issue
from evaluators.model import MISSING
from evaluators.needs import Expected, Output, expected_of
from evaluators.run.metrics import rows_text
from evaluators.run.places import field_places, line_places
from evaluators.suite.graph import EvaluatorLine
from evaluators.testsets.reader import rows_of
from evaluators.testsets.test_set import TestSet
from evaluators.values.json_choice import find
from evaluators.values.json_text import NotJSON, to_text
from evaluators.values.quoting import quote

MOST_VALUES: Final = 50
"""Different values of a field that are held against each other."""
_MOSTLY: Final = 0.8
_NOISE: Final = 1e-9
_CODE: Final = re.compile(r"(?=\S*\d\S*\d)[\w./#:-]{3,40}")
_DATE: Final = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T ].*)?")
_NUMBER: Final = re.compile(r"[-+]?[\d.,' ]*\d\s*%?")
_KINDS: Final = (("dates", _DATE, "date"), ("numbers", _NUMBER, "numeric"), ("ids or codes", _CODE, "exact"))


def field_warnings(suite: Suite, test_set: TestSet, roles: dict[str, str], most_rows: int | None) -> list[Issue]:
    """A warning for each listed field whose comparator forgives too much, or too little, for the values it has.

    Looks at the first `most_rows` rows; at all where that is None.
    """
    whole = [line for line in suite.lines if line.settings.column("output").at is None]
    listed = [(line.name, one) for line in whole for one in line.settings.scored_fields().lines or ()]
    watched = [(name, one) for name, one in listed if one.word in ("fuzzy", "numeric") and one.path.definite]
    if not watched or "expected" not in roles or "output" not in roles:
        return []
    rows = list(islice(_documents(test_set, roles), most_rows))
    places = field_places(suite)
    found = []
    for name, one in watched:
        values = [(one.path.get(expected), one.path.get(output)) for expected, output in rows]
        said = _too_loose(one, [value for value, _ in values]) if one.word == "fuzzy" else _noise(one, values)
        if said is not None:
            message, hint = said
            found.append(Issue("unfit-comparator", Blame.CONFIG, message, places.get((name, one.name)), hint))
    return found


def label_warnings(suite: Suite, test_set: TestSet, roles: dict[str, str], most_rows: int | None) -> list[Issue]:
    """A warning for each evaluator that reads objects or lists from a column in which no cell holds one: its cells are labels.

    Looks at the first `most_rows` rows; at all where that is None.
    """
    read = {line.name: need for line in suite.lines if (need := _reads_documents(line)) is not None}
    columns = {name: need.column.spelled(roles) for name, need in read.items()}
    if not columns:
        return []
    cells, _ = first_cells(test_set, list(dict.fromkeys(columns.values())), most_rows)
    places = line_places(suite)
    return [
        Issue("labels-as-json", Blame.CONFIG, f'"{name}" {said}', places.get(name), _LABELS)
        for name, need in read.items()
        if (said := _no_documents(need, columns[name], cells[columns[name]])) is not None
    ]


def _reads_documents(line: EvaluatorLine) -> Expected | Output | None:
    """The expected cell that an evaluator reads as a document, or else the output; None for one that takes single values."""
    needs, tree = line.settings.needs(), line.settings.scored_fields().tree
    if isinstance(tree, SchemaScoring) and tree.root.unit:
        return None
    expected = next((need for need in needs if isinstance(need, Expected) and not need.optional), None)
    return expected or next((need for need in needs if isinstance(need, Output) and need.want != "any"), None)


def _no_documents(need: Expected | Output, column: str, cells: Sequence[Any]) -> str | None:
    """A message for a column in which no cell holds an object or a list. Expected cells that are no JSON have problems of their own."""
    if isinstance(need, Expected):
        values = [value for cell in cells if not isinstance(value := expected_of(cell), CellError)]
        what = f'reads JSON, and no expected answer in the column "{column}" is an object or a list'
    else:
        values = [cell for cell in cells if not isinstance(cell, CellError) and cell not in ("", None, MISSING)]
        what = f'looks for JSON, and no output in the column "{column}" holds an object or a list'
    if not values or any(isinstance(value, dict | list) or _found(value) is not None for value in values):
        return None
    return f"{what}; the first is {quote(values[0])}"


_LABELS: Final = "labels and other single values are compared by exact_match"


def _documents(test_set: TestSet, roles: dict[str, str]) -> Iterator[tuple[Any, Any]]:
    """The expected document and the output of every row in which both can be read."""
    expected, output = roles["expected"], roles["output"]
    for _, (wanted, given) in rows_of(test_set, (expected, output)):
        document, found = expected_of(wanted), _found(given)
        if not isinstance(document, CellError) and found is not None:
            yield document, found


def _found(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell if isinstance(cell, dict | list) else None
    try:
        return find(cell, "container").value
    except NotJSON:
        return None


def _too_loose(line: FieldLine, values: Sequence[Any]) -> tuple[str, str] | None:
    """A message and hint for `fuzzy` on codes, dates and numbers."""
    texts = list(dict.fromkeys(value for value in values if isinstance(value, str) and value.strip()))
    kind = next((each for each in _KINDS if _mostly(each[1], texts)), None)
    if kind is None or line.comparator is None:
        return None
    noun, _, better = kind
    compare = line.comparator.compare
    pairs = combinations(texts[:MOST_VALUES], 2)
    alike = next((pair for pair in pairs if _match(compare(*pair))), None)
    shown = f': it takes "{alike[0]}" and "{alike[1]}" for the same' if alike else f', such as "{texts[0]}"'
    at_least = getattr(line.comparator, "at_least", None)
    limit = f" at {at_least:g}" if alike and at_least is not None else ""
    message = f'the field "{line.name}" is compared with "fuzzy", and its values look like {noun}{shown}{limit}'
    return message, f"write {line.name}: {better}"


def _match(answer: Any) -> bool:
    return bool(getattr(answer, "passed", answer))


def _mostly(pattern: re.Pattern[str], texts: Sequence[str]) -> bool:
    return bool(texts) and sum(pattern.fullmatch(text.strip()) is not None for text in texts) >= _MOSTLY * len(texts)


def _noise(line: FieldLine, values: Sequence[tuple[Any, Any]]) -> tuple[str, str] | None:
    """A message and hint for `numeric` on numbers that differ by floating-point noise alone."""
    if line.comparator is None:
        return None
    compare = line.comparator.compare
    near = [
        (expected, output)
        for expected, output in values
        if _is_number(expected) and _is_number(output) and 0 < abs(expected - output) <= _NOISE * abs(expected)
    ]
    wrong = [pair for pair in near if not _match(compare(*pair))]
    if not wrong:
        return None
    rows = rows_text(len(wrong))
    expected, output = map(to_text, wrong[0])
    shown = f"({output} for {expected})"
    message = f'the field "{line.name}" differs in {rows} by the noise of arithmetic alone {shown}, and that is wrong under "numeric"'
    return message, f"write {line.name}: {{numeric: {{tolerance: {{rel: 0.000000001}}}}}}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
