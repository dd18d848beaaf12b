"""`json_schema_valid`: the output's JSON fits a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AliasChoices, BeforeValidator, Field, StrictBool, ValidationInfo, model_validator

from evaluators.model.settings import BadSettings, spell, under
from evaluators.scoring.evaluators._evaluator import Evaluator, Example, FromColumn, Needs, Output, Reason
from evaluators.scoring.evaluators._phrases import columns_named_by
from evaluators.scoring.evaluators._schema_files import first_keys, read_file
from evaluators.scoring.evaluators._scored_fields import ScoredFields
from evaluators.scoring.fields.key_spelling import KeySpelling, Respelt
from evaluators.scoring.needs import from_column, text_in, unusable_cell
from evaluators.scoring.values import json_text

SHOWN_ERRORS: Final = 3
"""Errors that the reason names; the details have them all."""
TOO_LARGE: Final = "a number of the output is too large to be checked against the schema"
TOO_DEEP: Final = "the output is nested too deeply to be checked against the schema"

_PERSON: Final = {
    "type": "object",
    "required": ["name", "age"],
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
}


def _read_schema(value: object, info: ValidationInfo) -> object:
    """The setting `schema`: a column, the schema in a file, a map or a boolean. Raises BadSettings or ValueError for any other value."""
    if isinstance(value, FromColumn) or (isinstance(value, Mapping) and _names_a_column(value)):
        return from_column(value, splits=False)
    if isinstance(value, str):
        return read_file(value, info.context)
    if not isinstance(value, (Mapping, bool)):
        raise ValueError(f'"schema" must be a map, a file or a column; found {spell(value)}')
    return value


def _names_a_column(value: Mapping[Any, Any]) -> bool:
    """Whether a map is a setting that comes from a column, and not a schema."""
    return isinstance(value.get("column"), str) and value.keys() <= {"column", "separator"}


ReadSchema: TypeAlias = Annotated[
    dict[str, Any] | bool | FromColumn,
    BeforeValidator(_read_schema, json_schema_input_type=dict[str, Any] | bool | str | FromColumn),
]


class JsonSchemaValid(Evaluator):
    """Pass when the JSON in the output fits a JSON Schema.

    Use it to check that keys are there and values have the right type, before or beside comparing them with anything. The
    schema is written in the suite, in a JSON or YAML file (relative to the suite), or in a column of the row:
    `schema: {column: schema}`. All of JSON Schema is understood, in the draft that `$schema` names, else 2020-12; the
    explanation lists every error with its place.

    JSON inside a code fence or other text is found and used; `parse: strict` refuses that. `true` is not a number, 30.0 is
    an integer, and a key with null is there. An output that is null in the test set is the value null, not a
    missing output: it fits a schema that allows null. Words such as `format: date` are only checked with `check_formats: true`.
    References to other addresses are refused, because nothing is fetched. A `pattern` has a time limit, and so have
    the patterns of `patternProperties`; beside `unevaluatedProperties` they are asked once more, without one.
    """

    type: Literal["json_schema_valid"] = "json_schema_valid"
    json_schema: Annotated[ReadSchema, Field(validation_alias=AliasChoices("schema", "json_schema"))]
    """The JSON Schema: a map, the name of a file, or a column."""
    check_formats: StrictBool = False
    """Whether `format` words are checked: date, date-time, time, email, ipv4, ipv6, uri, uuid, regex and others."""
    keys: KeySpelling | None = None
    """Which spellings of the output's keys stand for those of the schema: `{style: any}` takes `invoiceNumber` for
    `invoice_number`. Without it, keys are compared to the letter. A key that could stand for two, or has a rival, stays as it is,
    and the row's reason and the summary say so."""
    timeout_seconds: float = Field(1.0, gt=0.0, le=3600.0, strict=True)
    """How long one search for a `pattern` may take."""

    examples = (
        Example(
            "it fits",
            output='{"name": "Alice", "age": 30}',
            settings={"schema": _PERSON},
            score=1.0,
            source="orbiter, SchemaValidationScorer",
        ),
        Example(
            "a required key is missing",
            output='{"name": "Bob"}',
            settings={"schema": _PERSON},
            score=0.0,
            source="orbiter, SchemaValidationScorer",
        ),
        Example("true is not a number", output="true", settings={"schema": {"type": "integer"}}, score=0.0),
        Example("30.0 is an integer", output="30.0", settings={"schema": {"type": "integer"}}, score=1.0),
        Example("there is no JSON", output="not json", settings={"schema": {}}, score=0.0),
    )

    @model_validator(mode="after")
    def _check_schema(self) -> JsonSchemaValid:
        """Gives the settings back. Raises BadSettings for a schema in the suite, or in a file, that cannot be used."""
        if not isinstance(self.json_schema, FromColumn):
            from evaluators.scoring.evaluators._json_schema import check_schema

            with under("schema"):
                check_schema(self.json_schema, self.check_formats)
        return self

    def needs(self) -> Needs:
        """The JSON document in the output, of any kind, and the column with the schema where the suite names one."""
        return Output(self.column("output"), want="any"), *columns_named_by(self.json_schema)

    def scored_fields(self) -> ScoredFields:
        """No fields, but the top-level keys of the schema, by which a document is found, and the respelt output where `keys` is set."""
        keys = frozenset[str]() if isinstance(self.json_schema, FromColumn) else first_keys(self.json_schema)
        if self.keys is None:
            return ScoredFields(top_keys=keys)
        return ScoredFields(top_keys=self.keys.usual_spellings(keys), respelt=self._respelt)

    def measure(self, document: Any, *cells: object) -> bool:
        """Whether the document fits the schema; false for one too deep, or with too large a number, to be checked."""
        from evaluators.scoring.evaluators._json_schema import fits

        try:
            return fits(self._validator(cells), self._respelt(document, *cells).document)
        except (RecursionError, ArithmeticError):
            return False

    def reason(self, document: Any, *cells: object) -> Reason:
        """The errors of a document by the schema: the first `SHOWN_ERRORS` in the message, and up to `MOST_ERRORS` in the details. `cells`
        may hold the schema."""
        from evaluators.scoring.evaluators._json_schema import MOST_ERRORS, errors_in

        validator = self._validator(cells)
        respelt = self._respelt(document, *cells)
        try:
            errors = errors_in(validator, respelt, self.written)
        except (RecursionError, ArithmeticError) as error:
            message = TOO_DEEP if isinstance(error, RecursionError) else TOO_LARGE
            return Reason(message, {"errors": [{"path": "$", "message": message, "keyword": ""}]})
        if not errors:
            return respelt.spell_reason(Reason("the output fits the schema"))
        message = "; ".join(f"{error['path']}: {error['message']}" for error in errors[:SHOWN_ERRORS])
        if len(errors) > SHOWN_ERRORS:
            many = "more than " if len(errors) > MOST_ERRORS else ""
            message += f"; and {many}{min(len(errors), MOST_ERRORS) - SHOWN_ERRORS:,} more"
        return respelt.spell_reason(Reason(message, {"errors": errors[:MOST_ERRORS]}))

    def _respelt(self, document: Any, *cells: object) -> Respelt:
        """The output document with its keys as the schema spells them, where `keys` forgives other spellings; else as it is. `cells` may
        hold the schema."""
        from evaluators.scoring.evaluators._json_schema import keys_of

        if self.keys is None:
            return Respelt(document)
        return self.keys.respell(keys_of(self._text_of(cells), self.timeout_seconds), document)

    @cached_property
    def _schema_text(self) -> str:
        """The schema as text, by which its validator is remembered."""
        return json_text.to_text(self.json_schema)  # type: ignore[arg-type]  # asked where it is no column

    def _validator(self, cells: tuple[object, ...]) -> Any:
        """The validator for a row, whose cells may hold the schema. Raises RowProblem for a cell that holds none."""
        from evaluators.scoring.evaluators._json_schema import validator

        try:
            return validator(self._text_of(cells), self.check_formats, self.timeout_seconds)
        except BadSettings as error:
            if not isinstance(self.json_schema, FromColumn):
                raise
            raise unusable_cell(self.json_schema, str(error)) from error

    def _text_of(self, cells: tuple[object, ...]) -> str:
        """The schema for a row, as JSON text: that of the settings, or that in its cell, the first of `cells`. Raises RowProblem."""
        setting = self.json_schema
        return text_in(setting, cells[0]) if isinstance(setting, FromColumn) else self._schema_text
