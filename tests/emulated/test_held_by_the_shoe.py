"""Every reason to hold a table, brought about at the shoe, told to the dealer and on the screen, and ended by an order.

Each test leaves a table that goes on: the coup is settled or void, once, and the journal bears it.
"""

import pytest

from drivers.contracts import CardDrawn, CardOverdrawn, DeviceError, DeviceErrorCleared, OwnResult, StandBy
from drivers.shoes.simulated_cards import OwnCoup
from tests.emulated.rig import FOUR_CARDS, SIX_CARDS, Begin, Rig

pytestmark = pytest.mark.untraced

IN_HELD_NOTICE = ("hold", "One moment, please")


def goes_on(rig: Rig, coup: int) -> None:
    """The next coup is dealt as if nothing had been, and everything is on disk."""
    rig.does("close-bets")
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=coup)
    rig.does("confirm")
    rig.panel.shows(phase="betting", coup=str(coup + 1))
    assert rig.stop().code == 0
    rig.verifies()


def test_a_card_while_bets_are_open_is_players_first_once_the_dealer_resumes(begin: Begin) -> None:
    """Fault 23."""
    rig = begin().start()
    rig.begins_shoe()
    rig.shoe.draws()
    assert "2H for player 1 came before the bets were closed" in rig.held("pre-close-card")
    rig.panel.shows_notice(*IN_HELD_NOTICE)
    assert rig.refuses("close-bets") == "held"
    rig.does("resume")
    state = rig.state()
    assert (state["phase"], state["player"]) == ("dealing", ["2H"])
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=1)
    rig.does("confirm")
    goes_on(rig, coup=2)


def test_a_card_before_the_confirm_begins_the_next_coup_once_resumed(begin: Begin) -> None:
    """Fault 23, at the other end of a coup."""
    rig = begin().start()
    rig.begins_shoe()
    rig.deals(6)
    rig.sees("CoupSettled")
    rig.shoe.draws()
    assert "before the coup was confirmed" in rig.held("pre-close-card")
    rig.does("resume")
    assert (rig.state()["coup"], rig.state()["player"]) == (2, ["2H"])
    assert rig.recorded("CoupConfirmed") == 1
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=2)
    rig.does("confirm")
    goes_on(rig, coup=3)


def test_an_overdrawn_card_on_a_natural_is_not_of_the_coup(begin: Begin) -> None:
    """Fault 24, as the device itself notices it: error 2, its end, and the card is kept for the next coup."""
    rig = begin(FOUR_CARDS + SIX_CARDS * 2, faults=['{"card": 5, "do": "overdraw"}']).start()
    rig.begins_shoe()
    rig.does("close-bets")
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=1)
    rig.held("excess-card")
    rig.shoe.does("clear 2")
    rig.waits(1)
    rig.does("resume")
    rig.sees("CardKept", card="2H")
    rig.does("confirm")
    goes_on(rig, coup=2)


