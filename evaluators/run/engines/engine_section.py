"""The section `engine` of a suite: where its rows are scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluators.issues import Problems
from evaluators.run.engines.engine import ENGINES, NamedEngine
from evaluators.settings import BadSettings, Detail, build, word_or_map


def read_engine(data: Any, context: Mapping[str, Any]) -> NamedEngine:
    """The engine that the suite names, with its settings."""
    name, options = word_or_map(data, ENGINES.noun)
    prefix = () if isinstance(data, str) else (name,)
    try:
        return NamedEngine(name, build(ENGINES.find(name), options, noun=f'the engine "{name}"'))
    except BadSettings as error:
        raise BadSettings(detail.under(*prefix) for detail in error.details) from error
    except Problems as error:
        raise BadSettings(
            Detail(prefix, issue.message, issue.hint, bool(prefix), issue.code) for issue in error.issues
        ) from error
