"""The version of this package, as run folders and reports name it."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
