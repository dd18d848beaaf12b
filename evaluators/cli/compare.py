"""Compare two runs row by row, or the variants of one run."""

from __future__ import annotations

import sys
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluators.cli._completion import suites
from evaluators.cli._named_runs import newest_runs_of_suite, run_place
from evaluators.cli._options import REGISTER, WholeNumber, comma_separated, report_option
from evaluators.cli._printing import add_to_step_summary, print_out, print_page

if TYPE_CHECKING:
    from evaluators.api.suite import Suite
    from evaluators.runs.compare.comparison import RunComparison


def read_limits(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, float]:
    """The numbers by target, from the `TARGET=NUMBER` texts of an option. Raises click.BadParameter for a number that is not from 0 to
    1."""
    options: dict[str, float] = {}
    for value in values:
        target, _, number = value.rpartition("=")
        try:
            limit = float(number)
        except ValueError:
            limit = -1.0
        if not target or not 0 <= limit <= 1:
            raise click.BadParameter(
                f'"{value}" is not of the form {param.metavar}, with a number from 0 to 1', ctx, param
            )
        options[target] = limit
    return options


@click.command("compare")
@click.argument("runs", nargs=-1, metavar="[BASE] NEW", type=click.Path())
@click.option("--suite", shell_complete=suites, metavar="FILE", help="The suite whose section `compare` says what fails.")
@click.option(
    "--variants",
    "among",
    is_flag=True,
    help="Compare variants of one run: `evaluators compare RUN --variants a b`. Without names, all of them.",
)
@click.option(
    "--fail-on",
    callback=comma_separated,
    metavar="WORD,…",
    help="What fails: significant_drop, broken_rows or both; `nothing` fails nothing. Without it, what the suite says, "
    "and without a suite significant_drop.",
)
@click.option("--max-broken-rows", type=WholeNumber(0), help="Fail when more than N rows are newly wrong.")
@click.option(
    "--max-drop",
    callback=read_limits,
    multiple=True,
    metavar="TARGET=X",
    help="Fail when an evaluator, or a field as in header.total=0.01, is lower by more than X. Can be given several times.",
)
@click.option("--common", is_flag=True, help="Compare what two different runs have in common, in place of refusing.")
@click.option(
    "--update-baseline",
    is_flag=True,
    help="Copy the run folder NEW to where the suite has its baseline, in place of comparing.",
)
@report_option("Also write the comparison to FILE, as its ending says: .html, .md, .txt, .json, .csv or .xml (JUnit).")
@click.option("--quiet", "-q", is_flag=True, help="Print one line in place of the page.")
@click.option(
    "--format",
    "print_as",
    type=click.Choice(["text", "markdown", "json", "csv", "github"]),
    default="text",
    help="What is printed: the page for people, metrics for programs, or annotations for GitHub Actions.",
)
@REGISTER
def command(runs: tuple[str, ...], suite: str | None, **options: Any) -> None:
    """Compare two runs row by row, or the variants of one run.

    BASE and NEW are run folders; without any, the last two runs of the newest run's suite in `runs`. Without BASE, it is the baseline
    that the suite names. Of a run.json alone the metrics are compared, without pairs of rows: rules about rows end with 4 then.

    Rows are paired by their ids. You learn which rows are fixed and which are broken, how much each evaluator and each
    field gained or lost, each with its p-value.

    A row that the base scored and NEW did not is lost: it is listed, and broken for the regression checks where the base passed.
    """
    from evaluators.api.comparisons import compared_sides
    from evaluators.api.loading import load
    from evaluators.api.remote_files import write_places
    from evaluators.model.issues import Problems
    from evaluators.reports.format import comparison_format_for
    from evaluators.reports.html.compared_rows import ComparedRuns
    from evaluators.reports.report_files import check_left_files, check_outside_test_sets
    from evaluators.runs.reader import Run
    from evaluators.runs.store import check_written, open_text
    from evaluators.testsets.run_files import is_run_folder

    loaded = load(suite) if suite is not None else None
    if options["update_baseline"]:
        _update_baseline(runs, loaded)
        return
    files = [*map(Path, options["files"])]
    for file in files:
        comparison_format_for(file)  # or nothing is compared
    places = _run_places(runs, options["among"])
    comparison = _make_comparison(places, runs, loaded, options)
    check_written(options["files"])
    if issues := check_left_files(files) or check_outside_test_sets(
        files, (Run(place) for place in places if is_run_folder(str(place)))
    ):
        raise Problems(issues)

    def sides_for(file: Path) -> ComparedRuns:
        """The two runs, for a page that is written to `file`."""
        sides = compared_sides(places, runs[1:] if options["among"] else None, loaded)
        return ComparedRuns(*sides, file.parent if file in files else None)

    def write(some: list[Path]) -> list[Path]:
        """Writes the comparison into each file, in the format of its ending, and returns the files."""
        for file in some:
            with open_text(file) as stream:
                comparison_format_for(file).write_compared(comparison, partial(sides_for, file), stream)
        return some

    _print_comparison(comparison, tuple(write_places(options["files"], write)), options)
    sys.exit(comparison.exit_code)


