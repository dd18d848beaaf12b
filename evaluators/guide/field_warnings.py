"""What does not fit its column or field: evaluators of JSON over labels, `fuzzy` on codes, dates and numbers, `numeric` on noise.

Looked for by `evaluators check` only, in the rows that it looks at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any, Final, TypeAlias, TypeGuard

from msgspec import Struct, field

from evaluators.api.suite import Suite
from evaluators.guide.json_in_cells import container_in
from evaluators.model.issues import Blame, CellError, Issue
from evaluators.model.rows import MISSING
from evaluators.runs.metrics import rows_text
from evaluators.runs.places import field_places, line_places
from evaluators.scoring.fields.lines import FieldLine
from evaluators.scoring.fields.schema_scoring import SchemaScoring
from evaluators.scoring.needs import Expected, Output, expected_document
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.quoting import quote
from evaluators.testsets.reader import rows_of
from evaluators.testsets.test_set import TestSet

MOST_VALUES: Final = 50
"""Different values of a field that are held against each other."""
_Numbers: TypeAlias = tuple[float, float]
_MOSTLY: Final = 0.8
_NOISE: Final = 1e-9
_CODE: Final = re.compile(r"(?=\S*\d\S*\d)[\w./#:-]{3,40}")
_DATE: Final = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T ].*)?")
_NUMBER: Final = re.compile(r"[-+]?[\d.,' ]*\d\s*%?")
_KINDS: Final = (("dates", _DATE, "date"), ("numbers", _NUMBER, "numeric"), ("ids or codes", _CODE, "exact"))


def field_warnings(suite: Suite, test_set: TestSet, roles: dict[str, str], most_rows: int | None) -> list[Issue]:
    """A warning for each listed field whose comparator forgives too much, or too little, for the values it has, in the first `most_rows`
    rows of the test set, or in all rows where that is None. `roles` are columns by role."""
    whole = [line for line in suite.lines if line.settings.column("output").at is None]
    listed = [(line, field) for line in whole for field in line.settings.scored_fields().lines or ()]
    watched = [
        _WatchedField(line.name, field, _compares_role_cells(line)) for line, field in listed if _is_watched(line, field)
    ]
    if not watched or "expected" not in roles or "output" not in roles:
        return []
    for cells in islice(_cells_of_rows(test_set, roles), most_rows):
        documents = _both_documents(*cells)
        for watched_field in watched:
            values = cells if watched_field.of_cells else documents
            if values is not None:
                watched_field.look_at(*values)
    places, lines = field_places(suite), line_places(suite)
    warnings = []
    for watched_field in watched:
        warning = watched_field.warning()
        if warning is not None:
            message, hint = warning
            evaluator = watched_field.evaluator
            place = places.get((evaluator, watched_field.line.name)) or lines.get(evaluator)
            warnings.append(Issue("unfit-comparator", Blame.CONFIG, message, place, hint))
    return warnings


class _WatchedField(Struct):
    """A field that is compared by `fuzzy` or `numeric`, with those of its values that may not fit the comparator."""

    evaluator: str
    line: FieldLine
    of_cells: bool
    """Whether its values are whole cells, and not in documents."""
    texts: dict[str, None] = field(default_factory=dict)
    """The different expected texts, for `fuzzy`."""
    near: list[_Numbers] = field(default_factory=list)
    """(expected, output) that differ by noise alone, for `numeric`."""

    def look_at(self, expected: Any, output: Any) -> None:
        """Notes the values of the field in the documents of one row, or in its cells."""
        value, actual = self.line.path.get(expected), self.line.path.get(output)
        if self.line.word == "fuzzy":
            if isinstance(value, str) and value.strip():
                self.texts[value] = None
        elif _is_number(value) and _is_number(actual) and _differ_by_noise(value, actual):
            self.near.append((value, actual))

    def warning(self) -> tuple[str, str] | None:
        """The message and the hint of a warning about the comparator; None where it fits the values."""
        key = "compare" if self.of_cells else self.line.name
        if self.line.word == "fuzzy":
            return _warning_of_fuzzy(self.line, list(self.texts), key)
        return _warning_of_noise(self.line, self.near, key)


def label_warnings(suite: Suite, test_set: TestSet, roles: dict[str, str], most_rows: int | None) -> list[Issue]:
    """A warning for each evaluator that reads objects or lists from a column in which no cell of the first `most_rows` rows, or of all rows
    where that is None, holds one: its cells are labels. `roles` are columns by role."""
    read = {line.name: need for line in suite.lines if (need := _reads_documents(line)) is not None}
    columns = {name: need.column.name_by(roles) for name, need in read.items()}
    if not columns:
        return []
    firsts: dict[str, Any] = {}
    open_ = dict(read)
    names = list(dict.fromkeys(columns.values()))
    for _, row in islice(rows_of(test_set, names), most_rows):
        cells = dict(zip(names, row, strict=True))
        for name, need in list(open_.items()):
            value = _value_in_cell(need, cells[columns[name]])
            if isinstance(value, dict | list):
                del open_[name]
            elif value is not MISSING:
                firsts.setdefault(name, value)
        if not open_:  # the first row says so of nearly every suite
            return []
    places = line_places(suite)
    return [
        Issue("labels-as-json", Blame.CONFIG, f'"{name}" {_no_documents_message(need, columns[name])}; the first is {quote(firsts[name])}',
              places.get(name), _LABELS)
        for name, need in open_.items()
        if name in firsts
    ]  # fmt: skip


def _reads_documents(line: EvaluatorLine) -> Expected | Output | None:
    """The expected cell that an evaluator reads as a document, or else the output; None for one that takes single values."""
    needs, tree = line.settings.needs(), line.settings.scored_fields().tree
    if isinstance(tree, SchemaScoring) and tree.root.unit:
        return None
    expected = next((need for need in needs if isinstance(need, Expected) and not need.optional), None)
    return expected or next((need for need in needs if isinstance(need, Output) and need.want != "any"), None)


def _value_in_cell(need: Expected | Output, cell: Any) -> Any:
    """The value in a cell, or the object or list in it. MISSING where there is none: expected cells that are no JSON have problems of
    their own."""
    value = expected_document(cell) if isinstance(need, Expected) else cell
    if isinstance(value, CellError) or (isinstance(need, Output) and value in ("", None)):
        return MISSING
    container = container_in(value)
    return value if container is None else container


def _no_documents_message(need: Expected | Output, column: str) -> str:
    """The message about a column in which no cell holds an object or a list."""
    if isinstance(need, Expected):
        return f'reads JSON, and no expected answer in the column "{column}" is an object or a list'
    return f'looks for JSON, and no output in the column "{column}" holds an object or a list'


_LABELS: Final = "labels and other single values are compared by exact_match"


def _is_watched(line: EvaluatorLine, field: FieldLine) -> bool:
    """Whether a field is compared by `fuzzy` or `numeric` and has one value in a row, in the columns of the two roles."""
    of_other_cells = line.settings.scored_fields().of_cells and not _compares_role_cells(line)
    return field.word in ("fuzzy", "numeric") and field.path.definite and not of_other_cells


def _compares_role_cells(line: EvaluatorLine) -> bool:
    """Whether an evaluator compares whole cells, not fields of documents, and those of the columns of the two roles."""
    columns = line.settings.column("expected"), line.settings.column("output")
    return line.settings.scored_fields().of_cells and not any(column.literal for column in columns)


def _cells_of_rows(test_set: TestSet, roles: dict[str, str]) -> Iterator[tuple[Any, Any]]:
    """(expected, output) for every row: the cells of the two columns that `roles` names."""
    for _, (expected, output) in rows_of(test_set, (roles["expected"], roles["output"])):
        yield expected, output


def _both_documents(expected: Any, output: Any) -> tuple[Any, Any] | None:
    """The expected document and the output's; None where one of them cannot be read."""
    document, actual = expected_document(expected), container_in(output)
    return None if isinstance(document, CellError) or actual is None else (document, actual)


