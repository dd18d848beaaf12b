"""Our answers to Agenta's, Galtea's and orbiter's cases, worked out from the inputs in a few lines for each evaluator.

No evaluator is asked, and no suite read: what an evaluator promises is written down here a second time, as short as it can
be said. Documents are found in texts, and fields by their paths, as the predicates do it. What we alone refuse has a rule of
its own.
"""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from itertools import zip_longest
from typing import Any, Final, Literal, TypeAlias
from xml.etree import ElementTree

import yaml
from jsonschema import Draft202012Validator
from rapidfuzz.distance import Levenshtein

from evaluators.model.rows import MISSING
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_choice import find
from evaluators.scoring.values.json_text import NotJSON, parse
from tests.conformance.cases import Answer, Case
from tests.conformance.suite_predicates import field_hits
from tests.conformance.values import kind

Counts: TypeAlias = tuple[int, int, int]
"""Values that are right, expected ones that are wrong or missing, and values that only the output has."""
Want: TypeAlias = Literal["any", "object", "array"]
PATHS: Final = ("fields", "list")
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "field_match_test": ("json_field", "text"),
    "json_multi_field_match": PATHS,
    "auto_regex_test": ("regex_pattern", "text"),
    "auto_starts_with": ("prefix", "text"),
    "auto_ends_with": ("suffix", "text"),
    "auto_contains": ("substring", "text"),
    "auto_contains_any": ("substrings", "list", "text"),
    "auto_contains_all": ("substrings", "list", "text"),
    "SchemaValidationScorer": ("schema", "object", "boolean"),
}
"""The setting that an evaluator cannot do without, and its kinds."""
OF_DOCUMENTS: Final = (
    "json_multi_field_match", "auto_json_diff", "json_field_match", "json_field_match_normalized",
    "json_field_match_strict", "json_field_match_normalized_strict",
)  # fmt: skip
OF_ANSWERS: Final = ("auto_exact_match", "field_match_test", "auto_similarity_match", "auto_levenshtein_distance")
UNREADABLE: Final = Answer(0.0, False, "output")
NOTHING: Final = (None, MISSING)


def worked_out(case: Case) -> Answer | None:
    """Our answer to a case; None for an evaluator that is not here, and for paths with comparators, which are ours alone."""
    found = BY_EVALUATOR.get(case.evaluator)
    if found is None or isinstance(case.settings.get("fields"), dict):
        return None
    if not _settings_fit(case):
        return Answer(blame="config")
    return found(case) if _expected_fits(case) else Answer(blame="testset")


def _settings_fit(case: Case) -> bool:
    """What an evaluator cannot do without is there, of the right kind."""
    needed = NEEDED.get(case.evaluator)
    given = needed is None or kind(case.settings.get(needed[0])) in needed[1:]
    key = kind(case.settings.get("correct_answer_key")) in ("text", "null")
    paths = needed != PATHS or (
        given and case.settings["fields"] and all(type(one) in (str, int) for one in case.settings["fields"])
    )
    key = key and isinstance(case.settings.get("normalize", True), bool)
    format_ = case.evaluator != "FormatValidationScorer" or str(case.settings.get("fmt", "json")).lower() in FORMATS
    return bool(given and key and paths and format_)


def _expected_fits(case: Case) -> bool:
    """There is an expected answer, where one is compared; JSON, where documents are, and an object for Galtea's."""
    cell = case.expected
    if case.evaluator in OF_DOCUMENTS:
        if cell is MISSING or (isinstance(cell, str) and not _is_json(cell)):
            return False
        wanted = ("object",) if case.system == "galtea" else ()
        return not wanted or kind(parse(cell) if isinstance(cell, str) else cell) in wanted
    if case.evaluator == "OutputCorrectnessScorer":
        return isinstance(case.settings.get("ground_truth"), str) or isinstance(case.settings.get("keywords"), list)
    return case.evaluator not in OF_ANSWERS or not (cell in NOTHING or (isinstance(cell, str) and not cell.strip()))


def _text(cell: Any) -> str:
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)


