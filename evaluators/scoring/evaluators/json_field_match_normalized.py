"""`json_field_match_normalized`: the top-level fields of two JSON objects, case and accents set aside."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Literal

from evaluators.scoring.evaluators._evaluator import Example
from evaluators.scoring.evaluators._field_match import TopLevelMatch
from evaluators.scoring.evaluators._texts import ExpectedColumn
from evaluators.scoring.fields.key_spelling import KeySpelling
from evaluators.scoring.fields.open_tree import OpenTree
from evaluators.scoring.values.text import ACCENTS_AND_CASE, AccentsAndCase, normalizer, same_text_deep


class JsonFieldMatchNormalized(TopLevelMatch):
    """Compare the top-level fields of the output with those of the expected object; case and accents do not count.

    The score is the number of expected keys whose value the output has, over the number of expected keys. Texts are
    compared without accents and case, also inside nested objects and lists. Use it for names, cities and labels. For ids
    and codes see `json_field_match`.

    It does not forgive anything else: "30" is not 30, spaces count, keys are spelled exactly, and lists keep their order.
    Keys that only the output has are free unless `extra_fields: penalize`.
    """

    type: Literal["json_field_match_normalized"] = "json_field_match_normalized"
    extra_fields: Literal["ignore", "penalize"] = "ignore"
    """Whether top-level keys that only the output has count against it."""
    normalize: AccentsAndCase = ACCENTS_AND_CASE
    """What is set aside in texts. By default accents and case, and nothing else; a switch that you leave out stays as it
    is: `{whitespace: collapse}` sets spacing aside as well."""
    keys: KeySpelling | None = None
    """Which spellings of the output's keys stand for those of the expected object: `{style: any}` takes `invoiceNumber` for
    `invoice_number`. Without it, keys are compared to the letter. A key that could stand for two, or has a rival, stays as it is,
    and the row's reason and the summary say so."""
    expected: ExpectedColumn = None
    """The column that holds the expected JSON object, when it is not the test set's expected column."""

    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "case and accents",
            output='{"city": "malaga", "ok": "si"}',
            expected='{"city": "Málaga", "ok": "SI"}',
            source="Galtea, JSON Field Match (Normalized), Normalize and Compare Fields",
        ),
        Example(
            "a number is not its text",
            output='{"age": 30}',
            expected='{"age": "30"}',
            score=0.0,
            source="Galtea, JSON Field Match (Normalized), Normalize and Compare Fields",
        ),
        Example(
            "list order is kept",
            output='{"roles": ["user", "admin"]}',
            expected='{"roles": ["ADMIN", "USER"]}',
            score=0.0,
            source="Galtea, JSON Field Match (Normalized), Normalize and Compare Fields",
        ),
        Example(
            "JSON inside a fence",
            output='Here it is:\n```json\n{"name": "jose"}\n```',
            expected='{"name": "José"}',
            source="Galtea, JSON Field Match (Normalized), Evaluation Parameters",
        ),
        Example(
            "an empty expected object",
            output='{"a": 1}',
            expected="{}",
            source="Galtea, JSON Field Match (Normalized), Interpretation of Scores",
        ),
        Example(
            "half of the fields",
            output='{"a": "x", "b": "y"}',
            expected='{"a": "X", "b": "z"}',
            score=0.5,
            source="Galtea, JSON Field Match (Normalized), Interpretation of Scores",
        ),
    )

    @cached_property
    def tree(self) -> OpenTree:
        """The settings by which the top-level keys of two documents are walked: what is equal, and what is counted."""
        return OpenTree(
            same_text_deep(normalizer(self.normalize)),
            penalize_extra=self.extra_fields == "penalize",
            depth=1,
            rule="normalized",
            keys=self.keys,
        )
