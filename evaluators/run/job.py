"""What a worker runs: one split in, one small part out.

A job is small and can be pickled: the suite as text or plain data, the test set's table, and where parts are written. The
worker compiles the suite itself, reads its split itself, writes its rows and evidence into files of its own and returns
sums. The same split gives the same part, whoever runs it and however often.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.comparators._comparator import caching
from evaluators.fields.empty_values import EmptyCounts
from evaluators.fields.key_counts import KeyCounts, unclear
from evaluators.fields.key_spelling import Respelt
from evaluators.fields.path_check import FoundEmpties, RowsCheck, empty_values
from evaluators.issues import CellError, Issue
from evaluators.judges.answer_lines import line_bytes, line_of, row_costs
from evaluators.judges.asking import Log, asking_with
from evaluators.judges.session import StoppedAsking, asking_in
from evaluators.limits import OUT_OF_TIME, limited, run_out_of_time
from evaluators.model import RowStatus
from evaluators.needs import Expected, Output
from evaluators.plan.cells import Cells
from evaluators.plan.need_steps import Reading
from evaluators.plan.suite_plan import Compiled, Plan, compile_plan
from evaluators.run.confidence import ConfidenceCounts, confidence_paths
from evaluators.run.groups import cell_texts, cluster_sums, slice_texts
from evaluators.run.ids import MOST_IDS, checksums, output_columns
from evaluators.run.labels import labels_of
from evaluators.run.measures import NumericColumn, NumericColumnCounts
from evaluators.run.recorder import Recorder, Recording
from evaluators.run.repeats import WrongFields, attempts_of
from evaluators.run.row_issues import RowIssues
from evaluators.run.row_samples import RowSampling
from evaluators.run.rows import RowsFormat, RowWriter
from evaluators.run.split_files import ANSWERS, ROWS, PartFile, checkpoint_key, new_attempt, part_name
from evaluators.run.split_result import HINT_ROWS, GroupSums, SplitResult
from evaluators.run.store import about_writing, unwritten
from evaluators.run.tally import Ledger, SliceCounts
from evaluators.run.unchanged import file_marks
from evaluators.run.watch import Watch
from evaluators.suite import source as suite_source
from evaluators.suite.config import read_config
from evaluators.suite.graph import EvaluatorLine
from evaluators.suite.source import SuiteSource
from evaluators.testsets.byte_store import inside, store_of
from evaluators.testsets.derived import is_absent
from evaluators.testsets.reader import Chunk, Split, Table
from evaluators.values.files import reading_once
from evaluators.values.quoting import quote


class ShippedSuite(Struct, frozen=True):
    """A suite on its way to a worker: as text with the folder it stood in, or as plain data."""

    text: str | None
    data: Mapping[str, Any] | None
    name: str
    folder: Path | None
    environment: Mapping[str, str] | None = None
    """What `${NAME}` stands for; the worker's own environment when it is None."""
    inferred_schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The schemas that evaluators inferred from the test set, by name."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Every file that the suite names, as it was read when the suite was: a worker reads none of them again."""
    run_id: str = ""
    """Tells runs apart whose workers outlive them: what a program has registered may be something else the next time."""

    def source(self) -> SuiteSource:
        """The suite's text or data, parsed again."""
        if self.text is None:
            return suite_source.from_data(self.data or {}, self.folder, self.environment)
        return suite_source.loads(self.text, self.name, self.folder, self.environment)

    def lines(self) -> tuple[EvaluatorLine, ...]:
        """The evaluators of the suite, compiled in the worker: once in a process, and kept for its further splits."""
        import pickle  # imported when used: a run in one process never comes here

        return _lines(pickle.dumps(self))


@lru_cache(maxsize=1)
def _lines(shipped: bytes) -> tuple[EvaluatorLine, ...]:
    """The evaluators of a pickled suite. The bytes are the key of the cache."""
    import pickle

    suite: ShippedSuite = pickle.loads(shipped)
    with reading_once(dict(suite.files)):
        lines = read_config(suite.source()).lines
    return tuple(line.with_schema(suite.inferred_schemas.get(line.name)) for line in lines)


