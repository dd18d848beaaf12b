"""A run as a page: what a person reads first.

The order is the order of questions: did it pass, which gates, how well, where is it weak, what was not measured and why,
and what to do about it. Every figure stands beside its counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from evaluators.issues import Blame, Issue
from evaluators.reports.document import Column, Document, Item, Listing, Paragraph, Section, Table, Tone, dense
from evaluators.runs.figures import counted, interval_text, percent_text, rows_text, score_text
from evaluators.runs.result import Counts, EvaluatorStats, FieldStats, GateResult, RunResult

MOST_SLICES: Final = 20
"""Slices that a summary lists; all of them are in run.json."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the reader asked for."""

    lowest_fields: int = 5
    """How many of the fields with the lowest accuracy are listed."""
    files: tuple[str, ...] = ()
    """Where the results are, one line each."""
    extra: tuple[Section, ...] = ()
    """Sections asked for beside the usual ones, such as `hardest_rows`."""


@dataclass(frozen=True, slots=True)
class HardRow:
    """One row for the list of hardest or slowest rows."""

    number: int
    id: str
    evaluator: str
    figure: str
    """What put it on the list: its score, or its time."""
    why: str


def summary(result: RunResult, options: Options = Options()) -> Document:
    """The page of a run."""
    gates = _gates(result)
    failed = any(gate.verdict in ("failed", "undecided") for gate in result.gates)
    sections = (
        _opening(result),
        *(gates if failed else ()),
        *_evaluators(result),
        *(() if failed else gates),
        *_lowest_fields(result, options.lowest_fields),
        *_slices(result),
        *options.extra,
        *_problems(result),
        *_warnings(result),
        *_notes(result),
        _ending(result, options),
    )
    return Document(f"{result.name}: {_headline(result)}", sections, _tone(result))


def fields_page(result: RunResult) -> Document:
    """Every field of every evaluator, with its counts and ratios."""
    sections = tuple(_field_section(stats) for stats in result.evaluators if stats.fields)
    none = (Section(None, (Paragraph("No evaluator of this run scores fields."),)),)
    partial = () if result.complete else (Section(None, (Paragraph(f"This run was {_headline(result)}.", "warning"),)),)
    return Document(f"{result.name}: fields", (*partial, *(sections or none)))


def hardest_rows(rows: Iterable[HardRow], title: str = "Hardest rows", figure: str = "score") -> Section:
    """The section for rows that were asked for, in the order given."""
    columns = (Column("row", True), Column("id"), Column("evaluator"), Column(figure, True), Column("why"))
    cells = tuple((str(row.number), row.id, row.evaluator, row.figure, row.why) for row in rows)
    return Section(title, (Table(columns, cells) if cells else Paragraph("There are none."),))


_HEADLINES: Final = {
    0: "finished",
    1: "FAILED",
    2: "the settings are wrong",
    3: "not everything could be measured",
    4: "the runs cannot be compared",
    70: "a fault in the program left rows without a score",
}


def _headline(result: RunResult) -> str:
    if not result.complete:
        finished = max((stats.rows for stats in result.evaluators), default=result.rows)
        return f"interrupted after {rows_text(finished)}; the figures are those of the finished rows only"
    if result.exit_code == 0 and result.gates:
        warned = any(gate.verdict == "warned" for gate in result.gates)
        return "passed, with warnings" if warned else "passed"
    return _HEADLINES.get(result.exit_code, f"ended with exit code {result.exit_code}")


def _tone(result: RunResult) -> Tone:
    if result.exit_code == 0:
        return "warning" if any(gate.verdict == "warned" for gate in result.gates) else "good"
    return "bad" if result.exit_code in (1, 70) else "warning"


def _opening(result: RunResult) -> Section:
    variants = f", {counted(len(result.variants), 'variant')}: {_quoted(result.variants)}" if result.variants else ""
    columns = ", ".join(f"{role} = {column}" for role, column in result.columns.items())
    lines = [Paragraph(f"{rows_text(result.rows)} of {result.test_set}{variants}")]
    if columns:
        lines.append(Paragraph(f"Columns: {columns}"))
    return Section(None, tuple(lines))


