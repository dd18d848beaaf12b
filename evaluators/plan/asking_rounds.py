"""What costs is asked in rounds: which evaluators ask together, and what their open rows ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from evaluators.comparators._cache import current_cache
from evaluators.issues import Fault
from evaluators.judges.asking import gathering
from evaluators.limits import OutOfTime, row_clock
from evaluators.needs import Part
from evaluators.plan.cells import Cells
from evaluators.plan.verdict_steps import kept_out
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.value_class import dataclass

_MOST_ROUNDS: Final = 20
"""So often an evaluator may ask further because of what was answered."""


def rounds_of(ordered: Sequence[EvaluatorLine]) -> list[list[EvaluatorLine]]:
    """Evaluators in the order in which they can be judged: those that ask at the same time stand together.

    An evaluator asks once all that it waits for has its answers.
    """
    rounds: dict[str, int] = {}
    asking = {line.name for line in ordered if line.settings.asking() is not None}
    if not asking:
        return [[line] for line in ordered]
    for line in ordered:
        parts = [need.evaluator for need in line.settings.needs() if isinstance(need, Part)]
        rounds[line.name] = max((rounds[name] + (name in asking) for name in (*line.needs, *parts)), default=0)
    found: list[list[EvaluatorLine]] = []
    for number in range(max(rounds.values()) + 1):
        here = [line for line in ordered if rounds[line.name] == number]
        found += [[line] for line in here if line.name not in asking]
        together = [line for line in here if line.name in asking]
        found += [together] if together else []
    return found


@dataclass(frozen=True, slots=True)
class Asker:
    """An evaluator that asks: where its gates and its values stand among what the step reads."""

    line: EvaluatorLine
    ask: Callable[..., object]
    gates: slice
    inputs: slice


def ask_all(askers: Sequence[Asker]) -> Callable[[list[Cells], int], Cells]:
    """Asks what the open rows of a chunk ask, by row and then by evaluator. Nothing is asked where nobody keeps answers."""

    def run(columns: list[Cells], count: int) -> Cells:
        kept, clock = current_cache(), row_clock()
        if kept is None:
            return [None] * count
        waiting = [
            (index, one, [column[index] for column in columns[one.inputs]])
            for index in range(count)
            for one in askers
            if kept_out(one.line, columns[one.gates], index) is None
        ]
        waiting = [each for each in waiting if not any(value.__class__ is Fault for value in each[2])]
        for _ in range(_MOST_ROUNDS):
            further = []
            with gathering() as gathered:
                for index, one, values in waiting:
                    gathered.at(index, one.line.name)
                    clock.fresh = True
                    try:
                        more = one.ask(*values) is not None
                    except (Exception, OutOfTime):  # a row is guarded: judging it will say what is wrong
                        continue
                    if more and gathered.open:
                        further.append((index, one, values))
            gathered.answer(kept)
            waiting = further
            if not waiting:
                break
        return [None] * count

    return run
