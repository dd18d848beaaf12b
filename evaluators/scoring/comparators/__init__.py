"""Comparators: one module for each, and one for those that are others with fixed options."""

from __future__ import annotations

from typing import Final

TOGETHER: Final = {
    "_fixed": (
        "boolean_exact", "integer_exact", "number_exact", "number_tolerance",
        "string_exact", "string_case_insensitive", "string_fuzzy", "string_url",
    ),
}  # fmt: skip
"""The plugs that share a module, by its name: a suite that uses none of them does not import it."""