class Job(Struct, frozen=True):
    """What there is to do with every split."""

    suite: ShippedSuite
    table: Table
    roles: Mapping[str, str]
    reading: Reading
    folder: str | None
    """The place of the folder where parts are written; None keeps sums only."""
    rows: RowsFormat = "jsonl"
    slices: tuple[str, ...] = ()
    recording: Recording = field(default_factory=Recording)
    """What is recorded of rows, where parts are written."""
    cluster: str | None = None
    """The column that says which rows belong together."""
    repeats: bool = False
    """They are outputs of one question."""
    confidence: str | None = None
    """The column with the confidence in each row."""
    joined: str | None = None
    """The column of outputs that come from another file; None where they stand beside the expected answers."""
    watches: Mapping[str, Watch] = field(default_factory=dict)
    """The metrics, by evaluator, that gates name and that need to know what each row added to them."""
    asking: str | None = None
    """The file that workers share while they ask; None where nobody is asked."""
    repeat_judge: int = 1
    """How often a judge is asked each question."""
    measures: tuple[NumericColumn, ...] = ()
    """The columns whose numbers are counted."""
    reasoning_length: int | None = None
    """How long a judge's reason is kept; None keeps all of it."""
    named: str = "the run folder"
    """What messages call the folder where parts are written."""
    key: str = ""
    """A checksum of all that decides what splits come to. With it, each finished split leaves what it came to beside its file, so that a
    run that was ended goes on from there; what another job left is not taken."""
    until: float | None = None
    """When the time of the run is over, as `time.time` counts: rows that are read later are not judged. None sets no end."""

    @property
    def out_of_time(self) -> bool:
        """The time of the run is over."""
        return self.until is not None and time.time() > self.until


def run_split(
    job: Job,
    split: Split,
    full: Collection[str] = (),
    stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int], None] = lambda rows: None,
    lines: Sequence[EvaluatorLine] | None = None,
) -> SplitResult:
    """Score the rows of one split.

    A split whose parts the system does not take leaves none of them, and says so as its `trouble`. `full` are keys of what
    is recorded that earlier splits have filled. `stopped` is asked between chunks; when it says yes, the result holds the
    rows that were finished. `progress` is told how many rows each chunk had. `lines` saves reading the suite again where
    the caller has it. Its files have a word in their names where somebody else may be scoring the same split.
    """
    attempt = new_attempt() if job.key or job.suite.run_id else ""
    try:
        with work_on(job, split, full, stopped, lines, attempt) as work:
            work.result.finished = _all_taken(work, split, stopped, progress)
            result = work.finished()
            in_time = not job.out_of_time and OUT_OF_TIME.isdisjoint(result.issue_counts)
            if job.key and work.file is not None and result.finished and in_time:
                work.file.finish(checkpoint_key(job.key, split, file_marks(job.table.files)), result)
            return result
    except OSError as error:
        if job.folder is None or not about_writing(error, job.folder):
            raise
        remove_parts(job, split.index, attempt)
        return SplitResult(split.index, finished=False, trouble=unwritten(error, job.named, "the run folder"))


def _all_taken(work: Work, split: Split, stopped: Callable[[], bool], progress: Callable[[int], None]) -> bool:
    """Takes the rows of a split. Whether all of them are, for nobody asked to stop."""
    for chunk in work.job.table.read(split, work.columns):
        if stopped():
            return False
        try:
            work.take(chunk)
        except StoppedAsking:  # nothing of the chunk counts; what was answered is kept by the judge
            return False
        progress(chunk.count)
    return True


@contextmanager
def work_on(
    job: Job,
    split: Split,
    full: Collection[str] = (),
    stopped: Callable[[], bool] = lambda: False,
    lines: Sequence[EvaluatorLine] | None = None,
    attempt: str = "",
) -> Iterator[Work]:
    """The work on one split, ready to take its rows. See `run_split` for `full`, `stopped` and `lines`; `attempt` is the word
    in the names of its files."""
    plan = plan_of(job, lines if lines is not None else job.suite.lines())
    asking = asking_in(job.asking, stopped)
    way = asking_with(job.repeat_judge, job.reasoning_length)
    limits = limited(job.reading.limits, job.until)
    with (
        without_cycle_search(), limits, asking, way,
        Work(job, split, plan, full, attempt) as work,
    ):  # fmt: skip
        yield work


def plan_of(job: Job, lines: Sequence[EvaluatorLine]) -> Plan:
    """The compiled steps of a job."""
    watched = {line.name: found for line in lines if (found := watched_of(job, line))}
    return compile_plan(lines, job.roles, job.reading, watched)


