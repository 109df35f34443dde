"""What of the newest picture a panel does not have yet, and which frame is next. No port, no link."""

from dataclasses import dataclass

from drivers.displays.panel_codec import Pairs
from drivers.displays.panel_picture import KINDS, PanelPicture, frames_of, shown

SET_MS = 300
"""A set of frames that is still not shown after this long does not begin again for a newer picture.

Else pictures that change faster than their frames go would never be shown at all.
"""

_Contents = dict[str, tuple[Pairs, ...]]


@dataclass(frozen=True, slots=True)
class DueFrame:
    """The next frame to go; `board` when it shows everything, else None."""

    kind: str
    pairs: Pairs
    board: int | None
    content: tuple[Pairs, ...]
    pieces: int


class Delivery:
    """Turns the newest picture into frames, LIMITS, ROAD, NOTICE, COUP, only what changed, ending in one `show=1`.

    A newer picture replaces what did not go yet. When it takes back the very change that was on its way, the panel
    holds half a set aside: then COUP goes once more, so that every set ends in a whole board.
    """

    def __init__(self, first_board: int) -> None:
        self.shown_board: int | None = None
        """The newest board that the panel was told to show since the link came up."""
        self._next_board = first_board
        self._wanted: tuple[PanelPicture | None, _Contents] = (None, {})
        self._expected: tuple[PanelPicture | None, _Contents] = (None, {})
        self._expected_frame: DueFrame | None = None
        self._target: _Contents = {}
        self._given: dict[str, tuple[tuple[Pairs, ...], int]] = {}
        self._set_began_ms: int | None = None
        self._in_set: set[str] = set()

    def want(self, picture: PanelPicture) -> None:
        """From now on this is what the panel has to show."""
        if self._wanted[0] is not picture:
            self._wanted = self._expected if self._expected[0] is picture else (picture, frames_of(picture))

    def expect(self, picture: PanelPicture) -> DueFrame | None:
        """This picture may be wanted next: the frame that would be due first, None when that cannot be said yet."""
        contents = frames_of(picture)
        self._expected = picture, contents
        self._expected_frame = None if self._set_began_ms is not None else self._first_due(contents)
        return self._expected_frame

    def start_over(self) -> None:
        """The panel has nothing: all four kinds are due."""
        self._expected_frame = None
        self._given.clear()
        self._end_set()
        self.shown_board = None

    def next_frame(self, now_ms: int) -> DueFrame | None:
        """The frame to send next, None when the panel has it all. Nothing changes until it is `taken`."""
        picture, newest = self._wanted
        if picture is None:
            return None
        if self._expected_frame is not None and self._expected[0] is picture:
            self._target = newest
            return self._expected_frame
        if not self._must_finish(newest, now_ms):
            self._target = newest
        return self._first_due(self._target)

    def _first_due(self, target: _Contents) -> DueFrame | None:
        first: tuple[str, int] | None = None
        is_last = True
        for kind in KINDS:
            pieces, all_pieces = self._pieces_given(kind, target), len(target[kind])
            if pieces < all_pieces and first is not None:
                is_last = False
            elif pieces < all_pieces:
                first, is_last = (kind, pieces), pieces + 1 == all_pieces
        if first is None:
            return None if self._set_began_ms is None else self._frame("COUP", 0, target, self._next_board)
        return self._frame(*first, target, self._next_board if is_last else None)

    def taken(self, frame: DueFrame, now_ms: int) -> None:
        """This frame is under way: the link brings it over, or goes down."""
        self._expected_frame = None
        self._given[frame.kind] = (frame.content, frame.pieces)
        if frame.board is None:
            self._set_began_ms = now_ms if self._set_began_ms is None else self._set_began_ms
            self._in_set.add(frame.kind)
        else:
            self._end_set()
            self.shown_board = frame.board
            self._next_board = frame.board + 1

    def _end_set(self) -> None:
        self._set_began_ms = None
        self._in_set.clear()

    def _must_finish(self, newest: _Contents, now_ms: int) -> bool:
        """Whether the set took long enough, and a kind that went already would have to go again."""
        if self._set_began_ms is None or now_ms - self._set_began_ms < SET_MS:
            return False
        return any(newest[kind] != self._target[kind] for kind in self._in_set)

    def _pieces_given(self, kind: str, target: _Contents) -> int:
        """How many frames of this content the panel has already; 0 when it has another content."""
        content, pieces = self._given.get(kind, ((), 0))
        return pieces if content == target[kind] else 0

    def _frame(self, kind: str, piece: int, target: _Contents, board: int | None) -> DueFrame:
        content = target[kind]
        pairs = content[piece] if board is None else shown(board) + content[piece]
        return DueFrame(kind, pairs, board, content, piece + 1)
