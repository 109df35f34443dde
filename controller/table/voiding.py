"""A coup is void: its cards are out, its stakes go back, and what waited of other things follows."""

from controller.table import dealing, shoe_life
from controller.table.counting import count_out
from controller.table.events import (
    BurnCompleted,
    CoupVoided,
    Refusal,
    ShoeEnded,
    TableResumed,
)
from controller.table.initial_deal import undo_initial_deal
from controller.table.inputs import (
    CardRead,
    CutCardOut,
    Input,
    LineUnreadable,
    ReportMissed,
    ReportUnconfirmed,
    ShoeFault,
    ShoePowered,
    ShoeResult,
    Target,
)
from controller.table.layout import clear_layout, open_bets, staked
from controller.table.machine import BETTING, BURNING, next_phase
from controller.table.moment import Moment
from controller.table.resuming import Conduct, conduct_all
from controller.table.state import Hold


def void(moment: Moment, conduct: Conduct) -> None:
    """The coup does not count: its cards stay out of the shoe, stakes go back, the next coup's bets open.

    What was paid after its initial deal is taken back. Of the burn of a new shoe nothing is void: it ends as it is. A
    void last coup was the last.
    """
    state, held = moment.state, moment.state.hold
    if next_phase(state, "void") is None:
        moment.refuse("void", Refusal.NOT_NOW, "there is no coup to void")
        return
    if held is not None:
        moment.say(TableResumed(held.reason))
    others = _drop_cards(moment, held) if held else ()
    assert moment.go("void")
    moment.set(hold=None)
    burned = state.conducted is BURNING
    if burned:
        moment.say(BurnCompleted(len(state.burned)))
    else:
        undo_initial_deal(moment)
        moment.say(CoupVoided(state.shoe, state.coup, state.hands, staked(state)))
    clear_layout(moment)
    if moment.state.phase is BETTING:
        open_bets(moment, state.coup if burned else state.coup + 1)
    else:
        moment.say(ShoeEnded(state.shoe, state.coup, 0))
    conduct_all(moment, others, conduct)


def _drop_cards(moment: Moment, held: Hold) -> tuple[Input, ...]:
    """The void coup's cards, the one at fault and those that wait, are out; returns what is left to conduct.

    A waiting first card of Player, once this coup has one, begins the next coup: it and all after it are kept. The
    shoe's results, its restarts, its errors about a card and its lost reports were about the void coup.
    """
    begun = bool(moment.state.hands.player) or held.at is BURNING
    left: list[Input] = []
    cause = () if held.cause is None else (held.cause,)
    for number, what in enumerate((*cause, *held.waiting)):
        match what:
            case CardRead() if begun and number >= len(cause) and _is_first(what):
                return (*left, *held.waiting[number - len(cause) :])
            case CardRead():
                begun = begun or _is_first(what)
                _drop(moment, what)
            case CutCardOut() if number >= len(cause):
                shoe_life.cut_card(moment, held.at)
            case _ if number >= len(cause) and not _of_the_coup(what):
                left.append(what)
            case _:
                pass
    return tuple(left)


def _of_the_coup(what: Input) -> bool:
    match what:
        case ShoeResult() | ShoePowered() | ReportMissed() | ReportUnconfirmed() | LineUnreadable():
            return True
        case ShoeFault(code=code):
            return code in shoe_life.CARD_CODES
        case _:
            return False


def _drop(moment: Moment, card: CardRead) -> None:
    """A card of the void coup is out. Named a second time it is no other card; an overdrawn one was counted before."""
    kept = moment.state.kept
    again = dealing.names_filled_place(moment.state, card)
    if kept is not None and card.target in (Target.PLAYER, Target.BANKER) and not moment.state.hands.player:
        moment.set(kept=None)
        again = _is_first(card) and card.card == kept
    if not again and card.target is not Target.COUNT:
        count_out(moment, card.card)


def _is_first(card: CardRead) -> bool:
    return card.target is Target.PLAYER and card.index == 1
