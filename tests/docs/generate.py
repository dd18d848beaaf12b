"""The generated pages: `python -m tests.docs.generate` writes them, and a test says when one is out of date.

A page is made from what ships with the package: plugs, presets and commands. So it is the same on every machine.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from msgspec.structs import replace

from evaluators.api.language import language_schema, schema_text
from evaluators.cli import command as program
from evaluators.cli._options import GroupedCommand
from evaluators.guide.converting.converter import CONVERTERS, Converter, Term, TermTable
from evaluators.model.rows import Outcome
from evaluators.reports.catalog import CatalogEntry, Group, Kind, entries, page
from evaluators.reports.data_tables import TABLES
from evaluators.reports.document import Block, Head, Page, PageTable, Paragraph, Section
from evaluators.reports.markdown import page_markdown
from evaluators.reports.reference import paragraphs, plug_page
from evaluators.reports.settings_in_words import settings_of
from evaluators.runs.record_facts import RecordFacts
from evaluators.runs.record_lines import CellsLine, CodeLine, RowLine, RowOutcome
from evaluators.runs.result import RunResult
from evaluators.runs.run_json import FORMAT
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.fields.outcomes import ListOutcome
from evaluators.scoring.judges.judge import JUDGES, Judge
from evaluators.scoring.judges.judged_comparator import JUDGED_COMPARATORS
from evaluators.scoring.values.quoting import flow_text
from evaluators.suites.foreign_words import TYPES, old_settings
from evaluators.suites.schema import documentation
from tests.docs import integrations, rooms
from tests.docs.settings_page import settings_page

DOCS: Final = Path(__file__).parents[2] / "docs"
COMMAND: Final = "python -m tests.docs.generate"
_HEAD: Final = f"<!-- Written by `{COMMAND}`. Changes made here are lost. -->\n\n"
_FENCE: Final = re.compile(r"^(```+)", re.MULTILINE)


def pages() -> dict[str, str]:
    """The text of every generated file, by its path inside `docs`."""
    found = {
        "reference/evaluators.md": _evaluators(),
        "reference/comparators.md": _comparators(),
        "reference/judges.md": _judges(),
        "reference/transforms.md": _together("Transforms", _TRANSFORMS, "transforms"),
        "reference/presets.md": _together("Presets", _PRESETS, "presets"),
        "reference/command-line.md": _command_line(),
        "reference/converting.md": _converting(),
        "reference/integrations.md": integrations.page(),
        "reference/settings.md": settings_page(),
        "reference/tables.md": _tables(),
    }
    for kind in ("evaluators", "comparators"):
        for entry in _shipped(kind):
            link = f"[All {kind}](../{kind}.md)\n"
            found[f"reference/{kind}/{entry.name}.md"] = (
                f"{page_markdown(page(kind, entry.name), own_words=True)}\n{link}"
            )
    written = {path: _HEAD + text for path, text in found.items()}
    shapes = {f"schemas/{name}.schema.json": schema_text(_dedented(schema)) for name, schema in run_folder_schemas()}
    drawn = {path: rooms.with_picture(_text(DOCS / path) or "") for path in ("contributing/architecture.md",)}
    return {**written, **drawn, "suite.schema.json": schema_text(language_schema()), **shapes}


def run_folder_schemas() -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON Schemas of `run.json` and of the lines of a run folder, from the types that read them."""
    (_, record), defs = msgspec.json.schema_components((RunResult, RecordFacts), ref_template="#/$defs/{name}")
    run = defs.pop("RunResult")
    body = {key: value for key, value in run["properties"].items() if key != "environment"}
    stats = defs["EvaluatorStats"]["properties"]
    stats["aggregate_score"] = {"type": ["number", "null"], "description": "The mean score, of evaluators with fields."}
    stats["field_scores"] = {"type": "object", "additionalProperties": {"type": ["number", "null"]}}
    head = {"title": "run.json", "description": "The result of one run, and what readers of its rows need to know."}
    for aside in ("Environment", "AskedTotals"):
        del defs[aside]
    yield "run", _DRAFT | run | head | {
        "$defs": defs, "properties": {"format": {"const": FORMAT}, **body, "record": record},
        "required": ["format", *run["required"]],
    }  # fmt: skip
    for name, kinds in LINES.items():
        shapes, defs = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
        for value in (
            defs[kind.__name__]["properties"].get(side, {}) for kind in kinds for side in ("expected", "actual")
        ):
            value.pop("default", None)  # what is not there has no value
        for kind in kinds if name == "outcomes" else ():
            shape = defs[kind.__name__]
            for key in CONTEXT:  # a line says both; what was not recorded has neither
                del shape["properties"][key]["default"]
            shape["required"] = [*shape["required"], *CONTEXT]
        said = shapes[0] if len(shapes) == 1 else {"anyOf": list(shapes)}
        yield name, _DRAFT | {"title": f"A line of {name}.jsonl", **said, "$defs": defs}


