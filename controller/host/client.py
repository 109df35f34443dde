"""The other side of the control socket: what `punto ctl`, the tools and the console ask a running table with."""

import os
import re
import socket
import stat
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from controller.host.lines import RecordUnreadable, dumps, loads, shown

_LONGEST_ANSWER = 16 * 1024 * 1024
_TABLE_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}", re.ASCII)


class TableNotThere(Exception):
    """No table answers at this path: one line with the path and why."""


class PathRefused(Exception):
    """A default path that cannot be used: one line with why and what to do."""


class Client:
    """A caller of one table. Connects at the first question; `timeout_s` is how long an answer may take."""

    def __init__(self, path: str | os.PathLike[str], timeout_s: float = 10.0) -> None:
        self.path = os.fspath(path)
        self._timeout_s = timeout_s
        self._connection: _Connection | None = None

    def ask(self, do: str, id: str | None = None, **fields: object) -> dict[str, object]:
        """Have something done and give the answer. Raises TableNotThere when none comes.

        Who lost an answer asks again with the same `id`: it is carried out once. A connection that was used before and
        is gone now is made anew, and asked again, once.
        """
        request = {"id": id or str(uuid.uuid4()), "do": do} | fields
        used, self._connection = self._connection, None
        if used is not None:
            try:
                answer = used.ask(request)
            except TableNotThere:
                used.close()
            else:
                self._connection = used
                return answer
        fresh = _Connection(self.path, self._timeout_s)
        try:
            answer = fresh.ask(request)
        except TableNotThere:
            fresh.close()
            raise
        self._connection = fresh
        return answer

    def events(self, after: int = 0, wait_s: float | None = None) -> Iterator[dict[str, object]]:
        """The events after `after`, each as it is committed, without end, on a connection of its own.

        Raises TimeoutError when none came for `wait_s` (None: waits), TableNotThere when the table goes away,
        ValueError when it refuses.
        """
        connection = _Connection(self.path, self._timeout_s)
        try:
            answer = connection.ask({"id": str(uuid.uuid4()), "do": "events", "after": after})
            if answer["ok"] is not True:
                raise ValueError(str(answer.get("text")))
            while True:
                yield connection.read(wait_s)
        finally:
            connection.close()

    def close(self) -> None:
        """Safe to call twice."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


class _Connection:
    """One connection: lines out, lines in."""

    def __init__(self, path: str, timeout_s: float) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._received = bytearray()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout_s)
        try:
            self._socket.connect(path)
        except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
            self._socket.close()
            why = getattr(error, "strerror", None) or str(error)
            raise TableNotThere(f"no table at {shown(path)}: {why}: is it running?") from error

    def ask(self, request: dict[str, object]) -> dict[str, object]:
        try:
            self._socket.settimeout(self._timeout_s)
            # A table that refused us has closed its side already, and still says why.
            with suppress(BrokenPipeError, ConnectionResetError):
                self._socket.sendall(dumps(request).encode("ascii") + b"\n")
            while True:
                answer = self.read(self._timeout_s)
                if "ok" in answer and answer.get("id") in (request["id"], None):
                    return answer
        except TimeoutError as error:
            raise TableNotThere(f"the table at {shown(self._path)} did not answer in {self._timeout_s} s") from error
        except OSError as error:
            raise TableNotThere(f"the table at {shown(self._path)} went away: {error.strerror}") from error

    def read(self, wait_s: float | None) -> dict[str, object]:
        """The next line. Raises TimeoutError when nothing came for `wait_s`, TableNotThere when the table went away."""
        self._socket.settimeout(wait_s)
        while b"\n" not in self._received:
            try:
                data = self._socket.recv(64 * 1024)
            except TimeoutError:
                raise
            except OSError as error:
                raise TableNotThere(f"the table at {shown(self._path)} went away: {error.strerror}") from error
            if not data or len(self._received) > _LONGEST_ANSWER:
                raise TableNotThere(f"the table at {shown(self._path)} closed the connection: is it running?")
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        try:
            answer = loads(bytes(line))
        except RecordUnreadable as trouble:
            raise TableNotThere(f"what answers at {shown(self._path)} is no table: {trouble}") from None
        if not isinstance(answer, dict):
            raise TableNotThere(f"what answers at {shown(self._path)} is no table: {ascii(answer)[:60]}")
        return answer

    def close(self) -> None:
        self._socket.close()


def default_journal_path(table_id: str) -> Path:
    """`$XDG_STATE_HOME/punto/ID.journal`, or `~/.local/state/punto/ID.journal`. Raises PathRefused."""
    given = os.environ.get("XDG_STATE_HOME", "")
    home = Path(given) if os.path.isabs(given) else Path.home() / ".local" / "state"
    return home / "punto" / f"{_checked(table_id)}.journal"


def default_control_path(table_id: str) -> Path:
    """`$XDG_RUNTIME_DIR/punto/ID.control`, else in the user's own temporary folder. Raises PathRefused."""
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = Path(given) / "punto" if os.path.isabs(given) else _own_folder()
    return folder / f"{_checked(table_id)}.control"


def _checked(table_id: str) -> str:
    if not _TABLE_ID.fullmatch(table_id):
        raise PathRefused(f"{ascii(table_id)[:80]} is no id of a table: write letters, digits, dot, dash, underscore")
    return table_id


def _own_folder() -> Path:
    """A folder under the temporary one for this user alone; anyone may have set a trap of that name there."""
    folder = Path(tempfile.gettempdir()) / f"punto-{os.geteuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = os.lstat(folder)
    except OSError as error:
        raise PathRefused(f"{shown(str(folder))}: {error.strerror}: set XDG_RUNTIME_DIR") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise PathRefused(
            f"{shown(str(folder))} is not a folder of your own with mode 0700: remove it or set XDG_RUNTIME_DIR"
        )
    return folder
