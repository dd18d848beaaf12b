"""A change of the form, written into the text of the suite.

Strategy: a change becomes values at places, as few as possible, and `suite.text_edits` writes them. Nothing here reads YAML: where things
stand is asked of the suite that the one reader made.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from msgspec import UNSET, UnsetType

from evaluators.api.suite import Suite
from evaluators.model.issues import problem
from evaluators.model.settings import Loc
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.studio.choices import comparator_choices, comparator_options, nest_options, shown_values
from evaluators.studio.form import SKIP, WrittenField, at_loc, canonical_path, written_field, written_settings
from evaluators.studio.messages import (
    AddCheck,
    AnyEdit,
    Apply,
    RemoveCheck,
    RemoveField,
    SetCheck,
    SetField,
    SetGate,
    SetRole,
)
from evaluators.suites.source import loads
from evaluators.suites.text_edits import data_of, with_value, without


def apply_edit(suite: Suite, edit: AnyEdit) -> str:
    """The text of a suite with an edit made. Raises Problems (config) where it cannot be made here."""
    return _edit_text(edit, suite, suite.config.source.text)


@singledispatch
def _edit_text(edit: Any, suite: Suite, text: str) -> str:
    """The text with an edit made: one function for each kind of edit."""
    raise TypeError(type(edit))


@_edit_text.register
def _(edit: SetField, suite: Suite, text: str) -> str:
    """The suite's text with another comparator of a field, other settings beside it, or the field skipped. Short forms stay short where
    nothing stands beside the comparator. Raises Problems for a change to a field that stays skipped."""
    line = _line_at(suite, edit.evaluator)
    text, fields = _fields_as_map(suite, line, text)
    path = _written_path(fields, edit.path)
    loc, body = (*line.loc, "fields", path), fields.get(path)
    was = written_field(body) if path in fields else WrittenField("", {}, {}, False)
    compare = _written_comparator(edit, was)
    if edit.skip is True:
        return with_value(text, loc, SKIP)
    if was.compare == SKIP and edit.skip is UNSET and edit.compare is UNSET:
        raise problem("skipped-field", f'"{path}" is skipped, so nothing else can be said of it', hint="compare it first")
    beside = _settings_beside(edit, was)
    if not beside and not was.long:
        return text if compare == body and path in fields else with_value(text, loc, compare)
    if not was.long:
        return with_value(text, loc, ({"compare": compare} if compare is not None else {}) | beside)
    if compare is not None and compare != (body or {}).get("compare", "exact" if was.compare else None):
        text = with_value(text, (*loc, "compare"), compare)
    for key in ("align", "weight", "required"):
        if key in beside and beside[key] != was.beside.get(key):
            text = with_value(text, (*loc, key), beside[key])
        elif key in was.beside and key not in beside:
            text = _without_setting(text, (*loc, key), compare or "exact")
    return text


@_edit_text.register
def _(edit: RemoveField, suite: Suite, text: str) -> str:
    """Takes a field away. Raises Problems where it is the last one of its evaluator."""
    line = _line_at(suite, edit.evaluator)
    fields = written_settings(suite, line).get("fields")
    if len(fields or ()) < 2:
        hint = "take the evaluator away, or skip the field"
        raise problem("last-field", "an evaluator compares at least one field", hint=hint)
    path = _written_path(fields, edit.path) if isinstance(fields, Mapping) else (fields or []).index(edit.path)
    return without(text, (*line.loc, "fields", path))


@_edit_text.register
def _(edit: AddCheck, suite: Suite, text: str) -> str:
    """Adds an evaluator at the end of the list; one without settings is a word alone."""
    settings = ({"name": edit.name} if edit.name else {}) | nest_options(edit.options)
    if edit.fields:
        settings["fields"] = dict.fromkeys(edit.fields, "exact")
    item = {"type": edit.type, **settings} if settings else edit.type
    return with_value(text, ("evaluators", len(suite.config.source.data["evaluators"])), item)


@_edit_text.register
def _(edit: SetCheck, suite: Suite, text: str) -> str:
    """The suite's text with other settings of an evaluator; an option that is None is taken away."""
    line = _line_at(suite, edit.place)
    written = at_loc(suite.config.source.shown, line.loc)
    options = nest_options({name: value for name, value in edit.options.items() if value is not None})
    if isinstance(written, str):  # a word alone
        return with_value(text, line.loc, {written: options}) if options else text
    if written is None:  # a word and a colon
        return with_value(text, line.loc, options) if options else text
    for name, value in edit.options.items():
        loc = (*line.loc, *name.split("."))
        if value is not None:
            text = with_value(text, loc, value)
        elif at_loc(written, name.split(".")) is not None:
            text = _without_setting(text, loc, None)
    return text


@_edit_text.register
def _(edit: RemoveCheck, suite: Suite, text: str) -> str:
    """Takes an evaluator away. Raises Problems where it is the last one of the suite."""
    if len(suite.config.source.data["evaluators"]) < 2:
        raise problem("last-evaluator", "a suite has at least one evaluator", hint="add another one first")
    return without(text, ("evaluators", edit.place))


@_edit_text.register
def _(edit: SetGate, suite: Suite, text: str) -> str:
    """Sets the limit of a gate; a value of None takes it away, where it is there."""
    loc = ("gates", edit.target, edit.limit)
    if edit.value is not None:
        return with_value(text, loc, edit.value)
    return without(text, loc) if at_loc(suite.config.source.shown, loc) is not None else text


