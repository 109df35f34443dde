"""The journal: every input with its bytes and what it led to, in one SQLite file, on disk before anyone is told.

One program writes a journal at a time; others may read it meanwhile (journal_reader.py). The format is in journal.md.
"""

import os
import sqlite3
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, get_args

from controller.host.journal_file import Companion, JournalBusy, JournalRefused, open_journal_file
from controller.host.journal_format import (
    Anchor,
    RecordedInput,
    chain_after,
    configuration_chain,
    input_chain,
    walk,
)
from controller.host.lines import RecordUnreadable, dumps, loads, shown
from controller.host.record import Rules, input_from_plain, state_from_plain, to_plain
from controller.table.events import BetsOpened, Event, ShoeBegun
from controller.table.inputs import Input, ShoeReport
from controller.table.state import TableState

__all__ = ["DiskTrouble", "Journal", "JournalBusy", "JournalRefused"]

TRACE_BYTES = 1024 * 1024
_TRACE_WAITING = 16 * 1024

_SHOE_REPORTS = {kind.__name__ for kind in get_args(ShoeReport)}

_FULL, _READ_ONLY, _BUSY = "no space is left", "it may not be written", "another program keeps it locked"
_ADVICE = {
    sqlite3.SQLITE_FULL: (_FULL, "free some space"),
    sqlite3.SQLITE_IOERR_SHMSIZE: (_FULL, "free some space"),
    sqlite3.SQLITE_READONLY: (_READ_ONLY, "make file and disk writable"),
    sqlite3.SQLITE_PERM: (_READ_ONLY, "make file and disk writable"),
    sqlite3.SQLITE_AUTH: (_READ_ONLY, "make file and disk writable"),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened", "look at its folder"),
    sqlite3.SQLITE_BUSY: (_BUSY, "close what has it open"),
    sqlite3.SQLITE_LOCKED: (_BUSY, "close what has it open"),
}
_FINAL = {
    sqlite3.SQLITE_IOERR: ("the disk failed", "check the disk, then start again"),
    sqlite3.SQLITE_CORRUPT: ("the file is damaged", "keep it, restore a copy or begin another journal"),
    sqlite3.SQLITE_NOTADB: ("the file is damaged", "keep it, restore a copy or begin another journal"),
}


class DiskTrouble(Exception):
    """Nothing was written: one line with the file, why, and what to do.

    `final` when writing on would not be safe (a failed disk, a damaged file): only a new start may try again.
    """

    def __init__(self, text: str, *, final: bool) -> None:
        super().__init__(text)
        self.text = text
        self.final = final


