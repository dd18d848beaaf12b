"""A file system of fsspec whose files are bytes in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import fsspec
import pytest
from fsspec import AbstractFileSystem

from evaluators.scoring.values.addresses import PACKAGES
from evaluators.testsets import remote_files


class InMemory(AbstractFileSystem):  # type: ignore[misc]  # fsspec has no types
    """Files that are bytes in memory. `asked` has the places that were opened, in order; what begins with `refused` is not taken."""

    protocol = "mem"
    held: ClassVar[dict[str, bytes]] = {}
    asked: ClassVar[list[str]] = []
    refused: ClassVar[str] = ""

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        if path in self.held:
            return {"name": path, "type": "file", "size": len(self.held[path])}
        if self.find(path):
            return {"name": path, "type": "directory", "size": 0}
        raise FileNotFoundError(path)

    def find(self, path: str, **_: Any) -> list[str]:
        return [file for file in sorted(self.held) if file.startswith(f"{path.rstrip('/')}/")]

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        self.asked.append(path)
        return self.held[path][start:end]

    def put_file(self, lpath: str, rpath: str, **_: Any) -> None:
        if self.refused and rpath.startswith(self.refused):
            raise PermissionError(f"not allowed: {rpath}")
        self.held[rpath] = Path(lpath).read_bytes()

    def rm_file(self, path: str) -> None:
        self.held.pop(path, None)


def memory_store(monkeypatch: pytest.MonkeyPatch) -> type[InMemory]:
    """A store for `mem://`, known for one test, and empty."""
    monkeypatch.setitem(PACKAGES, "mem", "fsspec")
    fsspec.register_implementation("mem", InMemory, clobber=True)
    monkeypatch.setattr(remote_files, "_FETCHED", {})
    for name, empty in (("held", {}), ("asked", []), ("refused", "")):
        monkeypatch.setattr(InMemory, name, empty)
    return InMemory
