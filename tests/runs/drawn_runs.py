"""Draws suites and test sets for runs of which nothing may depend on how a row was scored."""

from __future__ import annotations

import csv
import io
import json
from copy import deepcopy
from random import Random
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]

KEYS = [
    "a", "b", "name", "f0", "f1", "v", "x0", "p", "__class__", "__import__('os')", "two words", "ключ", "x\ny",
    'qu"ote', "back\\slash", "", "0", "1", "type", "self", "A", "Name", "\u00e9", "e\u0301", "None", "items", "trace",
    "#", "$", "[*]", "'", "}", "tag",
]  # fmt: skip
DOTTED = ["a.b", "name.first", "x.0"]
TEXTS = [
    "", " ", "x", "X", "Ana", "ana", "Ána", "A\u0301na", "straße", "STRASSE", "12", "12.0", "1,200", "true", "yes",
    "null", "2024-01-31", "31.01.2024", "some day", "https://a.b/c?x=1&y=2", "http://www.a.b/c/", "\ud800", "日本",
    "a b", "b  a", "x.", "\x00", "ﬁ", "İ", "n/a",
]  # fmt: skip
NUMBERS: list[Any] = [
    0,
    1,
    -1,
    2,
    3.0,
    3,
    2.5,
    0.1,
    0.30000000000000004,
    -0.0,
    10**15,
    2**53,
    2**53 + 1,
    2**63,
    2**64 + 1,
    10**30 + 1,
    1e300,
    5e-324,
    float(2**53),
    1e22,
    10**22,
    12,
    0.5,
    1.5,
]
COMPARATORS: list[Any] = [
    "exact",
    "exact",
    "numeric",
    {"numeric": {"tolerance": {"abs": 0.5}}},
    {"numeric": {"tolerance": {"rel": 0.1}}},
    {"numeric": {"parse": True}},
    {"numeric": {"parse": {"thousands": ",", "percent": True}, "tolerance": {"abs": 1}}},
    "normalized",
    {"normalized": {"case": "ignore", "accents": "ignore"}},
    {"normalized": {"accents": "transliterate", "whitespace": "collapse"}},
    "fuzzy",
    {"fuzzy": {"partial": True}},
    {"fuzzy": {"at_least": 0.3, "case": "ignore"}},
    "boolean",
    {"boolean": {"words": {"true": ["yes", 1], "false": ["no", 0]}}},
    "date",
    {"date": {"formats": ["iso", "DD.MM.YYYY"]}},
    "url",
    {"one_of": {"values": ["x", "n/a", 1]}},
    {"one_of": {"groups": [["x", "X", 1], [True, "yes"]]}},
    {"regex": {"pattern": "[a-z]+"}},
    "integer_exact",
    "number_exact",
    {"number_tolerance": {"tolerance": 0.5}},
    "string_exact",
    "string_case_insensitive",
    "boolean_exact",
    "string_fuzzy",
]
TRANSFORMS: list[Any] = [
    "lowercase",
    "casefold",
    "strip",
    "normalize_whitespace",
    "sort_tokens",
    "strip_accents",
    "remove_punctuation",
    {"round_digits": {"digits": 0}},
    {"type_convert": {"to": "str"}},
    {"type_convert": {"to": "int"}},
    {"type_convert": {"to": "float"}},
    {"type_convert": {"to": "bool"}},
    {"regex_replace": {"pattern": "[aA]", "with": "b"}},
]


