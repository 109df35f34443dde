"""The one loop of a table PC: wires, the control socket and the clock become inputs; boards and answers go out."""

import select
import sqlite3
import time
import traceback
from collections import deque
from collections.abc import Callable
from pathlib import Path

from controller.host import answers
from controller.host.control import ControlServer, Request
from controller.host.journal import Journal
from controller.host.lines import RecordUnreadable
from controller.host.live_table import LiveTable
from controller.host.orders import QUESTIONS, BadOrder, only, order_of
from controller.host.simulated_hand import SimulatedHand
from controller.host.telling import warn
from controller.host.translate import display_input, panel_picture, shoe_input
from controller.host.watchdog import ServiceManager
from controller.table.board import next_second_ms, view
from controller.table.events import Event
from controller.table.inputs import Input, Link, LinkLost, LinkRestored, LinkState, ProgramStopped, Tick
from controller.table.state import TableState
from drivers.contracts import CardDrawn, CardShoe, DisplayReport, Heard, TableDisplay, TraceLine
from drivers.displays.panel import PanelPicture

LONGEST_WAIT_MS = 1000
REPORTS_A_TURN = 50
"""So many reports are conducted before the control socket and the display get their turn."""
LONGEST_TURN_MS = 500
"""After so long no further report is begun in a turn: a slow disk must not keep people and display waiting."""
SECOND_COPY_MS = 40
"""By then the second copy of a report has come, at 4800 baud or faster."""
MOST_LOOKS = 20_000
SLOW_MS = 1000
"""A record that takes so long to reach the disk is told of, once."""


class Crashed(Exception):
    """A fault of the program: one line with what and where. What is on disk stands; a restart goes on with it."""


def clock_ms() -> int:
    """Milliseconds of the clock that never goes back."""
    return time.monotonic_ns() // 1_000_000


