"""`field_match`: one top-level field, kept so that old suites load."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import AliasChoices, Field

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Needs, Output, Reason, ScoredFields
from evaluators.scoring.evaluators._texts import ExpectedColumn
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.equality import json_equal


class FieldMatch(Evaluator):
    """Compare one top-level field of the output with the whole expected cell.

    This type is kept so that old suites load. Use `json_multi_field_match`, which compares several fields with those of
    an expected JSON document and takes paths.

    It does not forgive anything: the field must equal the expected cell. In a CSV file the expected cell is text, so a
    number in the output never equals it.
    """

    type: Literal["field_match"] = "field_match"
    field: str = Field(validation_alias=AliasChoices("field", "json_field"))
    """The key of the field, as it is. It is not a path: a dot is part of the key."""
    expected: ExpectedColumn = None
    """The column that holds the expected value, when it is not the test set's expected column."""

    retired: ClassVar[str | None] = "json_multi_field_match"
    examples: ClassVar[tuple[Example, ...]] = (
        Example("the field equals the cell", output='{"city": "Paris"}', expected="Paris", settings={"field": "city"}),
        Example("a number is not its text", output='{"age": 30}', expected="30", settings={"field": "age"}, score=0.0),
        Example("the key is absent", output='{"town": "Paris"}', expected="Paris", settings={"field": "city"}, score=0.0),
    )

    def needs(self) -> Needs:
        return self.column("expected"), Output(self.column("output"), "object")

    def scored_fields(self) -> ScoredFields:
        return ScoredFields(top_keys=frozenset((self.field,)))

    def measure(self, expected: Any, output: Any) -> bool:
        """Whether the output has the field, and its value equals the expected cell."""
        return self.field in output and json_equal(expected, output[self.field])

    def reason(self, expected: Any, output: Any) -> Reason:
        if self.field not in output:
            return Reason(f'the output has no key "{self.written(self.field)}"')
        value = output[self.field]
        return Reason("equal" if json_equal(expected, value) else difference_text(expected, value), {"found": value})
