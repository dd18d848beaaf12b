"""Our answers to the cases of struct-extract-eval, worked out from what a function was given: one way for each function."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from tests.conformance import x_eval_read
from tests.conformance.cases import Answer, Case
from tests.conformance.x_eval_evaluated import alike, evaluated, exact, finite


def worked_out(case: Case) -> Answer | None:
    """What is given back; None for other functions, comparators and transforms, and for a schema that is refused."""
    given = case.settings
    params = given.get("params") or {}
    match case.evaluator:
        case "evaluate":
            return evaluated(case)
        case "compare" | "compare_grid" if given["comparator"] in ("exact", "numeric"):
            limits = (params.get("tolerance") or {}) if given["comparator"] == "numeric" else {}
            if case.evaluator == "compare":
                return Answer(value=alike(given["gold"], given["extracted"], limits))
            return Answer(value=[[alike(one, other, limits) for other in given["values"]] for one in given["values"]])
        case "transform" if given["name"] in ("round_digits", "type_convert"):
            return _changed(given["name"], given["value"], params)
    try:
        return _read(case, given)
    except x_eval_read.RefusedError:
        return Answer(blame="config")


def _read(case: Case, given: Mapping[str, Any]) -> Answer | None:
    """A schema, a tree, or what is wrong with expected documents. Raises RefusedError."""
    defaults = dict(case.line.get("type_defaults", ()))
    match case.evaluator:
        case "infer_schema":
            return Answer(value=x_eval_read.inferred(given["values"]))
        case "infer_annotate":
            return Answer(value=x_eval_read.annotated(x_eval_read.inferred(given["values"]), defaults))
        case "annotate_xeval":
            return Answer(value=x_eval_read.annotated(given["schema"], defaults))
        case "resolve_schema_references":
            return Answer(value=x_eval_read.resolved(given["schema"]))
        case "resolve_annotate_parse":
            return Answer(value=x_eval_read.tree(x_eval_read.annotated(x_eval_read.resolved(given["schema"]), defaults)))
        case "parse_eval_schema":
            return Answer(value=x_eval_read.tree(given["schema"]))
        case "validate_gold":
            found = x_eval_read.checked(given["gold"], given["schema"], given.get("options") or {})
            return Answer(blame="testset") if found is None else Answer(value=found)
    return None


def _changed(name: str, value: Any, params: Mapping[str, Any]) -> Answer | None:
    """The rounded number; text as JSON writes it; or the number that a text is. What cannot be changed is the output's."""
    refused = Answer(blame="output")
    if name == "round_digits":
        return Answer(value=float(round(exact(value), params["digits"]))) if finite(value) else refused
    if params.get("to") in ("int", "float") and not finite(value):
        try:
            number = float(value) if isinstance(value, str) else None
        except ValueError:
            number = None
        return None if number is not None and isfinite(number) else refused
    return refused if isinstance(value, list | dict) else None
