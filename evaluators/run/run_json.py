"""A run as JSON and back: `run.json` is the contract that reports, comparisons and other programs read.

Keys are sorted and numbers are shortest round trips, so the same run is the same bytes. What may differ between two runs
of the same bytes (times, host, workers) is not part of it.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from evaluators.issues import UPGRADE_HINT, Problems, escaped_halves, problem
from evaluators.run.result import Environment, EvaluatorStats, RunResult
from evaluators.run.run_json_checks import impossible
from evaluators.value_class import field_names, replace
from evaluators.values.small_files import NoSmallFile, read_small

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Kind = TypeVar("Kind")

FORMAT: Final = 2
"""The version of the file's shape. A key may be added within a version; a meaning never changes."""


def run_json(result: RunResult, record: object = None) -> str:
    """The text of `run.json`: in a run folder with what readers of its rows need to know."""
    body = plain(replace(result, environment=None))
    del body["environment"]
    for key in ("judges", "measures", "confusion_matrices", "folder", "written"):
        if not body[key]:
            del body[key]
    for gate in body["gates"]:
        if gate["label"] is None:
            del gate["label"]
    for place, stats in enumerate(result.evaluators):
        if stats.fields:
            body["evaluators"][place] |= _numbers(stats)
    if record is not None:
        body["record"] = plain(record)
    return _stable({"format": FORMAT, **body})


def _numbers(stats: EvaluatorStats) -> dict[str, object]:
    """The mean score of an evaluator that has fields, and the number of each of them, by name."""
    scores = {field.path: field.accuracy if field.mean_score is None else field.mean_score for field in stats.fields}
    return {"aggregate_score": stats.mean, "field_scores": scores}


def environment_json(environment: Environment) -> str:
    """The text of `environment.json`."""
    return _stable(plain(environment))


def plain(value: Any) -> Any:
    """A value as JSON has it: value classes and maps as objects, tuples as lists, members of an enumeration by their value, sets in
    order."""
    if value is None or isinstance(value, (str, int, float)):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return {name: plain(getattr(value, name)) for name in field_names(value)}


def read_run(text: bytes, where: str) -> RunResult:
    """The run that a `run.json` holds, without its environment.

    Raises Problems (config) when the text is not one, says what no run can have come to, or was written by a later version of
    the format.
    """
    found = run_of_shape(text, where)
    for wrong in impossible(found):
        raise damaged(wrong, where)
    return found


def run_of_shape(text: bytes, where: str) -> RunResult:
    """The same, whatever its figures are."""
    try:
        body = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise problem("not-a-run", "not a run: it is not JSON", where=where, hint="a run folder holds run.json") from None
    if not isinstance(body, dict) or type(body.get("format")) is not int:
        raise problem(
            "not-a-run", "not a run: there is no format number", where=where, hint="a run folder holds run.json"
        )
    if body["format"] > FORMAT:
        raise problem(
            "newer-run",
            f"written in format {body['format']}, and this version reads up to {FORMAT}",
            where=where,
            hint=UPGRADE_HINT,
        )
    if body["format"] < FORMAT:
        said = f"written in format {body['format']}, and this version reads format {FORMAT}"
        raise problem("older-run", said, where=where, hint=again(Path(where)))
    return validated(_run_adapter(), text, where)


def again(file: Path) -> str:
    """How to make a run of an earlier format again: by the command that made it, where its folder says so."""
    command = None
    with suppress(OSError, ValueError, NoSmallFile):
        body = json.loads(read_small(file.with_name("environment.json")))
        command = body.get("command") if isinstance(body, dict) else None
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        return f"score the test set again: `{shlex.join(('evaluators', *command))}`"
    return "score the test set again: `evaluators run SUITE ROWS`"


def _no_constant(word: str) -> NoReturn:
    """NaN and Infinity are no JSON, though Python reads them."""
    raise ValueError(word)


def read_environment(text: bytes, where: str) -> Environment:
    """The environment that an `environment.json` holds.

    Raises Problems (config) when the text is not one.
    """
    return validated(_environment_adapter(), text, where)


def validated(adapter: TypeAdapter[Kind], text: bytes, where: str) -> Kind:
    """What a text holds. Raises Problems (config) that name the place where it is something else."""
    from pydantic import ValidationError  # a run is written by plain functions, and read with all its checks

    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise damaged(f"{place}: {first['msg']}", where) from None


def damaged(what: str, where: str) -> Problems:
    """What is raised where a file of a run folder is not what a run writes."""
    message = f"this run folder is damaged, or was not written by a run: {what}"
    return problem("damaged-run", message, where=where, hint="score the test set again, into a run folder")


def _stable(body: object) -> str:
    return escaped_halves(json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)) + "\n"


@cache
def _run_adapter() -> TypeAdapter[RunResult]:
    from pydantic import TypeAdapter

    return TypeAdapter(RunResult)


@cache
def _environment_adapter() -> TypeAdapter[Environment]:
    from pydantic import TypeAdapter

    return TypeAdapter(Environment)
