"""What a running table tells beside its display: a line for what somebody must see, and the trace of its wires."""

import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from controller.host.files_asked_for import why_not_written
from controller.table.events import (
    ControllerStarted,
    Event,
    LinkCameUp,
    LinkWentDown,
    ProgramChanged,
    ShoeQuiet,
    TableHeld,
    TableResumed,
    TableTilted,
)
from drivers.contracts import TraceLine


class TraceRefused(Exception):
    """A trace file that cannot be written: one line."""


def tell(event: Event) -> None:
    """One line to stderr, for events that somebody at the table must act on."""
    text = _line(event)
    if text:
        print(text, file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """One line to stderr."""
    print(text, file=sys.stderr, flush=True)


def _line(event: Event) -> str:
    match event:
        case TableHeld(reason, text):
            return f"held {reason.value}: {text}"
        case TableResumed(reason):
            return f"resumed after {reason.value}"
        case LinkWentDown(link, trouble):
            return f"{link.value} link down: {trouble}"
        case LinkCameUp(link):
            return f"{link.value} link up"
        case ShoeQuiet(seconds):
            return f"a card is due and the shoe said nothing for {seconds} s: check the shoe"
        case TableTilted(text):
            return f"tilt: {text}"
        case ControllerStarted(rules_next=str()):
            return "the configuration was changed: it takes effect with the next shoe"
        case ProgramChanged(changes):
            what = ", ".join(f"{change.what} {change.before[:12]} is now {change.after[:12]}" for change in changes)
            return f"changed since the last accepted start: {what}; punto ctl accept-change before bets open"
        case _:
            return ""


class TraceFile:
    """Every frame on the wires, one JSON object a line: utc, at_ms, line, direction, hex, meaning, damaged."""

    def __init__(self, path: Path, ours: Iterable[Path] = ()) -> None:
        """Append to `path`, which is none of `ours`. Raises TraceRefused."""
        if why := why_not_written(path, ours):
            raise TraceRefused(f"trace {str(path)!a}: {why}: name another file")
        try:
            self._file = path.open("a", encoding="ascii", buffering=1)
        except OSError as error:
            raise TraceRefused(f"trace {str(path)!a}: {error.strerror}: check the path and its rights") from error

    def write(self, line: TraceLine) -> None:
        """Write one line; a full disk ends the trace, not the table."""
        row = {
            "utc": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "at_ms": line.at_ms,
            "line": line.line,
            "direction": line.direction,
            "hex": line.data.hex(" "),
            "meaning": line.meaning,
            "damaged": line.damaged,
        }
        if not self._file.closed:
            try:
                self._file.write(json.dumps(row) + "\n")
            except OSError as error:
                print(f"trace stopped: {error.strerror}", file=sys.stderr)
                self.close()

    def close(self) -> None:
        """Safe to call twice."""
        try:
            self._file.close()
        except OSError as error:
            print(f"trace is not whole: {error.strerror}", file=sys.stderr)
