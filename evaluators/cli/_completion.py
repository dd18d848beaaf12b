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
    """The YAML files in the folder that is being typed; what the shell finds, when there are none."""
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
    """The names of evaluators, comparators, transforms and presets that start like it, and the suites."""
    from evaluators.reports.catalog import KINDS

    return _matching_names(KINDS, ctx, param, incomplete)


def types(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The evaluator types that start like it, and the suites."""
    return _matching_names(("evaluators",), ctx, param, incomplete)


def _matching_names(
    kinds: tuple[Kind, ...], ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The names of plugs of these kinds that begin so, then the suites. Files that the shell would complete by itself are offered only
    where no name fits."""
    from click.shell_completion import CompletionItem

    from evaluators.reports.catalog import names_of

    names = sorted({name for kind in kinds for name in names_of(kind) if name.startswith(incomplete)})
    files = [item for item in suites(ctx, param, incomplete) if not names or item.type == "plain"]
    return [*map(CompletionItem, names), *files]
