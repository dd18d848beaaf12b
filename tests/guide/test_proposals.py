"""What `init` proposes for answers: the comparator, how many values it makes right, and what would make more right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evaluators import evaluate
from evaluators.guide.draft import evaluators_for
from evaluators.guide.text_evaluators import notes_on_empty
from evaluators.scoring.fields.inference.proposals import DefaultAnswers, InitQuestion

CASES = yaml.load(Path(__file__).with_name("proposals.yaml").read_text(encoding="utf-8"), yaml.BaseLoader)
COLUMNS: dict[Any, str] = {"output": "output", "expected": "expected"}


def typed(value: Any) -> Any:
    """The value of a table of texts; whole numbers are numbers where the key is `n`."""
    if isinstance(value, dict):
        return {key: int(one) if key == "n" and one.isdigit() else one for key, one in value.items()}
    return value


def proposed(
    expected: Sequence[Any], outputs: Sequence[Any], ask: DefaultAnswers | None = None
) -> tuple[str, Sequence[str]]:
    made = evaluators_for(outputs, expected, COLUMNS, ask or DefaultAnswers())
    return "\n".join(made.lines), made.notes


@pytest.mark.parametrize("case", CASES, ids=[case["it"] for case in CASES])
def test_what_is_proposed(case: dict[str, Any]) -> None:
    times = [int(one) for one in case.get("times", ["1"] * len(case["expected"]))]
    expected, outputs = (
        [typed(value) for value, count in zip(case[side], times, strict=True) for _ in range(count)]
        for side in ("expected", "output")
    )
    text, notes = proposed(expected, outputs)
    for line in case.get("written", []):
        assert line in text
    plain = " ".join(text.replace("# ", "").split())
    for said in case.get("said", []):
        assert said in plain
    for word in case.get("absent", []):
        assert word not in text
    for note in case.get("noted", []):
        assert any(note in one for one in notes)
    assert right(yaml.safe_load(text), expected, outputs) is not None


def right(suite: list[Any], expected: Sequence[Any], outputs: Sequence[Any]) -> Any:
    rows = [{"output": output, "expected": answer} for output, answer in zip(outputs, expected, strict=True)]
    return evaluate(rows, {"evaluators": suite})


@pytest.mark.parametrize(("answer", "forgives"), [("yes", True), ("no", False)])
def test_whoever_is_asked_decides_what_is_forgiven(answer: str, forgives: bool) -> None:
    def asked(question: InitQuestion) -> str:
        assert (
            question.text
            == "labels: 3 more would be right if upper and lower case did not count. Is that to be forgiven?"
        )
        return answer

    text, _ = proposed(["yes"] * 4, ["YES", "Yes", "yes", "YES"], DefaultAnswers(asks=asked))
    run = right(yaml.safe_load(text), ["yes"] * 4, ["YES", "Yes", "yes", "YES"])
    assert ("\n    forgive: [case]" in text, run["label"].passed) == (forgives, 4 if forgives else 1)


DIGITS = st.integers(1, 9).map(str)
NAMES = {
    "version": st.tuples(DIGITS, DIGITS).map(lambda two: f"{two[0]}.{two[1]}0"),
    "release_of_three": st.tuples(DIGITS, DIGITS, DIGITS).map(".".join),
    "telephone": st.integers(100_000, 999_999).map(lambda n: f"+47 {n}"),
    "book": st.integers(100_000, 999_999).map(lambda n: f"978 {n // 1000} {n % 1000:03}"),
    "padded": st.integers(1, 9999).map(lambda n: f"{n:05}"),
}


@given(st.sampled_from(sorted(NAMES)), st.data())
def test_digits_that_are_names_are_compared_to_the_letter(kind: str, data: st.DataObject) -> None:
    names = data.draw(st.lists(NAMES[kind], min_size=3, max_size=9))
    if kind == "version":
        names += ["1.2"]
    noisy = [name.replace(" ", "").rstrip("0") if data.draw(st.booleans()) else name for name in names]
    text, _ = proposed([{"it": name} for name in names], [{"it": name} for name in noisy])
    assert "\n    it: exact" in text
    assert "more would be right" not in text


KINDS = {
    "numeric": (st.decimals(0, 999, places=2).map(lambda n: f"{n:.2f}"), lambda text: text.rstrip("0").rstrip(".")),
    "date": (
        st.dates().filter(lambda day: day.year > 1900).map(lambda day: day.isoformat()),
        lambda text: text + "T10:00:00",
    ),
    "url": (st.from_regex(r"https://[a-z]{3}\.io/[a-z]{2}", fullmatch=True), lambda text: text + "/"),
    "exact": (st.sampled_from(["paid", "open"]), str.upper),
    "normalized": (st.from_regex(r"[A-Z][a-z]{3} [A-Z][a-z]{3}", fullmatch=True), str.lower),
}


@given(st.sampled_from(sorted(KINDS)), st.data())
def test_the_kind_is_seen_and_the_counts_are_those_of_a_run(kind: str, data: st.DataObject) -> None:
    values, noise = KINDS[kind]
    answers = data.draw(st.lists(values, min_size=6, max_size=12))
    given_ = [noise(value) if data.draw(st.booleans()) else value for value in answers]
    expected, outputs = [{"it": value} for value in answers], [{"it": value} for value in given_]
    text, _ = proposed(expected, outputs)
    suite = yaml.safe_load(text)
    (fields,) = [one for one in suite if isinstance(one, dict)]
    compare = fields["fields"]["it"]
    assert kind in (compare if isinstance(compare, str) else list(compare))
    flat = " ".join(line.strip(" #") for line in text.splitlines())
    count = re.search(r"right in (\d+) of (\d+)(?:, (\d+) to the letter)?", flat)
    assert count is not None
    counts = matches(suite, expected, outputs)
    assert (counts, len(answers)) == (int(count[1]), int(count[2]))
    if count[3] is not None:
        fields["fields"]["it"] = "exact"
        assert matches(suite, expected, outputs) == int(count[3])
    more = re.search(r"# (\d+) more would be right", text)
    if more is not None:
        fields["fields"].update(yaml.safe_load(text[text.index("    # it: ") :].strip(" #")))
        assert matches(suite, expected, outputs) == counts + int(more[1])


PLAIN = {"numeric": "number", "date": "date", "url": "address"}


@given(st.sampled_from(sorted(PLAIN)), st.data())
def test_plain_cells_get_the_comparator_and_counts_of_a_run(kind: str, data: st.DataObject) -> None:
    values, noise = KINDS[kind]
    answers = data.draw(st.lists(values, min_size=6, max_size=12))
    given_ = [noise(value) if data.draw(st.booleans()) else value for value in answers]
    text, _ = proposed(answers, given_)
    suite = yaml.safe_load(text)
    assert kind in str(suite[0]["exact_match"]["compare"])
    count = re.search(r"right in (\d+) of (\d+) rows, (\d+) to the letter", " ".join(text.replace("# ", "").split()))
    assert count is not None
    passed = right(suite, answers, given_)[PLAIN[kind]].passed
    letters = sum(a == b for a, b in zip(answers, given_, strict=True))
    assert (passed, len(answers), letters) == tuple(map(int, count.groups()))
    more = re.search(r"# (\d+) more would be right", text)
    if more is not None:
        suite[0]["exact_match"].update(yaml.safe_load(text[text.index("# compare: ") :].splitlines()[0].strip("# ")))
        assert right(suite, answers, given_)[PLAIN[kind]].passed == passed + int(more[1])


def matches(suite: list[Any], expected: Sequence[Any], outputs: Sequence[Any]) -> int:
    (field,) = right(suite, expected, outputs)["fields"].fields
    return int(field.counts.match)


def test_one_row_without_an_expected_answer_is_one_row() -> None:
    assert notes_on_empty(1, ()) == ["1 row has no expected answer and cannot be scored"]
    assert notes_on_empty(1_200, ()) == ["1,200 rows have no expected answer and cannot be scored"]
