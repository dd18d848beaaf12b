"""The custom comparators and transforms of recorded x-eval cases, made of the rules that a case names.

Each is registered as a program would register its own, for the time of one case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

from evaluators.api.extending import register, register_transform
from evaluators.scoring.comparators._comparator import COMPARATORS, Question
from evaluators.scoring.values import transforms

Rule = Callable[[Any, Any, Mapping[str, Any]], Any]


@contextmanager
def registered(entries: Sequence[Mapping[str, Any]]) -> Iterator[None]:
    """The entries of `register`, known while the block lasts. Raises Problems as registering does."""
    with patch.dict(COMPARATORS._registered), patch.dict(transforms._REGISTERED):
        for entry in entries:
            name, overwrite = entry.get("name", NAMELESS), bool(entry.get("overwrite"))
            match entry.get("kind"):
                case _ if is_transform(entry):
                    found = TRANSFORMS[entry["rule"]] if callable_rule(entry) else NOT_CALLABLE
                    register_transform(name, found, overwrite)
                case kind if not callable_rule(entry):
                    register(name, NOT_CALLABLE, overwrite, batch=kind == "batch")
                case "comparator":
                    register(name, pair_rule(entry["rule"]), overwrite)
                case "batch":
                    register(name, batch_rule(entry), overwrite, batch=True)
                case "semantic":
                    register(name, judge_rule(entry["judge"]), overwrite, batch=True)
                case "compound":
                    register(name, compound_rule(entry), overwrite)
        yield


def _none_to_empty(value: Any, params: Mapping[str, Any]) -> Any:
    return "" if value is None else value


def _default(value: Any, params: Mapping[str, Any]) -> Any:
    return params["value"] if value is None else value


TRANSFORMS: Final[Mapping[str, Callable[[Any, Mapping[str, Any]], Any]]] = {
    "none_to_empty": _none_to_empty,
    "default": _default,
}


NAMELESS: Final = "nameless"
NOT_CALLABLE: Final[Any] = "no function"
"""What is registered where a case names no rule that is known: a text, which cannot be called."""
SHIPPED: Final = (
    "lowercase", "strip", "normalize_whitespace", "sort_tokens", "round_digits", "type_convert", "casefold",
    "strip_accents", "remove_punctuation", "regex_replace",
)  # fmt: skip
"""The transforms that ship with the package."""
PAIR_RULES: Final = ("token_jaccard", "null_equals_empty", "str_equal", "python_eq", "returns_float", "raise")
BATCH_RULES: Final = (
    "constant", "raise", "short", "long", "none_first", "bad_type_first", "not_a_list", "empty", "skip_all", "param_echo",
)  # fmt: skip


COMPOUND_RULES: Final = ("all_equal", "joined_casefold_equal", "fraction_equal", "raise")


def is_transform(entry: Mapping[str, Any]) -> bool:
    """What an entry registers is a transform, and not a comparator, whatever kind of one."""
    return "transform" in str(entry.get("kind"))


def callable_rule(entry: Mapping[str, Any]) -> bool:
    """What an entry registers is a function. One of a kind or a rule that nobody knows is none, as where its kind says so."""
    rule = entry.get("rule") if isinstance(entry.get("rule"), str) else ""
    match entry.get("kind"):
        case "transform":
            return rule in TRANSFORMS
        case "comparator":
            return rule in PAIR_RULES or re.fullmatch(r"constant_(int_)?-?\d+(\.\d+)?", str(rule)) is not None
        case "batch":
            return rule in BATCH_RULES
        case "compound":
            return rule in COMPOUND_RULES and isinstance(entry.get("fields"), list)
        case "semantic":
            return isinstance(entry.get("judge"), dict)
    return False


def can_register(entries: Sequence[Mapping[str, Any]]) -> bool:
    """Every entry is a function under a name of its own."""
    seen: set[tuple[str, bool]] = set()
    for entry in entries:
        name = str(entry.get("name", NAMELESS)), is_transform(entry)
        taken = (name in seen and not entry.get("overwrite")) or name[0] in (SHIPPED if name[1] else COMPARATORS)
        if taken or not callable_rule(entry):
            return False
        seen.add(name)
    return True


def _words(value: Any) -> set[str]:
    return set(str(value).lower().split())


def token_jaccard(expected: Any, actual: Any) -> float:
    """The share of words that both sides have."""
    ours, theirs = _words(expected), _words(actual)
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0


def pair_rule(rule: str) -> Rule:
    """The comparator of a rule's name."""
    if rule.startswith("constant_"):
        score = float(rule.removeprefix("constant_").removeprefix("int_"))
        return lambda expected, actual, params: score
    rules: dict[str, Callable[[Any, Any], Any]] = {
        "token_jaccard": token_jaccard,
        "null_equals_empty": lambda expected, actual: (expected or "") == (actual or ""),
        "str_equal": lambda expected, actual: str(expected) == str(actual),
        "python_eq": lambda expected, actual: bool(expected == actual),
        "returns_float": lambda expected, actual: 1.0,
        "raise": _raise,
    }
    compare = rules[rule]
    return lambda expected, actual, params: compare(expected, actual)


