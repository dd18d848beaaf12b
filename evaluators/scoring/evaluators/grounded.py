"""`grounded`: every value of the output occurs in a text of the row, such as the e-mail that it was extracted from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

from msgspec.structs import replace
from pydantic import AfterValidator, BeforeValidator, Field, StrictInt, ValidationInfo

from evaluators.model.issues import Issue
from evaluators.model.rows import MISSING, FieldStatus, Outcome, Reason, Result, RowStatus
from evaluators.model.settings import Name, ReadBy, bad, read_each, spell
from evaluators.scoring.evaluators._evaluator import (
    NOT_MEASURED,
    Column,
    Example,
    Needs,
    Output,
    Sampled,
    ScoredFields,
    Text,
    TreeEvaluator,
    Unreadable,
)
from evaluators.scoring.evaluators._schema_files import choices_in, read_file
from evaluators.scoring.fields.reading import read_path
from evaluators.scoring.fields.row_checks import RowsCheck, ScoredRow, ScoredRows
from evaluators.scoring.values.dates import MONTHS_IN
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_text import parse, to_text
from evaluators.scoring.values.passages import NEAR_STEPS, Looking, Passage, Source, leaves
from evaluators.scoring.values.paths import ANY, Location, Path, display
from evaluators.scoring.values.quoting import quote
from evaluators.scoring.values.text import Normalization, normalizer

MATCH, MISMATCH, NOT_GIVEN, NOT_LOOKED_FOR = (
    FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.NOT_MEASURED, FieldStatus.SKIPPED,
)  # fmt: skip
NOTHING_GIVEN: Final = "the output gives nothing to look for"
CHOICE: Final = "a choice, which is not looked for"
OTHER_ROWS: Final = 20
"""Rows in whose sources the values of a row are looked for, too: what is found there is found by chance."""
_MOST_SHOWN: Final = 60
"""Characters of a passage that a reason shows."""
Choices: TypeAlias = Mapping[Location, tuple[Collection[str], Collection[Any]]]
"""The values that a schema lists, texts and others, by place with `[*]`."""
_NO_CHOICES: Final[tuple[Collection[str], Collection[Any]]] = (), ()


class Reading(Normalization):
    """Which differences between a text of the output and the source do not count."""

    case: Literal["keep", "lower", "ignore"] = "ignore"
    accents: Literal["keep", "ignore", "transliterate"] = "ignore"
    whitespace: Literal["keep", "trim", "collapse", "ignore"] = "collapse"


def _read_paths(data: object) -> tuple[Path, ...]:
    """The setting `fields`: the paths of a list, each once, in order. Raises BadSettings for any other value."""
    if not isinstance(data, (list, tuple)) or not data:
        shown = "an empty list" if data == [] else spell(data)
        raise bad(f"fields must be a list of paths; found {shown}", hint='write fields: [total, "items[*].sku"]')
    return tuple(dict.fromkeys(read_each(enumerate(data), lambda _, spelled: read_path(spelled))))


def _read_schema(value: object, info: ValidationInfo) -> object:
    """The setting `schema`: a map as it is, or that of a file. Raises BadSettings or ValueError for any other value."""
    if isinstance(value, str):
        return read_file(value, info.context)
    if not isinstance(value, Mapping):
        raise ValueError(f'"schema" must be a map or a file; found {spell(value)}')
    return value


def _check_languages(value: tuple[str, ...]) -> tuple[str, ...]:
    """The languages, as they are. Raises ValueError for one whose months are not known."""
    for language in value:
        if language not in MONTHS_IN:
            raise ValueError(f'the months of "{language}" are not known\nhint: known: {", ".join(MONTHS_IN)}')
    return value


class Grounded(TreeEvaluator):
    """Score the share of the output's values that occur in a text of the row: its source, such as an e-mail or a page.

    It needs no expected answers. Use it to find invented values where documents are read into fields. A number is found
    in any spelling (1234.5 is "1.234,50" and "€ 1 234.50"), never as a part of a longer number. A day is found in any order
    and with the names of months. An amount in another currency is another one, and a part of a telephone number, of a version
    or of an address is no number. A text is found as whole words, without regard to case, accents and line breaks, but not right after
    a negation: "not approved" does not say "approved".

    A near passage has nearly the same letters, the same digits and the same negations: "Anna Schmidt" is near "Anne Schmidt".
    It is shown, and the value counts as not found; `near: counts` lets it count as found.

    True, false, null and empty texts are not looked for, nor what `labels` or a `schema` list as choices. A field of
    `fields` that the output lacks is not given: it counts in `not_given_rate`, beside the score. An output with nothing
    to look for scores 0. A right value is not always found, for a source may say it in other words; and a value that is
    found may stand there for something else: `chance_rate` is the share that is found in the sources of other rows.
    """

    type: Literal["grounded"] = "grounded"
    source: Name
    """The column with the text."""
    fields: Annotated[tuple[Path, ...] | None, ReadBy(lambda data, _: _read_paths(data), "paths")] = None
    """The paths to look at, with everything below them; every value of the output without it."""
    normalized: Reading = Reading.model_construct()
    """What does not count where texts are looked for, in the words of the comparator `normalized`."""
    near: Literal["shown", "counts"] = "shown"
    """Whether a text of which the source has only a near passage counts as found. `shown`: it does not, and the reason shows the
    passage. `counts`: it does."""
    at_least: float = Field(0.9, gt=0.5, le=1.0, strict=True)
    """A passage is near when it is at least so much like the text; with 1.0 none is."""
    languages: Annotated[tuple[str, ...], AfterValidator(_check_languages)] = ("en",)
    """The languages of names of months: en, da, de, es, fr, it, nb, nl, pl, pt, sv."""
    labels: tuple[str, ...] = ()
    """Texts that are choices, so that no source needs to say them."""
    json_schema: Annotated[
        dict[str, Any] | None, BeforeValidator(_read_schema, json_schema_input_type=dict[str, Any] | str)
    ] = Field(None, validation_alias="schema")
    """A JSON Schema, or its file: values that its `enum` and `const` list are not looked for."""
    missing: Literal["fail", "skip"] = "fail"
    """What becomes of a row whose output gives nothing to look for: 0, or it is left out."""
    seed: StrictInt = 0
    """Another seed chooses other rows for `chance_rate`."""

    unnamed: ClassVar[str | None] = "source"
    examples = (
        Example(
            "one of three values is nowhere in the source",
            output='{"total": 1234.5, "due": "2024-05-31", "vendor": "Acme Ltd"}',
            settings={"source": "input"},
            input="Please pay 1.234,50 EUR by May 31st, 2024. Globex",
            score=2 / 3,
        ),
        Example(
            "listed fields, one of which is not given",
            output='{"total": 99, "items": [{"sku": "A-1"}, {"sku": "B-2"}], "vendor": null}',
            settings={"source": "input", "fields": ["total", "items[*].sku", "vendor"]},
            input="Total 99.00 for A-1 and B-3",
            score=2 / 3,
        ),
        Example(
            "a part of a longer number is another number",
            output='{"total": 234.5}',
            settings={"source": "input"},
            input="Total: 1 234.50",
            score=0.0,
        ),
        Example(
            "a near passage is shown, and does not count",
            output='{"name": "Jon Smithson", "city": "York"}',
            settings={"source": "input"},
            input="John Smithson from York asks for order no. INV-0018.",
            score=0.5,
        ),
        Example(
            "a near passage counts, if it has the same digits",
            output='{"name": "Jon Smithson", "order": "order no. INV-0017"}',
            settings={"source": "input", "near": "counts"},
            input="John Smithson asks for order no. INV-0018.",
            score=0.5,
        ),
        Example(
            "an amount in another currency is another one",
            output='{"net": "100 EUR", "tax": "19 USD", "total": 119}',
            settings={"source": "input"},
            input="Net €100.00, VAT 19.00 EUR, to pay 119.00 euros",
            score=2 / 3,
        ),
        Example(
            "choices are not looked for",
            output='{"kind": "refund", "urgent": true, "amount": 20}',
            settings={"source": "input", "labels": ["refund", "billing"]},
            input="Give me my 20 dollars back!",
        ),
    )

    def needs(self) -> Needs:
        """The document in the output, and the text of the source, which must not be empty."""
        return Output(self.column("output"), "container"), Text(Column(self.source, literal=True), filled=True)

    def scored_fields(self) -> ScoredFields:
        """The fields of `fields` and the metrics, made once by `_scored_fields`."""
        return self._scored_fields

    @cached_property
    def _scored_fields(self) -> ScoredFields:
        """The fields of `fields`, and the metrics that come with them."""
        if self.fields is None:
            return ScoredFields(metrics=("chance_rate",))
        names = tuple(path.canonical for path in self.fields)
        keys = frozenset(key for path in self.fields for key in path.first_keys())
        return ScoredFields(names=names, metrics=("not_given_rate", "chance_rate"), top_keys=keys)

    @cached_property
    def looking(self) -> Looking:
        """The settings by which values are looked for in a source."""
        return Looking(normalizer(self.normalized), self.at_least, self.languages)

    @cached_property
    def choices(self) -> Choices:
        """(texts, others): the values that the schema lists as choices, by the place of a field."""
        listed = choices_in(self.json_schema) if self.json_schema is not None else {}
        return {
            place: (
                frozenset(value for value in values if value.__class__ is str),
                [value for value in values if value.__class__ is not str],
            )
            for place, values in listed.items()
        }

    def check(self) -> GroundedCheck:
        return GroundedCheck(self)

    def sampled_metric(self) -> Sampled:
        """How the metric `chance_rate` is measured: the share of the values of rows that the sources of other rows have as well."""
        return Sampled("chance_rate", self.seed, lambda _, text: text, self._sample_text, self._chance)

    def _sample_text(self, document: Any, text: str) -> str | None:
        """The text of a source with the values that were looked for in it, as JSON; None without values."""
        given = ((place, value) for _, place, value in self.values_to_find(document) if is_given(value))
        values = [value for place, value in given if self.is_looked_for(place, value)]
        return to_text([text, values]) if values else None

    def _chance(self, samples: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Yields for each row (found, looked for): its values, each looked for in the sources of up to `OTHER_ROWS` rows after it.

        After the last row comes the first. A row of which no other has another source yields nothing.
        """
        rows: list[Any] = list(map(parse, samples))
        sources = [Source(text, self.looking) for text, _ in rows]
        for at, (text, values) in enumerate(rows):
            others = [source for source in (*sources[at + 1 :], *sources[:at]) if source.text != text][:OTHER_ROWS]
            if others:
                count = sum(self.counts_in(source, value) for source in others for value in values)
                yield count, len(values) * len(others)

    def unreadable(self) -> Unreadable:
        """A row whose output cannot be read scores 0, and keeps its metrics; one that is left out for another reason stays so."""
        return Unreadable(lost=lambda verdict: verdict if verdict.status.kept_out else replace(
            verdict, status=RowStatus.UNREADABLE, passed=False, num=0, den=1
        ))  # fmt: skip

    def values_to_find(self, document: Any) -> Iterator[tuple[int, Location, Any]]:
        """Yields (number, place, value) for the values at the paths of `fields`, `number` being that of the path; without paths, for
        all values, with the number 0."""
        if document is MISSING:
            return
        if self.fields is None:
            yield from ((0, place, value) for place, value in leaves(document))
            return
        for number, path in enumerate(self.fields):
            for place, value in path.hits(document):
                if value.__class__ is not dict and value.__class__ is not list:
                    yield number, place, value
                else:
                    yield from ((number, below, leaf) for below, leaf in leaves(value, place))

    def is_looked_for(self, place: Location, value: Any) -> bool:
        """Whether a value that is given is one that a source must say: a number or a text that is no choice."""
        if value.__class__ is bool or value in self._labels:
            return False
        texts, others = self.choices.get(_with_any_index(place), _NO_CHOICES) if self.choices else _NO_CHOICES
        return value not in texts if value.__class__ is str else not any(json_equal(value, choice) for choice in others)

    @cached_property
    def _labels(self) -> frozenset[str]:
        """The labels, for a quick look-up."""
        return frozenset(self.labels)

    def counts_in(self, source: Source, value: Any) -> bool:
        """Whether a value counts as found in a source."""
        return source.has(value) or self.counts_as_near(source, value)

    def counts_as_near(self, source: Source, value: Any) -> bool:
        """Whether a value that the source does not have counts as found, because `near: counts` and a passage is near."""
        return self.near == "counts" and value.__class__ is str and source.near_passage(value) is not None


