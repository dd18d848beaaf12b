"""One stored line per row: its id, checksums, and one code per evaluator, as JSON lines or as Parquet columns.

A worker writes blocks of columns, with rows and codes numbered inside the split, and the verdicts that its codes stand for.
When all the splits before are known, blocks are joined in order: rows get the numbers that a spreadsheet shows, and codes
those of the run's own table.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate, repeat
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from evaluators.issues import encodable, extra_hint, problem
from evaluators.run.record_lines import RowLine, code_line, code_text
from evaluators.run.tally import Ledger
from evaluators.testsets.byte_store import write_to

RowsFormat: TypeAlias = Literal["jsonl", "parquet"]
FLUSH_ROWS = 16_384
"""Rows that a split holds in memory before it writes them."""
GROUP_ROWS = 131_072
"""Rows in a row group of a Parquet file: encoding many at once is cheaper and smaller."""


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

    def line(self) -> bytes:
        """The block as one line."""
        try:
            return msgspec.json.encode(self)
        except UnicodeEncodeError:  # half of a surrogate pair
            self.ids, self.clusters = [name and encodable(name) for name in self.ids], list(map(encodable, self.clusters))
            self.slices = [list(map(encodable, values)) for values in self.slices]
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
        self._block = self._empty()

    def add(
        self,
        offsets: Sequence[int],
        ids: Sequence[str] | None,
        codes: Sequence[list[int]],
        given: Sequence[int],
        clusters: Sequence[str] = (),
        slices: Sequence[Sequence[str]] = (),
    ) -> None:
        """Some rows: their offsets, their ids, the codes of each evaluator, and what is stored beside them.

        `given` are checksums of what each row gives, the outputs apart: the same in two runs of the same question. `clusters` say what
        each row belongs to, and `slices` are the values of the rows, for each column that the suite slices by.
        """
        block = self._block
        block.offsets.extend(offsets)
        block.ids.extend(ids if ids is not None else [None] * len(offsets))
        block.given.extend(given)
        block.clusters.extend(clusters)
        block.slices = block.slices or [[] for _ in slices]
        for values, more in zip(block.slices, slices, strict=True):
            values.extend(more)
        for column, numbers in zip(block.codes, codes, strict=True):
            column.extend(numbers)
        if len(block.offsets) >= FLUSH_ROWS:
            self.flush()

    def flush(self) -> None:
        """Writes the rows that were added."""
        new = [ledger.verdicts[said:] for ledger, said in zip(self._ledgers, self._said, strict=True)]
        self._block.verdicts = [[code_text(verdict).decode() for verdict in column] for column in new]
        self._said = [len(ledger.verdicts) for ledger in self._ledgers]
        self._write(self._block.line())
        self._block = self._empty()

    def _empty(self) -> RowBlock:
        return RowBlock([], [], [], [], [], [[] for _ in self._ledgers], [])


class JoinedRows:
    """The rows of all splits in one file, and the table of their codes. Blocks come in the order of rows."""

    def __init__(
        self,
        kind: RowsFormat,
        target: Path,
        evaluators: Sequence[str],
        slices: Sequence[str] = (),
        clustered: bool = False,
    ) -> None:
        """`slices` are the columns that the suite slices by."""
        self.rows = 0
        self._evaluators = evaluators
        self._codes: list[dict[str, int]] = [{} for _ in evaluators]
        self._file = _JsonRows(target) if kind == "jsonl" else _ParquetRows(target, evaluators, slices, clustered)
        self._numbers: list[list[int]] = []

    def begin(self) -> None:
        """The next blocks are those of another split."""
        self._numbers = [[] for _ in self._evaluators]

    def add(self, line: bytes, first: int) -> None:
        """The rows of a block. `first` is the number of the first row of its split. Raises ValueError for what is no block."""
        block = msgspec.json.decode(line, type=RowBlock)
        for own, known, verdicts in zip(self._numbers, self._codes, block.verdicts, strict=True):
            own += [known.setdefault(verdict, len(known)) for verdict in verdicts]
        self._file.add(block, first, self._numbers)
        self.rows += len(block.offsets)

    def close(self, codes: Path) -> None:
        """Makes both files whole."""
        self._file.close()
        with write_to(str(codes)) as stream:
            for name, known in zip(self._evaluators, self._codes, strict=True):
                stream.writelines(code_line(name, code, text.encode()) + b"\n" for text, code in known.items())


class _JsonRows:
    """The rows as JSON lines."""

    def __init__(self, target: Path) -> None:
        self._whole = write_to(str(target))

    def add(self, block: RowBlock, first: int, numbers: Sequence[Sequence[int]]) -> None:
        count = len(block.offsets)
        columns = zip(
            block.offsets,
            block.names(first),
            block.given,
            block.clusters or repeat(None, count),
            zip(*block.slices, strict=True) if block.slices else repeat((), count),
            zip(*map(_renumbered, block.codes, numbers), strict=True),
            strict=True,
        )
        lines = (
            RowLine(
                row=first + offset,
                id=name,
                checksum=f"{given:08x}",
                cluster=cluster,
                slices=list(values),
                codes=list(own),
            )
            for offset, name, given, cluster, values, own in columns
        )
        self._whole.write(_ENCODER.encode_lines(lines))

    def close(self) -> None:
        self._whole.close()


_ENCODER: Final = msgspec.json.Encoder()


def _renumbered(codes: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """Codes of a split as those of the run's own table."""
    return [numbers[code] for code in codes]


