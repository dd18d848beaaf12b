"""The sections of a suite beside its evaluators, each read by the room that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from evaluators.compare.compare_section import read_compare
from evaluators.compare.guard_config import CompareConfig
from evaluators.run import results_config
from evaluators.run.gate_section import read_gates
from evaluators.run.gates import GateConfig
from evaluators.run.results_config import ResultsConfig, read_statistics
from evaluators.settings import BadSettings, Detail
from evaluators.suite.config import SectionReader
from evaluators.testsets.test_set_config import TestSetConfig, read_test_set
from evaluators.tracking.tracking_section import read_tracking


def read_results(data: Any, context: Mapping[str, Any]) -> ResultsConfig:
    """The settings under `results`, whose formats are all known."""
    found = results_config.read_results(data, context)
    if "formats" in found.model_fields_set:
        from evaluators.reports.format import check_words  # nothing else of a suite needs the reports

        issues = check_words(found.formats)
        if issues:
            words = [_word(issue.message) for issue in issues]
            raise BadSettings(
                Detail(("formats", found.formats.index(word)), issue.message, issue.hint)
                for word, issue in zip(words, issues, strict=True)
            )
    return found


READERS: Final[Mapping[str, SectionReader]] = {
    "test_set": read_test_set,
    "statistics": read_statistics,
    "gates": read_gates,
    "compare": read_compare,
    "results": read_results,
    "tracking": read_tracking,
}
MODELS: Final[Mapping[str, type[BaseModel]]] = {
    "test_set": TestSetConfig,
    "statistics": results_config.StatisticsConfig,
    "gates": GateConfig,
    "compare": CompareConfig,
    "results": ResultsConfig,
}


def _word(message: str) -> str:
    return message.rpartition(' "')[2].rstrip('"')
