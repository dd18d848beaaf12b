"""What the command `check-expected` finds: expected answers held against the schemas and comparators that score them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct, field

from evaluators.guide.expected_answers import Answer, Answers, open_answers, schema_in, schema_problems, unreadable_issue
from evaluators.model.issues import Blame, CellError, Issue, Problems, problem
from evaluators.model.rows import JSON, MISSING
from evaluators.model.settings import BadSettings
from evaluators.reports.display import visible
from evaluators.runs.metrics import count_text
from evaluators.scoring.evaluators._evaluator import FromColumn, ScoredFields
from evaluators.scoring.fields.evaluation_config import read_evaluation_config
from evaluators.scoring.fields.expected_check import ExpectedFinding, check_expected, check_listed
from evaluators.scoring.fields.listed import ListedTree
from evaluators.scoring.fields.references import pointer
from evaluators.scoring.fields.schema_keywords import dialect_of
from evaluators.scoring.fields.schema_scoring import SchemaScoring
from evaluators.scoring.fields.tree import FieldNode, nodes
from evaluators.scoring.fields.xeval import read_xeval
from evaluators.scoring.values.json_text import NotJSON, parse, to_text
from evaluators.testsets.columns import no_such_column
from evaluators.testsets.corrections import Applied

_STRUCTURE: Final = {"fallback": {"semantic": "exact", "string_llm": "exact", "array_llm": "hungarian"}}
"""Only the shape of a schema is looked at, so nothing is ever asked."""


class SchemaToCheck(Struct, frozen=True):
    """A schema that answers are checked against, or what takes its place: a column of schemas, the listed fields of an evaluator, rules.
    Exactly one of `root`, `column`, `listed` and `broken_by` is set."""

    name: str
    root: FieldNode | None = None
    column: str | None = None
    dialect: str = "auto"
    listed: ListedTree | SchemaScoring | None = None
    """The listed fields of an evaluator, in place of a schema: only whether their expected values can be read is asked."""
    broken_by: Callable[[JSON], Iterable[tuple[str, str]]] | None = None
    """Gives (name, reason) for each rule that an answer breaks, in place of a schema."""


class ExpectedFindings(Struct):
    """The findings. `problems` are errors; keys that are absent are counted by field."""

    name: str
    against: tuple[str, ...]
    looked_at: int = 0
    corrections: tuple[Applied, ...] = ()
    problems: list[Issue] = field(default_factory=list)
    warnings: list[Issue] = field(default_factory=list)
    absent: Counter[tuple[str, str]] = field(default_factory=Counter)

    def words(self) -> str:
        """The report of the check: how many answers, the warnings, and whether all fit."""
        schemas = ", ".join(self.against)
        lines = [f"{self.name}: looked at {count_text(self.looked_at, 'expected answer')}, against {schemas}"]
        lines += [
            f"{'correction' if correction.void is None else 'warning: correction'} {correction.sentence}"
            for correction in self.corrections
        ]
        lines += [f"warning: {warning}" for warning in self.warnings]
        lines += [
            f'warning: "{path}" is absent in {count:,} of {self.looked_at:,}; {allowed}'
            for (path, allowed), count in self.absent.items()
        ]
        if not self.problems:
            lines.append("The expected answers fit the schema.")
        return "".join(f"{visible(part)}\n" for line in lines for part in line.splitlines())

    def add(self, finding: ExpectedFinding, where: str) -> None:
        """Adds a finding about the answer at the place `where`: an absent key is counted, others become a problem or a warning."""
        if finding.code == "key-missing":
            self.absent[finding.field, finding.allowed] += 1
            return
        (self.problems if finding.level == "error" else self.warnings).append(finding.issue(where))

    def refuse(self, *issues: Issue) -> None:
        """Adds issues to the problems, each once."""
        self.problems += [issue for issue in issues if issue not in self.problems]


def check_answers(
    path: str,
    column: str | None,
    schema: str | None,
    schema_column: str | None,
    strict_types: bool,
    settings: Mapping[str, Any],
) -> ExpectedFindings:
    """The findings on all expected answers of a file or a suite. `column` holds the answers; they are checked against the file `schema`,
    the schemas in `schema_column`, or else those of the suite. Raises Problems when the schema or the answers cannot be used at all."""
    expected_column = open_answers(path, column, settings)
    every = _schemas_to_check(expected_column, schema, schema_column)
    result = ExpectedFindings(expected_column.test_set.name, tuple(dict.fromkeys(against.name for against in every)))
    result.corrections = expected_column.test_set.corrections
    for number, against in enumerate(every):
        _check_each_answer(expected_column, against, strict_types, result, first=number == 0)
    if not result.looked_at:
        raise Problems([Issue("no-rows", Blame.TESTSET, "there are no rows, so nothing can be checked", result.name)])
    return result


def _check_each_answer(
    answers: Answers, against: SchemaToCheck, strict_types: bool, result: ExpectedFindings, *, first: bool
) -> None:
    """Adds to `result` what is wrong with each answer by one schema. Only the `first` schema counts the rows."""
    roots: dict[str, FieldNode | Issue] = {}
    for answer in answers.read(against.column):
        if first:
            result.looked_at += 1
        tree = None if against.broken_by else against.listed or against.root or _root_in_cell(answer, against, roots)
        unusable = [issue for issue in (unreadable_issue(answer), tree) if isinstance(issue, Issue)]
        if unusable:
            result.refuse(*unusable)
        elif against.broken_by is not None:
            for name, why in against.broken_by(answer.document):
                result.refuse(Issue("rule-broken", Blame.TESTSET, f'the rule "{name}": {why}', answer.where))
        elif isinstance(tree, FieldNode):
            for finding in check_expected([answer.document], tree, strict_types=strict_types):
                result.add(finding, answer.where)
        elif tree is not None and not isinstance(tree, Issue):
            for finding in check_listed(answer.document, tree):
                result.add(finding, answer.where)


def _schemas_to_check(answers: Answers, schema: str | None, schema_column: str | None) -> list[SchemaToCheck]:
    """The schemas to check the answers by: the given one, a column's, or else the suite's own. Raises Problems where there is none,
    and where the column is not there."""
    if schema is not None:
        return [SchemaToCheck(schema, _root_of_schema(schema_in(schema), "auto", schema))]
    if schema_column is not None:
        header = answers.test_set.header
        if schema_column not in header:
            raise Problems([no_such_column(schema_column, header, answers.test_set.name)])
        return [SchemaToCheck(f'the column "{schema_column}"', column=schema_column)]
    named = list(_schemas_of_suite(answers))
    if not named:
        hint = "name it: --schema schema.json, or --schema-column NAME"
        raise problem("no-schema", "there is no schema to check against", where=answers.test_set.name, hint=hint)
    return named


def _schemas_of_suite(answers: Answers) -> Iterator[SchemaToCheck]:
    """The schemas of the suite's evaluators, and the listed fields whose comparators cannot read every expected value.

    A schema that is inferred says nothing new.
    """
    for line in answers.suite.lines if answers.suite is not None else ():
        settings: Any = line.settings
        if settings.at is not None:  # expected documents are parts of cells
            continue
        if not line.when and not settings.column("expected").literal:
            yield from _listed_fields(line.name, settings.scored_fields())
            if (broken_by := settings.scored_fields().broken_by) is not None:
                yield SchemaToCheck(f'the rules of "{line.name}"', broken_by=broken_by)
        if settings.type != "schema_match":
            continue
        name = f'the schema of "{line.name}"'
        if isinstance(settings.json_schema, FromColumn):
            yield SchemaToCheck(name, column=settings.json_schema.column, dialect=settings.dialect)
        elif isinstance(settings.json_schema, dict):
            yield SchemaToCheck(name, _root_of_schema(settings.json_schema, settings.dialect, name))


def _listed_fields(name: str, fields: ScoredFields) -> Iterator[SchemaToCheck]:
    """The listed fields of an evaluator, where some expected values may be unreadable."""
    tree = fields.tree
    if fields.of_cells:  # the answers that are looked at here are documents
        return
    if not isinstance(tree, ListedTree) and not (isinstance(tree, SchemaScoring) and fields.lines is not None):
        return
    if tree.reshapings.converts or any(
        ask is not None for node in nodes(tree.root) for ask in (*node.readers, *node.compound_node.readers)
    ):
        yield SchemaToCheck(f'the fields of "{name}"', listed=tree)


def _tree(schema: Any, dialect: str) -> FieldNode:
    """The tree of the fields of a schema, read in its dialect. Raises BadSettings for a schema that cannot be used."""
    chosen = dialect_of(schema) if dialect == "auto" else dialect
    read = read_xeval if chosen == "x-eval" else read_evaluation_config
    return read(schema, {**_STRUCTURE, "defaults": {}, "notes": []})


def _root_of_schema(schema: Any, dialect: str, name: str) -> FieldNode:
    """The tree of fields of a schema. Raises Problems, with the places in the schema, where it cannot be used; `name` is what they call
    it."""
    try:
        return _tree(schema, dialect)
    except BadSettings as error:
        raise schema_problems(error, name) from error


def _root_in_cell(answer: Answer, against: SchemaToCheck, roots: dict[str, FieldNode | Issue]) -> FieldNode | Issue:
    """The tree of the schema in the row's own cell, or what is wrong with it. `roots` keeps both by the text of the schema, so that each
    text is read once; it is filled here."""
    cell = answer.schema
    if isinstance(cell, CellError):
        return cell.issue.at(answer.where)
    if cell is None or cell is MISSING or cell == "":
        return Issue("empty-cell", Blame.TESTSET, f'there is no schema in the column "{against.column}"', answer.where)
    text = cell if isinstance(cell, str) else to_text(cell)
    if text not in roots:
        try:
            roots[text] = _tree(parse(text), against.dialect)
        except NotJSON as error:
            roots[text] = Issue("bad-schema", Blame.TESTSET, f"the schema is not JSON: {error}", answer.where)
        except BadSettings as error:
            detail = error.details[0]
            message = f"its schema cannot be used: {pointer(detail.loc)}: {detail.message}"
            roots[text] = Issue("bad-schema", Blame.TESTSET, message, answer.where, detail.hint)
    return roots[text]
