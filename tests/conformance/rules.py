"""The divergences: `divergences.yaml` read, and the predicates it is written in.

A rule holds for a case when its system and its evaluator are the case's and every predicate of `when` holds. A predicate
is a word, or a one-key map with what it asks for. Predicates speak of settings, kinds of values, and what is in a cell;
none knows the id of a case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from evaluators.model import MISSING
from evaluators.values.equality import same
from evaluators.values.json_choice import find
from evaluators.values.json_documents import documents
from evaluators.values.json_text import NotJSON, parse
from evaluators.values.path_text import BadPath
from evaluators.values.paths import Path
from evaluators.values.paths import parse as parse_path
from tests.conformance import extract_bench_predicates, judged_predicates, x_eval_schemas
from tests.conformance.cases import HERE, Answer, Case
from tests.conformance.values import kind, walk
from tests.conformance.x_eval_differences import reasons_of


@dataclass(frozen=True)
class Rule:
    """One divergence: where it holds, why, and what we give instead."""

    id: str
    system: str
    evaluators: tuple[str, ...]
    when: tuple[Any, ...]
    reason: str
    ours: Any
    examples: tuple[str, ...]

    def holds(self, case: Case, ours: Answer) -> bool:
        """The case falls under this rule."""
        if case.system != self.system or (self.evaluators and case.evaluator not in self.evaluators):
            return False
        return all(_holds(predicate, case, ours) for predicate in self.when)

    def instead(self, case: Case) -> Answer | None:
        """What we give for a case that falls under this rule; None where the rule does not say it."""
        if isinstance(self.ours, dict):
            return Answer(**self.ours)
        if self.ours == AS_TOLD:
            return Answer(judged_predicates.told_score(case))
        return None if self.ours == AS_RECORDED else ANSWERS[self.ours]


AS_RECORDED: Final = "as recorded"
"""Our answer to each case is in `differing/answers.jsonl`."""
AS_TOLD: Final = "what the reply says"
"""We give what the model that was asked says."""
ANSWERS: Final[Mapping[str, Answer]] = {
    "config problem": Answer(blame="config"),
    "test set problem": Answer(blame="testset"),
    "unreadable": Answer(0.0, False, "output"),
    "not measured": Answer(),
}


@cache
def rules() -> tuple[Rule, ...]:
    """The divergences, in the order in which they are asked."""
    read = yaml.safe_load((HERE / "divergences.yaml").read_text(encoding="utf-8"))
    return tuple(_rule(system, entry) for system, entries in read.items() for entry in entries)


def _rule(system: str, entry: dict[str, Any]) -> Rule:
    unknown = entry.keys() - {"id", "evaluator", "when", "reason", "ours", "examples"}
    assert not unknown, f"unknown keys in a divergence: {unknown}"
    named = entry.get("evaluator", [])
    return Rule(
        entry["id"],
        system,
        (named,) if isinstance(named, str) else tuple(named),
        tuple(entry.get("when", ())),
        " ".join(entry["reason"].split()),
        entry["ours"],
        tuple(entry.get("examples", ())),
    )


def _holds(predicate: Any, case: Case, ours: Answer) -> bool:
    if predicate == "both_refuse":
        return case.recorded.blame == ours.blame == "config"
    if isinstance(predicate, str):
        return bool(PREDICATES[predicate](case))
    ((name, asked),) = predicate.items()
    if name == "any_of":
        return any(_holds(one, case, ours) for one in asked)
    if name == "not":
        return not _holds(asked, case, ours)
    if name == "results_differ":
        return asked in reasons_of(case, ours)
    return bool(ASKING[name](case, asked))


# What the settings say


def _setting_is(case: Case, asked: dict[str, Any]) -> bool:
    """Each named setting is given, and is of one of these kinds."""
    return all(name in case.settings and kind(case.settings[name]) in _listed(kinds) for name, kinds in asked.items())


def _setting_equals(case: Case, asked: dict[str, Any]) -> bool:
    """Each named setting is given, with this value."""
    return all(name in case.settings and same(case.settings[name], value) for name, value in asked.items())


def _given(case: Case, asked: Any) -> bool:
    """One of these settings is given."""
    return any(name in case.settings for name in _listed(asked))


def _nothing_to_look_for(case: Case, asked: Any) -> bool:
    """One of these settings is blank, is an empty list, or has a blank item."""
    return any(_blank(case.settings[name]) for name in _listed(asked) if name in case.settings)


def _blank(value: Any) -> bool:
    if isinstance(value, list):
        return not value or any(_blank(item) for item in value)
    return isinstance(value, str) and not value.strip()


def _item_is_not_text(case: Case, asked: Any) -> bool:
    """One of these settings is a list in which something is no text."""
    lists = [case.settings[name] for name in _listed(asked) if isinstance(case.settings.get(name), list)]
    return any(not isinstance(item, str) for items in lists for item in items)


def _setting_outside(case: Case, asked: dict[str, Any]) -> bool:
    """One of the settings that are given is none of these."""
    return not case.settings.keys() <= set(_listed(asked))


def _limits_that_nothing_fits(case: Case) -> bool:
    """A limit below 0 or between two whole numbers, or a smallest length above the largest."""
    low, high = case.settings.get("min_length", 1), case.settings.get("max_length", 10_000)
    return bool(
        low > high or low < 0 or high < 0 or low != int(low) or high != int(high) or float in {type(low), type(high)}
    )


def _pattern_malformed(case: Case) -> bool:
    """The pattern is no regular expression."""
    return not _compiles(case.settings.get("regex_pattern"))


def _compiles(pattern: object) -> bool:
    try:
        re.compile(str(pattern))
    except re.error:
        return False
    return isinstance(pattern, str)


def _schema_malformed(case: Case) -> bool:
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


def _in_other_text(case: Case) -> bool:
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


def _several_documents(case: Case) -> bool:
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


def _holds_text_that_is_json(case: Case) -> bool:
    """The expected document is a text, and this text is JSON again."""
    document = _document(case, "expected")
    return isinstance(document, str) and _is_json(document)


def _documents_of_two_kinds(case: Case) -> bool:
    """One side is an object, a list or a value, and the other is something else."""
    return kind(_document(case, "expected")) != kind(_document(case, "output"))


def _values(case: Case) -> Iterator[Any]:
    for role in ("expected", "output"):
        yield from (value for _, value in walk(_document(case, role)))


def _null_inside(case: Case) -> bool:
    """There is a null in one of the documents."""
    return any(value is None for value in _values(case))


def _empty_inside(case: Case) -> bool:
    """One of the documents is or has an empty object or list."""
    return any(isinstance(value, (dict, list)) and not value for value in _values(case))


def _root_scalar(case: Case) -> bool:
    """The expected document is no object and no list."""
    return not isinstance(_document(case, "expected"), (dict, list))


def _boolean_beside_number(case: Case) -> bool:
    """A place where one document has a boolean and the other a number."""
    return any({kind(left), kind(right)} == {"boolean", "number"} for left, right in _beside(case))


def _whole_beside_fraction(case: Case) -> bool:
    """A place where one document has a whole number and the other a number with a decimal point."""
    return any({type(left), type(right)} == {int, float} for left, right in _beside(case))


def _beside(case: Case) -> Iterator[tuple[Any, Any]]:
    ours, theirs = (dict(walk(_document(case, role))) for role in ("expected", "output"))
    yield from ((value, theirs[place]) for place, value in ours.items() if place in theirs)


def _upper_case_key(case: Case) -> bool:
    """A key with an upper-case letter."""
    return any(isinstance(step, str) and step != step.lower() for value in _places(case) for step in value)


def _flattened_alike(case: Case) -> bool:
    """A key that is empty, has a dot in it, or is the number of a list's item on the other side."""
    steps = [step for place in _places(case) for step in place]
    numbers = {str(step) for step in steps if isinstance(step, int)}
    return any(isinstance(step, str) and (not step or "." in step or step in numbers) for step in steps)


