"""The differences of two documents in words, by deepdiff. They explain a score and never decide it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

MOST = 20  # differences that are put into words for one row
TOO_DEEP = "the documents are nested too deeply for their differences to be put into words"


class Differences(Mapping[str, object]):
    """The details of a score, `{"differences": …}`, put into words when somebody looks: few of the rows explained are."""

    def __init__(self, expected: Any, output: Any) -> None:
        self._documents = expected, output

    @cached_property
    def _details(self) -> dict[str, object]:
        found = in_words(*self._documents)
        return {"differences": found} if found else {}

    def __getitem__(self, key: str) -> object:
        return self._details[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._details)

    def __len__(self) -> int:
        return len(self._details)

    def __repr__(self) -> str:
        return repr(self._details)


def in_words(expected: Any, output: Any) -> tuple[str, ...]:
    """What differs between two documents, one sentence each, in the order of their places. At most `MOST`."""
    from deepdiff import DeepDiff

    try:
        found = DeepDiff(expected, output, verbose_level=2, ignore_numeric_type_changes=True, threshold_to_diff_deeper=0)
    except RecursionError:
        return (TOO_DEEP,)
    sentences = [line for line in str(found.pretty()).splitlines() if line]
    if len(sentences) > MOST:
        return (*sentences[:MOST], f"and {len(sentences) - MOST} more")
    return tuple(sentences)
