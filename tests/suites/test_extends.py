"""`extends`: what is merged, in which order, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.model.issues import Issue, Problems
from evaluators.suites.config import read_config
from evaluators.suites.source import SuiteSource, from_data, load, loads
from tests.kit import problem_of, write


def suite(text: str, **files: str) -> SuiteSource:
    for name, content in files.items():
        write(f"{name}.yaml", content)
    write("suite.yaml", text)
    return load(Path("suite.yaml"))


def issue_of(text: str, **files: str) -> Issue:
    return problem_of(lambda: suite(text, **files))


@pytest.mark.usefixtures("folder")
class TestMerging:
    def test_maps_merge_key_by_key_and_the_nearer_wins(self) -> None:
        found = suite(
            "extends: base.yaml\nresults: {name: near, formats: [csv]}\ngates: {a: {fail_below: 1}}\n",
            base="results: {folder: runs, name: far, formats: [json, junit]}\ngates: {a: {min_rows: 3}, b: {}}\n",
        )
        assert found.data == {
            "results": {"folder": "runs", "name": "near", "formats": ["csv"]},
            "gates": {"a": {"min_rows": 3, "fail_below": 1}, "b": {}},
        }

    def test_every_value_is_placed_in_its_own_file(self) -> None:
        found = suite("extends: base.yaml\ngates: {a: {fail_below: 1}}\n", base="\ngates:\n  a: {min_rows: 3}\n")
        assert found.place(("gates", "a", "min_rows")) == "base.yaml:3:17"
        assert found.place(("gates", "a", "fail_below")) == "suite.yaml:2:25"
        assert found.excerpt(("gates", "a", "min_rows"), key=True) == "  a: {min_rows: 3}\n      ^"

    def test_problems_of_the_suite_come_before_those_of_the_files_it_extends(self) -> None:
        found = suite("extends: base.yaml\nevaluators: [exact_match]\n\n\nslices: [one]\n", base="version: 7\n")
        with pytest.raises(Problems) as caught:
            read_config(found)
        assert [issue.where for issue in caught.value.issues] == ["suite.yaml:5:10", "base.yaml:1:10"]

    def test_extended_evaluators_come_first_and_a_name_is_replaced_in_its_place(self) -> None:
        found = suite(
            "extends: base.yaml\nevaluators:\n- {type: length, name: one, max: 2}\n- {all_of: {name: two}}\n- contains\n",
            base="evaluators:\n- {length: {name: one, max: 1}}\n- contains_json\n",
        )
        assert found.data["evaluators"] == [
            {"type": "length", "name": "one", "max": 2}, "contains_json", {"all_of": {"name": "two"}}, "contains",
        ]  # fmt: skip

    def test_two_near_evaluators_of_one_name_stay_two(self) -> None:
        found = suite(
            "extends: base.yaml\nevaluators: [{a: {name: x}}, {b: {name: x}}]\n", base="evaluators: [{c: {name: x}}]\n"
        )
        assert found.data["evaluators"] == [{"a": {"name": "x"}}, {"b": {"name": "x"}}]

    def test_a_comparator_is_replaced_whole(self) -> None:
        found = suite(
            "extends: base.yaml\ncomparators: {money: {fuzzy: {at_least: 1}}}\n",
            base="comparators: {money: {numeric: {tolerance: {abs: 1}}}, name: exact}\n",
        )
        assert found.data["comparators"] == {"money": {"fuzzy": {"at_least": 1}}, "name": "exact"}

    def test_null_takes_a_value_away(self) -> None:
        assert suite("extends: base.yaml\ngates:\n", base="gates: {a: {}}").data == {"gates": None}

    def test_a_list_is_merged_in_its_order(self) -> None:
        found = suite("extends: [one.yaml, two.yaml]\nc: 3\n", one="a: 1\nb: 1", two="b: 2\nc: 2")
        assert found.data == {"a": 1, "b": 2, "c": 3}

    def test_a_file_that_is_reached_twice_counts_once(self) -> None:
        found = suite(
            "extends: [one.yaml, two.yaml]",
            one="extends: base.yaml",
            two="extends: base.yaml",
            base="evaluators: [exact_match]",
        )
        assert found.data == {"evaluators": ["exact_match"]}

    def test_each_path_is_relative_to_the_file_that_says_it(self) -> None:
        write("a/one.yaml", "extends: ../b/two.yaml\n")
        write("b/two.yaml", "test_set: {file: rows.csv}\n")
        found = suite("extends: a/one.yaml\nname: x")
        assert found.place(("test_set", "file")) == "b/two.yaml:1:18"
        folder = found.folder_of(("test_set", "file"))
        assert folder is not None
        assert folder.resolve() == Path("b").resolve()
        assert found.folder_of(("name",)) == Path()

    def test_a_variable_may_choose_the_file(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BASE", "base")
        assert suite("extends: ${BASE}.yaml", base="a: 1").data == {"a": 1}

    def test_a_variable_of_a_replaced_value_is_not_asked_for(self) -> None:
        assert suite("extends: base.yaml\nname: x", base="name: ${NOT_SET_ANYWHERE}").data == {"name": "x"}


@pytest.mark.usefixtures("folder")
class TestProblems:
    def test_a_circle_is_shown(self) -> None:
        issue = issue_of("extends: one.yaml", one="a: 1\nextends: two.yaml", two="extends: suite.yaml")
        assert issue.where == "two.yaml:1:10"
        assert "suite.yaml → one.yaml → two.yaml → suite.yaml" in issue.message

    def test_a_file_that_extends_itself_is_a_circle(self) -> None:
        assert issue_of("extends: ./suite.yaml").code == "extends-circle"

    def test_a_missing_file_is_placed_and_guessed(self) -> None:
        issue = issue_of("a: 1\nextends: bse.yaml", base="a: 1")
        assert (issue.where, issue.code) == ("suite.yaml:2:10", "no-such-file")
        assert issue.hint == 'did you mean "base.yaml"?'

    def test_problems_of_all_extended_files_are_listed(self) -> None:
        with pytest.raises(Problems) as caught:
            suite("extends:\n- one.yaml\n- none.yaml\n- two.yaml\n", one="a: .inf\nb: .inf", two="- a")
        places = [issue.where for issue in caught.value.issues]
        assert places == ["one.yaml:1:4", "one.yaml:2:4", "suite.yaml:3:3", "two.yaml:1:1"]

    @pytest.mark.parametrize("value", ["3", "{a: b}", "[[a]]", "true", "''", "null"])
    def test_it_takes_a_path_or_a_list_of_them(self, value: str) -> None:
        assert issue_of(f"extends: {value}").code == "bad-extends"

    def test_the_number_of_files_is_limited(self) -> None:
        for number in range(40):
            write(f"f{number}.yaml", f"extends: f{number + 1}.yaml")
        assert issue_of("extends: f0.yaml").code == "bad-extends"

    def test_a_text_without_a_folder_extends_no_relative_path(self) -> None:
        with pytest.raises(Problems, match="relative"):
            loads("extends: base.yaml")
        with pytest.raises(Problems, match="relative"):
            from_data({"extends": "base.yaml"})

    def test_an_unknown_preset_is_guessed(self) -> None:
        issue = issue_of("extends: preset:extracton")
        assert issue.hint == 'did you mean "extraction"?'

    def test_a_preset_without_its_prefix_is_explained(self) -> None:
        assert issue_of("extends: extraction").hint == "did you mean preset:extraction?"
