"""`json_field_match`: the top-level fields of two JSON objects, compared exactly."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Literal

from evaluators.scoring.evaluators._evaluator import Example
from evaluators.scoring.evaluators._field_match import TopLevelMatch
from evaluators.scoring.evaluators._texts import ExpectedColumn
from evaluators.scoring.fields.key_spelling import KeySpelling
from evaluators.scoring.fields.open_tree import OpenTree
from evaluators.scoring.values.equality import json_equal


class JsonFieldMatch(TopLevelMatch):
    """Compare the top-level fields of the output with those of the expected object, exactly.

    The score is the number of expected keys whose value the output has, over the number of expected keys. A nested object
    or list is one value: it matches as a whole or not at all. Use it for ids and codes. Where case and accents may
    differ, see `json_field_match_normalized`.

    It does not forgive anything: "30" is not 30, case and accents count, lists keep their order, and a missing key is
    wrong. Keys that only the output has are free unless `extra_fields: penalize`.
    """

    type: Literal["json_field_match"] = "json_field_match"
    extra_fields: Literal["ignore", "penalize"] = "ignore"
    """Whether top-level keys that only the output has count against it."""
    keys: KeySpelling | None = None
    """Which spellings of the output's keys stand for those of the expected object: `{style: any}` takes `invoiceNumber` for
    `invoice_number`. Without it, keys are compared to the letter. A key that could stand for two, or has a rival, stays as it is,
    and the row's reason and the summary say so."""
    expected: ExpectedColumn = None
    """The column that holds the expected JSON object, when it is not the test set's expected column."""

    examples: ClassVar[tuple[Example, ...]] = (
        Example("one of two fields differs", output='{"a": 1, "b": 3}', expected='{"a": 1, "b": 2}', score=0.5),
        Example("case counts", output='{"answer": "si"}', expected='{"answer": "SI"}', score=0.0),
        Example(
            "an empty expected object",
            output='{"a": 1}',
            expected="{}",
            source="Galtea, JSON Field Match (Normalized), Interpretation of Scores",
        ),
        Example(
            "an extra key is penalized",
            output='{"a": 1, "b": 2}',
            expected='{"a": 1}',
            settings={"extra_fields": "penalize"},
            score=0.5,
        ),
    )

    @cached_property
    def tree(self) -> OpenTree:
        """The settings by which the top-level keys of two documents are walked: what is equal, and what is counted."""
        return OpenTree(json_equal, penalize_extra=self.extra_fields == "penalize", depth=1, rule="exact", keys=self.keys)
