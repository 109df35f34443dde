"""The link between a controller and a panel: who is there, what was heard, what goes again.

The same class is both ends. It owns no port and asks no clock: frames and the time come in, frames to send come out,
and every deadline can be asked for. The rules are written down in panel.md beside this file.
"""

import re
from collections import deque
from dataclasses import dataclass

from drivers.displays.panel_codec import Frame, Pairs, encode

PROTO = 1
HELLO_EVERY_MS = 1000
"""A link that is not up says HELLO at once and then this often."""
REPEAT_AFTER_MS = 250
"""A frame goes again this long after its last byte and its answer's can have passed."""
PING_AFTER_MS = 1000
"""A link says PING when it has sent nothing for this long."""
SILENCE_MS = 3000
"""A link that heard no good frame for this long is down."""
ANSWERS_KEPT = 64
"""Answers that may wait for a stuck line: less than one frame's bytes. The other side has one frame under way."""

_ANSWER_BYTES = len(b"$04 ACK*1897\r\n")
_ID = re.compile(r"[0-9A-Fa-f]{8}")
_PROTO = re.compile(r"[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class CameUp:
    """Both sides know each other. `hello` is the frame that brought it up, with the other side's facts."""

    hello: Frame


@dataclass(frozen=True, slots=True)
class WentDown:
    """Nothing of what was said counts any more; `why` is one line."""

    why: str


@dataclass(frozen=True, slots=True)
class Arrived:
    """A frame to act on, once."""

    frame: Frame


LinkEvent = CameUp | WentDown | Arrived


@dataclass(frozen=True, slots=True)
class _UnderWay:
    seq: int
    data: bytes
    again_ms: int


class PanelLink:
    """One end of the link. `own_id`: 8 hex digits drawn at program start. `facts`: the owner's own pairs for HELLO.

    The owner hands in what was heard, then takes what is to be sent, one frame a call, while its line takes bytes:
    `answer` first, then a frame of its own through `send` while `is_free`, then `ping`.
    """

    def __init__(self, own_id: str, facts: Pairs, baud: int, now_ms: int = 0) -> None:
        if not _ID.fullmatch(own_id):
            raise ValueError(f"id of a program start must be 8 hex digits, not {own_id!r}")
        self.own_id = own_id
        self.peer_id: str | None = None
        self.proto = PROTO
        self.up = False
        self.answered = False
        """The other side has shown, since the link came up, that it hears us."""
        self.trouble = "not heard yet"
        self.not_understood = 0
        self.repeated = 0
        self._facts = facts
        self._baud = baud
        self._line_free_ms = now_ms
        self._hello_ms = now_ms
        self._heard_ms = now_ms
        self._hello_asked = False
        self._answers: deque[int] = deque(maxlen=ANSWERS_KEPT)
        self._last_heard: int | None = None
        self._last_sent = 0
        self._under_way: _UnderWay | None = None
        self._doubted: bytes | None = None
        self._ping_first = False
        self._expected: tuple[int, Pairs, bytes] | None = None

    @property
    def is_free(self) -> bool:
        """Up, and no frame of ours waits for its answer."""
        return self.up and self._under_way is None

    def hear(self, frame: Frame, now_ms: int) -> list[LinkEvent]:
        """A frame with a good CRC came in. A link that is not up hears HELLO only."""
        if frame.kind == "HELLO":
            return self._hear_hello(frame, now_ms)
        if not self.up:
            return []
        self._heard_ms, self.answered = now_ms, True
        if frame.kind == "ACK":
            self._hear_answer(frame)
            return []
        self._answers.append(frame.seq)
        if frame.seq == self._last_heard:
            return []
        if frame.seq == 0 or frame.problem:
            self.not_understood += 1
            self._last_heard = frame.seq or self._last_heard
            return []
        self._last_heard = frame.seq
        return [] if frame.kind == "PING" else [Arrived(frame)]

    def _hear_answer(self, frame: Frame) -> None:
        if frame.problem:
            self.not_understood += 1
        elif self._under_way is not None and frame.seq == self._under_way.seq:
            self._under_way = self._doubted = None

    def _hear_hello(self, frame: Frame, now_ms: int) -> list[LinkEvent]:
        peer_id, proto = frame.value("id") or "", frame.value("proto") or ""
        self._heard_ms = now_ms
        if frame.seq or frame.problem or not _ID.fullmatch(peer_id) or not _PROTO.fullmatch(proto) or not int(proto):
            self.not_understood += 1
            self.trouble = f"a HELLO that makes no sense: proto={proto!a} id={peer_id!a} {frame.problem}".rstrip()
            return []
        if _same(peer_id, self.own_id):
            self.not_understood += 1
            self.trouble = "hears its own HELLO: the line echoes, check plug and settings"
            return []
        is_new, says_up = not _same(peer_id, self.peer_id), frame.value("up") == "1"
        doubted = self._first_frame_unanswered() if not is_new else None
        events: list[LinkEvent] = []
        if self.up and (is_new or not says_up):
            events += self._go_down("the other side started anew" if is_new else "the other side lost the link", now_ms)
        self.peer_id, self.proto = peer_id, min(PROTO, int(proto))
        is_for_us = _same(frame.value("to"), self.own_id)
        if not self.up and is_for_us:
            self._come_up(doubted)
            events.append(CameUp(frame))
        self.answered = self.answered or (self.up and is_for_us and says_up)
        self._hello_asked = self._hello_asked or not says_up
        return events

    def _first_frame_unanswered(self) -> bytes | None:
        """The bytes of frame 01 while it waits.

        The other side may say HELLO twice before it hears us: the second one starts our numbers again, but not its
        own, so an answer to the first frame 01 would be taken for an answer to another frame 01. Such a start begins
        with the same bytes or with a PING, which nobody misses.
        """
        if self._under_way is None:
            return self._doubted
        return self._under_way.data if self._under_way.seq == 1 else None

    def _come_up(self, doubted: bytes | None) -> None:
        self.up, self.trouble = True, ""
        self._last_heard, self._last_sent, self._under_way = None, 0, None
        self._answers.clear()
        self._doubted, self._ping_first = doubted, False

    def _go_down(self, why: str, now_ms: int) -> list[LinkEvent]:
        was_up, self.up, self.answered, self.trouble = self.up, False, False, why
        self._hello_ms = now_ms
        self._under_way, self._doubted, self._hello_asked = None, None, False
        self._answers.clear()
        return [WentDown(why)] if was_up else []

    def pass_time(self, now_ms: int) -> list[LinkEvent]:
        """Takes the link down when nothing good was heard for too long. Call it before `hear`."""
        if self.up and now_ms - self._heard_ms >= SILENCE_MS:
            return self._go_down(f"nothing heard for {SILENCE_MS // 1000} s", now_ms)
        return []

    def start_again(self, why: str, now_ms: int) -> list[LinkEvent]:
        """The line itself went or came: the link is down and says HELLO as soon as it can."""
        self._line_free_ms = now_ms
        return self._go_down(why, now_ms)

    def answer(self, now_ms: int) -> bytes | None:
        """The next frame that the link itself owes now: HELLO, an answer, or the frame under way once more."""
        if self._hello_asked or (not self.up and now_ms >= self._hello_ms):
            self._hello_asked, self._hello_ms = False, now_ms + HELLO_EVERY_MS
            return self._on_the_line(encode(Frame(0, "HELLO", self._hello_pairs())), now_ms)
        if self._answers:
            return self._on_the_line(encode(Frame(self._answers.popleft(), "ACK")), now_ms)
        if self._under_way is not None and now_ms >= self._under_way.again_ms:
            self.repeated += 1
            return self._set_under_way(self._under_way.seq, self._under_way.data, now_ms)
        return None

    def send(self, kind: str, pairs: Pairs, now_ms: int) -> bytes | None:
        """Puts a frame of the owner under way; only while `is_free`. None: not yet, `ping` goes first (ask again)."""
        seq = self._last_sent % 0xFF + 1
        data = self._line(seq, kind, pairs)
        if self._doubted is not None and seq == 1 and data != self._doubted:
            self._ping_first = True
            return None
        return self._set_under_way(seq, data, now_ms)

    def expect(self, kind: str, pairs: Pairs) -> None:
        """This frame may be the next to send: its line is worked out and kept for then."""
        seq = self._last_sent % 0xFF + 1
        self._expected = seq, pairs, encode(Frame(seq, kind, pairs))

    def _line(self, seq: int, kind: str, pairs: Pairs) -> bytes:
        expected = self._expected
        if expected is not None and expected[0] == seq and expected[1] is pairs:
            return expected[2]
        return encode(Frame(seq, kind, pairs))

    def ping(self, now_ms: int) -> bytes | None:
        """A PING when nothing was sent for a second (or a doubtful start needs one)."""
        if not self.is_free or not (self._ping_first or now_ms >= self._line_free_ms + PING_AFTER_MS):
            return None
        self._ping_first, seq = False, self._last_sent % 0xFF + 1
        return self._set_under_way(seq, encode(Frame(seq, "PING")), now_ms)

    def silence_deadline_ms(self) -> int | None:
        """When the link goes down unless something good is heard; None while it is down."""
        return self._heard_ms + SILENCE_MS if self.up else None

    def send_deadline_ms(self) -> int:
        """When `answer` or `ping` will have something; a time in the past means now."""
        if self._hello_asked or self._answers:
            return self._heard_ms
        if not self.up:
            return self._hello_ms
        return self._line_free_ms + PING_AFTER_MS if self._under_way is None else self._under_way.again_ms

    def _hello_pairs(self) -> Pairs:
        to = (("to", self.peer_id),) if self.peer_id is not None else ()
        up = (("up", "1"),) if self.up else ()
        return (("proto", str(PROTO)), ("id", self.own_id), *to, *up, *self._facts)

    def _set_under_way(self, seq: int, data: bytes, now_ms: int) -> bytes:
        self._on_the_line(data, now_ms)
        again_ms = self._line_free_ms + self._line_ms(_ANSWER_BYTES) + REPEAT_AFTER_MS
        self._last_sent, self._under_way = seq, _UnderWay(seq, data, again_ms)
        return data

    def _on_the_line(self, data: bytes, now_ms: int) -> bytes:
        self._line_free_ms = max(now_ms, self._line_free_ms) + self._line_ms(len(data))
        return data

    def _line_ms(self, size: int) -> int:
        """How long so many bytes take at ten bits each, rounded up."""
        return -(-size * 10_000 // self._baud)


def _same(left: str | None, right: str | None) -> bool:
    return left is not None and right is not None and left.upper() == right.upper()
