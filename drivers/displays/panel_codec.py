"""Frames of the panel link: bytes to values and back. No port, no clock.

One frame is one line of printable ASCII, described in panel.md beside this file:

    $04 COUP show=1 board=412 phase=dealing p=TS b=*CRC4
"""

import binascii
import re
from dataclasses import dataclass, field

LONGEST_FRAME = 1024
"""Bytes of a frame with its CR LF; a receiver keeps no more."""

_FRAME = re.compile(rb"\$([0-9A-F]{2}) ([^*]*)\*([0-9A-F]{4})\r?\n")
_KIND = re.compile(r"[A-Z]{2,8}")
_KEY = re.compile(r"[a-z][a-z0-9-]{0,31}")
_VALUE = re.compile(r"(?:[A-Za-z0-9._~,:/-]|%[0-9A-Fa-f]{2})*")
_PLAIN = re.compile(r"[A-Za-z0-9._~,:/-]*")
_NEEDS_ESCAPE = re.compile(rb"[^A-Za-z0-9._~,:/-]")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_PIECE = re.compile(rb"\$|[^$\n]*\n|[^$\n]+")

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """A line with a good CRC. `problem` says what makes no sense in it: it is answered, but not acted on."""

    seq: int
    kind: str
    pairs: Pairs = ()
    problem: str = ""
    raw: bytes = field(default=b"", compare=False, repr=False)

    def value(self, key: str) -> str | None:
        """The text of `key`, None when the frame does not carry it."""
        return next((value for name, value in self.pairs if name == key), None)


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes that were dropped, the first 1,024 of them, and why."""

    why: str
    raw: bytes


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, nothing reflected; b"123456789" gives 0x29B1."""
    return binascii.crc_hqx(data, 0xFFFF)


def escape(text: str) -> str:
    """Text as a VALUE: UTF-8, every byte outside the plain set as %HH. A lone surrogate becomes a question mark."""
    if _PLAIN.fullmatch(text):
        return text
    plain = text.encode("utf-8", errors="replace")
    return _NEEDS_ESCAPE.sub(lambda found: b"%%%02X" % found[0][0], plain).decode("ascii")


def unescape(value: str) -> str:
    """A VALUE as text. Raises ValueError for a broken escape or bytes that are not UTF-8."""
    if not _VALUE.fullmatch(value):
        raise ValueError(f"value has a character or escape that is not allowed: {value!a}")
    return _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), value.encode("ascii")).decode("utf-8")


def cut(text: str, characters: int, room: int) -> str:
    """The start of `text` that has at most `characters` characters and needs at most `room` bytes once escaped."""
    text = text[:characters]
    while len(escape(text)) > room:
        text = text[:-1]
    return text


def frame_bytes(kind: str, pairs: Pairs) -> int:
    """How long the line of a frame would be, CR LF included."""
    return len(f"$00 {kind}*0000\r\n") + sum(len(f" {key}={escape(value)}") for key, value in pairs)


def encode(frame: Frame) -> bytes:
    """A frame as its line. Raises ValueError when it breaks the grammar or is longer than a frame may be."""
    seq, kind, pairs = frame.seq, frame.kind, frame.pairs
    if not 0 <= seq <= 0xFF or not _KIND.fullmatch(kind) or len(dict(pairs)) < len(pairs):
        raise ValueError(f"not a frame: {seq} {kind!a} {pairs!a}")
    if not all(_KEY.fullmatch(key) for key, _ in pairs):
        raise ValueError(f"a key of this frame is not allowed: {pairs!a}")
    body = " ".join([f"{seq:02X}", kind, *(f"{key}={escape(value)}" for key, value in pairs)]).encode("ascii")
    line = b"$%s*%04X\r\n" % (body, crc16(body))
    if len(line) > LONGEST_FRAME:
        raise ValueError(f"{kind} frame of {len(line)} bytes: {LONGEST_FRAME} is the most")
    return line


def decode(line: bytes) -> Frame | Damage:
    """One line, from its `$` to its LF."""
    found = _FRAME.fullmatch(line)
    if found is None:
        return Damage("not the form of a frame", line)
    seq, content, crc = found.groups()
    if crc16(seq + b" " + content) != int(crc, 16):
        return Damage("the CRC does not fit", line)
    return _understood(int(seq, 16), content.decode("latin-1"), line)


def _understood(seq: int, content: str, raw: bytes) -> Frame:
    kind, *words = content.split(" ")
    if not _KIND.fullmatch(kind):
        return Frame(seq, "", (), "no kind that could be read", raw)
    pairs: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not _KEY.fullmatch(key) or key in pairs:
            return Frame(seq, kind, (), f"a key that cannot be read, or occurs twice: {word!a}", raw)
        try:
            pairs[key] = unescape(value)
        except ValueError:
            return Frame(seq, kind, (), f"an escape that makes no sense: {word!a}", raw)
    return Frame(seq, kind, tuple(pairs.items()), "", raw)


class FrameReader:
    """Cuts a stream of bytes into frames, however it is chopped up, and holds at most one frame's bytes."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._overflown = False

    def feed(self, data: bytes) -> list[Frame | Damage]:
        """What is complete with these bytes, in order. `$` always starts anew, LF ends a line."""
        complete: list[Frame | Damage] = []
        for piece in _PIECE.findall(data):
            if piece == b"$":
                complete += self._cut_short()
                self._held += b"$"
            elif not self._overflown:
                complete += self._take(piece)
        return complete

    def _cut_short(self) -> list[Frame | Damage]:
        held, self._overflown = bytes(self._held), False
        self._held.clear()
        return [Damage("cut short by the next $", held)] if held.strip(b"\r\n") else []

    def _take(self, piece: bytes) -> list[Frame | Damage]:
        self._held += piece[: LONGEST_FRAME + 1 - len(self._held)]
        line = bytes(self._held)
        if len(line) > LONGEST_FRAME:
            self._overflown = True
            self._held.clear()
            return [Damage(f"longer than {LONGEST_FRAME} bytes", line[:LONGEST_FRAME])]
        if not line.endswith(b"\n"):
            return []
        self._held.clear()
        if line.startswith(b"$"):
            return [decode(line)]
        return [Damage("outside a frame", line)] if line.strip(b"\r\n") else []
