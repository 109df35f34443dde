"""The far end of a line, for emulated devices: a terminal or a TCP port that the controller opens.

Has the shape of a wire (poll, send, fileno, deadline_ms) and never makes its caller wait either.
"""

from pathlib import Path
from typing import Protocol

from drivers.escape import escaped
from tools.listening_pty import PtyEnd
from tools.listening_refused import ListenRefused
from tools.listening_tcp import TcpEnd

__all__ = ["FarEnd", "ListenRefused", "listen"]


class FarEnd(Protocol):
    """What a device has instead of a wire."""

    is_up: bool
    """Plugged in; whether anybody has the other end open cannot be seen from here."""

    def describe(self) -> str:
        """For the line `listening on ...`: the PATH of a pty, tcp:127.0.0.1:PORT."""

    def poll(self, now_ms: int) -> bytes:
        """What came from the controller, b"" when nothing. Also carries on with what takes time."""

    def send(self, data: bytes, now_ms: int) -> bool:
        """To whoever has the other end open, or will. False, and nothing taken, while unplugged or too much waits."""

    def waiting_out(self) -> int:
        """Bytes taken by `send` and not yet by the kernel."""

    def fileno(self) -> int | None:
        """What to select on; it changes with every plugging-in. None while unplugged."""

    def deadline_ms(self) -> int | None:
        """When `poll` must be called even if nothing is readable; None when never."""

    def unplug(self, for_ms: int, now_ms: int) -> None:
        """Pull the cable, after what was sent has got through, and put it back `for_ms` later."""

    def close(self) -> None:
        """Give everything back. Safe to call twice."""


def listen(where: str) -> FarEnd:
    """`pty:PATH` (PATH becomes a symlink to a terminal) or `tcp:PORT` (of 127.0.0.1; 0 takes a free one).

    Raises ListenRefused.
    """
    kind, _, place = where.partition(":")
    match kind:
        case "pty" if place:
            return PtyEnd(Path(place))
        case "tcp" if place.isascii() and place.isdigit() and len(place) <= 5 and int(place) <= 65535:
            return TcpEnd(int(place))
        case _:
            raise ListenRefused(f"{escaped(where)}: cannot listen there; write pty:PATH or tcp:PORT")
