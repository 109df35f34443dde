"""Telling the service manager (systemd) that the table is ready, alive and ending, by its own datagrams.

See sd_notify(3). Without `NOTIFY_SOCKET` in the environment nothing is told. The loop itself says that it is alive,
from its turns: when it hangs, the manager hears nothing and starts the program again.
"""

import os
import socket
from collections.abc import Mapping
from contextlib import suppress

TELLS_A_PERIOD = 3
"""So often within the time after which the manager takes the program for dead."""


class ServiceManager:
    """Whoever started the program and watches it. Never waits, never raises: a table goes on without its manager."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        where = environment.get("NOTIFY_SOCKET", "")
        self._address = f"\0{where[1:]}" if where.startswith("@") else where
        self._every_ms = _every_ms(environment) if self._address else None
        self._due_ms = 0

    def ready(self) -> None:
        """The table is up."""
        self._tell("READY=1")

    def alive(self, now_ms: int) -> None:
        """A turn of the loop begins; told as often as the manager needs it."""
        if self._every_ms is not None and now_ms >= self._due_ms:
            self._due_ms = now_ms + self._every_ms
            self._tell("WATCHDOG=1")

    def deadline_ms(self) -> int | None:
        """When `alive` must be called at the latest."""
        return None if self._every_ms is None else self._due_ms

    def stopping(self) -> None:
        """The table ends in good order."""
        self._tell("STOPPING=1")

    def _tell(self, line: str) -> None:
        if not self._address:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sending:
            sending.setblocking(False)
            sending.sendto(line.encode(), self._address)


def _every_ms(environment: Mapping[str, str]) -> int | None:
    """How often to tell; None when the manager does not ask, or asks another process."""
    period, pid = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
    if not (period.isascii() and period.isdigit() and int(period)) or pid not in ("", str(os.getpid())):
        return None
    return max(1, int(period) // 1000 // TELLS_A_PERIOD)
