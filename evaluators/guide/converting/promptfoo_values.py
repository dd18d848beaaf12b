"""What promptfoo's assertions say here, from their values: the type of an evaluator and its settings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from evaluators.guide.converting.sources import json_path

TypeAndSettings: TypeAlias = tuple[str, dict[str, Any]]
"""The type of an evaluator, and its settings."""

_TEMPLATE: Final = re.compile(r"\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}")


class Unconvertible(Exception):
    """This use of an assertion has no counterpart; the argument says why."""


def column_of_variable(name: str) -> str:
    """The column of a variable: its name, but `id_var` and `output_var` for the two names that the converter fills itself."""
    return f"{name}_var" if name in ("id", "output") else name


def has_template(value: Any) -> bool:
    """Whether a text anywhere in a value has a template in it: `{{name}}`, or a statement in `{% %}`."""
    return any(mark in json.dumps(value, default=str) for mark in ("{{", "{%"))


def fill_in_text(text: str, cells: Mapping[str, Any]) -> str:
    """A text with the variables filled in. Raises Unconvertible for what is more than a variable's name."""

    def fill(match: re.Match[str]) -> str:
        """The cell of the variable that a template names, as text or as JSON. Raises Unconvertible where the row has none."""
        value = cells.get(column_of_variable(match[1]))
        if value is None:
            raise Unconvertible(f"there is no variable {match[1]}")
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    done = _TEMPLATE.sub(fill, text)
    if "{{" in _TEMPLATE.sub("", text) or "{%" in text:
        raise Unconvertible("only the names of variables are filled in, no expressions")
    return done


def fill_in(value: Any, cells: Mapping[str, Any]) -> Any:
    """A value with the variables filled in, in texts at every depth. Raises Unconvertible as `fill_in_text` does."""
    if isinstance(value, str):
        return fill_in_text(value, cells)
    if isinstance(value, list):
        return [fill_in(item, cells) for item in value]
    if isinstance(value, dict):
        return {key: fill_in(item, cells) for key, item in value.items()}
    return value


_WHOLE_OUTPUT: Final = re.compile(r"(?:return\s+)?(?:output|JSON\.parse\(\s*output\s*\))(?P<path>.*?);?", re.DOTALL)
_STEP: Final = re.compile(
    r"""\??\.?(?:(?<=\.)(?P<name>[A-Za-z_$][\w$]*)(?!\s*\()|\[(?P<index>\d+)\]|\[(?P<q>["'])(?P<key>[^"'\\]+)(?P=q)\])"""
)


def output_path(transform: str) -> str:
    """The path into the output that a transform, which is a program, stands for; empty for the whole output. Raises Unconvertible for a
    program that is more than a path."""
    match = _WHOLE_OUTPUT.fullmatch(transform.strip())
    rest, path = match["path"] if match else "?", ""
    while rest and (step := _STEP.match(rest)) is not None:
        name = step["name"] or step["key"]
        part = f"[{step['index']}]" if name is None else json_path(name)
        path, rest = join_paths(path, part), rest[step.end() :]
    if rest or path.split(".")[-1] == "length":
        raise Unconvertible(f"only a plain path of the output is taken over, not {transform.strip()[:60]}")
    return path


def join_paths(outer: str, inner: str) -> str:
    """The path that leads along `outer` and then along `inner`."""
    return f"{outer}{'.' if outer and inner and not inner.startswith('[') else ''}{inner}"


def whole_variable(value: Any) -> str | None:
    """The column that a value is taken from, for a value that is nothing but a variable."""
    match = _TEMPLATE.fullmatch(value.strip()) if isinstance(value, str) else None
    return column_of_variable(match[1]) if match else None


def _text(value: Any) -> str:
    """The text of a value: itself, or a number as it is written. Raises Unconvertible for a `file://` address and for anything else."""
    if isinstance(value, str) and value.startswith("file://"):
        raise Unconvertible("the file is not read; write its text here")
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(value)
    raise Unconvertible("its value is no text")


def _text_setting(type_: str, setting: str) -> Callable[[Any, Path], TypeAndSettings]:
    """A function that gives an evaluator of `type_` with one text as its `setting`: read from a column where the value is one variable."""

    def evaluator_of(value: Any, folder: Path) -> TypeAndSettings:
        column = whole_variable(value)
        return type_, {setting: {"column": column} if column else _text(value)}

    return evaluator_of


def _text_list(value: Any) -> list[str]:
    """The texts of a list, or the parts of a text that is split at commas. Raises Unconvertible for a value that is no text."""
    parts = value if isinstance(value, list) else [part.strip() for part in _text(value).split(",")]
    return [_text(part) for part in parts]


def _texts_setting(type_: str) -> Callable[[Any, Path], TypeAndSettings]:
    """A function that gives an evaluator of `type_` with a list of `substrings`: read from a column, split at commas, where the value is
    one variable."""

    def evaluator_of(value: Any, folder: Path) -> TypeAndSettings:
        column = whole_variable(value)
        return type_, {"substrings": {"column": column, "separator": ","} if column else _text_list(value)}

    return evaluator_of


def _equals(value: Any, folder: Path) -> TypeAndSettings:
    """The evaluator for `equals`: with a column where the value is one variable, with a schema where it is an object or a list, else
    with a text."""
    column = whole_variable(value)
    if column:
        return "exact_match", {"expected": column}
    if isinstance(value, dict | list):
        return "json_schema_valid", {"schema": {"const": value}, "parse": "strict"}
    return "correctness", {"answer": _text(value), "normalize": False}


