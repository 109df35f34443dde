"""Phase by phase: what a table waits for, and where it goes on to."""

import pytest
from one_table import (
    BY_FIRST_CARD,
    FIVE_CARDS,
    PLAYER_WINS,
    SIX_CARDS,
    OneTable,
    bets_closed,
    betting,
    burning,
    dealt,
    house,
    shoe_ended,
)

from controller.game.shoe import BurnBy, BurnRule
from controller.game.wagers import Collect
from controller.table import inputs
from controller.table.events import BankerDrew, BankerStood, BetsClosed, ClosedBy, CoupSettled, PlayerDrew, ShoeEnded
from controller.table.inputs import LinkState
from controller.table.rules import CloseBy, EmptyCoup

# no-shoe


def test_a_new_table_has_no_shoe_and_waits_for_one():
    table = OneTable()
    assert (table.phase, table.state.shoe) == ("no-shoe", 0)
    assert table.shoe_starts().where == "betting 1"
    assert table.state.shoe == 1


def test_the_shoe_itself_may_start_it():
    assert OneTable(burn=BY_FIRST_CARD).powers_on().phase == "burning"
    assert OneTable().powers_on().where == "betting 1"


def test_a_second_start_is_refused():
    assert betting().shoe_starts().refused == "not-now"


# burning


def test_burn_by_first_card_opens_bets_by_itself_once_all_are_out():
    table = burning().draws("first 1 3H", "burn 1 ??", "burn 2 ??")
    assert table.phase == "burning"
    assert table.draws("burn 3 ??").where == "betting 1"
    assert table.out == 4
    assert table.said_names == ["CardBurned", "BurnCompleted", "BetsOpened"]


@pytest.mark.parametrize(("card", "due"), [("AS", 1), ("9C", 9), ("TD", 10), ("KH", 10)])
def test_the_first_card_says_how_many_burn(card, due):
    table = burning().draws(f"first 1 {card}")
    for number in range(1, due + 1):
        assert table.phase == "burning"
        table.draws(f"burn {number} ??")
    assert (table.where, table.out) == ("betting 1", due + 1)


def test_a_house_may_count_the_ace_eleven():
    table = burning(burn=BurnRule(BurnBy.FIRST_CARD, ace=11)).draws("first 1 AS")
    assert table.state.burn_due == 11


@pytest.mark.parametrize(("rule", "due"), [(BurnRule(BurnBy.FIXED, 3), 3), (BurnRule(BurnBy.DECKS), 8)])
def test_other_burns_have_no_first_card(rule, due):
    table = burning(burn=rule).draws(*(f"burn {number} ??" for number in range(1, due)))
    assert table.phase == "burning"
    assert table.draws(f"burn {due} 4C").where == "betting 1"
    assert (table.out, table.out_of("4C")) == (due, 1)


def test_the_shoes_own_count_of_the_burn_is_compared_and_not_needed():
    table = burning().draws("first 1 2H", "count 2", "burn 1 ??", "burn 2 ??")
    assert table.where == "betting 1"
    assert burning().draws("count 2", "first 1 2H").held is None


# betting


def test_bets_close_by_the_dealer():
    table = betting().bets(1, "banker", 100).closes()
    assert table.phase == "bets-closed"
    assert table.said == (BetsClosed(1, ClosedBy.DEALER, 100),)


def test_bets_close_by_the_timer_which_the_table_asks_to_be_woken_for():
    table = betting(close_by=CloseBy.TIMER, betting_s=20)
    assert table.state.next_tick_ms() == 20_000
    assert table.passes(19).phase == "betting"
    assert table.passes(1).phase == "bets-closed"
    assert table.all_said(BetsClosed)[0].by is ClosedBy.TIMER


def test_with_close_first_card_the_card_closes_them_and_dealing_begins():
    table = betting(close_by=CloseBy.FIRST_CARD).draws("P1 7C")
    assert (table.phase, table.hands) == ("dealing", "Player 7C Banker -")
    assert table.said_names == ["BetsClosed", "CardDealt"]


def test_the_dealer_may_close_before_the_first_card_too():
    assert betting(close_by=CloseBy.FIRST_CARD).closes().draws("P1 7C").phase == "dealing"


def test_a_coup_without_bets_is_an_ordinary_coup():
    assert betting().plays(PLAYER_WINS).where == "betting 2"


def test_some_houses_deal_no_coup_without_a_bet():
    table = betting(empty_coup=EmptyCoup.REFUSE)
    assert table.closes().refused == "no-wagers"
    assert table.bets(1, "tie", 100).closes().phase == "bets-closed"


def test_the_timer_of_such_a_house_begins_anew():
    table = betting(empty_coup=EmptyCoup.REFUSE, close_by=CloseBy.TIMER)
    assert table.passes(45).phase == "betting"
    assert table.bets(1, "tie", 100).passes(15).phase == "bets-closed"


