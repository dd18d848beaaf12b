"""Print the JSON Schema of suites, which gives editors completion and messages."""

from __future__ import annotations

from pathlib import Path

import click

from evaluators.cli._new_files import write
from evaluators.cli._printing import print_out


@click.command("schema")
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write the schema to FILE, and print nothing.")
def command(output: str | None) -> None:
    """Print the JSON Schema of suites.

    An editor that knows it offers settings while you type, and marks mistakes. Write it beside your suite:

        evaluators schema --output suite.schema.json

    and put this line at the top of the suite:

        # yaml-language-server: $schema=suite.schema.json
    """
    from evaluators.api.language import is_language_schema, language_schema, schema_text

    text = schema_text(language_schema())
    if output is None:
        print_out(text)
    else:
        # one that an older version wrote is renewed
        write({output: text}, force=is_language_schema(Path(output)), hint="give the schema another name")
