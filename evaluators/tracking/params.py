"""What a run was made with: its suite as it is written, and the fingerprints of suite and test set.

Values of `${NAME}` stay names. Neither the machine nor its folders nor the command line are among it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluators.runs.record import RunRecord
from evaluators.suite.source import as_written
from evaluators.values.flow import flow, key_text


def params_of(record: RunRecord) -> dict[str, Any]:
    """The parameters of a run, in maps: `run`, `evaluators` by name, and the other sections of the suite."""
    result = record.result
    run = {
        "suite": result.name,
        "suite_fingerprint": result.suite_fingerprint,
        "test_set": result.test_set,
        "test_set_fingerprint": result.data_fingerprint,
        "version": result.version,
    }
    if not record.facts.suite:
        return {"run": run}
    written = as_written(record.folder / record.facts.suite)
    names = [one.name for one in record.facts.evaluators]
    evaluators = dict(zip(names, written.pop("evaluators"), strict=True))
    return {"run": run, "evaluators": evaluators, "suite": written}


def params_yaml(params: Mapping[str, Any]) -> str:
    """The parameters as YAML."""
    return "\n".join(_lines(params, "")) + "\n"


def _lines(data: Mapping[str, Any], margin: str) -> Iterator[str]:
    for key, value in data.items():
        if isinstance(value, Mapping) and value:
            yield f"{margin}{key_text(key)}:"
            yield from _lines(value, f"{margin}  ")
        else:
            yield f"{margin}{key_text(key)}: {flow(value)}"
