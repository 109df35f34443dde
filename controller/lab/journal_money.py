"""The money of each recorded coup worked out anew, after four cards and at its end, from its bets and its paytable."""

from collections.abc import Mapping
from fractions import Fraction

from controller.game.coup import Coup
from controller.game.settlement import BadStake, Bet, NotPayable, Settlement, UnknownWager, settle
from controller.game.wagers import Facts, Paytable, Result, Settles, resolve_by
from controller.table.events import CoupSettled, InitialDealSettled, InitialDealUndone

Stakes = Mapping[tuple[int, str], int]
"""What lies on the layout by the recorded bets: minor units by seat and wager."""


class MoneyChecker:
    """Follows the money of one journal; each answer is one line when something does not follow, else empty."""

    def __init__(self) -> None:
        self.paytable: Paytable | None = None
        self._initial: Settlement | None = None

    def begin(self) -> None:
        """Another coup: nothing is paid yet."""
        self._initial = None

    def initial_deal(self, told: InitialDealSettled, hands: Coup, stakes: Stakes) -> str:
        """After four cards: each bet that settles then, and no other, is settled by those cards, once."""
        if len(hands.player) + len(hands.banker) != 4 or told.hands != hands:
            return f"the initial deal was settled as {told.hands}, dealt was {hands}"
        if self._initial is not None:
            return "the initial deal was settled twice"
        early = {spot: stake for spot, stake in stakes.items() if self._is_early(spot[1])}
        if not early:
            return "the initial deal was settled, and no bet settles then"
        wrong = self._settlement(told.settlement, hands, early)
        self._initial = told.settlement
        return f"at the initial deal {wrong}" if wrong else ""

    def settled(self, told: CoupSettled, hands: Coup, stakes: Stakes) -> str:
        """The coup from its cards, the money from its bets and its paytable."""
        if told.hands != hands:
            return f"the coup was settled as {told.hands}, dealt was {hands}"
        if not hands.complete:
            return f"the coup was settled before it was complete: {hands}"
        if wrong := self._settlement(told.settlement, hands, stakes):
            return wrong
        wins, pushes = outcomes(self._rule(), hands)
        if (told.wins, told.pushes) != (wins, pushes):
            return f"won and pushed are {told.wins} and {told.pushes}, it should be {wins} and {pushes}"
        early = tuple(line for line in told.settlement.lines if self._is_early(line.wager))
        paid = () if self._initial is None else self._initial.lines
        return "" if early == paid else f"{len(early)} bets settle at the initial deal, settled then were {len(paid)}"

    def undone(self, told: InitialDealUndone) -> str:
        """What is undone is what was settled."""
        if told.settlement != self._initial:
            settled = "nothing" if self._initial is None else _money(self._initial)
            return f"undone is {_money(told.settlement)}, settled at the initial deal was {settled}"
        self._initial = None
        return ""

    def voided(self) -> str:
        """Of a void coup nothing stays paid."""
        return "" if self._initial is None else "the coup is void, and what was paid at its initial deal is not undone"

    def _settlement(self, told: Settlement, hands: Coup, stakes: Stakes) -> str:
        bets = [Bet(line.seat, line.wager, line.stake) for line in told.lines]
        if {(bet.seat, bet.wager): bet.stake for bet in bets} != stakes or len(bets) != len(stakes):
            return f"{len(bets)} bets were settled that are not those that were placed"
        try:
            ours = settle(self._rule(), bets, hands)
        except (NotPayable, UnknownWager, BadStake) as wrong:
            return f"the coup cannot be settled: {wrong}"
        return "" if ours == told else f"the settlement is {_money(told)}, it should be {_money(ours)}"

    def _rule(self) -> Paytable:
        assert self.paytable is not None, "a coup was dealt before a shoe began"
        return self.paytable

    def _is_early(self, wager: str) -> bool:
        known = self._rule().by_id.get(wager)
        return known is not None and known.settles is Settles.INITIAL_DEAL


def outcomes(paytable: Paytable, hands: Coup) -> tuple[tuple[tuple[str, Fraction], ...], tuple[str, ...]]:
    """The wagers of the paytable that win a complete coup, each with its odds, and those that push."""
    facts = Facts(hands)
    wins, pushes = [], []
    for wager in paytable.wagers:
        result, tier = resolve_by(wager, facts)
        if tier is not None:
            wins.append((wager.id, wager.tiers[tier - 1].pays))
        elif result is Result.PUSH:
            pushes.append(wager.id)
    return tuple(wins), tuple(pushes)


def _money(settlement: Settlement) -> str:
    lines = [f"{line.seat} {line.wager} {line.result.value} {line.returned}" for line in settlement.lines]
    return f"returned {settlement.returned}, commission {settlement.commission} ({'; '.join(lines)[:200]})"
