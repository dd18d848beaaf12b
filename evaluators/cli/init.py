"""Make a first suite for data that you have."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from evaluators.cli._new_files import refuse_existing, write_suite
from evaluators.cli._options import READING_PLACES, reading_settings
from evaluators.cli._printing import print_out

if TYPE_CHECKING:
    from evaluators.scoring.fields.inference.proposals import InitQuestion


@click.command("init")
@click.argument("data", type=click.Path(), required=False)
@click.option(
    "-o", "--suite", "target", type=click.Path(), metavar="FILE", help="The suite to write.  [default: DATA.yaml]"
)
@READING_PLACES
@click.option("--force", is_flag=True, help="Replace a suite of that name.")
def command(
    data: str | None, target: str | None, expected: str | None, output: str | None, force: bool, **reading: Any
) -> None:
    """Look at your data and write a first suite for it.

    DATA is a file with rows, such as rows.csv. The suite says which column is what, lists the fields of the expected
    answers and proposes how each is compared, with the reason beside it. It runs as it is. Read it, and change what does
    not fit. The schema that editors read is written beside it where there is none.

    What the data does not settle is asked on a terminal. Elsewhere the likeliest answer is taken, and said; which column is
    the output and which the expected answer is never guessed: the message has the line to type.

    `init` is for data that you have. To start from a template, or to write an evaluator or a comparator of your own, see
    `evaluators new`.
    """
    from evaluators.guide.first_suite import draft_suite
    from evaluators.scoring.fields.inference.proposals import DefaultAnswers

    if target is not None:
        refuse_existing([target], force=force)
    ask = DefaultAnswers(asks=ask_on_terminal if sys.stdin.isatty() and sys.stdout.isatty() else None)
    columns = reading.pop("columns")
    drafted = draft_suite(data, output, expected, columns, target, ask, reading_settings({}, **reading))
    places = [place for place in (data, expected, output) if place is not None]
    *schema, _ = write_suite(drafted.file, drafted.text, data=places, force=force)
    print_out("".join(f"wrote {file}: what editors offer in suites\n" for file in schema) + drafted.words)


def ask_on_terminal(question: InitQuestion) -> str:
    """Prints a question with its answers by number, and returns the answer that the user chooses."""
    from evaluators.reports.display import visible
    from evaluators.scoring.fields.inference.proposals import NONE_OF_THEM

    answers = [*question.answers, *([NONE_OF_THEM] if question.role else [])]
    click.echo(visible(question.text))
    for number, answer in enumerate(answers, 1):
        text = question.hints[number - 1] if number <= len(question.hints) else ""
        click.echo(visible(f"  {number}  {answer}{f'  ({text})' if text else ''}"))
    chosen = click.prompt("Number", type=click.IntRange(1, len(answers)), default=1)
    return answers[chosen - 1]
