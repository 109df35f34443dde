"""Opening a journal's file: whose it is, that it is one, that only one program writes it, that commits are durable."""

import fcntl
import os
import sqlite3
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from controller.host.journal_format import APPLICATION_ID, FORMAT, SCHEMA, Anchor, parse_anchor
from controller.host.lines import shown

_MAGIC = b"SQLite format 3\x00"
_LOCKED_WAIT_S = 0.5


class JournalRefused(Exception):
    """A journal that cannot be opened: one line with the file, what is wrong and what to do."""


class JournalBusy(JournalRefused):
    """Another program writes this journal."""


class Companion:
    """The small file beside a journal, `.head`: its lock says who writes, its line which input was written last.

    The line is not forced to the disk: after a power cut it may be older than the journal, never newer. So a journal
    that lacks what the line names lost rows, or is an older copy.
    """

    def __init__(self, journal: str) -> None:
        """Take the lock. Raises JournalBusy or OSError."""
        self._file = os.open(f"{journal}.head", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise JournalBusy(
                f"journal {shown(journal)} is in use by another punto: stop that one, or name another journal"
            ) from None
        except OSError:
            os.close(self._file)
            raise

    def trouble(self, last_input: int, chain_after: Callable[[int], bytes], journal: str) -> str:
        """One line when a journal with so many inputs is not the one last written, else empty."""
        return head_trouble(self._read(), last_input, chain_after, journal)

    def remember(self, anchor: Anchor) -> None:
        """Note the last input. A full disk may keep the older line: that is safe, it then names less."""
        with suppress(OSError):
            os.pwrite(self._file, f"{anchor.seq:020d} {anchor.chain.hex()}\n".encode("ascii"), 0)

    def forget(self) -> None:
        """A new journal begins."""
        os.ftruncate(self._file, 0)

    def close(self) -> None:
        """Give the lock back. Safe to call twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _read(self) -> Anchor | None:
        return parse_anchor(os.pread(self._file, 200, 0).decode("ascii", "replace"))


def head_trouble(head: Anchor | None, last_input: int, chain_after: Callable[[int], bytes], journal: str) -> str:
    """One line when a journal with so many inputs lacks what `head` names, else empty."""
    if head is None:
        return ""
    where = f"journal {shown(journal)}"
    if head.seq > last_input:
        return f"{where} ends at record {last_input}, but {head.seq} were written: find the whole journal"
    if chain_after(head.seq) != head.chain:
        return f"{where}: record {head.seq} is not the one that was written: find the right journal"
    return ""


def open_journal_file(
    path: str | os.PathLike[str], about: Mapping[str, str]
) -> tuple[str, sqlite3.Connection, Companion]:
    """The file's real path, a connection for writing and the lock. Raises JournalRefused and changes nothing then."""
    name = os.path.realpath(os.fspath(path))
    try:
        exists = check_is_journal(name)
        if not exists:
            _make_folders(Path(name).parent)
        companion = Companion(name)
    except OSError as error:
        raise JournalRefused(f"journal {shown(name)}: {error.strerror}: check the path and its rights") from error
    try:
        if not exists:
            _create(name, about)
            companion.forget()
        connection = _connect(name, about)
    except (OSError, sqlite3.Error) as error:
        companion.close()
        raise JournalRefused(f"journal {shown(name)} cannot be opened: {error}: check file and disk") from error
    except JournalRefused:
        companion.close()
        raise
    return name, connection, companion


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
        raise JournalRefused(f"journal {shown(name)} has format {version}, this program reads {FORMAT}: update punto")
    return True


def _kind(mode: int) -> str:
    return "folder" if stat.S_ISDIR(mode) else "device, socket or pipe"


def _make_folders(folder: Path) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def _create(name: str, about: Mapping[str, str]) -> None:
    """Make a whole empty journal under another name, then give it its own: a kill leaves none or a whole one."""
    new = f"{name}.new"
    for left in (new, f"{new}-journal", f"{new}-wal", f"{new}-shm"):
        with suppress(FileNotFoundError):
            os.unlink(left)
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        _write_schema(new, about)
        os.rename(new, name)
    except (OSError, sqlite3.Error):
        with suppress(FileNotFoundError):
            os.unlink(new)
        raise
    folder = os.open(os.path.dirname(name), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _write_schema(new: str, about: Mapping[str, str]) -> None:
    connection = sqlite3.connect(f"{Path(new).as_uri()}?mode=rw", uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(
            f"BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; {SCHEMA} COMMIT;"
        )
        connection.executemany("INSERT INTO about VALUES (?,?)", [("format", str(FORMAT)), *about.items()])
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _connect(name: str, about: Mapping[str, str]) -> sqlite3.Connection:
    if not os.access(name, os.W_OK):
        raise JournalRefused(f"journal {shown(name)} may not be written: change its rights")
    connection = sqlite3.connect(
        f"{Path(name).as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=_LOCKED_WAIT_S
    )
    try:
        _check_owner(name, connection, about)
        for setting in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            "journal_size_limit = 4194304",
        ):
            connection.execute(f"PRAGMA {setting}").fetchall()
        for setting, wanted in (("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)):
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


def _check_owner(name: str, connection: sqlite3.Connection, about: Mapping[str, str]) -> None:
    found = dict(connection.execute("SELECT key, value FROM about"))
    for key, value in about.items():
        if found.get(key) != value:
            raise JournalRefused(
                f"journal {shown(name)} is of {key} {found.get(key)!a}, not {value!a}: name another file"
            )
