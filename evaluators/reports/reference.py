"""The reference page of a plug: what it does, its settings, and its examples with results computed while the page is made.

A page is made from the plug alone: its docstring, its settings model and its examples. Texts of a page may hold words in
backticks, and a format that has a way to show code uses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from pydantic import BaseModel

from evaluators.builtin._composite import Composite
from evaluators.builtin._evaluator import Evaluator, Example
from evaluators.comparators._comparator import Comparator, Pair
from evaluators.fields.rules import explain_rule
from evaluators.issues import Problems
from evaluators.judges.judge import Judge
from evaluators.model import MISSING, FieldStatus, Outcome, Result
from evaluators.needs import ROLES
from evaluators.reports.document import Block, Head, Item, Listing, Page, PageTable, Paragraph, Section
from evaluators.run.figures import limit_text, score_text
from evaluators.settings import READ_AS, BadSettings, build, spellings
from evaluators.suite.schema import documentation
from evaluators.values.flow import flow
from evaluators.values.transforms import Kind, TransformError, parse_transform

_MOST_FIELDS: Final = 8


class Setting(Struct, frozen=True):
    """One setting, in words. The default is empty where the setting must be given."""

    name: str
    takes: str
    default: str
    meaning: str


def evaluator_page(name: str, plug: type[Evaluator]) -> Page:
    """The page of an evaluator type."""
    retired = (_retired(plug.retired),) if plug.retired else ()
    examples = tuple(_evaluator_example(plug, example) for example in plug.examples)
    return Page(
        name,
        (
            Section(None, (*retired, *_paragraphs(documentation(plug)))),
            Section("In a suite", (_quoted(("evaluators:", f"  - {evaluator_line(name, plug)}")),)),
            _settings_section(settings_of(plug), _EVERY_EVALUATOR),
            *_examples(examples),
        ),
    )


def comparator_page(name: str, plug: type[Comparator]) -> Page:
    """The page of a comparator."""
    examples = tuple(_comparator_example(plug, pair) for pair in plug.examples)
    options = next((pair.options for pair in plug.examples if pair.options), {})
    short = (f"  one_field: {name}",) if _stands_alone(plug) else ()
    long = (f"  {'another_field' if short else 'one_field'}: {flow({name: options})}",) if options else ()
    return Page(
        name,
        (
            Section(None, _paragraphs(documentation(plug))),
            Section("In a suite", (_quoted(("fields:", *short, *long)),)),
            _settings_section(settings_of(plug), None),
            *_examples(examples),
        ),
    )


def judge_page(name: str, plug: type[Judge]) -> Page:
    """The page of a judge."""
    required = [one.name for one in settings_of(plug) if not one.default]
    written = f"judge: {{{name}: {{{', '.join(f'{one}: …' for one in required) or '…'}}}}}"
    return Page(
        name,
        (
            Section(None, _paragraphs(documentation(plug))),
            Section("In a suite", (_quoted((written,)),)),
            _settings_section(settings_of(plug), None),
        ),
    )


def transform_page(name: str, kind: Kind) -> Page:
    """The page of a transform."""
    shown = _TRANSFORMED.get(name)
    line = flow(shown[0]) if shown else name
    examples = (_transform_example(*shown),) if shown else ()
    return Page(
        name,
        (
            Section(None, (Paragraph(kind.does), Paragraph(_EVERY_TRANSFORM))),
            Section("In a suite", (_quoted((f"transforms: [{line}]",)),)),
            _settings_section(settings_of(kind.parameters), None),
            *_examples(examples),
        ),
    )


def preset_page(name: str, text: str, comparators: Mapping[str, object]) -> Page:
    """The page of a preset: `text` is its file, `comparators` are the names that a suite gets from it."""
    names = PageTable(
        (Head("name"), Head("what it is")),
        tuple((f"`{word}`", f"`{flow(body)}`") for word, body in comparators.items()),
    )
    return Page(
        f"preset:{name}",
        (
            Section(None, _paragraphs("\n".join(opening_comment(text)))),
            Section("In a suite", (_quoted((f"extends: preset:{name}",)),)),
            *((Section("Names", (names,)),) if comparators else ()),
            Section("The file", (_quoted(tuple(text.splitlines())),)),
        ),
    )


def settings_of(model: type[BaseModel]) -> tuple[Setting, ...]:
    """The settings of a plug in words: its own first, then those that every evaluator has."""
    schema = model.model_json_schema()
    shared = [name for name in Evaluator.model_fields if issubclass(model, Evaluator)]
    names = {spellings(name, field)[0]: spellings(name, field)[1:] for name, field in model.model_fields.items()}
    fields = {spellings(name, field)[0]: name for name, field in model.model_fields.items()}
    ordered = sorted((name for name in schema.get("properties", {}) if name != "type"), key=lambda name: name in shared)
    found: list[Setting] = []
    for name in ordered:
        written = [other for other in names.get(name, ()) if other != name and other not in ROLES]
        required = model.model_fields[fields.get(name, name)].is_required()
        one = _setting(name, schema["properties"][name], schema.get("$defs", {}), required, written)
        found += [one, *_inner_settings(name, schema["properties"][name], schema.get("$defs", {}))]
    return tuple(found)


def evaluator_line(name: str, plug: type[Evaluator]) -> str:
    """One line of a suite that uses the type, with the settings of its first example that has some."""
    settings = next((example.settings for example in plug.examples if example.settings), None)
    if "of" in plug.model_fields:
        weighted = issubclass(plug, Composite) and plug.takes_weights
        settings = {"of": {"first": 1, "second": 3} if weighted else ["first", "second"]}
    return flow({name: settings})[1:-1] if settings else name


def opening_comment(text: str) -> list[str]:
    """The comment at the head of a file, without its marks."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").strip())
    return lines


