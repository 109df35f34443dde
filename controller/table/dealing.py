"""The coup: which card is whose, the decisions after the fourth card, the settlement."""

from controller.game.cards import Card
from controller.game.coup import Hand, Place
from controller.game.settlement import settle
from controller.game.wagers import Facts, Result, resolve_by
from controller.table import burning
from controller.table.counting import set_aside, taken
from controller.table.events import (
    BankerDrew,
    BankerStood,
    BetsClosed,
    CardDealt,
    CardRepeated,
    CardSetAside,
    ClosedBy,
    CommissionOwed,
    CoupConfirmed,
    CoupSettled,
    HoldReason,
    NaturalsChecked,
    PlayerDrew,
    PlayerStood,
    ShoeEnded,
)
from controller.table.holds import hold
from controller.table.initial_deal import settle_initial_deal
from controller.table.inputs import CardRead, Target
from controller.table.layout import clear_layout, close_bets, may_close, open_bets, staked, start_clock
from controller.table.ledger import owed_text
from controller.table.machine import (
    BANKER_RULE,
    BETS_CLOSED,
    BETTING,
    BURNING,
    NATURALS,
    NO_SHOE,
    PLAYER_RULE,
    SETTLING,
    SHOE_ENDED,
)
from controller.table.moment import Moment
from controller.table.road_codes import road_code
from controller.table.state import SettledCoup, TableState

PLAYER_FIRST = Place(Hand.PLAYER, 1)
BANKER_FIRST = Place(Hand.BANKER, 1)


def card_read(moment: Moment, card: CardRead) -> None:
    """A card left the shoe in play: whose is it, and may it come now?"""
    match moment.state.phase:
        case phase if phase in (NO_SHOE, SHOE_ENDED):
            owed = f" ({owed_text(moment.state)}; collect SEAT first)" if moment.state.owed else ""
            hold(moment, HoldReason.SHOE_UNKNOWN, f"{_named(card)} came and no shoe is known{owed}", card)
        case _ if card.target is Target.COUNT:
            burning.count_told(moment, card)
        case phase if phase is BURNING:
            burning.burn_card(moment, card)
        case phase if card.target in (Target.BURN, Target.FIRST):
            _burn_card_in_play(moment, card)
        case phase if phase is BETTING:
            _before_close(moment, card)
        case phase if phase is SETTLING:
            _after_complete(moment, card)
        case _:
            _in_coup(moment, card)


def _named(card: CardRead) -> str:
    return f"{card.card or 'a card'} for {card.target.value} {card.index}"


def names_filled_place(state: TableState, card: CardRead) -> bool:
    """Whether the card is told for a place of a coup in play that another report, or a person, filled before."""
    in_play = state.conducted is not SETTLING and card.target in (Target.PLAYER, Target.BANKER)
    return in_play and state.card_at(_place(card)) is not None


def _place(card: CardRead) -> Place:
    return Place(Hand.PLAYER if card.target is Target.PLAYER else Hand.BANKER, card.index)


def _burn_card_in_play(moment: Moment, card: CardRead) -> None:
    if moment.state.phase in (BETTING, BETS_CLOSED):
        hold(moment, HoldReason.BURN_DIFFERS, f"{_named(card)} came after the burn", card)
    elif moment.state.phase is SETTLING:
        hold(moment, HoldReason.EXCESS_CARD, f"{_named(card)} came and no card is due", card)
    else:
        hold(moment, HoldReason.WRONG_TARGET, f"{_named(card)} came, due is {moment.state.due}", card)


def _before_close(moment: Moment, card: CardRead) -> None:
    """Bets are open. With close: first-card the coup's first card closes them; any other card is held."""
    if not moment.state.first_card_closes or not may_close(moment.state):
        hold(moment, HoldReason.PRE_CLOSE_CARD, f"{_named(card)} came before the bets were closed", card)
    else:
        _in_coup(moment, card)


def _after_complete(moment: Moment, card: CardRead) -> None:
    place = _place(card)
    filled = moment.state.card_at(place)
    if place == PLAYER_FIRST:
        hold(moment, HoldReason.PRE_CLOSE_CARD, f"{_named(card)} came before the coup was confirmed", card)
    elif filled is not None and filled != card.card:
        hold(moment, HoldReason.CARD_CONFLICT, f"{_named(card)} came, that place holds {filled}", card)
    else:
        hold(moment, HoldReason.EXCESS_CARD, f"{_named(card)} came and no card is due", card)


def _in_coup(moment: Moment, card: CardRead) -> None:
    state, place = moment.state, _place(card)
    if state.kept is not None and not state.hands.player and place in (PLAYER_FIRST, BANKER_FIRST):
        _after_kept(moment, card, state.kept)
        return
    filled, due = state.card_at(place), state.due
    if filled is not None and filled == card.card and not state.shoe_began_anew:
        moment.say(CardRepeated(place, filled))
    elif filled is not None:
        hold(moment, HoldReason.CARD_CONFLICT, f"{_named(card)} came, that place holds {filled}", card)
    elif place != due:
        hold(moment, HoldReason.WRONG_TARGET, f"{_named(card)} came, due is {due}{_by_rule(state)}", card)
    elif card.card is None:
        hold(moment, HoldReason.UNREADABLE, f"the card for {place} could not be read", card)
    elif taken(moment, card.card, card):
        place_card(moment, place, card.card)


def _by_rule(state: TableState) -> str:
    """Why a third card is due, in the words of the rule: it is what a misplaced one is judged by."""
    hands = state.hands
    if not hands.has_four:
        return ""
    player = "draws" if hands.player_draws else "stands"
    banker = "draws" if not hands.player_draws or hands.player_third_value is not None else "waits"
    return f" (Player {hands.player_two} {player}, Banker {hands.banker_two} {banker})"


