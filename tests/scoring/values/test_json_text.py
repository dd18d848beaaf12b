"""Reading JSON, finding it in prose, and writing it."""

from __future__ import annotations

import gc
import json
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluators.model.limits import DEPTH
from evaluators.model.rows import JSON
from evaluators.scoring.values import json_reader, json_text
from evaluators.scoring.values.json_choice import Want, find
from evaluators.scoring.values.json_documents import Found, documents
from evaluators.scoring.values.json_reader import MAX_DEPTH, MAX_DIGITS
from evaluators.scoring.values.json_text import NotJSON, PlaceReader, compact, duplicate_keys, parse, to_text
from tests.scoring.values.counted import counted_reading

CONFORMANCE = Path(__file__).parents[2] / "conformance"

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
containers = st.lists(values, max_size=4) | st.dictionaries(st.text(max_size=6), values, max_size=4)
noise_letters = '{}[]",:`~\\\n\t eE.-01truenalfsjon\ufeff\ud800é'
noise = st.text(alphabet=noise_letters, max_size=60)


def reason(action: Callable[[], object]) -> NotJSON:
    with pytest.raises(NotJSON) as caught:
        action()
    return caught.value


def containers_in(text: str) -> list[Found]:
    """The objects and lists among the documents of a text; none where the text is refused as a whole."""
    with suppress(NotJSON):
        return [found for found in documents(text).found if isinstance(found.value, (dict, list))]
    return []


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


# parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-0", 0),
        ("1e2", 100.0),
        (" [1, 2.5, null, true] \n", [1, 2.5, None, True]),
        ("12345678901234567890123456789", 12345678901234567890123456789),
        ('{"a": 1, "a": 2}', {"a": 2}),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\ud800"', "\ud800"),
        (r'["\ud800x", "\ud83d\ude00\n\"", -1.5e3, false, {}, [], {"\udc00": [1]}]',
         ["\ud800x", '😀\n"', -1500.0, False, {}, [], {"\udc00": [1]}]),
        (r'"\ud800\u0041"', "\ud800A"),
        ('"\ud800"', "\ud800"),
        (b'{"k": "\xc3\xa9"}', {"k": "é"}),
    ],
)  # fmt: skip
def test_strict_json_is_read(text: str | bytes, value: JSON) -> None:
    assert repr(parse(text)) == repr(value)


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("", "the text is empty", None),
        (" \n\t", "the text is empty", None),
        ("\ufeff", "the text is empty", None),
        ("\ufeff{}", "the text starts with a byte order mark, which is not JSON", 0),
        (b"\xef\xbb\xbf{}", "the text starts with a byte order mark, which is not JSON", 0),
        ('{"é": 1 "b"}', '"," or "}" expected', 8),
        ('["é" 1]', '"," or "]" expected', 5),
        ('{"é" 1}', '":" expected', 5),
        ("{'a': 1}", "a key in double quotes expected", 1),
        ("['a']", "double quotes expected, single quotes found", 1),
        ("[1,]", 'nothing follows the last ",": "]" found', 3),
        ('{"a":1, }', 'nothing follows the last ",": "}" found', 8),
        ('{"a":1} x', "the value is complete, but the text goes on", 8),
        ("\xa0{}", "a value expected", 0),
        ("[NaN]", "NaN is not JSON", 1),
        ("[-Infinity]", "-Infinity is not JSON", 1),
        ('{"a": True}', "True is not JSON", 6),
        ("[01]", "a number cannot go on like this", 2),
        ("[1.]", "a number cannot go on like this", 2),
        ("[-]", "a value expected", 1),
        ('"a\tb"', "a line break, tab or other control character inside quotes", 2),
        (r'"\x"', r'"\x" is not an escape', 2),
        (r'"\u12g4"', r'four hexadecimal digits expected after "\u"', 3),
        ('["é", 1e400]', "a number too large", 6),
        ("-1e400", "a number too large", 0),
        ("9" * 400 + ".5", "a number too large", 0),
        ("[" + "9" * (MAX_DIGITS + 1) + "]", "a number with too many digits", 1),
        (b'"\xc3\xa9\xff"', "the text is not UTF-8", 2),
        (b"\xff", "the text is not UTF-8", 0),
    ],
)
def test_what_is_not_json_is_refused_with_its_place_in_characters(
    text: str | bytes, message: str, position: int | None
) -> None:
    problem = reason(lambda: parse(text))
    assert (problem.message, problem.position, problem.truncated) == (message, position, False)


