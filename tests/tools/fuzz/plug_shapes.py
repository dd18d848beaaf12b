"""Rows of any size for everything that a suite can name: each evaluator, comparator, rule, transform, alignment and schema dialect.

Evaluators, comparators and transforms have shapes that are made from their own examples, so that a new one has them, too: its texts
many times as long, its values many times. What is slow in a place of its own has shapes of its own beside them, and what has no
examples must have one here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, get_args

from evaluators.model.rows import MISSING
from evaluators.model.settings import build
from evaluators.scoring.comparators._comparator import COMPARATORS, Pair
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator, Example
from evaluators.scoring.evaluators._rule import Rule
from evaluators.scoring.fields.reading import AlignHow
from evaluators.scoring.fields.schema_keywords import Dialect
from evaluators.scoring.needs import Part
from evaluators.scoring.values.transforms import TRANSFORMS
from tests.tools.fuzz.shapes import Shape

Document = Callable[[int], Any]
ANSWERS: Final = Path(__file__).parents[2] / "scoring" / "evaluators" / "answers.jsonl"
RULE_SETTINGS: Final = frozenset(("equals", "tolerance", "when", "parse", "missing", "empty", "optional"))
"""What a rule has beside the one thing that it says."""
PROCESSORS: Final = ("reclassify_nulls", "propagate_batch_errors")
COUNTED: Final = {"levenshtein": 65_536, "similarity": 65_536, "fuzzy": 65_536, "string_fuzzy": 65_536}
"""What counts the letters that differ: as many steps as the lengths of two texts multiplied, up to `text_length`. Beyond such a size it
refuses."""
PARAMETERS: Final[Mapping[str, Any]] = {
    "round_digits": {"digits": 2}, "type_convert": {"to": "str"}, "regex_replace": {"pattern": "[a-z]+", "replacement": "x"},
    "split": {"at": ","}, "value_of": {"key": "value"},
}  # fmt: skip
"""For transforms that need some."""


def plug_names() -> list[str]:
    """Everything that must have a shape, by kind and name."""
    rules = [name for name in Rule.model_fields if name not in RULE_SETTINGS]
    kinds = {
        "evaluator": BUILTIN.names(), "comparator": COMPARATORS.names(), "rule": rules, "transform": TRANSFORMS,
        "align": get_args(AlignHow), "dialect": get_args(Dialect), "post_process": PROCESSORS,
    }  # fmt: skip
    return [f"{kind} {name}" for kind, names in kinds.items() for name in names]


def plug_shapes() -> dict[str, Shape]:
    """The shapes, by names that begin with what they are of: "evaluator length: longer texts"."""
    made = (*_of_evaluators(), *_of_comparators(), *_of_transforms(), *_of_alignments(), *_of_dialects())
    return {**dict(made), **OWN}


def _of_evaluators() -> Iterator[tuple[str, Shape]]:
    for name in BUILTIN.names():
        seen = set[str]()
        for example in BUILTIN.find(name).examples:
            if repr(example.settings) not in seen and len(seen) < 3 and _is_alone(name, example):
                seen.add(repr(example.settings))
                settings = {name: {**(example.settings or {})}} if example.settings else name
                said = f"evaluator {name}: {example.title}"
                bound = ("text_length", COUNTED[name]) if name in COUNTED else ()
                yield f"{said}, in longer texts", Shape(settings, _longer(example), *bound)
                if isinstance(example.output, str) and example.output.startswith("{"):
                    yield f"{said}, and more values", Shape(settings, _more(example))


def _is_alone(name: str, example: Example) -> bool:
    plug = BUILTIN.find(name)
    if "judge" in plug.model_fields:
        return False
    evaluator: Evaluator = build(plug, dict(example.settings or {}))
    return not any(isinstance(need, Part) for need in evaluator.needs())


def _longer(example: Example) -> Callable[[int], dict[str, Any]]:
    """The texts of an example many times; an expected document, which is one, stays."""

    def row(size: int) -> dict[str, Any]:
        cells = {"output": example.output, "expected": example.expected, "input": example.input}
        return {
            key: cell if key == "expected" and str(cell).startswith(("{", "[")) else f"{cell} " * size
            for key, cell in cells.items()
            if cell is not MISSING and cell is not None
        }

    return row


def _more(example: Example) -> Callable[[int], dict[str, Any]]:
    """The documents of an example with themselves many times inside."""

    def row(size: int) -> dict[str, Any]:
        cells = {"output": example.output, "expected": example.expected, "input": example.input}
        return {key: _grown(cell, size) for key, cell in cells.items() if cell is not MISSING and cell is not None}

    return row


def _grown(cell: object, size: int) -> str:
    if not str(cell).startswith("{"):
        return str(cell)
    document = json.loads(str(cell))
    return json.dumps({**document, "more": [document] * size, **{f"more {number}": number for number in range(size)}})


def _of_comparators() -> Iterator[tuple[str, Shape]]:
    for name in COMPARATORS.names():
        pairs = COMPARATORS.find(name).examples
        if "judge" in COMPARATORS.find(name).model_fields or not pairs:
            continue
        same = [pair for pair in pairs if pair.options == pairs[0].options]
        compare = {name: dict(pairs[0].options)} if pairs[0].options else name
        yield f"comparator {name}: many values", Shape(_fields({"items[*]": compare}), _many(same))
        bound = ("text_length", COUNTED[name]) if name in COUNTED else ()
        yield f"comparator {name}: longer values", Shape(_fields({"a": compare}), _longer_values(same[0]), *bound)


def _fields(fields: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"json_multi_field_match": {"fields": fields, **more}}


def _many(pairs: list[Pair]) -> Callable[[int], dict[str, Any]]:
    def row(size: int) -> dict[str, Any]:
        listed = [pairs[number % len(pairs)] for number in range(size)]
        return _row({"items": [pair.actual for pair in listed]}, {"items": [pair.expected for pair in listed]})

    return row


def _longer_values(pair: Pair) -> Callable[[int], dict[str, Any]]:
    return lambda size: _row({"a": _times(pair.actual, size)}, {"a": _times(pair.expected, size)})


def _times(value: Any, size: int) -> Any:
    """A text or a list many times, and anything else as a text of as many digits."""
    return value * size if isinstance(value, (str, list)) else "7" * size


def _row(output: Any, expected: Any) -> dict[str, Any]:
    return {"output": json.dumps(output), "expected": json.dumps(expected)}


def _of_transforms() -> Iterator[tuple[str, Shape]]:
    for name in TRANSFORMS:
        fields = {"a": {"compare": "exact", "transforms": [{name: PARAMETERS[name]} if name in PARAMETERS else name]}}
        yield (
            f"transform {name}: a longer text",
            Shape(_fields(fields), _two(lambda n: {"a": "ab É, " * n}, lambda n: {"a": "b"})),
        )


def _two(make: Document, other: Document) -> Callable[[int], dict[str, Any]]:
    return lambda size: _row(make(size), other(size))


def _items(part: Document) -> Document:
    return lambda size: {"items": [part(number) for number in range(size)]}


def _of_alignments() -> Iterator[tuple[str, Shape]]:
    """Items of two fields, of which one differs. Where each is compared with each, that is up to `list_cells`."""
    row = _two(_items(lambda n: {"k": n, "a": f"name {n * 7}"}), _items(lambda n: {"k": n, "a": f"nane {n * 5}"}))
    for how in get_args(AlignHow):
        align: Any = {"key_field": {"key": "k"}} if how == "key_field" else how
        fields = {"items": {"align": align}, "items[*].a": "exact", "items[*].k": "exact"}
        bound = ("list_cells", 2048) if how in ("any_order", "hungarian") else ()
        yield f"align {how}: by listed fields", Shape(_fields(fields), row, *bound)
        yield f"align {how}: in a whole document", Shape({"schema_match": {"fields": fields}}, row, *bound)


def _of_dialects() -> Iterator[tuple[str, Shape]]:
    """A schema of each dialect, for lists whose items are compared in order, and for objects."""
    item = {"type": "object", "properties": {"k": {"type": "integer"}, "a": {"type": "string", "x-eval-compare": "exact",
            "evaluation_config": "string_exact"}}}  # fmt: skip
    for dialect in get_args(Dialect):
        listed = {"type": "array", "items": item}
        schema = {"type": "object", "properties": {"items": listed}}
        row = _two(_items(lambda n: {"k": n, "a": f"name {n}"}), _items(lambda n: {"k": n, "a": f"name {n // 2}"}))
        bound = ("list_cells", 4096) if dialect == "evaluation_config" else ()
        settings = {"schema": schema, "dialect": dialect}
        yield f"dialect {dialect}: many items", Shape({"schema_match": settings}, row, *bound)
        other = _two(lambda n: {f"b{at}": at for at in range(n)}, lambda n: {f"a{at}": at for at in range(n)})
        yield f"dialect {dialect}: other keys", Shape({"schema_match": settings}, other)


def _rules(name: str, rule: Mapping[str, Any], make: Document) -> tuple[str, Shape]:
    return f"rule {name}", Shape({"rules": {"one": rule}}, lambda size: {"output": json.dumps(make(size))})


def _grounded(make: Document, source: Callable[[int], str], **settings: Any) -> Shape:
    """Near passages are looked for in the first 20,000 characters of a source."""
    evaluator = {"grounded": {"source": "input", **settings}}
    return Shape(evaluator, lambda size: {"output": json.dumps(make(size)), "input": source(size)}, "near passages", 4096)


def _parts(name: str, of: Any) -> Shape:
    parts = [{"length": {"name": part, "max": 9}} for part in "ab"]
    return Shape([*parts, {name: {"name": "all", "of": of}}], lambda size: {"output": "word " * size})


def _lines(part: Callable[[int], str]) -> Callable[[int], str]:
    return lambda size: "\n".join(map(part, range(size)))


_ITEMS: Final = _items(lambda n: {"a": n + 1.5, "b": 2, "c": f"x{n}"})
_BIG: Final = _items(lambda n: {"a": 10**300 + n, "b": 1})

OWN: Final[dict[str, Shape]] = {
    **{f"evaluator {name}": _parts(name, ["a", "b"]) for name in ("all_of", "any_of", "min_of", "max_of")},
    "evaluator weighted_mean": _parts("weighted_mean", {"a": 1, "b": 2}),
    "evaluator llm_judge": Shape(
        {"llm_judge": {"rubric": "Is this right?"}}, lambda size: {"output": "word " * size},
        more={"judge": {"recorded": {"file": str(ANSWERS)}}},
    ),
    "evaluator grounded: numbers that are not there": _grounded(
        lambda n: {"a": [10**6 + 2 * at + 1 for at in range(n)]}, _lines(lambda at: f"{10**6 + 2 * at}")
    ),
    "evaluator grounded: numbers that are there": _grounded(
        lambda n: {"a": [at * 1.25 for at in range(n)]}, _lines(lambda at: f"EUR {at * 1.25:,}")
    ),
    "evaluator grounded: one number in another currency": _grounded(
        lambda n: {"a": [f"5.{'0' * (at % 40)} EUR" for at in range(n)]}, _lines(lambda at: "5 USD")
    ),
    "evaluator grounded: texts that are not there": _grounded(
        lambda n: {"a": [f"word{2 * at + 1}x and" for at in range(n)]}, _lines(lambda at: f"word{2 * at}x and")
    ),
    "evaluator grounded: texts in other letters": _grounded(
        lambda n: {"a": [f"café{at}x" for at in range(n)]}, _lines(lambda at: f"CAFÉ{at}X")
    ),
    "evaluator grounded: near passages that count": _grounded(
        lambda n: {"a": [f"invoice of firm {at}b" for at in range(n)]}, _lines(lambda at: f"invoice at firm {at}b"), near="counts"
    ),
    "evaluator grounded: days": _grounded(
        lambda n: {"a": [f"{1500 + at % 500}-{at // 500 % 12 + 1:02}-{at // 6000 % 28 + 1:02}" for at in range(n)]},
        _lines(lambda at: f"{at % 28 + 1}.{at // 28 % 12 + 1}.{1500 + at // 336 % 500}"),
    ),
    "evaluator grounded: codes that begin alike": _grounded(
        lambda n: {"a": [f"20240000{2 * at + 1:06}" for at in range(n)]}, _lines(lambda at: f"2024-0000-{2 * at:06}")
    ),
    "evaluator grounded: choices of a schema": _grounded(
        lambda n: {"a": [f"t{at}" for at in range(n)]}, _lines(lambda at: "x"),
        schema={"properties": {"a": {"items": {"enum": [f"t{at}" for at in range(2_000)]}}}},
    ),
    "evaluator grounded: listed fields": _grounded(
        _ITEMS, _lines(lambda at: f"{at + 1.5} 2 x{at}"), fields=["items[*].a", "items[*].b", "items[*].c"]
    ),
    "comparator one_of: answers of each item": Shape(
        _fields({"items[*]": {"one_of": {"answers": "expected"}}}),
        _two(_items(lambda n: "d"), _items(lambda n: ["a", "b", f"c{n}"])),
    ),
    "comparator one_of: a cell of answers for many items": Shape(
        _fields({"items[*]": {"one_of": {"answers": "row.right", "separator": "|"}}}),
        lambda n: {**_row({"items": [f"z{at}" for at in range(n)]}, {"items": [f"y{at}" for at in range(n)]}),
                   "right": "|".join(f"x{at}" for at in range(n))},
        limit="list_cells", beyond=2048,
    ),
    "comparator one_of: a cell of answers that are no texts": Shape(
        _fields({"items[*]": {"one_of": {"answers": "row.right"}}}),
        lambda n: {**_row({"items": [-at - 1 for at in range(n)]}, {"items": [n + at for at in range(n)]}),
                   "right": json.dumps(list(range(n)))},
        limit="list_cells", beyond=2048,
    ),
    "comparator one_of: many answers of one value": Shape(
        _fields({"a": {"one_of": {"answers": "expected"}}}),
        _two(lambda n: {"a": "z"}, lambda n: {"a": [f"x{at}" for at in range(n)]}),
    ),
    "comparator one_of: answers of one list for many items": Shape(
        _fields({"items[*]": {"one_of": {"values": [{"k": at} for at in range(200)]}}}),
        _two(_items(lambda n: {"k": -n}), _items(lambda n: {"k": n})),
    ),
    **dict((
        _rules("sum: of a list", {"sum": "items[*].a", "equals": 1}, _ITEMS),
        _rules("sum: of large numbers", {"sum": "items[*].a", "equals": 1}, _BIG),
        _rules("sum: of numbers with other decimals", {"sum": "items[*].a", "equals": 1}, _items(lambda n: {"a": float(f"1e-{n % 300}")})),
        _rules("product: of a list", {"product": "items[*].a", "equals": 1}, _ITEMS),
        _rules("product: of large numbers", {"product": "items[*].a", "equals": 1}, _BIG),
        _rules("product: in each item", {"each": "items[*]", "product": ["a", "b"], "equals": "b"}, _ITEMS),
        _rules("order: of a list", {"order": ["items[*].a"]}, _ITEMS),
        _rules("order: in each item", {"each": "items[*]", "order": ["a", "b"]}, _ITEMS),
        _rules("exactly_one_of: in each item", {"each": "items[*]", "exactly_one_of": ["a", "d"]}, _ITEMS),
        _rules("present: in each item", {"each": "items[*]", "present": ["a", "d"]}, _ITEMS),
        _rules("unique: all differ", {"unique": "items[*].c"}, _ITEMS),
        _rules("unique: all are equal", {"unique": "items[*].b"}, _ITEMS),
        _rules("unique: objects", {"unique": "items[*]"}, _ITEMS),
        _rules("unique: in the lists of a list", {"each": "items[*]", "unique": "d[*]"}, _items(lambda n: {"d": [n, n + 1]})),
        _rules("each: many items lack a field", {"each": "items[*]", "sum": ["a", "z"], "equals": "b"}, _ITEMS),
    )),
    "rule sum: excused by the expected answer": Shape(
        {"rules": {"one": {"each": "items[*]", "sum": ["a", "z"], "equals": "b"}}}, _two(_ITEMS, _items(lambda n: {"a": 1, "b": 1}))
    ),
    **{
        f"post_process {name}": Shape(
            {"schema_match": {"fields": {"items[*].a": "exact", "items[*].b": "fuzzy"}, "post_process": [name]}},
            _two(_items(lambda n: {"a": None, "b": f"x{n}"}), _items(lambda n: {"a": n, "b": None})),
        )
        for name in PROCESSORS
    },
}  # fmt: skip
