"""`schema_match`: every field of two JSON documents, scored as a schema says, with precision, recall and F1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from msgspec.structs import replace
from pydantic import AliasChoices, BeforeValidator, Field, PrivateAttr, ValidationInfo, model_validator

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.registry import suggestion
from evaluators.model.rows import JSON, MISSING
from evaluators.model.settings import BadSettings, Detail, ReadBy, bad, spell
from evaluators.scoring.evaluators._evaluator import (
    Asking,
    Column,
    Evaluator,
    Example,
    Expected,
    FromColumn,
    Needs,
    Output,
    SchemaInference,
    ScoredFields,
    TreeEvaluator,
)
from evaluators.scoring.evaluators._phrases import columns_named_by
from evaluators.scoring.evaluators._schema_files import parse_schema, read_file
from evaluators.scoring.evaluators._texts import ExpectedColumn
from evaluators.scoring.fields.inference.schema import infer_schema
from evaluators.scoring.fields.key_spelling import KeySpelling
from evaluators.scoring.fields.lines import FieldLine
from evaluators.scoring.fields.listed import read_listed, tree_of_lines
from evaluators.scoring.fields.metrics import read_defaults, read_fallbacks, unasked_notes
from evaluators.scoring.fields.named_comparators import add_note
from evaluators.scoring.fields.post_process import (
    Nulls,
    Processor,
    absent_values_of,
    null_processors,
    read_post_process,
    with_field_options,
)
from evaluators.scoring.fields.reading import read_transforms
from evaluators.scoring.fields.references import pointer
from evaluators.scoring.fields.reshaping import reshapings_of
from evaluators.scoring.fields.row_metrics import METRICS
from evaluators.scoring.fields.schema_check import ColumnCheck, SchemaCheck
from evaluators.scoring.fields.schema_scoring import Dialect, SchemaScoring, ScoreName, read_schema
from evaluators.scoring.fields.tree import FieldNode, nodes
from evaluators.scoring.needs import from_column, text_in, unusable_cell
from evaluators.scoring.values.transforms import Transform

INFER: Final = "infer"
_FILE: Final = "schema_file"


def _read_schema_setting(value: object, info: ValidationInfo) -> object:
    """The setting `schema`: that of a file, a map, a column, the word `infer`, or None. Raises BadSettings for any other value."""
    if value is None or value == INFER or isinstance(value, FromColumn):
        return value
    if isinstance(value, str):
        return _schema_of_file(value, info.context if isinstance(info.context, dict) else {})
    if not isinstance(value, Mapping):
        raise bad(f'"schema" must be a map, a file, a column, or the word infer; found {spell(value)}')
    if isinstance(value.get("column"), str) and len(value) == 1:
        return from_column(value, splits=False)
    return dict(value)


def _schema_of_file(name: str, context: dict[str, Any]) -> dict[str, Any]:
    """The schema in a file. Writes the name of the file into the context, for messages. Raises BadSettings."""
    context[_FILE] = name
    try:
        return _check_map(read_file(name, context), name)
    except BadSettings as error:
        if "." not in name and (hint := suggestion(name, (INFER,))):
            raise BadSettings(replace(detail, hint=hint) for detail in error.details) from error
        raise


def _place_in_file(name: str, detail: Detail) -> Detail:
    """A problem of the schema in the file `name`, whose message says where in the file; its own place is the line that names the file."""
    return replace(detail, key=False, message=f"{name} at {pointer(detail.loc)}: {detail.message}")


def _check_map(schema: object, name: str) -> dict[str, Any]:
    """The schema, where it is a map. Raises BadSettings for any other; `name` is the file."""
    if not isinstance(schema, dict):
        raise bad(f'the schema "{name}" must be a map; found {spell(schema)}')
    return schema


def _read_lines(data: object, context: Mapping[str, Any]) -> tuple[FieldLine, ...]:
    """The lines of `fields:`, read with the `fallback` beside it. Raises BadSettings, also where they make no tree."""
    written = context.get("settings", {})
    which = {**context, "fallback": written.get("fallback")}
    return read_listed(data, which)


def _read_score(value: object) -> object:
    """The setting `score`, as it is. Raises BadSettings for `pass_rate`, which is no metric of a row."""
    if value == "pass_rate":
        raise bad(
            "pass_rate is the share of rows that pass, and no metric of a row", hint="write score: overall_pass_rate"
        )
    return value


ReadSchema: TypeAlias = Annotated[
    dict[str, Any] | FromColumn | Literal["infer"],
    BeforeValidator(_read_schema_setting, json_schema_input_type=dict[str, Any] | str | FromColumn),
]


class SchemaMatch(TreeEvaluator):
    """Score every field of the output as a schema says, and tell which field is wrong and how.

    Each field is right, wrong, missing (only the expected side has it) or extra (only the output has it). From these
    come precision (how much of what the model wrote is right), recall (how much of what was expected is there) and F1, for
    each field, each row and the run. Use it for extraction: many fields, lists of items, documents of one shape. For a few
    chosen fields see `json_multi_field_match`.

    The schema is a JSON Schema with `x-eval-…` keys or with `evaluation_config`, in the suite, in a file, or in a column.
    Without a JSON Schema, list `fields` instead; `schema: infer` makes one from the expected answers. Text is
    compared to the letter and lists keep their order, unless the schema or the field says otherwise. Null is a value;
    missing is something else, unless `nulls: absent`. Keys that only the output has are extra.

    The overall score and the field score do not see what is extra: extract-bench defines them so. The summary says
    so where there were such items, and `extra_items: penalize` counts them.
    """

    unnamed = "json_schema"
    type: Literal["schema_match"] = "schema_match"
    defaults: Annotated[Mapping[str, Any], ReadBy(lambda data, context: read_defaults(data, context), "any")] = Field(
        default_factory=dict
    )
    """What compares a field of a JSON type that names no comparator: `{string: fuzzy}`. `multi` is the type of several. For
    `array` it may be an alignment: `{array: hungarian}`."""
    fallback: Annotated[Mapping[str, Any], ReadBy(lambda data, context: read_fallbacks(data, context), "any")] = Field(
        default_factory=dict
    )
    """What stands in for a comparator that needs a judge: `{semantic: fuzzy, array_llm: hungarian}`."""
    json_schema: Annotated[ReadSchema | None, Field(validation_alias=AliasChoices("schema", "json_schema"))] = None
    """The schema: a map, the name of a JSON or YAML file, a column, or the word `infer`."""
    fields: Annotated[tuple[FieldLine, ...] | None, ReadBy(_read_lines, "fields")] = None
    """The fields to compare, in place of a schema: a list of paths, or a map from each path to its comparator."""
    transforms: Annotated[tuple[Transform, ...], ReadBy(lambda data, _: read_transforms(data), "transforms")] = ()
    """With `fields`: what is done to both values of every field before they are compared, left to right."""
    dialect: Dialect = "auto"
    """How the schema says what to compare: with `x-eval-…` keys, or with `evaluation_config`. `auto` looks."""
    row_score: Annotated[
        ScoreName | None,
        BeforeValidator(_read_score, ScoreName),
        Field(validation_alias="score"),
    ] = None
    """Which metric is the row's score. F1 without it, or the overall score for `evaluation_config`."""
    extra_items: Literal["ignore", "penalize"] = "ignore"
    """Whether items of lists that only the output has lower the overall score, the field score and the overall pass rate, which
    otherwise do not see them. Precision, F1 and the mean score always do."""
    nulls: Literal["value", "absent"] = "value"
    """Whether null is a value like any other, or says that nothing is there."""
    absent_values: tuple[Any, ...] | None = None
    """Values that say that nothing is there, such as `["", [], "n/a"]`, beside null where `nulls: absent` says so. They do so at every
    place, lists and objects too, on both sides, and while items are paired."""
    keys: KeySpelling | None = None
    """Which spellings of the output's keys stand for those of the schema, or of the expected document: `{style: any}` takes
    `invoiceNumber` for `invoice_number`. Without it, keys are compared to the letter. A key that could stand for two, or has a
    rival, stays as it is, and the row's reason and the summary say so."""
    post_process: Annotated[tuple[Any, ...], ReadBy(lambda data, _: read_post_process(data), "any")] = ()
    """What is done to the results of a row before they are counted: `reclassify_nulls`, `propagate_batch_errors`."""
    expected: ExpectedColumn = None
    """The column that holds the expected JSON, when it is not the test set's expected column."""

    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "two of three fields are right",
            output='{"method": "sputtering", "temperature": 301, "lab_id": "A1"}',
            expected='{"method": "sputtering", "temperature": 300, "lab_id": "A1"}',
            settings={"fields": ["method", "temperature", "lab_id"]},
            score=2 / 3,
        ),
        Example(
            "a schema that forgives a little",
            output='{"name": "acme", "total": 10.004}',
            expected='{"name": "ACME", "total": 10}',
            settings={
                "schema": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "x-eval-compare": "exact", "x-eval-transform": ["lowercase"]},
                        "total": {"type": "number", "x-eval-compare": {"numeric": {"tolerance": {"abs": 0.01}}}},
                    },
                }
            },
        ),
        Example(
            "an extra key lowers precision",
            output='{"name": "Ann", "age": 30}',
            expected='{"name": "Ann"}',
            settings={"fields": ["name"]},
            score=2 / 3,
        ),
        Example(
            "items in another order",
            output='{"items": [{"sku": "B", "qty": 1}, {"sku": "A", "qty": 2}]}',
            expected='{"items": [{"sku": "A", "qty": 2}, {"sku": "B", "qty": 1}]}',
            settings={"fields": {"items": {"align": "hungarian"}, "items[*].sku": "exact", "items[*].qty": "numeric"}},
        ),
        Example(
            "eight of ten items: the overall score weighs the items",
            output='{"name": "Ann", "age": 30, "items": [1, 2, 3, 4, 5, 6, 7, 8]}',
            expected='{"name": "Ann", "age": 30, "items": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}',
            settings={
                "schema": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "evaluation_config": "string_exact"},
                        "age": {"type": "integer"},
                        "items": {"type": "array", "items": {"type": "integer"}},
                    },
                }
            },
            score=10 / 12,
            source="ExtractBench, Overall Score and Field Result",
        ),
    )

    _scoring: SchemaScoring | None = PrivateAttr(default=None)
    _context: Mapping[str, Any] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _set_scoring(self, info: ValidationInfo) -> SchemaMatch:
        """Keeps the context of the suite, and the scoring of documents, made from the fields or the schema; gives the settings back. For a
        schema that is inferred, or stands in a cell, the scoring is made later.

        Raises BadSettings.
        """
        self._context = {
            **(info.context or {}), "defaults": self.defaults, "fallback": self.fallback
        }  # fmt: skip
        if (self.json_schema is None) is (self.fields is None):
            which = "neither" if self.fields is None else "both"
            hint = "write schema: FILE, or fields: [name, total]" if self.fields is None else "keep one of them"
            raise bad(f'schema_match needs "schema" or "fields"; found {which}', hint=hint)
        if self.json_schema == INFER and self.dialect == "evaluation_config":
            hint = "leave dialect out, or write the schema down: evaluators infer-schema"
            raise bad("a schema that is inferred says how to compare in the words of x-eval", "dialect", hint=hint)
        if self.fields is not None:
            self._scoring = self._make_scoring(tree_of_lines(self.fields, self.transforms), "x-eval")
        elif isinstance(self.json_schema, dict):
            self._scoring = self._scoring_of(self.json_schema, self.dialect)
        return self

    @cached_property
    def _scorings_by_text(self) -> dict[str, SchemaScoring]:
        """The scorings of schemas that stand in cells, which `scoring` keeps by the text of the cell."""
        return {}

    def _scoring_of(self, schema: dict[str, Any], dialect: Dialect) -> SchemaScoring:
        """The scoring of documents by a schema; adds the notes on it to the suite. Raises BadSettings, with places in the file of the
        schema where it has one."""
        try:
            schema_root = read_schema(schema, dialect, self._context)
        except BadSettings as error:
            file = self._context.get(_FILE)
            details = error.details if file is None else [_place_in_file(file, detail) for detail in error.details]
            raise BadSettings(detail.under("schema") for detail in details) from error
        for note in schema_root.notes:
            add_note(self._context, f"{self.type}: {note}")
        return self._make_scoring(schema_root.root, schema_root.dialect, schema_root.nulls)

    def _make_scoring(
        self, root: FieldNode, dialect: Literal["x-eval", "evaluation_config"], nulls: Nulls = "value"
    ) -> SchemaScoring:
        """The scoring of documents by a tree of fields; adds notes on it to the suite. `nulls` is what the schema says of null values."""
        for note in unasked_notes(root, "fields" if self.fields is not None else dialect):
            add_note(self._context, f"{self.type}: {note}")
        score: ScoreName = self.row_score or ("overall_score" if dialect == "evaluation_config" else "f1")
        processors = self._processors(nulls)
        units = [node for node in nodes(root) if node.unit] if self.fields else []
        demanded = frozenset(node.name for node in units if node.needed_in_output)
        required = frozenset(node.name for node in units if node.required)
        processors = with_field_options(processors, demanded, required)
        reshapings = reshapings_of(self.fields or (), self.transforms)
        surplus_counts = self.extra_items == "penalize"
        return SchemaScoring(root, score, self.pass_at, processors, surplus_counts, self.keys, reshapings)

    def _processors(self, nulls: Nulls = "value") -> tuple[Processor, ...]:
        """The post-processors of results: those of the suite, or else those that the schema asks for by `nulls`."""
        own_nulls = self.nulls if "nulls" in self.model_fields_set else nulls
        return (*null_processors(own_nulls, self.absent_values), *self.post_process)

    def with_settings(self, **settings: Any) -> Self:
        """A copy with other settings, whose scoring is made anew."""
        copy = super().with_settings(**settings)
        if copy.fields is not None:
            copy._scoring = copy._make_scoring(tree_of_lines(copy.fields, copy.transforms), "x-eval")
        elif isinstance(copy.json_schema, dict):
            copy._scoring = copy._scoring_of(copy.json_schema, copy.dialect)
        return copy

    def scoring(self, cells: tuple[Any, ...] = ()) -> SchemaScoring:
        """The scoring of a row: that of the suite, or one made from the schema in the first of its `cells`, which is kept by the text of
        the cell. Raises RowProblem for a cell that cannot be used, and for a schema that is still to be inferred."""
        if self._scoring is not None:
            return self._scoring
        if not isinstance(self.json_schema, FromColumn):
            message = "the schema is inferred from a test set, and there is none here"
            raise RowProblem(
                Issue("no-test-set", Blame.CONFIG, message, hint="write the schema down: evaluators infer-schema")
            )
        text = text_in(self.json_schema, cells[0] if cells else MISSING)
        scoring = self._scorings_by_text.get(text)
        if scoring is None:
            try:
                scoring = self._scoring_of(_check_map(parse_schema(text), "in the cell"), self.dialect)
            except BadSettings as error:
                raise unusable_cell(self.json_schema, *_problem_text(error)) from error
            if scoring.answer_columns:
                message = f'a schema in a cell cannot name another column; found "{scoring.answer_columns[0]}"'
                raise unusable_cell(self.json_schema, message, "write the schema in the suite, or in a file")
            self._scorings_by_text[text] = scoring
        return scoring

    def needs(self) -> Needs:
        """The expected document, the output, the column of the schema where one holds it, and those of further right answers.

        The output may be of any kind where a transform changes the whole document.
        """
        expected = Expected(self.column("expected"))
        of_any_kind = self._scoring is not None and self._scoring.reshapings.at_the_top
        output = Output(self.column("output"), "any" if of_any_kind else "like_expected", beside=expected)
        answers = () if self._scoring is None else self._scoring.answer_columns
        return expected, output, *columns_named_by(self.json_schema), *(Column(name, literal=True) for name in answers)

    def scored_fields(self) -> ScoredFields:
        """The fields that reports and gates know: those of the schema, or those of the settings if a column holds it."""
        known = self._scoring
        optional = frozenset(line.name for line in self.fields or () if line.optional or line.skip)
        by_row = ScoredFields(
            metrics=METRICS, lines=self.fields, optional=optional, extra_items_count=self.extra_items == "penalize",
            keyed_lists=lambda: known.keyed_lists if known else (),
            null_unsaid=not (self.model_fields_set & {"nulls", "absent_values", "post_process"} or (known and known.processors)),
            by_schema=True, absent_values=tuple((known.absent if known else absent_values_of(self._processors())).values),
        )  # fmt: skip
        if known is None:
            return by_row
        named, keys = tuple(name for name in known.fields if name not in optional), known.root.first_keys()
        return replace(
            by_row, places=known.row_fields, tree=known, top_keys=keys if self.keys is None else self.keys.usual_spellings(keys),
            awaited=() if self.fields is None else named, declared=known.fields if self.fields is None else (), fallbacks=known.fallbacks,
        )  # fmt: skip

    def schema_inference(self) -> SchemaInference | None:
        """The expected documents, from which the schema is inferred; None where the schema is known."""
        if self.json_schema != INFER or self._scoring is not None:
            return None
        return SchemaInference(self.column("expected"), self._infer, self._with_schema)

    def _infer(self, documents: Sequence[JSON]) -> Mapping[str, Any]:
        """The schema that the expected documents fit. Raises BadSettings where there are none."""
        if not documents:
            raise bad(
                "there is no expected answer to infer a schema from",
                hint="fill in the expected answers, or name their column",
            )
        return infer_schema(documents, self.defaults)

    def _with_schema(self, schema: Mapping[str, Any]) -> Evaluator:
        """A copy that scores by an inferred schema."""
        copy = self.model_copy()
        copy._context = self._context
        copy._scoring = copy._scoring_of(dict(schema), "x-eval")  # the dialect of what is inferred
        return copy

    def asking(self) -> Asking | None:
        """An empty `Asking` where comparators may have questions that cost: the check asks them itself. None where the schema has none."""
        return Asking() if self._scoring is None or self._scoring.costs else None

    def check(self) -> SchemaCheck | ColumnCheck:
        """The check that scores rows by the schema, or by the one in the cell of each row."""
        return (
            SchemaCheck(self._scoring) if self._scoring is not None else ColumnCheck(lambda *cells: self.scoring(cells))
        )


def _problem_text(error: BadSettings) -> tuple[str, str | None]:
    """(message, hint): all that is wrong with a schema and where, and the hint of the first problem, or None."""
    parts = []
    for detail in error.details:
        place = detail.loc[1:]
        parts.append(f"{detail.message} (at {pointer(place)} of the schema)" if place else detail.message)
    return "; ".join(parts), error.details[0].hint
