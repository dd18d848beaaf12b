"""What a worker runs: one split in, one small part out.

A job is small and can be pickled: the suite as text or plain data, the test set's table, and where parts are written. The
worker compiles the suite itself, reads its split itself, writes its rows and evidence into files of its own and returns
sums. The same split gives the same part, whoever runs it and however often.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from evaluators.issues import Blame, Fault, Issue, RowProblem
from evaluators.model import FieldResult, Standing, Status, Verdict
from evaluators.needs import Column, Expected, Need, Part
from evaluators.runs.clusters import ClusterCounts, cluster_names
from evaluators.runs.given import checksums, output_columns
from evaluators.runs.ids import MOST_IDS, numbers_of
from evaluators.runs.rows import Beside, RowsFormat, RowWriter, Stored, open_part
from evaluators.runs.slices import SliceCounts, SliceKey
from evaluators.runs.tally import Ledger, Tally
from evaluators.suite import source as suite_source
from evaluators.suite.config import read_config
from evaluators.suite.graph import in_order
from evaluators.suite.lines import EvaluatorLine
from evaluators.suite.plan import Compiled, Plan, Reading, compile_plan
from evaluators.testsets.joining import is_absent
from evaluators.testsets.reader import Chunk, Split, Table
from evaluators.values.json_text import compact

MOST_ISSUES: Final = 5
"""Issues of one code that are kept with their rows, the first ones; the rest is counted."""
UNREADABLE_KEY: Final = "(unreadable)"


@dataclass(frozen=True, slots=True)
class ShippedSuite:
    """A suite on its way to a worker: as text with the folder it stood in, or as plain data."""

    text: str | None
    data: Mapping[str, Any] | None
    name: str
    folder: Path | None
    environment: Mapping[str, str] | None = None
    """What `${NAME}` stands for; the worker's own environment when it is None."""
    lessons: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What evaluators learned from the test set, by name."""

    def lines(self) -> tuple[EvaluatorLine, ...]:
        """The evaluators, read again; once in a process for all splits of a run."""
        import pickle  # imported when used: a run in one process never comes here

        return _lines(pickle.dumps(self))


@lru_cache(maxsize=1)
def _lines(shipped: bytes) -> tuple[EvaluatorLine, ...]:
    import pickle

    suite: ShippedSuite = pickle.loads(shipped)
    if suite.text is None:
        source = suite_source.from_data(suite.data or {}, suite.folder, suite.environment)
    else:
        source = suite_source.loads(suite.text, suite.name, suite.folder, suite.environment)
    return tuple(line.taught(suite.lessons.get(line.name)) for line in read_config(source).lines)


@dataclass(frozen=True, slots=True)
class Job:
    """What there is to do with every split."""

    suite: ShippedSuite
    table: Table
    roles: Mapping[str, str]
    reading: Reading
    folder: Path | None
    """Where parts are written; None keeps sums only."""
    rows: RowsFormat = "jsonl"
    slices: tuple[str, ...] = ()
    most_evidence: int | None = 1_000
    """Mismatches recorded per field; None records all."""
    evidence: bool = True
    cluster: str | None = None
    """The column that says which rows belong together."""
    joined: str | None = None
    """The column of outputs that come from another file; None where they stand beside the expected answers."""


@dataclass(slots=True)
class SplitResult:
    """What one split came to."""

    index: int
    rows: int = 0
    without_output: int = 0
    """Rows for which a joined file has no output."""
    span: int = 0
    tallies: list[Tally] = field(default_factory=list)
    slices: dict[SliceKey, list[Tally]] = field(default_factory=dict)
    issues: list[tuple[int, Issue]] = field(default_factory=list)
    issue_counts: dict[str, int] = field(default_factory=dict)
    evidence: dict[str, int] = field(default_factory=dict)
    """How many mismatches were recorded under each key."""
    finished: bool = True
    ids: array[int] = field(default_factory=lambda: array("I"))
    """A number for each id, in order; empty where rows have none. See `ids`."""


def run_split(
    job: Job,
    split: Split,
    full: Collection[str] = (),
    stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int], None] = lambda rows: None,
    lines: Sequence[EvaluatorLine] | None = None,
) -> SplitResult:
    """Score the rows of one split.

    `full` are evidence keys that earlier splits have filled. `stopped` is asked between chunks; when it says yes, the
    result holds the rows that were finished. `progress` is told how many rows each chunk had. `lines` saves reading the
    suite again where the caller has it.
    """
    plan = compile_plan(lines if lines is not None else job.suite.lines(), job.roles, job.reading)
    columns = list(dict.fromkeys([*plan.columns, *job.slices, *([job.cluster] if job.cluster is not None else ())]))
    with without_cycle_search(), _Work(job, split, plan, full) as work:
        for chunk in job.table.read(split, columns):
            if stopped():
                work.result.finished = False
                break
            work.take(chunk)
            progress(chunk.count)
        return work.finished()


def stored_of(lines: Sequence[EvaluatorLine]) -> list[Stored]:
    """What is stored of each evaluator."""
    return [Stored(line.name, line.settings.row_fields()) for line in lines]


def evidence_key(evaluator: str, path: str) -> str:
    """What recorded mismatches are counted under."""
    return f"{evaluator}\0{path}"


class _Work:
    """One split in progress. Left as a context, its files are closed."""

    def __init__(self, job: Job, split: Split, plan: Plan, full: Collection[str]) -> None:
        self.job = job
        self.plan = plan
        self.result = SplitResult(split.index)
        self.ledgers = [Ledger(len(one.line.settings.field_names())) for one in plan.evaluators]
        self.slices = {name: SliceCounts(self.ledgers) for name in job.slices}
        self.clusters = ClusterCounts(len(self.ledgers)) if job.cluster is not None else None
        outputs = output_columns([one.line for one in plan.evaluators], job.roles)
        self.given = [name for name in plan.columns if name not in outputs]
        ranks = {line.name: rank for rank, line in enumerate(in_order([one.line for one in plan.evaluators]))}
        self.collectors = [_Collector(one, ranks[one.line.name], job, full) for one in plan.evaluators]
        self.writer: RowWriter | None = None
        self.evidence: BinaryIO | None = None
        if job.folder is not None:
            stored = stored_of([one.line for one in plan.evaluators])
            self.writer = open_part(job.rows, part_path(job.folder, "rows", split.index), stored, self.ledgers)
            if job.evidence:
                self.evidence = open(part_path(job.folder, "evidence", split.index), "wb")  # noqa: SIM115  # closed by __exit__

    def __enter__(self) -> _Work:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_files()

    def take(self, chunk: Chunk) -> None:
        """Scores the rows of a chunk."""
        columns = {name: list(cells) for name, cells in chunk.columns.items()}
        slots = self.plan.run(columns, chunk.count)
        codes = [
            ledger.codes(slots[one.verdicts]) for ledger, one in zip(self.ledgers, self.plan.evaluators, strict=True)
        ]
        names = cluster_names(columns.get(self.job.cluster, ())) if self.job.cluster is not None else None
        if self.clusters is not None and names is not None:
            self.clusters.add(names, codes)
        if self.writer is not None:
            given = checksums([columns[name] for name in self.given if name in columns], chunk.count)
            self.writer.add(chunk.offsets, chunk.ids, codes, Beside(given, names))
        for name, counts in self.slices.items():
            counts.add(columns[name], codes)
        self._look_again(chunk, slots, codes)
        if chunk.ids is not None and len(self.result.ids) < MOST_IDS:
            self.result.ids.extend(numbers_of(chunk.ids))
        if self.job.joined is not None:
            self.result.without_output += sum(map(is_absent, columns.get(self.job.joined, ())))
        self.result.rows += chunk.count
        self.result.span = chunk.span

    def finished(self) -> SplitResult:
        """The sums of the split; its files are complete."""
        self._close_files()
        result = self.result
        for name, counts in self.slices.items():
            result.slices.update({(name, value): tallies for value, tallies in counts.tallies().items()})
        for place, (one, ledger) in enumerate(zip(self.plan.evaluators, self.ledgers, strict=True)):
            clusters = self.clusters.sums(place, ledger.verdicts) if self.clusters is not None else {}
            tally = ledger.settle()
            tally.clusters = clusters
            paths = getattr(one.check, "tally", None)
            if paths is not None:
                tally.add_paths(paths.counts())
                tally.add_details(paths.details())
            result.tallies.append(tally)
        for collector in self.collectors:
            result.evidence.update(collector.taken)
        return result

    def _close_files(self) -> None:
        writer, evidence = self.writer, self.evidence
        self.writer = self.evidence = None
        if writer is not None:
            writer.close()
        if evidence is not None:
            evidence.close()

    def _look_again(self, chunk: Chunk, slots: list[list[Any]], codes: Sequence[list[int]]) -> None:
        """Issues and evidence of a chunk, both in the order of rows."""
        raised: dict[int, list[_Raised]] = {}
        evidence: list[tuple[int, bytes]] = []
        for collector, ledger, column in zip(self.collectors, self.ledgers, codes, strict=True):
            for index in collector.notable(ledger.verdicts, column):
                one = collector.one
                verdict: Verdict = slots[one.verdicts][index]
                values = [slots[slot][index] for slot in one.inputs]
                if verdict.issue is not None:
                    raised.setdefault(index, []).append(_Raised(collector.rank, verdict.issue, one, values))
                if self.evidence is not None:
                    row_id = chunk.ids[index] if chunk.ids is not None else None
                    for key, found in collector.collect(verdict, values):
                        line = (
                            chunk.offsets[index],
                            compact(evidence_key(collector.name, key)),
                            _evidence_line(row_id, collector.name, found),
                        )
                        evidence.append((index, b"%d\t%b\t%b\n" % line))
        whole_rows = dict(chunk.faults)
        for index in sorted(raised):
            self._issues(chunk.offsets[index], raised[index], whole_rows.get(index))
        if evidence and self.evidence is not None:
            evidence.sort(key=_first)
            self.evidence.write(b"".join([line for _, line in evidence]))

    def _issues(self, offset: int, raised: list[_Raised], whole_row: Issue | None) -> None:
        """The issues of one row; `whole_row` is what is wrong with all of it.

        One faulty cell is one problem, however many evaluators need it or wait for one that does.
        """
        said: set[Issue] = set()
        causes: set[Issue] = set()
        for each in sorted(raised, key=_first):
            column = _faulty_column(each, self.job.roles)
            if column is None and each.issue in causes:
                continue
            causes.add(each.issue)
            where = column or each.issue.where or f'evaluator "{each.one.line.name}"'
            placed = each.issue if each.issue == whole_row else replace(each.issue, where=where)
            if placed in said:
                continue
            said.add(placed)
            seen = self.result.issue_counts.get(placed.code, 0)
            self.result.issue_counts[placed.code] = seen + 1
            if seen < MOST_ISSUES:
                self.result.issues.append((offset, placed))


class _Raised(NamedTuple):
    """An issue of one row: the evaluator's place among those that wait for each other, and what it was given."""

    rank: int
    issue: Issue
    one: Compiled
    values: Sequence[Any]