def _run_places(runs: tuple[str, ...], among: bool) -> list[Path]:
    """The places of the runs that are compared, the base before the new one; a single one for variants (`among`), and for a comparison with
    the baseline of a suite. Raises click.UsageError for more than two."""
    if among:
        return [run_place(runs[0] if runs else None)]
    if len(runs) > 2:
        raise click.UsageError(f"a comparison needs two runs, and {len(runs)} are named; name two runs, BASE and NEW")
    return [*map(run_place, runs)] if runs else newest_runs_of_suite(2)[::-1]


def _make_comparison(
    places: list[Path], runs: tuple[str, ...], suite: Suite | None, options: dict[str, Any]
) -> RunComparison:
    """The comparison that the command line asks for: of the variants of a run, of two runs, or of a run with the baseline of the suite.
    Raises click.UsageError where only one run is named, and no suite."""
    from evaluators.api.comparisons import compare, compare_variants, compare_with_baseline

    rules = {name: options[name] for name in ("max_broken_rows", "max_drop", "common")}
    if (words := options["fail_on"]) is not None:
        rules["fail_on"] = () if words == ("nothing",) else words
    if options["among"]:
        return compare_variants(places[0], runs[1:], suite=suite, **rules)
    if len(places) == 2:
        return compare(*places, suite=suite, **rules)
    if suite is not None:
        return compare_with_baseline(suite, places[0], **rules)
    hint = "name a BASE before it, or a --suite that has a baseline"
    raise click.UsageError(f"a comparison needs two runs, and 1 is named; {hint}")


def _update_baseline(runs: tuple[str, ...], suite: Suite | None) -> None:
    """Copies the run over the baseline of the suite, and prints that. Raises click.UsageError without a suite, or where not just one run
    is named."""
    from evaluators.api.comparisons import baseline_of, update_baseline
    from evaluators.runs.metrics import rows_text

    if suite is None or len(runs) != 1:
        raise click.UsageError("--update-baseline takes one run, and the --suite that names the baseline")
    file = baseline_of(suite)
    run = run_place(runs[0])
    rows, shown = rows_text(update_baseline(run, file)), suite.config.source.filled.masked(str(file))
    print_out(f"{shown}: the baseline is now {run if run.name.startswith(runs[0]) else runs[0]}, with {rows}.\n")


def _print_comparison(comparison: RunComparison, files: tuple[str, ...], options: dict[str, Any]) -> None:
    """Prints the comparison as `--format` and `--quiet` ask for: annotations for GitHub, another format, one line, or the page, which lists
    `files`."""
    from evaluators.reports.comparison_page import comparison_line, comparison_page
    from evaluators.reports.display import visible

    kind = options["print_as"]
    if kind == "github":
        from evaluators.reports.github import comparison_annotations

        add_to_step_summary(comparison_page(comparison))
        print_out(comparison_annotations(comparison))
    elif kind != "text":
        from evaluators.reports.format import FORMATS

        stream = StringIO(newline="")
        FORMATS.find(kind)().write_comparison(comparison, stream)
        print_out(stream.getvalue())
    elif options["quiet"]:
        print_out(visible(comparison_line(comparison)) + "\n")
    else:
        print_page(comparison_page(comparison, files))
