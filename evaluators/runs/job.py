"""What a worker runs: one split in, one small part out.

A job is small and can be pickled: the suite as text or plain data, the test set's table, and what is recorded. The worker compiles the
suite itself, reads its split itself, and returns the columns of its rows, their outcomes, and sums of what no column holds. The same
split gives the same part, whoever runs it and however often.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.model.issues import CellError, Issue
from evaluators.model.limits import limits_in_force, run_out_of_time
from evaluators.model.rows import RowStatus
from evaluators.runs.confidence_steps import OF_ROW, ConfidenceSteps, confidence_paths
from evaluators.runs.document_sums import EmptySums
from evaluators.runs.empty_patterns import EmptyPatterns
from evaluators.runs.groups import cell_texts, slice_texts
from evaluators.runs.ids import checksums, output_columns
from evaluators.runs.label_pairs import NO_LABELS, label_column_of
from evaluators.runs.ledger import Ledger
from evaluators.runs.number_cells import NumericColumn, as_text
from evaluators.runs.recorder import Recorder, Recording
from evaluators.runs.row_issues import RowIssues
from evaluators.runs.row_samples import RowSampling
from evaluators.runs.split_result import HINT_ROWS, EvaluatorSums, Part, SplitResult
from evaluators.runs.split_rows import Layout, SplitRows, encodable_cells
from evaluators.runs.watch import Watch
from evaluators.runs.wrong_fields import WrongFields
from evaluators.scoring.fields.empty_values import ALL_FIELDS, EmptyCounts
from evaluators.scoring.fields.key_counts import KeyCounts, unclear_keys
from evaluators.scoring.fields.key_spelling import Respelt
from evaluators.scoring.fields.row_checks import RowsCheck, empty_values
from evaluators.scoring.judges.answer_lines import line_bytes, line_of, row_costs
from evaluators.scoring.judges.asking import Log, asking_with
from evaluators.scoring.judges.session import StoppedAsking, session_in
from evaluators.scoring.needs import Expected, Output
from evaluators.scoring.plan.cells import Cells
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.need_steps import Reading
from evaluators.scoring.plan.suite_plan import Compiled, Plan, compile_plan
from evaluators.scoring.values.files import reading_once
from evaluators.scoring.values.quoting import quote
from evaluators.suites import source as suite_source
from evaluators.suites.config import read_config
from evaluators.suites.source import SuiteSource
from evaluators.testsets.derived import is_absent
from evaluators.testsets.reader import Chunk, Split, Table


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

        return _compiled_lines(pickle.dumps(self))


@lru_cache(maxsize=1)
def _compiled_lines(shipped: bytes) -> tuple[EvaluatorLine, ...]:
    """The evaluators of a pickled suite. The bytes are the key of the cache, so a worker compiles a suite once."""
    import pickle

    suite: ShippedSuite = pickle.loads(shipped)
    with reading_once(dict(suite.files)):
        lines = read_config(suite.source()).lines
    return tuple(line.with_schema(suite.inferred_schemas.get(line.name)) for line in lines)


class Job(Struct, frozen=True):
    """The work that is the same for every split."""

    suite: ShippedSuite
    table: Table
    roles: Mapping[str, str]
    reading: Reading
    slices: tuple[str, ...] = ()
    recording: Recording | None = None
    """What is recorded of rows beside their verdicts; None records nothing."""
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
    until: float | None = None
    """When the time of the run is over, as `time.time` counts: rows that are read later are not judged. None sets no end."""

    @property
    def is_out_of_time(self) -> bool:
        """Whether the time of the run is over."""
        return self.until is not None and time.time() > self.until


def run_split(
    job: Job,
    split: Split,
    full: Collection[str] = (),
    stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int], None] = lambda rows: None,
    lines: Sequence[EvaluatorLine] | None = None,
) -> Part:
    """Scores the rows of one split, and returns their columns and sums.

    `full` are keys of what is recorded that earlier splits have filled. `stopped` is asked between chunks; when it says yes, the result
    holds the rows that were finished. `progress` is told how many rows each chunk had. `lines` saves reading the suite again where
    the caller has it.
    """
    with work_on(job, split, full, stopped, lines) as work:
        work.sums.finished = _take_rows(work, split, stopped, progress)
        return work.finish()


def _take_rows(work: Work, split: Split, stopped: Callable[[], bool], progress: Callable[[int], None]) -> bool:
    """Scores the rows of a split, chunk by chunk. Returns whether all were scored: False where somebody asked to stop."""
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
) -> Iterator[Work]:
    """Yields the work on one split, ready to take its rows; while the block runs, the job's limits and its asking of judges are in force.
    See `run_split` for `full`, `stopped` and `lines`."""
    plan = plan_of(job, lines if lines is not None else job.suite.lines())
    limits = limits_in_force(job.reading.limits, job.until)
    with (
        without_cycle_search(),
        limits,
        session_in(job.asking, stopped) as session,
        asking_with(times=job.repeat_judge or None, reason_length=job.reasoning_length, session=session),
    ):
        yield Work(job, split, plan, full)


def plan_of(job: Job, lines: Sequence[EvaluatorLine]) -> Plan:
    """The compiled steps of a job, whose evaluators are `lines`."""
    watched = {line.name: found for line in lines if (found := watched_fields(job, line))}
    return compile_plan(lines, job.roles, job.reading, watched)


def watched_fields(job: Job, line: EvaluatorLine) -> list[str]:
    """The fields of an evaluator of which every verdict must say how many values are right, wrong, missing and extra: gates
    name them, or they have a confidence."""
    watch = job.watches.get(line.name)
    own = () if line.settings.scored_fields().names else confidence_paths(line)
    return list(dict.fromkeys([*(() if watch is None else watch.paths), *own]))


_MOST_KNOWN: Final = 10_000
"""Texts of a column of which it is remembered whether they are nearly what a condition asks for."""


class EvaluatorColumns:
    """The columns of one evaluator for the rows of one split, and sums that no column has."""

    def __init__(self, place: int, evaluator: Compiled, job: Job, rows: SplitRows) -> None:
        """`place` is the index of the evaluator; columns are added to `rows`."""
        settings = evaluator.line.settings
        self.place, self.evaluator, self.rows, self.repeats = place, evaluator, rows, job.repeats
        self.fields = settings.scored_fields()
        self.clustered = job.cluster is not None
        self.ledger = Ledger()
        self.wrong_fields = WrongFields()
        self.keys, self.empties, self.cluster_empties = KeyCounts(), EmptyCounts(), EmptyCounts()
        self.patterns = EmptyPatterns()
        self.conditions = evaluator.line.cell_conditions
        self.known_cells: list[dict[str, bool]] = [{} for _ in self.conditions]
        """What is known of the texts in the column of each condition: whether they are nearly what it asks for."""
        self.slice_empties = [EmptyCounts({ALL_FIELDS, *self.fields.names}) for _ in job.slices]
        self.labels = label_column_of(evaluator.line, job.roles)
        sampled = settings.sampled_metric()
        self.sampling = None if sampled is None else RowSampling(sampled)
        self.confidence = ConfidenceSteps(evaluator, job.confidence, watched_fields(job, evaluator.line))

    def add(
        self, plan: Plan, chunk: Chunk, columns: Mapping[str, Cells], slots: list[Cells], codes: Sequence[int],
        names: Sequence[str] | None, slices: Sequence[Sequence[str]],
    ) -> list[list[int]]:  # fmt: skip
        """Adds the rows of a chunk to the columns of this evaluator: `codes` are the numbers of their verdicts, `names` their
        clusters, `slices` the texts of each slice column, `slots` the filled slots of the plan. Returns their columns of
        confidence steps."""
        evaluator = self.evaluator
        walks = [] if evaluator.scored is None else empty_values(slots[evaluator.scored], self.fields.absent_values)
        for walk, at_rows in walks:
            self.empties.take(walk)
            for counts, texts in zip(self.slice_empties, slices, strict=True):
                counts.take(walk, {at: texts[row] for at, row in at_rows.items()})
            if names is not None and not self.fields.names:
                self.cluster_empties.take(walk, {at: names[row] for at, row in at_rows.items()})
        if names is not None and self.fields.names:
            self.rows.add(f"empty{self.place}", self.patterns.codes(walks, len(codes)))
        if names is not None and self.repeats:
            self.wrong_fields.add(plan, evaluator, slots, names)
        self.rows.add(f"code{self.place}", codes)
        if self.labels is not None:
            parts = (
                self.labels.parts(*(slots[slot] for slot in evaluator.inputs[:2])) if self.labels.of_parts else columns
            )
            self.rows.add(f"pair{self.place}", self.labels.codes(parts, codes, self.ledger.verdicts, chunk.offsets))
        if self.sampling is not None:
            self.sampling.add(slots[evaluator.verdicts], [slots[slot] for slot in evaluator.inputs])
        self._count_nearly(columns)
        if self.fields.named_paths:
            self._look_for_paths(slots)
        if evaluator.scored is not None:
            self.keys.take(slots[evaluator.scored], chunk.offsets, self.fields.null_unsaid)
        elif self.fields.respelt is not None:
            self._count_unclear(self.fields.respelt, chunk, slots)
        return list(self.confidence.columns(chunk.offsets, columns, slots))

    def _count_nearly(self, columns: Mapping[str, Cells]) -> None:
        """Adds to `keys` the cells that are nearly what a condition of the evaluator asks for, and so leave out their rows or fields."""
        for number, (condition, known) in enumerate(zip(self.conditions, self.known_cells, strict=True)):
            for cell in columns.get(condition.column, ()):
                text = cell if cell.__class__ is str else None
                near = None if text is None else known.get(text)
                if near is None:
                    near = condition.nearly_holds(cell)
                    if text is not None and len(known) < _MOST_KNOWN:
                        known[text] = near
                if near:
                    self.keys.count_near_cell(number, quote(cell))

    def _look_for_paths(self, slots: Sequence[Cells]) -> None:
        """Notes in `keys` which of the paths that the settings name are in either document of a row, of the rows that are not skipped."""
        needs = zip(self.evaluator.line.settings.needs(), self.evaluator.inputs, strict=True)
        read = [slots[slot] for need, slot in needs if isinstance(need, Expected | Output)]
        wanted = [named for named in self.fields.named_paths if (named[1].canonical, named[0]) not in self.keys.met]
        for verdict, *sides in zip(slots[self.evaluator.verdicts], *read, strict=True):
            if verdict.status is not RowStatus.SKIPPED:
                self.keys.look_for(wanted, [document for document in sides if isinstance(document, dict | list)])

    def _count_unclear(self, respelt: Callable[..., Respelt], chunk: Chunk, slots: Sequence[Cells]) -> None:
        """Counts the keys of outputs whose spelling is unclear, for an evaluator type without a tree of fields. `respelt` gives
        the spellings of a row."""
        input_cells = zip(*(slots[slot] for slot in self.evaluator.inputs), strict=True)
        for number, verdict, values in zip(chunk.offsets, slots[self.evaluator.verdicts], input_cells, strict=True):
            if verdict.status is RowStatus.SCORED and (respellings := Counter(unclear_keys(respelt(*values)))):
                self.keys.add(number, respellings)

    def settle(self, sums: SplitResult, slices: Sequence[str]) -> None:
        """Ends the split for this evaluator: puts its verdicts, labels and patterns into the rows, and what no column holds into `sums`.
        `slices` are the names of the slice columns."""
        own = EvaluatorSums(keys=self.keys, wrong_fields=self.wrong_fields, unusable=self.confidence.unusable)
        if isinstance(check := self.evaluator.check, RowsCheck):
            own.documents.add_counts(check.counts())
            own.documents.add_details(check.details())
        for fields in self.empties.by_group().values():
            own.empties.add(fields)
        own.empties.add_clusters(self.cluster_empties.by_group())
        for name, counts in zip(slices, self.slice_empties, strict=True):
            for value, fields in counts.by_group().items():
                every = sums.slice_empties.setdefault(name, {}).setdefault(value, [])
                every += [EmptySums() for _ in range(self.place + 1 - len(every))]
                every[self.place].add(fields)
        if self.sampling is not None:
            own.sample = self.sampling.sample()
        if self.labels is not None:
            own.unlisted = self.labels.unlisted
            self.rows.pairs[self.place] = list(self.labels.pairs)
            if self.labels.given_up:
                name = f"pair{self.place}"
                self.rows.columns[name] = [NO_LABELS] * len(self.rows.columns[name])
        if self.clustered and self.fields.names:
            self.rows.patterns[self.place] = list(self.patterns.known)
        self.rows.verdicts.append(self.ledger.verdicts)
        sums.evaluators.append(own)


class Work:
    """One split in progress."""

    def __init__(self, job: Job, split: Split, plan: Plan, full: Collection[str]) -> None:
        """`plan` are the compiled steps of the job, `full` the keys of what is recorded that earlier splits have filled."""
        self.job, self.plan = job, plan
        self.sums, self.rows = SplitResult(split.index), SplitRows()
        self.counts = [
            EvaluatorColumns(place, evaluator, job, self.rows) for place, evaluator in enumerate(plan.evaluators)
        ]
        self.ledgers = [each.ledger for each in self.counts]
        outputs = output_columns([evaluator.line for evaluator in plan.evaluators], job.roles)
        self.given = [name for name in plan.columns if name not in outputs]
        self.paid = any(measure.of_judges for measure in job.measures)
        """What judges cost is counted."""
        self.issues = RowIssues(plan, self.ledgers, job.roles, self.sums)
        self.recorder: Recorder | None = None
        if job.recording is not None:
            self.recorder = Recorder(job.recording, plan, self.ledgers, self.rows, split.index == 0, full)

    @property
    def columns(self) -> list[str]:
        """The columns of the test set that are read."""
        job = self.job
        recorded_columns = job.recording.columns if job.recording and self.recorder and self.recorder.keeps_cells else ()
        named = [name for name in (job.cluster, job.confidence) if name is not None]
        measured = [measure.column for measure in job.measures if not measure.of_judges]
        return list(dict.fromkeys([*self.plan.columns, *job.slices, *named, *measured, *recorded_columns]))

    def take(self, chunk: Chunk) -> None:
        """Scores the rows of a chunk. Once the time of the run is over, none of them is judged.

        Raises StoppedAsking when it was stopped while it asked: then nothing of the chunk counts.
        """
        with self.scoring(chunk):
            pass

    @contextmanager
    def scoring(self, chunk: Chunk) -> Iterator[list[Cells]]:
        """Scores the rows of a chunk as `take` does. Within the `with` block the filled slots of the plan are there, from which
        verdicts are explained."""
        columns = {name: list(cells) for name, cells in chunk.columns.items()}
        unjudged, cells = None, columns
        if self.job.is_out_of_time:  # what is counted without judging is counted
            unjudged = run_out_of_time(self.job.reading.limits.run_seconds)
            cells = {name: [CellError(unjudged)] * chunk.count for name in columns}
        log: Log = {}
        with asking_with(log=log), self.plan.score_chunk(cells, chunk.count) as slots:
            costs = row_costs(log.values(), chunk.count) if self.paid else ()
            self._add_chunk(chunk, columns, slots, unjudged, costs)
            yield slots
            self._add_answers(chunk, log)

    def _add_chunk(
        self, chunk: Chunk, columns: Mapping[str, Cells], slots: list[Cells], unjudged: Issue | None, costs: Sequence[str]
    ) -> None:
        """Adds what was scored of a chunk to the columns and sums. `unjudged` says why none of its rows is judged, `costs` what
        judges were paid for each row."""
        job, rows, sums = self.job, self.rows, self.sums
        codes = [each.ledger.codes(slots[each.evaluator.verdicts]) for each in self.counts]
        faults = None if unjudged is None else [(row, unjudged) for row in range(chunk.count)]
        self.issues.take(chunk if faults is None else replace(chunk, faults=faults), slots, codes)
        sums.several += self.plan.count_several(slots)
        rows.add("row", chunk.offsets)
        rows.add("id", encodable_cells(_ids(chunk)))
        recorded_cells = [columns[name] for name in self.given if name in columns] if self.recorder is not None else []
        rows.add("given", checksums(recorded_cells, chunk.count))
        names = encodable_cells(cell_texts(columns.get(job.cluster, ()))) if job.cluster is not None else None
        if names is not None:
            rows.add("cluster", names)
        slices = [encodable_cells(slice_texts(columns[name])) for name in job.slices]
        for place, texts in enumerate(slices):
            rows.add(f"slice{place}", texts)
        for place, measure in enumerate(job.measures):
            cells = costs if measure.of_judges else columns[measure.column]
            rows.add(f"measure{place}", encodable_cells([*map(as_text, cells)]))
        steps = [
            column
            for each, own in zip(self.counts, codes, strict=True)
            for column in each.add(self.plan, chunk, columns, slots, own, names, slices)
        ]
        for place, column in enumerate(steps):
            rows.add(f"step{place}", column)
        if sums.index == 0 and sums.first_rows.rows < HINT_ROWS:
            sums.first_rows.take(self.plan, columns, slots, chunk.count)
        if self.recorder is not None:
            self.recorder.take(chunk, columns, self.recorder.rows_to_record(chunk, codes), slots)
        if job.joined is not None:
            sums.without_output += sum(map(is_absent, columns.get(job.joined, ())))
        sums.rows += chunk.count
        sums.span = chunk.span

    def _add_answers(self, chunk: Chunk, log: Log) -> None:
        """Adds the questions that were asked for a chunk, with their answers, to the sums and, where rows are recorded, to the stored
        rows. `log` has them by question."""
        lines = []
        for logged in log.values():
            self.sums.asked.add(logged)
            self.sums.judged.add(logged)
            line = line_of(logged)
            line["places"] = [[chunk.offsets[row], evaluator, path] for row, evaluator, path in line["places"]]
            lines.append(line_bytes(line).removesuffix(b"\n"))
        if self.recorder is not None:
            self.rows.answers += lines

    def finish(self) -> Part:
        """Ends the split and returns its columns and sums."""
        for each in self.counts:
            each.settle(self.sums, self.job.slices)
        if self.recorder is not None:
            self.sums.recorded = self.recorder.recorded_counts()
            self.sums.schemas = self.recorder.schemas.declared
        return Part(self.rows, self.sums)


@contextmanager
def without_cycle_search() -> Iterator[None]:
    """Turns Python's search for reference cycles off for the block: parsed documents hold none, and looking for some costs more than
    scoring them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _ids(chunk: Chunk) -> Sequence[str | None]:
    """The ids of the rows; None where there are none, and for a row that could not be read, whose id is unknown."""
    if chunk.ids is None:
        return [None] * chunk.count
    unread = {position for position, _ in chunk.faults}
    return (
        [None if not id_ and position in unread else id_ for position, id_ in enumerate(chunk.ids)]
        if unread
        else chunk.ids
    )


def layout_of(job: Job, lines: Sequence[EvaluatorLine]) -> Layout:
    """The columns that the rows of a job have in a run folder. Evaluators are named by their index in `lines`."""
    steps = [
        (place, name)
        for place, line in enumerate(lines)
        for name in ([OF_ROW] if job.confidence is not None else []) + list(confidence_paths(line))
    ]
    closed = [place for place, line in enumerate(lines) if line.settings.scored_fields().names]
    rules = {place: rule for place, line in enumerate(lines) if (rule := line.settings.label_rule()) is not None}
    return Layout(
        evaluators=tuple(line.name for line in lines),
        slices=job.slices,
        measures=tuple(measure.name for measure in job.measures),
        steps=tuple(steps),
        labelled=tuple(rules),
        listed=tuple(place for place, rule in rules.items() if rule.labels is not None),
        clustered=job.cluster is not None,
        empties=tuple(closed if job.cluster is not None else ()),
    )
