"""Stake x wager x coup: what is won, what commission is taken, what goes back. Whole minor units, never a float.

Every line is rounded by itself, never a sum. The win before commission is stake times odds; commission is a part of
that win. What the rounding of a line says:

| of | mode | a wager with commission | a wager without |
|---|---|---|---|
| payout | down, up, nearest | won is the win after commission, rounded to the unit; commission is the win before commission minus won | won is the win, rounded to the unit |
| payout | exact | the same, and NotPayable unless the win is whole and what is won a multiple of the unit | NotPayable unless the win is a multiple of the unit |
| commission | down, up, nearest | commission is rounded to the unit, at most the win itself; won is the rest | the unit does not matter |
| commission | exact | NotPayable unless commission is a multiple of the unit | the unit does not matter |

With `of: commission` a win before commission that is not whole minor units is NotPayable under every mode, with or
without commission. With `of: payout` such a win counts, for the commission alone, as rounded to a whole minor unit in
the same mode. A unit larger than the commission may round a win up beyond the win before commission: the commission
is then below zero, so that won plus commission is always the win before commission.

A ledger owes the very commission that would have been taken at the win, and the full win is paid: when the ledger is
collected, the seat has what it would have had without one. A wager without commission knows no ledger.
"""  # noqa: E501

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from controller.game.coup import Coup
from controller.game.wagers import (
    Collect,
    Facts,
    Paytable,
    Result,
    Rounding,
    RoundMode,
    RoundOf,
    Tier,
    Wager,
    resolve_by,
)

LARGEST_STAKE = 2**63 - 1


class NotPayable(Exception):
    """A win or a commission that the rounding does not allow to be paid."""


class UnknownWager(Exception):
    """A bet on a wager that the paytable does not have."""


class BadStake(Exception):
    """A stake that is no whole number of minor units from 1 to 2**63 - 1."""


@dataclass(frozen=True, slots=True)
class Bet:
    """A seat's stake on a wager, in minor units."""

    seat: int
    wager: str
    stake: int


class Line(NamedTuple):
    """What became of one bet.

    `won` is net of the stake, `returned` what the seat gets back: stake and won, the stake on a push, 0 on a loss.
    `commission` is what was taken, with a ledger what is owed. `odds` (to one) and `tier` are None unless it won.
    """

    seat: int
    wager: str
    stake: int
    result: Result
    tier: int | None
    odds: Fraction | None
    commission: int
    won: int
    returned: int


class Settlement(NamedTuple):
    """All bets of a coup, a line each in the order of the bets, and the sums."""

    lines: tuple[Line, ...]
    staked: int
    returned: int
    commission: int

    @property
    def house_net(self) -> int:
        """What the house keeps: below zero when it pays."""
        return self.staked - self.returned


def settle(paytable: Paytable, bets: Iterable[Bet], coup: Coup) -> Settlement:
    """Settle every bet on a complete coup. Raises NotPayable, UnknownWager or BadStake for the first that cannot be."""
    facts = Facts(coup)
    lines = tuple([_line(paytable, bet, facts) for bet in bets])
    staked = returned = commission = 0
    for line in lines:
        staked += line.stake
        returned += line.returned
        commission += line.commission
    return Settlement(lines, staked, returned, commission)


def check_payable(paytable: Paytable, bet: Bet) -> None:
    """Whether every win of this bet could be paid, so that no coup is left unsettled. Raises what `settle` raises."""
    wager = paytable.by_id.get(bet.wager)
    if wager is None:
        raise UnknownWager(f"{_bet_text(bet)}: no such wager")
    for tier in wager.tiers:
        winnings(paytable, wager, tier, bet.stake)


def payable_multiple(paytable: Paytable, wager: Wager) -> int:
    """The stakes that can be paid, whichever tier wins, are the multiples of this and no others."""
    rounding = wager.rounding or paytable.rounding
    return lcm(*(_payable_multiple(tier.pays, wager.commission, rounding) for tier in wager.tiers))


