"""What the settings, cells and paths of a recorded case of Agenta, Galtea or orbiter are like: predicates for `divergences.yaml`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from evaluators.model.rows import MISSING
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_choice import find
from evaluators.scoring.values.json_documents import documents
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.path_text import BadPath
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.paths import parse as parse_path
from tests.conformance.cases import Case
from tests.conformance.values import kind, walk

# What the settings say


def setting_is(case: Case, asked: dict[str, Any]) -> bool:
    """Each named setting is given, and is of one of these kinds."""
    return all(name in case.settings and kind(case.settings[name]) in _listed(kinds) for name, kinds in asked.items())


def setting_equals(case: Case, asked: dict[str, Any]) -> bool:
    """Each named setting is given, with this value."""
    return all(name in case.settings and json_equal(case.settings[name], value) for name, value in asked.items())


def given(case: Case, asked: Any) -> bool:
    """One of these settings is given."""
    return any(name in case.settings for name in _listed(asked))


def nothing_to_look_for(case: Case, asked: Any) -> bool:
    """One of these settings is blank, is an empty list, or has a blank item."""
    return any(_blank(case.settings[name]) for name in _listed(asked) if name in case.settings)


def _blank(value: Any) -> bool:
    if isinstance(value, list):
        return not value or any(_blank(item) for item in value)
    return isinstance(value, str) and not value.strip()


def item_is_not_text(case: Case, asked: Any) -> bool:
    """One of these settings is a list in which something is no text."""
    lists = [case.settings[name] for name in _listed(asked) if isinstance(case.settings.get(name), list)]
    return any(not isinstance(item, str) for items in lists for item in items)


_OF_AGENTA: Final[Mapping[str, tuple[str, ...]]] = {
    "auto_exact_match": ("correct_answer_key",),
    "auto_contains_json": (),
    "field_match_test": ("json_field", "correct_answer_key"),
    "json_multi_field_match": ("fields", "correct_answer_key"),
    "auto_json_diff": (
        "compare_schema_only", "predict_keys", "case_insensitive_keys", "threshold", "correct_answer_key",
    ),
    "auto_regex_test": ("regex_pattern", "regex_should_match", "case_sensitive"),
    "auto_starts_with": ("prefix", "case_sensitive"),
    "auto_ends_with": ("suffix", "case_sensitive"),
    "auto_contains": ("substring", "case_sensitive"),
    "auto_contains_any": ("substrings", "case_sensitive"),
    "auto_contains_all": ("substrings", "case_sensitive"),
    "auto_similarity_match": ("similarity_threshold", "threshold", "case_sensitive", "correct_answer_key"),
    "auto_levenshtein_distance": ("threshold", "case_sensitive", "correct_answer_key"),
}  # fmt: skip
"""The settings that Agenta's evaluators read."""


def setting_unknown(case: Case) -> bool:
    """One of the settings that are given is not read by the evaluator."""
    return not case.settings.keys() <= set(_OF_AGENTA[case.evaluator])


def threshold_unusable(case: Case) -> bool:
    """The threshold that counts, the first of its two names, is no number from 0 to 1."""
    given = [case.settings[name] for name in ("threshold", "similarity_threshold") if name in case.settings][:1]
    return any(kind(value) != "number" or not 0 <= value <= 1 for value in given)


def limits_that_nothing_fits(case: Case) -> bool:
    """A limit below 0 or between two whole numbers, or a smallest length above the largest."""
    low, high = case.settings.get("min_length", 1), case.settings.get("max_length", 10_000)
    return bool(
        low > high or low < 0 or high < 0 or low != int(low) or high != int(high) or float in {type(low), type(high)}
    )


def pattern_malformed(case: Case) -> bool:
    """The pattern is no regular expression."""
    return not _compiles(case.settings.get("regex_pattern"))


def _compiles(pattern: object) -> bool:
    try:
        re.compile(str(pattern))
    except re.error:
        return False
    return isinstance(pattern, str)


def schema_malformed(case: Case) -> bool:
    """The schema is none, by the rules of JSON Schema."""
    return not _well_formed(case.settings.get("schema"))


def _well_formed(schema: Any) -> bool:
    """It is a JSON Schema; its patterns compile, and its references lead somewhere and not round in a circle."""
    if not isinstance(schema, (dict, bool)):
        return False
    try:
        Draft202012Validator.check_schema(schema)
    except (SchemaError, re.error):
        return False
    inside = [one for _, one in walk(schema) if isinstance(one, dict)]
    targets = [one["$ref"] for one in inside if "$ref" in one]
    led = all(_read(target[1:]) and parse_path(target[1:]).get(schema) is not MISSING for target in targets)
    return (
        led
        and (schema is True or schema is False or schema.get("$ref") != "#")
        and all(_compiles(one.get("pattern", "")) for one in inside)
    )


# What the cells hold


def _cell(role: str) -> Callable[[Case, Any], bool]:
    return lambda case, asked: kind(case.cells[role]) in _listed(asked)


