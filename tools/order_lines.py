"""Orders to an emulated device: lines from stdin and from a unix socket, each answered by one line."""

import contextlib
import os
import selectors
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from drivers.escape import escaped

MOST_LINE_BYTES = 4_096
MOST_CLIENTS = 16
MOST_UNREAD_BYTES = 64 * 1024
MOST_READ = 64 * 1024

Answer = Callable[[str], str]
"""Carries out one order and says how it went."""


class ControlRefused(Exception):
    """A control socket that cannot be made: one line with the path, what is wrong and what to do."""


class _Lines:
    """Whole lines out of bytes that come in pieces. Of a line that is too long only the beginning is kept."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that ended, without empty ones."""
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[:MOST_LINE_BYTES]
        texts = [line[:MOST_LINE_BYTES].decode(errors="replace").strip() for line in lines]
        return [text for text in texts if text]

    def end(self) -> list[str]:
        """The last line, when it has no end."""
        return self.feed(b"\n")


class StdinOrders:
    """Orders on stdin, answers on stdout. `is_over` once stdin ended."""

    def __init__(self, selector: selectors.BaseSelector, answer: Answer) -> None:
        self.is_over = False
        self._selector = selector
        self._answer = answer
        self._lines = _Lines()
        if sys.stdin is None:
            self.is_over = True  # started without one
        else:
            selector.register(sys.stdin.fileno(), selectors.EVENT_READ, self._read)

    def _read(self, _events: int) -> None:
        data = os.read(sys.stdin.fileno(), MOST_READ)
        for line in self._lines.feed(data) if data else self._lines.end():
            print(self._answer(line), flush=True)
        if not data:
            self._selector.unregister(sys.stdin.fileno())
            self.is_over = True


class ControlSocket:
    """Orders on a unix stream socket at `path` (mode 0600), answers to whoever asked. Raises ControlRefused."""

    def __init__(self, path: Path, selector: selectors.BaseSelector, answer: Answer) -> None:
        self._path = path
        self._selector = selector
        self._answer = answer
        self._clients: dict[socket.socket, tuple[_Lines, bytearray]] = {}
        self._listener = _listener(path)
        selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def close(self) -> None:
        """Remove the socket."""
        for client in list(self._clients):
            self._drop(client)
        self._selector.unregister(self._listener)
        self._listener.close()
        self._path.unlink(missing_ok=True)

    def _accept(self, _events: int) -> None:
        try:
            client, _ = self._listener.accept()
        except OSError:
            return  # gone again
        if len(self._clients) == MOST_CLIENTS:
            client.close()
            return
        client.setblocking(False)
        self._clients[client] = (_Lines(), bytearray())
        self._selector.register(client, selectors.EVENT_READ, lambda events: self._serve(client, events))

    def _serve(self, client: socket.socket, events: int) -> None:
        lines, unread = self._clients[client]
        if events & selectors.EVENT_READ:
            try:
                data = client.recv(MOST_READ)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._drop(client)
                return
            for line in lines.feed(data):
                unread += f"{self._answer(line)}\n".encode()
        self._push(client, unread)

    def _push(self, client: socket.socket, unread: bytearray) -> None:
        try:
            del unread[: client.send(unread)]
        except BlockingIOError:
            pass
        except OSError:
            self._drop(client)
            return
        if len(unread) > MOST_UNREAD_BYTES:
            self._drop(client)
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if unread else 0)
        self._selector.modify(client, events, lambda events: self._serve(client, events))

    def _drop(self, client: socket.socket) -> None:
        self._selector.unregister(client)
        del self._clients[client]
        client.close()


def _listener(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    try:
        _remove_left_behind(path)
        with _private_files():
            listener.bind(str(path))
        listener.listen()
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise ControlRefused(f"{escaped(str(path))}: {reason}; choose another path for --control") from None
    return listener


@contextlib.contextmanager
def _private_files() -> Iterator[None]:
    before = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(before)


def _remove_left_behind(path: Path) -> None:
    """A socket that nobody answers is what a killed emulator left; anything else stays and makes `bind` fail."""
    if not path.exists() or not stat.S_ISSOCK(path.stat().st_mode):
        return
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