@pytest.mark.parametrize(
    "text",
    ['{"a":1', '{"a":', '{"a"', '{"', "{", "[1,", '"é', '"\\', '"\\u12', "tru", "[nul", "-", "1.", "1e", "[1.5e+", "[[[", "[1 "],
)  # fmt: skip
def test_a_text_that_ends_inside_its_value_is_truncated(text: str) -> None:
    problem = reason(lambda: parse(text))
    assert (problem.truncated, problem.position) == (True, len(text))


def test_the_problem_survives_pickling() -> None:
    problem = pickle.loads(pickle.dumps(NotJSON("a value expected", 3, True)))
    assert (problem.message, problem.position, problem.truncated) == ("a value expected", 3, True)


def test_integers_up_to_the_limit_are_exact() -> None:
    digits = "-" + "7" * MAX_DIGITS
    assert parse(digits) == int(digits)


@pytest.mark.parametrize("inner", ["", "1", r'"\ud800"'])
@pytest.mark.parametrize("blank", ["", " "])
def test_nesting_has_the_same_limit_on_both_ways(inner: str, blank: str) -> None:
    def text(depth: int) -> str:
        return f"[{blank}" * depth + inner + f"{blank}]" * depth

    assert parse(text(MAX_DEPTH))
    problem = reason(lambda: parse(text(MAX_DEPTH + 1)))
    assert problem.message == f"objects and lists nested deeper than {MAX_DEPTH} levels"
    assert problem.position == MAX_DEPTH * (1 + len(blank))


def test_nesting_is_counted_between_brackets_in_texts_and_wide_lists() -> None:
    wide = "[" + ",".join(['{"x": "[[[[["}'] * 500) + "]"
    assert parse(wide) == [{"x": "[[[[["}] * 500
    deep = '{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1)
    assert "nested deeper" in reason(lambda: parse(deep)).message
    disguised = '["]",' * (MAX_DEPTH + 1) + "1" + ',"["]' * (MAX_DEPTH + 1)
    assert "nested deeper" in reason(lambda: parse(disguised.encode())).message


@pytest.mark.slow
@pytest.mark.parametrize("text", ["[" * 20_000, nested(20_000), '{"a":' * 20_000, nested(20_000) + "x"])
def test_no_nesting_is_deep_enough_to_break_anything(text: str) -> None:
    reason(lambda: parse(text))
    reason(lambda: duplicate_keys(text))
    reason(lambda: find(text, "object"))
    reason(lambda: find(f"see {text} end", "container"))
    assert documents(f"see {text}").found == ()


def test_the_callers_own_depth_does_not_change_the_answer() -> None:
    def deeper(frames: int) -> JSON:
        return deeper(frames - 1) if frames else parse(nested(MAX_DEPTH))

    used = len(list(_frames()))
    assert deeper(sys.getrecursionlimit() - used - MAX_DEPTH // 2) == parse(nested(MAX_DEPTH))


def _frames() -> Iterator[object]:
    frame = sys._getframe()
    while frame.f_back:
        yield frame
        frame = frame.f_back


def test_a_text_that_is_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MAX_CHARS", 700)
    fits, longer = json.dumps("é" * 698, ensure_ascii=False), json.dumps("é" * 699, ensure_ascii=False)
    assert parse(fits) == parse(fits.encode())
    actions = (
        lambda: parse(longer),
        lambda: parse(longer.encode()),
        lambda: find(longer, "any"),
        lambda: documents(longer),
    )
    for action in actions:
        assert reason(action).message == "the text is longer than 700 characters"


# duplicate keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"a": 1, "b": {"a": 1}}', ()),
        ('{"a": 1, "a": 2, "a": 3}', ("a",)),
        ('{"items": [{"sku": 1}, {"sku": 1, "sku": 2}]}', ("items[1].sku",)),
        ('{"a": {"odd key": 1, "odd key": 1}, "a": 1}', ("a", 'a["odd key"]')),
        (r'[[{"\ud800": 1, "\ud800": 1}]]', (r'[0][0]["\ud800"]',)),
        ("[1, 1]", ()),
    ],
)
def test_keys_that_occur_twice_are_named_with_their_place(text: str, keys: tuple[str, ...]) -> None:
    assert duplicate_keys(text) == keys