def watched_of(job: Job, line: EvaluatorLine) -> list[str]:
    """The fields of an evaluator of which every verdict says what became of them: gates name them, or they have a confidence."""
    watch = job.watches.get(line.name)
    own = () if line.settings.scored_fields().names else confidence_paths(line)
    return list(dict.fromkeys([*(() if watch is None else watch.paths), *own]))


_MOST_KNOWN: Final = 10_000
"""Texts of a column of which it is remembered whether they are nearly what a condition asks for."""


class EvaluatorCounts:
    """What one evaluator finds in the rows of one split, counted chunk by chunk."""

    def __init__(self, one: Compiled, job: Job) -> None:
        settings = one.line.settings
        self.one, self.repeats, self.fields = one, job.repeats, settings.scored_fields()
        self.ledger = Ledger(len(self.fields.names), job.watches.get(one.line.name))
        self.clusters = Counter[tuple[str, int]]()
        self.wrong_fields = WrongFields()
        self.keys, self.empties, self.cluster_empties = KeyCounts(), EmptyCounts(), EmptyCounts()
        self.conditions = one.line.cell_conditions
        self.known_cells: list[dict[str, bool]] = [{} for _ in self.conditions]
        """What is known of the texts in the column of each condition: whether they are nearly what it asks for."""
        self.labels = labels_of(one.line, job.roles)
        sampled = settings.sampled()
        self.sampling = None if sampled is None else RowSampling(sampled)
        self.confidence = ConfidenceCounts(one, job.confidence, watched_of(job, one.line))

    def add(
        self, plan: Plan, chunk: Chunk, columns: Mapping[str, Cells], slots: list[Cells], codes: Sequence[int],
        names: Sequence[str] | None, empties: Sequence[FoundEmpties],
    ) -> None:  # fmt: skip
        """The rows of a chunk: the numbers of their verdicts, the clusters that they belong to, and what is empty in them."""
        one = self.one
        for found, rows in empties:
            self.empties.take(found)
            if names is not None:
                self.cluster_empties.take(found, {at: names[row] for at, row in rows.items()})
        if names is not None:
            self.clusters.update(zip(names, codes, strict=True))
            if self.repeats:
                self.wrong_fields.add(plan, one, slots, names)
        self.confidence.add(chunk.offsets, columns, slots, names)
        if self.labels is not None:
            parts = self.labels.parts(*(slots[slot] for slot in one.inputs[:2])) if self.labels.of_parts else columns
            self.labels.add(parts, codes, self.ledger.verdicts, chunk.offsets, chunk.ids)
        if self.sampling is not None:
            self.sampling.add(slots[one.verdicts], [slots[slot] for slot in one.inputs])
        self._count_nearly(columns)
        if self.fields.named_paths:
            self._look_for_paths(slots)
        if one.scored is not None:
            self.keys.take(slots[one.scored], chunk.offsets, self.fields.null_unsaid)
        elif self.fields.respelt is not None:
            self._count_unclear(self.fields.respelt, chunk, slots)

    def _count_nearly(self, columns: Mapping[str, Cells]) -> None:
        """Counts cells that are nearly what a condition asks for: their rows, or fields, are left out."""
        for number, (condition, known) in enumerate(zip(self.conditions, self.known_cells, strict=True)):
            for cell in columns.get(condition.column, ()):
                text = cell if cell.__class__ is str else None
                near = None if text is None else known.get(text)
                if near is None:
                    near = condition.nearly_holds(cell)
                    if text is not None and len(known) < _MOST_KNOWN:
                        known[text] = near
                if near:
                    self.keys.count_nearly(number, quote(cell))

    def _look_for_paths(self, slots: Sequence[Cells]) -> None:
        """Looks for the paths that the settings name, in both documents of every row that the evaluator is for."""
        read = [slots[slot] for need, slot in zip(self.one.line.settings.needs(), self.one.inputs, strict=True)
                if isinstance(need, Expected | Output)]  # fmt: skip
        wanted = [one for one in self.fields.named_paths if (one[1].canonical, one[0]) not in self.keys.met]
        for verdict, *sides in zip(slots[self.one.verdicts], *read, strict=True):
            if verdict.status is not RowStatus.SKIPPED:
                self.keys.look_for(wanted, [one for one in sides if isinstance(one, dict | list)])

    def _count_unclear(self, respelt: Callable[..., Respelt], chunk: Chunk, slots: Sequence[Cells]) -> None:
        """Counts keys of outputs that are unclear, for a type without a tree."""
        given = zip(*(slots[slot] for slot in self.one.inputs), strict=True)
        for number, verdict, values in zip(chunk.offsets, slots[self.one.verdicts], given, strict=True):
            if verdict.status is RowStatus.SCORED and (found := Counter(unclear(respelt(*values)))):
                self.keys.add(number, found)

    def found_empties(self, slots: list[Cells]) -> list[FoundEmpties]:
        """What is empty in the rows of a chunk."""
        return [] if self.one.scored is None else empty_values(slots[self.one.scored], self.fields.absent_values)

    def settle(self, result: SplitResult) -> None:
        """Leaves everything counted in the result of the split."""
        ledger, check = self.ledger, self.one.check
        if self.repeats:
            result.repeats.append(attempts_of(self.clusters, ledger.verdicts, self.one.line, self.wrong_fields))
        result.keys.append(self.keys)
        result.labels.append(None if self.labels is None else self.labels.sums)
        result.samples.append(None if self.sampling is None else self.sampling.finished())
        result.confidence.append(self.confidence.sums)
        clusters = cluster_sums(self.clusters, ledger.verdicts, ledger.watch)
        tally = ledger.settle()
        tally.clusters = clusters
        for fields in self.empties.by_group().values():
            tally.add_empties(fields)
        tally.add_cluster_empties(self.cluster_empties.by_group())
        if isinstance(check, RowsCheck):
            tally.add_paths(check.counts())
            tally.add_details(check.details())
        result.whole.tallies.append(tally)


