"""The loop of a table in simulated time, over wires in memory: timers, what goes out when, and what never waits."""

from collections.abc import Callable, Iterator

import pytest
from live_parts import Bench, rules_with

from controller.host.loop import Crashed
from controller.table.events import ShoeQuiet
from controller.table.inputs import CloseBets, Confirm, PlaceBet, Resume, StartShoe
from drivers.contracts import CardDrawn, ShoeStart, StandBy
from drivers.shoes.angel_eye_codec import encode_report

SIX = ("2H", "3C", "2S", "KD", "4D", "AC")
TIMED = ("betting: {close: button, empty_coup: deal}", "betting: {close: timer, seconds: 5, empty_coup: deal}")
AUTO = ("settle: {confirm: button}", "settle: {confirm: auto, after_s: 3}")

Begin = Callable[..., Bench]


@pytest.fixture
def begin() -> Iterator[Begin]:
    benches: list[Bench] = []

    def make(*changes: tuple[str, str]) -> Bench:
        benches.append(Bench(rules_with(*changes)))
        benches[-1].goes_on()
        return benches[-1]

    yield make
    for bench in benches:
        bench.close()


def phase(bench: Bench) -> str:
    return bench.loop.state.phase.value


def shown(bench: Bench) -> str:
    bench.goes_on()
    return "" if bench.panel.shown is None else bench.panel.shown.coup["phase"]


def test_a_board_goes_out_only_after_its_commit(begin: Begin) -> None:
    bench = begin()
    bench.orders(StartShoe(bench.now_ms))
    bench.orders(CloseBets(bench.now_ms))
    bench.notes.clear()
    bench.deals(*SIX[:4])
    assert shown(bench) == "player-rule"
    first = bench.notes.index("board dealing")
    assert bench.notes[:first] == ["commit CardRead"]
    assert bench.notes.index("board player-rule") > [n for n, note in enumerate(bench.notes) if note[:6] == "commit"][3]


def test_nothing_is_shown_of_what_the_disk_does_not_have(begin: Begin) -> None:
    bench = begin()
    bench.orders(StartShoe(bench.now_ms))
    bench.orders(CloseBets(bench.now_ms))
    bench.deals("2H")
    bench.journal.fits = 0
    bench.notes.clear()
    bench.deals("3C", after=1)
    assert shown(bench) == "held"
    assert bench.panel.shown is not None
    assert (bench.panel.shown.coup["p"], bench.panel.shown.coup.get("b", "")) == ("2H", "")
    assert not any(note.startswith("commit") for note in bench.notes)
    bench.journal.fits = None
    assert bench.orders(Resume(bench.now_ms))["ok"]
    assert bench.panel.shown.coup["b"] == "3C"


def test_the_betting_time_runs_out_to_the_millisecond(begin: Begin) -> None:
    bench = begin(TIMED)
    bench.orders(StartShoe(bench.now_ms))
    due = bench.loop.state.deadline_ms
    assert due is not None
    bench.now_ms = due - 1
    bench.loop.turn(bench.now_ms)
    assert phase(bench) == "betting"
    bench.loop.turn(due)
    assert phase(bench) == "bets-closed"


def test_the_seconds_left_are_counted_down_on_the_screen(begin: Begin) -> None:
    bench = begin(TIMED)
    bench.orders(StartShoe(bench.now_ms))
    seen = []
    for _ in range(60):
        bench.goes_on(100, 20)
        if bench.panel.shown and "seconds" in bench.panel.shown.coup:
            seen.append(int(bench.panel.shown.coup["seconds"]))
    assert sorted(set(seen), reverse=True) == [5, 4, 3, 2, 1]
    assert seen == sorted(seen, reverse=True)


def test_settling_confirms_itself_after_its_time(begin: Begin) -> None:
    bench = begin(AUTO)
    bench.orders(StartShoe(bench.now_ms))
    bench.orders(CloseBets(bench.now_ms))
    bench.deals(*SIX)
    assert phase(bench) == "settling"
    bench.goes_on(2900, 100)
    assert phase(bench) == "settling"
    bench.goes_on(200)
    assert (phase(bench), bench.loop.state.coup) == ("betting", 2)


def test_a_table_that_asks_for_no_time_to_settle_confirms_at_once(begin: Begin) -> None:
    bench = begin(("settle: {confirm: button}", "settle: {confirm: auto, after_s: 0}"))
    bench.orders(StartShoe(bench.now_ms))
    bench.orders(CloseBets(bench.now_ms))
    bench.deals(*SIX)
    assert (phase(bench), bench.loop.state.coup) == ("betting", 2)


def test_with_first_card_the_first_card_closes_the_bets(begin: Begin) -> None:
    bench = begin(("{close: button,", "{close: first-card,"))
    bench.orders(StartShoe(bench.now_ms))
    bench.orders(PlaceBet(bench.now_ms, 1, "player", 10000))
    bench.deals(*SIX[:1])
    assert phase(bench) == "dealing"
    assert bench.orders(PlaceBet(bench.now_ms, 1, "player", 10000))["refused"] == "bets-closed"