def _after_kept(moment: Moment, card: CardRead, kept: Card) -> None:
    """The first report of a coup after an overdrawn card: that card again, or already the next one."""
    if _place(card) == BANKER_FIRST:
        place_card(moment, PLAYER_FIRST, kept)
        _in_coup(moment, card)
    elif card.card == kept:
        place_card(moment, PLAYER_FIRST, kept)
    else:
        hold(moment, HoldReason.CARD_CONFLICT, f"{_named(card)} came, the shoe kept {kept} for that place", card)


def keep_first(moment: Moment, card: CardRead) -> None:
    """Two cards for one place: the first stays (an overdrawn card is the first for Player's first place)."""
    kept = moment.state.kept
    if kept is not None and not moment.state.hands.player and _place(card) == PLAYER_FIRST:
        place_card(moment, PLAYER_FIRST, kept)
    moment.say(CardSetAside(card.card, "the first card of that place stays"))


def place_card(moment: Moment, place: Place, card: Card, *, declared: bool = False, reason: str = "") -> None:
    """The due card lies in its place; decisions follow in the same input."""
    state = moment.state
    if state.phase is BETTING:
        moment.say(BetsClosed(state.coup, ClosedBy.FIRST_CARD, staked(state)))
    hands = state.hands.dealt(card)
    marks = (*state.declared, place) if declared else state.declared
    kept = None if place == PLAYER_FIRST else state.kept
    moment.set(hands=hands, declared=marks, kept=kept, comparable=None)
    moment.say(CardDealt(state.shoe, state.coup, place, card, declared, reason, hands.player_total, hands.banker_total))
    assert moment.go("card"), f"no row for a card in {state.phase}"
    _decide(moment)


def _decide(moment: Moment) -> None:
    """Naturals, Player's rule, Banker's rule: each is said; the phase rests where a card is due.

    Between the look for a natural and Player's rule the wagers that settle at the initial deal are paid.
    """
    hands = moment.state.hands
    if moment.state.phase is NATURALS:
        moment.say(NaturalsChecked(hands.natural, hands.player_two, hands.banker_two))
        settle_initial_deal(moment)
        moment.go("decide")
        if moment.state.phase is PLAYER_RULE:
            moment.say(PlayerDrew(hands.player_two) if hands.player_draws else PlayerStood(hands.player_two))
            moment.go("decide")
    if moment.state.phase is BANKER_RULE:
        said = BankerDrew if hands.banker_draws else BankerStood
        moment.say(said(hands.banker_two, hands.player_third_value))
        moment.go("decide")
    if moment.state.phase is SETTLING:
        _settle(moment)


def _settle(moment: Moment) -> None:
    state = moment.state
    paytable = state.rules.paytable
    facts = Facts(state.hands)
    resolutions = [(wager, resolve_by(wager, facts)) for wager in paytable.wagers]
    wins = tuple(
        (wager.id, wager.tiers[resolution.tier - 1].pays)
        for wager, resolution in resolutions
        if resolution.tier is not None
    )
    pushes = tuple(wager.id for wager, resolution in resolutions if resolution.result is Result.PUSH)
    settlement = settle(paytable, state.bets, state.hands)
    result = SettledCoup(state.shoe, state.coup, state.hands, wins, pushes, settlement)
    moment.set(result=result, comparable=result)
    moment.say(CoupSettled(state.shoe, state.coup, state.hands, wins, pushes, settlement))
    start_clock(moment)


def confirm(moment: Moment) -> None:
    """The settlement is done: the coup stands, and the next one's bets open or the shoe is over."""
    state = moment.state
    assert state.result is not None
    moment.say(CoupConfirmed(state.shoe, state.coup))
    _owe(moment, state)
    assert moment.go("confirm")
    clear_layout(moment)
    moment.set(last=state.result, comparable=state.comparable, road=(*state.road, road_code(state.result.hands)))
    if moment.state.phase is BETTING:
        open_bets(moment, state.coup + 1)
    else:
        moment.say(ShoeEnded(state.shoe, state.coup, 0))


def confirm_at_once(moment: Moment) -> None:
    """Where the house allows no time to settle, a settled coup is confirmed in the same input."""
    if moment.state.phase is SETTLING and moment.state.rules.settle_after_s == 0:
        confirm(moment)


def _owe(moment: Moment, state: TableState) -> None:
    """With a ledger, each winning seat's commission goes onto it; what rounding took below zero may even it out."""
    assert state.result is not None
    if not state.rules.collects_later:
        return
    owed = dict(state.owed)
    for line in state.result.settlement.lines:
        if line.commission:
            owed[line.seat] = owed.get(line.seat, 0) + line.commission
            moment.say(CommissionOwed(line.seat, line.commission, owed[line.seat]))
    moment.set(owed=tuple(sorted((seat, amount) for seat, amount in owed.items() if amount)))


def begin_early(moment: Moment, card: CardRead) -> None:
    """A card that came too soon begins the coup after all: what is settled is confirmed, what is open is closed.

    After the shoe's last coup no coup can begin: the card is set aside. Where no coup is dealt without a wager, the
    card of the next coup, on which nobody can have bet yet, holds the table again.
    """
    if moment.state.phase is SETTLING:
        confirm(moment)
    if moment.state.phase is SHOE_ENDED:
        set_aside(moment, card.card, "it came after the last coup")
        return
    if moment.state.phase is BETTING and may_close(moment.state):
        close_bets(moment, ClosedBy.SUPERVISOR)
    card_read(moment, card)
