"""Everything that the demonstration waits for, in one queue: lines and ends of its programs, table events, signals."""

import queue
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

PATIENCE_S = 30
SOON_S = 1.0
TICK_S = 0.07
"""How long at most between two looks at the screen."""


@dataclass(frozen=True, slots=True)
class Said:
    """A program wrote a line."""

    who: str
    line: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A program ended; `code` as subprocess has it (minus the signal's number), `last` the last line on its stderr."""

    who: str
    code: int
    last: str


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of the table, as its control socket tells it."""

    event: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Signalled:
    """Somebody wants the demonstration to end."""

    number: int


Item = Said | Ended | Happened | Signalled


class DemoFailed(Exception):
    """Something that should have happened did not: one line."""


class DemoStopped(Exception):
    """It was asked to end by signal `number`."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Inbox:
    """Any thread, and a signal's handler, may `put`; only the main thread takes. `idle` is called again and again."""

    def __init__(self) -> None:
        self.idle: Callable[[], None] = _nothing
        self._queue: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._kept: deque[Item] = deque()
        self._may_end: set[str] = set()

    def put(self, item: Item) -> None:
        """From anywhere; never waits."""
        self._queue.put(item)

    def may_end(self, who: str) -> None:
        """From now on this program's end is no failure, but an item like any other."""
        self._may_end.add(who)

    def take(self, awaited: str) -> Item:
        """The next item. Raises DemoStopped; DemoFailed when a program ended too early or nothing came for 30 s.

        Only time spent waiting counts: a demonstration that was suspended goes on.
        """
        if self._kept:
            return self._kept.popleft()
        left_s = float(PATIENCE_S)
        while True:
            item = self._next()
            if item is not None:
                return item
            left_s -= TICK_S
            if left_s <= 0:
                raise _nothing_came(awaited)

    def rest(self, for_s: float) -> None:
        """Let time pass; what comes meanwhile is kept for `take`."""
        left_s = for_s
        while left_s > 0:
            item = self._next(min(left_s, TICK_S))
            if item is None:
                left_s -= TICK_S
            else:
                self._kept.append(item)

    def wait_until(self, is_so: Callable[[], bool], awaited: str) -> None:
        """Until what `idle` follows has come so far; what comes meanwhile is kept. Raises as `take`."""
        left_s = float(PATIENCE_S)
        while not is_so():
            item = self._next()
            if item is not None:
                self._kept.append(item)
                continue
            left_s -= TICK_S
            if left_s <= 0:
                raise _nothing_came(awaited)

    def wait_for_end(self, who: str, awaited: str) -> Ended:
        """Let a program that may end do so; nothing else matters meanwhile."""
        while True:
            item = self.take(awaited)
            if isinstance(item, Ended) and item.who == who:
                return item

    def why_gone(self, otherwise: str) -> DemoFailed:
        """Something went wrong: the end of a program explains that better, when word of it comes soon."""
        try:
            self.rest(SOON_S)
        except DemoFailed as ended:
            return ended
        return DemoFailed(otherwise)

    def _next(self, for_s: float = TICK_S) -> Item | None:
        self.idle()
        try:
            item = self._queue.get(timeout=for_s)
        except queue.Empty:
            return None
        match item:
            case Signalled(number):
                raise DemoStopped(number)
            case Ended(who, code, last) if who not in self._may_end:
                how = f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code}"
                raise DemoFailed(f"{who} {how}" + (f"; its last line: {last}" if last else ""))
            case _:
                return item


def _nothing_came(awaited: str) -> DemoFailed:
    return DemoFailed(f"nothing came for {PATIENCE_S} s while waiting for {awaited}: is this machine very busy?")


def _nothing() -> None:
    """Until there is a screen to look after."""