@pytest.mark.parametrize("within", [r"\u0022", r"\u0022\u0022", r"\"", r"\":\"", '": "', "", r"\\", "é\u2028"])
@pytest.mark.parametrize("space", ["", " ", "\n\t "])
def test_a_key_twice_is_found_whatever_stands_in_the_texts(within: str, space: str) -> None:
    within = within if within.startswith("\\") else within.replace('"', r"\"")
    twice = f'{{"a"{space}:{space}"{within}", "b": ["{within}"], "a": 1}}'
    assert duplicate_keys(twice) == ("a",)
    assert duplicate_keys(twice.replace('"a": 1', '"c": 1')) == ()


def test_duplicate_keys_of_what_is_not_json_are_refused() -> None:
    assert reason(lambda: duplicate_keys('{"a": 1, "a": 2')).truncated


# find


@pytest.mark.parametrize(
    ("text", "want", "value", "how"),
    [
        (' \ufeff\xa0{"a": 1}\n', "object", {"a": 1}, "whole"),
        ("[1]", "array", [1], "whole"),
        ("[1]", "container", [1], "whole"),
        ("42", "any", 42, "whole"),
        (r'{"a": "\ud800"}', "object", {"a": "\ud800"}, "whole"),
        ('é ```json\n{"a": 1}\n``` é', "object", {"a": 1}, "fence"),
        ('```JSON {"a": 1} ```', "object", {"a": 1}, "fence"),
        ('```\n{"a": 1}\n```', "object", {"a": 1}, "fence"),
        ('~~~ jsonc title="x"\n{"a": 1}\n~~~', "object", {"a": 1}, "fence"),
        ('````json\n{"a": "```"}\n````', "object", {"a": "```"}, "fence"),
        ('```json\n{"a": 1}', "object", {"a": 1}, "fence"),
        ('{"x": 0} then\n```json\n{"a": 1}\n```', "object", {"a": 1}, "fence"),
        ('```json\n[1]\n```\n```json\n{"a": 1}\n```', "object", {"a": 1}, "fence"),
        ('```py\nf({})\n```\n[1]\n```json\n{"a": 1}\n```', "object", {"a": 1}, "fence"),
        ('use ```json like this:\n```json\n{"a": 1}\n```', "object", {"a": 1}, "fence"),
        ('```json\n{"a": "use ```x``` here"}\n```', "object", {"a": "use ```x``` here"}, "fence"),
        ("```\n42\n```", "any", 42, "fence"),
        ('```json\n{"a": "\\ud800"}\n```', "object", {"a": "\ud800"}, "fence"),
        ('```json\n{"a": 1,}\n```\nor {"b": 2}', "object", {"b": 2}, "embedded"),
        ('Sure: {"a": "}"} done', "object", {"a": "}"}, "embedded"),
        ('{"a": 1} and {"b": 2}', "object", {"b": 2}, "embedded"),
        ('{{"a": 1}}', "object", {"a": 1}, "embedded"),
        ('use {name} and [x] first: {"a": 1} }', "object", {"a": 1}, "embedded"),
        ('list: [{"a": 1}, {"a": 2}] end', "object", {"a": 2}, "embedded"),
        ('list: [{"a": 1}, oops] end', "object", {"a": 1}, "embedded"),
        ('list: [{"a": 1}] and {"b": 2}', "object", {"b": 2}, "embedded"),
        ('list: [{"a": 1}] end', "container", [{"a": 1}], "embedded"),
        ('list: [{"a": 1}] end ]', "array", [{"a": 1}], "embedded"),
        ("[1] of 42", "any", [1], "embedded"),
    ],
)  # fmt: skip
def test_json_is_found(text: str, want: Want, value: JSON, how: str) -> None:
    found = find(text, want)
    assert (found.value, found.how) == (value, how)
    assert parse(text[found.start : found.end]) == value