def test_a_timed_betting_period_begins_anew_after_a_restart():
    table = betting(close_by=CloseBy.TIMER).passes(15).restarts().passes(19)
    assert table.phase == "betting"
    assert table.passes(1).phase == "bets-closed"


# bets-closed


def test_bets_open_again_while_no_card_is_out():
    table = bets_closed().happens(inputs.OpenBets)
    assert (table.where, table.said_names) == ("betting 1", ["BetsReopened"])
    assert table.closes().draws("P1 7C").happens(inputs.OpenBets).refused == "card-out"


def test_no_bet_once_bets_are_closed():
    assert bets_closed().bets(1, "tie", 100).refused == "bets-closed"


@pytest.mark.parametrize("nothing", ["noted", "power", "overdrawn", "restart", "tick", "link"])
def test_only_players_first_card_begins_a_coup(nothing):
    table = bets_closed()
    match nothing:
        case "noted":
            table.happens(inputs.ShoeNoted, "stand by")
        case "power":
            table.powers_on()
        case "overdrawn":
            table.overdraws("4C")
        case "restart":
            table.restarts()
        case "tick":
            table.passes(100)
        case "link":
            table.unplugs().plugs_in().resumes()
    assert (table.where, table.hands) == ("bets-closed 1", "Player - Banker -")


# dealing to settling


def test_a_coup_of_six_cards_step_by_step():
    table = bets_closed()
    seen = [(table.draws(card).phase, table.said_names[1:]) for card in ("P1 2C", "B1 3D", "P2 TC")]
    assert seen == [("dealing", [])] * 3
    table.draws("B2 TD")
    assert (table.phase, table.said_names) == ("player-rule", ["CardDealt", "NaturalsChecked", "PlayerDrew"])
    assert str(table.state.due) == "player-3"
    table.draws("P3 5H")
    assert (table.phase, table.said_names) == ("banker-rule", ["CardDealt", "BankerDrew"])
    assert str(table.state.due) == "banker-3"
    table.draws("B3 4S")
    assert (table.phase, table.said_names, table.state.due) == ("settling", ["CardDealt", "CoupSettled"], None)


def test_when_player_stands_the_table_decides_and_moves_on_in_the_same_input():
    table = dealt("6C 5D TC TD")
    assert table.phase == "banker-rule"
    assert table.said_names == ["CardDealt", "NaturalsChecked", "PlayerStood", "BankerDrew"]


def test_a_natural_ends_the_coup_with_four_cards():
    table = dealt(PLAYER_WINS)
    assert (table.phase, table.said_names) == ("settling", ["CardDealt", "NaturalsChecked", "CoupSettled"])


def test_both_stand():
    assert dealt("6C 7D TC TD").said_names[2:] == ["PlayerStood", "BankerStood", "CoupSettled"]


def test_banker_stands_on_players_third_card():
    table = dealt("2C 3D TC TD 8H")
    assert table.all_said(PlayerDrew) == [PlayerDrew(2)]
    assert table.all_said(BankerStood) == [BankerStood(3, 8)]
    assert not table.all_said(BankerDrew)


# settling


def test_confirm_opens_the_bets_of_the_next_coup():
    table = dealt(SIX_CARDS).confirms()
    assert (table.where, table.hands, table.state.bets) == ("betting 2", "Player - Banker -", ())
    assert table.state.last.coup == 1


def test_every_bet_is_settled_as_the_paytable_says():
    table = betting().bets(1, "banker", 100).bets(2, "tie", 10).bets(3, "player", 7).closes().deals(FIVE_CARDS)
    (settled,) = table.all_said(CoupSettled)
    assert [(line.seat, line.returned) for line in settled.settlement.lines] == [(1, 195), (2, 0), (3, 0)]
    assert settled.settlement.commission == 5


@pytest.mark.parametrize("order", [inputs.CloseBets, inputs.OpenBets, inputs.RevealCards])
def test_settling_ends_by_confirm_alone(order):
    table = dealt(SIX_CARDS).happens(order)
    assert (table.phase, table.refused) == ("settling", "not-now")


def test_settling_may_end_by_itself_after_some_seconds():
    table = dealt(SIX_CARDS, settle_after_s=5).passes(4)
    assert table.phase == "settling"
    assert table.passes(1).where == "betting 2"


def test_after_0_seconds_it_ends_in_the_same_input():
    table = dealt(SIX_CARDS, settle_after_s=0)
    assert table.where == "betting 2"
    assert table.said_names == ["CardDealt", "CoupSettled", "CoupConfirmed", "BetsOpened"]


def test_the_time_to_settle_begins_anew_after_a_restart_and_after_a_hold():
    assert dealt(SIX_CARDS, settle_after_s=5).passes(3).restarts().passes(4).phase == "settling"
    table = dealt(SIX_CARDS, settle_after_s=5).passes(3).draws("B3 9H").passes(60).resumes().passes(4)
    assert table.phase == "settling"
    assert table.passes(1).where == "betting 2"


# shoe-ended


