"""Answers that stand in a spreadsheet as people write them: a column for each field, called like the key that outputs have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from evaluators.guide.json_in_cells import object_in
from evaluators.model.rows import MISSING
from evaluators.scoring.fields.inference.suggested_lines import SuggestedLine
from evaluators.scoring.values.numbers import Parse, reader
from evaluators.scoring.values.path_text import BadPath, display
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.paths import parse as parse_path
from evaluators.scoring.values.quoting import first_texts, quote
from evaluators.testsets.columns import folded_name

_ANSWER_WORDS: Final = frozenset(
    ("gold", "golden", "expected", "true", "truth", "correct", "right", "reference", "actual", "wanted", "annotated")
)
"""Words beside the name of a field that say whose value it is."""
_SEVERAL: Final = 2
_SHOWN: Final = 3


def field_columns(keys: Sequence[str], header: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """The column of each field, where columns are called like the keys of outputs: all of them, or two and at least half.

    A column that says of itself that it holds answers, `total_gold`, comes before one of the plain name. `taken` play another role.
    Keys and fields are paths in dots.
    """
    plain: dict[str, str] = {}
    answers: dict[str, str] = {}
    for column in header:
        words = _folded_name(column).split("_")
        rest = [word for word in words if word not in _ANSWER_WORDS]
        if column in taken or not column:
            continue
        plain.setdefault(_folded_name(column), column)
        if rest and len(rest) < len(words):
            answers.setdefault("_".join(rest), column)
    columns: dict[str, str] = {}
    for key in keys:
        names = [
            name for name in (_folded_name(key), _folded_name(key.rpartition(".")[2])) if name in answers or name in plain
        ]
        if names and (column := answers.get(names[0]) or plain[names[0]]) not in columns.values():
            columns[key] = column
    enough = len(columns) == len(keys) or (len(columns) >= _SEVERAL and 2 * len(columns) >= len(keys))
    return columns if enough else {}


def _folded_name(name: str) -> str:
    """A name in the form in which columns and keys are compared, with dots as spaces."""
    return folded_name(name.replace(".", " "))


def output_keys(cells: Iterable[Any]) -> list[str]:
    """The paths of the values that outputs hold below keys, in the order of their appearance; none where few hold an object."""
    leaves: dict[str, None] = {}
    texts = [cell for cell in cells if cell is not MISSING and cell is not None and cell != ""]
    objects = [object_ for object_ in map(object_in, texts) if object_ is not None]
    if 2 * len(objects) < len(texts):
        return []
    for object_ in objects:
        leaves |= dict.fromkeys(_leaf_paths(object_, ()))
    return list(leaves)


def with_readers_of_outputs(lines: Sequence[SuggestedLine], rows: Sequence[tuple[Any, Any]]) -> list[SuggestedLine]:
    """The lines of fields, where answers are texts and the outputs have numbers, or true and false, with a comparator that reads them.

    `rows` are an expected document and an output cell each.
    """
    documents = [document for document, _ in rows]
    outputs = [dict(object_in(cell) or {}) for _, cell in rows]
    return [_with_reader_of_outputs(line, documents, outputs) or line for line in lines]


def _with_reader_of_outputs(
    line: SuggestedLine, documents: Sequence[Any], outputs: Sequence[Any]
) -> SuggestedLine | None:
    """The line with a comparator that reads the texts of the answers as what the outputs have: true and false, or numbers. None for any
    other line, and where some text cannot be read so."""
    if not all(isinstance(step, str) for step in line.steps):
        return None
    path = Path(line.steps)
    texts = [text for document in documents if (text := path.get(document)) is not MISSING]
    values = (path.get(output) for output in outputs)
    kinds = {value.__class__ for value in values if value is not MISSING and value is not None}
    plain = list(dict.fromkeys(text.strip().casefold() for text in texts if isinstance(text, str)))
    if not texts or not kinds or not all(isinstance(text, str) for text in texts):
        return None
    shown = first_texts([quote(text) for text in plain], _SHOWN)
    if kinds == {bool} and all(text in BOOLEAN_WORDS for text in plain):
        words = {word: [text for text in plain if BOOLEAN_WORDS[text] == word] or [word] for word in ("true", "false")}
        why = f"true and false in the outputs, {shown} in the answers"
        return replace(line, compare={"boolean": {"words": words}}, why=why)
    read = reader(Parse())
    if kinds <= {int, float} and "numeric" not in str(line.compare) and all(read(text) is not None for text in plain):
        return replace(
            line, compare={"numeric": {"parse": True}}, why=f"numbers in the outputs, text in the answers: {shown}"
        )
    return None


BOOLEAN_WORDS: Final = dict.fromkeys(
    ("true", "yes", "y", "1", "x", "ja", "wahr", "si", "sí", "oui"), "true"
) | dict.fromkeys(("false", "no", "n", "0", "nein", "falsch", "non"), "false")


def holds_objects(cells: Iterable[Any]) -> bool:
    """Whether some of the cells hold a JSON object."""
    return any(object_in(cell) is not None for cell in cells)


def _leaf_paths(value: Mapping[str, Any], above: tuple[str, ...]) -> Iterable[str]:
    """The paths of the values below the keys of an object. Empty objects count as values, and a plain key at the top stays as it is."""
    for key, inner in value.items():
        if isinstance(inner, Mapping) and inner:
            yield from _leaf_paths(inner, (*above, key))
        else:
            yield key if not above and _is_plain(key) else display((*above, key))


def _is_plain(key: str) -> bool:
    """Whether a key is its own path: it has no dot, bracket or the like that a path would read in another way."""
    try:
        return parse_path(key).steps == (key,)
    except BadPath:
        return False
