"""A port that can only be waited for, such as a Windows COM port, behind a socket pair that can be selected.

Two threads wait for it: one moves what comes in, one what goes out. The pair's own buffers are the bounded queues. The
port is closed by the thread that reads it, never from outside (pyserial #328, #707: a closed port under a reader).
"""

import errno
import socket
import threading
from collections.abc import Callable
from typing import Protocol

from drivers.contracts import WireRefused

WRITER_PATIENCE_S = 2.0


class SlowPort(Protocol):
    """An open port that makes its caller wait. Every method may raise PortFailed."""

    def read_one(self) -> bytes:
        """The next byte, or b"" after a short time without one."""

    def left_over(self) -> bytes:
        """What had come in when `read_one` failed."""

    def write_some(self, data: bytes) -> None:
        """Send all of `data`."""

    def close(self) -> None:
        """Give the port back."""


class PortFailed(Exception):
    """The port does not work any more; one line says why."""


class PumpedChannel:
    """One opening of a slow port. `chunk` bytes are handed to it at most in one write."""

    whole_below = 0

    def __init__(self, open_port: Callable[[], SlowPort], chunk: int) -> None:
        self._near, self._far = socket.socketpair()
        self._near.setblocking(False)
        self._open_port = open_port
        self._chunk = chunk
        self._is_open = threading.Event()
        self._refused: WireRefused | None = None
        self._trouble = ""
        self._is_closed = threading.Event()
        threading.Thread(target=self._pump, name="wire pump", daemon=True).start()

    def ready(self) -> bool:
        if self._refused is not None:
            raise self._refused
        return self._is_open.is_set()

    def read(self, size: int) -> bytes:
        data = self._near.recv(size)
        if not data:
            raise OSError(errno.EIO, self._trouble or "the port failed")
        return data

    def write(self, data: bytes) -> int:
        return self._near.send(data)

    def fileno(self) -> int | None:
        return self._near.fileno()

    def close(self) -> None:
        self._is_closed.set()
        self._near.close()

    def _pump(self) -> None:
        try:
            port = self._open_port()
        except WireRefused as refused:
            self._refused = refused
            self._far.close()
            return
        self._is_open.set()
        writer = threading.Thread(target=self._move_out, args=(port,), name="wire pump out", daemon=True)
        writer.start()
        self._move_in(port)
        self._end_far(socket.SHUT_RDWR)
        writer.join(WRITER_PATIENCE_S)
        port.close()
        self._far.close()

    def _move_in(self, port: SlowPort) -> None:
        """Byte by byte: a longer read loses what it has when the port fails in it (pyserial #86)."""
        try:
            while not self._is_closed.is_set():
                self._far.sendall(port.read_one())
        except PortFailed as failed:
            self._trouble = self._trouble or str(failed)
        except OSError:
            return  # the near end was closed
        self._give_last(port.left_over())

    def _give_last(self, data: bytes) -> None:
        try:
            self._far.sendall(data)
        except OSError:
            return  # nobody waits for it any more

    def _move_out(self, port: SlowPort) -> None:
        try:
            while data := self._far.recv(self._chunk):
                port.write_some(data)
        except PortFailed as failed:
            self._trouble = self._trouble or str(failed)
        except OSError:
            return  # the near end was closed

    def _end_far(self, how: int) -> None:
        try:
            self._far.shutdown(how)
        except OSError:
            return  # the near end went first
