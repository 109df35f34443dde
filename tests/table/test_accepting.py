"""Another program or configuration than the accepted one: no bets open before somebody answers for it."""

import pytest
from one_table import NO_BURN, PLAYER_WINS, SIX_CARDS, OneTable, betting, dealt, house, places

from controller.game.shoe import BurnBy, BurnRule
from controller.table import inputs
from controller.table.events import Change, ChangeAccepted, ProgramChanged, TableHeld
from controller.table.holds import MOST_WAITING
from controller.table.rules import CloseBy

OTHER_RULES = house(identity="rules-2", seats=(7,))


def changed(table):
    """The same table after an update of the program."""
    return table.restarts().restarts(version="2.0")


def accepts(table):
    return table.happens(inputs.AcceptChange, "A. Supervisor", "release 7")


def test_the_first_start_accepts_itself():
    table = OneTable().restarts()
    assert (table.phase, table.state.changes) == ("no-shoe", ())
    assert accepts(table).refused == "no-change"


def test_what_changed_is_named_with_what_it_was():
    table = OneTable().restarts()
    table.happens(
        inputs.ProgramStarted, OTHER_RULES, "2.0", inputs.LinkState.UP, inputs.LinkState.NONE, "aa", "bb", "cc"
    )
    expected = (
        Change("version", "1.0", "2.0"),
        Change("tableau", "", "aa"),
        Change("transitions", "", "bb"),
        Change("files", "", "cc"),
        Change("configuration", "rules-1", "rules-2"),
    )
    assert table.all_said(ProgramChanged) == [ProgramChanged(expected)]
    assert accepts(table).all_said(ChangeAccepted) == [ChangeAccepted("A. Supervisor", "release 7", expected)]


@pytest.mark.parametrize("table", [OneTable, betting, lambda: dealt(PLAYER_WINS).confirms()])
def test_where_bets_are_open_or_open_next_the_table_is_held(table):
    table = changed(table())
    assert table.held.startswith("program-changed at ")
    assert table.resumes().refused == "not-yet"
    assert table.shoe_starts().refused == "held"
    at = table.held.split()[-1]
    assert accepts(table).phase == at


@pytest.mark.parametrize("cards", ["2C", "2C 3D TC TD", PLAYER_WINS, SIX_CARDS])
def test_a_coup_in_play_goes_on_and_the_next_one_waits(cards):
    table = changed(dealt(cards))
    assert table.held is None
    if table.phase != "settling":
        table.draws(*places(SIX_CARDS)[len(cards.split()) :])
    assert table.confirms().held == "program-changed at betting"
    assert accepts(table).phase == "betting"


def test_a_timed_confirm_holds_as_well():
    table = changed(dealt("2C 3D TC TD 5H", settle_after_s=0)).draws("B3 4S")
    assert table.held == "program-changed at betting"


def test_the_end_of_the_burn_opens_no_bets():
    table = OneTable(burn=BurnRule(BurnBy.FIXED, 1)).restarts().shoe_starts().restarts(version="2.0")
    assert table.phase == "burning"
    assert table.draws("burn 1 ??").held == "program-changed at betting"


def test_a_new_configuration_counts_once_it_is_accepted_and_for_the_next_shoe():
    table = betting().restarts().restarts(OTHER_RULES)
    assert table.state.rules.identity == "rules-1"
    accepts(table)
    assert table.bets(7, "player", 100).refused == "unknown-seat"
    table.happens(inputs.EndShoe).shoe_starts()
    assert table.state.rules is OTHER_RULES


def test_between_shoes_a_new_configuration_counts_at_once_when_accepted():
    table = OneTable().restarts().restarts(OTHER_RULES)
    assert table.state.rules.identity == "rules-1"
    assert accepts(table).state.rules is OTHER_RULES


def test_cards_that_came_meanwhile_are_conducted_after_it():
    table = changed(betting(close_by=CloseBy.FIRST_CARD)).draws("P1 2C", "B1 3D")
    assert table.waiting == 2
    assert accepts(table).phase == "dealing"


def test_a_resume_conducts_nothing_past_the_end_of_a_coup():
    table = changed(dealt("2C 3D TC TD 5H", settle_after_s=0, close_by=CloseBy.FIRST_CARD))
    table.loses_reports().draws("B3 4S", "P1 9C").resumes()
    assert table.held == "program-changed at betting"
    assert table.waiting == 1
    assert accepts(table).phase == "dealing"


def test_a_void_opens_no_bets():
    assert changed(dealt("2C")).voids().held == "program-changed at betting"


def test_a_shoe_nobody_knew_is_not_started_on_it():
    table = changed(OneTable(burn=NO_BURN).restarts().draws("P1 2C"))
    assert table.held == "shoe-unknown at no-shoe"
    assert table.shoe_starts().refused == "change-pending"
    accepts(table)
    assert table.held == "shoe-unknown at no-shoe"
    assert table.shoe_starts().phase == "betting"


def test_what_was_put_back_needs_no_accepting_but_an_order():
    table = changed(betting()).restarts()
    assert table.held == "program-changed at betting"
    assert accepts(table).refused == "no-change"
    assert table.resumes().phase == "betting"


def test_another_change_during_the_hold_is_the_one_that_is_named():
    table = betting().restarts().restarts(version="2.0").restarts(OTHER_RULES)
    assert table.state.hold.text.startswith("configuration changed since")
    assert len(table.all_said(TableHeld)) == 1


def test_too_many_reports_during_the_hold_leave_the_coup_void():
    table = changed(betting(close_by=CloseBy.FIRST_CARD))
    for _ in range(MOST_WAITING + 1):
        table.happens(inputs.ShoeNoted, "stand by")
    assert accepts(table).held == "program-changed at betting"
    assert table.resumes().refused == "void-only"
    assert table.voids().phase == "betting"
