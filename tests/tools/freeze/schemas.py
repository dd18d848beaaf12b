"""Random `schema_match` evaluators: one shape written in both dialects and as `fields:`, in several ways."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

from tests.tools.freeze.documents import Documents, Shape

COMPARATORS: Final[dict[str, list[Any]]] = {
    "string": [
        "exact", "exact", "normalized", {"normalized": {"case": "ignore", "accents": "ignore", "whitespace": "trim"}},
        "fuzzy", {"fuzzy": {"at_least": 0.5, "partial": True}}, {"fuzzy": {"partial": True}}, {"date": {"formats": ["iso", "DD.MM.YYYY"]}},
        {"numeric": {"parse": {"thousands": ","}, "tolerance": {"abs": 0.5}}}, {"one_of": {"values": ["x", "n/a"]}},
        {"one_of": {"groups": [["x", "X"], ["true", "12"]]}}, {"regex": {"pattern": "^[a-z]+$"}}, "url",
        {"boolean": {"words": {"true": ["true", "x"], "false": ["no"]}}},
    ],
    "number": ["exact", "numeric", "numeric", {"numeric": {"tolerance": {"abs": 0.05}}}, {"numeric": {"tolerance": {"rel": 0.01}}}],
    "integer": ["exact", "numeric", {"numeric": {"tolerance": {"abs": 1}}}, {"one_of": {"values": [0, 1]}}],
    "boolean": ["exact", "boolean"],
    "null": ["exact"],
}  # fmt: skip
PRESETS: Final[dict[str, list[Any]]] = {
    "string": ["string_exact", "string_case_insensitive", "string_fuzzy", "string_url", "normalized",
               {"metrics": [{"metric_id": "string_fuzzy", "params": {"threshold": 0.5}}]}],
    "number": ["number_exact", "number_tolerance", {"metrics": [{"metric_id": "number_tolerance", "params": {"tolerance": 0.05}}]}],
    "integer": ["integer_exact", "number_tolerance"],
    "boolean": ["boolean_exact"],
    "null": ["exact"],
}  # fmt: skip
TRANSFORMS: Final[list[Any]] = [
    ["strip"], ["lowercase"], ["strip", "casefold"], ["normalize_whitespace", "sort_tokens"], ["strip_accents"],
    ["remove_punctuation"], [{"round_digits": {"digits": 1}}], [{"type_convert": {"to": "float"}}], [{"type_convert": {"to": "str"}}],
    [{"regex_replace": {"pattern": "[aA]", "with": "b"}}],
]  # fmt: skip
ALIGNS: Final[list[Any]] = [
    "ordered", "any_order", "hungarian", "hungarian", {"hungarian": {"at_least": 0.5}}, {"key_field": {"key": "id"}},
    {"key_field": {"key": ["a", "name"]}}, {"key_field": {"key": "name", "transforms": ["lowercase"], "keyless": "apart"}},
]  # fmt: skip
WEIGHTS: Final = (0, 0.5, 2, 3, 0.1)
SCORES: Final = ("f1", "precision", "recall", "mean_score", "overall_score", "field_score", "overall_pass_rate")
RECURSIVE: Final = "#/$defs/part"


class Schemas:
    """Writes a shape as the settings of a `schema_match`."""

    def __init__(self, documents: Documents) -> None:
        self.documents, self.random, self.chance = documents, documents.random, documents.chance
        self.referred: dict[str, Any] = {}

    def settings(self, shape: Shape, dialect: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if dialect == "fields":
            found["fields"] = self.fields(shape)
            if self.chance(0.1):
                found["transforms"] = self.random.choice(TRANSFORMS[:5])
        else:
            self.referred = {}
            schema = (self.x_eval_body if dialect == "x-eval" else self.config_body)(shape)
            if self.referred:
                schema = {**schema, "$defs": self.referred}
            found |= {"schema": schema, "dialect": dialect}
            if dialect == "evaluation_config" or self.chance(0.1):
                found["fallback"] = {"semantic": "fuzzy", "string_semantic": self.random.choice(["fuzzy", "exact"])}
        if self.chance(0.25):
            found["score"] = self.random.choice(SCORES)
        if self.chance(0.35):
            found["extra_items"] = self.random.choice(["ignore", "penalize"])
        if self.chance(0.12):
            found["nulls"] = "absent"
        elif self.chance(0.1):
            found["absent_values"] = [None, "", "n/a"]
        if self.chance(0.12):
            words = ["reclassify_nulls", "propagate_batch_errors"]
            found["post_process"] = self.random.choice([words[:1], words[1:], words])
        if self.chance(0.1):
            found["defaults"] = {
                "string": self.random.choice(["normalized", {"fuzzy": {"partial": True}}]),
                "number": "exact",
            }
        if self.chance(0.3):
            found["pass_at"] = self.random.choice([0.3, 0.5, 0.8])
        return found

    # x-eval

    def x_eval(self, shape: Shape) -> dict[str, Any]:
        found = self.x_eval_body(shape)
        if self.chance(0.04):
            found["x-eval-skip"] = True
        return self.shared(found)

    def shared(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Some places are written once, under a name."""
        if self.chance(0.05) and "$ref" not in schema:
            name = f"d{len(self.referred)}"
            self.referred[name] = schema
            return {"$ref": f"#/$defs/{name}"}
        return schema

    def x_eval_body(self, shape: Shape) -> dict[str, Any]:
        match shape.kind:
            case "object":
                found: dict[str, Any] = {
                    "type": "object",
                    "properties": {key: self.x_eval(inner) for key, inner in shape.keys.items()},
                }
                plain = [key for key, inner in shape.keys.items() if inner.kind == "leaf"]
                if len(plain) > 1 and self.chance(0.15):
                    how = self.random.choice(["exact", "normalized", {"fuzzy": {"at_least": 0.5, "partial": True}}])
                    found["x-eval-compare"] = {"compound": {"fields": plain[:2], "compare": how}}
                elif self.chance(0.04):
                    found["x-eval-compare"] = "exact"
                return self.further(found, shape, self.x_eval)
            case "array":
                assert shape.items is not None
                found = {"type": "array", "items": self.x_eval(shape.items)}
                if self.chance(0.06):
                    return found | {"x-eval-compare": "exact"}
                if self.chance(0.75):
                    found["x-eval-align"] = self.x_eval_align(shape.items)
                return found
            case "choice":
                return {self.random.choice(["anyOf", "oneOf"]): [self.x_eval(branch) for branch in shape.branches]}
            case "recursive":
                align = self.random.choice([{"match_by": "ordered"}, {"match_by": "key_field", "key": "name"}])
                parts = {"type": "array", "items": {"$ref": RECURSIVE}, "x-eval-align": align}
                below: dict[str, Any] = self.random.choice([{"parts": parts}, {"next": {"$ref": RECURSIVE}}])
                keys = {"name": {"type": "string"}, **below}
                self.referred.setdefault("part", {"type": "object", "properties": keys})
                return {"$ref": RECURSIVE}
            case "anything":
                return self.random.choice(
                    [{"type": "object"}, {"type": "array"}, {"type": ["string", "object", "array", "null"]}]
                )
        found = self.leaf(shape)
        if self.chance(0.75):
            found["x-eval-compare"] = self.random.choice(COMPARATORS[shape.types[0]])
        if self.chance(0.12):
            found["x-eval-transform"] = self.random.choice(TRANSFORMS)
        return found

    def x_eval_align(self, items: Shape) -> dict[str, Any]:
        drawn = self.align(items)
        if isinstance(drawn, str):
            return {"match_by": drawn}
        ((how, options),) = drawn.items()
        if how == "hungarian":
            return {"match_by": how, "threshold": options["at_least"]}
        return {"match_by": how, **options}

    def align(self, items: Shape) -> Any:
        """How items are paired; by a key only where they are objects, and mostly by one that they have."""
        drawn = deepcopy(self.random.choice(ALIGNS if items.kind == "object" else ALIGNS[:5]))
        plain = [key for key, inner in items.keys.items() if inner.kind == "leaf"]
        if isinstance(drawn, dict) and "key_field" in drawn and plain:
            drawn["key_field"]["key"] = plain[0] if len(plain) == 1 or self.chance(0.6) else plain[:2]
        elif isinstance(drawn, dict) and "key_field" in drawn:
            return "hungarian"
        return drawn

    def further(self, found: dict[str, Any], shape: Shape, write: Any) -> dict[str, Any]:
        if shape.required:
            found["required"] = [*shape.required]
        if shape.others is not None:
            found["additionalProperties"] = write(shape.others) if isinstance(shape.others, Shape) else shape.others
        return found

    def leaf(self, shape: Shape) -> dict[str, Any]:
        types: Any = shape.types[0] if len(shape.types) == 1 else [*shape.types]
        found: dict[str, Any] = {"type": types}
        if len(shape.types) == 2 and self.chance(0.3):
            found = {"anyOf": [{"type": one} for one in shape.types]}
        elif shape.types[1:] == ("null",) and self.chance(0.3):
            found = {"type": shape.types[0], "nullable": True}
        if shape.words and self.chance(0.7):
            found["enum"] = [*shape.words, *([None] if "null" in shape.types else [])]
        return found

    # evaluation_config

    def config(self, shape: Shape) -> dict[str, Any]:
        found = self.config_body(shape)
        if self.chance(0.03):
            found["evaluation_config"] = "skip"
        return self.shared(found)

    def config_body(self, shape: Shape) -> dict[str, Any]:
        match shape.kind:
            case "object":
                found: dict[str, Any] = {"type": "object"}
                found["properties"] = {key: self.config(inner) for key, inner in shape.keys.items()}
                if self.chance(0.1):
                    found["evaluation_config"] = {"aggregation_weight": self.random.choice([2, 0.5])}
                return self.further(found, shape, self.config)
            case "array":
                assert shape.items is not None
                found = {"type": "array", "items": self.config(shape.items)}
                if self.chance(0.1):
                    found["evaluation_config"] = {"aggregation_weight": self.random.choice([2, 0.5])}
                return found
            case "choice":
                return {self.random.choice(["anyOf", "oneOf"]): [self.config(branch) for branch in shape.branches]}
            case "recursive":
                name = {"type": "string", "evaluation_config": "string_exact"}
                self.referred.setdefault(
                    "part", {"type": "object", "properties": {"name": name, "next": {"$ref": RECURSIVE}}}
                )
                return {"$ref": RECURSIVE}
            case "anything":
                return self.random.choice([{}, {"type": "object"}, {"type": "array"}])
        found = self.leaf(shape)
        if self.chance(0.8):
            found["evaluation_config"] = self.metrics(shape)
        return found

    def metrics(self, shape: Shape) -> Any:
        presets = PRESETS[shape.types[0]]
        if self.chance(0.7):
            return deepcopy(self.random.choice(presets))
        words = [one for one in presets if isinstance(one, str)]
        chosen = self.random.sample(words, min(len(words), self.random.choice([1, 2])))
        metrics = [{"metric_id": word, "weight": self.random.choice([1, 0.5, 3])} for word in chosen]
        return {"metrics": metrics, "aggregation_weight": self.random.choice([1, 2, 0.25])}

    # fields:

    def fields(self, shape: Shape) -> dict[str, Any]:
        """Lines of `fields:`; at least one of them compares something."""
        found = dict(self.lines(shape, ""))
        return found if any(line != "skip" and "align" not in line for line in found.values()) else {"name": "exact"}

    def lines(self, shape: Shape, path: str) -> list[tuple[str, Any]]:
        match shape.kind:
            case "object" if path and self.chance(0.08):
                return [(path, self.random.choice(["exact", "skip"]))]
            case "object":
                below = [line for key, inner in shape.keys.items() for line in self.lines(inner, joined(path, key))]
                plain = [key for key, inner in shape.keys.items() if inner.kind == "leaf"]
                if path and len(plain) > 1 and self.chance(0.15):
                    how = self.random.choice(["exact", {"normalized": {"case": "ignore"}}])
                    compound = {"compound": {"fields": plain[:2], "compare": how}}
                    kept = [line for line in below if line[0] not in {joined(path, key) for key in plain[:2]}]
                    return [(path, compound), *kept]
                return below
            case "array":
                assert shape.items is not None
                aligned = [(path or "$", {"align": self.align(shape.items)})] if self.chance(0.6) else []
                return aligned + self.lines(shape.items, f"{path or '$'}[*]")
            case "choice":
                return self.lines(shape.branches[0], path)
            case "recursive" if self.chance(0.6):
                return [(joined(path, "name"), "exact"), (joined(path, "parts[*].name"), "exact")]
            case "leaf":
                return [(path or "$", self.line(shape))]
        return [(path or "$", "exact")]

    def line(self, shape: Shape) -> Any:
        if self.chance(0.05):
            return "skip"
        compare = deepcopy(self.random.choice(COMPARATORS[shape.types[0]]))
        if self.chance(0.5):
            return compare
        found: dict[str, Any] = {"compare": compare}
        if self.chance(0.5):
            found["weight"] = self.random.choice(WEIGHTS)
        if self.chance(0.3):
            found["transforms"] = self.random.choice(TRANSFORMS)
        if self.chance(0.4):
            found[self.random.choice(["required", "optional"])] = True
        return found


def joined(path: str, key: str) -> str:
    """A path with one more key, with dots where the key can be written so."""
    if key.isascii() and key.replace("[*].", "").isidentifier():
        return f"{path}.{key}" if path else key
    return f'{path}["{key}"]'
