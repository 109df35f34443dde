"""A configuration file's text: read within bounds, and pointed at line by line when something in it is wrong."""

import hashlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from drivers.escape import escaped

MOST_BYTES = 64 * 1024
_MOST_SHOWN = 100  # characters of a source line on either side of the mistake


class ConfigErrors(Exception):
    """A configuration that cannot be used; `mistakes` holds every one, ready to print, each of one to three lines."""

    def __init__(self, mistakes: Iterable[str]) -> None:
        self.mistakes = list(dict.fromkeys(mistakes))
        super().__init__("\n".join(self.mistakes))


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a text; line and column count from 1, the column in characters."""

    line: int
    column: int


START = Spot(1, 1)


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong (or, in a warning, unusual) at a place; `key` names the keys that lead there, joined by dots."""

    spot: Spot
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """A file's bytes as text, exactly: `text.encode()` gives them back."""

    path: str
    text: str

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file's bytes, in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def told(self, finding: Finding) -> str:
        """The finding as one line: `file:line:col: key: what is wrong`."""
        where = f"{escaped(self.path)}:{finding.spot.line}:{finding.spot.column}"
        return ": ".join(part for part in (where, escaped(finding.key, 120), finding.text) if part)

    def pointed(self, finding: Finding) -> str:
        """The finding, the line it is about, and a caret below the place."""
        line = _lines(self.text)[finding.spot.line - 1].rstrip("\r")
        at = finding.spot.column - 1
        before = escaped(line[max(0, at - _MOST_SHOWN) : at], 10 * _MOST_SHOWN)
        if len(before) > _MOST_SHOWN or at > _MOST_SHOWN:
            before = "..." + before[-_MOST_SHOWN:]
        after = escaped(line[at : at + 2 * _MOST_SHOWN], _MOST_SHOWN)
        return f"{self.told(finding)}\n    {before}{after}\n    {' ' * len(before)}^"


@lru_cache(maxsize=4)
def _lines(text: str) -> list[str]:
    """Split once, however many mistakes a file has."""
    return text.split("\n")


def read(path: Path) -> tuple[Source, tuple[str, ...]]:
    """A regular file of at most 64 KiB of UTF-8, and warnings about who else may write it.

    Raises ConfigErrors. A directory, a pipe or a device is refused unopened; never more than 64 KiB are read.
    """
    name = escaped(str(path))
    try:
        raw, mode = _bounded(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise ConfigErrors([f"{name}: {_reason(error)}"]) from None
    warnings = tuple(f"{name}: {warning}" for warning in _writable_by_others(path, mode))
    return source(str(path), raw), warnings


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file; correct the name"
    if isinstance(error, PermissionError):
        return "permission denied; let this user read the file"
    return escaped((isinstance(error, OSError) and error.strerror) or str(error))


def _bounded(path: Path) -> tuple[bytes, int]:
    _refuse_unfit(os.stat(path))
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        status = os.fstat(file.fileno())
        _refuse_unfit(status)  # it may have been swapped since
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise OSError(0, _too_large(len(raw)))
    return raw, status.st_mode


def _refuse_unfit(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(0, "not a regular file; name a file")
    if status.st_size > MOST_BYTES:
        raise OSError(0, _too_large(status.st_size))


def _too_large(size: int) -> str:
    return f"too large: {size} bytes or more, at most {MOST_BYTES} are read"


def _writable_by_others(path: Path, mode: int) -> Iterable[str]:
    if os.name != "posix":
        return
    if path.is_symlink():
        yield "a symbolic link: who may change the link may change the rules; name the file itself"
    if mode & stat.S_IWOTH:
        yield "everybody may write this file; chmod o-w"
    folder = os.stat(path.parent).st_mode
    if folder & stat.S_IWOTH and not folder & stat.S_ISVTX:
        yield "everybody may replace this file; chmod o-w its folder"


def source(name: str, raw: str | bytes) -> Source:
    """A text that is already here, under the name that messages give it. Raises ConfigErrors unless it is UTF-8."""
    raw = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    shown = escaped(name)
    if len(raw) > MOST_BYTES:
        raise ConfigErrors([f"{shown}: {_too_large(len(raw))}"])
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigErrors([f"{shown}:1:1: the file is UTF-16; save it as UTF-8"])
    if raw.startswith(b"\xef\xbb\xbf"):
        raise ConfigErrors([f"{shown}:1:1: the file begins with a byte order mark; save it as UTF-8 without one"])
    try:
        return Source(name, raw.decode())
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode()
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        bad = f"the byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise ConfigErrors([f"{shown}:{line}:{column}: {bad}"]) from None
