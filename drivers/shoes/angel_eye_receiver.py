"""From bytes to confirmed Angel Eye II-EX compatible reports: every report comes three times, and two have to agree.

In an experiment with 300,000 damaged card frames none was taken for another card this way; the checksum and strict
bounds alone let 0.16 % through.
"""

from collections import deque
from dataclasses import dataclass

from drivers.contracts import (
    DeviceError,
    DeviceErrorCleared,
    Heard,
    ReportLost,
    ReportUnconfirmed,
    ShoeStart,
    TraceLine,
)
from drivers.shoes.angel_eye_codec import ENQ, decode_frame
from drivers.shoes.angel_eye_damage import DamageWatch
from drivers.shoes.angel_eye_fields import DeviceReport
from drivers.shoes.angel_eye_framer import Framer, Piece
from drivers.shoes.angel_eye_words import in_words

UNCONFIRMED_AFTER_MS = 1_000
NEW_START_AFTER_MS = 1_000
"""An `S` that equals the last report is another restart when it comes later than this after the last copy."""
LOOSE_BYTES_END_AFTER_MS = 50
MOST_WAITING = 4
MOST_TRACED = 2_048

Numbered = tuple[int, DeviceReport]


@dataclass(slots=True)
class _Waiting:
    """A report of which one good copy came."""

    decoded: Numbered
    since_ms: int
    is_told: bool = False


class Receiver:
    """No port and no clock: bytes and the time come in, what was heard comes out. Memory is bounded.

    `copies`: how often the device sends a report; with 1 every good copy confirms. `last_confirmed`: the bytes of the
    report confirmed last, before the program was restarted (one copy, or both joined); other bytes count as none.
    """

    def __init__(self, copies: int = 3, last_confirmed: bytes | None = None) -> None:
        assert copies >= 1
        self.frames_good = 0
        self._copies_due = min(copies, 2)
        self._last_frame, self._last = _first_copy(last_confirmed or b"")
        self._last_copy_ms: int | None = None
        self._last_byte_ms = 0
        self._waiting: dict[bytes, _Waiting] = {}
        self._framer = Framer()
        self._damage = DamageWatch()
        self._trace: deque[tuple[int, bytes, Numbered | str]] = deque(maxlen=MOST_TRACED)

    @property
    def frames_damaged(self) -> int:
        """Torn or refused frames, runs of loose bytes, and copies that nothing confirmed."""
        return self._damage.total

    def feed(self, data: bytes, now_ms: int) -> list[Heard]:
        """Take bytes, cut anywhere; what they confirm, in order."""
        heard = self._end_loose_bytes(now_ms)
        if data:
            self._last_byte_ms = now_ms
        for piece in self._framer.feed(data):
            heard += self._take(piece, now_ms)
        return heard

    def tick(self, now_ms: int) -> list[Heard]:
        """What time alone brings: copies that stayed alone, and the count of damage."""
        heard = self._end_loose_bytes(now_ms)
        for waiting in self._waiting.values():
            if not waiting.is_told and now_ms - waiting.since_ms >= UNCONFIRMED_AFTER_MS:
                waiting.is_told = True
                heard.append(Heard(ReportUnconfirmed(in_words(waiting.decoded[1])), b"", now_ms))
        said = self._damage.say(now_ms)
        return [*heard, Heard(said, b"", now_ms)] if said else heard

    def deadline_ms(self) -> int | None:
        """When `tick` has something to tell, None when never."""
        times = [waiting.since_ms + UNCONFIRMED_AFTER_MS for waiting in self._waiting.values() if not waiting.is_told]
        if self._framer.holds_loose_bytes():
            times.append(self._last_byte_ms + LOOSE_BYTES_END_AFTER_MS)
        damage_ms = self._damage.deadline_ms()
        return min(times if damage_ms is None else [*times, damage_ms], default=None)

    def line_lost(self, now_ms: int) -> list[Heard]:
        """The port failed: half a frame is damage, single copies are forgotten, the last confirmed report is not."""
        heard = [told for piece in self._framer.cut() for told in self._take(piece, now_ms)]
        self._damage.set_aside(len(self._waiting), now_ms)
        self._waiting.clear()
        return heard

    def likely(self) -> Heard | None:
        """What a second copy of the report that waits for one would confirm, if it brings nothing else with it.

        One that was told as unconfirmed is not likely any more: its copy may come in hours or never.
        """
        if len(self._waiting) != 1:
            return None
        ((frame, waiting),) = self._waiting.items()
        if waiting.is_told or _lost_before(self._last, waiting.decoded):
            return None
        return Heard(waiting.decoded[1], frame * self._copies_due, waiting.since_ms)

    def trace(self) -> list[TraceLine]:
        """The pieces since the last call; the oldest go first."""
        lines = [_traced(*piece) for piece in self._trace]
        self._trace.clear()
        return lines

    def _end_loose_bytes(self, now_ms: int) -> list[Heard]:
        if self._last_copy_ms is None:
            self._last_copy_ms = now_ms  # of what was confirmed before the start, copies may still be on their way
        if not self._framer.holds_loose_bytes() or now_ms - self._last_byte_ms < LOOSE_BYTES_END_AFTER_MS:
            return []
        return [told for piece in self._framer.cut() for told in self._take(piece, now_ms)]

    def _take(self, piece: Piece, now_ms: int) -> list[Heard]:
        decoded = decode_frame(piece.data) if piece.is_whole else _torn(piece.data)
        self._trace.append((now_ms, piece.data, decoded))
        if isinstance(decoded, str):
            unreadable = self._damage.damaged(now_ms)
            return [Heard(unreadable, b"", now_ms)] if unreadable else []
        self.frames_good += 1
        self._damage.good()
        return self._copy(piece.data, decoded, now_ms)

    def _copy(self, frame: bytes, decoded: Numbered, now_ms: int) -> list[Heard]:
        waits = frame in self._waiting
        if frame == self._last_frame and not waits and not self._starts_again(decoded[1], now_ms):
            self._last_copy_ms = now_ms
            return []
        if waits or self._copies_due == 1:
            return self._confirm(frame, decoded, now_ms)
        if len(self._waiting) == MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]
            self._damage.set_aside(1, now_ms)
        self._waiting[frame] = _Waiting(decoded, now_ms)
        return []

    def _starts_again(self, report: DeviceReport, now_ms: int) -> bool:
        since_ms = now_ms - (now_ms if self._last_copy_ms is None else self._last_copy_ms)
        return isinstance(report, ShoeStart) and since_ms > NEW_START_AFTER_MS

    def _confirm(self, frame: bytes, decoded: Numbered, now_ms: int) -> list[Heard]:
        self._waiting.pop(frame, None)
        self._damage.set_aside(len(self._waiting), now_ms)
        self._waiting.clear()
        lost = _lost_before(self._last, decoded)
        self._last_frame, self._last, self._last_copy_ms = frame, decoded, now_ms
        confirmed = Heard(decoded[1], frame * self._copies_due, now_ms)
        return [Heard(lost, b"", now_ms), confirmed] if lost else [confirmed]


