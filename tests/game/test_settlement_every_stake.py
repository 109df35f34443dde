"""Every stake under every rounding policy: pay, commission and rounding account for the win, to the last part.

What must hold is said here in whole numbers only, counted in parts of `pays.denominator * commission.denominator` to
the minor unit, so that every exact amount is one of them; it shares no step with how the settlement works it out.
"""

from fractions import Fraction
from itertools import product
from math import lcm
from typing import NamedTuple

import pytest

from controller.game.cards import parse_card
from controller.game.coup import deal_coup
from controller.game.settlement import Bet, Line, NotPayable, check_payable, payable_multiple, settle
from controller.game.wagers import Collect, Condition, Paytable, Rounding, RoundMode, RoundOf, Tier, Wager

pytestmark = pytest.mark.untraced

BANKER_WINS = deal_coup(map(parse_card, ["2C", "9D", "TC", "TD"]))
OFS, MODES, UNITS = ("payout", "commission"), ("exact", "down", "up", "nearest"), (1, 5, 25, 100, 500)
POLICIES = list(product(OFS, MODES, UNITS))
EVERY_STAKE = 1_000_000


class Terms(NamedTuple):
    """What a wager pays to one, which part of it is commission, and the parts of a minor unit that make both whole."""

    pays: Fraction
    commission: Fraction
    parts: int


def terms(pays: str, commission: str = "0") -> Terms:
    odds, part = Fraction(pays), Fraction(commission)
    return Terms(odds, part, odds.denominator * part.denominator)


BANKER = terms("1", "1/20")
TERMS = {
    "1:1 less 5 %": BANKER,
    "1:1 less 4 %": terms("1", "1/25"),
    "1:2 less 50 %": terms("1/2", "1/2"),
    "1:1": terms("1"),
    "1:2": terms("1/2"),
    "3:2": terms("3/2"),
    "19:20": terms("19/20"),
    "7:3": terms("7/3"),
}


def paytable(wager: Terms, of: str, mode: str, to: int, collect: str = "each-win") -> Paytable:
    tier = Tier(Condition.of({"winner": "banker"}), wager.pays)
    rounding = Rounding(RoundOf(of), RoundMode(mode), to)
    return Paytable("it", Collect(collect), rounding, (Wager("it", (tier,), commission=wager.commission),))


def is_payable(wager: Terms, of: str, mode: str, to: int, stake: int) -> bool:
    """Whole minor units before commission wherever these count, and whole units of what is rounded under `exact`."""
    win = stake * wager.pays.numerator * wager.commission.denominator
    taken = stake * wager.pays.numerator * wager.commission.numerator
    whole = win % wager.parts == 0
    if of == "commission":
        return whole and (mode != "exact" or taken % (to * wager.parts) == 0)
    return mode != "exact" or ((whole or not taken) and (win - taken) % (to * wager.parts) == 0)


def check(wager: Terms, of: str, mode: str, to: int, line: Line) -> None:
    """What must hold of a win that was paid."""
    parts, stake, won, commission = wager.parts, line.stake, line.won, line.commission
    assert (type(won), type(commission), type(line.returned)) == (int, int, int), "nobody is paid a fraction"
    assert line.returned == stake + won
    win = stake * wager.pays.numerator * wager.commission.denominator
    taken = stake * wager.pays.numerator * wager.commission.numerator
    rounding = win - (won + commission) * parts  # the win is what is paid, what is taken, and this
    if of == "commission":
        assert rounding == 0
        assert 0 <= commission * parts <= win
        if commission * parts < win:  # else all of the win is taken: more is never due
            assert commission % to == 0
            in_direction(mode, taken - commission * parts, to * parts)
        else:
            assert taken + to * parts > win
    else:
        assert won % to == 0
        in_direction(mode, win - taken - won * parts, to * parts)
        assert commission == 0 or taken, "who knows no commission is taken none"
        in_direction(mode, rounding, parts if taken else to * parts)


def in_direction(mode: str, remainder: int, unit: int) -> None:
    """What was exact and is not paid: less than a unit, and on the side that the mode says."""
    match mode:
        case "exact":
            assert remainder == 0
        case "down":
            assert 0 <= remainder < unit
        case "up":
            assert -unit < remainder <= 0
        case _:
            assert -unit <= 2 * remainder < unit, "nearest, halves up"


def sweep(wager: Terms, of: str, mode: str, to: int, stakes: range) -> None:
    """Settle all of them at once; what cannot be paid is refused one by one."""
    table = paytable(wager, of, mode, to)
    bets = []
    for stake in stakes:
        bet = Bet(1, "it", stake)
        if is_payable(wager, of, mode, to, stake):
            bets.append(bet)
        else:
            assert is_refused(table, bet)
    settled = settle(table, bets, BANKER_WINS)
    assert len(settled.lines) == len(bets)
    for line in settled.lines:
        check(wager, of, mode, to, line)
    assert settled.returned == sum(line.returned for line in settled.lines)
    assert settled.commission == sum(line.commission for line in settled.lines)


