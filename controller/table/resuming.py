"""How a hold ends: the card at fault is dealt with, then what waited follows; or the coup is void."""

from collections.abc import Callable
from dataclasses import replace

from controller.game.shoe import ForeignCard, ShoeEmpty
from controller.table import burning, dealing, shoe_life
from controller.table.counting import count_out, set_aside
from controller.table.events import BurnCompleted, CoupVoided, HoldReason, Refusal, ShoeEnded, TableResumed
from controller.table.holds import good_report_heard
from controller.table.inputs import (
    CardRead,
    CutCardOut,
    EnterCard,
    Input,
    LineUnreadable,
    LinkState,
    ReportMissed,
    ReportUnconfirmed,
    ShoePowered,
    ShoeReport,
    ShoeResult,
    Target,
)
from controller.table.layout import clear_layout, may_begin_early, open_bets, staked, start_clock
from controller.table.machine import BETTING, BURNING, HELD
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
    due = moment.state.due if held.at is not BETTING else None
    if due is None or order.place != due:
        wanted = "no card is due" if due is None else f"the card that is due is {due}"
        moment.refuse("card", Refusal.NOT_DUE, f"{order.place} cannot be entered: {wanted}")
        return
    if not order.reason.strip():
        moment.refuse("card", Refusal.NO_REASON, "say why the card is entered (--reason TEXT)")
        return
    assert moment.state.inventory is not None
    try:
        inventory = moment.state.inventory.without(order.card)
    except (ForeignCard, ShoeEmpty) as wrong:
        moment.refuse("card", Refusal.FOREIGN_CARD, f"{wrong}: check the card")
        return
    moment.set(phase=held.at, hold=None, inventory=inventory)
    dealing.place_card(moment, due, order.card, declared=True, reason=order.reason)
    moment.set(phase=HELD, hold=replace(held, at=moment.state.phase, answered=True), deadline_ms=None)


def resume(moment: Moment, conduct: Conduct) -> None:
    """End the hold if that is lawful now, deal with what caused it, then conduct what waited."""
    held = moment.state.hold
    if held is None:
        moment.refuse("resume", Refusal.NOT_HELD, "the table is not held")
        return
    refusal = _why_not(moment, held)
    if refusal is not None:
        moment.refuse("resume", *refusal)
        return
    leave(moment)
    start_clock(moment)
    _settle_cause(moment, held, conduct)
    conduct_all(moment, held.waiting, conduct)


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
        conduct(moment, what)
        if moment.state.hold is not None:
            moment.set(hold=replace(moment.state.hold, waiting=waiting[number + 1 :]))
            _look_for_answers(moment)
            return


def _look_for_answers(moment: Moment) -> None:
    held = moment.state.hold
    assert held is not None
    if any(isinstance(what, ShoeReport) for what in held.waiting):
        good_report_heard(moment)


def _why_not(moment: Moment, held: Hold) -> tuple[Refusal, str] | None:
    state, reason = moment.state, held.reason
    if held.overflow:
        return Refusal.VOID_ONLY, "too many reports came while the table was held: void the coup"
    if reason is HoldReason.PRE_CLOSE_CARD and not may_begin_early(state):
        return Refusal.NO_WAGERS, "nobody bet and this table deals no coup without a wager: void the coup"
    match PROCEDURES[reason].resume:
        case ResumeWhen.AT_ONCE:
            return None
        case ResumeWhen.NEVER:
            return Refusal.VOID_ONLY, f"{reason.value} cannot be resumed: void the coup"
        case ResumeWhen.NEW_SHOE:
            return Refusal.NOT_NOW, "no shoe is known: start the shoe (start-shoe)"
        case ResumeWhen.LINK_UP:
            up = state.shoe_link is not LinkState.DOWN
            return None if up else (Refusal.NOT_YET, "the line to the shoe is still down: plug the cable in first")
        case ResumeWhen.FAULT_OVER:
            over = held.code not in state.faults
            text = f"the shoe is still in error {held.code}: clear it there first"
            return None if over else (Refusal.NOT_YET, text)
        case ResumeWhen.ANSWERED if reason is HoldReason.LINE_UNREADABLE:
            return None if held.answered else (Refusal.NOT_YET, "no good report of the shoe came yet: check its line")
        case ResumeWhen.ANSWERED:
            return None if _card_known(moment, held) else (Refusal.NOT_YET, f"{_missing(moment)} is not known yet")