class _ParquetRows:
    """The rows as Parquet. Row groups have the same rows wherever the splits were cut, so that the same rows make the same file."""

    def __init__(self, target: Path, evaluators: Sequence[str], slices: Sequence[str], clustered: bool) -> None:
        self._arrow, parquet = pyarrow()
        self._schema = _schema(self._arrow, evaluators, slices, clustered)
        # codes are written with a dictionary; numbers and ids hardly repeat
        repeating = [name for name in self._schema.names if name not in ("row", "id", "checksum")]
        self._writer = parquet.ParquetWriter(
            target, self._schema, compression="zstd", use_dictionary=repeating, write_statistics=False, store_schema=False
        )
        self._waiting = self._arrow.Table.from_batches([], self._schema)

    def add(self, block: RowBlock, first: int, numbers: Sequence[Sequence[int]]) -> None:
        arrow, names = self._arrow, self._schema.names
        texts = [block.names(first), [f"{given:08x}" for given in block.given]]
        texts += [block.clusters] if "cluster" in names else []
        texts += block.slices or [[] for name in names if name.startswith("slice ")]
        columns = [_whole_numbers(arrow, arrow.int64(), array("q", [first + offset for offset in block.offsets]))]
        columns += [_texts(arrow, column) for column in texts]
        columns += [
            _whole_numbers(arrow, arrow.int32(), array("i", _renumbered(column, own)))
            for own, column in zip(numbers, block.codes, strict=True)
        ]
        self._waiting = arrow.concat_tables([self._waiting, arrow.Table.from_arrays(columns, schema=self._schema)])
        while self._waiting.num_rows >= GROUP_ROWS:
            self._writer.write_table(self._waiting.slice(0, GROUP_ROWS).combine_chunks())
            self._waiting = self._waiting.slice(GROUP_ROWS)

    def close(self) -> None:
        if self._waiting.num_rows:
            self._writer.write_table(self._waiting.combine_chunks())
        self._writer.close()


def _schema(arrow: Any, evaluators: Sequence[str], slices: Sequence[str], clustered: bool) -> Any:
    """Parquet columns: `row`, `id`, `checksum`, `cluster`, one for each slice, and the codes of each evaluator."""
    texts = ["id", "checksum", *(["cluster"] if clustered else ())]
    texts += [f"slice {encodable(name)}" for name in slices]
    return arrow.schema(
        [
            ("row", arrow.int64()),
            *((name, arrow.string()) for name in texts),
            *((f"code {encodable(name)}", arrow.int32()) for name in evaluators),
        ]
    )


def _whole_numbers(arrow: Any, kind: Any, numbers: array[int]) -> Any:
    """A column, handed over as bytes: pyarrow asks pandas what a list of Python's own is."""
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
