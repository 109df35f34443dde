"""A table conducts a coup from the first bet to the next one's, over real ports."""

from tests.emulated.rig import Begin


def test_a_coup_of_six_cards_is_dealt_settled_and_shown(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.bets(1, "player", 10000)
    rig.bets(2, "banker", 20000)
    rig.does("close-bets")
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=1)
    rig.sees("ShoeResultAgreed")

    last = rig.state()["last"]
    assert (last["player"], last["banker"]) == (["2H", "2S", "4D"], ["3C", "KD", "AC"])
    assert (last["winner"], last["player_total"], last["banker_total"]) == ("player", 8, 4)
    assert (last["staked"], last["returned"], last["house_net"]) == (30000, 20000, 10000)
    board = rig.panel.shows(phase="settling", outcome="player", pairs="player", pt="8", bt="4")
    assert board.coup["p"] == "2H,2S,4D"
    assert board.road["codes"] == "Q8"
    assert board.sim

    rig.does("confirm")
    rig.panel.shows(phase="betting", coup="2")
    assert rig.stop().code == 0
    rig.verifies()
