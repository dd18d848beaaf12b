"""The fields of documents that are wrong in each group of rows: a sum of a split, since no list says beforehand which fields there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import field

from evaluators.model.rows import RowStatus
from evaluators.runs.exact_sums import Sum
from evaluators.scoring.fields.row_checks import RowsCheck
from evaluators.scoring.values.late_pattern import late_pattern

if TYPE_CHECKING:
    from evaluators.scoring.plan.suite_plan import Compiled, Plan

MOST_GROUPS: Final = 20_000
"""Groups with something wrong of which the fields are kept."""
_ITEM: Final = late_pattern(r"\[\d+\]")


class WrongFields(Sum):
    """The fields of one evaluator that are wrong, by group."""

    of_group: dict[str, dict[str, int]] = field(default_factory=dict)
    """By group and field, the attempts that were read and in which it is wrong."""
    unreadable: dict[str, int] = field(default_factory=dict)
    """By group, the attempts that were not read, in which every field is wrong."""
    cut: bool = False
    """There were more groups than are kept."""

    @property
    def last_group(self) -> str | None:
        """The last group, by name, whose wrong fields are known; None where those of all groups are."""
        return max(self.of_group) if self.cut else None

    def limit(self) -> None:
        """Keeps the first `MOST_GROUPS` groups by their names, and sets `cut` where there were more."""
        if len(self.of_group) > MOST_GROUPS:
            self.cut = True
            for name in sorted(self.of_group)[MOST_GROUPS:]:
                del self.of_group[name]
                self.unreadable.pop(name, None)

    def add(self, plan: Plan, evaluator: Compiled, slots: list[Any], names: Sequence[str]) -> None:
        """Counts the wrong fields of some rows by group, for an evaluator whose fields documents decide, and does nothing for others. A row
        with an unreadable output is counted in `unreadable`. `names` has the group of each row, `slots` the filled slots of the plan."""
        if not isinstance(evaluator.check, RowsCheck):
            return
        for row, verdict in enumerate(slots[evaluator.verdicts]):
            if verdict.status.scored and verdict.counts is not None and any(verdict.counts[1:]):
                outcomes = plan.wrong_outcomes_from(evaluator, slots, row, {""}, ())
                paths = (each.field if each.field is not None else _ITEM.sub("[*]", each.path) for each in outcomes)
                is_read = verdict.status is not RowStatus.UNREADABLE
                name = names[row]
                counts = self.of_group.setdefault(name, {})
                for path in dict.fromkeys(paths):
                    counts[path] = counts.get(path, 0) + is_read
                self.unreadable[name] = self.unreadable.get(name, 0) + (not is_read)
        self.limit()
