"""A host that is not installed is one sentence, with the command to type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from evaluators.issues import problem


@contextmanager
def needs(host: str, package: str) -> Iterator[None]:
    """Around the imports of a host. Raises Problems (config) when the host, or something that it needs, is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise problem(
            "missing-package",
            f'the harness "{host}" needs a package that is not installed: {error.name}',
            hint=f'pip install "{package}"',
        ) from None
