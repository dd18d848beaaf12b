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
from evaluators.runs.reader import Run, outcome_of
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


def comes_again(suite: LoadedSuite) -> bool:
    """Whether the suite in a run folder scores rows on any machine as the run scored them."""
    alone = not suite.inferred_schemas and not suite.config.source.filled
    return alone and all(
        line.settings.asking() is None and not calls_a_program(line) and not _by_schemas_of_rows(line)
        for line in suite.lines
    )


def _by_schemas_of_rows(line: EvaluatorLine) -> bool:
    scored = line.settings.scored_fields()
    return scored.by_schema and scored.tree is None


def calls_a_program(line: EvaluatorLine) -> bool:
    """Whether something scores its rows that does not ship with the package: that is called once, when the rows are scored."""
    tree = line.settings.scored_fields().tree
    parts: list[object] = [line.settings, *getattr(line.settings, "post_process", ())]
    transforms = [*getattr(line.settings, "transforms", ())]
    if isinstance(tree, ListedTree):
        parts += [part.comparator for part in tree.scored if part.comparator is not None]
        transforms += [each for part in tree.scored for each in part.transforms]
    elif (root := getattr(tree, "root", None)) is not None:
        parts += [metric.comparator for node in nodes(root, once=True) for metric in node.all_metrics]
        transforms += [each for node in nodes(root, once=True) for each in node.transforms]
    return not all(_module(part).startswith("evaluators.") for part in (*parts, *(each.apply for each in transforms)))


def _module(value: object) -> str:
    """The module of a function, or of the type of anything else."""
    function = getattr(value, "func", value)  # of one with arguments
    return str(getattr(function, "__module__", None) or type(value).__module__)


def with_matches(record: Run, lines: Sequence[EvaluatorLine], reading: Reading) -> Run:
    """The record with what matches in whole documents, which `lines`, those of its suite, find once more in its cells; as it is where
    it tells that, or lacks cells."""
    if all(variant.matches for variant in record.facts.variants) or not record.has_every_cell:
        return record
    return record.but(matches=partial(_scored, record, compile_plan(lines, record.result.columns, reading)))


def _scored(record: Run, plan: Plan, variant: str | None, only: int | None) -> Iterator[OutcomeLine]:
    """All that evaluators with a schema find in whole documents, in the order of rows, as a run that records everything has it.

    Raises Problems (config) for a row that comes out otherwise than in the run.
    """
    verdicts = record.verdicts(variant)
    rows, cells = record.row_lines(variant, verdicts, only), record.cells(variant, only)
    both = zip(rows, (line for line in cells if only in (None, line.row)), strict=False)
    listed = [
        (place, evaluator)
        for place, evaluator in enumerate(plan.evaluators)
        if evaluator.line.settings.scored_fields().by_schema
    ]
    while some := list(islice(both, _CHUNK)):
        columns = {name: [line.cells.get(name, MISSING) for _, line in some] for name in plan.columns}
        with plan.scored(columns, len(some)) as slots:
            for index, (row, line) in enumerate(some):
                for place, evaluator in listed:
                    then: Result = verdicts[place][row.codes[place]]
                    if row.row != line.row or _outcome(slots[evaluator.verdicts][index]) != _outcome(then):
                        raise _otherwise(row.row)
                    if (documents := plan.documents_from(evaluator, slots, index)) is not None:
                        yield from _lines(row.row, evaluator.line.name, documents)


def _lines(row: int, evaluator: str, documents: Documents) -> Iterator[OutcomeLine]:
    """The outcomes of one row, written and read as recorded ones are."""
    scored, begin = documents.scored, b'{"row":%d,"evaluator":%b,' % (row, compact(evaluator))
    whole = row_outcome(Recorded(outside=scored.outside, schema=Declared.of(documents.root).hash))
    outcomes: list[OutcomeLine] = [*([] if whole is None else [whole]), *scored.arrays, *scored.fields]
    for outcome in outcomes:
        yield outcome_of(
            (begin + outcome_line(outcome, LONGEST - len(begin))[1:]).decode(), partial("row {}".format, row)
        )


def _otherwise(row: int) -> Problems:
    """The problem (config) of a row that comes out otherwise when it is scored once more."""
    message = f"row {row} is not scored as it was when the run was made, so what matches in it cannot be listed"
    return problem(
        "scored-otherwise", message, hint="score the test set again, with the file: evaluators run SUITE -o FILE"
    )


def _outcome(verdict: Result) -> tuple[RowStatus, int, int, bytes]:
    return verdict.status, verdict.num, verdict.den, verdict.statuses
