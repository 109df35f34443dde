"""Bets at a live table: who may put how much on which wager; each refusal has its reason and the right number."""

from controller.game.settlement import LARGEST_STAKE, Bet, NotPayable, check_payable, payable_multiple
from controller.table.events import BetPlaced, BetsWithdrawn, Refusal
from controller.table.inputs import PlaceBet, WithdrawBets
from controller.table.machine import BETTING
from controller.table.moment import Moment
from controller.table.stakes import SIDES, fitting, is_barred, limit_of, nearest, offered, on_spot, on_wager, room
from controller.table.state import TableState

Why = tuple[Refusal, str] | None


def place(moment: Moment, order: PlaceBet) -> None:
    """Add a stake to a seat's total on a wager, or refuse it."""
    why = _why_not(moment.state, order)
    if why is not None:
        moment.refuse("bet", *why)
        return
    before = on_spot(moment.state, order.seat, order.wager)
    total = before + order.stake
    others = tuple(bet for bet in moment.state.bets if (bet.seat, bet.wager) != (order.seat, order.wager))
    moment.set(bets=(*others, Bet(order.seat, order.wager, total)))
    moment.say(BetPlaced(order.seat, order.wager, order.stake, total))


def withdraw(moment: Moment, order: WithdrawBets) -> None:
    """A seat takes its stakes back while bets are open, but for those that keep the differential."""
    if moment.state.phase is not BETTING:
        moment.refuse("withdraw", Refusal.BETS_CLOSED, "bets are taken back only while they are open")
        return
    gone = tuple(bet for bet in moment.state.bets if bet.seat == order.seat and order.wager in ("", bet.wager))
    if not gone:
        moment.refuse("withdraw", Refusal.NO_BET, f"seat {order.seat} has no such bet")
        return
    left = moment.state._replace(bets=tuple(bet for bet in moment.state.bets if bet not in gone))
    side = _side_too_far(left)
    if side is not None:
        moment.refuse("withdraw", Refusal.DIFFERENTIAL, _too_far_apart(moment.state, left, side, order.seat))
        return
    moment.set(bets=left.bets)
    for bet in gone:
        moment.say(BetsWithdrawn(bet.seat, bet.wager, bet.stake))


def _side_too_far(state: TableState) -> str | None:
    """The side that has more over the other than the differential allows."""
    return next((side for side in SIDES if (room(state, side) or 0) < 0), None)


def _too_far_apart(state: TableState, left: TableState, side: str, seat: int) -> str:
    """Why the seat's bets stay, and what must be bet before they may go.

    A stake that others put on the other side makes up for them; where none would be taken, a void gives all back.
    """
    other = SIDES[side]
    apart, most = on_wager(left, side) - on_wager(left, other), left.rules.differential
    assert most is not None
    first = "close the bets and void the coup, that gives all stakes back"
    for rival in (rival for rival in left.rules.seats if rival != seat):
        enough = [stake for stake in nearest(fitting(state, rival, other), apart - most) if stake >= apart - most]
        if enough and enough[0] <= apart + most:
            first = f"first {enough[0]} more of seat {rival} on {other}; or {first}"
            break
    return f"without them {side} would have {apart} more than {other} and may have {most}: {first}"


def _why_not(state: TableState, order: PlaceBet) -> Why:
    rules = state.rules
    if state.phase is not BETTING:
        return Refusal.BETS_CLOSED, f"bets are not open ({state.phase.value})"
    if order.seat not in rules.seats:
        return Refusal.UNKNOWN_SEAT, f"there is no seat {order.seat}: seats are {', '.join(map(str, rules.seats))}"
    if all(order.wager != wager.id for wager in rules.paytable.wagers):
        known = ", ".join(wager.id for wager in rules.paytable.wagers)
        return Refusal.UNKNOWN_WAGER, f"there is no wager {ascii(order.wager)[:40]}: wagers are {known}"
    why = _against_limits(state, order) or _against_sides(state, order) or _unpayable(state, order)
    if why is None or why[0] is Refusal.BOTH_SIDES:
        return why
    return why[0], f"{why[1]}: {offered(state, order.seat, order.wager, order.stake)}"


def _against_limits(state: TableState, order: PlaceBet) -> Why:
    if not 1 <= order.stake <= LARGEST_STAKE:
        return Refusal.BAD_STAKE, "a stake is a whole number above zero, of 63 bits at most"
    limit, total = limit_of(state.rules, order.wager), on_spot(state, order.seat, order.wager) + order.stake
    where = f"a seat on {order.wager}, this makes {total}"
    if total > limit.maximum:
        return Refusal.ABOVE_MAXIMUM, f"the maximum is {limit.maximum} {where}"
    if total < limit.minimum:
        return Refusal.BELOW_MINIMUM, f"the minimum is {limit.minimum} {where}"
    if order.stake % limit.multiple:
        return Refusal.NOT_MULTIPLE, f"a stake on {order.wager} is a multiple of {limit.multiple}"
    return None


def _against_sides(state: TableState, order: PlaceBet) -> Why:
    if is_barred(state, order.seat, order.wager):
        return Refusal.BOTH_SIDES, f"seat {order.seat} bet on {SIDES[order.wager]} already: one side a seat"
    space = room(state, order.wager)
    if space is not None and order.stake > space:
        return Refusal.DIFFERENTIAL, f"Player and Banker may differ by {state.rules.differential}"
    return None


def _unpayable(state: TableState, order: PlaceBet) -> Why:
    paytable = state.rules.paytable
    try:
        check_payable(paytable, Bet(order.seat, order.wager, on_spot(state, order.seat, order.wager) + order.stake))
    except NotPayable as wrong:
        multiple = payable_multiple(paytable, paytable.by_id[order.wager])
        return Refusal.NOT_PAYABLE, f"{wrong}: the seat's total must be a multiple of {multiple}"
    return None