def _schema(value: Any, folder: Path) -> dict[str, Any]:
    """The setting `schema`: the object itself, or the path of the file that a `file://` address names. Raises Unconvertible for anything
    else."""
    if isinstance(value, dict):
        return {"schema": value}
    if isinstance(value, str) and value.startswith("file://") and value.endswith((".json", ".yaml", ".yml")):
        return {"schema": (folder / value.removeprefix("file://")).as_posix()}
    raise Unconvertible("its value is no JSON Schema that can be read")


def _is_json(value: Any, folder: Path) -> TypeAndSettings:
    """The evaluator for `is-json`: of the format alone, or of the schema that the value is."""
    if value is None:
        return "format_valid", {"format": "json"}
    return "json_schema_valid", {**_schema(value, folder), "parse": "strict"}


def _contains_json(value: Any, folder: Path) -> TypeAndSettings:
    """The evaluator for `contains-json`: of JSON anywhere in the output, which fits the schema that the value is, if there is one."""
    return ("contains_json", {}) if value is None else ("json_schema_valid", _schema(value, folder))


def _is_xml(value: Any, folder: Path) -> TypeAndSettings:
    """The evaluator for `is-xml`. Raises Unconvertible for one with required elements."""
    if value is not None:
        raise Unconvertible("which elements must be there is not checked")
    return "format_valid", {}


def _regex(value: Any, folder: Path) -> TypeAndSettings:
    """The evaluator for a pattern. Raises Unconvertible for a pattern in a variable."""
    if whole_variable(value):
        raise Unconvertible("a pattern is written in the suite, not in a column")
    return "regex_match", {"pattern": _text(value)}


def _word_count(value: Any, folder: Path) -> TypeAndSettings:
    """A pattern that matches texts with so many words: just as many as a number says, or from `min` to `max`. Raises Unconvertible for
    anything else."""
    limits = value if isinstance(value, dict) else {"min": value, "max": value}
    try:
        least, most = int(limits.get("min") or 0), limits.get("max")
        upto = "" if most is None else str(int(most) - 1)
    except (TypeError, ValueError):
        raise Unconvertible("its value is no number of words") from None
    words = rf"\S+(?:\s+\S+){{{max(least - 1, 0)},{upto}}}+"
    return "regex_match", {"pattern": rf"\A\s*{words}\s*\Z" if least else rf"\A\s*(?:{words})?\s*\Z"}


def _literal_pattern(before: str, after: str) -> Callable[[Any, Path], TypeAndSettings]:
    """A function that makes a `regex_match` for a text, taken literally, between two pieces of pattern. The function raises
    Unconvertible for a column."""

    def evaluator_of(value: Any, folder: Path) -> TypeAndSettings:
        if whole_variable(value):
            raise Unconvertible("a pattern is written in the suite, not in a column")
        return "regex_match", {"pattern": f"{before}{re.escape(_text(value))}{after}"}

    return evaluator_of


def _none_of(value: Any, folder: Path) -> TypeAndSettings:
    """A pattern that finds any of the texts; the word's `should_match: false` turns it round."""
    return "regex_match", {"pattern": "|".join(re.escape(text) for text in _text_list(value))}


def _not_all_of(value: Any, folder: Path) -> TypeAndSettings:
    """A pattern that finds outputs with all of the texts, in any order; the word's `should_match: false` turns it round."""
    return "regex_match", {"pattern": r"(?s)\A" + "".join(f"(?=.*{re.escape(text)})" for text in _text_list(value))}


def _rubric(value: Any, folder: Path) -> TypeAndSettings:
    """An `llm_judge` with a text, or with the lines of a list, as its rubric; variables become columns. Raises Unconvertible for
    expressions in it."""
    text = "\n".join(map(_text, value)) if isinstance(value, list) else _text(value)
    if "{{" in _TEMPLATE.sub("", text) or "{%" in text:
        raise Unconvertible("only the names of variables are filled in, no expressions")
    return "llm_judge", {"rubric": _TEMPLATE.sub(lambda match: f"{{{{{column_of_variable(match[1])}}}}}", text)}


SHAPES: Final[Mapping[str, Callable[[Any, Path], TypeAndSettings]]] = {
    "equals": _equals,
    "contains": _text_setting("contains", "substring"),
    "icontains": _text_setting("contains", "substring"),
    "contains-all": _texts_setting("contains_all"),
    "icontains-all": _texts_setting("contains_all"),
    "contains-any": _texts_setting("contains_any"),
    "icontains-any": _texts_setting("contains_any"),
    "starts-with": _text_setting("starts_with", "prefix"),
    "regex": _regex,
    "is-json": _is_json,
    "contains-json": _contains_json,
    "is-xml": _is_xml,
    "llm-rubric": _rubric,
    "g-eval": _rubric,
    "word-count": _word_count,
    "not-equals": _literal_pattern(r"(?s)\A", r"\Z"),
    "not-contains": _literal_pattern("", ""),
    "not-icontains": _literal_pattern("", ""),
    "not-contains-any": _none_of,
    "not-icontains-any": _none_of,
    "not-contains-all": _not_all_of,
    "not-icontains-all": _not_all_of,
    "not-starts-with": _literal_pattern(r"\A", ""),
    "not-regex": _regex,
}
"""What each assertion with a counterpart says, from its value."""
