"""Where words and codes stand in a text as whole ones, not as parts of longer ones.

The first few are searched for. For many, the places of all words of the text are noted once, so that the time stays in proportion to
the text and to what is looked for in it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, TypeAlias

from evaluators.model.limits import row_clock
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.text import strip_accents

Span: TypeAlias = tuple[int, int]
"""Where a part of a text begins and ends."""
FEW: Final = 64
"""So many numbers, days or codes are searched for one by one; for more of them, what stands in a text is noted first."""
FEW_WORDS: Final = 256
"""So many texts are; to search for one takes less."""


class WordPlaces:
    """A text in which words and codes are found as whole ones."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._words, self._codes = dict[str, int](), dict[Code, Span | None]()
        self._codes_by_length: dict[int, Mapping[str, Sequence[int]]] = {}

    def of_words(self, wanted: str) -> int:
        """The place at which the `wanted` words stand as whole ones; -1 where they do not. The answer is remembered for the next call."""
        at = self._words.get(wanted)
        if at is None:
            at = (
                self._find_at_rarest_word(wanted)
                if len(self._words) >= FEW_WORDS
                else find_whole_words(self.text, wanted)
            )
            self._words[wanted] = at
        return at

    def of_code(self, code: Code) -> Span | None:
        """The first span of a code, with or without spaces and hyphens; None where it is not in the text. It is remembered."""
        if code not in self._codes:
            if len(self._codes) < FEW:
                match = code.pattern().search(self.text)
                self._codes[code] = match and match.span()
            else:
                self._codes[code] = self._code_at_places(code)
        return self._codes[code]

    def _code_at_places(self, code: Code) -> Span | None:
        """The first span of a code, looked for only where its letters stand; None where it is not in the text."""
        places = [at for letters in code.spellings() for at in self._codes_of_length(len(letters)).get(letters, ())]
        return next(filter(None, (code.span_at(self.text, at) for at in sorted(places))), None)

    def _find_at_rarest_word(self, wanted: str) -> int:
        """The place of some words, looked for where the rarest of them is; -1 where they are not in the text."""
        places, offset = min(
            ((self._places.get(match[0], ()), match.start()) for match in _WORD.finditer(wanted)),
            key=lambda places_of_word: len(places_of_word[0]),
            default=((), 0),
        )
        clock = row_clock()
        for at in places:
            clock.tick()
            if at >= offset and self.text.startswith(wanted, at - offset) and is_whole(self.text, at - offset, wanted):
                return at - offset
        return -1

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        """For each word of the text, the positions at which it begins."""
        places = defaultdict[str, list[int]](list)
        for match in _WORD.finditer(self.text):
            places[match[0]].append(match.start())
        return places

    def _codes_of_length(self, length: int) -> Mapping[str, Sequence[int]]:
        """For each run of so many letters and digits with which a word of the text begins, whatever marks are in it: the places where it
        begins. The map of each length is made once and kept."""
        if length not in self._codes_by_length:
            letters, starts = self._letters
            places = defaultdict[str, list[int]](list)
            for at, first in starts:
                places[letters[first : first + length]].append(at)
            self._codes_by_length[length] = places
        return self._codes_by_length[length]

    @cached_property
    def _letters(self) -> tuple[str, Sequence[Span]]:
        """The letters and digits of the text without what is between them; and for each word the position where it begins, in the
        text and among those letters."""
        parts, starts, count = [], [], 0
        for match in _LETTERS.finditer(self.text):
            parts.append(match[0])
            starts.append((match.start(), count))
            count += len(match[0])
        return "".join(parts), starts


def find_whole_words(text: str, wanted: str) -> int:
    """The first place of some words in a text where they are no part of longer ones; -1 where there is none."""
    at = text.find(wanted)
    while at >= 0 and not is_whole(text, at, wanted):
        row_clock().tick()
        at = text.find(wanted, at + 1)
    return at


