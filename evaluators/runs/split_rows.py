"""What a split gives back of its rows: columns, and the distinct verdicts and label pairs that their codes stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct, field

from evaluators.model.issues import encodable
from evaluators.model.rows import Result
from evaluators.runs.confidence_scores import LEVELS
from evaluators.runs.confidence_steps import UNUSABLE
from evaluators.runs.label_pairs import NO_LABELS

if TYPE_CHECKING:
    from evaluators.runs.label_pairs import LabelPair


class Layout(Struct, frozen=True):
    """The columns of the rows of a run."""

    evaluators: tuple[str, ...]
    slices: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    steps: tuple[tuple[int, str], ...] = ()
    """(an evaluator, a field or all of the row) of each column of confidences."""
    labelled: tuple[int, ...] = ()
    """The evaluators with labels."""
    listed: tuple[int, ...] = ()
    """Those of them whose labels the suite lists."""
    clustered: bool = False
    empties: tuple[int, ...] = ()
    """The evaluators whose empty values stand in a column: those with a closed list of fields, where rows have clusters."""

    @property
    def texts(self) -> list[str]:
        """The names of the columns of texts; the others hold whole numbers."""
        names = ["id", *(["cluster"] if self.clustered else [])]
        names += [f"slice{place}" for place in range(len(self.slices))]
        return names + [f"measure{place}" for place in range(len(self.measures))]

    @property
    def codes(self) -> list[str]:
        """The names of the columns of codes, in the order of the evaluators."""
        return [f"code{place}" for place in range(len(self.evaluators))]

    @property
    def names(self) -> list[str]:
        """The names of all columns, in order."""
        steps = [f"step{place}" for place in range(len(self.steps))]
        pairs = [f"pair{place}" for place in self.labelled]
        empties = [f"empty{place}" for place in self.empties]
        return ["row", "id", "given", *self.texts[1:], *steps, *pairs, *empties, *self.codes]

    def bounds(
        self, verdicts: Sequence[int], pairs: Mapping[int, int], patterns: Mapping[int, int]
    ) -> dict[str, tuple[int, int]]:
        """The least number that each column may hold, and the one after the greatest, given how many verdicts, label pairs and patterns
        each evaluator has."""
        counts = {f"code{place}": (0, count) for place, count in enumerate(verdicts)}
        counts |= {f"pair{place}": (NO_LABELS, count) for place, count in pairs.items()}
        counts |= {f"empty{place}": (0, count) for place, count in patterns.items()}
        counts |= {f"step{place}": (UNUSABLE, LEVELS + 1) for place in range(len(self.steps))}
        return counts | {"given": (0, 2**32)}


def encodable_cells(cells: Sequence[Any]) -> Sequence[Any]:
    """Texts as UTF-8 can hold them: half of a surrogate pair is written in words, wherever the rows are kept. Other cells stay."""
    try:
        "".join(cell for cell in cells if cell.__class__ is str).encode()
    except UnicodeEncodeError:
        return [encodable(cell) if cell.__class__ is str else cell for cell in cells]
    return cells


class KeptOutcome(NamedTuple):
    """A line of outcomes, and why it is kept."""

    row: int
    """The offset of its row in the split."""
    evaluator: int
    field: str
    """The field that it is evidence of; "" for the row as a whole."""
    kept: int
    """1 as one of the first of its field, 2 in any case, 0 in a small run alone."""
    line: bytes
    """What was said, as JSON, without the row and the evaluator."""


class SplitRows(Struct):
    """The rows of a split."""

    columns: dict[str, list[Any]] = field(default_factory=dict)
    """By the names of the layout; a row is its offset in the split."""
    verdicts: list[list[Result]] = field(default_factory=list)
    """By evaluator, what codes stand for."""
    pairs: dict[int, list[LabelPair]] = field(default_factory=dict)
    """By evaluator, the label pairs."""
    patterns: dict[int, list[str]] = field(default_factory=dict)
    """By evaluator, the patterns of empty values (see `empty_patterns`)."""
    outcomes: list[KeptOutcome] = field(default_factory=list)
    cells: list[tuple[int, bytes]] = field(default_factory=list)
    """The cells of rows as JSON, by the offset of the row."""
    answers: list[bytes] = field(default_factory=list)
    """Questions with their answers, as JSON."""

    def add(self, name: str, cells: Iterable[Any]) -> None:
        """Appends cells to a column, which is made where it is not there."""
        self.columns.setdefault(name, []).extend(cells)
