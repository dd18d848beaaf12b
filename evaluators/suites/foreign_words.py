"""The words of other systems: they load as they are, each with a note that names today's word, or say what to write instead.

A table, so that a word is added in one line. Where a word's meaning has to be said and not only renamed, it has a
function of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec import Struct, field

from evaluators.model.settings import BadSettings, Detail, old_spellings
from evaluators.scoring.evaluators._evaluator import BUILTIN

_URI = r"agenta:builtin:(?P<slug>[a-z_]+):[a-z0-9]+"

_HALF: Final = {"pass_at": 0.5}
_STRICT: Final = {"extra_fields": "penalize", **_HALF}

_JUDGE: Final = "and judge: of the suite says who is asked"
_RUBRIC: Final = f'write - llm_judge: {{rubric: "what the output must be like"}}; {_JUDGE}'
_OWN: Final = "write it in Python (evaluators new evaluator NAME), as an evaluator of your own"
_NOT_HERE: Final = "there is no counterpart: it does not look at an output and an expected answer"

_NAMES: Final[Mapping[str, tuple[str, Mapping[str, Any]] | str]] = {
    "auto_exact_match": ("exact_match", {}),
    "auto_contains_json": ("contains_json", {}),
    "auto_json_diff": ("json_diff_match", _HALF),
    "field_match_test": ("field_match", {}),
    "auto_regex_test": ("regex_match", {}),
    "auto_starts_with": ("starts_with", {}),
    "auto_ends_with": ("ends_with", {}),
    "auto_contains": ("contains", {}),
    "auto_contains_any": ("contains_any", {}),
    "auto_contains_all": ("contains_all", {}),
    "auto_similarity_match": ("similarity", {}),
    "auto_levenshtein_distance": ("levenshtein", {}),
    "JSON Field Match": ("json_field_match", _HALF),
    "JSON Field Match (Normalized)": ("json_field_match_normalized", _HALF),
    "JSON Field Match (Strict)": ("json_field_match", _STRICT),
    "JSON Field Match (Normalized, Strict)": ("json_field_match_normalized", _STRICT),
    "FormatValidationScorer": ("format_valid", _HALF),
    "SchemaValidationScorer": ("json_schema_valid", _HALF),
    "OutputCorrectnessScorer": ("correctness", _HALF),
    "OutputLengthScorer": ("length", _HALF),
    "OutputRelevanceScorer": ("relevance", _HALF),
    "OutputCompletenessScorer": ("completeness", _HALF),
    # what these say has to be written anew
    "accuracy": "write - exact_match: {name: accuracy}",
    "auto_ai_critique": _RUBRIC,
    "auto_semantic_similarity": (
        "a model of sentences is a function of yours, registered as semantic: "
        'write - json_multi_field_match: {fields: {answer: semantic}}, and in Python evaluators.register("semantic", f, batch=True)'
    ),
    "match": (
        "a pattern is looked for by regex_match; for Agenta's matchers write one evaluator each, and put them together: "
        "- weighted_mean: {name: overall, of: {answer: 3, polite: 1}, pass_at: 0.75}"
    ),
    "auto_custom_code_run": _OWN,
    "code": _OWN,
    "auto_webhook_test": _OWN,
    "hook": _OWN,
    "feedback": "what people said is a column: write - exact_match: {output: COLUMN, expected: COLUMN}",
    "Text Similarity": "write - levenshtein: {pass_at: 0.5}",
    "Text Match": "write - levenshtein: {pass_at: 0.85}",
    "Tool Correctness": _NOT_HERE,
    "URL Validation": "write - regex_match: {pattern: 'https://'}; whether a page is there is not looked at",
    "LLMAsJudgeScorer": _RUBRIC,
    "ReasoningValidityScorer": _RUBRIC,
    "AnswerAccuracyLLMScorer": f'write - llm_judge: {{rubric: "Is the answer right?", columns: [input, expected]}}; {_JUDGE}',
    "OutputQualityScorer": (
        'write - llm_judge: {criteria: {correctness: {rubric: "Is it right?", weight: 4}, clarity: "Is it clear?"}}, '
        f"with a criterion for each quality; {_JUDGE}"
    ),
    "LogicConsistencyScorer": (
        'write - llm_judge: {criteria: {contradiction: {rubric: "Is it free of contradictions?", weight: 5}, '
        f'causal: {{rubric: "Do its causes hold?", weight: 3}}, data: {{rubric: "Do its numbers agree?", weight: 2}}}}}}; {_JUDGE}'
    ),
    "ConstraintSatisfactionScorer": f"write - llm_judge: {{criteria: …}}, with a criterion for each constraint; {_JUDGE}",
    "TimeCostScorer": "a measure gives metrics of a column: write measures: {time: row.COLUMN}",
    "LabelDistributionScorer": "exact_match counts labels: write - exact_match: {labels: [one, another]}",
    "TrajectoryValidator": _NOT_HERE,
}
"""By another system's name, Agenta's by the slug of its address: the type here and what the name says beside it, unless the
line says otherwise; or, for a name that is no type here, what to write in its place."""

TYPES: Final[Mapping[str, str]] = {name: here[0] for name, here in _NAMES.items() if not isinstance(here, str)}
IMPLIED: Final[Mapping[str, Mapping[str, Any]]] = {
    name: here[1] for name, here in _NAMES.items() if not isinstance(here, str) and here[1]
}
HINTS: Final[Mapping[str, str]] = {name: here for name, here in _NAMES.items() if isinstance(here, str)}
_CALLED: Final[Mapping[str, str]] = {
    "write - exact_match": "em eq equal equals equality exact exactly identical is is_equal label labels same string_match",
    "write - correctness": "answer_correctness case_insensitive correct ignore_case icase iequals normalized normalised right",
    "write - contains: {substring: TEXT}": "contains_text find has icontains include includes substring",
    "write - levenshtein": (
        "alike close edit_distance edits fuzzy fuzzy_match misspelled misspelt near ratio similar "
        "string_distance string_similarity typo typos"
    ),
    "write - similarity (it scores shared words)": "bleu f1 f1_score jaccard meteor overlap rouge rouge_l rouge_n token_f1 word_overlap",
    "write - regex_match: {pattern: TEXT}": "matches pattern re regex regexp",
    "write - format_valid: {format: json}": "is_json json json_valid valid_json",
    "write - json_schema_valid: {schema: FILE}": "is_valid_json json_schema schema schema_valid",
    "write - json_diff_match": (
        "deep_equal extraction field_accuracy fields is_json_equal json_diff json_equal json_equals json_exact json_exact_match json_match"
    ),
    "write - length: {max: 100}": "len max_length min_length",
    "write - all_of: {of: [NAME, NAME]}": "all and",
    "write - any_of: {of: [NAME, NAME]}": "any or",
    "write - grounded: {source: input}": "faithful faithfulness groundedness hallucination hallucinations",
    _RUBRIC: (
        "answer_relevancy answer_relevance closedqa coherence factuality g_eval geval helpfulness judge llm llm_as_a_judge llm_as_judge "
        "llm_rubric model_graded model_graded_closedqa model_graded_factuality quality rubric "
        "semantic semantic_match semantic_similarity tone"
    ),
}
"""By what is written here, the words that people try for evaluator types."""

_OF_SUITES: Final[Mapping[str, Mapping[str, str]]] = {"json_diff_match": {"ignore": "skip"}}
"""Settings that only a suite spells in another way. What Python takes too, the settings themselves say."""


def old_settings(kind: str) -> dict[str, str]:
    """The other spellings of the settings of an evaluator type, each with today's word."""
    return {**(old_spellings(BUILTIN.find(kind)) if kind in BUILTIN else {}), **_OF_SUITES.get(kind, {})}


