"""Dates in text: a small language of formats, a reader made from it, and the formats that are usual.

Strategy: a format is a text with tokens (YYYY, MM, DD …); it becomes one pattern. A text is read by the first format that
fits it and names a day that exists. Two formats that would read one text as two different days are refused before any
text is read, by writing a few telling days in one and reading them with the other. Formats in Python's % codes are spelled
in tokens; a code for a number takes one digit or two, as it does in Python.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from evaluators.scoring.values.late_pattern import late_pattern

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
MONTHS_IN: Final[Mapping[str, Sequence[str]]] = {
    language: names.split()
    for language, names in {
        "en": " ".join(MONTHS),
        "da": "januar februar marts april maj juni juli august september oktober november december",
        "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "nb": "januar februar mars april mai juni juli august september oktober november desember",
        "nl": "januari februari maart april mei juni juli augustus september oktober november december",
        "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
        "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    }.items()
}
"""The names of months as they stand in dates, by the code of the language."""


class Moment(NamedTuple):
    """The moment in a text: a day (or a month, or a year), and a time of day where it gives one; or a time alone, which is without
    a year."""

    year: int | None
    month: int | None
    day: int | None
    time: datetime.datetime | None = None


Read: TypeAlias = Callable[[str], Moment | None]

TOKENS: Final = {
    "YYYY": (r"(?P<year>[0-9]{4})", "the year, four digits"),
    "YY": (r"(?P<short>[0-9]{2})", "the year, two digits: 69 to 99 are 1969 to 1999, 00 to 68 are 2000 to 2068"),
    "MMMM": (r"(?P<name>[A-Za-z]+)", "the month's English name"),
    "MMM": (r"(?P<abbreviation>[A-Za-z]{3})\.?", "the first three letters of the month's English name"),
    "MM": (r"(?P<month>[0-9]{2})", "the month, two digits"),
    "M": (r"(?P<month>[0-9]{1,2})", "the month, one or two digits"),
    "DD": (r"(?P<day>[0-9]{2})", "the day, two digits"),
    "D": (r"(?P<day>[0-9]{1,2})", "the day, one or two digits"),
    "Do": (r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)", "the day with its English ending: 1st, 22nd"),
    "HH": (r"(?P<hour>[0-9]{2})", "the hour, 00 to 23, two digits"),
    "H": (r"(?P<hour>[0-9]{1,2})", "the hour, 0 to 23, one or two digits"),
    "hh": (r"(?P<of_twelve>[0-9]{2})", "the hour of a clock with twelve hours, two digits"),
    "h": (r"(?P<of_twelve>[0-9]{1,2})", "the hour of a clock with twelve hours, one or two digits"),
    "A": (r"(?P<half>[AP]\.?M\b\.?)", "AM or PM, in any case, also a.m."),
    "mm": (r"(?P<minute>[0-9]{2})", "the minute"),
    "ss": (r"(?P<second>[0-9]{2})", "the second"),
}
"""Every token of a format: the pattern it stands for, and what it means."""

_PIECE: Final = late_pattern(
    r"YYYY|YY|MMMM|MMM|MM|M|Do|DD|D|HH|H|hh|h|mm|ss|\s*A|T|\[(?P<literal>[^\]]*)\]|(?P<space>\s+)|(?P<other>.)"
)
_TELLING: Final = tuple(
    datetime.datetime(year, month, day, 13, 14, 15)
    for year, month, day in ((2001, 2, 3), (2011, 10, 12), (2012, 11, 10), (2010, 12, 11), (2003, 1, 2), (2002, 3, 1))
)

USUAL_FORMATS: Final = (
    "iso", "DD/MM/YYYY", "MM/DD/YYYY", "DD.MM.YYYY", "DD-MM-YYYY", "MM-DD-YYYY", "YYYY/MM/DD", "YYYY.MM.DD", "D/M/YYYY",
    "M/D/YYYY", "D.M.YYYY", "D MMMM YYYY", "MMMM D, YYYY", "D MMM YYYY", "MMM D, YYYY", "D-MMM-YYYY", "DD/MM/YY",
    "MM/DD/YY", "DD.MM.YY",
)  # fmt: skip
"""Formats, the likelier ones first. Where two read the same texts, the day comes before the month."""
PROPOSED_FORMATS: Final = (
    *USUAL_FORMATS, "Do MMMM YYYY", "Do [of] MMMM YYYY", "MMMM Do, YYYY", "DD/MM/YYYY HH:mm", "MM/DD/YYYY HH:mm",
    "DD.MM.YYYY HH:mm", "DD/MM/YYYY h:mm A", "MM/DD/YYYY h:mm A",
)  # fmt: skip
"""Formats that are proposed for the values of a field: also ordinals, and days with a time."""


_MOST_FORMATS: Final = 4
_LOOKS_LIKE_ONE: Final = late_pattern(
    r"\s*(?:[0-9]{1,4}[-/. ]+\w+[-/. ,]+[0-9]{2,4}\b.*|[A-Za-z]{3,9}\.? [0-9]{1,2}(?:[a-z]{2})?, [0-9]{4}"
    r"|[0-9]{1,2}[a-z]{2} (?:of )?[A-Za-z]{3,9} [0-9]{4})\s*",
    re.S,
)

_PERCENT_CODES: Final = {
    "Y": "YYYY", "y": "YY", "m": "M", "d": "D", "B": "MMMM", "b": "MMM", "H": "H", "I": "h", "p": "A", "M": "mm", "S": "ss", "-d": "D",
    "-m": "M", "-H": "H", "-I": "h", "%": "[%]",
}  # fmt: skip
_PERCENT_PIECE: Final = late_pattern(r"%(?P<code>-?[A-Za-z]|%)|(?P<letters>[A-Za-z]+)|(?P<rest>[^%A-Za-z]+|%)")


def reader(formats: Iterable[str]) -> Read:
    """A function that reads a date in any of the formats; None for text that fits none of them.

    The format `iso` is ISO 8601: 2024-05-31, 2024-05-31T10:00:00Z, 10:00:00 and their like.
    """
    readers = [_read_iso if spelled == "iso" else _pattern_reader(spelled) for spelled in formats]

    def read(text: str) -> Moment | None:
        """The date in a text, by the first format that fits."""
        text = text.strip()
        return next((moment for each in readers if (moment := each(text)) is not None), None)

    return read


def _capitals_hint(spelled: str) -> str | None:
    """A hint for a format such as `yyyy-mm-dd`, of which only the case of the letters is wrong; None for any other."""
    if spelled == spelled.upper() or not re.fullmatch("[YMDymd./ -]+", spelled):
        return None
    try:
        check_format(spelled.upper())
    except ValueError:
        return None
    return f"write {spelled.upper()}: parts of a date are capital letters"


def check_format(spelled: str) -> None:
    """Raises ValueError, with what is allowed, when the format `spelled` cannot be used."""
    if spelled == "iso":
        return
    if (code := _code_without_token(spelled)) is not None:
        read = " ".join(f"%{code}" for code in _PERCENT_CODES if code.isalpha())
        hint = f"the codes that are read: {read}; for other dates, give a function of yours to evaluators.register"
        raise ValueError(f'the format "{spelled}" has the code {code}, which has no counterpart here\nhint: {hint}')
    tokens = [token for piece in _PIECE.finditer(spelled) if (token := piece[0].strip()) in TOKENS]
    unknown = [piece["other"] for piece in _PIECE.finditer(spelled) if piece["other"] and piece["other"].isalpha()]
    if unknown:
        hint = (
            _capitals_hint(spelled)
            or ("write A for AM or PM" if unknown[0] == "a" else "")
            or f"tokens: {' '.join(TOKENS)}; other letters go in brackets, as in D [de] MMMM"
        )
        raise ValueError(f'the format "{spelled}" has the unknown letter "{unknown[0]}"\nhint: {hint}')
    parts = [token[0].replace("h", "H") for token in tokens]
    doubled = next((part for part in parts if parts.count(part) > 1), None)
    if doubled:
        named = " ".join(token for token, part in zip(tokens, parts, strict=True) if part == doubled)
        raise ValueError(f'the format "{spelled}" names one part twice: {named}')
    of_twelve = any(token[0] == "h" for token in tokens)
    if of_twelve and "A" not in parts:
        raise ValueError(
            f'the format "{spelled}" has h and no A, which says AM or PM\nhint: write HH for 00 to 23, or add A'
        )
    if "A" in parts and not of_twelve:
        raise ValueError(
            f'the format "{spelled}" has A, for AM or PM, and no h\nhint: write h, the hour of a clock with twelve hours'
        )
    is_time = "H" in parts and not {"Y", "M", "D"} & {*parts}
    for later, earlier in (("D", "M"), ("M", "Y"), ("m", "H"), ("s", "m"), ("H", "D")):
        if later in parts and earlier not in parts and not (later == "H" and is_time):
            raise ValueError(f'the format "{spelled}" has {_part_name(later)} without {_part_name(earlier)}')
    if "Y" not in parts and not is_time:
        raise ValueError(f'the format "{spelled}" has no year\nhint: tokens: {" ".join(TOKENS)}')


def ambiguity(formats: Iterable[str]) -> tuple[str, str, str] | None:
    """Two formats that read one text as two different days, and such a text: (format, other format, text). None when there are none."""
    listed = list(dict.fromkeys(formats))
    for first in listed:
        for second in listed:
            if first in (second, "iso"):
                continue
            for day in _TELLING:
                text = _day_text(day, first)
                as_first, as_second = reader([first])(text), reader([second])(text)
                if as_first is not None and as_second is not None and as_first[:3] != as_second[:3]:
                    return first, second, text
    return None


def check_formats(formats: Iterable[str]) -> None:
    """Raises ValueError when a format cannot be used, or when two read one text as two different days."""
    tokens = tuple(map(from_percent, formats))
    for spelled in tokens:
        check_format(spelled)
    if unclear := ambiguity(tokens):
        first, second, text = unclear
        hint = "keep the one that the data uses, or two fields with one format each"
        raise ValueError(f'"{text}" is one day as {first} and another as {second}\nhint: {hint}')


def same_moment(a: Moment, b: Moment) -> bool:
    """Whether two dates are the same; where both give a time of day, the times must be too.

    Times that both name their offset from UTC are compared as instants; otherwise as written.
    """
    if a.time is None or b.time is None:
        return a[:3] == b[:3]
    if (a.time.tzinfo is None) is (b.time.tzinfo is None):
        return a.time == b.time
    return a.time.replace(tzinfo=None) == b.time.replace(tzinfo=None)


def gap_between(a: Moment, b: Moment) -> datetime.timedelta | None:
    """How far two moments are apart: in days where one of them gives no time. None where a day is missing, or a day and a time alone meet.

    Times are compared as for `same_moment`.
    """
    if (a.year is None) is not (b.year is None):
        return None
    if a.time is not None and b.time is not None:
        if (a.time.tzinfo is None) is (b.time.tzinfo is None):
            return abs(a.time - b.time)
        return abs(a.time.replace(tzinfo=None) - b.time.replace(tzinfo=None))
    days = [
        datetime.date(moment.year, moment.month, moment.day)
        for moment in (a, b)
        if moment.year and moment.month and moment.day
    ]
    return abs(days[0] - days[1]) if len(days) == 2 else None


def is_in_order(a: Moment, b: Moment) -> bool:
    """Whether the first date is not after the second, compared in the parts that both give: 2024 is not after May 2024.

    Times are compared as for `same_moment`.
    """
    if a.time is not None and b.time is not None:
        if (a.time.tzinfo is None) is (b.time.tzinfo is None):
            return a.time <= b.time
        return a.time.replace(tzinfo=None) <= b.time.replace(tzinfo=None)
    both = [(part, other) for part, other in zip(a[:3], b[:3], strict=True) if part is not None and other is not None]
    return [part for part, _ in both] <= [other for _, other in both]


def _part_name(part: str) -> str:
    """A part of a date, by the first letter of its token, as messages call it."""
    return {"Y": "a year", "M": "a month", "D": "a day", "H": "an hour", "m": "minutes", "s": "seconds"}[part]


def _day_text(day: datetime.datetime, spelled: str) -> str:
    """A day as the format `spelled`, in tokens such as YYYY and MMM, writes it."""
    written = {
        "YYYY": f"{day.year}", "YY": f"{day.year % 100:02}", "MMMM": MONTHS[day.month - 1], "MMM": MONTHS[day.month - 1][:3],
        "MM": f"{day.month:02}", "M": f"{day.month}", "DD": f"{day.day:02}", "D": f"{day.day}", "HH": f"{day.hour:02}",
        "mm": f"{day.minute:02}", "ss": f"{day.second:02}", "Do": f"{day.day}th", "H": f"{day.hour}", "hh": f"{day.hour % 12:02}",
        "h": f"{day.hour % 12}", "A": "PM",
    }  # fmt: skip
    return "".join(
        piece["literal"] if piece["literal"] is not None else written.get(piece[0].strip(), piece[0])
        for piece in _PIECE.finditer(spelled)
    )


def _pattern_reader(spelled: str) -> Read:
    """A reader for one format in tokens, made of a regular expression."""
    pattern = re.compile("".join(_pattern_of(piece) for piece in _PIECE.finditer(spelled)), re.IGNORECASE)

    def read(text: str) -> Moment | None:
        """The date of a text that is written in the format, and nothing else; None for any other."""
        match = pattern.fullmatch(text)
        return _moment_of_groups(match.groupdict()) if match else None

    return read


def _pattern_of(piece: re.Match[str]) -> str:
    """The regular expression for one piece of a format: a token, spaces, a text in brackets, or another character."""
    if piece["literal"] is not None:
        return re.escape(piece["literal"])
    if piece["space"]:
        return r"\s+"
    if piece[0].strip() == "A":  # 2:30 PM and 2:30PM
        return rf"\s*{TOKENS['A'][0]}"
    return TOKENS[piece[0]][0] if piece[0] in TOKENS else re.escape(piece[0])


def _moment_of_groups(groups: dict[str, str | None]) -> Moment | None:
    """The moment that the named groups of a match give; None for a day or a time that does not exist. A year of two digits is one from
    1969 to 2068, and a time without a year is on no day."""
    try:
        hour = _hour(groups)
        if hour is not None and groups.get("year") is None is groups.get("short"):
            return Moment(None, None, None, _with_time(_ON_NO_DAY, hour, groups))
        year = int(groups.get("year") or 0)
        if short := groups.get("short"):
            year = int(short) + (1900 if int(short) >= 69 else 2000)
        month, day = _month_number(groups), groups.get("day")
        date = datetime.datetime(year, month or 1, int(day or 1))
        if hour is None:
            return Moment(year, month, int(day) if day else None)
        return Moment(year, month, date.day, _with_time(date, hour, groups))
    except ValueError:
        return None


_ON_NO_DAY: Final = datetime.datetime(1, 1, 2)
"""The day that a time alone has where one is needed: no other day."""


def _hour(groups: dict[str, str | None]) -> int | None:
    """The hour, 0 to 23, in the named groups of a match; None for a text without an hour. Raises ValueError for an hour that a clock with
    twelve hours does not have."""
    if (of_twelve := groups.get("of_twelve")) is None:
        return None if groups.get("hour") is None else int(groups["hour"] or 0)
    if not 1 <= int(of_twelve) <= _TWELVE:
        raise ValueError(of_twelve)
    return int(of_twelve) % _TWELVE + (_TWELVE if (groups.get("half") or "")[:1] in "Pp" else 0)


_TWELVE: Final = 12


def _with_time(day: datetime.datetime, hour: int, groups: dict[str, str | None]) -> datetime.datetime:
    """The day at a time: the hour, and the minute and second in the named groups of a match, or 0."""
    return day.replace(hour=hour, minute=int(groups.get("minute") or 0), second=int(groups.get("second") or 0))


def _month_number(groups: dict[str, str | None]) -> int | None:
    """The number of the month; -1, which no date has, for a name of no month; None for a text without a month."""
    if number := groups.get("month"):
        return int(number)
    if name := groups.get("name") or groups.get("abbreviation"):
        length = 3 if groups.get("abbreviation") else None
        names = [month[:length].lower() for month in MONTHS]
        return names.index(name.lower()) + 1 if name.lower() in names else -1
    return None


def _read_iso(text: str) -> Moment | None:
    """The moment of a text in ISO 8601; None for any other text."""
    try:
        time = datetime.datetime.fromisoformat(text)
    except ValueError:
        return _read_iso_time(text) if ":" in text else None
    # a date alone has ten characters at most, and is read as midnight
    return Moment(time.year, time.month, time.day, time if len(text) > 10 else None)


def _read_iso_time(text: str) -> Moment | None:
    """The time alone of a text in ISO 8601; None for any other text."""
    try:
        time = datetime.time.fromisoformat(text)
    except ValueError:
        return None
    return Moment(None, None, None, datetime.datetime.combine(_ON_NO_DAY, time))


# Python's % codes


def from_percent(spelled: str) -> str:
    """A format with codes such as %Y, in tokens such as YYYY. One without codes, or with a code that has no token, stays as it is."""
    if "%" not in spelled or _code_without_token(spelled):
        return spelled
    return "".join(map(_percent_token, _PERCENT_PIECE.finditer(spelled)))


def _code_without_token(spelled: str) -> str | None:
    """The first % code in a format that has no counterpart among the tokens, such as `%j`; None where every code has one."""
    codes = (piece["code"] for piece in _PERCENT_PIECE.finditer(spelled) if piece["code"])
    return next((f"%{code}" for code in codes if code not in _PERCENT_CODES), None)


def _percent_token(piece: re.Match[str]) -> str:
    """The tokens for a piece of a strftime format, such as M for %m. Letters between codes go into brackets, which keep them, except a T,
    which formats know."""
    if piece["code"]:
        return _PERCENT_CODES[piece["code"]]
    letters = piece["letters"]
    return letters if letters == "T" else f"[{letters}]" if letters else piece["rest"]


# Formats that are usual


def read_date(text: str, spelled: str) -> Moment | None:
    """The date in a text that is written in the format `spelled`; None for any other text, and for a bare number."""
    return _reader_of_format(spelled)(text) if _LOOKS_LIKE_ONE.fullmatch(text) else None


@cache
def _reader_of_format(spelled: str) -> Read:
    """A function that reads dates in one format. Cached, because making its pattern takes longer than reading."""
    return reader([spelled])


def formats_of(texts: Iterable[str], among: Sequence[str] = USUAL_FORMATS) -> tuple[str, ...]:
    """The formats in `among` that together read every text: again and again the one that reads most of the texts that are left. Empty when
    a text is no date in any of them, when more than `_MOST_FORMATS` are needed, and when one text would be two days."""
    left = list(dict.fromkeys(texts))
    if left and all(read_date(left[0], spelled) is None for spelled in among):
        return ()
    chosen: list[str] = []
    while left and len(chosen) < _MOST_FORMATS:
        counts = {spelled: sum(read_date(text, spelled) is not None for text in left) for spelled in among}
        best = max(among, key=lambda spelled: counts[spelled])
        if not counts[best]:
            return ()
        chosen.append(best)
        left = [text for text in left if read_date(text, best) is None]
    return () if left or ambiguity(chosen) else tuple(chosen)


def rival_format(texts: Sequence[str], formats: Sequence[str], among: Sequence[str] = USUAL_FORMATS) -> str | None:
    """Another format that reads all the texts as well, and some of them as other days: 03/04/2024 is two days. None where there is none,
    and where not exactly one of the `formats` was chosen."""
    if len(formats) != 1:
        return None
    (chosen,) = formats
    for other in among:
        if other == chosen or any(read_date(text, other) is None for text in texts):
            continue
        if any((read_date(text, other) or ())[:3] != (read_date(text, chosen) or ())[:3] for text in texts):
            return other
    return None
