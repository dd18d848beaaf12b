"""List the evaluators, comparators, transforms and presets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

import click

from evaluators.cli._options import REGISTER, format_option
from evaluators.cli._printing import print_err, print_out

if TYPE_CHECKING:
    from evaluators.reports.catalog import CatalogEntry, Group, Kind

_HEADS: Final[Mapping[Kind, str]] = {
    "evaluators": "Evaluators score a row. They are in the list under `evaluators:`.",
    "comparators": "Comparators compare one value with another. They are beside a path under `fields:`.",
    "transforms": "Transforms change both values before they are compared. They are listed under `transforms:`.",
    "presets": "Presets are ready-made settings. A suite starts from one with `extends: preset:NAME`.",
}
_TITLES: Final[Mapping[Group, str]] = {
    "start here": "Start here:",
    "further": "Further ones:",
    "compatibility": "For schemas and suites that were written elsewhere or long ago:",
}


@click.command("list")
@click.argument(
    "kind", type=click.Choice(["evaluators", "comparators", "transforms", "presets"]), required=False, metavar="[KIND]"
)
@format_option("text", "json")
@REGISTER
def command(kind: str | None, format_: str) -> None:
    """List everything that a suite can name, each with one sentence.

    KIND is evaluators, comparators, transforms or presets. Without it, all four are listed.

    `evaluators explain NAME` says more about one of them.
    """
    from evaluators.reports.catalog import KINDS, entries, plug_problems

    entries_by_kind = {each: entries(each) for each in KINDS if kind in (None, each)}
    print_out(as_json(entries_by_kind) if format_ == "json" else as_text(entries_by_kind))
    for each in entries_by_kind:
        for issue in plug_problems(each).values():
            print_err(f"warning: {issue}")


def as_text(lists: Mapping[Kind, Sequence[CatalogEntry]]) -> str:
    """The entries by kind as text: the lines of each kind under a sentence that says what it is for, in groups."""
    from evaluators.reports.display import pad, width

    widest = max(width(entry.name) for entries in lists.values() for entry in entries)
    parts = []
    for kind, entries in lists.items():
        groups = [(group, list(listed)) for group, listed in groupby(entries, key=lambda entry: entry.group)]
        parts.append(_HEADS[kind])
        for group, listed in groups:
            lines = [f"  {pad(entry.name, widest)}  {_meaning_text(entry)}" for entry in listed]
            parts.append("\n".join([*([_TITLES[group]] if len(groups) > 1 else []), *lines]))
    return "\n\n".join(parts) + "\n"


def as_json(lists: Mapping[Kind, Sequence[CatalogEntry]]) -> str:
    """The entries of all kinds as one JSON list, an object each."""
    records = [
        {"kind": entry.kind, "group": entry.group, "name": entry.name, "does": entry.does, "instead": entry.retired}
        for entries in lists.values()
        for entry in entries
    ]
    return json.dumps(records, ensure_ascii=False, indent=2) + "\n"


def _meaning_text(entry: CatalogEntry) -> str:
    """The text beside the name of an entry: what it does, and for one that is kept for old suites what to use in its place."""
    return f"{entry.does} Kept for old suites: use {entry.retired}." if entry.retired else entry.does