def test_a_quiet_shoe_is_told_once_and_holds_nothing(begin: Begin) -> None:
    bench = begin()
    bench.orders(StartShoe(bench.now_ms))
    bench.orders(CloseBets(bench.now_ms))
    bench.goes_on(29_000, 500)
    assert not any(isinstance(event, ShoeQuiet) for event in bench.told)
    bench.goes_on(40_000, 500)
    assert [event for event in bench.told if isinstance(event, ShoeQuiet)] == [ShoeQuiet(30)]
    assert phase(bench) == "bets-closed"
    assert bench.panel.shown is not None
    assert bench.panel.shown.notice["text"] == "Waiting for a card"


def test_a_screen_that_is_gone_never_stops_the_dealing(begin: Begin) -> None:
    bench = begin()
    bench.orders(StartShoe(bench.now_ms))
    bench.panel_end.unplug()
    bench.orders(CloseBets(bench.now_ms))
    bench.deals(*SIX)
    assert phase(bench) == "settling"
    assert bench.loop.state.display_link.value == "down"
    bench.panel_end.plug()
    bench.goes_on(4000, 50)
    assert bench.loop.state.display_link.value == "up"
    assert shown(bench) == "settling"


def test_a_screen_that_does_not_read_never_stops_the_dealing(begin: Begin) -> None:
    bench = begin()
    bench.orders(StartShoe(bench.now_ms))
    bench.panel.misbehaviour.stops_reading = True
    for _ in range(5):
        bench.orders(CloseBets(bench.now_ms))
        bench.deals(*SIX)
        assert phase(bench) == "settling"
        bench.orders(Confirm(bench.now_ms))


def test_a_lost_line_is_told_once_and_comes_back_with_a_hold(begin: Begin) -> None:
    bench = begin()
    bench.orders(StartShoe(bench.now_ms))
    bench.shoe_end.unplug()
    bench.goes_on()
    assert phase(bench) == "held"
    assert bench.journal.kinds().count("TableHeld") == 1
    assert bench.orders(Resume(bench.now_ms))["refused"] == "not-yet"
    bench.shoe_end.plug()
    bench.goes_on(3000, 50)
    assert phase(bench) == "held"
    assert bench.orders(Resume(bench.now_ms))["ok"]
    bench.says(StandBy())
    assert phase(bench) == "betting"


def test_keys_of_the_panel_are_the_dealers_touches(begin: Begin) -> None:
    bench = begin()
    bench.orders(StartShoe(bench.now_ms))
    assert shown(bench) == "betting"
    assert bench.panel.press("close-bets")
    assert shown(bench) == "bets-closed"
    assert bench.panel.press("void")
    bench.goes_on()
    assert phase(bench) == "bets-closed"


def test_much_at_once_leaves_room_for_the_people(begin: Begin) -> None:
    """No more than fifty reports are conducted in one turn."""
    bench = begin()
    bench.orders(StartShoe(bench.now_ms))
    bench.notes.clear()
    for _ in range(200):
        bench._seq = bench._seq % 9 + 1
        bench.shoe_end.send(encode_report(StandBy(), bench._seq) * 2, bench.now_ms)
    bench.loop.turn(bench.now_ms)
    assert bench.notes.count("commit ShoeNoted") == 50
    for _ in range(3):
        bench.loop.turn(bench.now_ms)
    assert bench.notes.count("commit ShoeNoted") == 200


def test_a_fault_of_the_program_stops_the_loop_in_one_line(begin: Begin) -> None:
    bench = begin()

    def broken(*_: object) -> None:
        raise AssertionError("no row for a card")

    bench.table.take = broken  # type: ignore[method-assign]
    bench.shoe_end.send(encode_report(ShoeStart(), 1) * 2, bench.now_ms)
    with pytest.raises(Crashed, match="AssertionError no row for a card") as crash:
        bench.loop.run(lambda: False)
    assert "\n" not in str(crash.value)


def test_a_restart_between_coups_and_a_cards_late_copy_change_nothing(begin: Begin) -> None:
    bench = begin()
    bench.orders(StartShoe(bench.now_ms))
    bench.says(ShoeStart())
    bench.orders(CloseBets(bench.now_ms))
    bench.deals("2H")
    before = bench.loop.state
    bench.shoe_end.send(encode_report(CardDrawn("player", 1, "2H"), bench._seq), bench.now_ms)
    bench.goes_on()
    assert bench.loop.state == before


def test_a_slow_disk_is_warned_of_once_and_keeps_nobody_waiting(begin: Begin) -> None:
    """Fault 60: after a slow record the people and the display get their turn before the next one."""
    bench = begin()
    warned: list[str] = []
    passed = [0]
    bench.loop._warn, bench.loop._clock = warned.append, lambda: passed[0]
    write = bench.journal.write

    def slowly(*arguments: object, **options: object) -> list[int]:
        passed[0] += 2_000
        return write(*arguments, **options)  # type: ignore[arg-type]

    bench.journal.write = slowly  # type: ignore[method-assign]
    bench.orders(StartShoe(bench.now_ms))
    bench.notes.clear()
    for _ in range(3):
        bench._seq = bench._seq % 9 + 1
        bench.shoe_end.send(encode_report(StandBy(), bench._seq) * 2, bench.now_ms)
    bench.loop.turn(bench.now_ms)
    assert bench.notes.count("commit ShoeNoted") == 1
    bench.goes_on()
    assert bench.notes.count("commit ShoeNoted") == 3
    assert warned == ["the disk took 2.0 s for a record: dealing goes on slowly; check the disk"]
