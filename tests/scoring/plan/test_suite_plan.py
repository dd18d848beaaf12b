"""A suite run over rows: what waits, what is left out, and how far a problem reaches."""

from __future__ import annotations

import gc
import json
import re
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.rows import MISSING, Result, RowStatus
from evaluators.scoring.comparators._answer_cache import cache_in_force
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator, Measured, Needs
from evaluators.scoring.plan.need_steps import Reading
from evaluators.scoring.plan.suite_plan import Plan, compile_plan
from evaluators.suites.config import read_config
from evaluators.suites.source import loads
from tests.laws.structures import OBJECTS

ROLES = {role: role for role in ("id", "input", "output", "expected")}


class Moody(Evaluator):
    """Does what the output says: a score, or a way to fail."""

    type: Literal["moody"] = "moody"

    def needs(self) -> Needs:
        return (self.column("output"),)

    def measure(self, *values: Any) -> Measured:
        if values[0] == "crash":
            raise ZeroDivisionError("nobody foresaw this")
        if values[0] == "timeout":
            raise RowProblem(Issue("timeout", Blame.ENVIRONMENT, "the judge timed out"))
        if values[0] == "unusable":
            raise RowProblem(Issue("unusable", Blame.TESTSET, "the expected value is unusable"))
        if values[0] == "nothing":
            return 0, 0
        return float(values[0])


@pytest.fixture(autouse=True)
def moody() -> None:
    """Types of the tests are known to each test."""
    BUILTIN.register("moody", Moody)


def plan(text: str, reading: Reading | None = None) -> Plan:
    return compile_plan(read_config(loads(text)).lines, ROLES, reading)


def verdicts(text: str, reading: Reading | None = None, /, **cells: Any) -> dict[str, Result]:
    """The verdicts of one row, which agree with what `explain` says of it."""
    made = plan(text, reading)
    slots = made.run({name: [value] for name, value in cells.items()}, 1)
    found = {one.line.name: slots[one.verdicts][0] for one in made.evaluators}
    for name, result in made.explain(cells).items():
        agrees(found[name], result)
    return found


def agrees(verdict: Result, result: Result) -> None:
    assert result.status is verdict.status
    assert result.issue == verdict.issue or verdict.status is RowStatus.BUG
    if result.score is not None:
        assert result.status is verdict.status
        assert (result.score, result.passed) == (verdict.score, verdict.passed)
    elif verdict.status.scored:
        pytest.fail("a scored row is explained")


def row_statuses(text: str, reading: Reading | None = None, /, **cells: Any) -> dict[str, str]:
    return {name: verdict.status.word for name, verdict in verdicts(text, reading, **cells).items()}


# Needs

NEEDS = """
evaluators:
  - contains_json: {name: gate}
  - json_multi_field_match: {name: child, needs: [gate], fields: [a, b]UNMET}
  - json_diff_match: {name: grandchild, needs: [child]}
"""


def test_a_row_whose_need_passes_is_judged() -> None:
    found = verdicts(NEEDS.replace("UNMET", ""), output='{"a": 1}', expected='{"a": 1}')
    assert [verdict.score for verdict in found.values()] == [1.0, 1.0, 1.0]


def test_a_row_whose_need_does_not_pass_is_blocked_and_counts_0() -> None:
    found = verdicts(NEEDS.replace("UNMET", ""), output="prose", expected='{"a": 1}')
    assert found["gate"].score == 0.0
    for name in ("child", "grandchild"):
        assert (found[name].status, found[name].score, found[name].passed) == (RowStatus.BLOCKED, 0.0, False)
    assert found["child"].statuses == bytes([3, 0])
    assert found["grandchild"].counts == (0, 0, 1, 0)


def test_a_blocked_row_can_be_left_out() -> None:
    found = row_statuses(NEEDS.replace("UNMET", ", unmet: skip"), output="prose", expected='{"a": 1}')
    assert found == {"gate": "scored", "child": "skipped", "grandchild": "skipped"}


def test_a_blocked_row_is_never_better_than_a_judged_one() -> None:
    text = """
evaluators:
  - moody: {name: gate}
  - json_diff_match: {name: child, needs: [gate], output: answer}
"""
    judged = verdicts(text, output="1", answer='{"a": 1}', expected='{"a": 1, "b": 2}')["child"]
    blocked = verdicts(text, output="0", answer='{"a": 1}', expected='{"a": 1, "b": 2}')["child"]
    assert (judged.score, blocked.score) == (0.5, 0.0)


