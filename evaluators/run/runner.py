"""A run: every split scored, parts merged in the order of the file, sums made into one result.

Memory stays flat: a few splits are under way at a time, and what is kept of a split is its sums. When a run is stopped,
the rows from the first one up to the first unfinished split make a valid, shorter run that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from evaluators.conditions import Condition
from evaluators.fields.key_counts import KeyCounts
from evaluators.issues import Blame, Issue, Problems
from evaluators.judges.answer_lines import AskedTotals, JudgeTotals
from evaluators.run.declared import Declared
from evaluators.run.engines.engine import Assignment, Crew, asked_to_stop
from evaluators.run.glimpse import Glimpse
from evaluators.run.ids import MOST_IDS, Ids
from evaluators.run.job import (
    Job,
    remove_parts,
    row_columns,
    run_split,
    without_cycle_search,
)
from evaluators.run.label_counts import LabelSums
from evaluators.run.measures import MeasuredSums
from evaluators.run.part_files import part_path
from evaluators.run.record_files import (
    RecordFiles,
    full_keys,
    join_answers,
    join_cells,
    join_outcomes,
    keeps_cells,
    keeps_every_outcome,
)
from evaluators.run.result import Counts, EvaluatorStats, FieldStats
from evaluators.run.row_issues import MOST_ISSUES
from evaluators.run.rows import join_parts
from evaluators.run.slices import MOST_SLICES, SliceKey, limit_slices, merge_slices
from evaluators.run.split_result import SplitResult
from evaluators.run.stats import evaluator_stats, key_stats
from evaluators.run.tally import Tally
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.testsets.byte_store import store_of
from evaluators.testsets.reader import Split
from evaluators.value_class import NamedTuple, dataclass, field, replace

if TYPE_CHECKING:
    from evaluators.run.kept_splits import KeptSplits
    from evaluators.run.sent_parts import SentResult


@dataclass(frozen=True, slots=True)
class Task:
    """One split to score. `full` are keys of what is recorded that earlier splits have filled."""

    split: Split
    full: frozenset[str] = frozenset()


class MergedSplit(NamedTuple):
    """A split whose sums are merged, and whose files can be joined."""

    split: int
    """Its index."""
    first: int
    """The number of its first row."""
    attempt: str = ""
    """The word in the names of its files."""


@dataclass(slots=True)
class MeasuredTestSet:
    """The merged sums of one test set, or of one variant of it."""

    tallies: list[Tally]
    keys: list[KeyCounts]
    """What was wrong with the keys that align lists, by evaluator."""
    rows: int = 0
    without_output: int = 0
    """Rows for which a joined file has no output."""
    several: int = 0
    """Outputs that hold more than one JSON document."""
    slices: dict[SliceKey, list[Tally]] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    issue_counts: dict[str, int] = field(default_factory=dict)
    parts: list[MergedSplit] = field(default_factory=list)
    """The splits, in order."""
    finished: bool = True
    trouble: Issue | None = None
    """What ended the run before its last row, where nobody asked it to stop."""
    ids: Ids = field(default_factory=Ids)
    """The ids of the first rows, with row numbers."""
    recorded: dict[str, int] = field(default_factory=dict, compare=False)
    """How many rows were recorded under each key, those included that another split had already made enough."""
    schemas: dict[str, Declared] = field(default_factory=dict)
    """What the schemas of the rows declare, by hash."""
    asked: AskedTotals = field(default_factory=AskedTotals, compare=False)
    """How much was asked of whoever costs something."""
    judged: JudgeTotals = field(default_factory=JudgeTotals, compare=False)
    """What judges said."""
    labels: list[LabelSums | None] = field(default_factory=list)
    """What stood where which label was expected, by evaluator."""
    measures: MeasuredSums = field(default_factory=MeasuredSums)
    """What the columns of measures come to."""
    taken_over: int = field(default=0, compare=False)
    """How many splits were scored before, by a run that was ended."""
    scored_again: int = field(default=0, compare=False)
    """How often a split was scored once more, because its worker was lost."""
    glimpse: Glimpse = field(default_factory=Glimpse, compare=False)
    """What the rows of the first split hold at its beginning. Splits depend on the file alone, so hints do, too."""


def measure(
    job: Job,
    lines: Sequence[EvaluatorLine],
    crew: Crew,
    name: str,
    stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int, float | None], None] = lambda rows, share: None,
    kept: Callable[[], KeptSplits] | None = None,
    counted: Callable[[int, int], None] = lambda finished, splits: None,
) -> MeasuredTestSet:
    """Score every row of the job's table. `name` is what places in messages call the test set.

    `progress` is told of rows as they are finished and, after each split, which share of the table is finished. The finished
    splits among those that are `kept` are taken as they are. `counted` is told how many splits are finished, of how many.
    """
    splits = job.table.splits()
    if len(splits) == 1 and job.asking is None:
        job = replace(job, kept=False)  # scoring again costs no more than looking for what was kept
    before = kept() if kept is not None and job.kept else None
    done = before.finished(splits) if before is not None else {}
    load = {index: partial(before.result, splits[index]) for index in done} if before is not None else {}
    merging = Merging(job, lines, name, kept=load)
    merging.take_kept()
    if done:
        progress(sum(done.values()), len(done) / len(splits))
    if job.kept:
        counted(len(done), len(splits))

    def tasks() -> Iterator[Task]:
        for split in splits:
            if stopped() or merging.trouble is not None:
                return
            if split.index not in done:
                yield Task(split, merging.full)

    with without_cycle_search():
        run = _function(job, lines, crew, stopped, progress)
        assignment = Assignment(run, stopped, partial(_given_up, job), merging.again)
        finished = len(done)
        for found in crew.map(assignment, tasks()):
            result = found if isinstance(found, SplitResult) else _received(job, found)
            merging.take(result)
            finished += result.finished
            progress(0 if crew.shares_memory else result.rows, finished / len(splits))
            if job.kept:
                counted(finished, len(splits))
    return merging.measured(of=len(splits))


def run_task(job: Job, task: Task) -> SplitResult:
    """What a worker process runs."""
    return run_split(job, task.split, task.full, asked_to_stop)


def send_task(job: Job, task: Task) -> SentResult:
    """What a worker of a cluster runs."""
    from evaluators.run.sent_parts import run_and_leave  # most runs have no cluster

    return run_and_leave(job, task.split, task.full)


def _received(job: Job, sent: SentResult) -> SplitResult:
    from evaluators.run.sent_parts import received

    return received(job, sent)


def _given_up(job: Job, task: Task, why: Issue) -> SplitResult:
    """What stands for a split whose workers were lost as often as it was tried."""
    remove_parts(job, task.split.index)
    return SplitResult(task.split.index, span=_span(job, task.split), finished=False, trouble=why)


def _span(job: Job, split: Split) -> int:
    """How many lines a split has, blank ones included; 0 where that is not to be had."""
    span = 0
    try:
        for chunk in job.table.read(split, ()):
            span = chunk.span
    except (OSError, Problems):
        return 0
    return span


class StoredLines(NamedTuple):
    """How many lines the files of a record have."""

    outcomes: int = 0
    cells: int = 0


def store_parts(job: Job, lines: Sequence[EvaluatorLine], measured: MeasuredTestSet, files: RecordFiles) -> StoredLines:
    """The rows, the outcomes and the cells of all splits, each joined into one file."""
    if job.folder is None:
        return StoredLines()
    folder = job.folder

    def parts(kind: str) -> list[tuple[str, int]]:
        return [(part_path(folder, kind, each.split, each.attempt), each.first) for each in measured.parts]

    rows = join_parts(job.rows, parts("rows"), row_columns(job, lines), files.rows, files.codes)
    if rows != measured.rows:
        raise RuntimeError(f"{measured.rows:,} rows were scored, and the files of their splits hold {rows:,}")
    every_outcome = keeps_every_outcome(job.recording, measured.rows)
    outcomes = join_outcomes(parts("outcomes"), files.outcomes, job.recording, every_outcome)
    cells = join_cells(parts("cells"), files.cells) if keeps_cells(job.recording, measured.rows) else 0
    store = store_of(folder)
    join_answers([(place, first) for place, first in parts("answers") if store.kind(place) == "file"], files.answers)
    return StoredLines(outcomes, cells)


def figures(
    lines: Sequence[EvaluatorLine], measured: MeasuredTestSet, variant: str | None = None, clustered: bool = False
) -> list[EvaluatorStats]:
    """The statistics of every evaluator, in the order of the suite."""
    return [
        replace(_stats(line, tally, variant, None, clustered), keys=key_stats(keys))
        for line, tally, keys in zip(lines, measured.tallies, measured.keys, strict=True)
    ]


def slice_figures(
    lines: Sequence[EvaluatorLine], measured: MeasuredTestSet, variant: str | None = None, clustered: bool = False
) -> list[EvaluatorStats]:
    """The statistics of every evaluator in every slice, by column and then by value."""
    return [
        _stats(line, tally, variant, key, clustered)
        for key in sorted(measured.slices)
        for line, tally in zip(lines, measured.slices[key], strict=True)
    ]


def _stats(
    line: EvaluatorLine, tally: Tally, variant: str | None, key: SliceKey | None, clustered: bool
) -> EvaluatorStats:
    fields = line.settings.scored_fields()
    return evaluator_stats(
        line.name,
        line.type,
        fields.names,
        tally,
        variant=variant,
        slice_=key,
        extra_counts=fields.surplus.keys,
        surplus_counts=fields.surplus.items,
        optional=fields.optional,
        figure_names=fields.figures,
        fallbacks=fields.fallbacks or {},
        clustered=clustered,
    )


class Merging:
    """Results in any order, merged in the order of splits as soon as there is no gap before them."""

    def __init__(
        self,
        job: Job,
        lines: Sequence[EvaluatorLine],
        name: str,
        first_number: int | None = None,
        kept: Mapping[int, Callable[[], SplitResult]] = MappingProxyType({}),
    ) -> None:
        """`first_number` is that of the first row, where it is not that of the table. `kept` are splits that are finished."""
        self._kept = kept
        self._recording = job.recording
        self.name = name
        """What places in messages call the test set."""
        self._number = job.table.first_number if first_number is None else first_number
        self._merged = MeasuredTestSet(
            [Tally(len(line.settings.scored_fields().names)) for line in lines], [KeyCounts() for _ in lines]
        )
        self._waiting: dict[int, SplitResult] = {}
        self.trouble: Issue | None = None
        """What kept a split from being measured."""
        self.full: frozenset[str] = frozenset()
        """The keys of what is recorded that the merged splits have filled."""

    def take(self, result: SplitResult) -> None:
        """One more result. A split that is there already is nobody's to give: its rows would count twice."""
        if result.index in self._waiting or result.index < len(self._merged.parts):
            raise RuntimeError(f"the sums of split {result.index} arrived twice")
        self.trouble = self.trouble or result.trouble
        self._waiting[result.index] = result
        self.take_kept()

    def take_kept(self) -> None:
        """Merges what is there, up to the first split that is not: results that were waiting, and splits that were kept."""
        while self._merged.finished and (following := self._following()) is not None:
            self._merge(following)

    def _following(self) -> SplitResult | None:
        index = len(self._merged.parts)
        load = self._kept.get(index)
        if load is None:
            return self._waiting.pop(index, None)
        self._merged.taken_over += 1
        return load()

    def again(self, task: Task) -> None:
        """A split is scored once more, because its worker was lost."""
        self._merged.scored_again += 1

    def measured(self, of: int) -> MeasuredTestSet:
        """What the splits from the first one on came to, up to the first that is missing or was stopped."""
        merged = self._merged
        merged.finished = merged.finished and len(merged.parts) == of
        merged.trouble = self.trouble
        limit_slices(merged.slices)
        return merged

    def _merge(self, result: SplitResult) -> None:
        merged = self._merged
        if result.trouble is not None:
            merged.finished = False
            if result.trouble.where is None:
                rows = f"rows {self._number:,} to {self._number + result.span - 1:,}"
                where = f"{self.name} {rows if result.span else f'from row {self._number:,} on'}"
                self.trouble = replace(result.trouble, where=where)
            return
        merged.rows += result.rows
        merged.without_output += result.without_output
        merged.several += result.several
        for mine, theirs in zip(merged.tallies, result.tallies, strict=True):
            mine.merge(theirs)
        for known, keys in zip(merged.keys, result.keys, strict=True):
            known.merge(keys, self._number)
        if len(merged.ids) < MOST_IDS:
            merged.ids.merge(result.ids, self._number)
        merge_slices(merged.slices, result.slices)
        if len(merged.slices) > 4 * MOST_SLICES:
            limit_slices(merged.slices)
        for offset, issue in result.issues:
            if sum(one.code == issue.code for one in merged.issues) < MOST_ISSUES:
                merged.issues.append(_at_row(issue, self.name, self._number + offset))
        for code, count in result.issue_counts.items():
            merged.issue_counts[code] = merged.issue_counts.get(code, 0) + count
        for key, count in result.recorded.items():
            merged.recorded[key] = merged.recorded.get(key, 0) + count
        merged.schemas.update(result.schemas)
        merged.asked.merge(result.asked)
        merged.judged.merge(result.judged)
        merged.labels = merged.labels or [None if one is None else LabelSums(listed=one.listed) for one in result.labels]
        for known_labels, labels in zip(merged.labels, result.labels, strict=False):
            if known_labels is not None and labels is not None:
                known_labels.merge(labels, self._number)
        merged.measures.merge(result.measures, self._number)
        if result.index == 0:
            merged.glimpse = result.glimpse
        self.full = full_keys(merged.recorded, self._recording, merged.rows)
        merged.parts.append(MergedSplit(result.index, self._number, result.attempt))
        merged.finished = result.finished
        self._number += result.span


