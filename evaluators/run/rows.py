"""One stored line per row: its id, checksums, and one code per evaluator, as JSON lines or as Parquet columns.

A worker writes its own part, with rows and codes numbered inside the split, and the verdicts that its codes stand for.
When all the splits before are known, the parts are joined in order: rows get the numbers that a spreadsheet shows, and
codes those of the run's own table.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path, PurePath
from typing import Any, BinaryIO, Literal, TypeAlias

import msgspec

from evaluators.issues import extra_hint, problem
from evaluators.run.codes import CodeTable, code_text
from evaluators.run.tally import Ledger
from evaluators.testsets.byte_store import inside, parent, read_from, write_to
from evaluators.value_class import dataclass

RowsFormat: TypeAlias = Literal["jsonl", "parquet"]
FLUSH_ROWS = 16_384
"""Rows that a part holds in memory before it writes them."""
GROUP_ROWS = 131_072
"""Rows in a row group of a Parquet file: encoding many at once is cheaper and smaller."""


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What is stored of rows beside their codes, so that two runs can be compared row by row."""

    given: Sequence[int]
    """A checksum of what each row gives, the outputs apart: the same in two runs of the same question."""
    clusters: Sequence[str] | None = None
    """What each row belongs to, where the suite clusters rows."""
    slices: Sequence[Sequence[str]] = ()
    """For each column that the suite slices by, the values of the rows."""


@dataclass(frozen=True, slots=True)
class RowColumns:
    """What rows are stored by: the evaluators, and the columns that the suite slices by."""

    evaluators: tuple[str, ...]
    slices: tuple[str, ...] = ()
    clustered: bool = False


def join_parts(kind: RowsFormat, parts: Iterable[tuple[str, int]], columns: RowColumns, target: Path, codes: Path) -> int:
    """One file of all parts, in order, and the table of its codes. Each part comes with the number of its first row.

    Returns how many rows the file has.
    """
    table = CodeTable(len(columns.evaluators))
    if kind == "jsonl":
        rows = _join_lines(parts, table, target)
    else:
        rows = _join_parquet(parts, columns, table, target)
    table.write(columns.evaluators, codes)
    return rows


def _verdicts_beside(place: str) -> str:
    return inside(parent(place), f"codes-{PurePath(place).name}")


def _verdict_bytes(ledgers: Sequence[Ledger]) -> bytes:
    return msgspec.json.encode([[code_text(verdict).decode() for verdict in ledger.verdicts] for ledger in ledgers])


def _numbers(path: str, table: CodeTable) -> list[list[int]]:
    """For each evaluator, the run's code of each code of a part. Parts are asked for in order, so codes follow the rows."""
    with read_from(_verdicts_beside(path)) as stream:
        texts = msgspec.json.decode(stream.read())
    return [[table.number(place, text.encode()) for text in column] for place, column in enumerate(texts)]


class RowWriter:
    """Writes one part: blocks of columns, with offsets and codes of the split's own, and the verdicts beside it."""

    def __init__(self, path: str, ledgers: Sequence[Ledger], open_file: Callable[[str], BinaryIO] = write_to) -> None:
        """`open_file` makes a stream that makes a file."""
        self._path = path
        self._open = open_file
        self._stream = open_file(path)
        self._ledgers = ledgers
        self._block = _Block.empty(len(ledgers))

    def add(
        self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]], beside: RowFacts
    ) -> None:
        """Some rows: their offsets, their ids, the codes of each evaluator, and what is stored beside them."""
        self._block.add(offsets, ids, codes, beside)
        if len(self._block.offsets) >= FLUSH_ROWS:
            self._flush()

    def close(self) -> None:
        """Writes what is left, and the verdicts of all codes."""
        self._flush()
        self._stream.close()
        with self._open(_verdicts_beside(self._path)) as stream:
            stream.write(_verdict_bytes(self._ledgers))

    def _flush(self) -> None:
        self._stream.write(self._block.line())
        self._block = _Block.empty(len(self._ledgers))


@dataclass(slots=True)
class _Block:
    """Some rows of a part, column by column."""

    offsets: list[int]
    ids: list[str | None]
    given: list[int]
    clusters: list[str]
    slices: list[list[str]]
    codes: list[list[int]]

    @classmethod
    def empty(cls, evaluators: int) -> _Block:
        """A block without rows."""
        return cls([], [], [], [], [], [[] for _ in range(evaluators)])

    def add(
        self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]], beside: RowFacts
    ) -> None:
        """More rows."""
        self.offsets.extend(offsets)
        self.ids.extend(ids if ids is not None else [None] * len(offsets))
        self.given.extend(beside.given)
        self.clusters.extend(beside.clusters or ())
        self.slices = self.slices or [[] for _ in beside.slices]
        for mine, values in zip(self.slices, beside.slices, strict=True):
            mine.extend(values)
        for column, numbers in zip(self.codes, codes, strict=True):
            column.extend(numbers)

    def line(self) -> bytes:
        """The block as one line."""
        try:
            return _dumped([self.offsets, self.ids, self.given, self.clusters, self.slices, self.codes])
        except UnicodeEncodeError:  # half of a surrogate pair
            ids, clusters = [name and storable(name) for name in self.ids], list(map(storable, self.clusters))
            slices = [list(map(storable, values)) for values in self.slices]
            return _dumped([self.offsets, ids, self.given, clusters, slices, self.codes])

    def names(self, first: int) -> list[str]:
        """The ids of the rows; the number of a row that has none."""
        return [
            str(first + offset) if name is None else name for name, offset in zip(self.ids, self.offsets, strict=True)
        ]