def _raise(expected: Any, actual: Any) -> Any:
    raise ValueError("this comparator always fails")


def batch_rule(entry: Mapping[str, Any]) -> Callable[[list[Question], Mapping[str, Any]], Any]:
    """The batch comparator of a rule."""
    rule = entry["rule"]

    def answer(questions: list[Question], params: Mapping[str, Any]) -> Any:
        right: list[Any] = [1.0] * len(questions)
        match rule:
            case "constant":
                return [entry["arg"]] * len(questions)
            case "raise":
                raise ValueError("this batch always fails")
            case "short":
                return right[:1]
            case "long":
                return [*right, 1.0, 1.0]
            case "none_first":
                return [None, *right[1:]]
            case "bad_type_first":
                return ["yes", *right[1:]]
            case "not_a_list":
                return {"results": right}
            case "empty":
                return []
            case "skip_all":
                return [None] * len(questions)
            case "param_echo":
                return [params["accept"]] * len(questions)
            case _:
                raise AssertionError(f"unknown rule {rule}")

    return answer


def judge_rule(judge: Mapping[str, Any]) -> Callable[[list[Question], Mapping[str, Any]], Any]:
    """A judge whose answers are written down, or equal text when case and outer spaces are set aside."""

    def answer(questions: list[Question], params: Mapping[str, Any]) -> Any:
        if judge.get("mode") == "raise":
            raise ValueError("the judge cannot be reached")
        if judge.get("mode") == "fixed":
            return judge["returns"]
        return [_judged(judge, question.expected, question.actual) for question in questions]

    return answer


def _judged(judge: Mapping[str, Any], expected: Any, actual: Any) -> Any:
    ours, theirs = _text(expected), _text(actual)
    for one in judge.get("responses") or ():
        if [str(side) for side in one[:2]] == [ours, theirs]:
            return one[2]
    if judge.get("default_score") is not None:
        return judge["default_score"]
    return ours.strip().lower() == theirs.strip().lower()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "null" if value is None else json.dumps(value, sort_keys=True)


def compound_rule(entry: Mapping[str, Any]) -> Rule:
    """The comparator of a compound: it takes the listed keys of both sides."""
    fields, rule = entry["fields"], entry["rule"]

    def compare(expected: Any, actual: Any, params: Mapping[str, Any]) -> Any:
        if rule == "raise":
            raise ValueError("this comparator always fails")
        if set(expected) != set(fields) or set(actual) != set(fields):
            return 0.0
        pairs = [(expected[key], actual[key]) for key in fields]
        if rule == "all_equal":
            return all(ours == theirs for ours, theirs in pairs)
        if rule == "fraction_equal":
            return sum(ours == theirs for ours, theirs in pairs) / len(pairs)
        ours, theirs = (" ".join(str(side) for side in sides).casefold() for sides in zip(*pairs, strict=True))
        return ours == theirs

    return compare


def with_compounds(schema: Any, entries: Sequence[Mapping[str, Any]]) -> Any:
    """The schema with compounds where we write them: on the object that has the keys, not on each key."""
    for entry in entries:
        if entry.get("kind") == "compound":
            schema = _moved(schema, entry)
    return schema


def _moved(schema: Any, entry: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_moved(inner, entry) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: _moved(inner, entry) for key, inner in schema.items()}
    properties = schema.get("properties")
    tagged = [
        key
        for key, inner in (properties.items() if isinstance(properties, dict) else ())
        if isinstance(inner, dict) and inner.get("x-eval-compare") == entry["name"]
    ]
    if not tagged:
        return schema
    inside = {key: inner for key, inner in properties.items() if key not in tagged or key in entry["fields"]}
    for key in entry["fields"]:
        if key in inside:
            inside[key] = {**inside[key], "x-eval-compare": "exact"}
    compound = {"compound": {"fields": entry["fields"], "compare": entry["name"]}}
    return {**schema, "properties": inside, "x-eval-compare": compound}
