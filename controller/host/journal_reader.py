"""A journal as others read it: never changed, also while a table writes it, a record at a time."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from controller.host.journal_file import JournalRefused, check_is_journal, head_trouble
from controller.host.journal_format import (
    Anchor,
    RecordedConfiguration,
    RecordedInput,
    chain_after,
    parse_anchor,
    walk,
)
from controller.host.lines import shown


class JournalDamaged(Exception):
    """A file that cannot be read on: one line with the last record that was read."""


class JournalReader:
    """A journal open for reading, as it was at that moment: what is written meanwhile is not seen.

    Raises JournalRefused when there is none, or it is no journal. Close it soon: while it is open, the writer's log
    cannot start anew and grows.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.realpath(os.fspath(path))
        try:
            if not check_is_journal(self.path):
                raise JournalRefused(f"there is no journal {shown(self.path)}: check the path")
            self._head = _read_head(self.path)  # first: a table that writes meanwhile is then never ahead of the rows
            self._connection = _connect(self.path)
        except OSError as error:
            raise JournalRefused(
                f"journal {shown(self.path)}: {error.strerror}: check the path and its rights"
            ) from error
        except sqlite3.Error as error:
            raise JournalRefused(f"journal {shown(self.path)} cannot be read: {error}: restore a copy") from error

    def about(self) -> dict[str, str]:
        """What the journal says of itself: `format`, `table`, `simulation`."""
        return dict(self._connection.execute("SELECT key, value FROM about"))

    def rows(self, after: int = 0) -> Iterator[RecordedConfiguration | RecordedInput]:
        """The configurations and inputs after the input `after`, in the order of the chain, one at a time.

        A row that is not what was written says so in its `trouble`. Raises JournalDamaged where it cannot be read.
        """
        last = after
        try:
            for row in walk(self._connection, after):
                last = row.seq if isinstance(row, RecordedInput) else last
                yield row
        except sqlite3.Error as error:
            raise JournalDamaged(f"journal {shown(self.path)} cannot be read after record {last}: {error}") from error

    def troubles(self) -> Iterator[str]:
        """All that is wrong with the file, a line each: rows changed, missing or too many, indexes, a lost end."""
        events = 0
        try:
            for row in self.rows():
                if row.trouble:
                    yield row.trouble
                events += len(row.events) if isinstance(row, RecordedInput) else 0
            yield from self._strays(events)
            for (line,) in self._connection.execute("PRAGMA integrity_check(20)"):
                if line != "ok":
                    yield f"the file is damaged: {line}"
        except JournalDamaged as damage:
            yield str(damage)
        except sqlite3.Error as error:
            yield f"the file is damaged: {error}"
        if lost := self.head_trouble():
            yield lost

    def _strays(self, events: int) -> Iterator[str]:
        (held,) = self._connection.execute("SELECT count(*) FROM events").fetchone()
        if held != events:
            yield f"{held - events} events belong to no record"
        for (seq,) in self._connection.execute("SELECT input FROM shoes WHERE input NOT IN (SELECT seq FROM inputs)"):
            yield f"the shoe of record {seq} belongs to no record"

    def anchor(self) -> Anchor:
        """The chain after the last input: keep it elsewhere, and no change up to there goes unseen."""
        (last,) = self._connection.execute("SELECT coalesce(max(seq), 0) FROM inputs").fetchone()
        return Anchor(last, chain_after(self._connection, last))

    def anchor_trouble(self, anchor: Anchor) -> str:
        """One line when this journal is not one that held `anchor`, else empty."""
        return head_trouble(anchor, self.anchor().seq, lambda seq: chain_after(self._connection, seq), self.path)

    def head_trouble(self) -> str:
        """One line when the journal lacks what the `.head` file beside it names; else (or without one) empty."""
        return "" if self._head is None else self.anchor_trouble(self._head)

    def close(self) -> None:
        """Safe to call twice."""
        self._connection.close()

    def __enter__(self) -> "JournalReader":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def _read_head(path: str) -> Anchor | None:
    try:
        line = Path(f"{path}.head").read_bytes()[:200]
    except FileNotFoundError:
        return None
    return parse_anchor(line.decode("ascii", "replace"))


def _connect(path: str) -> sqlite3.Connection:
    """A connection that cannot write, with one view of the file. Bytes that are no UTF-8 are read, not raised for."""
    # On a medium that cannot be written SQLite cannot make its shared memory; then no table writes it either.
    still = not os.access(os.path.dirname(path), os.W_OK) and not os.path.exists(f"{path}-wal")
    address = f"{Path(path).as_uri()}?mode=ro{'&immutable=1' if still else ''}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    try:
        connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM about").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection
