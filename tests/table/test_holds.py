"""Hold by hold: what brings it, what is kept, and what `resume` and `void` make of it."""

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
    places,
    shoe_ended,
)

from controller.game.cards import DECK
from controller.game.coup import deal_coup
from controller.game.shoe import BurnBy, BurnRule, CutCard
from controller.table import inputs
from controller.table.events import CardDealt, CoupSettled, HoldReason
from controller.table.holds import MOST_WAITING
from controller.table.inputs import LinkState
from controller.table.procedures import PROCEDURES
from controller.table.rules import CloseBy, EmptyCoup
from controller.table.table import step

# pre-close-card (fault 23)


@pytest.mark.parametrize("close_by", [CloseBy.BUTTON, CloseBy.TIMER])
def test_fault_23_a_card_while_bets_are_open_resumes_as_players_first(close_by):
    table = betting(close_by=close_by).bets(1, "player", 100).draws("P1 9C")
    assert table.held == "pre-close-card at betting"
    assert (table.hands, table.out) == ("Player - Banker -", 0)
    table.resumes()
    assert (table.phase, table.hands, table.out) == ("dealing", "Player 9C Banker -", 1)
    assert table.said_names == ["TableResumed", "BetsClosed", "CardDealt"]
    assert table.draws("B1 2D", "P2 TC", "B2 TD").state.result.settlement.returned == 200


def test_fault_23_a_card_while_bets_are_open_may_be_void():
    table = betting().bets(1, "player", 100).draws("P1 9C").voids()
    assert (table.where, table.out, table.out_of("9C")) == ("betting 2", 1, 1)
    assert table.plays(PLAYER_WINS).where == "betting 3"


def test_fault_23_no_bets_at_a_held_table():
    table = betting().draws("P1 9C").bets(1, "player", 100)
    assert table.refused == "held"


@pytest.mark.parametrize("card", ["P1 9C", "P1 6C"])
def test_a_card_before_confirm_resumes_as_players_first_of_the_next_coup(card):
    """Also when it equals the card of the coup just dealt, which 1 in 52 does."""
    table = dealt(FIVE_CARDS).draws(card)
    assert table.held == "pre-close-card at settling"
    table.resumes()
    assert (table.phase, table.state.coup, table.out) == ("dealing", 2, 6)
    assert table.state.last.coup == 1


def test_a_card_before_confirm_of_the_last_coup_is_set_aside():
    table = bets_closed().cut_card().deals(PLAYER_WINS).draws("P1 4H").resumes()
    assert (table.phase, table.out_of("4H")) == ("shoe-ended", 1)
    assert table.said_names == ["TableResumed", "CoupConfirmed", "ShoeEnded", "CardSetAside"]


def test_where_no_coup_is_dealt_without_a_bet_a_card_before_confirm_holds_the_next_coup_too():
    table = betting(empty_coup=EmptyCoup.REFUSE).bets(1, "tie", 10).closes().deals(PLAYER_WINS).draws("P1 4H")
    table.resumes()
    assert (table.held, table.state.coup, table.state.last.coup) == ("pre-close-card at betting", 2, 1)
    assert table.resumes().refused == "no-wagers"
    assert table.voids().where == "betting 3"


def test_with_close_first_card_another_card_than_players_first_is_for_the_wrong_target():
    assert betting(close_by=CloseBy.FIRST_CARD).draws("B1 9C").held == "wrong-target at betting"


# excess-card (fault 24)


def test_fault_24_a_fifth_card_on_a_natural():
    table = betting().bets(1, "player", 100).closes().deals(PLAYER_WINS).draws("P3 4H")
    assert table.held == "excess-card at settling"
    table.resumes()
    assert (table.phase, table.out, table.out_of("4H")) == ("settling", 5, 1)
    assert table.state.result.hands == deal_coup([event.card for event in table.all_said(CardDealt)])
    assert table.confirms().where == "betting 2"


def test_fault_24_shoe_error_2_the_coup_is_settled_without_the_card_which_comes_again_for_the_next():
    table = dealt(PLAYER_WINS).errs(2)
    assert table.held == "excess-card at settling"
    table.recovers(2).overdraws("4H")
    assert table.waiting == 1
    assert table.resumes().phase == "settling"
    table.confirms().closes().draws("P1 4H")
    assert (table.phase, table.out_of("4H")) == ("dealing", 1)


def test_fault_24_shoe_error_2_needs_no_clearing_to_resume():
    assert dealt(PLAYER_WINS).errs(2).resumes().phase == "settling"


# wrong-target (faults 13, 24, 25)


def test_fault_24_bankers_card_first():
    assert bets_closed().draws("B1 9C").held == "wrong-target at bets-closed"


def test_fault_13_reordered_cards_are_never_dealt():
    table = dealt("2C").draws("P2 TC")
    assert table.held == "wrong-target at dealing"
    assert table.hands == "Player 2C Banker -"


