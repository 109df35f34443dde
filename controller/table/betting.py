"""Bets at a live table: who may put how much on which wager; each refusal has its reason and the right number."""

from controller.game.settlement import LARGEST_STAKE, Bet, NotPayable, check_payable, payable_multiple
from controller.table.events import BetPlaced, BetsWithdrawn, Refusal
from controller.table.inputs import PlaceBet, WithdrawBets
from controller.table.machine import BETTING
from controller.table.moment import Moment
from controller.table.state import TableState

SIDES = {"player": "banker", "banker": "player"}
"""The two wagers that the differential and `bar_both_sides` are about."""

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
    """A seat takes its stakes back while bets are open."""
    if moment.state.phase is not BETTING:
        moment.refuse("withdraw", Refusal.BETS_CLOSED, "bets are taken back only while they are open")
        return
    gone = tuple(bet for bet in moment.state.bets if bet.seat == order.seat and order.wager in ("", bet.wager))
    if not gone:
        moment.refuse("withdraw", Refusal.NO_BET, f"seat {order.seat} has no such bet")
        return
    moment.set(bets=tuple(bet for bet in moment.state.bets if bet not in gone))
    for bet in gone:
        moment.say(BetsWithdrawn(bet.seat, bet.wager, bet.stake))


def on_spot(state: TableState, seat: int, wager: str) -> int:
    """A seat's total on a wager."""
    return sum(bet.stake for bet in state.bets if (bet.seat, bet.wager) == (seat, wager))


def on_wager(state: TableState, wager: str) -> int:
    """All seats' total on a wager."""
    return sum(bet.stake for bet in state.bets if bet.wager == wager)


def _why_not(state: TableState, order: PlaceBet) -> Why:
    rules = state.rules
    if state.phase is not BETTING:
        return Refusal.BETS_CLOSED, f"bets are not open ({state.phase.value})"
    if order.seat not in rules.seats:
        return Refusal.UNKNOWN_SEAT, f"there is no seat {order.seat}: seats are {', '.join(map(str, rules.seats))}"
    if all(order.wager != wager.id for wager in rules.paytable.wagers):
        known = ", ".join(wager.id for wager in rules.paytable.wagers)
        return Refusal.UNKNOWN_WAGER, f"there is no wager {ascii(order.wager)[:40]}: wagers are {known}"
    if not 1 <= order.stake <= LARGEST_STAKE:
        return Refusal.BAD_STAKE, f"a stake is a whole number from 1 to {LARGEST_STAKE}"
    total = on_spot(state, order.seat, order.wager) + order.stake
    if total > LARGEST_STAKE:
        return Refusal.ABOVE_MAXIMUM, f"the seat's total on {order.wager} would be over {LARGEST_STAKE}"
    return _against_limits(state, order, total) or _against_sides(state, order) or _unpayable(state, order, total)


def _against_limits(state: TableState, order: PlaceBet, total: int) -> Why:
    limit = state.rules.limit(order.wager)
    if limit is None:
        return None
    if total > limit.maximum:
        return Refusal.ABOVE_MAXIMUM, f"at most {limit.maximum} a seat on {order.wager}, this makes {total}"
    if total < limit.minimum:
        return Refusal.BELOW_MINIMUM, f"at least {limit.minimum} a seat on {order.wager}, this makes {total}"
    if order.stake % limit.multiple:
        return Refusal.NOT_MULTIPLE, f"a stake on {order.wager} is a multiple of {limit.multiple}"
    return None


def _against_sides(state: TableState, order: PlaceBet) -> Why:
    other = SIDES.get(order.wager)
    if other is None:
        return None
    if state.rules.bar_both_sides and on_spot(state, order.seat, other):
        return Refusal.BOTH_SIDES, f"seat {order.seat} bet on {other} already: one side a seat"
    most = state.rules.differential
    apart = on_wager(state, order.wager) + order.stake - on_wager(state, other)
    if most is not None and apart > most:
        room = most - apart + order.stake
        return Refusal.DIFFERENTIAL, f"Player and Banker may differ by {most}: at most {max(room, 0)} more fits here"
    return None


def _unpayable(state: TableState, order: PlaceBet, total: int) -> Why:
    paytable = state.rules.paytable
    try:
        check_payable(paytable, Bet(order.seat, order.wager, total))
    except NotPayable as wrong:
        multiple = payable_multiple(paytable, paytable.by_id[order.wager])
        nearest = max(total - total % multiple, multiple)
        return Refusal.NOT_PAYABLE, f"{wrong}: the seat's total must be a multiple of {multiple}, such as {nearest}"
    return None
