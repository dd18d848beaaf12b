"""The comparator `boolean`: both values mean yes, or both mean no."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

from pydantic import field_validator

from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import Comparison
from evaluators.model.settings import spell
from evaluators.scoring.comparators._comparator import Comparator, Pair, Readable
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.pairing import lookup_key
from evaluators.scoring.values.quoting import quote

Word: TypeAlias = bool | int | float | str


class Boolean(Comparator):
    """Both values are true, or both are false.

    Only true and false count, unless `words` says which texts and numbers mean them. Words are compared without regard
    to case and to spaces at the ends. With `words`, an expected text that is not one of them is a problem of the test
    set, whatever the output is: such a row has no score.
    """

    words: Mapping[str, tuple[Word, ...]] | None = None
    """What means true and what means false: `{true: [yes, si, 1], false: [no, 0]}`. A number also stands for the same
    digits in text, and true and false for themselves in text."""

    examples = (
        Pair("both true", True, True, True),
        Pair("one of each", True, False, False),
        Pair("1 is not true", True, 1, False),
        Pair("text is not true", True, "yes", False),
        Pair("unless it is listed", True, "Yes", True, {"words": {"true": ["yes", 1], "false": ["no", 0]}}),
        Pair("two words for no", "no", 0, True, {"words": {"true": ["yes", 1], "false": ["no", 0]}}),
    )

    @field_validator("words", mode="before")
    @classmethod
    def _read_words(cls, words: object) -> object:
        """The words for true and for false. Refuses anything but two lists without a word in common."""
        hint = "write words: {true: [yes, 1], false: [no, 0]}"
        if not isinstance(words, Mapping):
            raise ValueError(f"words must be a map with true and false; found {spell(words)}\nhint: {hint}")
        named = {str(key).lower(): value for key, value in words.items()}
        if set(named) != {"true", "false"}:
            allowed = ", ".join(map(str, words)) or "nothing"
            raise ValueError(f"words must name true and false, and nothing else; found {allowed}\nhint: {hint}")
        for key, listed in named.items():
            if not isinstance(listed, list | tuple) or not all(isinstance(word, Word) for word in listed):
                raise ValueError(f"the words for {key} must be a list of texts and numbers\nhint: {hint}")
        both = _meanings(named["true"], True).keys() & _meanings(named["false"], False).keys()
        if both:
            raise ValueError(f"{quote(sorted(map(str, both))[0])} means both true and false")
        return {key: tuple(listed) for key, listed in named.items()}

    def compare(self, expected: Any, actual: Any) -> bool:
        """Whether two values are equal, or mean the same boolean."""
        if json_equal(expected, actual):
            return True
        wanted = self._meaning(expected)
        return wanted is not None and wanted is self._meaning(actual)

    def key(self) -> Callable[[Any], Hashable] | None:
        """A function that gives equal values one key; None where different words may mean the same."""
        return lookup_key if self.words is None else None

    def readable(self, expected: Any) -> Readable:
        """Whether an expected value means a boolean; for a text that should and does not, what is wrong with it."""
        if self.words is None or expected.__class__ is not str or self._meaning(expected) is not None:
            return True
        message = f"the expected value {quote(expected)} is no word for true or false"
        return Issue("expected-not-a-boolean", Blame.TESTSET, message, hint="correct it, or list it in words:")

    def applies_to(self, expected: Any) -> bool:
        """Whether an expected value is a boolean, or a word that means one."""
        return isinstance(expected, bool) or (self.words is not None and self._meaning(expected) is not None)

    @property
    def reads_any(self) -> bool:
        return self.words is None

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        meaning = self._meaning(actual)
        if comparison.passed:
            return "equal" if meaning is None else f"both mean {_boolean_text(meaning)}"
        if meaning is None and isinstance(actual, str):
            return f"{quote(actual)} is no word for true or false"
        if meaning is None or self.words is None:
            return difference_text(expected, actual)
        return f"{quote(actual)} means {_boolean_text(meaning)}; expected {quote(expected)}"

    def _meaning(self, value: Any) -> bool | None:
        """The boolean that a value means; None for a value that means neither."""
        if value is True or value is False:
            return bool(value)
        if value.__class__ is str:
            return self._meaning_of_words.get(value.strip().casefold())
        return self._meaning_of_words.get(value) if isinstance(value, int | float) else None

    @cached_property
    def _meaning_of_words(self) -> dict[int | float | str, bool]:
        """The boolean of each word and number that `words` lists."""
        words = self.words or {}
        return {**_meanings(words.get("true", ()), True), **_meanings(words.get("false", ()), False)}


def _boolean_text(meaning: bool) -> str:
    """A boolean as JSON writes it."""
    return "true" if meaning else "false"


def _meanings(words: Iterable[Word], meaning: bool) -> dict[int | float | str, bool]:
    """A table that gives all these words one meaning. Its keys are texts without case and outer spaces; a number is also its own key."""
    meanings: dict[int | float | str, bool] = {}
    for word in words:
        if isinstance(word, bool):
            meanings[_boolean_text(word)] = meaning
            continue
        meanings[str(word).strip().casefold()] = meaning
        if not isinstance(word, str):
            meanings[word] = meaning
    return meanings
