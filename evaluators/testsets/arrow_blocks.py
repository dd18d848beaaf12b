"""Blocks of CSV parsed by pyarrow, wherever its answer is certain to be that of the standard library's parser.

A block is parsed with one more row behind it that no file holds. Should it not come back, the block ended inside a quoted
cell. pyarrow reads a blank line as a row of empty cells, so a block in which every column has an empty cell is left to
the other parser; so are ragged rows and bytes that are not UTF-8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec

_END = "\x00the block ends here\x00"


@cache
def available() -> bool:
    """Whether pyarrow is installed; does not import it."""
    return find_spec("pyarrow") is not None


def parser(
    header: Sequence[str], wanted: Sequence[str], delimiter: str
) -> Callable[[bytes], dict[str, list[str]] | None]:
    """A function from a block of whole rows to the wanted columns, or to None when the block has anything unusual."""
    import pyarrow
    from pyarrow import csv

    names = [str(place) for place in range(len(header))]
    places = {name: str(header.index(name)) for name in wanted}
    parse_options = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=False)
    convert_options = csv.ConvertOptions(
        column_types={place: pyarrow.string() for place in places.values()},
        include_columns=list(places.values()),
        null_values=[],
        strings_can_be_null=False,
    )
    last_row = delimiter.join([_END] * len(header)).encode() + b"\n"

    def parse(block: bytes) -> dict[str, list[str]] | None:
        data = block + last_row if block.endswith(b"\n") else block + b"\n" + last_row
        read_options = csv.ReadOptions(column_names=names, use_threads=False, block_size=len(data) + 1)
        try:
            table = csv.read_csv(pyarrow.BufferReader(data), read_options, parse_options, convert_options)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowCancelled):
            # a signal ends what pyarrow is doing, and is passed on: whoever takes it decides whether rows are still read
            return None
        columns = {name: table.column(place).to_pylist() for name, place in places.items()}
        if any(cells.pop() != _END for cells in columns.values()) or all("" in cells for cells in columns.values()):
            return None
        return columns

    return parse
