"""Takes old shoes out of a journal into a file of their own: written, read back whole, and only then taken out."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from controller.host.journal_file import (
    JournalRefused,
    OpenedFile,
    connect_to_write,
    open_journal_file,
    write_beginning,
)
from controller.host.journal_format import BELONGING
from controller.host.journal_key import sync_folder
from controller.host.journal_reader import JournalReader, leave_at_rest
from controller.host.journal_walk import beginning, link_after
from controller.host.lines import shown
from controller.lab.journal_copy import clear_beside, write_copy
from controller.lab.verify import Verified, verify
from controller.lab.watching import last

KEPT_DAYS = 90


@dataclass(frozen=True, slots=True)
class Archived:
    """What was taken out: the inputs from `first` to `last`, into `file`; `file` None when nothing was old enough.

    `still_large` says why the journal's file, without them, has kept its size; empty when it has not.
    """

    file: Path | None
    first: int = 0
    last: int = 0
    still_large: str = ""


class ArchiveRefused(Exception):
    """Nothing was taken out, since something is wrong with the journal or its archive: one line."""


def archive(path: Path, key: Path | None, days: int, now: datetime | None = None) -> Archived:
    """Take out the shoes that ended more than `days` ago. A journal that a table writes is refused.

    Raises JournalRefused when it cannot run, ArchiveRefused when something does not verify. A kill at any moment leaves
    the journal whole, before or after; then call it again.
    """
    with JournalReader(path, key) as reader:
        about, key_path = reader.about(), reader.key_path
        if reader.key is None:
            raise JournalRefused(f"the key {shown(str(key_path))} is not there: archiving needs it (--key FILE)")
    owner = {each: about.get(each, "") for each in ("table", "simulation")}
    opened = open_journal_file(path, owner, key_path, looking_only=True)
    try:
        if opened.trouble:
            raise ArchiveRefused(opened.trouble)
        return _archived(opened, key_path, (now or datetime.now(UTC)) - timedelta(days=days))
    except sqlite3.Error as error:
        raise JournalRefused(f"journal {shown(opened.name)} cannot be archived: {error}: check the disk") from error
    except OSError as error:
        raise JournalRefused(f"the archive cannot be written: {error.strerror}: check the disk") from error
    finally:
        opened.connection.close()
        leave_at_rest(opened.name)
        opened.head.close()


def _archived(opened: OpenedFile, key_path: Path, before: datetime) -> Archived:
    end = _last_old_input(opened.connection, before.isoformat(timespec="milliseconds").replace("+00:00", "Z"))
    first = beginning(opened.connection).seq + 1
    if end < first:
        return Archived(None)
    # What is read below opens and closes the file, which takes away the locks of whatever else this process has on it.
    opened.connection.close()
    with JournalReader(opened.name, key_path) as reader:
        _must_verify(reader, opened.name)
        target = Path(f"{opened.name}.{first}-{end}")
        _must_not_lose(target, key_path, reader, end)
        new = target.with_name(f"{target.name}.new")
        with _taken_away_unless_whole(new):
            write_copy(reader, new)
            _cut_after(new, end)
            with JournalReader(new, key_path) as part:
                _must_verify(part, str(new))
                if part.last_input() != end:
                    raise ArchiveRefused(f"archive {shown(str(new))} ends at record {part.last_input()}, not {end}")
            os.replace(new, target)
    sync_folder(target.parent)
    with closing(connect_to_write(opened.name)) as connection:
        _cut_before(connection, opened.key, end, target.name)
        return Archived(target, first, end, _smaller(connection))


def _must_not_lose(target: Path, key_path: Path, journal: JournalReader, end: int) -> None:
    """An archive that is there already is made anew only when it holds these very records: a kill came in between."""
    if not os.path.lexists(target):
        return
    with suppress(JournalRefused, sqlite3.Error), JournalReader(target, key_path) as there:
        if there.last_input() == end and there.anchor_trouble(journal.anchor_at(end)) == "":
            return
    raise ArchiveRefused(f"{shown(str(target))} is there already and is another one: move it away first")


@contextmanager
def _taken_away_unless_whole(new: Path) -> Iterator[None]:
    """Whatever goes wrong, no half archive stays, which would fill a disk that is full already."""
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            os.unlink(new)
        clear_beside(new)


def _last_old_input(connection: sqlite3.Connection, before: str) -> int:
    """The input before a shoe began, such that it and all before it are older; 0 when there is none."""
    (young,) = connection.execute("SELECT min(seq) FROM inputs WHERE at_utc >= ?", (before,)).fetchone()
    limit = 2**63 - 1 if young is None else young
    (begun,) = connection.execute("SELECT max(input) FROM shoes WHERE input <= ?", (limit,)).fetchone()
    (older,) = connection.execute("SELECT min(input) FROM shoes").fetchone()
    return 0 if begun is None or begun == older else int(begun) - 1


def _must_verify(reader: JournalReader, name: str) -> None:
    verdict: Verified = last(verify(reader))
    if verdict.difference:
        raise ArchiveRefused(f"{shown(name)} does not verify, nothing was taken out: {verdict.difference}")


def _cut_after(new: Path, end: int) -> None:
    """Of a copy, keep what is up to the input `end`."""
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN")
        for statement in _deletions(">", end):
            connection.execute(*statement)
        connection.execute("DELETE FROM configurations WHERE before_input > ?", (end,))
        connection.execute("DELETE FROM trace")
        connection.execute("COMMIT")
        connection.execute("VACUUM")
        connection.execute("PRAGMA journal_mode = WAL").fetchall()


def _cut_before(connection: sqlite3.Connection, key: bytes, end: int, archive_name: str) -> None:
    """Of the journal, keep what came after the input `end`: one transaction, which also says where it begins now."""
    after = link_after(connection, end)
    assert after is not None, f"record {end} is there: it was archived"
    (event,) = connection.execute("SELECT last_event FROM inputs WHERE seq = ?", (end,)).fetchone()
    (start,) = connection.execute("SELECT max(number) FROM starts WHERE input <= ?", (end,)).fetchone()
    start = beginning(connection).start if start is None else start
    connection.execute("BEGIN IMMEDIATE")
    for statement in _deletions("<=", end):
        connection.execute(*statement)
    write_beginning(connection, key, end, event, start, after, archive_name)
    connection.execute("COMMIT")


def _smaller(connection: sqlite3.Connection) -> str:
    """Give the room of what was taken out back to the disk; why not, where that fails. It is taken out either way."""
    try:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error as error:
        return str(error)
    return ""


def _deletions(which: str, end: int) -> Iterator[tuple[str, tuple[int]]]:
    for table in (*BELONGING, "snapshots"):
        yield f"DELETE FROM {table} WHERE input {which} ?", (end,)
    yield f"DELETE FROM inputs WHERE seq {which} ?", (end,)
