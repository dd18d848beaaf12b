"""Which of several JSON documents in a text counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluators.scoring.values import json_choice
from evaluators.scoring.values.json_choice import PICKS, Pick, Search, Want, choose, find, overlap
from evaluators.scoring.values.json_documents import documents
from evaluators.scoring.values.json_text import NotJSON, parse
from tests.scoring.values.counted import counted_reading

KEYS = frozenset({"name", "total"})


def pick(text: str, pick: Pick = "fitting", want: Want = "object", keys: frozenset[str] = KEYS) -> Any:
    return find(text, want, Search(pick=pick, keys=keys)).value


# the shapes that models write


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('<think>{"name": "draft"}</think>{"name": "Ann"}', {"name": "Ann"}),
        ('Draft {"name": "A"}. Final: {"name": "Ann"}', {"name": "Ann"}),
        ('The schema is {"type": "object", "properties": {"name": {}}}, so: {"name": "Ann"}', {"name": "Ann"}),
        ('{"name": "Ann"} follows the schema {"type": "object", "properties": {"name": {}}}', {"name": "Ann"}),
        ('{"name": "Ann", "total": 1} and in short {"name": "Ann"}', {"name": "Ann", "total": 1}),
        ('```json\n{"name": "Ann"}\n```\nas in {"name": "Bob", "total": 2}', {"name": "Ann"}),
        ('{"name": "Bob", "total": 2}\n```json\n{"name": "Ann"}\n```', {"name": "Ann"}),
        ('```json\n{"name": "A"}\n```\nFinal:\n```json\n{"name": "Ann"}\n```', {"name": "Ann"}),
        ('```json\n{"type": "object"}\n```\n```json\n{"name": "Ann"}\n```\n```json\n{"x": 1}\n```', {"name": "Ann"}),
        ('As in [1], [2]: {"name": "Ann"} (see [3])', {"name": "Ann"}),
        ('{"name": "A"}\n{"name": "Ann"}\n', {"name": "Ann"}),
        ('{"name": "Ann"} cut: {"name": "B', {"name": "Ann"}),
        ('{"a": "```json [1] ```", "name": "Ann"} and more', {"a": "```json [1] ```", "name": "Ann"}),
    ],
)
def test_the_answer_is_taken(text: str, value: object) -> None:
    assert pick(text) == value


@pytest.mark.parametrize(
    ("text", "want", "value"),
    [
        ('{"a": 1} see [1]', "object", {"a": 1}),
        ('{"a": 1} see [1]', "array", [1]),
        ('{"a": 1} see [1]', "container", [1]),
        ('{"total": 1} see [1]', "container", {"total": 1}),
        ('[{"name": 1}, {"total": 2}] for {"name": 1}', "any", [{"name": 1}, {"total": 2}]),
        ('```\n[1]\n```\n```\n{"a": 1}\n```', "array", [1]),
        ('```\n"x"\n``` {"a": 1}', "any", "x"),
    ],
)
def test_the_kind_that_is_wanted_comes_before_keys(text: str, want: Want, value: object) -> None:
    assert pick(text, want=want) == value


SEVERAL = 'Draft {"name": "a much longer draft"} ```json\n{"name": "b"}\n``` or [1] or {"x": 1}'


@pytest.mark.parametrize(
    ("how", "value", "number"),
    [
        ("fitting", {"name": "b"}, 2),
        ("first", {"name": "a much longer draft"}, 1),
        ("last", {"x": 1}, 4),
        ("largest", {"name": "a much longer draft"}, 1),
    ],
)
def test_each_way_to_pick(how: Pick, value: object, number: int) -> None:
    chosen = choose(documents(SEVERAL), "object", Search(pick=how, keys=KEYS))
    assert (chosen.found.value, chosen.number, chosen.among) == (value, number, 4)
    assert parse(SEVERAL[chosen.found.start : chosen.found.end]) == value


@pytest.mark.parametrize(
    ("value", "count"),
    [({"name": 1, "x": 2}, 1), ([{"name": 1}, {"name": 1, "total": 2}, 3], 2), ([1], 0), ("name", 0), ({}, 0)],
)
def test_overlap_counts_the_keys_at_the_top(value: Any, count: int) -> None:
    assert overlap(value, KEYS) == count


# properties

plain = st.text(alphabet="abc ,.:\n", max_size=12)
scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
objects = st.dictionaries(st.sampled_from(["name", "total", "x", "y"]), scalars, max_size=4)
lists = st.lists(scalars | objects, max_size=3)


@given(objects | lists, st.sampled_from(PICKS), st.text(alphabet=" \n\t\ufeff", max_size=3))
def test_an_output_that_is_json_as_a_whole_is_never_altered(value: Any, how: Pick, blank: str) -> None:
    tagged = {"think": value, "text": '<think>{"name": 1}</think> ```json\n{}\n```'}
    assert find(f"{blank}{json.dumps(tagged)}{blank}", "object", Search(pick=how, keys=KEYS)).value == tagged


@given(st.lists(st.tuples(plain, objects | lists), min_size=1, max_size=4), plain, st.sampled_from(PICKS))
def test_every_kind_gets_the_same_document_where_it_will_do(parts: list[Any], end: str, how: Pick) -> None:
    text = "see " + "".join(f"{prose} {json.dumps(value)} " for prose, value in parts) + end
    assume(how != "only" or len(parts) == 1)
    search = Search(pick=how, keys=KEYS)
    prefer: Want
    for prefer in ("object", "array", "any"):
        shared = find(text, "any", search, prefer)
        wants: tuple[Want, ...] = ("any", "container", "object" if isinstance(shared.value, dict) else "array")
        places = [find(text, want, search, prefer) for want in wants]
        assert {(one.how, one.start, one.end) for one in places} == {(shared.how, shared.start, shared.end)}


@given(objects, objects, plain, plain, st.sampled_from(["draft", "think", "fence"]))
def test_an_answer_behind_a_draft_is_taken(draft: Any, answer: Any, before: str, between: str, shape: str) -> None:
    text = {
        "think": f"<think>{before}{json.dumps(draft)}{between}</think>{json.dumps(answer)}",
        "fence": f"x{before}{json.dumps(draft)} {between}\n```json\n{json.dumps(answer)}\n```\n{before}",
        "draft": f"x{before}{json.dumps(draft)} {between} {json.dumps(answer)}{before}",
    }[shape]
    assume(shape != "draft" or overlap(answer, KEYS) >= overlap(draft, KEYS))
    assert pick(text) == answer
    if shape == "draft" and overlap(answer, KEYS) > overlap(draft, KEYS):
        assert pick(f"x {json.dumps(answer)} {between} {json.dumps(draft)}") == answer


# linear work

HOSTILE: dict[str, Callable[[int], str]] = {
    "braces": lambda size: "{" * size,
    "opening tags": lambda size: "<think>" * (size // 7),
    "closing tags": lambda size: "</think>" * (size // 8),
    "pairs of tags": lambda size: "<think>{</think>" * (size // 16),
    "tags that never end": lambda size: "<think " * (size // 7),
    "many names": lambda size: "<think><reflection></thinking>" * (size // 30),
    "small documents": lambda size: "x" + '{"a":1} ' * (size // 8),
    "empty lists": lambda size: "x" + "[]" * (size // 2),
    "fences": lambda size: '```json\n{"a":1}\n```\n' * (size // 20),
    "tags in documents": lambda size: "x" + '{"a":"<think>"} ' * (size // 16),
    "fences and drafts": lambda size: '{"a":1} ```\n{"a":1}\n``` [1, ' * (size // 28),
    "lists of objects": lambda size: "x" + '[{"a":1}] ' * (size // 10),
}


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["", ' </think>{"a": 2}', "<think>"])
@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_twice_the_text_is_at_most_twice_the_work(
    make: Callable[[int], str], ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = _counted(monkeypatch)
    made = []
    for size in (12_000, 24_000):
        work.clear()
        text = make(size) + ending
        for how in PICKS:
            for want in ("object", "array", "any"):
                _try(text, how, want)  # type: ignore[arg-type]  # a literal in a loop
        made.append(sum(work))
        assert made[-1] <= len(PICKS) * 3 * 8 * len(text)
    assert made[1] <= 2.3 * made[0] + 1_000


def _try(text: str, how: Pick, want: Want) -> None:
    try:
        find(text, want, Search(pick=how, keys=KEYS))
    except NotJSON:
        return


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many characters both readers look at, and how many documents the choice does."""
    work, weigh = counted_reading(monkeypatch), json_choice.overlap

    def counted_overlap(value: Any, keys: frozenset[str]) -> int:
        work.append(1)
        return weigh(value, keys)

    monkeypatch.setattr(json_choice, "overlap", counted_overlap)
    return work


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        ('First {"a": 1}, then [2], then {"a": 1}.', [{"a": 1}, [2], {"a": 1}]),
        ('{"a": 1}', [{"a": 1}]),
        ('Just {"a": 1}.', [{"a": 1}]),
        ('[{"a": 1}, {"b": 2}]', [{"a": 1}, {"b": 2}]),
        ('Both: [{"a": 1}, {"b": 2}]', [{"a": 1}, {"b": 2}]),
        ("[1]\n[2]", [[1], [2]]),
        ('As in [1]:\n```json\n{"a": 1}\n```\n```json\n{"b": 2}\n```', [{"a": 1}, {"b": 2}]),
        ('<think>{"a": 0}</think>{"a": 1} {"b": 2}', [{"a": 1}, {"b": 2}]),
    ],
)
def test_all_documents_are_a_list(text: str, value: object) -> None:
    for want in ("array", "container", "any"):
        assert pick(text, "all", want) == value


def test_all_documents_are_no_object() -> None:
    for text in ('{"name": 1}\n{"a": 2}', '{"a": 2} {"name": 1}'):
        assert pick(text, "all", "object") == pick(text, "fitting", "object") == {"name": 1}
    with pytest.raises(NotJSON):
        pick("no", "all", "array")
    with pytest.raises(NotJSON):
        pick('""', "all", "array")
    assert pick('""', "all", "any") == ""
    found = choose(documents('{"a": 1} {"b": 2}'), "array", Search(pick="all"))
    assert found.which == "It is the list of all 2 JSON documents there."


@given(st.lists(objects, min_size=1, max_size=4))
def test_json_lines_are_the_list_of_what_they_say(values: list[Any]) -> None:
    lines = "\n".join(map(json.dumps, values))
    assert pick(lines, "all", "array") == values
    assert pick(json.dumps(values), "all", "array") == values
