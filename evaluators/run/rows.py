"""One stored line per row: its id, checksums, and one code per evaluator, as JSON lines or as Parquet columns.

A worker writes blocks of columns, with rows and codes numbered inside the split, and the verdicts that its codes stand for.
When all the splits before are known, blocks are joined in order: rows get the numbers that a spreadsheet shows, and codes
those of the run's own table.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from evaluators.issues import extra_hint, problem
from evaluators.run.codes import CodeTable, code_text
from evaluators.run.tally import Ledger
from evaluators.testsets.byte_store import write_to

RowsFormat: TypeAlias = Literal["jsonl", "parquet"]
FLUSH_ROWS = 16_384
"""Rows that a split holds in memory before it writes them."""
GROUP_ROWS = 131_072
"""Rows in a row group of a Parquet file: encoding many at once is cheaper and smaller."""


class RowFacts(Struct, frozen=True):
    """What is stored of rows beside their codes, so that two runs can be compared row by row."""

    given: Sequence[int]
    """A checksum of what each row gives, the outputs apart: the same in two runs of the same question."""
    clusters: Sequence[str] | None = None
    """What each row belongs to, where the suite clusters rows."""
    slices: Sequence[Sequence[str]] = ()
    """For each column that the suite slices by, the values of the rows."""


class RowColumns(Struct, frozen=True):
    """What rows are stored by: the evaluators, and the columns that the suite slices by."""

    evaluators: tuple[str, ...]
    slices: tuple[str, ...] = ()
    clustered: bool = False


class RowBlock(Struct, array_like=True, forbid_unknown_fields=True):
    """Some rows of a split, column by column."""

    offsets: list[int]
    ids: list[str | None]
    given: list[int]
    clusters: list[str]
    slices: list[list[str]]
    codes: list[list[int]]
    """By evaluator."""
    verdicts: list[list[str]]
    """By evaluator, what the codes stand for that no earlier block of the split has, as lines of the table of codes."""

    @classmethod
    def empty(cls, evaluators: int) -> RowBlock:
        """A block without rows."""
        return cls([], [], [], [], [], [[] for _ in range(evaluators)], [])

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
            return msgspec.json.encode(self)
        except UnicodeEncodeError:  # half of a surrogate pair
            self.ids, self.clusters = [name and storable(name) for name in self.ids], list(map(storable, self.clusters))
            self.slices = [list(map(storable, values)) for values in self.slices]
            return msgspec.json.encode(self)

    def names(self, first: int) -> list[str]:
        """The ids of the rows; the number of a row that has none."""
        return [
            str(first + offset) if name is None else name for name, offset in zip(self.ids, self.offsets, strict=True)
        ]


class RowWriter:
    """Writes the rows of one split in blocks."""

    def __init__(self, write: Callable[[bytes], object], ledgers: Sequence[Ledger]) -> None:
        """`write` is given each block as a line."""
        self._write = write
        self._ledgers = ledgers
        self._said = [0] * len(ledgers)  # verdicts that earlier blocks have
        self._block = RowBlock.empty(len(ledgers))

    def add(
        self, offsets: Sequence[int], ids: Sequence[str] | None, codes: Sequence[list[int]], beside: RowFacts
    ) -> None:
        """Some rows: their offsets, their ids, the codes of each evaluator, and what is stored beside them."""
        self._block.add(offsets, ids, codes, beside)
        if len(self._block.offsets) >= FLUSH_ROWS:
            self.flush()

    def flush(self) -> None:
        """Writes the rows that were added."""
        new = [ledger.verdicts[said:] for ledger, said in zip(self._ledgers, self._said, strict=True)]
        self._block.verdicts = [[code_text(verdict).decode() for verdict in column] for column in new]
        self._said = [len(ledger.verdicts) for ledger in self._ledgers]
        self._write(self._block.line())
        self._block = RowBlock.empty(len(self._ledgers))


class JoinedRows:
    """The rows of all splits in one file, and the table of their codes. Blocks come in the order of rows."""

    def __init__(self, kind: RowsFormat, columns: RowColumns, target: Path) -> None:
        self.rows = 0
        self._columns = columns
        self._table = CodeTable(len(columns.evaluators))
        self._file = _JsonRows(target) if kind == "jsonl" else _ParquetRows(columns, target)
        self._numbers: list[list[int]] = []
        self._words = _CodesInWords(self._numbers)

    def begin(self) -> None:
        """The next blocks are those of another split."""
        self._numbers = [[] for _ in self._columns.evaluators]
        self._words = _CodesInWords(self._numbers)

    def add(self, line: bytes, first: int) -> None:
        """The rows of a block. `first` is the number of the first row of its split. Raises ValueError for what is no block."""
        block = msgspec.json.decode(line, type=RowBlock)
        for place, (own, verdicts) in enumerate(zip(self._numbers, block.verdicts, strict=True)):
            own += [self._table.number(place, verdict.encode()) for verdict in verdicts]
        self._file.add(block, first, self._numbers, self._words)
        self.rows += len(block.offsets)

    def close(self, codes: Path) -> None:
        """Makes both files whole."""
        self._file.close()
        self._table.write(self._columns.evaluators, codes)


class _JsonRows:
    """The rows as JSON lines."""

    def __init__(self, target: Path) -> None:
        self._whole = write_to(str(target))

    def add(self, block: RowBlock, first: int, numbers: Sequence[Sequence[int]], words: _CodesInWords) -> None:
        self._whole.write("".join(_lines(block, first, words)).encode())

    def close(self) -> None:
        self._whole.close()


def _lines(block: RowBlock, first: int, codes: _CodesInWords) -> list[str]:
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
    """The codes of rows as they are written, by those of the split; most rows have codes that another one has, too."""

    def __init__(self, numbers: Sequence[Sequence[int]]) -> None:
        self._numbers = numbers

    def __missing__(self, codes: tuple[int, ...]) -> str:
        said = self[codes] = ",".join([str(own[code]) for own, code in zip(self._numbers, codes, strict=True)])
        return said


class _ParquetRows:
    """The rows as Parquet. Row groups have the same rows wherever the splits were cut, so that the same rows make the same file."""

    def __init__(self, columns: RowColumns, target: Path) -> None:
        self._arrow, parquet = pyarrow()
        self._schema = _schema(self._arrow, columns)
        self._writer = _parquet_writer(parquet, target, self._schema)
        self._waiting = self._arrow.Table.from_batches([], self._schema)

    def add(self, block: RowBlock, first: int, numbers: Sequence[Sequence[int]], words: _CodesInWords) -> None:
        more = _table(self._arrow, self._schema, block, first, numbers)
        self._waiting = self._arrow.concat_tables([self._waiting, more])
        while self._waiting.num_rows >= GROUP_ROWS:
            self._writer.write_table(self._waiting.slice(0, GROUP_ROWS).combine_chunks())
            self._waiting = self._waiting.slice(GROUP_ROWS)

    def close(self) -> None:
        if self._waiting.num_rows:
            self._writer.write_table(self._waiting.combine_chunks())
        self._writer.close()


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


def _table(arrow: Any, schema: Any, block: RowBlock, first: int, numbers: Sequence[Sequence[int]]) -> Any:
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
