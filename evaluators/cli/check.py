"""Check a suite, and how it fits a test set, without scoring anything."""

from __future__ import annotations

import sys

import click

from evaluators.cli._completion import suites


@click.command("check")
@click.argument("suite", shell_complete=suites)
@click.argument("test_set", type=click.Path(), required=False)
@click.option("--with-data", is_flag=True, help="Also look at the test set: its columns, its paths, its cells.")
@click.option("--all", "whole", is_flag=True, help="Look at every row, not only at the first 200.")
def command(suite: str, test_set: str | None, with_data: bool, whole: bool) -> None:
    """Check a suite.

    SUITE is a YAML file. Every problem is shown with its place and a hint. No data is read, so the answer comes at once. A
    test set that the suite names and that is not there is a warning.

    With --with-data, the first 200 rows are tried as well: you learn of paths that no row has, of expected cells that
    are not JSON or have a key twice, of outputs that cannot be read, of ids that stand in several rows, of rows with the
    same input and another answer, and of columns that are never used. The rows come from TEST_SET, or from the test set
    that the suite names. To name a TEST_SET, or to say --all, is to ask for this too.

    The exit code is 0 when there is no problem, 2 for problems of the suite and 3 for problems of the test set.
    """
    from evaluators.api.loading import load
    from evaluators.cli import _checking
    from evaluators.cli._endings import print_problems
    from evaluators.cli._printing import say

    loaded = load(suite)
    _checking.check_gates(loaded)
    say(_checking.suite_words(loaded))
    if not (with_data or whole or test_set is not None):
        say(_checking.absence_words(loaded))
        return
    look = _checking.look(loaded, test_set, whole)
    say(_checking.data_words(look))
    if look.problems:
        print_problems(look.problems)
    sys.exit(look.exit_code)
