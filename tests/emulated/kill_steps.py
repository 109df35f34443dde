"""Kills the program at a named step of its work, from inside: set up in the child process before it begins.

The product itself knows nothing of this: the calls where its work touches the outside are wrapped.
"""

import os
import signal
import sqlite3
from collections.abc import Callable
from typing import Any

KILL_AT = "PUNTO_TEST_KILL_AT"
"""STEP:COUNT in the environment: the COUNT-th time that STEP is come to is the last thing that the program does."""

STEPS = (
    "before-read",
    "after-read",
    "before-confirm",
    "after-confirm",
    "before-step",
    "after-step",
    "before-transaction",
    "before-commit",
    "after-commit",
    "before-write",
    "after-write",
    "before-answer",
    "after-answer",
)

Here = Callable[[str], None]


def die_at_a_step() -> None:
    """Wrap the calls, and die where KILL_AT says."""
    from controller.host import live_table
    from controller.host.control import ControlServer
    from drivers.shoes.angel_eye_receiver import Receiver
    from drivers.wires_tty import TtyChannel

    wanted, _, count = os.environ[KILL_AT].partition(":")
    assert wanted in STEPS, wanted
    left = int(count)

    def here(step: str) -> None:
        nonlocal left
        if step == wanted:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    _around(TtyChannel, "read", "read", here)
    _around(TtyChannel, "write", "write", here)
    _around(Receiver, "feed", "confirm", here, lambda _, data, *__: bool(data))
    _around(ControlServer, "answer", "answer", here)
    _around(live_table, "step", "step", here)
    _around_commits(here)


def _around(owner: Any, name: str, step: str, here: Here, counts: Callable[..., bool] = lambda *_: True) -> None:
    call = getattr(owner, name)

    def wrapped(*arguments: Any, **options: Any) -> Any:
        if not counts(*arguments):
            return call(*arguments, **options)
        here(f"before-{step}")
        result = call(*arguments, **options)
        here(f"after-{step}")
        return result

    setattr(owner, name, wrapped)


def _around_commits(here: Here) -> None:
    class Connection(sqlite3.Connection):
        def execute(self, query: str, *values: Any) -> sqlite3.Cursor:
            if query.startswith("BEGIN"):
                here("before-transaction")
            elif query == "COMMIT":
                here("before-commit")
            cursor = super().execute(query, *values)
            if query == "COMMIT":
                here("after-commit")
            return cursor

    connect = sqlite3.connect
    sqlite3.connect = lambda *arguments, **options: connect(  # type: ignore[assignment]
        *arguments, **options, factory=Connection
    )