@pytest.mark.parametrize(
    ("text", "want", "message", "truncated"),
    [
        ("", "any", "the text is empty", False),
        ("\ufeff \n", "object", "the text is empty", False),
        ("[1]", "object", "an object was expected, the text holds an array", False),
        ('"{}"', "object", "an object was expected, the text holds a text in quotes", False),
        ("{}", "array", "an array was expected, the text holds an object", False),
        ("true", "container", "an object or an array was expected, the text holds true or false", False),
        ('```\n[{"a": 1}]\n``` not {"b": 1}', "object", "an object was expected, the fence holds an array", False),
        ("no data", "object", "no object in the text", False),
        ("no data", "container", "no object or array in the text", False),
        ("it is 42", "any", "no JSON in the text", False),
        ('{"x": {"a": 1}', "object", "the text ends inside the value", True),
        ('[{"a": 1}, {"a":', "object", "the text ends inside the value", True),
        ('see {"x": {"a": 1}, ', "object", "the text ends inside the value", True),
        ('see {"a": [1]} end', "array", "an array was expected, the text holds an object", False),
        ('see [{"a": 1}, {"a":', "object", "the text ends inside the value", True),
        ('see {x} {"a": 1', "object", "the text ends inside the value", True),
        ('```json\n{"x": {"a": 1},\n', "object", "the text ends inside the value", True),
        ('see {x} {"a": 1,} {y}', "object", 'nothing follows the last ",": "}" found', False),
        ('{"a": 1e999, "b": {"c": 1}}', "object", "a number too large", False),
        ('see {"a": 1e999, "b": {"c": 1}}', "object", "a number too large", False),
        ('{"a": NaN}', "object", "NaN is not JSON", False),
        (f"see {nested(DEPTH + 1)}", "array", f"objects and lists nested deeper than {DEPTH} levels", False),
    ],
)
def test_json_that_is_not_there_is_not_found(text: str, want: Want, message: str, truncated: bool) -> None:
    problem = reason(lambda: find(text, want))
    assert (problem.message, problem.truncated) == (message, truncated)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ['see {"a": 1,} {y}', '{"a": 1', "```\n[1]\n```", '{"a": 1e999}', "see [1e999]", "{'a': 1}", "no", '{"a": NaN}'],
)
def test_a_failed_search_leaves_nothing_to_the_collector_of_cycles(text: str) -> None:
    reason(lambda: find(text, "object"))
    gc.collect()
    gc.disable()
    try:
        with suppress(NotJSON):
            find(text, "object")
        with suppress(NotJSON):
            parse(text)
        assert gc.collect() == 0
    finally:
        gc.enable()


# every document


# writing


# properties


@given(values)
def test_what_is_written_is_read_back(value: JSON) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False), to_text(value), compact(value)):
        assert repr(parse(text)) == repr(value)


@given(values)
def test_both_ways_of_reading_agree(value: JSON) -> None:
    text = json.dumps(value)
    assert repr(json_reader.read(text)) == repr(json_reader.ReadValue(value, len(text)))


@given(noise | values.map(json.dumps), st.integers(0, 60), st.sampled_from(noise_letters))
def test_both_ways_read_alike_from_every_place(text: str, place: int, letter: str) -> None:
    text = text[:place] + letter + text[place + 1 :]
    places = PlaceReader(text)
    for start in range(0, len(text), 3):
        assert told(lambda at=start: places.read(at)) == told(lambda at=start: json_reader.read(text, at))  # type: ignore[misc]  # untyped lambdas


def told(action: Callable[[], json_reader.ReadValue]) -> object:
    try:
        reading = action()
    except NotJSON as problem:
        return problem.args
    return repr(reading.value), reading.end, reading.refusal and reading.refusal.args


@given(noise)
def test_both_ways_accept_the_same_texts(text: str) -> None:
    try:
        fast = repr(json_text.fast_decode(text))
    except json_text.REFUSED:
        return
    assert repr(json_text._read_whole(text, MAX_DEPTH)) == fast


prose = st.text(max_size=20).map(lambda text: "".join(c for c in text if c not in '{}[]`~"'))


@given(prose, containers, prose)
def test_a_container_in_prose_is_found(before: str, value: JSON, after: str) -> None:
    assume(not any(mark in json.dumps(value) for mark in ("```", "~~~")))  # a fence comes first, also inside quotes
    found = find(f"{before} {json.dumps(value)} {after}", "container")
    assert repr(found.value) == repr(value)
    assert [each.value for each in containers_in(f"{before} {json.dumps(value)} {after}")] == [value]


