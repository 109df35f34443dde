"""How a hold ends: the card at fault is dealt with, then what waited follows; or the coup is void."""

from collections.abc import Callable
from dataclasses import replace

from controller.game.shoe import ForeignCard, ShoeEmpty
from controller.table import burning, dealing, shoe_life
from controller.table.counting import count_out, set_aside
from controller.table.events import (
    BurnCompleted,
    CoupVoided,
    HoldReason,
    Refusal,
    ShoeEnded,
    TableResumed,
)
from controller.table.inputs import (
    CardRead,
    CutCardOut,
    EnterCard,
    Input,
    LineUnreadable,
    LinkState,
    ReportMissed,
    ReportUnconfirmed,
    ShoeFault,
    ShoePowered,
    ShoeResult,
    Target,
)
from controller.table.layout import clear_layout, may_close, open_bets, staked, start_clock
from controller.table.machine import BETTING, BURNING, IN_PLAY, next_phase
from controller.table.moment import Moment
from controller.table.procedures import PROCEDURES, ResumeWhen
from controller.table.state import Hold, TableState

Conduct = Callable[[Moment, Input], None]
"""How an input is conducted when the table is not held; given by the caller, which stands above this file."""


def enter_card(moment: Moment, order: EnterCard) -> None:
    """A supervisor declares the card that is due: it is dealt at once, and the table stays held."""
    held = moment.state.hold
    if held is None:
        moment.refuse("card", Refusal.NOT_HELD, "a card is entered only while the table is held")
        return
    refusal = _why_not_entered(moment.state, order)
    if refusal is not None:
        moment.refuse("card", *refusal)
        return
    if not _is_kept_card(moment.state, order):
        count_out(moment, order.card)
    assert moment.go("resume")
    dealing.place_card(moment, order.place, order.card, declared=True, reason=order.reason)
    at = moment.state.phase
    assert moment.go("hold")
    moment.set(hold=replace(held, at=at, entered=held.entered + 1), deadline_ms=None)


def _is_kept_card(state: TableState, order: EnterCard) -> bool:
    """Whether it is the overdrawn card, which is counted out already, that is declared for its place."""
    return order.place == dealing.PLAYER_FIRST and order.card == state.kept


def _why_not_entered(state: TableState, order: EnterCard) -> tuple[Refusal, str] | None:
    if order.place != state.due:
        wanted = "no card is due" if state.due is None else f"the card that is due is {state.due}"
        return Refusal.NOT_DUE, f"{order.place} cannot be entered: {wanted}"
    if state.conducted is BETTING and not may_close(state):
        return Refusal.NO_WAGERS, "nobody bet: this table deals no coup without a wager"
    if not order.reason.strip():
        return Refusal.NO_REASON, "say why the card is entered (--reason TEXT)"
    assert state.inventory is not None
    if _is_kept_card(state, order):
        return None
    try:
        state.inventory.without(order.card)
    except (ForeignCard, ShoeEmpty) as wrong:
        return Refusal.FOREIGN_CARD, f"{wrong}: check the card"
    return None


def resume(moment: Moment, conduct: Conduct) -> None:
    """End the hold if that is lawful now, deal with what caused it, then conduct what waited."""
    held = moment.state.hold
    if held is None:
        moment.refuse("resume", Refusal.NOT_HELD, "the table is not held")
        return
    refusal = _why_not(moment.state, held)
    if refusal is not None:
        moment.refuse("resume", *refusal)
        return
    leave(moment)
    start_clock(moment)
    _settle_cause(moment, held, conduct)
    dealing.confirm_at_once(moment)
    conduct_all(moment, _not_entered(held), conduct)


def leave(moment: Moment) -> None:
    """Back to where the table was."""
    held = moment.state.hold
    assert held is not None
    assert moment.go("resume"), f"no way back to {held.at}"
    moment.set(hold=None)
    moment.say(TableResumed(held.reason))


def conduct_all(moment: Moment, waiting: tuple[Input, ...], conduct: Conduct) -> None:
    """What waited is conducted in order; the first that does not fit holds again, and the rest goes on waiting."""
    for number, what in enumerate(waiting):
        if moment.state.hold is not None:
            moment.set(hold=replace(moment.state.hold, waiting=waiting[number:]))
            return
        conduct(moment, what)


def _not_entered(held: Hold) -> tuple[Input, ...]:
    """What waits, without the reports that a card could not be read where that card was entered already.

    Of the cards entered, the first ones answer the trouble that brought the hold. A card read in between ends it:
    nobody can have entered what came after.
    """
    match held.cause:
        case ReportMissed() as missed:
            own = _lost(missed)
        case ReportUnconfirmed():
            own = 1
        case _:
            own = 1 if held.reason is HoldReason.UNREADABLE else held.entered
    left, spare = list(held.waiting), held.entered - own
    for what in held.waiting:
        if spare <= 0 or (isinstance(what, CardRead) and what.card is not None):
            break
        if _is_unreadable(what):
            left.remove(what)
            spare -= 1
    return tuple(left)