def _matches(role: str) -> Callable[[Case, str], bool]:
    def found(case: Case, pattern: str) -> bool:
        cell = case.cells[role]
        return isinstance(cell, str) and re.search(pattern, cell) is not None

    return found


def _document(case: Case, role: str) -> Any:
    """The cell as a document, found in other text too; MISSING when it holds none."""
    cell = case.cells[role]
    if not isinstance(cell, str):
        return cell
    try:
        return find(cell, "any").value
    except NotJSON:
        return MISSING


def json_in_other_text(case: Case) -> bool:
    """The output is a text that is not JSON (a byte order mark comes first, or words, or a fence), and has JSON in it."""
    if not isinstance(case.output, str) or (_is_json(case.output) and not case.output.startswith("\ufeff")):
        return False
    return _document(case, "output") is not MISSING


def _is_json(text: str) -> bool:
    try:
        parse(text)
    except NotJSON:
        return False
    return True


def several_documents_in_output(case: Case) -> bool:
    """The output is a text that is not JSON, and holds reasoning between tags, or more than one JSON document."""
    text = case.output
    if not isinstance(text, str) or _is_json(text):
        return False
    try:
        found = documents(text)
        return found.reasoning or len(found.found) > 1
    except NotJSON:
        return False


def _numbers_outside_json(role: str) -> Callable[[Case], bool]:
    """The text is JSON for a parser that takes NaN, Infinity and numbers without bounds, and is none by the standard."""

    def found(case: Case) -> bool:
        cell = case.cells[role]
        if not isinstance(cell, str) or _is_json(cell):
            return False
        start, end = cell.find("{"), cell.rfind("}")
        return _lax(cell) or (0 <= start < end and _lax(cell[start : end + 1]) and not _is_json(cell[start : end + 1]))

    return found


