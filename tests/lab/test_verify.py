"""A journal read back: what is recorded must follow from what is recorded."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.game.cards import parse_card
from controller.host.config import TableFile, load_table
from controller.host.journal import Journal
from controller.host.journal_reader import JournalReader
from controller.host.live_table import LiveTable
from controller.host.recorded_rules import texts_of
from controller.lab.verify import Verified, verify
from controller.lab.watching import last
from controller.table.inputs import CardRead, CloseBets, Confirm, LinkState, ProgramStarted, StartShoe, Target
from controller.table.state import new_table
from controller.table.table import step

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
FOUR = [("player", 1, "9H"), ("banker", 1, "2C"), ("player", 2, "KS"), ("banker", 2, "3D")]


@pytest.fixture(scope="module")
def file() -> TableFile:
    return load_table(Path(__file__).parents[2] / "config" / "tables" / "demo.yaml")


def write(path: Path, file: TableFile, coups: int) -> Journal:
    """A journal of a table that dealt so many coups; still open."""
    journal = Journal.open(path, file.rules.table, file.rules.simulation)
    journal.add_configuration(file.rules.identity, texts_of(file))
    table = LiveTable(journal, new_table(file.rules), lambda: NOON)
    table.take(ProgramStarted(0, file.rules, "1", LinkState.UP, LinkState.NONE))
    table.order(StartShoe(1), "start")
    table.take(CardRead(2, Target.FIRST, 1, parse_card("AH")))
    table.take(CardRead(2, Target.BURN, 1, None))
    for coup in range(coups):
        assert table.order(CloseBets(3), f"close {coup}")["ok"]
        for target, index, card in FOUR:
            table.take(CardRead(4, Target(target), index, parse_card(card)))
        assert table.order(Confirm(5), f"confirm {coup}")["ok"]
    return journal


def read(path: Path) -> Verified:
    with JournalReader(path) as reader:
        return last(verify(reader))


def test_a_good_journal_is_counted(tmp_path: Path, file: TableFile) -> None:
    write(tmp_path / "j", file, coups=3).close()
    verdict = read(tmp_path / "j")
    assert (verdict.difference, verdict.coups) == ("", 3)
    assert verdict.inputs == 4 + 3 * 6
    assert verdict.events > verdict.inputs


def test_a_journal_is_read_while_the_table_writes_it(tmp_path: Path, file: TableFile) -> None:
    journal = write(tmp_path / "j", file, coups=1)
    try:
        assert read(tmp_path / "j").difference == ""
    finally:
        journal.close()


def test_an_empty_journal_is_good(tmp_path: Path, file: TableFile) -> None:
    Journal.open(tmp_path / "j", "demo", simulation=True).close()
    assert read(tmp_path / "j") == Verified()


def test_a_coup_paid_otherwise_than_the_rules_say_is_found(tmp_path: Path, file: TableFile) -> None:
    """The chain is right, for this program wrote it: only the arithmetic is not."""
    journal = write(tmp_path / "j", file, coups=0)
    state = new_table(file.rules)
    state, _ = step(state, ProgramStarted(0, file.rules, "1", LinkState.UP, LinkState.NONE))
    state, events = step(state, StartShoe(1))
    journal.append(CloseBets(9), b"", events, at_utc=NOON)
    journal.close()
    verdict = read(tmp_path / "j")
    assert "(CloseBets, 2026-03-01T12:00:00.000Z)" in verdict.difference
    assert "it should" in verdict.difference
    assert "\n" not in verdict.difference


def test_a_state_that_does_not_follow_is_found(tmp_path: Path, file: TableFile) -> None:
    journal = Journal.open(tmp_path / "j", file.rules.table, file.rules.simulation)
    journal.add_configuration(file.rules.identity, texts_of(file))
    started = ProgramStarted(0, file.rules, "1", LinkState.UP, LinkState.NONE)
    state, events = step(new_table(file.rules), started)
    journal.append(started, b"", events, at_utc=NOON)
    _, events = step(state, StartShoe(1))
    journal.append(StartShoe(1), b"", events, at_utc=NOON, state_after=state)
    journal.close()
    assert "the state kept with it is not the one that follows" in read(tmp_path / "j").difference