def _dedented(schema: Any) -> Any:
    """The schema with its descriptions free of the margin that docstrings have, which msgspec keeps before version 0.23."""
    if isinstance(schema, dict):
        return {
            key: inspect.cleandoc(value) if key == "description" and isinstance(value, str) else _dedented(value)
            for key, value in schema.items()
        }
    return [_dedented(one) for one in schema] if isinstance(schema, list) else schema


CONTEXT: Final = ("row", "evaluator")
_DRAFT: Final = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
LINES: Final[dict[str, tuple[type, ...]]] = {
    "rows": (RowLine,), "codes": (CodeLine,), "outcomes": (Outcome, ListOutcome, RowOutcome), "cells": (CellsLine,),
}  # fmt: skip


def write(docs: Path = DOCS) -> list[str]:
    """Write every generated file that differs, and remove pages of things that are gone. Gives the paths."""
    wanted = pages()
    gone = [path for path in present(docs) if path not in wanted]
    changed = [path for path, text in wanted.items() if _text(docs / path) != text]
    for path in gone:
        (docs / path).unlink()
    for path in changed:
        (docs / path).parent.mkdir(parents=True, exist_ok=True)
        (docs / path).write_text(wanted[path], encoding="utf-8", newline="\n")
    return sorted([*gone, *changed])


def present(docs: Path = DOCS) -> list[str]:
    """The pages that this program has written, by their paths inside `docs`."""
    return sorted(
        page.relative_to(docs).as_posix() for page in docs.rglob("*.md") if (_text(page) or "").startswith(_HEAD)
    )


_EVALUATORS: Final = (
    "An evaluator scores a row. A suite names it in the list under `evaluators:`. The [language](language.md#evaluators) "
    "says how, and what every evaluator takes beside its own settings."
)
_COMPARATORS: Final = (
    "A comparator compares two values: the expected one and the output's. A suite names it beside a path under `fields:`. "
    "The [language](language.md#fields) says how. A path without a comparator is compared with `exact`, and `skip` "
    "leaves a path out."
)
_TRANSFORMS: Final = (
    "A suite names transforms beside `fields:`, for every field, or inside a field, for that field. "
    "The [language](language.md#transforms) says how."
)
_PRESETS: Final = (
    "A preset is a suite that ships with the package, made to be extended. It gives names to comparators. "
    "The [language](language.md#extends) says how a suite and what it extends become one."
)


def _evaluators() -> str:
    parts = ["# Evaluators", _EVALUATORS, *_indexes("evaluators")]
    parts += ["## Names of other systems", "They load as they are, and a note names today's word.", _old_words()]
    return "\n\n".join(parts) + "\n"


def _comparators() -> str:
    return "\n\n".join(["# Comparators", _COMPARATORS, *_indexes("comparators")]) + "\n"


_JUDGES: Final = (
    "A judge answers what no rule can. A suite names one under `judge:`, and fields and evaluators that need one ask it. "
    "[Judges](../how-to/free-text-and-judges.md) is the guide."
)


def _judges() -> str:
    pages = [_below(_judge_page(name, JUDGES.find(name))) for name in JUDGES.shipped_names()]
    return "\n\n".join(["# Judges", _JUDGES, *pages]) + "\n"


def _judge_page(name: str, plug: type[Judge]) -> Page:
    required = [one.name for one in settings_of(plug) if not one.default]
    written = f"judge: {{{name}: {{{', '.join(f'{one}: …' for one in required) or '…'}}}}}"
    return plug_page(name, paragraphs(documentation(plug)), (written,), plug)


