"""One wire for every kind of port: reading until empty, writing without waiting, finding back to a lost port.

What differs between a terminal, a socket and a cable in memory is a `Channel`; how it is opened is a `Dial`.
"""

import time
from collections.abc import Callable
from typing import Protocol

from drivers.contracts import WireRefused

MOST_READ = 64 * 1024
MOST_WAITING_OUT = 64 * 1024
FIRST_RETRY_MS = 100
LONGEST_RETRY_MS = 2_000
LONGEST_CONNECT_MS = 5_000
STRICT_PATIENCE_MS = 2_000
CONNECT_POLL_MS = 20
WRITE_POLL_MS = 10


class Channel(Protocol):
    """An open, or opening, port that never makes its caller wait."""

    whole_below: int
    """A read of fewer bytes was all there was just then; 0 when only an empty read tells."""

    def ready(self) -> bool:
        """Whether it is open by now. Raises WireRefused when it will not be."""

    def read(self, size: int) -> bytes:
        """From 1 to `size` bytes. BlockingIOError: none now. Any other OSError: the end, all was read."""

    def write(self, data: bytes) -> int:
        """How many bytes were taken. BlockingIOError: none now. Any other OSError: it will never take more."""

    def fileno(self) -> int | None:
        """What to select on, None when there is nothing."""

    def close(self) -> None:
        """Give the port back. Called once."""


Dial = Callable[[], Channel]
"""Begin to open a port. Raises WireRefused."""


class StreamWire:
    """A `Wire` over whatever `dial` opens. Bytes that came before a failure are returned before it is told."""

    def __init__(self, name: str, dial: Dial, patience_ms: int = STRICT_PATIENCE_MS) -> None:
        self.name = name
        self.is_up = False
        self.trouble = f"{name}: not opened yet"
        self._dial = dial
        self._patience_ms = patience_ms
        self._channel: Channel | None = None
        self._waiting = bytearray()
        self._failing = ""  # why a write failed; what can still be read is read first
        self._now_ms = 0
        self._since_ms = 0  # of the dialling, then of being up
        self._due_ms: int | None = None  # of the next try while down
        self._retry_ms = FIRST_RETRY_MS

    def open(self, now_ms: int) -> None:
        """First opening; a network port gets a moment to answer. Raises WireRefused."""
        self.close()
        try:
            self._channel = self._dial()
            self._wait_until_ready(self._channel)
        except WireRefused as refused:
            self.close()
            self.trouble = str(refused)
            raise
        self._come_up(now_ms)

    def keep_trying(self, now_ms: int) -> None:
        """From now on reopen by itself, first in the next `poll`."""
        self._hang_up()
        self._due_ms = self._now_ms = now_ms
        self.trouble = self.trouble or f"{self.name}: not open"

    def poll(self, now_ms: int) -> bytes:
        """All bytes there are, up to 64 KiB; also sends what waits, and reopens a lost port in due time."""
        self._now_ms = now_ms
        if self._due_ms is not None and now_ms >= self._due_ms:
            self._try_again(now_ms)
        if self._channel is None or not self.is_up:
            return b""
        if self._waiting:
            self._push(self._channel)
        return self._pull(self._channel)

    def send(self, data: bytes, now_ms: int) -> bool:
        """Hand over `data` whole, or nothing of it (False: down, or more than 64 KiB would wait)."""
        self._now_ms = now_ms
        if self._channel is None or not self.is_up or self._failing:
            return False
        if self._waiting:
            self._push(self._channel)
        if self._failing or len(self._waiting) + len(data) > MOST_WAITING_OUT:
            return False
        if self._waiting:
            self._waiting += data
        else:
            self._waiting += data[self._written(self._channel, data) :]
        return True

    def waiting_out(self) -> int:
        """Bytes that the port has not taken yet."""
        return len(self._waiting)

    def fileno(self) -> int | None:
        """The descriptor to select on; it changes when the port is reopened."""
        return self._channel.fileno() if self._channel is not None and self.is_up else None

    def deadline_ms(self) -> int | None:
        """While down the next try, while bytes wait a moment from now."""
        if not self.is_up:
            return self._due_ms
        return self._now_ms + WRITE_POLL_MS if self._waiting or self._failing else None

    def close(self) -> None:
        """Give the port back and stop trying."""
        self._hang_up()
        self._due_ms = None
        self.trouble = f"{self.name}: closed"

    def _wait_until_ready(self, channel: Channel) -> None:
        until = time.monotonic() + self._patience_ms / 1000
        while not channel.ready():
            if time.monotonic() >= until:
                raise WireRefused(_no_answer(self.name, self._patience_ms))
            time.sleep(0.002)

    def _come_up(self, now_ms: int) -> None:
        self._since_ms = self._now_ms = now_ms
        self._due_ms = None
        self.is_up = True
        self.trouble = ""

    def _try_again(self, now_ms: int) -> None:
        try:
            if self._channel is None:
                self._since_ms = now_ms
                self._channel = self._dial()
            if self._channel.ready():
                self._come_up(now_ms)
            elif now_ms - self._since_ms > LONGEST_CONNECT_MS:
                raise WireRefused(_no_answer(self.name, LONGEST_CONNECT_MS))
            else:
                self._due_ms = now_ms + CONNECT_POLL_MS
        except WireRefused as refused:
            self._lose(str(refused))

    def _pull(self, channel: Channel) -> bytes:
        got = b""
        while len(got) < MOST_READ:
            try:
                got += (more := channel.read(MOST_READ - len(got)))
                if len(more) < channel.whole_below:
                    break
            except BlockingIOError:
                if self._failing:
                    self._lose(self._failing)
                break
            except OSError as error:
                self._lose(f"{self.name}: {error.strerror or error}; check the cable")
                break
        return got

    def _push(self, channel: Channel) -> None:
        """A write that took a part goes on where it stopped; nothing is ever sent twice."""
        while self._waiting and not self._failing:
            taken = self._written(channel, bytes(self._waiting))
            if not taken:
                return
            del self._waiting[:taken]

    def _written(self, channel: Channel, data: bytes) -> int:
        """How many of the bytes the port took."""
        try:
            return channel.write(data)
        except BlockingIOError:
            return 0
        except OSError as error:
            self._failing = f"{self.name}: {error.strerror or error}; check the cable"
            return 0

    def _lose(self, trouble: str) -> None:
        """A port that was up for a while is tried again soon, one that comes and goes ever more slowly."""
        if self.is_up and self._now_ms - self._since_ms >= LONGEST_RETRY_MS:
            self._retry_ms = FIRST_RETRY_MS
        self._hang_up()
        self.trouble = trouble
        self._due_ms = self._now_ms + self._retry_ms
        self._retry_ms = min(2 * self._retry_ms, LONGEST_RETRY_MS)

    def _hang_up(self) -> None:
        if self._channel is not None:
            self._channel.close()
        self._channel = None
        self._waiting.clear()
        self._failing = ""
        self.is_up = False


def _no_answer(name: str, waited_ms: int) -> str:
    return f"{name}: no answer within {waited_ms / 1000:g} s; check the address and that the other side is on"
