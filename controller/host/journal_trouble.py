"""What SQLite's errors mean for a table: whether the disk may be tried again, and what to do."""

import sqlite3

from controller.host.lines import shown

_FULL, _READ_ONLY, _BUSY = "no space is left", "it may not be written", "another program keeps it locked"
_ADVICE = {
    sqlite3.SQLITE_FULL: (_FULL, "free some space"),
    sqlite3.SQLITE_IOERR_SHMSIZE: (_FULL, "free some space"),
    sqlite3.SQLITE_READONLY: (_READ_ONLY, "make file and disk writable"),
    sqlite3.SQLITE_PERM: (_READ_ONLY, "make file and disk writable"),
    sqlite3.SQLITE_AUTH: (_READ_ONLY, "make file and disk writable"),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened", "look at its folder"),
    sqlite3.SQLITE_BUSY: (_BUSY, "close what has it open"),
    sqlite3.SQLITE_LOCKED: (_BUSY, "close what has it open"),
    **dict.fromkeys(
        (
            *(sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_TRUNCATE),
            *(sqlite3.SQLITE_IOERR_FSTAT, sqlite3.SQLITE_IOERR_ACCESS, sqlite3.SQLITE_IOERR_LOCK),
            *(sqlite3.SQLITE_IOERR_UNLOCK, sqlite3.SQLITE_IOERR_RDLOCK, sqlite3.SQLITE_IOERR_SHMOPEN),
            *(sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_IOERR_SHMLOCK),
        ),
        ("the disk refused", "check the disk (read-only, a quota, a cable)"),
    ),
}
"""What an order may try again: no write was reported as done that was not. A disk that was remounted read-only, or one
over its quota, is SQLITE_IOERR_WRITE."""
_FINAL = {
    sqlite3.SQLITE_IOERR: ("the disk failed", "check the disk, then start again"),  # above all a failed fsync
    sqlite3.SQLITE_CORRUPT: ("the file is damaged", "keep it, restore a copy or begin another journal"),
    sqlite3.SQLITE_NOTADB: ("the file is damaged", "keep it, restore a copy or begin another journal"),
}


class DiskTrouble(Exception):
    """Nothing was written: one line with the file, why, and what to do.

    `final` when writing on would not be safe (a failed disk, a damaged file): only a new start may try again.
    """

    def __init__(self, text: str, *, final: bool) -> None:
        super().__init__(text)
        self.text = text
        self.final = final


def no_room(error: Exception) -> str:
    """What to say of a journal that is whole and cannot be opened, since SQLite finds no room beside it; else empty."""
    code = getattr(error, "sqlite_errorcode", 0)
    if code not in (sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_FULL):
        return ""
    return f"{_FULL} beside it for the index that SQLite needs ({error}): free some space"


def disk_trouble(error: sqlite3.Error, path: str) -> DiskTrouble | None:
    """The trouble that an error while writing the journal `path` is; None when it is not the disk's."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    passing = _ADVICE.get(code) or _ADVICE.get(code & 0xFF)
    final = _FINAL.get(code & 0xFF)
    if passing is None and final is None:
        return None
    what, advice = passing or final or ("", "")
    return DiskTrouble(f"journal {shown(path)} could not be written: {what} ({error}): {advice}", final=passing is None)
