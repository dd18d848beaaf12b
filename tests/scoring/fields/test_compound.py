"""Keys that are compared as one value, in a list of fields."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.model.rows import FieldStatus, Outcome, Result
from evaluators.model.settings import BadSettings, build
from evaluators.scoring.evaluators.json_multi_field_match import JsonMultiFieldMatch
from evaluators.scoring.fields.lines import read_fields
from evaluators.scoring.fields.named_comparators import read_comparator

AUTHOR = {"author": {"compound": {"fields": ["surname", "name"], "compare": {"normalized": {"case": "ignore"}}}}}


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