class Journal:
    """A journal open for writing. Make one with `Journal.open`."""

    def __init__(self, path: str, simulation: bool, connection: sqlite3.Connection, companion: Companion) -> None:
        self.path = path
        self.trouble = ""
        """One line when the file is not the one last written (rows missing at its end, an older copy); else empty."""
        self._simulated = int(simulation)
        self._connection = connection
        self._companion = companion
        self._final: DiskTrouble | None = None
        self._stray: deque[bytes] = deque()
        self._stray_bytes = 0
        self._find_end()

    @classmethod
    def open(cls, path: str | os.PathLike[str], table_id: str, simulation: bool) -> "Journal":
        """Open the journal of a table, or begin one (folders 0700, file 0600).

        Raises JournalBusy when another program writes it, JournalRefused when it is no journal of this table: one line,
        and the file is as it was.
        """
        name, connection, companion = open_journal_file(
            path, {"table": table_id, "simulation": str(simulation).lower()}
        )
        try:
            return cls(name, simulation, connection, companion)
        except sqlite3.Error as error:
            connection.close()
            companion.close()
            raise JournalRefused(f"journal {shown(name)} cannot be read: {error}: restore a copy") from error

    def _find_end(self) -> None:
        one = self._connection.execute
        self._last_input: int
        self._trace_bytes: int
        (self._last_input,) = one("SELECT coalesce(max(seq), 0) FROM inputs").fetchone()
        event = one("SELECT seq, shoe, coup FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        self._last_event: int
        self._shoe: int | None
        self._coup: int | None
        self._last_event, self._shoe, self._coup = event or (0, None, None)
        (self._trace_bytes,) = one("SELECT coalesce(sum(length(data)), 0) FROM trace").fetchone()
        tail = one("SELECT chain FROM configurations WHERE before_input > ? ORDER BY number DESC", (self._last_input,))
        self._chain: bytes = (tail.fetchone() or (chain_after(self._connection, self._last_input),))[0]
        self.trouble = self._companion.trouble(
            self._last_input, lambda seq: chain_after(self._connection, seq), self.path
        )

    # Writing.

    def append(
        self,
        happened: Input,
        raw: bytes,
        events: Sequence[Event],
        *,
        at_utc: datetime,
        order_id: str | None = None,
        answer: Mapping[str, object] | None = None,
        state_after: TableState | None = None,
    ) -> list[int]:
        """Write an input, its bytes, its events and its answer, all or nothing; on disk when this returns.

        Give `state_after` when a shoe began with this input. Returns the seq of each event. Raises DiskTrouble.
        """
        seq = self._last_input + 1
        answer_text = None if answer is None else dumps(answer)
        body = dumps(to_plain(happened, "input"))
        at = utc_text(at_utc)
        row = (seq, at, happened.at_ms, type(happened).__name__, body, raw, order_id, answer_text, self._simulated)
        rows = self._event_rows(events)
        state = None if state_after is None else dumps(to_plain(state_after, "state"))
        shoe = (None, None) if state_after is None else (state_after.shoe, state)
        chain = input_chain(self._chain, row, shoe, rows)
        with self._writing() as write:
            write.execute("INSERT INTO inputs VALUES (?,?,?,?,?,?,?,?,?,?)", (*row, chain))
            write.executemany("INSERT INTO events VALUES (?,?,?,?,?,?,?)", [(each[0], seq, *each[1:]) for each in rows])
            if state is not None:
                write.execute("INSERT INTO shoes VALUES (?,?,?)", (seq, *shoe))
            trace_bytes = self._write_trace(write)
        self._last_input, self._chain, self._trace_bytes = seq, chain, trace_bytes
        self._forget_stray()
        if rows:
            self._last_event = rows[-1][0]
            self._shoe, self._coup = _place_after(events, self._shoe, self._coup)
        self._companion.remember(Anchor(seq, chain))
        return [each[0] for each in rows]

    def _event_rows(self, events: Sequence[Event]) -> list[tuple[int, str, str, int | None, int | None, int]]:
        rows = []
        shoe, coup = self._shoe, self._coup
        for seq, event in enumerate(events, self._last_event + 1):
            shoe, coup = _place_after((event,), shoe, coup)
            body = dumps(to_plain(event, "event"))
            own_shoe, own_coup = getattr(event, "shoe", shoe), getattr(event, "coup", coup)
            rows.append((seq, type(event).__name__, body, own_shoe, own_coup, self._simulated))
        return rows

    def add_configuration(self, identity: str, texts: Mapping[str, str]) -> None:
        """Keep the files (name and text) that the rules of this identity were read from, once. Raises DiskTrouble."""
        known = self.configurations().get(identity, {})
        (number,) = self._read("SELECT coalesce(max(number), 0) FROM configurations")[0]
        chain, rows = self._chain, []
        for name, text in texts.items():
            if name in known:
                assert known[name] == text, f"two texts of {name} have the identity {identity}"
                continue
            number += 1
            row = (number, identity, name, text, self._last_input + 1)
            chain = configuration_chain(chain, row)
            rows.append((*row, chain))
        if rows:
            with self._writing() as write:
                write.executemany("INSERT INTO configurations VALUES (?,?,?,?,?,?)", rows)
            self._chain = chain

    def keep_trace(self, data: bytes) -> None:
        """Keep stray bytes of a line in the ring of 1 MiB; they reach the disk with the next input, or when many wait.

        Raises DiskTrouble in the latter case; the bytes then wait on, the newest 1 MiB of them.
        """
        self._stray.append(data[-TRACE_BYTES:])
        self._stray_bytes += len(self._stray[-1])
        while self._stray_bytes > TRACE_BYTES:
            self._stray_bytes -= len(self._stray.popleft())
        if self._stray_bytes > _TRACE_WAITING:
            self._keep_stray()

    def _keep_stray(self) -> None:
        with self._writing() as write:
            trace_bytes = self._write_trace(write)
        self._trace_bytes = trace_bytes
        self._forget_stray()

    def _write_trace(self, write: sqlite3.Connection) -> int:
        if not self._stray:
            return self._trace_bytes
        data = b"".join(self._stray)
        write.execute("INSERT INTO trace (after_input, data) VALUES (?,?)", (self._last_input, data))
        total = self._trace_bytes + len(data)
        while total > TRACE_BYTES:
            number, size = write.execute("SELECT number, length(data) FROM trace ORDER BY number LIMIT 1").fetchone()
            write.execute("DELETE FROM trace WHERE number = ?", (number,))
            total -= int(size)
        return total

    def _forget_stray(self) -> None:
        self._stray.clear()
        self._stray_bytes = 0

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self._final is not None:
            raise self._final
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._disk_trouble(error) from error
        finally:
            self._roll_back()

    def _roll_back(self) -> None:
        """Leave no half transaction behind; SQLite has often rolled back by itself after trouble."""
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error as error:
                self._final = DiskTrouble(f"journal {shown(self.path)}: {error}: start again", final=True)

    def _disk_trouble(self, error: sqlite3.Error) -> DiskTrouble:
        """What SQLite's error means for the table. An error that is not the disk's is ours and raised as it is."""
        code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        passing = _ADVICE.get(code) or _ADVICE.get(code & 0xFF)
        final = _FINAL.get(code & 0xFF)
        if passing is None and final is None:
            raise error
        what, advice = passing or final or ("", "")
        trouble = DiskTrouble(
            f"journal {shown(self.path)} could not be written: {what} ({error}): {advice}", final=passing is None
        )
        if trouble.final:
            # After a failed write to the disk the kernel may call the next one good: never try again in this run.
            self._final = trouble
        return trouble

    # Reading.

    def last_seq(self) -> int:
        """The seq of the last event, 0 before the first."""
        return self._last_event

    def starts(self) -> int:
        """How often the program started with this journal."""
        return int(self._read("SELECT count(*) FROM inputs WHERE kind = 'ProgramStarted'")[0][0])

    def anchor(self) -> Anchor:
        """The chain after the last input."""
        return Anchor(self._last_input, chain_after(self._connection, self._last_input))

    def configurations(self) -> dict[str, dict[str, str]]:
        """The texts of every configuration: by identity, then by name in the order they were added."""
        found: dict[str, dict[str, str]] = {}
        for identity, name, text in self._read("SELECT identity, name, text FROM configurations ORDER BY number"):
            found.setdefault(identity, {})[name] = text
        return found

    def answer_for(self, order_id: str) -> dict[str, object] | None:
        """The answer that was given to this order since the shoe in play began; None when there was no such order."""
        rows = self._read(
            """SELECT answer FROM inputs WHERE order_id = ? AND answer IS NOT NULL
            AND seq >= (SELECT coalesce(max(input), 0) FROM shoes) ORDER BY seq LIMIT 1""",
            (order_id,),
        )
        if not rows:
            return None
        answer = loads(rows[0][0])
        assert isinstance(answer, dict), f"the answer to {order_id!r} is no object"
        return answer

    def last_confirmed(self) -> bytes | None:
        """One copy of the last confirmed report of the shoe, byte for byte; None before the first.

        A report that was confirmed by two copies is recorded as both, joined; by one, as that one.
        """
        found = self._connection.execute("SELECT kind, raw FROM inputs WHERE raw <> x'' ORDER BY seq DESC")
        raw = next((bytes(raw) for kind, raw in found if kind in _SHOE_REPORTS), None)
        if raw is None:
            return None
        half = len(raw) // 2
        return raw[:half] if raw[:half] == raw[half:] else raw

    def replay_from_last_shoe(
        self, rules: Rules
    ) -> tuple[TableState | None, Iterator[tuple[int, Input, list[dict[str, object]]]]]:
        """The state when the last shoe began (None before the first), and each input since: seq, input, event objects.

        Both raise RecordUnreadable, naming the record, when it is not what was written.
        """
        (first,) = self._read("SELECT coalesce(max(input), 0) FROM shoes")[0]
        records = self._records(max(0, first - 1))
        if first == 0:
            return None, self._replay(records, rules)
        begun = next(records)
        assert begun.state is not None, f"record {begun.seq} began no shoe"
        with _naming(begun.seq):
            state = state_from_plain(loads(begun.state), rules)
        return state, self._replay(records, rules)

    def _replay(
        self, records: Iterator[RecordedInput], rules: Rules
    ) -> Iterator[tuple[int, Input, list[dict[str, object]]]]:
        for record in records:
            with _naming(record.seq):
                happened = input_from_plain(loads(record.body), rules)
                events = [_object(event.body) for event in record.events]
            yield record.seq, happened, events

    def _records(self, after: int) -> Iterator[RecordedInput]:
        for record in walk(self._connection, after):
            if record.trouble:
                raise RecordUnreadable(f"journal {shown(self.path)}: {record.trouble}")
            if isinstance(record, RecordedInput):
                yield record

    def events_after(self, seq: int, limit: int) -> list[dict[str, object]]:
        """The events after `seq`, at most `limit`: `seq`, `at` (UTC), `event` (the kind), its fields, `simulated`."""
        rows = self._read(
            """SELECT events.seq, at_utc, events.body, events.simulated
            FROM events JOIN inputs ON inputs.seq = events.input WHERE events.seq > ? ORDER BY events.seq LIMIT ?""",
            (seq, limit),
        )
        return [{"seq": each, "at": at} | _object(body) | {"simulated": bool(sim)} for each, at, body, sim in rows]

    def _read(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, values).fetchall()

    def close(self) -> None:
        """Write what waits for the trace and give the file back. Safe to call twice."""
        try:
            if self._stray and self._final is None:
                self._keep_stray()
        finally:
            self._stray.clear()
            self._connection.close()
            self._companion.close()


def utc_text(at_utc: datetime) -> str:
    """A moment as "2026-03-01T12:00:00.250Z". It must know its time zone."""
    assert at_utc.tzinfo is not None, f"{at_utc} has no time zone"
    return at_utc.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _place_after(events: Sequence[Event], shoe: int | None, coup: int | None) -> tuple[int | None, int | None]:
    """In which shoe and coup the table is after these events."""
    for event in events:
        match event:
            case ShoeBegun():
                shoe, coup = event.shoe, None
            case BetsOpened():
                shoe, coup = event.shoe, event.coup
            case _:
                pass
    return shoe, coup


def _object(text: str) -> dict[str, object]:
    plain = loads(text)
    if not isinstance(plain, dict):
        raise RecordUnreadable(f"{ascii(text)[:60]} is not an object")
    return plain


@contextmanager
def _naming(seq: int) -> Iterator[None]:
    try:
        yield
    except RecordUnreadable as trouble:
        raise RecordUnreadable(f"record {seq}: {trouble}") from None
