"""A table at work: each input is stepped, written with what it led to, and only then known to anyone.

When the disk fails, the table shows itself held and keeps what the shoe says in memory, bounded; an order to resume
writes what could not be written before anything goes on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from controller.host import answers
from controller.host.answers import Answer
from controller.host.journal import DiskTrouble, Journal, NextRecord
from controller.table.events import Event
from controller.table.inputs import DiskFailed, Input, Order, Resume
from controller.table.machine import TILT
from controller.table.state import TableState
from controller.table.table import step

MOST_UNRECORDED = 1000


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """Something that happened and is not on disk yet."""

    what: Input
    raw: bytes


@dataclass(frozen=True, slots=True)
class Ahead:
    """What an input would lead to if it came next: worked out, and nothing of it so yet."""

    what: Input
    raw: bytes
    state: TableState
    events: tuple[Event, ...]
    record: NextRecord


class LiveTable:
    """The state of one table and the journal that bears it."""

    def __init__(self, journal: Journal, state: TableState, utc_now: Callable[[], datetime]) -> None:
        self._journal = journal
        self._recorded = state
        self._utc_now = utc_now
        self._failed: DiskFailed | None = None
        self._unrecorded: list[Unrecorded] = []
        self._told: list[Event] = []
        self._ahead: Ahead | None = None

    @property
    def state(self) -> TableState:
        """The table as anyone may know it: what is on disk, held while the disk fails."""
        return self._recorded if self._failed is None else step(self._recorded, self._failed)[0]

    @property
    def seq(self) -> int:
        """The number of the last event on disk."""
        return self._journal.last_seq()

    @property
    def has_room(self) -> bool:
        """Whether more may be heard: False once too much waits for the disk."""
        return len(self._unrecorded) < MOST_UNRECORDED

    def news(self) -> list[Event]:
        """The events that reached the disk since the last call."""
        told, self._told = self._told, []
        return told

    def take(self, what: Input, raw: bytes = b"") -> None:
        """Something happened, with the bytes it came from."""
        if self._failed is not None:
            self._unrecorded.append(Unrecorded(what, raw))
            return
        try:
            self._commit(what, raw)
        except DiskTrouble as trouble:
            self._failed = DiskFailed(what.at_ms, trouble.text)
            self._unrecorded.append(Unrecorded(what, raw))

    @property
    def ahead(self) -> Ahead | None:
        """What was worked out for an input that may come next; None when it holds no more."""
        ahead = self._ahead if self._failed is None else None
        return ahead if ahead is not None and self._journal.is_next(ahead.record) else None

    def look_ahead(self, what: Input, raw: bytes) -> Ahead | None:
        """Work out what this input would lead to, while there is time for it. Nothing is written, nothing changes."""
        self.look_away()
        if self._failed is None and self._recorded.phase is not TILT:
            state, events = step(self._recorded, what)
            if events or state != self._recorded:
                record = self._record(what, raw, state, events, None, None)
                self._ahead = Ahead(what, raw, state, events, record)
                self._journal.get_ready(record)
        return self._ahead

    def look_away(self) -> None:
        """What was worked out is not likely any more: nothing of it stays, not even ready to be written."""
        if self._ahead is not None:
            self._ahead = None
            self._journal.give_up()

    def take_ahead(self, ahead: Ahead) -> None:
        """It came, byte for byte: write what was worked out. Show it, then call `finish`."""
        try:
            self._write_only(ahead.record, ahead.state, ahead.events)
        except DiskTrouble as trouble:
            self._failed = DiskFailed(ahead.what.at_ms, trouble.text)
            self._unrecorded.append(Unrecorded(ahead.what, ahead.raw))

    def finish(self) -> None:
        """What may follow once the newest state was shown."""
        if self._failed is None:
            self._journal.finish()

    def disk_failed(self, trouble: str, at_ms: int) -> None:
        """The disk is known to be unfit before anything is written: the table is held for it."""
        self._failed = DiskFailed(at_ms, trouble)

    def order(self, what: Order, order_id: str) -> Answer:
        """Someone orders something: carried out once for each id, and the answer is on disk with it."""
        if self._recorded.phase is TILT:
            return answers.refused(order_id, "tilt", "the table is in tilt: repair the record, then start again")
        known = self._journal.answer_for(order_id)
        if known is not None:
            return known
        if self._failed is not None:
            if not isinstance(what, Resume):
                return answers.refused(order_id, "held", f"the table is held (disk): {self._failed.trouble}")
            try:
                self._catch_up()
            except DiskTrouble as trouble:
                return answers.refused(order_id, "not-yet", trouble.text)
        try:
            return self._commit_order(what, order_id)
        except DiskTrouble as trouble:
            self._failed = DiskFailed(what.at_ms, trouble.text)
            return answers.refused(order_id, "disk", trouble.text)

    def state_answer(self, order_id: str) -> Answer:
        """The state for a caller."""
        return answers.state_answer(order_id, self.state, self.seq, len(self._unrecorded))

    def keep_trace(self, data: bytes) -> None:
        """Stray bytes go to the ring; they are worth nothing without a disk."""
        if self._failed is None and self._recorded.phase is not TILT:
            try:
                self._journal.keep_trace(data)
            except DiskTrouble as trouble:
                self._failed = DiskFailed(self._recorded.heard_ms, trouble.text)

    def _catch_up(self) -> None:
        """Try the disk again: first that it failed, then all that waited. Raises DiskTrouble; nothing is lost."""
        assert self._failed is not None
        self._commit(self._failed, b"")
        self._failed = None
        while self._unrecorded:
            first = self._unrecorded[0]
            try:
                self._commit(first.what, first.raw)
            except DiskTrouble as trouble:
                self._failed = DiskFailed(first.what.at_ms, trouble.text)
                raise
            self._unrecorded.pop(0)

    def _commit_order(self, what: Order, order_id: str) -> Answer:
        state, events = step(self._recorded, what)
        answer = answers.order_answer(order_id, what, state, events, self.seq + len(events))
        record = self._record(what, b"", state, events, order_id, answer if answer["ok"] else None)
        self._write(record, state, events)
        return answer

    def _commit(self, what: Input, raw: bytes) -> None:
        state, events = step(self._recorded, what)
        if events or state != self._recorded:
            self._write(self._record(what, raw, state, events, None, None), state, events)

    def _record(
        self,
        what: Input,
        raw: bytes,
        state: TableState,
        events: tuple[Event, ...],
        order_id: str | None,
        answer: Answer | None,
    ) -> NextRecord:
        return self._journal.record_of(
            what, raw, events, at_utc=self._utc_now(), order_id=order_id, answer=answer, state_after=state
        )

    def _write(self, record: NextRecord, state: TableState, events: tuple[Event, ...]) -> None:
        self._write_only(record, state, events)
        self._journal.finish()

    def _write_only(self, record: NextRecord, state: TableState, events: tuple[Event, ...]) -> None:
        self._journal.write(record)
        self._recorded = state
        self._told += events


def tilted(state: TableState) -> TableState:
    """The same table, with nothing of it trusted."""
    return state._replace(phase=TILT, hold=None, deadline_ms=None)
