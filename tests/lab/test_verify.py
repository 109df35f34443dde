"""A journal read back: what is recorded must follow from what is recorded."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest

from controller.game.cards import parse_card
from controller.game.coup import Natural
from controller.host.config import TableFile, load_table
from controller.host.journal import Journal
from controller.host.journal_key import make_key
from controller.host.journal_reader import JournalReader
from controller.host.live_table import LiveTable
from controller.host.recorded_rules import texts_of
from controller.lab.journal_replay import replay
from controller.lab.verify import Verified, verify
from controller.lab.watching import last
from controller.table.events import BetPlaced, CardDealt, CoupSettled, Event, NaturalsChecked
from controller.table.inputs import CardRead, CloseBets, Confirm, LinkState, PlaceBet, ProgramStarted, StartShoe, Target
from controller.table.state import new_table
from controller.table.table import step
from tests.host.recorded_values import append

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


def test_events_of_another_input_are_found(tmp_path: Path, file: TableFile) -> None:
    """The chain is right, for this program wrote it: only what follows is not."""
    journal = write(tmp_path / "j", file, coups=0)
    state = new_table(file.rules)
    state, _ = step(state, ProgramStarted(0, file.rules, "1", LinkState.UP, LinkState.NONE))
    state, events = step(state, StartShoe(1))
    append(journal, CloseBets(9), b"", events, at_utc=NOON)
    journal.close()
    verdict = read(tmp_path / "j")
    assert "(CloseBets, 2026-03-01T12:00:00.000Z)" in verdict.difference
    assert "they should be" in verdict.difference
    assert "\n" not in verdict.difference


def test_a_state_that_does_not_follow_is_found(tmp_path: Path, file: TableFile) -> None:
    journal = Journal.open(tmp_path / "j", file.rules.table, file.rules.simulation)
    journal.add_configuration(file.rules.identity, texts_of(file))
    started = ProgramStarted(0, file.rules, "1", LinkState.UP, LinkState.NONE)
    state, events = step(new_table(file.rules), started)
    append(journal, started, b"", events, at_utc=NOON)
    _, events = step(state, StartShoe(1))
    append(journal, StartShoe(1), b"", events, at_utc=NOON, state_after=state)
    journal.close()
    with JournalReader(tmp_path / "j") as reader:
        assert "the state kept with it is not the one that follows" in last(replay(reader)).difference


def forged(path: Path, file: TableFile, change: Callable[[list[Event]], list[Event]]) -> str:
    """What verify says of a coup whose events this program wrote, with the right chain, after `change`."""
    journal = write(path, file, coups=0)
    begun, _ = journal.replay_from_last_shoe({file.rules.identity: file.rules})
    journal.close()
    journal = Journal.open(path, file.rules.table, file.rules.simulation)
    assert begun is not None
    state, inputs = begun, [PlaceBet(2, 1, "banker", 10_000), CloseBets(3)]
    inputs += [CardRead(4, Target(target), index, parse_card(card)) for target, index, card in FOUR]
    for what in (*inputs, Confirm(5)):
        state, events = step(state, what)
        append(journal, what, b"", change(list(events)), at_utc=NOON)
    journal.close()
    return read(path).difference


def paid_more(event: Event) -> Event:
    if not isinstance(event, CoupSettled):
        return event
    lines = tuple(line._replace(returned=line.stake * 2) for line in event.settlement.lines)
    return replace(event, settlement=event.settlement._replace(lines=lines, returned=20_000))


def another_card(event: Event) -> Event:
    is_first = isinstance(event, CardDealt) and str(event.card) == "9H"
    return replace(event, card=parse_card("8H"), player_total=8) if is_first else event  # type: ignore[call-arg]


def another_decision(event: Event) -> Event:
    return replace(event, natural=Natural.NONE) if isinstance(event, NaturalsChecked) else event


def another_stake(event: Event) -> Event:
    return replace(event, total=20_000) if isinstance(event, BetPlaced) else event


def another_outcome(event: Event) -> Event:
    return replace(event, wins=(("tie", Fraction(8)),)) if isinstance(event, CoupSettled) else event


def test_an_untouched_coup_is_good(tmp_path: Path, file: TableFile) -> None:
    """What the test below rests on."""
    assert forged(tmp_path / "j", file, lambda events: events) == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (paid_more, "the settlement is returned 20000, commission 0 (1 banker lose 20000), it should be returned 0"),
        (another_card, "totals are"),
        (another_decision, "NaturalsChecked says"),
        (another_stake, "1 bets were settled that are not those that were placed"),
        (another_outcome, "won and pushed are"),
    ],
)
def test_a_coup_that_does_not_follow_is_found_though_its_chain_is_right(
    tmp_path: Path, file: TableFile, change: Callable[[Event], Event], said: str
) -> None:
    found = forged(tmp_path / "j", file, lambda events: [change(event) for event in events])
    assert said in found
    assert found.startswith("record ")
    assert "\n" not in found


def test_without_the_key_the_plain_hashes_are_checked(tmp_path: Path, file: TableFile) -> None:
    write(tmp_path / "j", file, coups=1).close()
    (tmp_path / "keys" / "demo.key").rename(tmp_path / "elsewhere")
    with JournalReader(tmp_path / "j") as reader:
        assert reader.key is None
        assert last(verify(reader)).difference == ""
    with JournalReader(tmp_path / "j", tmp_path / "elsewhere") as reader:
        assert reader.key is not None
        assert last(verify(reader)).difference == ""


def test_another_key_verifies_nothing(tmp_path: Path, file: TableFile) -> None:
    write(tmp_path / "j", file, coups=1).close()
    other = tmp_path / "other.key"
    make_key(other)
    with JournalReader(tmp_path / "j", other) as reader:
        assert "was not written with the key" in last(verify(reader)).difference
