"""The programs of the demonstration: started by themselves, watched, and all ended whatever happens."""

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

from drivers.escape import escaped
from tools.demo_inbox import DemoFailed, Ended, Inbox, Said

ROOT = Path(__file__).resolve().parent.parent
ENDING_S = 5.0


class Programs:
    """All programs that were started. Leaving the context ends them, the last one first."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._running: dict[str, subprocess.Popen[str]] = {}
        self._watchers: list[threading.Thread] = []

    def __enter__(self) -> "Programs":
        return self

    def __exit__(self, *_exception: object) -> None:
        for process in reversed(self._running.values()):
            _end(process)
        for watcher in self._watchers:
            watcher.join(ENDING_S)

    def start(self, name: str, module: str, *arguments: str) -> None:
        """Run a Python module; its lines and its end come to the inbox. Raises DemoFailed.

        In a session of its own: a Ctrl-C of the terminal is for the demonstration, which ends the others in good order.
        """
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env={**os.environ, "PYTHONPATH": path},
                start_new_session=True,
            )
        except OSError as error:
            raise DemoFailed(f"{name} cannot be started: {error.strerror}") from None
        self._running[name] = process
        watcher = threading.Thread(target=self._watch, args=(name, process), daemon=True)
        self._watchers.append(watcher)
        watcher.start()

    def started(self, sign: str, *names: str) -> list[str]:
        """Wait for each of these programs to say a line that begins with `sign`; returns the rests of these lines."""
        rests: dict[str, str] = {}
        while rests.keys() != set(names):
            item = self._inbox.take(f"{', '.join(name for name in names if name not in rests)} to say '{sign}'")
            if isinstance(item, Said) and item.who in names and item.line.startswith(sign):
                rests[item.who] = item.line.removeprefix(sign).strip()
        return [rests[name] for name in names]

    def process_id(self, name: str) -> int:
        """The process of a program that was started."""
        return self._running[name].pid

    def end(self, name: str) -> Ended:
        """Ask a program to end, and wait until it did."""
        self._inbox.may_end(name)
        self._running[name].terminate()
        return self._inbox.wait_for_end(name, f"{name} to end")

    def _watch(self, name: str, process: subprocess.Popen[str]) -> None:
        """Both outputs to their ends, then the program's own."""
        assert process.stdout is not None
        assert process.stderr is not None
        last: list[str] = []
        beside = threading.Thread(target=self._read, args=(name, process.stderr, last), daemon=True)
        beside.start()
        self._read(name, process.stdout, [])
        beside.join()
        self._inbox.put(Ended(name, process.wait(), "".join(last)))

    def _read(self, name: str, stream: IO[str], last: list[str]) -> None:
        with stream:
            for line in stream:
                text = escaped(line.rstrip())
                if text:
                    last[:] = [text]
                    self._inbox.put(Said(name, text))


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(ENDING_S)
        return
    process.kill()
    process.wait()
