"""`rules`: what must hold between the fields of one document, each rule by its name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from msgspec import Struct
from pydantic import BeforeValidator, ConfigDict, model_validator

from evaluators.model.issues import Issue
from evaluators.model.registry import suggestion
from evaluators.model.rows import FIELD_STATUSES, JSON, MISSING, FieldStatus, Outcome, Reason, Result, RowStatus
from evaluators.model.settings import BadSettings, Detail, build, setting_names, spell
from evaluators.scoring.evaluators._evaluator import Column, Example, Expected, Needs, Output, ScoredFields, TreeEvaluator
from evaluators.scoring.evaluators._rule import Empty, Held, Missing, ParseSetting, Reading, Rule
from evaluators.scoring.evaluators._texts import ExpectedColumn
from evaluators.scoring.fields.row_checks import ChunkCheck, ScoredRow, ScoredRows
from evaluators.scoring.needs import all_hold, columns_of
from evaluators.scoring.values.path_text import display

_MATCH: Final = FieldStatus.MATCH
_LEFT_OUT: Final = bytes((FieldStatus.NOT_MEASURED, FieldStatus.SKIPPED))
_WRONG: Final = frozenset((FieldStatus.MISMATCH, FieldStatus.OMISSION))


class _Named(Struct, frozen=True):
    """A rule as it was written, with its name."""

    name: str
    body: Any


def _read_rule(named: _Named) -> Rule:
    """The rule that a suite writes under a name. Raises BadSettings for a name with a dot, and for a rule that cannot be used."""
    if "." in named.name:
        hint = f"write {named.name.replace('.', '_')}; gates split at the first dot"
        raise BadSettings([Detail((), f'the name "{named.name}" of a rule has a dot', hint, key=True)])
    if not isinstance(named.body, Mapping | Rule):
        hint = suggestion(named.name, setting_names(Rules)) or f"write {named.name}: {{present: total}}"
        raise BadSettings(
            [Detail((), f'the rule "{named.name}" must be a map; found {spell(named.body)}', hint, key=True)]
        )
    return build(Rule, named.body, noun=f'the rule "{named.name}"')


class Rules(TreeEvaluator):
    """Check that the fields of the output agree with each other: lines add up to the total, no number is there twice.

    Every key but the settings below is the name of a rule. The row's score is the share of its rules that hold. Each rule has
    metrics of its own, and gates can name it: `rules.lines add up`. No expected answer is needed. With `side: expected` the
    same is asked of the expected answers.

    A rule says one thing:

    - `{sum: "items[*].amount", equals: total, tolerance: 0.01}`: the numbers add up to another one. `sum` is a path or a list of
      paths, `equals` a path or a number. `product` multiplies.
    - `{order: [issued_on, due_on]}`: no number or date is greater, or later, than the next.
    - `{exactly_one_of: [iban, card]}`: one of the fields is there, and no other.
    - `{present: reason}`: the fields are there.
    - `{unique: "items[*].sku"}`: no two values are equal.

    Any of them may have `each: "items[*]"`, and then holds in each item; and `when: {output.status: rejected}`, and then is
    asked in those rows alone. `tolerance: 0.01` is `{abs: 0.01}`.

    It does not forgive anything on its own. A rule that lacks a field fails. Null counts as lacking, and so does a list without
    items, for else a model would do best to leave all lines out; `empty: holds` says otherwise. A rule is not measured only
    where the row's expected answer lacks the same, or where `missing: skip` says so. A value of the wrong kind fails its rule,
    whatever else lacks: text is no number unless `parse` says how numbers are written. An output that cannot be read fails every
    rule. A path that no row has, in the output or in the expected answer, is an error; `optional: true` in a rule permits it.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Annotated[Rule, BeforeValidator(_read_rule)]]

    type: Literal["rules"] = "rules"
    side: Literal["output", "expected"] = "output"
    """Whether the rules are asked of the output, or of the expected answer."""
    parse: ParseSetting = None
    """How numbers and dates are written in text: `true`, or `{thousands: ".", decimal: ",", formats: [DD.MM.YYYY]}`. A rule
    may say it for itself. Dates are read as ISO 8601 unless `formats` says otherwise."""
    missing: Missing = "fail"
    """What becomes of a rule that lacks a field: it fails, or (`skip`) is not measured in that row. `present` and
    `exactly_one_of` ask just that, and fail all the same; so does what is wrong whatever the field would be, as two equal values
    or a text for a number. A rule may say it for itself."""
    empty: Empty = "missing"
    """What an empty list is: `missing`, like one that is not there, or `holds`: a rule over its items holds, for there are none,
    and a sum of them is 0. A rule may say it for itself."""
    expected: ExpectedColumn = None
    """The column that holds the expected JSON, when it is not the test set's expected column."""

    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "one of two rules holds",
            output='{"items": [{"amount": 10.1}, {"amount": 20.2}], "total": 30.3, "issued_on": "2024-05-31", "due_on": "2024-05-01"}',
            settings={
                "lines add up": {"sum": "items[*].amount", "equals": "total"},
                "due later": {"order": ["issued_on", "due_on"]},
            },
            score=0.5,
        ),
        Example(
            "each line, within a cent",
            output='{"items": [{"qty": 3, "unit_price": 0.333, "amount": 1.0}, {"qty": 2, "unit_price": 5, "amount": 10}]}',
            settings={
                "each line": {
                    "each": "items[*]",
                    "product": ["qty", "unit_price"],
                    "equals": "amount",
                    "tolerance": 0.01,
                }
            },
        ),
        Example(
            "a rule that lacks a field fails",
            output='{"net": 100, "tax": null, "gross": 119}',
            settings={"net and tax": {"sum": ["net", "tax"], "equals": "gross"}},
            score=0.0,
        ),
        Example(
            "only some rows need a reason",
            output='{"status": "accepted"}',
            settings={"why rejected": {"when": {"output.status": "rejected"}, "present": "reason"}},
            score=None,
        ),
        Example(
            "numbers in text",
            output='{"net": "1.000,50", "tax": "190,10", "gross": "1.190,60"}',
            settings={
                "parse": {"thousands": ".", "decimal": ","},
                "net and tax": {"sum": ["net", "tax"], "equals": "gross"},
            },
        ),
    )

    @model_validator(mode="before")
    @classmethod
    def _name_rules(cls, data: Any) -> Any:
        """The settings as written, in which each key that is no setting has its rule with its name (`_Named`)."""
        if not isinstance(data, Mapping):
            return data
        known = {*cls.model_fields, *setting_names(cls), "correct_answer_key"}
        return {key: body if key in known else _Named(str(key), body) for key, body in data.items()}

    @model_validator(mode="after")
    def _check_rules(self) -> Self:
        """Gives the settings back. Raises ValueError where no rule is named, and BadSettings for conditions on the output where the rules
        are about expected answers."""
        if not self.rules:
            hint = 'write rules: {lines add up: {sum: "items[*].amount", equals: total}}'
            raise ValueError(f"no rule is named, so nothing would be checked\nhint: {hint}")
        details = [
            Detail(
                (name, "when", f"output.{condition.path}"),
                f'"output.{condition.path}" is about the output, and the rules are about the expected answer',
                f"write expected.{condition.path}",
                key=True,
            )
            for name, rule in self.rules.items()
            for condition in rule.when
            if condition.source == "output"
        ]
        if details and self.side == "expected":
            raise BadSettings(details)
        return self

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules by name, in the order in which they are written."""
        return self.__pydantic_extra__

    @cached_property
    def condition_columns(self) -> tuple[str, ...]:
        """The columns that the `when` of a rule names."""
        return columns_of(condition for rule in self.rules.values() for condition in rule.when)

    def needs(self) -> Needs:
        """The documents that the rules are about, the expected ones if there are any, and the columns that a `when` names."""
        columns = tuple(Column(name, literal=True) for name in self.condition_columns)
        if self.side == "expected":
            return Expected(self.column("expected")), *columns
        expected = Expected(self.column("expected"), optional=True)
        return Output(self.column("output"), "container"), expected, *columns

    def scored_fields(self) -> ScoredFields:
        """The rules as fields, made once by `_scored_fields`."""
        return self._scored_fields

    @cached_property
    def _scored_fields(self) -> ScoredFields:
        """The rules as fields, by their names, with what reports and suggestions ask of them: the keys and the paths that they read, and
        which rules may be left out."""
        rules = self.rules.values()
        paths = [field.path for rule in rules for field in (rule.all_fields if rule.each is None else (rule.each,))]
        keys = frozenset(key for path in paths for key in path.first_keys())
        return ScoredFields(
            names=tuple(self.rules),
            top_keys=keys,
            optional=frozenset(name for name, rule in self.rules.items() if rule.optional),
            conditions=tuple(condition for rule in self.rules.values() for condition in rule.when),
            named_paths=tuple(
                (name, field.path, field.is_in)
                for name, rule in self.rules.items()
                if not rule.optional
                for field in rule.from_top
            ),
            broken_by=self._broken_rules if self.side == "expected" else None,
        )

    def _broken_rules(self, document: JSON) -> Iterator[tuple[str, str]]:
        """Yields (rule, why) for each rule that an expected document breaks. Rules with a `when` on cells or outputs are left out."""
        for name, rule, reading in self.check().rules:
            of_documents = all(condition.source == "expected" for condition in rule.when)
            if of_documents and all_hold(rule.when, {"expected": document}, {}):
                held = rule.judge(document, MISSING, reading)
                if held.status in _WRONG:
                    yield name, held.why()

    def check(self) -> RulesCheck:
        return RulesCheck(self)


class RuleRows(ScoredRows):
    """Rows that were held against rules. A document that is not there is MISSING."""

    def __init__(
        self, check: RulesCheck, documents: Sequence[Any], expected: Sequence[Any], cells: Sequence[Mapping[str, Any]]
    ) -> None:
        """Holds each row against each rule, and keeps the statuses and, by the path of a list without items, the rules that met it.
        `cells` are those that conditions name, by row and column."""
        self._check, self._rows = check, list(zip(documents, expected, cells, strict=True))
        self.statuses: list[bytes] = []
        self._no_items: list[Mapping[str, Sequence[str]]] = []
        for row in self._rows:
            held = [(name, self._result_of(rule, reading, *row)) for name, rule, reading in check.rules]
            self.statuses.append(bytes(result.status for _, result in held))
            lists: dict[str, list[str]] = {}
            for name, result in held:
                if result.no_items is not None:
                    lists.setdefault(display(result.no_items), []).append(name)
            self._no_items.append(lists)

    def _result_of(self, rule: Rule, reading: Reading, document: Any, expected: Any, cells: Mapping[str, Any]) -> Held:
        """The result of a rule in a row; skipped where its `when` does not hold. `reading` says how the rule reads numbers and dates, and
        `cells` are those that conditions name.

        Of an output that cannot be read (MISSING), conditions on the output are passed over, so that the rule counts, and fails.
        """
        settings = self._check.settings
        when = [condition for condition in rule.when if document is not MISSING or condition.source != "output"]
        sides = {"output": document, "expected": document if settings.side == "expected" else expected}
        if not all_hold(when, sides, cells):
            return Held(FieldStatus.SKIPPED, lambda: "its `when` does not hold for this row")
        if document is MISSING:
            return Held(FieldStatus.OMISSION, lambda: "there is no output to read")
        return rule.judge(document, expected, reading)

    def _outcome(self, name: str, rule: Rule, reading: Reading, at: int) -> Outcome:
        """The outcome of a rule in the row at a place of the chunk, with its reason and the values that it looked at."""
        held = self._result_of(rule, reading, *self._rows[at])
        document = self._rows[at][0]
        actual = held.actual if held.actual is not MISSING or document is MISSING else rule.values(document)
        score = None if held.status.number in _LEFT_OUT else float(held.status is _MATCH)
        details = {"metric": rule.kind}
        return Outcome(name, held.status, score, 1.0, None, held.why(), rule.words, held.expected, actual, details)

    def no_items(self, at: int) -> tuple[Literal["output", "expected"], Mapping[str, Sequence[str]]]:
        """(side, lists): the side that the rules are about; the lists of a row without items, by path, with the rules that read them."""
        return self._check.settings.side, self._no_items[at]

    def reason(self, at: int, unreadable: Issue | None = None) -> Reason:
        """Which rules a row breaks, and the outcome of each rule."""
        fields = tuple(self._outcome(*rule, at) for rule in self._check.rules)
        wrong = [f"{field.path}: {field.reason}" for field in fields if field.status in _WRONG]
        text = unreadable.message if unreadable is not None else "; ".join(wrong) or None
        return Reason(text, fields=fields)

    def wrong_outcomes(self, at: int, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
        """The outcomes of the rules in `wanted` that a row breaks."""
        rules = zip(self._check.rules, self.statuses[at], strict=True)
        return [
            self._outcome(name, rule, reading, at)
            for (name, rule, reading), status in rules
            if name in wanted and FIELD_STATUSES[status] in _WRONG
        ]


def _reading_of(rule: Rule, settings: Rules) -> Reading:
    """The settings by which a rule reads values: its own, or else those for all rules, `settings`."""
    return Reading.of(
        settings.parse if rule.parse is None else rule.parse,
        settings.missing if rule.missing is None else rule.missing,
        settings.empty if rule.empty is None else rule.empty,
    )


class RulesCheck(ChunkCheck[RuleRows]):
    """Holds rows against rules: (output, expected or MISSING, *cells) → verdict; (expected, *cells) where they are on that side."""

    def __init__(self, settings: Rules) -> None:
        self.settings = settings
        self.rules = [(name, rule, _reading_of(rule, settings)) for name, rule in settings.rules.items()]

    def begin(self, *columns: Sequence[Any]) -> RuleRows:
        """The rows of a chunk, held against the rules.

        The columns are the documents, then the expected ones if the rules are about outputs, then those that a `when` names.
        """
        documents, *cells = columns
        expected: Sequence[Any] = [MISSING] * len(documents)
        if self.settings.side == "output":
            expected, *cells = cells
        named = [dict(zip(self.settings.condition_columns, row, strict=True)) for row in zip(*cells, strict=True)]
        return RuleRows(self, documents, expected, named or [{}] * len(documents))

    def settle_rows(self, rows: RuleRows) -> list[ScoredRow]:
        """The scored rows of a chunk, by the statuses of their rules."""
        return [ScoredRow(self._verdict(statuses), rows, at) for at, statuses in enumerate(rows.statuses)]

    def _verdict(self, statuses: bytes) -> Result:
        """The verdict of a row by the status of each rule: the share of right ones among those that are measured."""
        measured = len(statuses.translate(None, _LEFT_OUT))
        if not measured:
            return Result(RowStatus.NOT_MEASURED, None, 0, 0, statuses)
        right = statuses.count(_MATCH.number)
        return Result(RowStatus.SCORED, right / measured >= self.settings.pass_at, right, measured, statuses)
