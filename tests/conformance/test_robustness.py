"""Whatever stands in a file of recorded cases, every case ends with a finding, and none hides the others."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.__main__ import main
from tests.conformance.cases import HERE, mapping
from tests.conformance.systems import case_of, read_cases
from tests.conformance.verdicts import Finding, judge, judge_folder

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, "", "x", [], {}, [1], {"a": 1}, {"$ref": "#"}, {"type": []}, {"type": ["null"]},
    {"anyOf": [True]}, {"items": True}, {"properties": []}, {"properties": {"a": False, "b": "x"}}, [{"kind": "comparator"}],
)  # fmt: skip
GIVEN = (
    "schema", "settings", "params", "args", "gold", "extracted", "predicted", "register", "post_process", "inputs",
    "output", "expected", "actual_output", "expected_output", "error",
)  # fmt: skip


def lines() -> list[tuple[str, dict[str, Any]]]:
    files = mapping()["files"]
    texts = ((files[name], (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()) for name in sorted(files))
    return [(system, json.loads(line)) for system, found in texts for line in found[::7]]


LINES = lines()


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*place, key))


@given(st.data())
def test_a_case_with_anything_in_it_has_a_finding(data: st.DataObject) -> None:
    system, line = data.draw(st.sampled_from(LINES))
    line = copy.deepcopy(line)
    root = data.draw(st.sampled_from([key for key in GIVEN if key in line]))
    place = (root, *data.draw(st.sampled_from(list(places(line[root])))))
    inside = line
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
    verdict = judge(case_of(system, json.dumps(line), "here"))
    assert verdict.finding in Finding
    assert verdict.case.id == str(line.get("id", line.get("case")))
    assert verdict.ours is not None or verdict.broke or verdict.finding is Finding.NOT_COVERED


def test_a_line_that_cannot_be_read_disagrees_and_the_others_are_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = (HERE / "galtea.jsonl").read_text(encoding="utf-8").splitlines()[0]
    (tmp_path / "galtea.jsonl").write_text(f"not JSON\n[]\n{{}}\n{good}\n", encoding="utf-8")
    ((name, verdicts),) = judge_folder(tmp_path)
    assert name == "galtea"
    assert [verdict.finding for verdict in verdicts] == [Finding.DISAGREES] * 3 + [Finding.AGREES]
    assert [verdict.case.id for verdict in verdicts[:3]] == [f"galtea.jsonl line {number}" for number in (1, 2, 3)]
    assert main([str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert "galtea: 4 cases: 1 agree, 0 listed, 3 disagree, 0 not covered" in shown
    assert "disagrees: galtea.jsonl line 1: broke with JSONDecodeError" in shown


def test_a_case_at_which_something_breaks_is_named_with_what_broke(tmp_path: Path) -> None:
    line = {"case": "odd/1", "fn": "transform", "args": {"name": {}, "value": 1}, "expected": {"value": 1}}
    path = tmp_path / "struct_extract_eval.jsonl"
    path.write_text(json.dumps(line), encoding="utf-8")
    (case,) = read_cases(path)
    verdict = judge(case)
    assert verdict.finding is Finding.DISAGREES
    assert str(verdict).startswith("odd/1: broke with TypeError")


@pytest.mark.parametrize("rule", [None, "no such rule", 5])
@pytest.mark.parametrize("kind", ["comparator", "batch", "transform"])
def test_what_cannot_be_called_is_refused_as_it_was(kind: str, rule: Any) -> None:
    key, value = ("x-eval-transform", ["mine"]) if kind == "transform" else ("x-eval-compare", "mine")
    leaf = {"type": "string", "x-eval-compare": "exact", key: value}
    line = {
        "case": "odd", "fn": "evaluate", "schema": {"type": "object", "properties": {"a": leaf}}, "gold": [{"a": "x"}],
        "extracted": [{"a": "y"}], "post_process": None, "register": [{"kind": kind, "name": "mine", "rule": rule}],
        "error": {"type": "TypeError"},
    }  # fmt: skip
    assert judge(case_of("struct_extract_eval", json.dumps(line), "here")).finding is Finding.AGREES
