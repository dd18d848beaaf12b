"""The contract that every comparator keeps, and one table of cases per comparator."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.rows import Comparison
from evaluators.model.settings import BadSettings, build
from evaluators.scoring.comparators import TOGETHER
from evaluators.scoring.comparators._comparator import COMPARATORS, Comparator, Pair, word_of
from evaluators.scoring.values.differences import difference_text
from tests.kit import read_yaml

FOLDER = Path(__file__).parent
NAMES = COMPARATORS.shipped_names()
TABLES: dict[str, list[dict[str, Any]]] = {name: read_yaml(FOLDER / f"{name}.yaml") for name in NAMES}


def of(name: str, options: object = None) -> Comparator:
    return build(COMPARATORS.find(name), options or {})


def every_case() -> list[Any]:
    return [pytest.param(name, case, id=f"{name}: {case['it']}") for name in NAMES for case in TABLES[name]]


def every_example() -> list[Any]:
    return [
        pytest.param(name, pair, id=f"{name}: {pair.title}") for name in NAMES for pair in COMPARATORS.find(name).examples
    ]


def every_setting() -> list[Any]:
    """Each comparator with each of the options that its examples and its table use."""
    found: dict[str, tuple[str, object]] = {}
    for name in NAMES:
        used = [pair.options for pair in COMPARATORS.find(name).examples]
        used += [
            case.get("options") for case in TABLES[name] if "refused" not in case and case.get("blame") != "environment"
        ]
        for options in used:
            found[f"{name} {options}"] = (name, options)
    return [pytest.param(name, options, id=label) for label, (name, options) in found.items()]


def usable(setting: tuple[str, object]) -> bool:
    try:
        of(*setting)
    except BadSettings:
        return False
    return True


SETTINGS = [setting for param in every_setting() if usable(setting := (param.values[0], param.values[1]))]
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 3),
        st.sampled_from([0.1, 1.0, 1.1, 2.5, 1e300, 10**30]),
        st.sampled_from(
            ["", "a", "A", "yes", "no", "1", "1,000", "$5", "5%", "2024-05-31", "31/05/2024", "https://a.b/"]
        ),
        st.text(max_size=5),
    ),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)


def passed(found: bool | Comparison) -> bool:
    return found.passed if isinstance(found, Comparison) else found


def score(found: bool | Comparison) -> float:
    return found.score if isinstance(found, Comparison) else float(found)


@pytest.mark.parametrize(("name", "case"), every_case())
def test_table(name: str, case: dict[str, Any]) -> None:
    assert set(case) <= {"it", "options", "expected", "output", "match", "score", "reason", "problem", "blame", "refused"}
    if "refused" in case:
        with pytest.raises(BadSettings) as refused:
            of(name, case["options"])
        said = " ".join(f"{detail.message} hint: {detail.hint}" for detail in refused.value.details)
        assert case["refused"] in said
        return
    comparator = of(name, case.get("options"))
    if case.get("blame") == "testset":
        said = comparator.readable(case["expected"])
        assert isinstance(said, Issue)
        assert (said.code, said.blame) == (case["problem"], Blame.TESTSET)
        assert not comparator.reads_any
        return
    assert comparator.readable(case["expected"]) is True
    if "problem" in case:
        for ask in (comparator.compare, comparator.answer):
            with pytest.raises(RowProblem) as raised:
                ask(case["expected"], case["output"])
            assert raised.value.issue.code == case["problem"]
            assert raised.value.issue.blame is Blame(case["blame"])
        return
    found, explained = (
        comparator.compare(case["expected"], case["output"]),
        comparator.answer(case["expected"], case["output"]),
    )
    assert passed(found) is case["match"]
    assert explained.passed is case["match"]
    assert score(found) == explained.score
    if "score" in case:
        assert score(found) == case["score"]
    if "reason" in case:
        assert explained.reason == case["reason"]


@pytest.mark.parametrize(("name", "pair"), every_example())
def test_examples_hold(name: str, pair: Pair) -> None:
    comparator = of(name, pair.options)
    assert passed(comparator.compare(pair.expected, pair.actual)) is pair.match
    assert comparator.answer(pair.expected, pair.actual).passed is pair.match


@given(st.sampled_from(SETTINGS), VALUES)
def test_a_two_sided_comparator_is_reflexive(setting: tuple[str, object], value: object) -> None:
    comparator = of(*setting)
    if comparator.reflexive:
        assert passed(comparator.compare(value, value))
        assert score(comparator.compare(value, value)) == 1.0
        assert comparator.answer(value, value).passed


@given(st.sampled_from(SETTINGS), VALUES, VALUES)
def test_the_fast_answer_and_the_explained_one_agree(setting: tuple[str, object], expected: Any, actual: Any) -> None:
    comparator = of(*setting)
    answers: list[tuple[object, ...]] = []
    for ask in (comparator.compare, comparator.answer):
        try:
            found = ask(expected, actual)
        except RowProblem as problem:
            answers.append((problem.issue, problem.issue.blame is Blame.TESTSET))
        else:
            ratio = found.ratio if isinstance(found, Comparison) and 0 < found.score < 1 else None
            answers.append((passed(found), score(found), ratio))
            assert 0.0 <= score(found) <= 1.0
    assert answers[0] == answers[1]


@example(("boolean", None), "", None)
@given(st.sampled_from(SETTINGS), VALUES, VALUES)
def test_whether_an_expected_value_can_be_read_is_one_answer(
    setting: tuple[str, object], expected: Any, actual: Any
) -> None:
    comparator = of(*setting)
    said = comparator.readable(expected)
    assert said is True or not comparator.reads_any
    if isinstance(said, Issue):
        assert said.blame is Blame.TESTSET
        assert not passed(comparator.compare(expected, actual)) or expected == actual
    else:
        assert said is True


ONE_SIDED = [setting for setting in SETTINGS if (one := of(*setting)).reads == "output" and one.answers_column is None]


@given(st.sampled_from(ONE_SIDED), VALUES, VALUES, VALUES)
def test_a_one_sided_comparator_does_not_look_at_the_expected_value(
    setting: tuple[str, object], one: Any, other: Any, actual: Any
) -> None:
    compare = of(*setting).compare
    assert compare(one, actual) == compare(other, actual)


@pytest.mark.parametrize("name", NAMES)
def test_every_mismatch_of_the_examples_has_a_reason(name: str) -> None:
    for pair in COMPARATORS.find(name).examples:
        assert of(name, pair.options).answer(pair.expected, pair.actual).reason


@pytest.mark.parametrize("name", NAMES)
def test_every_comparator_and_every_option_is_documented(name: str) -> None:
    plug = COMPARATORS.find(name)
    assert plug.__doc__
    assert plug.examples
    assert {pair.match for pair in plug.examples} == {True, False}
    assert all("description" in schema for schema in plug.model_json_schema().get("properties", {}).values())


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_option_is_refused(name: str) -> None:
    options = {**(COMPARATORS.find(name).examples[-1].options or {}), "tolerence": 1}
    with pytest.raises(BadSettings, match='unknown setting "tolerence"'):
        of(name, options)


def test_heavy_libraries_are_imported_when_they_are_used() -> None:
    program = (
        "import sys; from evaluators.scoring.comparators._comparator import COMPARATORS;"
        "plugs = [COMPARATORS.find(name) for name in COMPARATORS.shipped_names()];"
        "heavy = {'rapidfuzz', 'regex', 'unidecode'}; assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_comparator_without_reasons_of_its_own_gets_plain_ones() -> None:
    class Half(Comparator):
        """Passes what begins alike."""

        word = "half"

        def compare(self, expected: Any, actual: Any) -> Any:
            return str(expected)[:1] == str(actual)[:1]

    assert Half().answer("Paris", "Pisa") == Comparison(1.0, True, '"Pisa" passes "half"')
    assert Half().answer("Paris", "Rome").reason == difference_text("Paris", "Rome")


def test_a_reason_of_ones_own_words_what_was_found() -> None:
    class Half(Comparator):
        """Passes what begins alike."""

        word = "half"

        def compare(self, expected: Any, actual: Any) -> Any:
            return Comparison(0.5, details={"shared": 1})

        def reason(self, expected: Any, actual: Any, found: Comparison) -> Any:
            return f"half {found.score} {found.passed}" if actual != "broken" else 1 / 0

    assert Half().answer("Paris", "Pisa") == Comparison(0.5, False, "half 0.5 False", {"shared": 1})
    broken = Half().answer("Paris", "broken")
    assert (broken.score, broken.reason) == (0.5, "its reason failed: ZeroDivisionError: division by zero")


def test_comparators_that_share_a_module_are_called_by_the_names_that_list_them() -> None:
    for module, names in TOGETHER.items():
        held = vars(importlib.import_module(f"evaluators.scoring.comparators.{module}")).values()
        here = {one.word for one in held if isinstance(one, type) and issubclass(one, Comparator) and one.word}
        assert here == set(names) == {word_of(of(name)) for name in names}
