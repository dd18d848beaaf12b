"""Suggestions for a run: what one change of the suite would turn from wrong to right, and what happened to whole documents.

Strategy: only what was recorded is looked at, once, when the rows are scored. The same record gives the same suggestions.

- Fields: the first mismatches of each field, those fields first that have most, are compared again with one thing changed.
- Texts: a few changes to the evaluator.
- Every number is the difference of two runs: the rows are scored again, with the change and without it. Of a longer run, whose rows are
  not all at hand, what was recorded is counted, and that is said.
- Whole documents: see `document_suggestions`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Problems
from evaluators.model.rows import MISSING, FieldStatus, Outcome
from evaluators.reports.changed_evaluator import FIRST_ROWS, MOST_ROWS, RowsAgain, with_field
from evaluators.reports.comparator_suggestions import FieldRule, Mismatch, changes
from evaluators.reports.document_suggestions import absence_suggestions, document_suggestions
from evaluators.reports.mistakes import field_of, steps_of
from evaluators.reports.suggestions import SHOWN_ROWS, WHOLE_OUTPUT, Suggestion
from evaluators.runs.metrics import rows_text
from evaluators.runs.reader import Run
from evaluators.runs.record_facts import RecordedVariant
from evaluators.runs.record_lines import OutcomeLine
from evaluators.runs.result import RunResult
from evaluators.scoring.comparators._comparator import COMPARATORS, word_of
from evaluators.scoring.evaluators._cells import CellEvaluator
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.evaluators._texts import EXPECTED, TextChange
from evaluators.scoring.fields.listed import ListedTree
from evaluators.scoring.fields.metrics import scored_nodes
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.need_steps import Reading
from evaluators.scoring.values.paths import ANY, display
from evaluators.scoring.values.quoting import flow_text
from evaluators.suites.config import read_config
from evaluators.suites.source import loads

if TYPE_CHECKING:
    from evaluators.scoring.fields.schema_scoring import SchemaScoring

MOST_MISMATCHES: Final = 1_000
"""Of each field."""
MOST_BRIEFLY: Final = 40
"""The same, and the rows of texts, for what a run ends with."""
MOST_FIELDS: Final = 40
MOST_TOGETHER: Final = 6_000
"""Mismatches of all fields that are looked at; where there are more, each field gets its share."""
_MOST_LINES: Final = 200_000


class _Field(Struct, frozen=True):
    """A field of one variant with its recorded mismatches, for which changes are searched."""

    about: Suggestion
    """What every suggestion for the field says."""
    compared: FieldRule
    line: EvaluatorLine
    mismatches: Sequence[Mismatch]
    last_row: int
    """The last of the rows that are scored again."""
    early: int | None
    """How many values are wrong in these rows that another comparator may turn right; None where that is not known."""

    @property
    def most(self) -> int:
        """How many values are wrong, as far as the run tells."""
        return max(self.about.of, self.about.whole or 0) if self.about.first else self.about.of

    @property
    def at_most(self) -> int:
        """The highest count that a suggestion for the field may state: once its rows are scored again, the wrong values in them; or the
        mismatches that a change turns, where these rows have none of them."""
        # a change that turns only mismatches in later rows, which are not scored again, counts them as recorded
        late = sum(mismatch.row > self.last_row for mismatch in self.mismatches)
        return self.most if self.early is None else max(self.early, late)


class _Candidate(Struct, frozen=True):
    """A suggestion from what was recorded, before the rows are scored with it."""

    suggestion: Suggestion
    line: EvaluatorLine
    changed: EvaluatorLine | None = None
    """The line with the change; None where that cannot be made here."""
    field: str | None = None
    bound: int | None = None
    """The highest count that it may state once the rows are scored with it, where that is known to be lower than `most`."""

    @property
    def most(self) -> int:
        """How many values the suggestion may turn at most in the whole run."""
        suggestion = self.suggestion
        return max(suggestion.turned, suggestion.whole or 0) if suggestion.first else suggestion.turned

    @property
    def at_most(self) -> int:
        """The highest count that it may state once the rows are scored with it."""
        return self.most if self.bound is None else self.bound


_FieldKey: TypeAlias = tuple[str, str]

_Rank: TypeAlias = tuple[int, ...]
"""The place of a suggestion among all: the lowest is shown first."""


def suggestions_for(
    lines: Sequence[EvaluatorLine], record: Run, *, wanted: int | None = None, reading: Reading | None = None
) -> list[Suggestion]:
    """The suggestions for a run, those that turn most values right first.

    Where only so many are `wanted`, the search looks at the first wrong values alone, and leaves out what would turn fewer. `reading` says
    how the run read outputs.
    """
    texts: list[Suggestion] = []
    others: list[Suggestion] = []
    absent: list[Suggestion] = []
    fields: list[_Field] = []
    rows = MOST_ROWS if wanted is None else FIRST_ROWS
    again = {variant.variant: RowsAgain(record, variant.variant, reading, rows) for variant in record.facts.variants}
    if lines:
        for variant in record.facts.variants:
            fields += _wrong_fields(lines, record, variant, again[variant.variant], wanted is not None)
        texts += text_suggestions(lines, record, again)
        others += document_suggestions(lines, record, again)
    others += _field_suggestions(fields, again, (*texts, *others), wanted)
    if lines:
        absent += absence_suggestions(lines, record, again, (*texts, *others), wanted)
    return sorted((*texts, *absent, *others), key=lambda suggestion: -suggestion.turned)[:wanted]


def _field_suggestions(
    fields: Sequence[_Field], again: Mapping[str | None, RowsAgain], others: Iterable[Suggestion], wanted: int | None
) -> list[Suggestion]:
    """The suggestions for fields, those that turn most first. Where so many are `wanted`, what cannot be among the first of these and of
    `others` is not searched.

    Best first: a heap has the fields by the highest count that a suggestion for them may state. A field that comes out is replaced by its
    candidates, each by the highest count that it may state; a candidate that comes out is scored. The search ends when `wanted` suggestions
    are better than the best that waits.
    """
    ranks: list[_Rank] = [(-suggestion.turned,) for suggestion in others]
    ranked: list[tuple[_Rank, Suggestion]] = []
    waiting: list[tuple[_Rank, _Field | _Candidate]] = [
        ((-field.at_most, -field.most, number, -1), field) for number, field in enumerate(fields)
    ]
    heapify(waiting)
    while waiting:
        best_rank, best = heappop(waiting)
        if wanted is not None and sum(rank < best_rank for rank in ranks) >= wanted:
            break
        *_, number, place = best_rank
        if isinstance(best, _Field):
            for index, candidate in enumerate(_candidates(best)):
                heappush(waiting, ((-candidate.at_most, -candidate.most, number, index), candidate))
            continue
        for suggestion in _rescored_suggestions(best, again[best.suggestion.variant]):
            ranks.append(rank := (-suggestion.turned, -best.most, number, place))
            ranked.append((rank, suggestion))
    return [suggestion for _, suggestion in sorted(ranked, key=itemgetter(0))]


def _rescored_suggestions(candidate: _Candidate, again: RowsAgain) -> list[Suggestion]:
    """The suggestion of a candidate, with the numbers that come of scoring its rows with the change and without it; empty where the change
    would make something wrong, or leave a row without a score. Where the rows cannot be scored here, it counts what was recorded."""
    known = candidate.suggestion
    effect = None if candidate.changed is None else again.effect(candidate.line, candidate.changed, candidate.field)
    if effect is None:
        return [known]
    if effect.broken or effect.lost or (effect.whole and not effect.turned):
        return []
    if not effect.turned:  # the first rows say nothing of it
        return [known]
    # of so many wrong values: all that are known of, or those in the rows that were scored, where there are others behind them
    every = known.of if known.whole is None else known.whole
    first = not effect.whole and effect.wrong < every
    of = max(effect.turned, effect.wrong if first else every)
    gained = f"{rows_text(effect.gained)} without a score would get one" if effect.gained else ""
    return [replace(
        known, turned=effect.turned, of=of, first=first, rows=effect.rows[:SHOWN_ROWS], in_rows=len(effect.rows),
        says="; ".join(filter(None, (known.says, gained))),
    )]  # fmt: skip


def _wrong_fields(
    lines: Sequence[EvaluatorLine], record: Run, recorded_variant: RecordedVariant, again: RowsAgain, brief: bool
) -> Iterator[_Field]:
    """The at most `MOST_FIELDS` fields of a variant with the most mismatches, those with most first. With `brief`, only the first
    mismatches of each are taken. `again` has the rows that are scored again: a field knows how many of its values are wrong in these only
    where the run recorded every outcome, and every row counts."""
    variant = recorded_variant.variant
    most_rows = None if recorded_variant.every_outcome else record.facts.most
    wrong = _mismatch_counts(record.result, variant)
    named = {line.name: line for line in lines}
    fields = {line.name: compared_fields(line.settings) for line in lines}
    by_row = {line.name: frozenset(line.settings.scored_fields().of_rows) for line in lines}
    recorded = _read_mismatches(record.outcomes(variant), fields, by_row, again.last_row)
    most = sorted(recorded.mismatches.items(), key=lambda item: -len(item[1]))[:MOST_FIELDS]
    share = MOST_BRIEFLY if brief else _mismatches_per_field([len(mismatches) for _, mismatches in most])
    for (evaluator, field), all_mismatches in most:
        key = field if field in by_row[evaluator] else ""
        mismatches, whole = all_mismatches[:share], wrong.get((evaluator, field))
        first = len(all_mismatches) > share or recorded.has_more
        if most_rows is not None:
            kept_all = recorded.rows[evaluator, key] < most_rows if whole is None else whole <= len(mismatches)
            first = first or not kept_all
        about = Suggestion(evaluator, variant, field, "", "", 0, len(mismatches), first, (), 0, whole=whole)
        line = named[evaluator]
        counted = (
            most_rows is None and not recorded.has_more and again.counts_every_row(line) and ANY not in steps_of(field)
        )
        yield _Field(
            about,
            fields[evaluator][field],
            line,
            mismatches,
            again.last_row,
            recorded.in_first_rows[evaluator, field] if counted else None,
        )


def _candidates(field: _Field) -> Iterator[_Candidate]:
    """The changes to try on a field, each with the rows it would turn right as recorded.

    A change without a comparator is one of how a list is paired, and is made at the list.
    """
    about, compared, line, mismatches = field.about, field.compared, field.line, field.mismatches
    scored = line.settings.scored_fields()
    listed = scored.lines is not None
    uncompared = (
        0 if field.early is None else field.early - sum(mismatch.row <= field.last_row for mismatch in mismatches)
    )
    for change in changes(compared, mismatches):
        if scored.of_cells and change.comparator is None:
            continue  # a cell has no items of its own
        rows = list(dict.fromkeys(mismatches[place].row for place in change.fixed))
        at = about.field
        place = "compare" if scored.of_cells else ""
        if change.comparator is None and compared.ordered:  # how a list is paired is said of the list
            at = place = display(steps_of(about.field)[:-1]) or "$"
        suggestion = replace(
            about, switch=change.switch, write=change.write if listed else "", turned=len(change.fixed),
            rows=tuple(rows[:SHOWN_ROWS]), in_rows=len(rows), says=change.says, at=place,
        )  # fmt: skip
        new = {"align": ANY_ORDER} if change.comparator is None else {"comparator": change.comparator}
        changed = with_field(line, "" if at == "$" else at, **new)
        candidate = _Candidate(suggestion, line, changed, about.field)
        if field.early is not None and change.comparator is not None and changed is not None:
            early = sum(mismatches[index].row <= field.last_row for index in change.fixed)
            candidate = replace(candidate, bound=early + uncompared if early else max(suggestion.turned, uncompared))
        yield candidate


ANY_ORDER: Final = Align("any_order")


def _mismatch_counts(result: RunResult, variant: str | None) -> dict[tuple[str, str], int]:
    """How many values of each field are wrong in the whole run, by evaluator and field. A field with several values of a row is counted by
    rows, unless a schema says what its items are."""
    return {
        (stats.name, field.path): field.counts.mismatch
        for stats in result.evaluators
        if stats.variant == variant
        for field in stats.fields
    }


def _mismatches_per_field(counts: Sequence[int]) -> int:
    """How many mismatches of each field are looked at: all, or as many hundreds as together are few enough."""
    if sum(counts) <= MOST_TOGETHER:
        return MOST_MISMATCHES
    return max(100, MOST_TOGETHER // len(counts) // 100 * 100)


def compared_fields(settings: Evaluator) -> dict[str, FieldRule]:
    """How an evaluator compares each of its fields; empty for one that has no list of fields."""
    scored = settings.scored_fields()
    tree = scored.tree
    if isinstance(tree, ListedTree):
        return {
            line.name: FieldRule(line.comparator, tree.transforms_of(line), each=not line.path.definite)
            for line in tree.scored_lines
            if line.comparator is not None and line.together is None
        }
    if not scored.by_schema:
        return {}
    from evaluators.scoring.fields.schema_scoring import SchemaScoring  # few suites score by a schema

    return _schema_rules(tree, scored.lines is None) if isinstance(tree, SchemaScoring) else {}


def _schema_rules(scoring: SchemaScoring, named: bool) -> dict[str, FieldRule]:
    """The rule by which each field of a schema is compared, by the field's name. `named` says that the schema names the comparators.

    Fields with several metrics are left out; `ordered` of the rule is true of an item of a list that is compared in order.
    """
    rules: dict[str, FieldRule] = {}
    ordered: set[tuple[Any, ...]] = set()
    for node in scored_nodes(scoring.root):
        if node.kind == "array" and not node.unit and node.align.how == "ordered":
            ordered.add(node.path)
        if node.unit and len(node.metrics) == 1:
            item = bool(node.path) and node.path[-1] is ANY and node.path[:-1] in ordered
            rule = FieldRule(node.metrics[0].comparator, node.transforms, item, whole=not item, by_schema=named)
            rules.setdefault(node.name, rule)
    return rules


class _RecordedMismatches(NamedTuple):
    """The mismatches that a run recorded of some fields; keys are (evaluator, field)."""

    mismatches: dict[_FieldKey, list[Mismatch]]
    rows: Counter[_FieldKey]
    """The number of recorded rows: of a field, or with "" of all fields of an evaluator that are not counted alone."""
    in_first_rows: Counter[_FieldKey]
    """The number of wrong values that both sides have, up to the last row that can be scored again."""
    has_more: bool
    """Whether the record has more outcomes than were read."""


def _read_mismatches(
    outcomes: Iterator[OutcomeLine],
    fields: Mapping[str, Mapping[str, FieldRule]],
    by_row: Mapping[str, frozenset[str]],
    last_row: int,
) -> _RecordedMismatches:
    """The first recorded mismatches of each of `fields`, and the counts that say how complete they are, of at most `_MOST_LINES` outcomes.

    `by_row`: the fields of each evaluator whose rows are counted alone; its other fields share the key "". `last_row`: the last row
    that can be scored again.
    """
    by_field: dict[_FieldKey, list[Mismatch]] = {}
    rows: Counter[_FieldKey] = Counter()
    in_first_rows: Counter[_FieldKey] = Counter()
    last: dict[tuple[str, str], int] = {}
    count = 0
    for line in islice(outcomes, _MOST_LINES):
        count += 1
        if not isinstance(line, Outcome) or line.status is FieldStatus.MATCH:
            continue
        evaluator, row = line.evaluator, line.row
        name = line.path if line.field is None else line.field
        key = evaluator, name if name in by_row.get(evaluator, ()) else ""
        if last.get(key) != row:
            last[key] = row
            rows[key] += 1
        one_sided = line.expected is MISSING or line.actual is MISSING
        if one_sided and line.status in _ONE_SIDED:
            continue
        known = fields.get(evaluator, {})
        field, place = (line.path, "") if line.path in known else (field_of(line.path), _list_of(line.path))
        if field not in known:
            continue
        if row <= last_row:
            in_first_rows[evaluator, field] += 1
        if line.status is not FieldStatus.MISMATCH or one_sided:
            continue
        mismatches = by_field.setdefault((evaluator, field), [])
        if len(mismatches) <= MOST_MISMATCHES:
            mismatches.append(Mismatch(row, line.expected, line.actual, place))
    return _RecordedMismatches(by_field, rows, in_first_rows, count >= _MOST_LINES)


_ONE_SIDED: Final = (FieldStatus.OMISSION, FieldStatus.HALLUCINATION)


@lru_cache(maxsize=4096)
def _list_of(path: str) -> str:
    """The list that a recorded place is an item of; empty where it is none."""
    steps = steps_of(path)
    return display(steps[:-1]) if steps and isinstance(steps[-1], int) else ""


def text_suggestions(
    lines: Sequence[EvaluatorLine], record: Run, again: Mapping[str | None, RowsAgain]
) -> Iterator[Suggestion]:
    """The changes to evaluators that compare two texts, for each variant and evaluator the one that turns most first. `again` has the rows
    of each variant. An evaluator without a wrong row, or one that reads a part of the output, has none."""
    for variant, rows in again.items():
        for line in lines:
            settings = line.settings
            takes_comparator = isinstance(settings, CellEvaluator) and settings.takes_comparator()
            if not (takes_comparator or settings.text_changes()):
                continue
            columns, wrong = record.compared_columns(line.name), rows.wrong_row_count(line)
            if not wrong or settings.column("output").at:
                continue
            changes = [*settings.text_changes(), *_comparator_changes(settings, rows.wrong_cells(line, columns))]
            changes.sort(key=lambda change: change.type == "contains")  # what is milder comes first
            yield from _suggestions_for_texts(
                line, variant, columns[1], changes, rows, wrong, _failed_row_count(record, line.name, variant)
            )


def _comparator_changes(settings: Evaluator, wrong: Sequence[Mismatch]) -> Iterator[TextChange]:
    """Changes that name a comparator for an evaluator of cells, each of which would make some of the `wrong` cells right; none for other
    evaluators. What `forgive` forgives is not among them."""
    if not isinstance(settings, CellEvaluator) or not settings.takes_comparator():
        return
    aside = {"type", *settings.texts_only, *settings.beside_compare}
    others = settings.model_dump(mode="json", exclude=aside, exclude_unset=True)
    for change in changes(FieldRule(COMPARATORS.find("exact")()), wrong[:MOST_BRIEFLY]):
        if change.comparator is None or word_of(change.comparator) == "normalized":
            continue
        written = f"{{{change.write}}}" if ": " in change.write else change.write
        compare = loads(f"compare: {written}").data["compare"]
        yield TextChange(f"compare: {written}", settings.type, {**others, "compare": compare}, change.says)


def _failed_row_count(record: Run, evaluator: str, variant: str | None) -> int:
    """How many rows of a run do not pass by one evaluator."""
    return sum(stats.failed for stats in record.result.evaluators if (stats.name, stats.variant) == (evaluator, variant))


def _written_line(line: EvaluatorLine, change: TextChange, expected: str) -> str:
    """The line of the suite with a change, as it is to be written. It keeps the name, which gates and other evaluators may use; `expected`
    is the column of the expected answers."""
    named = {"name": line.name} if line.name != change.type else {}
    return f"- {change.type}: {flow_text({**named, **change.settings})}".replace(EXPECTED, flow_text(expected))


def _changed_line(line: EvaluatorLine, written: str) -> EvaluatorLine | None:
    """The evaluator's line with the settings that a `written` line of the suite gives it; None where that line cannot be read."""
    try:
        (read_line,) = read_config(loads(f"evaluators:\n{written}\n")).lines
    except Problems:
        return None
    return replace(line, settings=read_line.settings)