@pytest.mark.parametrize(
    ("cards", "wrong", "rule"),
    [
        ("6C 5D TC TD", "P3 4H", "due is banker-3 (Player 6 stands, Banker 5 draws)"),
        ("2C 3D TC TD", "B3 4H", "due is player-3 (Player 2 draws, Banker 3 waits)"),
        ("2C 3D TC TD 7H", "P3 4H", None),
    ],
)
def test_fault_25_a_third_card_to_the_wrong_side_is_named_with_the_rule(cards, wrong, rule):
    table = dealt(cards).draws(wrong)
    assert table.held.split()[0] == ("wrong-target" if rule else "card-conflict")
    assert rule is None or rule in table.state.hold.text


def test_a_wrong_target_can_only_be_void():
    table = betting().bets(1, "tie", 50).closes().deals("2C 3D").draws("B2 TC")
    before = table.state
    assert table.resumes().refused == "void-only"
    assert table.state is before
    table.voids()
    assert (table.where, table.out, table.state.bets) == ("betting 2", 3, ())


@pytest.mark.parametrize("index", [0, 4, 15])
def test_an_index_that_no_hand_has_is_a_wrong_target(index):
    table = dealt("2C 3D TC")
    for target in (inputs.Target.PLAYER, inputs.Target.BANKER):
        assert dealt("2C 3D TC").happens(inputs.CardRead, target, index, table.state.hands.player[0]).phase == "held"


# card-conflict


def test_another_card_for_a_filled_place_the_first_one_stays():
    table = dealt("2C 3D").draws("P1 9C")
    assert table.held == "card-conflict at dealing"
    table.resumes()
    assert (table.phase, table.hands) == ("dealing", "Player 2C Banker 3D")
    assert table.said_names == ["TableResumed", "CardSetAside"]
    assert table.draws("P2 TC", "B2 TD").phase == "player-rule"


def test_the_same_card_for_a_filled_place_is_only_said_while_the_coup_is_not_complete():
    table = dealt("2C 3D").draws("P1 2C")
    assert (table.held, table.said_names, table.out) == (None, ["CardRepeated"], 2)
    assert dealt(PLAYER_WINS).draws("B1 2D").held == "excess-card at settling"


def test_once_the_shoe_counts_its_places_anew_the_same_card_may_be_another_one():
    """After its restart the shoe calls the third card Player's first again; one time in 52 that looks the same."""
    table = dealt("2C 3D").powers_on().resumes().draws("P1 2C")
    assert (table.held, table.hands) == ("card-conflict at dealing", "Player 2C Banker 3D")
    assert dealt("2C 3D").tells("forced-end").resumes().draws("P1 2C").held == "card-conflict at dealing"
    assert table.voids().closes().draws("P1 4C", "P1 4C").said_names == ["CardRepeated"]


def test_a_conflict_in_settling():
    assert dealt(PLAYER_WINS).draws("B1 3D").held == "card-conflict at settling"


# unreadable


@pytest.mark.parametrize("code", [1, 6])
def test_a_card_that_the_shoe_could_not_read_is_entered(code):
    table = dealt("2C 3D").errs(code)
    assert table.held == "unreadable at dealing"
    assert "player-2" in table.state.hold.text
    assert table.resumes().refused == "not-yet"
    assert "player-2" in table.said[0].text
    table.enters("player-2", "TC")
    assert (table.phase, table.hands, table.out) == ("held", "Player 2C TC Banker 3D", 3)
    assert table.said[0].declared
    assert table.said[0].reason == "read at the table"
    assert [str(place) for place in table.state.declared] == ["player-2"]
    assert table.resumes().phase == "dealing"
    assert table.draws("B2 TD").phase == "player-rule"


def test_a_card_without_rank_or_suit_is_unreadable():
    table = dealt("2C 3D").draws("P2 ??")
    assert table.held == "unreadable at dealing"
    assert table.enters("player-2", "TC").resumes().hands == "Player 2C TC Banker 3D"


def test_a_card_that_came_after_all_needs_not_be_entered():
    table = dealt("2C 3D").errs(1).recovers(1).draws("P2 TC")
    assert table.waiting == 1
    assert table.resumes().hands == "Player 2C TC Banker 3D"


def test_the_clearing_of_the_error_alone_is_not_enough():
    assert dealt("2C 3D").errs(1).recovers(1).resumes().refused == "not-yet"


def test_an_entered_card_that_comes_too_is_only_said():
    table = dealt("2C 3D").errs(1).enters("player-2", "TC").draws("P2 TC", "B2 TD").resumes()
    assert (table.phase, table.out) == ("player-rule", 4)


def test_an_entered_card_against_which_another_comes_is_a_conflict():
    table = dealt("2C 3D").errs(1).enters("player-2", "TC").draws("P2 9C").resumes()
    assert table.held == "card-conflict at dealing"


def test_an_entered_card_may_complete_the_coup():
    table = dealt("2C 3D TC TD 5H").errs(1).enters("banker-3", "4S")
    assert (table.held, table.said_names) == ("unreadable at settling", ["CardDealt", "CoupSettled"])
    assert table.state.next_tick_ms() is None
    assert table.resumes().confirms().where == "betting 2"


