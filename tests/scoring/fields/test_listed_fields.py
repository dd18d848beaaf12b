"""What becomes of listed fields: examples that anyone can extend; and whoever asks about a row gets the same answer."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue, RowProblem
from evaluators.model.rows import MISSING, Comparison, Outcome, Result
from evaluators.model.settings import BadSettings, build
from evaluators.scoring.comparators._comparator import Answer, Comparator, Question, Readable
from evaluators.scoring.evaluators.json_multi_field_match import JsonMultiFieldMatch
from evaluators.scoring.fields.outcomes import WRONG
from tests.kit import read_yaml
from tests.laws.structures import field_lists, without_output
from tests.laws.structures import pairs as other_pairs
from tests.reference.documents import pairs
from tests.reference.settled import settle
from tests.scoring.fields.alone import wrong_of

EXAMPLES: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("listed_fields.yaml"))
FIELDS = ["a", "b", "c", "a.b", "a.b.c", "$.b.c", "/a/0", "b.a", "b[0].a", "c.a", "c.b", "b[-1]", "a[*].b", "$.c[*]", "é"]


class Share(Comparator):
    """Half right."""

    def compare(self, expected: Any, actual: Any) -> Any:
        return Comparison(0.5, False, "half of it", details={"seen": [expected, actual]})


class Breaks(Comparator):
    """Raises whatever it is asked."""

    def compare(self, expected: Any, actual: Any) -> Any:
        return {}["missing"]


class Refuses(Comparator):
    """Refuses to answer."""

    blame: ClassVar[Blame]

    def compare(self, expected: Any, actual: Any) -> bool:
        raise RowProblem(Issue("no-answer", self.blame, "nobody answers"))


class RefusesOutput(Refuses):
    """Finds the output at fault."""

    blame: ClassVar[Blame] = Blame.OUTPUT


class Away(Refuses):
    """A service that is away."""

    blame: ClassVar[Blame] = Blame.ENVIRONMENT


class Even(Comparator):
    """Even numbers are all the same."""

    def readable(self, expected: Any) -> Readable:
        return True if expected % 2 == 0 else "it is odd"

    def compare(self, expected: Any, actual: Any) -> Any:
        return actual % 2 == 0


class Batch(Comparator):
    """Values whose texts are equally long are the same."""

    batch: ClassVar[bool] = True

    def compare(self, expected: Any, actual: Any) -> Any:
        raise AssertionError("asked about one pair")

    def compare_all(self, questions: Sequence[Question]) -> Sequence[Answer]:
        return [len(str(one.expected)) == len(str(one.actual)) for one in questions]


OWN = {
    f"custom.{name}": (comparator, name)
    for name, comparator in {
        "share": Share(), "breaks": Breaks(), "refuses_output": RefusesOutput(), "away": Away(), "even": Even(),
        "batch": Batch(),
    }.items()
}  # fmt: skip


def matcher(example: dict[str, Any]) -> JsonMultiFieldMatch:
    named = ("fields", "both_missing", "pass_at", "transforms")
    return build(JsonMultiFieldMatch, {key: example[key] for key in named if key in example}, {"comparators": OWN})


def alike(one: JsonMultiFieldMatch, expected: Any, output: Any, *cells: Any) -> Result:
    """The explained result of a row, which agrees with what a run keeps of it, and with the results that are wrong."""
    found = one.explain(expected, output, *cells)
    kept, settled = one.compile()(expected, output, *cells), settle(one, found)
    assert replace(kept, issue=None) == replace(settled, issue=None)
    assert told(kept) == told(settled)
    names = frozenset(one.scored_fields().names)
    wrong = [result for result in found.fields if result.status in WRONG]
    assert wrong_of(one, names, expected, output, *cells) == wrong
    some = frozenset(sorted(names)[::2])
    assert wrong_of(one, some, expected, output, *cells) == [one for one in wrong if one.path in some]
    return found


def told(result: Result) -> list[object]:
    """What is said of a row without a score. The hint of a bug says where it was met."""
    return [getattr(result.issue, name, None) for name in ("code", "blame", "message")]


def shown(result: Outcome) -> dict[str, Any]:
    """The values of a result, as an example writes them."""
    sides = {"expected": result.expected, "output": result.actual}
    return {side: value for side, value in sides.items() if value is not MISSING}


def plain(details: Mapping[str, object]) -> dict[str, Any]:
    """The details of a result, as an example writes them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in details.items()}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["it"])
def test_listed_fields(example: dict[str, Any]) -> None:
    one = matcher(example)
    cells = [example.get("cells", {}).get(name, MISSING) for name in one.row_columns]
    expected, output = example["expected"], example.get("output", MISSING)
    if example.get("unreadable"):
        issue = Issue("not-json", Blame.OUTPUT, "no JSON here")
        score = one.explain(expected, CellError(issue), *cells)
        assert without_output(one, expected, MISSING, *cells) == settle(one, score)
    else:
        score = alike(one, expected, output, *cells)
        for other in (copy.deepcopy(expected), expected):  # one document twice goes another way than two that are equal
            alike(one, expected, other, *cells)
        alike(one, output, expected, *cells)
    assert [result.status.word for result in score.fields] == example["statuses"]
    assert score.score == pytest.approx(example["score"])
    assert score.passed is example.get("passed", score.passed)
    for name, found in {
        "status": score.status.word,
        "reason": score.reason,
        "reasons": [result.reason for result in score.fields],
        "details": [plain(result.details) for result in score.fields],
        "values": [shown(result) for result in score.fields],
        "weights": [result.weight for result in score.fields],
        "rules": [result.comparator for result in score.fields],
    }.items():
        assert found == example.get(name, found)


@given(field_lists(two_sided=False), other_pairs())
def test_random_fields_of_random_rows(one: Any, pair: tuple[Any, Any]) -> None:
    alike(one, *pair)
    alike(one, *pair[::-1])
    alike(one, pair[0], MISSING)


@given(
    pairs(),
    st.lists(st.sampled_from(FIELDS), min_size=1, max_size=8, unique=True),
    st.sampled_from(["exact", "normalized", {"numeric": {"tolerance": {"abs": 1}}}, {"fuzzy": {"partial": True}}]),
    st.sampled_from(["not_measured", "match"]),
)
def test_keys_with_dots_in_random_rows(
    pair: tuple[Any, Any], fields: list[str], comparator: Any, both_missing: str
) -> None:
    written = {name: comparator if number % 2 else "exact" for number, name in enumerate(fields)}
    try:
        one = build(JsonMultiFieldMatch, {"fields": written, "both_missing": both_missing})
    except BadSettings:  # the same place twice
        return
    alike(one, *pair)
    alike(one, *pair[::-1])