def test_a_bad_expected_cell_is_the_test_set_s_also_in_a_blocked_row() -> None:
    assert row_statuses(NEEDS.replace("UNMET", ""), output="prose", expected="{")["child"] == "invalid"


@pytest.mark.parametrize(
    "child",
    [
        "json_multi_field_match: {name: child, needs: [gate], fields: {a: date}}",
        "json_multi_field_match: {name: child, needs: [gate], fields: {a: {numeric: {parse: true}}}}",
        "schema_match: {name: child, needs: [gate], fields: {a: date}}",
        "schema_match: {name: child, needs: [gate], schema: {properties: {a: {type: string, x-eval-compare: date}}}}",
    ],
)
def test_an_expected_value_that_cannot_be_read_is_the_test_set_s_also_in_a_blocked_row(child: str) -> None:
    text = f"evaluators:\n  - contains_json: {{name: gate}}\n  - {child}\n"
    for output in ("prose", '{"a": "2024-05-31"}'):
        found = verdicts(text, output=output, expected='{"a": "someday"}')["child"]
        assert (found.status, found.score) == (RowStatus.INVALID, None)
        assert found.issue is not None
        assert found.issue.blame is Blame.TESTSET


@pytest.mark.parametrize(
    ("output", "status"), [("timeout", "unjudged"), ("unusable", "invalid"), ("crash", "bug"), ("nothing", "skipped")]
)
def test_a_need_without_a_score_leaves_the_child_without_one(output: str, status: str) -> None:
    text = "evaluators:\n  - moody\n  - exact_match: {needs: [moody]}\n"
    found = verdicts(text, output=output, expected="x")
    assert found["exact_match"].status.word == status
    if status != "skipped":
        assert found["exact_match"].issue == found["moody"].issue


def test_a_row_that_a_condition_excludes_is_skipped_and_so_is_what_needs_it() -> None:
    text = """
evaluators:
  - exact_match: {when: {row.kind: [a, b]}}
  - contains_json: {needs: [exact_match]}
"""
    row = {"output": "x", "expected": "y"}
    assert row_statuses(text, kind="a", **row) == {"exact_match": "scored", "contains_json": "blocked"}
    assert row_statuses(text, kind="c", **row) == {"exact_match": "skipped", "contains_json": "skipped"}
    assert row_statuses(text, **row) == {"exact_match": "skipped", "contains_json": "skipped"}


def test_a_condition_looks_at_the_columns_of_its_evaluator() -> None:
    text = """
evaluators:
  - json_diff_match: {name: one, when: {output.kind: x, expected.kind: x}}
  - json_diff_match: {name: two, output: o2, correct_answer_key: e2, when: {output.kind: x, expected.kind: x}}
"""
    x, y = '{"kind": "x"}', '{"kind": "y"}'
    assert row_statuses(text, output=x, expected=x, o2=y, e2=x) == {"one": "scored", "two": "skipped"}
    assert row_statuses(text, output=x, expected=y, o2=x, e2=x) == {"one": "skipped", "two": "scored"}


def test_conditions_that_only_look_alike_are_told_apart() -> None:
    text = """
evaluators:
  - exact_match: {name: one, when: {output.a: 1}}
  - exact_match: {name: yes, when: {output.a: true}}
"""
    assert row_statuses(text, output='{"a": 1}', expected="x") == {"one": "scored", "yes": "skipped"}
    assert row_statuses(text, output='{"a": true}', expected="x") == {"one": "skipped", "yes": "scored"}


def test_what_is_excluded_is_skipped_whatever_its_needs_say() -> None:
    text = "evaluators:\n  - moody\n  - exact_match: {needs: [moody], when: {row.kind: a}}\n"
    assert row_statuses(text, output="crash", expected="x", kind="b")["exact_match"] == "skipped"


# Composites


def combined(
    kind: str, *outputs: str, weights: tuple[float, ...] = (), when: bool = False, pass_at: float = 0.5
) -> Result:
    """The verdict of a composite over moody parts, each of which reads a column of its own."""
    names = [f"p{number}" for number in range(len(outputs))]
    of = dict(zip(names, weights, strict=True)) if weights else names
    text = "evaluators:\n" + "".join(f"  - moody: {{name: {name}, output: {name}, pass_at: 1}}\n" for name in names)
    text += f"  - {kind}: {{name: it, of: {json.dumps(of)}, pass_at: {pass_at}{', when: {row.no: 1}' if when else ''}}}\n"
    return verdicts(text, **dict(zip(names, outputs, strict=True)))["it"]


