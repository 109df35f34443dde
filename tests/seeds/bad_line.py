"""A line that a device hangs on: bytes are damaged, copies are lost, repeated and late, the cable is pulled."""

import heapq
import random

from drivers.wires_memory import Cable, MemoryWire

SHORTEST_MS = 1
LATEST_MS = 4_000


class BadLine:
    """The device's end of a cable in memory. Bytes keep their order but for whole copies that are late."""

    def __init__(self, name: str, chance: random.Random) -> None:
        self.cable = Cable()
        self.lost = self.repeated = self.late = self.noise = self.drips = 0.0
        self.sent: list[bytes] = []
        """Every report as it left the device, once, in order (of a shoe's line)."""
        self._chance = chance
        self._wire = MemoryWire(f"{name} (device)", self.cable, 1)
        self._wire.open(0)
        self._due: list[tuple[int, int, bytes]] = []
        self._number = 0
        self._free_ms = 0
        self._back_ms: int | None = None

    @property
    def is_plugged(self) -> bool:
        return self.cable.is_plugged

    def is_silent(self) -> bool:
        """Nothing is on its way to the program."""
        return not self._due and not self.cable.towards[0]

    def send(self, data: bytes, now_ms: int) -> bool:
        """One copy of the device goes onto the line."""
        if not self.sent or self.sent[-1] != data:
            self.sent.append(data)
        if self._chance.random() < self.lost:
            return True
        self._put(data, now_ms)
        if self._chance.random() < self.repeated:
            self._put(data, now_ms)
        return True

    def _put(self, data: bytes, now_ms: int) -> None:
        at_ms = max(now_ms + SHORTEST_MS, self._free_ms)
        data = self._damaged(data)
        if self._chance.random() < self.late:
            self._push(now_ms + self._chance.randrange(60, LATEST_MS), data)
        elif self._chance.random() < self.drips:
            for byte in data:
                at_ms += self._chance.choice((0, 0, 1, 5, 40))
                self._push(at_ms, bytes((byte,)))
            self._free_ms = at_ms
        else:
            self._push(at_ms, data)
            self._free_ms = at_ms

    def _push(self, at_ms: int, data: bytes) -> None:
        self._number += 1
        heapq.heappush(self._due, (at_ms, self._number, data))

    def _damaged(self, data: bytes) -> bytes:
        """Flipped bits, lost and inserted bytes."""
        if not self.noise or self._chance.random() >= self.noise * len(data) * 10:
            return data
        spoilt = bytearray(data)
        for _ in range(self._chance.choice((1, 1, 1, 2, 5))):
            at = self._chance.randrange(len(spoilt) + 1)
            match self._chance.randrange(4):
                case 0:
                    spoilt[at:at] = bytes((self._chance.randrange(256),))
                case 1:
                    del spoilt[at : at + 1]
                case _ if at < len(spoilt):
                    spoilt[at] ^= 1 << self._chance.randrange(8)
        return bytes(spoilt)

    def poll(self, now_ms: int) -> bytes:
        """Deliver what is due, put the cable back in due time; what the program sent."""
        if self._back_ms is not None and now_ms >= self._back_ms:
            self._back_ms = None
            self._wire.plug()
        data = self._wire.poll(now_ms)
        while self._due and self._due[0][0] <= now_ms:
            self._wire.send(heapq.heappop(self._due)[2], now_ms)
        return self._damaged(data) if data else data

    def unplug(self, for_ms: int, now_ms: int) -> None:
        """Pull the cable and put it back later; what is on its way is lost."""
        self._due.clear()
        self._free_ms = 0
        self._back_ms = now_ms + for_ms
        self._wire.unplug()

    def forget_inbox(self) -> None:
        """A device server keeps nothing for a program that is not there."""
        self.cable.towards[0].clear()

    def deadline_ms(self) -> int | None:
        times = [self._due[0][0]] if self._due else []
        times += [at for at in (self._back_ms, self._wire.deadline_ms()) if at is not None]
        return min(times, default=None)