class _Collector:
    """Decides which rows of one evaluator are worth a second look, and makes their evidence."""

    def __init__(self, one: Compiled, rank: int, job: Job, full: Collection[str]) -> None:
        self.one = one
        self.rank = rank
        self.name = one.line.name
        self.fields = one.line.settings.row_fields()
        self.most = job.most_evidence if job.evidence and job.folder is not None else 0
        self.full = set(full)
        self.taken: dict[str, int] = {}
        self._interesting: set[int] = set()
        self._looked_at = 0

    def notable(self, verdicts: Sequence[Verdict], codes: Sequence[int]) -> Sequence[int]:
        """The rows of a chunk that have an issue, or evidence that is still wanted."""
        interesting = self._interesting
        for code in range(self._looked_at, len(verdicts)):
            verdict = verdicts[code]
            if verdict.issue is not None or any(map(self._wants, self._keys(verdict))):
                interesting.add(code)
        self._looked_at = len(verdicts)
        if not interesting or interesting.isdisjoint(codes):
            return ()
        return [index for index, code in enumerate(codes) if code in interesting]

    def collect(self, verdict: Verdict, values: Sequence[Any]) -> list[tuple[str, FieldResult]]:
        """The evidence of one row, as far as it is still wanted, each with what it is counted under."""
        keys = [key for key in self._keys(verdict) if self._wants(key)]
        found = self._explained(verdict, keys, values) if keys else []
        for key in sorted({key for key, _ in found}):
            self._count(key)
        return found

    def _explained(self, verdict: Verdict, keys: list[str], values: Sequence[Any]) -> list[tuple[str, FieldResult]]:
        settings = self.one.line.settings
        fault = next((value for value in values if isinstance(value, Fault)), None)
        if verdict.standing is Standing.UNREADABLE:
            return [(keys[0], FieldResult("", Status.ERROR, 0.0, reason=fault.issue.message if fault else None))]
        try:
            if fault is not None:
                score = settings.unreadable(fault.issue, *values)
                return [(keys[0], FieldResult("", Status.MISMATCH, score.value, reason=score.reason))]
            found = settings.evidence(verdict, keys, *values)
            listed = set(self.fields)
            return [(name if (name := result.field or result.path) in listed else "", result) for result in found]
        except RowProblem as error:
            reason = error.issue.message
        except Exception as error:  # a row is guarded: what cannot be explained keeps its score
            reason = f"{type(error).__name__}: {error}"
        return [(key, FieldResult(key, Status.ERROR, reason=f"it could not be explained: {reason}")) for key in keys]

    def _keys(self, verdict: Verdict) -> list[str]:
        """What a verdict could be evidence of."""
        if verdict.standing is Standing.UNREADABLE:
            return [UNREADABLE_KEY]
        if verdict.standing is not Standing.SCORED:
            return []
        if self.fields and verdict.statuses:
            wrong = (Status.MISMATCH, Status.OMISSION, Status.HALLUCINATION, Status.ERROR)
            names = [name for name, status in zip(self.fields, verdict.statuses, strict=True) if status in wrong]
            if names or verdict.counts is None:
                return names
        perfect = verdict.num == verdict.den and not (verdict.counts and verdict.counts[3])
        return [] if perfect else [""]

    def _wants(self, path: str) -> bool:
        key = evidence_key(self.name, path)
        return self.most is None or (key not in self.full and self.taken.get(key, 0) < self.most)

    def _count(self, path: str) -> None:
        key = evidence_key(self.name, path)
        self.taken[key] = self.taken.get(key, 0) + 1
        if self.most is not None and self.taken[key] == self.most:
            self._interesting.clear()  # what is interesting is worked out anew
            self._looked_at = 0