def _warning_of_fuzzy(line: FieldLine, texts: Sequence[str], key: str) -> tuple[str, str] | None:
    """The message and the hint for `fuzzy` on codes, dates or numbers; None where the texts are none. `texts` are the different expected
    ones, `key` is what a suite has before the comparator."""
    kind = next((kind for kind in _KINDS if _most_match(kind[1], texts)), None)
    if kind is None or line.comparator is None:
        return None
    noun, _, better = kind
    compare = line.comparator.compare
    pairs = combinations(texts[:MOST_VALUES], 2)
    alike = next((pair for pair in pairs if _is_match(compare(*pair))), None)
    shown = f': it takes "{alike[0]}" and "{alike[1]}" for the same' if alike else f', such as "{texts[0]}"'
    at_least = getattr(line.comparator, "at_least", None)
    limit = f" at {at_least:g}" if alike and at_least is not None else ""
    message = f'the field "{line.name}" is compared with "fuzzy", and its values look like {noun}{shown}{limit}'
    return message, f"write {key}: {better}"


def _is_match(answer: Any) -> bool:
    """Whether the answer of a comparator, a verdict or a score with `passed`, says that two values match."""
    return bool(getattr(answer, "passed", answer))


def _most_match(pattern: re.Pattern[str], texts: Sequence[str]) -> bool:
    """Whether most texts are wholly what a pattern describes."""
    return bool(texts) and sum(pattern.fullmatch(text.strip()) is not None for text in texts) >= _MOSTLY * len(texts)


def _warning_of_noise(line: FieldLine, near: Sequence[_Numbers], key: str) -> tuple[str, str] | None:
    """The message and the hint for `numeric` on numbers that differ by floating-point noise alone; None where the comparator takes all of
    them as equal. `near` are (expected, output) with such a difference."""
    if line.comparator is None:
        return None
    compare = line.comparator.compare
    wrong = [pair for pair in near if not _is_match(compare(*pair))]
    if not wrong:
        return None
    rows = rows_text(len(wrong))
    expected, output = map(to_text, wrong[0])
    shown = f"({output} for {expected})"
    message = f'the field "{line.name}" differs in {rows} by the noise of arithmetic alone {shown}, and that is wrong under "numeric"'
    return message, f"write {key}: {{numeric: {{tolerance: {{rel: 0.000000001}}}}}}"


def _differ_by_noise(expected: float, output: float) -> bool:
    """Whether two numbers differ, and by no more than the noise of floating-point arithmetic."""
    return 0 < abs(expected - output) <= _NOISE * abs(expected)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
