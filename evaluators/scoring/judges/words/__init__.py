"""The comparators that ask a judge, by the word that suites write. A function of the user's may have their names."""

from __future__ import annotations

from typing import Final

TOGETHER: Final = {"_texts": ("semantic", "string_llm", "string_semantic")}
"""Those of two texts share a module."""
