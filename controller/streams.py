"""The command line's streams: what is told on stderr is for people, and the work goes on when nobody can take it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO


class Unfailing:
    """A stream of which every failure (closed, a full disk, a pipe that ended) costs the line and nothing else."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write what can be written."""
        with suppress(OSError, ValueError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Send on what can be sent on."""
        with suppress(OSError, ValueError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def unfailing_stderr() -> Iterator[None]:
    """Within it, no table stops and no verdict changes because a line could not be told.

    A stream that is closed from the start has its number taken, so that no file of ours gets it.
    """
    while (file := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(file, True)
    os.close(file)
    before = sys.stderr
    stream = before if before is not None else open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = Unfailing(stream)
    try:
        yield
    finally:
        sys.stderr = before
        if before is None:
            stream.close()
        else:
            _keep_quiet_at_the_end(stream)


def _keep_quiet_at_the_end(stream: TextIO) -> None:
    """Python would try once more at its end to send what nobody took, and change the exit code."""
    try:
        stream.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
