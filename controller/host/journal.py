"""The journal: every input with its bytes and what it led to, in one SQLite file, on disk before anyone is told.

One program writes a journal at a time; others may read it meanwhile (journal_reader.py). The format is in journal.md.
"""

import hashlib
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

from controller.host.journal_file import (
    JournalBusy,
    JournalRefused,
    OpenedFile,
    chain_at,
    connect_to_write,
    open_journal_file,
)
from controller.host.journal_format import Anchor, Link, input_columns, link
from controller.host.journal_resume import Replayed, ShoeInPlay, plain_object
from controller.host.journal_tables import FOLLOWED, Row, Tabulator
from controller.host.journal_trace import TraceRing
from controller.host.journal_trouble import DiskTrouble, disk_trouble
from controller.host.journal_walk import beginning, snapshot_seal
from controller.host.lines import RecordUnreadable, dumps, loads, shown
from controller.host.record import Rules, event_from_plain, to_plain
from controller.identity import identity as program_identity
from controller.table import inputs
from controller.table.events import BetsOpened, Event, ShoeBegun
from controller.table.inputs import Input, LineTrouble, LinkLost, LinkRestored, Order, ProgramStarted, ShoeReport
from controller.table.state import TableState

__all__ = ["DiskTrouble", "Journal", "JournalBusy", "JournalRefused"]

COMMITS_A_CHECKPOINT = 250
"""About so many make the 1000 pages of log after which SQLite would do it by itself."""

Written = TypeVar("Written")

_INSERTS = tuple(
    f"INSERT INTO {table} VALUES ({','.join('?' * columns)})"
    for table, columns in (("events", 7), ("starts", 9), ("shoes", 6), ("cards", 8), ("coups", 17), ("bets", 15))
)
_SHOE_REPORTS = {kind.__name__ for kind in get_args(ShoeReport)}


class NextRecord(NamedTuple):
    """An input's rows, worked out but not written: `row` of inputs, the rows of the other tables, the chain after it.

    `before` is the chain before it, `tables` where the table is after it, `snapshot` the state (JSON) to keep with it.
    """

    before: Link
    row: tuple[Any, ...]
    belonging: tuple[list[Row], ...]
    link: Link
    tables: Tabulator
    snapshot: str | None