def is_whole(text: str, at: int, wanted: str) -> bool:
    """Whether what stands at a place of a text is no part of something longer: of a word, of an address, of an amount with its minus,
    of a negation."""
    end = at + len(wanted)
    if inside_word(text, at) or inside_word(text, end) or is_negated(text, at):
        return False
    if wanted[:1].isdigit() and minus_before(text, at):
        return False
    return not _ADDRESS.search(wanted) or not (
        _BEFORE_ADDRESS.search(text, max(0, at - 2), at) or _AFTER_ADDRESS.match(text, end)
    )


def minus_before(text: str, at: int) -> bool | None:
    """Whether a number at a place of a text has a minus; None where it is unclear, as in "10 –15" or after a long dash."""
    before = text[max(0, at - 12) : at]
    if (sign := _MINUS.search(before)) is not None:
        return None if sign[2] in _LONG_DASHES or (sign[2] not in "-\u2212" and sign[1]) else True
    return _MINUS_IN_WORDS.search(before) is not None if before[-1:].isspace() else False


def is_negated(text: str, at: int) -> bool:
    """Whether a word right before a place of a text says no to what stands there: "not approved", "has not yet been approved"."""
    return text[at - 1 : at].isspace() and _NEGATED.search(text, max(0, at - LONGEST_NEGATION), at) is not None


def negations(text: str) -> Sequence[str]:
    """The words of a text that say no, in the languages whose months are known, sorted; without accents, in lower case."""
    return sorted(_NEGATION.findall(strip_accents(text).casefold()))


