"""A serial line in simulated time: bytes arrive at the line's speed, some with a bit turned over."""

import random
from collections import deque


class PacedEnd:
    """One end, as a wire that the controller can have, or as the panel's end."""

    def __init__(self, name: str, baud: int, noise: float, rng: random.Random) -> None:
        self.name, self.is_up, self.trouble = name, True, ""
        self.other: PacedEnd = self
        self._byte_ms, self._noise, self._rng = 10_000 / baud, noise, rng
        self._incoming: deque[tuple[float, int]] = deque()
        self._free_ms = 0.0

    def open(self, now_ms: int) -> None:
        pass

    def keep_trying(self, now_ms: int) -> None:
        pass

    def poll(self, now_ms: int) -> bytes:
        got = bytearray()
        while self._incoming and self._incoming[0][0] <= now_ms:
            got.append(self._incoming.popleft()[1])
        return bytes(got)

    def send(self, data: bytes, now_ms: int) -> bool:
        at = max(float(now_ms), self._free_ms)
        for byte in self._disturbed(data):
            at += self._byte_ms
            self.other._incoming.append((at, byte))
        self._free_ms = at
        return True

    def waiting_out(self) -> int:
        return 0

    def fileno(self) -> int | None:
        return None

    def deadline_ms(self) -> int | None:
        return None

    def close(self) -> None:
        pass

    def cut(self, now_ms: int) -> None:
        """This end stops in mid-frame: what was not on the line yet is never sent."""
        pending = self.other._incoming
        while pending and pending[-1][0] > now_ms:
            pending.pop()
        self._free_ms = now_ms

    def _disturbed(self, data: bytes) -> bytearray:
        spoilt, at = bytearray(data), 0
        while self._noise and (at := at + 1 + int(self._rng.expovariate(self._noise))) <= 8 * len(data):
            spoilt[(at - 1) // 8] ^= 1 << ((at - 1) % 8)
        return spoilt


def paced_line(baud: int, noise: float = 0.0, seed: int = 0) -> tuple[PacedEnd, PacedEnd]:
    """Both ends of a line. `noise`: chance of each bit to be turned over."""
    rng = random.Random(seed)
    ends = PacedEnd("controller", baud, noise, rng), PacedEnd("panel", baud, noise, rng)
    ends[0].other, ends[1].other = ends[1], ends[0]
    return ends
