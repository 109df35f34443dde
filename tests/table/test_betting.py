"""Bets at a live table: every refusal has its reason, and the ledger what seats owe."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_table import FIVE_CARDS, WAGERS, OneTable, bets_closed, betting

from controller.game.settlement import LARGEST_STAKE, Bet
from controller.game.wagers import Collect, Paytable, Rounding, RoundMode, RoundOf
from controller.table import inputs
from controller.table.events import BetPlaced, CommissionCollected, CommissionOwed
from controller.table.rules import CloseBy, Reveal
from controller.table.stakes import fitting, nearest

LIMITS = (("player", 100, 1000, 50), ("banker", 100, 1000, 50), ("tie", 10, 500))


def test_stakes_on_one_spot_add_up():
    table = betting().bets(1, "tie", 100).bets(2, "tie", 7).bets(1, "tie", 50)
    assert table.said == (BetPlaced(1, "tie", 50, 150),)
    assert sorted(table.state.bets, key=str) == [Bet(1, "tie", 150), Bet(2, "tie", 7)]


@pytest.mark.parametrize(
    ("seat", "wager", "stake", "refusal"),
    [
        (4, "player", 100, "unknown-seat"),
        (0, "player", 100, "unknown-seat"),
        (1, "dragon-7", 100, "unknown-wager"),
        (1, "", 100, "unknown-wager"),
        (1, "tie", 0, "bad-stake"),
        (1, "tie", -100, "bad-stake"),
        (1, "tie", LARGEST_STAKE + 1, "bad-stake"),
        (1, "player", 50, "below-minimum"),
        (1, "player", 1050, "above-maximum"),
        (1, "player", 125, "not-multiple"),
        (1, "player", 100, None),
        (1, "player", 1000, None),
        (1, "tie", 13, None),
        (1, "player-pair", LARGEST_STAKE, None),
    ],
)
def test_what_may_be_bet(seat, wager, stake, refusal):
    assert betting(limits=LIMITS).bets(seat, wager, stake).refused == refusal


def test_limits_are_for_the_seats_total():
    table = betting(limits=LIMITS).bets(1, "player", 900).bets(1, "player", 150)
    assert table.refused == "above-maximum"
    assert table.bets(1, "player", 50).bets(2, "player", 1000).refused is None


def test_a_total_that_no_settlement_could_hold():
    assert betting().bets(1, "tie", LARGEST_STAKE).bets(1, "tie", 1).refused == "above-maximum"


def test_the_differential_limits_player_against_banker():
    table = betting(differential=100).bets(1, "player", 100)
    assert table.bets(2, "player", 1).refused == "differential"
    assert table.said[0].text == "Player and Banker may differ by 100: no stake would be taken here now"
    assert table.bets(2, "banker", 201).refused == "differential"
    assert table.said[0].text == "Player and Banker may differ by 100: 200 would be taken"
    assert table.bets(2, "banker", 200).bets(3, "tie", 5000).refused is None


def test_some_houses_bar_a_seat_from_both_sides():
    table = betting(bar_both_sides=True).bets(1, "player", 100)
    assert table.bets(1, "banker", 100).refused == "both-sides"
    assert table.bets(2, "banker", 100).bets(1, "tie", 100).refused is None
    assert betting().bets(1, "player", 100).bets(1, "banker", 100).refused is None


def test_a_stake_whose_win_could_not_be_paid_is_refused_before_the_coup():
    table = betting(mode=RoundMode.EXACT).bets(1, "banker", 50)
    assert table.refused == "not-payable"
    assert table.said[0].text.endswith("the seat's total must be a multiple of 20: 40 or 60 would be taken")
    assert table.bets(1, "banker", 20).bets(1, "banker", 50).refused == "not-payable"


@pytest.mark.parametrize("table", [OneTable, bets_closed])
def test_no_bet_but_while_bets_are_open(table):
    assert table().bets(1, "tie", 100).refused == "bets-closed"
    assert table().happens(inputs.WithdrawBets, 1, "").refused == "bets-closed"


def test_while_betting_stakes_are_taken_back():
    table = betting().bets(1, "tie", 100).bets(1, "player", 50).bets(2, "tie", 7)
    table.happens(inputs.WithdrawBets, 1, "tie")
    assert set(table.state.bets) == {Bet(1, "player", 50), Bet(2, "tie", 7)}
    assert table.happens(inputs.WithdrawBets, 1, "").state.bets == (Bet(2, "tie", 7),)
    assert table.happens(inputs.WithdrawBets, 1, "").refused == "no-bet"


def test_reopened_bets_are_still_there():
    table = betting().bets(1, "tie", 100).closes().happens(inputs.OpenBets).bets(1, "tie", 50).closes()
    assert table.state.bets == (Bet(1, "tie", 150),)


def test_with_close_first_card_bets_stand_when_the_card_comes():
    table = betting(close_by=CloseBy.FIRST_CARD).bets(1, "tie", 100).draws("P1 2C")
    assert table.said[0].staked == 100
    assert table.bets(1, "tie", 100).refused == "bets-closed"


# What a refusal names is taken

UNEVEN = (("player", 50, 1000, 30), ("banker", 50, 1000, 10))


@pytest.mark.parametrize(
    ("before", "bet", "text"),
    [
        ([], (1, "banker", 50), "the seat's total must be a multiple of 20: 60 would be taken"),
        ([], (1, "banker", 10), "the minimum is 50 a seat on banker, this makes 10: 60 would be taken"),
        ([], (1, "banker", 70), "the seat's total must be a multiple of 20: 60 or 80 would be taken"),
        ([], (1, "banker", LARGEST_STAKE), f"banker, this makes {LARGEST_STAKE}: 1000 would be taken"),
        ([], (1, "banker", LARGEST_STAKE + 1), "above zero, of 63 bits at most: 1000 would be taken"),
        ([], (1, "banker", 0), "above zero, of 63 bits at most: 60 would be taken"),
        ([], (1, "player", 20), "the minimum is 50 a seat on player, this makes 20: 60 would be taken"),
        ([], (1, "player", 5000), "the maximum is 1000 a seat on player, this makes 5000: 990 would be taken"),
        ([(1, "banker", 60)], (1, "banker", 10), "the seat's total must be a multiple of 20: 20 would be taken"),
        ([(1, "banker", 60)], (1, "banker", LARGEST_STAKE), "940 would be taken"),
        ([(1, "banker", 1000)], (1, "banker", 20), "this makes 1020: no stake would be taken here now"),
        ([(1, "player", 90)], (2, "banker", 600), "Player and Banker may differ by 225: 300 would be taken"),
    ],
)
def test_a_refusal_names_the_nearest_stakes_that_are_taken(before, bet, text):
    table = betting(mode=RoundMode.EXACT, limits=UNEVEN, differential=None if bet[2] != 600 else 225)
    for each in before:
        assert table.bets(*each).refused is None
    assert table.bets(*bet).said[0].text.endswith(text)


AMOUNTS = st.integers(1, 60) | st.integers(1, 10**6) | st.sampled_from([LARGEST_STAKE, LARGEST_STAKE - 7])


@st.composite
def limited_tables(draw):
    """A table with limits of any kind, and bets on it as far as they were taken."""
    limits = []
    for wager in ("player", "banker", "tie"):
        low, high = sorted((draw(AMOUNTS), draw(AMOUNTS)))
        limits += [(wager, low, high, draw(st.sampled_from((1, 10, 15, 30, 100)) | AMOUNTS))] * draw(st.booleans())
    table = betting(
        limits=limits,
        mode=draw(st.sampled_from((RoundMode.EXACT, RoundMode.DOWN))),
        differential=draw(st.none() | AMOUNTS),
        bar_both_sides=draw(st.booleans()),
    )
    for seat, wager, stake in draw(st.lists(st.tuples(SEATS, SPOTS, AMOUNTS), max_size=5)):
        near = nearest(fitting(table.state, seat, wager), stake)
        table.bets(seat, wager, near[0] if near else stake)
    return table


SEATS = st.sampled_from((1, 2, 3))
SPOTS = st.sampled_from(("player", "banker", "tie", "player-pair"))


@given(limited_tables(), SEATS, SPOTS, AMOUNTS | st.integers(-3, 400) | st.just(LARGEST_STAKE + 1))
def test_the_stakes_that_a_refusal_names_are_taken_and_none_nearer(table, seat, wager, stake):
    before, fits = table.state, fitting(table.state, seat, wager)
    assert (table.bets(seat, wager, stake).refused is None) == (stake in fits)
    if table.refused is None:
        return
    named = re.search(r"(\d+)(?: or (\d+))? would be taken$", table.said[0].text)
    near = tuple(int(number) for number in named.groups() if number) if named else ()
    assert near == nearest(fits, stake)
    for number in near:
        assert OneTable(before).bets(seat, wager, number).refused is None
    for close in range(stake - 40, stake + 40):
        if near and abs(close - stake) < min(abs(number - stake) for number in near):
            assert OneTable(before).bets(seat, wager, close).refused is not None
    if not near:
        assert table.refused == "both-sides" or table.said[0].text.endswith("no stake would be taken here now")
        assert all(OneTable(before).bets(seat, wager, any_stake).refused for any_stake in range(1, 100))


# The differential holds whatever is taken back

PAIR = (("player", 10, 2000), ("banker", 10, 2000))


def balanced(**rules):
    """Banker has 980 more than Player, and may have 1015 more."""
    table = betting(**{"differential": 1015, "limits": PAIR} | rules).bets(1, "player", 150).bets(14, "player", 120)
    table.bets(3, "banker", 100).bets(2, "banker", 1150)
    return table


def test_a_bet_that_keeps_the_differential_is_not_taken_back():
    table = balanced(seats=(1, 2, 3, 14))
    assert table.happens(inputs.WithdrawBets, 1, "player").refused == "differential"
    assert table.said[0].text == (
        "without them banker would have 1130 more than player and may have 1015: first 115 more of seat 2 on player; "
        "or close the bets and void the coup, that gives all stakes back"
    )
    assert table.happens(inputs.WithdrawBets, 14, "").refused == "differential"
    assert table.bets(2, "player", 115).happens(inputs.WithdrawBets, 1, "player").refused is None


def test_the_side_that_has_more_may_go_and_a_seat_takes_back_both_sides_at_once():
    table = balanced(seats=(1, 2, 3, 14)).bets(1, "banker", 30)
    assert table.happens(inputs.WithdrawBets, 2, "").refused is None
    assert table.happens(inputs.WithdrawBets, 1, "").refused is None


def test_where_nobody_can_bet_more_a_void_gives_all_back():
    table = betting(differential=50, seats=(1, 2), bar_both_sides=True)
    for stake in (50, 50):
        table.bets(1, "player", stake).bets(2, "banker", stake)
    assert table.happens(inputs.WithdrawBets, 1, "").said[0].text == (
        "without them banker would have 100 more than player and may have 50: "
        "close the bets and void the coup, that gives all stakes back"
    )
    assert table.closes().voids().said[0].returned == 200
    assert (table.where, table.state.bets) == ("betting 2", ())


@given(limited_tables(), st.lists(st.tuples(SEATS, st.sampled_from(("", "player", "banker"))), max_size=6))
def test_no_coup_is_dealt_with_the_differential_broken(table, gone):
    """And the stake that a refused withdrawal asks for first is taken, and then it is not refused."""
    for seat, wager in gone:
        table.happens(inputs.WithdrawBets, seat, wager)
        first = re.search(r"first (\d+) more of seat (\d+) on (\w+)", getattr(table.said[0], "text", ""))
        if first:
            asked = OneTable(table.state).bets(int(first[2]), first[3], int(first[1]))
            assert asked.refused is None
            assert asked.happens(inputs.WithdrawBets, seat, wager).refused is None
    table.closes().deals(FIVE_CARDS)
    assert table.phase == "settling"


# The ledger


def test_with_a_ledger_commission_is_owed_from_the_confirm_on():
    table = betting(collect=Collect.LEDGER).bets(3, "banker", 100).bets(1, "banker", 60).bets(2, "tie", 10)
    table.closes().deals(FIVE_CARDS)
    assert table.state.owed == ()
    table.confirms()
    assert table.all_said(CommissionOwed) == [CommissionOwed(3, 5, 5), CommissionOwed(1, 3, 3)]
    assert table.state.owed == ((1, 3), (3, 5))
    table.bets(3, "banker", 200).plays(FIVE_CARDS)
    assert table.state.owed == ((1, 3), (3, 15))
    assert table.happens(inputs.CollectCommission, 3).said == (CommissionCollected(3, 15),)
    assert table.state.owed == ((1, 3),)


def test_a_seat_whose_commissions_even_out_owes_nothing_and_does_not_keep_the_shoe():
    """Of 9.50 to the nearest 25 nothing is won, of 38 is won 50: 10 are owed, and then 10 less than nothing."""
    rounding = Rounding(RoundOf.PAYOUT, RoundMode.NEAREST, 25)
    table = betting(paytable=Paytable("to 25", Collect.LEDGER, rounding, WAGERS))
    table.bets(1, "banker", 10).plays(FIVE_CARDS)
    assert table.state.owed == ((1, 10),)
    table.bets(1, "banker", 40).plays(FIVE_CARDS)
    assert table.all_said(CommissionOwed)[-1] == CommissionOwed(1, -10, 0)
    assert table.state.owed == ()
    assert table.happens(inputs.CollectCommission, 1).refused == "nothing-owed"
    assert table.happens(inputs.EndShoe).refused is None


def test_rounding_for_the_players_can_leave_the_house_owing():
    rounding = Rounding(RoundOf.PAYOUT, RoundMode.NEAREST, 25)
    table = betting(paytable=Paytable("to 25", Collect.LEDGER, rounding, WAGERS)).bets(1, "banker", 40)
    assert table.plays(FIVE_CARDS).state.owed == ((1, -10),)
    assert table.happens(inputs.EndShoe).refused == "ledger-open"
    assert table.said[0].text == "commission is owed: the house owes seat 1 10; collect it first (collect SEAT)"
    assert table.happens(inputs.CollectCommission, 1).happens(inputs.EndShoe).phase == "shoe-ended"


def test_a_void_coup_owes_nothing():
    table = betting(collect=Collect.LEDGER).bets(3, "banker", 100).closes().deals(FIVE_CARDS).voids()
    assert table.state.owed == ()


def test_commission_can_be_collected_at_a_held_table_and_after_the_shoe():
    table = betting(collect=Collect.LEDGER).bets(3, "banker", 100).plays(FIVE_CARDS).loses_reports()
    assert table.happens(inputs.CollectCommission, 3).refused is None


# The reveal


def test_the_dealer_reveals_what_lies_on_the_table():
    table = bets_closed(reveal=Reveal.DEALER).draws("P1 2C", "B1 3D").happens(inputs.RevealCards)
    assert table.state.revealed == (1, 1)
    assert table.happens(inputs.RevealCards).refused == "not-now"
    assert bets_closed().draws("P1 2C").happens(inputs.RevealCards).refused == "not-now"
