"""The reference page of a plug: what it does, its settings, and its examples with results computed while the page is made.

A page is made from the plug alone: its docstring, its settings model and its examples. Texts of a page may hold words in
backticks, and a format that has a way to show code uses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from pydantic import BaseModel

from evaluators.model.issues import Problems
from evaluators.model.rows import MISSING, FieldStatus, Outcome, Result
from evaluators.model.settings import BadSettings, build
from evaluators.reports.document import Block, Item, Listing, Page, PageTable, Paragraph, Section, heads, list_section
from evaluators.reports.settings_in_words import settings_of
from evaluators.runs.metrics import score_text
from evaluators.scoring.comparators._comparator import Comparator, Pair
from evaluators.scoring.evaluators._composite import Composite
from evaluators.scoring.evaluators._evaluator import Evaluator, Example
from evaluators.scoring.fields.rules import explain_rule
from evaluators.scoring.values.quoting import flow_text
from evaluators.scoring.values.transforms import Kind, TransformError, parse_transform
from evaluators.suites.schema import documentation

_MOST_FIELDS: Final = 8


def evaluator_page(name: str, plug: type[Evaluator]) -> Page:
    """The reference page of an evaluator type: what it does, the line of a suite that uses it, its settings, and its examples."""
    retired = f"This type is kept so that old suites load. Use `{plug.retired}` in new ones."
    introduction = (*((Paragraph(retired, "warning"),) if plug.retired else ()), *paragraphs(documentation(plug)))
    examples = (_evaluator_example(plug, example) for example in plug.examples)
    return plug_page(
        name, introduction, ("evaluators:", f"  - {evaluator_line(name, plug)}"), plug, examples, _EVERY_EVALUATOR
    )


def comparator_page(name: str, plug: type[Comparator]) -> Page:
    """The reference page of a comparator: what it does, the lines of a suite that use it, without and with options, its settings, and its
    examples."""
    options = next((pair.options for pair in plug.examples if pair.options), {})
    short = (f"  one_field: {name}",) if _stands_alone(plug) else ()
    long = (f"  {'another_field' if short else 'one_field'}: {flow_text({name: options})}",) if options else ()
    examples = (_comparator_example(plug, pair) for pair in plug.examples)
    return plug_page(name, paragraphs(documentation(plug)), ("fields:", *short, *long), plug, examples)


def transform_page(name: str, kind: Kind) -> Page:
    """The reference page of a transform: what it does, the line of a suite that uses it, its settings, and a value before and after it."""
    shown = _TRANSFORMED.get(name)
    line = flow_text(shown[0]) if shown else name
    examples = (_transform_example(*shown),) if shown else ()
    introduction = (Paragraph(kind.does), Paragraph(_EVERY_TRANSFORM))
    return plug_page(name, introduction, (f"transforms: [{line}]",), kind.parameters, examples)


def plug_page(
    name: str,
    introduction: tuple[Block, ...],
    in_a_suite: tuple[str, ...],
    model: type[BaseModel],
    examples: Iterable[Item] = (),
    of_every: str = "",
) -> Page:
    """The page of a plug: its purpose, a line of a suite, its settings (with a sentence `of_every` one of its kind), and its examples."""
    rows = tuple(
        (f"`{setting.name}`", setting.takes, setting.default or "none: it must be given", setting.meaning)
        for setting in settings_of(model)
    )
    columns = heads("setting", "takes", "default", "meaning")
    settings: tuple[Block, ...] = (PageTable(columns, rows) if rows else Paragraph("It takes no settings."),)
    return Page(
        name,
        (
            Section(None, introduction),
            Section("In a suite", (_quote_lines(in_a_suite),)),
            Section("Settings", (*settings, *((Paragraph(of_every),) if of_every else ()))),
            *list_section("Examples", examples),
        ),
    )


def preset_page(name: str, text: str, comparators: Mapping[str, object]) -> Page:
    """The page of a preset: `text` is its file, `comparators` are the names that a suite gets from it."""
    names = PageTable(
        heads("name", "what it is"),
        tuple((f"`{word}`", f"`{flow_text(body)}`") for word, body in comparators.items()),
    )
    return Page(
        f"preset:{name}",
        (
            Section(None, paragraphs("\n".join(opening_comment(text)))),
            Section("In a suite", (_quote_lines((f"extends: preset:{name}",)),)),
            *((Section("Names", (names,)),) if comparators else ()),
            Section("The file", (_quote_lines(tuple(text.splitlines())),)),
        ),
    )


def evaluator_line(name: str, plug: type[Evaluator]) -> str:
    """One line of a suite that uses the type, with the settings of its first example that has some."""
    settings = next((example.settings for example in plug.examples if example.settings), None)
    if "of" in plug.model_fields:
        weighted = issubclass(plug, Composite) and plug.takes_weights
        settings = {"of": {"first": 1, "second": 3} if weighted else ["first", "second"]}
    return flow_text({name: settings})[1:-1] if settings else name


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
    """Whether a plug can be used without a setting."""
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
    "split": ({"split": {"at": ","}}, "red, green,, blue "),
    "json": ("json", '{"city": "Oslo", "days": 2}'),
    "unwrap": ("unwrap", [{"city": "Oslo"}]),
    "value_of": ({"value_of": {"key": "value"}}, {"value": "Oslo", "confidence": 0.9}),
}
"""For each transform, how it is written, and a value to show it on."""


def paragraphs(text: str) -> tuple[Block, ...]:
    """The paragraphs of a docstring; one that holds lines with a dash is a list, each line with what goes on below it."""
    parts = (part for part in re.split(r"\n\s*\n", text.strip()) if part.strip())
    return tuple(_paragraph(part) for part in parts)


def _paragraph(text: str) -> Block:
    """A paragraph of a docstring as a block: a listing where lines of it begin with `- `, with the lead as its first item."""
    lead, *items = re.split(r"(?m)^\s*- ", text)
    if not items:
        return Paragraph(" ".join(lead.split()))
    return Listing(tuple(Item(" ".join(item.split())) for item in (*([lead] if lead.strip() else []), *items)))


def _quote_lines(lines: tuple[str, ...]) -> Listing:
    return Listing((Item("", quote=lines),))


def _evaluator_example(plug: type[Evaluator], example: Example) -> Item:
    """An example of an evaluator as an item: what goes in is quoted, and its result is below."""
    lines = [f"{'settings:':<10}{flow_text(example.settings)}"] if example.settings else []
    for word in ("input", "output", "expected"):
        value = getattr(example, word)
        if value is not MISSING:
            lines += _labelled_lines(word, value)
    return Item(example.title, tuple(_result_lines(plug, example)), tuple(lines))


def _labelled_lines(word: str, value: object) -> list[str]:
    """The lines of a value, the first behind `word` and a colon, the others below it. A text with blanks at its ends is in quotes."""
    as_it_is = isinstance(value, str) and (value == value.strip() or "\n" in value)  # else quotes show blanks at its ends
    first, *rest = (str(value) if as_it_is else flow_text(value)).split("\n")
    return [f"{word + ':':<10}{first}".rstrip(), *(f"{'':<10}{line}".rstrip() for line in rest)]


def _result_lines(plug: type[Evaluator], example: Example) -> Iterable[str]:
    """The result of an example in sentences, scored here and now, then its first fields; with a judge, the score that the example
    states."""
    if "judge" in plug.model_fields:  # its answer costs a call to someone outside
        yield f"With a judge that says so: score {score_text(example.score)}."
        return
    try:
        evaluator = build(plug, dict(example.settings or {}))
        result = evaluator.score(example.output, example.expected, example.input)
    except Problems as error:
        yield f"No score: {error.issues[0].message}."
        return
    yield result_text(result)
    yield from (_field_words(field) for field in result.fields[:_MOST_FIELDS])


def result_text(result: Result) -> str:
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
    """A pair of values as an item: options and values are quoted, and what the comparator says of them is below."""
    lines = [f"{'options:':<10}{flow_text(pair.options)}"] if pair.options else []
    lines += [f"{'expected:':<10}{_json(pair.expected)}", f"{'output:':<10}{_json(pair.actual)}"]
    comparator = build(plug, dict(pair.options or {}))
    explained = explain_rule(comparator, (), pair.expected, pair.actual)
    word = explained.status.plain.capitalize()
    return Item(pair.title, (f"{word}: {_sentence(explained.reason)}" if explained.reason else f"{word}.",), tuple(lines))


def _transform_example(written: object, value: object) -> Item:
    """A value before and after a transform, as an item; an error of the transform stands in place of the result."""
    try:
        became = _json(parse_transform(written).apply(value))
    except TransformError as error:
        became = str(error)
    return Item(flow_text(written), (), (f"{'before:':<10}{_json(value)}", f"{'after:':<10}{became}"))


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, default=repr)
