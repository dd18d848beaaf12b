"""Outputs of another shape than the expected documents: they hold the document deeper inside, as in `{"model": "m", "result": {…}}`, or
are no JSON, or have none of its keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from evaluators.guide.json_in_cells import container_in, object_in
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.path_text import Step, display
from evaluators.scoring.values.python_lists import python_value
from evaluators.scoring.values.quoting import first_texts

_DEEPEST: Final = 3
_ROWS: Final = 40
_MOST: Final = 0.5
"""The share of the keys of expected documents that outputs have where the document is."""


def document_path(outputs: Sequence[Any], expected: Sequence[Any]) -> tuple[str, ...]:
    """The keys below which outputs have those of the expected objects; empty where they have some at the top, or nowhere.

    Outputs are cells, expected answers are JSON. In most rows the document has to stand there.
    """
    pairs = [
        (output, {*answer})
        for cell, answer in zip(outputs, expected, strict=True)
        if isinstance(answer, Mapping) and answer and (output := object_in(cell))
    ][:_ROWS]
    if not pairs or any(keys & {*output} for output, keys in pairs):
        return ()
    counts: dict[tuple[str, ...], int] = {}
    for output, keys in pairs:
        for steps, inner in _objects_below(output, ()):
            if len(keys & {*inner}) >= _MOST * len(keys):
                counts[steps] = counts.get(steps, 0) + 1
    best = max(counts, key=counts.__getitem__, default=())
    return best if 2 * counts.get(best, 0) > len(pairs) else ()


def at_path(cell: Any, steps: Sequence[str]) -> Any:
    """The value at a path in the object of a cell; the cell where there is none."""
    value: Any = object_in(cell)
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    return cell if value is None else value


def written(steps: Sequence[Step]) -> str:
    """The path as suites write it."""
    return display(tuple(steps))


def _objects_below(
    value: Mapping[str, Any], above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """The objects below the keys of an object, each with its path and before what is in it. Lists are not entered, and depth has a
    limit."""
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            yield (*above, key), inner
            if len(above) + 1 < _DEEPEST:
                yield from _objects_below(inner, (*above, key))


def shape_note(rows: Sequence[tuple[Any, Any]]) -> str | None:
    """Why no output can be right, where it is their shape; None where some can. `rows` are an expected document and an output cell each."""
    rows = [(document, output) for document, output in rows if document and output not in (None, "")][:_ROWS]
    containers = [(document, container_in(output)) for document, output in rows]
    if not containers:
        return None
    if all(value is None for _, value in containers):
        texts = [output for _, output in rows if isinstance(output, str)]
        written = next((words for holds, words in _WRITTEN_AS if texts and all(map(holds, texts))), "they are texts")
        return f"no output holds a JSON object or list ({written}), so no field can be right"
    expected, output_keys = (
        {key: None for container in side for key in _keys(container)} for side in zip(*containers, strict=True)
    )
    if not expected or not output_keys or expected.keys() & output_keys.keys():
        return None
    theirs, ours = (first_texts([f'"{key}"' for key in side], _SHOWN) for side in (output_keys, expected))
    return f"the outputs have the keys {theirs}, and the expected answers {ours}: as no key is in both, no field can be right"


def _keys(value: Any) -> list[str]:
    """The keys of an object, or of the objects in a list."""
    items = value if isinstance(value, list) else [value]
    return [key for item in items if isinstance(item, Mapping) for key in item]


def is_quoted_json(text: str) -> bool:
    """Whether a text is JSON that was written as JSON once more: `"{\\"a\\": 1}"`."""
    try:
        return isinstance(inner := parse(text), str) and isinstance(parse(inner), dict | list)
    except NotJSON:
        return False


_WRITTEN_AS: Final = (
    (is_quoted_json, "they are JSON in quotes, written as JSON twice: write them once"),
    (
        lambda text: isinstance(python_value(text), dict | list),
        "they are as Python prints them: write them with json.dumps",
    ),
)
_SHOWN: Final = 4
