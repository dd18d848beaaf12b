"""`evaluate`: rows that a program gives, scored by a schema, with the machinery of a run.

The schema and its settings become a `schema_match`; the rows become a test set that nobody has to write to a file.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeAlias, TypedDict, TypeVar, Unpack, cast

from evaluators.api.suite import Suite
from evaluators.integrations.compat.evaluation import DocumentEvaluation, Evaluation
from evaluators.model.issues import Blame, CellError, Issue, Problems, problem
from evaluators.model.settings import BadSettings, build, read_each, spell, under
from evaluators.scoring.comparators._comparator import Comparator
from evaluators.scoring.comparators._functions import comparator_of
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.fields import schema_keywords
from evaluators.scoring.fields.named_comparators import read_comparator
from evaluators.scoring.fields.post_process import Nulls, Processor
from evaluators.scoring.fields.schema_scoring import Dialect
from evaluators.scoring.judges.judge import Judge, read_judge
from evaluators.scoring.needs import Column, expected_document
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.suites.config import SuiteConfig
from evaluators.suites.source import from_data
from evaluators.testsets.columns import Columns
from evaluators.testsets.given_rows import columns_of_lists
from evaluators.testsets.memory_rows import refuse_python_values

Schema: TypeAlias = Mapping[str, Any] | str | Path
PostProcess: TypeAlias = Sequence[str | Mapping[str, Any] | Processor]
Comparators: TypeAlias = Mapping[str, str | Mapping[str, Any] | Callable[..., Any]]
Found = TypeVar("Found", bound=Evaluation)
Function = TypeVar("Function", bound=Callable[..., Any])

NAME = "schema_match"
_ADDRESS: Final = re.compile(" at 0x[0-9a-f]+")
ROLES: Final[Mapping[str, str]] = {"id": "id", "output": "output", "expected": "expected"}
"""What the columns of the rows are called, by role."""
COLUMNS: Final = Columns(id="id", output="output", expected="expected")


def in_dialect(usual: schema_keywords.Dialect, function: Function) -> Function:
    """A function that scores documents, for the users of one system: a schema that uses neither dialect is read in theirs."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        return function(*arguments, **{"usual_dialect": usual, **named})

    return cast(Function, call)


def _in_other_words(**words: str) -> Callable[[Function], Function]:
    """A decorator that renames arguments from the names of struct-extract-eval and extract-bench: `words` has for each of these the name
    that the function itself has."""

    def wrap(function: Function) -> Function:
        """The function, called with the other names or with its own."""

        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            return function(*arguments, **{words.get(name, name): value for name, value in named.items()})

        return cast(Function, call)

    return wrap


class Scoring(TypedDict, total=False):
    """The settings of `schema_match` that a program may give, your own comparators and who is asked, by name."""

    dialect: Dialect
    usual_dialect: schema_keywords.Dialect
    """That of a schema which uses neither: x-eval, unless it says otherwise."""
    defaults: Mapping[str, Any] | None
    fallback: Mapping[str, Any] | None
    nulls: Nulls | None
    absent_values: Sequence[Any] | None
    post_process: PostProcess | Processor | str
    comparators: Comparators | None
    judge: str | Mapping[str, Any] | None


