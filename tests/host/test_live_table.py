"""One table and its journal: nothing is known that is not written, and what cannot be written waits."""

import pytest
from live_parts import NotedJournal, live_table, rules_with

from controller.game.cards import parse_card
from controller.host.live_table import MOST_UNRECORDED, LiveTable
from controller.table.events import Event
from controller.table.inputs import (
    CardRead,
    CloseBets,
    Confirm,
    PlaceBet,
    RecordBroken,
    Resume,
    StartShoe,
    Target,
    Tick,
    VoidCoup,
)
from controller.table.machine import Phase
from controller.table.state import new_table
from controller.table.table import step

RULES = rules_with()
FIRST = CardRead(5, Target.PLAYER, 1, parse_card("2H"))
SECOND = CardRead(6, Target.BANKER, 1, parse_card("3C"))


@pytest.fixture
def journal() -> NotedJournal:
    return NotedJournal()


@pytest.fixture
def table(journal: NotedJournal) -> LiveTable:
    """Bets of the first coup are closed."""
    table = live_table(RULES, journal)
    table.order(StartShoe(1), "start")
    table.order(CloseBets(2), "close")
    return table


def test_an_input_that_changes_nothing_is_not_recorded(table: LiveTable, journal: NotedJournal) -> None:
    before = len(journal.inputs)
    table.take(Tick(3))
    assert len(journal.inputs) == before


def test_the_news_are_told_once(table: LiveTable, journal: NotedJournal) -> None:
    table.news()
    table.take(FIRST)
    told: list[Event] = table.news()
    assert told == journal.events[-len(told) :]
    assert table.news() == []


def test_while_the_disk_fails_the_table_stands_where_it_stands_on_disk(table: LiveTable, journal: NotedJournal) -> None:
    journal.fits = 0
    table.take(FIRST)
    assert table.state.phase is Phase.HELD
    assert table.state.hands.player == ()
    assert table.state_answer("s")["held"] == {
        "reason": "disk",
        "text": table.state.hold.text if table.state.hold else "",
        "waiting": 1,
    }
    assert "CardDealt" not in journal.kinds()


def test_after_the_disk_failed_all_that_waited_is_recorded_in_its_order(
    table: LiveTable, journal: NotedJournal
) -> None:
    journal.fits = 0
    table.take(FIRST)
    table.take(SECOND)
    assert table.order(Confirm(7), "c")["refused"] == "held"
    assert table.order(VoidCoup(7), "v")["refused"] == "held"
    assert table.order(Resume(8), "r")["refused"] == "not-yet"
    journal.fits = None
    assert table.order(Resume(9), "r")["ok"] is True
    kinds = [type(what).__name__ for what in journal.inputs]
    assert kinds[-4:] == ["DiskFailed", "CardRead", "CardRead", "Resume"]
    assert [str(card) for card in (*table.state.hands.player, *table.state.hands.banker)] == ["2H", "3C"]


@pytest.mark.parametrize("fits", range(4))
def test_a_disk_that_fails_again_loses_and_doubles_nothing(table: LiveTable, journal: NotedJournal, fits: int) -> None:
    journal.fits = 0
    table.take(FIRST)
    table.take(SECOND)
    journal.fits = fits
    table.order(Resume(8), "first try")
    journal.fits = None
    for number in range(3):
        if table.state.phase is Phase.HELD:
            table.order(Resume(9 + number), f"try {number}")
    assert table.state.phase is Phase.DEALING
    assert [what for what in journal.inputs if isinstance(what, CardRead)] == [FIRST, SECOND]
    assert replayed(journal) == table.state


def replayed(journal: NotedJournal) -> object:
    state = new_table(RULES)
    for what in journal.inputs:
        state, _ = step(state, what)
    return state


def test_an_order_that_could_not_be_written_is_not_carried_out_later(table: LiveTable, journal: NotedJournal) -> None:
    journal.fits = 0
    assert table.order(VoidCoup(7), "v")["refused"] == "disk"
    journal.fits = None
    table.order(Resume(8), "r")
    assert table.state.phase is Phase.BETS_CLOSED


def test_an_id_that_was_carried_out_is_answered_from_the_record(table: LiveTable, journal: NotedJournal) -> None:
    answer = table.order(CloseBets(9), "close")
    assert answer == journal.answers["close"]
    journal.fits = 0
    table.take(FIRST)
    assert table.order(CloseBets(9), "close") == answer


def test_a_refusal_is_recorded_and_may_be_asked_again(table: LiveTable, journal: NotedJournal) -> None:
    assert table.order(Confirm(3), "c")["refused"] == "not-now"
    assert "InputRefused" in journal.kinds()
    assert "c" not in journal.answers


def test_only_so_much_waits_for_the_disk(table: LiveTable, journal: NotedJournal) -> None:
    journal.fits = 0
    for _ in range(MOST_UNRECORDED):
        assert table.has_room
        table.take(FIRST)
    assert not table.has_room


def test_in_tilt_nothing_is_written_and_every_order_is_refused(journal: NotedJournal) -> None:
    state, _ = step(new_table(RULES), RecordBroken(0, "record 3 is not what was written"))
    table = live_table(RULES, journal)
    table = LiveTable(journal, state, table._utc_now)  # type: ignore[arg-type]
    before = len(journal.inputs)
    for order in (StartShoe(1), Resume(1), PlaceBet(1, 1, "player", 10000)):
        assert table.order(order, "x")["refused"] == "tilt"
    table.take(FIRST)
    table.keep_trace(b"\x05")
    assert len(journal.inputs) == before


def test_stray_bytes_are_kept_and_a_failing_disk_is_noticed_there_too(table: LiveTable, journal: NotedJournal) -> None:
    journal.fits = 0
    table.keep_trace(b"\x05")
    assert table.state.phase is Phase.HELD
    journal.fits = None
    assert table.order(Resume(9), "r")["ok"] is True
