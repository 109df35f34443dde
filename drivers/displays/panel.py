"""The writer of the panel link: shows pictures on a table display that speaks it, and reports its keys."""

import re
from collections import deque
from typing import Literal

from drivers.contracts import DisplayDown, DisplayReport, DisplayUp, KeyPressed, TraceLine, Wire
from drivers.displays.panel_codec import Damage, Frame, FrameReader, Pairs, cut
from drivers.displays.panel_delivery import Delivery
from drivers.displays.panel_link import Arrived, CameUp, LinkEvent, PanelLink, WentDown
from drivers.displays.panel_picture import CoupPicture, LimitRow, Notice, PanelPicture, RoadPicture
from drivers.escape import escaped

__all__ = ["CoupPicture", "LimitRow", "Notice", "PanelDisplay", "PanelPicture", "RoadPicture"]

NAME_CHARACTERS = 40
NAME_ROOM = 300
"""Bytes of an escaped name, so that two of them fit HELLO."""
TRACE_KEPT = 1000

_BOARD = re.compile(r"[0-9]{1,18}")


class PanelDisplay:
    """A TableDisplay[PanelPicture]. Never waits: what the line does not take stays here, and it is one frame at most.

    `start_id`: 8 hex digits drawn at this program start. `first_board`: higher than any board number used before.
    """

    def __init__(
        self, wire: Wire, *, table: str, lang: str, simulated: bool, start_id: str, first_board: int, baud: int
    ) -> None:
        self.wire = wire
        self.frames_good = 0
        self.frames_damaged = 0
        self.not_understood = 0
        self._facts: Pairs = (
            ("table", cut(table, NAME_CHARACTERS, NAME_ROOM)),
            ("lang", lang),
            ("sim", "1" if simulated else "0"),
        )
        self._link = PanelLink(start_id, self._facts, baud)
        self._delivery = Delivery(first_board)
        self._reader = FrameReader()
        self._wire_was_up = False
        self._told_up = False
        self._model = ""
        self._trace: deque[TraceLine] = deque(maxlen=TRACE_KEPT)

    @property
    def shown_board(self) -> int | None:
        """The newest board this panel was told to show since its link came up."""
        return self._delivery.shown_board

    @property
    def trouble(self) -> str:
        """One line on why the display is not up; empty while it is."""
        return self.wire.trouble if not self.wire.is_up else escaped(self._link.trouble)

    def is_up(self) -> bool:
        """Whether the panel hears us: one that only talks is not up, and will not be told to be."""
        return self.wire.is_up and self._link.answered

    def show(self, picture: PanelPicture, now_ms: int) -> None:
        self._delivery.want(picture)
        self._send_what_is_due(now_ms)

    def expect(self, picture: PanelPicture) -> None:
        if (frame := self._delivery.expect(picture)) is not None:
            self._link.expect(frame.kind, frame.pairs)

    def poll(self, now_ms: int) -> list[DisplayReport]:
        data = self.wire.poll(now_ms)
        reports: list[DisplayReport] = []
        if self.wire.is_up and not self._wire_was_up:
            reports += self._reports(self._begin("the port was opened", now_ms))
        reports += self._reports(self._link.pass_time(now_ms))
        for item in self._reader.feed(data):
            reports += self._reports(self._hear(item, now_ms))
        if self._wire_was_up and not self.wire.is_up:
            reports += self._reports(self._begin(self.wire.trouble, now_ms))
        if self.is_up() and not self._told_up:
            self._told_up = True
            reports.append(DisplayUp(escaped(self._model)))
        self._wire_was_up = self.wire.is_up
        self._send_what_is_due(now_ms)
        return reports

    def trace(self) -> list[TraceLine]:
        lines = list(self._trace)
        self._trace.clear()
        return lines

    def deadline_ms(self) -> int | None:
        deadlines = [self.wire.deadline_ms(), self._link.silence_deadline_ms()]
        if self.wire.is_up and self.wire.waiting_out() == 0:
            deadlines.append(self._link.send_deadline_ms())
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def _begin(self, why: str, now_ms: int) -> list[LinkEvent]:
        """The port came or went: half a line from before means nothing now."""
        self._reader = FrameReader()
        return self._link.start_again(why, now_ms)

    def _hear(self, item: Frame | Damage, now_ms: int) -> list[LinkEvent]:
        self._note("<", item.raw, item.why if isinstance(item, Damage) else item.problem, now_ms)
        if isinstance(item, Damage):
            self.frames_damaged += 1
            return []
        self.frames_good += 1
        return self._link.hear(item, now_ms)

    def _reports(self, events: list[LinkEvent]) -> list[DisplayReport]:
        reports: list[DisplayReport] = []
        for event in events:
            match event:
                case CameUp(hello):
                    self._delivery.start_over()
                    self._model = hello.value("model") or ""
                case WentDown(why):
                    self._delivery.start_over()
                    if self._told_up:
                        self._told_up = False
                        reports.append(DisplayDown(_named(self.wire.name, why)))
                case Arrived(frame):
                    reports += self._key(frame)
        return reports

    def _key(self, frame: Frame) -> list[DisplayReport]:
        name, board = frame.value("name"), frame.value("board")
        if frame.kind != "KEY" or not name or board is None or not _BOARD.fullmatch(board):
            self.not_understood += 1
            return []
        return [KeyPressed(escaped(name), int(board), int(board) == self.shown_board)]

    def _line_takes_bytes(self) -> bool:
        """Not before `poll` has seen the port open, and not while it still holds bytes of ours."""
        return self._wire_was_up and self.wire.is_up and self.wire.waiting_out() == 0

    def _send_what_is_due(self, now_ms: int) -> None:
        """One frame after another while the line takes them whole; the rest stays due."""
        while self._line_takes_bytes():
            data = self._link.answer(now_ms) or self._picture_frame(now_ms) or self._link.ping(now_ms)
            if data is None:
                return
            self.wire.send(data, now_ms)
            self._note(">", data, "", now_ms)

    def _picture_frame(self, now_ms: int) -> bytes | None:
        frame = self._delivery.next_frame(now_ms) if self._link.is_free else None
        if frame is None:
            return None
        data = self._link.send(frame.kind, frame.pairs, now_ms)
        if data is not None:
            self._delivery.taken(frame, now_ms)
        return data

    def _note(self, direction: Literal["<", ">"], data: bytes, problem: str, now_ms: int) -> None:
        meaning = escaped(problem or data.decode("latin-1").strip())
        self._trace.append(TraceLine(now_ms, "display", direction, data, meaning, bool(problem)))


def _named(wire: str, why: str) -> str:
    """Trouble of the port itself says already where it is."""
    return escaped(why if why.startswith(wire) else f"{wire}: {why}")
