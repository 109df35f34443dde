"""The Angel Eye II-EX compatible shoe on a wire: the baccarat shoe of most tables in Asia.

Compatible, not verified on hardware. RS-232, 4800 8N1, or a serial device server (raw TCP) beside the shoe. It is only
listened to: its reports are unsolicited and need no answer.
"""

from drivers.contracts import Heard, LinkDown, LinkUp, TraceLine, Wire
from drivers.escape import escaped
from drivers.shoes.angel_eye_receiver import Receiver


class AngelEyeShoe:
    """Reads its wire and tells what two copies agree on.

    `copies`: how often the unit sends a report; 1 for units that send once. `last_confirmed`: the bytes of the last
    confirmed report in the journal, None without one. The link counts as up at first, so that a port which is down
    from the start is told as well.
    """

    def __init__(self, wire: Wire, copies: int = 3, last_confirmed: bytes | None = None) -> None:
        self.wire = wire
        self.frames_good = 0
        self.frames_damaged = 0
        self._receiver = Receiver(copies, last_confirmed)
        self._link_up = True

    def poll(self, now_ms: int) -> list[Heard]:
        """What was confirmed since the last call, in order. Never raises for what came in."""
        data = self.wire.poll(now_ms)
        heard: list[Heard] = []
        if (self.wire.is_up or data) and not self._link_up:  # it may come up, be read and fail within one poll
            self._link_up = True
            heard.append(Heard(LinkUp(), b"", now_ms))
        heard += self._receiver.feed(data, now_ms)
        if self._link_up and not self.wire.is_up:
            self._link_up = False
            heard += self._receiver.line_lost(now_ms)
            heard.append(Heard(LinkDown(escaped(self.wire.trouble)), b"", now_ms))
        heard += self._receiver.tick(now_ms)
        self.frames_good = self._receiver.frames_good
        self.frames_damaged = self._receiver.frames_damaged
        return heard

    def likely(self) -> Heard | None:
        """What a second copy of the one report that waits for it would confirm."""
        return self._receiver.likely()

    def trace(self) -> list[TraceLine]:
        """The frames and loose bytes since the last call, bounded (the oldest go first)."""
        return self._receiver.trace()

    def deadline_ms(self) -> int | None:
        """When `poll` must be called even if nothing is readable."""
        times = [time for time in (self.wire.deadline_ms(), self._receiver.deadline_ms()) if time is not None]
        return min(times, default=None)
