"""An emulated device's end of a terminal: a pty behind a symlink that stays while the pty is unplugged and replaced."""

import fcntl
import hashlib
import os
import socket
import struct
import sys
import termios
import tty
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from drivers.escape import escaped
from tools.listening_refused import ListenRefused

MOST_READ = 64 * 1024
MOST_WAITING_OUT = 64 * 1024
WRITE_POLL_MS = 10
LEAVING_POLL_MS = 5
LEAVING_LEAST_MS = 20
LEAVING_MOST_MS = 500
"""A pty that is hung up drops what was not read yet, so the reader gets this long; a cable does not drop bytes."""


class Plug(Enum):
    """Where the cable is."""

    IN = "in"
    LEAVING = "leaving"  # pulled, and what was sent before is still on its way
    OUT = "out"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Pty:
    """A raw pty. Our own descriptor of the slave keeps it raw and the master readable while nobody has it open."""

    master: int
    slave: int
    path: str


class PtyEnd:
    """A `FarEnd` that the controller opens as a serial port under the name `link`."""

    def __init__(self, link: Path) -> None:
        self.is_up = False
        self._link = link
        self._name = escaped(str(link))
        self._lock = _lock(link)
        self._waiting = bytearray()
        self._plug = Plug.OUT
        self._pty: Pty | None = None
        self._now_ms = 0
        self._left_ms = 0
        self._away_ms = 0
        try:
            self._plug_in()
        except BaseException:
            self._lock.close()
            raise

    def describe(self) -> str:
        """The path, as the controller's configuration names it."""
        return self._name

    def poll(self, now_ms: int) -> bytes:
        """What the controller wrote, up to 64 KiB. Raises ListenRefused when the path was taken while unplugged."""
        self._now_ms = now_ms
        if self._plug is Plug.OUT and now_ms >= self._left_ms + self._away_ms:
            self._plug_in()
        if self._pty is None:
            return b""
        self._push(self._pty)
        got = _read(self._pty.master)
        if self._plug is Plug.LEAVING and self._has_left(self._pty):
            self._pull_out(self._pty)
        return got

    def send(self, data: bytes, now_ms: int) -> bool:
        """Bytes that nobody reads wait in the kernel (about 20 KB), then here (64 KiB)."""
        self._now_ms = now_ms
        if self._pty is None or self._plug is not Plug.IN:
            return False
        self._push(self._pty)
        if len(self._waiting) + len(data) > MOST_WAITING_OUT:
            return False
        self._waiting += data
        self._push(self._pty)
        return True

    def waiting_out(self) -> int:
        """Bytes that the kernel has not taken yet."""
        return len(self._waiting)

    def fileno(self) -> int | None:
        """The master, None while unplugged."""
        return self._pty.master if self._pty is not None else None

    def deadline_ms(self) -> int | None:
        """The next step of an unplugging, or of writing what waits."""
        match self._plug:
            case Plug.LEAVING:
                return self._now_ms + LEAVING_POLL_MS
            case Plug.OUT:
                return self._left_ms + self._away_ms
            case Plug.IN:
                return self._now_ms + WRITE_POLL_MS if self._waiting else None
            case Plug.CLOSED:
                return None

    def unplug(self, for_ms: int, now_ms: int) -> None:
        """Once the reader has what was sent, or 500 ms later, the path is gone; after `for_ms` it is a new terminal."""
        self._away_ms = for_ms
        if self._plug is Plug.IN:
            self._plug = Plug.LEAVING
            self._left_ms = self._now_ms = now_ms
            self.is_up = False

    def close(self) -> None:
        """Remove the symlink and give the terminal back."""
        if self._pty is not None:
            self._pull_out(self._pty)
        self._plug = Plug.CLOSED
        self._lock.close()

    def _plug_in(self) -> None:
        pty = _new_pty()
        try:
            _point(self._link, pty.path)
        except OSError as error:
            _close(pty)
            raise ListenRefused(f"{self._name}: {error.strerror}; choose another path") from None
        except ListenRefused:
            _close(pty)
            raise
        self._pty = pty
        self._plug = Plug.IN
        self.is_up = True

    def _has_left(self, pty: Pty) -> bool:
        waited_ms = self._now_ms - self._left_ms
        has_got_through = not self._waiting and not _unread(pty.slave)
        return waited_ms >= (LEAVING_LEAST_MS if has_got_through else LEAVING_MOST_MS)

    def _pull_out(self, pty: Pty) -> None:
        _remove(self._link, pty.path)
        _close(pty)
        self._pty = None
        self._waiting.clear()
        self._left_ms = self._now_ms
        self._plug = Plug.OUT
        self.is_up = False

    def _push(self, pty: Pty) -> None:
        while self._waiting:
            try:
                del self._waiting[: os.write(pty.master, self._waiting)]
            except BlockingIOError:
                return


def _new_pty() -> Pty:
    """Raw before anybody can open it: a terminal as it comes would echo the device's own bytes back to it."""
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    return Pty(master, slave, os.ttyname(slave))


def _close(pty: Pty) -> None:
    os.close(pty.master)
    os.close(pty.slave)


def _read(master: int) -> bytes:
    got = bytearray()
    while len(got) < MOST_READ:
        try:
            got += os.read(master, MOST_READ - len(got))
        except BlockingIOError:
            break
    return bytes(got)


def _unread(slave: int) -> int:
    """Bytes that the controller could read now."""
    (count,) = struct.unpack("i", fcntl.ioctl(slave, termios.FIONREAD, bytes(4)))
    return int(count)


def _lock(link: Path) -> socket.socket:
    """One emulator a path. The name is the kernel's own: free again when its holder dies, also when it is killed."""
    lock = socket.socket(socket.AF_UNIX)
    if not sys.platform.startswith("linux"):
        return lock
    place = f"{link.parent.resolve()}/{link.name}".encode(errors="surrogateescape")
    try:
        lock.bind(b"\0punto " + hashlib.sha256(place).hexdigest().encode())
    except OSError:
        lock.close()
        raise ListenRefused(f"{escaped(str(link))}: another emulator listens there; choose another path") from None
    return lock


def _point(link: Path, target: str) -> None:
    """Replaces what an emulator that was killed left behind, and nothing else."""
    if os.path.lexists(link) and not _is_left_behind(link):
        raise ListenRefused(f"{escaped(str(link))}: something else is there; choose another path")
    fresh = link.with_name(f"{link.name}.{os.getpid()}")
    os.symlink(target, fresh)
    os.replace(fresh, link)


def _is_left_behind(link: Path) -> bool:
    """A link to a terminal's number, perhaps another program's by now, or to nothing."""
    return link.is_symlink() and (os.readlink(link).startswith("/dev/pts/") or not link.exists())


def _remove(link: Path, target: str) -> None:
    if link.is_symlink() and os.readlink(link) == target:
        link.unlink()