class Work:
    """One split in progress. Left as a context, its files are closed."""

    def __init__(
        self,
        job: Job,
        split: Split,
        plan: Plan,
        full: Collection[str],
        attempt: str = "",
    ) -> None:
        self.job = job
        self.plan = plan
        self.result = SplitResult(split.index, job.key, attempt=attempt)
        self.counts = [EvaluatorCounts(one, job) for one in plan.evaluators]
        self.ledgers = [each.ledger for each in self.counts]
        fields = [each.fields.names for each in self.counts]
        self.slices = {name: SliceCounts(self.ledgers, fields) for name in job.slices}
        outputs = output_columns([one.line for one in plan.evaluators], job.roles)
        self.given = [name for name in plan.columns if name not in outputs]
        self.issues = RowIssues(plan, self.ledgers, job.roles, self.result)
        self.measures = NumericColumnCounts(job.measures, job.slices) if job.measures else None
        self.writer: RowWriter | None = None
        self.recorder: Recorder | None = None
        self.file = PartFile(job.folder, split.index, attempt) if job.folder is not None else None
        """Where its rows go; None keeps sums only."""
        if (file := self.file) is not None:
            self.writer = RowWriter(lambda block: file.write(ROWS, [block]), self.ledgers)
            self.recorder = Recorder(job.recording, plan, self.ledgers, file, split.index == 0, full)

    def __enter__(self) -> Work:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self.file is not None:
            with suppress(OSError) if kind is not None else nullcontext():  # what went wrong is on its way already
                self.file.close()

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        job = self.job
        kept = job.recording.columns if self.recorder is not None and self.recorder.keeps_cells else ()
        named = [name for name in (job.cluster, job.confidence) if name is not None]
        measured = [one.column for one in job.measures if not one.of_judges]
        return list(dict.fromkeys([*self.plan.columns, *job.slices, *named, *measured, *kept]))

    def take(self, chunk: Chunk) -> None:
        """Scores the rows of a chunk. Once the time of the run is over, none of them is judged.

        Raises StoppedAsking when it was stopped while it asked: then nothing of the chunk counts.
        """
        with self.scored(chunk):
            pass

    @contextmanager
    def scored(self, chunk: Chunk) -> Iterator[list[Cells]]:
        """Scores the rows of a chunk as `take` does. Within the `with` block its filled slots are there to explain verdicts from."""
        columns = {name: list(cells) for name, cells in chunk.columns.items()}
        unjudged, given = None, columns
        if self.job.out_of_time:  # what is counted without judging is counted
            unjudged = run_out_of_time(self.job.reading.limits.run_seconds)
            given = {name: [CellError(unjudged)] * chunk.count for name in columns}
        log: Log = {}
        with caching(), asking_with(log=log):
            with self.plan.scored(given, chunk.count) as slots:
                self._take(chunk, columns, slots, unjudged, row_costs(log.values(), chunk.count))
                yield slots
            self._log(chunk, log)

    def _take(
        self, chunk: Chunk, columns: Mapping[str, Cells], slots: list[Cells], unjudged: Issue | None, costs: Sequence[str]
    ) -> None:
        """Counts and records what became of a chunk. `unjudged` is why none of its rows is judged, `costs` what judges were paid."""
        verdicts = [slots[one.verdicts] for one in self.plan.evaluators]
        codes = [ledger.codes(column) for ledger, column in zip(self.ledgers, verdicts, strict=True)]
        faults = None if unjudged is None else [(row, unjudged) for row in range(chunk.count)]
        self.issues.take(chunk if faults is None else replace(chunk, faults=faults), slots, codes)
        self.result.several += self.plan.several(slots)
        names = cell_texts(columns.get(self.job.cluster, ())) if self.job.cluster is not None else None
        if self.writer is not None:
            given = checksums([columns[name] for name in self.given if name in columns], chunk.count)
            slices = [slice_texts(columns[name]) for name in self.job.slices]
            self.writer.add(chunk.offsets, chunk.ids, codes, given, names or (), slices)
        empties = [each.found_empties(slots) for each in self.counts]
        for name, counts in self.slices.items():
            counts.add(columns[name], codes, empties)
        if self.measures is not None:
            self.measures.add(chunk.offsets, columns, names, costs)
        for each, column, found in zip(self.counts, codes, empties, strict=True):
            each.add(self.plan, chunk, columns, slots, column, names, found)
        if self.result.index == 0 and self.result.first_rows.rows < HINT_ROWS:
            self.result.first_rows.take(self.plan, columns, slots, chunk.count)
        if self.recorder is not None:
            self.recorder.take(chunk, columns, self.recorder.wanted(chunk, codes), slots)
        if chunk.ids is not None and len(self.result.ids) < MOST_IDS:
            self.result.ids.add(*_readable_ids(chunk.offsets, chunk.ids, chunk.faults))
        if self.job.joined is not None:
            self.result.without_output += sum(map(is_absent, columns.get(self.job.joined, ())))
        self.result.rows += chunk.count
        self.result.span = chunk.span

    def _log(self, chunk: Chunk, log: Log) -> None:
        """Writes down who was asked what for a chunk, and what they answered."""
        lines = []
        for logged in log.values():
            self.result.asked.add(logged)
            self.result.judged.add(logged)
            if self.file is None:
                continue
            line = line_of(logged)
            line["places"] = [[chunk.offsets[row], evaluator, path] for row, evaluator, path in line["places"]]
            lines.append(line_bytes(line).removesuffix(b"\n"))
        if self.file is not None:
            self.file.write(ANSWERS, lines)

    def finished(self) -> SplitResult:
        """The sums of the split; its rows are in its file."""
        if self.writer is not None:
            self.writer.flush()
        result = self.result
        if self.measures is not None:
            result.whole.measures = self.measures.sums
        for name, counts in self.slices.items():
            measures = self.measures.of_slices(name) if self.measures is not None else {}
            result.groups[name] = {
                value: GroupSums(tallies, measures.get(value, [])) for value, tallies in counts.tallies().items()
            }
        for each in self.counts:
            each.settle(result)
        if self.recorder is not None:
            result.recorded = self.recorder.taken()
            result.schemas = self.recorder.schemas.declared
        return result


def remove_parts(job: Job, index: int, attempt: str = "") -> None:
    """Takes away what an attempt at a split has written, finished or not."""
    if job.folder is None:
        return
    place = inside(job.folder, part_name(index, attempt))
    with suppress(OSError):
        store_of(place).remove(place)


@contextmanager
def without_cycle_search() -> Iterator[None]:
    """Parsed documents hold no cycles, and looking for some costs more than scoring them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _readable_ids(
    offsets: Sequence[int], ids: Sequence[str], faults: Sequence[tuple[int, Issue]]
) -> tuple[Sequence[int], Sequence[str]]:
    """The rows and their ids without the rows that could not be read: nobody knows whether those have one."""
    if not faults:
        return offsets, ids
    unread = {position for position, _ in faults}
    kept = [position for position in range(len(ids)) if position not in unread or ids[position]]
    return [offsets[position] for position in kept], [ids[position] for position in kept]