def pointer(steps: tuple[Any, ...]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


class Drawing:
    """One suite and its rows, from a seed."""

    def __init__(self, seed: int, rows: int = 600) -> None:
        self.random = Random(seed)
        self.tame = self.chance(0.8)
        """The first documents have a type, so that it can be learned from them."""
        self.shape = self._object(0)
        self.wanted = [self._filled(self.shape) for _ in range(self.random.choice([1, 3, 12, 60]))]
        self.suite = self._suite()
        self.rows = [self._row(number) for number in range(rows)]

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # --- expected documents

    def _object(self, depth: int) -> Any:
        keys = self.random.sample(KEYS if self.chance(0.4) else KEYS[:12], self.random.randint(1, 6))
        keys = [key for key in keys if not self.tame or key not in ('qu"ote', "x\ny", "back\\slash")]
        return {key: (self._place(depth + 1), self.chance(0.25), self.chance(0.15)) for key in keys}

    def _place(self, depth: int) -> Any:
        kind = self.random.random()
        if depth < 3 and kind < 0.2:
            return self._object(depth)
        if depth < 3 and kind < 0.45:
            return (
                [self._place(depth + 1)]
                if not self.tame and self.chance(0.2)
                else [self._object(depth)]
                if self.chance(0.6)
                else [self._kinds()]
            )
        return self._kinds()

    def _kinds(self) -> tuple[str, ...]:
        return self.random.choice(
            [
                ("text",),
                ("text",),
                ("number",),
                ("number",),
                ("bool",),
                ("text", "null"),
                ("number", "bool"),
                ("null",),
                ("text", "number"),
                ("text", "number", "bool", "null"),
                ("number", "null"),
            ]
        )

    def _filled(self, place: Any) -> Any:
        if isinstance(place, dict):
            return {
                key: None if null and self.chance(0.3) else self._filled(inner)
                for key, (inner, optional, null) in place.items()
                if not (optional and self.chance(0.4))
            }
        if isinstance(place, list):
            return [self._filled(place[0]) for _ in range(self.random.choice([0, 1, 2, 2, 3]) if self.chance(0.7) else 2)]
        return self._plain(self.random.choice(place))

    def _plain(self, kind: str | None = None) -> Any:
        kind = kind or self.random.choice(["text", "number", "bool", "null"])
        if kind == "text":
            text = self.random.choice(TEXTS)
            return "s" if text == "\ud800" and self.chance(0.9) else text
        return self.random.choice(NUMBERS) if kind == "number" else self.chance(0.5) if kind == "bool" else None

    # --- outputs

    def _edited(self, value: Any) -> Any:
        random, value = self.random, deepcopy(value)
        for _ in range(random.choice([0, 0, 1, 1, 1, 2, 4])):
            places: list[Any] = [value] if isinstance(value, dict) else []
            for one in places:
                places += [
                    inner for inner in (one.values() if isinstance(one, dict) else one) if isinstance(inner, dict | list)
                ]
            if places:
                self._edit(random.choice(places))
        return value

    def _edit(self, place: Any) -> None:
        random = self.random
        there = list(place) if isinstance(place, dict) else list(range(len(place)))
        kind = random.randrange(10)
        if kind < 5 and there:
            key = random.choice(there)
            place[key] = self._near(place[key])
        elif kind < 6 and there:
            del place[random.choice(there)]
        elif kind < 7 and isinstance(place, dict):
            items = random.sample(list(place.items()), len(place))
            place.clear()
            place.update(items)
        elif isinstance(place, dict):
            key = random.choice(KEYS if self.chance(0.9) else DOTTED)
            place[key] = self._any()
        else:
            place.insert(
                random.choice([0, len(place)]),
                deepcopy(random.choice(place)) if place and self.chance(0.5) else self._any(),
            )

    def _near(self, value: Any) -> Any:
        random = self.random
        if isinstance(value, str) and self.chance(0.6):
            return random.choice(
                [value.upper(), value + " ", value.lower(), value[:-1], f"{value}.", " ".join(value.split()[::-1])]
            )
        if isinstance(value, bool) and self.chance(0.6):
            return random.choice([not value, int(value), float(value), "true"])
        if isinstance(value, int | float) and self.chance(0.7):
            return random.choice([value + 1, float(value), -value, str(value), value + 0.4, value == 1, int(value)])
        return self._any()

    def _any(self) -> Any:
        random = self.random
        return random.choice(
            [
                self._plain(),
                self._plain(),
                self._plain(),
                self._plain(),
                {},
                [],
                [self._plain()],
                {"a": self._plain()},
                {"0": None, "b": 1},
                {"a": {"b": [1, {}]}},
                [[]],
                [[1], [2, 3]],
                {"name": "x", "a.b": 1},
                [{"a": 1}],
                {"a": []},
            ]
        )

    def _text(self, value: Any) -> str:
        random = self.random
        text = json.dumps(
            value, ensure_ascii=self.chance(0.5) or "\ud800" in repr(value), indent=random.choice([None, None, 1])
        )
        try:
            text.encode()
        except UnicodeEncodeError:
            return json.dumps(value)
        return text

    def _written(self, value: Any, wanted: str) -> Any:
        random, text = self.random, self._text(value)
        kind = random.randrange(60)
        other = self._text(self._edited(value))
        if kind < 30:
            return text
        if kind < 36:
            return wanted
        cut = random.randrange(len(text) + 1)
        return [
            f"```json\n{text}\n```",
            f"Here:\n```\n{text}\n```\nDone.",
            f"Sure! {text}",
            f"{text} I hope {{this}} helps",
            f"{text}\n{other}",
            f"```json\n{text}\n```\n```json\n{other}\n```",
            f"[{text}]",
            f"[{text}, {other}]",
            f"[{text}, oops]",
            f"see [{text}, NaN] there",
            text[:cut],
            text[cut:],
            "",
            " ",
            "null",
            "42",
            '"text"',
            "none",
            "I cannot say.",
            text.replace("1", "NaN", 1),
            text.replace("2", "1e400", 1),
            text[:-1] + ', "a": 1, "a": 2}',
            text[:-1] + f', "big": {"1" * random.choice([30, 400, 5000])}}}',
            text[:-1] + ', "s": "\\ud800"}',
            text[:-1] + ', "deep": ' + "[" * random.choice([3, 250, 400]) + "]" * 3,
            "<think>" + other + "</think>" + text,
            text.replace('"', "'"),
            "\ufeff" + text,
            text + ",",
            f"\n\n  {text}\n",
            f"[{text}, {{'a': 1}}]",
            f"{{'a': 1}} [{text}]",
            value,
            None,
            wanted + " ",
            wanted.replace(" ", ""),
            "{}",
            "[]",
            "{",
            "[",
            f"text [ {text}",
            f"{text} ]",
            wanted.upper(),
            "\x00",
            f"{{ {text} }}",
            f"({text}",
        ][random.randrange(46)]

    def _expected_text(self, value: Any) -> Any:
        random = self.random
        text = self._text(value)
        kind = random.randrange(100)
        if kind < 90:
            return text
        return [
            "",
            " ",
            "{",
            "null",
            "[1]",
            text[:-1] + ', "more": 1}',
            text[:-1] + ', "a": 1, "a": 2}',
            value,
            None,
            text + "x",
            "NaN",
            f" {text} ",
            text[:-1] + ', "x": 1e400}',
            self._text(self._edited(value)),
            self._text(self._edited(value)),
            self._text(self._edited(value)),
            "\ufeff" + text,
            f"```json\n{text}\n```",
            self._text({**value, "a.b": 1}),
            self._text({**value, "a": [{"q": n} for n in range(70)]}),
        ][random.randrange(20)]

    def _row(self, number: int) -> Row:
        random = self.random
        value = random.choice(self.wanted)
        wanted = self._text(value) if self.tame and number < 200 else self._expected_text(value)
        text = wanted if isinstance(wanted, str) else json.dumps(value)
        row = {
            "id": f"r{number}",
            "output": self._written(self._edited(value), text),
            "expected": wanted,
            "group": random.choice("abc"),
            "other": self._written(self._edited(value), text),
            "second": self._expected_text(random.choice(self.wanted)),
            "unit": f"c{number % 40}",
        }
        if self.chance(0.01):
            del row[random.choice(["output", "expected", "other"])]
        return row

    # --- the suite

    def _paths(self) -> list[str]:
        """Paths of values, each spelled in some way."""
        found: list[tuple[Any, ...]] = []

        def below(place: Any, steps: tuple[Any, ...]) -> None:
            if steps:
                found.append(steps)
            if isinstance(place, dict):
                for key, (inner, _, _) in place.items():
                    below(inner, (*steps, key))
            elif isinstance(place, list):
                below(place[0], (*steps, self.random.choice([0, 0, 1, 2, -1])))

        below(self.shape, ())
        found += [("absent",), ("absent", "a"), ("a", "b"), ("a", 0), ("0",), (0,), ("a", "0")]
        spelled = []
        for steps in found:
            dots = ".".join(map(str, steps))
            plain = all(str(step).isidentifier() or str(step).isdigit() for step in steps)
            spelled.append(dots if plain and self.chance(0.7) else pointer(steps))
        return spelled

    def _fields(self) -> Any:
        random = self.random
        paths = self._paths()
        chosen = list(dict.fromkeys(random.sample(paths, min(len(paths), random.randint(1, 8)))))
        if self.chance(0.1):
            return chosen
        usual = COMPARATORS if self.chance(0.5) else COMPARATORS[:20]
        fields: dict[str, Any] = {}
        for path in chosen:
            line: Any = random.choice(usual) if self.chance(0.95) else "skip"
            if self.chance(0.4) and line != "skip":
                line = {"compare": line}
                if self.chance(0.3):
                    line["weight"] = random.choice([0.5, 2, 3])
                if self.chance(0.4):
                    line["transforms"] = random.sample(TRANSFORMS, random.randint(1, 2))
                if self.chance(0.4):
                    line[random.choice(["required", "optional"])] = True
            fields[path] = line
        return fields

    def _skipped(self) -> list[str]:
        found = []
        for path in self.random.sample(paths := self._paths(), min(2, len(paths))):
            steps = list(path.split("/" if path.startswith("/") else "."))
            if not any(step.lstrip("-").isdigit() for step in steps):
                found.append(path)
        return found

    def _evaluator(self, number: int) -> dict[str, Any]:
        random = self.random
        name = f"e{number}"
        kind = random.choice(
            ["json_multi_field_match"] * 3
            + ["json_diff_match"] * 2
            + [
                "json_field_match",
                "json_field_match_normalized",
                "exact_match",
                "contains_json",
                "length",
                "schema_match",
            ]
        )
        body: dict[str, Any] = {"type": kind, "name": name}
        if kind == "json_multi_field_match":
            body["fields"] = self._fields()
            if self.chance(0.2):
                body["transforms"] = random.sample(TRANSFORMS[:7], 1)
            if self.chance(0.3):
                body["both_missing"] = "match"
        elif kind == "json_diff_match":
            for option in ("extra_fields", "extra_items"):
                if self.chance(0.5):
                    body[option] = random.choice(["ignore", "penalize"])
            if self.chance(0.1):
                body["compare_schema_only"] = True
            if self.chance(0.1):
                body["case_insensitive_keys"] = True
            if self.chance(0.3) and (skipped := self._skipped()):
                body["skip"] = list(dict.fromkeys(skipped))
        elif kind.startswith("json_field"):
            if self.chance(0.5):
                body["extra_fields"] = "penalize"
            if kind.endswith("normalized") and self.chance(0.5):
                body["normalize"] = random.choice(
                    [
                        {"whitespace": "collapse"},
                        {"accents": "keep"},
                        {"accents": "transliterate"},
                        {"case": "lower"},
                        {"unicode": "nfkc"},
                    ]
                )
        elif kind == "contains_json":
            body["require"] = random.choice(["any", "object", "array"])
        elif kind == "length":
            body["max"] = 40
        elif kind == "schema_match":
            body["fields"] = {"name": "exact", "a": "numeric"}
        if self.chance(0.5) and kind != "schema_match":
            body["pass_at"] = random.choice([0.3, 0.5, 1.0])
        if self.chance(0.12):
            body["output"] = "other"
        if kind not in ("contains_json", "length") and self.chance(0.08):
            body["expected"] = "second"
        if self.chance(0.06):
            body["parse"] = "strict"
        if self.chance(0.06):
            body["pick"] = random.choice(["first", "last", "largest", "only"])
        if self.chance(0.08):
            body["when"] = {"row.group": random.choice(["a", ["a", "b"]])}
        if number and self.chance(0.2):
            body["needs"] = [f"e{random.randrange(number)}"]
            if self.chance(0.5):
                body["unmet"] = "skip"
        return body

    def _suite(self) -> dict[str, Any]:
        random = self.random
        count = random.randint(1, 5)
        lines = [self._evaluator(number) for number in range(count)]
        if self.chance(0.4):
            parts = random.sample([line["name"] for line in lines], random.randint(1, count))
            kind = random.choice(["weighted_mean", "any_of", "all_of", "min_of", "max_of"])
            lines.append(
                {"type": kind, "name": "all", "of": dict.fromkeys(parts, 2) if kind == "weighted_mean" else parts}
            )
        settings: dict[str, Any] = {"columns": {"id": "id", "output": "output", "expected": "expected"}}
        if self.chance(0.3):
            settings["unreadable_output"] = "skip"
        if self.chance(0.3):
            settings["empty_expected"] = "value"
        if self.chance(0.03):
            settings["pick"] = "first"
        gates: dict[str, Any] = {line["name"]: {"fail_below": 0.5} for line in lines if self.chance(0.5)}
        for line in lines:
            if line["type"].startswith("json_") and self.chance(0.6):
                gates[line["name"]] = [
                    {"metric": figure, "fail_below": 0.5, "using": "lower_bound"} for figure in ("precision", "recall")
                ]
        suite: dict[str, Any] = {"evaluators": lines, "test_set": settings, "name": "drawn"}
        if gates:
            suite["gates"] = gates
        if self.chance(0.6):
            suite["slices"] = ["row.group"]
        if self.chance(0.5):
            suite["statistics"] = {"cluster": "row.unit"}
        return suite

    # --- files

    def jsonl(self, documents: bool = False) -> bytes:
        """The rows as JSON lines; with `documents`, every cell that is a document as that."""
        lines = []
        for row in self.rows:
            row = dict(row)
            if documents and self.chance(0.5):
                for name in ("output", "expected"):
                    try:
                        row[name] = json.loads(row[name])
                    except (KeyError, TypeError, ValueError, RecursionError):
                        continue
            lines.append(
                json.dumps(row, ensure_ascii=True, allow_nan=True).replace("NaN", "0").replace("Infinity", "1e300")
            )
        return ("\n".join(lines) + "\n").encode()

    def csv(self) -> bytes:
        """The rows as CSV."""
        out = io.StringIO()
        writer = csv.writer(out)
        header = ["id", "output", "expected", "group", "other", "second", "unit"]
        writer.writerow(header)
        for row in self.rows:
            cells = [row.get(name, "") for name in header]
            writer.writerow([cell if isinstance(cell, str) else json.dumps(cell) for cell in cells])
        return out.getvalue().replace("\x00", "").encode("utf-8", "replace")
