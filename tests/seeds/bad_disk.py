"""A disk that is full, fails or is slow, and a program that dies before or after a commit."""

import random
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from tests.seeds.kills import Kills

Statement = tuple[str, Any, bool]


class BadDisk:
    """How the disk is; it outlives the programs that write on it."""

    def __init__(self, chance: random.Random) -> None:
        self.full = False
        self.fails_next = False
        self.slow_ms = 0
        self._chance = chance
        self.left_behind: list[Statement] = []
        """Of a commit whose sync failed: on the disk all the same, as the next program finds."""

    @property
    def is_well(self) -> bool:
        return not self.full and not self.fails_next

    def check(self, done: Sequence[Statement]) -> None:
        """Before a commit. Raises what SQLite would."""
        if self.fails_next:
            self.fails_next = False
            self.left_behind = list(done) if self._chance.random() < 0.5 else []
            raise _error("disk I/O error", sqlite3.SQLITE_IOERR_FSYNC)
        if self.full:
            raise _error("database or disk is full", sqlite3.SQLITE_FULL)

    def surface(self, connection: sqlite3.Connection) -> None:
        """What a failed sync left on the disk is there after all."""
        if self.left_behind:
            connection.execute("BEGIN IMMEDIATE")
            for query, values, many in self.left_behind:
                connection.executemany(query, values) if many else connection.execute(query, values)
            connection.execute("COMMIT")
        self.left_behind = []


class BadConnection:
    """A connection to the journal on that disk. `committed` is told of each commit, `refused` of each that failed."""

    def __init__(
        self,
        real: sqlite3.Connection,
        disk: BadDisk,
        kills: Kills,
        committed: Callable[[], None],
        refused: Callable[[], None],
        waits: Callable[[int], None],
    ) -> None:
        self.real = real
        self._disk = disk
        self._kills = kills
        self._committed = committed
        self._refused = refused
        self._waits = waits
        self._done: list[Statement] = []

    def execute(self, query: str, values: Any = ()) -> sqlite3.Cursor:
        if query.startswith("BEGIN"):
            self._kills.here("before a transaction")
            self._done = []
        elif query.startswith("COMMIT"):
            self._commit()
            return self.real.cursor()
        elif not query.startswith(("SELECT", "ROLLBACK", "PRAGMA")):
            self._done.append((query, values, False))
        return self.real.execute(query, values)

    def executemany(self, query: str, rows: Any) -> sqlite3.Cursor:
        rows = list(rows)
        self._done.append((query, rows, True))
        return self.real.executemany(query, rows)

    def _commit(self) -> None:
        self._kills.here("before a commit")
        if self._disk.slow_ms:
            self._waits(self._disk.slow_ms)
        try:
            self._disk.check(self._done)
        except sqlite3.Error:
            self._refused()
            raise
        self.real.execute("COMMIT")
        self._committed()
        self._kills.here("after a commit")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def _error(text: str, code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error
