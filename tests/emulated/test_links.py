"""Cables pulled and put back, at any moment: the table is held or goes on without its screen, and loses nothing."""

import pytest

from drivers.contracts import CardDrawn
from tests.emulated.rig import SIX_CARDS, Begin, Rig, now_ms

pytestmark = pytest.mark.untraced

OUT_MS = 150


def is_back(rig: Rig) -> None:
    rig.sees("LinkCameUp", link="shoe")


@pytest.mark.parametrize("wire", ["pty", "tcp"])
def test_a_shoe_unplugged_between_coups_holds_the_table_until_it_is_back(begin: Begin, wire: str) -> None:
    """Fault 1."""
    rig = begin(wire=wire).start()
    rig.begins_shoe()
    rig.shoe_cable.pull()
    assert "the line to the shoe is lost" in rig.held("shoe-link-lost")
    assert rig.state()["links"]["shoe"] == "down"
    assert rig.refuses("resume") == "not-yet"
    rig.panel.shows(phase="held")
    rig.shoe_cable.put_back()
    is_back(rig)
    assert "the line to the shoe is back" in rig.state()["held"]["text"]
    rig.does("resume", "close-bets")
    rig.shoe.does("coup")
    rig.sees("CoupSettled")
    assert rig.stop().code == 0
    rig.verifies()


@pytest.mark.parametrize("card", [1, 2, 3, 4, 5, 6])
def test_a_shoe_unplugged_after_a_card_keeps_all_cards(begin: Begin, card: int) -> None:
    """Fault 2."""
    rig = begin(faults=[f'{{"card": {card}, "do": "unplug {OUT_MS}"}}']).start()
    rig.begins_shoe()
    rig.does("close-bets")
    rig.shoe.draws(card)
    rig.held("shoe-link-lost")
    is_back(rig)
    state = rig.state()
    assert len(state["player"] + state["banker"]) == card
    rig.does("resume")
    if card < 6:
        rig.shoe.draws(6 - card)
        rig.sees("CoupSettled")
    assert rig.state()["player"] == ["2H", "2S", "4D"]
    assert rig.state()["banker"] == ["3C", "KD", "AC"]
    rig.verifies()


@pytest.mark.parametrize("wire", ["pty", "tcp"])
def test_the_bytes_just_before_an_unplugging_count(begin: Begin, wire: str) -> None:
    """Fault 3: what the kernel still holds is read before the line counts as lost."""
    rig = begin(wire=wire).start()
    rig.begins_shoe()
    rig.does("close-bets")
    for number, (target, index, card) in enumerate([("player", 1, "2H"), ("banker", 1, "3C"), ("player", 2, "2S")]):
        with rig.bench.lock:
            rig.shoe.says(CardDrawn(target, index, card), copies=2)
            rig.shoe_cable.pull(20)
        rig.sees("CardDealt", card=card)
        rig.held("shoe-link-lost")
        is_back(rig)
        rig.does("resume")
        assert rig.state()["phase"] == "dealing", number
    assert rig.recorded("CardDealt") == 3


@pytest.mark.parametrize("length", [1, 4, 7])
def test_half_a_frame_is_no_card(begin: Begin, length: int) -> None:
    """Fault 4."""
    rig = begin().start()
    rig.begins_shoe()
    rig.does("close-bets")
    frame = rig.shoe.frame(CardDrawn("player", 1, "2H"))
    rig.shoe.raw(frame[:length])
    rig.shoe_cable.pull(OUT_MS)
    rig.held("shoe-link-lost")
    is_back(rig)
    rig.does("resume")
    assert rig.state()["player"] == []
    assert frame[:length].hex(" ") in rig.trace.read_text()
    rig.shoe.raw(frame * 2)
    rig.cards_out(1)