def _scored(score: float | bool, threshold: float = 1.0) -> Answer:
    return Answer(float(score), score >= threshold)


def _document(cell: Any, want: Want) -> Any:
    """The document of an output, of the kind that is wanted; MISSING without one."""
    try:
        found = find(cell, want).value if isinstance(cell, str) else cell
    except NotJSON:
        return MISSING
    kinds = {"object": ("object",), "array": ("list",)}.get(want)
    return found if kinds is None or kind(found) in kinds else MISSING


def _documents(case: Case) -> tuple[Any, Any]:
    """The expected document, and one of the same kind from the output: an object for an object, a list for a list."""
    expected = parse(case.expected) if isinstance(case.expected, str) else case.expected
    wants: Mapping[str, Want] = {"object": "object", "list": "array"}
    return expected, _document(case.output, wants.get(kind(expected), "any"))


# Texts


def _of_text(holds: Callable[[str, Mapping[str, Any]], float | bool]) -> Callable[[Case], Answer]:
    """The answer of an evaluator that looks at the output as a text. Where case does not count, all is in lower case."""

    def answer(case: Case) -> Answer:
        if case.output in NOTHING:
            return UNREADABLE
        settings, text = dict(case.settings), _text(case.output)
        if isinstance(listed := settings.get("substrings"), str):
            settings["substrings"] = listed.split(",")
        if isinstance(listed := settings.get("substrings"), list):
            settings["substrings"] = [item.strip() for item in listed if item.strip()]
        if settings.get("case_sensitive") is False:
            text, settings = text.lower(), {name: _lower(value) for name, value in settings.items()}
        return _scored(holds(text, settings))

    return answer


def _lower(value: Any) -> Any:
    return (
        value.lower()
        if isinstance(value, str)
        else [item.lower() for item in value]
        if isinstance(value, list)
        else value
    )


def _regex(case: Case) -> Answer:
    if case.output in NOTHING:
        return UNREADABLE
    flags = re.IGNORECASE if case.settings.get("case_sensitive") is False else 0
    found = re.search(case.settings["regex_pattern"], _text(case.output), flags) is not None
    return _scored(found is case.settings.get("regex_should_match", True))


def _of_two_texts(likeness: Callable[[str, str], float]) -> Callable[[Case], Answer]:
    def answer(case: Case) -> Answer:
        if case.output in NOTHING:
            return UNREADABLE
        sides = [_text(case.output), _text(case.expected)]
        sides = [side.lower() for side in sides] if case.settings.get("case_sensitive") is False else sides
        return _scored(likeness(*sides), _threshold(case))

    return answer


def _threshold(case: Case) -> float:
    return float(case.settings.get("threshold", case.settings.get("similarity_threshold", 0.5)))


def _shared_words(left: str, right: str) -> float:
    ours, theirs = set(left.split()), set(right.split())
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0


def _few_changes(left: str, right: str) -> float:
    longest = max(len(left), len(right))
    return (longest - Levenshtein.distance(left, right)) / longest if longest else 1.0


# Documents


def _exact(case: Case) -> Answer:
    return _scored(json_equal(case.output, case.expected))


def _one_field(case: Case) -> Answer:
    document = _document(case.output, "object")
    if document is MISSING:
        return UNREADABLE
    return _scored(json_equal(document.get(case.settings["json_field"], MISSING), case.expected))


def _several_fields(case: Case) -> Answer:
    expected, output = _documents(case)
    fields = {
        written: None if not ours and not theirs else float(json_equal(ours, theirs))
        for written, (ours, theirs) in field_hits(case.settings["fields"], expected, output)
    }
    if output is MISSING:
        return Answer(0.0, False, "output", fields)
    scores = [score for score in fields.values() if score is not None]
    return Answer(score := sum(scores) / len(scores), score == 1, None, fields) if scores else Answer(fields=fields)


def _leaves(value: Any) -> int:
    if not isinstance(value, dict | list) or not value:
        return int(value is not MISSING)
    return sum(map(_leaves, value.values() if isinstance(value, dict) else value))


