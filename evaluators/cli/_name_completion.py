"""What the shell offers where a command takes a name or a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evaluators.cli._completion import suites

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from evaluators.reports.catalog import Kind


def everything(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of evaluators, comparators, transforms and presets that start like it, and the suites."""
    from evaluators.reports.catalog import KINDS

    return _offered(KINDS, ctx, param, incomplete)


def types(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The evaluator types that start like it, and the suites."""
    return _offered(("evaluators",), ctx, param, incomplete)


def _offered(
    kinds: tuple[Kind, ...], ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from evaluators.reports.catalog import names_of

    names = sorted({name for kind in kinds for name in names_of(kind) if name.startswith(incomplete)})
    files = [item for item in suites(ctx, param, incomplete) if not names or item.type == "plain"]
    return [*map(CompletionItem, names), *files]