def _payable_multiple(pays: Fraction, commission: Fraction, rounding: Rounding) -> int:
    taken = pays * commission
    exact = rounding.mode is RoundMode.EXACT
    match rounding.of:
        case RoundOf.PAYOUT if exact:  # what is won in whole units; what commission is a part of, a whole win
            wanted = [(pays - taken) / rounding.to, pays if commission else Fraction(1)]
        case RoundOf.PAYOUT:
            wanted = []
        case RoundOf.COMMISSION:
            wanted = [pays, taken / rounding.to if exact else Fraction(1)]
    return lcm(*(each.denominator for each in wanted))


def _line(paytable: Paytable, bet: Bet, facts: Facts) -> Line:
    stake = bet.stake
    if type(stake) is not int or not 1 <= stake <= LARGEST_STAKE:
        raise BadStake(f"{_bet_text(bet)}: a stake is a whole number from 1 to {LARGEST_STAKE}")
    wager = paytable.by_id.get(bet.wager)
    if wager is None:
        raise UnknownWager(f"{_bet_text(bet)}: the paytable has {', '.join(paytable.by_id)}")
    result, number = resolve_by(wager, facts)
    if number is None:
        return Line(bet.seat, wager.id, stake, result, None, None, 0, 0, stake if result is Result.PUSH else 0)
    tier = wager.tiers[number - 1]
    try:
        won, commission = winnings(paytable, wager, tier, stake)
    except NotPayable as refusal:
        raise NotPayable(f"{_bet_text(bet)}: {refusal}") from None
    return Line(bet.seat, wager.id, stake, result, number, tier.pays, commission, won, stake + won)


def winnings(paytable: Paytable, wager: Wager, tier: Tier, stake: int) -> tuple[int, int]:
    """Won and commission of a winning stake. Raises NotPayable."""
    rounding = wager.rounding or paytable.rounding
    pays, part = tier.pays.as_integer_ratio()
    win = stake * pays  # the win before commission is win / part
    match rounding.of:
        case RoundOf.PAYOUT:
            won, commission = _payout_rounded(win, part, wager.commission, rounding)
        case RoundOf.COMMISSION:
            won, commission = _commission_rounded(win, part, wager.commission, rounding)
    return (won + commission, commission) if paytable.collect is Collect.LEDGER else (won, commission)


def _payout_rounded(win: int, part: int, commission: Fraction, rounding: Rounding) -> tuple[int, int]:
    if not commission:
        return _rounded(win, part, rounding.mode, rounding.to), 0
    taken, of = commission.as_integer_ratio()
    full = _rounded(win, part, rounding.mode, 1)
    won = _rounded(win * (of - taken), part * of, rounding.mode, rounding.to)
    return won, full - won


def _commission_rounded(win: int, part: int, commission: Fraction, rounding: Rounding) -> tuple[int, int]:
    full = _rounded(win, part, RoundMode.EXACT, 1)
    if not commission:
        return full, 0
    due = _rounded(full * commission.numerator, commission.denominator, rounding.mode, rounding.to)
    taken = min(due, full)  # commission is on the win, never on the stake
    return full - taken, taken


def _rounded(amount: int, part: int, mode: RoundMode, to: int) -> int:
    """The amount `amount / part`, zero or more, as a multiple of `to`."""
    unit = part * to
    units, rest = divmod(amount, unit)
    if rest == 0:
        return units * to
    match mode:
        case RoundMode.DOWN:
            return units * to
        case RoundMode.UP:
            return (units + 1) * to
        case RoundMode.NEAREST:
            return (units + 1) * to if 2 * rest >= unit else units * to
        case RoundMode.EXACT:
            raise NotPayable(f"{_amount_text(amount, part)} cannot be paid exactly in units of {to}")


def _amount_text(amount: int, part: int) -> str:
    exact = Fraction(amount, part)
    whole, rest = divmod(exact.numerator, exact.denominator)
    return f"{whole} {rest}/{exact.denominator}" if rest else str(whole)


def _bet_text(bet: Bet) -> str:
    return f"seat {ascii(bet.seat)[:20]}, {ascii(bet.wager)[:40]}, stake {ascii(bet.stake)[:40]}"
