"""Keys that are compared as one value, in a list of fields."""

from __future__ import annotations

from typing import Any

import pytest

import evaluators
from evaluators.builtin.json_multi_field_match import JsonMultiFieldMatch
from evaluators.comparators._comparator import COMPARATORS
from evaluators.fields.compound import Together
from evaluators.fields.lines import read_fields
from evaluators.fields.named_comparators import read_comparator
from evaluators.model import FieldStatus, Outcome, Result
from evaluators.settings import BadSettings, build

AUTHOR = {"author": {"compound": {"fields": ["surname", "name"], "compare": {"normalized": {"case": "ignore"}}}}}


@pytest.fixture(autouse=True)
def nothing_stays_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(COMPARATORS, "_registered", dict(COMPARATORS._registered))
    return


def score(fields: Any, expected: Any, output: Any, **settings: Any) -> Result:
    made = build(JsonMultiFieldMatch, {"fields": fields, **settings})
    found, verdict = made.explain(expected, output), made.compile()(expected, output)
    assert bytes(field.status for field in found.fields) == verdict.statuses
    assert found.score == verdict.score
    return found


def result(fields: Any, expected: Any, output: Any, **settings: Any) -> Outcome:
    return score(fields, {"author": expected}, {"author": output}, **settings).fields[0]


@pytest.mark.parametrize(
    ("expected", "output", "status"),
    [
        ({"surname": "Lem", "name": "Stanislaw"}, {"surname": "LEM", "name": "Stanislaw"}, FieldStatus.MATCH),
        (
            {"surname": "Lem", "name": "Stanislaw"},
            {"name": "Stanislaw", "surname": "Lem", "born": 1921},
            FieldStatus.MATCH,
        ),
        ({"surname": "Lem", "name": "Stanislaw"}, {"surname": "Lem Stanislaw"}, FieldStatus.MATCH),
        ({"surname": "Lem", "name": "Stanislaw"}, {"surname": "Stanislaw", "name": "Lem"}, FieldStatus.MISMATCH),
        ({"surname": "Lem", "name": "Stanislaw"}, {"surname": "Lem"}, FieldStatus.MISMATCH),
        ({"surname": "Lem"}, {"surname": "Lem", "name": None}, FieldStatus.MATCH),
        ({"surname": "Lem"}, {"born": 1921}, FieldStatus.OMISSION),
        ({"born": 1921}, {"surname": "Lem"}, FieldStatus.HALLUCINATION),
        ({"born": 1921}, {"born": 1921}, FieldStatus.NOT_MEASURED),
        ({}, {}, FieldStatus.NOT_MEASURED),
        (None, None, FieldStatus.MATCH),
        ({"surname": "Lem"}, "Lem", FieldStatus.MISMATCH),
    ],
)
def test_the_keys_are_one_field(expected: Any, output: Any, status: FieldStatus) -> None:
    assert result(AUTHOR, expected, output).status is status


def test_equal_documents_without_the_keys_measure_nothing() -> None:
    document = {"author": {"born": 1921}}
    made = build(JsonMultiFieldMatch, {"fields": AUTHOR})
    assert made.compile()(document, document).score is None


def test_a_required_compound_that_neither_side_has_is_an_omission() -> None:
    fields = {"author": {"compare": AUTHOR["author"], "required": True}}
    assert result(fields, {}, {}).status is FieldStatus.OMISSION


def test_numbers_are_joined_as_they_are_written() -> None:
    together = Together(("amount", "unit"), joined=True)
    assert together.text({"unit": "kg", "amount": 1.5}) == "1.5 kg"
    assert together.text({"unit": "kg", "amount": 10**20}) == f"{10**20} kg"
    assert together.text({"amount": True}) == "true"


