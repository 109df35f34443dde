"""Which stakes a spot would take now, so that the number a refusal names is one that is taken when it is asked for.

Minimum and maximum are for a seat's total on the wager, the house's multiple for each stake, the multiple that can be
paid for the total, the differential for all seats together: a stake has to fit all of them at once.
"""

from math import gcd, lcm

from controller.game.settlement import LARGEST_STAKE, payable_multiple
from controller.table.rules import HouseRules, Limit
from controller.table.state import TableState

SIDES = {"player": "banker", "banker": "player"}
"""The two wagers that the differential and `bar_both_sides` are about."""

ANYTHING = Limit(1, LARGEST_STAKE)
"""Where the layout sets no limit."""

NOTHING = range(0)


def on_spot(state: TableState, seat: int, wager: str) -> int:
    """A seat's total on a wager."""
    return sum(bet.stake for bet in state.bets if (bet.seat, bet.wager) == (seat, wager))


def on_wager(state: TableState, wager: str) -> int:
    """All seats' total on a wager."""
    return sum(bet.stake for bet in state.bets if bet.wager == wager)


def limit_of(rules: HouseRules, wager: str) -> Limit:
    """What a seat's total on a wager may be, by the layout and by what an amount can be."""
    limit = rules.limit(wager) or ANYTHING
    return Limit(limit.minimum, min(limit.maximum, LARGEST_STAKE), limit.multiple)


def is_barred(state: TableState, seat: int, wager: str) -> bool:
    """Whether the seat has the other side, where the house allows one side a seat."""
    return state.rules.bar_both_sides and wager in SIDES and on_spot(state, seat, SIDES[wager]) > 0


def room(state: TableState, wager: str) -> int | None:
    """How much more the differential allows on a wager; None when it says nothing about it."""
    most = state.rules.differential
    if most is None or wager not in SIDES:
        return None
    return most + on_wager(state, SIDES[wager]) - on_wager(state, wager)


def fitting(state: TableState, seat: int, wager: str) -> range:
    """Every stake that this seat could add on this wager now, and no other; empty when there is none."""
    if is_barred(state, seat, wager):
        return NOTHING
    limit, before, space = limit_of(state.rules, wager), on_spot(state, seat, wager), room(state, wager)
    paytable = state.rules.paytable
    steps = _multiples(limit.multiple, payable_multiple(paytable, paytable.by_id[wager]), before)
    if steps is None:
        return NOTHING
    first, step = steps
    least, most = max(1, limit.minimum - before), limit.maximum - before
    most = most if space is None else min(most, space)
    first += max(0, -((first - least) // step)) * step
    return range(first, most + 1, step)


def _multiples(stake: int, total: int, before: int) -> tuple[int, int] | None:
    """The least stake from 1 that is a multiple of `stake` and makes the total one of `total`; from one to the next."""
    common, step = gcd(stake, total), lcm(stake, total)
    if before % common:
        return None
    times = -before // common * pow(stake // common, -1, total // common) % (total // common)
    return stake * times or step, step


def nearest(fits: range, stake: int) -> tuple[int, ...]:
    """Of the stakes that fit, the next ones below and above; the stake itself alone, when it fits."""
    if not fits:
        return ()
    first, last, step = fits[0], fits[-1], fits.step
    if not first < stake < last:
        return (first,) if stake <= first else (last,)
    below = first + (stake - first) // step * step
    return (below,) if below == stake else (below, below + step)


def offered(state: TableState, seat: int, wager: str, stake: int) -> str:
    """What would be taken instead of this stake, in words."""
    near = nearest(fitting(state, seat, wager), stake)
    return f"{' or '.join(map(str, near))} would be taken" if near else "no stake would be taken here now"