def first_sentence(text: str) -> str:
    """The first sentence of a text, on one line."""
    line = " ".join(re.split(r"\n\s*\n", text.strip())[0].split())
    return re.split(r"(?<=[.:!?])\s+(?=[A-Z])", line)[0].removesuffix(":").removesuffix(".") + "."


def _stands_alone(plug: type[BaseModel]) -> bool:
    """It can be used without a setting."""
    try:
        build(plug, {})
    except BadSettings:
        return False
    return True


_EVERY_EVALUATOR: Final = (
    "Every evaluator also takes `name`, `needs`, `when`, `unmet`, `parse` and `pick`: what it is called, which evaluators "
    "must pass first, for which rows it is, what a row scores that is not let through, how its JSON is read, and which "
    "JSON counts where an output holds several."
)
_EVERY_TRANSFORM: Final = (
    "A transform changes both values, the expected one and the output's, before they are compared. Transforms run from "
    "left to right. Null stays null. An output of a kind that a transform does not take is an error, and the field does "
    "not match; an expected value of such a kind stays as it is."
)
_TRANSFORMED: Final[Mapping[str, tuple[object, object]]] = {
    "lowercase": ("lowercase", "ACME Inc."),
    "casefold": ("casefold", "GROẞE Straße"),
    "strip": ("strip", "  ACME Inc. \n"),
    "normalize_whitespace": ("normalize_whitespace", " ACME \n  Inc. "),
    "sort_tokens": ("sort_tokens", "Smith John"),
    "strip_accents": ("strip_accents", "Málaga, Łódź"),
    "remove_punctuation": ("remove_punctuation", "A.C.M.E., Inc."),
    "round_digits": ({"round_digits": {"digits": 1}}, 3.14159),
    "type_convert": ({"type_convert": {"to": "float"}}, "12.50"),
    "regex_replace": ({"regex_replace": {"pattern": "[^0-9]", "with": ""}}, "+49 (30) 1234-567"),
}
"""For each transform, how it is written, and a value to show it on."""


def _retired(instead: str) -> Paragraph:
    return Paragraph(f"This type is kept so that old suites load. Use `{instead}` in new ones.", "warning")


def _paragraphs(text: str) -> tuple[Block, ...]:
    """The paragraphs of a docstring; one that holds lines with a dash is a list, each line with what goes on below it."""
    parts = (part for part in re.split(r"\n\s*\n", text.strip()) if part.strip())
    return tuple(_paragraph(part) for part in parts)


def _paragraph(text: str) -> Block:
    lead, *items = re.split(r"(?m)^\s*- ", text)
    if not items:
        return Paragraph(" ".join(lead.split()))
    return Listing(tuple(Item(" ".join(item.split())) for item in (*([lead] if lead.strip() else []), *items)))


def _quoted(lines: tuple[str, ...]) -> Listing:
    return Listing((Item("", quote=lines),))


def _settings_section(settings: Sequence[Setting], also: str | None) -> Section:
    columns = (Head("setting"), Head("takes"), Head("default"), Head("meaning"))
    rows = tuple((f"`{one.name}`", one.takes, one.default or "none: it must be given", one.meaning) for one in settings)
    table = (PageTable(columns, rows),) if rows else (Paragraph("It takes no settings."),)
    return Section("Settings", (*table, *((Paragraph(also),) if also else ())))


def _examples(items: tuple[Item, ...]) -> tuple[Section, ...]:
    return (Section("Examples", (Listing(items),)),) if items else ()


def _setting(
    name: str, schema: Mapping[str, Any], models: Mapping[str, Any], required: bool, written: Sequence[str]
) -> Setting:
    also = f" Also written {', '.join(f'`{other}`' for other in written)}." if written else ""
    meaning = " ".join(str(schema.get("description", "")).split())
    return Setting(name, takes(schema, models), "" if required else _default(name, schema), f"{meaning}{also}".strip())


def _inner_settings(name: str, schema: Mapping[str, Any], models: Mapping[str, Any]) -> list[Setting]:
    """The settings inside a setting that is a map of its own."""
    for branch in (schema, *schema.get("anyOf", ())):
        key = _model_name(branch)
        inner = models.get(key or "", {}) if key != "FromColumn" else {}
        if inner.get("properties"):
            required = inner.get("required", ())
            above = schema.get("default") or {}
            return [
                _setting(f"{name}.{word}", {**one, **_instead(above, word)}, models, word in required, ())
                for word, one in inner["properties"].items()
            ]
    return []


