"""Many rows at once, as columns: what data frames and Arrow batches become.

For each evaluator there are `NAME.score`, `NAME.passed`, `NAME.status` and `NAME.error`, and for each of its listed fields
`NAME.FIELD`, one word, and `NAME.FIELD.score`; then the same four for the overall score. Which columns there are depends on the suite
alone, and every row that comes in goes out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from evaluators.model.issues import Problems, problem
from evaluators.model.result_table import Kind
from evaluators.model.rows import FIELD_STATUSES, Result
from evaluators.reports.names import flat_columns
from evaluators.reports.rows import error_text, field_numbers
from evaluators.runs.overall import OVERALL, overall_names, overall_verdict
from evaluators.scoring.needs import ROLES, Part, Role
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.testsets.columns import guess_columns, no_such_column, say_which_in_python

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

Roles: TypeAlias = Mapping[Role, str]

_WHOLE: Final[dict[str, Kind]] = {"score": "score", "passed": "passed", "status": "text", "error": "text"}
_FIELD: Final[tuple[Kind, ...]] = ("text", "score")


def columns_of(lines: Sequence[EvaluatorLine], fields: bool = True) -> dict[str, Kind]:
    """The names of the columns with the scores of some evaluators, in order, each with its kind. Without `fields`, fields have none.

    A name that is taken already gets a number: `header.score (2)`.
    """
    listed: list[tuple[str, Sequence[str]]] = [
        (line.name, line.settings.scored_fields().of_rows if fields else ()) for line in lines
    ]
    if OVERALL not in [line.name for line in lines]:
        listed.append((OVERALL, ()))
    kinds = [kind for _, own in listed for kind in (*_WHOLE.values(), *(_FIELD * len(own)))]
    return dict(zip(flat_columns(listed, tuple(_WHOLE)), kinds, strict=True))


def roles_in(
    suite: LoadedSuite, header: Sequence[str], columns: Roles | None, argument: str = "columns"
) -> dict[str, str]:
    """The column that plays each role, by role: as `columns` says, or else the suite, or else by its usual name. Roles without a column
    are left out. `argument` is what messages call the argument `columns`.

    Raises Problems with everything that is unclear or not there.
    """
    named = {**suite.test_set.columns.named(), **(columns or {})}
    which = partial(say_which_in_python, argument=argument)
    found = guess_columns(header, named, needed=suite.needed_roles(), name="the table", which=which)
    issues = [no_such_column(name, header, "the table") for name in suite.named_columns() if name not in header]
    if issues:
        raise Problems(issues)
    roles: dict[str, str] = {role: column for role in ROLES if (column := found.of(role)) is not None}
    suite.check_columns(roles)
    return roles


def verdict_columns(
    lines: Sequence[EvaluatorLine],
    verdicts: Sequence[Sequence[Result]],
    overall: Sequence[str],
    fields: bool = True,
) -> list[list[Any]]:
    """The cells of the columns that `columns_of` names, in their order, from the verdicts of each evaluator on all rows.

    `overall` are the evaluators that the overall score is made of; where it is the one that is called "overall", there are no further
    columns for it. Without `fields`, the columns of fields are left out.
    """
    columns: list[list[Any]] = []
    for line, column in zip(lines, verdicts, strict=True):
        columns += [*_row_columns(column), *(_field_columns(line, column) if fields else ())]
    if tuple(overall) != (OVERALL,):
        parts = [column for line, column in zip(lines, verdicts, strict=True) if line.name in overall]
        columns += _row_columns([overall_verdict(row) for row in zip(*parts, strict=True)])
    return columns


def arrow_type(kind: Kind) -> Any:
    """The Arrow type of a column."""
    import pyarrow

    return {"score": pyarrow.float64, "passed": pyarrow.bool_, "text": pyarrow.string}[kind]()


def _row_columns(verdicts: Sequence[Result]) -> list[list[Any]]:
    """The four columns of an evaluator for rows as wholes: score, whether it passed, status, and what kept a row from being
    measured."""
    return [
        [verdict.score for verdict in verdicts],
        [verdict.passed for verdict in verdicts],
        [verdict.status.word for verdict in verdicts],
        [
            (error_text(verdict.issue) or verdict.status.plain) if verdict.status.kept_out else None
            for verdict in verdicts
        ],
    ]


def _field_columns(line: EvaluatorLine, verdicts: Sequence[Result]) -> Iterator[list[Any]]:
    """Yields two columns for each listed field: its status, as a word, and its score. Rows without statuses have None in both."""
    listed = len(line.settings.scored_fields().of_rows)
    nothing = (None,) * listed
    measured = [bool(verdict.statuses) for verdict in verdicts]
    numbers = [field_numbers(verdict) if there else nothing for verdict, there in zip(verdicts, measured, strict=True)]
    for index in range(listed):
        yield [
            FIELD_STATUSES[verdict.statuses[index]].word if there else None
            for verdict, there in zip(verdicts, measured, strict=True)
        ]
        yield [row[index] for row in numbers]


def overall_of(lines: Sequence[EvaluatorLine], wanted: str | None) -> tuple[str, ...]:
    """The evaluators that the overall score is the mean of: the wanted one, or the one called `overall`, or all that are no part
    of a composite.

    Raises Problems (config) when there is no such evaluator, or another one is called overall.
    """
    names = [line.name for line in lines]
    if wanted is not None and wanted not in names:
        raise problem("unknown-evaluator", f'there is no evaluator "{wanted}"', hint=f"evaluators: {', '.join(names)}")
    if OVERALL in names and wanted not in (None, OVERALL):
        message = f'an evaluator is called "overall", so "{wanted}" cannot be the overall score'
        raise problem("two-overall", message, hint="give that evaluator another name")
    parts = {need.evaluator for line in lines for need in line.settings.needs() if isinstance(need, Part)}
    return (wanted,) if wanted is not None else overall_names(names, parts)