_GROUP_TITLES: Final[Mapping[Group, str]] = {
    "start here": "Start here", "further": "Further ones", "compatibility": "For what was written elsewhere or long ago",
}  # fmt: skip


def _indexes(kind: Kind) -> Iterator[str]:
    for group, listed in groupby(_shipped(kind), key=lambda entry: entry.group):
        yield f"## {_GROUP_TITLES[group]}"
        yield _index(kind, list(listed))


def _index(kind: Kind, listed: Sequence[CatalogEntry]) -> str:
    rows = [f"| [{entry.name}]({kind}/{entry.name}.md) | {_cell(entry.does)} |" for entry in listed]
    return "\n".join([f"| {kind.removesuffix('s')} | what it does |", "| --- | --- |", *rows])


def _old_words() -> str:
    types = [f"| `{old}` | `{new}` |" for old, new in TYPES.items()]
    settings = [
        f"| `{old}` of `{kind}` | `{new}` |" for kind in BUILTIN.names() for old, new in old_settings(kind).items()
    ]
    return "\n".join(["| written | today |", "| --- | --- |", *types, *settings])


def _together(title: str, about: str, kind: Kind) -> str:
    """All things of a kind on one page. What every one of them says is said once, at the top."""
    found = [page(kind, entry.name) for entry in _shipped(kind)]
    shared = [block for block in _blocks(found[0]) if len(found) > 1 and all(block in _blocks(one) for one in found)]
    opening = [one for one in shared if isinstance(one, Paragraph)]
    head = page_markdown(Page(title, ()), own_words=True).rstrip()
    said = [paragraph.text for paragraph in opening]
    return "\n\n".join([head, about, *said, *(_below(_without(one, opening)) for one in found)]) + "\n"


def _blocks(document: Page) -> list[Block]:
    return [block for section in document.sections for block in section.blocks]


def _without(document: Page, said: Sequence[Block]) -> Page:
    sections = (
        replace(one, blocks=tuple(block for block in one.blocks if block not in said)) for one in document.sections
    )
    return replace(document, sections=tuple(section for section in sections if section.blocks))


def _below(document: Page) -> str:
    """A page as a part of another one: its headings are one step smaller."""
    parts = _FENCE.split(page_markdown(document, own_words=True))
    prose = range(0, len(parts), 4)  # text, fence, code, fence, text …
    return "".join(
        re.sub(r"^#", "##", part, flags=re.M) if index in prose else part for index, part in enumerate(parts)
    ).rstrip()


def _command_line() -> str:
    context = click.Context(program, info_name="evaluators", **program.context_settings)
    commands = [(name, program.get_command(context, name)) for name in program.list_commands(context)]
    found = [(name, one) for name, one in commands if one is not None]
    rows = [f"| [{name}](#{name}) | {_cell(inspect.cleandoc(one.help or '').splitlines()[0])} |" for name, one in found]
    parts = [
        "# The command line, every option",
        "The [tutorial](../tutorial.md) shows the commands at work. This page lists what each of them takes.",
        "\n".join(["| command | what it does |", "| --- | --- |", *rows]),
        *(part for name, one in found for part in _command(name, one, context)),
        "## Without a command",
        _options(program.get_params(context)),
    ]
    return "\n\n".join(parts) + "\n"


_TABLES: Final = (
    "Several outputs of one question, confidences, labels and measures have tables for spreadsheets. `formats: [repeats, confidence, "
    "labels, measures]` under `results` puts them into the run folder, `-o NAME.repeats.csv` and so on anywhere else, and in Python they "
    'are `run.table("repeats.groups")`. [Several outputs, and confidence](../how-to/repeats-and-confidence.md) says what the metrics mean.'
)


def _tables() -> str:
    parts = ["# Tables", _TABLES]
    for name, table in TABLES.items():
        rows = [f"| `{column}` | {_cell(holds)} |" for column, (_, holds) in table.columns.items()]
        parts += [f"## {name}", table.says, "\n".join(["| column | what it holds |", "| --- | --- |", *rows])]
    return "\n\n".join(parts) + "\n"


_CONVERTING: Final = (
    "`evaluators convert SYSTEM FILE` looks every word of another system's files up in these tables, and this page is made from the "
    "same tables. The [guide](../switching/converting.md) shows it at work. What has no counterpart is a comment in the suite, at its "
    "place."
)


