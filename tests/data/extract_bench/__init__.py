"""The ExtractBench data set, packed: `unpack` lays it out as its page does, `files` reads it without a folder.

`dataset/{domain}/{schema}/*-schema.json` and `dataset/{domain}/{schema}/pdf+gold/*.gold.json` are the published files. The
README beside this file says what the other folders hold.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path

PACKED = Path(__file__).with_name("extract_bench.tar.xz")
MADE = ("case_upper", "drop_items", "identity", "markdown_fenced", "mixed", "null_any", "num_5pct", "reorder_arrays")
"""The kinds of outputs, each a folder under `outputs/`."""
SCHEMAS = ("academic/research", "finance/10kq", "finance/credit_agreement", "hiring/resume", "sport/swimming")


def unpack(folder: Path, *beginnings: str) -> Path:
    """Write the files whose paths begin with one of `beginnings`, or all, and give the folder."""
    with tarfile.open(PACKED) as packed:
        packed.extractall(folder, [one for one in packed if _wanted(one.name, beginnings)], filter="data")
    return folder


def files(*beginnings: str) -> Iterator[tuple[str, bytes]]:
    """The paths and the bytes of those files, sorted by path."""
    found: dict[str, bytes] = {}
    with tarfile.open(PACKED) as packed:
        for one in packed:
            stream = packed.extractfile(one) if _wanted(one.name, beginnings) else None
            if stream is not None:
                found[one.name] = stream.read()
    yield from sorted(found.items())


def _wanted(path: str, beginnings: tuple[str, ...]) -> bool:
    return not beginnings or path.startswith(beginnings)
