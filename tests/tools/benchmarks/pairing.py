"""`python -m tests.tools.benchmarks.pairing`: how long it takes to pair the items of lists; prints milliseconds as JSON.

Lists are shuffled, and every fifth item of the output is a little wrong. A figure is the whole way: what every pair gains,
and the best pairing. What does not depend on the list (imports, compiling a schema) is done once before.
"""

from __future__ import annotations

import gc
import json
import random
from collections.abc import Callable
from typing import Any, Final

from evaluators.api.loading import loads
from evaluators.scoring.comparators._closeness import Tolerance
from evaluators.scoring.comparators.fuzzy import Fuzzy
from evaluators.scoring.comparators.numeric import Numeric
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.schema_check import SchemaCheck
from evaluators.scoring.fields.schema_scoring import SchemaScoring
from evaluators.scoring.fields.tree import Below, FieldNode, Metric
from evaluators.scoring.plan.suite_plan import compile_plan
from evaluators.scoring.values.pairing import assign_gains
from tests.tools.benchmarks.inside import ROLES, least

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz "
NAME: Final = FieldNode(("name",), metrics=(Metric("fuzzy", Fuzzy(), "fuzzy"),))
CLOSE: Final = Numeric(tolerance=Tolerance(abs=0.01))
PRICE: Final = FieldNode(("price",), metrics=(Metric("numeric", CLOSE, "numeric"),))
ITEM: Final = FieldNode((), "object", make=lambda: Below(keys={"name": NAME, "price": PRICE}))
HUNGARIAN: Final = Align("hungarian")


def items(size: int, seed: int = 1) -> tuple[list[Any], list[Any]]:
    """Two lists of named prices."""
    drawn = random.Random(seed)
    expected: list[dict[str, Any]] = [
        {"name": "".join(drawn.choices(LETTERS, k=20)), "price": round(drawn.uniform(1, 1_000), 2)} for _ in range(size)
    ]
    output = [
        {"name": f"{item['name'][:-2]}__", "price": item["price"] + 1} if number % 5 == 0 else dict(item)
        for number, item in enumerate(expected)
    ]
    drawn.shuffle(output)
    return expected, output


def column(size: int, field: str) -> tuple[list[Any], list[Any]]:
    """Two lists of names, or of prices."""
    expected, output = items(size)
    return [item[field] for item in expected], [item[field] for item in output]


def milliseconds(node: FieldNode, expected: list[Any], output: list[Any]) -> float:
    """The time to pair two lists, and to score their pairs."""
    root = FieldNode((), "array", align=HUNGARIAN, make=lambda: Below(items=node))
    check = SchemaCheck(SchemaScoring(root, "f1", 1.0))
    return 1000 * least(lambda: check(expected, output))


def tied(size: int) -> Callable[[], object]:
    """Pairing where half of all pairs are equally good."""
    drawn = random.Random(2)
    table = [[drawn.randint(0, 1) for _ in range(size)] for _ in range(size)]
    return lambda: assign_gains(table)


SCHEMA: Final[Any] = {
    "type": "object",
    "properties": {
        "outer": {
            "type": "array",
            "x-eval-align": {"match_by": "hungarian"},
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "inner": {
                        "type": "array",
                        "x-eval-align": {"match_by": "hungarian"},
                        "items": {
                            "type": "object",
                            "properties": {key: {"type": "integer"} for key in ("a", "b", "c")},
                        },
                    },
                },
            },
        }
    },
}


def nested(size: int) -> float:
    """The time to score lists of so many items that each hold a list of so many, all aligned."""
    drawn = random.Random(3)
    outer = [
        {
            "name": f"n{number}",
            "inner": [{key: drawn.randint(0, 99) for key in ("a", "b", "c")} for _ in range(size)],
        }
        for number in range(size)
    ]
    output = json.loads(json.dumps(outer))
    for item in output:
        drawn.shuffle(item["inner"])
        item["inner"][0]["a"] = 100
    drawn.shuffle(output)
    suite = json.dumps({"evaluators": [{"schema_match": {"schema": SCHEMA}}]})
    plan = compile_plan(loads(suite).lines, ROLES)
    columns = {"output": [json.dumps({"outer": output})], "expected": [json.dumps({"outer": outer})]}
    return 1000 * least(lambda: plan.run(columns, 1), 3)


def with_objects(size: int, wrong: int) -> float:
    """The time to score a list of objects that hold an object and a list, of which each so-many-th has a wrong value."""
    drawn = random.Random(4)
    expected = [
        {
            "name": f"n{drawn.randrange(10**6)}",
            "qty": drawn.randrange(100),
            "to": {"town": f"t{drawn.randrange(500)}"},
            "parts": [{"a": drawn.randrange(50), "b": drawn.randrange(50)} for _ in range(2)],
        }
        for _ in range(size)
    ]
    output = json.loads(json.dumps(expected))
    for item in output[::wrong]:
        item["qty"] = -1
    drawn.shuffle(output)
    fields: dict[str, Any] = {"items": {"align": "hungarian"}}
    fields |= {f"items[*].{path}": "exact" for path in ("name", "qty", "to.town", "parts[*].a", "parts[*].b")}
    plan = compile_plan(loads(json.dumps({"evaluators": [{"json_multi_field_match": {"fields": fields}}]})).lines, ROLES)
    columns = {"output": [json.dumps({"items": output})], "expected": [json.dumps({"items": expected})]}
    return 1000 * least(lambda: plan.run(columns, 1), 3)


def main() -> None:
    """Prints the figures as one JSON object."""
    gc.disable()
    figures = {}
    for size in (200, 1_000):
        figures[f"{size} texts"] = milliseconds(NAME, *column(size, "name"))
        figures[f"{size} numbers"] = milliseconds(PRICE, *column(size, "price"))
    for size in (5, 10, 20, 50, 100, 200, 500):
        figures[f"{size} objects of two fields"] = milliseconds(ITEM, *items(size))
    for size in (200, 1_000):
        figures[f"{size} items, half of all pairs equally good"] = 1000 * least(tied(size), 3)
    for wrong, said in ((5, "one in five"), (1, "each")):
        figures[f"600 items with an object and a list inside, {said} of them wrong"] = with_objects(600, wrong)
    for size in (5, 10, 20):
        figures[f"{size} items of {size} items"] = nested(size)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