def _lax(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def expected_is_json_twice(case: Case) -> bool:
    """The expected document is a text, and this text is JSON again."""
    document = _document(case, "expected")
    return isinstance(document, str) and _is_json(document)


def documents_of_two_kinds(case: Case) -> bool:
    """One side is an object, a list or a value, and the other is something else."""
    return kind(_document(case, "expected")) != kind(_document(case, "output"))


def _values(case: Case) -> Iterator[Any]:
    for role in ("expected", "output"):
        yield from (value for _, value in walk(_document(case, role)))


def null_inside(case: Case) -> bool:
    """There is a null in one of the documents."""
    return any(value is None for value in _values(case))


def empty_inside(case: Case) -> bool:
    """One of the documents is or has an empty object or list."""
    return any(isinstance(value, (dict, list)) and not value for value in _values(case))


def expected_is_a_single_value(case: Case) -> bool:
    """The expected document is no object and no list."""
    return not isinstance(_document(case, "expected"), (dict, list))


def boolean_beside_number(case: Case) -> bool:
    """A place where one document has a boolean and the other a number."""
    return any({kind(left), kind(right)} == {"boolean", "number"} for left, right in _beside(case))


def whole_beside_fraction(case: Case) -> bool:
    """A place where one document has a whole number and the other a number with a decimal point."""
    return any({type(left), type(right)} == {int, float} for left, right in _beside(case))


def _beside(case: Case) -> Iterator[tuple[Any, Any]]:
    ours, theirs = (dict(walk(_document(case, role))) for role in ("expected", "output"))
    yield from ((value, theirs[place]) for place, value in ours.items() if place in theirs)


def upper_case_key(case: Case) -> bool:
    """A key with an upper-case letter."""
    return any(isinstance(step, str) and step != step.lower() for value in _places(case) for step in value)


def flattened_alike(case: Case) -> bool:
    """A key that is empty, has a dot in it, or is the number of a list's item on the other side."""
    steps = [step for place in _places(case) for step in place]
    numbers = {str(step) for step in steps if isinstance(step, int)}
    return any(isinstance(step, str) and (not step or "." in step or step in numbers) for step in steps)


def _places(case: Case) -> Iterator[tuple[str | int, ...]]:
    for role in ("expected", "output"):
        document = _document(case, role)
        if document is not MISSING:
            yield from (place for place, value in walk(document) if not isinstance(value, (dict, list)) or not value)


def equal_values(case: Case) -> bool:
    """The output equals the expected cell, and they are not both text."""
    return json_equal(case.output, case.expected)


def nothing_expected(case: Case) -> bool:
    """The expected cell is null or not there, or holds nothing but spaces."""
    cell = case.expected
    return cell is None or cell is MISSING or (isinstance(cell, str) and not cell.strip())


# What the paths are


def _paths(case: Case) -> list[Any]:
    written = case.settings.get("fields")
    return written if isinstance(written, list) else []


def path_matches(case: Case, pattern: str) -> bool:
    """One of the paths is like this."""
    return any(isinstance(path, str) and re.search(pattern, path) is not None for path in _paths(case))


def path_refused(case: Case) -> bool:
    """One of the paths cannot be read."""
    return any(_read(path) is None for path in _paths(case))


def _read(written: object) -> Path | None:
    """A path, which may be written as a number; None for what is none."""
    try:
        return parse_path(str(written)) if isinstance(written, (str, int)) and not isinstance(written, bool) else None
    except BadPath:
        return None


def path_is_no_text(case: Case) -> bool:
    """One of the paths is a number, or nothing."""
    return any(not isinstance(path, str) for path in _paths(case))


def path_twice(case: Case) -> bool:
    """Two paths lead to the same place."""
    found = [_read(written) for written in _paths(case)]
    return len(set(found)) < len(found)


def _both(case: Case) -> tuple[Any, Any]:
    return _document(case, "expected"), _document(case, "output")


def absent_where_nothing_can_be_read(case: Case) -> bool:
    """The output holds no document, and a path finds nothing in the expected one."""
    return _document(case, "output") is MISSING and any(not ours for ours, _, _ in _hits(case))


def _hits(case: Case) -> Iterator[tuple[list[Any], list[Any], bool]]:
    for written, (ours, theirs) in field_hits(_paths(case), *_both(case)):
        path = _read(written)
        yield ours, theirs, path is not None and not path.definite


def field_hits(paths: Iterable[Any], expected: Any, output: Any) -> Iterator[tuple[Any, tuple[list[Any], list[Any]]]]:
    """Each path that can be read, with the values that it finds on both sides."""
    for written in paths:
        if (path := _read(written)) is not None:
            ours, theirs = (_listed_hits(path, side) for side in path.pair_getter()(expected, output))
            yield written, (ours, theirs)


def _listed_hits(path: Path, found: Any) -> list[Any]:
    return [] if found is MISSING else [found] if path.definite else list(found)


def absent_on_both_sides(case: Case) -> bool:
    """A path that finds nothing in either document, and the output holds one."""
    return _document(case, "output") is not MISSING and any(not ours and not theirs for ours, theirs, _ in _hits(case))


def absent_beside_null(case: Case) -> bool:
    """A path that finds null on one side and nothing on the other."""
    return any((ours == [None] and not theirs) or (theirs == [None] and not ours) for ours, theirs, _ in _hits(case))


def field_boolean_beside_number(case: Case) -> bool:
    """A path that finds values which are equal only when `true` is 1."""
    return any(ours == theirs and not json_equal(ours, theirs) for ours, theirs, _ in _hits(case))


def finds_several(case: Case) -> bool:
    """A path that may find more than one value."""
    return any(several for _, _, several in _hits(case))


def key_with_dots(case: Case) -> bool:
    """A path is written with dots, and part of it is a key that has dots in it."""
    steps = {step for role in ("expected", "output") for place, _ in walk(_document(case, role)) for step in place}
    keys = [step for step in steps if isinstance(step, str) and "." in step]
    return any(isinstance(path, str) and path[:1] not in "$/" and key in path for path in _paths(case) for key in keys)


def found_boolean_beside_number(case: Case) -> bool:
    """The field of the output equals the expected cell only when `true` is 1."""
    document, name = _document(case, "output"), case.settings.get("json_field")
    found = document.get(name, MISSING) if isinstance(document, dict) else MISSING
    return found == case.expected and not json_equal(found, case.expected)


def list_documents(case: Case) -> bool:
    """Both documents are lists."""
    return all(isinstance(document, list) for document in _both(case))


def json_in_output(case: Case) -> bool:
    """The output is or has a JSON object or list."""
    return isinstance(_document(case, "output"), (dict, list))


def whole_number_with_a_point(case: Case) -> bool:
    """The output has a whole number that is written with a point or an exponent."""
    return any(isinstance(value, float) and value.is_integer() for _, value in walk(_document(case, "output")))


# Words


def punctuated_word(case: Case) -> bool:
    """A word of the input or of the output begins or ends with punctuation."""
    return any(
        isinstance(cell, str) and re.search(r"(^|\s)[^\w\s]|[^\w\s](\s|$)", cell) is not None
        for cell in (case.cells["input"], case.output)
    )


def breaks_the_schema(case: Case) -> bool:
    """There is a document that breaks the schema, when all of the schema counts."""
    schema, document = case.settings.get("schema"), _document(case, "output")
    return document is not MISSING and _well_formed(schema) and not Draft202012Validator(schema).is_valid(document)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def recorded_as_bug(case: Case) -> bool:
    """Theirs stopped with an error of its own code."""
    return case.recorded.blame == "bug"


def recorded_as_error(case: Case) -> bool:
    """Theirs gave an error."""
    return case.recorded.blame is not None


def without_pyyaml(case: Case) -> bool:
    """It was recorded where no YAML can be read."""
    return case.line.get("env", {}).get("pyyaml") is False


def format_is(case: Case, asked: str) -> bool:
    """The output is to be in this format."""
    return str(case.settings.get("fmt", "json")).lower() == asked


def impl(case: Case, asked: str) -> bool:
    """It was recorded with this one of two ways to do it."""
    return bool(case.line.get("impl") == asked)


numbers_outside_json_in_output = _numbers_outside_json("output")
numbers_outside_json_in_expected = _numbers_outside_json("expected")
output_is = _cell("output")
expected_is = _cell("expected")
input_is = _cell("input")
output_matches = _matches("output")