def _lost_before(last: Numbered | None, this: Numbered) -> ReportLost | None:
    """Whether the count says that a report is missing between the two.

    A restart may begin the count anew, some say an error and its end too: then 1 and the same number are as good as
    the next. The `S` of a restart itself may be number 1.
    """
    if last is None:
        return None
    (number, before), (got, report) = last, this
    expected = number % 9 + 1
    due = {expected}
    if isinstance(before, ShoeStart | DeviceError | DeviceErrorCleared):
        due |= {1, number}
    if isinstance(report, ShoeStart):
        due.add(1)
    return None if got in due else ReportLost(expected, got)


def _first_copy(joined: bytes) -> tuple[bytes, Numbered | None]:
    """The frame and what it says; (b"", None) when `joined` does not begin with a good frame."""
    second = joined.find(ENQ, 1)
    frame = joined if second < 0 else joined[:second]
    decoded = decode_frame(frame)
    return (b"", None) if isinstance(decoded, str) else (frame, decoded)


def _torn(data: bytes) -> str:
    return "frame without end" if data[0] == ENQ else "loose bytes"


def _traced(now_ms: int, data: bytes, decoded: Numbered | str) -> TraceLine:
    if isinstance(decoded, str):
        return TraceLine(now_ms, "shoe", "<", data, decoded, damaged=True)
    return TraceLine(now_ms, "shoe", "<", data, f"{decoded[0]} {in_words(decoded[1])}", damaged=False)
