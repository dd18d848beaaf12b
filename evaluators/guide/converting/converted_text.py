"""A conversion as the text of a suite: comments stand where something has no counterpart, or needs a word."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evaluators.guide.converting.converter import Conversion, ConvertedEvaluator, Grouping, MappingNote, MappingStatus
from evaluators.guide.suite_text import comment, literal
from evaluators.scoring.values.quoting import key_text

OVERALL: Final = "overall"
_PLACES: Final = ("file", "expected", "output")
_JUDGE: Final = (
    "# Some checks below ask a language model. To use them, name a judge in the next line, and take the # away there and below.",
    "# judge: {openai_compatible: {base_url: https://HOST/v1, model: NAME, api_key_env: NAME_OF_A_VARIABLE}}",
    "",
)


def converted_text(conversion: Conversion, suite: str | None) -> str:
    """The whole suite. `suite` is the file it goes to, so that relative paths start at its folder."""
    folder = Path(suite).parent if suite else Path()
    notes = notes_once(conversion.findings)
    lines = [
        *comment(f"Made from {', '.join(conversion.sources)} by `evaluators convert`. A comment says what has no counterpart here, "
                 "and where it is in the file that this was made from."),
        *(line for remark in conversion.remarks for line in comment(remark)),
        "",
        "version: 1",
        f"name: {literal(conversion.name)}",
        *_test_set_lines(conversion, folder, notes),
        "",
        *(_JUDGE if conversion.judged_evaluators else ()),
        "evaluators:",
    ]  # fmt: skip
    for part in conversion.parts:
        if isinstance(part, ConvertedEvaluator):
            lines += [*_note_lines(part.findings, notes, "  "), *_evaluator_lines(part, folder), ""]
        else:
            lines += _note_lines([part], notes, "  ")
    for composite in composites(conversion):
        lines += [*_evaluator_lines(composite, folder), ""]
    if conversion.slices:
        lines += ["", f"slices: {literal(conversion.slices)}"]
    return "\n".join(lines).rstrip("\n") + "\n"


def composites(conversion: Conversion) -> list[ConvertedEvaluator]:
    """The `weighted_mean` of each group, then the overall ones: one for each threshold of rows, or one where several weights are set."""
    converted: list[ConvertedEvaluator] = []
    weights: dict[str, float] = {
        evaluator.name: evaluator.weight
        for evaluator in conversion.evaluators
        if evaluator.weight is not None and evaluator.group is None
    }
    for group in conversion.groups:
        members = {
            evaluator.name: evaluator.weight or 0.0
            for evaluator in conversion.evaluators
            if evaluator.group == group.name
        }
        if sum(members.values()) > 0:
            converted.append(_weighted_mean(group, members))
            if group.weight is not None:
                weights[group.name] = group.weight
    if not conversion.thresholds and len(weights) < 2:
        return converted
    if sum(weights.values()) > 0:
        for number, (threshold, rows) in enumerate(conversion.thresholds.items() or {1.0: None}.items()):
            name = OVERALL if not number else f"{OVERALL}_{number + 1}"
            mean = _weighted_mean(Grouping(name, threshold, None), weights)
            mean.rows = rows
            converted.append(mean)
    return converted


def _weighted_mean(group: Grouping, weights: Mapping[str, float]) -> ConvertedEvaluator:
    """The `weighted_mean` of a group; `weights` are those of its evaluators, by name. Whole weights are written without decimals, and a
    `pass_at` of 1 is left out."""
    settings: dict[str, Any] = {
        "of": {name: int(weight) if weight == int(weight) else weight for name, weight in weights.items()}
    }
    if group.pass_at is not None and group.pass_at != 1:
        settings["pass_at"] = group.pass_at
    return ConvertedEvaluator("weighted_mean", group.name, settings, [])


def make_names_unique(evaluators: Sequence[ConvertedEvaluator], taken: Sequence[str] = ()) -> None:
    """Gives every evaluator a name that a suite can have, and that no other one has."""
    seen = {OVERALL, *taken}
    for evaluator in evaluators:
        stem = re.sub(r"[^\w ()-]+", "_", evaluator.name).strip("_ ") or evaluator.type
        name, number = stem, 1
        while name in seen:
            number += 1
            name = f"{stem}_{number}"
        seen.add(name)
        evaluator.name = name


def evaluator_data(evaluator: ConvertedEvaluator) -> dict[str, Any]:
    """The map that stands for an evaluator in a suite: its type, its name, its settings, and `when` for its rows and its condition."""
    data: dict[str, Any] = {"type": evaluator.type, "name": evaluator.name, **evaluator.settings}
    when = {**({"row.id": list(evaluator.rows)} if evaluator.rows is not None else {}), **evaluator.when}
    return {**data, "when": when} if when else data


def notes_once(findings: Sequence[MappingNote]) -> dict[int, str]:
    """The text of each note, by the identity of the first finding that has it: with how many have it, where there are several."""
    alike: dict[tuple[str, str, str], list[MappingNote]] = {}
    for finding in findings:
        if finding.note:
            alike.setdefault((finding.theirs, finding.status, finding.note), []).append(finding)
    return {id(same[0]): f"{same[0]}{f' ({len(same):,} times)' if len(same) > 1 else ''}" for same in alike.values()}


def _note_lines(findings: Sequence[MappingNote], notes: Mapping[int, str], margin: str) -> list[str]:
    """The comment lines of those findings that have a text in `notes`, each line after `margin`."""
    return [line for finding in findings if id(finding) in notes for line in comment(notes[id(finding)], margin)]


def _evaluator_lines(evaluator: ConvertedEvaluator, folder: Path) -> Iterator[str]:
    """The lines of one evaluator under `evaluators:`. One that needs a judge is commented out, and a name that equals the type is not
    written."""
    data = _relative_to(evaluator_data(evaluator), folder)
    if evaluator.name == evaluator.type:
        del data["name"]
    before = "  # " if evaluator.asks_judge else "  "
    for number, (key, value) in enumerate(data.items()):
        yield f"{before}{'-' if not number else ' '} {key_text(key)}: {literal(value)}"


def _relative_to(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The data of an evaluator, with the path of its schema file, if it has one, rewritten to start in `folder`."""
    schema = data.get("schema")
    return {**data, "schema": path_from_folder(schema, folder)} if isinstance(schema, str) else data


