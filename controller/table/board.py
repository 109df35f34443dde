"""What the public may see of a table now, as one value, under the table's reveal rule.

With a hidden card, no phase, call, total, next hand or result tells more than the cards shown.
"""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache

from controller.game.cards import Card
from controller.game.coup import Coup, Hand, Winner
from controller.game.wagers import Wager, odds_text
from controller.table.machine import (
    BANKER_RULE,
    BETS_CLOSED,
    BETTING,
    DEALING,
    HELD,
    IN_COUP,
    PLAYER_RULE,
    SETTLING,
    TILT,
    Phase,
)
from controller.table.road_codes import pairs_of, road_code
from controller.table.rules import HouseRules, Reveal
from controller.table.state import TableState


class Call(Enum):
    """What the dealer announces."""

    NO_MORE_BETS = "no-more-bets"
    NATURAL = "natural"
    PLAYER_DRAWS = "player-draws"
    PLAYER_STANDS = "player-stands"
    BANKER_DRAWS = "banker-draws"
    BANKER_STANDS = "banker-stands"
    PLAYER_WINS = "player-wins"
    BANKER_WINS = "banker-wins"
    TIE = "tie"


class Notice(Enum):
    """What the public is told beside the game, in neutral words."""

    NONE = "none"
    HELD = "held"
    TILT = "tilt"
    SHOE_QUIET = "shoe-quiet"
    LAST_COUP = "last-coup"


@dataclass(frozen=True, slots=True)
class LimitLine:
    """A wager on the limits sign: minor units (None: the layout sets no limit) and the odds of its tiers.

    Odds are to one and after commission.
    """

    wager: str
    minimum: int | None
    maximum: int | None
    odds: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result, once every card of it is shown. `wins` are wagers with "a:b" of the tier that won, as on the sign."""

    winner: Winner
    natural: str
    pairs: str
    wins: tuple[tuple[str, str], ...]
    pushes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The public's view. A card not yet revealed is None; totals count what is revealed, None while that is nothing."""

    phase: Phase
    shoe: int
    coup: int
    seconds: int | None
    call: Call | None
    player: tuple[Card | None, ...]
    banker: tuple[Card | None, ...]
    player_total: int | None
    banker_total: int | None
    next_hand: Hand | None
    outcome: Outcome | None
    road: tuple[str, ...]
    notice: Notice
    simulated: bool


WINNING_CALLS = {Winner.PLAYER: Call.PLAYER_WINS, Winner.BANKER: Call.BANKER_WINS, Winner.TIE: Call.TIE}
RESTING_CALLS = {
    BETS_CLOSED: Call.NO_MORE_BETS,
    DEALING: Call.NO_MORE_BETS,
    PLAYER_RULE: Call.PLAYER_DRAWS,
    BANKER_RULE: Call.BANKER_DRAWS,
}


def view(state: TableState, now_ms: int) -> Board:
    """The board of this state at this time (of the clock that the inputs carry)."""
    player, banker = _shown(state)
    hidden = None in player or None in banker
    settled = state.result if not hidden else None
    return Board(
        phase=_public_phase(state, hidden),
        shoe=state.shoe,
        coup=state.coup,
        seconds=_seconds(state, now_ms),
        call=None if hidden else _call(state),
        player=player,
        banker=banker,
        player_total=_total(player),
        banker_total=_total(banker),
        next_hand=_next_hand(state, hidden),
        outcome=None if settled is None else _outcome(state),
        road=(*state.road, road_code(settled.hands)) if settled else state.road,
        notice=_notice(state),
        simulated=state.rules.simulation,
    )


@lru_cache(maxsize=4)
def limit_lines(rules: HouseRules) -> tuple[LimitLine, ...]:
    """The limits sign of a table: every wager of its paytable, in order."""
    return tuple(_limit_line(rules, wager) for wager in rules.paytable.wagers)


def _limit_line(rules: HouseRules, wager: Wager) -> LimitLine:
    limit = rules.limit(wager.id)
    odds = tuple(tier.pays * (1 - wager.commission) for tier in wager.tiers)
    least, most = (None, None) if limit is None else (limit.minimum, limit.maximum)
    return LimitLine(wager.id, least, most, odds)


def _shown(state: TableState) -> tuple[tuple[Card | None, ...], tuple[Card | None, ...]]:
    """Both hands with None for each card that the public may not see yet."""
    hands = state.hands
    match state.rules.reveal:
        case Reveal.AT_ONCE:
            return hands.player, hands.banker
        case Reveal.COMPLETE_HANDS:
            player = hands.player if _player_complete(hands) else _backs(hands.player, 0)
            return player, hands.banker if state.result is not None else _backs(hands.banker, 0)
        case Reveal.DEALER:
            shown_player, shown_banker = state.revealed
            return _backs(hands.player, shown_player), _backs(hands.banker, shown_banker)


def _player_complete(hands: Coup) -> bool:
    return len(hands.player) == 3 or (hands.has_four and not hands.player_draws)


def _backs(cards: tuple[Card, ...], shown: int) -> tuple[Card | None, ...]:
    return tuple(card if number < shown else None for number, card in enumerate(cards))


def _public_phase(state: TableState, hidden: bool) -> Phase:
    return DEALING if hidden and state.phase in (*IN_COUP, SETTLING) else state.phase


def _seconds(state: TableState, now_ms: int) -> int | None:
    """Whole seconds left to bet, rounded up; only while a timer runs."""
    if state.phase is not BETTING or state.deadline_ms is None:
        return None
    return max(0, -((now_ms - state.deadline_ms) // 1000))


def _call(state: TableState) -> Call | None:
    if state.phase is SETTLING and state.result is not None:
        return WINNING_CALLS[state.result.hands.winner]
    return RESTING_CALLS.get(state.phase)


def _total(cards: tuple[Card | None, ...]) -> int | None:
    known = [card.value for card in cards if card is not None]
    return sum(known) % 10 if known else None


def _next_hand(state: TableState, hidden: bool) -> Hand | None:
    """Whose card is due; once four are out and one is hidden, that would tell a decision."""
    due = state.due
    if due is None or (hidden and state.hands.has_four):
        return None
    return due.hand


def _outcome(state: TableState) -> Outcome:
    assert state.result is not None
    hands = state.result.hands
    by_id = state.rules.paytable.by_id
    wins = tuple((wager, odds_text(odds * (1 - by_id[wager].commission))) for wager, odds in state.result.wins)
    return Outcome(hands.winner, hands.natural.value, pairs_of(hands), wins, state.result.pushes)


def _notice(state: TableState) -> Notice:
    if state.phase is TILT:
        return Notice.TILT
    if state.phase is HELD:
        return Notice.HELD
    if state.quiet:
        return Notice.SHOE_QUIET
    if state.is_last_coup and state.phase in (BETTING, BETS_CLOSED):
        return Notice.LAST_COUP
    return Notice.NONE


def next_second_ms(state: TableState, now_ms: int) -> int | None:
    """When the seconds left to bet next change; None while no timer runs."""
    if state.phase is not BETTING or state.deadline_ms is None or now_ms >= state.deadline_ms:
        return None
    return state.deadline_ms - (state.deadline_ms - now_ms - 1) // 1000 * 1000
