"""Recorded cases of struct-extract-eval: what a function was given and what it returned, and what ours returns.

What a function returns is compared as plain data. The results of an evaluation become, row by row, a sorted list of
[path, status, score, expected, actual] with precision, recall and F1 beside it; an item that only the output has is
`[+]` in a path, since the two systems number such items differently.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import Any, Final

from evaluators.integrations.compat.struct_extract_eval import evaluate, infer_schema
from evaluators.model.issues import Problems, RowProblem
from evaluators.model.rows import MISSING, FieldStatus, Outcome
from evaluators.model.settings import BadSettings
from evaluators.scoring.fields.expected_check import ExpectedProblems, validate_gold
from evaluators.scoring.fields.named_comparators import choose
from evaluators.scoring.fields.post_process import BothAbsent, Processor, propagate_batch_errors, reclassify_nulls
from evaluators.scoring.fields.references import resolve_schema_references
from evaluators.scoring.fields.rules import Partial, explain_rule
from evaluators.scoring.fields.schema_scoring import SCORES
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.fields.type_defaults import annotate_xeval, reset_type_defaults, set_type_default
from evaluators.scoring.fields.xeval import parse_eval_schema
from evaluators.scoring.values.path_text import ANY
from evaluators.scoring.values.quoting import kind
from evaluators.scoring.values.transforms import TRANSFORMS, TransformError, parse_transform
from tests.conformance.cases import Answer, Case
from tests.conformance.x_eval_custom import can_register, registered, with_compounds
from tests.conformance.x_eval_read import LEVELS
from tests.scoring.fields.alone import score_document
from tests.scoring.fields.figures import figures_of

SYSTEM: Final = "struct_extract_eval"
MISSING_KEY: Final = "schema-field-missing-in-gold"
WRONG_KIND: Final = "another kind than the schema says"
OF_SCHEMAS: Final = re.compile("^(exact-on|numeric-on|key-field|unknown-x-eval|resolve|align)")
"""Warnings that are about the schema and not about a document."""
RESULT: Final = ("path", "status", "score", "gold_value", "extracted_value")


def plain(value: Any) -> Any:
    """A recorded value, with the numbers that JSON cannot write."""
    if isinstance(value, dict):
        return float(value["$float"]) if set(value) == {"$float"} else {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


# What was recorded


def read(line: dict[str, Any]) -> Case:
    """One line as a case: the function is its evaluator, what it was given are its settings."""
    given = plain(line["args"] if "args" in line else {key: line.get(key) for key in EVALUATE})
    return Case(line["case"], SYSTEM, _function(line), given, {}, _recorded(line), line)


def _function(line: Mapping[str, Any]) -> str:
    """The function, or why an evaluation stopped before it began."""
    if line["fn"] == "evaluate" and len(line["gold"]) != len(line["extracted"]):
        return "evaluate_lists_of_two_lengths"
    missing = line["fn"] == "evaluate" and line.get("error", {}).get("type") == "KeyError" and line.get("id_field")
    return "evaluate_without_ids" if missing else str(line["fn"])


EVALUATE: Final = ("schema", "gold", "extracted", "id_field", "post_process", "register")


def _recorded(line: dict[str, Any]) -> Answer:
    if "error" in line:
        error = line["error"]
        blame = "config"
        if line["fn"] == "validate_gold" and error["type"] == "GoldValidationError":
            return Answer(blame="testset", value=error["path"], why=error["type"])
        if _there(line) or (line["fn"] == "evaluate" and error["type"] not in ("SchemaError", "ValueError")):
            blame = "output"
        if line.get("post_process") == "returns_none":
            blame = "config"
        if _function(line) == "evaluate_without_ids":
            blame = "testset"
        entries = line.get("register") or ()
        if error["type"] != "SchemaError" and any(entry.get("rule") == "raise" for entry in entries):
            blame = "bug"
        if not can_register(entries):
            blame = "config"
        return Answer(blame=blame, value=_place(error) if "path" in error else None, why=error["type"])
    told = plain(line["expected"])
    match line["fn"]:
        case "evaluate":
            return Answer(value=_recorded_run(told))
        case "validate_gold":
            return Answer(value=sorted(_warning(name) for _, name in line.get("log", ()) if not OF_SCHEMAS.search(name)))
        case "transform":
            return Answer(value=told["value"])
        case "compare":
            return Answer(value=told["score"])
        case "parse_eval_schema" | "resolve_annotate_parse":
            return Answer(value=_without_words(told))
    return Answer(value=told)


def _there(line: Mapping[str, Any]) -> bool:
    """Whether a line calls a transform that there is."""
    return line["fn"] == "transform" and str(line["args"]["name"]) in TRANSFORMS


def _warning(name: str) -> str:
    return MISSING_KEY if name == MISSING_KEY else WRONG_KIND


def _place(error: Mapping[str, Any]) -> str:
    return str(error["path"])


def _recorded_run(told: Mapping[str, Any]) -> Any:
    rows = [
        _row(
            [[_neutral(found["path"]), *(found[key] for key in RESULT[1:])] for found in record["field_results"]],
            [record[name] for name in SCORES[:3]],
        )
        for record in told["records"]
    ]
    return {"rows": rows, "means": [told[f"mean_{name}"] for name in SCORES[:3]]}


def _row(results: list[list[Any]], figures: list[Any]) -> dict[str, Any]:
    return {"results": sorted(results, key=repr), "figures": figures}


def _neutral(path: str) -> str:
    return re.sub(r"\[-\d+\]", "[+]", path)


# What ours says


def answer(case: Case) -> Answer:
    """Our answer to a case."""
    try:
        with _type_defaults(case.line.get("type_defaults", ())):
            return FUNCTIONS[case.evaluator](case)
    except ExpectedProblems as problems:
        places = [as_theirs(one.field.replace("[*]", "[]")) for one in problems.findings if one.level == "error"]
        return Answer(blame="testset", value=places)
    except Problems as problems:
        return Answer(blame=problems.issues[0].blame.value, value=_places(problems), why=str(problems))
    except BadSettings as error:
        return Answer(blame="config", why=str(error))
    except (TransformError, RowProblem) as error:
        return Answer(blame="output", why=str(error))
    except (LookupError, ValueError, TypeError, AttributeError, AssertionError, RecursionError) as error:
        return Answer(blame="bug", why=repr(error))  # agrees with nothing, and the other cases are still looked at


@contextmanager
def _type_defaults(chosen: Sequence[Sequence[Any]]) -> Iterator[None]:
    try:
        for json_type, comparator in chosen:
            set_type_default(json_type, comparator)
        yield
    finally:
        reset_type_defaults()


def _places(problems: Problems) -> list[str]:
    """Where the problems stand, as the other system spells places of a schema."""
    return [_schema_place((issue.where or "").removeprefix("schema #")) for issue in problems.issues]


def _schema_place(pointer: str) -> str:
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    place, at = "", 0
    while at < len(steps):
        if steps[at] == "properties" and at + 1 < len(steps):
            place += ("." if place else "") + steps[at + 1]
            at += 2
        elif steps[at] == "items":
            place, at = place + "[]", at + 1
        else:
            break
    return place


def _infer(case: Case) -> Answer:
    return Answer(value=infer_schema(case.settings["values"]))


def _annotate(schema: Any) -> Any:
    return annotate_xeval(plain(schema))


def _set_default(case: Case) -> Answer:
    set_type_default(case.settings["type"], case.settings["comparator"])
    return Answer()


def _validate(case: Case) -> Answer:
    given = case.settings
    findings = validate_gold(given["gold"], given["schema"], **given.get("options") or {})
    names = {"key-missing": MISSING_KEY, "wrong-type": WRONG_KIND}
    return Answer(value=sorted(names[one.code] for one in findings))


def _tree(schema: Any) -> Answer:
    return Answer(value=tree_of(parse_eval_schema(plain(schema))))


def tree_of(node: FieldNode, levels: int = LEVELS) -> dict[str, Any]:
    """A tree as the other system prints one, without the words for options."""
    types = sorted(node.shape.types)
    told: dict[str, Any] = {
        "path": _schema_path(node.path),
        "type": types[0] if len(types) == 1 else "multi" if types else "null",
    }
    if node.metrics:
        told["comparator"] = node.metrics[0].name
    if node.transforms:
        told["transforms"] = [transform.name for transform in node.transforms]
    if node.skip:
        told["skip"] = True
    if node.align.how != "ordered":
        told["align"] = node.align.how
    below = node.below
    inside = [*below.keys.values(), *([below.items] if below.items else []), *below.branches]
    if inside and levels:
        told["children"] = [tree_of(one, levels - 1) for one in inside]
    return told


def _schema_path(path: Sequence[Any]) -> str:
    text = ""
    for step in path:
        text += "[]" if step is ANY else ("." if text else "") + str(step)
    return text


def _without_words(told: Mapping[str, Any]) -> dict[str, Any]:
    known = {key: told[key] for key in ("path", "type", "skip") if key in told}
    if "comparator" in told:
        known["comparator"] = {"oneof": "one_of"}.get(told["comparator"], told["comparator"])
    if told.get("transforms"):
        known["transforms"] = [name for name, _ in told["transforms"]]
    align = told.get("align") or {}
    if align.get("match_by") and not align.get("ordered"):
        known["align"] = align["match_by"]
    if told.get("children"):
        known["children"] = [_without_words(child) for child in told["children"]]
    return known


def _compare(case: Case) -> Answer:
    given = case.settings
    return Answer(value=_compared(given["comparator"], given.get("params") or {}, given["gold"], given["extracted"]))


def _grid(case: Case) -> Answer:
    given = case.settings
    values, params = given["values"], given.get("params") or {}
    return Answer(value=[[_compared(given["comparator"], params, one, other) for other in values] for one in values])


def _compared(name: str, params: Mapping[str, Any], expected: Any, actual: Any) -> float:
    comparator = choose({name: params}, {}).comparator
    assert comparator is not None
    judged = explain_rule(comparator, (), expected, actual).judged
    return judged.num / judged.den if isinstance(judged, Partial) else float(judged is FieldStatus.MATCH)


def _transform(case: Case) -> Answer:
    given = case.settings
    transform = parse_transform({given["name"]: given.get("params") or {}})
    return Answer(value=transform.apply(given["value"]))


# Evaluation


def _evaluate(case: Case) -> Answer:
    given = case.settings
    entries = given.get("register") or ()
    with registered(entries):
        root = parse_eval_schema(with_compounds(given["schema"], entries))
        wanted = given["post_process"] or ()
        processors = [_nothing] if wanted == "returns_none" else [_processor(one) for one in wanted]
        pairs = zip(given["gold"], given["extracted"], strict=True)
        scored = [score_document(root, expected, output, processors) for expected, output in pairs]
    rows = [_row([_told(result) for result in one.fields], _figures(figures_of(one)[:3])) for one in scored]
    return Answer(value={"rows": rows, "means": means(rows)})


def _refused_lists(case: Case) -> Answer:
    """What our function of the same name says of lists that it cannot score."""
    given = case.settings
    with registered(given.get("register") or ()):
        evaluate(given["gold"], given["extracted"], given["schema"], dialect="x-eval", id_field=given["id_field"])
    return Answer()


def means(rows: Sequence[Mapping[str, Any]]) -> list[float | None]:
    """The mean of each figure over the rows that have it."""
    columns = [[row["figures"][at] for row in rows if row["figures"][at] is not None] for at in range(3)]
    return [math.fsum(column) / len(column) if column else None for column in columns]


def _nothing(results: list[Outcome]) -> Any:
    return None


def _processor(entry: Any) -> Processor:
    ((name, options),) = entry.items()
    if name == "propagate_batch_errors":
        return propagate_batch_errors
    if name == "drop_paths":
        return partial(_dropped, paths=options)
    both: BothAbsent = "skip" if options.get("both_absent_skip", True) else "match"
    return partial(reclassify_nulls, absent_values=tuple(options.get("absent_values", (None,))), both_absent=both)


def _dropped(results: Sequence[Outcome], paths: Sequence[str]) -> list[Outcome]:
    return [result for result in results if as_theirs(result.path) not in paths]


def _told(result: Outcome) -> list[Any]:
    sides = [None if side is MISSING else side for side in (result.expected, result.actual)]
    return [
        as_theirs(result.path),
        "error" if result.status == "error" else result.status.word,
        result.score or 0.0,
        *sides,
    ]


def as_theirs(path: str) -> str:
    """A path as the other system spells it: keys as they are, whatever is in them."""
    path = re.sub(r'\[("(?:[^"\\]|\\.)*")\]', lambda found: "." + str(json.loads(found[1])), path)
    path = re.sub(r"\[\+\d+\]", "[+]", path)
    return "" if path == "$" else path.removeprefix(".")


def _figures(figures: Sequence[tuple[int, int]]) -> list[float | None]:
    return [float(Fraction(num, den)) if den else None for num, den in figures]


FUNCTIONS: Final[Mapping[str, Callable[[Case], Answer]]] = {
    "infer_schema": _infer,
    "infer_annotate": lambda case: Answer(value=_annotate(infer_schema(case.settings["values"]))),
    "annotate_xeval": lambda case: Answer(value=_annotate(case.settings["schema"])),
    "resolve_schema_references": lambda case: Answer(value=resolve_schema_references(case.settings["schema"])),
    "resolve_annotate_parse": lambda case: _tree(annotate_xeval(resolve_schema_references(case.settings["schema"]))),
    "parse_eval_schema": lambda case: _tree(case.settings["schema"]),
    "set_type_default": _set_default,
    "validate_gold": _validate,
    "compare": _compare,
    "compare_grid": _grid,
    "transform": _transform,
    "evaluate": _evaluate,
    "evaluate_lists_of_two_lengths": _refused_lists,
    "evaluate_without_ids": _refused_lists,
}


# Whether they agree


def agrees(recorded: Answer, ours: Answer) -> bool:
    """Our answer says what was recorded. An error agrees when it has the same blame and names the place among others."""
    if recorded.blame is not None or ours.blame is not None:
        placed = recorded.value is None or recorded.value in (ours.value or ())
        return recorded.blame == ours.blame and placed
    return alike(recorded.value, ours.value)


def alike(left: Any, right: Any) -> bool:
    """The same data; numbers within rounding."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(alike(value, right[key]) for key, value in left.items())
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(alike, left, right))
    if kind(left) == kind(right) == "a number":
        both_nan = left != left and right != right
        return bool(both_nan or left == right or abs(left - right) <= 1e-9 * max(1.0, abs(left), abs(right)))
    return kind(left) == kind(right) and bool(left == right)
