"""What a program asks of a run, as a request: its rows, whatever they are, and its options by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from evaluators.api.run_request import RunOptions, RunRequest
from evaluators.registry import suggestion
from evaluators.testsets.given_rows import given_rows
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig

OPTIONS: Final = tuple(RunOptions.__annotations__)


def request_of(rows: Any, options: Mapping[str, Any], function: str = "run") -> RunRequest:
    """The request. Raises TypeError for an option that there is not, and Problems for rows that are none."""
    refuse_unknown(options, function)
    if rows is None:
        return RunRequest(**options)
    if isinstance(rows, str | Path):
        return RunRequest(test_set=str(rows), **options)
    if isinstance(rows, TestSet):
        rows = rows.config.model_dump(exclude_unset=True)
    if isinstance(rows, Mapping) and is_test_set(rows):
        settings = {**rows, **options.get("test_set_settings", {})}
        return RunRequest(**{**options, "test_set_settings": settings})
    return RunRequest(given=given_rows(rows), **options)


def refuse_unknown(options: Mapping[str, Any], function: str, further: tuple[str, ...] = ()) -> None:
    """Raises TypeError for an option that there is not, with the one that may be meant."""
    known = (*further, *OPTIONS)
    for name in options:
        if name not in known:
            hint = suggestion(name, known) or f"known: {', '.join(known)}"
            raise TypeError(f'{function}() has no argument "{name}"; {hint}')


def is_test_set(rows: Mapping[Any, Any]) -> bool:
    """Whether a map says where rows are, as `test_set` of a suite does. Otherwise it is columns: lists of cells."""
    places = any(isinstance(rows.get(name), str | Mapping) for name in ("file", "expected", "mlflow", "phoenix", "sql"))
    return places and rows.keys() <= TestSetConfig.model_fields.keys()
