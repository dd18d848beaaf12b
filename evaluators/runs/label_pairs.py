"""Label pairs: which output stands where which label is expected, as a column of codes.

A pair of texts is noted as it is met; what is a label is known once all rows are. An evaluator has labels by itself where at most
MOST_LABELS different short texts are expected. Where the suite lists the labels, every other text is one thing at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from evaluators.model.rows import MISSING, Result, RowStatus
from evaluators.scoring.evaluators._texts import LabelRule
from evaluators.scoring.needs import column_of
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.json_text import to_text

MOST_LABELS: Final = 50
"""Different expected texts that are labels without the suite listing them."""
LONGEST: Final = 64
"""Characters of a label."""
MOST_PAIRS: Final = 10_000
"""Different pairs of an expected text and an output that are counted."""
_MOST_KNOWN: Final = 10_000
"""Cells of which it is remembered what pair they are."""
NO_PAIR, NO_LABELS = -1, -2
"""In place of a code: a row without a score, and one from where on an evaluator has no labels."""
MOST_UNLISTED: Final = 5
"""Expected answers outside the list that are named, the first ones."""
OTHER: Final = "(no label)"
UNREADABLE: Final = "(unreadable)"
MISSING_OUTPUT: Final = "(missing)"
BLOCKED: Final = "(blocked)"
SPECIAL: Final = (OTHER, UNREADABLE, MISSING_OUTPUT, BLOCKED)
"""The columns for outputs that are no label, in order."""


LabelKey: TypeAlias = str
"""What stands on one side: a label behind `=`, or one of SPECIAL."""
_TOO_LONG: Final = "="
"""The key of a text that is too long for a label."""
LabelPair: TypeAlias = tuple[LabelKey, LabelKey]


FirstRow: TypeAlias = tuple[int, str]
"""A row of a pair: its offset in the split, later its number, and its id."""


def is_label(key: LabelKey) -> bool:
    """Whether the key of one side of a pair is a label, and none of SPECIAL."""
    return key.startswith("=")


class LabelColumn:
    """The label pairs of one evaluator in one split, as a column of codes."""

    def __init__(self, rule: LabelRule, columns: Sequence[str], of_parts: bool = False) -> None:
        """`rule` says how labels are read, `columns` names the column of outputs and that of expected texts, in this order. With
        `of_parts`, labels are parts of cells, and not whole cells."""
        self._rule, self.of_parts = rule, of_parts
        self._output, self._expected = columns
        self._listed = frozenset(rule.labels) if rule.labels is not None else None
        self.given_up = False
        """What is expected is no label: no row of the split has a pair."""
        self.unlisted: dict[str, tuple[int, ...]] = {}
        """The first expected answers that are none of the listed labels, each with the offset of its first row."""
        self.pairs: dict[LabelPair, int] = {}
        self._wanted = set[LabelKey]()
        self._known: dict[tuple[Any, Any, int], int] = {}

    def parts(self, outputs: Sequence[Any], expected: Sequence[Any]) -> dict[str, Sequence[Any]]:
        """The parts of cells in the form in which `codes` takes columns."""
        return {self._expected: expected, self._output: outputs}

    def codes(
        self,
        columns: Mapping[str, Sequence[Any]],
        codes: Sequence[int],
        verdicts: Sequence[Result],
        offsets: Sequence[int],
    ) -> list[int]:
        """The code of the label pair of each row: NO_PAIR for a row without a score, NO_LABELS for all once what is expected is no label.

        `columns` are cells by column, `codes` the numbers of the rows' verdicts in `verdicts`, and `offsets` the numbers of the rows
        in their split. New pairs are added to `pairs`. Where what is expected turns out to be no label, `given_up` is set, and `pairs`
        is emptied.
        """
        if self.given_up:
            return [NO_LABELS] * len(codes)
        nothing = [MISSING] * len(codes)
        expected, outputs = columns.get(self._expected) or nothing, columns.get(self._output) or nothing
        pair_codes: list[int] = []
        try:
            for place, key in enumerate(zip(expected, outputs, codes, strict=True)):
                code = self._known.get(key)
                if code is None:
                    code = self._add_pair(*key, verdicts, offsets[place])
                    if self.given_up:
                        break
                    if len(self._known) == _MOST_KNOWN:
                        self._known.clear()
                    self._known[key] = code
                pair_codes.append(code)
        except TypeError:  # a cell holds a list or an object: what is expected are no texts
            self.given_up = True
        if not self.given_up:
            return pair_codes
        for counts in (self.pairs, self._wanted, self._known):
            counts.clear()
        return [NO_LABELS] * len(codes)

    def _add_pair(self, expected: Any, output: Any, verdict: int, verdicts: Sequence[Result], offset: int) -> int:
        """Adds the label pair of a row to `pairs`, where it is new, and gives its code; NO_PAIR for a row without a score. `verdict` is the
        row's place in `verdicts`, and `offset` its number in the split.

        Sets `given_up` where there are too many labels to count, and notes in `unlisted` an expected answer that is none of the listed.
        """
        pair = label_pair(self._rule, self._listed, expected, output, verdicts[verdict].status)
        if pair is None:
            return NO_PAIR
        code = self.pairs.setdefault(pair, len(self.pairs))
        wanted, _ = pair
        self._wanted.add(wanted)
        if self._listed is None and (wanted == _TOO_LONG or too_many_for_labels(len(self._wanted), len(self.pairs))):
            self.given_up = True
        if not is_label(wanted) and not self._rule.other and len(self.unlisted) < MOST_UNLISTED:
            self.unlisted.setdefault(expected if expected.__class__ is str else to_text(expected), (offset,))
        return code


def too_many_for_labels(expected: int, pairs: int) -> bool:
    """Whether so many different expected texts, or pairs, are no labels by themselves."""
    return expected > MOST_LABELS or pairs > MOST_PAIRS


def label_pair(
    rule: LabelRule, listed: frozenset[str] | None, expected: Any, output: Any, status: RowStatus
) -> LabelPair | None:
    """The pair of labels (expected, output) that a row counts as; None for a row without a score, and an empty expected text where
    it is no label.

    `listed` are the labels that every other text is told from; None where any short text may be a label.
    """
    if not status.scored:
        return None
    wanted = rule.read(expected) if expected.__class__ is str else ""
    if listed is not None:
        label = f"={wanted}" if wanted in listed else OTHER
    else:
        label = _TOO_LONG if _is_too_long(wanted) else f"={wanted}"
    return label, _output_label(rule, listed, output, status)


def _output_label(rule: LabelRule, listed: frozenset[str] | None, output: Any, status: RowStatus) -> LabelKey:
    """The label key of an output: `=` and the label, or MISSING_OUTPUT, BLOCKED, UNREADABLE, and OTHER for what is no label, or not a
    listed one."""
    if output is None or output is MISSING or (output.__class__ is str and not output.strip()):
        return MISSING_OUTPUT
    if status is RowStatus.BLOCKED:
        return BLOCKED
    if status is RowStatus.UNREADABLE:
        return UNREADABLE
    text = rule.read(output) if output.__class__ is str else ""
    if not text or _is_too_long(text) or (listed is not None and text not in listed):
        return OTHER
    return f"={text}"


def _is_too_long(cell: Any) -> bool:
    """Whether a cell is a text that is too long for a label, or has several lines."""
    return cell.__class__ is str and (len(cell) > LONGEST or "\n" in cell.strip())


def label_column_of(line: EvaluatorLine, roles: Mapping[str, str]) -> LabelColumn | None:
    """The counter of an evaluator's labels; None for one that has none."""
    rule = line.settings.label_rule()
    if rule is None:
        return None
    columns = [column for need in line.settings.needs()[:2] if (column := column_of(need)) is not None]
    return LabelColumn(rule, [column.name_by(roles) for column in columns], any(column.at for column in columns))