def _missing(moment: Moment) -> str:
    due = moment.state.due
    return f"the card of {due}" if due else "the card"


def _card_known(moment: Moment, held: Hold) -> bool:
    """Whether the unreadable card was entered or came, or whether no place waits for it (then it is out, unseen)."""
    due = moment.state.due
    if held.answered or due is None:
        return True
    reads = [what for what in held.waiting if isinstance(what, CardRead) and what.card is not None]
    return any((what.target.value, what.index) == (due.hand.value, due.index) for what in reads)


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
        case ReportMissed() as missed:
            moment.set(reports_missed=(missed.got - missed.expected) % 9)
        case _ if held.reason is HoldReason.UNREADABLE and moment.state.phase is BURNING and not held.answered:
            burning.burned_unseen(moment)
        case _:
            pass


def _take_burn(moment: Moment, card: CardRead, conduct: Conduct) -> None:
    """The burn is taken as it came; a card of the coup that came instead of the burn is conducted after it."""
    match card.target:
        case Target.COUNT:
            burning.take_count(moment, card.index)
        case Target.BURN | Target.FIRST:
            burning.take_as_burned(moment, card)
        case _:
            burning.end_burn(moment)
            conduct(moment, card)


def void(moment: Moment, conduct: Conduct) -> None:
    """The coup does not count: its cards stay out of the shoe, stakes go back, the next coup's bets open."""
    state, held = moment.state, moment.state.hold
    if not moment.go("void"):
        moment.refuse("void", Refusal.NOT_NOW, "there is no coup to void")
        return
    moment.set(hold=None)
    if held is not None:
        moment.say(TableResumed(held.reason))
    others = _drop_cards(moment, state, held) if held else ()
    if state.conducted is BURNING:
        moment.say(BurnCompleted(len(state.burned)))
    else:
        moment.say(CoupVoided(state.shoe, state.coup, state.hands, staked(state)))
    clear_layout(moment)
    if moment.state.phase is BETTING:
        open_bets(moment, state.coup if state.conducted is BURNING else state.coup + 1)
    else:
        moment.say(ShoeEnded(state.shoe, state.coup, 0))
    conduct_all(moment, others, conduct)


def _drop_cards(moment: Moment, before: TableState, held: Hold) -> tuple[Input, ...]:
    """The void coup's cards, the one at fault and those that wait, are out; returns what is left to conduct.

    A waiting first card of Player, once this coup has one, begins the next coup: it and all after it are kept. The
    shoe's results and its lost or unconfirmed reports were about the void coup.
    """
    begun = bool(before.hands.player)
    if isinstance(held.cause, CardRead):
        begun = begun or _is_first(held.cause)
        count_out(moment, held.cause.card)
    kept: list[Input] = []
    for number, what in enumerate(held.waiting):
        match what:
            case CardRead() if begun and _is_first(what):
                return (*kept, *held.waiting[number:])
            case CardRead():
                begun = begun or _is_first(what)
                count_out(moment, what.card)
            case ShoeResult() | ShoePowered() | ReportMissed() | ReportUnconfirmed() | LineUnreadable():
                pass
            case CutCardOut():
                shoe_life.cut_card(moment, before.conducted)
            case _:
                kept.append(what)
    return tuple(kept)


def _is_first(card: CardRead) -> bool:
    return card.target is Target.PLAYER and card.index == 1
