"""`json_diff_match`: two whole JSON documents, leaf by leaf."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AliasChoices, Field, StrictBool, model_validator

from evaluators.model.settings import BadSettings, Detail, ReadBy, bad, spell
from evaluators.scoring.evaluators._evaluator import (
    Example,
    Expected,
    Needs,
    Output,
    ScoredFields,
    TreeEvaluator,
)
from evaluators.scoring.evaluators._texts import ExpectedColumn
from evaluators.scoring.fields.key_spelling import KeySpelling
from evaluators.scoring.fields.lines import read_skipped
from evaluators.scoring.fields.open_rows import OpenCheck
from evaluators.scoring.fields.open_tree import OpenTree
from evaluators.scoring.values.equality import json_equal, same_json_type
from evaluators.scoring.values.paths import Path


class JsonDiffMatch(TreeEvaluator):
    """Compare the whole output document with the whole expected document, leaf by leaf.

    A leaf is a text, a number, true, false, null, or an empty object or list. The score is the share of the expected
    leaves that the output has, at the same place, with the same value. Use it when everything in the document counts.
    To choose fields, or to forgive small differences, see `json_multi_field_match`.

    List order counts: an item that is inserted at the front moves all the others. Keys that only the output has are free
    unless `extra_fields: penalize`, and so are items at the end of a list unless `extra_items: penalize`. The summary says
    when there were such items, for a score of 1 then does not mean that the output has nothing more.

    Where the output has something else in place of an object or list with contents, each leaf in it is missing. What stands
    there is one value that is extra, unless it is null or an empty object or list. Where contents stand in place of any
    other value, that value is wrong, and each leaf of the contents is extra.
    """

    type: Literal["json_diff_match"] = "json_diff_match"
    pass_at: float = Field(1.0, ge=0.0, le=1.0, strict=True, validation_alias=AliasChoices("pass_at", "threshold"))
    """A row passes when its score is at least this."""
    extra_fields: Literal["ignore", "penalize"] = "ignore"
    """Whether keys that only the output has count against it, with every value in them."""
    extra_items: Literal["ignore", "penalize"] | None = None
    """Whether items of lists that only the output has count against it, with every value in them. Without it, they are
    treated as `extra_fields` says."""
    compare_schema_only: StrictBool = False
    """Compare which keys there are and the JSON type of each value, and not the values."""
    case_insensitive_keys: StrictBool = False
    """Let `Name` stand for `name`: the same as `keys: {case: ignore}`."""
    keys: KeySpelling | None = None
    """Which spellings of the output's keys stand for those of the expected document, and of `skip`: `{style: any}` takes
    `invoiceNumber` for `invoice_number`. Without it, keys are compared to the letter. A key that could stand for two, or has a
    rival, stays as it is, and the row's reason and the summary say so."""
    skip: Annotated[tuple[Path, ...], ReadBy(lambda data, _: read_skipped(data), "paths")] = ()
    """Paths to leave out, with everything below them."""
    expected: ExpectedColumn = None
    """The column that holds the expected JSON, when it is not the test set's expected column."""

    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "one of five leaves differs",
            output='{"name": "John", "address": {"city": "New York", "zip": "10002"}, "hobbies": ["reading", "swimming"]}',
            expected='{"name": "John", "address": {"city": "New York", "zip": "10001"}, "hobbies": ["reading", "swimming"]}',
            score=0.8,
            source="Agenta, Classification and Entity Extraction Evaluators, JSON Diff Match (the page's document)",
        ),
        Example("an empty document equals itself", output="{}", expected="{}"),
        Example("an extra key is free", output='{"a": 1, "b": 2}', expected='{"a": 1}'),
        Example(
            "an extra key is penalized",
            output='{"a": 1, "b": 2}',
            expected='{"a": 1}',
            settings={"extra_fields": "penalize"},
            score=0.5,
        ),
        Example(
            "an item too many is free",
            output='{"tags": ["red", "blue", "green"]}',
            expected='{"tags": ["red", "blue"]}',
        ),
        Example(
            "an item too many is penalized, and an extra key is not",
            output='{"tags": ["red", "blue", "green"], "note": "new"}',
            expected='{"tags": ["red", "blue"]}',
            settings={"extra_items": "penalize"},
            score=2 / 3,
        ),
        Example(
            "only the types are compared",
            output='{"name": "Jane", "age": 31}',
            expected='{"name": "John", "age": 30}',
            settings={"compare_schema_only": True},
        ),
        Example(
            "keys in another case",
            output='{"name": "John"}',
            expected='{"Name": "John"}',
            settings={"case_insensitive_keys": True},
        ),
    )

    @model_validator(mode="before")
    @classmethod
    def _read_predict_keys(cls, data: Any) -> Any:
        """The settings with `extra_fields` in place of `predict_keys`, as Agenta's page calls it: true is `ignore`, false `penalize`.

        Raises BadSettings for any other value, and where both are given.
        """
        if not isinstance(data, Mapping) or "predict_keys" not in data:
            return data
        value = data["predict_keys"]
        if not isinstance(value, bool):
            raise bad(f'"predict_keys" must be true or false; found {spell(value)}', "predict_keys")
        if "extra_fields" in data:
            detail = Detail(
                ("predict_keys",), '"predict_keys" and "extra_fields" are the same setting', "keep extra_fields",
                key=True, code="same-setting",
            )  # fmt: skip
            raise BadSettings([detail])
        rest = {key: inner for key, inner in data.items() if key != "predict_keys"}
        return {**rest, "extra_fields": "ignore" if value else "penalize"}

    @model_validator(mode="after")
    def _check_keys(self) -> Self:
        """Gives the settings back. Raises BadSettings for `keys` and `case_insensitive_keys` together."""
        if self.keys is not None and self.case_insensitive_keys:
            message, hint = '"case_insensitive_keys" and "keys" are about the same', "keep keys"
            raise BadSettings([Detail(("case_insensitive_keys",), message, hint, key=True, code="same-setting")])
        return self

    @cached_property
    def tree(self) -> OpenTree:
        """The settings by which two whole documents are walked: what is equal, and what is counted."""
        return OpenTree(
            same_json_type if self.compare_schema_only else json_equal,
            penalize_extra=self.extra_fields == "penalize",
            penalize_items=(self.extra_items or self.extra_fields) == "penalize",
            skip=self.skip,
            rule="the JSON type" if self.compare_schema_only else "exact",
            keys=KeySpelling() if self.case_insensitive_keys else self.keys,
        )

    def scored_fields(self) -> ScoredFields:
        """The fields that the documents have; none are listed."""
        tree = self.tree
        return ScoredFields(tree=tree, extra_keys_count=tree.penalize_extra, extra_items_count=tree.penalize_items)

    def needs(self) -> Needs:
        """The expected document, and the document in the output that is of the same kind."""
        expected = Expected(self.column("expected"))
        return expected, Output(self.column("output"), "like_expected", beside=expected)

    def check(self) -> OpenCheck:
        return OpenCheck(self.tree, self.pass_at)
