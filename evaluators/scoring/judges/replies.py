"""What a model wrote, as verdicts: read leniently, believed strictly.

A code fence, prose and reasoning around the JSON are set aside. A verdict counts where it is whole: its id is one that was
asked, once, its parts have their kinds, a score is a number from 0 to 1, and a match and a score that are both there agree.
Two different answers in one reply are none. What is refused has its reason; no verdict is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from evaluators.scoring.judges.judge import JudgeAnswer
from evaluators.scoring.judges.messages import Prompt
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_documents import documents
from evaluators.scoring.values.json_text import NotJSON
from evaluators.scoring.values.quoting import quote

_HALF: Final = 0.5
_MOST_QUOTED: Final = 200
_MOST_DIGITS: Final = 20
_WORDS: Final = {"true": True, "false": False}
_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,), "number": (int, float), "integer": (int,), "boolean": (bool,), "array": (list,), "object": (dict,),
}  # fmt: skip


class BadReply(Exception):
    """Why a reply, or one verdict of it, says nothing that counts."""


def verdicts_in(reply: str | None, prompt: Prompt, count: int) -> list[JudgeAnswer | BadReply]:
    """The verdict on each of `count` questions, or why there is none. Raises BadReply where the whole reply counts for nothing."""
    answers: list[JudgeAnswer | BadReply] = [BadReply("the reply has no verdict on it")] * count
    seen: dict[int, Any] = {}
    for verdict in _verdicts(reply, count):
        number = _question_number(verdict, count)
        if number in seen:
            if not json_equal(seen[number], verdict):
                answers[number - 1] = BadReply("the reply has two different verdicts on it")
            continue
        seen[number] = verdict
        try:
            answers[number - 1] = _answer_of_verdict(verdict, prompt)
        except BadReply as refused:
            answers[number - 1] = refused
    return answers


def _verdicts(reply: str | None, count: int) -> Sequence[Any]:
    """The verdicts on `count` questions in a reply, as they stand in it. Raises BadReply where there are none, or two different lists."""
    if not reply or not reply.strip():
        raise BadReply("the reply is empty")
    try:
        values = [document.value for document in documents(reply).found]
    except NotJSON as error:
        raise BadReply(f"the reply is not JSON: {error.message}") from None
    lists = [verdicts for value in values if (verdicts := _verdicts_of(value, count)) is not None]
    if not lists:
        raise BadReply(f"the reply has no verdicts: {quote(reply.strip())}")
    if any(not json_equal(lists[0], other) for other in lists[1:]):
        raise BadReply("the reply gives two different answers")
    return lists[0]


def _verdicts_of(value: Any, count: int) -> list[Any] | None:
    """The verdicts in a JSON document: the list under its key `verdicts`, or the document itself where it is a list of objects with ids; or
    a list of the document alone where it is a verdict and one question was asked. None where it holds no verdicts."""
    if isinstance(value, dict) and isinstance(value.get("verdicts"), list):
        listed: list[Any] = value["verdicts"]
        return listed
    if isinstance(value, list) and value and all(isinstance(item, dict) and "id" in item for item in value):
        return value
    if count == 1 and isinstance(value, dict) and ("score" in value or "match" in value):
        return [{"id": 1, **value}]
    return None


def _question_number(verdict: Any, count: int) -> int:
    """The number of the question that a verdict is about. Raises BadReply for one that was not asked."""
    number = verdict.get("id") if isinstance(verdict, dict) else None
    if isinstance(number, str) and number.isdecimal() and len(number) <= _MOST_DIGITS:
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= count:
        raise BadReply(f"the reply has a verdict on {quote(number)}, which was not asked: ids go from 1 to {count}")
    return number


def _answer_of_verdict(data: Mapping[str, Any], prompt: Prompt) -> JudgeAnswer:
    """The answer of a verdict in a reply, whose parts the prompt names; `score` and `match` count even where it does not. A match has the
    score 1. Raises BadReply for a part of the wrong kind, and for parts that contradict each other."""
    parts = {name: _verdict_part(data, name, schema) for name, schema in prompt.verdict.items()}
    known = {"score": {"type": "number"}, "match": {"type": "boolean"}}
    for name, schema in known.items():
        if name not in parts and data.get(name) is not None:
            parts[name] = _verdict_part(data, name, schema)
    score, match, reason = parts.pop("score", None), parts.pop("match", None), parts.pop("reason", None)
    if score is not None and not 0 <= score <= 1:
        raise BadReply(f"the score is {score}; a score is a number from 0 to 1")
    if score is not None and match is not None and match is not (score >= _HALF):
        raise BadReply(f"the verdict contradicts itself: match is {str(match).lower()} and the score is {score}")
    if match:
        score = 1.0
    return JudgeAnswer(float(score or 0.0), match, reason or None, parts)


def _verdict_part(data: Mapping[str, Any], name: str, schema: Mapping[str, Any]) -> Any:
    """The part `name` of a verdict, of the kind that its JSON Schema wants. Numbers and truth values that are written as text count, and
    2.0 is 2. Raises BadReply for any other kind."""
    value, kind = data.get(name), str(schema["type"])
    if name == "reason" and value is None:  # nothing hangs on it
        return ""
    if isinstance(value, str) and kind in ("number", "integer"):
        value = _number_in_text(value, kind)
    elif isinstance(value, str) and kind == "boolean":
        value = _WORDS.get(value.strip().lower(), value)
    elif isinstance(value, float) and kind == "integer" and value.is_integer():
        value = int(value)
    if not isinstance(value, _KINDS[kind]) or (isinstance(value, bool) and kind != "boolean"):
        raise BadReply(f'the verdict has no "{name}" of the kind {kind}: {quote(data.get(name))}')
    if kind in ("array", "object"):
        _check_inside(name, value, schema)
    return value


def _check_inside(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    """Raises BadReply for a part of a verdict that does not fit its JSON Schema."""
    from jsonschema import Draft202012Validator  # imported when used: few prompts ask for lists

    wrong = next(Draft202012Validator(schema).iter_errors(value), None)
    if wrong is not None:
        raise BadReply(f'"{name}" of the verdict is not as it was asked for: {wrong.message[:_MOST_QUOTED]}')


def _number_in_text(text: str, kind: str) -> object:
    """A text as the number that it writes, whole for the type `integer`; any other text stays."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if kind == "integer" and number.is_integer() else number
