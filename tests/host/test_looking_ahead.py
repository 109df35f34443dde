"""A card that came once is worked out before its second copy; nothing of it is so, written or shown before that."""

from collections.abc import Iterator

import pytest
from live_parts import Bench, rules_with

from controller.host.loop import SECOND_COPY_MS
from controller.table.inputs import CardRead, CloseBets, Input, OpenBets, StartShoe
from drivers.contracts import CardDrawn
from drivers.shoes.angel_eye_codec import encode_report

FIRST, OTHER = CardDrawn("player", 1, "2H"), CardDrawn("player", 1, "9S")


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A table whose panel is up; bets of the first coup are closed."""
    bench = Bench(rules_with())
    bench.goes_on(100)
    bench.orders(StartShoe(bench.now_ms))
    bench.orders(CloseBets(bench.now_ms))
    bench.notes.clear()
    yield bench
    bench.close()


def copy_of(bench: Bench, report: CardDrawn, seq: int = 1) -> None:
    """One copy comes, and its bytes are heard at once."""
    bench.shoe_end.send(encode_report(report, seq), bench.now_ms)
    bench.loop.turn(bench.now_ms)


def cards(bench: Bench) -> list[CardRead]:
    return [what for what in bench.journal.inputs if isinstance(what, CardRead)]


def panel_cards(bench: Bench) -> tuple[str, str]:
    assert bench.panel.shown is not None
    return bench.panel.shown.coup["p"], bench.panel.shown.coup["b"]


def test_after_one_copy_it_is_worked_out_and_nobody_knows(bench: Bench) -> None:
    before = bench.table.state
    copy_of(bench, FIRST)
    assert bench.table.ahead is not None
    bench.goes_on(100)
    assert (bench.table.state, bench.notes, cards(bench)) == (before, [], [])
    assert panel_cards(bench) == ("", "")


def test_the_second_copy_makes_it_so_at_the_time_of_the_first(bench: Bench) -> None:
    copy_of(bench, FIRST)
    heard_ms = bench.now_ms
    bench.now_ms += 17
    copy_of(bench, FIRST)
    assert [(card.at_ms, str(card.card)) for card in cards(bench)] == [(heard_ms, "2H")]
    bench.goes_on()
    assert panel_cards(bench) == ("2H", "")


def test_an_order_between_the_copies_counts(bench: Bench) -> None:
    """The bets are open again: the card is one too early, by the state that it met."""
    copy_of(bench, FIRST)
    bench.orders(OpenBets(bench.now_ms))
    bench.now_ms += 5
    copy_of(bench, FIRST)
    hold = bench.table.state.hold
    assert hold is not None
    assert hold.reason.value == "pre-close-card"
    assert times_never_go_back(bench.journal.inputs)


def test_another_report_that_is_confirmed_instead_is_the_one_that_counts(bench: Bench) -> None:
    copy_of(bench, FIRST)
    for _ in range(2):
        copy_of(bench, OTHER)
    assert [str(card.card) for card in cards(bench)] == ["9S"]
    bench.goes_on()
    assert panel_cards(bench) == ("9S", "")


def test_a_disk_that_fails_then_holds_the_table_and_the_card_waits(bench: Bench) -> None:
    copy_of(bench, FIRST)
    bench.journal.fits = 0
    copy_of(bench, FIRST)
    bench.goes_on()
    assert (cards(bench), panel_cards(bench)) == ([], ("", ""))
    held = bench.table.state_answer("s")["held"]
    assert isinstance(held, dict)
    assert (held["reason"], held["waiting"]) == ("disk", 1)
    bench.journal.fits = None
    copy_of(bench, FIRST)  # the third copy is no news
    assert cards(bench) == []


def test_a_report_that_tells_of_a_lost_one_is_not_taken_for_likely(bench: Bench) -> None:
    copy_of(bench, FIRST, seq=1)
    copy_of(bench, FIRST, seq=1)
    copy_of(bench, CardDrawn("banker", 1, "3C"), seq=5)
    assert bench.table.ahead is None


@pytest.mark.parametrize("copies", [2, 3])
def test_a_coup_is_the_same_whether_there_was_time_to_look_ahead_or_not(
    bench: Bench, copies: int, request: pytest.FixtureRequest
) -> None:
    """Copies that come at once leave no time for it, copies that come one by one do."""
    at_once = Bench(rules_with())
    request.addfinalizer(at_once.close)
    at_once.goes_on(100)
    for order in (StartShoe, CloseBets):
        at_once.orders(order(at_once.now_ms))
    dealt = (FIRST, CardDrawn("banker", 1, "3C"), CardDrawn("player", 2, "5D"), CardDrawn("banker", 2, "2S"))
    for seq, report in enumerate(dealt, 1):
        for _ in range(copies):
            copy_of(bench, report, seq)
        at_once.shoe_end.send(encode_report(report, seq) * copies, at_once.now_ms)
        bench.goes_on()
        at_once.goes_on()
        assert bench.journal.events[1:] == at_once.journal.events[1:]
        assert bench.panel.shown is not None
        assert at_once.panel.shown is not None
        assert bench.panel.shown.coup == at_once.panel.shown.coup
    assert bench.table.state == at_once.table.state


def test_a_report_that_was_told_as_unconfirmed_is_not_likely_any_more(bench: Bench) -> None:
    """Nothing of it stands ready at an idle table, and a copy that comes an hour later counts from then."""
    copy_of(bench, FIRST)
    bench.goes_on(1500)
    hold = bench.table.state.hold
    assert hold is not None
    assert hold.reason.value == "report-unconfirmed"
    assert (bench.table.ahead, bench.journal.ready) == (None, None)
    bench.now_ms += 3_600_000
    copy_of(bench, FIRST)
    assert [card.at_ms for card in cards(bench)] == [bench.now_ms]


@pytest.mark.parametrize("what", ["another copy", "the line is lost"])
def test_what_stood_ready_is_given_up_once_it_is_not_likely(bench: Bench, what: str) -> None:
    """Also where nothing is written that would undo it."""
    copy_of(bench, FIRST)
    assert bench.journal.ready is not None
    if what == "another copy":
        copy_of(bench, OTHER)
    else:
        bench.shoe_end.unplug()
        bench.loop.turn(bench.now_ms)
    assert (bench.table.ahead, bench.journal.ready) == (None, None)


def times_never_go_back(inputs: list[Input]) -> bool:
    times = [what.at_ms for what in inputs]
    return times == sorted(times)


def test_the_loop_is_awake_while_the_second_copy_is_due_and_no_longer(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeouts: list[float] = []

    def select(*waited: object) -> tuple[list[int], list[int], list[int]]:
        timeouts.append(float(str(waited[3])))
        bench.now_ms += 1
        return [], [], []

    bench.loop._clock = lambda: bench.now_ms
    copy_of(bench, FIRST)
    monkeypatch.setattr("controller.host.loop.select.select", select)
    bench.loop.wait(bench.now_ms)
    assert timeouts[:-1] == [0] * (SECOND_COPY_MS + 1)
    timeouts.clear()
    bench.loop.wait(bench.now_ms)
    assert len(timeouts) == 2
    bench.table.take(OpenBets(bench.now_ms))  # nothing is worked out any more
    timeouts.clear()
    bench.loop.wait(bench.now_ms)
    assert len(timeouts) == 1
