"""A relay between a program and a server of this machine, which breaks connections off."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.hosts.servers import HOST


class Relay:
    """Where the relay is, and how many of the next answers of more than some bytes it breaks off."""

    def __init__(self, port: int) -> None:
        self.listening = socket.create_server((HOST, 0))
        self.address = f"http://{HOST}:{self.listening.getsockname()[1]}"
        self.cuts = 0
        self.cut_after = 4_000
        self._to = port
        self._open: list[socket.socket] = []

    def run(self) -> None:
        """Takes connections until the relay is closed."""
        while True:
            try:
                taken, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self._relayed, args=(taken,), daemon=True).start()

    def close(self) -> None:
        """Ends the relay and its connections."""
        for one in (self.listening, *self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _relayed(self, taken: socket.socket) -> None:
        there = socket.create_connection((HOST, self._to))
        self._open += [taken, there]
        threading.Thread(target=self._copied, args=(taken, there, False), daemon=True).start()
        self._copied(there, taken, True)

    def _copied(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        seen = 0
        with suppress(OSError):
            while data := source.recv(1_024):
                seen += len(data)
                if answers and self.cuts > 0 and seen > self.cut_after:
                    self.cuts -= 1
                    break
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def relay(port: int) -> Iterator[Relay]:
    """A relay to a port of this machine."""
    running = Relay(port)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        running.close()
        thread.join(10)
