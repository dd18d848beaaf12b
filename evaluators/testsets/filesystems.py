"""The door to fsspec: a file system of it by its word, and what to install where it is not there."""

from __future__ import annotations

from typing import Any

from evaluators.issues import extra_hint, problem
from evaluators.testsets.store_faults import faults_told


def filesystem(scheme: str, package: str, **settings: Any) -> Any:
    """The file system of fsspec for a word; `package` is what pip installs for it.

    Nothing that was listed is remembered: a store is asked each time. Raises Problems (config) when a package is missing.
    """
    try:
        import fsspec
    except ImportError:
        raise _missing(scheme, "fsspec", package) from None
    try:
        with faults_told():
            return fsspec.filesystem(scheme, use_listings_cache=False, **settings)
    except ImportError:
        raise _missing(scheme, package, package) from None


def _missing(scheme: str, what: str, package: str) -> Exception:
    name = what.partition(">")[0]
    return problem(
        "missing-package",
        f'addresses that begin with "{scheme}://" need the package {name}, which is not installed',
        hint=extra_hint("remote", package),
    )
