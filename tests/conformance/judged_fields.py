"""What extract-bench's documents come to with a judge, field by field: who is asked, and what a reply says of it.

Only documents of plain fields are looked at: an object whose fields are texts, numbers, truth values and lists.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evaluators.model.rows import MISSING
from evaluators.scoring.values.equality import json_equal
from tests.conformance.cases import Answer, Case
from tests.conformance.judged_predicates import is_score, reply, text_of

_OWN_PROMPT: Final = ("prompt_template", "structured_output_schema")
_BY_TYPE: Final = {
    "string": "string_semantic", "number": "number_tolerance", "integer": "integer_exact", "boolean": "boolean_exact",
    "array": "array_llm",
}  # fmt: skip
JUDGED: Final = ("string_semantic", "string_llm", "array_llm")
_FORGIVING: Final = ("string_semantic", "number_tolerance", "number_exact", "integer_exact", "boolean_exact", "skip")
"""Metrics of items to which texts that differ in case and spaces alone are the same, or that compare no text."""


@dataclass(frozen=True)
class Field:
    """One field of two documents, and one of its metrics."""

    metric: str
    schema: Mapping[str, Any]
    expected: Any
    output: Any

    @property
    def absent(self) -> bool:
        return self.expected is MISSING and self.output is MISSING

    @property
    def one_sided(self) -> bool:
        """A side is missing or null, and the other is something else."""
        nothing = any(side is MISSING or side is None for side in (self.expected, self.output))
        return nothing and not json_equal(self.expected, self.output)

    @property
    def equal(self) -> bool:
        """The two are the same for the metric, whatever anybody says: exactly, or but for case and spaces."""
        sides = self.expected, self.output
        if json_equal(*sides):
            return True
        loose = self.metric in ("string_semantic", "string_case_insensitive")
        loose = loose or (
            self.metric == "array_llm" and all(map(_FORGIVING.__contains__, _item_metrics(self.schema.get("items"))))
        )
        spaces = self.metric != "string_case_insensitive"
        return loose and json_equal(*(_without_writing(side, spaces) for side in sides))

    @property
    def nothing_to_pair(self) -> bool:
        """One of two lists is empty."""
        lists = isinstance(self.expected, list) and isinstance(self.output, list)
        return self.metric == "array_llm" and lists and not (self.expected and self.output)

    @property
    def asked(self) -> bool:
        """A judge has to say it."""
        known = self.absent or self.one_sided or self.equal or self.nothing_to_pair
        return self.metric in JUDGED and not known

    def score(self, told: Mapping[str, Any]) -> float:
        """What the metric gives: by hand where nobody is asked."""
        if not self.asked:
            return float(self.equal)
        if self.metric != "array_llm":
            return float(told["score"])
        matched, missed, _ = counts(told) or (0, 1, 0)
        return matched / (matched + missed)


def _without_writing(value: Any, spaces: bool) -> Any:
    if isinstance(value, str):
        text = unicodedata.normalize("NFC", value).casefold()
        return " ".join(text.split()) if spaces else text
    if isinstance(value, list):
        return [_without_writing(one, spaces) for one in value]
    return {key: _without_writing(one, spaces) for key, one in value.items()} if isinstance(value, dict) else value


def _item_metrics(schema: Any) -> Iterator[str]:
    """The metrics that the items of a list name, or have by their type."""
    if not isinstance(schema, dict):
        return
    below = [*(schema.get("properties") or {}).values(), schema.get("items")]
    if schema.get("properties") or schema.get("items"):
        for one in below:
            yield from _item_metrics(one)
    else:
        yield from metrics_of(schema)


def metrics_of(schema: Mapping[str, Any]) -> list[str]:
    """The metrics of a field: those it names, or that of its type."""
    config = schema.get("evaluation_config")
    if isinstance(config, str):
        return [] if config == "skip" else [config]
    named = [str(one.get("metric_id")) for one in config.get("metrics") or ()] if isinstance(config, dict) else []
    kinds = schema.get("type")
    usual = _BY_TYPE.get(kinds) if isinstance(kinds, str) else None
    return named or ([usual] if usual is not None and config is None else [])


def fields(case: Case) -> list[list[Field]]:
    """The metrics of each field; nothing for documents that are not of plain fields."""
    schema = case.settings.get("schema")
    plain = isinstance(schema, dict) and schema.get("type") == "object" and "evaluation_config" not in schema
    if not plain or not isinstance(case.expected, dict) or not isinstance(case.output, dict):
        return []
    found = []
    for name, one in (schema.get("properties") or {}).items():
        if not isinstance(one, dict) or not isinstance(one.get("type"), str) or one["type"] == "object":
            return []
        sides = case.expected.get(name, MISSING), case.output.get(name, MISSING)
        found.append([Field(metric, one, *sides) for metric in metrics_of(one)])
    return [one for one in found if one]


def _some(case: Case, word: str) -> bool:
    return any(getattr(one, word) and one.metric in JUDGED for each in fields(case) for one in each)


# What the reply says


def counts(told: Mapping[str, Any]) -> tuple[int, int, int] | None:
    """Items matched, missed and made up, as a reply counts them; None where these are no counts."""
    summary = told.get("matches_summary")
    names = ("matched", "missed_gold", "spurious_pred")
    found = [summary.get(name) for name in names] if isinstance(summary, dict) else [None]
    if not all(isinstance(one, int | float) and one >= 0 and one == int(one) for one in found):
        return None
    matched, missed, spurious = map(int, found)
    return matched, missed, spurious


def _says(told: Mapping[str, Any], field: Field) -> bool:
    """A reply says what a field asks."""
    if field.metric != "array_llm":
        return is_score(told.get("score"))
    lists = isinstance(field.expected, list) and isinstance(field.output, list)
    matched, missed, spurious = counts(told) or (-1, 0, 0)
    return not lists or (matched + missed, matched + spurious) == (len(field.expected), len(field.output))


def judge_says_nothing(case: Case) -> bool:
    """A judge has to be asked, and does not answer, or its reply says nothing that counts: no score from 0 to 1, counts that do not add
    up with the lists, a reason that is no text."""
    asked = [one for each in fields(case) for one in each if one.asked]
    if fields(case) and not asked:
        return False
    if case.line.get("stub_reply", {}).get("status", 200) != 200:
        return True
    told = reply(case)
    if told is None or not isinstance(told.get("reasoning") or "", str):
        return True
    return not all(_says(told, one) for one in asked) if asked else not is_score(told.get("score"))


def told(case: Case) -> Answer:
    """What we give: the mean score of the fields that are measured, and none where the judge that was needed says nothing."""
    if judge_says_nothing(case):
        return Answer(blame="environment")
    scores = []
    for each in fields(case):
        given = [one.score(reply(case) or {}) for one in each if not one.absent]
        scores += [sum(given) / len(given)] if given else []
    return Answer(sum(scores) / len(scores) if scores else None)


# Predicates


def texts_are_equal(case: Case) -> bool:
    """A judge would be asked about two texts that are the same for it."""
    return any(
        one.equal and one.metric in JUDGED and isinstance(one.expected, str) for each in fields(case) for one in each
    )


def lists_are_equal(case: Case) -> bool:
    """A judge would be asked about two lists that are the same for it."""
    return any(one.equal and one.metric in JUDGED and one.expected for each in fields(case) for one in each)


def list_against_nothing(case: Case) -> bool:
    """One of two lists is empty."""
    return _some(case, "nothing_to_pair")


def nothing_on_both_sides(case: Case) -> bool:
    """Neither side has a field."""
    return any(one.absent for each in fields(case) for one in each)


def several_metrics(case: Case) -> bool:
    """One field has several metrics."""
    return any(len(each) > 1 for each in fields(case))


def list_metric_elsewhere(case: Case) -> bool:
    """A metric of whole lists stands where the schema says that the value is none."""
    waiting, found = [case.settings.get("schema")], False
    while waiting and not found:
        schema = waiting.pop()
        if isinstance(schema, dict):
            kinds = _kinds(schema)
            found = bool(kinds) and "array" not in kinds and "array_llm" in metrics_of({**schema, "type": None})
            properties = schema.get("properties")
            waiting += [
                schema.get("items"),
                *_branches(schema),
                *(properties.values() if isinstance(properties, dict) else ()),
            ]
    return found


def _branches(schema: Mapping[str, Any]) -> list[Any]:
    listed = schema.get("anyOf") or schema.get("oneOf")
    return listed if isinstance(listed, list) else []


def _kinds(schema: Any) -> set[str]:
    """The types that a value may have; none where they are not all known."""
    declared = schema.get("type") if isinstance(schema, dict) else None
    if declared is not None:
        return {declared} if isinstance(declared, str) else {one for one in declared if isinstance(one, str)}
    each = [_kinds(one) for one in _branches(schema)] if isinstance(schema, dict) else []
    if each:
        return set().union(*each) if all(each) else set()
    return {"object"} if isinstance(schema, dict) and "properties" in schema else set()


def threshold_is_unusable(case: Case) -> bool:
    """A threshold is no number from 0 to 1, written as a number or as text."""
    found: list[Any] = []

    def look(one: dict[str, Any]) -> dict[str, Any]:
        found.extend([one["pass_threshold"]] if "pass_threshold" in one else [])
        return one

    json.loads(json.dumps(case.settings.get("schema")), object_hook=look)
    return not all(map(is_score, found))


def reply_without_a_reason(case: Case) -> bool:
    """The reply has no `reasoning`, or null for it."""
    return (reply(case) or {"reasoning": ""}).get("reasoning") is None


def reply_read_leniently(case: Case) -> bool:
    """Ours finds a verdict in a reply in which theirs finds none."""
    return not judge_says_nothing(case) and not _read_by_theirs(case)


def _read_by_theirs(case: Case) -> bool:
    """Their reading finds a verdict: JSON in the first fence that is spelled as theirs is, or as the whole reply; its score a number."""
    text = text_of(case)
    blocks = [block for block in text.split("```")[1::2] if block.strip()]
    try:
        found = json.loads(blocks[0].removeprefix("json") if blocks else text)
    except ValueError:
        return False
    return isinstance(found, dict) and not isinstance(found.get("score"), str)


def prompt_of_its_own(case: Case) -> bool:
    """The settings write a prompt, or the form of a reply."""
    return any(word in json.dumps(case.settings) for word in _OWN_PROMPT)
