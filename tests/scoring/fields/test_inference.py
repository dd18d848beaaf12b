"""A schema made of expected documents compares as the suite that `init` writes for the same rows, by every way to it."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.scoring.fields.expected_check import check_expected
from evaluators.scoring.fields.inference.schema import infer_schema
from evaluators.scoring.fields.xeval import read_xeval
from tests.kit import cli

EXPECTED = [
    {
        "no": f"A-{number}", "seller": f"Müller {'Söhne' if number % 2 else 'Co'} {number}", "issued": f"2024-05-{number + 1:02}",
        "total": 10.5 + number, "paid": number % 2 == 0, "note": None if number % 3 else f"hand over at gate {number}",
        "lines": [{"sku": f"s{number}", "qty": 1}, {"sku": f"t{number}", "qty": 2}], "tags": ["new", f"tag {number}"],
        "sizes": [1, number], "odd": number if number % 2 else "none", "a.b": {"x": number},
    }
    for number in range(12)
]  # fmt: skip


def changed(document: dict[str, Any], number: int) -> dict[str, Any]:
    """What a model might give: other spellings that are right, and some things that are wrong."""
    output = json.loads(json.dumps(document))
    output["seller"] = output["seller"].upper().replace("Ü", "U")
    output["lines"].reverse()
    output["tags"].reverse()
    if number % 4 == 0:
        output["lines"][0]["qty"] = 9
        output["note"] = "made up"
    if number % 5 == 0:
        del output["issued"]
    if number % 6 == 0:
        output["sizes"].append(3)
    return output


def rows_file(folder: Path, pairs: Sequence[tuple[Any, Any]]) -> Path:
    with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "expected", "output"])
        writer.writerows([number, json.dumps(one), json.dumps(other)] for number, (one, other) in enumerate(pairs))
    return folder / "rows.csv"


def test_init_infer_schema_and_python_give_the_same_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = rows_file(tmp_path, [(one, changed(one, number)) for number, one in enumerate(EXPECTED)])
    assert cli("init", "rows.csv", "-o", "begun.yaml").exit_code == 0
    assert cli("infer-schema", "rows.csv", "-o", "made.schema.json").exit_code == 0
    results = [
        evaluators.evaluate(rows, "begun.yaml"),
        evaluators.evaluate(rows, schema="made.schema.json"),
        evaluators.evaluate(rows, schema="infer"),
        evaluators.evaluate(rows, schema=evaluators.infer_schema(EXPECTED)),
        evaluators.evaluate(rows, {"evaluators": [{"schema_match": {"name": "fields", "schema": "infer"}}]}),
    ]
    figures = [(result["fields"].mean, result["fields"].metrics) for result in results]
    assert 0.5 < results[0]["fields"].mean < 1
    assert figures == [figures[0]] * len(figures)


def test_x_eval_nulls_is_one_of_two_words() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "x-eval-nulls": "nothing"}
    with pytest.raises(evaluators.Problems, match='"x-eval-nulls" is value or absent; found'):
        evaluators.load({"evaluators": [{"schema_match": {"schema": schema}}]})


def test_a_default_of_a_type_comes_before_what_fits_the_values() -> None:
    schema = infer_schema([{"a": "2024-05-01", "b": 1}], {"string": "fuzzy"})
    assert [one["x-eval-compare"] for one in schema["properties"].values()] == ["fuzzy", "numeric"]


def test_no_document_at_all_is_a_problem() -> None:
    with pytest.raises(evaluators.Problems, match="no documents"):
        infer_schema([])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON, min_size=1, max_size=4))
def test_documents_fit_the_schema_made_of_them(documents: list[Any]) -> None:
    found = check_expected(documents, read_xeval(infer_schema(documents)), warn_missing=False, strict_types=True)
    assert [one for one in found if one.level == "error"] == []
