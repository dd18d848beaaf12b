"""Names that people give and that become names of files: which of them can be, on every system."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Final

MOST_NAME_BYTES: Final = 150
"""What a name may take in UTF-8. Systems allow 255 for a whole file name, and ours add words before and after."""

_UNUSABLE: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\ud800-\udfff]')


def why_no_file_name(name: str) -> str | None:
    """The end of a sentence on why a name cannot be part of a file's name; None where it can."""
    if not name.strip():
        return "is empty"
    if match := _UNUSABLE.search(name):
        return f"has {_character_text(match[0])} in it"
    if name.startswith("."):
        return "starts with a dot"
    if name.endswith((".", " ")):
        return f"ends with a {'dot' if name.endswith('.') else 'space'}"
    size = len(name.encode())
    return f"is longer than {MOST_NAME_BYTES} bytes ({size:,})" if size > MOST_NAME_BYTES else None


def as_file_name(name: str) -> str:
    """A file name like `name`, with `_` for what a file name cannot hold, and cut at `MOST_NAME_BYTES`."""
    spelled = _UNUSABLE.sub("_", name).strip(" .")
    return spelled.encode()[:MOST_NAME_BYTES].decode(errors="ignore").strip(" .") or "_"


def clip_name(text: str, most: int = 60) -> str:
    """The text in at most `most` characters, as messages quote names; a longer one ends in `…`."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _character_text(character: str) -> str:
    """A character as a message names it; by its number where it cannot be seen."""
    if character.isprintable() and not character.isspace():
        return f"the character {character}"
    return f"the character U+{ord(character):04X}"


def place_in_copy(folder: Path, name: str) -> Path:
    """The place in the copy of a suite for a file that the suite names by an absolute path `name`. `folder` is where the copy of the file
    that names it is."""
    return folder / "elsewhere" / sha256(name.encode("utf-8", "replace")).hexdigest()[:12] / Path(name).name
