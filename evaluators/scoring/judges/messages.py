"""Prompts, questions as the messages of a chat, and the schema of the reply.

A prompt is a text with a version, a file in `prompts/`, found by the word that asks. It begins with its name and version, and has
three parts. `system` and `user` are the two messages; in `user`, `$count`, `$instructions`, `$data` and `$mark` are filled
in. `verdict` is the JSON Schema of the verdict on one question, by name.

Values of rows are data. Each question is one line of JSON between two lines with a mark that is made from the data itself,
so that no value can hold it; a value cannot leave its quotes, and invisible and direction-changing characters are written
as escapes. What the suite says about a question stands outside, by number.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from evaluators.model.rows import MISSING
from evaluators.scoring.judges.judge import ITEMS, JudgeQuestion
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.quoting import json_escape

Messages: TypeAlias = list[dict[str, str]]

_FOLDER: Final = Path(__file__).with_name("prompts")
_PART: Final = "=== "

_BLANK: Final = re.compile(r"\$(instructions|data|mark|count)")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp"})
_BYTES_PER_TOKEN: Final = 4
_TOKENS_PER_VERDICT: Final = 60


class Prompt(msgspec.Struct, frozen=True):
    """A prompt: the texts around the questions that a model reads."""

    name: str
    version: int
    system: str
    user: str
    verdict: Mapping[str, Any]
    """What a verdict holds beside its id, as JSON Schema, by name."""
    checksum: str
    """Of the whole file."""

    @property
    def label(self) -> str:
        """Name and version, as answers record it."""
        return f"{self.name} {self.version}"


def prompt_names() -> tuple[str, ...]:
    """The words that have a prompt, sorted."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.txt")))


@cache
def prompt_of(name: str) -> Prompt | None:
    """The prompt in the file `prompts/NAME.txt`; None where there is no such file."""
    if name not in prompt_names():
        return None
    text = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    head, *parts = text.split(f"\n{_PART}")
    by_name = {title: body.strip("\n") for title, _, body in (part.partition("\n") for part in parts)}
    named, version = head.split()
    return Prompt(
        named, int(version), by_name["system"], by_name["user"], json.loads(by_name["verdict"]),
        sha256(text.encode()).hexdigest(),
    )  # fmt: skip


def messages_of(prompt: Prompt, questions: Sequence[JudgeQuestion]) -> Messages:
    """The two messages, of the system and of the user, that ask some questions; the ids of these count from 1. A mark with a checksum of
    the data goes around it, so that the data cannot hold its own end."""
    data = "\n".join(_question_line(number, question) for number, question in enumerate(questions, 1))
    instructions = "".join(
        line for number, question in enumerate(questions, 1) for line in _instruction_lines(number, question)
    )
    if instructions:
        instructions = f"What the author of the test says about single ids:\n{instructions}\n"
    digest = sha256(f"{instructions}\n{data}".encode("utf-8", "backslashreplace")).hexdigest()[:16]
    filled = {"instructions": instructions, "data": data, "mark": f"=== data {digest} ===", "count": str(len(questions))}
    user = _BLANK.sub(lambda match: filled[match[1]], prompt.user)  # in one pass: what is filled in has no blanks
    return [{"role": "system", "content": prompt.system}, {"role": "user", "content": user}]


def reply_schema(prompt: Prompt, choices: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON Schema of the reply, in the strict form that endpoints ask for. A `choice` is one of `choices`."""
    verdict = {"id": {"type": "integer"}, **prompt.verdict}
    if choices:
        verdict["choice"] = {"type": "string", "enum": list(choices)}
    return _closed_object_schema({"verdicts": {"type": "array", "items": _closed_object_schema(verdict)}})


def estimated_tokens(messages: Messages, questions: int) -> tuple[int, int]:
    """About how many tokens a request and its reply have: four bytes are taken for one."""
    size = sum(len(message["content"].encode("utf-8", "backslashreplace")) for message in messages)
    return -(-size // _BYTES_PER_TOKEN), questions * _TOKENS_PER_VERDICT


def _closed_object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object with these keys, all of them, and no other."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _instruction_lines(number: int, question: JudgeQuestion) -> Iterator[str]:
    """The lines of a prompt with the suite's instructions on one question."""
    if question.instructions:
        yield f"- id {number}: {_json_line(question.instructions)}\n"
    if items := question.params.get(ITEMS):
        yield f"- id {number}, how parts of an item are compared: {_json_line(items)}\n"


def _question_line(number: int, question: JudgeQuestion) -> str:
    """A question as the prompt shows it: its number, its values and its payload, as JSON."""
    data: dict[str, Any] = {"id": number}
    for side in ("expected", "actual"):
        if (value := getattr(question, side)) is not MISSING:
            data["found" if side == "actual" else side] = value
    return _json_line(data | dict(question.payload))


def _json_line(value: Any) -> str:
    """The value as JSON on one line; what cannot be seen is written as an escape."""
    try:
        text = to_text(value)
    except (TypeError, ValueError):  # what a transform made of a value need not be JSON
        text = json.dumps(value, ensure_ascii=False, default=str)
    if text.isascii():
        return text
    return "".join(json_escape(char) if unicodedata.category(char) in _HIDDEN else char for char in text)
