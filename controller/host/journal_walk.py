"""The rows of a journal in the order of its chain, a record at a time, each checked against the chain."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from typing import Any

from controller.host.journal_format import (
    BELONGING,
    SCHEMA,
    Beginning,
    Link,
    Recorded,
    RecordedConfiguration,
    RecordedEvent,
    RecordedInput,
    RecordedStray,
    as_json,
    first_link,
    input_columns,
    link,
    seal,
)

_INPUTS = """SELECT seq, at_utc, at_ms, source, kind, body, raw, order_id, answer, simulated, last_event, hash, chain
    FROM inputs WHERE seq > ? ORDER BY seq"""
_CONFIGURATIONS = """SELECT number, identity, name, sha256, text, before_input, hash, chain FROM configurations
    WHERE before_input > ? ORDER BY number"""
_BY_INPUT = ("starts", "shoes")
_ORDER = {"events": "seq", "cards": "event", "coups": "event", "bets": "event, line"}
_AFTER = {"events": "seq", "cards": "event", "coups": "event", "bets": "event"}
_END = 2**63
_INPUT_COLUMN = {"events": 1, "starts": 0, "shoes": 0, "cards": 1, "coups": 1, "bets": 2}


def beginning(connection: sqlite3.Connection) -> Beginning:
    """Where the rows of this file begin. Raises sqlite3.Error; a file without one begins nowhere that fits."""
    row = connection.execute("SELECT * FROM beginnings ORDER BY number DESC LIMIT 1").fetchone()
    return Beginning(*row) if row is not None else Beginning(0, "", 0, 0, 0, b"", b"", "", "", b"")


def beginning_seal(key: bytes, about: list[tuple[str, str]], begun: Beginning) -> bytes:
    """The HMAC of a beginning: over what `about` says and all its columns but the last."""
    return seal(key, ["beginning", [list(each) for each in sorted(about)], *_told(begun)])


def _told(begun: Beginning) -> list[object]:
    return [each.hex() if isinstance(each, bytes) else each for each in begun[:-1]]


def snapshot_seal(key: bytes, seq: int, chain: bytes, state: str) -> bytes:
    """The HMAC of a snapshot: the state after the input whose chain this is."""
    return seal(key, ["snapshot", seq, chain.hex(), state])


def about_of(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """What the journal says of itself."""
    return connection.execute("SELECT key, value FROM about ORDER BY key").fetchall()


def kept_before(connection: sqlite3.Connection, seq: int) -> str:
    """The SHA-256 of the configurations that were added up to the input `seq`."""
    rows = connection.execute("SELECT * FROM configurations WHERE before_input <= ? ORDER BY number", (seq,))
    return hashlib.sha256(as_json(rows.fetchall())).hexdigest()


def beginning_trouble(connection: sqlite3.Connection, key: bytes | None, begun: Beginning) -> str:
    """One line when the file does not begin as it was written, else empty."""
    about = about_of(connection)
    if key is not None and beginning_seal(key, about, begun) != begun.mac:
        return "the beginning (what it says of itself, or where its rows begin) is not what was written"
    before = [Beginning(*row) for row in connection.execute("SELECT * FROM beginnings ORDER BY number")]
    if [each.number for each in before] != list(range(1, begun.number + 1)):
        return "a beginning is missing, or is one too many"
    for each in before[:-1]:
        if key is not None and beginning_seal(key, about, each) != each.mac:
            return f"beginning {each.number} is not what was written"
    first = first_link(key, about)
    if begun.seq == 0 and (first.hash != begun.hash or (key is not None and first.chain != begun.chain)):
        return "what it says of itself is not what was written"
    if kept_before(connection, begun.seq) != begun.kept:
        return "a configuration before the beginning is not what was written"
    return _too_early(connection, begun)


def _too_early(connection: sqlite3.Connection, begun: Beginning) -> str:
    """One line when rows stand where the chain has not begun yet: a report would count them."""
    for table, column in (("inputs", "seq"), *_AFTER.items(), *((each, "input") for each in _BY_INPUT)):
        first = begun.event if table in _AFTER else begun.seq
        (count,) = connection.execute(f"SELECT count(*) FROM {table} WHERE {column} <= ?", (first,)).fetchone()
        if count:
            return f"{count} {table} stand before the first record of this file"
    return ""


_OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"


def schema_trouble(connection: sqlite3.Connection) -> str:
    """One line when a table, view or index is not as this format has it, or is one too many, else empty.

    Rows may be right and a view still tell other sums of them; a trigger would write rows of its own.
    """
    apart = set(connection.execute(_OBJECTS)) ^ _objects()
    names = sorted({str(name) for _, name, _, _ in apart})
    return f"{ascii(names[0])[1:-1][:60]} is not as a journal has it (a table, view, index or trigger)" if names else ""


@cache
def _objects() -> frozenset[tuple[str, str, str, str | None]]:
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(SCHEMA)
        return frozenset(empty.execute(_OBJECTS))


def link_after(connection: sqlite3.Connection, seq: int) -> Link | None:
    """The chain after the input `seq` as its row says it; None when there is no such row."""
    begun = beginning(connection)
    if seq == begun.seq:
        return Link(begun.hash, begun.chain)
    row = connection.execute("SELECT hash, chain FROM inputs WHERE seq = ?", (seq,)).fetchone()
    return None if row is None else Link(*row)


class _Following:
    """The rows of one table, given out input by input."""

    def __init__(self, connection: sqlite3.Connection, table: str, after_input: int, after_event: int) -> None:
        by_input = table in _BY_INPUT
        after, order = ("input", "input") if by_input else (_AFTER[table], _ORDER[table])
        self._rows = connection.execute(
            f"SELECT * FROM {table} WHERE {after} > ? ORDER BY {order}", (after_input if by_input else after_event,)
        )
        self._column = _INPUT_COLUMN[table]
        self._table = table
        self._next: tuple[Any, ...] | None = self._rows.fetchone()
        self.strays = 0
        self.at = self._at()
        """The input of the next row: there is nothing to give out before it."""

    def _at(self) -> int:
        if self._next is None:
            return _END
        seq = self._next[self._column]
        return seq if type(seq) is int else 0

    def of(self, seq: int) -> list[tuple[Any, ...]]:
        """The rows of this input."""
        row, column = self._next, self._column
        found = []
        while row is not None and (row[column] == seq or type(row[column]) is not int or row[column] < seq):
            if row[column] == seq:
                found.append(row)
            else:
                self.strays += 1
            row = self._rows.fetchone()
        self._next = row
        self.at = self._at()
        return found

    def left(self) -> str:
        """One line when rows belong to no record, else empty."""
        while self._next is not None:
            self.strays += 1
            self._next = self._rows.fetchone()
        return f"{self.strays} {self._table} belong to no record" if self.strays else ""


def walk(connection: sqlite3.Connection, key: bytes | None, after: int = 0) -> Iterator[Recorded]:
    """The rows after the input `after` (0: all) in the order of the chain, a record at a time, each checked against it.

    After a row that does not fit, the chain goes on from what that row says, so that only this one is named. Without
    the key the plain hashes are checked. Raises sqlite3.Error where the file cannot be read.
    """
    begun = beginning(connection)
    if after <= begun.seq:
        after, last_event, before = begun.seq, begun.event, Link(begun.hash, begun.chain)
        if trouble := beginning_trouble(connection, key, begun):
            yield RecordedStray(trouble)
    else:
        before, last_event = _after(connection, after)
    configurations = connection.execute(_CONFIGURATIONS, (after,))
    waiting = configurations.fetchone()
    tables = [_Following(connection, table, after, last_event) for table in BELONGING]
    expected, make_event = after + 1, RecordedEvent._make
    for row in connection.execute(_INPUTS, (after,)):
        while waiting is not None and waiting[5] <= row[0]:
            configuration = _checked_configuration(key, before, waiting)
            yield configuration
            before, waiting = Link(configuration.hash, configuration.chain), configurations.fetchone()
        seq = row[0]
        belonging = [table.of(seq) if table.at <= seq else [] for table in tables]
        own = belonging[0]
        found = link(key, before, input_columns(row, row[6], belonging))
        trouble = ""
        if found.hash != row[11] or seq != expected or len(own) != row[10] - last_event:
            trouble = _what(row, expected, own, last_event, found)
        elif key is not None and found.chain != row[12]:
            trouble = f"record {seq} was not written with this table's key"
        elif own and own[-1][0] != row[10]:
            trouble = f"record {seq}: its events are missing or moved"
        told = [make_event(each) for each in own]
        yield RecordedInput._make((*row, told, *belonging[1:], trouble))
        before, expected, last_event = Link(row[11], row[12]), seq + 1, row[10]
    while waiting is not None:
        configuration = _checked_configuration(key, before, waiting)
        yield configuration
        before, waiting = Link(configuration.hash, configuration.chain), configurations.fetchone()
    for table in tables:
        if left := table.left():
            yield RecordedStray(left)


def _after(connection: sqlite3.Connection, after: int) -> tuple[Link, int]:
    row = connection.execute("SELECT hash, chain, last_event FROM inputs WHERE seq = ?", (after,)).fetchone()
    return (Link(b"", b""), 0) if row is None else (Link(row[0], row[1]), row[2])


def _what(row: tuple[Any, ...], expected: int, own: list[tuple[Any, ...]], last_event: int, found: Link) -> str:
    seq = row[0]
    if seq != expected:
        return (
            f"record {expected} is missing" if seq == expected + 1 else f"records {expected} to {seq - 1} are missing"
        )
    if [event[0] for event in own] != list(range(last_event + 1, last_event + 1 + len(own))):
        return f"record {seq}: events from {last_event + 1} on are missing or moved"
    return f"record {seq} is not what was written"


def _checked_configuration(key: bytes | None, before: Link, row: tuple[Any, ...]) -> RecordedConfiguration:
    found = link(key, before, ["configuration", *row[:6]])
    trouble = ""
    if found.hash != row[6]:
        trouble = f"configuration {row[0]} is not what was written"
    elif key is not None and found.chain != row[7]:
        trouble = f"configuration {row[0]} was not written with this table's key"
    return RecordedConfiguration._make((*row, trouble))
