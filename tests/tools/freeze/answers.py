"""What a suite answers to rows, as plain data: row by row as `explain` says it, and as a run records it.

Everything goes through the public face: `evaluators.load`, `Suite.evaluate`, `Suite.run` and the files of a run folder. A change of
these is followed here, and nowhere else. Fractions are written in lowest terms, so that 4 of 8 is 1 of 2.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

import evaluators
from evaluators import MISSING

Data: TypeAlias = dict[str, Any]

OF_RUN = (
    "causes", "cluster", "exit_code", "gates", "issue_counts", "issues", "rows", "warnings", "without_output",
)  # fmt: skip
"""What is kept of run.json beside the figures: nothing that depends on the time, the place or the version, and no
notes on how the suite is spelled."""


EMPTY_RATES: Final = ("invented_rate", "left_empty_rate")
YOUNGER: Final = (*EMPTY_RATES, "expected_empty", "expected_filled")


@contextmanager
def long_numbers() -> Iterator[None]:
    """Inside, whole numbers that are longer than Python reads and writes unasked are read and written: rows hold some."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(100_000)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def answers_of(suite: Data | str, rows: list[Data] | None, folder: Path | None = None, run: bool = True) -> Data:
    """What a suite, as data or as a file of the folder, says of each row and of all together. Without `rows`, it reads its own."""
    try:
        loaded = loaded_suite(suite, folder)
    except evaluators.Problems as problems:
        return {"refused": issues(problems)}
    found = run_answers(loaded, rows) if run else {}
    cells, recorded = found.pop("cells", []), found.pop("by_row", [])
    explained = [{"explained": explained_row(loaded, row)} for row in (cells if rows is None else rows)]
    if explained and recorded:
        recorded = [one | other for one, other in zip(explained, recorded, strict=True)]
    return {"rows": recorded or explained, "run": found}


def loaded_suite(suite: Data | str, folder: Path | None) -> evaluators.Suite:
    if isinstance(suite, str):
        assert folder is not None
        return evaluators.load(folder / suite)
    return evaluators.load(suite) if folder is None else evaluators.loads(json.dumps(suite), folder=folder)


def issues(problems: evaluators.Problems) -> list[Data]:
    """Every problem, with its code, its place and its words."""
    return [issue_data(issue) for issue in problems.issues]


def issue_data(issue: Any) -> Data:
    found = {"code": issue.code, "blame": issue.blame.value, "message": issue.message}
    return found | {key: value for key in ("where", "hint") if (value := getattr(issue, key)) is not None}


# One row, explained


def explained_row(suite: evaluators.Suite, row: Mapping[str, Any]) -> Data:
    """What every evaluator says of one row on its own."""
    try:
        found = suite.evaluate(row)
    except evaluators.Problems as problems:
        return {"raised": issues(problems)}
    return {name: explained_result(result) for name, result in found.results.items()}


def explained_result(result: Any) -> Data:
    found: Data = {"standing": _frozen(result.status.word)}
    if result.issue is not None:
        found["issue"] = issue_data(result.issue)
    if result.score is None and result.reason is None and not result.fields:
        return found
    found |= {"score": fraction(result.num, result.den), "passed": result.passed}
    if result.reason is not None:
        found["reason"] = result.reason
    if result.details:
        found["details"] = result.details
    if result.metrics and result.status != "blocked":
        found["figures"] = [fraction(*one) for one in result.metrics]
    if result.fields:
        found["fields"] = [field_data(field) for field in result.fields]
    return found


def field_data(field: Any) -> Data:
    """One result of a row: what is usual is left out."""
    found: Data = {"path": field.path, "status": _frozen(field.status.word)}
    if field.score is not None and field.score != (field.status.word == "match"):
        found["score"] = exact(field.score)
    if field.score is None:
        found["score"] = None
    if field.weight != 1:
        found["weight"] = exact(float(field.weight))
    for key, value in (("reason", field.reason), ("rule", field.comparator), ("field", field.field)):
        if value is not None:
            found[key] = value
    if field.details:
        found["details"] = field.details
    for key in ("expected", "actual"):
        if (value := getattr(field, key)) is not MISSING:
            found[key] = value
    return found


_WORDS: Final = {"not_measured": "not measured", "not_judged": "error"}


