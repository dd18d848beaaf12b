"""A store whose files are bytes in memory."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO, ClassVar

from evaluators.testsets.byte_store import ByteStore, Kind


class InMemory(ByteStore):
    """Files that are bytes in memory. `asked` has the places that were opened, in order; what begins with `refused` is not taken."""

    held: ClassVar[dict[str, bytes]] = {}
    asked: ClassVar[list[str]] = []
    refused: ClassVar[str] = ""

    def open(self, place: str, start: int = 0) -> BinaryIO:
        if place not in self.held:
            raise FileNotFoundError(place)
        self.asked.append(place)
        stream = BytesIO(self.held[place])
        stream.seek(start)
        return stream

    def size(self, place: str) -> int:
        return len(self.held[place])

    def kind(self, place: str) -> Kind | None:
        if place in self.held:
            return "file"
        return "folder" if any(file.startswith(f"{place.rstrip('/')}/") for file in self.held) else None

    def below(self, folder: str) -> Iterator[str]:
        top = f"{folder.rstrip('/')}/"
        return (file.removeprefix(top) for file in sorted(self.held) if file.startswith(top))

    def write(self, place: str) -> BinaryIO:
        if self.refused and place.startswith(self.refused):
            raise PermissionError(f"not allowed: {place}")
        return _Written(self.held, place)

    def remove(self, place: str) -> None:
        self.held.pop(place, None)


class _Written(BytesIO):
    def __init__(self, held: dict[str, bytes], place: str) -> None:
        super().__init__()
        self._held, self._place = held, place

    def close(self) -> None:
        if not self.closed:
            self._held[self._place] = self.getvalue()
        super().close()
