"""One stored line per row: its id, checksums, and one code per evaluator, as JSON lines or as Parquet columns.

A worker writes its own part, with rows and codes numbered inside the split, and the verdicts that its codes stand for.
When all the splits before are known, the parts are joined in order: rows get the numbers that a spreadsheet shows, and
codes those of the run's own table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any, BinaryIO, Final, Literal, Protocol, TypeAlias

import orjson

from evaluators.issues import problem
from evaluators.run.codes import CodeTable, code_text
from evaluators.run.tally import Ledger
from evaluators.testsets.byte_store import inside, parent, read_from, store_of, write_to
from evaluators.value_class import dataclass

RowsFormat: TypeAlias = Literal["jsonl", "parquet"]
FLUSH_ROWS: Final = 16_384
"""Rows of one Parquet row group: enough to pack well, few enough to hold in memory."""
GROUP_ROWS = 131_072
"""Rows in a row group of the joined file: encoding many at once is cheaper and smaller."""


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What is stored of rows beside their codes, so that two runs can be compared row by row."""

    given: Sequence[int]
    """A checksum of what each row gives, the outputs apart: the same in two runs of the same question."""
    clusters: Sequence[str] | None = None
    """What each row belongs to, where the suite clusters rows."""
    slices: Sequence[Sequence[str]] = ()
    """For each column that the suite slices by, the values of the rows."""


class RowWriter(Protocol):
    """Writes one part of the stored rows."""

    def add(
        self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]], beside: RowFacts
    ) -> None:
        """Some rows: their offsets, their ids, the codes of each evaluator, and what is stored beside them."""

    def close(self) -> None:
        """Writes what is left, and the verdicts of all codes."""


@dataclass(frozen=True, slots=True)
class RowColumns:
    """What rows are stored by: the evaluators, and the columns that the suite slices by."""

    evaluators: tuple[str, ...]
    slices: tuple[str, ...] = ()
    clustered: bool = False


def open_part(kind: RowsFormat, path: str, columns: RowColumns, ledgers: Sequence[Ledger]) -> RowWriter:
    """A writer for one part; the verdicts stand beside it."""
    return JsonLines(path, ledgers) if kind == "jsonl" else ParquetPart(path, columns, ledgers)


def join_parts(
    kind: RowsFormat, parts: Iterable[tuple[str, int]], columns: RowColumns, target: Path, codes: Path
) -> None:
    """One file of all parts, in order, and the table of its codes. Each part comes with the number of its first row."""
    table = CodeTable(len(columns.evaluators))
    if kind == "jsonl":
        _join_lines(parts, table, target)
    else:
        _join_parquet(parts, columns, table, target)
    table.write(columns.evaluators, codes)


def _verdicts_beside(place: str) -> str:
    return inside(parent(place), f"codes-{PurePath(place).name}")


def _write_verdicts(path: str, ledgers: Sequence[Ledger]) -> None:
    texts = [[code_text(verdict).decode() for verdict in ledger.verdicts] for ledger in ledgers]
    with write_to(_verdicts_beside(path)) as stream:
        stream.write(orjson.dumps(texts))


def _numbers(path: str, table: CodeTable) -> list[list[int]]:
    """For each evaluator, the run's code of each code of a part. Parts are asked for in order, so codes follow the rows."""
    with read_from(_verdicts_beside(path)) as stream:
        texts = orjson.loads(stream.read())
    return [[table.number(place, text.encode()) for text in column] for place, column in enumerate(texts)]


class JsonLines:
    """JSON lines: `{"row":2,"id":"a","given":"0a1b2c3d","codes":[0,3]}`."""

    def __init__(self, path: str, ledgers: Sequence[Ledger]) -> None:
        self._path = path
        self._stream = write_to(path)
        self._ledgers = ledgers

    def add(
        self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]], beside: RowFacts
    ) -> None:
        names = _quoted(ids) if ids is not None else ["null"] * len(offsets)
        said = [f'"id":{name},"given":"{given:08x}"' for name, given in zip(names, beside.given, strict=True)]
        if beside.clusters is not None:
            said = [f'{text},"cluster":{name}' for text, name in zip(said, _quoted(beside.clusters), strict=True)]
        if beside.slices:
            values = map(",".join, zip(*map(_quoted, beside.slices), strict=True))
            said = [f'{text},"slices":[{value}]' for text, value in zip(said, values, strict=True)]
        lines = [
            f"{offset}\t{' '.join(map(str, row))}\t{text}\n"
            for offset, row, text in zip(offsets, zip(*codes, strict=True), said, strict=True)
        ]
        self._stream.write("".join(lines).encode())

    def close(self) -> None:
        self._stream.close()
        _write_verdicts(self._path, self._ledgers)


def _join_lines(parts: Iterable[tuple[str, int]], table: CodeTable, target: Path) -> None:
    with write_to(str(target)) as whole:
        for path, first in parts:
            numbers = [[b"%d" % code for code in column] for column in _numbers(path, table)]
            with read_from(path) as part:
                for line in part:
                    offset, codes, rest = line[:-1].split(b"\t", 2)
                    number = first + int(offset)
                    if rest.startswith(b'"id":null'):
                        rest = b'"id":"%d"' % number + rest[len(b'"id":null') :]
                    said = b",".join([column[int(code)] for column, code in zip(numbers, codes.split(), strict=True)])
                    whole.write(b'{"row":%d,%b,"codes":[%b]}\n' % (number, rest, said))


