"""One stored line per row: what each evaluator said of it, as JSON lines or as Parquet columns.

A worker writes its own part, with rows numbered inside the split. When all the splits before are known, the parts are
joined in order and the rows get the numbers that a spreadsheet shows. A part is columns of verdict numbers and a table of
the distinct verdicts, so that a verdict is spelled once however many rows share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import orjson

from evaluators.issues import problem
from evaluators.model import Status, Verdict
from evaluators.runs.tally import Ledger

RowsFormat: TypeAlias = Literal["jsonl", "parquet"]
FLUSH_ROWS = 32_768


@dataclass(frozen=True, slots=True)
class Stored:
    """What is stored of one evaluator: its name and its listed fields."""

    name: str
    fields: tuple[str, ...]


class RowWriter(Protocol):
    """Writes one part of the stored rows."""

    def add(self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]]) -> None:
        """Some rows: their offsets, their ids, and the verdict numbers of each evaluator."""

    def close(self) -> None:
        """Writes what is left."""


def open_part(kind: RowsFormat, path: Path, stored: Sequence[Stored], ledgers: Sequence[Ledger]) -> RowWriter:
    """A writer for one part."""
    return JsonLines(path, stored, ledgers) if kind == "jsonl" else ParquetPart(path, stored, ledgers)


def join_parts(kind: RowsFormat, parts: Iterable[tuple[Path, int]], target: Path) -> None:
    """One file of all parts, in order. Each comes with the number of its first row."""
    if kind == "jsonl":
        _join_lines(parts, target)
    else:
        _join_parquet(parts, target)


def spelled(stored: Stored, verdict: Verdict) -> dict[str, Any]:
    """A verdict as a stored row says it."""
    line: dict[str, Any] = {"standing": verdict.standing.word, "score": verdict.value, "passed": verdict.passed}
    if stored.fields:
        line["fields"] = {
            name: Status(status).word for name, status in zip(stored.fields, verdict.statuses, strict=False)
        }
    if verdict.counts is not None:
        line["counts"] = dict(zip(("match", "mismatch", "omission", "hallucination"), verdict.counts, strict=True))
    if verdict.issue is not None:
        line["reason"] = verdict.issue.message
    return line


class JsonLines:
    """JSON lines. Each verdict is rendered once and then copied."""

    def __init__(self, path: Path, stored: Sequence[Stored], ledgers: Sequence[Ledger]) -> None:
        self._stream = open(path, "wb")  # noqa: SIM115  # closed by `close`
        self._stored = stored
        self._ledgers = ledgers
        self._rendered: list[list[bytes]] = [[] for _ in stored]

    def add(self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]]) -> None:
        columns = [self._render(place, column) for place, column in enumerate(codes)]
        names = [_quoted(one) for one in ids] if ids is not None else [b""] * len(offsets)
        lines = [
            b'%d,"id":%b,"results":{%b}}\n' % (offset, name or b"null", b",".join(results))
            for offset, name, *results in zip(offsets, names, *columns, strict=True)
        ]
        self._stream.write(b"".join(lines))

    def close(self) -> None:
        self._stream.close()

    def _render(self, place: int, codes: Sequence[int]) -> list[bytes]:
        rendered, verdicts = self._rendered[place], self._ledgers[place].verdicts
        for verdict in verdicts[len(rendered) :]:
            stored = self._stored[place]
            rendered.append(orjson.dumps(stored.name) + b":" + orjson.dumps(_clean(spelled(stored, verdict))))
        return [rendered[code] for code in codes]


def _join_lines(parts: Iterable[tuple[Path, int]], target: Path) -> None:
    with open(target, "wb") as whole:
        for path, first in parts:
            with open(path, "rb") as part:
                for line in part:
                    offset, _, rest = line.partition(b",")
                    number = first + int(offset)
                    if rest.startswith(b'"id":null'):
                        rest = b'"id":"%d"' % number + rest[len(b'"id":null') :]
                    whole.write(b'{"row":%d,%b' % (number, rest))


class ParquetPart:
    """Parquet columns: standing, score and passed per evaluator, and one column of words per field."""

    def __init__(self, path: Path, stored: Sequence[Stored], ledgers: Sequence[Ledger]) -> None:
        pyarrow()
        self._path = path
        self._stored = stored
        self._ledgers = ledgers
        self._offsets: list[int] = []
        self._ids: list[str | None] = []
        self._codes: list[list[int]] = [[] for _ in stored]
        self._writer: Any = None

    def add(self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]]) -> None:
        self._offsets.extend(offsets)
        self._ids.extend(ids if ids is not None else [None] * len(offsets))
        for mine, column in zip(self._codes, codes, strict=True):
            mine.extend(column)
        if len(self._offsets) >= FLUSH_ROWS:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        arrow, parquet = pyarrow()
        names = ["row", "id"]
        columns = [arrow.array(self._offsets, arrow.int64()), _texts(arrow, self._ids)]
        for stored, ledger, codes in zip(self._stored, self._ledgers, self._codes, strict=True):
            for name, column in _arrow_columns(arrow, stored, ledger.verdicts, codes):
                names.append(name)
                columns.append(column)
        table = arrow.table(columns, names=names)
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._path, table.schema, **PARQUET)
        self._writer.write_table(table)
        self._offsets, self._ids, self._codes = [], [], [[] for _ in self._stored]


PARQUET: dict[str, Any] = {"compression": "zstd", "use_dictionary": True, "write_statistics": False}


def _arrow_columns(arrow: Any, stored: Stored, verdicts: Sequence[Verdict], codes: list[int]) -> list[tuple[str, Any]]:
    """The columns of one evaluator: the distinct verdicts, taken by number."""
    places = arrow.array(codes, arrow.int32())

    def taken(values: list[Any], kind: Any) -> Any:
        return arrow.array(values, kind).take(places)

    found = [
        (f"{stored.name}.standing", taken([verdict.standing.word for verdict in verdicts], arrow.string())),
        (f"{stored.name}.score", taken([verdict.value for verdict in verdicts], arrow.float64())),
        (f"{stored.name}.passed", taken([verdict.passed for verdict in verdicts], arrow.bool_())),
    ]
    for place, name in enumerate(stored.fields):
        words = [Status(verdict.statuses[place]).word if len(verdict.statuses) > place else None for verdict in verdicts]
        found.append((f"{stored.name}.{name}", taken(words, arrow.string())))
    return found


def _texts(arrow: Any, texts: list[str | None]) -> Any:
    try:
        return arrow.array(texts, arrow.string())
    except UnicodeEncodeError:
        escaped = [text and text.encode("utf-8", "backslashreplace").decode() for text in texts]
        return arrow.array(escaped, arrow.string())


def _join_parquet(parts: Iterable[tuple[Path, int]], target: Path) -> None:
    arrow, parquet = pyarrow()
    writer = None
    try:
        for path, first in parts:
            part = parquet.ParquetFile(path, pre_buffer=False)
            for group in range(part.num_row_groups):
                table = part.read_row_group(group)
                numbers = arrow.compute.add(table.column("row"), first)
                ids = table.column("id")
                if ids.null_count == len(ids):
                    ids = numbers.cast(arrow.string())
                table = table.set_column(0, "row", numbers).set_column(1, "id", ids)
                writer = writer or parquet.ParquetWriter(target, table.schema, **PARQUET)
                writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def pyarrow() -> tuple[Any, Any]:
    """pyarrow and its Parquet module, imported on first use. Raises Problems (config) when it is not installed."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError:
        raise problem(
            "missing-extra", "Parquet needs a package that is not installed", hint='pip install "evaluators[parquet]"'
        ) from None
    return pyarrow, pyarrow.parquet


def has_pyarrow() -> bool:
    """Whether pyarrow can be imported; it is not imported to find out."""
    from importlib.util import find_spec

    return find_spec("pyarrow") is not None


def _quoted(text: str) -> bytes:
    return orjson.dumps(text) if text.isascii() else orjson.dumps(text.encode("utf-8", "backslashreplace").decode())


def _clean(line: dict[str, Any]) -> dict[str, Any]:
    """Half of a surrogate pair cannot be stored as UTF-8: it is written as an escape."""
    reason = line.get("reason")
    if isinstance(reason, str) and not reason.isascii():
        line["reason"] = reason.encode("utf-8", "backslashreplace").decode()
    return line
