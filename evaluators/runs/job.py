"""What a worker runs: one split in, one small part out.

A job is small and can be pickled: the suite as text or plain data, the test set's table, and where parts are written. The
worker compiles the suite itself, reads its split itself, writes its rows and evidence into files of its own and returns
sums. The same split gives the same part, whoever runs it and however often.
"""

from __future__ import annotations

import gc
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from evaluators.issues import Fault, Issue
from evaluators.model import FieldResult, Standing, Status, Verdict
from evaluators.needs import Column, Need, Part
from evaluators.runs.rows import RowsFormat, Stored, open_part
from evaluators.runs.tally import Ledger, Tally
from evaluators.suite import source as suite_source
from evaluators.suite.config import read_config
from evaluators.suite.lines import EvaluatorLine
from evaluators.suite.plan import Compiled, Plan, Reading, compile_plan
from evaluators.testsets.reader import Chunk, Split, Table
from evaluators.values.json_text import compact

MOST_ISSUES: Final = 20
"""Issues of one code that are kept with their rows; the rest is counted."""
MOST_SLICES: Final = 1_000
"""Values of one column that have figures of their own; the rest shares one slice."""
OTHER_VALUES: Final = "(other values)"
UNREADABLE_KEY: Final = "(unreadable)"

SliceKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ShippedSuite:
    """A suite on its way to a worker: as text with the folder it stood in, or as plain data."""

    text: str | None
    data: Mapping[str, Any] | None
    name: str
    folder: Path | None

    def lines(self) -> tuple[EvaluatorLine, ...]:
        """The evaluators, read again."""
        if self.text is None:
            source = suite_source.from_data(self.data or {}, self.folder)
        else:
            source = suite_source.loads(self.text, self.name, self.folder)
        return read_config(source).lines


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


@dataclass(slots=True)
class SplitResult:
    """What one split came to."""

    index: int
    rows: int = 0
    span: int = 0
    tallies: list[Tally] = field(default_factory=list)
    slices: dict[SliceKey, list[Tally]] = field(default_factory=dict)
    issues: list[tuple[int, Issue]] = field(default_factory=list)
    issue_counts: dict[str, int] = field(default_factory=dict)
    evidence: dict[str, int] = field(default_factory=dict)
    """How many mismatches were recorded under each key."""
    finished: bool = True


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
    work = _Work(job, split, plan, full)
    with _without_cycle_search():
        for chunk in job.table.read(split, [*plan.columns, *(name for name in job.slices if name not in plan.columns)]):
            work.take(chunk)
            progress(chunk.count)
            if stopped():
                work.result.finished = False
                break
        return work.close()


def stored_of(lines: Sequence[EvaluatorLine]) -> list[Stored]:
    """What is stored of each evaluator."""
    return [Stored(line.name, line.settings.field_names()) for line in lines]


def evidence_key(evaluator: str, path: str) -> str:
    """What recorded mismatches are counted under."""
    return f"{evaluator}\0{path}"


