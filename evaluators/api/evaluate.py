"""`evaluate` and `evaluate_pair`: rows of a program and a suite, or a schema, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeAlias, Unpack

from evaluators.api.loading import load
from evaluators.api.run_object import Run
from evaluators.api.run_options import RunOptions, is_test_set, refuse_unknown
from evaluators.api.suite import Rows, Suite
from evaluators.model.issues import problem
from evaluators.model.rows import Result
from evaluators.scoring.fields.inference.schema import infer_schema
from evaluators.scoring.needs import Role
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.testsets.given_rows import columns_of_lists

SuiteLike: TypeAlias = Suite | str | Path | Mapping[str, Any]

_OWN: Final = ("suite", "schema", "fields", "expected", "outputs", "columns")
_OLD_WORDS: Final = ("gold", "extracted", "predicted")
_OLD_CALL: Final = (
    "evaluate(rows, suite) takes rows and a suite; for evaluate(expected, outputs, schema) write\n"
    "    from evaluators.integrations.compat.struct_extract_eval import evaluate\n"
    "or evaluate(expected=…, outputs=…, schema=…)"
)
_SUITE_KEYS: Final = frozenset(("evaluators", "extends"))


def evaluate(
    rows: Rows | None = None,
    /,
    suite: SuiteLike | None = None,
    *others: Any,
    schema: Any = None,
    fields: Any = None,
    expected: Iterable[Any] | None = None,
    outputs: Iterable[Any] | None = None,
    columns: Mapping[Role, str] | None = None,
    **options: Unpack[RunOptions],
) -> Run:
    """Score rows by a suite.

    `rows` is a DataFrame, a list of dicts, an Arrow table, the name of a file, or the settings of a test set; `expected` and
    `outputs` may take its place, two sequences that go together one by one. A suite alone runs over its own test set. In place of
    a suite, `schema` is a JSON Schema, the name of a file, `infer` or a class of pydantic, and `fields` are those of `schema_match`.
    `columns` says which columns play which role, as `{"output": "answer"}`, and the options are those of `Suite.run`.

    Raises Problems when nothing can be run, and TypeError for a call that it does not have.
    """
    _refuse_old_calls(rows, suite, others, options)
    refuse_unknown(options, "evaluate", _OWN)
    sides = expected is not None or outputs is not None
    if suite is None and schema is None and fields is None:
        if not _is_suite(rows):
            hint = 'evaluate(rows, "suite.yaml"), evaluate(rows, schema=…) or evaluate(rows, fields=[…])'
            raise problem("no-suite", "there is nothing that says how the rows are scored", hint=hint)
        rows, suite = None, rows
    if sides:
        if rows is not None:
            raise TypeError("evaluate() takes rows, or expected= and outputs=, not both")
        rows = columns_of_lists(expected, outputs)
    loaded = _suite_of(suite, schema, fields)
    if columns:
        settings = options.get("test_set_settings") or {}
        options["test_set_settings"] = {**settings, "columns": {**(settings.get("columns") or {}), **columns}}
    return loaded.run(rows, **options)


def evaluate_pair(expected: Any, output: Any, *, schema: Any = None, fields: Any = None) -> Result:
    """Compare one output with what is expected: the fields, each with its reason, and the score.

    Without a schema and fields, the fields are those of the expected document; each is compared exactly, and keys that only the
    output has are extra. Raises Problems where the expected side is no JSON, or the schema is none.
    """
    pair = {"expected": expected, "output": output}
    if isinstance(expected, str):
        with suppress(NotJSON):
            pair["expected"] = parse(expected)
    if schema is None and fields is None:
        type_ = "json_diff_match" if isinstance(pair["expected"], dict | list) else "exact_match"
        settings = {"extra_fields": "penalize", "extra_items": "penalize"} if type_ == "json_diff_match" else {}
        return load({"evaluators": [{type_: {"name": "pair", **settings}}]}).evaluate(pair)["pair"]
    if isinstance(schema, str) and schema == "infer":
        schema = infer_schema([pair["expected"]])
    return _suite_of(None, schema, fields).evaluate(pair)["fields"]


def _refuse_old_calls(rows: Any, suite: Any, others: tuple[Any, ...], options: Mapping[str, Any]) -> None:
    """Raises TypeError for a call as struct-extract-eval has it, with the line to write, and for a `suite` that is none."""
    listed = isinstance(rows, list | tuple) and isinstance(suite, list | tuple)
    if others or listed or any(name in options for name in _OLD_WORDS):
        raise TypeError(_OLD_CALL)
    if suite is not None and not isinstance(suite, Suite | str | Path | Mapping):
        swapped = isinstance(rows, Suite) or (isinstance(rows, str | Path) and _is_suite(rows))
        hint = "; the rows come first: evaluate(rows, suite)" if swapped else ""
        raise TypeError(f"a suite is a file, a dict or a Suite; found {type(suite).__name__}{hint}")


def _is_suite(value: Any) -> bool:
    """Whether a value is a suite: a Suite, a path that ends in .yaml, .yml or "preset", or a map that has keys of a suite and is no
    test set."""
    if isinstance(value, Mapping):
        return not is_test_set(value) and bool(value.keys() & {*_SUITE_KEYS, "fields"})
    return isinstance(value, Suite) or (
        isinstance(value, str | Path) and str(value).lower().endswith((".yaml", ".yml", "preset"))
    )


def _suite_of(suite: SuiteLike | None, schema: Any, fields: Any) -> Suite:
    """The suite that is given, or one made of a schema, or of fields: an evaluator `schema_match` called "fields". Settings of
    `schema_match` may take the place of a suite or a schema. Raises TypeError where several are given, and Problems for what is wrong with
    them."""
    if sum(argument is not None for argument in (suite, schema, fields)) > 1:
        raise TypeError("evaluate() takes a suite, or schema=, or fields=: one of them")
    if isinstance(suite, Suite):
        return suite
    if suite is not None and not (isinstance(suite, Mapping) and "fields" in suite and not suite.keys() & _SUITE_KEYS):
        return load(suite)
    if isinstance(suite, Mapping):
        settings = dict(suite)  # those of `schema_match`
    elif fields is not None:
        settings = {"fields": fields}
    elif callable(made := getattr(schema, "model_json_schema", None)):  # a class of pydantic
        settings = {"schema": made()}
    elif isinstance(schema, Mapping) and "fields" in schema and not schema.keys() & {"type", "properties"}:
        settings = dict(schema)  # those of `schema_match`, and no schema
    else:
        plain = dict(schema) if isinstance(schema, Mapping) else str(schema) if isinstance(schema, Path) else schema
        settings = {"schema": plain}
    return load({"name": "fields", "evaluators": [{"schema_match": {"name": "fields", **settings}}]})
