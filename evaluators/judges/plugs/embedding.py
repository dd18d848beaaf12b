"""The judge `embedding`: how near two texts are, in a model of sentences on this machine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from evaluators.issues import Problems
from evaluators.judges.judge import Judge, JudgeAnswer, JudgeQuestion, unanswered
from evaluators.judges.sentence_model import SentenceModel, checksum_of, read_config
from evaluators.settings import Name
from evaluators.values.quoting import quote

_PROMPTS: Final = ("semantic", "string_semantic")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+")
_MONTHS: Final = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
_DATE: Final = re.compile(
    rf"(?:\d{{1,4}}(?:st|nd|rd|th)?[\s,./-]+(?:of\s+)?)?(?:{_MONTHS})\.?[\s,./-]+\d{{1,4}}(?:st|nd|rd|th)?(?:[\s,./-]+\d{{2,4}})?",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"\S*\d\S*")
_DIGITS_OF_COSINE: Final = 4
_MOST_KEPT: Final = 50_000


class Embedding(Judge):
    """How near two texts are, in a model of sentences on this machine. Nothing is sent anywhere.

    It needs the extra `embedding`, and a folder with a model: one that sentence-transformers saved (the kind BERT, such
    as MiniLM), or one of model2vec. It answers `semantic` and `string_semantic`, and nothing that needs words to be followed:
    `string_llm`, `array_llm`, `llm_judge` and fields with `instructions` are errors.

    Near is not the same. "it costs 42 EUR" and "it costs 43 EUR" are nearly one text to such a model, and "paid" and "not paid" are
    not far apart. So it never answers about numbers, dates and codes, which are errors with a reason; and texts whose numbers
    differ never match, however near they are. Numbers in words are not seen. Use it for names and free text, and compare its
    answers with rows that people have marked (`evaluators calibrate`).
    """

    model: Name
    """The folder of the model, relative to the suite."""
    match_at: float = Field(0.8, gt=0.0, le=1.0)
    """The cosine from which on two texts mean the same for `semantic`. A field of `string_semantic` earns the cosine itself."""

    _folder: Path = PrivateAttr(default_factory=Path)
    _vectors: dict[str, Any] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _place(self, info: ValidationInfo) -> Self:
        self._folder = Path((info.context or {}).get("folder") or Path()) / self.model
        return self

    def ready(self) -> None:
        read_config(self._folder)
        _ = self._loaded

    def notice(self) -> tuple[str, ...]:
        return (f"Questions are answered on this machine, by the model in {self.model}.",)

    def meaning(self) -> Mapping[str, Any]:
        return {"model": self._checksum, "match_at": self.match_at}

    @cached_property
    def _loaded(self) -> SentenceModel:
        return SentenceModel(self._folder)

    @cached_property
    def _checksum(self) -> str:
        try:
            return checksum_of(self._folder)
        except OSError:
            return "no model"

    def answer(self, questions: Sequence[JudgeQuestion]) -> Sequence[JudgeAnswer]:
        refused = [why_not(one) for one in questions]
        pairs = [one for one, why in zip(questions, refused, strict=True) if why is None]
        who = {"judge": "embedding", "model": Path(self.model).name, "prompt": "cosine 1"}
        try:
            self._keep([text for one in pairs for text in (one.expected, one.actual)])
        except Problems as error:
            issue = error.issues[0]
            lost = unanswered(issue.code, str(issue.message), issue.hint)
            return [JudgeAnswer(who=who, error=lost)] * len(questions)
        return [
            self._answer(one, who) if why is None else JudgeAnswer(who=who, error=unanswered("not-for-embedding", why))
            for one, why in zip(questions, refused, strict=True)
        ]

    def _keep(self, texts: Sequence[str]) -> None:
        """Works out the vectors that are not there yet."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            if len(self._vectors) > _MOST_KEPT:
                self._vectors.clear()
                new = list(dict.fromkeys(texts))
            self._vectors.update(zip(new, self._loaded.vectors(new), strict=True))

    def _answer(self, question: JudgeQuestion, who: Mapping[str, Any]) -> JudgeAnswer:
        one, other = question.expected, question.actual
        cosine = round(min(1.0, max(0.0, float(self._vectors[one] @ self._vectors[other]))), _DIGITS_OF_COSINE)
        details = {"cosine": cosine}
        if (ours := numbers_in(one)) != (theirs := numbers_in(other)):
            shown = " and ".join(", ".join(sorted(each.elements())) or "none" for each in (ours, theirs))
            return JudgeAnswer(0.0, False, f"their numbers differ: {shown}", details, who)
        if question.prompt == "semantic":
            return JudgeAnswer(float(cosine >= self.match_at), None, f"cosine {cosine:g}", details, who)
        return JudgeAnswer(cosine, None, f"cosine {cosine:g}", details, who)


def why_not(question: JudgeQuestion) -> str | None:
    """Why nearness says nothing about the two values of a question; None where it does."""
    if question.prompt not in _PROMPTS:
        return f'the judge "embedding" compares two texts; it cannot answer "{question.prompt}"'
    if question.instructions is not None:
        return 'the judge "embedding" cannot follow instructions'
    for value in (question.expected, question.actual):
        if not isinstance(value, str):
            return f'the judge "embedding" compares texts; found {quote(value)}'
        if (what := what_else(value)) is not None:
            return f'the judge "embedding" is not asked about {what}; found {quote(value)}'
    return None


def what_else(text: str) -> str | None:
    """What a text is that only looks like one: a number, a date, a code, nothing; None for words."""
    bare = text.strip()
    if not any(map(str.isalnum, bare)):
        return "a text without words"
    if not any(map(str.isalpha, bare)):
        return "numbers and dates"
    if _DATE.fullmatch(bare):
        return "dates"
    if all(_CODE.fullmatch(word) for word in bare.split()):
        return "codes"
    return None


def numbers_in(text: str) -> Counter[str]:
    """The numbers of a text with how often each occurs. 1,000 is 1000; what could be read in two ways stays as it is written."""
    return Counter(found.replace(",", "") if _THOUSANDS.fullmatch(found) else found for found in _NUMBER.findall(text))