@_edit_text.register
def _(edit: SetRole, suite: Suite, text: str) -> str:
    """Names the column of a role; an empty column takes the role away, where it is there."""
    shown = suite.config.source.shown.get("test_set")
    loc = ("test_set", "columns", edit.role)
    if not edit.column:
        return without(text, loc) if at_loc(suite.config.source.shown, loc) is not None else text
    if isinstance(shown, str):  # the file alone
        return with_value(text, ("test_set",), {"file": shown, "columns": {edit.role: edit.column}})
    return with_value(text, loc, edit.column)


@_edit_text.register
def _(edit: Apply, suite: Suite, text: str) -> str:
    """The suite's text with a suggestion written into it: an item of a list (`- `) takes the place of the evaluator; anything else is
    written into the evaluator, or into the field that a path names."""
    line = _line_at(suite, edit.evaluator)
    if edit.write.startswith("- "):
        (item,) = loads(f"evaluators:\n{edit.write}\n").data["evaluators"]
        return with_value(text, ("evaluators", edit.evaluator), item)
    written = loads(edit.write if ": " in edit.write else f"compare: {edit.write}").data
    if not edit.path:
        if isinstance(word := at_loc(suite.config.source.shown, line.loc), str):
            return with_value(text, line.loc, {word: written})
        for key, value in written.items():
            text = with_value(text, (*line.loc, key), value)
        return text
    text, fields = _fields_as_map(suite, line, text)
    path = _written_path(fields, edit.path)
    loc, was = (*line.loc, "fields", path), written_field(fields.get(path))
    beside = {key: value for key, value in written.items() if key in ("align", "transforms")}
    compare = written.get("compare") or {key: value for key, value in written.items() if key not in beside}
    if not was.long:
        old = {"compare": fields[path]} if path in fields else {}
        return with_value(text, loc, (old | beside) if beside else compare)
    for key, value in (beside or {"compare": compare}).items():
        text = with_value(text, (*loc, key), value)
    return text


def _line_at(suite: Suite, place: int) -> EvaluatorLine:
    """The evaluator at a place in the suite. Raises Problems (config) where there is none any more."""
    if not 0 <= place < len(suite.config.lines):
        raise problem("no-evaluator", "there is no such evaluator any more", hint="read the suite again")
    return suite.config.lines[place]


def _fields_as_map(suite: Suite, line: EvaluatorLine, text: str) -> tuple[str, dict[str, Any]]:
    """The fields of an evaluator by path, and the text, in which a list of paths becomes a map."""
    fields = written_settings(suite, line).get("fields")
    if isinstance(fields, list):
        named: dict[str, Any] = dict.fromkeys(map(str, fields), "exact")
        return with_value(text, (*line.loc, "fields"), named), named
    return text, dict(fields or {})


def _written_path(fields: Mapping[str, Any], path: str) -> str:
    """The key of a field as the suite spells it; a path that it does not have stays as it is."""
    if path in fields:
        return path
    wanted = canonical_path(path)
    return next((key for key in fields if canonical_path(key) == wanted), path)


def _written_comparator(edit: SetField, was: WrittenField) -> Any:
    """The comparator of a field after the edit as it is written, a word or a map from the word to its options; None where the line has none
    and gets none. Options for the same word that the form does not show stay; those for another word go."""
    skipped = edit.skip is False and was.compare == SKIP
    word = edit.compare if isinstance(edit.compare, str) else "exact" if skipped else was.compare
    if not word:
        return None if was.long else "exact"
    known = {choice.name for choice in comparator_choices()}
    shown = shown_values(comparator_options(word), was.options)[0] if word in known else {}
    own_options = was.options if word == was.compare else {}
    if isinstance(edit.options, UnsetType):
        options: Any = own_options
    else:
        options = _merge_settings(
            own_options, nest_options({**dict.fromkeys(shown if own_options else (), None), **edit.options})
        )
    return {word: options} if options else word


def _merge_settings(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with `changes` in their place. Null removes a setting, and a map that becomes empty goes."""
    kept_settings = dict(settings)
    for key, value in changes.items():
        if isinstance(value, Mapping):
            inner = kept_settings.get(key)
            value = _merge_settings(inner if isinstance(inner, Mapping) else {}, value) or None
        if value is None:
            kept_settings.pop(key, None)
        else:
            kept_settings[key] = value
    return kept_settings


def _settings_beside(edit: SetField, was: WrittenField) -> dict[str, Any]:
    """The settings beside the comparator after the edit: what it leaves out stays as it was, and what it sets to None, or to not required,
    goes."""
    beside = dict(was.beside)
    if edit.weight is not UNSET:
        beside["weight"] = edit.weight
    if edit.required is not UNSET:
        beside["required"] = edit.required or None
    if edit.align is not UNSET:
        beside["align"] = _alignment(edit, was.beside.get("align"))
    return {key: value for key, value in beside.items() if value is not None}


def _alignment(edit: SetField, was: Any) -> Any:
    """The alignment of a field as it is written: a word, or a map with its options. Options that were there for the same word stay; None
    where there is none."""
    if not isinstance(edit.align, str) or not edit.align:
        return None
    own_settings = was.get(edit.align) if isinstance(was, Mapping) else None
    options = dict(own_settings) if isinstance(own_settings, Mapping) else {}
    if edit.align == "key_field" and isinstance(edit.align_key, str):
        options["key"] = edit.align_key
    return {edit.align: options} if options else edit.align


def _without_setting(text: str, loc: Loc, instead: Any) -> str:
    """The text without the setting at `loc`. Where it is the only one in its map, and `instead` is given, that takes the place of the
    map."""
    if instead is not None and len(at_loc(data_of(text), loc[:-1])) == 1:
        return with_value(text, loc[:-1], instead)
    return without(text, loc)
