"""What `exact_match` and `correctness` share: two cells that a comparator compares, as it compares a field.

Where the suite names a comparator, or transforms, the whole cell is one field of a tree of listed fields, and all that is true of
fields is true of it: reasons, metrics, suggestions, pages. A cell stands as it is: text is never read as JSON. One that holds nothing is a
field that is absent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Self

from msgspec.structs import replace
from pydantic import model_validator

from evaluators.model.rows import MISSING
from evaluators.model.settings import BadSettings, Detail, ReadBy, bad
from evaluators.scoring.evaluators._evaluator import (
    Asking,
    Column,
    Evaluator,
    Needs,
    ScoredFields,
    TreeEvaluator,
    Unreadable,
)
from evaluators.scoring.fields.lines import FieldLine
from evaluators.scoring.fields.listed import ListedTree
from evaluators.scoring.fields.listed_rows import ListedCheck, ListedRows, without_output
from evaluators.scoring.fields.named_comparators import NamedComparator, choose, with_one_needs_judge
from evaluators.scoring.fields.reading import read_transforms
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.quoting import flow_text
from evaluators.scoring.values.transforms import Transform

ANSWER: Final = Path((), written="answer")
"""The place of the whole cell, and what reports call it."""
_FORGIVEN: Final[Mapping[str, Mapping[str, str]]] = {
    "case": {"case": "ignore"},
    "spaces": {"whitespace": "collapse"},
    "final_punctuation": {"punctuation": "ignore"},
    "underscores": {"punctuation": "ignore", "whitespace": "ignore"},
}
"""What may be forgiven of texts, in the words of the comparator `normalized`."""


def _read_compare(data: object, context: Mapping[str, Any]) -> NamedComparator | None:
    """The comparator that the setting `compare` names; None where the suite does not write the setting. `context` is what the suite gives
    its settings, such as its judge; the `fallback` of fields is left out of it. Raises BadSettings for a comparator that only fields
    can have, or that needs a judge where the suite has none."""
    if data is None:
        return None
    try:
        chosen = choose(data, {key: value for key, value in context.items() if key != "fallback"})
    except BadSettings as error:
        raise BadSettings(with_one_needs_judge(error.details, named=False)) from error
    if chosen.comparator is None or chosen.together is not None:
        word = "compound" if chosen.together is not None else chosen.word
        raise bad(f'"{word}" is said of a field, not of a whole cell', hint="write compare: exact, or another comparator")
    return chosen


class CellEvaluator(TreeEvaluator):
    """An evaluator of two cells, which a comparator compares where the suite names one."""

    compare: Annotated[NamedComparator | None, ReadBy(_read_compare, "comparator")] = None
    """What compares the two cells, as it compares a field: `{numeric: {parse: true}}`, `date`, `boolean`, `url`, … A cell that holds
    nothing is then absent."""
    transforms: Annotated[tuple[Transform, ...], ReadBy(lambda data, _: read_transforms(data), "transforms")] = ()
    """What is done to both cells before they are compared, left to right."""

    texts_only: ClassVar[tuple[str, ...]] = ()
    """The settings that have no meaning where the cells are one field."""
    beside_compare: ClassVar[tuple[str, ...]] = ()
    """Those that have none beside `compare` alone."""

    @model_validator(mode="before")
    @classmethod
    def _check_one_way(cls, data: Any) -> Any:
        """Gives the settings back as they are. Raises BadSettings where one of them says a second time how two texts are compared,
        beside `compare` or `transforms`."""
        if isinstance(data, Mapping) and (data.get("compare") is not None or data.get("transforms")):
            beside = "compare" if data.get("compare") is not None else "transforms"
            disallowed = [name for name in cls.texts_only if data.get(name) not in (None, False, "off", (), [])]
            disallowed += [name for name in cls.beside_compare if beside == "compare" and name in data]
            message = f'says nothing beside "{beside}", which alone says how the two cells are compared'
            if disallowed:
                raise BadSettings(
                    Detail((name,), f'"{name}" {message}', _replacement_hint(name, beside, data), key=True)
                    for name in disallowed
                )
        return data

    def usual_comparator(self) -> object:
        """The comparator, as a suite writes it, that the type uses where a suite gives transforms and names none."""
        return "exact"

    def fixed_answer(self) -> str | None:
        """The answer to every row; None where each row has its own."""
        return None

    def takes_comparator(self) -> bool:
        """Whether it compares the two cells of a row as texts, which a comparator could do in its place."""
        return self.tree is None

    @cached_property
    def tree(self) -> ListedTree | None:
        """The cell as the one field that is compared; None where the type itself compares two texts."""
        if self.compare is None and not self.transforms:
            return None
        chosen = self.compare or choose(self.usual_comparator(), {})
        return ListedTree((FieldLine(
            ANSWER, chosen.comparator, chosen.rule, self.transforms, word=chosen.word, fallback_for=chosen.fallback_for,
        ),), both_missing="match")  # fmt: skip

    def cell_needs(self, tree: ListedTree) -> Needs:
        """The needs: the output, the expected cell unless it is not compared, and the columns with right answers."""
        answers = tuple(Column(name, literal=True) for name in tree.answer_columns)
        expected = () if self._fixed_expected(tree) else (self.column("expected"),)
        return self.column("output"), *expected, *answers

    def _fixed_expected(self, tree: ListedTree) -> tuple[Any, ...]:
        """The expected value of every row, as the only item; empty where each row has its own.

        It is MISSING for a comparator that looks at the output alone.
        """
        if (answer := self.fixed_answer()) is not None:
            return (answer,)
        (line,) = tree.lines
        return (MISSING,) if line.comparator is not None and line.comparator.reads == "output" else ()

    def scored_fields(self) -> ScoredFields:
        """The cell as the one field, where a comparator compares it; else no fields."""
        if self.tree is None:
            return Evaluator.scored_fields(self)
        return ScoredFields(names=self.tree.names, lines=self.tree.lines, tree=self.tree, of_cells=True)

    def asking(self) -> Asking | None:
        """An empty `Asking` where a comparator has questions that cost: the check asks them itself. None where there are none."""
        return Asking() if self.tree is not None and self.tree.costly_numbers else None

    def unreadable(self) -> Unreadable:
        """A row whose output cannot be read scores 0; where a comparator compares the cells, so does each of its metrics."""
        return Evaluator.unreadable(self) if self.tree is None else Unreadable(lost=without_output)

    def check(self) -> CellCheck | None:
        """The check that compares the cells of many rows; None where no comparator is named, and `measure` scores a row."""
        if self.tree is None:
            return None
        return CellCheck(self.tree, self.pass_at, self.tree.answer_columns, self._fixed_expected(self.tree))

    def with_settings(self, **settings: Any) -> Self:
        """A copy with other settings. The comparator of `fields` becomes that of the cell, which is the only field."""
        if fields := settings.pop("fields", ()):
            (line,) = fields
            chosen = self.compare or choose(self.usual_comparator(), {})
            settings["compare"] = replace(chosen, comparator=line.comparator)
        return super().with_settings(**settings)


class CellCheck(ListedCheck):
    """Scores rows by their cells: (output, expected, *cells of `columns`) → verdict. With a `fixed` answer there is no expected cell."""

    def __init__(self, tree: ListedTree, pass_at: float, columns: Sequence[str], fixed: tuple[Any, ...]) -> None:
        super().__init__(tree, pass_at, columns)
        self._fixed = fixed

    def begin(self, *columns: Sequence[Any]) -> ListedRows:
        """The rows of a chunk, whose columns are the outputs, the expected cells unless they are fixed, and those with right
        answers."""
        outputs, *others = columns
        expected = [*self._fixed] * len(outputs) if self._fixed else others.pop(0)
        return super().begin([*map(cell_value, expected)], [*map(cell_value, outputs)], *others)


def cell_value(cell: Any) -> Any:
    """The cell, or MISSING where it holds nothing."""
    return MISSING if cell is None or (cell.__class__ is str and (not cell or cell.isspace())) else cell


def _replacement_hint(name: str, beside: str, data: Mapping[str, Any]) -> str:
    """A hint with the line to write in place of the setting `name` and of `beside`, which is `compare` or `transforms`.

    What the setting forgives goes into the options of `normalized`, where the comparator is that one or `exact`; else the
    setting is to be left out.
    """
    compare, setting = data.get("compare"), data[name]
    forgiven = setting if name == "forgive" and isinstance(setting, list | tuple) else ()
    if name == "normalize" and setting is True:
        forgiven = ("case", "spaces")
    word = next(iter(compare)) if isinstance(compare, Mapping) and len(compare) == 1 else compare
    if not forgiven or word not in (None, "exact", "normalized"):
        return f"write {beside}: {flow_text(data[beside])}, without {name}"
    options = dict(compare[word] or {}) if isinstance(compare, Mapping) and word == "normalized" else {}
    for forgiven_name in forgiven:
        options |= _FORGIVEN.get(str(forgiven_name), {})
    return f"write compare: {flow_text({'normalized': options})}, without {name}"