class CurrentLine(Struct):
    """A line in today's words. `spelled` says how the user wrote a setting, for places in messages."""

    type: str
    settings: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    spelled: dict[str, str] = field(default_factory=dict)
    implied: set[str] = field(default_factory=set)
    """Settings that nobody wrote: the name says them."""


def current_line(written: str, settings: Mapping[str, Any]) -> CurrentLine:
    """The type and the settings of a line in today's words, with a note for each word that changed. Settings that the old type implies are
    added. Of two old words for one setting the first wins, with a note.

    Raises BadSettings for a word whose meaning cannot be told.
    """
    match = re.fullmatch(_URI, written)
    slug = match["slug"] if match else written
    current = CurrentLine(TYPES.get(slug, slug), dict(settings))
    if current.type != written:
        current.notes.append(f'"{written}" is called "{current.type}" here')
    for old, new in old_settings(current.type).items():
        if old in current.settings and new not in current.settings:
            current.settings[new] = current.settings.pop(old)
            current.spelled[new] = old
            current.notes.append(f'the setting "{old}" of "{current.type}" is called "{new}" here')
        elif old in current.settings and new in current.spelled:
            del current.settings[old]
            current.notes.append(
                f'the setting "{old}" of "{current.type}" is left aside, because "{current.spelled[new]}" wins'
            )
        elif old in current.settings:
            message = f'"{old}" and "{new}" are the same setting'
            raise BadSettings([Detail((old,), message, f"keep {new}", key=True, code="same-setting")])
    for setting, value in IMPLIED.get(slug, {}).items():
        if setting not in current.settings:
            current.settings[setting] = value
            current.implied.add(setting)
            current.notes.append(f'"{slug}" says "{setting}: {value}"; "{current.type}" alone does not')
    if current.type in _MEANINGS:
        _MEANINGS[current.type](current, slug)
    return current


