"""Cuts a stream of Angel Eye II-EX compatible bytes into frames, however it arrives and whatever is between them."""

from dataclasses import dataclass

from drivers.shoes.angel_eye_codec import ENQ, ETX, MOST_BYTES

_ENQ = bytes([ENQ])
MOST_JUNK_BYTES = 16
"""Loose bytes that count as one damaged frame: a little more than the longest frame."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes from the line: from ENQ to two bytes after ETX when `is_whole`, else a torn frame or loose bytes."""

    data: bytes
    is_whole: bool


def _is_one_frame(data: bytes) -> bool:
    """The usual case: a frame came whole, and nothing with it."""
    return (
        data.startswith(_ENQ)
        and 0 < data.find(ETX) == len(data) - 3
        and len(data) < MOST_BYTES
        and data.rfind(ENQ) == 0
    )


class Framer:
    """Keeps at most MOST_BYTES. ENQ always begins a frame anew, also between the two characters of a checksum."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def feed(self, data: bytes) -> list[Piece]:
        """What ended within `data`, in order."""
        if not self._kept and _is_one_frame(data):
            return [Piece(data, is_whole=True)]
        pieces: list[Piece] = []
        rest, *frames = data.split(bytes([ENQ]))
        self._extend(rest, pieces)
        for frame in frames:
            pieces += self.cut()
            self._kept.append(ENQ)
            self._extend(frame, pieces)
        return pieces

    def cut(self) -> list[Piece]:
        """Give up what is kept: it is not going to be a frame."""
        return [self._taken(is_whole=False)] if self._kept else []

    def holds_loose_bytes(self) -> bool:
        """Bytes are kept that no ENQ began."""
        return bool(self._kept) and self._kept[0] != ENQ

    def _extend(self, data: bytes, pieces: list[Piece]) -> None:
        """`data` has no ENQ."""
        at = 0
        while at < len(data):
            in_frame = bool(self._kept) and self._kept[0] == ENQ
            missing = self._missing_of_frame(data, at) if in_frame else MOST_JUNK_BYTES - len(self._kept)
            self._kept += data[at : at + missing]
            at += missing
            if in_frame and 0 <= self._kept.find(ETX) == len(self._kept) - 3:
                pieces.append(self._taken(is_whole=True))
            elif len(self._kept) == (MOST_BYTES if in_frame else MOST_JUNK_BYTES):
                pieces.append(self._taken(is_whole=False))

    def _missing_of_frame(self, data: bytes, at: int) -> int:
        """How many bytes from `at` on this frame may still take: to its ETX, or to the end of its checksum."""
        room = MOST_BYTES - len(self._kept)
        etx = self._kept.find(ETX)
        if etx >= 0:
            return min(etx + 3 - len(self._kept), room)
        etx = data.find(ETX, at, at + room)
        return etx + 1 - at if etx >= 0 else room

    def _taken(self, *, is_whole: bool) -> Piece:
        piece = Piece(bytes(self._kept), is_whole)
        self._kept.clear()
        return piece
