"""A suggestion is kept: with the line that it offers, a second run differs from the first by the numbers that it states."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluators.api.execute import finish
from evaluators.api.loading import load
from evaluators.api.suite import Suite
from evaluators.reports import suggestion_search
from evaluators.reports.suggestion_search import suggestions_for
from evaluators.reports.suggestions import Suggestion
from evaluators.runs.cells_again import with_cells
from evaluators.runs.reader import Run
from evaluators.runs.result import EvaluatorStats
from evaluators.scoring.values.paths import parse
from evaluators.suites.source import loads
from tests.gallery import GALLERY
from tests.kit import write_rows

SUITES = sorted(GALLERY.glob("*/suite.yaml"))


def with_line(data: Mapping[str, Any], index: int, one: Suggestion) -> dict[str, Any] | None:
    """The suite with the line of a suggestion in its place, as a person would write it; None where a schema says it."""
    found: dict[str, Any] = deepcopy(dict(data))
    item = found["evaluators"][index]
    if one.line:
        found["evaluators"][index] = loads(f"evaluators:\n{one.write}\n").data["evaluators"][0]
        return found
    settings = item if "type" in item else next(iter(item.values()))
    if one.aside:
        return settings.update(loads(one.write).data) or found
    if not one.write or "fields" not in settings:
        return None
    fields = settings["fields"]
    fields = settings["fields"] = dict.fromkeys(fields, "exact") if isinstance(fields, list) else dict(fields)
    key = next(key for key in fields if (parse(str(key)).canonical or "$") == one.place)
    written = loads(f"x: {{{one.write}}}" if ": " in one.write else f"x: {one.write}").data["x"]
    aligned = isinstance(written, dict) and "align" in written
    if isinstance(fields[key], dict) and not one.at and (aligned or "compare" in fields[key]):
        fields[key] = {**fields[key], **(written if aligned else {"compare": written})}
    else:
        fields[key] = written
    return found


def stats_of(run: Run, one: Suggestion) -> EvaluatorStats:
    return next(each for each in run.result.evaluators if (each.name, each.variant) == (one.evaluator, one.variant))


def right_lists(run: Run, one: Suggestion) -> set[int]:
    """The rows in which a list is right as a whole, whether it counts as one value or by its items."""
    return {row for row, codes in list_codes(run, one) if 1 in codes and not codes - {0, 1, 5}}


def silent_lists(run: Run, one: Suggestion) -> set[int]:
    """The rows in which nothing of a list was measured: by its items, one that is empty on both sides has nothing."""
    return {row for row, codes in list_codes(run, one) if not codes - {0, 5}}


def list_codes(run: Run, one: Suggestion) -> Iterator[tuple[int, set[int]]]:
    """What became of a list and of its items, by row."""
    index = [each.name for each in run.facts.evaluators].index(one.evaluator)
    fields = run.facts.evaluators[index].fields
    places = [at for at, name in enumerate(fields) if name in (one.field, f"{one.field}[*]")]
    for row in run.each_row(one.variant, explained=False):
        yield row.number, {row.verdicts[index].statuses[at] for at in places if row.verdicts[index].statuses}


def wrong_values(stats: EvaluatorStats) -> int:
    return sum(
        one.counts.mismatch + one.counts.omission + one.counts.hallucination + one.counts.error for one in stats.fields
    )


def check(one: Suggestion, before: Run, after: Run) -> None:
    """The two runs differ by what the suggestion says."""
    was, now = stats_of(before, one), stats_of(after, one)
    old, new = ({field.path: field.counts for field in each.fields} for each in (was, now))
    assert not one.first
    if one.line:
        assert (now.passed - was.passed, was.scored - was.passed) == (one.turned, one.of)
    elif one.aside:
        assert (wrong_values(was) - wrong_values(now), wrong_values(was)) == (one.turned, one.of)
        assert now.passed >= was.passed or "nothing to compare" in one.says
    elif "align" in one.write and not one.at:
        right_before, right_after = right_lists(before, one) - silent_lists(after, one), right_lists(after, one)
        assert right_before < right_after
        assert len(right_after) - len(right_before) == one.turned
    elif new[one.field].n == old[one.field].n:
        assert new[one.field].match - old[one.field].match == one.turned
    else:  # values are measured that could not be, or an item that pairs otherwise is neither missing nor extra
        assert new[one.field].match - old[one.field].match >= one.turned
        gained = now.scored - was.scored
        assert ("would get one" in one.says) == (gained > 0)
    assert now.scored >= was.scored or one.aside


def held(suite: Suite, rows: Path | None, folder: Path, write: bool = False) -> Iterator[Suggestion]:
    """Every suggestion of a run, checked against a run with its line."""
    finish(suite, None if rows is None else str(rows), results=folder, name="before")
    before = with_cells(Run(folder / "before"))
    for number, one in enumerate(suggestions_for(suite.lines, before, reading=suite.reading)):
        index = [line.name for line in suite.lines].index(one.evaluator)
        changed = None if one.named else with_line(suite.config.source.data, index, one)
        if changed is None:
            continue
        if write:  # places of files are relative to the suite
            file = folder / "suite" / "changed.yaml"
            file.write_text(json.dumps(changed), encoding="utf-8")
        found = load(file) if write else load(changed)
        finish(found, None if rows is None else str(rows), results=folder, name=f"after {number}")
        check(one, before, Run(folder / f"after {number}"))
        yield one


@pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.parent.name)
def test_what_is_suggested_for_the_gallery_holds(suite: Path, tmp_path: Path) -> None:
    copy = tmp_path / "suite"
    shutil.copytree(suite.parent, copy)
    for one in held(load(copy / "suite.yaml"), None, tmp_path, write=True):
        assert one.turned


VALUES: tuple[list[Any], ...] = (
    ["Rome", "ROME", "Röme", " rome", "Rome.", "Roma", "ro me", "Romee", "n/a", "", None],
    [1, 1.0, "1", "1,000", 1000, "1.000", "€ 5", 5, 5.004, "5 %", 0.05, "n/a", None, True, "A1"],
    ["2024-03-09", "09/03/2024", "03/09/2024", "9.3.2024", "unknown", "2024-03-09T10:00:00Z", None, "March 9, 2024"],
    [["a", "b"], ["b", "a"], ["A", "b"], ["a"], [], None, "a, b"],
)
WORDS: tuple[list[Any], ...] = (
    ["exact", "normalized", {"fuzzy": {"at_least": 0.9}}, {"normalized": {"case": "keep"}}],
    ["exact", "numeric", {"numeric": {"parse": True}}, {"numeric": {"parse": {"thousands": ","}, "tolerance": {"abs": 0.001}}}],
    ["exact", "date", {"date": {"formats": ["iso", "DD/MM/YYYY"]}}],
    ["exact", "normalized"],
)  # fmt: skip


ABSENCE: list[dict[str, Any]] = [
    {}, {}, {"nulls": "absent"}, {"absent_values": [""]}, {"nulls": "absent", "absent_values": ["n/a"]},
    {"nulls": "absent", "absent_values": ["", None]}, {"nulls": "value", "absent_values": [[], {}]},
]  # fmt: skip


def suggested(folder: Path, settings: dict[str, Any], pairs: list[tuple[Any, Any]]) -> dict[str, tuple[int, int]]:
    """What is suggested for rows of (expected, output): how many of how many wrong values, by the change. All of it holds."""
    rows = [
        {"id": at, "expected": {"a": expected}, "output": {"a": output}} for at, (expected, output) in enumerate(pairs)
    ]
    write_rows(folder / "rows.jsonl", rows)
    suite = load({"evaluators": [{"schema_match": settings}]})
    return {one.switch: (one.turned, one.of) for one in held(suite, folder / "rows.jsonl", folder)}


def test_a_list_that_is_right_in_any_order_counts_once_and_one_with_a_right_item_not_at_all(tmp_path: Path) -> None:
    pairs: list[tuple[Any, Any]] = [
        (["a", "b"], ["a"]), (["c", "b"], ["a", "b"]), (["b", "a"], ["a", "b"]), ("a, b", ["a", "b"]),
    ]  # fmt: skip
    assert suggested(tmp_path, {"fields": {"a": "exact"}}, pairs) == {"align: any_order": (1, 4)}


def test_lists_without_items_are_set_aside_with_their_values_and_null_is_listed_once(tmp_path: Path) -> None:
    settings = {
        "nulls": "absent",
        "absent_values": ["n/a", None],
        "fields": {"a": {"align": "ordered"}, "a[*].b": "exact"},
    }
    pairs: list[tuple[Any, Any]] = [([], None), ([{"b": ""}], [{}]), ([{"b": 1}], [{"b": 1}])]
    found = suggested(tmp_path, settings, pairs)
    assert found == {
        'absent_values: [n/a, null, ""]': (1, 2),
        "absent_values: [n/a, null, []]": (1, 2),
        'absent_values: [n/a, null, [], ""]': (2, 2),
    }


@st.composite
def suites(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A suite with a field or two, and rows for it."""
    kinds = draw(st.lists(st.integers(0, 3), min_size=1, max_size=2))
    fields = {f"f{at}": draw(st.sampled_from(WORDS[kind])) for at, kind in enumerate(kinds)}
    pools = [draw(st.lists(st.sampled_from(VALUES[kind]), min_size=2, max_size=4)) for kind in kinds]
    inner = draw(st.none() | st.integers(0, 2))
    kind = draw(st.sampled_from(["json_multi_field_match", "schema_match"]))
    if inner is not None:
        fields["items[*].v"] = draw(st.sampled_from(WORDS[inner]))
        if kind == "schema_match":
            fields["items"] = {"align": draw(st.sampled_from(["ordered", "any_order", "hungarian"]))}

    def document() -> dict[str, Any]:
        made = {f"f{at}": draw(st.sampled_from(pool)) for at, pool in enumerate(pools) if draw(st.integers(0, 9))}
        if inner is not None:
            made["items"] = [{"v": one} for one in draw(st.lists(st.sampled_from(VALUES[inner]), max_size=3))]
        return made

    for name in [name for name in fields if name.startswith("f")] if inner is not None else []:
        more = draw(st.sampled_from([{}, {}, {"weight": 0}, {"required": True}, {"weight": 0, "required": True}]))
        fields[name] = {"compare": fields[name], **more} if more else fields[name]
    settings: dict[str, Any] = {"name": "e", "fields": fields}
    if kind == "schema_match":
        settings |= draw(st.sampled_from(ABSENCE))
    rows = [{"id": at, "expected": document(), "output": document()} for at in range(draw(st.integers(1, 8)))]
    return {"evaluators": [{kind: settings}]}, rows


