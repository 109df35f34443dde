"""Wagers that settle at the initial deal: once four cards are out, before any third card (58 Pa. Code 627a, 631a).

They look only at what the first four cards settle, so their lines stay the same to the end of the coup. The lines
follow from the cards and the bets; the state keeps nothing beside those.
"""

from controller.game.settlement import Settlement, settle
from controller.game.wagers import Settles
from controller.table.events import InitialDealSettled, InitialDealUndone
from controller.table.moment import Moment
from controller.table.state import TableState


def initial_settlement(state: TableState) -> Settlement | None:
    """The bets of the coup in play that settle at the initial deal; None before four cards or without such a bet."""
    if not state.hands.has_four:
        return None
    paytable = state.rules.paytable
    wagers = paytable.by_id
    bets = [bet for bet in state.bets if wagers[bet.wager].settles is Settles.INITIAL_DEAL]
    return settle(paytable, bets, state.hands) if bets else None


def settle_initial_deal(moment: Moment) -> None:
    """The fourth card is out: what may be paid now is said; nothing when nobody bet on such a wager."""
    state = moment.state
    settlement = initial_settlement(state)
    if settlement is not None:
        moment.say(InitialDealSettled(state.shoe, state.coup, state.hands, settlement))


def undo_initial_deal(moment: Moment) -> None:
    """The coup is about to be void: what was paid after four cards is taken back (JP: money undone both ways)."""
    state = moment.state
    settlement = initial_settlement(state)
    if settlement is not None:
        moment.say(InitialDealUndone(state.shoe, state.coup, settlement))
