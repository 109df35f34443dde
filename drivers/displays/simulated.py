"""A panel that is not there: the device's end of the panel link, with the same codec and link, able to misbehave."""

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from drivers.displays.panel_codec import Damage, Frame, FrameReader, cut
from drivers.displays.panel_link import Arrived, CameUp, LinkEvent, PanelLink, WentDown
from drivers.displays.panel_picture import KINDS, LimitRow

KEYS_KEPT = 8
"""Keys that may wait for the line; more are dropped, as a person who hammers a key means one press."""

MOST_WAGERS = 500

_NUMBER = re.compile(r"[0-9]{1,18}")


class FarEnd(Protocol):
    """The device's end of a line: an end of a `memory_pair`, or a terminal or TCP port that listens."""

    def poll(self, now_ms: int) -> bytes:
        """All bytes there are now."""

    def send(self, data: bytes, now_ms: int) -> bool:
        """Hand over bytes; False when nobody takes them."""


@dataclass(frozen=True, slots=True)
class Board:
    """One whole board as shown. `road`, `notice` and `coup` hold the keys and texts of their frames."""

    board: int
    at_ms: int
    table: str
    lang: str
    sim: bool
    limits: tuple[LimitRow, ...]
    road: Mapping[str, str]
    notice: Mapping[str, str]
    coup: Mapping[str, str]


@dataclass(slots=True)
class Misbehaviour:
    """What this panel does wrong; the numbers count down to nothing."""

    drop_answers: int = 0
    damage_frames: int = 0
    send_twice: bool = False
    stops_reading: bool = False


class SimulatedPanel:
    """The panel itself. It is covered (`shown` is None) until it has a whole board, and whenever its link is down."""

    def __init__(
        self, wire: FarEnd, *, panel_id: str, baud: int = 115200, model: str = "simulated panel", version: str = "1"
    ) -> None:
        self.misbehaviour = Misbehaviour()
        self.shown: Board | None = None
        self.boards_shown = 0
        self.frames_good = 0
        self.frames_damaged = 0
        self.not_understood = 0
        self._wire = wire
        self._baud = baud
        self._facts = (("model", cut(model, 40, 300)), ("version", cut(version, 40, 300)))
        self.restart(panel_id, 0)

    @property
    def link_is_up(self) -> bool:
        return self._link.up

    @property
    def trouble(self) -> str:
        """Why the link is not up, empty while it is. As heard: escape before printing."""
        return self._link.trouble

    def restart(self, panel_id: str, now_ms: int) -> None:
        """Power off and on: nothing is remembered, `panel_id` is the id drawn at this start."""
        self._link = PanelLink(panel_id, self._facts, self._baud, now_ms)
        self._reader = FrameReader()
        self._table, self._lang, self._sim = "", "en", False
        self._forget()

    def press(self, name: str) -> bool:
        """Somebody pressed a key. False, and nothing is sent, when no board is seen or too many keys wait."""
        if self.shown is None or len(self._keys) >= KEYS_KEPT:
            return False
        self._keys.append((name, self.shown.board))
        return True

    def poll(self, now_ms: int) -> list[Board]:
        """Read, show, answer. The boards shown since the last call, oldest first."""
        boards = self._act(self._link.pass_time(now_ms), now_ms)
        data = b"" if self.misbehaviour.stops_reading else self._wire.poll(now_ms)
        for item in self._reader.feed(data):
            boards += self._act(self._hear(item, now_ms), now_ms)
        while (sent := self._link.answer(now_ms) or self._key(now_ms) or self._link.ping(now_ms)) is not None:
            self._put_on_the_line(sent, now_ms)
        return boards

    def deadline_ms(self) -> int:
        """When `poll` must be called even if nothing is readable."""
        silence_ms, send_ms = self._link.silence_deadline_ms(), self._link.send_deadline_ms()
        return send_ms if silence_ms is None else min(silence_ms, send_ms)

    def _hear(self, item: Frame | Damage, now_ms: int) -> list[LinkEvent]:
        if isinstance(item, Damage):
            self.frames_damaged += 1
            return []
        self.frames_good += 1
        return self._link.hear(item, now_ms)

    def _act(self, events: list[LinkEvent], now_ms: int) -> list[Board]:
        boards: list[Board] = []
        for event in events:
            match event:
                case CameUp(hello):
                    self._table, self._lang = hello.value("table") or "", hello.value("lang") or "en"
                    self._sim = hello.value("sim") == "1"
                case WentDown():
                    self._forget()
                case Arrived(frame) if self._keep_aside(frame) and frame.value("show") == "1":
                    boards += self._show(int(frame.value("board") or 0), now_ms)
                case Arrived():
                    pass
        return boards

    def _forget(self) -> None:
        """Covered: nothing that was heard before counts, nothing that was pressed is sent again."""
        self.shown = None
        self._last_board = -1
        self._aside: dict[str, dict[str, str]] = {}
        self._limits: list[LimitRow] = []
        self._keys: deque[tuple[str, int]] = deque()

    def _keep_aside(self, frame: Frame) -> bool:
        """False for what makes no sense, and for an old board that came once more."""
        board = frame.value("board") or ""
        is_old = frame.value("show") == "1" and not (_NUMBER.fullmatch(board) and int(board) > self._last_board)
        if is_old or frame.kind not in KINDS or (frame.kind == "LIMITS" and not self._keep_limits(frame)):
            self.not_understood += 1
            return False
        self._aside[frame.kind] = {key: value for key, value in frame.pairs if key not in ("show", "board")}
        return True

    def _keep_limits(self, frame: Frame) -> bool:
        """Rows from 0 begin a new list, others must follow what is there."""
        start, rows = frame.value("from") or "", (frame.value("rows") or "").split(",")
        fields = [row.split(":", 3) for row in rows if row]
        if any(len(row) < 4 for row in fields) or not _NUMBER.fullmatch(frame.value("n") or ""):
            return False
        if start not in ("0", str(len(self._limits))) or int(start) + len(fields) > MOST_WAGERS:
            return False
        self._limits[int(start) :] = [LimitRow(*row) for row in fields]
        return True

    def _show(self, board: int, now_ms: int) -> list[Board]:
        """Everything at once, or nothing while a kind or a row is missing."""
        if self._aside.keys() != set(KINDS) or int(self._aside["LIMITS"]["n"]) != len(self._limits):
            self.not_understood += 1
            return []
        road, notice, coup = self._aside["ROAD"], self._aside["NOTICE"], self._aside["COUP"]
        rows = tuple(self._limits)
        self.shown = Board(board, now_ms, self._table, self._lang, self._sim, rows, road, notice, coup)
        self._last_board = board
        self.boards_shown += 1
        return [self.shown]

    def _key(self, now_ms: int) -> bytes | None:
        if not self._keys or not self._link.is_free:
            return None
        name, board = self._keys[0]
        sent = self._link.send("KEY", (("name", name), ("board", str(board))), now_ms)
        if sent is not None:
            self._keys.popleft()
        return sent

    def _put_on_the_line(self, data: bytes, now_ms: int) -> None:
        wrong = self.misbehaviour
        if wrong.drop_answers and b" ACK*" in data:
            wrong.drop_answers -= 1
            return
        if wrong.damage_frames:
            wrong.damage_frames -= 1
            data = data[:2] + bytes([data[2] ^ 1]) + data[3:]
        self._wire.send(data * 2 if wrong.send_twice else data, now_ms)