class Journal:
    """A journal open for writing. Make one with `Journal.open`."""

    def __init__(self, opened: OpenedFile, simulation: bool) -> None:
        self.path = opened.name
        self.trouble = opened.trouble
        """One line when the file is not the one last written (rows missing at its end, an older copy); else empty.

        Such a journal is read but never written.
        """
        self._simulated = int(simulation)
        self._connection = opened.connection
        self._key = opened.key
        self._head = opened.head
        self._final: DiskTrouble | None = DiskTrouble(opened.trouble, final=True) if opened.trouble else None
        self._last_input = self._last_event = self._commits = 0
        self._ready: NextRecord | None = None
        """A record whose rows stand in a transaction that is not committed: nobody may read them."""
        self._trace = TraceRing()
        self._link = Link(b"", b"")
        self._tables = Tabulator(self._simulated)
        try:
            self._find_end()
        except (sqlite3.Error, UnicodeDecodeError, RecordUnreadable) as unreadable:
            if not self.trouble and getattr(unreadable, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CORRUPT:
                raise
            self.trouble = self.trouble or f"journal {shown(self.path)} is damaged: {unreadable}"
            self._final = DiskTrouble(self.trouble, final=True)

    @classmethod
    def open(cls, path: str | os.PathLike[str], table_id: str, simulation: bool, key: Path | None = None) -> "Journal":
        """Open the journal of a table, or begin one (folders 0700, file and key 0600).

        `key` is the key's file; None takes `keys/ID.key` in the journal's folder. Raises JournalBusy when another
        program writes it, JournalRefused when it is no journal of this table or the key is not its: one line, and the
        file is as it was.
        """
        return cls._opened(path, table_id, simulation, key, looking_only=False)

    @classmethod
    def look(cls, path: str | os.PathLike[str], table_id: str, simulation: bool, key: Path | None = None) -> "Journal":
        """As `open`, but a journal that was there is not written to before `begin_writing`: it may be damaged."""
        return cls._opened(path, table_id, simulation, key, looking_only=True)

    @classmethod
    def _opened(
        cls, path: str | os.PathLike[str], table_id: str, simulation: bool, key: Path | None, *, looking_only: bool
    ) -> "Journal":
        about = {"table": table_id, "simulation": str(simulation).lower()}
        opened = open_journal_file(path, about, key, looking_only=looking_only)
        try:
            return cls(opened, simulation)
        except (sqlite3.Error, UnicodeDecodeError, RecordUnreadable) as error:
            opened.connection.close()
            opened.head.close()
            raise JournalRefused(f"journal {shown(opened.name)} cannot be read: {error}: restore a copy") from error

    def begin_writing(self) -> None:
        """What was looked at is whole: write from now on. Raises JournalRefused."""
        assert not self.trouble, self.trouble
        try:
            connection = connect_to_write(self.path)
        except sqlite3.Error as error:
            raise JournalRefused(
                f"journal {shown(self.path)} cannot be opened: {error}: check file and disk"
            ) from error
        looking, self._connection = self._connection, connection
        looking.close()

    def looking(self) -> sqlite3.Connection:
        """The connection, for whoever looks at the file itself."""
        return self._committed()

    def _find_end(self) -> None:
        one = self._connection.execute
        begun = beginning(self._connection)
        last = one("SELECT seq, last_event, hash, chain FROM inputs ORDER BY seq DESC LIMIT 1").fetchone()
        if last is not None and [type(each) for each in last] != [int, int, bytes, bytes]:
            raise RecordUnreadable("its last record is damaged")
        self._last_input, self._last_event, *chain = last or (begun.seq, begun.event, begun.hash, begun.chain)
        self._link = Link(*chain)
        added = one(
            "SELECT hash, chain FROM configurations WHERE before_input > ? ORDER BY number DESC", (self._last_input,)
        ).fetchone()
        if added is not None:
            self._link = Link(*added)
        try:
            self._tables = self._tabulator()
        except (sqlite3.Error, UnicodeDecodeError, RecordUnreadable) as unreadable:
            self._tables = Tabulator(self._simulated)
            self.trouble = f"journal {shown(self.path)} cannot be followed ({unreadable})"
            self._final = DiskTrouble(self.trouble, final=True)
        self._trace.look(self._connection)

    def _tabulator(self) -> Tabulator:
        """Where the table is, and what was staked and settled since the last coup ended."""
        tables = Tabulator(self._simulated)
        one = self._connection.execute
        # An event may name the coup before (the shoe's result comes late): what opened last says where the table is.
        opened = "SELECT shoe, coup FROM events WHERE kind IN ('BetsOpened', 'ShoeBegun') ORDER BY seq DESC LIMIT 1"
        place = one(opened).fetchone() or one("SELECT shoe, coup FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        tables.shoe, tables.coup = place or (None, None)
        (ended,) = one("SELECT coalesce(max(event), 0) FROM coups").fetchone()
        kinds = {kind.__name__ for kind in FOLLOWED}
        for kind, body in one("SELECT kind, body FROM events WHERE seq > ? ORDER BY seq", (ended,)):
            if kind in kinds and not self.trouble:
                tables.follow(event_from_plain(loads(body)))
        return tables

    # Writing.

    def record_of(
        self,
        happened: Input,
        raw: bytes,
        events: Sequence[Event],
        *,
        at_utc: datetime,
        order_id: str | None = None,
        answer: Mapping[str, object] | None = None,
        state_after: TableState | None = None,
    ) -> "NextRecord":
        """The rows of an input, its bytes, its events and its answer: nothing is written, nothing changes.

        `state_after` is kept when a shoe or a coup began with this input, so that a start need not go further back.
        Good until something else is written.
        """
        seq, kind, tables = self._last_input + 1, type(happened).__name__, self._tables.copy()
        row: list[Any] = [seq, utc_text(at_utc), happened.at_ms, source_of(happened, order_id), kind]
        row += [dumps(to_plain(happened, "input")), raw, order_id, None if answer is None else dumps(answer)]
        row += [self._simulated, self._last_event + len(events)]
        belonging = self._belonging(tables, seq, happened, events, state_after)
        after = link(self._key, self._link, input_columns(row, raw, belonging))
        kept = state_after if any(type(event) is BetsOpened for event in events) else None
        snapshot = None if kept is None else dumps(to_plain(kept, "state"))
        return NextRecord(self._link, (*row, *after), belonging, after, tables, snapshot)

    def is_next(self, record: "NextRecord") -> bool:
        """Whether nothing was written since this record was worked out."""
        return record.before is self._link

    def write(self, record: "NextRecord") -> list[int]:
        """Write what `record_of` worked out, all or nothing; on disk when this returns: the seq of each event.

        Raises DiskTrouble.
        """
        seq, last_event = record.row[0], record.row[10]
        assert self.is_next(record), f"record {seq} does not follow {self._last_input}"
        trace_bytes = self._in_one_transaction(lambda write: self._write_rows(write, record), record)
        first = self._last_event + 1
        self._last_input, self._last_event, self._link, self._tables = seq, last_event, record.link, record.tables
        if trace_bytes is not None:
            self._trace.written(trace_bytes)
        return list(range(first, last_event + 1))

    def _write_rows(self, write: sqlite3.Connection, record: "NextRecord") -> int | None:
        if record is not self._ready:
            self._insert(write, record)
        return self._trace.write_some(write, self._last_input)

    def _insert(self, write: sqlite3.Connection, record: "NextRecord") -> None:
        write.execute("INSERT INTO inputs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", record.row)
        for insert, rows in zip(_INSERTS, record.belonging, strict=True):
            if rows:
                write.executemany(insert, rows)
        if record.snapshot is not None:
            self._keep_snapshot(write, record.row[0], record.link.chain, record.snapshot)

    def get_ready(self, record: "NextRecord") -> None:
        """This record is likely next: all but its commit is done now. Anything else undoes it; so does a kill."""
        if self._final is not None:
            return
        try:
            self._committed().execute("BEGIN IMMEDIATE")
            self._insert(self._connection, record)
            self._ready = record
        except sqlite3.Error:  # whatever it is, it is met again, and told, by the write itself
            if self._connection.in_transaction:
                self._roll_back()

    def give_up(self) -> None:
        """What was made ready is not likely any more: undo it, so that no transaction stands open for hours."""
        self._committed()

    def _committed(self) -> sqlite3.Connection:
        """The connection, with nothing in it that is not on the disk."""
        if self._ready is not None:
            self._ready = None
            self._roll_back()
        return self._connection

    def finish(self) -> None:
        """After `write`, once whoever waits for it was served: note the head; now and then empty the log."""
        self._head.remember(self._last_input, self._link.chain)
        self._commits += 1
        if self._commits % COMMITS_A_CHECKPOINT == 0:
            self._checkpoint()

    def _belonging(
        self,
        tables: Tabulator,
        seq: int,
        happened: Input,
        events: Sequence[Event],
        state_after: TableState | None,
    ) -> tuple[list[Row], ...]:
        """The rows of each table that belong to this input."""
        told: list[Row] = []
        cards: list[Row] = []
        coups: list[Row] = []
        bets: list[Row] = []
        shoes: list[Row] = []
        for number, event in enumerate(events, self._last_event + 1):
            place = tables.belongs(event)
            told.append((number, seq, type(event).__name__, dumps(to_plain(event, "event")), *place, self._simulated))
            if (more := tables.rows(number, seq, event)) is not None:
                cards += more[0]
                coups += more[1]
                bets += more[2]
            if type(event) is ShoeBegun and state_after is not None:
                state = dumps(to_plain(state_after, "state"))
                shoes = [(seq, event.shoe, event.decks, event.rules, state, self._simulated)]
        return told, self._starts(seq, happened), shoes, cards, coups, bets

    def _starts(self, seq: int, happened: Input) -> list[Row]:
        """What program this is and by which files it plays, when it starts."""
        if not isinstance(happened, ProgramStarted):
            return []
        program, rules = program_identity(), happened.rules.identity
        files = self._read("SELECT name, sha256 FROM configurations WHERE identity = ? ORDER BY number", (rules,))
        hashes = tuple(program[each] for each in ("tableau", "transitions", "files"))
        return [(seq, self.starts() + 1, happened.version, *hashes, rules, dumps(dict(files)), self._simulated)]

    def _keep_snapshot(self, write: sqlite3.Connection, seq: int, chain: bytes, state: str) -> None:
        write.execute("DELETE FROM snapshots")
        write.execute("INSERT INTO snapshots VALUES (?,?,?)", (seq, state, snapshot_seal(self._key, seq, chain, state)))

    def add_configuration(self, identity: str, texts: Mapping[str, str]) -> None:
        """Keep the files (name and text) that the rules of this identity were read from, once. Raises DiskTrouble."""
        known = self.configurations().get(identity, {})
        (number,) = self._read("SELECT coalesce(max(number), 0) FROM configurations")[0]
        after, rows = self._link, []
        for name, text in texts.items():
            if name in known:
                assert known[name] == text, f"two texts of {name} have the identity {identity}"
                continue
            number += 1
            sha256 = hashlib.sha256(text.encode()).hexdigest()
            row = (number, identity, name, sha256, text, self._last_input + 1)
            after = link(self._key, after, ["configuration", *row])
            rows.append((*row, *after))
        if rows:
            insert = "INSERT INTO configurations VALUES (?,?,?,?,?,?,?,?)"
            self._in_one_transaction(lambda write: write.executemany(insert, rows).rowcount)
            self._link = after

    def keep_trace(self, data: bytes) -> None:
        """Keep stray bytes of a line in the ring of 1 MiB; they reach the disk with the next input, or when many wait.

        Raises DiskTrouble in the latter case; the bytes then wait on, the newest 1 MiB of them.
        """
        if self._trace.keep(data):
            self._keep_stray()

    def _keep_stray(self) -> None:
        self._trace.written(self._in_one_transaction(lambda write: self._trace.write(write, self._last_input)))

    def _in_one_transaction(
        self, write: Callable[[sqlite3.Connection], Written], record: "NextRecord | None" = None
    ) -> Written:
        """What `write` returns, once all that it wrote is on the disk. Raises DiskTrouble: then nothing of it is.

        `record` is the one that is written, whose rows may stand there already.
        """
        is_ready = self._ready is not None and self._ready is record
        connection = self._connection if is_ready else self._committed()
        if self._final is not None:
            raise self._final
        try:
            if not is_ready:
                connection.execute("BEGIN IMMEDIATE")
            written = write(connection)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._disk_trouble(error) from error
        finally:
            self._ready = None
            if connection.in_transaction:
                self._roll_back()
        return written

    def _checkpoint(self) -> None:
        """Bring what is in the log into the file. SQLite's own would say nothing of a failed fsync and try it again.

        What was written stands, in the log, on the disk: so trouble that is final is told with the next record.
        """
        try:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except sqlite3.Error as error:
            self._disk_trouble(error)

    def _roll_back(self) -> None:
        """Leave no half transaction behind; SQLite has often rolled back by itself after trouble."""
        try:
            self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            self._final = DiskTrouble(f"journal {shown(self.path)}: {error}: start again", final=True)

    def _disk_trouble(self, error: sqlite3.Error) -> DiskTrouble:
        """What SQLite's error means for the table. An error that is not the disk's is ours and raised as it is."""
        trouble = disk_trouble(error, self.path)
        if trouble is None:
            raise error
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
        (number,) = self._read("SELECT max(number) FROM starts")[0]
        return int(number) if number is not None else beginning(self._committed()).start

    def anchor(self) -> Anchor:
        """The chain after the last input."""
        return Anchor(self._last_input, chain_at(self._committed(), self._last_input) or b"")

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
        found = self._committed().execute("SELECT kind, raw FROM inputs WHERE raw <> x'' ORDER BY seq DESC")
        raw = next((bytes(raw) for kind, raw in found if kind in _SHOE_REPORTS), None)
        if raw is None:
            return None
        half = len(raw) // 2
        return raw[:half] if raw[:half] == raw[half:] else raw

    def replay_from_last_shoe(self, rules: Rules) -> tuple[TableState | None, Replayed]:
        """The state when the coup in play began, or the shoe (None before the first), and each input since.

        The chain is checked from where the shoe began. Both raise RecordUnreadable, naming the record, when it is not
        what was written.
        """
        return ShoeInPlay(self._committed(), self._key, self.path).replay(rules)

    def events_after(self, seq: int, limit: int) -> list[dict[str, object]]:
        """The events after `seq`, at most `limit`: `seq`, `at` (UTC), `event` (the kind), its fields, `simulated`."""
        rows = self._read(
            """SELECT events.seq, at_utc, events.body, events.simulated
            FROM events JOIN inputs ON inputs.seq = events.input WHERE events.seq > ? ORDER BY events.seq LIMIT ?""",
            (seq, limit),
        )
        return [{"seq": each, "at": at} | plain_object(body) | {"simulated": bool(sim)} for each, at, body, sim in rows]

    def _read(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        return self._committed().execute(query, values).fetchall()

    def close(self) -> None:
        """Write what waits for the trace and give the file back. Safe to call twice."""
        try:
            if self._trace.waits and self._final is None:
                self._keep_stray()
        finally:
            self._connection.close()
            self._head.close()


def utc_text(at_utc: datetime) -> str:
    """A moment as "2026-03-01T12:00:00.250Z". It must know its time zone."""
    assert at_utc.tzinfo is not None, f"{at_utc} has no time zone"
    return at_utc.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def source_of(happened: Input, order_id: str | None) -> str:
    """Where an input came from: "shoe", "control", "panel" (a key of the display), "display" or "program"."""
    if order_id is not None:
        return "control"
    if isinstance(happened, Order):
        return "panel"
    if isinstance(happened, ShoeReport | LineTrouble):
        return "shoe"
    if isinstance(happened, LinkLost | LinkRestored):
        return "shoe" if happened.link is inputs.Link.SHOE else "display"
    return "program"
