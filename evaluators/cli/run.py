"""Score the rows of a test set with a suite."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from evaluators.cli._completion import suites
from evaluators.cli._options import (
    EVERY_TABLE,
    EXPECTED,
    EXPLAIN,
    OUTPUTS_FROM,
    READING,
    REGISTER,
    RUN_FILES,
    TRACE_ROWS,
    Evidence,
    GroupedCommand,
    WholeNumber,
    comma_separated,
    pairs,
    reading_settings,
    report_option,
)
from evaluators.cli._printing import (
    add_to_step_summary,
    annotated_problems,
    link_line,
    print_err,
    print_out,
    print_problems,
    print_run,
)
from evaluators.cli._progress import progress_line, sending_progress

if TYPE_CHECKING:
    from evaluators.api.run_options import RunOptions
    from evaluators.api.suite import Suite
    from evaluators.api.written_run import Finished
    from evaluators.model.issues import Issue
    from evaluators.runs.preparing import Prepared


COUNT = WholeNumber(1)
GROUPS: Final = {
    "Which rows": ("--limit", "--sample", "--seed", "--where"),
    "How the test set is read": (
        "--columns", "--expected", "--outputs-from", "--outputs", "--test-set-format", "--delimiter", "--encoding",
        "--sheet", "--header-row", "--list",
    ),
    "What is kept": (
        "--report", "--results", "--name", "--force", "--resume", "--no-results", "--formats", "--evidence",
    ),
    "What is printed": ("--verbose", "--quiet", "--explain", "--lowest-fields", "--hardest", "--format", "--open"),
    "Judges": ("--dry-run", "--repeat-judge"),
    "Workers": ("--workers", "--engine"),
    "Trackers": ("--track", "--trace-rows"),
}  # fmt: skip
"""The options in the help, by what they are about."""


@click.command("run", cls=GroupedCommand, groups=GROUPS)
@click.argument("suite", shell_complete=suites)
@click.argument("test_set", type=click.Path(), required=False)
@report_option(f"Also write the results to FILE, which may be an address, such as s3://bucket/rows.jsonl. {RUN_FILES}")
@click.option(
    "--results",
    type=click.Path(),
    metavar="FOLDER",
    help="The folder for run folders, or the address of one, such as s3://bucket/runs. Without it, the suite's choice or `runs` is "
    "taken.",
)
@click.option(
    "--no-results",
    is_flag=True,
    help="Write no run folder. Examples of mistakes and suggestions need it, so there are none.",
)
@click.option(
    "--name",
    metavar="NAME",
    help="The name of this run's folder. Without it, date and time are taken. Where there is something of that name already, the folder "
    "is NAME-2, NAME-3 and so on.",
)
@click.option("--force", is_flag=True, help="Replace a run of the same name.")
@click.option(
    "--resume",
    is_flag=False,
    flag_value="",
    metavar="[RUN]",
    help="Go on with a run that was ended: its finished splits are taken as they are. `--name NAME --resume` also begins a run that "
    "was never begun, and leaves a finished one as it is. `--resume RUN` names a run that has to be there; write it at the end.",
)
@click.option(
    "--formats",
    callback=comma_separated,
    metavar="WORD,…",
    help="The files of the run folder beside run.json, summary.txt and run.db: answers, cells, codes, confidence, csv, field_sums, "
    "fields, html, json, junit, labels, markdown, measures, outcomes, parquet, repeats, report, rows, text.",
)
@click.option(
    "--evidence",
    type=Evidence(),
    metavar="first, all or N",
    help="How many rows with a wrong result a long run records for each field: a number, `first` (200), or `all`.",
)
@click.option("--lowest-fields", type=WholeNumber(0), help="List the N fields with the lowest accuracy.")
@click.option(
    "--hardest",
    type=WholeNumber(0),
    default=0,
    help="List the N rows with the lowest scores, and why. How long a row took is not kept: the same input gives the "
    "same results.",
)
@click.option(
    "--track",
    multiple=True,
    metavar="NAME",
    help="Send the finished run to this tracker, in place of those that the suite names; `none` is no tracker. Can be given "
    "several times.",
)
@TRACE_ROWS
@click.option(
    "--dry-run",
    is_flag=True,
    help="Score nothing and send nothing: say what a judge would be asked, and about how many tokens that takes.",
)
@click.option(
    "--watch",
    "watching",
    is_flag=True,
    help="Score again whenever the suite or the data changes, and compare with the run before. No run folder is written, and "
    "nothing is sent to a tracker. Ctrl-C ends it.",
)
@EVERY_TABLE
@EXPLAIN
@click.option("--quiet", "-q", is_flag=True, help="Print one line in place of the summary.")
@click.option(
    "--open", "opening", is_flag=True, help="Show the finished run as a page in the browser, as `evaluators view` does."
)
@click.option(
    "--format",
    "print_as",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    help="What is printed: the summary for people, all metrics as JSON for programs, or annotations for GitHub Actions, "
    "with the summary on the page of the step.",
)
@click.option("--limit", type=COUNT, help="Score only the first N rows.")
@click.option("--sample", type=COUNT, help="Score only N rows, chosen by chance, the same every time.")
@click.option("--seed", type=WholeNumber(), default=0, help="Another seed chooses another sample.")
@click.option(
    "--where",
    callback=pairs,
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Score only rows whose column has this value; true is TRUE, too, and 2 is 2.0. Can be given several times: all must hold.",
)
@READING
@EXPECTED
@OUTPUTS_FROM
@click.option(
    "--outputs",
    type=click.Path(),
    metavar="PLACE",
    help="A folder, or a pattern in quotes, that holds the outputs of several variants.",
)
@click.option(
    "--test-set-format",
    metavar="WORD",
    help="How the test set is read, where its name does not say: csv, tsv, jsonl, json, parquet or xlsx.",
)
@click.option(
    "--repeat-judge",
    type=COUNT,
    default=1,
    metavar="K",
    help="Ask a judge each question K times. The first answer counts; the summary says how often all of them agree.",
)
@click.option(
    "--workers",
    type=COUNT,
    help="Score N pieces of the test set at the same time, in N processes. The results are the same for any N.",
)
@click.option(
    "--engine",
    metavar="NAME",
    help="Where rows are scored, in place of what the suite says: in_process, processes, dask or ray. The results are the same.",
)
@REGISTER
def command(suite: str, test_set: str | None, **options: Any) -> None:
    """Score the rows of a test set with a suite.

    SUITE is a YAML file. TEST_SET is a file with rows, such as rows.csv, a folder or a pattern of such files, or the
    address of one, such as s3://bucket/rows.csv; `-` is standard input. Without it, the test set that the suite names is taken.
    """
    from evaluators.api.execute import finish
    from evaluators.api.loading import load
    from evaluators.cli._endings import interruptible
    from evaluators.runs.exit_code import with_later_issues

    if options["opening"] and (without := next((option for option in _WITHOUT_FOLDER if options[option]), None)):
        raise click.UsageError(f"--open shows the page of a run folder, and {_WITHOUT_FOLDER[without]} writes none")
    if options["watching"]:
        from evaluators.cli._watch import watch_run

        watch_run(suite, test_set, _run_options(options, results=None, tracked=("none",)))
        return
    with annotated_problems() if options["print_as"] == "github" else nullcontext():
        loaded = load(suite)
        line = progress_line()
        with interruptible() as stopped, line or nullcontext():
            results = _results_folder(options, loaded)
            if options["dry_run"]:
                _print_dry_run(loaded, test_set, _run_options(options, results=None, tracked=()))
                return
            tracked = options["track"] or tuple(tracker.name for tracker in loaded.tracking)
            shown: list[Issue] = []
            sending = None if options["quiet"] else sending_progress()

            def before_sending(finished: Finished) -> None:
                """Prints the run before it is sent to trackers. From here on, the first Ctrl-C ends the command."""
                stopped.at_once = True
                if line is not None:
                    line.clear()
                shown.extend(_print_finished(finished, options))

            run_options = _run_options(options, results, tracked) | {
                "stopped": stopped, "before_sending": before_sending, "sending": sending,
            }  # fmt: skip
            if line is not None:
                run_options |= {"progress": line, "asked": line.show_asking}
            finished = finish(loaded, test_set, **run_options)
            if sending is not None:
                sending.clear()
    unprinted = tuple(shown) if stopped.at_once else _print_finished(finished, options)
    _print_interrupted_runs(results)
    _print_notes(finished, options["quiet"])
    if refused := (*finished.refused, *unprinted):
        print_problems(refused)
    if options["opening"] and (place := finished.folder) is not None:
        from evaluators.cli.view import show_page

        print_err(f"opened {show_page(finished.place or str(place), place, opened=True)}")
    sys.exit(with_later_issues(finished.result, unprinted).exit_code)


def _print_interrupted_runs(results: str | Path | None) -> None:
    """Prints to standard error the runs in the folder `results` that were ended before their end; nothing for a folder in a store."""
    if not isinstance(results, Path):
        return
    from evaluators.runs.folder_lock import lock_state
    from evaluators.runs.run_listing import unfinished_runs

    left = [folder for folder in unfinished_runs(results) if lock_state(folder) == "mine"]
    for folder in left:
        print_err(f'{folder}: left by the run "{folder.name}", which was ended before its end')
    if left:
        print_err("`evaluators runs` says what they hold, and `evaluators runs --clean` removes them.")


def _print_finished(finished: Finished, options: dict[str, Any]) -> tuple[Issue, ...]:
    """Prints the run, and notices to standard error. Returns the issues that kept the run from being printed: they are not raised, because
    the run itself has ended and is stored."""
    from evaluators.model.issues import Problems

    try:
        _print_result(finished, options)
    except Problems as error:
        return error.issues
    finally:
        if finished.taken is not None:
            print_err(f"{finished.taken} is there already, so this run is in {finished.place or finished.folder}")
        if finished.notice and not options["quiet"]:
            print_err(finished.notice)
    return ()


def _results_folder(options: dict[str, Any], suite: Suite) -> str | Path | None:
    """The folder for run folders: None with `--no-results`, a path, or an address in a store as text. Raises Problems for an
    address in the suite that cannot be used."""
    from evaluators.testsets.byte_store import scheme_of

    if options["no_results"]:
        return None
    named = options["results"] or suite.results.folder
    if scheme_of(named) is None:
        return Path(options["results"] or _folder_of_suite(suite))
    if not options["results"]:
        from evaluators.runs.preparing import check_results

        check_results(named)
    return str(named)


def _folder_of_suite(suite: Suite) -> Path:
    """The folder of results that a suite names. Where that is not the folder of that name in the current one, because it is relative to
    the suite, a note about it is printed."""
    named, folder = Path(suite.results.folder), suite.results_folder
    if folder is None or folder.resolve() == named.resolve():
        return named
    print_err(f"note: results go to {folder}: `folder` under `results` is relative to the suite")
    return folder


def _run_options(options: dict[str, Any], results: str | Path | None, tracked: tuple[str, ...]) -> RunOptions:
    """The options of a run, made from those of the command line. `results` is the folder for run folders, `tracked` names the trackers."""
    from evaluators.testsets.selection import Selection

    own = {"output": options["output"], "outputs": options["outputs"], "format": options["test_set_format"]}
    run_options: RunOptions = {
        "test_set_settings": reading_settings(**{name: options[name] for name in _READING}, **own),
        "selection": Selection(options["limit"], options["sample"], options["seed"], options["where"]),
        "results": results,
        "resume": options["resume"] or options["resume"] is not None,  # the run's name; True for `--resume` alone
        "command": tuple(sys.argv[1:]),
        "track": tracked or None,
        "before_asking": partial(_print_questions, repeat_judge=options["repeat_judge"]),
        "summary": not options["quiet"] and options["print_as"] != "json",
    }
    return cast("RunOptions", {name: options[name] for name in _AS_GIVEN} | run_options)


_WITHOUT_FOLDER: Final = {"no_results": "--no-results", "dry_run": "--dry-run", "watching": "--watch"}
_READING: Final = ("columns", "delimiter", "encoding", "sheet", "header_row", "list", "expected")
_AS_GIVEN: Final = (
    "workers", "engine", "name", "force", "formats", "evidence", "repeat_judge", "lowest_fields", "files", "hardest",
    "trace_rows",
)  # fmt: skip
"""Options that a run takes by the same name."""


def _print_result(finished: Finished, options: dict[str, Any]) -> None:
    """Prints the run as `--format` and `--quiet` ask for: JSON, one line, annotations for GitHub, or the summary."""
    from msgspec.structs import replace

    if options["print_as"] == "json":
        from evaluators.runs.run_json import run_json

        print_out(run_json(replace(finished.result, folder=finished.named)))
        return
    if options["quiet"] and options["print_as"] != "github":
        from evaluators.reports.headline import one_line

        print_out(one_line(finished.result) + "\n")
        return
    if options["print_as"] == "github":
        from evaluators.reports.github import run_annotations
        from evaluators.reports.run_page import run_page

        add_to_step_summary(run_page(finished.result, finished.options))
        print_out(run_annotations(finished.result, finished.options))
        return
    folder = finished.place or finished.folder
    files = (*(() if folder is None else (f"{folder}: the run folder",)), *map(str, finished.files))
    named = "" if folder is None else shlex.quote(str(folder))
    shown = replace(finished.options, files=files, run=named, explain=options["explain"])
    print_run(finished.result, shown, options["verbose"])


def _print_questions(prepared: Prepared, repeat_judge: int) -> None:
    """Prints where questions go and how many there are at most to standard error, before the first one."""
    from evaluators.runs.dry_run import dry_run_lines

    for line in dry_run_lines(prepared, repeat_judge)[0]:
        print_err(line)


def _print_dry_run(loaded: Suite, test_set: str | None, options: RunOptions) -> None:
    """Prints, in place of a run, where it would send questions, how many at most, and what they would cost; nothing is sent."""
    from evaluators.api.run_options import prepare_rows
    from evaluators.runs.dry_run import dry_run_lines

    lines, function_questions = dry_run_lines(prepare_rows(loaded, test_set, options), options["repeat_judge"])
    if function_questions:
        lines.append(f"{function_questions:,} different questions go to functions of this program.")
    print_out("".join(f"{line}\n" for line in lines or ["Nothing would be sent anywhere."]))


def _print_notes(finished: Finished, quiet: bool) -> None:
    """Prints to standard error what is no part of the results: requests to judges, splits that were scored more than once, where the
    run was sent, and which trackers failed."""
    environment = finished.result.environment
    if environment is not None and environment.asked is not None and environment.asked.requests and not quiet:
        from evaluators.reports.sections.judges import asked_text

        print_err(f"Judge: {asked_text(environment.asked)}")
    if environment is not None and (times := environment.scored_again):
        splits = "1 split was" if times == 1 else f"{times:,} splits were"
        print_err(f"{splits} scored once more, because a worker was lost")
    if finished.sent is None:
        return
    for link in finished.sent.links if not quiet else ():
        print_err(link_line(link))
    if finished.sent.issues:
        print_problems(finished.sent.issues)