def test_with_0_seconds_to_settle_such_a_coup_is_confirmed_by_the_resume():
    table = dealt("2C 3D TC TD 5H", settle_after_s=0).errs(1).enters("banker-3", "4S")
    assert table.phase == "held"
    assert table.resumes().where == "betting 2"


def test_with_0_seconds_to_settle_it_is_confirmed_before_what_waits():
    table = dealt("2C 3D TC TD 5H", settle_after_s=0, close_by=CloseBy.FIRST_CARD).errs(1)
    table.enters("banker-3", "4S").tells("tie").draws("P1 9C").resumes()
    assert (table.phase, table.state.coup, table.held) == ("dealing", 2, None)


def test_several_unreadable_cards_one_hold_after_the_other():
    table = bets_closed().errs(1).enters("player-1", "2C").resumes().errs(1)
    assert table.held == "unreadable at dealing"
    assert table.enters("banker-1", "3D").resumes().hands == "Player 2C Banker 3D"


def test_several_unreadable_cards_entered_in_one_hold():
    table = bets_closed().errs(1).recovers(1).errs(1).recovers(1)
    table.enters("player-1", "2C").enters("banker-1", "3D").draws("P2 TC").resumes()
    assert (table.phase, table.hands) == ("dealing", "Player 2C TC Banker 3D")


def test_several_unreadable_cards_entered_in_one_hold_leave_other_reports_alone():
    table = bets_closed().errs(1).happens(inputs.ShoeNoted, "stand by").errs(1).errs(6).draws("B2 TD")
    table.enters("player-1", "2C").enters("banker-1", "3D").resumes()
    assert table.said_names == ["TableResumed", "ShoeReportNoted", "TableHeld"]
    assert (table.held, table.waiting) == ("unreadable at dealing", 1)
    assert table.enters("player-2", "TC").resumes().phase == "player-rule"


def test_a_card_entered_for_an_unconfirmed_report_answers_that_one():
    table = dealt("2C 3D").happens(inputs.ReportUnconfirmed, "D").errs(1).enters("player-2", "TC").resumes()
    assert table.held == "unreadable at dealing"
    assert table.enters("banker-2", "TD").resumes().phase == "player-rule"


def test_an_unreadable_card_after_a_good_one_waits_for_its_own_turn():
    table = bets_closed().errs(1).draws("B1 3D").errs(1).draws("B2 TD")
    assert table.enters("player-1", "2C").resumes().held == "unreadable at dealing"
    assert table.waiting == 1
    assert table.enters("player-2", "TC").resumes().phase == "player-rule"


def test_with_close_first_card_the_first_card_can_be_entered_too():
    table = betting(close_by=CloseBy.FIRST_CARD).errs(1)
    assert table.held == "unreadable at betting"
    assert table.enters("player-1", "7C").said_names == ["BetsClosed", "CardDealt"]
    assert table.resumes().phase == "dealing"


def test_where_no_place_waits_the_table_goes_on():
    assert betting().errs(1).resumes().where == "betting 1"
    assert dealt(PLAYER_WINS).errs(6).resumes().phase == "settling"


@pytest.mark.parametrize(
    ("place", "card", "reason", "refusal"),
    [
        ("banker-2", "TC", "seen", "not-due"),
        ("player-1", "2C", "seen", "not-due"),
        ("player-2", "TC", " ", "no-reason"),
        ("player-2", "2C", "seen", "foreign-card"),
    ],
)
def test_only_the_due_card_with_a_reason_and_of_these_decks_is_entered(place, card, reason, refusal):
    table = dealt("2C 3D", decks=1).errs(1)
    before = table.state
    assert table.enters(place, card, reason).refused == refusal
    assert table.state is before


def test_an_unreadable_card_in_a_void_coup_is_out_unseen():
    table = dealt("2C 3D").draws("P2 ??").voids()
    assert (table.where, table.out, table.state.inventory.unknown) == ("betting 2", 3, 1)


# foreign-card (fault 31), shoe-empty


def test_fault_31_a_ninth_king_of_hearts():
    table = betting(decks=1).plays("KH 9D TC TD").closes().draws("P1 KH")
    assert table.held == "foreign-card at bets-closed"
    assert table.resumes().refused == "void-only"
    table.voids()
    assert (table.where, table.out) == ("betting 3", 4)


def test_a_foreign_card_among_the_burn_ends_the_burn_as_it_is():
    table = burning(decks=1).draws("first 1 3H", "burn 1 3H")
    assert table.held == "foreign-card at burning"
    assert table.voids().where == "betting 1"


def test_more_cards_than_the_shoe_had():
    table = burning(burn=BurnRule(BurnBy.FIXED, 50), decks=1)
    table.draws(*(f"burn {number} ??" for number in range(1, 51))).closes().draws("P1 2C", "B1 3C", "P2 4C")
    assert table.held == "shoe-empty at dealing"
    assert table.resumes().refused == "void-only"
    assert table.voids().where == "betting 2"
    assert table.out == 52


