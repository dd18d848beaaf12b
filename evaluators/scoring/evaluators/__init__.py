"""The evaluator types that ship with the package, one a file."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from evaluators.model.registry import modules_of


def class_names() -> list[str]:
    """The class names of the shipped types."""
    return [name.title().replace("_", "") for name in modules_of(__name__)]


def find_class(name: str) -> Any:
    """The class of a shipped type by its class name: `FormatValid` is in `format_valid`. Raises AttributeError."""
    module = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    if name[:1].isupper() and module in modules_of(__name__):
        return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module 'evaluators' has no attribute {name!r}")
