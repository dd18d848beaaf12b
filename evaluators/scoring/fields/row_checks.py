"""Checks that score many rows at once, the rows that they scored, and what they count by path.

A check goes through rows together, settles and counts them; of each row it then says why it scores what it scores. Paths of counts have
`[*]` for every index. Those of whole documents grow with the documents, up to a cap: beyond it the first in alphabetical order are counted
apart, and all others together, under a name that says so. Which ones these are depends on nothing but the paths, so that rows counted in
parts come to what all rows count at once.

What is counted by path beside the four statuses are whole numbers that add up exactly. A key is (path, kind, denominator). For all kinds
but CREDIT the denominator is 1 and the count is a number of results; for CREDIT it is the sum of numerators of the partial credit that
results which do not match were given (a match counts 1 without being listed; where a match earns less than 1, the difference is listed as
a negative credit).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, NamedTuple, Self, TypeAlias, TypeVar

from msgspec.structs import replace

from evaluators.model.issues import Issue
from evaluators.model.rows import MISSING, Outcome, Reason, Result, RowStatus
from evaluators.scoring.fields.empty_values import EmptyValues
from evaluators.scoring.fields.key_spelling import KeySpelling, KnownKeys, Respelt
from evaluators.scoring.fields.outcomes import Documents
from evaluators.scoring.fields.reshaping import Reshapings
from evaluators.scoring.fields.results import ListResult
from evaluators.scoring.values.paths import display

Detail: TypeAlias = tuple[str, str, int]
ERRORS: Final = "errors"
"""Results that the output's value broke: among the mismatches of the path."""
FAULTS: Final = "faults"
"""Results that something else than the output broke: in no denominator."""
SKIPPED: Final = "skipped"
CREDIT: Final = "credit"
MATCHED: Final = "matched"
"""Items of an array that were paired and match as a whole; the path is the array's."""
MISSED: Final = "missed"
SPURIOUS: Final = "spurious"
PAIRED: Final = "paired"
EVALUATED: Final = "evaluated"
"""What the totals of a schema are over: results outside of lists, and each outermost list as a whole."""
PASSED: Final = "passed"
"""The evaluated ones that are right; a list is, when every expected item is there and right."""
SURPLUS_VALUES: Final = "surplus values"
"""Values of an open tree that stand in items which only the output has, among the hallucinations of the path."""
SURPLUS_ITEMS: Final = "surplus items"
"""Items of lists that only the output has, of all lists together: the path is empty.

A schema counts those of outermost lists in which any are expected.
"""
SURPLUS_ROWS: Final = "surplus rows"
"""The rows in which there are any; the path is empty."""
SURPLUS_DETAILS: Final = frozenset((SURPLUS_VALUES, SURPLUS_ITEMS, SURPLUS_ROWS))
OUTSIDE: Final = "outside"
"""Keys that the expected side has and the schema lacks; in no denominator."""
OVERFLOW: Final = "(other paths)"
"""The path that all paths share beyond those which a check counts apart."""