def test_the_shoe_was_empty_also_when_each_of_its_cards_was_seen():
    burned = [f"burn {number} {card}" for number, card in enumerate((c for c in DECK if str(c) not in PLAYER_WINS), 1)]
    table = burning(burn=BurnRule(BurnBy.FIXED, 48), decks=1).draws(*burned).plays(PLAYER_WINS).closes().draws("P1 2C")
    assert table.held == "shoe-empty at bets-closed"
    assert "2C came and every card of the shoe was out" in table.state.hold.text


# burn-differs


def test_a_burn_card_more_than_the_rule_asks_is_taken_as_burned():
    table = burning(burn=BurnRule(BurnBy.FIXED, 2)).draws("burn 1 ??", "burn 2 ??", "burn 3 4C")
    assert table.held == "burn-differs at betting"
    table.resumes()
    assert (table.where, table.out, len(table.state.burned)) == ("betting 1", 3, 3)


def test_players_first_card_before_the_burn_is_done_the_burn_is_taken_as_it_is():
    table = burning(close_by=CloseBy.FIRST_CARD).draws("first 1 4H", "burn 1 ??", "P1 9C")
    assert table.held == "burn-differs at burning"
    table.resumes()
    assert (table.phase, table.hands, table.out) == ("dealing", "Player 9C Banker -", 3)


def test_with_the_button_that_card_also_came_before_the_close():
    table = burning().draws("first 1 4H", "burn 1 ??", "P1 9C").resumes()
    assert table.held == "pre-close-card at betting"
    assert table.resumes().hands == "Player 9C Banker -"


@pytest.mark.parametrize("told_first", [False, True])
@pytest.mark.parametrize(("told", "burn"), [(2, 2), (5, 5)])
def test_a_burn_count_of_the_shoe_that_is_not_ours_is_taken_when_resumed(told_first, told, burn):
    reports = ["first 1 4H", f"count {told}"]
    table = burning().draws(*(reversed(reports) if told_first else reports))
    assert table.held == "burn-differs at burning"
    table.resumes().draws(*(f"burn {number} ??" for number in range(1, burn)))
    assert table.phase == "burning"
    assert table.draws(f"burn {burn} ??").where == "betting 1"


def test_a_burn_count_told_once_bets_are_open():
    table = burning().draws("first 1 2H", "burn 1 ??", "burn 2 ??")
    assert table.draws("count 2").held is None
    assert table.draws("count 3").held == "burn-differs at betting"
    assert table.resumes().where == "betting 1"


def test_a_burn_card_that_was_skipped_is_out_unseen():
    table = burning().draws("first 1 4H", "burn 1 2C", "burn 3 ??")
    assert table.held == "burn-differs at burning"
    table.resumes().draws("burn 4 ??")
    assert (table.where, table.out) == ("betting 1", 5)


def test_burn_cards_whose_first_card_never_came_go_on_until_a_card_of_the_coup():
    table = burning().draws("burn 1 ??")
    assert table.held == "burn-differs at burning"
    table.resumes().draws("burn 2 ??", "burn 3 ??")
    assert (table.phase, table.out) == ("burning", 4)
    assert table.draws("P1 9C").held == "burn-differs at burning"


def test_another_first_card_is_a_conflict():
    table = burning().draws("first 1 4H", "first 1 9H")
    assert table.held == "card-conflict at burning"
    assert table.resumes().state.burn_due == 4


def test_a_burn_place_that_there_is_not():
    table = burning().draws("first 1 4H", "burn 0 ??")
    assert table.held == "burn-differs at burning"
    assert table.resumes().out == 2


def test_a_count_that_is_out_already_ends_the_burn():
    table = burning().draws("first 1 4H", "burn 1 ??", "burn 2 ??", "count 2").resumes()
    assert (table.where, table.out) == ("betting 1", 3)


def test_a_first_card_that_counts_nothing_burns_nothing():
    assert burning(burn=BurnRule(BurnBy.FIRST_CARD, court=0)).draws("first 1 KH").where == "betting 1"


def test_a_first_card_is_not_for_a_burn_by_number():
    table = burning(burn=BurnRule(BurnBy.FIXED, 2)).draws("first 1 4H")
    assert table.held == "burn-differs at burning"
    assert table.resumes().draws("burn 2 ??").where == "betting 1"


def test_a_burn_place_named_again():
    table = burning().draws("first 1 4H", "burn 1 2C")
    for again in ("first 1 4H", "first 1 ??", "burn 1 2C", "burn 1 ??"):
        assert table.draws(again).said_names == ["CardSetAside"]
    assert (table.held, table.out) == (None, 2)
    assert table.draws("burn 1 3C").held == "card-conflict at burning"
    assert table.resumes().out == 2


def test_an_unreadable_first_card_leaves_the_number_open():
    table = burning().errs(1)
    assert table.held == "unreadable at burning"
    assert table.resumes().draws("burn 1 ??").phase == "burning"
    assert table.out == 2


@pytest.mark.parametrize("meanwhile", [False, True])
def test_an_unreadable_first_card_that_is_read_after_all(meanwhile):
    table = burning().errs(1).recovers(1)
    table = table.draws("first 1 2H").resumes() if meanwhile else table.resumes().draws("first 1 2H")
    assert table.draws("burn 1 ??", "burn 2 ??").where == "betting 1"
    assert table.out == 3


