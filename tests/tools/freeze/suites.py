"""Random suites of every type that is no `schema_match`: listed fields, whole documents, texts, and several with needs and conditions."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any, Final

from tests.runs.drawn_runs import Drawing
from tests.tools.freeze.documents import OF_TYPE, Documents, Shape
from tests.tools.freeze.schemas import COMPARATORS, TRANSFORMS, WEIGHTS, Schemas, joined

Drawn = dict[str, Any]

ROWS: Final = 16
CONDITIONS: Final[list[Any]] = [
    {"expected.name": {"present": True}}, {"output.a": ["x", 1]}, {"expected.items[*].id": 1}, {"row.group": "a"},
    {"row.group": ["a", "b"]},
]  # fmt: skip
SENTENCES: Final = (
    "Paris", "paris", "The capital is Paris.", "I do not know.", "Berlin, of course", "", " ", "12", "see https://a.b/c", "Ja",
    "# Answer\n\nParis\n\n# Sources\n\nnone", '{"a": 1}', 'Sure: {"a": [1, 2]}', "a,b\n1,2\n", "<a><b/></a>", "yes", "Straße", "STRASSE",
    "What is the capital of France?", "Name the capital of France", "positive", "negative", "neutral",
)  # fmt: skip


# Listed fields


def listed(random: Random) -> Drawn:
    """`json_multi_field_match` over one shape of documents."""
    documents = Documents(random)
    shape = documents.document_shape()
    lines = [listed_line(documents, shape) for _ in range(random.choice([1, 1, 2]))]
    return suite_of(random, lines, documents.rows(shape, ROWS))


def listed_line(documents: Documents, shape: Shape) -> Drawn:
    random, chance = documents.random, documents.chance
    paths = [*dict.fromkeys([*places(shape, ""), random.choice(["absent", "q.w", "name", "items[*].id", "$"])])]
    fields: Drawn = {}
    for path in random.sample(paths, min(len(paths), random.randint(1, 7))):
        kind = random.choice(["string", "string", "number", "integer", "boolean"])
        line: Any = deepcopy(random.choice(COMPARATORS[kind])) if chance(0.6) else "exact"
        if chance(0.05):
            line = "skip"
        elif chance(0.5):
            line = {"compare": line} | extras(documents, path)
        fields[spelled(random, path)] = line
    if chance(0.2):
        query = random.choice(["$..name", "$..id", "$.items[0:2]", "$.items[?(@.id == 1)].name", "$['a','name']", "$.*"])
        fields[query] = random.choice(["exact", "numeric", {"compare": "normalized", "weight": 2}])
    lists = [path for path in places(shape, "", lists=True) if path not in fields]
    for path in random.sample(lists, min(len(lists), 2)):
        if chance(0.6) and not any(line == path for line in fields):
            how = random.choice(
                ["ordered", "any_order", "hungarian", {"hungarian": {"at_least": 0.5}}, {"key_field": {"key": "id"}}]
            )
            fields[path] = {"align": how}
    if chance(0.1):
        return {
            "type": "json_multi_field_match",
            "fields": [path for path in fields if fields[path] != "skip"] or ["name"],
        }
    found: Drawn = {"type": "json_multi_field_match", "fields": fields}
    if chance(0.2):
        found["both_missing"] = random.choice(["match", "not_measured"])
    if chance(0.15):
        found["transforms"] = random.choice(TRANSFORMS[:6])
    return found | common(documents)


def extras(documents: Documents, path: str) -> Drawn:
    random, chance = documents.random, documents.chance
    found: Drawn = {}
    if chance(0.4):
        found["weight"] = random.choice(WEIGHTS)
    if chance(0.3):
        found["transforms"] = random.choice(TRANSFORMS)
    if chance(0.3):
        found[random.choice(["required", "optional"])] = True
    if chance(0.15):
        found["when"] = random.choice(CONDITIONS[:3])
    if chance(0.15) and not path.endswith("]"):
        found["align"] = random.choice(["any_order", "hungarian"])
    return found


def places(shape: Shape, path: str, lists: bool = False) -> list[str]:
    """The paths of a shape; of its lists alone where only they are wanted."""
    own = [path] if path and (shape.kind == "array" or not lists) else []
    if shape.kind == "array" and shape.items is not None:
        return own + places(shape.items, f"{path or '$'}[*]", lists)
    return own + [place for key, inner in shape.keys.items() for place in places(inner, joined(path, key), lists)]


def spelled(random: Random, path: str) -> str:
    """A path in one of its spellings, or that of one item of a list."""
    if "[*]" in path and random.random() < 0.3:
        return path.replace("[*]", random.choice(["[0]", "[-1]", "[1]"]), 1)
    plain = not any(mark in path for mark in '["$')
    if plain and random.random() < 0.15:
        return f"$.{path}"
    return "/" + path.replace(".", "/") if plain and random.random() < 0.15 else path


# Whole documents


def whole(random: Random) -> Drawn:
    """`json_diff_match` with all its switches."""
    documents = Documents(random)
    shape = documents.document_shape()
    lines = []
    for _ in range(random.choice([1, 2, 2])):
        line: Drawn = {"type": "json_diff_match"}
        for option in ("extra_fields", "extra_items"):
            if documents.chance(0.5):
                line[option] = random.choice(["ignore", "penalize"])
        for option in ("compare_schema_only", "case_insensitive_keys"):
            if documents.chance(0.2):
                line[option] = True
        paths = [path for path in places(shape, "") if path.startswith(("$", *"abcdefghijklmnopqrstuvwxyz"))]
        if documents.chance(0.4) and paths:
            line["skip"] = random.sample(paths, min(len(paths), random.choice([1, 2])))
        lines.append(line | common(documents))
    return suite_of(random, lines, documents.rows(shape, ROWS))


def top_level(random: Random) -> Drawn:
    """Types that compare the keys at the top, and one that checks a JSON Schema."""
    documents = Documents(random)
    shape = documents.object_shape(0)
    lines: list[Drawn] = [
        {"type": "json_field_match"},
        {"type": "json_field_match_normalized"},
        {"type": "json_schema_valid", "schema": without_scoring(Schemas(documents).settings(shape, "x-eval")["schema"])},
        {"type": "contains_json", "require": random.choice(["any", "object", "array"])},
    ]
    chosen = random.sample(lines, 2)
    for line in chosen:
        if line["type"].startswith("json_field") and documents.chance(0.5):
            line["extra_fields"] = random.choice(["ignore", "penalize"])
        if line["type"].endswith("normalized") and documents.chance(0.6):
            switches = [
                {"whitespace": "collapse"},
                {"accents": "keep"},
                {"case": "lower"},
                {"unicode": "nfkc"},
                {"punctuation": "ignore"},
            ]
            line["normalize"] = random.choice(switches)
    lines = [line | (common(documents) if line["type"] != "json_schema_valid" else {}) for line in chosen]
    return suite_of(random, lines, documents.rows(shape, ROWS))


def without_scoring(schema: Any) -> Any:
    """A schema without the keys that say how places are compared.

    Further keys are left out as well: in which order they are complained of is not settled.
    """
    if isinstance(schema, dict):
        kept = (key for key in schema if not key.startswith("x-eval") and key != "additionalProperties")
        return {key: without_scoring(schema[key]) for key in kept}
    return [without_scoring(inner) for inner in schema] if isinstance(schema, list) else schema


# Texts


def texts(random: Random) -> Drawn:
    """Types that look at text, over replies in words."""
    words = random.sample(["Paris", "capital", "a", "is", "yes", "STRASSE", "1"], 3)
    flag = random.random() < 0.5
    lines: list[Drawn] = [
        {"type": "exact_match"},
        {"type": "regex_match", "pattern": random.choice(["[Pp]aris", r"^\d+$", r"\bis\b"]), "should_match": flag},
        {"type": "starts_with", "prefix": random.choice(["The", "par"]), "case_sensitive": flag},
        {"type": "ends_with", "suffix": random.choice(["is", "Paris."]), "case_sensitive": flag},
        {"type": "contains", "substring": random.choice(words), "case_sensitive": flag},
        {"type": "contains_all", "substrings": words},
        {"type": "contains_any", "substrings": words},
        {"type": "keywords", "keywords": words},
        {"type": "length", "min": random.choice([0, 1, 5]), "max": random.choice([5, 20, 100])},
        {"type": "similarity", "method": random.choice(["words", "characters"])},
        {"type": "levenshtein"},
        {"type": "correctness"},
        {"type": "relevance"},
        {"type": "completeness", "sections": random.choice([["Answer"], ["Answer", "Sources", "More"]])},
        {"type": "format_valid", "format": random.choice(["json", "xml", "yaml", "markdown", "csv"])},
        {"type": "contains_json"},
    ]
    rows = [
        {
            "id": f"r{number}",
            "input": random.choice(SENTENCES),
            "output": random.choice(SENTENCES),
            "group": random.choice("abc"),
        }
        for number in range(ROWS)
    ]
    for row in rows:
        row["expected"] = row["output"] if random.random() < 0.3 else random.choice([*SENTENCES, *OF_TYPE["string"]])
    return suite_of(random, random.sample(lines, 4), rows, needs=True)


# Several


def mixed(random: Random) -> Drawn:
    """Several types over odd cells: fenced, cut, repeated, no JSON at all, with composites, needs, conditions and gates."""
    drawing = Drawing(random.randrange(10**9), ROWS)
    rows = [{key: cell for key, cell in row.items() if cell is not None} for row in drawing.rows]
    return {"suite": drawing.suite, "rows": rows}


def several(random: Random) -> Drawn:
    """Listed fields, whole documents and a schema over the same documents, with needs, conditions and a composite."""
    documents = Documents(random)
    shape = documents.document_shape()
    dialect = random.choice(["x-eval", "evaluation_config", "fields"])
    lines = [
        listed_line(documents, shape),
        {"type": "json_diff_match", "extra_fields": random.choice(["ignore", "penalize"])},
        {"type": "schema_match", **Schemas(documents).settings(shape, dialect)},
    ]
    random.shuffle(lines)
    found = suite_of(random, lines, documents.rows(shape, ROWS), needs=True)
    return found | {"run": "#/$defs/part" not in json.dumps(found["suite"])}


def common(documents: Documents) -> Drawn:
    """What every type that scores JSON takes."""
    random, chance = documents.random, documents.chance
    found: Drawn = {}
    if chance(0.4):
        found["pass_at"] = random.choice([0, 0.3, 0.5, 0.8])
    if chance(0.05):
        found["parse"] = "strict"
    if chance(0.08):
        found["pick"] = random.choice(["first", "last", "largest", "only"])
    return found


def suite_of(random: Random, lines: list[Drawn], rows: list[Drawn], needs: bool = False) -> Drawn:
    """A suite of these lines, with what is around them."""
    for number, line in enumerate(lines):
        line["name"] = f"e{number}"
        if random.random() < 0.12:
            line["when"] = random.choice(CONDITIONS[3:])
        if needs and number and random.random() < 0.4:
            line["needs"] = [f"e{random.randrange(number)}"]
            if random.random() < 0.4:
                line["unmet"] = "skip"
    if needs and random.random() < 0.6:
        names = [line["name"] for line in lines]
        kind = random.choice(["weighted_mean", "weighted_mean", "all_of", "any_of", "min_of", "max_of"])
        of: Any = {name: random.choice([1, 2, 0.5]) for name in names} if kind == "weighted_mean" else names
        lines = [*lines, {"type": kind, "name": "together", "of": of}]
    suite: Drawn = {"evaluators": lines}
    settings: Drawn = {}
    if random.random() < 0.15:
        settings["unreadable_output"] = "skip"
    if random.random() < 0.15:
        settings["empty_expected"] = "value"
    if settings:
        suite["test_set"] = settings
    if random.random() < 0.2:
        suite["slices"] = ["row.group"]
    return {"suite": suite, "rows": rows}
