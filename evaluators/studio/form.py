"""A suite as lines of a form: its evaluators with their fields, and its gates; what a form cannot show is counted.

Strategy: the text is read by the one reader. The lines show what is written, as plain data, and where each stands. Whatever is written in
a way that the form has no cell for stays in the text, and the line says how many settings that are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from evaluators.api.loading import loads
from evaluators.api.suite import Suite
from evaluators.guide import data_checks
from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.settings import BadSettings, Loc
from evaluators.reports.reference import first_sentence
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.fields.named_comparators import NEIGHBOURS
from evaluators.scoring.fields.reading import ALIGNMENTS, read_path
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.studio.choices import (
    check_options,
    comparator_choices,
    comparator_options,
    lists_fields,
    shown_values,
    takes_comparator,
)
from evaluators.studio.messages import Check, FieldLine, Form, GateLine, Problem

SKIP: Final = "skip"
_SIDES: Final = ("output", "expected")
_LIMITS: Final = ("fail_below", "warn_below", "fail_above", "warn_above")
_SHOWN: Final = frozenset({"version", "name", "description", "test_set", "comparators", "evaluators", "gates"})
_PLACE: Final = re.compile(r"(?P<file>.*):(?P<line>[0-9]+):(?P<column>[0-9]+)")


class WrittenField(NamedTuple):
    """A field as it is written: the comparator with its options, and what stands beside it."""

    compare: str
    options: Mapping[str, Any]
    beside: Mapping[str, Any]
    """Empty for a word or a one-key map alone."""
    long: bool
    """It is the long form, with `compare` and neighbours."""


_NOT_COMPARED: Final = WrittenField("", {}, {}, False)


def read_suite(text: str, name: str, folder: Path) -> Suite:
    """The suite in a text of the page. Raises Problems with everything that `check` says of a suite alone."""
    suite = loads(text, name, folder)
    data_checks.check_gates(suite)
    if not data_checks.has_data(suite):
        data_checks.check_columns(suite)
    return suite


def form_of(suite: Suite) -> Form:
    """A suite that has no problems as the lines of a form."""
    source = suite.config.source
    judges = [line for judge in suite.judges.values() for line in (judge.notice() or (f"the judge {judge.word}",))]
    return Form(
        suite.name,
        [_evaluator_form(suite, place, line) for place, line in enumerate(suite.config.lines)],
        list(_gate_lines(suite)),
        list(source.shown.get("comparators") or {}),
        sum(key not in _SHOWN for key in source.shown),
        list(dict.fromkeys(judges)),
    )


def problems_of(error: Problems, name: str) -> list[Problem]:
    """Problems as the page shows them; those of the text itself with a line and a column."""
    return [problem_of(issue, name) for issue in error.issues]


def problem_of(issue: Issue, name: str) -> Problem:
    """A problem for the page. One that rows are to blame for is a warning."""
    match = _PLACE.fullmatch(issue.where or "")
    own = match is not None and match["file"] == name
    line, column = (int(match["line"]), int(match["column"])) if match is not None and own else (0, 0)
    own_fault = issue.blame in (Blame.CONFIG, Blame.BUG)
    return Problem(
        issue.message, line, column, issue.hint or "", issue.where or "", "bad" if own_fault else "warn"
    )  # fmt: skip


def written_settings(suite: Suite, line: EvaluatorLine) -> Mapping[str, Any]:
    """The settings written under an evaluator, in which variables of the environment are not filled in; empty where it is a word alone."""
    node = at_loc(suite.config.source.shown, line.loc)
    return node if isinstance(node, Mapping) else {}


def at_loc(data: Any, loc: Sequence[str | int]) -> Any:
    """The value at a place of plain data; None where there is none."""
    for step in loc:
        if isinstance(data, Mapping):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def written_field(body: Any) -> WrittenField:
    """The parts of what is written for a field under `fields:`: its comparator, its options, and what stands beside it."""
    if isinstance(body, Mapping) and any(key in NEIGHBOURS for key in body):
        beside = {key: value for key, value in body.items() if key != "compare"}
        bare = "" if "compare" not in body and set(body) <= {"align", "transforms"} else "exact"
        inner = written_field(body["compare"]) if "compare" in body else WrittenField(bare, {}, {}, False)
        return WrittenField(inner.compare, inner.options, beside, True)
    if isinstance(body, Mapping) and len(body) == 1:
        ((word, options),) = body.items()
        return WrittenField(str(word), options if isinstance(options, Mapping) else {}, {}, False)
    return WrittenField("exact" if body is None else str(body), {}, {}, False)


def canonical_path(path: str) -> str:
    """A path as results spell it; a text that is no path comes back as it is."""
    try:
        return read_path(path).canonical
    except BadSettings:
        return path


def _evaluator_form(suite: Suite, place: int, line: EvaluatorLine) -> Check:
    """An evaluator as lines of the form. `place` is its number in the list; `text_only` counts its settings that the form cannot show, and
    it is `editable` where it stands in the suite's own file."""
    settings = written_settings(suite, line)
    compare = written_field(settings["compare"]) if "compare" in settings else _NOT_COMPARED
    columns = [name for side in _SIDES if isinstance(name := settings.get(side), str)]
    shown = {
        "name",
        "type",
        "fields",
        *(_SIDES if columns else ()),
        *(("compare",) if takes_comparator(line.type) else ()),
    }
    options, left = shown_values(check_options(line.type), {key: settings[key] for key in settings if key not in shown})
    fields = settings.get("fields")
    listed = isinstance(fields, Mapping | list) and lists_fields(line.type)
    return Check(
        place, line.name, line.type, does=first_sentence(BUILTIN.find(line.type).__doc__ or ""),
        line=_line_number(suite, line.loc), fields=list(_field_lines(suite, place, line, fields)) if listed else [],
        lists_fields=lists_fields(line.type) and (listed or fields is None), options=options,
        text_only=left + (fields is not None and not listed) + len(compare.options) + len(compare.beside),
        editable=_is_in_own_text(suite, line.loc), compare=compare.compare if takes_comparator(line.type) else None,
        columns=columns,
    )  # fmt: skip