@_in_other_words(gold="expected", extracted="outputs", predicted="outputs")
def evaluate(
    expected: Iterable[Any],
    outputs: Iterable[Any],
    schema: Schema,
    *,
    ids: Iterable[str | int] | None = None,
    id_field: str | None = None,
    **settings: Unpack[Scoring],
) -> Evaluation:
    """Score outputs against expected documents by a schema.

    `expected` and `outputs` go together one by one. Each is a JSON value or a text: an expected text is JSON, and the JSON
    of an output may stand in prose or in a code block. `schema` is a JSON Schema of either dialect, the name of a file,
    or the word `infer`. Rows are called by `ids`, by what the expected documents have at `id_field`, or from 0 up.
    `comparators` are names of your own for comparators with their options, or for functions. `judge` is written as in a
    suite; its relative paths start in the working folder. The other settings are those of `schema_match`; without `nulls`,
    null is a value, and values in its place are warned of. Raises Problems with everything that is wrong with the schema
    or the settings.
    """
    columns = columns_of_lists(_document_list("expected", expected), _document_list("outputs", outputs))
    if ids is not None and id_field is not None:
        raise problem("two-ids", 'rows are called by "ids" or by "id_field", not by both', hint="give one of them")
    if id_field is not None:
        names = _ids_in(columns["expected"], id_field)
    else:
        names = list(range(len(columns["expected"])) if ids is None else ids)
    if len(names) != len(columns["expected"]):
        message = f"there are {len(names)} ids and {len(columns['expected'])} rows; every row has one id"
        raise problem("unequal-lengths", message)
    return _run_evaluator(Evaluation, _row_columns(names, **columns), *_evaluator_line(schema, settings))


@_in_other_words(gold="expected", extracted="output", predicted="output")
def evaluate_document(
    schema: Schema, expected: Any, output: Any, *, id: str | int = 0, **settings: Unpack[Scoring]
) -> DocumentEvaluation:
    """Score one output against one expected document. `results[path][metric]` has every metric at every place.

    The settings are those of `evaluate`.
    """
    return _run_evaluator(
        DocumentEvaluation, _row_columns([id], [expected], [output]), *_evaluator_line(schema, settings)
    )


@_in_other_words(gold="expected", extracted="outputs", predicted="outputs")
async def evaluate_async(expected: Iterable[Any], outputs: Iterable[Any], schema: Schema, **settings: Any) -> Evaluation:
    """`evaluate`, for use inside a running event loop."""
    return await asyncio.to_thread(evaluate, expected, outputs, schema, **settings)


@_in_other_words(gold="expected", extracted="output", predicted="output")
async def evaluate_document_async(schema: Schema, expected: Any, output: Any, **settings: Any) -> DocumentEvaluation:
    """`evaluate_document`, for use inside a running event loop."""
    return await asyncio.to_thread(evaluate_document, schema, expected, output, **settings)


def _run_evaluator(
    kind: type[Found], columns: Mapping[str, Sequence[Any]], line: EvaluatorLine, notes: Sequence[str]
) -> Found:
    """Runs a suite that has this evaluator alone over the rows in `columns`. `notes` are those on its schema, and `kind` is the
    class of the evaluation that comes back."""
    # a function stands at another address in each process
    settings = _ADDRESS.sub("", repr(line.settings.model_dump())).encode("utf-8", "backslashreplace")
    description = f"{NAME} as a program has set it: sha256:{hashlib.sha256(settings).hexdigest()}"
    source = from_data({"name": "evaluation", "description": description})
    suite = Suite(SuiteConfig(source, "evaluation", (line,), notes=tuple(notes)))
    run = suite.run(columns, test_set_settings={"columns": ROLES}, engine="in_process", evidence="all", documents="all")
    return kind(run, columns["id"], tuple(notes))


def _document_list(name: str, documents: Iterable[Any]) -> list[Any]:
    """The documents as a list. Raises Problems for a single document, which also has parts to go through; `name` is the
    argument that messages name."""
    if isinstance(documents, Mapping | str | bytes) or not isinstance(documents, Iterable):
        message = f'"{name}" must be a list of documents; found {spell(documents)}'
        raise problem("not-a-list", message, hint="evaluate_document scores one document")
    return list(documents)


def _row_columns(ids: Sequence[Any], expected: Sequence[Any], output: Sequence[Any]) -> Mapping[str, Sequence[Any]]:
    """The columns of the rows; a document that is None becomes the JSON text of null, as it would else be an empty cell. Raises Problems
    (config) for documents with values that JSON does not have."""
    for number, (wanted, actual) in enumerate(zip(expected, output, strict=True), 1):
        refuse_python_values(f"expected document {number}", wanted)
        refuse_python_values(f"output {number}", actual)
    return {"id": ids, "output": [*map(_null_as_json, output)], "expected": [*map(_null_as_json, expected)]}