def _function(
    job: Job,
    lines: Sequence[EvaluatorLine],
    crew: Crew,
    stopped: Callable[[], bool],
    progress: Callable[[int, float | None], None],
) -> Callable[[Task], SplitResult | SentResult]:
    if crew.remote:
        return partial(send_task, job)
    if not crew.shares_memory:
        return partial(run_task, job)
    return lambda task: run_split(job, task.split, task.full, stopped, lambda rows: progress(rows, None), lines)


_MOST_FIELDS: Final = 3
"""So many fields are named of an evaluator that measured nothing."""


def _at_row(issue: Issue, name: str, number: int) -> Issue:
    place = f"{name} row {number}"
    return replace(issue, where=f"{place}, {issue.where}" if issue.where else place)


def coverage(
    lines: Sequence[EvaluatorLine],
    stats: Sequence[EvaluatorStats],
    places: Mapping[str, str],
    in_place_of: Callable[[str, str], str | None],
    fields: Mapping[tuple[str, str], str] = MappingProxyType({}),
    values: Callable[[Sequence[Condition]], str | None] = lambda conditions: None,
) -> list[Issue]:
    """Law 11: every evaluator and every listed field that measured no row, named, with what is there in its place.

    `places` says where in the suite each evaluator stands, and `fields` the same for (evaluator, path); `in_place_of`
    says what is there for (evaluator, path), and `values` what a column holds in place of what conditions ask for.
    """
    found = []
    for line, one in zip(lines, stats, strict=True):
        where = places.get(line.name)
        if one.rows and one.scored - one.empty_expected == 0 and not (one.invalid or one.unjudged or one.bugs):
            there = values(line.when) if one.skipped == one.rows else _fields_found_nowhere(line, in_place_of)
            found.append(_nothing_measured(line, one, where, there))
            continue
        scored = line.settings.scored_fields()
        for field_ in one.fields if scored.names else ():
            counts = field_.counts
            if counts.n or counts.not_judged or field_.path in scored.optional or not one.scored:
                continue
            at = fields.get((line.name, field_.path), where)
            found.append(_field_measured_nothing(line, field_, at, in_place_of))
        if one.scored:
            measured = {each.path for each in one.fields if each.counts.n or each.counts.not_judged}
            for path in scored.awaited.named:
                if path not in measured:
                    unmet = FieldStats(path, Counts(), None, None, None, None)
                    at = fields.get((line.name, path), where)
                    found.append(_field_measured_nothing(line, unmet, at, in_place_of))
    return found


