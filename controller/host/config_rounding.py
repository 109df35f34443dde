"""What rounding does to a wager at the stakes that a table allows.

Between two stakes at which a rounded amount jumps the house's gain is a straight line, or two that bend down. So a
stake that favours the players is found at an end of such a piece or nowhere, and the least one by halving the piece.
The pieces end: rounding gives away at most its unit, which a house edge outweighs from some stake on; and what is
given away comes again after each stake at which nothing is left to round, when the house has gained more in between.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm

from controller.game.odds import Odds, percent_text
from controller.game.settlement import NotPayable, payable_multiple, winnings
from controller.game.wagers import Collect, Paytable, Rounding, RoundMode, RoundOf, Wager, odds_text
from controller.host.config_reasons import Reasoned, reasoned
from controller.host.yaml_strict import Document
from controller.table.rules import Limit

_MOST_PIECES = (
    10_000  # tiers times pieces, all wagers of a file: some tenths of a second; a real layout has some hundred
)


def gained(document: Document, paytable: Paytable, wager: Wager, exact: Odds, limit: Limit) -> Iterator[Reasoned]:
    """The least stake at which rounding leaves the players ahead: an error; a warning where that would take too long.

    The house must be ahead before rounding.
    """
    house = _House(paytable, wager, exact)
    stakes = house.stakes(limit)
    steps = house.steps()
    if not steps or not stakes:
        return
    stake, left = stakes[0], _MOST_PIECES // len(paytable.wagers)
    while stake in stakes:
        after = min(step.jump_after(stake) for step in steps)
        last = stake + max(0, min(after - 1, stakes[-1]) - stake) // stakes.step * stakes.step
        if house.keeps(last) < 0 or house.keeps(stake) < 0:
            first = house.first_lost(range(stake, last + 1, stakes.step))
            edge = percent_text(-house.keeps(first) / (exact.total * Fraction(first)))
            what = f"rounded, the players win {edge} of a stake of {first}"
            cure = "write another rounding, or a larger min and multiple in the table"
            yield reasoned(document, ("wagers", wager.id), "rounding-favours-players", f"{what}; {cure}")
            return
        stake, left = last + stakes.step, left - len(steps)
        if left < 0 and stake in stakes:
            what = f"rounding was looked at up to a stake of {last} only: it is too fine at these odds"
            cure = "write a rounding of less, a max in the table, or plainer odds"
            yield reasoned(document, ("wagers", wager.id), "rounding-unknown", f"{what}; {cure}")
            return


@dataclass(frozen=True, slots=True)
class _Step:
    """A rounded amount as the stake grows: `rate` of its units for each unit staked, jumping where `of_unit` is full.

    `of_unit` is what of a unit must be there for it to count whole: 1 down, 1/2 nearest, 0 (and a bit) up.
    """

    rate: Fraction
    of_unit: Fraction

    def jump_after(self, stake: int) -> int:
        """The least larger stake at which another unit counts."""
        units = self.rate * stake
        if self.of_unit:
            full = int(units - self.of_unit) + 1 if units >= self.of_unit else 0
            return ceil((full + self.of_unit) / self.rate)
        return int(ceil(units) / self.rate) + 1


_OF_UNIT: Mapping[RoundMode, Fraction] = {
    RoundMode.DOWN: Fraction(1),
    RoundMode.NEAREST: Fraction(1, 2),
    RoundMode.UP: Fraction(0),
}
_GIVES_AWAY = {  # what rounds in the players' favour, and how much of a unit at most
    (RoundOf.PAYOUT, RoundMode.UP): Fraction(1),
    (RoundOf.PAYOUT, RoundMode.NEAREST): Fraction(1, 2),
    (RoundOf.COMMISSION, RoundMode.DOWN): Fraction(1),
    (RoundOf.COMMISSION, RoundMode.NEAREST): Fraction(1, 2),
}


@dataclass(frozen=True, slots=True)
class _House:
    """What the house keeps of a wager, rounded."""

    paytable: Paytable
    wager: Wager
    exact: Odds

    @property
    def _rounding(self) -> Rounding:
        return self.wager.rounding or self.paytable.rounding

    @property
    def _rates(self) -> list[Fraction]:
        """For each tier, how many rounding units of what is rounded a unit staked makes."""
        taken = self.wager.commission
        part = 1 - taken if self._rounding.of is RoundOf.PAYOUT else taken
        return [tier.pays * part / self._rounding.to for tier in self.wager.tiers]

    def steps(self) -> list[_Step]:
        """What is rounded, each once; none where rounding gives nothing away."""
        rounding = self._rounding
        if (rounding.of, rounding.mode) not in _GIVES_AWAY:
            return []
        return [_Step(rate, _OF_UNIT[rounding.mode]) for rate in dict.fromkeys(self._rates) if rate]

    def stakes(self, limit: Limit) -> range:
        """The permitted stakes among which the least that favours the players is, if there is one."""
        rounding = self._rounding
        allowed = staked(self.paytable, self.wager, limit)
        round_about = lcm(allowed.step, *(rate.denominator for rate in self._rates))
        end = min(allowed.stop, allowed.start + round_about)
        if self.exact.house_edge:
            most = rounding.to * _GIVES_AWAY.get((rounding.of, rounding.mode), Fraction(0))
            outweighed = most * self.exact.win / (self.exact.total * self.exact.house_edge)
            end = min(end, ceil(outweighed) + 1)
        return range(allowed.start, end, allowed.step)

    def keeps(self, stake: int) -> int:
        """What the house gains over all deals of six cards, in minor units."""
        wins = [_win(self.paytable, self.wager, number, stake) for number in range(len(self.wager.tiers))]
        paid = sum(ways * (win or 0) for ways, win in zip(self.exact.tiers, wins, strict=True))
        return self.exact.lose * stake - paid

    def first_lost(self, piece: range) -> int:
        """The first stake of a piece that favours the players; its first or its last does."""
        if self.keeps(piece[0]) < 0:
            return piece[0]
        kept, lost = 0, len(piece) - 1
        while lost - kept > 1:
            middle = (kept + lost) // 2
            kept, lost = (kept, middle) if self.keeps(piece[middle]) < 0 else (middle, lost)
        return piece[lost]


def lost(document: Document, paytable: Paytable, wager: Wager, limit: Limit | None) -> Iterator[Reasoned]:
    """A tier that pays nothing at the least stake, or that cannot be paid where no limit asks for more: warnings."""
    for number, tier in enumerate(wager.tiers):
        at = ("tiers", number, "pays") if document.at("wagers", wager.id, "tiers") else ("pays",)
        for stake in _permitted(limit or Limit(1, 1))[:1]:
            win, text = _win(paytable, wager, number, stake), f"{odds_text(tier.pays)} of a stake of {stake}"
            if win == 0 and limit is not None:
                what = f"rounded, {text} wins nothing; write a larger min in the table"
                yield reasoned(document, ("wagers", wager.id, *at), "pays-nothing", what)
            elif win is None and limit is None:
                what = f"{text} cannot be paid exactly; give the wager a limit with a multiple in the table"
                yield reasoned(document, ("wagers", wager.id, *at), "not-payable", what)


def staked(paytable: Paytable, wager: Wager, limit: Limit) -> range:
    """The stakes that a table takes: within the limit, and payable whichever tier wins."""
    return _permitted(Limit(limit.minimum, limit.maximum, lcm(limit.multiple, payable_multiple(paytable, wager))))


def _permitted(limit: Limit) -> range:
    least = -(-limit.minimum // limit.multiple) * limit.multiple
    return range(least, limit.maximum + 1, limit.multiple)


def _win(paytable: Paytable, wager: Wager, number: int, stake: int) -> int | None:
    """What a tier wins in the end, commission off, also where a ledger takes it later; None when it is not payable."""
    try:
        won, commission = winnings(paytable, wager, wager.tiers[number], stake)
    except NotPayable:
        return None
    return won - commission if paytable.collect is Collect.LEDGER else won