def _null_as_json(document: Any) -> Any:
    """The document; None becomes the JSON text of null, as None would be an empty cell."""
    return "null" if document is None else document


def _ids_in(expected: Sequence[Any], id_field: str) -> list[Any]:
    """The ids that the `expected` documents have at the key `id_field`. Raises Problems (testset) with every document that has no text or
    whole number there, or is no JSON."""
    ids: list[Any] = []
    issues: list[Issue] = []
    for number, cell in enumerate(expected):
        document = expected_document(cell)
        id = document.get(id_field) if isinstance(document, dict) else None
        if isinstance(id, bool) or not isinstance(id, str | int):
            text = f'there is no text or whole number at "{id_field}"'
            if isinstance(document, CellError):
                text = "it is not JSON"
            message = f"expected document {number + 1}: {text}"
            issues.append(Issue("no-id", Blame.TESTSET, message, hint="give ids instead"))
        ids.append(id)
    if issues:
        raise Problems(issues)
    return ids


def _evaluator_line(schema: Schema, settings: Scoring) -> tuple[EvaluatorLine, list[str]]:
    """The evaluator, and notes on its schema. A setting that is None or `()` counts as not given. Raises Problems with every bad setting,
    and for a schema that reads a column; TypeError for a setting that there is not."""
    for name in settings.keys() - Scoring.__annotations__.keys():
        raise TypeError(f'there is no argument "{name}"; known: {", ".join(Scoring.__annotations__)}')
    notes: list[str] = []
    passed_settings: dict[str, Any] = {
        name: value for name, value in settings.items() if value is not None and value != ()
    }
    comparators, judge = passed_settings.pop("comparators", {}), passed_settings.pop("judge", None)
    usual = passed_settings.pop("usual_dialect", "x-eval")
    try:
        judge_setting = read_judge(judge, Path()) if judge is not None else None
        if judge_setting is not None:
            judge_setting.ready()
        context = {
            "comparators": _read_comparators(comparators, judge_setting),
            "judge": judge_setting,
            "notes": notes,
            "usual_dialect": usual,
        }
        plain = str(schema) if isinstance(schema, Path) else schema
        evaluator = build(BUILTIN.find(NAME), {**passed_settings, "schema": plain}, context, noun=f'evaluator "{NAME}"')
    except BadSettings as error:
        raise Problems(
            Issue(detail.code, Blame.CONFIG, detail.message, ".".join(map(str, detail.loc)) or None, detail.hint)
            for detail in error.details
        ) from error
    read = [need.name for need in evaluator.needs() if isinstance(need, Column)]
    if read:
        message = f'the schema reads the column "{read[0]}", and documents have no columns'
        hint = "write answers: expected, or run a suite over rows"
        raise Problems([Issue("no-such-column", Blame.CONFIG, message, hint=hint)])
    return EvaluatorLine(NAME, evaluator), notes


def _read_comparators(named: Comparators, judge: Judge | None) -> dict[str, tuple[Comparator, str]]:
    """The caller's own comparators, as a suite's. Raises BadSettings with every one that cannot be used."""

    def read_named(name: str, body: str | Mapping[str, Any] | Callable[..., Any]) -> tuple[Comparator | None, str]:
        """One comparator, None for a body that leaves the field out, and the rule by which people know it."""
        if callable(body):
            return comparator_of(name, body)(), name
        return read_comparator(body, {"comparators": {}, "judge": judge})

    with under("comparators"):
        readings = read_each(named.items(), read_named)
    return {name: (chosen, rule) for name, (chosen, rule) in zip(named, readings, strict=True) if chosen is not None}