class _Work:
    """One split in progress."""

    def __init__(self, job: Job, split: Split, plan: Plan, full: Collection[str]) -> None:
        self.job = job
        self.plan = plan
        self.result = SplitResult(split.index)
        self.ledgers = [Ledger(len(one.line.settings.field_names())) for one in plan.evaluators]
        self.slice_counts: dict[SliceKey, list[dict[int, int]]] = {}
        self.slice_values: dict[str, int] = defaultdict(int)
        self.collectors = [_Collector(one, job, full) for one in plan.evaluators]
        self.writer = None
        self.evidence: BinaryIO | None = None
        if job.folder is not None:
            stored = stored_of([one.line for one in plan.evaluators])
            self.writer = open_part(job.rows, part_path(job.folder, "rows", split.index), stored, self.ledgers)
            if job.evidence:
                self.evidence = open(part_path(job.folder, "evidence", split.index), "wb")  # noqa: SIM115  # closed by `close`

    def take(self, chunk: Chunk) -> None:
        """Scores the rows of a chunk."""
        columns = {name: list(cells) for name, cells in chunk.columns.items()}
        slots = self.plan.run(columns, chunk.count)
        codes = [
            ledger.codes(slots[one.verdicts]) for ledger, one in zip(self.ledgers, self.plan.evaluators, strict=True)
        ]
        if self.writer is not None:
            self.writer.add(chunk.offsets, chunk.ids, codes)
        for name in self.job.slices:
            self._slice(name, columns.get(name), codes)
        for collector, ledger, column in zip(self.collectors, self.ledgers, codes, strict=True):
            for index in collector.notable(ledger.verdicts, column):
                self._record(collector, slots, index, chunk)
        self.result.rows += chunk.count
        self.result.span = chunk.span

    def close(self) -> SplitResult:
        """The sums of the split; its files are complete."""
        result = self.result
        for name, codes_by_evaluator in self.slice_counts.items():
            result.slices[name] = [
                _tally_of(ledger, counts) for ledger, counts in zip(self.ledgers, codes_by_evaluator, strict=True)
            ]
        if self.writer is not None:
            self.writer.close()
        if self.evidence is not None:
            self.evidence.close()
        for one, ledger in zip(self.plan.evaluators, self.ledgers, strict=True):
            tally = ledger.settle()
            paths = getattr(one.check, "tally", None)
            if paths is not None:
                tally.add_paths(paths.counts())
            result.tallies.append(tally)
        for collector in self.collectors:
            result.evidence.update(collector.taken)
        return result

    def _slice(self, name: str, cells: Sequence[Any] | None, codes: Sequence[list[int]]) -> None:
        if cells is None:
            return
        for index, cell in enumerate(cells):
            key = (name, slice_text(cell))
            counts = self.slice_counts.get(key)
            if counts is None:
                if self.slice_values[name] >= MOST_SLICES:
                    key = (name, OTHER_VALUES)
                self.slice_values[name] += 1
                counts = self.slice_counts.setdefault(key, [defaultdict(int) for _ in self.ledgers])
            for mine, column in zip(counts, codes, strict=True):
                mine[column[index]] += 1

    def _record(self, collector: _Collector, slots: list[list[Any]], index: int, chunk: Chunk) -> None:
        one = collector.one
        verdict: Verdict = slots[one.verdicts][index]
        values = [slots[slot][index] for slot in one.inputs]
        offset = chunk.offsets[index]
        if verdict.issue is not None:
            self._issue(offset, _placed(verdict.issue, one, values, self.job.roles))
        if self.evidence is None:
            return
        row_id = chunk.ids[index] if chunk.ids is not None else None
        for key, found in collector.collect(verdict, values):
            line = _evidence_line(row_id, one.line.name, found)
            self.evidence.write(b"%d\t%b\t%b\n" % (offset, compact(evidence_key(one.line.name, key)), line))

    def _issue(self, offset: int, issue: Issue) -> None:
        seen = self.result.issue_counts.get(issue.code, 0)
        if (offset, issue) in self.result.issues[-MOST_ISSUES:]:
            return  # one faulty cell is one problem, however many evaluators need it
        self.result.issue_counts[issue.code] = seen + 1
        if seen < MOST_ISSUES:
            self.result.issues.append((offset, issue))