def test_an_ended_shoe_waits_for_the_next_which_has_the_next_number_and_begins_with_coup_1():
    table = betting().plays(PLAYER_WINS).plays(SIX_CARDS).happens(inputs.EndShoe)
    assert table.phase == "shoe-ended"
    table.shoe_starts()
    assert (table.where, table.state.shoe, table.out) == ("betting 1", 2, 0)


def test_an_ended_shoe_keeps_the_last_coup_in_view():
    table = betting().plays(PLAYER_WINS).happens(inputs.EndShoe)
    assert (table.state.last.coup, table.state.road) == (1, ("PN",))
    assert table.said == (ShoeEnded(1, 1, 0),)


def test_without_a_cut_card_a_shoe_that_is_switched_on_is_only_noted():
    assert shoe_ended().powers_on().phase == "shoe-ended"


# end-shoe


@pytest.mark.parametrize("closed", [False, True])
def test_end_shoe_between_coups_gives_the_stakes_back(closed):
    table = betting().bets(1, "tie", 70)
    table = table.closes() if closed else table
    table.happens(inputs.EndShoe)
    assert (table.phase, table.said[-1].returned, table.state.bets) == ("shoe-ended", 70, ())


def test_end_shoe_in_settling_acts_after_the_confirm():
    table = dealt(SIX_CARDS).happens(inputs.EndShoe)
    assert table.phase == "settling"
    assert table.confirms().phase == "shoe-ended"


@pytest.mark.parametrize("table", [OneTable, burning, lambda: dealt("2C"), lambda: dealt("2C 3D TC TD"), shoe_ended])
def test_end_shoe_is_refused_elsewhere(table):
    assert table().happens(inputs.EndShoe).refused == "not-now"


def test_end_shoe_is_refused_while_a_seat_owes():
    table = betting(collect=Collect.LEDGER).bets(3, "banker", 100).plays(FIVE_CARDS)
    assert table.state.owed == ((3, 5),)
    assert table.happens(inputs.EndShoe).refused == "ledger-open"
    assert table.happens(inputs.CollectCommission, 2).refused == "nothing-owed"
    assert table.happens(inputs.CollectCommission, 3).happens(inputs.EndShoe).phase == "shoe-ended"


# void (fault 77)


@pytest.mark.parametrize(
    "cards",
    ["", "2C", "2C 3D", "2C 3D TC", "2C 3D TC TD", "2C 3D TC TD 5H", SIX_CARDS],
    ids=lambda cards: cards or "none",
)
def test_fault_77_void_from_bets_closed_to_settling_gives_the_stakes_back_and_uses_up_the_number(cards):
    table = betting().bets(1, "banker", 100).closes().deals(cards).voids()
    assert (table.where, table.state.bets, table.hands) == ("betting 2", (), "Player - Banker -")
    assert table.out == len(cards.split())
    assert table.said[0].returned == 100
    assert table.state.road == ()
    assert table.plays(PLAYER_WINS).where == "betting 3"


@pytest.mark.parametrize("table", [OneTable, burning, betting, shoe_ended])
def test_fault_77_elsewhere_there_is_no_coup_to_void(table):
    assert table().voids().refused == "not-now"


# the timers, the links, the silence


def test_fault_7_a_card_is_due_and_the_shoe_is_silent_a_notice_and_no_hold():
    table = bets_closed(quiet_s=30).passes(29)
    assert not table.state.quiet
    table.passes(1)
    assert (table.state.quiet, table.held, table.said_names) == (True, None, ["ShoeQuiet"])
    assert table.state.next_tick_ms() is None
    assert not table.draws("P1 2C").state.quiet


def test_the_silence_counts_from_when_a_card_became_due():
    table = betting(quiet_s=30).passes(100).closes().passes(29)
    assert not table.state.quiet
    assert table.passes(1).state.quiet


def test_silence_is_no_fault_while_bets_are_open():
    assert betting().state.next_tick_ms() is None


def test_other_rules_wait_for_the_next_shoe():
    table = betting().restarts(house(identity="rules-2", decks=6))
    assert table.state.rules.identity == "rules-1"
    table.happens(inputs.EndShoe).shoe_starts()
    assert (table.state.rules.identity, table.state.inventory.decks) == ("rules-2", 6)


def test_without_a_shoe_in_play_other_rules_are_in_force_at_once():
    assert OneTable().restarts(house(identity="rules-2")).state.rules.identity == "rules-2"


def test_a_table_that_starts_without_its_shoe_line_is_held_if_a_shoe_is_in_play():
    assert betting().restarts(shoe_link=LinkState.DOWN).held == "shoe-link-lost at betting"
    assert OneTable().restarts(shoe_link=LinkState.DOWN).held is None


def test_an_input_that_changes_nothing_gives_the_very_same_state():
    table = betting()
    before = table.state
    assert table.happens(inputs.Tick).state is before
    assert table.said == ()


def test_cards_may_be_entered_only_at_a_held_table():
    assert bets_closed().enters("player-1", "7C").refused == "not-held"
