"""The base of every group of settings: immutable, strict about keys, described by the texts under its attributes.

The descriptions are read from the source when a JSON Schema is written, not when the class is made: reading them costs
more than a short run.

What a suite takes from the environment, and how people read it: `${NAME}` in place of the value.

A suite is shown, written into run folders and sent to platforms. What a variable holds may be a password or the name of a
customer, so a text of the suite is turned back before anybody reads it. Only texts of the suite are: a cell of the test
set is shown as it is, also where it holds the same words.

Two ways. `as_written` takes a setting, whole, and looks it up: whoever quotes a setting in a sentence asks for it. `masked`
takes a sentence about the suite in which settings may be quoted, whole or in part, such as the message of a problem.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from itertools import pairwise
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import quote

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from evaluators.model.issues import Issue
from evaluators.model.settings.plain_words import spellings

_PART: Final = 8
"""As many characters of a value in a row give it away."""
_WHOLE: Final = 4
"""A value that is shorter is only looked for between quotes: `a` occurs in every sentence."""
_BEFORE: Final = r"(?<![^\W_])"
_BEHIND: Final = r"(?![^\W_])"
"""No letter and no digit stands beside it."""


_SPELLED: Final[tuple[Callable[[str], str], ...]] = (
    lambda value: repr(value)[1:-1],
    lambda value: json.dumps(value)[1:-1],
    lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
    lambda value: quote(value, safe="/"),
    lambda value: quote(value, safe=""),
)
"""How values are spelled in the messages of errors."""


class Filled(Struct):
    """The texts of a suite that were filled in, and what people read in their place."""

    texts: dict[str, str] = field(default_factory=dict)
    """Each whole text, as it was filled in → as it is shown."""
    values: dict[str, str] = field(default_factory=dict)
    """Each value of a variable → `${NAME}`."""

    def __bool__(self) -> bool:
        """Whether any text was filled in."""
        return bool(self.texts)

    def note(self, text: str, shown: str, values: Mapping[str, str]) -> None:
        """Notes a text of the suite, how it is shown, and the values that were filled in (value → `${NAME}`); what is known already stays.

        Inside `noting_filled_texts()` the command's own `Filled` notes it, too, so that its errors are masked.
        """
        if values:
            self.texts.setdefault(text, shown)
        for value, name in values.items():
            self.values.setdefault(value, name)
        if (every := _EVERY.get()) is not None and every is not self:
            every.note(text, shown, values)

    def as_written(self, value: Any) -> Any:
        """A setting as the suite writes it, for people: `${NAME}` stands in every text that the environment filled in, at any depth."""
        if not self.texts:
            return value
        if isinstance(value, str):
            return self.texts.get(value) or self.masked(value)
        if isinstance(value, Mapping):
            return {key: self.as_written(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(self.as_written, value)) if type(value) in (list, tuple) else value
        return value

    def name(self, name: str) -> str:
        """The name of an evaluator as others refer to it: as the suite writes it, with `${NAME}`, where the environment filled it
        in."""
        return self.texts.get(name, name)

    def masked(self, sentence: str) -> str:
        """A sentence about the suite without what was filled in, also where a value is cut or quoted in part.

        A text of the suite that holds more than a value is replaced wherever it stands. A value, or a long part of it, is
        replaced where no letter or digit stands beside it, and a short value only where it is all that is in quotes.
        """
        if not self.texts:
            return sentence
        names = {**self.values, **self.texts}
        leaked = [name for text, name in names.items() if text and text in sentence]
        if leaked:
            whole = _quoted_texts_pattern(tuple(sorted(names, key=len, reverse=True)), frozenset(self.values))
            pieces = whole.split(sentence)
            pieces[1::2] = [f'"{names[piece[1:-1]]}"' if piece not in names else names[piece] for piece in pieces[1::2]]
        else:
            pieces = [sentence]
        giveaways = frozenset(value[at : at + _PART] for value in self.values for at in range(len(value) - _PART + 1))
        for text, name in sorted(names.items(), key=lambda item: -len(item[0])):
            if len(text) >= _PART and giveaways:
                pieces = [
                    part
                    for index, piece in enumerate(pieces)
                    for part in ([piece] if index % 2 else _without_parts(piece, text, name, giveaways))
                ]
        return "".join(pieces)

    def masked_spelled(self, text: str) -> str:
        """A traceback, or a message, without what was filled in, also where it is spelled as JSON, Python or an address quotes it."""
        shown_names = {**self.values, **self.texts}
        spelled = {how(value): name for value, name in shown_names.items() if len(value) >= _WHOLE for how in _SPELLED}
        for value, name in sorted(spelled.items(), key=lambda item: -len(item[0])):
            if value not in shown_names:
                text = text.replace(value, name)
        return self.masked(text)

    def masked_issue(self, issue: Issue) -> Issue:
        """A problem with the suite, or with what it names, without what was filled in. Its excerpt is the suite's own line."""
        if not self.texts:
            return issue
        where, hint = (None if text is None else self.masked_spelled(text) for text in (issue.where, issue.hint))
        return replace(issue, message=self.masked_spelled(issue.message), where=where, hint=hint)


@lru_cache(maxsize=50)
def _quoted_texts_pattern(texts: tuple[str, ...], values: frozenset[str]) -> re.Pattern[str]:
    """A pattern with one group that finds any of the `texts` where a sentence quotes it, the first before the others. `values` are those
    that must stand alone, as values of variables do."""
    patterns = []
    for text in filter(None, texts):
        written = re.escape(text)
        if len(text) < _WHOLE:
            patterns.append(f'"{written}"')
        else:
            patterns.append(written if text not in values and len(text) >= _PART else f"{_BEFORE}{written}{_BEHIND}")
    return re.compile(f"({'|'.join(patterns)})")


