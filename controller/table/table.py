"""One table: `step` takes the state and one input, gives the next state and what happened. Nothing else moves it."""

from controller.table import accepting, betting, dealing, entering, ledger, resuming, shoe_life, voiding
from controller.table.events import (
    BetsReopened,
    CardsRevealed,
    ClosedBy,
    ControllerStopped,
    Event,
    FramesDamagedCounted,
    HoldReason,
    LineTroubleNoted,
    LinkCameUp,
    LinkWentDown,
    Refusal,
    ShoeQuiet,
    ShoeReportNoted,
    TableTilted,
)
from controller.table.holds import changed_text, held_for_change, held_for_link, hold, line_is_back, wait
from controller.table.inputs import (
    AcceptChange,
    CardOutsidePlay,
    CardOverdrawn,
    CardRead,
    CloseBets,
    CollectCommission,
    Confirm,
    CutCardOut,
    DiskFailed,
    EndShoe,
    EnterCard,
    FramesDamaged,
    Input,
    LineTrouble,
    LineUnreadable,
    Link,
    LinkLost,
    LinkRestored,
    LinkState,
    OpenBets,
    Order,
    PlaceBet,
    ProgramStarted,
    ProgramStopped,
    RecordBroken,
    ReportMissed,
    ReportUnconfirmed,
    Resume,
    RevealCards,
    ShoeFault,
    ShoeFaultCleared,
    ShoeNoted,
    ShoePowered,
    ShoeReport,
    ShoeResult,
    StartShoe,
    Target,
    Tick,
    VoidCoup,
    WithdrawBets,
)
from controller.table.layout import close_bets, may_close, start_clock
from controller.table.machine import BETS_CLOSED, BETTING, HELD, IN_COUP, IN_PLAY, NO_SHOE, SETTLING, SHOE_ENDED, TILT
from controller.table.moment import Moment
from controller.table.rules import Reveal
from controller.table.state import TableState

ORDER_NAMES: dict[type[Order], str] = {
    OpenBets: "open-bets",
    CloseBets: "close-bets",
    PlaceBet: "bet",
    WithdrawBets: "withdraw",
    RevealCards: "reveal",
    Confirm: "confirm",
    StartShoe: "start-shoe",
    EndShoe: "end-shoe",
    Resume: "resume",
    VoidCoup: "void",
    EnterCard: "card",
    CollectCommission: "collect",
    AcceptChange: "accept-change",
}
"""Each order by the word people use for it."""

WHILE_HELD = (Resume, VoidCoup, EnterCard, StartShoe, CollectCommission, AcceptChange)
"""Orders that make sense at a held table."""


def step(state: TableState, what: Input) -> tuple[TableState, tuple[Event, ...]]:
    """Conduct one input. Returns the next state (the same object when nothing changed) and the events in order."""
    moment = Moment(state, what.at_ms)
    if state.phase is TILT:
        _while_tilted(moment, what)
        return moment.state, tuple(moment.events)
    _hear(moment, what)
    if state.phase is HELD:
        _while_held(moment, what)
    else:
        conduct(moment, what)
    held_for_link(moment)
    held_for_change(moment)
    _await_card(moment, state)
    return moment.state, tuple(moment.events)


def _hear(moment: Moment, what: Input) -> None:
    """What is so from when it is heard, even if the input waits to be conducted: errors, the line, the silence."""
    match what:
        case LinkLost(link=Link.SHOE):
            moment.set(shoe_link=LinkState.DOWN)
            moment.say(LinkWentDown(what.link, what.trouble))
        case LineUnreadable():
            moment.set(line_reads=False)
        case _ if isinstance(what, ShoeReport):
            moment.set(heard_ms=moment.at_ms, quiet=False, line_reads=True)
            if isinstance(what, ShoeFault):
                shoe_life.fault_noted(moment, what)
        case _:
            pass


def _await_card(moment: Moment, before: TableState) -> None:
    """The shoe's silence counts from when a card became due."""
    if moment.state.card_awaited and not before.card_awaited:
        moment.set(heard_ms=moment.at_ms, quiet=False)


def _while_tilted(moment: Moment, what: Input) -> None:
    if isinstance(what, Order):
        moment.refuse(ORDER_NAMES[type(what)], Refusal.TILT, "the table is in tilt: repair the record, then restart")


