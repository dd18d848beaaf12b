"""Random shapes of documents, documents that have them, and outputs that are right, nearly right, or something else."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

KEYS: Final = ("name", "total", "id", "a", "b", "items", "A", "a.b", "two words", "é")
TYPES: Final = ("string", "string", "number", "integer", "boolean")
OF_TYPE: Final[dict[str, list[Any]]] = {
    "string": ["", "x", "X", "Ana", "ana", "Ána ", "Ana Maria", "maria ana", "12", "12.0", "1,200", "true", "no", "n/a",
               "2024-01-31", "31.01.2024", "https://a.b/c?x=1", "http://www.a.b/c/", "abcdefgh", "abcdefgx"],
    "number": [0, 1, 1.0, 2, 1.04, 1.05, -3.5, 12, 0.1, 1e22, 100.0004],
    "integer": [0, 1, 2, 3, 12, 30, 10**20],
    "boolean": [True, False],
    "null": [None],
}  # fmt: skip
ODD: Final[list[Any]] = [
    None, "", "junk", 0, 7.5, True, {}, [], {"a": 1}, {"name": None}, {"q": {"r": [1, {}]}}, [1, [2]], [[]], [None],
    [{"a": 1}, {"a": 1}], [{}], {"a": []}, {"items": [{"id": 1}]},
]  # fmt: skip


@dataclass
class Shape:
    """One place of a document: `kind` is leaf, object, array, choice, anything or recursive."""

    kind: str
    types: tuple[str, ...] = ("string",)
    keys: dict[str, Shape] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    others: Shape | bool | None = None
    """The shape of further keys; a boolean allows or forbids them."""
    items: Shape | None = None
    branches: tuple[Shape, ...] = ()
    words: tuple[Any, ...] = ()
    """The values that a leaf may have; others are rare."""


class Documents:
    """Draws shapes and documents."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # Shapes

    def document_shape(self) -> Shape:
        """The shape of a whole document: mostly an object, sometimes a list."""
        if self.chance(0.08):
            return Shape("array", items=self.shape(1, True))
        return self.object_shape(0)

    def object_shape(self, depth: int, in_list: bool = False) -> Shape:
        names = self.random.sample(KEYS, self.random.randint(1, 3 if depth else 5))
        keys = {name: self.shape(depth + 1, in_list) for name in names}
        others: Shape | bool | None = None
        if self.chance(0.15):
            others = self.shape(4, True) if self.chance(0.5) else self.chance(0.5)
        required = tuple(name for name in names if self.chance(0.4)) if self.chance(0.4) else ()
        return Shape("object", keys=keys, required=required, others=others)

    def shape(self, depth: int, in_list: bool = False) -> Shape:
        """A shape that refers to itself stands outside of lists: runs of other schemas never ended when answers were frozen."""
        drawn = self.random.random()
        if depth > 3 or drawn < (0.5 if depth < 3 else 0.7):
            return self.leaf_shape()
        if drawn < 0.67:
            return self.object_shape(depth, in_list)
        if drawn < 0.9:
            items = self.object_shape(depth + 1, True) if self.chance(0.55) else self.shape(depth + 1, True)
            return Shape("array", items=items)
        if drawn < 0.95:
            return Shape("choice", branches=(self.shape(depth + 1, in_list), self.shape(depth + 1, in_list)))
        return Shape("recursive") if drawn < 0.98 and not in_list else Shape("anything")

    def leaf_shape(self) -> Shape:
        kind = self.random.choice(TYPES)
        types = (
            (kind, "null") if self.chance(0.2) else (kind, self.random.choice(TYPES)) if self.chance(0.06) else (kind,)
        )
        words = tuple(self.random.sample(OF_TYPE["string"], 3)) if kind == "string" and self.chance(0.15) else ()
        return Shape("leaf", types=tuple(dict.fromkeys(types)), words=words)

    # Documents

    def value(self, shape: Shape, depth: int = 0) -> Any:
        """A value that mostly has the shape."""
        if self.chance(0.03):
            return deepcopy(self.random.choice(ODD))
        match shape.kind:
            case "object":
                return self.object_value(shape, depth)
            case "array":
                assert shape.items is not None
                count = self.random.choice([0, 1, 2, 2, 3, 4] if depth < 2 else [0, 1, 1, 2])
                return [self.value(shape.items, depth + 1) for _ in range(count)]
            case "choice":
                return self.value(self.random.choice(shape.branches), depth)
            case "recursive":
                found: dict[str, Any] = {"name": self.random.choice("xyz")}
                if depth < 4 and self.chance(0.7):
                    found["parts"] = [self.value(shape, depth + 1) for _ in range(self.random.choice([0, 1, 2]))]
                return found | {"next": self.value(shape, depth + 1)} if depth < 4 and self.chance(0.5) else found
            case "anything":
                return deepcopy(self.random.choice(ODD))
        if shape.words and self.chance(0.8):
            return self.random.choice(shape.words)
        return self.random.choice(OF_TYPE[self.random.choice(shape.types)])

    def object_value(self, shape: Shape, depth: int) -> dict[str, Any]:
        found = {key: self.value(inner, depth + 1) for key, inner in shape.keys.items() if not self.chance(0.12)}
        if isinstance(shape.others, Shape) and self.chance(0.7):
            found |= {key: self.value(shape.others, depth + 1) for key in self.random.sample(("q", "w", "z"), 2)}
        elif self.chance(0.08):
            found[self.random.choice(("q", "w"))] = deepcopy(self.random.choice(ODD))
        return found

    def output(self, expected: Any, shape: Shape) -> Any:
        """What a model made of it: the same, nearly the same, or another document."""
        drawn = self.random.random()
        if drawn < 0.08:
            return deepcopy(expected)
        if drawn < 0.16:
            return self.value(shape)
        found = deepcopy(expected)
        for _ in range(self.random.choice([1, 1, 2, 3, 5])):
            found = self.edited(found, root=not self.chance(0.03))
        return found

    def edited(self, value: Any, root: bool = False) -> Any:
        """The value with one place changed, wherever it is."""
        if isinstance(value, (dict, list)) and value and (root or self.chance(0.9)):
            places: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
            if self.chance(0.45):
                return self.edited_container(value, places)
            place = self.random.choice(places)
            value[place] = self.edited(value[place])
            return value
        return self.near(value)

    def edited_container(self, value: Any, places: list[Any]) -> Any:
        drawn = self.random.random()
        place = self.random.choice(places)
        if drawn < 0.35:
            del value[place]
        elif drawn < 0.55:
            value[place] = deepcopy(self.random.choice(ODD))
        elif isinstance(value, list):
            if drawn < 0.75:
                self.random.shuffle(value)
            elif drawn < 0.9:
                value.insert(self.random.randrange(len(value) + 1), deepcopy(value[place]))
            else:
                value.append(deepcopy(self.random.choice(ODD)))
        elif drawn < 0.7:
            items = self.random.sample(list(value.items()), len(value))
            return dict(items)
        else:
            value[self.random.choice((*KEYS, "q", "new"))] = deepcopy(self.random.choice(ODD))
        return value

    def near(self, value: Any) -> Any:
        """A value that is almost this one, or any other."""
        random = self.random
        if isinstance(value, bool) and self.chance(0.7):
            return random.choice([not value, int(value), str(value).lower()])
        if isinstance(value, (int, float)) and self.chance(0.7):
            return random.choice([value + 1, float(value), -value, str(value), value + 0.04, value * 1.001])
        if isinstance(value, str) and self.chance(0.7):
            changed = [value.upper(), f" {value}", value.lower(), value[:-1], f"{value}.", " ".join(value.split()[::-1])]
            return random.choice(changed)
        return deepcopy(random.choice([*ODD, *OF_TYPE["string"], *OF_TYPE["number"]]))

    # Rows

    def rows(self, shape: Shape, count: int) -> list[dict[str, Any]]:
        """Rows whose cells are JSON text, with a few that hold something else; sometimes the cells are documents."""
        as_text = self.chance(0.75)
        found = []
        for number in range(count):
            expected = self.value(shape)
            output = self.output(expected, shape)
            cells: list[Any] = [expected, output]
            if as_text:
                cells = [json.dumps(one, ensure_ascii=False) for one in cells]
                cells[0] = self.spoiled(cells[0]) if self.chance(0.02) else cells[0]
                cells[1] = self.spoiled(cells[1]) if self.chance(0.05) else cells[1]
            found.append(
                {"id": f"r{number}", "expected": cells[0], "output": cells[1], "group": self.random.choice("abc")}
            )
        return found

    def spoiled(self, text: str) -> str:
        """A cell that is no JSON, or JSON among words."""
        cut = self.random.randrange(len(text) + 1)
        spoiled = [
            text[:cut],
            "",
            "I cannot say.",
            f"```json\n{text}\n```",
            f"Sure: {text}",
            f"{text} {text}",
            "null",
            "[]",
            "{}",
        ]
        return self.random.choice(spoiled)
