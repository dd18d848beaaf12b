"""A host that is not installed is one sentence, with the command to type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from evaluators.issues import extra_hint, problem


@contextmanager
def needs(host: str, package: str = "", *, extra: str = "") -> Iterator[None]:
    """Around the imports of a host, which pip installs as `package`, or an extra of this package brings.

    Raises Problems (config) when the host, or something that it needs, is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise problem(
            "missing-package",
            f'the harness "{host}" needs a package that is not installed: {error.name}',
            hint=extra_hint(extra) if extra else f'pip install "{package}"',
        ) from None