class ParquetPart:
    """Parquet columns: `row`, `id`, `given`, `cluster`, a column of codes for each evaluator, and one for each slice."""

    def __init__(self, path: str, columns: RowColumns, ledgers: Sequence[Ledger]) -> None:
        self._arrow, _ = pyarrow()
        self._path = path
        self._columns = columns
        self._ledgers = ledgers
        self._batches: list[tuple[list[int], list[str | None], RowFacts]] = []
        self._codes: list[list[int]] = [[] for _ in ledgers]
        self._rows = 0
        self._writer: Any = None
        self._stream: BinaryIO

    def add(
        self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]], beside: RowFacts
    ) -> None:
        self._batches.append((list(offsets), list(ids) if ids is not None else [None] * len(offsets), beside))
        for mine, column in zip(self._codes, codes, strict=True):
            mine.extend(column)
        self._rows += len(offsets)
        if self._rows >= FLUSH_ROWS:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()
        self._stream.close()
        _write_verdicts(self._path, self._ledgers)

    def _flush(self) -> None:
        arrow, batches = self._arrow, self._batches
        columns = {
            "row": arrow.array([offset for offsets, _, _ in batches for offset in offsets], arrow.int64()),
            "id": _texts(arrow, [name for _, ids, _ in batches for name in ids]),
            "given": _texts(arrow, [f"{given:08x}" for _, _, beside in batches for given in beside.given]),
        }
        if self._columns.clustered:
            columns["cluster"] = _texts(arrow, [name for _, _, beside in batches for name in beside.clusters or ()])
        for place, name in enumerate(self._columns.slices):
            values = [value for _, _, beside in batches for value in beside.slices[place]]
            columns[f"slice {storable(name)}"] = _texts(arrow, values)
        for name, codes in zip(self._columns.evaluators, self._codes, strict=True):
            columns[f"code {storable(name)}"] = arrow.array(codes, arrow.int32())
        table = arrow.table(columns)
        if self._writer is None:
            self._stream = write_to(self._path)
            self._writer = arrow.ipc.new_file(self._stream, table.schema)
        self._writer.write_table(table)
        self._batches, self._rows = [], 0
        for codes in self._codes:
            codes.clear()


def _texts(arrow: Any, texts: Sequence[str | None]) -> Any:
    try:
        return arrow.array(texts, arrow.string())
    except UnicodeEncodeError:
        return arrow.array([text and storable(text) for text in texts], arrow.string())


def _join_parquet(parts: Iterable[tuple[str, int]], columns: RowColumns, codes: CodeTable, target: Path) -> None:
    """Row groups have the same rows wherever the parts were cut, so that the same rows make the same file."""
    arrow, parquet = pyarrow()
    writer, waiting = None, None
    try:
        for table in _numbered(arrow, parts, columns, codes):
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
    """Codes are written with a dictionary; numbers and ids hardly repeat."""
    repeating = [name for name in schema.names if name not in ("row", "id", "given")]
    return parquet.ParquetWriter(
        target, schema, compression="zstd", use_dictionary=repeating, write_statistics=False, store_schema=False
    )


def _numbered(arrow: Any, parts: Iterable[tuple[str, int]], columns: RowColumns, codes: CodeTable) -> Iterator[Any]:
    """The tables of all parts, with the numbers that a spreadsheet shows and the run's own codes."""
    for path, first in parts:
        run_codes = _numbers(path, codes)
        with _mapped(arrow, path) as file:
            table = arrow.ipc.open_file(file).read_all()
            numbers = arrow.compute.add(table.column("row"), first)
            ids = arrow.compute.coalesce(table.column("id"), numbers.cast(arrow.string()))
            table = table.set_column(0, "row", numbers).set_column(1, "id", ids)
            for name, own in zip(columns.evaluators, run_codes, strict=True):
                place = table.column_names.index(f"code {storable(name)}")
                mapped = arrow.array(own, arrow.int32()).take(table.column(place).combine_chunks())
                table = table.set_column(place, table.column_names[place], mapped)
            yield table


def _mapped(arrow: Any, place: str) -> Any:
    """A part for pyarrow: mapped into memory where it is on this machine."""
    path = store_of(place).path(place)
    return arrow.PythonFile(read_from(place), mode="r") if path is None else arrow.memory_map(path)


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


def storable(text: str) -> str:
    """The text, half surrogate pairs spelled out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _quoted(texts: Sequence[str]) -> list[str]:
    """Texts as JSON. Most need nothing but quotes, and one look at all of them tells."""
    together = "".join(texts)
    if together.isascii() and together.isprintable() and '"' not in together and "\\" not in together:
        return [f'"{text}"' for text in texts]
    return [orjson.dumps(storable(text)).decode() for text in texts]
