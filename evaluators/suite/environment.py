"""`${NAME}` and `${NAME:-default}` in text.

The default stands in when the variable is missing or empty, as in a shell. `$${` is a literal `${`. What a variable
holds is never read again, so a value cannot name another variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from evaluators.registry import suggestion
from evaluators.settings import BadSettings, Detail

_MARK = re.compile(r"\$\$\{|\$\{(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^{}]*))?\})?")


class FilledText(Struct, frozen=True):
    """A text with its variables filled in."""

    text: str
    shown: str
    """The text with `${NAME}` where the environment gave a value; a default is no secret and stands for itself."""
    values: Mapping[str, str]
    """Each value that the environment gave → `${NAME}`."""


def filled_in(text: str, environment: Mapping[str, str]) -> FilledText:
    """The text with its variables filled in.

    Raises BadSettings with every variable that is missing and every `${` that cannot be read.
    """
    details: list[Detail] = []
    values: dict[str, str] = {}

    def fill(found: re.Match[str]) -> str:
        if found[0] == "$${":
            return "${"
        name, default = found["name"], found["default"]
        if name is None:
            details.append(_malformed(text[found.start() :]))
            return ""
        value = environment.get(name)
        if default is not None and not value:
            return str(default)
        if value is None:
            details.append(_missing(name, environment))
            return ""
        values[value] = f"${{{name}}}"
        return value

    def show(found: re.Match[str]) -> str:
        name, default = found["name"], found["default"]
        if name is None:
            return "${"
        return f"${{{name}}}" if environment.get(name) or default is None else str(default)

    answer = _MARK.sub(fill, text)
    if details:
        raise BadSettings(details)
    return FilledText(answer, _MARK.sub(show, text), values)


def _missing(name: str, environment: Mapping[str, str]) -> Detail:
    hint = suggestion(name, environment) or f"set {name} before the run, or give it a default: ${{{name}:-default}}"
    return Detail((), f'the environment variable "{name}" is not set', hint, code="missing-variable")


def _malformed(rest: str) -> Detail:
    shown = rest[: rest.find("}") + 1 or 20]
    message = f"{shown} is not a variable; it is written ${{NAME}} or ${{NAME:-default}}, with letters, digits and _"
    return Detail((), message, "for the two characters ${ themselves write $${", code="bad-variable")
