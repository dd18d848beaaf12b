"""What results have beside their status: the code of a reason, its words, the values as they were compared; and the count of items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Literal

from msgspec import Struct

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING, FieldStatus, Outcome
from evaluators.scoring.fields.instance_paths import InstancePath, places_above, spelled
from evaluators.scoring.fields.scored import MEASURED, ListOutcome, ratio_of
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.judges.judged_comparator import ListTotals
from evaluators.scoring.values.equality import same
from evaluators.scoring.values.pairing import Pairs
from evaluators.scoring.values.transforms import TransformError

WRONG: Final = frozenset(
    (FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION, FieldStatus.ERROR, FieldStatus.NOT_JUDGED)
)
_COUNTED: Final = WRONG | MEASURED
"""The statuses of items that count."""
OURS: Final = frozenset(
    ("code", "metric", "outside", "ratio", "batch", "stands_for", "compared_expected", "compared_actual", "unreadable")
)
"""The names in `details` that scoring reads. A comparator cannot set them."""


class ShownList(Struct, frozen=True):
    """An array of one row, as its items were paired."""

    location: InstancePath
    node: FieldNode
    expected: Any
    actual: Any
    pairs: Pairs = []
    """The items that go together: (expected, output) indexes."""
    notes: tuple[str, ...] = ()
    """What is worth saying of how the items were paired."""
    expects_nothing: bool = False
    """The expected value counts as absent."""

    @property
    def sizes(self) -> tuple[int, int]:
        """How many items the expected side and the output have.

        Those of the output do not count where the expected side has something that is neither a list nor empty.
        """
        counted = self.expects_nothing or isinstance(self.expected, list) or self.expected in (MISSING, None, {})
        return _size(self.expected), _size(self.actual) if counted else 0

    @property
    def alone(self) -> list[int]:
        """The items of the output that no expected item is paired with."""
        paired = {column for _, column in self.pairs}
        return [column for column in range(_size(self.actual)) if column not in paired]

    def items(self, path: str) -> list[str]:
        """Where the items stand, in an array at a spelled path."""
        rows = [item_path(path, row) for row in range(_size(self.expected))]
        return rows + [item_path(path, f"+{column}") for column in self.alone]


def item_path(path: str, index: int | str) -> str:
    """Where an item stands, in an array at a spelled path; `+1` is one that only the output has."""
    return f"[{index}]" if path == "$" else f"{path}[{index}]"


def _size(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0


def settle_arrays(arrays: Iterable[ShownList], results: Iterable[Outcome]) -> tuple[ListOutcome, ...]:
    """The arrays in which something was measured, with their items counted from the results.

    An item in which nothing was measured, since it has no field that is looked at, is not counted.
    """
    listed = [(spelled(array.location), array) for array in arrays]
    wanted = {path for path, _ in listed}.union(*(array.items(path) for path, array in listed))
    inside: defaultdict[str, list[FieldStatus]] = defaultdict(list)
    own: defaultdict[str, list[FieldStatus]] = defaultdict(list)
    for result in results:
        own[result.path].append(result.status)
        for place in places_above(result.path):
            if place in wanted:
                inside[place].append(result.status)
    return tuple(
        _settled(path, array, inside, own[path]) for path, array in listed if MEASURED.intersection(inside[path])
    )


def judged_arrays(
    asked: Mapping[tuple[str, object], tuple[Fraction, ListTotals]], results: Iterable[Outcome]
) -> tuple[ListOutcome, ...]:
    """The arrays that a metric compares as a whole, with the items that match as the metric's result says.

    `asked`: by path and name of the metric, the weight of the array, and how its items count.
    """
    if not asked:
        return ()
    return tuple(
        _judged(result, *asked[path])
        for result in results
        if result.status in MEASURED and (path := (result.path, result.details.get("metric"))) in asked
    )


def _judged(result: Outcome, weight: Fraction, totals: ListTotals) -> ListOutcome:
    """The outcome of a list whose items a judge compared. Where no judge was asked, all items match, or none does."""
    details: Mapping[str, Any] = result.details
    right = result.status is FieldStatus.MATCH
    sides = details.get("compared_expected", result.expected), details.get("compared_actual", result.actual)
    expected, output = (len(side) if isinstance(side, list) else 0 for side in sides)
    if "matched" in details:
        matched, missed, spurious = (int(details[name]) for name in ("matched", "missed", "spurious"))
        pairs = [(int(row), int(column)) for row, column in details.get("pairs", ())]
    else:
        matched, missed, spurious = (expected, 0, 0) if right else (0, expected, output)
        pairs = [(row, row) for row in range(matched)]
    return ListOutcome(
        result.path, result.place, result.comparator or "", result.code, matched, missed, spurious, matched, tuple(pairs),
        ratio_of(weight), right and not expected and not output, totals.surplus_counts, result.metric, ratio_of(totals.pass_at),
        expected=result.expected, actual=result.actual,
    )  # fmt: skip


def reason_code(status: FieldStatus, expected: Any, actual: Any) -> str:
    """Why a result is what it is, in the words of extract-bench's reports: by what is missing, then null, then empty."""
    if status is FieldStatus.MATCH:
        return "match"
    if status is FieldStatus.ERROR or status is FieldStatus.NOT_JUDGED:
        return "error"
    for side, name in ((expected, "gold"), (actual, "extracted")):
        if side is MISSING:
            return f"{name}_missing"
    for side, name in ((expected, "gold"), (actual, "extracted")):
        if side is None:
            return f"{name}_null"
    for side, name in ((expected, "gold"), (actual, "extracted")):
        if isinstance(side, list) and not side:
            return f"{name}_empty_array"
    return "mismatch"