def _places(case: Case) -> Iterator[tuple[str | int, ...]]:
    for role in ("expected", "output"):
        document = _document(case, role)
        if document is not MISSING:
            yield from (place for place, value in walk(document) if not isinstance(value, (dict, list)) or not value)


def _equal_values(case: Case) -> bool:
    """The output equals the expected cell, and they are not both text."""
    return same(case.output, case.expected)


def _nothing_expected(case: Case) -> bool:
    """The expected cell is null or not there, or holds nothing but spaces."""
    cell = case.expected
    return cell is None or cell is MISSING or (isinstance(cell, str) and not cell.strip())


# What the paths are


def _paths(case: Case) -> list[Any]:
    written = case.settings.get("fields")
    return written if isinstance(written, list) else []


def _path_matches(case: Case, pattern: str) -> bool:
    """One of the paths is like this."""
    return any(isinstance(path, str) and re.search(pattern, path) is not None for path in _paths(case))


def _path_refused(case: Case) -> bool:
    """One of the paths cannot be read."""
    return any(_read(path) is None for path in _paths(case))


def _read(written: object) -> Path | None:
    """A path, which may be written as a number; None for what is none."""
    try:
        return parse_path(str(written)) if isinstance(written, (str, int)) and not isinstance(written, bool) else None
    except BadPath:
        return None


