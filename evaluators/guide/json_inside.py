"""Fields whose text is JSON itself, as the arguments of function calls are: `{"name": "weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}`.

They are read (`transforms: [json]`) and compared value by value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from evaluators.guide.json_in_cells import container_in
from evaluators.scoring.fields.inference.suggested_lines import SuggestedLine
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.path_text import ANY, Step

_DEEPEST: Final = 12
_Steps = tuple[Step, ...]


def text_places(rows: Sequence[tuple[Any, Any]]) -> list[_Steps]:
    """The paths at which the texts of one side are JSON objects or lists, and the other side has such texts, or objects and lists. `rows`
    are an expected document and an output cell each; an output that lacks the place says nothing."""
    expected = [document for document, _ in rows]
    outputs = [container_in(output) for _, output in rows]
    wanted, given = _values_by_place(expected), _values_by_place(outputs)
    return [
        steps
        for steps in dict.fromkeys([*wanted, *given])
        if steps
        and steps in wanted
        and any(map(_parsed_container, [*wanted[steps], *given.get(steps, ())]))
        and all(
            _parsed_container(value) or isinstance(value, dict | list)
            for value in [*wanted[steps], *given.get(steps, ())]
        )
    ]


def read_inside(value: Any, places: Sequence[_Steps], above: _Steps = ()) -> Any:
    """The document with the texts at these places read as JSON; a text that is none stays. `above` is the path to `value` in the
    document."""
    if isinstance(value, str):
        return _parsed_container(value) or value if above in places else value
    if isinstance(value, dict):
        return {key: read_inside(inner, places, (*above, key)) for key, inner in value.items()}
    return [read_inside(item, places, (*above, ANY)) for item in value] if isinstance(value, list) else value


def lines_of_texts(places: Sequence[_Steps]) -> list[SuggestedLine]:
    """A line for each of these places, which reads the text there as JSON."""
    return [
        SuggestedLine(steps, {"transforms": ["json"]}, "text that is JSON itself, and is read as such")
        for steps in places
    ]


def _values_by_place(documents: Sequence[Any]) -> dict[_Steps, list[Any]]:
    """The values below keys of all documents, by their paths; items of lists share a path. Null is no value."""
    places: dict[_Steps, list[Any]] = {}
    for document in documents:
        for steps, value in _values_with_paths(document, ()):
            places.setdefault(steps, []).append(value)
    return places


def _values_with_paths(value: Any, above: _Steps) -> Iterator[tuple[_Steps, Any]]:
    """The values below keys of a document, each with its path, the value of a key before what is in it; items of lists share a path."""
    if above and above[-1] is not ANY and value is not None:
        yield above, value
    if len(above) >= _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _values_with_paths(inner, (*above, key))
    elif isinstance(value, list):
        for item in value:
            yield from _values_with_paths(item, (*above, ANY))


def _parsed_container(value: Any) -> Any:
    """The object or list that a text is as JSON and nothing else; None where it is none."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return None
    try:
        read = parse(value)
    except NotJSON:
        return None
    return read if isinstance(read, dict | list) and read else None
