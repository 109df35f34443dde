"""Settlement: what a stake wins under every rounding, what is refused, and that no unit of money is lost or made."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.cards import DECK, parse_card
from controller.game.coup import deal_coup
from controller.game.settlement import BadStake, Bet, NotPayable, UnknownWager, settle
from controller.game.wagers import (
    Collect,
    Condition,
    Paytable,
    Result,
    Rounding,
    RoundMode,
    RoundOf,
    Tier,
    Wager,
)

TIE = Condition.of({"winner": "tie"})
BANKER = Condition.of({"winner": "banker"})
BANKER_WINS = deal_coup(map(parse_card, ["2C", "9D", "TC", "TD"]))
PLAYER_WINS = deal_coup(map(parse_card, ["9C", "2D", "TC", "TD"]))
TIED = deal_coup(map(parse_card, ["9C", "9D", "TC", "TD"]))
FIVE_PERCENT = Fraction(1, 20)


def paytable(of="payout", mode="exact", to=1, pays=1, commission=FIVE_PERCENT, collect="each-win", own=None):
    wager = Wager("banker", (Tier(BANKER, Fraction(pays)),), TIE, commission, own)
    return Paytable("one wager", Collect(collect), Rounding(RoundOf(of), RoundMode(mode), to), (wager,))


def won_and_commission(table, stake):
    (line,) = settle(table, [Bet(1, "banker", stake)], BANKER_WINS).lines
    assert line.result is Result.WIN
    assert line.returned == stake + line.won
    return line.won, line.commission


@pytest.mark.parametrize(
    ("of", "mode", "to", "stake", "won", "commission"),
    [
        ("payout", "exact", 1, 100, 95, 5),
        ("payout", "down", 1, 50, 47, 3),
        ("payout", "up", 1, 50, 48, 2),
        ("payout", "nearest", 1, 50, 48, 2),
        ("payout", "nearest", 1, 49, 47, 2),
        ("payout", "down", 25, 1100, 1025, 75),
        ("payout", "up", 25, 1100, 1050, 50),
        ("payout", "nearest", 25, 1100, 1050, 50),
        ("payout", "nearest", 500, 5000, 5000, 0),
        ("payout", "exact", 25, 500, 475, 25),
        ("payout", "up", 500, 1100, 1500, -400),
        ("commission", "down", 1, 50, 48, 2),
        ("commission", "up", 1, 50, 47, 3),
        ("commission", "nearest", 1, 50, 47, 3),
        ("commission", "exact", 1, 100, 95, 5),
        ("commission", "down", 25, 1100, 1050, 50),
        ("commission", "up", 25, 1100, 1025, 75),
        ("commission", "nearest", 25, 1100, 1050, 50),
        ("commission", "nearest", 25, 1250, 1175, 75),
        ("commission", "exact", 25, 1500, 1425, 75),
        ("commission", "up", 25, 10, 0, 10),
    ],
)
def test_a_commission_win_is_rounded_by_what_and_how_the_house_says(of, mode, to, stake, won, commission):
    assert won_and_commission(paytable(of, mode, to), stake) == (won, commission)


@pytest.mark.parametrize(
    ("of", "mode", "to", "pays", "stake", "won"),
    [
        ("payout", "exact", 1, "1/2", 100, 50),
        ("payout", "down", 1, "1/2", 101, 50),
        ("payout", "up", 1, "1/2", 101, 51),
        ("payout", "nearest", 1, "1/2", 101, 51),
        ("payout", "nearest", 1, "27/50", 25, 14),
        ("payout", "nearest", 1, "27/50", 21, 11),
        ("payout", "down", 25, "1/2", 99, 25),
        ("payout", "up", 25, "1/2", 101, 75),
        ("commission", "exact", 1, "1/2", 100, 50),
        ("commission", "down", 25, "1/2", 102, 51),
        ("commission", "exact", 25, "8", 7, 56),
    ],
)
def test_a_win_without_commission_is_rounded_only_as_a_payout(of, mode, to, pays, stake, won):
    assert won_and_commission(paytable(of, mode, to, pays, Fraction(0)), stake) == (won, 0)


@pytest.mark.parametrize(
    ("of", "mode", "to", "pays", "commission", "stake"),
    [
        ("payout", "exact", 1, 1, FIVE_PERCENT, 10),
        ("payout", "exact", 25, 1, FIVE_PERCENT, 1100),
        ("payout", "exact", 1, "1/2", Fraction(0), 101),
        ("payout", "exact", 25, "1/2", Fraction(0), 102),
        ("payout", "exact", 1, "20/19", FIVE_PERCENT, 1),
        ("commission", "exact", 1, 1, FIVE_PERCENT, 10),
        ("commission", "exact", 25, 1, FIVE_PERCENT, 1100),
        ("commission", "down", 1, "1/2", Fraction(0), 101),
        ("commission", "nearest", 1, "1/2", Fraction(0), 101),
        ("commission", "up", 1, "1/2", FIVE_PERCENT, 101),
    ],
)
@pytest.mark.parametrize("collect", ["each-win", "ledger"])
def test_what_cannot_be_paid_as_the_house_says_is_refused(of, mode, to, pays, commission, stake, collect):
    table = paytable(of, mode, to, pays, commission, collect)
    with pytest.raises(NotPayable, match=f"'banker', stake {stake}: .* cannot be paid exactly in units of {to}"):
        settle(table, [Bet(1, "banker", stake)], BANKER_WINS)


def test_what_does_not_win_is_never_refused():
    table = paytable("payout", "exact", 1)
    assert settle(table, [Bet(1, "banker", 10)], PLAYER_WINS).returned == 0
    assert settle(table, [Bet(1, "banker", 10)], TIED).returned == 10


@pytest.mark.parametrize(
    ("of", "mode", "to", "stake", "owed"),
    [
        ("payout", "exact", 1, 100, 5),
        ("payout", "down", 1, 50, 3),
        ("payout", "nearest", 25, 1100, 50),
        ("commission", "down", 1, 50, 2),
        ("commission", "up", 25, 1100, 75),
    ],
)
def test_a_ledger_pays_the_full_win_and_owes_the_commission_that_would_have_been_taken(of, mode, to, stake, owed):
    assert won_and_commission(paytable(of, mode, to, collect="ledger"), stake) == (stake, owed)


def test_a_wagers_own_rounding_goes_before_the_paytables():
    own = Rounding(RoundOf.COMMISSION, RoundMode.UP, 25)
    assert won_and_commission(paytable("payout", "down", 1, own=own), 1100) == (1025, 75)


def test_each_line_is_rounded_by_itself_never_the_sum():
    settled = settle(paytable("payout", "down", 1), [Bet(1, "banker", 10), Bet(2, "banker", 10)], BANKER_WINS)
    assert [line.won for line in settled.lines] == [9, 9]
    assert (settled.staked, settled.returned, settled.commission, settled.house_net) == (20, 38, 2, -18)


def test_half_of_a_stake_beyond_what_a_float_can_hold():
    assert won_and_commission(paytable("commission", "down", 1), 2**53 + 1) == (8556839292003944, 450359962737049)


@pytest.mark.parametrize("stake", [0, -1, 2**63, True, 1.0, "100", None, Fraction(5)])
def test_a_stake_is_a_whole_number_of_minor_units(stake):
    with pytest.raises(BadStake, match="a stake is a whole number from 1 to 9223372036854775807"):
        settle(paytable(), [Bet(1, "banker", stake)], TIED)


def test_the_largest_stake_is_paid_to_the_unit():
    stake = 2**63 - 1
    assert won_and_commission(paytable(commission=Fraction(0), pays=225), stake) == (225 * stake, 0)


@pytest.mark.parametrize("wager", ["tie", "Banker", "", "bänker\n", None])
def test_a_bet_on_what_the_paytable_does_not_have_is_refused_in_one_line(wager):
    with pytest.raises(UnknownWager, match="the paytable has banker") as refusal:
        settle(paytable(), [Bet(3, wager, 100)], TIED)
    assert str(refusal.value).startswith("seat 3, ")
    assert str(refusal.value).isascii()
    assert str(refusal.value).isprintable()


def test_no_bets_settle_to_nothing():
    settled = settle(paytable(), [], BANKER_WINS)
    assert (settled.lines, settled.staked, settled.returned, settled.commission) == ((), 0, 0, 0)


AMOUNTS = st.integers(1, 10**6) | st.integers(1, 2**63 - 1)
UNITS = st.sampled_from([1, 5, 25, 100, 500])
ODDS = st.sampled_from(["1", "19/20", "1/2", "3/2", "27/50", "8", "225", "7/3"])
COMMISSIONS = st.sampled_from([Fraction(0), FIVE_PERCENT, Fraction(1, 25), Fraction(1, 3), Fraction(1)])
ROUNDED = st.sampled_from(["down", "up", "nearest"])


@given(ROUNDED, UNITS, ODDS, COMMISSIONS, AMOUNTS)
@settings(deadline=None)
def test_a_rounded_payout_is_the_nearest_multiple_on_the_houses_side(mode, to, pays, commission, stake):
    won, _ = won_and_commission(paytable("payout", mode, to, pays, commission), stake)
    exact = stake * Fraction(pays) * (1 - commission)
    assert won % to == 0
    match mode:
        case "down":
            assert exact - to < won <= exact
        case "up":
            assert exact <= won < exact + to
        case "nearest":
            assert exact - Fraction(to, 2) < won <= exact + Fraction(to, 2)


@given(ROUNDED, UNITS, COMMISSIONS, AMOUNTS)
@settings(deadline=None)
def test_a_rounded_commission_is_the_nearest_multiple_and_never_more_than_the_win(mode, to, commission, stake):
    won, taken = won_and_commission(paytable("commission", mode, to, 3, commission), stake)
    win = 3 * stake
    exact = win * commission
    assert won + taken == win
    assert 0 <= taken <= win
    match mode:
        case "down":
            assert exact - to < taken <= exact
        case "up":
            assert min(exact, win) <= taken < exact + to
        case "nearest":
            assert taken == win or exact - Fraction(to, 2) < taken <= exact + Fraction(to, 2)


@given(st.sampled_from(["payout", "commission"]), ROUNDED | st.just("exact"), UNITS, ODDS, COMMISSIONS, AMOUNTS)
@settings(deadline=None)
def test_a_ledger_and_a_collection_at_each_win_leave_the_seat_with_the_same(of, mode, to, pays, commission, stake):
    try:
        won, taken = won_and_commission(paytable(of, mode, to, pays, commission), stake)
    except NotPayable:
        with pytest.raises(NotPayable):
            won_and_commission(paytable(of, mode, to, pays, commission, "ledger"), stake)
        return
    full, owed = won_and_commission(paytable(of, mode, to, pays, commission, "ledger"), stake)
    assert (full, owed) == (won + taken, taken)
    if (stake * Fraction(pays)).denominator == 1 and commission:
        assert full == stake * Fraction(pays)


BETS = st.lists(st.builds(Bet, st.integers(1, 14), st.sampled_from(["player", "banker", "tie"]), AMOUNTS), max_size=20)
SHOES = st.lists(st.sampled_from(DECK), min_size=6, max_size=6)
MAIN = Paytable(
    "main wagers",
    Collect.EACH_WIN,
    Rounding(RoundOf.PAYOUT, RoundMode.DOWN, 1),
    (
        Wager("player", (Tier(Condition.of({"winner": "player"}), Fraction(1)),), TIE),
        Wager("banker", (Tier(BANKER, Fraction(1)),), TIE, FIVE_PERCENT),
        Wager("tie", (Tier(TIE, Fraction(8)),)),
    ),
)


@given(BETS, SHOES)
@settings(deadline=None)
def test_money_is_neither_lost_nor_made(bets, shoe):
    settled = settle(MAIN, bets, deal_coup(shoe))
    assert [(line.seat, line.wager, line.stake) for line in settled.lines] == [
        (bet.seat, bet.wager, bet.stake) for bet in bets
    ]
    assert settled.staked == sum(bet.stake for bet in bets)
    assert settled.returned == sum(line.returned for line in settled.lines)
    assert settled.house_net + settled.returned == settled.staked
    for line in settled.lines:
        match line.result:
            case Result.WIN:
                assert line.won + line.commission == line.stake * line.odds
                assert line.returned == line.stake + line.won
            case Result.PUSH:
                assert (line.won, line.commission, line.returned, line.odds, line.tier) == (
                    0,
                    0,
                    line.stake,
                    None,
                    None,
                )
            case Result.LOSE:
                assert (line.won, line.commission, line.returned, line.odds, line.tier) == (0, 0, 0, None, None)