def _path_is_no_text(case: Case) -> bool:
    """One of the paths is a number, or nothing."""
    return any(not isinstance(path, str) for path in _paths(case))


def _path_twice(case: Case) -> bool:
    """Two paths lead to the same place."""
    found = [_read(written) for written in _paths(case)]
    return len(set(found)) < len(found)


def _both(case: Case) -> tuple[Any, Any]:
    return _document(case, "expected"), _document(case, "output")


def _absent_where_nothing_can_be_read(case: Case) -> bool:
    """The output holds no document, and a path finds nothing in the expected one."""
    return _document(case, "output") is MISSING and any(not ours for ours, _, _ in _hits(case))


def _hits(case: Case) -> Iterator[tuple[list[Any], list[Any], bool]]:
    for written in _paths(case):
        if (path := _read(written)) is not None:
            ours, theirs = (_listed_hits(path, side) for side in path.get_pair(*_both(case)))
            yield ours, theirs, not path.definite


def _listed_hits(path: Path, found: Any) -> list[Any]:
    return [] if found is MISSING else [found] if path.definite else list(found)


def _absent_on_both_sides(case: Case) -> bool:
    """A path that finds nothing in either document, and the output holds one."""
    return _document(case, "output") is not MISSING and any(not ours and not theirs for ours, theirs, _ in _hits(case))


def _absent_beside_null(case: Case) -> bool:
    """A path that finds null on one side and nothing on the other."""
    return any((ours == [None] and not theirs) or (theirs == [None] and not ours) for ours, theirs, _ in _hits(case))


def _field_boolean_beside_number(case: Case) -> bool:
    """A path that finds values which are equal only when `true` is 1."""
    return any(ours == theirs and not same(ours, theirs) for ours, theirs, _ in _hits(case))


def _finds_several(case: Case) -> bool:
    """A path that may find more than one value."""
    return any(several for _, _, several in _hits(case))


def _key_with_dots(case: Case) -> bool:
    """A path is written with dots, and part of it is a key that has dots in it."""
    steps = {step for role in ("expected", "output") for place, _ in walk(_document(case, role)) for step in place}
    keys = [step for step in steps if isinstance(step, str) and "." in step]
    return any(isinstance(path, str) and path[:1] not in "$/" and key in path for path in _paths(case) for key in keys)


def _found_boolean_beside_number(case: Case) -> bool:
    """The field of the output equals the expected cell only when `true` is 1."""
    document, name = _document(case, "output"), case.settings.get("json_field")
    found = document.get(name, MISSING) if isinstance(document, dict) else MISSING
    return found == case.expected and not same(found, case.expected)


