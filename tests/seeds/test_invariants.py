"""Each invariant can fail: a program with one fault of its own is put into the world, and the right one tells."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from controller.host import live_table, loop, startup
from controller.host.control import Request
from controller.host.journal import Journal, NextRecord
from controller.host.live_table import LiveTable
from controller.table import dealing, layout, voiding
from controller.table.events import (
    CardDealt,
    CoupSettled,
    CoupVoided,
    Event,
    InitialDealSettled,
    InitialDealUndone,
    TableHeld,
    TableResumed,
)
from controller.table.inputs import CardRead, Input, ProgramStarted
from controller.table.machine import BETTING, HELD
from controller.table.state import TableState
from drivers.displays.panel import PanelDisplay, PanelPicture
from drivers.shoes.angel_eye_receiver import Receiver
from tests.seeds import invariants
from tests.seeds.invariants import INVARIANTS
from tests.seeds.world import World, run_seed

pytestmark = pytest.mark.untraced

Patch = pytest.MonkeyPatch
Doctor = Callable[[Patch], None]
SEEDS = range(1, 25)


def a_card_is_misread(patch: Patch) -> None:
    """One Banker's card in a few is taken for another rank."""
    true = loop.shoe_input

    def doctored(report: Any, at_ms: int) -> Input:
        what = true(report, at_ms)
        if isinstance(what, CardRead) and what.target.value == "banker" and str(what.card)[0] in "28":
            return dataclasses.replace(what, card=dealing.Card(what.card.rank, _other(what.card.suit)))
        return what

    patch.setattr(loop, "shoe_input", doctored)


def _other(suit: Any) -> Any:
    suits = list(type(suit))
    return suits[(suits.index(suit) + 1) % len(suits)]


def a_card_is_forgotten_between_coups(patch: Patch) -> None:
    """The last card of a coup is left lying as the first of the next."""
    true = layout.clear_layout

    def doctored(moment: Any) -> None:
        hands = moment.state.hands
        true(moment)
        if hands.complete and len(hands.player) == 3:
            moment.set(hands=dealing.TableState._field_defaults["hands"].dealt(hands.player[2]))

    patch.setattr(dealing, "clear_layout", doctored)


def copies_count_twice_after_a_restart(patch: Patch) -> None:
    """The program forgets, when it starts, which report it confirmed last; one copy is enough for it."""
    true = Receiver.__init__

    def doctored(self: Receiver, copies: int = 3, last_confirmed: bytes | None = None) -> None:
        true(self, 1, None)

    def always_new(self: Receiver, frame: bytes, decoded: Any, now_ms: int) -> list[Any]:
        return self._confirm(frame, decoded, now_ms)

    patch.setattr(Receiver, "__init__", doctored)
    patch.setattr(Receiver, "_copy", always_new)
    patch.setattr("drivers.shoes.angel_eye_receiver._lost_before", lambda last, this: None)


def _says_more(patch: Patch, more: Callable[[Event], Sequence[Event]]) -> None:
    """Events are changed wherever the rules are followed, so that the record agrees with itself."""
    from tests.seeds import witness

    true = live_table.step

    def doctored(state: TableState, what: Input) -> tuple[TableState, tuple[Event, ...]]:
        after, events = true(state, what)
        changed = [each for event in events for each in more(event)]
        return after, tuple(changed)

    for module in (live_table, startup, witness, invariants):
        patch.setattr(module, "step", doctored)


def a_coup_is_settled_twice(patch: Patch) -> None:
    _says_more(patch, lambda event: [event, event] if isinstance(event, CoupSettled) else [event])


def a_void_coup_keeps_its_number(patch: Patch) -> None:
    true = voiding.open_bets
    patch.setattr(voiding, "open_bets", lambda moment, coup: true(moment, max(coup - 1, 1)))


