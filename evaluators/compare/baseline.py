"""A baseline: what a run said of each row, in one small file that is kept beside the suite and compared with later.

One line per row, and the distinct verdicts of each evaluator once, so that a change of the file shows which rows changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, ValidationError, convert

from evaluators.compare.sides import RowVerdict, Side, SideRows
from evaluators.issues import UPGRADE_HINT, problem
from evaluators.run.result import MeasureStats
from evaluators.run.run_json import plain
from evaluators.run.store import write_text

KIND: Final = "evaluators baseline"
FORMAT: Final = 4
"""Since 2, a verdict has the values of fields that a row has several of; since 4, `not_judged` and `not_measured`."""
_LETTERS: Final = {
    "match": "m", "mismatch": "x", "omission": "o", "hallucination": "h", "error": "e", "skipped": "s", "not_measured": "-",
    "not_judged": "?",
}  # fmt: skip
_WORDS: Final = {letter: word for word, letter in _LETTERS.items()}


class _Variant(Struct):
    """The rows of one variant as the file has them."""

    variant: str | None
    said: dict[str, list[list[Any]]]
    """By evaluator: the distinct verdicts, fields as one letter each, and where a row has several values of a field (place,
    right, measured), one after the other."""
    rows: list[tuple[str, int, str, str | None, list[int]]]
    """(id, row number, checksum, cluster, the number of each evaluator's verdict)."""


class _BaselineFile(Struct):
    kind: str
    format: int
    name: str
    version: str
    test_set: str
    data_fingerprint: str
    complete: bool
    meaning: dict[str, dict[str, str]]
    fields: dict[str, tuple[str, ...]]
    cluster: str | None
    variants: list[_Variant]
    measures: tuple[MeasureStats, ...] = ()


def write_baseline(file: Path, side: Side) -> None:
    """Write a run as a baseline; the same run is the same bytes."""
    write_text(file, baseline_text(side))


def baseline_text(side: Side) -> str:
    """The text of a baseline."""
    head: dict[str, Any] = {
        "kind": KIND, "format": FORMAT, "name": side.name, "version": side.version, "test_set": side.test_set,
        "data_fingerprint": side.data_fingerprint, "complete": side.complete, "cluster": side.cluster,
        "fields": side.fields, "meaning": side.meaning,
    }  # fmt: skip
    if side.measures:
        head["measures"] = plain(side.measures)
    lines = [f"{_json(key)}: {_json(value)}" for key, value in head.items()]
    variants = ",\n".join(_variant_text(variant, rows) for variant, rows in side.rows.items())
    return "{\n" + ",\n".join([*lines, f'"variants": [\n{variants}\n]']) + "\n}\n"


def _variant_text(variant: str | None, rows: SideRows) -> str:
    codes: dict[str, dict[RowVerdict, int]] = {name: {} for name in rows.said}
    numbered = {
        name: [codes[name].setdefault(said._replace(reason=None), len(codes[name])) for said in column]
        for name, column in rows.said.items()
    }
    said = {
        name: [
            [one.standing, one.score, one.passed, "".join(map(_LETTERS.__getitem__, one.statuses))]
            + ([one.values] if one.values else [])
            for one in known
        ]
        for name, known in codes.items()
    }
    lines = ",\n".join(
        _json(
            [
                rows.ids[place], rows.numbers[place], rows.given[place],
                rows.clusters[place] if rows.clusters else None, [column[place] for column in numbered.values()],
            ]
        )
        for place in range(len(rows.ids))
    )  # fmt: skip
    return f'{{"variant": {_json(variant)},\n"said": {_json(said)},\n"rows": [\n{lines}\n]}}'


def read_baseline(file: Path) -> Side:
    """The run that a baseline holds. Raises Problems (config) when the file is not one."""
    hint = "`evaluators compare RUN --suite SUITE --update-baseline` writes one"
    try:
        body = json.loads(file.read_bytes())
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise problem("no-baseline", f"the baseline cannot be read: {said}", where=str(file), hint=hint) from None
    except ValueError:
        raise problem("not-a-baseline", "not a baseline, and not a run folder", where=str(file), hint=hint) from None
    if not isinstance(body, Mapping) or body.get("kind") != KIND:
        raise problem("not-a-baseline", "not a baseline, and not a run folder", where=str(file), hint=hint)
    if body.get("format") in range(1, FORMAT):
        said = f"written in format {body['format']}, and this version reads format {FORMAT}"
        hint = "score the test set again: `evaluators run SUITE ROWS`; then `evaluators compare RUN --suite SUITE --update-baseline`"
        raise problem("older-baseline", said, where=str(file), hint=hint)
    if body.get("format") != FORMAT:
        raise problem(
            "newer-baseline",
            f"written in format {body.get('format')}, and this version reads up to {FORMAT}",
            where=str(file),
            hint=UPGRADE_HINT,
        )
    try:
        found = convert(body, _BaselineFile)
        rows = {one.variant: _rows(one) for one in found.variants}
    except (ValidationError, KeyError, IndexError, ValueError) as error:
        said = str(error) if isinstance(error, ValidationError) else "it is damaged"
        raise problem("not-a-baseline", f"not a baseline: {said}", where=str(file), hint=hint) from None
    return Side(
        str(file), found.name, found.version, found.test_set, found.data_fingerprint, found.complete, found.meaning,
        found.fields, found.cluster, rows, True, found.measures,
    )  # fmt: skip


def _rows(one: _Variant) -> SideRows:
    known = [
        [
            RowVerdict(standing, score, passed, tuple(map(_WORDS.__getitem__, letters)), None, tuple(*values))
            for standing, score, passed, letters, *values in said
        ]
        for said in one.said.values()
    ]
    rows = SideRows(said={name: [] for name in one.said})
    columns = list(rows.said.values())
    for id_, number, given, cluster, codes in one.rows:
        rows.ids.append(id_)
        rows.numbers.append(number)
        rows.given.append(given)
        if cluster is not None:
            rows.clusters.append(cluster)
        for column, said, code in zip(columns, known, codes, strict=True):
            column.append(said[code])
    return rows


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
