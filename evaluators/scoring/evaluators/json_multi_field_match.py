"""`json_multi_field_match`: listed fields of two JSON documents, compared one by one."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Annotated, ClassVar, Literal, Self

from pydantic import ValidationInfo, model_validator

from evaluators.model.settings import ReadBy
from evaluators.scoring.evaluators._evaluator import (
    Asking,
    Column,
    Example,
    Expected,
    Needs,
    Output,
    ScoredFields,
    TreeEvaluator,
    Unreadable,
    Wanted,
)
from evaluators.scoring.evaluators._texts import ExpectedColumn
from evaluators.scoring.fields.key_spelling import KeySpelling
from evaluators.scoring.fields.lines import FieldLine, keyed_lists, read_fields
from evaluators.scoring.fields.listed import ListedTree
from evaluators.scoring.fields.listed_rows import ListedCheck, without_output
from evaluators.scoring.fields.metrics import unasked_notes
from evaluators.scoring.fields.named_comparators import add_note
from evaluators.scoring.fields.reading import read_transforms
from evaluators.scoring.needs import columns_of
from evaluators.scoring.values.transforms import Transform


class JsonMultiFieldMatch(TreeEvaluator):
    """Compare chosen fields of the output with the same fields of the expected JSON.

    Each field scores 1 when it is right and 0 when it is wrong or missing. The row's score is the weighted mean of the
    fields that could be measured. In the files of a run it is called `aggregate_score`, too, beside the score of each field.
    A field that neither side has is not measured, so a wrong path never scores. Use it when you know which fields matter.
    For whole documents see `json_diff_match`.

    It does not forgive anything on its own: text is compared to the letter, 30 is not "30", and lists keep their order.
    What may be forgiven is said field by field, with a comparator (`normalized`, `numeric`, `date`, …).
    """

    type: Literal["json_multi_field_match"] = "json_multi_field_match"
    fields: Annotated[tuple[FieldLine, ...], ReadBy(read_fields, "fields")]
    """The fields to compare: a list of paths, or a map from each path to its comparator. Paths are written with dots
    (`vendor.name`), as JSONPath (`$.vendor.name`) or as JSON Pointer (`/vendor/name`)."""
    transforms: Annotated[tuple[Transform, ...], ReadBy(lambda data, _: read_transforms(data), "transforms")] = ()
    """What is done to both values of every field before they are compared, left to right."""
    both_missing: Literal["not_measured", "match"] = "not_measured"
    """What a field is when neither side has it."""
    keys: KeySpelling | None = None
    """Which spellings of the output's keys stand for those of the fields, and of the expected document: `{style: any}` takes
    `invoiceNumber` for `invoice_number`. Without it, keys are compared to the letter. A key that could stand for two, or has a
    rival, stays as it is, and the row's reason and the summary say so."""
    expected: ExpectedColumn = None
    """The column that holds the expected JSON, when it is not the test set's expected column."""

    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "two of four fields are right",
            output='{"name": "John Doe", "email": "jane@example.com", "address": {"city": "New York", "zip": "10002"}}',
            expected='{"name": "John Doe", "email": "john@example.com", "address": {"city": "New York", "zip": "10001"}}',
            settings={"fields": ["name", "email", "address.city", "address.zip"]},
            score=0.5,
            source="Agenta, Classification and Entity Extraction Evaluators, JSON Multi-Field Match",
        ),
        Example(
            "two of three fields are right",
            output='{"name": "Ann", "email": "ann@example.com", "phone": "555-0101"}',
            expected='{"name": "Ann", "email": "ann@example.com", "phone": "555-0100"}',
            settings={"fields": ["name", "email", "phone"]},
            score=2 / 3,
            source="Agenta, Classification and Entity Extraction Evaluators, How It Works",
        ),
        Example(
            "three spellings of a path, and two comparators",
            output='```json\n{"vendor": {"name": "ACME"}, "total": 10.004, "items": [{"sku": "A1"}]}\n```',
            expected='{"vendor": {"name": "Acme"}, "total": 10, "items": [{"sku": "A1"}]}',
            settings={
                "fields": {
                    "vendor.name": {"normalized": {"case": "ignore"}},
                    "/total": {"numeric": {"tolerance": {"abs": 0.01}}},
                    "$.items[0].sku": "exact",
                }
            },
        ),
        Example(
            "a path that neither side has is not measured",
            output='{"name": "Ann"}',
            expected='{"name": "Ann"}',
            settings={"fields": ["naem"]},
            score=None,
        ),
    )

    @model_validator(mode="after")
    def _add_pairing_notes(self, info: ValidationInfo) -> Self:
        """Gives the settings back, after it has noted for the suite each list of which nothing says how its items are paired."""
        for note in unasked_notes(self.tree.root, "fields"):
            add_note(info.context or {}, f"{self.type}: {note}")
        return self

    @cached_property
    def tree(self) -> ListedTree:
        """The tree of fields, made from the settings, by which rows are scored."""
        return ListedTree(self.fields, self.transforms, self.both_missing, self.keys)

    @cached_property
    def row_columns(self) -> tuple[str, ...]:
        """The columns that the `when` of a field names, and those with right answers."""
        conditions = columns_of(condition for line in self.tree.scored_lines for condition in line.when)
        return tuple(dict.fromkeys([*conditions, *self.tree.answer_columns]))

    def needs(self) -> Needs:
        """The expected document, the output, which may be of any kind where a transform changes it as a whole, and `row_columns`."""
        expected = Expected(self.column("expected"))
        columns = tuple(Column(name, literal=True) for name in self.row_columns)
        want: Wanted = "any" if self.tree.reshapings.at_the_top else "like_expected"
        return expected, Output(self.column("output"), want, beside=expected), *columns

    def scored_fields(self) -> ScoredFields:
        """The listed fields, made once by `_scored_fields`."""
        return self._scored_fields

    @cached_property
    def _scored_fields(self) -> ScoredFields:
        """The listed fields by their names, and what reports, gates and suggestions ask of them: the keys at the top of documents, and
        which fields may be left out."""
        keys = frozenset(key for line in self.fields for key in line.path.first_keys())
        return ScoredFields(
            names=self.tree.names,
            lines=self.fields,
            tree=self.tree,
            top_keys=keys if self.keys is None else self.keys.usual_spellings(keys),
            optional=frozenset(line.name for line in self.tree.scored_lines if line.optional or line.skip),
            keyed_lists=partial(keyed_lists, self.fields),
        )

    def asking(self) -> Asking | None:
        """An empty `Asking` where a comparator has questions that cost: the check asks them itself. None where there are none."""
        return Asking() if self.tree.costly_numbers else None

    def check(self) -> ListedCheck:
        return ListedCheck(self.tree, self.pass_at, self.row_columns)

    def unreadable(self) -> Unreadable:
        """A row whose output cannot be read scores 0, and so does each of its metrics."""
        return Unreadable(lost=without_output)
