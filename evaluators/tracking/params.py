"""What a run was made with: its suite as it is written, and the fingerprints of suite and test set.

Values of `${NAME}` stay names. Neither the machine nor its folders nor the command line are among it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from evaluators.run.reader import Run
from evaluators.suite.presets import PRESETS
from evaluators.suite.source import as_written
from evaluators.tracking.metric_names import field_name, segment
from evaluators.values.flow import flow, key_text
from evaluators.values.small_files import reading_inside


def params_of(record: Run) -> dict[str, Any]:
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
    with reading_inside(record.place, PRESETS):
        written = as_written(record.place / record.facts.suite)
    names = [one.name for one in record.facts.evaluators]
    evaluators = dict(zip(names, written.pop("evaluators"), strict=True))
    return {"run": run, "evaluators": evaluators, "suite": written}


def flat_params(record: Run) -> dict[str, str]:
    """The same as one text for each name, such as `evaluator/header/field/items.each.price`; sorted.

    A value is in YAML's one-line spelling; that of a field has its path as the suite spells it.
    Raises ValueError should two settings ever come to the same name.
    """
    params = params_of(record)
    found: dict[str, str] = {}
    pairs = [(f"run/{key}", value) for key, value in params["run"].items()]
    pairs += [(f"suite/{segment(key)}", value) for key, value in params.get("suite", {}).items()]
    for name, written in params.get("evaluators", {}).items():
        pairs += [(f"evaluator/{segment(name)}/{key}", value) for key, value in _settings(written)]
    for key, value in pairs:
        if key in found:
            raise ValueError(f"two settings are called {key}")
        found[key] = value if isinstance(value, str) else flow(value)
    return dict(sorted(found.items()))


def environment_of(record: Run) -> dict[str, str]:
    """The machine, the folders and the command line of a run, which a platform is told only when somebody asks for it."""
    known = record.result.environment
    if known is None:
        return {}
    found = {"host": known.host, "folder": known.folder, "suite": known.suite, "command": shlex.join(known.command)}
    return {name: value for name, value in found.items() if value}


def _settings(written: Any) -> Iterator[tuple[str, Any]]:
    """The settings of an evaluator as it is written: a word, a map with one key, or the long form."""
    if isinstance(written, str):
        yield "type", written
        return
    if "type" not in written and len(written) == 1:
        ((word, options),) = written.items()
        written = {"type": word, **(options if isinstance(options, Mapping) else {})}
    for key, value in written.items():
        if key == "fields" and isinstance(value, Mapping):
            yield from ((f"field/{field_name(path)}", {path: rule}) for path, rule in value.items())
        else:
            yield (key if key == "type" else f"setting/{segment(key)}"), value


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