def test_an_unreadable_burn_card_is_one_burn_card():
    table = burning().draws("first 1 2H").errs(1).resumes()
    assert (table.phase, table.out) == ("burning", 2)
    assert table.draws("burn 2 ??").where == "betting 1"


def test_a_burn_card_in_a_coup_is_for_the_wrong_target_and_after_it_a_card_too_many():
    assert dealt("2C").draws("burn 1 4C").held == "wrong-target at dealing"
    assert dealt(PLAYER_WINS).draws("burn 1 4C").held == "excess-card at settling"


# report-lost (fault 10), report-unconfirmed, line-unreadable


def test_fault_10_a_lost_report_blocks_the_coup_and_the_next_one_waits():
    table = dealt("2C 3D").loses_reports().draws("P2 TC")
    assert (table.held, table.waiting, table.hands) == ("report-lost at dealing", 1, "Player 2C Banker 3D")
    table.resumes()
    assert (table.phase, table.hands) == ("dealing", "Player 2C TC Banker 3D")


def test_fault_10_a_lost_card_is_entered():
    table = dealt("2C 3D").loses_reports().draws("B2 TD").enters("player-2", "TC").resumes()
    assert (table.phase, table.out) == ("player-rule", 4)


def test_fault_10_a_lost_card_that_nobody_enters_does_not_fit():
    table = dealt("2C 3D").loses_reports().draws("B2 TD").resumes()
    assert table.held == "wrong-target at dealing"
    assert table.voids().out == 3


def test_fault_10_two_lost_cards_then_an_unreadable_one_all_entered_in_one_hold():
    table = bets_closed().loses_reports(2).errs(1).draws("B2 TD")
    table.enters("player-1", "2C").enters("banker-1", "3D").enters("player-2", "TC").resumes()
    assert (table.phase, table.out) == ("player-rule", 4)


def test_fault_10_an_unreadable_card_after_a_lost_one_still_holds():
    table = bets_closed().loses_reports().errs(1).enters("player-1", "2C").resumes()
    assert table.held == "unreadable at dealing"


def test_fault_10_a_lost_burn_card_is_out_unseen():
    table = burning().draws("first 1 3H").loses_reports().draws("burn 2 ??").resumes()
    assert (table.held, table.phase) == (None, "burning")
    assert table.draws("burn 3 ??").where == "betting 1"
    assert table.out == 4


def test_fault_10_a_lost_report_excuses_one_burn_card_only():
    table = burning().draws("first 1 9H").loses_reports().draws("burn 2 ??").resumes().draws("burn 4 ??")
    assert table.held == "burn-differs at burning"


@pytest.mark.parametrize("table", [burning, betting, bets_closed, lambda: dealt("2C"), lambda: dealt(PLAYER_WINS)])
def test_trouble_of_the_line_holds_every_shoe_in_play(table):
    for trouble, reason in (
        (lambda one: one.loses_reports(), "report-lost"),
        (lambda one: one.happens(inputs.ReportUnconfirmed, "D"), "report-unconfirmed"),
        (lambda one: one.happens(inputs.LineUnreadable, 20), "line-unreadable"),
    ):
        phase = table().phase
        assert trouble(table()).held == f"{reason} at {phase}"


@pytest.mark.parametrize("table", [OneTable, shoe_ended])
def test_without_a_shoe_in_play_it_is_only_noted(table):
    table = table().loses_reports()
    assert (table.held, table.said_names) == (None, ["LineTroubleNoted"])


@pytest.mark.parametrize("table", [OneTable, shoe_ended])
def test_fault_32_a_line_that_cannot_be_read_is_told_before_the_first_shoe(table):
    phase = table().phase
    table = table().happens(inputs.LineUnreadable, 20)
    assert table.held == f"line-unreadable at {phase}"
    assert table.resumes().refused == "not-yet"
    assert table.voids().refused == "not-now"
    assert table.happens(inputs.ShoeNoted, "stand by").resumes().phase == phase


def test_an_unconfirmed_report_goes_on_also_when_it_was_confirmed_meanwhile():
    table = dealt("2C").happens(inputs.ReportUnconfirmed, "D")
    assert table.held == "report-unconfirmed at dealing"
    assert table.resumes().phase == "dealing"
    table.happens(inputs.ReportUnconfirmed, "D").draws("B1 3D")
    assert table.resumes().hands == "Player 2C Banker 3D"


def test_an_unreadable_line_resumes_once_a_good_report_came():
    table = dealt("2C").happens(inputs.LineUnreadable, 20)
    assert table.resumes().refused == "not-yet"
    assert table.enters("banker-1", "3D").resumes().refused == "not-yet"
    assert table.happens(inputs.ShoeNoted, "stand by").resumes().phase == "dealing"


def test_an_unreadable_line_is_one_also_when_another_hold_came_first():
    table = dealt("2C").loses_reports().happens(inputs.LineUnreadable, 20).resumes()
    assert table.held == "line-unreadable at dealing"
    assert table.resumes().refused == "not-yet"
    assert table.draws("B1 3D").resumes().hands == "Player 2C Banker 3D"