class Value(NamedTuple):
    """A value of an output with its status."""

    field: int
    place: Location
    value: Any
    status: FieldStatus
    is_near: bool = False
    """It counts as found, for a passage is near."""


class GroundedRows(ScoredRows):
    """Rows whose values were looked for in their sources."""

    def __init__(self, settings: Grounded, outputs: Sequence[Any], texts: Sequence[str]) -> None:
        """Looks up the values of each output in the text beside it."""
        self._settings, self.texts = settings, texts
        self._source = Source("", settings.looking)
        """The source of the last row: rows about one text often follow each other."""
        self.values = [self._look_up_all(*both) for both in zip(outputs, texts, strict=True)]
        """The values of each row."""

    def _look_up_all(self, document: Any, text: str) -> list[Value]:
        """The values of an output, each with its status in the text of its source. Keeps that source as `_source` for the next row."""
        if text != self._source.text:
            self._source = Source(text, self._settings.looking)
        self._source.steps_left = NEAR_STEPS
        return [self._look_up(*wanted) for wanted in self._settings.values_to_find(document)]

    def _look_up(self, field: int, place: Location, value: Any) -> Value:
        """The value at a place, with its status: not given, not looked for, in the source, near enough, or not there. `field` is the number
        of the path in `fields` that leads to it."""
        if not is_given(value):
            return Value(field, place, value, NOT_GIVEN)
        if not self._settings.is_looked_for(place, value):
            return Value(field, place, value, NOT_LOOKED_FOR)
        if self._source.has(value):
            return Value(field, place, value, MATCH)
        is_near = self._settings.counts_as_near(self._source, value)
        return Value(field, place, value, MATCH if is_near else MISMATCH, is_near)

    def reason(self, at: int, unreadable: Issue | None = None) -> Reason:
        """How many values of the row with the index `at` are in the source, and the outcome of each listed field, or else of each value.
        `unreadable` is the issue of an output that cannot be read, whose message stands in place of the count."""
        found, looked_for = count_found(self.values[at])
        message = f"{found} of {looked_for} values are in the source" if looked_for else NOTHING_GIVEN
        details = {"found": found, "looked_for": looked_for}
        if unreadable is not None:
            message, details = unreadable.message, {}
        names, source = self._settings.scored_fields().names, Source(self.texts[at], self._settings.looking)
        fields = (
            map(partial(self._field_outcome, at, source), range(len(names)))
            if names
            else self._value_outcomes(source, self.values[at])
        )
        return Reason(message, details, tuple(fields))

    def wrong_outcomes(self, at: int, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
        """The outcomes of a row that are not in the source: of the listed fields in `wanted`, or of all values where no fields
        are listed."""
        names, source = self._settings.scored_fields().names, Source(self.texts[at], self._settings.looking)
        lost = [value for value in self.values[at] if value.status is MISMATCH]
        if not names:
            return list(self._value_outcomes(source, lost)) if "" in wanted else []
        numbers = sorted({value.field for value in lost})
        return [self._field_outcome(at, source, number) for number in numbers if names[number] in wanted]

    def _field_outcome(self, at: int, source: Source, number: int) -> Outcome:
        """The outcome of the listed field with that `number` in the row with the index `at`: a match where all its values are in the
        source, not given or skipped where none was looked for. A field with one value has the outcome of the value."""
        name = self._settings.scored_fields().names[number]
        values = [value for value in self.values[at] if value.field == number]
        leaves = list(self._value_outcomes(source, values))
        if len(leaves) == 1:
            return replace(leaves[0], path=name)
        found, looked_for = count_found(values)
        status = status_of(values)
        if not looked_for:
            return Outcome(name, status, reason="not given" if status is NOT_GIVEN else CHOICE, comparator="grounded")
        wrong = [leaf for leaf in leaves if leaf.status is MISMATCH]
        message = f"{found} of {looked_for} values are in the source"
        if wrong:
            message += f"; {wrong[0].path}: {wrong[0].reason}"
        passages = [passage for leaf in leaves for passage in leaf.details.get("passages", ())]
        details = {"column": self._settings.source, "passages": passages}
        actual = [value.value for value in values]
        return Outcome(name, status, float(not wrong), 1.0, None, message, "grounded", actual=actual, details=details)

    def _value_outcomes(self, source: Source, values: Sequence[Value]) -> Iterator[Outcome]:
        """Yields the outcome of each single value, with its passage in the source."""
        column = self._settings.source
        for value in values:
            place, status = display(value.place), value.status
            if status is not MATCH and status is not MISMATCH:
                reason = CHOICE if status is NOT_LOOKED_FOR else "not given"
                yield Outcome(place, status, None, reason=reason, comparator="grounded", actual=value.value)
                continue
            reason, passage = _reason_of(source, value, column)
            details = {"column": column, "passages": list[Any]()}
            if passage is not None:
                shown = source.text[passage.start : min(passage.end, passage.start + _MOST_SHOWN)]
                details["passages"] = [[passage.start, passage.end, status.word]]
                reason += f": {quote(shown)} at character {passage.start + 1:,}"
            right = float(status is MATCH)
            yield Outcome(place, status, right, reason=reason, comparator="grounded", actual=value.value, details=details)


def _reason_of(source: Source, value: Value, column: str) -> tuple[str, Passage | None]:
    """(reason, passage): a sentence on a value that was looked for, and the passage of the source that shows it, or None."""
    if value.status is MISMATCH:
        nearest, is_near = source.nearest_passage(value.value)
        nearness = "" if nearest is None else ", but nearly" if is_near else "; nearest"
        return f'not in "{column}"{nearness}', nearest
    if value.is_near:
        return f'nearly in "{column}"', source.place_of_near_passage(value.value)
    return f'in "{column}"', source.place(value.value)


class GroundedCheck(RowsCheck[GroundedRows]):
    """Scores rows by their sources: (output, text) → verdict. An unreadable output is MISSING."""

    def __init__(self, settings: Grounded) -> None:
        super().__init__()
        self._settings = settings

    def begin(self, *columns: Sequence[Any]) -> GroundedRows:
        return GroundedRows(self._settings, *columns)

    def settle_rows(self, rows: GroundedRows) -> list[ScoredRow]:
        """The scored rows. Without listed fields, it also adds the statuses to the tally, by their places in the documents."""
        verdicts = [self._verdict(values) for values in rows.values]
        if self._settings.fields is None:
            for values in rows.values:
                for value in values:
                    if value.status is MATCH or value.status is MISMATCH:
                        self._tally.add([_with_any_index(value.place)], value.status.number, 1)
            self._tally.trim()
        return [ScoredRow(verdict, rows, at) for at, verdict in enumerate(verdicts)]

    def _verdict(self, values: Sequence[Value]) -> Result:
        """The verdict of a row from its values: the share of those looked for that the source has. Where none was looked for it is not
        measured if `missing` is `skip`, and else 0.

        Without listed fields it also counts the values of the row, and those of each field that a gate watches.
        """
        settings = self._settings
        found, looked_for = count_found(values)
        if looked_for:
            verdict = Result(RowStatus.SCORED, found / looked_for >= settings.pass_at, found, looked_for)
        else:
            verdict = NOT_MEASURED if settings.missing == "skip" else Result(RowStatus.SCORED, False, 0, 1)
        if settings.fields is not None:
            return self._with_fields(verdict, values)
        watched = [
            count_found([value for value in values if display(_with_any_index(value.place)) == path])
            for path in self._watched
        ]
        return replace(
            verdict,
            counts=(found, looked_for - found, 0, 0) if looked_for else None,
            watched=tuple((right, all_ - right, 0, 0) for right, all_ in watched),
        )

    def _with_fields(self, verdict: Result, values: Sequence[Value]) -> Result:
        """The verdict with the status of each listed field, the counts of those with several values, and `not_given_rate`."""
        by_field: list[list[Value]] = [[] for _ in self._settings.fields or ()]
        for value in values:
            by_field[value.field].append(value)
        statuses = bytes(status_of(each).number for each in by_field)
        several: list[int] = []
        for number, each in enumerate(by_field):
            if len(each) > 1:
                found, looked_for = count_found(each)
                several += [number, found, looked_for] if looked_for > 1 else []
        not_given = statuses.count(NOT_GIVEN.number), len(statuses)
        return replace(verdict, statuses=statuses, values=tuple(several), metrics=(not_given,))


def is_given(value: Any) -> bool:
    """Whether a value says anything: null and empty texts do not."""
    return value is not None and not (value.__class__ is str and (not value or value.isspace()))


def count_found(values: Sequence[Value]) -> tuple[int, int]:
    """(found, looked for): how many of the values were found, and how many were looked for."""
    matches = lost = 0
    for value in values:
        matches += value.status is MATCH
        lost += value.status is MISMATCH
    return matches, matches + lost


def status_of(values: Sequence[Value]) -> FieldStatus:
    """The status of a field with some values: a match where all that were looked for are found."""
    status = NOT_GIVEN
    for value in values:
        if value.status is MISMATCH:
            return MISMATCH
        if value.status is MATCH or status is NOT_GIVEN:
            status = value.status
    return status


@lru_cache(maxsize=1 << 12)
def _with_any_index(place: Location) -> tuple[Any, ...]:
    """A place with `[*]` for every index."""
    return tuple(ANY if step.__class__ is int else step for step in place)
