"""Which dialect a schema is written in, and the schema inside a wrapper."""

from __future__ import annotations

import pytest

from evaluators.model.settings import BadSettings
from evaluators.scoring.fields.references import pointer
from evaluators.scoring.fields.schema_keywords import dialect_of, dialects_in

X_EVAL = {"type": "string", "x-eval-compare": "exact"}
CONFIG = {"type": "string", "evaluation_config": "string_exact"}


def test_properties_and_values_are_no_keywords() -> None:
    named = {"properties": {"evaluation_config": {"type": "string"}, "x-eval-compare": {"type": "string"}}}
    assert dialects_in(named) == {}
    assert dialects_in({"default": {"evaluation_config": "skip"}, "enum": [{"x-eval-skip": True}]}) == {}


def test_both_dialects_are_refused_with_both_places() -> None:
    with pytest.raises(BadSettings) as raised:
        dialect_of({"properties": {"a": X_EVAL, "b": CONFIG}})
    (detail,) = raised.value.details
    assert pointer(detail.loc) == "#/properties/b/evaluation_config"
    assert detail.message == (
        "the schema uses two dialects: x-eval at #/properties/a/x-eval-compare, "
        "and evaluation_config at #/properties/b/evaluation_config"
    )
