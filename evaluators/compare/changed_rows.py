"""Which rows changed from the base to the new run: what is counted of them, and what is listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from evaluators.compare.comparison import ChangedRow
from evaluators.compare.paired_rows import Pairs, RowPair
from evaluators.compare.row_changes import Change, change_of, score_states, weightiest
from evaluators.compare.sides import Said, Side
from evaluators.model import FieldStatus, RowStatus

_QUIET = ("unchanged", "never measured")


def changed_rows(
    pairs: Pairs, evaluators: Sequence[str], base: Side, new: Side, variant: str | None
) -> tuple[list[ChangedRow], Counter[Change]]:
    """The rows of which a verdict changed or was lost, and how many rows there are of each kind."""
    known: dict[tuple[Said, Said], Change] = {}
    counts: Counter[Change] = Counter()
    rows: list[ChangedRow] = []
    columns = zip(*map(pairs.verdicts, evaluators), strict=True) if evaluators else iter([()] * pairs.total)
    for row, verdicts in zip(pairs.rows(), columns, strict=True):
        changes = [known.get(said) or known.setdefault(said, change_of(*score_states(*said))) for said in verdicts]
        change = weightiest(changes)
        counts[change] += 1
        if change not in _QUIET:
            found = dict(zip(evaluators, zip(changes, verdicts, strict=True), strict=True))
            rows.append(_changed(pairs, row, change, found, base, new, variant))
    return rows, counts


def _changed(
    pairs: Pairs,
    row: RowPair,
    change: Change,
    found: Mapping[str, tuple[Change, tuple[Said, Said]]],
    base: Side,
    new: Side,
    variant: str | None,
) -> ChangedRow:
    of = {
        kind: tuple(name for name, (each, _) in found.items() if each == kind)
        for kind in ("broken", "fixed", "lost", "gained", "settled")
    }
    fields = [
        text
        for name in found
        if name in (*of["broken"], *of["fixed"])
        for text in _field_changes(name, *found[name][1], base.fields[name], new.fields[name])
    ]
    unscored = [(name, found[name][1][1]) for name in of["lost"]] + [(name, found[name][1][0]) for name in of["gained"]]
    id_, number = pairs.named(row)
    return ChangedRow(
        id_, number, of["broken"], of["fixed"], tuple(fields), variant, change, of["lost"],
        tuple(name for name in of["lost"] if (was := found[name][1][0]) is not None and was.passed), of["gained"], of["settled"],
        {name: _why(said) for name, said in unscored},
    )  # fmt: skip


def _why(said: Said) -> str:
    """Why a run did not score a row."""
    if said is None:
        return "absent"
    status = "nothing there" if said.status is RowStatus.NOT_MEASURED else said.status.word
    return f"{status}: {said.issue.message}" if said.issue is not None and said.issue.message else status


def _field_changes(name: str, was: Said, now: Said, before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    if was is None or now is None:
        return
    old = dict(zip(before, map(FieldStatus, was.statuses), strict=False))
    for path, status in zip(after, map(FieldStatus, now.statuses), strict=False):
        if path in old and old[path] is not status:
            yield f"{name}.{path}: {old[path].word} → {status.word}"