def is_refused(table: Paytable, bet: Bet) -> bool:
    try:
        check_payable(table, bet)
    except NotPayable:
        return True
    return False


def residues(wager: Terms, of: str, to: int) -> range:
    """A stake of every residue: after so many, win and commission are whole units again and all begins anew."""
    rounds_only_commission = of == "commission" and not wager.commission
    return range(1, lcm(wager.parts * (1 if rounds_only_commission else to), 20) + 1)


@pytest.mark.parametrize("name", TERMS)
def test_win_commission_and_rounding_add_up_for_every_residue(name: str) -> None:
    for of, mode, to in POLICIES:
        stakes = residues(TERMS[name], of, to)
        assert len(stakes) <= 20_000
        sweep(TERMS[name], of, mode, to, stakes)


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("stakes", [range(999_901, 1_000_001), range(2**63 - 100, 2**63)], ids=["million", "largest"])
def test_and_far_from_the_first_residues(name: str, stakes: range) -> None:
    for policy in POLICIES:
        sweep(TERMS[name], *policy, stakes)


@pytest.mark.parametrize("name", TERMS)
def test_the_stakes_that_can_be_paid_are_the_multiples_of_one_number(name: str) -> None:
    for policy in POLICIES:
        table = paytable(TERMS[name], *policy)
        multiple = payable_multiple(table, table.wagers[0])
        for stake in (*range(1, 210), *range(19_800, 20_001), multiple, 7 * multiple, multiple + 1):
            assert is_payable(TERMS[name], *policy, stake) == (stake % multiple == 0)


def test_a_stake_must_be_payable_by_every_tier() -> None:
    tiers = tuple(Tier(Condition.of({"winner": "banker"}), Fraction(pays)) for pays in ("1/2", "1/3", "8"))
    table = Paytable("it", Collect.EACH_WIN, Rounding(), (Wager("it", tiers),))
    assert payable_multiple(table, table.wagers[0]) == 6


@pytest.mark.parametrize("of", OFS)
def test_a_ledger_owes_what_would_have_been_taken_and_the_seat_ends_with_the_same(of: str) -> None:
    for mode, to in product(("down", "up", "nearest"), (1, 25, 100)):
        bets = [Bet(1, "it", stake) for stake in residues(BANKER, of, to)]
        at_once, later = (
            settle(paytable(BANKER, of, mode, to, collect), bets, BANKER_WINS) for collect in ("each-win", "ledger")
        )
        assert later.commission == at_once.commission
        assert later.returned - later.commission == at_once.returned


@pytest.mark.parametrize(
    ("policy", "stake", "changes"),
    [
        (("payout", "down", 25), 1100, {"won": 1050, "returned": 2150, "commission": 50}),
        (("payout", "down", 25), 1100, {"won": 1000, "returned": 2100, "commission": 100}),
        (("payout", "up", 25), 1100, {"won": 1025, "returned": 2125, "commission": 75}),
        (("payout", "nearest", 1), 50, {"won": 47, "returned": 97, "commission": 3}),
        (("payout", "down", 1), 50, {"commission": 2}),
        (("payout", "down", 1), 50, {"returned": 98}),
        (("payout", "down", 1), 50, {"won": 47.5, "returned": 97.5, "commission": 2.5}),
        (("commission", "nearest", 1), 50, {"won": 48, "returned": 98, "commission": 2}),
        (("commission", "down", 25), 1100, {"won": 1025, "returned": 2125, "commission": 75}),
        (("commission", "up", 25), 10, {"won": 5, "returned": 15, "commission": 5}),
    ],
)
def test_what_is_said_here_can_fail(policy: tuple[str, str, int], stake: int, changes: dict[str, object]) -> None:
    (line,) = settle(paytable(BANKER, *policy), [Bet(1, "it", stake)], BANKER_WINS).lines
    check(BANKER, *policy, line)
    with pytest.raises(AssertionError):
        check(BANKER, *policy, line._replace(**changes))


@pytest.mark.long
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: "-".join(map(str, policy)))
@pytest.mark.parametrize("name", ["1:1 less 5 %", "3:2"])
def test_for_every_stake_to_a_million(name: str, policy: tuple[str, str, int]) -> None:
    for first in range(1, EVERY_STAKE + 1, 50_000):
        sweep(TERMS[name], *policy, range(first, first + 50_000))
