"""One side of a comparison: what a run says of each of its rows, read from its folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from evaluators.issues import problem
from evaluators.runs.result import RunResult
from evaluators.runs.rows import LISTED, pyarrow
from evaluators.runs.store import load_run

SCORED: Final = ("scored", "unreadable", "blocked")
"""The standings of rows that count in the mean."""
_WRONG: Final = ("mismatch", "omission", "hallucination")
MEASURED: Final = ("match", *_WRONG, "error")
"""The statuses of fields that count."""


class Said(NamedTuple):
    """What one evaluator said of one row. Statuses are words, in the order of the evaluator's fields."""

    standing: str
    score: float | None
    passed: bool | None
    statuses: tuple[str, ...] = ()
    reason: str | None = None
    """Why the row has no score, where that is known."""
    values: tuple[int, ...] = ()
    """(place, right, measured) of each field of which the row has several values, one after the other."""

    @property
    def scored(self) -> bool:
        """The row counts in the mean."""
        return self.standing in SCORED and self.score is not None

    def counted(self, place: int) -> tuple[int, int] | None:
        """(right, measured) of a field that has several values in the row; None for one value, or none."""
        for at in range(0, len(self.values), 3):
            if self.values[at] == place:
                return self.values[at + 1], self.values[at + 2]
        return None

    def right(self, place: int) -> bool | None:
        """Whether the field in that place is right; None where it was not measured."""
        status = self.statuses[place] if place < len(self.statuses) else ""
        if status == "match":
            return True
        if status in _WRONG or (status == "error" and self.standing in SCORED):
            return False
        return None


@dataclass(slots=True)
class SideRows:
    """The rows of one run, or of one of its variants, as columns."""

    numbers: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    """Checksums of what rows give beside the output; empty texts where they are not known."""
    clusters: list[str] = field(default_factory=list)
    """What rows belong to; empty without clusters."""
    said: dict[str, list[Said]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Side:
    """One run."""

    label: str
    """What reports call it: its folder or its file."""
    name: str
    version: str
    test_set: str
    data_fingerprint: str
    complete: bool
    meaning: Mapping[str, Mapping[str, str]]
    fields: Mapping[str, tuple[str, ...]]
    """The listed fields of each evaluator, in the order of the suite."""
    cluster: str | None
    rows: Mapping[str | None, SideRows]
    """By variant; under None for a run without variants."""
    row_values: bool = True
    """The rows say how many values of a field are right, where a row has several."""

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants."""
        return tuple(name for name in self.rows if name is not None)


def read_run_side(place: Path) -> Side:
    """The run in a run folder.

    Raises Problems (config) when there is none, or it has no rows.
    """
    result = load_run(place)
    folder = place if place.is_dir() else place.parent
    variants: tuple[str | None, ...] = result.variants or (None,)
    rows = {variant: _rows(folder, variant) for variant in variants}
    fields: dict[str, tuple[str, ...]] = {}
    for _, found in rows.values():
        fields |= {name: paths for name, paths in found.items() if len(paths) > len(fields.get(name, ()))}
    return side_of(result, str(place), {variant: found for variant, (found, _) in rows.items()}, fields)


def side_of(
    result: RunResult, label: str, rows: Mapping[str | None, SideRows], fields: Mapping[str, tuple[str, ...]]
) -> Side:
    """A run and its rows as one side."""
    return Side(
        label, result.name, result.version, result.test_set, result.data_fingerprint, result.complete, result.meaning,
        {stats.name: fields.get(stats.name, ()) for stats in result.evaluators}, result.cluster, rows, result.row_values,
    )  # fmt: skip


def _rows(folder: Path, variant: str | None) -> tuple[SideRows, dict[str, tuple[str, ...]]]:
    stem = "rows" if variant is None else f"rows.{variant}"
    for kind, read in (("jsonl", _of_lines), ("parquet", _of_parquet)):
        file = folder / f"{stem}.{kind}"
        if file.is_file():
            try:
                return _gathered(read(file))
            except (KeyError, TypeError, ValueError) as error:
                said = "this file is damaged, or was not written by a run"
                raise problem("damaged-rows", f"{said}: {error}", where=str(file)) from None
    raise problem(
        "no-rows",
        f"the run has no {stem}.jsonl and no {stem}.parquet, and runs are compared row by row",
        where=str(folder),
        hint="score the test set again, into a run folder",
    )


def _gathered(lines: Iterable[Mapping[str, Any]]) -> tuple[SideRows, dict[str, tuple[str, ...]]]:
    rows = SideRows()
    fields: dict[str, tuple[str, ...]] = {}
    known: dict[Said, Said] = {}
    for line in lines:
        rows.numbers.append(line["row"])
        rows.ids.append(line["id"])
        rows.given.append(line.get("given") or "")
        if line.get("cluster") is not None:
            rows.clusters.append(line["cluster"])
        for name, result in line["results"].items():
            statuses = result.get("fields") or {}
            if len(statuses) > len(fields.get(name, ())):
                fields[name] = tuple(statuses)
            standing = result.get("standing", "scored")
            reason = result.get("reason") if standing not in SCORED else None
            values = _values(list(statuses), result.get("values") or {})
            said = Said(standing, result.get("score"), result.get("passed"), tuple(statuses.values()), reason, values)
            rows.said.setdefault(name, []).append(known.setdefault(said, said))
    return rows, fields


def _values(fields: Sequence[str], found: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    return tuple(number for path, counts in found.items() for number in (fields.index(path), *counts)) if found else ()


def _of_lines(file: Path) -> Iterator[Mapping[str, Any]]:
    with open(file, "rb") as stream:
        for line in stream:
            yield orjson.loads(line)


def _of_parquet(file: Path) -> Iterator[Mapping[str, Any]]:
    _, parquet = pyarrow()
    stored = parquet.ParquetFile(file)
    names = [name[: -len(".standing")] for name in stored.schema_arrow.names if name.endswith(".standing")]
    evaluators = [name for name in names if f"{name}.passed" in stored.schema_arrow.names]
    fields = {
        name: [
            (column, column.removeprefix(f"{name}.fields."))
            for column in stored.schema_arrow.names
            if column.startswith(f"{name}.fields.")
        ]
        for name in evaluators
    }
    counted = {
        name: [(path, f"{name}.right.{path}", f"{name}.measured.{path}") for _, path in fields[name] if LISTED in path]
        for name in evaluators
        if f"{name}.measured.{next((path for _, path in fields[name] if LISTED in path), '')}"
        in stored.schema_arrow.names
    }
    for batch in stored.iter_batches():
        columns = batch.to_pydict()
        for place in range(batch.num_rows):
            results = {
                name: {
                    "standing": columns[f"{name}.standing"][place],
                    "score": columns[f"{name}.score"][place],
                    "passed": columns[f"{name}.passed"][place],
                    "fields": _known({path: columns[column][place] for column, path in fields[name]}),
                    "values": {
                        path: (columns[right][place], columns[of][place])
                        for path, right, of in counted.get(name, ())
                        if columns[of][place] is not None
                    },
                }
                for name in evaluators
            }
            beside = {name: columns[name][place] for name in ("row", "id", "given", "cluster") if name in columns}
            yield {**beside, "results": results}


def _known(statuses: Mapping[str, str | None]) -> dict[str, str]:
    return {path: status for path, status in statuses.items() if status is not None}
