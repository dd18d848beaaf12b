"""Check expected answers against the schema that scores them."""

from __future__ import annotations

import sys
from typing import Any

import click

from evaluators.cli._options import READING, REGISTER, reading_settings
from evaluators.cli._printing import print_out, print_problems


@click.command("check-expected")
@click.argument("expected", type=click.Path())
@click.option("--schema", type=click.Path(), metavar="FILE", help="The schema: a JSON or YAML file, in either dialect.")
@click.option("--schema-column", metavar="NAME", help="The column that holds each row's own schema.")
@click.option("--column", metavar="NAME", help="The column with the expected answers, where its name is not a usual one.")
@click.option("--strict-types", is_flag=True, help="A value of another type than the schema says is a problem, too.")
@READING
@REGISTER
def command(
    expected: str, schema: str | None, schema_column: str | None, column: str | None, strict_types: bool, **reading: Any
) -> None:
    """Check expected answers against the schema that scores them.

    EXPECTED is a file with rows, such as rows.csv, a folder of JSON documents, one JSON document or a list of them, or a
    suite. For a suite, its test set is checked against the schemas of its `schema_match` evaluators and the comparators of
    its fields, unless --schema or --schema-column names another schema.

    A key that the schema does not declare is a problem, because it would not be scored; so is a value that its comparator
    cannot read, such as "n/a" under date. Keys that are declared and absent are warnings.
    """
    from evaluators.guide import expected_checks

    findings = expected_checks.check_answers(
        expected, column, schema, schema_column, strict_types, reading_settings(**reading)
    )
    print_out(findings.words())
    if findings.problems:
        sys.exit(print_problems(findings.problems))
