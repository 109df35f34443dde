"""What a table looks at before its journal is written to: SQLite's own structure, a torn end, room on the disk."""

import os
import sqlite3
import struct
import time
from pathlib import Path

from controller.host.lines import shown

LONGEST_CHECK_S = 1.0
"""A journal of many months is not read whole at a start: `punto journal verify` does that."""
_STEPS_A_LOOK = 10_000

LEAST_FREE = 128 * 1024
"""With less, the next coups could not be written: the table starts held."""
LITTLE_FREE = 64 * 1024 * 1024

_LOG_HEADER, _FRAME_HEADER = 32, 24


def structure_trouble(connection: sqlite3.Connection, journal: str) -> str:
    """One line when SQLite finds the file damaged, else empty. It looks for a bounded time."""
    end = time.monotonic() + LONGEST_CHECK_S
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS_A_LOOK)
    try:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            return ""
        found = str(error)
    finally:
        connection.set_progress_handler(None, 0)
    return "" if found == "ok" else f"journal {shown(journal)} is damaged: {' '.join(str(found).split())[:200]}"


def torn_bytes(journal: str) -> int:
    """How many bytes of a write that was cut off stand at the end of the write-ahead log; SQLite leaves them out.

    Only the log is read ("WAL file format" of sqlite.org): whoever opens the log's index (`-shm`) beside SQLite and
    closes it again takes SQLite's locks on it away.
    """
    try:
        log = Path(f"{journal}-wal").read_bytes()
    except OSError:
        return 0
    if len(log) < _LOG_HEADER:
        return len(log)
    (page_size,) = struct.unpack_from(">I", log, 8)
    size, salts = _FRAME_HEADER + page_size, log[16:24]
    written = _LOG_HEADER
    while log[written + 8 : written + 16] == salts and written + size <= len(log):
        written += size
    rest = log[written : written + 16]
    is_cut = bool(rest) and rest[8:] == salts[: len(rest[8:])]
    end = len(log) if is_cut else written
    whole = written
    while whole > _LOG_HEADER and not _ends_a_commit(log, whole, page_size):
        whole -= size
    return end - whole


def _ends_a_commit(log: bytes, end: int, page_size: int) -> bool:
    """Whether the frame that ends here closes a transaction and is what was written."""
    at = end - page_size - _FRAME_HEADER
    is_commit = log[at + 4 : at + 8] != bytes(4)
    before = struct.unpack_from(">II", log, 24 if at == _LOG_HEADER else at - page_size - 8)
    order = ">" if log[3] & 1 else "<"
    words = struct.unpack_from(f"{order}2I", log, at) + struct.unpack_from(
        f"{order}{page_size // 4}I", log, end - page_size
    )
    return is_commit and _checksum(words, *before) == struct.unpack_from(">II", log, at + 16)


def _checksum(words: tuple[int, ...], first: int, second: int) -> tuple[int, int]:
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def free_bytes(journal: str) -> int:
    """Room on the journal's disk."""
    found = os.statvfs(os.path.dirname(journal))
    return found.f_bavail * found.f_frsize


def little_room(free: int, journal: str) -> str:
    """A line about a disk that is nearly full, else empty."""
    if free >= LITTLE_FREE:
        return ""
    return f"journal {shown(journal)}: {free // 1024} KiB are left on its disk: free some space"
