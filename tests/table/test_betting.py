"""Bets at a live table: every refusal has its reason, and the ledger what seats owe."""

import pytest
from one_table import FIVE_CARDS, OneTable, bets_closed, betting

from controller.game.settlement import LARGEST_STAKE, Bet
from controller.game.wagers import Collect, RoundMode
from controller.table import inputs
from controller.table.events import BetPlaced, CommissionCollected, CommissionOwed
from controller.table.rules import CloseBy, Reveal

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
    assert "at most 0 more" in table.said[0].text
    assert table.bets(2, "banker", 201).refused == "differential"
    assert "at most 200 more" in table.said[0].text
    assert table.bets(2, "banker", 200).bets(3, "tie", 5000).refused is None


def test_some_houses_bar_a_seat_from_both_sides():
    table = betting(bar_both_sides=True).bets(1, "player", 100)
    assert table.bets(1, "banker", 100).refused == "both-sides"
    assert table.bets(2, "banker", 100).bets(1, "tie", 100).refused is None
    assert betting().bets(1, "player", 100).bets(1, "banker", 100).refused is None


def test_a_stake_whose_win_could_not_be_paid_is_refused_before_the_coup():
    table = betting(mode=RoundMode.EXACT).bets(1, "banker", 50)
    assert table.refused == "not-payable"
    assert table.said[0].text.endswith("the seat's total must be a multiple of 20, such as 40")
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