def _dumped(columns: list[Any]) -> bytes:
    return msgspec.json.encode(columns) + b"\n"


def _blocks(path: str) -> Iterator[_Block]:
    with read_from(path) as part:
        for line in part:
            yield _Block(*msgspec.json.decode(line))


def _join_lines(parts: Iterable[tuple[str, int]], table: CodeTable, target: Path) -> int:
    rows = 0
    with write_to(str(target)) as whole:
        for path, first in parts:
            numbers = _numbers(path, table)
            for block in _blocks(path):
                whole.write("".join(_lines(block, first, _CodesInWords(numbers))).encode())
                rows += len(block.offsets)
    return rows


def _lines(block: _Block, first: int, codes: _CodesInWords) -> list[str]:
    """The rows of a block, as JSON lines."""
    said = [
        f'"id":{name},"checksum":"{given:08x}"'
        for name, given in zip(_quoted(block.names(first)), block.given, strict=True)
    ]
    if block.clusters:
        said = [f'{text},"cluster":{name}' for text, name in zip(said, _quoted(block.clusters), strict=True)]
    if block.slices:
        values = map(",".join, zip(*map(_quoted, block.slices), strict=True))
        said = [f'{text},"slices":[{value}]' for text, value in zip(said, values, strict=True)]
    return [
        f'{{"row":{first + offset},{text},"codes":[{codes[row]}]}}\n'
        for offset, text, row in zip(block.offsets, said, zip(*block.codes, strict=True), strict=True)
    ]


class _CodesInWords(dict[tuple[int, ...], str]):
    """The codes of rows as they are written, by those of the part; most rows have codes that another one has, too."""

    def __init__(self, numbers: Sequence[Sequence[int]]) -> None:
        self._numbers = numbers

    def __missing__(self, codes: tuple[int, ...]) -> str:
        said = self[codes] = ",".join([str(own[code]) for own, code in zip(self._numbers, codes, strict=True)])
        return said


def _join_parquet(parts: Iterable[tuple[str, int]], columns: RowColumns, codes: CodeTable, target: Path) -> int:
    """Row groups have the same rows wherever the parts were cut, so that the same rows make the same file."""
    arrow, parquet = pyarrow()
    schema, rows = _schema(arrow, columns), 0
    with _parquet_writer(parquet, target, schema) as writer:
        waiting = arrow.Table.from_batches([], schema)
        for path, first in parts:
            numbers = _numbers(path, codes)
            for block in _blocks(path):
                waiting = arrow.concat_tables([waiting, _table(arrow, schema, block, first, numbers)])
                rows += len(block.offsets)
                while waiting.num_rows >= GROUP_ROWS:
                    writer.write_table(waiting.slice(0, GROUP_ROWS).combine_chunks())
                    waiting = waiting.slice(GROUP_ROWS)
        if waiting.num_rows:
            writer.write_table(waiting.combine_chunks())
    return rows


def _schema(arrow: Any, columns: RowColumns) -> Any:
    """Parquet columns: `row`, `id`, `checksum`, `cluster`, one for each slice, and the codes of each evaluator."""
    texts = ["id", "checksum", *(["cluster"] if columns.clustered else ())]
    texts += [f"slice {storable(name)}" for name in columns.slices]
    return arrow.schema(
        [
            ("row", arrow.int64()),
            *((name, arrow.string()) for name in texts),
            *((f"code {storable(name)}", arrow.int32()) for name in columns.evaluators),
        ]
    )


def _parquet_writer(parquet: Any, target: Path, schema: Any) -> Any:
    """Codes are written with a dictionary; numbers and ids hardly repeat."""
    repeating = [name for name in schema.names if name not in ("row", "id", "checksum")]
    return parquet.ParquetWriter(
        target, schema, compression="zstd", use_dictionary=repeating, write_statistics=False, store_schema=False
    )


def _table(arrow: Any, schema: Any, block: _Block, first: int, numbers: Sequence[Sequence[int]]) -> Any:
    """The rows of a block. Columns are handed over as bytes: pyarrow asks pandas what a list of Python's own is."""
    texts = [block.names(first), [f"{given:08x}" for given in block.given]]
    texts += [block.clusters] if "cluster" in schema.names else []
    texts += block.slices or [[] for name in schema.names if name.startswith("slice ")]
    return arrow.Table.from_arrays(
        [
            _whole_numbers(arrow, arrow.int64(), array("q", [first + offset for offset in block.offsets])),
            *(_texts(arrow, column) for column in texts),
            *(
                _whole_numbers(arrow, arrow.int32(), array("i", [own[code] for code in column]))
                for own, column in zip(numbers, block.codes, strict=True)
            ),
        ],
        schema=schema,
    )


def _whole_numbers(arrow: Any, kind: Any, numbers: array[int]) -> Any:
    return arrow.Array.from_buffers(kind, len(numbers), [None, arrow.py_buffer(numbers)])


def _texts(arrow: Any, texts: Sequence[str]) -> Any:
    packed = [text.encode() for text in texts]
    ends = array("i", accumulate(map(len, packed), initial=0))
    buffers = [None, arrow.py_buffer(ends), arrow.py_buffer(b"".join(packed))]
    return arrow.Array.from_buffers(arrow.string(), len(packed), buffers)


def pyarrow() -> tuple[Any, Any]:
    """pyarrow and its Parquet module, imported on first use. Raises Problems (config) when it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise problem(
            "missing-extra", "Parquet needs a package that is not installed", hint=extra_hint("parquet")
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
    return [msgspec.json.encode(storable(text)).decode() for text in texts]
