"""What a check counts by path beside the four statuses, as whole numbers that add up exactly.

A key is (path, kind, denominator). For all kinds but CREDIT the denominator is 1 and the count is a number of results;
for CREDIT it is the sum of numerators of the partial credit that results which do not match were given (a match counts
1 without being listed; where a match earns less than 1, the difference is listed as a negative credit).
"""

from __future__ import annotations

from typing import Final, TypeAlias

Detail: TypeAlias = tuple[str, str, int]

ERRORS: Final = "errors"
"""Results that the output's value broke: among the mismatches of the path."""
FAULTS: Final = "faults"
"""Results that something else than the output broke: in no denominator."""
SKIPPED: Final = "skipped"
CREDIT: Final = "credit"
MATCHED: Final = "matched"
"""Items of an array that were paired and match as a whole; the path is the array's."""
MISSED: Final = "missed"
SPURIOUS: Final = "spurious"
PAIRED: Final = "paired"
EVALUATED: Final = "evaluated"
"""What the totals of a schema are over: results outside of lists, and each outermost list as a whole."""
PASSED: Final = "passed"
"""Those of them that are right; a list is, when every expected item is there and right."""
SURPLUS_VALUES: Final = "surplus values"
"""Values of an open tree that stand in items which only the output has, among the hallucinations of the path."""
SURPLUS_ITEMS: Final = "surplus items"
"""Items of lists that only the output has, of all lists together: the path is empty.

A schema counts those of outermost lists in which any are expected.
"""
SURPLUS_ROWS: Final = "surplus rows"
"""The rows in which there are any; the path is empty."""
SURPLUS: Final = frozenset((SURPLUS_VALUES, SURPLUS_ITEMS, SURPLUS_ROWS))
OUTSIDE: Final = "outside"
"""Keys that the expected side has and the schema lacks; in no denominator."""

OVERFLOW: Final = "(other paths)"
"""The path that all paths share beyond those which a check counts apart."""