@pytest.mark.parametrize(
    ("kind", "outputs", "value"),
    [
        ("weighted_mean", ["1", "0", "0.5"], 0.5),
        ("weighted_mean", ["1", "nothing", "0.5"], 0.75),
        ("weighted_mean", ["1", "timeout"], "unjudged"),
        ("weighted_mean", ["nothing", "nothing"], "skipped"),
        ("all_of", ["1", "1"], 1.0),
        ("all_of", ["1", "0.9"], 0.0),
        ("all_of", ["1", "nothing"], 1.0),
        ("all_of", ["0", "crash"], 0.0),
        ("all_of", ["1", "crash"], "bug"),
        ("all_of", ["nothing"], "skipped"),
        ("any_of", ["0", "1"], 1.0),
        ("any_of", ["0", "0.9"], 0.0),
        ("any_of", ["1", "timeout"], 1.0),
        ("any_of", ["0", "unusable"], "invalid"),
        ("any_of", ["0", "nothing"], 0.0),
        ("min_of", ["0.4", "0.9"], 0.4),
        ("min_of", ["0.4", "nothing"], 0.4),
        ("min_of", ["0.4", "timeout"], "unjudged"),
        ("max_of", ["0.4", "0.9"], 0.9),
        ("max_of", ["nothing", "nothing"], "skipped"),
    ],
)
def test_a_composite_is_made_of_its_parts(kind: str, outputs: list[str], value: float | str) -> None:
    found = combined(kind, *outputs)
    if isinstance(value, str):
        assert (found.status.word, found.score, found.passed) == (value, None, None)
    else:
        assert (found.status, found.score, found.passed) == (RowStatus.SCORED, value, value >= 0.5)


def test_weights_are_renormalised_over_the_parts_that_are_there() -> None:
    assert combined("weighted_mean", "1", "0", "nothing", weights=(3, 1, 100)).score == 0.75
    assert combined("weighted_mean", "0.5", "nothing", weights=(0, 1)).status is RowStatus.SKIPPED


@pytest.mark.parametrize(
    ("kind", "outputs", "weights", "limit"),
    [
        ("weighted_mean", ["1", "0"], (3, 1), 0.75),
        ("weighted_mean", ["1", "0"], (1, 2), 1 / 3),
        ("weighted_mean", ["1", "0"], (0.7, 0.3), 0.7),
        ("min_of", ["0.4", "0.9"], (), 0.4),
        ("max_of", ["0.4", "0.9"], (), 0.9),
        ("all_of", ["1", "1"], (), 1.0),
        ("any_of", ["0", "1"], (), 1.0),
    ],
)
def test_a_composite_at_its_very_limit_passes(
    kind: str, outputs: list[str], weights: tuple[float, ...], limit: float
) -> None:
    assert combined(kind, *outputs, weights=weights, pass_at=limit).passed is True
    if limit < 1:
        assert combined(kind, *outputs, weights=weights, pass_at=limit + 1e-9).passed is False


def test_a_composite_that_a_condition_excludes_has_no_score() -> None:
    assert combined("all_of", "1", "1", when=True).status is RowStatus.SKIPPED


def test_a_blocked_part_counts_0_in_a_composite() -> None:
    text = """
evaluators:
  - moody
  - contains_json: {name: child, needs: [moody]}
  - weighted_mean: {of: [child, moody]}
  - all_of: {of: [child]}
"""
    found = verdicts(text, output="0.5")
    assert found["child"].status is RowStatus.BLOCKED
    assert (found["weighted_mean"].score, found["all_of"].score) == (0.25, 0.0)


def test_composites_may_be_parts_and_needs() -> None:
    text = """
evaluators:
  - all_of: {name: top, of: [middle]}
  - any_of: {name: middle, of: [moody]}
  - moody: {name: after, needs: [top]}
  - moody
"""
    assert [verdict.score for verdict in verdicts(text, output="1").values()] == [1.0] * 4


# How far a problem reaches


def test_a_fault_reaches_only_the_evaluators_that_need_its_cell() -> None:
    text = """
evaluators:
  - json_diff_match
  - exact_match
  - contains_json
  - json_diff_match: {name: other, correct_answer_key: other_answer}
"""
    found = row_statuses(text, output='{"a": 1}', expected="{broken", other_answer='{"a": 1}')
    assert found == {"json_diff_match": "invalid", "exact_match": "scored", "contains_json": "scored", "other": "scored"}