@given(noise | st.text(), st.sampled_from(["object", "array", "container", "any"]))
def test_any_text_is_found_or_not_json(text: str, want: Want) -> None:
    for each in containers_in(text):
        assert parse(text[each.start : each.end]) == each.value
    try:
        found = find(text, want)
    except NotJSON:
        return
    assert parse(text[found.start : found.end]) == found.value


@given(st.binary() | noise.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read_or_not_json(data: bytes) -> None:
    try:
        value = parse(data)
    except NotJSON:
        return
    assert parse(compact(value)) == value


# linear work

HOSTILE = {
    "brackets": "[",
    "keys": '{"a":',
    "brackets in quotes": '["[",',
    "braces and garbage": "{x ",
    "objects cut off": '{"a": [1, {"b": tru} ',
    "backticks": "```",
    "fences": "```json\n[1, ",
    "fences and quotes": '```["',
    "two marks": "```{~~~[",
    "values": '{"a": 1} ',
    "pairs": "[]",
    "digits": "[1",
}


@pytest.mark.parametrize("pattern", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("ending", ["", " }]", '"'])
def test_work_grows_with_the_length_alone(pattern: str, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "see " + pattern * (6_000 // len(pattern)) + ending
    work = counted_reading(monkeypatch)
    wants: tuple[Want, ...] = ("object", "array", "container", "any")
    for want in wants:
        work.clear()
        with suppress(NotJSON):
            find(text, want)
        assert sum(work) <= 5 * len(text)
    work.clear()
    with suppress(NotJSON):
        documents(text)
    assert sum(work) <= 5 * len(text)


# the published behaviour of Galtea's JSON Field Match


def vectors() -> list[tuple[str, bool]]:
    """Each output whose vector tells whether it can be read, and whether it can."""
    names = ("galtea.jsonl", "galtea_strict.jsonl")
    lines = [line for name in names for line in (CONFORMANCE / name).read_text(encoding="utf-8").splitlines()]
    return [
        (vector["actual_output"], vector["expected"] != {"error": "actual_not_object"})
        for vector in map(json.loads, lines)
        if isinstance(vector["actual_output"], str) and vector["expected"] != {"error": "expected_not_object"}
    ]


@pytest.mark.parametrize(("text", "readable"), vectors())
def test_an_output_is_readable_as_galtea_documents(text: str, readable: bool) -> None:
    if readable:
        assert isinstance(find(text, "object").value, dict)
    else:
        reason(lambda: find(text, "object"))


@pytest.mark.parametrize("opening", ['{"":', "[", '{"a": ', '[[{"":', '[{"":'])
@pytest.mark.parametrize("inner", ["{}", "[]", "1"])
def test_many_texts_are_refused_at_the_depth_at_which_one_is(opening: str, inner: str) -> None:
    closing = "".join("]" if mark == "[" else "}" for mark in reversed(opening) if mark in "[{")
    levels = len(closing)
    texts = [opening * times + inner + closing * times for times in range(DEPTH // levels - 2, DEPTH // levels + 3)]
    read = json_text.parse_all(texts, lambda text: None)
    for text, found in zip(texts, read, strict=True):
        deep = text.count("{") + text.count("[") > DEPTH
        assert (found is None) == deep
        if deep:
            with pytest.raises(NotJSON, match="deep"):
                parse(text, DEPTH)
        else:
            assert found == parse(text, DEPTH)


@pytest.mark.parametrize("before", ["", "Sure:\n", "~~~\n[1]\n~~~\n", "{ ", "[x] ", " \n"])
@pytest.mark.parametrize("value", ['{"a": 1}', '{"a": "```"}', '{"a": 1', '{"a": 1e400}', "{} {}"])
@pytest.mark.parametrize("after", ["", "\n```", "\n``` done ```json\n{}\n```", " \n\n~~~"])
def test_the_usual_fence_is_found_as_any_other_is(before: str, value: str, after: str) -> None:
    def told(text: str, want: Want) -> tuple[object, ...]:
        try:
            found = find(text, want)
        except NotJSON as problem:
            return problem.message, problem.truncated
        return found.value, found.how, text[found.start : found.end]

    for want in get_args(Want):
        # a capital letter makes no difference to a reader, and takes the long way
        assert told(f"{before}```json\n{value}{after}", want) == told(f"{before}```JSON\n{value}{after}", want)
