"""A run as JSON and back: `run.json` is the contract that reports, comparisons and other programs read.

Keys are sorted and numbers are shortest round trips, so the same run is the same bytes. What may differ between two runs
of the same bytes (times, host, workers) is not part of it. What is read is checked by the types of `evaluators.runs.result`.
"""

from __future__ import annotations

import json
from typing import Any, Final, TypeVar

import msgspec

from evaluators.model.issues import UPGRADE_HINT, Problems, escape_halves, problem
from evaluators.runs.result import Environment, RunResult
from evaluators.scoring.values.json_text import NotJSON, parse_file
from evaluators.scoring.values.quoting import quote

Kind = TypeVar("Kind")

FORMAT: Final = 1
"""The version of the file's shape. A key may be added within a version; a meaning never changes."""


def run_json(result: RunResult, record: object = None) -> str:
    """The text of `run.json`: in a run folder with what readers of its rows need to know."""
    return stable_json(run_document(result, record))


def run_document(result: RunResult, record: object = None) -> dict[str, Any]:
    """The contents of `run.json` as plain data, without the environment and without sections that are empty. `record` is what readers of
    the rows need to know."""
    body = json_data(result)
    del body["environment"]
    for repeat in body["repeats"]:
        if repeat["fields_until"] is None:
            del repeat["fields_until"]
    for key in ("judges", "measures", "confusion_matrices", "repeats", "confidence", "corrections", "folder", "written"):
        if not body[key]:
            del body[key]
    for gate in body["gates"]:
        if gate["label"] is None:
            del gate["label"]
    for index, stats in enumerate(result.evaluators):
        if stats.fields:
            scores = {field.path: field.score for field in stats.fields}
            body["evaluators"][index].update(aggregate_score=stats.mean, field_scores=scores)
    if record is not None:
        body["record"] = json_data(record)
    return {"format": FORMAT, **body}


def environment_json(environment: Environment) -> str:
    """The text of `environment.json`."""
    return stable_json(json_data(environment))


def json_data(value: object) -> Any:
    """The value as plain data that JSON can hold; sets are lists in order."""
    return msgspec.to_builtins(value, order="deterministic")


def run_body(text: bytes, where: str) -> dict[str, Any]:
    """The contents of a `run.json`. Raises Problems (config) where it is none, or one of another version of the format."""
    try:
        body = parse_file(text)
    except NotJSON:
        raise problem("not-a-run", "not a run: it is not JSON", where=where, hint="a run folder holds run.json") from None
    return check_format(body, where)


def check_format(body: object, where: str) -> dict[str, Any]:
    """The decoded `run.json`. Raises Problems (config) where it has no format number, or that of another version."""
    if not isinstance(body, dict) or type(number := body.get("format")) is not int:
        raise problem(
            "not-a-run", "not a run: there is no format number", where=where, hint="a run folder holds run.json"
        )
    if number != FORMAT:
        message = f"written in format {number}, and this version reads format {FORMAT}"
        raise problem("other-format", message, where=where, hint=UPGRADE_HINT)
    return body


def read_environment(text: bytes, where: str) -> Environment:
    """The environment that an `environment.json` holds.

    Raises Problems (config) when the text is not one.
    """
    try:
        return read_as(parse_file(text), Environment, where)
    except NotJSON as error:
        raise damaged_run(f"not JSON: {error.message}", where) from None


def read_as(data: object, kind: type[Kind], where: str) -> Kind:
    """Reads plain data as one of the types of a run folder. Raises Problems (config) for anything else, which name `where` and
    the place in the data."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise damaged_run(str(error), where) from None
    except UnicodeEncodeError as error:  # a text where something else is expected, and msgspec cannot even quote it
        raise damaged_run(f"half of a surrogate pair stands where no text can: {quote(error.object)}", where) from None


def damaged_run(what: str, where: str) -> Problems:
    """The Problems (config) of a file `where` of a run folder that no run can have written; `what` says why."""
    message = f"this run folder is damaged, or was not written by a run: {what}"
    return problem("damaged-run", message, where=where, hint="score the test set again, into a run folder")


def stable_json(body: object) -> str:
    """JSON text for people and programs: keys sorted, half a surrogate pair as the characters of its escape."""
    # with an indent it would take four times as long
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return msgspec.json.format(escape_halves(text), indent=2) + "\n"
