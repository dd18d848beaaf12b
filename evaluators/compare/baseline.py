"""A baseline: a run folder packed into one small file, which is kept beside the suite and compared with later.

It has the metrics, the rows and the table of codes, with the reason of each row that has no score, and no cells. One line is one row, so
that a change of the file shows which rows changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from evaluators.issues import UPGRADE_HINT, problem
from evaluators.model import Result
from evaluators.run.reader import PackedRows, Run, check_letters, checked_rows
from evaluators.run.record_facts import RecordFacts
from evaluators.run.record_lines import CodeLine, RowLine, code_lines
from evaluators.run.result import RunResult
from evaluators.run.run_json import damaged, run_document, typed
from evaluators.run.split_rows import Layout
from evaluators.run.store import write_text
from evaluators.values.json_text import NotJSON, compact, parse_file
from evaluators.values.quoting import quote

KIND: Final = "evaluators baseline"
FORMAT: Final = 6
"""Since 6, codes are as in the run folder, with the reasons of rows without a score."""
_HEAD_BYTES: Final = 1_000
_HINT: Final = "`evaluators compare RUN --suite SUITE --update-baseline` writes one"


def write_baseline(file: Path, run: Run) -> None:
    """Write a run as a baseline, in place of the one that is there; the same run is the same bytes.

    Raises Problems where another file is there, where the run is damaged, or cannot be written.
    """
    if file.resolve().is_file() and not _replaceable(file.resolve()):
        message = "this file is no baseline, so it is not written over"
        raise problem("not-a-baseline", message, where=str(file), hint="compare: {baseline: FILE} names another file")
    write_text(file, baseline_text(run), renews=True)


def _replaceable(file: Path) -> bool:
    """Whether a file is empty or begins as baselines of any format do, also where the rest of it is damaged."""
    with file.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
    return not head.strip() or _text(KIND).encode() in head


def baseline_text(run: Run) -> str:
    """The text of a baseline."""
    head = {"kind": KIND, "format": FORMAT, "run": run_document(*_about(run))}
    parts = [f"{_text(key)}: {_text(value)}" for key, value in head.items()]
    for variant in run.each_variant:
        middle, verdicts = "" if variant is None else f".{variant}", run.verdicts(variant)
        codes = [line.decode() for line in code_lines([one.name for one in run.facts.evaluators], verdicts)]
        rows = map(_text, run.row_lines(variant, verdicts))
        parts += [
            f"{_text(name)}: [\n" + ",\n".join(lines) + "\n]"
            for name, lines in ((f"codes{middle}.jsonl", codes), (f"rows{middle}.jsonl", rows))
        ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _about(run: Run) -> tuple[RunResult, RecordFacts]:
    """What is kept of the metrics and of what is said of the rows: all that a comparison reads, and little else."""
    stats = tuple(
        replace(
            one, fields=(), counts=None, fallbacks={}, undeclared={}, keys=(), metrics=(), metric_cis=(), extra_items=None
        )
        for one in run.result.evaluators
    )
    result = replace(
        run.result, evaluators=stats, slices=(), gates=(), notes=(), warnings=(), issues=(), issue_counts={}, causes=(), judges=(),
        folder=None, written=(), environment=None,
    )  # fmt: skip
    evaluators = tuple(replace(one, needs=(), field_places={}, readings=()) for one in run.facts.evaluators)
    variants = tuple(
        replace(one, every_outcome=False, every_cell=False, outcomes=0, cells=0) for one in run.facts.variants
    )
    facts = replace(
        run.facts,
        evaluators=evaluators,
        variants=variants,
        header=(),
        documents="none",
        layout=Layout(()),
        schemas={},
        suite="",
    )
    return result, facts


def read_baseline(file: Path) -> Run:
    """The run that a baseline holds. Raises Problems (config) when the file is not one."""
    try:
        body = parse_file(file.read_bytes())
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise problem("no-baseline", f"the baseline cannot be read: {said}", where=str(file), hint=_HINT) from None
    except NotJSON:
        body = None
    if not isinstance(body, dict) or body.get("kind") != KIND:
        raise problem("not-a-baseline", "not a baseline, and not a run folder", where=str(file), hint=_HINT)
    if body.get("format") in range(1, FORMAT):
        said = f"written in format {body['format']}, and this version reads format {FORMAT}"
        hint = "score the test set again: `evaluators run SUITE ROWS`; then `evaluators compare RUN --suite SUITE --update-baseline`"
        raise problem("older-baseline", said, where=str(file), hint=hint)
    if body.get("format") != FORMAT:
        said = f"written in format {body.get('format')}, and this version reads up to {FORMAT}"
        raise problem("newer-baseline", said, where=str(file), hint=UPGRADE_HINT)
    found = Run.unpacked(file, body.get("run"))
    return found.but(packed={variant: _unpacked(found, body, variant) for variant in found.each_variant})


def _unpacked(run: Run, body: Mapping[str, Any], variant: str | None) -> PackedRows:
    """The rows of a variant. Raises Problems (config) for a damaged line, with its number."""
    middle, evaluators = "" if variant is None else f".{variant}", {one.name: one for one in run.facts.evaluators}
    verdicts: dict[str, list[Result]] = {name: [] for name in evaluators}
    for where, data in _lines(run.place, body, f"codes{middle}.jsonl"):
        line = typed(data, CodeLine, where)
        if line.evaluator not in verdicts:
            raise damaged(f"the run has no evaluator {quote(line.evaluator)}", where)
        if line.code != len(known := verdicts[line.evaluator]):
            raise damaged(f'"code" should be {len(known)}; found {line.code}', where)
        check_letters(line, evaluators[line.evaluator], where)
        known.append(line.verdict)
    name, known_codes = f"rows{middle}.jsonl", list(verdicts.values())
    lines = (typed(data, RowLine, where) for where, data in _lines(run.place, body, name))
    rows = checked_rows(lines, known_codes, len(run.facts.slices), lambda number: f"{run.place / name}:{number}")
    return PackedRows(known_codes, list(rows))


def _lines(file: Path, body: Mapping[str, Any], name: str) -> Iterator[tuple[str, object]]:
    """The lines of a file that is packed, each with its place."""
    if not isinstance(found := body.get(name), list):
        raise damaged(f"there is no {name}", str(file))
    return ((f"{file / name}:{number}", line) for number, line in enumerate(found, 1))


def _text(value: Any) -> str:
    return compact(value).decode()
