"""A table file that was edited: the shoe in play is dealt by the rules it began with, the next one by the new ones."""

from tests.emulated.program import until
from tests.emulated.rig import Begin, write_table


def test_an_edited_table_takes_effect_with_the_next_shoe(begin: Begin) -> None:
    """Faults 51 and 72."""
    rig = begin().start()
    rig.begins_shoe()
    before = rig.state()["rules"]
    rig.bets(1, "tie", 10000)
    rig.deals(3)
    write_table(rig.folder, changes=[("tie: {min: 10000, max: 500000", "tie: {min: 20000, max: 500000")])
    assert rig.state()["rules"] == before, "a file is read at the start alone"
    rig.restart()
    rig.program.says("the configuration was changed: it takes effect with the next shoe")
    assert rig.state()["rules"] == before
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=1)
    rig.does("confirm")
    rig.held("program-changed")
    assert rig.ask("accept-change", name="A. Supervisor", reason="new limits")["ok"]
    rig.bets(1, "tie", 10000)
    rig.does("end-shoe", "start-shoe")
    after = rig.state()["rules"]
    assert after != before
    assert rig.sees("ShoeBegun", shoe=2)["rules"] == after
    assert rig.refuses("bet", seat=1, wager="tie", stake=10000) == "below-minimum"
    rig.restart()
    assert rig.state()["rules"] == after
    assert rig.stop().code == 0
    rig.verifies()


def test_a_timed_betting_period_starts_anew_after_a_restart(begin: Begin) -> None:
    rig = begin(changes=[("{close: button,", "{close: timer, seconds: 60,")]).start()
    rig.begins_shoe()
    rig.panel.shows(phase="betting", seconds="58")
    painted = len(rig.panel.boards)
    rig.restart()
    until(lambda: rig.panel.boards[painted:])
    assert rig.panel.boards[painted].coup["seconds"] in ("60", "59")
