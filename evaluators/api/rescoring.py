"""Scoring again whenever the suite or the data changes, and what moved between two runs.

Nothing here knows of time: whoever watches hands in events, each of which says that something may have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from evaluators.api.run_request import RunRequest, prepared_for
from evaluators.compare.figure_differences import label_differences, measure_differences
from evaluators.run.figures import counted, quantity_text
from evaluators.run.gates import gate_label
from evaluators.run.loaded import LoadedSuite
from evaluators.run.result import RunResult
from evaluators.run.suite_files import suite_places
from evaluators.values.quoting import quote

Stamps: TypeAlias = Mapping[Path, tuple[int, int] | None]
"""When each file was last written, in nanoseconds, and how long it is; None for one that is not there."""

_LEAST: Final = 0.00005
"""A figure that moves by less is shown as the same four decimals."""


def watch(
    score: Callable[[], RunResult | None], files: Callable[[], Iterable[Path]], events: Iterable[object]
) -> Iterator[tuple[RunResult | None, tuple[str, ...]]]:
    """Every run with what moved since the last one that could be scored; the first run is compared with none.

    `score` gives None where nothing could be scored, such as for a suite with a mistake. `files` are those that matter now.
    """
    seen = stamps(files())
    last = score()
    yield last, ()
    for _ in events:
        now = stamps(seen)
        if now == seen:
            continue
        result = score()
        seen = {**stamps(files()), **now}  # a change while it was scored is seen by the next event
        yield result, () if result is None or last is None else tuple(moved(last, result))
        last = result or last


def stamps(files: Iterable[Path]) -> Stamps:
    """The state of files, to see later whether they have changed."""
    return {file: _stamp(file) for file in files}


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def files_of(suite: LoadedSuite, request: RunRequest) -> list[Path]:
    """The files of this machine that a run reads: the suite, what it is made from, and the test set."""
    data = [Path(path) for source in prepared_for(suite, request).test_set.files if (path := source.local) is not None]
    return list(dict.fromkeys([*suite_places(suite), *data]))


def moved(before: RunResult, after: RunResult) -> Iterator[str]:
    """What is another one in the later run, one line each; a line that says so where nothing is."""
    lines = [
        *_rows(before, after),
        *_evaluators(before, after),
        *_labels(before, after),
        *_measures(before, after),
        *_gates(before, after),
    ]
    yield from lines or ["no figure moved"]


def _rows(before: RunResult, after: RunResult) -> Iterator[str]:
    if before.rows != after.rows:
        yield f"rows: {before.rows:,} → {after.rows:,}"


def _evaluators(before: RunResult, after: RunResult) -> Iterator[str]:
    old = {(stats.name, stats.variant): stats for stats in before.evaluators}
    new = {(stats.name, stats.variant): stats for stats in after.evaluators}
    for key, stats in new.items():
        name = stats.name if stats.variant is None else f"{stats.name} ({stats.variant})"
        if key not in old:
            yield f"{name}: new, mean {_shown(stats.mean)}"
            continue
        yield from _figure(f"{name}: mean", old[key].mean, stats.mean)
        fields = {field.path: field.accuracy for field in old[key].fields}
        for field in stats.fields:
            if field.path in fields:
                yield from _figure(f"{name}, {field.path}: accuracy", fields[field.path], field.accuracy)
            else:
                yield f"{name}, {field.path}: new, accuracy {_shown(field.accuracy)}"
        gone = len(fields.keys() - {field.path for field in stats.fields})
        if gone:
            yield f"{name}: {counted(gone, 'field')} gone"
    yield from (f"{name}: gone" for name, _ in old.keys() - new.keys())


def _labels(before: RunResult, after: RunResult) -> Iterator[str]:
    for one in label_differences(
        before.confusion_matrices, after.confusion_matrices, {stats.name for stats in after.evaluators}
    ):
        if one.metric == "f1":
            name = one.evaluator if one.variant is None else f"{one.evaluator} ({one.variant})"
            label = f"{one.label} average" if one.average else quote(one.label)
            yield from _figure(f"{name}, {label}: F1", one.base, one.new)


def _measures(before: RunResult, after: RunResult) -> Iterator[str]:
    for one in measure_differences(before.whole_measures, after.whole_measures):
        if one.metric in ("mean", "sum") and one.base != one.new:
            name = one.measure if one.variant is None else f"{one.measure} ({one.variant})"
            yield f"{name}: {one.metric} {quantity_text(one.base)} → {quantity_text(one.new)}"


def _gates(before: RunResult, after: RunResult) -> Iterator[str]:
    old = {gate_label(gate): gate.verdict for gate in before.gates}
    for gate in after.gates:
        label = gate_label(gate)
        if label in old and old[label] != gate.verdict:
            yield f"gate {label}: {old[label]} → {gate.verdict}"


def _figure(name: str, before: float | None, after: float | None) -> Iterator[str]:
    if before is None or after is None:
        if before is not after:
            yield f"{name} {_shown(before)} → {_shown(after)}"
    elif abs(after - before) >= _LEAST:
        yield f"{name} {before:.4f} → {after:.4f} ({after - before:+.4f})"


def _shown(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:.4f}"