def test_damaged_frames_are_counted_and_hold_nothing():
    assert dealt("2C").happens(inputs.FramesDamaged, 3).held is None


# shoe-error (fault 28), card-outside-play (fault 22)


@pytest.mark.parametrize("code", [3, 4, 5, 7, 63])
def test_fault_28_a_shoe_error_is_held_until_the_shoe_says_it_is_over_and_a_person_resumes(code):
    table = dealt("2C").errs(code)
    assert table.held == "shoe-error at dealing"
    assert f"error {code}" in table.state.hold.text
    assert table.resumes().refused == "not-yet"
    assert table.recovers(code).phase == "held"
    assert table.resumes().phase == "dealing"


def test_fault_28_another_error_being_over_is_not_enough():
    assert dealt("2C").errs(4).recovers(5).resumes().refused == "not-yet"


def test_fault_28_a_second_error_while_held_follows():
    table = dealt("2C").errs(4).errs(5).recovers(4).resumes()
    assert (table.held, table.state.hold.code) == ("shoe-error at dealing", 5)
    assert table.recovers(5).resumes().phase == "dealing"


def test_fault_28_an_error_that_came_and_went_while_held_is_still_shown():
    table = dealt("2C").loses_reports().errs(5).recovers(5).resumes()
    assert table.held == "shoe-error at dealing"
    assert table.resumes().phase == "dealing"


@pytest.mark.parametrize("code", [1, 2, 5])
def test_without_a_shoe_in_play_an_error_is_noted(code):
    assert OneTable().errs(code).held is None


@pytest.mark.parametrize("mode", ["lock", "error", "setting"])
def test_fault_22_a_card_outside_play_is_no_card_of_the_game(mode):
    table = dealt("2C")
    table.happens(inputs.CardOutsidePlay, mode, table.state.hands.player[0])
    assert table.held == "card-outside-play at dealing"
    table.resumes()
    assert (table.phase, table.hands, table.out) == ("dealing", "Player 2C Banker -", 1)


# shoe-link-lost


@pytest.mark.parametrize("cards", ["", "2C", "2C 3D", "2C 3D TC", "2C 3D TC TD", "2C 3D TC TD 5H", SIX_CARDS])
def test_fault_2_cable_out_after_each_card_the_cards_are_kept(cards):
    table = dealt(cards)
    phase, hands = table.phase, table.hands
    table.unplugs()
    assert (table.held, table.hands) == (f"shoe-link-lost at {phase}", hands)
    assert table.resumes().refused == "not-yet"
    table.plugs_in()
    assert table.phase == "held"
    assert table.state.hold.text.startswith("the line to the shoe is back: check the cards")
    assert table.resumes().phase == phase
    assert table.hands == hands


@pytest.mark.parametrize("table", [OneTable, shoe_ended])
def test_without_a_shoe_in_play_a_lost_line_is_noted_until_one_is(table):
    table = table().unplugs()
    assert table.held is None
    assert table.shoe_starts().held == "shoe-link-lost at betting"
    assert table.plugs_in().resumes().where == "betting 1"


def test_a_line_lost_while_held_for_another_thing_holds_when_its_turn_comes():
    table = dealt("2C").loses_reports().unplugs()
    assert table.held == "report-lost at dealing"
    assert table.state.shoe_link is LinkState.DOWN
    assert table.plugs_in().resumes().held == "shoe-link-lost at dealing"
    assert table.resumes().phase == "dealing"


def test_a_line_that_is_still_down_holds_after_the_first_hold():
    table = dealt("2C").loses_reports().unplugs().resumes()
    assert table.held == "shoe-link-lost at dealing"
    assert table.resumes().refused == "not-yet"


def test_a_void_coup_does_not_mend_the_line():
    assert dealt("2C").unplugs().voids().held == "shoe-link-lost at betting"


def test_a_restart_with_the_line_open_lets_the_table_resume():
    table = dealt("2C").unplugs().restarts()
    assert table.state.hold.text.startswith("the line to the shoe is back")
    assert table.resumes().phase == "dealing"


def test_the_displays_line_holds_nothing():
    table = dealt("2C").happens(inputs.LinkLost, inputs.Link.DISPLAY, "gone")
    assert (table.held, table.state.display_link) == (None, LinkState.DOWN)
    assert table.happens(inputs.LinkRestored, inputs.Link.DISPLAY).state.display_link is LinkState.UP


# shoe-restarted (faults 11, 30)


@pytest.mark.parametrize("cards", ["2C", "2C 3D", "2C 3D TC", "2C 3D TC TD", "2C 3D TC TD 5H"])
def test_fault_30_a_shoe_that_restarts_in_a_coup_suspends_it(cards):
    table = dealt(cards).powers_on()
    assert table.held.startswith("shoe-restarted at ")
    assert table.resumes().hands == dealt(cards).hands
    table.powers_on().voids()
    assert (table.where, table.out) == ("betting 2", len(cards.split()))


