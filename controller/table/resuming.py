"""How a hold ends by resume: the card at fault is dealt with, then what waited follows in order."""

from collections.abc import Callable
from dataclasses import replace

from controller.table import burning, dealing, shoe_life
from controller.table.counting import set_aside
from controller.table.events import (
    HoldReason,
    Refusal,
    TableResumed,
)
from controller.table.holds import OPENS_BETS, changed_text, held_for_change
from controller.table.inputs import (
    CardRead,
    Input,
    LinkState,
    ReportMissed,
    ReportUnconfirmed,
    ShoeFault,
    Target,
)
from controller.table.layout import may_close, start_clock
from controller.table.machine import BETTING, BURNING, IN_PLAY
from controller.table.moment import Moment
from controller.table.procedures import PROCEDURES, ResumeWhen
from controller.table.state import Hold, TableState

Conduct = Callable[[Moment, Input], None]
"""How an input is conducted when the table is not held; given by the caller, which stands above this file."""


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
        held_for_change(moment)
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
    if held.at in OPENS_BETS and state.changes:
        return Refusal.NOT_YET, f"{changed_text(state)}: accept it first (accept-change --name NAME --reason TEXT)"
    if reason is HoldReason.PRE_CLOSE_CARD and held.at is BETTING and not may_close(state):
        return Refusal.NO_WAGERS, "nobody bet and this table deals no coup without a wager: void the coup"
    missing = None
    match PROCEDURES[reason].resume:
        case ResumeWhen.AT_ONCE:
            return None
        case ResumeWhen.NEVER:
            return Refusal.VOID_ONLY, f"{reason.value} cannot be resumed: void the coup"
        case ResumeWhen.NEW_SHOE:
            return Refusal.NOT_YET, "no shoe is known: start the shoe (start-shoe)"
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
