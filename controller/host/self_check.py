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

    Call it while a connection is open: SQLite has then said in the log's index how many frames are whole.
    See "The WAL-index header" and "WAL file format" of sqlite.org.
    """
    try:
        log, index = Path(f"{journal}-wal").read_bytes(), Path(f"{journal}-shm").read_bytes()[:20]
    except OSError:
        return 0
    if len(log) < _LOG_HEADER or len(index) < 20:
        return len(log)
    (page_size,), (whole,) = struct.unpack_from(">I", log, 8), struct.unpack_from("=I", index, 16)
    at = _LOG_HEADER + whole * (_FRAME_HEADER + page_size)
    left = log[at : at + _FRAME_HEADER]
    if len(left) == _FRAME_HEADER and left[8:16] != log[16:24]:
        return 0  # frames of an older log, which this one writes over
    return len(log) - at if left else 0


def free_bytes(journal: str) -> int:
    """Room on the journal's disk."""
    found = os.statvfs(os.path.dirname(journal))
    return found.f_bavail * found.f_frsize


def little_room(free: int, journal: str) -> str:
    """A line about a disk that is nearly full, else empty."""
    if free >= LITTLE_FREE:
        return ""
    return f"journal {shown(journal)}: {free // 1024} KiB are left on its disk: free some space"