def test_a_screen_pulled_out_in_a_coup_never_stops_the_dealing(begin: Begin) -> None:
    """Fault 37."""
    rig = begin().start()
    rig.begins_shoe()
    rig.panel.shows(phase="betting")
    rig.does("close-bets")
    rig.shoe.draws(2)
    rig.panel_cable.pull()
    rig.sees("LinkWentDown", link="display")
    assert rig.state()["links"]["display"] == "down"
    rig.shoe.draws(4)
    rig.sees("CoupSettled")
    rig.panel_cable.put_back()
    rig.sees("LinkCameUp", link="display")
    board = rig.panel.shows(phase="settling", outcome="player")
    assert board.road["codes"] == "Q8"
    assert rig.recorded("TableHeld") == 0


def test_a_screen_that_stops_reading_never_stops_the_dealing(begin: Begin) -> None:
    """Fault 38."""
    rig = begin(SIX_CARDS * 8).start()
    rig.begins_shoe()
    rig.panel.shows(phase="betting")
    rig.panel.panel.misbehaviour.stops_reading = True
    for coup in range(1, 6):
        rig.does("close-bets")
        rig.shoe.does("coup")
        rig.sees("CoupSettled", coup=coup)
        rig.does("confirm")
    rig.sees("LinkWentDown", link="display")
    rig.panel.panel.misbehaviour.stops_reading = False
    board = rig.panel.shows(phase="betting", coup="6")
    assert board.road["codes"] == "Q8" * 5


def test_a_panel_that_restarts_is_painted_in_full(begin: Begin) -> None:
    """Fault 40."""
    rig = begin().start()
    rig.begins_shoe()
    rig.deals(4)
    rig.panel.shows(phase="player-rule")
    with rig.bench.lock:
        rig.panel.panel.restart("0D0D0D0D", now_ms())
    assert rig.panel.is_covered()
    board = rig.panel.shows(phase="player-rule", call="player-draws", p="2H,2S", b="3C,KD")
    assert board.table == "Demonstration"
    assert len(board.limits) == 9


def test_a_key_of_the_panel_is_a_touch_of_the_dealer_once(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.panel.shows(phase="betting")
    rig.panel.press("close-bets")
    rig.panel.press("close-bets")
    rig.sees("BetsClosed")
    rig.panel.shows(phase="bets-closed")
    rig.panel.press("void")
    rig.panel.press("open-bets")
    rig.sees("BetsReopened")
    assert rig.recorded("CoupVoided") == 0
    assert rig.recorded("BetsClosed") == 1


@pytest.mark.parametrize("wire", ["pty", "tcp"])
def test_a_start_in_mid_coup_without_the_shoe_holds_and_keeps_trying(begin: Begin, wire: str) -> None:
    rig = begin(wire=wire).start()
    rig.begins_shoe()
    rig.deals(2)
    rig.kill()
    rig.shoe_cable.pull()
    rig.shoe_cable.is_out()
    rig.launch()
    assert rig.ready() == "held"
    assert "a shoe is in play: trying again" in rig.program.err
    state = rig.state()
    assert (state["held"]["reason"], state["links"]["shoe"]) == ("shoe-link-lost", "down")
    assert rig.refuses("resume") == "not-yet"
    assert state["player"] == ["2H"]
    rig.shoe_cable.put_back()
    is_back(rig)
    rig.does("resume")
    rig.shoe.does("coup")
    rig.sees("CoupSettled")
    rig.verifies()


@pytest.mark.parametrize("wire", ["pty", "tcp"])
def test_a_start_in_mid_coup_without_the_screen_deals_and_paints_when_it_comes(begin: Begin, wire: str) -> None:
    rig = begin(wire=wire).start()
    rig.begins_shoe()
    rig.deals(2)
    rig.kill()
    rig.panel_cable.pull()
    rig.panel_cable.is_out()
    rig.launch()
    assert rig.ready() == "dealing"
    assert rig.state()["links"] == {"shoe": "up", "display": "down"}
    rig.shoe.does("coup")
    rig.sees("CoupSettled")
    rig.panel_cable.put_back()
    rig.panel.shows(phase="settling", outcome="player")
    rig.sees("LinkCameUp", link="display")
    assert rig.state()["links"]["display"] == "up"
    assert rig.recorded("TableHeld") == 0
