"""Places of a schema as extract-bench spells them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.fields.evaluation_config import normalized_path, results_path, schema_path
from evaluators.values.path_text import ANY, BadPath


@pytest.mark.parametrize(
    ("path", "result", "normalized"),
    [
        ((), "$", "$"),
        (("a",), "$.properties.a", "a"),
        (("vendor", "name"), "$.properties.vendor.properties.name", "vendor.name"),
        (("rows", ANY), "$.properties.rows.items", "rows.items"),
        (("rows", ANY, "qty"), "$.properties.rows.items.properties.qty", "rows.items.qty"),
        (("properties",), "$.properties.properties", "properties"),
        (("items",), "$.properties.items", "items"),
        (("real_properties_count",), "$.properties.real_properties_count", "real_properties_count"),
        (("a.b",), "$.properties.a.b", "a.b"),
    ],
)
def test_paths_are_spelled_and_read(path: tuple[Any, ...], result: str, normalized: str) -> None:
    assert results_path(path) == result
    assert normalized_path(path) == normalized
    assert schema_path(result) == path


def test_choices_leave_no_step_and_further_keys_are_any() -> None:
    assert schema_path("$.properties.v.anyOf[0].properties.b") == ("v", "b")
    assert schema_path("$.properties.v.anyOf[12]") == ("v",)
    assert schema_path("$.properties.o.additionalProperties.properties.b") == ("o", ANY, "b")


@pytest.mark.parametrize("text", ["", "a.b", "$.a", "$items", "$.properties.", "$.properties"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(BadPath):
        schema_path(text)


keys = st.sampled_from(["a", "properties", "items", "a b", "é", "anyOf", "0"])


@given(st.lists(st.one_of(keys, st.just(ANY)), max_size=5).map(tuple))
def test_what_is_spelled_is_read_back(path: tuple[Any, ...]) -> None:
    assert schema_path(results_path(path)) == path
