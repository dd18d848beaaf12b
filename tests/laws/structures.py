"""Random documents and random evaluators that score structure, for the laws that all of them keep."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.model.issues import RowProblem
from evaluators.model.rows import JSON, MISSING, Result, RowStatus
from evaluators.model.settings import BadSettings, build
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator
from tests.reference.settled import settle

KEYS = st.sampled_from(["a", "b", "c", "A", "a.b"])
SCALARS: st.SearchStrategy[JSON] = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        1,
        1.0,
        2,
        1.05,
        -3.5,
        "",
        "1",
        "30",
        "Ab",
        "ab",
        "áb",
        "x y",
        "2024-01-31",
        "31/01/2024",
        "yes",
    ]
)
DOCUMENTS: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=14,
)
ITEMS = st.lists(
    st.dictionaries(st.sampled_from(["a", "b", "c"]), SCALARS | st.lists(SCALARS, max_size=2), max_size=3), max_size=4
)
OBJECTS: st.SearchStrategy[Any] = st.dictionaries(KEYS, DOCUMENTS | ITEMS, max_size=4)

PLAIN_PATHS = ["a", "b", "a.b", "a.b.c", "b.a", "$.a.b", "/a/0", "a[-1]", "a[0].b", "a.1", '["a.b"]', "c"]
ITEM_PATHS = ["a[*]", "a[*].a", "a[*].b", "a[*].b[*]", "a[*].b[*].c", "b[*].a", "a.b[*].c", "$[*].a"]
QUERIES = ["$..a", "$.a[0:2]", "$.a[?(@.b == 1)].a", "$['a','b']", "$.b[::2].a"]
TWO_SIDED: list[Any] = [
    "exact",
    "numeric",
    {"numeric": {"tolerance": {"abs": 0.1}}},
    {"normalized": {"case": "ignore", "accents": "ignore"}},
    "fuzzy",
    {"fuzzy": {"partial": True, "at_least": 0.5}},
    {"one_of": {"values": ["ab", 1]}},
    "boolean",
    {"numeric": {"parse": True}},
    {"boolean": {"words": {"true": ["yes", 1], "false": ["Ab", 0]}}},
    {"date": {"formats": ["YYYY-MM-DD", "DD/MM/YYYY"]}},
]
ONE_SIDED: list[Any] = [{"regex": {"pattern": "^[a-z]+$"}}]
TRANSFORMS: list[Any] = ["strip", "lowercase", {"type_convert": {"to": "float"}}, {"round_digits": {"digits": 1}}]
ALIGNMENTS: list[Any] = ["ordered", "any_order", "hungarian", {"key_field": {"key": "a"}}]
CONDITIONS: list[Any] = [{"expected.b": 1}, {"output.a": {"present": True}}, {"expected.a[*].a": [1, "ab"]}]


@st.composite
def listed_fields(
    draw: st.DrawFn, aligned: bool = True, two_sided: bool = True, queries: bool = True, required: bool = True
) -> dict[str, Any]:
    """A `fields:` block: a few paths, each with a comparator and some of its neighbours."""
    comparators = TWO_SIDED if two_sided else TWO_SIDED + ONE_SIDED
    fields: dict[str, Any] = {}
    paths = PLAIN_PATHS + ITEM_PATHS + (QUERIES if queries else [])
    for path in draw(st.lists(st.sampled_from(paths), min_size=1, max_size=5, unique=True)):
        line: dict[str, Any] = {"compare": draw(st.sampled_from(comparators))}
        if draw(st.booleans()):
            line["weight"] = draw(st.sampled_from([0, 0.5, 2, 3]))
        if draw(st.integers(0, 4)) == 0:
            line["transforms"] = draw(st.lists(st.sampled_from(TRANSFORMS), min_size=1, max_size=2))
        if required and draw(st.integers(0, 4)) == 0:
            line["required"] = True
        if draw(st.integers(0, 6)) == 0:
            line["when"] = draw(st.sampled_from(CONDITIONS))
        if aligned and not path.endswith("[*]") and draw(st.integers(0, 2)) == 0:
            line["align"] = draw(st.sampled_from(ALIGNMENTS))
        fields[path] = line
    if aligned and draw(st.booleans()) and "a" not in fields:
        fields["a"] = {"align": draw(st.sampled_from(ALIGNMENTS))}
    return fields


def evaluator(kind: str, settings: dict[str, Any]) -> Evaluator:
    return build(BUILTIN.find(kind), settings)


@st.composite
def field_lists(draw: st.DrawFn, /, **options: bool) -> Evaluator:
    """`json_multi_field_match` with random fields."""
    both_missing = draw(st.sampled_from(["not_measured", "match"]))
    while True:
        try:
            return evaluator(
                "json_multi_field_match", {"fields": draw(listed_fields(**options)), "both_missing": both_missing}
            )
        except BadSettings:  # two spellings of one place were drawn
            continue


@st.composite
def whole_documents(draw: st.DrawFn) -> Evaluator:
    """The types that compare whole documents, with all their options."""
    extra = draw(st.sampled_from(["ignore", "penalize"]))
    kind = draw(
        st.sampled_from(["json_diff_match", "json_diff_match", "json_field_match", "json_field_match_normalized"])
    )
    if kind != "json_diff_match":
        return evaluator(kind, {"extra_fields": extra})
    skip = draw(st.lists(st.sampled_from(["a", "b.c", "a[*].b", "a.b", "c"]), max_size=2, unique=True))
    return evaluator(
        kind,
        {
            "extra_fields": extra,
            "extra_items": draw(st.sampled_from([None, "ignore", "penalize"])),
            "compare_schema_only": draw(st.booleans()),
            "case_insensitive_keys": draw(st.booleans()),
            "skip": skip,
        },
    )


def evaluators(**options: bool) -> st.SearchStrategy[Evaluator]:
    """Any evaluator that scores two documents against each other."""
    return field_lists(**options) | whole_documents()


@st.composite
def changed(draw: st.DrawFn, document: Any) -> Any:
    """A document that differs from another in some places: the rows that matter are almost right."""
    kind = draw(st.integers(0, 7))
    if kind == 0:
        return draw(SCALARS)
    if isinstance(document, dict) and document:
        found = {key: value for key, value in document.items() if draw(st.integers(0, 6))}
        for key in draw(st.lists(st.sampled_from(sorted(found)), max_size=2)) if found else ():
            found[key] = draw(changed(found[key]))
        return {**found, "z": 1} if kind == 1 else found
    if isinstance(document, list) and document:
        found_items = [item for item in document if draw(st.integers(0, 6))]
        if found_items:
            at = draw(st.integers(0, len(found_items) - 1))
            found_items[at] = draw(changed(found_items[at]))
        return draw(st.permutations(found_items)) if kind == 1 else found_items
    return document


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    """An expected document and an output: independent, equal, or almost equal."""
    expected = draw(OBJECTS | ITEMS)
    kind = draw(st.integers(0, 4))
    if kind == 0:
        return expected, draw(OBJECTS | ITEMS)
    return expected, expected if kind == 1 else draw(changed(expected))


@st.composite
def shuffled(draw: st.DrawFn, document: Any) -> Any:
    """The same document, its keys in another order at every depth."""
    if isinstance(document, dict):
        keys = draw(st.permutations(sorted(document)))
        return {key: draw(shuffled(document[key])) for key in keys}
    return [draw(shuffled(item)) for item in document] if isinstance(document, list) else document


@st.composite
def with_more(draw: st.DrawFn, output: Any, expected: Any, value: Any) -> Any:
    """The output with a key that the expected side lacks, or with one more item, somewhere."""
    if isinstance(output, dict):
        inner: list[str] = [key for key in output if isinstance(output[key], (dict, list))]
        there = expected if isinstance(expected, dict) else {}
        if bool(inner) and draw(st.booleans()):
            key = draw(st.sampled_from(sorted(inner)))
            return {**output, key: draw(with_more(output[key], there.get(key), value))}
        key = draw(st.sampled_from(["zz", "z.z"]))
        return {**output, key: value}
    if isinstance(output, list) and isinstance(expected, list) and len(output) >= len(expected):
        return [*output, value]
    return output


@st.composite
def spoiled(draw: st.DrawFn, document: Any) -> Any:
    """A document with one value dropped or replaced by garbage."""
    if isinstance(document, (dict, list)) and document and draw(st.integers(0, 3)):
        steps: list[Any] = sorted(document) if isinstance(document, dict) else list(range(len(document)))
        step = draw(st.sampled_from(steps))
        found = copy.copy(document)
        if draw(st.booleans()):
            del found[step]
        else:
            found[step] = draw(spoiled(document[step]))
        return found
    return draw(st.sampled_from([None, "garbage", {}, [], 17]))


def verdict(one: Evaluator, expected: Any, output: Any) -> Result:
    """The fast verdict. A problem of the row is a verdict without a score."""
    try:
        return one.compile()(expected, output)
    except RowProblem as error:
        return unmeasured(error)


def explained(one: Evaluator, expected: Any, output: Any) -> Result:
    """The verdict that the explanation stands for."""
    try:
        return counted(one, settle(one, one.explain(expected, output)))
    except RowProblem as error:
        return unmeasured(error)


def counted(one: Evaluator, found: Result) -> Result:
    """The verdict of an explanation; a document without a leaf counts nothing, four times."""
    open_tree = not one.scored_fields().names
    return replace(found, counts=found.counts or (0, 0, 0, 0)) if open_tree else found


def unmeasured(error: RowProblem) -> Result:
    return Result(RowStatus.of(error.issue.blame), None, 0, 0, issue=error.issue)


def without_output(one: Evaluator, *values: Any) -> Result:
    """The verdict of a row whose output cannot be read. `values` are those of its needs."""
    check, unreadable = one.compile(), one.unreadable()
    if unreadable.lost is None:
        return unreadable.result
    expected, _, *cells = values
    return unreadable.lost(check(expected, MISSING, *cells))
