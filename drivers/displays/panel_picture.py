"""What a panel shows, as values, and the frames that carry it. panel.md beside this file says what the keys mean."""

from dataclasses import dataclass
from functools import lru_cache

from drivers.displays.panel_codec import LONGEST_FRAME, Pairs, cut, escape, frame_bytes

KINDS = ("LIMITS", "ROAD", "NOTICE", "COUP")
"""The kinds of a picture, in the order in which they go."""
MOST_COUPS = 156
"""Coups of the longest shoe, twelve decks of four cards a coup."""

_LONGEST_LIST = 300
_NOTICE_CHARACTERS = 100
_NOTICE_ROOM = 900


@dataclass(frozen=True, slots=True)
class LimitRow:
    """One wager on the limits sign: amounts as printed on the layout, odds of its tiers joined by `/`."""

    wager: str
    minimum: str
    maximum: str
    odds: str

    def text(self) -> str:
        """The row as a frame carries it."""
        return f"{self.wager}:{self.minimum}:{self.maximum}:{self.odds}"


@dataclass(frozen=True, slots=True)
class RoadPicture:
    """The coups of a shoe, oldest first, two characters each: winner with pairs, then the total or natural."""

    shoe: int
    codes: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Neutral words for the public; `level` info, hold or tilt. An empty text clears."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class CoupPicture:
    """The coup as the public may see it now. What is None is left out; `wins` are "id:odds", cards "TS" or "XX".

    `natural`, `pairs`, `wins` and `pushes` go only with an `outcome`.
    """

    phase: str
    shoe: int
    coup: int
    seconds: int | None = None
    call: str | None = None
    player: tuple[str, ...] = ()
    banker: tuple[str, ...] = ()
    player_total: int | None = None
    banker_total: int | None = None
    next: str = "none"
    outcome: str | None = None
    natural: str | None = None
    pairs: str | None = None
    wins: tuple[str, ...] = ()
    pushes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PanelPicture:
    """All that a panel shows at one moment."""

    limits: tuple[LimitRow, ...]
    road: RoadPicture
    notice: Notice
    coup: CoupPicture


def frames_of(picture: PanelPicture) -> dict[str, tuple[Pairs, ...]]:
    """For each kind of the picture the pairs of its frames, in order. Each leaves room for `show` and `board`."""
    return {
        "LIMITS": limits_frames(picture.limits),
        "ROAD": (_road(picture.road),),
        "NOTICE": (_notice(picture.notice),),
        "COUP": (_coup(picture.coup),),
    }


@lru_cache(maxsize=8)
def limits_frames(rows: tuple[LimitRow, ...]) -> tuple[Pairs, ...]:
    """The rows on as few frames as hold them; one frame without rows when there are none.

    Raises ValueError when a row alone does not fit a frame.
    """
    frames: list[Pairs] = []
    start = 0
    for end in range(1, len(rows) + 1):
        if end - start > 1 and not _fits("LIMITS", _limits(rows, start, end)):
            frames.append(_limits(rows, start, end - 1))
            start = end - 1
    frames.append(_limits(rows, start, len(rows)))
    if not all(_fits("LIMITS", frame) for frame in frames):
        raise ValueError("the limits of a wager do not fit a panel frame: shorten its id or its odds")
    return tuple(frames)


def shown(board: int) -> Pairs:
    """What the last frame of a picture carries in front."""
    return (("show", "1"), ("board", str(board)))


def _limits(rows: tuple[LimitRow, ...], start: int, end: int) -> Pairs:
    texts = ",".join(row.text() for row in rows[start:end])
    return (("n", str(len(rows))), ("from", str(start)), ("rows", texts))


@lru_cache(maxsize=4)
def _road(road: RoadPicture) -> Pairs:
    codes = road.codes[-2 * MOST_COUPS :]
    return (("shoe", str(road.shoe)), ("n", str(len(codes) // 2)), ("codes", codes))


@lru_cache(maxsize=16)
def _notice(notice: Notice) -> Pairs:
    return (("level", notice.level), ("text", cut(notice.text, _NOTICE_CHARACTERS, _NOTICE_ROOM)))


def _coup(coup: CoupPicture) -> Pairs:
    result = (coup.outcome, coup.natural, coup.pairs, _listed(coup.wins), _listed(coup.pushes))
    values: dict[str, str | int | None] = {
        "shoe": coup.shoe,
        "coup": coup.coup,
        "phase": coup.phase,
        "seconds": coup.seconds,
        "call": coup.call,
        "p": ",".join(coup.player),
        "b": ",".join(coup.banker),
        "pt": coup.player_total,
        "bt": coup.banker_total,
        "next": coup.next,
    }
    if coup.outcome is not None:
        values |= dict(zip(("outcome", "natural", "pairs", "wins", "pushes"), result, strict=True))
    return tuple((key, str(value)) for key, value in values.items() if value is not None)


def _listed(items: tuple[str, ...]) -> str:
    """As many of the items as a frame has room for, whole."""
    while len(escape(",".join(items))) > _LONGEST_LIST:
        items = items[:-1]
    return ",".join(items)


def _fits(kind: str, pairs: Pairs) -> bool:
    return frame_bytes(kind, shown(10**15) + pairs) <= LONGEST_FRAME