def _settled(
    path: str, array: ShownList, inside: Mapping[str, list[FieldStatus]], own: Sequence[FieldStatus]
) -> ListOutcome:
    rows, columns = array.sizes
    aside = {row for row in range(rows) if _COUNTED.isdisjoint(inside.get(item_path(path, row), ()))}
    pairs = [pair for pair in array.pairs if pair[0] not in aside]
    alone = [column for column in array.alone if _COUNTED.isdisjoint(inside.get(item_path(path, f"+{column}"), ()))]
    aside_too = {*alone, *(column for row, column in array.pairs if row in aside)}
    expected, output = rows - len(aside), columns - len(aside_too) if columns else 0
    matching = tuple(pair for pair in pairs if _matches(inside[item_path(path, pair[0])]))
    matched = len(matching)
    alike = not expected and not output and FieldStatus.MATCH in own
    right = alike or (expected == matched == output and expected > 0)
    code = reason_code(FieldStatus.MATCH if right else FieldStatus.MISMATCH, array.expected, array.actual)
    unmeasured = tuple(sorted(aside)), tuple(sorted(aside_too))
    return ListOutcome(
        path, array.node.name, array.node.align.rule, code, matched, expected - matched, output - matched, len(pairs), matching,
        ratio_of(array.node.weight), alike, unmeasured=unmeasured if any(unmeasured) else None, notes=array.notes,
        expected=array.expected, actual=array.actual,
    )  # fmt: skip


def _matches(statuses: Sequence[FieldStatus]) -> bool:
    """Whether a pair of items matches as a whole."""
    return not WRONG.intersection(statuses) and FieldStatus.MATCH in statuses


def compared(apply: Callable[[Any], Any] | None, expected: Any, actual: Any) -> dict[str, object]:
    """The values as they were compared, where transforms changed them. `apply` is what was done to both."""
    changed: dict[str, object] = {}
    if apply is None:
        return changed
    for name, value in (("compared_expected", expected), ("compared_actual", actual)):
        if value is MISSING:
            continue
        try:
            made = apply(value)
        except (TransformError, RowProblem):  # the result itself says what went wrong
            continue
        if not same(value, made):
            changed[name] = made
    return changed


def reason_of(
    status: FieldStatus, expected: Any, actual: Any, schema: Literal["knows it", "outside", "elsewhere"] = "knows it"
) -> str | None:
    """Why a result has the status that its presence gave it; None for two values that differ. `schema`: whether it knows the place, or
    only in another branch."""
    if status is FieldStatus.SKIPPED:
        return "skipped"
    if expected is MISSING and actual is MISSING:
        return "required, and absent on both sides"
    if status is FieldStatus.OMISSION:
        return "missing in the output" if actual is MISSING else "null in the output"
    if status is FieldStatus.HALLUCINATION and expected is MISSING:
        return _ONLY_THE_OUTPUT[schema]
    if status is FieldStatus.MATCH:
        return "null on both sides" if actual is None else "equal"
    return None


_ONLY_THE_OUTPUT: Final = {
    "knows it": "only the output has it",
    "outside": "only the output has it, and the schema does not know it",
    "elsewhere": "only the output has it, and it belongs to another branch of the schema",
}


WEIGHTLESS: Final = "no field that counts was measured: the others have weight 0"
"""Why a row is not measured that has fields to compare."""


def of_fields(match: int, whole: int, results: Iterable[Outcome], noun: Literal["field", "value"]) -> str:
    """How many of some fields or values are right, and the first that is not: `2 of 3 fields right; first difference: …`."""
    wrong = next((one for one in results if one.status in WRONG), None)
    if match == whole:
        return f"the only {noun} is right" if whole == 1 else f"all {whole} {noun}s are right"
    text = f"{match} of {whole} {noun}s right"
    return text if wrong is None else f"{text}; first difference: {wrong.path or 'the whole document'}, {wrong.reason}"
