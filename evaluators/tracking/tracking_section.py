"""The section `tracking` of a suite: where its finished runs are sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evaluators.issues import Problems
from evaluators.settings import BadSettings, Detail, bad, build, spell, word_or_map

if TYPE_CHECKING:
    from evaluators.tracking.tracker import NamedTracker


def read_tracking(data: Any, context: Mapping[str, Any]) -> tuple[NamedTracker, ...]:
    """The trackers, in the order of the file, each with its settings."""
    from evaluators.tracking.tracker import (  # few suites have trackers, and runs without start sooner
        TRACKERS,
        NamedTracker,
    )

    if not isinstance(data, list):
        hint = f"write tracking: [{data}]" if isinstance(data, str) else "write tracking: [files]"
        raise bad(f"tracking must be a list of trackers; found {spell(data)}", hint=hint)
    found: list[NamedTracker] = []
    details: list[Detail] = []
    for index, one in enumerate(data):
        try:
            name, options = word_or_map(one, TRACKERS.noun)
            prefix = (index,) if isinstance(one, str) else (index, name)
            try:
                found.append(NamedTracker(name, build(TRACKERS.find(name), options, noun=f'the tracker "{name}"')))
            except BadSettings as error:
                details.extend(detail.under(*prefix) for detail in error.details)
            except Problems as error:
                details.extend(
                    Detail(prefix, issue.message, issue.hint, len(prefix) > 1, issue.code) for issue in error.issues
                )
        except BadSettings as error:
            details.extend(detail.under(index) for detail in error.details)
    if details:
        raise BadSettings(details)
    return tuple(found)