class _Collector:
    """Decides which rows of one evaluator are worth a second look, and makes their evidence."""

    def __init__(self, one: Compiled, job: Job, full: Collection[str]) -> None:
        self.one = one
        self.name = one.line.name
        self.fields = one.line.settings.field_names()
        self.most = job.most_evidence if job.evidence and job.folder is not None else 0
        self.full = set(full)
        self.taken: dict[str, int] = {}
        self._interesting: list[bool] = []

    def notable(self, verdicts: Sequence[Verdict], codes: Sequence[int]) -> list[int]:
        """The rows of a chunk that have an issue, or evidence that is still wanted."""
        interesting = self._interesting
        for verdict in verdicts[len(interesting) :]:
            interesting.append(verdict.issue is not None or any(map(self._wants, self._keys(verdict))))
        return [index for index, code in enumerate(codes) if interesting[code]]

    def collect(self, verdict: Verdict, values: Sequence[Any]) -> Iterator[tuple[str, FieldResult]]:
        """The evidence of one row, as far as it is still wanted, each with what it is counted under."""
        keys = [key for key in self._keys(verdict) if self._wants(key)]
        if not keys:
            return
        if verdict.standing is Standing.UNREADABLE:
            self._count(UNREADABLE_KEY)
            fault = next((value for value in values if isinstance(value, Fault)), None)
            lost = FieldResult("", Status.ERROR, 0.0, reason=fault.issue.message if fault else None)
            yield UNREADABLE_KEY, lost
            return
        found = [
            (result.path if self.fields else "", result)
            for result in self.one.line.settings.evidence(verdict, keys, *values)
        ]
        for key in sorted({key for key, _ in found}):
            self._count(key)
        yield from found

    def _keys(self, verdict: Verdict) -> list[str]:
        """What a verdict could be evidence of."""
        if verdict.standing is Standing.UNREADABLE:
            return [UNREADABLE_KEY]
        if verdict.standing is not Standing.SCORED:
            return []
        if self.fields and verdict.statuses:
            wrong = (Status.MISMATCH, Status.OMISSION, Status.HALLUCINATION, Status.ERROR)
            return [name for name, status in zip(self.fields, verdict.statuses, strict=True) if status in wrong]
        perfect = verdict.num == verdict.den and not (verdict.counts and verdict.counts[3])
        return [] if perfect else [""]

    def _wants(self, path: str) -> bool:
        key = evidence_key(self.name, path)
        return self.most is None or (key not in self.full and self.taken.get(key, 0) < self.most)

    def _count(self, path: str) -> None:
        key = evidence_key(self.name, path)
        self.taken[key] = self.taken.get(key, 0) + 1
        if self.most is not None and self.taken[key] >= self.most:
            self._interesting.clear()  # what is interesting is worked out anew


def part_path(folder: Path, kind: str, index: int) -> Path:
    """The file of one part."""
    return folder / f"{kind}-{index:06d}.part"


def slice_text(cell: Any) -> str:
    """A cell as the name of a slice."""
    if isinstance(cell, str):
        return cell
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, (bool, int, float, list, dict)) else ""


def _tally_of(ledger: Ledger, counts: Mapping[int, int]) -> Tally:
    tally = Tally(ledger.tally.fields)
    for code, count in counts.items():
        tally.add(ledger.verdicts[code], count)
    return tally


def _placed(issue: Issue, one: Compiled, values: Sequence[Any], roles: Mapping[str, str]) -> Issue:
    """An issue with the column that its cell stands in; the row is added when its number is known."""
    for need, value in zip(one.line.settings.needs(), values, strict=True):
        if isinstance(value, Fault) and value.issue == issue:
            column = _column(need)
            if column is not None:
                return replace(
                    issue, where=f'column "{column.name if column.literal else roles.get(column.name, column.name)}"'
                )
    return replace(issue, where=issue.where or f'evaluator "{one.line.name}"')


def _column(need: Need) -> Column | None:
    if isinstance(need, Part):
        return None
    return need if isinstance(need, Column) else need.column


def _evidence_line(row_id: str | None, evaluator: str, found: FieldResult) -> bytes:
    line: dict[str, Any] = {"id": row_id, "evaluator": evaluator, "path": found.path, "status": found.status.word}
    for name in ("expected", "actual"):
        value = getattr(found, name)
        if isinstance(value, (str, int, float, bool, list, dict)) or value is None:
            line[name] = value
    for name in ("reason", "rule"):
        if getattr(found, name) is not None:
            line[name] = getattr(found, name)
    return compact(line)[1:]


@contextmanager
def _without_cycle_search() -> Iterator[None]:
    """Parsed documents hold no cycles, and looking for some costs more than scoring them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
