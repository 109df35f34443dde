"""The small file beside the key that says what was written last, and the locks that keep a second writer out."""

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from controller.host.journal_format import Anchor, parse_anchor
from controller.host.journal_key import JournalRefused
from controller.host.lines import shown


class JournalBusy(JournalRefused):
    """Another program writes this journal."""


class Head:
    """`FILE.head`: its lock says who writes, its line which input was written last, with the chain after it.

    The line is not forced to the disk: after a power cut it may be older than the journal, never newer. So a journal
    that lacks what the line names lost rows, or is an older copy.
    """

    def __init__(self, path: Path, journal: str) -> None:
        """Take the lock. Raises JournalBusy or OSError."""
        self.path = path
        self._journal_file = -1
        self._file = _locked(str(path), os.O_RDWR | os.O_CREAT, journal)

    def lock(self, journal: str) -> None:
        """Lock the journal's own file too: who names another key for it is kept out as well.

        Its descriptor outlives SQLite's: closing it would take SQLite's own locks away.
        """
        self._journal_file = _locked(journal, os.O_RDONLY, journal)

    def read(self) -> Anchor | None:
        """What was written last; None before the first input."""
        return parse_anchor(os.pread(self._file, 200, 0).decode("ascii", "replace"))

    def remember(self, seq: int, chain: bytes) -> None:
        """Note the last input. A full disk may keep the older line: that is safe, it then names less."""
        with suppress(OSError):
            os.pwrite(self._file, b"%020d %b\n" % (seq, chain.hex().encode("ascii")), 0)

    def close(self) -> None:
        """Give the locks back, once SQLite has closed the journal. Safe to call twice."""
        for file in (self._journal_file, self._file):
            if file >= 0:
                os.close(file)
        self._journal_file = self._file = -1


def _locked(path: str, flags: int, journal: str) -> int:
    file = os.open(path, flags | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise JournalBusy(
            f"journal {shown(journal)} is in use by another punto: stop that one, or name another journal"
        ) from None
    except OSError:
        os.close(file)
        raise
    return file


def read_head(path: Path) -> Anchor | None:
    """What a head says, without its lock; None when there is none."""
    try:
        line = path.read_bytes()[:200]
    except OSError:
        return None
    return parse_anchor(line.decode("ascii", "replace"))


def no_head(path: Path) -> str:
    """What it means that there is no head, or an empty one, beside a journal that has records."""
    return f"without its head {shown(str(path))} nobody can tell whether records are missing at its end: use an anchor"


def head_trouble(head: Anchor | None, last_input: int, chain_at: Callable[[int], bytes | None], journal: str) -> str:
    """One line when a journal with so many inputs lacks what `head` names, else empty.

    `chain_at` gives the chain after an input, None for one that was archived.
    """
    if head is None:
        return ""
    where = f"journal {shown(journal)}"
    if head.seq > last_input:
        missing = head.seq - last_input
        return (
            f"{where} ends at record {last_input}, but {head.seq} were written: {missing} are missing:"
            " find the whole journal"
        )
    chain = chain_at(head.seq)
    if chain is not None and chain != head.chain:
        return f"{where}: record {head.seq} is not the one that was written: find the right journal"
    return ""
