"""Warnings about how lists were paired: items that have no key, or share one, and lists that are too long; in which rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from evaluators.fields.align import Align
from evaluators.issues import Blame, Issue
from evaluators.limits import LIST_CELLS
from evaluators.reports.coverage import found_nowhere
from evaluators.run.figures import counted, rows_text
from evaluators.run.places import KEY, align_place, line_places
from evaluators.run.result import EvaluatorStats, KeyStats
from evaluators.run.split_result import SplitResult
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.values.paths import Path

if TYPE_CHECKING:
    from evaluators.api.suite import Suite

_BLAMED: Final = {"expected": Blame.TESTSET, "output": Blame.OUTPUT}


def key_warnings(
    evaluators: Sequence[EvaluatorLine],
    stats: Sequence[EvaluatorStats],
    gaps: Collection[Issue],
    suite: Suite | None = None,
) -> list[Issue]:
    """One warning for each list, side and kind, in the order of the suite, and of variants.

    A key that no item has is among the gaps already, and its items are not counted again. Variants share their expected
    answers: what is wrong with those is said once.
    """
    said = {issue.message for issue in gaps}
    lines = {line.name: line for line in evaluators}
    found: list[Issue] = []
    for one in stats:
        for keys in one.keys:
            if found_nowhere(one.name, keys.path, keys.key) not in said:
                found.append(_warning(suite, lines[one.name], one.variant, keys))
    return list(dict.fromkeys(found))


def null_warnings(
    evaluators: Sequence[EvaluatorLine],
    variants: Sequence[tuple[SplitResult, Sequence[EvaluatorStats]]],
    suite: Suite | None = None,
) -> list[Issue]:
    """One warning for each evaluator whose outputs have values where null is expected, in some rows of a field and not in all,
    while nobody said what null is: they count as wrong, and not as extra."""
    found: list[Issue] = []
    places = line_places(suite)
    for each, stats in variants:
        for line, one, keys in zip(evaluators, stats, each.keys, strict=True):
            fields = {field.path: field for field in one.fields}
            known = {Path(tuple(json.loads(path))).canonical: times for path, times in keys.made_up.items()}
            some = {
                path: times for path, times in known.items() if path in fields and times < fields[path].counts.expected
            }
            if some:
                most = max(some, key=lambda path: some[path])
                more = (
                    "; another field has some, too"
                    if len(some) == 2
                    else f"; {len(some) - 1:,} other fields have some, too"
                )
                more = more if len(some) > 1 else ""
                message = (
                    f'"{line.name}": null is expected at "{most}", and {rows_text(some[most])} '
                    f"{'has' if some[most] == 1 else 'have'} a value there, which is counted as wrong and not as extra{more}"
                )
                hint = "write nulls: absent, and it counts as extra; nulls: value where null is an answer of its own"
                found.append(Issue("nulls-unsaid", Blame.CONFIG, message, places.get(line.name), hint))
    return list(dict.fromkeys(found))


def _warning(suite: Suite | None, line: EvaluatorLine, variant: str | None, keys: KeyStats) -> Issue:
    message = f'"{line.name}": {_items(keys)}, in {rows_text(keys.rows)} ({_numbers(keys)})'
    if keys.what == "too_long":
        place = align_place(suite, line, keys.path)
        return Issue("items-too-long", Blame.TESTSET, message, place, _raise_the_limit(keys))
    if variant is not None and keys.side == "output":
        message = f'variant "{variant}": {message}'
    where = align_place(suite, line, keys.path, *KEY)
    return Issue(
        f"items-{keys.what.replace('_', '-')}", _BLAMED[keys.side], message, where, _hint(keys, _align(line, keys))
    )


def _items(keys: KeyStats) -> str:
    """`3 expected items of "items" have no key "sku"`."""
    if keys.what == "too_long":
        return f'"{keys.path}" has too many items to compare each with each'
    has = "has" if keys.items == 1 else "have"
    wrong = f'no key "{keys.key}"' if keys.what == "without_key" else f'the same key "{keys.key}" as an earlier item'
    if keys.side == "expected":
        return f'{counted(keys.items, "expected item")} of "{keys.path}" {has} {wrong}'
    return f'{counted(keys.items, "item")} of "{keys.path}" in the outputs {has} {wrong}'


def _raise_the_limit(keys: KeyStats) -> str:
    how = keys.key.partition(" ")[0]
    return (
        "equal items were paired first, the others in list order; "
        f"{how}: {{cells: NUMBER}} and limits: {{list_cells: NUMBER}} set another limit than {LIST_CELLS:,}, and a key_field needs none"
    )


def _numbers(keys: KeyStats) -> str:
    listed = ", ".join(map(str, keys.first_rows))
    more = ", …" if keys.rows > len(keys.first_rows) else ""
    return f"row{'' if keys.rows == 1 else 's'} {listed}{more}"


def _align(line: EvaluatorLine, keys: KeyStats) -> Align | None:
    known: Iterator[Align] = (
        align
        for path, align in line.settings.scored_fields().keyed_lists()
        if (path.canonical, align.key) == (keys.path, keys.key)
    )
    return next(known, None)


def _hint(keys: KeyStats, align: Align | None) -> str:
    """What becomes of such items, where the suite says it, and what to do about them."""
    if keys.what == "duplicate_key":
        return "such items pair in list order; give the key a second part that tells them apart, or use hungarian"
    advice = "name a key that every item has, or use hungarian"
    if align is None:
        return advice
    apart = align.keyless == "apart"
    return f"such items pair with {'nothing' if apart else 'each other in list order'}; {advice}"
