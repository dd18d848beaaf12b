"""What a run did not cover, with what its first rows have in its place. Everything comes from the pass that scored the rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import JSON, MISSING
from evaluators.runs.places import KEY, align_place, field_places, line_places
from evaluators.runs.result import Counts, EvaluatorStats
from evaluators.runs.split_result import HINT_ROWS, FirstRows, SplitResult
from evaluators.scoring.fields.key_counts import ListKey
from evaluators.scoring.fields.named_comparators import with_space_after_colon
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.needs import Condition
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.paths import Path, nearest_path
from evaluators.scoring.values.paths import parse as parse_path
from evaluators.scoring.values.quoting import first_texts

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

_MOST_VALUES: Final = 5  # values of a column that a hint lists
_MOST_FIELDS: Final = 3
"""So many fields are named of an evaluator that measured nothing."""
_NEAREST: Final = "did you mean"


def gaps(
    evaluators: Sequence[EvaluatorLine],
    variants: Sequence[tuple[SplitResult, Sequence[EvaluatorStats]]],
    suite: LoadedSuite | None = None,
    *,
    complete: bool,
) -> list[Issue]:
    """The issues of each evaluator, listed field and key of a list that measured no row, with what the first rows have in its place.

    `variants` has the sums and the metrics of each; `complete` says that every row was scored: else keys and paths are not looked at.
    """
    lines, fields = line_places(suite), field_places(suite)
    first = [each.first_rows for each, _ in variants]
    issues: list[Issue] = []
    nowhere = [
        _keys_of_no_row(index, [each for each, _ in variants]) if complete else set() for index in range(len(evaluators))
    ]
    for _, stats in variants:
        for line, evaluator_stats, places in zip(evaluators, stats, nowhere, strict=True):
            named = {name for _, name in places}
            for issue in _gaps_of(line, evaluator_stats, first, lines.get(line.name), fields, named):
                of_variant = "" if evaluator_stats.variant is None else f'variant "{evaluator_stats.variant}": '
                issues.append(replace(issue, message=f"{of_variant}{issue.message}"))
    for line, places in zip(evaluators, nowhere, strict=True):
        if places:
            issues += _keys_found_nowhere(suite, line, places, _documents(first, line.name))
            issues += _paths_found_nowhere(line, places, fields, first)
    return list(dict.fromkeys(issues))


def _keys_of_no_row(index: int, variants: Sequence[SplitResult]) -> set[ListKey]:
    """The keys of lists, and the paths that rules name, that no row of any variant has."""
    looked_for = set[ListKey]().union(*(each.evaluators[index].keys.looked_for for each in variants))
    return looked_for.difference(*(each.evaluators[index].keys.met for each in variants))


def _documents(first: Sequence[FirstRows], evaluator: str) -> list[JSON]:
    return [document for each in first for document in each.documents_of(evaluator)]


def _is_there(first: Sequence[FirstRows], evaluator: str, path: str) -> bool:
    """Whether one of the first rows has something in a place."""
    wanted = parse_path(path)
    there = (wanted.get(document) for document in _documents(first, evaluator)[:HINT_ROWS])
    return any(hits is not MISSING if wanted.definite else bool(hits) for hits in there)


def _nearest_path_hint(first: Sequence[FirstRows], evaluator: str, path: str) -> str | None:
    """A hint on a path that no row has: the most similar path of the first rows, behind _NEAREST, or else their keys; None where they have
    no keys."""
    if spaced := with_space_after_colon(path):
        return f'{_NEAREST} "{spaced}", with a space after the colon?'
    documents, wanted = _documents(first, evaluator), parse_path(path)
    near = (nearest_path(wanted, document) for document in documents[:HINT_ROWS])
    nearest = next((path for path in near if path is not None), None)
    if nearest is not None:
        return f'{_NEAREST} "{nearest}"?'
    keys = list(dict.fromkeys(key for document in documents for key in (document if isinstance(document, dict) else ())))
    if not keys:
        return None
    return f"the rows have {_paths_text(keys)}"


def _condition_hint(conditions: Sequence[Condition], first: Sequence[FirstRows]) -> str | None:
    """A hint with the values in the column of a condition, where no value of the first rows meets it."""
    for condition in conditions:
        if condition.source != "row" or condition.present is not None:
            continue
        cells = [cell for rows in first for cell in rows.cells.get(condition.column, ())]
        if any(map(condition.holds, cells)):
            continue
        values: dict[str, None] = {}
        for cell in cells:
            if isinstance(cell, (str, int, float)) and len(values) <= _MOST_VALUES:
                values.setdefault(f'"{cell}"' if isinstance(cell, str) else to_text(cell))
        return _values_text(condition.column, list(values))
    return None


def _values_text(column: str, values: Sequence[str]) -> str:
    """The first values of a column in words, or that it is empty."""
    if not values:
        return f'the column "{column}" is empty'
    more = ", …" if len(values) > _MOST_VALUES else ""
    return f'the column "{column}" has {", ".join(values[:_MOST_VALUES])}{more}'


def _keys_found_nowhere(
    suite: LoadedSuite | None, line: EvaluatorLine, nowhere: Set[ListKey], documents: Sequence[JSON]
) -> Iterator[Issue]:
    """An issue for each list whose key no item has, with a hint made from the documents of the first rows.

    `nowhere` has the path and the key of each such list.
    """
    for path, align in line.settings.scored_fields().keyed_lists():
        name, key = path.canonical, align.key or ""
        if (name, key) in nowhere:
            hint = _nearest_key_hint(path, align, documents)
            message = missing_key_message(line.name, name, key)
            yield Issue("key-found-nowhere", Blame.TESTSET, message, align_place(suite, line, name, *KEY), hint)


def _paths_found_nowhere(
    line: EvaluatorLine, nowhere: Set[ListKey], fields: Mapping[tuple[str, str], str], first: Sequence[FirstRows]
) -> Iterator[Issue]:
    """An issue for each rule that names paths that no row has, with a hint on what the rows have there.

    `nowhere` has such paths, each with its rule; `fields` has the places of the rules in the suite.
    """
    by_rule: dict[str, list[str]] = {}
    for rule, path, _ in line.settings.scored_fields().named_paths:
        if (path.canonical, rule) in nowhere:
            by_rule.setdefault(rule, []).append(path.canonical)
    for rule, paths in by_rule.items():
        hints = [_nearest_path_hint(first, line.name, path) for path in paths[:_MOST_FIELDS]]
        near = next((hint for hint in hints if hint and hint.startswith("did")), None)
        listed = next((hint for hint in hints if hint), None)
        may_be_absent = "optional: true in the rule says that no row need have its fields"
        hint = near or "; ".join(filter(None, (listed, may_be_absent)))
        message = f'"{line.name}": no row has {_paths_text(paths)}, which the rule "{rule}" names'
        yield Issue("path-found-nowhere", Blame.TESTSET, message, fields.get((line.name, rule)), hint)


def missing_key_message(evaluator: str, path: str, key: str) -> str:
    """The message for a list key that no item has."""
    return f'"{evaluator}": no item of "{path}" has the key "{key}", so nothing was aligned by it'


def _nearest_key_hint(path: Path, align: Align, documents: Sequence[JSON]) -> str:
    """A hint on a key that no item of a list has: the nearest one of the items, or else the keys that they have."""
    seen: dict[str, None] = {}
    for item in (item for document in documents for item in _items(path, document)):
        if align.keys and (near := nearest_path(align.keys[0], item, 0)) is not None:
            return f'did you mean "{near}"?'
        seen.update(dict.fromkeys(item if isinstance(item, dict) else ()))
        if len(seen) >= HINT_ROWS:
            break
    known = ", ".join(f'"{name}"' for name in list(seen)[: _MOST_VALUES + 1] if name)
    return f"the items have {known}" if known else "the items are not objects"


def _items(path: Path, document: JSON) -> Iterator[JSON]:
    """The items of every list that the path leads to."""
    hits = path.get(document)
    lists = [hits] if path.definite else hits if isinstance(hits, list) else []
    for each in lists:
        yield from each if isinstance(each, list) else ()


def _gaps_of(
    line: EvaluatorLine,
    stats: EvaluatorStats,
    first: Sequence[FirstRows],
    where: str | None,
    fields: Mapping[tuple[str, str], str],
    explained: Collection[str] = (),
) -> Iterator[Issue]:
    """The issue of an evaluator that measured nothing, or else one for each of its fields that measured nothing.

    `where` is the place of the evaluator; `fields` has the places of listed fields; `explained` are fields that have an issue already.
    """
    if stats.rows and stats.scored - stats.empty_expected == 0 and not stats.kept_out:
        skipped = stats.skipped == stats.rows
        hint = _condition_hint(line.when, first) if skipped else _fields_found_nowhere(line, stats, first)
        yield _nothing_measured(line, stats, where, hint)
        return
    if not stats.scored:
        return
    scored, known = line.settings.scored_fields(), {field.path: field.counts for field in stats.fields}
    listed = [path for path in known if path not in scored.optional] if scored.names else []
    for path in (*listed, *scored.awaited):
        counts = known.get(path, Counts())
        if path not in explained and not (counts.n or counts.not_judged):
            unmet = bool(scored.names and counts.skipped and not counts.not_measured)
            yield _field_measured_nothing(line, path, unmet, fields.get((line.name, path), where), first)


def schema_gaps(
    lines: Sequence[EvaluatorLine], stats: Sequence[EvaluatorStats], places: Mapping[str, str]
) -> list[Issue]:
    """Warnings about fields that a schema lacks, that belong to another of its branches, or that no row measured: at most one of each kind
    for an evaluator.

    `places` are those of the evaluators in the suite. Listed fields are no schema: whoever lists some says that there are others.
    """
    warnings = []
    for line, evaluator_stats in zip(lines, stats, strict=True):
        where = places.get(line.name)
        declared = line.settings.scored_fields().declared
        outside = evaluator_stats.undeclared if line.settings.scored_fields().lines is None else ()
        elsewhere = [  # a place that the schema declares, or something below it
            path
            for path in outside
            if any(place == path or place.startswith((f"{path}.", f"{path}[")) for place in declared)
        ]
        lacking = [path for path in outside if path not in elsewhere]
        if elsewhere:
            message = (
                f'"{line.name}": some expected answers have keys of several branches of the schema; the branch that fits best '
                f"is scored, without {_paths_text(elsewhere)}"
            )
            hint = "declare them in that branch, too, or skip them there"
            warnings.append(Issue("several-branches", Blame.TESTSET, message, where, hint))
        if lacking:
            message = (
                f'"{line.name}": the schema lacks {_paths_text(lacking)}, which the expected answers have; not scored'
            )
            warnings.append(
                Issue("schema-lacks", Blame.TESTSET, message, where, "add them to the schema, or skip them there")
            )
        measured = {field.path for field in evaluator_stats.fields if field.counts.n or field.counts.not_judged}
        unmet = [path for path in declared if path not in measured] if evaluator_stats.scored else []
        if unmet:
            message = f'"{line.name}": no row measured {_paths_text(unmet)} of the schema'
            warnings.append(Issue("schema-not-covered", Blame.TESTSET, message, where))
    return warnings


def _paths_text(paths: Iterable[str]) -> str:
    return first_texts([f'"{path}"' for path in paths], 10)


def _field_measured_nothing(
    line: EvaluatorLine, path: str, unmet: bool, where: str | None, first: Sequence[FirstRows]
) -> Issue:
    """The issue of a field that measured nothing, with the most likely reason and a hint.

    `path` is the field, or the name of a rule, and `where` its place in the suite. `unmet` says that the field's own condition held in no
    row; `first` are the first rows, which the hint is made from.
    """
    scored = line.settings.scored_fields()
    has_not_given = "not_given_rate" in scored.metrics
    noun = "field" if has_not_given or scored.tree is not None else "rule"
    if unmet:
        problem, hint = "measured nothing: its `when` held in no row", "look at its `when`"
    elif has_not_given:
        problem, hint = "measured nothing: no output gives a value to look for", "look at its path"
    elif noun == "rule":
        problem, hint = "measured nothing: no row has all of its fields", "look at its paths"
    elif _is_there(first, line.name, path):
        problem, hint = "measured nothing: all of its values count as absent", "look at `nulls` and `absent_values`"
    else:
        problem = "was found in no row, so it measured nothing"
        may_be_absent = "optional: true says that a field may be absent everywhere"
        there = _nearest_path_hint(first, line.name, path)
        hint = there if there and there.startswith("did") else "; ".join(filter(None, (there, may_be_absent)))
    message = f'"{line.name}": the {noun} "{path}" {problem}'
    return Issue("field-measured-nothing", Blame.TESTSET, message, where, hint)


def _fields_found_nowhere(line: EvaluatorLine, stats: EvaluatorStats, first: Sequence[FirstRows]) -> str | None:
    """A hint on the first fields of an evaluator without a measured value; None where nothing is known of them.

    Where rows have some of these fields, it says that all their values count as absent. Else it names for each field the nearest path of
    the first rows ("did you mean"), and once what the rows have for those fields that are near to nothing.
    """
    scored, measured = line.settings.scored_fields(), {field.path for field in stats.fields if field.counts.n}
    if scored.tree is None:
        return None
    paths = [path for path in dict.fromkeys((*scored.names, *scored.awaited)) if path not in scored.optional | measured]
    absent = [path for path in paths[:_MOST_FIELDS] if _is_there(first, line.name, path)]
    if absent:
        return f"all values of {_paths_text(absent)} count as absent: look at `nulls` and `absent_values`"
    hints = {path: _nearest_path_hint(first, line.name, path) for path in paths[:_MOST_FIELDS]}
    if not any(hints.values()):
        return None
    near = {path: hint for path, hint in hints.items() if hint and hint.startswith(_NEAREST)}
    far = [path for path in hints if path not in near]
    keys_of_rows = next((hint for path, hint in hints.items() if hint and path not in near), None)
    sentences = [f'"{path}" was found in no row: {hint}' for path, hint in near.items()]
    if far and keys_of_rows:
        sentences.append(f"no row has {_paths_text(far)}; {keys_of_rows}")
    return "; ".join(sentences)


def _nothing_measured(line: EvaluatorLine, stats: EvaluatorStats, where: str | None, hint: str | None) -> Issue:
    """The issue of an evaluator that measured no row: how many rows were skipped or had nothing to measure. `where` is its place in the
    suite. Without a `hint` on what the first rows have, it gets a general one."""
    counts = (
        _rows_text(stats.skipped, "was skipped", "were skipped"),
        _rows_text(stats.not_measured, "had nothing to measure", "had nothing to measure"),
        _rows_text(stats.empty_expected, "expected an empty object", "expected an empty object"),
    )
    message = f'"{line.name}" measured nothing: {" and ".join(filter(None, counts))}'
    general = "look at its `when` and `needs`" if stats.skipped == stats.rows else "look at its columns and paths"
    return Issue("evaluator-measured-nothing", Blame.TESTSET, message, where, hint or general)


def _rows_text(count: int, singular: str, several: str) -> str:
    """`1 row was skipped`; nothing for no row."""
    return f"{count:,} {f'row {singular}' if count == 1 else f'rows {several}'}" if count else ""
