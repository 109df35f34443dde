"""What the demonstration's programs write to files while they run: the boards of the panel, and the wires' trace."""

import json
import re
from collections import deque
from pathlib import Path
from typing import Any

from drivers.displays.panel_picture import LimitRow
from drivers.displays.simulated import Board

LINES_KEPT = 60

COPIES_APART = 6
"""So far back a line may be said to be a copy; the shoe's count comes round after nine."""

_FRAME = re.compile(r"\$[0-9A-F]{2} (?P<what>.*?)(\*[0-9A-F]{4})?", re.ASCII)  # a long meaning is cut in the trace
_SHOW = re.compile(r" show=1 board=[0-9]+")


class Tail:
    """The lines of a file that grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0

    def lines(self) -> list[str]:
        """Those that were completed since the last call; none while the file is not there yet."""
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._at)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._at += len(whole)
        return whole.decode(errors="replace").splitlines()


class WireTalk:
    """The last things said on the wires, each once: a report's copies are counted, pings and answers left out."""

    def __init__(self) -> None:
        self._said: deque[tuple[str, int]] = deque(maxlen=LINES_KEPT)

    def hear(self, trace_line: str) -> None:
        """One line of `punto run --trace`."""
        row: dict[str, Any] = json.loads(trace_line)
        meaning = str(row["meaning"])
        frame = _FRAME.fullmatch(meaning)
        if frame is not None:
            meaning = _SHOW.sub("", frame["what"])
            if meaning in ("ACK", "PING"):
                return
        text = f"{row['line']:7} {row['direction']} {meaning}{'  DAMAGED' if row['damaged'] else ''}"
        apart = COPIES_APART if row["line"] == "shoe" else 1
        for back in range(1, min(apart, len(self._said)) + 1):
            if self._said[-back][0] == text:
                self._said[-back] = (text, self._said[-back][1] + 1)
                return
        self._said.append((text, 1))

    def last(self) -> tuple[str, ...]:
        """Oldest first."""
        return tuple(f"{text}  x{times}" if times > 1 else text for text, times in self._said)


def board_of(log_line: str) -> Board:
    """A board as the panel emulator logged it."""
    row: dict[str, Any] = json.loads(log_line)
    limits = tuple(LimitRow(limit["id"], limit["min"], limit["max"], limit["odds"]) for limit in row["limits"])
    facts = (row["board"], row["at_ms"], row["table"], row["lang"], row["sim"])
    return Board(*facts, limits, row["road"], row["notice"], row["coup"])
