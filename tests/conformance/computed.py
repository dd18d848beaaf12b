"""What we say of a case, worked out a second time: short and slow, and apart from the evaluators it is held against.

Each function follows the documented rules of one of our types. A rule of `divergences.yaml` names the result we give
instead as a literal, or as `computed`, which is what stands here.
"""

from __future__ import annotations

import csv
import re
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from evaluators.model import MISSING
from tests.conformance import extract_bench, extract_bench_computed, x_eval_computed, x_eval_described
from tests.conformance.cases import Answer, Case
from tests.conformance.located import Read, find, find_both, read_path, walk
from tests.conformance.values import NotReadable, as_text, equal, find_json, kind, leaves, read_json

CONFIG: Final = Answer(blame="config")
TESTSET: Final = Answer(blame="testset")
UNREADABLE: Final = Answer(0.0, False, "output")


class Stopped(Exception):
    """There is an answer before anything is compared."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer


def computed(case: Case) -> Answer:
    """The answer of our type for the case's evaluator."""
    try:
        return TYPES[case.evaluator](case)
    except Stopped as stopped:
        return stopped.answer


# Settings


def _settings(case: Case, **known: Callable[[Any], bool]) -> Mapping[str, Any]:
    """The settings, when each is known and usable."""
    shared = {"correct_answer_key": lambda value: value is None or isinstance(value, str)}
    allowed: dict[str, Callable[[Any], bool]] = {**shared, **known}
    if not all(name in allowed and allowed[name](value) for name, value in case.settings.items()):
        raise Stopped(CONFIG)
    return case.settings


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _share(value: Any) -> bool:
    return kind(value) == "number" and 0 <= value <= 1


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _phrase(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _phrases(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_phrase, value))


def _scored(share: float, pass_at: float = 1.0) -> Answer:
    return Answer(share, share >= pass_at)


# Cells


def _output_text(case: Case) -> str:
    if case.output is None or case.output is MISSING:
        raise Stopped(UNREADABLE)
    return as_text(case.output)


def _expected_text(case: Case) -> str:
    if not _answered(case):
        raise Stopped(TESTSET)
    return as_text(case.expected)


def _expected_document(case: Case) -> Any:
    if case.expected is MISSING:
        raise Stopped(TESTSET)
    if not isinstance(case.expected, str):
        return case.expected
    try:
        return read_json(case.expected)
    except NotReadable:
        raise Stopped(TESTSET) from None


def _output_document(case: Case, wanted: type | None, keys: Collection[str] = ()) -> Any:
    """The output as a document; MISSING when it holds none of the wanted kind."""
    if isinstance(case.output, str):
        try:
            return find_json(case.output, wanted, keys)
        except NotReadable:
            return MISSING
    return case.output if wanted is None or isinstance(case.output, wanted) else MISSING


def _like(expected: Any) -> type | None:
    return type(expected) if isinstance(expected, (dict, list)) else None


# Fields


def _fields(case: Case) -> Answer:
    settings = _settings(case, fields=lambda value: isinstance(value, list) and bool(value))
    if "fields" not in settings:
        raise Stopped(CONFIG)
    paths = [read_path(written) for written in settings["fields"]]
    if None in paths or len({place_of(written) for written in settings["fields"]}) < len(paths):
        raise Stopped(CONFIG)
    expected = _expected_document(case)
    output = _output_document(case, _like(expected), {_first_key(written) for written in settings["fields"]})
    fields = {
        written: _field(path, expected, output)
        for written, path in zip(settings["fields"], paths, strict=True)
        if path is not None
    }
    if output is MISSING:
        return Answer(0.0, False, "output", fields)
    measured = [score for score in fields.values() if score is not None]
    share = sum(measured) / len(measured) if measured else None
    return Answer(share, None if share is None else share == 1.0, fields=fields)


def _first_key(written: Any) -> str:
    """The first key of a plain path, whatever it is written in."""
    return re.split(r"[./\[]", re.sub(r"^(\$\.?|/|\d+\.|\[\*\]\.?)+", "", str(written)))[0]


def _field(path: Read, expected: Any, output: Any) -> float | None:
    ours, theirs = find_both(path, expected, output)
    if not ours and not theirs:
        return None
    if not ours or not theirs:
        return 0.0
    if path.items:
        return float(ours.keys() == theirs.keys() and all(equal(value, theirs[at]) for at, value in ours.items()))
    return float(equal(list(ours.values()), list(theirs.values())))


