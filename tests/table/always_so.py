"""What holds after every input, whatever the table was in: checked after each step of each test in this folder."""

from controller.game.coup import deal_coup
from controller.game.settlement import Bet, settle
from controller.game.wagers import Settles
from controller.table.events import (
    CommissionCollected,
    CommissionOwed,
    CoupConfirmed,
    CoupSettled,
    CoupVoided,
    InitialDealSettled,
    InitialDealUndone,
    InputRefused,
    ShoeBegun,
    ShoeEnded,
    TableResumed,
)
from controller.table.inputs import AcceptChange, Order, Resume, StartShoe, VoidCoup
from controller.table.machine import BETTING, HELD, IN_COUP, NATURALS, NO_SHOE, SETTLING, SHOE_ENDED, TILT
from controller.table.table import step

ENDS_A_HOLD = (Resume, VoidCoup, StartShoe, AcceptChange)


class Ledger:
    """The settled, confirmed and void coups so far, to see that none is counted twice or lost."""

    def __init__(self):
        self.settled, self.confirmed, self.void = [], [], []
        self.early = ()

    def enter(self, event):
        self._enter_early(event)
        match event:
            case CoupSettled():
                self.settled.append((event.shoe, event.coup))
            case CoupConfirmed():
                self.confirmed.append((event.shoe, event.coup))
                assert self.settled[-1] == self.confirmed[-1], "a coup is confirmed once it is settled, and once"
            case CoupVoided():
                self.void.append((event.shoe, event.coup))
            case _:
                return
        for coups in (self.settled, self.confirmed, self.void):
            assert coups == sorted(set(coups)), "each coup once, in order"
        assert not set(self.confirmed) & set(self.void), "a void coup is never confirmed"

    def _enter_early(self, event):
        """What is paid at the initial deal is paid once, and is undone before the coup is void."""
        match event:
            case InitialDealSettled():
                assert not self.early
                self.early = event.settlement.lines
            case InitialDealUndone():
                assert event.settlement.lines == self.early != ()
                self.early = ()
            case CoupConfirmed():
                self.early = ()
            case CoupVoided():
                assert not self.early


def dealing_order(coup):
    """The cards of a coup in the order they came."""
    cards = [card for pair in zip(coup.player[:2], coup.banker[:2], strict=False) for card in pair]
    return [*cards, *coup.player[2:], *coup.banker[2:]]


def check_step(before, what, after, events, ledger):
    """What holds of every step."""
    assert step(before, what) == (after, events), "the same state and input lead to the same"
    _check_refusal(before, what, after, events)
    _check_hold(before, what, after, events)
    _check_counts(before, after, events)
    _check_owed(before, after, events)
    _check_differential(after)
    for event in events:
        ledger.enter(event)
        if isinstance(event, CoupSettled):
            assert event.hands == deal_coup(dealing_order(event.hands)), "what is settled is what was dealt"
            bets = [Bet(line.seat, line.wager, line.stake) for line in event.settlement.lines]
            assert event.settlement == settle(before.rules.paytable, bets, event.hands)
            assert set(bets) <= set(before.bets)
            assert ledger.early == tuple(line for line in event.settlement.lines if _is_early(before, line))
        if isinstance(event, InitialDealSettled):
            bets = [bet for bet in before.bets if _is_early(before, bet)]
            assert event.settlement == settle(before.rules.paytable, bets, event.hands)
            assert (len(event.hands.player), len(event.hands.banker)) == (2, 2)
    if not events:
        assert after == before._replace(**timers(after)), "what changes the table is said"
    _check_stakes(before, events)


def _check_differential(after):
    """Player and Banker never differ by more than the house allows, whoever bets or takes back."""
    if after.rules.differential is not None:
        player, banker = (sum(bet.stake for bet in after.bets if bet.wager == side) for side in ("player", "banker"))
        assert abs(player - banker) <= after.rules.differential


def _check_owed(before, after, events):
    """Commission goes onto the ledger and off it by what is said, and no shoe begins while any is there."""
    owed = dict(before.owed)
    for event in events:
        match event:
            case CommissionOwed(seat, amount, total):
                owed[seat] = owed.get(seat, 0) + amount
                assert total == owed[seat]
            case CommissionCollected(seat, amount):
                assert amount == owed.pop(seat)
            case ShoeBegun():
                assert not any(owed.values()), "no shoe begins while a seat owes"
    assert tuple(sorted((seat, amount) for seat, amount in owed.items() if amount)) == after.owed


def _is_early(state, bet):
    return state.rules.paytable.by_id[bet.wager].settles is Settles.INITIAL_DEAL


def timers(state):
    """The fields that are about time alone."""
    return {"deadline_ms": state.deadline_ms, "heard_ms": state.heard_ms, "quiet": state.quiet}


def _check_stakes(before, events):
    """The stakes on the layout are settled, or go back with the coup or the shoe."""
    staked = sum(bet.stake for bet in before.bets)
    ends = [event for event in events if isinstance(event, CoupConfirmed | CoupVoided | ShoeEnded)]
    if ends and not isinstance(ends[0], CoupConfirmed):
        assert ends[0].returned == staked


def _check_refusal(before, what, after, events):
    refused = [event for event in events if isinstance(event, InputRefused)]
    if refused:
        assert isinstance(what, Order)
        assert after is before, "a refused order changes nothing"
        assert len(events) == 1
    elif isinstance(what, Order):
        assert events, "an order is carried out or refused, and says so"


def _check_hold(before, what, after, events):
    assert (after.hold is not None) == (after.phase is HELD)
    assert after.phase is not NATURALS, "naturals never rest"
    if after.changes:
        assert after.phase not in (NO_SHOE, BETTING, SHOE_ENDED), "no bets open on what nobody accepted"
    if before.phase is HELD and after.phase not in (HELD, TILT):
        assert isinstance(what, ENDS_A_HOLD), "no hold ends by itself"
    ended = any(isinstance(event, TableResumed) for event in events)
    if before.phase is HELD and not ended and after.phase is HELD:
        kept, now = before.hold, after.hold
        assert (kept.reason, kept.cause) == (now.reason, now.cause)
        assert now.waiting[: len(kept.waiting)] == kept.waiting, "what waits keeps its order"
    assert (after.result is not None) == (after.conducted is SETTLING) or after.phase is TILT
    if after.conducted in IN_COUP:
        assert not after.hands.complete


def _check_counts(before, after, events):
    """Every card on the table is counted out of the shoe, and no card comes back but by a new shoe."""
    if after.inventory is None:
        return
    on_table = [*after.hands.player, *after.hands.banker]
    for card in set(on_table):
        assert after.inventory.out(card) >= on_table.count(card)
    if before.inventory is not None and not any(isinstance(event, ShoeBegun) for event in events):
        assert after.inventory.unknown >= before.inventory.unknown
        assert all(now >= then for now, then in zip(after.inventory.outs, before.inventory.outs, strict=True))
