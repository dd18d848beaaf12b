"""What every group of settings promises: a value is never read as something that was not written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from evaluators.model.settings import BadSettings, Settings, build
from evaluators.runs.gates import GateConfig
from evaluators.runs.results_section import ResultsConfig
from evaluators.scoring.comparators._closeness import Tolerance
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN, FromColumn
from evaluators.scoring.values.numbers import Parse
from evaluators.scoring.values.transforms import TRANSFORMS
from evaluators.testsets.test_set_config import ColumnNames, Joined, TestSetConfig

WRONG: tuple[object, ...] = (True, False, 0, 1, 0.5, "", "yes", "true", "1", "0.5", [], {})
PARTS = {"all_of": ["a"], "any_of": ["a"], "min_of": ["a"], "max_of": ["a"], "weighted_mean": {"a": 1}}
OTHERS: Mapping[type[Settings], dict[str, Any]] = {
    Tolerance: {"abs": 1},
    Parse: {},
    FromColumn: {"column": "a"},
    GateConfig: {"fail_below": 0.5},
    ResultsConfig: {},
    ColumnNames: {},
    Joined: {"file": "a.csv"},
    TestSetConfig: {},
    TRANSFORMS["round_digits"].parameters: {"digits": 2},
    TRANSFORMS["type_convert"].parameters: {"to": "int"},
    TRANSFORMS["regex_replace"].parameters: {"pattern": "a", "with": "b"},
}
"""Settings that are neither an evaluator's nor a comparator's, with what is enough for each."""


def usable() -> Iterator[tuple[type[Settings], dict[str, Any]]]:
    """Every group of settings, with settings that it takes."""
    for name in BUILTIN.names():
        examples = BUILTIN.find(name).examples
        enough = {"of": PARTS[name]} if name in PARTS else dict(examples[0].settings or {})
        yield BUILTIN.find(name), enough
    for name in COMPARATORS.names():
        pairs = COMPARATORS.find(name).examples
        yield COMPARATORS.find(name), dict(next((pair.options for pair in pairs if pair.options), {}))
    yield from OTHERS.items()


def every_setting() -> list[Any]:
    return [
        pytest.param(model, enough, name, id=f"{model.__name__}.{name}")
        for model, enough in usable()
        for name in model.model_fields
    ]


@pytest.mark.parametrize(("model", "enough", "name"), every_setting())
def test_a_setting_is_read_as_it_was_written_or_refused(model: type[Settings], enough: dict[str, Any], name: str) -> None:
    written = {key: value for key, value in enough.items() if _field(model, key) != name}
    for wrong in WRONG:
        try:
            found = getattr(build(model, {**written, name: wrong}), name)
        except BadSettings:
            continue
        if isinstance(found, bool | int | float):
            assert found == wrong
            assert isinstance(found, bool) is isinstance(wrong, bool), f"{wrong!r} was read as {found!r}"


COLUMNS: list[tuple[type[Settings], str]] = [
    *((BUILTIN.find(name), role) for name in BUILTIN.names() for role in ("output", "expected", "input")),
    *((ColumnNames, role) for role in ("id", "input", "output", "expected")),
    *((Joined, name) for name in ("file", "key", "column")),
    *((TestSetConfig, name) for name in ("file", "output", "outputs", "expected")),
    *((ResultsConfig, name) for name in ("folder", "name")),
    (FromColumn, "column"),
]
"""Settings that name a column, a file or a folder."""


@pytest.mark.parametrize(("model", "name"), [(model, name) for model, name in COLUMNS if name in model.model_fields])
def test_a_name_is_never_empty(model: type[Settings], name: str) -> None:
    enough = next(enough for one, enough in usable() if one is model)
    with pytest.raises(BadSettings) as caught:
        build(model, {**enough, name: ""})
    assert [detail.message for detail in caught.value.details] == [f'"{name}" must not be empty']


@pytest.mark.parametrize(
    ("name", "options", "message", "hint"),
    [
        ("fuzzy", {"at_least": "0.5"}, '"at_least" must be a number; found the text "0.5"', "remove the quotes"),
        ("fuzzy", {"at_least": True}, '"at_least" must be a number; found true', None),
        ("fuzzy", {"partial": "yes"}, '"partial" must be true or false; found the text "yes"', None),
        ("regex", {"pattern": "a", "full": 1}, '"full" must be true or false; found the number 1', None),
        ("regex", {"pattern": ""}, '"pattern" is empty, and an empty pattern is found everywhere', None),
    ],
)
def test_a_comparator_says_what_a_setting_must_be(
    name: str, options: dict[str, Any], message: str, hint: str | None
) -> None:
    with pytest.raises(BadSettings) as caught:
        build(COMPARATORS.find(name), options)
    (detail,) = caught.value.details
    assert detail.message == message
    assert (hint or "") in (detail.hint or "")


def test_a_whole_number_is_a_number() -> None:
    assert build(COMPARATORS.find("fuzzy"), {"at_least": 1}) == build(COMPARATORS.find("fuzzy"), {"at_least": 1.0})


def _field(model: type[Settings], key: str) -> str:
    """The field that a written key fills."""
    for name, field in model.model_fields.items():
        alias = field.validation_alias
        if key in (name, alias, *getattr(alias, "choices", ())):
            return name
    return key


@pytest.mark.parametrize(
    ("written", "messages"),
    [
        ({"expected": 5}, ['"expected" must be text or a map; found the number 5']),
        ({"expected": {"fil": "a"}}, ['unknown setting "fil" for test_set']),
        ({"outputs": {"a": 5}}, ['"a" must be text or a map; found the number 5']),
        ({"outputs": 5}, ['"outputs" must be text or a map; found the number 5']),
        ({"outputs": {"a": ""}}, ['"a" must not be empty']),
        ([], ["test_set must be a map; found a list"]),
        (5, ["test_set must be a map; found the number 5"]),
    ],
)
def test_a_setting_of_several_shapes_is_complained_about_once(written: object, messages: list[str]) -> None:
    with pytest.raises(BadSettings) as caught:
        build(TestSetConfig, written, noun="test_set")
    assert [detail.message for detail in caught.value.details] == messages
    assert all(not detail.loc or detail.loc[0] in ("expected", "outputs") for detail in caught.value.details)


def test_an_item_of_a_list_is_named_by_its_number() -> None:
    with pytest.raises(BadSettings) as caught:
        build(ResultsConfig, {"formats": ["csv", 1]})
    assert [detail.message for detail in caught.value.details] == ['item 2 of "formats" must be text; found the number 1']