_GATE_TONES: Final[dict[str, Tone]] = {"passed": "good", "warned": "warning", "failed": "bad", "undecided": "warning"}
_GATE_WORDS: Final = {"passed": "passed", "warned": "WARNING", "failed": "FAILED", "undecided": "UNDECIDED"}
_GATE_ORDER: Final = ("failed", "undecided", "warned", "passed")


def _gates(result: RunResult) -> tuple[Section, ...]:
    if not result.gates:
        return ()
    ordered = sorted(result.gates, key=lambda gate: _GATE_ORDER.index(gate.verdict))
    table = Table(
        (
            Column("gate"), Column("variant"), Column("slice"), Column("verdict"), Column("found"),
            Column("limit"), Column("measured", True),
        ),
        tuple(_gate_row(gate) for gate in ordered),
        tuple(_GATE_TONES[gate.verdict] for gate in ordered),
    )  # fmt: skip
    return (Section("Gates", (dense(table, ("gate", "verdict", "found", "limit", "measured")),)),)


def _gate_row(gate: GateResult) -> tuple[str, ...]:
    return (
        gate.target, gate.variant or "", _slice_text(gate.slice), _GATE_WORDS[gate.verdict], gate.message,
        gate.limit, f"{gate.measured:,}",
    )  # fmt: skip


_ALWAYS: Final = (
    "evaluator", "mean score", "pass rate", "95 % interval", "scored", "passed", "failed", "skipped", "invalid",
)  # fmt: skip


def _evaluators(result: RunResult) -> tuple[Section, ...]:
    if not result.evaluators:
        return ()
    table = dense(Table(_EVALUATOR_COLUMNS, tuple(_evaluator_row(stats) for stats in result.evaluators)), _ALWAYS)
    remarks = tuple(item for stats in result.evaluators for item in _of_which(stats))
    legend = tuple(Item(f"{word}: {meaning}") for word, meaning in _LEGEND if _has(table, word))
    if any(stats.interval for stats in result.evaluators):
        legend = (Item(_INTERVAL), *legend)
    return (Section("Evaluators", (table, *((Listing((*remarks, *legend)),) if remarks or legend else ()))),)


_EVALUATOR_COLUMNS: Final = (
    Column("evaluator"), Column("variant"), Column("mean score", True), Column("pass rate", True),
    Column("95 % interval", True), Column("scored", True), Column("passed", True), Column("failed", True),
    Column("skipped", True), Column("not measured", True), Column("invalid", True), Column("unjudged", True),
    Column("bugs", True),
)  # fmt: skip


def _evaluator_row(stats: EvaluatorStats) -> tuple[str, ...]:
    counts = (stats.passed, stats.failed, stats.skipped, stats.not_measured, stats.invalid, stats.unjudged, stats.bugs)
    return (
        stats.name, stats.variant or "", score_text(stats.mean), percent_text(stats.pass_rate),
        interval_text(stats.interval), f"{stats.scored:,} of {stats.rows:,}", *(f"{count:,}" for count in counts),
    )  # fmt: skip


_INTERVAL: Final = "95 % interval: where the pass rate would likely be with many more rows like these"
_LEGEND: Final = (
    ("failed", "the row's score is below what the evaluator asks for (its pass_at); it counts in the mean"),
    ("skipped", "a condition of the suite leaves the row out; no score"),
    ("not measured", "the row has nothing that this evaluator looks at; no score"),
    ("invalid", "the test set is at fault, such as an expected answer that cannot be read; no score"),
    ("unjudged", "something outside kept the row from being judged; no score"),
    ("bugs", "a fault in the program; no score"),
)


def _has(table: Table, head: str) -> bool:
    heads = [column.head for column in table.columns]
    return head in heads and any(row[heads.index(head)] != "0" for row in table.rows)


def _of_which(stats: EvaluatorStats) -> Iterable[Item]:
    for count, said in (
        (stats.unreadable, "had an output that could not be read: they score 0"),
        (stats.blocked, "were blocked by an evaluator that they need: they score 0"),
        (stats.empty_expected, "had an empty expected answer, which measures nothing"),
    ):
        if count:
            yield Item(f"{_full_name(stats)}: {count:,} of the {stats.scored:,} scored rows {said}", tone="note")