def part_path(folder: Path, kind: str, index: int) -> Path:
    """The file of one part."""
    return folder / f"{kind}-{index:06d}.part"


def _faulty_column(each: _Raised, roles: Mapping[str, str]) -> str | None:
    """The column whose cell is to blame, as messages say it; None when it is not one cell.

    What is wrong with an expected value is in the expected document's column.
    """
    expected = each.issue.blame is Blame.TESTSET and each.issue.code.startswith("expected-")
    for need, value in zip(each.one.line.settings.needs(), each.values, strict=True):
        column = _column(need)
        faulty = isinstance(value, Fault) and value.issue == each.issue
        if column is not None and (faulty or (expected and isinstance(need, Expected))):
            return f'column "{column.name if column.literal else roles.get(column.name, column.name)}"'
    return None


def _column(need: Need) -> Column | None:
    if isinstance(need, Part):
        return None
    return need if isinstance(need, Column) else need.column


def _evidence_line(row_id: str | None, evaluator: str, found: FieldResult) -> bytes:
    line: dict[str, Any] = {"id": row_id, "evaluator": evaluator, "path": found.path, "status": found.status.word}
    if found.field is not None and found.field != found.path:
        line["field"] = found.field
    for name in ("expected", "actual"):
        value = getattr(found, name)
        if isinstance(value, (str, int, float, bool, list, dict)) or value is None:
            line[name] = value
    for name in ("reason", "rule"):
        if getattr(found, name) is not None:
            line[name] = getattr(found, name)
    return compact(line)[1:]


_first = itemgetter(0)


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
