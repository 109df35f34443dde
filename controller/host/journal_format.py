"""What a journal file looks like: its tables, its chain of hashes, and its rows read back in order (see journal.md)."""

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from controller.host.lines import dumps

APPLICATION_ID = 0x50554E54  # "PUNT"
FORMAT = 1

SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE configurations (
    number INTEGER PRIMARY KEY,
    identity TEXT NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    before_input INTEGER NOT NULL,
    chain BLOB NOT NULL,
    UNIQUE (identity, name)
) STRICT;
CREATE TABLE inputs (
    seq INTEGER PRIMARY KEY,
    at_utc TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    raw BLOB NOT NULL,
    order_id TEXT,
    answer TEXT,
    simulated INTEGER NOT NULL,
    chain BLOB NOT NULL
) STRICT;
CREATE INDEX inputs_with_bytes ON inputs (seq) WHERE raw <> x'';
CREATE INDEX inputs_by_order ON inputs (order_id, seq) WHERE order_id IS NOT NULL;
CREATE INDEX inputs_of_starts ON inputs (seq) WHERE kind = 'ProgramStarted';
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    input INTEGER NOT NULL REFERENCES inputs (seq),
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    shoe INTEGER,
    coup INTEGER,
    simulated INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_input ON events (input, seq);
CREATE INDEX events_by_coup ON events (shoe, coup, seq);
CREATE TABLE shoes (
    input INTEGER PRIMARY KEY REFERENCES inputs (seq),
    shoe INTEGER NOT NULL,
    state TEXT NOT NULL
) STRICT;
CREATE TABLE trace (number INTEGER PRIMARY KEY, after_input INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE VIEW starts AS
    SELECT row_number() OVER (ORDER BY seq) AS number, seq AS input, at_utc,
           json_extract(body, '$.version') AS version, json_extract(body, '$.rules') AS identity
    FROM inputs WHERE kind = 'ProgramStarted';
"""

_ANCHOR = re.compile(r"\s*([0-9]{1,20}) ([0-9a-f]{64})\s*", re.ASCII)


class RecordedEvent(NamedTuple):
    """A row of `events`; `body` is the event's JSON, `shoe` and `coup` where it belongs (None before the first)."""

    seq: int
    kind: str
    body: str
    shoe: int | None
    coup: int | None
    simulated: int


@dataclass(frozen=True, slots=True)
class RecordedInput:
    """A row of `inputs` with the events it gave; `state` is the table's state (JSON) when a shoe began with it.

    `trouble` is one line when the row or its events are not what was written, else empty.
    """

    seq: int
    at_utc: str
    at_ms: int
    kind: str
    body: str
    raw: bytes
    order_id: str | None
    answer: str | None
    simulated: int
    events: tuple[RecordedEvent, ...]
    shoe: int | None
    state: str | None
    chain: bytes
    trouble: str


@dataclass(frozen=True, slots=True)
class RecordedConfiguration:
    """A row of `configurations`: one text of the files that `identity` names. `trouble` as in RecordedInput."""

    number: int
    identity: str
    name: str
    text: str
    before_input: int
    chain: bytes
    trouble: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """The chain's value after the input `seq`: whoever keeps it can tell that nothing up to there was changed since."""

    seq: int
    chain: bytes

    def __str__(self) -> str:
        return f"{self.seq} {self.chain.hex()}"


def parse_anchor(text: str) -> Anchor | None:
    """The anchor that `str(anchor)` wrote; None when it is no such line."""
    parts = _ANCHOR.fullmatch(text)
    return None if parts is None else Anchor(int(parts[1]), bytes.fromhex(parts[2]))


# The chain.


def first_chain(about: Iterable[tuple[str, str]]) -> bytes:
    """The chain's value before the first row: the hash of what `about` says, by key."""
    return _link(b"", ["about", *map(list, sorted(about))])


def configuration_chain(before: bytes, row: tuple[object, ...]) -> bytes:
    """The chain's value after a configuration `(number, identity, name, text, before_input)`."""
    return _link(before, ["configuration", *row])


def input_chain(
    before: bytes, row: tuple[object, ...], shoe: tuple[object, ...], events: Iterable[tuple[object, ...]]
) -> bytes:
    """The chain's value after an input: its columns `seq` to `simulated`, its shoe `(shoe, state)`, its events."""
    return _link(before, ["input", *row, *shoe, [[_hashable(column) for column in event] for event in events]])


def _link(before: bytes, columns: list[object]) -> bytes:
    return hashlib.sha256(before + dumps([_hashable(column) for column in columns]).encode("ascii")).digest()


def _hashable(column: object) -> object:
    match column:
        case bytes():
            return {"hex": column.hex()}
        case float():  # never written: only a damaged file holds one
            return {"float": repr(column)}
        case _:
            return column


# Rows in order.

_CONFIGURATIONS = """SELECT number, identity, name, text, before_input, chain FROM configurations
    WHERE before_input > ? ORDER BY number"""
_INPUTS = """SELECT seq, at_utc, at_ms, kind, body, raw, order_id, answer, simulated, shoe, state, chain
    FROM inputs LEFT JOIN shoes ON shoes.input = inputs.seq WHERE seq > ? ORDER BY seq"""
_EVENTS = "SELECT seq, kind, body, shoe, coup, simulated FROM events WHERE input = ? ORDER BY seq"


def walk(connection: sqlite3.Connection, after: int) -> Iterator[RecordedConfiguration | RecordedInput]:
    """The rows after the input `after` (0: all) in the order of the chain, a row at a time, each checked against it.

    After a row that does not fit, the chain goes on from what that row says, so that only this one is named.
    Raises sqlite3.Error where the file cannot be read.
    """
    chain = chain_after(connection, after)
    expected, expected_event = after + 1, _first_event_after(connection, after)
    configurations = _configurations(connection, after)
    waiting = next(configurations, None)
    row: tuple[Any, ...]
    for row in connection.execute(_INPUTS, (after,)):
        while waiting is not None and waiting[4] <= row[0]:
            yield (configuration := _checked_configuration(chain, waiting))
            chain, waiting = configuration.chain, next(configurations, None)
        events = tuple(RecordedEvent(*each) for each in connection.execute(_EVENTS, (row[0],)))
        trouble = _gap(row[0], expected, events, expected_event)
        if not trouble and input_chain(chain, row[:9], row[9:11], events) != row[11]:
            trouble = f"record {row[0]} is not what was written"
        yield RecordedInput(*[*row[:9], events, *row[9:], trouble])
        chain, expected = row[11], row[0] + 1
        expected_event = events[-1].seq + 1 if events else expected_event
    while waiting is not None:
        yield (configuration := _checked_configuration(chain, waiting))
        chain, waiting = configuration.chain, next(configurations, None)


def chain_after(connection: sqlite3.Connection, seq: int) -> bytes:
    """The chain's value after the input `seq`, 0 for the beginning. b"" when there is no such row."""
    if seq == 0:
        return first_chain(connection.execute("SELECT key, value FROM about"))
    row = connection.execute("SELECT chain FROM inputs WHERE seq = ?", (seq,)).fetchone()
    return b"" if row is None else bytes(row[0])


def _first_event_after(connection: sqlite3.Connection, after: int) -> int:
    (seq,) = connection.execute("SELECT coalesce(max(seq), 0) FROM events WHERE input <= ?", (after,)).fetchone()
    return int(seq) + 1


def _configurations(connection: sqlite3.Connection, after: int) -> Iterator[tuple[int, str, str, str, int, bytes]]:
    yield from connection.execute(_CONFIGURATIONS, (after,))


def _checked_configuration(chain: bytes, row: tuple[int, str, str, str, int, bytes]) -> RecordedConfiguration:
    fits = configuration_chain(chain, row[:5]) == row[5]
    return RecordedConfiguration(*row, trouble="" if fits else f"configuration {row[0]} is not what was written")


def _gap(seq: int, expected: int, events: tuple[RecordedEvent, ...], expected_event: int) -> str:
    if seq != expected:
        missing = f"record {expected} is" if seq == expected + 1 else f"records {expected} to {seq - 1} are"
        return f"{missing} missing"
    if [event.seq for event in events] != list(range(expected_event, expected_event + len(events))):
        return f"record {seq}: events from {expected_event} on are missing or moved"
    return ""
