"""What the cells of columns say of the roles that they play: how alike two columns are, and which hold verdicts or names of models."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from evaluators.guide.json_in_cells import container_in
from evaluators.scoring.values.quoting import quote

_MOST_ROWS: Final = 40
_SHORT: Final = 60
_LONGEST_ID: Final = 60
_SHOWN: Final = 3
_OF_LABELS: Final = 0.5
_MANY: Final = 5
_NO_WORD: Final = re.compile(r"[^a-zA-Z]")
_NO_ID: Final = re.compile(r"[\s{\[]")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
_TRUTHS: Final = frozenset(["true", "false"])
_TRUTH_OF: Final = {"yes": "true", "no": "false"}
_DECISIONS: Final = frozenset(["accept", "reject", "ignore"])
_VERDICTS: Final = _TRUTHS | frozenset(
    ["yes", "no", "y", "n", "pass", "passed", "fail", "failed", "ok", "correct", "incorrect", "right", "wrong", "0", "1", "✓",
     "✗", "✅", "❌", "win", "lose", "loss", "tie", "good", "bad", "partial", "partially correct"]
)  # fmt: skip


def nonempty_cells(cells: Sequence[Any]) -> list[Any]:
    """The cells that have something in them, in their order."""
    return [cell for cell in cells if isinstance(cell, str | int | float | dict | list) and comparable_text(cell)]


def comparable_text(cell: Any) -> str:
    """A cell as it is compared here: without case and outer spaces, and 12.0 as 12."""
    text = str(cell).strip().casefold()
    try:
        return f"{float(text):g}" if len(text) < _SHORT and any(map(str.isdigit, text)) else text
    except ValueError:
        return text


def holds_truths(cells: Sequence[Any]) -> bool:
    """Whether every cell that is not empty is true or false; False for a column without any."""
    filled_cells = nonempty_cells(cells)
    return bool(filled_cells) and all(comparable_text(cell) in _TRUTHS for cell in filled_cells)


def holds_verdicts(cells: Sequence[Any]) -> bool:
    """Whether every cell may be a verdict: true or false, pass or fail, a number."""
    filled_cells = nonempty_cells(cells)
    return bool(filled_cells) and all(comparable_text(cell) in _VERDICTS or is_number(cell) for cell in filled_cells)


def holds_decisions(cells: Sequence[Any]) -> bool:
    """Whether every cell says that an annotation was accepted, rejected or ignored, as Prodigy writes it."""
    filled_cells = nonempty_cells(cells)
    return bool(filled_cells) and all(comparable_text(cell) in _DECISIONS for cell in filled_cells)


def holds_shares(cells: Sequence[Any]) -> bool:
    """Whether every cell that is not empty is a number from 0 to 1, and some are between."""
    values = [float(cell) if is_number(cell) else -1.0 for cell in nonempty_cells(cells)]
    return all(0 <= value <= 1 for value in values) and any(0 < value < 1 for value in values)


def columns_named_by_labels(cells: Mapping[str, Sequence[Any]]) -> list[str]:
    """The columns of numbers from 0 to 1 that are called like labels in another column; empty where fewer than two are."""
    shares = {comparable_text(name): name for name, column in cells.items() if holds_shares(column)}
    for name, column in cells.items() if len(shares) > 1 else ():
        values = set() if name in shares.values() else {*map(comparable_text, nonempty_cells(column))}
        labels = [share for label, share in shares.items() if label in values]
        if len(labels) > 1:
            return labels
    return []


def holds_numbers(cells: Sequence[Any]) -> bool:
    """Whether every cell that is not empty is a number; False for a column without any."""
    filled_cells = nonempty_cells(cells)
    return bool(filled_cells) and all(map(is_number, filled_cells))


def is_number(cell: Any) -> bool:
    """Whether a cell is a number, or its text."""
    try:
        float(cell if isinstance(cell, str | int | float) else "")
    except (ValueError, OverflowError):
        return False
    return not isinstance(cell, bool)


def begin_with_verdicts(cells: Sequence[Any]) -> bool:
    """Whether every cell begins with a verdict in brackets, as promptfoo writes outputs into a table."""
    filled_cells = nonempty_cells(cells)
    return bool(filled_cells) and all(str(cell).startswith(("[PASS]", "[FAIL]", "[ERROR]")) for cell in filled_cells)


def holds_names(cells: Sequence[Any]) -> bool:
    """Whether the cells look like names of something, rather than answers: a word each, or the same few again and again."""
    texts = [comparable_text(cell) for cell in nonempty_cells(cells)]
    if holds_containers(cells) or holds_numbers(cells):
        return False
    return all(len(text) <= _SHORT for text in texts) and (
        2 * len({*texts}) <= len(texts) or not any(" " in text for text in texts)
    )


def holds_times(cells: Sequence[Any]) -> bool:
    """Whether every cell is a date with a time of the day."""
    filled_cells = nonempty_cells(cells)
    return bool(filled_cells) and all(_TIME.fullmatch(str(cell)) for cell in filled_cells)


def holds_containers(cells: Sequence[Any]) -> bool:
    """Whether most cells hold a JSON object or list."""
    given = nonempty_cells(cells)[:_MOST_ROWS]
    return bool(given) and 2 * sum(container_in(cell) is not None for cell in given) > len(given)


def holds_json_alone(cells: Sequence[Any]) -> bool:
    """Whether most cells are JSON from their beginning on, or in a fence: a text that goes before it may be anything."""
    filled_cells = nonempty_cells(cells)
    return 2 * sum(
        not isinstance(cell, str) or cell.lstrip().startswith(("{", "[", "```")) for cell in filled_cells
    ) > len(filled_cells)


def could_be_ids(cells: Sequence[Any], *, named: bool) -> bool:
    """Whether the cells could be ids: short, without spaces or JSON, and all different.

    Where the column's name does not say that it has ids (`named`), a few plain words are not enough, and numbers with decimals are amounts.
    """
    texts = [str(cell) for cell in cells if isinstance(cell, str | int) and not isinstance(cell, bool)]
    short = all(0 < len(text) <= _LONGEST_ID and not _NO_ID.search(text) for text in texts)
    unlike = len(texts) == len(cells) > 1 and len({*texts}) == len(texts) and not holds_times(cells)
    seems = named or (
        (len(texts) >= _MANY or any(_NO_WORD.search(text) for text in texts))
        and not (holds_numbers(cells) and any("." in text for text in texts))
    )
    return short and unlike and seems


def shown_cells(cells: Sequence[Any]) -> str:
    """The first three different cells in words, as samples of a column in a question."""
    texts = dict.fromkeys(quote(cell, 40) for cell in nonempty_cells(cells))
    return ", ".join([*texts][:_SHOWN]) or "all cells are empty"


def likeness(outputs: Sequence[Any], expected: Sequence[Any]) -> float:
    """How much the cells of one column are drawn from the same values as those of another, 0 to 1.

    Texts that only share words count half: an answer shares words with its question, too.
    """
    return max(
        share_equal(outputs, expected),
        _mean_likeness(outputs, expected, _trait_overlap) * (0.5 if _are_mostly_texts(outputs) else 1.0),
    )


def share_equal(outputs: Sequence[Any], expected: Sequence[Any]) -> float:
    """The share of rows that hold the same in both columns, or, where the expected values are labels and it is larger, the share of outputs
    that are one of these labels; 0 to 1."""
    equal = _mean_likeness(outputs, expected, _equality)
    labels, output_labels = ([comparable_text(cell) for cell in nonempty_cells(cells)] for cells in (expected, outputs))
    if not output_labels or holds_containers(expected) or len({*labels}) > _OF_LABELS * len(labels):
        return equal
    return max(equal, sum(text in {*labels} for text in output_labels) / len(output_labels))


def share_of_same_digits(outputs: Sequence[Any], expected: Sequence[Any]) -> float:
    """The share of rows that have the same digits in both columns, 0 to 1; other characters, and zeros at the end, do not count."""
    return _mean_likeness(outputs, expected, lambda a, b: float(_digits(a) == _digits(b) != ""))


def _digits(cell: Any) -> str:
    """The digits of a cell in a row, without zeros at the end."""
    return "".join(re.findall(r"\d", str(cell))).rstrip("0")


def surely_alike(cells: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether cells alone show that two columns answer the same question: JSON of the same keys, or short answers that agree."""
    if holds_containers(cells) and holds_containers(other):
        return (
            holds_json_alone(cells) and holds_json_alone(other) and _mean_likeness(cells, other, _trait_overlap) >= _KEYS
        )
    lengths = sorted(len(str(cell)) for cell in nonempty_cells(other))
    short = bool(lengths) and lengths[len(lengths) // 2] <= _SHORT
    return short and _mean_likeness(cells, other, _equality) >= _AGREE


_KEYS: Final = 0.3
_AGREE: Final = 0.5


def _are_mostly_texts(cells: Sequence[Any]) -> bool:
    """Whether most cells hold no JSON object or list."""
    return not holds_containers(cells)


def _mean_likeness(cells: Sequence[Any], other: Sequence[Any], alike: Callable[[Any, Any], float]) -> float:
    """The mean of `alike` over the first rows in which a cell of the two columns is filled; 0 where there are none."""
    rows = [(a, b) for a, b in zip(cells, other, strict=False) if nonempty_cells([a, b])][:_MOST_ROWS]
    return sum(alike(a, b) for a, b in rows) / len(rows) if rows else 0.0


def _equality(a: Any, b: Any) -> float:
    """1 where cells hold the same, else 0. A list beside a single value holds the same where the value is in it."""
    if isinstance(a, list) != isinstance(b, list):
        answers, one = (a, b) if isinstance(a, list) else (b, a)
        return float(comparable_text(one) in {*map(comparable_text, answers)})
    ours, theirs = comparable_text(a), comparable_text(b)
    return float(_TRUTH_OF.get(ours, ours) == _TRUTH_OF.get(theirs, theirs))


def _trait_overlap(a: Any, b: Any) -> float:
    """The share of the traits of two cells that both have, 0 to 1: of their keys, or of their words."""
    ours, theirs = _traits(a), _traits(b)
    return len(ours & theirs) / len(ours | theirs) if ours and theirs else 0.0


def _traits(cell: Any) -> set[str]:
    """The keys of a cell's object, or of the first object in its list; else the words of its text."""
    container = container_in(cell)
    value = cell if container is None else container
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, dict)), value)
    if isinstance(value, dict):
        return {f"key {key}" for key in value}
    return set(re.findall(r"\w+", str(value).casefold())) if isinstance(value, str | int | float | list) else set()