def place_of(written: Any) -> str:
    """The same text for paths that lead to the same place, for plain paths."""
    text = str(written)
    if text.startswith("/"):
        return ".".join(text[1:].split("/"))
    return re.sub(r"\[(\d+)\]", r".\1", text.removeprefix("$.")) if "?" not in text else text


# Whole documents


def _leaves(case: Case) -> Answer:
    settings = _settings(
        case, compare_schema_only=_flag, predict_keys=_flag, case_insensitive_keys=_flag, threshold=_share
    )
    expected = _expected_document(case)
    output = _output_document(case, _like(expected))
    if output is MISSING:
        raise Stopped(UNREADABLE)
    if settings.get("case_insensitive_keys"):
        output = _respelled(expected, output)
    ours, theirs = dict(leaves(expected)), dict(leaves(output))
    alike = _one_kind if settings.get("compare_schema_only") else equal
    match = sum(place in theirs and alike(value, theirs[place]) for place, value in ours.items())
    extra = len(theirs.keys() - ours.keys()) if settings.get("predict_keys") is False else 0
    return _scored(match / (len(ours) + extra), settings.get("threshold", 0.5))


def _one_kind(left: Any, right: Any) -> bool:
    return kind(left) == kind(right)


def _respelled(expected: Any, output: Any) -> Any:
    """The output with the expected spelling of its keys: exact spellings first, then by case, in code-point order."""
    if isinstance(expected, dict) and isinstance(output, dict):
        names = {key: key for key in expected if key in output}
        for key in sorted(expected.keys() - names.keys()):
            free = sorted(other for other in output if other not in names.values() and other.casefold() == key.casefold())
            if free:
                names[key] = free[0]
        back = {other: key for key, other in names.items()}
        return {back.get(key, key): _respelled(expected.get(back.get(key)), value) for key, value in output.items()}
    if isinstance(expected, list) and isinstance(output, list):
        padded = [*expected, *[None] * len(output)]
        return [_respelled(ours, theirs) for ours, theirs in zip(padded, output, strict=False)]
    return output


# Top-level keys


def _keys(case: Case) -> Answer:
    expected = _expected_document(case)
    if not isinstance(expected, dict):
        raise Stopped(TESTSET)
    output = _output_document(case, dict)
    if output is MISSING:
        raise Stopped(UNREADABLE)
    alike = _loosely_equal if "normalized" in case.evaluator else equal
    match = sum(key in output and alike(value, output[key]) for key, value in expected.items())
    every = expected.keys() | (output.keys() if case.evaluator.endswith("_strict") else set())
    return _scored(match / len(every) if every else 1.0)


def _loosely_equal(left: Any, right: Any) -> bool:
    return equal(_plain(left), _plain(right))


