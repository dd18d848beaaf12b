"""Cases that nobody recorded, near those that somebody did: other texts, numbers, keys and settings.

Where a divergence holds that says what we give, we give it; where none holds, we give what is worked out from the inputs.
What the other system says of such a case is not known, so nothing is said here of whether a difference is listed.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conformance.cases import HERE, Answer, Case, mapping
from tests.conformance.rules import Rule, rules, worked_out
from tests.conformance.systems import Unread, answer, case_of
from tests.conformance.values import walk
from tests.conformance.verdicts import same_answer, why_not_covered

PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "agenta": ("settings", "inputs", "output"),
    "extract_bench": ("schema", "gold", "predicted"),
    "galtea": ("expected_output", "actual_output"),
    "orbiter": ("params", "input", "output"),
}
"""What of a line is drawn anew, by its system."""
VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, 1.0, 2.5, -3, 30.0, "", " ", "a", "A", "Málaga", "hello World!", "1", "x, y", [], {}, [1, "a"], {"a": 1},
    {"A": None}, {"a.b": [{}]}, "NaN", '{"a": 1}', "[1, true]", "a,b\n1,2", "k: [v]", "<r>1</r>", "# Head",
)  # fmt: skip
KEYS: Final = ("a", "A", "b", "a.b", "0", "threshold", "case_sensitive", "extra")
AROUND: Final[tuple[Callable[[str], str], ...]] = (
    str.upper, str.lower, "```json\n{}\n```".format, "So: {}.".format, " {} ".format, "{0} {0}".format,
    lambda text: text[:-1], lambda text: text[1:], lambda text: text.replace("1", "1.0"), lambda text: text + "é",
)  # fmt: skip


@cache
def lines(system: str) -> list[dict[str, Any]]:
    """The recorded cases of a system."""
    names = [name for name, of in mapping()["files"].items() if of == system]
    texts = [text for name in names for text in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [json.loads(text) for text in texts if text.strip()]


def changed(value: Any, draw: st.DrawFn) -> Any:
    """The value with another one at one place, which may be a key more or less; a text of JSON as its document."""
    if isinstance(value, str) and value[:1] in ("{", "[") and draw(st.booleans()):
        try:
            return json.dumps(changed(json.loads(value), draw), ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    place, found = draw(st.sampled_from(list(walk(value))))
    if isinstance(found, dict) and draw(st.booleans()):
        key, other = draw(st.sampled_from(KEYS)), draw(st.sampled_from(VALUES))
        return put(
            value,
            place,
            {name: one for name, one in found.items() if name != key} if key in found else {**found, key: other},
        )
    if isinstance(found, str) and draw(st.booleans()):
        return put(value, place, draw(st.sampled_from(AROUND))(found))
    return put(value, place, draw(st.sampled_from(VALUES)))


def put(value: Any, place: tuple[str | int, ...], other: Any) -> Any:
    """The value with another one at a place."""
    if not place:
        return other
    step, *rest = place
    inner = put(value[step], tuple(rest), other)
    if isinstance(value, dict):
        return {**value, step: inner}
    return [inner if number == step else item for number, item in enumerate(value)]


CONFIGS: Final[tuple[Any, ...]] = (
    "string_exact", "string_fuzzy", "string_case_insensitive", "number_exact", "number_tolerance", "integer_exact",
    "boolean_exact", "skip", {"metrics": [{"metric_id": "number_tolerance", "params": {"tolerance": 0.5}}]},
    {"metrics": [{"metric_id": "string_exact"}, {"metric_id": "string_fuzzy"}]},
    {"metrics": [{"metric_id": "string_fuzzy", "params": {"threshold": 2}}]},
    {"metrics": [{"metric_id": "string_exact"}, {"metric_id": "string_exact"}]},
)  # fmt: skip
"""What a place of a schema of extract-bench may be given; the last two are refused."""


def configured(schema: Any, draw: st.DrawFn) -> Any:
    """The schema with another metric, or several, at one of the places that have any."""
    places = [place for place, _ in walk(schema) if place[-1:] == ("evaluation_config",) and "anyOf" not in place]
    return put(schema, draw(st.sampled_from(places)), draw(st.sampled_from(CONFIGS))) if places else schema


@st.composite
def drawn(draw: st.DrawFn, system: str) -> dict[str, Any]:
    """A line near a recorded one; one side may become the other, so that equal documents are often drawn."""
    line: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(lines(system))))
    parts = [part for part in PARTS[system] if part in line]
    for part in draw(st.lists(st.sampled_from(parts), max_size=3)):
        line[part] = (configured if part == "schema" else changed)(line[part], draw)
    if draw(st.integers(0, 3)) == 0 and isinstance(line.get("inputs"), dict):
        line["output"] = line["inputs"].get("correct_answer")
    if isinstance(line.get("params"), dict):  # a parameter that a scorer does not have is refused by both
        line["params"] = {name: value for name, value in line["params"].items() if name not in KEYS}
    return line


def wanted_of(case: Case, ours: Answer) -> tuple[Rule | None, Answer | None]:
    """What we have to give, and the divergence that says so. What both systems refuse is no matter of a divergence.

    None where a suite is refused for a reason that no divergence names: theirs refuses it too.
    """
    rule = next((rule for rule in rules() if rule.holds(case, ours)), None)
    found = worked_out(case) if rule is None or rule.instead(case) != Answer(blame="config") else None
    if rule is None or found == Answer(blame="config"):
        return rule, None if ours.blame == "config" and rule is None else found
    return rule, rule.instead(case)


@pytest.mark.parametrize("system", PARTS)
def test_an_answer_to_a_recorded_case_is_the_one_that_is_worked_out(system: str) -> None:
    """To one with which we agree, too; what is refused or decided by a rule of ours alone has its literal."""
    for line in lines(system):
        case = case_of(system, json.dumps(line), "here")
        if why_not_covered(case) is None and (ours := answer(case)).blame not in ("config", "testset"):
            wanted = worked_out(case)
            assert wanted is None or same_answer(ours, wanted), f"{case.id}: {wanted}, and not {ours}"


NUMBERS: Final = st.sampled_from(
    (0, 1, -1, 0.1, 0.3, 0.30000000000000004, 1.01, 0.99, 2**53, 2**53 + 1, 1e308, True, None, "1")
)


@given(
    NUMBERS | st.floats(-2, 2).map(lambda number: round(number, 2)),
    NUMBERS,
    st.sampled_from(("exact", "numeric")),
    st.data(),
)
def test_two_values_are_alike_as_it_is_worked_out(
    expected: Any, output: Any, comparator: str, data: st.DataObject
) -> None:
    limits = data.draw(st.dictionaries(st.sampled_from(("abs", "rel")), st.sampled_from((0.01, 0.1, 0.5, 1)), min_size=1))
    params = {"tolerance": limits} if comparator == "numeric" else {}
    args = {"comparator": comparator, "gold": expected, "extracted": output, "params": params}
    case = case_of(
        "struct_extract_eval",
        json.dumps({"case": "drawn", "fn": "compare", "args": args, "expected": {"score": 0.0}}),
        "drawn",
    )
    wanted = worked_out(case)
    assert wanted is not None
    assert same_answer(answer(case), wanted)


@pytest.mark.parametrize("system", PARTS)
@given(data=st.data())
def test_an_answer_to_a_drawn_case_is_the_one_that_its_divergence_says(system: str, data: st.DataObject) -> None:
    line = data.draw(drawn(system))
    case = case_of(system, json.dumps(line), "drawn")
    assume(not isinstance(case, Unread) and why_not_covered(case) is None)
    ours = answer(case)
    rule, wanted = wanted_of(case, ours)
    assert wanted is None or same_answer(ours, wanted), f"{rule and rule.id}: {wanted}, and not {ours} {ours.why}"
