"""Check suites, and how one fits a test set, without scoring anything."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from evaluators.cli._completion import suites
from evaluators.cli._options import READING_PLACES, REGISTER, reading_settings
from evaluators.cli._printing import print_out, print_problems


@click.command("check")
@click.argument("suites", nargs=-1, required=True, metavar="SUITE... [TEST_SET]", shell_complete=suites)
@click.option("--with-data", is_flag=True, help="Look at the test set wherever it is: its columns, its paths, its cells.")
@click.option("--all", "whole", is_flag=True, help="Look at every row, not only at the first 200.")
@READING_PLACES
@REGISTER
def command(suites: tuple[str, ...], with_data: bool, whole: bool, **reading: Any) -> None:
    """Check suites.

    SUITE is a YAML file; several can be given. Every problem is shown with its place and a hint. A test set that the suite names and that
    is not there is a warning, and so is a package that a tracker or the engine needs and that is not installed here.

    Where it is there, its first 200 rows are tried as well: you learn of paths that no row has, of expected cells that
    are not JSON or have a key twice, of outputs that cannot be read, of ids that are in several rows, of rows with the
    same input and another answer, and of columns that are never used. The rows come from TEST_SET, or from the test set
    that the suite names. One in a store, and one whose suite asks a judge, is looked at with --with-data; to name a TEST_SET, to say --all,
    or how the test set is read, is to ask for this too.
    """
    from evaluators.model.issues import Problems

    named, test_set = _split_test_set(suites)
    settings = reading_settings(**reading)
    if len(named) == 1:
        sys.exit(_check(named[0], test_set, with_data, whole, settings))
    if settings:
        raise click.UsageError("how a test set is read is said for one suite, and there are several")
    codes = set()
    for suite in named:
        try:
            codes.add(_check(suite, None, with_data, whole, {}))
        except Problems as error:  # they are printed, and the next one is looked at
            codes.add(print_problems(error.issues))
    sys.exit(next((code for code in (2, 3) if code in codes), max(codes)))


def _split_test_set(files: Sequence[str]) -> tuple[Sequence[str], str | None]:
    """The suites among the named files, and the test set: the second of two files where it is no YAML, else None. Raises click.UsageError
    for a test set beside several suites."""
    test_sets = [file for file in files[1:] if not file.lower().endswith((".yaml", ".yml"))]
    if not test_sets:
        return files, None
    if len(files) == 2:
        return files[:1], files[1]
    raise click.UsageError(
        f'a test set is checked with one suite; "{test_sets[0]}" is no YAML file, and there are several others'
    )


def _check(suite: str, test_set: str | None, with_data: bool, whole: bool, settings: Mapping[str, Any]) -> int:
    """Checks a suite and, where it has or is given a test set, how the two fit; prints what was found. Returns the exit code; raises
    Problems for a suite that cannot be used."""
    from evaluators.api.loading import load
    from evaluators.guide import data_checks
    from evaluators.runs.preparing import check_judge
    from evaluators.scoring.values.addresses import allowed_beginnings

    loaded = load(suite)
    data_checks.check_gates(loaded)
    check_judge(loaded)
    absent = data_checks.check_destinations(loaded)
    allowed_beginnings()
    alone = not (with_data or whole or settings or test_set is not None or data_checks.has_data(loaded))
    if alone:
        data_checks.check_columns(loaded)
    print_out(data_checks.suite_words(loaded, alone, absent))
    if alone:
        print_out(data_checks.absence_words(loaded))
        return 0
    findings = data_checks.check_data(loaded, test_set, whole, settings)
    print_out(data_checks.data_words(findings, loaded))
    if findings.problems:
        print_problems(findings.problems)
    return findings.exit_code
