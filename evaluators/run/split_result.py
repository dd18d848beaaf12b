"""What one split came to: the small part that goes back to whoever merges splits."""

from __future__ import annotations

from evaluators.fields.key_counts import KeyCounts
from evaluators.issues import Issue
from evaluators.judges.answer_lines import AskedTotals, JudgeTotals
from evaluators.run.declared import Declared
from evaluators.run.glimpse import Glimpse
from evaluators.run.ids import Ids
from evaluators.run.label_counts import LabelSums
from evaluators.run.measures import MeasuredSums
from evaluators.run.slices import SliceKey
from evaluators.run.tally import Tally
from evaluators.value_class import dataclass, field


@dataclass(slots=True)
class SplitResult:
    """What one split came to."""

    index: int
    rows: int = 0
    without_output: int = 0
    """Rows for which a joined file has no output."""
    several: int = 0
    """Outputs that hold more than one JSON document."""
    span: int = 0
    tallies: list[Tally] = field(default_factory=list)
    keys: list[KeyCounts] = field(default_factory=list)
    """What was wrong with the keys that align lists, by evaluator; rows as offsets in the split."""
    slices: dict[SliceKey, list[Tally]] = field(default_factory=dict)
    issues: list[tuple[int, Issue]] = field(default_factory=list)
    issue_counts: dict[str, int] = field(default_factory=dict)
    recorded: dict[str, int] = field(default_factory=dict)
    """How many rows were recorded under each key."""
    schemas: dict[str, Declared] = field(default_factory=dict)
    """What the schemas of its rows declare, by hash."""
    finished: bool = True
    ids: Ids = field(default_factory=Ids)
    """The ids of the first rows, with offsets in the split; empty where rows have none."""
    asked: AskedTotals = field(default_factory=AskedTotals)
    """How much was asked of whoever costs something."""
    judged: JudgeTotals = field(default_factory=JudgeTotals)
    """What judges said."""
    glimpse: Glimpse = field(default_factory=Glimpse)
    """What the first rows of the test set hold; empty for all splits but the first."""
    labels: list[LabelSums | None] = field(default_factory=list)
    """What stood where which label was expected, by evaluator; None for one without labels. Rows as offsets in the split."""
    measures: MeasuredSums = field(default_factory=MeasuredSums)
    """What the columns of measures come to; rows as offsets in the split."""
    trouble: Issue | None = None
    """What kept the split from being measured at all; then there is nothing else in the result."""
    attempt: str = field(default="", compare=False)
    """The word in the names of its files: see `evaluators.run.part_files`."""