def stakes_of_a_void_coup_are_kept(patch: Patch) -> None:
    def less(event: Event) -> Sequence[Event]:
        return [dataclasses.replace(event, returned=event.returned // 2) if isinstance(event, CoupVoided) else event]

    _says_more(patch, less)


def a_bet_stays_on_the_layout(patch: Patch) -> None:
    true = layout.clear_layout

    def doctored(moment: Any) -> None:
        bets = moment.state.bets
        true(moment)
        moment.set(bets=bets[:1])

    patch.setattr(dealing, "clear_layout", doctored)


def what_was_paid_after_four_cards_is_kept(patch: Patch) -> None:
    """A coup is void, and nobody takes back what its initial deal paid."""
    _says_more(patch, lambda event: [] if isinstance(event, InitialDealUndone) else [event])


def after_four_cards_nothing_is_paid(patch: Patch) -> None:
    _says_more(patch, lambda event: [] if isinstance(event, InitialDealSettled) else [event])


def shown_before_it_is_on_disk(patch: Patch) -> None:
    """The loop shows what the input will lead to, then writes it."""

    def doctored(self: Any, what: Input, raw: bytes, now_ms: int) -> None:
        if not self._already_so(what):
            state, _ = live_table.step(self._table.state, what)
            self._display.show(loop.panel_picture(state.rules, loop.view(state, now_ms)), now_ms)
            self._table.take(what, raw)
            self._show(now_ms)

    patch.setattr(loop.TableLoop, "_take", doctored)


def an_older_picture_is_shown(patch: Patch) -> None:
    """The display falls back to the picture before now and then."""
    true = PanelDisplay.show
    given: list[PanelPicture] = []

    def doctored(self: PanelDisplay, picture: PanelPicture, now_ms: int) -> None:
        if not given or given[-1] != picture:
            given.append(picture)
        true(self, given[-3] if len(given) % 10 == 9 else picture, now_ms)

    patch.setattr(PanelDisplay, "show", doctored)


def a_mixed_picture_is_shown(patch: Patch) -> None:
    """The road is that of an earlier board."""
    true = PanelDisplay.show
    first: list[PanelPicture] = []

    def doctored(self: PanelDisplay, picture: PanelPicture, now_ms: int) -> None:
        first.append(picture)
        true(self, dataclasses.replace(picture, road=first[0].road), now_ms)

    patch.setattr(PanelDisplay, "show", doctored)


def answered_before_it_is_on_disk(patch: Patch) -> None:
    """An order that the disk refuses is answered as done all the same."""

    def doctored(self: LiveTable, what: Any, order_id: str) -> dict[str, object]:
        state, events = live_table.step(self._recorded, what)
        answer = live_table.answers.order_answer(order_id, what, state, events, self.seq + len(events))
        self.take(what)
        return answer

    patch.setattr(LiveTable, "order", doctored)


def asked_twice_done_twice(patch: Patch) -> None:
    patch.setattr(Journal, "answer_for", lambda self, order_id: None)


def an_answered_order_is_not_written(patch: Patch) -> None:
    """Answers are given from memory and the row does not say whose order it was."""
    true = Journal.record_of

    def doctored(self: Journal, happened: Input, raw: bytes, events: Sequence[Event], **more: Any) -> NextRecord:
        return true(self, happened, raw, events, **(more | {"order_id": None, "answer": None}))

    patch.setattr(Journal, "record_of", doctored)


def a_hold_ends_by_itself(patch: Patch) -> None:
    """Silence ends a hold."""
    true = live_table.step

    def doctored(state: TableState, what: Input) -> tuple[TableState, tuple[Event, ...]]:
        after, events = true(state, what)
        if state.phase is HELD and after.phase is HELD and isinstance(what, CardRead) and after.hold is not None:
            return after._replace(phase=after.hold.at, hold=None), (*events, TableResumed(after.hold.reason))
        return after, events

    _step_everywhere(patch, doctored)


def a_hold_is_not_said(patch: Patch) -> None:
    _says_more(patch, lambda event: [] if isinstance(event, TableHeld) else [event])


def _step_everywhere(patch: Patch, doctored: Callable[..., Any]) -> None:
    from tests.seeds import witness

    for module in (live_table, startup, witness, invariants):
        patch.setattr(module, "step", doctored)


def an_event_is_followed_twice(patch: Patch) -> None:
    true = Journal.events_after
    patch.setattr(Journal, "events_after", lambda self, seq, limit: true(self, seq - (seq % 50 == 49), limit))


def the_log_is_told_too_much(patch: Patch) -> None:
    true = LiveTable.news

    def doctored(self: LiveTable) -> list[Event]:
        return [again for event in true(self) for again in [event] * (1 + isinstance(event, CardDealt))]

    patch.setattr(LiveTable, "news", doctored)


def a_restart_forgets_the_bets(patch: Patch) -> None:
    true = startup.rebuilt
    patch.setattr("tests.seeds.world.rebuilt", lambda journal, rules: true(journal, rules)._replace(bets=()))


def a_start_is_not_recorded_first(patch: Patch) -> None:
    true = LiveTable.take

    def doctored(self: LiveTable, what: Input, raw: bytes = b"") -> None:
        if isinstance(what, ProgramStarted) and self.state.phase is BETTING:
            true(self, live_table.step.__globals__["Tick"](what.at_ms + 10**9))
            true(self, loop.LinkRestored(what.at_ms, loop.Link.SHOE))
        true(self, what, raw)

    patch.setattr(LiveTable, "take", doctored)


def a_row_is_changed_behind_the_back(patch: Patch) -> None:
    """Somebody edits an amount in the file before the end."""
    true = World._finish

    def doctored(self: World) -> None:
        import sqlite3

        self._end_program()
        with sqlite3.connect(self._path) as connection:
            connection.execute("UPDATE inputs SET body = replace(body, '10000', '10001') WHERE kind = 'PlaceBet'")
            connection.execute("UPDATE inputs SET at_ms = at_ms + 1 WHERE seq = 3")
        connection.close()
        true(self)

    patch.setattr(World, "_finish", doctored)


DOCTORED: tuple[tuple[str, Doctor], ...] = (
    ("never_a_wrong_card", a_card_is_misread),
    ("held_or_right", a_card_is_forgotten_between_coups),
    ("one_report_one_input", copies_count_twice_after_a_restart),
    ("one_settlement_a_coup", a_coup_is_settled_twice),
    ("one_settlement_a_coup", a_void_coup_keeps_its_number),
    ("stakes_are_conserved", stakes_of_a_void_coup_are_kept),
    ("stakes_are_conserved", a_bet_stays_on_the_layout),
    ("paid_after_four_cards", what_was_paid_after_four_cards_is_kept),
    ("paid_after_four_cards", after_four_cards_nothing_is_paid),
    ("the_journal_first", shown_before_it_is_on_disk),
    ("what_is_shown_was", an_older_picture_is_shown),
    ("what_is_shown_was", a_mixed_picture_is_shown),
    ("the_journal_before_the_answer", answered_before_it_is_on_disk),
    ("the_journal_before_the_answer", an_answered_order_is_not_written),
    ("an_order_is_carried_out_once", asked_twice_done_twice),
    ("a_hold_needs_an_order", a_hold_ends_by_itself),
    ("a_hold_needs_an_order", a_hold_is_not_said),
    ("told_once_in_order", an_event_is_followed_twice),
    ("told_once_in_order", the_log_is_told_too_much),
    ("a_restart_goes_on", a_restart_forgets_the_bets),
    ("a_start_is_said", a_start_is_not_recorded_first),
    ("the_record_verifies", a_row_is_changed_behind_the_back),
)


def _first_broken(seeds: Iterator[int]) -> str:
    return next((broken for seed in seeds if (broken := run_seed(seed).broken)), "")


@pytest.mark.parametrize(("invariant", "doctor"), DOCTORED, ids=[doctor.__name__ for _, doctor in DOCTORED])
def test_a_fault_of_the_program_is_told(monkeypatch: Patch, invariant: str, doctor: Doctor) -> None:
    doctor(monkeypatch)
    assert _first_broken(iter(SEEDS)).startswith(invariant + ":")


def test_a_table_that_never_comes_out_of_a_hold_is_told(monkeypatch: Patch) -> None:
    """Liveness: orders to void and to resume are lost."""
    true = LiveTable.order

    def doctored(self: LiveTable, what: Any, order_id: str) -> dict[str, object]:
        if self.state.phase is HELD:
            return live_table.answers.refused(order_id, "held", "never")
        return true(self, what, order_id)

    monkeypatch.setattr(LiveTable, "order", doctored)
    monkeypatch.setattr("tests.seeds.world.ENDS_BY_MS", 20 * 60 * 1000)
    assert _first_broken(iter(SEEDS)).startswith("liveness:")


def test_no_invariant_is_without_its_fault() -> None:
    assert {name for name, _ in DOCTORED} == {invariant.__name__ for invariant in INVARIANTS}


def test_every_invariant_says_in_a_sentence_what_holds() -> None:
    assert all((invariant.__doc__ or "").endswith(".") for invariant in INVARIANTS)


def test_a_crash_of_the_program_is_a_finding(monkeypatch: Patch) -> None:
    def doctored(self: Any, request: Request, now_ms: int) -> None:
        raise ZeroDivisionError("seven")

    monkeypatch.setattr(loop.TableLoop, "_answer", doctored)
    assert "ZeroDivisionError: seven" in run_seed(1).broken