def _converting() -> str:
    parts = ["# What `convert` makes of other systems' words", _CONVERTING]
    for name in CONVERTERS.shipped_names():
        system = CONVERTERS.find(name)
        parts += [f"## {system.title}", f"`evaluators convert {name} FILE` reads: {_lowered(system)}"]
        for table in system.tables:
            parts += [f"### {system.title}: {table.title.lower()}", _words(table)]
    return "\n\n".join(parts) + "\n"


def _lowered(system: type[Converter]) -> str:
    own = len(system.reads.split(" ", 1)[0]) > 1 and system.reads[1].isupper()
    return system.reads if own else system.reads[0].lower() + system.reads[1:]


def _words(table: TermTable) -> str:
    nested = any(word.settings for word in table.words)
    head = ["theirs", "here", *(["settings"] if nested else []), "how", "note"]
    rows = [
        [_code(word.theirs), _here(word), *([_settings(word)] if nested else []), str(word.status), _cell(word.note)]
        for word in table.words
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def _here(word: Term) -> str:
    always = ", ".join(f"{name}: {flow_text(value)}" for name, value in word.always.items())
    if word.here is None:
        return ""
    return f"{_code(word.here)} with {_code(always)}" if always else _code(word.here)


def _settings(word: Term) -> str:
    """The settings that are called in another way or need a word, then those that are the same, then those without counterpart."""
    same = [_code(one.theirs) for one in word.settings if one.here == one.theirs and not one.note]
    other = [
        f"{_code(one.theirs)} is {_code(one.here)}" + (f" ({_cell(one.note)})" if one.note else "")
        for one in word.settings
        if one.here is not None and (one.here != one.theirs or one.note)
    ]
    none = [_code(one.theirs) for one in word.settings if one.here is None]
    parts = [
        *other,
        *([f"the same: {', '.join(same)}"] if same else []),
        *([f"none for {', '.join(none)}"] if none else []),
    ]
    return "; ".join(parts)


def _code(text: str) -> str:
    return f"`{_cell(text)}`"


def _command(name: str, one: click.Command, above: click.Context) -> Iterable[str]:
    context = click.Context(one, info_name=name, parent=above)
    yield f"## {name}"
    yield f"```text\nevaluators {name} {' '.join(one.collect_usage_pieces(context))}\n```"
    yield _help(one.help or "")
    if isinstance(one, GroupedCommand):
        for title, options in one.options_by_group(context).items():
            yield f"**{title}**"
            yield _options(options)
    else:
        yield _options(one.get_params(context))


def _help(text: str) -> str:
    """A docstring as Markdown: paragraphs, and what is moved in as code."""
    paragraphs = inspect.cleandoc(text).replace("\b\n", "").split("\n\n")
    return "\n\n".join(f"```text\n{inspect.cleandoc(one)}\n```" if one.startswith("    ") else one for one in paragraphs)


def _options(params: Sequence[click.Parameter]) -> str:
    rows = [_option(one) for one in params if isinstance(one, click.Option) and not one.hidden]
    table = PageTable((Head("option"), Head("takes"), Head("meaning")), tuple(rows))
    return page_markdown(Page("", (Section(None, (table,)),)), own_words=True).removeprefix("# \n\n").rstrip()


def _option(one: click.Option) -> tuple[str, str, str]:
    names = ", ".join(f"`{name}`" for name in sorted([*one.opts, *one.secondary_opts], key=len))
    choices = " or ".join(f"`{word}`" for word in one.type.choices) if isinstance(one.type, click.Choice) else ""
    takes = "" if one.is_flag or one.count else one.metavar or choices or one.type.name.upper()
    return names, takes, " ".join((one.help or "").split())


def _shipped(kind: Kind) -> list[CatalogEntry]:
    """What comes with the package, and nothing that this machine or this process has added."""
    sockets: dict[str, tuple[str, ...]] = {
        "evaluators": BUILTIN.shipped_names(),
        "comparators": (*COMPARATORS.shipped_names(), *JUDGED_COMPARATORS.shipped_names()),
    }
    return [entry for entry in entries(kind) if entry.name in sockets.get(kind, (entry.name,))]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _text(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.is_file() else None


if __name__ == "__main__":
    changed = write()
    print("\n".join(f"wrote docs/{path}" for path in changed) or "every generated page is up to date")
