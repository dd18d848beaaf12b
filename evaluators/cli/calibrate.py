"""Compare a judge's verdicts with those of people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from evaluators.cli._named_runs import run_place
from evaluators.cli._options import READING, REGISTER, reading_settings
from evaluators.cli._printing import print_page


@click.command("calibrate")
@click.argument("run", type=click.Path())
@click.argument("marks", type=click.Path(), required=False)
@click.option("--human", required=True, metavar="COLUMN", help="The column in which people have marked the rows.")
@click.option(
    "--evaluator",
    metavar="NAME",
    help="The evaluator whose verdicts are looked at, or one of its fields: NAME.FIELD. Without it, the only one of the run.",
)
@click.option(
    "--pass-at",
    type=click.FloatRange(0.0, 1.0),
    default=0.5,
    show_default=True,
    metavar="N",
    help="Marks that are numbers pass from here on, on a scale from 0 to 1.",
)
@click.option(
    "--scale",
    type=(float, float),
    default=(0.0, 1.0),
    metavar="LOW HIGH",
    help="The worst and the best mark, such as 1 5.",
)
@click.option(
    "--other",
    type=click.Path(),
    metavar="RUN",
    help="Also say how many questions got another verdict in this run: with another model, or with fields_per_request: 1.",
)
@READING
@REGISTER
def command(
    run: str,
    marks: str | None,
    human: str,
    evaluator: str | None,
    pass_at: float,
    scale: tuple[float, float],
    other: str | None,
    **reading: Any,
) -> None:
    """Compare the verdicts of a judge with the marks of people: how often they agree, and in which direction they differ.

    RUN is a run folder, or the run.json in it. Its test set has a column with marks: yes or no, pass or fail, right or wrong, or
    numbers. Where people marked the rows in another file, MARKS names that file: its rows are found by their ids, and options such
    as --encoding say how it is read. Rows without a mark are left out. Nothing is scored again, and nobody is asked.
    """
    from evaluators.api.calibrating import calibration_document, marks_of

    low, high = scale
    if not low < high:
        raise click.BadParameter("the worst mark must be less than the best one", param_hint="--scale")
    reading = reading_settings(**reading)
    if reading and marks is None:
        raise click.UsageError("these options say how a file with marks is read, and none is named")
    marked = None if marks is None else marks_of(marks, human, reading)
    page, measured = calibration_document(
        run_place(run), human, evaluator, pass_at, (low, high), Path(other) if other else None, marked
    )
    print_page(page)
    sys.exit(0 if measured else 3)