def _test_set_lines(conversion: Conversion, folder: Path, notes: Mapping[int, str]) -> Iterator[str]:
    """The lines of `test_set:` with the comments on it, after an empty line; none where there is nothing to say. Paths are written as
    seen from `folder`."""
    comments = _note_lines(conversion.test_set_findings, notes, "")
    if not conversion.test_set and not comments:
        return
    yield ""
    yield from comments
    if conversion.test_set:
        yield "test_set:"
    for key, value in conversion.test_set.items():
        if isinstance(value, Mapping):
            yield f"  {key}:"
            yield from (f"    {key_text(role)}: {literal(column)}" for role, column in value.items())
        else:
            yield f"  {key}: {literal(path_from_folder(value, folder) if key in _PLACES else value)}"


def path_from_folder(where: str, folder: Path) -> str:
    """The path `where`, which starts in the working folder, rewritten to start in `folder`."""
    return Path(os.path.relpath(where, folder)).as_posix()


def rows_csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows as the text of a CSV file, with every column that some row has."""
    header = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([cell_text(row.get(name)) for name in header])
    return text.getvalue()


def cell_text(value: Any) -> str:
    """The text of a value in a cell of a CSV file: a text as it is, nothing for None, anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def summary_lines(conversion: Conversion) -> list[str]:
    """The summary of a conversion: a line with how many words were mapped, and one line for each note."""
    findings = conversion.findings
    counts = {kind: sum(finding.status is kind for finding in findings) for kind in MappingStatus}
    text = (
        f"{counts[MappingStatus.SAME]} mapped, {counts[MappingStatus.NOTED]} mapped with a note, "
        f"{counts[MappingStatus.NONE]} without a counterpart"
    )
    return [f"{', '.join(conversion.sources)}: {text}", *(f"  {text}" for text in notes_once(findings).values())]


def refusal_note(evaluator: ConvertedEvaluator, message: str) -> MappingNote:
    """The note on an evaluator that the language refuses, such as one with a pattern that only the other system reads."""
    first = evaluator.findings[0]
    return MappingNote(first.place, first.theirs, MappingStatus.NONE, message)