def schema_gaps(
    lines: Sequence[EvaluatorLine], stats: Sequence[EvaluatorStats], places: Mapping[str, str]
) -> list[Issue]:
    """What a schema and the documents do not have in common, as warnings: one sentence per evaluator and kind.

    Listed fields are no schema: whoever lists some says that there are others.
    """
    found = []
    for line, one in zip(lines, stats, strict=True):
        where = places.get(line.name)
        declared = line.settings.scored_fields().awaited.declared
        outside = one.undeclared if line.settings.scored_fields().lines is None else ()
        elsewhere = [path for path in outside if _is_declared(path, declared)]
        lacking = [path for path in outside if path not in elsewhere]
        if elsewhere:
            message = (
                f'"{line.name}": some expected answers have keys of several branches of the schema; the branch that fits best '
                f"is scored, without {_some(elsewhere)}"
            )
            hint = "declare them in that branch, too, or skip them there"
            found.append(Issue("several-branches", Blame.TESTSET, message, where, hint))
        if lacking:
            message = f'"{line.name}": the schema lacks {_some(lacking)}, which the expected answers have; not scored'
            found.append(
                Issue("schema-lacks", Blame.TESTSET, message, where, "add them to the schema, or skip them there")
            )
        measured = {each.path for each in one.fields if each.counts.n or each.counts.not_judged}
        unmet = [path for path in declared if path not in measured] if one.scored else []
        if unmet:
            message = f'"{line.name}": no row measured {_some(unmet)} of the schema'
            found.append(Issue("schema-not-covered", Blame.TESTSET, message, where))
    return found