def _compared(expected: Any, output: Any, alike: Callable[[Any, Any], bool], fold: bool) -> Counts:
    """The leaves of two documents, place by place."""
    if expected is MISSING:
        return 0, 0, _leaves(output)
    holds = isinstance(expected, dict | list) and bool(expected)
    if not holds:
        return (0, 1, _leaves(output)) if isinstance(output, dict | list) and output else _leaf(alike(expected, output))
    if type(expected) is not type(output):
        return 0, _leaves(expected), int(output not in (MISSING, None, {}, []))
    pairs = (
        _paired(expected, output, fold)
        if isinstance(expected, dict)
        else zip_longest(expected, output, fillvalue=MISSING)
    )
    return _sum(_compared(*pair, alike, fold) for pair in pairs)


def _leaf(right: bool) -> Counts:
    return int(right), int(not right), 0


def _sum(counts: Iterable[Counts]) -> Counts:
    right, wrong, extra = map(sum, zip((0, 0, 0), *counts, strict=True))
    return right, wrong, extra


def _paired(expected: dict[str, Any], output: dict[str, Any], fold: bool) -> list[tuple[Any, Any]]:
    """The values of both objects, key by key; with `fold`, keys without an exact partner find one in another case."""
    partner = {key: key for key in expected if key in output}
    for key in expected if fold else ():
        free = [other for other in output if other not in partner.values() and other.casefold() == key.casefold()]
        if key not in partner and free:
            partner[key] = free[0]
    pairs = [(value, output[partner[key]] if key in partner else MISSING) for key, value in expected.items()]
    return pairs + [(MISSING, value) for key, value in output.items() if key not in partner.values()]


def _json_diff(case: Case) -> Answer:
    expected, output = _documents(case)
    if output is MISSING:
        return UNREADABLE
    by_kind = case.settings.get("compare_schema_only") is True
    alike = (lambda left, right: kind(left) == kind(right)) if by_kind else json_equal
    right, wrong, extra = _compared(expected, output, alike, case.settings.get("case_insensitive_keys") is True)
    counted = right + wrong + (extra if case.settings.get("predict_keys") is False else 0)
    return _scored(right / counted, _threshold(case))


def _keys_of_an_object(case: Case) -> Answer:
    """Galtea: each top-level key of the expected object, and with `strict` each further key, counts once."""
    expected, output = _documents(case)
    if output is MISSING:
        return UNREADABLE
    read = _plain if "normalized" in case.evaluator else lambda value: value
    right = sum(json_equal(read(value), read(output.get(key, MISSING))) for key, value in expected.items())
    counted = len(expected.keys() | output.keys()) if case.evaluator.endswith("strict") else len(expected)
    return _scored(right / counted if counted else 1.0)


def _plain(value: Any) -> Any:
    """Texts without accents and in one case, inside of lists and objects too."""
    if isinstance(value, str):
        apart = unicodedata.normalize("NFD", value)
        return "".join(mark for mark in apart if not unicodedata.combining(mark)).casefold()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


# orbiter


def _is_json(text: str) -> bool:
    try:
        parse(text)
    except NotJSON:
        return False
    return True


def _is_xml(text: str) -> bool:
    try:
        ElementTree.fromstring(text.strip())
    except (ElementTree.ParseError, UnicodeEncodeError):
        return False
    return "<!ENTITY" not in text


def _is_yaml(text: str) -> bool:
    """A map or a list for a reader that takes every scalar for text. A tab between the parts of a line is a space."""
    spaced = re.sub(r"(?<=[:,\[{-])\t+|\t+(?=#)", " ", text)
    try:
        return isinstance(yaml.load(spaced, yaml.BaseLoader), dict | list)
    except (yaml.YAMLError, ValueError, RecursionError):
        return False


def _is_csv(text: str) -> bool:
    """With one of four delimiters, a header and rows have the same number of cells, two or more."""
    return any(_is_table(text, delimiter) for delimiter in ",\t;|")


