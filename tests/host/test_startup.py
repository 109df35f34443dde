"""From a table's file to a table at work: what keeps it from starting, and the state as the journal bears it."""

import os
import signal
import sqlite3
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.game.cards import parse_card
from controller.host import startup
from controller.host.config import TableFile, load_table
from controller.host.journal import DiskTrouble, Journal
from controller.host.live_table import LiveTable
from controller.host.recorded_rules import RecordedRules, texts_of
from controller.host.startup import CannotStart, RunOptions, rebuilt, run_table
from controller.table.inputs import CardRead, CloseBets, LinkState, PlaceBet, ProgramStarted, StartShoe, Target
from controller.table.machine import Phase
from controller.table.state import new_table

CONFIG = Path(__file__).parents[2] / "config"
SIMULATED = "driver: angel-eye\n  port: /dev/punto-demo-shoe\n  baud: 4800\n  copies: 3\n"
SCREEN = "driver: panel\n  port: /dev/punto-demo-panel\n  baud: 115200\n"


@pytest.fixture
def table_file(tmp_path: Path) -> Path:
    """A table that needs no port."""
    text = (CONFIG / "tables" / "demo.yaml").read_text()
    text = text.replace("../paytables/", f"{CONFIG}/paytables/").replace(SIMULATED, "driver: simulated\n")
    path = tmp_path / "table.yaml"
    path.write_text(text.replace(SCREEN, "driver: none\n").replace("{by: first-card, ace: 1, court: 10}", "{by: none}"))
    return path


@pytest.fixture
def file(table_file: Path) -> TableFile:
    return load_table(table_file)


def begun(path: Path, file: TableFile) -> Journal:
    """A journal of a table in its first coup."""
    journal = Journal.open(path, file.rules.table, file.rules.simulation)
    journal.add_configuration(file.rules.identity, texts_of(file))
    table = LiveTable(journal, new_table(file.rules), lambda: datetime.now(UTC))
    table.take(ProgramStarted(0, file.rules, "1", LinkState.UP, LinkState.NONE))
    table.order(StartShoe(1), "s")
    table.order(PlaceBet(2, 1, "tie", 10000), "b")
    table.order(CloseBets(3), "c")
    table.take(CardRead(4, Target.PLAYER, 1, parse_card("TH")))
    return journal


def test_an_empty_journal_bears_a_table_without_a_shoe(tmp_path: Path, file: TableFile) -> None:
    journal = Journal.open(tmp_path / "j", file.rules.table, file.rules.simulation)
    assert rebuilt(journal, file.rules) == new_table(file.rules)
    journal.close()


def test_the_state_is_what_the_recorded_inputs_make(tmp_path: Path, file: TableFile) -> None:
    begun(tmp_path / "j", file).close()
    journal = Journal.open(tmp_path / "j", file.rules.table, file.rules.simulation)
    state = rebuilt(journal, file.rules)
    journal.close()
    assert state.phase is Phase.DEALING
    assert [str(card) for card in state.hands.player] == ["TH"]
    assert [(bet.wager, bet.stake) for bet in state.bets] == [("tie", 10000)]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE inputs SET kind = 'Confirm' WHERE kind = 'CloseBets'",
        "UPDATE shoes SET state = '{}'",
        "UPDATE configurations SET text = 'name: other'",
        "DELETE FROM events WHERE kind = 'BetPlaced'",
        "DROP TABLE shoes",
    ],
)
def test_a_record_that_bears_no_state_is_tilt(
    tmp_path: Path, file: TableFile, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = begun(tmp_path / "j", file)
    with sqlite3.connect(tmp_path / "j") as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(change)
    connection.close()
    assert rebuilt(journal, file.rules).phase is Phase.TILT
    said = capsys.readouterr().err
    assert said.startswith("tilt: ")
    assert said.count("\n") == 1
    journal.close()


def test_kept_rules_are_read_again_only_when_they_are_the_same(file: TableFile) -> None:
    kept = texts_of(file)
    identity = file.rules.identity
    assert RecordedRules({identity: kept})[identity] == file.rules
    other = {**kept, "paytable": kept["paytable"].replace("8:1", "9:1")}
    with pytest.raises(startup.RecordUnreadable, match="is not what was written"):
        RecordedRules({identity: other})[identity]


@pytest.mark.parametrize("missing", ["table", "paytable"])
def test_kept_rules_of_which_a_file_is_missing_are_said(
    tmp_path: Path, file: TableFile, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether they are the rules that were played by or today's alone."""
    journal = begun(tmp_path / "j", file)
    with sqlite3.connect(tmp_path / "j") as connection:
        connection.execute(f"UPDATE configurations SET name = 'other' WHERE name = '{missing}'")
    connection.close()
    assert rebuilt(journal, file.rules).phase is Phase.TILT
    assert f"tilt: a configuration was kept without its {missing} (punto journal" in capsys.readouterr().err
    journal.close()


def options(table_file: Path, tmp_path: Path) -> RunOptions:
    return RunOptions(table_file, journal=tmp_path / "j", control=tmp_path / "c")


def test_it_runs_until_a_signal_and_gives_everything_back(
    tmp_path: Path, table_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(signal.SIGTERM)

    def end_it() -> None:
        while signal.getsignal(signal.SIGTERM) is before:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    ending = threading.Thread(target=end_it, daemon=True)
    ending.start()
    run_table(options(table_file, tmp_path))
    ending.join()
    assert "ready table=demo phase=no-shoe" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGTERM) is before
    assert not (tmp_path / "c").exists()
    Journal.open(tmp_path / "j", "demo", simulation=True).close()


@pytest.mark.parametrize("what", ["table", "journal", "control", "home"])
def test_why_it_cannot_start_is_one_line(
    tmp_path: Path, table_file: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = options(table_file, tmp_path)
    match what:
        case "table":
            asked = RunOptions(tmp_path / "missing")
        case "journal":
            (tmp_path / "j").mkdir()
        case "control":
            (tmp_path / "c").write_text("mine")
        case _:
            taken = tmp_path / "tmp"
            taken.mkdir()
            (taken / f"punto-{os.geteuid()}").write_text("a trap")
            monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
            monkeypatch.setattr("tempfile.tempdir", str(taken))
            asked = RunOptions(table_file, journal=tmp_path / "j")
    with pytest.raises(CannotStart) as why:
        run_table(asked)
    assert str(why.value).isprintable()


def test_a_disk_that_is_full_when_the_configuration_is_kept(
    tmp_path: Path, table_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise DiskTrouble("journal j could not be written: no space is left: free some space", final=False)

    monkeypatch.setattr(Journal, "add_configuration", full)
    with pytest.raises(CannotStart, match="no space is left"):
        run_table(options(table_file, tmp_path))
    assert not (tmp_path / "c").exists()