@pytest.mark.parametrize("table", [burning, betting, bets_closed, lambda: dealt(SIX_CARDS), shoe_ended])
def test_fault_11_any_other_restart_is_noted_and_no_card_is_dropped(table):
    table = table()
    before = table.state
    table.powers_on()
    assert table.said_names == ["ShoeReportNoted"]
    assert table.state == before._replace(heard_ms=table.state.heard_ms, quiet=False)


# shoe-unknown


@pytest.mark.parametrize("table", [OneTable, shoe_ended])
def test_cards_with_no_shoe_known_need_a_start_shoe(table):
    table = table().draws("P1 7C")
    assert table.held.startswith("shoe-unknown at ")
    assert table.resumes().refused == "not-yet"
    assert table.voids().refused == "not-now"
    table.draws("B1 2C").shoe_starts()
    assert (table.where, table.out) == ("betting 1", 0)


def test_burn_cards_that_came_before_the_start_are_the_burn():
    table = OneTable(burn=BY_FIRST_CARD).draws("first 1 2H", "burn 1 ??").shoe_starts()
    assert (table.phase, table.out) == ("burning", 2)
    assert table.draws("burn 2 ??").where == "betting 1"


def test_cards_from_before_the_shoe_told_its_start_are_of_another_shoe():
    table = OneTable(burn=BY_FIRST_CARD).draws("P1 7C").powers_on().draws("first 1 2H", "burn 1 ??").shoe_starts()
    assert (table.phase, table.out) == ("burning", 2)


def test_start_shoe_ends_no_other_hold():
    assert dealt("2C").loses_reports().shoe_starts().refused == "held"


# shoe-result-differs (faults 26, 27)


@pytest.mark.parametrize(
    ("told", "fault"),
    [(("banker", "none"), 26), (("tie", "none"), 26), (("player", "player"), 27), (("player", "both"), 27)],
)
def test_faults_26_and_27_the_shoes_result_or_pairs_are_not_ours(told, fault):
    table = dealt(PLAYER_WINS).tells(*told)
    assert table.held == "shoe-result-differs at settling"
    assert f"the shoe says {told[0]}, pairs {told[1]}, ours is player, pairs none" in table.state.hold.text
    assert table.resumes().confirms().state.last.hands.winner.value == "player"


def test_a_differing_result_may_void_the_coup():
    table = betting().bets(1, "player", 100).closes().deals(PLAYER_WINS).tells("banker").voids()
    assert (table.where, table.said[1].returned) == ("betting 2", 100)


def test_the_shoes_result_is_compared_in_settling_and_after_the_confirm():
    assert dealt(PLAYER_WINS).tells("player").said_names == ["ShoeResultAgreed"]
    assert dealt(PLAYER_WINS).confirms().tells("player").said_names == ["ShoeResultAgreed"]
    assert dealt(PLAYER_WINS).confirms().closes().tells("banker").held == "shoe-result-differs at bets-closed"
    assert dealt(PLAYER_WINS, settle_after_s=0).tells("tie").held == "shoe-result-differs at betting"
    ended = bets_closed().cut_card().deals(PLAYER_WINS).confirms()
    assert ended.tells("tie").held == "shoe-result-differs at shoe-ended"
    assert ended.resumes().phase == "shoe-ended"


def test_settling_never_waits_for_the_shoes_result():
    assert dealt(PLAYER_WINS).confirms().plays(SIX_CARDS).where == "betting 3"


def test_once_the_next_coup_began_the_last_result_is_final():
    table = dealt(PLAYER_WINS).confirms().closes().draws("P1 2C").tells("banker")
    assert table.held == "shoe-result-differs at dealing"
    assert "not complete" in table.state.hold.text


def test_a_result_of_no_coup_is_noted():
    assert betting().tells("player").said_names == ["ShoeReportNoted"]
    assert dealt("2C").voids().tells("player").held is None


def test_a_pair_told_as_it_is_agrees():
    assert dealt("2C 3D 2H 3S TC").tells("banker", "both").said_names == ["ShoeResultAgreed"]


@pytest.mark.parametrize("cards", ["2C", "2C 3D TC TD", PLAYER_WINS])
def test_a_forced_end_in_a_coup_is_an_error_of_the_shoe(cards):
    table = dealt(cards).tells("forced-end")
    assert table.held.startswith("shoe-error at ")
    assert table.resumes().hands == dealt(cards).hands


def test_a_forced_end_between_coups_is_noted():
    assert betting().tells("forced-end").held is None


# disk


def test_a_disk_that_failed_holds_the_table_until_a_person_resumes():
    table = dealt("2C").happens(inputs.DiskFailed, "no space left").draws("B1 3D")
    assert (table.held, table.waiting) == ("disk at dealing", 1)
    assert table.resumes().hands == "Player 2C Banker 3D"


# waiting


def test_what_comes_while_held_waits_in_order_and_is_conducted_by_the_same_step():
    table = bets_closed().loses_reports().deals(SIX_CARDS).tells("tie")
    assert (table.waiting, table.hands) == (7, "Player - Banker -")
    table.resumes()
    assert (table.phase, table.state.hold) == ("settling", None)
    assert table.said_names[-1] == "ShoeResultAgreed"


