"""One stored line per row: what each evaluator said of it, as JSON lines or as Parquet columns.

A worker writes its own part, with rows numbered inside the split. When all the splits before are known, the parts are
joined in order and the rows get the numbers that a spreadsheet shows. A part is columns of verdict numbers and a table of
the distinct verdicts, so that a verdict is spelled once however many rows share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

import orjson

from evaluators.issues import problem
from evaluators.model import Standing, Status, Verdict
from evaluators.runs.tally import Ledger

RowsFormat: TypeAlias = Literal["jsonl", "parquet"]
FLUSH_ROWS: Final = 16_384
"""Rows of one Parquet row group: enough to pack well, few enough to hold in memory."""
GROUP_ROWS = 131_072
"""Rows in a row group of the joined file: encoding many at once is cheaper and smaller."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What is stored of one evaluator: its name and its listed fields."""

    name: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """What is stored of rows beside their results, so that two runs can be compared row by row."""

    given: Sequence[int]
    """A checksum of what each row gives, the outputs apart: the same in two runs of the same question."""
    clusters: Sequence[str] | None = None
    """What each row belongs to, where the suite clusters rows."""


class RowWriter(Protocol):
    """Writes one part of the stored rows."""

    def add(
        self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]], beside: Beside | None = None
    ) -> None:
        """Some rows: their offsets, their ids, the verdict numbers of each evaluator, and what is stored beside them."""

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
    """A verdict as a stored row says it: a row is scored unless it says another standing, and what is unknown is not said."""
    line: dict[str, Any] = {}
    if verdict.standing is not Standing.SCORED:
        line["standing"] = verdict.standing.word
    if verdict.value is not None:
        line["score"] = verdict.value
    if verdict.passed is not None:
        line["passed"] = verdict.passed
    if stored.fields:
        line["fields"] = {
            name: Status(status).word for name, status in zip(stored.fields, verdict.statuses, strict=False)
        }
    if verdict.values:
        line["values"] = {stored.fields[place]: [right, of] for place, right, of in verdict.several()}
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
        self._rendered: list[list[str]] = [[] for _ in stored]

    def add(
        self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]], beside: Beside | None = None
    ) -> None:
        results = map(",".join, zip(*map(self._render, range(len(codes)), codes), strict=True))
        names = _quoted_ids(ids) if ids is not None else ["null"] * len(offsets)
        if beside is not None:
            names = [f'{name},"given":"{given:08x}"' for name, given in zip(names, beside.given, strict=True)]
            if beside.clusters is not None:
                clusters = _quoted_ids(beside.clusters)
                names = [f'{name},"cluster":{cluster}' for name, cluster in zip(names, clusters, strict=True)]
        lines = [
            f'{offset},"id":{name},"results":{{{result}}}}}\n'
            for offset, name, result in zip(offsets, names, results, strict=True)
        ]
        self._stream.write("".join(lines).encode())

    def close(self) -> None:
        self._stream.close()

    def _render(self, place: int, codes: Sequence[int]) -> Iterator[str]:
        rendered, stored = self._rendered[place], self._stored[place]
        for verdict in self._ledgers[place].verdicts[len(rendered) :]:
            rendered.append(orjson.dumps(clean({stored.name: spelled(stored, verdict)})).decode()[1:-1])
        return map(rendered.__getitem__, codes)


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
    """Parquet columns: standing, score and passed per evaluator, and one column of words per field.

    A field below a list has two columns more: in a row with several values, how many are right, and how many there are.
    """

    def __init__(self, path: Path, stored: Sequence[Stored], ledgers: Sequence[Ledger]) -> None:
        self._arrow, _ = pyarrow()
        self._path = path
        self._verdicts = [_VerdictColumns(self._arrow, one, ledger) for one, ledger in zip(stored, ledgers, strict=True)]
        self._offsets: list[int] = []
        self._ids: list[str | None] = []
        self._given: list[str | None] = []
        self._clusters: list[str | None] = []
        self._codes: list[list[int]] = [[] for _ in stored]
        self._writer: Any = None

    def add(
        self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]], beside: Beside | None = None
    ) -> None:
        self._offsets.extend(offsets)
        if beside is not None:
            self._given.extend(f"{given:08x}" for given in beside.given)
            self._clusters.extend(beside.clusters or ())
        self._ids.extend(ids if ids is not None else [None] * len(offsets))
        for mine, column in zip(self._codes, codes, strict=True):
            mine.extend(column)
        if len(self._offsets) >= FLUSH_ROWS:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        arrow = self._arrow
        columns = {"row": arrow.array(self._offsets, arrow.int64()), "id": _texts(arrow, self._ids)}
        for name, texts in (("given", self._given), ("cluster", self._clusters)):
            if texts:
                columns[name] = _texts(arrow, texts)
        for verdicts, codes in zip(self._verdicts, self._codes, strict=True):
            columns |= verdicts.taken(codes)
        table = arrow.table(columns)
        if self._writer is None:
            self._writer = self._arrow.ipc.new_file(self._path, table.schema)
        self._writer.write_table(table)
        self._offsets, self._ids, self._given, self._clusters = [], [], [], []
        for codes in self._codes:
            codes.clear()