def _plain(value: Any) -> Any:
    """The value with its texts in small letters without accents."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if not isinstance(value, str):
        return value
    return "".join(mark for mark in unicodedata.normalize("NFD", value) if not unicodedata.combining(mark)).casefold()


# Texts


def _exact(case: Case) -> Answer:
    _settings(case)
    if not _answered(case):
        raise Stopped(TESTSET)
    return _scored(float(equal(case.output, case.expected)))


def _answered(case: Case) -> bool:
    """The expected cell holds an answer: not nothing, not null, not blanks alone."""
    expected = case.expected
    return expected is not MISSING and expected is not None and not (isinstance(expected, str) and not expected.strip())


def _one_field(case: Case) -> Answer:
    settings = _settings(case, json_field=lambda value: isinstance(value, str))
    if "json_field" not in settings:
        raise Stopped(CONFIG)
    if not _answered(case):
        raise Stopped(TESTSET)
    output = _output_document(case, dict, [settings["json_field"]])
    if output is MISSING:
        raise Stopped(UNREADABLE)
    name = settings["json_field"]
    return _scored(float(name in output and equal(output[name], case.expected)))


def _holds_json(case: Case) -> Answer:
    _settings(case)
    found = _output_document(case, None)
    return _scored(float(isinstance(found, (dict, list))))


def _found(case: Case, name: str, usable: Callable[[Any], bool], holds: Callable[[str, Any], bool]) -> Answer:
    settings = _settings(case, **{name: usable, "case_sensitive": _flag})
    if name not in settings:
        raise Stopped(CONFIG)
    ready: Callable[[str], str] = str if settings.get("case_sensitive", True) else str.lower
    wanted = settings[name]
    wanted = [ready(one.strip()) for one in _listed(wanted)] if name == "substrings" else ready(wanted)
    return _scored(float(holds(ready(_output_text(case)), wanted)))


def _listed(value: Any) -> list[str]:
    return [part for part in value.split(",") if part.strip()] if isinstance(value, str) else list(value)


def _commas_or_phrases(value: Any) -> bool:
    return isinstance(value, (str, list)) and all(isinstance(one, str) for one in value) and _phrases(_listed(value))


def _pattern(case: Case) -> Answer:
    settings = _settings(
        case,
        regex_pattern=lambda value: bool(value) and compiles(value),
        regex_should_match=_flag,
        case_sensitive=_flag,
    )
    if "regex_pattern" not in settings:
        raise Stopped(CONFIG)
    flags = 0 if settings.get("case_sensitive", True) else re.IGNORECASE
    found = re.search(settings["regex_pattern"], _output_text(case), flags) is not None
    return _scored(float(found is settings.get("regex_should_match", True)))


def compiles(pattern: object) -> bool:
    """It is a regular expression."""
    if not isinstance(pattern, str):
        return False
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _alike(case: Case, measure: Callable[[str, str], float]) -> Answer:
    settings = _settings(case, threshold=_share, similarity_threshold=_share, case_sensitive=_flag)
    ready: Callable[[str], str] = str if settings.get("case_sensitive", True) else str.lower
    expected, output = ready(_expected_text(case)), ready(_output_text(case))
    return _scored(measure(output, expected), settings.get("threshold", settings.get("similarity_threshold", 0.5)))


def _shared_words(left: str, right: str) -> float:
    ours, theirs = set(left.split()), set(right.split())
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0


def _kept_characters(left: str, right: str) -> float:
    if not left and not right:
        return 1.0
    before = list(range(len(right) + 1))
    for row, mark in enumerate(left, 1):
        now = [row]
        for column, other in enumerate(right, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (mark != other)))
        before = now
    longest = max(len(left), len(right))
    return (longest - before[-1]) / longest


# orbiter


def _format(case: Case) -> Answer:
    settings = _settings(case, fmt=lambda value: isinstance(value, str) and value.lower() in FORMATS)
    text = _output_text(case)
    return _scored(float(FORMATS[settings.get("fmt", "json").lower()](text)))


def _is_json(text: str) -> bool:
    try:
        read_json(text)
    except NotReadable:
        return False
    return not text.startswith("\ufeff")


class _Words(yaml.SafeLoader):
    """Every word is text, unless a tag says otherwise."""


_Words.yaml_implicit_resolvers = {}


def _is_yaml(text: str) -> bool:
    if re.search(r"\[{101}|&(\w+)\s*[\[{].*\*\1|^%(?!YAML|TAG)", text):
        return False
    try:
        return isinstance(yaml.load(text, _Words), (dict, list))
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False


def _is_xml(text: str) -> bool:
    text = text.strip()
    try:
        ElementTree.fromstring(text)
    except (ElementTree.ParseError, UnicodeEncodeError):
        return False
    return text.startswith("<") and text.endswith(">") and "<!ENTITY" not in text


_MARKDOWN: Final = re.compile(r"(?m)^#{1,6}\s|^\s*[-*+]\s|^\s*\d+\.\s|\[[^\[\]]+\]\([^)\n]+\)|```|^>\s|\*\*.+?\*\*")


def _is_csv(text: str) -> bool:
    if sum(bool(line.strip()) for line in text.splitlines()) < 2:
        return False
    return any(_is_table(text, delimiter) for delimiter in ",\t;|")


def _is_table(text: str, delimiter: str) -> bool:
    try:
        rows = list(csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    rows = [row for row in rows if len(row) > 1 or "".join(row).strip()]
    return len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "json": _is_json,
    "yaml": _is_yaml,
    "csv": _is_csv,
    "xml": _is_xml,
    "markdown": lambda text: _MARKDOWN.search(text) is not None,
}


def _schema(case: Case) -> Answer:
    schema = case.settings.get("schema", MISSING)
    if not well_formed(schema):
        raise Stopped(CONFIG)
    document = _output_document(case, None)
    if document is MISSING:
        raise Stopped(UNREADABLE)
    return _scored(float(fits(schema, document)))


def well_formed(schema: Any) -> bool:
    """It is a JSON Schema, and its references lead somewhere and not round in a circle."""
    if not isinstance(schema, (dict, bool)):
        return False
    try:
        Draft202012Validator.check_schema(schema)
    except (SchemaError, re.error):
        return False
    targets = [value for _, one in walk(schema) if isinstance(one, dict) for key, value in one.items() if key == "$ref"]
    if isinstance(schema, dict) and schema.get("$ref") == "#":
        return False
    patterns = [one.get("pattern", "") for _, one in walk(schema) if isinstance(one, dict)]
    return all(map(compiles, patterns)) and all(_leads_somewhere(schema, target) for target in targets)


def _leads_somewhere(schema: Any, target: Any) -> bool:
    path = read_path(str(target).removeprefix("#")) if str(target).startswith("#") else None
    return path is not None and bool(find(path, schema))


def fits(schema: Any, value: Any) -> bool:
    """A value fits a schema, by a validator that knows nothing of us."""
    return bool(Draft202012Validator(schema).is_valid(value))


def _correctness(case: Case) -> Answer:
    settings = _settings(
        case,
        ground_truth=lambda value: value is None or isinstance(value, str),
        keywords=lambda value: value is None or _phrases(value),
        normalize=_flag,
    )
    if (answer := settings.get("ground_truth")) is None and (keywords := settings.get("keywords")) is not None:
        return _part_found(case, keywords)
    if answer is None:
        raise Stopped(TESTSET)
    text = _output_text(case)
    if settings.get("normalize", True):
        text, answer = (" ".join(one.lower().split()) for one in (text, answer))
    return _scored(float(text == answer))


def _completeness(case: Case) -> Answer:
    settings = _settings(case, required_sections=_phrases, sections=_phrases)
    if len(settings) != 1:
        raise Stopped(CONFIG)
    return _part_found(case, next(iter(settings.values())))


def _part_found(case: Case, wanted: Iterable[str]) -> Answer:
    text = _output_text(case).lower()
    found = [one.lower() in text for one in wanted]
    return _scored(sum(found) / len(found))


def _length(case: Case) -> Answer:
    settings = _settings(case, min_length=_count, max_length=_count)
    low, high = settings.get("min_length", 1), settings.get("max_length", 10_000)
    if low > high:
        raise Stopped(CONFIG)
    return _scored(float(low <= len(_output_text(case)) <= high))


def _relevance(case: Case) -> Answer:
    _settings(case)
    asked = case.cells["input"]
    if asked is MISSING:
        raise Stopped(TESTSET)
    wanted, there = bare_words("" if asked is None else as_text(asked)), bare_words(_output_text(case))
    return _scored(len(wanted & there) / len(wanted) if wanted else 0.0)


def bare_words(text: str) -> set[str]:
    """The words of a text in lower case, without the punctuation at their ends."""
    return {_bare(word) for word in text.lower().split()}


def _bare(word: str) -> str:
    kept = [unicodedata.category(mark)[0] != "P" or mark in "#%&@/\\" for mark in word]
    if True not in kept:
        return word
    return word[kept.index(True) : len(word) - kept[::-1].index(True)]


TYPES: Final[Mapping[str, Callable[[Case], Answer]]] = {
    extract_bench.EVALUATOR: extract_bench_computed.computed,
    "json_multi_field_match": _fields,
    "auto_json_diff": _leaves,
    "json_field_match": _keys,
    "json_field_match_normalized": _keys,
    "json_field_match_strict": _keys,
    "json_field_match_normalized_strict": _keys,
    "auto_exact_match": _exact,
    "field_match_test": _one_field,
    "auto_contains_json": _holds_json,
    "auto_starts_with": lambda case: _found(case, "prefix", _phrase, str.startswith),
    "auto_ends_with": lambda case: _found(case, "suffix", _phrase, str.endswith),
    "auto_contains": lambda case: _found(case, "substring", _phrase, lambda text, part: part in text),
    "auto_contains_any": lambda case: _found(
        case, "substrings", _commas_or_phrases, lambda text, parts: any(part in text for part in parts)
    ),
    "auto_contains_all": lambda case: _found(
        case, "substrings", _commas_or_phrases, lambda text, parts: all(part in text for part in parts)
    ),
    "auto_regex_test": _pattern,
    "auto_similarity_match": lambda case: _alike(case, _shared_words),
    "auto_levenshtein_distance": lambda case: _alike(case, _kept_characters),
    "FormatValidationScorer": _format,
    "SchemaValidationScorer": _schema,
    "OutputCorrectnessScorer": _correctness,
    "OutputLengthScorer": _length,
    "OutputRelevanceScorer": _relevance,
    "OutputCompletenessScorer": _completeness,
    **x_eval_computed.TYPES,
    **x_eval_described.TYPES,
}
