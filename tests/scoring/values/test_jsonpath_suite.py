"""The compliance test suite of RFC 9535: every path selects what it should, or is refused for a reason that is listed here."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from evaluators.scoring.values.jsonpath_text import _PLAIN, _read_by_library, read_jsonpath
from evaluators.scoring.values.paths import BadPath, Location, parse

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data/jsonpath/cts.json").read_text(encoding="utf-8")
)["tests"]
JSONPATHS = [case for case in CASES if case["selector"].startswith("$")]
"""The others are dot notation for us, or pointers."""

REFUSED = (
    r"functions such as \"(length|count|match|search|value)\(\)\" are not available in filters",
    r"brackets with several parts can only list keys, or only indexes",
    r'"!\(…\)" around a comparison',
)
"""Why we refuse paths that the RFC has."""
FORGIVEN = (
    r"(['\"])[^'\"]*[\x00-\x1f][^'\"]*\1",  # a control character in quotes
    r"\[\"\\'\"\]|\['\\\"'\]",  # the other kind of quotes behind a backslash
    r"\\u[dD][89a-fA-F]",  # half a surrogate pair
    r"[0-9]{16}",  # an index that no list reaches
    r"-0(?![0-9.])",
)
"""What we read although the RFC forbids it."""

_part = re.compile(r"\[(?:([0-9]+)|'((?:[^'\\]|\\.)*)')\]").match


def place_of(normalized: str) -> Location:
    """The place that a normalized path of the RFC (section 2.7) names."""
    steps: list[str | int] = []
    at = 1
    while found := _part(normalized, at):
        key = found[2]
        steps.append(
            int(found[1]) if key is None else json.loads('"' + key.replace("\\'", "'").replace('"', '\\"') + '"')
        )
        at = found.end()
    assert at == len(normalized)
    return tuple(steps)


@pytest.mark.slow
def test_paths_of_the_rfc_select_what_they_should_or_are_refused_for_a_listed_reason() -> None:
    """Each place once and in the order of the document, which is how we list hits."""
    wrong, read, refused = [], 0, 0
    for case in JSONPATHS:
        if case.get("invalid_selector"):
            continue
        try:
            found = parse(case["selector"]).locate(case["document"])
        except BadPath as problem:
            refused += 1
            if not any(re.fullmatch(reason, problem.message) for reason in REFUSED):
                wrong.append((case["selector"], problem.message))
        else:
            read += 1
            allowed = case.get("results_paths") or [case["result_paths"]]
            if not any(found == sorted({place_of(text) for text in paths}) for paths in allowed):
                wrong.append((case["selector"], found))
    assert not wrong
    assert (read, refused) == (338, 104)


@pytest.mark.slow
def test_what_is_no_path_of_the_rfc_is_refused_but_for_listed_leniencies() -> None:
    read = []
    for case in JSONPATHS:
        if case.get("invalid_selector"):
            with suppress(BadPath):
                parse(case["selector"])
                read.append(case["selector"])
    assert [text for text in read if not any(re.search(one, text) for one in FORGIVEN)] == []
    assert len(read) == 93


def test_plain_paths_are_read_without_the_library_as_it_reads_them() -> None:
    parts = ("", ".a", ".where", ".true", ".a-b-", "._é日", ".len", "[*]", "[0]", "[12]", "[123456789]")
    paths = ["$" + "".join(each) for each in product(parts, repeat=3)]
    assert all(map(_PLAIN.fullmatch, paths))
    assert [path for path in paths if read_jsonpath(path) != _read_by_library(path)] == []


@pytest.mark.parametrize(
    "path", ["$.a.*", "$..a", "$['a b']", "$[01]", "$[-1]", "$.1a", "$.a b", "$a", "$.a.", "$[1:2]", "$.a\n"]
)
def test_any_other_path_is_for_the_library(path: str) -> None:
    assert not _PLAIN.fullmatch(path)
