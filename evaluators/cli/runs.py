"""List the runs of a folder, finished and unfinished, and remove what was left unfinished."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from evaluators.cli._options import format_option
from evaluators.cli._printing import print_err, print_out, print_page


@click.command("runs")
@click.argument("folder", type=click.Path(), default="runs", required=False)
@click.option(
    "--clean", is_flag=True, help="Remove the runs that are not finished, after asking. Nothing else is ever removed."
)
@click.option("--yes", "-y", is_flag=True, help="Remove them without asking.")
@format_option("text", "json")
def command(folder: str, clean: bool, yes: bool, format_: str) -> None:
    """List the runs of a folder, finished and unfinished.

    FOLDER is where runs are written; `runs` without it.

    A run that was ended, by a crash or by somebody, leaves what it had scored in its folder.
    `evaluators run SUITE --name NAME --resume` goes on with it, and --clean removes it. A run that is still going is
    never removed.
    """
    from evaluators.reports.runs_page import runs_json, runs_page
    from evaluators.runs.run_listing import list_runs

    if clean:
        _clean(Path(folder), yes)
        return
    runs = list_runs(Path(folder))
    if format_ == "json":
        print_out(runs_json(runs))
    else:
        print_page(runs_page(Path(folder), runs))


def _clean(folder: Path, yes: bool) -> None:
    """Removes the unfinished runs of a folder and prints which, after the user has confirmed, or at once with `yes`. Raises Problems where
    nobody can be asked, and for runs that could not be removed."""
    from evaluators.model.issues import Blame, Issue, Problems, problem
    from evaluators.reports.display import visible
    from evaluators.reports.report_files import folder_names
    from evaluators.reports.runs_page import state_words
    from evaluators.runs.run_folder import remove_unfinished_run
    from evaluators.runs.run_listing import list_runs

    unfinished = [run for run in list_runs(folder) if run.state in ("unfinished", "left behind")]
    if not unfinished:
        print_out("Every run is finished or still going. Nothing is removed.\n")
        return
    for run in unfinished:
        print_err(f"{run.place}: {run.name}, {state_words(run)}")
    if not yes:
        if not sys.stdin.isatty():
            hint = "--clean --yes removes them without asking"
            raise problem("nobody-to-ask", "nobody is there to say yes, so nothing is removed", hint=hint)
        count = "this unfinished run" if len(unfinished) == 1 else f"these {len(unfinished):,} unfinished runs"
        if not click.confirm(f"Remove {count}?", err=True):
            print_out("Nothing is removed.\n")
            return
    issues = []
    for run in unfinished:
        if remove_unfinished_run(run.place, folder_names):
            print_out(visible(f"removed {run.place}{_remaining_files_text(run.place)}") + "\n")
        else:
            why = "it was not removed: its run goes on, or the system refused"
            issues.append(Issue("not-removed", Blame.ENVIRONMENT, why, str(run.place)))
    if issues:
        raise Problems(issues)


def _remaining_files_text(place: Path) -> str:
    """Words about files that are not of the run and stay in the folder of a removed run; empty where there are none."""
    from evaluators.testsets.run_files import is_run_folder

    if not place.exists() or is_run_folder(str(place)):
        return ""
    return f"; what else was in the folder stays: {', '.join(sorted(os.listdir(place)))}"