def test_a_comparator_of_ones_own_gets_the_two_objects() -> None:
    seen = []

    def same_person(expected: Any, actual: Any, params: Any) -> bool:
        seen.append((expected, actual))
        return set(expected.values()) == set(actual.values())

    evaluators.register("same_person", same_person)
    fields = {"author": {"compound": {"fields": ["surname", "name"], "compare": "same_person"}}}
    found = result(fields, {"surname": "Lem", "name": "S", "born": 1}, {"surname": "S", "name": "Lem", "born": 2})
    assert found.status is FieldStatus.MATCH
    assert seen[0] == ({"surname": "Lem", "name": "S"}, {"surname": "S", "name": "Lem"})


def test_exact_compares_the_objects_key_by_key() -> None:
    fields = {"author": {"compound": {"fields": ["surname", "name"]}}}
    assert result(fields, {"surname": "a", "name": "b"}, {"surname": "a b"}).status is FieldStatus.MISMATCH
    assert result(fields, {"surname": "a", "name": "b"}, {"name": "b", "surname": "a"}).status is FieldStatus.MATCH


@pytest.mark.parametrize("compare", ["exact", {"normalized": {"case": "ignore"}}])
def test_transforms_of_every_field_change_the_values_of_the_keys(compare: Any) -> None:
    fields = {"author": {"compound": {"fields": ["surname", "name"], "compare": compare}}}
    expected, output = {"surname": "Lem", "name": " S "}, {"surname": " Lem", "name": "S"}
    changes = ["strip", "normalize_whitespace", "lowercase"]
    assert result(fields, expected, output, transforms=changes).status is FieldStatus.MATCH


def test_a_batch_gets_the_objects_too() -> None:
    asked = []

    def judge(questions: list[evaluators.Question], params: Any) -> list[bool]:
        asked.extend(questions)
        return [True] * len(questions)

    evaluators.register("judge", judge, batch=True)
    fields = {"people[*]": {"compound": {"fields": ["a", "b"], "compare": "judge"}}}
    made = build(JsonMultiFieldMatch, {"fields": fields})
    verdict = made.compile()({"people": [{"a": 1}, {"c": 1}]}, {"people": [{"a": 2}, {"c": 2}]})
    assert verdict.statuses == bytes([FieldStatus.MATCH])
    assert [(one.path, one.expected, one.actual) for one in asked] == [("people[0]", {"a": 1}, {"a": 2})]


def test_the_rule_names_the_keys_and_the_comparator() -> None:
    line = read_fields({"author": {"compare": AUTHOR["author"], "weight": 2}})[0]
    assert line.rule == "surname + name: normalized {case: ignore}"
    assert line.word == "normalized"
    assert line.weight == 2


@pytest.mark.parametrize(
    ("options", "loc", "message"),
    [
        (["surname"], (), "the options of compound must be a map; found a list"),
        ({}, (), "compound needs fields, a list of two keys or more; found nothing"),
        ({"fields": ["a"]}, ("fields",), "compound needs fields, a list of two keys or more; found a list"),
        ({"fields": ["a", "b", "a"]}, ("fields",), "a key is listed twice"),
        ({"fields": ["a", "b"], "comapre": "exact"}, ("comapre",), 'unknown setting "comapre" for compound'),
        ({"fields": ["a", "b"], "compare": "fuzy"}, ("compare",), 'unknown comparator "fuzy"'),
        ({"fields": ["a", "b"], "compare": "skip"}, ("compare",), 'compound cannot compare its keys with "skip"'),
    ],
)
def test_a_mistake_has_its_place(options: Any, loc: tuple[str, ...], message: str) -> None:
    with pytest.raises(BadSettings) as caught:
        read_fields({"author": {"compound": options}})
    (found,) = caught.value.details
    assert (found.loc, found.message) == (("author", "compound", *loc), message)


def test_a_compound_has_no_name_of_its_own() -> None:
    with pytest.raises(BadSettings) as caught:
        read_comparator(AUTHOR["author"], {})
    assert caught.value.details[0].message == '"compound" names keys of one field'