class ScoredRows:
    """Rows that were scored together, with all results, until they are released.

    What it says of a row is read from what scored it: nothing is compared again. Where questions that cost were only put
    on a list, the rows are pending until they are settled.
    """

    respelt: Sequence[Respelt] = ()
    """The output of each row with known keys, where differences in spelling do not count; empty where they do."""
    unshaped: Mapping[int, Sequence[str]] = MappingProxyType({})
    """By row, sentences about values of the output that could not be reshaped."""

    def spell_with_known_keys(
        self, keys: KeySpelling, known: KnownKeys, expected: Sequence[Any], outputs: Sequence[Any]
    ) -> Sequence[Any]:
        """The outputs of the rows with the known spelling of keys. Keeps how each output spells them."""
        self.respelt = [keys.respell(known, output, document) for document, output in zip(expected, outputs, strict=True)]
        return [respelt.document for respelt in self.respelt]

    def reshape(
        self, reshapings: Reshapings, expected: Sequence[Any], outputs: Sequence[Any]
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        """The documents of the rows, in which values were split, parsed or unwrapped. Keeps the notes on values of
        outputs that could not be. Raises RowProblem for an expected value that cannot be changed."""
        rows = reshapings.of_rows(expected, outputs)
        self.unshaped = {at: notes for at, notes in enumerate(rows.notes) if notes}
        return rows.expected, rows.outputs

    @property
    def pairs_by_asking(self) -> bool:
        """Whether answers of comparators that cost decide which items are paired. Then rows are walked through once more when these are
        there."""
        return False

    def lists(self) -> Iterable[tuple[int, ListResult]]:
        """(position of the row, list) of each list that was looked into, with how its items were paired, and of each that is skipped."""
        return ()

    def sides_of(self, at: int) -> tuple[Any, Any]:
        """The expected document and the output of the row at place `at` among these; MISSING twice for rows that do not keep them."""
        return MISSING, MISSING

    def empty_values(self, rows: Collection[int], absent: Sequence[Any]) -> EmptyValues:
        """Which values of some rows are empty, by field. Values in `absent` count as empty, too."""
        return EmptyValues()

    def no_items(self, at: int) -> tuple[Literal["output", "expected"], Mapping[str, Sequence[str]]]:
        """(side, lists): the lists of a row that have no items on that side, by path, each with the names of the rules that are about its
        items."""
        return "output", {}

    def settle(self) -> None:
        """Takes the answers to the questions of these rows. A family of checks that asks nothing has none."""

    def reason(self, at: int, unreadable: Issue | None = None) -> Reason:
        """Why a row scores what it scores, with all its results. `unreadable` is why there is no output."""
        raise NotImplementedError  # the contract: each family of checks words its own results

    def wrong_outcomes(self, at: int, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
        """The wrong outcomes of a row in its `wanted` fields. `listed` are the fields that may be wanted by name; "" among the wanted ones
        stands for all others."""
        raise NotImplementedError  # the contract: each family of checks words its own results

    def documents(self, at: int) -> Documents | None:
        """Every result of a row that is scored by a schema; None without a schema."""
        return None

    def release(self) -> None:
        """Frees what the walk found. Nothing may be read from the rows afterwards."""


Rows = TypeVar("Rows", bound=ScoredRows)


class ScoredRow(NamedTuple):
    """The verdict of a row, and the rows that explain it."""

    verdict: Result
    rows: ScoredRows | None = None
    """The rows that it was scored with; None where it could not be scored."""
    at: int = 0
    """Its place among them."""

    def reason(self, unreadable: Issue | None = None) -> Reason:
        """Why the row scores what it scores; `unreadable` is why there is no output."""
        if self.rows is None:
            return Reason()
        reason = self.rows.reason(self.at, unreadable)
        if notes := self.rows.unshaped.get(self.at):
            reason = replace(reason, text="; ".join(filter(None, (reason.text, *notes))))
        return self.rows.respelt[self.at].spell_reason(reason) if self.rows.respelt else reason

    def wrong_outcomes(self, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
        """The wrong outcomes of the row in its `wanted` fields. `listed` are the fields that may be wanted by name; "" among the wanted
        ones stands for all others."""
        wrong = [] if self.rows is None else self.rows.wrong_outcomes(self.at, wanted, listed)
        return self.rows.respelt[self.at].spell_outcomes(wrong) if self.rows is not None and self.rows.respelt else wrong


class ChunkCheck(Generic[Rows]):
    """A check that scores many rows at once. Asked about one row, it raises what keeps that row from being scored."""

    def __call__(self, *values: Any) -> Result:
        """The verdict of one row, without reasons: what they are made from is released at once."""
        row = self.score_row(*values)
        release_rows([row])
        return row.verdict

    def score_row(self, *values: Any) -> ScoredRow:
        """Scores and counts one row, given as a value for each need. The caller releases it."""
        (row,) = self.score(*([value] for value in values))
        return row

    def verdicts(self, *columns: Sequence[Any]) -> list[Result]:
        """Scores and counts some rows, given as a column for each need, and gives their verdicts. What would explain them is released."""
        scored = self.score(*columns)
        release_rows(scored)
        return [row.verdict for row in scored]

    def score(self, *columns: Sequence[Any]) -> list[ScoredRow]:
        """Scores and counts some rows, given as a column for each need. Raises what one of them raises; nothing is counted then. The caller
        releases the rows."""
        return self.settle_rows(self.begin(*columns))

    def begin(self, *columns: Sequence[Any]) -> Rows:
        """Compares some rows, and puts what comparators that cost are to be asked on a list. Raises what one of the rows raises. The caller
        releases the rows."""
        raise NotImplementedError  # the contract: each family of checks scores its own rows

    def settle_rows(self, rows: Rows) -> list[ScoredRow]:
        """Settles rows that were begun, once their questions are answered, counts them, and gives their verdicts. Raises what one of them
        raises: nothing is counted then, and they are released."""
        raise NotImplementedError  # the contract: each family of checks scores its own rows

    def row_to_explain(self, *values: Any) -> ScoredRows:
        """Scores one row to be explained, without counting it. The caller releases it."""
        rows = self.begin(*([value] for value in values))
        rows.settle()
        return rows


class RowsCheck(ChunkCheck[Rows]):
    """A check that scores many rows at once, and counts results by path: those of whole documents and of schemas."""

    def __init__(self) -> None:
        self._tally = PathTally()
        self._watched: dict[str, int] = {}
        """The position, by name, of the fields whose counts each verdict has."""

    def watch_fields(self, paths: Sequence[str]) -> Self:
        """Makes every verdict also have the counts of some fields in its row; returns the check itself."""
        self._watched = places_of(paths)
        return self

    def counts(self) -> dict[str, Counts]:
        """(match, mismatch, omission, hallucination) by path, sorted by path, of all rows so far."""
        return self._tally.counts()

    def details(self) -> Mapping[Detail, int]:
        """Counts beside those of the statuses: skipped results, faults, paired items and so on, by path and kind."""
        return self._tally.details()


FoundEmpties: TypeAlias = tuple[EmptyValues, dict[int, int]]
"""The empty values of rows that were scored together, and which row of the chunk each of them is."""


def empty_values(scored: Sequence[ScoredRow], absent: Sequence[Any]) -> list[FoundEmpties]:
    """Which values are empty, by field, in the rows of a chunk that were scored, whose output cannot be read, or in which nothing was
    measured: one answer for each group of rows that were scored together."""
    walked = {id(row.rows): row.rows for row in scored if row.rows is not None}
    wanted: dict[int, dict[int, int]] = {key: {} for key in walked}
    for row, scored_row in enumerate(scored):
        if scored_row.rows is not None and scored_row.verdict.status in _COUNTED:
            wanted[id(scored_row.rows)][scored_row.at] = row
    return [(rows.empty_values(wanted[key].keys(), absent), wanted[key]) for key, rows in walked.items()]


_COUNTED: Final = (RowStatus.SCORED, RowStatus.UNREADABLE, RowStatus.NOT_MEASURED)


def places_of(fields: Sequence[str]) -> dict[str, int]:
    """The position of each field, by its name, among those whose status every row has."""
    return {name: index for index, name in enumerate(fields)}


def release_rows(scored_rows: Iterable[ScoredRow]) -> None:
    """Releases what some scored rows are explained from. Rows that were scored together share it."""
    for rows in {id(scored.rows): scored.rows for scored in scored_rows}.values():
        if rows is not None:
            rows.release()


Name: TypeAlias = tuple[Any, ...]
"""A place, with `ANY` for every index."""
Counts: TypeAlias = tuple[int, int, int, int]
"""Match, mismatch, omission, hallucination."""
PATH_CAP: Final = 20_000
"""Paths that one check counts apart. Far fewer are reported; so many make the metrics the same for any split."""
SURPLUS: Final = 0
"""In place of a status: a value in an item that only the output has."""


class PathTally:
    """The counts of one evaluator, by path."""

    def __init__(self, cap: int = PATH_CAP) -> None:
        """`cap` is the number of paths that are counted apart."""
        self._cap = cap
        self._paths: dict[Name, list[int]] = {}
        """How often each status was met, by its number. Items that only the output has are counted apart, at `SURPLUS`."""
        self._overflow = [0, 0, 0, 0, 0]
        self._last: str | None = None
        """The last path that is counted apart, once there were too many."""
        self.surplus_items = self.surplus_rows = 0

    def add(self, names: Sequence[Name], status: int, times: int) -> None:
        """Counts `times` leaves of each of some places: `status` is the number of what they have, or `SURPLUS`. Once there
        were too many places, a new one that is later in the alphabet than all that stayed is counted with the others beyond the cap."""
        for name in names:
            counts = self._paths.get(name)
            if counts is None:
                if self._last is not None and display(name) > self._last:
                    counts = self._overflow
                else:
                    counts = self._paths[name] = [0, 0, 0, 0, 0]
            counts[status] += times

    def trim(self) -> None:
        """Counts paths beyond the cap together. It is called between chunks, now and then."""
        if len(self._paths) <= 2 * self._cap:
            return
        order = sorted((display(name), name) for name in self._paths)
        self._last = order[self._cap - 1][0]
        for _, name in order[self._cap :]:
            self._overflow = [a + b for a, b in zip(self._overflow, self._paths.pop(name), strict=True)]

    def counts(self) -> dict[str, Counts]:
        """(match, mismatch, omission, hallucination) by path, sorted by path."""
        spelled = sorted(self._counts_by_text())
        return {path: (a, b, c, d + surplus) for path, (surplus, a, b, c, d) in spelled if any((surplus, a, b, c, d))}

    def details(self) -> dict[Detail, int]:
        """The items that only the output has, in how many rows, and their values by path."""
        if not self.surplus_rows:
            return {}
        counts = {("", SURPLUS_ITEMS, 1): self.surplus_items, ("", SURPLUS_ROWS, 1): self.surplus_rows}
        return counts | {
            (path, SURPLUS_VALUES, 1): counts[SURPLUS] for path, counts in self._counts_by_text() if counts[SURPLUS]
        }

    def _counts_by_text(self) -> Iterator[tuple[str, list[int]]]:
        """The path of each place as text, with its counts; first those of all further places together."""
        yield OVERFLOW, self._overflow
        for name, counts in self._paths.items():
            yield display(name), counts