def _is_declared(path: str, declared: Sequence[str]) -> bool:
    """Whether a schema declares a place, or something below it."""
    return any(one == path or one.startswith((f"{path}.", f"{path}[")) for one in declared)


def _some(paths: Iterable[str], most: int = 10) -> str:
    listed = list(paths)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(f'"{path}"' for path in listed[:most]) + more


def _field_measured_nothing(
    line: EvaluatorLine, one: FieldStats, where: str | None, in_place_of: Callable[[str, str], str | None]
) -> Issue:
    if one.counts.skipped and not one.counts.not_measured:
        said, hint = "measured nothing: its `when` held in no row", "look at its `when`"
    else:
        said = "was found in no row, so it measured nothing"
        may_be_absent = "optional: true says that a field may be absent everywhere"
        there = in_place_of(line.name, one.path)
        hint = there if there and there.startswith("did") else "; ".join(filter(None, (there, may_be_absent)))
    message = f'"{line.name}": the field "{one.path}" {said}'
    return Issue("field-measured-nothing", Blame.TESTSET, message, where, hint)


def _fields_found_nowhere(line: EvaluatorLine, in_place_of: Callable[[str, str], str | None]) -> str | None:
    """The first fields of an evaluator none of whose fields any row has, with what is there in their place."""
    scored = line.settings.scored_fields()
    paths = [path for path in dict.fromkeys((*scored.names, *scored.awaited.named)) if path not in scored.optional]
    hints = {path: in_place_of(line.name, path) for path in paths[:_MOST_FIELDS]}
    if not any(hints.values()):
        return None
    meant = [f'"{path}" was found in no row: {hint}' for path, hint in hints.items() if hint and hint.startswith("did")]
    listed = next((hint for hint in hints.values() if hint and not hint.startswith("did")), None)
    other = [path for path, hint in hints.items() if not (hint and hint.startswith("did"))]
    named = [f"no row has {_some(other)}; {listed}"] if other and listed else []
    return "; ".join([*meant, *named])


def _nothing_measured(line: EvaluatorLine, one: EvaluatorStats, where: str | None, there: str | None) -> Issue:
    counts = (
        _rows(one.skipped, "was skipped", "were skipped"),
        _rows(one.not_measured, "had nothing to measure", "had nothing to measure"),
        _rows(one.empty_expected, "expected an empty object", "expected an empty object"),
    )
    message = f'"{line.name}" measured nothing: {" and ".join(filter(None, counts))}'
    hint = there or ("look at its `when` and `needs`" if one.skipped == one.rows else "look at its columns and paths")
    return Issue("evaluator-measured-nothing", Blame.TESTSET, message, where, hint)


def _rows(count: int, one: str, several: str) -> str:
    """`1 row was skipped`; nothing for no row."""
    return f"{count:,} {f'row {one}' if count == 1 else f'rows {several}'}" if count else ""
