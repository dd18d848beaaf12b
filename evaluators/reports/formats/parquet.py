"""Every row with one code for each evaluator, as Parquet columns: `rows.parquet`. What the codes stand for is in `codes.jsonl`."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Any, Final, TextIO

from evaluators.model.issues import encodable, extra_hint, problem
from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.runs.reader import Run
from evaluators.runs.record_lines import RowLine

GROUP_ROWS: Final = 131_072
"""Rows in a row group of the file: encoding many at once is cheaper and smaller."""


class Parquet(Format):
    """`row`, `id`, `checksum`, `cluster`, and a column for each slice and for the codes of each evaluator."""

    suffixes = (".parquet",)
    file = "rows.parquet"
    each = "variant"

    def check(self) -> None:
        """Raises Problems (config) where pyarrow is not installed."""
        _pyarrow()

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes the rows of the variant that the options name; the same rows give the same bytes."""
        arrow, parquet = _pyarrow()
        rows = run.row_lines(options.variant, run.verdicts(options.variant))
        schema = _schema(arrow, run)
        # codes are written with a dictionary; numbers and ids hardly repeat
        repeating = [name for name in schema.names if name not in ("row", "id", "checksum")]
        with parquet.ParquetWriter(
            stream.buffer,
            schema,
            compression="zstd",
            use_dictionary=repeating,
            write_statistics=False,
            store_schema=False,
        ) as writer:
            while group := list(islice(rows, GROUP_ROWS)):
                writer.write_table(arrow.Table.from_arrays(list(_columns(arrow, group, schema)), schema=schema))


def _schema(arrow: Any, run: Run) -> Any:
    """The Arrow schema of a run's rows: row, id, checksum, cluster where there is one, slices, and a code for each evaluator. `arrow` is
    the module pyarrow."""
    facts = run.facts
    texts = ["id", "checksum", *(["cluster"] if facts.layout.clustered else ())]
    texts += [f"slice {encodable(name)}" for name in facts.slices]
    codes = [f"code {encodable(evaluator.name)}" for evaluator in facts.evaluators]
    return arrow.schema(
        [
            ("row", arrow.int64()),
            *((name, arrow.string()) for name in texts),
            *((name, arrow.int32()) for name in codes),
        ]
    )


def _columns(arrow: Any, rows: Sequence[RowLine], schema: Any) -> Iterator[Any]:
    """The columns of some rows, at least one, as Arrow arrays in the order of the schema. `arrow` is the module pyarrow."""
    yield _whole_numbers(arrow, arrow.int64(), array("q", [row.row for row in rows]))
    yield _texts(arrow, [row.id for row in rows])
    yield _texts(arrow, [row.checksum or "" for row in rows])
    if "cluster" in schema.names:
        yield _texts(arrow, [row.cluster or "" for row in rows])
    for place in range(len(rows[0].slices)):
        yield _texts(arrow, [row.slices[place] for row in rows])
    for place in range(len(rows[0].codes)):
        yield _whole_numbers(arrow, arrow.int32(), array("i", [row.codes[place] for row in rows]))


def _whole_numbers(arrow: Any, kind: Any, numbers: array[int]) -> Any:
    """A column of whole numbers as an Arrow array, made from their bytes: to read a list, pyarrow would import pandas."""
    return arrow.Array.from_buffers(kind, len(numbers), [None, arrow.py_buffer(numbers)])


def _texts(arrow: Any, texts: Sequence[str]) -> Any:
    """Texts as an Arrow array, made from their bytes and the place at which each ends, for the reason of `_whole_numbers`."""
    packed = [text.encode() for text in texts]
    ends = array("i", accumulate(map(len, packed), initial=0))
    buffers = [None, arrow.py_buffer(ends), arrow.py_buffer(b"".join(packed))]
    return arrow.Array.from_buffers(arrow.string(), len(packed), buffers)


def _pyarrow() -> tuple[Any, Any]:
    """pyarrow and its Parquet module, imported on first use. Raises Problems (config) when it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        message = "Parquet needs a package that is not installed"
        raise problem("missing-extra", message, hint=extra_hint("parquet")) from None
    return pyarrow, pyarrow.parquet