def _suggestions_for_texts(
    line: EvaluatorLine,
    variant: str | None,
    expected: str,
    changes: Sequence[TextChange],
    again: RowsAgain,
    wrong: int,
    whole: int,
) -> Iterator[Suggestion]:
    """Suggestions of some changes to an evaluator of texts that turn rows right and none wrong, the one that turns most first. Of changes
    that turn the same rows, only the first is given; one that takes a word to explain (`says`) is left out where those before it turn all
    its rows.

    `expected` is the column of the expected answers; `again` has the rows to score again. `wrong` is how many of the rows that are looked
    at are wrong, `whole` how many of all.
    """
    already: set[int] = set()
    best: dict[tuple[int, ...], Suggestion] = {}
    for change in changes:
        written = _written_line(line, change, expected)
        changed = _changed_line(line, written)
        effect = again.effect(line, changed) if changed is not None else None
        if effect is None or not effect.turned or effect.broken or effect.lost:
            continue
        if effect.rows in best or (change.says and set(effect.rows) <= already):
            continue
        already |= set(effect.rows)
        best[effect.rows] = Suggestion(
            line.name, variant, WHOLE_OUTPUT, change.switch, written, effect.turned, wrong, not effect.whole,
            effect.rows[:SHOWN_ROWS], len(effect.rows), change.says, line=True, whole=None if effect.whole else whole,
        )  # fmt: skip
    yield from sorted(best.values(), key=lambda suggestion: -suggestion.turned)
