"""A cable in memory with two ends: no kernel, no clock of its own, the same every time."""

import errno
from collections.abc import Callable

from drivers.contracts import WireRefused
from drivers.wires_stream import StreamWire

MOST_HELD = 64 * 1024


class Cable:
    """What lies between two ends. Each direction holds 64 KiB, as a kernel would; then a writer has to wait."""

    def __init__(self) -> None:
        self.is_plugged = True
        self.plugged_times = 1
        self.towards: tuple[bytearray, bytearray] = (bytearray(), bytearray())


class MemoryChannel:
    """One end of a plugged-in cable; it ends when the cable was pulled since, after what came before was read."""

    whole_below = 0

    def __init__(self, cable: Cable, end: int) -> None:
        self._cable = cable
        self._plugged_times = cable.plugged_times
        self._inbox = cable.towards[end]
        self._outbox = cable.towards[1 - end]

    def ready(self) -> bool:
        return True

    def read(self, size: int) -> bytes:
        if not self._inbox:
            self._raise_ended()
            raise BlockingIOError
        data = bytes(self._inbox[:size])
        del self._inbox[:size]
        return data

    def write(self, data: bytes) -> int:
        self._raise_ended()
        taken = data[: MOST_HELD - len(self._outbox)]
        if not taken:
            raise BlockingIOError
        self._outbox += taken
        return len(taken)

    def fileno(self) -> int | None:
        return None

    def close(self) -> None:
        """Nothing to give back: what the other end sent waits for whoever opens this end next."""

    def _raise_ended(self) -> None:
        if not self._cable.is_plugged or self._cable.plugged_times != self._plugged_times:
            raise OSError(errno.EIO, "unplugged")


class MemoryWire(StreamWire):
    """One end of a cable in memory: the wire of every real port, over a cable that a test can pull."""

    def __init__(self, name: str, cable: Cable, end: int) -> None:
        super().__init__(name, _dial(name, cable, end))
        self._cable = cable

    def unplug(self) -> None:
        """Pull the cable for both ends. What was sent before can still be read."""
        self._cable.is_plugged = False

    def plug(self) -> None:
        """Put the cable back; both ends find it by themselves in due time."""
        if not self._cable.is_plugged:
            self._cable.is_plugged = True
            self._cable.plugged_times += 1


def memory_pair(name: str = "memory") -> tuple[MemoryWire, MemoryWire]:
    """Two ends of one cable, both still to be opened. Bytes sent to an end that is not open yet wait for it."""
    cable = Cable()
    return MemoryWire(name, cable, 0), MemoryWire(f"{name} (far end)", cable, 1)


def _dial(name: str, cable: Cable, end: int) -> Callable[[], MemoryChannel]:
    def dial() -> MemoryChannel:
        if not cable.is_plugged:
            raise WireRefused(f"{name}: no such port; plug the cable in")
        return MemoryChannel(cable, end)

    return dial
