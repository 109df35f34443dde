"""Counts what a line spoils, and says so seldom enough for a journal."""

from collections import deque

from drivers.contracts import FramesDamaged, LineUnreadable

UNREADABLE_FRAMES = 20
UNREADABLE_WITHIN_MS = 5_000
SAY_EVERY_MS = 1_000


class DamageWatch:
    """Damaged frames: in all, since a good one, and since they were last said."""

    def __init__(self) -> None:
        self.total = 0
        self._since_good = 0
        self._times: deque[int] = deque(maxlen=UNREADABLE_FRAMES)
        self._said_unreadable = False
        self._unsaid = 0
        self._say_at_ms: int | None = None

    def good(self) -> None:
        """A good frame came: the line can be read."""
        self._since_good = 0
        self._times.clear()
        self._said_unreadable = False

    def damaged(self, now_ms: int) -> LineUnreadable | None:
        """A damaged frame came; the answer says so when the line has become unreadable, once until a good one."""
        self.set_aside(1, now_ms)
        self._since_good += 1
        self._times.append(now_ms)
        many = len(self._times) == UNREADABLE_FRAMES and now_ms - self._times[0] <= UNREADABLE_WITHIN_MS
        if not many or self._said_unreadable:
            return None
        self._said_unreadable = True
        return LineUnreadable(self._since_good)

    def set_aside(self, frames: int, now_ms: int) -> None:
        """`frames` good copies are no use after all: damage, but no sign of an unreadable line."""
        self.total += frames
        self._unsaid += frames
        if self._unsaid and self._say_at_ms is None:
            self._say_at_ms = now_ms + SAY_EVERY_MS

    def say(self, now_ms: int) -> FramesDamaged | None:
        """The count since the last time, a second after the first of them."""
        if self._say_at_ms is None or now_ms < self._say_at_ms:
            return None
        said = FramesDamaged(self._unsaid)
        self._unsaid = 0
        self._say_at_ms = None
        return said

    def deadline_ms(self) -> int | None:
        """When `say` has something to say."""
        return self._say_at_ms
