"""Opening a journal's file: whose it is, that it is one, that only one program writes it, that commits are durable."""

import os
import sqlite3
import stat
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from controller.host.journal_format import APPLICATION_ID, FORMAT, SCHEMA, Beginning, Link, first_link
from controller.host.journal_head import Head, JournalBusy, head_trouble, no_head
from controller.host.journal_key import (
    JournalRefused,
    KeyMissing,
    default_key_path,
    head_path,
    key_check,
    make_folders,
    make_key,
    read_key,
    sync_folder,
)
from controller.host.journal_trouble import no_room
from controller.host.journal_walk import about_of, beginning, beginning_seal, kept_before, link_after, schema_trouble
from controller.host.lines import shown
from controller.host.telling import warn

__all__ = ["JournalBusy", "JournalRefused", "OpenedFile", "check_is_journal", "connect_to_write", "open_journal_file"]

_MAGIC = b"SQLite format 3\x00"
_LOCKED_WAIT_S = 0.5


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A journal's real path, its connection, its key and its locks.

    `trouble` is one line when it is not the journal that was written last: then the connection cannot write.
    """

    name: str
    connection: sqlite3.Connection
    key: bytes
    head: Head
    trouble: str


def open_journal_file(
    path: str | os.PathLike[str], about: Mapping[str, str], key_path: Path | None = None, *, looking_only: bool = False
) -> OpenedFile:
    """Open a table's journal for writing, or begin one. `about` has `table` and `simulation`.

    With `looking_only` the connection cannot write yet: it is to be looked at first, then `connect_to_write` follows.

    Raises JournalRefused and changes nothing then.
    """
    name = os.path.realpath(os.fspath(path))
    key_path = key_path or default_key_path(name, about["table"])
    try:
        with ExitStack() as undo:
            exists = check_is_journal(name)
            if exists:
                looking = _looking(name)
                undo.callback(looking.close)
                _check_owner(name, looking, about)
            key = _key(key_path, name, exists)
            if not exists:
                make_folders(Path(name).parent)
            head = Head(head_path(key_path, name), name)
            undo.callback(head.close)
            if not exists:
                _refuse_lost(name, head)
                _create(name, key, about)
                looking = _looking(name)
                undo.callback(looking.close)
            head.lock(name)
            _check_key(name, looking, key, key_path)
            trouble = _trouble(name, looking, head)
            looking_only = looking_only or bool(trouble)
            connection = looking if looking_only else connect_to_write(name)
            undo.pop_all()
            if not looking_only:
                looking.close()
    except OSError as error:
        raise JournalRefused(f"journal {shown(name)}: {error.strerror}: check the path and its rights") from error
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter when SQLite quotes bytes of a damaged file
        why = no_room(error) or f"{error}: check the disk, or restore a copy"
        raise JournalRefused(
            f"journal {shown(name)} cannot be opened: {why} (punto journal verify {shown(name)} says more)"
        ) from error
    return OpenedFile(name, connection, key, head, trouble)


def _key(path: Path, journal: str, exists: bool) -> bytes:
    """The key; made when neither it nor a journal is there. Raises JournalRefused or OSError."""
    try:
        return read_key(path)
    except KeyMissing:
        if exists:
            raise JournalRefused(
                f"journal {shown(journal)}: its key {shown(str(path))} is missing: put it back, or name where it is"
                " (journal: {key: PATH} in the table's file)"
            ) from None
        return make_key(path)


def _refuse_lost(journal: str, head: Head) -> None:
    """Where a journal was, no new one begins by itself."""
    written = head.read()
    if written is not None:
        raise JournalRefused(
            f"journal {shown(journal)} is gone, all {written.seq} records of it: put it back, or move"
            f" {shown(str(head.path))} away to begin another"
        )


PAGE = 1024
"""Bytes of a page. A commit writes a page of each table it touches, and a card waits for it: smaller ones are sooner
on the disk, and wear it less.
"""


def check_is_journal(name: str) -> bool:
    """Whether there is a file, judged without touching it. Raises JournalRefused when it is no journal, or OSError."""
    try:
        kind = os.stat(name).st_mode
    except FileNotFoundError:
        if os.path.exists(f"{name}-wal") and os.path.getsize(f"{name}-wal"):
            raise JournalRefused(
                f"journal {shown(name)} is gone, but {shown(name)}-wal with its last records is there: put it back,"
                " or move that file away too"
            ) from None
        return False
    if not stat.S_ISREG(kind):
        raise JournalRefused(f"journal {shown(name)} is a {_kind(kind)}: name a file")
    with open(name, "rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise JournalRefused(f"{shown(name)} is no journal: name another file")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise JournalRefused(f"{shown(name)} is a database of another program: name another file")
    version = int.from_bytes(header[60:64], "big")
    if version != FORMAT:
        other = "update punto" if version > FORMAT else "move it away, or name another one with --journal"
        raise JournalRefused(f"journal {shown(name)} has format {version}, this program reads {FORMAT}: {other}")
    return True


def _kind(mode: int) -> str:
    return "folder" if stat.S_ISDIR(mode) else "device, socket or pipe"


def _create(name: str, key: bytes, about: Mapping[str, str]) -> None:
    """Make a whole empty journal under another name, then give it its own: a kill leaves none or a whole one."""
    new = f"{name}.new"
    for left in (new, f"{new}-journal", f"{new}-wal", f"{new}-shm"):
        with suppress(FileNotFoundError):
            os.unlink(left)
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        _write_schema(new, key, about)
        os.rename(new, name)
    except (OSError, sqlite3.Error):
        with suppress(FileNotFoundError):
            os.unlink(new)
        raise
    sync_folder(Path(name).parent)


def _write_schema(new: str, key: bytes, about: Mapping[str, str]) -> None:
    told = [("format", str(FORMAT)), ("key", key_check(key)), *about.items()]
    connection = sqlite3.connect(f"{Path(new).as_uri()}?mode=rw", uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA page_size = {PAGE}")
        connection.executescript(
            f"BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; {SCHEMA} COMMIT;"
        )
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO about VALUES (?,?)", told)
        write_beginning(connection, key, 0, 0, 0, first_link(key, told), "")
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def write_beginning(
    connection: sqlite3.Connection, key: bytes, seq: int, event: int, start: int, before: Link, archive: str
) -> None:
    """Say that the rows of this file begin after the input `seq`, and seal it."""
    number, at = beginning(connection).number + 1, datetime.now(UTC).isoformat(timespec="seconds")
    kept = kept_before(connection, seq)
    begun = Beginning(number, at, seq, event, start, *before, kept, archive, b"")
    mac = beginning_seal(key, about_of(connection), begun)
    connection.execute("INSERT INTO beginnings VALUES (?,?,?,?,?,?,?,?,?,?)", (*begun[:-1], mac))


def _looking(name: str) -> sqlite3.Connection:
    """A connection that cannot write: a damaged journal is left as it is."""
    if not os.access(name, os.W_OK):
        raise JournalRefused(f"journal {shown(name)} may not be written: change its rights")
    return sqlite3.connect(f"{Path(name).as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=_LOCKED_WAIT_S)


def connect_to_write(name: str) -> sqlite3.Connection:
    """A connection whose commits are on the disk. Raises JournalRefused or sqlite3.Error."""
    connection = sqlite3.connect(
        f"{Path(name).as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=_LOCKED_WAIT_S
    )
    try:
        for setting in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "journal_size_limit = 4194304",
            "wal_autocheckpoint = 0",
        ):
            connection.execute(f"PRAGMA {setting}").fetchall()
        for setting, wanted in (("journal_mode", "wal"), ("synchronous", 2)):
            (found,) = connection.execute(f"PRAGMA {setting}").fetchone()
            if found != wanted:
                raise JournalRefused(
                    f"journal {shown(name)}: {setting} is {found}, not {wanted}: put it on a local disk that can"
                )
        # Rows that an earlier run could only leave in the write-ahead log are written anew and forced to the disk.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except (sqlite3.Error, JournalRefused):
        connection.close()
        raise
    return connection


def _trouble(name: str, connection: sqlite3.Connection, head: Head) -> str:
    """One line when the file is not whole, or not the one that was written last; else empty."""
    try:
        if other := schema_trouble(connection):
            return f"journal {shown(name)}: {other}: restore a copy"
        return cut_off(name, connection) or _end_trouble(name, connection, head)
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        return f"journal {shown(name)} is damaged: {error}"


def cut_off(name: str, connection: sqlite3.Connection) -> str:
    """One line when the file is shorter than it says. Pages that still stand in the write-ahead log may be missing."""
    log = Path(f"{name}-wal")
    if log.exists() and log.stat().st_size:
        return ""
    (pages,), (size,) = (connection.execute(f"PRAGMA {each}").fetchone() for each in ("page_count", "page_size"))
    held = os.path.getsize(name)
    if held >= pages * size:
        return ""
    return f"journal {shown(name)} is cut off: {held} bytes of {pages * size}: restore a copy"


def _end_trouble(name: str, connection: sqlite3.Connection, head: Head) -> str:
    (last,) = connection.execute("SELECT coalesce(max(seq), 0) FROM inputs").fetchone()
    last = max(last, beginning(connection).seq)
    written = head.read()
    if written is None and last > 1:  # with one record, a kill right after it
        warn(f"journal {shown(name)}: {no_head(head.path)}")
    return head_trouble(written, last, lambda seq: chain_at(connection, seq), name)


def chain_at(connection: sqlite3.Connection, seq: int) -> bytes | None:
    """The chain after an input; b"" when there is no such row, None when it was archived."""
    found = link_after(connection, seq)
    if found is not None:
        return found.chain
    return None if seq < beginning(connection).seq else b""


def _check_owner(name: str, connection: sqlite3.Connection, about: Mapping[str, str]) -> None:
    found = dict(about_of(connection))
    for each, value in about.items():
        if found.get(each) != value:
            raise JournalRefused(
                f"journal {shown(name)} is of {each} {found.get(each)!a}, not {value!a}: name another file"
            )


def _check_key(name: str, connection: sqlite3.Connection, key: bytes, key_path: Path) -> None:
    if dict(about_of(connection)).get("key") != key_check(key):
        raise JournalRefused(
            f"journal {shown(name)} was not written with the key {shown(str(key_path))}: put the right key there"
        )
