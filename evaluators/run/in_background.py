"""A value that is worked out in a thread while the run goes on: hashing a file leaves the interpreter to others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class InBackground(Generic[Value]):
    """A value, worked out once: beside the run when `begin` is called in time, else when it is asked for."""

    def __init__(self, work: Callable[[], Value]) -> None:
        self._work = work
        self._found: list[Value] = []
        self._error: list[BaseException] = []
        self._join: Callable[[], None] | None = None

    def begin(self) -> None:
        """Start now, unless it has begun. Not before the last worker process has been forked."""
        if self._join is not None:
            return
        from threading import Thread

        thread = Thread(target=self._run, daemon=True)
        thread.start()
        self._join = thread.join

    @property
    def known(self) -> bool:
        """Whether it is worked out."""
        return bool(self._found)

    def value(self) -> Value:
        """The value, waited for. Raises what working it out raised."""
        if self._join is None:
            self._run()
            self._join = lambda: None
        self._join()
        if self._error:
            raise self._error[0]
        return self._found[0]

    def _run(self) -> None:
        try:
            self._found.append(self._work())
        except BaseException as error:  # raised again where the value is asked for
            self._error.append(error)
