"""promptfoo's results (`promptfoo eval -o results.json`): its tests, the outputs that it got, and what it said of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from evaluators.guide.converting.promptfoo_tests import PromptfooTest
from evaluators.guide.converting.promptfoo_values import column_of_variable
from evaluators.guide.converting.sources import (
    document_tree,
    items,
    json_lines,
    named_spot,
    plain_data,
    text_of,
    tree_at,
    value_at,
)

_MARKS: Final = ("gradingResult", "testCase", "testIdx", "success")
"""The keys of a result, of which it has two at least."""
_OF_PROMPTFOO: Final = ("_conversation",)
"""Variables that promptfoo adds."""


def results_in(file: Path) -> list[Mapping[str, Any]]:
    """The results in a file, in its order; none where it is no file of results. Raises Problems (config) where it cannot be read."""
    suffix = file.suffix.lower()
    if suffix == ".jsonl":
        records: Any = [value for _, value in json_lines(file)]
    elif suffix == ".json":
        records = _result_list(_json_or_none(file))
    elif suffix in (".yaml", ".yml") and re.search(r"(?m)^results\s*:", text_of(file)):
        records = _result_list(plain_data(document_tree(file)))
    else:
        records = None
    return records if isinstance(records, list) and records and all(map(_is_result, records)) else []


def _json_or_none(file: Path) -> Any:
    """The value in a JSON file; None where the file is no JSON. Raises Problems (config) where it cannot be read."""
    try:
        return json.loads(text_of(file))
    except (ValueError, RecursionError):
        return None


def _result_list(data: Any) -> Any:
    """The list of results in the data of a file: it stands below `results`, or below `results` in `results`, by the version of promptfoo.
    Anything else is given back as it is there."""
    results = data.get("results") if isinstance(data, dict) else None
    return results.get("results") if isinstance(results, dict) else results


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and sum(mark in value for mark in _MARKS) > 1


def result_tests(file: Path, results: list[Mapping[str, Any]]) -> Iterator[PromptfooTest]:
    """A test with one row for each result, in order. A transform of the whole test is not applied again: the outputs in results are what it
    left."""
    several = len({_provider(result) for result in results}) > 1
    for number, result in enumerate(results, 1):
        test, graded = _map_or_empty(result.get("testCase")), _map_or_empty(result.get("gradingResult"))
        parts = graded.get("componentResults")
        case = tree_at(test, named_spot(f"{file} row {number}"))
        asserts = items(value_at(case, "assert")) or [
            tree_at(part["assertion"], case.spot)
            for part in (parts if isinstance(parts, list) else ())
            if isinstance(part, dict) and isinstance(part.get("assertion"), dict)
        ]
        variables = _map_or_empty(result.get("vars")) or _map_or_empty(test.get("vars"))
        cells = {column_of_variable(name): value for name, value in variables.items() if name not in _OF_PROMPTFOO}
        if isinstance(described := test.get("description"), str):
            cells.setdefault("description", described)
        if several:
            cells.setdefault("provider", _provider(result))
        if isinstance(prompt := _map_or_empty(result.get("prompt")).get("raw", result.get("prompt")), str):
            cells.setdefault("prompt", prompt)
        cells["output"] = _map_or_empty(result.get("response")).get("output")
        passed = next((flag for flag in (result.get("success"), graded.get("pass")) if isinstance(flag, bool)), None)
        yield PromptfooTest(cells, asserts, value_at(case, "threshold"), passed=passed)


def _provider(result: Mapping[str, Any]) -> str:
    """The label of the provider that gave the output, or its id."""
    provider = result.get("provider")
    if isinstance(provider, dict):
        return str(provider.get("label") or provider.get("id") or "")
    return str(provider or "")


def _map_or_empty(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