class TableLoop:
    """One table's wires and people around one LiveTable. `tell` gets each event once it is on disk."""

    def __init__(
        self,
        table: LiveTable,
        journal: Journal,
        shoe: CardShoe,
        display: TableDisplay[PanelPicture] | None,
        control: ControlServer,
        *,
        tell: Callable[[Event], None],
        trace: Callable[[TraceLine], None] | None = None,
        hand: SimulatedHand | None = None,
        clock: Callable[[], int] = clock_ms,
        watchdog: ServiceManager | None = None,
        warn: Callable[[str], None] = warn,
    ) -> None:
        self._table = table
        self._journal = journal
        self._shoe = shoe
        self._display = display
        self._control = control
        self._tell = tell
        self._trace = trace
        self._hand = hand
        self._clock = clock
        self._watchdog = watchdog or ServiceManager({})
        self._warn = warn
        self._is_slow = False
        self._wake: int | None = None
        self._heard: deque[Heard] = deque()
        self._shown: tuple[TableState, PanelPicture] | None = None
        self._likely: Heard | None = None
        self._coming: tuple[TableState, PanelPicture] | None = None

    @property
    def state(self) -> TableState:
        """The table as anyone may know it."""
        return self._table.state

    def wake_on(self, fileno: int) -> None:
        """A descriptor that becomes readable when `stopped` may have changed."""
        self._wake = fileno

    def run(self, stopped: Callable[[], bool]) -> None:
        """Until `stopped` says so; then the stop is on disk. Raises Crashed, for which nothing was written."""
        try:
            self._run(stopped)
        except Exception as fault:  # the one crash barrier: stop dealing, keep the record as it is
            raise Crashed(_fault_line(fault)) from fault

    def _run(self, stopped: Callable[[], bool]) -> None:
        now_ms = self._clock()
        while not stopped():
            self.turn(now_ms)
            self.wait(now_ms)
            now_ms = self._clock()
        self._table.take(ProgramStopped(now_ms))
        self._after_commit()

    def turn(self, now_ms: int) -> None:
        """All that can be done at this moment; never waits."""
        self._watchdog.alive(now_ms)
        self._hear_shoe(now_ms)
        self._hear_display(now_ms)
        due = self._table.state.next_tick_ms()
        if due is not None and now_ms >= due:
            self._take(Tick(now_ms), b"", now_ms)
        for request in self._control.poll():
            self._answer(request, now_ms)
        self._show(now_ms)
        self._after_commit()
        self._look_ahead(now_ms)

    def _hear_shoe(self, now_ms: int) -> None:
        if self._hand is not None:
            self._hand.act(self._table.state, now_ms)
        if not self._heard and self._table.has_room:
            self._heard.extend(self._shoe.poll(now_ms))
        began_ms = self._clock()
        for _ in range(min(REPORTS_A_TURN, len(self._heard))):
            self._take_heard(self._heard.popleft(), now_ms)
            if self._clock() - began_ms > LONGEST_TURN_MS:
                break
        for line in self._shoe.trace():
            self._keep(line)

    def _take_heard(self, heard: Heard, now_ms: int) -> None:
        ahead = self._table.ahead
        if ahead is None or self._likely is None or (heard.report, heard.raw) != (self._likely.report, ahead.raw):
            self._take(shoe_input(heard.report, heard.at_ms), heard.raw, now_ms)
            return
        began_ms = self._clock()
        self._table.take_ahead(ahead)
        self._show(now_ms)
        self._table.finish()
        self._look_at_pace(began_ms)

    def _look_ahead(self, now_ms: int) -> None:
        """A card that came once is worked out up to the frame for the display: its second copy then waits for nothing.

        Nothing of it is written or shown before that. Its time is when it was first heard. Once it is not likely any
        more, all of it is undone.
        """
        likely = self._shoe.likely()
        if likely is None or not isinstance(likely.report, CardDrawn):
            self._likely = None
            self._table.look_away()
            return
        if likely == self._likely and self._table.ahead is not None:
            return
        self._likely = likely
        ahead = self._table.look_ahead(shoe_input(likely.report, now_ms), likely.raw)
        if ahead is not None and self._display is not None:
            self._coming = (ahead.state, panel_picture(ahead.state.rules, view(ahead.state, now_ms)))
            self._display.expect(self._coming[1])

    def _hear_display(self, now_ms: int) -> None:
        if self._display is None:
            return
        for report in self._display.poll(now_ms):
            self._display_said(report, now_ms)
        for line in self._display.trace():
            self._keep(line)

    def _display_said(self, report: DisplayReport, now_ms: int) -> None:
        what = display_input(report, now_ms)
        if what is not None:
            self._take(what, b"", now_ms)

    def _keep(self, line: TraceLine) -> None:
        if line.line == "shoe" and line.direction == "<":
            self._table.keep_trace(line.data)
        if self._trace is not None:
            self._trace(line)

    def _take(self, what: Input, raw: bytes, now_ms: int) -> None:
        """One input; what it led to is on disk, so the display may show it at once."""
        if not self._already_so(what):
            began_ms = self._clock()
            self._table.take(what, raw)
            self._look_at_pace(began_ms)
            self._show(now_ms)

    def _look_at_pace(self, began_ms: int) -> None:
        """Say once that the disk became slow. Dealing goes on: what is on the wire meanwhile waits there."""
        took_ms = self._clock() - began_ms
        if took_ms >= SLOW_MS and not self._is_slow:
            self._warn(f"the disk took {took_ms / 1000:.1f} s for a record: dealing goes on slowly; check the disk")
        self._is_slow = took_ms >= SLOW_MS

    def _already_so(self, what: Input) -> bool:
        """A driver tells the first state of its line too; the table knows it from its start."""
        state = self._table.state
        match what:
            case LinkLost(link=link):
                wanted = LinkState.DOWN
            case LinkRestored(link=link):
                wanted = LinkState.UP
            case _:
                return False
        return (state.shoe_link if link is Link.SHOE else state.display_link) is wanted

    def _show(self, now_ms: int) -> None:
        if self._display is None:
            return
        state = self._table.state
        if self._shown is None or self._shown[0] is not state or state.deadline_ms is not None:
            coming = self._coming
            if coming is None or coming[0] is not state or state.deadline_ms is not None:
                coming = (state, panel_picture(state.rules, view(state, now_ms)))
            self._shown = coming
        self._display.show(self._shown[1], now_ms)

    def _answer(self, request: Request, now_ms: int) -> None:
        self._control.answer(request.client, self._answered(request, now_ms))
        self._after_commit()

    def _answered(self, request: Request, now_ms: int) -> answers.Answer:
        try:
            if request.do in QUESTIONS:
                only(request.do, request.fields, ())
                return self._told(request)
            order = order_of(request.do, request.fields, now_ms)
        except BadOrder as bad:
            return answers.refused(request.id, bad.reason, bad.text)
        began_ms = self._clock()
        answer = self._table.order(order, request.id)
        self._look_at_pace(began_ms)
        self._show(now_ms)
        return answer

    def _told(self, request: Request) -> answers.Answer:
        if request.do == "ledger":
            return answers.ledger_answer(request.id, self._table.state)
        return self._table.state_answer(request.id)

    def _after_commit(self) -> None:
        """What is on disk is told: to those who follow the events, and to the log."""
        self._control.pump(self._events_after)
        for event in self._table.news():
            self._tell(event)

    def _events_after(self, seq: int, limit: int) -> list[dict[str, object]]:
        """Events for those who follow; of a record that was damaged what can be read before the damage."""
        try:
            return self._journal.events_after(seq, limit)
        except (RecordUnreadable, sqlite3.Error):
            return self._events_after(seq, limit // 2) if limit > 1 else []

    def wait(self, now_ms: int) -> None:
        """Until something can be read, a deadline comes, or a second passes."""
        if self._heard:
            return
        readable = self._readable()
        if not self._sees_second_copy(readable):
            select.select(readable, (), (), max(0, self.next_ms(now_ms) - self._clock()) / 1000)

    def _sees_second_copy(self, readable: list[int]) -> bool:
        """Awake while the second copy of a card is due, some 20 ms: waking up takes longer than the card needs."""
        likely = self._likely
        if likely is None or self._table.ahead is None:
            return False
        for _ in range(MOST_LOOKS):
            if select.select(readable, (), (), 0)[0]:
                return True
            if self._clock() - likely.at_ms > SECOND_COPY_MS:
                break
        return False

    def _readable(self) -> list[int]:
        wires = [self._shoe.wire] if self._table.has_room else []
        if self._display is not None:
            wires.append(self._display.wire)
        found = [wire.fileno() for wire in wires]
        return [fileno for fileno in (*found, self._control.fileno(), self._wake) if fileno is not None]

    def next_ms(self, now_ms: int) -> int:
        """When `turn` has something to do even if nothing can be read."""
        state = self._table.state
        deadlines = [
            self._watchdog.deadline_ms(),
            self._shoe.deadline_ms(),
            state.next_tick_ms(),
            now_ms + LONGEST_WAIT_MS,
        ]
        if self._display is not None:
            deadlines += [self._display.deadline_ms(), next_second_ms(state, now_ms)]
        if self._hand is not None:
            deadlines.append(self._hand.deadline_ms(state, now_ms))
        return min(at for at in deadlines if at is not None)


def _fault_line(fault: Exception) -> str:
    """What went wrong in the program and where, the innermost places last."""
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(fault.__traceback__)[-4:]]
    what = ascii(str(fault))[1:-1][:300]
    return (
        f"punto stopped: {type(fault).__name__} {what} ({' > '.join(places)}); the record is whole: keep this line,"
        " then start again"
    )
