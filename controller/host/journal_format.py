"""What a journal file looks like: its tables and its chain of hashes (see journal.md)."""

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from controller.host.lines import dumps

APPLICATION_ID = 0x50554E54  # "PUNT"
FORMAT = 2

SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE beginnings (
    number INTEGER PRIMARY KEY,
    at_utc TEXT NOT NULL,
    seq INTEGER NOT NULL,
    event INTEGER NOT NULL,
    start INTEGER NOT NULL,
    hash BLOB NOT NULL,
    chain BLOB NOT NULL,
    kept TEXT NOT NULL,
    archive TEXT NOT NULL,
    mac BLOB NOT NULL
) STRICT;
CREATE TABLE configurations (
    number INTEGER PRIMARY KEY,
    identity TEXT NOT NULL,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    text TEXT NOT NULL,
    before_input INTEGER NOT NULL,
    hash BLOB NOT NULL,
    chain BLOB NOT NULL,
    UNIQUE (identity, name)
) STRICT;
CREATE TABLE inputs (
    seq INTEGER PRIMARY KEY,
    at_utc TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    raw BLOB NOT NULL,
    order_id TEXT,
    answer TEXT,
    simulated INTEGER NOT NULL,
    last_event INTEGER NOT NULL,
    hash BLOB NOT NULL,
    chain BLOB NOT NULL
) STRICT;
CREATE INDEX inputs_by_order ON inputs (order_id, seq) WHERE order_id IS NOT NULL;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    input INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    shoe INTEGER,
    coup INTEGER,
    simulated INTEGER NOT NULL
) STRICT;
CREATE TABLE starts (
    input INTEGER PRIMARY KEY,
    number INTEGER NOT NULL,
    version TEXT NOT NULL,
    tableau TEXT NOT NULL,
    transitions TEXT NOT NULL,
    files TEXT NOT NULL,
    rules TEXT NOT NULL,
    yaml TEXT NOT NULL,
    simulated INTEGER NOT NULL
) STRICT;
CREATE TABLE shoes (
    input INTEGER PRIMARY KEY,
    shoe INTEGER NOT NULL,
    decks INTEGER NOT NULL,
    rules TEXT NOT NULL,
    state TEXT NOT NULL,
    simulated INTEGER NOT NULL
) STRICT;
CREATE TABLE cards (
    event INTEGER PRIMARY KEY,
    input INTEGER NOT NULL,
    shoe INTEGER,
    coup INTEGER,
    place TEXT NOT NULL,
    card TEXT,
    declared INTEGER NOT NULL,
    simulated INTEGER NOT NULL
) STRICT;
CREATE TABLE coups (
    event INTEGER PRIMARY KEY,
    input INTEGER NOT NULL,
    shoe INTEGER NOT NULL,
    coup INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    player TEXT NOT NULL,
    banker TEXT NOT NULL,
    player_total INTEGER,
    banker_total INTEGER,
    natural TEXT,
    player_pair TEXT,
    banker_pair TEXT,
    staked ANY NOT NULL,
    returned ANY NOT NULL,
    commission ANY NOT NULL,
    house_net ANY NOT NULL,
    simulated INTEGER NOT NULL
) STRICT;
CREATE TABLE bets (
    event INTEGER NOT NULL,
    line INTEGER NOT NULL,
    input INTEGER NOT NULL,
    shoe INTEGER NOT NULL,
    coup INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    wager TEXT NOT NULL,
    stake ANY NOT NULL,
    result TEXT NOT NULL,
    tier INTEGER,
    odds TEXT,
    commission ANY NOT NULL,
    won ANY NOT NULL,
    returned ANY NOT NULL,
    simulated INTEGER NOT NULL,
    PRIMARY KEY (event, line)
) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (input INTEGER PRIMARY KEY, state TEXT NOT NULL, mac BLOB NOT NULL) STRICT;
CREATE TABLE trace (number INTEGER PRIMARY KEY, after_input INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE VIEW shoe_totals AS
    SELECT shoe, count(*) AS coups, sum(outcome = 'player') AS player, sum(outcome = 'banker') AS banker,
           sum(outcome = 'tie') AS tie, sum(outcome = 'void') AS void,
           sum(iif(outcome = 'void', 0, staked)) AS drop_total, sum(house_net) AS hold, sum(commission) AS commission,
           max(simulated) AS simulated
    FROM coups GROUP BY shoe;
"""

BELONGING = ("events", "starts", "shoes", "cards", "coups", "bets")
"""The tables whose rows belong to an input and are hashed with it, in this order, each row with all its columns."""

_ANCHOR = re.compile(r"\s*([0-9]{1,20}) ([0-9a-f]{64})(?: [0-9T:.Z-]{10,40})?\s*", re.ASCII)


class RecordedEvent(NamedTuple):
    """A row of `events`; `body` is the event's JSON, `shoe` and `coup` where it belongs (None before the first)."""

    seq: int
    input: int
    kind: str
    body: str
    shoe: int | None
    coup: int | None
    simulated: int


class RecordedInput(NamedTuple):
    """A row of `inputs` with the rows that belong to it: its events, and those of the other tables, by table.

    `trouble` is one line when the row or one of those is not what was written, else empty.
    """

    seq: int
    at_utc: str
    at_ms: int
    source: str
    kind: str
    body: str
    raw: bytes
    order_id: str | None
    answer: str | None
    simulated: int
    last_event: int
    hash: bytes
    chain: bytes
    events: list[RecordedEvent]
    starts: list[tuple[object, ...]]
    shoes: list[tuple[object, ...]]
    cards: list[tuple[object, ...]]
    coups: list[tuple[object, ...]]
    bets: list[tuple[object, ...]]
    trouble: str

    @property
    def state(self) -> str | None:
        """The table's state (JSON) when a shoe began with this input."""
        return str(self.shoes[0][4]) if self.shoes else None


class RecordedConfiguration(NamedTuple):
    """A row of `configurations`: one text of the files that `identity` names. `trouble` as in RecordedInput."""

    number: int
    identity: str
    name: str
    sha256: str
    text: str
    before_input: int
    hash: bytes
    chain: bytes
    trouble: str


class RecordedStray(NamedTuple):
    """A row that belongs to no input, or something else that is wrong with the file's beginning or its end."""

    trouble: str


Recorded = RecordedInput | RecordedConfiguration | RecordedStray


class Beginning(NamedTuple):
    """Where the rows of this file begin: after the input `seq`, its last event and the start of that number.

    `kept` is the SHA-256 of the configurations that stand before it. `archive` names the file with what was before.
    """

    number: int
    at_utc: str
    seq: int
    event: int
    start: int
    hash: bytes
    chain: bytes
    kept: str
    archive: str
    mac: bytes


@dataclass(frozen=True, slots=True)
class Anchor:
    """The chain's value after the input `seq`: whoever keeps it can tell that nothing up to there was changed since."""

    seq: int
    chain: bytes
    at_utc: str = field(default="", compare=False)

    def __str__(self) -> str:
        return " ".join(part for part in (str(self.seq), self.chain.hex(), self.at_utc) if part)


def parse_anchor(text: str) -> Anchor | None:
    """The anchor that `str(anchor)` wrote, its time left out; None when it is no such line."""
    parts = _ANCHOR.fullmatch(text)
    return None if parts is None else Anchor(int(parts[1]), bytes.fromhex(parts[2]))


# The chain.


class Link(NamedTuple):
    """Two values after a row: the plain hash, which anybody can work out, and the HMAC, which needs the key."""

    hash: bytes
    chain: bytes


BEFORE_ALL = Link(b"", b"")


def link(key: bytes | None, before: Link, columns: Sequence[object]) -> Link:
    """The chain after a row whose columns are these. Without the key the second value is empty."""
    digest = hashlib.sha256(before.hash + as_json(columns)).digest()
    return Link(digest, hmac.digest(key, before.chain + digest, "sha256") if key is not None else b"")


def first_link(key: bytes | None, about: Iterable[tuple[str, str]]) -> Link:
    """The chain before the first row: it is about what `about` says, by key."""
    return link(key, BEFORE_ALL, ["about", *map(list, sorted(about))])


def seal(key: bytes, columns: Sequence[object]) -> bytes:
    """The HMAC of a row outside the chain: a beginning or a snapshot."""
    return hmac.digest(key, as_json(columns), "sha256")


def as_json(columns: Sequence[object]) -> bytes:
    """A row's columns as JSON in ASCII without spaces; bytes are hex under "hex"."""
    try:
        return dumps(columns).encode("ascii")
    except (TypeError, ValueError):
        return dumps(_plain(columns)).encode("ascii")


def _plain(column: object) -> object:
    match column:
        case bytes():
            return {"hex": column.hex()}
        case float():  # never written: only a damaged file holds one
            return {"float": repr(column)}
        case list() | tuple():
            return [_plain(each) for each in column]
        case _:
            return column


def input_columns(row: Sequence[object], raw: object, belonging: Sequence[Sequence[Sequence[object]]]) -> list[object]:
    """What is hashed of an input: its columns `seq` to `last_event`, `raw` in hex, then the rows of each table."""
    told = raw.hex() if type(raw) is bytes else {"no bytes": raw}
    return ["input", *row[:6], told, *row[7:11], *belonging]
