"""A record that does not bear the state: the table closes, nothing more is written, and `verify` names the record."""

import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.host.config import load_table
from controller.host.journal import Journal
from controller.host.recorded_rules import texts_of
from controller.table.inputs import CloseBets, LinkState, ProgramStarted, StartShoe
from controller.table.state import new_table
from controller.table.table import step
from tests.emulated.program import punto
from tests.emulated.rig import Begin, Rig
from tests.host.recorded_values import append

SPOILT = {
    "an event": "UPDATE events SET body = replace(body, '\"2S\"', '\"3S\"') WHERE kind = 'CardDealt'",
    "an input": "UPDATE inputs SET body = replace(body, '\"2S\"', '\"3S\"') WHERE kind = 'CardRead'",
    "the bytes": "UPDATE inputs SET raw = x'00' WHERE kind = 'CardRead'",
    "an event taken out": "DELETE FROM events WHERE kind = 'BetsClosed'",
    "an input taken out": "DELETE FROM inputs WHERE kind = 'CloseBets'",
    "no JSON": "UPDATE events SET body = 'card' WHERE kind = 'BetsClosed'",
    "no UTF-8": "UPDATE events SET body = CAST(x'ff7b' AS TEXT) WHERE kind = 'BetsClosed'",
    "a number for a text": "UPDATE inputs SET body = 7 WHERE kind = 'CloseBets'",
    "an order's answer": "UPDATE inputs SET answer = '{}' WHERE kind = 'CloseBets'",
    "the state of a shoe": "UPDATE shoes SET state = replace(state, '\"coup\":1', '\"coup\":7')",
    "the rules": "UPDATE configurations SET text = replace(text, '8:1', '9:1') WHERE name = 'paytable'",
    "the rules taken out": "DELETE FROM configurations",
    "the last record taken out": "DELETE FROM events WHERE input = (SELECT max(seq) FROM inputs)",
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a table that was stopped in its first coup, after three cards."""
    folder = tmp_path_factory.mktemp("recorded")
    rig = Rig(folder)
    try:
        rig.start()
        rig.begins_shoe()
        rig.bets(1, "player", 10000)
        rig.deals(3)
        assert rig.stop().code == 0
    finally:
        rig.close()
    return rig.journal


def with_journal(rig: Rig, recorded: Path) -> None:
    shutil.copy(recorded, rig.journal)
    shutil.copytree(recorded.parent / "keys", rig.journal.parent / "keys")


def change(journal: Path, statement: str) -> None:
    connection = sqlite3.connect(journal)
    try:
        connection.execute("PRAGMA foreign_keys = OFF")
        assert connection.execute(statement).rowcount > 0, statement
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


@pytest.mark.parametrize("spoilt", SPOILT)
def test_a_record_that_was_changed_closes_the_table(begin: Begin, recorded: Path, spoilt: str) -> None:
    """Fault 61."""
    rig = begin()
    with_journal(rig, recorded)
    change(rig.journal, SPOILT[spoilt])

    verdict = punto(rig.folder, "journal", "verify", rig.journal)
    assert verdict.code == 1
    assert "journal differs after" in verdict.out
    assert "record" in verdict.out or "configuration" in verdict.out or "events" in verdict.out

    rig.launch()
    assert rig.ready() == "tilt"
    (said,) = [line for line in rig.program.err.splitlines() if line.startswith("tilt: ")]
    assert f"punto journal verify {rig.journal} says more" in said
    rig.panel.shows_notice("tilt", "Table closed")
    rows = rig.rows("SELECT count(*) FROM inputs")
    for order in ("close-bets", "confirm", "void", "resume", "start-shoe", "end-shoe", "open-bets"):
        assert rig.refuses(order) == "tilt"
    assert rig.refuses("bet", seat=1, wager="player", stake=10000) == "tilt"
    assert rig.refuses("card", place="banker-2", card="KD", reason="seen") == "tilt"
    rig.shoe.draws(2)
    assert rig.state()["phase"] == "tilt"
    next(rig.client.events(0, 5), None)
    assert rig.rows("SELECT count(*) FROM inputs") == rows
    assert rig.stop().code == 0


def test_an_untouched_copy_of_the_same_journal_goes_on(begin: Begin, recorded: Path) -> None:
    """What the tests above rest on."""
    rig = begin()
    with_journal(rig, recorded)
    rig.launch()
    assert rig.ready() == "dealing"
    assert rig.state()["player"] == ["2H", "2S"]


def test_an_older_copy_closes_the_table(begin: Begin) -> None:
    """Fault 62: an older state of the journal is put in the place of the newer."""
    rig = begin().start()
    rig.begins_shoe()
    assert rig.stop().code == 0
    older = rig.journal.read_bytes()
    rig.launch()
    rig.ready()
    rig.bets(1, "player", 10000)
    assert rig.stop().code == 0
    rig.journal.write_bytes(older)
    assert "but" in punto(rig.folder, "journal", "verify", rig.journal).out
    rig.launch()
    assert rig.ready() == "tilt"


def test_events_that_do_not_follow_from_their_input_close_the_table(begin: Begin) -> None:
    """Every row is what was written, and still the record does not bear the state."""
    rig = begin()
    file = load_table(rig.table_file, shoe_port="/dev/a", display_port="/dev/b")
    journal = Journal.open(rig.journal, file.rules.table, file.rules.simulation)
    journal.add_configuration(file.rules.identity, texts_of(file))
    started = ProgramStarted(0, file.rules, "1", LinkState.UP, LinkState.NONE)
    state, events = step(new_table(file.rules), started)
    append(journal, started, b"", events, at_utc=datetime.now(UTC))
    _, events = step(state, StartShoe(1))
    append(journal, CloseBets(1), b"", events, at_utc=datetime.now(UTC))
    journal.close()

    verdict = punto(rig.folder, "journal", "verify", rig.journal)
    assert verdict.code == 1
    assert "record 2 (CloseBets" in verdict.out
    rig.launch()
    assert rig.ready() == "tilt"
    assert "record 2 of journal" in rig.program.err
