"""The sending side of the simulated shoe: every report three times, a gap apart, with its number, as time goes by."""

import random
from collections import deque
from dataclasses import dataclass
from typing import Protocol

from drivers.contracts import ShoeStart
from drivers.shoes.angel_eye_codec import encode_report
from drivers.shoes.angel_eye_fields import DeviceReport
from drivers.shoes.simulated_faults import Fault, Wrong
from drivers.wires_memory import MemoryWire

MOST_WAITING = 4_096
RESTART_MS = 1_100
"""Two restarts in a row are this far apart: a shoe needs longer, and a host tells a new `S` from a late copy by it."""
UNPLUG_AFTER_MS = 20


class DeviceEnd(Protocol):
    """The device's end of a line."""

    def poll(self, now_ms: int) -> bytes:
        """What the controller sent."""

    def send(self, data: bytes, now_ms: int) -> bool:
        """False when nobody can hear it: it is lost."""

    def deadline_ms(self) -> int | None:
        """When `poll` must be called."""

    def unplug(self, for_ms: int, now_ms: int) -> None:
        """Pull the cable and put it back `for_ms` later."""


class CableEnd:
    """The device's end of a cable in memory; opens it."""

    def __init__(self, wire: MemoryWire, now_ms: int = 0) -> None:
        self._wire = wire
        self._back_ms: int | None = None
        wire.open(now_ms)

    def poll(self, now_ms: int) -> bytes:
        """What the controller sent."""
        if self._back_ms is not None and now_ms >= self._back_ms:
            self._back_ms = None
            self._wire.plug()
        return self._wire.poll(now_ms)

    def send(self, data: bytes, now_ms: int) -> bool:
        """Lost while unplugged."""
        return self._wire.send(data, now_ms)

    def deadline_ms(self) -> int | None:
        """The plugging-in, or what the wire itself wants."""
        times = [time for time in (self._back_ms, self._wire.deadline_ms()) if time is not None]
        return min(times, default=None)

    def unplug(self, for_ms: int, now_ms: int) -> None:
        """Pull the cable and put it back `for_ms` later."""
        self._back_ms = now_ms + for_ms
        self._wire.unplug()


@dataclass(frozen=True, slots=True)
class _Due:
    """One copy, or an unplugging when there is none."""

    at_ms: int
    copy: bytes
    unplug_ms: int = 0


class Transmitter:
    """Numbers the reports and sends their copies in due time. What is sent while the cable is out is lost.

    `now_ms` is the time of whatever is being ordered.
    """

    def __init__(self, end: DeviceEnd, copies: int, gap_ms: int, seed: int) -> None:
        self.now_ms = 0
        self._end = end
        self._copies = copies
        self._gap_ms = gap_ms
        self._chance = random.Random(seed)
        self._seq = 0
        self._due: deque[_Due] = deque()
        self._free_ms = 0
        self._held_back: list[bytes] = []
        self._last: DeviceReport | None = None

    def report(self, report: DeviceReport, fault: Fault | None = None) -> None:
        """Queue the copies, after what already waits; `fault` spoils some of them."""
        if isinstance(report, ShoeStart):
            self._seq = 0
            self._held_back = []
            wait_ms = RESTART_MS if isinstance(self._last, ShoeStart) else 0
            self._free_ms = max(self._free_ms + wait_ms, self.now_ms)
        self._last = report
        self._seq = self._seq % 9 + 1
        copies = self._spoilt([encode_report(report, self._seq)] * self._copies, fault)
        if fault is not None and fault.do is Wrong.SWAP_NEXT:
            copies, self._held_back = self._held_back, copies
        else:
            copies, self._held_back = copies + self._held_back, []
        self._queue(copies)

    def unplug_then(self, for_ms: int) -> None:
        """Pull the cable once what waits is sent."""
        at_ms = max(self._free_ms - self._gap_ms, self.now_ms) + UNPLUG_AFTER_MS
        self._due.append(_Due(at_ms, b"", for_ms))
        self._free_ms = max(self._free_ms, at_ms)

    def unplug(self, for_ms: int) -> str:
        """Pull the cable at once; nothing is ever in the way of that."""
        self._end.unplug(for_ms, self.now_ms)
        return ""

    def poll(self, now_ms: int) -> None:
        """Send what is due. What the controller sends is read and ignored: the commands are not known for sure."""
        self._end.poll(now_ms)
        while self._due and self._due[0].at_ms <= now_ms:
            due = self._due.popleft()
            if due.unplug_ms:
                self._end.unplug(due.unplug_ms, now_ms)
            else:
                self._end.send(due.copy, now_ms)

    def deadline_ms(self) -> int | None:
        """When `poll` has something to do."""
        times = [due.at_ms for due in [*self._due][:1]]
        end_ms = self._end.deadline_ms()
        return min(times if end_ms is None else [*times, end_ms], default=None)

    def is_silent(self) -> bool:
        """Nothing waits to be sent."""
        return not self._due

    def is_behind(self) -> bool:
        """So much waits that no order should add to it."""
        return len(self._due) >= MOST_WAITING

    def _queue(self, copies: list[bytes]) -> None:
        self._free_ms = max(self._free_ms, self.now_ms)
        for copy in copies:
            self._due.append(_Due(self._free_ms, copy))
            self._free_ms += self._gap_ms

    def _spoilt(self, copies: list[bytes], fault: Fault | None) -> list[bytes]:
        match fault:
            case Fault(_, Wrong.DROP_REPORT):
                return []
            case Fault(_, Wrong.DROP_COPIES, count):
                return copies[count:]
            case Fault(_, Wrong.DAMAGE_COPIES, count):
                return [self._damaged(copy) for copy in copies[:count]] + copies[count:]
            case _:
                return copies

    def _damaged(self, copy: bytes) -> bytes:
        """One bit flipped: the checksum always finds it."""
        spoilt = bytearray(copy)
        spoilt[self._chance.randrange(len(spoilt))] ^= 1 << self._chance.randrange(8)
        return bytes(spoilt)