def _without_parts(sentence: str, text: str, name: str, giveaways: frozenset[str]) -> list[str]:
    """The sentence cut at the long runs of characters that it shares with `text`: pieces in which every second one is `name`.

    Such a run has no letter or digit beside it, and holds one of `giveaways`, the parts by which somebody would know a value.
    """
    parts = {text[at : at + _PART] for at in range(len(text) - _PART + 1)}
    pieces, start, at = list[str](), 0, 0
    while at < len(sentence):
        end = at
        while sentence[end : end + _PART] in parts:
            end += 1
        if end == at:
            at += 1
            continue
        stop = end + _PART - 1
        alone = not (sentence[at - 1 : at].isalnum() or sentence[stop : stop + 1].isalnum())
        if alone and any(sentence[index : index + _PART] in giveaways for index in range(at, end)):
            pieces += [sentence[start:at], name]
            start = stop
        at = stop
    return [*pieces, sentence[start:]]


NOTHING_FILLED: Final = Filled()
# ambient: suites are read in many places of a command, and what fails there is printed where only the exception arrives
_EVERY: ContextVar[Filled | None] = ContextVar("every_filled_text", default=None)


@contextmanager
def noting_filled_texts() -> Iterator[Filled]:
    """Within the `with` block, notes every text that variables (`${NAME}`) fill in to a suite, also to one that turns out wrong.

    Gives the `Filled` with these texts, by which a command masks them in the errors that it prints.
    """
    filled = Filled()
    token = _EVERY.set(filled)
    try:
        yield filled
    finally:
        _EVERY.reset(token)


# ambient: a group of settings that somebody makes inside a validator, without a context, would show passwords in its messages
_READING: ContextVar[Filled] = ContextVar("filled_in_texts", default=NOTHING_FILLED)


def filled_texts() -> Filled:
    """The texts that were filled in to the suite that is being read; none where no suite is."""
    return _READING.get()


@contextmanager
def reading_filled(filled: Filled) -> Iterator[None]:
    """Within the `with` block, settings that are made keep `filled`, by which they show `${NAME}` in place of what was filled in."""
    token = _READING.set(filled)
    try:
        yield
    finally:
        _READING.reset(token)


def filled_texts_of(settings: BaseModel) -> Filled:
    """The texts that the environment filled in to the suite that these settings were read from; none for settings made by a program."""
    filled: Filled = settings.__dict__.get(_FILLED, NOTHING_FILLED)
    return filled


Name: TypeAlias = Annotated[str, Field(min_length=1)]
"""The name of something, such as a column or a file. An empty text names nothing."""


_FILLED: Final = "_filled"


class Settings(BaseModel):
    """Settings that a YAML map is read into."""

    # a model that a suite does not use is not built: building takes longer than reading settings into it
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def model_post_init(self, context: Any, /) -> None:
        """Keeps, as pydantic calls it after the settings are read, what was filled in to their suite."""
        if filled := filled_texts():
            self.__dict__[_FILLED] = filled

    def written(self, value: Any) -> Any:
        """A value of these settings as people read it: `${NAME}` in place of what the environment filled in.

        Whoever quotes a setting in a sentence, or records it, asks for it.
        """
        return filled_texts_of(self).as_written(value)

    def masked(self, sentence: str) -> str:
        """A sentence about these settings with `${NAME}` in place of what the environment filled in. It must quote no cell: a
        cell is shown as it is."""
        return filled_texts_of(self).masked(sentence)

    def masked_issue(self, issue: Issue) -> Issue:
        """A problem with these settings, or with what they name, without what the environment filled in."""
        return filled_texts_of(self).masked_issue(issue)

    def forget_computed(self) -> None:
        """Drops every `cached_property`, for a copy with other settings."""
        for name in self.__dict__.keys() - type(self).model_fields.keys() - {_FILLED}:
            del self.__dict__[name]

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The JSON Schema of the settings, each with the text that stands under its attribute. Other spellings than today's
        fit a pattern, one spelling of a setting at a time."""
        schema = handler(core)
        resolved = handler.resolve_ref_schema(schema)
        texts = {name: text for base in reversed(cls.__mro__) for name, text in _texts_under_attributes(base).items()}
        for name, of_model in cls.model_fields.items():
            today, *others = words = spellings(name, of_model)
            setting = resolved.get("properties", {}).get(today)
            if setting is None:
                continue
            if name in texts and of_model.description is None:
                setting["description"] = texts[name]
            if others:
                resolved.setdefault("patternProperties", {})[f"^({'|'.join(others)})$"] = setting
            for index, word in enumerate(others, 1):
                resolved.setdefault("dependencies", {})[word] = {"properties": dict.fromkeys(words[:index], False)}
            if others and of_model.is_required():
                resolved["required"].remove(today)
                resolved.setdefault("allOf", []).append({"anyOf": [{"required": [word]} for word in words]})
        return schema


def _texts_under_attributes(model: type) -> dict[str, str]:
    """The text under each annotated attribute of a class that has one, by attribute, on one line."""
    return _texts_of_module(model.__module__).get(model.__name__, {}) if issubclass(model, Settings) else {}


@cache
def _texts_of_module(name: str) -> dict[str, dict[str, str]]:
    """The texts under attributes, by class of a module and by attribute. Kept: reading its source takes longer than all of the schema."""
    tree = ast.parse(inspect.getsource(sys.modules[name]))
    return {node.name: dict(_texts_of_class(node)) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def _texts_of_class(body: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yields (attribute, text) for each annotated attribute of a class that has a text under it, the text on one line."""
    for statement, following in pairwise(body.body):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                yield name, " ".join(text.split())
