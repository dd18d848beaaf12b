"""The differences of two documents in words, by deepdiff. They explain a score and never decide it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from evaluators.values.paths import display
from evaluators.values.quoting import quote

MOST = 20  # differences that are put into words for one row
_NOTHING = "not present"  # how deepdiff writes a side that has no value
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
        found = DeepDiff(expected, output, view="tree", ignore_numeric_type_changes=True, threshold_to_diff_deeper=0)
        levels = [level for kind in found.values() for level in kind]
    except RecursionError:
        return (TOO_DEEP,)
    placed = sorted((display(tuple(level.path(output_format="list"))), level.t1, level.t2) for level in levels)
    sentences = [_sentence(place, one, other) for place, one, other in placed[:MOST]]
    return (*sentences, f"and {len(placed) - MOST} more") if len(placed) > MOST else tuple(sentences)


def _sentence(place: str, expected: Any, output: Any) -> str:
    where = place or "the whole document"
    if repr(output) == _NOTHING:
        return f"{where}: {quote(expected)} is missing"
    if repr(expected) == _NOTHING:
        return f"{where}: {quote(output)} is only in the output"
    return f"{where}: {quote(output)} in place of {quote(expected)}"