def _is_unreadable(what: Input) -> bool:
    match what:
        case CardRead(card=card):
            return card is None
        case ShoeFault(code=code):
            return code in shoe_life.UNREADABLE_CODES
        case _:
            return False


def _lost(missed: ReportMissed) -> int:
    """How many reports are missing, by a count of 1 to 9."""
    return (missed.got - missed.expected) % 9


def _why_not(state: TableState, held: Hold) -> tuple[Refusal, str] | None:
    reason = held.reason
    if held.overflow and held.at in IN_PLAY:
        return Refusal.VOID_ONLY, "too many reports came while the table was held: void the coup"
    if reason is HoldReason.PRE_CLOSE_CARD and held.at is BETTING and not may_close(state):
        return Refusal.NO_WAGERS, "nobody bet and this table deals no coup without a wager: void the coup"
    missing = None
    match PROCEDURES[reason].resume:
        case ResumeWhen.AT_ONCE:
            return None
        case ResumeWhen.NEVER:
            return Refusal.VOID_ONLY, f"{reason.value} cannot be resumed: void the coup"
        case ResumeWhen.NEW_SHOE:
            return Refusal.NOT_NOW, "no shoe is known: start the shoe (start-shoe)"
        case ResumeWhen.LINK_UP if state.shoe_link is LinkState.DOWN:
            missing = "the line to the shoe is still down: plug the cable in first"
        case ResumeWhen.FAULT_OVER if held.code in state.faults:
            missing = f"the shoe is still in error {held.code}: clear it there first"
        case ResumeWhen.LINE_READS if not state.line_reads:
            missing = "no good report of the shoe came yet: check its line"
        case ResumeWhen.CARD_KNOWN if not _card_known(state, held):
            missing = f"the card of {state.due} is not known yet: enter it (card {state.due} CARD --reason TEXT)"
        case _:
            pass
    return None if missing is None else (Refusal.NOT_YET, missing)


def _card_known(state: TableState, held: Hold) -> bool:
    """Whether the unreadable card was entered or came, or whether no place waits for it (then it is out, unseen)."""
    due = state.due
    if held.entered or due is None:
        return True
    return any((read.target.value, read.index) == (due.hand.value, due.index) for read in _read_meanwhile(held))


def _read_meanwhile(held: Hold) -> list[CardRead]:
    return [what for what in held.waiting if isinstance(what, CardRead) and what.card is not None]


def _settle_cause(moment: Moment, held: Hold, conduct: Conduct) -> None:
    """The input that brought the hold is now dealt with as the procedure says."""
    match held.cause:
        case CardRead() as card if held.reason is HoldReason.PRE_CLOSE_CARD:
            dealing.begin_early(moment, card)
        case CardRead() as card if held.reason is HoldReason.EXCESS_CARD:
            set_aside(moment, card.card, "not of this coup")
        case CardRead() as card if held.reason is HoldReason.CARD_CONFLICT:
            dealing.keep_first(moment, card)
        case CardRead() as card if held.reason is HoldReason.BURN_DIFFERS:
            _take_burn(moment, card, conduct)
        case None if held.reason is HoldReason.BURN_DIFFERS:
            burning.take_count(moment)
        case ReportMissed() as missed if moment.state.phase is BURNING:
            moment.set(reports_missed=_lost(missed))
        case _ if held.reason is HoldReason.UNREADABLE and moment.state.phase is BURNING:
            burning.unreadable_out(moment, _read_meanwhile(held))
        case _:
            pass


def _take_burn(moment: Moment, card: CardRead, conduct: Conduct) -> None:
    """The burn is taken as it came; a card of the coup that came instead of the burn is conducted after it."""
    match card.target:
        case Target.COUNT:
            burning.take_count(moment)
        case Target.BURN | Target.FIRST:
            burning.take_as_burned(moment, card)
        case _:
            burning.end_burn(moment)
            conduct(moment, card)


def void(moment: Moment, conduct: Conduct) -> None:
    """The coup does not count: its cards stay out of the shoe, stakes go back, the next coup's bets open.

    Of the burn of a new shoe nothing is void: it ends as it is. A void last coup was the last.
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
    said = (
        BurnCompleted(len(state.burned)) if burned else CoupVoided(state.shoe, state.coup, state.hands, staked(state))
    )
    moment.say(said)
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
