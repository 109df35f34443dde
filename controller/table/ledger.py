"""The commission that seats owe: it is collected before the next shoe, whatever ended the last one."""

from controller.table.events import CommissionCollected, Refusal
from controller.table.moment import Moment
from controller.table.state import TableState


def collect(moment: Moment, seat: int) -> None:
    """A seat pays what it owes: when it leaves, or when the shoe is over; lawful at any time but in tilt."""
    owed = dict(moment.state.owed)
    if seat not in owed:
        moment.refuse("collect", Refusal.NOTHING_OWED, f"seat {seat} owes no commission")
        return
    moment.say(CommissionCollected(seat, owed.pop(seat)))
    moment.set(owed=tuple(sorted(owed.items())))


def owed_text(state: TableState) -> str:
    """Who owes what, in a few words."""
    return "commission is owed: " + ", ".join(_owes(seat, amount) for seat, amount in state.owed)


def _owes(seat: int, amount: int) -> str:
    """Rounding in the players' favour can turn it round."""
    return f"seat {seat} owes {amount}" if amount > 0 else f"the house owes seat {seat} {-amount}"


def collect_first(state: TableState) -> str:
    """Who owes what, and what to do."""
    return f"{owed_text(state)}; collect it first (collect SEAT)"
