"""One row tried: the suite or the one evaluator, the row, and the page that shows what came of it and why."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from evaluators.api.explaining import is_suite
from evaluators.api.loading import load
from evaluators.api.suite import Suite
from evaluators.model.issues import Blame, CellError, Issue, Problems, problem
from evaluators.model.registry import suggestion
from evaluators.model.rows import MISSING, FieldStatus, Outcome, Result
from evaluators.model.words import ROW_WORDS
from evaluators.reports.catalog import kinds_of, present_name
from evaluators.reports.document import Block, Item, Listing, Page, Paragraph, Section
from evaluators.reports.reference import short_score
from evaluators.reports.rows import with_full_reason
from evaluators.runs.exit_code import Facts, exit_code
from evaluators.runs.loaded_suite import LoadedSuite
from evaluators.runs.preparing import prepare
from evaluators.scoring.fields.outcomes import WRONG
from evaluators.scoring.needs import Output
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.suite_plan import Plan, needed_columns
from evaluators.scoring.values.differences import reason_in_full
from evaluators.scoring.values.json_choice import PickedDocument
from evaluators.scoring.values.quoting import quote
from evaluators.suites import source
from evaluators.testsets.test_set import TestSet

_FOUND: Final = "passages"
"""Among the details of a value that was looked for in a text: it has no other side."""
_BRIEF: Final = 40
_WHOLE: Final = 400
"""Characters of a value that are shown in a line, and on its own."""
_LISTED: Final = 30
"""Fields without a fault that are listed."""


def suite_of(subject: str, settings: Sequence[str]) -> Suite:
    """The suite in the file `subject`, or one of the evaluator type of that name, with `settings` as `NAME=VALUE`. Raises Problems for
    settings beside a file, a name that is neither, and whatever is wrong with the suite."""
    if is_suite(subject):
        if settings:
            hint = "change the setting in the file, or name an evaluator type in place of the file"
            raise problem("settings-of-suite", "--set goes with the name of an evaluator type", hint=hint)
        return load(subject)
    if "evaluators" not in kinds_of(present_name(subject)):
        raise _not_an_evaluator(subject)
    line = {"type": subject, **dict(map(_read_setting, settings))}
    try:
        return load({"name": subject, "evaluators": [line]})
    except Problems as error:
        raise Problems(_at_option(issue, subject) for issue in error.issues) from None


def refuse_row_options(options: Mapping[str, object]) -> None:
    """Raises Problems (config) where options, by name, also name a row of a test set, beside a row that is given by hand."""
    option_names = [name for name, value in options.items() if value is not None]
    if option_names:
        message = f"{option_names[0]} names a row of a test set, and --output and its neighbours give a row by hand"
        raise problem("two-rows", message, hint="keep one of the two")


def given_row_page(suite: Suite, values: Mapping[str, str | None], columns: Sequence[str]) -> tuple[Page, int]:
    """(page, exit code) of a row given by hand. `values` are the cells by role, `columns` further ones as `NAME=TEXT`.

    Raises Problems (config) when a value that an evaluator reads is not given.
    """
    named = suite.role_columns
    cells = {named[role]: text_of(value) for role, value in values.items() if value is not None}
    for written in columns:
        name, equals, value = written.partition("=")
        if not equals or not name:
            raise problem("bad-column", f'"{written}" does not give a column a value', hint="write --column NAME=TEXT")
        cells[name] = text_of(value)
    _check_all_given(suite, cells, named)
    return _page_about_row(suite, suite.name, cells, named, suite.plan(named))


def text_of(written: str) -> str:
    """The text that an option writes: itself; for `@FILE` the text in the file; for `-` what comes on standard input. Raises Problems."""
    if written == "-":
        return sys.stdin.read()
    if not written.startswith("@"):
        return written
    try:
        return Path(written[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "it is not UTF-8 text"
        hint = None if len(written) > 1 else "put the name of the file right after the @"
        raise problem(
            "unreadable-file", f"the file cannot be read: {message}", where=written[1:] or "@", hint=hint
        ) from None


def row_page(
    suite: Suite,
    test_set: str | None,
    number: int | None,
    row_id: str | None,
    variant: str | None,
    settings: Mapping[str, Any],
) -> tuple[Page, int]:
    """(page, exit code) of a row of a test set: the first one, or the one with the `number` or the id.

    `variant` names the variant whose outputs are read. `test_set` and `settings` replace the suite's test set and settings of it. Raises
    Problems when there is no such row, and where both a number and an id are given.
    """
    if number is not None and row_id is not None:
        raise problem("two-rows", "--row and --id both name a row", hint="keep one of the two")
    prepared = prepare(suite, test_set, settings)
    rows = _rows_of_variant(prepared.test_set, variant)
    plan = prepared.plan()
    last, before = None, 0
    for split in rows.splits():
        span = 0
        for chunk in rows.read(split, plan.columns):
            span = chunk.span
            for index, offset in enumerate(chunk.offsets):
                last = rows.number(before, offset)
                id_ = chunk.ids[index] if chunk.ids is not None else ""
                if last == number or (number is None and row_id in (None, id_)):
                    cells = {name: chunk.columns[name][index] for name in plan.columns}
                    name = f"row {last} of {rows.name}" + (f", {id_}" if id_ else "")
                    return _page_about_row(prepared.suite, f"{suite.name}: {name}", cells, prepared.roles, plan)
        before += span
    raise _no_row(rows, last, number, row_id)


def _read_setting(written: str) -> tuple[str, object]:
    """The name and the value of `NAME=VALUE`, whose value is read as YAML. Raises Problems (config)."""
    name, equals, value = written.partition("=")
    if not equals or not name:
        raise problem("bad-setting", f'"{written}" does not give a setting a value', hint="write --set NAME=VALUE")
    try:
        return name, source.loads(f"value: {value}", f"--set {name}").data["value"]
    except Problems as error:
        hint = "the value is read as YAML; put a text with special characters in quotes inside quotes: "
        hint += f"--set \"{name}='…'\""
        where = f"--set {name}"
        raise Problems(Issue(issue.code, issue.blame, issue.message, where, hint) for issue in error.issues) from None


def _at_option(issue: Issue, subject: str) -> Issue:
    """A problem of a suite that was made of the options `--set`, with the option as its place, or `subject` where there is none."""
    place = (issue.where or "").removeprefix("evaluators[0]").removeprefix(".")
    return replace(issue, where=f"--set {place}" if place else subject)


def _not_an_evaluator(subject: str) -> Problems:
    """The problem (config) of a name that is no evaluator type: it says so where the name is that of a plug of another kind, such as a
    comparator."""
    from evaluators.scoring.evaluators._evaluator import BUILTIN

    kinds = kinds_of(subject)
    if kinds:
        message = f'"{subject}" is a {kinds[0].removesuffix("s")}, and evaluators are tried'
        hint = 'use it inside one: evaluators try json_multi_field_match --set "fields={total: numeric}" …'
        return problem("not-an-evaluator", message, hint=hint)
    hint = suggestion(subject, BUILTIN.names()) or "a suite ends in .yaml; `evaluators list evaluators` names the types"
    return problem("unknown-name", f'"{subject}" is neither a file nor an evaluator type', hint=hint)


def _check_all_given(suite: Suite, cells: Mapping[str, str], named: Mapping[str, str]) -> None:
    """Raises Problems (config) with one issue for each column that the suite reads and that has no cell. `named` gives the column of each
    role."""
    issues = []
    for column in needed_columns(suite.lines):
        name = column.name if column.literal else named[column.name]
        if name not in cells:
            by_role = not column.literal and column.name != "id"
            hint = f"add --{column.name} TEXT" if by_role else f"add --column {name}=TEXT"
            message = f'the column "{name}" is read, and no value is given for it'
            issues.append(Issue("no-value", Blame.CONFIG, message, hint=hint))
    if issues:
        raise Problems(map(suite.config.source.filled.masked_issue, dict.fromkeys(issues)))


def _rows_of_variant(rows: TestSet, variant: str | None) -> TestSet:
    """The rows of the variant; without a name those of the first variant, or all where the test set has none. Raises Problems (config)."""
    if variant is None:
        return rows.variant(rows.variants[0]) if rows.variants else rows
    if variant in rows.variants:
        return rows.variant(variant)
    known = f"variants: {', '.join(rows.variants)}" if rows.variants else "it has one output per row, and no variants"
    message = f'the test set has no variant "{variant}"'
    raise problem("unknown-variant", message, hint=suggestion(variant, rows.variants) or known)


def _no_row(rows: TestSet, last: int | None, number: int | None, row_id: str | None) -> Problems:
    """The problem of a row that is not there, asked for by its id or its `number`. `last` is the number of the last row, None where the
    test set is empty."""
    if last is None:
        return Problems([Issue("no-rows", Blame.TESTSET, "there are no rows", rows.name)])
    if row_id is not None:
        hint = (
            f'ids are in the column "{rows.columns.id}" and are taken to the letter: 003 is not 3'
            if rows.columns.id
            else "the test set has no column of ids; use --row"
        )
        return problem("no-such-row", f'no row has the id "{row_id}"', where=rows.name, hint=hint)
    hint = f"rows are numbered as in a spreadsheet, from {rows.first_number} to {last}"
    return problem("no-such-row", f"there is no row {number}", where=rows.name, hint=hint)


_HOW: Final = {
    "whole": "it is JSON as a whole",
    "fence": "the JSON is inside a code fence",
    "embedded": "the JSON is inside other text",
}


def _page_about_row(
    suite: LoadedSuite, title: str, cells: Mapping[str, Any], columns: Mapping[str, str], plan: Plan
) -> tuple[Page, int]:
    """(page, exit code): the page about one row, with results and reasons, and a code that is 0 whatever the score. `cells` are those of
    the row by column, `columns` gives the column of each role, and `plan` scores the row."""
    with plan.score_chunk({column: [value] for column, value in cells.items()}, 1) as slots:
        results = plan.explain_slots(slots)
        for evaluator in plan.evaluators:
            cell_values = [slots[slot][0] for slot in evaluator.inputs[:2]]
            results[evaluator.line.name] = _with_full_reasons(results[evaluator.line.name], cell_values)
    sentences: dict[str, None] = {}
    for evaluator in plan.evaluators:
        for index, need in enumerate(evaluator.line.settings.needs()):
            if isinstance(need, Output):
                column = need.column.name if need.column.literal else columns.get(need.column.name, need.column.name)
                value = slots[evaluator.inputs[index]][0]
                if isinstance(cells.get(column), str):
                    sentences[
                        f'Column "{column}": {_reading_text(value, plan.picked_document(evaluator, index, slots, 0))}'
                    ] = None
    how = (Section(None, tuple(map(Paragraph, sentences))),) if sentences else ()
    page = Page(title, (*how, *(_evaluator_section(line, results[line.name]) for line in suite.lines)))
    issues = tuple(result.issue for result in results.values() if result.issue is not None)
    return page, exit_code(Facts(issues=issues))


def _with_full_reasons(result: Result, cell_values: Sequence[Any]) -> Result:
    """The result with what differs inside whole values said in full. `cell_values` are the output and the expected answer."""
    reason = result.reason
    for field in result.fields if reason else ():
        reason = reason_in_full(reason or "", field.expected, field.actual)
    if reason and len(cell_values) == 2:
        reason = reason_in_full(reason, cell_values[1], cell_values[0])
    return replace(result, fields=tuple(map(with_full_reason, result.fields)), reason=reason)


def _reading_text(value: Any, chosen: PickedDocument | CellError | None) -> str:
    """Sentences on how a document was taken from its cell, or the message of the issue that kept it from being read."""
    if isinstance(value, CellError):
        return f"{value.issue.message}."
    if not isinstance(chosen, PickedDocument):
        return f"{_HOW['whole']}."
    return " ".join(filter(None, (f"{_HOW[chosen.found.how]}.", chosen.which)))


def _evaluator_section(line: EvaluatorLine, result: Result) -> Section:
    """The part of the page about one evaluator: score, reason or issue, and its fields."""
    blocks: list[Block] = []
    reason = result.issue.message if result.issue is not None else result.reason
    if reason:
        blocks.append(Paragraph(reason))
    if result.issue is not None and result.issue.hint and result.issue.blame is not Blame.BUG:
        blocks.append(Paragraph(f"hint: {result.issue.hint}"))
    if result.fields:
        blocks.append(_field_list(result.fields))
    return Section(f"{line.name}: {_verdict_text(line, result)}", tuple(blocks))


def _verdict_text(line: EvaluatorLine, result: Result) -> str:
    """The score in words, and whether it passes; without a score, why there is none."""
    score = result.score
    if score is None:
        return f"no score ({ROW_WORDS[result.status.word].of_score or result.status.plain})"
    if result.passed:
        return f"{short_score(score)}, passes"
    return f"{short_score(score)}, does not pass (it takes {short_score(line.settings.pass_at)})"


def _field_list(fields: Sequence[Outcome]) -> Listing:
    """A list of the fields: first the wrong ones with all that is known; then the others, one a line, of which the first `_LISTED`."""
    fine = [field for field in fields if field.status not in WRONG]
    wrong = [_wrong_item(field) for field in fields if field.status in WRONG]
    more = [Item(f"and {len(fine) - _LISTED:,} more fields like these")] if len(fine) > _LISTED else []
    return Listing((*wrong, *map(_short_item, fine[:_LISTED]), *more))


def _wrong_item(field: Outcome) -> Item:
    """A wrong field with reason, rule, and both values each on a line. A value that was looked for in a text has no expected side."""
    rule = f"rule: {field.comparator}" if field.comparator else ""
    expected = () if _FOUND in field.details else (f"expected: {_value_text(field.expected, _WHOLE)}",)
    values = (*expected, f"output:   {_value_text(field.actual, _WHOLE)}")
    return Item(f"{field.status.plain}: {field.path or '$'}", tuple(filter(None, (field.reason, rule))), values)


def _short_item(field: Outcome) -> Item:
    """A field on one line: its value, both values where they are written differently, or none where it was not compared."""
    if field.status in (FieldStatus.SKIPPED, FieldStatus.NOT_MEASURED):
        return Item(f"{field.status.plain}: {field.path or '$'}{_brief_reason(field)}")
    actual, expected = _value_text(field.actual, _BRIEF), _value_text(field.expected, _BRIEF)
    values = actual if actual == expected or _FOUND in field.details else f"{actual} for {expected}"
    return Item(f"{field.status.plain}: {field.path or '$'} = {values}{_brief_reason(field)}")


def _brief_reason(field: Outcome) -> str:
    """The reason and the rule in brackets, where they say more than the result does."""
    rule = re.split(r" = | \{", field.comparator or "")[0]
    words = [word for word in (field.reason, rule) if word and word not in (field.status.plain, "equal", "exact", "skip")]
    return f" ({', '.join(words)})" if words else ""


def _value_text(value: object, most: int) -> str:
    """A value as a line shows it, with at most `most` characters; a sentence where it is not there."""
    return "nothing is there" if value is MISSING else quote(value, most)
