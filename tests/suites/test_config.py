"""A suite's settings: the shapes of a line, names, and the answer to every mistake."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.model.issues import Issue, Problems
from evaluators.scoring.evaluators.json_multi_field_match import JsonMultiFieldMatch
from evaluators.suites.config import SuiteConfig, read_config
from evaluators.suites.source import loads


def suite(text: str, **readers: Any) -> SuiteConfig:
    return read_config(loads(text), readers)


def problems(text: str, **readers: Any) -> list[Issue]:
    with pytest.raises(Problems) as caught:
        suite(text, **readers)
    return list(caught.value.issues)


def problem(text: str) -> Issue:
    found = problems(text)
    assert len(found) == 1, found
    return found[0]


def names(*items: str) -> list[str]:
    return [line.name for line in suite("evaluators:\n" + "".join(f"  - {item}\n" for item in items)).lines]


def test_an_evaluator_is_a_word_a_map_or_the_long_form() -> None:
    found = suite(
        """
evaluators:
  - exact_match
  - length: {max: 10}
  - contains_json:
  - type: json_multi_field_match
    name: header
    needs: [contains_json]
    when: {row.kind: [a, b]}
    unmet: skip
    parse: strict
    fields: [a]
"""
    )
    assert [(line.name, line.type) for line in found.lines] == [
        ("exact_match", "exact_match"),
        ("length", "length"),
        ("contains_json", "contains_json"),
        ("header", "json_multi_field_match"),
    ]
    last = found.lines[3]
    assert (last.needs, last.unmet, last.parse) == (("contains_json",), "skip", "strict")
    assert last.when[0].values == ("a", "b")
    assert isinstance(last.settings, JsonMultiFieldMatch)


def test_a_clash_of_names_shows_both_lines() -> None:
    found = problems("evaluators:\n  - exact_match\n  - contains_json\n  - exact_match\n")
    assert [(issue.where, issue.message, issue.hint) for issue in found] == [
        ("suite.yaml:2:5", 'two evaluators are called "exact_match"', "give one of them a name of its own: name: …"),
        ("suite.yaml:4:5", 'two evaluators are called "exact_match"', "give one of them a name of its own: name: …"),
    ]


def test_a_clash_of_made_up_names_says_how_they_are_made() -> None:
    found = problems("evaluators:\n  - contains: {substring: a}\n  - contains: {substring: a, case_sensitive: false}\n")
    assert [issue.where for issue in found] == ["suite.yaml:2:5", "suite.yaml:3:5"]
    assert {issue.message for issue in found} == {'two evaluators are called "contains_a"'}
    assert (found[0].hint or "").endswith("without one, an evaluator is called after its type and its first setting")


@pytest.mark.parametrize("name", ["exact_match", "auto_exact_match"])
def test_a_type_is_named_once(name: str) -> None:
    (found,) = problems(f"evaluators:\n  - {name}: {{type: exact_match}}\n")
    assert (found.where, found.message, found.hint) == (
        f"suite.yaml:2:{len(name) + 8}", f'"type" is below "{name}", which is the type already', "take this line away",
    )  # fmt: skip


FIELDS = "evaluators:\n  - json_multi_field_match:\n      fields:\n        "
MISTAKES: dict[str, tuple[str, tuple[str, str, str | None]]] = {
    "an unknown section": (
        "evaluators: [exact_match]\nevaluator: 1\n",
        ("suite.yaml:2:1", 'unknown setting "evaluator"', 'did you mean "evaluators"?'),
    ),
    "no evaluators": (
        "name: x\n",
        (
            "suite.yaml:1:1",
            '"evaluators" is missing: a suite names at least one',
            "add a list: evaluators: [exact_match]",
        ),
    ),
    "evaluators that are a map": (
        "evaluators:\n  exact_match: {}\n",
        ("suite.yaml:2:3", "evaluators must be a list; found a map", "start each evaluator with a dash: - exact_match"),
    ),
    "yes for a field that is required": (
        "evaluators:\n  - schema_match: {fields: {name: {required: yes}}}\n",
        ("suite.yaml:2:46", 'expected true or false; found the text "yes"', "write required: true"),
    ),
    "no for a switch of an evaluator": (
        "evaluators:\n  - contains: {substring: a, case_sensitive: no}\n",
        ("suite.yaml:2:46", '"case_sensitive" must be true or false; found the text "no"', "write case_sensitive: false"),
    ),
    "yes for currencies": (
        "evaluators:\n  - schema_match: {fields: {a: {numeric: {parse: {currency: yes}}}}}\n",
        ("suite.yaml:2:61", "currency must be true, or a list of signs and codes", "write currency: true"),
    ),
    "an empty list of evaluators": (
        "evaluators: []\n",
        ("suite.yaml:1:13", "evaluators is empty: a suite names at least one", None),
    ),
    "an unknown type": (
        "evaluators:\n  - exact_mach\n",
        ("suite.yaml:2:5", 'unknown evaluator type "exact_mach"', 'did you mean "exact_match"?'),
    ),
    "an unknown type in a map": (
        "evaluators:\n  - lenght: {max: 1}\n",
        ("suite.yaml:2:5", 'unknown evaluator type "lenght"', 'did you mean "length"?'),
    ),
    "an unknown type in the long form": (
        "evaluators:\n  - name: x\n    type: lenght\n",
        ("suite.yaml:3:11", 'unknown evaluator type "lenght"', 'did you mean "length"?'),
    ),
    "an unknown setting": (
        "evaluators:\n  - length: {maxx: 1}\n",
        ("suite.yaml:2:14", 'unknown setting "maxx" for evaluator "length"', 'did you mean "max"?'),
    ),
    "a misspelled setting of the run": (
        "evaluators:\n  - length: {max: 1, neds: [x]}\n",
        ("suite.yaml:2:22", 'unknown setting "neds" for evaluator "length"', 'did you mean "needs"?'),
    ),
    "settings beside the type": (
        "evaluators:\n  - length:\n    max: 4000\n",
        (
            "suite.yaml:2:5",
            'the settings of "length" are beside it ("max"); they go below it, one step further in',
            "- length: {max: 4000}",
        ),
    ),
    "settings without a type": (
        "evaluators:\n  - name: x\n    max: 1\n",
        ("suite.yaml:2:5", '"type" is missing beside "name", "max"', "add type: with the name of an evaluator type"),
    ),
    "a value for settings": (
        "evaluators:\n  - length: 4000\n",
        (
            "suite.yaml:2:13",
            'the settings of "length" must be a map; found the number 4000',
            "write - length: {setting: 4000}, with the setting's name",
        ),
    ),
    "a value for the one setting that a type must have": (
        "evaluators:\n  - length\n  - all_of: [length]\n",
        (
            "suite.yaml:3:13",
            'the settings of "all_of" must be a map; found a list',
            "write - all_of: {of: [length]}",
        ),
    ),
    "a number for an evaluator": (
        "evaluators:\n  - 5\n",
        ("suite.yaml:2:5", "an evaluator is a word, or a map with its settings; found the number 5", None),
    ),
    "a name with a dot": (
        "evaluators:\n  - exact_match: {name: a.b}\n",
        ("suite.yaml:2:25", 'the name "a.b" has a dot', "write a_b; gates split at the first dot"),
    ),
    "an unknown word for unmet": (
        "evaluators:\n  - exact_match: {unmet: ignore}\n",
        ("suite.yaml:2:26", 'unmet must be one of fail, skip; found the text "ignore"', None),
    ),
    "a condition on nothing known": (
        "evaluators:\n  - exact_match: {when: {kind: 1}}\n",
        (
            "suite.yaml:2:26",
            '"kind" is not a reference',
            "for a column write row.kind; references are row.COLUMN, output.PATH and expected.PATH",
        ),
    ),
    "a threshold above 1": (
        "evaluators:\n  - json_diff_match: {pass_at: 2}\n",
        ("suite.yaml:2:32", '"pass_at" must be at most 1.0; found the number 2', None),
    ),
    "a threshold in quotes": (
        'evaluators:\n  - json_diff_match: {pass_at: "0.5"}\n',
        (
            "suite.yaml:2:32",
            '"pass_at" must be a number; found the text "0.5"',
            '"0.5" is in quotes, so it is text; remove the quotes',
        ),
    ),
    "a setting that is missing": (
        "evaluators:\n  - json_multi_field_match\n",
        ("suite.yaml:2:5", '"fields" is missing for evaluator "json_multi_field_match"', None),
    ),
    "an unknown comparator": (
        FIELDS + "a: numerik\n",
        ("suite.yaml:4:12", 'unknown comparator "numerik"', 'did you mean "numeric"?'),
    ),
    "a comparator of a preset": (
        FIELDS + "a: money\n",
        (
            "suite.yaml:4:12",
            'unknown comparator "money"',
            "preset:extraction defines it: write extends: preset:extraction in the suite",
        ),
    ),
    "a comparator beside its neighbours": (
        FIELDS + "a: {numeric: {tolerance: {abs: 1}}, weight: 2}\n",
        (
            "suite.yaml:4:13",
            '"numeric" is beside "weight"; here the comparator goes under "compare"',
            "write {compare: {numeric: {tolerance: {abs: 1}}}, weight: 2}",
        ),
    ),
    "a malformed path": (
        FIELDS + '"a[": exact\n',
        ("suite.yaml:4:9", 'malformed path "a[": "[" without a "]" after it at character 2', 'close the bracket with "]"'),
    ),
    "a place listed twice": (
        FIELDS + "a.b: exact\n        /a/b: numeric\n",
        ("suite.yaml:5:9", '"/a/b" is the same place as "a.b"', "name each place once"),
    ),
    "no parts": (
        "evaluators:\n  - all_of: {of: []}\n",
        ("suite.yaml:2:18", '"of" must name at least one evaluator', None),
    ),
    "a part that is text": (
        "evaluators:\n  - exact_match\n  - all_of: {of: exact_match}\n",
        (
            "suite.yaml:3:18",
            '"of" must be a list of evaluator names; found the text "exact_match"',
            "write of: [exact_match]",
        ),
    ),
    "weights where there are none": (
        "evaluators:\n  - exact_match\n  - all_of: {of: {exact_match: 2}}\n",
        ("suite.yaml:3:18", "its parts have no weights", "write of: [exact_match]"),
    ),
    "weights of 0": (
        "evaluators:\n  - exact_match\n  - weighted_mean: {of: {exact_match: 0}}\n",
        ("suite.yaml:3:25", "every weight is 0, so nothing would count", None),
    ),
    "a negative weight": (
        "evaluators:\n  - exact_match\n  - weighted_mean: {of: {exact_match: -1}}\n",
        (
            "suite.yaml:3:39",
            'the weight of "exact_match" must be a number, 0 or more; found the number -1',
            "0 leaves an evaluator out of the mean; 2 counts it twice as much as 1",
        ),
    ),
    "a part named twice": (
        "evaluators:\n  - exact_match\n  - any_of: {of: [exact_match, exact_match]}\n",
        ("suite.yaml:3:32", '"exact_match" is named twice', None),
    ),
    "another version": (
        "version: 2\nevaluators: [exact_match]\n",
        (
            "suite.yaml:1:10",
            "this is version 1 of the language; found the number 2",
            "write version: 1, or leave it out",
        ),
    ),
    "a slice that is no column": (
        "evaluators: [exact_match]\nslices: [row.a, supplier]\n",
        (
            "suite.yaml:2:17",
            'a slice is a column, written row.COLUMN; found the text "supplier"',
            "slices: [row.supplier]",
        ),
    ),
    "a comparator with a name that is taken": (
        "comparators: {exact: numeric}\nevaluators: [exact_match]\n",
        ("suite.yaml:1:15", '"exact" is a comparator that ships with the package', None),
    ),
    "a comparator that is no map": (
        "comparators: [numeric]\nevaluators: [exact_match]\n",
        ("suite.yaml:1:14", "comparators must be a map from your names to comparators; found a list", None),
    ),
    "comparators that are false": (
        "comparators: false\nevaluators: [exact_match]\n",
        ("suite.yaml:1:14", "comparators must be a map from your names to comparators; found false", None),
    ),
    "an evaluator at the top": (
        "evaluators: [contains_json]\nexact_match: {}\n",
        ("suite.yaml:2:1", 'unknown setting "exact_match"', ('"exact_match" is an evaluator type: it goes in the list under '
            '"evaluators"')),
    ),
    "a setting of a section at the top": (
        "evaluators: [contains_json]\ncluster: row.doc_id\n",
        ("suite.yaml:2:1", 'unknown setting "cluster"', '"cluster" goes under "statistics": write statistics: {cluster: row.doc_id}'),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_has_its_place_its_fact_and_its_way_out(text: str, said: tuple[str, str, str | None]) -> None:
    found = problem(text)
    assert (found.where, found.message, found.hint) == said


def test_every_mistake_is_told_at_once_in_the_order_of_the_file() -> None:
    text = """\