def _lowest_fields(result: RunResult, most: int) -> tuple[Section, ...]:
    fields = [(stats, field) for stats in result.evaluators for field in stats.fields]
    if not fields:
        return ()
    weak = sorted(((stats, field) for stats, field in fields if _below_one(field)), key=_weakness)
    unmeasured = [f"{_full_name(stats)} → {field.path}" for stats, field in fields if field.counts.measured == 0]
    blocks: list[Paragraph | Table] = []
    if weak and most:
        blocks.append(_weak_table(weak[:most]))
    if len(weak) > most:
        blocks.append(Paragraph(f"{_more(len(weak) - max(most, 0), 'field')} below 1.0000."))
    if not weak and len(unmeasured) < len(fields):
        blocks.append(Paragraph("Every field that was measured is right in every row.", "good"))
    if unmeasured:
        blocks.append(Paragraph(f"Measured in no row: {_some(unmeasured)}.", "warning"))
    blocks.extend(
        Paragraph(f"{_full_name(stats)}: {counted(stats.more_fields, 'more path')} counted in the score, not listed.")
        for stats in result.evaluators
        if stats.more_fields
    )
    return (Section("Fields with the lowest accuracy", tuple(blocks)),)


def _below_one(field: FieldStats) -> bool:
    return field.accuracy is not None and field.accuracy < 1


def _weakness(pair: tuple[EvaluatorStats, FieldStats]) -> tuple[float, int, str, str, str]:
    stats, field = pair
    return field.accuracy or 0.0, -field.counts.measured, stats.name, stats.variant or "", field.path


def _weak_table(weak: Sequence[tuple[EvaluatorStats, FieldStats]]) -> Table:
    table = Table(
        (Column("evaluator"), Column("variant"), Column("field"), Column("accuracy", True), *_STATUS_COLUMNS),
        tuple(
            (stats.name, stats.variant or "", field.path, score_text(field.accuracy), *_status_cells(field.counts))
            for stats, field in weak
        ),
    )
    return dense(table, ("evaluator", "field", "accuracy", "measured", "right", "wrong", "missing", "invented"))


_STATUS_COLUMNS: Final = (
    Column("measured", True), Column("right", True), Column("wrong", True), Column("missing", True),
    Column("invented", True), Column("errors", True), Column("not checked", True),
)  # fmt: skip


def _status_cells(counts: Counts) -> tuple[str, ...]:
    found = (
        counts.measured, counts.match, counts.mismatch, counts.omission, counts.hallucination, counts.error, counts.fault,
    )  # fmt: skip
    return tuple(f"{count:,}" for count in found)


def _field_section(stats: EvaluatorStats) -> Section:
    table = Table(
        (
            Column("field"), Column("accuracy", True), *_STATUS_COLUMNS, Column("skipped", True),
            Column("not measured", True), Column("precision", True), Column("recall", True), Column("F1", True),
        ),
        tuple(_field_row(field) for field in stats.fields),
    )  # fmt: skip
    more = (Paragraph(f"{counted(stats.more_fields, 'more path')} counted in the score, not listed."),)
    figures = (
        f"{stats.type}; mean score {score_text(stats.mean)}, {stats.scored:,} of {rows_text(stats.rows)} scored; "
        f"precision {score_text(stats.precision)}, recall {score_text(stats.recall)}, F1 {score_text(stats.f1)}"
    )
    return Section(_full_name(stats), (Paragraph(figures), table, *(more if stats.more_fields else ())))


def _field_row(field: FieldStats) -> tuple[str, ...]:
    return (
        field.path, score_text(field.accuracy), *_status_cells(field.counts), f"{field.counts.skipped:,}",
        f"{field.counts.not_measured:,}", score_text(field.precision), score_text(field.recall), score_text(field.f1),
    )  # fmt: skip


