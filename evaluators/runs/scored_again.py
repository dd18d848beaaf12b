"""The rows of a run scored once more, from the cells that it kept, by the suite in its folder: for whoever lists what matches.

A run records what is wrong. What matches is found in the one way in which rows are scored, and only where that says of each row what
the run says of it: nobody is asked, and no function of a user's is called, once a run has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from evaluators.model.issues import Problems, problem
from evaluators.model.rows import MISSING, Result, RowStatus
from evaluators.runs.loaded_suite import LoadedSuite
from evaluators.runs.reader import Run
from evaluators.runs.record_checks import read_outcome
from evaluators.runs.record_facts import Declared
from evaluators.runs.record_lines import OutcomeLine, Recorded, outcome_line, row_outcome
from evaluators.runs.recorder import LONGEST
from evaluators.scoring.fields.listed import ListedTree
from evaluators.scoring.fields.outcomes import Documents
from evaluators.scoring.fields.tree import nodes
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.need_steps import Reading
from evaluators.scoring.plan.suite_plan import Plan, compile_plan
from evaluators.scoring.values.json_text import compact

_CHUNK: Final = 256


def can_score_again(suite: LoadedSuite) -> bool:
    """Whether the suite in a run folder scores rows on any machine as the run did: it asks nobody, calls no program of the
    user, and takes nothing from the environment."""
    stands_alone = not suite.inferred_schemas and not suite.config.source.filled
    return stands_alone and all(
        line.settings.asking() is None and not calls_a_program(line) and not _has_schemas_in_rows(line)
        for line in suite.lines
    )


def _has_schemas_in_rows(line: EvaluatorLine) -> bool:
    """Whether the schemas by which an evaluator scores stand in the rows."""
    scored = line.settings.scored_fields()
    return scored.by_schema and scored.tree is None


def calls_a_program(line: EvaluatorLine) -> bool:
    """Whether an evaluator uses a comparator, transform or function that does not ship with the package: it is called only when
    the rows are scored, and not again by readers."""
    tree = line.settings.scored_fields().tree
    parts: list[object] = [line.settings, *getattr(line.settings, "post_process", ())]
    transforms = [*getattr(line.settings, "transforms", ())]
    if isinstance(tree, ListedTree):
        parts += [part.comparator for part in tree.scored_lines if part.comparator is not None]
        transforms += [each for part in tree.scored_lines for each in part.transforms]
    elif (root := getattr(tree, "root", None)) is not None:
        parts += [metric.comparator for node in nodes(root, once=True) for metric in node.all_metrics]
        transforms += [each for node in nodes(root, once=True) for each in node.transforms]
    return not all(_module_of(part).startswith("evaluators.") for part in (*parts, *(each.apply for each in transforms)))


def _module_of(value: object) -> str:
    """The name of the module of a function, or of the type of any other value."""
    function = getattr(value, "func", value)  # of one with arguments
    return str(getattr(function, "__module__", None) or type(value).__module__)


def with_matches(record: Run, lines: Sequence[EvaluatorLine], reading: Reading) -> Run:
    """The run, which also lists values that match in whole documents: evaluators of its suite (`lines`) find them in its cells
    once more. The run as it is where it lists them already, or lacks cells."""
    if all(variant.matches for variant in record.facts.variants) or not record.has_every_cell:
        return record
    return record.but(matches=partial(_score_again, record, compile_plan(lines, record.result.columns, reading)))


def _score_again(record: Run, plan: Plan, variant: str | None, only: int | None) -> Iterator[OutcomeLine]:
    """All outcomes that evaluators with a schema have in whole documents of a variant, in the order of rows, or of the row
    `only`: the cells are scored once more, and the outcomes are as a run has them that records everything.

    Raises Problems (config) for a row whose result differs from that of the run.
    """
    verdicts = record.verdicts(variant)
    rows, cells = record.row_lines(variant, verdicts, only), record.cells(variant, only)
    rows_with_cells = zip(rows, (line for line in cells if only in (None, line.row)), strict=False)
    listed = [
        (place, evaluator)
        for place, evaluator in enumerate(plan.evaluators)
        if evaluator.line.settings.scored_fields().by_schema
    ]
    while some := list(islice(rows_with_cells, _CHUNK)):
        columns = {name: [line.cells.get(name, MISSING) for _, line in some] for name in plan.columns}
        with plan.score_chunk(columns, len(some)) as slots:
            for index, (row, line) in enumerate(some):
                for place, evaluator in listed:
                    stored: Result = verdicts[place][row.codes[place]]
                    if row.row != line.row or _main_parts(slots[evaluator.verdicts][index]) != _main_parts(stored):
                        raise _differs_problem(row.row)
                    if (documents := plan.documents_from(evaluator, slots, index)) is not None:
                        yield from _outcome_lines(row.row, evaluator.line.name, documents)


def _outcome_lines(row: int, evaluator: str, documents: Documents) -> Iterator[OutcomeLine]:
    """The outcomes of one row by one evaluator, in the form in which recorded ones are read."""
    scored, begin = documents.scored, b'{"row":%d,"evaluator":%b,' % (row, compact(evaluator))
    whole = row_outcome(Recorded(outside=scored.outside, schema=Declared.of(documents.root).hash))
    outcomes: list[OutcomeLine] = [*([] if whole is None else [whole]), *scored.arrays, *scored.fields]
    for outcome in outcomes:
        yield read_outcome(
            (begin + outcome_line(outcome, LONGEST - len(begin))[1:]).decode(), partial("row {}".format, row)
        )


def _differs_problem(row: int) -> Problems:
    """The problem (config) of a row whose result is another one when it is scored again."""
    message = f"row {row} is not scored as it was when the run was made, so what matches in it cannot be listed"
    return problem(
        "scored-otherwise", message, hint="score the test set again, with the file: evaluators run SUITE -o FILE"
    )


def _main_parts(verdict: Result) -> tuple[RowStatus, int, int, bytes]:
    """The status, the exact score and the field statuses of a verdict: what must be the same when a row is scored again."""
    return verdict.status, verdict.num, verdict.den, verdict.statuses
