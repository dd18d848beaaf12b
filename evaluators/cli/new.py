"""Write a working start: a suite, an evaluator or a comparator of your own."""

from __future__ import annotations

from collections.abc import Iterable

import click

from evaluators.cli._new_files import write, write_suite
from evaluators.cli._printing import print_out


@click.command("new")
@click.argument("kind", type=click.Choice(["suite", "evaluator", "comparator"]), metavar="suite|evaluator|comparator")
@click.argument("name")
@click.option("--folder", type=click.Path(), default=".", metavar="FOLDER", help="Where the files go.  [default: here]")
@click.option("--force", is_flag=True, help="Replace files of the same name.")
def command(kind: str, name: str, folder: str, force: bool) -> None:
    """Write a template to start from. It works as it is; change it step by step.

    A suite is one YAML file with comments; the schema that editors read is written beside it where there is none. An
    evaluator or a comparator is a Python file, a YAML table of cases that anyone can extend, and a test that runs the table.

    NAME is the name of the file, and of the evaluator or comparator in suites.

    A template knows nothing of your data. `evaluators init rows.csv` looks at data that you have and writes a suite for it.
    """
    from evaluators.guide.templates import files_of, next_steps

    files = files_of(kind, name, folder)
    if kind == "suite":
        ((file, text),) = files.items()
        written: Iterable[str] = write_suite(file, text, force=force)
    else:
        write(files, force=force)
        written = files
    print_out("".join(f"wrote {file}\n" for file in written) + "\n" + next_steps(kind, name, tuple(files)))
