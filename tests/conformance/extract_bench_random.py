"""Random evaluation_config schemas, and documents that more or less fit them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

METRICS = (
    "string_exact", "string_fuzzy", "string_case_insensitive", "string_url", "number_exact", "number_tolerance",
    "integer_exact", "boolean_exact",
)  # fmt: skip
WORDS = (*METRICS, "string_semantic", "skip")
LEAVES = ("string", "number", "integer", "boolean", "null")
REFERRED = {"type": "string", "evaluation_config": "string_fuzzy"}
TEXTS = ("x", "X", "xy", "1.0", "1", "http://a.b/", "a.b", "abcde", "abcdX", "")
ANYTHING: tuple[Any, ...] = (None, "x", 1, {}, [], True, {"a": 1}, ["x"])
KEYS = ("a", "b", "c", "d")


@st.composite
def configs(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """What may stand on a schema of a kind: often nothing."""
    if draw(st.integers(0, 2)) == 0:
        return {}
    if kind == "array":
        return {"evaluation_config": draw(st.sampled_from(["array_llm", "array_llm", "string_exact", "skip"]))}
    if kind == "object":
        return {"evaluation_config": draw(st.sampled_from(["string_exact", "skip", {"aggregation_weight": 2}]))}
    if draw(st.integers(0, 3)):
        return {"evaluation_config": draw(st.sampled_from(WORDS))}
    if draw(st.integers(0, 5)) == 0:
        return {"evaluation_config": draw(st.sampled_from([{}, {"metrics": []}, {"aggregation_weight": 3}, "nope"]))}
    names = draw(st.lists(st.sampled_from(METRICS), min_size=1, max_size=2, unique=True))
    metrics: list[dict[str, Any]] = [
        {"metric_id": name, **draw(st.sampled_from([{}, {"weight": 2}, {"weight": 0.5}]))} for name in names
    ]
    if names[0] == "number_tolerance":
        metrics[0]["params"] = {"tolerance": 0.5}
    return {"evaluation_config": {"metrics": metrics, **draw(st.sampled_from([{}, {"aggregation_weight": 2}]))}}


@st.composite
def schemas(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    """A schema of at most that depth."""
    kinds = ["leaf", "leaf", "object", "object", "array", "choice", "types", "reference"]
    kind = draw(st.sampled_from(kinds)) if depth else "leaf"
    if kind == "object":
        keys = draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=3))
        found = {"type": "object", "properties": {key: draw(schemas(depth - 1)) for key in keys}}
        others = {"additionalProperties": draw(schemas(depth - 1))} if draw(st.integers(0, 5)) == 0 else {}
        return {**found, **others, **draw(configs("object"))}
    if kind == "array":
        return {"type": "array", "items": draw(schemas(depth - 1)), **draw(configs("array"))}
    if kind == "choice":
        branches = draw(st.lists(schemas(depth - 1), min_size=1, max_size=3))
        config = draw(configs("leaf")) if draw(st.booleans()) else {}
        return {draw(st.sampled_from(["anyOf", "oneOf"])): [*branches, {"type": "null"}], **config}
    if kind == "types":
        # no recorded case says what extract-bench makes of a branch whose list of types is null alone
        names = draw(
            st.lists(st.sampled_from(LEAVES), unique=True, min_size=1, max_size=3).filter(lambda one: one != ["null"])
        )
        return {"type": names, **draw(configs("leaf"))}
    if kind == "reference":
        return {"$ref": "#/$defs/text", **draw(configs("leaf"))}
    name = draw(st.sampled_from(LEAVES))
    address = {"format": "uri"} if name == "string" and draw(st.integers(0, 4)) == 0 else {}
    return {"type": name, **address, **draw(configs("leaf"))}


@st.composite
def documents(draw: st.DrawFn, schema: dict[str, Any]) -> Any:
    """A document that mostly fits a schema."""
    if draw(st.integers(0, 7)) == 0:
        return draw(st.sampled_from(ANYTHING))
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        return draw(documents(draw(st.sampled_from(branches))))
    declared = schema.get("type", "string")
    name = draw(st.sampled_from(declared)) if isinstance(declared, list) else declared
    if name == "object":
        properties = schema.get("properties", {})
        found = {key: draw(documents(inner)) for key, inner in properties.items() if draw(st.integers(0, 6))}
        return found if draw(st.integers(0, 4)) else {**found, "z": draw(st.sampled_from(ANYTHING))}
    if name == "array":
        return draw(st.lists(documents(schema.get("items", {})), max_size=3))
    values: dict[str, tuple[Any, ...]] = {
        "string": TEXTS,
        "number": (1, 1.0, 1.0005, 1.3, 2.5, 0),
        "integer": (0, 1, 2, 3),
        "boolean": (True, False),
        "null": (None,),
    }
    return draw(st.sampled_from(values[name]))