def test_a_fault_reaches_only_its_own_row() -> None:
    made = plan("evaluators: [json_diff_match]")
    columns = {"output": ['{"a": 1}'] * 3, "expected": ['{"a": 1}', "{", '{"a": 1}']}
    found = made.run(columns, 3)[made.evaluators[0].verdicts]
    assert [verdict.status for verdict in found] == [RowStatus.SCORED, RowStatus.INVALID, RowStatus.SCORED]


def test_a_bug_costs_one_verdict() -> None:
    made = plan("evaluators: [moody, contains_json]")
    slots = made.run({"output": ["1", "crash", "0"]}, 3)
    moody, other = (slots[one.verdicts] for one in made.evaluators)
    assert [verdict.status for verdict in moody] == [RowStatus.SCORED, RowStatus.BUG, RowStatus.SCORED]
    assert {verdict.status for verdict in other} == {RowStatus.SCORED}
    issue = moody[1].issue
    assert issue.blame is Blame.BUG
    assert issue.message == "ZeroDivisionError: nobody foresaw this"
    assert "Traceback" in issue.hint


class Wordless(Moody):
    """Scores, and fails when it is asked why."""

    type: Literal["wordless"] = "wordless"  # type: ignore[assignment]  # another type of the same kind

    def measure(self, *values: Any) -> bool:
        return True

    def reason(self, *values: Any) -> str:
        if values[0] == "2":
            raise RowProblem(Issue("slow", Blame.ENVIRONMENT, "it took too long"))
        raise LookupError("no words")


@pytest.mark.parametrize(("output", "said"), [("1", "LookupError: no words"), ("2", "it took too long")])
def test_a_score_that_cannot_be_explained_is_kept(output: str, said: str) -> None:
    BUILTIN.register("wordless", Wordless, overwrite=True)
    result = plan("evaluators: [wordless]").explain({"output": output})["wordless"]
    assert result.status is RowStatus.SCORED
    assert result.score is not None
    assert result.reason == f"it could not be explained: {said}"
    assert result.issue is not None
    assert result.issue.message == said


# Reading


def test_an_unreadable_output_scores_0_unless_it_is_left_out() -> None:
    row = {"output": "prose", "expected": '{"a": 1}'}
    found = verdicts("evaluators: [json_diff_match]", **row)["json_diff_match"]
    assert (found.status, found.score, found.counts) == (RowStatus.UNREADABLE, 0.0, (0, 0, 1, 0))
    left_out = verdicts("evaluators: [json_diff_match]", Reading(unreadable="skip"), **row)["json_diff_match"]
    assert (left_out.status, left_out.score) == (RowStatus.SKIPPED, None)
    assert left_out.issue is not None
    assert left_out.issue.blame is Blame.OUTPUT


def test_prose_around_json_is_set_aside_unless_reading_is_strict() -> None:
    row = {"output": 'Here: {"a": 1}', "expected": '{"a": 1}'}
    lenient, strict = "evaluators: [json_diff_match]", "evaluators:\n  - json_diff_match: {parse: strict}\n"
    loose = "evaluators:\n  - json_diff_match: {parse: lenient}\n"
    assert verdicts(lenient, **row)["json_diff_match"].score == 1.0
    assert verdicts(strict, **row)["json_diff_match"].status is RowStatus.UNREADABLE
    assert verdicts(lenient, Reading(parse="strict"), **row)["json_diff_match"].status is RowStatus.UNREADABLE
    assert verdicts(loose, Reading(parse="strict"), **row)["json_diff_match"].score == 1.0


def test_a_missing_output_is_the_model_s_and_a_missing_answer_the_test_set_s() -> None:
    assert row_statuses("evaluators: [json_diff_match]", expected="{}") == {"json_diff_match": "unreadable"}
    assert row_statuses("evaluators: [json_diff_match]", output="{}") == {"json_diff_match": "invalid"}
    assert row_statuses("evaluators: [json_diff_match]", output="{}", expected=" ") == {"json_diff_match": "invalid"}