def _frozen(word: str) -> str:
    """The word of a status as the frozen answers have it: they are older than today's words."""
    return _WORDS.get(word, word)


def exact(value: float) -> str:
    """A number as a fraction in lowest terms, where it is one; otherwise as it is."""
    near = Fraction(value).limit_denominator(10_000)
    return str(near) if float(near) == value else repr(value)


def fraction(num: int, den: int) -> str | None:
    return str(Fraction(num, den)) if den else None


# A run


def run_answers(suite: evaluators.Suite, rows: list[Data] | None) -> Data:
    """What a run over the rows records: `by_row`, and what it says of all rows."""
    with TemporaryDirectory(prefix="freeze") as folder:
        try:
            kept: Any = "all" if rows is None else "none"
            words = ("rows", "codes", "outcomes", *(("cells",) if kept == "all" else ()))
            suite.run(rows, results=folder, name="run", evidence="all", documents=kept, formats=words)
        except evaluators.Problems as problems:
            return as_written({"raised": issues(problems)}, folder)
        written = Path(folder) / "run"
        cells = [line["cells"] for file in sorted(written.rglob("cells.jsonl")) for line in lines(file)]
        found = {"by_row": recorded_rows(written), "cells": cells, **run_figures(written)}
    return as_written(found, folder)


def as_written(data: Data, folder: str) -> Data:
    """Data as JSON holds it, without the name of a folder that is there once."""
    found: Data = json.loads(text_of(data).replace(folder, "FOLDER"))
    return found


def recorded_rows(folder: Path) -> list[Data]:
    """For each row, in their order: what each evaluator came to, and the outcome lines."""
    found: list[Data] = []
    for file in sorted(folder.rglob("rows.jsonl")):
        names = list(dict.fromkeys(line["evaluator"] for line in lines(file.with_name("codes.jsonl"))))
        codes = {(line["evaluator"], line["code"]): line for line in lines(file.with_name("codes.jsonl"))}
        outcomes: dict[int, list[Data]] = {}
        for line in lines(file.with_name("outcomes.jsonl")):
            outcomes.setdefault(line.pop("row"), []).append(outcome_data(line))
        for row in lines(file):
            recorded = {name: code_data(codes[name, code]) for name, code in zip(names, row["codes"], strict=True)}
            found.append({"recorded": recorded, "outcomes": outcomes.get(row["row"], [])})
    return found


def code_data(line: Data) -> Data:
    """What an evaluator came to in a row, without the number that it has in the file."""
    found = {key: value for key, value in line.items() if key not in ("evaluator", "code")}
    if "score" in found:
        found["score"] = fraction(*found["score"])
    if "metrics" in found:
        found["metrics"] = [fraction(*one) for one in found["metrics"]]
    return found


def outcome_data(line: Data) -> Data:
    """An outcome line; the schema that a row was scored with has a checksum that is its own affair."""
    return {key: value for key, value in line.items() if key != "schema"}


def run_figures(folder: Path) -> Data:
    """Figures of each evaluator, by name, variant and slice, and what the run says of itself."""
    written = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    figures = {label(one): without_rates(one) for one in written["evaluators"]}
    return {"figures": figures, **{key: written[key] for key in OF_RUN if written.get(key)}}


def without_rates(one: Data) -> Data:
    """The figures of an evaluator but for how often values are invented and left empty, which are younger than what is frozen."""
    kept = {key: value for key, value in one.items() if key not in YOUNGER}
    kept["fields"] = [{key: value for key, value in field.items() if key not in YOUNGER} for field in one["fields"]]
    kept["metric_cis"] = [each for each in one["metric_cis"] if each["metric"] not in EMPTY_RATES]
    return kept


def label(one: Data) -> str:
    slice_ = "=".join(map(str, one["slice"])) if one.get("slice") else ""
    return " ".join(filter(None, (one["name"], one.get("variant"), slice_)))


def lines(file: Path) -> Iterable[Data]:
    return (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()) if file.exists() else ()


def text_of(data: Any) -> str:
    """Data as one line: equal texts are equal answers."""
    return json.dumps(data, sort_keys=True, default=as_data, separators=(",", ":"))


def as_data(value: Any) -> Any:
    """What JSON cannot hold, in its own words."""
    if value is MISSING:
        return "MISSING"
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    return [*value] if isinstance(value, Iterable) else str(value)
