"""What may be wrong with a text table, as issues with a hint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evaluators.issues import Blame, Issue, Problems
from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.reader import broken

DELIMITERS: Final = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}

RAGGED: Final = "ragged-row"
NOT_TEXT: Final = Issue(
    "undecodable-text",
    Blame.TESTSET,
    "this row holds bytes that are not text in the file's encoding",
    hint="name the encoding of the file, such as `encoding: cp1252`, or save the file as UTF-8",
)
OPEN_QUOTE: Final = Issue(
    "quote-not-closed",
    Blame.TESTSET,
    "a cell of this row opens a quote that is never closed, and takes in the rest of the file",
    hint='a quote that belongs to the text of a quoted cell is doubled: ""',
)


def delimiter_in_words(delimiter: str) -> str:
    """The delimiter as people call it."""
    return DELIMITERS.get(delimiter, f'"{delimiter}"')


def after_quote(place: int, text: str, header: Sequence[str]) -> Issue:
    """The problem of a row with text after a closing quote, in the cell at that place."""
    named = f'column "{header[place]}"' if place < len(header) else f"cell {place + 1}"
    shown = text if len(text) <= 40 else f"{text[:40]}…"
    return Issue(
        "text-after-quote",
        Blame.TESTSET,
        f"{named}: there is text after the quote that closes the cell: {shown}",
        hint='a quote that belongs to the text is doubled: ""; or an earlier quote of the row, or of a row before it, is not closed',
    )


def not_text(source: ByteSource, error: UnicodeError) -> Problems:
    """The problem of a file that is not text in its encoding."""
    return broken(source, NOT_TEXT.code, f"the file is not text in {source.encoding}: {error}", NOT_TEXT.hint)


def ragged_row(found: int, width: int, delimiter: str) -> Issue:
    """The problem of a row that has more or fewer cells than the header."""
    cells = "1 cell" if found == 1 else f"{found} cells"
    return Issue(
        RAGGED,
        Blame.TESTSET,
        f"this row has {cells}, the header has {width}",
        hint=f"a cell that holds {delimiter_in_words(delimiter)} or a line break must be inside double quotes",
    )


def long_row(length: int) -> Issue:
    """The problem of a row that is too long to be read, though none of its cells is."""
    message = f"this row has {length:,} characters, which is more than is read"
    return Issue("unreadable-row", Blame.TESTSET, message, hint="each line holds one row: is a line break missing?")


def wrong_cut(source: ByteSource) -> Problems:
    """The problem of a file whose rows end where nobody can tell."""
    return broken(
        source,
        "uneven-quotes",
        "quotes inside unquoted cells make it unclear where rows end",
        'put such cells inside double quotes, with each quote of the text doubled: "5"" pipe"',
    )
