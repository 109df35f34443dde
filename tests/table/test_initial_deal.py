"""Wagers that settle at the initial deal: told with the fourth card, counted once, undone with a void coup."""

import pytest
from one_table import PLAYER_WINS, betting

from controller.game.settlement import Bet, settle
from controller.game.wagers import Collect
from controller.table import inputs
from controller.table.events import CoupSettled, CoupVoided, InitialDealSettled, InitialDealUndone
from controller.table.initial_deal import initial_settlement

PAIR = "2C 3D 2H TD"
"""Player has a pair and draws."""
PAIR_OF_SIX = f"{PAIR} 5H 4S"
NATURAL_PAIR = "4C 3D 4H TD"
"""Player has a pair and a natural 8."""


def bet(**rules):
    """Seat 1 bets on the pair, seats 2 and 3 on what settles with the coup."""
    return betting(**rules).bets(1, "player-pair", 100).bets(2, "banker", 200).bets(3, "player", 50).closes()


def test_it_is_settled_in_the_same_input_as_the_fourth_card_before_anybody_draws():
    table = bet().deals("2C 3D 2H")
    assert initial_settlement(table.state) is None
    table.draws("B2 TD")
    assert table.said_names == ["CardDealt", "NaturalsChecked", "InitialDealSettled", "PlayerDrew"]
    (told,) = table.all_said(InitialDealSettled)
    assert [(line.seat, line.wager, line.won, line.returned) for line in told.settlement.lines] == [
        (1, "player-pair", 1100, 1200)
    ]
    assert (told.settlement.staked, told.settlement.returned, told.settlement.house_net) == (100, 1200, -1100)
    assert initial_settlement(table.state) == told.settlement


def test_a_lost_one_is_told_too():
    table = bet().deals("2C 3D TC TD")
    (told,) = table.all_said(InitialDealSettled)
    assert [line.returned for line in told.settlement.lines] == [0]


@pytest.mark.parametrize("wagers", [(), ("player", "banker", "tie")])
def test_without_such_a_bet_nothing_is_told(wagers):
    table = betting()
    for wager in wagers:
        table.bets(1, wager, 100)
    table.closes().deals(PAIR)
    assert table.said_names == ["CardDealt", "NaturalsChecked", "PlayerDrew"]
    assert initial_settlement(table.state) is None
    assert table.voids().said_names == ["CoupVoided", "BetsOpened"]


def test_after_a_natural_both_settlements_come_with_the_fourth_card():
    table = bet().deals(NATURAL_PAIR)
    assert table.said_names == ["CardDealt", "NaturalsChecked", "InitialDealSettled", "CoupSettled"]
    assert bet(settle_after_s=0).deals(NATURAL_PAIR).where == "betting 2"


def test_the_coups_settlement_has_the_same_line_once_and_all_sums_are_as_ever():
    table = bet().deals(PAIR_OF_SIX)
    (early,), (settled,) = table.all_said(InitialDealSettled), table.all_said(CoupSettled)
    bets = [Bet(1, "player-pair", 100), Bet(2, "banker", 200), Bet(3, "player", 50)]
    assert settled.settlement == settle(table.state.rules.paytable, bets, settled.hands)
    assert [line for line in settled.settlement.lines if line.wager == "player-pair"] == list(early.settlement.lines)
    assert len(table.confirms().all_said(InitialDealSettled)) == 1
    assert initial_settlement(table.state) is None


def test_the_bets_stay_locked_and_the_last_settled_coup_is_the_one_before():
    table = bet().deals(PLAYER_WINS).confirms()
    table.bets(1, "player-pair", 100).closes().deals(PAIR)
    assert table.state.result is None
    assert table.state.last.coup == 1
    assert table.happens(inputs.WithdrawBets, 1, "").refused == "bets-closed"
    assert table.bets(1, "player-pair", 100).refused == "bets-closed"


@pytest.mark.parametrize("cards", [PAIR, PAIR_OF_SIX, NATURAL_PAIR, "2C 3D TC TD"])
def test_a_void_undoes_it_both_ways_and_every_stake_goes_back(cards):
    table = bet().deals(cards)
    (early,) = table.all_said(InitialDealSettled)
    table.voids()
    assert table.said_names == ["InitialDealUndone", "CoupVoided", "BetsOpened"]
    assert table.all_said(InitialDealUndone) == [InitialDealUndone(1, 1, early.settlement)]
    assert table.all_said(CoupVoided)[0].returned == 350
    assert table.state.bets == ()


def test_a_void_before_the_fourth_card_has_nothing_to_undo():
    assert bet().deals("2C 3D 2H").voids().said_names == ["CoupVoided", "BetsOpened"]


def test_a_void_at_a_held_table_undoes_it_too():
    table = bet().deals(PAIR).draws("B3 9C")
    assert table.held == "wrong-target at player-rule"
    assert table.voids().said_names[:3] == ["TableResumed", "InitialDealUndone", "CoupVoided"]


def test_a_fourth_card_that_a_person_entered_settles_it_while_the_table_stays_held():
    table = bet().deals("2C 3D 2H").errs(1).enters("banker-2", "TD")
    assert table.said_names == ["CardDealt", "NaturalsChecked", "InitialDealSettled", "PlayerDrew"]
    assert table.held == "unreadable at player-rule"
    assert "InitialDealSettled" not in table.resumes().said_names


def test_a_hold_and_a_restart_in_between_do_not_settle_it_again():
    table = bet().deals(PAIR).restarts().loses_reports().resumes().draws("P3 5H", "B3 4S")
    assert (len(table.all_said(InitialDealSettled)), len(table.all_said(CoupSettled))) == (1, 1)
    assert table.replayed() == (table.state, table.events)


def test_with_a_ledger_nothing_is_owed_before_the_coup_is_confirmed():
    table = bet(collect=Collect.LEDGER).deals(PAIR)
    assert table.state.owed == ()
    assert table.voids().state.owed == ()
