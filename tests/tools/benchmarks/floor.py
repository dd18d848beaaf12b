"""`python -m tests.tools.benchmarks.floor FILE`: the least that scoring a file can cost on one core.

Reads the file a piece at a time with the fastest reader known for its format and parses both JSON columns of each row
with msgspec, the fastest full parser known. Nothing is compared and nothing is kept. An output that does not parse as it
stands is tried once more from its first `{` to its last `}`. Prints how many rows there were and how many outputs parsed.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

BLOCK_BYTES: Final = 128 * 1024
GROUP_ROWS: Final = 200

Pair = tuple[str | bytes, str | bytes]


class Line(msgspec.Struct):
    """The two columns of a JSON line."""

    output: str
    expected: str


def json_lines(path: Path) -> Iterator[Iterable[Pair]]:
    """(output, expected) of each row, block by block."""
    decode = msgspec.json.Decoder(Line).decode_lines
    with open(path, "rb") as stream:
        while block := stream.read(BLOCK_BYTES):
            yield [(line.output, line.expected) for line in decode(block + stream.readline())]


def comma_separated(path: Path) -> Iterator[Iterable[Pair]]:
    """(output, expected) of each row, block by block."""
    import pyarrow
    from pyarrow import csv

    kinds = {"output": pyarrow.binary(), "expected": pyarrow.binary()}
    batches = csv.open_csv(
        path,
        csv.ReadOptions(use_threads=False, block_size=2 * BLOCK_BYTES),
        csv.ParseOptions(newlines_in_values=True),
        csv.ConvertOptions(column_types=kinds, include_columns=list(kinds)),
    )
    yield from _pairs(batches)


def parquet(path: Path) -> Iterator[Iterable[Pair]]:
    """(output, expected) of each row, batch by batch."""
    import pyarrow
    from pyarrow import parquet

    kinds = pyarrow.schema([("output", pyarrow.binary()), ("expected", pyarrow.binary())])
    with parquet.ParquetFile(path, pre_buffer=False) as file:
        for group in range(file.num_row_groups):
            batches = file.iter_batches(GROUP_ROWS, [group], ["output", "expected"], use_threads=False)
            yield from _pairs(batch.cast(kinds) for batch in batches)


def _pairs(batches: Iterable[Any]) -> Iterator[Iterable[Pair]]:
    for batch in batches:
        outputs, expected = batch.column("output").to_pylist(), batch.column("expected").to_pylist()
        yield zip(outputs, expected, strict=True)


READERS: Final = {".jsonl": json_lines, ".csv": comma_separated, ".parquet": parquet}


def floor(path: Path) -> tuple[int, int]:
    """How many rows there are, and how many outputs parse."""
    parse = msgspec.json.Decoder().decode
    rows = parsed = 0
    for pairs in READERS[path.suffix](path):
        for output, expected in pairs:
            rows += 1
            parse(expected)
            try:
                parse(output)
            except msgspec.DecodeError:
                parsed += _inside(parse, output)
            else:
                parsed += 1
    return rows, parsed


def _inside(parse: Any, text: Any) -> int:
    first, last = ("{", "}") if isinstance(text, str) else (b"{", b"}")
    try:
        parse(text[text.find(first) : text.rfind(last) + 1])
    except msgspec.DecodeError:
        return 0
    return 1


def main() -> None:
    """Counts the rows of the file that is named."""
    gc.disable()
    rows, parsed = floor(Path(sys.argv[1]))
    print(f"{rows} rows, {parsed} outputs parsed")


if __name__ == "__main__":
    main()
