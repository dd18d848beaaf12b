"""Hostile shapes of rows: rows of any size, each made to be slow in one place.

Long lists that pair freely, queries that lead to a place in many ways, texts without end, schemas that lead to themselves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from evaluators.api.loading import load
from evaluators.api.suite import Suite

_DEEP: Final = 150

Settings = str | Mapping[str, Any]


class Shape(NamedTuple):
    """Rows of any size that are slow in one place."""

    evaluator: Settings | Sequence[Settings]
    row: Callable[[int], dict[str, Any]]
    limit: str = ""
    """The setting of a suite that bounds it: it grows faster up to this limit, and beyond it no more."""
    beyond: int = 64
    """A size that is beyond the limit."""
    more: Mapping[str, Any] = {}
    """What the suite has beside its evaluators."""

    def suite(self) -> Suite:
        """A suite with this evaluator alone."""
        evaluators = self.evaluator if isinstance(self.evaluator, list) else [self.evaluator]
        return load({"evaluators": evaluators, **self.more})


def _documents(make: Callable[[int], Any], other: Callable[[int], Any]) -> Callable[[int], dict[str, Any]]:
    return lambda size: {"output": json.dumps(make(size)), "expected": json.dumps(other(size))}


def _output(make: Callable[[int], Any], **more: Any) -> Callable[[int], dict[str, Any]]:
    return lambda size: {"output": json.dumps(make(size)), **more}


def _text(part: str, other: str = "", after: str = "") -> Callable[[int], dict[str, Any]]:
    return lambda size: {"output": part * size + after, "expected": other * size, "input": other * size}


def _items(part: Callable[[int], Any]) -> Callable[[int], Any]:
    return lambda size: {"items": [part(number) for number in range(size)]}


def _chains(size: int) -> Any:
    """Chains as deep as documents may be; the first of them grows, and then their number."""
    return [_chain(min(size, _DEEP))] * max(1, size // _DEEP)


def _chain(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def _fields(fields: Mapping[str, Any]) -> Settings:
    return {"json_multi_field_match": {"fields": fields}}


def _of_schema(schema: Mapping[str, Any]) -> Settings:
    return {"json_schema_valid": {"schema": schema}}


def _lists(how: str, comparator: str) -> Mapping[str, Any]:
    return {"items": {"align": how}, "items[*].a": comparator, "items[*].b": comparator}


_ONE = _items(lambda n: {"a": f"name {n * 7} and", "b": f"other {n}"})
_OTHER = _items(lambda n: {"a": f"nane {n * 5} and", "b": f"othar {n}"})
_ALIKE: Final = {"anyOf": [{"properties": {"a": {"$ref": "#"}}, "required": [name]} for name in "xy"]}
_FUZZY: Final = {"a": "fuzzy"}

SHAPES: Final[dict[str, Shape]] = {
    "lists in any order, fuzzy": Shape(_fields(_lists("any_order", "fuzzy")), _documents(_ONE, _OTHER), "list_cells", 1024),
    "hungarian, fuzzy": Shape(_fields(_lists("hungarian", "fuzzy")), _documents(_ONE, _OTHER), "list_cells", 1024),
    "hungarian, fuzzy, in a schema": Shape(
        {"schema_match": {"fields": _lists("hungarian", "fuzzy")}}, _documents(_ONE, _OTHER), "list_cells", 1024
    ),
    "hungarian, exact": Shape({"schema_match": {"fields": _lists("hungarian", "exact")}}, _documents(_ONE, _OTHER), "list_cells", 1500),
    "in any order, exact, by listed fields": Shape(
        _fields(_lists("any_order", "exact")), _documents(_ONE, _OTHER), "list_cells", 1500
    ),
    "equal items, half of them missing": Shape(
        _fields({"items": {"compare": "exact", "align": "any_order"}}),
        _documents(_items(lambda n: 0), lambda size: {"items": [0] * 2 * size}), "list_cells", 4096,
    ),
    "items with one key": Shape(
        _fields({"items": {"align": {"key_field": {"key": "k"}}}, "items[*].a": "exact"}),
        _documents(_items(lambda n: {"k": 1, "a": n}), _items(lambda n: {"k": 1, "a": -n})),
    ),
    "$..a": Shape(_fields({"$..a": "exact"}), _documents(_chains, _chains)),
    "$..a..a..a": Shape(_fields({"$..a..a..a": "exact"}), _documents(_chains, _chains)),
    "$..*..*": Shape(_fields({"$..*..*": "exact"}), _documents(_ONE, _OTHER)),
    "a filter that looks down": Shape(_fields({"$..[?(@..x)]": "exact"}), _documents(_chains, _chains), "path_steps"),
    "items[*].a[*]": Shape(
        _fields({"items[*].a[*]": "exact"}), _documents(_items(lambda n: {"a": [n, 1]}), _items(lambda n: {"a": [1]}))
    ),
    "levenshtein": Shape("levenshtein", _text("ab", "bxa"), "text_length", 65_536),
    "similarity by characters": Shape({"similarity": {"method": "characters"}}, _text("ab", "bxa"), "text_length", 65_536),
    "a fuzzy field": Shape(_fields(_FUZZY), _documents(lambda n: {"a": "ab" * n}, lambda n: {"a": "bxa" * n}), "text_length", 65_536),
    "combining marks": Shape(
        _fields({"a": {"normalized": {"unicode": "nfkc"}}}),
        _documents(lambda n: {"a": "a" + "\u0301\u0327" * n}, lambda n: {"a": "b"}),
    ),
    "unique objects": Shape(_of_schema({"uniqueItems": True}), _output(lambda n: [{"a": i} for i in range(n)])),
    "patterns of properties": Shape(
        _of_schema({"patternProperties": {"^a": {}}, "additionalProperties": False}),
        _output(lambda n: {f"a{i}": i for i in range(n)}),
    ),
    "a schema that leads to itself": Shape(_of_schema(_ALIKE), _output(lambda n: _chain(min(n, _DEEP)))),
    "many things wrong": Shape(_of_schema({"items": {"type": "string"}}), _output(lambda n: [*range(n)])),
    "a pattern in a pattern": Shape({"regex_match": {"pattern": "^(a+)+$", "timeout_seconds": 0.05}}, _text("a", after="b")),
    "open braces": Shape("contains_json", _text("{")),
    "open objects": Shape("contains_json", _text('{"a":')),
    "braces the wrong way": Shape("contains_json", _text("}{")),
    "open fences": Shape("contains_json", _text("```json\n{\n")),
    "many documents": Shape("json_diff_match", lambda n: {"output": 'a {"a":1} b ' * n, "expected": '{"a": 2}'}),
    "reasoning without end": Shape("contains_json", _text("<think>", after="{}")),
    "words": Shape("relevance", _text("word ", "other ")),
    "other keys": Shape(
        "json_diff_match", _documents(lambda n: {f"a{i}": i for i in range(n)}, lambda n: {f"b{i}": i for i in range(n)})
    ),
    "keys in another case": Shape(
        {"json_diff_match": {"case_insensitive_keys": True}},
        _documents(lambda n: {f"a{i}": i for i in range(n)}, lambda n: {f"A{i}": i for i in range(n)}),
    ),
    "a web address": Shape(
        _fields({"a": "url"}), _documents(lambda n: {"a": "http://a/" + "../" * n}, lambda n: {"a": "http://a/b" + "/./" * n})
    ),
    "deep YAML": Shape({"format_valid": {"format": "yaml"}}, _text("- ", after="a")),
    "deep XML": Shape({"format_valid": {"format": "xml"}}, lambda n: {"output": "<a>" * n + "</a>" * n}),
    "open quotes of CSV": Shape({"format_valid": {"format": "csv"}}, _text('"1,')),
}  # fmt: skip
