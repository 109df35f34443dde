"""Another program or another configuration than before the last stop: nobody bets on it before somebody accepts it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.emulated.rig import Begin, Rig, write_table
from tests.emulated.spoiling import other_program

LIMIT, OTHER_LIMIT = "tie: {min: 10000, max: 500000", "tie: {min: 20000, max: 500000"
WHO = {"name": "A. Supervisor", "reason": "release 7, memo 41"}


def edit(rig: Rig) -> None:
    write_table(rig.folder, changes=[(LIMIT, OTHER_LIMIT)])


def start_again(rig: Rig, *, before: Callable[[], None] | None = None) -> str:
    rig.launch(before=before)
    return rig.ready()


def accept(rig: Rig) -> None:
    answer = rig.ask("accept-change", **WHO)
    assert answer["ok"], answer


def test_the_first_start_needs_nobody_and_nor_does_one_without_a_change(begin: Begin) -> None:
    rig = begin().start()
    assert rig.state()["changes"] == []
    assert rig.stop().code == 0
    assert start_again(rig) == "no-shoe"
    assert rig.refuses("accept-change", **WHO) == "no-change"


def test_an_edited_table_starts_no_shoe_before_it_is_accepted(begin: Begin) -> None:
    """Fault 51."""
    rig = begin().start()
    before = rig.state()["rules"]
    assert rig.stop().code == 0
    edit(rig)
    assert start_again(rig) == "held"
    state = rig.state()
    assert state["held"]["reason"] == "program-changed"
    assert (state["changes"], state["rules"]) == (["configuration"], before)
    rig.program.says("punto ctl accept-change before bets open")
    rig.panel.shows_notice("hold", "One moment, please")
    assert rig.refuses("start-shoe") == "held"
    assert rig.refuses("resume") == "not-yet"
    accept(rig)
    state = rig.state()
    assert (state["phase"], state["changes"]) == ("no-shoe", [])
    assert state["rules"] != before
    rig.begins_shoe()
    assert rig.refuses("bet", seat=1, wager="tie", stake=10000) == "below-minimum"
    assert rig.stop().code == 0
    assert start_again(rig) == "betting"
    rig.verifies()


def test_who_and_why_and_what_was_before_are_on_record(begin: Begin) -> None:
    rig = begin().start()
    before = rig.state()["rules"]
    rig.stop()
    edit(rig)
    start_again(rig)
    accept(rig)
    after = rig.state()["rules"]
    ((body,),) = rig.rows("SELECT body FROM events WHERE kind = 'ChangeAccepted'")
    told = json.loads(body)
    assert (told["name"], told["reason"]) == (WHO["name"], WHO["reason"])
    assert told["changes"] == [{"what": "configuration", "before": before, "after": after}]
    ((body,),) = rig.rows("SELECT body FROM inputs WHERE kind = 'ProgramStarted' ORDER BY seq LIMIT 1")
    started = json.loads(body)
    assert all(len(started[part]) == 64 for part in ("tableau", "transitions", "files", "rules"))


def test_a_name_and_a_reason_are_asked_for(begin: Begin) -> None:
    rig = begin().start()
    rig.stop()
    edit(rig)
    start_again(rig)
    assert rig.refuses("accept-change", name="A. Supervisor") == "no-reason"
    assert rig.refuses("accept-change", reason="release 7") == "no-name"
    assert rig.refuses("accept-change", name=" ", reason="release 7") == "no-name"
    assert rig.state()["phase"] == "held"


def test_bets_that_were_open_are_not_open_any_more_until_it_is_accepted(begin: Begin) -> None:
    """Fault 72: the shoe in play keeps its rules, the next one has the new ones."""
    rig = begin().start()
    rig.begins_shoe()
    rig.bets(1, "tie", 10000)
    before = rig.state()["rules"]
    rig.stop()
    edit(rig)
    assert start_again(rig) == "held"
    for order in ("close-bets", "end-shoe", "resume"):
        rig.refuses(order)
    assert rig.refuses("bet", seat=1, wager="tie", stake=10000) == "held"
    assert rig.state()["bets"] == [{"seat": 1, "wager": "tie", "stake": 10000}]
    accept(rig)
    state = rig.state()
    assert (state["phase"], state["rules"]) == ("betting", before)
    assert state["bets"] == [{"seat": 1, "wager": "tie", "stake": 10000}]
    rig.bets(1, "tie", 10000)
    rig.does("end-shoe", "start-shoe")
    assert rig.state()["rules"] != before
    assert rig.stop().code == 0
    assert start_again(rig) == "betting", "what was accepted once is accepted"
    rig.verifies()


def test_what_was_put_back_needs_no_accepting(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.stop()
    edit(rig)
    assert start_again(rig) == "held"
    rig.stop()
    write_table(rig.folder)
    assert start_again(rig) == "held", "no hold ends by itself"
    rig.does("resume")
    assert rig.state()["phase"] == "betting"
    rig.stop()
    assert start_again(rig) == "betting"
    rig.verifies()


def test_a_coup_in_play_is_dealt_to_its_end_and_the_next_waits(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.bets(1, "player", 10000)
    rig.deals(3)
    rig.stop()
    assert start_again(rig, before=other_program) == "dealing"
    assert rig.state()["changes"] == ["version", "tableau", "files"]
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=1)
    assert rig.state()["last"]["returned"] == 20000
    rig.does("confirm")
    rig.held("program-changed")
    assert rig.state()["coup"] == 2
    accept(rig)
    rig.bets(1, "player", 10000)
    rig.verifies()


def test_the_hold_outlives_a_kill_and_a_card_waits_in_it(begin: Begin) -> None:
    rig = begin(changes=[("{close: button,", "{close: first-card,")]).start()
    rig.begins_shoe()
    rig.stop()
    start_again(rig, before=other_program)
    rig.shoe.draws(2)
    rig.waits(2)
    rig.kill()
    assert start_again(rig, before=other_program) == "held"
    state = rig.state()
    assert (state["held"]["reason"], state["held"]["waiting"]) == ("program-changed", 2)
    assert state["player"] == []
    accept(rig)
    state = rig.state()
    assert (state["phase"], state["player"], state["banker"]) == ("dealing", ["2H"], ["3C"])
    rig.verifies()


def test_a_shoe_that_powers_up_meanwhile_begins_once_it_is_accepted(begin: Begin) -> None:
    rig = begin().start()
    rig.stop()
    start_again(rig, before=other_program)
    rig.shoe.does("power")
    rig.waits(1)
    assert rig.state()["shoe"] == 0
    accept(rig)
    assert (rig.state()["phase"], rig.state()["shoe"]) == ("betting", 1)
    rig.verifies()


def test_bets_do_not_open_when_another_hold_ends(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.shoe.draws(1)
    rig.held("pre-close-card")
    rig.stop()
    start_again(rig, before=other_program)
    assert rig.state()["held"]["reason"] == "pre-close-card", "what held at power-off holds at power-on"
    assert rig.refuses("resume") == "not-yet"
    rig.does("void")
    rig.held("program-changed")
    accept(rig)
    assert rig.state()["phase"] == "betting"
    rig.verifies()


@pytest.mark.parametrize("changed", ["edited", "updated"])
def test_an_order_to_accept_by_the_command_line(begin: Begin, changed: str, tmp_path: Path) -> None:
    from tests.emulated.program import punto

    rig = begin().start()
    rig.stop()
    if changed == "edited":
        edit(rig)
    start_again(rig, before=other_program if changed == "updated" else None)
    words = ("ctl", "--control", rig.control, "accept-change")
    assert punto(tmp_path, *words).code == 2
    done = punto(tmp_path, *words, "--name", WHO["name"], "--reason", WHO["reason"])
    assert (done.code, done.out) == (0, "done: accept-change; no-shoe, shoe 0, coup 0\n")