class _VerdictColumns:
    """What is stored of the distinct verdicts of one evaluator, in columns that grow with the ledger.

    A word is stored as its place in a short list of words, from here to the finished file.
    """

    def __init__(self, arrow: Any, stored: Stored, ledger: Ledger) -> None:
        self._arrow = arrow
        self._ledger = ledger
        own = [f"{stored.name}.{name}" for name in ("standing", "score", "passed")]
        self._many = [place for place, path in enumerate(stored.fields) if LISTED in path]
        listed = [stored.fields[place] for place in self._many]
        counts = [f"{stored.name}.{word}.{path}" for path in listed for word in ("right", "measured")]
        self._names = [
            storable(name) for name in (*own, *(f"{stored.name}.fields.{path}" for path in stored.fields), *counts)
        ]
        self._lists: list[list[Any]] = [[] for _ in self._names]
        self._arrays: list[Any] = []
        self._standings, self._statuses = arrow.array(_STANDINGS), arrow.array(_WORDS)
        self._width = len(stored.fields)

    def taken(self, codes: Sequence[int]) -> dict[str, Any]:
        """The columns of some rows, given their verdict numbers."""
        self._catch_up()
        places = self._arrow.array(codes, self._arrow.int32())
        return {name: column.take(places) for name, column in zip(self._names, self._arrays, strict=True)}

    def _catch_up(self) -> None:
        fresh = self._ledger.verdicts[len(self._lists[0]) :]
        if not fresh and self._arrays:
            return
        for verdict in fresh:
            words = [_PLACES[status] for status in verdict.statuses] if verdict.statuses else [None] * self._width
            found = {place: counts for place, *counts in verdict.several()}
            values = [count for place in self._many for count in found.get(place, _ONE_VALUE)]
            cells = (verdict.standing, verdict.value, verdict.passed, *words, *values)
            for column, value in zip(self._lists, cells, strict=True):
                column.append(value)
        arrow, (standings, scores, passed, *others) = self._arrow, self._lists
        fields, counts = others[: self._width], others[self._width :]
        self._arrays = [
            self._worded(standings, self._standings),
            arrow.array(scores, arrow.float64()),
            arrow.array(passed, arrow.bool_()),
            *(self._worded(places, self._statuses) for places in fields),
            *(arrow.array(column, arrow.int32()) for column in counts),
        ]

    def _worded(self, places: list[int | None], words: Any) -> Any:
        return self._arrow.DictionaryArray.from_arrays(self._arrow.array(places, self._arrow.int8()), words)


LISTED: Final = "[*]"
"""What the path of a field has that stands below a list."""
_ONE_VALUE: Final = (None, None)
_STANDINGS: Final = tuple(standing.word for standing in Standing)
_WORDS: Final = tuple(dict.fromkeys(status.word for status in Status))
_PLACES: Final = tuple(_WORDS.index(status.word) for status in Status)


def _texts(arrow: Any, texts: list[str | None]) -> Any:
    try:
        return arrow.array(texts, arrow.string())
    except UnicodeEncodeError:
        return arrow.array([text and storable(text) for text in texts], arrow.string())


def _join_parquet(parts: Iterable[tuple[Path, int]], target: Path) -> None:
    """Row groups have the same rows wherever the parts were cut, so that the same rows make the same file."""
    arrow, parquet = pyarrow()
    writer, waiting = None, None
    try:
        for table in _numbered(arrow, parts):
            writer = writer or _parquet_writer(parquet, target, table.schema)
            waiting = table if waiting is None else arrow.concat_tables([waiting, table])
            while waiting.num_rows >= GROUP_ROWS:
                writer.write_table(waiting.slice(0, GROUP_ROWS).combine_chunks())
                waiting = waiting.slice(GROUP_ROWS)
        if writer is not None and waiting is not None and waiting.num_rows:
            writer.write_table(waiting.combine_chunks())
    finally:
        if writer is not None:
            writer.close()


def _parquet_writer(parquet: Any, target: Path, schema: Any) -> Any:
    """Words are written with a dictionary; numbers and ids hardly repeat. Readers see words as plain text."""
    repeating = [name for name in schema.names if name not in ("row", "id", "given")]
    return parquet.ParquetWriter(
        target, schema, compression="zstd", use_dictionary=repeating, write_statistics=False, store_schema=False
    )


def _numbered(arrow: Any, parts: Iterable[tuple[Path, int]]) -> Iterator[Any]:
    """The tables of all parts, their rows with the numbers that a spreadsheet shows."""
    for path, first in parts:
        with arrow.memory_map(str(path)) as file:
            table = arrow.ipc.open_file(file).read_all()
            numbers = arrow.compute.add(table.column("row"), first)
            ids = arrow.compute.coalesce(table.column("id"), numbers.cast(arrow.string()))
            yield table.set_column(0, "row", numbers).set_column(1, "id", ids)


def pyarrow() -> tuple[Any, Any]:
    """pyarrow and its Parquet module, imported on first use. Raises Problems (config) when it is not installed."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.ipc
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


def clean(line: dict[str, Any]) -> dict[str, Any]:
    """Half of a surrogate pair cannot be stored as UTF-8: it is written as an escape, in keys and in texts."""
    return {storable(key): _clean_value(value) for key, value in line.items()}


def storable(text: str) -> str:
    """The text, half surrogate pairs spelled out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _clean_value(value: Any) -> Any:
    if isinstance(value, dict):
        return clean(value)
    return storable(value) if isinstance(value, str) else value


def _quoted_ids(ids: Sequence[str]) -> list[str]:
    """The ids as JSON. Most need nothing but quotes, and one look at all of them tells."""
    together = "".join(ids)
    if together.isascii() and together.isprintable() and '"' not in together and "\\" not in together:
        return [f'"{text}"' for text in ids]
    return [orjson.dumps(storable(text)).decode() for text in ids]