def _slices(result: RunResult) -> tuple[Section, ...]:
    if not result.slices:
        return ()
    by_mean = sorted(enumerate(result.slices), key=lambda pair: (pair[1].mean is None, pair[1].mean or 0.0))
    shown = [stats for _, stats in sorted(by_mean[:MOST_SLICES], key=lambda pair: pair[0])]
    table = Table(
        (
            Column("slice"), Column("evaluator"), Column("variant"), Column("mean score", True),
            Column("pass rate", True), Column("95 % interval", True), Column("scored", True),
        ),
        tuple(_slice_row(stats) for stats in shown),
    )  # fmt: skip
    rest = len(result.slices) - len(shown)
    more = (Paragraph(f"The lowest {len(shown)}; {_more(rest, 'slice')} in run.json."),) if rest else ()
    return (Section("Slices", (dense(table, (*_ALWAYS, "slice")), *more)),)


def _slice_row(stats: EvaluatorStats) -> tuple[str, ...]:
    return (
        _slice_text(stats.slice), stats.name, stats.variant or "", score_text(stats.mean), percent_text(stats.pass_rate),
        interval_text(stats.interval), f"{stats.scored:,} of {stats.rows:,}",
    )  # fmt: skip


_BLAMED: Final = {
    Blame.CONFIG: "in the suite",
    Blame.TESTSET: "in the test set",
    Blame.OUTPUT: "in the outputs",
    Blame.ENVIRONMENT: "outside",
    Blame.BUG: "a fault in the program",
}


def _problems(result: RunResult) -> tuple[Section, ...]:
    """Issues by code, in the order the codes were met, each with how many more there were."""
    codes = list(dict.fromkeys([*(issue.code for issue in result.issues), *result.issue_counts]))
    items: list[Item] = []
    for code in codes:
        shown = [issue for issue in result.issues if issue.code == code]
        items.extend(_issue_item(issue) for issue in shown)
        rest = result.issue_counts.get(code, len(shown)) - len(shown)
        if rest > 0:
            items.append(Item(f"and {rest:,} more like this" if shown else f"{code}: {rest:,}"))
    return (Section("Problems", (Listing(tuple(items)),)),) if items else ()


def _issue_item(issue: Issue) -> Item:
    place = issue.where or _BLAMED[issue.blame]
    hint = (f"hint: {issue.hint}",) if issue.hint else ()
    excerpt = tuple(issue.excerpt.splitlines()) if issue.excerpt else ()
    return Item(f"{place}: {issue.message}", hint, excerpt, "bad" if issue.blame is Blame.BUG else "warning")


def _warnings(result: RunResult) -> tuple[Section, ...]:
    items = tuple(_issue_item(issue) for issue in result.warnings)
    return (Section("Warnings", (Listing(items),)),) if items else ()


def _notes(result: RunResult) -> tuple[Section, ...]:
    items = tuple(Item(note, tone="note") for note in result.notes)
    return (Section("Notes", (Listing(items),)),) if items else ()


def _ending(result: RunResult, options: Options) -> Section:
    said = f"Exit code {result.exit_code}: {_exit_words(result)}."
    blocks: list[Paragraph | Listing] = [Paragraph(said, _tone(result))]
    if result.causes:
        blocks.append(Listing(tuple(Item(cause) for cause in result.causes)))
    blocks.append(
        Paragraph(f"Suite {result.suite_fingerprint}, test set {result.data_fingerprint}, evaluators {result.version}.")
    )
    if options.files:
        blocks.append(Paragraph(f"Results: {', '.join(options.files)}"))
    return Section("Result", tuple(blocks))


def _exit_words(result: RunResult) -> str:
    if result.exit_code == 0 and not result.gates:
        return "the suite sets no gates, so no score is too low"
    return _EXIT_WORDS.get(result.exit_code, "see the causes")


_EXIT_WORDS: Final = {
    0: "no gate failed",
    1: "a gate or a comparison failed",
    2: "the suite or the command has a mistake",
    3: "something could not be measured",
    4: "the runs cannot be compared",
    70: "a fault in the program",
    130: "interrupted",
}


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _full_name(stats: EvaluatorStats) -> str:
    return f"{stats.name} ({stats.variant})" if stats.variant else stats.name


def _slice_text(slice_: tuple[str, str] | None) -> str:
    return f"{slice_[0].removeprefix('row.')} = {slice_[1]}" if slice_ else ""


def _more(count: int, noun: str) -> str:
    return f"{counted(count, f'more {noun}')} {'is' if count == 1 else 'are'}"


def _some(names: Sequence[str], most: int = 10) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown
