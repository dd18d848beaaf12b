"""Names that people give and that become names of files: which of them can be, on every system."""

from __future__ import annotations

import re
from typing import Final

MOST_BYTES: Final = 150
"""What a name may take in UTF-8. Systems allow 255 for a whole file name, and ours add words before and after."""

_UNUSABLE: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\ud800-\udfff]')


def why_no_file_name(name: str) -> str | None:
    """What keeps a name from being part of a file's name, as the end of a sentence about it; None where nothing does."""
    if not name.strip():
        return "is empty"
    if found := _UNUSABLE.search(name):
        return f"has {_said(found[0])} in it"
    if name.startswith("."):
        return "starts with a dot"
    if name.endswith((".", " ")):
        return f"ends with a {'dot' if name.endswith('.') else 'space'}"
    size = len(name.encode())
    return f"is longer than {MOST_BYTES} bytes ({size:,})" if size > MOST_BYTES else None


def as_file_name(name: str) -> str:
    """A name like this one that can be a file's: what cannot be in it is `_`."""
    spelled = _UNUSABLE.sub("_", name).strip(" .")
    return spelled.encode()[:MOST_BYTES].decode(errors="ignore").strip(" .") or "_"


def shown(name: str, most: int = 60) -> str:
    """The name as messages quote it: short."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _said(character: str) -> str:
    if character.isprintable() and not character.isspace():
        return f"the character {character}"
    return f"the character U+{ord(character):04X}"
