"""Files that somebody named to be written: never one that a table lives by, and nothing but a plain file."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path


def why_not_written(path: Path, ours: Iterable[Path]) -> str:
    """Why `path` must not be written, in a few words; empty when it may. `ours` need not exist."""
    own = {os.path.realpath(each) for each in ours}
    try:
        found = os.stat(path)
    except OSError:
        found = None
    if found is not None and not stat.S_ISREG(found.st_mode):
        return "not a plain file"
    if os.path.realpath(path) in own or (found is not None and any(_is_same(found, each) for each in own)):
        return "the table lives by this very file"
    return ""


def _is_same(found: os.stat_result, other: str) -> bool:
    try:
        return os.path.samestat(found, os.stat(other))
    except OSError:
        return False
