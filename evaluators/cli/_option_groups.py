"""Help that lists the options of a command in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

OTHER: Final = "Other options"


class GroupedCommand(click.Command):
    """A command with its options in groups: the names of the options, in their order, by the title of the group."""

    def __init__(self, *args: Any, groups: Mapping[str, Sequence[str]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.groups = groups

    def in_groups(self, ctx: click.Context) -> dict[str, list[click.Parameter]]:
        """The options by the title of their group. Those of no group come last."""
        options = {max(one.opts, key=len): one for one in self.get_params(ctx) if isinstance(one, click.Option)}
        found: dict[str, list[click.Parameter]] = {
            title: [options.pop(name) for name in names] for title, names in self.groups.items()
        }
        return {**found, OTHER: list(options.values())}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One list for each group. The texts of all of them begin at the same column."""
        lists = {
            title: [line for one in options if (line := one.get_help_record(ctx)) is not None]
            for title, options in self.in_groups(ctx).items()
        }
        widest = max(len(names) for lines in lists.values() for names, _ in lines)
        for title, lines in lists.items():
            with formatter.section(title):
                formatter.write_dl([(names.ljust(widest), text) for names, text in lines])
