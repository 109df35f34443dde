"""What a table looks at before its journal is written to: SQLite's own structure, a torn end, room on the disk."""

import os
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path

from controller.host.lines import shown
from controller.host.telling import warn

WHOLE_CHECK_BYTES = 8 * 1024 * 1024
"""A larger journal, of many shoes, is not read whole at a start, which would keep the table waiting."""
ALWAYS_CHECKED = ("about", "beginnings", "configurations", "starts", "shoes", "snapshots", "trace")
"""Of such a journal these are looked at, which stay small. The records since the last shoe began are read anyway."""

LEAST_FREE = 128 * 1024
"""With less, the next coups could not be written: the table starts held."""
LITTLE_FREE = 64 * 1024 * 1024

_LOG_HEADER, _FRAME_HEADER = 32, 24


def structure_trouble(connection: sqlite3.Connection, journal: str, say: Callable[[str], None] = warn) -> str:
    """One line when SQLite finds the file damaged, else empty. What was not looked at in a large file is said."""
    where = f"journal {shown(journal)}"
    try:
        (pages,), (size,) = (connection.execute(f"PRAGMA {each}").fetchone() for each in ("page_count", "page_size"))
        is_small = pages * size <= WHOLE_CHECK_BYTES
        for what in ("1",) if is_small else ALWAYS_CHECKED:
            (found,) = connection.execute(f"PRAGMA quick_check({what})").fetchone()
            if found != "ok":
                return f"{where} is damaged: {' '.join(str(found).split())[:200]}"
        if not is_small:
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").fetchone()
            say(
                f"{where} has {pages * size // 2**20} MiB: looked at were {len(ALWAYS_CHECKED)} of its {tables} tables"
                f" and the records since the last shoe began; punto journal verify {shown(journal)} looks at all of it"
            )
    except sqlite3.Error as error:
        return f"{where} is damaged: {' '.join(str(error).split())[:200]}"
    return ""


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