def _instead(above: object, key: str) -> dict[str, Any]:
    return {"default": above[key]} if isinstance(above, Mapping) and key in above else {}


def _default(name: str, schema: Mapping[str, Any]) -> str:
    value = schema.get("default")
    if value is None:
        return "the test set's own" if name in ROLES else "none"
    if isinstance(value, float) and value.is_integer():
        return f"`{limit_text(value)}`"
    return f"`{flow(value)}`"


_READ: Final = {
    "fields": "a list of paths, or a map from paths to comparators",
    "transforms": "a list of transforms",
    "paths": "a list of paths",
    "comparator": "a comparator",
}
_KINDS: Final = {
    "string": "text", "integer": "a whole number", "number": "a number", "boolean": "`true` or `false`",
    "array": "a list", "object": "a map",
}  # fmt: skip


def takes(schema: Mapping[str, Any], models: Mapping[str, Any]) -> str:
    """What a setting may be, in words, from its JSON Schema."""
    if READ_AS in schema:
        return _READ.get(str(schema[READ_AS]), str(schema[READ_AS]))
    if "enum" in schema or "const" in schema:
        return _either([f"`{flow(value)}`" for value in schema.get("enum", [schema.get("const")])])
    if "anyOf" in schema:
        branches = [one for one in schema["anyOf"] if one.get("type") != "null"]
        return _either(list(dict.fromkeys(takes(one, models) for one in branches)))
    name = _model_name(schema)
    if name == "FromColumn":
        return "`{column: NAME}`"
    if name:
        return "a map" if models.get(name, {}).get("properties") else "any value"
    kind = _KINDS.get(str(schema.get("type")), "any value")
    if schema.get("type") == "array" and schema.get("items", {}).get("type") == "string":
        return "a list of texts"
    return kind + _range(schema)


def _model_name(schema: Mapping[str, Any]) -> str | None:
    reference = schema.get("$ref")
    return str(reference).rpartition("/")[2] if reference else None


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above = schema.get("exclusiveMinimum")
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    parts = [
        f"{word} {limit:g}"
        for word, limit in (("at least", low), ("more than", above), ("at most", high))
        if limit is not None
    ]
    return f", {', '.join(parts)}" if parts else ""


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _evaluator_example(plug: type[Evaluator], example: Example) -> Item:
    lines = [f"{'settings:':<10}{flow(example.settings)}"] if example.settings else []
    for word in ("input", "output", "expected"):
        value = getattr(example, word)
        if value is not MISSING:
            lines += _labelled(word, value)
    return Item(example.title, tuple(_result(plug, example)), tuple(lines))


def _labelled(word: str, value: object) -> list[str]:
    first, *rest = (value if isinstance(value, str) else flow(value)).split("\n")
    return [f"{word + ':':<10}{first}".rstrip(), *(f"{'':<10}{line}".rstrip() for line in rest)]


def _result(plug: type[Evaluator], example: Example) -> Iterable[str]:
    if "judge" in plug.model_fields:  # its answer costs a call to someone outside
        yield f"With a judge that says so: score {score_text(example.score)}."
        return
    try:
        evaluator = build(plug, dict(example.settings or {}))
        result = evaluator.score(example.output, example.expected, example.input)
    except Problems as error:
        yield f"No score: {error.issues[0].message}."
        return
    yield said(result)
    yield from (_field_words(field) for field in result.fields[:_MOST_FIELDS])


def said(result: Result) -> str:
    """A result in one sentence, with its reason."""
    head = "No score" if result.score is None else f"Score {short_score(result.score)}"
    verdict = {True: ", passes", False: ", does not pass", None: ""}[result.passed]
    return _sentence(f"{head}{verdict}: {result.reason}" if result.reason else f"{head}{verdict}")


def short_score(value: float) -> str:
    """A score without the zeros at its end: `1`, `0.5`, `0.6667`."""
    text = score_text(value)
    return text.rstrip("0").rstrip(".") or "0"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _field_words(field: Outcome) -> str:
    reason = f": {field.reason}" if field.reason and field.status is not FieldStatus.MATCH else ""
    return f"`{field.path or '$'}` {field.status.plain}{reason}"


def _comparator_example(plug: type[Comparator], pair: Pair) -> Item:
    lines = [f"{'options:':<10}{flow(pair.options)}"] if pair.options else []
    lines += [f"{'expected:':<10}{_json(pair.expected)}", f"{'output:':<10}{_json(pair.actual)}"]
    comparator = build(plug, dict(pair.options or {}))
    found = explain_rule(comparator, (), pair.expected, pair.actual)
    word = found.status.plain.capitalize()
    return Item(pair.title, (f"{word}: {_sentence(found.reason)}" if found.reason else f"{word}.",), tuple(lines))


def _transform_example(written: object, value: object) -> Item:
    try:
        became = _json(parse_transform(written).apply(value))
    except TransformError as error:
        became = str(error)
    return Item(flow(written), (), (f"{'before:':<10}{_json(value)}", f"{'after:':<10}{became}"))


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, default=repr)