def _field_lines(suite: Suite, place: int, line: EvaluatorLine, fields: Any) -> Iterator[FieldLine]:
    """The lines of the form for `fields:`, a map from paths to how they are compared or a list of paths that are compared exactly."""
    if isinstance(fields, Mapping):
        lines = [(path, path, compare) for path, compare in fields.items()]
    else:
        lines = [(number, path, "exact") for number, path in enumerate(fields)]
    for step, path, compare in lines:
        loc = (*line.loc, "fields", step)
        yield _field_line(place, str(path), compare, _line_number(suite, loc), _is_in_own_text(suite, loc))


def _field_line(place: int, path: str, body: Any, line: int, own: bool) -> FieldLine:
    """A field as a line of the form. `place` is the number of its evaluator, `body` what is written after its path, `line` where that is,
    and `own` whether it is in this file. Settings that the form cannot show are counted."""
    written = written_field(body)
    known = {choice.name for choice in comparator_choices()}
    options, left = shown_values(comparator_options(written.compare) if written.compare in known else (), written.options)
    align, key, beside = _read_align(written.beside.get("align"))
    weight, required = written.beside.get("weight"), written.beside.get("required")
    shown = {"weight": isinstance(weight, int | float), "required": isinstance(required, bool), "align": not beside}
    left += beside + sum(not shown.get(name, False) for name in written.beside if name != "align")
    return FieldLine(
        place, path, name=canonical_path(path), line=line, compare="" if written.compare == SKIP else written.compare,
        options=options, align=align, align_key=key, weight=weight if shown["weight"] else None, required=required is True,
        skip=written.compare == SKIP, text_only=left, editable=own,
    )  # fmt: skip


def _read_align(written: Any) -> tuple[str, str, int]:
    """(alignment, key, left): the word of an alignment, the key of `key_field` or "", and how many of its settings are only in the text."""
    if written is None or isinstance(written, str):
        return written or "", "", 0
    if isinstance(written, Mapping) and len(written) == 1:
        ((how, options),) = written.items()
        if how in ALIGNMENTS and isinstance(options, Mapping):
            key = options.get("key") if how == "key_field" else None
            return how, key if isinstance(key, str) else "", len(options) - isinstance(key, str)
    return "", "", 1


def _gate_lines(suite: Suite) -> Iterator[GateLine]:
    """The gates as lines of the form, each with the limits that are numbers; `text_only` counts what only the text shows."""
    gates = suite.config.source.shown.get("gates") or {}
    for target, written in gates.items():
        loc = ("gates", target)
        body = written if isinstance(written, Mapping) else {}
        limits = {name: body[name] for name in _LIMITS if isinstance(body.get(name), int | float)}
        metric = body.get("metric", "mean")
        left = len(body) - len(limits) - ("metric" in body) if body else 1
        yield GateLine(
            target,
            _line_number(suite, loc),
            str(metric),
            **limits,
            text_only=left,
            editable=_is_in_own_text(suite, loc) and bool(body),
        )


def _line_number(suite: Suite, loc: Loc) -> int:
    """The number of the line in the text of the suite, from 1; 0 where another file says it."""
    return suite.config.source.spot(loc, key=True).line + 1 if _is_in_own_text(suite, loc) else 0


def _is_in_own_text(suite: Suite, loc: Loc) -> bool:
    """Whether a setting stands in the text of the suite itself, and not in a file that it extends."""
    source = suite.config.source
    return source.spot(loc, key=True).document is source.documents[-1]