def inside_word(text: str, at: int) -> bool:
    """Whether a place in a text has one word, or one code, on both sides: not at the ends, nor beside a space. A code goes on over a mark
    between two digits, and over a hyphen or a slash between a digit and a letter."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before == " " or after == " ":
        return False
    if before in _JOINS:
        before, join = text[at - 2 : at - 1], before
    elif after in _JOINS:
        after, join = text[at + 1 : at + 2], after
    else:
        both = (before.isalnum() or before == "_") and (after.isalnum() or after == "_")
        return both and _WITHOUT_SPACES.search(before + after) is None
    digits = before.isdigit() + after.isdigit()
    return digits == 2 or (join in "-/" and digits == 1 and before.isalnum() and after.isalnum())


class Code(NamedTuple):
    """A code, as `code_of` reads it."""

    letters: str
    first: str
    """The first character of its text: "+" and "0" begin a telephone number."""

    def pattern(self) -> re.Pattern[str]:
        """A pattern for the code in a text, whatever spaces and hyphens are in it; one of digits alone, such as a telephone number, with
        points, slashes and parentheses too, but for a point before decimals."""
        letters = list(map(re.escape, self.letters))
        inside = "[ -]?".join(letters)
        if not any(map(str.isalpha, self.letters)):
            between = "[ ()/.-]{0,2}" if self.first != "+" else r"(?:[ ()/.-]{0,3}| ?\(0\) ?)"
            at_end = between if self.first in "+0" else "[ ()/-]{0,2}"
            inside = between.join(letters[:-3]) + at_end + at_end.join(letters[-3:])
        return re.compile(f"{_BEFORE_CODE.pattern}{inside}{_AFTER_CODE.pattern}")

    def span_at(self, text: str, start: int) -> Span | None:
        """The code at a place of a text, as `pattern` matches it there; None where it is not."""
        if not any(map(str.isalpha, self.letters)):
            match = self.pattern().match(text, start)
            return match and match.span()
        end = start
        for letter in self.letters:
            if end > start and text[end : end + 1] in _INSIDE_CODE:
                end += 1
            if text[end : end + 1] != letter:
                return None
            end += 1
        return (start, end) if _BEFORE_CODE.match(text, start) and _AFTER_CODE.match(text, end) else None

    def spellings(self) -> Sequence[str]:
        """The letters and digits by which a text may write the code: its own; of a telephone number with +, also those with a zero behind
        the one to three digits of the country, as in +49 (0)30."""
        within = (f"{self.letters[:at]}0{self.letters[at:]}" for at in (1, 2, 3))
        return [self.letters, *(within if self.first == "+" else ())]


@lru_cache(maxsize=1 << 12)
def code_of(text: str) -> Code | None:
    """A text as a code: one of 8 to 64 letters and digits, at least half of them digits. None where it is none."""
    letters = [letter for letter in text if letter.isalnum()]
    if not 8 <= len(letters) <= 64 or 2 * sum(map(str.isdigit, letters)) < len(letters):
        return None
    if _NO_CODE.search(text) or (" " in text and _THREE_LETTERS.search(text)):  # a date, a sum, or words with numbers
        return None
    return Code("".join(letters), text[0])


_SCRIPTS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
"""Letters of scripts that do not part words, or not from particles: where a word ends cannot be seen."""
_WITHOUT_SPACES: Final = late_pattern(f"[{_SCRIPTS}]")
_WORD: Final = late_pattern(f"[^\\W_{_SCRIPTS}]+|[{_SCRIPTS}]|[^\\w\\s]|_")
"""A word, or one character of a script that does not part them, or a mark."""
_LETTERS: Final = late_pattern(r"[0-9A-Za-z]+|[^\W_]")
_BEFORE_CODE: Final = late_pattern("(?<![0-9A-Za-z_])(?<![0-9A-Za-z]-)(?<![0-9] )")
_AFTER_CODE: Final = late_pattern("(?!-?[0-9A-Za-z_]| [0-9])")
_INSIDE_CODE: Final = (" ", "-")
_JOINS: Final = ".,/-"
"""Marks within a code or a number: between two digits, and some of them between a digit and a letter."""
_ADDRESS: Final = late_pattern("[^\\s@]@[^\\s@]|://")
"""What an address of mail or of the web has. A longer address is another one."""
_BEFORE_ADDRESS: Final = late_pattern(r"(?:[\w%@]|[^\W_][.+-])$")
_AFTER_ADDRESS: Final = late_pattern(r"[@%]|[.+/-][^\W_]")
_LONG_DASHES: Final = "\u2014\u2015"
_MINUS: Final = late_pattern(
    f"(?:([0-9] )|^|[^\\w)\\]])([-\u2010-\u2013\u2212\ufe58\ufe63\uff0d{_LONG_DASHES}])(?:[^\\w\\s]|[A-Z]{{3}} ?)?$"
)
DASH_BEFORE_DIGIT: Final = late_pattern("^[\u2010-\u2013\ufe58\ufe63\uff0d](?=[^\\w\\s]?[0-9])")
"""What stands for the minus of a value."""
_NEGATION: Final = late_pattern(
    r"(?<!\w)(?:no|not|none|never|without|cannot|nor|neither|\w+n['\u2019]t|nicht|kein\w{0,2}|nie|niemals|ohne|weder|ne|pas|jamais|sans|"
    r"aucune?|nunca|jamas|sin|ningun[ao]?|non|mai|senza|nessun[ao]?|nao|sem|nenhuma?|niet|geen|nooit|zonder|ikke|ingen|aldrig|aldri|"
    r"uden|uten|inte|utan|bez|nigdy)(?!\w)"
)
_NEGATED: Final = late_pattern(
    r"(?<!\w)(?:not|never|cannot|\w{2,6}n['\u2019]t|nicht|niemals|kein(?:e[mnrs]?)?|pas|jamais|non|n[a\u00e3]o|niet|geen|nooit|ikke|aldrig|aldri|inte|"
    r"nie|nunca|jam[a\u00e1]s)(?:\s+(?:yet|been|be|being|a|an|any|the|mehr|noch|encore|ancora|mais|ennu|enn\u00e5))?(?:\s+been)?\s+$",
    re.IGNORECASE,
)
"""Right before what it says no to. A "no" may stand for a number, and what "without" names is there."""
LONGEST_NEGATION: Final = 32
_MINUS_IN_WORDS: Final = late_pattern("(?<![0-9] )(?<!\\w)(?:minus|moins|menos|meno)\\s$", re.IGNORECASE)
_NO_CODE: Final = late_pattern(r"[^\w +-]")
_THREE_LETTERS: Final = late_pattern(r"[^\W\d_]{3}")