def _while_held(moment: Moment, what: Input) -> None:
    match what:
        case ShoeFaultCleared() | FramesDamaged():
            conduct(moment, what)
        case LinkLost(link=Link.SHOE) | DiskFailed():
            wait(moment, what)
        case _ if isinstance(what, Order):
            _order_while_held(moment, what)
        case _ if isinstance(what, ShoeReport | LineTrouble):
            wait(moment, what)
        case _:
            conduct(moment, what)


def _order_while_held(moment: Moment, order: Order) -> None:
    held = moment.state.hold
    assert held is not None
    if not isinstance(order, WHILE_HELD):
        moment.refuse(ORDER_NAMES[type(order)], Refusal.HELD, f"the table is held ({held.reason.value}): {held.text}")
    else:
        conduct(moment, order)


def conduct(moment: Moment, what: Input) -> None:
    """Deal with one input; a held table has let it through, or it waited and its turn has come."""
    _conduct(moment, what)
    dealing.confirm_at_once(moment)


def _conduct(moment: Moment, what: Input) -> None:
    match what:
        case CardRead():
            dealing.card_read(moment, what)
        case CardOverdrawn():
            shoe_life.overdrawn(moment, what)
        case ShoePowered():
            shoe_life.powered(moment, what)
        case CutCardOut():
            shoe_life.cut_card_out(moment, what)
        case ShoeResult():
            shoe_life.shoe_result(moment, what)
        case ShoeFault():
            shoe_life.fault(moment, what)
        case ShoeFaultCleared():
            shoe_life.fault_cleared(moment, what)
        case CardOutsidePlay():
            text = f"{what.card or 'a card'} came out outside play ({what.mode} mode)"
            _trouble(moment, what, HoldReason.CARD_OUTSIDE_PLAY, text)
        case ShoeNoted():
            moment.say(ShoeReportNoted(what.what))
        case ReportMissed():
            text = f"a report of the shoe was lost: number {what.got} came, {what.expected} was due"
            _trouble(moment, what, HoldReason.REPORT_LOST, text)
        case ReportUnconfirmed():
            text = f"one copy of a report came alone ({what.about})"
            _trouble(moment, what, HoldReason.REPORT_UNCONFIRMED, text)
        case LineUnreadable():
            text = f"{what.damaged} damaged frames and no good one on the shoe's line"
            hold(moment, HoldReason.LINE_UNREADABLE, text, what)  # a wrong setting shows before the first shoe
        case FramesDamaged():
            moment.say(FramesDamagedCounted(what.damaged))
        case _ if isinstance(what, Order):
            _order(moment, what)
        case _:
            _surrounding(moment, what)


def _trouble(moment: Moment, what: Input, reason: HoldReason, text: str) -> None:
    """Trouble holds a shoe in play; without one it is only noted."""
    if moment.state.phase in IN_PLAY:
        hold(moment, reason, text, what)
    else:
        moment.say(LineTroubleNoted(text))


def _surrounding(moment: Moment, what: Input) -> None:
    match what:
        case ProgramStarted():
            accepting.started(moment, what)
        case ProgramStopped():
            moment.say(ControllerStopped())
        case Tick():
            _tick(moment)
        case LinkLost(link=Link.SHOE):
            if moment.state.phase in IN_PLAY:
                hold(moment, HoldReason.SHOE_LINK_LOST, f"the line to the shoe is lost ({what.trouble})", what)
        case LinkLost():
            moment.set(display_link=LinkState.DOWN)
            moment.say(LinkWentDown(what.link, what.trouble))
        case LinkRestored():
            shoe = what.link is Link.SHOE
            moment.set(shoe_link=LinkState.UP) if shoe else moment.set(display_link=LinkState.UP)
            moment.say(LinkCameUp(what.link))
            line_is_back(moment)
        case DiskFailed():
            hold(moment, HoldReason.DISK, f"the record could not be written ({what.trouble})", what)
        case RecordBroken():
            assert moment.go("tilt")
            moment.set(hold=None, deadline_ms=None)
            moment.say(TableTilted(what.text))
        case _:
            raise AssertionError(f"no place for {what}")


