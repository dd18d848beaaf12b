"""What costs is asked in rounds: which evaluators ask together, and what their open rows ask."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from evaluators.model.limits import OutOfTime, row_clock
from evaluators.scoring.comparators._answer_cache import current_cache
from evaluators.scoring.evaluators._evaluator import Asking
from evaluators.scoring.fields.row_checks import ChunkCheck
from evaluators.scoring.judges.asking import QuestionList, asking_with
from evaluators.scoring.needs import Part
from evaluators.scoring.plan.cells import Cells
from evaluators.scoring.plan.chunk_scoring import ChunkScoring, Planned, cell_errors, verdict_of_gates
from evaluators.scoring.plan.graph import EvaluatorLine

_MOST_ROUNDS: Final = 20
"""So often an evaluator may ask further because of what was answered."""


def rounds_of(ordered: Sequence[EvaluatorLine]) -> list[list[EvaluatorLine]]:
    """Evaluators in groups, in the order in which they can be judged; the evaluators of a group ask together.

    An evaluator is in the first round in which all that it waits for is judged; what asks is judged one round later.
    In a round, those that ask nothing come first, each in a group of its own; all that ask are one group.
    """
    asking = {line.name for line in ordered if line.settings.asking() is not None}
    rounds: dict[str, int] = {}
    groups: dict[tuple[int, bool, str], list[EvaluatorLine]] = {}
    for line in ordered:
        parts = [need.evaluator for need in line.settings.needs() if isinstance(need, Part)]
        judged_in = [rounds[name] + 1 if name in asking else rounds[name] for name in (*line.needs, *parts)]
        rounds[line.name] = max(judged_in, default=0)
        asks = line.name in asking
        groups.setdefault((rounds[line.name], asks, "" if asks else line.name), []).append(line)
    return [groups[key] for key in sorted(groups, key=lambda key: key[:2])]


class RowsAsking:
    """The rows of a chunk that an evaluator asks about one by one, before it scores them."""

    def __init__(self, evaluator: Planned, columns: Sequence[Cells]) -> None:
        """Finds the rows that have something to ask: those whose gates are open and whose cells can be read. `columns` are the gates, then
        the inputs."""
        line = self.line = evaluator.line
        self._asking = line.settings.asking() or Asking()
        gates, cells = columns[: len(evaluator.gates)], columns[len(evaluator.gates) :]
        errors = cell_errors(cells)
        rows = [row for row in range(len(columns[0])) if row not in errors and verdict_of_gates(line, gates, row) is None]
        self._waiting = [(row, [column[row] for column in cells]) for row in rows]
        """The rows that have something to ask, each with its values."""

    def ask(self, questions: QuestionList) -> bool:
        """Puts what the waiting rows ask on the list. True where some row may ask more once that is answered.

        A row that fails is dropped here: judging it says what is wrong.
        """
        waiting, self._waiting = self._waiting, []
        for row, values in waiting:
            questions.begin([row], self.line.name)
            row_clock().fresh = True  # each row has the whole time for itself
            with suppress(Exception, OutOfTime):
                # None: whatever the answers are, the row asks no more
                if self._asking.ask(*values) is not None and questions.open:
                    self._waiting.append((row, values))
        return bool(self._waiting)

    def release(self) -> None:
        """Does nothing: nothing is held that has to be freed."""


def ask_together(*columns: Cells, together: Sequence[Planned]) -> Cells:
    """Asks the questions of some evaluators about the rows of a chunk together. In place of a column it gives one asker for each evaluator,
    whose questions are answered.

    The columns are those that the first evaluator reads, then those of the next.
    """
    askers: list[ChunkScoring | RowsAsking] = []
    rest = iter(columns)
    for planned in together:
        check, own_columns = planned.check, [*islice(rest, len(planned.reads))]
        if isinstance(check, ChunkCheck):
            askers.append(ChunkScoring(planned, check, own_columns))
        else:
            askers.append(RowsAsking(planned, own_columns))
    _ask_all(askers)
    return askers


def rows_of_asker(askers: Cells, number: int) -> Cells:
    """A `ScoredRow` for each row of one of the evaluators that asked together."""
    rows: Cells = askers[number].score_all()
    return rows


def _ask_all(askers: Sequence[ChunkScoring | RowsAsking]) -> None:
    """Asks the questions of the rows of a chunk, by row and then by evaluator, in rounds: an answer may lead to another question. Without a
    cache nothing is asked."""
    cache = current_cache()
    if cache is None:
        return
    waiting = askers
    try:
        for _ in range(_MOST_ROUNDS):
            questions = QuestionList()
            with asking_with(questions=questions):
                waiting = [asker for asker in waiting if asker.ask(questions)]
            row_clock().rest()
            questions.answer(cache)
            if not waiting:
                return
    except BaseException:
        for asker in askers:
            asker.release()
        raise
    for asker in waiting:  # what is still to be asked after the last round is asked while the rows are scored
        asker.release()