def _is_table(text: str, delimiter: str) -> bool:
    try:
        rows = list(csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    sizes = [len(cells) for cells in rows if len(cells) > 1 or "".join(cells).strip()]
    return len(sizes) > 1 and set(sizes) == {sizes[0]} and sizes[0] > 1


MARKDOWN: Final = re.compile(
    r"^#{1,6}\s|^[^\S\n]*(?:[-*+]|\d+\.)\s|^>\s|```|\[.+\]\(.+\)|\*\*.+\*\*", re.MULTILINE
)  # fmt: skip
FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "json": _is_json,
    "xml": _is_xml,
    "yaml": _is_yaml,
    "csv": _is_csv,
    "markdown": lambda text: MARKDOWN.search(text) is not None,
}


def _format(text: str, settings: Mapping[str, Any]) -> bool:
    return FORMATS[str(settings.get("fmt", "json")).lower()](text)


def _schema(case: Case) -> Answer:
    document = _document(case.output, "any")
    if document is MISSING:
        return UNREADABLE
    return _scored(Draft202012Validator(case.settings["schema"]).is_valid(document))


def _relevance(case: Case) -> Answer:
    if case.output in NOTHING:
        return UNREADABLE
    asked, said = _words("" if case.cells["input"] is None else _text(case.cells["input"])), _words(_text(case.output))
    return _scored(len(asked & said) / len(asked) if asked else 0.0)


def _words(text: str) -> set[str]:
    """The words of a text in lower case; punctuation at their ends is set aside, but for marks as in C#, 5% and a/b."""
    return {re.sub(OUTER, "", word) or word for word in text.lower().split()}


MARKS: Final = "".join(
    re.escape(mark)
    for mark in map(chr, range(0x3100))
    if unicodedata.category(mark).startswith("P") and mark not in "#%&@/\\"
)
OUTER: Final = re.compile(f"^[{MARKS}]+|[{MARKS}]+$")


def _correctness(text: str, settings: Mapping[str, Any]) -> float | bool:
    if isinstance(settings.get("ground_truth"), str):
        sides = [text, settings["ground_truth"]]
        if settings.get("normalize", True):
            sides = [" ".join(side.lower().split()) for side in sides]
        return bool(sides[0] == sides[1])
    return _share(text, settings["keywords"])


def _share(text: str, phrases: list[str]) -> float:
    return sum(phrase.lower() in text.lower() for phrase in phrases) / len(phrases)


BY_EVALUATOR: Final[Mapping[str, Callable[[Case], Answer | None]]] = {
    "auto_exact_match": _exact,
    "auto_contains_json": lambda case: _scored(isinstance(_document(case.output, "any"), dict | list)),
    "field_match_test": _one_field,
    "json_multi_field_match": _several_fields,
    "auto_json_diff": _json_diff,
    "auto_regex_test": _regex,
    "auto_starts_with": _of_text(lambda text, settings: text.startswith(settings["prefix"])),
    "auto_ends_with": _of_text(lambda text, settings: text.endswith(settings["suffix"])),
    "auto_contains": _of_text(lambda text, settings: settings["substring"] in text),
    "auto_contains_any": _of_text(lambda text, settings: any(one in text for one in settings["substrings"])),
    "auto_contains_all": _of_text(lambda text, settings: all(one in text for one in settings["substrings"])),
    "auto_similarity_match": _of_two_texts(_shared_words),
    "auto_levenshtein_distance": _of_two_texts(_few_changes),
    "json_field_match": _keys_of_an_object,
    "json_field_match_normalized": _keys_of_an_object,
    "json_field_match_strict": _keys_of_an_object,
    "json_field_match_normalized_strict": _keys_of_an_object,
    "FormatValidationScorer": _of_text(_format),
    "SchemaValidationScorer": _schema,
    "OutputCorrectnessScorer": _of_text(_correctness),
    "OutputLengthScorer": _of_text(
        lambda text, settings: settings.get("min_length", 1) <= len(text) <= settings.get("max_length", 10_000)
    ),
    "OutputRelevanceScorer": _relevance,
    "OutputCompletenessScorer": _of_text(
        lambda text, settings: _share(text, settings.get("required_sections") or settings["sections"])
    ),
}
