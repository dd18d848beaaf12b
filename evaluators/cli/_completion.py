"""What the shell offers when a word of the command line is being typed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from evaluators.reports.catalog import Kind

_SUFFIXES: Final = (".yaml", ".yml")


def suites(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Completions of a suite: the YAML files whose path starts with `incomplete`. Where there are none, the shell completes by itself."""
    from click.shell_completion import CompletionItem

    folder, start = os.path.split(incomplete)
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        names = []
    matching = [name for name in names if name.startswith(start) and name.endswith(_SUFFIXES)]
    if not matching:
        return [CompletionItem(incomplete, type="file")]
    return [CompletionItem(os.path.join(folder, name)) for name in matching]


def everything(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Completions of a name: evaluators, comparators, transforms and presets that start with `incomplete`, then suites."""
    from evaluators.reports.catalog import KINDS

    return _matching_names(KINDS, ctx, param, incomplete)


def types(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Completions of an evaluator type: those that start with `incomplete`, then suites."""
    return _matching_names(("evaluators",), ctx, param, incomplete)


def _matching_names(
    kinds: tuple[Kind, ...], ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Completions: the names of things of these kinds that start with `incomplete`, sorted, then suites. The shell completes files by
    itself only where no name fits."""
    from click.shell_completion import CompletionItem

    from evaluators.reports.catalog import names_of

    names = sorted({name for kind in kinds for name in names_of(kind) if name.startswith(incomplete)})
    files = [item for item in suites(ctx, param, incomplete) if not names or item.type == "plain"]
    return [*map(CompletionItem, names), *files]
