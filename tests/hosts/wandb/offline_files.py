"""What a run of Weights & Biases that worked offline left in its folder: `run-ID.wandb` and the files beside it."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from wandb.proto.wandb_internal_pb2 import Record

_HEADER: Final = 7
_BLOCK: Final = 32768
_WHOLE, _LAST = 1, 4


@dataclass(slots=True)
class OfflineRun:
    """One run as its file has it."""

    id: str = ""
    project: str = ""
    name: str = ""
    host: str = ""
    entity: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    artifacts: dict[str, dict[str, Path]] = field(default_factory=dict)
    """By name; the files in each by their names, and where they are kept until they are sent."""
    exit_code: int | None = None


def read_run(folder: Path) -> OfflineRun:
    """The run in a folder `offline-run-…`."""
    (file,) = folder.glob("*.wandb")
    found = OfflineRun()
    for record in _records(file.read_bytes()):
        match record.WhichOneof("record_type"):
            case "run":
                found.id, found.project, found.name = record.run.run_id, record.run.project, record.run.display_name
                found.host, found.entity = record.run.host, record.run.entity
                _put(found.config, record.run.config.update)
            case "config":
                _put(found.config, record.config.update)
            case "summary":
                _put(found.summary, record.summary.update)
            case "history":
                found.history.append({})
                _put(found.history[-1], record.history.item)
            case "artifact":
                contents = record.artifact.manifest.contents
                found.artifacts[record.artifact.name] = {one.path: Path(one.local_path) for one in contents}
            case "exit":
                found.exit_code = record.exit.exit_code
    return found


def read_table(folder: Path, shown: dict[str, Any]) -> list[dict[str, Any]]:
    """A table that the history or the summary of a run shows, a map for each row."""
    table = json.loads((folder / "files" / shown["path"]).read_text(encoding="utf-8"))
    return [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]


def _records(data: bytes) -> Iterator[Record]:
    """The records of a log in blocks of 32 KiB: each part has a checksum, its length, and whether it is the last one."""
    assert data.startswith(b":W&B")
    place, parts = _HEADER, b""
    while place + 7 <= len(data):
        left = _BLOCK - place % _BLOCK
        if left < 7:
            place += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, place)
        parts += data[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (_WHOLE, _LAST):
            record = Record()
            record.ParseFromString(parts)
            parts = b""
            yield record


def _put(into: dict[str, Any], items: Any) -> None:
    for item in items:
        *above, last = item.nested_key or [item.key]
        inner = into
        for key in above:
            inner = inner.setdefault(key, {})
        inner[last] = json.loads(item.value_json)
