"""Writes `evaluation_config` where a schema leaves it out, so that a person can review it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from evaluators.fields.dialects import EVALUATION_CONFIG
from evaluators.fields.references import CHOICES
from evaluators.fields.xeval.structure import types_of

Schema = TypeVar("Schema", bound=dict[str, Any])

WITHOUT_JUDGE: Final[Mapping[str, str]] = {
    "string": "string_exact",
    "number": "number_tolerance",
    "integer": "integer_exact",
    "boolean": "boolean_exact",
}
"""What is written for a value of a type. The dialect's own default for text is `string_semantic`, which asks a judge."""
_ADDRESSES: Final = ("uri", "url", "iri")


def annotate_evaluation_config(schema: Schema) -> Schema:
    """Give every value of one plain type the word that compares it, and return the same schema.

    Places that have an `evaluation_config` stay as they are. Lists and objects get none: what stands in them is compared.
    """
    waiting: list[Any] = [schema]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if not isinstance(one, dict) or id(one) in seen or EVALUATION_CONFIG in one:
            continue
        seen.add(id(one))
        word = WITHOUT_JUDGE.get(types_of(one).one or "") if "type" in one and "$ref" not in one else None
        if word is not None:
            one[EVALUATION_CONFIG] = "string_url" if one.get("format") in _ADDRESSES else word
            continue
        for name in ("properties", "$defs", "definitions"):
            waiting.extend(one[name].values() if isinstance(one.get(name), dict) else ())
        for name in ("allOf", *CHOICES):
            waiting.extend(one[name] if isinstance(one.get(name), list) else ())
        waiting.extend((one.get("items"), one.get("additionalProperties")))
    return schema
