"""The section `gates` of a suite, and what its gates are about, held against what the suite has: before row 1."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, Detail, bad, build, filled_texts, spell
from evaluators.runs.confidence_steps import confidence_paths
from evaluators.runs.gates import (
    MICRO,
    OF_CONFIDENCE,
    OF_FIELDS,
    OF_ROWS,
    POOLED,
    REPEATED,
    Gate,
    GateConfig,
    NumericColumnGateConfig,
    Target,
    bare_column,
)
from evaluators.scoring.evaluators._scored_fields import ScoredFields
from evaluators.scoring.values.path_text import BadPath
from evaluators.scoring.values.paths import parse

EVERY: Final = ""
"""In a target: every evaluator, every field."""


def parse_target(text: str, evaluators: Iterable[str], noun: str = "gate", also: Sequence[str] = ()) -> Target:
    """The evaluator before the first dot and the field after it, in any spelling of a path. `noun` is what messages say.
    `also` are names that hints know beside those of evaluators; `evaluators` may say the fields of each, to the letter.

    Raises Problems (config) when no evaluator has that name or the path is malformed.
    """
    name, dot, path = text.partition(".")
    known = tuple(evaluators)
    if name not in known:
        raise problem(
            "unknown-evaluator",
            f'the {noun} "{text}" names the evaluator "{name}", and the suite has none of that name',
            hint=suggestion(name, (*known, *also)) or f"evaluators: {', '.join(known)}",
        )
    if dot and not path:
        raise problem("empty-field", f'the {noun} "{text}" ends in a dot', hint=f'"{name}" is the whole evaluator')
    if isinstance(evaluators, Mapping) and path in evaluators[name]:
        return Target(name, path)
    try:
        return Target(name, parse(path).canonical if path else None)
    except BadPath as error:
        raise problem("bad-path", f'the field of the {noun} "{text}" cannot be read: {error}', hint=error.hint) from None


def of_every_field(text: str, fields: Mapping[str, Sequence[str]], noun: str = "gate") -> str | None:
    """The evaluator that `header.*` is about, or EVERY for `fields.*`, unless an evaluator is called `fields`; None for another target.
    `fields` are those of each evaluator.

    Raises Problems (config) where there is no field.
    """
    name, _, path = text.partition(".")
    if path != "*" or path in fields.get(name, ()) or not (name == "fields" or name in fields):
        return None
    if not any(fields.get(name, ()) if name in fields else fields.values()):
        whose = f'"{name}" lists none' if name in fields else "no evaluator lists any"
        hint = f"name each: {name}.FIELD" if name in fields else None
        raise problem("no-fields", f'the {noun} "{text}" is about fields, and {whose}', hint=hint)
    return name if name in fields else EVERY


def check_gate(
    gate: Gate,
    fields: ScoredFields,
    slices: Sequence[str] = (),
    variants: Sequence[str] = (),
    labels: Mapping[str, Sequence[str] | None] = MappingProxyType({}),
    repeats: bool = False,
    confidence: bool = False,
) -> list[Issue]:
    """Config issues for names in a gate that the suite does not have, found before row 1.

    `fields` are those of its evaluator, `slices` the columns that the suite slices by, and `labels` those that each evaluator lists; None
    for one whose labels are known only after the run. `repeats`: rows are outputs of questions.
    `confidence`: what the gate is about has one.
    """
    gaps = [*_slice_gaps(gate, tuple(map(bare_column, slices))), *_variant_gaps(gate, variants)]
    if gate.is_on_labels_of(labels):
        gaps[:0] = _label_gaps(gate, labels)
    elif gate.metric in REPEATED and gate.target.field is None and not repeats:
        message = f'the gate "{gate.written}" is about several outputs of one question, and the suite does not say which rows these are'
        gaps.append(("no-repeats", message, "add it to the suite: repeats: row.COLUMN, or repeats: id"))
    elif gate.metric in OF_CONFIDENCE:
        if not confidence:
            message = f'the gate "{gate.written}" is about a confidence, and the suite names none for it'
            hint = "add it to the suite: confidence: row.COLUMN, or to the field: {compare: exact, confidence: PATH}"
            gaps.append(("no-confidence", message, hint))
    elif not gate.is_on_measure:
        # an open tree and a schema have fields that are known only after the run
        unknown = not fields.names and (fields.metrics or fields.tree is not None)
        gaps[:0] = [*_metric_gaps(gate, fields), *_field_gaps(gate, None if unknown else fields.names)]
    return [Issue(code, Blame.CONFIG, message, gate.where, hint) for code, message, hint in gaps]


_Gap: TypeAlias = tuple[str, str, str | None]
"""What a gate names and the suite does not have: the code of the issue, its message, and its hint."""


def _metric_gaps(gate: Gate, fields: ScoredFields) -> Iterable[_Gap]:
    """Yields a gap, as (code, message, hint), where the evaluator, or its field, does not have the metric of the gate."""
    name, path = gate.target
    made, rates = fields.metrics, fields.empty_rates(of_field=path is not None)
    if path is None:
        known = [*OF_ROWS, *MICRO, *made, *(REPEATED if gate.metric in REPEATED else ()), *rates]
    else:
        known = [*OF_FIELDS, *POOLED, *(["mean_score"] if "mean_field_score" in made else []), *rates]
    if gate.metric in known:
        return
    about = f'a field of "{name}"' if path is not None else f'the evaluator "{name}"'
    suggested = ""
    if path is not None and gate.metric in OF_ROWS:
        suggested = "write metric: accuracy; "
    elif gate.metric in OF_FIELDS:
        suggested = "write metric: pass_rate; "
    yield (
        "no-such-metric",
        f'the gate "{gate.written}" asks for the metric {gate.metric}, and {about} has none',
        f"{suggested}its metrics: {', '.join(known)}",
    )


def _field_gaps(gate: Gate, paths: Sequence[str] | None) -> Iterable[_Gap]:
    """Yields a gap, as (code, message, hint), where the evaluator does not have the field of the gate, or has no fields at all. `paths` is
    None where its fields are not known before the run: then only a gate on a field in slices is a gap."""
    name, path = gate.target
    if paths is None and path is not None and gate.config.slice_column is not None:
        yield (
            "no-fields-in-slices",
            f'the gate "{gate.written}" is about a field in slices, and "{name}" counts its fields over the whole run only',
            f'gate "{name}" itself in each slice, or the field over the whole run',
        )
    if paths is None:
        return
    if not paths and (path is not None or gate.metric in MICRO):
        wanted = f'a field, "{path}"' if path is not None else gate.metric
        yield (
            "no-fields",
            f'the gate "{gate.written}" asks for {wanted}, and the evaluator "{name}" has no fields',
            f'its metrics are mean_score and pass_rate, with the target "{name}"',
        )
    elif path is not None and path not in paths:
        yield (
            "unknown-field",
            f'the gate "{gate.written}" names the field "{path}", and the evaluator "{name}" has none of that path',
            suggestion(path, paths) or f"fields: {', '.join(paths)}",
        )


def _label_gaps(gate: Gate, labels: Mapping[str, Sequence[str] | None]) -> Iterable[_Gap]:
    """Yields the gap of a gate about labels, as (code, message, hint). `labels` has the evaluators that count labels, with the labels that
    they list, None where these are not known; a gate on labels cannot go by slice, nor by a lower bound."""
    name, label = gate.target.evaluator, gate.config.label
    if name not in labels or gate.target.field is not None:
        yield (
            "no-labels",
            f'the gate "{gate.written}" is about labels, and "{gate.written}" counts none',
            f"evaluators that count labels: {', '.join(labels)}" if labels else "exact_match counts labels",
        )
    elif label is not None and (listed := labels[name]) is not None and label not in listed:
        yield (
            "unknown-label",
            f'the gate "{gate.written}" is about the label "{label}", and "{name}" lists none of that name',
            suggestion(label, listed) or f"labels: {', '.join(listed)}",
        )
    elif gate.config.slice_column is not None:
        yield "labels-in-slices", f'the gate "{gate.written}" is about labels, and these are not counted by slice', None
    elif gate.config.using == "lower_bound":
        yield "no-lower-bound", f'the gate "{gate.written}" is about labels, and their metrics have no lower bound', None


def _slice_gaps(gate: Gate, columns: Sequence[str]) -> Iterable[_Gap]:
    """A gap where the suite does not slice by the column of the gate."""
    column = gate.config.slice_column
    if column is not None and column not in columns:
        yield (
            "unknown-slice",
            f'the gate "{gate.written}" is about slices by "{column}", and the suite does not slice by that column',
            suggestion(column, columns) or f"add it to the suite: slices: [row.{column}]",
        )


def _variant_gaps(gate: Gate, variants: Sequence[str]) -> Iterable[_Gap]:
    """Yields a gap, as (code, message, hint), where the test set does not have the variant of the gate."""
    wanted = gate.config.variant
    if wanted is not None and wanted not in variants:
        known = (
            f"variants: {', '.join(variants)}" if variants else "this test set has one output per row, and no variants"
        )
        yield (
            "unknown-variant",
            f'the gate "{gate.written}" is about the variant "{wanted}", and the test set has none of that name',
            suggestion(wanted, variants) or known,
        )


def read_gates(data: Any, context: Mapping[str, Any]) -> tuple[Gate, ...]:
    """Reads the section `gates` of a suite: the gates in the order of the file, each with its target resolved against the evaluators in
    `context`, to which notes are added. Raises BadSettings with every mistake, each at its place."""
    if not isinstance(data, Mapping):
        raise bad(f"gates must be a map from a target to its limits; found {spell(data)}", hint=_gate_hint(data))
    names = {line.name: line.settings.scored_fields().names for line in context["evaluators"]}
    evaluator_of_field: dict[str, str] = {}
    for line in context["evaluators"]:
        scored = line.settings.scored_fields()
        evaluator_of_field |= dict.fromkeys((*scored.declared, *scored.awaited, *scored.names), line.name)
    gates: list[Gate] = []
    details: list[Detail] = []
    for key, limits in data.items():
        name, dot, rest = key.partition(".")
        written = f"{filled_texts().name(name)}{dot}{rest}"
        several = isinstance(limits, list)
        if limits == []:
            details.append(
                Detail((written,), f'the gate "{written}" has no limit', f"write {written}: {{fail_below: 0.9}}")
            )
        for index, settings in enumerate(limits if several else [limits]):
            prefix = (written, index) if several else (written,)
            if not isinstance(settings, Mapping):
                number = isinstance(settings, (int, float)) and not isinstance(settings, bool)
                limit = settings if number else 0.9
                message = f'the limits of the gate "{written}" must be a map; found {spell(settings)}'
                details.append(Detail(prefix, message, f"write {written}: {{fail_below: {limit}}}", code="bad-value"))
                continue
            try:
                if written in context["measures"]:
                    measure_config = build(NumericColumnGateConfig, settings, noun="a gate on a measure")
                    gates.append(Gate(written, Target(written, None), measure_config))
                else:
                    config = build(GateConfig, settings, noun="a gate")
                    gates.extend(_gates_on(written, config, names, context))
                context["notes"].extend(
                    ((key,), note) for note in _metric_name_notes(gates[-1], settings.get("metric"), context)
                )
            except BadSettings as error:
                details.extend(detail.under(*prefix) for detail in error.details)
            except Problems as error:
                unknown = error.issues[0].code == "unknown-evaluator"
                if unknown and context["may_be_called"](written.partition(".")[0]):
                    continue  # perhaps one that could not be read, and that is said where it stands
                evaluator = evaluator_of_field.get(written)
                hint = (
                    None if evaluator is None else f'"{written}" is a field of "{evaluator}": write {evaluator}.{written}'
                )
                details.extend(
                    Detail((written,), issue.message, hint or issue.hint, True, issue.code) for issue in error.issues
                )
    if details:
        raise BadSettings(details)
    return tuple(gates)


def _gates_on(
    written: str, config: GateConfig, names: Mapping[str, Sequence[str]], context: Mapping[str, Any]
) -> Iterator[Gate]:
    """Yields the gate on a target, or one on each field that the target stands for. `names` are the fields that evaluators list."""
    known = {line.name: line.settings.scored_fields().of_rows for line in context["evaluators"]}
    every = of_every_field(written, known)
    if every is None:
        yield Gate(written, parse_target(written, names, also=context["measures"]), config)
        return
    for line in context["evaluators"]:
        with_confidence = confidence_paths(line) if config.metric in OF_CONFIDENCE else ()
        for path in with_confidence or known[line.name]:
            if every in (EVERY, line.name):
                yield Gate(f"{line.name}.{path}", Target(line.name, path), config, of_every=written)


_COMPARED: Final = re.compile(r"\s*([\w.\[\]*]+)\s*(>=?|<=?)\s*(\d+(?:\.\d+)?)\s*")


def _gate_hint(data: Any) -> str:
    """A hint how gates are written: in the words of a comparison such as `accuracy > 0.9` where the section is a list of those."""
    match = _COMPARED.fullmatch(data[0]) if isinstance(data, list) and data and isinstance(data[0], str) else None
    if match is None:
        return "write gates: {EVALUATOR: {fail_below: 0.9}}"
    return f"write gates: {{{match[1]}: {{{'fail_below' if '>' in match[2] else 'fail_above'}: {match[3]}}}}}"


def _metric_name_notes(gate: Gate, written: object, context: Mapping[str, Any]) -> Iterator[str]:
    """Notes where the suite writes a metric (`written`) by a name that means another metric elsewhere."""
    word, metric = "_".join(str(written).lower().split()), gate.metric
    if metric in MICRO and word in POOLED:
        yield f'the metric "{written}" of an evaluator is called "{metric}" here'
    elif word == "mean_score" and gate.target.field is None:
        line = next(line for line in context["evaluators"] if line.name == gate.target.evaluator)
        if "mean_field_score" in line.settings.scored_fields().metrics:
            yield f'"{written}" is the mean of the scores of rows; the mean over the fields of a row is "mean_field_score"'
