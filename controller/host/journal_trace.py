"""The ring of stray bytes: what came on the shoe's line beside the inputs. Bounded, and outside the chain."""

import sqlite3
from collections import deque

TRACE_BYTES = 1024 * 1024
_WORTH_WRITING = 2 * 1024
_MOST_WAITING = 16 * 1024


class TraceRing:
    """Bytes wait here until enough of them can go to the disk with something else, until many wait, or to the end."""

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = self._on_disk = 0

    @property
    def waits(self) -> bool:
        """Whether anything is not on the disk yet."""
        return bool(self._waiting)

    def look(self, connection: sqlite3.Connection) -> None:
        """How much the journal holds already."""
        (self._on_disk,) = connection.execute("SELECT coalesce(sum(length(data)), 0) FROM trace").fetchone()

    def keep(self, data: bytes) -> bool:
        """Keep these, the newest 1 MiB of all that waits; True when so much waits that it should be written now."""
        self._waiting.append(data[-TRACE_BYTES:])
        self._waiting_bytes += len(self._waiting[-1])
        while self._waiting_bytes > TRACE_BYTES:
            self._waiting_bytes -= len(self._waiting.popleft())
        return self._waiting_bytes > _MOST_WAITING

    def write_some(self, connection: sqlite3.Connection, after_input: int) -> int | None:
        """As `write`, when it is worth it; else None, and what waits goes on waiting."""
        return self.write(connection, after_input) if self._waiting_bytes >= _WORTH_WRITING else None

    def write(self, connection: sqlite3.Connection, after_input: int) -> int:
        """Within a transaction: write what waits, drop the oldest beyond 1 MiB. Call `written` once that is on disk."""
        data = b"".join(self._waiting)
        connection.execute("INSERT INTO trace (after_input, data) VALUES (?,?)", (after_input, data))
        total = self._on_disk + len(data)
        while total > TRACE_BYTES:
            oldest = connection.execute("SELECT number, length(data) FROM trace ORDER BY number LIMIT 1")
            number, size = oldest.fetchone()
            connection.execute("DELETE FROM trace WHERE number = ?", (number,))
            total -= int(size)
        return total

    def written(self, on_disk: int) -> None:
        """What waited is on disk, which now holds so many bytes."""
        self._on_disk = on_disk
        self._waiting.clear()
        self._waiting_bytes = 0
