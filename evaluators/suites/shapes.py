"""The parts of a suite that functions of ours read, as settings: what an editor offers there, and says about it.

Nothing is read with these. Where one part stands in another, its name stands for it, so that it is described once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from evaluators.model.limits import LIST_CELLS
from evaluators.model.settings import READ_AS, Settings
from evaluators.scoring.plan.graph import Parse, Unmet
from evaluators.scoring.values.json_choice import Pick

ComparatorShape: TypeAlias = Annotated[Any, WithJsonSchema({READ_AS: "comparator"})]
TransformsShape: TypeAlias = Annotated[Any, WithJsonSchema({READ_AS: "transforms"})]
AlignmentShape: TypeAlias = Annotated[Any, WithJsonSchema({READ_AS: "alignment"})]
ConditionsShape: TypeAlias = Annotated[Any, WithJsonSchema({READ_AS: "conditions"})]
PathShape: TypeAlias = Annotated[Any, WithJsonSchema({READ_AS: "path"})]
Cells: TypeAlias = Annotated[
    int,
    Field(
        ge=1,
        description="How much two lists may come to, items × items × values of an item, and still have each item compared "
        "with each. In longer ones equal items are paired first, the others in list order.",
    ),
]


class LineShape(Settings):
    """The settings that every evaluator may have beside its own."""

    name: Annotated[str, Field(pattern=r"^[^\s.]([^.]*[^\s.])?$")] | SkipJsonSchema[None] = None
    """What results, gates and other evaluators call this one. Without it, its type."""
    needs: str | list[str] | SkipJsonSchema[None] = None
    """The evaluators that a row must pass before this one is asked."""
    when: ConditionsShape = None
    """Which rows this evaluator is for. Other rows are skipped and stay out of the mean."""
    unmet: Unmet = "fail"
    """What a row counts that did not pass what this evaluator needs: `fail` counts 0, `skip` leaves it out."""
    parse: Parse | SkipJsonSchema[None] = None
    """How the JSON of an output is read: `lenient` sets a code fence or words around it aside, `strict` refuses them.
    Without it, as the test set says."""
    pick: Pick | SkipJsonSchema[None] = None
    """Which of several JSON documents in an output counts: `fitting`, `first`, `last`, `largest`; `only` refuses several,
    `all` makes a list of them. Without it, as the test set says."""


class FieldShape(Settings):
    """A field with settings beside its comparator."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    compare: ComparatorShape = None
    """How the two values are compared: a comparator. Without it, exactly."""
    weight: float = Field(1, ge=0)
    """How much the field counts in the score of the row."""
    required: bool = False
    """`true`: a row never passes while this field does not match."""
    optional: bool = False
    """`true`: it is no problem when no row has this field."""
    transforms: TransformsShape = None
    """What is done to both values before they are compared."""
    align: AlignmentShape = None
    """How the items of this list are paired."""
    when: ConditionsShape = None
    """In which rows the field counts."""
    confidence: PathShape = None
    """Where the output says how sure it is of the field: the path of a number from 0 to 1."""


class CompoundShape(Settings):
    """Keys of the object at this path that are compared as one value."""

    fields: Annotated[list[str], Field(min_length=2, json_schema_extra={"uniqueItems": True})]
    """The keys, in the order in which their values are read."""
    compare: ComparatorShape = None
    """How they are compared: a comparator. Without it, exactly."""


class OrderedShape(Settings):
    """Item by item, in the order of the lists."""


class AnyOrderShape(Settings):
    """The order does not count."""

    unique: bool = False
    """Items of a list that are the same count once, on both sides: a list is a set. Single values are the same where `exact`,
    `normalized` and their like find no difference, all others where they are equal."""
    cells: Cells = LIST_CELLS


class HungarianShape(Settings):
    """As many items as possible are right; the other pairs agree best over the whole list."""

    at_least: Annotated[float, Field(gt=0, le=1)] | SkipJsonSchema[None] = None
    """Pairs that agree less than this, as F1, stay apart."""
    ask: Annotated[Any, WithJsonSchema({"enum": ["leftover"]})] = None
    """A judge is asked about items that no other comparator could pair (leftover). Without it nobody is asked."""
    cells: Cells = LIST_CELLS


class KeyFieldShape(Settings):
    """Items with the same key are a pair."""

    key: str | int | Annotated[list[PathShape], Field(min_length=1)]
    """The path, inside an item, of what identifies it; or several paths, in a list."""
    transforms: TransformsShape = None
    """What is done to a key before keys are compared."""
    keyless: Literal["ordered", "apart"] = "ordered"
    """Items without a key: in list order with each other (ordered), or with nothing (apart)."""


class PresentShape(Settings):
    """A condition on whether there is a value."""

    present: bool
    """Whether there is a value at all."""


ALIGNMENTS: Final = ("ordered", "any_order", "hungarian", "key_field")
SHAPES: Final[Mapping[str, type[Settings]]] = {
    "field": FieldShape,
    "compound": CompoundShape,
    "ordered": OrderedShape,
    "any_order": AnyOrderShape,
    "hungarian": HungarianShape,
    "key_field": KeyFieldShape,
    "present": PresentShape,
    "line": LineShape,
}
