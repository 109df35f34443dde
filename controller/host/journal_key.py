"""The key of a journal: a file of its own outside the journal, made once, read at each start, for one user's eyes."""

import hashlib
import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from controller.host.lines import shown

KEY_BYTES = 32
_TABLE_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}", re.ASCII)
_KEY = re.compile(rb"[0-9a-f]{64}\n?")


class JournalRefused(Exception):
    """A journal that cannot be opened: one line with the file, what is wrong and what to do."""


class KeyMissing(JournalRefused):
    """There is no key file."""


def default_key_path(journal: str, table_id: str) -> Path:
    """`keys/ID.key` in the journal's folder. An id that is no file name gives a path that does not exist."""
    name = table_id if _TABLE_ID.fullmatch(table_id) else "unknown"
    return Path(journal).parent / "keys" / f"{name}.key"


def head_path(key: Path, journal: str) -> Path:
    """`FILE.head` beside the key: what was written last to the journal FILE."""
    return key.parent / f"{Path(journal).name}.head"


def read_key(path: Path) -> bytes:
    """The key in a file of mode 0600. Raises KeyMissing, or JournalRefused with what is wrong and what to do."""
    where = f"journal key {shown(str(path))}"
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise KeyMissing(f"{where} is missing: put it back, or name where it is") from None
    except OSError as error:
        raise JournalRefused(f"{where}: {error.strerror}: check the path and its rights") from error
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise JournalRefused(f"{where} is no file: name a file")
        if stat.S_IMODE(status.st_mode) & 0o077:
            raise JournalRefused(f"{where} may be read by others: chmod 600 it, or begin a journal with a new one")
        text = os.read(file, 200)
    finally:
        os.close(file)
    if not _KEY.fullmatch(text):
        raise JournalRefused(f"{where} is no key (64 digits in hex): put the right file back")
    return bytes.fromhex(text.decode("ascii"))


def make_key(path: Path) -> bytes:
    """A new key in a new file, on the disk when this returns (folders 0700, file 0600). Raises OSError."""
    make_folders(path.parent)
    new = path.with_name(f"{path.name}.new")
    with suppress(FileNotFoundError):
        os.unlink(new)
    key = secrets.token_bytes(KEY_BYTES)
    file = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        os.write(file, key.hex().encode("ascii") + b"\n")
        os.fsync(file)
    finally:
        os.close(file)
    os.link(new, path)  # unlike a rename it never replaces a key that is there
    os.unlink(new)
    sync_folder(path.parent)
    return key


def key_check(key: bytes) -> str:
    """What a journal says of its key, so that a wrong one is known at once; it does not give the key away."""
    return hashlib.sha256(b"punto journal key" + key).hexdigest()[:32]


def make_folders(folder: Path) -> None:
    """The folder and those above it, each new one for one user only."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """A new name in the folder is on the disk when this returns."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
