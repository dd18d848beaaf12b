"""The columns that were chosen for the roles of a test set, and what the others hold."""

from __future__ import annotations

from msgspec import Struct, field

from evaluators.guide.column_names import (
    ColumnPair,
)
from evaluators.scoring.needs import Role


class ChosenColumns(Struct):
    """The column of each role, and why it is that one."""

    columns: dict[Role, str] = field(default_factory=dict)
    why: dict[Role, str] = field(default_factory=dict)
    measures: list[str] = field(default_factory=list)
    """Columns of numbers about the call, such as its cost."""
    pairs: list[ColumnPair] = field(default_factory=list)
    """Outputs with their expected answers, where there are several of both; no column then has these two roles."""
    models: list[str] = field(default_factory=list)
    """Outputs of several models side by side; no column then is the output."""
    set_aside: dict[str, str] = field(default_factory=dict)
    """Columns that are neither output nor expected answer, and what each holds."""
    verdicts: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Columns that may hold expected answers, where none is taken."""
    labels: dict[Role, str] = field(default_factory=dict)
    """The columns of outputs and expected answers with several labels in a cell; they have no role in `columns` then."""
    mark: str = ""
    """What stands between these labels."""
    notes: list[str] = field(default_factory=list)
    """What the columns hold that is not compared."""

    def take(self, role: Role, column: str, why: str) -> None:
        """Sets the column of a role, and the reason why it is that one."""
        self.columns[role] = column
        self.why[role] = why

    @property
    def has_output(self) -> bool:
        """Whether some column holds outputs."""
        return "output" in self.columns or bool(self.pairs or self.models)
