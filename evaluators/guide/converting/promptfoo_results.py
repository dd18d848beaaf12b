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
    plain,
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
        records = _listed(_json(file))
    elif suffix in (".yaml", ".yml") and re.search(r"(?m)^results\s*:", text_of(file)):
        records = _listed(plain(document_tree(file)))
    else:
        records = None
    return records if isinstance(records, list) and records and all(map(_is_result, records)) else []


def _json(file: Path) -> Any:
    """The value in a file of JSON; None where it is none."""
    try:
        return json.loads(text_of(file))
    except (ValueError, RecursionError):
        return None


def _listed(data: Any) -> Any:
    """The list of results, which stands below `results` once or twice, as versions of promptfoo have it."""
    results = data.get("results") if isinstance(data, dict) else None
    return results.get("results") if isinstance(results, dict) else results


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and sum(mark in value for mark in _MARKS) > 1


def result_tests(file: Path, results: list[Mapping[str, Any]]) -> Iterator[PromptfooTest]:
    """One row for each result. A transform of the whole test is no more to be done: outputs are kept as it left them."""
    several = len({_provider(result) for result in results}) > 1
    for number, result in enumerate(results, 1):
        test, graded = _map(result.get("testCase")), _map(result.get("gradingResult"))
        parts = graded.get("componentResults")
        case = tree_at(test, named_spot(f"{file} row {number}"))
        asserts = items(value_at(case, "assert")) or [
            tree_at(part["assertion"], case.spot)
            for part in (parts if isinstance(parts, list) else ())
            if isinstance(part, dict) and isinstance(part.get("assertion"), dict)
        ]
        variables = _map(result.get("vars")) or _map(test.get("vars"))
        cells = {column_of_variable(name): value for name, value in variables.items() if name not in _OF_PROMPTFOO}
        if isinstance(described := test.get("description"), str):
            cells.setdefault("description", described)
        if several:
            cells.setdefault("provider", _provider(result))
        if isinstance(prompt := _map(result.get("prompt")).get("raw", result.get("prompt")), str):
            cells.setdefault("prompt", prompt)
        cells["output"] = _map(result.get("response")).get("output")
        passed = next((flag for flag in (result.get("success"), graded.get("pass")) if isinstance(flag, bool)), None)
        yield PromptfooTest(cells, asserts, value_at(case, "threshold"), passed=passed)


def _provider(result: Mapping[str, Any]) -> str:
    """The label of the provider that gave the output, or its id."""
    provider = result.get("provider")
    return (
        str(_map(provider).get("label") or _map(provider).get("id") or "")
        if isinstance(provider, dict)
        else str(provider or "")
    )


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