@example((
    {"evaluators": [{"schema_match": {"name": "e", "fields": {"f0": "exact", "f1": "exact"}}}]},
    [
        {"id": 1, "expected": {"f0": ["a", "b"]}, "output": {"f0": ["b", "a"]}},
        {"id": 2, "expected": {"f0": []}, "output": {"f0": []}},
    ],
))  # fmt: skip
@given(suites())
def test_what_is_suggested_for_any_suite_holds(drawn: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    suite, rows = drawn
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        write_rows(file, rows)
        list(held(load(suite), file, Path(folder)))


@given(suites(), st.integers(1, 3), st.integers(1, 9))
def test_a_few_wanted_suggestions_are_the_first_of_all(
    drawn: tuple[dict[str, Any], list[dict[str, Any]]], wanted: int, rows_again: int
) -> None:
    data, rows = drawn
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(suggestion_search, "FIRST_ROWS", rows_again)
        file = Path(folder) / "rows.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        suite = load(data)
        finish(suite, str(file), results=folder, name="run")
        record = with_cells(Run(Path(folder) / "run"))
        few, every = (suggestions_for(suite.lines, record, wanted=some, reading=suite.reading) for some in (wanted, 999))
    assert few == every[:wanted]


TEXTS = st.sampled_from(
    ["refund", "Refund", "refund.", "a refund", "refunded", "late_delivery", "late delivery", "No", "no"]
)
FORGIVEN = st.lists(st.sampled_from(["case", "spaces", "final_punctuation", "underscores"]), unique=True, max_size=3)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=9), FORGIVEN, st.booleans())
def test_what_is_suggested_for_texts_holds(pairs: list[tuple[str, str]], forgiven: list[str], named: bool) -> None:
    settings: dict[str, Any] = {"forgive": forgiven} | ({"output": "said", "name": "mine"} if named else {})
    rows = [{"expected": expected, "output": "x" if named else output, "said": output} for expected, output in pairs]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        write_rows(file, rows)
        for one in held(load({"evaluators": [{"exact_match": settings}]}), file, Path(folder)):
            assert one.line