def _list_documents(case: Case) -> bool:
    """Both documents are lists."""
    return all(isinstance(document, list) for document in _both(case))


def _json_in_output(case: Case) -> bool:
    """The output is or has a JSON object or list."""
    return isinstance(_document(case, "output"), (dict, list))


def _whole_number_with_a_point(case: Case) -> bool:
    """The output has a whole number that is written with a point or an exponent."""
    return any(isinstance(value, float) and value.is_integer() for _, value in walk(_document(case, "output")))


# Words


def _punctuated_word(case: Case) -> bool:
    """A word of the input or of the output begins or ends with punctuation."""
    return any(
        isinstance(cell, str) and re.search(r"(^|\s)[^\w\s]|[^\w\s](\s|$)", cell) is not None
        for cell in (case.cells["input"], case.output)
    )


def _breaks_the_schema(case: Case) -> bool:
    """The document breaks the schema, when all of the schema counts."""
    schema = case.settings.get("schema")
    return _well_formed(schema) and not Draft202012Validator(schema).is_valid(_document(case, "output"))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


PREDICATES: Final[Mapping[str, Callable[[Case], bool]]] = {
    **extract_bench_predicates.predicates(),
    "path_refused": _path_refused,
    "path_is_no_text": _path_is_no_text,
    "path_twice": _path_twice,
    "absent_where_nothing_can_be_read": _absent_where_nothing_can_be_read,
    "absent_on_both_sides": _absent_on_both_sides,
    "absent_beside_null": _absent_beside_null,
    "field_boolean_beside_number": _field_boolean_beside_number,
    "finds_several": _finds_several,
    "json_in_other_text": _in_other_text,
    "several_documents_in_output": _several_documents,
    "numbers_outside_json_in_output": _numbers_outside_json("output"),
    "numbers_outside_json_in_expected": _numbers_outside_json("expected"),
    "expected_is_json_twice": _holds_text_that_is_json,
    "documents_of_two_kinds": _documents_of_two_kinds,
    "null_inside": _null_inside,
    "empty_inside": _empty_inside,
    "expected_is_a_single_value": _root_scalar,
    "boolean_beside_number": _boolean_beside_number,
    "whole_beside_fraction": _whole_beside_fraction,
    "upper_case_key": _upper_case_key,
    "flattened_alike": _flattened_alike,
    "equal_values": _equal_values,
    "nothing_expected": _nothing_expected,
    "key_with_dots": _key_with_dots,
    "found_boolean_beside_number": _found_boolean_beside_number,
    "list_documents": _list_documents,
    "json_in_output": _json_in_output,
    "whole_number_with_a_point": _whole_number_with_a_point,
    "limits_that_nothing_fits": _limits_that_nothing_fits,
    "pattern_malformed": _pattern_malformed,
    "schema_malformed": _schema_malformed,
    "breaks_the_schema": _breaks_the_schema,
    "punctuated_word": _punctuated_word,
    "recorded_as_bug": lambda case: case.recorded.blame == "bug",
    "recorded_as_error": lambda case: case.recorded.blame is not None,
    **judged_predicates.PREDICATES,
    **x_eval_schemas.PREDICATES,
    "without_pyyaml": lambda case: case.line.get("env", {}).get("pyyaml") is False,
}

ASKING: Final[Mapping[str, Callable[[Case, Any], bool]]] = {
    **extract_bench_predicates.ASKING,
    "setting_is": _setting_is,
    "setting_equals": _setting_equals,
    "given": _given,
    "settings_outside": _setting_outside,
    "nothing_to_look_for": _nothing_to_look_for,
    "item_is_not_text": _item_is_not_text,
    "output_is": _cell("output"),
    "expected_is": _cell("expected"),
    "input_is": _cell("input"),
    "output_matches": _matches("output"),
    "path_matches": _path_matches,
    "format_is": lambda case, asked: str(case.settings.get("fmt", "json")).lower() == asked,
    **x_eval_schemas.ASKING,
    "impl": lambda case, asked: case.line.get("impl") == asked,
}
