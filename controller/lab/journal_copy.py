"""A copy of a journal, also of a running table, by SQLite's own backup: whole, of one moment, and on the disk."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from controller.host.journal_file import JournalRefused
from controller.host.journal_key import sync_folder
from controller.host.journal_reader import JournalReader
from controller.host.lines import shown


def copy(reader: JournalReader, target: Path) -> None:
    """Copy into a file that is not there yet (mode 0600). Raises JournalRefused and leaves nothing then."""
    if os.path.lexists(target):
        raise JournalRefused(f"{shown(str(target))} is there already: name a file that is not")
    new = target.with_name(f"{target.name}.new")
    try:
        write_copy(reader, new)
        _give_name(new, target)
        sync_folder(target.parent)
    except (OSError, sqlite3.Error) as error:
        with suppress(OSError):
            os.unlink(new)
        why = getattr(error, "strerror", None) or str(error)
        raise JournalRefused(f"{shown(str(target))} cannot be written: {why}: check path and disk") from error


def _give_name(new: Path, target: Path) -> None:
    """Never in place of another file; a stick (FAT) has no second names, and there only a look before tells."""
    try:
        os.link(new, target)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(target):
            raise
        os.rename(new, target)
    else:
        os.unlink(new)


def write_copy(reader: JournalReader, new: Path) -> None:
    """Copy into `new`, in place of what is there, and force it to the disk. Raises OSError or sqlite3.Error."""
    with suppress(FileNotFoundError):
        os.unlink(new)
    clear_beside(new)
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        reader.backup(connection)
    file = os.open(new, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def clear_beside(file: Path) -> None:
    """Take away what SQLite left beside a file that is not there (any more)."""
    for suffix in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            os.unlink(file.with_name(file.name + suffix))