version: 3
evaluators:
  - exact_mach
  - length: {maxx: 1, pass_at: 3, unmet: x, name: a.b}
  - json_multi_field_match: {fields: {a: nope, "b[": exact}}
slices: 5
"""
    assert [issue.where for issue in problems(text)] == [
        "suite.yaml:1:10", "suite.yaml:3:5", "suite.yaml:4:14", "suite.yaml:4:32", "suite.yaml:4:42", "suite.yaml:4:51",
        "suite.yaml:5:42", "suite.yaml:5:48", "suite.yaml:6:9",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "place", "message"),
    [
        ("auto_json_diff: {predict_keys: yes}", 35, '"predict_keys" must be true or false; found the text "yes"'),
        (
            "json_diff_match: {predict_keys: true, extra_fields: ignore}",
            22,
            '"predict_keys" and "extra_fields" are the same setting',
        ),
        ("json_diff_match: {skip: [a], ignore: [b]}", 33, '"ignore" and "skip" are the same setting'),
        (
            "completeness: {sections: [a], required_sections: [b]}",
            34,
            '"required_sections" and "sections" are the same setting',
        ),
        ("similarity: {threshold: 0.5, pass_at: 0.6}", 17, '"threshold" and "pass_at" are the same setting'),
        (
            "exact_match: {expected: a, correct_answer_key: b}",
            31,
            '"correct_answer_key" and "expected" are the same setting',
        ),
    ],
)
def test_a_setting_in_two_words_is_named(written: str, place: int, message: str) -> None:
    (found,) = problems(f"evaluators:\n - {written}\n")
    assert (found.where, found.message) == (f"suite.yaml:2:{place}", message)


def test_the_threshold_that_wins_in_agenta_wins_here() -> None:
    found = suite("evaluators:\n  - auto_similarity_match: {threshold: 0.7, similarity_threshold: 0.6}\n")
    assert found.lines[0].settings.pass_at == 0.7
    assert '"similarity_threshold" of "similarity" is left aside, because "threshold" wins' in found.notes[2]


def test_a_mistake_in_an_old_word_stands_where_it_was_written() -> None:
    found = problem("evaluators:\n  - auto_json_diff: {threshold: 8}\n")
    assert found.where == "suite.yaml:2:33"


def test_a_retired_type_says_what_does_more() -> None:
    notes = suite("evaluators:\n  - field_match: {field: a}\n").notes
    assert notes == ('suite.yaml:2:5: "field_match" still works, but "json_multi_field_match" does more',)