def _tick(moment: Moment) -> None:
    state = moment.state
    if state.deadline_ms is not None and moment.at_ms >= state.deadline_ms:
        if state.phase is SETTLING:
            dealing.confirm(moment)
        elif may_close(state):
            close_bets(moment, ClosedBy.TIMER)
        else:
            start_clock(moment)
    quiet_ms = state.rules.quiet_s * 1000
    if state.card_awaited and not state.quiet and moment.at_ms - state.heard_ms >= quiet_ms:
        moment.set(quiet=True)
        moment.say(ShoeQuiet(state.rules.quiet_s))


def _order(moment: Moment, order: Order) -> None:
    phase = moment.state.phase
    match order:
        case CloseBets() if phase is BETTING:
            if may_close(moment.state):
                close_bets(moment, ClosedBy.DEALER)
            else:
                moment.refuse("close-bets", Refusal.NO_WAGERS, "nobody bet: this table deals no coup without a wager")
        case OpenBets() if phase is BETS_CLOSED:
            moment.go("open_bets")
            moment.say(BetsReopened(moment.state.coup))
            start_clock(moment)
        case OpenBets() if phase in IN_COUP:
            moment.refuse("open-bets", Refusal.CARD_OUT, "a card is out: bets stay closed until the coup is over")
        case PlaceBet():
            betting.place(moment, order)
        case WithdrawBets():
            betting.withdraw(moment, order)
        case RevealCards() if moment.state.rules.reveal is Reveal.DEALER:
            _reveal(moment)
        case Confirm() if phase is SETTLING:
            dealing.confirm(moment)
        case StartShoe():
            _start_shoe(moment)
        case EndShoe():
            shoe_life.end_by_order(moment)
        case Resume():
            resuming.resume(moment, conduct)
        case VoidCoup():
            voiding.void(moment, conduct)
        case EnterCard():
            entering.enter_card(moment, order)
        case CollectCommission():
            ledger.collect(moment, order.seat)
        case AcceptChange():
            accepting.accept(moment, order, conduct)
        case _:
            name = ORDER_NAMES[type(order)]
            moment.refuse(name, Refusal.NOT_NOW, f"{name} is not for {phase.value}")


def _reveal(moment: Moment) -> None:
    out = (len(moment.state.hands.player), len(moment.state.hands.banker))
    if moment.state.revealed == out:
        moment.refuse("reveal", Refusal.NOT_NOW, "every card on the table is shown already")
        return
    moment.set(revealed=out)
    moment.say(CardsRevealed(*out))


def _start_shoe(moment: Moment) -> None:
    """A shoe is started where one is awaited; cards of its burn that came too soon are conducted, others set aside.

    While a seat owes commission of the shoe that is over, no other begins.
    """
    state, held = moment.state, moment.state.hold
    if held is not None and held.reason is not HoldReason.SHOE_UNKNOWN:
        moment.refuse("start-shoe", Refusal.HELD, f"the table is held ({held.reason.value}): {held.text}")
    elif held is None and state.phase not in (NO_SHOE, SHOE_ENDED):
        moment.refuse("start-shoe", Refusal.NOT_NOW, f"a shoe is in play ({state.phase.value})")
    elif state.changes:
        text = f"{changed_text(state)}: accept it first (accept-change --name NAME --reason TEXT)"
        moment.refuse("start-shoe", Refusal.CHANGE_PENDING, text)
    elif state.owed:
        moment.refuse("start-shoe", Refusal.LEDGER_OPEN, ledger.collect_first(state))
    else:
        if held is not None:
            resuming.leave(moment)
        shoe_life.begin(moment)
        if held is not None:
            resuming.conduct_all(moment, _of_the_burn(held.cause, held.waiting), conduct)


def _of_the_burn(cause: Input | None, waiting: tuple[Input, ...]) -> tuple[Input, ...]:
    """Of what came before the shoe was started, the cards of its burn, when nothing but the burn came.

    A shoe that told its own start gave what came before that from another filling.
    """
    came = (*(() if cause is None else (cause,)), *waiting)
    starts = [number for number, what in enumerate(came) if isinstance(what, ShoePowered)]
    came = came[starts[-1] + 1 :] if starts else came
    cards = [what for what in came if isinstance(what, CardRead)]
    if any(card.target in (Target.PLAYER, Target.BANKER) for card in cards):
        return tuple(what for what in came if not isinstance(what, CardRead | ShoeResult))
    return tuple(what for what in came if not isinstance(what, ShoeResult))
