"""What a run did not cover, with what its first rows have in its place. Everything comes from the pass that scored the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from evaluators.conditions import Condition
from evaluators.fields.align import Align
from evaluators.fields.key_counts import KeyCounts
from evaluators.issues import Blame, Fault, Issue
from evaluators.model import JSON
from evaluators.run.glimpse import FIRST_ROWS, Glimpse, together
from evaluators.run.loaded import LoadedSuite
from evaluators.run.places import field_places, key_place, line_places
from evaluators.run.result import EvaluatorStats
from evaluators.run.runner import MeasuredTestSet, coverage
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.value_class import replace
from evaluators.values.json_text import to_text
from evaluators.values.paths import Path, nearest_path
from evaluators.values.paths import parse as parse_path

_MOST_KEYS: Final = 10  # fields that a hint lists
_MOST_VALUES: Final = 5  # values of a column that a hint lists


def gaps(
    evaluators: Sequence[EvaluatorLine],
    measured: Sequence[MeasuredTestSet],
    stats: Sequence[EvaluatorStats],
    suite: LoadedSuite | None = None,
    *,
    complete: bool,
) -> list[Issue]:
    """Everything that evaluators ask for and no row had. `complete` says that every row was scored."""
    first = together(each.glimpse for each in measured)
    lines, fields = line_places(suite), field_places(suite)

    def in_place_of(evaluator: str, path: str) -> str | None:
        return _in_place_of(first.documents.get(evaluator, ()), path)

    def values(conditions: Sequence[Condition]) -> str | None:
        return _values_in_place_of(conditions, first)

    found: list[Issue] = []
    for start in range(0, len(stats), len(evaluators)):
        part = stats[start : start + len(evaluators)]
        issues = coverage(evaluators, part, lines, in_place_of, fields, values)
        found += [_of_variant(issue, part[0].variant) for issue in issues]
    if complete:
        for place, line in enumerate(evaluators):
            keys = KeyCounts()
            for each in measured:
                keys.merge(each.keys[place])
            found += _keys_found_nowhere(suite, line, keys, first.documents.get(line.name, ()))
    return list(dict.fromkeys(found))


def _of_variant(issue: Issue, variant: str | None) -> Issue:
    return issue if variant is None else replace(issue, message=f'variant "{variant}": {issue.message}')


def _in_place_of(documents: Sequence[JSON], path: str) -> str | None:
    """The existing path most like one that no row has, or else the keys that are there; None where there are none."""
    wanted = parse_path(path)
    near = (nearest_path(wanted, document) for document in documents[:FIRST_ROWS])
    meant = next((path for path in near if path is not None), None)
    if meant is not None:
        return f'did you mean "{meant}"?'
    keys = list(dict.fromkeys(key for document in documents for key in (document if isinstance(document, dict) else ())))
    if not keys:
        return None
    more = f" and {len(keys) - _MOST_KEYS} more" if len(keys) > _MOST_KEYS else ""
    there = ", ".join(f'"{key}"' for key in keys[:_MOST_KEYS])
    return f"the rows have {there}{more}"


def _values_in_place_of(conditions: Sequence[Condition], first: Glimpse) -> str | None:
    """What the column of a condition holds, where the first rows have none of the values that are asked for."""
    for condition in conditions:
        if condition.source != "row" or condition.present is not None:
            continue
        values: dict[str, None] = {}
        for cell in first.cells.get(condition.column, ()):
            if not isinstance(cell, Fault) and condition.holds(cell):
                break
            if isinstance(cell, (str, int, float)) and len(values) <= _MOST_VALUES:
                values.setdefault(f'"{cell}"' if isinstance(cell, str) else to_text(cell))
        else:
            return _listed(condition.column, list(values))
    return None


def _listed(column: str, values: Sequence[str]) -> str:
    if not values:
        return f'the column "{column}" is empty'
    more = ", …" if len(values) > _MOST_VALUES else ""
    return f'the column "{column}" has {", ".join(values[:_MOST_VALUES])}{more}'


def _keys_found_nowhere(
    suite: LoadedSuite | None, line: EvaluatorLine, keys: KeyCounts, documents: Sequence[JSON]
) -> Iterator[Issue]:
    for path, align in line.settings.scored_fields().keyed_lists():
        name, key = path.canonical, align.key or ""
        if (name, key) in keys.looked_for and (name, key) not in keys.met:
            hint = _key_in_place_of(path, align, documents)
            message = found_nowhere(line.name, name, key)
            yield Issue("key-found-nowhere", Blame.TESTSET, message, key_place(suite, line, name), hint)


def found_nowhere(evaluator: str, path: str, key: str) -> str:
    """What is said of a key that no item has."""
    return f'"{evaluator}": no item of "{path}" has the key "{key}", so nothing was aligned by it'


def _key_in_place_of(path: Path, align: Align, documents: Sequence[JSON]) -> str:
    """What items have where none has the key."""
    seen: dict[str, None] = {}
    for item in (item for document in documents for item in _items(path, document)):
        if align.keys and (near := nearest_path(align.keys[0], item)) is not None:
            return f'did you mean "{near}"?'
        seen.update(dict.fromkeys(item if isinstance(item, dict) else ()))
        if len(seen) >= FIRST_ROWS:
            break
    known = ", ".join(f'"{name}"' for name in list(seen)[: _MOST_VALUES + 1] if name)
    return f"the items have {known}" if known else "the items are not objects"


def _items(path: Path, document: JSON) -> Iterator[JSON]:
    """The items of every list that the path leads to."""
    found = path.get(document)
    lists = [found] if path.definite else found if isinstance(found, list) else []
    for each in lists:
        yield from each if isinstance(each, list) else ()
