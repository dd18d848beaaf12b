"""How much work reading JSON is, in characters."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from evaluators.scoring.values import json_documents, json_reader, json_text
from evaluators.scoring.values.json_text import NotJSON


def counted_reading(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many characters both readers look at, a number for each time that one of them is asked."""
    work: list[int] = []
    read, decode = json_reader.read, json_text.fast_decode

    def counted_read(text: str, start: int = 0, depth: int = json_reader.MAX_DEPTH) -> json_reader.ReadValue:
        try:
            reading = read(text, start, depth)
        except NotJSON as problem:
            work.append((problem.position or 0) - start)
            raise
        work.append(reading.end - start)
        return reading

    def counted_decode(text: str | bytes | memoryview) -> Any:
        try:
            value = decode(text)
        except msgspec.DecodeError as error:
            place = str(error).rpartition("byte ")[2].rstrip(")")
            work.append(int(place) if place.isdigit() else len(text))
            raise
        work.append(len(text))
        return value

    for module in (json_text, json_documents):
        monkeypatch.setattr(module, "read", counted_read)
    monkeypatch.setattr(json_text, "fast_decode", counted_decode)
    return work
