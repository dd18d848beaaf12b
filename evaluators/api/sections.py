"""The sections of a suite beside its evaluators, each read by the room that it is about.

What reads a section is imported when a suite has it: most suites have one or two, and start sooner.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from evaluators.model.settings import BadSettings, Detail
from evaluators.runs.results_section import ResultsConfig, read_results_settings, read_statistics
from evaluators.suites.config import SectionReader
from evaluators.testsets.test_set_config import read_test_set


def read_results(data: Any, context: Mapping[str, Any]) -> ResultsConfig:
    """The settings under `results`. Raises BadSettings, also for a format that is unknown."""
    settings = read_results_settings(data, context)
    if "formats" in settings.model_fields_set:
        from evaluators.reports.format import check_words  # nothing else of a suite needs the reports

        unknown = [(index, issue) for index, word in enumerate(settings.formats) for issue in check_words([word])]
        if unknown:
            raise BadSettings(Detail(("formats", index), issue.message, issue.hint) for index, issue in unknown)
    return settings


def _read_by(module: str, function: str) -> SectionReader:
    """A reader that calls `function` of `module`, which it imports only then: when a suite has the section."""
    return lambda data, context: getattr(import_module(module), function)(data, context)


READERS: Final[Mapping[str, SectionReader]] = {
    "test_set": read_test_set,
    "measures": _read_by("evaluators.runs.suite_sections", "read_measures"),
    "statistics": read_statistics,
    "repeats": _read_by("evaluators.runs.suite_sections", "read_repeats"),
    "confidence": _read_by("evaluators.runs.suite_sections", "read_confidence"),
    "gates": _read_by("evaluators.runs.gate_targets", "read_gates"),
    "compare": _read_by("evaluators.runs.compare.compare_section", "read_compare"),
    "results": read_results,
    "tracking": _read_by("evaluators.reports.tracking.tracker", "read_tracking"),
    "engine": _read_by("evaluators.runs.engines.engine", "read_engine"),
    "limits": _read_by("evaluators.runs.suite_sections", "read_limits"),
}