AT = """
evaluators:
  - json_diff_match: {name: diff AT}
  - json_multi_field_match: {name: listed AT, fields: {a: exact, b.a: numeric}}
  - schema_match: {name: schema AT, fields: {a: exact}}
  - exact_match: {name: exact AT}
  - similarity: {name: alike AT}
  - json_diff_match: {name: waits AT, needs: [diff AT], when: {output.a: {present: true}}}
"""
ALONE = AT.replace(" AT", "")
INSIDE = re.sub(r"name: (\w+) AT", r'name: \1, at: "result[0].x"', AT).replace(" AT", "")


@given(OBJECTS, OBJECTS | st.just(MISSING), st.sampled_from(["{}", "See:\n```json\n{}\n``` done", '{{"y": 1}} {}']))
def test_a_document_inside_of_json_scores_what_it_scores_alone(expected: Any, output: Any, frame: str) -> None:
    """A document at a path is scored as it is alone, by every type, and one that is not there as no output."""

    def inside(document: Any) -> Any:
        return {"id": 7, "result": [{"y": None} if document is MISSING else {"x": document}]}

    alone = verdicts(ALONE, output=output, expected=expected)
    assert {name: replace(one, issue=None) for name, one in alone.items()} == {
        name: replace(one, issue=None)
        for name, one in verdicts(
            INSIDE, output=frame.format(json.dumps(inside(output))), expected=json.dumps(inside(expected))
        ).items()
    }
    assert all(
        one.status is RowStatus.INVALID
        for name, one in verdicts(INSIDE, output=inside(output), expected=inside(MISSING)).items()
        if name != "waits"
    )


def test_one_cell_is_read_once_however_many_evaluators_need_it() -> None:
    made = plan("evaluators:\n  - json_diff_match\n  - json_multi_field_match: {fields: [a]}\n  - json_field_match\n")
    does = [step.does for step in made.steps]
    assert does.count("expected document in expected") == 1
    assert sum(each.startswith("JSON in output") for each in does) == 1
    assert len(does) == len(set(does))


CELLS: list[Any] = [
    '{"a": 1}', '{"a": 2, "b": [1]}', "{}", "[]", "[1]", "1", "null", '"x"', "", "prose", '```json\n{"a": 1}\n```',
    '[{"a": 1}] and {"a": 1}', {"a": 1}, [1], None, 3, True,
]  # fmt: skip


@pytest.mark.parametrize("reading", [Reading(), Reading(parse="strict"), Reading(unreadable="skip")], ids=repr)
def test_what_is_explained_is_what_was_run_and_what_is_scored_alone(reading: Reading) -> None:
    text = """
evaluators:
  - json_diff_match: {extra_fields: penalize}
  - json_multi_field_match: {fields: [a, "b[*]"]}
  - json_field_match
  - json_field_match_normalized
  - field_match: {field: a}
  - exact_match
  - contains_json
  - weighted_mean: {of: [json_diff_match, exact_match]}
"""
    made = plan(text, reading)
    pairs = [(output, expected) for output in CELLS for expected in CELLS]
    slots = made.run({"output": [pair[0] for pair in pairs], "expected": [pair[1] for pair in pairs]}, len(pairs))
    for index, (output, expected) in enumerate(pairs):
        for name, result in made.explain({"output": output, "expected": expected}).items():
            one = next(each for each in made.evaluators if each.line.name == name)
            agrees(slots[one.verdicts][index], result)
            if reading == Reading() and name != "weighted_mean" and result.score is not None:
                alone = one.line.settings.score(output, expected)
                assert (alone.score, alone.passed) == (result.score, result.passed)


@pytest.mark.slow
def test_what_was_found_in_a_chunk_is_let_go_of_when_nobody_asks_any_more() -> None:
    fields = "{fields: {a: exact, 'l[*].x': exact, l: {align: hungarian}}}"
    found = plan(f"evaluators: [{{schema_match: {fields}}}, {{json_multi_field_match: {fields}}}]")
    cells = {"output": ['{"a": 2, "l": [{"x": 2}, {"x": 1}]}', "no"] * 20, "expected": ['{"a": 1, "l": [{"x": 1}]}'] * 40}

    def ask() -> None:
        with cache_in_force(), found.score_chunk(cells, 40) as slots:
            for one in found.evaluators:
                for row in range(40):
                    assert found.explain_from(one, slots, row).score is not None

    gc.collect()
    gc.disable()
    try:
        ask()
        before = len(gc.get_objects())
        for _ in range(10):
            ask()
        assert len(gc.get_objects()) - before < 200
    finally:
        gc.enable()
