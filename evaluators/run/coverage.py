"""What a run did not cover, with what the rows have in its place.

A gap is found from the figures. The rows are read again only where there is one, to say what is near; and to look for
the keys that align lists, which leave no trace in the figures: up to the first item that has the key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from evaluators.conditions import Condition
from evaluators.fields.align import Align
from evaluators.issues import Blame, Issue
from evaluators.model import JSON, MISSING
from evaluators.run.loaded import LoadedSuite
from evaluators.run.places import field_places, key_place, line_places
from evaluators.run.result import EvaluatorStats
from evaluators.run.runner import coverage
from evaluators.suite.lines import EvaluatorLine
from evaluators.suite.plan import Compiled, Plan, Step
from evaluators.testsets.test_set import TestSet
from evaluators.values.json_text import to_text
from evaluators.values.paths import Path, nearest_path
from evaluators.values.paths import parse as parse_path

_LOOKED_AT: Final = 200  # documents that are looked at to suggest a path
_MOST_VALUES: Final = 5  # values of a column that a hint lists


def gaps(
    suite: LoadedSuite,
    tables: Sequence[TestSet],
    plan: Callable[[], Plan],
    stats: Sequence[EvaluatorStats],
    *,
    complete: bool,
) -> list[Issue]:
    """Everything that the suite asks for and no row had. `complete` says that every row was scored."""
    again = Again(tables, plan)
    lines, fields = line_places(suite), field_places(suite)
    found: list[Issue] = []
    for start in range(0, len(stats), len(suite.lines)):
        part = stats[start : start + len(suite.lines)]
        issues = coverage(suite.lines, part, lines, again.nearest, fields, again.values_in_place_of)
        found += [_of_variant(issue, part[0].variant) for issue in issues]
    if complete:
        found += [issue for line in suite.lines for issue in _keys_found_nowhere(suite, line, again)]
    return list(dict.fromkeys(found))


def _of_variant(issue: Issue, variant: str | None) -> Issue:
    return issue if variant is None else replace(issue, message=f'variant "{variant}": {issue.message}')


@dataclass
class Again:
    """The rows, read a second time."""

    tables: Sequence[TestSet]
    """The test set, or each of its variants."""
    make_plan: Callable[[], Plan]
    first: dict[str, list[JSON]] = field(default_factory=dict)
    """The documents of each evaluator in the first rows."""

    @cached_property
    def plan(self) -> Plan:
        """The compiled suite."""
        return self.make_plan()

    def nearest(self, evaluator: str, path: str) -> str | None:
        """The existing path most like one that no row has."""
        wanted = parse_path(path)
        near = (nearest_path(wanted, document) for document in self._first_documents(evaluator))
        return next((path for path in near if path is not None), None)

    def documents(self, evaluator: str) -> Iterator[tuple[JSON, ...]]:
        """The documents of an evaluator, row by row: a few rows at first, so that a short look stays cheap."""
        one = next(one for one in self.plan.evaluators if one.line.name == evaluator)
        for table in self.tables:
            for split in table.splits():
                for chunk in table.read(split, self.plan.columns):
                    for start, stop in ((0, _LOOKED_AT), (_LOOKED_AT, chunk.count)):
                        cells = {name: list(column[start:stop]) for name, column in chunk.columns.items()}
                        yield from _documents(self.plan, one, cells, min(stop, chunk.count) - start)

    def values_in_place_of(self, conditions: Sequence[Condition]) -> str | None:
        """What the column of a condition holds, where the first rows have none of the values that are asked for."""
        for condition in conditions:
            if condition.source != "row" or condition.present is not None:
                continue
            values: dict[str, None] = {}
            for cell in self._first_cells(condition.column):
                if condition.holds(cell):
                    break
                if isinstance(cell, (str, int, float)) and len(values) <= _MOST_VALUES:
                    values.setdefault(f'"{cell}"' if isinstance(cell, str) else to_text(cell))
            else:
                return _listed(condition.column, list(values))
        return None

    def _first_documents(self, evaluator: str) -> list[JSON]:
        if evaluator not in self.first:
            found: list[JSON] = []
            for documents in self.documents(evaluator):
                found.extend(documents)
                if len(found) >= _LOOKED_AT:
                    break
            self.first[evaluator] = found
        return self.first[evaluator]

    def _first_cells(self, column: str) -> Iterator[Any]:
        for split in self.tables[0].splits()[:1]:
            for chunk in self.tables[0].read(split, [column]):
                yield from chunk.columns[column]
                return


def _documents(plan: Plan, one: Compiled, cells: dict[str, list[Any]], count: int) -> Iterator[tuple[JSON, ...]]:
    """The documents that an evaluator reads, row by row. Nothing is scored."""
    if count <= 0:
        return
    wanted = set(one.inputs)
    steps: list[Step] = []
    for step in reversed(plan.steps):
        if step.fills in wanted:
            wanted.update(step.reads)
            steps.append(step)
    slots = replace(plan, steps=steps[::-1]).run(cells, count)
    for index in range(count):
        yield tuple(slots[slot][index] for slot in one.inputs if isinstance(slots[slot][index], (dict, list)))


def _listed(column: str, values: Sequence[str]) -> str:
    if not values:
        return f'the column "{column}" is empty'
    more = ", …" if len(values) > _MOST_VALUES else ""
    return f'the column "{column}" has {", ".join(values[:_MOST_VALUES])}{more}'


def _keys_found_nowhere(suite: LoadedSuite, line: EvaluatorLine, again: Again) -> Iterator[Issue]:
    for path, align in line.settings.keyed_lists():
        near = _key_or_nearest(path, align, again.documents(line.name))
        if near is not None:
            name = path.canonical
            message = found_nowhere(line.name, name, align.key or "")
            yield Issue("key-found-nowhere", Blame.TESTSET, message, key_place(suite, line, name), near)


def found_nowhere(evaluator: str, path: str, key: str) -> str:
    """What is said of a key that no item has."""
    return f'"{evaluator}": no item of "{path}" has the key "{key}", so nothing was aligned by it'


def _key_or_nearest(path: Path, align: Align, rows: Iterator[tuple[JSON, ...]]) -> str | None:
    """A hint when items were seen and none has the key; None when one has it, or when there are no items."""
    keys = align.keys
    near: str | None = None
    seen: dict[str, None] = {}
    for documents in rows:
        for item in (item for document in documents for item in _items(path, document)):
            if not keys or any(key.get(item) is not MISSING for key in keys):
                return None
            if len(seen) < _LOOKED_AT:
                seen.update(dict.fromkeys(item if isinstance(item, dict) else ()))
                near = near or nearest_path(keys[0], item)
            seen.setdefault("")
    if not seen:
        return None
    known = ", ".join(f'"{name}"' for name in list(seen)[: _MOST_VALUES + 1] if name)
    return f'did you mean "{near}"?' if near else f"the items have {known}" if known else "the items are not objects"


def _items(path: Path, document: JSON) -> Iterator[JSON]:
    """The items of every list that the path leads to."""
    found = path.get(document)
    lists = [found] if path.definite else found if isinstance(found, list) else []
    for each in lists:
        yield from each if isinstance(each, list) else ()
