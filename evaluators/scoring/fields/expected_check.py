"""Expected documents, checked against the schema that scores them: what the schema does not know is never scored.

Strategy: each document is walked together with the tree of the schema, and every difference becomes a finding with its
row and place. An *error* is something that would be scored wrongly or not at all, such as a value that its comparator
cannot read; a *warning* is something to look at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from evaluators.model.issues import Blame, Issue, Problems, RowProblem
from evaluators.model.registry import suggestion
from evaluators.model.rows import MISSING
from evaluators.scoring.fields.listed import ListedTree
from evaluators.scoring.fields.schema_keywords import schema_type
from evaluators.scoring.fields.schema_scoring import SchemaScoring
from evaluators.scoring.fields.tree import FieldNode, SchemaPath, distinct_branches, knows
from evaluators.scoring.fields.walk import Walk
from evaluators.scoring.fields.wording import result_problem
from evaluators.scoring.fields.xeval import parse_eval_schema
from evaluators.scoring.values.path_text import Step, display
from evaluators.scoring.values.quoting import kind, quote, with_kind

Level: TypeAlias = Literal["error", "warning"]
Place: TypeAlias = tuple[Step, ...]

CONTAINERS: Final = {"object": dict, "array": list}
NUMBERS: Final = frozenset(("integer", "number"))


class ExpectedFinding(Struct, frozen=True):
    """One difference between an expected document and its schema."""

    level: Level
    code: str
    row: int
    """The number of the document, from 0."""
    row_id: str | int
    """The id of the document, where it has one; else its number."""
    path: str
    """Where it stands in the document: `items[0].name`."""
    field: str
    """Where that is in the schema: `items[*].name`."""
    found: str
    allowed: str
    hint: str | None = None

    def issue(self, where: str | None = None) -> Issue:
        """The finding as an issue of the test set. `where` names the document in messages; without it, its row is named."""
        named = f"row {self.row + 1}" if self.row_id == self.row else f"row {self.row + 1} (id {quote(self.row_id)})"
        message = f"{self.found}; {self.allowed}" if self.allowed else self.found
        return Issue(self.code, Blame.TESTSET, message, f"{where or named}, {self.path}", self.hint)


class ExpectedProblems(Problems):
    """Raised with every error of a set of expected documents. `findings` are the errors and the warnings."""

    def __init__(self, findings: Iterable[ExpectedFinding]) -> None:
        self.findings = tuple(findings)
        super().__init__(finding.issue() for finding in self.findings if finding.level == "error")

    def __reduce__(self) -> Any:
        return ExpectedProblems, (self.findings,)


def validate_gold(
    gold: Sequence[Any],
    schema: object,
    id_field: str | None = None,
    warn_missing: bool = True,
    strict_types: bool = False,
) -> tuple[ExpectedFinding, ...]:
    """The warnings about expected documents. Raises ExpectedProblems with all findings when one of them is an error.

    The name and the arguments are those of struct-extract-eval; `check_expected` is the same for any tree.
    """
    findings = tuple(check_expected(gold, parse_eval_schema(schema), id_field, warn_missing, strict_types))
    if any(finding.level == "error" for finding in findings):
        raise ExpectedProblems(findings)
    return findings


def check_expected(
    documents: Iterable[Any],
    root: FieldNode,
    id_field: str | None = None,
    warn_missing: bool = True,
    strict_types: bool = False,
) -> Iterator[ExpectedFinding]:
    """Every difference between expected documents and the tree that scores them, in the order of the documents.

    An error: a key that the schema does not declare, a value that its comparator cannot read, an id (at `id_field`) that
    is missing, no text or whole number, or there twice, and with `strict_types` a value of another type. A warning: a
    declared key that is absent, and another kind of value where the schema has an object or a list.
    """
    ids: dict[str | int, int] = {}
    for row, document in enumerate(documents):
        row_id = document.get(id_field) if id_field is not None and isinstance(document, dict) else None
        usable = isinstance(row_id, (str, int)) and not isinstance(row_id, bool)
        check = _Check(row, row_id if usable else row, id_field, warn_missing, "error" if strict_types else "warning")
        if id_field is not None:
            yield from check.check_id(document, usable, ids)
        yield from check.check_value(document, root, ())


def check_listed(document: Any, tree: ListedTree | SchemaScoring) -> Iterator[ExpectedFinding]:
    """An error for each listed field of one document whose expected value its comparator cannot read; where one result is a value, for
    each such value. Where a value cannot be reshaped, that is the only error."""
    try:
        document = tree.reshapings.of_expected(document)
    except RowProblem as error:
        issue = error.issue
        yield ExpectedFinding("error", issue.code, 0, 0, "$", "$", issue.message, "", issue.hint)
        return
    if isinstance(tree, SchemaScoring):
        yield from (each for each in check_expected([document], tree.root) if each.code.startswith("expected-"))
        return
    by_row = (bool(line.when or (line.comparator and line.comparator.answers_column)) for line in tree.scored_lines)
    conditional = {number for number, of_row in enumerate(by_row) if of_row}
    faults: dict[int, RowProblem] = {}
    for field in Walk().compare_row(tree.place, document, MISSING, left_out=conditional).fields:
        if field.at.node.line is not None and (fault := result_problem(field)) is not None:
            faults.setdefault(field.at.node.line.number, fault)
    for number, fault in sorted(faults.items()):
        issue, name = fault.issue, tree.names[number]
        yield ExpectedFinding("error", issue.code, 0, 0, name, name, issue.message, "", issue.hint)


class _Check(Struct, frozen=True):
    """The check of one document."""

    row: int
    row_id: Any
    id_field: str | None
    warn_missing: bool
    wrong_type: Level
    """The level of a value of another type: an error where types are strict."""
    choices: dict[tuple[int, Place], list[ExpectedFinding]] = {}
    """The findings at each choice and place: branches that are alike lead to the same ones further down."""

    def check_id(self, document: Any, usable: bool, ids: dict[str | int, int]) -> Iterator[ExpectedFinding]:
        """Yields an error where the id of the document is missing, is not `usable`, or is that of an earlier row. Adds any other to `ids`,
        with its row."""
        name = self.id_field or ""
        path: Place = (name,)
        if not isinstance(document, dict) or name not in document:
            yield self._finding("error", "id-missing", path, path, f'there is no id "{name}"', "every document has one")
        elif not usable:
            fault = f"the id is {kind(document[name])}: {quote(document[name])}"
            yield self._finding("error", "bad-id", path, path, fault, "an id is text or a whole number")
        elif self.row_id in ids:
            fault = f"the id {quote(self.row_id)} is already that of row {ids[self.row_id] + 1}"
            yield self._finding("error", "id-twice", path, path, fault, "an id belongs to one document")
        else:
            ids[self.row_id] = self.row

    def check_value(
        self, value: Any, node: FieldNode, path: Place, siblings: Sequence[FieldNode] = ()
    ) -> Iterator[ExpectedFinding]:
        """Yields the findings about one expected value, and about everything below it, against its node of the schema.

        Of a choice, such as `anyOf`, the findings are those of the branch that fits best. `siblings` are the branches of
        the choice that the node is one of.
        """
        if value is None:
            return
        if isinstance(value, dict) and node.as_object is not None:
            node = node.as_object
        if node.kind == "choice":
            choice_and_place = id(node.origin or node), path
            if choice_and_place not in self.choices:
                branches = distinct_branches(node.below.branches)
                fits = [list(self.check_value(value, branch, path, (*siblings, *branches))) for branch in branches]
                self.choices[choice_and_place] = min(fits, key=_cost, default=[])
            yield from self.choices[choice_and_place]
            return
        if node.kind == "leaf" or node.metrics:
            types = node.shape.types
            allowed = types | NUMBERS if types & NUMBERS else types
            # only a list of types is looked at, unless types are strict
            several = len(types - NUMBERS) + bool(types & NUMBERS) > 1
            if allowed and schema_type(value) not in allowed and (several or self.wrong_type == "error"):
                yield self._type_finding(value, node, path, " or ".join(sorted(types)))
            for ask in node.readers:
                issue = ask(value) if ask is not None and node.answers_comparator is None else None
                if issue is not None:
                    yield self._finding("error", issue.code, path, node.path, issue.message, "", issue.hint)
            return
        if not isinstance(value, CONTAINERS[node.kind]):
            yield self._type_finding(value, node, path, node.kind)
        elif isinstance(value, dict):
            yield from self._check_keys(value, node, path, siblings)
        elif node.below.items is not None:
            for index, item in enumerate(value):
                yield from self.check_value(item, node.below.items, (*path, index))

    def _type_finding(self, value: Any, node: FieldNode, path: Place, types: str) -> ExpectedFinding:
        """The finding about a value that is of none of the `types` that its schema says."""
        fault, allowed = with_kind(value), f"the schema says {types}"
        return self._finding(self.wrong_type, "wrong-type", path, node.path, fault, allowed)

    def _check_keys(
        self, value: dict[str, Any], node: FieldNode, place: Place, siblings: Sequence[FieldNode]
    ) -> Iterator[ExpectedFinding]:
        """Yields the findings about the keys of an object: those compared as one value, those that the schema declares, and then all
        others.

        One that is not declared is an error, unless the schema has a rule for all other keys, or it is the id. `place` is the path of the
        object; `siblings` are as in `check_value`: one of them may know the key.
        """
        below = node.below
        picked = {key: value[key] for key in node.compound.fields if key in value} if node.compound is not None else {}
        if picked:
            yield from self.check_value(picked, node.compound_node, place)
        for key, inner in below.keys.items():
            if key in value:
                yield from self.check_value(value[key], inner, (*place, key))
            elif self.warn_missing:
                allowed = "the schema declares it" + (" and requires it" if key in node.shape.required else "")
                yield self._finding("warning", "key-missing", (*place, key), inner.path, "it is not there", allowed)
        for key, inner_value in value.items():
            if key in below.keys or (not place and key == self.id_field):
                continue
            if below.others is not None:
                yield from self.check_value(inner_value, below.others, (*place, key))
                continue
            path = (*node.path, key)
            hint = suggestion(key, below.keys) or "add it to the schema, or take it out of the document"
            fault = f'the schema does not declare "{key}", so it would not be scored'
            if knows(siblings, key):
                fault = f'"{key}" belongs to another branch of the schema than the rest, so it would not be scored'
                hint = "keep the keys of one branch, or declare it in both"
            yield self._finding("error", "undeclared-key", (*place, key), path, fault, "", hint)

    def _finding(
        self, level: Level, code: str, place: Place, path: SchemaPath, fault: str, allowed: str, hint: str | None = None
    ) -> ExpectedFinding:
        return ExpectedFinding(level, code, self.row, self.row_id, display(place), display(path), fault, allowed, hint)


def _cost(findings: Sequence[ExpectedFinding]) -> tuple[int, int]:
    """(number of errors, number of findings), to be compared: the branch of a choice with the least is the one that was meant."""
    return sum(finding.level == "error" for finding in findings), len(findings)
