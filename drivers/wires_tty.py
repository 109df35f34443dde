"""A serial terminal of Linux, BSD or macOS, read and written past pyserial.

pyserial opens the port and sets its speed. Its read() loses what it has when the port fails in it, its write() waits
or forgets how much it wrote (pyserial #86, #341, #582), so the descriptor is used directly from then on.
"""

import errno
import fcntl
import os
import sys
import termios
from typing import Protocol

assert sys.platform != "win32"

_UNIX98_PTY_MAJORS = range(136, 144)
_CFLAG, _CC = 2, 6


class OpenTerminal(Protocol):
    """An open port that owns its descriptor: a serial.Serial."""

    def fileno(self) -> int:
        """The descriptor."""

    def close(self) -> None:
        """Give it back."""


class TtyChannel:
    """An open terminal that is now ours alone.

    Raises OSError or termios.error when it fails already while being set up; `terminal` is then still open.
    """

    whole_below = 256

    def __init__(self, terminal: OpenTerminal) -> None:
        self._terminal = terminal
        self._fd = terminal.fileno()
        self._is_claimed = not is_pseudo_terminal(self._fd)
        if self._is_claimed:
            claim(self._fd)
        _tell_empty_from_hung_up(self._fd)

    def ready(self) -> bool:
        return True

    def read(self, size: int) -> bytes:
        data = os.read(self._fd, size)
        if not data:
            raise OSError(errno.EIO, "unplugged")
        return data

    def write(self, data: bytes) -> int:
        return os.write(self._fd, data)

    def fileno(self) -> int | None:
        return self._fd

    def close(self) -> None:
        if self._is_claimed:
            release(self._fd)
        self._terminal.close()


def is_pseudo_terminal(fd: int) -> bool:
    """Whether this is a pty: Linux keeps the claim on one after its holder was killed, until the pair is gone."""
    return os.major(os.fstat(fd).st_rdev) in _UNIX98_PTY_MAJORS


def claim(fd: int) -> None:
    """No other program may open the terminal now, unless it is root's (pyserial's own lock binds pyserial only)."""
    fcntl.ioctl(fd, termios.TIOCEXCL)


def release(fd: int) -> None:
    """Undo `claim`. A port that is gone needs none."""
    try:
        fcntl.ioctl(fd, termios.TIOCNXCL)
    except OSError:
        return


def _tell_empty_from_hung_up(fd: int) -> None:
    """VMIN 1: an empty line is then EAGAIN and b"" is a hang-up. No HUPCL: closing does not reset the device."""
    settings = termios.tcgetattr(fd)
    settings[_CC][termios.VMIN] = 1
    settings[_CC][termios.VTIME] = 0
    settings[_CFLAG] &= ~termios.HUPCL
    termios.tcsetattr(fd, termios.TCSANOW, settings)