def test_the_first_that_does_not_fit_holds_again_and_the_rest_goes_on_waiting():
    table = bets_closed().loses_reports().draws("P1 2C", "P2 TC", "B2 TD").resumes()
    assert (table.held, table.hands, table.waiting) == ("wrong-target at dealing", "Player 2C Banker -", 1)


def test_a_cause_that_holds_again_loses_nothing_that_waits():
    """The card before the close is dealt by the resume; it does not fit, and what waited waits on."""
    table = betting().draws("B1 3D", "P2 4C", "B2 5C").resumes()
    assert (table.held, table.waiting) == ("wrong-target at bets-closed", 2)


def test_reports_of_all_kinds_count_the_clearing_of_an_error_acts_at_once():
    table = dealt("2C").errs(4).happens(inputs.ShoeNoted, "stand by").cut_card().tells("tie").recovers(4)
    assert table.waiting == 3
    assert table.said_names == ["ShoeFaultOver"]


def test_the_cut_card_waits_its_turn():
    table = betting().draws("P1 9C", "B1 2D").cut_card().draws("P2 TC", "B2 TD").resumes()
    assert (table.phase, table.state.last_coup) == ("settling", 2)


def test_with_0_seconds_to_settle_each_waiting_coup_is_confirmed_before_the_next_card():
    table = betting(close_by=CloseBy.FIRST_CARD, settle_after_s=0).loses_reports()
    table.deals(PLAYER_WINS).tells("player").deals(SIX_CARDS).tells("tie").resumes()
    assert (table.where, len(table.all_said(CoupSettled))) == ("betting 3", 2)


def test_void_drops_the_waiting_cards_of_this_coup_and_keeps_those_of_the_next():
    cards = places(SIX_CARDS)
    table = dealt("2C 3D", close_by=CloseBy.FIRST_CARD).loses_reports().draws(*cards[2:]).tells("tie")
    table.deals(PLAYER_WINS).voids()
    assert (table.phase, table.state.coup, table.out) == ("settling", 2, 10)


def test_void_in_the_middle_of_a_coup_that_the_shoe_finishes():
    table = dealt("2C 3D").draws("B2 TC").draws("P3 4C", "B3 5C").tells("player").errs(1).powers_on().voids()
    assert (table.where, table.held, table.out) == ("betting 2", None, 5)


def test_void_counts_a_card_that_was_named_twice_once():
    table = dealt("2C 3D").loses_reports().draws("B1 3D", "P2 4C").voids()
    assert table.out == 3


def test_void_leaves_other_trouble_to_be_looked_at():
    assert dealt("2C").loses_reports().errs(5).voids().held == "shoe-error at betting"
    assert dealt("2C").loses_reports().happens(inputs.CardOutsidePlay, "lock", None).voids().held is not None


@pytest.mark.parametrize(("coups_after", "phase"), [(0, "shoe-ended"), (1, "betting")])
def test_a_cut_card_that_waits_counts_for_the_void_coup(coups_after, phase):
    table = dealt("2C", cut_card=CutCard(17, coups_after)).loses_reports().cut_card().voids()
    assert (table.phase, table.state.last_coup) == (phase, 1 + coups_after)


def test_a_flood_while_held_is_bounded_and_the_coup_can_be_void():
    table = dealt("2C").loses_reports()
    for _ in range(MOST_WAITING + 10):
        table.state, _ = step(table.state, inputs.ShoeNoted(0, "stand by"))
    assert table.waiting == MOST_WAITING
    assert table.resumes().refused == "void-only"
    assert table.voids().where == "betting 2"


# Every hold


def test_every_reason_has_a_procedure_that_says_what_to_do():
    assert set(PROCEDURES) == set(HoldReason)
    for procedure in PROCEDURES.values():
        assert any(word in procedure.say for word in ("resume", "void", "start"))


@pytest.mark.parametrize(
    "order",
    [inputs.OpenBets, inputs.CloseBets, inputs.Confirm, inputs.EndShoe, inputs.RevealCards],
)
def test_a_held_table_takes_no_ordinary_order(order):
    table = dealt(PLAYER_WINS).tells("banker").happens(order)
    assert table.refused == "held"
    assert "shoe-result-differs" in table.said[0].text


def test_resume_and_card_are_for_held_tables():
    assert dealt("2C").resumes().refused == "not-held"
    assert dealt("2C").enters("banker-1", "3D").refused == "not-held"


@pytest.mark.parametrize("close_by", list(CloseBy))
def test_time_never_ends_a_hold(close_by):
    table = betting(close_by=close_by, settle_after_s=5).loses_reports()
    assert table.state.next_tick_ms() is None
    table.now_ms = 10**9
    assert table.happens(inputs.Tick).held == "report-lost at betting"


def test_a_hold_outlives_a_restart_with_all_that_waits():
    table = dealt("2C").loses_reports().draws("B1 3D").restarts()
    assert (table.held, table.waiting) == ("report-lost at dealing", 1)
    assert table.resumes().hands == "Player 2C Banker 3D"
