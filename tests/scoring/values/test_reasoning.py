"""Reasoning between tags is set aside before JSON is looked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.values.json_documents import blank_out, documents, reasoning_in, tags_in
from evaluators.scoring.values.json_text import NotJSON


def rest(text: str) -> str:
    return blank_out(text, reasoning_in(tags_in(text), len(text)))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("no tags, 1 < 2", "no tags, 1 < 2"),
        ("<think>a</think>b", "b"),
        ("<THINK>a</Think>b", "b"),
        ('<reasoning effort="high">a</reasoning>b', "b"),
        ("a<think>b</think>c<reflection>d</reflection>e", "a c e"),
        ("a</think>b", "b"),
        ("<think>a</think>b</think>c", "c"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("<thinking>a<reflection>b</reflection>c</thinking>d", "d"),
        ("<think>a</thinking>b", "b"),
        ("a<think>b", "a"),
        ("<think>a</think>b<think>c", "b"),
        ("[THINK]a[/THINK]b", "b"),
        ("◁think▷a◁/think▷b", "b"),
        ("<think/>a<thinker>b</thinker>", "<think/>a<thinker>b</thinker>"),
        ("< think>a</ think>b", "< think>a</ think>b"),
    ],
)
def test_reasoning_is_what_stands_between_tags(text: str, left: str) -> None:
    assert rest(text).split() == left.split()
    assert len(rest(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": "<think>", "b": 1}', [{"a": "<think>", "b": 1}]),
        ('{"a": "x</think>"}', [{"a": "x</think>"}]),
        ('see {"a": "x</think>"} end', [{"a": "x</think>"}]),
        ('```json\n{"a": "<think>"}\n```', [{"a": "<think>"}]),
        ('```json\n{"a": "<think>"}\n```\nas [1]', [{"a": "<think>"}, [1]]),
        ('<think>x {"a": "</think>"} y</think>{"b": 1}', [{"b": 1}]),
        ('<think>x {"a": [1, </think>{"b": 1}', [{"b": 1}]),
        ('<think>```json\n{"a": 1}\n```</think>\n```json\n{"b": 1}\n```', [{"b": 1}]),
        ('```json\n{"a": 1}\n```\n</think>\n```json\n{"b": 1}\n```', [{"b": 1}]),
        ('{"b": 1}<reflection>or {"c": 1}?</reflection>', [{"b": 1}]),
        ("<think>x</think> 42", [42]),
        ('<think>x</think> "see {}"', ["see {}"]),
        ("<think>x</think> none", []),
    ],
)
def test_a_tag_inside_a_document_is_text_and_one_outside_is_not(text: str, values: list[object]) -> None:
    found = documents(text).found
    assert [each.value for each in found] == values


@pytest.mark.parametrize("text", ["<think>x", '<think>{"a": 1}', '<think>{"a": 1}</think>', '{"a": 1}</think> \n'])
def test_an_output_that_is_only_reasoning_holds_nothing(text: str) -> None:
    with pytest.raises(NotJSON, match="nothing but reasoning"):
        documents(text)


pieces = st.lists(st.sampled_from(["<think>", "</think>", "<reflection>", "</Reflection>", "[THINK]", "x", " {} "])).map(
    "".join
)


@given(pieces)
def test_places_stay_what_they_were_and_no_tag_is_left(text: str) -> None:
    left = rest(text)
    assert len(left) == len(text)
    assert all(after in (before, " ") for before, after in zip(text, left, strict=True))
    assert tags_in(left) == []


@given(pieces, pieces)
def test_what_follows_a_closed_reasoning_is_kept(before: str, inside: str) -> None:
    answer = 'the answer {"a": 1}'
    closed = before.replace("<", "").replace("[", "") + "<think>" + inside.replace("[T", "").replace("<", "") + "</think>"
    assert rest(closed + answer).endswith(answer)