def agenta_export(item: Mapping[str, Any]) -> tuple[str, dict[str, Any], tuple[str, ...]] | None:
    """(name, settings, place of the settings) of an evaluator as Agenta exports it: `{uri, parameters}`, also below `data`, or in the
    older form `{evaluator_key, settings_values}`. None for everything else.

    Settings that are null, and keys that belong to Agenta alone, such as `id`, are left out.
    """
    data = item.get("data")
    inner, base = (data, ("data",)) if isinstance(data, Mapping) and "uri" in data else (item, ())
    named, below = ("evaluator_key", "settings_values") if "evaluator_key" in inner else ("uri", "parameters")
    uri, parameters = inner.get(named), inner.get(below)
    if "type" in item or not isinstance(uri, str) or not isinstance(parameters, Mapping | None):
        return None
    settings = {key: value for key, value in (parameters or {}).items() if value is not None}
    own = {key: value for key, value in item.items() if key not in _AGENTAS}
    name = item.get("name") or item.get("slug")
    called = {"name": name.strip().replace(".", "_")} if isinstance(name, str) and name.strip() else {}
    return uri, {**settings, **own, **called}, (*base, *((below,) if parameters else ()))


_AGENTAS: Final = frozenset({
    "uri", "parameters", "evaluator_key", "settings_values",
    "data", "slug", "name", "id", "schemas", "description", "flags", "tags", "meta", "version",
    "created_at", "updated_at", "deleted_at", "created_by_id", "updated_by_id", "deleted_by_id", "variant_id", "revision_id",
})  # fmt: skip
"""What an exported evaluator has beside its settings."""


def _note_predict_keys(current: CurrentLine, slug: str) -> None:
    """Notes that `predict_keys` of Agenta's JSON difference is another setting here. `slug` makes no difference."""
    value = current.settings.get("predict_keys")
    if isinstance(value, bool):
        current.notes.append(
            f'"predict_keys: {str(value).lower()}" is "extra_fields: {"ignore" if value else "penalize"}" here, as Agenta\'s '
            "page says it; Agenta's code does the opposite"
        )


def _note_similarity(current: CurrentLine, slug: str) -> None:
    """Notes, for the evaluator that Agenta calls `slug`, that Agenta's code counts otherwise than its page says."""
    if slug == "auto_similarity_match" and "method" not in current.settings:
        current.notes.append(
            "it counts shared words, as Agenta's page says; Agenta's code compares characters, so its scores differ: "
            '"method: characters" compares characters too'
        )


def _split_substrings(current: CurrentLine, slug: str) -> None:
    """Makes a list of a text with commas, as Agenta writes `substrings`. `slug` is the other system's word, which makes no
    difference here."""
    substrings = current.settings.get("substrings")
    if isinstance(substrings, str):
        current.settings["substrings"] = [part.strip() for part in substrings.split(",") if part.strip()]


_MEANINGS: Final[Mapping[str, Callable[[CurrentLine, str], None]]] = {
    "json_diff_match": _note_predict_keys,
    "similarity": _note_similarity,
    "contains_any": _split_substrings,
    "contains_all": _split_substrings,
}


_OF_PROMPTFOO: Final = ("prompts", "providers", "targets", "tests", "defaultTest", "scenarios", "assertionTemplates")

TABLE_OF_PROMPTFOO: Final = r"""\A[^\n]*(?<![^,;\t"\ufeff])__expected\d*(?![^,;\t"\r\n])"""
"""How a table begins in which a column holds assertions of promptfoo."""


def foreign_system(keys: Iterable[str]) -> str | None:
    """The system whose configuration has these keys at its top, and `evaluators` nowhere; None for a suite, or an unknown file."""
    known = set(keys)
    if "evaluators" in known:
        return None
    if "testing_criteria" in known:
        return "openai"
    return "promptfoo" if len(known.intersection(_OF_PROMPTFOO)) > 1 else None


def hint_for(name: str) -> str | None:
    """A hint with the line to write in place of another system's evaluator; None for an unknown name."""
    slug = name.split(":")[2] if name.startswith("agenta:") and name.count(":") >= 2 else name
    return HINTS.get(slug) or _hint_for_word(slug)


def _hint_for_word(word: str) -> str | None:
    """The line to write for an everyday word such as `accuracy`; None for an unknown one."""
    folded = re.sub(r"[\s-]+", "_", word.strip().casefold())
    return next((line for line, words in _CALLED.items() if folded in words.split()), None)
