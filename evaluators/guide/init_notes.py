"""What `init` says at the end: the role of each column, notes on what is not compared or may be wrong, and the next commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any, Final

from evaluators.guide.chosen_columns import ChosenColumns
from evaluators.guide.column_cells import holds_shares, nonempty_cells
from evaluators.guide.column_names import called_metric, called_verdict, without_digits, words_of
from evaluators.guide.columns_set_aside import MODELS, OPTIONS
from evaluators.guide.suite_text import SuggestedEvaluators, literal
from evaluators.reports.display import visible
from evaluators.scoring.values.file_names import as_file_name
from evaluators.testsets.derived import first_table
from evaluators.testsets.opening import IDS_SPELT_OTHERWISE
from evaluators.testsets.test_set import TestSet

_MOST_MODELS: Final = 20


def notes_on_columns(
    chosen: ChosenColumns, made: SuggestedEvaluators, cells: Mapping[str, Sequence[Any]], file: str
) -> list[str]:
    """Notes on columns that play no role, and on outputs of several models: in several columns, or in rows that a column tells apart."""
    notes: list[str] = []
    if chosen.left:
        notes.append(
            f"no column is taken for the expected answer, so nothing is compared; left are {quoted_names(chosen.left)}: "
            "`--columns expected=NAME` takes one"
        )
    elif not made.said:
        notes.append(
            "there are no expected answers, so nothing is compared: a column of them, or --expected FILE, brings them"
        )
    options = [name for name, what in chosen.set_aside.items() if what == OPTIONS]
    if options and not chosen.pairs and "expected" not in chosen.columns and not made.said:
        aside = f"{quoted_names(options)}: {OPTIONS}, and no right answers; `--columns expected=NAME` takes them for such"
        notes.append(aside)
    verdicts = [
        name
        for name in chosen.verdicts
        if called_verdict(name) and not called_metric(name) and not holds_shares(cells.get(name, ()))
    ]
    if verdicts and chosen.has_output and not chosen.models and not chosen.pairs and "expected" not in chosen.columns:
        notes.append(f"{quoted_names(verdicts)}: verdicts, which are no expected answers")
    notes += _note_on_models_in_rows(chosen, cells)
    if chosen.models:
        notes.append(f"outputs of {len(chosen.models)} models stand side by side: {quoted_names(chosen.models)}")
    if verdicts and not chosen.models and (chosen.pairs or "expected" in chosen.columns):
        column = verdicts[0]
        own = [pair.stem for pair in chosen.pairs if {*words_of(pair.stem)} <= {*words_of(column)}]
        name, run = own[0] if own else made.gated[-1], as_file_name(Path(file).stem)
        notes.append(
            f"{quoted_names(verdicts)}: verdicts, which are no answers. To compare with them: "
            f"evaluators run {quote(file)} --name {quote(run)}, then "
            f"evaluators calibrate {quote(f'runs/{run}')} --human {quote(column)} --evaluator {quote(name)}"
        )
    return notes


def _note_on_models_in_rows(chosen: ChosenColumns, cells: Mapping[str, Sequence[Any]]) -> list[str]:
    """The note on a column that names the model of each row, so that the figures are those of several models together; none without one."""
    for name, what in chosen.set_aside.items():
        models = {*map(str, nonempty_cells(cells.get(name, ())))}
        if what == MODELS and 1 < len(models) <= _MOST_MODELS and 2 * len(models) <= len(cells[name]):
            slices = literal({"slices": [f"row.{name}"]})[1:-1]
            return [
                f'"{name}" names {len(models)} models, and the figures are those of all together; `{slices}` gives each its own'
            ]
    return []


def notes_on_other_references(chosen: ChosenColumns, names: Iterable[str]) -> list[str]:
    """Notes on columns that have the name of the expected answers with another number: `ref1` beside `ref2`."""
    wanted = chosen.columns.get("expected")
    if wanted is None or not any(map(str.isdigit, wanted)):
        return []
    alike = [name for name in names if name != wanted and without_digits(name) == without_digits(wanted)]
    if not alike:
        return []
    more = f"exact_match: {literal({'name': 'other', 'expected': alike[0]})}"
    message = (
        f'{quoted_names(alike)} may hold right answers, too, and "{wanted}" alone is compared; to count the better: `{more}`, and '
        "`max_of` with the names of both"
    )
    return [message]


def notes_on_pairing(test_set: TestSet) -> list[str]:
    """The notes on how documents were paired with their outputs, and on why that may be wrong."""
    doubts = [f"{warning.message}; {warning.hint}" if warning.hint else warning.message for warning in test_set.warnings]
    return [*first_table(test_set.table).notes, *doubts]


def notes_on_lines(expected: Sequence[Any], outputs: Sequence[Any]) -> list[str]:
    """The note on one text and its output that have as many lines, which may be an answer each; none for other cells."""
    counts = {len(text.strip().split("\n")) if isinstance((text := cell), str) else 0 for cell in (*expected, *outputs)}
    if len(expected) != 1 or len(counts) != 1 or counts <= {0, 1}:
        return []
    return ["each file is one text; for an answer in each line, write both as columns of a CSV file, expected and output"]


def notes_on_partners(test_set: TestSet) -> list[str]:
    """The notes on rows that were paired with a file by ids that are spelt otherwise, and on rows without an output there."""
    endings = [f"to review: {warning.message}" for warning in test_set.warnings if warning.code == IDS_SPELT_OTHERWISE]
    alone = [issue for issue in test_set.issues if issue.code == "no-output-for-row"]
    return [*endings, *(f"{issue.message}{f'; {issue.hint}' if issue.hint else ''}" for issue in alone)]


def end_text(path: str, rows: str, chosen: ChosenColumns, said_so: str, notes: Sequence[str], file: str) -> str:
    """The text printed at the end: the role of each column and why, the notes, and the next commands."""
    lines = [f"wrote {file}: a suite for {path}, from {rows}"]
    lines += [f'{role}: column "{column}" ({chosen.why[role]})' for role, column in chosen.columns.items()]
    lines += [f'{pair.stem}: column "{pair.output}" is compared with column "{pair.expected}"' for pair in chosen.pairs]
    lines += ["measures: " + ", ".join(f'column "{name}"' for name in chosen.measures)] if chosen.measures else []
    lines += [f"the expected answers are {said_so}"] if said_so else []
    lines += [f"note: {note}" for note in notes]
    lines += ["", f"Next: look through {file}, then: evaluators run {quote(file)}"]
    lines += [f"or look at it: evaluators studio {quote(file)}"]
    return "".join(f"{visible(line)}\n" for line in lines)


def quoted_names(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
