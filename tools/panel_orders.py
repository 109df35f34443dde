"""Orders to an emulated panel, a line each, from the standard input and from a local socket; an answer a line."""

import contextlib
import os
import selectors
import socket
import stat
from collections.abc import Callable
from pathlib import Path

from drivers.escape import escaped
from tools.listening_refused import ListenRefused

LONGEST_LINE = 1024
MOST_CALLERS = 8

Answer = Callable[[str], str]
"""What an order is answered with, one line."""


class OrderLines:
    """Cuts what one caller writes into lines of bounded length."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> list[str]:
        """The orders that are complete now. Raises ValueError when a line does not end."""
        *lines, self._held = (self._held + data).split(b"\n")
        if len(self._held) > LONGEST_LINE:
            raise ValueError(f"an order is longer than {LONGEST_LINE} bytes")
        return [line.decode("utf-8", errors="replace").strip() for line in lines if line.strip()]


class StandardInput:
    """Orders typed or piped in. Its end is no order: the emulator goes on."""

    def __init__(self, selector: selectors.BaseSelector, answer: Answer, tell: Callable[[str], None]) -> None:
        self._lines = OrderLines()
        self._selector, self._answer, self._tell = selector, answer, tell
        with contextlib.suppress(OSError):  # a file or no input at all: nobody types there
            selector.register(0, selectors.EVENT_READ, self.read)

    def read(self) -> None:
        data = os.read(0, LONGEST_LINE)
        try:
            for order in self._lines.feed(data):
                self._tell(self._answer(order))
        except ValueError as error:
            self._tell(f"error {error}")
            data = b""
        if not data:
            self._selector.unregister(0)


class ControlSocket:
    """A local socket for several callers at once. Raises ListenRefused when the path cannot be had."""

    def __init__(self, path: Path, selector: selectors.BaseSelector, answer: Answer) -> None:
        self._path, self._selector, self._answer = path, selector, answer
        self._callers: dict[socket.socket, OrderLines] = {}
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if path.exists() and stat.S_ISSOCK(path.lstat().st_mode):
                path.unlink()
            self._listener.bind(str(path))
        except OSError as error:
            self._listener.close()
            raise ListenRefused(f"{escaped(str(path))}: {error.strerror or error}; choose another path") from None
        path.chmod(0o600)
        self._listener.listen(MOST_CALLERS)
        selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def close(self) -> None:
        """Hang up and remove the path."""
        for caller in list(self._callers):
            self._drop(caller)
        self._selector.unregister(self._listener)
        self._listener.close()
        self._path.unlink(missing_ok=True)

    def _accept(self) -> None:
        caller, _ = self._listener.accept()
        if len(self._callers) == MOST_CALLERS:
            caller.close()
            return
        caller.settimeout(0.2)
        self._callers[caller] = OrderLines()
        self._selector.register(caller, selectors.EVENT_READ, lambda: self._read(caller))

    def _read(self, caller: socket.socket) -> None:
        try:
            data = caller.recv(LONGEST_LINE)
            for order in self._callers[caller].feed(data):
                caller.sendall(f"{self._answer(order)}\n".encode())
        except (OSError, ValueError):
            data = b""
        if not data:
            self._drop(caller)

    def _drop(self, caller: socket.socket) -> None:
        del self._callers[caller]
        self._selector.unregister(caller)
        caller.close()
