"""YAML that nobody vouches for: plain data or NotYAML, and never anything else."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from evaluators.scoring.values.yaml_text import MAX_DEPTH, NotYAML, load_untrusted


def refusal(text: str) -> NotYAML:
    with pytest.raises(NotYAML) as caught:
        load_untrusted(text)
    return caught.value


def test_aliases_that_multiply_are_refused() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcde", "bcdef", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]")
    assert refusal("\n".join(lines)).message == "aliases that multiply"


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("a: *b", 'the alias "*b" stands for nothing', 1, 4),
        ("&a [*a]", 'the alias "*a" is inside what it stands for', 1, 5),
        ("a: 1\n---\nb: 2", "a second document starts", 2, 1),
        ("[" * (MAX_DEPTH + 1), f"nested deeper than {MAX_DEPTH} levels", 1, MAX_DEPTH + 1),
        ("a: !!int x", "a value does not go with its tag", None, None),
        ("a: !!timestamp x", "a value does not go with its tag", None, None),
        ("\0", "a character that YAML does not allow", None, None),
        ("\ud800", "a character that YAML does not allow", None, None),
    ],
)
def test_what_is_refused_says_why(text: str, message: str, line: int | None, column: int | None) -> None:
    error = refusal(text)
    assert (error.message, error.line, error.column) == (message, line, column)


@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "- " * 5000])
def test_what_the_parser_itself_finds_too_deep_is_said_in_the_same_words(text: str) -> None:
    assert refusal(text).message == f"nested deeper than {MAX_DEPTH} levels"


def test_nothing_is_run() -> None:
    assert "constructor" in refusal('!!python/object/apply:os.system ["true"]').message


@given(st.text(max_size=40) | st.text("a: -[]{}&*!|>'\"\n#?", max_size=40))
def test_any_text_is_data_or_not_yaml(text: str) -> None:
    with suppress(NotYAML):
        load_untrusted(text)


PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


class _Quoted(yaml.SafeDumper):
    """Texts in quotes: what PyYAML leaves bare, such as `0E0`, may be a number to a reader of YAML 1.2."""


_Quoted.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


@example("0E0")
@example({"0E0": None})
@example({"1e3": ["-0", ".5"]})
@given(PLAIN)
def test_plain_data_come_back(value: Any) -> None:
    assert load_untrusted(yaml.dump(value, Dumper=_Quoted)) == value


def test_a_number_without_quotes_is_a_number_also_as_a_key() -> None:
    assert load_untrusted('{0E0: null, "0E0": null}') == {0.0: None, "0E0": None}
    assert load_untrusted("- 0E0\n- '0E0'") == [0.0, "0E0"]
