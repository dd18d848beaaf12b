"""Paths: the three notations agree, malformed text is refused where it is wrong, readers never depend on key order."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluators.model.rows import JSON, MISSING
from evaluators.scoring.values.path_text import as_step
from evaluators.scoring.values.paths import (
    ANY,
    BadPath,
    Location,
    Path,
    Step,
    display,
    nearest_path,
    parse,
    path_for_people,
)

DOCUMENT: JSON = {
    "vendor": {"name": "Acme", "été": {"ü": 1}, "tax id": "7", "vat/no": "8", "~": "9"},
    "items": [
        {"sku": "b", "qty": 2, "ok": True, "note": None},
        {"sku": "a", "qty": 1, "ok": 1},
        {"sku": "it's", "qty": "1", "tags": ["x", "y"]},
    ],
    "totals": {"net": 1, "gross": 2.0},
    "0": "zero",
    "00": "double zero",
    "-1": "minus one",
    "": {"": "empty"},
    "user-name": "u",
    "$ref": "r",
    "limit": 1,
    "none": None,
    "text": "abc",
    "empty": [],
    "map": {"b": {"n": 2}, "a": {"n": 1}, "0": {"n": 0}},
}


# Strategies

keys = st.one_of(
    st.sampled_from(
        ["a", "b", "c", "a.b", "0", "1", "00", "-1", "", "*", "$", "~1", "a b", " ", "it's", 'q"', "été", "/"]
    ),
    st.text(st.sampled_from("ab01-_.$*/~[]'\"\\ \n\t@?:,日é\u00a0\u200d\U0001f600\U000e0001\ud800"), max_size=6),
    st.text(max_size=5),
)
indexes = st.integers(-3, 12)
steps = st.lists(st.one_of(keys, indexes, st.just(ANY)), max_size=5).map(tuple)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.text("ab", max_size=2))
documents = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=4)), max_leaves=12
)
small_keys = st.sampled_from(["a", "b", "c", "0", "1"])
dotted_keys = st.sampled_from(["a", "b", "c", "a.b", "b.c", "a.b.c", "0", "a.0"])
dotted_documents = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(dotted_keys, inner, max_size=4)),
    max_leaves=15,
)


def every_place(value: JSON, place: Location = ()) -> Iterator[tuple[Location, JSON]]:
    yield place, value
    if isinstance(value, dict):
        for key, below in value.items():
            yield from every_place(below, (*place, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from every_place(below, (*place, index))


def shuffled(value: JSON, random: Random) -> JSON:
    if isinstance(value, dict):
        pairs = [(key, shuffled(below, random)) for key, below in value.items()]
        random.shuffle(pairs)
        return dict(pairs)
    return [shuffled(item, random) for item in value] if isinstance(value, list) else value


def look_up(document: JSON, place: Location) -> JSON:
    value = document
    for step in place:
        if isinstance(value, dict):
            assert isinstance(step, str)
            value = value[step]
        else:
            assert isinstance(value, list)
            assert isinstance(step, int)
            value = value[step]
    return value


def in_jsonpath(place: tuple[Step, ...]) -> str:
    """The place in JSONPath: names as they are, other keys in quotes."""

    def part(step: Step) -> str:
        if step is ANY:
            return "[*]"
        return f".{step}" if re.fullmatch("[A-Za-z_]+", str(step)) else f"[{json.dumps(step)}]"

    return "$" + "".join(map(part, place))


def spellings(place: Location) -> list[str]:
    """The place in every notation that has a word for it: a pointer has none for a key of digits."""
    pointer = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in place)
    digits = any(isinstance(step, str) and isinstance(as_step(step), int) for step in place)
    return [display(place), in_jsonpath(place), *([] if digits else [pointer])]


# The three notations


@given(steps)
def test_the_canonical_spelling_reads_back_as_the_same_path(these: tuple[Step, ...]) -> None:
    path = Path(these)
    again = parse(path.canonical)
    assert again == path
    assert hash(again) == hash(path)
    assert again.steps == these
    assert again.canonical == path.canonical


@given(steps)
def test_jsonpath_spells_every_path(these: tuple[Step, ...]) -> None:
    assert parse(in_jsonpath(these)).steps == these


@given(documents, st.data())
def test_the_three_spellings_of_a_place_are_one_path_to_its_value(document: JSON, data: st.DataObject) -> None:
    place, value = data.draw(st.sampled_from(list(every_place(document))))
    paths = [parse(text) for text in spellings(place)]
    assert set(paths) == {Path(place)}
    for path in paths:
        if not path.joins:
            assert path.definite
            assert path.get(document) is value
            assert path.locate(document) == [place]


@given(
    st.one_of(
        st.text(max_size=12),
        st.text(st.sampled_from("$./[]*?@!()<>=&|'\"\\~-01ae :,"), max_size=14),
        st.text(st.sampled_from("@.ab[]01'!()<>=&| ,:*"), max_size=12).map(lambda text: f"$.a[?{text}]"),
        st.text(st.sampled_from("ab[]01'!()<>=&|.,:*? "), max_size=10).map(lambda text: f"$..{text}"),
    )
)
@example("$" + "[?@" * 3000)
@example("$" + ".a" * 199 + "[0:1]")
@example("$[?" + "@.a && " * 500 + "@.a]")
@example("$[?" + "(" * 20 + "@.a" + ")" * 20 + "]")
@example("$[?" + "(" * 3000)
@example("$[?" + "!" * 3000)
@example("$" + "..a" * 3000)
@example("a[" + "9" * 5000 + "]")
@example("9" * 5000)
@example("$[0:" + "9" * 5000 + "]")
@example("$[?@.a==" + "9" * 5000 + "]")
@example("$[?@.a==1e999999999]")
@example("$[?@.a==1e-999999999]")
@example("$.a[?@.b==1e5]")
def test_any_text_is_a_path_or_a_bad_path(text: str) -> None:
    try:
        path = parse(text)
    except BadPath as problem:
        bad: BadPath | None = problem
    else:
        bad = None
    if bad is not None:
        assert 0 <= bad.position <= len(text)
        assert bad.message
        return
    assert parse(path.canonical) == path
    places = path.locate(DOCUMENT)
    assert places == sorted(set(places))
    values = [look_up(DOCUMENT, place) for place in places]
    assert path.get(DOCUMENT) == ((values[0] if path.definite else values) if places else MISSING)


@pytest.mark.parametrize(
    ("spelled", "these"),
    [
        (
            ("items.0.name", "items[0].name", "$.items[0].name", "/items/0/name", "$['items'][0][\"name\"]"),
            ("items", 0, "name"),
        ),
        (("vendor.name", "$.vendor.name", "/vendor/name", '["vendor"].name', "$ .vendor [ 'name' ]"), ("vendor", "name")),
        (("$", "", '$"'[:1]), ()),
        (("items[*].name", "items[ * ].name", "$.items[*].name", "$.items.*.name"), ("items", ANY, "name")),
        (('["odd key"]', "['odd key']", "odd key", "$['odd key']", "/odd key"), ("odd key",)),
        (('a["odd.key"].b', "$.a['odd.key'].b", "/a/odd.key/b"), ("a", "odd.key", "b")),
        (("日本.été", "$.日本.été", "/日本/été"), ("日本", "été")),
        (("0", "[0]", "$[0]", "/0"), (0,)),
        (('["0"]', "$['0']"), ("0",)),
        (("00", "/00", "$['00']"), ("00",)),
        (("-1", "/-1", "$['-1']"), ("-1",)),
        (("[-1]", "$[-1]"), (-1,)),
        (("/", '[""]', "$['']"), ("",)),
        (("/a/", 'a[""]', "$.a['']"), ("a", "")),
        (("/a~1b/~01/-", '["a/b"].~1.-'), ("a/b", "~1", "-")),
        ((r'["\u00e9\ud83d\ude00\"\\"]', "$['é😀\"\\\\']"), ('é😀"\\',)),
        (("/+1/ 1/%20", '+1[" 1"].%20'), ("+1", " 1", "%20")),
        (("user-name.x2", "$.user-name.x2", "/user-name/x2"), ("user-name", "x2")),
        (("#/a",), ("#/a",)),
        ((r"/\u006e", r'["\\u006e"]'), ("\\u006e",)),
        (("9999999999999999", '["9999999999999999"]'), ("9999999999999999",)),
    ],
)
def test_spellings_of_one_location_are_one_path(spelled: tuple[str, ...], these: tuple[Step, ...]) -> None:
    paths = [parse(text) for text in spelled]
    assert [path.steps for path in paths] == [these] * len(paths)
    assert len({hash(path) for path in paths}) == 1
    assert len({path.canonical for path in paths}) == 1


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ((), "$"),
        (("items", 3, "sku"), "items[3].sku"),
        (("items", ANY, "sku"), "items[*].sku"),
        ((0, "a"), "[0].a"),
        (("odd key",), '["odd key"]'),
        (("a", "b.c", "d"), 'a["b.c"].d'),
        (("0",), '["0"]'),
        (("",), '[""]'),
        (("a/b", "c]", "it's"), '["a/b"]["c]"]["it\'s"]'),
        (('say "hi"', "\\"), r'["say \"hi\""]["\\"]'),
        (("a\nb", "\u00a0"), r'["a\nb"]["\u00a0"]'),
        (("$ref", "*"), '["$ref"]["*"]'),
        (("日本", "été", "user-name", "@type"), "日本.été.user-name.@type"),
    ],
)
def test_places_are_displayed_in_dots(place: tuple[Step, ...], text: str) -> None:
    assert display(place) == text


@pytest.mark.parametrize(
    ("text", "position", "hint"),
    [
        # dot notation
        ("a..b", 2, 'for an empty key write a[""].b; for a name at any depth start with $: $.a..b'),
        (".a", 0, "leave the first dot out"),
        (".", 0, "leave the first dot out"),
        ("a.", 1, "leave the last dot out"),
        ("a..", 2, "leave the last dot out"),
        ("items.0.n.", 9, "leave the last dot out"),
        ("a.[0]", 1, "leave the dot out: a[0]"),
        ("a[0", 1, 'close the bracket with "]"'),
        ("a[", 1, 'close the bracket with "]"'),
        ("a]", 1, 'if this is part of a key, quote the key: ["a]"]'),
        ("a[]", 2, "write [*] for every item, [0] for the first"),
        ("a[b]", 2, 'write ["b"]'),
        ("a[0]b", 4, 'after "]" write a dot, a bracket, or nothing'),
        ("a[0 0]", 4, None),
        ("a[01]", 2, 'write [1], or ["01"] for a key'),
        ("a[-0]", 2, "write [0] for the first item, [-1] for the last"),
        ("a[-]", 2, "write [-1] for the last item"),
        ('a["b]', 2, "close the quotes"),
        (r'a["\d"]', 3, r"write \\ for a backslash, \" for a quote, \u00e9 for a character"),
        (r'a["\u12"]', 3, r"write \\ for a backslash, \" for a quote, \u00e9 for a character"),
        ("a[0:2]", 2, "start the path with $: $.a[0:2]"),
        ("a[:2]", 2, "start the path with $: $.a[:2]"),
        ("a[0,1]", 3, "start the path with $: $.a[0,1]"),
        ("a[?@.n>1]", 2, "start the path with $: $.a[?@.n>1]"),
        ("a.*.b", 2, 'write [*] for every item, or ["*"] for a key with that name'),
        ('"a.b".c', 0, 'write ["a.b"]'),
        (r"x.a\.b.c", 3, 'if this is part of a key, quote the key: ["a.b"]'),
        ("'ab.c", 0, """if this is part of a key, quote the key: ["'ab"]"""),
        (r"a\.b", 1, 'if this is part of a key, quote the key: ["a.b"]'),
        (" name", 0, 'write name, or quote a key that has the space: [" name"]'),
        ("name ", 4, 'write name, or quote a key that has the space: ["name "]'),
        ("a .b", 1, 'if this is part of a key, quote the key: ["a "]'),
        ("a. b", 2, 'if this is part of a key, quote the key: [" b"]'),
        ("   ", 0, 'write "$" for the whole document'),
        # JSON Pointer
        ("/a~2b", 2, 'write "~0" for "~" and "~1" for "/" inside a key'),
        ("/a/b~", 4, 'write "~0" for "~" and "~1" for "/" inside a key'),
        # JSONPath
        ("$items", 1, 'write $.items, or ["$items"] for a key that begins with "$"'),
        ("$.", 1, "leave the last dot out"),
        ("$.a..", 4, "leave the last dot out"),
        ("$.items.0.n", 8, "write $.items[0].n"),
        ("$.items[", 7, 'close the bracket with "]"'),
        ("$.a b", 3, "quote the key: $['a b']"),
        ("$.x.a,b.c", 5, "quote the key: $.x['a,b'].c"),
        ("$['x'] b", 6, "quote the key, as in ['first name']"),
        ("$.2nd", 2, "quote the key: $['2nd']"),
        ("$.9999999999999999", 2, "quote the key: $['9999999999999999']"),
        ("$.a ", 3, """write $.a, or quote a key that has the space: ["$.a "]"""),
        ("$.['a']", 1, "leave the dot out: $['a']"),
        ("$.'a'", 2, "write $['a']"),
        ("$.a.~", 4, "quote the key: $.a['~']"),
        ("$.a~", 3, "a path leads to a value, never to the name of a key"),
        ("$.a[b]", 4, "write ['b']"),
        ("$.a[]", 4, "write [*] for every item, [0] for the first"),
        ("$.a]", 3, None),
        ("$.items[(@.length-1)]", 8, "write [-1] for the last item, [?…] for a filter"),
        ("$.items[?match(@.t,'q')].n", 9, "compare with ==, != or <"),
        ("$.items[0].n | $.items[1].n", 13, "list them as two paths"),
        ("$.a + $.b", 4, "list them as two paths"),
        ("$.a.`len`", 4, "quote the key: $.a['`len`']"),
        ("$.a`len", 3, "quote the key: $['a`len']"),
        ("$.a where $.b", 3, "quote the key: $['a where $'].b"),
        ("$.a[/b]", 4, None),
        ("$.(a)", 2, "quote the key: $['(a)']"),
        ("$.a[01]", 4, 'write [1], or ["01"] for a key'),
        ("$.a[-]", 4, "write [-1] for the last item"),
        ("$.a[,1]", 4, None),
        ("$[0,'a']", 4, "list them as two paths"),
        ("$[0,1:2]", 5, "list them as two paths"),
        ("$[0,]", 4, "write [*] for every item, [0] for the first"),
        ("$[?@.a=1]", 6, 'write "=="'),
        ("$[?@.a===1]", 6, 'write "=="'),
        ("$[?@.a=~'x']", 6, "compare with == or !="),
        ("$[?@.a|@.b]", 6, 'write "||"'),
        ("$[?@.a & @.b]", 7, 'write "&&"'),
        ("$[?@.a==x]", 8, "write @.x for a key, 'x' for a text"),
        ("$[?a==1]", 3, "write @.a for a key, 'a' for a text"),
        ("$[?1==1]", 2, "one side is a path such as @.name"),
        ("$[?1]", 2, "one side is a path such as @.name"),
        ("$[?@.*==1]", 2, "use keys and indexes only"),
        ("$[?@.a==$..b]", 9, "use keys and indexes only"),
        ("$[?!@.a==1]", 7, "write != for not equal, or turn the comparison round"),
        ("$[?!(@.a<1)]", 8, "turn the comparison round instead"),
        ("$[?!(@.a && @.b)]", 9, 'write "!" before each, and "||" for "&&"'),
        ("$[?!(!@.a)]", 5, "leave both out"),
        ("$[?(@.a==1]", 10, 'close the parenthesis with ")"'),
        ("$[?(@.a==1", 3, 'close the parenthesis with ")"'),
        ("$[?@.a==1 and @.b]", 10, 'write "&&"'),
        ("$[?(@.a or @.b)]", 8, 'write "||"'),
        ("$[?not @.a]", 3, 'write "!"'),
        ("$[?@.a==1", 1, 'close the bracket with "]"'),
        ("$[@.a==1]", 2, "write [?@.a==1]"),
        ("$[?@.a==01]", 8, "leave the zero out"),
        ("$[?@.a==1e9999]", 9, "write the number in full"),
        ("$[?@.a % 2]", 7, "a filter looks like [?@.name == 'x']"),
        ("$[?count(@.a)>1]", 3, "compare with ==, != or <"),
        ("$[?@.length()>1]", 5, "compare with ==, != or <"),
        ("$[?@.a==", 8, "a filter looks like [?@.name == 'x']"),
        ("$...a", 2, "one dot goes one level down, two go to any depth"),
    ],
)
def test_a_malformed_path_is_refused_where_it_is_wrong(text: str, position: int, hint: str | None) -> None:
    with pytest.raises(BadPath) as caught:
        parse(text)
    bad = caught.value
    if hint is not None:
        assert (bad.position, bad.hint) == (position, hint), bad.message
    assert bad.position == position, bad.message
    assert str(bad) == f"{bad.message} (character {position + 1} of the path)"


def test_a_path_and_its_problem_can_travel_to_another_process() -> None:
    for text in ("a.b[*]", "$.a[?@.n>1]", ""):
        path = parse(text)
        copy = pickle.loads(pickle.dumps(path))
        assert copy == path
        assert copy.canonical == path.canonical
    bad = pickle.loads(pickle.dumps(BadPath("no", 3, "yes")))
    assert (bad.message, bad.position, bad.hint) == ("no", 3, "yes")


# Reading one document


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$", DOCUMENT),
        ("vendor.name", "Acme"),
        ("$.vendor.été.ü", 1),
        ("/vendor/vat~1no", "8"),
        ("/vendor/~0", "9"),
        ("vendor.tax id", "7"),
        ("items.1.sku", "a"),
        ("items[-1].sku", "it's"),
        ("$.items[-3].qty", 2),
        ("$.items[-4].qty", MISSING),
        ("items.3.sku", MISSING),
        ("items.sku", MISSING),
        ('items["0"].sku', MISSING),
        ("0", "zero"),
        ("$[0]", "zero"),
        ("00", "double zero"),
        ("-1", "minus one"),
        ("[-1]", MISSING),
        ("map.0.n", 0),
        ("map[0].n", 0),
        ('map["0"].n', 0),
        ("map[-1].n", MISSING),
        ('[""][""]', "empty"),
        ("none", None),
        ("none.x", MISSING),
        ("none.0", MISSING),
        ("text.0", MISSING),
        ("text[0]", MISSING),
        ("text[-1]", MISSING),
        ("text.abc", MISSING),
        ("text[*]", MISSING),
        ("limit.x.y.z", MISSING),
        ("limit[0].x", MISSING),
        ("items.0.ok", True),
        ("items.2.tags.1", "y"),
        ("items[*].sku", ["b", "a", "it's"]),
        ("items[*].tags", [["x", "y"]]),
        ("items[*].tags[*]", ["x", "y"]),
        ("items[*].nope", MISSING),
        ("empty[*]", MISSING),
        ("empty", []),
        ("map[*].n", [0, 1, 2]),
        ("$.totals.*", [2.0, 1]),
        ("$.items[0:2].sku", ["b", "a"]),
        ("$.items[::-1].sku", ["b", "a", "it's"]),
        ("$.items[-1:].sku", ["it's"]),
        ("$.items[2,0].sku", ["b", "it's"]),
        ("$.items[0,0].sku", ["b"]),
        ("$.totals['net','gross']", [2.0, 1]),
        ("$..sku", ["b", "a", "it's"]),
        ("$..n", [0, 1, 2]),
        ("$..été.ü", [1]),
        ("$.items..[0]", [{"sku": "b", "qty": 2, "ok": True, "note": None}, "x"]),
        ("$..nope", MISSING),
        ("$.items[9:]", MISSING),
        ("$.text[0:1]", MISSING),
        ("$.items[::0]", MISSING),
    ],
)
def test_what_a_path_gives(text: str, value: object) -> None:
    found = parse(text).get(DOCUMENT)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("condition", "skus"),
    [
        ("@.qty>1", ["b"]),
        ("(@.qty==1)", ["a"]),
        ("@.qty == 1.0", ["a"]),
        ("@.qty==1e0", ["a"]),
        ("1 < @.qty", ["b"]),
        ("@.qty==$.limit", ["a"]),
        ("@.qty==@.ok", ["a"]),
        ("@.qty>=1 && @.qty<2", ["a"]),
        ("@.qty==1||@.sku=='b'", ["b", "a"]),
        ("(@.qty==1 || @.sku=='b') && @.ok==true", ["b"]),
        ('@.sku=="b"', ["b"]),
        ("@.sku=='b'", ["b"]),
        ("@['sku']=='it\\'s'", ["it's"]),
        ("@.sku>'a'", ["b", "it's"]),
        ("@.ok", ["b", "a"]),
        ("!@.ok", ["it's"]),
        ("!(@.ok)", ["it's"]),
        ("null == @.note", ["b"]),
        ("'b'==@.sku", ["b"]),
        ("@.qty > 1.5e-1 && @.qty<100e-2", None),
        ("@.ok==true", ["b"]),
        ("@.ok==1", ["a"]),
        ("@.ok!=true", ["a", "it's"]),
        ("@.note==null", ["b"]),
        ("@.note", ["b"]),
        ("@.note!=null", ["a", "it's"]),
        ("@.nope==@.nada", ["b", "a", "it's"]),
        ("@.nope<1", None),
        ("@.qty=='1'", ["it's"]),
        ("@.tags[1]=='y'", ["it's"]),
        ("@.tags[-1]=='y'", ["it's"]),
        ("@.tags[?@=='x']", ["it's"]),
        ("@..tags", ["it's"]),
        ("@.nope==-1", None),
    ],
)
def test_what_a_filter_lets_through(condition: str, skus: list[str] | None) -> None:
    assert parse(f"$.items[?{condition}].sku").get(DOCUMENT) == (MISSING if skus is None else skus)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$.items[?@.n>1]", "$['items'][?(@['n'] > 1)]"),
        ("$.items[?1<@.n]", "$.items[? @.n > 1 ]"),
        ("$..a", "$..['a']"),
        ("$.a[ 0 : 2 ]", "$.a[0:2]"),
        ('$["a","b"]', "$['a', 'b']"),
    ],
)
def test_two_ways_to_write_a_query_are_one_path(one: str, other: str) -> None:
    assert parse(one) == parse(other)
    assert hash(parse(one)) == hash(parse(other))
    assert parse(one).canonical == one
    assert not parse(one).definite


@given(
    documents,
    st.sampled_from(
        ["$..a", "$..*", "$.*", "$..[0]", "$..[?@.a]", "$..[?@.b!=1]", "$[*].*", "$['a','b','c']", "a[*].b", "$..[0:2]"]
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_keys_never_matters(document: JSON, text: str, random: Random) -> None:
    path = parse(text)
    other = shuffled(document, random)
    places = path.locate(document)
    assert places == sorted(places) == path.locate(other)
    assert path.get(document) == path.get(other)
    assert path.get(document) == ([look_up(document, place) for place in places] or MISSING)


@given(documents, st.lists(st.one_of(small_keys, st.integers(-2, 2), st.just(ANY)), max_size=4).map(tuple))
def test_a_value_is_what_stands_at_the_place(document: JSON, these: tuple[Step, ...]) -> None:
    path = Path(these)
    values = [look_up(document, place) for place in path.locate(document)]
    if path.definite:
        assert path.get(document) == (values[0] if values else MISSING)
    else:
        assert path.get(document) == (values or MISSING)


def test_every_hit_is_located_by_keys_and_counted_indexes() -> None:
    assert parse("map[*].n").locate(DOCUMENT) == [("map", "0", "n"), ("map", "a", "n"), ("map", "b", "n")]
    assert parse("map.0").locate(DOCUMENT) == [("map", "0")]
    assert parse("items[-1].sku").locate(DOCUMENT) == [("items", 2, "sku")]
    assert parse("$.items[-1,0].sku").locate(DOCUMENT) == [("items", 0, "sku"), ("items", 2, "sku")]
    assert parse("$").locate(DOCUMENT) == [()]
    assert parse("nope").locate(DOCUMENT) == []


# Literal keys with dots


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ({"a": {"b": {"c": 1}}}, 1),
        ({"a.b.c": 1, "a.b": {"c": 2}, "a": {"b": {"c": 3}}}, 1),
        ({"a.b": {"c": 2}, "a": {"b": {"c": 3}}}, 2),
        ({"a": {"b.c": 4, "b": {"c": 3}}}, 4),
        ({"a.b": {"x": 2}, "a": {"b": {"c": 3}}}, 3),
        ({"a.b.c": None, "a": {"b": {"c": 3}}}, None),
        ("a.b.c", MISSING),
        (["a.b.c", "a"], MISSING),
        ({"a": "b.c"}, MISSING),
        ({"a": ["b.c"]}, MISSING),
        (7, MISSING),
    ],
)
def test_the_longest_literal_key_that_leads_somewhere_wins(document: JSON, value: object) -> None:
    assert parse("a.b.c").get(document) == value


def test_only_dot_notation_looks_for_a_literal_key() -> None:
    document: JSON = {"a.b": 1, "a": {"b": 2}}
    assert [parse(text).get(document) for text in ("a.b", "$.a.b", "/a/b", 'a["b"]', "a")] == [1, 2, 2, 2, {"b": 2}]
    assert [bool(parse(text).joins) for text in ("a.b", "$.a.b", "/a/b", 'a["b"]', "a", "a[0].b", "a.0")] == [
        True, False, False, False, False, False, True,
    ]  # fmt: skip
    assert parse("a.b").locate(document) == [("a.b",)]
    assert parse("a.b") == parse("$.a.b") == parse("/a/b")


def test_a_part_of_a_path_still_looks_for_literal_keys() -> None:
    path = parse("items[*].a.b")
    assert path.part(2) == Path(("a", "b"))
    assert path.part(2).get({"a.b": 1, "a": {"b": 2}}) == 1
    assert path.part(0, 2) == parse("items[*]")
    assert not path.part(0, 3).joins
    assert parse("x.a.b").part(1).joins == (False, True)
    assert parse("$.x.a.b").part(1).get({"a.b": 1, "a": {"b": 2}}) == 2


def test_a_joined_key_reaches_into_items() -> None:
    document: JSON = {"items": [{"a.b": 1}, {"a.b": 2, "a": {"b": 3}}], "v1.0": "x", "list": [{"k.v": 5}]}
    assert parse("items[*].a.b").get(document) == [1, 2]
    assert parse("v1.0").get(document) == "x"
    assert parse("list.0.k.v").get(document) == 5
    assert parse("list.0.k.v").locate(document) == [("list", 0, "k.v")]


@pytest.mark.parametrize(
    ("text", "expected", "output", "pair"),
    [
        ("a.b", {"a.b": 1}, {"a.b": 2, "a": {"b": 3}}, (1, 2)),
        ("a.b", {"a": {"b": 1}}, {"a.b": 2, "a": {"b": 3}}, (1, 3)),
        ("a.b", {"a": {"b": 1}}, {"a.b": 2}, (1, MISSING)),
        ("a.b", {"a.b": 1}, {"a": {"b": 3}}, (1, MISSING)),
        ("a.b", {}, {"a.b": 2}, (MISSING, 2)),
        ("a.b", {}, {"a": {"b": 3}}, (MISSING, 3)),
        ("a.b", 5, {"a": {"b": 3}}, (MISSING, 3)),
        ("a.b.c", {"a": {"b.c": 1}}, {"a": {"b": {"c": 2}, "b.c": 3}}, (1, 3)),
        ("a.b.c", {"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 2}, "b.c": 3}}, (1, 2)),
        ("a.0.c", {"a": [{"c": 1}]}, {"a": [{"c": 2}]}, (1, 2)),
        ("a.0", {"a.0": 1}, {"a.0": 2, "a": [3]}, (1, 2)),
        ("$.a.b", {"a.b": 1}, {"a.b": 2, "a": {"b": 3}}, (MISSING, 3)),
        ("i[*].a.b", {"i": [{"a.b": 1}]}, {"i": [{"a.b": 2, "a": {"b": 3}}]}, ([1], [2])),
        ("i[*].a.b", {"i": []}, {"i": [{"a": {"b": 3}}]}, (MISSING, [3])),
        ("$..b", {"b": 1}, {"a": {"b": 3}}, ([1], [3])),
    ],
)
def test_the_output_follows_the_keys_of_the_expected_side(
    text: str, expected: JSON, output: JSON, pair: tuple[object, object]
) -> None:
    assert parse(text).pair_getter()(expected, output) == pair


@given(
    dotted_documents,
    dotted_documents,
    st.sampled_from(["a.b", "a.b.c", "a.b.c.a", "a.0", "a.0.b", "0.a.b", "a[*].b.c", "a[*].b", "a[0].b", "$.a.b.c"]),
)
def test_the_fast_readers_agree_with_the_places(expected: JSON, output: JSON, text: str) -> None:
    path = parse(text)
    values = [look_up(expected, place) for place in path.locate(expected)]
    wanted = (values if not path.definite else values[0]) if values else MISSING
    assert path.get(expected) == wanted
    first, second = path.pair_getter()(expected, output)
    assert first == wanted
    if not values:
        assert second == path.get(output)
    assert path.pair_getter()(expected, expected) == (wanted, wanted)


def test_a_long_dot_path_is_read_at_once() -> None:
    path = parse(".".join("a" * 200))
    document: JSON = 1
    for level in range(200):
        dead_end: dict[str, JSON] = {"a.a": {"a.a": {}}} if level > 3 else {}
        document = {"a": document, **dead_end}
    assert path.get(document) == 1


# Suggestions


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("vendor.nmae", "vendor.name"),
        ("Vendor.Name", "vendor.name"),
        ("name", "vendor.name"),
        ("vender.name", "vendor.name"),
        ("vendor.tax_id", 'vendor["tax id"]'),
        ("/items/0/skew", "items[0].sku"),
        ("items[*].Sku", "items[*].sku"),
        ("items.1.qyt", "items[1].qty"),
        ("item[0].qty", "items[0].qty"),
        ("items.sku", "items[*].sku"),
        ("totals.grosss", "totals.gross"),
        ("zzzzzzzz", None),
        ("$.items[?@.n>1]", None),
        ("$", None),
    ],
)
def test_the_nearest_existing_path_is_suggested(text: str, nearest: str | None) -> None:
    assert nearest_path(parse(text), DOCUMENT) == nearest


@given(documents, st.randoms(use_true_random=False), steps)
def test_a_suggestion_exists_and_does_not_depend_on_key_order(
    document: JSON, random: Random, these: tuple[Step, ...]
) -> None:
    nearest = nearest_path(Path(these), document)
    assert nearest == nearest_path(Path(these), shuffled(document, random))
    if nearest is not None:
        assert Path(parse(nearest).steps).locate(document)


def test_only_a_jsonpath_with_more_than_names_and_indexes_loads_its_library() -> None:
    script = (
        "import sys; from evaluators.scoring.values.paths import parse;"
        "[parse(text).get({}) for text in ('a.b', '/a/0', '$.a[*].b')];"
        "assert not [name for name in sys.modules if name.startswith('jsonpath_ng')];"
        "parse('$..a'); assert 'jsonpath_ng' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ('["order number"]', "order number"),
        ('a["ship to"]["post code"][*]', "a.ship to.post code[*]"),
        ('["a.b"]["c d"]', '["a.b"].c d'),
        ('["two  spaces"]', '["two  spaces"]'),
        ('[" led"]', '[" led"]'),
        ('["a, b"]', '["a, b"]'),
    ],
)
def test_keys_of_several_words_are_shown_plainly_and_mean_the_same(path: str, shown: str) -> None:
    assert path_for_people(path) == shown
    assert parse(shown).steps == parse(path).steps


def test_what_is_no_path_is_shown_as_it_is() -> None:
    assert path_for_people('[+3]["x y"]') == '[+3]["x y"]'
