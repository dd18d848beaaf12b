"""A first suite for answers that stand in a spreadsheet: a column for each field, called like the key that outputs have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators import load
from evaluators.guide.field_columns import field_columns
from tests.kit import cli, read_yaml, write_files

CASES: Final = read_yaml(Path(__file__).with_name("field_columns.yaml"))


@pytest.mark.parametrize("case", CASES, ids=[case["it"] for case in CASES])
def test_init_sees_a_column_for_each_field(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, case["files"])
    made = cli("init", *case["words"])
    assert made.exit_code == 0, made.output
    file = re.findall(r"^wrote (.*\.yaml): a suite", made.stdout, re.MULTILINE)[0]
    suite = read_yaml(Path(file))
    assert suite["test_set"] == case["test_set"]
    if "fields" in case:
        assert suite["evaluators"][1]["fields"] == case["fields"]
    if "score" in case:
        stats = {one.name: one for one in load(file).run().result.evaluators}["fields"]
        assert (stats.mean, stats.scored) == (case["score"], stats.rows)


NAMES: Final = st.lists(
    st.sampled_from(["vendor", "total", "Due Date", "order number", "vat_id", "país"]), min_size=1, unique=True
)


@given(NAMES, st.data())
def test_every_column_finds_its_key_however_it_is_spelt(keys: list[str], data: st.DataObject) -> None:
    spelt = {
        key: data.draw(st.sampled_from([key, key.upper(), key.replace(" ", "_"), f"{key}_gold", f"Expected {key}"]))
        for key in keys
    }
    others = data.draw(st.permutations([*spelt.values(), "id", "note"]))
    assert field_columns(keys, others, ["id"]) == spelt
    assert field_columns(keys, ["note", "source"], []) == {}
