"""The only file that knows both vocabularies: what wires say, and what a table is told and shows."""

from collections.abc import Callable
from functools import lru_cache

from controller.game.cards import Card, parse_card
from controller.game.wagers import odds_text
from controller.host.words import LEVELS, NOTICES
from controller.table import board as boards
from controller.table import inputs
from controller.table.board import Board, LimitLine
from controller.table.rules import HouseRules
from drivers import contracts as wire
from drivers.displays.panel import CoupPicture, LimitRow, Notice, PanelPicture, RoadPicture

KEYS: dict[str, Callable[[int], inputs.Order]] = {
    "open-bets": inputs.OpenBets,
    "close-bets": inputs.CloseBets,
    "confirm": inputs.Confirm,
    "reveal": inputs.RevealCards,
}
"""The keys of a display that order something: the dealer's touches, nothing of the supervisor's."""


def shoe_input(report: wire.Report, at_ms: int) -> inputs.Input:
    """A report of a shoe's driver as an input of the table."""
    match report:
        case wire.CardDrawn(target, index, card):
            return inputs.CardRead(at_ms, inputs.Target(target), index, _card(card))
        case wire.CardOutsidePlay(mode, card):
            return inputs.CardOutsidePlay(at_ms, mode, _card(card))
        case wire.CardOverdrawn(card=card):
            return inputs.CardOverdrawn(at_ms, _card(card))
        case wire.ShoeStart():
            return inputs.ShoePowered(at_ms)
        case wire.CutCard():
            return inputs.CutCardOut(at_ms)
        case wire.OwnResult(outcome, pairs):
            return inputs.ShoeResult(at_ms, outcome, pairs)
        case wire.DeviceError(code=code):
            return inputs.ShoeFault(at_ms, code)
        case wire.DeviceErrorCleared(code):
            return inputs.ShoeFaultCleared(at_ms, code)
        case _:
            return _line_input(report, at_ms)


def _line_input(report: wire.Report, at_ms: int) -> inputs.Input:
    match report:
        case wire.StandBy():
            return inputs.ShoeNoted(at_ms, "stand by")
        case wire.LockChanged(locked):
            return inputs.ShoeNoted(at_ms, "key turned: locked" if locked else "key turned: unlocked")
        case wire.PresetChanged(text):
            return inputs.ShoeNoted(at_ms, f"setting changed: {text}")
        case wire.ReportLost(expected, got):
            return inputs.ReportMissed(at_ms, expected, got)
        case wire.ReportUnconfirmed(about):
            return inputs.ReportUnconfirmed(at_ms, about)
        case wire.LineUnreadable(damaged):
            return inputs.LineUnreadable(at_ms, damaged)
        case wire.FramesDamaged(damaged):
            return inputs.FramesDamaged(at_ms, damaged)
        case wire.LinkDown(trouble):
            return inputs.LinkLost(at_ms, inputs.Link.SHOE, trouble)
        case wire.LinkUp():
            return inputs.LinkRestored(at_ms, inputs.Link.SHOE)
        case _:
            raise AssertionError(f"no input for {report}")


def _card(text: str | None) -> Card | None:
    return None if text is None else parse_card(text)


def display_input(report: wire.DisplayReport, at_ms: int) -> inputs.Input | None:
    """A report of a display's driver as an input; None for a key without an order or for a board no longer shown."""
    match report:
        case wire.DisplayUp():
            return inputs.LinkRestored(at_ms, inputs.Link.DISPLAY)
        case wire.DisplayDown(trouble):
            return inputs.LinkLost(at_ms, inputs.Link.DISPLAY, trouble)
        case wire.KeyPressed(name, current=True) if name in KEYS:
            return KEYS[name](at_ms)
        case _:
            return None


def panel_picture(rules: HouseRules, board: Board) -> PanelPicture:
    """A board as the panel's own picture."""
    return PanelPicture(
        limits=_limit_rows(rules),
        road=RoadPicture(board.shoe, "".join(board.road)),
        notice=Notice(LEVELS.get(board.notice, "info"), NOTICES[rules.language][board.notice]),
        coup=_coup_picture(board),
    )


def _coup_picture(board: Board) -> CoupPicture:
    outcome = board.outcome
    return CoupPicture(
        phase=board.phase.value,
        shoe=board.shoe,
        coup=board.coup,
        seconds=board.seconds,
        call=board.call.value if board.call else None,
        player=_faces(board.player),
        banker=_faces(board.banker),
        player_total=board.player_total,
        banker_total=board.banker_total,
        next=board.next_hand.value if board.next_hand else "none",
        outcome=outcome.winner.value if outcome else None,
        natural=outcome.natural if outcome else None,
        pairs=outcome.pairs if outcome else None,
        wins=tuple(f"{wager}:{odds}" for wager, odds in outcome.wins) if outcome else (),
        pushes=outcome.pushes if outcome else (),
    )


def _faces(cards: tuple[Card | None, ...]) -> tuple[str, ...]:
    return tuple("XX" if card is None else str(card) for card in cards)


@lru_cache(maxsize=4)
def _limit_rows(rules: HouseRules) -> tuple[LimitRow, ...]:
    """The limits sign, the same until the rules change."""
    return tuple(_limit_row(line, rules.decimals) for line in boards.limit_lines(rules))


def _limit_row(line: LimitLine, decimals: int) -> LimitRow:
    odds = "/".join(odds_text(odds) for odds in line.odds)
    return LimitRow(line.wager, major_units(line.minimum, decimals), major_units(line.maximum, decimals), odds)


def major_units(amount: int | None, decimals: int) -> str:
    """Minor units as printed on the layout: 10000 with 2 decimals is "100", 150 is "1.50"; None is nothing."""
    if amount is None:
        return ""
    whole, rest = divmod(amount, 10**decimals)
    return f"{whole}.{rest:0{decimals}}" if rest else str(whole)