def test_a_seventh_card_is_never_dealt(begin: Begin) -> None:
    """Fault 24: a card that the shoe tells as the coup's, though none is due."""
    rig = begin().start()
    rig.begins_shoe()
    rig.does("close-bets")
    for number, card in enumerate(FOUR_CARDS):
        rig.shoe.says(CardDrawn("banker" if number % 2 else "player", number // 2 + 1, card))
    rig.sees("CoupSettled", coup=1)
    rig.shoe.says(CardDrawn("player", 3, "5D"))
    assert "5D for player 3 came and no card is due" in rig.held("excess-card")
    rig.does("resume")
    assert rig.state()["player"] == ["9H", "KS"]
    rig.does("confirm")
    assert rig.recorded("CoupSettled") == 1
    rig.verifies()


@pytest.mark.parametrize(
    ("dealt", "wrong", "text"),
    [
        ([], CardDrawn("banker", 1, "5D"), "5D for banker 1 came, due is player-1"),  # fault 24: Banker's card first
        (SIX_CARDS[:4], CardDrawn("banker", 3, "5D"), "Player 4 draws"),  # fault 25: the rule is shown
        (SIX_CARDS[:2], CardDrawn("player", 3, "5D"), "due is player-2"),
    ],
)
def test_a_card_for_the_wrong_side_voids_the_coup(begin: Begin, dealt: list[str], wrong: CardDrawn, text: str) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.bets(1, "banker", 10000)
    rig.does("close-bets")
    for number, card in enumerate(dealt):
        rig.shoe.says(CardDrawn("banker" if number % 2 else "player", number // 2 + 1, card))
    rig.cards_out(len(dealt))
    rig.shoe.says(wrong)
    assert text in rig.held("wrong-target")
    assert rig.refuses("resume") == "void-only"
    rig.does("void")
    assert rig.sees("CoupVoided", coup=1)["returned"] == 10000
    state = rig.state()
    assert (state["phase"], state["coup"], state["bets"], state["player"]) == ("betting", 2, [], [])
    rig.verifies()


def test_of_two_cards_for_one_place_the_first_stays(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.does("close-bets")
    rig.shoe.says(CardDrawn("player", 1, "2H"))
    rig.shoe.says(CardDrawn("player", 1, "2H"))
    rig.sees("CardRepeated")
    rig.shoe.says(CardDrawn("player", 1, "3H"))
    assert "3H for player 1 came, that place holds 2H" in rig.held("card-conflict")
    rig.does("resume")
    assert rig.state()["player"] == ["2H"]


def test_a_card_that_could_not_be_read_is_entered_by_hand(begin: Begin) -> None:
    """Fault 28, error 1."""
    rig = begin(faults=['{"card": 3, "do": "unreadable"}']).start()
    rig.begins_shoe()
    rig.does("close-bets")
    rig.shoe.draws(3)
    assert "player-2" in rig.held("unreadable")
    assert rig.refuses("resume") == "not-yet"
    assert rig.refuses("card", place="player-3", card="2S", reason="seen on the table") == "not-due"
    assert rig.refuses("card", place="player-2", card="1S", reason="seen") == "bad-card"
    assert rig.refuses("card", place="player-9", card="2S", reason="seen") == "bad-place"
    assert rig.refuses("card", place="player-2", card="2S", reason=" ") == "no-reason"
    answer = rig.ask("card", place="player-2", card="2S", reason="seen on the table")
    assert answer["ok"], answer
    assert rig.sees("CardDealt", declared=True)["reason"] == "seen on the table"
    assert rig.state()["declared"] == ["player-2"]
    rig.shoe.does("clear 1")
    rig.does("resume")
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=1)
    rig.does("confirm")
    goes_on(rig, coup=2)


def test_a_ninth_card_of_a_kind_is_no_card_of_this_shoe(begin: Begin) -> None:
    """Fault 31."""
    rig = begin(changes=[("decks: 8", "decks: 1")]).start()
    rig.begins_shoe()
    rig.does("close-bets")
    rig.shoe.says(CardDrawn("player", 1, "2H"))
    rig.shoe.says(CardDrawn("banker", 1, "2H"))
    assert "2H came out 2 times, 1 decks hold 1" in rig.held("foreign-card")
    assert rig.refuses("resume") == "void-only"
    rig.does("void")
    assert rig.state()["phase"] == "betting"
    rig.verifies()


def test_more_cards_than_a_shoe_has_cannot_come_out_of_it(begin: Begin) -> None:
    """Three burned unseen leave 49 of one deck: the fiftieth is refused, though nobody saw it before."""
    rig = begin(changes=[("decks: 8", "decks: 1"), ("{by: none}", "{by: fixed, cards: 3}")]).start()
    rig.does("start-shoe")
    for number in (1, 2, 3):
        rig.shoe.says(CardDrawn("burn", number, None))
    rig.sees("BetsOpened", coup=1)
    coup = OwnCoup()
    for number, card in enumerate(rank + suit for suit in "CDHS" for rank in "A23456789TJQK"):
        if not coup.is_on():
            rig.does("close-bets")
            coup = OwnCoup()
        rig.shoe.says(CardDrawn(*coup.take(card), card))
        if number == 49:
            break
        rig.sees("CardDealt", card=card)
        if not coup.is_on():
            rig.does("confirm")
    assert "every card of the shoe was out" in rig.held("shoe-empty")
    assert rig.refuses("resume") == "void-only"
    rig.does("void")
    rig.verifies()


def test_another_number_of_burn_cards_than_asked_for_is_taken_when_resumed(begin: Begin) -> None:
    rig = begin(changes=[("{by: none}", "{by: fixed, cards: 3}")]).start()
    rig.does("start-shoe")
    rig.shoe.says(CardDrawn("burn", 1, None))
    rig.shoe.says(CardDrawn("player", 1, "2H"))
    rig.held("burn-differs")
    rig.does("resume")
    rig.held("pre-close-card")
    rig.does("void")
    assert rig.state()["phase"] == "betting"
    rig.verifies()


def test_a_lost_report_stops_the_coup_and_the_card_is_entered(begin: Begin) -> None:
    """Fault 10."""
    rig = begin(faults=['{"card": 2, "do": "drop-report"}']).start()
    rig.begins_shoe()
    rig.does("close-bets")
    rig.shoe.draws(3)
    assert "a report of the shoe was lost" in rig.held("report-lost")
    rig.waits(1)
    assert rig.ask("card", place="banker-1", card="3C", reason="seen on the table")["ok"]
    rig.does("resume")
    rig.cards_out(3)
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=1)
    rig.does("confirm")
    goes_on(rig, coup=2)


def test_a_single_copy_is_told_and_the_second_still_confirms_it(begin: Begin) -> None:
    """Fault 9: two of three copies damaged."""
    rig = begin().start()
    rig.begins_shoe()
    rig.does("close-bets")
    frame = rig.shoe.frame(CardDrawn("player", 1, "2H"))
    rig.shoe.raw(frame + frame[:-1] + b"?" + frame[:3])
    rig.held("report-unconfirmed")
    assert rig.state()["player"] == []
    rig.shoe.raw(frame)
    rig.waits(1)
    rig.does("resume")
    assert rig.state()["player"] == ["2H"]


def test_twenty_damaged_frames_and_no_good_one_are_another_baud_rate(begin: Begin) -> None:
    """Fault 32."""
    rig = begin().start()
    rig.begins_shoe()
    rig.shoe.raw(b"\x05\xf9\x00\x03zz" * 25)
    assert "check baud rate" in rig.held("line-unreadable")
    assert rig.refuses("resume") == "not-yet"
    rig.shoe.says(StandBy())
    rig.waits(1)
    rig.does("resume")
    assert rig.state()["phase"] == "betting"


@pytest.mark.parametrize("code", [3, 4, 5, 7])
def test_an_error_of_the_shoe_lasts_until_the_shoe_says_that_it_is_over(begin: Begin, code: int) -> None:
    """Fault 28."""
    rig = begin().start()
    rig.begins_shoe()
    rig.does("close-bets")
    rig.shoe.says(CardDrawn("player", 1, "2H"))
    rig.shoe.says(DeviceError(code, error_mode=True))
    rig.held("shoe-error")
    assert rig.refuses("resume") == "not-yet"
    rig.shoe.says(DeviceErrorCleared(code))
    rig.sees("ShoeFaultOver", code=code)
    rig.does("resume")
    assert rig.state()["phase"] == "dealing"


def test_a_card_outside_play_is_a_matter_for_security_and_no_card_of_the_game(begin: Begin) -> None:
    """Fault 22."""
    rig = begin().start()
    rig.begins_shoe()
    rig.shoe.does("key lock")
    rig.shoe.draws()
    assert "2H came out outside play (lock mode)" in rig.held("card-outside-play")
    rig.shoe.does("key unlock")
    rig.waits(1)
    rig.does("resume")
    assert rig.state()["player"] == []
    goes_on(rig, coup=1)


def test_a_shoe_that_restarts_in_a_coup_keeps_the_coup(begin: Begin) -> None:
    """Fault 30."""
    rig = begin().start()
    rig.begins_shoe()
    rig.deals(3)
    rig.shoe.does("power")
    rig.held("shoe-restarted")
    rig.does("resume")
    assert rig.state()["phase"] == "dealing"
    assert rig.state()["player"] == ["2H", "2S"]
    rig.does("void")
    rig.sees("CoupVoided", coup=1)
    rig.verifies()


def test_a_restart_and_another_cover_each_other_in_the_count(begin: Begin) -> None:
    """Fault 11: after `S` the count begins anew, and it wraps after 9 in any case; no card is lost or doubled."""
    rig = begin(SIX_CARDS * 6).start()
    rig.begins_shoe()
    for coup in range(1, 5):
        rig.does("close-bets")
        rig.shoe.does("coup")
        rig.sees("CoupSettled", coup=coup)
        rig.does("confirm")
        if coup == 2:
            rig.shoe.does("power")
            rig.sees("ShoeReportNoted", what="start of communication")
    assert rig.recorded("CardDealt") == 24
    assert rig.recorded("TableHeld") == 0


def test_cards_of_an_unknown_shoe_ask_for_the_shoe_to_be_started(begin: Begin) -> None:
    rig = begin().start()
    rig.shoe.draws()
    rig.held("shoe-unknown")
    assert rig.refuses("resume") == "not-yet"
    rig.does("start-shoe")
    rig.sees("BetsOpened", coup=1)
    assert rig.state()["player"] == []


def test_a_result_that_is_not_ours_is_shown_with_ours(begin: Begin) -> None:
    """Faults 26 and 27."""
    rig = begin(faults=['{"card": 6, "do": "wrong-result"}']).start()
    rig.begins_shoe()
    rig.does("close-bets")
    rig.shoe.does("coup")
    text = rig.held("shoe-result-differs")
    assert "the shoe says banker, pairs player, ours is player, pairs player" in text
    rig.does("resume")
    assert rig.state()["phase"] == "settling"
    rig.does("confirm")
    goes_on(rig, coup=2)


def test_pairs_that_are_not_ours_hold_the_table_also_after_the_confirm(begin: Begin) -> None:
    """Fault 27; the bet stays settled by our own cards."""
    rig = begin().start()
    rig.begins_shoe()
    rig.bets(5, "player-pair", 10000)
    rig.does("close-bets")
    for number, card in enumerate(FOUR_CARDS):
        rig.shoe.says(CardDrawn("banker" if number % 2 else "player", number // 2 + 1, card))
    rig.sees("CoupSettled")
    rig.does("confirm")
    rig.shoe.says(OwnResult("player", "player"))
    assert "the shoe says player, pairs player, ours is player, pairs none" in rig.held("shoe-result-differs")
    rig.does("resume")
    assert rig.state()["last"]["lines"][0]["result"] == "lose"


def test_a_silent_shoe_is_a_notice_and_no_hold(begin: Begin) -> None:
    """Fault 7."""
    rig = begin(changes=[("quiet_s: 30", "quiet_s: 1")]).start()
    rig.begins_shoe()
    rig.deals(1)
    rig.sees("ShoeQuiet", seconds=1)
    rig.panel.shows_notice("info", "Waiting for a card")
    assert rig.state()["held"] is None
    rig.shoe.does("coup")
    rig.sees("CoupSettled")
    rig.panel.shows_notice("info", "")


def test_a_void_coup_keeps_its_number_and_its_cards_stay_out_of_the_shoe(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.bets(1, "player", 10000)
    rig.deals(5)
    rig.does("void")
    voided = rig.sees("CoupVoided", coup=1)
    assert voided["returned"] == 10000
    assert rig.state()["coup"] == 2
    assert rig.refuses("void") == "not-now"
    rig.panel.shows(phase="betting", coup="2")


def test_the_cut_card_in_a_coup_leaves_one_more_and_the_shoe_ends(begin: Begin) -> None:
    """Fault 29."""
    rig = begin().start()
    rig.begins_shoe()
    rig.deals(2)
    rig.shoe.does("cut", "coup")
    rig.sees("CoupSettled", coup=1)
    rig.does("confirm")
    rig.panel.shows_notice("info", "Last coup of this shoe")
    rig.does("close-bets")
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=2)
    rig.does("confirm")
    assert rig.sees("ShoeEnded")["coups"] == 2
    rig.panel.shows(phase="shoe-ended")
    rig.shoe.does("power")
    rig.sees("ShoeBegun", shoe=2)


def test_an_overdrawn_card_that_no_error_announced_is_only_kept(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.shoe.says(CardOverdrawn("player", 1, "5H"))
    rig.sees("CardKept", card="5H")
    rig.does("close-bets")
    rig.shoe.says(CardDrawn("player", 1, "5H"))
    rig.sees("CardDealt", card="5H")
