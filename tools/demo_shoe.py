"""The hand on the emulated shoe: orders by its control socket."""

import socket
from pathlib import Path

from tools.demo_inbox import PATIENCE_S, DemoFailed

UNREADABLE = 1
"""The shoe's error for a card that it could not read."""


class ShoeGone(Exception):
    """The emulated shoe takes no orders: one line."""


class ShoeOrders:
    """One order after the other. Raises ShoeGone when nobody is there."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(PATIENCE_S)
        self._answers = self._socket.makefile("r", encoding="utf-8", errors="replace")
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self.close()
            raise ShoeGone(f"the emulated shoe takes no orders: {error.strerror or error}") from None

    def order(self, line: str) -> None:
        """Raises DemoFailed when it is not carried out."""
        try:
            self._socket.sendall(f"{line}\n".encode())
            answer = self._answers.readline().strip()
        except OSError as error:
            raise ShoeGone(f"the emulated shoe did not take '{line}': {error.strerror or error}") from None
        if not answer:
            raise ShoeGone(f"the emulated shoe did not answer '{line}'")
        if answer != "ok":
            raise DemoFailed(f"the emulated shoe refused '{line}': {answer}")

    def close(self) -> None:
        self._answers.close()
        self._socket.close()
