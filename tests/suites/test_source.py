"""Reading a suite: values, places, `extends`, the environment, and what is refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.suites import source
from evaluators.suites.source import from_data, load, loads
from tests.kit import problem_of

PARSERS = (yaml.SafeLoader, yaml.CSafeLoader) if yaml.__with_libyaml__ else (yaml.SafeLoader,)

GOOD = """\
# yaml-language-server: $schema=suite.schema.json
version: 1
name: "invoice: extraction"
base: &base {compare: money, weight: 2}
evaluators:
  - contains_json
  - length: {max: 4000}
  - type: json_multi_field_match
    name: header
    when: {row.doc_type: [invoice, credit_note]}
    fields:
      invoice_number: exact
      $.issued_on: {date: {formats: [YYYY-MM-DD, DD/MM/YYYY]}}
      /totals/gross: {<<: *base, required: true}
      line_items[*].qty: numeric
      notes: |
        several
        lines
gates:
  header: {fail_below: 0.99, min_rows: 30}
"""


@pytest.fixture(params=PARSERS, ids=lambda parser: str(parser.__name__))
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "PARSER", request.param)


def issues_of(text: str, **options: Any) -> tuple[Issue, ...]:
    with pytest.raises(Problems) as caught:
        loads(text, **options)
    return caught.value.issues


def issue_of(text: str, **options: Any) -> Issue:
    (issue,) = issues_of(text, **options)
    return issue


def value_of(word: str) -> object:
    return loads(f"a: {word}\n").data["a"]


@pytest.mark.usefixtures("parser")
class TestScalars:
    @pytest.mark.parametrize(
        "word",
        ["NO", "no", "yes", "on", "off", "y", "2024-01-31", "12:30", "12:30:00", "0123", "007", "-012", "0x1F", "0o14",
         "0b1", "1_000", "1,5", "1.2.3", "01.5", "+", ".", "1e", "e3", "=", "TrUe", "nuLL", "$.a", "/a/b", "1e3x"],
    )  # fmt: skip
    def test_a_word_that_is_neither_a_number_nor_a_switch_stays_text(self, word: str) -> None:
        assert value_of(word) == word

    @pytest.mark.parametrize(
        ("word", "value"),
        [("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False),
         ("null", None), ("Null", None), ("NULL", None), ("~", None), ("", None),
         ("0", 0), ("-0", 0), ("+7", 7), ("-12", -12), ("123456789012345678901234567890", 123456789012345678901234567890),
         ("1.0", 1.0), ("1e3", 1000.0), (".5", 0.5), ("-.5", -0.5), ("1.", 1.0), ("0.25", 0.25), ("2E-3", 0.002)],
    )  # fmt: skip
    def test_a_word_of_the_core_schema_has_its_value(self, word: str, value: object) -> None:
        found = value_of(word)
        assert (type(found), found) == (type(value), value)

    @pytest.mark.parametrize("word", ["true", "12", "null", "", "1e3", "2024-01-31"])
    def test_what_is_quoted_is_text(self, word: str) -> None:
        assert value_of(f'"{word}"') == value_of(f"'{word}'") == value_of(f"!!str '{word}'") == word

    @pytest.mark.parametrize("word", [".inf", "-.INF", ".NaN", "1e999", "-1e999", "9" * 5000])
    def test_a_number_that_is_not_finite_or_too_long_is_refused(self, word: str) -> None:
        assert issue_of(f"a: {word}").where == "suite.yaml:1:4"

    def test_a_core_tag_holds_only_for_what_it_names(self) -> None:
        assert value_of("!!int 3") == 3
        assert isinstance(value_of("!!float 3"), float)
        assert value_of("!!map {a: !!seq [1]}") == {"a": [1]}
        assert value_of("! 12") == "12"
        assert "!!int" in issue_of("a: !!int x").message

    @pytest.mark.parametrize("tag", ["!!python/object/apply:os.system", "!mine", "!!set", "!!binary", "!!timestamp"])
    @pytest.mark.parametrize("value", ["x", "[x]", "{x: y}"])
    def test_any_other_tag_is_refused_with_its_place(self, tag: str, value: str) -> None:
        issue = issue_of(f"b: 1\na: {tag} {value}\n")
        assert issue.where == "suite.yaml:2:4"
        assert tag in issue.message

    @pytest.mark.parametrize(
        "key", ["0123", "on", "1.0", "1", "true", "null", "~", "2024-01-31", "$.a[*].b", "a.b", "<<x"]
    )
    def test_a_key_keeps_its_spelling(self, key: str) -> None:
        assert loads(f"{key}: x").data == {key: "x"}

    def test_an_alias_may_be_a_key(self) -> None:
        assert loads("a: &x 0123\nb: {*x : 1}").data["b"] == {"0123": 1}


@pytest.mark.usefixtures("parser")
class TestAliases:
    def test_anchors_aliases_and_merge_keys_work(self) -> None:
        text = "a: &a {x: 1, y: 2}\nb: &b {x: 3, z: 4}\nc: {<<: *a, y: 5}\nd: {<<: [*a, *b]}\ne: [*a, *a]\n"
        data = loads(text).data
        assert data["c"] == {"x": 1, "y": 5}
        assert data["d"] == {"x": 1, "y": 2, "z": 4}
        assert data["e"] == [{"x": 1, "y": 2}] * 2

    def test_a_merged_value_is_placed_where_it_is_written(self) -> None:
        found = loads("a: &a\n  x: 1\nb:\n  <<: *a\n  y: 2\n")
        assert found.place(("b", "x")) == "suite.yaml:2:6"
        assert found.place(("b", "y")) == "suite.yaml:5:6"

    def test_aliases_that_multiply_are_refused(self) -> None:
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
        assert issue_of("\n".join(lines)).code == "too-many-aliases"

    def test_merge_keys_that_multiply_are_refused(self) -> None:
        lines = ["a0: &a0 {" + ", ".join(f"k{i}: 1" for i in range(1000)) + "}"]
        lines += [f"a{i}: {{<<: *a0}}" for i in range(1, 200)]
        assert issue_of("\n".join(lines)).code == "too-many-aliases"

    def test_many_aliases_are_refused(self) -> None:
        assert issue_of("a: &a 1\nb: [" + "*a, " * 10_001 + "]").code == "too-many-aliases"

    @pytest.mark.parametrize("text", ["a: &x [*x]", "a: &x {b: {c: *x}}", "a: &x {<<: *x}"])
    def test_an_alias_inside_itself_is_refused(self, text: str) -> None:
        assert issue_of(text).code == "bad-alias"

    @pytest.mark.parametrize(
        "text", ["a: " + "[" * 5000, "a: " + "{a: " * 5000, "\n".join(" " * i + "a:" for i in range(500))]
    )
    def test_deep_nesting_is_refused(self, text: str) -> None:
        assert issue_of(text).code == "too-deep"

    def test_deep_nesting_by_aliases_is_refused(self) -> None:
        lines = ["a0: &a0 [x]", *(f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 150))]
        assert issue_of("\n".join(lines)).code == "too-deep"

    @pytest.mark.parametrize("text", ["a: {<<: 3}", "a: {<<: [3]}", "b: &b x\na: {<<: *b}", "a: {<<: }"])
    def test_a_merge_key_takes_maps(self, text: str) -> None:
        assert issue_of(text).code == "bad-merge"


@pytest.mark.usefixtures("parser")
class TestProblems:
    def test_everything_is_listed_in_line_order(self) -> None:
        found = issues_of("a: .inf\nb: !x 1\na: *none\nc: [\n")
        assert [issue.where for issue in found] == [
            f"suite.yaml:{place}" for place in ("1:4", "2:4", "3:1", "3:4", "4:4")
        ]
        assert all(issue.blame is Blame.CONFIG and issue.excerpt for issue in found)

    def test_a_duplicate_key_names_both_places(self) -> None:
        issue = issue_of("a:\n  x: 1\n  y: 2\n  x: 3\n")
        assert issue.where == "suite.yaml:4:3"
        assert "suite.yaml:2:3" in issue.message
        assert issue.excerpt == "  x: 3\n  ^"

    @pytest.mark.parametrize("text", ['1: a\n"1": b', "a: 1\n'a': 2", "x: {a, a}"])
    def test_keys_that_are_the_same_text_are_duplicates(self, text: str) -> None:
        assert issue_of(text).code == "duplicate-key"

    @pytest.mark.parametrize("text", ["{a: 1}: x", "? [a]\n: x", "a: {{ name }}", "a: &a [1]\nb: {*a : 1}"])
    def test_a_key_that_is_no_text_is_refused(self, text: str) -> None:
        assert issue_of(text).code == "bad-key"

    @pytest.mark.parametrize("text", ["a: 1\n---\nb: 2\n", "---\na: 1\n---\n"])
    def test_two_documents_are_refused(self, text: str) -> None:
        assert issue_of(text).code == "two-documents"

    @pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "null", "\ufeff"])
    def test_nothing_is_said_to_be_nothing(self, text: str) -> None:
        assert issue_of(text).code == "empty-suite"

    @pytest.mark.parametrize("text", ["- a\n- b", "42", "some text", "true", "[a]"])
    def test_the_top_level_is_a_map(self, text: str) -> None:
        assert issue_of(text).code == "not-a-map"

    def test_problems_travel_between_processes(self) -> None:
        with pytest.raises(Problems) as caught:
            loads("a: .inf")
        assert pickle.loads(pickle.dumps(caught.value)).issues == caught.value.issues


class TestPlaces:
    def test_a_value_and_its_key_have_places(self) -> None:
        found = loads(GOOD, "suites/a.yaml")
        fields = ("evaluators", 2, "fields")
        assert found.place(()) == "suites/a.yaml:2:1"
        assert found.place((*fields, "invoice_number")) == "suites/a.yaml:12:23"
        assert found.place((*fields, "invoice_number"), key=True) == "suites/a.yaml:12:7"
        assert found.place(("evaluators", 1)) == "suites/a.yaml:7:5"
        assert found.place(("evaluators", 1, "length", "max"), key=True) == "suites/a.yaml:7:14"
        assert found.excerpt(("evaluators", 1, "length", "max")) == "  - length: {max: 4000}\n                  ^"

    def test_what_is_missing_is_placed_at_the_nearest_parent(self) -> None:
        found = loads(GOOD)
        assert found.place(("evaluators", 2, "fields", "none", "deeper")) == "suite.yaml:11:5"
        assert found.place(("evaluators", 9)) == "suite.yaml:5:1"
        assert found.place(("none",)) == "suite.yaml:2:1"

    def test_positions_sort_like_lines(self) -> None:
        found = loads(GOOD)
        places: list[tuple[str | int, ...]] = [("gates",), ("version",), ("evaluators", 2, "name"), ("evaluators", 0)]
        assert sorted(places, key=lambda loc: found.spot(loc).at) == [places[1], places[3], places[2], places[0]]

    def test_a_source_travels_between_processes(self) -> None:
        found = pickle.loads(pickle.dumps(loads(GOOD)))
        assert found.place(("gates", "header")) == loads(GOOD).place(("gates", "header"))

    def test_the_fingerprint_text_does_not_know_the_layout(self) -> None:
        assert loads("a: 1 # one\nb:\n- x\n").fingerprint_text == loads('{a: 1, b: ["x"]}').fingerprint_text
        assert loads("a: 1").fingerprint_text != loads("a: 1.0").fingerprint_text

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda x: st.lists(x) | st.dictionaries(st.text(max_size=80), x),  # YAML reads 1,024 characters as a key
        )
    )
    def test_json_reads_as_itself(self, value: object) -> None:
        data = {"a": value}
        text = json.dumps(data).replace("${", "$${").replace("\\ud", "?")
        if json.loads(text) == json.loads(json.dumps(data).replace("${", "$${")):
            assert loads(text).data == data
            assert from_data(json.loads(text)).data == data

    def test_a_key_that_is_too_long_for_yaml_is_told_as_that(self) -> None:
        for text in ('{"a": {"%s": 1}}', "{'a': {'%s': 1}}", "{a: {%s: 1}}"):
            with pytest.raises(
                Problems, match=r"suite.yaml:1:\d+: this key has 1,0\d\d characters; YAML reads at most 1,024"
            ):
                loads(text % ("k" * 1_040))


class TestPythonData:
    def test_data_is_read_with_spelled_places(self) -> None:
        found = from_data({"evaluators": [{"type": "x", "fields": {"a.b": "exact"}}]})
        assert found.place(("evaluators", 0, "fields")) == "evaluators[0].fields"
        assert found.place(("evaluators", 0, "fields", "a.b")) == 'evaluators[0].fields["a.b"]'
        assert found.place(("none",)) == "suite"
        assert found.excerpt(("evaluators",)) is None

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), {1: 2}, object(), {1, 2}, b"x"])
    def test_what_yaml_cannot_say_is_refused(self, value: object) -> None:
        with pytest.raises(Problems) as caught:
            from_data({"a": [value]})
        assert caught.value.issues[0].where == "a[0]"

    def test_data_that_holds_itself_is_refused(self) -> None:
        data: dict[str, object] = {}
        data["a"] = data
        with pytest.raises(Problems):
            from_data(data)

    def test_an_extended_file_keeps_its_places(self, tmp_path: Path) -> None:
        (tmp_path / "base.yaml").write_text("evaluators:\n  - length: {max: 3}\n")
        found = from_data({"extends": "base.yaml", "evaluators": ["exact_match"]}, tmp_path)
        assert found.data == {"evaluators": [{"length": {"max": 3}}, "exact_match"]}
        assert found.place(("evaluators", 0)) == "base.yaml:2:5"
        assert found.place(("evaluators", 1)) == "evaluators[0]"


class TestEnvironment:
    @pytest.mark.parametrize(
        ("text", "value"),
        [("${A}", "one"), ("x${A}y${B}", "xoney"), ("${C:-two}", "two"), ("${B:-two}", "two"), ("${A:-two}", "one"),
         ("${C:-}", ""), ("$${A}", "${A}"), ("$A {A} $", "$A {A} $"), ("${D}", "${A}")],
    )  # fmt: skip
    def test_text_is_filled_in(self, text: str, value: str) -> None:
        environment = {"A": "one", "B": "", "D": "${A}"}
        assert loads(f"a: ['{text}']", environment=environment).data == {"a": [value]}
        assert from_data({"a": [text]}, environment=environment).data == {"a": [value]}

    def test_keys_are_left_alone(self) -> None:
        assert loads('"${A}": "${A}"', environment={"A": "one"}).data == {"${A}": "one"}

    def test_a_value_from_the_environment_is_text(self) -> None:
        assert loads("a: ${A}", environment={"A": "1"}).data == {"a": "1"}

    @pytest.mark.parametrize("text", ["${", "${}", "${1A}", "${A-B}", "${A", "${A:B}", "${A:-{x}}"])
    def test_a_malformed_variable_is_refused(self, text: str) -> None:
        assert issue_of(f"b: 1\na: '{text}'", environment={"A": "one"}).where == "suite.yaml:2:4"

    def test_every_missing_variable_is_named_at_its_place(self) -> None:
        found = issues_of("a: ${TOKN}\nb: [x, '${OTHER}']\n", environment={"TOKEN": "x"})
        assert [issue.where for issue in found] == ["suite.yaml:1:4", "suite.yaml:2:8"]
        assert '"TOKN"' in found[0].message
        assert found[0].hint == 'did you mean "TOKEN"?'

    def test_the_process_environment_is_the_default(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SUITE_WORD", "here")
        assert loads("a: ${SUITE_WORD}").data == {"a": "here"}


class TestFiles:
    def test_a_file_is_named_as_it_was_typed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("s.yaml").write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
        found = load(Path("s.yaml"))
        assert (found.data, found.name, found.folder) == ({"a": 1, "b": 2}, "s.yaml", Path())
        assert found.place(("b",)) == "s.yaml:2:4"

    @pytest.mark.parametrize(
        ("name", "code", "hint"),
        [("suit.yaml", "no-such-file", "suite.yaml"), ("zzz", "no-such-file", "suite.yaml"),
         ("no/suite.yaml", "no-such-file", "does not exist"), ("folder", "not-a-file", None),
         ("a\0b", "unreadable-file", None), ("latin.yaml", "not-utf8", "UTF-8"), ("wide.yaml", "not-utf8", "UTF-16")],
    )  # fmt: skip
    def test_a_file_that_cannot_be_read_is_a_problem(
        self, tmp_path: Path, name: str, code: str, hint: str | None
    ) -> None:
        (tmp_path / "suite.yaml").write_text("a: 1")
        (tmp_path / "folder").mkdir()
        (tmp_path / "latin.yaml").write_bytes("a: 1\nb: é".encode("latin-1"))
        (tmp_path / "wide.yaml").write_bytes("a: 1".encode("utf-16"))
        issue = problem_of(lambda: load(tmp_path / name))
        assert (issue.code, issue.blame, issue.where) == (code, Blame.CONFIG, str(tmp_path / name))
        assert hint is None or (issue.hint is not None and hint in issue.hint)

    def test_a_byte_that_is_not_utf8_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_bytes(b"a: 1\nb: \xe9")
        with pytest.raises(Problems, match=r"byte 9 \(line 2\) is 0xE9"):
            load(tmp_path / "a.yaml")


SMALL = st.text(alphabet="abc*&!|>'\"%@`{}[],:#?- \n\t~<.$1eé\\", max_size=40)


class TestHostileText:
    @given(st.text(max_size=60) | SMALL, st.sampled_from(PARSERS))
    def test_any_text_is_a_suite_or_a_problem(self, text: str, parser: Any) -> None:
        survives(text, parser)

    @given(st.integers(0, len(GOOD)), st.integers(0, 12), SMALL, st.sampled_from(PARSERS))
    def test_any_edit_leaves_a_suite_or_a_problem(self, start: int, removed: int, added: str, parser: Any) -> None:
        survives(GOOD[:start] + added + GOOD[start + removed :], parser)

    @given(SMALL)
    def test_both_parsers_give_the_same_data(self, text: str) -> None:
        answers = [data for parser in PARSERS if (data := survives("a: 1\n" + text, parser)) is not None]
        assert all(answer == answers[0] for answer in answers)


def survives(text: str, parser: Any) -> dict[str, Any] | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "PARSER", parser)
        try:
            return loads(text, environment={}).data
        except Problems as error:
            issues = error.issues
    assert issues
    assert all(issue.where and issue.blame is Blame.CONFIG and str(issue).encode() for issue in issues)
    return None
