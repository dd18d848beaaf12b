"""Outputs of another shape than the expected documents: they hold the document deeper inside, as in `{"model": "m", "result": {…}}`, or
an object in place of each value, as in `{"total": {"value": 30, "confidence": 0.9}}`, or are no JSON, or have none of its keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.guide.column_cells import comparable_text
from evaluators.guide.column_names import words_of
from evaluators.guide.json_in_cells import container_in, object_in
from evaluators.guide.proposal_counts import is_aligned
from evaluators.scoring.fields.inference.suggested_lines import SeenPlace, SuggestedLine
from evaluators.scoring.fields.key_spelling import KeySpelling, Respelt, keys_in
from evaluators.scoring.fields.reshaping import Reshaping, Reshapings
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.path_text import ANY, Step, display
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.python_lists import python_value
from evaluators.scoring.values.quoting import first_texts, flow_text
from evaluators.scoring.values.transforms import parse_transform

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


def value_below(cell: Any, steps: Sequence[str]) -> Any:
    """The value below these keys of the object in a cell; the cell itself where there is none."""
    value: Any = object_in(cell)
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    return cell if value is None else value


def path_text(steps: Sequence[Step]) -> str:
    """The text of a path, as suites write it."""
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


class KeysSpeltOtherwise(Struct, frozen=True):
    """Outputs whose keys differ from the expected ones in spelling alone: the setting that sets that aside, and a key of each side."""

    setting: dict[str, str]
    own: str
    expected: str

    def respelt_rows(self, rows: Sequence[tuple[Any, Any]], lines: Sequence[SuggestedLine]) -> list[tuple[Any, Any]]:
        """The rows of an expected document and an output cell, with the expected keys in the outputs."""
        return [
            (document, output if respelt is None else respelt.document)
            for document, output, respelt in _respelt_rows(rows, lines, self.setting)
        ]

    @property
    def note(self) -> str:
        """The sentence that says how the outputs spell their keys, and which setting reads them."""
        return (
            f'the outputs spell keys otherwise, such as "{self.own}" for "{self.expected}": `keys: {flow_text(self.setting)}` reads them '
            "as the same; without that line, no such field is right"
        )


def keys_spelt_otherwise(rows: Sequence[tuple[Any, Any]], lines: Sequence[SuggestedLine]) -> KeysSpeltOtherwise | None:
    """The setting for keys that most outputs need, as their keys differ from those of the fields of `lines` in spelling alone; None where
    they do not. Of two settings that read as many keys, it is the one that forgives less."""
    best: KeysSpeltOtherwise | None = None
    most = 0
    for setting in _SPELLINGS:
        outputs = [
            output for *_, output in _respelt_rows(rows[:_ROWS], lines, setting) if output is not None and output.own
        ]
        renamed = dict.fromkeys(pair for output in outputs for names in output.own.values() for pair in names.items())
        if 2 * len(outputs) >= len(rows[:_ROWS]) and len(renamed) > most:
            expected, own = next(iter(renamed))
            best, most = KeysSpeltOtherwise(setting, own, expected), len(renamed)
    return best


_SPELLINGS: Final = ({"case": "ignore"}, {"style": "any"})


def _respelt_rows(
    rows: Sequence[tuple[Any, Any]], lines: Sequence[SuggestedLine], setting: Mapping[str, str]
) -> list[tuple[Any, Any, Respelt | None]]:
    """The rows, each with its output as it is read under a setting for keys; None for an output that holds no JSON."""
    known, spelling = keys_in(Path(line.steps) for line in lines), KeySpelling.model_validate(setting)
    held = [(document, output, container_in(output)) for document, output in rows]
    return [
        (document, output, None if inner is None else spelling.respell(known, inner, document))
        for document, output, inner in held
    ]


class ValuesInObjects(Struct, frozen=True):
    """Outputs that have an object in place of each value: the key of the value in it, and that of how sure the output is of it, if any."""

    key: str
    confidence: str | None
    sure_places: frozenset[tuple[Step, ...]]
    """The keys that lead to the objects which have a confidence."""

    def rows_of_values(self, rows: Sequence[tuple[Any, Any]], lines: Sequence[SuggestedLine]) -> list[tuple[Any, Any]]:
        """The rows of an expected document and an output cell, with the values of the fields in the outputs in place of their objects."""
        take = (parse_transform(self.transform),)
        objects = Reshapings(
            tuple(Reshaping(Path(line.steps), take) for line in sorted(lines, key=lambda line: len(line.steps)))
        )
        return [
            (document, output if (held := container_in(output)) is None else objects.of_output(held)[0])
            for document, output in rows
        ]

    def lines_of_objects(self, wanted: SeenPlace, given: SeenPlace, above: tuple[Step, ...] = ()) -> list[SuggestedLine]:
        """A line for each object of the expected documents that is itself in an object of the outputs, below a place of both."""
        lines: list[SuggestedLine] = []
        for key, inner in wanted.keys.items():
            other, steps = given.keys.get(key, SeenPlace()), (*above, key)
            held = other.keys.get(self.key, SeenPlace())
            if inner.keys.keys() & held.keys.keys() and not inner.keys.keys() & other.keys.keys():
                lines.append(
                    SuggestedLine(steps, {"transforms": [self.transform]}, "an object, which stands in one more object")
                )
                other = held
            lines += self.lines_of_objects(inner, other, steps)
        return lines

    def line_for_outputs(self, line: SuggestedLine) -> SuggestedLine:
        """The line of a field as it is written for these outputs: with the place of its confidence, or with the transform of the key that
        pairs the items of a list. A field inside a list has no confidence, and neither has one that is skipped."""
        if is_aligned(line):
            keyed = line.compare["align"].get("key_field") if isinstance(line.compare["align"], dict) else None
            by_key = {"key_field": {**keyed, "transforms": [self.transform]}} if keyed else line.compare["align"]
            return replace(line, compare={**line.compare, "align": by_key})
        if self.confidence is None or line.steps not in self.sure_places or line.compare == "skip":
            return line
        known = (
            line.compare if isinstance(line.compare, dict) and "compare" in line.compare else {"compare": line.compare}
        )
        return replace(line, compare={**known, "confidence": path_text((*line.steps, self.confidence))})

    @property
    def transform(self) -> dict[str, Any]:
        """The transform that takes the values out, as a suite writes it."""
        return {"value_of": {"key": self.key}}

    @property
    def note(self) -> str:
        """The sentence that says what the outputs look like, and what of them is compared."""
        beside = f', and how sure they are of it under "{self.confidence}"' if self.confidence is not None else ""
        return (
            f'the outputs have an object in place of each value, with the value under "{self.key}"{beside}, so that is compared: '
            f"`transforms: [{flow_text(self.transform)}]`"
        )


def values_in_objects(rows: Sequence[tuple[Any, Any]]) -> ValuesInObjects | None:
    """The key under which outputs have most values that are expected, where they have objects in place of these; None where they have not.

    `rows` are an expected document and an output cell each. In a quarter of the places the value under the key is the expected one, or the
    key is called `value`.
    """
    pairs = [pair for document, output in rows[:_ROWS] for pair in _values_beside(document, container_in(output), ())]
    objects = [(value, given) for _, value, given in pairs if isinstance(given, dict)]
    if not objects or 2 * len(objects) <= len(pairs):
        return None
    held = Counter(key for _, given in objects for key, inner in given.items() if not isinstance(inner, dict | list))
    right = Counter(
        key
        for value, given in objects
        for key, inner in given.items()
        if comparable_text(inner) == comparable_text(value)
    )
    key = max(held, key=right.__getitem__, default="")
    if 2 * held[_VALUE] > len(objects) and 2 * right[_VALUE] >= right[key]:  # another key may be right by chance
        key = _VALUE
    if 2 * held[key] <= len(objects) or (4 * right[key] < len(objects) and key != _VALUE):
        return None
    shares = (other for other in held if all(_is_share(given[other]) for _, given in objects if other in given))
    confidence = next((other for other in shares if _CONFIDENCES.intersection(words_of(other))), None)
    sure = {place for place, _, given in pairs if ANY not in place and isinstance(given, dict) and confidence in given}
    return ValuesInObjects(key, confidence, frozenset(sure))


def _values_beside(expected: Any, given: Any, above: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], Any, Any]]:
    """(steps, value, given) for each single value of an expected document, in its order: the steps to it, and what an output has in its
    place. The items of lists go by their order."""
    if isinstance(expected, dict) and isinstance(given, dict):
        for key in expected:
            if key in given:
                yield from _values_beside(expected[key], given[key], (*above, key))
    elif isinstance(expected, list) and isinstance(given, list):
        for item, other in zip(expected, given, strict=False):
            yield from _values_beside(item, other, (*above, ANY))
    elif expected is not None and given is not None and not isinstance(expected, dict | list):
        yield above, expected, given


def _is_share(value: Any) -> bool:
    """Whether a value may be a confidence: a number from 0 to 1, or null."""
    return value is None or (isinstance(value, int | float) and 0 <= value <= 1)


_VALUE: Final = "value"
_CONFIDENCES: Final = frozenset(["confidence", "conf", "probability", "prob", "score", "certainty"])


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
        {key: None for container in side for key in _keys_of_objects(container)} for side in zip(*containers, strict=True)
    )
    if not expected or not output_keys or expected.keys() & output_keys.keys():
        return None
    theirs, ours = (first_texts([f'"{key}"' for key in side], _SHOWN) for side in (output_keys, expected))
    return f"the outputs have the keys {theirs}, and the expected answers {ours}: as no key is in both, no field can be right"


def _keys_of_objects(value: Any) -> list[str]:
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
