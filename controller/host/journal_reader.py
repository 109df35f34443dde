"""A journal as others read it: never changed, also while a table writes it, a record at a time."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from operator import methodcaller
from pathlib import Path
from typing import Any

from controller.host.journal_file import chain_at, check_is_journal, cut_off
from controller.host.journal_format import Anchor, Beginning, Recorded, RecordedInput, RecordedStray
from controller.host.journal_head import head_trouble, no_head, read_head
from controller.host.journal_key import (
    JournalRefused,
    KeyMissing,
    default_key_path,
    head_path,
    key_check,
    read_key,
)
from controller.host.journal_trouble import no_room
from controller.host.journal_walk import about_of, beginning, link_after, schema_trouble, snapshot_seal, walk
from controller.host.lines import shown

_DAMAGE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file raises; the second when SQLite quotes bytes of it in its own message."""
_ANY_BYTES = methodcaller("decode", "utf-8", "surrogateescape")


class JournalDamaged(Exception):
    """A file that cannot be read on: one line with the last record that was read."""


class JournalReader:
    """A journal open for reading, as it was at that moment: what is written meanwhile is not seen.

    `key` is None when the key is not there: then the plain hashes are checked, which anybody could work out anew.
    Close it soon: while it is open, the writer's log cannot start anew and grows.
    """

    def __init__(self, path: str | os.PathLike[str], key: Path | None = None) -> None:
        """`key` is the key's file; without it `keys/ID.key` in the journal's folder is taken, if it is there.

        Raises JournalRefused when there is no journal, it is none, or the key cannot be read.
        """
        self.path = os.path.realpath(os.fspath(path))
        try:
            if not check_is_journal(self.path):
                raise JournalRefused(f"there is no journal {shown(self.path)}: check the path")
            self._connection = _connect(self.path)
        except OSError as error:
            raise JournalRefused(
                f"journal {shown(self.path)}: {error.strerror}: check the path and its rights"
            ) from error
        except _DAMAGE as error:
            raise self._refused(error) from error
        try:
            self._find_key(key)
            # The head is read before the rows: a table that writes meanwhile is then never ahead of them.
            self._head = read_head(head_path(self.key_path, self.path))
            self._connection.execute("BEGIN")
            self._connection.execute("SELECT count(*) FROM about").fetchone()
        except _DAMAGE as error:
            self.close()
            raise self._refused(error) from error
        except JournalRefused:
            self.close()
            raise

    def _refused(self, error: Exception) -> JournalRefused:
        why = no_room(error) or f"{error}: restore a copy"
        return JournalRefused(f"journal {shown(self.path)} cannot be read: {why}")

    def _find_key(self, given: Path | None) -> None:
        self._about = dict(about_of(self._connection))
        self.key_path = given or default_key_path(self.path, str(self._about.get("table")))
        self.key: bytes | None = None
        try:
            self.key = read_key(self.key_path)
        except KeyMissing:
            if given is not None:
                raise

    def about(self) -> dict[str, str]:
        """What the journal says of itself: `format`, `key`, `table`, `simulation`."""
        return dict(self._about)

    def beginning(self) -> Beginning:
        """Where the rows of this file begin."""
        return beginning(self._connection)

    def rows(self, after: int = 0) -> Iterator[Recorded]:
        """The configurations and inputs after the input `after`, in the order of the chain, one at a time.

        A row that is not what was written says so in its `trouble`. Raises JournalDamaged where it cannot be read.
        """
        last = after
        try:
            try:
                self._connection.text_factory = str  # three times as quick
                for row in walk(self._connection, self.key, after):
                    last = row.seq if isinstance(row, RecordedInput) else last
                    yield row
            except sqlite3.OperationalError as error:
                if "decode" not in str(error):
                    raise
                self._connection.text_factory = _ANY_BYTES
                yield from walk(self._connection, self.key, last)
        except _DAMAGE as error:
            raise JournalDamaged(f"journal {shown(self.path)} cannot be read after record {last}: {error}") from error
        except (TypeError, ValueError, OverflowError) as error:  # of values that only a damaged file holds
            raise JournalDamaged(f"journal {shown(self.path)} cannot be read after record {last}: {error}") from error

    def select(self, query: str, values: tuple[object, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """Rows of a query of ours, one at a time. Raises JournalDamaged."""
        try:
            for row in self._connection.execute(query, values):  # noqa: UP028 (that would close a closed cursor)
                yield row
        except _DAMAGE as error:
            raise JournalDamaged(f"journal {shown(self.path)} cannot be read: {error}") from error

    def troubles(self) -> Iterator[str]:
        """All that is wrong with the file, a line each: rows changed, missing or too many, indexes, a lost end."""
        if wrong := self.key_trouble():
            yield wrong
        strays, begun = [], False
        try:
            for row in self.rows():
                begun = begun or isinstance(row, RecordedInput)
                if row.trouble and begun and isinstance(row, RecordedStray):
                    strays.append(row.trouble)
                elif row.trouble:
                    yield row.trouble
        except JournalDamaged as damage:
            yield str(damage)
        yield from self.other_troubles()
        yield from strays

    def other_troubles(self) -> Iterator[str]:
        """What is wrong beside the rows of the chain: the state kept, SQLite's own structure, a lost end."""
        try:
            if cut := cut_off(self.path, self._connection):
                yield cut
            if lost := self.head_trouble():
                yield lost
            yield from self._snapshot_troubles()
            if other := schema_trouble(self._connection):
                yield other
            for (line,) in self._connection.execute("PRAGMA integrity_check(20)"):
                if line != "ok":
                    yield f"the file is damaged: {' '.join(str(line).split())}"
        except _DAMAGE as error:
            yield f"the file is damaged: {error}"

    def _snapshot_troubles(self) -> Iterator[str]:
        for seq, state, mac in self._connection.execute("SELECT input, state, mac FROM snapshots"):
            after = link_after(self._connection, seq)
            if after is None or (self.key and snapshot_seal(self.key, seq, after.chain, state) != mac):
                yield f"the state kept after record {seq} is not what was written"

    def key_trouble(self) -> str:
        """One line when the journal says that it was written with another key; else (or without one) empty."""
        if self.key is None or self._about.get("key") == key_check(self.key):
            return ""
        return f"journal {shown(self.path)} was not written with the key {shown(str(self.key_path))}"

    def last_input(self) -> int:
        """The number of the last input, 0 before the first."""
        (last,) = self._connection.execute("SELECT max(seq) FROM inputs").fetchone()
        return int(last) if last is not None else self.beginning().seq

    def anchor(self) -> Anchor:
        """The chain after the last input: keep it elsewhere, and no change up to there goes unseen."""
        last = self.last_input()
        times = self._connection.execute("SELECT at_utc FROM inputs WHERE seq = ?", (last,)).fetchone()
        return Anchor(last, chain_at(self._connection, last) or b"", times[0] if times else "")

    def anchor_at(self, seq: int) -> Anchor:
        """The chain after an input that is here, or after which the rows here begin."""
        return Anchor(seq, chain_at(self._connection, seq) or b"")

    def anchor_trouble(self, anchor: Anchor) -> str:
        """One line when this journal is not one that held `anchor`, else empty."""
        begun = self.beginning()
        if anchor.seq < begun.seq:
            return f"record {anchor.seq} is in the archive {begun.archive}: verify that one with this anchor"
        return head_trouble(anchor, self.last_input(), lambda seq: chain_at(self._connection, seq), self.path)

    def head_missing(self) -> str:
        """One line when nothing beside the key says how many records there should be, else empty."""
        return "" if self._head is not None else no_head(head_path(self.key_path, self.path))

    def head_trouble(self) -> str:
        """One line when the journal lacks what the head beside the key names; else (or without one) empty."""
        if self._head is None:
            return ""
        return head_trouble(self._head, self.last_input(), lambda seq: chain_at(self._connection, seq), self.path)

    def backup(self, target: sqlite3.Connection) -> None:
        """Copy the whole file as it was at that moment, by SQLite's own means. Raises sqlite3.Error."""
        self._connection.backup(target)

    def close(self) -> None:
        """The folder is then as it was. Safe to call twice."""
        self._connection.close()
        leave_at_rest(self.path)

    def __enter__(self) -> "JournalReader":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def _connect(path: str) -> sqlite3.Connection:
    """A connection that cannot write. Bytes that are no UTF-8 are read, not raised for."""
    # On a medium that cannot be written SQLite cannot make its shared memory; then no table writes it either.
    fixed, log = not os.access(os.path.dirname(path), os.W_OK), f"{path}-wal"
    if fixed and os.path.exists(log) and not os.path.exists(f"{path}-shm"):
        raise JournalRefused(
            f"journal {shown(path)} has records in {shown(log)}, which cannot be read where nothing may be written:"
            " copy both, with the folder keys, to where it may, and read them there"
        )
    still = fixed and not os.path.exists(log)
    address = f"{Path(path).as_uri()}?mode=ro{'&immutable=1' if still else ''}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    try:
        connection.text_factory = _ANY_BYTES
        connection.execute("SELECT count(*) FROM about").fetchone()
    except _DAMAGE:
        connection.close()
        raise
    return connection


def leave_at_rest(path: str) -> None:
    """Take away the empty log and its index, which SQLite makes for whoever reads and leaves there.

    By its own means: it does so when the last who has the file open closes it and may write. Nothing is written.
    """
    with suppress(OSError, *_DAMAGE):
        if os.path.getsize(f"{path}-wal") == 0 and not os.path.lexists(f"{path}-journal"):
            address = f"{Path(path).as_uri()}?mode=rw"
            with closing(sqlite3.connect(address, uri=True, isolation_level=None, timeout=0)) as connection:
                connection.execute("SELECT count(*) FROM about").fetchone()
